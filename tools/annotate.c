/* annotate - what each instruction, array and kernel costs: requests, misses by cause, cycles that wait for it. */
#include <stdlib.h>
#include <string.h>

#include "annotate/mechanism.h"
#include "annotate/rows.h"
#include "annotate/show.h"
#include "common/stage.h"
#include "common/terminal.h"
#include "pass/origin.h"

enum {
	OPT_BY = CT_OWN_OPTION,
	OPT_SORT,
	OPT_TIMING,
	OPT_SYMBOLS,
	OPT_CALLGRIND,
	OPT_MECHANISM,
	OPT_PER_KERNEL
};

enum { TOP = 20 }; /* rows of a table for people, unless -n says otherwise */

struct own {
	enum annotate_by by;
	enum annotate_column sort;
	size_t top;
	int top_given;
	const char *callgrind;
	uint32_t mechanisms; /* a bit each, as of ct_mechanism_at() */
	struct annotate_saved saved;
	struct ct_tool_pass pass;
	struct ct_stage stage;
	struct ct_filter *filter; /* of rows, where the input is a profile */
};

static const struct ct_option options[] = {
	{OPT_BY, "by", "pc|array|kernel", "what the rows are (default: pc)"},
	{'n', "top", "N", "show the N costliest (default: 20; 0: all)"},
	{OPT_SORT, "sort", "COLUMN", "sort by this column of the records (default:\nstall_cycles)"},
	{OPT_SYMBOLS, "symbols", "FILE", "names of arrays, as lines of first address, bytes and\nname"},
	{OPT_CALLGRIND, "callgrind", "FILE",
         "also write the instructions in callgrind's format, for\nKCachegrind and callgrind_annotate"},
	{OPT_PER_KERNEL, "per-kernel", NULL, "rows of every launch, not of all of a kernel together"},
	{OPT_MECHANISM, "mechanism", "NAME[,NAME]",
         "also the misses that each would turn into hits: replays\nthe trace with it"},
	{OPT_TIMING, "timing", "full|quick",
         "how a trace is replayed: full, or quick, in which\nwarps run ahead: 1.2 to 1.5 times as fast"},
};

static int parse_by(const char *value, enum annotate_by *by, struct ct_error *e)
{
	static const char *const word[] = {"pc", "array", "kernel"};
	for (int i = 0; i < 3; i++)
		if (strcmp(value, word[i]) == 0) {
			*by = (enum annotate_by)i;
			return CT_OK;
		}
	return ct_fail(e, CT_ERR_USAGE, "--by %s: pc, array or kernel", value);
}

static int parse_sort(const char *value, enum annotate_column *sort, struct ct_error *e)
{
	for (unsigned i = 0; i < ANNOTATE_COLUMNS; i++)
		if (strcmp(value, annotate_column_name(i)) == 0) {
			*sort = (enum annotate_column)i;
			return CT_OK;
		}
	return ct_fail(e, CT_ERR_USAGE,
	               "--sort %s: a count of PC records, such as stall_cycles, l1_misses or llc_misses",
	               value);
}

static int on_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct own *o = ((struct ct_tool *)ctx)->own;
	uint64_t n;
	switch (key) {
	case OPT_BY: return parse_by(value, &o->by, e);
	case OPT_SORT: return parse_sort(value, &o->sort, e);
	case OPT_TIMING: return ct_pass_timing_parse(value, &((struct ct_tool *)ctx)->timing, e);
	case OPT_SYMBOLS: o->pass.symbols = value; return CT_OK;
	case OPT_MECHANISM: return ct_mechanisms_parse("--mechanism", value, &o->mechanisms, e);
	case OPT_CALLGRIND: o->callgrind = value; return CT_OK;
	case OPT_PER_KERNEL: o->pass.per_kernel = 1; return CT_OK;
	default:
		if (!ct_field_count(value, &n) || n > 1000000000)
			return ct_fail(e, CT_ERR_USAGE, "-n %s: how many rows to show, 0 for all",
			               value);
		o->top = (size_t)n;
		o->top_given = 1;
		return CT_OK;
	}
}

/* ---- the profile ---- */

static int open_trace(struct ct_tool *t, struct ct_trace *trace, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_stage *s = &o->stage;
	s->p = ct_tool_profile(e);
	int st = s->p ? ct_tool_pass_run(t, trace, NULL, &o->pass, s->p, e) : CT_ERR_NOMEM;
	if (st < 0)
		return st;
	s->truncated = st;
	s->from_trace = 1;
	st = ct_pass_get_gpu(s->p, &s->base, e);
	s->gpu = s->base;
	return st;
}

/* A profile as it is, where it has the records; else its trace is replayed for them. -k chooses among the rows then. */
static int open_profile(struct ct_tool *t, struct ct_profile *p, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_profile *again;
	const char *needs = !annotate_has_records(p, 0)                         ? "annotate"
	                    : o->pass.per_kernel && !annotate_has_records(p, 1) ? "--per-kernel"
	                    : o->pass.symbols                                   ? "--symbols"
	                    : t->timing != CT_REPLAY_FULL                       ? "--timing"
	                                                                        : NULL;
	o->filter = t->filter;
	t->filter = NULL;
	int st = ct_stage_open_profile(t, &o->stage, p, &o->pass, "annotate", e);
	if (st == CT_OK && needs && !o->stage.replayed) {
		st = ct_stage_replay(t, &o->stage, needs, &again, e);
		if (st == CT_OK)
			ct_stage_take(&o->stage, again);
	}
	return st;
}

static int open_input(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_input in;
	if (t->operands > 1)
		return ct_fail(e, CT_ERR_USAGE, "%s: one trace or profile at a time", t->operand[1]);
	int st = ct_tool_open_input(t, 0, &in, e);
	if (st != CT_OK)
		return st;
	if (in.trace) {
		st = open_trace(t, in.trace, e);
	} else {
		struct ct_profile *p = in.profile;
		in.profile = NULL;
		int truncated = ct_tool_truncated(t, p);
		st = open_profile(t, p, e);
		o->stage.truncated |= truncated;
	}
	ct_input_close(&in);
	return st;
}

/* ---- output ---- */

static int read_rows(const struct own *o, enum annotate_by by, int per_launch, struct annotate_rows *r,
                     struct ct_error *e)
{
	return annotate_rows_read(r, o->stage.p, by, per_launch, o->filter, o->sort, e);
}

static int write_callgrind(const struct own *o, struct ct_error *e)
{
	struct annotate_rows r;
	struct ct_buf b = {0};
	int st = read_rows(o, ANNOTATE_BY_PC, 0, &r, e);
	if (st == CT_OK)
		st = annotate_callgrind(o->stage.p, &r, &b, e);
	annotate_rows_free(&r);
	if (st == CT_OK)
		st = ct_tool_write_text(o->callgrind, &b, e);
	ct_buf_free(&b);
	return st;
}

static int rows_text(struct ct_tool *t, struct ct_buf *b, int csv, struct ct_error *e)
{
	struct own *o = t->own;
	const struct annotate_mechanisms m = {o->saved.name, o->saved.n};
	struct annotate_rows r;
	int st = read_rows(o, o->by, o->pass.per_kernel, &r, e);
	if (st == CT_OK && o->saved.n)
		st = annotate_saved_apply(&o->saved, &r, e);
	if (st == CT_OK && !csv)
		st = annotate_tell_apart(&r, o->top_given ? o->top : TOP, o->stage.p, e);
	if (st == CT_OK && csv)
		st = annotate_csv(&r, &m, o->top_given ? o->top : 0, b, e);
	else if (st == CT_OK)
		st = annotate_table(&r, &m, o->top_given ? o->top : TOP, ct_terminal_style(), b, e);
	annotate_rows_free(&r);
	return st;
}

static int table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	(void)p;
	return rows_text(t, b, 0, e);
}

static int emit(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_buf b = {0};
	if (t->output != CT_OUTPUT_OTHER)
		return ct_stage_emit(t, &o->stage, table, e);
	int st = rows_text(t, &b, 1, e);
	if (st == CT_OK)
		st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st == CT_OK ? o->stage.truncated : st;
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	o->pass.annotate = 1;
	if (!o->mechanisms) /* an estimate may need them */
		o->pass.without = 1u << CT_PASS_LLC_SMS;
	if (o->mechanisms && o->by == ANNOTATE_BY_ARRAY)
		return ct_fail(e, CT_ERR_USAGE,
		               "--mechanism counts by instruction: leave out --by array");
	if (o->mechanisms && o->pass.per_kernel)
		return ct_fail(e, CT_ERR_USAGE,
		               "--mechanism counts all launches of a kernel: leave out --per-kernel");
	o->sort = o->sort ? o->sort : ANNOTATE_STALL;
	int st = open_input(t, e);
	if (st == CT_OK && o->mechanisms)
		st = annotate_saved_measure(t, &o->stage, o->mechanisms, &o->saved, e);
	if (st == CT_OK)
		st = emit(t, e);
	if (st >= 0 && o->callgrind) { /* last: what fails before leaves no file */
		int written = write_callgrind(o, e);
		st = written == CT_OK ? st : written;
	}
	ct_stage_close(&o->stage);
	annotate_saved_free(&o->saved);
	if (o->filter)
		t->filter = o->filter; /* the tool's to free */
	return st;
}

int main(int argc, char **argv)
{
	static const char *const csv[] = {"csv", NULL};
	static const struct ct_tool_spec spec = {
		.name = "annotate",
		.operands = "[INPUT]",
		.summary = "what each instruction, array and kernel of a trace costs",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                 CT_TAKES_SEED | CT_TAKES_PROFILE | CT_TAKES_PLUGINS,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.run = run,
		.other_outputs = csv,
	};
	return ct_tool_main(&spec, argc, argv);
}

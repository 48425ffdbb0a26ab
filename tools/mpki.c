/* mpki - miss rates, misses per 1000 instructions and miss-ratio curves of the plain
 * L1s and LLC; cycles and IPC of the baseline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/units.h"
#include "common/board.h"
#include "common/curve.h"
#include "common/kernels.h"
#include "common/stage.h"
#include "common/terminal.h"
#include "models/common/baseline.h"
#include "models/common/cause.h"
#include "models/registry.h"
#include "mpki/check.h"
#include "mpki/explain.h"
#include "mpki/phase_verdicts.h"
#include "mpki/phases.h"

enum {
	OPT_L1_SIZES = CT_OWN_OPTION,
	OPT_LLC_SIZES,
	OPT_EXPLAIN,
	OPT_PER_KERNEL,
	OPT_EVERY,
	OPT_TRACE_EVENTS,
	OPT_MECHANISM
};

/* Without a list the curves reach from 1/16 to 16 times the configured capacity: the
 * span of the capacity studies in the papers (16x L1, 4x LLC). */
enum { CURVE_OCTAVES = 4, CURVE_POINTS = 2 * CURVE_OCTAVES + 1 };

struct sizes {
	uint64_t *size;
	size_t n;
};

struct own {
	struct sizes l1, llc;
	int explain;
	struct mpki_phases phases;
	uint32_t mechanisms; /* to judge in each phase: a bit each, as of ct_mechanism_at() */
	struct ct_pass_observer observer; /* of them */
	const struct ct_pass_observer *observers[1];
	struct ct_buf events;
	struct ct_tool_pass pass;
	struct mpki_check check;
	struct ct_stage stage;
};

static const struct ct_option options[] = {
	{OPT_L1_SIZES, "l1-sizes", "LIST",
         "capacities of the L1 curve: 16KiB,32KiB or 4KiB..4MiB\n(default: 1/16 to 16 times the GPU's)"},
	{OPT_LLC_SIZES, "llc-sizes", "LIST", "capacities of the LLC curve, all slices together"},
	{OPT_PER_KERNEL, "per-kernel", NULL, "also report every launch (scope kernel:N)"},
	{OPT_EVERY, "every", "N[c|i]",
         "also print how it fares over time (PH): in intervals of N\nwarp instructions, or with a c of N cycles"},
	{OPT_TRACE_EVENTS, "trace-events", "FILE", "with --every: write the intervals for Perfetto"},
	{OPT_MECHANISM, "mechanism", "NAME[,NAME]",
         "with --every: a verdict on each mechanism for each phase\n(PV): replays the trace with it"},
	{OPT_EXPLAIN, "explain", NULL,
         "why accesses miss and what the cycles are lost to:\nreplays the trace with one effect off after another"},
};

static int on_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct own *o = ((struct ct_tool *)ctx)->own;
	struct sizes *s = key == OPT_L1_SIZES ? &o->l1 : &o->llc;
	if (key == OPT_EVERY)
		return mpki_phases_parse(value, &o->phases, e);
	if (key == OPT_MECHANISM)
		return ct_mechanisms_parse("--mechanism", value, &o->mechanisms, e);
	if (key == OPT_TRACE_EVENTS) {
		o->phases.events = value;
		return CT_OK;
	}
	if (key == OPT_EXPLAIN || key == OPT_PER_KERNEL) {
		*(key == OPT_EXPLAIN ? &o->explain : &o->pass.per_kernel) = 1;
		return CT_OK;
	}
	free(s->size);
	s->size = NULL;
	return ct_parse_sizes(key == OPT_L1_SIZES ? "--l1-sizes" : "--llc-sizes", value, &s->size, &s->n,
	                      e);
}

static double sn(const struct ct_profile *p, const char *scope, const char *metric)
{
	double v;
	return ct_profile_get(p, scope, metric, &v) ? v : NAN;
}

/* ---- curves ---- */

static int default_sizes(struct sizes *s, uint64_t bytes, uint64_t line, struct ct_error *e)
{
	if (s->size)
		return CT_OK;
	s->size = calloc(CURVE_POINTS, sizeof *s->size);
	if (!s->size)
		return ct_fail_nomem(e);
	for (int i = 0; i < CURVE_POINTS; i++) {
		uint64_t v = i < CURVE_OCTAVES ? bytes >> (CURVE_OCTAVES - i)
		                               : bytes << (i - CURVE_OCTAVES);
		if (v >= line && (s->n == 0 || v > s->size[s->n - 1]))
			s->size[s->n++] = v;
	}
	return CT_OK;
}

/* The rates of a level by capacity, as MR records. rate has room for twice as many as there are sizes. */
static int level_curve(const struct own *o, const char *scope, const char *level, const struct sizes *s,
                       double *rate, struct ct_error *e)
{
	struct ct_profile *p = o->stage.p;
	const struct ct_gpu *g = &o->stage.gpu;
	int is_l1 = strcmp(level, "l1") == 0, st = CT_OK;
	double here = (double)(is_l1 ? g->l1.size : ct_gpu_llc_bytes(g)), *factor = rate + s->n;
	for (size_t i = 0; i < s->n; i++)
		factor[i] = (double)s->size[i] / here;
	int any = is_l1 ? ct_baseline_l1_rates(p, g, scope, factor, s->n, rate)
	                : ct_baseline_llc_rates(p, g, scope, factor, s->n, rate);
	for (size_t i = 0; any && i < s->n && st == CT_OK; i++)
		st = ct_profile_add_mr(p, scope, level, s->size[i], rate[i], e);
	return st;
}

static int curves(struct own *o, struct ct_error *e)
{
	const struct ct_gpu *g = &o->stage.gpu;
	const char *scope;
	double *rate = NULL;
	int st = default_sizes(&o->l1, g->l1.size, g->l1.line, e);
	if (st == CT_OK)
		st = default_sizes(&o->llc, ct_gpu_llc_bytes(g), g->llc.line, e);
	if (st == CT_OK && !(rate = ct_calloc(2 * (o->l1.n + o->llc.n), sizeof *rate)))
		st = ct_fail_nomem(e);
	for (size_t i = 0; st == CT_OK && (scope = ct_profile_scope(o->stage.p, i)); i++) {
		st = level_curve(o, scope, "l1", &o->l1, rate, e);
		if (st == CT_OK)
			st = level_curve(o, scope, "llc", &o->llc, rate, e);
	}
	free(rate);
	return st;
}

/* ---- what people see ---- */

static void head(const struct ct_stage *s, struct ct_buf *b)
{
	char l1[32], llc[32];
	ct_format_size(s->gpu.l1.size, l1, sizeof l1);
	ct_format_size(ct_gpu_llc_bytes(&s->gpu), llc, sizeof llc);
	ct_buf_printf(b, "%s: %u SMs, L1 %s%s each, LLC %s\n\n", s->gpu.name, (unsigned)s->gpu.sms,
	              s->gpu.l1_adaptive ? "up to " : "", l1, llc);
	if (ct_profile_gp(s->p, "model.timing"))
		ct_buf_printf(b, "timing of the replay: %s\n\n", ct_profile_gp(s->p, "model.timing"));
	ct_board_intervals(s->p, b);
}

/* How the numbers of a row were got: on another GPU not all in one way. */
static void method_cell(struct ct_table *t, const struct ct_profile *p, const char *scope,
                        const char *l1)
{
	const char *llc = ct_profile_method(p, scope, "llc_miss_rate");
	const char *cycles = ct_profile_method(p, scope, "cycles");
	if (llc && strcmp(l1, llc) != 0)
		ct_table_cell(t, "L1 %s, else %s", l1, llc);
	else if (cycles && strcmp(l1, cycles) != 0)
		ct_table_cell(t, "%s, cycles %s", l1, cycles);
	else
		ct_table_cell(t, "%s", l1);
}

static void scopes(const struct ct_profile *p, struct ct_buf *b)
{
	static const unsigned char rank[] = {0, 0, 4, 3, 0, 5, 1, 0, 2, 6};
	struct ct_table t = {.columns = 10, .style = ct_terminal_style(), .rank = rank};
	const char *scope, *method;
	/* by size: from a sixteenth to sixteen times the size in force */
	static const char *const heads[] = {
		"scope",           "L1 sector misses",   "L1 by size",
		"L1 sector MPKI",  "LLC sector misses",  "LLC by size",
		"LLC sector MPKI", "cycles with launch", "IPC with launch",
		"method"};
	for (int i = 0; i < 10; i++)
		ct_table_cell(&t, "%s", heads[i]);
	for (size_t i = 0; (scope = ct_profile_scope(p, i)); i++) {
		double cycles = sn(p, scope, "cycles");
		if (!(method = ct_profile_method(p, scope, "l1_miss_rate")))
			continue;
		ct_kernel_scope_cell(&t, scope);
		ct_table_percent(&t, sn(p, scope, "l1_miss_rate"));
		ct_curve_cell(&t, p, scope, "l1");
		ct_table_real(&t, sn(p, scope, "l1_mpki"));
		ct_table_percent(&t, sn(p, scope, "llc_miss_rate"));
		ct_curve_cell(&t, p, scope, "llc");
		ct_table_real(&t, sn(p, scope, "llc_mpki"));
		if (!(cycles >= 0 && cycles < 0x1p63)) /* also of a profile edited by hand */
			ct_table_cell(&t, "-");
		else
			ct_table_count(&t, (uint64_t)cycles);
		ct_table_real(&t, sn(p, scope, "ipc"));
		method_cell(&t, p, scope, method);
	}
	ct_table_render(&t, b);
}

/* The share of the time that requests wait for the part that they wait for longest. */
static double longest_wait(const struct ct_cause_part part[CT_CAUSE_PARTS])
{
	double most = NAN;
	for (int k = 0; k < CT_CAUSE_PARTS; k++)
		most = fmax(most, part[k].awaited);
	return most;
}

/* What each part of the GPU does, as the replay has counted it, and which limits. */
static void print_limits(const struct ct_profile *p, struct ct_buf *b)
{
	static const unsigned char rank[3 + CT_CAUSE_PARTS] = {0, 1, 2, 4, 4, 3, 3, 4, 1, 2, 0};
	struct ct_table t = {.columns = 3 + CT_CAUSE_PARTS, .style = ct_terminal_style(), .rank = rank};
	struct ct_cause_part part[CT_CAUSE_PARTS];
	const char *scope;
	for (size_t i = 0; (scope = ct_profile_scope(p, i)); i++) {
		char limit[CT_KERNEL_LIMIT];
		int known = ct_cause_busy(p, scope, part);
		if (known > 0 && !t.count) {
			ct_table_cell(&t, "scope");
			for (int k = 0; k < CT_CAUSE_PARTS; k++)
				ct_table_cell(&t, "%s", part[k].name);
			ct_table_cell(&t, "requests wait");
			ct_table_cell(&t, "limited by");
		}
		b->failed |= known < 0;
		if (known <= 0)
			continue;
		ct_kernel_scope_cell(&t, scope);
		for (int k = 0; k < CT_CAUSE_PARTS; k++)
			ct_table_percent(&t, part[k].busy);
		ct_table_percent(&t, longest_wait(part));
		b->failed |= ct_kernel_limit(p, scope, limit, sizeof limit) < 0;
		char *busy = strstr(limit, " (");
		ct_table_cell(&t, "%.*s", busy ? (int)(busy - limit) : CT_KERNEL_LIMIT, limit);
	}
	if (t.count)
		ct_buf_puts(b, "\nHow busy each part is, of the cycles without launches\n");
	ct_table_render(&t, b);
}

/* Launches of a name together, the longest first, and what limits each; of one kernel the scopes tell all. */
static void print_kernels(const struct ct_profile *p, struct ct_buf *b)
{
	enum { SHOWN = 20 };
	static const char *const heads[] = {"kernel", "first launch", "launches", "cycles",
	                                    "share",  "L1 misses",    "LLC MPKI", "limited by"};
	static const unsigned char rank[] = {0, 0, 3, 2, 0, 1, 1, 0};
	struct ct_table t = {.columns = 8, .style = ct_terminal_style(), .rank = rank};
	struct ct_kernel_rank *k;
	size_t n;
	if (ct_kernels_rank(p, &k, &n) < 0) {
		b->failed = 1;
		return;
	}
	ct_table_heads(&t, heads);
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		char limit[CT_KERNEL_LIMIT];
		b->failed |= ct_kernel_limit(p, k[i].scope, limit, sizeof limit) < 0;
		ct_table_name(&t, k[i].name);
		ct_table_cell(&t, "%s", k[i].first);
		ct_table_count(&t, k[i].launches);
		ct_table_count(&t, (uint64_t)k[i].cycles);
		ct_table_percent(&t, k[i].share);
		ct_table_percent(&t, k[i].l1_miss_rate);
		ct_table_real(&t, k[i].llc_mpki);
		ct_table_cell(&t, "%s", limit);
	}
	if (n > 1) {
		ct_buf_puts(b, "\nKernels by their cycles without launch\n");
		ct_table_render(&t, b);
		if (n > SHOWN)
			ct_buf_printf(b, "%zu more: annotate --by kernel -n 0 lists all\n", n - SHOWN);
	} else {
		ct_buf_free(&t.cells);
	}
	ct_kernels_free(k, n);
}

static void print_curve(const struct ct_profile *p, const char *level, const char *title,
                        struct ct_buf *b)
{
	const char *key[2] = {"all", level};
	const struct ct_record *r = ct_profile_find(p, "MR", 2, key);
	struct ct_table t = {.columns = 3, .style = ct_terminal_style()};
	if (!r)
		return;
	ct_buf_printf(b, "\n%s\n", title);
	ct_table_cell(&t, "capacity");
	ct_table_cell(&t, "sector misses");
	ct_table_cell(&t, "%s", "");
	for (; r; r = ct_profile_same(r)) {
		uint64_t bytes;
		double v;
		if (!ct_field_count(r->field[2], &bytes))
			continue;
		if (!ct_field_real(r->field[3], &v))
			v = NAN;
		ct_table_size(&t, bytes);
		ct_table_percent(&t, v);
		ct_table_bar(&t, v, 40);
	}
	ct_table_render(&t, b);
}

static int table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	struct own *o = t->own;
	(void)e;
	head(&o->stage, b);
	scopes(p, b);
	print_limits(p, b);
	print_kernels(p, b);
	if (t->check)
		mpki_check_print(&o->check, b);
	if (o->explain)
		mpki_explain_print(p, b);
	if (o->phases.every)
		mpki_phases_print(p, b);
	if (o->mechanisms)
		mpki_phase_verdicts_print(p, b);
	print_curve(
		p, "l1",
		"L1 of each SM by capacity (all kernels, sectors; the capacity in force as replayed)",
		b);
	print_curve(p, "llc",
	            "LLC by capacity (all kernels, sectors; the capacity in force as replayed)", b);
	return ct_buf_check(b, e);
}

static int compute(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	double v;
	ct_stage_forget(&o->stage, NULL);
	int st = t->check ? mpki_check(t, &o->stage, &o->check, e) : ct_stage_retarget(t, &o->stage, e);
	if (st == CT_OK && !ct_profile_method(o->stage.p, "all", "l1_miss_rate") &&
	    !ct_profile_get(o->stage.p, "all", "cycles", &v))
		return ct_fail(e, CT_ERR_INPUT, "the profile has no miss rates: make it with reuse");
	if (st == CT_OK && t->method == CT_METHOD_ANALYTIC)
		st = mpki_replace_by_analytic(&o->stage, e);
	if (st == CT_OK && o->explain)
		st = mpki_explain(t, &o->stage, e);
	if (st == CT_OK && o->mechanisms)
		st = mpki_phase_verdicts(t, &o->stage, o->mechanisms, e);
	return st == CT_OK ? curves(o, e) : st;
}

/* Adds what --every measures to the pass. */
static int prepare_phases(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	if (o->phases.events && !o->phases.every)
		return ct_fail(e, CT_ERR_USAGE, "--trace-events writes intervals: give --every, too");
	if (o->mechanisms && !o->phases.every)
		return ct_fail(e, CT_ERR_USAGE, "--mechanism judges phases: give --every, too");
	if (o->mechanisms && t->timing != CT_REPLAY_FULL)
		return ct_fail(e, CT_ERR_USAGE,
		               "--mechanism replays in full timing: leave --timing quick out");
	if (!o->phases.every)
		return CT_OK;
	if (t->sample_kernels != 1)
		return ct_fail(e, CT_ERR_USAGE,
		               "--sample-kernels leaves launches out: not with --every");
	o->phases.json = &o->events;
	o->observer = mpki_phases_observer;
	o->observer.ctx = &o->phases;
	o->observers[0] = &o->observer;
	o->pass.observers = o->observers;
	o->pass.n_observers = 1;
	return CT_OK;
}

/* A profile is replayed again for its phases. */
static int follow_phases(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_profile *again;
	if (!o->phases.every || o->stage.from_trace || o->stage.replayed)
		return CT_OK;
	int st = ct_stage_replay(t, &o->stage, "--every", &again, e);
	if (st == CT_OK)
		ct_stage_take(&o->stage, again);
	return st;
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	if (o->explain && t->timing != CT_REPLAY_FULL)
		return ct_fail(e, CT_ERR_USAGE,
		               "--explain switches effects of the full timing off: leave "
		               "--timing quick out");
	ct_tool_pass_only(t, &o->pass, 1u << CT_PASS_L1 | 1u << CT_PASS_LLC);
	int st = prepare_phases(t, e);
	if (st == CT_OK)
		st = ct_stage_open_pass(t, &o->stage, &o->pass, e);
	if (st == CT_OK) {
		st = follow_phases(t, e);
		if (st == CT_OK)
			st = compute(t, e);
		if (st == CT_OK)
			st = ct_stage_emit(t, &o->stage, table, e);
		if (st >= 0 && o->phases.events) { /* last: what fails before leaves no file */
			int written = ct_tool_write_text(o->phases.events, &o->events, e);
			st = written == CT_OK ? st : written;
		}
		ct_stage_close(&o->stage);
	}
	mpki_check_free(&o->check);
	ct_buf_free(&o->events);
	free(o->l1.size);
	free(o->llc.size);
	return st;
}

/* What --help ends with. */
static const char guide[] =
	"Columns of its table:\n"
	"  sector misses            share of the 32-byte sectors read that were not there\n"
	"  L1, LLC by size          the same over cache sizes, from the smallest to the\n"
	"                           largest of the curve below\n"
	"  sector MPKI              such misses per 1000 thread instructions\n"
	"  cycles, IPC with launch  launch overhead of each kernel included\n"
	"\n"
	"Examples:\n"
	"  mpki TRACE                        replay a trace and draw its curves\n"
	"  reuse TRACE | mpki                the same from a profile\n"
	"  mpki --explain -O table TRACE     why accesses miss, what the cycles go to\n";

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "mpki",
		.operands = "[INPUT]",
		.summary = "miss rates, misses per 1000 instructions and miss-ratio curves",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                 CT_TAKES_METHOD | CT_TAKES_REPLAY | CT_TAKES_SAMPLE | CT_TAKES_KERNELS |
	                 CT_TAKES_SEED | CT_TAKES_PROFILE | CT_TAKES_BOTH,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.guide = guide,
		.run = run,
	};
	return ct_tool_main(&spec, argc, argv);
}

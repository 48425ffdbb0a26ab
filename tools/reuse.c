/* reuse - one pass over a trace makes the profile that everything else asks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/units.h"
#include "common/pass.h"
#include "common/question.h"
#include "common/terminal.h"
#include "common/tool.h"
#include "models/registry.h"

enum {
	OPT_PER_KERNEL = CT_OWN_OPTION,
	OPT_NO_SMS_VIEWS,
	OPT_MRC,
	OPT_MECHANISMS,
	OPT_ANNOTATE,
	OPT_SYMBOLS,
	OPT_MERGE
};

struct own {
	struct ct_tool_pass pass;
	uint32_t mechanisms; /* that the pass measures: a bit each, as of ct_mechanism_at() */
	int merge;
};

static const struct ct_option options[] = {
	{OPT_PER_KERNEL, "per-kernel", NULL, "also print every launch (scope kernel:N)"},
	{OPT_NO_SMS_VIEWS, "no-sms-views", NULL,
         "leave out llc@sms=N (the pass is faster, and what\nfewer SMs do is not estimated)"},
	{OPT_MRC, "mrc", NULL,
         "also print miss-ratio curves (MR): LRU, with sets, with\nslices, and the LLC behind filtering L1s"},
	{OPT_MECHANISMS, "mechanisms", "LIST",
         "also measure these mechanisms (ES): all, or names\nbetween commas; in the same pass, or in another one\nwhere their own order of accesses decides"},
	{OPT_ANNOTATE, "annotate", NULL,
         "also print what each instruction and each array costs\n(PC, AR): see annotate"},
	{OPT_SYMBOLS, "symbols", "FILE",
         "with --annotate: names of arrays, as lines of first\naddress, bytes and name"},
	{OPT_MERGE, "merge", NULL, "merge the profiles named instead of reading a trace"},
};

/* Those of a list that a pass can measure. Whose estimate needs the histograms only is left out of "all", and an error
 * where it is named. */
static int parse_mechanisms(const char *list, uint32_t *mask, struct ct_error *e)
{
	const struct ct_mechanism *m;
	uint32_t all;
	int st = ct_mechanisms_parse("--mechanisms", "all", &all, e);
	if (st == CT_OK)
		st = ct_mechanisms_parse("--mechanisms", list, mask, e);
	for (unsigned i = 0; st == CT_OK && (m = ct_mechanism_at(i)); i++) {
		if (m->observer || !(*mask >> i & 1))
			continue;
		if (*mask != all)
			return ct_fail(
				e, CT_ERR_USAGE,
				"--mechanisms %s: %s is estimated from the profile as it is: leave it out, "
				"and run %s",
				list, m->name, m->command);
		all &= ~(UINT32_C(1) << i);
		*mask = all;
	}
	return st;
}

static int on_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct ct_tool *t = ctx;
	struct own *o = t->own;
	if (key == OPT_MECHANISMS)
		return parse_mechanisms(value, &o->mechanisms, e);
	if (key == OPT_PER_KERNEL)
		o->pass.per_kernel = 1;
	else if (key == OPT_NO_SMS_VIEWS)
		o->pass.without |= 1u << CT_PASS_LLC_SMS;
	else if (key == OPT_MRC)
		o->pass.mrc = 1;
	else if (key == OPT_ANNOTATE)
		o->pass.annotate = 1;
	else if (key == OPT_SYMBOLS)
		o->pass.symbols = value;
	else
		o->merge = 1;
	return CT_OK;
}

static double sn(const struct ct_profile *p, const char *metric)
{
	double v;
	return ct_profile_get(p, "all", metric, &v) ? v : NAN;
}

static void print_head(const struct ct_profile *p, struct ct_buf *b)
{
	const struct ct_record *r;
	size_t i = 0, kernels = 0;
	char l1[32] = "?", slice[32] = "?";
	uint64_t v;
	while ((r = ct_profile_next(p, "TR", &i)))
		ct_buf_printf(b, "trace    %s (%s, %s bytes)\n", r->field[0], r->field[1], r->field[2]);
	const char *sms = ct_profile_gp(p, "sm.count"), *name = ct_profile_gp(p, "name");
	const char *size = ct_profile_gp(p, "l1.size"), *llc = ct_profile_gp(p, "llc.size");
	if (size && ct_parse_size(size, &v) == 0)
		ct_format_size(v, l1, sizeof l1);
	if (llc && ct_parse_size(llc, &v) == 0)
		ct_format_size(v, slice, sizeof slice);
	ct_buf_printf(b, "GPU      %s: %s SMs, L1 up to %s each, LLC %s\n", name ? name : "?",
	              sms ? sms : "?", l1, slice);
	for (i = 0; ct_profile_next(p, "KN", &i);)
		kernels++;
	ct_buf_printf(b, "kernels  %zu launches\n\n", kernels);
}

static void print_summary(const struct ct_profile *p, struct ct_buf *b)
{
	static const char *const names[] = {
		"warp instructions", "cycles with launch", "IPC with launch",  "L1 sector misses",
		"LLC sector misses", "LLC sector MPKI",    "replication ratio"};
	static const char *const metric[] = {
		"warp_insts", "cycles",           "ipc", "l1_miss_rate", "llc_miss_rate",
		"llc_mpki",   "replication_ratio"};
	struct ct_table t = {.columns = 2, .style = ct_terminal_style()};
	ct_table_cell(&t, "metric");
	ct_table_cell(&t, "value");
	for (int i = 0; i < 7; i++) {
		double v = sn(p, metric[i]);
		ct_table_cell(&t, "%s", names[i]);
		if (isnan(v))
			ct_table_cell(&t, "-");
		else if (i < 2)
			ct_table_count(&t, (uint64_t)v);
		else if (i == 2 || i == 5)
			ct_table_real(&t, v);
		else
			ct_table_percent(&t, v);
	}
	ct_table_render(&t, b);
}

/* Accesses by distance, a row per factor of four, with a bar for the eye. */
static void print_histogram(const struct ct_hist *h, struct ct_buf *b)
{
	const double total = (double)ct_hist_total(h);
	double below = 0;
	struct ct_table t = {.columns = 4, .style = ct_terminal_style()};
	if (total == 0)
		return;
	ct_table_cell(&t, "distance (lines)");
	ct_table_cell(&t, "share");
	ct_table_cell(&t, "hits up to here");
	ct_table_cell(&t, "%s", "");
	for (double hi = 1; below < total - (double)h->cold && hi < 1e18; hi *= 4) {
		double hits = ct_hist_hits(h, hi), share = (hits - below) / total;
		ct_table_cell(&t, "< %.0f", hi);
		ct_table_percent(&t, share);
		ct_table_percent(&t, hits / total);
		ct_table_bar(&t, share, 40);
		below = hits;
	}
	double cold = (double)h->cold / total;
	ct_table_cell(&t, "first touch");
	ct_table_percent(&t, cold);
	ct_table_cell(&t, "-");
	ct_table_bar(&t, cold, 40);
	ct_table_render(&t, b);
}

/* What --sample costs in accuracy. */
static void print_sampling(const struct ct_profile *p, struct ct_buf *b)
{
	const struct ct_record *r;
	size_t i = 0;
	struct ct_table t = {.columns = 4, .style = ct_terminal_style()};
	if (!ct_profile_next(p, "RE", &i))
		return;
	ct_buf_puts(
		b,
		"\nSampled: ratios by capacity (of misses, or of replication) are off by no more than this (95 %)\n");
	ct_table_cell(&t, "view");
	ct_table_cell(&t, "rate");
	ct_table_cell(&t, "on average");
	ct_table_cell(&t, "at the worst capacity");
	for (i = 0; (r = ct_profile_next(p, "RE", &i));) {
		ct_table_cell(&t, "%s", r->field[1]);
		ct_table_cell(&t, "%s", r->field[2]);
		for (int k = 3; k < 5; k++) {
			double v;
			ct_table_percent(&t, ct_field_real(r->field[k], &v) ? v : NAN);
		}
	}
	ct_table_render(&t, b);
}

/* One curve of --mrc, with its interval where it was sampled. */
static void print_curve(const struct ct_profile *p, const char *level, const char *title,
                        struct ct_buf *b)
{
	const char *key[2] = {"all", level};
	const struct ct_record *r = ct_profile_find(p, "MR", 2, key);
	const struct ct_record *me = ct_profile_find(p, "ME", 2, key);
	struct ct_table t = {.columns = me ? 4 : 2, .style = ct_terminal_style()};
	uint64_t bytes;
	double v;
	if (!r)
		return;
	ct_buf_printf(b, "\n%s\n", title);
	ct_table_cell(&t, "capacity");
	ct_table_cell(&t, "miss ratio");
	for (int k = 2; k < (int)t.columns; k++)
		ct_table_cell(&t, "%s", k == 2 ? "at least" : "at most");
	for (; r; r = ct_profile_same(r), me = me ? ct_profile_same(me) : NULL) {
		ct_table_size(&t, ct_field_count(r->field[2], &bytes) ? bytes : 0);
		ct_table_percent(&t, ct_field_real(r->field[3], &v) ? v : NAN);
		for (int k = 3; k < (int)t.columns + 1; k++)
			ct_table_percent(&t, me && ct_field_real(me->field[k], &v) ? v : NAN);
	}
	ct_table_render(&t, b);
}

static int print_table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                       struct ct_error *e)
{
	static const char *const view[] = {"l1", "llc"};
	static const char *const title[] = {
		"Reuse distances of reads in each SM's L1", "Reuse distances of reads at the LLC"};
	(void)t;
	print_head(p, b);
	print_summary(p, b);
	for (int i = 0; i < 2; i++) {
		struct ct_hist h;
		memset(&h, 0, sizeof h);
		if (!ct_profile_get_hist(p, "all", view[i], &h, NULL))
			continue;
		ct_buf_printf(b, "\n%s\n", title[i]);
		print_histogram(&h, b);
	}
	print_sampling(p, b);
	print_curve(p, "l1@assoc", "L1 of each SM by capacity (lines, sets as configured)", b);
	print_curve(p, "llc@slices", "LLC by capacity (lines, sets and slices as configured)", b);
	ct_buf_printf(b, "\nNext: pipe the profile into replicate, mpki or %s.\n",
	              ct_mechanism_at(0)->command);
	return ct_buf_check(b, e);
}

/* Options of a pass that merging does not make: NULL, or the first that was given. */
static const char *pass_option(const struct ct_tool *t)
{
	const struct own *own = t->own;
	const struct ct_tool_pass *o = &own->pass;
	return t->gpu_name                   ? "-g"
	       : t->n_set                    ? "-p"
	       : t->scale != 0               ? "--scale"
	       : t->filter                   ? "-k"
	       : t->warmup                   ? "--warmup"
	       : t->sample != 1              ? "-S"
	       : t->sample_kernels != 1      ? "--sample-kernels"
	       : t->pattern_text             ? "--pattern"
	       : own->mechanisms             ? "--mechanisms"
	       : o->mrc                      ? "--mrc"
	       : o->annotate                 ? "--annotate"
	       : o->per_kernel               ? "--per-kernel"
	       : t->timing != CT_REPLAY_FULL ? "--timing"
	                                     : NULL;
}

static int same_trace(const struct ct_profile *a, const struct ct_profile *b)
{
	enum { DIGEST = 3 };
	const struct ct_record *x, *y;
	for (size_t i = 0; (x = ct_profile_next(a, "TR", &i));)
		for (size_t k = 0; (y = ct_profile_next(b, "TR", &k));)
			if (strcmp(x->field[DIGEST], y->field[DIGEST]) == 0)
				return 1;
	return 0;
}

/* A launch that both count, or NULL: parts of a trace have none in common. */
static const struct ct_record *same_launch(const struct ct_profile *a, const struct ct_profile *b)
{
	enum { NAME = 1, WARP_INSTS = 5 };
	const struct ct_record *x, *y;
	for (size_t i = 0; same_trace(a, b) && (x = ct_profile_next(a, "KN", &i));)
		if ((y = ct_profile_find(b, "KN", 1, x->field)) &&
		    strcmp(x->field[NAME], y->field[NAME]) == 0 &&
		    strcmp(x->field[WARP_INSTS], y->field[WARP_INSTS]) == 0)
			return x;
	return NULL;
}

static void tell_doubles(struct ct_tool *t, struct ct_profile *const *in, int n)
{
	struct ct_diag d = ct_tool_diag(t);
	const struct ct_record *r;
	for (int i = 1; i < n; i++)
		for (int k = 0; k < i; k++)
			if ((r = same_launch(in[k], in[i]))) {
				ct_warn(&d,
				        "%s counts launches of a trace that %s has counted, such as number %.20s: they are "
				        "counted twice",
				        t->operand[i], t->operand[k], r->field[0]);
				break;
			}
}

static int merge_profiles(struct ct_tool *t, struct ct_error *e)
{
	struct ct_profile *in[256] = {0}, *out = NULL;
	int n = 0, st = CT_OK;
	const char *of_pass = pass_option(t);
	if (of_pass)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s is for the pass over a trace: leave it out of --merge", of_pass);
	if (t->operands == 0 || t->operands > 256)
		return ct_fail(e, CT_ERR_USAGE, "--merge: name 1 to 256 profiles");
	for (; n < t->operands && st == CT_OK; n++) {
		struct ct_input input;
		st = ct_tool_open_input(t, n, &input, e);
		if (st == CT_OK && !input.profile) {
			st = ct_fail(e, CT_ERR_USAGE, "%s: --merge takes profiles, this is a trace",
			             t->operand[n]);
			ct_input_close(&input);
			break;
		}
		in[n] = input.profile;
	}
	if (st == CT_OK) {
		tell_doubles(t, in, n);
		st = t->warnings.failed ? ct_fail_nomem(e) : ct_profile_merge(&out, in, (size_t)n, e);
	}
	if (st == CT_OK)
		st = ct_tool_provenance(t, out, e);
	if (st == CT_OK)
		st = ct_tool_emit(t, out, print_table, e);
	if (st == CT_OK)
		st = ct_tool_truncated(t, out);
	ct_profile_free(out);
	for (int i = 0; i < n; i++)
		ct_profile_free(in[i]);
	return st;
}

/* Makes the pass, with the observers of the mechanisms that were asked for. */
static int make_pass(struct ct_tool *t, struct ct_trace *trace, struct ct_profile *p, struct ct_error *e)
{
	const struct own *o = t->own;
	struct ct_tool_pass pass = o->pass;
	const struct ct_pass_observer *observer[CT_MECHANISMS_MAX];
	struct ct_question *q = ct_calloc(CT_MECHANISMS_MAX, sizeof *q);
	int st = q ? ct_tool_check_keys(t, o->mechanisms, e) : ct_fail_nomem(e);
	pass.observers = observer;
	for (unsigned i = 0; st == CT_OK && ct_mechanism_at(i); i++)
		if (o->mechanisms >> i & 1) {
			st = ct_question_open(&q[i], t, ct_mechanism_at(i), e);
			observer[pass.n_observers++] = &q[i].observer;
		}
	if (st == CT_OK)
		st = ct_tool_pass_run(t, trace, NULL, &pass, p, e);
	for (unsigned i = 0; q && i < CT_MECHANISMS_MAX; i++)
		ct_question_close(&q[i]);
	free(q);
	return st;
}

static int run_reuse(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_input in;
	struct ct_profile *p;
	if (o->merge)
		return merge_profiles(t, e);
	if (t->operands > 1)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s: one trace at a time: profile each, then join them with --merge",
		               t->operand[1]);
	int st = ct_tool_open_input(t, 0, &in, e);
	if (st != CT_OK)
		return st;
	p = ct_tool_profile(e);
	if (in.profile)
		st = ct_fail(
			e, CT_ERR_USAGE,
			"the input is a profile already: pipe it into replicate, mpki or an estimator");
	else
		st = p ? ct_tool_provenance(t, p, e) : CT_ERR_NOMEM;
	int truncated = 0;
	if (st == CT_OK)
		st = make_pass(t, in.trace, p, e);
	if (st > 0)
		truncated = st;
	if (st >= 0)
		st = ct_tool_emit(t, p, print_table, e);
	ct_profile_free(p);
	ct_input_close(&in);
	return st < 0 ? st : truncated;
}

/* What --help ends with. */
static const char guide[] =
	"Columns of its table:\n"
	"  L1, LLC sector misses    share of the 32-byte sectors read that were not there\n"
	"  LLC sector MPKI          such misses per 1000 thread instructions\n"
	"  distance (lines)         distinct lines touched since the last use of a line\n"
	"  hits up to here          reads that a fully associative cache of that many\n"
	"                           lines would serve\n"
	"\n"
	"Examples:\n"
	"  reuse TRACE >w.profile            measure a trace once, keep the profile\n"
	"  reuse TRACE | triage              and judge every mechanism from it\n"
	"  reuse -g v100 -k gemm TRACE       one kernel on another GPU\n";

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "reuse",
		.operands = "[INPUT]",
		.summary = "reuse-distance profile of a GPU trace",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                 CT_TAKES_REPLAY | CT_TAKES_SAMPLE | CT_TAKES_KERNELS | CT_TAKES_SEED |
	                 CT_TAKES_PROFILE,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.guide = guide,
		.run = run_reuse,
		.reads_mechanisms = 1,
	};
	return ct_tool_main(&spec, argc, argv);
}

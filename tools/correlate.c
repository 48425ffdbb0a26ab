/* correlate - what a replay predicts beside what a profiler counted on a real GPU. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/units.h"
#include "base/utf8.h"
#include "common/board.h"
#include "common/stage.h"
#include "correlate/compare.h"
#include "correlate/show.h"

enum { OPT_WITHIN = CT_OWN_OPTION, OPT_PER_KERNEL, OPT_TIMING, OPT_CLOCK, OPT_CACHE, OPT_HTML, OPT_SVG };

enum clock_control { CLOCK_NONE, CLOCK_LOCKED };
enum cache_control { CACHE_ASIS, CACHE_ALL, CACHE_NONE };

struct own {
	double within[COR_METRICS_MAX]; /* 0: not asked for */
	int per_kernel;
	enum clock_control clock;
	enum cache_control cache;
	const char *html, *svg;
	struct ct_tool_pass pass;
	struct ct_stage stage;
	struct ct_counters **file;
	size_t n_files;
	char set[5][48]; /* assignments of keys that these make */
	size_t n_set;
	struct cor_comparison c;
};

static const struct ct_option options[] = {
	{OPT_WITHIN, "within", "[METRIC=]SHARE",
         "exit with 1 where the mean error of the program's\nkernels is larger: 20% or 0.2 (metric: cycles)"},
	{OPT_PER_KERNEL, "per-kernel", NULL, "also print every launch (scope kernel:N)"},
	{OPT_TIMING, "timing", "full|quick",
         "how a trace is replayed: full, or quick, in which\nwarps run ahead: 1.2 to 1.5 times as fast"},
	{OPT_CLOCK, "clock-control", "none|base|boost",
         "how the profiler set the clocks: base and boost held\nthem, and the replay takes the clock that the file tells"},
	{OPT_CACHE, "cache-control", "all|none",
         "how the profiler left the caches: all emptied them before\neach launch, as ncu does unless told not to"},
	{OPT_HTML, "html", "FILE", "write a page with scatter plots there"},
	{OPT_SVG, "svg", "FILE", "write the scatter plots alone there"},
};

/* ---- options ---- */

static int find_metric(const char *name, size_t len, size_t *metric, struct ct_error *e)
{
	const char *names[COR_METRICS_MAX];
	char text[64];
	snprintf(text, sizeof text, "%.*s", len < 60 ? (int)len : 60, name);
	for (*metric = 0; *metric < cor_metrics(); ++*metric) {
		names[*metric] = cor_metric_at(*metric)->name;
		if (strcmp(names[*metric], text) == 0)
			return CT_OK;
	}
	int near = ct_closest_name(text, names, cor_metrics());
	return ct_fail(e, CT_ERR_USAGE,
	               "--within %s: no metric of that name is compared: did you mean %s?", text,
	               names[near < 0 ? 0 : near]);
}

/* [METRIC=]20% or [METRIC=]0.2 */
static int parse_within(struct own *o, const char *value, struct ct_error *e)
{
	const char *number = strrchr(value, '=');
	size_t metric;
	double v;
	int st = number ? find_metric(value, (size_t)(number - value), &metric, e)
	                : find_metric("cycles", 6, &metric, e);
	if (st != CT_OK)
		return st;
	number = number ? number + 1 : value;
	if (ct_parse_share(number, &v) < 0 || !(v > 0))
		return ct_fail(e, CT_ERR_USAGE,
		               "--within %s: want a share above 0, as in cycles=20%% or 0.2", value);
	if (v > 1 && !strchr(number, '%'))
		return ct_fail(e, CT_ERR_USAGE,
		               "--within %s: that is %.0f %%: write %s%% or a share of at most 1", value,
		               100 * v, number);
	o->within[metric] = v;
	return CT_OK;
}

static int parse_clock(struct own *o, const char *value, struct ct_error *e)
{
	if (strcmp(value, "none") == 0)
		o->clock = CLOCK_NONE;
	else if (strcmp(value, "base") == 0 || strcmp(value, "boost") == 0)
		o->clock = CLOCK_LOCKED;
	else
		return ct_fail(e, CT_ERR_USAGE, "--clock-control %s: want none, base or boost", value);
	return CT_OK;
}

static int parse_caches(struct own *o, const char *value, struct ct_error *e)
{
	if (strcmp(value, "all") != 0 && strcmp(value, "none") != 0)
		return ct_fail(e, CT_ERR_USAGE, "--cache-control %s: want all or none", value);
	o->cache = strcmp(value, "all") == 0 ? CACHE_ALL : CACHE_NONE;
	return CT_OK;
}

static int on_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct own *o = ((struct ct_tool *)ctx)->own;
	switch (key) {
	case OPT_WITHIN: return parse_within(o, value, e);
	case OPT_TIMING: return ct_pass_timing_parse(value, &((struct ct_tool *)ctx)->timing, e);
	case OPT_CLOCK: return parse_clock(o, value, e);
	case OPT_CACHE: return parse_caches(o, value, e);
	case OPT_HTML: o->html = value; return CT_OK;
	case OPT_SVG: o->svg = value; return CT_OK;
	default: o->per_kernel = 1; return CT_OK;
	}
}

/* ---- what was measured ---- */

static void tell_oddities(struct ct_tool *t, const char *path, const struct ct_counters *c)
{
	const struct ct_counter_oddities *odd = ct_counters_oddities(c);
	struct ct_diag d = ct_tool_diag(t);
	if (odd->outside)
		ct_warn(&d,
		        "%s: %" PRIu64
		        " rates lie beyond 0 to 100 %%: their counters come from different passes",
		        path, odd->outside);
	if (odd->torn)
		ct_warn(&d,
		        "%s: hits and misses of %" PRIu64
		        " launches differ by over 2 %% from their accesses, "
		        "which come from another pass",
		        path, odd->torn);
	if (odd->repeated)
		ct_warn(&d,
		        "%s: %" PRIu64
		        " values are given twice and differ by over 2 %%: the first one counts",
		        path, odd->repeated);
}

static int read_files(struct ct_tool *t, struct own *o, struct ct_error *e)
{
	int st = CT_OK;
	o->file = ct_calloc((size_t)t->operands, sizeof *o->file);
	if (!o->file)
		return ct_fail_nomem(e);
	for (int i = 1; i < t->operands && st == CT_OK; i++) {
		struct ct_source *s;
		const struct ct_source_options so = {.max_expand = t->max_expand};
		st = ct_source_open(&s, t->operand[i], &so, e);
		if (st != CT_OK)
			break;
		st = ct_counters_read(&o->file[o->n_files], s, e);
		ct_source_close(s);
		if (st == CT_OK)
			tell_oddities(t, t->operand[i], o->file[o->n_files++]);
	}
	return st;
}

static int by_value(const void *x, const void *y)
{
	const double *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

/* Sets a key as if it stood in front of all -p, which go over it. */
static int assign(struct ct_tool *t, struct own *o, const char *key, const char *value,
                  struct ct_error *e)
{
	char *text = o->set[o->n_set++];
	snprintf(text, sizeof o->set[0], "%s=%s", key, value);
	if (ct_grow((void **)&t->set, &t->cap_set, t->n_set + 1, sizeof *t->set) != 0)
		return ct_fail_nomem(e);
	memmove(t->set + 1, t->set, t->n_set++ * sizeof *t->set);
	t->set[0] = text;
	return CT_OK;
}

/* What the profiler did to the caches, as keys of the GPU. L1s that a GPU empties at every kernel stay so. */
static int take_caches(struct ct_tool *t, struct own *o, struct ct_error *e)
{
	int st = CT_OK;
	if (o->cache == CACHE_ALL)
		st = assign(t, o, "l1.flush", "on", e);
	if (st == CT_OK && o->cache != CACHE_ASIS)
		st = assign(t, o, "llc.flush", o->cache == CACHE_ALL ? "on" : "off", e);
	return st;
}

/* The most usual reason of another traffic than the board's. */
static void tell_caches(struct ct_tool *t, const struct own *o)
{
	struct ct_diag d = ct_tool_diag(t);
	if (o->cache == CACHE_ASIS && !o->stage.gpu.llc_flush && o->c.n_launches > 1 &&
	    strncmp(ct_counters_form(o->file[0]), "ncu", 3) == 0)
		ct_warn(&d,
		        "ncu empties the caches before each launch unless told not to, and the LLC was replayed "
		        "warm: say which it was with --cache-control");
}

/* The clock that a launch ran at: as the file tells it, or its cycles over its time. MHz, or NaN. */
static double clock_of(const double *v)
{
	return isnan(v[CT_COUNTER_CLOCK]) ? v[CT_COUNTER_CYCLES] * 1000 / v[CT_COUNTER_DURATION]
	                                  : v[CT_COUNTER_CLOCK];
}

/* Puts the median of the launches' clocks where -p puts its values. */
static int take_clock(struct ct_tool *t, struct own *o, struct ct_error *e)
{
	static const char *const keys[] = {"clock.core", "clock.noc", "clock.llc"};
	size_t n = 0, all = 0;
	for (size_t f = 0; f < o->n_files; f++)
		all += ct_counters_count(o->file[f]);
	double *mhz = ct_calloc(all, sizeof *mhz);
	if (!mhz)
		return ct_fail_nomem(e);
	for (size_t f = 0; f < o->n_files; f++)
		for (size_t i = 0; i < ct_counters_count(o->file[f]); i++) {
			mhz[n] = clock_of(ct_counters_at(o->file[f], i)->value);
			n += mhz[n] > 0 && isfinite(mhz[n]);
		}
	qsort(mhz, n, sizeof *mhz, by_value);
	const double median = n ? mhz[n / 2] : 0, low = n ? mhz[n / 10] : 0,
		     high = n ? mhz[n - 1 - n / 10] : 0;
	free(mhz);
	if (n == 0)
		return ct_fail(
			e, CT_ERR_INPUT,
			"--clock-control: the file tells no clock, nor cycles and time: profile "
			"gpc__cycles_elapsed.max and gpu__time_duration.sum, or give -p clock.core=");
	if (high > 1.02 * low) {
		struct ct_diag d = ct_tool_diag(t);
		ct_warn(&d, "the clocks of launches lie between %.0f and %.0f MHz: they were not held",
		        low, high);
	}
	for (int i = 0; i < 3; i++) {
		char text[32];
		snprintf(text, sizeof text, "%.6gMHz", median);
		int st = assign(t, o, keys[i], text, e);
		if (st != CT_OK)
			return st;
	}
	return CT_OK;
}

/* ---- what comes out ---- */

static const char *program_name(const struct ct_profile *p)
{
	size_t i = 0;
	const struct ct_record *r = ct_profile_next(p, "TR", &i);
	return r ? r->field[0] : "program";
}

static void fill_show(const struct own *o, struct cor_show *s)
{
	const char *gpu = ct_profile_gp(o->stage.p, "name");
	*s = (struct cor_show){.c = &o->c,
	                       .program = program_name(o->stage.p),
	                       .gpu = gpu ? gpu : "?",
	                       .per_kernel = o->per_kernel};
	memcpy(s->within, o->within, sizeof s->within);
}

static int table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	struct cor_show s;
	fill_show(t->own, &s);
	ct_board_intervals(p, b);
	cor_table(&s, b);
	return ct_buf_check(b, e);
}

/* The outputs of one call: all of them, or none. */
struct outputs {
	struct ct_out *out[3];
	size_t n;
};

/* Adds a finished text, which it empties. */
static int add_output(struct outputs *outs, const char *path, struct ct_buf *b, struct ct_error *e)
{
	int st = ct_buf_check(b, e);
	if (st == CT_OK)
		st = ct_out_open(&outs->out[outs->n], path, 0, e);
	if (st == CT_OK)
		st = ct_out_write(outs->out[outs->n++], b->data, b->len, e);
	ct_buf_reset(b);
	return st;
}

static int add_pages(const struct own *o, struct outputs *outs, struct ct_buf *b, struct ct_error *e)
{
	struct cor_show s;
	int st = CT_OK;
	fill_show(o, &s);
	if (o->html) {
		st = cor_page(&s, b, e);
		ct_utf8_clean(b->data, b->len); /* names come from traces and may hold any bytes */
		if (st == CT_OK)
			st = add_output(outs, o->html, b, e);
	}
	if (st == CT_OK && o->svg) {
		cor_svg(&s, b);
		ct_utf8_clean(b->data, b->len);
		st = add_output(outs, o->svg, b, e);
	}
	return st;
}

/* The profile as -O asks for it. */
static int render(struct ct_tool *t, struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	int st = ct_tool_provenance(t, p, e);
	if (st != CT_OK)
		return st;
	if (t->output == CT_OUTPUT_JSON)
		return ct_profile_write_json(p, b, e);
	if (t->output == CT_OUTPUT_PROFILE)
		return ct_profile_write(p, b, e);
	st = table(t, p, b, e);
	return st == CT_OK ? ct_tool_finish_tables(t, b, e) : st;
}

static int emit(struct ct_tool *t, struct own *o, struct ct_error *e)
{
	struct outputs outs = {.n = 0};
	struct ct_buf b = {0};
	int st = add_pages(o, &outs, &b, e);
	if (st == CT_OK)
		st = render(t, o->stage.p, &b, e);
	if (st == CT_OK)
		st = ct_buf_check(&t->warnings, e); /* what cannot be told must not look whole */
	if (st == CT_OK)
		st = add_output(&outs, t->out_path, &b, e);
	ct_buf_free(&b);
	if (st == CT_OK) {
		st = ct_out_commit_all(outs.out, outs.n, e);
		return st == CT_OK ? o->stage.truncated : st;
	}
	for (size_t i = 0; i < outs.n; i++)
		ct_out_abort(outs.out[i]);
	return st;
}

/* 1, and a line each, where a metric is past what --within allows. */
static int judge(struct ct_tool *t, const struct own *o, struct ct_error *e)
{
	int past = 0;
	for (size_t m = 0; m < cor_metrics(); m++) {
		const struct cor_metric *of = cor_metric_at(m);
		struct cor_score s = cor_program(&o->c, m);
		char error[32], most[32];
		if (!(o->within[m] > 0))
			continue;
		if (s.n == 0)
			return ct_fail(e, CT_ERR_INPUT, "--within %s: no launch has it on both sides",
			               of->name);
		if (s.error <= o->within[m])
			continue;
		cor_error_text(of, s.error, 0, error);
		cor_error_text(of, o->within[m], 0, most);
		ct_tool_say(t, "%s: the mean error is %s, and --within allows %s", of->name, error,
		            most);
		past = 1;
	}
	return past;
}

static int compare(struct ct_tool *t, struct own *o, struct ct_error *e)
{
	char verdict[160];
	int past = 0,
	    st = cor_begin(&o->c, o->stage.p, o->clock == CLOCK_LOCKED ? o->stage.gpu.core_mhz : NAN, e);
	for (size_t i = 0; i < o->n_files && st == CT_OK; i++)
		st = cor_add(&o->c, o->file[i], e);
	if (st != CT_OK)
		return st;
	cor_end(&o->c);
	if (o->c.n_pairs == 0)
		return ct_fail(
			e, CT_ERR_INPUT,
			"none of %zu rows is of a launch of the trace: names, grids and blocks must agree "
			"(%s has %.60s, the file %.60s)",
			o->c.rows, program_name(o->stage.p),
			o->c.n_launches ? o->c.launch[0].name : "none",
			ct_counters_count(o->file[0]) ? ct_counters_at(o->file[0], 0)->name : "none");
	ct_tool_say(t, "%zu of %zu launches matched; %zu of %zu rows measured no launch of the trace",
	            o->c.matched_launches, o->c.n_launches, o->c.rows - o->c.matched_rows, o->c.rows);
	cor_verdict_text(&o->c, verdict, sizeof verdict);
	ct_tool_say(t, "%s", verdict);
	tell_caches(t, o);
	st = past = judge(t, o, e);
	if (st >= 0)
		st = cor_records(&o->c, o->stage.p, program_name(o->stage.p), o->per_kernel, e);
	if (st == CT_OK)
		st = emit(t, o, e);
	return st == CT_OK ? past : st;
}

static int same_place(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	if (t->operands < 2)
		return ct_fail(
			e, CT_ERR_USAGE,
			"name a profile or a trace, and what a profiler counted: correlate bfs.profile bfs.csv");
	if (same_place(o->html, o->svg) || same_place(o->html, t->out_path) ||
	    same_place(o->svg, t->out_path))
		return ct_fail(e, CT_ERR_USAGE,
		               "two outputs would go into one file: give each a name of its own");
	o->pass.per_kernel = 1;
	t->method = CT_METHOD_REPLAY; /* what histograms answer has no cycles of single launches */
	int st = read_files(t, o, e);
	if (st == CT_OK)
		st = take_caches(t, o, e);
	if (st == CT_OK && o->clock == CLOCK_LOCKED)
		st = take_clock(t, o, e);
	if (st == CT_OK) {
		t->operands = 1; /* the stage's input */
		st = ct_stage_open_pass(t, &o->stage, &o->pass, e);
	}
	if (st == CT_OK) {
		st = compare(t, o, e);
		cor_free(&o->c);
		ct_stage_close(&o->stage);
	}
	for (size_t i = 0; i < o->n_files; i++)
		ct_counters_free(o->file[i]);
	free(o->file);
	return st;
}

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "correlate",
		.operands = "INPUT COUNTERS...",
		.summary = "predicted counters beside those of a GPU's profiler",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                 CT_TAKES_PROFILE,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.run = run,
	};
	return ct_tool_main(&spec, argc, argv);
}

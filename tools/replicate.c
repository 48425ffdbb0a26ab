/* replicate - cache lines that sit in several L1s: the replication ratio and the mean
 * number of replicas (Ibrahim et al., PACT 2020; readings replication-ratio and mean-replicas
 * of doc/readings.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/units.h"
#include "common/kernels.h"
#include "common/stage.h"
#include "common/terminal.h"
#include "models/common/baseline.h"

enum { OPT_SIZES = CT_OWN_OPTION };

struct own {
	const char *sizes_text;
	uint64_t *size;
	size_t n_sizes;
	struct ct_tool_pass pass;
	struct ct_stage stage;
};

static const struct ct_option options[] = {
	{OPT_SIZES, "sizes", "LIST", "also for these L1 sizes: 16KiB,32KiB or 4KiB..4MiB\n(doubling)"},
};

static int on_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct own *o = ((struct ct_tool *)ctx)->own;
	(void)key;
	o->sizes_text = value;
	int st = ct_parse_sizes("--sizes", value, &o->size, &o->n_sizes, e);
	free(st == CT_OK ? o->size : NULL); /* a later option may be wrong: run() makes the list */
	o->size = NULL;
	o->n_sizes = 0;
	return st;
}

/* ---- what is computed ---- */

static double sn(const struct ct_profile *p, const char *scope, const char *metric)
{
	double v;
	return ct_profile_get(p, scope, metric, &v) ? v : NAN;
}

static int needs_rj(const struct ct_profile *p, const char *scope, struct ct_error *e)
{
	const char *key[2] = {scope, "nearest"};
	if (ct_profile_find(p, "RJ", 2, key))
		return CT_OK;
	return ct_fail(e, CT_ERR_INPUT, "the profile has no RJ records for %s: make it again with reuse",
	               scope);
}

/* SN of one scope by the histograms, where the replay's are not there or not wanted. */
static int analytic_sn(struct ct_tool *t, const char *scope, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_stage *s = &o->stage;
	struct ct_l1_answer a;
	int st = ct_baseline_l1(s->p, &s->gpu, scope, NULL, &a, e);
	if (st != CT_OK)
		return st;
	int replayed = ct_profile_method(s->p, scope, "replication_ratio") != NULL;
	if (!replayed || t->method == CT_METHOD_ANALYTIC) {
		st = ct_profile_add_real(s->p, scope, "replication_ratio", a.replicated / a.fills, NULL,
		                         "analytic", e);
		if (st == CT_OK)
			st = ct_profile_add_real(s->p, scope, "replicas_mean", a.copies / a.fills, NULL,
			                         "analytic", e);
	}
	/* All L1s as one, without replicas: what sharing could save. */
	if (st == CT_OK)
		st = ct_profile_add_real(s->p, scope, "shared_l1_miss_rate",
		                         a.merged_sector_misses / a.merged_sectors, NULL, "analytic", e);
	return st;
}

static int add_point(struct ct_profile *p, const char *scope, uint64_t bytes, const char *metric,
                     double v, struct ct_error *e)
{
	char x[24];
	struct ct_sweep_point sw = {
		scope, "shared-l1", "Private", "l1.size", x, metric, NULL, "analytic", v};
	snprintf(x, sizeof x, "%llu", (unsigned long long)bytes);
	return ct_profile_add_sweep(p, &sw, e);
}

static int add_answer(struct ct_profile *p, const char *scope, uint64_t bytes,
                      const struct ct_l1_answer *a, struct ct_error *e)
{
	int st = add_point(p, scope, bytes, "replication_ratio", a->replicated / a->fills, e);
	if (st == CT_OK)
		st = add_point(p, scope, bytes, "replicas_mean", a->copies / a->fills, e);
	if (st == CT_OK)
		st = add_point(p, scope, bytes, "l1_miss_rate", a->sector_misses / a->sector_accesses,
		               e);
	return st;
}

/* --sizes: every launch with an L1 of that size. */
static int add_sizes(const struct own *o, const char *scope, struct ct_error *e)
{
	const struct ct_stage *s = &o->stage;
	struct ct_l1_views *v;
	int st = ct_l1_views_load(&v, s->p, scope, 1, e);
	for (size_t i = 0; i < o->n_sizes && st == CT_OK; i++) {
		struct ct_l1_parts one;
		struct ct_l1_answer a;
		ct_baseline_one_size(&s->gpu, o->size[i], &one);
		ct_l1_views_answer(v, &s->gpu, &one, &a);
		st = add_answer(s->p, scope, o->size[i], &a, e);
	}
	ct_l1_views_free(v);
	return st;
}

/* --check: the histograms' answer for the L1s as configured. */
static int add_configured(const struct own *o, const char *scope, struct ct_error *e)
{
	const struct ct_stage *s = &o->stage;
	struct ct_l1_answer a;
	int st = ct_baseline_l1(s->p, &s->gpu, scope, NULL, &a, e);
	return st == CT_OK ? add_answer(s->p, scope, s->gpu.l1.size, &a, e) : st;
}

static int compute(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_stage *s = &o->stage;
	const char *scope;
	int st = needs_rj(s->p, "all", e);
	for (size_t i = 0; st == CT_OK && (scope = ct_profile_scope(s->p, i)); i++) {
		const char *key[2] = {scope, "nearest"};
		if (!ct_profile_find(s->p, "RJ", 2, key))
			continue;
		st = analytic_sn(t, scope, e);
		if (st == CT_OK && o->n_sizes)
			st = add_sizes(o, scope, e);
		if (st == CT_OK && t->check)
			st = add_configured(o, scope, e);
	}
	return st;
}

/* ---- what people see ---- */

static void percent_or_dash(struct ct_table *t, const struct ct_profile *p, const char *scope,
                            const char *metric)
{
	ct_table_percent(t, sn(p, scope, metric));
}

static void head(const struct ct_stage *s, struct ct_buf *b)
{
	char l1[32];
	ct_format_size(s->gpu.l1.size, l1, sizeof l1);
	ct_buf_printf(b, "%s: %u SMs, L1 %s%s each\n\n", s->gpu.name, (unsigned)s->gpu.sms,
	              s->gpu.l1_adaptive ? "up to " : "", l1);
}

static void scopes(const struct ct_profile *p, struct ct_buf *b)
{
	struct ct_table t = {.columns = 6, .style = ct_terminal_style()};
	const char *scope, *method;
	static const char *const heads[] = {
		"scope",         "L1 sector misses",          "replication ratio",
		"mean replicas", "L1s as one: sector misses", "method"};
	for (int i = 0; i < 6; i++)
		ct_table_cell(&t, "%s", heads[i]);
	for (size_t i = 0; (scope = ct_profile_scope(p, i)); i++) {
		if (!(method = ct_profile_method(p, scope, "replication_ratio")))
			continue;
		ct_kernel_scope_cell(&t, scope);
		percent_or_dash(&t, p, scope, "l1_miss_rate");
		percent_or_dash(&t, p, scope, "replication_ratio");
		ct_table_real(&t, sn(p, scope, "replicas_mean"));
		percent_or_dash(&t, p, scope, "shared_l1_miss_rate");
		ct_table_cell(&t, "%s", method);
	}
	ct_table_render(&t, b);
}

/* Value of one SW point, NaN when there is none. */
static double point(const struct ct_profile *p, const char *scope, uint64_t bytes, const char *metric)
{
	const char *key[4] = {scope, "shared-l1", "Private", "l1.size"};
	const struct ct_record *r = ct_profile_find(p, "SW", 4, key);
	uint64_t x;
	double v;
	for (; r; r = ct_profile_same(r))
		if (ct_field_count(r->field[4], &x) && x == bytes && strcmp(r->field[5], metric) == 0)
			return ct_field_real(r->field[6], &v) ? v : NAN;
	return NAN;
}

static void sweep(const struct own *o, struct ct_buf *b)
{
	struct ct_table t = {.columns = 5, .style = ct_terminal_style()};
	const struct ct_profile *p = o->stage.p;
	static const char *const heads[] = {
		"L1 size", "L1 sector misses", "mean replicas", "replication ratio", ""};
	ct_buf_puts(b, "\nOther L1 sizes (all kernels, analytic)\n");
	for (int i = 0; i < 5; i++)
		ct_table_cell(&t, "%s", heads[i]);
	for (size_t i = 0; i < o->n_sizes; i++) {
		double ratio = point(p, "all", o->size[i], "replication_ratio");
		ct_table_size(&t, o->size[i]);
		ct_table_percent(&t, point(p, "all", o->size[i], "l1_miss_rate"));
		ct_table_real(&t, point(p, "all", o->size[i], "replicas_mean"));
		ct_table_percent(&t, ratio);
		ct_table_bar(&t, ratio, 40);
	}
	ct_table_render(&t, b);
}

static void check(const struct own *o, struct ct_buf *b)
{
	static const char *const metric[] = {"l1_miss_rate", "replication_ratio", "replicas_mean"};
	struct ct_table t = {.columns = 5, .style = ct_terminal_style()};
	const struct ct_profile *p = o->stage.p;
	const char *scope;
	ct_buf_puts(b, "\nBoth methods at the configured size\n");
	static const char *const heads[] = {
		"scope", "metric", "in the profile", "analytic", "difference"};
	for (int i = 0; i < 5; i++)
		ct_table_cell(&t, "%s", heads[i]);
	for (size_t i = 0; (scope = ct_profile_scope(p, i)); i++)
		for (int k = 0; k < 3; k++) {
			double had = sn(p, scope, metric[k]),
			       now = point(p, scope, o->stage.gpu.l1.size, metric[k]);
			if (isnan(had) && isnan(now))
				continue;
			ct_kernel_scope_cell(&t, scope);
			ct_table_cell(&t, "%s", metric[k]);
			ct_table_real(&t, had);
			ct_table_real(&t, now);
			ct_table_real(&t, now - had);
		}
	ct_table_render(&t, b);
}

static int table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	const struct own *o = t->own;
	double ratio = sn(p, "all", "replication_ratio"), miss = sn(p, "all", "l1_miss_rate");
	head(&o->stage, b);
	scopes(p, b);
	if (o->n_sizes)
		sweep(o, b);
	if (t->check)
		check(o, b);
	/* The first two of the three comparisons of the reading target-test (doc/readings.md). */
	if (!isnan(ratio) && !isnan(miss))
		ct_buf_printf(
			b, "\nOf the L1 misses %.1f %% found the line in another L1%s.\n", ratio * 100,
			ratio > 0.10 && miss > 0.50
				? ": with an L1 miss rate above 50 %, sharing the L1s may pay"
			: ratio > 0.10 ? ", but at this L1 miss rate sharing the L1s promises little"
				       : ": too few for sharing the L1s to pay");
	return ct_buf_check(b, e);
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_stage *s = &o->stage;
	int st = o->sizes_text ? ct_parse_sizes("--sizes", o->sizes_text, &o->size, &o->n_sizes, e)
	                       : CT_OK;
	ct_tool_pass_only(t, &o->pass,
	                  1u << CT_PASS_L1 | 1u << CT_PASS_SHARING | 1u << CT_PASS_MERGED |
	                          1u << CT_PASS_REPLICATION);
	if (st == CT_OK)
		st = ct_stage_open_pass(t, s, &o->pass, e);
	if (st == CT_OK) {
		ct_stage_forget(s, NULL);
		st = ct_stage_retarget(t, s, e);
		if (st == CT_OK)
			st = compute(t, e);
		if (st == CT_OK)
			st = ct_stage_emit(t, s, table, e);
		ct_stage_close(s);
	}
	free(o->size);
	return st;
}

/* What --help ends with. */
static const char guide[] =
	"Columns of its table:\n"
	"  replication ratio        share of L1 misses whose line lies in another L1\n"
	"  mean replicas            L1s that hold a line at once, over resident lines\n"
	"  L1s as one               misses if all L1s were one cache of their total size\n"
	"\n"
	"Examples:\n"
	"  replicate TRACE                   does sharing the L1s have anything to share\n"
	"  reuse TRACE | replicate           the same from a profile\n";

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "replicate",
		.operands = "[INPUT]",
		.summary = "replication of cache lines across the L1s",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                 CT_TAKES_METHOD | CT_TAKES_REPLAY | CT_TAKES_SAMPLE | CT_TAKES_SEED |
	                 CT_TAKES_PROFILE,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.guide = guide,
		.run = run,
	};
	return ct_tool_main(&spec, argc, argv);
}

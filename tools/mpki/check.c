#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "common/terminal.h"
#include "models/common/baseline.h"
#include "models/common/target.h"

static double sn(const struct ct_profile *p, const char *scope, const char *metric)
{
	double v;
	return ct_profile_get(p, scope, metric, &v) ? v : NAN;
}

/* ---- miss rates by the histograms ---- */

enum { RATES = 4 };
static const struct {
	const char *metric, *key;
} rate[RATES] = {
	{"l1_miss_rate", "l1.size"},
	{"l1_mpki", "l1.size"},
	{"llc_miss_rate", "llc.size"},
	{"llc_mpki", "llc.size"},
};

/* Of the GPU that the profile was made with. */
static int histogram_rates(const struct ct_stage *s, const char *scope, double v[RATES],
                           struct ct_error *e)
{
	struct ct_l1_answer l1;
	struct ct_llc_answer llc;
	double kilo = sn(s->p, scope, "thread_insts") / 1000;
	int st = ct_baseline_l1(s->p, &s->gpu, scope, NULL, &l1, e);
	ct_baseline_llc(s->p, &s->gpu, scope, ct_gpu_llc_bytes(&s->gpu), NULL, &llc);
	v[0] = l1.sector_misses / l1.sector_accesses;
	v[1] = l1.sector_misses / kilo;
	v[2] = llc.sector_misses / llc.sector_accesses;
	v[3] = llc.sector_misses / kilo;
	return st;
}

int mpki_replace_by_analytic(struct ct_stage *s, struct ct_error *e)
{
	const char *scope;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (scope = ct_profile_scope(s->p, i)); i++) {
		double v[RATES];
		if (!ct_profile_method(s->p, scope, "l1_miss_rate"))
			continue;
		st = histogram_rates(s, scope, v, e);
		for (int k = 0; k < RATES && st == CT_OK; k++)
			st = ct_profile_add_real(s->p, scope, rate[k].metric, v[k], NULL, "analytic", e);
	}
	return st;
}

/* ---- rows ---- */

static int add_check(struct mpki_check *c, const char *scope, const char *metric, const char *key,
                     double replay, double analytic, struct ct_error *e)
{
	if (ct_grow((void **)&c->row, &c->cap, c->n + 1, sizeof *c->row) < 0)
		return ct_fail_nomem(e);
	struct mpki_check_row *r = &c->row[c->n];
	*r = (struct mpki_check_row){ct_strndup(scope, strlen(scope)), metric, key, replay, analytic};
	if (!r->scope)
		return ct_fail_nomem(e);
	c->n++;
	return CT_OK;
}

static int add_times(struct mpki_check *c, const struct ct_target *replay,
                     const struct ct_target *analytic, struct ct_error *e)
{
	const struct {
		const char *metric;
		double replay, analytic;
	} row[] = {
		{"cycles_without_launches", replay->cycles, analytic->cycles},
		{"ipc", replay->ipc, analytic->ipc},
		{"issue_utilisation", replay->issue, analytic->issue},
		{"l1_utilisation", replay->l1, analytic->l1},
		{"noc_request_utilisation", replay->noc_request, analytic->noc_request},
		{"noc_reply_utilisation", replay->noc_reply, analytic->noc_reply},
		{"llc_utilisation", replay->llc, analytic->llc},
		{"dram_utilisation", replay->dram, analytic->dram},
	};
	int st = CT_OK;
	for (size_t i = 0; i < sizeof row / sizeof row[0] && st == CT_OK; i++)
		st = add_check(c, "all", row[i].metric, "sm.count", row[i].replay, row[i].analytic, e);
	return st;
}

/* A workload that the profile does not describe leaves *t unknown. */
static int replayed_time(const struct ct_profile *p, const struct ct_gpu *g, struct ct_target *t,
                         struct ct_target *model, struct ct_error *e)
{
	static const struct ct_target_filter same = {1, 1};
	struct ct_error why = {0};
	struct ct_workload *w = ct_calloc(1, sizeof *w);
	struct ct_perf *m = ct_calloc(1, sizeof *m);
	int st = w && m ? CT_OK : CT_ERR_NOMEM;
	if (st == CT_OK)
		st = ct_workload_read(w, p, g->sms, (double)ct_gpu_register_bytes(g), &why);
	if (st == CT_OK)
		ct_target_replay(w, g, t);
	if (st == CT_OK && model && ct_perf_calibrate(m, w, g, CT_PERF_ANCHOR_NONE, &why) == CT_OK)
		ct_target_model(m, g, &same, 0, model);
	free(m);
	free(w);
	return st == CT_ERR_NOMEM ? ct_fail_nomem(e) : CT_OK;
}

static const struct ct_target unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

static int check_same(struct ct_stage *s, struct mpki_check *c, struct ct_error *e)
{
	struct ct_target replay = unknown, model = unknown;
	const char *scope;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (scope = ct_profile_scope(s->p, i)); i++) {
		double v[RATES];
		if (!ct_profile_method(s->p, scope, "l1_miss_rate"))
			continue;
		st = histogram_rates(s, scope, v, e);
		for (int k = 0; k < RATES && st == CT_OK; k++)
			st = add_check(c, scope, rate[k].metric, rate[k].key,
			               sn(s->p, scope, rate[k].metric), v[k], e);
	}
	if (st == CT_OK)
		st = replayed_time(s->p, &s->gpu, &replay, &model, e);
	return st == CT_OK ? add_times(c, &replay, &model, e) : st;
}

/* The rates of one scope: p is the profile moved to the GPU in force. With other SMs the
 * LLC sees another stream, which is known for all kernels together. */
static int add_moved(const struct ct_stage *s, const struct ct_profile *replay, const char *scope,
                     struct mpki_check *c, struct ct_error *e)
{
	double kilo = sn(s->p, scope, "thread_insts") / 1000;
	int other_sms = s->gpu.sms != s->base.sms, st = CT_OK;
	for (int k = 0; k < RATES && st == CT_OK; k++) {
		double had = sn(replay, scope, rate[k].metric), v = sn(s->p, scope, rate[k].metric);
		if (other_sms && k >= 2) {
			v = strcmp(scope, "all") == 0 ? s->time.llc_miss_rate : NAN;
			if (k == 3)
				v *= s->time.llc_sectors / kilo;
		}
		st = add_check(c, scope, rate[k].metric, rate[k].key, had, v, e);
	}
	return st;
}

static int check_changed(struct ct_tool *t, struct ct_stage *s, struct mpki_check *c, struct ct_error *e)
{
	struct ct_profile *replayed = NULL;
	struct ct_target replay = unknown;
	const char *scope;
	int st = ct_stage_replay(t, s, "--check of another GPU", &replayed, e);
	if (st == CT_OK)
		st = ct_stage_retarget(t, s, e);
	for (size_t i = 0; st == CT_OK && (scope = ct_profile_scope(replayed, i)); i++)
		if (ct_profile_method(replayed, scope, "l1_miss_rate"))
			st = add_moved(s, replayed, scope, c, e);
	if (st == CT_OK)
		st = replayed_time(replayed, &s->gpu, &replay, NULL, e);
	if (st == CT_OK)
		st = add_times(c, &replay, &s->time, e);
	if (st == CT_OK)
		ct_stage_take(s, replayed);
	else
		ct_profile_free(replayed);
	return st;
}

/* The analytic twins as points of a sweep at the configured value. */
static int add_sweep(struct ct_stage *s, const struct mpki_check *c, struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; i < c->n && st == CT_OK; i++) {
		const struct mpki_check_row *r = &c->row[i];
		char x[24];
		uint64_t at = strcmp(r->key, "l1.size") == 0    ? s->gpu.l1.size
		              : strcmp(r->key, "llc.size") == 0 ? ct_gpu_llc_bytes(&s->gpu)
		                                                : s->gpu.sms;
		struct ct_sweep_point sw = {r->scope,  "baseline", "configured", r->key,     x,
		                            r->metric, NULL,       "analytic",   r->analytic};
		snprintf(x, sizeof x, "%llu", (unsigned long long)at);
		st = ct_profile_add_sweep(s->p, &sw, e);
	}
	return st;
}

int mpki_check(struct ct_tool *t, struct ct_stage *s, struct mpki_check *c, struct ct_error *e)
{
	int st = s->changed ? check_changed(t, s, c, e) : check_same(s, c, e);
	return st == CT_OK ? add_sweep(s, c, e) : st;
}

void mpki_check_print(const struct mpki_check *c, struct ct_buf *b)
{
	struct ct_table t = {.columns = 6, .style = ct_terminal_style()};
	static const char *const heads[] = {
		"scope", "metric", "in the profile", "analytic", "difference", "of it"};
	ct_buf_puts(b, "\nBoth methods on the GPU in force\n");
	for (int i = 0; i < 6; i++)
		ct_table_cell(&t, "%s", heads[i]);
	for (size_t i = 0; i < c->n; i++) {
		const struct mpki_check_row *r = &c->row[i];
		ct_table_name(&t, r->scope);
		ct_table_cell(&t, "%s", r->metric);
		ct_table_real(&t, r->replay);
		ct_table_real(&t, r->analytic);
		ct_table_real(&t, r->analytic - r->replay);
		ct_table_percent(&t, r->replay != 0 ? r->analytic / r->replay - 1 : NAN);
	}
	ct_table_render(&t, b);
}

void mpki_check_free(struct mpki_check *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->row[i].scope);
	free(c->row);
	memset(c, 0, sizeof *c);
}

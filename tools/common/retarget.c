/* retarget.c - a profile's summary numbers for a GPU with other capacities and speeds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/estimator.h"
#include "common/stage.h"
#include "models/common/baseline.h"
#include "models/common/target.h"
#include "models/registry.h"

/* The L1s and the LLC of one scope, before and after, by the histograms alone. */
struct answers {
	struct ct_l1_answer l1_old, l1_new;
	struct ct_llc_answer llc_old, llc_new;
	double reads; /* L1 read misses: new over old */
};

struct target {
	struct ct_stage *s;
	const char *scope;
	struct answers a;
	struct ct_error *e;
	int status;
};

static double sn(const struct target *g, const char *metric)
{
	double v;
	return ct_profile_get(g->s->p, g->scope, metric, &v) ? v : NAN;
}

/* Replaces a record; what the profile never had stays out. */
static void set_metric(struct target *g, const char *metric, double v)
{
	if (g->status == CT_OK && ct_profile_method(g->s->p, g->scope, metric))
		g->status = ct_profile_add_real(g->s->p, g->scope, metric, v, NULL, "analytic", g->e);
}

static void set_unknown(struct target *g, const char *const *metrics)
{
	for (; *metrics; metrics++)
		set_metric(g, *metrics, NAN);
}

static double share_of(double part, double whole)
{
	return part / whole; /* NaN for an empty whole */
}

/* ---- L1 ---- */

/* Moves the numbers about replication as far as the joint histograms move for the other L1. */
static void set_replication(struct target *g)
{
	const struct ct_l1_answer *o = &g->a.l1_old, *n = &g->a.l1_new;
	double ratio = ct_baseline_moved_share(
		sn(g, "replication_ratio"), share_of(o->replicated, o->fills),
		share_of(n->replicated, n->fills));
	double had = sn(g, "replicas_mean"), old = share_of(o->copies, o->fills);
	double mean = share_of(n->copies, n->fills);
	if (had >= 1 && old > 1)
		mean = 1 + (mean - 1) * (had - 1) / (old - 1);
	double fills = sn(g, "line_fills") * n->fills / o->fills;
	set_metric(g, "replication_ratio", ratio);
	set_metric(g, "replicas_mean", mean);
	set_metric(g, "line_fills", fills);
	set_metric(g, "replicated_misses", ratio * fills);
	set_metric(g, "line_copies", mean * fills);
	const struct ct_mechanism *m;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++)
		if (m->merged_miss_rate)
			set_metric(g, m->merged_miss_rate,
			           share_of(n->merged_sector_misses, n->merged_sectors));
}

/* Moves the L1's numbers to the new capacity. What no histogram tells becomes NA. */
static void set_l1(struct target *g)
{
	static const char *const gone[] = {
		"l1_pending_hits",
		"l1_read_pending_hits",
		"line_util_0",
		"line_util_25",
		"line_util_50",
		"line_util_75",
		"line_util_100",
		"line_touched_0",
		"line_touched_25",
		"line_touched_50",
		"line_touched_75",
		"line_touched_100",
		"lines_left",
		"l1_miss_rate_low",
		"l1_miss_rate_high",
		"ncu_l1_hit_rate",
		"ncu_l1_hit_sectors",
		"ncu_l1_load_hit_rate",
		"ncu_l1_load_hit_sectors",
		NULL};
	const struct ct_l1_answer *o = &g->a.l1_old, *n = &g->a.l1_new;
	double kilo = sn(g, "thread_insts") / 1000;
	double sectors = sn(g, "l1_sector_accesses"), reads = sn(g, "l1_read_sector_accesses");
	double lines = sn(g, "l1_line_accesses");
	double rate = ct_baseline_moved_share(
		sn(g, "l1_miss_rate"), share_of(o->sector_misses, o->sector_accesses),
		share_of(n->sector_misses, n->sector_accesses));
	double read_rate = ct_baseline_moved_share(
		sn(g, "l1_read_sector_misses") / reads,
		share_of(o->read_sector_misses, o->read_sector_accesses),
		share_of(n->read_sector_misses, n->read_sector_accesses));
	double line_rate = ct_baseline_moved_share(
		sn(g, "l1_line_misses") / lines, share_of(o->line_misses, o->line_accesses),
		share_of(n->line_misses, n->line_accesses));
	set_metric(g, "l1_miss_rate", rate);
	set_metric(g, "l1_sector_misses", rate * sectors);
	set_metric(g, "l1_mpki", rate * sectors / kilo);
	set_metric(g, "l1_read_sector_misses", read_rate * reads);
	set_metric(g, "l1_line_misses", line_rate * lines);
	set_metric(g, "l1_line_mpki", line_rate * lines / kilo);
	set_replication(g);
	set_unknown(g, gone);
}

/* ---- LLC ---- */

/* LLC accesses follow the L1's read misses; its misses hardly depend on the L1 while
 * the LLC is the larger (doc/models.md section 3). */
static void set_llc(struct target *g)
{
	static const char *const gone[] = {
		"llc_pending_hits",    "dram_write_bytes",
		"llc_miss_rate_low",   "llc_miss_rate_high",
		"ncu_l2_hit_rate",     "ncu_l2_hit_sectors",
		"ncu_l2_read_sectors", "ncu_l2_write_sectors",
		"ncu_dram_sectors",    NULL};
	const struct ct_llc_answer *o = &g->a.llc_old, *n = &g->a.llc_new;
	double kilo = sn(g, "thread_insts") / 1000, had = sn(g, "llc_sector_misses");
	double sectors = sn(g, "llc_sector_accesses") * n->sector_accesses / o->sector_accesses;
	double reads = sn(g, "llc_read_sector_accesses");
	double lines = sn(g, "llc_line_accesses") * n->accesses / o->accesses;
	double rate = ct_baseline_moved_share(
		sn(g, "llc_miss_rate"), share_of(o->sector_misses, o->sector_accesses),
		share_of(n->sector_misses, n->sector_accesses));
	double read_rate = ct_baseline_moved_share(
		sn(g, "llc_read_sector_misses") / reads,
		share_of(o->read_sector_misses, o->read_sector_accesses),
		share_of(n->read_sector_misses, n->read_sector_accesses));
	double line_rate = ct_baseline_moved_share(
		sn(g, "llc_line_misses") / sn(g, "llc_line_accesses"), share_of(o->misses, o->accesses),
		share_of(n->misses, n->accesses));
	double cold = sn(g, "cold_miss_fraction") * sn(g, "llc_line_misses");
	reads *= n->read_sector_accesses / o->read_sector_accesses;
	set_metric(g, "dram_read_bytes",
	           had > 0 ? sn(g, "dram_read_bytes") * rate * sectors / had : NAN);
	set_metric(g, "llc_sector_accesses", sectors);
	set_metric(g, "llc_sector_misses", rate * sectors);
	set_metric(g, "llc_miss_rate", rate);
	set_metric(g, "llc_mpki", rate * sectors / kilo);
	set_metric(g, "llc_read_sector_accesses", reads);
	set_metric(g, "llc_read_sector_misses", read_rate * reads);
	set_metric(g, "llc_line_accesses", lines);
	set_metric(g, "llc_line_misses", line_rate * lines);
	set_metric(g, "llc_line_mpki", line_rate * lines / kilo);
	/* First touches stay as many; without misses they are no part of them. */
	double first = cold / (line_rate * lines);
	set_metric(g, "cold_miss_fraction", isnan(first) ? NAN : fmin(first, 1));
	set_metric(g, "footprint_over_llc",
	           sn(g, "footprint_over_llc") * (double)ct_gpu_llc_bytes(&g->s->base) /
	                   (double)ct_gpu_llc_bytes(&g->s->gpu));
	set_unknown(g, gone);
}

/* Another L1 lets other reads pass; the LLC's misses stay, as far as there are reads. */
static void filter_requests(struct ct_llc_answer *a, double reads)
{
	double more = a->read_accesses * (reads - 1),
	       more_sectors = a->read_sector_accesses * (reads - 1);
	a->accesses += more;
	a->read_accesses += more;
	a->sector_accesses += more_sectors;
	a->read_sector_accesses += more_sectors;
	a->misses = fmin(a->misses, a->accesses);
	a->read_misses = fmin(a->read_misses, a->read_accesses);
	a->sector_misses = fmin(a->sector_misses, a->sector_accesses);
	a->read_sector_misses = fmin(a->read_sector_misses, a->read_sector_accesses);
}

/* What the histograms say of the old GPU and of the new one. The numbers of the replay are moved by the
 * difference. */
static int find_answers(struct target *g)
{
	struct ct_curve_fit fit;
	struct ct_stage *s = g->s;
	struct answers *a = &g->a;
	int st = ct_baseline_l1(s->p, &s->base, g->scope, NULL, &a->l1_old, g->e);
	if (st == CT_OK)
		st = ct_baseline_l1(s->p, &s->gpu, g->scope, NULL, &a->l1_new, g->e);
	ct_baseline_llc_fit(s->p, &s->base, g->scope, &fit);
	ct_baseline_llc(s->p, &s->base, g->scope, ct_gpu_llc_bytes(&s->base), &fit, &a->llc_old);
	ct_baseline_llc(s->p, &s->gpu, g->scope, ct_gpu_llc_bytes(&s->gpu), &fit, &a->llc_new);
	a->reads = a->l1_old.read_sector_misses > 0
	                   ? a->l1_new.read_sector_misses / a->l1_old.read_sector_misses
	                   : 1;
	filter_requests(&a->llc_new, a->reads);
	return st;
}

/* ---- time ---- */

static const struct ct_target unknown_time = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

/* The closed network's answer for the GPU in force; the profile's SN must still be those
 * of the replay. NaN where it cannot tell. */
static int find_time(const struct target *g, struct ct_target *t)
{
	const double traffic = g->a.llc_new.sector_accesses / g->a.llc_old.sector_accesses;
	const struct ct_target_filter f = {g->a.reads, traffic};
	const struct ct_gpu *base = &g->s->base;
	struct ct_workload *w = calloc(1, sizeof *w);
	struct ct_perf *m = calloc(1, sizeof *m);
	struct ct_error why = {0};
	int st = w && m ? CT_OK : ct_fail_nomem(&why);
	*t = unknown_time;
	if (st == CT_OK)
		st = ct_workload_read(w, g->s->p, base->sms, (double)ct_gpu_register_bytes(base), &why);
	if (st == CT_OK)
		st = ct_perf_calibrate(m, w, base, CT_PERF_ANCHOR_STATION, &why);
	if (st == CT_OK)
		ct_target_model(m, &g->s->gpu, &f, 1, t);
	free(m);
	free(w);
	if (st == CT_ERR_NOMEM)
		return ct_fail_nomem(g->e);
	return CT_OK; /* a profile without what the model reads has no answer, that is all */
}

/* Moves a scope's numbers to the new GPU, with the cycles that the model gives it. */
static int retarget_scope(struct target *g, double cycles)
{
	static const char *const gone[] = {"active_cycles", NULL};
	struct ct_stage *s = g->s;
	double launch = sn(g, "launch_cycles");
	int st = find_answers(g);
	if (st != CT_OK)
		return st;
	if (s->l1_changed)
		set_l1(g);
	if (s->l1_changed || s->llc_changed)
		set_llc(g);
	double moved = (cycles + launch) / sn(g, "cycles");
	set_metric(g, "cycles_low", sn(g, "cycles_low") * moved);
	set_metric(g, "cycles_high", sn(g, "cycles_high") * moved);
	set_metric(g, "cycles", cycles + launch);
	set_metric(g, "ipc", sn(g, "thread_insts") / (cycles + launch));
	set_unknown(g, gone);
	return g->status;
}

struct keys {
	struct ct_profile *p;
	struct ct_error *e;
	int status;
};

static void put_key(void *ctx, const char *key, const char *value, const char *unit)
{
	struct keys *k = ctx;
	if (k->status == CT_OK)
		k->status = ct_profile_add_gp(k->p, key, value, unit, k->e);
}

static void warn_of_small_llc(struct ct_tool *t, const struct ct_stage *s)
{
	struct ct_diag d = ct_tool_diag(t);
	if (s->l1_changed && ct_gpu_llc_bytes(&s->gpu) < s->gpu.l1.size * s->gpu.sms)
		ct_warn(&d,
		        "the LLC is smaller than all L1s together: its miss rate for another L1 size is "
		        "rough; give the trace for an exact one");
}

static int of_others(void *keep, const struct ct_record *r)
{
	return !keep || !ct_est_of_mechanism(keep, r);
}

void ct_stage_forget(struct ct_stage *s, const char *keep)
{
	if (!s->changed)
		return;
	ct_profile_remove(s->p, "ES", of_others, (void *)keep);
	ct_profile_remove(s->p, "SW", NULL, NULL);
	ct_profile_remove(s->p, "TV", NULL, NULL);
}

int ct_stage_retarget(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct target g = {.s = s, .e = e, .scope = "all"};
	struct keys k = {s->p, e, CT_OK};
	s->time = unknown_time;
	if (!s->changed)
		return CT_OK;
	warn_of_small_llc(t, s);
	int st = find_answers(&g);
	if (st == CT_OK && !s->timing_unknown)
		st = find_time(&g, &s->time);
	for (size_t i = 0; st == CT_OK && (g.scope = ct_profile_scope(s->p, i)); i++)
		/* The network is anchored to the whole run; single kernels have no answer. */
		st = retarget_scope(&g, strcmp(g.scope, "all") == 0 ? s->time.cycles : NAN);
	if (st != CT_OK)
		return st;
	ct_profile_remove(s->p, "MR", NULL, NULL);
	ct_profile_remove(s->p, "ME", NULL, NULL);
	st = ct_gpu_each(&s->gpu, put_key, &k, e);
	return st == CT_OK ? k.status : st;
}

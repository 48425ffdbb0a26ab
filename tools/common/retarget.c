/* retarget.c - a profile's summary numbers for other capacities, from its histograms. */
#include <math.h>

#include "common/stage.h"
#include "models/common/baseline.h"

struct target {
	struct ct_tool *t;
	struct ct_stage *s;
	const char *scope;
	struct ct_error *e;
	int status;
};

static double sn(const struct target *g, const char *metric)
{
	double v;
	return ct_profile_get(g->s->p, g->scope, metric, &v) ? v : NAN;
}

/* Replaces a record; what the profile never had stays out. */
static void set(struct target *g, const char *metric, double v)
{
	if (g->status == CT_OK && ct_profile_method(g->s->p, g->scope, metric))
		g->status = ct_profile_add_real(g->s->p, g->scope, metric, v, NULL, "analytic", g->e);
}

/* What follows from timing or from the exact order of misses is not in a histogram. */
static void unknown(struct target *g, const char *const *metrics)
{
	for (; *metrics; metrics++)
		set(g, *metrics, NAN);
}

static void set_l1(struct target *g, const struct ct_l1_answer *a)
{
	static const char *const gone[] = {
		"l1_pending_hits", "l1_read_pending_hits", "line_util_0", "line_util_25", "line_util_50",
		"line_util_75", "line_util_100", "line_touched_0", "line_touched_25", "line_touched_50",
		"line_touched_75", "line_touched_100", "lines_left", NULL};
	double insts = sn(g, "thread_insts") / 1000;
	double rate = a->sector_misses / a->sector_accesses;
	double misses = rate * sn(g, "l1_sector_accesses");
	double lines = a->line_misses / a->line_accesses * sn(g, "l1_line_accesses");
	set(g, "l1_sector_misses", misses);
	set(g, "l1_miss_rate", rate);
	set(g, "l1_mpki", misses / insts);
	set(g, "l1_read_sector_misses",
	    a->read_sector_misses / a->read_sector_accesses * sn(g, "l1_read_sector_accesses"));
	set(g, "l1_line_misses", lines);
	set(g, "l1_line_mpki", lines / insts);
	set(g, "replication_ratio", a->replicated / a->fills);
	set(g, "replicas_mean", a->copies / a->fills);
	set(g, "replicated_misses", a->replicated);
	set(g, "line_fills", a->fills);
	set(g, "line_copies", a->copies);
	set(g, "shared_l1_miss_rate", a->merged_sector_misses / a->merged_sectors);
	unknown(g, gone);
}

/* LLC accesses follow the L1's read misses; its misses hardly depend on the L1 while
 * the LLC is the larger (model-notes.md 1.1.3, filtered LLC). reads: new over old. */
static void set_llc(struct target *g, double reads)
{
	static const char *const gone[] = {"llc_pending_hits", "llc_read_sector_accesses",
	                                   "llc_read_sector_misses", "dram_read_bytes",
	                                   "dram_write_bytes", "cold_miss_fraction", NULL};
	double insts = sn(g, "thread_insts") / 1000;
	uint64_t bytes = ct_gpu_llc_bytes(&g->s->gpu);
	struct ct_llc_answer a;
	ct_baseline_llc(g->s->p, &g->s->gpu, g->scope, bytes, &a);
	double before = a.accesses;
	a.accesses += a.read_accesses * (reads - 1);
	double misses = fmin(a.misses, a.accesses);
	double lines = sn(g, "llc_line_accesses") * a.accesses / before;
	double sectors = sn(g, "llc_sector_accesses") * a.accesses / before;
	double rate = misses / a.accesses;
	set(g, "llc_sector_accesses", sectors);
	set(g, "llc_sector_misses", rate * sectors);
	set(g, "llc_miss_rate", rate);
	set(g, "llc_mpki", rate * sectors / insts);
	set(g, "llc_line_accesses", lines);
	set(g, "llc_line_misses", rate * lines);
	set(g, "llc_line_mpki", rate * lines / insts);
	set(g, "footprint_over_llc",
	    sn(g, "footprint_over_llc") * (double)ct_gpu_llc_bytes(&g->s->base) / (double)bytes);
	unknown(g, gone);
}

static int retarget_scope(struct target *g)
{
	static const char *const timing[] = {"cycles", "launch_cycles", "ipc", NULL};
	struct ct_stage *s = g->s;
	double reads = 1;
	if (s->l1_changed) {
		struct ct_l1_answer old, new;
		int st = ct_baseline_l1(s->p, &s->base, g->scope, NULL, &old, g->e);
		if (st == CT_OK)
			st = ct_baseline_l1(s->p, &s->gpu, g->scope, NULL, &new, g->e);
		if (st != CT_OK)
			return st;
		if (old.read_line_misses > 0)
			reads = new.read_line_misses / old.read_line_misses;
		set_l1(g, &new);
	}
	if (s->l1_changed || s->llc_changed)
		set_llc(g, reads);
	unknown(g, timing);
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

int ct_stage_retarget(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct target g = {.t = t, .s = s, .e = e};
	struct keys k = {s->p, e, CT_OK};
	const uint64_t l1s = s->gpu.l1.size * s->gpu.sms;
	if (!s->changed)
		return CT_OK;
	if (s->l1_changed && ct_gpu_llc_bytes(&s->gpu) < l1s) {
		struct ct_diag d = ct_tool_diag(t);
		ct_warn(&d, "the LLC is smaller than all L1s together: its miss rate for another L1 size is "
		            "rough; give the trace for an exact one");
	}
	for (size_t i = 0; (g.scope = ct_profile_scope(s->p, i)); i++) {
		int st = retarget_scope(&g);
		if (st != CT_OK)
			return st;
	}
	ct_profile_remove(s->p, "MR", NULL, NULL);
	ct_gpu_each(&s->gpu, put_key, &k);
	return k.status;
}

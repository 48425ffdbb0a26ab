/* mechanism.c - bypassing the L1 as one of the program's mechanisms: its table, and how a run of it goes. */
#include "models/mechanism.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/bypass/run.h"
#include "models/common/workload.h"

/* ---- a run ---- */

/* Reads the parameters that were set, and notes whether one of them needs the trace to be measured
 * again. */
static int bp_open(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct bp_run *own = ct_calloc(1, sizeof *own);
	int st = CT_OK;
	run->state = own;
	if (!own)
		return ct_fail_nomem(e);
	ct_constants_defaults(&ct_bp_constants, own->params.v);
	for (size_t i = 0; i < run->n_set && st == CT_OK; i++) {
		size_t key = 0;
		st = ct_constants_set(&ct_bp_constants, own->params.v, run->set[i], &key, e);
		if (!own->measured_by && key != CT_BP_CONSTANT_WATT && key != CT_BP_STATIC_SHARE)
			own->measured_by = run->set[i];
	}
	return st;
}

static void bp_close(struct ct_mechanism_run *run)
{
	free(run->state);
	run->state = NULL;
}

static const double *bp_values(const struct ct_mechanism_run *run)
{
	return bp_run_of(run)->params.v;
}

/* ---- measured in the pass ---- */

static int observer_open(void *ctx, const struct ct_pass_setup *setup, void **state,
                         struct ct_replay_observer *hooks, struct ct_error *e)
{
	const struct bp_run *own = bp_run_of(ctx);
	struct ct_bp_measure *m = NULL;
	int st = ct_bp_measure_new(&m, setup->gpu, &own->params, setup->settings->warmup > 0, e);
	*state = m;
	if (st == CT_OK)
		*hooks = ct_bp_measure_observer(m);
	return st;
}

static int observer_kernel(void *state, const struct ct_kernel *k, uint32_t l1_sets, uint32_t l1_ways,
                           struct ct_error *e)
{
	(void)e;
	ct_bp_measure_kernel(state, k, l1_sets, l1_ways);
	return CT_OK;
}

static int observer_write(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
                          struct ct_error *e)
{
	(void)all;
	return ct_bp_measure_write(state, p, e);
}

static void observer_close(void *state)
{
	ct_bp_measure_free(state);
}

static const struct ct_pass_observer observer = {
	.name = BP_MECHANISM,
	.open = observer_open,
	.kernel = observer_kernel,
	.write = observer_write,
	.close = observer_close,
};

/* ---- the estimate ---- */

/* Measures on the trace what the profile lacks, or holds for other parameters. */
static int measure_if_needed(struct ct_mechanism_run *run, struct ct_error *e)
{
	const char *why = ct_bp_measured_in(run->p) ? NULL : "a profile without bypass";
	if (run->l1_changed)
		return ct_fail(e, CT_ERR_INPUT,
		               "another L1 has to be measured on the trace: add --method replay, "
		               "or name the trace instead of the profile");
	if (bp_run_of(run)->measured_by && !run->from_trace)
		why = "-p bypass.KEY";
	if (!why)
		return CT_OK;
	if (run->method == CT_BY_ANALYTIC)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s needs the trace: leave out --method analytic, or make the "
		               "profile with reuse --mechanisms bypass",
		               why);
	return bp_measure_again(run, why, e);
}

/* 1 for what bp_replay() writes: times, which hold for one GPU only, while counts hold as long as its L1 stays. */
static int is_replayed_time(void *ctx, const struct ct_record *r)
{
	static const char *const metrics[] = {
		"cycles", "ipc", "speedup", "speedup_configured", "llc_mpki"};
	enum { MECHANISM = 1, METRIC = 3, METHOD = 6 };
	(void)ctx;
	if (r->nfields <= METHOD || strcmp(r->field[MECHANISM], BP_MECHANISM) != 0 ||
	    strcmp(r->field[METHOD], "replay") != 0)
		return 0;
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
		if (!strcmp(r->field[METRIC], metrics[i]))
			return 1;
	return 0;
}

/* What the pass counted goes through the closed network (estimate.h). */
static int bp_estimate(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct bp_run *own = bp_run_of(run);
	int st = measure_if_needed(run, e);
	if (run->changed)
		ct_profile_remove(run->p, "ES", is_replayed_time, NULL);
	if (st == CT_OK && !run->workload)
		return ct_workload_missing(
			run->p, run->base->sms, (double)ct_gpu_register_bytes(run->base), e);
	if (st == CT_OK)
		st = ct_bp_answer_init(&own->answer, run->p, run->workload, run->base, run->gpu,
		                       &own->params, e);
	return st == CT_OK ? ct_bp_answer_write(&own->answer, run->p, e) : st;
}

/* ---- the table ---- */

static const struct ct_mechanism_system systems[CT_BP_SYSTEMS] = {
	[CT_BP_BL] = {"BL", "the GPU's own L1, into which every load puts its lines", 0},
	[CT_BP_BYPASS] = {"Bypass", "loads whose lines are not used again pass it", 0},
	[CT_BP_PERFECT] = {"Perfect", "an L1 that forgets nothing", 0},
	[CT_BP_IDEAL] = {"Ideal-L1", "an L1 in which first touches hit, too", 0},
};

/* clang-format off */
#define METRIC(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_NEITHER}
#define LESS(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_LESS}
/* clang-format on */
static const struct ct_metric metrics[] = {
	LESS("l1_untimed_miss_rate", "ratio"),
	LESS("l1_load_request_miss_rate", "ratio"),
	METRIC("l1_requests", "requests"),
	LESS("l1_request_misses", "requests"),
	LESS("l1_fetched_bytes", "bytes"),
	LESS("l1_stored_bytes", "bytes"),
	LESS("l1_evictions", "lines"),
	LESS("l1_dead_evictions", "lines"),
	METRIC("l1_passed_requests", "requests"),
};

const struct ct_mechanism ct_mechanism_bypass = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = BP_MECHANISM,
	.command = "bypass-est",
	.summary = "estimate an L1 that loads without reuse pass",
	.title = "L1 bypassing",
	.page = "cachetriage-bypass",
	.judged = "Bypass",
	.baseline = "BL",
	.ideal = "Ideal-L1",
	.bound = CT_BOUND_L1,
	.estimate_error = {0.05, 1},
	.systems = systems,
	.n_systems = CT_BP_SYSTEMS,
	.metrics = metrics,
	.n_metrics = sizeof metrics / sizeof metrics[0],
	.parameters = &ct_bp_constants,
	.places = CT_PLACE_L1_ADMISSION | CT_PLACE_L1_LINES, /* Perfect has lines of its own */
	.views = CT_READS_L1 | CT_READS_LLC,
	.curve = CT_DRAWS_L1,
	.needs_pass = 1,
	.by_cache = 1,
	.observer = &observer,
	.open = bp_open,
	.close = bp_close,
	.values = bp_values,
	.measured = ct_bp_measured_in,
	.estimate = bp_estimate,
	.replay = bp_replay,
	.engine = bp_engine,
	.engine_free = bp_engine_free,
	.any_engine = bp_any_engine,
	.any_engine_free = bp_engine_free,
	.acted = bp_acted,
	.reason = bp_reason,
	.cure = bp_cure,
	.show = bp_show,
	.show_overheads = bp_show_overheads,
};

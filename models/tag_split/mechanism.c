/* mechanism.c - the Tag-Split Cache as one of the program's mechanisms: its table, and how a run of it goes. */
#include "models/mechanism.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/common/workload.h"
#include "models/tag_split/any_engine.h"
#include "models/tag_split/figure_list.h"
#include "models/tag_split/measure.h"
#include "models/tag_split/run.h"

/* ---- a run ---- */

/* 1 for parameters of time and energy only: what the L1s hold does not depend on them. */
static int is_timing(size_t key)
{
	switch ((enum ct_ts_key)key) {
	case CT_TS_HIT_LATENCY:
	case CT_TS_MSHR:
	case CT_TS_PJ_PER_ACCESS:
	case CT_TS_LEAKAGE_WATT:
	case CT_TS_CONSTANT_WATT:
	case CT_TS_STATIC_SHARE: return 1;
	default: return 0;
	}
}

/* The systems that a verdict and its reason speak of: the one that is judged, plain lines, which it has to beat, what
 * bounds it, and what all are held against. */
static unsigned judged_systems(void)
{
	static const char *const names[] = {
		"TSC+", "32B", "64B", "128B", "256B", "Ideal-L1", "configured"};
	unsigned mask = 0;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		mask |= 1u << ct_ts_system_find(names[i]);
	return mask;
}

/* Reads the parameters that were set, and notes whether one of them needs the trace to be measured
 * again. */
static int ts_open(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ts_run *own = ct_calloc(1, sizeof *own);
	int st = CT_OK;
	run->state = own;
	if (!own)
		return ct_fail_nomem(e);
	ct_ts_defaults(&own->params);
	own->systems = run->judged_only ? judged_systems() : CT_TS_ALL_SYSTEMS;
	for (size_t i = 0; i < run->n_set && st == CT_OK; i++) {
		size_t key = 0;
		st = ct_constants_set(&ct_ts_constants, own->params.v, run->set[i], &key, e);
		if (!own->measured_by && !is_timing(key))
			own->measured_by = run->set[i];
	}
	return st == CT_OK && run->sweep ? ts_sweep_check(run->sweep, e) : st;
}

static void ts_close(struct ct_mechanism_run *run)
{
	free(run->state);
	run->state = NULL;
}

static const double *ts_values(const struct ct_mechanism_run *run)
{
	return ts_run_of(run)->params.v;
}

unsigned ts_run_systems(const struct ts_run *own, struct ct_ts_system *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < CT_TS_SYSTEMS; i++)
		if (own->systems >> i & 1)
			out[n++] = *ct_ts_system_at(i);
	return n;
}

/* ---- measured in the pass ---- */

/* Feeds the L1s of the run's systems with the accesses of the baseline replay (measure.h). */
static int observer_open(void *ctx, const struct ct_pass_setup *setup, void **state,
                         struct ct_replay_observer *hooks, struct ct_error *e)
{
	const struct ts_run *own = ts_run_of(ctx);
	const struct ct_pass_settings *s = setup->settings;
	struct ct_ts_measure_options o = {.params = own->params,
	                                  .sample = s->sample > 0 ? s->sample : 1,
	                                  .seed = s->seed,
	                                  .warmup = s->warmup};
	struct ct_ts_system some[CT_TS_SYSTEMS];
	struct ct_ts_measure *m = NULL;
	o.n_systems = ts_run_systems(own, some);
	o.systems = some; /* copied */
	int st = ct_ts_measure_new(&m, setup->gpu, &o, e);
	*state = m;
	if (st == CT_OK)
		*hooks = ct_ts_measure_observer(m);
	return st;
}

static int observer_kernel(void *state, const struct ct_kernel *k, uint32_t l1_sets, uint32_t l1_ways,
                           struct ct_error *e)
{
	(void)l1_sets; /* which it works out itself */
	(void)l1_ways;
	return ct_ts_measure_kernel(state, k, e);
}

static int observer_write(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
                          struct ct_error *e)
{
	return ct_ts_measure_write(state, p, all->thread_insts, e);
}

static void observer_close(void *state)
{
	ct_ts_measure_free(state);
}

static const struct ct_pass_observer observer = {
	.name = TS_MECHANISM,
	.open = observer_open,
	.kernel = observer_kernel,
	.write = observer_write,
	.close = observer_close,
};

/* ---- the estimate ---- */

/* Measures on the trace what the profile lacks, or holds for other parameters. */
static int measure_if_needed(struct ct_mechanism_run *run, struct ct_error *e)
{
	const struct ts_run *own = ts_run_of(run);
	const char *why = ct_ts_measured_in(run->p) ? NULL : "a profile without tag-split";
	struct ct_ts_system systems[CT_TS_SYSTEMS];
	if (run->l1_changed)
		return ct_fail(e, CT_ERR_INPUT,
		               "another L1 has to be measured on the trace: add --method replay, "
		               "or name the trace instead of the profile");
	if (own->measured_by && !run->from_trace)
		why = "-p tsc.KEY";
	if (!why)
		return CT_OK;
	if (run->method == CT_BY_ANALYTIC)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s needs the trace: leave out --method analytic, or make the "
		               "profile with reuse --mechanisms tag-split",
		               why);
	unsigned n = ts_run_systems(own, systems);
	return ts_measure_again(run, why, systems, n, run->p, e);
}

/* 1 for what ts_replay() writes: times, which hold for one GPU only, while counts hold as long as its L1
 * stays. */
static int is_replayed_time(void *ctx, const struct ct_record *r)
{
	static const char *const metrics[] = {
		"cycles", "ipc", "speedup", "speedup_configured", "llc_mpki"};
	enum { MECHANISM = 1, METRIC = 3, METHOD = 6 };
	(void)ctx;
	if (r->nfields <= METHOD || strcmp(r->field[MECHANISM], TS_MECHANISM) != 0 ||
	    strcmp(r->field[METHOD], "replay") != 0)
		return 0;
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
		if (!strcmp(r->field[METRIC], metrics[i]))
			return 1;
	return 0;
}

/* What the pass counted goes through the closed network (estimate.h). */
static int ts_estimate(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ts_run *own = ts_run_of(run);
	int st = measure_if_needed(run, e);
	if (run->changed)
		ct_profile_remove(run->p, "ES", is_replayed_time, NULL);
	if (st == CT_OK && !run->workload)
		return ct_workload_missing(
			run->p, run->base->sms, (double)ct_gpu_register_bytes(run->base), e);
	if (st == CT_OK)
		st = ct_ts_answer_init_some(&own->answer, run->p, run->workload, run->base, run->gpu,
		                            &own->params, own->systems, e);
	return st == CT_OK ? ct_ts_answer_write(&own->answer, run->p, e) : st;
}

/* ---- the table ---- */

static const char *const aliases[] = {"tag_split", "tsc", NULL};
static const char *const alternatives[] = {"32B", "64B", "128B", "256B", NULL};

static const struct ct_mechanism_system systems[] = {
	{"128B", "lines of 128 bytes, each filled as a whole", 0},
	{"32B", "lines of 32 bytes", 0},
	{"64B", "lines of 64 bytes", 0},
	{"256B", "lines of 256 bytes", 0},
	{"TSC", "chunks that share a tag, fetched one by one", 0},
	{"TSC+", "TSC that chooses between chunks and whole lines", 0},
	{"TSC-coarse", "TSC that fetches whole lines", 0},
	{"LAMAR", "lines of 128 bytes, filled by sectors", 0},
	{"DSC-2", "decoupled sectors, two tags per frame", 0},
	{"DSC-4", "decoupled sectors, four tags per frame", 0},
	{"MRPB", "128B behind queues that reorder requests", 1},
	{"Perfect", "an L1 that forgets nothing", 0},
	{"Ideal-L1", "an L1 in which first touches hit, too", 0},
	{"configured", "the GPU's own L1", 0},
};

/* clang-format off */
#define METRIC(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_NEITHER}
#define LESS(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_LESS}
#define MORE(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_MORE}
/* clang-format on */
static const struct ct_metric metrics[] = {
	LESS("traffic_l1_to_l2_bytes", "bytes"),
	LESS("traffic_l2_to_l1_bytes", "bytes"),
	LESS("mem_inst_miss_rate", "ratio"),
	LESS("l1_request_mpki", "misses/kinst"),
	LESS("l1_sent_mpki", "misses/kinst"),
	LESS("l1_entry_mpki", "misses/kinst"),
	LESS("l1_sent_inst_rate", "ratio"),
	LESS("l1_sent_bytes", "bytes"),
	LESS("l1_received_bytes", "bytes"),
	LESS("l1_untimed_miss_rate", "ratio"),
	LESS("l1_load_request_miss_rate", "ratio"),
	METRIC("l1_loads", "insts"),
	METRIC("l1_requests", "requests"),
	LESS("l1_request_misses", "requests"),
	LESS("l1_miss_packets", "packets"),
	LESS("l1_partial_misses", "requests"),
	LESS("l1_fetched_bytes", "bytes"),
	METRIC("l1_stores", "requests"),
	LESS("l1_port_cycles", "cycles"),
	LESS("noc_request_flits", "flits"),
	LESS("noc_reply_flits", "flits"),
	LESS("llc_accesses", "accesses"),
	LESS("llc_load_accesses", "accesses"),
	METRIC("llc_load_lines", "lines"),
	METRIC("chunk_touched_fraction", "ratio"),
	MORE("chunk_reused_fraction", "ratio"),
	LESS("collateral_evictions", "chunks"),
	METRIC("coarse_fraction", "ratio"),
	METRIC("coarse_only_misses", "requests"),
	METRIC("bypass_fraction", "ratio"),
	METRIC("line_class", "class"),
};

const struct ct_mechanism ct_mechanism_tag_split = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = TS_MECHANISM,
	.aliases = aliases,
	.command = "tsc-est",
	.summary = "estimate an L1 of small chunks that share tags (Tag-Split Cache)",
	.title = "Tag-Split Cache",
	.page = "cachetriage-tag-split",
	.folder = "tag_split",
	.published = 1,
	.judged = "TSC+",
	.baseline = "128B",
	.alternatives = alternatives,
	.ideal = "Ideal-L1",
	.bound = CT_BOUND_L1,
	.estimate_error = {0.14, 1},
	.systems = systems,
	.n_systems = sizeof systems / sizeof systems[0],
	.metrics = metrics,
	.n_metrics = sizeof metrics / sizeof metrics[0],
	.parameters = &ct_ts_constants,
	.sweeps = ts_sweeps,
	.n_sweeps = TS_SWEEPS,
	.places = CT_PLACE_COALESCER | CT_PLACE_L1_LINES,
	.views = CT_READS_L1 | CT_READS_LLC | CT_READS_LINE_USE,
	.curve = CT_DRAWS_L1,
	.needs_pass = 1,
	.by_cache = 1,
	.observer = &observer,
	.open = ts_open,
	.close = ts_close,
	.values = ts_values,
	.measured = ct_ts_measured_in,
	.estimate = ts_estimate,
	.replay = ts_replay,
	.sweep = ts_sweep,
	.engine = ts_engine,
	.engine_free = ts_engine_free,
	.replay_records = ts_replay_records,
	.any_engine = ct_ts_any_engine,
	.any_engine_free = ct_ts_any_engine_free,
	.acted = ts_acted,
	.reason = ts_reason,
	.cure = ts_cure,
	.show = ts_show,
	.show_published = ts_show_published,
	.show_overheads = ts_show_overheads,
	.figures = ct_ts_figures,
};

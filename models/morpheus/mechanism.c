/* mechanism.c - Morpheus as a mechanism: idle SMs lend their registers, L1 and shared memory to the last-level cache. */
#include "models/morpheus/any_engine.h"
#include "models/morpheus/figure_list.h"
#include "models/morpheus/state.h"

static const struct ct_mechanism_system systems[CT_MO_SYSTEMS] = {
	{.name = "BL",
         .help = "baseline: all SMs compute, its LLC as much larger as Morpheus adds storage"},
	{.name = "IBL", .help = "best SM count, the rest off"},
	{.name = "IBL-2x-LLC", .help = "ideal: twice the LLC"},
	{.name = "IBL-4x-LLC", .help = "ideal: four times the LLC"},
	{.name = "larger-LLC", .help = "ideal: Morpheus-ALL's capacity as LLC"},
	{.name = "Frequency-Boost", .help = "saved power clocks the memory side"},
	{.name = "Unified-SM-Mem", .help = "unused registers extend L1"},
	{.name = "Morpheus-Basic", .help = "idle SMs extend the LLC"},
	{.name = "Morpheus-Compression", .help = "with compressed registers"},
	{.name = "Morpheus-Indirect-MOV", .help = "with the native instruction"},
	{.name = "Morpheus-ALL", .help = "with both"},
	{.name = "Morpheus-Basic/No-Prediction", .help = "every request asks the SM"},
	{.name = "Morpheus-Basic/Perfect-Prediction", .help = "ideal predictor"},
};

/* Fewer SMs without Morpheus: what it adds has to be more than what resting SMs give. */
static const char *const alternatives[] = {"IBL", NULL};

/* Estimates do not merge. */
static const struct ct_metric metrics[] = {
	{.name = "compute_sms", .unit = "SMs", .merge = CT_METRIC_NA},
	{.name = "cache_sms", .unit = "SMs", .merge = CT_METRIC_NA},
	{.name = "extended_llc_bytes", .unit = "bytes", .merge = CT_METRIC_NA},
	{.name = "extended_llc_hit_rate",
         .unit = "ratio",
         .merge = CT_METRIC_NA,
         .better = CT_METRIC_MORE},
	{.name = "bloom_false_positive_rate",
         .unit = "ratio",
         .merge = CT_METRIC_NA,
         .better = CT_METRIC_LESS},
	{.name = "compression_ratio", .unit = "ratio", .merge = CT_METRIC_NA},
	{.name = "llc_throughput_ratio", .unit = "ratio", .merge = CT_METRIC_NA},
	{.name = "noc_load_ratio", .unit = "ratio", .merge = CT_METRIC_NA},
	{.name = "network_latency", .unit = "cycles", .merge = CT_METRIC_NA, .better = CT_METRIC_LESS},
	{.name = "dram_utilisation", .unit = "ratio", .merge = CT_METRIC_NA},
};

static const struct ct_mechanism_option options[CT_MO_OPTIONS] = {
	[CT_MO_OPTION_HELPER] =
		{.name = "helper",
                 .value = "KERNEL",
                 .help = "what cache-mode SMs keep blocks in: rf+l1 (default), rf,\nl1, shared or ideal"},
	[CT_MO_OPTION_MIX] =
		{.name = "mix",
                 .value = "HIGH,LOW,NONE",
                 .help = "shares of blocks that compress to a quarter, to half,\nnot (instead of those of the input)"},
};

/* The GPU's own SM count bounds the range too, but is known only with the profile. */
static const struct ct_mechanism_sweep sweeps[] = {
	{.key = "sms",
         .rule = {.low = 1, .high = 1 << 20, .whole = 1, .step = 1},
         .example = "sms=10..68",
         .is_setting = 1},
};

static const double *values(const struct ct_mechanism_run *run)
{
	return ((const struct ct_mo_state *)run->state)->params.v;
}

/* The systems that this run is about, a bit each: the judged one and what it is held against, or all. */
static unsigned wanted_systems(const struct ct_mechanism_run *run)
{
	unsigned judged = (unsigned)ct_mo_system_find(run->mechanism->judged);
	if (!run->judged_only)
		return CT_MO_ALL_SYSTEMS;
	return ct_mo_systems_for(judged) | 1u << ct_mo_system_find(alternatives[0]) |
	       (run->charted ? 1u << ct_mo_system_find(run->mechanism->baseline) : 0);
}

/* Answers from the profile; its records are left to replay() where that follows, so that both methods of a
 * system stand together. */
static int estimate_systems(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ct_mo_state *s = run->state;
	int replay_follows = run->method == CT_BY_REPLAY || run->check;
	if (s->answered)
		ct_mo_answer_free(&s->answer);
	s->answered = s->replayed = 0;
	if (!run->workload)
		return ct_workload_missing(
			run->p, run->base->sms, (double)ct_gpu_register_bytes(run->base), e);
	int st = ct_mo_answer_init_some(
		&s->answer, run->workload, run->base, run->gpu, &s->params, s->has_mix ? &s->mix : NULL,
		wanted_systems(run), run->setting, e);
	s->answered = st == CT_OK;
	if (st == CT_OK && !replay_follows)
		st = ct_mo_answer_write(&s->answer, run->p, e);
	if (st == CT_OK && run->charted)
		st = ct_mo_answer_curve(&s->answer, run->p, e);
	return st;
}

static int sweep(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ct_mo_state *s = run->state;
	return ct_mo_answer_sweep(&s->answer, run->sweep, run->p, e);
}

/* No system of the table bounds Morpheus: a larger conventional LLC has the bandwidth of its slices only, whereas every
 * SM in cache mode brings a port of its own. */
const struct ct_mechanism ct_mechanism_morpheus = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = "morpheus",
	.command = "morpheus-est",
	.summary = "estimate a last-level cache extended into idle SMs (Morpheus)",
	.title = "Morpheus",
	.page = "cachetriage-morpheus",
	.folder = "morpheus",
	.published = 1,
	.judged = "Morpheus-ALL",
	.baseline = "BL",
	.alternatives = alternatives,
	.ideal = NULL,
	.bound = CT_BOUND_LLC,
	.systems = systems,
	.n_systems = CT_MO_SYSTEMS,
	.metrics = metrics,
	.n_metrics = sizeof metrics / sizeof metrics[0],
	.parameters = &ct_morpheus_constants,
	.options = options,
	.n_options = CT_MO_OPTIONS,
	.sweeps = sweeps,
	.n_sweeps = sizeof sweeps / sizeof sweeps[0],
	.places = CT_PLACE_LLC | CT_PLACE_SMS,
	.views = CT_READS_L1 | CT_READS_LLC | CT_READS_LLC_SMS,
	.curve = CT_DRAWS_LLC,
	.by_cache = 1,
	.open = ct_mo_open,
	.close = ct_mo_close,
	.values = values,
	.estimate = estimate_systems,
	.replay = ct_mo_replay,
	.sweep = sweep,
	.candidates = ct_mo_candidates,
	.engine = ct_mo_engine,
	.engine_free = ct_mo_engine_free,
	.setting_records = ct_mo_setting_records,
	.any_engine = ct_mo_any_engine,
	.any_engine_free = ct_mo_any_engine_free,
	.acted = ct_mo_acted,
	.reason = ct_mo_reason,
	.cure = ct_mo_cure,
	.show = ct_mo_show,
	.show_published = ct_mo_show_published,
	.show_overheads = ct_mo_show_overheads,
	.figures = ct_mo_figures,
	.shows_replays = 1,
};

/* mechanism.c - shared L1s as a mechanism: every SM caches a slice of the addresses for all SMs, so that no line is
 * there twice. */
#include "models/shared_l1/any_engine.h"
#include "models/shared_l1/figure_list.h"
#include "models/shared_l1/state.h"

static const struct ct_mechanism_system systems[CT_SL_SYSTEMS] = {
	{.name = "Private", .help = "every core caches any line"},
	{.name = "16x-L1", .help = "private, 16 times the L1"},
	{.name = "Hypothetical", .help = "shared, cores reach each other in no time"},
	{.name = "Shared", .help = "one home per line, whole lines in replies"},
	{.name = "Shared+Chunk", .help = "replies carry what was asked for"},
	{.name = "Shared++", .help = "and the nearer of home and L2 is asked"},
	{.name = "DynAMAT", .help = "samples, decides by AMAT"},
	{.name = "DynAMAT+L1MRpr", .help = "with the guard"},
	{.name = "DynEB-noguard", .help = "samples, decides by effective bandwidth"},
	{.name = "DynEB", .help = "with the guard"},
	{.name = "Best", .help = "the better of Private and Shared++"},
	{.name = "Private-2x", .help = "private, twice the L1"},
	{.name = "Private-2x-L2", .help = "private, twice the LLC"},
	{.name = "Private+", .help = "private, DynEB's storage spent on ways"},
	{.name = "Ideal-L1", .help = "private, first touches hit, too: a bound"},
};

static const char *const aliases[] = {"shared_l1", "sharedl1", NULL};

/* ---- what it adds to a profile ---- */

/* Counts of a whole run add up over profiles; estimates and rates of one run do not merge. */
/* clang-format off */
#define SUM(name, unit) {name, unit, CT_METRIC_SUM, NULL, NULL, 0, CT_METRIC_NEITHER}
#define NOT(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_NEITHER}
#define LESS(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_LESS}
#define MORE(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_MORE}
/* clang-format on */

/* What the watch of every pass counts for an organisation (watch.h). */
#define MISSES(of) SUM(of "_read_misses", "lines"), SUM(of "_write_misses", "lines")
#define ACCESSES(of) SUM(of "_reads", "lines"), SUM(of "_writes", "lines")
#define COPIES(of) SUM(of "_replicated", "lines"), SUM(of "_copies", "lines")
#define ORDER(of) \
	SUM(of "_misses_low", "lines"), SUM(of "_misses_high", "lines"), SUM(of "_edge", "lines")
#define SCHEME(of) \
	MISSES(of), ACCESSES(of), COPIES(of), ORDER(of), SUM(of "_sampled", "lines"), \
		SUM(of "_homed", "lines"), SUM(of "_decisions", "decisions"), \
		SUM(of "_chose_shared", "decisions")

static const struct ct_metric items[] = {
	MISSES("private"),
	ACCESSES("private"),
	COPIES("private"),
	MISSES("private_2x"),
	COPIES("private_2x"),
	ORDER("private_2x"),
	MISSES("private_16x"),
	COPIES("private_16x"),
	ORDER("private_16x"),
	MISSES("shared"),
	ORDER("shared"),
	MISSES("shared_min"),
	ACCESSES("shared_min"),
	ORDER("shared_min"),
	SCHEME("dynamat"),
	SCHEME("dynamat_l1mrpr"),
	SCHEME("dyneb_noguard"),
	SCHEME("dyneb"),
	SUM("home_first_requests", "requests"),
	SUM("home_first_reads", "requests"),
	SUM("home_first_writes", "requests"),
	SUM("home_first_read_sectors", "sectors"),
	SUM("home_first_write_sectors", "sectors"),
	NOT("home_load_mod", "ratio"),
	NOT("home_load_fold", "ratio"),
	NOT("home_load_hash", "ratio"),
	NOT("home_own_mod", "ratio"),
	NOT("home_own_fold", "ratio"),
	NOT("home_own_hash", "ratio"),
	NOT("home_odd_sets", "ratio"),
	NOT("home_camping", "ratio"),
	LESS("shared_l1_miss_rate", "ratio"), /* SN, of all L1s as one cache */
};

static const struct ct_metric metrics[] = {
	NOT("replication_ratio", "ratio"),
	NOT("replicas_mean", "copies"),
	NOT("remote_fraction", "ratio"),
	LESS("reply_latency_ratio", "ratio"),
	MORE("eb", "replies"),
	LESS("amat", "cycles"),
	NOT("home_imbalance", "ratio"),
	NOT("edge_fraction", "ratio"),
};

/* ---- what it can be asked ---- */

static const struct ct_mechanism_option options[CT_SL_OPTIONS] = {
	[CT_SL_OPTION_NETWORK] =
		{.name = "network",
                 .value = "NETWORK",
                 .help = "what carries core-to-core traffic: mesh, forwarded,\nbutterfly or auto (default: as the GPU)"},
	[CT_SL_OPTION_PLACEMENT] = {.name = "placement",
                                    .value = "FILE",
                                    .help = "where cores and partitions sit on the mesh"},
	[CT_SL_OPTION_HOMES] = {.name = "homes",
                                .value = "MAPPING",
                                .help = "home of a tag: mod (default), fold or hash"},
	[CT_SL_OPTION_COUNT] =
		{.name = "count",
                 .value = "ACCESSES",
                 .help = "accesses that end a phase of a dynamic scheme: local\n(default), served or own"},
	[CT_SL_OPTION_TIMELINE] =
		{.name = "timeline",
                 .help = "also write when each SM changes its mode under DynEB\n(SW records; replays)",
                 .replays = 1},
};

/* Cores are no key of the GPU here: every core's stream stays what it is. */
static const struct ct_mechanism_sweep sweeps[] = {
	{.key = "l1.latency",
         .rule = {.unit = CT_UNIT_CYCLES, .low = 1, .high = 1e9, .whole = 1, .step = 1},
         .example = "l1.latency=8..64:8"},
	{.key = "l1.size",
         .rule = {.unit = CT_UNIT_BYTES, .low = 1, .high = 1099511627776.0, .whole = 1, .factor = 2},
         .example = "l1.size=16KiB..256KiB"},
	{.key = "cores",
         .rule = {.low = 1, .high = 1 << 20, .whole = 1, .step = 1},
         .example = "cores=10..80:10"},
};

static const double *values(const struct ct_mechanism_run *run)
{
	return ((const struct ct_sl_run *)run->state)->params.v;
}

static int sweep(struct ct_mechanism_run *run, struct ct_error *e)
{
	const struct ct_sl_run *s = run->state;
	return ct_sl_answer_sweep(&s->answer, run->sweep, run->p, e);
}

/* Private+ is the same storage spent in a simpler way; Private-2x doubles an L1, whereas sharing adds queues and
 * counters only. Hypothetical bounds nothing: it shares always, at one look-up per home and cycle, and so loses where homes
 * camp, where DynEB stays private or goes around the home. */
static const char *const alternatives[] = {"Private+", NULL};

const struct ct_mechanism ct_mechanism_shared_l1 = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = "shared-l1",
	.aliases = aliases,
	.command = "sharedl1-est",
	.summary = "estimate L1 caches shared by all SMs",
	.title = "Shared L1",
	.page = "cachetriage-shared-l1",
	.folder = "shared_l1",
	.published = 1,
	.judged = "DynEB",
	.baseline = "Private",
	.alternatives = alternatives,
	.ideal = "Ideal-L1",
	.bound = CT_BOUND_L1,
	.estimate_error = {0.28, 0.8},
	.systems = systems,
	.n_systems = CT_SL_SYSTEMS,
	.metrics = metrics,
	.n_metrics = sizeof metrics / sizeof metrics[0],
	.items = items,
	.n_items = sizeof items / sizeof items[0],
	.parameters = &ct_sl_constants,
	.options = options,
	.n_options = CT_SL_OPTIONS,
	.sweeps = sweeps,
	.n_sweeps = sizeof sweeps / sizeof sweeps[0],
	.places = CT_PLACE_L1_LINES | CT_PLACE_L1_SHARING | CT_PLACE_NETWORK,
	.views = CT_READS_L1 | CT_READS_MERGED | CT_READS_LLC | CT_READS_LINE_USE | CT_READS_REPLICATION,
	.curve = CT_DRAWS_L1,
	.by_cache = 1,
	.merged_miss_rate = "shared_l1_miss_rate",
	.always = &ct_sl_watch_observer,
	.observer = &ct_sl_order_observer,
	.open = ct_sl_open,
	.close = ct_sl_close,
	.values = values,
	.estimate = ct_sl_estimate_run,
	.replay = ct_sl_replay,
	.sweep = sweep,
	.engine = ct_sl_engine,
	.engine_free = ct_sl_engine_free,
	.replay_records = ct_sl_replay_records,
	.any_engine = ct_sl_any_engine,
	.any_engine_free = ct_sl_any_engine_free,
	.parse_file = ct_sl_parse_file,
	.acted = ct_sl_acted,
	.reason = ct_sl_reason,
	.cure = ct_sl_cure,
	.show = ct_sl_show,
	.show_published = ct_sl_show_published,
	.show_overheads = ct_sl_show_overheads,
	.figures = ct_sl_figures,
	.shows_replays = 1,
};

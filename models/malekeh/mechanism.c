/* mechanism.c - Malekeh as one of the program's mechanisms: its table, and how a run of it goes. */
#include "models/mechanism.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/malekeh/any_engine.h"
#include "models/malekeh/figure_list.h"
#include "models/malekeh/run.h"

/* ---- a run ---- */

static const char *option_of(const struct ct_mechanism_run *run, int which)
{
	return run->option ? run->option[which] : NULL;
}

/* The STHLD machine in force: the file that an option names, or the one in the data folder. */
static int load_table(const struct ct_mechanism_run *run, struct ct_mk_sthld_table *table,
                      struct ct_error *e)
{
	const char *file = option_of(run, MK_OPTION_TABLE);
	struct ct_buf path = {0};
	if (file)
		return ct_mk_sthld_load(table, file, e);
	ct_buf_printf(&path, "%s/malekeh/sthld.tsv", run->data_dir);
	int st = ct_buf_check(&path, e);
	if (st == CT_OK)
		st = ct_mk_sthld_load(table, path.data, e);
	ct_buf_free(&path);
	return st;
}

static int open_run(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct mk_run *own = ct_calloc(1, sizeof *own);
	int st = CT_OK;
	run->state = own;
	if (!own)
		return ct_fail_nomem(e);
	ct_mk_defaults(&own->params);
	for (size_t i = 0; i < run->n_set && st == CT_OK; i++)
		st = ct_mk_set(&own->params, run->set[i], e);
	if (st == CT_OK)
		st = load_table(run, &own->table, e);
	return st == CT_OK ? mk_request_make(&own->request, run, e) : st;
}

static void close_run(struct ct_mechanism_run *run)
{
	struct mk_run *own = mk_run_of(run);
	if (own) {
		mk_request_free(&own->request);
		ct_mk_masks_clear(&own->masks);
	}
	free(own);
	run->state = NULL;
}

static const double *values_of(const struct ct_mechanism_run *run)
{
	return mk_run_of(run)->params.v;
}

/* ---- the estimate ---- */

/* 1 if p holds what the pass measures. */
static int is_measured(const struct ct_profile *p)
{
	struct ct_estimate es;
	return ct_profile_get_estimate(p, "all", MK_MECHANISM, "Malekeh", "speedup", "replay", &es);
}

/* Whether something is asked for that only the trace can tell, whatever the profile holds. */
static int asks_for_more(const struct ct_mechanism_run *run)
{
	return run->sweep || option_of(run, MK_OPTION_STUDIES) || option_of(run, MK_OPTION_TABLE);
}

static int is_own(void *ctx, const struct ct_record *r)
{
	(void)ctx;
	return r->nfields > 1 && strcmp(r->field[1], MK_MECHANISM) == 0;
}

/* Takes over the records that a pass over the same trace on the same GPU has made. */
static int adopt_records(struct ct_profile *into, const struct ct_profile *from, struct ct_error *e)
{
	const struct ct_record *r;
	struct ct_estimate es;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(from, "ES", &i));)
		if (r->nfields > 3 && is_own(NULL, r) &&
		    ct_profile_get_estimate(from, r->field[0], MK_MECHANISM, r->field[2], r->field[3],
		                            "replay", &es))
			st = ct_profile_add_estimate(into, &es, e);
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(from, "SW", &i));)
		if (r->nfields > 3 && is_own(NULL, r))
			st = ct_profile_put(into, "SW", r->nfields, r->field, e);
	return st;
}

/* Says why a profile does not answer where the trace is not to be read. */
static int refuse_profile(const struct ct_mechanism_run *run, int measured, struct ct_error *e)
{
	if (measured && run->changed)
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile's malekeh was measured on another GPU: name the trace "
		               "instead of the profile");
	if (measured)
		return ct_fail(
			e, CT_ERR_INPUT,
			"the profile's malekeh was measured with other parameters: name the trace "
			"instead of the profile");
	return ct_fail(e, CT_ERR_INPUT, "profile lacks malekeh: run reuse --mechanisms all");
}

/* Runs the trace behind the profile again; *have tells whether that went well. Without a trace `auto` falls
 * back on the bounds. */
static int measure_again(struct ct_mechanism_run *run, int *have, struct ct_error *e)
{
	struct ct_profile *p = NULL;
	struct ct_error why = {0};
	int st = run->pass_again(run, run->mechanism->command, &p, &why);
	if (st < 0 && st != CT_ERR_NOMEM && run->method == CT_BY_AUTO && !run->check &&
	    !asks_for_more(run)) {
		ct_warn(&run->settings->diag, "%s; bounds only", why.text);
		return CT_OK;
	}
	if (st < 0)
		return ct_fail(e, st, "%s", why.text);
	*have = 1;
	if (run->changed) {
		run->take(run, p);
		return CT_OK;
	}
	st = adopt_records(run->p, p, e);
	ct_profile_free(p);
	return st;
}

/* The pass has measured everything; a profile that does not answer the question is measured anew from its
 * trace. Bounds come from the histograms, where nothing better is there or both are to be compared. */
static int estimate(struct ct_mechanism_run *run, struct ct_error *e)
{
	int have = run->from_trace && !run->changed && run->method != CT_BY_ANALYTIC,
	    measured = is_measured(run->p), st = CT_OK;
	if (run->changed) /* its records are of the other GPU */
		ct_profile_remove(run->p, "ES", is_own, NULL);
	if (!have && run->method != CT_BY_ANALYTIC) {
		have = run->method == CT_BY_AUTO && !asks_for_more(run) && !run->changed &&
		       !run->n_set && measured;
		if (!have)
			st = run->pass_again ? measure_again(run, &have, e)
			                     : refuse_profile(run, measured, e);
	}
	if (st == CT_OK && (!have || run->check))
		st = ct_mk_bounds_write(run->gpu, run->p, e);
	return st;
}

/* The observer has written the points of a sweep in its pass. */
static int sweep(struct ct_mechanism_run *run, struct ct_error *e)
{
	if (run->method == CT_BY_ANALYTIC)
		return ct_fail(e, CT_ERR_USAGE,
		               "--sweep %s needs the trace: leave out --method analytic",
		               run->sweep->key);
	return CT_OK;
}

/* ---- the table ---- */

/* The same collectors, which forget, and the same scheduler. */
static const char *const alternatives[] = {"OCU", NULL};

static const struct ct_mechanism_system systems[] = {
	{"OCU", "two operand collectors, GTO", 0},
	{"OCU-8", "eight operand collectors, GTO", 0},
	{"RFC", "register file cache of two active warps", 1},
	{"SW-RFC", "compiler-filled register hierarchy, two active warps", 1},
	{"LTRF", "prefetched register intervals, two active warps", 1},
	{"BOW", "a bypassing collector for each warp, window of three", 0},
	{"Malekeh", "two caching collectors of eight entries", 0},
	{"Malekeh_PR", "a caching collector for each warp", 0},
	{"GTO+LRU", "Malekeh's hardware, GTO, LRU, every result cached", 0},
	{"OCU-ideal", "OCU whose operands are there at once, a bound", 0},
	{"OCU-own", "the GPU's own collectors and scheduler", 0},
	{"OCU-16", "sixteen operand collectors, GTO", 0},
	{"OCU-mono", "one scheduler for the SM, GTO", 0},
	{"RFC-mono", "RFC, one scheduler, eight active warps", 1},
	{"SW-RFC-mono", "SW-RFC, one scheduler, eight active warps", 1},
	{"Malekeh-oracle", "Malekeh with each operand's true distance", 0},
	{"Malekeh-profile-all", "Malekeh profiled over every warp", 0},
	{"Malekeh-ports", "Malekeh with unbounded write ports", 0},
};

static const struct ct_mechanism_option options[MK_OPTIONS] = {
	[MK_OPTION_STUDIES] =
		{"studies", NULL,
                 "also run 16 collectors, monolithic SMs, oracle bits, a\nprofile of all warps, unbounded ports",
                 1},
	[MK_OPTION_TABLE] = {"sthld-table", "FILE",
                             "transitions of the STHLD machine, in the form of\ndata/malekeh/sthld.tsv",
                             1},
};

/* clang-format off */
#define METRIC(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_NEITHER}
#define LESS(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_LESS}
#define MORE(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_MORE}
#define GIVEN(name, unit) {name, unit, CT_METRIC_NA, NULL, NULL, 0, CT_METRIC_GIVEN}
/* clang-format on */
static const struct ct_metric metrics[] = {
	MORE("rf_hit_ratio", "ratio"),
	MORE("rf_hit_ratio_distinct", "ratio"),
	LESS("rf_bank_reads_ratio", "ratio"),
	LESS("rf_energy_ratio", "ratio"),
	METRIC("rf_cache_writes_ratio", "ratio"),
	LESS("issue_stall_fraction", "ratio"),
	MORE("issue_fraction", "ratio"),
	METRIC("pending_ready_fraction", "ratio"),
	LESS("no_ready_fraction", "ratio"),
	LESS("bank_conflict_fraction", "ratio"),
	GIVEN("rf_cache_bytes", "bytes"),
	METRIC("near_lost", "ratio"),
	METRIC("stale_dropped", "ratio"),
	METRIC("uncached_operands", "ratio"),
	METRIC("sthld_mean", "waits"),
};

const struct ct_mechanism ct_mechanism_malekeh = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = MK_MECHANISM,
	.command = "malekeh-est",
	.summary = "estimate caches in front of the register file (Malekeh)",
	.title = "Malekeh",
	.page = "cachetriage-malekeh",
	.folder = "malekeh",
	.published = 1,
	.judged = "Malekeh",
	.baseline = "OCU",
	.configured = "OCU-own",
	.alternatives = alternatives,
	.ideal = "OCU-ideal",
	.bound = CT_BOUND_REGISTERS,
	.estimate_error = {0.02, 1},
	.systems = systems,
	.n_systems = sizeof systems / sizeof systems[0],
	.metrics = metrics,
	.n_metrics = sizeof metrics / sizeof metrics[0],
	.parameters = &ct_mk_constants,
	.options = options,
	.n_options = MK_OPTIONS,
	.sweeps = mk_sweeps,
	.n_sweeps = MK_SWEEPS,
	.places = CT_PLACE_SCHEDULER | CT_PLACE_COLLECTOR,
	.views = CT_READS_REGISTERS,
	.curve = CT_DRAWS_REGISTERS,
	.needs_pass = 1,
	.observer = &mk_observer,
	.open = open_run,
	.close = close_run,
	.values = values_of,
	.measured = is_measured,
	.estimate = estimate,
	.replay = mk_replay,
	.sweep = sweep,
	.engine = mk_engine,
	.engine_free = mk_engine_free,
	.is_configured = mk_is_configured,
	.any_engine = ct_mk_any_engine,
	.any_engine_free = ct_mk_any_engine_free,
	.parse_file = ct_mk_parse_file,
	.acted = mk_acted,
	.reason = mk_reason,
	.cure = mk_cure,
	.show = mk_show,
	.show_published = mk_show_published,
	.show_overheads = mk_show_overheads,
	.figures = ct_mk_figures,
};

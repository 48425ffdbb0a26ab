/* run.c - a run of the mechanism: its estimate, its replays, and what a pass replays for it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/shared_l1/replayed.h"
#include "models/shared_l1/state.h"

/* The systems, and the user's GPU where it has another network; how many mode changes a timeline tells. */
enum { ENGINES_MAX = CT_SL_REPLAYED + 1, TIMELINE_MAX = 100000 };

/* ---- replays ---- */

/* Systems through the engine, in one pass over the trace. */
struct replays {
	struct ct_sl_part *part[ENGINES_MAX];
	int system[ENGINES_MAX]; /* index into the table */
	unsigned n, configured;  /* the engine that is the user's GPU; 0: Private is */
	struct ct_replays_engine engine[ENGINES_MAX];
	struct ct_replay_counts total[ENGINES_MAX];
};

/* Private L1s behind a crossbar are the engine's own: without parts it is faster, and any timing can replay it. */
static const struct ct_replay_parts *plugs_of(const struct ct_sl_part *part)
{
	const struct ct_replay_parts *x = ct_sl_part_parts(part);
	return x->l1 || x->network || x->own ? x : NULL;
}

/* Makes the engine that replays a system. */
static int make_engine(struct ct_replays_engine *engine, struct ct_sl_part **part, int system,
                       const struct ct_gpu *g, const struct ct_sl_params *p, enum ct_sl_network kind,
                       const struct ct_sl_place *place, uint64_t warmup, struct ct_error *e)
{
	const struct ct_sl_system *s = ct_sl_system_at((size_t)system);
	int st = ct_sl_part_new(part, s, g, p, kind, place, e);
	if (st != CT_OK)
		return st;
	*engine = (struct ct_replays_engine){
		.gpu = ct_sl_part_gpu(*part),
		.options = {.timing = CT_REPLAY_FULL,
	                    .warmup = warmup,
	                    .ideal = s->never_misses ? CT_REPLAY_IDEAL_L1 : 0u,
	                    .replication = !s->shared,
	                    .parts = plugs_of(*part)}};
	return CT_OK;
}

static int add_engine(struct replays *x, const struct ct_sl_answer *a, int system,
                      enum ct_sl_network kind, const struct ct_sl_place *place, uint64_t warmup,
                      struct ct_error *e)
{
	int st = make_engine(&x->engine[x->n], &x->part[x->n], system, &a->model.gpu, &a->model.p, kind,
	                     place, warmup, e);
	if (st == CT_OK)
		x->system[x->n++] = system;
	return st;
}

/* Private, which the others are held against, comes first and is always among them. */
static int add_engines(struct replays *x, const struct ct_sl_answer *a, const struct ct_sl_place *place,
                       unsigned systems, uint64_t warmup, struct ct_error *e)
{
	enum ct_sl_network own = ct_sl_network_of(&a->model.gpu), kind = a->model.p.network;
	int st = CT_OK;
	systems |= 1u << CT_SL_PRIVATE;
	for (int i = 0; i < CT_SL_REPLAYED && st == CT_OK; i++)
		if (systems >> ct_sl_replayed_at(i) & 1)
			st = add_engine(x, a, ct_sl_replayed_at(i), kind, place, warmup, e);
	if (st == CT_OK && own != kind) {
		x->configured = x->n;
		st = add_engine(x, a, CT_SL_PRIVATE, own, place, warmup, e);
	}
	return st;
}

/* Makes rows of what the engines counted. timeline: where DynEB's mode changes go, or NULL. */
static int collect_rows(struct replays *x, const struct ct_sl_answer *a, struct ct_profile *timeline,
                        struct ct_sl_row *rows, struct ct_error *e)
{
	struct ct_sl_estimate *est = ct_calloc(CT_SL_SYSTEMS, sizeof *est);
	struct ct_sl_part_counts c;
	int st = CT_OK;
	if (!est)
		return ct_fail_nomem(e);
	for (unsigned i = 0; i < x->n && !(x->configured && i == x->configured); i++) {
		int system = x->system[i];
		ct_sl_part_counts(x->part[i], &c);
		ct_sl_replayed_estimate(a, system, &x->total[i], &c, &est[system]);
		if (timeline && system == CT_SL_DYNEB && st == CT_OK)
			st = ct_sl_replayed_timeline(
				ct_sl_system_at((size_t)system)->name, ct_sl_part_org(x->part[i]),
				a->model.gpu.sms, TIMELINE_MAX, timeline, e);
	}
	const struct ct_replay_counts *own = &x->total[x->configured]; /* else Private, the first */
	ct_sl_replayed_rows(a, est, (double)(own->cycles - own->launch_cycles), rows);
	free(est);
	return st;
}

/* Replays systems (a mask of the table) from the trace that p was made from; of rows[] those of the mask
 * count. */
static int replay_systems(const struct ct_sl_answer *a, const struct ct_profile *p,
                          const struct ct_pass_settings *settings, const char *why,
                          const struct ct_sl_place *place, unsigned systems, struct ct_profile *timeline,
                          struct ct_sl_row *rows, struct ct_error *e)
{
	struct replays *x = ct_calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	int st = add_engines(x, a, place, systems, settings->warmup, e);
	if (st == CT_OK)
		st = ct_replays_run(p, settings, why, x->engine, x->n, NULL, x->total, e);
	if (st == CT_OK)
		st = collect_rows(x, a, timeline, rows, e);
	for (unsigned i = 0; i < x->n; i++)
		ct_sl_part_free(x->part[i]);
	free(x);
	return st;
}

/* Who asks for replays alone gets no estimates. A timeline stands before them: replay() writes them then. */
static int writes_estimates(const struct ct_mechanism_run *run)
{
	return run->method != CT_BY_REPLAY || run->check;
}

int ct_sl_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e)
{
	struct ct_sl_run *s = run->state;
	unsigned systems = run->judged_only ? 1u << CT_SL_PRIVATE | 1u << CT_SL_DYNEB |
	                                              1u << CT_SL_PLUS | 1u << CT_SL_IDEAL
	                                    : CT_SL_ALL;
	if (!s->answered)
		return ct_fail(
			e, CT_ERR_USAGE,
			"shared L1s are replayed with the energies of their estimate: estimate them "
			"first");
	int st = replay_systems(&s->answer, run->p, run->settings, why, s->has_place ? &s->place : NULL,
	                        systems, s->timeline ? run->p : NULL, s->replayed, e);
	if (st == CT_OK && s->timeline && writes_estimates(run))
		st = ct_sl_answer_write(&s->answer, run->p, e);
	if (st != CT_OK)
		return st;
	s->replayed_systems = systems;
	return ct_sl_replayed_write(&s->answer, s->replayed, systems, run->p, e);
}

/* One system for replays beside others. */
struct engine_parts {
	struct ct_sl_part *part;
	struct ct_sl_place place;
};

int ct_sl_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
                 void **parts, struct ct_error *e)
{
	const struct ct_sl_run *s = run->state;
	const struct ct_sl_system *row = ct_sl_system_at(system);
	struct engine_parts *x = ct_calloc(1, sizeof *x);
	struct ct_sl_params params = s->params;
	int placed = 0;
	params.cores = run->sms;
	*parts = x;
	if (!x)
		return ct_fail_nomem(e);
	if (!row || row->best)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s is no system of its own: replay those that it is the best of",
		               row ? row->name : "a system behind the last");
	int st = ct_sl_find_place(s, run->gpu, &x->place, &placed, e);
	enum ct_sl_network kind = s->params.network == CT_SL_NET_AUTO ? ct_sl_network_of(run->gpu)
	                                                              : s->params.network;
	if (st == CT_OK)
		st = make_engine(engine, &x->part, (int)system, run->gpu, &params, kind,
		                 placed ? &x->place : NULL, run->settings->warmup, e);
	return st;
}

void ct_sl_engine_free(void *parts)
{
	struct engine_parts *x = parts;
	if (x)
		ct_sl_part_free(x->part);
	free(x);
}

void ct_sl_replay_records(const struct ct_mechanism_run *run, unsigned system,
                          const struct ct_replay_counts *total, const void *parts, struct ct_records *w)
{
	const struct engine_parts *x = parts;
	struct ct_sl_part_counts counts = {0};
	(void)run;
	if (x && x->part)
		ct_sl_part_counts(x->part, &counts);
	ct_sl_replayed_rates((int)system, total, &counts, w);
}

/* ---- the estimate ---- */

/* Replays that came with the profile stand for estimates, if they are of what is asked now. */
static void use_held(const struct ct_mechanism_run *run, struct ct_sl_run *s)
{
	if (run->changed || (!run->from_trace && (s->own_choices || run->n_set)))
		ct_sl_replayed_drop(run->p);
	s->held = 0;
	memcpy(s->mixed, s->answer.row, sizeof s->mixed);
	if (run->method == CT_BY_AUTO)
		s->held = ct_sl_replayed_take(run->p, s->mixed);
}

int ct_sl_estimate_run(struct ct_mechanism_run *run, struct ct_error *e)
{
	struct ct_sl_run *s = run->state;
	if (s->answered)
		ct_sl_answer_free(&s->answer);
	s->answered = 0;
	s->replayed_systems = 0;
	if (!run->workload)
		return ct_workload_missing(
			run->p, run->base->sms, (double)ct_gpu_register_bytes(run->base), e);
	int st = ct_sl_find_place(s, run->gpu, &s->place, &s->has_place, e);
	if (st == CT_OK)
		st = ct_sl_answer_init(&s->answer, run->p, run->workload, run->base, run->gpu,
		                       &s->params,
		                       ct_sl_asks_mesh(&s->params, run->gpu) ? &s->place : NULL, e);
	if (st != CT_OK)
		return st;
	s->answered = 1;
	use_held(run, s);
	return writes_estimates(run) && !s->timeline ? ct_sl_answer_write(&s->answer, run->p, e) : CT_OK;
}

const struct ct_sl_row *ct_sl_shown_rows(const struct ct_mechanism_run *run)
{
	const struct ct_sl_run *s = run->state;
	if (s->replayed_systems == CT_SL_ALL && run->method == CT_BY_REPLAY)
		return s->replayed;
	return s->held ? s->mixed : s->answer.row;
}

/* ---- after a pass ---- */

/* What an estimate has, for the profile of a pass that has just ended. */
struct measure {
	struct ct_workload work;
	struct ct_sl_place place;
	struct ct_sl_answer answer;
	struct ct_sl_row rows[CT_SL_SYSTEMS];
};

/* Replays the systems whose miss rates order decides and writes them. What cannot be read again, as standard
 * input, is a warning: the estimates stay. */
static int replay_sensitive(struct measure *m, const struct ct_pass_settings *settings,
                            const struct ct_sl_place *place, struct ct_profile *p, struct ct_error *e)
{
	struct ct_error own = {0};
	unsigned systems = ct_sl_rows_sensitive(m->answer.row);
	if (!systems)
		return CT_OK;
	for (unsigned i = 0; i < CT_SL_SYSTEMS; i++) /* Best is of both that it is chosen from */
		if (ct_sl_system_at(i)->best && systems >> CT_SL_SHARED_PP & 1)
			systems |= 1u << i;
	int st = replay_systems(&m->answer, p, settings, "--mechanisms shared-l1", place, systems, NULL,
	                        m->rows, &own);
	if (st == CT_OK)
		return ct_sl_replayed_write(&m->answer, m->rows, systems, p, e);
	if (st == CT_ERR_NOMEM)
		return ct_fail(e, st, "%s", own.text);
	ct_warn(&settings->diag, "order-sensitive systems of shared-l1 were not replayed: %s", own.text);
	return CT_OK;
}

/* Estimates the systems from the profile that the pass has made, to see which of them the order of accesses
 * decides. */
static int measure_order(const struct ct_sl_run *s, const struct ct_pass_setup *setup, struct measure *m,
                         struct ct_profile *p, struct ct_error *e)
{
	const struct ct_gpu *g = setup->gpu;
	int placed = 0, st = ct_sl_find_place(s, g, &m->place, &placed, e);
	if (st == CT_OK)
		st = ct_workload_read(&m->work, p, g->sms, (double)ct_gpu_register_bytes(g), e);
	m->work.cache = ct_miss_cache_new(); /* without one it only takes longer */
	if (st == CT_OK)
		st = ct_sl_answer_init(&m->answer, p, &m->work, g, g, &s->params,
		                       ct_sl_asks_mesh(&s->params, g) ? &m->place : NULL, e);
	if (st == CT_OK) {
		st = replay_sensitive(m, setup->settings, placed ? &m->place : NULL, p, e);
		ct_sl_answer_free(&m->answer);
	}
	ct_miss_cache_free(m->work.cache);
	return st;
}

static int after_pass(void *ctx, const struct ct_pass_setup *setup, struct ct_profile *p,
                      struct ct_error *e)
{
	const struct ct_mechanism_run *run = ctx;
	struct measure *m = ct_calloc(1, sizeof *m);
	if (!m)
		return ct_fail_nomem(e);
	int st = measure_order(run->state, setup, m, p, e);
	free(m);
	return st;
}

const struct ct_pass_observer ct_sl_order_observer = {.name = "shared-l1", .after = after_pass};

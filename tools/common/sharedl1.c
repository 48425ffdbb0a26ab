#include "common/sharedl1.h"

#include <stdlib.h>
#include <string.h>

#include "pass/replays.h"

/* The systems, and the user's GPU where it has another network. */
enum { ENGINES = CT_SL_REPLAYED + 1, TIMELINE_MAX = 100000 };

struct replay {
	struct ct_tool *tool;
	struct ct_sl_part *part[ENGINES];
	int system[ENGINES];     /* index into the table */
	unsigned n, configured;  /* the engine that is the user's GPU */
	struct ct_replays_engine engine[ENGINES];
	struct ct_replay_counts total[ENGINES];
};

static int add_engine(struct replay *x, const struct ct_sl_answer *a, int system,
                      enum ct_sl_network kind, const struct ct_sl_place *place,
                      struct ct_error *e)
{
	const struct ct_sl_system *s = ct_sl_system_at((size_t)system);
	int st = ct_sl_part_new(&x->part[x->n], s, &a->model.gpu, &a->model.p, kind, place, e);
	if (st != CT_OK)
		return st;
	x->engine[x->n] = (struct ct_replays_engine){
		.gpu = ct_sl_part_gpu(x->part[x->n]),
		.options = {.timing = CT_REPLAY_FULL, .warmup = x->tool->warmup,
		            .replication = !s->shared, .parts = ct_sl_part_parts(x->part[x->n])}};
	x->system[x->n++] = system;
	return CT_OK;
}

static int make(struct replay *x, const struct ct_sl_answer *a, const struct ct_sl_place *place,
                unsigned systems, struct ct_error *e)
{
	enum ct_sl_network own = ct_sl_network_of(&a->model.gpu), kind = a->model.p.network;
	int st = CT_OK;
	systems |= 1u << CT_SL_PRIVATE;
	for (int i = 0; i < CT_SL_REPLAYED && st == CT_OK; i++)
		if (systems >> ct_sl_replayed_at(i) & 1)
			st = add_engine(x, a, ct_sl_replayed_at(i), kind, place, e);
	if (st == CT_OK && own != kind) {
		x->configured = x->n;
		st = add_engine(x, a, CT_SL_PRIVATE, own, place, e);
	}
	return st;
}

static int collect(struct replay *x, struct ct_stage *s, const struct ct_sl_answer *a,
                   int timeline, struct ct_sl_row *rows, struct ct_error *e)
{
	struct ct_sl_estimate *est = calloc(CT_SL_SYSTEMS, sizeof *est);
	struct ct_sl_part_counts c;
	int st = CT_OK;
	if (!est)
		return ct_fail_nomem(e);
	for (unsigned i = 0; i < x->n; i++) {
		int system = x->system[i];
		if (x->configured && i == x->configured)
			break;
		ct_sl_part_counts(x->part[i], &c);
		ct_sl_replayed_estimate(a, system, &x->total[i], &c, &est[system]);
		if (timeline && system == CT_SL_DYNEB)
			st = ct_sl_replayed_timeline(ct_sl_system_at((size_t)system)->name,
			                             ct_sl_part_org(x->part[i]), s->gpu.sms, TIMELINE_MAX, s->p, e);
	}
	const struct ct_replay_counts *own = &x->total[x->configured]; /* else Private, the first */
	ct_sl_replayed_rows(a, est, (double)(own->cycles - own->launch_cycles), rows);
	free(est);
	return st;
}

int ct_sharedl1_replay(struct ct_tool *t, struct ct_stage *s, const struct ct_sl_answer *a,
                       const struct ct_sl_place *place, unsigned systems, int timeline,
                       struct ct_sl_row *rows, struct ct_error *e)
{
	struct replay *x = calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	struct ct_pass_settings settings;
	x->tool = t;
	int st = make(x, a, place, systems, e);
	ct_tool_pass_settings(t, &settings);
	if (st == CT_OK)
		st = ct_replays_run(s->p, &settings, t->check ? "--check" : timeline ? "--timeline"
		                    : t->method == CT_METHOD_REPLAY ? "--method replay" : "--mechanisms shared-l1",
		                    x->engine, x->n, NULL, x->total, e);
	if (st == CT_OK)
		st = collect(x, s, a, timeline, rows, e);
	for (unsigned i = 0; i < x->n; i++)
		ct_sl_part_free(x->part[i]);
	free(x);
	return st;
}

/* ---- --mechanisms shared-l1 ---- */

int ct_sharedl1_is_key(const char *set)
{
	return !strncmp(set, "shared-l1.", 10) || !strncmp(set, "shared_l1.", 10) ||
	       !strncmp(set, "sharedl1.", 9);
}

/* What a stage would be handed. */
struct measure {
	struct ct_stage stage;
	struct ct_workload work;
	struct ct_sl_params params;
	struct ct_sl_place place;
	struct ct_sl_answer answer;
	struct ct_sl_row rows[CT_SL_SYSTEMS];
};

static int replay_sensitive(struct ct_tool *t, struct measure *m, const struct ct_sl_place *place,
                            struct ct_error *e)
{
	struct ct_error own = {0};
	unsigned systems = ct_sl_rows_sensitive(m->answer.row);
	if (!systems)
		return CT_OK;
	for (unsigned i = 0; i < CT_SL_SYSTEMS; i++) /* Best is of both that it is chosen from */
		if (ct_sl_system_at(i)->best && systems >> CT_SL_SHARED_PP & 1)
			systems |= 1u << i;
	int st = ct_sharedl1_replay(t, &m->stage, &m->answer, place, systems, 0, m->rows, &own);
	if (st == CT_OK)
		return ct_sl_replayed_write(&m->answer, m->rows, systems, m->stage.p, e);
	if (st == CT_ERR_NOMEM)
		return ct_fail(e, st, "%s", own.text);
	struct ct_diag d = ct_tool_diag(t);
	ct_warn(&d, "order-sensitive systems of shared-l1 were not replayed: %s", own.text);
	return CT_OK;
}

static int measure(struct ct_tool *t, struct measure *m, struct ct_error *e)
{
	const struct ct_gpu *g = &m->stage.gpu;
	int mesh = ct_sl_network_of(g) == CT_SL_NET_MESH, st = CT_OK;
	ct_sl_defaults(&m->params);
	for (size_t i = 0; i < t->n_set && st == CT_OK; i++)
		if (ct_sharedl1_is_key(t->set[i]))
			st = ct_sl_set(&m->params, t->set[i], e);
	if (st == CT_OK && mesh)
		st = ct_sl_place_default(&m->place, g->sms, g->llc_partitions, e);
	if (st == CT_OK)
		st = ct_workload_read(&m->work, m->stage.p, g->sms, (double)ct_gpu_register_bytes(g), e);
	m->work.cache = ct_miss_cache_new(); /* without one it only takes longer */
	if (st == CT_OK)
		st = ct_sl_answer_init(&m->answer, m->stage.p, &m->work, g, g, &m->params,
		                       mesh ? &m->place : NULL, e);
	if (st == CT_OK) {
		st = replay_sensitive(t, m, mesh ? &m->place : NULL, e);
		ct_sl_answer_free(&m->answer);
	}
	ct_miss_cache_free(m->work.cache);
	return st;
}

int ct_sharedl1_measure(struct ct_tool *t, const struct ct_gpu *g, struct ct_profile *p,
                        struct ct_error *e)
{
	struct measure *m = calloc(1, sizeof *m);
	if (!m)
		return ct_fail_nomem(e);
	m->stage.p = p; /* not closed: the caller's */
	m->stage.base = m->stage.gpu = *g;
	m->stage.from_trace = 1;
	int st = measure(t, m, e);
	free(m);
	return st;
}

#include "sharedl1-est/replay.h"

#include <stdlib.h>
#include <string.h>

#include "common/replays.h"

/* The systems, and the user's GPU where it has another network. */
enum { ENGINES = CT_SL_REPLAYED + 1, TIMELINE_MAX = 100000 };

struct replay {
	struct ct_tool *tool;
	struct ct_sl_part *part[ENGINES];
	unsigned n;
	struct ct_replay *engine[ENGINES];
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
	struct ct_replay_options o = {.timing = CT_REPLAY_FULL, .warmup = x->tool->warmup,
	                              .replication = !s->shared,
	                              .parts = ct_sl_part_parts(x->part[x->n])};
	st = ct_replay_new(&x->engine[x->n], ct_sl_part_gpu(x->part[x->n]), &o, e);
	if (st != CT_OK) {
		ct_sl_part_free(x->part[x->n]);
		return st;
	}
	x->n++;
	return CT_OK;
}

static int make(struct replay *x, const struct ct_sl_answer *a, const struct ct_sl_place *place,
                struct ct_error *e)
{
	enum ct_sl_network own = ct_sl_network_of(&a->model.gpu), kind = a->model.p.network;
	int st = CT_OK;
	for (int i = 0; i < CT_SL_REPLAYED && st == CT_OK; i++)
		st = add_engine(x, a, ct_sl_replayed_at(i), kind, place, e);
	if (st == CT_OK && own != kind)
		st = add_engine(x, a, CT_SL_PRIVATE, own, place, e);
	for (unsigned i = 0; i < x->n && st != CT_OK; i++)
		ct_replay_free(x->engine[i]);
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
	for (int i = 0; i < CT_SL_REPLAYED; i++) {
		int system = ct_sl_replayed_at(i);
		ct_sl_part_counts(x->part[i], &c);
		ct_sl_replayed_estimate(a, system, &x->total[i], &c, &est[system]);
		if (timeline && system == CT_SL_DYNEB)
			st = ct_sl_replayed_timeline(ct_sl_system_at((size_t)system)->name,
			                             ct_sl_part_org(x->part[i]), s->gpu.sms, TIMELINE_MAX, s->p, e);
	}
	unsigned configured = x->n > CT_SL_REPLAYED ? CT_SL_REPLAYED : 0;
	const struct ct_replay_counts *own = &x->total[configured];
	ct_sl_replayed_rows(a, est, (double)(own->cycles - own->launch_cycles), rows);
	free(est);
	return st;
}

int sharedl1_replay(struct ct_tool *t, struct ct_stage *s, const struct ct_sl_answer *a,
                    const struct ct_sl_place *place, int timeline, struct ct_sl_row *rows,
                    struct ct_error *e)
{
	struct replay *x = calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	x->tool = t;
	int st = make(x, a, place, e);
	if (st == CT_OK)
		st = ct_replays_run(t, s, t->check ? "--check" : timeline ? "--timeline" : "--method replay",
		                    x->engine, x->n, x->total, e);
	if (st == CT_OK)
		st = collect(x, s, a, timeline, rows, e);
	for (unsigned i = 0; i < x->n; i++)
		ct_sl_part_free(x->part[i]);
	free(x);
	return st;
}

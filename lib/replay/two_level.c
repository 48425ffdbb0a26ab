/* The two-level warp scheduler as a part (reading two-level). */
#include <stdlib.h>

#include "base/mem.h"
#include "replay/parts.h"
#include "replay/private/engine.h"
#include "replay/scheduling.h"

struct level {
	uint64_t active;
	uint32_t last;
};

struct ct_two_level {
	struct ct_sched_part part;
	uint32_t schedulers, places;
	struct level *level; /* sm * schedulers + sched */
	uint64_t cycles[2];
};

/* Brings the set of active warps up to date, then picks one of it in turn. Counts in which state the
 * scheduler was. */
static int pick_two_level(void *ctx, struct ct_replay *r, const struct ct_sched_view *v, uint64_t cycle)
{
	struct ct_two_level *t = ctx;
	struct level *l = &t->level[v->sm * t->schedulers + v->sched];
	(void)cycle;
	const struct rp_warp *w = r->sm[v->sm].warp;
	l->active = ct_active_set(l->active, v->live & ~v->fetching, t->places, &w[v->sched].age,
	                          t->schedulers * sizeof *w);
	uint64_t can = l->active & v->ready;
	t->cycles[can ? 0 : 1]++;
	if (!can)
		return -1;
	l->last = ct_pick_in_turn(can, l->last);
	return (int)l->last;
}

/* Every set is empty at first and fills with the oldest warps. */
int ct_two_level_new(struct ct_two_level **out, const struct ct_gpu *g, uint32_t active,
                     struct ct_error *e)
{
	struct ct_two_level *t;
	*out = NULL;
	if (!active)
		return ct_fail(e, CT_ERR_USAGE, "a two-level scheduler without active warps");
	t = ct_calloc(1, sizeof *t);
	if (!t)
		return ct_fail_nomem(e);
	t->schedulers = g->schedulers;
	t->places = active;
	t->part.part.ctx = t;
	t->part.pick = pick_two_level;
	t->level = ct_calloc((size_t)g->sms * g->schedulers, sizeof *t->level);
	if (!t->level) {
		free(t);
		return ct_fail_nomem(e);
	}
	*out = t;
	return 0;
}

const struct ct_sched_part *ct_two_level_part(const struct ct_two_level *t)
{
	return &t->part;
}

void ct_two_level_states(const struct ct_two_level *t, uint64_t cycles[2])
{
	cycles[0] = t->cycles[0];
	cycles[1] = t->cycles[1];
}

void ct_two_level_free(struct ct_two_level *t)
{
	if (!t)
		return;
	free(t->level);
	free(t);
}

/* replays.c - the systems through the replay engine: all that were asked for in one pass, or one for replays beside
 * others. */
#include <stdlib.h>

#include "base/mem.h"
#include "models/morpheus/replayed.h"
#include "models/morpheus/state.h"

/* An engine asks for SM counts, which the estimate chooses. */
static int need_answer(const struct ct_mo_state *s, struct ct_error *e)
{
	return s->answered ? CT_OK
	                   : ct_fail(e, CT_ERR_USAGE,
	                             "Morpheus is replayed at the SM counts that its estimate "
	                             "chooses: estimate it first");
}

int ct_mo_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e)
{
	struct ct_mo_state *s = run->state;
	struct ct_replay_counts total[CT_MO_LANES_MAX];
	struct ct_replays_engine engine[CT_MO_LANES_MAX];
	struct ct_mo_replays *x = ct_calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	int st = need_answer(s, e);
	if (st == CT_OK)
		st = ct_mo_replays_init(x, &s->answer, run->settings->warmup, e);
	for (unsigned i = 0; i < x->n; i++)
		engine[i] = (struct ct_replays_engine){
			.gpu = &x->lane[i].gpu, .options = x->lane[i].options};
	if (st == CT_OK)
		st = ct_replays_run(run->p, run->settings, why, engine, x->n, NULL, total, e);
	if (st == CT_OK) {
		ct_mo_replays_rows(x, total, s->row);
		s->replayed = 1;
		st = ct_mo_answer_write_replayed(&s->answer, s->row, run->check, run->p, e);
	}
	ct_mo_replays_free(x);
	free(x);
	return st;
}

int ct_mo_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
                 void **parts, struct ct_error *e)
{
	const struct ct_mo_state *s = run->state;
	struct ct_mo_lane *l = ct_calloc(1, sizeof *l);
	*parts = l;
	if (!l)
		return ct_fail_nomem(e);
	int st = need_answer(s, e);
	if (st == CT_OK && (system >= CT_MO_SYSTEMS || !(s->answer.systems >> system & 1)))
		st = ct_fail(e, CT_ERR_USAGE,
		             "Morpheus: that system was not estimated: estimate all of them");
	if (st == CT_OK)
		st = ct_mo_lane_init(l, &s->answer, system, run->settings->warmup, e);
	*engine = (struct ct_replays_engine){.gpu = &l->gpu, .options = l->options};
	return st;
}

void ct_mo_engine_free(void *parts)
{
	if (parts)
		ct_mo_lane_free(parts);
	free(parts);
}

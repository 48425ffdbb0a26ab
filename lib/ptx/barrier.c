/* Barriers of a CTA. */
#include <string.h>

#include "base/bits.h"
#include "ptx/exec.h"

void ct_ptx_arrive(struct ct_ptx_warp *w, const struct ct_ptx_op *o)
{
	struct ct_ptx_split *s = &w->split[w->current];
	uint32_t lane = ct_low_bit(s->mask), id = ((const ct_ptx_u32 *)ct_ptx_at(w, o->a))[lane];
	uint32_t expected = o->b == CT_PTX_NO_ROW ? 0 : ((const ct_ptx_u32 *)ct_ptx_at(w, o->b))[lane];
	if (id >= CT_PTX_BARRIERS) {
		ct_ptx_stop(w, o, CT_PTX_BARRIER, s->mask);
		return;
	}
	struct ct_ptx_barrier *b = &w->run->barrier[id];
	b->arrived[w->index] |= s->mask;
	b->expected = expected;
	s->at++;
	if (o->mode >= CT_PTX_BAR_POPC) {
		b->ones += ct_bits(ct_ptx_bits(w, o->s) & s->mask);
		b->threads += ct_bits(s->mask);
	}
	if (o->mode == CT_PTX_BAR_ARRIVE)
		return;
	s->state = CT_PTX_SPLIT_AT_BARRIER;
	s->barrier = id;
	b->waiting++;
	ct_ptx_choose(w);
}

/* Whether lanes that meet at an operation end there: the kernel returns. */
static int ends_at(const struct ct_ptx_warp *w, const struct ct_ptx_split *s)
{
	const struct ct_ptx_op *o = &w->run->m->op[s->at];
	return w->frame[s->frame].call == CT_PTX_NO_TARGET && o->guard == CT_PTX_TRUE &&
	       (o->code == CT_PTX_ret || o->code == CT_PTX_exit);
}

/* Lanes that have come to where their split goes on, and wait there for its other lanes. */
static uint32_t waiting_lanes(const struct ct_ptx_warp *w, size_t split)
{
	const struct ct_ptx_split *s = &w->split[split];
	uint32_t lanes = s->state == CT_PTX_SPLIT_FREE || !s->children ? 0 : s->mask & w->alive;
	for (size_t k = 0; k < w->nsplits && lanes; k++)
		if (w->split[k].state != CT_PTX_SPLIT_FREE && w->split[k].parent == split)
			lanes &= ~w->split[k].mask;
	return lanes;
}

/* Lanes that have returned early: they wait for the others of their warp at the end of the kernel, since the warp executes that
 * once, and execute nothing before. */
static uint32_t returned(const struct ct_ptx_warp *w)
{
	uint32_t lanes = 0;
	for (size_t i = 0; i < w->nsplits; i++) {
		const uint32_t waiting = waiting_lanes(w, i);
		if (waiting && ends_at(w, &w->split[i]))
			lanes |= waiting;
	}
	return lanes;
}

/* Lanes that have ended, or returned, count as arrived in a warp that takes part. */
static int is_complete(const struct ct_ptx_run *r, const struct ct_ptx_barrier *b)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < r->warps; i++) {
		uint32_t gone = ~r->warp[i].alive;
		if (r->warp[i].alive & ~b->arrived[i])
			gone |= returned(&r->warp[i]);
		if (b->expected == 0 && ~(gone | b->arrived[i]))
			return 0;
		if (b->arrived[i])
			count += ct_bits(b->arrived[i] | gone);
	}
	return b->expected == 0 || count >= b->expected;
}

/* Results of bar.red for one split, into rows of its frame. */
static void give_result(struct ct_ptx_warp *w, const struct ct_ptx_split *s,
                        const struct ct_ptx_barrier *b)
{
	const struct ct_ptx_op *o = &w->run->m->op[s->at - 1];
	unsigned char *frame = w->base[CT_PTX_BASE_FRAME];
	if (o->code != CT_PTX_bar || o->mode < CT_PTX_BAR_POPC)
		return;
	w->base[CT_PTX_BASE_FRAME] = w->rows + w->frame[s->frame].rows;
	if (o->mode == CT_PTX_BAR_POPC) {
		for (uint32_t left = s->mask; left; left &= left - 1)
			((ct_ptx_u32 *)ct_ptx_at(w, o->d))[ct_low_bit(left)] = b->ones;
	} else {
		int holds = o->mode == CT_PTX_BAR_AND ? b->ones == b->threads : b->ones != 0;
		ct_ptx_set_bits(w, o->p, holds ? s->mask : 0, s->mask);
	}
	w->base[CT_PTX_BASE_FRAME] = frame;
}

/* Lets all lanes go on that wait at a barrier, with the barrier's result where they asked for one. */
static void let_go(struct ct_ptx_run *r, uint32_t id)
{
	struct ct_ptx_barrier *b = &r->barrier[id];
	for (uint32_t i = 0; i < r->warps; i++) {
		struct ct_ptx_warp *w = &r->warp[i];
		for (size_t k = 0; k < w->nsplits; k++) {
			struct ct_ptx_split *s = &w->split[k];
			if (s->state != CT_PTX_SPLIT_AT_BARRIER || s->barrier != id)
				continue;
			give_result(w, s, b);
			s->state = CT_PTX_SPLIT_RUNS;
			if (w->current == CT_PTX_NO_SPLIT)
				w->current = (uint32_t)k;
		}
		b->arrived[i] = 0;
	}
	b->waiting = b->ones = b->threads = 0;
}

int ct_ptx_release(struct ct_ptx_run *r)
{
	int released = 0;
	for (uint32_t id = 0; id < CT_PTX_BARRIERS; id++)
		if (r->barrier[id].waiting && is_complete(r, &r->barrier[id])) {
			let_go(r, id);
			released = 1;
		}
	return released;
}

/* Lets one group of waiting lanes go on by themselves. 1, 0 where none waits, -1 when out of memory. */
static int go_on(struct ct_ptx_warp *w)
{
	for (size_t i = 0; i < w->nsplits; i++) {
		const uint32_t lanes = waiting_lanes(w, i);
		if (lanes && !ends_at(w, &w->split[i]))
			return ct_ptx_part_from(w, (uint32_t)i, lanes) < 0 ? -1 : 1;
	}
	return 0;
}

int ct_ptx_go_alone(struct ct_ptx_run *r)
{
	int moved = 0, rc;
	for (uint32_t i = 0; i < r->warps; i++) {
		if (!r->warp[i].alive)
			continue;
		if ((rc = go_on(&r->warp[i])) < 0)
			return -1;
		moved |= rc;
	}
	return moved;
}

/* The interpreter: operations of one warp, in the order of its lanes' control flow. */
#include <string.h>

#include "base/bits.h"
#include "ptx/exec.h"
#include "ptx/run.h"

int ct_ptx_tell_straight(struct ct_ptx_run *r)
{
	struct ct_ptx_straight straight = r->straight;
	if (!straight.n)
		return 0;
	r->straight.n = 0;
	straight.cta = &r->cta;
	straight.access = r->untold->access;
	r->status = r->observer->straight(r->observer->ctx, &straight, r->e);
	return r->status < 0 ? -1 : 0;
}

/* Whether an operation has addresses that observers are told of. */
static inline int has_addresses(const struct ct_ptx_op *o)
{
	return o->code == CT_PTX_load || o->code == CT_PTX_store || o->code == CT_PTX_load_param ||
	       (o->code >= CT_PTX_atom && o->code <= CT_PTX_tex);
}

/* Those of them that may be told of together with others. */
static inline int is_access(const struct ct_ptx_op *o)
{
	return o->code == CT_PTX_load || o->code == CT_PTX_store || o->code == CT_PTX_load_param;
}

/* The space of each half of an asynchronous copy, which tells them apart even where no lane takes part. */
static inline enum ct_ptx_space space_of_copy(const struct ct_ptx_op *o)
{
	return o->code == CT_PTX_async_load    ? CT_PTX_GLOBAL
	       : o->code == CT_PTX_async_store ? CT_PTX_SHARED
	                                       : CT_PTX_GENERIC;
}

/* Tells the observer of an instruction, after what came before it. A lane whose asynchronous copy is of no bytes at all reads
 * nothing. */
static int tell(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t active, uint32_t mask)
{
	struct ct_ptx_run *r = w->run;
	const struct ct_ptx_observer *observer = r->observer;
	struct ct_ptx_event event = {
		.cta = &r->cta,
		.warp = w->index,
		.instruction = o->source,
		.active = active,
		.mask = o->code == CT_PTX_async_load ? mask & w->copied : mask,
		.space = space_of_copy(o)};
	if (event.mask && has_addresses(o)) {
		event.space = (enum ct_ptx_space)w->space;
		event.width = is_access(o) || o->code == CT_PTX_surface ? (uint32_t)o->width * o->count
		              : o->code == CT_PTX_tex                   ? w->texel_bytes
		                                                        : o->width;
		event.addresses = w->seen;
		event.even = w->shape != CT_PTX_SCATTERED && mask == CT_PTX_ALL_LANES && is_access(o);
		event.stride = w->shape == CT_PTX_ADJACENT ? event.width : 0;
	}
	if (ct_ptx_tell_straight(r) < 0)
		return -1;
	r->status = observer->instruction(observer->ctx, &event, r->e);
	return r->status < 0 ? -1 : 0;
}

/* Begins anew to gather instructions. */
static int gather_from(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t active)
{
	struct ct_ptx_run *r = w->run;
	if (ct_ptx_tell_straight(r) < 0)
		return -1;
	r->straight = (struct ct_ptx_straight){
		.warp = w->index, .first = o->source, .n = 1, .active = active};
	return 0;
}

/* Keeps the addresses of the access that was gathered last. */
static inline void keep_access(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	struct ct_ptx_run *r = w->run;
	uint32_t i = r->straight.accesses++;
	struct ct_ptx_access *a = &r->untold->access[i];
	uint64_t *row = r->untold->row[i];
	a->instruction = o->source;
	a->space = (enum ct_ptx_space)w->space;
	a->width = (uint32_t)o->width * o->count;
	a->even = w->shape != CT_PTX_SCATTERED && mask == CT_PTX_ALL_LANES;
	a->stride = w->shape == CT_PTX_ADJACENT ? a->width : 0;
	a->addresses = row;
	if (a->even)
		row[0] = w->seen[0];
	else
		memcpy(row, w->seen, sizeof r->untold->row[i]);
}

/* Counts an instruction, and tells of it, or remembers to: 0, or -1 where the launch ends. */
static inline int count(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t active, uint32_t mask)
{
	struct ct_ptx_run *r = w->run;
	struct ct_ptx_straight *s = &r->straight;
	if (!o->last)
		return 0;
	if (++r->steps > r->max_steps) {
		ct_ptx_stop(w, o, CT_PTX_STEPS, active);
		return -1;
	}
	if (!r->observes)
		return 0;
	int access = is_access(o);
	if (!r->gathers || mask != active || (has_addresses(o) && !access))
		return tell(w, o, active, mask);
	if (o->source != s->first + s->n || active != s->active || w->index != s->warp || !s->n ||
	    s->accesses == CT_PTX_UNTOLD) {
		if (gather_from(w, o, active) < 0)
			return -1;
	} else {
		s->n++;
	}
	if (access)
		keep_access(w, o, mask);
	return 0;
}

/* Lanes of the current split end. The split is over when none is left. */
static void end_lanes(struct ct_ptx_warp *w, uint32_t mask)
{
	struct ct_ptx_split *s = &w->split[w->current];
	w->alive &= ~mask;
	s->mask &= ~mask;
	s->at++;
	if (!s->mask)
		ct_ptx_end_split(w);
}

/* Calls a function, directly or by its address. Functions that the module only declares are the
 * host's. */
static int call(struct ct_ptx_warp *w, const struct ct_ptx_op *o)
{
	const struct ct_ptx_module *m = w->run->m;
	uint32_t target = o->target;
	if (o->code == CT_PTX_call_row) {
		if (ct_ptx_part(w, o, 8) < 0)
			return -1;
		const struct ct_ptx_split *s = &w->split[w->current];
		uint64_t address = ct_ptx_lane(ct_ptx_at(w, o->a), ct_low_bit(s->mask), 8) -
		                   CT_PTX_FUNCTION_WINDOW;
		if (address >= m->nfunctions || m->function[address].entry) {
			ct_ptx_stop(w, o, CT_PTX_CALL, s->mask);
			return -1;
		}
		target = (uint32_t)address;
	}
	if (m->function[target].defined)
		return ct_ptx_enter(w, o, target);
	if (ct_ptx_call_host(w, o, &m->function[target]) < 0)
		return -1;
	w->split[w->current].at++;
	return 0;
}

static int branch_by_table(struct ct_ptx_warp *w, const struct ct_ptx_op *o)
{
	const uint32_t *table = w->run->m->table + o->target;
	if (ct_ptx_part(w, o, 4) < 0)
		return -1;
	struct ct_ptx_split *s = &w->split[w->current];
	uint64_t index = ct_ptx_lane(ct_ptx_at(w, o->a), ct_low_bit(s->mask), 4);
	if (index >= table[0]) {
		ct_ptx_stop(w, o, CT_PTX_CALL, s->mask);
		return -1;
	}
	s->at = table[1 + index];
	return 0;
}

/* Member mask of an operation that lanes execute together; every lane where it names none. */
static uint32_t members(const struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *c = ct_ptx_at(w, o->c);
	uint32_t all = 0;
	if (o->code != CT_PTX_bar_warp && !o->round)
		return 0;
	for (; mask; mask &= mask - 1)
		all |= c[ct_low_bit(mask)];
	return all;
}

/* Every split of the warp waits: those that wait for one another at the same operation go on together.
 * 1 where some did, 0 where none waits so, -1 where the launch ends. */
static int meet_at_sync(struct ct_ptx_warp *w)
{
	uint32_t first = CT_PTX_NO_SPLIT, mask = 0;
	for (size_t i = 0; i < w->nsplits && first == CT_PTX_NO_SPLIT; i++)
		if (w->split[i].state == CT_PTX_SPLIT_AT_SYNC)
			first = (uint32_t)i;
	if (first == CT_PTX_NO_SPLIT)
		return 0;
	uint32_t at = w->split[first].at, frame = w->split[first].frame;
	for (size_t i = 0; i < w->nsplits; i++) {
		struct ct_ptx_split *s = &w->split[i];
		if (s->state == CT_PTX_SPLIT_AT_SYNC && s->at == at && s->frame == frame) {
			mask |= s->mask;
			s->state = CT_PTX_SPLIT_RUNS;
			s->at++;
		}
	}
	w->current = first;
	ct_ptx_use_frame(w);
	const struct ct_ptx_op *o = &w->run->m->op[at];
	uint32_t lanes = mask & ct_ptx_bits(w, o->guard);
	if (o->code != CT_PTX_bar_warp && lanes)
		w->run->exec[o->code](w, o, lanes);
	return count(w, o, mask, lanes) < 0 ? -1 : 1;
}

/* Operations that move lanes. The current split's `at` is this operation. 0, or -1 where the launch ends. */
static int control(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t active, uint32_t mask)
{
	struct ct_ptx_split *s = &w->split[w->current];
	if (count(w, o, active, mask) < 0)
		return -1;
	if (!mask) {
		s->at++;
		return 0;
	}
	switch (o->code) {
	case CT_PTX_bra:
		s->at++;
		if (mask != active)
			return ct_ptx_branch(w, o, mask, o->target);
		s->at = o->target;
		return 0;
	case CT_PTX_exit: end_lanes(w, mask); return 0;
	case CT_PTX_trap: ct_ptx_stop(w, o, CT_PTX_TRAP, mask); return -1;
	case CT_PTX_ret: ct_ptx_leave(w); return 0;
	default: break;
	}
	if (ct_ptx_narrow(w, mask) < 0)
		return -1;
	if (o->code == CT_PTX_bar)
		ct_ptx_arrive(w, o);
	else if (o->code == CT_PTX_brx)
		return branch_by_table(w, o);
	else
		return call(w, o);
	return w->run->fault.kind ? -1 : 0;
}

/* 1 where lanes must wait for others of the warp at this operation: another split goes on meanwhile. */
static int waits(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	struct ct_ptx_split *s = &w->split[w->current];
	if (s->mask == w->alive || !(members(w, o, mask) & w->alive & ~s->mask))
		return 0;
	s->state = CT_PTX_SPLIT_AT_SYNC;
	ct_ptx_choose(w);
	return 1;
}

/* Runs the current split until control flow or a fault: *at, and what it met, in *o and *mask. Returns
 * 1 at control flow, 0 at the split's end or the end of the turn, -1 where the launch ends. */
static int run_straight(struct ct_ptx_warp *w, uint64_t until, const struct ct_ptx_op **met,
                        uint32_t *lanes)
{
	struct ct_ptx_run *r = w->run;
	struct ct_ptx_split *s = &w->split[w->current];
	const struct ct_ptx_op *ops = r->m->op, *o;
	uint32_t at = s->at, mask;
	const uint32_t join = s->join, active = s->mask, from = at;
	const unsigned halt = r->turn < CT_PTX_LONG_TURN ? CT_PTX_store : CT_PTX_CODE_COUNT;
	for (;; at++) {
		if (at == join || r->steps >= until)
			break;
		o = &ops[at];
		if (o->code == halt && at != from)
			break;
		mask = active & ct_ptx_bits(w, o->guard);
		if (o->code == CT_PTX_bra && (mask == active || mask == 0)) {
			if (count(w, o, active, mask) < 0)
				return -1;
			at = mask ? o->target - 1 : at; /* the loop adds 1 */
			continue;
		}
		if (o->code >= CT_PTX_shfl) {
			s->at = at;
			*met = o;
			*lanes = mask;
			return 1;
		}
		if (mask) {
			r->exec[o->code](w, o, mask);
			if (r->fault.kind) {
				r->steps++;
				return -1;
			}
		}
		if (count(w, o, active, mask) < 0)
			return -1;
	}
	s->at = at;
	return 0;
}

/* One step at an operation that run_straight stopped at. */
static int step(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	struct ct_ptx_split *s = &w->split[w->current];
	uint32_t active = s->mask;
	if (o->code >= CT_PTX_bra && o->code != CT_PTX_bar_warp)
		return control(w, o, active, mask);
	if (mask && waits(w, o, mask))
		return 0;
	s->at++;
	if (mask && o->code != CT_PTX_bar_warp)
		w->run->exec[o->code](w, o, mask);
	return count(w, o, active, mask);
}

int ct_ptx_run_warp(struct ct_ptx_warp *w)
{
	struct ct_ptx_run *r = w->run;
	uint64_t until = r->steps + r->turn;
	while (w->current != CT_PTX_NO_SPLIT) {
		const struct ct_ptx_op *o = NULL;
		uint32_t mask = 0;
		ct_ptx_use_frame(w);
		int rc = run_straight(w, until, &o, &mask);
		if (rc > 0)
			rc = step(w, o, mask);
		else if (rc == 0 && w->split[w->current].at == w->split[w->current].join)
			ct_ptx_end_split(w);
		else if (rc == 0) {
			if (r->turn == CT_PTX_TURN) /* another split of the warp begins the next one */
				ct_ptx_choose(w);
			return 0;
		}
		if (rc < 0)
			return -1;
		if (w->current == CT_PTX_NO_SPLIT && w->alive && (rc = meet_at_sync(w)) < 0)
			return -1;
		if (w->sleeps)
			until = r->steps; /* another split, and another warp, have their turn */
		w->sleeps = 0;
	}
	return 0;
}

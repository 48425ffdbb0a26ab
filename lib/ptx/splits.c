/* Lanes that part and meet again, and calls of functions. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "ptx/exec.h"

enum { MAX_FRAMES = 4096, MAX_ROWS = 64 << 20 };

static int nomem(struct ct_ptx_warp *w)
{
	w->run->status = ct_fail_nomem(w->run->e);
	return -1;
}

/* A free place for a split; CT_PTX_NO_SPLIT when out of memory. May move the others. */
static uint32_t new_split(struct ct_ptx_warp *w)
{
	for (size_t i = 0; i < w->nsplits; i++)
		if (w->split[i].state == CT_PTX_SPLIT_FREE)
			return (uint32_t)i;
	if (ct_grow((void **)&w->split, &w->splits_cap, w->nsplits + 1, sizeof *w->split) < 0) {
		nomem(w);
		return CT_PTX_NO_SPLIT;
	}
	w->split[w->nsplits].state = CT_PTX_SPLIT_FREE;
	return (uint32_t)w->nsplits++;
}

/* Adds a split that runs, of the current split's frame, below `parent`. */
static uint32_t add_split(struct ct_ptx_warp *w, uint32_t at, uint32_t join, uint32_t mask,
                          uint32_t parent)
{
	uint32_t i = new_split(w), frame = w->split[w->current].frame;
	if (i == CT_PTX_NO_SPLIT)
		return i;
	w->split[i] = (struct ct_ptx_split){
		.at = at,
		.join = join,
		.mask = mask,
		.parent = parent,
		.frame = frame,
		.state = CT_PTX_SPLIT_RUNS};
	w->frame[frame].uses++;
	if (parent != CT_PTX_NO_SPLIT)
		w->split[parent].children++;
	return i;
}

void ct_ptx_use_frame(struct ct_ptx_warp *w)
{
	const struct ct_ptx_frame *f = &w->frame[w->split[w->current].frame];
	w->base[CT_PTX_BASE_FRAME] = w->rows + f->rows;
	w->local_base = f->local;
}

int ct_ptx_branch(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t taken, uint32_t target)
{
	struct ct_ptx_split *s = &w->split[w->current];
	uint32_t next = s->at, rest = s->mask & ~taken, parent = w->current, child = CT_PTX_NO_SPLIT;
	uint32_t join = o->join == CT_PTX_NO_TARGET ? s->join : o->join;
	if (join == s->join) {
		/* The lanes meet where this split ends anyway: they become its brothers. */
		if (join != CT_PTX_NO_TARGET && target == join) {
			s->mask = rest;
			return 0;
		}
		s->mask = rest;
		if (join != CT_PTX_NO_TARGET && next == join) {
			s->mask = taken;
			s->at = target;
			return 0;
		}
		return add_split(w, target, join, taken, s->parent) == CT_PTX_NO_SPLIT ? -1 : 0;
	}
	s->at = join;
	if (target != join && (child = add_split(w, target, join, taken, parent)) == CT_PTX_NO_SPLIT)
		return -1;
	if (next != join && (child = add_split(w, next, join, rest, parent)) == CT_PTX_NO_SPLIT)
		return -1;
	if (child != CT_PTX_NO_SPLIT)
		w->current = child;
	return 0;
}

int ct_ptx_narrow(struct ct_ptx_warp *w, uint32_t mask)
{
	struct ct_ptx_split *s = &w->split[w->current];
	uint32_t at = s->at, parent = w->current;
	if (s->mask == mask)
		return 0;
	if (s->join == at + 1) {
		s->mask = mask;
		return 0;
	}
	s->at = at + 1;
	uint32_t child = add_split(w, at, at + 1, mask, parent);
	if (child == CT_PTX_NO_SPLIT)
		return -1;
	w->current = child;
	return 0;
}

int ct_ptx_part_from(struct ct_ptx_warp *w, uint32_t split, uint32_t lanes)
{
	const struct ct_ptx_split s = w->split[split];
	w->current = split;
	uint32_t alone = add_split(w, s.at, s.join, lanes, s.parent);
	if (alone == CT_PTX_NO_SPLIT)
		return -1;
	w->split[split].mask &= ~lanes;
	w->current = alone;
	return 0;
}

/* Lanes whose value in a row is that of the first one. */
static uint32_t same_lanes(const void *row, unsigned width, uint32_t mask)
{
	uint64_t value = ct_ptx_lane(row, ct_low_bit(mask), width);
	uint32_t same = 0;
	for (uint32_t left = mask; left; left &= left - 1)
		if (ct_ptx_lane(row, ct_low_bit(left), width) == value)
			same |= UINT32_C(1) << ct_low_bit(left);
	return same;
}

int ct_ptx_part(struct ct_ptx_warp *w, const struct ct_ptx_op *o, unsigned width)
{
	struct ct_ptx_split *s = &w->split[w->current];
	uint32_t mask = s->mask, at = s->at, join = o->join, parent = w->current;
	uint32_t same = same_lanes(ct_ptx_at(w, o->a), width, mask);
	if (same == mask)
		return 0;
	if (join ==
	    CT_PTX_NO_TARGET) /* of a call: the next operation; of a branch: nowhere of its own */
		join = o->code == CT_PTX_brx ? s->join : at + 1;
	if (s->join == join) {
		parent = s->parent;
		s->mask = same;
	} else {
		s->at = join;
		uint32_t child = add_split(w, at, join, same, parent);
		if (child == CT_PTX_NO_SPLIT)
			return -1;
		w->current = child;
	}
	/* The others execute the operation too, and part again there if they must. */
	return add_split(w, at, join, mask & ~same, parent) == CT_PTX_NO_SPLIT ? -1 : 0;
}

static void release_frame(struct ct_ptx_warp *w, uint32_t i)
{
	while (--w->frame[i].uses == 0) {
		uint32_t caller = w->frame[i].caller;
		w->frame[i].function = UINT32_MAX;
		if (w->frame[i].call == CT_PTX_NO_TARGET)
			break;
		i = caller;
	}
}

void ct_ptx_choose(struct ct_ptx_warp *w)
{
	size_t start = w->current == CT_PTX_NO_SPLIT ? 0 : w->current + 1u;
	for (size_t k = 0; k < w->nsplits; k++) {
		size_t i = (start + k) % w->nsplits;
		if (w->split[i].state == CT_PTX_SPLIT_RUNS && w->split[i].children == 0) {
			w->current = (uint32_t)i;
			return;
		}
	}
	w->current = CT_PTX_NO_SPLIT;
}

void ct_ptx_end_split(struct ct_ptx_warp *w)
{
	uint32_t i = w->current;
	for (;;) {
		struct ct_ptx_split *s = &w->split[i];
		uint32_t parent = s->parent;
		release_frame(w, s->frame);
		s->state = CT_PTX_SPLIT_FREE;
		if (parent == CT_PTX_NO_SPLIT || --w->split[parent].children > 0)
			break;
		w->split[parent].mask &= w->alive;
		if (w->split[parent].mask) {
			w->current = parent;
			return;
		}
		i = parent;
	}
	ct_ptx_choose(w);
}

int ct_ptx_start_warp(struct ct_ptx_warp *w, uint32_t lanes)
{
	const struct ct_ptx_function *f = w->run->f;
	w->alive = lanes;
	w->nsplits = w->nframes = 0;
	if (ct_grow((void **)&w->frame, &w->frames_cap, 1, sizeof *w->frame) < 0)
		return nomem(w);
	uint32_t i = new_split(w);
	if (i == CT_PTX_NO_SPLIT)
		return -1;
	w->frame[w->nframes++] = (struct ct_ptx_frame){
		.function = f->index, .call = CT_PTX_NO_TARGET, .uses = 1};
	w->split[i] = (struct ct_ptx_split){
		.at = f->first_op,
		.join = CT_PTX_NO_TARGET,
		.mask = lanes,
		.parent = CT_PTX_NO_SPLIT,
		.state = CT_PTX_SPLIT_RUNS};
	w->current = i;
	memset(w->rows, 0, f->frame_bytes);
	memset(w->rows, 0xff, 4);
	return 0;
}

/* Where the rows of a new frame may lie: behind those of every live one, as layouts differ. */
static uint32_t rows_end(const struct ct_ptx_warp *w)
{
	uint32_t end = 0;
	for (size_t i = 0; i < w->nframes; i++)
		if (w->frame[i].function != UINT32_MAX) {
			uint32_t mine = w->frame[i].rows +
			                (w->run->m->function[w->frame[i].function].frame_bytes + 63) /
			                        64 * 64;
			end = mine > end ? mine : end;
		}
	return end;
}

/* A place for a frame, which may move the others. */
static uint32_t new_frame(struct ct_ptx_warp *w)
{
	for (size_t i = 0; i < w->nframes; i++)
		if (w->frame[i].function == UINT32_MAX)
			return (uint32_t)i;
	if (ct_grow((void **)&w->frame, &w->frames_cap, w->nframes + 1, sizeof *w->frame) < 0) {
		nomem(w);
		return UINT32_MAX;
	}
	return (uint32_t)w->nframes++;
}

static int grow_rows(struct ct_ptx_warp *w, size_t need)
{
	if (need + CT_PTX_ROWS_PAD <= w->rows_bytes)
		return 0;
	size_t bytes = 2 * (need + CT_PTX_ROWS_PAD);
	unsigned char *wider = ct_calloc_aligned(bytes, 1);
	if (!wider)
		return nomem(w);
	memcpy(wider, w->rows, w->rows_bytes);
	free(w->rows);
	w->rows = wider;
	w->rows_bytes = bytes;
	return 0;
}

/* Copies parameters into the frame of the called function, or results out of it. */
static void copy_params(struct ct_ptx_warp *w, const uint32_t *place, const struct ct_ptx_param *p,
                        uint32_t n, uint32_t caller, uint32_t callee, uint32_t mask, int back)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned char *mine = w->local + (size_t)ct_low_bit(left) * w->run->local_bytes;
		for (uint32_t i = 0; i < n && i < place[0]; i++) {
			unsigned char *there = mine + callee + p[i].offset,
				      *here = mine + caller + place[1 + i];
			memcpy(back ? here : there, back ? there : here, p[i].bytes);
		}
	}
}

int ct_ptx_enter(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t function)
{
	struct ct_ptx_run *r = w->run;
	const struct ct_ptx_function *f = &r->m->function[function];
	struct ct_ptx_split *s = &w->split[w->current];
	const struct ct_ptx_frame *caller = &w->frame[s->frame];
	uint32_t from = caller->local,
		 to = (from + r->m->function[caller->function].local_bytes + 15) / 16 * 16;
	uint32_t rows = rows_end(w), outer = s->frame;
	if ((uint64_t)to + f->local_bytes > r->local_bytes || w->nframes >= MAX_FRAMES ||
	    (uint64_t)rows + f->frame_bytes > MAX_ROWS) {
		ct_ptx_stop(w, o, CT_PTX_CALL, s->mask);
		return -1;
	}
	uint32_t i = new_frame(w);
	if (i == UINT32_MAX || grow_rows(w, (size_t)rows + f->frame_bytes) < 0)
		return -1;
	w->frame[i] = (struct ct_ptx_frame){
		.function = function,
		.rows = rows,
		.local = to,
		.call = (uint32_t)(o - r->m->op),
		.caller = outer,
		.join = s->join,
		.uses = 1};
	/* The split leaves the caller's frame, which the new frame holds in its place. */
	memset(w->rows + rows, 0, f->frame_bytes);
	memset(w->rows + rows, 0xff, 4);
	copy_params(w, r->m->table + o->extra, f->param, f->nparams, from, to, s->mask, 0);
	s->frame = i;
	s->join = CT_PTX_NO_TARGET;
	s->at = f->first_op;
	return 0;
}

void ct_ptx_leave(struct ct_ptx_warp *w)
{
	struct ct_ptx_split *s = &w->split[w->current];
	struct ct_ptx_frame *f = &w->frame[s->frame];
	const struct ct_ptx_op *call = &w->run->m->op[f->call];
	const struct ct_ptx_function *callee = &w->run->m->function[f->function];
	const uint32_t *place = w->run->m->table + call->extra;
	uint32_t inner = s->frame;
	copy_params(w, place + 1 + place[0], callee->result, callee->nresults, w->frame[f->caller].local,
	            f->local, s->mask, 1);
	s->at = f->call + 1;
	s->join = f->join;
	s->frame = f->caller;
	w->frame[s->frame].uses++;
	release_frame(w, inner);
}

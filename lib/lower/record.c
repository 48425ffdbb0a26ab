/* Recording: the events of a region are kept until control leaves it, then its machine instructions
 * are written with the lanes and addresses of the PTX instructions that they stand for. */
#include "lower/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"

/* An executed PTX instruction of the region at hand. */
struct slot {
	uint32_t stamp; /* of the region's execution that it belongs to */
	uint32_t active, mask;
};

/* Instructions, one after the other in a block, that all lanes of `active` executed: their slots are
 * not filled unless they are asked for. */
struct straight {
	uint32_t first, n, active;
};

/* Where an instruction of PTX is kept. */
struct place {
	uint32_t region; /* CT_LOWER_NONE: no code stands for it */
	uint32_t slot, address;
	uint32_t block;
	uint32_t rest; /* instructions to the end of the block */
	int starts;    /* the block begins with it */
};

/* What a warp has executed of a region. */
struct part {
	uint32_t region; /* CT_LOWER_NONE: nothing that is not written yet */
	uint32_t stamp;
	struct slot *slot;
	uint32_t
		*entered; /* by block: stamp of the last execution that one of its instructions was in */
	struct straight *straight;
	uint32_t straights;
	uint32_t next, active; /* behind the instruction that came last, and its lanes */
	struct ct_lower_access *access;
	uint64_t *lanes;   /* of all of them */
	uint32_t events;   /* of the region's execution */
	uint32_t together; /* lanes of all its events, each with all or none of them; else 0 */
	uint32_t variant;  /* of guards that hold for none: number of a variant */
};

enum { WARPS = 32 };

struct ct_lower_recorder {
	struct ct_lower_recording o;
	struct place *place; /* by instruction */
	struct ct_ptx_observer observer;
	uint32_t warp; /* whose part is at hand */
	struct part at;
	struct part *kept[WARPS]; /* of other warps whose turn ended amid a region; else NULL */
	struct part *spare[WARPS];
	uint32_t spares;
	struct ct_lower_made *made;
	int packs;                    /* the maker has a part of the CTA */
	size_t unpacked;              /* words of the CTA's streams */
	uint32_t exited[WARPS];       /* lanes of each warp that the machine code has ended */
	struct ct_lower_alias *moved; /* to where they are the same in every run: variables, aliases */
	size_t nmoved;
	uint64_t last_line; /* the one that was put into o.touched last */
};

enum { LINE = 128 };

/* Variables begin here in traces: above the heap of buffers, below the windows. */
#define VARIABLE_BASE UINT64_C(0x7f4000000000)

/* Gives each variable of the module an address of its own, as a device would, so that a trace does not
 * show host addresses. */
static int find_variables(struct ct_lower_recorder *r)
{
	const struct ct_ptx_module *m = r->o.program->m;
	size_t n = ct_ptx_is_placed(m) ? 0 : ct_ptx_variable_count(m);
	uint64_t at = VARIABLE_BASE;
	if (!(r->moved = ct_calloc(n + r->o.aliases + 1, sizeof *r->moved)))
		return -1;
	for (size_t i = 0; i < r->o.aliases; i++)
		r->moved[r->nmoved++] = r->o.alias[i];
	for (size_t i = 0; i < n; i++) {
		const struct ct_ptx_variable *v = ct_ptx_variable_at(m, i);
		uint64_t first = (uint64_t)(uintptr_t)v->storage;
		if (!v->storage || !v->bytes)
			continue;
		r->moved[r->nmoved++] = (struct ct_lower_alias){first, first + v->bytes, at - first};
		at += (v->bytes + 511) / 512 * 512; /* aligned as cudaMalloc aligns */
	}
	return 0;
}

static uint64_t move_address(const struct ct_lower_recorder *r, uint64_t address)
{
	for (size_t i = 0; i < r->nmoved; i++)
		if (address >= r->moved[i].first && address < r->moved[i].end)
			return address + r->moved[i].delta;
	return address;
}

/* Moves evenly spaced addresses where all of them move alike: 1, or 0 where each lane must be looked at. */
static int move_even(const struct ct_lower_recorder *r, uint64_t *first, uint64_t last)
{
	uint64_t low = *first, high = last;
	for (size_t i = 0; i < r->nmoved; i++) {
		const struct ct_lower_alias *a = &r->moved[i];
		if (low >= a->first && high < a->end && low <= high) {
			*first += a->delta;
			return 1;
		}
		if (low < a->end && high >= a->first)
			return 0;
	}
	return low <= high;
}

/* ---- parts ---- */

static void empty_part(struct part *p)
{
	free(p->slot);
	free(p->entered);
	free(p->straight);
	free(p->access);
	free(p->lanes);
}

/* Gives a part room for a region of the program. */
static int fill_part(const struct ct_lower_program *program, struct part *p)
{
	*p = (struct part){.region = CT_LOWER_NONE,
	                   .slot = ct_calloc(program->slots, sizeof *p->slot),
	                   .entered = ct_calloc(program->blocks, sizeof *p->entered),
	                   .straight = ct_calloc(program->slots, sizeof *p->straight),
	                   .access = ct_calloc(program->addresses, sizeof *p->access),
	                   .lanes = ct_calloc(program->addresses, CT_WARP_LANES * sizeof *p->lanes)};
	if (!p->slot || !p->entered || !p->straight || !p->access || !p->lanes)
		return -1;
	for (uint32_t i = 0; i < program->addresses; i++)
		p->access[i].lanes = p->lanes + (size_t)i * CT_WARP_LANES;
	return 0;
}

static void drop_part(struct part *p)
{
	if (p)
		empty_part(p);
	free(p);
}

static struct part *make_part(const struct ct_lower_recorder *r)
{
	struct part *p = ct_calloc(1, sizeof *p);
	if (p && fill_part(r->o.program, p) < 0) {
		drop_part(p);
		p = NULL;
	}
	return p;
}

/* ---- out ---- */

/* Lanes of a machine instruction; 0 with *issued 0 where it is not issued. */
static inline uint32_t lanes_of(struct ct_lower_recorder *r, const struct ct_lower_issue *i, int *issued)
{
	const struct slot *s = &r->at.slot[i->source], *c = &r->at.slot[i->control];
	uint32_t left = ~r->exited[r->warp];
	int came = s->stamp == r->at.stamp;
	*issued = came && (s->active & left);
	switch ((enum ct_lower_lanes)i->lanes) {
	case CT_LOWER_GUARDED: return s->mask & left;
	case CT_LOWER_ACTIVE: return s->active & left;
	case CT_LOWER_CONVERTED:
		*issued = c->stamp == r->at.stamp && (c->active & left);
		return came ? s->mask & left : 0;
	case CT_LOWER_SPECULATED:
		*issued = c->stamp == r->at.stamp && (c->active & left);
		return c->active & left;
	case CT_LOWER_TURNED: return s->active & ~s->mask & left;
	case CT_LOWER_TAKEN: *issued &= (s->mask & left) != 0; return s->mask & left;
	case CT_LOWER_PASSED:
		*issued &= (s->active & ~s->mask & left) != 0;
		return s->active & ~s->mask & left;
	case CT_LOWER_EXITS:
		if (*issued)
			r->exited[r->warp] |= s->mask;
		return s->mask & left;
	case CT_LOWER_RETURNS:
		if (*issued)
			r->exited[r->warp] |= s->active;
		return s->active & left;
	}
	return 0;
}

/* ---- packing of CTAs that are large, or that go out as text ---- */

/* What the maker is told of the warp at hand. */
struct packing {
	struct ct_cta_maker *maker;
	uint32_t warp;
};

static int pack_plain(void *ctx, uint32_t sid, uint32_t n, uint32_t mask, struct ct_error *e)
{
	const struct packing *p = ctx;
	return ct_cta_maker_put_plain(p->maker, p->warp, sid, n, mask, e);
}

static int pack_none(void *ctx, uint32_t sid, struct ct_error *e)
{
	const struct packing *p = ctx;
	return ct_cta_maker_put(p->maker, p->warp, sid, 0, NULL, NULL, 0, e);
}

static int pack_strided(void *ctx, uint32_t sid, uint32_t mask, uint64_t first, int64_t stride,
                        struct ct_error *e)
{
	const struct packing *p = ctx;
	return ct_cta_maker_put_strided(p->maker, p->warp, sid, mask, first, stride, e);
}

static int pack_lanes(void *ctx, uint32_t sid, uint32_t mask, const uint64_t *addresses,
                      struct ct_error *e)
{
	const struct packing *p = ctx;
	uint64_t lanes[CT_WARP_LANES];
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		lanes[ct_low_bit(rest)] = *addresses++;
	return ct_cta_maker_put(p->maker, p->warp, sid, mask, lanes, NULL, 0, e);
}

/* Hands the streams to the maker, and makes the CTA of what it has once all is there. */
static int pack(struct ct_lower_recorder *r, int whole, struct ct_error *e)
{
	struct ct_lower_made *m = r->made;
	struct packing packing = {.maker = r->o.maker};
	const struct ct_lower_sink to = {
		.ctx = &packing,
		.plain = pack_plain,
		.none = pack_none,
		.strided = pack_strided,
		.lanes = pack_lanes};
	int st = r->packs ? CT_OK : ct_cta_maker_begin(r->o.maker, m->index, m->warps, e);
	r->packs = 1;
	for (uint32_t i = 0; i < m->warps && st == CT_OK; i++) {
		packing.warp = i;
		st = ct_lower_stream_walk(&m->stream[i], r->o.program, &to, e);
		m->stream[i].n = 0;
	}
	r->unpacked = 0;
	return st == CT_OK && whole ? ct_cta_maker_end(r->o.maker, &m->packed, e) : st;
}

/* Fills the slots of the instructions that were told of together. */
static void fill_slots(struct ct_lower_recorder *r)
{
	for (uint32_t i = 0; i < r->at.straights; i++) {
		const struct straight *s = &r->at.straight[i];
		for (uint32_t k = 0; k < s->n; k++)
			r->at.slot[r->place[s->first + k].slot] = (struct slot){
				r->at.stamp, s->active, s->active};
	}
	r->at.straights = 0;
}

/* Writes those instructions of a region that are issued, each with its lanes. */
static int put_issued(struct ct_lower_recorder *r, const struct ct_lower_region *region,
                      struct ct_error *e)
{
	const struct ct_lower_program *p = r->o.program;
	struct ct_lower_stream *to = &r->made->stream[r->warp];
	uint32_t first = 0, n = 0, mask = 0; /* that are not written yet */
	int st = CT_OK;
	fill_slots(r);
	for (uint32_t i = region->code; i < region->code_end && st == CT_OK; i++) {
		const struct ct_lower_issue *issue = &p->issue[i];
		int issued, memory = issue->access != CT_LOWER_NONE;
		uint32_t lanes = lanes_of(r, issue, &issued);
		if (!issued)
			continue;
		if (n && (memory || lanes != mask || i != first + n)) {
			st = ct_lower_put_plain(to, first, n, mask, e);
			n = 0;
		}
		if (memory && st == CT_OK) {
			st = ct_lower_put_access(to, i, lanes, &r->at.access[issue->access], e);
		} else if (!memory) {
			first = n ? first : i;
			mask = lanes;
			n++;
		}
	}
	return st == CT_OK && n ? ct_lower_put_plain(to, first, n, mask, e) : st;
}

/* Writes the machine instructions of the region at hand. */
static int flush(struct ct_lower_recorder *r, struct ct_error *e)
{
	if (r->at.region == CT_LOWER_NONE)
		return CT_OK;
	const struct ct_lower_program *p = r->o.program;
	const struct ct_lower_region *region = &p->region[r->at.region];
	struct ct_lower_stream *to = &r->made->stream[r->warp];
	size_t before = to->n;
	int st;
	r->at.region = CT_LOWER_NONE;
	if (r->at.together && r->at.events == region->ptx && !(r->at.together & r->exited[r->warp]) &&
	    p->variant[region->variant + r->at.variant].plain)
		st = ct_lower_put_variant(to, p, region->variant + r->at.variant, r->at.together,
		                          r->at.access, e);
	else
		st = put_issued(r, region, e);
	r->unpacked += to->n - before;
	if (st < 0 || r->unpacked <= r->o.unpacked_most / sizeof *to->word)
		return st;
	return pack(r, 0, e);
}

/* ---- in ---- */

static int on_begin(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e)
{
	struct ct_lower_recorder *r = ctx;
	memset(r->exited, 0, sizeof r->exited);
	r->at.region = CT_LOWER_NONE;
	for (uint32_t w = 0; w < WARPS; w++) /* of a CTA that did not end */
		if (r->kept[w]) {
			r->kept[w]->region = CT_LOWER_NONE;
			r->spare[r->spares++] = r->kept[w];
			r->kept[w] = NULL;
		}
	r->packs = 0;
	r->unpacked = 0;
	int st = r->o.also && r->o.also->cta_begin ? r->o.also->cta_begin(r->o.also->ctx, cta, e)
	                                           : CT_OK;
	if (st < 0)
		return st;
	if (!r->made && !(r->made = r->o.place(r->o.ctx)))
		return ct_fail_nomem(e);
	return ct_lower_made_begin(r->made, cta->index, cta->warps, e);
}

/* The addresses of the lanes of a mask, side by side. */
static void gather(struct ct_lower_access *a, const uint64_t *row)
{
	a->n = CT_WARP_LANES;
	if (a->mask == UINT32_MAX) {
		memcpy(a->lanes, row, CT_WARP_LANES * sizeof *row);
		return;
	}
	a->n = 0;
	for (uint32_t rest = a->mask; rest; rest &= rest - 1)
		a->lanes[a->n++] = row[ct_low_bit(rest)];
}

/* The same of an access whose addresses lie in a window or move. */
static void gather_moved(const struct ct_lower_recorder *r, const struct ct_ptx_access *v,
                         uint64_t window, struct ct_lower_access *a)
{
	uint64_t row[CT_WARP_LANES];
	for (unsigned l = 0; l < CT_WARP_LANES; l++) {
		uint64_t at = v->even ? v->addresses[0] + l * (uint64_t)v->stride : v->addresses[l];
		row[l] = window ? window + at : move_address(r, at);
	}
	a->strided = ct_cta_maker_is_strided(a->mask, row, &a->stride);
	a->first = row[ct_low_bit(a->mask)];
	gather(a, row);
}

/* Variables of the module move; a generic access of shared or local memory names its window. */
static inline void keep_addresses(struct ct_lower_recorder *r, const struct ct_ptx_access *v,
                                  uint32_t mask, struct ct_lower_access *a)
{
	uint64_t window = 0;
	int moves = 0;
	if (v->space == CT_PTX_GLOBAL || v->space == CT_PTX_CONST)
		moves = r->nmoved != 0;
	else if (r->o.program->generic[v->instruction])
		window = v->space == CT_PTX_SHARED  ? r->o.shared_base
		         : v->space == CT_PTX_LOCAL ? r->o.local_base
		                                    : 0;
	a->mask = mask;
	a->strided = v->even;
	a->stride = (int64_t)v->stride;
	if (!v->even)
		a->strided = ct_cta_maker_is_strided(mask, v->addresses, &a->stride);
	if (a->strided) {
		unsigned lanes = ct_high_bit(mask) - ct_low_bit(mask);
		a->first = v->addresses[v->even ? 0 : ct_low_bit(mask)] + window;
		if (!moves || move_even(r, &a->first, a->first + lanes * (uint64_t)a->stride))
			return;
	}
	if (!window && !moves)
		gather(a, v->addresses);
	else
		gather_moved(r, v, window, a);
}

/* Remembers the lines of an access. */
static int touch(struct ct_lower_recorder *r, const struct ct_ptx_access *v, uint32_t mask,
                 struct ct_error *e)
{
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = ct_low_bit(rest);
		uint64_t at = v->even ? v->addresses[0] + lane * (uint64_t)v->stride
		                      : v->addresses[lane];
		for (uint64_t line = at / LINE; line <= (at + v->width - 1) / LINE; line++) {
			if (line == r->last_line)
				continue;
			r->last_line = line;
			if (ct_keyed_reserve(r->o.touched, sizeof line) < 0)
				return ct_fail_nomem(e);
			uint64_t *entry = ct_keyed_find(r->o.touched, sizeof line, line),
				 mark = line + 1;
			r->o.touched->used += *entry == 0;
			*entry = mark;
		}
	}
	return CT_OK;
}

/* Whether an instruction is among those that were told of together. */
static int is_covered(const struct ct_lower_recorder *r, uint32_t at)
{
	for (uint32_t i = 0; i < r->at.straights; i++)
		if (at - r->at.straight[i].first < r->at.straight[i].n)
			return 1;
	return 0;
}

/* Whether an instruction was executed in this execution of its region, or, where a block begins with it,
 * whether any of the block was. What goes on behind the last one was not. Another one has to be searched:
 * lanes that parted may be in the middle of the same block. */
static inline int is_repeated(const struct ct_lower_recorder *r, const struct place *at, uint32_t inst,
                              uint32_t active)
{
	if (at->starts)
		return r->at.entered[at->block] == r->at.stamp;
	return r->at.slot[at->slot].stamp == r->at.stamp ||
	       ((inst != r->at.next || active != r->at.active) && is_covered(r, inst));
}

/* Takes another warp's part at hand. What the last warp has not ended stays, since its turn may end amid a region. */
static int take_warp(struct ct_lower_recorder *r, uint32_t warp, struct ct_error *e)
{
	struct part *was = NULL;
	if (r->at.region != CT_LOWER_NONE || r->kept[warp]) {
		was = r->kept[warp] ? r->kept[warp] : r->spares ? r->spare[--r->spares] : make_part(r);
		if (!was)
			return ct_fail_nomem(e);
		struct part now = *was;
		*was = r->at;
		r->at = now;
		r->kept[warp] = NULL;
		if (was->region != CT_LOWER_NONE)
			r->kept[r->warp] = was;
		else
			r->spare[r->spares++] = was;
	}
	r->warp = warp;
	return CT_OK;
}

/* Begins an execution of the region of `n` instructions where it is not the one at hand, or where they
 * were executed in that already. */
static inline int enter(struct ct_lower_recorder *r, uint32_t warp, uint32_t active,
                        const struct place *at, uint32_t inst, uint32_t n, struct ct_error *e)
{
	int st = r->warp == warp ? CT_OK : take_warp(r, warp, e);
	if (st < 0)
		return st;
	if (r->at.region != at->region || r->at.straights >= r->o.program->slots ||
	    is_repeated(r, at, inst, active)) {
		st = flush(r, e);
		r->at.region = at->region;
		r->at.stamp++;
		r->at.events = r->at.straights = r->at.variant = 0;
		r->at.together = active;
	}
	r->at.events += n;
	r->at.entered[at->block] = r->at.stamp;
	r->at.next = inst + n;
	r->at.active = active;
	return st;
}

/* Keeps the addresses of those accesses, from *next on, that come before an instruction. */
static int keep_accesses(struct ct_lower_recorder *r, const struct ct_ptx_straight *v, uint32_t *next,
                         uint32_t end, struct ct_error *e)
{
	int st = CT_OK;
	for (; *next < v->accesses && st == CT_OK; ++*next) {
		const struct ct_ptx_access *a = &v->access[*next];
		if (a->instruction - v->first >= end - v->first)
			return CT_OK;
		keep_addresses(r, a, v->active, &r->at.access[r->place[a->instruction].address]);
		if (r->o.touched && a->space == CT_PTX_GLOBAL)
			st = touch(r, a, v->active, e);
	}
	return st;
}

/* Keeps what is told of together, block by block. */
static int on_straight(void *ctx, const struct ct_ptx_straight *v, struct ct_error *e)
{
	struct ct_lower_recorder *r = ctx;
	uint32_t first = v->first, left = v->n, next = 0;
	for (uint32_t n; left; first += n, left -= n) {
		const struct place at = r->place[first];
		int st;
		n = at.rest < left ? at.rest : left;
		if (at.region == CT_LOWER_NONE) {
			while (next < v->accesses && v->access[next].instruction == first)
				next++;
			continue;
		}
		if ((st = enter(r, v->warp, v->active, &at, first, n, e)) < 0)
			return st;
		if (v->active != r->at.together)
			r->at.together = 0;
		r->at.straight[r->at.straights++] = (struct straight){first, n, v->active};
		if ((st = keep_accesses(r, v, &next, first + n, e)) < 0)
			return st;
	}
	return CT_OK;
}

/* Keeps an event until control leaves its region. A region that is entered again is written out first. */
static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	struct ct_lower_recorder *r = ctx;
	const struct place at = r->place[v->instruction];
	int st;
	if (r->o.also && r->o.also->instruction &&
	    (st = r->o.also->instruction(r->o.also->ctx, v, e)) < 0)
		return st;
	/* The machine instruction of an asynchronous copy has the addresses of its load. */
	if (at.region == CT_LOWER_NONE ||
	    (v->space == CT_PTX_SHARED && r->o.program->copies[v->instruction]))
		return CT_OK;
	if ((st = enter(r, v->warp, v->active, &at, v->instruction, 1, e)) < 0)
		return st;
	if (v->active == r->at.together && !v->mask && r->o.program->guard[v->instruction])
		r->at.variant |= r->o.program->guard[v->instruction];
	else if (v->active != r->at.together || v->mask != r->at.together)
		r->at.together = 0;
	r->at.slot[at.slot] = (struct slot){r->at.stamp, v->active, v->mask};
	if (!v->addresses || !v->mask)
		return CT_OK;
	const struct ct_ptx_access access = {
		v->instruction, v->space, v->width, v->even, v->stride, v->addresses};
	keep_addresses(r, &access, v->mask, &r->at.access[at.address]);
	return r->o.touched && v->space == CT_PTX_GLOBAL ? touch(r, &access, v->mask, e) : CT_OK;
}

static int on_end(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e)
{
	struct ct_lower_recorder *r = ctx;
	int st = flush(r, e);
	for (uint32_t w = 0; w < WARPS && st == CT_OK; w++)
		if (r->kept[w] && (st = take_warp(r, w, e)) == CT_OK)
			st = flush(r, e);
	if (st == CT_OK && r->o.also && r->o.also->cta_end)
		st = r->o.also->cta_end(r->o.also->ctx, cta, e);
	if (st >= 0 && (r->packs || !r->o.unpacked_most))
		st = pack(r, 1, e);
	if (st >= 0)
		st = r->o.put(r->o.ctx, r->made, e);
	if (st >= 0)
		r->made = NULL;
	return st;
}

/* Puts together what the program says of each instruction of its kernel. */
static int find_places(struct ct_lower_recorder *r)
{
	const struct ct_lower_program *p = r->o.program;
	size_t n = ct_ptx_instruction_count(p->m);
	if (!(r->place = ct_calloc(n + 1, sizeof *r->place)))
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = p->block_of[i];
		r->place[i] = (struct place){.region = CT_LOWER_NONE,
		                             .slot = p->slot[i],
		                             .address = p->address[i],
		                             .rest = 1};
		if (number == CT_LOWER_NONE)
			continue;
		const struct ct_lower_block *b = &p->block[number];
		r->place[i].region = b->region;
		r->place[i].block = number;
		r->place[i].rest = b->end - (uint32_t)i;
		r->place[i].starts = b->first == i;
	}
	return 0;
}

int ct_lower_recorder_new(struct ct_lower_recorder **out, const struct ct_lower_recording *o,
                          struct ct_error *e)
{
	struct ct_lower_recorder *r = ct_calloc(1, sizeof *r);
	*out = NULL;
	if (!r)
		return ct_fail_nomem(e);
	r->o = *o;
	r->last_line = UINT64_MAX;
	r->observer = (struct ct_ptx_observer){
		.ctx = r, .cta_begin = on_begin, .instruction = on_instruction, .cta_end = on_end};
	if (!o->also || !o->also->instruction)
		r->observer.straight = on_straight;
	if (fill_part(o->program, &r->at) < 0 || find_variables(r) < 0 || find_places(r) < 0) {
		ct_lower_recorder_free(r);
		return ct_fail_nomem(e);
	}
	*out = r;
	return CT_OK;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Copies the part of a line that lies in [first, end). */
static void copy_part(unsigned char *to, uint64_t line, uint64_t first, uint64_t end)
{
	uint64_t from = line > first ? line : first, until = line + LINE < end ? line + LINE : end;
	if (from < until)
		memcpy(to + (from - line), (const void *)(uintptr_t)from, (size_t)(until - from));
}

/* Lines go out in ascending order of their numbers, whatever the order in which they were touched. */
int ct_lower_recorder_lines(const struct ct_lower_recorder *r, const struct ct_ptx_memory *memory,
                            ct_lower_line_fn put_line, void *ctx, struct ct_error *e)
{
	const struct ct_keyed *touched = r->o.touched;
	uint64_t *all = ct_calloc(touched->used + 1, sizeof *all), first, bytes;
	size_t n = 0;
	int st = all ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; all && i < touched->slots; i++)
		if (((const uint64_t *)touched->slot)[i])
			all[n++] = ((const uint64_t *)touched->slot)[i] - 1;
	if (all)
		qsort(all, n, sizeof *all, by_number);
	for (size_t i = 0; i < n && st == CT_OK; i++) {
		unsigned char line[LINE] = {0};
		uint64_t at = all[i] * LINE, shown = at;
		for (uint64_t byte = at; memory && byte < at + LINE; byte += 4)
			if (ct_ptx_memory_find(memory, byte, &first, &bytes)) {
				copy_part(line, at, first, first + bytes);
				byte = first + bytes < at + LINE ? (first + bytes) / 4 * 4 : at + LINE;
			}
		for (size_t k = 0; k < r->nmoved; k++)
			if (r->moved[k].first < at + LINE && r->moved[k].end > at) {
				copy_part(line, at, r->moved[k].first, r->moved[k].end);
				shown = at + r->moved[k].delta;
			}
		st = put_line(ctx, shown, line, e);
	}
	free(all);
	return st;
}

void ct_lower_recorder_free(struct ct_lower_recorder *r)
{
	if (!r)
		return;
	empty_part(&r->at);
	for (uint32_t w = 0; w < WARPS; w++) {
		drop_part(r->kept[w]);
		drop_part(w < r->spares ? r->spare[w] : NULL);
	}
	free(r->place);
	ct_lower_made_free(r->made);
	free(r->moved);
	free(r);
}

const struct ct_ptx_observer *ct_lower_recorder_observer(const struct ct_lower_recorder *r)
{
	return &r->observer;
}

/* Recording: the events of a region are kept until control leaves it, then its machine instructions
 * are written with the lanes and addresses of the PTX instructions that they stand for. */
#include "lower/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/keyed.h"
#include "base/mem.h"

/* An executed PTX instruction of the region at hand. */
struct slot {
	uint32_t stamp; /* of the region's execution that it belongs to */
	uint32_t active, mask;
	enum ct_ptx_space space;
};

/* The addresses of an access: those of lanes side by side that are evenly apart, or each lane's. */
struct addresses {
	uint64_t first;
	int64_t stride;
	uint64_t *lanes; /* of the recorder; unused where `strided` */
	int strided;
};

/* Where an instruction of PTX is kept. */
struct place {
	uint32_t region; /* CT_LOWER_NONE: no code stands for it */
	uint32_t slot, address;
};

struct ct_lower_recorder {
	struct ct_lower_recording o;
	struct place *place; /* by instruction */
	struct ct_ptx_observer observer;
	uint32_t warp, region, stamp;
	struct slot *slot;
	struct addresses *address;
	uint64_t *lanes;              /* of all of them */
	uint32_t events;              /* of the region's execution */
	uint32_t together;            /* lanes of all its events, where they are the same; else 0 */
	uint32_t exited[32];          /* lanes of each warp that the machine code has ended */
	struct ct_lower_alias *moved; /* to where they are the same in every run: variables, aliases */
	size_t nmoved;
	struct ct_keyed touched; /* lines, by number */
	uint64_t last_line;      /* the one that was put there last */
};

enum { LINE = 128 };

/* Variables begin here in traces: above the heap of buffers, below the windows. */
#define VARIABLE_BASE UINT64_C(0x7f4000000000)

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

/* ---- out ---- */

static int put(struct ct_lower_recorder *r, uint32_t inst, uint32_t lanes, struct ct_error *e)
{
	const struct ct_lower_program *p = r->o.program;
	const struct ct_lower_inst *i = &p->inst[inst];
	if (!i->memory)
		return ct_cta_maker_put_plain(r->o.maker, r->warp, p->sid[inst], 1, lanes, e);
	const struct addresses *a = &r->address[p->address[i->source]];
	if (lanes && a->strided)
		return ct_cta_maker_put_strided(
			r->o.maker, r->warp, p->sid[inst], lanes, a->first, a->stride, e);
	return ct_cta_maker_put(r->o.maker, r->warp, p->sid[inst], lanes, lanes ? a->lanes : NULL, NULL,
	                        0, e);
}

/* A region that all lanes executed together: what is no access goes out in runs. */
static int put_together(struct ct_lower_recorder *r, const struct ct_lower_region *region,
                        struct ct_error *e)
{
	const struct ct_lower_program *p = r->o.program;
	int st = CT_OK;
	for (uint32_t i = region->code, first = i; i < region->code_end && st == CT_OK; first = i) {
		while (i < region->code_end && !p->inst[i].memory)
			i++;
		if (i > first) {
			st = ct_cta_maker_put_plain(
				r->o.maker, r->warp, p->sid[first], i - first, r->together, e);
		} else {
			st = put(r, i++, r->together, e);
		}
	}
	return st;
}

/* Lanes of a machine instruction; 0 with *issued 0 where it is not issued. */
static uint32_t lanes_of(struct ct_lower_recorder *r, const struct ct_lower_inst *i, int *issued)
{
	const struct ct_lower_program *p = r->o.program;
	const struct slot *s = &r->slot[p->slot[i->source]], *c;
	uint32_t left = ~r->exited[r->warp];
	int came = s->stamp == r->stamp;
	*issued = came && (s->active & left);
	switch ((enum ct_lower_lanes)i->lanes) {
	case CT_LOWER_GUARDED: return s->mask & left;
	case CT_LOWER_ACTIVE: return s->active & left;
	case CT_LOWER_CONVERTED:
		c = &r->slot[p->slot[i->control]];
		*issued = c->stamp == r->stamp && (c->active & left);
		return came ? s->mask & left : 0;
	case CT_LOWER_SPECULATED:
		c = &r->slot[p->slot[i->control]];
		*issued = c->stamp == r->stamp && (c->active & left);
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

/* Writes the machine instructions of the region at hand. */
static int flush(struct ct_lower_recorder *r, struct ct_error *e)
{
	if (r->region == CT_LOWER_NONE)
		return CT_OK;
	const struct ct_lower_program *p = r->o.program;
	const struct ct_lower_region *region = &p->region[r->region];
	r->region = CT_LOWER_NONE;
	if (region->plain && r->together && r->events == region->ptx &&
	    !(r->together & r->exited[r->warp]))
		return put_together(r, region, e);
	for (uint32_t i = region->code; i < region->code_end; i++) {
		int issued;
		uint32_t lanes = lanes_of(r, &p->inst[i], &issued);
		int st = issued ? put(r, i, lanes, e) : CT_OK;
		if (st < 0)
			return st;
	}
	return CT_OK;
}

/* ---- in ---- */

static int on_begin(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e)
{
	struct ct_lower_recorder *r = ctx;
	memset(r->exited, 0, sizeof r->exited);
	r->region = CT_LOWER_NONE;
	int st = r->o.also && r->o.also->cta_begin ? r->o.also->cta_begin(r->o.also->ctx, cta, e)
	                                           : CT_OK;
	return st < 0 ? st : ct_cta_maker_begin(r->o.maker, cta->index, cta->warps, e);
}

/* Variables of the module move; a generic access of shared or local memory names its window. */
static void keep_addresses(struct ct_lower_recorder *r, const struct ct_ptx_event *v,
                           struct addresses *a)
{
	uint64_t *to = a->lanes;
	uint64_t window = !r->o.program->generic[v->instruction] ? 0
	                  : v->space == CT_PTX_SHARED            ? r->o.shared_base
	                  : v->space == CT_PTX_LOCAL             ? r->o.local_base
	                                                         : 0;
	a->strided = v->even;
	a->stride = (int64_t)v->stride;
	if (!v->even)
		a->strided = ct_cta_maker_is_strided(v->mask, v->addresses, &a->stride);
	if (!window && (!r->nmoved || (v->space != CT_PTX_GLOBAL && v->space != CT_PTX_CONST))) {
		if (a->strided)
			a->first = v->addresses[ct_low_bit(v->mask)];
		else
			memcpy(to, v->addresses, CT_WARP_LANES * sizeof *to);
		return;
	}
	a->strided = 0;
	for (unsigned l = 0; l < CT_WARP_LANES; l++)
		to[l] = window ? window + v->addresses[l] : move_address(r, v->addresses[l]);
}

/* Remembers the lines of an access. */
static int touch(struct ct_lower_recorder *r, const struct ct_ptx_event *v, struct ct_error *e)
{
	for (uint32_t rest = v->mask; rest; rest &= rest - 1) {
		uint64_t first = v->addresses[ct_low_bit(rest)] / LINE, line = first;
		for (; line <= (v->addresses[ct_low_bit(rest)] + v->width - 1) / LINE; line++) {
			if (line == r->last_line)
				continue;
			r->last_line = line;
			if (ct_keyed_reserve(&r->touched, sizeof line) < 0)
				return ct_fail_nomem(e);
			uint64_t *entry = ct_keyed_find(&r->touched, sizeof line, line), mark = line + 1;
			r->touched.used += *entry == 0;
			*entry = mark;
		}
	}
	return CT_OK;
}

static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	struct ct_lower_recorder *r = ctx;
	const struct place at = r->place[v->instruction];
	int st;
	if (r->o.also && r->o.also->instruction &&
	    (st = r->o.also->instruction(r->o.also->ctx, v, e)) < 0)
		return st;
	if (at.region == CT_LOWER_NONE)
		return CT_OK;
	struct slot *s = &r->slot[at.slot];
	if (r->region != at.region || r->warp != v->warp || s->stamp == r->stamp) {
		if ((st = flush(r, e)) < 0)
			return st;
		r->region = at.region;
		r->warp = v->warp;
		r->stamp++;
		r->events = 0;
		r->together = v->active;
	}
	r->events++;
	if (v->active != r->together || v->mask != r->together)
		r->together = 0;
	*s = (struct slot){r->stamp, v->active, v->mask, v->space};
	if (v->addresses && v->mask)
		keep_addresses(r, v, &r->address[at.address]);
	return r->o.values && v->space == CT_PTX_GLOBAL && v->addresses ? touch(r, v, e) : CT_OK;
}

static int on_end(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e)
{
	struct ct_lower_recorder *r = ctx;
	struct ct_cta *made = NULL;
	int st = flush(r, e);
	if (st == CT_OK && r->o.also && r->o.also->cta_end)
		st = r->o.also->cta_end(r->o.also->ctx, cta, e);
	if (st >= 0)
		st = ct_cta_maker_end(r->o.maker, &made, e);
	return st < 0 ? st : r->o.put(r->o.ctx, made, e);
}

/* Puts together what the program says of each instruction of its kernel. */
static int find_places(struct ct_lower_recorder *r)
{
	const struct ct_lower_program *p = r->o.program;
	size_t n = ct_ptx_instruction_count(p->m);
	if (!(r->place = ct_calloc(n + 1, sizeof *r->place)))
		return -1;
	for (size_t i = 0; i < n; i++)
		r->place[i] = (struct place){
			.region = p->block_of[i] == CT_LOWER_NONE ? CT_LOWER_NONE
		                                                  : p->block[p->block_of[i]].region,
			.slot = p->slot[i],
			.address = p->address[i]};
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
	r->region = CT_LOWER_NONE;
	r->last_line = UINT64_MAX;
	r->slot = ct_calloc(o->program->slots, sizeof *r->slot);
	r->address = ct_calloc(o->program->addresses, sizeof *r->address);
	r->observer = (struct ct_ptx_observer){
		.ctx = r, .cta_begin = on_begin, .instruction = on_instruction, .cta_end = on_end};
	r->lanes = ct_calloc(o->program->addresses, CT_WARP_LANES * sizeof *r->lanes);
	if (!r->slot || !r->address || !r->lanes || find_variables(r) < 0 || find_places(r) < 0) {
		ct_lower_recorder_free(r);
		return ct_fail_nomem(e);
	}
	for (uint32_t i = 0; i < o->program->addresses; i++)
		r->address[i].lanes = r->lanes + (size_t)i * CT_WARP_LANES;
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

int ct_lower_recorder_lines(const struct ct_lower_recorder *r, const struct ct_ptx_memory *memory,
                            ct_lower_line_fn put_line, void *ctx, struct ct_error *e)
{
	uint64_t *all = ct_calloc(r->touched.used + 1, sizeof *all), first, bytes;
	size_t n = 0;
	int st = all ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; all && i < r->touched.slots; i++)
		if (((const uint64_t *)r->touched.slot)[i])
			all[n++] = ((const uint64_t *)r->touched.slot)[i] - 1;
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
	free(r->slot);
	free(r->place);
	free(r->address);
	free(r->lanes);
	ct_keyed_free(&r->touched);
	free(r->moved);
	free(r);
}

const struct ct_ptx_observer *ct_lower_recorder_observer(const struct ct_lower_recorder *r)
{
	return &r->observer;
}

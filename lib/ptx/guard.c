/* Marks of granules: who has read and written what, of the CTAs that are not committed. */
#include "ptx/guard.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"

/* The low bits of a mark; above them the number of a CTA plus 1: of the one that wrote, else of the
 * last one that read or reduced. A mark of a CTA that is committed is no mark. */
enum { REDUCED, READ, READ_BY_MANY, WRITTEN, KIND = 3, NUMBER_SHIFT = 2 };

int ct_ptx_guard_init(struct ct_ptx_guard *g, const struct ct_ptx_run *r)
{
	*g = (struct ct_ptx_guard){.range = r->range, .nranges = r->nranges};
	atomic_init(&g->done, 0);
	atomic_init(&g->stop, 0);
	atomic_init(&g->unknown, UINT32_MAX);
	g->marks = ct_calloc(r->nranges + 1, sizeof *g->marks);
	return g->marks ? 0 : -1;
}

void ct_ptx_guard_free(struct ct_ptx_guard *g)
{
	for (size_t i = 0; g->marks && i < g->nranges; i++)
		free(g->marks[i]);
	free(g->marks);
}

int ct_ptx_guard_learn(struct ct_ptx_guard *g)
{
	uint32_t at = atomic_load(&g->unknown);
	atomic_store(&g->unknown, UINT32_MAX);
	if (at >= g->nranges || g->marks[at] || g->range[at].space != CT_PTX_GLOBAL)
		return -1;
	const struct ct_ptx_range *r = &g->range[at];
	uint64_t granules = (r->end - 1) / CT_PTX_GRANULE - r->first / CT_PTX_GRANULE + 1;
	g->marks[at] = granules > SIZE_MAX / sizeof(ct_ptx_mark)
	                       ? NULL
	                       : calloc((size_t)granules, sizeof(ct_ptx_mark));
	return g->marks[at] ? 0 : -1;
}

int ct_ptx_guard_refuse(struct ct_ptx_warp *w, const struct ct_ptx_op *o)
{
	atomic_store(&w->run->guarded->all->stop, 1);
	ct_ptx_stop(w, o, CT_PTX_OUT_OF_ORDER, 0);
	return -1;
}

/* Keeps what the granule at `mark` of a range holds: 0, or -1 when out of memory. */
static int keep_old(struct ct_ptx_claim *c, const struct ct_ptx_range *r, ct_ptx_mark *mark,
                    uint64_t granule)
{
	uint64_t first = granule * CT_PTX_GRANULE, end = first + CT_PTX_GRANULE;
	if (ct_grow((void **)&c->undo, &c->undo_cap, c->undos + 1, sizeof *c->undo) < 0)
		return -1;
	first = first < r->first ? r->first : first;
	end = end > r->end ? r->end : end;
	struct ct_ptx_undo *u = &c->undo[c->undos++];
	*u = (struct ct_ptx_undo){
		.at = (unsigned char *)(uintptr_t)first, .mark = mark, .bytes = (uint32_t)(end - first)};
	memcpy(u->old, u->at, u->bytes);
	return 0;
}

/* Claims a granule for an access of the CTA. 0; -1 where another CTA has it, or memory runs out. A
 * claim comes before its access, so that whoever else claims finds it. */
static int claim(const struct ct_ptx_guarded *g, const struct ct_ptx_range *r, ct_ptx_mark *mark,
                 uint64_t granule, int kind)
{
	uint32_t old = atomic_load_explicit(mark, memory_order_acquire), now;
	const uint32_t mine = g->number << NUMBER_SHIFT;
	for (;;) {
		uint32_t who = old >> NUMBER_SHIFT, was = old & KIND;
		if (who == g->number && (was == WRITTEN || (was == READ && kind == READ)))
			return 0;
		if (who <= atomic_load_explicit(&g->all->done, memory_order_acquire) ||
		    (who == g->number && was == READ && kind == WRITTEN))
			now = mine | (uint32_t)kind;
		else if (kind == READ && (was == READ || was == READ_BY_MANY))
			now = (who > g->number ? who << NUMBER_SHIFT : mine) | READ_BY_MANY;
		else if (kind == REDUCED && was == REDUCED)
			now = who > g->number ? old : mine | REDUCED;
		else
			return -1;
		if (now == old || atomic_compare_exchange_weak_explicit(
					  mark, &old, now, memory_order_acq_rel, memory_order_acquire))
			break;
	}
	return kind == WRITTEN ? keep_old(g->claim, r, mark, granule) : 0;
}

/* The range of an address: where the operation found its last one, or by looking for it. */
static uint32_t range_at(const struct ct_ptx_run *r, const struct ct_ptx_op *o, uint64_t address)
{
	uint32_t at = r->range_of[o - r->m->op];
	return at < r->nranges && address >= r->range[at].first && address < r->range[at].end
	               ? at
	               : ct_ptx_find_range(r, address, 1);
}

/* One lane's access at a global address. */
static int access_at(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint64_t address, int kind)
{
	const struct ct_ptx_run *r = w->run;
	struct ct_ptx_guard *all = r->guarded->all;
	uint32_t at = range_at(r, o, address);
	ct_ptx_mark *marks = at < all->nranges ? all->marks[at] : NULL;
	if (!marks && kind == READ)
		return 0;
	if (!marks) {
		atomic_store(&all->unknown, at);
		return -1;
	}
	uint64_t granule = address / CT_PTX_GRANULE, first = r->range[at].first / CT_PTX_GRANULE;
	return claim(r->guarded, &r->range[at], &marks[granule - first], granule, kind);
}

static int is_global(const struct ct_ptx_op *o, uint64_t address)
{
	return o->space == CT_PTX_GLOBAL ||
	       (o->space == CT_PTX_GENERIC && (address & CT_PTX_WINDOW_MASK) == 0);
}

/* The access of all lanes, `bytes` from the first one's address on. */
static int access_run(struct ct_ptx_warp *w, const struct ct_ptx_op *o, unsigned bytes, int kind)
{
	uint64_t address = w->address[0], end = address + bytes;
	for (; address < end; address = (address / CT_PTX_GRANULE + 1) * CT_PTX_GRANULE)
		if (access_at(w, o, address, kind) < 0)
			return ct_ptx_guard_refuse(w, o);
	return 0;
}

int ct_ptx_guard_access(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask, unsigned bytes,
                        int writes)
{
	struct ct_ptx_guard *all = w->run->guarded->all;
	uint64_t last = UINT64_MAX;
	int kind = writes ? WRITTEN : READ;
	/* A lane's bytes are aligned, and at most 16: they are in one granule. */
	if (o->space != CT_PTX_GLOBAL && o->space != CT_PTX_GENERIC)
		return 0;
	/* All lanes in a range that nobody stores to: nothing to look at. */
	uint32_t at = w->run->range_of[o - w->run->m->op];
	if (w->in_expected && (at >= all->nranges || (!writes && !all->marks[at])))
		return 0;
	if (w->in_expected && w->shape != CT_PTX_SCATTERED)
		return access_run(w, o, w->shape == CT_PTX_SAME ? bytes : CT_PTX_LANES * bytes, kind);
	for (uint32_t left = mask; left; left &= left - 1) {
		uint64_t address = w->address[ct_low_bit(left)];
		if (!is_global(o, address) || address / CT_PTX_GRANULE == last)
			continue;
		last = address / CT_PTX_GRANULE;
		if (access_at(w, o, address, kind) < 0)
			return ct_ptx_guard_refuse(w, o);
	}
	return 0;
}

int ct_ptx_guard_reduce(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t lane, uint64_t b)
{
	const struct ct_ptx_run *r = w->run;
	const struct ct_ptx_guarded *g = r->guarded;
	struct ct_ptx_claim *c = g->claim;
	uint64_t address = w->address[lane];
	if (!is_global(o, address))
		return 0;
	uint32_t at = range_at(r, o, address);
	ct_ptx_mark *marks = at < g->all->nranges ? g->all->marks[at] : NULL;
	if (marks) {
		uint64_t granule = address / CT_PTX_GRANULE - r->range[at].first / CT_PTX_GRANULE;
		uint32_t mark = atomic_load_explicit(&marks[granule], memory_order_acquire);
		if (mark == (g->number << NUMBER_SHIFT | WRITTEN)) /* its own */
			return 0;
	}
	if (access_at(w, o, address, REDUCED) < 0 ||
	    ct_grow((void **)&c->late, &c->late_cap, c->lates + 1, sizeof *c->late) < 0)
		return ct_ptx_guard_refuse(w, o);
	c->late[c->lates++] = (struct ct_ptx_late){o, (unsigned char *)(uintptr_t)address, b};
	return 1;
}

int ct_ptx_guard_texels(struct ct_ptx_warp *w, const struct ct_ptx_op *o, const void *texels)
{
	const struct ct_ptx_guard *all = w->run->guarded->all;
	uint32_t at = ct_ptx_find_range(w->run, (uint64_t)(uintptr_t)texels, 1);
	return at < all->nranges && all->marks[at] ? ct_ptx_guard_refuse(w, o) : 0;
}

void ct_ptx_claim_keep(struct ct_ptx_claim *c)
{
	for (size_t i = 0; i < c->lates; i++)
		ct_ptx_reduce(c->late[i].op, c->late[i].at, c->late[i].b);
	c->lates = c->undos = 0;
}

void ct_ptx_claim_undo(struct ct_ptx_claim *c)
{
	for (size_t i = 0; i < c->undos; i++) {
		memcpy(c->undo[i].at, c->undo[i].old, c->undo[i].bytes);
		atomic_store(c->undo[i].mark, 0);
	}
	c->lates = c->undos = 0;
}

void ct_ptx_claim_free(struct ct_ptx_claim *c)
{
	free(c->undo);
	free(c->late);
}

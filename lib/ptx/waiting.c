/* CTAs that wait for later ones. While a CTA is watched, operations on memory go through the functions below, which note what is read
 * and whether what is written was there before; at other times none of this costs anything. */
#include "ptx/waiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "ptx/guard.h"

enum {
	FIRST_STEPS = 1 << 18, /* of a CTA, before it is watched; then twice what it has executed */
	READS = 1 << 13,       /* that are remembered, at most half of it */
	TURNS_MOST = 64,       /* that it is watched at a time */
	TURNS_QUIET = 2 /* without a change and a read of something new, before it is said to wait */
};

/* Operations on memory that are looked at. */
static const enum ct_ptx_code looked_at[] = {
	CT_PTX_load, CT_PTX_store, CT_PTX_atom, CT_PTX_async_store, CT_PTX_surface, CT_PTX_tex};
enum { LOOKED_AT = sizeof looked_at / sizeof *looked_at };

struct ct_ptx_watch {
	ct_ptx_exec *exec[LOOKED_AT]; /* what the run has at other times */
	uint64_t next;                /* steps of the run where the CTA is watched next */
	int on;
	int moves;        /* in this turn something was changed, or read for the first time */
	int changed;      /* something was changed */
	uint32_t readers; /* warps that have read in this turn */
	unsigned turns, quiet;
	size_t reads;
	uint64_t read[READS]; /* digests, 0: none */
};

static uint64_t mixed(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* Remembers a read: 1 where it is new. */
static int is_new(struct ct_ptx_watch *h, uint64_t digest)
{
	size_t at = digest & (READS - 1);
	digest += digest == 0;
	for (; h->read[at]; at = (at + 1) & (READS - 1))
		if (h->read[at] == digest)
			return 0;
	h->read[at] = digest;
	h->reads++;
	return 1;
}

/* Notes a read of the warp's last access, by lanes of a mask. */
static void note_read(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	struct ct_ptx_watch *h = w->run->watch;
	uint64_t digest = mixed((uint64_t)o->source << 32 | mask, w->index);
	if (w->space != CT_PTX_GLOBAL || h->reads >= READS / 2)
		return;
	for (uint32_t left = mask; left; left &= left - 1)
		digest = mixed(digest, w->host[ct_low_bit(left)]);
	h->moves |= is_new(h, digest);
	h->readers |= UINT32_C(1) << w->index;
}

/* Digest of what memory holds where lanes of a mask access it. */
static uint64_t contents(const struct ct_ptx_warp *w, uint32_t mask, unsigned bytes)
{
	uint64_t digest = bytes;
	for (uint32_t left = mask; left; left &= left - 1) {
		const unsigned char *at = (const unsigned char *)(uintptr_t)w->host[ct_low_bit(left)];
		for (unsigned i = 0; i < bytes; i++)
			digest = mixed(digest, at[i]);
	}
	return digest;
}

static ct_ptx_exec *unwatched(const struct ct_ptx_watch *h, unsigned code)
{
	unsigned i = 0;
	while (i + 1 < LOOKED_AT && looked_at[i] != code)
		i++;
	return h->exec[i];
}

static void load(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	unwatched(w->run->watch, o->code)(w, o, mask);
	if (!w->run->fault.kind && !w->run->watch->changed)
		note_read(w, o, mask);
}

/* What is not looked at closely counts as a change. */
static void other(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	w->run->watch->changed = 1;
	unwatched(w->run->watch, o->code)(w, o, mask);
}

/* A store, or an atomic operation, which reads as well. A reduction that is put off (guard.h) counts as a change. Behind the first
 * change of a watch nothing more is to be found. */
static void change(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	struct ct_ptx_watch *h = w->run->watch;
	unsigned bytes = (unsigned)o->width * (o->code == CT_PTX_store ? o->count : 1u);
	if (h->changed || (w->run->guarded && o->code == CT_PTX_atom && o->d == CT_PTX_NO_ROW)) {
		other(w, o, mask);
		return;
	}
	if (ct_ptx_resolve(w, o, mask, bytes) < 0 ||
	    (w->run->guarded && ct_ptx_guard_access(w, o, mask, bytes, 1) < 0))
		return;
	uint64_t before = contents(w, mask, bytes);
	unwatched(h, o->code)(w, o, mask);
	if (w->run->fault.kind)
		return;
	if (o->code == CT_PTX_atom)
		note_read(w, o, mask);
	h->changed |= contents(w, mask, bytes) != before;
}

static void look(struct ct_ptx_run *r)
{
	struct ct_ptx_watch *h = r->watch;
	for (size_t i = 0; i < LOOKED_AT; i++) {
		h->exec[i] = r->exec[looked_at[i]];
		r->exec[looked_at[i]] = other;
	}
	r->exec[CT_PTX_load] = load;
	r->exec[CT_PTX_store] = r->exec[CT_PTX_atom] = change;
	memset(h->read, 0, sizeof h->read);
	h->reads = 0;
	h->turns = h->quiet = 0;
	h->moves = h->changed = 0;
	h->readers = 0;
	h->on = 1;
}

static void look_away(struct ct_ptx_run *r)
{
	struct ct_ptx_watch *h = r->watch;
	for (size_t i = 0; h->on && i < LOOKED_AT; i++)
		r->exec[looked_at[i]] = h->exec[i];
	h->on = 0;
}

void ct_ptx_watch_begin(struct ct_ptx_run *r)
{
	r->cta_from = r->steps;
	if (!r->watch)
		return;
	look_away(r);
	r->watch->next = r->steps + FIRST_STEPS;
}

/* Whether each warp that can go on has read in this turn. */
static int all_read(const struct ct_ptx_run *r)
{
	for (uint32_t i = 0; i < r->warps; i++)
		if (r->warp[i].alive && r->warp[i].current != CT_PTX_NO_SPLIT &&
		    !(r->watch->readers >> i & 1))
			return 0;
	return r->watch->readers != 0;
}

int ct_ptx_watch_turn(struct ct_ptx_run *r)
{
	struct ct_ptx_watch *h = r->watch;
	if (r->steps - r->cta_from < FIRST_STEPS)
		return 0;
	if (!h) {
		if (!(h = r->watch = ct_calloc(1, sizeof *h))) {
			r->status = ct_fail_nomem(r->e);
			return -1;
		}
		h->next = r->steps;
	}
	if (!h->on) {
		if (r->steps >= h->next)
			look(r);
		return 0;
	}
	if (h->changed || h->reads >= READS / 2 || ++h->turns > TURNS_MOST) {
		look_away(r);
		h->next = r->cta_from + 2 * (r->steps - r->cta_from);
		return 0;
	}
	h->quiet = !h->moves && all_read(r) ? h->quiet + 1 : 0;
	h->moves = 0;
	h->readers = 0;
	if (h->quiet < TURNS_QUIET)
		return 0;
	look_away(r);
	return CT_PTX_WAITS;
}

void ct_ptx_watch_end(struct ct_ptx_run *r)
{
	if (r->watch)
		look_away(r);
	free(r->watch);
	r->watch = NULL;
}

/* LLC accesses as observers see them: one event for all sectors of a line that one
 * instruction sent, in the order of simulated time.
 *
 * Slices run through a window one after the other and serve the sectors of a line one
 * by one, so accesses are gathered by instruction and line and handed out when HOLD windows
 * have passed since the first (a line may stall in the L1 between two of its sectors). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/engine.h"

enum { HIT, PENDING }; /* what rp_llc_log is told; more: a miss */
enum { HOLD = 8 };

struct entry {
	struct ct_llc_event ev;
	uint32_t group, next;
	uint64_t order;
};

struct rp_llc_log {
	struct entry *e;
	size_t cap, n;
	uint32_t *bucket;
	uint32_t mask;
	uint64_t order, windows;
};

int rp_llc_log_init(struct ct_replay *r, struct ct_error *e)
{
	struct rp_llc_log *g = ct_calloc(1, sizeof *g);
	r->llc_log = g;
	if (!g)
		return ct_fail_nomem(e);
	if (!r->has_llc)
		return 0;
	g->mask = 4095;
	g->bucket = ct_calloc(g->mask + 1, sizeof *g->bucket);
	return g->bucket ? 0 : ct_fail_nomem(e);
}

void rp_llc_log_free(struct ct_replay *r)
{
	if (!r->llc_log)
		return;
	free(r->llc_log->e);
	free(r->llc_log->bucket);
	free(r->llc_log);
}

static uint64_t key_of(uint32_t sm, uint32_t group)
{
	return ((uint64_t)group << 16 | sm) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct entry *entry_of(struct ct_replay *r, const struct rp_packet *p, uint32_t slice,
                              uint64_t now)
{
	struct rp_llc_log *g = r->llc_log;
	uint32_t b = (uint32_t)(key_of(p->sm, p->group) >> 32) & g->mask;
	uint64_t line = p->address >> r->llc_line_bits;
	for (uint32_t i = g->bucket[b]; i; i = g->e[i - 1].next) {
		struct entry *k = &g->e[i - 1];
		if (k->group == p->group && k->ev.sm == p->sm && k->ev.line == line)
			return k;
	}
	if (ct_grow((void **)&g->e, &g->cap, g->n + 1, sizeof *g->e) < 0) {
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
		return NULL;
	}
	struct entry *k = &g->e[g->n];
	memset(k, 0, sizeof *k);
	k->group = p->group;
	k->order = g->order++;
	k->next = g->bucket[b];
	k->ev.sm = p->sm;
	k->ev.slice = slice;
	k->ev.cycle = now;
	k->ev.line = line;
	k->ev.is_write = (uint8_t)rp_is_store(p);
	k->ev.is_atomic = p->kind == RP_PK_ATOMIC;
	g->bucket[b] = (uint32_t)++g->n;
	return k;
}

void rp_llc_log(struct ct_replay *r, uint32_t slice, const struct rp_packet *p, uint64_t now,
                int what)
{
	struct entry *k = entry_of(r, p, slice, now);
	uint32_t bit = 1u << (p->address >> r->llc_sector_bits & (r->llc_sectors - 1));
	if (!k || (k->ev.sectors & bit)) /* further lanes of an atomic on one sector */
		return;
	k->ev.sectors |= bit;
	uint32_t s = ct_low_bit(bit);
	if (s < 4)
		k->ev.bytes[s / 2] |= (uint64_t)p->bytes << 32 * (s % 2);
	if (what == HIT)
		k->ev.hit |= bit;
	else if (what == PENDING)
		k->ev.pending |= bit;
	else
		k->ev.miss |= bit;
}

static int in_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->ev.cycle != y->ev.cycle)
		return x->ev.cycle < y->ev.cycle ? -1 : 1;
	if (x->ev.slice != y->ev.slice)
		return x->ev.slice < y->ev.slice ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void rp_llc_log_window(struct ct_replay *r)
{
	struct rp_llc_log *g = r->llc_log;
	uint64_t hold = (uint64_t)HOLD * r->whole_window; /* parts may have made windows shorter */
	if (++g->windows % (HOLD * (r->whole_window / r->window)))
		return;
	rp_llc_log_flush(r, r->horizon > hold ? r->horizon - hold : 0);
}

/* Hands out what began before `before`, oldest first, and keeps the rest. */
void rp_llc_log_flush(struct ct_replay *r, uint64_t before)
{
	struct rp_llc_log *g = r->llc_log;
	size_t done = 0;
	if (!r->has_llc || !g->n)
		return;
	qsort(g->e, g->n, sizeof *g->e, in_time);
	for (; done < g->n && g->e[done].ev.cycle < before; done++)
		for (unsigned i = 0; i < r->nobs; i++)
			if (r->obs[i].llc)
				r->obs[i].llc(r->obs[i].ctx, &g->e[done].ev);
	memset(g->bucket, 0, (g->mask + 1) * sizeof *g->bucket);
	memmove(g->e, g->e + done, (g->n - done) * sizeof *g->e);
	g->n -= done;
	for (size_t i = 0; i < g->n; i++) {
		struct entry *k = &g->e[i];
		uint32_t b = (uint32_t)(key_of(k->ev.sm, k->group) >> 32) & g->mask;
		k->next = g->bucket[b];
		g->bucket[b] = (uint32_t)i + 1;
	}
}

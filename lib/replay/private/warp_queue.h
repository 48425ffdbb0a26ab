/* warp_queue.h - warps in the order of the cycles at which they go on, where a warp runs ahead of the
 * others: those of the next cycles by cycle, the others in a heap (private). */
#ifndef CT_REPLAY_PRIVATE_WARP_QUEUE_H
#define CT_REPLAY_PRIVATE_WARP_QUEUE_H

#include <string.h>

#include "base/bits.h"
#include "base/heap.h"
#include "base/hot.h"
#include "replay/private/numbers.h"

enum { RP_NEAR = 64 /* cycles whose warps are kept by cycle */ };

struct rp_warp_queue {
	uint32_t first_at;                 /* of the first of them, RP_NEVER: there is none */
	uint32_t near_from;                /* those of the RP_NEAR cycles from here on ... */
	uint64_t near_bits, near[RP_NEAR]; /* cycles that have any; bit warp of [cycle % RP_NEAR] */
	uint64_t *heap; /* ... and all others: cycle << 16 | warp; RP_NEVER64 at its head
	                                      where there are none */
	uint32_t nheap;
};

static inline int rp_warp_key_before(const void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* Nothing waits. */
static inline void rp_warp_queue_clear(struct rp_warp_queue *q)
{
	memset(q->near, 0, sizeof q->near);
	q->near_bits = 0;
	q->nheap = q->near_from = 0;
	q->heap[0] = RP_NEVER64;
	q->first_at = RP_NEVER;
}

/* Cycle of the first; RP_NEVER: there is none. */
static CT_INLINE uint32_t rp_warp_first(const struct rp_warp_queue *q)
{
	uint32_t from = q->near_from, turn = from % RP_NEAR;
	uint32_t t = (uint32_t)(q->heap[0] >> 16);
	uint64_t bits = q->near_bits >> turn | q->near_bits << (-turn % RP_NEAR);
	return bits ? rp_min32(t, from + ct_low_bit(bits)) : t;
}

static CT_INLINE void rp_warp_push(struct rp_warp_queue *q, uint32_t warp, uint32_t at)
{
	q->first_at = rp_min32(q->first_at, at);
	if (at - q->near_from < RP_NEAR && warp < 64) {
		q->near_bits |= UINT64_C(1) << at % RP_NEAR;
		q->near[at % RP_NEAR] |= UINT64_C(1) << warp;
		return;
	}
	uint64_t key = (uint64_t)at << 16 | warp;
	ct_heap_add(q->heap, q->nheap++, sizeof key, &key, rp_warp_key_before, NULL);
}

/* Takes the warp at the head of the heap out. */
static CT_INLINE uint32_t rp_warp_heap_pop(struct rp_warp_queue *q)
{
	uint64_t top;
	ct_heap_take(q->heap, q->nheap--, sizeof top, &top, rp_warp_key_before, NULL);
	if (!q->nheap)
		q->heap[0] = RP_NEVER64;
	return (uint32_t)(top & 0xffff);
}

/* Those of the first cycle, bit warp; not warps from 64 on, nor what has come behind a later one. */
static CT_INLINE uint64_t rp_warps_due(struct rp_warp_queue *q)
{
	uint32_t at = q->first_at, turn = at % RP_NEAR;
	if (at < q->near_from)
		return 0;
	q->near_from = at;
	while (q->heap[0] >> 16 == at && (q->heap[0] & 0xffff) < 64) {
		q->near_bits |= UINT64_C(1) << turn;
		q->near[turn] |= UINT64_C(1) << rp_warp_heap_pop(q);
	}
	return q->near[turn];
}

/* Takes the warp whose bit that is of those due, or with 0, where none is, the first of all. */
static CT_INLINE uint32_t rp_warp_take(struct rp_warp_queue *q, uint64_t bit)
{
	uint32_t turn = q->first_at % RP_NEAR, warp;
	if (bit) {
		warp = ct_low_bit(bit);
		if (!(q->near[turn] ^= bit))
			q->near_bits &= ~(UINT64_C(1) << turn);
	} else {
		warp = rp_warp_heap_pop(q);
	}
	q->first_at = rp_warp_first(q);
	return warp;
}

#endif

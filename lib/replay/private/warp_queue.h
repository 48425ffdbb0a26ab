/* warp_queue.h - warps in the order of the cycles at which they go on, where a warp runs ahead of the
 * others: those of the next cycles by cycle, the others in a heap (private). */
#ifndef CT_REPLAY_PRIVATE_WARP_QUEUE_H
#define CT_REPLAY_PRIVATE_WARP_QUEUE_H

#include "base/bits.h"
#include "base/hot.h"
#include "replay/private/numbers.h"

enum { RP_NEAR = 64 /* cycles whose warps are kept by cycle */ };

struct rp_warp_queue {
	uint32_t first_at;                 /* of the first of them, RP_NEVER: there is none */
	uint32_t near_from;                /* those of the RP_NEAR cycles from here on ... */
	uint64_t near_bits, near[RP_NEAR]; /* cycles that have any; bit warp of [cycle % RP_NEAR] */
	uint64_t *heap;                    /* ... and all others: cycle << 16 | warp; RP_NEVER64 at its head
	                                      where there are none */
	uint32_t nheap;
};

/* A launch begins: nothing waits. */
static inline void rp_warp_queue_clear(struct rp_warp_queue *q)
{
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
	uint64_t key = (uint64_t)at << 16 | warp, *h = q->heap;
	uint32_t i = q->nheap++;
	for (; i && h[(i - 1) / 2] > key; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = key;
}

static CT_INLINE uint32_t rp_heap_pop(struct rp_warp_queue *q)
{
	uint64_t *h = q->heap, top = h[0], key = h[--q->nheap];
	uint32_t i = 0, n = q->nheap;
	for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
		k += k + 1 < n && h[k + 1] < h[k];
		if (h[k] >= key)
			break;
		h[i] = h[k];
	}
	h[i] = n ? key : RP_NEVER64;
	return (uint32_t)(top & 0xffff);
}

/* The first, of those of a cycle the lowest. */
static CT_INLINE uint32_t rp_warp_pop(struct rp_warp_queue *q)
{
	uint32_t at = q->first_at, turn = at % RP_NEAR, warp;
	uint64_t near = at >= q->near_from ? q->near[turn] : 0;
	if (near && q->heap[0] > ((uint64_t)at << 16 | ct_low_bit(near))) {
		warp = ct_low_bit(near);
		q->near[turn] = near &= near - 1;
		if (!near)
			q->near_bits &= ~(UINT64_C(1) << turn);
	} else {
		warp = rp_heap_pop(q);
	}
	q->near_from = rp_max32(q->near_from, at);
	q->first_at = rp_warp_first(q);
	return warp;
}

#endif

/* window.h - a window of time slots, one bit each, and counts of live slots above.
 *
 * A line on the stack owns the slot of its last touch, so its distance is the number
 * of live slots after its own. Counts are kept as suffix sums so that a query is one
 * load per level: l1[w] = live slots in the words after w in its group of 32 words,
 * l2 the same one level up (groups of 32), up[k] above in groups of 16. A slot that
 * dies lowers, in each level, the entries of its group before its own: one vector
 * addition on one cache line. New slots only appear at the end, in the current word,
 * which the levels count when it is complete. Private to the room. */
#ifndef CT_LOCALITY_WINDOW_H
#define CT_LOCALITY_WINDOW_H

#include <stddef.h>
#include <stdint.h>

enum {
	CT_WINDOW_GROUP = 32,    /* entries per group of l1 and l2 */
	CT_WINDOW_UP_GROUP = 16, /* entries per group of up[] */
	CT_WINDOW_UP = 4,        /* levels of up[]: 2^31 slots need 4 */
	CT_WINDOW_FIRST = 2      /* first slot in use: lower times have meanings of their own */
};
/* Shift from a word's number to its entry in up[k] is 10 + 4 k. */

struct ct_window {
	uint64_t *bits;
	uint16_t *l1, *l2;
	uint32_t *up[CT_WINDOW_UP];
	unsigned depth; /* levels of up[] in use; the last is a single group */
	uint64_t slots; /* capacity, a power of two, at least 64 */
	uint64_t now;   /* next slot; bits[now / 64] holds the current word so far */
	uint64_t live;
	size_t bytes;
	void *memory;
};

/* Number of set bits in a dozen plain operations: faster than the library call that
 * compilers make of a population count where no instruction may be assumed. */
static inline uint64_t ct_window_bits(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555u;
	x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return x * 0x0101010101010101u >> 56;
}

/* An empty window of at least `slots` slots (rounded up, at most 2^31). Returns 0, or
 * -1 when out of memory or over the limit; *w is then unchanged. */
int ct_window_init(struct ct_window *w, uint64_t slots);
void ct_window_free(struct ct_window *w);
/* Forgets all; slots [FIRST, FIRST + live) become live. */
void ct_window_fill(struct ct_window *w, uint64_t live);
/* rank[w] = live slots before word w, for the words in use; `rank` has room for
 * slots / 64. */
void ct_window_rank(const struct ct_window *w, uint32_t *rank);
/* Live slots after `slot`. */
uint64_t ct_window_after(const struct ct_window *w, uint64_t slot);

#endif

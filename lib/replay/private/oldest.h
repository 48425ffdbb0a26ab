/* oldest.h - what both kinds of caches share: the ways of a set, the lowest of some stamps of
 * recency for its victim, written bytes (private). */
#ifndef CT_REPLAY_PRIVATE_OLDEST_H
#define CT_REPLAY_PRIVATE_OLDEST_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(CT_NO_SIMD)
#include <emmintrin.h>
#endif

#include "base/bits.h"

enum { RP_STAMPS = 16 /* that are looked at together */ };
#define RP_NO_STAMP 0xffffffffu

/* Bit `index` of an array. */
static inline void rp_put_bit(uint64_t *words, uint32_t index, int on)
{
	uint64_t bit = UINT64_C(1) << index % 64;
	words[index / 64] = on ? words[index / 64] | bit : words[index / 64] & ~bit;
}

/* n <= 32 bits from `first` on. */
static inline uint32_t rp_bits_of(const uint64_t *words, uint32_t first, uint32_t n)
{
	uint64_t v = words[first / 64] >> first % 64;
	if (first % 64 + n > 64)
		v |= words[first / 64 + 1] << (64 - first % 64);
	return (uint32_t)v & (uint32_t)((UINT64_C(1) << n) - 1);
}

/* The lowest of n stamps, above its way (the lowest on ties), but for those of the mask: no branch,
 * which one it is is anybody's guess. */
static inline uint64_t rp_lowest_of(const uint32_t *stamp, uint32_t n, uint32_t except)
{
	uint64_t best = UINT64_MAX;
	for (uint32_t w = 0; w < n; w++, except >>= 1) {
		uint64_t key = (uint64_t)(stamp[w] | (0 - (except & 1))) << 32 | w;
		best = key < best ? key : best;
	}
	return best;
}

#if defined(__SSE2__) && !defined(CT_NO_SIMD)
/* The same of a whole block: the sign is turned over, since only signed numbers compare. */
static inline __m128i lower_of(__m128i a, __m128i b)
{
	__m128i more = _mm_cmpgt_epi32(a, b);
	return _mm_or_si128(_mm_and_si128(more, b), _mm_andnot_si128(more, a));
}

static inline __m128i four_of(const uint32_t *stamp, __m128i mask, __m128i bit)
{
	__m128i out = _mm_cmpeq_epi32(_mm_and_si128(mask, bit), bit);
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)stamp);
	return _mm_xor_si128(_mm_or_si128(v, out), _mm_set1_epi32(INT32_MIN));
}

static inline uint64_t lowest_of_four(__m128i a, __m128i b, __m128i c, __m128i d)
{
	__m128i low = lower_of(lower_of(a, b), lower_of(c, d));
	low = lower_of(low, _mm_shuffle_epi32(low, 0x4e));
	low = lower_of(low, _mm_shuffle_epi32(low, 0xb1));
	a = _mm_packs_epi32(_mm_cmpeq_epi32(a, low), _mm_cmpeq_epi32(b, low));
	c = _mm_packs_epi32(_mm_cmpeq_epi32(c, low), _mm_cmpeq_epi32(d, low));
	uint32_t at = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, c));
	return (uint64_t)((uint32_t)_mm_cvtsi128_si32(low) ^ 0x80000000u) << 32 | ct_low_bit(at);
}

static inline uint64_t rp_lowest_of_block(const uint32_t *stamp, uint32_t except)
{
	const __m128i bit = _mm_set_epi32(8, 4, 2, 1), sign = _mm_set1_epi32(INT32_MIN);
	const __m128i *v = (const __m128i *)(const void *)stamp;
	if (!except)
		return lowest_of_four(_mm_xor_si128(_mm_loadu_si128(v), sign),
		                      _mm_xor_si128(_mm_loadu_si128(v + 1), sign),
		                      _mm_xor_si128(_mm_loadu_si128(v + 2), sign),
		                      _mm_xor_si128(_mm_loadu_si128(v + 3), sign));
	const __m128i mask = _mm_set1_epi32((int)except);
	return lowest_of_four(
		four_of(stamp, mask, bit), four_of(stamp + 4, mask, _mm_slli_epi32(bit, 4)),
		four_of(stamp + 8, mask, _mm_slli_epi32(bit, 8)),
		four_of(stamp + 12, mask, _mm_slli_epi32(bit, 12)));
}
#else
static inline uint64_t rp_lowest_of_block(const uint32_t *stamp, uint32_t except)
{
	return rp_lowest_of(stamp, RP_STAMPS, except);
}
#endif

/* Which of n <= RP_STAMPS numbers are equal to this one, way by way. */
static inline uint32_t rp_equal_mask(const uint32_t *number, uint32_t n, uint32_t to)
{
	uint32_t mask = 0;
#if defined(__SSE2__) && !defined(CT_NO_SIMD)
	if (n == RP_STAMPS) {
		const __m128i same = _mm_set1_epi32((int)to), *v = (const __m128i *)(const void *)number;
		__m128i a[4];
		for (int i = 0; i < 4; i++)
			a[i] = _mm_cmpeq_epi32(_mm_loadu_si128(v + i), same);
		a[0] = _mm_packs_epi16(_mm_packs_epi32(a[0], a[1]), _mm_packs_epi32(a[2], a[3]));
		return (uint32_t)_mm_movemask_epi8(a[0]);
	}
#endif
	for (uint32_t w = 0; w < n; w++)
		mask |= (uint32_t)(number[w] == to) << w;
	return mask;
}

static inline uint64_t rp_lowest_stamp(const uint32_t *stamp, uint32_t n, uint32_t except)
{
	return n == RP_STAMPS ? rp_lowest_of_block(stamp, except) : rp_lowest_of(stamp, n, except);
}

/* The next victims of a set, oldest first: found together, since one pass over the stamps of a set of
 * many ways costs much the same whatever it finds. A line that is not younger than `limit` is one of
 * them, or was none when they were found. */
enum { RP_QUEUE = 24 };
struct rp_queue {
	uint32_t head, n, limit;
	uint32_t step; /* between the last two limits */
	uint32_t line[RP_QUEUE];
};

/* Empties the queues of n sets with that many ways, from `set` on; each set has two. */
static inline void rp_queues_empty(struct rp_queue *queue, uint32_t set, uint32_t n, uint32_t ways)
{
	for (uint32_t i = 2 * set; ways > RP_STAMPS && i < 2 * (set + n); i++)
		queue[i].head = queue[i].n = queue[i].limit = queue[i].step = 0;
}

/* Queues that sets need in any shape of a cache of that many lines: two for each set of more than
 * RP_STAMPS ways. */
static inline uint32_t rp_queues(uint32_t lines)
{
	return 2 * (lines / (RP_STAMPS + 1) + 1);
}

/* The line can be a victim again. */
static inline void rp_queue_missed(struct rp_queue *q, uint32_t stamp)
{
	if (stamp <= q->limit)
		q->n = q->head;
}

/* The lines of a set, from index `first` on: stamps of all lines, that of the last touch, and bits of
 * those that are not to be victims (NULL: no such bits). */
struct rp_ways {
	struct rp_queue *queue; /* with more than RP_STAMPS ways */
	const uint32_t *stamp;
	uint32_t first, ways, last;
	const uint64_t *except, *also_except;
};

static inline uint32_t rp_never_of(const struct rp_ways *s, uint32_t first, uint32_t n)
{
	return (s->except ? rp_bits_of(s->except, first, n) : 0) |
	       (s->also_except ? rp_bits_of(s->also_except, first, n) : 0);
}

/* oldest.c: finds the next victims and returns the first. */
uint32_t rp_oldest_of_many(const struct rp_ways *s);

/* Index of the oldest line of the set that is in neither mask; RP_NO_STAMP: there is none. */
static inline uint32_t rp_oldest_line(const struct rp_ways *s)
{
	if (s->ways <= RP_STAMPS) {
		uint64_t best = rp_lowest_stamp(
			s->stamp + s->first, s->ways, rp_never_of(s, s->first, s->ways));
		return best >> 32 == RP_NO_STAMP ? RP_NO_STAMP : s->first + (uint32_t)best;
	}
	for (struct rp_queue *q = s->queue; q->head < q->n; q->head++) {
		uint32_t i = q->line[q->head];
		if (s->stamp[i] <= q->limit && !rp_never_of(s, i, 1))
			return i;
	}
	return rp_oldest_of_many(s);
}

/* The n-th lowest of the stamps, from 0 on, becomes n; returns the highest. */
static inline uint32_t rp_renumber(uint32_t *stamp, uint32_t ways)
{
	uint32_t low = 0, next;
	for (uint32_t n = 0;; n++, low = next + 1) {
		next = RP_NO_STAMP;
		for (uint32_t w = 0; w < ways; w++)
			if (stamp[w] >= low && stamp[w] < next)
				next = stamp[w];
		if (next == RP_NO_STAMP)
			return n ? n - 1 : 0;
		for (uint32_t w = 0; w < ways; w++)
			if (stamp[w] == next)
				stamp[w] = n;
	}
}

/* Log2 of the ways, or 32 when they are no power of two. */
static inline uint32_t rp_way_bits(uint32_t ways)
{
	return ways && !(ways & (ways - 1)) ? ct_high_bit(ways) : 32;
}

/* Every way of a set is free. */
static inline void rp_free_all(uint64_t *words, uint32_t ways)
{
	for (uint32_t w = 0; w < ways; w += 64)
		words[w / 64] = ways - w < 64 ? (UINT64_C(1) << (ways - w)) - 1 : UINT64_MAX;
}

/* Bytes of a sector are written, 32 bits of the line's words for each: whether all of them have been. noted: the words hold
 * what was written before, else they are anything. */
static inline int rp_all_written(uint64_t words[4], int noted, uint32_t sector, uint32_t bytes)
{
	if (!noted)
		memset(words, 0, 4 * sizeof *words);
	uint64_t *word = &words[sector / 2];
	*word |= (uint64_t)bytes << 32 * (sector % 2);
	return (uint32_t)(*word >> 32 * (sector % 2)) == 0xffffffffu;
}

/* The masked sectors are gone: nothing of them is written. */
static inline void rp_forget_written(uint64_t *words, uint32_t sectors)
{
	for (; sectors; sectors &= sectors - 1) {
		uint32_t k = ct_low_bit(sectors);
		words[k / 2] &= ~((uint64_t)UINT32_MAX << 32 * (k % 2));
	}
}

/* The highest bit of the words of a set, one of which is not 0. */
static inline uint32_t rp_last_bit(const uint64_t *words, uint32_t n)
{
	while (n-- > 1 && !words[n])
		;
	return n * 64 + ct_high_bit(words[n]);
}

#endif

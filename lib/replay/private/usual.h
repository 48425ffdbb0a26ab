/* usual.h - the memory system that nearly all GPUs have (private).
 *
 * `usual` is a constant where these are called: 1 for lines of four sectors of 32 bytes in L1 and LLC,
 * L1s of four banks that allocate on a miss, a network and an LLC of the SMs' clock, without parts but those of
 * schedulers and collectors, with resources that cost what they cost and caches that miss what they miss
 * (rp_usual_memory); numbers are constants then. 0 takes every memory system. */
#ifndef CT_REPLAY_PRIVATE_USUAL_H
#define CT_REPLAY_PRIVATE_USUAL_H

#if defined(__SSE2__) && !defined(CT_NO_SIMD)
#include <emmintrin.h>
#endif

#include "replay/private/engine.h"

enum {
	RP_USUAL_SECTORS = 4,
	RP_USUAL_SECTOR_BITS = 5,
	RP_USUAL_LINE_BITS = 7,
	RP_USUAL_BANKS = 4,  /* a sector's number in its line is that of its bank */
	RP_FIRST_STAGES = 64 /* the ring of a bank at first; the usual one never grows */
};

/* What of it is behind the SMs: the network's and the slices' own `usual` may be 1 with parts, too, and has RP_WITH_PARTS
 * then. */
static inline int rp_usual_llc(const struct ct_replay *r)
{
	return !r->free && r->noc_clock.same && r->llc_clock.same && !(r->ideal & CT_REPLAY_IDEAL_LLC) &&
	       r->llc_line_bits == RP_USUAL_LINE_BITS && r->llc_sector_bits == RP_USUAL_SECTOR_BITS;
}

/* The same of the banks of the L1s, also where these are a part. */
static inline int rp_usual_banks(const struct ct_replay *r)
{
	return r->l1_line_bits == RP_USUAL_LINE_BITS && r->l1_sector_bits == RP_USUAL_SECTOR_BITS &&
	       r->banks == RP_USUAL_BANKS && r->g.l1_latency < RP_FIRST_STAGES;
}

static inline int rp_usual_memory(const struct ct_replay *r)
{
	return rp_usual_llc(r) && rp_usual_banks(r) && !(r->ideal & CT_REPLAY_IDEAL_L1) &&
	       r->g.l1.allocate == CT_ALLOCATE_ON_MISS;
}

enum { RP_WITH_PARTS = 4 };

/* Whether it is usual and there are no parts. */
static CT_INLINE int rp_usual_alone(int usual)
{
	return usual && !(usual & RP_WITH_PARTS);
}

/* Logarithms of the sizes of lines and sectors of L1 and LLC; both caches have the same in the usual case. */
static CT_INLINE uint32_t rp_l1_line(const struct ct_replay *r, int usual)
{
	return usual ? RP_USUAL_LINE_BITS : r->l1_line_bits;
}
static CT_INLINE uint32_t rp_l1_sector(const struct ct_replay *r, int usual)
{
	return usual ? RP_USUAL_SECTOR_BITS : r->l1_sector_bits;
}
static CT_INLINE uint32_t rp_llc_line(const struct ct_replay *r, int usual)
{
	return usual ? RP_USUAL_LINE_BITS : r->llc_line_bits;
}
static CT_INLINE uint32_t rp_llc_sector(const struct ct_replay *r, int usual)
{
	return usual ? RP_USUAL_SECTOR_BITS : r->llc_sector_bits;
}

/* As rp_tick_of() and rp_core_of() of the network, whose clock is that of the SMs in the usual case. */
static CT_INLINE uint64_t rp_noc_tick(const struct ct_replay *r, uint64_t core, int usual)
{
	return usual ? core : rp_tick_of(&r->noc_clock, core);
}
static CT_INLINE uint64_t rp_noc_core(const struct ct_replay *r, uint64_t tick, int usual)
{
	return usual ? tick : rp_core_of(&r->noc_clock, tick);
}

/* Which of four cycles are not after `now`: bit i of at[i]. */
static CT_INLINE uint32_t rp_four_due(const uint32_t *at, uint32_t now)
{
#if defined(__SSE2__) && !defined(CT_NO_SIMD)
	const __m128i sign = _mm_set1_epi32(INT32_MIN); /* only signed numbers compare */
	__m128i v = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)at), sign);
	__m128i later = _mm_cmpgt_epi32(v, _mm_set1_epi32((int)(now ^ 0x80000000u)));
	return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(later)) ^ 15;
#else
	return (uint32_t)(at[0] <= now) | (uint32_t)(at[1] <= now) << 1 | (uint32_t)(at[2] <= now) << 2 |
	       (uint32_t)(at[3] <= now) << 3;
#endif
}

/* The first of them. */
static CT_INLINE uint32_t rp_four_first(const uint32_t *at)
{
	return rp_min32(rp_min32(at[0], at[1]), rp_min32(at[2], at[3]));
}

#endif

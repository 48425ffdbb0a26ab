/* setlru_kernel.h - state and compiled variants of the set lists. Private to the room. */
#ifndef CT_LOCALITY_SETLRU_KERNEL_H
#define CT_LOCALITY_SETLRU_KERNEL_H

#include "locality/isa.h"
#include "locality/setlru.h"

enum { CT_SETLRU_AHEAD = 16 };

struct ct_setlru {
	uint32_t sets, sectors;
	int isa, wide, begun, failed;
	/* 32-bit tags are line - base + 1 (0 = empty): a cache line per set. Addresses that
	 * lie further apart turn the tags into whole lines, of which a set has `fill`. */
	uint64_t base;
	uint32_t *tag;
	uint64_t *wide_tag;
	uint8_t *fill;
	uint32_t *run; /* per place four bytes: largest position since each sector's touch */
	uint64_t count[CT_SETLRU_WAYS + 1], sector_count[CT_SETLRU_WAYS + 1];
};

/* Sector state of a line that just came: every sector is absent. */
#define CT_SETLRU_COLD 0x10101010u

/* Each of four bytes, but at least position (below 128). */
static inline uint32_t ct_setlru_max(uint32_t run, unsigned position)
{
#if CT_X86
	return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu8(_mm_cvtsi32_si128((int)run),
	                                                _mm_set1_epi8((char)position)));
#else
	uint32_t out = 0;
	for (unsigned i = 0; i < 32; i += 8) {
		uint32_t b = run >> i & 0xff;
		out |= (b > position ? b : position) << i;
	}
	return out;
#endif
}

/* Counts the sectors of mask by the state of their line and touches them. */
static inline uint32_t ct_setlru_sectors(uint64_t *count, uint32_t run, unsigned mask)
{
	uint32_t touched = 0;
	for (unsigned i = 0; i < 4; i++) { /* without branches: masks are hard to predict */
		uint32_t bit = mask >> i & 1;
		count[run >> 8 * i & 0xff] += bit;
		touched |= bit * 0xff << 8 * i;
	}
	return run & ~touched;
}

/* Does accesses until n or a line that 32-bit tags cannot hold; returns how many. */
size_t ct_setlru_portable(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                          const uint8_t *mask, size_t n, uint8_t *position);
#if CT_X86
size_t ct_setlru_avx2(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                      const uint8_t *mask, size_t n, uint8_t *position);
size_t ct_setlru_avx512(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                        const uint8_t *mask, size_t n, uint8_t *position);
#endif

#endif

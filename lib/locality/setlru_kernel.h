/* setlru_kernel.h - state and compiled variants of the set lists. Private to the room. */
#ifndef CT_LOCALITY_SETLRU_KERNEL_H
#define CT_LOCALITY_SETLRU_KERNEL_H

#include <string.h>

#include "locality/isa.h"
#include "locality/setlru.h"

enum {
	CT_SETLRU_BLOCK = 64,
	CT_SETLRU_PIECE = 1024 /* accesses of a call, a multiple of the block */
};

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

/* 0xff in the byte of each sector of a mask. */
extern const uint32_t ct_setlru_bytes_of[16];

/* Each of four bytes (none above 16), but at least position. A line that was absent, at
 * position 16, comes with CT_SETLRU_COLD, whatever the bytes were. */
static inline uint32_t ct_setlru_max(uint32_t run, unsigned position)
{
#if CT_X86
	return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu8(
		_mm_cvtsi32_si128((int)run), _mm_cvtsi32_si128((int)(position * 0x01010101u))));
#else
	uint32_t out = 0;
	for (unsigned i = 0; i < 32; i += 8) {
		uint32_t b = run >> i & 0xff;
		out |= (b > position ? b : position) << i;
	}
	return out;
#endif
}

/* Does accesses until n (at most CT_SETLRU_PIECE) or a line that 32-bit tags cannot hold;
 * returns how many. set NULL: line modulo sets, a power of two. mask: with sectors only.
 * position has room for CT_SETLRU_PIECE. */
size_t ct_setlru_portable(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                          const uint8_t *mask, size_t n, uint8_t *position);
#if CT_X86
size_t ct_setlru_sse2(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                      const uint8_t *mask, size_t n, uint8_t *position);
size_t ct_setlru_avx2(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                      const uint8_t *mask, size_t n, uint8_t *position);
size_t ct_setlru_avx512(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                        const uint8_t *mask, size_t n, uint8_t *position);
#endif

#endif

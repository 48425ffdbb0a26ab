/* bdi.h - base-delta-immediate compressibility of memory blocks: the general
 * encodings (Pekhimenko et al., PACT 2012) and the three levels that Morpheus' helper
 * kernel uses (readings compression-levels and signed-deltas; doc/models.md section 8).
 *
 * Blocks are n bytes as they lie in GPU memory (little-endian), n a multiple of 8 up to
 * CT_BDI_BLOCK_MAX. Differences are two's complement modulo the segment's size. All
 * functions are pure and thread-safe. */
#ifndef CT_MODELS_COMMON_BDI_H
#define CT_MODELS_COMMON_BDI_H

#include <stddef.h>
#include <stdint.h>

enum { CT_BDI_BLOCK_MIN = 8, CT_BDI_BLOCK_MAX = 4096, CT_BDI_BLOCK = 128 };

/* Morpheus: 4-byte segments against the first one, which lies in an auxiliary register.
 * All differences in one byte: a quarter of the block; in two: a half; else all of it. */
enum ct_bdi_level { CT_BDI_HIGH, CT_BDI_LOW, CT_BDI_NONE, CT_BDI_LEVELS };
enum ct_bdi_level ct_bdi_level(const void *block, size_t n);
/* Bytes that a block of n takes at a level, base not counted: n/4, n/2, n. */
size_t ct_bdi_level_bytes(enum ct_bdi_level level, size_t n);
const char *ct_bdi_level_name(enum ct_bdi_level level); /* "high" "low" "none" */

/* General BDI: all zero; one 8-byte value repeated; a base of 8, 4 or 2 bytes and
 * differences of 1, 2 or 4 bytes; raw. In order of preference among equal sizes. */
enum ct_bdi_code {
	CT_BDI_ZEROS,
	CT_BDI_REPEAT,
	CT_BDI_B8D1,
	CT_BDI_B8D2,
	CT_BDI_B8D4,
	CT_BDI_B4D1,
	CT_BDI_B4D2,
	CT_BDI_B2D1,
	CT_BDI_RAW,
	CT_BDI_CODES
};

/* Bit c is set when encoding c can hold the block (CT_BDI_RAW always). The base is the
 * first segment; with zero_base each segment may instead be a difference from zero, and
 * the base is the first segment that needs one. */
uint32_t ct_bdi_fits(const void *block, size_t n, int zero_base);
/* Bytes of a block of n in an encoding: 1 for zeros, 8 for a repeated value, b + (n/b) d
 * for a base, n raw; with zero_base one more bit per segment, rounded up to bytes. The
 * four bits that name the encoding are not counted. */
size_t ct_bdi_bytes(enum ct_bdi_code code, size_t n, int zero_base);
/* The smallest encoding that can hold the block. */
enum ct_bdi_code ct_bdi_best(const void *block, size_t n, int zero_base);
const char *ct_bdi_code_name(enum ct_bdi_code code); /* "zeros" "repeat" "b8d1" ... "raw" */

/* Counts over many blocks of one size. Additive. */
struct ct_bdi_counts {
	uint64_t blocks, bytes;
	uint64_t level[CT_BDI_LEVELS];
	uint64_t code[CT_BDI_CODES];
	uint64_t level_bytes, code_bytes; /* after compression */
};
void ct_bdi_count(struct ct_bdi_counts *c, const void *block, size_t n, int zero_base);

#endif

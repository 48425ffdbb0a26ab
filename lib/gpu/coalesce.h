/* coalesce.h - lane addresses to lines and sectors. */
#ifndef CT_GPU_COALESCE_H
#define CT_GPU_COALESCE_H

#include <stdint.h>

#include "trace/record.h"

/* One line touched by one warp instruction. */
struct ct_line_request {
	uint64_t line;      /* address / line bytes */
	uint32_t sectors;   /* bit s: 32 B sector s of the line is touched */
	uint32_t lanes;     /* lanes that touch it */
	uint64_t bytes[2];  /* bit b: byte b of a 128 B line is touched (lines above 128 B:
	                       not tracked) */
};

enum { CT_MAX_LINES_PER_INST = 64 * 4 };

/* Where an SM's local memory lies in the address space (accelsim-model.md 5). */
struct ct_local_map {
	uint64_t base;      /* of the local segment */
	uint32_t threads;   /* P: threads per CTA rounded up to 32 */
	uint32_t ctas, sms; /* n and SMs of the launch */
	uint32_t sm, hw_thread; /* first hardware thread of the warp on the SM */
};

/* Splits the global, generic-global and local accesses of one instruction into
 * lines of `line` bytes with sectors of `sector` bytes, ascending by first
 * appearance. Every byte [address, address + width) counts. Lanes at address 0 of
 * global space are dropped. Returns the number of requests in out (at most
 * CT_MAX_LINES_PER_INST); *shared_lanes gets the mask of lanes that resolved to
 * shared memory. local may be NULL: then local accesses are placed in a private
 * space keyed by the caller's warp_key. Pure, thread-safe. */
unsigned ct_coalesce(const struct ct_kernel *k, const struct ct_sinst *s,
                     const struct ct_inst *inst, uint32_t line, uint32_t sector,
                     const struct ct_local_map *local, uint64_t warp_key,
                     struct ct_line_request out[CT_MAX_LINES_PER_INST], uint32_t *shared_lanes);

/* Bank conflict degree of a shared-memory access: largest number of distinct
 * words in one of `banks` 4-byte banks, at least 1 with any lane. Pure. */
unsigned ct_shared_conflicts(const struct ct_inst *inst, uint32_t banks);

#endif

/* coalesce.h - lane addresses to lines and sectors. */
#ifndef CT_GPU_COALESCE_H
#define CT_GPU_COALESCE_H

#include <stdint.h>

#include "base/decls.h"
#include "trace/record.h"

CT_DECLS_BEGIN

/* One line touched by one warp instruction. */
struct ct_line_request {
	uint64_t line;     /* address / line bytes */
	uint32_t sectors;  /* bit s: 32 B sector s of the line is touched */
	uint32_t lanes;    /* lanes that touch it */
	uint64_t bytes[2]; /* bit b: byte b of a 128 B line is touched (lines above 128 B:
	                       not tracked) */
};

/* Lanes access at most this many bytes each (wider fields are cut here); a local
 * access of that width falls apart into words that may lie in lines of their own. */
enum { CT_MAX_ACCESS_BYTES = 64, CT_MAX_LINES_PER_INST = CT_WARP_LANES * (CT_MAX_ACCESS_BYTES / 4 + 1) };

/* Where an SM's local memory lies in the address space (doc/replay.md section 5): word w
 * of hardware thread t is at
 *     base + 4 * (w*N + P*(sm + sms*(t / P)) + t % P),   N = P * ctas * sms
 * so that the same word of neighbouring threads is contiguous. */
struct ct_local_map {
	uint64_t base;          /* of the local segment: CT_LOCAL_BASE */
	uint32_t threads;       /* P: threads per CTA rounded up to 32 */
	uint32_t ctas, sms;     /* n (struct ct_occupancy.ctas) and SMs of the launch */
	uint32_t sm, hw_thread; /* first hardware thread of the warp: CTA slot * P + 32 * warp */
};
#define CT_LOCAL_BASE UINT64_C(0x1f880000)

/* Splits the global, generic-global and local accesses of one instruction into
 * lines of `line` bytes with sectors of `sector` bytes (powers of two, line >= 32,
 * at most 32 sectors), in order of first appearance over ascending lanes. Every byte
 * [address, address + width) counts. Lanes at address 0 of global space are dropped
 * (the trace's mark of "no address"). Atomics and reductions are split like others.
 * Returns the number of requests in out (at most CT_MAX_LINES_PER_INST), each line
 * once; *shared_lanes gets the mask of lanes that access shared memory (all of a
 * shared-memory instruction). Shared memory and spaces without data addresses
 * (constant, texture, surface, none) give no requests. A generic access of a kernel
 * without windows counts as global. local may be NULL: then local accesses are placed
 * in a private space keyed by the caller's warp_key (bit 63 of the address set, no
 * meeting with global memory or other warps). Pure, thread-safe. */
unsigned ct_coalesce(const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst,
                     uint32_t line, uint32_t sector, const struct ct_local_map *local, uint64_t warp_key,
                     struct ct_line_request out[CT_MAX_LINES_PER_INST], uint32_t *shared_lanes);

/* Sorts requests by descending line: the order in which Accel-Sim sends them
 * (doc/replay.md section 5). */
void ct_lines_descending(struct ct_line_request *r, unsigned n);

/* The same as ct_coalesce(), with the requests in descending order of their lines, as
 * ct_lines_descending() puts them: quicker for lanes all over memory. Pure, thread-safe. */
unsigned ct_coalesce_descending(
	const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst, uint32_t line,
	uint32_t sector, const struct ct_local_map *local, uint64_t warp_key,
	struct ct_line_request out[CT_MAX_LINES_PER_INST], uint32_t *shared_lanes);

/* Bank conflict degree of a shared-memory access: largest number of distinct
 * words in one of `banks` 4-byte banks over the lanes in `lanes` (~0u: all), first
 * word of each lane only, at least 1 with any lane. Pure. */
unsigned ct_shared_conflicts(const struct ct_inst *inst, uint32_t lanes, uint32_t banks);

/* Transactions of a global atomic at the LLC: per sector, lanes whose bytes overlap
 * go one after the other (doc/replay.md section 5: 32 lanes on one word are 32). Pure. */
unsigned ct_atomic_transactions(const struct ct_kernel *k, const struct ct_sinst *s,
                                const struct ct_inst *inst, uint32_t sector);

/* Those sectors in the mask `sectors` that a store writes as a whole: `bytes`, the byte mask of a line, has all of their
 * bytes. `line` and `sector` are sizes in bytes. 0 for lines of more than 128 bytes, whose bytes are not tracked. Pure. */
uint32_t ct_whole_sectors(uint32_t line, uint32_t sector, uint32_t sectors, const uint64_t bytes[2]);

CT_DECLS_END

#endif

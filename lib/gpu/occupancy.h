/* occupancy.h - how many CTAs of a kernel an SM holds, and the L1 that leaves. */
#ifndef CT_GPU_OCCUPANCY_H
#define CT_GPU_OCCUPANCY_H

#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "gpu/gpu.h"

CT_DECLS_BEGIN

struct ct_occupancy {
	uint32_t ctas_by_resources; /* threads, shared memory, registers, CTA slots */
	uint32_t ctas;              /* after the grid limit: min(above, ceil(grid / SMs)) */
	uint32_t warps_per_cta;
	uint64_t l1_bytes; /* of each SM for this kernel */
	uint32_t l1_sets, l1_ways;
	const char *limit; /* "threads" "shmem" "registers" "ctas" "grid" */
};

/* doc/replay.md section 2: threads rounded up to warps, registers to multiples of
 * 4, shared memory as it is; then the grid limit; then the L1 that the resident CTAs'
 * shared memory leaves when it is adaptive (the configured one otherwise). The grid
 * limit uses the grid of the header, also where the trace holds fewer CTAs. Fails with
 * CT_ERR_INPUT when one CTA does not fit or the launch is empty (the message says which
 * resource). Pure. */
int ct_occupancy(const struct ct_gpu *g, const struct ct_kernel *k, struct ct_occupancy *o,
                 struct ct_error *e);

CT_DECLS_END

#endif

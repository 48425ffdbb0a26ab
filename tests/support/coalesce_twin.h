/* coalesce_twin.h - lane addresses to lines one byte at a time, for the tests. */
#ifndef CT_TEST_COALESCE_TWIN_H
#define CT_TEST_COALESCE_TWIN_H

#include "gpu/coalesce.h"

/* What ct_coalesce() promises, byte by byte, with linear searches. */
unsigned twin_coalesce(const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst,
                       uint32_t line, uint32_t sector, const struct ct_local_map *local,
                       uint64_t warp_key, struct ct_line_request *out, uint32_t *shared_lanes);
unsigned twin_shared_conflicts(const struct ct_inst *inst, uint32_t lanes, uint32_t banks);
unsigned twin_atomic_transactions(const struct ct_inst *inst, unsigned width, uint32_t sector);

#endif

/* census.h - what a trace holds: instructions, requests, footprints. */
#ifndef CT_TRACEINFO_CENSUS_H
#define CT_TRACEINFO_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/record.h"

struct census_counts {
	uint64_t ctas, warps, warp_insts, thread_insts, mem_insts;
	uint64_t predicated_off;                   /* instructions without any active lane */
	uint64_t requests, loads, stores, atomics; /* global, with an active lane */
	uint64_t lane_accesses;                    /* active lanes of the requests */
	uint64_t forms[4];                         /* memory instructions by enum ct_addr_form */
	uint64_t lines, sectors;                   /* distinct, of 128 and 32 bytes */
};

struct census; /* counts of one trace, kernel by kernel */

struct census *census_new(void);    /* NULL: out of memory */
void census_free(struct census *c); /* NULL allowed */

/* Counts one CTA of the current kernel. Fails with CT_ERR_NOMEM, CT_ERR_IO. */
int census_cta(struct census *c, struct ct_cta *cta, struct ct_error *e);
/* Ends the kernel: its counts go to *kernel. */
void census_kernel_end(struct census *c, struct census_counts *kernel);
/* All kernels that have ended; lines and sectors are of their union. */
void census_all(const struct census *c, struct census_counts *all);

#endif

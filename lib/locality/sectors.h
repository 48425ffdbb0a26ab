/* sectors.h - what a stack keeps per line besides its time: sector distances on top of
 * line distances, and the caller's stamp. Private to the room. */
#ifndef CT_LOCALITY_SECTORS_H
#define CT_LOCALITY_SECTORS_H

#include <stdint.h>

#include "locality/hist.h"

/* Per sector the largest line distance since its last touch; lines stay below 2^30,
 * so 32 bits hold every distance. */
struct ct_sector_run {
	uint32_t max[4];
	uint64_t stamp;
};

#define CT_SECTOR_COLD UINT32_MAX

static inline void ct_sector_run_reset(struct ct_sector_run *r)
{
	for (int i = 0; i < 4; i++)
		r->max[i] = CT_SECTOR_COLD;
	r->stamp = 0;
}

/* The line is accessed at `distance` (CT_COLD: all its sectors are cold). Writes the
 * distances of the sectors in mask; fill: those sectors start anew. */
static inline void ct_sector_run_step(struct ct_sector_run *r, uint64_t distance, uint32_t mask,
                                      int fill, uint64_t *sector)
{
	for (unsigned i = 0; i < 4; i++) {
		if (r->max[i] != CT_SECTOR_COLD && r->max[i] < distance)
			r->max[i] = (uint32_t)distance;
		if (!(mask >> i & 1))
			continue;
		if (sector)
			sector[i] = r->max[i] == CT_SECTOR_COLD ? CT_COLD : r->max[i];
		if (fill)
			r->max[i] = 0;
	}
}

#endif

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

/* The same of a touch, with a distance for every sector, without branches: those not in mask are of no meaning. Each loop is one
 * vector step. */
static inline void ct_sector_run_touch(struct ct_sector_run *r, uint64_t distance, uint32_t mask,
                                       uint64_t sector[4])
{
#define KEEP(m) \
	{ \
		((m)&1) - 1u, ((m) >> 1 & 1) - 1u, ((m) >> 2 & 1) - 1u, ((m) >> 3 & 1) - 1u \
	}
	static const uint32_t keep[16][4] = {
		KEEP(0), KEEP(1), KEEP(2),  KEEP(3),  KEEP(4),  KEEP(5),  KEEP(6),  KEEP(7),
		KEEP(8), KEEP(9), KEEP(10), KEEP(11), KEEP(12), KEEP(13), KEEP(14), KEEP(15)};
#undef KEEP
	const uint32_t far = (uint32_t)distance; /* of CT_COLD: CT_SECTOR_COLD, the largest */
	uint32_t max[4];
	for (unsigned i = 0; i < 4; i++)
		max[i] = r->max[i] > far ? r->max[i] : far;
	for (unsigned i = 0; i < 4; i++)
		r->max[i] = max[i] & keep[mask & 15][i];
	for (unsigned i = 0; i < 4; i++)
		sector[i] = max[i] == CT_SECTOR_COLD ? CT_COLD : max[i];
}

#endif

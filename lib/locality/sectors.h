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

#define CT_SECTORS_KEPT(m) \
	{ \
		((m)&1) - 1u, ((m) >> 1 & 1) - 1u, ((m) >> 2 & 1) - 1u, ((m) >> 3 & 1) - 1u \
	}

/* The line is accessed at `distance` (CT_COLD: all its sectors are cold). Writes the
 * distances of the sectors in mask, unless sector is NULL; fill: those sectors start anew. Each loop is a vector step. */
static inline void ct_sector_run_step(struct ct_sector_run *r, uint64_t distance, uint32_t mask,
                                      int fill, uint64_t *sector)
{
	/* all bits of the sectors that are not in the mask */
	static const uint32_t kept[16][4] = {
		CT_SECTORS_KEPT(0),  CT_SECTORS_KEPT(1),  CT_SECTORS_KEPT(2),  CT_SECTORS_KEPT(3),
		CT_SECTORS_KEPT(4),  CT_SECTORS_KEPT(5),  CT_SECTORS_KEPT(6),  CT_SECTORS_KEPT(7),
		CT_SECTORS_KEPT(8),  CT_SECTORS_KEPT(9),  CT_SECTORS_KEPT(10), CT_SECTORS_KEPT(11),
		CT_SECTORS_KEPT(12), CT_SECTORS_KEPT(13), CT_SECTORS_KEPT(14), CT_SECTORS_KEPT(15)};
	const uint32_t far = (uint32_t)distance; /* of CT_COLD: CT_SECTOR_COLD, the largest */
	const uint32_t *stays = kept[mask & 15], *goes_on = kept[fill ? mask & 15 : 0];
	uint32_t max[4];
	for (unsigned i = 0; i < 4; i++)
		max[i] = r->max[i] > far ? r->max[i] : far;
	for (unsigned i = 0; i < 4; i++)
		r->max[i] = max[i] & goes_on[i];
	for (unsigned i = 0; sector && i < 4; i++) {
		const uint64_t now = max[i] == CT_SECTOR_COLD ? CT_COLD : max[i];
		sector[i] = stays[i] ? sector[i] : now;
	}
}

#endif

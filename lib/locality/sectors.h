/* sectors.h - what a stack keeps per line besides its time: sector distances on top of
 * line distances, and the caller's stamp. Private to the room. */
#ifndef CT_LOCALITY_SECTORS_H
#define CT_LOCALITY_SECTORS_H

#include <stdint.h>
#include <string.h>

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

/* All bits of the sectors that are not in the mask. */
static inline const uint32_t *ct_sectors_kept(uint32_t mask)
{
	static const uint32_t kept[16][4] = {
		CT_SECTORS_KEPT(0),  CT_SECTORS_KEPT(1),  CT_SECTORS_KEPT(2),  CT_SECTORS_KEPT(3),
		CT_SECTORS_KEPT(4),  CT_SECTORS_KEPT(5),  CT_SECTORS_KEPT(6),  CT_SECTORS_KEPT(7),
		CT_SECTORS_KEPT(8),  CT_SECTORS_KEPT(9),  CT_SECTORS_KEPT(10), CT_SECTORS_KEPT(11),
		CT_SECTORS_KEPT(12), CT_SECTORS_KEPT(13), CT_SECTORS_KEPT(14), CT_SECTORS_KEPT(15)};
	return kept[mask & 15];
}

/* The line is accessed at a distance (CT_SECTOR_COLD: all its sectors are cold). Writes the distance of each sector; fill:
 * those in the mask start anew. Each loop is a vector step. */
static inline void ct_sector_run_move(struct ct_sector_run *r, uint32_t distance, uint32_t mask,
                                      int fill, uint32_t sector[4])
{
	const uint32_t *goes_on = ct_sectors_kept(fill ? mask : 0);
	uint32_t max[4], left[4];
	for (unsigned i = 0; i < 4; i++)
		max[i] = r->max[i] > distance ? r->max[i] : distance;
	for (unsigned i = 0; i < 4; i++)
		left[i] = max[i] & goes_on[i];
	memcpy(r->max, left, sizeof left);
	memcpy(sector, max, sizeof max);
}

/* The same of a distance that may be CT_COLD. Writes the distances of the sectors in mask, unless sector is NULL. Distances are
 * below 2^31, so that the sign tells those of CT_COLD apart. */
static inline void ct_sector_run_step(struct ct_sector_run *r, uint64_t distance, uint32_t mask,
                                      int fill, uint64_t *sector)
{
	const uint32_t *stays = ct_sectors_kept(mask);
	uint32_t max[4];
	ct_sector_run_move(r, (uint32_t)distance, mask, fill, max);
	for (unsigned i = 0; sector && i < 4; i++) {
		const uint64_t kept = (uint64_t)(int32_t)stays[i];
		sector[i] = (sector[i] & kept) | ((uint64_t)(int32_t)max[i] & ~kept);
	}
}

#endif

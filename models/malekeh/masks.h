/* masks.h - profiled reuse bits of every launch of a run: what the compiler would have put
 * into the instructions (reading reuse-bits). */
#ifndef CT_MODELS_MALEKEH_MASKS_H
#define CT_MODELS_MALEKEH_MASKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Bits by static instruction, see CT_MK_BIT_DST; 0 for instructions not seen. */
struct ct_mk_mask {
	uint32_t *bits;
	size_t n;
};
/* Zero-initialise. */
struct ct_mk_masks {
	struct ct_mk_mask *launch;
	size_t n, cap;
};
/* Appends a launch of n static instructions, bits all 0; NULL when out of memory. */
uint32_t *ct_mk_masks_add(struct ct_mk_masks *m, size_t n);
static inline uint32_t ct_mk_mask_of(const struct ct_mk_masks *m, size_t launch, uint32_t sid)
{
	return m && launch < m->n && sid < m->launch[launch].n ? m->launch[launch].bits[sid] : 0;
}
void ct_mk_masks_clear(struct ct_mk_masks *m);

#endif

/* masks.h - what the compiler would have put into the instructions of every launch of a run: profiled reuse bits
 * (reading reuse-bits), and where they are wanted the plans of the register caches that software fills. */
#ifndef CT_MODELS_MALEKEH_MASKS_H
#define CT_MODELS_MALEKEH_MASKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "models/malekeh/code.h"

/* Bits by static instruction, see CT_MK_BIT_DST; 0 for instructions not seen. */
struct ct_mk_mask {
	uint32_t *bits;
	struct ct_mk_code_op *code; /* NULL: not wanted */
	size_t n;
};
/* Zero-initialise. */
struct ct_mk_masks {
	struct ct_mk_mask *launch;
	size_t n, cap;
	int plans; /* the launches have code, or are to have it */
};
/* Appends a launch of n static instructions, bits and code all 0; NULL when out of memory. */
struct ct_mk_mask *ct_mk_masks_add(struct ct_mk_masks *m, size_t n);
static inline uint32_t ct_mk_mask_of(const struct ct_mk_masks *m, size_t launch, uint32_t sid)
{
	return m && launch < m->n && sid < m->launch[launch].n ? m->launch[launch].bits[sid] : 0;
}
/* The planned code of a static instruction, or NULL. */
static inline const struct ct_mk_code_op *
ct_mk_code_at(const struct ct_mk_masks *m, size_t launch, uint32_t sid)
{
	return m && launch < m->n && sid < m->launch[launch].n && m->launch[launch].code
	               ? &m->launch[launch].code[sid]
	               : NULL;
}
/* Takes the launches away, and the wish for plans. */
void ct_mk_masks_clear(struct ct_mk_masks *m);

#endif

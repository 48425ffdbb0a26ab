/* regs.h - register reuse distances per warp (reading register-distance of doc/readings.md). */
#ifndef CT_LOCALITY_REGS_H
#define CT_LOCALITY_REGS_H

#include <stdint.h>

#include "base/decls.h"
#include "locality/hist.h"
#include "trace/record.h"

CT_DECLS_BEGIN

enum { CT_REGS_FILES = 2, CT_REGS_MOST = 512 }; /* vector and uniform registers, 256 each at most */

/* State of one warp; zero-initialise or ct_regs_reset() at the warp's start. */
struct ct_regs {
	uint32_t last[CT_REGS_MOST]; /* instruction index + 1 of the last access, by kind and index */
	int16_t time[CT_REGS_MOST];  /* of the last access, a later one greater; 0: none */
	uint32_t index;              /* instructions so far */
	int16_t now;                 /* the latest time */
	uint16_t top[CT_REGS_FILES]; /* no register of the file from this one on has been accessed */
};

/* Forgets all registers, as at the start of a warp. */
void ct_regs_reset(struct ct_regs *r);
/* Feeds one instruction. For each distinct source register (RZ and URZ excluded, those of
 * pairs and quads included)
 * insts gets the number of dynamic instructions of the warp since its last access
 * (>= 1) and distinct the number of distinct registers accessed since, plus 1; a
 * register never accessed before counts as cold. A register that is both source and
 * destination counts once, as source. */
void ct_regs_step(struct ct_regs *r, const struct ct_sinst *s, struct ct_hist *insts,
                  struct ct_hist *distinct);

CT_DECLS_END

#endif

/* fixed.h - between the halves of the cheap engine: warps (fixed.c) and what their memory
 * instructions meet (fixed_mem.c). */
#ifndef CT_REPLAY_PRIVATE_FIXED_H
#define CT_REPLAY_PRIVATE_FIXED_H

#include "replay/private/engine.h"

/* Executes the next instruction of the warp, one of memory, that issues in cycle `at`: notes when
 * its registers, its LDGSTS group or the warp itself can go on. */
void rp_fixed_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at);
/* The same for CT_REPLAY_QUICK. */
void rp_quick_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at);

#endif

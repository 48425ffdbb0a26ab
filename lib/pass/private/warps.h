/* warps.h - how far apart registers are read, in a sample of the warps of each launch. Private to the room. */
#ifndef CT_PASS_PRIVATE_WARPS_H
#define CT_PASS_PRIVATE_WARPS_H

#include "locality/regs.h"
#include "replay/replay.h"

struct ct_pass_warps;

/* For so many SMs with so many slots for warps; all: every warp is followed. NULL: out of memory. */
struct ct_pass_warps *ct_pass_warps_new(uint32_t sms, uint32_t slots, int all);
void ct_pass_warps_free(struct ct_pass_warps *w); /* NULL allowed */
/* An instruction issues. 1 where its warp is followed; one that stands for itself is counted into *insts and *distinct. */
int ct_pass_warps_issue(struct ct_pass_warps *w, const struct ct_issue_event *ev, struct ct_hist *insts,
                        struct ct_hist *distinct);
/* The launch has ended: adds what stands for other warps. */
void ct_pass_warps_collect(struct ct_pass_warps *w, struct ct_hist *insts, struct ct_hist *distinct);

#endif

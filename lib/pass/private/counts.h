/* counts.h - SN, IM and KN records from what the replay counted. */
#ifndef CT_PASS_PRIVATE_COUNTS_H
#define CT_PASS_PRIVATE_COUNTS_H

#include "base/error.h"
#include "gpu/gpu.h"
#include "profile/profile.h"
#include "replay/replay.h"

/* Appends the SN records of one scope: counts, and the rates that are quotients of
 * them, with that method ("replay"); those of replication where it was counted. A quotient with nothing below is NA. */
int ct_pass_add_sn(struct ct_profile *p, const char *scope, const struct ct_replay_counts *c,
                   const char *method, int replication, struct ct_error *e);

/* Appends the SN record active_cycles of one scope: the mean over the GPU's SMs of the cycles in which they held a CTA. */
int ct_pass_add_active(struct ct_profile *p, const char *scope, const struct ct_replay_counts *c,
                       unsigned sms, const char *method, struct ct_error *e);

/* Appends the IM records of one scope: what the closed-network fixed point needs
 * (doc/models.md section 5). Resource cycles are summed over SMs, slices or channels. */
int ct_pass_add_im(struct ct_profile *p, const char *scope, const struct ct_replay_counts *c,
                   uint64_t launches, const struct ct_gpu *g, struct ct_error *e);

/* Appends the KN record of one launch. */
int ct_pass_add_kernel(struct ct_profile *p, const struct ct_kernel *k, uint64_t warps,
                       uint64_t warp_insts, uint64_t thread_insts, uint64_t mem_insts,
                       struct ct_error *e);

#endif

/* missclass.h - why an access missed: first touch, size, sets, or time.
 *
 * Beside the caches of a replay walk three others, which see the same accesses in the same
 * order and whose fills take no time: one without end, one of the same size that is fully
 * associative with LRU, and the exact tag array (sets, hash, replacement). A sector that
 * misses in the replay is
 *
 *   compulsory     when the cache without end misses it too: the first access since the
 *                  cache was empty, or what the write policy never keeps;
 *   capacity       else, when the fully associative one misses it;
 *   associativity  else, when the exact tag array misses it;
 *   latency        else: it would have been there had the fills taken no time.
 *
 * The four sum up to the misses of the replay (Hill's classes; Nugteren's latency class,
 * doc/models.md section 12, without pending hits, which are no misses here). An L1 is
 * empty at the start of a kernel where the configuration says so, and after a MEMBAR that
 * empties it. What bypasses the L1, and copies from the host, are not seen. */
#ifndef CT_REPLAY_MISSCLASS_H
#define CT_REPLAY_MISSCLASS_H

#include "base/decls.h"
#include "replay/replay.h"

CT_DECLS_BEGIN

struct ct_miss_classes {
	uint64_t compulsory, capacity, associativity, latency; /* sectors */
};

struct ct_missclass;

/* For a checked GPU. *m is the caller's to free. Fails with CT_ERR_NOMEM, and as
 * ct_address_map_init() does. */
int ct_missclass_new(struct ct_missclass **m, const struct ct_gpu *g, struct ct_error *e);
/* Before ct_replay_kernel_begin() of the engine that is watched; fails as
 * ct_occupancy() does. */
int ct_missclass_kernel_begin(struct ct_missclass *m, const struct ct_kernel *k, struct ct_error *e);
/* What the observers of struct ct_replay_observer are told; ctx is the ct_missclass. An
 * allocation that fails is reported by ct_missclass_take(). */
void ct_missclass_l1(void *ctx, const struct ct_l1_event *ev);
void ct_missclass_llc(void *ctx, const struct ct_llc_event *ev);
void ct_missclass_l1_wipe(void *ctx, uint32_t sm);
/* Counts since the last call (l1 summed over the SMs). Fails with CT_ERR_NOMEM when an
 * earlier step ran out of memory. */
int ct_missclass_take(struct ct_missclass *m, struct ct_miss_classes *l1, struct ct_miss_classes *llc,
                      struct ct_error *e);
void ct_missclass_free(struct ct_missclass *m); /* NULL allowed */

CT_DECLS_END

#endif

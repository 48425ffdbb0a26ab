/* deal.h - what a replay's thread blocks (CTAs) have asked their L1s for, dealt out anew to fewer SMs (private).
 *
 * While a launch is replayed, each access is noted with its CTA. A CTA that has ended is then given to each view of fewer
 * SMs: it begins there where a place is free, in the order of the launch, makes its accesses at the same distances in time
 * as in the replay, and frees its place after its last. Accesses of all CTAs that are there meet the L1s of those SMs in
 * the order of time, and what misses goes on. So a view takes no replay of its own. */
#ifndef CT_PASS_PRIVATE_DEAL_H
#define CT_PASS_PRIVATE_DEAL_H

#include <stdint.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "replay/replay.h"
#include "trace/record.h"

enum { CT_DEAL_VIEWS = 3 };

/* What goes on to the LLC: the masked sectors of one of its lines. */
typedef void ct_deal_out(void *ctx, unsigned view, uint64_t line, uint32_t sectors, int is_write);

/* Has work(arg) called in another thread when that has time, or not at all (ct_lanes_post). */
typedef void ct_deal_post(void *poster, void (*work)(void *arg), void *arg);

struct ct_deal;

/* Views of g with that many SMs each, n of them. `most`: accesses that may wait at once. NULL and *e on CT_ERR_NOMEM.
 * Caller frees. Calls come from one thread. */
struct ct_deal *ct_deal_new(const struct ct_gpu *g, const uint32_t *sms, unsigned n, size_t most,
                            ct_deal_out *out, void *ctx, struct ct_error *e);
void ct_deal_free(struct ct_deal *d); /* NULL allowed */
/* From now on another thread deals when it has time, and at a launch's end up to so many do. What goes out is the same, in the
 * same order for each view; ct_deal_out is called in those threads, for one view in one at a time. */
void ct_deal_share(struct ct_deal *d, unsigned threads, ct_deal_post *post, void *poster);

/* A launch begins, without the views of the mask. Fails with CT_ERR_INPUT where it does not fit an SM. */
int ct_deal_launch(struct ct_deal *d, const struct ct_kernel *k, unsigned skip, struct ct_error *e);
/* Of the replay: a CTA comes or goes, a line meets the L1, an L1 is wiped. */
void ct_deal_cta(struct ct_deal *d, const struct ct_cta_event *ev);
void ct_deal_l1(struct ct_deal *d, const struct ct_l1_event *ev);
void ct_deal_wipe(struct ct_deal *d, uint32_t sm);
/* What waits is dealt at once, in the order of the replay, and what comes until the launch is over goes as the replay sends it. */
void ct_deal_hurry(struct ct_deal *d);
/* The launch is over: all that waits is dealt. Fails with CT_ERR_NOMEM where something could not be noted. */
int ct_deal_end(struct ct_deal *d, struct ct_error *e);

#endif

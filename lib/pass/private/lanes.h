/* lanes.h - several virtual GPUs fed by one pass over a trace. */
#ifndef CT_PASS_PRIVATE_LANES_H
#define CT_PASS_PRIVATE_LANES_H

#include "base/error.h"
#include "pass/settings.h"
#include "replay/replay.h"
#include "trace/record.h"

/* A group of replay engines that see the same launches and CTAs. With threads > 1
 * all engines but the first run in up to threads - 1 others; results do not depend on
 * it, because the engines share nothing. */
struct ct_lanes;

/* Takes over the n engines (frees them with the group, also when it fails). */
int ct_lanes_new(struct ct_lanes **l, struct ct_replay *const *engine, unsigned n, unsigned threads,
                 struct ct_error *e);
/* Starts up to so many threads for what watches and what is posted, where no engine has one; they also run SMs of the engine
 * where there is one alone. Without them, all is done in the caller's. Fails with CT_ERR_NOMEM. */
int ct_lanes_help(struct ct_lanes *l, unsigned threads, struct ct_error *e);
/* Has cta(watcher, ...) called for each CTA that is pushed from now on, one call at a time and in their order, in the
 * last of the other threads, or the caller's. It is done with them when ct_lanes_kernel_end() returns, which also gives its first error. One
 * watcher at most; it stays the caller's. */
void ct_lanes_watch(struct ct_lanes *l,
                    int (*cta)(void *watcher, struct ct_cta *cta, struct ct_error *e), void *watcher);
void ct_lanes_memcpy(struct ct_lanes *l, uint64_t address, uint64_t bytes);
int ct_lanes_kernel_begin(struct ct_lanes *l, const struct ct_kernel *k, struct ct_error *e);
/* Every engine takes a reference of its own. */
int ct_lanes_push_cta(struct ct_lanes *l, struct ct_cta *cta, struct ct_error *e);
/* A point of a launch's replay: how many cycles and what an engine had counted, over all launches, when the CTAs before it
 * had been placed. */
struct ct_lanes_mark {
	uint64_t cycle;
	struct ct_replay_counts c;
};
/* Makes each engine of the launch note such a point, behind what it has been given. */
int ct_lanes_mark(struct ct_lanes *l, struct ct_error *e);
/* The points of lane i in the launch that has just ended, *n of them. */
const struct ct_lanes_mark *ct_lanes_marks(const struct ct_lanes *l, unsigned i, size_t *n);
/* Gives the engines every CTA that the launch at hand has in the trace, and tells settings->progress on the way. *held is a
 * reference to the first of them, or NULL: it keeps the kernel alive, and is the caller's to drop, also after a failure. */
int ct_lanes_push_launch(struct ct_lanes *l, struct ct_trace *trace,
                         const struct ct_pass_settings *settings, struct ct_cta **held,
                         struct ct_error *e);
/* Has work(arg) called once in the last of the other threads, when that has nothing else to do, in place of the same work that was posted
 * before and has not been called yet (of at most two kinds); not at all where there is no other thread, or the group is freed before. `lanes` is
 * the group. */
void ct_lanes_post(void *lanes, void (*work)(void *arg), void *arg);
/* Waits for all engines; counts[i] gets the launch's counts of engine i. */
int ct_lanes_kernel_end(struct ct_lanes *l, struct ct_replay_counts *counts, struct ct_error *e);
void ct_lanes_free(struct ct_lanes *l); /* NULL allowed */

#endif

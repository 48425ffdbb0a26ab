/* thinned.h - an engine that follows only a sample of the lines, in caches of the same share (private; thinned.c).
 *
 * Fixed timing only. What an access to a line outside of the sample would have met is not known: it takes as long as
 * accesses of the same instruction to lines of the sample did of late. A line of the sample stands for `weight` lines
 * where bandwidth is handed out. */
#ifndef CT_REPLAY_PRIVATE_THINNED_H
#define CT_REPLAY_PRIVATE_THINNED_H

#include <stdint.h>

#include "base/error.h"
#include "gpu/coalesce.h"
#include "gpu/gpu.h"
#include "locality/sample.h"

struct ct_replay;
struct ct_replay_options;
struct rp_op;

enum { RP_THINNED_OPS = 1024 }; /* instructions whose latencies are kept apart */

struct rp_thinned {
	int on;
	unsigned bits; /* 1 of 2^bits lines is in the sample */
	struct ct_sampler lines;
	uint32_t latency
		[RP_THINNED_OPS]; /* cycles of late, of instruction sid % RP_THINNED_OPS; 0: not known */
};

/* Takes the options over and makes the LLC smaller. Returns 0, or CT_ERR_UNSUPPORTED where the timing or the GPU does
 * not go with it. */
int rp_thinned_init(struct ct_replay *r, const struct ct_replay_options *o, struct ct_error *e);
/* A cache of this shape becomes one of the sample's share: fewer ways, or where there are few of them fewer sets. */
void rp_thinned_shape(const struct rp_thinned *t, uint32_t *sets, uint32_t *ways);
/* Moves those of the n lines that are in the sample to the front and returns how many. */
unsigned rp_thinned_lines(const struct rp_thinned *t, struct ct_line_request *q, unsigned n);
/* The latency of instruction sid, which lines of the sample had now if `seen`; of which it is kept. `usual` is taken where
 * nothing is known. */
uint32_t rp_thinned_latency(struct rp_thinned *t, uint32_t sid, uint32_t seen, uint32_t usual);

#endif

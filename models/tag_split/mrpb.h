/* mrpb.h - the memory request prioritisation buffer, reconstructed.
 *
 * Jia, Shaw, Martonosi, HPCA 2014: first-in first-out queues in front of an L1 group
 * requests by a signature and drain one after the other, so that the L1 sees one
 * group's requests together; a request that would have to wait because every way of its
 * set is held by lines on their way bypasses the L1. That publication's abstract is all
 * that was at hand: number and depth of the queues, signature (warp) and drain order
 * (the queue being drained, then the lowest) are ours (reconstruction).
 *
 * Time here: the L1 takes one request a cycle, a miss holds its line for a fixed
 * latency. One object is one SM's. */
#ifndef CT_MODELS_TAG_SPLIT_MRPB_H
#define CT_MODELS_TAG_SPLIT_MRPB_H

#include <stdint.h>

#include "models/tag_split/l1.h"

struct ct_ts_mrpb_options {
	uint32_t queues, depth; /* at least 1 each */
	uint32_t mshr;          /* lines on their way at most */
	uint32_t latency;       /* of a miss, cycles */
	int reorder, bypass;    /* the two techniques, each may be off */
};

struct ct_ts_mrpb_request {
	uint64_t line;
	uint32_t chunks;
	uint32_t warp; /* the signature */
	uint64_t id;   /* the caller's */
	int is_store;
};

/* What became of a request when the L1 took it. */
struct ct_ts_mrpb_answer {
	struct ct_ts_mrpb_request request;
	struct ct_ts_result result;
	int bypassed; /* fetched past the L1: result.miss are the chunks asked for */
	uint64_t cycle;
};

struct ct_ts_mrpb;

/* Takes over l1 (freed with it, also on failure). done is called for every request once,
 * in the order in which the L1 takes them. Fails with CT_ERR_USAGE, CT_ERR_NOMEM. */
int ct_ts_mrpb_new(struct ct_ts_mrpb **m, struct ct_ts_l1 *l1, const struct ct_ts_mrpb_options *o,
                   void (*done)(void *ctx, const struct ct_ts_mrpb_answer *a), void *ctx,
                   struct ct_error *e);
void ct_ts_mrpb_free(struct ct_ts_mrpb *m); /* NULL allowed */
struct ct_ts_l1 *ct_ts_mrpb_l1(struct ct_ts_mrpb *m);
/* A request arrives; cycles never fall. What the L1 takes before then is done first; a
 * full queue drains until there is room. */
void ct_ts_mrpb_push(struct ct_ts_mrpb *m, const struct ct_ts_mrpb_request *q, uint64_t cycle);
/* Everything in the queues, at the end of a launch; the L1 stays as it is. */
void ct_ts_mrpb_drain(struct ct_ts_mrpb *m);

#endif

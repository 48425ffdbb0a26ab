/* part.h - the systems of the Shared L1 paper plugged into the replay engine: the L1s of
 * org.h, and the network between requesters, homes and the LLC (parts.h).
 *
 * A remote access leaves the requester's L1 pipeline as a request to its home; there it waits
 * in the input queue for a cycle in which the home looks up nothing of its own, is looked
 * up, and a reply goes back at once or when the home's fill has come. A remote store
 * passes through the home to the LLC, whose acknowledgement the home forwards. */
#ifndef CT_MODELS_SHARED_L1_PART_H
#define CT_MODELS_SHARED_L1_PART_H

#include "models/shared_l1/org.h"
#include "models/shared_l1/systems.h"
#include "replay/parts.h"

struct ct_sl_part;

/* Prepares system s (not Best) on GPU g. kind: not AUTO. place: of a mesh, else ignored
 * (may be NULL). Fails with CT_ERR_USAGE, CT_ERR_INPUT, CT_ERR_NOMEM. *p is the caller's and
 * has to outlive the engine that runs it. */
int ct_sl_part_new(struct ct_sl_part **p, const struct ct_sl_system *s, const struct ct_gpu *g,
                   const struct ct_sl_params *params, enum ct_sl_network kind,
                   const struct ct_sl_place *place, struct ct_error *e);
/* Has the organisation's events told to watch (org.h), for tests. Before the run. */
void ct_sl_part_watch(struct ct_sl_part *p, void (*watch)(void *ctx, const struct ct_sl_org_event *ev),
                      void *ctx);
void ct_sl_part_free(struct ct_sl_part *p); /* NULL allowed */

/* What the engine is made with: the GPU (g with the system's capacities) and the parts. Owned
 * by p. */
const struct ct_gpu *ct_sl_part_gpu(const struct ct_sl_part *p);
const struct ct_replay_parts *ct_sl_part_parts(const struct ct_sl_part *p);

/* What a run counted besides ct_replay_counts. */
struct ct_sl_part_counts {
	struct ct_sl_org_stats org; /* zero where there is no organisation, see ct_sl_part_org() */
	uint64_t home_bytes;        /* payload of read replies from homes */
	uint64_t past_bytes;        /* of reads around them */
	uint64_t remote_reads;
	uint64_t queue_waits; /* cycles that requests stood at homes */
	double reply_latency; /* cycles, mean of the packets of the reply network(s) */
	uint64_t flit_hops;
	uint64_t busiest, flits; /* cycles of the busiest channel, flits */
};
void ct_sl_part_counts(const struct ct_sl_part *p, struct ct_sl_part_counts *c);
/* The organisation, for its timeline; NULL for private systems. */
const struct ct_sl_org *ct_sl_part_org(const struct ct_sl_part *p);

#endif

/* observer_state.h - the observer's insides. Private to the room.
 *
 * Accesses are buffered and analysed in batches: one walk through the directory of lines
 * sorts them into one list of operations per stream (each SM's stack, the merged one, the
 * LLC's), probes of other SMs' stacks included and in their place; then every stream runs
 * its list by itself, on as many threads as there are; then the results are counted. */
#ifndef CT_LOCALITY_OBSERVER_STATE_H
#define CT_LOCALITY_OBSERVER_STATE_H

#include <pthread.h>

#include "locality/linemap.h"
#include "locality/observer.h"
#include "locality/rj_table.h"
#include "locality/sample.h"
#include "locality/stack.h"

enum {
	CT_OBS_EVENTS = 1 << 14, /* of each kind per batch */
	CT_OBS_OPS = 1 << 16,    /* operations of all SMs before the lists are run */
	CT_OBS_PARTS = 8         /* of the sampled lines, for the error */
};

struct ct_obs_event {
	uint64_t line, cycle;
	uint32_t sm;
	uint8_t mask, is_write;
};

struct ct_obs_batch {
	struct ct_obs_event *l1, *llc; /* CT_OBS_EVENTS each */
	size_t n_l1, n_llc;
};

/* A stream: its stack and the operations waiting for it. */
struct ct_obs_stream {
	struct ct_stack *stack;
	struct ct_stack_op *op;
	uint32_t *event; /* of each operation, in the batch */
	size_t n, op_cap, event_cap;
};

/* True numbers of accesses, by kind, when only a sample is analysed. */
struct ct_obs_totals {
	uint64_t line[2], sector[2]; /* reads, writes */
};

struct ct_locality {
	struct ct_locality_options o;
	uint32_t mask, llc_mask;    /* sectors of a line */
	struct ct_obs_stream *stream; /* merged, LLC, then one per SM */
	struct ct_locality_counts now;
	struct ct_rj_table *nearest, *sharers; /* dense while counting */
	int failed;

	/* Directory of all lines: sectors ever touched, and which SMs touched the line
	 * since the last flush (valid when the line's epoch is the current one). */
	struct ct_linemap lines;
	uint8_t *ever;
	uint32_t *epoch;
	uint64_t *sharer;      /* `words` per line, one bit per SM */
	size_t ever_cap, epoch_cap, sharer_cap;
	uint32_t words, epoch_now;
	uint64_t distinct_sectors;

	/* Per event of the batch under analysis. */
	uint32_t *number;      /* of its line in the directory */
	uint64_t *own, *other; /* distance in its SM's stack; least in others */

	struct ct_sampler sampler;
	int sampled;
	struct ct_obs_totals l1_total, llc_total, run_total[CT_VIEW_LLC + 1];
	struct ct_hist (*part)[CT_OBS_PARTS]; /* [view][part], raw distances; NULL if exact */

	/* The batch being filled, and the one under analysis by the other thread. */
	struct ct_obs_batch batch[2], *filling;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct ct_obs_batch *work; /* handed over, NULL: the thread is idle */
	int threaded, stop;
};

enum { CT_OBS_MERGED, CT_OBS_LLC, CT_OBS_FIRST_SM };

/* Analyses a batch and empties it. */
void ct_obs_run(struct ct_locality *l, struct ct_obs_batch *b);
/* Scales what a sample counted into *c. Fails with CT_ERR_NOMEM. */
int ct_obs_scale(struct ct_locality *l, struct ct_locality_counts *c, struct ct_error *e);
/* Spreads a histogram of distances at a rate over true distances and tops it up or cuts
 * it at its near end so that it sums to total. Added to *out. Pure. */
void ct_obs_scale_hist(const struct ct_hist *raw, double rate, uint64_t total,
                       struct ct_hist *out);

#endif

/* observer_state.h - the observer's insides. Private to the room.
 *
 * Accesses are buffered and analysed in batches. A walk through the directory numbers their
 * lines; then the stacks of the SMs (sm_stacks.h), the merged one and the LLC's take their
 * accesses side by side, each in pieces that stay in the cache until they are counted. */
#ifndef CT_LOCALITY_OBSERVER_STATE_H
#define CT_LOCALITY_OBSERVER_STATE_H

#include <pthread.h>

#include "locality/linemap.h"
#include "locality/observer.h"
#include "locality/parts.h"
#include "locality/sample.h"
#include "locality/sm_stacks.h"
#include "locality/stack.h"

enum {
	CT_OBS_EVENTS = 1 << 14, /* of each kind per batch */
	CT_OBS_FEW = 1 << 11,    /* the same where one thread does all: they stay in its cache */
	CT_OBS_PIECE = 512,      /* of them analysed and counted at a time */
	CT_OBS_BATCHES = 4       /* so many, where several threads analyse them */
};

/* Who makes an access, and what it missed. */
struct ct_obs_origin {
	uint32_t site;
	uint8_t missed;
};

struct ct_obs_batch {
	struct ct_line_access *l1, *llc; /* CT_OBS_EVENTS each */
	struct ct_obs_origin *origin;    /* of those at the L1s, or NULL */
	size_t n_l1, n_llc;
};

/* What is analysed side by side. */
enum { CT_OBS_SMS, CT_OBS_MERGED, CT_OBS_LLC, CT_OBS_STREAMS };

/* True numbers of accesses, by kind, when only a sample is analysed. */
struct ct_obs_totals {
	uint64_t line[2], sector[2]; /* reads, writes */
};

struct ct_locality {
	struct ct_locality_options o;
	uint32_t mask, llc_mask; /* sectors of a line */
	struct ct_sm_stacks sms;
	uint64_t analysed[CT_OBS_STREAMS]; /* accesses */
	struct ct_stack *merged;           /* of the lines' numbers */
	struct ct_stack *llc;
	struct ct_sm_met *met;  /* CT_OBS_PIECE */
	struct ct_stack_op *op; /* as many for each of the other streams */
	struct ct_locality_counts now;
	struct ct_sharing *sharing; /* NULL: not measured */
	int failed;

	struct ct_locality_site *site;
	size_t n_sites, cap_sites;
	uint64_t l1_lines;

	struct ct_linemap lines;
	uint32_t *number; /* of the line of each event of the batch under analysis */

	struct ct_sampler sampler;
	int sampled;
	struct ct_obs_totals l1_total, llc_total, run_total[CT_VIEW_LLC + 1];
	struct ct_hist (*part)[CT_PARTS]; /* [view][part], raw distances; NULL if exact */

	/* A ring: batches that wait to be analysed, the oldest first, behind them the one being filled. */
	struct ct_obs_batch batch[CT_OBS_BATCHES], *filling;
	size_t room; /* accesses of a kind in a batch */
	unsigned oldest, waiting;
	int busy;             /* a thread is at the oldest */
	pthread_mutex_t lock; /* of these three, where is_shared */
	pthread_cond_t changed;
	int is_shared; /* another thread analyses, too */
	pthread_t thread;
	int threaded, stop; /* that thread is its own */
	ct_locality_post *post;
	void *post_ctx;
};

/* Analyses a batch and empties it. */
void ct_obs_run(struct ct_locality *l, struct ct_obs_batch *b);
/* Scales what a sample counted into *c. Fails with CT_ERR_NOMEM. */
int ct_obs_scale(struct ct_locality *l, struct ct_locality_counts *c, struct ct_error *e);
/* Spreads a histogram of distances at a rate over true distances and tops it up or cuts
 * it at its near end so that it sums to total. Added to *out. Pure. */
void ct_obs_scale_hist(const struct ct_hist *raw, double rate, uint64_t total, struct ct_hist *out);

#endif

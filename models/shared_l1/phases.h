/* phases.h - the phases of the dynamic schemes (readings sampling-metrics and sampling-phases):
 * what each core counts while it samples, when a phase ends, what it chooses. Knows no caches and no time;
 * org.h runs it in a replay, watch.h on the accesses of a profile's pass.
 *
 * A core that samples takes even sets (group 0) as private and odd ones (group 1) as
 * shared. One object belongs to one thread. */
#ifndef CT_MODELS_SHARED_L1_PHASES_H
#define CT_MODELS_SHARED_L1_PHASES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "models/shared_l1/metrics.h"

struct ct_sl_scheme {
	enum ct_sl_metric by;
	double guard;                   /* 0: none */
	double sampling, execution;     /* accesses that end a phase */
	enum ct_sl_count count;         /* which accesses these are */
	int eb_past;                    /* EB counts what goes past the homes */
	struct ct_sl_latencies latency; /* for AMAT */
};

struct ct_sl_phases;
/* Every core samples. Fails with CT_ERR_NOMEM. *p is the caller's. */
int ct_sl_phases_new(struct ct_sl_phases **p, const struct ct_sl_scheme *s, unsigned cores);
/* The same state under another scheme: for schemes that differ in what they decide only. */
int ct_sl_phases_copy(struct ct_sl_phases **p, const struct ct_sl_phases *from,
                      const struct ct_sl_scheme *s);
void ct_sl_phases_free(struct ct_sl_phases *p); /* NULL allowed */

/* 1 when lines of that group belong to their homes for this core. */
int ct_sl_phases_shared(const struct ct_sl_phases *p, unsigned core, unsigned group);
enum ct_sl_way { CT_SL_LOCAL, CT_SL_REMOTE, CT_SL_PAST /* to the LLC, around the home */ };
/* A core makes an access that goes this way. 1 when this has ended its phase:
 * ct_sl_phases_turn() has to follow. */
int ct_sl_phases_own(struct ct_sl_phases *p, unsigned core, unsigned group, enum ct_sl_way way);
/* The L1 of `at` has served core `from`; missed: it fetches. 1 as above. */
int ct_sl_phases_served(struct ct_sl_phases *p, unsigned at, unsigned from, unsigned group, int missed);
/* The LLC has answered core `at`, a fill or a store's acknowledgement. */
void ct_sl_phases_llc_reply(struct ct_sl_phases *p, unsigned at, unsigned group);
/* A home has answered core `core`; missed: it had to fetch first. */
void ct_sl_phases_home_reply(struct ct_sl_phases *p, unsigned core, unsigned group, int missed);
/* Ends a core's phase: decides, or samples again. now: for the timeline. CT_OK or
 * CT_ERR_NOMEM. */
int ct_sl_phases_turn(struct ct_sl_phases *p, unsigned core, uint64_t now);

struct ct_sl_phase_stats {
	uint64_t sampled; /* own accesses of cores that were sampling */
	uint64_t decisions, chose_shared;
	double eb, amat; /* of the chosen organisation, means over the decisions;
	                                      NaN without */
};
void ct_sl_phases_stats(const struct ct_sl_phases *p, struct ct_sl_phase_stats *s);

enum ct_sl_state { CT_SL_SAMPLING_STATE, CT_SL_PRIVATE_STATE, CT_SL_SHARED_STATE };
/* Mode changes in the order in which they happened (Fig. 14); every core starts sampling at
 * 0, which is not listed. Belongs to the object, valid until the next turn. */
struct ct_sl_change {
	uint64_t cycle;
	uint32_t core;
	uint32_t state;
};
const struct ct_sl_change *ct_sl_phases_timeline(const struct ct_sl_phases *p, size_t *n);

#endif

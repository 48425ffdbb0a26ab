/* watch.h - what a profile keeps for shared L1s beyond its histograms: exact misses and copies
 * of the configured L1s under the paper's organisations, how evenly the accesses fall on homes, and how many
 * have their own SM for a home. Fed with the L1 accesses of the baseline replay, in its order; IM records
 * (cachetriage-profile(5)).
 *
 * Private L1s follow the GPU's write policy, shared ones write through without allocating
 * (reading remote-write); a fill takes no time. Min(H,L2) and what AMAT takes for latencies are those of
 * the GPU's own network with its default placement; homes are `mod`, the constants those
 * of params.h. L1s of more than 32 ways are left to the histograms, which are exact
 * enough there but for what nobody has read yet (first.h).
 *
 * ORDER. Under another organisation other loads miss, and the accesses come in another order:
 * who hits runs ahead of who misses. How much that can change is bounded by how much faster it
 * runs, and so how many more lines of the others, or fewer, come between two accesses to a line.
 * It is likely to where many accesses lie at the edge of the capacity: lock-step. */
#ifndef CT_MODELS_SHARED_L1_WATCH_H
#define CT_MODELS_SHARED_L1_WATCH_H

#include "gpu/gpu.h"
#include "models/shared_l1/first.h"
#include "models/shared_l1/home.h"
#include "profile/profile.h"

/* A load that hits in a home takes 28 + 54 cycles, one that misses there 247 more
 * (readings distance-latencies and fixed-latencies): who hits comes round four times while who
 * misses comes round once. With private L1s it
 * would be more, but for the load/store unit that all warps of an SM wait for in turn. */
enum { CT_SL_PACE = 4 };

enum ct_sl_watched {
	CT_SL_WATCH_PRIVATE,
	CT_SL_WATCH_PRIVATE_2X,
	CT_SL_WATCH_PRIVATE_16X,
	CT_SL_WATCH_SHARED, /* without Min(H,L2) */
	CT_SL_WATCH_MIN,    /* with it: a mesh only */
	CT_SL_WATCH_DYNAMAT,
	CT_SL_WATCH_DYNAMAT_GUARD,
	CT_SL_WATCH_DYNEB_NOGUARD,
	CT_SL_WATCH_DYNEB,
	CT_SL_WATCHED
};

/* Lines. */
struct ct_sl_watch_counts {
	double reads, writes;             /* that reach an L1 */
	double read_misses, write_misses; /* of them */
	double replicated, copies;        /* of read misses: whose line another L1 holds; L1s that
	                                     hold it then. Where copies can be, else 0 */
	/* Of reads and writes; NaN of PRIVATE. */
	double misses_low, misses_high; /* would miss if the lines between an access and the one before
	                                     to its line were CT_SL_PACE times fewer, or more */
	double edge;                    /* would turn between hit and miss if a set had a quarter of
	                                     its ways (at least one) more, or fewer */
	/* dynamic schemes */
	double sampled; /* accesses of SMs that sampled */
	double homed;   /* accesses under the shared rule */
	double decisions, chose_shared;
};

struct ct_sl_watch;
/* Fails with CT_ERR_NOMEM. One thread. */
int ct_sl_watch_new(struct ct_sl_watch **w, const struct ct_gpu *g, struct ct_error *e);
void ct_sl_watch_free(struct ct_sl_watch *w); /* NULL allowed */
/* A launch begins with L1s of that shape, emptied if flushed or reshaped. */
int ct_sl_watch_kernel(struct ct_sl_watch *w, uint32_t sets, uint32_t ways, int flushed,
                       struct ct_error *e);
/* A fence has emptied the L1 of an SM: what that SM holds for itself, and as a home. */
void ct_sl_watch_wipe(struct ct_sl_watch *w, uint32_t sm);
/* One line of one warp instruction at the L1 of an SM; sectors: mask. Memory that runs out is
 * reported by ct_sl_watch_write(). */
void ct_sl_watch_l1(struct ct_sl_watch *w, uint32_t sm, uint64_t line, uint32_t sectors, int is_write);
/* What has been counted so far was warm-up: the counts start again, the L1s stay as they are. */
void ct_sl_watch_counted(struct ct_sl_watch *w);
/* What has been counted of one; 0 when it is not kept for this GPU. */
int ct_sl_watch_counts(const struct ct_sl_watch *w, enum ct_sl_watched which,
                       struct ct_sl_watch_counts *c);
/* Appends IM records of scope all. Fails with CT_ERR_NOMEM. */
int ct_sl_watch_write(const struct ct_sl_watch *w, struct ct_profile *p, struct ct_error *e);

/* The IM items with the share of accesses whose home is the SM that makes them, by kind of homes. */
extern const char *const ct_sl_home_own[CT_SL_HOMES_KINDS];
/* The IM item with the share of loads, or where there are none of stores, to odd sets: those that a dynamic scheme samples as
 * shared. */
extern const char ct_sl_odd_sets[];
/* What a profile holds of one; 0 when it does not. */
int ct_sl_watch_read(const struct ct_profile *p, enum ct_sl_watched which, struct ct_sl_watch_counts *c);
/* What homes miss at any size, requests and sectors (first.h); 0 when the profile has no such
 * count, as where the L1s have up to 32 ways. */
int ct_sl_watch_read_first(const struct ct_profile *p, struct ct_sl_firsts *n);

#endif

/* metrics.h - what the dynamic schemes compute at the end of sampling (readings sampling-metrics
 * and sampling-phases), as pure functions of the counters, for the analytic and the replayed
 * path. */
#ifndef CT_MODELS_SHARED_L1_METRICS_H
#define CT_MODELS_SHARED_L1_METRICS_H

#include "models/shared_l1/params.h"

/* One group of a core's sets while sampling, in accesses and replies. */
struct ct_sl_group {
	double local, local_misses;   /* own accesses to the own L1 (reading local-and-remote) */
	double remote, remote_misses; /* own accesses to other homes that reach them; those that
	                                   missed there (reading local-and-remote) */
	double served, served_misses; /* all that the group's sets served, remote arrivals
	                                   included (reading group-miss-rate) */
	double llc_replies;           /* that install in the group's sets, and write
	                                   acknowledgements (reading installed-replies) */
	double home_replies;          /* replies from homes, read and write */
	double past;                  /* own accesses that Min(H,L2) sends to the LLC, around their
	                                   homes, where EB is to count their replies; else 0 */
};

/* Cycles that an access takes. */
struct ct_sl_latencies {
	double l1;   /* hit in the own L1 */
	double home; /* hit at a home, seen by the requester */
	double llc;  /* hit in the LLC, seen by the core */
};

/* AMAT of reading sampling-metrics, cycles; the L1's latency when the group saw nothing. */
double ct_sl_amat(const struct ct_sl_group *g, const struct ct_sl_latencies *l);
/* EB of reading sampling-metrics, replies. Replies to accesses that Min(H,L2) sends around their
 * homes are in neither of its terms by the letter: they install nothing, and so are no L2_Replies
 * (reading installed-replies), they are neither accesses nor misses of an L1 (reading
 * bypass-uncounted), and no home gives them. Division by the miss rate turns the replies that an L1
 * fetched into the accesses that it served; what no L1 of this core filters counts once:
 * Home_Replies and, where the group counts them (reading effective-bandwidth), these. A group without misses counts 1 / served as its
 * miss rate (reading no-misses); 0 when it saw nothing. */
double ct_sl_eb(const struct ct_sl_group *g);
/* Miss rate of the group as EB takes it: misses over accesses of its sets. */
double ct_sl_group_miss_rate(const struct ct_sl_group *g);

enum ct_sl_metric { CT_SL_BY_AMAT, CT_SL_BY_EB };
/* 1: shared, 0: private; `before` on a tie (reading ties-keep). guard 0: none. */
int ct_sl_decide(enum ct_sl_metric by, const struct ct_sl_group *private_group,
                 const struct ct_sl_group *shared_group, const struct ct_sl_latencies *l, double guard,
                 int before);

/* Own accesses of a core, of which `local` (0 .. 1] are local under sharing, that one
 * sampling phase takes, and one execution phase in the organisation (reading phase-count). `odd` (0 .. 1) of
 * the accesses fall to the shared group. */
double ct_sl_sampling_accesses(const struct ct_sl_params *p, double local, double odd);
double ct_sl_execution_accesses(const struct ct_sl_params *p, double local, int shared);
/* Share of a core's accesses that fall into sampling phases, when it makes `accesses` in
 * all and always decides the same. */
double ct_sl_sampling_share(const struct ct_sl_params *p, double local, double odd, int shared,
                            double accesses);

/* The paper's target test (reading target-test). */
int ct_sl_is_target(const struct ct_sl_params *p, double replication_ratio, double miss_rate,
                    double gain_16x);

#endif

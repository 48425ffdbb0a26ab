/* measure.h - every system of the Tag-Split Cache paper in one pass: an observer of a
 * replay that feeds the L1 of each system, on each SM, with the loads and stores that the
 * SM issues, coalesced as that system coalesces.
 *
 * The L1s know no time (l1.h): what they count are misses, traffic and use, on the
 * baseline's interleaving of warps. Cycles come from estimate.h, or from parts.h.
 *
 *     ct_ts_measure_new(&m, &gpu, &options, &err);
 *     observers[i] = ct_ts_measure_observer(m);
 *     for each launch: ct_ts_measure_kernel(m, kernel, &err); ... replay it ...
 *     ct_ts_measure_write(m, profile, thread_insts, &err);
 *
 * One object belongs to one thread (that of its replay). */
#ifndef CT_MODELS_TAG_SPLIT_MEASURE_H
#define CT_MODELS_TAG_SPLIT_MEASURE_H

#include "gpu/gpu.h"
#include "models/tag_split/systems.h"
#include "profile/profile.h"
#include "replay/replay.h"

struct ct_ts_measure_options {
	struct ct_ts_params params;
	double sample; /* share of the sets that are followed, 0 < sample <= 1 */
	uint64_t seed, warmup /* warp instructions that warm and do not count */;
	const struct ct_ts_system *systems; /* NULL: all of ct_ts_system_at() */
	unsigned n_systems;
};

enum { CT_TS_LINES_MAX = 64 }; /* requests of an instruction that are told apart */

/* Additive; of one system on all SMs. Loads and stores that L1 serves: no atomics,
 * no bypassing accesses. Followed: in the sampled sets (all without sampling). */
struct ct_ts_counts {
	uint64_t loads, load_misses;             /* instructions; those with a miss (reading
	                                       instruction-miss-rate) */
	uint64_t seen, requests, request_misses; /* load requests; followed; with a miss */
	uint64_t partial, coarse_only;           /* of the misses: some chunks cached; every chunk asked
	                                       for cached (coarse mode, reading coarse-lookup) */
	uint64_t sectors, sector_misses;         /* 32 B, of followed loads */
	uint64_t stores_seen, stores, store_sectors, store_sector_misses; /* requests, sectors */
	uint64_t fetched_bytes, data_packets,
		write_packets; /* readings both-traffics and packets-of-a-miss */
	uint64_t request_flits, reply_flits, llc_accesses; /* of followed loads, on the GPU's
	                                       own network */
	uint64_t store_request_flits, store_reply_flits, store_accesses; /* of all stores seen */
	uint64_t llc_lines;   /* of followed loads: LLC lines that are asked for
	                                       something, once per instruction */
	uint64_t port_cycles; /* of the L1: followed loads, DSC's replacement rounds */
	uint64_t evicted, collateral, bypassed;
	uint64_t coarse_requests; /* run in the coarse mode */
	uint64_t entries;         /* requests that opened an entry of the MSHR; counted by parts alone */
	uint64_t
		request_packets; /* of request_misses: one each, but one for each chunk where banks look sectors
	                             up and the system does not fetch the whole line */
	struct ct_ts_use use;
	uint64_t insts_of[CT_TS_LINES_MAX + 1], requests_of[CT_TS_LINES_MAX + 1],
		misses_of[CT_TS_LINES_MAX + 1]; /* loads by number of requests */
	double deviation;                       /* sum over sets of squared deviations of misses, for
	                                       the standard error; 0 without sampling */
};

struct ct_ts_measure;

/* Fails with CT_ERR_USAGE (parameters that do not go together), CT_ERR_NOMEM. */
int ct_ts_measure_new(struct ct_ts_measure **m, const struct ct_gpu *g,
                      const struct ct_ts_measure_options *o, struct ct_error *e);
void ct_ts_measure_free(struct ct_ts_measure *m); /* NULL allowed */
struct ct_replay_observer ct_ts_measure_observer(struct ct_ts_measure *m);
/* Before each launch: flushes or resizes the L1s as the configuration says. */
int ct_ts_measure_kernel(struct ct_ts_measure *m, const struct ct_kernel *k, struct ct_error *e);
/* Ends the measurement (nothing may be observed after it) and gives the counts of system
 * i; out of memory in between shows here. */
int ct_ts_measure_counts(struct ct_ts_measure *m, unsigned i, struct ct_ts_counts *c,
                         struct ct_error *e);
const struct ct_ts_system *ct_ts_measure_system(const struct ct_ts_measure *m, unsigned i);

/* Rates from counts. 95 % range of what was sampled, or low = high = value. */
struct ct_ts_rate {
	double value, low, high;
};
struct ct_ts_rate ct_ts_request_miss_rate(const struct ct_ts_counts *c);
struct ct_ts_rate ct_ts_inst_miss_rate(const struct ct_ts_counts *c);

/* Appends ES records of all systems (scope all, method replay): the measured metrics
 * and the counts that ct_ts_answer_init() needs. */
int ct_ts_measure_write(struct ct_ts_measure *m, struct ct_profile *p, uint64_t thread_insts,
                        struct ct_error *e);

#endif

/* systems.h - the systems that the Shared L1 paper compares (doc/papers/shared-l1.md), as
 * one table, and their analytic estimates from a profile. */
#ifndef CT_MODELS_SHARED_L1_SYSTEMS_H
#define CT_MODELS_SHARED_L1_SYSTEMS_H

#include "models/common/energy.h"
#include "models/common/perf.h"
#include "models/shared_l1/metrics.h"
#include "models/shared_l1/noc.h"
#include "models/shared_l1/phases.h"
#include "models/shared_l1/rates.h"
#include "models/shared_l1/watch.h"

struct ct_sl_system {
	const char *name;
	double l1_factor, llc_factor; /* capacity against the configured one */
	unsigned shared : 1;          /* one home per line */
	unsigned ideal : 1;           /* Hypothetical: cores reach each other in no time */
	unsigned chunk : 1;           /* replies carry what was asked for */
	unsigned min : 1;             /* Min(H,L2); only where cores and partitions share a mesh */
	unsigned dynamic : 1;         /* samples and decides */
	unsigned guard : 1;           /* L1MRpr */
	unsigned best : 1;            /* the better of Private and Shared++ */
	unsigned plus : 1;            /* private, with what sharing adds in storage spent on ways */
	unsigned never_misses : 1;    /* private, in which first touches hit, too: a bound */
	enum ct_sl_metric by;         /* of a dynamic one */
};
enum {
	CT_SL_SYSTEMS = 15,
	CT_SL_PRIVATE = 0,
	CT_SL_SHARED_PP = 5,
	CT_SL_DYNAMAT = 6,
	CT_SL_DYNEB = 9,
	CT_SL_SCHEMES = 4 /* from DynAMAT on */,
	CT_SL_PLUS = 13,
	CT_SL_IDEAL = 14,
	CT_SL_ALL = (1 << CT_SL_SYSTEMS) - 1 /* as a mask */
};
/* In the order in which they are printed, Private first; NULL past the end. Static storage. */
const struct ct_sl_system *ct_sl_system_at(size_t i);
int ct_sl_system_find(const char *name); /* index, or -1 */

/* Bytes that sharing adds to a core: the queues of a home and, of a dynamic scheme, its counters. Pure. */
double ct_sl_sharing_bytes(const struct ct_sl_params *p, int dynamic);
/* Ways that each L1 of g would have more had it what DynEB adds: the nearest whole number, since an L1 grows by
 * whole ways, 0 where a way is larger than twice that. Pure. */
uint32_t ct_sl_plus_ways(const struct ct_gpu *g, const struct ct_sl_params *p);

/* How a dynamic system decides, on a GPU with that network. */
void ct_sl_scheme_of(const struct ct_sl_system *s, const struct ct_gpu *g, const struct ct_sl_params *p,
                     const struct ct_sl_noc *n, struct ct_sl_scheme *out);

/* What the estimates take from a profile. */
struct ct_sl_inputs {
	struct ct_sl_rates replayed;                          /* private, L1s of the profile's GPU */
	struct ct_sl_rates priv, plus, priv2, priv16, shared; /* of the GPU in force */
	struct ct_sl_rates min; /* shared, of accesses that Min(H,L2) leaves on the default
	                                  placement; read_lines NaN when unknown */
	int has_first;
	struct ct_sl_firsts first; /* what homes of many ways miss at any size */
	int has_dynamic;           /* the schemes as watched hold */
	struct ct_sl_watch_counts dynamic[CT_SL_SCHEMES];
	double watched;                          /* accesses that these are of */
	double landed_replicated, landed_copies; /* what private L1s replicate, and hold beyond
	                                  one copy, once lines have come, over what they do where
	                                  lines come at once; 1 when unknown */
	double l1_bytes;                         /* of one L1, mean over the launches */
	double useful[4];                    /* shares of line requests that use up to 32, 64, 96, 128 B;
	                                  NaN when unknown */
	double home_load[CT_SL_HOMES_KINDS]; /* busiest over mean home; NaN when unknown */
	double home_own
		[CT_SL_HOMES_KINDS]; /* share of accesses whose home is their own SM; NaN when unknown */
	double home_odd;             /* share of loads to odd sets; NaN when unknown */
	double requests, request_misses; /* of the replay: lines, with any sector missing; NaN */
	double home_camping;             /* home_load in short windows (watch.h); NaN when unknown */
};
/* Fails with CT_ERR_INPUT, CT_ERR_NOMEM. gpu: the one in force. */
int ct_sl_inputs_read(struct ct_sl_inputs *in, const struct ct_profile *p, const struct ct_gpu *replayed,
                      const struct ct_gpu *gpu, const struct ct_sl_params *params, struct ct_error *e);
/* The same from curves that are there already. Pure. */
void ct_sl_inputs_from(struct ct_sl_inputs *in, const struct ct_sl_curves *c, const struct ct_profile *p,
                       const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                       const struct ct_sl_params *params);

/* Counts of a whole run; not-a-number where it does not apply. */
struct ct_sl_estimate {
	double cycles, ipc; /* without launches */
	double l1_sector_misses, l1_miss_rate /* sectors */, l1_request_miss_rate /* lines */;
	/* The range of the miss rate of requests, as far as their order may matter; NaN for a
	 * replay. */
	double miss_low, miss_high, edge_fraction;
	double llc_misses; /* sectors */
	double replication_ratio, replicas;
	/* The same if lines come at once, and if they are as long on their way as for private L1s; NaN
	 * of a replay. */
	double replication_other, replicas_other;
	double remote_fraction; /* of the accesses: go to another core's L1 */
	double past_fraction;   /* of them: Min(H,L2) sends to the LLC */
	double home_imbalance;
	double reply_latency; /* core cycles, mean of read replies */
	double amat, eb;
	double home_bytes; /* payload of replies from homes and around them */
	double flits[CT_SL_FLOWS], flit_hops;
	double dram_bytes, l1_bytes_moved, llc_bytes_moved;
	double joule, watt;
	size_t bottleneck;         /* station; CT_PERF_STATIONS + 0 request, + 1 reply network,
	                                 + 2 home L1s, + 3 butterfly */
	double utilisation, yield; /* of it, as of struct ct_perf_result */
	int chose_shared;          /* a dynamic scheme's decision */
	double sampling_share;     /* of its accesses */
};

struct ct_sl_model {
	const struct ct_workload *w;
	const struct ct_sl_inputs *in;
	struct ct_gpu replayed, gpu;
	struct ct_sl_params p;
	struct ct_sl_noc noc;
	struct ct_perf perf; /* anchored to the replayed GPU */
	struct ct_energy energy;
	double beta;        /* busiest over mean home, whole run */
	double camping;     /* the same while it matters: at least beta */
	double remote;      /* share of L1 accesses whose home is another SM */
	int as_watched;     /* placed as the profile's watch took it */
	double trip_factor; /* of the way to the home and back: 1 but for ranges */
};

/* w, in and what they point to must outlive the model. place: NULL for the default.
 * Fails with CT_ERR_USAGE, CT_ERR_INPUT, CT_ERR_NOMEM. */
int ct_sl_model_init(struct ct_sl_model *m, const struct ct_workload *w, const struct ct_sl_inputs *in,
                     const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                     const struct ct_sl_params *p, const struct ct_sl_place *place,
                     enum ct_perf_anchor how, struct ct_error *e);
void ct_sl_model_free(struct ct_sl_model *m);

/* All systems at once, in the table's order. Pure. */
void ct_sl_estimate_all(const struct ct_sl_model *m, struct ct_sl_estimate *out);
/* The user's GPU as configured, on its own network. Pure. */
void ct_sl_estimate_configured(const struct ct_sl_model *m, struct ct_sl_estimate *out);

/* Fills in joule and watt from x's cycles, flits' hops and bytes moved. Pure. */
void ct_sl_energy(const struct ct_sl_model *m, struct ct_sl_estimate *x);

/* "reply network", "DRAM bandwidth": what a bottleneck is called, for people. */
const char *ct_sl_station_name(size_t i);

#endif

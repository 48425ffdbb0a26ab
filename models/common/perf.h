/* perf.h - cycles of a whole GPU as a closed queueing network.
 *
 * The customers are the loads that warps have in flight. Between two of them a
 * warp computes; a load takes the latency of the level that serves its slowest line,
 * plus the waits at the L1, the network, the LLC slices and the DRAM channels. The
 * network is anchored to a replayed run: at the replayed configuration the model's
 * cycles are the replay's, and what had to be changed for that is reported. It then
 * predicts other SM counts, capacities, latencies and bandwidths (doc/models.md section 5).
 *
 * First touches: in a trace of several launches they are taken to come in a phase of
 * their own, so that what no capacity can save does not overlap with what it can; in a
 * single launch they are spread over it.
 *
 * Everything is pure; a calibrated struct ct_perf may be shared by threads. */
#ifndef CT_MODELS_COMMON_PERF_H
#define CT_MODELS_COMMON_PERF_H

#include "base/error.h"
#include "gpu/gpu.h"
#include "models/common/amva.h"
#include "models/common/llc_fit.h"
#include "models/common/workload.h"

enum { CT_PERF_CLASSES_MAX = 6, CT_PERF_EXTRA_MAX = 4 };

enum ct_perf_station {
	CT_PERF_ISSUE,
	CT_PERF_UNITS,
	CT_PERF_L1,
	CT_PERF_L1_SETS, /* lines that misses hold until their fills come */
	CT_PERF_SM_REQUEST,
	CT_PERF_SM_REPLY,
	CT_PERF_SLICE_IN,
	CT_PERF_SLICE_OUT,
	CT_PERF_LLC,
	CT_PERF_DRAM,
	CT_PERF_STATIONS /* extra ones follow */
};
const char *ct_perf_station_name(size_t i); /* "DRAM bandwidth", for people */

/* "100 % busy", of a station that the anchor slowed down "100 % busy, at 43 % of its peak". */
void ct_perf_busy_text(double utilisation, double yield, char *out, size_t n);

/* Where a line that missed L1 is served. */
struct ct_perf_class {
	double share;   /* of such lines; all shares sum to 1. A line that is on its way
	                   already counts with those that wait for the same memory */
	double latency; /* unloaded, core cycles from issue to data */
	int dram;       /* DRAM is waited for */
	int hit;        /* an L1 has it, that of another SM */
};

/* One configuration of the GPU. Traffic in totals of the run. */
struct ct_perf_point {
	double sms;         /* that run the application */
	double l1_miss;     /* share of read lines that leave L1 */
	unsigned n_classes; /* ascending latency */
	struct ct_perf_class cls[CT_PERF_CLASSES_MAX];
	double cold;                           /* of such lines: wait for a first touch */
	double request_packets, reply_packets; /* at the ports of compute SMs */
	double slice_in, slice_out;            /* at the ports of the slices */
	double llc_sectors;                    /* that the slices look up and serve */
	double dram_bytes;
	double noc_speed, llc_speed, dram_speed; /* of service, against the replayed GPU */
	double end_wait; /* a warp that ends waits so many cycles more for its stores than in the replay */
	double set_misses; /* that hold a line of their set, against the replayed run */
	double slices;     /* parallel LLC banks, against the replayed GPU */
	double slice_beta; /* busiest over mean slice */
	unsigned n_extra;
	struct ct_amva_station extra[CT_PERF_EXTRA_MAX]; /* per load */
};

struct ct_perf_result {
	double cycles;  /* without launches */
	double ipc;     /* thread instructions per cycle */
	double latency; /* mean of a load */
	double dram_utilisation;
	size_t bottleneck;  /* station, CT_PERF_STATIONS when nothing is busy */
	double utilisation; /* of it */
	double yield;       /* of its peak, where the anchor slowed it down; else 1 */
};

/* How the difference between the unanchored model and a slower replay is made up. */
enum ct_perf_anchor {
	/* Where the model keeps a station busy for most of the time, that station yields less
	 * than its peak (uneven load, blocked queues, row misses); else waits are longer by a
	 * factor (bursts). */
	CT_PERF_ANCHOR_STATION,
	/* First a constant is added to every load's latency, up to a quarter of DRAM's. */
	CT_PERF_ANCHOR_MIXED,
	/* The same as STATION, with the other assumption on first touches. */
	CT_PERF_ANCHOR_PHASES,
	/* Uses the model as it is, so that it can be held against the replay. */
	CT_PERF_ANCHOR_NONE
};

/* What the anchor has chosen: factors on demand, unloaded latency and waits; cycles per load. */
struct ct_perf_anchored {
	double demand_factor[CT_PERF_STATIONS], extra_factor[CT_PERF_EXTRA_MAX], latency_factor,
		wait_factor, latency_added, think;
	double apart; /* 1: the lines of a load miss independently; 0: all of them or none */
};

/* A share of the replayed run in which a station sets the pace that does not in the rest of it. */
struct ct_perf_paced {
	double share; /* 0: there is none */
	struct ct_perf_anchored a;
};
enum { CT_PERF_BY_SHARED /* station behind the SMs */, CT_PERF_BY_SETS, CT_PERF_PACED };

struct ct_perf {
	const struct ct_workload *w;
	struct ct_gpu gpu;          /* the replayed one */
	double t_l1, t_llc, t_dram; /* unloaded latencies, core cycles */
	double lines_per_load, loads, parallelism, warps;
	double hidden;    /* of a load's latency: cycles in which its warp does not wait */
	double l1_cycles; /* that the L1s are busy: the workload's, or another system's */
	struct ct_llc_fit llc;
	double pending_factor;     /* requests that wait for a sector over those that fetch it */
	struct ct_perf_anchored a; /* of what no share below has */
	struct ct_perf_paced paced[CT_PERF_PACED];
	double l1_full; /* share of the time in which the L1s of the replayed run have no miss register left */
	int even;       /* first touches are spread over the run, not a phase of their own */
	double ratio;      /* cycles of the unanchored model over the replay's */
	double issue_wait; /* of think, what the issue slots' contention makes up */
};

/* Anchors the model. w must outlive *m. Fails with CT_ERR_INPUT when the workload's
 * numbers contradict each other beyond use. */
int ct_perf_calibrate(struct ct_perf *m, const struct ct_workload *w, const struct ct_gpu *g,
                      enum ct_perf_anchor how, struct ct_error *e);

/* The same for a replayed GPU that had stations of its own: `extra` adds them to its point
 * (m holds loads and lines_per_load by then). A model's points must then have them at the
 * same indices. */
int ct_perf_calibrate_with(struct ct_perf *m, const struct ct_workload *w, const struct ct_gpu *g,
                           enum ct_perf_anchor how, void (*extra)(void *ctx, struct ct_perf_point *pt),
                           void *ctx, struct ct_error *e);

/* Unloaded latency of an LLC hit and of an LLC miss that the requester sees, ns. */
void ct_perf_latencies_ns(const struct ct_gpu *g, double *llc_hit, double *llc_miss);

/* A conventional hierarchy of the GPU g (capacity and clocks may differ from the
 * replayed GPU, g->sms does not matter) on `sms` SMs with an LLC of llc_lines. */
void ct_perf_conventional(const struct ct_perf *m, const struct ct_gpu *g, double sms, double llc_lines,
                          struct ct_perf_point *pt);

/* Share of the lines behind L1 that wait for DRAM, over all classes. Pure. */
double ct_perf_dram_share(const struct ct_perf_point *pt);
/* Unloaded latency of a line behind L1, mean over all classes. Pure. */
double ct_perf_latency_beyond_l1(const struct ct_perf_point *pt);
/* The chance that any of a load's lines does what each does by itself with chance p (clipped to 0..1). Pure. */
double ct_perf_any_line(const struct ct_perf *m, double p);
/* Puts the classes in ascending order of their latencies, which ct_perf_eval() needs. */
void ct_perf_sort_classes(struct ct_perf_point *pt);

/* Another L1 in front of the same point: it lets `reads` (> 0) times as many read lines
 * pass, `traffic` times as much in all; what waits for DRAM stays the same. */
void ct_perf_filter_l1(struct ct_perf_point *pt, double reads, double traffic);

void ct_perf_eval(const struct ct_perf *m, const struct ct_perf_point *pt, struct ct_perf_result *r);

#endif

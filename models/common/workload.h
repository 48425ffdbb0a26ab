/* workload.h - what a profile says about a workload, ready for the models.
 *
 * Totals of the whole trace on the GPU that `reuse` replayed (scope all), and the LLC
 * reuse-distance curves at several SM counts. Times are core cycles of that GPU. */
#ifndef CT_MODELS_COMMON_WORKLOAD_H
#define CT_MODELS_COMMON_WORKLOAD_H

#include "base/decls.h"
#include "base/error.h"
#include "locality/hist.h"
#include "profile/profile.h"

CT_DECLS_BEGIN

enum { CT_WORKLOAD_VIEWS_MAX = 16 };

/* The accesses that reach the LLC when the trace runs on `sms` SMs. */
struct ct_llc_view {
	unsigned sms;
	struct ct_hist hist;   /* line distances, reads and writes */
	struct ct_hist sector; /* sector distances; empty when the profile lacks them */
	double total, sectors; /* theirs */
	/* Line requests. Replays with other timing may cut the same traffic into other
	 * pieces: where sectors are known, requests follow those. */
	double requests;
	unsigned twin; /* 1 + an earlier view with the same histograms; 0: none known */
};

/* Misses already computed: the same few capacities are asked for again and again. */
struct ct_miss_cache;
struct ct_miss_cache *ct_miss_cache_new(void);    /* NULL when out of memory */
void ct_miss_cache_free(struct ct_miss_cache *c); /* NULL allowed */

struct ct_workload {
	unsigned sms; /* of the replayed GPU */
	double warp_insts, thread_insts, cycles /* without launches */, launch_cycles;
	double launches, loads;
	double mem_latency;               /* cycles from issue to data, mean over loads */
	double mem_parallelism;           /* loads in flight per warp that waits; NaN when unknown */
	double think;                     /* cycles of a warp between loads, not waiting for one; NaN */
	double resident_warps;            /* per SM that holds a CTA */
	double active_sms;                /* mean */
	double mem_stall, mem_stall_open; /* cycles of warps that wait for loads, and these times the
	                                     instructions on their way; NaN when unknown */
	double warps;                     /* of all launches; NaN when unknown */
	double warps_per_cta, cta_capacity /* whole GPU */, waves;
	double l1_requests, llc_requests, llc_line_misses; /* 128 B lines */
	double l1_sectors, l1_sector_misses, l1_read_sectors, l1_read_misses;
	double llc_sectors, llc_sector_misses, llc_read_sectors, llc_read_misses;
	double llc_pending; /* sectors already on their way; 0 when unknown */
	double dram_read_bytes, dram_write_bytes;
	/* busy cycles, summed over the servers of each kind */
	double issue_cycles, unit_cycles, l1_cycles, noc_request_cycles, noc_reply_cycles;
	double llc_cycles;
	/* SM cycles in which a miss waits for a line of its L1 set, or for a miss register; NaN when unknown */
	double l1_set_stall, l1_mshr_stall;
	double noc_request_backlog, noc_reply_backlog; /* network cycles in which a crossbar has all that
	                                                  it can move; NaN when unknown */
	double dram_backlog_cycles; /* channels hold as many requests as they have banks; NaN when unknown */
	double dram_backlog_busy_cycles; /* and move data */
	double llc_merge_stall_cycles; /* slices stand still since a sector's MSHR entry takes no more requests; 0 when unknown */
	double compression_high, compression_low, compression_none; /* shares; NaN */
	double registers_used; /* share of the register file in use, mean; NaN when unknown */
	double sm_fill, cold_miss_fraction; /* NaN when unknown */
	int has_l1;
	struct ct_hist l1; /* line distances of one L1's stream, all SMs added up */
	unsigned n_views;  /* ascending SM counts; the last is `sms` */
	struct ct_llc_view view[CT_WORKLOAD_VIEWS_MAX];
	struct ct_miss_cache *cache; /* the caller's, or NULL; ties the workload to one thread */
};

/* Fills *w from scope `all` of p; sms and the register file's bytes per SM are those
 * of the profile's GPU. Fails with CT_ERR_INPUT, naming what the profile lacks. */
int ct_workload_read(struct ct_workload *w, const struct ct_profile *p, unsigned sms, double rf_bytes,
                     struct ct_error *e);
/* Fails as ct_workload_read() did, and says what p lacks, for a caller that was handed no workload. Arguments are those of
 * that function. */
int ct_workload_missing(const struct ct_profile *p, unsigned sms, double rf_bytes, struct ct_error *e);

/* Line requests at the LLC and LRU misses at `lines` of capacity (sets of `ways`, 0 =
 * fully associative) when `sms` SMs run the trace; linear between the measured counts,
 * the nearest one outside. Pure but for the cache. */
double ct_workload_llc_requests(const struct ct_workload *w, double sms);
double ct_workload_llc_misses(const struct ct_workload *w, double sms, double lines, unsigned ways);
/* The same for sectors; NaN without sector distances at both SM counts around. */
double ct_workload_llc_sector_misses(const struct ct_workload *w, double sms, double lines,
                                     unsigned ways);
/* How many of those requests are first touches of a line, and of those sectors first touches of a sector. */
double ct_workload_llc_cold(const struct ct_workload *w, double sms);
double ct_workload_llc_sector_cold(const struct ct_workload *w, double sms);
/* The first view with the histograms of view v. */
unsigned ct_workload_same_view(const struct ct_workload *w, unsigned v);
/* The two views around an SM count and the weight of the second. */
void ct_workload_bracket(const struct ct_workload *w, double sms, unsigned *first, unsigned *second,
                         double *weight);

CT_DECLS_END

#endif

/* observer.h - everything `reuse` measures, fed by the replay's accesses.
 *
 * Which accesses move what:
 *  - A read touches its line in its SM's stack and in the merged stack (one stack for
 *    all SMs, in simulated order).
 *  - A store follows the L1's write policy in both: it allocates, or moves only lines
 *    that are there, or evicts its line (options.store). Its distance is counted in
 *    the `write` histograms in every case.
 *  - RJ and RT count reads only: the fills of L1 read misses are what the replay counts
 *    in replicated_misses, line_copies and line_fills. Stores take part in RJ through
 *    what they do to the stacks. A read's RJ cell is taken before the read moves its
 *    own line; the reading SM is not one of the "others".
 *  - An access that bypasses the L1 is not fed at all. */
#ifndef CT_LOCALITY_OBSERVER_H
#define CT_LOCALITY_OBSERVER_H

#include <stdint.h>

#include "base/access.h"
#include "base/bits.h"
#include "base/decls.h"
#include "base/error.h"
#include "locality/hist.h"
#include "locality/rj.h"

CT_DECLS_BEGIN

/* Bins of RT's distances: exact below 4, then 4 per octave. RT is for reads that find
 * their line on the stack: a cold access has no reuse time. */
enum { CT_RT_BINS = 4 + 4 * 38, CT_RT_TIMES = 64 };
/* The bin of a distance; from 2^40 on the last one. Pure. */
static inline unsigned ct_rt_bin(uint64_t distance)
{
	if (distance < 4)
		return (unsigned)distance;
	if (distance >> 40)
		return CT_RT_BINS - 1;
	unsigned octave = ct_high_bit(distance);
	return 4 + (octave - 2) * 4 + (unsigned)(distance >> (octave - 2) & 3);
}
/* The distances in a bin: from ct_rt_lo() up to, but without, ct_rt_hi(). Pure. */
uint64_t ct_rt_lo(unsigned bin);
uint64_t ct_rt_hi(unsigned bin);
/* Time bin t holds reuse times of [2^t, 2^(t+1)) cycles; bin 0 also time 0. */
static inline unsigned ct_rt_time_bin(uint64_t cycles)
{
	return cycles ? ct_high_bit(cycles) : 0;
}

/* Result of one scope (everything, one kernel name, one kernel). Zero-initialise;
 * ct_locality_counts_free() when done. */
struct ct_locality_counts {
	struct ct_hist l1_read, l1_write, l1_sector_read, l1_sector_write;
	struct ct_hist merged_read, merged_write, merged_sector_read, merged_sector_write;
	struct ct_hist llc_read, llc_write, llc_sector_read, llc_sector_write;
	struct ct_hist reg_insts, reg_distinct; /* not filled here: see regs.h */
	struct ct_rj rj_nearest, rj_sharers;
	uint64_t rt[CT_RT_BINS][CT_RT_TIMES];      /* view l1, reads */
	uint64_t distinct_lines, distinct_sectors; /* of the L1 accesses of the whole run */
};
/* Sums two scopes (distinct counts: the larger). Fails with CT_ERR_NOMEM. */
int ct_locality_counts_add(struct ct_locality_counts *into, const struct ct_locality_counts *from,
                           struct ct_error *e);
void ct_locality_counts_free(struct ct_locality_counts *c);

/* What a store does to an L1 (gpu.h enum ct_write_policy maps onto it: through-allocate
 * and both write-back policies allocate). */
enum ct_locality_store { CT_STORE_ALLOCATE, CT_STORE_NO_ALLOCATE, CT_STORE_EVICT };

/* The streams that are analysed, a bit each. */
enum ct_locality_stream { CT_STREAM_L1 = 1u << 0, CT_STREAM_MERGED = 1u << 1, CT_STREAM_LLC = 1u << 2 };

struct ct_locality; /* the streams of one GPU: one L1 per SM, merged, LLC */

struct ct_locality_options {
	uint32_t sms, sectors;
	uint32_t llc_sectors; /* per LLC line, 1..4 (0 = as sectors) */
	int store;            /* enum ct_locality_store: the L1's write policy */
	int sharing;          /* measure RJ, which needs the L1s' streams */
	/* RJ asks about so many reads of a launch one by one, as many of one in two, and so on; 0: about all. */
	uint64_t sharing_reads;
	unsigned without; /* enum ct_locality_stream: streams that are left out, whose counts stay 0 */
	double sample;    /* SHARDS rate by line address, 0 or 1 = exact */
	uint64_t seed;
	int sites;         /* tell accesses apart by what makes them: ct_locality_l1_of() */
	unsigned threads;  /* 2 or more: accesses are analysed behind the caller's back,
	                         streams side by side; same results. 0 = 1 */
	uint64_t window;   /* accesses of an SM between two compactions, 0 = the engine's
	                         choice; for tests, which force compaction */
	int isa;           /* enum ct_isa (isa.h), 0 = best; for tests */
	int without_times; /* RT is left out, whose counts stay 0 */
};

/* NULL and *e on CT_ERR_USAGE (options out of range) or CT_ERR_NOMEM. One thread. */
struct ct_locality *ct_locality_new(const struct ct_locality_options *o, struct ct_error *e);
void ct_locality_free(struct ct_locality *l); /* NULL allowed */

/* Has work(arg) called once in another thread, when that has nothing better to do; or never. */
typedef void ct_locality_post(void *ctx, void (*work)(void *arg), void *arg);
/* Lets a thread of the caller's analyse accesses, too, of an observer that was made with threads <= 1: post(ctx, ...) is
 * called when some wait. Where it falls behind, the caller's thread analyses them itself. Same results. That thread has
 * ended, or will not call again, when *l is freed. Fails with CT_ERR_NOMEM; *l stays as it was then. */
int ct_locality_share(struct ct_locality *l, ct_locality_post *post, void *ctx, struct ct_error *e);

/* One L1 access: a line and its sectors, by one SM (below options.sms). `cycle` is the
 * replay's time. Out of memory is reported by collect. */
void ct_locality_l1(struct ct_locality *l, uint32_t sm, uint64_t line, uint32_t sectors, int is_write,
                    uint64_t cycle);
/* n of them in order; is_write is 0 or 1. */
void ct_locality_l1_many(struct ct_locality *l, const struct ct_line_access *a, size_t n);
/* What one site (an instruction, or whatever the caller tells apart) has met at the L1s. Reads and stores are
 * counted alike. */
struct ct_locality_site {
	struct ct_hist distance; /* of its accesses, in lines */
	uint64_t cold, capacity,
		others; /* missed sectors: never touched before; touched, but longer ago than the
	                                    lines that an L1 has; touched within them */
};
/* The same access of site number `site` (from 0, few: each takes 10 KiB), of which the sectors in `missed` were not
 * there, with L1s of `lines` lines. Only where options.sites is set, and nothing is sampled. */
void ct_locality_l1_of(struct ct_locality *l, uint32_t sm, uint64_t line, uint32_t sectors, int is_write,
                       uint64_t cycle, uint32_t site, uint32_t missed);
/* How many lines the L1s have from now on, for the classes of the sites' misses. */
void ct_locality_l1_lines(struct ct_locality *l, uint64_t lines);
/* What ct_locality_collect() has counted last of each site: *n of them, valid until the next access. */
const struct ct_locality_site *ct_locality_sites(const struct ct_locality *l, size_t *n);
/* Forgets what the sites have met, to count the next launch. */
void ct_locality_sites_reset(struct ct_locality *l);

/* One access that reached the LLC; stores and reads both allocate there. */
void ct_locality_llc(struct ct_locality *l, uint64_t line, uint32_t sectors, int is_write);
/* n of them in order, whose cycle and SM do not matter; is_write is 0 or 1. */
void ct_locality_llc_many(struct ct_locality *l, const struct ct_line_access *a, size_t n);
/* Kernel boundaries: the L1 streams (and the merged one) restart when flushed. */
void ct_locality_kernel_begin(struct ct_locality *l, int l1_flushed);
/* Counts since the last call are added to *c; distinct counts are those of the whole
 * run so far. When sampled, distances and counts are scaled to the whole stream and each
 * histogram sums to the true number of accesses (SHARDS-adj, see shards.h). Fails with
 * CT_ERR_NOMEM if memory ran out since. */
int ct_locality_collect(struct ct_locality *l, struct ct_locality_counts *c, struct ct_error *e);

/* What distances are measured of: each SM's L1, all SMs together and the LLC, in lines and in sectors. */
enum ct_locality_view {
	CT_VIEW_L1,
	CT_VIEW_MERGED,
	CT_VIEW_LLC, /* line distances */
	CT_VIEW_L1_SECTOR,
	CT_VIEW_MERGED_SECTOR,
	CT_VIEW_LLC_SECTOR,
	CT_VIEWS
};
/* Half-width of the 95 % interval of a sampled miss ratio at a capacity in lines, of the
 * whole run so far and all accesses of the view: the spread between eight random parts
 * of the sampled lines, and what an error of the distance scale does to the curve there.
 * NaN when nothing was sampled or counted. Not while accesses are under way: call after
 * ct_locality_collect(). */
double ct_locality_error(const struct ct_locality *l, enum ct_locality_view view, double lines);
/* How many accesses a stream (one of enum ct_locality_stream) has analysed, of the whole run. Call it after
 * ct_locality_collect(). */
uint64_t ct_locality_analysed(const struct ct_locality *l, enum ct_locality_stream stream);
/* The sampling rate in force; 1 if nothing is sampled. */
double ct_locality_rate(const struct ct_locality *l);
/* The same of RJ: the share of the reads that it was told from, and the half-width of the 95 % interval of the replication
 * ratio of L1s of so many lines, of the whole run (NaN where nothing misses). 1 and NaN where RJ is not measured. */
double ct_locality_sharing_rate(const struct ct_locality *l);
double ct_locality_sharing_error(const struct ct_locality *l, double lines);

CT_DECLS_END

#endif

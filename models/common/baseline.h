/* baseline.h - the plain L1s and LLC of a GPU at any capacity, from a profile.
 *
 * Capacity is all that may differ from the GPU that made the profile: the streams and
 * their interleaving are those of its replay. LRU; lines fall into sets at random
 * (doc/models.md section 1); an access to a line in flight counts as a hit, as in SN. */
#ifndef CT_MODELS_COMMON_BASELINE_H
#define CT_MODELS_COMMON_BASELINE_H

#include "base/error.h"
#include "gpu/gpu.h"
#include "models/common/miss_curve.h"
#include "profile/profile.h"

/* The L1s that the launches of a scope run with: an adaptive L1 depends on a launch's
 * shared memory. Parts are shares of the memory instructions and sum to 1. */
enum { CT_L1_PARTS_MAX = 32 };
struct ct_l1_parts {
	unsigned n;
	struct {
		uint64_t bytes;
		struct ct_cache_shape shape;
		double share;
	} part[CT_L1_PARTS_MAX];
};

/* Which sizes the L1 had in the launches of a scope, by its KN records and occupancy.h: one part of the configured size
 * when the profile has no KN for it. Never fails. */
void ct_baseline_parts(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                       struct ct_l1_parts *parts);
/* One part of that size. */
void ct_baseline_one_size(const struct ct_gpu *g, uint64_t bytes, struct ct_l1_parts *parts);

/* Counts over all SMs; NaN where the profile lacks the view (or RJ). */
struct ct_l1_answer {
	double sector_accesses, sector_misses, read_sector_accesses, read_sector_misses;
	double line_accesses, line_misses, read_line_misses;
	double fills, replicated, copies;            /* of read misses, from RJ */
	double merged_sectors, merged_sector_misses; /* all L1s as one (view merged_sector) */
};
/* parts NULL: those of ct_baseline_parts(), and for scope all the sum over the kernel
 * names where their L1s differ and the profile has them. Fails with CT_ERR_NOMEM. */
int ct_baseline_l1(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                   const struct ct_l1_parts *parts, struct ct_l1_answer *a, struct ct_error *e);

/* The same in two steps, for many sizes: load once (RJ only if asked for: it is the
 * largest), then answer. *v is the caller's to free. */
struct ct_l1_views;
int ct_l1_views_load(struct ct_l1_views **v, const struct ct_profile *p, const char *scope, int with_rj,
                     struct ct_error *e);
void ct_l1_views_answer(const struct ct_l1_views *v, const struct ct_gpu *g,
                        const struct ct_l1_parts *parts, struct ct_l1_answer *a);
void ct_l1_views_free(struct ct_l1_views *v); /* NULL allowed */

/* The LLC of all slices, from views llc (lines) and llc_sector; NaN where the profile
 * lacks them. */
struct ct_llc_answer {
	double accesses, misses, read_accesses, read_misses; /* lines */
	double sector_accesses, sector_misses, read_sector_accesses, read_sector_misses;
};
/* fit NULL: lines fall into the sets at random. */
void ct_baseline_llc(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                     uint64_t bytes, const struct ct_curve_fit *fit, struct ct_llc_answer *a);
/* How the curves meet the replayed misses of the GPU g; at random where the profile cannot
 * tell. */
void ct_baseline_llc_fit(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                         struct ct_curve_fit *fit);

/* A replayed share `had`, moved as the histograms move from old to now: by the factor of the misses where they shrink, of
 * the hits where they grow, so that it stays a share and does not move without a change. now where had or old is not
 * known. Pure. */
double ct_baseline_moved_share(double had, double old, double now);

/* The miss rates by sector (SN l1_miss_rate, llc_miss_rate) of a scope at factor[i] times the capacity in force: the
 * replay's own rate at 1, and elsewhere moved as the histograms move. An L1 that lends a part to shared memory
 * changes in proportion. g: the GPU that the profile's SN are of. rate[] gets n values, NaN where there is no access.
 * Returns 1, or 0 when p lacks the view (l1_sector, llc_sector). Pure. */
int ct_baseline_l1_rates(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                         const double *factor, size_t n, double *rate);
int ct_baseline_llc_rates(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                          const double *factor, size_t n, double *rate);

#endif

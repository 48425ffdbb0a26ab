/* shards.h - miss-ratio curves from sampled lines, with error bars.
 *
 * Up to four independent samples (salts) of one stream, each with a stack of its own.
 * Fixed rate: distances are those of the sample divided by the rate. Fixed size: when a
 * sample outgrows max_lines its rate is halved and the lines that fall out leave the
 * stack (Waldspurger et al. evict one line at a time; halving keeps every count an
 * integer and at least half the sample); what was counted before keeps its rate. Both
 * with the published correction (SHARDS-adj): the accesses that the sample has too few
 * or too many of, against what the rate promises, count at distance 0, because they are
 * nearly always those of very hot lines. */
#ifndef CT_LOCALITY_SHARDS_H
#define CT_LOCALITY_SHARDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "locality/hist.h"

CT_DECLS_BEGIN

struct ct_shards;

struct ct_shards_options {
	double rate;    /* per salt, (0, 1]; the first rate when max_lines is set */
	unsigned salts; /* 1 to 4 (0 = 1); error bars need at least 2 */
	uint64_t seed;
	uint64_t max_lines; /* per salt; 0 = fixed rate, else at least 16 */
	int isa;            /* enum ct_isa, 0 = best */
};

/* NULL and *e on CT_ERR_USAGE or CT_ERR_NOMEM. Caller frees. One thread. */
struct ct_shards *ct_shards_new(const struct ct_shards_options *o, struct ct_error *e);
void ct_shards_free(struct ct_shards *s); /* NULL allowed */

/* The next n accesses of the stream. Out of memory is reported by ct_shards_check(). */
void ct_shards_access(struct ct_shards *s, const uint64_t *line, size_t n);
int ct_shards_check(const struct ct_shards *s, struct ct_error *e);

struct ct_shards_point {
	double miss_ratio; /* mean over the salts, in [0, 1]; NaN before the first access */
	double half_width; /* of the 95 % interval (Student's t over the salts, and what the
	                      sampling of distances rounds off); NaN for one salt */
	double low, high;  /* the interval, widened along the capacity axis: where the curve
	                      is steep an error in the distance scale moves a step sideways,
	                      which salts that agree by chance do not show. Taken over
	                      capacities one standard deviation of an unstratified sample
	                      around: C (1 +- 1 / sqrt(sampled lines within C)). */
};
/* Estimated LRU miss ratio at capacities in lines (fully associative). Pure. */
void ct_shards_curve(const struct ct_shards *s, const double *capacity, size_t n,
                     struct ct_shards_point *point);

/* Memory in use, in bytes. */
double ct_shards_lines(const struct ct_shards *s);     /* estimated distinct lines */
double ct_shards_rate(const struct ct_shards *s);      /* rate in force, mean over the salts */
uint64_t ct_shards_sampled(const struct ct_shards *s); /* lines in the samples */
size_t ct_shards_bytes(const struct ct_shards *s);

CT_DECLS_END

#endif

/* bounded.h - reuse distances of one stream of lines and their sectors in bounded memory.
 *
 * Up to max_lines lines everything is exact. When there are more, half of the lines leave, and only accesses of the
 * others are analysed: each stands for two at twice its distance, then for four, and so on (fixed-size SHARDS,
 * Waldspurger et al., FAST 2015, by halves). What the sample has too few or too many of counts at near distances
 * (SHARDS-adj). The sample never has fewer than half of max_lines lines, so a stream of few lines has no error. */
#ifndef CT_LOCALITY_BOUNDED_H
#define CT_LOCALITY_BOUNDED_H

#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "locality/hist.h"

CT_DECLS_BEGIN

struct ct_bounded;

/* Histograms of a stream: accesses of lines that read and that write, then of their sectors. */
enum { CT_BOUNDED_HISTS = 4 };

struct ct_bounded_options {
	uint32_t sectors;   /* per line, 1 to 4 */
	uint64_t max_lines; /* at least 1024; 0: no bound, all is exact */
	uint64_t seed;      /* of the sample */
};

/* NULL and *e on CT_ERR_USAGE or CT_ERR_NOMEM. Caller frees. One thread. */
struct ct_bounded *ct_bounded_new(const struct ct_bounded_options *o, struct ct_error *e);
void ct_bounded_free(struct ct_bounded *b); /* NULL allowed */

/* The next access: the masked sectors of the line. Lack of memory is reported by ct_bounded_collect(). */
void ct_bounded_access(struct ct_bounded *b, uint64_t line, uint32_t sectors, int is_write);
/* Adds what has been counted since the last call to the histograms; the stack stays. CT_OK, or CT_ERR_NOMEM: some
 * access could not be counted. */
int ct_bounded_collect(struct ct_bounded *b, struct ct_hist hist[CT_BOUNDED_HISTS], struct ct_error *e);
/* After the last collection: what a sample has counted too few or too many of, against the accesses of the stream,
 * comes to the sums of the collections or goes, at near distances: nearly always they are of a few very hot lines. Then
 * the sums are the numbers of accesses. */
void ct_bounded_settle(struct ct_bounded *b, struct ct_hist hist[CT_BOUNDED_HISTS]);
/* Forgets what has been counted since the last call of ct_bounded_collect(); the stack stays. */
void ct_bounded_forget(struct ct_bounded *b);

/* Half-width of the 95 % interval of the miss ratio at a capacity in lines, of all accesses of lines since the beginning or
 * the last ct_bounded_forget(): the spread between eight random parts of the sampled lines, and what an error of the
 * distance scale does to the curve there. What was counted before the sample was one has none. 0 where nothing was
 * sampled, NaN where nothing was counted. Not while accesses wait: call after ct_bounded_collect(). Pure. */
double ct_bounded_error(const struct ct_bounded *b, double lines);
/* Of the lines that are followed now: 1, 1/2, 1/4, ... Pure. */
double ct_bounded_rate(const struct ct_bounded *b);
/* Accesses that the stack has seen since the beginning. */
uint64_t ct_bounded_analysed(const struct ct_bounded *b);

CT_DECLS_END

#endif

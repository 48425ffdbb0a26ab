#include "models/common/miss_curve.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/numeric.h"

enum { MEMO = 4096 };

double ct_hit_share(const struct ct_cache_shape *c, uint64_t lo, uint64_t hi)
{
	if (lo == CT_COLD || lo >= hi || c->ways == 0 || !(c->lines > 0))
		return 0;
	if ((double)c->ways >= c->lines) {
		if ((double)hi <= c->lines)
			return 1;
		return (double)lo >= c->lines ? 0 : (c->lines - (double)lo) / ((double)hi - (double)lo);
	}
	return ct_binomial_hit(lo, hi, (double)c->ways / c->lines, c->ways);
}

double ct_curve_hits(const struct ct_hist *h, const struct ct_cache_shape *c)
{
	return ct_hist_hits_assoc(h, c->lines, c->ways);
}

/* Bins come back in many cells: their shares are remembered. */
struct memo {
	uint64_t lo[MEMO], hi[MEMO];
	double share[MEMO];
};

static double remembered_share(struct memo *m, const struct ct_cache_shape *c, uint64_t lo, uint64_t hi)
{
	size_t at = (size_t)((lo * CT_GOLDEN64 ^ hi * 0xc2b2ae3d27d4eb4fu) >> 52) % MEMO;
	if (lo == CT_COLD)
		return 0;
	if (!m)
		return ct_hit_share(c, lo, hi);
	if (m->hi[at] != hi || m->lo[at] != lo) {
		m->lo[at] = lo;
		m->hi[at] = hi;
		m->share[at] = ct_hit_share(c, lo, hi);
	}
	return m->share[at];
}

/* Shares are remembered from cell to cell, since neighbours have equal bounds. */
void ct_curve_replication(const struct ct_rj *nearest, const struct ct_rj *sharers,
                          const struct ct_cache_shape *c, struct ct_replication *r)
{
	/* hi is never 0 in a bin, so a zeroed memo remembers nothing. Without memory for it the shares
	 * are computed again. */
	struct memo *m = ct_calloc(1, sizeof *m);
	*r = (struct ct_replication){0, 0, 0};
	for (size_t i = 0; i < nearest->n; i++) {
		const struct ct_rj_cell *x = &nearest->cell[i];
		double misses = (double)x->count * (1 - remembered_share(m, c, x->own_lo, x->own_hi));
		r->fills += misses;
		r->replicated += misses * remembered_share(m, c, x->other_lo, x->other_hi);
	}
	r->copies = r->fills;
	for (size_t i = 0; i < sharers->n; i++) {
		const struct ct_rj_cell *x = &sharers->cell[i];
		r->copies += (double)x->count * (1 - remembered_share(m, c, x->own_lo, x->own_hi)) *
		             remembered_share(m, c, x->other_lo, x->other_hi);
	}
	free(m);
}

/* ---- curves that meet a measured cache ---- */

/* Curves closer than this, as a share of the misses, tell nothing. */
static const double APART = 0.02;

double ct_curve_fitted(double (*misses)(const void *ctx, double lines, unsigned ways), const void *ctx,
                       double lines, unsigned ways, const struct ct_curve_fit *fit)
{
	double size = lines * fit->stretch;
	double even = fit->scatter < 1 ? misses(ctx, size, 0) : 0;
	double random = fit->scatter > 0 ? misses(ctx, size, ways) : 0;
	return fit->scatter * random + (1 - fit->scatter) * even;
}

struct stretching {
	double (*misses)(const void *ctx, double lines, unsigned ways);
	const void *ctx;
	double lines, measured;
	unsigned ways;
	struct ct_curve_fit *fit;
};

static double misses_over(void *ctx, double x)
{
	const struct stretching *s = ctx;
	s->fit->stretch = x;
	return ct_curve_fitted(s->misses, s->ctx, s->lines, s->ways, s->fit) - s->measured;
}

/* Misses fall with the size: the stretch at which they are the measured ones, or the end
 * of the range on that side. */
static void find_stretch(double (*misses)(const void *ctx, double lines, unsigned ways), const void *ctx,
                         double lines, unsigned ways, double measured, struct ct_curve_fit *fit)
{
	const double lo = 1 / CT_STRETCH_MAX, hi = CT_STRETCH_MAX;
	struct stretching s = {misses, ctx, lines, measured, ways, fit};
	double x = misses_over(&s, hi) > 0 ? hi : lo;
	(void)ct_root_between(misses_over, &s, lo, hi, &x); /* fails at these two ends */
	/* A flat curve is met anywhere: then the size is what it is. */
	fit->stretch = fabs(misses_over(&s, x)) > APART * measured ? 1 : x;
}

void ct_curve_fit(double (*misses)(const void *ctx, double lines, unsigned ways), const void *ctx,
                  double lines, unsigned ways, double measured, struct ct_curve_fit *fit)
{
	double even = misses(ctx, lines, 0), random = misses(ctx, lines, ways);
	double low = fmin(even, random), high = fmax(even, random);
	*fit = (struct ct_curve_fit){1, 1};
	if (!(measured > 0) || !isfinite(even) || !isfinite(random))
		return;
	if (high - low > APART * high && measured >= low - APART * high &&
	    measured <= high + APART * high) {
		fit->scatter = fmin(fmax((measured - even) / (random - even), 0), 1);
		return;
	}
	fit->scatter = 0;
	if (fabs(even - measured) > APART * measured)
		find_stretch(misses, ctx, lines, ways, measured, fit);
}

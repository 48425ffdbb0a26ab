#include "models/verdict/bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/verdict/range.h"

/* So small a share of what is asked again counts as none: launches begin with a few words that all CTAs read. */
static const double no_reuse = 0.01;

/* First touches at the LLC, of lines or of sectors, over the misses of that kind; NaN where p lacks either. */
static double first_of(const struct ct_profile *p, const char *view, const char *missed)
{
	enum { LO = 2, READS = 4, WRITES = 5 };
	const char *const key[2] = {"all", view};
	const struct ct_record *r = ct_profile_find(p, "RD", 2, key);
	double misses, reads, writes;
	for (; r; r = ct_profile_same(r))
		if (r->nfields > WRITES && strcmp(r->field[LO], "inf") == 0 &&
		    ct_field_real(r->field[READS], &reads) && ct_field_real(r->field[WRITES], &writes) &&
		    ct_profile_get(p, "all", missed, &misses) && misses > 0)
			return fmin((reads + writes) / misses, 1);
	return NAN;
}

/* The same of lines. Merged profiles do not say it, but have both. */
static double first_lines(const struct ct_profile *p)
{
	double cold;
	return ct_profile_get(p, "all", "cold_miss_fraction", &cold)
	               ? cold
	               : first_of(p, "llc", "llc_line_misses");
}

double ct_bound_first_touches(const struct ct_profile *p)
{
	/* Lines come sector by sector: one that is there may lack what is touched for the first time. */
	double cold = first_of(p, "llc_sector", "llc_sector_misses");
	return isnan(cold) ? first_lines(p) : cold;
}

/* The share of the accesses of a view that find a line which was there before; NaN when p lacks the view. */
static double reused_share(const struct ct_profile *p, const char *view)
{
	struct ct_hist h = {.cold = 0};
	ct_profile_get_hist(p, "all", view, &h, &h);
	double all = (double)ct_hist_total(&h);
	return all > 0 ? 1 - (double)h.cold / all : NAN;
}

/* Whether only first touches miss where m works, so that no capacity and no other choice of lines helps. At the LLC these
 * are of lines, which is the stricter rule: by sectors small gemm and sgemm use nothing again, and a mechanism gains 1.06 and
 * 1.57 on them in replays (rtx3080). */
static int nothing_reused(const struct ct_profile *p, const struct ct_mechanism *m, char *reason,
                          size_t n)
{
	double cold = first_lines(p), share;
	if (!m->by_cache)
		return 0;
	if (m->bound == CT_BOUND_LLC) {
		if (!(cold >= 1 - no_reuse))
			return 0;
		snprintf(reason, n,
		         "no reuse: %.0f %% of LLC misses are first touches, which no capacity avoids",
		         100 * cold);
		return 1;
	}
	share = reused_share(p, m->views & CT_READS_MERGED ? "merged" : "l1");
	if (!(share < no_reuse))
		return 0;
	snprintf(reason, n, "no reuse: %.1f %% of the lines that %s asked for were there before",
	         100 * share, m->views & CT_READS_MERGED ? "all L1s are" : "an L1 is");
	return 1;
}

static const char *const ideal_level[] = {
	[CT_BOUND_NONE] = "an ideal",
	[CT_BOUND_L1] = "an L1 that never misses",
	[CT_BOUND_LLC] = "an LLC that never misses",
	[CT_BOUND_REGISTERS] = "register banks without conflicts"};

const char *ct_bound_system(const struct ct_mechanism *m)
{
	static const char *const level[] = {
		[CT_BOUND_NONE] = NULL,
		[CT_BOUND_L1] = "Ideal-L1",
		[CT_BOUND_LLC] = "Ideal-LLC",
		[CT_BOUND_REGISTERS] = "Ideal-registers"};
	return m->ideal ? m->ideal : level[m->bound];
}

double ct_bound_speedup(const struct ct_profile *p, const struct ct_mechanism *m, char *reason, size_t n)
{
	struct ct_estimate es;
	double low, high = INFINITY;
	if (n)
		*reason = '\0';
	const char *ideal = ct_bound_system(m);
	if (ideal && ct_range_estimate(p, m, ideal, &es)) {
		ct_verdict_range(p, &es, &low, &high);
		if (isnan(high))
			high = INFINITY;
		snprintf(reason, n, "even %s gains %+.1f %%", ideal_level[m->bound],
		         100 * (es.value - 1));
	}
	if (high > ct_verdict_benefits && nothing_reused(p, m, reason, n))
		high = ct_verdict_benefits;
	return high;
}

double ct_bound_over(const struct ct_profile *p, const struct ct_mechanism *m, const char *system,
                     const struct ct_estimate *es, char *reason, size_t n)
{
	struct ct_estimate ideal;
	double low, high;
	const char *name = ct_bound_system(m);
	if (!name || ct_range_estimate(p, m, name, &ideal) < CT_DECIDED_QUICK)
		return INFINITY;
	ct_range_ratio(p, &ideal, es, &low, &high);
	if (high <= ct_verdict_benefits)
		snprintf(reason, n, "even %s gains %+.1f %%, and %s %+.1f %%", ideal_level[m->bound],
		         100 * (ideal.value - 1), system, 100 * (es->value - 1));
	return high;
}

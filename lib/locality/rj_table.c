#include "locality/rj_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { EXACT = 1 << CT_RJ_EXACT_BITS, PER_OCTAVE = EXACT, COLD = CT_RJ_COLD, BINS = CT_RJ_BINS };

uint64_t ct_rj_lo(unsigned bin)
{
	if (bin < EXACT)
		return bin;
	return (uint64_t)(16 + (bin - EXACT) % PER_OCTAVE) << (bin - EXACT) / PER_OCTAVE;
}

/* First bin of the octave that bin is in (bins 0 and 1 stand alone). */
static unsigned octave_start(unsigned bin)
{
	unsigned start = 1;
	if (bin >= EXACT)
		return bin - (bin - EXACT) % PER_OCTAVE;
	while (start * 2 <= bin)
		start *= 2;
	return bin ? start : 0;
}

static unsigned octave_end(unsigned start)
{
	if (start >= EXACT)
		return start + PER_OCTAVE;
	return start ? start * 2 : 1;
}

struct ct_rj_table *ct_rj_table_new(void)
{
	return ct_calloc(1, sizeof(struct ct_rj_table));
}

void ct_rj_table_free(struct ct_rj_table *t)
{
	free(t);
}

static int move_cell(struct ct_rj *j, unsigned own, unsigned lo, unsigned hi, uint64_t count,
                     struct ct_error *e)
{
	struct ct_rj_cell c = {CT_COLD, CT_COLD, CT_COLD, CT_COLD, count};
	if (own < COLD) {
		c.own_lo = ct_rj_lo(own);
		c.own_hi = ct_rj_lo(own + 1);
	}
	if (lo < COLD) {
		c.other_lo = ct_rj_lo(lo);
		c.other_hi = ct_rj_lo(hi);
	}
	return count ? ct_rj_add(j, &c, e) : 0;
}

/* Adds row `own` to *j: the counts of row `from`, times `factor`. */
static int move_row(const struct ct_rj_table *t, unsigned own, unsigned from, double factor,
                    struct ct_rj *j, struct ct_error *e)
{
	unsigned b = 0;
	uint64_t sum = 0, before = 0;
	while (b < BINS) {
		/* Fine up to the own bin, and to the end of the octave that it is in. */
		unsigned end = b + 1;
		if (b > own && b < COLD && octave_start(b) == b)
			end = octave_end(b);
		for (unsigned k = b; k < end; k++)
			sum += t->count[from][k];
		uint64_t scaled = factor == 1 ? sum : (uint64_t)((double)sum * factor + 0.5);
		int rc = move_cell(j, own, b, end, scaled - before, e);
		if (rc < 0)
			return rc;
		before = scaled;
		b = end;
	}
	return 0;
}

int ct_rj_table_move(struct ct_rj_table *t, struct ct_rj *j, const struct ct_rj_fit *fit,
                     struct ct_error *e)
{
	struct ct_rj fresh = {0};
	int rc = 0;
	for (unsigned own = 0; own < BINS && rc == 0; own++) {
		unsigned from = fit ? fit->from[own] : own;
		double factor = fit ? fit->factor[own] : 1;
		if (t->used[from] && factor > 0)
			rc = move_row(t, own, from, factor, &fresh, e);
	}
	for (unsigned own = 0; own < BINS; own++) {
		if (t->used[own])
			memset(t->count[own], 0, sizeof t->count[own]);
		t->used[own] = 0;
	}
	if (rc == 0)
		rc = ct_rj_merge(j, &fresh, e);
	ct_rj_free(&fresh);
	return rc;
}

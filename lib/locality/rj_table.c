#include "locality/rj_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { EXACT = 1 << CT_RJ_EXACT_BITS, PER_OCTAVE = EXACT, COLD = CT_RJ_COLD, BINS = CT_RJ_BINS };

static uint64_t lower_bound(unsigned bin)
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
		c.own_lo = lower_bound(own);
		c.own_hi = lower_bound(own + 1);
	}
	if (lo < COLD) {
		c.other_lo = lower_bound(lo);
		c.other_hi = lower_bound(hi);
	}
	return count ? ct_rj_add(j, &c, e) : 0;
}

static int move_row(struct ct_rj_table *t, unsigned own, struct ct_rj *j, struct ct_error *e)
{
	unsigned b = 0;
	while (b < BINS) {
		/* Fine up to the own bin, and to the end of the octave that it is in. */
		unsigned end = b + 1;
		if (b > own && b < COLD && octave_start(b) == b)
			end = octave_end(b);
		uint64_t sum = 0;
		for (unsigned k = b; k < end; k++)
			sum += t->count[own][k];
		int rc = move_cell(j, own, b, end, sum, e);
		if (rc < 0)
			return rc;
		b = end;
	}
	return 0;
}

int ct_rj_table_move(struct ct_rj_table *t, struct ct_rj *j, struct ct_error *e)
{
	struct ct_rj fresh = {0};
	int rc = 0;
	for (unsigned own = 0; own < BINS && rc == 0; own++) {
		if (!t->used[own])
			continue;
		rc = move_row(t, own, &fresh, e);
		memset(t->count[own], 0, sizeof t->count[own]);
		t->used[own] = 0;
	}
	if (rc == 0)
		rc = ct_rj_merge(j, &fresh, e);
	ct_rj_free(&fresh);
	return rc;
}

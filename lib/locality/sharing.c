#include "locality/sharing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/numeric.h"

enum { COLD = CT_RJ_COLD, BINS = CT_RJ_BINS };

/* Reads of the launch are asked about one by one, to begin with. */
static void begin_launch(struct ct_sharing *x)
{
	memset(x->reads, 0, sizeof x->reads);
	x->halvings = 0;
	x->place = x->until = 0;
	x->left = x->most;
}

struct ct_sharing *ct_sharing_new(uint64_t most, uint64_t seed)
{
	struct ct_sharing *x = ct_calloc(1, sizeof *x);
	if (!x)
		return NULL;
	x->most = most;
	x->seed = ct_mix64(seed);
	begin_launch(x);
	return x;
}

void ct_sharing_free(struct ct_sharing *x)
{
	free(x);
}

static uint64_t row_sum(const struct ct_rj_table *t, unsigned own)
{
	uint64_t sum = 0;
	for (unsigned b = 0; b < BINS && t->used[own]; b++)
		sum += t->count[own][b];
	return sum;
}

void ct_sharing_next_block(struct ct_sharing *x)
{
	/* reads of the block behind the one that was asked about */
	const uint64_t rest = (UINT64_C(1) << x->halvings) - 1 - x->place;
	if (--x->left == 0) {
		for (unsigned own = 0; own < BINS && !x->halvings; own++)
			x->reads[own] = row_sum(&x->nearest, own);
		x->left = x->most;
		x->halvings++;
	}
	x->place = ct_mix64(x->sampled + x->seed) & ((UINT64_C(1) << x->halvings) - 1);
	x->until = rest + x->place;
}

/* Fits each row to the reads at its own distance. A row with reads of which none was asked about is like the next one
 * below it that has some, else like the next one above: the launch's first reads were all asked about. */
static void fit_rows(const struct ct_sharing *x, struct ct_rj_fit *fit)
{
	uint64_t asked[BINS];
	unsigned last = 0;
	for (unsigned own = BINS; own-- > 0;) {
		asked[own] = row_sum(&x->nearest, own);
		last = asked[own] ? own : last;
	}
	for (unsigned own = 0; own < BINS; own++) {
		last = asked[own] ? own : last;
		fit->from[own] = (uint16_t)last;
		fit->factor[own] = (double)x->reads[own] / (double)asked[last];
	}
}

/* Adds the reads since the last call to those of the run. */
static void add_reads(struct ct_sharing *x)
{
	for (unsigned own = 1; own < BINS; own++) {
		const uint64_t n = x->halvings ? x->reads[own] : row_sum(&x->nearest, own);
		x->all[ct_sharing_octave(own == COLD ? UINT64_MAX : ct_rj_lo(own))] += n;
	}
}

int ct_sharing_move(struct ct_sharing *x, struct ct_rj *nearest, struct ct_rj *sharers,
                    struct ct_error *e)
{
	struct ct_rj_fit rows, *fit = x->halvings ? &rows : NULL;
	if (fit)
		fit_rows(x, fit);
	add_reads(x);
	int rc = ct_rj_table_move(&x->nearest, nearest, fit, e);
	if (rc == 0)
		rc = ct_rj_table_move(&x->sharers, sharers, fit, e);
	begin_launch(x);
	return rc;
}

double ct_sharing_rate(const struct ct_sharing *x)
{
	return x->seen ? (double)x->sampled / (double)x->seen : 1;
}

/* Of the reads of an octave that were asked about: those of each part whose lines are in other L1s of 2^at lines; returns
 * all of them. */
static double shared_reads(const struct ct_sharing *x, unsigned octave, unsigned at, double *of_part)
{
	double sum = 0;
	for (unsigned p = 0; p < CT_SHARING_PARTS; p++) {
		of_part[p] = 0;
		for (unsigned i = 0; i <= at; i++)
			of_part[p] += (double)x->shared[p][octave][i];
		sum += of_part[p];
	}
	return sum;
}

double ct_sharing_error(const struct ct_sharing *x, double lines)
{
	const unsigned at = lines >= 1 ? (unsigned)fmin(log2(lines), CT_SHARING_OCTAVES - 1) : 0;
	double off[CT_SHARING_PARTS] = {0}, misses = 0;
	for (unsigned octave = at; octave < CT_SHARING_OCTAVES; octave++) {
		double shared[CT_SHARING_PARTS], asked = 0, all = (double)x->all[octave];
		const double of = shared_reads(x, octave, at, shared);
		misses += all;
		for (unsigned p = 0; p < CT_SHARING_PARTS; p++)
			asked += (double)x->asked[p][octave];
		for (unsigned p = 0; p < CT_SHARING_PARTS && asked > 0; p++)
			off[p] += all / asked * (shared[p] - of / asked * (double)x->asked[p][octave]);
	}
	if (!(misses > 0))
		return NAN;
	/* The reads of the sample are known: what may be otherwise are the rest. */
	return ct_student_factor95(CT_SHARING_PARTS - 1) * CT_SHARING_PARTS *
	       ct_mean_error(off, CT_SHARING_PARTS) * sqrt(1 - ct_sharing_rate(x)) / misses;
}

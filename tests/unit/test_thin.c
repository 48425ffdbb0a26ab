/* The curve of one set against binomials that GSL computes one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>

#include "base/hash.h"
#include "models/common/thin.h"

enum { BLOCKS = 300 };

/* Misses at a capacity of `blocks`: cold ones, and those whose thinned distance is as large. */
static double slow_miss(const struct ct_hist *h, double share, unsigned blocks)
{
	double hits = 0, total = (double)ct_hist_total(h);
	for (unsigned i = 0; i < CT_HIST_BINS && blocks > 0; i++) {
		double middle = floor(((double)ct_hist_lo(i) + (double)ct_hist_hi(i) - 1) / 2);
		if (h->count[i] && share < 1)
			hits += (double)h->count[i] *
			        gsl_cdf_binomial_P(blocks - 1, share, (unsigned)middle);
		else if (h->count[i])
			hits += middle < blocks ? (double)h->count[i] : 0;
	}
	return fmax(1 - hits / total, 0);
}

/* Histograms whose thinned means lie below, within and far above the blocks. */
static void curve_is_a_sum_of_binomials(void **state)
{
	static double miss[BLOCKS + 1];
	uint64_t seed = 23;
	(void)state;
	for (int i = 0; i < 200; i++) {
		struct ct_hist h = {.cold = ct_rand64(&seed) % 50};
		double share = 1 / (1 + (double)(ct_rand64(&seed) % 4000) / (i % 2 ? 10 : 1));
		for (int k = 0; k < 12; k++) {
			double most = fmin(BLOCKS / share * 1.5, 4e9);
			uint64_t d = (uint64_t)(most * (double)(ct_rand64(&seed) >> 11) * 0x1p-53);
			ct_hist_add(&h, d, 1 + ct_rand64(&seed) % 1000);
		}
		ct_thin_curve(&h, share, BLOCKS, miss);
		for (unsigned b = 0; b <= BLOCKS; b += 1 + (unsigned)(ct_rand64(&seed) % 7))
			if (!(fabs(miss[b] - slow_miss(&h, share, b)) < 1e-9))
				fail_msg("share %g, %u blocks: %.12g, not %.12g", share, b, miss[b],
				         slow_miss(&h, share, b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(curve_is_a_sum_of_binomials)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

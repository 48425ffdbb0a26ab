/* Bloom formulas against printed values and against the filters bit by bit. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "models/common/bloom.h"
#include "models/morpheus/extset.h"
#include "models/morpheus/filter.h"

enum { BLOCKS = 1024, CURVE = 1024, KEYS = 512 };

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %g, wanted %g within %g", got, want, tolerance);
}

static void printed_table_of_one_filter(void **state)
{
	(void)state;
	static const unsigned n[7] = {32, 48, 64, 100, 128, 200, 0};
	static const unsigned k[5] = {1, 2, 3, 4, 6};
	static const double want[6][5] = {
		/* doc/models.md section 7, m = 256 */
		{.1177, .0492, .0309, .0243, .0221}, {.1713, .0983, .0803, .0784, .0967},
		{.2216, .1555, .1480, .1613, .2231}, {.3239, .2950, .3307, .3930, .5500},
		{.3941, .4009, .4709, .5617, .7393}, {.5429, .6261, .7406, .8372, .9470},
	};
	double f[201];
	for (unsigned j = 0; j < 5; j++) {
		assert_int_equal(ct_bloom_exact(256, k[j], 200, f), 0);
		for (unsigned i = 0; i < 6; i++)
			near(f[n[i]], want[i][j], 5e-5);
	}
	ct_bloom_exact(256, 4, 48, f);
	/* What the notes print as classic is its limit (1 - e^(-kn/m))^k. */
	near(pow(1 - exp(-4 * 48 / 256.0), 4), 0.0775, 5e-5);
	near(ct_bloom_classic(256, 4, 48), 0.0775, 5e-4);
	assert_true(ct_bloom_classic(256, 4, 48) < f[48]);
	ct_bloom_exact(16, 3, 4, f);
	near(f[4], 0.165, 5e-4);
	near(pow(1 - exp(-3 * 4 / 16.0), 3), 0.147, 5e-4);
	assert_int_equal(ct_bloom_exact(0, 3, 4, f), -1);
	assert_int_equal(ct_bloom_exact(64, 0, 4, f), -1);
}

/* Sum over outcomes of k n throws, for filters small enough to count. */
static double by_enumeration(unsigned m, unsigned k, unsigned n)
{
	unsigned throws = k * n;
	uint64_t all = 1;
	for (unsigned i = 0; i < throws; i++)
		all *= m;
	double sum = 0;
	for (uint64_t code = 0; code < all; code++) {
		unsigned bits = 0;
		uint64_t c = code;
		for (unsigned i = 0; i < throws; i++, c /= m)
			bits |= 1u << c % m;
		double share = 0;
		for (unsigned b = bits; b; b &= b - 1)
			share += 1.0 / m;
		sum += pow(share, k);
	}
	return sum / (double)all;
}

static void exact_means_exact(void **state)
{
	(void)state;
	static const unsigned c[5][3] = {{4, 2, 3}, {5, 1, 4}, {3, 3, 2}, {2, 2, 2}, {8, 2, 2}};
	for (size_t i = 0; i < 5; i++) {
		double f[8];
		ct_bloom_exact(c[i][0], c[i][1], c[i][2], f);
		near(f[c[i][2]], by_enumeration(c[i][0], c[i][1], c[i][2]), 1e-12);
		assert_true(ct_bloom_classic(c[i][0], c[i][1], c[i][2]) <= f[c[i][2]] + 1e-12);
	}
	near(ct_bloom_partitioned(256, 4, 1), pow(1.0 / 64, 4), 1e-15);
}

static void ceilings(void **state)
{
	(void)state;
	static const unsigned k[5] = {1, 2, 3, 4, 6};
	static const double want[5] = {253.7, 192.0, 156.4, 133.3, 104.5};
	/* k = 1 by hand: a coupon collector's sum of (1 - 1/m)^n is m; the notes stop
	 * their sum at a finite n. */
	near(ct_bloom_ceiling(256, 1), 256, 1e-6);
	for (size_t i = 1; i < 5; i++)
		near(ct_bloom_ceiling(256, k[i]), want[i], 0.05);
	/* and what it stands for, key by key */
	static double f[CURVE * 6];
	for (unsigned bits = 1; bits <= 96; bits += 19)
		for (unsigned hashes = 1; hashes <= 8; hashes++) {
			double sum = 1;
			assert_int_equal(ct_bloom_exact(bits, hashes, CURVE * 6 - 1, f), 0);
			for (size_t n = 1; n < CURVE * 6; n++)
				sum += 1 - f[n];
			near(ct_bloom_ceiling(bits, hashes), sum, 1e-9);
		}
}

/* ---- streams of doc/models.md section 7 and a bit-exact set with its filters ---- */

struct stream {
	enum { NO_REUSE, UNIFORM, ZIPF } kind;
	unsigned blocks;
	double theta;
	uint64_t rng, next;
	double cdf[BLOCKS];
};

static void stream_init(struct stream *s, int kind, unsigned blocks, double theta, uint64_t seed)
{
	memset(s, 0, sizeof *s);
	s->kind = kind;
	s->blocks = blocks;
	s->rng = seed;
	double sum = 0;
	for (unsigned i = 0; i < blocks; i++)
		s->cdf[i] = sum += pow(i + 1.0, -theta);
	for (unsigned i = 0; i < blocks; i++)
		s->cdf[i] /= sum;
}

static uint64_t stream_next(struct stream *s)
{
	if (s->kind == NO_REUSE)
		return s->next++;
	double u = (double)(ct_rand64(&s->rng) >> 11) * 0x1p-53;
	if (s->kind == UNIFORM)
		return (uint64_t)(u * s->blocks);
	unsigned lo = 0, hi = s->blocks - 1;
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		if (s->cdf[mid] > u)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* LRU miss ratio at every capacity by the textbook list, over n accesses. */
static void measure_curve(struct stream *s, unsigned n, double *miss)
{
	uint64_t *list = calloc(CURVE, sizeof *list);
	double hits[CURVE + 1] = {0};
	unsigned len = 0;
	assert_non_null(list);
	for (unsigned t = 0; t < n; t++) {
		uint64_t b = stream_next(s);
		unsigned i = 0;
		while (i < len && list[i] != b)
			i++;
		if (i < len && t > n / 10)
			hits[i]++;
		if (i == len)
			i = len < CURVE ? len++ : CURVE - 1;
		memmove(list + 1, list, i * sizeof *list);
		list[0] = b;
	}
	double total = n - n / 10 - 1, sum = 0;
	for (unsigned j = 0; j <= CURVE; j++) {
		miss[j] = 1 - sum / total;
		sum += j < CURVE ? hits[j] : 0;
	}
	free(list);
}

struct outcome {
	double miss, false_pos, stale, keys;
	uint64_t negatives, swaps;
};

/* Set of `a` blocks under exact LRU with its two filters, and every block since the
 * last two swaps remembered to tell stale from alias. */
static struct outcome simulate(struct stream *s, unsigned a, unsigned m, unsigned k, unsigned n)
{
	struct ct_error e;
	struct ct_mo_set_params sp = {.registers = a, .blocks_max = a};
	struct ct_mo_filter_params fp = {.bits = m, .hashes = k};
	struct ct_mo_set *set = ct_mo_set_new(&sp, &e);
	struct ct_mo_filters *f = ct_mo_filters_new(&fp, 1, &e);
	unsigned *in1 = calloc(1u << 20, sizeof *in1), epoch = 2; /* last epoch of each block */
	struct outcome o = {0};
	double keys[2] = {0, 0};
	assert_non_null(set);
	assert_non_null(f);
	assert_non_null(in1);
	for (unsigned t = 0; t < n; t++) {
		uint64_t b = stream_next(s), swaps = ct_mo_filters_swaps(f);
		int said = ct_mo_filter_predict(f, 0, b);
		int stale = in1[b & 0xfffff] + 1 >= epoch; /* still among BF1's keys */
		int hit = ct_mo_set_access(set, b, 0, CT_MO_LEVEL_NONE, NULL);
		if (t > n / 10) {
			o.miss += !hit;
			o.false_pos += !hit && said;
			o.stale += !hit && said && stale;
			o.keys += keys[0];
			o.negatives += hit && !said;
		} else {
			assert_true(!hit || said);
		}
		keys[0] += in1[b & 0xfffff] + 1 < epoch;
		keys[1] += in1[b & 0xfffff] != epoch;
		in1[b & 0xfffff] = epoch;
		ct_mo_filter_update(f, 0, b, a);
		if (ct_mo_filters_swaps(f) != swaps) {
			epoch++;
			keys[0] = keys[1];
			keys[1] = 0;
		}
	}
	o.swaps = ct_mo_filters_swaps(f);
	double counted = n - n / 10 - 1;
	o.stale /= o.miss > 0 ? o.miss : 1;
	o.false_pos /= o.miss > 0 ? o.miss : 1;
	o.miss /= counted;
	o.keys /= counted;
	free(in1);
	ct_mo_filters_free(f);
	ct_mo_set_free(set);
	return o;
}

struct row {
	unsigned a, m, k;
	int kind;
	unsigned blocks;
	double sim, sim_stale, sim_keys; /* doc/models.md section 7 */
};

static struct ct_dual_bloom formula(const struct row *r, const double *miss)
{
	double *f = calloc(KEYS, sizeof *f);
	struct ct_dual_bloom d;
	assert_non_null(f);
	assert_int_equal(ct_bloom_exact(r->m, r->k, KEYS - 1, f), 0);
	assert_int_equal(ct_dual_bloom_eval(miss, CURVE, f, KEYS, r->m, r->k, r->a,
	                                    ct_bloom_ceiling(r->m, r->k), &d),
	                 0);
	free(f);
	return d;
}

static void formula_matches_the_bits(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{32, 256, 4, NO_REUSE, 0, .081, 0, 47.8},
		{32, 256, 4, UNIFORM, 200, .148, .080, 45.7},
		{32, 256, 4, ZIPF, 400, .152, .090, 44.7},
		{32, 256, 2, ZIPF, 400, .178, .095, 45.3},
		{50, 256, 3, ZIPF, 600, .255, .097, 71.2},
		{128, 256, 1, ZIPF, 1000, .693, .239, 236.9},
		{128, 1024, 4, ZIPF, 1000, .170, .115, 176.3},
	};
	static double miss[CURVE + 1];
	struct stream *s = calloc(1, sizeof *s);
	assert_non_null(s);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *r = &rows[i];
		stream_init(s, r->kind, r->blocks, 0.8, 1);
		if (r->kind == NO_REUSE)
			for (unsigned j = 0; j <= CURVE; j++)
				miss[j] = 1;
		else
			measure_curve(s, 60000, miss);
		struct ct_dual_bloom d = formula(r, miss);
		stream_init(s, r->kind, r->blocks, 0.8, 2);
		struct outcome o = simulate(s, r->a, r->m, r->k, 150000);
		print_message("a %u m %u k %u: P(hit|miss) bits %.4f formula %.4f notes %.3f; "
		              "stale %.4f %.4f %.3f; keys %.1f %.1f %.1f\n",
		              r->a, r->m, r->k, o.false_pos, d.given_miss, r->sim, o.stale, d.stale,
		              r->sim_stale, o.keys, d.mean_keys, r->sim_keys);
		assert_int_equal(o.negatives, 0);
		assert_true(o.swaps > 0);
		near(o.miss, d.miss_rate, 0.01);
		near(d.given_miss, o.false_pos, 0.05 * o.false_pos);
		near(d.stale, o.stale, 0.05 * o.stale + 0.001);
		near(d.mean_keys, o.keys, 0.05 * o.keys);
		near(o.false_pos, r->sim, 0.05 * r->sim); /* the notes' own simulation */
		assert_false(d.dead);
	}
	free(s);
}

static void predictor_that_dies(void **state)
{
	(void)state;
	static double miss[CURVE + 1];
	struct stream *s = calloc(1, sizeof *s);
	assert_non_null(s);
	const struct row near_end = {128, 256, 4, ZIPF, 1000, 0, 0, 0};
	const struct row dead = {200, 256, 2, ZIPF, 1000, 0, 0, 0};
	stream_init(s, ZIPF, 1000, 0.8, 1);
	measure_curve(s, 60000, miss);
	struct ct_dual_bloom d = formula(&near_end, miss);
	assert_true(d.doubtful);
	assert_false(d.dead);
	d = formula(&dead, miss);
	assert_true(d.dead);
	near(d.given_miss, 1, 0);
	assert_true(isinf(d.cycle));
	for (unsigned k = 2; k <= 6; k++) /* a set of 200 blocks: dead for every k >= 2 */
		assert_true(200 > ct_bloom_ceiling(256, k));
	stream_init(s, ZIPF, 1000, 0.8, 2);
	struct outcome o = simulate(s, 200, 256, 2, 20000);
	assert_int_equal(o.swaps, 0);
	assert_int_equal(o.negatives, 0);
	near(o.false_pos, 1, 0.001);
	free(s);
}

static void streams_that_fit_never_mislead(void **state)
{
	(void)state;
	double f[101], miss[64];
	ct_bloom_exact(256, 3, 100, f);
	for (unsigned j = 0; j < 64; j++)
		miss[j] = j < 20 ? 1 : 0; /* a loop over 20 blocks */
	struct ct_dual_bloom d;
	assert_int_equal(ct_dual_bloom_eval(miss, 64, f, 101, 256, 3, 50, 156, &d), 0);
	assert_true(d.miss_rate == 0 && d.false_positives == 0 && d.given_miss == 0);
	/* A loop over 51 of 50 blocks misses always; BF2 cannot count to 50 before it
	 * has seen all 51, so BF1 is never cleared. */
	for (unsigned j = 0; j < 64; j++)
		miss[j] = j < 51 ? 1 : 0;
	assert_int_equal(ct_dual_bloom_eval(miss, 64, f, 101, 256, 3, 50, 156, &d), 0);
	near(d.given_miss, 1, 0);
	assert_int_equal(ct_dual_bloom_eval(miss, 64, f, 101, 256, 3, 0, 156, &d), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed_table_of_one_filter),
		cmocka_unit_test(exact_means_exact),
		cmocka_unit_test(ceilings),
		cmocka_unit_test(formula_matches_the_bits),
		cmocka_unit_test(predictor_that_dies),
		cmocka_unit_test(streams_that_fit_never_mislead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

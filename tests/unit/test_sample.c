/* Samples of launches and CTAs: what is chosen is within the launch and adds up, and intervals cover what they should. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "pass/private/thin.h"
#include "tests/support/microtrace.h"

static struct ct_kernel launch_of(uint32_t id, char *name, uint32_t ctas)
{
	return (struct ct_kernel){
		.id = id, .name = name, .grid = {ctas, 1, 1}, .block = {256, 1, 1}, .regs = 32};
}

static void a_sample_of_everything_is_the_whole(void **state)
{
	struct ct_gpu g;
	struct ct_error e;
	char name[] = "k";
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	struct ct_thin *t = ct_thin_new(&g, 1, 1);
	assert_non_null(t);
	for (uint32_t i = 1; i < 200; i++) {
		struct ct_kernel k = launch_of(i, name, i * 1000);
		struct ct_thin_launch l;
		assert_int_equal(ct_thin_choose(t, &k, 0, &l, &e), CT_OK);
		assert_int_equal(l.kind, CT_THIN_WHOLE);
		assert_int_equal(ct_thin_replayed_ctas(&l), i * 1000);
	}
	ct_thin_free(t);
}

/* Walks over the pieces of a launch, which lie in it one behind the other. */
static uint64_t walk_pieces(const struct ct_thin_launch *l)
{
	struct ct_thin_piece p;
	uint64_t at = 0, pushed = 0, n = 0;
	for (; ct_thin_piece(l, n, &p); n++) {
		at += p.skip + p.push;
		pushed += p.push;
		assert_true(p.skip < l->ctas && at <= l->ctas);
	}
	assert_int_equal(n, 1 + 3 * l->segments);
	return pushed;
}

static void pieces_lie_in_their_launch(void **state)
{
	struct ct_gpu g;
	struct ct_error e;
	char name[] = "k";
	uint64_t seed = 7;
	unsigned parts = 0;
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	for (int i = 0; i < 3000; i++) {
		const double share = pow(10, -3.0 * (double)(ct_rand64(&seed) % 1000) / 1000);
		struct ct_kernel k = launch_of(1 + (uint32_t)i, name, 1 + ct_rand64(&seed) % 2000000);
		struct ct_thin_launch l, again;
		struct ct_thin *t = ct_thin_new(&g, share, seed), *u = ct_thin_new(&g, share, seed);
		assert_int_equal(ct_thin_choose(t, &k, 0, &l, &e), CT_OK);
		assert_int_equal(ct_thin_choose(u, &k, 0, &again, &e), CT_OK);
		assert_int_equal(l.kind, again.kind);
		assert_int_equal(l.randomness, again.randomness);
		if (l.kind == CT_THIN_PART) {
			parts++;
			assert_true(l.segments >= 3);
			assert_int_equal(walk_pieces(&l), ct_thin_replayed_ctas(&l));
			assert_true((double)ct_thin_replayed_ctas(&l) <= 0.75 * (double)l.ctas);
			assert_true((double)ct_thin_replayed_ctas(&l) <=
			            fmax(share * (double)l.ctas, 9.5 * (double)l.wave));
		} else {
			assert_int_equal(l.kind, CT_THIN_WHOLE);
		}
		ct_thin_free(t);
		ct_thin_free(u);
	}
	assert_true(parts > 500);
}

/* Of launches alike the first are replayed, of the others a share; each that stands for them has the one before it in its
 * group replayed, with all between. */
static void leaves_out_launches_that_repeat(void **state)
{
	enum { LAUNCHES = 6000 };
	static struct ct_thin_launch l[LAUNCHES];
	struct ct_gpu g;
	struct ct_error e;
	char name[3][2] = {"a", "b", "c"};
	unsigned replayed = 0, stand = 0;
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	struct ct_thin *t = ct_thin_new(&g, 0.05, 3);
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		struct ct_kernel k = launch_of(i + 1, name[i % 3], 20);
		assert_int_equal(ct_thin_choose(t, &k, 1000, &l[i], &e), CT_OK);
	}
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		replayed += l[i].kind != CT_THIN_OUT;
		if (i < 9)
			assert_int_equal(l[i].kind, CT_THIN_WHOLE);
		assert_true(l[i].kind != CT_THIN_OUT || !l[i].stands);
		if (i < 9 || !l[i].stands)
			continue;
		stand++;
		for (uint32_t k = i - 3; k < i; k++)
			assert_int_equal(l[k].kind, CT_THIN_WHOLE);
	}
	assert_in_range(stand, LAUNCHES / 40 - 6, LAUNCHES / 40 + 6);
	assert_in_range(replayed, LAUNCHES / 25, LAUNCHES / 10);
	ct_thin_free(t);
}

static void add_unit(struct ct_sample_series *s, size_t stratum, double cycles)
{
	struct ct_sample_unit u = {.stratum = stratum, .rate = {[CT_SAMPLE_CYCLES] = cycles}};
	struct ct_error e;
	assert_int_equal(ct_sample_add_unit(s, &u, &e), CT_OK);
}

static size_t add_stratum(struct ct_sample_series *s, double rest, double measured)
{
	struct ct_sample_stratum x = {.rest = rest, .measured = measured, .kernel = 5};
	struct ct_error e;
	size_t index;
	assert_int_equal(ct_sample_add_stratum(s, &x, &index, &e), CT_OK);
	return index;
}

static const double cycles_only[CT_SAMPLE_RATES] = {[CT_SAMPLE_CYCLES] = 1};

/* Worked by hand: units 1, 2, 3 of a stratum of 100 instructions, 10 of them measured: t(2) = 2.920 for 90 %, the
 * standard error of the mean 1 / sqrt 3, the correction 0.9. */
static void the_half_width_is_students(void **state)
{
	struct ct_sample_series s = {0};
	const struct ct_sample_scope all = {0}, other = {.kernel = 6};
	(void)state;
	assert_true(ct_sample_half(&s, cycles_only, all) == 0);
	size_t x = add_stratum(&s, 100, 10);
	for (int i = 1; i <= 3; i++)
		add_unit(&s, x, i);
	assert_true(fabs(ct_sample_half(&s, cycles_only, all) - 2.919986 * 100 * sqrt(0.9 / 3)) < 1e-3);
	assert_true(ct_sample_half(&s, cycles_only, other) == 0);
	s.cycles = 200;
	assert_true(ct_sample_ratio_half(&s, &s) == 0);
	x = add_stratum(&s, 100, 10); /* a single unit tells nothing */
	add_unit(&s, x, 1);
	assert_true(isinf(ct_sample_half(&s, cycles_only, all)));
	ct_sample_free(&s);
}

/* Sum of twelve uniform numbers less six: near enough to normal. */
static double normal(uint64_t *seed)
{
	double v = -6;
	for (int i = 0; i < 12; i++)
		v += (double)(ct_rand64(seed) >> 11) * 0x1p-53;
	return v;
}

/* Launches of waves whose cycles differ at random, some of which grow on: of 1000 samples nine in ten intervals hold the
 * sum of all. */
static void intervals_cover(void **state)
{
	enum { TRIALS = 1000, STRATA = 5, WAVES = 60 };
	unsigned covered = 0, covered_ratio = 0;
	uint64_t seed = 11;
	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct ct_sample_series a = {0}, b = {0};
		const struct ct_sample_scope all = {0};
		double sum = 0, told = 0, sum_b = 0, told_b = 0;
		for (int k = 0; k < STRATA; k++) {
			const unsigned units = 3 + (unsigned)k;
			double wave[WAVES], faster[WAVES], mean = 0, mean_b = 0;
			for (int i = 0; i < WAVES; i++) {
				wave[i] = 10 + k + normal(&seed) + (k == 2 ? i * 0.02 : 0);
				faster[i] = wave[i] * 0.9 + 0.1 * normal(&seed);
				sum += wave[i];
				sum_b += faster[i];
			}
			size_t x = add_stratum(&a, WAVES, units), y = add_stratum(&b, WAVES, units);
			for (unsigned i = 0; i < units; i++) {
				unsigned zone = WAVES / units, at = i * zone + ct_rand64(&seed) % zone;
				add_unit(&a, x, wave[at]);
				add_unit(&b, y, faster[at]);
				mean += wave[at] / units;
				mean_b += faster[at] / units;
			}
			told += WAVES * mean;
			told_b += WAVES * mean_b;
		}
		a.cycles = told;
		b.cycles = told_b;
		covered += fabs(told - sum) <= ct_sample_half(&a, cycles_only, all);
		double half = ct_sample_ratio_half(&a, &b);
		covered_ratio += fabs(log(told / told_b) - log(sum / sum_b)) <= half;
		assert_true(half < 0.5 * ct_sample_half(&a, cycles_only, all) / told); /* paired */
		ct_sample_free(&a);
		ct_sample_free(&b);
	}
	assert_in_range(covered, TRIALS * 85 / 100, TRIALS * 97 / 100);
	assert_in_range(covered_ratio, TRIALS * 85 / 100, TRIALS * 97 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_of_everything_is_the_whole),
		cmocka_unit_test(pieces_lie_in_their_launch),
		cmocka_unit_test(leaves_out_launches_that_repeat),
		cmocka_unit_test(the_half_width_is_students),
		cmocka_unit_test(intervals_cover),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What cuRAND's host interface says to wrong calls, what its generators keep, and their recurrences beside published values and beside
 * themselves. What they give on a device, tests/cuda/rand.cu holds to twins. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/cuda/curand.h"
#include "data/cuda/device/random.h"
#include "runtime/rand/rand.h"

#define GOOD(call) assert_int_equal(call, CURAND_STATUS_SUCCESS)
#define RANGE(call) assert_int_equal(call, CURAND_STATUS_OUT_OF_RANGE)
#define TYPE(call) assert_int_equal(call, CURAND_STATUS_TYPE_ERROR)
#define LENGTH(call) assert_int_equal(call, CURAND_STATUS_LENGTH_NOT_MULTIPLE)
#define UNMADE(call) assert_int_equal(call, CURAND_STATUS_NOT_INITIALIZED)

enum { N = 12 };
static unsigned words[N];
static unsigned long long longs[N];
static float singles[N];
static double doubles[N];

static curandGenerator_t create(curandRngType_t type)
{
	curandGenerator_t g = NULL;
	GOOD(curandCreateGeneratorHost(&g, type));
	return g;
}

/* ---- calls ---- */

static void generators_are_of_types_that_are_there(void **state)
{
	static const int there[] = {100, 101, 121, 142, 161, 200, 201, 202, 203, 204},
			 not [] = {0, 1, 99, 141, 162, 205, 300};
	(void)state;
	for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
		curandGenerator_t host, device;
		GOOD(curandCreateGeneratorHost(&host, (curandRngType_t)there[i]));
		GOOD(curandCreateGenerator(&device, (curandRngType_t)there[i]));
		GOOD(curandDestroyGenerator(host));
		GOOD(curandDestroyGenerator(device));
	}
	for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
		curandGenerator_t g = NULL;
		TYPE(curandCreateGeneratorHost(&g, (curandRngType_t) not [i]));
		TYPE(curandCreateGenerator(&g, (curandRngType_t) not [i]));
		assert_null(g);
	}
	RANGE(curandCreateGenerator(NULL, CURAND_RNG_PSEUDO_DEFAULT));
}

/* Every function, of a generator that is none. */
static void check_unmade(curandGenerator_t g)
{
	UNMADE(curandDestroyGenerator(g));
	UNMADE(curandSetStream(g, NULL));
	UNMADE(curandSetPseudoRandomGeneratorSeed(g, 1));
	UNMADE(curandSetGeneratorOffset(g, 1));
	UNMADE(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DEFAULT));
	UNMADE(curandSetQuasiRandomGeneratorDimensions(g, 1));
	UNMADE(curandGenerateSeeds(g));
	UNMADE(curandGenerate(g, words, N));
	UNMADE(curandGenerateLongLong(g, longs, N));
	UNMADE(curandGenerateUniform(g, singles, N));
	UNMADE(curandGenerateUniformDouble(g, doubles, N));
	UNMADE(curandGenerateNormal(g, singles, N, 0, 1));
	UNMADE(curandGenerateNormalDouble(g, doubles, N, 0, 1));
	UNMADE(curandGenerateLogNormal(g, singles, N, 0, 1));
	UNMADE(curandGenerateLogNormalDouble(g, doubles, N, 0, 1));
	UNMADE(curandGeneratePoisson(g, words, N, 1));
	UNMADE(curandGenerateBinomial(g, words, N, 1, 0.5));
}

static void a_destroyed_generator_is_none(void **state)
{
	(void)state;
	curandGenerator_t g = create(CURAND_RNG_PSEUDO_MT19937),
			  other = create(CURAND_RNG_PSEUDO_XORWOW);
	GOOD(curandGenerate(g, words, N));
	GOOD(curandDestroyGenerator(g));
	check_unmade(g);
	check_unmade(NULL);
	GOOD(curandGenerate(other, words, N));
	GOOD(curandDestroyGenerator(other));
}

static void settings_are_of_their_kind_of_generators(void **state)
{
	(void)state;
	curandGenerator_t pseudo = create(CURAND_RNG_PSEUDO_DEFAULT),
			  quasi = create(CURAND_RNG_QUASI_DEFAULT),
			  twister = create(CURAND_RNG_PSEUDO_MT19937);
	TYPE(curandSetPseudoRandomGeneratorSeed(quasi, 1));
	TYPE(curandSetQuasiRandomGeneratorDimensions(pseudo, 2));
	TYPE(curandSetGeneratorOffset(twister, 2));
	RANGE(curandSetQuasiRandomGeneratorDimensions(quasi, 0));
	RANGE(curandSetQuasiRandomGeneratorDimensions(quasi, CT_RAND_DIMENSIONS + 1));
	GOOD(curandSetQuasiRandomGeneratorDimensions(quasi, CT_RAND_DIMENSIONS));
	for (int order = 99; order <= 202; order++) {
		int pseudos = order >= 100 && order <= 104;
		assert_int_equal(curandSetGeneratorOrdering(pseudo, (curandOrdering_t)order),
		                 pseudos ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE);
		assert_int_equal(curandSetGeneratorOrdering(quasi, (curandOrdering_t)order),
		                 order == 201 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE);
	}
	GOOD(curandDestroyGenerator(pseudo));
	GOOD(curandDestroyGenerator(quasi));
	GOOD(curandDestroyGenerator(twister));
}

static void lengths_and_parameters_are_checked(void **state)
{
	(void)state;
	curandGenerator_t pseudo = create(CURAND_RNG_PSEUDO_PHILOX4_32_10),
			  quasi = create(CURAND_RNG_QUASI_SOBOL32),
			  wide = create(CURAND_RNG_QUASI_SOBOL64);
	memset(singles, 0, sizeof singles);
	LENGTH(curandGenerateNormal(pseudo, singles, 3, 0, 1));
	LENGTH(curandGenerateLogNormal(pseudo, singles, 3, 0, 1));
	LENGTH(curandGenerateNormalDouble(pseudo, doubles, 3, 0, 1));
	LENGTH(curandGenerateLogNormalDouble(pseudo, doubles, 3, 0, 1));
	GOOD(curandGenerateNormal(quasi, singles, 3, 0, 1));
	GOOD(curandSetQuasiRandomGeneratorDimensions(quasi, 4));
	LENGTH(curandGenerateUniform(quasi, singles, 6));
	LENGTH(curandGeneratePoisson(quasi, words, 6, 3));
	GOOD(curandGenerateUniform(quasi, singles, 8));
	GOOD(curandGenerateUniform(quasi, singles, 0));
	TYPE(curandGenerate(wide, words, 4));
	TYPE(curandGenerateLongLong(quasi, longs, 4));
	TYPE(curandGenerateLongLong(pseudo, longs, 4));
	RANGE(curandGeneratePoisson(pseudo, words, 4, 0));
	RANGE(curandGeneratePoisson(pseudo, words, 4, 400001));
	RANGE(curandGeneratePoisson(pseudo, words, 4, NAN));
	RANGE(curandGenerateBinomial(pseudo, words, 4, 9, 1.5));
	GOOD(curandDestroyGenerator(pseudo));
	GOOD(curandDestroyGenerator(quasi));
	GOOD(curandDestroyGenerator(wide));
}

static void versions_and_tables_are_there(void **state)
{
	int version = 0, part = 0;
	curandDirectionVectors32_t *v = NULL, *again = NULL;
	curandDirectionVectors64_t *v64 = NULL;
	unsigned *constants = NULL;
	unsigned long long *constants64 = NULL;
	(void)state;
	GOOD(curandGetVersion(&version));
	assert_int_equal(version, CURAND_VERSION);
	RANGE(curandGetVersion(NULL));
	GOOD(curandGetProperty(MAJOR_VERSION, &part));
	assert_int_equal(part, CURAND_VER_MAJOR);
	RANGE(curandGetProperty((libraryPropertyType)3, &part));
	GOOD(curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
	GOOD(curandGetDirectionVectors32(&again, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
	assert_ptr_equal(v, again);
	RANGE(curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
	GOOD(curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
	RANGE(curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
	GOOD(curandGetScrambleConstants32(&constants));
	GOOD(curandGetScrambleConstants64(&constants64));
	RANGE(curandGetScrambleConstants32(NULL));
	for (unsigned d = 0; d < CT_RAND_DIMENSIONS; d++) {
		assert_int_equal(constants[d], (unsigned)constants64[d]);
		for (unsigned i = 0; i < 32; i++) { /* the highest bit is where it must be */
			assert_int_equal(v[d][i] << i, 0x80000000u);
			assert_int_equal(v64[d][i] >> 32, v[d][i]);
		}
	}
}

/* ---- recurrences ---- */

/* The known answers that come with Random123, of D. E. Shaw Research. */
static void philox_gives_known_answers(void **state)
{
	static const struct {
		uint32_t counter[4];
		uint64_t key;
		uint32_t want[4];
	} known[] = {
		{{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{{~0u, ~0u, ~0u, ~0u}, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
	         0x299f31d0a4093822,
	         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		uint32_t c[4];
		memcpy(c, known[i].counter, sizeof c);
		ct_random_philox(c, known[i].key);
		assert_memory_equal(c, known[i].want, sizeof c);
	}
}

/* One step by the formulas of L'Ecuyer's paper, with signs and remainders. */
static double plain_mrg(int64_t *s)
{
	const int64_t m1 = 4294967087, m2 = 4294944443;
	int64_t a = (1403580 * s[1] - 810728 * s[0]) % m1, b = (527612 * s[5] - 1370589 * s[3]) % m2;
	a += a < 0 ? m1 : 0;
	b += b < 0 ? m2 : 0;
	memmove(s, s + 1, 2 * sizeof *s);
	memmove(s + 3, s + 4, 2 * sizeof *s);
	s[2] = a;
	s[5] = b;
	return (double)(a > b ? a - b : a - b + m1) / (double)(m1 + 1);
}

/* Steps by folds and steps by matrices are steps by remainders. */
static void mrg_steps_and_jumps_as_its_paper_says(void **state)
{
	int64_t plain[6] = {4294967086, 0, 1, 4294944442, 5, 4294944442}; /* ends of the ranges */
	uint32_t s[6], jumped[6], other[6];
	(void)state;
	for (int i = 0; i < 6; i++)
		s[i] = jumped[i] = other[i] = (uint32_t)plain[i];
	for (int i = 0; i < 3 * 4096; i++) {
		double want = plain_mrg(plain);
		assert_true(fabs(ct_random_mrg_uniform(ct_random_mrg(s)) - want) < 1e-15);
	}
	ct_random_mrg_skip(3, 12, jumped);
	assert_memory_equal(s, jumped, sizeof s);
	ct_random_mrg_skip(1ull << 60, CT_RANDOM_MRG_SEQUENCE - 60, s); /* far away, in two ways */
	ct_random_mrg_skip(3 * 4096, 0, other);
	ct_random_mrg_skip(1, CT_RANDOM_MRG_SEQUENCE, other);
	assert_memory_equal(s, other, sizeof s);
}

/* Marsaglia's lines, and jumps of a generator by offsets. */
static void xorwow_steps_as_its_paper_says(void **state)
{
	uint32_t v[5] = {123456789, 362436069, 521288629, 88675123, 5783321}, d = 6615241;
	uint32_t x = v[0], y = v[1], z = v[2], w = v[3], u = v[4], count = d;
	static uint32_t far[6 * CT_RAND_SEQUENCES], near[6 * CT_RAND_SEQUENCES];
	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint32_t t = x ^ (x >> 2);
		x = y;
		y = z;
		z = w;
		w = u;
		u = (u ^ (u << 4)) ^ (t ^ (t << 1));
		assert_int_equal(ct_random_xorwow(v, &d), (count += 362437) + u);
	}
	const uint64_t offset = 1000 * CT_RAND_SEQUENCES + 17;
	assert_int_equal(ct_rand_seed_xorwow(5, offset, far), 0);
	assert_int_equal(ct_rand_seed_xorwow(5, 0, near), 0);
	for (unsigned s = 15; s < 20; s++) {
		for (unsigned k = 0; k < 5; k++)
			v[k] = near[k * CT_RAND_SEQUENCES + s];
		d = near[5 * CT_RAND_SEQUENCES + s];
		for (unsigned i = 0; i < 1000 + (s < 17); i++)
			ct_random_xorwow(v, &d);
		for (unsigned k = 0; k < 5; k++)
			assert_int_equal(v[k], far[k * CT_RAND_SEQUENCES + s]);
		assert_int_equal(d, far[5 * CT_RAND_SEQUENCES + s]);
	}
}

/* The first words of seeds of 32 and of 64 bits, as Python's random has them, too: the second begins with an array. */
static void the_twister_begins_as_its_authors_say(void **state)
{
	static const uint32_t want[2][3] = {
		{1791095845, 4282876139, 3093770124}, {0x4baf7bf6, 0x43b44859, 0x13e428cc}};
	static const unsigned long long seeds[] = {1, 0x0000023400000123};
	curandGenerator_t g = create(CURAND_RNG_PSEUDO_MT19937);
	(void)state;
	for (int i = 0; i < 2; i++) {
		GOOD(curandSetPseudoRandomGeneratorSeed(g, seeds[i]));
		GOOD(curandGenerate(g, words, 3));
		assert_memory_equal(words, want[i], sizeof want[i]);
	}
	GOOD(curandDestroyGenerator(g));
}

/* ---- whole numbers ---- */

/* The sums are those of probabilities by logarithms of factorials, which large ones leave few digits. */
static void check_sums(double mean, double trials, double tolerance)
{
	struct ct_rand_sums s = {0};
	double sum = 0;
	assert_int_equal(ct_rand_sum_up(mean, trials, &s), 0);
	assert_true(s.count > 0 && s.sums[s.count - 1] == 1);
	for (uint32_t i = 0; i < s.count; i++) {
		double k = s.least + (double)i, p = mean / (trials > 0 ? trials : 1);
		sum += trials == 0 ? exp(k * log(mean) - mean - lgamma(k + 1))
		                   : exp(lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) +
		                         k * log(p) + (trials - k) * log1p(-p));
		assert_true(fabs(s.sums[i] - sum) < tolerance);
	}
	free(s.sums);
}

static void sums_are_those_of_the_distributions(void **state)
{
	struct ct_rand_sums s = {0};
	(void)state;
	check_sums(0.001, 0, 1e-14);
	check_sums(3.5, 0, 1e-13);
	check_sums(400000, 0, 1e-8);
	check_sums(0.25, 1, 1e-15);
	check_sums(39.9, 40, 1e-12);
	check_sums(1e6, 4294967295.0, 1e-4);
	assert_int_equal(ct_rand_sum_up(0, 7, &s), 0);
	assert_int_equal(s.least + s.count, 1);
	assert_int_equal(ct_rand_sum_up(7, 7, &s), 0);
	assert_int_equal(s.least, 7);
	assert_int_equal(s.count, 1);
	free(s.sums);
}

static void ends_of_probabilities_give_numbers(void **state)
{
	static const double sums[] = {0.25, 0.5, 1};
	(void)state;
	assert_int_equal(ct_random_find(sums, 3, 1e-10), 0);
	assert_int_equal(ct_random_find(sums, 3, 0.25), 0);
	assert_int_equal(ct_random_find(sums, 3, 0.250001), 1);
	assert_int_equal(ct_random_find(sums, 3, 1), 2);
	assert_true(ct_random_uniform(0) > 0 && ct_random_uniform(~0u) == 1);
	assert_true(ct_random_uniform_double(0, 0) > 0 && ct_random_uniform_double(~0u, ~0u) <= 1);
	assert_true(ct_random_uniform_word(0) > 0 && ct_random_uniform_word(~0u) < 1);
	assert_true(ct_random_uniform_long(0) > 0 && ct_random_uniform_long(~0ull) <= 1);
	assert_true(ct_random_mrg_uniform(1) > 0 && ct_random_mrg_uniform(CT_RANDOM_M1) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generators_are_of_types_that_are_there),
		cmocka_unit_test(a_destroyed_generator_is_none),
		cmocka_unit_test(settings_are_of_their_kind_of_generators),
		cmocka_unit_test(lengths_and_parameters_are_checked),
		cmocka_unit_test(versions_and_tables_are_there),
		cmocka_unit_test(philox_gives_known_answers),
		cmocka_unit_test(mrg_steps_and_jumps_as_its_paper_says),
		cmocka_unit_test(xorwow_steps_as_its_paper_says),
		cmocka_unit_test(the_twister_begins_as_its_authors_say),
		cmocka_unit_test(sums_are_those_of_the_distributions),
		cmocka_unit_test(ends_of_probabilities_give_numbers),
	};
	return cmocka_run_group_tests_name("rand", tests, NULL, NULL);
}

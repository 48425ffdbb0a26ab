#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "profile/profile.h"

static struct ct_profile *body(const char *text)
{
	char all[8192];
	struct ct_error e = {0};
	struct ct_profile *p;
	int n = snprintf(all, sizeof all, "#cachetriage-profile\t1\n%s", text);
	if (ct_profile_read_memory(&p, "t", all, (size_t)n, 0, &e) != CT_OK)
		fail_msg("%s", e.text);
	return p;
}

static struct ct_profile *merged(const char *a, const char *b, const char *c)
{
	struct ct_error e = {0};
	struct ct_profile *in[3] = {body(a), b ? body(b) : NULL, c ? body(c) : NULL}, *out;
	if (ct_profile_merge(&out, in, c ? 3 : b ? 2 : 1, &e) != CT_OK)
		fail_msg("%s", e.text);
	for (int i = 0; i < 3; i++)
		ct_profile_free(in[i]);
	return out;
}

static void expect(struct ct_profile *p, const char *want)
{
	struct ct_buf b = {0};
	assert_int_equal(ct_profile_write(p, &b, NULL), CT_OK);
	/* Column lines are not what is tested here. */
	struct ct_buf lines = {0};
	for (char *s = b.data, *nl; (nl = strchr(s, '\n')); s = nl + 1)
		if (*s != '#' && strncmp(s, "EN\t", 3) != 0)
			ct_buf_add(&lines, s, (size_t)(nl - s) + 1);
	assert_string_equal(lines.data ? lines.data : "", want);
	ct_buf_free(&b);
	ct_buf_free(&lines);
	ct_profile_free(p);
}

#define A_DOCUMENT \
	"PG\treuse\t1\ta\nTR\ta\ttraceg\t1\tcrc64:1\nGP\tsms\t2\t\nKN\t1\tk\tg\tb\t1\t1\t1\t1\t1\t1\n" \
	"SN\tall\tcycles\t10\tcycles\treplay\nSN\tkernel:1\tcycles\t10\tcycles\treplay\n" \
	"RD\tall\tl1\t0\t1\t5\t6\nRD\tall\tl1\tinf\tinf\t1\t1\nES\tall\tm\ts\tx\t1\tu\treplay\t0\t2\n" \
	"MR\tall\tl1\t64\t0.5\nZZ\tfoo\n"

static void one_profile_is_its_own_merge(void **state)
{
	(void)state;
	expect(merged(A_DOCUMENT, NULL, NULL), A_DOCUMENT);
}

static void every_rule(void **state)
{
	(void)state;
	expect(merged(A_DOCUMENT, A_DOCUMENT, NULL),
	       "PG\treuse\t1\ta\nPG\treuse\t1\ta\nTR\ta\ttraceg\t1\tcrc64:1\nTR\ta\ttraceg\t1\tcrc64:1\n"
	       "GP\tsms\t2\t\nKN\t1\tk\tg\tb\t1\t1\t1\t1\t1\t1\nKN\t2\tk\tg\tb\t1\t1\t1\t1\t1\t1\n"
	       "SN\tall\tcycles\t20\tcycles\treplay\nSN\tkernel:1\tcycles\t10\tcycles\treplay\n"
	       "SN\tkernel:2\tcycles\t10\tcycles\treplay\n"
	       "RD\tall\tl1\t0\t1\t10\t12\nRD\tall\tl1\tinf\tinf\t2\t2\n"
	       "ES\tall\tm\ts\tx\tNA\tu\treplay\tNA\tNA\nMR\tall\tl1\t64\tNA\nZZ\tfoo\nZZ\tfoo\n");
}

/* What was moved to another GPU is still that in a sum. */
/* A metric that the program adds: a sum, and its unit where a record comes without one. */
static const struct ct_metric *one_more(const char *type, const char *name)
{
	static const struct ct_metric extra = {
		.name = "own_count", .unit = "widgets", .merge = CT_METRIC_SUM};
	return strcmp(type, "IM") == 0 && strcmp(name, extra.name) == 0 ? &extra : NULL;
}

static void metrics_of_the_program(void **state)
{
	struct ct_profile *in[2], *out;
	(void)state;
	for (int known = 0; known < 2; known++) {
		for (int i = 0; i < 2; i++) {
			in[i] = body("GP\tsms\t2\t\n");
			ct_profile_set_metrics(in[i], known ? one_more : NULL);
			assert_int_equal(ct_profile_add_im(in[i], "all", "own_count", 2 + i, NULL, NULL),
			                 CT_OK);
		}
		assert_int_equal(ct_profile_merge(&out, in, 2, NULL), CT_OK);
		for (int i = 0; i < 2; i++)
			ct_profile_free(in[i]);
		expect(out, known ? "GP\tsms\t2\t\nIM\tall\town_count\t5\twidgets\n"
		                  : "GP\tsms\t2\t\nIM\tall\town_count\tNA\t\n");
	}
}

static void methods(void **state)
{
	static const char *const of[] = {"replay", "sampled", "analytic"},
				 *const want[3][3] = {{"replay", "NA", "analytic"},
	                                              {"NA", "sampled", "analytic"},
	                                              {"analytic", "analytic", "analytic"}};
	(void)state;
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++) {
			char a[64], b[64], sum[64];
			snprintf(a, sizeof a, "SN\tall\tcycles\t1\tcycles\t%s\n", of[i]);
			snprintf(b, sizeof b, "SN\tall\tcycles\t2\tcycles\t%s\n", of[k]);
			snprintf(sum, sizeof sum, "SN\tall\tcycles\t3\tcycles\t%s\n", want[i][k]);
			expect(merged(a, b, NULL), sum);
		}
}

/* A verdict on one run is none on the sum of two; documents of verdicts only have no sum. */
static void verdicts(void **state)
{
	static const char own[] =
		"SN\tall\tcycles\t10\tcycles\treplay\nTV\ta\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\n";
	static const char others[] = "TV\tb\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\n";
	(void)state;
	expect(merged(own, NULL, NULL), own);
	expect(merged(own, own, NULL), "SN\tall\tcycles\t20\tcycles\treplay\n");
	expect(merged(own, others, NULL),
	       "SN\tall\tcycles\t10\tcycles\treplay\n"
	       "TV\ta\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\nTV\tb\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\n");
	expect(merged(others, others, NULL), "TV\tb\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\n"
	                                     "TV\tb\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\n");
}

/* Moved behind the others, the largest id there can be would begin again at the smallest. */
static void ids_at_the_limit(void **state)
{
	struct ct_error e = {0};
	struct ct_profile *out,
		*in[2] = {body("SN\tkernel:4\tcycles\t10\tcycles\treplay\n"),
	                  body("SN\tkernel:18446744073709551614\tcycles\t7\tcycles\treplay\n")};
	(void)state;
	assert_int_equal(ct_profile_merge(&out, in, 2, &e), CT_ERR_LIMIT);
	assert_null(out);
	assert_int_equal(ct_profile_merge(&out, in + 1, 1, &e), CT_OK);
	ct_profile_free(out);
	ct_profile_free(in[0]);
	ct_profile_free(in[1]);
}

/* A curve of many points is put together point by point, and no point looks at all others: that
 * took minutes. */
static void long_curves(void **state)
{
	enum { POINTS = 40000 };
	struct ct_profile *in[2] = {body("SN\tall\tcycles\t1\tcycles\treplay\n"),
	                            body("SN\tall\tcycles\t1\tcycles\treplay\n")},
			  *out;
	size_t n = 0, i = 0;
	(void)state;
	for (int k = 0; k < 2; k++)
		for (unsigned x = 0; x < POINTS; x++) {
			char bytes[24];
			snprintf(bytes, sizeof bytes, "%u", 128 * (x + k * POINTS / 2));
			const char *const f[] = {"all", "l1", bytes, "0.5"};
			assert_int_equal(ct_profile_add(in[k], "MR", 4, f, NULL), CT_OK);
		}
	assert_int_equal(ct_profile_merge(&out, in, 2, NULL), CT_OK);
	while (ct_profile_next(out, "MR", &i))
		n++;
	assert_int_equal(n, POINTS + POINTS / 2);
	ct_profile_free(out);
	ct_profile_free(in[0]);
	ct_profile_free(in[1]);
}

static void sums_and_ratios(void **state)
{
	(void)state;
	expect(merged("SN\tall\tl1_miss_rate\t0.5\tratio\treplay\n"
	              "SN\tall\tl1_sector_misses\t1\tsectors\treplay\n"
	              "SN\tall\tl1_sector_accesses\t2\tsectors\treplay\n"
	              "SN\tall\tdistinct_lines\t2\tlines\treplay\n"
	              "SN\tall\tipc\t3\tx\treplay\n",
	              "SN\tall\tl1_miss_rate\t0.125\tratio\tanalytic\n"
	              "SN\tall\tl1_sector_misses\t1\tsectors\treplay\n"
	              "SN\tall\tl1_sector_accesses\t8\tsectors\treplay\n"
	              "SN\tall\tdistinct_lines\t2\tlines\treplay\n"
	              "SN\tall\tipc\t3\ty\treplay\n",
	              NULL),
	       "SN\tall\tl1_miss_rate\t0.2\tratio\tanalytic\n"
	       "SN\tall\tl1_sector_misses\t2\tsectors\treplay\n"
	       "SN\tall\tl1_sector_accesses\t10\tsectors\treplay\n"
	       "SN\tall\tdistinct_lines\tNA\tlines\treplay\n"
	       "SN\tall\tipc\tNA\tx\treplay\n");
}

static void what_one_lacks_is_unknown(void **state)
{
	(void)state;
	/* cycles is missing in the second, NA in the third; flags and missing kernels are not. */
	expect(merged("SN\tall\tcycles\t1\tcycles\treplay\nSN\tall\ttruncated\t1\tflag\treplay\n"
	              "RD\tall\tl1\tinf\tinf\t1\t0\nRD\tall\tllc\tinf\tinf\t1\t0\n",
	              "SN\tall\twarp_insts\t1\tinsts\treplay\nSN\tall\tmissing_kernels\t2\tkernels\tr\n"
	              "RD\tall\tl1\tinf\tinf\t1\t0\n",
	              "SN\tall\tcycles\tNA\tcycles\treplay\nSN\tall\tmissing_kernels\t1\tkernels\tr\n"
	              "SN\tname:k\tcycles\t7\tcycles\treplay\nRD\tname:k\tllc\tinf\tinf\t3\t0\n"
	              "RD\tall\tl1\tinf\tinf\t1\t0\n"),
	       "SN\tall\tcycles\tNA\tcycles\treplay\nSN\tall\ttruncated\t1\tflag\treplay\n"
	       "SN\tall\twarp_insts\tNA\tinsts\treplay\nSN\tall\tmissing_kernels\t3\tkernels\tr\n"
	       "SN\tname:k\tcycles\t7\tcycles\treplay\n"
	       "RD\tall\tl1\tinf\tinf\t3\t0\nRD\tname:k\tllc\tinf\tinf\t3\t0\n");
}

static void weighted_means_and_im(void **state)
{
	(void)state;
	expect(merged("SN\tall\tline_util_25\t0.5\tratio\treplay\n"
	              "SN\tall\tlines_left\t10\tlines\treplay\n"
	              "IM\tall\tloads\t100\tinsts\nIM\tall\tthink_cycles\t10\tcycles\n"
	              "IM\tall\tresident_warps\t4\twarps\nIM\tall\tl1_cycles\t0.5\tcycles\n",
	              "SN\tall\tline_util_25\t0.8\tratio\treplay\n"
	              "SN\tall\tlines_left\t20\tlines\treplay\n"
	              "IM\tall\tloads\t300\tinsts\nIM\tall\tthink_cycles\t20\tcycles\n"
	              "IM\tall\tresident_warps\t4\twarps\nIM\tall\tl1_cycles\t1\tcycles\n",
	              NULL),
	       "SN\tall\tline_util_25\t0.7\tratio\treplay\n"
	       "SN\tall\tlines_left\t30\tlines\treplay\n"
	       "IM\tall\tloads\t400\tinsts\nIM\tall\tthink_cycles\t17.5\tcycles\n"
	       "IM\tall\tresident_warps\tNA\twarps\nIM\tall\tl1_cycles\t1.5\tcycles\n");
}

static void refuses_other_gpus(void **state)
{
	static const char *const pair[][2] = {
		{"GP\tsms\t2\t\n", "GP\tsms\t3\t\n"},
		{"GP\tsms\t2\t\n", "GP\tsms\t2\tx\n"},
		{"GP\tsms\t2\t\n", ""},
		{"GP\tsms\t2\t\n", "GP\tsms\t2\t\nGP\tl1\t3\t\n"},
		{"GP\tsms\t2\t\nGP\tl1\t3\t\n", "GP\tsms\t2\t\n"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
		struct ct_profile *in[2] = {body(pair[i][0]), body(pair[i][1])}, *out = in[0];
		struct ct_error e = {0};
		assert_int_equal(ct_profile_merge(&out, in, 2, &e), CT_ERR_INPUT);
		assert_non_null(strstr(e.text, "different GPUs do not merge"));
		assert_null(out);
		ct_profile_free(in[0]);
		ct_profile_free(in[1]);
	}
	struct ct_profile *out;
	assert_int_equal(ct_profile_merge(&out, NULL, 0, NULL), CT_ERR_USAGE);
}

static struct ct_profile *random_profile(uint64_t *seed)
{
	struct ct_profile *p = ct_profile_new(NULL);
	struct ct_hist h = {0};
	struct ct_rj j = {0};
	for (int i = 0; i < 40; i++) {
		ct_hist_add(&h, ct_rand64(seed) % 5000, ct_rand64(seed) % 9);
		uint64_t x = ct_rand64(seed) % 9;
		struct ct_rj_cell c = {x, x + 1, x / 2, x + 1, ct_rand64(seed) % 5 + 1};
		assert_int_equal(ct_rj_add(&j, &c, NULL), 0);
	}
	for (uint64_t k = 1; k <= 1 + ct_rand64(seed) % 3; k++) {
		char id[24];
		snprintf(id, sizeof id, "kernel:%llu", (unsigned long long)k);
		assert_int_equal(ct_profile_add_count(p, id, "cycles", k, NULL, "replay", NULL), 0);
	}
	assert_int_equal(
		ct_profile_add_count(p, "all", "thread_insts", ct_rand64(seed) % 1000, NULL, "r", NULL),
		0);
	assert_int_equal(
		ct_profile_add_count(p, "all", "cycles", 1 + ct_rand64(seed) % 100, NULL, "r", NULL), 0);
	assert_int_equal(ct_profile_add_real(p, "all", "ipc", 0.5, NULL, "r", NULL), 0);
	assert_int_equal(ct_profile_add_hist(p, "all", "l1", &h, NULL, NULL), 0);
	assert_int_equal(ct_profile_add_rj(p, "all", "nearest", &j, NULL), 0);
	ct_rj_free(&j);
	return p;
}

/* (a + b) + c, a + (b + c) and a + b + c are the same document. */
static void merging_is_associative(void **state)
{
	uint64_t seed = 11;
	(void)state;
	for (int round = 0; round < 40; round++) {
		struct ct_profile *in[3], *two, *out[3];
		struct ct_buf b[3] = {{0}, {0}, {0}};
		for (int i = 0; i < 3; i++)
			in[i] = random_profile(&seed);
		assert_int_equal(ct_profile_merge(&out[0], in, 3, NULL), 0);
		assert_int_equal(ct_profile_merge(&two, in, 2, NULL), 0);
		struct ct_profile *left[2] = {two, in[2]};
		assert_int_equal(ct_profile_merge(&out[1], left, 2, NULL), 0);
		ct_profile_free(two);
		assert_int_equal(ct_profile_merge(&two, in + 1, 2, NULL), 0);
		struct ct_profile *right[2] = {in[0], two};
		assert_int_equal(ct_profile_merge(&out[2], right, 2, NULL), 0);
		ct_profile_free(two);
		for (int i = 0; i < 3; i++)
			assert_int_equal(ct_profile_write(out[i], &b[i], NULL), 0);
		assert_string_equal(b[0].data, b[1].data);
		assert_string_equal(b[0].data, b[2].data);
		/* The histogram of the whole is the sum of the parts. */
		struct ct_hist sum = {0}, got = {0};
		for (int i = 0; i < 3; i++)
			assert_int_equal(ct_profile_get_hist(in[i], "all", "l1", &sum, NULL), 1);
		assert_int_equal(ct_profile_get_hist(out[0], "all", "l1", &got, NULL), 1);
		assert_memory_equal(&sum, &got, sizeof sum);
		for (int i = 0; i < 3; i++) {
			ct_buf_free(&b[i]);
			ct_profile_free(in[i]);
			ct_profile_free(out[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_profile_is_its_own_merge),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(methods),
		cmocka_unit_test(metrics_of_the_program),
		cmocka_unit_test(ids_at_the_limit),
		cmocka_unit_test(long_curves),
		cmocka_unit_test(every_rule),
		cmocka_unit_test(sums_and_ratios),
		cmocka_unit_test(what_one_lacks_is_unknown),
		cmocka_unit_test(weighted_means_and_im),
		cmocka_unit_test(refuses_other_gpus),
		cmocka_unit_test(merging_is_associative),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

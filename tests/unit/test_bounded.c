/* Reuse distances in bounded memory: exact for few lines, near the exact curve for many; and stacks that forget a part
 * of their lines, the fast engine against the textbook one. Seeds are fixed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/bounded.h"
#include "locality/stack.h"
#include "tests/support/streams.h"

enum { N = 400000, COLLECTIONS = 50 };

static int keep_thirds(const void *ctx, uint64_t line)
{
	return ct_mix64(line + *(const uint64_t *)ctx) % 3 != 0;
}

/* Random sectors of random lines, which every now and then lose a third of the lines. */
static void keep_equals_textbook(void **state)
{
	enum { LINES = 3000, STEPS = 60000, EVERY = 7001 };
	(void)state;
	for (uint32_t sectors = 1; sectors <= 4; sectors += 3)
		for (int spread = 0; spread < 2; spread++) {
			const struct ct_stack_options o = {.sectors = sectors},
						      t = {.engine = CT_STACK_TEXTBOOK,
			                                   .sectors = sectors};
			struct ct_stack *fast = ct_stack_new(&o, NULL), *plain = ct_stack_new(&t, NULL);
			uint64_t seed = 9 + sectors, step = 0;
			assert_non_null(fast);
			assert_non_null(plain);
			for (; step < STEPS; step++) {
				uint64_t line = ct_rand64(&seed) % LINES, a[4] = {0}, b[4] = {0};
				line = spread ? ct_mix64(line) >> 8 : line;
				const uint32_t mask = (uint32_t)(ct_rand64(&seed) & 15) | 1;
				assert_int_equal(ct_stack_touch_sectors(fast, line, mask, a),
				                 ct_stack_touch_sectors(plain, line, mask, b));
				assert_memory_equal(a, b, sizeof a);
				if (step % EVERY != EVERY - 1)
					continue;
				assert_int_equal(ct_stack_keep(fast, keep_thirds, &step), 0);
				assert_int_equal(ct_stack_keep(plain, keep_thirds, &step), 0);
				assert_int_equal(ct_stack_lines(fast), ct_stack_lines(plain));
				assert_true(ct_stack_lines(fast) < LINES * 3 / 4);
			}
			ct_stack_free(fast);
			ct_stack_free(plain);
		}
}

/* The stream through a bounded stack, collected in pieces as launches are. */
static struct ct_bounded *run(uint64_t max_lines, const uint64_t *line, const uint8_t *mask,
                              struct ct_hist hist[CT_BOUNDED_HISTS])
{
	const struct ct_bounded_options o = {.sectors = 4, .max_lines = max_lines, .seed = 3};
	struct ct_bounded *b = ct_bounded_new(&o, NULL);
	assert_non_null(b);
	memset(hist, 0, CT_BOUNDED_HISTS * sizeof *hist);
	for (size_t i = 0; i < N; i++) {
		ct_bounded_access(b, line[i], mask[i], i % 5 == 0);
		if ((i + 1) % (N / COLLECTIONS) == 0)
			assert_int_equal(ct_bounded_collect(b, hist, NULL), 0);
	}
	ct_bounded_settle(b, hist);
	return b;
}

static double miss_rate(const struct ct_hist *h, double capacity)
{
	return 1 - ct_hist_hits(h, capacity) / (double)ct_hist_total(h);
}

static void equal_to_exact(const struct ct_hist *want, const struct ct_hist *got)
{
	assert_memory_equal(want, got, CT_BOUNDED_HISTS * sizeof *want);
}

/* Without a bound, and with as many lines as the bound has, histograms are those of the textbook stack. With a sample of
 * 16,384 or more lines curves from 256 lines on are within a point and a half (accesses of hot lines that the sample lacks count as
 * nearer than they are), and sums are those of the stream. */
static void near_the_exact_curve(void **state)
{
	static uint64_t line[N];
	static uint8_t mask[N];
	static struct ct_hist want[CT_BOUNDED_HISTS], got[CT_BOUNDED_HISTS];
	(void)state;
	for (int kind = 0; kind < STREAM_KINDS; kind++) {
		uint64_t seed = 4;
		stream_fill((enum stream_kind)kind, 1, line, N);
		for (size_t i = 0; i < N; i++)
			mask[i] = (uint8_t)(1 + ct_rand64(&seed) % 15);
		struct ct_bounded *b = run(0, line, mask, want);
		assert_true(ct_bounded_rate(b) == 1);
		assert_int_equal(ct_bounded_analysed(b), N);
		ct_bounded_free(b);
		b = run(N, line, mask, got);
		assert_true(ct_bounded_rate(b) == 1);
		ct_bounded_free(b);
		equal_to_exact(want, got);
		b = run(1 << 15, line, mask, got);
		for (int h = 0; h < CT_BOUNDED_HISTS; h++) {
			assert_int_equal(ct_hist_total(&got[h]), ct_hist_total(&want[h]));
			for (double c = 256; c < 1 << 20; c *= 1.5)
				assert_true(fabs(miss_rate(&want[h], c) - miss_rate(&got[h], c)) <
				            0.015);
		}
		assert_true(ct_bounded_rate(b) == 1 || ct_bounded_analysed(b) < N);
		ct_bounded_free(b);
	}
}

/* The plain twin: each access asks the textbook engine. */
static void exact_is_textbook(void **state)
{
	static uint64_t line[N];
	static uint8_t mask[N];
	static struct ct_hist want[CT_BOUNDED_HISTS], got[CT_BOUNDED_HISTS];
	const struct ct_stack_options o = {.engine = CT_STACK_TEXTBOOK, .sectors = 4};
	struct ct_stack *s = ct_stack_new(&o, NULL);
	(void)state;
	stream_fill(STREAM_GPU, 2, line, N);
	for (size_t i = 0; i < N; i++) {
		uint64_t sector[4];
		mask[i] = (uint8_t)(1 + i % 15);
		const int write = i % 5 == 0;
		ct_hist_add(&want[write], ct_stack_touch_sectors(s, line[i], mask[i], sector), 1);
		for (int k = 0; k < 4; k++)
			if (mask[i] >> k & 1)
				ct_hist_add(&want[2 + write], sector[k], 1);
	}
	ct_bounded_free(run(0, line, mask, got));
	equal_to_exact(want, got);
	ct_stack_free(s);
}

/* A line that takes half of all accesses is in the sample or not; its accesses are counted all the same. */
static void a_hot_line_is_not_lost(void **state)
{
	static struct ct_hist hist[CT_BOUNDED_HISTS];
	(void)state;
	for (uint64_t hot = 0; hot < 8; hot++) {
		const struct ct_bounded_options o = {.sectors = 1, .max_lines = 4096, .seed = 1};
		struct ct_bounded *b = ct_bounded_new(&o, NULL);
		memset(hist, 0, sizeof hist);
		for (uint64_t i = 0; i < 200000; i++)
			ct_bounded_access(b, i % 2 ? hot << 40 : 1000 + i, 1, 0);
		assert_int_equal(ct_bounded_collect(b, hist, NULL), 0);
		ct_bounded_settle(b, hist);
		assert_int_equal(ct_hist_total(&hist[0]), 200000);
		assert_true(ct_bounded_rate(b) < 0.1);
		assert_true(fabs(miss_rate(&hist[0], 1024) - 0.5) < 0.01);
		ct_bounded_free(b);
	}
}

/* Intervals of samples hold the exact miss ratio, but for one in ten at most, and are not far too wide. */
static void the_error_covers(void **state)
{
	static uint64_t line[N];
	static struct ct_hist want[CT_BOUNDED_HISTS], got[CT_BOUNDED_HISTS];
	static const uint8_t mask[N] = {0}; /* no sectors */
	unsigned outside = 0, all = 0;
	double width = 0, off = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		stream_fill(seed % 2 ? STREAM_GPU : STREAM_ZIPF20, seed, line, N);
		struct ct_bounded *exact = run(0, line, mask, want), *b = run(4096, line, mask, got);
		assert_true(ct_bounded_error(exact, 1000) == 0);
		assert_true(ct_bounded_rate(b) < 0.3);
		for (double c = 512; c < 1 << 17; c *= 4) {
			/* Reads and writes together, as the error is. */
			double a = 0.8 * miss_rate(&want[0], c) + 0.2 * miss_rate(&want[1], c);
			double s = 0.8 * miss_rate(&got[0], c) + 0.2 * miss_rate(&got[1], c);
			outside += fabs(a - s) > ct_bounded_error(b, c);
			width += ct_bounded_error(b, c);
			off += fabs(a - s);
			all++;
		}
		ct_bounded_free(exact);
		ct_bounded_free(b);
	}
	assert_true(outside * 10 <= all);
	assert_true(width < 8 * off);
}

static void forgotten_counts_do_not_come_back(void **state)
{
	static struct ct_hist hist[CT_BOUNDED_HISTS];
	const struct ct_bounded_options o = {.sectors = 4};
	struct ct_bounded *b = ct_bounded_new(&o, NULL);
	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		ct_bounded_access(b, i % 100, 15, 0);
	ct_bounded_forget(b);
	ct_bounded_access(b, 99, 1, 0); /* the stack stays */
	assert_int_equal(ct_bounded_collect(b, hist, NULL), 0);
	assert_int_equal(ct_hist_total(&hist[0]), 1);
	assert_int_equal(hist[0].count[0], 1);
	assert_int_equal(ct_hist_total(&hist[1]), 0);
	ct_bounded_free(b);
	ct_bounded_free(NULL);
}

static void too_small_a_sample_is_refused(void **state)
{
	struct ct_error e = {0};
	const struct ct_bounded_options few = {.sectors = 1, .max_lines = 1023}, many = {.sectors = 5};
	(void)state;
	assert_null(ct_bounded_new(&few, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
	assert_null(ct_bounded_new(&many, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keep_equals_textbook),
		cmocka_unit_test(near_the_exact_curve),
		cmocka_unit_test(exact_is_textbook),
		cmocka_unit_test(a_hot_line_is_not_lost),
		cmocka_unit_test(the_error_covers),
		cmocka_unit_test(forgotten_counts_do_not_come_back),
		cmocka_unit_test(too_small_a_sample_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Verdicts from estimates: the rule, its borders, what makes them unknown, what is printed and recorded of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/registry.h"
#include "models/verdict/cell.h"
#include "models/verdict/range.h"
#include "models/verdict/size.h"
#include "models/verdict/verdict.h"
#include "tests/support/verdict_profile.h"

/* A mechanism of the register file, which no cache serves, and one of a cache that only the pass can measure. */
static void why_registers(const struct ct_profile *p, const struct ct_mechanism_number *speedup,
                          char *text, size_t n)
{
	(void)p, (void)speedup;
	snprintf(text, n, "conflicts are rare");
}

static void why_lines(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
                      size_t n)
{
	(void)p;
	snprintf(
		text, n,
		"first phrase, second phrase of %.3f, third phrase that is so long that it does not fit into what the "
		"verdict has room for when more has to follow",
		speedup->value);
}

static const char *cure_lines(const char *method, int by_parameters)
{
	return by_parameters ? "set what you know" : strcmp(method, "replay") != 0 ? "replay it" : NULL;
}

static int nothing_leaves(const struct ct_profile *p, char *text, size_t n)
{
	double left;
	int known = ct_profile_get(p, "all", "lines_left", &left);
	snprintf(text, n, "0 evictions");
	return known ? left > 0 : -1;
}

static const struct ct_mechanism registers = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = "registers",
	.command = "registers-est",
	.judged = "New",
	.baseline = "Old",
	.needs_pass = 1,
	.reason = why_registers};
static const struct ct_mechanism lines = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = "lines",
	.command = "lines-est",
	.judged = "New+",
	.baseline = "Old",
	.needs_pass = 1,
	.by_cache = 1,
	.reason = why_lines,
	.cure = cure_lines,
	.acted = nothing_leaves};
static const struct ct_mechanism inside = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = "inside",
	.command = "inside-est",
	.judged = "New",
	.baseline = "Old",
	.places = CT_PLACE_COLLECTOR | CT_PLACE_L1_LINES,
	.reason = why_registers};
static const struct ct_mechanism capacity = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = "capacity",
	.command = "capacity-est",
	.judged = "Large",
	.baseline = "Small",
	.by_cache = 1,
	.reason = why_registers};

/* Tables take their ranges from here, verdicts too: they agree on any estimate. */
static void same_range(const struct ct_profile *p, const struct ct_verdict *v, double lo, double hi,
                       const char *method)
{
	const struct ct_estimate es = {.method = method, .value = v->speedup, .low = lo, .high = hi};
	double low, high;
	ct_verdict_range(p, &es, &low, &high);
	assert_true(low < es.value && es.value < high);
	assert_true(low == v->low && high == v->high);
	struct ct_estimate own =
		es; /* a caller may let the range take the place of the estimate's own */
	ct_verdict_range(p, &own, &own.low, &own.high);
	assert_true(own.low == low && own.high == high);
}

static struct ct_verdict verdict(double v, double lo, double hi, const char *method)
{
	struct ct_profile *p = verdict_profile(8, 0.1);
	struct ct_verdict x;
	verdict_estimate(p, &registers, v, lo, hi, method);
	ct_verdict_decide(p, &registers, &x);
	same_range(p, &x, lo, hi, method);
	ct_profile_free(p);
	return x;
}

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(verdict(1.2, 1.2, 1.2, "replay").word, CT_BENEFITS);
	assert_int_equal(verdict(0.8, 0.8, 0.8, "replay").word, CT_HURTS);
	assert_int_equal(verdict(1.0, 1.0, 1.0, "replay").word, CT_NEUTRAL);
	assert_int_equal(verdict(1.02, 1.02, 1.02, "replay").word, CT_UNKNOWN);
	assert_int_equal(verdict(1.2, 0.97, 1.3, "replay").word, CT_UNKNOWN);
	assert_int_equal(verdict(1.0, 0.95, 1.0, "replay").word, CT_UNKNOWN);
}

/* The whole range decides: the verdict changes exactly where a bound passes 1.02. */
static void test_range(void **state)
{
	(void)state;
	for (double v = 0.5; v < 2; v += 0.001) {
		struct ct_verdict x = verdict(v, v, v, "replay");
		struct ct_paired_error e = ct_paired_error("replay");
		double half = fmax(e.floor, e.share * fabs(log(v)));
		assert_true(fabs(x.low - v * exp(-half)) < 1e-9);
		assert_true(fabs(x.high - v * exp(half)) < 1e-9);
		int want = x.low > 1.02                      ? CT_BENEFITS
		           : x.high < 0.98                   ? CT_HURTS
		           : x.low >= 0.98 && x.high <= 1.02 ? CT_NEUTRAL
		                                             : CT_UNKNOWN;
		assert_int_equal(x.word, want);
	}
	struct ct_verdict near = verdict(1.1, 1.1, 1.1, "replay"),
			  far = verdict(1.1, 1.1, 1.1, "analytic");
	assert_true(far.low < near.low && far.high > near.high);
	struct ct_verdict wide = verdict(1.1, 1.0, 1.3, "replay");
	assert_true(wide.low < near.low && wide.high > near.high);
	assert_true(wide.low < 1.0 && wide.high > 1.3);
}

/* Estimates of a mechanism that was held against replays are off by what those were, gains by all of their logarithm at
 * least. */
static void test_own_error(void **state)
{
	struct ct_profile *p = verdict_profile(8, 0.1);
	const struct ct_mechanism *m;
	int held = 0;
	(void)state;
	for (unsigned i = 0; (m = ct_mechanism_at(i)) != NULL; i++) {
		const struct ct_mechanism_error *e = &m->estimate_error;
		if (!(e->floor > 0))
			continue;
		held++;
		for (double v = 0.2; v < 4; v += 0.1) {
			const struct ct_estimate es = {
				.mechanism = m->name,
				.method = "analytic",
				.value = v,
				.low = v,
				.high = v};
			double low, high, share = v > 1 ? fmax(e->share, 1) : e->share,
					  half = fmax(e->floor, share * fabs(log(v)));
			ct_verdict_range(p, &es, &low, &high);
			assert_true(fabs(log(low / v) + half) < 1e-9 &&
			            fabs(log(high / v) - half) < 1e-9);
		}
	}
	assert_true(held > 0);
	ct_profile_free(p);
}

/* A profile of `waves` waves on a GPU of so many SMs, made of one with `asked` ("": it was not scaled). */
static struct ct_profile *profile_on(double waves, const char *sms, const char *asked)
{
	struct ct_profile *p = verdict_profile(waves, 0.1);
	verdict_estimate(p, &registers, 1.5, 1.5, 1.5, "replay");
	verdict_estimate(p, &inside, 1.5, 1.5, 1.5, "replay");
	assert_int_equal(ct_profile_add_gp(p, "sm.count", sms, "", NULL), CT_OK);
	if (*asked)
		assert_int_equal(ct_profile_add_gp(p, "sm.asked", asked, "", NULL), CT_OK);
	return p;
}

/* Whether a trace fills its GPU, and what is said where it does not. */
static void test_too_small(void **state)
{
	static const struct {
		double waves;
		const char *sms, *asked, *says; /* "": it is judged without a word of its size */
		double used, of;
	} row[] = {
		{2, "68", "", "", 68, 68},
		{0.5, "68", "", "profile fills 0.5 waves; make it with reuse --scale auto", 68, 68},
		/* The advice is about the GPU that was named, whatever it was scaled to, and never the same again. */
		{0.5, "68", "68",
	         "profile fills 0.5 waves of the 68 SMs that --scale asks for; "
	         "--scale auto takes at most 17",
	         68, 68},
		{0.5, "9", "68",
	         "profile fills 0.5 waves of the 9 of 68 SMs that --scale asks for; "
	         "--scale auto takes at most 2",
	         9, 68},
		{0.1, "9", "68",
	         "profile fills 0.1 waves of the 9 of 68 SMs that --scale asks for; "
	         "--scale auto takes those of one memory channel",
	         9, 68},
		/* Nothing smaller would be filled. */
		{2.2, "4", "68", "", 4, 68},
		{0.3, "1", "68", "conflicts are rare; the trace fills 0.3 waves of 1 of 68 SMs only", 1,
	         68},
		{0.3, "1", "", "conflicts are rare; the trace fills 0.3 waves of 1 SM only", 1, 1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct ct_verdict v;
		struct ct_profile *p = profile_on(row[i].waves, row[i].sms, row[i].asked);
		ct_verdict_decide(p, &registers, &v);
		assert_true(v.sms_used == row[i].used && v.sms_asked == row[i].of && v.speedup == 1.5);
		assert_int_equal(v.word, !strncmp(row[i].says, "profile", 7) ? CT_UNKNOWN : CT_BENEFITS);
		assert_int_equal(ct_verdict_too_small(&v), v.word == CT_UNKNOWN);
		if (*row[i].says)
			assert_string_equal(v.reason, row[i].says);
		else
			assert_null(strstr(v.reason, "waves"));
		/* A command that reads the trace itself names its own option. */
		ct_size_advise_option(v.reason, sizeof v.reason);
		if (strstr(row[i].says, "reuse"))
			assert_string_equal(v.reason, "the trace fills 0.5 waves: give --scale auto");
		else if (*row[i].says)
			assert_string_equal(v.reason, row[i].says);
		ct_profile_free(p);
	}
}

/* Scaling takes whole memory channels: a trace that fills fewer SMs than belong to one gets those of one. */
static void test_one_channel(void **state)
{
	static const struct {
		double waves;
		const char *says;
	} row[] = {{0.3, "profile fills 0.3 waves of the 9 of 68 SMs that --scale asks for; "
	                 "--scale auto takes those of one memory channel"},
	           {1.5, "profile fills 1.5 waves of the 9 of 68 SMs that --scale asks for; "
	                 "--scale auto takes at most 6"}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct ct_verdict v;
		struct ct_profile *p = profile_on(row[i].waves, "9", "68");
		assert_int_equal(ct_profile_add_gp(p, "llc.size", "786432", "bytes", NULL), CT_OK);
		assert_int_equal(ct_profile_add_gp(p, "llc.partitions", "3", "", NULL), CT_OK);
		assert_int_equal(ct_profile_add_gp(p, "llc.slices", "6", "", NULL), CT_OK);
		assert_int_equal(ct_profile_add_gp(p, "dram.channels", "3", "", NULL), CT_OK);
		ct_verdict_decide(p, &registers, &v);
		assert_string_equal(v.reason, row[i].says);
		ct_profile_free(p);
	}
}

/* One wave takes all the places of an SM, which is enough for what acts on each SM alone. */
static void test_inside(void **state)
{
	static const double waves[] = {0.9, 1, 1.9};
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct ct_verdict v, w;
		struct ct_profile *p = profile_on(waves[i], "68", "68");
		ct_verdict_decide(p, &inside, &v);
		ct_verdict_decide(p, &registers, &w);
		assert_int_equal(v.word, waves[i] < 1 ? CT_UNKNOWN : CT_BENEFITS);
		assert_int_equal(w.word, CT_UNKNOWN);
		ct_profile_free(p);
	}
}

static void test_damaged(void **state)
{
	struct ct_verdict v;
	struct ct_profile *p = verdict_profile(5, 0.6);
	(void)state;
	verdict_estimate(p, &registers, 1.5, 1.5, 1.5, "replay");
	verdict_estimate(p, &lines, 1.5, 1.5, 1.5, "replay");
	ct_verdict_decide(p, &registers, &v);
	assert_int_equal(v.word, CT_BENEFITS); /* registers know no first touches */
	ct_verdict_decide(p, &lines, &v);
	assert_int_equal(v.word, CT_BENEFITS);
	assert_non_null(strstr(v.reason, "60 % of LLC misses are first touches"));
	assert_int_equal(ct_profile_add_real(p, "all", "truncated", 1, NULL, "replay", NULL), 0);
	ct_verdict_decide(p, &registers, &v);
	assert_int_equal(v.word, CT_UNKNOWN);
	ct_profile_free(p);
}

/* A verdict on a part of a trace says of which part; as much of it as has room. */
static void test_part(void **state)
{
	static const char *const odd[] = {
		"short_grids",       "missing_kernels", "unlisted_kernels", "misnamed_kernels",
		"unordered_kernels", "partial_headers", "unknown_commands", "absent_warps"};
	struct ct_verdict v;
	char text[240], little[12];
	struct ct_profile *p = verdict_profile(5, 0.1);
	(void)state;
	verdict_estimate(p, &registers, 1.5, 1.5, 1.5, "replay");
	assert_int_equal(ct_profile_add_count(p, "all", "missing_kernels", 0, NULL, "replay", NULL), 0);
	assert_false(ct_profile_gaps(p, text, sizeof text));
	assert_string_equal(text, "");
	ct_verdict_decide(p, &registers, &v);
	assert_null(strstr(v.reason, "part of"));
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(ct_profile_add_count(p, "all", odd[i], i + 1, NULL, "replay", NULL), 0);
	assert_true(ct_profile_gaps(p, text, sizeof text));
	assert_string_equal(
		text,
		"1 kernel lacks thread blocks, 2 kernels have no file, 3 kernels are not in the list, "
		"4 files hold another kernel, 5 kernels are out of order, 6 headers lack lines, "
		"7 lines were not understood, 8 warps are absent");
	assert_true(ct_profile_gaps(p, little, sizeof little));
	assert_string_equal(little, "1 kernel la");
	ct_verdict_decide(p, &registers, &v);
	assert_int_equal(v.word, CT_BENEFITS);
	assert_non_null(
		strstr(v.reason,
	               "; only a part of the trace was there: 1 kernel lacks thread blocks, 2 kernels"));
	ct_profile_free(p);
}

static void test_lacking(void **state)
{
	struct ct_verdict v;
	struct ct_profile *p = verdict_profile(5, 0.1);
	(void)state;
	ct_verdict_decide(p, &lines, &v);
	assert_int_equal(v.word, CT_UNKNOWN);
	assert_string_equal(v.reason, "profile lacks lines; run reuse --mechanisms all");
	ct_verdict_decide(p, &capacity, &v);
	assert_string_equal(v.reason, "profile lacks capacity; run capacity-est");
	assert_true(isnan(v.speedup));
	assert_false(ct_verdict_possible(p, &capacity));
	/* What reuse has measured of it lacks the estimator. */
	struct ct_estimate es = {
		.scope = "all",
		.mechanism = "lines",
		.system = "New+",
		.metric = "mem_inst_miss_rate",
		.method = "replay",
		.value = 0.5,
		.low = NAN,
		.high = NAN};
	assert_int_equal(ct_profile_add_estimate(p, &es, NULL), CT_OK);
	ct_verdict_decide(p, &lines, &v);
	assert_string_equal(v.reason, "profile lacks lines; run lines-est");
	ct_profile_free(p);
}

/* What a verdict needs and the profile does not say is not taken for what would let it pass. */
static void test_unsaid(void **state)
{
	struct ct_verdict v;
	(void)state;
	struct ct_profile *p = verdict_profile(NAN, 0.1);
	verdict_estimate(p, &registers, 1.5, 1.5, 1.5, "replay");
	ct_verdict_decide(p, &registers, &v);
	assert_int_equal(v.word, CT_UNKNOWN);
	assert_non_null(strstr(v.reason, "how far the trace fills the GPU"));
	ct_profile_free(p);
}

/* A reason that is too long for what follows it loses whole phrases only, and the doubt that is the largest is named. */
static void test_too_wide(void **state)
{
	struct ct_verdict v;
	struct ct_profile *p = verdict_profile(8, 0.1);
	(void)state;
	verdict_estimate(p, &lines, 1.05, 0.7, 1.3, "replay");
	ct_verdict_decide(p, &lines, &v);
	assert_int_equal(v.word, CT_UNKNOWN);
	assert_string_equal(
		v.reason,
		"first phrase, second phrase of 1.050; range 0.70..1.30 crosses 0.98 and 1.02 after the estimate: "
		"set what you know");
	ct_profile_free(p);
	p = verdict_profile(8, 0.1);
	verdict_estimate(p, &lines, 1.02, 1.015, 1.025, "analytic");
	ct_verdict_decide(p, &lines, &v);
	assert_non_null(strstr(v.reason, " crosses 1.02 after the estimate: replay it"));
	verdict_estimate(p, &registers, 1.02, 1.02, 1.02, "analytic");
	ct_verdict_decide(p, &registers, &v);
	assert_string_equal(
		v.reason,
		"conflicts are rare; range 1.01..1.03 crosses 1.02 after the estimate: a full replay may tell");
	ct_profile_free(p);
}

/* A mechanism that had nothing to act on is told so. */
static void test_acted(void **state)
{
	struct ct_verdict v;
	struct ct_profile *p = verdict_profile(8, 0.1);
	(void)state;
	verdict_estimate(p, &lines, 1.0, 1.0, 1.0, "replay");
	ct_verdict_decide(p, &lines, &v);
	assert_null(strstr(v.reason, "0 evictions"));
	assert_int_equal(ct_profile_add_count(p, "all", "lines_left", 0, NULL, "replay", NULL), 0);
	ct_verdict_decide(p, &lines, &v);
	assert_int_equal(v.word, CT_NEUTRAL);
	assert_string_equal(v.reason, "0 evictions: nothing to act on");
	verdict_estimate(p, &lines, 1.012, 1.012, 1.012, "replay"); /* of what else it changes */
	ct_verdict_decide(p, &lines, &v);
	assert_string_equal(v.reason,
	                    "0 evictions: nothing to act on, +1.2 % come of what New+ changes besides");
	verdict_estimate(p, &lines, 1.3, 1.3, 1.3, "replay"); /* it moved all the same */
	ct_verdict_decide(p, &lines, &v);
	assert_null(strstr(v.reason, "nothing to act on"));
	verdict_estimate(p, &lines, 1.0, 1.0, 1.0, "replay");
	assert_int_equal(ct_profile_add_count(p, "all", "lines_left", 3, NULL, "replay", NULL), 0);
	ct_verdict_decide(p, &lines, &v);
	assert_null(strstr(v.reason, "0 evictions"));
	ct_profile_free(p);
}

/* The row of a replay has the range of the verdict that the replay decides, whether or not the row says that its number has no
 * range. */
static void test_rows_of_replays(void **state)
{
	static const char *const head[] = {"speed-up", "range"};
	const struct ct_mechanism_number row[] = {{1.5, 1.5, 1.5}, {1.5, NAN, NAN}};
	struct ct_profile *p = verdict_profile(8, 0.1);
	struct ct_verdict v;
	char want[64];
	(void)state;
	verdict_estimate(p, &registers, 1.5, NAN, NAN, "replay");
	ct_verdict_decide(p, &registers, &v);
	assert_int_equal(v.decided_by, CT_DECIDED_FULL);
	snprintf(want, sizeof want, "%.3f..%.3f", v.low, v.high);
	for (int i = 0; i < 2; i++) {
		const struct ct_table_style style = {0};
		struct ct_table t = {.columns = 2, .style = &style};
		struct ct_buf b = {0};
		ct_table_heads(&t, head);
		ct_verdict_speedup_cells(&t, p, registers.name, &row[i], "replay", 0);
		ct_table_render(&t, &b);
		ct_buf_putc(&b, '\0');
		assert_non_null(strstr(b.data, want));
		ct_buf_free(&b);
	}
	ct_profile_free(p);
}

/* What estimators print behind their tables. */
static void test_line(void **state)
{
	struct ct_verdict v = verdict(1.2, 1.2, 1.2, "replay");
	struct ct_buf b = {0};
	(void)state;
	ct_verdict_line(&v, &registers, &b);
	assert_string_equal(
		b.data,
		"verdict: benefits: New runs 1.20 times as fast as this GPU as configured (range "
		"1.14..1.26, decided by the estimate): conflicts are rare\n");
	ct_buf_reset(&b);
	struct ct_profile *p = verdict_profile(0.04, 0.1);
	ct_verdict_decide(p, &registers, &v);
	ct_verdict_line(&v, &registers, &b);
	assert_string_equal(b.data,
	                    "verdict: unknown: profile lacks registers; run reuse --mechanisms all\n");
	ct_profile_free(p);
	ct_buf_free(&b);
}

/* A number with 300 digits leaves no room for what follows, and nothing is written behind the reason. */
static void test_long_numbers(void **state)
{
	static const char *const metric[] = {
		"replication_ratio", "l1_miss_rate", "llc_mpki", "distinct_lines", "line_touched_25"};
	struct {
		struct ct_verdict v;
		char behind[4096];
	} x;
	struct ct_profile *p = verdict_profile(8, 0.1);
	(void)state;
	for (size_t i = 0; i < sizeof metric / sizeof metric[0]; i++)
		assert_int_equal(ct_profile_add_real(p, "all", metric[i], 1e306, NULL, "replay", NULL),
		                 0);
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		const struct ct_mechanism *m = ct_mechanism_at(i);
		for (unsigned s = 0; s < m->n_systems; s++)
			for (unsigned k = 0; k < m->n_metrics; k++) {
				struct ct_estimate one = {
					.scope = "all",
					.mechanism = m->name,
					.system = m->systems[s].name,
					.metric = m->metrics[k].name,
					.method = "replay",
					.value = 1e306,
					.low = NAN,
					.high = NAN};
				assert_int_equal(ct_profile_add_estimate(p, &one, NULL), CT_OK);
			}
		memset(&x, 'x', sizeof x);
		m->reason(p, &(struct ct_mechanism_number){1.2, 1.1, 1.3}, x.v.reason,
		          sizeof x.v.reason);
		assert_true(strlen(x.v.reason) < CT_REASON_MAX);
		for (size_t c = 0; c < sizeof x.behind; c++)
			assert_int_equal(x.behind[c], 'x');
		verdict_estimate(p, m, 1.2, 1.1, 1.3, "replay");
		ct_verdict_decide(p, m, &x.v);
		assert_true(strlen(x.v.reason) < CT_REASON_MAX);
	}
	ct_profile_free(p);
}

static void test_record(void **state)
{
	struct ct_verdict v = verdict(1.25, 1.2, 1.3, "replay"), back;
	struct ct_profile *p = ct_profile_new(NULL);
	const struct ct_mechanism *m = ct_mechanism_at(ct_mechanism_count() - 1);
	size_t i = 0;
	(void)state;
	assert_non_null(p);
	assert_int_equal(ct_verdict_write(p, "a\tb", m, &v, NULL), CT_OK);
	assert_int_equal(ct_verdict_write(p, "a\tb", m, &v, NULL), CT_OK);
	assert_int_equal(ct_verdict_write(p, "c", &registers, &v, NULL), CT_OK);
	const struct ct_record *r = ct_profile_next(p, "TV", &i);
	assert_non_null(r);
	assert_int_equal(ct_verdict_read(r, &back), ct_mechanism_count() - 1);
	assert_int_equal(back.word, v.word);
	assert_true(fabs(back.low - v.low) < 1e-5);
	assert_string_equal(back.reason, v.reason);
	r = ct_profile_next(p, "TV", &i);
	assert_non_null(r);
	assert_null(ct_profile_next(p, "TV", &i));
	assert_int_equal(ct_verdict_read(r, &back), -1); /* this build knows no such mechanism */
	ct_profile_free(p);
}

/* What a sample of lines is off by widens the estimates that read those lines, and no others: an estimate by
 * registers stays as it is. */
static void test_sampled(void **state)
{
	unsigned none = 0, l1 = 0, views = 0;
	(void)state;
	struct ct_profile *p = verdict_profile(8, 0.1);
	assert_int_equal(ct_profile_add_re(p, "all", "l1", 0.125, 0.05, 0.07, NULL), CT_OK);
	assert_int_equal(ct_profile_add_re(p, "all", "llc@sms=34", 0.125, 0.2, 0.3, NULL), CT_OK);
	for (unsigned k = 0; k < ct_mechanism_count(); k++) {
		const struct ct_mechanism *m = ct_mechanism_at(k);
		struct ct_estimate es = {
			.mechanism = m->name, .method = "analytic", .value = 1, .low = NAN, .high = NAN};
		double off = ct_range_doubt(p, &es).sampled;
		if (m->views & CT_READS_LLC_SMS) {
			assert_true(off == 0.2);
			views++;
		} else if (m->views & CT_READS_L1) {
			assert_true(off == 0.05);
			l1++;
		} else {
			assert_true(off == 0);
			none++;
		}
	}
	assert_true(none && l1 && views);
	ct_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),     cmocka_unit_test(test_range),
		cmocka_unit_test(test_own_error), cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_too_small), cmocka_unit_test(test_one_channel),
		cmocka_unit_test(test_part),      cmocka_unit_test(test_inside),
		cmocka_unit_test(test_damaged),   cmocka_unit_test(test_lacking),
		cmocka_unit_test(test_unsaid),    cmocka_unit_test(test_too_wide),
		cmocka_unit_test(test_acted),     cmocka_unit_test(test_rows_of_replays),
		cmocka_unit_test(test_line),      cmocka_unit_test(test_long_numbers),
		cmocka_unit_test(test_record),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/range.h"

static const struct ct_range_rule COUNTS = {.low = 0, .high = 1000000, .whole = 1};
static const struct ct_range_rule SIZES = {
	.unit = CT_UNIT_BYTES, .low = 1, .high = 1 << 30, .whole = 1, .factor = 2};
static const struct ct_range_rule REALS = {.unit = CT_UNIT_MHZ, .low = 0, .high = 1e5, .points_max = 64};

static int read_range(const char *text, const struct ct_range_rule *rule, struct ct_range_spec *r,
                      struct ct_error *e)
{
	struct ct_range_text t;
	int st = ct_range_split("--sweep", text, "sms=10..68", &t, e);
	return st == CT_OK ? ct_range_read("--sweep", &t, rule, r, e) : st;
}

/* The values of a range as one text. */
static void check(const char *text, const struct ct_range_rule *rule, const char *key, const char *want)
{
	struct ct_range_spec r;
	struct ct_error e = {0};
	char got[512] = "", one[32];
	assert_int_equal(read_range(text, rule, &r, &e), CT_OK);
	assert_string_equal(r.key, key);
	for (size_t i = 0; i < ct_range_points(&r); i++) {
		ct_range_text_at(&r, i, one, sizeof one);
		strncat(got, one, sizeof got - strlen(got) - 2);
		strcat(got, " ");
	}
	assert_string_equal(got, want);
}

static void refuse(const char *text, const struct ct_range_rule *rule, const char *says)
{
	struct ct_range_spec r = {.first = -7};
	struct ct_error e = {0};
	assert_int_equal(read_range(text, rule, &r, &e), CT_ERR_USAGE);
	assert_true(r.first == -7);
	if (!strstr(e.text, says) || strncmp(e.text, "--sweep ", 8) || !strstr(e.text, text))
		fail_msg("'%s' lacks '%s' or '%s'", e.text, says, text);
}

static void values_of_a_range(void **state)
{
	(void)state;
	check("sthld=0..8:4", &COUNTS, "sthld", "0 4 8 ");
	check("sthld=0..9:4", &COUNTS, "sthld", "0 4 8 ");
	check("sthld=7..7", &COUNTS, "sthld", "7 ");
	check("0x10..0x12", &COUNTS, "", "16 17 18 ");
	check("chunk=8..70:x2", &COUNTS, "chunk", "8 16 32 64 ");
	check("l1.size=16KiB..256KiB", &SIZES, "l1.size", "16384 32768 65536 131072 262144 ");
	check("l1.size=16KiB..48KiB:16KiB", &SIZES, "l1.size", "16384 32768 49152 ");
	check("l1.size=1..26:x3", &SIZES, "l1.size", "1 3 9 ");
	check("clock=1GHz..2GHz:250MHz", &REALS, "clock", "1000 1250 1500 1750 2000 ");
	check("clock=0..0.3:0.1", &REALS, "clock", "0 0.1 0.2 0.3 ");
	check("clock=1..5.0625:x1.5", &REALS, "clock", "1 1.5 2.25 3.375 5.0625 ");
	check("share=1/8..0.5:0.125", &(struct ct_range_rule){.high = 1}, "share",
	      "0.125 0.25 0.375 0.5 ");
}

static void what_is_no_range(void **state)
{
	static const char
		*const form = "write KEY=A..B, KEY=A..B:STEP or KEY=A..B:xFACTOR, as in sms=10..68";
	(void)state;
	refuse("", &COUNTS, form);
	refuse("sms", &COUNTS, form);
	refuse("sms=8", &COUNTS, form);
	refuse("=1..2", &COUNTS, form);
	refuse("sms=..2", &COUNTS, form);
	refuse("sms=1..", &COUNTS, form);
	refuse("sms=1..2:", &COUNTS, form);
	refuse("sms=00000000000000000000000000000001..2", &COUNTS, form);
	refuse("sms=a..2", &COUNTS, "'a' is no whole number from 0 to 1000000");
	refuse("sms=1..2.5", &COUNTS, "'2.5' is no whole number");
	refuse("sms=1..1000001", &COUNTS, "'1000001' is no whole number from 0 to 1000000");
	refuse("sms=-1..2", &COUNTS, "'-1' is no");
	refuse("l1.size=0..4KiB", &SIZES, "from 1 to 1073741824 bytes");
	refuse("clock=1..2GB", &REALS, "'2GB' is no number from 0 to 100000 MHz");
	refuse("clock=nan..2", &REALS, "'nan' is no number");
	refuse("sms=9..8", &COUNTS, "write the smaller one first");
	refuse("sms=1..8:0", &COUNTS, "a whole number above 0");
	refuse("sms=1..8:0.5", &COUNTS, "a whole number above 0");
	refuse("sms=1..8:x1", &COUNTS, "a whole number above 1");
	refuse("sms=1..8:x1.5", &COUNTS, "a whole number above 1");
	refuse("sms=1..8:x", &COUNTS, "a whole number above 1");
	refuse("clock=1..8:-1", &REALS, "a number above 0");
	refuse("sms=0..8:x2", &COUNTS, "start above 0");
	refuse("sms=0..4096", &COUNTS, "more than 4096 points");
	refuse("clock=0..64", &REALS, "more than 64 points");
	refuse("clock=1..1.01:x1.000001", &REALS, "more than 64 points");
}

/* Whatever the numbers are: the values ascend, none is past the last, and one more would be. */
static void ranges_are_full(void **state)
{
	(void)state;
	for (unsigned first = 1; first < 12; first++)
		for (unsigned last = first; last < 60; last++)
			for (unsigned step = 1; step < 9; step++) {
				char text[64], one[32], want[32];
				struct ct_range_spec r;
				size_t n = 0;
				int times = step > 1 && (first + last) % 2;
				snprintf(text, sizeof text, "k=%u..%u:%s%u", first, last,
				         times ? "x" : "", step);
				assert_int_equal(read_range(text, &COUNTS, &r, NULL), CT_OK);
				for (unsigned v = first; v <= last;
				     v = times ? v * step : v + step, n++) {
					snprintf(want, sizeof want, "%u", v);
					ct_range_text_at(&r, n, one, sizeof one);
					assert_string_equal(one, want);
				}
				assert_int_equal(ct_range_points(&r), n);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_a_range),
		cmocka_unit_test(what_is_no_range),
		cmocka_unit_test(ranges_are_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

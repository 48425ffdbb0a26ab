/* Thresholds: grammar, precedence, missing values, base, globs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/verdict/require.h"

/* A run is a list of "name=value". */
static int number(const void *run, const struct ct_require_name *nm, double *v)
{
	char key[200];
	const char *const *list = run;
	snprintf(key, sizeof key, "%s%s%s%s%s=", nm->mechanism, *nm->mechanism ? "." : "", nm->system,
	         *nm->system ? "." : "", nm->metric);
	for (; *list; list++)
		if (strncmp(*list, key, strlen(key)) == 0) {
			*v = strtod(*list + strlen(key), NULL);
			return 1;
		}
	return 0;
}

static const char *word(const void *run, const char *mechanism)
{
	(void)run;
	return strcmp(mechanism, "morpheus") == 0    ? "benefits"
	       : strcmp(mechanism, "shared-l1") == 0 ? "unknown"
	                                             : NULL;
}

static struct ct_require_source source = {number, word, 0};
static const char *const now[] = {
	"ipc=3",
	"llc_mpki=10",
	"zero=0",
	"morpheus.Morpheus-ALL.speedup=1.2",
	"morpheus.Morpheus-Basic/No-Prediction.speedup=0.9",
	"shared-l1.Shared++.speedup=1.1",
	"tag-split.TSC+.ipc=4",
	"tag-split.128B.ipc=2",
	"malekeh.Malekeh_PR.ipc=5",
	"morpheus.low=1.1",
	"shared-l1.low=1.3",
	NULL};
static const char *const then[] = {"ipc=4", "llc_mpki=9", NULL};

static enum ct_require_outcome outcome(const char *text, const void *old)
{
	struct ct_require *r;
	struct ct_error e = {0};
	char why[160];
	if (ct_require_parse(&r, text, &e) < 0)
		fail_msg("%s", e.text);
	enum ct_require_outcome o = ct_require_eval(r, &source, now, old, why, sizeof why);
	ct_require_free(r);
	return o;
}

static void holds(const char *text)
{
	assert_int_equal(outcome(text, then), CT_REQUIRE_PASSED);
}
static void breaks(const char *text)
{
	assert_int_equal(outcome(text, then), CT_REQUIRE_FAILED);
}

/* A verdict that is unknown holds for nothing but its own word, unless that is allowed. */
static void test_unknown(void **state)
{
	static const char *const test[] = {
		"shared-l1.verdict != hurts",    "shared-l1.verdict == benefits",
		"shared-l1.low > 1.2",           "shared-l1.low < 1.2",
		"2 * (shared-l1.low - 1) > 0.1", "ipc == 3 and shared-l1.verdict != hurts",
		"ipc > -shared-l1.low",          "shared-l1.speedup > 1"};
	(void)state;
	for (size_t i = 0; i < sizeof test / sizeof test[0]; i++) {
		source.allow_unknown = 0;
		breaks(test[i]);
		source.allow_unknown = 1;
		holds(test[i]);
	}
	breaks("ipc == 4 and shared-l1.verdict != hurts"); /* what is known still decides */
	source.allow_unknown = 0;
	holds("shared-l1.verdict == unknown");
	breaks("shared-l1.verdict != unknown");
	holds("shared-l1.verdict != hurts or shared-l1.verdict == unknown");
	holds("shared-l1.Shared++.speedup > 1.05"); /* an estimate, not the verdict */
	holds("morpheus.verdict != hurts and morpheus.low > 1");
}

static void test_names(void **state)
{
	(void)state;
	holds("ipc == 3");
	holds("morpheus.Morpheus-ALL.speedup >= 1.05");
	breaks("morpheus.Morpheus-ALL.speedup>=1.25");
	holds("morpheus.Morpheus-Basic/No-Prediction.speedup < 1");
	holds("shared-l1.Shared++.speedup > 1.05");
	holds("tag-split.TSC+.ipc / tag-split.128B.ipc == 2");
	holds("malekeh.Malekeh_PR.ipc != 4");
	holds("morpheus.low > 1");
	holds("morpheus.verdict == benefits");
	breaks("morpheus.verdict != benefits");
}

static void test_arithmetic(void **state)
{
	(void)state;
	holds("1 + 2 * 3 == 7");
	holds("(1 + 2) * 3 == 9");
	holds("10 - 4 - 3 == 3");
	holds("8 / 4 / 2 == 1");
	holds("-ipc + 4 == 1");
	holds("5% == .05");
	holds("1e3 == 1000");
	holds("2*(ipc-1)==4");
	holds("((ipc)) == (3)");
}

static void test_logic(void **state)
{
	(void)state;
	holds("ipc > 2 and llc_mpki < 11");
	breaks("ipc > 2 and llc_mpki < 9");
	holds("ipc > 9 or llc_mpki < 11");
	holds("ipc > 9 and ipc > 9 or ipc == 3");
	breaks("ipc > 9 and (ipc > 9 or ipc == 3)");
	holds("(ipc > 9 or ipc == 3) and (((llc_mpki == 10)))");
	holds("(ipc + 1) * 2 == 8 and ipc < 4");
}

static void test_base(void **state)
{
	(void)state;
	holds("llc_mpki <= 1.2*base");
	breaks("llc_mpki <= 1.05*base");
	holds("ipc >= base - 1");
	holds("2*ipc == base - 2"); /* base is the whole left side: 8 */
	holds("ipc < base and llc_mpki > base");
	assert_int_equal(outcome("ipc < base", NULL), CT_REQUIRE_NO_BASE);
	assert_int_equal(outcome("morpheus.low < base", then), CT_REQUIRE_NO_BASE);
}

static void test_missing(void **state)
{
	(void)state;
	assert_int_equal(outcome("l1_mpki > 1", then), CT_REQUIRE_ABSENT);
	assert_int_equal(outcome("ipc > 1 and l1_mpki > 1", then), CT_REQUIRE_ABSENT);
	assert_int_equal(outcome("ipc > 1 or l1_mpki > 1", then), CT_REQUIRE_PASSED);
	assert_int_equal(outcome("l1_mpki > 1 or ipc > 1", then), CT_REQUIRE_PASSED);
	assert_int_equal(outcome("absent > 1", then), CT_REQUIRE_MISNAMED);
	assert_int_equal(outcome("ipc / zero > 1", then), CT_REQUIRE_ABSENT);
	/* What is no number differs from every number. */
	assert_int_equal(outcome("1e308*10 - 1e308*10 != 1", then), CT_REQUIRE_ABSENT);
	assert_int_equal(outcome("1 != 0*1e308*10", then), CT_REQUIRE_PASSED);
	assert_int_equal(outcome("1 != 0*(1e308*10)", then), CT_REQUIRE_ABSENT);
	assert_int_equal(outcome("malekeh.verdict == unknown", then), CT_REQUIRE_ABSENT);
}

static void test_globs(void **state)
{
	struct ct_require *r;
	(void)state;
	assert_int_equal(ct_require_parse(&r, " ipc > 1 for bfs*, nw ", NULL), CT_OK);
	assert_string_equal(ct_require_text(r), "ipc > 1 for bfs*, nw");
	assert_true(ct_require_applies(r, "bfs-queue"));
	assert_true(ct_require_applies(r, "nw"));
	assert_false(ct_require_applies(r, "nw2"));
	assert_false(ct_require_uses_base(r));
	ct_require_free(r);
	assert_int_equal(ct_require_parse(&r, "ipc > base", NULL), CT_OK);
	assert_true(ct_require_applies(r, "anything"));
	assert_true(ct_require_uses_base(r));
	ct_require_free(r);
}

static void test_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"ipc",
		"ipc >",
		"> 1",
		"ipc > 1 2",
		"ipc => 1",
		"ipc > 1 for",
		"ipc > 1 for a,,b",
		"(ipc > 1",
		"ipc > (1",
		"base > 1",
		"ipc > 1 and",
		"morpheus. > 1",
		"morpheus.verdict > 1",
		"morpheus.verdict == good",
		"ipc > 1.2.3",
		"ipc > $",
		"ipc > 1 xor ipc > 2",
		"((((((((((((((((((((((((((((((((((((((((((ipc > 1"};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct ct_require *r;
		struct ct_error e = {0};
		assert_int_equal(ct_require_parse(&r, wrong[i], &e), CT_ERR_USAGE);
		assert_null(r);
		assert_non_null(strstr(e.text, "column"));
	}
}

static void test_long(void **state)
{
	char *text = malloc(CT_REQUIRE_TEXT_MAX + 2);
	struct ct_require *r;
	(void)state;
	assert_non_null(text);
	memset(text, '1', CT_REQUIRE_TEXT_MAX + 1);
	text[CT_REQUIRE_TEXT_MAX + 1] = '\0';
	assert_int_equal(ct_require_parse(&r, text, NULL), CT_ERR_USAGE);
	for (int i = 0; i + 1 < CT_REQUIRE_TEXT_MAX; i += 2)
		memcpy(text + i, "1+", 2);
	assert_int_equal(ct_require_parse(&r, text, NULL), CT_ERR_USAGE);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),      cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_logic),
		cmocka_unit_test(test_base),       cmocka_unit_test(test_missing),
		cmocka_unit_test(test_globs),      cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

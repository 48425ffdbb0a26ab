#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/stage.h"

static void check(const char *text, size_t n, const uint64_t *want)
{
	uint64_t *got;
	size_t k;
	assert_int_equal(ct_parse_sizes("--sizes", text, &got, &k, NULL), CT_OK);
	assert_int_equal(k, n);
	for (size_t i = 0; i < n; i++)
		assert_true(got[i] == want[i]);
	free(got);
}

static void lists_and_ranges(void **state)
{
	(void)state;
	check("16KiB", 1, (const uint64_t[]){16384});
	check("32KiB,16KiB,32768", 2, (const uint64_t[]){16384, 32768});
	check("1KiB..5KiB", 3, (const uint64_t[]){1024, 2048, 4096});
	check("4KiB..4KiB,1", 2, (const uint64_t[]){1, 4096});
	check("1..2,3", 3, (const uint64_t[]){1, 2, 3});
	check("9223372036854775808..18446744073709551615", 1, (const uint64_t[]){1ull << 63});
}

static void what_is_no_size(void **state)
{
	static const char *const bad[] = {
		"", ",", "0", "x", "4KiB,", "8KiB..4KiB", "..", "4KiB..", "1.5", "-1"};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint64_t *got = NULL;
		size_t k;
		struct ct_error e = {0};
		assert_int_equal(ct_parse_sizes("--sizes", bad[i], &got, &k, &e), CT_ERR_USAGE);
		assert_non_null(strstr(e.text, "--sizes"));
		assert_null(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges),
		cmocka_unit_test(what_is_no_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

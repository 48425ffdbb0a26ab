/* Division by a multiplication: the same as the machine's, near multiples and at the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/private/divide.h"

static void near_multiples(void **state)
{
	(void)state;
	for (uint64_t by = 1; by < 300; by++) {
		struct rp_divisor d = rp_divisor_of(by);
		for (unsigned bit = 0; bit < 63; bit++)
			for (uint64_t n = (UINT64_C(1) << bit) / by * by, i = 0; i < 3; i++)
				assert_int_equal(rp_divide_by(n + i - 1, &d), (n + i - 1) / by);
	}
}

static void at_the_limit(void **state)
{
	(void)state;
	static const uint64_t large[] = {172500, 350000, UINT32_MAX, UINT64_C(1) << 40, UINT64_MAX / 3};
	for (unsigned i = 0; i < sizeof large / sizeof *large; i++) {
		struct rp_divisor d = rp_divisor_of(large[i]);
		for (uint64_t n = 0; n < 6; n++) {
			assert_int_equal(rp_divide_by(d.limit + n - 3, &d),
			                 (d.limit + n - 3) / large[i]);
			assert_int_equal(rp_divide_by(UINT64_MAX - n, &d), (UINT64_MAX - n) / large[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_multiples),
		cmocka_unit_test(at_the_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

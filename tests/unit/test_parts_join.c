/* Parts of two mechanisms in one engine: what goes together, and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/parts.h"

static const struct ct_shaper_part shaper;
static const struct ct_l1_part l1;
static const struct ct_admission_part admission;
static const struct ct_llc_part llc;
static const struct ct_sched_part sched;
static const struct ct_collector_part collector;
static const uint8_t owned[1];

/* Each place alone. */
enum { SHAPER, L1, ADMISSION, LLC, SCHED, COLLECTOR, OWNED, PLACES };
static struct ct_replay_parts only(unsigned place)
{
	struct ct_replay_parts p;
	memset(&p, 0, sizeof p);
	p.shaper = place == SHAPER ? &shaper : NULL;
	p.l1 = place == L1 ? &l1 : NULL;
	p.admission = place == ADMISSION ? &admission : NULL;
	p.llc = place == LLC ? &llc : NULL;
	p.sched = place == SCHED ? &sched : NULL;
	p.collector = place == COLLECTOR ? &collector : NULL;
	p.owned = place == OWNED ? owned : NULL;
	return p;
}

static void test_pairs(void **state)
{
	(void)state;
	for (unsigned a = 0; a < PLACES; a++)
		for (unsigned b = 0; b < PLACES; b++) {
			struct ct_replay_parts into = only(a), more = only(b);
			struct ct_error e = {0};
			int excluded = a == b || (a == L1 && b == ADMISSION) ||
			               (a == ADMISSION && b == L1);
			assert_int_equal(ct_replay_parts_join(&into, &more, &e),
			                 excluded ? CT_ERR_USAGE : CT_OK);
			assert_int_equal(excluded, *e.text != '\0');
			if (excluded)
				continue;
			assert_int_equal(into.llc != NULL, a == LLC || b == LLC);
			assert_int_equal(into.collector != NULL, a == COLLECTOR || b == COLLECTOR);
			assert_int_equal(into.owned != NULL, a == OWNED || b == OWNED);
		}
}

static void test_window(void **state)
{
	(void)state;
	static const uint32_t cases[][3] = {{0, 0, 0}, {5, 0, 5}, {0, 7, 7}, {5, 7, 5}, {7, 5, 5}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ct_replay_parts into = only(LLC), more = only(SCHED);
		into.window = cases[i][0];
		more.window = cases[i][1];
		assert_int_equal(ct_replay_parts_join(&into, &more, NULL), CT_OK);
		assert_int_equal(into.window, cases[i][2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_window),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

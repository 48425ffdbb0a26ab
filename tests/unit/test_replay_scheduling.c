/* What holds a warp back and which warp is next (replay/scheduling.h), and the ways of a set
 * (replay/ways.h), beside the plainest possible twins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "replay/scheduling.h"
#include "replay/ways.h"

enum { SLOTS = 64, TRIES = 20000 };

struct warp {
	uint32_t other;
	uint64_t age;
};

/* Masks of few and of many slots, never 0. */
static uint64_t random_mask(uint64_t *rng)
{
	uint64_t m = ct_rand64(rng);
	for (uint64_t thin = ct_rand64(rng) % 7; thin && m; thin--)
		m &= ct_rand64(rng);
	return m ? m : UINT64_C(1) << ct_rand64(rng) % SLOTS;
}

static uint32_t plain_oldest(uint64_t mask, const struct warp *w)
{
	uint32_t best = SLOTS;
	for (uint32_t i = 0; i < SLOTS; i++)
		if ((mask >> i & 1) && (best == SLOTS || w[i].age < w[best].age))
			best = i;
	return best;
}

static void picks_are_those_of_the_twin(void **state)
{
	uint64_t rng = 1;
	(void)state;
	for (int t = 0; t < TRIES; t++) {
		struct warp w[SLOTS];
		for (uint32_t i = 0; i < SLOTS; i++)
			w[i] = (struct warp){0, ct_rand64(&rng) % 40};
		uint64_t mask = random_mask(&rng), some = random_mask(&rng);
		uint32_t last = (uint32_t)(ct_rand64(&rng) % SLOTS), turn = last;
		do
			turn = (turn + 1) % SLOTS;
		while (!(mask >> turn & 1));
		assert_int_equal(ct_pick_in_turn(mask, last), turn);
		assert_int_equal(ct_pick_oldest(mask, &w[0].age, sizeof *w), plain_oldest(mask, w));
		uint32_t greedy = mask >> last & 1 ? last
		                                   : plain_oldest(mask & some ? mask & some : mask, w);
		assert_int_equal(ct_pick_greedy(mask, last, some, &w[0].age, sizeof *w), greedy);
	}
}

/* Copies that are not back, in the order of their issue, with the group that each belongs to. */
struct twin {
	uint32_t copy[512], n, group, wait;
};

static int twin_waits(const struct twin *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->copy[i] < w->wait)
			return 1;
	return 0;
}

static void groups_are_those_of_the_twin(void **state)
{
	struct ct_warp_wait w = {0};
	struct twin x = {0};
	uint64_t rng = 2;
	(void)state;
	for (int t = 0; t < TRIES; t++) {
		uint32_t what = (uint32_t)(ct_rand64(&rng) % 8), left = (uint32_t)(ct_rand64(&rng) % 5);
		int waits = ct_warp_waits_for_group(&w);
		if (what < 4 && !waits && x.n < 40) {
			ct_warp_effect(&w, CT_EFFECT_COPY, 0);
			x.copy[x.n++] = x.group;
		} else if (what == 4 && !waits && (!x.n || x.group - x.copy[0] < 20)) {
			ct_warp_effect(&w, CT_EFFECT_CLOSE_GROUP, 0);
			ct_warp_complete_groups(&w);
			x.group++;
		} else if (what == 5 && !waits) {
			ct_warp_effect(&w, CT_EFFECT_WAIT_GROUPS, left);
			if (x.group >= left)
				x.wait = x.group - left;
		} else if (x.n) {
			uint32_t i = (uint32_t)(ct_rand64(&rng) % x.n);
			w.group_open[x.copy[i] % CT_WARP_GROUPS]--;
			ct_warp_complete_groups(&w);
			memmove(&x.copy[i], &x.copy[i + 1], (--x.n - i) * sizeof *x.copy);
		}
		assert_int_equal(ct_warp_waits_for_group(&w), twin_waits(&x));
		assert_int_equal(ct_warp_waits(&w), twin_waits(&x));
	}
	assert_true(x.group > 100);
}

static void effects_hold_a_warp(void **state)
{
	struct ct_warp_wait w = {0};
	(void)state;
	assert_false(ct_warp_waits(&w));
	ct_warp_effect(&w, CT_EFFECT_NONE, 7);
	assert_false(ct_warp_waits(&w));
	ct_warp_effect(&w, CT_EFFECT_BARRIER, 0);
	assert_true(ct_warp_waits(&w));
	w.at_barrier = 0;
	ct_warp_effect(&w, CT_EFFECT_FENCE, 0);
	assert_true(ct_warp_waits(&w));
	w.fence = 0;
	ct_warp_effect(&w, CT_EFFECT_ATOMIC, 0);
	ct_warp_effect(&w, CT_EFFECT_ATOMIC, 0);
	w.atomics--;
	assert_true(ct_warp_waits(&w));
	w.atomics--;
	assert_false(ct_warp_waits(&w));
	uint32_t arrived = 0;
	assert_false(ct_barrier_opens(&arrived, 0)); /* nobody waits */
	arrived = 2;
	assert_false(ct_barrier_opens(&arrived, 3));
	assert_int_equal(arrived, 2);
	assert_true(ct_barrier_opens(&arrived, 2)); /* the third has ended */
	assert_int_equal(arrived, 0);
}

/* Longer than struct ct_way, as a cache's own record is. */
struct own {
	struct ct_way w;
	uint32_t more;
};

static void ways_are_those_of_the_twin(void **state)
{
	enum { WAYS = 8 };
	uint64_t rng = 3;
	(void)state;
	for (int t = 0; t < TRIES; t++) {
		struct own set[WAYS];
		uint32_t n = 1 + (uint32_t)(ct_rand64(&rng) % WAYS);
		uint64_t line = ct_rand64(&rng) % 12;
		const struct ct_way *at = NULL, *victim = NULL;
		for (uint32_t i = 0; i < WAYS; i++) {
			uint64_t v = ct_rand64(&rng);
			set[i] = (struct own){.w = {.line = i + (v & 3),
			                            .stamp = v >> 8 & 7,
			                            .used = v >> 16 & 7 ? 1 : 0,
			                            .held = v >> 24 & 1},
			                      .more = 1};
		}
		for (uint32_t i = n; i-- > 0;)
			at = set[i].w.used && set[i].w.line == line ? &set[i].w : at;
		for (uint64_t stamp = 0; stamp < 8 && !victim; stamp++)
			for (uint32_t i = 0; i < n && !victim; i++)
				victim = set[i].w.used && !set[i].w.held && set[i].w.stamp == stamp
				                 ? &set[i].w
				                 : NULL;
		for (uint32_t i = n; i-- > 0;)
			victim = set[i].w.used ? victim : &set[i].w;
		assert_ptr_equal(ct_way_find(set, sizeof *set, n, line), at);
		assert_ptr_equal(ct_way_victim(set, sizeof *set, n), victim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(picks_are_those_of_the_twin),
		cmocka_unit_test(groups_are_those_of_the_twin),
		cmocka_unit_test(effects_hold_a_warp),
		cmocka_unit_test(ways_are_those_of_the_twin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

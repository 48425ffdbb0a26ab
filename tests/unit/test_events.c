/* The queue of a node's events, and the order of an SM's clocks, against a plain search for the first one. Seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "replay/private/parts.h"

enum { MOST = 400, STEPS = 60000 };

/* The events that wait, in no order. */
struct twin {
	struct rp_event ev[MOST];
	size_t n;
};

/* The first of the twin's events up to `now`, which leaves it. 0: none. */
static int twin_take(struct twin *t, uint64_t now, struct rp_event *ev)
{
	size_t best = t->n;
	for (size_t i = 0; i < t->n; i++)
		if (t->ev[i].when.at <= now &&
		    (best == t->n || rp_moment_before(NULL, &t->ev[i], &t->ev[best])))
			best = i;
	if (best == t->n)
		return 0;
	*ev = t->ev[best];
	t->ev[best] = t->ev[--t->n];
	return 1;
}

static uint64_t twin_next(const struct twin *t)
{
	uint64_t at = RP_NEVER64;
	for (size_t i = 0; i < t->n; i++)
		at = t->ev[i].when.at < at ? t->ev[i].when.at : at;
	return at;
}

/* Mostly near, now and then far away, and sometimes before `now`, as a slice's may be. */
static uint64_t some_cycle(uint64_t *seed, uint64_t now)
{
	const uint64_t r = ct_rand64(seed);
	switch (r % 16) {
	case 0: return now + (r >> 8) % 5000;
	case 1: return now - (r >> 8) % 40 % (now + 1);
	case 2: return now + 60 + (r >> 8) % 8;
	default: return now + (r >> 8) % 40;
	}
}

static void put_both(struct rp_events *q, struct twin *t, uint64_t at, uint64_t seq, uint64_t now)
{
	const struct rp_event ev = {.when = {at, seq}, .data = seq * 3, .arg = (uint32_t)at};
	t->ev[t->n++] = ev;
	assert_int_equal(rp_events_put(q, &ev, now), 0);
}

static void order_equals_plain_search(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		static struct twin t;
		struct rp_events q = {.places.free = RP_NO_INDEX};
		uint64_t now = seed % 2 ? 0 : 1000003, seq = 0, rand = seed, taken = 0;
		t.n = 0;
		for (int step = 0; step < STEPS; step++) {
			struct rp_event a, b;
			while (t.n < MOST && ct_rand64(&rand) % 3)
				put_both(&q, &t, some_cycle(&rand, now), seq++, now);
			assert_int_equal(rp_event_next(&q), twin_next(&t));
			const struct rp_moment end = {now, RP_NEVER64};
			/* What an event brings about may be due at once. */
			while (twin_take(&t, now, &a)) {
				taken++;
				assert_int_equal(rp_events_take(&q, &a.when, &b), 0);
				assert_int_equal(rp_events_take(&q, &end, &b), 1);
				assert_int_equal(a.when.seq, b.when.seq);
				assert_int_equal(a.data, b.data);
				if (ct_rand64(&rand) % 8 == 0)
					put_both(&q, &t, now, seq++, now);
			}
			assert_int_equal(rp_events_take(&q, &end, &b), 0);
			now += ct_rand64(&rand) % 64 ? ct_rand64(&rand) % 6 : 3000;
		}
		assert_true(taken > STEPS);
		rp_events_free(&q);
	}
}

/* The first of the clocks that have been asked for; -1: none has. */
static int first_of(const struct rp_moment *when, const int *asked)
{
	int best = -1;
	for (int k = 0; k < RP_MAX_SCHEDULERS; k++)
		if (asked[k] && (best < 0 || rp_moment_before(NULL, &when[k], &when[best])))
			best = k;
	return best;
}

/* Sub-cores ask for clocks at the end of the order, amid it, and again for an earlier cycle. */
static void clocks_come_in_order(void **state)
{
	struct rp_part_sm ps = {0};
	struct rp_moment when[RP_MAX_SCHEDULERS] = {{0, 0}};
	int asked[RP_MAX_SCHEDULERS] = {0}, first;
	uint64_t rand = 1, seq = 0, earlier = 0, amid = 0;
	(void)state;
	for (int step = 0; step < STEPS; step++) {
		const uint32_t k = (uint32_t)(ct_rand64(&rand) >> 32) % RP_MAX_SCHEDULERS;
		const struct rp_moment at = {(uint64_t)step / 4 + (ct_rand64(&rand) >> 32) % 6, seq++};
		if (!asked[k] || at.at < when[k].at) {
			earlier += asked[k];
			amid += ps.nclocks && !asked[k] &&
			        at.at < ps.clock[ps.clock_order >> 8 * (ps.nclocks - 1) & 0xff].at;
			rp_clock_put(&ps, k, &at);
			when[k] = at;
			asked[k] = 1;
		}
		if (ct_rand64(&rand) % 3 == 0)
			continue;
		first = first_of(when, asked);
		assert_int_equal(rp_first_clock(&ps), first);
		assert_int_equal(ps.clock[first].seq, when[first].seq);
		rp_clock_take(&ps);
		asked[first] = 0;
		assert_int_equal(ps.clocks >> first & 1, 0);
	}
	assert_true(earlier > 100 && amid > 100);
	while ((first = first_of(when, asked)) >= 0) {
		assert_int_equal(rp_first_clock(&ps), first);
		rp_clock_take(&ps);
		asked[first] = 0;
	}
	assert_int_equal(ps.clocks, 0);
	assert_int_equal(ps.nclocks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_equals_plain_search),
		cmocka_unit_test(clocks_come_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

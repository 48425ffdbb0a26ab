/* The queue of a node's events against a plain search for the first one. Seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "replay/private/events.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_equals_plain_search),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

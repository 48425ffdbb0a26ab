/* Line utilisation against a brute-force cache, and the patterns of the papers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/lineutil.h"

enum { SMS = 3, MAX_SETS = 4, MAX_WAYS = 8 };

/* The twin: arrays of ways, a clock for LRU, nothing clever. */
struct twin_line {
	int present;
	uint64_t line, used;
	unsigned valid, reused, touched;
};
struct twin {
	unsigned sets, ways, chunks;
	int whole, evict;
	uint64_t clock;
	struct twin_line way[SMS][MAX_SETS][MAX_WAYS];
	struct ct_lineutil_counts c;
};

static unsigned ones(unsigned m)
{
	unsigned n = 0;
	for (unsigned i = 0; i < 32; i++)
		n += m >> i & 1;
	return n;
}

static void twin_leave(struct twin *t, struct twin_line *w)
{
	t->c.reused[ones(w->reused)]++;
	t->c.touched[ones(w->touched)]++;
	w->present = 0;
}

static void twin_access(struct twin *t, unsigned sm, uint64_t line, unsigned set, unsigned chunks,
                        unsigned bytes, int write)
{
	struct twin_line *s = t->way[sm][set], *hit = NULL, *victim = NULL;
	for (unsigned i = 0; i < t->ways; i++) {
		if (s[i].present && s[i].line == line)
			hit = &s[i];
		if (!victim || !s[i].present || (victim->present && s[i].used < victim->used))
			victim = &s[i];
	}
	if (write) {
		if (hit && t->evict)
			twin_leave(t, hit);
		return;
	}
	t->c.requests[bytes]++;
	if (!hit) {
		if (victim->present)
			twin_leave(t, victim);
		*victim = (struct twin_line){
			1, line, 0, t->whole ? (1u << t->chunks) - 1 : chunks, 0, chunks};
		hit = victim;
	} else {
		hit->reused |= chunks & hit->valid;
		hit->valid |= chunks;
		hit->touched |= chunks;
	}
	hit->used = ++t->clock;
}

static void twin_finish(struct twin *t)
{
	for (unsigned sm = 0; sm < SMS; sm++)
		for (unsigned s = 0; s < t->sets; s++)
			for (unsigned w = 0; w < t->ways; w++)
				if (t->way[sm][s][w].present)
					twin_leave(t, &t->way[sm][s][w]);
}

static void equals_the_twin_on_random_streams(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		uint64_t r = seed;
		struct twin t = {.sets = 1u << ct_rand64(&r) % 3,
		                 .ways = 1 + ct_rand64(&r) % MAX_WAYS,
		                 .chunks = 4,
		                 .whole = (int)(seed & 1),
		                 .evict = (int)(seed >> 1 & 1)};
		struct ct_lineutil_options o = {SMS, 4, t.whole, t.evict};
		struct ct_error e;
		struct ct_lineutil *u = ct_lineutil_new(&o, &e);
		struct ct_lineutil_counts c;
		memset(&c, 0, sizeof c);
		assert_non_null(u);
		assert_int_equal(ct_lineutil_resize(u, t.sets, t.ways, &e), CT_OK);
		for (int i = 0; i < 600; i++) {
			unsigned sm = ct_rand64(&r) % SMS, bytes = 1 + ct_rand64(&r) % 128;
			uint64_t line = ct_rand64(&r) % 40;
			unsigned chunks = 1 + ct_rand64(&r) % 15, set = line % t.sets;
			int write = ct_rand64(&r) % 5 == 0;
			twin_access(&t, sm, line, set, chunks, bytes, write);
			ct_lineutil_access(u, sm, line, set, chunks, bytes, write);
			if (i == 300) { /* a kernel boundary */
				twin_finish(&t);
				assert_int_equal(ct_lineutil_resize(u, t.sets, t.ways, &e), CT_OK);
			}
		}
		twin_finish(&t);
		ct_lineutil_collect(u, &c, 1);
		assert_memory_equal(&c, &t.c, sizeof c);
		ct_lineutil_free(u);
	}
}

/* Point-major features: each lane walks its own line four bytes at a time while the L1
 * holds far fewer lines than there are points, so a line is used once and leaves: the
 * kmeans of the Tag-Split paper, where one of four chunks is touched. */
static void kmeans_like_access_uses_one_chunk(void **state)
{
	(void)state;
	struct ct_lineutil_options o = {1, 4, 1, 1};
	struct ct_error e;
	struct ct_lineutil *u = ct_lineutil_new(&o, &e);
	struct ct_lineutil_counts c;
	memset(&c, 0, sizeof c);
	assert_non_null(u);
	assert_int_equal(ct_lineutil_resize(u, 32, 4, &e), CT_OK);
	for (unsigned feature = 0; feature < 32; feature++)
		for (uint64_t point = 0; point < 1024; point++)
			ct_lineutil_access(u, 0, point, point % 32, 1u << feature * 4 / 32, 4, 0);
	ct_lineutil_collect(u, &c, 1);
	assert_true(c.touched[1] > 9 * (c.touched[2] + c.touched[3] + c.touched[4]));
	assert_true(c.reused[0] > 0 && c.reused[2] + c.reused[3] + c.reused[4] == 0);
	assert_true(c.requests[4] == 32 * 1024);
	ct_lineutil_free(u);
}

static void bad_options_are_refused(void **state)
{
	(void)state;
	struct ct_error e;
	struct ct_lineutil_options o = {1, 5, 0, 0};
	assert_null(ct_lineutil_new(&o, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_twin_on_random_streams),
		cmocka_unit_test(kmeans_like_access_uses_one_chunk),
		cmocka_unit_test(bad_options_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

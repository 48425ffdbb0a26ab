/* L1s without time against a twin that walks all ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "gpu/address.h"
#include "replay/l1s.h"
#include "tests/support/gpus.h"

enum { SMS = 3, SETS = 4, WAYS = 6, LINES = 60, STEPS = 4000 };

struct way {
	uint64_t line, touched; /* touched: 0 where it holds nothing */
	uint32_t valid, readable;
};

struct twin {
	struct ct_gpu g;
	struct way way[SMS][SETS][WAYS];
	uint64_t now;
};

static struct way *find(struct twin *t, uint32_t sm, uint64_t line)
{
	struct way *set = t->way[sm][ct_set_index((enum ct_set_hash)t->g.l1.set_hash, SETS, line)];
	for (unsigned i = 0; i < WAYS; i++)
		if (set[i].touched && set[i].line == line)
			return &set[i];
	return NULL;
}

static struct way *find_or_make(struct twin *t, uint32_t sm, uint64_t line)
{
	struct way *set = t->way[sm][ct_set_index((enum ct_set_hash)t->g.l1.set_hash, SETS, line)];
	struct way *w = find(t, sm, line), *oldest = &set[0];
	for (unsigned i = 1; i < WAYS; i++)
		if (set[i].touched < oldest->touched)
			oldest = &set[i];
	if (!w) {
		w = oldest;
		*w = (struct way){.line = line};
	}
	w->touched = t->now;
	return w;
}

static uint32_t store(struct twin *t, uint32_t sm, const struct ct_l1s_access *a)
{
	struct way *w = find(t, sm, a->line);
	if (t->g.l1.write_policy == CT_WRITE_EVICT) {
		if (w && !(w->valid &= ~(uint32_t)a->sectors))
			*w = (struct way){0};
		if (w)
			w->readable &= w->valid;
	} else if (t->g.l1.write_policy == CT_WRITE_THROUGH_NO_ALLOCATE) {
		if (w)
			w->touched = t->now;
	} else {
		w = find_or_make(t, sm, a->line);
		w->valid |= a->sectors;
		w->readable |= a->whole & a->sectors;
	}
	return a->sectors;
}

static uint32_t twin_access(struct twin *t, uint32_t sm, const struct ct_l1s_access *a)
{
	if (a->bypass)
		return a->sectors;
	t->now++;
	if (a->is_store)
		return store(t, sm, a);
	struct way *w = find_or_make(t, sm, a->line);
	uint32_t missing = a->sectors & ~w->readable;
	w->valid |= missing;
	w->readable |= missing;
	return missing;
}

static void compare(const char *write, uint64_t seed)
{
	const char *const set[] = {"sm.count=3", "l1.dirty_percent=0", "l1.set_hash=linear", write};
	struct twin *t = calloc(1, sizeof *t);
	struct ct_error e = {0};
	assert_non_null(t);
	test_gpu_with(&t->g, "rtx3070", set, sizeof set / sizeof set[0]);
	struct ct_l1s *l = ct_l1s_new(&t->g, &e);
	assert_non_null(l);
	ct_l1s_launch(l, SETS, WAYS);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t r = ct_rand64(&seed);
		const struct ct_l1s_access a = {
			.line = r % LINES,
			.sectors = (uint8_t)(r >> 8 & 15 ? r >> 8 & 15 : 1),
			.whole = r >> 12 & 1 ? 15 : 0,
			.is_store = (r >> 13 & 3) == 0,
			.bypass = (r >> 15 & 15) == 0};
		uint32_t sm = (uint32_t)(r >> 32) % SMS;
		if ((r >> 40) % 500 == 0) {
			ct_l1s_wipe(l, sm);
			memset(t->way[sm], 0, sizeof t->way[sm]);
		}
		if ((r >> 20) % 900 == 0 && t->g.l1_flush) {
			ct_l1s_launch(l, SETS, WAYS);
			memset(t->way, 0, sizeof t->way);
		}
		assert_int_equal(ct_l1s_access(l, sm, &a), twin_access(t, sm, &a));
	}
	ct_l1s_free(l);
	free(t);
}

static void test_as_the_twin(void **state)
{
	static const char *const write[] = {
		"l1.write=through_no_allocate", "l1.write=evict", "l1.write=through_allocate"};
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (uint64_t seed = 1; seed <= 8; seed++)
			compare(write[i], seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_twin)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Heaps against sorting, an index and a table against looking at every item. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/index.h"
#include "base/keyed.h"

enum { MOST = 200 };

struct entry {
	uint32_t key, number;
	char rest[40];
};

static int entry_before(const void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return ((const struct entry *)a)->key < ((const struct entry *)b)->key;
}

static struct entry draw_entry(uint64_t *rng, uint32_t number)
{
	struct entry x = {.key = (uint32_t)(ct_rand64(rng) % 50), .number = number};
	memset(x.rest, (int)(x.key * 7 + number), sizeof x.rest);
	return x;
}

static void whole(const struct entry *x)
{
	for (size_t i = 0; i < sizeof x->rest; i++)
		assert_int_equal((unsigned char)x->rest[i], (unsigned char)(x->key * 7 + x->number));
}

/* Adding and taking in any order: what comes out is the least of what is in. */
static void takes_the_least(void **state)
{
	uint64_t rng = 1;
	(void)state;
	for (int run = 0; run < 300; run++) {
		struct entry heap[MOST], first;
		unsigned in[50] = {0}; /* how many of each key */
		size_t n = 0;
		for (uint32_t i = 0; i < 600; i++) {
			if (n < MOST && (n == 0 || ct_rand64(&rng) % 9 < 5)) {
				struct entry x = draw_entry(&rng, i);
				ct_heap_add(heap, n++, sizeof x, &x, entry_before, NULL);
				in[x.key]++;
				continue;
			}
			ct_heap_take(heap, n--, sizeof first, &first, entry_before, NULL);
			whole(&first);
			for (uint32_t k = 0; k < first.key; k++)
				assert_int_equal(in[k], 0);
			assert_true(in[first.key]-- > 0);
		}
	}
}

static void sorts(void **state)
{
	uint64_t rng = 2;
	(void)state;
	for (size_t n = 0; n < MOST; n++) {
		struct entry v[MOST];
		unsigned char seen[MOST] = {0};
		for (size_t i = 0; i < n; i++)
			v[i] = draw_entry(&rng, (uint32_t)i);
		ct_heap_sort(v, n, sizeof *v, entry_before, NULL);
		for (size_t i = 0; i < n; i++) {
			whole(&v[i]);
			assert_true(i == 0 || v[i - 1].key <= v[i].key);
			assert_int_equal(seen[v[i].number]++, 0);
		}
	}
}

static int number_before(const void *ctx, const void *a, const void *b)
{
	const uint64_t *value = ctx;
	return value[*(const uint32_t *)a] < value[*(const uint32_t *)b];
}

/* Numbers stand for items elsewhere. */
static void sorts_numbers_of_items(void **state)
{
	uint64_t rng = 3, value[MOST];
	uint32_t order[MOST];
	(void)state;
	for (uint32_t i = 0; i < MOST; i++) {
		value[i] = ct_rand64(&rng);
		order[i] = i;
	}
	ct_heap_sort(order, MOST, sizeof *order, number_before, value);
	for (uint32_t i = 1; i < MOST; i++)
		assert_true(value[order[i - 1]] < value[order[i]]);
}

/* Few values, so that probes collide. */
static uint64_t hash_of(const void *values, uint32_t item)
{
	return ((const uint32_t *)values)[item] % 16;
}

static void index_finds_what_was_put(void **state)
{
	uint32_t value[1000], n = 0;
	uint64_t rng = 4;
	struct ct_index x = {0};
	(void)state;
	for (int i = 0; i < 4000; i++) {
		uint32_t v = (uint32_t)(ct_rand64(&rng) % 1000), at, k = 0;
		uint64_t h = v % 16;
		while (k < n && value[k] != v)
			k++;
		assert_int_equal(ct_index_reserve(&x, n, hash_of, value), 0);
		assert_true(x.buckets >= 2 * (size_t)n + 2);
		while ((at = ct_index_at(&x, h)) != 0 && value[at - 1] != v)
			h++;
		assert_int_equal(at, k < n ? k + 1 : 0);
		if (!at) {
			value[n] = v;
			ct_index_put(&x, h, n++);
		}
	}
	assert_in_range(n, 900, 1000);
	ct_index_free(&x);
	assert_null(x.bucket);
}

struct counted {
	uint64_t mark;
	uint32_t count;
};

/* Against an array of all keys; some keys are such that marks wrap or probes collide. */
static void table_counts_every_key(void **state)
{
	static uint32_t count[3000];
	struct ct_keyed t = {0};
	uint64_t rng = 8;
	(void)state;
	for (int round = 0; round < 2; round++) {
		size_t distinct = 0;
		memset(count, 0, sizeof count);
		for (int i = 0; i < 20000; i++) {
			uint32_t k = (uint32_t)(ct_rand64(&rng) % 3000);
			uint64_t key = k % 3 ? k : UINT64_MAX - 1 - k;
			assert_int_equal(ct_keyed_reserve(&t, sizeof(struct counted)), 0);
			struct counted *x = ct_keyed_find(&t, sizeof *x, key);
			assert_int_equal(ct_keyed_is_free(x), count[k] == 0);
			if (count[k] == 0) {
				assert_int_equal(x->count, 0);
				ct_keyed_enter(&t, x, key);
				distinct++;
			}
			assert_int_equal(x->count++, count[k]++);
			assert_int_equal(t.used, distinct);
			assert_true(8 * t.used <= 5 * t.slots);
		}
		ct_keyed_reset(&t, sizeof(struct counted));
	}
	assert_int_equal(t.used, 0);
	ct_keyed_free(&t);
	assert_null(t.slot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_least),        cmocka_unit_test(sorts),
		cmocka_unit_test(sorts_numbers_of_items), cmocka_unit_test(index_finds_what_was_put),
		cmocka_unit_test(table_counts_every_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

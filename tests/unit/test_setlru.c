/* The set lists, on every path, against sixteen brute-force caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/setlru.h"
#include "tests/support/brute_cache.h"

enum { N = 6000 };

struct plan {
	unsigned sets, sectors;
	int hashed, far, isa;
};

static uint64_t line[N];
static uint32_t set[N];
static uint8_t mask[N], position[N];

static void make(const struct plan *p, uint64_t seed)
{
	for (size_t i = 0; i < N; i++) {
		uint64_t r = ct_rand64(&seed);
		uint64_t l = r % 3 ? (r >> 8) % (p->sets * 12) : (r >> 8) % (p->sets * 40);
		/* Far: the second half reaches beyond 32 bits, and to both ends. */
		line[i] = p->far && i > N / 2 && r % 5 == 0 ? l - 7 : l + ((uint64_t)1 << 33);
		set[i] = (uint32_t)((p->hashed ? ct_mix64(line[i]) : line[i]) % p->sets);
		mask[i] = (uint8_t)(r >> 40);
	}
}

static unsigned ones(uint32_t v)
{
	unsigned n = 0;
	for (; v; v &= v - 1)
		n++;
	return n;
}

static void check(const struct plan *p, const struct ct_setlru *s)
{
	uint32_t all = (1u << p->sectors) - 1;
	for (unsigned ways = 1; ways <= CT_SETLRU_WAYS; ways++) {
		struct brute_cache c;
		uint64_t hits = 0, sector_hits = 0, sectors = 0;
		brute_cache_init(&c, p->sets, ways);
		for (size_t i = 0; i < N; i++) {
			int hit;
			uint32_t m = p->sectors > 1 ? mask[i] & all : 1;
			sector_hits += ones(brute_cache_access(&c, line[i], set[i], m, &hit));
			sectors += ones(m);
			hits += (unsigned)hit;
			assert_int_equal(hit, position[i] < ways);
		}
		assert_int_equal(ct_setlru_hits(s, ways), hits);
		assert_int_equal(ct_setlru_accesses(s), N);
		if (p->sectors > 1) {
			assert_int_equal(ct_setlru_sector_hits(s, ways), sector_hits);
			assert_int_equal(ct_setlru_sector_accesses(s), sectors);
		} else {
			assert_int_equal(ct_setlru_sector_hits(s, ways), hits);
		}
		brute_cache_free(&c);
	}
}

static void run(const struct plan *p, uint64_t seed)
{
	struct ct_setlru_options o = {.sets = p->sets, .sectors = p->sectors, .isa = p->isa};
	struct ct_setlru *s = ct_setlru_new(&o, NULL);
	assert_non_null(s);
	make(p, seed);
	for (size_t i = 0, n; i < N; i += n) { /* uneven pieces */
		n = 1 + ct_rand64(&seed) % 1500;
		n = n < N - i ? n : N - i;
		ct_setlru_access(s, line + i, p->hashed ? set + i : NULL,
		                 p->sectors > 1 ? mask + i : NULL, n, position + i);
	}
	assert_int_equal(ct_setlru_check(s, NULL), 0);
	check(p, s);
	ct_setlru_free(s);
}

static void equals_brute_force_for_every_associativity(void **state)
{
	static const unsigned sets[] = {1, 2, 7, 16, 48};
	(void)state;
	for (int isa = CT_ISA_PORTABLE; isa < CT_ISA_COUNT; isa++)
		for (unsigned i = 0; ct_isa_available((enum ct_isa)isa) && i < 40; i++) {
			struct plan p = {.sets = sets[i % 5],
			                 .sectors = 1 + i % 4,
			                 .hashed = i / 5 % 2,
			                 .far = i / 10 % 2,
			                 .isa = isa};
			run(&p, i);
		}
}

static void flush_empties_the_sets(void **state)
{
	struct ct_setlru_options o = {.sets = 4};
	struct ct_setlru *s = ct_setlru_new(&o, NULL);
	const uint64_t l[2] = {5, 5}, far = 1;
	(void)state;
	assert_non_null(s);
	ct_setlru_access(s, l, NULL, NULL, 2, NULL);
	assert_int_equal(ct_setlru_hits(s, 1), 1);
	ct_setlru_flush(s);
	ct_setlru_access(s, l, NULL, NULL, 1, NULL);
	assert_int_equal(ct_setlru_hits(s, 16), 1);
	uint64_t out = far << 60;
	ct_setlru_access(s, &out, NULL, NULL, 1, NULL);
	ct_setlru_flush(s);
	ct_setlru_access(s, l, NULL, NULL, 1, NULL);
	assert_int_equal(ct_setlru_hits(s, 16), 1);
	assert_int_equal(ct_setlru_accesses(s), 5);
	ct_setlru_free(s);
}

static void bad_options_are_refused(void **state)
{
	struct ct_setlru_options o = {.sets = 0};
	struct ct_error e;
	(void)state;
	assert_null(ct_setlru_new(&o, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_brute_force_for_every_associativity),
		cmocka_unit_test(flush_empties_the_sets),
		cmocka_unit_test(bad_options_are_refused),
	};
	return cmocka_run_group_tests_name("setlru", tests, NULL, NULL);
}

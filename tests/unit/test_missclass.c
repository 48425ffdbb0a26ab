/* Miss classes: a cache written as plainly as possible beside the three companions, cases
 * made by hand for each class, and the sums against the engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/microtrace.h"
#include "base/hash.h"
#include "gpu/address.h"
#include "replay/missclass.h"

/* ---- the twin: an array of lines, youngest first ---- */

enum { TWIN_LINES = 512, SECTORS = 4 };
struct twin_line {
	uint64_t line;
	uint32_t set, valid, unreadable, written[SECTORS];
};
struct twin {
	uint32_t ways, n; /* ways of each set; 0: without end */
	struct twin_line l[TWIN_LINES];
};

static struct twin_line *twin_find(struct twin *c, uint64_t line)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->l[i].line == line)
			return &c->l[i];
	return NULL;
}

static uint32_t twin_hits(struct twin *c, uint64_t line, int store)
{
	struct twin_line *l = twin_find(c, line);
	return !l ? 0 : store ? l->valid : l->valid & ~l->unreadable;
}

static void twin_remove(struct twin *c, uint32_t i)
{
	memmove(&c->l[i], &c->l[i + 1], (--c->n - i) * sizeof *c->l);
}

static struct twin_line *twin_enter(struct twin *c, uint64_t line, uint32_t set)
{
	struct twin_line new = {.line = line, .set = set}, *old = twin_find(c, line);
	uint32_t in_set = 0, last = 0;
	if (old) {
		new = *old;
		twin_remove(c, (uint32_t)(old - c->l));
	} else {
		for (uint32_t i = 0; i < c->n; i++)
			if (c->l[i].set == set) {
				in_set++;
				last = i;
			}
		if (c->ways && in_set == c->ways)
			twin_remove(c, last);
	}
	assert_true(c->n < TWIN_LINES);
	memmove(&c->l[1], &c->l[0], c->n++ * sizeof *c->l);
	c->l[0] = new;
	return &c->l[0];
}

static void twin_access(struct twin *c, const struct ct_gpu *g, uint64_t line, uint32_t set,
                        uint32_t sectors, int store, const uint64_t bytes[2], int l1)
{
	if (l1 && store && g->l1.write_policy <= CT_WRITE_EVICT) {
		uint32_t hits = twin_hits(c, line, 1) & sectors;
		if (hits && g->l1.write_policy == CT_WRITE_THROUGH_NO_ALLOCATE) {
			twin_enter(c, line, set);
		} else if (hits) {
			struct twin_line *l = twin_find(c, line);
			l->valid &= ~hits;
			if (!l->valid)
				twin_remove(c, (uint32_t)(l - c->l));
		}
		return;
	}
	struct twin_line *l = twin_enter(c, line, set);
	for (uint32_t s = 0; s < SECTORS; s++) {
		uint32_t bit = 1u << s;
		if (!(sectors & bit))
			continue;
		int readable = (l->valid & ~l->unreadable & bit) != 0;
		if (store)
			l->written[s] |= (uint32_t)(bytes[s / 2] >> 32 * (s % 2));
		l->valid |= bit;
		if (!store || readable || l->written[s] == 0xffffffffu)
			l->unreadable &= ~bit;
		else
			l->unreadable |= bit;
	}
}

struct twins {
	struct twin endless, full, sets;
};

static void twins_classify(struct twins *t, const struct ct_gpu *g, uint64_t line, uint32_t set,
                           uint32_t sectors, uint32_t missed, int store, const uint64_t bytes[2], int l1,
                           struct ct_miss_classes *c)
{
	for (uint32_t bit = 1; bit < 1u << SECTORS; bit *= 2) {
		if (!(missed & bit))
			continue;
		if (!(twin_hits(&t->endless, line, store) & bit))
			c->compulsory++;
		else if (!(twin_hits(&t->full, line, store) & bit))
			c->capacity++;
		else if (!(twin_hits(&t->sets, line, store) & bit))
			c->associativity++;
		else
			c->latency++;
	}
	twin_access(&t->endless, g, line, 0, sectors, store, bytes, l1);
	twin_access(&t->full, g, line, 0, sectors, store, bytes, l1);
	twin_access(&t->sets, g, line, set, sectors, store, bytes, l1);
}

/* ---- a small GPU ---- */

static void set(struct ct_gpu *g, const char *assignment)
{
	struct ct_error e;
	if (ct_gpu_set(g, assignment, &e) < 0)
		fail_msg("%s", e.text);
}

static void gpu(struct ct_gpu *g, const char *policy)
{
	static const char *const sets[] = {
		"sm.count=2", "l1.size=2KiB", "l1.sets=4",    "l1.ways=4",       "l1.dirty_percent=0",
		"llc.sets=2", "llc.ways=2",   "llc.slices=8", "dram.channels=4", "llc.partitions=4"};
	char text[64];
	struct ct_error e;
	micro_gpu(g, MICRO_RTX3070);
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		set(g, sets[i]);
	snprintf(text, sizeof text, "l1.write=%s", policy);
	set(g, text);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

static struct ct_kernel kernel(uint32_t ctas, uint32_t threads)
{
	static char name[] = "k";
	return (struct ct_kernel){
		.name = name, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}, .regs = 16};
}

static struct ct_missclass *new_classes(const struct ct_gpu *g, const struct ct_kernel *k)
{
	struct ct_missclass *m;
	struct ct_error e;
	if (ct_missclass_new(&m, g, &e) < 0 || ct_missclass_kernel_begin(m, k, &e) < 0)
		fail_msg("%s", e.text);
	return m;
}

static void same(const struct ct_miss_classes *want, const struct ct_miss_classes *got)
{
	assert_int_equal(want->compulsory, got->compulsory);
	assert_int_equal(want->capacity, got->capacity);
	assert_int_equal(want->associativity, got->associativity);
	assert_int_equal(want->latency, got->latency);
}

/* ---- seeded streams of events ---- */

static uint64_t random_bytes(uint64_t *seed, uint32_t sectors, int shift)
{
	uint64_t v = 0;
	for (uint32_t s = 0; s < 2; s++)
		if (sectors >> (shift + s) & 1)
			v |= (uint64_t)(ct_rand64(seed) % 3 ? 0xffffffffu
			                                    : 0xffffu << 16 * (ct_rand64(seed) & 1))
			     << 32 * s;
	return v;
}

static void stream(const char *policy, uint64_t seed)
{
	struct ct_gpu g;
	struct ct_kernel k = kernel(4, 64);
	struct ct_miss_classes want[2] = {{0}}, got[2];
	struct ct_address_map map;
	struct ct_error e;
	static struct twins sm[2], llc;
	gpu(&g, policy);
	struct ct_missclass *m = new_classes(&g, &k);
	memset(sm, 0, sizeof sm);
	memset(&llc, 0, sizeof llc);
	assert_int_equal(ct_address_map_init(&map, &g, &e), 0);
	for (int i = 0; i < 2; i++) {
		sm[i].full.ways = 16;
		sm[i].sets.ways = 4;
	}
	llc.full.ways = 32;
	llc.sets.ways = 2;
	for (int i = 0; i < 4000; i++) {
		uint64_t r = ct_rand64(&seed), line = (r >> 8) % (r % 5 ? 40 : 300);
		uint32_t sectors = 1 + (uint32_t)((r >> 40) % 15), at = r >> 50 & 1;
		int store = (r >> 52) % 4 == 0;
		struct ct_l1_event a = {.sm = at,
		                        .line = line,
		                        .sectors = sectors,
		                        .line_miss = sectors & (uint32_t)(r >> 54),
		                        .is_write = (uint8_t)store};
		struct ct_llc_event b = {.line = line,
		                         .sectors = sectors,
		                         .miss = a.line_miss,
		                         .is_write = (uint8_t)store};
		for (int h = 0; h < 2 && store; h++)
			a.bytes[h] = b.bytes[h] = random_bytes(&seed, sectors, 2 * h);
		twins_classify(&sm[at], &g, line, (uint32_t)(line % 4), sectors, a.line_miss, store,
		               a.bytes, 1, &want[0]);
		struct ct_place place = ct_address_place(&map, line * 128);
		twins_classify(&llc, &g, line, place.slice * 2 + place.llc_set, sectors, b.miss, store,
		               b.bytes, 0, &want[1]);
		ct_missclass_l1(m, &a);
		ct_missclass_llc(m, &b);
		if (i == 3000) {
			ct_missclass_l1_wipe(m, 1);
			sm[1].endless.n = sm[1].full.n = sm[1].sets.n = 0;
		}
	}
	assert_int_equal(ct_missclass_take(m, &got[0], &got[1], &e), 0);
	same(&want[0], &got[0]);
	same(&want[1], &got[1]);
	assert_true(got[0].associativity > 20 && got[0].capacity > 20 && got[0].latency > 20);
	assert_true(got[1].associativity > 20 && got[1].capacity > 20 && got[1].latency > 20);
	ct_missclass_free(m);
}

static void against_brute_force(void **state)
{
	static const char *const policy[] = {
		"through_allocate", "through_no_allocate", "evict", "back_validate"};
	(void)state;
	for (uint64_t i = 0; i < 4; i++)
		stream(policy[i], 7 + i);
}

/* ---- one case for each class ---- */

static void miss(struct ct_missclass *m, uint64_t line)
{
	struct ct_l1_event ev = {.line = line, .sectors = 1, .line_miss = 1};
	ct_missclass_l1(m, &ev);
}

static struct ct_miss_classes take(struct ct_missclass *m)
{
	struct ct_miss_classes l1, llc;
	struct ct_error e;
	assert_int_equal(ct_missclass_take(m, &l1, &llc, &e), 0);
	return l1;
}

static void by_hand(void **state)
{
	struct ct_gpu g;
	struct ct_kernel k = kernel(4, 64);
	struct ct_error e;
	(void)state;
	gpu(&g, "through_allocate");
	struct ct_missclass *m = new_classes(&g, &k);
	for (uint64_t i = 0; i < 16; i++)
		miss(m, i);
	same(&(struct ct_miss_classes){.compulsory = 16}, (struct ct_miss_classes[]){take(m)});
	miss(m, 3); /* all of the 16 lines are there: only time explains it */
	same(&(struct ct_miss_classes){.latency = 1}, (struct ct_miss_classes[]){take(m)});
	miss(m, 100); /* set 0: throws out line 0 */
	miss(m, 0);   /* full: 17 lines since, and 4 of the set */
	same(&(struct ct_miss_classes){.compulsory = 1, .capacity = 1},
	     (struct ct_miss_classes[]){take(m)});
	assert_int_equal(ct_missclass_kernel_begin(m, &k, &e), 0); /* flushes */
	for (uint64_t i = 0; i < 5; i++)
		miss(m, 4 * i);
	miss(m, 0); /* five lines of one set of four ways */
	same(&(struct ct_miss_classes){.compulsory = 5, .associativity = 1},
	     (struct ct_miss_classes[]){take(m)});
	ct_missclass_free(m);
}

/* ---- the engine's misses ---- */

enum { CTAS = 6, WARPS = 4, INSTS = 50 };

static void random_trace(struct micro *m, uint64_t seed)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "a", CTAS, WARPS * 32, 0, 16);
	for (uint32_t c = 0; c < CTAS; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < WARPS; w++) {
			micro_warp(m, w, INSTS + 1);
			for (int i = 0; i < INSTS; i++) {
				unsigned at = 0x10000000u + 32u * (unsigned)(ct_rand64(&seed) % 700);
				switch (ct_rand64(&seed) % 5) {
				case 0: micro_line(m, "0000ffff 0 STG.E 2 R4 R6 4 1 0x%x 4", at); break;
				case 1:
					micro_line(m, "ffffffff 1 R8 LDG.E.STRONG.GPU 1 R4 4 1 0x%x 4",
					           at);
					break;
				default:
					micro_line(m, "ffffffff 1 R%d LDG.E 1 R4 4 1 0x%x 8", 8 + i % 9,
					           at);
					break;
				}
			}
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

static void sums(void **state)
{
	struct ct_gpu g;
	struct ct_kernel k = kernel(CTAS, WARPS * 32);
	static struct micro_result r;
	struct ct_error e;
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct micro t;
		struct ct_miss_classes c[2];
		gpu(&g, "through_allocate");
		struct ct_missclass *m = new_classes(&g, &k);
		struct ct_replay_observer ob = {.ctx = m,
		                                .l1 = ct_missclass_l1,
		                                .llc = ct_missclass_llc,
		                                .l1_wipe = ct_missclass_l1_wipe};
		struct ct_replay_options o = {.observers = &ob, .n_observers = 1};
		random_trace(&t, seed);
		micro_run(&t, &g, &o, &r);
		assert_int_equal(ct_missclass_take(m, &c[0], &c[1], &e), 0);
		for (int i = 0; i < 2; i++)
			assert_int_equal(
				c[i].compulsory + c[i].capacity + c[i].associativity + c[i].latency,
				i ? r.c.llc_misses : r.c.l1_misses);
		assert_true(c[0].compulsory && c[0].capacity && c[1].compulsory && c[1].capacity);
		ct_missclass_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_brute_force),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The measurement of all systems in one pass against brute force: each system's L1s are the
 * tests' twins, fed with the bytes of each lane one by one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "models/tag_split/measure.h"
#include "tests/support/tag_split_twin.h"

enum { SMS = 2 };

static void gpu(struct ct_gpu *g, const char *const *more)
{
	static const char *const keys[] = {
		"sm.count=2",    "l1.adaptive=off", "l1.ways=4",     "l1.size=4KiB",
		"l1.sector=128", "l1.write=evict",  "llc.sector=32", NULL};
	struct ct_error e;
	ct_gpu_defaults(g);
	for (int pass = 0; pass < 2; pass++)
		for (const char *const *k = pass ? more : keys; k && *k; k++)
			if (ct_gpu_set(g, *k, &e) < 0)
				fail_msg("%s", e.text);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

/* One made-up access of a warp. */
struct access {
	struct ct_sinst s;
	struct ct_inst i;
	uint32_t sm;
};

static void make_access(struct access *a, uint64_t *rng)
{
	uint64_t r = ct_rand64(rng);
	uint64_t base = 0x10000 + (r >> 8) % 64 * 128;
	unsigned shape = r % 4;
	memset(a, 0, sizeof *a);
	a->sm = (r >> 20) % SMS;
	a->s.space = CT_SPACE_GLOBAL;
	a->s.access = (r >> 24 & 7) == 0 ? CT_ACCESS_STORE : CT_ACCESS_LOAD;
	a->s.width = 4u << (r >> 30) % 3;
	a->i.mask = (uint32_t)(r >> 32) | 1;
	a->i.addr_form = CT_ADDR_LIST;
	for (uint32_t m = a->i.mask; m; m &= m - 1) {
		uint64_t lane = ct_low_bit(m), x = ct_rand64(rng);
		a->i.addr[a->i.naddr++] = shape == 0 ? base + lane * a->s.width /* coalesced */
		                          : shape == 1
		                                  ? base + lane * 136 / 4 * 4   /* rows of structures */
		                          : shape == 2 ? base + x % 512 / 4 * 4 /* near, unaligned */
		                                       : 0x10000 + x % 0x4000 / 4 * 4;
	}
}

/* Chunks of a line of `line` bytes in pieces of `chunk` that any lane touches. */
static uint32_t touched(const struct access *a, uint64_t number, uint32_t line, uint32_t chunk)
{
	uint32_t m = 0;
	for (unsigned i = 0; i < a->i.naddr; i++)
		for (unsigned b = 0; b < a->s.width; b++)
			if ((a->i.addr[i] + b) / line == number)
				m |= 1u << (a->i.addr[i] + b) % line / chunk;
	return m;
}

/* Lines in descending order. */
static unsigned lines_of(const struct access *a, uint32_t line, uint64_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < a->i.naddr; i++)
		for (unsigned b = 0; b < a->s.width; b++) {
			uint64_t l = (a->i.addr[i] + b) / line;
			unsigned k = 0;
			while (k < n && out[k] != l)
				k++;
			if (k == n)
				out[n++] = l;
		}
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++)
			if (out[k] > out[i]) {
				uint64_t t = out[i];
				out[i] = out[k];
				out[k] = t;
			}
	return n;
}

struct brute {
	struct ct_ts_shape shape;
	struct ts_twin *twin[SMS];
	uint64_t loads, load_misses, requests, misses, partial, fetched, stores, sectors, sector_misses;
	int coarse;
};

static void brute_access(struct brute *b, const struct access *a)
{
	uint64_t line[256];
	unsigned n = lines_of(a, b->shape.line, line);
	int missed = 0;
	for (unsigned k = 0; k < n; k++) {
		uint32_t chunks = touched(a, line[k], b->shape.line, b->shape.chunk);
		uint32_t sectors = touched(a, line[k], b->shape.line, 32);
		struct ct_ts_result r;
		if (a->s.access == CT_ACCESS_STORE) {
			ts_twin_store(b->twin[a->sm], line[k], chunks, &r);
			b->stores++;
			continue;
		}
		for (uint32_t s = 0; s < b->shape.line / 32; s++) {
			int absent = 0;
			for (uint32_t c = 0; c < b->shape.line / b->shape.chunk; c++)
				if (chunks >> c & 1 && c * b->shape.chunk < (s + 1) * 32 &&
				    (c + 1) * b->shape.chunk > s * 32)
					absent |= !ts_twin_holds(b->twin[a->sm], line[k], c);
			b->sectors += sectors >> s & 1;
			b->sector_misses += sectors >> s & 1 && absent;
		}
		ts_twin_load(b->twin[a->sm], line[k], chunks, b->coarse, &r);
		b->requests++;
		b->misses += r.miss != 0;
		b->partial += r.miss && r.hit;
		b->fetched += (uint64_t)ct_bits(r.miss) * b->shape.chunk;
		missed |= r.miss != 0;
	}
	if (a->s.access == CT_ACCESS_LOAD && n) {
		b->loads++;
		b->load_misses += (uint64_t)missed;
	}
}

static void brute_start(struct brute *b, const struct ct_ts_system *s, const struct ct_gpu *g,
                        const struct ct_ts_params *p, uint64_t seed)
{
	struct ct_error e;
	memset(b, 0, sizeof *b);
	assert_int_equal(ct_ts_shape_of(s, g, g->l1.size, p, &b->shape, &e), CT_OK);
	b->coarse = s->fetch == CT_TS_COARSE;
	for (uint32_t sm = 0; sm < SMS; sm++) {
		b->shape.seed = ct_mix64(seed * 0x10001 + sm + 1);
		b->twin[sm] = ts_twin_new(&b->shape);
	}
}

static void compare(const struct brute *b, const struct ct_ts_counts *c)
{
	assert_int_equal(c->loads, b->loads);
	assert_int_equal(c->load_misses, b->load_misses);
	assert_int_equal(c->requests, b->requests);
	assert_int_equal(c->seen, b->requests);
	assert_int_equal(c->request_misses, b->misses);
	assert_int_equal(c->partial, b->partial);
	assert_int_equal(c->fetched_bytes, b->fetched);
	assert_int_equal(c->stores, b->stores);
	assert_int_equal(c->sectors, b->sectors);
	assert_int_equal(c->sector_misses, b->sector_misses);
}

static const struct ct_kernel KERNEL = {.id = 1, .grid = {64, 1, 1}, .block = {128, 1, 1}, .regs = 16};

static void feed(struct ct_ts_measure *m, const struct access *a, uint64_t cycle)
{
	struct ct_replay_observer ob = ct_ts_measure_observer(m);
	struct ct_issue_event ev = {.sm = a->sm, .cycle = cycle, .sinst = &a->s, .inst = &a->i};
	ob.issue(ob.ctx, &ev);
}

static void run(const char *const *keys, double chunk, uint64_t seed)
{
	struct ct_gpu g;
	struct ct_ts_measure *m;
	struct ct_error e;
	struct ct_ts_measure_options o = {.sample = 1, .seed = seed};
	struct brute b[CT_TS_SYSTEMS];
	uint64_t rng = seed;
	gpu(&g, keys);
	ct_ts_defaults(&o.params);
	o.params.v[CT_TS_CHUNK] = chunk;
	assert_int_equal(ct_ts_measure_new(&m, &g, &o, &e), CT_OK);
	for (unsigned i = 0; i < CT_TS_SYSTEMS; i++)
		brute_start(&b[i], ct_ts_system_at(i), &g, &o.params, seed);
	for (int launch = 0; launch < 2; launch++) {
		assert_int_equal(ct_ts_measure_kernel(m, &KERNEL, &e), CT_OK);
		for (unsigned i = 0; i < CT_TS_SYSTEMS; i++)
			for (int sm = 0; sm < SMS && launch && b[i].shape.kind != CT_TS_PERFECT; sm++)
				ts_twin_flush(b[i].twin[sm]);
		for (int k = 0; k < 150; k++) {
			struct access a;
			make_access(&a, &rng);
			feed(m, &a, (uint64_t)k * 1000);
			for (unsigned i = 0; i < CT_TS_SYSTEMS; i++)
				brute_access(&b[i], &a);
		}
	}
	for (unsigned i = 0; i < CT_TS_SYSTEMS; i++) {
		const struct ct_ts_system *s = ct_ts_system_at(i);
		struct ct_ts_counts c;
		assert_int_equal(ct_ts_measure_counts(m, i, &c, &e), CT_OK);
		assert_true(c.load_misses <= c.loads && c.use.reused <= c.use.touched);
		/* MRPB changes the order, TSC+ the mode, as it goes along. */
		if (!s->prioritised && s->fetch != CT_TS_CHOOSE)
			compare(&b[i], &c);
		else
			assert_int_equal(c.requests, b[i].requests);
		for (int sm = 0; sm < SMS; sm++)
			ts_twin_free(b[i].twin[sm]);
	}
	ct_ts_measure_free(m);
}

static void every_system_equals_brute_force(void **state)
{
	static const char *const sectored[] = {
		"l1.sector=32", "l1.write=through_allocate", "l1.set_hash=fermi", NULL};
	static const char *const wide[] = {"llc.sector=128", "l1.size=8KiB", "l1.set_hash=fold", NULL};
	(void)state;
	for (uint64_t seed = 1; seed <= 2; seed++) {
		run(NULL, 32, seed);
		run(sectored, 16, seed);
		run(wide, 64, seed);
		run(NULL, 8, seed);
	}
}

/* A sample of the sets: the same answer within its range, most of the time. */
static void sampled_sets_bracket_the_exact_rate(void **state)
{
	struct ct_gpu g;
	struct ct_error e;
	unsigned within = 0, total = 0;
	static const char *const keys[] = {"l1.size=16KiB", NULL};
	(void)state;
	gpu(&g, keys);
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct ct_ts_measure *m[2];
		uint64_t rng = seed;
		for (int k = 0; k < 2; k++) {
			struct ct_ts_measure_options o = {.sample = k ? 0.5 : 1, .seed = seed};
			ct_ts_defaults(&o.params);
			assert_int_equal(ct_ts_measure_new(&m[k], &g, &o, &e), CT_OK);
			assert_int_equal(ct_ts_measure_kernel(m[k], &KERNEL, &e), CT_OK);
		}
		for (uint64_t k = 0; k < 2000; k++) {
			struct access a;
			make_access(&a, &rng);
			feed(m[0], &a, k);
			feed(m[1], &a, k);
		}
		for (unsigned i = 0; i < CT_TS_SYSTEMS; i++) {
			struct ct_ts_counts all, half;
			assert_int_equal(ct_ts_measure_counts(m[0], i, &all, &e), CT_OK);
			assert_int_equal(ct_ts_measure_counts(m[1], i, &half, &e), CT_OK);
			struct ct_ts_rate x = ct_ts_request_miss_rate(&all),
					  y = ct_ts_request_miss_rate(&half);
			assert_true(x.low == x.value && x.high == x.value);
			assert_int_equal(half.seen, all.seen);
			if (ct_ts_system_at(i)->prioritised)
				continue;
			assert_true(half.requests < all.requests);
			assert_true(y.low < y.high ||
			            (x.value == 0 && y.high == 0)); /* nothing misses */
			within += x.value >= y.low && x.value <= y.high;
			total++;
			struct ct_ts_rate inst = ct_ts_inst_miss_rate(&half);
			assert_true(inst.low <= inst.value && inst.value <= inst.high);
		}
		ct_ts_measure_free(m[0]);
		ct_ts_measure_free(m[1]);
	}
	assert_true(within * 10 >= total * 8);
}

/* What warms is not counted but is there afterwards. */
static void warming_fills_without_counting(void **state)
{
	struct ct_gpu g;
	struct ct_error e;
	struct ct_ts_measure *m;
	struct ct_ts_measure_options o = {.sample = 1, .seed = 1, .warmup = 1};
	struct access a = {.s = {.space = CT_SPACE_GLOBAL, .access = CT_ACCESS_LOAD, .width = 4},
	                   .i = {.mask = 1, .addr_form = CT_ADDR_LIST, .naddr = 1, .addr = {0x4000}}};
	(void)state;
	gpu(&g, NULL);
	ct_ts_defaults(&o.params);
	assert_int_equal(ct_ts_measure_new(&m, &g, &o, &e), CT_OK);
	assert_int_equal(ct_ts_measure_kernel(m, &KERNEL, &e), CT_OK);
	feed(m, &a, 0);
	feed(m, &a, 1000000);
	for (unsigned i = 0; i < CT_TS_SYSTEMS; i++) {
		struct ct_ts_counts c;
		assert_int_equal(ct_ts_measure_counts(m, i, &c, &e), CT_OK);
		assert_int_equal(c.loads, 1);
		assert_int_equal(c.requests, 1);
		assert_int_equal(c.request_misses, 0);
	}
	ct_ts_measure_free(m);
}

/* kmeans' reads (section 5.5 of the facts): a row of features per thread, rows of `features`
 * floats; then a coalesced copy that comes back to each line several times. */
static void rows(struct ct_ts_measure *m, unsigned features, unsigned warps)
{
	for (unsigned f = 0; f < features; f++)
		for (unsigned w = 0; w < warps; w++) {
			struct access a = {
				.s = {.space = CT_SPACE_GLOBAL, .access = CT_ACCESS_LOAD, .width = 4},
				.i = {.mask = ~0u, .addr_form = CT_ADDR_LIST, .naddr = 32}};
			for (unsigned lane = 0; lane < 32; lane++)
				a.i.addr[lane] = 0x100000 +
				                 ((uint64_t)(w * 32 + lane) * features + f) * 4;
			feed(m, &a, f * warps + w);
		}
}

static void tiles(struct ct_ts_measure *m, unsigned lines, unsigned rounds)
{
	for (unsigned t = 0; t < 40; t++)
		for (unsigned round = 0; round < rounds; round++)
			for (unsigned l = 0; l < lines; l++) {
				struct access a = {
					.s = {.space = CT_SPACE_GLOBAL,
				              .access = CT_ACCESS_LOAD,
				              .width = 1},
					.i = {.mask = ~0u, .addr_form = CT_ADDR_LIST, .naddr = 32}};
				/* each round reads another quarter of the same lines */
				for (unsigned lane = 0; lane < 32; lane++)
					a.i.addr[lane] = 0x100000 + (uint64_t)(t * lines + l) * 128 +
					                 round % 4 * 32 + lane;
				feed(m, &a, 0);
			}
}

static double rate(struct ct_ts_measure *m, const char *system)
{
	struct ct_ts_counts c;
	struct ct_error e;
	assert_int_equal(ct_ts_measure_counts(m, (unsigned)ct_ts_system_find(system), &c, &e), CT_OK);
	return ct_ts_inst_miss_rate(&c).value;
}

static struct ct_ts_measure *start(const char *const *keys)
{
	struct ct_gpu g;
	struct ct_error e;
	struct ct_ts_measure *m;
	struct ct_ts_measure_options o = {.sample = 1, .seed = 1};
	gpu(&g, keys);
	ct_ts_defaults(&o.params);
	assert_int_equal(ct_ts_measure_new(&m, &g, &o, &e), CT_OK);
	assert_int_equal(ct_ts_measure_kernel(m, &KERNEL, &e), CT_OK);
	return m;
}

static void kmeans_shows_the_papers_effect(void **state)
{
	static const char *const keys[] = {"l1.size=16KiB", NULL};
	struct ct_ts_measure *m = start(keys);
	(void)state;
	rows(m, 40, 8); /* 256 rows of 160 B: 32 KiB of lines are live, 8 KiB of chunks */
	assert_true(rate(m, "128B") > 0.95);
	assert_true(rate(m, "32B") < 0.25);
	assert_true(rate(m, "TSC") <= rate(m, "32B"));
	assert_true(rate(m, "LAMAR") > 0.95);
	ct_ts_measure_free(m);
}

static void coalesced_prefers_whole_lines(void **state)
{
	static const char *const keys[] = {"l1.size=16KiB", NULL};
	struct ct_ts_measure *m = start(keys);
	(void)state;
	tiles(m, 64, 4);
	double whole = rate(m, "128B"), fine = rate(m, "TSC"), both = rate(m, "TSC+");
	assert_true(whole < 0.26 && fine > 0.9);
	assert_true(both < whole + 0.2); /* SM 0 keeps an eighth of its sets fine */
	ct_ts_measure_free(m);
}

static void other_l1s_are_refused(void **state)
{
	static const char *const bad[][2] = {{"l1.sector=64", "l1.line=256"},
	                                     {"l1.sector=512", "l1.line=512"},
	                                     {"l1.sector=16", "l1.line=128"}};
	unsigned refused = 0;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		const char *const keys[] = {"l1.size=16KiB", bad[i][0], bad[i][1], NULL};
		struct ct_gpu g;
		struct ct_error e;
		struct ct_ts_measure *m;
		struct ct_ts_measure_options o = {.sample = 1};
		ct_gpu_defaults(&g);
		int st = ct_gpu_set(&g, "l1.adaptive=off", &e);
		if (st == CT_OK)
			st = ct_gpu_set(&g, "l1.ways=4", &e);
		for (int k = 0; keys[k] && st == CT_OK; k++)
			st = ct_gpu_set(&g, keys[k], &e);
		if (st != CT_OK || ct_gpu_check(&g, &e) != CT_OK)
			continue; /* no GPU at all */
		refused++;
		ct_ts_defaults(&o.params);
		assert_int_equal(ct_ts_measure_new(&m, &g, &o, &e), CT_ERR_USAGE);
		assert_null(m);
	}
	assert_true(refused > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_system_equals_brute_force),
		cmocka_unit_test(sampled_sets_bracket_the_exact_rate),
		cmocka_unit_test(warming_fills_without_counting),
		cmocka_unit_test(kmeans_shows_the_papers_effect),
		cmocka_unit_test(coalesced_prefers_whole_lines),
		cmocka_unit_test(other_l1s_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Both engines of stack.h, on every path that this machine has, against the brute-force
 * list: seeded random programs of every call, with windows so small that compaction
 * happens all the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/stack.h"
#include "tests/support/brute_stack.h"

struct plan {
	struct ct_stack_options o;
	uint64_t lines, spread;            /* line addresses: number * spread, scrambled if 0 */
	int calls, touches_only, no_evict; /* lines that invalidations bring nearer are not
	                                      seen again by a bounded stack */
};

static uint64_t pick_line(const struct plan *p, uint64_t *seed)
{
	uint64_t r = ct_rand64(seed), n = p->lines;
	uint64_t line = r % 4 ? (r >> 8) % n : (r >> 8) % (n / 8 + 1); /* some hot lines */
	return p->spread ? line * p->spread : ct_mix64(line);
}

static uint64_t bound(const struct plan *p, uint64_t d)
{
	return p->o.depth && d != CT_COLD && d > p->o.depth ? p->o.depth : d;
}

/* What the brute-force list says to one operation, in the engine's terms: distances
 * cut at the depth; with one sector per line the sector's distance is the line's. */
static uint64_t twin(struct brute_stack *b, const struct plan *p, uint64_t line, int kind, uint32_t mask,
                     uint64_t *sector)
{
	uint64_t d = bound(p, brute_probe(b, line));
	int touch = kind == CT_STACK_TOUCH;
	mask &= (1u << p->o.sectors) - 1;
	if (kind == CT_STACK_PROBE)
		return d;
	brute_access(b, line, mask, touch, touch, sector);
	if (kind == CT_STACK_EVICT)
		brute_invalidate(b, line);
	for (unsigned i = 0; i < 4; i++)
		if (mask >> i & 1)
			sector[i] = p->o.sectors == 1 ? d : bound(p, sector[i]);
	return d;
}

/* The stamp that the list keeps, or 0; the line's becomes `stamp` where it is there
 * afterwards (it is then on top). */
static uint64_t known_stamp(const struct brute_stack *b, uint64_t line)
{
	uint64_t at = brute_probe(b, line);
	return at == CT_COLD ? 0 : b->at[at].stamp;
}

static void check_access(struct ct_stack *s, struct brute_stack *b, const struct plan *p, uint64_t line,
                         uint64_t what, uint32_t mask)
{
	uint64_t got[4] = {1, 1, 1, 1}, want[4] = {1, 1, 1, 1}, skip[4], d;
	if (what < 4) {
		d = ct_stack_touch(s, line);
		assert_int_equal(d, twin(b, p, line, CT_STACK_TOUCH, 15, skip));
	} else if (what < 9) {
		d = ct_stack_touch_sectors(s, line, mask, got);
		assert_int_equal(d, twin(b, p, line, CT_STACK_TOUCH, mask, want));
	} else if (what < 11) {
		d = ct_stack_store_noalloc(s, line);
		assert_int_equal(d, twin(b, p, line, CT_STACK_STORE_NOALLOC, 0, skip));
	} else {
		d = ct_stack_store_noalloc_sectors(s, line, mask, got);
		assert_int_equal(d, twin(b, p, line, CT_STACK_STORE_NOALLOC, mask, want));
	}
	assert_memory_equal(got, want, sizeof got);
}

static void check_batch(struct ct_stack *s, struct brute_stack *b, const struct plan *p, uint64_t *seed)
{
	static uint64_t line[1000], got[1000];
	uint64_t skip[4];
	size_t n = ct_rand64(seed) % (ct_rand64(seed) % 8 ? 70 : 1000);
	for (size_t i = 0; i < n; i++)
		line[i] = pick_line(p, seed);
	ct_stack_touch_batch(s, line, n, got);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i], twin(b, p, line[i], CT_STACK_TOUCH, 15, skip));
}

static void check_ops(struct ct_stack *s, struct brute_stack *b, const struct plan *p, uint64_t *seed)
{
	static struct ct_stack_op op[600];
	static uint64_t stamp[600];
	size_t n = ct_rand64(seed) % (ct_rand64(seed) % 8 ? 150 : 600);
	for (size_t i = 0; i < n; i++) {
		uint64_t r = ct_rand64(seed);
		op[i] = (struct ct_stack_op){.line = pick_line(p, seed),
		                             .mask = r & 15,
		                             .stamp = r,
		                             .kind = p->touches_only ? CT_STACK_TOUCH : r >> 8 & 3};
		op[i].mask &= (1u << p->o.sectors) - 1;
		if (p->no_evict && op[i].kind == CT_STACK_EVICT)
			op[i].kind = CT_STACK_PROBE;
	}
	for (size_t i = 0; i < n; i++)
		stamp[i] = op[i].stamp;
	ct_stack_ops(s, op, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t want[4] = {0, 0, 0, 0}, old = known_stamp(b, op[i].line);
		if (op[i].kind == CT_STACK_PROBE || !p->o.stamps)
			old = stamp[i];
		assert_int_equal(op[i].stamp, old);
		assert_int_equal(op[i].distance, twin(b, p, op[i].line, op[i].kind, op[i].mask, want));
		if (op[i].kind == CT_STACK_PROBE)
			continue;
		assert_memory_equal(op[i].sector, want, sizeof want);
		if (b->n > 0 && b->at[0].line == op[i].line)
			b->at[0].stamp = stamp[i];
	}
}

static void one_call(struct ct_stack *s, struct brute_stack *b, const struct plan *p, uint64_t *seed)
{
	uint64_t line = pick_line(p, seed), r = ct_rand64(seed);
	uint64_t what = p->touches_only ? r % 9 : r % 16;
	assert_int_equal(ct_stack_probe(s, line), bound(p, brute_probe(b, line)));
	if (what == 15 && (r >> 20) % 32 == 0) {
		ct_stack_flush(s);
		brute_free(b);
	} else if (what == 15 || (what == 7 && (r >> 20) % 8 == 0)) {
		check_ops(s, b, p, seed);
	} else if (what == 14 && !p->no_evict) {
		ct_stack_invalidate(s, line);
		brute_invalidate(b, line);
	} else if (what >= 13 || (what == 8 && (r >> 20) % 8 == 0)) {
		check_batch(s, b, p, seed);
	} else {
		check_access(s, b, p, line, what, (uint32_t)(r >> 32));
	}
	assert_int_equal(ct_stack_lines(s), b->n);
}

static void run_plan(const struct plan *p, uint64_t seed)
{
	struct ct_error e;
	struct ct_stack *s = ct_stack_new(&p->o, &e);
	struct brute_stack b = {0};
	assert_non_null(s);
	for (int i = 0; i < p->calls; i++)
		one_call(s, &b, p, &seed);
	assert_int_equal(ct_stack_check(s, &e), 0);
	assert_true(ct_stack_bytes(s) > 0);
	ct_stack_free(s);
	brute_free(&b);
}

static void sweep(enum ct_stack_engine engine, int isa, int plans)
{
	static const uint64_t lines[] = {1, 2, 3, 17, 64, 65, 200, 700};
	static const uint64_t windows[] = {0, 1, 2, 3, 5, 64, 100, 128, 4096};
	static const uint64_t depths[] = {0, 0, 0, 1, 7, 64, 100, 1000};
	uint64_t seed = 1;
	for (int i = 0; i < plans; i++) {
		uint64_t r = ct_rand64(&seed);
		struct plan p = {
			.o = {.engine = engine,
		              .sectors = 1 + (uint32_t)(r % 4),
		              .window = windows[(r >> 8) % 9],
		              .isa = isa,
		              .depth = depths[(r >> 12) % 8],
		              .sparse = (r >> 34) % 2,
		              .stamps = (r >> 35) % 2},
			.lines = lines[(r >> 16) % 8],
			.spread = (r >> 24) % 3 ? (r >> 26) % 3 * 31 : 1,
			.calls = 120,
			.touches_only = (r >> 30) % 2};
		p.no_evict = p.o.depth > 0;
		run_plan(&p, r);
	}
}

static void textbook_equals_brute_force(void **state)
{
	(void)state;
	sweep(CT_STACK_TEXTBOOK, 0, 300);
}

static void fast_paths_equal_brute_force(void **state)
{
	int paths = 0;
	(void)state;
	for (int isa = CT_ISA_PORTABLE; isa < CT_ISA_COUNT; isa++)
		if (ct_isa_available((enum ct_isa)isa)) {
			sweep(CT_STACK_FAST, isa, 300);
			paths++;
		}
	assert_true(paths >= 1);
}

/* Compaction after every number of slots from 1 on, on every path and with both maps. */
static void compaction_at_every_size(void **state)
{
	(void)state;
	for (int isa = CT_ISA_PORTABLE; isa < CT_ISA_COUNT; isa++)
		for (uint64_t window = 1; ct_isa_available((enum ct_isa)isa) && window < 131; window++) {
			struct plan p = {.o = {.engine = CT_STACK_FAST,
			                       .sectors = 1 + window % 4,
			                       .window = window,
			                       .isa = isa,
			                       .sparse = window / 4 % 2},
			                 .lines = 20 + window,
			                 .spread = 1,
			                 .calls = 4};
			run_plan(&p, window);
		}
}

/* The pipeline of two threads drains at every compaction. */
static void two_threads_compact_often(void **state)
{
	enum { N = 20000, LINES = 900 };
	static uint64_t line[N], one[N], two[N];
	static const uint64_t windows[] = {0, 63, 1000, 4096, 5000};
	uint64_t seed = 9;
	(void)state;
	for (size_t i = 0; i < N; i++)
		line[i] = ct_rand64(&seed) % LINES;
	for (int sparse = 0; sparse < 2; sparse++)
		for (size_t k = 0; k < sizeof windows / sizeof *windows; k++)
			for (unsigned threads = 1; threads <= 3; threads++) {
				struct ct_stack_options o = {
					.window = windows[k], .threads = threads, .sparse = sparse};
				struct ct_stack *s = ct_stack_new(&o, NULL);
				assert_non_null(s);
				ct_stack_touch_batch(s, line, N, threads > 1 ? two : one);
				assert_int_equal(ct_stack_check(s, NULL), 0);
				ct_stack_free(s);
				if (threads > 1)
					assert_memory_equal(one, two, sizeof one);
			}
}

/* Chunks on several threads, of any size, leave the distances and the stack of one. */
static void chunks_equal_one_thread(void **state)
{
	enum { N = 5000, ROUNDS = 2 };
	static uint64_t line[N], want[N], got[N];
	static const size_t chunks[] = {0, 1, 37, 1000, 4097, N - 1, N, N + 1};
	uint64_t seed = 5;
	(void)state;
	for (unsigned k = 0; k < 48; k++) {
		uint64_t lines = k % 3 ? 700 : 20, windows = k % 5 ? 0 : 100;
		struct ct_stack_options o = {
			.window = windows,
			.depth = k % 7 == 1 ? 50 : 0,
			.sparse = k / 3 % 2,
			.sectors = k % 11 == 2 ? 4 : 1,
			.engine = k % 13 == 3 ? CT_STACK_TEXTBOOK : CT_STACK_FAST};
		struct ct_stack *a = ct_stack_new(&o, NULL), *b = ct_stack_new(&o, NULL);
		assert_true(a && b);
		for (int round = 0; round < ROUNDS; round++) {
			for (size_t i = 0; i < N; i++)
				line[i] = ct_rand64(&seed) % lines * (k % 4 == 3 ? 5000 : 1) +
				          (i > N / 2 ? (unsigned)round * 100 : 0);
			ct_stack_touch_batch(a, line, N, want);
			ct_stack_touch_chunks(b, line, N, got, 2 + k / 8 % 3, chunks[k % 8]);
			assert_memory_equal(got, want, sizeof got);
		}
		assert_int_equal(ct_stack_lines(a), ct_stack_lines(b));
		for (uint64_t l = 0; l < 1000; l++)
			assert_int_equal(ct_stack_probe(a, l), ct_stack_probe(b, l));
		assert_int_equal(ct_stack_check(b, NULL), 0);
		ct_stack_free(a);
		ct_stack_free(b);
	}
}

/* One stream on one path, in uneven pieces, compared with what the textbook says. */
static void one_long(const struct ct_stack_options *o, const uint64_t *line, size_t n, uint64_t *got,
                     const uint64_t *want)
{
	struct ct_error e;
	struct ct_stack *s = ct_stack_new(o, &e);
	size_t piece = o->threads > 1 ? 90001 : 10007;
	assert_non_null(s);
	memset(got, 0, n * sizeof *got);
	for (size_t i = 0, m; i < n; i += m) {
		m = i + piece < n ? piece : n - i;
		ct_stack_touch_batch(s, line + i, m, got + i);
	}
	assert_int_equal(ct_stack_check(s, &e), 0);
	assert_memory_equal(got, want, n * sizeof *got);
	/* 32 bytes per line and a constant, whatever the addresses. */
	assert_true(ct_stack_bytes(s) < 32 * ct_stack_lines(s) + (4 << 20));
	ct_stack_free(s);
}

/* Streams that are long for the window's upper levels: the fast engine against the
 * textbook one. Dense and hashed addresses; the second half of a dense stream hashed,
 * so that the map turns sparse on the way. */
static void long_streams_equal_textbook(void **state)
{
	enum { N = 400000, LINES = 70000 };
	uint64_t *line = malloc(3 * N * sizeof *line), *got = line + N, *want = line + 2 * N;
	struct ct_error e;
	(void)state;
	assert_non_null(line);
	for (int hashed = 0; hashed < 3; hashed++) {
		uint64_t seed = 4;
		for (size_t i = 0; i < N; i++) {
			uint64_t l = ct_rand64(&seed) % LINES;
			line[i] = hashed == 1 || (hashed == 2 && i > N / 2) ? ct_mix64(l) : l;
		}
		struct ct_stack_options o = {.engine = CT_STACK_TEXTBOOK};
		struct ct_stack *s = ct_stack_new(&o, &e);
		assert_non_null(s);
		ct_stack_touch_batch(s, line, N, want);
		ct_stack_free(s);
		for (int isa = CT_ISA_PORTABLE; isa < CT_ISA_COUNT; isa++)
			for (unsigned threads = 1; threads <= 2; threads++) {
				o = (struct ct_stack_options){.engine = CT_STACK_FAST,
				                              .isa = isa,
				                              .slack = 1 << 20,
				                              .threads = threads};
				if (ct_isa_available((enum ct_isa)isa))
					one_long(&o, line, N, got, want);
			}
	}
	free(line);
}

static void distances_of_a_known_stream(void **state)
{
	static const uint64_t line[] = {5, 5, 7, 9, 5, UINT64_MAX, 0, 7, UINT64_MAX};
	static const uint64_t want[] = {CT_COLD, 0, CT_COLD, CT_COLD, 2, CT_COLD, CT_COLD, 4, 2};
	uint64_t got[9];
	struct ct_stack *s = ct_stack_new(NULL, NULL);
	(void)state;
	assert_non_null(s);
	ct_stack_touch_batch(s, line, 9, got);
	assert_memory_equal(got, want, sizeof want);
	assert_int_equal(ct_stack_probe(s, 9), 4);
	assert_int_equal(ct_stack_probe(s, 8), CT_COLD);
	ct_stack_free(s);
	ct_stack_free(NULL);
}

/* A sector keeps the largest line distance since its own last touch. */
static void sectors_keep_the_largest_distance(void **state)
{
	struct ct_stack_options o = {.sectors = 4};
	struct ct_stack *s = ct_stack_new(&o, NULL);
	uint64_t d[4];
	(void)state;
	assert_non_null(s);
	ct_stack_touch_sectors(s, 1, 3, d);
	assert_true(d[0] == CT_COLD && d[1] == CT_COLD);
	ct_stack_touch(s, 2);
	ct_stack_touch(s, 3);
	assert_int_equal(ct_stack_touch_sectors(s, 1, 1, d), 2);
	assert_int_equal(d[0], 2);
	assert_int_equal(ct_stack_touch_sectors(s, 1, 6, d), 0);
	assert_int_equal(d[1], 2); /* untouched while the line was at distance 2 */
	assert_int_equal(d[2], CT_COLD);
	assert_int_equal(ct_stack_touch_sectors(s, 1, 2, d), 0);
	assert_int_equal(d[1], 0);
	ct_stack_free(s);
}

static void too_many_sectors_are_refused(void **state)
{
	struct ct_stack_options o = {.sectors = 5};
	struct ct_error e;
	(void)state;
	assert_null(ct_stack_new(&o, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(textbook_equals_brute_force),
		cmocka_unit_test(fast_paths_equal_brute_force),
		cmocka_unit_test(compaction_at_every_size),
		cmocka_unit_test(two_threads_compact_often),
		cmocka_unit_test(chunks_equal_one_thread),
		cmocka_unit_test(long_streams_equal_textbook),
		cmocka_unit_test(distances_of_a_known_stream),
		cmocka_unit_test(sectors_keep_the_largest_distance),
		cmocka_unit_test(too_many_sectors_are_refused),
	};
	return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}

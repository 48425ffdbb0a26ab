/* Published storage and packet arithmetic of the Tag-Split Cache paper, exactly; the mode
 * selection of TSC+; the request buffer of MRPB against a twin. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "models/tag_split/mode.h"
#include "models/tag_split/mrpb.h"
#include "models/tag_split/storage.h"

/* 16 KB, 4 ways of 128 B, 32-bit addresses (section 5.1 of the facts). */
static const struct ct_ts_plain BASE = {128, 32, 4, 20};

static struct ct_ts_shape split(uint32_t private_bits, uint32_t chunk)
{
	return (struct ct_ts_shape){
		.kind = CT_TS_SPLIT,
		.line = 128,
		.chunk = chunk,
		.sets = 32,
		.ways = 4,
		.tag_bits = 20,
		.private_bits = private_bits};
}

static double overhead(struct ct_ts_shape s)
{
	return ct_ts_overhead_bytes(&s, &BASE);
}

static void storage_comes_out(void **state)
{
	(void)state;
	assert_true(overhead(split(8, 32)) == 592); /* 0.58 KB */
	assert_true(overhead(split(5, 32)) == 448); /* 0.44 KB */
	for (uint32_t p = 0; p <= 20; p++)          /* every length of the private tag */
		assert_true(overhead(split(p, 32)) == 208 + 48.0 * p);
	assert_true(overhead(split(8, 8)) == 3408); /* other chunk sizes */
	assert_true(overhead(split(8, 16)) == 1488);
	assert_true(overhead(split(8, 64)) == 176);
	struct ct_ts_shape s = {
		.kind = CT_TS_SECTOR, .line = 128, .chunk = 32, .sets = 32, .ways = 4, .tag_bits = 20};
	assert_true(overhead(s) == 64); /* 0.063 KB */
	s.kind = CT_TS_DSC;
	s.tags = 2;
	assert_true(overhead(s) == 464); /* 0.45 KB */
	s.tags = 4;
	assert_true(overhead(s) == 1360); /* 1.33 KB */
	s.kind = CT_TS_LINE;
	assert_true(overhead(s) == 0);
	/* Two decimals of the paper's KB. */
	assert_int_equal((int)(592 / 1024.0 * 100 + .5), 58);
	assert_int_equal((int)(448 / 1024.0 * 100 + .5), 44);
	assert_int_equal((int)(464 / 1024.0 * 100 + .5), 45);
	assert_int_equal((int)(1360 / 1024.0 * 100 + .5), 133);
	assert_int_equal((int)(64 / 1024.0 * 1000 + .5), 63);
}

static void geometry_comes_out(void **state)
{
	(void)state;
	struct ct_ts_shape s = split(8, 32);
	assert_int_equal(ct_ts_group_reach(&s), 1 << 20);  /* reach of a group */
	assert_int_equal(ct_ts_tag_bits(32, 32, 128), 20); /* tag bits */
	assert_int_equal(16384 / 128 / 4, s.sets);         /* sets and slots */
	assert_int_equal(s.ways * s.line / s.chunk, 16);
	assert_int_equal(s.sets * s.ways * (s.line / s.chunk) * s.chunk, 16384);
	for (uint32_t chunk = 8, tags = 2048; chunk <= 32; chunk *= 2, tags /= 2) /* as chunks halve */
		assert_int_equal(s.sets * s.ways * (128 / chunk) * 8 / 8, tags);
	/* Smaller lines need more tags, larger ones fewer. */
	struct ct_ts_shape l = {.kind = CT_TS_LINE,
	                        .line = 32,
	                        .chunk = 32,
	                        .sets = 128,
	                        .ways = 4,
	                        .tag_bits = ct_ts_tag_bits(32, 128, 32)};
	assert_int_equal(l.tag_bits, 20);
	assert_true(overhead(l) == 3 * 32 * 92 / 8);
	l = (struct ct_ts_shape){
		.kind = CT_TS_LINE,
		.line = 256,
		.chunk = 32,
		.sets = 16,
		.ways = 4,
		.tag_bits = ct_ts_tag_bits(32, 16, 256)};
	assert_true(overhead(l) == -16 * 92 / 8.0);
}

static void packets_come_out(void **state)
{
	(void)state;
	assert_int_equal(1 + ct_ts_data_packets(1, 32, 32), 2); /* a fine and a coarse miss */
	assert_int_equal(1 + ct_ts_data_packets(4, 32, 32), 5);
	assert_int_equal(ct_ts_data_packets(1, 8, 32), 1); /* reading packets-of-a-miss */
	assert_int_equal(ct_ts_data_packets(5, 8, 32), 2);
	assert_int_equal(ct_ts_data_packets(2, 64, 32), 4);
}

static void counters_fit_sixteen_bits(void **state)
{
	(void)state;
	struct ct_ts_mode m;
	uint64_t rng = 1;
	ct_ts_mode_init(&m, 1024);
	for (int i = 0; i < 200000; i++) { /* counters cannot overflow */
		uint64_t r = ct_rand64(&rng);
		ct_ts_mode_miss(&m, (int)(r & 1), 1, 5);
		for (int k = 0; k < 2; k++) {
			assert_in_range(m.misses[k], 0, 1024);
			assert_in_range(m.packets[k], 0, 65535);
		}
	}
}

static void the_cheaper_mode_wins(void **state)
{
	(void)state;
	struct ct_ts_mode m;
	ct_ts_mode_init(&m, 1024);
	assert_int_equal(m.coarse, 0);
	/* Four fine misses of one chunk for each coarse one: 16 * 8n against n * 5n. */
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < 4; k++)
			ct_ts_mode_miss(&m, 0, 1, 2);
		ct_ts_mode_miss(&m, 1, 1, 5);
	}
	assert_int_equal(m.coarse, 1);
	/* As many misses in both modes: fine moves less. */
	ct_ts_mode_init(&m, 1024);
	for (int i = 0; i < 5000; i++) {
		ct_ts_mode_miss(&m, 0, 1, 2);
		ct_ts_mode_miss(&m, 1, 1, 5);
	}
	assert_int_equal(m.coarse, 0);
	ct_ts_mode_init(&m, 1024);
	m.coarse = 1;
	ct_ts_mode_miss(&m, 0, 1, 0); /* products are equal (0): keep the mode */
	assert_int_equal(m.coarse, 1);
}

static void roles_are_dealt(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++)
		for (int spread = 0; spread < 2; spread++)
			for (uint32_t sets = 1; sets <= 64; sets *= 2) {
				uint8_t role[64];
				unsigned n[3] = {0, 0, 0};
				ct_ts_mode_roles(role, sets, 4, spread, seed);
				for (uint32_t i = 0; i < sets; i++)
					n[role[i]]++;
				unsigned want = sets / 2 < 4 ? sets / 2 : 4;
				assert_int_equal(n[CT_TS_ALWAYS_FINE], want);
				assert_int_equal(n[CT_TS_ALWAYS_COARSE], want);
			}
	uint8_t role[32];
	ct_ts_mode_roles(role, 32, 4, 1, 0); /* reading sampler-sets */
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(role[i], i % 8 == 0   ? CT_TS_ALWAYS_FINE
		                          : i % 8 == 4 ? CT_TS_ALWAYS_COARSE
		                                       : CT_TS_FOLLOWER);
}

/* ---- MRPB: a list of everything that waits, a list of everything that flies ---- */

enum { MANY = 4096 };

struct job {
	struct ct_ts_mrpb_request q;
	uint32_t queue;
};

struct line {
	uint64_t tag, used;
	int live;
};

struct plane {
	uint64_t line, until;
	uint32_t set;
	int held;
};

struct buffer {
	struct ct_ts_mrpb_options o;
	struct job job[MANY];
	unsigned jobs;
	uint32_t current;
	uint64_t now, time;
	struct plane plane[64];
	unsigned planes;
	struct line cache[64];
	uint32_t sets, ways;
	struct ct_ts_mrpb_answer out[MANY];
	unsigned outs;
};

static void land(struct buffer *b)
{
	for (unsigned i = 0; i < b->planes;)
		if (b->plane[i].until <= b->now)
			b->plane[i] = b->plane[--b->planes];
		else
			i++;
}

static void wait_for_one(struct buffer *b)
{
	uint64_t first = UINT64_MAX;
	for (unsigned i = 0; i < b->planes; i++)
		first = b->plane[i].until < first ? b->plane[i].until : first;
	b->now = first;
	land(b);
}

static unsigned held(const struct buffer *b, uint32_t set)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->planes; i++)
		n += b->plane[i].held && b->plane[i].set == set;
	return n;
}

static struct line *look(struct buffer *b, uint64_t tag)
{
	for (uint32_t w = 0; w < b->ways; w++) {
		struct line *l = &b->cache[tag % b->sets * b->ways + w];
		if (l->live && l->tag == tag)
			return l;
	}
	return NULL;
}

static void place(struct buffer *b, uint64_t tag)
{
	struct line *best = NULL;
	for (uint32_t w = 0; w < b->ways; w++) {
		struct line *l = &b->cache[tag % b->sets * b->ways + w];
		if (!best || (best->live && (!l->live || l->used < best->used)))
			best = l;
	}
	*best = (struct line){tag, b->time, 1};
}

static void serve_twin(struct buffer *b)
{
	unsigned best = MANY;
	for (unsigned i = 0; i < b->jobs && best == MANY; i++)
		if (b->job[i].queue == b->current)
			best = i;
	for (uint32_t k = 0; k < b->o.queues && best == MANY; k++)
		for (unsigned i = 0; i < b->jobs && best == MANY; i++)
			if (b->job[i].queue == k) {
				best = i;
				b->current = k;
			}
	struct ct_ts_mrpb_answer *a = &b->out[b->outs++];
	struct ct_ts_mrpb_request q = b->job[best].q;
	memset(a, 0, sizeof *a);
	a->request = q;
	memmove(&b->job[best], &b->job[best + 1], (--b->jobs - best) * sizeof b->job[0]);
	land(b);
	struct line *l = look(b, q.line);
	int flying = 0;
	for (unsigned i = 0; i < b->planes; i++)
		flying |= b->plane[i].line == q.line;
	if (q.is_store) {
		b->time++;
		a->result.hit = l ? q.chunks : 0;
		if (l)
			l->live = 0;
	} else if (l || flying) {
		b->time++;
		a->result.hit = q.chunks;
		if (l)
			l->used = b->time;
		else
			place(b, q.line);
	} else {
		uint32_t set = (uint32_t)(q.line % b->sets);
		while (b->planes == b->o.mshr)
			wait_for_one(b);
		a->bypassed = held(b, set) >= b->ways && b->o.bypass;
		while (!a->bypassed && held(b, set) >= b->ways)
			wait_for_one(b);
		if (!a->bypassed) {
			b->time++;
			place(b, q.line);
		}
		b->plane[b->planes++] = (struct plane){q.line, b->now + b->o.latency, set, !a->bypassed};
		a->result.miss = a->bypassed ? q.chunks : 15;
	}
	a->cycle = b->now++;
}

static unsigned in_queue(const struct buffer *b, uint32_t queue)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->jobs; i++)
		n += b->job[i].queue == queue;
	return n;
}

static void push_twin(struct buffer *b, const struct ct_ts_mrpb_request *q, uint64_t cycle)
{
	uint32_t queue = b->o.reorder ? q->warp % b->o.queues : 0;
	while (b->jobs && (b->now < cycle || in_queue(b, queue) == b->o.depth))
		serve_twin(b);
	b->now = b->now < cycle ? cycle : b->now;
	b->job[b->jobs++] = (struct job){*q, queue};
}

struct seen {
	struct ct_ts_mrpb_answer a[MANY];
	unsigned n;
};

static void take(void *ctx, const struct ct_ts_mrpb_answer *a)
{
	struct seen *s = ctx;
	s->a[s->n++] = *a;
}

static void mrpb_equals_its_twin(void **state)
{
	(void)state;
	struct buffer *b = malloc(sizeof *b);
	struct seen *s = malloc(sizeof *s);
	unsigned bypassed = 0, moved = 0;
	assert_true(b && s);
	for (uint64_t seed = 0; seed < 1000; seed++) {
		uint64_t rng = seed, cycle = 0;
		memset(b, 0, sizeof *b);
		s->n = 0;
		b->sets = 1u << seed % 3;
		b->ways = 1 + seed % 4;
		b->o = (struct ct_ts_mrpb_options){1 + seed % 5,  1 + seed % 7,  1 + seed % 9,
		                                   1 + seed % 40, seed % 4 != 0, seed % 3 != 0};
		struct ct_ts_shape shape = {
			.kind = CT_TS_LINE,
			.line = 128,
			.chunk = 32,
			.sets = b->sets,
			.ways = b->ways,
			.tag_bits = 20};
		struct ct_ts_l1 *l1;
		struct ct_ts_mrpb *m;
		struct ct_error e;
		assert_int_equal(ct_ts_l1_new(&l1, &shape, &e), CT_OK);
		assert_int_equal(ct_ts_mrpb_new(&m, l1, &b->o, take, s, &e), CT_OK);
		for (uint64_t i = 0; i < 80; i++) {
			uint64_t r = ct_rand64(&rng);
			struct ct_ts_mrpb_request q = {
				(r >> 8) % (3 * b->sets * b->ways), 1 + (r >> 16) % 15,
				(uint32_t)(r >> 24) % 8, i, (r >> 32 & 15) == 0};
			cycle += r >> 62 ? 0 : (r >> 40) % 60;
			ct_ts_mrpb_push(m, &q, cycle);
			push_twin(b, &q, cycle);
		}
		ct_ts_mrpb_drain(m);
		while (b->jobs)
			serve_twin(b);
		assert_int_equal(s->n, 80);
		for (unsigned i = 0; i < 80; i++) {
			assert_int_equal(s->a[i].request.id, b->out[i].request.id);
			assert_int_equal(s->a[i].result.hit, b->out[i].result.hit);
			assert_int_equal(s->a[i].result.miss, b->out[i].result.miss);
			assert_int_equal(s->a[i].bypassed, b->out[i].bypassed);
			assert_int_equal(s->a[i].cycle, b->out[i].cycle);
			bypassed += s->a[i].bypassed != 0;
			moved += s->a[i].request.id != i;
		}
		ct_ts_mrpb_free(m);
	}
	assert_true(bypassed > 100 && moved > 100);
	free(b);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(storage_comes_out),     cmocka_unit_test(geometry_comes_out),
		cmocka_unit_test(packets_come_out),      cmocka_unit_test(counters_fit_sixteen_bits),
		cmocka_unit_test(the_cheaper_mode_wins), cmocka_unit_test(roles_are_dealt),
		cmocka_unit_test(mrpb_equals_its_twin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a profile's pass counts for shared L1s against the organisations of org.h, driven with
 * the same accesses and replies that come at once: misses, copies, phases, Min(H,L2); and
 * its records. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/address.h"
#include "models/shared_l1/org.h"
#include "models/shared_l1/systems.h"
#include "models/shared_l1/watch.h"
#include "tests/support/gpus.h"

enum { STEPS = 150000, SMS = 4 };

/* One organisation that answers at once. */
struct one {
	struct ct_sl_org *o;
	unsigned waiter_from;
	uint64_t now;
	int waited;
};

static void answered(void *ctx, const struct ct_sl_waiter *w)
{
	struct one *x = ctx;
	x->waiter_from = w->from;
	x->waited = w->missed;
}

static void step(struct one *x, unsigned core, uint64_t line, unsigned partition, int is_write)
{
	struct ct_sl_route r;
	struct ct_sl_found f;
	assert_int_equal(ct_sl_org_route(x->o, core, line, partition, 0, &r), CT_OK);
	if (r.way == CT_SL_PAST)
		return;
	assert_int_equal(ct_sl_org_access(x->o,
	                                  &(struct ct_sl_access){.at = r.at,
	                                                         .from = core,
	                                                         .line = line,
	                                                         .mask = 1,
	                                                         .is_write = is_write,
	                                                         .room = 1,
	                                                         .now = ++x->now},
	                                  &f),
	                 CT_OK);
	if (f.fetch) {
		assert_int_equal(ct_sl_org_fill(x->o, r.at, line, 1, 0, answered, x), CT_OK);
		assert_int_equal(x->waiter_from, core);
	}
	if (is_write)
		ct_sl_org_ack(x->o, r.at, line);
	if (r.way == CT_SL_REMOTE)
		ct_sl_org_reply(x->o, core, line, f.fetch && x->waited);
}

/* The organisation that each of them watches. */
static void make(struct one *x, enum ct_sl_watched which, const struct ct_gpu *g,
                 const struct ct_sl_noc *noc, const uint8_t *nearer)
{
	struct ct_sl_params p;
	struct ct_error e;
	int factor = which == CT_SL_WATCH_PRIVATE_2X ? 2 : which == CT_SL_WATCH_PRIVATE_16X ? 16 : 1;
	struct ct_sl_org_config c = {
		.organisation = which >= CT_SL_WATCH_DYNAMAT  ? CT_SL_ORG_DYNAMIC
	                        : which >= CT_SL_WATCH_SHARED ? CT_SL_ORG_SHARED
	                                                      : CT_SL_ORG_PRIVATE,
		.cores = g->sms,
		.sets = g->l1.sets * (uint32_t)factor,
		.ways = g->l1.ways,
		.set_hash = g->l1.set_hash,
		.whole = 1,
		.homes = CT_SL_HOMES_MOD,
		.reserve = 1,
		.nearer = which > CT_SL_WATCH_SHARED ? nearer : NULL,
		.partitions = g->llc_partitions};
	ct_sl_defaults(&p);
	if (which >= CT_SL_WATCH_DYNAMAT)
		ct_sl_scheme_of(ct_sl_system_at(CT_SL_DYNAMAT + (size_t)which - CT_SL_WATCH_DYNAMAT), g,
		                &p, noc, &c.scheme);
	memset(x, 0, sizeof *x);
	assert_int_equal(ct_sl_org_new(&x->o, &c, &e), CT_OK);
}

static void agree(const struct ct_sl_watch_counts *c, const struct one *x, int copies)
{
	struct ct_sl_org_stats s;
	ct_sl_org_stats(x->o, &s);
	assert_int_equal((uint64_t)c->reads, s.reads);
	assert_int_equal((uint64_t)c->writes, s.writes);
	assert_int_equal((uint64_t)c->read_misses, s.read_misses);
	assert_int_equal((uint64_t)c->write_misses, s.write_misses);
	if (copies) {
		assert_int_equal((uint64_t)c->read_misses, s.fills);
		assert_int_equal((uint64_t)c->replicated, s.replicated);
		assert_int_equal((uint64_t)c->copies, s.copies);
	}
	assert_int_equal((uint64_t)c->sampled, s.phases.sampled);
	assert_int_equal((uint64_t)c->decisions, s.phases.decisions);
	assert_int_equal((uint64_t)c->chose_shared, s.phases.chose_shared);
}

struct scene {
	struct ct_gpu g;
	struct ct_address_map map;
	struct ct_sl_noc noc;
	struct ct_sl_watch *w;
	struct one one[CT_SL_WATCHED];
	uint8_t *nearer;
};

static struct scene *open_scene(void)
{
	struct scene *s = calloc(1, sizeof *s);
	struct ct_sl_params p;
	struct ct_error e;
	assert_non_null(s);
	test_gpu_sharedl1_small(&s->g);
	ct_sl_defaults(&p);
	assert_int_equal(ct_sl_noc_init(&s->noc, CT_SL_NET_MESH, &s->g, &p, NULL, &e), CT_OK);
	assert_int_equal(ct_address_map_init(&s->map, &s->g, &e), CT_OK);
	assert_int_equal(ct_sl_watch_new(&s->w, &s->g, &e), CT_OK);
	assert_non_null(s->nearer = ct_sl_place_nearer(&s->noc.place));
	for (int i = 0; i < CT_SL_WATCHED; i++)
		make(&s->one[i], (enum ct_sl_watched)i, &s->g, &s->noc, s->nearer);
	return s;
}

static void close_scene(struct scene *s)
{
	for (int i = 0; i < CT_SL_WATCHED; i++)
		ct_sl_org_free(s->one[i].o);
	ct_sl_watch_free(s->w);
	ct_sl_noc_free(&s->noc);
	free(s->nearer);
	free(s);
}

/* A table that all read, lines of their own, and stores to both; kernels end now and then, and
 * fences empty an L1. */
static void feed(struct scene *s, uint64_t seed, unsigned table)
{
	struct ct_error e;
	for (unsigned i = 0; i < STEPS; i++) {
		if (i % 40000 == 0) {
			assert_int_equal(ct_sl_watch_kernel(s->w, s->g.l1.sets, s->g.l1.ways, 1, &e),
			                 CT_OK);
			for (int k = 0; k < CT_SL_WATCHED; k++)
				for (unsigned c = 0; c < SMS; c++)
					ct_sl_org_flush(s->one[k].o, c);
		}
		if (i % 7919 == 0) { /* a fence of one SM */
			ct_sl_watch_wipe(s->w, i / 7919 % SMS);
			for (int k = 0; k < CT_SL_WATCHED; k++)
				ct_sl_org_flush(s->one[k].o, i / 7919 % SMS);
		}
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		unsigned core = seed >> 60 & 3, r = (unsigned)(seed >> 33);
		uint64_t line = r % 3 ? r / 3 % table : 100000 + core * 5000 + r / 3 % 300;
		int is_write = (seed >> 50 & 7) == 0;
		struct ct_place at = ct_address_place(&s->map, line * s->g.l1.line);
		ct_sl_watch_l1(s->w, core, line, 1, is_write);
		for (int k = 0; k < CT_SL_WATCHED; k++)
			step(&s->one[k], core, line, at.slice * s->g.llc_partitions / s->g.llc_slices,
			     is_write);
	}
}

static void compare(struct scene *s, int shared)
{
	struct ct_sl_watch_counts c;
	for (int i = 0; i < CT_SL_WATCHED; i++) {
		assert_int_equal(ct_sl_watch_counts(s->w, (enum ct_sl_watched)i, &c), 1);
		agree(&c, &s->one[i], i != CT_SL_WATCH_SHARED && i != CT_SL_WATCH_MIN);
	}
	assert_true(c.decisions >= SMS); /* DynEB: every SM */
	assert_int_equal(c.chose_shared > 0, shared);
}

static void test_shared(void **state)
{
	struct scene *s = open_scene();
	(void)state;
	feed(s, 1, 400); /* larger than an L1 of 128 lines, not than all of them */
	compare(s, 1);
	close_scene(s);
}

static void test_private(void **state)
{
	struct scene *s = open_scene();
	struct ct_error e;
	(void)state;
	/* All hits but the first: the guard. */
	for (unsigned i = 0; i < STEPS; i++) {
		if (i == 0)
			assert_int_equal(ct_sl_watch_kernel(s->w, s->g.l1.sets, s->g.l1.ways, 1, &e),
			                 CT_OK);
		uint64_t line = i / SMS * 32 % 128 + i / 37 % 32; /* every home */
		ct_sl_watch_l1(s->w, i % SMS, line, 1, 0);
		struct ct_place at = ct_address_place(&s->map, line * s->g.l1.line);
		for (int k = 0; k < CT_SL_WATCHED; k++)
			step(&s->one[k], i % SMS, line, at.slice * s->g.llc_partitions / s->g.llc_slices,
			     0);
	}
	compare(s, 0);
	close_scene(s);
}

/* Records say what was counted; L1s of many ways keep none. */
static void test_records(void **state)
{
	struct scene *s = open_scene();
	struct ct_sl_watch_counts c, r;
	struct ct_profile *p;
	struct ct_error e;
	double v;
	(void)state;
	feed(s, 2, 400);
	assert_non_null(p = ct_profile_new(&e));
	assert_int_equal(ct_sl_watch_write(s->w, p, &e), CT_OK);
	for (int i = 0; i < CT_SL_WATCHED; i++) {
		assert_int_equal(ct_sl_watch_counts(s->w, (enum ct_sl_watched)i, &c), 1);
		assert_int_equal(ct_sl_watch_read(p, (enum ct_sl_watched)i, &r), 1);
		assert_int_equal((uint64_t)c.reads, (uint64_t)r.reads);
		assert_int_equal((uint64_t)c.read_misses, (uint64_t)r.read_misses);
		assert_int_equal((uint64_t)c.write_misses, (uint64_t)r.write_misses);
		assert_int_equal((uint64_t)c.homed, (uint64_t)r.homed);
		if (i != CT_SL_WATCH_PRIVATE) {
			assert_int_equal((uint64_t)c.misses_low, (uint64_t)r.misses_low);
			assert_int_equal((uint64_t)c.misses_high, (uint64_t)r.misses_high);
			assert_int_equal((uint64_t)c.edge, (uint64_t)r.edge);
			assert_true(c.misses_low <= c.read_misses + c.write_misses);
			assert_true(c.misses_high >= c.read_misses + c.write_misses);
		}
		assert_int_equal((uint64_t)c.chose_shared, (uint64_t)r.chose_shared);
	}
	assert_int_equal(ct_profile_get_im(p, "all", "home_camping", &v), 1);
	assert_true(v >= 1);
	ct_profile_free(p);
	assert_int_equal(ct_sl_watch_kernel(s->w, 4, 64, 1, &e), CT_OK);
	for (int i = 0; i < CT_SL_WATCHED; i++)
		assert_int_equal(ct_sl_watch_counts(s->w, (enum ct_sl_watched)i, &c), 0);
	close_scene(s);
}

/* The share of accesses whose home is their own SM, under each kind of homes. */
static void test_own_homes(void **state)
{
	struct scene *s = open_scene();
	struct ct_profile *p;
	struct ct_error e;
	unsigned home[CT_SL_HOMES_KINDS], own[CT_SL_HOMES_KINDS] = {0}, all = 0;
	double v;
	(void)state;
	assert_int_equal(ct_sl_watch_kernel(s->w, s->g.l1.sets, s->g.l1.ways, 1, &e), CT_OK);
	for (uint64_t line = 0; line < 512; line++) {
		ct_sl_homes_of(line, s->g.l1.sets, SMS, home);
		/* three of four lines are of their own SM by the first kind */
		unsigned sm = line % 4 ? home[CT_SL_HOMES_MOD] : (home[CT_SL_HOMES_MOD] + 1) % SMS;
		ct_sl_watch_l1(s->w, sm, line, 1, 0);
		for (int h = 0; h < CT_SL_HOMES_KINDS; h++)
			own[h] += home[h] == sm;
		all++;
	}
	assert_int_equal(4 * own[CT_SL_HOMES_MOD], 3 * all);
	assert_non_null(p = ct_profile_new(&e));
	assert_int_equal(ct_sl_watch_write(s->w, p, &e), CT_OK);
	for (int h = 0; h < CT_SL_HOMES_KINDS; h++) {
		assert_int_equal(ct_profile_get_im(p, "all", ct_sl_home_own[h], &v), 1);
		assert_true(fabs(v - (double)own[h] / all) < 1e-6);
	}
	ct_profile_free(p);
	close_scene(s);
}

/* The share of loads to odd sets, which stores tell where there are no loads. */
static void test_odd_sets(void **state)
{
	struct scene *s = open_scene();
	struct ct_profile *p;
	struct ct_error e;
	double v;
	(void)state;
	for (int loads = 0; loads < 2; loads++) {
		assert_int_equal(ct_sl_watch_kernel(s->w, s->g.l1.sets, s->g.l1.ways, 1, &e), CT_OK);
		for (uint64_t i = 0; i < 300; i++) {
			uint64_t line = 2 * i + (i % 3 == 0);
			unsigned set = ct_set_index(
				(enum ct_set_hash)s->g.l1.set_hash, s->g.l1.sets, line);
			if (loads)
				ct_sl_watch_l1(s->w, 0, line & ~UINT64_C(1), 1, 0);
			else
				ct_sl_watch_l1(s->w, 0, line, 1, 1);
			assert_int_equal(set & 1, line & 1);
		}
		assert_non_null(p = ct_profile_new(&e));
		assert_int_equal(ct_sl_watch_write(s->w, p, &e), CT_OK);
		assert_int_equal(ct_profile_get_im(p, "all", ct_sl_odd_sets, &v), 1);
		assert_true(fabs(v - (loads ? 0 : 1.0 / 3)) < 1e-6);
		ct_profile_free(p);
	}
	ct_sl_watch_counted(s->w);
	ct_sl_watch_l1(s->w, 0, 1, 1, 0);
	assert_non_null(p = ct_profile_new(&e));
	assert_int_equal(ct_sl_watch_write(s->w, p, &e), CT_OK);
	assert_int_equal(ct_profile_get_im(p, "all", ct_sl_odd_sets, &v), 1);
	assert_true(fabs(v - 1) < 1e-6);
	ct_profile_free(p);
	close_scene(s);
}

/* What would miss if other numbers of lines came between, against L1s of other ways: exactly, of
 * reads. */
static void test_order(void **state)
{
	struct scene *s = open_scene();
	struct ct_sl_watch *other[4]; /* of that many ways */
	static const uint32_t ways[4] = {8 * CT_SL_PACE, 8 / CT_SL_PACE, 6, 10};
	struct ct_sl_watch_counts c, n[4];
	struct ct_error e;
	uint64_t seed = 7;
	(void)state;
	for (int k = 0; k < 4; k++)
		assert_int_equal(ct_sl_watch_new(&other[k], &s->g, &e), CT_OK);
	for (unsigned i = 0; i < STEPS / 2; i++) {
		if (i % 40000 == 0) {
			assert_int_equal(ct_sl_watch_kernel(s->w, 16, 8, 1, &e), CT_OK);
			for (int k = 0; k < 4; k++)
				assert_int_equal(ct_sl_watch_kernel(other[k], 16, ways[k], 1, &e),
				                 CT_OK);
		}
		if (i % 7919 == 0) {
			ct_sl_watch_wipe(s->w, i / 7919 % SMS);
			for (int k = 0; k < 4; k++)
				ct_sl_watch_wipe(other[k], i / 7919 % SMS);
		}
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		unsigned core = seed >> 60 & 3, r = (unsigned)(seed >> 33);
		uint64_t line = r % 3 ? r / 3 % 900 : i / 16 % 1500;
		ct_sl_watch_l1(s->w, core, line, 1, 0);
		for (int k = 0; k < 4; k++)
			ct_sl_watch_l1(other[k], core, line, 1, 0);
	}
	for (int i = CT_SL_WATCH_PRIVATE_2X; i <= CT_SL_WATCH_MIN; i++) {
		assert_int_equal(ct_sl_watch_counts(s->w, (enum ct_sl_watched)i, &c), 1);
		for (int k = 0; k < 4; k++)
			assert_int_equal(ct_sl_watch_counts(other[k], (enum ct_sl_watched)i, &n[k]), 1);
		assert_true(n[2].read_misses > n[3].read_misses || i == CT_SL_WATCH_PRIVATE_16X);
		assert_int_equal((uint64_t)c.misses_low, (uint64_t)n[0].read_misses);
		assert_int_equal((uint64_t)c.misses_high, (uint64_t)n[1].read_misses);
		assert_int_equal((uint64_t)c.edge, (uint64_t)(n[2].read_misses - n[3].read_misses));
	}
	for (int k = 0; k < 4; k++)
		ct_sl_watch_free(other[k]);
	close_scene(s);
}

/* Warps of an SM that read as many lines of one set each, `turns` times over: in step, or one after
 * the other. The share of misses of homes, and its range. */
static void march(unsigned warps, unsigned lines, int in_step, double rate[4])
{
	enum { TURNS = 50 };
	struct ct_sl_watch_counts c;
	struct ct_sl_watch *w;
	struct ct_error e;
	struct ct_gpu g;
	test_gpu_sharedl1_small(&g);
	assert_int_equal(ct_sl_watch_new(&w, &g, &e), CT_OK);
	assert_int_equal(ct_sl_watch_kernel(w, g.l1.sets, g.l1.ways, 1, &e), CT_OK);
	for (unsigned i = 0; i < warps * lines * TURNS; i++) {
		unsigned warp = in_step ? i % warps : i / (lines * TURNS);
		unsigned at = in_step ? i / warps % lines : i % lines;
		ct_sl_watch_l1(w, 0, (uint64_t)(warp * lines + at) * g.l1.sets * g.sms, 1, 0);
	}
	assert_int_equal(ct_sl_watch_counts(w, CT_SL_WATCH_SHARED, &c), 1);
	rate[0] = c.read_misses / c.reads;
	rate[1] = c.misses_low / c.reads;
	rate[2] = c.misses_high / c.reads;
	rate[3] = c.edge / c.reads;
	ct_sl_watch_free(w);
}

/* Five warps in step, a line each, in a set of four: they miss for ever, and hit once they run apart.
 * That is flagged, and the range holds the other order; where they run apart, or where nothing
 * fits in any order, nothing is. */
static void test_edge(void **state)
{
	double step[4], apart[4];
	(void)state;
	march(5, 1, 1, step);
	march(5, 1, 0, apart);
	assert_true(step[0] > 0.99 && apart[0] < 0.05);
	assert_true(step[1] <= apart[0] && apart[0] <= step[2]);
	assert_true(ct_sl_order_sensitive(step[3]));
	assert_false(ct_sl_order_sensitive(apart[3]));
	assert_true(apart[2] - apart[1] < ct_sl_accuracy);
	march(2, 40, 1, step);
	march(2, 40, 0, apart);
	assert_true(step[0] > 0.99 && apart[0] > 0.99);
	assert_false(ct_sl_order_sensitive(step[3]));
	assert_false(ct_sl_order_sensitive(apart[3]));
	assert_true(step[2] - step[1] < ct_sl_accuracy);
}

/* What nobody has read yet, against a table of all lines: exactly while they are few. */
static void test_first(void **state)
{
	enum { LINES = 40000 };
	uint8_t *read = calloc(LINES, 1);
	(void)state;
	assert_non_null(read);
	for (int many = 0; many < 2; many++) {
		struct ct_sl_first *f;
		struct ct_sl_firsts n, want = {0};
		uint64_t seed = 5;
		assert_int_equal(ct_sl_first_new(&f), CT_OK);
		for (unsigned i = 0; i < STEPS; i++) {
			if (i % 60000 == 0) {
				ct_sl_first_flush(f);
				memset(read, 0, LINES);
			} else if (i % 9001 == 0) { /* home 2 of 4 */
				ct_sl_first_wipe(f, 32, 4, 2);
				for (unsigned l = 0; l < LINES; l++)
					if (l / 32 % 4 == 2)
						read[l] = 0;
			}
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			unsigned line = (unsigned)(seed >> 33) % (many ? LINES : 8000);
			uint32_t mask = 1u << (seed >> 61 & 3) | 1u << (seed >> 58 & 3);
			int is_write = (seed >> 52 & 3) == 0;
			uint32_t lacks = mask & ~(uint32_t)read[line];
			want.requests++;
			*(is_write ? &want.writes : &want.reads) += lacks != 0;
			*(is_write ? &want.write_sectors
			           : &want.read_sectors) += lacks ? (lacks & (lacks - 1)) ? 2 : 1 : 0;
			if (!is_write)
				read[line] |= (uint8_t)mask;
			ct_sl_first_access(f, line, mask, is_write);
		}
		ct_sl_first_counts(f, &n);
		double off = many ? 0.05 : 0;
		assert_true(n.requests <= want.requests && n.requests >= want.requests);
		assert_true(n.reads >= want.reads * (1 - off) && n.reads <= want.reads * (1 + off));
		assert_true(n.writes >= want.writes * (1 - off) && n.writes <= want.writes * (1 + off));
		assert_true(n.read_sectors >= want.read_sectors * (1 - off) &&
		            n.read_sectors <= want.read_sectors * (1 + off));
		assert_true(n.write_sectors >= want.write_sectors * (1 - off) &&
		            n.write_sectors <= want.write_sectors * (1 + off));
		ct_sl_first_free(f);
	}
	free(read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),   cmocka_unit_test(test_private),
		cmocka_unit_test(test_records),  cmocka_unit_test(test_own_homes),
		cmocka_unit_test(test_odd_sets), cmocka_unit_test(test_order),
		cmocka_unit_test(test_edge),     cmocka_unit_test(test_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

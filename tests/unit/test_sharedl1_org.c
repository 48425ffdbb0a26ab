/* The caches of all cores against their twin, event by event on seeded streams: what hits,
 * what is fetched, who is answered in which order, phases, replication and replicas. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "models/shared_l1/org.h"
#include "tests/support/sharedl1_twin.h"

enum { SETS = 8, WAYS = 4, CORES = 7, SECTORS = 4, STEPS = 20000, TOKENS = 1 << 16 };

struct scene {
	struct ct_sl_org *o;
	struct twin t;
	struct ct_sl_org_config c;
	struct {
		unsigned at;
		uint64_t line;
		uint32_t mask;
	} fetch[64];
	unsigned fetches;
	unsigned from[TOKENS];
	uint64_t line[TOKENS], answered[64], tokens;
	unsigned answers;
	uint64_t seed, now;
};

/* An access for which there is always room to send. */
static int look_up(struct ct_sl_org *o, unsigned at, unsigned from, uint64_t line, uint32_t mask,
                   int is_write, uint64_t token, uint64_t now, struct ct_sl_found *f)
{
	const struct ct_sl_access a = {
		.at = at,
		.from = from,
		.line = line,
		.mask = mask,
		.is_write = is_write,
		.token = token,
		.room = 64,
		.now = now};
	return ct_sl_org_access(o, &a, f);
}

static uint32_t roll(struct scene *s, uint32_t n)
{
	s->seed = s->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(s->seed >> 33) % n;
}

static unsigned hashed(uint64_t line)
{
	return ct_sl_home(CT_SL_HOMES_HASH, line, SETS, CORES);
}

static struct scene *new_scene(const struct ct_sl_org_config *c, uint64_t seed)
{
	static const char org[] = "psd", homes[] = "mfh";
	struct scene *s = calloc(1, sizeof *s);
	struct ct_error e;
	assert_non_null(s);
	s->c = *c;
	s->seed = seed;
	if (ct_sl_org_new(&s->o, c, &e) != CT_OK)
		fail_msg("%s", e.text);
	struct twin *t = &s->t;
	t->organisation = org[c->organisation];
	t->homes = homes[c->homes];
	t->hashed = hashed;
	t->cores = c->cores;
	t->sets = c->sets;
	t->ways = c->ways;
	t->reserve = c->reserve;
	t->rs = c->scheme.sampling;
	t->rex = c->scheme.execution;
	t->guard = c->scheme.guard;
	t->by_amat = c->scheme.by == CT_SL_BY_AMAT;
	t->served_counts = c->scheme.count == CT_SL_COUNT_SERVED;
	t->own_counts = c->scheme.count == CT_SL_COUNT_OWN;
	memset(t->mode, 's', sizeof t->mode);
	memset(t->last, 'p', sizeof t->last);
	return s;
}

static void free_scene(struct scene *s)
{
	ct_sl_org_free(s->o);
	free(s);
}

static void answered(void *ctx, const struct ct_sl_waiter *w)
{
	struct scene *s = ctx;
	assert_true(s->answers < 64);
	assert_int_equal(w->from, s->from[w->token]);
	assert_true(w->mask != 0);
	if (!w->last)
		return;
	s->answered[s->answers++] = w->token;
}

static void land(struct scene *s, unsigned i)
{
	uint64_t token[64];
	unsigned at = s->fetch[i].at;
	uint64_t line = s->fetch[i].line;
	uint32_t mask = s->fetch[i].mask;
	s->fetch[i] = s->fetch[--s->fetches];
	s->answers = 0;
	assert_int_equal(ct_sl_org_fill(s->o, at, line, mask, ++s->now, answered, s), CT_OK);
	assert_int_equal(twin_fill(&s->t, at, line, mask, token), s->answers);
	for (unsigned k = 0; k < s->answers; k++) {
		assert_int_equal(token[k], s->answered[k]);
		if (s->from[token[k]] != at) {
			ct_sl_org_reply(s->o, s->from[token[k]], line, 1);
			twin_reply(&s->t, s->from[token[k]], line, 1);
		}
	}
	assert_int_equal(ct_sl_org_copies(s->o, line), twin_copies(&s->t, line));
	if (s->c.organisation == CT_SL_ORG_SHARED)
		assert_true(twin_copies(&s->t, line) <= 1);
}

static void step(struct scene *s, unsigned lines)
{
	unsigned core = roll(s, s->c.cores);
	/* Some lines are hot, some belong to a core, most to nobody. */
	uint64_t line = roll(s, 4) ? roll(s, lines) : roll(s, 16) + (uint64_t)core * 1000;
	uint32_t mask = 1 + roll(s, s->c.whole);
	int is_write = roll(s, 10) == 0;
	uint64_t token = s->tokens++ % TOKENS;
	struct ct_sl_route r;
	assert_int_equal(ct_sl_org_route(s->o, core, line, 0, 0, &r), CT_OK);
	assert_int_equal(r.at, twin_route(&s->t, core, line));
	assert_int_equal(r.way, r.at == core ? CT_SL_LOCAL : CT_SL_REMOTE);
	s->from[token] = core;
	struct ct_sl_found f;
	uint32_t hit, pending;
	assert_int_equal(look_up(s->o, r.at, core, line, mask, is_write, token, ++s->now, &f), CT_OK);
	uint32_t need = twin_access(&s->t, r.at, core, line, mask, is_write, token, &hit, &pending);
	assert_int_equal(f.fetch, need);
	assert_int_equal(f.hit, hit);
	assert_int_equal(f.pending, pending);
	assert_int_equal(f.hit | f.pending | f.sector_miss | f.line_miss, mask);
	assert_int_equal(f.again, 0);
	assert_int_equal((f.hit & f.pending) | (f.sector_miss & f.line_miss), 0);
	if (need) {
		s->fetch[s->fetches].at = r.at;
		s->fetch[s->fetches].line = line;
		s->fetch[s->fetches++].mask = need;
	} else if (is_write) {
		ct_sl_org_ack(s->o, r.at, line);
		twin_ack(&s->t, r.at, line);
	}
	if (r.at != core && (is_write || hit == mask)) {
		ct_sl_org_reply(s->o, core, line, 0);
		twin_reply(&s->t, core, line, 0);
	}
}

static void compare(const struct scene *s)
{
	struct ct_sl_org_stats x;
	const struct twin *t = &s->t;
	ct_sl_org_stats(s->o, &x);
	assert_int_equal(x.reads, t->reads);
	assert_int_equal(x.read_misses, t->read_misses);
	assert_int_equal(x.writes, t->writes);
	assert_int_equal(x.write_misses, t->write_misses);
	assert_int_equal(x.fills, t->fills);
	assert_int_equal(x.replicated, t->replicated);
	assert_int_equal(x.landed, t->landed);
	assert_int_equal(x.copies, t->copies);
	assert_int_equal(x.phases.decisions, t->decisions);
	assert_int_equal(x.phases.chose_shared, t->shared_decisions);
	assert_int_equal(x.phases.sampled, t->sampled);
	assert_int_equal(x.remote, t->remotes);
}

/* Fetches stay under way for a while; few enough that no set is reserved as a whole. */
static void drive(const struct ct_sl_org_config *c, unsigned lines, uint64_t seed)
{
	struct scene *s = new_scene(c, seed);
	for (unsigned i = 0; i < STEPS; i++) {
		while (s->fetches >= WAYS - 1 || (s->fetches && roll(s, 3) == 0))
			land(s, roll(s, s->fetches));
		step(s, lines);
		if (i % 9001 == 9000) { /* a kernel ends */
			while (s->fetches)
				land(s, 0);
			for (unsigned k = 0; k < c->cores; k++) {
				ct_sl_org_flush(s->o, k);
				twin_flush(&s->t, k);
			}
		}
	}
	while (s->fetches)
		land(s, 0);
	compare(s);
	if (c->organisation == CT_SL_ORG_DYNAMIC)
		assert_true(s->t.decisions > 10);
	if (c->organisation == CT_SL_ORG_PRIVATE)
		assert_true(s->t.replicated > 1000 && s->t.copies > s->t.landed);
	if (c->organisation == CT_SL_ORG_SHARED)
		assert_int_equal(s->t.copies, s->t.landed);
	free_scene(s);
}

static struct ct_sl_org_config config(enum ct_sl_organisation org, enum ct_sl_homes homes)
{
	return (struct ct_sl_org_config){
		.organisation = org,
		.cores = CORES,
		.sets = SETS,
		.ways = WAYS,
		.set_hash = CT_HASH_LINEAR,
		.whole = (1u << SECTORS) - 1,
		.homes = homes,
		.scheme = {.sampling = 40,
	                   .execution = 200,
	                   .guard = 0.1,
	                   .by = CT_SL_BY_EB,
	                   .latency = {28, 28 + 54, 28 + 247}}};
}

static void test_static(void **state)
{
	(void)state;
	for (int org = 0; org < 2; org++)
		for (int homes = 0; homes < CT_SL_HOMES_KINDS; homes++)
			for (int reserve = 0; reserve < 2; reserve++) {
				struct ct_sl_org_config c = config(
					(enum ct_sl_organisation)org, (enum ct_sl_homes)homes);
				c.reserve = reserve;
				drive(&c, 100, 1 + (uint64_t)org);
				c.whole = 1; /* as the paper's GPU: no sectors */
				drive(&c, 400, 7);
			}
}

static void test_dynamic(void **state)
{
	(void)state;
	for (int by = 0; by < 2; by++)
		for (int guard = 0; guard < 2; guard++)
			for (int count = 0; count <= CT_SL_COUNT_OWN; count++) {
				struct ct_sl_org_config c = config(CT_SL_ORG_DYNAMIC, CT_SL_HOMES_MOD);
				c.scheme.by = (enum ct_sl_metric)by;
				c.scheme.guard = guard ? 0.6 : 0;
				c.scheme.count = (enum ct_sl_count)count;
				c.reserve = guard;
				drive(&c, 60, 3);
				c.whole = 1;
				drive(&c, 300, 5);
			}
}

/* 512 local accesses per group, then 16,384 (reading sampling-phases), core by core. */
static void test_phases(void **state)
{
	struct ct_sl_org_config c = config(CT_SL_ORG_DYNAMIC, CT_SL_HOMES_MOD);
	struct ct_sl_org *o;
	struct ct_error e;
	struct ct_sl_found f;
	size_t n;
	(void)state;
	c.scheme.sampling = 512;
	c.scheme.execution = 16384;
	c.whole = 1;
	assert_int_equal(ct_sl_org_new(&o, &c, &e), CT_OK);
	/* Core 2 writes lines of its own slice: all local under either rule, all misses. */
	uint64_t at = 0;
	for (; at < 2 * (1024 + 16384); at++) {
		uint64_t line = 2 * SETS + at % SETS;
		struct ct_sl_route r;
		assert_int_equal(ct_sl_org_route(o, 2, line, 0, at, &r), CT_OK);
		assert_int_equal(r.at, 2);
		assert_int_equal(look_up(o, 2, 2, line, 1, 1, 0, at, &f), CT_OK);
	}
	const struct ct_sl_change *t = ct_sl_org_timeline(o, &n);
	assert_int_equal(n, 4);
	assert_int_equal(t[0].cycle, 1023);
	assert_int_equal(t[0].state, CT_SL_PRIVATE_STATE); /* a tie keeps what was (reading ties-keep) */
	assert_int_equal(t[1].cycle, 1023 + 16384);
	assert_int_equal(t[1].state, CT_SL_SAMPLING_STATE);
	assert_int_equal(t[2].cycle, 2 * 1024 + 16384 - 1);
	assert_int_equal(t[3].cycle, at - 1);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(t[i].core, 2);
	ct_sl_org_free(o);
}

static void nobody(void *ctx, const struct ct_sl_waiter *w)
{
	(void)ctx;
	(void)w;
}

/* What a shared organisation refuses, and where requests have to wait. */
static void test_limits(void **state)
{
	struct ct_sl_org_config c = config(CT_SL_ORG_SHARED, CT_SL_HOMES_MOD);
	struct ct_sl_org *o;
	struct ct_error e;
	struct ct_sl_found f;
	(void)state;
	c.mshr_entries = 2;
	c.mshr_merge = 3;
	c.reserve = 1;
	assert_int_equal(ct_sl_org_new(&o, &c, &e), CT_OK);
	/* Line 0 belongs to core 0: asked for and filled at core 1 it would be a second copy. */
	assert_int_equal(look_up(o, 1, 1, 0, 1, 0, 0, 0, &f), CT_OK);
	assert_int_equal(ct_sl_org_fill(o, 1, 0, 1, 9, nobody, NULL), CT_ERR_INPUT);
	/* Nobody asked for this one. */
	assert_int_equal(ct_sl_org_fill(o, 0, 0, 1, 9, nobody, NULL), CT_ERR_INPUT);
	/* Three requests of one sector, whoever they come from; two sectors. */
	for (unsigned from = 0; from < 3; from++)
		assert_int_equal(look_up(o, 0, from, 0, 1, 0, from, 0, &f), CT_OK);
	assert_int_equal(f.pending, 1);
	assert_int_equal(look_up(o, 0, 3, 0, 1, 0, 3, 0, &f), CT_SL_RETRY);
	assert_int_equal(look_up(o, 0, 0, 1, 1, 0, 4, 0, &f), CT_OK);
	assert_int_equal(look_up(o, 0, 0, 2, 1, 0, 5, 0, &f), CT_SL_RETRY);
	assert_int_equal(look_up(o, 0, 0, 2, 1, 1, 5, 0, &f), CT_OK); /* a store never waits */
	/* Flushed while under way: answered, not kept. */
	ct_sl_org_flush(o, 0);
	assert_int_equal(ct_sl_org_fill(o, 0, 0, 1, 9, nobody, NULL), CT_OK);
	assert_int_equal(ct_sl_org_copies(o, 0), 0);
	assert_int_equal(look_up(o, 0, 0, 2, 1, 0, 5, 0, &f), CT_OK);
	ct_sl_org_free(o);
	c.organisation = CT_SL_ORG_DYNAMIC;
	c.sets = 1;
	assert_int_equal(ct_sl_org_new(&o, &c, &e), CT_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_static),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

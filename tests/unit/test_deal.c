/* Dealing CTAs out to fewer SMs against a twin that looks for the next access among all, and what must hold of any launch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "gpu/occupancy.h"
#include "pass/private/deal.h"
#include "replay/l1s.h"
#include "tests/support/gpus.h"

enum { SMS = 8, CTAS_MAX = 120, ACCESSES_MAX = 40, OUT_MAX = 1 << 16, STEP = 5, SLOTS = 4 };

/* ---- a launch ---- */

struct access {
	uint64_t at, line;
	uint32_t sectors, is_write, bypass;
};

struct cta {
	uint64_t begin, end;
	uint32_t sm, slot, n;
	struct access a[ACCESSES_MAX];
};

struct out {
	uint64_t line;
	uint32_t sectors, is_write;
};

struct outs {
	struct out *out[CT_DEAL_VIEWS];
	size_t n[CT_DEAL_VIEWS];
};

struct launch {
	struct ct_gpu g;
	struct ct_kernel k;
	struct cta cta[CTAS_MAX];
	uint32_t n;
	uint64_t random;
};

static uint64_t draw(struct launch *l, uint64_t n)
{
	return ct_rand64(&l->random) % n;
}

static void take_out(void *ctx, unsigned view, uint64_t line, uint32_t sectors, int is_write)
{
	struct outs *o = ctx;
	assert_true(o->n[view] < OUT_MAX);
	o->out[view][o->n[view]++] = (struct out){line, sectors, is_write != 0};
}

static void make_outs(struct outs *o)
{
	for (unsigned v = 0; v < CT_DEAL_VIEWS; v++) {
		o->out[v] = calloc(OUT_MAX, sizeof *o->out[v]);
		assert_non_null(o->out[v]);
		o->n[v] = 0;
	}
}

static void free_outs(struct outs *o)
{
	for (unsigned v = 0; v < CT_DEAL_VIEWS; v++)
		free(o->out[v]);
}

/* CTAs that come to SMs in turn, SLOTS on each, as soon as one has gone; few lines, so that CTAs meet what others of their SM have asked for. */
static void make_launch(struct launch *l, uint64_t seed)
{
	const char *const set[] = {"sm.count=8"};
	uint64_t free_at[SMS][SLOTS] = {0};
	test_gpu_with(&l->g, "rtx3070", set, 1);
	l->random = seed;
	l->n = (uint32_t)draw(l, CTAS_MAX) + 1;
	l->k = (struct ct_kernel){.id = 1, .grid = {l->n, 1, 1}, .block = {512, 1, 1}, .regs = 16};
	for (uint32_t i = 0; i < l->n; i++) {
		struct cta *c = &l->cta[i];
		c->begin = UINT64_MAX;
		for (uint32_t s = 0; s < SLOTS * SMS; s++)
			if (free_at[s % SMS][s / SMS] < c->begin) {
				c->begin = free_at[s % SMS][s / SMS];
				c->sm = s % SMS;
				c->slot = s / SMS;
			}
		c->n = (uint32_t)draw(l, ACCESSES_MAX);
		uint64_t at = c->begin;
		for (uint32_t a = 0; a < c->n; a++) {
			at += draw(l, 60);
			c->a[a] = (struct access){at, draw(l, 300), (uint32_t)draw(l, 15) + 1,
			                          draw(l, 4) == 0, draw(l, 9) == 0};
		}
		c->end = at + draw(l, 100);
		free_at[c->sm][c->slot] = c->end + 1;
	}
}

/* ---- as the replay tells it ---- */

struct told {
	uint64_t at;
	uint32_t cta, what, a; /* what: 0 it goes, 1 it comes, 2 an access */
};

static int by_time(const void *a, const void *b)
{
	const struct told *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->cta != y->cta ? (x->cta < y->cta ? -1 : 1) : (int)x->a - (int)y->a;
}

static void tell(struct ct_deal *d, const struct launch *l, const struct told *t)
{
	const struct cta *c = &l->cta[t->cta];
	const struct access *a = &c->a[t->a];
	if (t->what < 2) {
		ct_deal_cta(d, &(struct ct_cta_event){c->sm, c->slot, t->at, t->what == 0});
		return;
	}
	ct_deal_l1(d, &(struct ct_l1_event){.sm = c->sm,
	                                    .cta_slot = c->slot,
	                                    .cycle = a->at,
	                                    .line = a->line,
	                                    .sectors = a->sectors,
	                                    .sector_miss = a->is_write ? 0 : a->sectors,
	                                    .bytes = {UINT64_MAX, UINT64_MAX},
	                                    .is_write = (uint8_t)a->is_write,
	                                    .bypass = (uint8_t)a->bypass});
}

/* A poster that never finds time. */
static void never_posted(void *poster, void (*work)(void *arg), void *arg)
{
	(void)poster;
	(void)work;
	(void)arg;
}

static void run_launch(const struct launch *l, size_t most, unsigned skip, struct outs *o, int shared)
{
	static const uint32_t sms[CT_DEAL_VIEWS] = {2, 4, 6};
	struct told *t = calloc((size_t)l->n * (ACCESSES_MAX + 2), sizeof *t);
	struct ct_error e = {0};
	size_t n = 0;
	struct ct_deal *d = ct_deal_new(&l->g, sms, CT_DEAL_VIEWS, most, take_out, o, &e);
	assert_non_null(t);
	assert_non_null(d);
	if (shared)
		ct_deal_share(d, 3, never_posted, NULL);
	for (uint32_t i = 0; i < l->n; i++) {
		t[n++] = (struct told){l->cta[i].begin, i, 1, 0};
		for (uint32_t a = 0; a < l->cta[i].n; a++)
			t[n++] = (struct told){l->cta[i].a[a].at, i, 2, a};
		t[n++] = (struct told){l->cta[i].end, i, 0, 0};
	}
	/* a CTA that goes in the cycle of its last access goes behind it */
	for (size_t i = 0; i < n; i++)
		t[i].at += t[i].what == 0;
	qsort(t, n, sizeof *t, by_time);
	assert_int_equal(ct_deal_launch(d, &l->k, skip, &e), CT_OK);
	for (size_t i = 0; i < n; i++)
		tell(d, l, &t[i]);
	assert_int_equal(ct_deal_end(d, &e), CT_OK);
	ct_deal_free(d);
	free(t);
}

/* ---- the twin ---- */

struct guest {
	uint64_t begin, at;
	uint32_t next, sm, there;
};

/* Of the CTAs that are there the one whose next access, or end, is first. */
static uint32_t first_of(const struct launch *l, const struct guest *g)
{
	uint32_t first = l->n;
	for (uint32_t i = 0; i < l->n; i++)
		if (g[i].there && (first == l->n || g[i].at < g[first].at))
			first = i;
	return first;
}

static uint64_t at_of(const struct cta *c, const struct guest *g)
{
	return g->begin + (g->next < c->n ? c->a[g->next].at : c->end + 1) - c->begin;
}

/* One view, with the L1s of l1s.h. */
static void twin(const struct launch *l, uint32_t sms, unsigned view, struct outs *o)
{
	struct guest g[CTAS_MAX] = {0};
	struct ct_gpu few = l->g;
	struct ct_occupancy occ;
	struct ct_error e = {0};
	uint32_t room[SMS] = {0}, next = 0, sm = 0, free_places, first = 0;
	uint64_t now = 0;
	few.sms = sms;
	struct ct_l1s *l1s = ct_l1s_new(&few, &e);
	assert_non_null(l1s);
	assert_int_equal(ct_occupancy(&few, &l->k, &occ, &e), CT_OK);
	ct_l1s_launch(l1s, occ.l1_sets, occ.l1_ways);
	for (uint32_t i = 0; i < sms; i++)
		room[i] = occ.ctas;
	free_places = sms * occ.ctas;
	while (next < l->n || first < l->n) {
		for (; next < l->n && free_places; next++, free_places--) {
			while (!room[sm])
				sm = (sm + 1) % sms;
			room[sm]--;
			g[next] = (struct guest){.begin = now, .sm = sm, .there = 1};
			g[next].at = at_of(&l->cta[next], &g[next]);
			sm = (sm + 1) % sms;
		}
		first = first_of(l, g);
		if (first == l->n)
			break;
		const struct cta *c = &l->cta[first];
		struct guest *x = &g[first];
		now = x->at;
		if (x->next == c->n) {
			x->there = 0;
			sm = x->sm;
			room[sm]++;
			free_places++;
			continue;
		}
		for (uint64_t step = x->at >> STEP; x->next < c->n && x->at >> STEP == step;
		     x->at = at_of(c, x)) {
			const struct access *a = &c->a[x->next++];
			struct ct_l1s_access in = {a->line, (uint8_t)a->sectors, a->is_write ? 15 : 0,
			                           a->is_write != 0, a->bypass != 0};
			uint32_t sent = ct_l1s_access(l1s, x->sm, &in);
			if (sent)
				take_out(o, view, a->line, sent, (int)a->is_write);
		}
	}
	ct_l1s_free(l1s);
}

static void same_outs(const struct outs *a, const struct outs *b, unsigned skip)
{
	for (unsigned v = 0; v < CT_DEAL_VIEWS; v++) {
		if (skip >> v & 1) {
			assert_int_equal(a->n[v], 0);
			continue;
		}
		assert_int_equal(a->n[v], b->n[v]);
		assert_memory_equal(a->out[v], b->out[v], a->n[v] * sizeof *a->out[v]);
	}
}

static void test_as_the_twin(void **state)
{
	static const uint32_t sms[CT_DEAL_VIEWS] = {2, 4, 6};
	struct launch *l = calloc(1, sizeof *l);
	(void)state;
	assert_non_null(l);
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct outs ours, lazy, twins;
		unsigned skip = seed % 5 == 0 ? 1u << seed % 3 : 0;
		make_launch(l, seed);
		make_outs(&ours);
		make_outs(&lazy);
		make_outs(&twins);
		run_launch(l, SIZE_MAX, skip, &ours, 0);
		run_launch(l, SIZE_MAX, skip, &lazy, 1);
		for (unsigned v = 0; v < CT_DEAL_VIEWS; v++)
			twin(l, sms[v], v, &twins);
		same_outs(&ours, &twins, skip);
		same_outs(&lazy, &ours, skip);
		free_outs(&ours);
		free_outs(&lazy);
		free_outs(&twins);
	}
	free(l);
}

/* Where too many accesses would wait, each view gets what it has not had in the order of the replay, as that sent it on. */
static void test_too_many(void **state)
{
	struct launch *l = calloc(1, sizeof *l);
	(void)state;
	assert_non_null(l);
	for (uint64_t seed = 100; seed < 130; seed++) {
		struct outs ours, lazy;
		size_t sent = 0;
		make_launch(l, seed);
		make_outs(&ours);
		make_outs(&lazy);
		for (uint32_t i = 0; i < l->n; i++)
			for (uint32_t a = 0; a < l->cta[i].n; a++)
				sent += l->cta[i].a[a].sectors != 0;
		run_launch(l, seed % 7 * 50, 0, &ours, 0);
		run_launch(l, seed % 7 * 50, 0, &lazy, 1);
		same_outs(&lazy, &ours, 0);
		for (unsigned v = 0; v < CT_DEAL_VIEWS && seed % 7 == 0; v++)
			assert_int_equal(ours.n[v], sent);
		free_outs(&ours);
		free_outs(&lazy);
	}
	free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_twin),
		cmocka_unit_test(test_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SMs of a window that other threads run: counts and all that observers are told are those of one thread, whenever the
 * others have time. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/gpus.h"
#include "../support/microtrace.h"
#include "../support/replay_trace.h"
#include "base/hash.h"
#include "trace/trace.h"

enum { HELPERS = 3, CTAS = 64, WARPS = 6, INSTS = 50, LAUNCHES = 2 };

/* When the others have time. */
enum how {
	ALONE, /* there are none */
	NEVER,
	AT_ONCE, /* they run all of the SMs */
	LATE,    /* while observers are told, when no SM is left */
	THREADS
};

struct task {
	void (*work)(void *arg);
	void *arg;
};

struct helper {
	struct crew *crew;
	pthread_t thread;
	struct task task;
};

struct crew {
	enum how how;
	struct helper helper[HELPERS];
	uint64_t posts;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int over;
};

/* What observers have been told, in its order. */
struct told {
	struct crew *crew;
	uint64_t hash, l1, llc, ctas, wipes;
};

static void add(struct told *t, uint64_t v)
{
	t->hash = ct_mix64(t->hash ^ v);
}

static void work_late(struct crew *c)
{
	for (int i = 0; c->how == LATE && i < HELPERS; i++)
		if (c->helper[i].task.work)
			c->helper[i].task.work(c->helper[i].task.arg);
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	struct told *t = ctx;
	const uint64_t all[] = {
		1,
		ev->sm,
		ev->subcore,
		ev->warp_slot,
		ev->cta_slot,
		ev->sid,
		ev->pc,
		ev->cycle,
		ev->line,
		ev->sectors,
		ev->hit,
		ev->pending,
		ev->sector_miss,
		ev->line_miss,
		ev->bytes[0],
		ev->bytes[1],
		ev->is_write,
		ev->is_atomic,
		ev->bypass};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		add(t, all[i]);
	if (t->l1++ % 64 == 0)
		work_late(t->crew);
}

static void on_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct told *t = ctx;
	const uint64_t all[] = {2,        ev->sm,      ev->slice, ev->cycle,
	                        ev->line, ev->sectors, ev->hit,   ev->sid};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		add(t, all[i]);
	t->llc++;
}

static void on_cta(void *ctx, const struct ct_cta_event *ev)
{
	struct told *t = ctx;
	const uint64_t all[] = {3, ev->sm, ev->cta_slot, ev->cycle, ev->ends};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		add(t, all[i]);
	t->ctas++;
}

static void on_wipe(void *ctx, uint32_t sm)
{
	struct told *t = ctx;
	add(t, 4);
	add(t, sm);
	t->wipes++;
}

static void *helper_main(void *arg)
{
	struct helper *h = arg;
	struct crew *c = h->crew;
	pthread_mutex_lock(&c->lock);
	while (!c->over) {
		struct task t = h->task;
		h->task.work = NULL;
		if (!t.work) {
			pthread_cond_wait(&c->changed, &c->lock);
			continue;
		}
		pthread_mutex_unlock(&c->lock);
		t.work(t.arg);
		pthread_mutex_lock(&c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static void post(void *poster, unsigned helper, void (*work)(void *arg), void *arg)
{
	struct crew *c = poster;
	assert_true(helper < HELPERS);
	c->posts++;
	if (c->how == AT_ONCE)
		work(arg);
	if (c->how != LATE && c->how != THREADS)
		return;
	pthread_mutex_lock(&c->lock);
	c->helper[helper].task = (struct task){work, arg};
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void start(struct crew *c, enum how how)
{
	memset(c, 0, sizeof *c);
	c->how = how;
	assert_int_equal(pthread_mutex_init(&c->lock, NULL), 0);
	assert_int_equal(pthread_cond_init(&c->changed, NULL), 0);
	for (int i = 0; i < HELPERS; i++) {
		c->helper[i].crew = c;
		if (how == THREADS)
			assert_int_equal(
				pthread_create(&c->helper[i].thread, NULL, helper_main, &c->helper[i]),
				0);
	}
}

static void stop(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->over = 1;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	for (int i = 0; i < HELPERS && c->how == THREADS; i++)
		pthread_join(c->helper[i].thread, NULL);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
}

/* A GPU whose L1s and queues are small, and which shares nothing or all of its caches with the usual one. */
static void some_gpu(struct ct_gpu *g, uint64_t seed)
{
	static const char *const sets[][3] = {
		{"sm.count=16", "l1.mshr_entries=16", "sm.scheduler=lrr"},
		{"sm.count=9", "l1.mshr_merge=2", "sm.scheduler=two_level"},
		{"sm.count=23", "l1.flush=off", "sm.scheduler=gto"},
	};
	struct ct_error e;
	micro_gpu(g, (int)(seed % MICRO_GPUS));
	for (int i = 0; i < 3; i++)
		if (ct_gpu_set(g, sets[seed % 3][i], &e) < 0)
			fail_msg("%s", e.text);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

/* Replays a random program; told[i] gets what observer i was told. Returns how often help was asked for. */
static uint64_t run(uint64_t seed, enum ct_replay_timing timing, enum how how, struct told *told,
                    struct ct_replay_counts *counts)
{
	struct micro m;
	struct ct_gpu g;
	struct ct_error e = {0};
	struct ct_source *s = NULL;
	struct ct_trace *t = NULL;
	struct ct_replay *r = NULL;
	struct crew crew;
	const struct ct_replay_observer o[] = {
		{.ctx = told, .l1 = on_l1, .llc = on_llc, .cta = on_cta, .l1_wipe = on_wipe},
		{.ctx = told + 1, .l1 = on_l1, .cta = on_cta}};
	const struct ct_replay_options options = {
		.timing = timing,
		.observers = o,
		.n_observers = seed % 4 == 3 ? 0 : 2,
		.replication = 1,
		.warmup = seed % 2 ? 5000 : 0};
	const struct ct_trace_options to = {.no_threads = 1};
	memset(told, 0, 2 * sizeof *told);
	told[0].crew = told[1].crew = &crew;
	some_gpu(&g, seed);
	micro_random(&m, seed, LAUNCHES, CTAS, WARPS, INSTS);
	start(&crew, how);
	if (ct_source_open_memory(&s, "micro", m.text.data, m.text.len, &e) < 0 ||
	    ct_trace_open_source(&t, s, &to, &e) < 0 || ct_replay_new(&r, &g, &options, &e) < 0 ||
	    (how != ALONE && ct_replay_share(r, HELPERS, post, &crew, &e) < 0) ||
	    replay_trace(r, t, &e) < 0)
		fail_msg("%s", e.text);
	ct_replay_total(r, counts);
	stop(&crew);
	ct_replay_free(r);
	ct_trace_close(t);
	ct_buf_free(&m.text);
	return crew.posts;
}

static void same_as_alone(enum ct_replay_timing timing)
{
	for (uint64_t seed = 0; seed < 4; seed++) {
		static struct ct_replay_counts alone, c;
		struct told first[2], told[2];
		memset(&alone, 0, sizeof alone);
		run(seed, timing, ALONE, first, &alone);
		assert_true(seed % 4 == 3 || (first[0].l1 && first[0].llc && first[0].ctas));
		for (enum how how = NEVER; how <= THREADS; how++) {
			memset(&c, 0, sizeof c);
			uint64_t posts = run(seed, timing, how, told, &c);
			assert_true(posts >= 10 * HELPERS);
			assert_memory_equal(&alone, &c, sizeof c);
			for (int i = 0; i < 2; i++) {
				assert_int_equal(first[i].hash, told[i].hash);
				assert_int_equal(first[i].l1, told[i].l1);
				assert_int_equal(first[i].ctas, told[i].ctas);
				assert_int_equal(first[i].wipes, told[i].wipes);
			}
		}
	}
}

static void full_timing(void **state)
{
	(void)state;
	same_as_alone(CT_REPLAY_FULL);
}

static void quick_timing(void **state)
{
	(void)state;
	same_as_alone(CT_REPLAY_QUICK);
}

static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	(void)ev;
	++*(uint64_t *)ctx;
}

/* Those who watch issues see them as they come, so that nobody helps; neither for a handful of SMs. */
static void not_shared(void **state)
{
	struct ct_gpu g;
	struct ct_error e = {0};
	struct crew crew;
	uint64_t issues = 0;
	const struct ct_replay_observer o = {.ctx = &issues, .issue = on_issue};
	(void)state;
	start(&crew, AT_ONCE);
	for (int few = 0; few < 2; few++) {
		struct micro m;
		struct ct_source *s = NULL;
		struct ct_trace *t = NULL;
		struct ct_replay *r = NULL;
		const struct ct_replay_options options = {.observers = &o, .n_observers = !few};
		const struct ct_trace_options to = {.no_threads = 1};
		some_gpu(&g, 0);
		assert_int_equal(ct_gpu_set(&g, few ? "sm.count=4" : "sm.count=16", &e), 0);
		micro_random(&m, 1, 1, CTAS, WARPS, INSTS);
		if (ct_source_open_memory(&s, "micro", m.text.data, m.text.len, &e) < 0 ||
		    ct_trace_open_source(&t, s, &to, &e) < 0 ||
		    ct_replay_new(&r, &g, &options, &e) < 0 ||
		    ct_replay_share(r, HELPERS, post, &crew, &e) < 0 || replay_trace(r, t, &e) < 0)
			fail_msg("%s", e.text);
		ct_replay_free(r);
		ct_trace_close(t);
		ct_buf_free(&m.text);
	}
	stop(&crew);
	assert_int_equal(crew.posts, 0);
	assert_int_equal(issues, CTAS * WARPS * (INSTS + 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_timing),
		cmocka_unit_test(quick_timing),
		cmocka_unit_test(not_shared),
	};
	return cmocka_run_group_tests_name("replay_team", tests, NULL, NULL);
}

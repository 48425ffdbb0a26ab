/* Lines that the engine tells of in short are those of the events in full: the same, in the same order, before counting
 * begins and before the launch ends. */
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
#include "trace/trace.h"

enum { MOST = 1 << 16, CTAS = 24, WARPS = 4, INSTS = 60, LAUNCHES = 2 };

/* Accesses at one cache, and how many there were when counting began. */
struct list {
	struct ct_line_access a[MOST];
	uint32_t n, before;
};

struct told {
	struct list l1, llc;             /* from events in full */
	struct list l1_lines, llc_lines; /* in short */
};

static void add_line(struct list *l, uint64_t line, uint64_t cycle, uint32_t sectors, uint32_t sm,
                     int is_write)
{
	assert_true(l->n < MOST);
	struct ct_line_access *a = &l->a[l->n++];
	a->line = line;
	a->cycle = cycle;
	a->sectors = sectors;
	a->sm = (uint16_t)sm;
	a->is_write = is_write != 0;
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	struct told *t = ctx;
	if (!ev->bypass)
		add_line(&t->l1, ev->line, ev->cycle, ev->sectors, ev->sm, ev->is_write);
}

static void on_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct told *t = ctx;
	add_line(&t->llc, ev->line, ev->cycle, ev->sectors, ev->sm, ev->is_write);
}

static void on_l1_lines(void *ctx, const struct ct_line_access *a, size_t n)
{
	struct told *t = ctx;
	for (size_t i = 0; i < n; i++)
		add_line(&t->l1_lines, a[i].line, a[i].cycle, a[i].sectors, a[i].sm, a[i].is_write);
}

static void on_llc_lines(void *ctx, const struct ct_line_access *a, size_t n)
{
	struct told *t = ctx;
	for (size_t i = 0; i < n; i++)
		add_line(&t->llc_lines, a[i].line, a[i].cycle, a[i].sectors, a[i].sm, a[i].is_write);
}

static void on_counted(void *ctx)
{
	struct told *t = ctx;
	t->l1.before = t->l1.n;
	t->llc.before = t->llc.n;
	t->l1_lines.before = t->l1_lines.n;
	t->llc_lines.before = t->llc_lines.n;
}

/* Runs a random trace with observers that ask in full, in short, or both. */
static void replay(struct told *t, const struct ct_gpu *g, enum ct_replay_timing timing, uint64_t warmup,
                   int full, int in_short)
{
	struct micro m;
	struct ct_error e = {0};
	struct ct_source *s = NULL;
	struct ct_trace *trace = NULL;
	struct ct_replay *r = NULL;
	struct ct_replay_observer seen[2] = {{.ctx = t, .counted = on_counted}, {.ctx = t}};
	struct ct_replay_options o = {
		.timing = timing, .warmup = warmup, .observers = seen, .n_observers = 2};
	struct ct_trace_options to = {.no_threads = 1};
	if (full) {
		seen[0].l1 = on_l1;
		seen[0].llc = on_llc;
	}
	if (in_short) {
		seen[1].l1_lines = on_l1_lines;
		seen[1].llc_lines = on_llc_lines;
	}
	memset(t, 0, sizeof *t);
	micro_random(&m, 7, LAUNCHES, CTAS, WARPS, INSTS);
	assert_int_equal(m.text.failed, 0);
	if (ct_source_open_memory(&s, "lines", m.text.data, m.text.len, &e) < 0 ||
	    ct_trace_open_source(&trace, s, &to, &e) < 0 || ct_replay_new(&r, g, &o, &e) < 0 ||
	    replay_trace(r, trace, &e) < 0)
		fail_msg("%s", e.text);
	ct_replay_free(r);
	ct_trace_close(trace);
	ct_buf_free(&m.text);
}

static void assert_same(const struct list *got, const struct list *want)
{
	assert_int_equal(got->n, want->n);
	assert_int_equal(got->before, want->before);
	for (uint32_t i = 0; i < want->n; i++)
		assert_memory_equal(&got->a[i], &want->a[i], sizeof got->a[i]);
}

static void compare(enum ct_replay_timing timing, uint64_t warmup)
{
	struct told *both = malloc(sizeof *both), *alone = malloc(sizeof *alone);
	assert_non_null(both);
	assert_non_null(alone);
	for (int which = 0; which < MICRO_GPUS; which++) {
		struct ct_gpu g;
		micro_gpu(&g, which);
		replay(both, &g, timing, warmup, 1, 1);
		assert_true(both->l1.n > 1000 && both->llc.n > 1000);
		assert_int_equal(both->l1.before != 0, warmup != 0);
		assert_same(&both->l1_lines, &both->l1);
		assert_same(&both->llc_lines, &both->llc);
		replay(alone, &g, timing, warmup, 0, 1); /* the engine's shorter way */
		assert_same(&alone->l1_lines, &both->l1);
		assert_same(&alone->llc_lines, &both->llc);
	}
	free(both);
	free(alone);
}

static void test_full(void **state)
{
	(void)state;
	compare(CT_REPLAY_FULL, 0);
}

static void test_quick(void **state)
{
	(void)state;
	compare(CT_REPLAY_QUICK, 0);
}

/* Counting begins amid the first launch. */
static void test_warmup(void **state)
{
	(void)state;
	compare(CT_REPLAY_FULL, CTAS * WARPS * INSTS / 2);
	compare(CT_REPLAY_QUICK, CTAS * WARPS * INSTS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_full), cmocka_unit_test(test_quick),
	                                   cmocka_unit_test(test_warmup)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Launches on several threads: memory, events, steps, messages are those of one thread, whatever CTAs do to one another. So are those of
 * cooperative launches whose CTAs end in their first turn; others may wait for one another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "tests/support/ptx_run.h"

enum {
	WORDS = 4096,
	GRID = 300,
	BLOCK = 64,
	THREADS_MAX = 8,
	COOPERATIVE = 0 /* in place of threads */
};

/* What a launch left behind. */
struct outcome {
	uint32_t *memory;
	uint64_t events; /* digest of all events in launch order */
	uint64_t ctas, steps;
	int status, waited;
	struct ct_ptx_fault fault;
	char text[CT_ERROR_TEXT_MAX];
};

/* An observer for each thread, or CTA of a cooperative launch, and a digest of what it saw of the CTA at hand. */
struct watch {
	struct ct_ptx_observer observer[GRID];
	uint64_t digest[GRID];
	unsigned observers;
	struct outcome *out;
	const uint32_t *base;
};

static int on_begin(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e)
{
	(void)e;
	*(uint64_t *)ctx = ct_mix64(cta->index + 1);
	return CT_OK;
}

static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	uint64_t h = *(uint64_t *)ctx;
	(void)e;
	h = ct_mix64(h ^ v->mask) + ct_mix64(v->instruction + ((uint64_t)v->warp << 32)) + v->width;
	for (unsigned l = 0; v->addresses && l < 32; l++)
		if (v->mask >> l & 1)
			h = ct_mix64(h ^ (v->addresses[l] & 0xffff));
	*(uint64_t *)ctx = h;
	return CT_OK;
}

static const struct ct_ptx_observer *observer_of(void *ctx, unsigned thread)
{
	struct watch *w = ctx;
	if (thread >= w->observers)
		return NULL;
	w->observer[thread] = (struct ct_ptx_observer){
		.ctx = &w->digest[thread], .cta_begin = on_begin, .instruction = on_instruction};
	return &w->observer[thread];
}

static int take(void *ctx, unsigned thread, const struct ct_ptx_cta *cta, void **made,
                struct ct_error *e)
{
	struct watch *w = ctx;
	uint64_t *box = malloc(sizeof *box);
	(void)cta;
	if (!box)
		return ct_fail_nomem(e);
	*box = w->digest[thread];
	*made = box;
	return CT_OK;
}

static int commit(void *ctx, const struct ct_ptx_cta *cta, void *made, struct ct_error *e)
{
	struct watch *w = ctx;
	(void)e;
	assert_int_equal(cta->index, w->out->ctas++);
	w->out->events = ct_mix64(w->out->events ^ *(uint64_t *)made);
	free(made);
	return CT_OK;
}

static void drop(void *ctx, void *made)
{
	(void)ctx;
	free(made);
}

static int host_call(void *ctx, const struct ct_ptx_call *call, struct ct_error *e)
{
	uint64_t *h = ctx;
	(void)e;
	*h = ct_mix64(*h ^ call->cta->index) + call->thread[0];
	return CT_OK;
}

/* Runs the module's kernel on memory of known contents, always at the same addresses, on a board with `places` for CTAs or, with 0, one
 * that nobody knows. */
static struct outcome run(const struct ct_ptx_module *m, uint32_t *memory, unsigned threads,
                          uint64_t max_steps, uint32_t grid, uint32_t places)
{
	struct outcome o = {.memory = calloc(WORDS, sizeof(uint32_t))};
	struct watch w = {
		.out = &o,
		.base = memory,
		.observers = threads == COOPERATIVE || places > THREADS_MAX ? GRID : THREADS_MAX};
	struct ct_ptx_memory *ranges = NULL;
	struct ct_ptx_result r;
	struct ct_error e = {0};
	uint64_t calls = 0;
	void *parameter = memory;
	const struct ct_ptx_team team = {
		.ctx = &w, .observer = observer_of, .take = take, .commit = commit, .drop = drop};
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_kernel_at(m, 0),
		.grid = {grid, 1, 1},
		.block = {BLOCK, 1, 1},
		.params = &parameter,
		.param_bytes = sizeof parameter,
		.max_steps = max_steps,
		.threads = threads,
		.cooperative = threads == COOPERATIVE,
		.side_by_side = places,
		.team = &team,
		.call = host_call,
		.call_ctx = &calls};
	assert_non_null(o.memory);
	for (uint32_t i = 0; i < WORDS; i++)
		memory[i] = i;
	assert_int_equal(ct_ptx_memory_create(&ranges, &e), CT_OK);
	assert_int_equal(ct_ptx_memory_add(ranges, memory, WORDS * 2, &e), CT_OK);
	assert_int_equal(ct_ptx_memory_add(ranges, memory + WORDS / 2, WORDS * 2, &e), CT_OK);
	l.memory = ranges;
	o.status = ct_ptx_launch(&l, &r, &e);
	o.fault = r.fault;
	o.steps = r.steps;
	o.waited = r.waited;
	o.events += calls;
	snprintf(o.text, sizeof o.text, "%s", o.status < 0 ? e.text : "");
	memcpy(o.memory, memory, WORDS * sizeof *memory);
	ct_ptx_memory_free(ranges);
	return o;
}

static void compare(const char *text, uint64_t max_steps, uint32_t grid, int fails)
{
	struct ct_ptx_module *m = ptx_must_read(text);
	uint32_t *memory = aligned_alloc(64, WORDS * sizeof *memory);
	assert_non_null(memory);
	struct outcome one = run(m, memory, 1, max_steps, grid, 0);
	assert_int_equal(one.status < 0, fails);
	const unsigned others[] = {2, 4, THREADS_MAX, COOPERATIVE};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct outcome many = run(m, memory, others[i], max_steps, grid, 0);
		assert_int_equal(many.status, one.status);
		assert_string_equal(many.text, one.text);
		assert_int_equal(many.fault.kind, one.fault.kind);
		assert_int_equal(many.steps, one.steps);
		if (others[i] != COOPERATIVE ||
		    !fails) { /* whose CTAs are handed on after a turn of all */
			assert_int_equal(many.ctas, one.ctas);
			assert_int_equal(many.events, one.events);
		}
		assert_memory_equal(many.memory, one.memory, WORDS * sizeof *memory);
		free(many.memory);
	}
	free(one.memory);
	free(memory);
	ct_ptx_free(m);
}

/* %rd1: the buffer; %r1: thread of the grid; %r2: CTA; %r3: thread of the CTA. CTA 0 idles for so long that the
 * launch seems large enough for threads. */
#define START \
	PTX_HEAD ".extern .func note(.param .b32 a);\n" \
		 ".visible .entry k(.param .u64 p) {\n" \
		 ".reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .pred %p<8>;\n" \
		 ".shared .align 4 .b8 s[256];\n" \
		 "ld.param.u64 %rd1, [p];\n" \
		 "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mov.u32 %r4, %ntid.x;\n" \
		 "mad.lo.u32 %r1, %r2, %r4, %r3;\n" \
		 "mov.u32 %r31, 0; setp.eq.u32 %p7, %r2, 0; selp.u32 %r30, 2500, 20, %p7;\n" \
		 "IDLE: add.u32 %r31, %r31, 1; setp.lt.u32 %p7, %r31, %r30; @%p7 bra IDLE;\n"
#define END "ret; }\n"
/* %rd2: address of word %r5. */
#define ADDRESS "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd1, %rd2;\n"

static void each_its_own(void **state)
{
	(void)state;
	compare(START
	        "and.b32 %r5, %r1, 4095;" ADDRESS
	        "ld.global.u32 %r6, [%rd2]; mad.lo.u32 %r6, %r6, 3, %r2; st.global.u32 [%rd2], %r6;\n" END,
	        0, 64, 0);
}

static void each_overwrites_others(void **state)
{
	(void)state;
	compare(START "and.b32 %r5, %r1, 255;" ADDRESS "st.global.u32 [%rd2], %r1;\n" END, 0, GRID, 0);
}

/* CTA i reads what CTA i - 1 wrote. */
static void a_chain(void **state)
{
	(void)state;
	compare(START
	        "mov.u32 %r5, %r2;" ADDRESS
	        "ld.global.u32 %r6, [%rd2]; add.u32 %r6, %r6, %r3; st.global.u32 [%rd2+4], %r6;\n" END,
	        0, GRID, 0);
}

/* Tickets: the order of CTAs is in the result. */
static void returned_atomics(void **state)
{
	(void)state;
	compare(START
	        "atom.global.add.u32 %r5, [%rd1], 1; and.b32 %r5, %r5, 2047; add.u32 %r5, %r5, 1024;" ADDRESS
	        "st.global.u32 [%rd2], %r1;\n" END,
	        0, GRID, 0);
}

/* Sums of floats depend on their order. */
static void reductions(void **state)
{
	(void)state;
	compare(START "and.b32 %r5, %r1, 63;" ADDRESS
	              "cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, 0f3DCCCCCD;\n"
	              "red.global.add.f32 [%rd2], %f1; red.global.max.u32 [%rd2+1024], %r1;\n" END,
	        0, GRID, 0);
	/* and are seen by those behind them */
	compare(START "and.b32 %r5, %r1, 63;" ADDRESS "red.global.add.u32 [%rd2], %r1;\n"
	              "setp.ne.u32 %p1, %r3, 5; @%p1 bra OUT; ld.global.u32 %r6, [%rd2];\n"
	              "st.global.u32 [%rd2+2048], %r6;\nOUT: " END,
	        0, GRID, 0);
	/* with the CTA's own stores */
	compare(START "and.b32 %r5, %r1, 4095;" ADDRESS
	              "st.global.u32 [%rd2], %r2; red.global.add.u32 [%rd2], 7;\n" END,
	        0, GRID, 0);
}

static void faults_in_order(void **state)
{
	(void)state;
	/* CTA 70 and those behind it leave the buffer; those before it have stored. */
	compare(START "mul.lo.u32 %r5, %r2, 59; add.u32 %r5, %r5, %r3;" ADDRESS
	              "st.global.u32 [%rd2], %r1;\n" END,
	        0, GRID, 1);
	/* The bound on steps lies somewhere inside of the grid. */
	compare(START "and.b32 %r5, %r1, 4095;" ADDRESS "st.global.u32 [%rd2], %r1;\n" END, 40000, GRID,
	        1);
	compare(START "setp.eq.u32 %p1, %r2, 90; @%p1 trap;\n" END, 0, GRID, 1);
}

static void what_only_order_gives(void **state)
{
	(void)state;
	compare(START "mov.u32 %r6, %clock; and.b32 %r5, %r1, 4095;" ADDRESS
	              "st.global.u32 [%rd2], %r6;\n" END,
	        0, 100, 0);
	compare(START "setp.ne.u32 %p1, %r3, 0; @%p1 bra OUT; { .param .b32 a; st.param.b32 [a], %r2;\n"
	              "call note, (a); }\nOUT: " END,
	        0, 100, 0);
	/* what nobody wrote: registers and shared memory of whatever ran before */
	compare(START "mov.u64 %rd3, s; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd3, %rd3, %rd4;\n"
	              "ld.shared.u32 %r6, [%rd3]; add.u32 %r6, %r6, %r2; st.shared.u32 [%rd3], %r6;\n"
	              "and.b32 %r5, %r1, 4095;" ADDRESS "st.global.u32 [%rd2], %r6;\n" END,
	        0, 100, 0);
}

/* Of each six accesses: every one of `limit` in 32 is made, at a word below `spread` + 1. */
#define RANDOM \
	"mad.lo.u32 %r10, %r2, 747796405, %r20; mov.u32 %r11, 0;\n" \
	"LOOP: mad.lo.u32 %r10, %r10, 1664525, 1013904223; shr.u32 %r12, %r10, 12;\n" \
	"and.b32 %r5, %r12, %r21;" ADDRESS "shr.u32 %r13, %r10, 27;\n" \
	"setp.ge.u32 %p1, %r13, %r22; @%p1 bra NEXT;\n" \
	"and.b32 %r14, %r13, 3; setp.eq.u32 %p2, %r14, 0; setp.eq.u32 %p3, %r14, 1;\n" \
	"setp.eq.u32 %p4, %r14, 2; setp.eq.u32 %p5, %r14, 3;\n" \
	"@%p2 ld.global.u32 %r10, [%rd2];\n" \
	"@%p3 st.global.u32 [%rd2], %r10;\n" \
	"@%p4 red.global.add.u32 [%rd2], %r11;\n" \
	"@%p5 atom.global.exch.b32 %r10, [%rd2], %r3;\n" \
	"NEXT: add.u32 %r11, %r11, 1; setp.lt.u32 %p6, %r11, 6; @%p6 bra LOOP;\n"

/* CTAs that look at and change words at random, some seldom, some all the time. */
static void at_random(void **state)
{
	static const unsigned spreads[] = {4095, 255, 1023, 31}, limits[] = {32, 4, 1};
	char given[256];
	(void)state;
	for (unsigned seed = 1; seed <= 12; seed++) {
		struct ct_buf text = {0};
		snprintf(given, sizeof given,
		         "mov.u32 %%r20, %u; mov.u32 %%r21, %u; mov.u32 %%r22, %u;\n", seed * 7919,
		         spreads[seed % 4], limits[seed % 3]);
		ct_buf_puts(&text, START);
		ct_buf_puts(&text, given);
		ct_buf_puts(&text, RANDOM END);
		assert_false(text.failed);
		compare(text.data, 0, 120, 0);
		ct_buf_free(&text);
	}
}

/* Every CTA but the last waits until the next one has set its word, and then sets its own. */
static void compare_waiting(const char *sleep)
{
	struct ct_buf text = {0};
	uint32_t *memory = aligned_alloc(64, WORDS * sizeof *memory);
	ct_buf_puts(&text, START
	            "setp.ne.u32 %p1, %r3, 0; @%p1 bra MEET;\n"
	            "mov.u32 %r5, %r2;" ADDRESS "mov.u32 %r7, %nctaid.x; sub.u32 %r7, %r7, 1;\n"
	            "setp.eq.u32 %p2, %r2, %r7; @%p2 bra SET;\n"
	            "WAIT: ");
	ct_buf_puts(&text, sleep);
	ct_buf_puts(&text,
	            "ld.volatile.global.u32 %r6, [%rd2+4]; setp.ne.u32 %p3, %r6, 77777; @%p3 bra WAIT;\n"
	            "SET: st.volatile.global.u32 [%rd2], 77777;\nMEET: bar.sync 0;\n" END);
	assert_false(text.failed);
	assert_non_null(memory);
	struct ct_ptx_module *m = ptx_must_read(text.data);
	struct outcome once = run(m, memory, COOPERATIVE, 0, 20, 0),
		       again = run(m, memory, COOPERATIVE, 0, 20, 0);
	assert_int_equal(once.status, CT_OK);
	assert_int_equal(once.ctas, 20);
	for (unsigned i = 0; i < 24; i++)
		assert_int_equal(once.memory[i], i < 20 ? 77777 : i);
	assert_int_equal(again.steps, once.steps);
	assert_int_equal(again.events, once.events);
	free(once.memory);
	free(again.memory);
	/* they would wait for ever, one after the other */
	struct outcome alone = run(m, memory, 1, 100000, 20, 0);
	assert_int_equal(alone.fault.kind, CT_PTX_STEPS);
	free(alone.memory);
	free(memory);
	ct_ptx_free(m);
	ct_buf_free(&text);
}

static void ctas_wait_for_later_ones(void **state)
{
	(void)state;
	compare_waiting("");
	compare_waiting("nanosleep.u32 20;");
}

/* Results of a launch whose CTAs wait or take long, with places for some of its CTAs: the same on any number of threads. */
static void compare_places(const char *body, uint32_t places, int waits)
{
	struct ct_buf text = {0};
	uint32_t *memory = aligned_alloc(64, WORDS * sizeof *memory);
	ct_buf_puts(&text, START "mov.u32 %r5, %r2;" ADDRESS);
	ct_buf_puts(&text, body);
	ct_buf_puts(&text, END);
	assert_false(text.failed);
	assert_non_null(memory);
	struct ct_ptx_module *m = ptx_must_read(text.data);
	struct outcome one = run(m, memory, 1, 0, 20, places);
	assert_int_equal(one.status, CT_OK);
	assert_int_equal(one.waited, waits);
	assert_int_equal(one.ctas, 20);
	for (unsigned i = 0; i < 24; i++)
		assert_int_equal(one.memory[i], i < 20 ? 77777 : i);
	for (unsigned threads = 2; threads <= 4; threads += 2) {
		struct outcome many = run(m, memory, threads, 0, 20, places);
		assert_int_equal(many.status, CT_OK);
		assert_int_equal(many.waited, waits);
		assert_int_equal(many.steps, one.steps);
		assert_int_equal(many.events, one.events);
		assert_memory_equal(many.memory, one.memory, WORDS * sizeof *memory);
		free(many.memory);
	}
	free(one.memory);
	free(memory);
	ct_ptx_free(m);
	ct_buf_free(&text);
}

#define SET "SET: st.volatile.global.u32 [%rd2], 77777;\n"

/* CTAs that wait for the next one find places, all of them or as many as are needed; one that only takes long is not said to wait. */
static void waiting_is_found(void **state)
{
	(void)state;
	compare_places("setp.eq.u32 %p1, %r2, 19; @%p1 bra SET;\n"
	               "WAIT: ld.volatile.global.u32 %r6, [%rd2+4];\n"
	               "setp.ne.u32 %p3, %r6, 77777; @%p3 bra WAIT;\n" SET,
	               20, 1);
	compare_places("and.b32 %r7, %r2, 1; setp.eq.u32 %p1, %r7, 1; @%p1 bra SET;\n"
	               "add.u64 %rd3, %rd2, 4;\n"
	               "WAIT: atom.global.add.u32 %r6, [%rd3], 0; st.shared.u32 [s], %r2;\n"
	               "setp.ne.u32 %p3, %r6, 77777; @%p3 bra WAIT;\n" SET,
	               3, 1);
	compare_places(
		"setp.ne.u32 %p1, %r2, 3; @%p1 bra SET; mov.u32 %r7, 0;\n"
		"LONG: add.u32 %r7, %r7, 1; st.shared.u32 [s], %r7; ld.global.u32 %r6, [%rd1+4];\n"
		"setp.lt.u32 %p3, %r7, 100000; @%p3 bra LONG;\n" SET,
		20, 0);
	compare_places("setp.ne.u32 %p1, %r2, 3; @%p1 bra SET; mov.u32 %r7, 0;\n"
	               "LONG: add.u32 %r7, %r7, 1; and.b32 %r8, %r7, 1020; cvt.u64.u32 %rd3, %r8;\n"
	               "add.u64 %rd3, %rd3, %rd1; ld.global.u32 %r6, [%rd3]; mul.lo.u32 %r9, %r7, %r7;\n"
	               "setp.lt.u32 %p3, %r7, 60000; @%p3 bra LONG;\n" SET,
	               20, 1); /* it reads 256 words again and again, and is taken for one that waits */
}

static void put_additions(struct ct_buf *text, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ct_buf_puts(text, "add.u32 %r8, %r6, 1;\n");
}

/* A program that lacks a barrier: behind one, a warp stores to where the other one reads, so many instructions before and behind its
 * own read. */
static void begin_together(unsigned before, unsigned behind)
{
	struct ct_buf text = {0};
	ct_buf_puts(
		&text,
		"mov.u32 %r6, 77777; setp.eq.u32 %p1, %r3, 0; @%p1 st.shared.u32 [s], %r6; bar.sync 0;\n");
	put_additions(&text, before);
	ct_buf_puts(&text, "ld.shared.u32 %r7, [s];\n");
	put_additions(&text, behind);
	ct_buf_puts(&text, "@%p1 st.shared.u32 [s], %r3; bar.sync 0;\n"
	                   "setp.ne.u32 %p2, %r3, 63; @%p2 bra END; st.global.u32 [%rd2], %r7;\nEND:\n");
	assert_false(text.failed);
	compare_places(text.data, 20, 0);
	ct_buf_free(&text);
}

/* On boards the other warp has read by then, and so it has here where the board is known. */
static void warps_begin_together(void **state)
{
	(void)state;
	begin_together(0, 60);
	begin_together(20, 4);
	begin_together(60, 0);
}

/* A program that lacks another barrier: a warp reads after 160 instructions what the other one stores after 120. */
static void warps_keep_together(void **state)
{
	struct ct_buf text = {0};
	(void)state;
	ct_buf_puts(&text,
	            "bar.sync 0; mov.u32 %r6, 77777; mov.u32 %r7, 0; setp.eq.u32 %p1, %r3, 63;\n");
	put_additions(&text, 117);
	ct_buf_puts(&text, "@%p1 st.shared.u32 [s], %r6;\n");
	put_additions(&text, 40);
	ct_buf_puts(&text, "ld.shared.u32 %r7, [s]; setp.ne.u32 %p2, %r3, 0; @%p2 bra END;\n"
	                   "st.global.u32 [%rd2], %r7;\nEND:\n");
	assert_false(text.failed);
	compare_places(text.data, 20, 0);
	ct_buf_free(&text);
}

/* More than any board holds, and a fault of a later one while the others wait. */
static void cooperative_launches_that_fail(void **state)
{
	struct ct_ptx_module *m = ptx_must_read(
		START "setp.eq.u32 %p1, %r2, 7; @%p1 trap;\n"
		      "WAIT: nanosleep.u32 9; ld.volatile.global.u32 %r6, [%rd1];\n"
		      "setp.ne.u32 %p3, %r6, 77777; @%p3 bra WAIT;\n" END);
	uint32_t *memory = aligned_alloc(64, WORDS * sizeof *memory);
	(void)state;
	assert_non_null(memory);
	struct outcome trap = run(m, memory, COOPERATIVE, 0, 20, 0);
	assert_int_equal(trap.fault.kind, CT_PTX_TRAP);
	assert_int_equal(trap.fault.cta[0], 7);
	assert_non_null(strstr(trap.text, "block (7,0,0)"));
	struct outcome many = run(m, memory, COOPERATIVE, 0, CT_PTX_COOPERATIVE_MAX + 1, 0);
	assert_int_equal(many.status, CT_ERR_USAGE);
	free(trap.memory);
	free(many.memory);
	free(memory);
	ct_ptx_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_its_own),
		cmocka_unit_test(each_overwrites_others),
		cmocka_unit_test(a_chain),
		cmocka_unit_test(returned_atomics),
		cmocka_unit_test(reductions),
		cmocka_unit_test(faults_in_order),
		cmocka_unit_test(what_only_order_gives),
		cmocka_unit_test(at_random),
		cmocka_unit_test(ctas_wait_for_later_ones),
		cmocka_unit_test(waiting_is_found),
		cmocka_unit_test(warps_begin_together),
		cmocka_unit_test(warps_keep_together),
		cmocka_unit_test(cooperative_launches_that_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Control flow, barriers, atomics, calls and faults of the emulator, against plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "tests/support/ptx_run.h"

/* %w0: the global thread, %q1: the address of its word in the buffer. */
/* clang-format off */
#define START \
	PTX_HEAD ".entry k(.param .u64 p) {\n.reg .pred %p<9>;\n.reg .b32 %w<20>;\n.reg .b64 %q<9>;\n" \
	"ld.param.u64 %q0, [p];\nmov.u32 %w0, %tid.x;\nmov.u32 %w1, %ctaid.x;\nmov.u32 %w2, %ntid.x;\n" \
	"mad.lo.s32 %w0, %w1, %w2, %w0;\nmad.wide.u32 %q1, %w0, 4, %q0;\n"
/* clang-format on */
#define END "st.global.u32 [%q1], %w3;\nret;\n}\n"

/* Two nested branches and a loop with an early end, whose count differs by lane. */
static void divergence(void **state)
{
	(void)state;
	uint32_t got[96], i;
	ptx_must_run(
		START
		"mov.b32 %w3, 0;\nmov.b32 %w4, 0;\nand.b32 %w5, %w0, 7;\n"
		"loop:\nsetp.ge.u32 %p1, %w4, %w5;\n@%p1 bra out;\n"
		"and.b32 %w6, %w4, 1;\nsetp.eq.u32 %p2, %w6, 0;\n@%p2 bra even;\n"
		"setp.gt.u32 %p3, %w0, 40;\n@%p3 bra far;\nadd.s32 %w3, %w3, 100;\nbra joined;\n"
		"far:\nadd.s32 %w3, %w3, 1000;\n@%p3 bra joined;\n"
		"even:\nadd.s32 %w3, %w3, 1;\nsetp.eq.u32 %p4, %w0, 77;\n@%p4 bra out;\n"
		"joined:\nadd.s32 %w4, %w4, 1;\nbra.uni loop;\n"
		"out:\nactivemask.b32 %w7;\npopc.b32 %w7, %w7;\nmad.lo.s32 %w3, %w7, 65536, %w3;\n" END,
		3, 32, got, sizeof got);
	for (i = 0; i < 96; i++) {
		uint32_t sum = 0;
		for (uint32_t k = 0; k < i % 8; k++) {
			sum += k % 2 == 0 ? 1 : i > 40 ? 1000 : 100;
			if (k % 2 == 0 && i == 77)
				break;
		}
		assert_int_equal(got[i] & 0xffff, sum);
		assert_int_equal(got[i] >> 16, 32); /* all lanes are together again */
	}
}

/* A switch by table, with one case for several indices; lanes that end inside of a branch. */
static void switches(void **state)
{
	(void)state;
	uint32_t got[64];
	memset(got, 0, sizeof got);
	ptx_must_run(START "and.b32 %w4, %w0, 3;\nt: .branchtargets A, B, C, B;\nbrx.idx %w4, t;\n"
	                   "A:\nmov.b32 %w3, 10;\nbra.uni D;\nB:\nmov.b32 %w3, 20;\nbra.uni D;\n"
	                   "C:\nsetp.lt.u32 %p1, %w0, 30;\n@%p1 exit;\nmov.b32 %w3, 30;\n"
	                   "D:\nadd.s32 %w3, %w3, %w0;\n" END,
	             2, 32, got, sizeof got);
	for (uint32_t i = 0; i < 64; i++) {
		static const uint32_t value[] = {10, 20, 30, 20};
		assert_int_equal(got[i], i % 4 == 2 && i < 30 ? 0 : value[i % 4] + i);
	}
}

/* Shared memory between barriers: the sum of a block by halving, of 96 threads. */
static void barriers(void **state)
{
	(void)state;
	uint32_t got[96];
	ptx_must_run(
		START
		".shared .align 4 .b32 s[128];\nmov.u32 %w4, %tid.x;\nmov.u64 %q2, s;\nmad.wide.u32 %q3, %w4, 4, %q2;\n"
		"mul.lo.s32 %w5, %w4, 3;\nst.shared.u32 [%q3], %w5;\nadd.s32 %w6, %w4, 96;\nsetp.lt.u32 %p1, %w4, 32;\n"
		"mov.b32 %w7, 0;\n@%p1 st.shared.u32 [%q3+384], %w7;\nmov.b32 %w8, 64;\n"
		"loop:\nbar.sync 0;\nsetp.lt.u32 %p2, %w4, %w8;\n@!%p2 bra skip;\nshl.b32 %w9, %w8, 2;\ncvt.u64.u32 %q4, %w9;\n"
		"add.s64 %q4, %q3, %q4;\nld.shared.u32 %w10, [%q4];\nld.shared.u32 %w11, [%q3];\nadd.s32 %w11, %w11, %w10;\n"
		"st.shared.u32 [%q3], %w11;\nskip:\nshr.u32 %w8, %w8, 1;\nsetp.ne.u32 %p3, %w8, 0;\n@%p3 bra loop;\n"
		"bar.sync 0;\nld.shared.u32 %w3, [s];\n" END,
		1, 96, got, sizeof got);
	for (uint32_t i = 0; i < 96; i++)
		assert_int_equal(got[i], 3 * 95 * 96 / 2);
}

/* Both sides of a branch come to a barrier of their own: threads arrive one by one. Reductions count
 * predicates over the block; a named barrier joins two of three warps. */
static void odd_barriers(void **state)
{
	(void)state;
	uint32_t got[96];
	ptx_must_run(
		START
		"and.b32 %w4, %w0, 1;\nsetp.eq.u32 %p1, %w4, 0;\n@%p1 bra even;\nbar.sync 0;\nmov.b32 %w3, 5;\nbra.uni both;\n"
		"even:\nbar.sync 0;\nmov.b32 %w3, 6;\nboth:\n"
		"setp.lt.u32 %p2, %w0, 70;\nbar.red.popc.u32 %w5, 0, %p2;\nmad.lo.s32 %w3, %w5, 100, %w3;\n"
		"bar.red.and.pred %p3, 0, %p2;\nbar.red.or.pred %p4, 0, %p2;\nselp.u32 %w6, 10000, 0, %p3;\nselp.u32 %w7, 20000, 0, %p4;\n"
		"add.s32 %w3, %w3, %w6;\nadd.s32 %w3, %w3, %w7;\n"
		"setp.ge.u32 %p5, %w0, 64;\n@%p5 bra done;\nbar.sync 3, 64;\ndone:\n" END,
		1, 96, got, sizeof got);
	for (uint32_t i = 0; i < 96; i++)
		assert_int_equal(got[i], 20000 + 70 * 100 + (i % 2 ? 5 : 6));
}

/* One lane of a warp waits for another one of the same warp: it must not starve it. */
static void spinning(void **state)
{
	(void)state;
	uint32_t got[64] = {0};
	ptx_must_run(
		START
		"setp.ne.u32 %p1, %w0, 3;\n@%p1 bra set;\n"
		"wait:\nld.volatile.global.u32 %w4, [%q0+20];\nsetp.eq.u32 %p2, %w4, 0;\n@%p2 bra wait;\nmov.b32 %w3, 7;\nbra.uni end;\n"
		"set:\nmov.b32 %w3, 9;\nst.global.u32 [%q1], %w3;\nend:\n" END,
		1, 32, got, sizeof got);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(got[i], i == 3 ? 7 : 9);
}

/* Every kind of atomic operation, from all threads of several blocks. */
static void atomics(void **state)
{
	(void)state;
	struct {
		uint32_t add, min, max, inc, dec, and, or, xor, exch, cas;
		uint64_t wide;
		float real;
		uint32_t pad;
		uint32_t old[128];
	} b;
	memset(&b, 0, sizeof b);
	b.min = 1000;
	b.and = UINT32_MAX;
	b.dec = 5;
	ptx_must_run(
		START
		"atom.global.add.u32 %w3, [%q0], 2;\nred.global.min.s32 [%q0+4], %w0;\natom.max.u32 %w4, [%q0+8], %w0;\n"
		"atom.global.inc.u32 %w4, [%q0+12], 10;\natom.global.dec.u32 %w4, [%q0+16], 7;\nred.and.b32 [%q0+20], -2;\n"
		"shl.b32 %w5, 1, %w0;\nred.global.or.b32 [%q0+24], %w5;\nred.global.xor.b32 [%q0+28], %w0;\n"
		"atom.global.exch.b32 %w4, [%q0+32], %w0;\natom.global.cas.b32 %w4, [%q0+36], %w0, 77;\n"
		"cvt.u64.u32 %q2, %w0;\nshl.b64 %q2, %q2, 32;\nred.global.add.u64 [%q0+40], %q2;\n"
		"red.global.add.f32 [%q0+48], 0f3FC00000;\nst.global.u32 [%q1+56], %w3;\nret;\n}\n",
		4, 32, &b, sizeof b);
	assert_int_equal(b.add, 256);
	assert_int_equal(b.min, 0);
	assert_int_equal(b.max, 127);
	assert_int_equal(b.inc, 128 % 11);
	uint32_t dec = 5, x = 0;
	for (uint32_t i = 0; i < 128; i++) {
		dec = dec == 0 || dec > 7 ? 7 : dec - 1;
		x ^= i;
		assert_int_equal(b.old[i], 2 * i); /* lanes, warps and blocks act in order */
	}
	assert_int_equal(b.dec, dec);
	assert_int_equal(b.and, UINT32_MAX - 1);
	assert_int_equal(b.or, UINT32_MAX);
	assert_int_equal(b.xor, x);
	assert_int_equal(b.exch, 127);
	assert_int_equal(b.cas, 77);
	assert_true(b.wide == (UINT64_C(127) * 128 / 2) << 32);
	assert_true(b.real == 192.0f);
}

/* Shuffles in segments of 8, votes, matches and reductions, also of lanes that are apart. */
static void exchange(void **state)
{
	(void)state;
	uint32_t got[32 * 6];
	ptx_must_run(
		START
		"mad.wide.u32 %q1, %w0, 24, %q0;\nmul.lo.s32 %w3, %w0, 10;\n"
		"shfl.sync.down.b32 %w4|%p1, %w3, 3, 0x181f, -1;\nselp.u32 %w5, 1000, 0, %p1;\nadd.s32 %w4, %w4, %w5;\nst.global.u32 [%q1], %w4;\n"
		"shfl.sync.bfly.b32 %w4, %w3, 5, 0x1f, -1;\nst.global.u32 [%q1+4], %w4;\n"
		"setp.gt.u32 %p2, %w0, 11;\nvote.sync.ballot.b32 %w4, %p2, -1;\nst.global.u32 [%q1+8], %w4;\n"
		"and.b32 %w6, %w0, 3;\nmatch.any.sync.b32 %w4, %w6, -1;\nst.global.u32 [%q1+12], %w4;\n"
		"setp.lt.u32 %p3, %w0, 16;\nmov.b32 %w7, 0xffff;\n@%p3 bra low;\nshl.b32 %w7, %w7, 16;\n"
		"low:\nredux.sync.add.u32 %w4, %w0, %w7;\nst.global.u32 [%q1+16], %w4;\n"
		/* The two sides execute the same shuffle apart from one another and wait for all. */
		"setp.eq.u32 %p4, %w6, 0;\n@%p4 bra other;\nadd.s32 %w3, %w3, 1;\n"
		"other:\nshfl.sync.idx.b32 %w4, %w3, 1, 0x1f, -1;\nst.global.u32 [%q1+20], %w4;\nret;\n}\n",
		1, 32, got, sizeof got);
	for (uint32_t i = 0; i < 32; i++) {
		const uint32_t *g = got + 6 * i;
		int inside = i % 8 + 3 < 8;
		assert_int_equal(g[0], inside ? 10 * (i + 3) + 1000 : 10 * i);
		assert_int_equal(g[1], 10 * (i ^ 5));
		assert_int_equal(g[2], 0xfffff000);
		assert_int_equal(g[3], 0x11111111u << i % 4);
		assert_int_equal(g[4], i < 16 ? 120 : 376);
		assert_int_equal(g[5], 11);
	}
}

/* Functions with parameters, a structure as a result, recursion, and a call by address under a guard. */
static void calls(void **state)
{
	(void)state;
	uint32_t got[32];
	ptx_must_run(
		PTX_HEAD
		".visible .func (.param .b32 r) fib(.param .b32 n);\n"
		".func (.param .align 4 .b8 r[8]) two(.param .b32 n) { .reg .b32 %a<3>; ld.param.u32 %a0, [n]; add.s32 %a1, %a0, 1;\n"
		"st.param.b32 [r], %a0; st.param.b32 [r+4], %a1; ret; }\n"
		".entry k(.param .u64 p) {\n.reg .pred %p<3>;\n.reg .b32 %w<9>;\n.reg .b64 %q<4>;\nld.param.u64 %q0, [p];\nmov.u32 %w0, %tid.x;\n"
		"mad.wide.u32 %q1, %w0, 4, %q0;\nrem.u32 %w1, %w0, 9;\n"
		"{ .param .b32 a; st.param.b32 [a], %w1; .param .b32 b; call.uni (b), fib, (a); ld.param.b32 %w2, [b]; }\n"
		"{ .param .b32 a; st.param.b32 [a], %w2; .param .align 4 .b8 b[8]; call.uni (b), two, (a); ld.param.b32 %w3, [b+4]; }\n"
		"setp.gt.u32 %p1, %w0, 20;\nmov.u64 %q2, fib;\nmov.b32 %w4, 0;\n"
		"{ .param .b32 a; st.param.b32 [a], 6; .param .b32 b; st.param.b32 [b], 0; pt: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
		"@%p1 call (b), %q2, (a), pt; ld.param.b32 %w4, [b]; }\nmad.lo.s32 %w3, %w4, 1000, %w3;\n"
		"st.global.u32 [%q1], %w3;\nret;\n}\n"
		".visible .func (.param .b32 r) fib(.param .b32 n) { .reg .pred %p; .reg .b32 %a<6>;\nld.param.u32 %a0, [n]; setp.lt.u32 %p, %a0, 2;\n"
		"mov.b32 %a1, %a0; @%p bra out; sub.s32 %a2, %a0, 1;\n"
		"{ .param .b32 x; st.param.b32 [x], %a2; .param .b32 y; call.uni (y), fib, (x); ld.param.b32 %a3, [y]; }\nsub.s32 %a2, %a0, 2;\n"
		"{ .param .b32 x; st.param.b32 [x], %a2; .param .b32 y; call.uni (y), fib, (x); ld.param.b32 %a4, [y]; }\nadd.s32 %a1, %a3, %a4;\n"
		"out: st.param.b32 [r], %a1; ret; }\n",
		1, 32, got, sizeof got);
	static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(got[i], fib[i % 9] + 1 + (i > 20 ? 8000 : 0));
}

/* Each fault stops the launch and says where: line, block and thread. */
static void faults(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		enum ct_ptx_fault_kind kind;
		int status;
		const char *says;
	} bad[] = {
		{"setp.eq.u32 %p1, %w0, 37;\n@%p1 st.global.u32 [%q1+1024], %w0;\n", CT_PTX_OUT_OF_RANGE,
	         CT_ERR_INPUT,
	         "t.ptx:15: kernel k, block (1,0,0), thread (5,0,0): st.global.u32 of 4 bytes at global address"},
		{"ld.global.u32 %w3, [%q1+2];\n", CT_PTX_MISALIGNED, CT_ERR_INPUT, "misaligned"},
		{".shared .b32 s[4];\nmov.b32 %w4, 16;\nld.shared.u32 %w3, [%w4];\n",
	         CT_PTX_OUT_OF_RANGE, CT_ERR_INPUT, "shared address 0x10"},
		{"mov.b64 %q2, 8;\nld.u32 %w3, [%q2];\n", CT_PTX_OUT_OF_RANGE, CT_ERR_INPUT,
	         "no allocation holds it"},
		{"trap;\n", CT_PTX_TRAP, CT_ERR_INPUT, "trap: a trap"},
		{"L: bra.uni L;\n", CT_PTX_STEPS, CT_ERR_LIMIT, "in the loop of lines 14 to 14"},
		{"setp.lt.u32 %p1, %w0, 16;\n@%p1 bra S;\nbar.sync 1, 64;\nS:\n", CT_PTX_DEADLOCK,
	         CT_ERR_INPUT, "bar.sync: every thread of the block waits"},
		{"mov.b64 %q2, 0;\n{ call %q2, (), x; }\n", CT_PTX_CALL, CT_ERR_INPUT,
	         "what is not there"}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[4096];
		uint32_t buffer[64];
		struct ct_ptx_fault f;
		struct ct_error e = {0};
		snprintf(text, sizeof text, "%s%s%s", START, bad[i].body, END);
		struct ct_ptx_module *m = ptx_must_read(text);
		assert_int_equal(ptx_run(m, 2, 32, buffer, sizeof buffer, 10000, &f, &e), bad[i].status);
		assert_int_equal(f.kind, bad[i].kind);
		if (!strstr(e.text, bad[i].says))
			fail_msg("'%s' where '%s' should be", e.text, bad[i].says);
		ct_ptx_free(m);
	}
}

/* Vectors, narrow accesses, local memory by generic addresses, constants, the module's variables. */
static void memory(void **state)
{
	(void)state;
	struct {
		uint32_t word[32];
	} b;
	for (uint32_t i = 0; i < 32; i++)
		b.word[i] = i * 0x01020304u;
	ptx_must_run(
		PTX_HEAD
		".const .align 4 .b8 c[8] = {1,0,0,0,2,0,0,0};\n.global .align 4 .u32 g[2] = {5, 6};\n"
		".entry k(.param .u64 p) {\n.local .align 8 .b8 loc[16];\n.reg .b32 %w<12>;\n.reg .b16 %h<4>;\n.reg .b64 %q<9>;\n"
		"ld.param.u64 %q0, [p];\nmov.u32 %w0, %tid.x;\nmad.wide.u32 %q1, %w0, 16, %q0;\n"
		"ld.global.v4.u32 {%w1, %w2, %w3, %w4}, [%q1];\nmov.u64 %q2, loc;\ncvta.local.u64 %q3, %q2;\n"
		"st.local.v2.u32 [%q2], {%w1, %w2};\nst.u32 [%q3+8], %w3;\nst.local.u8 [%q2+12], %w4;\n"
		"ld.s8 %w5, [%q3+11];\nld.local.u16 %h1, [%q2+2];\nld.u64 %q4, [%q3];\n"
		"cvt.u32.u16 %w6, %h1;\nmov.b64 {_, %w7}, %q4;\nld.const.u32 %w8, [c+4];\nld.global.u32 %w9, [g+4];\n"
		"add.s32 %w5, %w5, %w8;\nadd.s32 %w6, %w6, %w9;\nst.global.v4.b32 [%q1], {%w5, %w6, %w7, %w0};\nst.global.u32 [g], %w0;\nret;\n}\n",
		1, 8, &b, sizeof b);
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t w1 = 4 * i * 0x01020304u, w2 = (4 * i + 1) * 0x01020304u,
			 w3 = (4 * i + 2) * 0x01020304u;
		assert_int_equal(b.word[4 * i], (uint32_t)((int32_t)(int8_t)(w3 >> 24) + 2));
		assert_int_equal(b.word[4 * i + 1], (w1 >> 16) + 6);
		assert_int_equal(b.word[4 * i + 2], w2);
		assert_int_equal(b.word[4 * i + 3], i);
	}
}

/* What an observer counts. */
struct seen {
	uint64_t instructions, lanes, ctas, ended, bytes;
	uint64_t first[2];
	uint64_t together;
};

static int on_cta(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e)
{
	struct seen *s = ctx;
	(void)e;
	assert_int_equal(cta->index, s->ctas);
	s->ctas++;
	return 0;
}

static int on_end(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e)
{
	(void)e;
	((struct seen *)ctx)->ended += cta->warps;
	return 0;
}

static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	struct seen *s = ctx;
	s->instructions++;
	s->lanes += (uint64_t)ct_bits(v->mask);
	if (v->addresses && v->space == CT_PTX_GLOBAL) {
		s->bytes += v->width * (uint64_t)ct_bits(v->mask);
		if (v->cta->index == 1)
			s->first[v->warp] = v->addresses[0];
	}
	return s->instructions > 1000 ? ct_fail(e, CT_ERR_LIMIT, "enough") : 0;
}

/* What is told of together counts as if it came one by one. */
static int on_straight(void *ctx, const struct ct_ptx_straight *v, struct ct_error *e)
{
	struct seen *s = ctx;
	const struct ct_ptx_access *a = v->access, *end = a + v->accesses;
	int st = 0;
	s->together += v->n > 1;
	for (uint32_t i = v->first; i < v->first + v->n && st == 0; i++) {
		struct ct_ptx_event one = {.cta = v->cta,
		                           .warp = v->warp,
		                           .instruction = i,
		                           .active = v->active,
		                           .mask = v->active};
		if (a < end && a->instruction == i) {
			one.space = a->space;
			one.width = a->width;
			one.addresses = a->addresses;
			a++;
		}
		st = on_instruction(ctx, &one, e);
	}
	assert_ptr_equal(a, end);
	return st;
}

static void observers(void **state)
{
	(void)state;
	uint32_t buffer[96] = {0};
	struct seen s = {0};
	struct ct_error e = {0};
	struct ct_ptx_result r;
	struct ct_ptx_memory *memory;
	uint64_t param = (uint64_t)(uintptr_t)buffer;
	struct ct_ptx_module *m = ptx_must_read(
		START "setp.lt.u32 %p1, %w0, 10;\n@%p1 mov.b32 %w3, 1;\n" END);
	struct ct_ptx_observer o = {
		.ctx = &s, .cta_begin = on_cta, .instruction = on_instruction, .cta_end = on_end};
	assert_int_equal(ct_ptx_memory_create(&memory, &e), CT_OK);
	assert_int_equal(ct_ptx_memory_add(memory, buffer, sizeof buffer, &e), CT_OK);
	assert_int_equal(ct_ptx_memory_add(memory, &buffer[4], 4, &e), CT_ERR_USAGE);
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_kernel_at(m, 0),
		.grid = {2, 1, 1},
		.block = {40, 1, 1},
		.params = &param,
		.param_bytes = 8,
		.memory = memory,
		.observer = &o};
	assert_int_equal(ct_ptx_launch(&l, &r, &e), CT_OK);
	assert_int_equal(s.ctas, 2);
	assert_int_equal(s.ended, 4);
	assert_int_equal(s.instructions, 4 * 10);
	assert_int_equal(r.steps, 4 * 10);
	assert_int_equal(s.lanes, 80 * 9 + 10);
	assert_int_equal(s.bytes, 80 * 4);
	assert_int_equal(s.first[0], (uint64_t)(uintptr_t)&buffer[40]);
	assert_int_equal(s.first[1], (uint64_t)(uintptr_t)&buffer[72]);
	const struct seen before = s;
	s = (struct seen){0};
	o.straight = on_straight;
	assert_int_equal(ct_ptx_launch(&l, &r, &e), CT_OK);
	assert_int_equal(s.together,
	                 2 * 4); /* of each warp what is before the guarded move and behind it */
	s.together = 0;
	assert_memory_equal(&s, &before, sizeof s);
	o.straight = NULL;
	l.grid[0] = 100;
	s = (struct seen){0};
	assert_int_equal(ct_ptx_launch(&l, &r, &e), CT_ERR_INPUT); /* behind the buffer */
	l.block[0] = 2000;
	assert_int_equal(ct_ptx_launch(&l, &r, &e), CT_ERR_USAGE);
	assert_int_equal(r.fault.kind, CT_PTX_LAUNCH);
	assert_int_equal(ct_ptx_memory_remove(memory, buffer, &e), CT_OK);
	assert_int_equal(ct_ptx_memory_remove(memory, buffer, &e), CT_ERR_USAGE);
	ct_ptx_memory_free(memory);
	ct_ptx_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(divergence),   cmocka_unit_test(switches), cmocka_unit_test(barriers),
		cmocka_unit_test(odd_barriers), cmocka_unit_test(spinning), cmocka_unit_test(atomics),
		cmocka_unit_test(exchange),     cmocka_unit_test(calls),    cmocka_unit_test(faults),
		cmocka_unit_test(memory),       cmocka_unit_test(observers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

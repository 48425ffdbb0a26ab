/* Random programs of nested branches, loops with breaks, and memory: the emulator against a walk
 * over the same tree, thread by thread. CT_PTX_PROGRAMS raises their number. */
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

enum { VARIABLES = 6, MEMORY = 8, THREADS = 96, NODES = 400, MAX_DEPTH = 4 };

enum kind { ASSIGN, LOAD, STORE, IF, LOOP, BREAK };

/* One statement; blocks are chains by `next`, ended by 0. */
struct node {
	enum kind kind;
	unsigned d, a, b, op; /* variables, and what is done with them */
	uint32_t constant;
	unsigned then, other; /* first statements of the blocks within */
	unsigned next;
};

struct program {
	struct node node[NODES];
	unsigned used, labels;
	uint64_t seed;
};

static unsigned choose(struct program *p, unsigned n)
{
	return (unsigned)(ct_rand64(&p->seed) >> 20) % n;
}

/* A block of a few statements; a break is made inside of loops only. 0: no room for any. */
static unsigned make_block(struct program *p, unsigned depth, int in_loop)
{
	unsigned first = 0, *link = &first, n = 1 + choose(p, 5);
	while (n-- && p->used < NODES) {
		unsigned at = p->used++, what = choose(p, 12);
		struct node *s = &p->node[at];
		*s = (struct node){
			.kind = what < 6     ? ASSIGN
		                : what == 6  ? LOAD
		                : what == 7  ? STORE
		                : what < 10  ? IF
		                : what == 10 ? LOOP
		                             : BREAK,
			.d = choose(p, VARIABLES),
			.a = choose(p, VARIABLES),
			.b = choose(p, VARIABLES),
			.op = choose(p, 8),
			.constant = choose(p, 2) ? choose(p, 40) : (uint32_t)ct_rand64(&p->seed)};
		if ((depth >= MAX_DEPTH && (s->kind == IF || s->kind == LOOP)) ||
		    (s->kind == BREAK && !in_loop))
			s->kind = ASSIGN;
		*link = at;
		link = &s->next;
		if (s->kind == IF) {
			unsigned then = make_block(p, depth + 1, in_loop),
				 other = choose(p, 2) ? make_block(p, depth + 1, in_loop) : 0;
			s->then = then;
			s->other = other;
		} else if (s->kind == LOOP) {
			s->constant = 1 + choose(p, 5);
			s->then = make_block(p, depth + 1, 1);
		}
	}
	return first;
}

static const char *const operations[] = {
	"add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "and.b32", "or.b32", "max.s32", "min.u32"};

static uint32_t operate(unsigned op, uint32_t a, uint32_t b)
{
	switch (op) {
	case 0: return a + b;
	case 1: return a - b;
	case 2: return a * b;
	case 3: return a ^ b;
	case 4: return a & b;
	case 5: return a | b;
	case 6: return (int32_t)a > (int32_t)b ? a : b;
	default: return a < b ? a : b;
	}
}

/* Conditions depend on low bits, so that lanes part. */
static int holds(const struct node *s, uint32_t a)
{
	return (a >> s->op & 7) < (s->constant & 7);
}

/* Walks a block for one thread: 1 after a break. */
static int walk(const struct program *p, unsigned at, uint32_t *v, uint32_t *memory)
{
	for (; at; at = p->node[at].next) {
		const struct node *s = &p->node[at];
		switch (s->kind) {
		case ASSIGN:
			v[s->d] = operate(s->op, v[s->a], s->constant & 1 ? v[s->b] : s->constant);
			break;
		case LOAD: v[s->d] = memory[v[s->a] % MEMORY]; break;
		case STORE: memory[v[s->a] % MEMORY] = v[s->b]; break;
		case IF:
			if (walk(p, holds(s, v[s->a]) ? s->then : s->other, v, memory))
				return 1;
			break;
		case LOOP:
			for (uint32_t i = 0;
			     i < s->constant + (v[s->a] & 3) && !walk(p, s->then, v, memory);)
				i++;
			break;
		default:
			if (holds(s, v[s->a]))
				return 1;
			break;
		}
	}
	return 0;
}

/* PTX of a condition into %p0. */
static void write_condition(struct ct_buf *b, const struct node *s)
{
	ct_buf_printf(b,
	              "shr.u32 %%t0, %%v%u, %u;\nand.b32 %%t0, %%t0, 7;\nsetp.lt.u32 %%p0, %%t0, %u;\n",
	              s->a, s->op, s->constant & 7);
}

/* The same block as PTX; `out` is the label that breaks go to. Loops count in registers of their own. */
static void write_block(struct ct_buf *b, struct program *p, unsigned at, unsigned out)
{
	for (; at; at = p->node[at].next) {
		const struct node *s = &p->node[at];
		unsigned label = p->labels;
		switch (s->kind) {
		case ASSIGN:
			if (s->constant & 1)
				ct_buf_printf(b, "%s %%v%u, %%v%u, %%v%u;\n", operations[s->op], s->d,
				              s->a, s->b);
			else
				ct_buf_printf(b, "%s %%v%u, %%v%u, %u;\n", operations[s->op], s->d, s->a,
				              s->constant);
			break;
		case LOAD:
		case STORE:
			ct_buf_printf(b, "and.b32 %%t0, %%v%u, %d;\nmad.wide.u32 %%q2, %%t0, 4, %%q1;\n",
			              s->a, MEMORY - 1);
			ct_buf_printf(b,
			              s->kind == LOAD ? "ld.global.u32 %%v%u, [%%q2];\n"
			                              : "st.global.u32 [%%q2], %%v%u;\n",
			              s->kind == LOAD ? s->d : s->b);
			break;
		case IF:
			p->labels += 2;
			write_condition(b, s);
			ct_buf_printf(b, "@!%%p0 bra L%u;\n", label);
			write_block(b, p, s->then, out);
			ct_buf_printf(b, "bra.uni L%u;\nL%u:\n", label + 1, label);
			write_block(b, p, s->other, out);
			ct_buf_printf(b, "L%u:\n", label + 1);
			break;
		case LOOP:
			p->labels += 2;
			ct_buf_printf(
				b,
				"mov.b32 %%i%u, 0;\nL%u:\nand.b32 %%t0, %%v%u, 3;\nadd.u32 %%t0, %%t0, %u;\nsetp.ge.u32 %%p0, %%i%u, %%t0;\n"
				"@%%p0 bra L%u;\n",
				at, label, s->a, s->constant, at, label + 1);
			write_block(b, p, s->then, label + 1);
			ct_buf_printf(b, "add.u32 %%i%u, %%i%u, 1;\nbra.uni L%u;\nL%u:\n", at, at, label,
			              label + 1);
			break;
		default:
			write_condition(b, s);
			ct_buf_printf(b, "@%%p0 bra L%u;\n", out);
			break;
		}
	}
}

static void check_program(uint64_t seed)
{
	static uint32_t got[THREADS][MEMORY], want[THREADS][MEMORY];
	struct program *p = calloc(1, sizeof *p);
	struct ct_buf b = {0};
	assert_non_null(p);
	p->seed = seed;
	p->used = 1;
	unsigned first = make_block(p, 0, 0);
	ct_buf_printf(
		&b,
		PTX_HEAD
		".entry k(.param .u64 p) {\n.reg .pred %%p<2>;\n.reg .b32 %%v<%d>, %%t<3>, %%i<%d>;\n.reg .b64 %%q<3>;\n"
		"ld.param.u64 %%q0, [p];\nmov.u32 %%t0, %%tid.x;\nmov.u32 %%t1, %%ctaid.x;\nmad.lo.s32 %%t0, %%t1, 48, %%t0;\n"
		"mad.wide.u32 %%q1, %%t0, %d, %%q0;\n",
		VARIABLES, NODES, 4 * MEMORY);
	for (unsigned i = 0; i < VARIABLES; i++)
		ct_buf_printf(&b, "mul.lo.u32 %%v%u, %%t0, %u;\n", i, 2 * i + 1);
	write_block(&b, p, first, 0);
	for (unsigned i = 0; i < VARIABLES; i++)
		ct_buf_printf(&b, "st.global.u32 [%%q1+%u], %%v%u;\n", 4 * i, i);
	ct_buf_puts(&b, "ret;\n}\n");
	for (uint32_t t = 0; t < THREADS; t++) {
		uint32_t v[VARIABLES];
		for (uint32_t i = 0; i < MEMORY; i++)
			got[t][i] = want[t][i] = t ^ i * 77;
		for (uint32_t i = 0; i < VARIABLES; i++)
			v[i] = t * (2 * i + 1);
		walk(p, first, v, want[t]);
		memcpy(want[t], v, sizeof v);
	}
	ptx_must_run(b.data, THREADS / 48, 48, got, sizeof got);
	for (uint32_t t = 0; t < THREADS; t++)
		if (memcmp(got[t], want[t], sizeof got[t]))
			fail_msg("program %llu, thread %u\n%s", (unsigned long long)seed, t, b.data);
	ct_buf_free(&b);
	free(p);
}

static void programs(void **state)
{
	(void)state;
	const char *s = getenv("CT_PTX_PROGRAMS");
	uint64_t n = s ? strtoull(s, NULL, 10) : 200;
	for (uint64_t seed = 1; seed <= n; seed++)
		check_program(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(programs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

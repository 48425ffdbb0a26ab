/* tracegen capture without Oclgrind: kernels as the plugin would send them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "tracegen/capture/capture.h"
#include "tracegen/capture/ir.h"
#include "tracegen/capture/merge.h"
#include "tracegen/capture/protocol.h"

static struct ct_error error;

static struct cap_program *make(const struct ct_buf *text)
{
	struct cap_program *p;
	if (cap_program_make(&p, text->data, text->len, &error) != CT_OK)
		fail_msg("%s", error.text);
	return p;
}

static uint32_t below(uint64_t *rng, uint32_t n)
{
	return (uint32_t)((ct_rand64(rng) >> 32) * n >> 32);
}

/* ---- control flow ----------------------------------------------------------------------- */

/* A kernel of n blocks; block b goes to succ[b][0..nsucc[b]). Each has two lines or more. */
struct graph {
	uint32_t n, nsucc[24], succ[24][2];
};

static void random_graph(struct graph *g, uint64_t *rng)
{
	g->n = 2 + below(rng, 22);
	for (uint32_t b = 0; b + 1 < g->n; b++) {
		g->nsucc[b] = 1 + below(rng, 2);
		g->succ[b][0] = b + 1; /* every block reaches the last */
		g->succ[b][1] = 1 + below(rng, g->n - 1);
		if (g->nsucc[b] == 2 && below(rng, 2)) {
			g->succ[b][0] = g->succ[b][1];
			g->succ[b][1] = b + 1;
		}
	}
	g->nsucc[g->n - 1] = 0;
}

static void graph_text(const struct graph *g, struct ct_buf *b)
{
	ct_buf_puts(b, "K walk\nF 0\nA 0 i32\n");
	for (uint32_t i = 0; i < g->n; i++) {
		ct_buf_puts(b, "B");
		for (uint32_t s = 0; s < g->nsucc[i]; s++)
			ct_buf_printf(b, " %u", g->succ[i][s]);
		ct_buf_printf(b, "\nS\nI %u i32 add 0 #1\n", i + 1);
		ct_buf_puts(b, g->nsucc[i] ? g->nsucc[i] == 2 ? "I - v br 0\n" : "I - v br\n"
		                           : "I - v ret\n");
	}
}

/* Whether every path from a to the last block goes through d: d removed, the last is out of reach. */
static int always_through(const struct graph *g, uint32_t a, uint32_t d)
{
	uint8_t seen[24] = {0};
	uint32_t stack[24], n = 0;
	if (a == d)
		return 1;
	seen[a] = 1;
	stack[n++] = a;
	while (n > 0) {
		uint32_t b = stack[--n];
		if (g->nsucc[b] == 0)
			return 0;
		for (uint32_t s = 0; s < g->nsucc[b]; s++)
			if (!seen[g->succ[b][s]] && g->succ[b][s] != d) {
				seen[g->succ[b][s]] = 1;
				stack[n++] = g->succ[b][s];
			}
	}
	return 1;
}

static void test_post_dominators(void **state)
{
	uint64_t rng = 11;
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct graph g;
		struct ir ir;
		struct ct_buf text = {0};
		uint32_t join[24];
		random_graph(&g, &rng);
		graph_text(&g, &text);
		assert_int_equal(cap_ir_parse(&ir, text.data, text.len, &error), CT_OK);
		assert_int_equal(cap_post_dominators(&ir, &ir.func[0], join, &error), CT_OK);
		for (uint32_t a = 0; a < g.n; a++) {
			/* The immediate one: a strict post-dominator that all other strict ones post-dominate. */
			uint32_t want = CAP_NONE;
			for (uint32_t d = 0; d < g.n; d++) {
				int immediate = d != a && always_through(&g, a, d);
				for (uint32_t x = 0; x < g.n && immediate; x++)
					if (x != a && x != d && always_through(&g, a, x) &&
					    !always_through(&g, d, x))
						immediate = 0;
				if (immediate)
					want = d;
			}
			assert_int_equal(join[a], want);
		}
		cap_ir_free(&ir);
		ct_buf_free(&text);
	}
}

static void put_number(struct ct_buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		ct_buf_putc(b, (char)(v | 0x80));
	ct_buf_putc(b, (char)v);
}

/* Program counters that each lane must execute: those of the segments that it walked. */
struct walk {
	struct ct_buf tokens;
	uint32_t pc[4096], n;
};

static void random_walk(const struct graph *g, const struct cap_program *p, struct walk *w,
                        uint64_t *rng)
{
	uint32_t b = 0, steps = 0;
	memset(w, 0, sizeof *w);
	for (;;) {
		const struct cap_segment *s = &p->segment[b];
		put_number(&w->tokens, (uint64_t)b << 2);
		for (uint32_t i = 0; i < s->n; i++)
			w->pc[w->n++] = (s->first + i) * 16;
		if (g->nsucc[b] == 0)
			return;
		/* Long walks go home: some successor is always the next block. */
		uint32_t k = below(rng, g->nsucc[b]);
		if (++steps > 300 && g->succ[b][0] != b + 1)
			k = 1;
		else if (steps > 300)
			k = 0;
		b = g->succ[b][k];
	}
}

/* Goes through the text of a warp: each lane executes its own program counters in order. */
static void check_text(const struct ct_buf *text, struct walk *w, unsigned lanes, uint64_t insts)
{
	uint32_t at[32] = {0};
	uint64_t lines = 0;
	char *s = text->data;
	for (; s && *s; lines++) {
		uint32_t pc = (uint32_t)strtoul(s, &s, 16), mask = (uint32_t)strtoul(s, &s, 16);
		for (unsigned i = 0; i < lanes; i++)
			if (mask >> i & 1) {
				assert_true(at[i] < w[i].n);
				assert_int_equal(w[i].pc[at[i]++], pc);
			}
		s = strchr(s, '\n') + 1;
	}
	assert_int_equal(lines, insts);
	for (unsigned i = 0; i < lanes; i++)
		assert_int_equal(at[i], w[i].n);
}

static void test_lockstep_keeps_every_lane(void **state)
{
	static struct walk walk[64];
	uint64_t rng = 5;
	(void)state;
	for (int round = 0; round < 60; round++) {
		struct graph g;
		struct ct_buf text = {0}, out_text[2] = {{0}, {0}};
		struct cap_stream stream[64];
		struct cap_out out[2] = {{&out_text[0], 0}, {&out_text[1], 0}};
		struct ct_kernel k = {.tracer_version = (char *)"5"};
		unsigned lanes = round % 2 ? 64 : 1 + below(&rng, 32);
		random_graph(&g, &rng);
		graph_text(&g, &text);
		struct cap_program *p = make(&text);
		for (unsigned i = 0; i < lanes; i++) {
			random_walk(&g, p, &walk[i], &rng);
			stream[i] = (struct cap_stream){
				(unsigned char *)walk[i].tokens.data, walk[i].tokens.len};
		}
		assert_int_equal(cap_merge(p, &k, stream, lanes, out, &error), CT_OK);
		for (unsigned h = 0; h < lanes; h += 32)
			check_text(&out_text[h / 32], walk + h, lanes - h < 32 ? lanes - h : 32,
			           out[h / 32].insts);
		if (lanes == 64)
			assert_int_equal(out[0].insts, out[1].insts); /* halves of one wave */
		for (unsigned i = 0; i < lanes; i++)
			ct_buf_free(&walk[i].tokens);
		cap_program_free(p);
		ct_buf_free(&text);
		ct_buf_free(&out_text[0]);
		ct_buf_free(&out_text[1]);
	}
}

/* if (lane odd) A else B; then C; with a call in A. */
static const char diamond[] =
	"K diamond\nF 0\nA 0 p1\n"
	"B 2 1\nS\nI 1 i64 builtin get_local_id #0\nI 2 i1 icmp.eq 1 #0 :i64\nI - v br 2\n"
	"B 3\nS\nI 3 p1 gep 0 1 #4\nI 4 i32 load 3 =1,4,4\nI - v store 4 3 =1,4,4\nI - v br\n"
	"B 3\nS\nI 5 i32 call @1 #3\nS\nI 6 i32 add 5 #1\nI - v br\n"
	"B\nS\nI - v ret\n"
	"F 1\nA 0 i32\nB\nS\nI 1 i32 mul 0 #3\nI - v ret 1\n";

static void access_token(struct ct_buf *b, uint32_t index, int64_t delta)
{
	put_number(b, (uint64_t)index << 2 | 1);
	put_number(b, 4 << 1);
	put_number(b, (uint64_t)delta << 1 ^ (uint64_t)(delta >> 63));
}

static void test_lanes_meet_again(void **state)
{
	struct ct_buf text = {0}, tokens[4] = {{0}, {0}, {0}, {0}}, out_text = {0};
	struct cap_stream stream[4];
	struct cap_out out = {&out_text, 0};
	struct ct_kernel k = {.tracer_version = (char *)"5"};
	(void)state;
	ct_buf_puts(&text, diamond);
	struct cap_program *p = make(&text);
	for (unsigned i = 0; i < 4; i++) {
		put_number(&tokens[i], 0);
		if (i % 2) {
			put_number(&tokens[i], 1 << 2);
			access_token(&tokens[i], 1, (int64_t)(CAP_GLOBAL_BASE + 4 * i));
			access_token(&tokens[i], 2, 0);
		} else {
			put_number(&tokens[i], 2 << 2);
			put_number(&tokens[i], 5 << 2); /* the callee, then what is behind the call */
			put_number(&tokens[i], 3 << 2);
		}
		put_number(&tokens[i], 4 << 2);
		stream[i] = (struct cap_stream){(unsigned char *)tokens[i].data, tokens[i].len};
	}
	assert_int_equal(cap_merge(p, &k, stream, 4, &out, &error), CT_OK);
	assert_non_null(strstr(out_text.data, "0000000a 1 R"));
	assert_non_null(strstr(out_text.data, "LDG.E 1 "));
	assert_non_null(strstr(out_text.data, " 4 2 0x7f5200000004 8 "));
	assert_non_null(strstr(out_text.data, "00000005 0 RET.REL.NODEC"));
	assert_non_null(strstr(out_text.data, "0000000f 0 EXIT"));
	cap_program_free(p);
	ct_buf_free(&text);
	ct_buf_free(&out_text);
	for (unsigned i = 0; i < 4; i++)
		ct_buf_free(&tokens[i]);
}

/* ---- registers ----------------------------------------------------------------------------- */

/* A straight line of operations: each source register holds the value that the text names. */
static void test_registers_hold_their_values(void **state)
{
	enum { N = 200 };
	uint64_t rng = 3;
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct ct_buf text = {0};
		uint32_t a[N], b[N], holds[256];
		ct_buf_puts(&text, "K line\nF 0\nB\nS\n");
		for (uint32_t i = 0; i < N; i++) {
			uint32_t window = i < 40 ? i : 40;
			a[i] = i ? i - 1 - below(&rng, window) : 0;
			b[i] = i ? i - 1 - below(&rng, window) : 0;
			if (i == 0)
				ct_buf_puts(&text, "I 0 f32 load # =2,4,4\n");
			else
				ct_buf_printf(&text, "I %u f32 %s %u %u\n", i, i % 3 ? "fadd" : "fmul",
				              a[i], b[i]);
		}
		ct_buf_puts(&text, "I - v ret\n");
		struct cap_program *p = make(&text);
		assert_int_equal(p->n_lines, N + 1);
		assert_true(p->regs <= 48);
		assert_int_equal(p->crowded, 0);
		memset(holds, 0xff, sizeof holds);
		for (uint32_t i = 0; i < N; i++) {
			const struct ct_sinst *s = &p->line[i].sinst;
			if (i > 0) {
				assert_int_equal(s->nsrc, 2);
				assert_int_equal(holds[CT_REG_INDEX(s->src[0])], a[i]);
				assert_int_equal(holds[CT_REG_INDEX(s->src[1])], b[i]);
			}
			assert_int_equal(s->ndst, 1);
			holds[CT_REG_INDEX(s->dst[0])] = i;
		}
		cap_program_free(p);
		ct_buf_free(&text);
	}
}

/* for (i = 0; i < n; i++) s += a[i]: the copies of both phi nodes are joined away. */
static void test_loop_needs_no_moves(void **state)
{
	struct ct_buf text = {0};
	(void)state;
	ct_buf_puts(&text,
	            "K loop\nF 0\nA 0 p1\nA 1 i32\nB 1\nS\nI 9 i32 builtin get_local_id #0\n"
	            "I 10 f32 sitofp 9 :i32\nI - v br\n"
	            "B 1 2\nS\nI 2 i32 phi 9 @0 6 @1\nI 3 f32 phi 10 @0 5 @1\n"
	            "I 4 p1 gep 0 2 #4\nI 7 f32 load 4 =1,4,4\nI 5 f32 fadd 3 7\nI 6 i32 add 2 #1\n"
	            "I 8 i1 icmp.slt 6 1 :i32\nI - v br 8\n"
	            "B\nS\nI - v store 5 0 =1,4,4\nI - v ret\n");
	struct cap_program *p = make(&text);
	const char *want[] = {"S2R",          "I2F.S32", "IMAD.WIDE", "LDG.E",        "FADD",  "IADD3",
	                      "ISETP.LT.AND", "BRA",     "MOV",       "IMAD.MOV.U32", "STG.E", "EXIT"};
	assert_int_equal(p->n_lines, sizeof want / sizeof *want);
	for (uint32_t i = 0; i < p->n_lines; i++)
		assert_string_equal(p->line[i].sinst.opcode, want[i]);
	/* Sum and counter are updated in place. */
	assert_int_equal(p->line[4].sinst.dst[0], p->line[4].sinst.src[0]);
	assert_int_equal(p->line[5].sinst.dst[0], p->line[5].sinst.src[0]);
	assert_int_equal(p->line[1].sinst.dst[0], p->line[4].sinst.dst[0]);
	cap_program_free(p);
	ct_buf_free(&text);
}

static void test_wide_accesses_are_cut(void **state)
{
	struct ct_buf text = {0};
	(void)state;
	ct_buf_puts(&text,
	            "K wide\nF 0\nA 0 p1\nB\nS\nI 1 i64 builtin get_global_id #0\nI 2 p1 gep 0 1 #48\n"
	            "I 3 4xf32 load 2 =1,16,16\nI 4 4xf32 load 2 =1,16,4\nI 5 8xf32 load 2 =1,32,16\n"
	            "I 6 i8 load 2 =1,1,1\nI - v ret\n");
	struct cap_program *p = make(&text);
	const char *want[] = {"S2R",   "S2R",   "IMAD",      "IMAD.WIDE", "LDG.E.128", "LDG.E", "LDG.E",
	                      "LDG.E", "LDG.E", "LDG.E.128", "LDG.E.128", "LDG.E.U8",  "EXIT"};
	assert_int_equal(p->n_lines, sizeof want / sizeof *want);
	for (uint32_t i = 0; i < p->n_lines; i++)
		assert_string_equal(p->line[i].sinst.opcode, want[i]);
	assert_int_equal(p->line[8].offset, 12);
	assert_int_equal(p->line[10].offset, 16);
	assert_int_equal(p->line[4].sinst.dst[0] % 4, 0); /* quads are aligned */
	cap_program_free(p);
	ct_buf_free(&text);
}

/* ---- bytes that the plugin never sends ------------------------------------------------------- */

static void test_damaged_text(void **state)
{
	static const char *const bad[] = {
		"",
		"K x\n",
		"F 0\n",
		"K x\nF 0\n",
		"K x\nF 0\nB 1\nS\nI - v ret\n",
		"K x\nF 0\nB\n",
		"I 0 i32 add\n",
		"K x\nF 0\nB\nS\nI 4000000 i32 add # #\n",
		"K x\nF 0\nB\nS\nI 0 q9 add # #\n",
		"K x\nF 0\nB\nS\nI 0 99xi32 add # #\n",
		"K x\nF 0\nB\nS\nI 0 i32 add =1,2 #\n",
		"K x\nF 0\nB z\nS\n",
		"K x\nF 0\nS\n",
		"Q\n",
		"K x\nF 0\nA 7\nB\nS\nI - v ret\n",
		"K x\nF 0\nB\nS\nI - v ret\nF 1\nI 5 i32 add # #\nB\nS\nI - v ret\n",
		"K x\nF 0\nB\nS\nI - v ret\nF 1\nS\nB\nS\nI - v ret\n",
		"K x\nF 0\nB 1\nS\nI - v br\nB\nI - v ret\n",
	};
	uint64_t rng = 9;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct cap_program *p;
		assert_true(cap_program_make(&p, bad[i], strlen(bad[i]), &error) < 0);
		assert_null(p);
	}
	/* Changed bytes end in a program or an error, never worse (the sanitizers look). */
	for (int i = 0; i < 3000; i++) {
		char text[sizeof diamond];
		struct cap_program *p;
		memcpy(text, diamond, sizeof text);
		for (uint32_t k = 1 + below(&rng, 3); k > 0; k--)
			text[below(&rng, sizeof text - 1)] =
				" 0123456789#@=,:ISBFAv\nfx"[below(&rng, 25)];
		if (cap_program_make(&p, text, sizeof text - 1, &error) == CT_OK)
			cap_program_free(p);
	}
}

static void record(struct ct_buf *b, char letter, const struct ct_buf *body)
{
	ct_buf_putc(b, letter);
	put_number(b, body ? body->len : 0);
	if (body)
		ct_buf_add(b, body->data, body->len);
}

static void numbers_record(struct ct_buf *b, char letter, unsigned n, const uint64_t *v)
{
	struct ct_buf body = {0};
	for (unsigned i = 0; i < n; i++)
		put_number(&body, v[i]);
	record(b, letter, &body);
	ct_buf_free(&body);
}

/* A whole run of the diamond kernel: one group of four items. */
static void session(struct ct_buf *b)
{
	struct ct_buf body = {0};
	numbers_record(b, CAP_HELLO, 1, (uint64_t[]){CAP_VERSION});
	numbers_record(b, CAP_COPY, 2, (uint64_t[]){CAP_GLOBAL_BASE, 64});
	ct_buf_puts(&body, diamond);
	record(b, CAP_PROGRAM, &body);
	numbers_record(b, CAP_LAUNCH, 7, (uint64_t[]){1, 1, 1, 4, 1, 1, 0});
	numbers_record(b, CAP_GROUP, 3, (uint64_t[]){0, 0, 0});
	for (uint64_t i = 0; i < 4; i++)
		numbers_record(b, CAP_ITEM, 6, (uint64_t[]){i, 0, 2 << 2, 5 << 2, 3 << 2, 4 << 2});
	record(b, CAP_GROUP_END, NULL);
	record(b, CAP_LAUNCH_END, NULL);
	record(b, CAP_DONE, NULL);
	ct_buf_free(&body);
}

static int read_session(const char *p, size_t n, struct cap_result *r, int *done)
{
	const char *dir = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char path[512];
	struct ct_folder *sink;
	struct ct_folder_options so = {.compress = CT_FOLDER_PLAIN};
	struct cap_options o = {.warp = 32};
	int fd[2];
	snprintf(path, sizeof path, "%s/capture-unit-%ld", dir, (long)getpid());
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], p, n), (ssize_t)n); /* fits the pipe's buffer */
	close(fd[1]);
	assert_int_equal(ct_folder_open(&sink, path, &so, &error), CT_OK);
	assert_int_equal(ct_folder_begin(sink, NULL, "test", &error), CT_OK);
	int st = cap_read(sink, fd[0], &o, r, done, &error);
	ct_folder_abort(sink);
	close(fd[0]);
	return st;
}

static void test_sessions(void **state)
{
	struct ct_buf b = {0};
	struct cap_result r;
	int done;
	uint64_t rng = 21;
	(void)state;
	session(&b);
	assert_int_equal(read_session(b.data, b.len, &r, &done), CT_OK);
	assert_true(done);
	assert_int_equal(r.launches, 1);
	/* S2R ISETP BRA; CALL IADD3; IMAD RET; EXIT */
	assert_int_equal(r.warp_insts, 8);
	/* Cut anywhere: never done. */
	for (size_t n = 0; n < b.len; n++) {
		read_session(b.data, n, &r, &done);
		assert_false(done);
	}
	for (int i = 0; i < 1500; i++) {
		char *copy = malloc(b.len);
		assert_non_null(copy);
		memcpy(copy, b.data, b.len);
		copy[below(&rng, (uint32_t)b.len)] = (char)below(&rng, 256);
		read_session(copy, b.len, &r, &done);
		free(copy);
	}
	ct_buf_free(&b);
}

/* The head of a record says a gigabyte, nothing follows: no room is asked for what has not come. */
static void test_length_is_not_believed(void **state)
{
	static const char head[] = {CAP_ITEM, (char)0xff, (char)0xff, (char)0xff, (char)0xff, 3};
	const rlim_t small = 1 << 29;
	struct rlimit before;
	struct cap_result r;
	int done = 0;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	if (!CT_ADDRESS_SANITIZER) /* its shadow alone takes terabytes of them */
		assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){small, before.rlim_max}), 0);
	int st = read_session(head, sizeof head, &r, &done);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(st, CT_OK);
	assert_false(done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_post_dominators),
		cmocka_unit_test(test_lockstep_keeps_every_lane),
		cmocka_unit_test(test_lanes_meet_again),
		cmocka_unit_test(test_registers_hold_their_values),
		cmocka_unit_test(test_loop_needs_no_moves),
		cmocka_unit_test(test_wide_accesses_are_cut),
		cmocka_unit_test(test_damaged_text),
		cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_length_is_not_believed),
	};
	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}

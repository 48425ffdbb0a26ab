/* Matrix products of a warp, their loads from shared memory, asynchronous copies: against plain sums,
 * with the fragments of the PTX ISA written out once more. */
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

enum { WORDS = 16 }; /* of a lane in the buffer: a, then b, then c, then d */

/* One product: text of the instruction, how many registers each operand has, and of how many bits. */
struct product {
	const char *text;
	unsigned a, b, c, rows, depth, element; /* element: bits of a factor's element */
	char kind;                              /* h: halves, b: bfloat16, t: tf32, i: signed bytes */
};

static uint32_t bits_of(char kind, int v)
{
	float f = (float)v;
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	if (kind == 't')
		return u;
	if (kind == 'b')
		return u >> 16;
	if (kind == 'i')
		return (uint32_t)v & 255;
	/* Halves of small integers: exponent and the leading bits. */
	return v == 0 ? 0 : (v < 0 ? 0x8000u : 0) | (((u >> 23 & 255) - 112) << 10) | (u >> 13 & 1023);
}

/* Place of element i (counted through the registers) of a lane, as the ISA's tables have it. */
static void place_a(const struct product *p, unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
	unsigned each = 32 / p->element, reg = i / each;
	*row = lane / 4 + (reg % 2 ? 8 : 0);
	*column = lane % 4 * each + i % each + (reg >= 2 ? 4 * each : 0);
}

static void place_b(const struct product *p, unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
	unsigned each = 32 / p->element;
	*row = lane % 4 * each + i % each + (i >= each ? 4 * each : 0);
	*column = lane / 4;
}

static void make_text(struct ct_buf *b, const struct product *p)
{
	static const char *const names[] = {"a", "b", "c"};
	const unsigned n[] = {p->a, p->b, p->c};
	unsigned at = 0;
	ct_buf_puts(
		b, PTX_HEAD
		".entry k(.param .u64 p) {\n.reg .b32 %r<2>;\n.reg .b64 %q<3>;\n.reg .b32 a<4>, b<4>, c<4>, d<4>;\n"
		"ld.param.u64 %q0, [p];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %q1, %r0, 64, %q0;\n");
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < n[k]; i++, at++)
			ct_buf_printf(b, "ld.global.b32 %s%u, [%%q1+%u];\n", names[k], i, 4 * at);
	ct_buf_printf(b, "%s\n", p->text);
	for (unsigned i = 0; i < p->c; i++)
		ct_buf_printf(b, "st.global.b32 [%%q1+%u], d%u;\n", 4 * (12 + i), i);
	ct_buf_puts(b, "ret;\n}\n");
}

static int result_of(const struct product *p, uint32_t word, unsigned i)
{
	float f;
	if (p->kind == 'i')
		return (int)word;
	if (p->c == 2) { /* halves: undo bits_of */
		for (int v = -2000; v <= 2000; v++)
			if (bits_of('h', v) == (word >> 16 * (i & 1) & 0xffff))
				return v;
		return -9999;
	}
	memcpy(&f, &word, sizeof f);
	return (int)f;
}

static void check_product(const struct product *p)
{
	uint32_t buffer[32][WORDS];
	int a[16][32], b[32][8], c[16][8];
	uint64_t seed = p->depth;
	struct ct_buf text = {0};
	memset(buffer, 0, sizeof buffer);
	for (unsigned i = 0; i < 16; i++)
		for (unsigned k = 0; k < 32; k++) {
			a[i][k] = (int)(ct_rand64(&seed) % 15) - 7;
			b[k][i % 8] = (int)(ct_rand64(&seed) % 15) - 7;
			c[i][k % 8] = (int)(ct_rand64(&seed) % 100) - 50;
		}
	for (unsigned lane = 0; lane < 32; lane++) {
		unsigned row, column, each = 32 / p->element;
		for (unsigned i = 0; i < p->a * each; i++) {
			place_a(p, lane, i, &row, &column);
			buffer[lane][i / each] |= bits_of(p->kind, a[row][column])
			                          << p->element * (i % each);
		}
		for (unsigned i = 0; i < p->b * each; i++) {
			place_b(p, lane, i, &row, &column);
			buffer[lane][p->a + i / each] |= bits_of(p->kind, b[row][column])
			                                 << p->element * (i % each);
		}
		for (unsigned i = 0; i < 4; i++) {
			uint32_t v = bits_of(p->c == 2        ? 'h'
			                     : p->kind == 'i' ? 'i'
			                                      : 't',
			                     c[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2]);
			if (p->kind == 'i')
				v = (uint32_t)c[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2];
			buffer[lane][p->a + p->b + (p->c == 2 ? i / 2 : i)] |=
				p->c == 2 ? v << 16 * (i % 2) : v;
		}
	}
	make_text(&text, p);
	ptx_must_run(text.data, 1, 32, buffer, sizeof buffer);
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < 4; i++) {
			unsigned row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
			int sum = c[row][column];
			for (unsigned k = 0; k < p->depth; k++)
				sum += a[row][k] * b[k][column];
			assert_int_equal(result_of(p, buffer[lane][12 + (p->c == 2 ? i / 2 : i)], i),
			                 sum);
		}
	ct_buf_free(&text);
}

static void products(void **state)
{
	(void)state;
#define D4 "{d0, d1, d2, d3}"
#define C4 "{c0, c1, c2, c3}"
	static const struct product known[] = {
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " D4
	         ", {a0, a1, a2, a3}, {b0, b1}, " C4 ";",
	         4, 2, 4, 16, 16, 16, 'h'},
		{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {d0, d1}, {a0, a1}, {b0}, {c0, c1};",
	         2, 1, 2, 16, 8, 16, 'h'},
		{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " D4
	         ", {a0, a1, a2, a3}, {b0, b1}, " C4 ";",
	         4, 2, 4, 16, 16, 16, 'b'},
		{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " D4
	         ", {a0, a1, a2, a3}, {b0, b1}, " C4 ";",
	         4, 2, 4, 16, 8, 32, 't'},
		{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " D4 ", {a0, a1}, {b0}, " C4 ";", 2,
	         1, 4, 16, 4, 32, 't'},
		{"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " D4
	         ", {a0, a1, a2, a3}, {b0, b1}, " C4 ";",
	         4, 2, 4, 16, 32, 8, 'i'},
		{"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 " D4 ", {a0, a1}, {b0}, " C4
	         ";",
	         2, 1, 4, 16, 16, 8, 'i'}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		check_product(&known[i]);
}

enum { QUAD_WORDS = 20 }; /* of a lane: two of a, two of b, eight of c, eight of d */

/* One product by quads, as the ISA's tables have it: lanes below 16 hold rows or columns 0 to 3, those above 4 to 7. */
static void check_quads(const char *orders, int halves)
{
	const int a_turned = orders[0] == 'c', b_turned = orders[4] == 'r';
	const unsigned n = halves ? 4 : 8;
	uint32_t buffer[32][QUAD_WORDS];
	int a[4][8][4], b[4][4][8], c[4][8][8];
	uint64_t seed = n + (unsigned)orders[0];
	struct ct_buf text = {0};
	memset(buffer, 0, sizeof buffer);
	for (unsigned q = 0; q < 4; q++)
		for (unsigned i = 0; i < 64; i++) {
			a[q][i / 8][i % 4] = (int)(ct_rand64(&seed) % 15) - 7;
			b[q][i % 4][i / 8] = (int)(ct_rand64(&seed) % 15) - 7;
			c[q][i / 8][i % 8] = (int)(ct_rand64(&seed) % 100) - 50;
		}
#define C_OF(lane, i) \
	c[(lane) % 16 / 4] \
	 [halves ? (lane) % 4 + (lane) / 16 * 4 : ((lane)&1) + ((i)&2) + (lane) / 16 * 4] \
	 [halves ? (i) : ((i)&4) + ((lane)&2) + ((i)&1)]
	for (unsigned lane = 0; lane < 32; lane++) {
		const unsigned q = lane % 16 / 4, four = lane / 16 * 4, in = lane % 4;
		for (unsigned i = 0; i < 4; i++) {
			buffer[lane][i / 2] |= bits_of('h', a_turned ? a[q][i + four][in]
			                                             : a[q][in + four][i])
			                       << 16 * (i % 2);
			buffer[lane][2 + i / 2] |=
				bits_of('h', b_turned ? b[q][in][i + four] : b[q][i][in + four])
				<< 16 * (i % 2);
		}
		for (unsigned i = 0; i < 8; i++)
			buffer[lane][4 + (halves ? i / 2 : i)] |=
				bits_of(halves ? 'h' : 't', C_OF(lane, i))
				<< (halves ? 16 * (i % 2) : 0);
	}
	ct_buf_puts(&text, PTX_HEAD
	            ".entry k(.param .u64 p) {\n.reg .b32 %r<2>, a<2>, b<2>, c<8>;\n.reg .b64 %q<2>;\n"
	            "ld.param.u64 %q0, [p];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %q1, %r0, 80, %q0;\n");
	for (unsigned i = 0; i < 4 + n; i++)
		ct_buf_printf(&text, "ld.global.b32 %c%u, [%%q1+%u];\n",
		              i < 2   ? 'a'
		              : i < 4 ? 'b'
		                      : 'c',
		              i < 4 ? i % 2 : i - 4, 4 * i);
	const char *sums = halves ? "{c0, c1, c2, c3}" : "{c0, c1, c2, c3, c4, c5, c6, c7}";
	const char *type = halves ? "f16" : "f32";
	ct_buf_printf(&text, "mma.sync.aligned.m8n8k4.%s.%s.f16.f16.%s %s, {a0, a1}, {b0, b1}, %s;\n",
	              orders, type, type, sums, sums);
	for (unsigned i = 0; i < n; i++)
		ct_buf_printf(&text, "st.global.b32 [%%q1+%u], c%u;\n", 48 + 4 * i, i);
	ct_buf_puts(&text, "ret;\n}\n");
	ptx_must_run(text.data, 1, 32, buffer, sizeof buffer);
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < 8; i++) {
			const unsigned q = lane % 16 / 4;
			const unsigned row = (unsigned)(&C_OF(lane, i) - &c[q][0][0]) / 8,
				       column = (unsigned)(&C_OF(lane, i) - &c[q][0][0]) % 8;
			const struct product as = {.c = halves ? 2 : 8, .kind = 'h'};
			int sum = c[q][row][column];
			for (unsigned k = 0; k < 4; k++)
				sum += a[q][row][k] * b[q][k][column];
			assert_int_equal(result_of(&as, buffer[lane][12 + (halves ? i / 2 : i)], i),
			                 sum);
		}
#undef C_OF
	ct_buf_free(&text);
}

static void quads(void **state)
{
	(void)state;
	check_quads("row.col", 0);
	check_quads("col.row", 0);
	check_quads("row.row", 1);
	check_quads("col.col", 1);
}

/* A copy to shared memory, part of it filled with zeros; then its matrices, plain and transposed. */
static void copies(void **state)
{
	(void)state;
	struct {
		uint16_t from[4][8][8];
		uint32_t plain[32][4], turned[32][2], moved[32], generic[32];
	} b;
	memset(&b, 0, sizeof b);
	for (unsigned i = 0; i < 256; i++)
		b.from[i / 64][i / 8 % 8][i % 8] = (uint16_t)(i + 1);
	ptx_must_run(
		PTX_HEAD
		".entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .pred %p;\n.reg .b64 %q<9>;\n.shared .align 16 .b8 s[512];\n"
		"ld.param.u64 %q0, [p];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %q1, %r0, 16, %q0;\nmov.u32 %r1, s;\nmad.lo.s32 %r1, %r0, 16, %r1;\n"
		"setp.eq.s32 %p, %r0, 9;\nselp.b32 %r2, 6, 16, %p;\ncp.async.cg.shared.global [%r1], [%q1], 16, %r2;\n"
		"cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
		"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];\nst.global.v4.b32 [%q1+512], {%r2, %r3, %r4, %r5};\n"
		"ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%r6, %r7}, [%r1];\nmad.wide.u32 %q2, %r0, 8, %q0;\n"
		"st.global.v2.b32 [%q2+1024], {%r6, %r7};\nmad.wide.u32 %q2, %r0, 4, %q0;\n"
		"movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r4;\nst.global.b32 [%q2+1280], %r4;\n"
		"cvt.u64.u32 %q3, %r1;\ncvta.shared.u64 %q3, %q3;\nldmatrix.sync.aligned.m8n8.x1.b16 {%r4}, [%q3+128];\n"
		"st.global.b32 [%q2+1408], %r4;\n"
		"applypriority.global.L2::evict_normal [%q0], 128;\nret;\n}\n",
		1, 32, &b, sizeof b);
	memset(&b.from[1][1][3], 0, 10); /* lane 9 copied 6 bytes */
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < 4; i++) {
			unsigned row = lane / 4, column = lane % 4 * 2;
			assert_int_equal(
				b.plain[lane][i],
				b.from[i][row][column] | (uint32_t)b.from[i][row][column + 1] << 16);
			if (i < 2)
				assert_int_equal(b.turned[lane][i],
				                 b.from[i][column][row] |
				                         (uint32_t)b.from[i][column + 1][row] << 16);
			if (i == 1)
				assert_int_equal(b.generic[lane], b.plain[lane][i]);
			if (i == 2)
				assert_int_equal(b.moved[lane],
				                 b.from[i][column][row] |
				                         (uint32_t)b.from[i][column + 1][row] << 16);
		}
}

/* Matrices lie in shared memory, however they are addressed. */
static void elsewhere(void **state)
{
	_Alignas(16) uint32_t b[64] = {0};
	struct ct_ptx_fault fault;
	struct ct_error e = {0};
	struct ct_ptx_module *m = ptx_must_read(
		PTX_HEAD
		".entry k(.param .u64 p) {\n.reg .b32 %r<2>;\n.reg .b64 %q<2>;\nld.param.u64 %q0, [p];\n"
		"ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%q0];\nret;\n}\n");
	(void)state;
	assert_int_equal(ptx_run(m, 1, 32, b, sizeof b, 1000, &fault, &e), CT_ERR_INPUT);
	assert_int_equal(fault.kind, CT_PTX_OUT_OF_RANGE);
	assert_int_equal(fault.space, CT_PTX_GLOBAL);
	ct_ptx_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(quads),
	                                   cmocka_unit_test(copies), cmocka_unit_test(elsewhere)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

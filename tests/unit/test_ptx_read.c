/* The reader of PTX: layouts, variables, and how it refuses what it does not know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/ptx.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

static struct ct_ptx_module *must_read(const char *text)
{
	struct ct_ptx_module *m = NULL;
	struct ct_error e = {0};
	if (ct_ptx_read(&m, text, strlen(text), "t.ptx", &e) < 0)
		fail_msg("%s", e.text);
	return m;
}

/* Offsets of parameters follow their alignment; shared and local sizes are sums with gaps. */
static void layouts(void **state)
{
	(void)state;
	struct ct_ptx_module *m = must_read(
		HEAD
		".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b, .param .u16 c,\n"
		"\t.param .align 16 .b8 d[20], .param .f32 e) .maxntid 16, 8, 1 .minnctapersm 2 {\n"
		".reg .b32 %r<3>;\n.shared .align 8 .b8 s[12];\n.shared .f64 t;\n.local .align 16 .b8 l[24];\n"
		"ld.param.u32 %r1, [d+4];\nret;\n}\n");
	const struct ct_ptx_kernel *k = ct_ptx_find_kernel(m, "k");
	assert_non_null(k);
	assert_ptr_equal(k, ct_ptx_kernel_at(m, 0));
	assert_int_equal(ct_ptx_kernel_count(m), 1);
	assert_null(ct_ptx_find_kernel(m, "K"));
	assert_int_equal(k->nparams, 5);
	const uint32_t offset[] = {0, 8, 16, 32, 52};
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(k->params[i].offset, offset[i]);
	assert_int_equal(k->param_bytes, 56);
	assert_int_equal(k->shared_bytes, 24);
	assert_int_equal(k->local_bytes, 24);
	assert_int_equal(k->max_threads[0], 16);
	assert_int_equal(k->max_threads[1], 8);
	assert_int_equal(k->min_ctas, 2);
	assert_int_equal(k->instructions, 2);
	struct ct_ptx_instruction i = ct_ptx_instruction_at(m, k->first_instruction);
	assert_string_equal(i.opcode, "ld.param.u32");
	assert_int_equal(i.line, 10);
	assert_int_equal(ct_ptx_version(m), 63);
	assert_int_equal(ct_ptx_target(m), 70);
	ct_ptx_free(m);
}

/* Decimal numbers are rounded right, whatever the locale's decimal point. */
static void decimals(void **state)
{
	static const double want[] = {0.1, 1.25e3, 12.5e-2, 1.0e23, 3.14159265358979, 4.9e-324};
	double got[6];
	(void)state;
	struct ct_ptx_module *m = must_read(
		HEAD
		".global .f64 h[6] = {0.1, 1.25e3, 12.5e-2, 1.0e23, 3.14159265358979, 4.9e-324};\n");
	memcpy(got, ct_ptx_find_variable(m, "h")->storage, sizeof got);
	assert_memory_equal(got, want, sizeof got);
	ct_ptx_free(m);
}

/* Initial values of every kind; addresses of other variables, also of later ones. */
static void variables(void **state)
{
	(void)state;
	struct ct_ptx_module *m = must_read(
		HEAD
		".const .align 4 .b8 c[8] = {1, 2, 0xff, -1};\n"
		".global .align 8 .u64 p[2] = {generic(g)+8, 5};\n"
		".global .f64 g[3] = {0d3FF0000000000000, 1.5, -2.0};\n"
		".global .f32 f = 0f40490FDB;\n.global .u32 zero;\n.extern .global .u32 elsewhere;\n"
		".global .s16 grid[2][2] = {{1, -2}, {3}};\n");
	assert_int_equal(ct_ptx_variable_count(m), 7);
	const struct ct_ptx_variable *c = ct_ptx_find_variable(m, "c"),
				     *g = ct_ptx_find_variable(m, "g");
	assert_memory_equal(c->storage, "\1\2\377\377\0\0\0\0", 8);
	assert_int_equal(c->space, CT_PTX_CONST);
	double d[3];
	memcpy(d, g->storage, sizeof d);
	assert_true(d[0] == 1.0 && d[1] == 1.5 && d[2] == -2.0);
	uint64_t p[2];
	memcpy(p, ct_ptx_find_variable(m, "p")->storage, sizeof p);
	assert_int_equal(p[0], (uint64_t)(uintptr_t)g->storage + 8);
	assert_int_equal(p[1], 5);
	assert_memory_equal(ct_ptx_find_variable(m, "f")->storage, "\xdb\x0f\x49\x40", 4);
	assert_memory_equal(ct_ptx_find_variable(m, "zero")->storage, "\0\0\0\0", 4);
	assert_memory_equal(ct_ptx_find_variable(m, "grid")->storage, "\1\0\376\377\3\0\0\0", 8);
	assert_null(ct_ptx_find_variable(m, "elsewhere")->storage);
	ct_ptx_free(m);
}

/* Every refusal names the line and what it does not know. */
static void refusals(void **state)
{
	(void)state;
#define BODY(text) \
	HEAD ".entry k(.param .u64 a) {\n.reg .pred %p<3>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n" text \
	     "\nret;\n}\n"
	static const struct {
		const char *text;
		int status;
		const char *says;
	} bad[] = {
		{"int main(void) { }", CT_ERR_INPUT, "t.ptx:1: "},
		{".version 5.0\n", CT_ERR_UNSUPPORTED, "versions 6.0 to 8.9"},
		{".version 6.3\n.address_size 32\n", CT_ERR_UNSUPPORTED,
	         "t.ptx:2: addresses of 32 bits"},
		{HEAD ".global .u32 a;\n.global .u32 a;\n", CT_ERR_INPUT,
	         "t.ptx:5: a is declared twice"},
		{HEAD ".global .u32 a[2] = {1,2,3};\n", CT_ERR_INPUT, "t.ptx:4: more initial values"},
		{HEAD ".global .u64 a = generic(b);\n", CT_ERR_INPUT, "t.ptx:4: b has no address"},
		{HEAD ".entry k() {", CT_ERR_INPUT, "is it cut short"},
		{BODY("add.s32 %r1, %r2;"), CT_ERR_INPUT, "t.ptx:9: add.s32 has 2 operands where 3"},
		{BODY("add.s33 %r1, %r2, 1;"), CT_ERR_UNSUPPORTED,
	         "t.ptx:9: add.s33: '.s33' is not known here"},
		{BODY("add.s32 %rd1, %r2, 1;"), CT_ERR_UNSUPPORTED, "t.ptx:9: add.s32"},
		{BODY("add.s32 %r9, %r2, 1;"), CT_ERR_UNSUPPORTED, "t.ptx:9: add.s32"},
		{BODY("add.f32 %f1, %f2, 1;"), CT_ERR_UNSUPPORTED, "an integer where a floating-point"},
		{BODY("frob.s32 %r1, %r2;"), CT_ERR_UNSUPPORTED,
	         "frob.s32: no instruction of that name"},
		{BODY("cvt.s32.f32 %r1, %f1;"), CT_ERR_UNSUPPORTED, "needs .rni"},
		{BODY("setp.lo.s32 %p1, %r1, 2;"), CT_ERR_UNSUPPORTED, "setp.lo.s32"},
		{BODY("setp.lt.f16x2 %p1|%p2, %r1, %r2;"), CT_ERR_UNSUPPORTED, "comparisons of pairs"},
		{BODY("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%r1}, {%r2}, {%f2};"),
	         CT_ERR_UNSUPPORTED, "use mma"},
		{BODY("tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r3}, [a, {%r1}];"), CT_ERR_UNSUPPORTED,
	         "no texture"},
		{BODY("bra nowhere;"), CT_ERR_INPUT, "t.ptx:9: nowhere is no label"},
		{BODY("x:\nx:\n"), CT_ERR_INPUT, "t.ptx:10: label x stands twice"},
		{BODY("call f, ();"), CT_ERR_INPUT, "f is no function that is declared"},
		{BODY("ld.param.u64 %rd1, [a+4];"), CT_ERR_UNSUPPORTED,
	         "behind the kernel's parameters"},
		{BODY("ld.param.u16 %rd1, [a+1];"), CT_ERR_UNSUPPORTED, "no multiple of the size"},
		{BODY("ld.shared.u64 %rd1, [a];"), CT_ERR_UNSUPPORTED, "another state space"},
		{BODY("ld.u64 %r1, [%rd1];"), CT_ERR_UNSUPPORTED, "narrower than the access"},
		{BODY("wgmma.fence.sync.aligned;"), CT_ERR_UNSUPPORTED, "Hopper"},
		{BODY("vadd4.u32.u32.u32 %r1.b4, %r2, %r2, %r2;"), CT_ERR_UNSUPPORTED,
	         "parts of a result"},
		{BODY("vadd4.u32.u32.u32 %r1, %r2.b32, %r2, %r2;"), CT_ERR_UNSUPPORTED,
	         "parts of an operand"},
		{BODY("vadd.u32.u32.u32 %r1, %r2.h2, %r2;"), CT_ERR_UNSUPPORTED, "a part is one of"},
		{BODY("vadd.u32.u32.u32 %r1, %r2., %r2;"), CT_ERR_UNSUPPORTED, "a part is one of"},
		{BODY("vadd2.u32.u32.u32.sat.add %r1, %r2, %r2, %r2;"), CT_ERR_UNSUPPORTED, "vadd2"},
		{BODY("vadd.u32.u32.u32.add %r1.b0, %r2, %r2, %r2;"), CT_ERR_UNSUPPORTED,
	         "a whole word"},
		{BODY("vshl.u32.u32.u32 %r1, %r2, %r2;"), CT_ERR_UNSUPPORTED, ".clamp and .wrap"},
		{BODY("add.u32 %r1.b0, %r2, %r2;"), CT_ERR_UNSUPPORTED, "add.u32"},
		{BODY("mov.u32 %r1, 0x1ffffffffffffffff;"), CT_ERR_INPUT, "more than 64 bits"},
		{BODY("@%r1 bra x;"), CT_ERR_INPUT, "'%r1' is no predicate"},
		{BODY("/* open"), CT_ERR_INPUT, "a comment that does not end"}};
#undef BODY
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ct_ptx_module *m = (void *)state;
		struct ct_error e = {0};
		assert_int_equal(ct_ptx_read(&m, bad[i].text, strlen(bad[i].text), "t.ptx", &e),
		                 bad[i].status);
		assert_null(m);
		assert_int_equal(e.status, bad[i].status);
		if (!strstr(e.text, bad[i].says))
			fail_msg("'%s' where '%s' should be", e.text, bad[i].says);
	}
}

/* Any prefix of a module ends in a module or in an error: never in a read behind its end. */
static void prefixes(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".global .f32 g[2] = {1.0, 0f3F800000};\n.func (.param .b32 r) f(.param .b32 a) {\n"
		".reg .b32 %r<2>; ld.param.b32 %r0, [a]; st.param.b32 [r], %r0; ret; }\n"
		".entry k(.param .u64 a) { .reg .pred %p; .reg .b32 %r<4>;\n{ .param .b32 x; .param .b32 y;\n"
		"st.param.b32 [x], 3; call.uni (y), f, (x); ld.param.b32 %r1, [y]; }\n"
		"setp.eq.s32 %p, %r1, 3; @%p bra L; t: .branchtargets L, M; brx.idx %r1, t; M: mov.b32 %r2, -1; L: ret; }";
	for (size_t n = 0; n <= sizeof text - 1; n++) {
		struct ct_ptx_module *m;
		struct ct_error e = {0};
		char *copy = malloc(n ? n : 1); /* so that a sanitizer sees its end */
		assert_non_null(copy);
		memcpy(copy, text, n);
		int rc = ct_ptx_read(&m, copy, n, "t", &e);
		if (n == sizeof text - 1)
			assert_int_equal(rc, CT_OK);
		assert_true((rc < 0) == (m == NULL));
		ct_ptx_free(m);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts), cmocka_unit_test(variables), cmocka_unit_test(decimals),
		cmocka_unit_test(refusals), cmocka_unit_test(prefixes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

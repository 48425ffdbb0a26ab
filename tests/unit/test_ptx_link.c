/* Joining PTX texts: what becomes of names that two texts have, who needs whom, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/emulate.h"
#include "ptx/link.h"
#include "ptx/ptx.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"
#define ADDS(name, n) \
	"(.param .b32 r) " name "(.param .b32 p)\n{ .reg .b32 %r<3>; ld.param.b32 %r1, [p];" \
	" add.s32 %r2, %r1, " n "; st.param.b32 [r], %r2; ret; }\n"
#define CALL(name) \
	"{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call.uni (b), " name ", (a);" \
	" ld.param.b32 %r1, [b]; }\n"
#define ENTRY(name, body) \
	".visible .entry " name "(.param .u64 q) { .reg .b32 %r<4>; .reg .b64 %rd<2>;" \
	" ld.param.u64 %rd1, [q]; ld.global.u32 %r1, [%rd1];\n" body \
	"st.global.u32 [%rd1], %r1; ret; }\n"
#define DECLARE(name) "(.param .b32 r) " name "(.param .b32 p);\n"

static struct ct_ptx_linker *linker_of(const char *const *text, size_t n)
{
	struct ct_ptx_linker *l;
	struct ct_error e;
	assert_int_equal(ct_ptx_linker_create(&l, &e), CT_OK);
	for (size_t i = 0; i < n; i++) {
		char name[] = {(char)('a' + i), '\0'};
		if (ct_ptx_linker_add(l, name, text[i], strlen(text[i]), &e) != CT_OK)
			fail_msg("%s", e.text);
	}
	return l;
}

static struct ct_ptx_module *read_joined(struct ct_ptx_linker *l, struct ct_buf *out)
{
	struct ct_ptx_module *m = NULL;
	struct ct_error e;
	if (ct_ptx_linker_join(l, out, &e) != CT_OK ||
	    ct_ptx_read(&m, out->data, out->len, "joined", &e) != CT_OK)
		fail_msg("%s\n%s", e.text, out->data ? out->data : "");
	return m;
}

/* Runs a kernel on one number. */
static int run(const struct ct_ptx_module *m, const char *kernel, int number)
{
	struct ct_error e;
	struct ct_ptx_result r;
	struct ct_ptx_memory *memory;
	int place = number;
	uint64_t address = (uint64_t)(uintptr_t)&place;
	assert_int_equal(ct_ptx_memory_create(&memory, &e), CT_OK);
	assert_int_equal(ct_ptx_memory_add(memory, &place, sizeof place, &e), CT_OK);
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_find_kernel(m, kernel),
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.params = &address,
		.param_bytes = sizeof address,
		.memory = memory,
		.max_steps = 1000};
	assert_non_null(l.kernel);
	if (ct_ptx_launch(&l, &r, &e) != CT_OK)
		fail_msg("%s", e.text);
	ct_ptx_memory_free(memory);
	return place;
}

static unsigned times(const char *text, const char *word)
{
	unsigned n = 0;
	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

/* Functions both ways, a variable, a function that both texts have for themselves, one that both have in common. */
static void texts_become_one(void **state)
{
	static const char *const text[] = {
		HEAD ".extern .func " DECLARE("there") ".func " DECLARE(
			"own") ".extern .global .u32 v;\n"
			       ".global .b8 str[2] = {97, 0};\n"
			       ".weak .func " ADDS("common", "1000") ".visible .func " ADDS(
				       "here", "10000") ".func " ADDS("own", "1")
				       ENTRY("k",
	                                     CALL("own") CALL("there") CALL(
						     "common") "ld.global.u32 %r2, [v]; add.s32 %r1, %r1, %r2;\n"),
		".version 7.0\n.target sm_80, debug\n.address_size 64\n"
		".visible .global .u32 v = 7;\n.global .b8 str[2] = {98, 0};\n.global .u64 where = str;\n"
		".extern .func " DECLARE("here") ".weak .func " ADDS("common", "1000") ".func " ADDS(
			"own",
			"100000") ".visible .func (.param .b32 r) there(.param .b32 p)\n{ .reg .b32 %r<3>;\n"
				  "ld.param.b32 %r1, [p];\n" CALL("own")
					  CALL("here") "st.param.b32 [r], %r1; ret; }\n"};
	struct ct_buf out = {0};
	uint32_t group[2];
	(void)state;
	struct ct_ptx_linker *l = linker_of(text, 2);
	ct_ptx_linker_groups(l, group);
	assert_int_equal(group[1], 0);
	struct ct_ptx_module *m = read_joined(l, &out);
	assert_int_equal(run(m, "k", 0), 111008);
	assert_int_equal(ct_ptx_version(m), 70);
	assert_int_equal(ct_ptx_target(m), 80);
	assert_string_equal(ct_ptx_linker_name(l, 0, "own"), "own");
	assert_string_equal(ct_ptx_linker_name(l, 1, "own"), "own$2");
	assert_string_equal(ct_ptx_linker_name(l, 1, "there"), "there");
	const struct ct_ptx_variable *v = ct_ptx_find_variable(m, "v"),
				     *first = ct_ptx_find_variable(m, "str"),
				     *second = ct_ptx_find_variable(m, "str$2"),
				     *where = ct_ptx_find_variable(m, "where");
	assert_true(v && *(const int *)v->storage == 7);
	assert_true(first && second && where);
	assert_int_equal(*(const char *)first->storage, 'a');
	assert_int_equal(*(const char *)second->storage, 'b');
	assert_ptr_equal(*(void *const *)where->storage, second->storage);
	assert_null(strstr(out.data, ".extern"));
	ct_ptx_free(m);
	ct_ptx_linker_free(l);
	ct_buf_free(&out);
}

/* Kernels that clang made visible although each is its text's own, and numbers of files. */
static void twins_and_files_are_told_apart(void **state)
{
	static const char *const text[] = {
		HEAD ".visible .func " ADDS("f", "1") ENTRY(
			"k", ".loc 2 5 0\nadd.s32 %r1, %r1, 1;\n") ".file 1 \"x.h\"\n.file 2 \"a.cu\"\n",
		HEAD ".extern .func " DECLARE("f")
			ENTRY("k", ".loc 1 6 0\nadd.s32 %r1, %r1, 2;\n" CALL(
					   "f")) ".file 1 \"b.cu\"\n.section .debug_str { .b8 1 }\n"};
	struct ct_buf out = {0};
	(void)state;
	struct ct_ptx_linker *l = linker_of(text, 2);
	struct ct_ptx_module *m = read_joined(l, &out);
	assert_int_equal(run(m, "k", 0), 1);
	assert_int_equal(run(m, ct_ptx_linker_name(l, 1, "k"), 0), 3);
	unsigned a = 0, b = 0;
	for (size_t i = 0; i < ct_ptx_instruction_count(m); i++) {
		struct ct_ptx_source s = ct_ptx_source_of(m, i);
		a += s.file && strcmp(s.file, "a.cu") == 0 && s.line == 5;
		b += s.file && strcmp(s.file, "b.cu") == 0 && s.line == 6;
	}
	assert_true(a > 0 && b > 0);
	assert_int_equal(times(out.data, ".section"), 0);
	ct_ptx_free(m);
	ct_ptx_linker_free(l);
	ct_buf_free(&out);
}

/* Texts that need nothing of each other are groups of their own, whatever names they have. */
static void groups_follow_needs(void **state)
{
	static const char *const text[] = {
		HEAD ".visible .func " ADDS("f", "1"), HEAD ".visible .func " ADDS("f2", "1"),
		HEAD
		".extern .func " DECLARE("f") ".visible .const .u32 c = 1;\n.extern .shared .b8 s[];\n",
		HEAD ".visible .func " ADDS("f3", "1") ".extern .func " DECLARE(
			"vprintf") ".extern .shared .b8 s[];\n",
		HEAD ".extern .const .u32 c;\n"};
	uint32_t group[5], want[] = {0, 1, 0, 3, 0};
	(void)state;
	struct ct_ptx_linker *l = linker_of(text, 5);
	ct_ptx_linker_groups(l, group);
	assert_memory_equal(group, want, sizeof want);
	ct_ptx_linker_free(l);
	assert_int_equal(ct_ptx_asks_for_others(text[0]), 0);
	assert_int_equal(ct_ptx_asks_for_others(text[2]), 1);
	assert_int_equal(ct_ptx_asks_for_others(text[3]), 0);
	assert_int_equal(ct_ptx_asks_for_others(text[4]), 1);
	assert_int_equal(ct_ptx_asks_for_others(HEAD ".extern .func"), 1);
}

/* A .visible definition goes before a .weak one, in any order; what nobody has stays declared, once. */
static void strong_goes_before_weak(void **state)
{
	static const char *const text[] = {
		HEAD ".weak .func " ADDS("f", "1") ".extern .func " DECLARE(
			"none") ".extern .shared .b8 s[];\n" ENTRY("k", CALL("f")),
		HEAD ".visible .func " ADDS("f", "2") ".extern .func " DECLARE(
			"none") ".extern .shared .b8 s[];\n"};
	(void)state;
	for (unsigned turned = 0; turned < 2; turned++) {
		const char *both[] = {text[turned], text[!turned]};
		struct ct_buf out = {0};
		struct ct_ptx_linker *l = linker_of(both, 2);
		struct ct_ptx_module *m = read_joined(l, &out);
		assert_int_equal(run(m, "k", 0), 2);
		assert_int_equal(times(out.data, "none"), 1);
		assert_int_equal(times(out.data, ".extern .shared"), 1);
		ct_ptx_free(m);
		ct_ptx_linker_free(l);
		ct_buf_free(&out);
	}
}

static int is_kept(const void *ctx, const char *name)
{
	return strcmp(name, ctx) == 0;
}

static void variables_are_picked(void **state)
{
	static const char *const text[] = {
		HEAD
		".visible .global .u32 a = 3;\n.visible .global .u32 b = 4;\n.extern .global .u32 c;\n"
		".extern .func " DECLARE("f") ENTRY("k", CALL("f"))};
	struct ct_buf out = {0};
	struct ct_error e;
	struct ct_ptx_module *m;
	(void)state;
	struct ct_ptx_linker *l = linker_of(text, 1);
	assert_int_equal(ct_ptx_linker_pick(l, is_kept, "b", &out, &e), CT_OK);
	assert_int_equal(ct_ptx_read(&m, out.data, out.len, "picked", &e), CT_OK);
	assert_int_equal(ct_ptx_variable_count(m), 1);
	assert_int_equal(*(const int *)ct_ptx_find_variable(m, "b")->storage, 4);
	ct_ptx_free(m);
	ct_ptx_linker_free(l);
	ct_buf_free(&out);
}

/* A text that cannot be linked leaves the linker as it was. */
static void refused(struct ct_ptx_linker *l, const char *text, const char *why)
{
	struct ct_error e;
	assert_true(ct_ptx_linker_add(l, "bad", text, strlen(text), &e) < 0);
	if (!strstr(e.text, why))
		fail_msg("%s does not say %s", e.text, why);
}

static void errors(void **state)
{
	static const char *const text[] = {
		HEAD ".visible .func " ADDS("f", "1"), HEAD ".visible .func " ADDS("f", "2"),
		HEAD ".extern .func " DECLARE("f") ENTRY("k", CALL("f"))};
	struct ct_buf out = {0};
	struct ct_error e;
	(void)state;
	struct ct_ptx_linker *l = linker_of(text, 0);
	assert_int_equal(ct_ptx_linker_join(l, &out, &e), CT_ERR_INPUT);
	refused(l, "", "begins with .version");
	refused(l, ".version x\n", "no version");
	refused(l, ".version 6.3\n.target 7\n", "no target");
	refused(l, ".version 6.3\n", "without .target");
	refused(l, HEAD ".visible .func f(", "cut short");
	refused(l, HEAD ".visible .func f", "cut short");
	refused(l, HEAD ".global .u32;\n", "without a name");
	refused(l, HEAD ".global .u32 a, b;\n", "give each its own");
	refused(l, HEAD ".global .u32 ?;\n", "unexpected character");
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(
			ct_ptx_linker_add(l, i ? "second" : "first", text[i], strlen(text[i]), &e),
			CT_OK);
	assert_int_equal(ct_ptx_linker_join(l, &out, &e), CT_ERR_INPUT);
	assert_string_equal(e.text, "first: f is defined there and in second: keep one");
	ct_ptx_linker_free(l);
	ct_ptx_linker_free(NULL);
	ct_buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_become_one),     cmocka_unit_test(twins_and_files_are_told_apart),
		cmocka_unit_test(groups_follow_needs),  cmocka_unit_test(strong_goes_before_weak),
		cmocka_unit_test(variables_are_picked), cmocka_unit_test(errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

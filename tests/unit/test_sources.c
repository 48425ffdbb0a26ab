/* Source files of instructions: their text, and what .loc and .file of PTX say, through a capture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/ptx.h"
#include "trace/sources.h"

/* The file at pc as a text of its own, "-" for none; the caller's. */
static char *file_at(const char *text, uint64_t pc)
{
	size_t n = 0;
	const char *p = ct_sources_find(text, pc, &n);
	return strndup(p ? p : "-", p ? n : 1);
}

static void expect(const char *text, uint64_t pc, const char *wanted)
{
	char *got = file_at(text, pc);
	assert_string_equal(got, wanted);
	free(got);
}

static void test_text(void **state)
{
	(void)state;
	const struct ct_source_place place[] = {
		{0, NULL},  {16, "a.cu"}, {32, "a.cu"},    {48, "b c.cuh"},
		{64, NULL}, {80, ""},     {96, "b c.cuh"}, {112, "a.cu"}};
	struct ct_buf b = {0};
	ct_sources_put(&b, place, 8);
	assert_string_equal(b.data, "10-20,70-70 a.cu\t30-60 b c.cuh");
	expect(b.data, 0, "-");
	expect(b.data, 16, "a.cu");
	expect(b.data, 0x30, "b c.cuh");
	expect(b.data, 0x70, "a.cu");
	expect(b.data, 0x71, "-");
	ct_buf_free(&b);
	ct_sources_put(&b, place, 1);
	assert_int_equal(b.len, 0);
	ct_buf_free(&b);
}

/* Files far too many for a text: those that fit are named. */
static void test_limit(void **state)
{
	(void)state;
	enum { FILES = 64 };
	static char name[FILES][9000];
	struct ct_source_place place[FILES];
	struct ct_buf b = {0};
	for (int i = 0; i < FILES; i++) {
		memset(name[i], 'a' + i % 26, sizeof name[i] - 1);
		name[i][0] = (char)('A' + i / 26);
		place[i] = (struct ct_source_place){(uint64_t)i, name[i]};
	}
	ct_sources_put(&b, place, FILES);
	assert_true(b.len > CT_SOURCES_MAX - 10000 && b.len <= CT_SOURCES_MAX);
	expect(b.data, 0, name[0]);
	expect(b.data, FILES - 1, "-");
	ct_buf_free(&b);
}

/* Knuth's generator of MMIX. */
static size_t below(uint64_t *random, size_t n)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(*random >> 33) % n;
}

/* Against the places themselves, for lists of a few files in any order. */
static void test_random(void **state)
{
	(void)state;
	static const char *const file[] = {"a.cu", "b.cuh", "/x/c", NULL};
	uint64_t random = 7;
	for (int round = 0; round < 300; round++) {
		struct ct_source_place place[40];
		struct ct_buf b = {0};
		size_t n = 1 + below(&random, 40);
		for (size_t i = 0; i < n; i++)
			place[i] = (struct ct_source_place){16 * i, file[below(&random, 4)]};
		ct_sources_put(&b, place, n);
		for (size_t i = 0; i < n; i++)
			if (place[i].file)
				expect(b.data, place[i].pc, place[i].file);
		ct_buf_free(&b);
	}
}

static void test_damaged(void **state)
{
	(void)state;
	static const char *const text[] = {
		"",      " ",      "10",         "10-",       "10 ",    "10,",
		"10-20", "x a.cu", "10-20,a.cu", "10 \t20 b", "10 a\t", "11111111111111111 a"};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		expect(text[i], 0x10, strcmp(text[i], "10 a\t") == 0 ? "a" : "-");
	expect(NULL, 0, "-");
}

static const char ptx[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".file 7 \"./x/./late.cuh\", 12, 34\n"
	".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
	"ld.param.u64 %rd1, [p];\n"                                               /* 0: no .loc yet */
	".loc 1 17 3 // k.cu:17:3\nld.global.u32 %r1, [%rd1];\n"                  /* 1 */
	".loc 7 5 0, function_name $L, inlined_at 1 18 2\nadd.u32 %r1, %r1, 1;\n" /* 2 */
	".loc 1 0 0\nadd.u32 %r1, %r1, 1;\n"                                      /* 3: of no line */
	".loc 9 4 0\nst.global.u32 [%rd1], %r1;\n"     /* 4: a file without a name */
	".loc 99999999999 4 0\nadd.u32 %r1, %r1, 1;\n" /* 5 */
	"ret;\n}\n"
	".visible .entry other()\n{\nret;\n}\n" /* 7: .loc does not reach over functions */
	".file 1 \"k.cu\"\n.file 1 \"second.cu\"\n.file 2\n.loc\n";

static void test_ptx(void **state)
{
	(void)state;
	static const struct {
		uint32_t line;
		const char *file;
	} wanted[] = {{0, NULL}, {17, "k.cu"}, {5, "./x/late.cuh"}, {0, NULL},
	              {4, NULL}, {4, NULL},    {4, NULL},           {0, NULL}};
	struct ct_ptx_module *m;
	struct ct_error e;
	assert_int_equal(ct_ptx_read(&m, ptx, sizeof ptx, "test", &e), CT_OK);
	assert_int_equal(ct_ptx_instruction_count(m), 8);
	for (size_t i = 0; i < 8; i++) {
		struct ct_ptx_source s = ct_ptx_source_of(m, i);
		assert_int_equal(s.line, wanted[i].line);
		if (wanted[i].file)
			assert_string_equal(s.file, wanted[i].file);
		else
			assert_null(s.file);
	}
	assert_int_equal(ct_ptx_source_of(m, 8).line, 0);
	ct_ptx_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),   cmocka_unit_test(test_limit),
		cmocka_unit_test(test_random), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_ptx),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

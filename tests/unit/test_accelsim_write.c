#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/accelsim_write.h"

static struct ct_kernel kernel(const char *version)
{
	static char name[] = "k", v3[] = "3", v5[] = "5", v6[] = "6", none[] = "";
	char *v = *version == '3' ? v3 : *version == '5' ? v5 : *version == '6' ? v6 : none;
	return (struct ct_kernel){
		.name = name,
		.header_id = 7,
		.grid = {2, 3, 4},
		.block = {32, 2, 1},
		.shmem_bytes = 512,
		.regs = 40,
		.binary_version = 80,
		.has_windows = 1,
		.shmem_base = 0x7f0000000000,
		.local_base = 0x7e0000000000,
		.tracer_version = v};
}

static void line(struct ct_buf *b, const char *version, const struct ct_sinst *s,
                 const struct ct_inst *i)
{
	struct ct_kernel k = kernel(version);
	ct_buf_reset(b);
	ct_accelsim_put_inst(b, &k, s, i);
	assert_false(b->failed);
}

static void header_has_every_key(void **state)
{
	struct ct_kernel k = kernel("5");
	struct ct_buf b = {0};
	(void)state;
	ct_accelsim_put_header(&b, &k);
	assert_string_equal(
		b.data,
		"-kernel name = k\n-kernel id = 7\n-grid dim = (2,3,4)\n-block dim = (32,2,1)\n"
		"-shmem = 512\n-nregs = 40\n-binary version = 80\n-cuda stream id = 0\n"
		"-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007e0000000000\n"
		"-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
		"#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
		"mem_width [adrrescompress?] [mem_addresses] immediate\n\n");
	ct_buf_free(&b);
}

static void lines_follow_the_version(void **state)
{
	struct ct_sinst s = {
		.pc = 0x40,
		.opcode = "IADD3",
		.has_imm = 1,
		.imm = -8,
		.ndst = 1,
		.dst = {CT_REG_MAKE(CT_REG_R, 4)},
		.nsrc = 2,
		.src = {CT_REG_MAKE(CT_REG_R, 2), CT_REG_RZ}};
	struct ct_inst i = {.mask = 0xff};
	struct ct_buf b = {0};
	(void)state;
	line(&b, "3", &s, &i);
	assert_string_equal(b.data, "0040 000000ff 1 R4 IADD3 2 R2 R255 0 \n");
	line(&b, "5", &s, &i);
	assert_string_equal(b.data, "0040 000000ff 1 R4 IADD3 2 R2 R255 0 -8 \n");
	s.has_imm = 2;
	s.imm2 = 3;
	line(&b, "5", &s, &i);
	assert_string_equal(b.data, "0040 000000ff 1 R4 IADD3 2 R2 R255 0 -8 3 \n");
	line(&b, "6", &s, &i);
	assert_string_equal(b.data, "0040 000000ff 1 R4 IADD3 2 R2 R255 0 -8 3 NoVal \n");
	uint32_t values[] = {1, 0xab, 2, 0, 0xffffffff};
	i.values = values;
	i.nvalues = 5;
	line(&b, "6", &s, &i);
	assert_string_equal(b.data,
	                    "0040 000000ff 1 R4 IADD3 2 R2 R255 0 -8 3 Val 1 ab 2 0 ffffffff \n");
	ct_buf_free(&b);
}

static void register_files_have_their_names(void **state)
{
	struct ct_sinst s = {.pc = 0x12345,
	                     .opcode = "X",
	                     .nsrc = 4,
	                     .src = {CT_REG_MAKE(CT_REG_R, 0), CT_REG_URZ, CT_REG_MAKE(CT_REG_P, 1),
	                             CT_REG_MAKE(CT_REG_UP, 6)}};
	struct ct_inst i = {.mask = 0};
	struct ct_buf b = {0};
	(void)state;
	line(&b, "5", &s, &i);
	assert_string_equal(b.data, "12345 00000000 0 X 4 R0 UR63 P1 UP6 0 0 \n");
	ct_buf_free(&b);
}

/* The form that the tracer chooses, and how it looks in a line. */
static void forms_are_the_tracers(void **state)
{
	static const struct {
		uint32_t mask;
		uint64_t addr[4];
		const char *text;
	} cases[] = {
		{0, {0}, "1 0x0 0 "},
		{0x3, {0x1000, 0x1004}, "1 0x1000 4 "},
		{0xc0000000, {0x1004, 0x1000}, "1 0x1004 -4 "},
		{0x5, {0x1000, 0x1040}, "2 0x1000 64 "},
		{0x80, {0x7f1234567890}, "2 0x7f1234567890 "},
		{0x7, {0, 0, 0}, "1 0x0 0 "},
		{0x7, {8, 16, 20}, "2 0x8 8 4 "},
		{0x7, {20, 8, 0xffffffffffff}, "2 0x14 -12 281474976710647 "},
		{0x3, {0, 0x100000000}, "2 0x0 4294967296 "}, /* does not fit the stride field */
	};
	struct ct_sinst s = {.opcode = "LDG.E", .width_field = 4};
	struct ct_buf b = {0}, want = {0};
	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct ct_inst i = {.mask = cases[c].mask};
		memcpy(i.addr, cases[c].addr, sizeof cases[c].addr);
		ct_accelsim_choose_form(&i);
		line(&b, "5", &s, &i);
		ct_buf_reset(&want);
		ct_buf_printf(&want, "0000 %08x 0 LDG.E 0 4 %s0 \n", cases[c].mask, cases[c].text);
		assert_string_equal(b.data, want.data);
	}
	struct ct_inst list = {.mask = 3, .addr_form = CT_ADDR_LIST, .naddr = 2, .addr = {16, 32}};
	line(&b, "5", &s, &list);
	assert_string_equal(b.data, "0000 00000003 0 LDG.E 0 4 0 0x10 0x20 0 \n");
	ct_buf_free(&b);
	ct_buf_free(&want);
}

static void long_lines_are_whole(void **state)
{
	char opcode[3000];
	struct ct_sinst s = {.opcode = opcode, .width_field = 8};
	struct ct_inst i = {.mask = UINT32_MAX};
	struct ct_buf b = {0};
	(void)state;
	memset(opcode, 'A', sizeof opcode - 1);
	opcode[sizeof opcode - 1] = '\0';
	for (unsigned l = 0; l < CT_WARP_LANES; l++)
		i.addr[l] = l % 2 ? 0 : UINT64_C(0x7fffffffffffffff);
	ct_accelsim_choose_form(&i);
	line(&b, "5", &s, &i);
	assert_true(b.len > 3500 && b.data[b.len - 1] == '\n');
	assert_non_null(strstr(b.data, "AAA 0 8 2 0x7fffffffffffffff -9223372036854775807 "));
	size_t blanks = 0;
	for (size_t n = 0; n < b.len; n++)
		blanks += b.data[n] == ' ';
	assert_int_equal(blanks, 6 + 2 + 31 + 1);
	ct_buf_free(&b);
}

static void widths_are_guessed_as_the_tracer_does(void **state)
{
	static const struct {
		const char *opcode;
		uint16_t width;
	} cases[] = {
		{"LDG.E", 4},
		{"LDG.E.64", 8},
		{"LDG.E.128.CONSTANT", 16},
		{"STG.E.U8", 1},
		{"LDG.E.S8", 4},
		{"LDSM.16.M88.4", 2},
		{"LDGSTS.E.BYPASS.LTC128B.128", 16},
		{"ATOMG.E.ADD.F64.RN.STRONG.GPU", 4},
		{"LDG.E.U16", 2},
		{"LDS", 4},
	};
	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
		assert_int_equal(ct_accelsim_width_field(cases[c].opcode), cases[c].width);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_has_every_key),
		cmocka_unit_test(lines_follow_the_version),
		cmocka_unit_test(register_files_have_their_names),
		cmocka_unit_test(forms_are_the_tracers),
		cmocka_unit_test(long_lines_are_whole),
		cmocka_unit_test(widths_are_guessed_as_the_tracer_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

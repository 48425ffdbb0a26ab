/* Opcodes: space, access, unit, width and modifiers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "trace/opcode.h"

static struct ct_sinst classify(const char *opcode, uint16_t width)
{
	struct ct_sinst s = {.opcode = opcode, .width_field = width};
	ct_opcode_classify(&s);
	return s;
}

static void classes(void **state)
{
	static const struct {
		const char *opcode;
		uint16_t field;
		int space, access, unit, width;
	} cases[] = {
		{"LDG.E", 4, CT_SPACE_GLOBAL, CT_ACCESS_LOAD, CT_CLASS_MEM, 4},
		{"LDG.E.U8", 1, CT_SPACE_GLOBAL, CT_ACCESS_LOAD, CT_CLASS_MEM, 1},
		{"LDG.E.S8", 4, CT_SPACE_GLOBAL, CT_ACCESS_LOAD, CT_CLASS_MEM, 1},
		{"LDG.E.S16.CONSTANT", 4, CT_SPACE_GLOBAL, CT_ACCESS_LOAD, CT_CLASS_MEM, 2},
		{"LDG.E.LTC128B.64", 8, CT_SPACE_GLOBAL, CT_ACCESS_LOAD, CT_CLASS_MEM, 8},
		{"LDG.E.LTC128B", 4, CT_SPACE_GLOBAL, CT_ACCESS_LOAD, CT_CLASS_MEM, 4},
		{"STG.E.128", 16, CT_SPACE_GLOBAL, CT_ACCESS_STORE, CT_CLASS_MEM, 16},
		{"LDGSTS.E.BYPASS.LTC128B.128", 16, CT_SPACE_GLOBAL, CT_ACCESS_ASYNC, CT_CLASS_MEM, 16},
		{"LDL.64", 8, CT_SPACE_LOCAL, CT_ACCESS_LOAD, CT_CLASS_MEM, 8},
		{"STL", 4, CT_SPACE_LOCAL, CT_ACCESS_STORE, CT_CLASS_MEM, 4},
		{"LDS.U.128", 16, CT_SPACE_SHARED, CT_ACCESS_LOAD, CT_CLASS_MEM, 16},
		{"LDSM.16.M88.4", 2, CT_SPACE_SHARED, CT_ACCESS_LOAD, CT_CLASS_MEM, 16},
		{"STSM.16.MT88.2", 2, CT_SPACE_SHARED, CT_ACCESS_STORE, CT_CLASS_MEM, 16},
		{"LD.E.64", 8, CT_SPACE_GENERIC, CT_ACCESS_LOAD, CT_CLASS_MEM, 8},
		{"ST.E", 4, CT_SPACE_GENERIC, CT_ACCESS_STORE, CT_CLASS_MEM, 4},
		{"ATOM.E.ADD.F64.RN.STRONG.GPU", 4, CT_SPACE_GENERIC, CT_ACCESS_ATOMIC, CT_CLASS_MEM, 8},
		{"ATOMG.E.CAS.64.STRONG.GPU", 8, CT_SPACE_GLOBAL, CT_ACCESS_ATOMIC, CT_CLASS_MEM, 8},
		{"RED.E.ADD.F16x2.RN.STRONG.GPU", 4, CT_SPACE_GLOBAL, CT_ACCESS_REDUCTION, CT_CLASS_MEM,
	         4},
		{"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 4, CT_SPACE_GLOBAL, CT_ACCESS_REDUCTION,
	         CT_CLASS_MEM, 4},
		{"ATOMS.POPC.INC.32", 4, CT_SPACE_SHARED, CT_ACCESS_ATOMIC, CT_CLASS_MEM, 4},
		{"SYNCS.ARRIVE.TRANS64", 4, CT_SPACE_SHARED, CT_ACCESS_BARRIER_OP, CT_CLASS_MEM, 8},
		{"LDC.64", 0, CT_SPACE_CONST, CT_ACCESS_LOAD, CT_CLASS_ALU, 0},
		{"ULDC", 0, CT_SPACE_CONST, CT_ACCESS_LOAD, CT_CLASS_UNIFORM, 0},
		{"TEX.SCR.LL", 0, CT_SPACE_TEXTURE, CT_ACCESS_LOAD, CT_CLASS_TEX, 0},
		{"SUST.D.BA", 0, CT_SPACE_SURFACE, CT_ACCESS_STORE, CT_CLASS_ALU, 0},
		{"CCTL.IVALL", 4, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_ALU, 0},
		{"CCTL.E.PF2", 4, CT_SPACE_GLOBAL, CT_ACCESS_PREFETCH, CT_CLASS_ALU, 4},
		{"MEMBAR.SC.GPU", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_MEMBAR, 0},
		{"BAR.SYNC.DEFER_BLOCKING", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_BAR, 0},
		{"DEPBAR.LE", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_DEPBAR, 0},
		{"LDGDEPBAR", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_LDGDEPBAR, 0},
		{"EXIT", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_EXIT, 0},
		{"BRA", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_BRANCH, 0},
		{"FFMA.FTZ", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_SP, 0},
		{"HFMA2.MMA", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_HALF, 0},
		{"HMMA.16816.F32", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_TENSOR, 0},
		{"DFMA", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_DP, 0},
		{"MUFU.RCP", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_SFU, 0},
		{"IMAD.WIDE.U32", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_INT, 0},
		{"MOV", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_ALU, 0},
		{"UIADD3.X", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_UNIFORM, 0},
		{"NEWOP.XYZ", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_OTHER, 0},
		{"NEWOP.64", 8, CT_SPACE_GENERIC, CT_ACCESS_LOAD, CT_CLASS_OTHER, 8},
		{"LDGX", 0, CT_SPACE_NONE, CT_ACCESS_NONE, CT_CLASS_OTHER, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ct_sinst s = classify(cases[i].opcode, cases[i].field);
		if (s.space != cases[i].space || s.access != cases[i].access ||
		    s.unit != cases[i].unit || s.width != cases[i].width)
			fail_msg("%s: space %d access %d unit %d width %d", cases[i].opcode, s.space,
			         s.access, s.unit, s.width);
	}
}

static void modifiers(void **state)
{
	(void)state;
	assert_int_equal(classify("LDG.E.STRONG.GPU", 4).mods, CT_MOD_EXTENDED | CT_MOD_STRONG_GPU);
	assert_int_equal(classify("LDG.E.STRONG.SYS", 4).mods, CT_MOD_EXTENDED | CT_MOD_STRONG_SYS);
	assert_int_equal(classify("LDG.E.STRONG.SM", 4).mods, CT_MOD_EXTENDED);
	assert_int_equal(classify("LDG.E.SYS", 4).mods, CT_MOD_EXTENDED);
	assert_int_equal(classify("LDG.E.CG", 4).mods, CT_MOD_EXTENDED | CT_MOD_CG);
	assert_int_equal(classify("LDG.CV", 4).mods, CT_MOD_CV);
	assert_int_equal(classify("LDG.E.CI", 4).mods, CT_MOD_EXTENDED | CT_MOD_CONSTANT);
	assert_int_equal(classify("LDG.E.EF", 4).mods, CT_MOD_EXTENDED | CT_MOD_EVICT_FIRST);
	assert_int_equal(classify("LDGSTS.E.BYPASS.128", 16).mods, CT_MOD_EXTENDED | CT_MOD_BYPASS);
}

/* The table is searched by bisection: every opcode must be found. */
static void every_base_is_found(void **state)
{
	static const char *const bases[] = {
		"ARRIVES",   "ATOM",      "ATOMG",     "ATOMS", "B2R",      "BAR",   "BRA",
		"BRX",       "BRXU",      "CALL",      "CS2R",  "F2F",      "F2FP",  "FADD32I",
		"HADD2_32I", "HMUL2_32I", "IADD",      "IADD3", "IADD32I",  "IDP4A", "LOP",
		"LOP3",      "LOP32I",    "MOV32I",    "P2R",   "R2B",      "R2P",   "R2UR",
		"S2R",       "S2UR",      "TLD",       "TLD4",  "TLD4S",    "ULOP",  "ULOP3",
		"UP2UR",     "UR2UP",     "VABSDIFF4", "VOTEU", "WARPSYNC", "XMAD",  "YIELD",
	};
	(void)state;
	for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
		if (classify(bases[i], 0).unit == CT_CLASS_OTHER)
			fail_msg("%s is not found", bases[i]);
}

static void windows(void **state)
{
	struct ct_kernel k = {.shmem_base = 0x7f0000000000, .local_base = 0x7effff000000};
	(void)state;
	assert_int_equal(ct_generic_space(&k, 0x7f0000000000), CT_SPACE_GENERIC);
	k.has_windows = 1;
	assert_int_equal(ct_generic_space(&k, 0x7f0000000000), CT_SPACE_SHARED);
	assert_int_equal(ct_generic_space(&k, 0x7f0000ffffff), CT_SPACE_SHARED);
	assert_int_equal(ct_generic_space(&k, 0x7f0001000000), CT_SPACE_GLOBAL);
	assert_int_equal(ct_generic_space(&k, 0x7effff000000), CT_SPACE_LOCAL);
	assert_int_equal(ct_generic_space(&k, 0x7effffffffff), CT_SPACE_LOCAL);
	assert_int_equal(ct_generic_space(&k, 0x7efffeffffff), CT_SPACE_GLOBAL);
	assert_int_equal(ct_generic_space(&k, 0), CT_SPACE_GLOBAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(modifiers),
		cmocka_unit_test(every_base_is_found),
		cmocka_unit_test(windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

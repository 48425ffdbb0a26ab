/* Operands that stand for more registers than the trace names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trace/opcode.h"
#include "trace/operands.h"

/* Registers R8, R16, R24 ...: aligned for everything. */
static struct ct_sinst make(const char *opcode, unsigned ndst, unsigned nsrc, int imm)
{
	struct ct_sinst s = {.opcode = opcode,
	                     .width_field = 4,
	                     .ndst = (uint8_t)ndst,
	                     .nsrc = (uint8_t)nsrc,
	                     .has_imm = (uint8_t)imm};
	for (unsigned i = 0; i < ndst; i++)
		s.dst[i] = CT_REG_MAKE(CT_REG_R, 8);
	for (unsigned i = 0; i < nsrc; i++)
		s.src[i] = CT_REG_MAKE(CT_REG_R, 16 + 8 * i);
	ct_opcode_classify(&s);
	ct_operands_classify(&s);
	return s;
}

static void widths(void **state)
{
	static const struct {
		const char *opcode;
		unsigned ndst, nsrc;
		int imm;
		unsigned dst, src[3];
	} cases[] = {
		{"FFMA", 1, 3, 0, 1, {1, 1, 1}},
		{"DFMA", 1, 3, 0, 2, {2, 2, 2}},
		{"LDG.E", 1, 1, 0, 1, {2}},
		{"LDG.E.128", 1, 1, 0, 4, {2}},
		{"LDG.E.LTC128B.64", 1, 1, 0, 2, {2}},
		{"LDS.128", 1, 1, 0, 4, {1}},
		{"LDL.64", 1, 1, 0, 2, {1}},
		{"STG.E.64", 0, 2, 0, 0, {2, 2}},
		{"STS.128", 0, 2, 0, 0, {1, 4}},
		{"LDGSTS.E.BYPASS.LTC128B.128", 0, 2, 0, 0, {1, 2}},
		{"LDSM.16.M88.4", 1, 1, 0, 4, {1}},
		{"LDSM.16.MT88.2", 1, 1, 0, 2, {1}},
		{"ATOMG.E.CAS.64.STRONG.GPU", 1, 3, 0, 2, {2, 2, 2}},
		{"RED.E.ADD.F16x2.RN.STRONG.GPU", 0, 2, 0, 0, {2, 1}},
		{"LDC.64", 1, 1, 0, 2, {1}},
		{"IMAD.WIDE.U32", 1, 3, 0, 2, {1, 1, 2}},
		{"IMAD.WIDE", 1, 2, 0, 2, {1, 1}},
		{"IMAD.WIDE", 1, 2, 1, 2, {1, 2}},
		{"CS2R", 1, 0, 0, 2, {0}},
		{"CS2R.32", 1, 0, 0, 1, {0}},
		{"F2F.F64.F32", 1, 1, 0, 2, {1}},
		{"F2F.F32.F64", 1, 1, 0, 1, {2}},
		{"F2I.S64.TRUNC", 1, 1, 0, 2, {1}},
		{"F2I.F64.TRUNC", 1, 1, 0, 1, {2}},
		{"I2F.F64", 1, 1, 0, 2, {1}},
		{"I2F.S64", 1, 1, 0, 1, {2}},
		{"HMMA.884.F32.F32.STEP2", 1, 3, 0, 2, {2, 2, 2}},
		{"HMMA.1688.F32", 1, 3, 0, 4, {2, 1, 4}},
		{"HMMA.1688.F16", 1, 3, 0, 2, {2, 1, 2}},
		{"HMMA.1688.F32.TF32", 1, 3, 0, 4, {4, 2, 4}},
		{"HMMA.16816.F32.BF16", 1, 3, 0, 4, {4, 2, 4}},
		{"HMMA.16816.F16", 1, 3, 0, 2, {4, 2, 2}},
		{"IMMA.8816.S8.S8", 1, 3, 0, 2, {1, 1, 2}},
		{"IMMA.16832.S8.S8", 1, 3, 0, 4, {4, 2, 4}},
		{"IMMA.16832.S4.S4", 1, 3, 0, 4, {2, 1, 4}},
		{"BMMA.168128.XOR.POPC", 1, 3, 0, 4, {2, 1, 4}},
		{"DMMA.884", 1, 3, 0, 4, {2, 2, 4}},
		{"HGMMA.64x128x16.F32", 1, 1, 0, 64, {4}},
		{"SHF.L.U64.HI", 1, 2, 0, 1, {1, 1}},
		{"RET.REL.NODEC", 0, 1, 0, 0, {2}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ct_sinst s = make(cases[i].opcode, cases[i].ndst, cases[i].nsrc, cases[i].imm);
		if (cases[i].ndst && s.dst_regs[0] != cases[i].dst)
			fail_msg("%s: %u destinations, wanted %u", s.opcode, s.dst_regs[0],
			         cases[i].dst);
		for (unsigned k = 0; k < cases[i].nsrc; k++)
			if (s.src_regs[k] != cases[i].src[k])
				fail_msg("%s: source %u is %u, wanted %u", s.opcode, k, s.src_regs[k],
				         cases[i].src[k]);
	}
}

/* What hardware could not mean is one register; nothing runs into RZ. */
static void limits(void **state)
{
	struct ct_sinst s = {
		.opcode = "LDG.E.128", .width_field = 16, .ndst = 1, .nsrc = 1, .dst = {6}, .src = {3}};
	(void)state;
	ct_opcode_classify(&s);
	ct_operands_classify(&s);
	assert_int_equal(s.dst_regs[0], 1);
	assert_int_equal(s.src_regs[0], 1);
	s.dst[0] = 252;
	s.src[0] = CT_REG_RZ;
	ct_operands_classify(&s);
	assert_int_equal(s.dst_regs[0], 3);
	assert_int_equal(s.src_regs[0], 0);
	s.src[0] = CT_REG_MAKE(CT_REG_UR, 4);
	ct_operands_classify(&s);
	assert_int_equal(s.src_regs[0], 1);
	s.src[0] = CT_REG_URZ;
	ct_operands_classify(&s);
	assert_int_equal(s.src_regs[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths),
		cmocka_unit_test(limits),
	};
	return cmocka_run_group_tests_name("operands", tests, NULL, NULL);
}

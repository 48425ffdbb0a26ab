/* What PTX does in one instruction and machines in several: an estimate by MUFU, Newton steps, a check, and a
 * branch to the slow path, which ordinary operands do not take. The sequences are ours, of the known shape and
 * length of compiled code; none was taken from a capture. doc/lowering.md says what that is worth. */
#include <string.h>

#include "lower/unit.h"

enum { MOST_STEPS = 24 };

struct expansion {
	const char *name, *word, *other; /* the opcode's name and parts that it must have, or NULL */
	unsigned bits;                   /* of its type; 0: any */
	unsigned steps;
	const char *step[MOST_STEPS];
};

/* The first that fits counts. */
/* clang-format off */
static const struct expansion expansions[] = {
	{"div", "rn", NULL, 32, 11, {"MUFU.RCP", "FCHK", "FFMA", "FFMA", "FFMA", "FFMA", "FFMA", "FFMA", "BSSY", "BRA", "BSYNC"}},
	{"div", "rn", NULL, 64, 16, {"MUFU.RCP64H", "IMAD.MOV.U32", "BSSY", "DFMA", "DFMA", "DFMA", "DFMA", "DFMA", "DMUL", "DFMA",
		"FFMA", "FSETP.GEU.AND", "FSETP.GT.AND", "DFMA", "BRA", "BSYNC"}},
	{"div", "full", NULL, 32, 6, {"FSETP.GT.AND", "FSEL", "FMUL", "MUFU.RCP", "FMUL", "FMUL"}},
	{"div", "approx", "ftz", 32, 2, {"MUFU.RCP", "FMUL"}},
	{"div", "approx", NULL, 32, 5, {"FSETP.GT.AND", "FMUL", "MUFU.RCP", "FMUL", "FMUL"}},
	{"div", "u32", NULL, 32, 15, {"I2F.U32.RP", "MUFU.RCP", "IADD3", "F2I.FTZ.U32.TRUNC.NTZ", "IMAD.MOV", "IMAD",
		"IMAD.HI.U32", "IMAD.HI.U32", "IMAD.MOV", "IMAD", "ISETP.GE.U32.AND", "IMAD.IADD", "ISETP.GE.U32.AND", "IADD3", "SEL"}},
	{"rem", "u32", NULL, 32, 15, {"I2F.U32.RP", "MUFU.RCP", "IADD3", "F2I.FTZ.U32.TRUNC.NTZ", "IMAD.MOV", "IMAD",
		"IMAD.HI.U32", "IMAD.HI.U32", "IMAD.MOV", "IMAD", "ISETP.GE.U32.AND", "IMAD.IADD", "ISETP.GE.U32.AND", "IMAD.IADD", "SEL"}},
	{"div", "s32", NULL, 32, 19, {"IABS", "I2F.RP", "IABS", "MUFU.RCP", "IADD3", "F2I.FTZ.U32.TRUNC.NTZ", "IADD3", "IMAD",
		"IMAD.HI.U32", "IMAD.HI.U32", "IMAD.MOV", "IMAD", "ISETP.GT.U32.AND", "IMAD.IADD", "ISETP.GE.U32.AND", "LOP3.LUT",
		"ISETP.GE.AND", "IADD3", "SEL"}},
	{"rem", "s32", NULL, 32, 18, {"IABS", "I2F.RP", "IABS", "MUFU.RCP", "IADD3", "F2I.FTZ.U32.TRUNC.NTZ", "IADD3", "IMAD",
		"IMAD.HI.U32", "IMAD.HI.U32", "IMAD.MOV", "IMAD", "ISETP.GT.U32.AND", "IMAD.IADD", "ISETP.GT.U32.AND", "ISETP.GE.AND",
		"IMAD.IADD", "SEL"}},
	{"rcp", "rn", NULL, 32, 10, {"IADD3", "BSSY", "LOP3.LUT", "ISETP.GT.U32.AND", "BRA", "MUFU.RCP", "FFMA", "FADD.FTZ", "FFMA",
		"BSYNC"}},
	{"rcp", "rn", NULL, 64, 10, {"MUFU.RCP64H", "IADD3", "DFMA", "DFMA", "DFMA", "DFMA", "FSETP.GEU.AND", "BSSY", "BSYNC", "DFMA"}},
	{"sqrt", "rn", NULL, 32, 10, {"IADD3", "MUFU.RSQ", "BSSY", "ISETP.GT.U32.AND", "BRA", "FMUL.FTZ", "FMUL.FTZ", "FFMA", "FFMA",
		"BSYNC"}},
	{"sqrt", "rn", NULL, 64, 13, {"MUFU.RSQ64H", "IADD3", "DMUL", "DFMA", "DFMA", "DMUL", "DFMA", "DMUL", "DFMA", "DFMA",
		"ISETP.GE.U32.AND", "BSSY", "BSYNC"}},
	{"sqrt", "approx", NULL, 32, 2, {"MUFU.RSQ", "FMUL"}},
	{"ex2", "ftz", NULL, 32, 1, {"MUFU.EX2"}},
	{"ex2", NULL, NULL, 32, 4, {"FSETP.GEU.AND", "FMUL", "MUFU.EX2", "FMUL"}},
	{"lg2", "ftz", NULL, 32, 1, {"MUFU.LG2"}},
	{"lg2", NULL, NULL, 32, 4, {"FSETP.GEU.AND", "FMUL", "MUFU.LG2", "FADD"}},
	{"rsqrt", "ftz", NULL, 32, 1, {"MUFU.RSQ"}},
	{"rsqrt", NULL, NULL, 32, 4, {"FSETP.GEU.AND", "FMUL", "MUFU.RSQ", "FMUL"}},
	{"rsqrt", NULL, NULL, 64, 6, {"MUFU.RSQ64H", "DMUL", "DFMA", "DFMA", "DMUL", "DFMA"}},
	{"rcp", "ftz", NULL, 32, 1, {"MUFU.RCP"}},
	{"rcp", NULL, NULL, 32, 4, {"FSETP.GEU.AND", "FMUL", "MUFU.RCP", "FMUL"}},
	{"sin", NULL, NULL, 32, 2, {"FMUL.RZ", "MUFU.SIN"}},
	{"cos", NULL, NULL, 32, 2, {"FMUL.RZ", "MUFU.COS"}},
	{"tanh", NULL, NULL, 32, 1, {"MUFU.TANH"}},
	{"min", "f64", NULL, 64, 4, {"DSETP.MIN.AND", "FSEL", "SEL", "IMAD.MOV.U32"}},
	{"max", "f64", NULL, 64, 4, {"DSETP.MAX.AND", "FSEL", "SEL", "IMAD.MOV.U32"}},
	{"div", NULL, NULL, 64, 22, {"I2F.U64.RP", "MUFU.RCP", "IADD3", "F2I.U64.TRUNC", "IMAD.WIDE.U32", "IMAD", "IMAD", "IADD3",
		"IMAD.HI.U32", "IADD3.X", "IMAD.WIDE.U32", "IMAD.HI.U32", "IMAD", "IADD3", "IMAD.WIDE.U32", "IADD3.X", "ISETP.GE.U32.AND",
		"ISETP.GE.U32.AND.EX", "SEL", "SEL", "ISETP.NE.U32.AND", "SEL"}},
	{"rem", NULL, NULL, 64, 22, {"I2F.U64.RP", "MUFU.RCP", "IADD3", "F2I.U64.TRUNC", "IMAD.WIDE.U32", "IMAD", "IMAD", "IADD3",
		"IMAD.HI.U32", "IADD3.X", "IMAD.WIDE.U32", "IMAD.HI.U32", "IMAD", "IADD3", "IMAD.WIDE.U32", "IADD3.X", "ISETP.GE.U32.AND",
		"ISETP.GE.U32.AND.EX", "SEL", "SEL", "ISETP.NE.U32.AND", "SEL"}},
	/* Of video instructions machines have the sums of absolute differences alone; parts of words are taken out and put together. */
	{"vabsdiff4", NULL, NULL, 0, 1, {"VABSDIFF4"}},
	{"vadd2", NULL, NULL, 0, 7, {"PRMT", "PRMT", "IADD3", "PRMT", "PRMT", "IADD3", "PRMT"}},
	{"vadd4", NULL, NULL, 0, 15, {"PRMT", "PRMT", "IADD3", "PRMT", "PRMT", "IADD3", "PRMT", "PRMT", "IADD3", "PRMT",
		"PRMT", "IADD3", "PRMT", "PRMT", "PRMT"}},
	{"vsub2", NULL, NULL, 0, 7, {"PRMT", "PRMT", "IADD3", "PRMT", "PRMT", "IADD3", "PRMT"}},
	{"vsub4", NULL, NULL, 0, 15, {"PRMT", "PRMT", "IADD3", "PRMT", "PRMT", "IADD3", "PRMT", "PRMT", "IADD3", "PRMT",
		"PRMT", "IADD3", "PRMT", "PRMT", "PRMT"}},
	{"vabsdiff2", NULL, NULL, 0, 7, {"PRMT", "PRMT", "VABSDIFF", "PRMT", "PRMT", "VABSDIFF", "PRMT"}},
	{"vmin2", NULL, NULL, 0, 7, {"PRMT", "PRMT", "IMNMX", "PRMT", "PRMT", "IMNMX", "PRMT"}},
	{"vmin4", NULL, NULL, 0, 15, {"PRMT", "PRMT", "IMNMX", "PRMT", "PRMT", "IMNMX", "PRMT", "PRMT", "IMNMX", "PRMT",
		"PRMT", "IMNMX", "PRMT", "PRMT", "PRMT"}},
	{"vmax2", NULL, NULL, 0, 7, {"PRMT", "PRMT", "IMNMX", "PRMT", "PRMT", "IMNMX", "PRMT"}},
	{"vmax4", NULL, NULL, 0, 15, {"PRMT", "PRMT", "IMNMX", "PRMT", "PRMT", "IMNMX", "PRMT", "PRMT", "IMNMX", "PRMT",
		"PRMT", "IMNMX", "PRMT", "PRMT", "PRMT"}},
	{"vavrg2", NULL, NULL, 0, 7, {"PRMT", "PRMT", "LEA.HI", "PRMT", "PRMT", "LEA.HI", "PRMT"}},
	{"vavrg4", NULL, NULL, 0, 15, {"PRMT", "PRMT", "LEA.HI", "PRMT", "PRMT", "LEA.HI", "PRMT", "PRMT", "LEA.HI", "PRMT",
		"PRMT", "LEA.HI", "PRMT", "PRMT", "PRMT"}},
	{"vset2", NULL, NULL, 0, 7, {"PRMT", "PRMT", "SEL", "PRMT", "PRMT", "SEL", "PRMT"}},
	{"vset4", NULL, NULL, 0, 15, {"PRMT", "PRMT", "SEL", "PRMT", "PRMT", "SEL", "PRMT", "PRMT", "SEL", "PRMT",
		"PRMT", "SEL", "PRMT", "PRMT", "PRMT"}},
	{"vadd", "min", NULL, 0, 2, {"IADD3", "IMNMX"}},
	{"vadd", "max", NULL, 0, 2, {"IADD3", "IMNMX"}},
	{"vadd", NULL, NULL, 0, 1, {"IADD3"}},
	{"vsub", "min", NULL, 0, 2, {"IADD3", "IMNMX"}},
	{"vsub", "max", NULL, 0, 2, {"IADD3", "IMNMX"}},
	{"vsub", NULL, NULL, 0, 1, {"IADD3"}},
	{"vabsdiff", "min", NULL, 0, 2, {"VABSDIFF", "IMNMX"}},
	{"vabsdiff", "max", NULL, 0, 2, {"VABSDIFF", "IMNMX"}},
	{"vabsdiff", NULL, NULL, 0, 1, {"VABSDIFF"}},
	{"vmin", "min", NULL, 0, 2, {"IMNMX", "IMNMX"}},
	{"vmin", "max", NULL, 0, 2, {"IMNMX", "IMNMX"}},
	{"vmin", NULL, NULL, 0, 1, {"IMNMX"}},
	{"vmax", "min", NULL, 0, 2, {"IMNMX", "IMNMX"}},
	{"vmax", "max", NULL, 0, 2, {"IMNMX", "IMNMX"}},
	{"vmax", NULL, NULL, 0, 1, {"IMNMX"}},
	{"vset", "min", NULL, 0, 2, {"SEL", "IMNMX"}},
	{"vset", "max", NULL, 0, 2, {"SEL", "IMNMX"}},
	{"vset", NULL, NULL, 0, 1, {"SEL"}},
	{"vshl", NULL, NULL, 0, 1, {"SHF.L.U32"}},
	{"vshr", NULL, NULL, 0, 1, {"SHF.R.U32.HI"}},
	{"vmad", NULL, NULL, 0, 1, {"IMAD"}},
};
/* clang-format on */

static const struct expansion *find(const char *opcode)
{
	for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++) {
		const struct expansion *x = &expansions[i];
		if (ct_lower_is(opcode, x->name) && (!x->word || ct_lower_has(opcode, x->word)) &&
		    (!x->other || ct_lower_has(opcode, x->other)) &&
		    (!x->bits || x->bits == ct_lower_bits(opcode)))
			return x;
	}
	return NULL;
}

static int writes_none(const char *name)
{
	return strstr(name, "SETP") || strcmp(name, "FCHK") == 0 || name[0] == 'B';
}

/* A chain: each step needs the one before it, and the operands in turn. Steps that set predicates or
 * guard the slow path write no register. */
int ct_lower_expand(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const struct expansion *x = find(i->opcode);
	if (!x || i->writes != 1 || i->operands < 2)
		return 0;
	uint32_t last = CT_LOWER_RZ;
	unsigned final =
		x->steps; /* behind the step that has the result: the last that writes a register */
	while (final > 0 && writes_none(x->step[final - 1]))
		final--;
	for (unsigned s = 0; s < x->steps; s++) {
		const char *name = x->step[s];
		int none = writes_none(name), end = s + 1 == final;
		uint32_t dst = CT_LOWER_RZ;
		if (end && !none)
			dst = ct_lower_write(u, i->operand[0].number, 0);
		else if (!none) {
			uint32_t value = ct_lower_new_value(u->p, name[0] == 'D' ? 2 : 1);
			u->failed |= value == CT_LOWER_NONE;
			dst = CT_LOWER_PART(value, 0);
		}
		struct ct_lower_source src[2] = {
			{.place = last}, ct_lower_read(u, &i->operand[1 + s % (i->operands - 1)], 0)};
		if (u->p->sm < 80 && strcmp(name, "BSSY") == 0) {
			struct ct_lower_inst *clear = ct_lower_emit(
				u, "BMOV.32.CLEAR", at, CT_LOWER_RZ, 0, src);
			if (clear)
				clear->pure = 0;
		}
		struct ct_lower_inst *m = ct_lower_emit(u, name, at, dst, name[0] == 'B' ? 0 : 2, src);
		if (m && name[0] == 'B')
			m->pure = 0;
		if (dst != CT_LOWER_RZ)
			last = dst;
	}
	return 1;
}

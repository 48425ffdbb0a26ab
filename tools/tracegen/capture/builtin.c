/* What OpenCL's builtin functions cost: chains of SASS-like opcodes.
 *
 * Lengths are those of the usual single-precision expansions (range reduction, MUFU,
 * polynomial); native_ and half_ functions are MUFU alone. They are plausible, not
 * measured: no compiler of a GPU vendor was at hand. */
#include <string.h>

#include "tracegen/capture/ir.h"

struct chain {
	const char *name, *f32, *f64;
};

static const struct chain chains[] = {
	{"acos", "FFMA MUFU.RSQ FMUL FFMA FFMA FFMA FFMA FFMA FSEL", NULL},
	{"asin", "FFMA MUFU.RSQ FMUL FFMA FFMA FFMA FFMA FFMA FSEL", NULL},
	{"atan", "MUFU.RCP FSEL FMUL FFMA FFMA FFMA FFMA FFMA FFMA FSEL", NULL},
	{"atan2", "MUFU.RCP FFMA FFMA FMUL FFMA FFMA FFMA FFMA FFMA FFMA FSEL FSEL", NULL},
	{"cbrt", "MUFU.LG2 FMUL MUFU.EX2 FFMA FFMA", NULL},
	{"ceil", "FRND.CEIL", "FRND.F64.CEIL"},
	{"clamp", "FMNMX FMNMX", "DSETP.MIN.AND FSEL DSETP.MAX.AND FSEL"},
	{"copysign", "LOP3.LUT", "LOP3.LUT"},
	{"cos", "FMUL F2I.NTZ I2F.S32 FFMA FFMA FFMA FMUL FFMA FFMA FFMA FFMA FSEL", NULL},
	{"cosh", "FFMA MUFU.EX2 MUFU.RCP FMUL FFMA", NULL},
	{"degrees", "FMUL", "DMUL"},
	{"distance", "FADD FMUL FADD FFMA MUFU.RSQ FMUL", NULL},
	{"dot", "FMUL FFMA FFMA FFMA", "DMUL DFMA DFMA DFMA"},
	{"erf", "FMUL FFMA FFMA FFMA FFMA FFMA FFMA FFMA MUFU.EX2 FADD FSEL", NULL},
	{"erfc", "FMUL FFMA FFMA FFMA FFMA FFMA FFMA MUFU.RCP FFMA MUFU.EX2 FMUL FSEL", NULL},
	{"exp", "FFMA.SAT FFMA.RM FADD FFMA FFMA MUFU.EX2 FMUL", NULL},
	{"exp10", "FMUL FFMA FFMA MUFU.EX2 FMUL", NULL},
	{"exp2", "FMUL MUFU.EX2 FMUL", NULL},
	{"expm1", "FFMA FFMA FFMA FFMA FFMA MUFU.EX2 FFMA", NULL},
	{"fdim", "FADD FMNMX", "DADD FSEL"},
	{"floor", "FRND.FLOOR", "FRND.F64.FLOOR"},
	{"fma", "FFMA", "DFMA"},
	{"fmax", "FMNMX", "DSETP.MAX.AND FSEL"},
	{"fmin", "FMNMX", "DSETP.MIN.AND FSEL"},
	{"fmod", "MUFU.RCP FMUL FRND.TRUNC FFMA", NULL},
	{"fract", "FRND.FLOOR FADD FMNMX", NULL},
	{"half_cos", "FMUL.RZ MUFU.COS", NULL},
	{"half_divide", "MUFU.RCP FMUL", NULL},
	{"half_exp", "FMUL MUFU.EX2", NULL},
	{"half_log", "MUFU.LG2 FMUL", NULL},
	{"half_recip", "MUFU.RCP", NULL},
	{"half_rsqrt", "MUFU.RSQ", NULL},
	{"half_sin", "FMUL.RZ MUFU.SIN", NULL},
	{"half_sqrt", "MUFU.RSQ FMUL", NULL},
	{"hypot", "FMUL FFMA MUFU.RSQ FMUL FFMA", NULL},
	{"ldexp", "IMAD.SHL.U32 FMUL", "IMAD.SHL.U32 DMUL"},
	{"length", "FMUL FFMA FFMA MUFU.RSQ FMUL", NULL},
	{"fast_length", "FMUL FFMA MUFU.RSQ FMUL", NULL},
	{"log", "FSETP.GEU.AND FMUL IADD3 LOP3.LUT FFMA FFMA FFMA FFMA FFMA FFMA FFMA", NULL},
	{"log10", "MUFU.LG2 FMUL FFMA", NULL},
	{"log1p", "FFMA FFMA FFMA FFMA FFMA FFMA", NULL},
	{"log2", "FMUL MUFU.LG2 FADD", NULL},
	{"mad", "FFMA", "DFMA"},
	{"max", "FMNMX", "DSETP.MAX.AND FSEL"},
	{"min", "FMNMX", "DSETP.MIN.AND FSEL"},
	{"mix", "FADD FFMA", "DADD DFMA"},
	{"native_cos", "FMUL.RZ MUFU.COS", NULL},
	{"native_divide", "MUFU.RCP FMUL", NULL},
	{"native_exp", "FMUL MUFU.EX2", NULL},
	{"native_exp2", "MUFU.EX2", NULL},
	{"native_log", "MUFU.LG2 FMUL", NULL},
	{"native_log2", "MUFU.LG2", NULL},
	{"native_powr", "MUFU.LG2 FMUL MUFU.EX2", NULL},
	{"native_recip", "MUFU.RCP", NULL},
	{"native_rsqrt", "MUFU.RSQ", NULL},
	{"native_sin", "FMUL.RZ MUFU.SIN", NULL},
	{"native_sqrt", "MUFU.RSQ FMUL", NULL},
	{"native_tan", "FMUL.RZ MUFU.SIN MUFU.COS MUFU.RCP FMUL", NULL},
	{"normalize", "FMUL FFMA MUFU.RSQ FMUL", NULL},
	{"fast_normalize", "FMUL FFMA MUFU.RSQ FMUL", NULL},
	{"pow", "FMUL MUFU.LG2 FFMA FFMA FFMA FFMA FFMA FMUL FFMA FRND FADD FFMA MUFU.EX2 FMUL FSEL",
         NULL},
	{"pown", "FMUL MUFU.LG2 FFMA FFMA FMUL FFMA FRND FADD FFMA MUFU.EX2 FMUL", NULL},
	{"powr", "FMUL MUFU.LG2 FFMA FFMA FMUL FFMA FRND FADD FFMA MUFU.EX2 FMUL", NULL},
	{"radians", "FMUL", "DMUL"},
	{"remainder", "MUFU.RCP FMUL FRND FFMA", NULL},
	{"rint", "FRND", "FRND.F64"},
	{"round", "FADD FRND.TRUNC FSEL", NULL},
	{"rsqrt", "MUFU.RSQ", "MUFU.RSQ64H DMUL DFMA DFMA DMUL DFMA"},
	{"sign", "FSETP.GT.AND FSEL FSEL", NULL},
	{"sin", "FMUL F2I.NTZ I2F.S32 FFMA FFMA FFMA FMUL FFMA FFMA FFMA FFMA FSEL", NULL},
	{"sincos", "FMUL F2I.NTZ I2F.S32 FFMA FFMA FFMA FMUL FFMA FFMA FFMA FFMA FFMA FFMA FSEL FSEL",
         NULL},
	{"sinh", "FFMA MUFU.EX2 MUFU.RCP FMUL FFMA FSEL", NULL},
	{"smoothstep", "FADD MUFU.RCP FMUL FADD.SAT FFMA FMUL FMUL", NULL},
	{"sqrt", "MUFU.RSQ FMUL FFMA FFMA", "MUFU.RSQ64H DMUL DFMA DFMA DMUL DFMA DFMA DFMA"},
	{"step", "FSETP.GEU.AND FSEL", NULL},
	{"tan", "FMUL F2I.NTZ I2F.S32 FFMA FFMA FMUL FFMA FFMA FFMA MUFU.RCP FSEL", NULL},
	{"tanh", "FMUL MUFU.EX2 FADD MUFU.RCP FFMA", NULL},
	{"trunc", "FRND.TRUNC", "FRND.F64.TRUNC"},
	{"fmuladd", "FFMA", "DFMA"},
	{"minnum", "FMNMX", "DSETP.MIN.AND FSEL"},
	{"maxnum", "FMNMX", "DSETP.MAX.AND FSEL"},
};

/* The same names on integers, and functions on integers only. */
/* clang-format off */
static const struct chain integers[] = {
	{"abs", "IABS", NULL}, {"abs_diff", "IADD3 IABS", NULL}, {"add_sat", "IADD3 SEL", NULL},
	{"bitselect", "LOP3.LUT", NULL}, {"clamp", "IMNMX IMNMX", NULL}, {"clz", "FLO.U32 IADD3", NULL},
	{"ctlz", "FLO.U32 IADD3", NULL}, {"ctpop", "POPC", NULL}, {"cttz", "BREV FLO.U32 IADD3", NULL},
	{"fshl", "SHF.L.W.U32.HI", NULL}, {"fshr", "SHF.R.W.U32", NULL}, {"hadd", "IADD3 SHF.R.S32.HI", NULL},
	{"mad24", "IMAD", NULL}, {"mad_hi", "IMAD.HI.U32", NULL}, {"max", "IMNMX", NULL},
	{"min", "IMNMX", NULL}, {"mul24", "IMAD", NULL}, {"mul_hi", "IMAD.HI.U32", NULL},
	{"popcount", "POPC", NULL}, {"rhadd", "IADD3 SHF.R.S32.HI", NULL},
	{"rotate", "SHF.L.W.U32.HI", NULL}, {"select", "SEL", NULL}, {"smax", "IMNMX", NULL},
	{"smin", "IMNMX", NULL}, {"sub_sat", "IADD3 SEL", NULL}, {"umax", "IMNMX.U32", NULL},
	{"umin", "IMNMX.U32", NULL}, {"upsample", "PRMT", NULL}, {"isnan", "FSETP.NAN.AND SEL", NULL},
	{"isinf", "FSETP.NEU.AND SEL", NULL}, {"any", "ISETP.NE.AND SEL", NULL}, {"all", "ISETP.NE.AND SEL", NULL},
	{"isequal", "FSETP.EQ.AND SEL", NULL}, {"isless", "FSETP.LT.AND SEL", NULL},
	{"isgreater", "FSETP.GT.AND SEL", NULL}, {"ilogb", "FLO.U32 IADD3", NULL},
};
/* clang-format on */

/* Double-precision functions without a chain of their own: a reduction, a seed, a polynomial. */
static const char double_chain[] =
	"DMUL DFMA DFMA DFMA DFMA DFMA DFMA DFMA DFMA DFMA DFMA DFMA DADD DMUL";

const char *cap_builtin_chain(const char *name, int is_double, int is_float)
{
	if (strncmp(name, "llvm.", 5) == 0)
		name += 5;
	if (strncmp(name, "convert_", 8) == 0)
		return strncmp(name + 8, "float", 5) == 0    ? "I2F.S32"
		       : strncmp(name + 8, "double", 6) == 0 ? "F2F.F64.F32"
		       : is_float                            ? "F2I.TRUNC.NTZ"
		                                             : "PRMT";
	const struct chain *table = is_float ? chains : integers;
	size_t n = is_float ? sizeof chains / sizeof *chains : sizeof integers / sizeof *integers;
	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i].name, name) == 0)
			return !is_double ? table[i].f32 : table[i].f64 ? table[i].f64 : double_chain;
	return NULL;
}

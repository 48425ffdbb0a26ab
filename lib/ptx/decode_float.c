/* Floating-point arithmetic and functions. */
#include <string.h>

#include "ptx/decode.h"

/* Bits of `mode` for what the form asks. */
static unsigned float_mode(const struct ct_ptx_form *f)
{
	return (f->modifiers & CT_PTX_M_FTZ ? CT_PTX_FTZ : 0u) |
	       (f->modifiers & CT_PTX_M_SAT ? CT_PTX_SAT : 0u) |
	       (f->modifiers & (CT_PTX_M_APPROX | CT_PTX_M_FULL) ? CT_PTX_APPROX : 0u) |
	       (f->modifiers & CT_PTX_M_NAN ? CT_PTX_WITH_NAN : 0u) |
	       (f->modifiers & CT_PTX_M_XORSIGN ? CT_PTX_XORSIGN : 0u) |
	       (f->modifiers & CT_PTX_M_RELU ? CT_PTX_RELU : 0u);
}

/* Emits the vectorised operation where there is one for exactly this form, else the general one. `fast` is that of single precision. */
static int emit_float(struct ct_ptx_reader *r, const struct ct_ptx_form *f, int fast, int any,
                      unsigned sources)
{
	enum ct_ptx_type type = f->type[0];
	unsigned mode = float_mode(f);
	int plain = fast >= 0 && (type == CT_PTX_F32 || type == CT_PTX_F64) && f->round == CT_PTX_RN &&
	            !(mode & ~(unsigned)(CT_PTX_APPROX | CT_PTX_FTZ));
	int of_type = type == CT_PTX_F64 ? 1 : mode & CT_PTX_FTZ ? 2 : 0;
	int rc = ct_ptx_want_args(r, sources + 1, sources + 1);
	if (rc < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, plain ? fast + of_type : CT_PTX_float_any);
	if (!o)
		return CT_ERR_NOMEM;
	if (!plain) {
		o->count = (uint8_t)any;
		o->width = (uint8_t)type;
		o->mode = (uint8_t)mode;
		o->round = (uint8_t)f->round;
	}
	return ct_ptx_rows(r, o, sources, type);
}

/* What each type allows of the modifiers that the instruction takes at all. */
static int check_float(struct ct_ptx_reader *r, const struct ct_ptx_form *f)
{
	enum ct_ptx_type type = f->type[0];
	if (!ct_ptx_is_float(type))
		return ct_ptx_unknown(r, NULL);
	if (type == CT_PTX_F64 && (f->modifiers & (CT_PTX_M_SAT | CT_PTX_M_RELU | CT_PTX_M_NAN)))
		return ct_ptx_unknown(r, NULL);
	if (type != CT_PTX_F32 && type != CT_PTX_F64 && f->round != CT_PTX_RN)
		return ct_ptx_unknown(r, NULL);
	if (!(f->modifiers & CT_PTX_M_XORSIGN) != !(f->modifiers & CT_PTX_M_ABS))
		return ct_ptx_unknown(r, NULL);
	return CT_OK;
}

int ct_ptx_decode_float(struct ct_ptx_reader *r, int fast, int any, unsigned sources)
{
	unsigned allowed = CT_PTX_M_FTZ | CT_PTX_M_NOFTZ;
	struct ct_ptx_form f;
	switch (any) {
	case CT_PTX_FADD:
	case CT_PTX_FSUB:
	case CT_PTX_FMUL: allowed |= CT_PTX_M_ROUND | CT_PTX_M_SAT; break;
	case CT_PTX_FFMA: allowed |= CT_PTX_M_ROUND | CT_PTX_M_SAT | CT_PTX_M_RELU; break;
	case CT_PTX_FDIV: allowed |= CT_PTX_M_ROUND | CT_PTX_M_APPROX | CT_PTX_M_FULL; break;
	case CT_PTX_FMIN:
	case CT_PTX_FMAX: allowed |= CT_PTX_M_NAN | CT_PTX_M_XORSIGN | CT_PTX_M_ABS; break;
	default: break;
	}
	int rc = ct_ptx_form(r, allowed, 1, &f);
	if (rc < 0 || (rc = check_float(r, &f)) < 0)
		return rc;
	if (any == CT_PTX_FDIV && f.type[0] != CT_PTX_F32 && f.type[0] != CT_PTX_F64)
		return ct_ptx_unknown(r, NULL);
	return emit_float(r, &f, fast, any, sources);
}

int ct_ptx_decode_fma(struct ct_ptx_reader *r)
{
	return ct_ptx_decode_float(r, CT_PTX_fma_f32, CT_PTX_FFMA, 3);
}

/* rcp, sqrt, rsqrt, sin, cos, lg2, ex2 and tanh, for the types that PTX has them for. */
int ct_ptx_decode_function(struct ct_ptx_reader *r)
{
	static const struct {
		const char *name;
		int any, fast;
		unsigned modifiers;
		unsigned types;
	} known[] = {{"rcp", CT_PTX_FRCP, CT_PTX_frcp_f32, CT_PTX_M_ROUND, 2},
	             {"sqrt", CT_PTX_FSQRT, CT_PTX_fsqrt_f32, CT_PTX_M_ROUND, 2},
	             {"rsqrt", CT_PTX_FRSQRT, CT_PTX_frsqrt_f32, 0, 2},
	             {"sin", CT_PTX_FSIN, -1, 0, 1},
	             {"cos", CT_PTX_FCOS, -1, 0, 1},
	             {"lg2", CT_PTX_FLG2, -1, 0, 1},
	             {"ex2", CT_PTX_FEX2, -1, 0, 3},
	             {"tanh", CT_PTX_FTANH, -1, 0, 3}};
	unsigned k = 0;
	struct ct_ptx_form f;
	while (strcmp(known[k].name, r->s.atom[0]) != 0)
		k++;
	int rc = ct_ptx_form(r, CT_PTX_M_FTZ | CT_PTX_M_APPROX | known[k].modifiers, 1, &f);
	if (rc < 0)
		return rc;
	int single = f.type[0] == CT_PTX_F32, twice = f.type[0] == CT_PTX_F64 && known[k].types == 2;
	int half = ct_ptx_is_float(f.type[0]) && !single && f.type[0] != CT_PTX_F64 &&
	           known[k].types == 3;
	if ((!single && !twice && !half) || !(f.modifiers & (CT_PTX_M_APPROX | CT_PTX_M_ROUND)))
		return ct_ptx_unknown(r, NULL);
	int halved = twice && known[k].any == CT_PTX_FRCP && f.modifiers & CT_PTX_M_APPROX;
	return emit_float(r, &f, halved ? -1 : known[k].fast, known[k].any, 1);
}

int ct_ptx_decode_copysign(struct ct_ptx_reader *r)
{
	struct ct_ptx_form f;
	int rc = ct_ptx_form(r, 0, 1, &f);
	if (rc < 0)
		return rc;
	if (f.type[0] != CT_PTX_F32 && f.type[0] != CT_PTX_F64)
		return ct_ptx_unknown(r, NULL);
	return emit_float(r, &f, -1, CT_PTX_FCOPYSIGN, 2);
}

/* testp: whether a number is finite, infinite, a NaN and so on. */
int ct_ptx_decode_testp(struct ct_ptx_reader *r)
{
	static const char *const tests[] = {
		"finite", "infinite", "number", "notanumber", "normal", "subnormal", NULL};
	int test = ct_ptx_take_one(r, tests), rc;
	struct ct_ptx_form f;
	if ((rc = ct_ptx_form(r, 0, 1, &f)) < 0 || (rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	if (test < 0 || (f.type[0] != CT_PTX_F32 && f.type[0] != CT_PTX_F64))
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_testp);
	if (!o)
		return CT_ERR_NOMEM;
	o->mode = (uint8_t)test;
	o->width = (uint8_t)f.type[0];
	rc = ct_ptx_predicate_result(r, &r->s.arg[0], &o->p);
	return rc < 0 ? rc : ct_ptx_row(r, &r->s.arg[1], f.type[0], &o->a);
}

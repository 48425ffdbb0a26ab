/* Integer arithmetic, logic and bit fields. */
#include "ptx/decode.h"

#include <string.h>

/* The last part of the opcode is the type that decides between integers and floating point. */
static enum ct_ptx_type last_type(const struct ct_ptx_reader *r)
{
	const char *atom = r->s.atom[r->s.natoms - 1];
	int type = ct_ptx_type_named(atom, strlen(atom));
	return type < 0 ? CT_PTX_B8 : (enum ct_ptx_type)type;
}

/* Emits an operation of three widths (place3) or six types whose operands all have the type. */
static int emit_same(struct ct_ptx_reader *r, int code, int place, unsigned sources,
                     enum ct_ptx_type type)
{
	int rc = ct_ptx_want_args(r, sources + 1, sources + 1);
	if (rc < 0)
		return rc;
	if (place < 0)
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, code + place);
	return o ? ct_ptx_rows(r, o, sources, type) : CT_ERR_NOMEM;
}

/* Addition and subtraction with carry go through a predicate of the function. */
static int emit_carry(struct ct_ptx_reader *r, int code, enum ct_ptx_type type, int in, int out)
{
	int place = ct_ptx_place3(type), rc = ct_ptx_want_args(r, 3, 3);
	if (rc < 0)
		return rc;
	if (place < 1)
		return ct_ptx_unknown(r, NULL);
	uint32_t carry = ct_ptx_scratch(r, CT_PTX_CARRY);
	struct ct_ptx_op *o = ct_ptx_emit(r, code);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)ct_ptx_type_bytes(type);
	o->s = in ? carry : CT_PTX_FALSE;
	o->p = out ? carry : CT_PTX_NO_PREDICATE;
	return ct_ptx_rows(r, o, 2, type);
}

static int saturating(struct ct_ptx_reader *r, int code, const struct ct_ptx_form *f)
{
	if (f->type[0] != CT_PTX_S32)
		return ct_ptx_unknown(r, NULL);
	int rc = emit_same(r, code, 0, 2, f->type[0]);
	if (rc == CT_OK)
		r->m->op[r->m->nops - 1].mode = CT_PTX_SAT;
	return rc;
}

static int decode_sum(struct ct_ptx_reader *r, int code, int fast, int any, int carry)
{
	struct ct_ptx_form f;
	if (ct_ptx_is_float(last_type(r)))
		return ct_ptx_decode_float(r, fast, any, 2);
	int rc = ct_ptx_form(r, CT_PTX_M_SAT | CT_PTX_M_CC, 1, &f);
	if (rc < 0)
		return rc;
	if (f.modifiers & CT_PTX_M_CC)
		return emit_carry(r, carry, f.type[0], 0, 1);
	if (f.modifiers & CT_PTX_M_SAT)
		return saturating(r, code == CT_PTX_add_b16 ? CT_PTX_add_sat : CT_PTX_sub_sat, &f);
	return emit_same(r, code, ct_ptx_place3(f.type[0]), 2, f.type[0]);
}

int ct_ptx_decode_add(struct ct_ptx_reader *r)
{
	return decode_sum(r, CT_PTX_add_b16, CT_PTX_fadd_f32, CT_PTX_FADD, CT_PTX_add_carry);
}

int ct_ptx_decode_sub(struct ct_ptx_reader *r)
{
	return decode_sum(r, CT_PTX_sub_b16, CT_PTX_fsub_f32, CT_PTX_FSUB, CT_PTX_sub_carry);
}

/* Type of a .wide result: twice as wide. */
static enum ct_ptx_type wide_type(enum ct_ptx_type t)
{
	return ct_ptx_type_bytes(t) == 2 ? CT_PTX_B32 : CT_PTX_B64;
}

/* A product of two numbers with twice their width, and perhaps a sum of that width. */
static int emit_wide(struct ct_ptx_reader *r, int code, enum ct_ptx_type type, unsigned sources)
{
	static const int place[CT_PTX_TYPES] = {
		[CT_PTX_U16] = 1, [CT_PTX_U32] = 2, [CT_PTX_S16] = 3, [CT_PTX_S32] = 4};
	const struct ct_ptx_arg *a = r->s.arg;
	int rc = ct_ptx_want_args(r, sources + 1, sources + 1);
	if (rc < 0)
		return rc;
	if (!place[type])
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, code + place[type] - 1);
	if (!o)
		return CT_ERR_NOMEM;
	if ((rc = ct_ptx_result(r, &a[0], wide_type(type), &o->d)) < 0 ||
	    (rc = ct_ptx_row(r, &a[1], type, &o->a)) < 0 || (rc = ct_ptx_row(r, &a[2], type, &o->b)) < 0)
		return rc;
	return sources > 2 ? ct_ptx_row(r, &a[3], wide_type(type), &o->c) : CT_OK;
}

/* mul: the low half, the high half or the whole of a product, or one of floating-point numbers. */
int ct_ptx_decode_mul(struct ct_ptx_reader *r)
{
	struct ct_ptx_form f;
	if (ct_ptx_is_float(last_type(r)))
		return ct_ptx_decode_float(r, CT_PTX_fmul_f32, CT_PTX_FMUL, 2);
	int rc = ct_ptx_form(r, CT_PTX_M_LO | CT_PTX_M_HI | CT_PTX_M_WIDE, 1, &f);
	if (rc < 0)
		return rc;
	if (f.modifiers == CT_PTX_M_WIDE)
		return emit_wide(r, CT_PTX_mulwide_u16, f.type[0], 2);
	if (f.modifiers == CT_PTX_M_HI)
		return emit_same(r, CT_PTX_mulhi_u16, ct_ptx_place6(f.type[0]), 2, f.type[0]);
	if (f.modifiers == CT_PTX_M_LO)
		return emit_same(r, CT_PTX_mul_b16,
		                 ct_ptx_place6(f.type[0]) < 0 ? -1 : ct_ptx_place3(f.type[0]), 2,
		                 f.type[0]);
	return ct_ptx_unknown(r, "one of .lo, .hi and .wide is needed");
}

/* mad: mul and add in one; with .cc it is one of the instructions with a carry. */
int ct_ptx_decode_mad(struct ct_ptx_reader *r)
{
	struct ct_ptx_form f;
	if (ct_ptx_is_float(last_type(r)))
		return ct_ptx_decode_float(r, CT_PTX_fma_f32, CT_PTX_FFMA, 3);
	for (unsigned i = 1; i < r->s.natoms; i++)
		if (strcmp(r->s.atom[i], "cc") == 0)
			return ct_ptx_decode_carry(r);
	int rc = ct_ptx_form(r, CT_PTX_M_LO | CT_PTX_M_HI | CT_PTX_M_WIDE | CT_PTX_M_SAT, 1, &f);
	if (rc < 0)
		return rc;
	if (f.modifiers == CT_PTX_M_WIDE)
		return emit_wide(r, CT_PTX_madwide_u16, f.type[0], 3);
	if (f.modifiers == CT_PTX_M_HI)
		return emit_same(r, CT_PTX_madhi_u16, ct_ptx_place6(f.type[0]), 3, f.type[0]);
	if (f.modifiers == CT_PTX_M_LO)
		return emit_same(r, CT_PTX_mad_b16,
		                 ct_ptx_place6(f.type[0]) < 0 ? -1 : ct_ptx_place3(f.type[0]), 3,
		                 f.type[0]);
	return ct_ptx_unknown(r,
	                      f.modifiers & CT_PTX_M_SAT ? NULL : "one of .lo, .hi and .wide is needed");
}

/* Product into a scratch row, then the sum with carry: mad.cc and madc. */
static int multiply_with_carry(struct ct_ptx_reader *r, const struct ct_ptx_form *f, int in)
{
	const struct ct_ptx_arg *a = r->s.arg;
	enum ct_ptx_type type = f->type[0];
	int high = f->modifiers & CT_PTX_M_HI, place = high ? ct_ptx_place6(type) : ct_ptx_place3(type);
	int rc = ct_ptx_want_args(r, 4, 4);
	if (rc < 0)
		return rc;
	if (ct_ptx_place3(type) < 1 || ct_ptx_place6(type) < 0 ||
	    !(f->modifiers & (CT_PTX_M_LO | CT_PTX_M_HI)))
		return ct_ptx_unknown(r, NULL);
	uint32_t product = ct_ptx_scratch(
		r, ct_ptx_type_bytes(type) == 4 ? CT_PTX_SCRATCH_32 : CT_PTX_SCRATCH_64);
	uint32_t carry = ct_ptx_scratch(r, CT_PTX_CARRY);
	struct ct_ptx_op *o = ct_ptx_emit(r, (high ? CT_PTX_mulhi_u16 : CT_PTX_mul_b16) + place);
	if (!o)
		return CT_ERR_NOMEM;
	o->d = product;
	if ((rc = ct_ptx_row(r, &a[1], type, &o->a)) < 0 || (rc = ct_ptx_row(r, &a[2], type, &o->b)) < 0)
		return rc;
	if (!(o = ct_ptx_emit(r, CT_PTX_add_carry)))
		return CT_ERR_NOMEM;
	o->width = (uint8_t)ct_ptx_type_bytes(type);
	o->a = product;
	o->s = in ? carry : CT_PTX_FALSE;
	o->p = f->modifiers & CT_PTX_M_CC ? carry : CT_PTX_NO_PREDICATE;
	rc = ct_ptx_result(r, &a[0], type, &o->d);
	return rc < 0 ? rc : ct_ptx_row(r, &a[3], type, &o->b);
}

int ct_ptx_decode_carry(struct ct_ptx_reader *r)
{
	const char *name = r->s.atom[0];
	struct ct_ptx_form f;
	int multiply = name[0] == 'm',
	    rc = ct_ptx_form(r, CT_PTX_M_CC | (multiply ? CT_PTX_M_LO | CT_PTX_M_HI : 0u), 1, &f);
	if (rc < 0)
		return rc;
	if (multiply)
		return multiply_with_carry(r, &f, name[3] == 'c');
	return emit_carry(r, name[0] == 'a' ? CT_PTX_add_carry : CT_PTX_sub_carry, f.type[0], 1,
	                  (f.modifiers & CT_PTX_M_CC) != 0);
}

int ct_ptx_decode_div(struct ct_ptx_reader *r)
{
	struct ct_ptx_form f;
	if (ct_ptx_is_float(last_type(r)))
		return ct_ptx_decode_float(r, CT_PTX_fdiv_f32, CT_PTX_FDIV, 2);
	int rc = ct_ptx_form(r, 0, 1, &f);
	return rc < 0 ? rc : emit_same(r, CT_PTX_div_u16, ct_ptx_place6(f.type[0]), 2, f.type[0]);
}

int ct_ptx_decode_rem(struct ct_ptx_reader *r)
{
	struct ct_ptx_form f;
	int rc = ct_ptx_form(r, 0, 1, &f);
	return rc < 0 ? rc : emit_same(r, CT_PTX_rem_u16, ct_ptx_place6(f.type[0]), 2, f.type[0]);
}

int ct_ptx_decode_sad(struct ct_ptx_reader *r)
{
	struct ct_ptx_form f;
	int rc = ct_ptx_form(r, 0, 1, &f);
	return rc < 0 ? rc : emit_same(r, CT_PTX_sad_u16, ct_ptx_place6(f.type[0]), 3, f.type[0]);
}

int ct_ptx_decode_unary(struct ct_ptx_reader *r)
{
	int absolute = r->s.atom[0][0] == 'a';
	struct ct_ptx_form f;
	if (ct_ptx_is_float(last_type(r)))
		return ct_ptx_decode_float(r, absolute ? CT_PTX_fabs_f32 : CT_PTX_fneg_f32,
		                           absolute ? CT_PTX_FABS : CT_PTX_FNEG, 1);
	int rc = ct_ptx_form(r, 0, 1, &f);
	if (rc < 0)
		return rc;
	if (!ct_ptx_is_signed(f.type[0]))
		return ct_ptx_unknown(r, NULL);
	return absolute ? emit_same(r, CT_PTX_abs_u16, ct_ptx_place6(f.type[0]), 1, f.type[0])
	                : emit_same(r, CT_PTX_neg_b16, ct_ptx_place3(f.type[0]), 1, f.type[0]);
}

int ct_ptx_decode_minmax(struct ct_ptx_reader *r)
{
	int least = r->s.atom[0][1] == 'i';
	struct ct_ptx_form f;
	if (ct_ptx_is_float(last_type(r)))
		return ct_ptx_decode_float(r, least ? CT_PTX_fmin_f32 : CT_PTX_fmax_f32,
		                           least ? CT_PTX_FMIN : CT_PTX_FMAX, 2);
	int rc = ct_ptx_form(r, 0, 1, &f);
	return rc < 0 ? rc
	              : emit_same(r, least ? CT_PTX_min_u16 : CT_PTX_max_u16, ct_ptx_place6(f.type[0]),
	                          2, f.type[0]);
}

/* Predicates: and, or, xor, not as words of one bit a lane. */
static int logic_of_predicates(struct ct_ptx_reader *r, int join)
{
	const struct ct_ptx_arg *a = r->s.arg;
	unsigned sources = join == CT_PTX_JOIN_NOT ? 1 : 2;
	int rc = ct_ptx_want_args(r, sources + 1, sources + 1);
	if (rc < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_pred);
	if (!o)
		return CT_ERR_NOMEM;
	o->round = (uint8_t)join;
	if ((rc = ct_ptx_predicate_result(r, &a[0], &o->p)) < 0 ||
	    (rc = ct_ptx_predicate(r, &a[1], &o->s)) < 0)
		return rc;
	return sources > 1 ? ct_ptx_predicate(r, &a[2], &o->q) : CT_OK;
}

/* and, or, xor, not and cnot, of registers or of predicates. */
int ct_ptx_decode_logic(struct ct_ptx_reader *r)
{
	static const struct {
		const char *name;
		int code, join;
	} known[] = {{"and", CT_PTX_and_b16, CT_PTX_JOIN_AND},
	             {"or", CT_PTX_or_b16, CT_PTX_JOIN_OR},
	             {"xor", CT_PTX_xor_b16, CT_PTX_JOIN_XOR},
	             {"not", CT_PTX_not_b16, CT_PTX_JOIN_NOT},
	             {"cnot", CT_PTX_cnot_b16, CT_PTX_JOIN_NONE}};
	struct ct_ptx_form f;
	unsigned k = 0;
	int rc = ct_ptx_form(r, 0, 1, &f);
	while (strcmp(known[k].name, r->s.atom[0]) != 0)
		k++;
	if (rc < 0)
		return rc;
	if (f.type[0] == CT_PTX_PRED && known[k].join != CT_PTX_JOIN_NONE)
		return logic_of_predicates(r, known[k].join);
	if (f.type[0] > CT_PTX_B64)
		return ct_ptx_unknown(r, NULL);
	return emit_same(r, known[k].code, ct_ptx_place3(f.type[0]), k < 3 ? 2 : 1, f.type[0]);
}

/* Decodes shl and shr, whose amount is a 32-bit number for every type. */
int ct_ptx_decode_shift(struct ct_ptx_reader *r)
{
	const struct ct_ptx_arg *a = r->s.arg;
	int left = r->s.atom[0][2] == 'l', rc;
	struct ct_ptx_form f;
	if ((rc = ct_ptx_form(r, 0, 1, &f)) < 0 || (rc = ct_ptx_want_args(r, 3, 3)) < 0)
		return rc;
	int place = ct_ptx_place3(f.type[0]);
	if (place < 0 || (left && f.type[0] > CT_PTX_B64))
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(
		r, left ? CT_PTX_shl_b16 + place
			: CT_PTX_shr_u16 + place + (ct_ptx_is_signed(f.type[0]) ? 3 : 0));
	if (!o)
		return CT_ERR_NOMEM;
	if ((rc = ct_ptx_result(r, &a[0], f.type[0], &o->d)) < 0 ||
	    (rc = ct_ptx_row(r, &a[1], f.type[0], &o->a)) < 0)
		return rc;
	return ct_ptx_row(r, &a[2], CT_PTX_U32, &o->b); /* the amount always has 32 bits */
}

/* Decodes popc, clz, bfind and brev; but for brev the result is a 32-bit number. */
int ct_ptx_decode_bits(struct ct_ptx_reader *r)
{
	static const struct {
		const char *name;
		int code;
	} known[] = {{"popc", CT_PTX_popc},
	             {"clz", CT_PTX_clz},
	             {"bfind", CT_PTX_bfind},
	             {"brev", CT_PTX_brev}};
	struct ct_ptx_form f;
	unsigned k = 0;
	int rc;
	while (strcmp(known[k].name, r->s.atom[0]) != 0)
		k++;
	if ((rc = ct_ptx_form(r, known[k].code == CT_PTX_bfind ? CT_PTX_M_SHIFTAMT : 0, 1, &f)) < 0 ||
	    (rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	if (ct_ptx_place3(f.type[0]) < 1 || (known[k].code != CT_PTX_bfind) != (f.type[0] <= CT_PTX_B64))
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, known[k].code);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)ct_ptx_type_bytes(f.type[0]);
	o->mode = (uint8_t)((f.modifiers & CT_PTX_M_SHIFTAMT ? 2 : 0) + ct_ptx_is_signed(f.type[0]));
	rc = ct_ptx_result(r, &r->s.arg[0], known[k].code == CT_PTX_brev ? f.type[0] : CT_PTX_U32,
	                   &o->d);
	return rc < 0 ? rc : ct_ptx_row(r, &r->s.arg[1], f.type[0], &o->a);
}

/* Which operands of a bit-field instruction have the type, and which have 32 bits: "t" and "w";
 * the first is the result. */
struct field_form {
	const char *name, *operands;
	int code;
	unsigned modifiers, widths; /* widths: sum of the bytes allowed */
	int sign;                   /* types with a sign, rather than b */
};

static const struct field_form field_forms[] = {
	{"bfe", "ttww", CT_PTX_bfe, 0, 12, 1},
	{"bfi", "tttww", CT_PTX_bfi, 0, 12, 0},
	{"bmsk", "www", CT_PTX_bmsk, CT_PTX_M_CLAMP | CT_PTX_M_WRAP, 4, 0},
	{"fns", "wwww", CT_PTX_fns, 0, 4, 0},
	{"lop3", "wwwwi", CT_PTX_lop3, 0, 4, 0},
	{"prmt", "wwww", CT_PTX_prmt, 0, 4, 0},
	{"shf", "wwww", CT_PTX_shf, CT_PTX_M_L | CT_PTX_M_R | CT_PTX_M_CLAMP | CT_PTX_M_WRAP, 4, 0},
	{"szext", "www", CT_PTX_szext, CT_PTX_M_CLAMP | CT_PTX_M_WRAP, 4, 1}};

/* Reads the operands that the table says for this instruction. bfi has one more source than an operation
 * has room for: it goes behind. */
static int field_operands(struct ct_ptx_reader *r, const struct field_form *k, enum ct_ptx_type type,
                          struct ct_ptx_op *o)
{
	const struct ct_ptx_arg *a = r->s.arg;
	uint32_t fourth = 0, *source[] = {&o->a, &o->b, &o->c, &fourth};
	int rc = ct_ptx_result(r, &a[0], type, &o->d);
	for (unsigned i = 1; rc == CT_OK && k->operands[i]; i++) {
		if (k->operands[i] == 'i') {
			if (a[i].kind != CT_PTX_ARG_INTEGER || a[i].value > 255)
				return ct_ptx_unknown(r, "its table must be a constant up to 255");
			o->imm = (int64_t)a[i].value;
		} else {
			rc = ct_ptx_row(r, &a[i], k->operands[i] == 't' ? type : CT_PTX_B32,
			                source[i - 1]);
		}
	}
	if (rc == CT_OK && k->code == CT_PTX_bfi) {
		o->extra = (uint32_t)r->m->nextra;
		rc = ct_ptx_extra(r, fourth);
	}
	return rc;
}

/* bfe, bfi, prmt, shf, lop3 and others of the table field_forms. */
int ct_ptx_decode_fields(struct ct_ptx_reader *r)
{
	static const char *const prmt_modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16", NULL};
	const struct field_form *k = field_forms;
	struct ct_ptx_form f;
	int rc, mode = 0;
	while (strcmp(k->name, r->s.atom[0]) != 0)
		k++;
	if (k->code == CT_PTX_prmt && r->s.natoms > 2) { /* prmt.b32.f4e */
		unsigned last = r->s.natoms - 1;
		r->s.next_atom = last;
		mode = 1 + ct_ptx_take_one(r, prmt_modes);
		r->s.next_atom = 1;
		r->s.natoms -= mode > 0;
	}
	if ((rc = ct_ptx_form(r, k->modifiers, 1, &f)) < 0 ||
	    (rc = ct_ptx_want_args(r, (unsigned)strlen(k->operands), (unsigned)strlen(k->operands))) < 0)
		return rc;
	unsigned bytes = ct_ptx_type_bytes(f.type[0]);
	if (ct_ptx_place3(f.type[0]) < 0 || !(bytes & k->widths) ||
	    k->sign != (f.type[0] > CT_PTX_B64) ||
	    (k->code == CT_PTX_shf && (!(f.modifiers & (CT_PTX_M_L | CT_PTX_M_R)) ||
	                               !(f.modifiers & (CT_PTX_M_CLAMP | CT_PTX_M_WRAP)))))
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, k->code);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)bytes;
	o->mode = (uint8_t)(mode ? mode
	                         : ct_ptx_is_signed(f.type[0]) | (f.modifiers & CT_PTX_M_WRAP ? 2 : 0) |
	                                    (f.modifiers & CT_PTX_M_R ? 4 : 0));
	return field_operands(r, k, f.type[0], o);
}

int ct_ptx_decode_mul24(struct ct_ptx_reader *r)
{
	int add = r->s.atom[0][1] == 'a';
	struct ct_ptx_form f;
	int rc = ct_ptx_form(r, CT_PTX_M_LO | CT_PTX_M_HI, 1, &f);
	if (rc < 0)
		return rc;
	if (f.type[0] != CT_PTX_U32 && f.type[0] != CT_PTX_S32)
		return ct_ptx_unknown(r, NULL);
	rc = emit_same(r, add ? CT_PTX_mad24 : CT_PTX_mul24, 0, add ? 3 : 2, f.type[0]);
	if (rc == CT_OK)
		r->m->op[r->m->nops - 1].mode = (uint8_t)(ct_ptx_is_signed(f.type[0]) |
		                                          (f.modifiers & CT_PTX_M_HI ? 2 : 0));
	return rc;
}

/* dp4a.s32.u32 d, a, b, c; dp2a.lo.u32.u32 too */
int ct_ptx_decode_dot(struct ct_ptx_reader *r)
{
	int four = r->s.atom[0][2] == '4';
	struct ct_ptx_form f;
	int rc = ct_ptx_form(r, four ? 0 : CT_PTX_M_LO | CT_PTX_M_HI, 2, &f);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < 2; i++)
		if (f.type[i] != CT_PTX_U32 && f.type[i] != CT_PTX_S32)
			return ct_ptx_unknown(r, NULL);
	rc = emit_same(r, four ? CT_PTX_dp4a : CT_PTX_dp2a, 0, 3, CT_PTX_B32);
	if (rc == CT_OK)
		r->m->op[r->m->nops - 1].mode = (uint8_t)(ct_ptx_is_signed(f.type[0]) |
		                                          ct_ptx_is_signed(f.type[1]) << 1 |
		                                          (f.modifiers & CT_PTX_M_HI ? 4 : 0));
	return rc;
}

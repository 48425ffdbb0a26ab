/* Comparisons and what selects by them. */
#include <string.h>

#include "ptx/decode.h"

/* A comparison as one of enum ct_ptx_compare, of swapped operands or with its result turned. */
struct comparison {
	const char *name;
	unsigned char integer, integer_turned, real, real_swapped, real_turned;
	char kind; /* b: of bits, s: of any integer, u: of unsigned ones, f: of floating point only, a: of all */
};

static const struct comparison comparisons[] = {
	{"eq", CT_PTX_EQ, 0, CT_PTX_EQ, 0, 0, 'a'}, {"ne", CT_PTX_EQ, 1, CT_PTX_NE, 0, 0, 'a'},
	{"lt", CT_PTX_LT, 0, CT_PTX_LT, 0, 0, 's'}, {"le", CT_PTX_LE, 0, CT_PTX_LE, 0, 0, 's'},
	{"gt", CT_PTX_LE, 1, CT_PTX_LT, 1, 0, 's'}, {"ge", CT_PTX_LT, 1, CT_PTX_LE, 1, 0, 's'},
	{"lo", CT_PTX_LT, 0, 0, 0, 0, 'u'},         {"ls", CT_PTX_LE, 0, 0, 0, 0, 'u'},
	{"hi", CT_PTX_LE, 1, 0, 0, 0, 'u'},         {"hs", CT_PTX_LT, 1, 0, 0, 0, 'u'},
	{"equ", 0, 0, CT_PTX_NE, 0, 1, 'f'},        {"neu", 0, 0, CT_PTX_EQ, 0, 1, 'f'},
	{"ltu", 0, 0, CT_PTX_LE, 1, 1, 'f'},        {"leu", 0, 0, CT_PTX_LT, 1, 1, 'f'},
	{"gtu", 0, 0, CT_PTX_LE, 0, 1, 'f'},        {"geu", 0, 0, CT_PTX_LT, 0, 1, 'f'},
	{"num", 0, 0, CT_PTX_NAN, 0, 1, 'f'},       {"nan", 0, 0, CT_PTX_NAN, 0, 0, 'f'}};

struct compare_form {
	const struct comparison *c;
	int join;
	struct ct_ptx_form f;
};

/* Reads relation, joining operation and types of a comparison, and refuses what PTX does not have. */
static int read_form(struct ct_ptx_reader *r, unsigned ntypes, struct compare_form *k)
{
	static const char *const joins[] = {"", "and", "or", "xor", NULL};
	k->c = NULL;
	for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons && !k->c; i++)
		if (ct_ptx_take(r, comparisons[i].name))
			k->c = &comparisons[i];
	int join = ct_ptx_take_one(r, joins);
	k->join = join < 0 ? CT_PTX_JOIN_NONE : join;
	if (!k->c)
		return ct_ptx_unknown(r, "the comparison is not known");
	int rc = ct_ptx_form(r, CT_PTX_M_FTZ, ntypes, &k->f);
	enum ct_ptx_type type = k->f.type[ntypes - 1];
	if (rc == CT_OK && (type == CT_PTX_F16X2 || type == CT_PTX_BF16X2))
		return ct_ptx_unknown(r, "comparisons of pairs are not known");
	if (rc == CT_OK &&
	    (type == CT_PTX_PRED || ct_ptx_type_bytes(type) < 2 ||
	     (ct_ptx_is_float(type) ? k->c->kind == 'u'
	                            : k->c->kind == 'f' || (k->f.modifiers & CT_PTX_M_FTZ)) ||
	     (type <= CT_PTX_B64 && k->c->kind != 'a') || (k->c->kind == 'u' && ct_ptx_is_signed(type))))
		return ct_ptx_unknown(r, NULL);
	return rc;
}

/* The comparison proper: of bits, of integers, of floats in rows, or of anything lane by lane. */
static int compare_code(enum ct_ptx_type type, int compare, unsigned modifiers)
{
	static const int floats[] = {
		[CT_PTX_EQ] = CT_PTX_feq_f32,
		[CT_PTX_NE] = CT_PTX_fne_f32,
		[CT_PTX_LT] = CT_PTX_flt_f32,
		[CT_PTX_LE] = CT_PTX_fle_f32,
		[CT_PTX_NAN] = CT_PTX_fnan_f32};
	if (ct_ptx_is_float(type))
		return type == CT_PTX_F32   ? floats[compare] + (modifiers & CT_PTX_M_FTZ ? 2 : 0)
		       : type == CT_PTX_F64 ? floats[compare] + 1
		                            : CT_PTX_compare_any;
	if (compare == CT_PTX_EQ)
		return CT_PTX_eq_b16 + ct_ptx_place3(type);
	return (compare == CT_PTX_LT ? CT_PTX_lt_u16 : CT_PTX_le_u16) + ct_ptx_place6(type);
}

/* Emits the comparison of operands 1 and 2 into predicates p and q, joined with operand 3. */
static int emit_compare(struct ct_ptx_reader *r, const struct compare_form *k, enum ct_ptx_type type,
                        uint32_t p, uint32_t q)
{
	const struct ct_ptx_arg *a = r->s.arg;
	int real = ct_ptx_is_float(type), swapped = real && k->c->real_swapped;
	int compare = real ? k->c->real : k->c->integer, rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, compare_code(type, compare, k->f.modifiers));
	if (!o)
		return CT_ERR_NOMEM;
	o->count = (uint8_t)compare;
	o->width = (uint8_t)type;
	o->mode = (uint8_t)((k->f.modifiers & CT_PTX_M_FTZ ? CT_PTX_FTZ : 0) |
	                    ((real ? k->c->real_turned : k->c->integer_turned) ? CT_PTX_TURNED : 0));
	o->round = (uint8_t)k->join;
	o->p = p;
	o->q = q;
	if ((rc = ct_ptx_row(r, &a[1], type, swapped ? &o->b : &o->a)) < 0 ||
	    (rc = ct_ptx_row(r, &a[2], type, swapped ? &o->a : &o->b)) < 0)
		return rc;
	return k->join ? ct_ptx_predicate(r, &a[3], &o->s) : CT_OK;
}

int ct_ptx_decode_setp(struct ct_ptx_reader *r)
{
	struct compare_form k;
	uint32_t p;
	int rc = read_form(r, 1, &k);
	if (rc < 0 || (rc = ct_ptx_want_args(r, k.join ? 4 : 3, k.join ? 4 : 3)) < 0 ||
	    (rc = ct_ptx_predicate_result(r, &r->s.arg[0], &p)) < 0)
		return rc;
	return emit_compare(r, &k, k.f.type[0], p,
	                    r->s.arg[0].has_other ? r->s.arg[0].other : CT_PTX_NO_PREDICATE);
}

/* The comparison as -1 or 1.0 in a register: a predicate first, then a choice. */
int ct_ptx_decode_set(struct ct_ptx_reader *r)
{
	struct compare_form k;
	int rc = read_form(r, 2, &k);
	if (rc < 0 || (rc = ct_ptx_want_args(r, k.join ? 4 : 3, k.join ? 4 : 3)) < 0)
		return rc;
	enum ct_ptx_type type = k.f.type[0];
	if (type != CT_PTX_U32 && type != CT_PTX_S32 && type != CT_PTX_F32)
		return ct_ptx_unknown(r, NULL);
	uint32_t p = ct_ptx_scratch(r, CT_PTX_SCRATCH_PREDICATE);
	if ((rc = emit_compare(r, &k, k.f.type[1], p, CT_PTX_NO_PREDICATE)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_sel_b32);
	if (!o)
		return CT_ERR_NOMEM;
	o->s = p;
	if ((rc = ct_ptx_result(r, &r->s.arg[0], type, &o->d)) < 0 ||
	    (rc = ct_ptx_constant(r, type == CT_PTX_F32 ? 0x3f800000 : UINT32_MAX, 4, &o->a)) < 0)
		return rc;
	return ct_ptx_constant(r, 0, 4, &o->b);
}

/* selp: one of two values by a predicate. */
int ct_ptx_decode_selp(struct ct_ptx_reader *r)
{
	const struct ct_ptx_arg *a = r->s.arg;
	struct ct_ptx_form f;
	int rc;
	if ((rc = ct_ptx_form(r, 0, 1, &f)) < 0 || (rc = ct_ptx_want_args(r, 4, 4)) < 0)
		return rc;
	unsigned bytes = ct_ptx_type_bytes(f.type[0]);
	if (bytes < 2 || f.type[0] == CT_PTX_PRED)
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_sel_b16 + (bytes == 2 ? 0 : bytes == 4 ? 1 : 2));
	if (!o)
		return CT_ERR_NOMEM;
	rc = ct_ptx_rows(r, o, 2, f.type[0]);
	return rc < 0 ? rc : ct_ptx_predicate(r, &a[3], &o->s);
}

/* slct: one of two values by the sign of a third. */
int ct_ptx_decode_slct(struct ct_ptx_reader *r)
{
	struct ct_ptx_form f;
	int rc;
	if ((rc = ct_ptx_form(r, CT_PTX_M_FTZ, 2, &f)) < 0 || (rc = ct_ptx_want_args(r, 4, 4)) < 0)
		return rc;
	if (ct_ptx_type_bytes(f.type[0]) < 2 || f.type[0] == CT_PTX_PRED ||
	    (f.type[1] != CT_PTX_S32 && f.type[1] != CT_PTX_F32))
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_slct);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)ct_ptx_type_bytes(f.type[0]);
	o->count = f.type[1] == CT_PTX_F32;
	o->mode = f.modifiers & CT_PTX_M_FTZ ? CT_PTX_FTZ : 0;
	rc = ct_ptx_rows(r, o, 2, f.type[0]);
	return rc < 0 ? rc : ct_ptx_row(r, &r->s.arg[3], f.type[1], &o->c);
}

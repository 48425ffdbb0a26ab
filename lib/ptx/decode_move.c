/* Moves, conversions and addresses of variables. */
#include <string.h>

#include "ptx/decode.h"
#include "ptx/emulate.h"

/* Row that holds the address of a variable in its own state space. May emit an operation. */
static int address_row(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, unsigned width,
                       uint32_t *ref)
{
	const struct ct_ptx_symbol *s = a->symbol >= 0 ? &r->m->symbol[a->symbol] : NULL;
	struct ct_ptx_op *o;
	if (s && s->dynamic && a->offset == 0) {
		*ref = (width == 8 ? CT_PTX_DYNAMIC_BASE_64 : CT_PTX_DYNAMIC_BASE) * 4 * CT_PTX_LANES +
		       CT_PTX_BASE_SPECIAL;
		r->f->shared_align = s->v.align > r->f->shared_align ? s->v.align : r->f->shared_align;
		return CT_OK;
	}
	if (s && s->dynamic)
		return ct_ptx_unknown(r, "an offset from dynamic shared memory");
	if (s && s->space == CT_PTX_SHARED)
		return ct_ptx_shared_constant(r, (uint32_t)a->symbol, a->offset, width, ref);
	if (s && !s->v.storage)
		return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s is not defined in this module",
		                       s->v.name);
	if (s)
		return ct_ptx_constant(r, (uint64_t)(uintptr_t)s->v.storage + (uint64_t)a->offset, 8,
		                       ref);
	if (a->space != CT_PTX_LOCAL)
		return ct_ptx_constant(r, a->ref + (uint64_t)a->offset, width, ref);
	*ref = ct_ptx_scratch(r, width == 8 ? CT_PTX_SCRATCH_64 : CT_PTX_SCRATCH_32);
	if (!(o = ct_ptx_emit(r, CT_PTX_local_address)))
		return CT_ERR_NOMEM;
	o->d = *ref;
	o->width = (uint8_t)width;
	o->imm = a->ref + a->offset;
	return CT_OK;
}

/* {a, b} to one register, or one register to {a, b}. */
static int decode_parts(struct ct_ptx_reader *r, const struct ct_ptx_arg *vector,
                        const struct ct_ptx_arg *whole, enum ct_ptx_type type, int pack)
{
	unsigned bytes = ct_ptx_type_bytes(type), each = vector->count ? bytes / vector->count : 0;
	enum ct_ptx_type part = each == 2 ? CT_PTX_B16 : CT_PTX_B32;
	uint32_t ref = 0;
	int rc = CT_OK;
	if (type == CT_PTX_PRED || each < 2 || each * vector->count != bytes)
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, pack ? CT_PTX_pack : CT_PTX_unpack);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)each;
	o->count = (uint8_t)vector->count;
	o->extra = (uint32_t)r->m->nextra;
	rc = pack ? ct_ptx_result(r, whole, type, &o->d) : ct_ptx_row(r, whole, type, &o->a);
	for (unsigned i = 0; rc == CT_OK && i < vector->count; i++) {
		const struct ct_ptx_arg *a = &r->s.element[vector->first + i];
		rc = pack ? ct_ptx_row(r, a, part, &ref) : ct_ptx_result(r, a, part, &ref);
		if (rc == CT_OK)
			rc = ct_ptx_extra(r, ref);
	}
	return rc;
}

static int move_predicate(struct ct_ptx_reader *r)
{
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_pred);
	if (!o)
		return CT_ERR_NOMEM;
	o->round = CT_PTX_JOIN_NONE;
	int rc = ct_ptx_predicate_result(r, &r->s.arg[0], &o->p);
	return rc < 0 ? rc : ct_ptx_predicate(r, &r->s.arg[1], &o->s);
}

/* Special registers without a row are operations; those of hardware that is not there are zero. */
static int move_special(struct ct_ptx_reader *r, const char *name, enum ct_ptx_type type)
{
	static const char *const clocks[] = {
		"%clock",          "%clock64",        "%clock_hi", "%globaltimer",
		"%globaltimer_lo", "%globaltimer_hi", NULL};
	static const char *const zeros[] = {
		"%pm0",
		"%pm1",
		"%pm2",
		"%pm3",
		"%pm4",
		"%pm5",
		"%pm6",
		"%pm7",
		"%ctaid.w",
		"%tid.w",
		"%reserved_smem_offset_begin",
		"%is_explicit_cluster",
		NULL};
	int code = -1, high = strstr(name, "hi") != NULL;
	for (int i = 0; clocks[i]; i++)
		if (strcmp(clocks[i], name) == 0)
			code = CT_PTX_clock;
	for (int i = 0; zeros[i]; i++)
		if (strcmp(zeros[i], name) == 0)
			code = CT_PTX_special_zero;
	if (code < 0)
		return ct_ptx_lex_fail(&r->x, CT_ERR_INPUT, "%s: %s is neither register nor variable",
		                       r->s.opcode, name);
	struct ct_ptx_op *o = ct_ptx_emit(r, code);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)ct_ptx_type_bytes(type);
	o->mode = (uint8_t)high;
	return ct_ptx_result(r, &r->s.arg[0], type, &o->d);
}

/* Source of a move that is a name: a variable, a function, a special register. */
static int source_row(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type,
                      uint32_t *ref)
{
	if (a->kind == CT_PTX_ARG_VARIABLE) {
		if (ct_ptx_type_bytes(type) < 4)
			return ct_ptx_unknown(r, "an address has 32 or 64 bits");
		return address_row(r, a, ct_ptx_type_bytes(type), ref);
	}
	if (a->kind == CT_PTX_ARG_NAME) {
		int64_t f = ct_ptx_names_get(&r->m->functions, a->name, strlen(a->name), 0);
		if (f >= 0 && ct_ptx_type_bytes(type) == 8)
			return ct_ptx_constant(r, CT_PTX_FUNCTION_WINDOW + (uint64_t)f, 8, ref);
	}
	return ct_ptx_row(r, a, type, ref);
}

/* mov: of registers, constants, addresses, special registers, predicates, and of parts of a register. */
int ct_ptx_decode_mov(struct ct_ptx_reader *r)
{
	const struct ct_ptx_arg *a = r->s.arg;
	struct ct_ptx_form f;
	uint32_t d, source;
	int rc;
	if ((rc = ct_ptx_form(r, 0, 1, &f)) < 0 || (rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	enum ct_ptx_type type = f.type[0];
	unsigned bytes = ct_ptx_type_bytes(type);
	if (type == CT_PTX_PRED)
		return move_predicate(r);
	if (a[1].kind == CT_PTX_ARG_VECTOR)
		return decode_parts(r, &a[1], &a[0], type, 1);
	if (a[0].kind == CT_PTX_ARG_VECTOR)
		return decode_parts(r, &a[0], &a[1], type, 0);
	if (a[1].kind == CT_PTX_ARG_NAME && a[1].name[0] == '%' &&
	    ct_ptx_names_get(&r->m->functions, a[1].name, strlen(a[1].name), 0) < 0)
		return move_special(r, a[1].name, type);
	if (bytes == 8 && a[1].kind == CT_PTX_ARG_ROW &&
	    a[1].ref % 64 == CT_PTX_BASE_SPECIAL) { /* mov.u64 %rd, %gridid */
		struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_cvt_u32_64);
		if (!o)
			return CT_ERR_NOMEM;
		o->a = a[1].ref;
		return ct_ptx_result(r, &a[0], type, &o->d);
	}
	if (bytes < 2)
		return ct_ptx_unknown(r, NULL);
	if ((rc = source_row(r, &a[1], type, &source)) < 0 ||
	    (rc = ct_ptx_result(r, &a[0], type, &d)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_mov_b16 + (bytes == 2 ? 0 : bytes == 4 ? 1 : 2));
	if (!o)
		return CT_ERR_NOMEM;
	o->a = source;
	o->d = d;
	return CT_OK;
}

/* Bytes of the row of an operand: of a register as declared, of a constant as the type wants. */
static unsigned row_bytes(const struct ct_ptx_arg *a, enum ct_ptx_type type)
{
	unsigned bytes = ct_ptx_type_bytes(a->kind == CT_PTX_ARG_ROW ? a->type : type);
	return bytes < 2 ? 2 : bytes;
}

/* The operation for a conversion that is common and needs no care, or -1. */
static int fast_conversion(const struct ct_ptx_form *f, unsigned to_bytes, unsigned from_bytes)
{
	static const struct {
		enum ct_ptx_type to, from;
		int code, integral;
	} known[] = {{CT_PTX_F64, CT_PTX_F32, CT_PTX_cvt_f32_f64, 0},
	             {CT_PTX_F32, CT_PTX_F64, CT_PTX_cvt_f64_f32, 0},
	             {CT_PTX_F32, CT_PTX_U32, CT_PTX_cvt_u32_f32, 0},
	             {CT_PTX_F32, CT_PTX_S32, CT_PTX_cvt_s32_f32, 0},
	             {CT_PTX_F32, CT_PTX_U64, CT_PTX_cvt_u64_f32, 0},
	             {CT_PTX_F32, CT_PTX_S64, CT_PTX_cvt_s64_f32, 0},
	             {CT_PTX_F64, CT_PTX_U32, CT_PTX_cvt_u32_f64, 0},
	             {CT_PTX_F64, CT_PTX_S32, CT_PTX_cvt_s32_f64, 0},
	             {CT_PTX_F64, CT_PTX_U64, CT_PTX_cvt_u64_f64, 0},
	             {CT_PTX_F64, CT_PTX_S64, CT_PTX_cvt_s64_f64, 0},
	             {CT_PTX_S32, CT_PTX_F32, CT_PTX_cvt_f32_s32, 1},
	             {CT_PTX_U32, CT_PTX_F32, CT_PTX_cvt_f32_u32, 1},
	             {CT_PTX_S32, CT_PTX_F64, CT_PTX_cvt_f64_s32, 1}};
	static const int extensions[CT_PTX_TYPES] = {
		[CT_PTX_U8] = CT_PTX_cvt_u8_16,   [CT_PTX_S8] = CT_PTX_cvt_s8_16,
		[CT_PTX_U16] = CT_PTX_cvt_u16_16, [CT_PTX_S16] = CT_PTX_cvt_s16_16,
		[CT_PTX_U32] = CT_PTX_cvt_u32_16, [CT_PTX_S32] = CT_PTX_cvt_s32_16,
		[CT_PTX_U64] = CT_PTX_cvt_u64_16, [CT_PTX_S64] = CT_PTX_cvt_s64_16};
	enum ct_ptx_type to = f->type[0], from = f->type[1];
	unsigned least = ct_ptx_type_bytes(from) < 2 ? 2 : ct_ptx_type_bytes(from);
	unsigned flushes = f->modifiers &
	                   CT_PTX_M_FTZ; /* which changes no integer that is rounded towards zero */
	if (f->modifiers & ~(unsigned)(CT_PTX_M_ROUND | CT_PTX_M_INTEGRAL | CT_PTX_M_FTZ) ||
	    from_bytes != least || ct_ptx_type_bytes(to) != to_bytes ||
	    (flushes && (from == CT_PTX_F64 || to == CT_PTX_F64)))
		return -1;
	if (to == CT_PTX_F32 && from == CT_PTX_F32)
		return f->modifiers & CT_PTX_M_INTEGRAL
		               ? (flushes ? CT_PTX_cvt_ftz_near : CT_PTX_cvt_f32_near) + (int)f->round
		               : -1;
	if (!ct_ptx_is_float(to) && !ct_ptx_is_float(from))
		return extensions[from] + ct_ptx_place3(to);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].to == to && known[i].from == from)
			return known[i].integral
			               ? (f->modifiers & CT_PTX_M_INTEGRAL && f->round == CT_PTX_RZ
			                          ? known[i].code
			                          : -1)
			       : f->round == CT_PTX_RN && !(f->modifiers & CT_PTX_M_INTEGRAL)
			               ? known[i].code
			               : -1;
	return -1;
}

/* Row of a conversion's source, which may be wider than its type. */
static int conversion_source(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type,
                             uint32_t *ref)
{
	if (a->kind != CT_PTX_ARG_ROW)
		return ct_ptx_row(r, a, type, ref);
	if (ct_ptx_type_bytes(a->type) < ct_ptx_type_bytes(type) || a->type == CT_PTX_PRED)
		return ct_ptx_unknown(r, "the source is narrower than its type");
	*ref = a->ref;
	return CT_OK;
}

/* Two values become a pair of halves: cvt.rn.f16x2.f32 d, a, b (a in the upper half). */
static int convert_pair(struct ct_ptx_reader *r, const struct ct_ptx_form *f)
{
	int rc;
	if (f->type[1] != CT_PTX_F32 || ct_ptx_want_args(r, 3, 3) < 0)
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_cvt_any);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)f->type[0];
	o->count = CT_PTX_F32;
	o->round = (uint8_t)f->round;
	o->mode = f->modifiers & CT_PTX_M_RELU ? CT_PTX_RELU : 0;
	o->space = 4;
	o->imm = 4;
	if ((rc = ct_ptx_result(r, &r->s.arg[0], CT_PTX_B32, &o->d)) < 0 ||
	    (rc = ct_ptx_row(r, &r->s.arg[1], CT_PTX_F32, &o->a)) < 0)
		return rc;
	return ct_ptx_row(r, &r->s.arg[2], CT_PTX_F32, &o->b);
}

/* Conversions that must say how they round, or must not. */
static int check_conversion(struct ct_ptx_reader *r, const struct ct_ptx_form *f)
{
	enum ct_ptx_type to = f->type[0], from = f->type[1];
	int real_to = ct_ptx_is_float(to), real_from = ct_ptx_is_float(from);
	if (to == CT_PTX_PRED || from == CT_PTX_PRED || from == CT_PTX_F16X2 || from == CT_PTX_BF16X2 ||
	    to <= CT_PTX_B64 || from <= CT_PTX_B64)
		return ct_ptx_unknown(r, NULL);
	if (real_from && !real_to && !(f->modifiers & CT_PTX_M_INTEGRAL))
		return ct_ptx_unknown(r, "a conversion to an integer needs .rni, .rzi, .rmi or .rpi");
	if (real_to && (!real_from || ct_ptx_type_bytes(to) < ct_ptx_type_bytes(from)) &&
	    (!(f->modifiers & CT_PTX_M_ROUND) || f->modifiers & CT_PTX_M_INTEGRAL))
		return ct_ptx_unknown(r, "the conversion needs .rn, .rz, .rm or .rp");
	if (!real_from && !real_to && f->modifiers & CT_PTX_M_ROUND)
		return ct_ptx_unknown(r, NULL);
	return CT_OK;
}

/* cvt.rna.tf32.f32: to the nearest of 11 bits of significand, in the format of single precision. */
static int convert_to_tf32(struct ct_ptx_reader *r)
{
	int rc;
	if (!ct_ptx_take(r, "tf32") || !ct_ptx_take(r, "f32") || ct_ptx_want_args(r, 2, 2) < 0)
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_cvt_f32_tf32);
	if (!o)
		return CT_ERR_NOMEM;
	if ((rc = ct_ptx_result(r, &r->s.arg[0], CT_PTX_B32, &o->d)) < 0)
		return rc;
	return ct_ptx_row(r, &r->s.arg[1], CT_PTX_F32, &o->a);
}

/* cvt.pack.sat.s4.s32.b32 d, a, b, c: two numbers side by side, in front of others; cvt.pack.sat.u16.s32 d, a, b: two alone. */
static int convert_and_pack(struct ct_ptx_reader *r)
{
	static const char *const to[] = {"s2", "u2", "s4", "u4", "s8", "u8", "s16", "u16", NULL},
				 *const from[] = {"s32", "u32", NULL};
	int rc, fine = ct_ptx_take(r, "sat"), result = ct_ptx_take_one(r, to),
		source = ct_ptx_take_one(r, from), with = ct_ptx_take(r, "b32"), bits = 2 << result / 2;
	if (!fine || result < 0 || source < 0 || with != (bits < 16))
		return ct_ptx_unknown(r, NULL);
	if ((rc = ct_ptx_want_args(r, with ? 4 : 3, with ? 4 : 3)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_cvt_pack);
	if (!o)
		return CT_ERR_NOMEM;
	o->width = (uint8_t)bits;
	o->mode = (uint8_t)((source == 0) | (result % 2 == 0) << 1);
	return ct_ptx_rows(r, o, with ? 3 : 2, CT_PTX_B32);
}

/* cvt: conversions that are common have an operation of their own, all others share one. */
int ct_ptx_decode_cvt(struct ct_ptx_reader *r)
{
	const struct ct_ptx_arg *a = r->s.arg;
	struct ct_ptx_form f;
	if (ct_ptx_take(r, "rna"))
		return convert_to_tf32(r);
	if (ct_ptx_take(r, "pack"))
		return convert_and_pack(r);
	int rc = ct_ptx_form(
		r, CT_PTX_M_ROUND | CT_PTX_M_INTEGRAL | CT_PTX_M_FTZ | CT_PTX_M_SAT | CT_PTX_M_RELU, 2,
		&f);
	if (rc < 0)
		return rc;
	if (f.type[0] == CT_PTX_F16X2 || f.type[0] == CT_PTX_BF16X2)
		return convert_pair(r, &f);
	if ((rc = ct_ptx_want_args(r, 2, 2)) < 0 || (rc = check_conversion(r, &f)) < 0)
		return rc;
	unsigned to = row_bytes(&a[0], f.type[0]), from = row_bytes(&a[1], f.type[1]);
	if (a[0].kind != CT_PTX_ARG_ROW || a[0].ref % 64 != CT_PTX_BASE_FRAME ||
	    to < ct_ptx_type_bytes(f.type[0]))
		return ct_ptx_unknown(r, "the result is no register that is wide enough");
	int fast = fast_conversion(&f, to, from);
	struct ct_ptx_op *o = ct_ptx_emit(r, fast >= 0 ? fast : CT_PTX_cvt_any);
	if (!o)
		return CT_ERR_NOMEM;
	o->d = a[0].ref;
	if (fast < 0) {
		o->width = (uint8_t)f.type[0];
		o->count = (uint8_t)f.type[1];
		o->round = (uint8_t)f.round;
		o->mode = (uint8_t)((f.modifiers & CT_PTX_M_FTZ ? CT_PTX_FTZ : 0) |
		                    (f.modifiers & CT_PTX_M_SAT ? CT_PTX_SAT : 0) |
		                    (f.modifiers & CT_PTX_M_INTEGRAL ? CT_PTX_INTEGRAL : 0) |
		                    (f.modifiers & CT_PTX_M_RELU ? CT_PTX_RELU : 0));
		o->space = (uint8_t)to;
		o->imm = from;
	}
	return conversion_source(r, &a[1], f.type[1], &o->a);
}

/* Names of state spaces in opcodes, with the place that says which. */
int ct_ptx_take_space(struct ct_ptx_reader *r)
{
	static const struct {
		const char *name;
		int space;
	} spaces[] = {{"global", CT_PTX_GLOBAL},      {"shared", CT_PTX_SHARED},
	              {"shared::cta", CT_PTX_SHARED}, {"local", CT_PTX_LOCAL},
	              {"const", CT_PTX_CONST},        {"param", CT_PTX_PARAM},
	              {"param::entry", CT_PTX_PARAM}, {"param::func", CT_PTX_PARAM}};
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (ct_ptx_take(r, spaces[i].name))
			return spaces[i].space;
	return CT_PTX_GENERIC;
}

uint64_t ct_ptx_window(int space)
{
	return space == CT_PTX_SHARED  ? CT_PTX_SHARED_WINDOW
	       : space == CT_PTX_LOCAL ? CT_PTX_LOCAL_WINDOW
	       : space == CT_PTX_PARAM ? CT_PTX_PARAM_WINDOW
	                               : 0;
}

/* cvta: between generic addresses and those of a space, which are a window apart. */
int ct_ptx_decode_cvta(struct ct_ptx_reader *r)
{
	int to = ct_ptx_take(r, "to"), space = ct_ptx_take_space(r), rc;
	struct ct_ptx_form f;
	uint32_t source, window;
	if ((rc = ct_ptx_form(r, 0, 1, &f)) < 0 || (rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	if (f.type[0] != CT_PTX_U64 || space == CT_PTX_GENERIC)
		return ct_ptx_unknown(r, NULL);
	if ((rc = source_row(r, &r->s.arg[1], f.type[0], &source)) < 0 ||
	    (rc = ct_ptx_constant(r, ct_ptx_window(space), 8, &window)) < 0)
		return rc;
	struct ct_ptx_op *o = ct_ptx_emit(r, ct_ptx_window(space) == 0 ? CT_PTX_mov_b64
	                                     : to                      ? CT_PTX_sub_b64
	                                                               : CT_PTX_add_b64);
	if (!o)
		return CT_ERR_NOMEM;
	o->a = source;
	o->b = window;
	return ct_ptx_result(r, &r->s.arg[0], f.type[0], &o->d);
}

int ct_ptx_decode_isspacep(struct ct_ptx_reader *r)
{
	int space = ct_ptx_take_space(r), rc;
	if ((rc = ct_ptx_want_args(r, 2, 2)) < 0)
		return rc;
	if (space == CT_PTX_GENERIC)
		return ct_ptx_unknown(r, NULL);
	struct ct_ptx_op *o = ct_ptx_emit(r, CT_PTX_isspacep);
	if (!o)
		return CT_ERR_NOMEM;
	o->space = (uint8_t)space;
	rc = ct_ptx_predicate_result(r, &r->s.arg[0], &o->p);
	return rc < 0 ? rc : ct_ptx_row(r, &r->s.arg[1], CT_PTX_U64, &o->a);
}

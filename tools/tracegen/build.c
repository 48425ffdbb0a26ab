/* Builds kernels: each k_*() appends the operations that a compiler would emit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracegen/emit.h"

static const val none = {NO_VALUE, 0, 0};

/* ---- kernels ---------------------------------------------------------------- */

struct kb *k_begin(struct simt_run *g, const char *name)
{
	struct kb *k = ct_calloc(1, sizeof *k);
	if (k &&
	    ct_grow((void **)&g->kernels, &g->cap_kernels, g->n_kernels + 1, sizeof *g->kernels) == 0)
		g->kernels[g->n_kernels++] = k;
	else {
		/* The workload goes on building; the last resort is a kernel that ignores it. */
		free(k);
		simt_fail(g, CT_ERR_NOMEM, "out of memory");
		return NULL;
	}
	k->g = g;
	k->guard = NO_VALUE;
	k->name = ct_strndup(name, strlen(name));
	if (!k->name)
		simt_fail(g, CT_ERR_NOMEM, "out of memory");
	/* What nvcc's kernels begin with: the stack pointer and the memory descriptor. */
	struct op *o = k_emit(k, OP_NOP, "IMAD.MOV.U32");
	if (o) {
		o->sinst.ndst = 1;
		o->sinst.dst[0] = CT_REG_MAKE(CT_REG_R, 1);
		o->sinst.nsrc = 2;
		o->sinst.src[0] = o->sinst.src[1] = CT_REG_RZ;
	}
	k_emit(k, OP_NOP, "ULDC.64");
	return k;
}

void simt_kernel_free(struct kb *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_text; i++)
		free(k->text[i]);
	free(k->text);
	free(k->op);
	free(k->value);
	free(k->name);
	free(k);
}

void k_finish(struct kb *k)
{
	if (!k || k->finished)
		return;
	k_emit(k, OP_EXIT, "EXIT");
	if (k->depth || k->n_for || k->guard != NO_VALUE)
		simt_fail(k->g, CT_ERR_LIMIT, "kernel %s: a block is not closed", k->name);
	k->finished = 1;
	if (k->g->status == CT_OK) {
		int st = simt_plan(k, k->g->e);
		if (st != CT_OK)
			k->g->status = st;
	}
}

/* ---- values and operations --------------------------------------------------- */

static int failed(const struct kb *k)
{
	return !k || k->g->status != CT_OK;
}

val k_new(struct kb *k, enum value_kind kind, enum simt_type t, unsigned nregs)
{
	val v = {0, 0, (uint8_t)t};
	if (failed(k))
		return v;
	if (k->n_values >= NO_VALUE ||
	    ct_grow((void **)&k->value, &k->cap_values, k->n_values + 1, sizeof *k->value) < 0) {
		simt_fail(k->g, CT_ERR_LIMIT, "kernel %s: too many values", k->name);
		return v;
	}
	v.id = (uint16_t)k->n_values++;
	k->value[v.id] = (struct value){
		.kind = (uint8_t)kind, .type = (uint8_t)t, .nregs = (uint8_t)nregs, .first = UINT32_MAX};
	return v;
}

struct op *k_emit(struct kb *k, enum op_code code, const char *opcode)
{
	if (failed(k))
		return NULL;
	if (ct_grow((void **)&k->op, &k->cap_ops, k->n_ops + 1, sizeof *k->op) < 0) {
		simt_fail(k->g, CT_ERR_NOMEM, "out of memory");
		return NULL;
	}
	struct op *o = &k->op[k->n_ops++];
	*o = (struct op){.code = (uint8_t)code,
	                 .records = opcode != NULL,
	                 .opcode = opcode,
	                 .dst = none,
	                 .guard = k->guard};
	return o;
}

/* A copy of an opcode that is put together at build time. */
const char *k_text(struct kb *k, const char *s)
{
	if (failed(k))
		return "";
	char *copy = ct_strndup(s, strlen(s));
	if (!copy || ct_grow((void **)&k->text, &k->cap_text, k->n_text + 1, sizeof *k->text) < 0) {
		free(copy);
		simt_fail(k->g, CT_ERR_NOMEM, "out of memory");
		return "";
	}
	k->text[k->n_text++] = copy;
	return copy;
}

static unsigned regs_of(enum simt_type t)
{
	return t == T_U64 || t == T_F64 ? 2 : 1;
}

val k_op(struct kb *k, enum op_code code, const char *opcode, enum simt_type t, unsigned n,
         const val *src)
{
	val d = k_new(k, t == T_PRED ? V_PRED : V_REG, t, regs_of(t));
	struct op *o = k_emit(k, code, opcode);
	if (!o)
		return d;
	o->dst = d;
	o->nsrc = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		o->src[i] = src[i];
	return d;
}

val k_op1(struct kb *k, enum op_code c, const char *name, enum simt_type t, val a)
{
	return k_op(k, c, name, t, 1, &a);
}

val k_op2(struct kb *k, enum op_code c, const char *name, enum simt_type t, val a, val b)
{
	return k_op(k, c, name, t, 2, (val[]){a, b});
}

val k_op3(struct kb *k, enum op_code c, const char *name, enum simt_type t, val a, val b, val x)
{
	return k_op(k, c, name, t, 3, (val[]){a, b, x});
}

static val constant(struct kb *k, enum value_kind kind, enum simt_type t, uint64_t bits)
{
	for (size_t i = 0; k && i < k->n_values; i++)
		if (k->value[i].kind == kind && k->value[i].type == t && k->value[i].bits == bits)
			return (val){(uint16_t)i, 0, (uint8_t)t};
	val v = k_new(k, kind, t, regs_of(t));
	if (!failed(k))
		k->value[v.id].bits = bits;
	return v;
}

val k_int(struct kb *k, int32_t v)
{
	return constant(k, V_CONST, T_S32, (uint32_t)v);
}

val k_uint(struct kb *k, uint32_t v)
{
	return constant(k, V_CONST, T_U32, v);
}

val k_float(struct kb *k, float v)
{
	return constant(k, V_CONST, T_F32, simt_fbits(v));
}

val k_double(struct kb *k, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return constant(k, V_CONST, T_F64, bits);
}

val k_arg_int(struct kb *k, unsigned i)
{
	return constant(k, V_ARG, T_S32, i);
}

val k_arg_float(struct kb *k, unsigned i)
{
	return constant(k, V_ARG, T_F32, i);
}

val k_arg_ptr(struct kb *k, unsigned i)
{
	return constant(k, V_ARG, T_U64, i);
}

val k_ntid(struct kb *k, unsigned axis)
{
	return constant(k, V_NTID, T_S32, axis);
}

val k_nctaid(struct kb *k, unsigned axis)
{
	return constant(k, V_NCTAID, T_S32, axis);
}

static val special(struct kb *k, unsigned which)
{
	val v = k_op(k, OP_S2R, "S2R", T_S32, 0, NULL);
	if (!failed(k))
		k->op[k->n_ops - 1].sub = (uint8_t)which;
	return v;
}

val k_tid(struct kb *k, unsigned axis)
{
	return special(k, SR_TID + axis);
}

val k_ctaid(struct kb *k, unsigned axis)
{
	return special(k, SR_CTAID + axis);
}

val k_lane(struct kb *k)
{
	return special(k, SR_LANE);
}

val k_gid_axis(struct kb *k, unsigned axis)
{
	val cta = k_ctaid(k, axis), tid = k_tid(k, axis);
	return k_mad(k, cta, k_ntid(k, axis), tid);
}

val k_gid(struct kb *k)
{
	return k_gid_axis(k, 0);
}

static int is_const(const struct kb *k, val v)
{
	return k->value[v.id].kind >= V_CONST;
}

/* ---- variables ----------------------------------------------------------------- */

static void mov_to(struct kb *k, val dst, val x)
{
	unsigned n = regs_of((enum simt_type)dst.type);
	for (unsigned i = 0; i < n; i++) {
		struct op *o = k_emit(k, OP_MOV, "IMAD.MOV.U32");
		if (!o)
			return;
		o->dst = dst;
		o->dst.part = (uint8_t)(dst.part + i);
		o->src[0] = x;
		o->src[0].part = (uint8_t)(x.part + i);
		o->nsrc = 1;
		o->partial = n > 1;
	}
}

val k_var(struct kb *k, val init)
{
	enum simt_type t = (enum simt_type)init.type;
	val v = k_new(k, t == T_PRED ? V_PRED : V_REG, t, regs_of(t));
	if (failed(k))
		return v;
	k->value[v.id].variable = 1;
	k_set(k, v, init);
	return v;
}

/* simt_plan() lets the operation that made x write the variable itself where x has no
 * other use. */
void k_set(struct kb *k, val var, val x)
{
	if (failed(k))
		return;
	if (k->value[var.id].kind == V_PRED) {
		struct op *o = k_emit(k, OP_PAND, "PLOP3.LUT");
		if (o) {
			o->dst = var;
			o->src[0] = o->src[1] = x;
			o->nsrc = 2;
		}
		return;
	}
	mov_to(k, var, x);
}

val k_group(struct kb *k, enum simt_type t, unsigned n)
{
	val v = k_new(k, V_REG, t, n);
	if (!failed(k))
		k->value[v.id].variable = 1;
	return v;
}

val k_part(struct kb *k, val group, unsigned i)
{
	(void)k;
	group.part = (uint8_t)i;
	return group;
}

val k_as(struct kb *k, val a, enum simt_type t)
{
	(void)k;
	a.type = (uint8_t)t;
	return a;
}

/* ---- arithmetic ------------------------------------------------------------------ */

static int is_float(val a)
{
	return a.type == T_F32;
}

static int is_double(val a)
{
	return a.type == T_F64;
}

/* 64-bit sums are a pair of instructions joined by a carry predicate. */
static val add64(struct kb *k, val a, val b)
{
	val d = k_new(k, V_REG, T_U64, 2), carry = k_new(k, V_PRED, T_PRED, 1);
	for (unsigned i = 0; i < 2; i++) {
		struct op *o = k_emit(k, i ? OP_IADD_X : OP_IADD_CC, i ? "IADD3.X" : "IADD3");
		if (!o)
			return d;
		o->dst = k_part(k, d, i);
		o->src[0] = k_part(k, a, a.part + i);
		o->src[1] = k_part(k, b, b.part + i);
		o->src[2] = carry;
		o->nsrc = 3;
		o->partial = 1;
	}
	return d;
}

val k_add(struct kb *k, val a, val b)
{
	if (is_float(a))
		return k_op2(k, OP_FADD, "FADD", T_F32, a, b);
	if (is_double(a))
		return k_op2(k, OP_DADD, "DADD", T_F64, a, b);
	if (a.type == T_U64)
		return add64(k, a, b);
	return k_op2(k, OP_IADD, "IADD3", (enum simt_type)a.type, a, b);
}

val k_sub(struct kb *k, val a, val b)
{
	if (is_float(a))
		return k_op2(k, OP_FSUB, "FADD", T_F32, a, b);
	if (is_double(a))
		return k_op2(k, OP_DSUB, "DADD", T_F64, a, b);
	return k_op2(k, OP_ISUB, "IADD3", (enum simt_type)a.type, a, b);
}

val k_mul(struct kb *k, val a, val b)
{
	if (is_float(a))
		return k_op2(k, OP_FMUL, "FMUL", T_F32, a, b);
	if (is_double(a))
		return k_op2(k, OP_DMUL, "DMUL", T_F64, a, b);
	return k_op2(k, OP_IMUL, "IMAD", (enum simt_type)a.type, a, b);
}

val k_mad(struct kb *k, val a, val b, val c)
{
	if (is_float(a))
		return k_op3(k, OP_FFMA, "FFMA", T_F32, a, b, c);
	if (is_double(a))
		return k_op3(k, OP_DFMA, "DFMA", T_F64, a, b, c);
	return k_op3(k, OP_IMAD, "IMAD", (enum simt_type)a.type, a, b, c);
}

static val minmax(struct kb *k, val a, val b, int max)
{
	if (is_float(a))
		return k_op2(k, max ? OP_FMAX : OP_FMIN, "FMNMX", T_F32, a, b);
	if (a.type == T_U32)
		return k_op2(k, max ? OP_UMAX : OP_UMIN, "IMNMX.U32", T_U32, a, b);
	return k_op2(k, max ? OP_IMAX : OP_IMIN, "IMNMX", T_S32, a, b);
}

val k_min(struct kb *k, val a, val b)
{
	return minmax(k, a, b, 0);
}

val k_max(struct kb *k, val a, val b)
{
	return minmax(k, a, b, 1);
}

val k_neg(struct kb *k, val a)
{
	if (is_float(a))
		return k_op1(k, OP_FNEG, "FADD", T_F32, a);
	if (is_double(a))
		return k_op2(k, OP_DSUB, "DADD", T_F64, k_double(k, 0), a);
	return k_op2(k, OP_ISUB, "IADD3", (enum simt_type)a.type, k_int(k, 0), a);
}

val k_abs(struct kb *k, val a)
{
	if (is_float(a))
		return k_op1(k, OP_FABS, "FADD", T_F32, a);
	return k_op1(k, OP_IABS, "IABS", T_S32, a);
}

val k_and(struct kb *k, val a, val b)
{
	return k_op2(k, OP_AND, "LOP3.LUT", (enum simt_type)a.type, a, b);
}

val k_or(struct kb *k, val a, val b)
{
	return k_op2(k, OP_OR, "LOP3.LUT", (enum simt_type)a.type, a, b);
}

val k_xor(struct kb *k, val a, val b)
{
	return k_op2(k, OP_XOR, "LOP3.LUT", (enum simt_type)a.type, a, b);
}

val k_shl(struct kb *k, val a, val b)
{
	if (!failed(k) && is_const(k, b))
		return k_op2(k, OP_SHL, "IMAD.SHL.U32", (enum simt_type)a.type, a, b);
	return k_op2(k, OP_SHL, "SHF.L.U32", (enum simt_type)a.type, a, b);
}

val k_shr(struct kb *k, val a, val b)
{
	if (a.type == T_S32)
		return k_op2(k, OP_SAR, "SHF.R.S32.HI", T_S32, a, b);
	return k_op2(k, OP_SHR, "SHF.R.U32.HI", T_U32, a, b);
}

val k_mulhi(struct kb *k, val a, val b)
{
	return k_op2(k, OP_IMULHI, "IMAD.HI.U32", T_U32, a, b);
}

val k_popc(struct kb *k, val a)
{
	return k_op1(k, OP_POPC, "POPC", T_S32, a);
}

val k_flo(struct kb *k, val a)
{
	return k_op1(k, OP_FLO, "FLO.U32", T_S32, a);
}

static val like(struct kb *k, val a, int32_t b)
{
	return a.type == T_U32 ? k_uint(k, (uint32_t)b) : k_int(k, b);
}

val k_addi(struct kb *k, val a, int32_t b)
{
	if (a.type == T_U64) {
		val c = constant(k, V_CONST, T_U64, (uint64_t)(int64_t)b);
		return add64(k, a, c);
	}
	return k_add(k, a, like(k, a, b));
}

val k_muli(struct kb *k, val a, int32_t b)
{
	return k_mul(k, a, like(k, a, b));
}

val k_madi(struct kb *k, val a, int32_t b, val c)
{
	return k_mad(k, a, like(k, a, b), c);
}

val k_andi(struct kb *k, val a, uint32_t b)
{
	return k_and(k, a, like(k, a, (int32_t)b));
}

val k_shli(struct kb *k, val a, unsigned b)
{
	return k_shl(k, a, k_int(k, (int32_t)b));
}

val k_shri(struct kb *k, val a, unsigned b)
{
	return k_shr(k, a, k_int(k, (int32_t)b));
}

/* Quotient by a float reciprocal slightly below 2^32/b, then two corrections, as
 * the compiler's own expansion of 32-bit division. */
static val divmod(struct kb *k, val a, val b, val *rest)
{
	val f = k_op1(k, OP_U2F, "I2F.U32.RP", T_F32, b);
	val r = k_rcp(k, f);
	/* 2 ulp less: the reciprocal must not be too large. */
	val low = k_as(k, k_addi(k, k_as(k, r, T_U32), (int32_t)((32u << 23) - 2)), T_F32);
	val inv = k_op1(k, OP_F2U, "F2I.FTZ.U32.TRUNC.NTZ", T_U32, low);
	val e = k_mul(k, k_as(k, k_neg(k, k_as(k, inv, T_S32)), T_U32), b);
	val inv2 = k_add(k, inv, k_mulhi(k, inv, e));
	val q = k_var(k, k_mulhi(k, inv2, a));
	val m = k_var(k, k_mad(k, k_as(k, k_neg(k, k_as(k, q, T_S32)), T_U32), b, a));
	for (int i = 0; i < 2; i++) {
		k_when(k, k_setp(k, CMP_GE, m, b));
		k_set(k, m, k_sub(k, m, b));
		k_set(k, q, k_addi(k, q, 1));
		k_endwhen(k);
	}
	*rest = m;
	return q;
}

val k_udiv(struct kb *k, val a, val b)
{
	val rest;
	return divmod(k, k_as(k, a, T_U32), k_as(k, b, T_U32), &rest);
}

val k_umod(struct kb *k, val a, val b)
{
	val rest;
	divmod(k, k_as(k, a, T_U32), k_as(k, b, T_U32), &rest);
	return rest;
}

/* ---- floats ------------------------------------------------------------------------ */

static val mufu(struct kb *k, unsigned f, const char *name, val a)
{
	val d = k_op1(k, OP_MUFU, name, T_F32, a);
	if (!failed(k))
		k->op[k->n_ops - 1].sub = (uint8_t)f;
	return d;
}

val k_rcp(struct kb *k, val a)
{
	return mufu(k, MUFU_RCP, "MUFU.RCP", a);
}

val k_rsqrt(struct kb *k, val a)
{
	return mufu(k, MUFU_RSQ, "MUFU.RSQ", a);
}

val k_sqrt(struct kb *k, val a)
{
	return mufu(k, MUFU_SQRT, "MUFU.SQRT", a);
}

val k_ex2(struct kb *k, val a)
{
	return mufu(k, MUFU_EX2, "MUFU.EX2", a);
}

val k_lg2(struct kb *k, val a)
{
	return mufu(k, MUFU_LG2, "MUFU.LG2", a);
}

/* Radians become revolutions first (the RRO step of the hardware's trigonometry). */
val k_sin(struct kb *k, val a)
{
	return mufu(k, MUFU_SIN, "MUFU.SIN", k_mul(k, a, k_float(k, 0.15915494f)));
}

val k_cos(struct kb *k, val a)
{
	return mufu(k, MUFU_COS, "MUFU.COS", k_mul(k, a, k_float(k, 0.15915494f)));
}

/* One Newton step on a * (1/b). */
val k_div(struct kb *k, val a, val b)
{
	val r = k_rcp(k, b);
	val q = k_mul(k, a, r);
	val rest = k_mad(k, k_neg(k, b), q, a);
	return k_mad(k, rest, r, q);
}

val k_exp(struct kb *k, val a)
{
	return k_ex2(k, k_mul(k, a, k_float(k, 1.442695041f)));
}

val k_log(struct kb *k, val a)
{
	return k_mul(k, k_lg2(k, a), k_float(k, 0.693147181f));
}

val k_cvt(struct kb *k, val a, enum simt_type t)
{
	static const struct {
		uint8_t from, to, code;
		const char *opcode;
	} ways[] = {
		{T_S32, T_F32, OP_I2F, "I2F"},           {T_U32, T_F32, OP_U2F, "I2F.U32"},
		{T_F32, T_S32, OP_F2I, "F2I.TRUNC.NTZ"}, {T_F32, T_U32, OP_F2U, "F2I.U32.TRUNC.NTZ"},
		{T_F32, T_F64, OP_F2D, "F2F.F64.F32"},   {T_F64, T_F32, OP_D2F, "F2F.F32.F64"},
		{T_S32, T_F64, OP_I2D, "I2F.F64"},       {T_F64, T_S32, OP_D2I, "F2I.F64.TRUNC"},
	};
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
		if (ways[i].from == a.type && ways[i].to == t)
			return k_op1(k, (enum op_code)ways[i].code, ways[i].opcode, t, a);
	return k_as(k, a, t);
}

/* ---- predicates ---------------------------------------------------------------------- */

val k_setp(struct kb *k, enum simt_cmp c, val a, val b)
{
	static const char *const names[] = {"LT", "LE", "GT", "GE", "EQ", "NE"};
	char text[32];
	enum op_code code = is_float(a)       ? OP_FSETP
	                    : is_double(a)    ? OP_DSETP
	                    : a.type == T_U32 ? OP_USETP
	                                      : OP_ISETP;
	snprintf(text, sizeof text, "%cSETP.%s%s.AND",
	         is_float(a)    ? 'F'
	         : is_double(a) ? 'D'
	                        : 'I',
	         names[c], code == OP_USETP ? ".U32" : "");
	val p = k_op2(k, code, k_text(k, text), T_PRED, a, b);
	if (!failed(k))
		k->op[k->n_ops - 1].sub = (uint8_t)c;
	return p;
}

val k_setpi(struct kb *k, enum simt_cmp c, val a, int32_t b)
{
	return k_setp(k, c, a, like(k, a, b));
}

val k_pand(struct kb *k, val p, val q)
{
	return k_op2(k, OP_PAND, "PLOP3.LUT", T_PRED, p, q);
}

val k_por(struct kb *k, val p, val q)
{
	return k_op2(k, OP_POR, "PLOP3.LUT", T_PRED, p, q);
}

val k_pnot(struct kb *k, val p)
{
	return k_op1(k, OP_PNOT, "PLOP3.LUT", T_PRED, p);
}

val k_sel(struct kb *k, val p, val a, val b)
{
	return k_op3(k, OP_SEL, is_float(a) ? "FSEL" : "SEL", (enum simt_type)a.type, a, b, p);
}

val k_shfl(struct kb *k, enum simt_shfl mode, val a, val b)
{
	static const char *const names[] = {"SHFL.IDX", "SHFL.UP", "SHFL.DOWN", "SHFL.BFLY"};
	val d = k_op2(k, OP_SHFL, names[mode], (enum simt_type)a.type, a, b);
	if (!failed(k))
		k->op[k->n_ops - 1].sub = (uint8_t)mode;
	return d;
}

val k_ballot(struct kb *k, val p)
{
	return k_op1(k, OP_BALLOT, "VOTE.ANY", T_U32, p);
}

val k_any(struct kb *k, val p)
{
	return k_op1(k, OP_ANY, "VOTE.ANY", T_PRED, p);
}

val k_all(struct kb *k, val p)
{
	return k_op1(k, OP_ALL, "VOTE.ALL", T_PRED, p);
}

void k_hmma(struct kb *k, val d, val a, val b, val c)
{
	struct op *o = k_emit(k, OP_HMMA, "HMMA.16816.F32");
	if (!o)
		return;
	o->dst = d;
	o->src[0] = a;
	o->src[1] = b;
	o->src[2] = c;
	o->nsrc = 3;
}

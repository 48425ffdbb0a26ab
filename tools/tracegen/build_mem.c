/* Memory operations of kernels. */
#include <stdio.h>
#include <string.h>

#include "tracegen/emit.h"

static const char *const size_suffix[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};

static unsigned mem_regs(enum simt_mem m)
{
	return m == M_64 ? 2 : m == M_128 ? 4 : 1;
}

val k_elem(struct kb *k, val ptr, val index, int32_t size)
{
	const char *name = index.type == T_U32 ? "IMAD.WIDE.U32" : "IMAD.WIDE";
	val d = k_op3(k, OP_IMAD_WIDE, name, T_U64, index, k_int(k, size), ptr);
	if (k && k->g->status == CT_OK)
		k->op[k->n_ops - 1].sub = index.type == T_U32;
	return d;
}

static val load(struct kb *k, enum ct_space space, const char *base, enum simt_mem m, enum simt_type t,
                val addr, int32_t offset, const char *mods)
{
	char text[64];
	snprintf(text, sizeof text, "%s%s%s", base, size_suffix[m], mods);
	unsigned n = mem_regs(m);
	val d = k_new(k, V_REG, t, n);
	struct op *o = k_emit(k, OP_LOAD, k_text(k, text));
	if (!o)
		return d;
	o->dst = d;
	o->src[0] = addr;
	o->nsrc = 1;
	o->space = (uint8_t)space;
	o->mem = (uint8_t)m;
	o->offset = offset;
	return d;
}

static void store(struct kb *k, enum ct_space space, const char *base, enum simt_mem m, val addr,
                  int32_t offset, val x)
{
	char text[64];
	snprintf(text, sizeof text, "%s%s", base, size_suffix[m]);
	/* Stores do not name a sign. */
	char *sign = strstr(text, ".S");
	if (sign && (m == M_S8 || m == M_S16))
		sign[1] = 'U';
	struct op *o = k_emit(k, OP_STORE, k_text(k, text));
	if (!o)
		return;
	o->src[0] = addr;
	o->src[1] = x;
	o->nsrc = 2;
	o->space = (uint8_t)space;
	o->mem = (uint8_t)m;
	o->offset = offset;
}

val k_ldg_mod(struct kb *k, enum simt_mem m, enum simt_type t, val addr, int32_t offset, unsigned mods)
{
	return load(k, CT_SPACE_GLOBAL, "LDG.E", m, t, addr, offset,
	            mods & LD_CONSTANT ? ".CONSTANT"
	            : mods & LD_STRONG ? ".STRONG.GPU"
	                               : "");
}

val k_ldg(struct kb *k, enum simt_mem m, enum simt_type t, val addr, int32_t offset)
{
	return k_ldg_mod(k, m, t, addr, offset, 0);
}

void k_stg(struct kb *k, enum simt_mem m, val addr, int32_t offset, val x)
{
	store(k, CT_SPACE_GLOBAL, "STG.E", m, addr, offset, x);
}

val k_lds(struct kb *k, enum simt_mem m, enum simt_type t, val addr, int32_t offset)
{
	return load(k, CT_SPACE_SHARED, "LDS", m, t, addr, offset, "");
}

void k_sts(struct kb *k, enum simt_mem m, val addr, int32_t offset, val x)
{
	store(k, CT_SPACE_SHARED, "STS", m, addr, offset, x);
}

void k_local_frame(struct kb *k, uint32_t bytes)
{
	if (k)
		k->frame_bytes = (bytes + 15) / 16 * 16;
}

val k_ldl(struct kb *k, enum simt_mem m, enum simt_type t, val addr, int32_t offset)
{
	return load(k, CT_SPACE_LOCAL, "LDL", m, t, addr, offset, "");
}

void k_stl(struct kb *k, enum simt_mem m, val addr, int32_t offset, val x)
{
	store(k, CT_SPACE_LOCAL, "STL", m, addr, offset, x);
}

void k_ldgsts(struct kb *k, enum simt_mem m, val saddr, int32_t soffset, val gaddr, int32_t goffset)
{
	char text[64];
	snprintf(text, sizeof text, "LDGSTS.E.BYPASS.LTC128B%s", size_suffix[m]);
	struct op *o = k_emit(k, OP_LDGSTS, k_text(k, text));
	if (!o)
		return;
	o->src[0] = saddr;
	o->src[1] = gaddr;
	o->nsrc = 2;
	o->space = CT_SPACE_GLOBAL;
	o->mem = (uint8_t)m;
	o->offset = goffset;
	o->offset2 = soffset;
}

void k_ldgdepbar(struct kb *k)
{
	k_emit(k, OP_NOP, "LDGDEPBAR");
}

void k_depbar(struct kb *k, unsigned n)
{
	struct op *o = k_emit(k, OP_NOP, "DEPBAR.LE");
	if (o) {
		o->sinst.has_imm = 1;
		o->sinst.imm = n;
	}
}

/* "ATOMG.E.ADD.STRONG.GPU", "RED.E.MIN.S32.STRONG.GPU", "ATOMS.ADD". */
static const char *atom_text(struct kb *k, const char *base, enum simt_atom a, val x, const char *scope)
{
	static const char *const names[] = {"ADD", "MIN", "MAX", "EXCH", "CAS", "OR", "AND"};
	char text[64];
	const char *type = "";
	if (x.type == T_F32)
		type = a == ATOM_ADD ? ".F32.FTZ.RN" : ".F32";
	else if (x.type == T_S32 && (a == ATOM_MIN || a == ATOM_MAX))
		type = ".S32";
	snprintf(text, sizeof text, "%s.%s%s%s", base, names[a], type, scope);
	return k_text(k, text);
}

static val atom(struct kb *k, enum ct_space space, const char *opcode, enum simt_atom a, val addr,
                int32_t offset, unsigned n, const val *x, int result)
{
	val d = {NO_VALUE, 0, 0};
	if (result)
		d = k_new(k, V_REG, (enum simt_type)x[0].type, 1);
	struct op *o = k_emit(k, OP_ATOM, opcode);
	if (!o)
		return d;
	o->dst = d;
	o->sub = (uint8_t)a;
	o->src[0] = addr;
	for (unsigned i = 0; i < n; i++)
		o->src[1 + i] = x[i];
	o->nsrc = (uint8_t)(1 + n);
	o->space = (uint8_t)space;
	o->mem = M_32;
	o->offset = offset;
	return d;
}

val k_atomg(struct kb *k, enum simt_atom op, val addr, int32_t offset, val x)
{
	return atom(k, CT_SPACE_GLOBAL, atom_text(k, "ATOMG.E", op, x, ".STRONG.GPU"), op, addr, offset,
	            1, &x, 1);
}

val k_cas(struct kb *k, val addr, int32_t offset, val compare, val x)
{
	return atom(k, CT_SPACE_GLOBAL, atom_text(k, "ATOMG.E", ATOM_CAS, x, ".STRONG.GPU"), ATOM_CAS,
	            addr, offset, 2, (val[]){x, compare}, 1);
}

void k_red(struct kb *k, enum simt_atom op, val addr, int32_t offset, val x)
{
	atom(k, CT_SPACE_GLOBAL, atom_text(k, "RED.E", op, x, ".STRONG.GPU"), op, addr, offset, 1, &x,
	     0);
}

val k_atoms(struct kb *k, enum simt_atom op, val addr, int32_t offset, val x)
{
	return atom(k, CT_SPACE_SHARED, atom_text(k, "ATOMS", op, x, ""), op, addr, offset, 1, &x, 1);
}

/* There is no shared-memory RED: the old value goes to RZ. */
void k_reds(struct kb *k, enum simt_atom op, val addr, int32_t offset, val x)
{
	atom(k, CT_SPACE_SHARED, atom_text(k, "ATOMS", op, x, ""), op, addr, offset, 1, &x, 0);
	if (k && k->g->status == CT_OK) {
		struct ct_sinst *s = &k->op[k->n_ops - 1].sinst;
		s->ndst = 1;
		s->dst[0] = CT_REG_RZ;
	}
}

val k_ldc(struct kb *k, enum simt_type t, val base, val offset, int32_t immediate)
{
	val d = k_new(k, V_REG, t, t == T_F64 ? 2 : 1);
	struct op *o = k_emit(k, OP_LOAD, t == T_F64 ? "LDC.64" : "LDC");
	if (!o)
		return d;
	o->dst = d;
	o->src[0] = offset;
	o->src[1] = base;
	o->nsrc = 2;
	o->space = CT_SPACE_CONST;
	o->mem = t == T_F64 ? M_64 : M_32;
	o->offset = immediate;
	return d;
}

val k_ldsm4(struct kb *k, val addr, int32_t offset)
{
	val d = k_new(k, V_REG, T_U32, 4);
	struct op *o = k_emit(k, OP_LDSM, "LDSM.16.M88.4");
	if (!o)
		return d;
	o->dst = d;
	o->src[0] = addr;
	o->nsrc = 1;
	o->space = CT_SPACE_SHARED;
	o->mem = M_128;
	o->offset = offset;
	return d;
}

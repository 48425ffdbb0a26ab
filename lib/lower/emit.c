/* Machine instructions with their operands. */
#include <string.h>

#include "base/mem.h"
#include "lower/unit.h"

unsigned ct_lower_parts(const struct ct_lower_unit *u, uint32_t reg)
{
	return u->reg[reg].bytes == 8 && !u->reg[reg].narrow ? 2 : 1;
}

uint32_t ct_lower_write(struct ct_lower_unit *u, uint32_t reg, unsigned part)
{
	struct ct_lower_reg *r = &u->reg[reg];
	if (r->value == CT_LOWER_NONE) {
		r->value = ct_lower_new_value(u->p, ct_lower_parts(u, reg));
		u->failed |= r->value == CT_LOWER_NONE;
	}
	return CT_LOWER_PART(r->value, r->part + part);
}

/* The 32-bit register that a sign- or zero-extension was made of, or NONE. */
static uint32_t extended(const struct ct_lower_unit *u, uint32_t reg)
{
	const struct ct_lower_reg *r = &u->reg[reg];
	if (r->fact == CT_LOWER_EXTENSION)
		return r->of;
	if (r->defs != 1 || r->bytes != 8)
		return CT_LOWER_NONE;
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, r->def);
	return strcmp(i->opcode, "cvt.s64.s32") == 0 && i->operand[1].kind == CT_PTX_OPERAND_REGISTER
	               ? i->operand[1].number
	               : CT_LOWER_NONE;
}

/* What a machine instruction reads for a PTX register: a constant, a place in constant memory, nothing,
 * or a value. */
struct ct_lower_source ct_lower_read_register(struct ct_lower_unit *u, uint32_t reg, unsigned part)
{
	struct ct_lower_source s = {.place = CT_LOWER_RZ};
	reg = ct_lower_resolve(u, reg);
	const struct ct_lower_reg *r = &u->reg[reg];
	if (r->fact == CT_LOWER_CONSTANT) {
		s.imm = part ? r->constant >> 32 : (int32_t)r->constant;
		s.folded = s.imm != 0;
		return s;
	}
	if (r->fact == CT_LOWER_BANK) {
		s.folded = 1;
		s.bank = 2 * reg + part + 1;
		return s;
	}
	if (r->fact == CT_LOWER_EXTENSION && part)
		return s;
	uint32_t of = extended(u, reg);
	if (of != CT_LOWER_NONE && !part)
		return ct_lower_read_register(u, of, 0);
	s.place = ct_lower_write(u, reg, part < ct_lower_parts(u, reg) ? part : 0);
	return s;
}

struct ct_lower_source ct_lower_read(struct ct_lower_unit *u, const struct ct_ptx_operand *o,
                                     unsigned part)
{
	struct ct_lower_source s = {.place = CT_LOWER_RZ};
	switch (o->kind) {
	case CT_PTX_OPERAND_REGISTER: return ct_lower_read_register(u, o->number, part);
	case CT_PTX_OPERAND_INTEGER:
	case CT_PTX_OPERAND_REAL:
		s.imm = part ? o->value >> 32 : (int32_t)o->value;
		s.folded = s.imm != 0;
		return s;
	default: s.folded = 1; return s;
	}
}

static struct ct_lower_inst *add(struct ct_lower_unit *u, const char *opcode, uint32_t at, uint32_t dst)
{
	struct ct_lower_inst *i = ct_lower_add(u->p, opcode, at);
	if (!i) {
		u->failed = 1;
		return NULL;
	}
	i->home = (uint32_t)u->first_block + u->home;
	i->phase = u->phase;
	i->pure = 1;
	i->lanes = u->phase == CT_LOWER_HOISTED ? CT_LOWER_ACTIVE : CT_LOWER_GUARDED;
	if (dst != CT_LOWER_RZ)
		i->dst[i->ndst++] = dst;
	return i;
}

/* The block where a constant is put into a register: before the outermost loop around. */
static uint32_t constant_home(const struct ct_lower_unit *u, uint32_t block)
{
	for (uint32_t header = u->node[block].loop; header != CT_LOWER_NONE && header != 0;
	     header = u->node[header].outer)
		block = u->node[header].dominator;
	return block;
}

/* A constant in a register: one that is there already, or a move. */
static uint32_t keep_constant(struct ct_lower_unit *u, uint32_t at, const struct ct_lower_source *s)
{
	uint32_t block = constant_home(u, u->home), home = u->home;
	uint8_t phase = u->phase;
	for (size_t i = 0; i < u->nkept; i++)
		if (u->kept[i].bank == s->bank && u->kept[i].imm == s->imm && (s->bank || s->imm) &&
		    ct_lower_dominates(u, u->kept[i].block, block) &&
		    !(u->kept[i].hoisted && u->kept[i].block == home && phase != CT_LOWER_HOISTED))
			return u->kept[i].place;
	uint32_t value = ct_lower_new_value(u->p, 1);
	if (value == CT_LOWER_NONE ||
	    ct_grow((void **)&u->kept, &u->kept_cap, u->nkept + 1, sizeof *u->kept) < 0) {
		u->failed = 1;
		return CT_LOWER_RZ;
	}
	if (block != home) {
		u->home = block;
		u->phase = CT_LOWER_HOISTED;
		at = ct_lower_block_of(u, block)->end - 1;
	}
	struct ct_lower_inst *move = add(u, "IMAD.MOV.U32", at, CT_LOWER_PART(value, 0));
	if (move) {
		move->src[0] = move->src[1] = CT_LOWER_RZ;
		move->nsrc = 2;
		move->has_imm = s->imm != 0;
		move->imm = s->imm;
	}
	u->home = home;
	u->phase = phase;
	u->kept[u->nkept++] = (struct ct_lower_kept){
		.bank = s->bank,
		.block = block,
		.place = CT_LOWER_PART(value, 0),
		.imm = s->imm,
		.hoisted = block != home || phase == CT_LOWER_HOISTED};
	return CT_LOWER_PART(value, 0);
}

struct ct_lower_inst *ct_lower_emit(struct ct_lower_unit *u, const char *opcode, uint32_t at,
                                    uint32_t dst, unsigned n, const struct ct_lower_source *src)
{
	struct ct_lower_source own[CT_LOWER_MAX_SRC];
	unsigned folded = 0, held = CT_LOWER_MAX_SRC; /* the one that the instruction holds */
	n = n < CT_LOWER_MAX_SRC ? n : CT_LOWER_MAX_SRC;
	/* Constant memory rather than a number, which other instructions may share in a register. */
	for (unsigned k = 0; k < n; k++)
		if (src[k].folded && (folded++ == 0 || (src[k].bank && !src[held].bank)))
			held = k;
	for (unsigned k = 0; k < n; k++) {
		own[k] = src[k];
		if (!own[k].folded || k == held)
			continue;
		own[k] = (struct ct_lower_source){.place = keep_constant(u, at, &own[k])};
	}
	struct ct_lower_inst *i = add(u, opcode, at, dst);
	for (unsigned k = 0; i && k < n; k++) {
		if (own[k].folded) {
			i->has_imm = own[k].imm != 0;
			i->imm = own[k].imm;
		} else {
			i->src[i->nsrc++] = own[k].place;
		}
	}
	return i;
}

/* Pairs of PTX instructions that one machine instruction does: multiplication and addition, shift and
 * addition, three-operand additions and logic, comparisons that are joined. */
#include <string.h>

#include "lower/unit.h"

static int is_add(const char *o)
{
	return (ct_lower_is(o, "add") || ct_lower_is(o, "sub")) && !ct_lower_has(o, "cc") &&
	       !ct_lower_has(o, "sat");
}

static int is_logic(const char *o)
{
	return ct_lower_is(o, "and") || ct_lower_is(o, "or") || ct_lower_is(o, "xor") ||
	       ct_lower_is(o, "not");
}

/* Whether `user` can do the work of `maker` too. Rounded forms (.rn) of floating point stay apart, as
 * the PTX ISA demands. */
static int fuses(const struct ct_lower_ptx *user, const struct ct_lower_ptx *maker)
{
	const char *x = user->opcode, *y = maker->opcode;
	unsigned bits = ct_lower_bits(x);
	int real = ct_lower_has(x, "f32") || ct_lower_has(x, "f64");
	if (is_add(x) && real)
		return ct_lower_is(y, "mul") && bits == ct_lower_bits(y) && !ct_lower_has(x, "rn") &&
		       !ct_lower_has(y, "rn");
	if (is_add(x) && bits == 32)
		return (is_add(y) && ct_lower_bits(y) == 32) ||
		       (ct_lower_is(y, "mul") && ct_lower_has(y, "lo") && ct_lower_bits(y) == 32) ||
		       strcmp(y, "neg.s32") == 0 || strcmp(y, "not.b32") == 0 ||
		       (strcmp(y, "shl.b32") == 0 && maker->operand[2].kind == CT_PTX_OPERAND_INTEGER);
	if (is_add(x) && bits == 64)
		return ct_lower_is(y, "mul") && ct_lower_has(y, "wide");
	if (is_logic(x) && bits == 32)
		return is_logic(y) && ct_lower_bits(y) == 32;
	if ((ct_lower_is(x, "setp")) && bits && bits <= 32)
		return ct_lower_is(y, "and") && bits == ct_lower_bits(y) && user->operands > 2 &&
		       user->operand[user->operands - 1].kind == CT_PTX_OPERAND_INTEGER;
	return 0;
}

/* Sources of an instruction, those of what it has taken in included: three are the most. */
static unsigned sources(const struct ct_lower_ptx *i)
{
	return i->operands - i->writes;
}

static void fuse_registers(struct ct_lower_unit *u, struct ct_lower_ptx *i, uint32_t at)
{
	for (uint32_t k = i->writes; k < i->operands && i->fused == CT_LOWER_NONE; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		if (o->kind != CT_PTX_OPERAND_REGISTER || o->in_brackets)
			continue;
		const struct ct_lower_reg *r = &u->reg[ct_lower_resolve(u, o->number)];
		if (r->defs != 1 || r->uses != 1 || r->fact ||
		    ct_lower_home(u, r->def) != ct_lower_home(u, at) || r->def >= at)
			continue;
		struct ct_lower_ptx *maker = ct_lower_ptx_at(u, r->def);
		if (!maker->needed || maker->absorbed || maker->fused != CT_LOWER_NONE ||
		    maker->control.guard != CT_PTX_NO_OPERAND || maker->writes != 1 ||
		    sources(i) + sources(maker) > 4 || !fuses(i, maker))
			continue;
		maker->absorbed = 1;
		i->fused = r->def;
	}
}

/* and.pred and or.pred of a comparison: the comparison takes the other predicate in. */
static void fuse_predicates(struct ct_lower_unit *u, struct ct_lower_ptx *i)
{
	if (strcmp(i->opcode, "not.pred") == 0 || strcmp(i->opcode, "mov.pred") == 0) {
		i->absorbed = i->operand[1].kind == CT_PTX_OPERAND_PREDICATE &&
		              u->pred[i->operand[1].number].defs == 1 &&
		              u->pred[i->operand[0].number].defs == 1;
		return;
	}
	if (strcmp(i->opcode, "and.pred") != 0 && strcmp(i->opcode, "or.pred") != 0)
		return;
	for (uint32_t k = 1; k < i->operands && !i->absorbed; k++) {
		const struct ct_lower_pred *p = &u->pred[i->operand[k].number];
		if (p->defs == 1 && p->uses == 1 && u->pred[i->operand[0].number].defs == 1)
			i->absorbed = ct_lower_is(ct_lower_ptx_at(u, p->def)->opcode, "setp") ||
			              ct_lower_ptx_at(u, p->def)->absorbed;
	}
}

/* mov of a value to a variable of a loop: the value is computed in the variable's register where the two
 * do not live at once. */
static void coalesce(struct ct_lower_unit *u, struct ct_lower_ptx *i, uint32_t at)
{
	if (!ct_lower_is(i->opcode, "mov") || i->operands != 2 ||
	    i->operand[0].kind != CT_PTX_OPERAND_REGISTER ||
	    i->operand[1].kind != CT_PTX_OPERAND_REGISTER)
		return;
	struct ct_lower_reg *d = &u->reg[i->operand[0].number], *s = &u->reg[i->operand[1].number];
	if (d->defs < 2 || s->defs != 1 || s->fact || s->uses != 1 || s->value != CT_LOWER_NONE ||
	    s->bytes != d->bytes || s->narrow != d->narrow ||
	    ct_lower_home(u, s->def) != ct_lower_home(u, at))
		return;
	for (uint32_t k = s->def; k < at; k++) {
		const struct ct_lower_ptx *x = ct_lower_ptx_at(u, k);
		for (uint32_t o = k == s->def ? x->operands : 0; o < x->operands; o++)
			if (x->operand[o].kind == CT_PTX_OPERAND_REGISTER &&
			    x->operand[o].number == i->operand[0].number)
				return;
	}
	uint32_t place = ct_lower_write(u, i->operand[0].number, 0);
	s->value = CT_LOWER_VALUE(place);
	s->part = place & 3;
	i->absorbed = 1;
}

void ct_lower_fuse(struct ct_lower_unit *u)
{
	for (uint32_t k = 0; k < u->body.instructions; k++) {
		struct ct_lower_ptx *i = &u->ptx[k];
		if (!i->needed || i->absorbed)
			continue;
		fuse_registers(u, i, u->body.first_instruction + k);
		fuse_predicates(u, i);
		coalesce(u, i, u->body.first_instruction + k);
	}
}

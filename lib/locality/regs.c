#include "locality/regs.h"

#include <string.h>

enum { REGS = 512, NONE = -1 };

void ct_regs_reset(struct ct_regs *r)
{
	/* Positions of the stack above depth are never read. */
	memset(r->last, 0, sizeof r->last);
	r->index = 0;
	r->depth = 0;
}

/* Index of a register of the vector or uniform file, NONE for those that hold no
 * value (RZ, URZ) and for predicates, which no operand collector handles. */
static int slot_of(ct_reg reg)
{
	if (reg >= REGS || reg == CT_REG_RZ || reg == CT_REG_URZ)
		return NONE;
	return reg;
}

static unsigned position_of(const struct ct_regs *r, uint16_t reg)
{
	unsigned p = 0;
	while (p < r->depth && r->stack[p] != reg)
		p++;
	return p;
}

static void to_top(struct ct_regs *r, uint16_t reg)
{
	unsigned p = position_of(r, reg);
	if (p == r->depth)
		r->depth++;
	memmove(r->stack + 1, r->stack, p * sizeof *r->stack);
	r->stack[0] = reg;
	r->last[reg] = r->index;
}

/* Registers that operand i stands for; instructions made by hand may not say. */
static unsigned width_of(const uint8_t *regs, unsigned i)
{
	return regs[i] ? regs[i] : 1;
}

static int seen_before(const struct ct_sinst *s, unsigned i, unsigned reg)
{
	for (unsigned k = 0; k < i; k++)
		if (reg >= s->src[k] && reg < s->src[k] + width_of(s->src_regs, k))
			return 1;
	return 0;
}

static void read_one(const struct ct_regs *r, uint16_t reg, struct ct_hist *insts,
                     struct ct_hist *distinct)
{
	if (r->last[reg] == 0) {
		ct_hist_add(insts, CT_COLD, 1);
		ct_hist_add(distinct, CT_COLD, 1);
		return;
	}
	ct_hist_add(insts, r->index - r->last[reg], 1);
	ct_hist_add(distinct, position_of(r, reg) + 1u, 1);
}

static void all_to_top(struct ct_regs *r, ct_reg reg, unsigned n)
{
	if (slot_of(reg) == NONE)
		return;
	for (unsigned k = 0; k < n; k++)
		to_top(r, (uint16_t)(reg + k));
}

void ct_regs_step(struct ct_regs *r, const struct ct_sinst *s, struct ct_hist *insts,
                  struct ct_hist *distinct)
{
	unsigned nsrc = s->nsrc < CT_MAX_SRC ? s->nsrc : CT_MAX_SRC;
	unsigned ndst = s->ndst < CT_MAX_DST ? s->ndst : CT_MAX_DST;
	if (r->index == UINT32_MAX) /* the counter would wrap */
		ct_regs_reset(r);
	r->index++;
	/* All sources are read before anything moves: reads of one instruction are not
	 * between each other. */
	for (unsigned i = 0; i < nsrc; i++)
		for (unsigned k = 0; slot_of(s->src[i]) != NONE && k < width_of(s->src_regs, i); k++)
			if (!seen_before(s, i, s->src[i] + k))
				read_one(r, (uint16_t)(s->src[i] + k), insts, distinct);
	for (unsigned i = 0; i < nsrc; i++)
		all_to_top(r, s->src[i], width_of(s->src_regs, i));
	for (unsigned i = 0; i < ndst; i++)
		all_to_top(r, s->dst[i], width_of(s->dst_regs, i));
}

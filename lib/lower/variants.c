/* What regions issue when their lanes go through them together: recording looks it up. */
#include "lower/machine.h"

#include <string.h>

#include "base/mem.h"

/* The lanes of a machine instruction: all, none, not issued, or what only recording can tell. */
enum lanes { ALL, NO_LANE, NOT_ISSUED, UNKNOWN };

/* `holds`: the guard of its PTX instruction does. */
static enum lanes lanes_of(const struct ct_lower_inst *i, int holds)
{
	switch ((enum ct_lower_lanes)i->lanes) {
	case CT_LOWER_GUARDED:
	case CT_LOWER_CONVERTED: return holds ? ALL : NO_LANE;
	case CT_LOWER_ACTIVE:
	case CT_LOWER_SPECULATED: return ALL;
	case CT_LOWER_TURNED: return holds ? NO_LANE : ALL;
	case CT_LOWER_TAKEN: return holds ? ALL : NOT_ISSUED;
	case CT_LOWER_PASSED: return holds ? NOT_ISSUED : ALL;
	case CT_LOWER_EXITS: return holds ? UNKNOWN : NO_LANE;
	case CT_LOWER_RETURNS: break;
	}
	return UNKNOWN;
}

/* Appends a machine instruction to the steps of a variant. */
static int add_step(struct ct_lower_program *p, struct ct_lower_variant *v, uint32_t inst,
                    enum lanes lanes)
{
	const struct ct_lower_inst *i = &p->inst[inst];
	uint32_t mask = lanes == ALL ? UINT32_MAX : 0;
	struct ct_lower_step *last = p->steps > v->step ? &p->step[p->steps - 1] : NULL;
	v->issued++;
	if (last && !i->memory && last->access == CT_LOWER_NONE && last->inst + last->n == inst &&
	    last->lanes == mask) {
		last->n++;
		return CT_OK;
	}
	if (ct_grow((void **)&p->step, &p->step_cap, p->steps + 1, sizeof *p->step) < 0)
		return CT_ERR_NOMEM;
	v->accesses += i->memory;
	p->step[p->steps++] = (struct ct_lower_step){
		inst, 1, i->memory ? p->address[i->source] : CT_LOWER_NONE, mask};
	return CT_OK;
}

static int add_variant(struct ct_lower_program *p, const struct ct_lower_region *r, uint32_t number)
{
	struct ct_lower_variant v = {.step = (uint32_t)p->steps, .plain = 1};
	int st = CT_OK;
	for (uint32_t i = r->code; i < r->code_end && st == CT_OK; i++) {
		enum lanes lanes = lanes_of(&p->inst[i], !(p->guard[p->inst[i].source] & number));
		if (lanes == UNKNOWN)
			v.plain = 0;
		else if (lanes != NOT_ISSUED)
			st = add_step(p, &v, i, lanes);
	}
	v.step_end = (uint32_t)p->steps;
	if (st == CT_OK &&
	    ct_grow((void **)&p->variant, &p->variant_cap, p->variants + 1, sizeof *p->variant) < 0)
		st = CT_ERR_NOMEM;
	if (st == CT_OK)
		p->variant[p->variants++] = v;
	return st;
}

/* Counts the PTX instructions of each region, and gives bits to those that have a guard. */
static void find_guards(struct ct_lower_program *p)
{
	for (size_t r = 0; r < p->regions; r++)
		p->region[r].ptx = p->region[r].guards = 0;
	for (size_t b = 0; b < p->blocks; b++) {
		struct ct_lower_region *r = &p->region[p->block[b].region];
		r->ptx += p->block[b].end - p->block[b].first;
		for (uint32_t i = p->block[b].first; i < p->block[b].end; i++)
			if (ct_ptx_control_of(p->m, i).guard != CT_PTX_NO_OPERAND &&
			    r->guards++ < CT_LOWER_GUARDS)
				p->guard[i] = (uint8_t)(1u << (r->guards - 1));
	}
	for (size_t b = 0; b < p->blocks; b++) {
		if (p->region[p->block[b].region].guards <= CT_LOWER_GUARDS)
			continue;
		memset(p->guard + p->block[b].first, 0, p->block[b].end - p->block[b].first);
	}
	for (size_t r = 0; r < p->regions; r++)
		if (p->region[r].guards > CT_LOWER_GUARDS)
			p->region[r].guards = 0;
}

int ct_lower_find_variants(struct ct_lower_program *p)
{
	int st = CT_OK;
	p->guard = ct_calloc(ct_ptx_instruction_count(p->m), 1);
	p->issue = ct_calloc(p->insts + 1, sizeof *p->issue);
	if (!p->guard || !p->issue)
		return CT_ERR_NOMEM;
	find_guards(p);
	for (size_t i = 0; i < p->insts; i++) {
		const struct ct_lower_inst *x = &p->inst[i];
		int converted = x->lanes == CT_LOWER_CONVERTED || x->lanes == CT_LOWER_SPECULATED;
		p->issue[i] = (struct ct_lower_issue){
			.source = p->slot[x->source],
			.control = converted ? p->slot[x->control] : 0,
			.access = x->memory ? p->address[x->source] : CT_LOWER_NONE,
			.lanes = x->lanes};
	}
	for (size_t r = 0; r < p->regions; r++) {
		p->region[r].variant = (uint32_t)p->variants;
		for (uint32_t k = 0; k < 1u << p->region[r].guards && st == CT_OK; k++)
			st = add_variant(p, &p->region[r], k);
	}
	return st;
}

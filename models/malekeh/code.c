#include "models/malekeh/code.h"

#include <stdlib.h>

#include "base/mem.h"

/* By how many executions an instruction's operand is kept, less those in which it is not. */
struct lead {
	int32_t fill[CT_MK_PLAN_SLOTS], keep[CT_MK_PLAN_SLOTS];
};

static void count_strand(const struct ct_mk_op *o, const struct ct_mk_strand *p, struct ct_mk_code_op *c,
                         struct lead *lead)
{
	for (unsigned k = 0; k < o->nsrc && k < CT_MK_PLAN_SLOTS; k++) {
		if (!(p->hit >> k & 1))
			lead->fill[k] += p->fill >> k & 1 ? 1 : -1;
		if ((p->hit & ~p->last) >> k & 1)
			c->more |= (uint16_t)(1u << k);
	}
	for (unsigned k = 0; k < o->ndst && k < CT_MK_PLAN_SLOTS; k++) {
		lead->keep[k] += p->keep >> k & 1 ? 1 : -1;
	}
	c->live |= p->live;
}

static void count_strands(const struct ct_mk_stream *s, const struct ct_mk_warp *w,
                          struct ct_mk_code_op *code, struct lead *lead)
{
	for (size_t i = 0; i < w->n; i++) {
		uint32_t sid = w->rec[i].sid;
		count_strand(&s->op[sid], &w->plan->strand[i], &code[sid], &lead[sid]);
	}
}

/* The intervals of a warp. life[] says which result lives longer than the interval in which it was written. */
static void count_ranges(const struct ct_mk_stream *s, const struct ct_mk_warp *w,
                         struct ct_mk_code_op *code)
{
	const struct ct_mk_plan *p = w->plan;
	uint32_t life = 0;
	for (size_t r = 0; r + 1 < p->ranges; r++) {
		const struct ct_mk_range *range = &p->range[r];
		struct ct_mk_code_op *first = &code[w->rec[range->first].sid];
		first->begins = 1;
		for (unsigned k = 0; k < range->reads; k++)
			ct_mk_regs_put(&first->fetch, p->regs[range->regs + k], 1);
		for (size_t i = range->first; i < p->range[r + 1].first; i++) {
			const struct ct_mk_op *o = &s->op[w->rec[i].sid];
			for (unsigned k = 0; k < o->ndst && k < CT_MK_PLAN_SLOTS; k++)
				if (w->life[life + k] > p->range[r + 1].first)
					code[w->rec[i].sid].out |= (uint16_t)(1u << k);
			life += o->ndst;
		}
	}
}

/* Walks a warp from its end: what comes later reads the value that a register has. */
static void count_lives(const struct ct_mk_stream *s, const struct ct_mk_warp *w,
                        struct ct_mk_code_op *code)
{
	struct ct_mk_regs read = {{0}};
	for (size_t i = w->n; i-- > 0;) {
		const struct ct_mk_op *o = &s->op[w->rec[i].sid];
		struct ct_mk_code_op *c = &code[w->rec[i].sid];
		for (unsigned k = 0; k < o->ndst && k < CT_MK_PLAN_SLOTS; k++)
			c->used |= (uint16_t)(ct_mk_regs_has(&read, s->writes[o->dst + k]) << k);
		for (unsigned k = 0; k < o->ndst; k++)
			ct_mk_regs_put(&read, s->writes[o->dst + k], 0);
		for (unsigned k = 0; k < o->nsrc && k < CT_MK_PLAN_SLOTS; k++)
			c->alive |= (uint16_t)(ct_mk_regs_has(&read, s->reads[o->src + k]) << k);
		for (unsigned k = 0; k < o->nsrc; k++)
			ct_mk_regs_put(&read, s->reads[o->src + k], 1);
	}
}

int ct_mk_code_of(const struct ct_mk_stream *s, struct ct_mk_code_op *code, struct ct_error *e)
{
	struct lead *lead = ct_calloc(s->ops, sizeof *lead);
	if (!lead)
		return ct_fail_nomem(e);
	for (size_t k = 0; k < s->warps; k++) {
		count_lives(s, &s->warp[k], code);
		if (s->warp[k].plan && s->warp[k].plan->strand)
			count_strands(s, &s->warp[k], code, lead);
		if (s->warp[k].plan && s->warp[k].plan->range)
			count_ranges(s, &s->warp[k], code);
	}
	for (size_t i = 0; i < s->ops; i++)
		for (unsigned k = 0; k < CT_MK_PLAN_SLOTS; k++) {
			code[i].fill |= (uint16_t)((lead[i].fill[k] > 0) << k);
			code[i].keep |= (uint16_t)((lead[i].keep[k] > 0) << k);
		}
	free(lead);
	return CT_OK;
}

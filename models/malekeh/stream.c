#include "models/malekeh/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/malekeh/plan.h"

/* The unit of an SM's sub-core that executes this class of instructions. */
static enum ct_mk_unit unit_of(enum ct_unit_class c)
{
	switch (c) {
	case CT_CLASS_SP:
	case CT_CLASS_HALF: return CT_MK_U_SP;
	case CT_CLASS_DP: return CT_MK_U_DP;
	case CT_CLASS_SFU: return CT_MK_U_SFU;
	case CT_CLASS_TENSOR: return CT_MK_U_TENSOR;
	case CT_CLASS_BRANCH: return CT_MK_U_BRANCH;
	case CT_CLASS_TEX: return CT_MK_U_TEX;
	case CT_CLASS_UNIFORM: return CT_MK_U_UNIFORM;
	case CT_CLASS_OTHER: return CT_MK_U_OTHER;
	case CT_CLASS_MEM: return CT_MK_U_MEM;
	default: return CT_MK_U_INT;
	}
}

static enum ct_mk_op_kind memory_kind(const struct ct_sinst *s)
{
	if (s->space != CT_SPACE_GLOBAL && s->space != CT_SPACE_LOCAL && s->space != CT_SPACE_SHARED &&
	    s->space != CT_SPACE_GENERIC)
		return CT_MK_COMPUTE;
	switch (s->access) {
	case CT_ACCESS_LOAD: return CT_MK_LOAD;
	case CT_ACCESS_STORE: return CT_MK_STORE;
	case CT_ACCESS_ATOMIC:
	case CT_ACCESS_REDUCTION: return CT_MK_ATOMIC;
	case CT_ACCESS_ASYNC: return CT_MK_ASYNC;
	default: return CT_MK_COMPUTE;
	}
}

static enum ct_mk_op_kind kind_of(const struct ct_sinst *s)
{
	switch (s->unit) {
	case CT_CLASS_BAR: return CT_MK_BARRIER;
	case CT_CLASS_MEMBAR: return CT_MK_MEMBAR;
	case CT_CLASS_DEPBAR: return CT_MK_DEPBAR;
	case CT_CLASS_LDGDEPBAR: return CT_MK_LDGDEPBAR;
	default: return memory_kind(s);
	}
}

static unsigned registers_of(uint8_t regs)
{
	return regs ? regs : 1;
}

static int is_real(ct_reg r)
{
	return r != CT_REG_RZ && r != CT_REG_URZ;
}

static int add_byte(uint8_t **p, size_t *n, size_t *cap, uint8_t v)
{
	if (*n == *cap && ct_grow((void **)p, cap, *n + 1, 1) < 0)
		return -1;
	(*p)[(*n)++] = v;
	return 0;
}

static int add_wait(struct ct_mk_stream *s, struct ct_mk_op *o, ct_reg r)
{
	for (unsigned i = 0; i < o->nwait; i++)
		if (s->waits[o->wait + i] == r)
			return 0;
	if (s->n_waits == s->cap_waits &&
	    ct_grow((void **)&s->waits, &s->cap_waits, s->n_waits + 1, sizeof *s->waits) < 0)
		return -1;
	s->waits[s->n_waits++] = r;
	o->nwait++;
	return 0;
}

/* Results come first among what has to be there. */
static int add_waits(struct ct_mk_stream *s, struct ct_mk_op *o, const ct_reg *reg, const uint8_t *regs,
                     unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; is_real(reg[i]) && k < registers_of(regs[i]); k++)
			if (add_wait(s, o, (ct_reg)(reg[i] + k)) < 0)
				return -1;
	return 0;
}

static int add_bytes(uint8_t **p, size_t *count, size_t *cap, const ct_reg *reg, const uint8_t *regs,
                     unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; is_real(reg[i]) && k < registers_of(regs[i]); k++)
			if (CT_REG_KIND(reg[i]) == CT_REG_R &&
			    add_byte(p, count, cap, (uint8_t)(reg[i] + k)) < 0)
				return -1;
	return 0;
}

/* Places in the pools are taken also of empty lists: they are there from the first instruction on. */
static int open_pools(struct ct_mk_stream *s)
{
	return (s->reads || ct_grow((void **)&s->reads, &s->cap_reads, 1, sizeof *s->reads) == 0) &&
	                       (s->writes || ct_grow((void **)&s->writes, &s->cap_writes, 1,
	                                             sizeof *s->writes) == 0) &&
	                       (s->waits ||
	                        ct_grow((void **)&s->waits, &s->cap_waits, 1, sizeof *s->waits) == 0)
	               ? 0
	               : -1;
}

/* Puts the registers that an instruction reads, writes and waits for into the stream's pools. */
static int add_operands(struct ct_mk_stream *s, struct ct_mk_op *o, const struct ct_sinst *inst)
{
	if (open_pools(s) < 0)
		return -1;
	o->src = (uint32_t)s->n_reads;
	o->dst = (uint32_t)s->n_writes;
	o->wait = (uint32_t)s->n_waits;
	if (add_waits(s, o, inst->dst, inst->dst_regs, inst->ndst) < 0)
		return -1;
	o->nmark = o->nwait;
	if (add_waits(s, o, inst->src, inst->src_regs, inst->nsrc) < 0 ||
	    add_bytes(&s->reads, &s->n_reads, &s->cap_reads, inst->src, inst->src_regs, inst->nsrc) <
	            0 ||
	    add_bytes(&s->writes, &s->n_writes, &s->cap_writes, inst->dst, inst->dst_regs, inst->ndst) <
	            0)
		return -1;
	o->nsrc = (uint16_t)(s->n_reads - o->src);
	o->ndst = (uint16_t)(s->n_writes - o->dst);
	return 0;
}

/* What the sub-core model has to know of a static instruction. */
static int decode_op(struct ct_mk_stream *s, struct ct_mk_op *o, const struct ct_gpu *g,
                     const struct ct_sinst *inst)
{
	enum ct_unit_class c = (enum ct_unit_class)inst->unit;
	memset(o, 0, sizeof *o);
	o->kind = (uint8_t)kind_of(inst);
	if (c == CT_CLASS_MEM && o->kind == CT_MK_COMPUTE)
		c = CT_CLASS_ALU;
	int memory = o->kind >= CT_MK_LOAD && o->kind <= CT_MK_ASYNC;
	o->unit = (uint8_t)(memory ? CT_MK_U_MEM : unit_of(c));
	o->latency = (uint16_t)(g->unit[c].latency ? g->unit[c].latency : 1);
	o->initiation = (uint16_t)(g->unit[c].initiation ? g->unit[c].initiation : 1);
	o->slow = (memory && inst->space != CT_SPACE_SHARED) || c == CT_CLASS_TEX;
	o->backward = c == CT_CLASS_BRANCH;
	o->pc = inst->pc;
	int left = inst->has_imm && inst->imm > 0 && inst->imm < 64;
	o->groups_left = (uint8_t)(left ? inst->imm : 0);
	if (add_operands(s, o, inst) < 0)
		return -1;
	o->needs_collector = o->nsrc || o->ndst || memory;
	o->known = 1;
	return 0;
}

const struct ct_mk_op *ct_mk_stream_new_op(struct ct_mk_stream *s, const struct ct_gpu *g, uint32_t sid,
                                           const struct ct_sinst *inst)
{
	if (sid >= s->ops) {
		if (ct_grow((void **)&s->op, &s->cap_ops, (size_t)sid + 1, sizeof *s->op) < 0)
			return NULL;
		memset(s->op + s->ops, 0, (sid + 1 - s->ops) * sizeof *s->op);
		s->ops = (size_t)sid + 1;
	}
	if (!s->op[sid].known && decode_op(s, &s->op[sid], g, inst) < 0)
		return NULL;
	return &s->op[sid];
}

int32_t ct_mk_stream_cta(struct ct_mk_stream *s)
{
	if (ct_grow((void **)&s->cta, &s->cap_ctas, s->ctas + 1, sizeof *s->cta) < 0)
		return -1;
	s->cta[s->ctas] = (struct ct_mk_cta){0, 0};
	return (int32_t)s->ctas++;
}

int32_t ct_mk_stream_warp(struct ct_mk_stream *s, uint32_t cta, uint32_t number)
{
	if (ct_grow((void **)&s->warp, &s->cap_warps, s->warps + 1, sizeof *s->warp) < 0)
		return -1;
	s->warp[s->warps] = (struct ct_mk_warp){.cta = cta, .number = number};
	s->cta[cta].warps++;
	if (number >= s->warps_per_cta)
		s->warps_per_cta = number + 1;
	return (int32_t)s->warps++;
}

int64_t ct_mk_stream_add(struct ct_mk_stream *s, uint32_t warp, uint32_t sid)
{
	struct ct_mk_warp *w = &s->warp[warp];
	if (w->n == w->cap && ct_grow((void **)&w->rec, &w->cap, w->n + 1, sizeof *w->rec) < 0)
		return -1;
	w->rec[w->n] = (struct ct_mk_rec){sid, 0};
	s->insts++;
	return (int64_t)w->n++;
}

void ct_mk_stream_mem(struct ct_mk_stream *s, uint32_t warp, size_t index, uint64_t busy,
                      uint64_t latency)
{
	const uint64_t most = (UINT64_C(1) << CT_MK_MEM_BITS) - 1;
	busy = busy < 1 ? 1 : busy > 4095 ? 4095 : busy;
	s->warp[warp].rec[index].mem = (uint32_t)(busy << CT_MK_MEM_BITS |
	                                          (latency > most ? most : latency));
}

/* By CTA, then by number inside it. */
static int by_cta(const void *a, const void *b)
{
	const struct ct_mk_warp *x = a, *y = b;
	if (x->cta != y->cta)
		return x->cta < y->cta ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

int ct_mk_stream_seal(struct ct_mk_stream *s, struct ct_error *e)
{
	qsort(s->warp, s->warps, sizeof *s->warp, by_cta);
	for (size_t i = s->warps; i-- > 0;)
		s->cta[s->warp[i].cta].first = (uint32_t)i;
	if (s->warps && !s->resident)
		return ct_fail(e, CT_ERR_INPUT, "an SM that holds no CTA has executed one");
	return CT_OK;
}

void ct_mk_stream_reset(struct ct_mk_stream *s)
{
	for (size_t i = 0; i < s->warps; i++) {
		free(s->warp[i].rec);
		free(s->warp[i].bits);
		free(s->warp[i].life);
		ct_mk_plan_free(s->warp[i].plan);
	}
	s->warps = s->ctas = s->ops = 0;
	s->n_reads = s->n_writes = s->n_waits = 0;
	s->insts = 0;
}

void ct_mk_stream_free(struct ct_mk_stream *s)
{
	ct_mk_stream_reset(s);
	free(s->op);
	free(s->reads);
	free(s->writes);
	free(s->waits);
	free(s->warp);
	free(s->cta);
	memset(s, 0, sizeof *s);
}

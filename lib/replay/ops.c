/* Static instructions: from opcode classes to units, latencies and register lists. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/engine.h"
#include "replay/scheduling.h"

/* The unit that executes instructions of the class. */
static enum rp_unit unit_of(enum ct_unit_class c)
{
	switch (c) {
	case CT_CLASS_SP:
	case CT_CLASS_HALF: return RP_SP;
	case CT_CLASS_DP: return RP_DP;
	case CT_CLASS_SFU: return RP_SFU;
	case CT_CLASS_TENSOR: return RP_TENSOR;
	case CT_CLASS_BRANCH: return RP_BRANCH;
	case CT_CLASS_TEX: return RP_TEX;
	case CT_CLASS_UNIFORM: return RP_UNIFORM;
	case CT_CLASS_MEM: return RP_MEM;
	case CT_CLASS_OTHER: return RP_OTHER;
	default:
		return RP_INT; /* integer, moves, barriers, EXIT (doc/replay.md section 4); MEMBAR
	                           carries nothing and is taken as one of them */
	}
}

/* What an instruction does to memory; RP_COMPUTE: nothing that makes traffic. */
static enum rp_kind memory_kind(const struct ct_sinst *s)
{
	switch (s->space) {
	case CT_SPACE_GLOBAL:
	case CT_SPACE_LOCAL:
	case CT_SPACE_SHARED:
	case CT_SPACE_GENERIC: break;
	default: return RP_COMPUTE; /* constant, texture and surface: no traffic */
	}
	switch (s->access) {
	case CT_ACCESS_LOAD: return RP_LOAD;
	case CT_ACCESS_STORE: return RP_STORE;
	case CT_ACCESS_ATOMIC:
	case CT_ACCESS_REDUCTION: return RP_ATOMIC;
	case CT_ACCESS_ASYNC: return RP_ASYNC;
	default: return RP_COMPUTE;
	}
}

static enum rp_kind kind_of(const struct ct_sinst *s)
{
	switch (s->unit) {
	case CT_CLASS_BAR: return RP_BARRIER;
	case CT_CLASS_MEMBAR: return RP_MEMBAR;
	case CT_CLASS_DEPBAR: return RP_DEPBAR;
	case CT_CLASS_LDGDEPBAR: return RP_LDGDEPBAR;
	default: return memory_kind(s);
	}
}

/* Only general registers take part: predicates and uniform registers are not in the
 * reference's scoreboard (doc/replay.md section 4). */
static unsigned registers_of_file(uint8_t *out, const ct_reg *in, unsigned n)
{
	unsigned k = 0;
	for (unsigned i = 0; i < n; i++)
		if (CT_REG_KIND(in[i]) == CT_REG_R)
			out[k++] = (uint8_t)CT_REG_INDEX(in[i]);
	return k;
}

/* Registers that an instruction waits for: its distinct sources, then its results. */
static void registers_of(struct rp_op *op, const struct ct_sinst *s)
{
	uint8_t dst[CT_MAX_DST], src[CT_MAX_SRC];
	unsigned nsrc = registers_of_file(src, s->src, s->nsrc);
	op->ndst = (uint8_t)registers_of_file(dst, s->dst, s->ndst);
	for (unsigned i = 0; i < CT_MAX_DST; i++)
		op->dst[i] = RP_REG_NOWHERE;
	for (unsigned i = 0; i < CT_MAX_DST + CT_MAX_SRC; i++)
		op->dep[i] = RP_REG_THERE;
	for (unsigned i = 0; i < nsrc; i++)
		if (!memchr(op->read, src[i], op->nread))
			op->dep[op->ndep++] = (uint16_t)((op->read[op->nread++] = src[i]) +
			                                 RP_REG_FIRST);
	for (unsigned i = 0; i < op->ndst; i++) {
		unsigned k = 0;
		op->dst[i] = (uint16_t)(dst[i] + RP_REG_FIRST);
		while (k < op->ndep && op->dep[k] != op->dst[i])
			k++;
		if (k == op->ndep)
			op->dep[op->ndep++] = op->dst[i];
	}
}

static int passes_l1(const struct ct_replay *r, const struct ct_sinst *s, enum rp_kind kind)
{
	if (kind == RP_ATOMIC || r->g.l1_skip == CT_L1_SKIP_ALL)
		return 1;
	if (r->g.l1_skip == CT_L1_SKIP_GLOBAL && s->space != CT_SPACE_LOCAL)
		return 1;
	return s->mods & CT_MOD_BULK || (kind != RP_STORE && (s->mods & CT_MOD_STRONG_GPU));
}

static enum ct_warp_effect effect_of(enum rp_kind kind)
{
	switch (kind) {
	case RP_BARRIER: return CT_EFFECT_BARRIER;
	case RP_MEMBAR: return CT_EFFECT_FENCE;
	case RP_LDGDEPBAR: return CT_EFFECT_CLOSE_GROUP;
	case RP_DEPBAR: return CT_EFFECT_WAIT_GROUPS;
	case RP_ATOMIC: return CT_EFFECT_ATOMIC;
	case RP_ASYNC: return CT_EFFECT_COPY;
	default: return CT_EFFECT_NONE;
	}
}

/* Integer products go through the unit of single precision from Volta on (Nsight Compute's guide to pipelines:
 * FMA); Accel-Sim has them in the integer unit. */
static int is_product(const struct ct_sinst *s)
{
	return strncmp(s->opcode, "IMAD", 4) == 0 || strncmp(s->opcode, "IMUL", 4) == 0;
}

/* Decodes what every timing needs of a static instruction: unit, latencies, registers, kind, scope,
 * effect. A memory class without an access counts as arithmetic. */
static void decode_op(const struct ct_replay *r, struct rp_op *op, const struct ct_sinst *s)
{
	memset(op, 0, sizeof *op);
	op->s = s;
	op->cls = s->unit;
	op->kind = (uint8_t)kind_of(s);
	enum ct_unit_class c = (enum ct_unit_class)s->unit;
	if (c == CT_CLASS_MEM && op->kind == RP_COMPUTE)
		c = CT_CLASS_ALU;
	if (r->g.machine == CT_MACHINE_SILICON && c == CT_CLASS_INT && is_product(s))
		c = CT_CLASS_SP;
	op->unit = (uint8_t)unit_of(c);
	op->latency = (uint16_t)(r->g.unit[c].latency ? r->g.unit[c].latency : 1);
	op->initiation = (uint16_t)(r->g.unit[c].initiation ? r->g.unit[c].initiation : 1);
	registers_of(op, s);
	op->counts_mem = s->width_field > 0;
	if (op->kind >= RP_LOAD) {
		op->bypass = (uint8_t)passes_l1(r, s, (enum rp_kind)op->kind);
		op->shared = s->space == CT_SPACE_SHARED;
		op->counts_global = !op->shared && s->space != CT_SPACE_LOCAL;
	}
	op->keeps = op->kind < RP_LOAD ? op->initiation : 1;
	op->outward = (op->kind >= RP_LOAD && !op->shared) || op->kind == RP_MEMBAR;
	op->effect = (uint8_t)effect_of((enum rp_kind)op->kind);
	op->groups_left = s->has_imm && s->imm > 0
	                          ? (uint32_t)(s->imm < CT_WARP_GROUPS ? s->imm : CT_WARP_GROUPS)
	                          : 0;
}

/* One more chunk, or none: after a failure the other warps of a CTA still come by. */
static int add_chunk(struct ct_replay *r)
{
	uint32_t n = r->chunks;
	if (ct_grow((void **)&r->ops, &r->chunks_cap, n + 1, sizeof *r->ops) < 0 ||
	    ct_grow((void **)&r->shapes, &r->shapes_cap, n + 1, sizeof *r->shapes) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	r->ops[n] = ct_calloc_aligned(RP_OPS_CHUNK, sizeof **r->ops);
	r->shapes[n] = ct_calloc(RP_OPS_CHUNK, sizeof **r->shapes);
	if (!r->ops[n] || !r->shapes[n]) {
		free(r->ops[n]);
		free(r->shapes[n]);
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	}
	r->chunks++;
	return 0;
}

int rp_ops_reserve(struct ct_replay *r, uint32_t sid)
{
	uint32_t n = ct_code_count(r->code);
	if (sid >= n)
		return rp_fail(r, CT_ERR_INPUT, "an instruction is not in its code table");
	for (; r->nops < n; r->nops++) {
		uint32_t chunk = r->nops / RP_OPS_CHUNK;
		if (chunk == r->chunks && add_chunk(r) < 0)
			return r->error.status;
		decode_op(r, &r->ops[chunk][r->nops % RP_OPS_CHUNK], ct_code_at(r->code, r->nops));
		r->shapes[chunk][r->nops % RP_OPS_CHUNK].nruns = 0;
	}
	return 0;
}

void rp_ops_free(struct ct_replay *r)
{
	for (uint32_t i = 0; i < r->chunks; i++) {
		free(r->ops[i]);
		free(r->shapes[i]);
	}
	free(r->ops);
	free(r->shapes);
}

/* Moving all addresses by a multiple of a word turns the banks and changes nothing else,
 * where their number divides 2^62: the degree follows from the runs and the place of the
 * first address in its word (rp_has_shape() in step.h). */
uint32_t rp_shared_degree(struct ct_replay *r, const struct ct_inst *inst, struct rp_shape *p)
{
	uint32_t banks = r->g.shmem_banks, degree = ct_shared_conflicts(inst, ~0u, banks);
	if (!inst->nruns || (banks & (banks - 1)))
		return degree;
	p->nruns = inst->nruns;
	p->naddr = inst->naddr;
	p->in_word = inst->base & 3;
	memcpy(p->lanes, inst->run_lanes, sizeof p->lanes);
	memcpy(p->delta, inst->run_delta, inst->nruns * sizeof *p->delta);
	p->degree = (uint8_t)degree;
	return degree;
}

/* Completes a kernel: which branches can diverge, registers, opcodes, program counters. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/accelsim_write.h"
#include "tracegen/kernel.h"

static int has_dst(const struct op *o)
{
	return o->dst.id != NO_VALUE;
}

/* ---- moves into variables --------------------------------------------------------- */

struct counts {
	uint32_t defs, uses;
};

static void count(const struct kb *k, struct counts *c)
{
	for (size_t i = 0; i < k->n_ops; i++) {
		const struct op *o = &k->op[i];
		if (o->code == OP_GONE)
			continue;
		if (has_dst(o))
			c[o->dst.id].defs++;
		for (unsigned s = 0; s < o->nsrc; s++)
			c[o->src[s].id].uses++;
		if (o->guard != NO_VALUE)
			c[o->guard].uses++;
	}
}

/* The moves at [at, at+n) copy one fresh value whole to a variable: the operations just
 * before them, which made it, can write the variable themselves. */
static void forward(struct kb *k, size_t at, size_t n, const struct counts *c)
{
	val x = k->op[at].src[0], var = k->op[at].dst;
	const struct value *v = &k->value[x.id];
	size_t made = 0;
	if (v->kind != V_REG || v->variable || c[x.id].uses != n || v->nregs != n)
		return;
	while (made < at && k->op[at - 1 - made].dst.id == x.id) {
		if (k->op[at - 1 - made].guard != k->op[at].guard)
			return;
		made++;
	}
	if (made == 0 || made != c[x.id].defs)
		return;
	for (size_t i = at - made; i < at; i++) {
		uint8_t part = (uint8_t)(k->op[i].dst.part + var.part);
		k->op[i].dst = var;
		k->op[i].dst.part = part;
	}
	for (size_t i = at; i < at + n; i++) {
		k->op[i].code = OP_GONE;
		k->op[i].records = 0;
		k->op[i].nsrc = 0;
		k->op[i].dst.id = NO_VALUE;
	}
}

static int forward_moves(struct kb *k, struct ct_error *e)
{
	struct counts *c = ct_calloc(k->n_values + 1, sizeof *c);
	if (!c)
		return ct_fail_nomem(e);
	count(k, c);
	for (size_t i = 0; i < k->n_ops; i++) {
		if (k->op[i].code != OP_MOV || k->op[i].src[0].part != 0)
			continue;
		size_t n = 1;
		while (i + n < k->n_ops && k->op[i + n].code == OP_MOV &&
		       k->op[i + n].src[0].id == k->op[i].src[0].id && k->op[i + n].src[0].part == n &&
		       k->op[i + n].dst.id == k->op[i].dst.id)
			n++;
		forward(k, i, n, c);
	}
	free(c);
	return CT_OK;
}

/* ---- uniformity --------------------------------------------------------------------- */

static int op_varies(const struct kb *k, const struct op *o)
{
	for (unsigned s = 0; s < o->nsrc; s++)
		if (k->value[o->src[s].id].varies)
			return 1;
	if (o->guard != NO_VALUE && k->value[o->guard].varies)
		return 1;
	switch (o->code) {
	case OP_S2R: return o->sub < SR_CTAID || o->sub == SR_LANE;
	case OP_SHFL:
	case OP_ATOM:
	case OP_LDSM:
	case OP_HMMA: return 1;
	case OP_LOAD: return o->space == CT_SPACE_LOCAL;
	default: return 0;
	}
}

static void mark_construct(struct kb *k, const struct op *o, uint8_t *changed)
{
	if (k->op[o->target].divergent)
		return;
	k->op[o->target].divergent = 1;
	*changed = 1;
}

/* One pass over the ops with the number of divergent blocks around each: 1 if
 * anything new was found. A variable set where lanes have parted varies. */
static int mark_pass(struct kb *k)
{
	uint8_t changed = 0;
	uint32_t inside = 0; /* divergent blocks around op i */
	for (size_t i = 0; i < k->n_ops; i++) {
		struct op *o = &k->op[i];
		int varies = op_varies(k, o);
		if (o->code == OP_IF && varies && !o->divergent)
			o->divergent = changed = 1;
		/* Lanes that leave a loop early part from the others. */
		if ((o->code == OP_BREAK || o->code == OP_ENDLOOP) &&
		    (varies || (o->code == OP_BREAK && inside > k->op[o->target].around)))
			mark_construct(k, o, &changed);
		if (o->code == OP_LOOP)
			o->around = inside + o->divergent;
		if ((o->code == OP_IF || o->code == OP_LOOP) && o->divergent)
			inside++;
		if ((o->code == OP_ENDIF || o->code == OP_ENDLOOP) && k->op[o->target].divergent &&
		    inside)
			inside--;
		if (!has_dst(o))
			continue;
		struct value *v = &k->value[o->dst.id];
		if (!v->varies && (varies || (v->variable && inside)))
			v->varies = changed = 1;
	}
	return changed;
}

static void find_divergence(struct kb *k)
{
	while (mark_pass(k))
		;
	for (size_t i = 0; i < k->n_ops; i++) {
		struct op *o = &k->op[i];
		if (o->code == OP_BSSY || o->code == OP_ENDIF || o->code == OP_BSYNC)
			o->records = k->op[o->target].divergent;
	}
}

/* ---- registers ------------------------------------------------------------------------ */

static void touch(struct kb *k, uint16_t id, uint32_t at)
{
	struct value *v = &k->value[id];
	if (v->first == UINT32_MAX)
		v->first = at;
	if (at > v->last)
		v->last = at;
}

static int find_lifetimes(struct kb *k, struct ct_error *e)
{
	for (uint32_t i = 0; i < k->n_ops; i++) {
		const struct op *o = &k->op[i];
		for (unsigned s = 0; s < o->nsrc; s++) {
			const struct value *v = &k->value[o->src[s].id];
			int before = v->first != UINT32_MAX || v->kind >= V_CONST || v->kind == V_PRED;
			if (!before)
				return ct_fail(e, CT_ERR_LIMIT,
				               "kernel %s: operation %u (%s) reads what is not set",
				               k->name, i, o->opcode ? o->opcode : "?");
			touch(k, o->src[s].id, i);
		}
		if (has_dst(o))
			touch(k, o->dst.id, i);
	}
	/* What lives into a loop lives to its end. Inner loops end first. */
	for (uint32_t end = 0; end < k->n_ops; end++) {
		if (k->op[end].code != OP_ENDLOOP)
			continue;
		uint32_t start = k->op[end].target;
		for (size_t i = 0; i < k->n_values; i++) {
			struct value *v = &k->value[i];
			if (v->first < start && v->last > start && v->last < end)
				v->last = end;
		}
	}
	return CT_OK;
}

struct file {
	uint32_t busy_until[MAX_REGS + 1]; /* op index of the last use of its tenant, plus 1 */
	uint32_t highest;
};

/* Lowest aligned run of n registers that is free at op `at`; -1 if none. R1 is the
 * stack pointer. A result may take the register of an operand that ends here. */
static int take(struct file *f, unsigned n, uint32_t at, uint32_t last)
{
	for (unsigned r = 0; r + n <= MAX_REGS; r += n) {
		unsigned i = 0;
		while (i < n && r + i != 1 && f->busy_until[r + i] <= at)
			i++;
		if (i < n)
			continue;
		for (i = 0; i < n; i++)
			f->busy_until[r + i] = last > at ? last : at + 1;
		if (r + n > f->highest)
			f->highest = r + n;
		return (int)r;
	}
	return -1;
}

/* Linear scan over the values in the order of their definitions (Poletto and Sarkar,
 * TOPLAS 1999), without spilling. */
static int allocate(struct kb *k, struct ct_error *e)
{
	struct file *f = ct_calloc(1, sizeof *f);
	if (!f)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < k->n_ops; i++) {
		const struct op *o = &k->op[i];
		struct value *v = has_dst(o) ? &k->value[o->dst.id] : NULL;
		if (!v || v->kind != V_REG || v->first != i)
			continue;
		/* A multi-step definition must not overwrite its own operands half-way. */
		uint32_t from = o->partial && i > 0 ? i - 1 : i;
		int r = take(f, v->nregs, from, v->last);
		if (r < 0) {
			free(f);
			return ct_fail(e, CT_ERR_LIMIT, "kernel %s: needs more than 255 registers",
			               k->name);
		}
		v->reg = (uint16_t)r;
	}
	k->nregs = f->highest > 2 ? f->highest : 2;
	free(f);
	return CT_OK;
}

/* Predicates and constants are not limited: the trace does not show them. */
static void number_others(struct kb *k)
{
	for (size_t i = 0; i < k->n_values; i++) {
		struct value *v = &k->value[i];
		if (v->kind == V_PRED)
			v->reg = (uint16_t)k->npreds++;
		else if (v->kind != V_REG) {
			v->reg = (uint16_t)(CONST_ROWS + k->nconst);
			k->nconst += v->nregs;
		}
	}
}

/* ---- trace lines -------------------------------------------------------------------- */

/* How many RZ stand before and after the operands in the real instruction. */
static void padding(const struct op *o, unsigned *before, unsigned *after)
{
	*before = o->code == OP_MOV ? 2 : o->code == OP_SHR || o->code == OP_SAR ? 1 : 0;
	switch (o->code) {
	case OP_IADD:
	case OP_ISUB:
	case OP_IMUL:
	case OP_IADD_CC:
	case OP_IADD_X:
	case OP_SHL:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_IMULHI: *after = 1; break;
	default: *after = 0; break;
	}
}

static void add_source(struct ct_sinst *s, ct_reg r)
{
	if (s->nsrc < CT_MAX_SRC)
		s->src[s->nsrc++] = r;
}

/* Constants are immediates (version 5 prints them, the first one, in decimal), RZ
 * when zero; what comes from the constant bank does not show. */
static void line_operand(const struct kb *k, const struct op *o, unsigned i, struct ct_sinst *s)
{
	const struct value *v = &k->value[o->src[i].id];
	int address = i == 0 && o->space != CT_SPACE_NONE && o->space != CT_SPACE_CONST;
	uint32_t word = (uint32_t)(v->bits >> 32 * (o->src[i].part & 1));
	if (v->kind == V_REG)
		add_source(s, CT_REG_MAKE(CT_REG_R, v->reg + o->src[i].part));
	else if (v->kind != V_CONST || o->code == OP_MOV)
		return;
	else if (address)
		add_source(s, o->space == CT_SPACE_LOCAL ? CT_REG_MAKE(CT_REG_R, 1) : CT_REG_RZ);
	else if (word == 0)
		add_source(s, CT_REG_RZ);
	else if (v->type != T_F32 && v->type != T_F64 && !s->has_imm) {
		s->has_imm = 1;
		s->imm = (int32_t)word;
	}
}

static void fill_line(const struct kb *k, struct op *o, uint64_t pc)
{
	struct ct_sinst *s = &o->sinst;
	unsigned before, after;
	s->pc = pc;
	s->opcode = o->opcode;
	if (o->space != CT_SPACE_NONE && o->space != CT_SPACE_CONST)
		s->width_field = ct_accelsim_width_field(o->opcode);
	if (has_dst(o) && k->value[o->dst.id].kind == V_REG) {
		s->ndst = 1;
		s->dst[0] = CT_REG_MAKE(CT_REG_R, k->value[o->dst.id].reg + o->dst.part);
	}
	padding(o, &before, &after);
	for (unsigned i = 0; i < before; i++)
		add_source(s, CT_REG_RZ);
	for (unsigned i = 0; i < o->nsrc; i++)
		line_operand(k, o, i, s);
	for (unsigned i = 0; i < after; i++)
		add_source(s, CT_REG_RZ);
}

static void finish_ops(struct kb *k)
{
	uint64_t pc = 0;
	for (size_t i = 0; i < k->n_ops; i++) {
		struct op *o = &k->op[i];
		if (has_dst(o))
			o->drow = (uint16_t)(k->value[o->dst.id].reg + o->dst.part);
		for (unsigned s = 0; s < o->nsrc; s++)
			o->srow[s] = (uint16_t)(k->value[o->src[s].id].reg + o->src[s].part);
		if (o->guard != NO_VALUE)
			o->guard = k->value[o->guard].reg;
		if (o->records) {
			fill_line(k, o, pc);
			pc += 16; /* sm_70 and later: 128-bit instructions */
		}
	}
}

int simt_plan(struct kb *k, struct ct_error *e)
{
	int st = simt_schedule(k, e);
	if (st == CT_OK)
		st = forward_moves(k, e);
	if (st == CT_OK)
		st = simt_hide_latency(k, e);
	if (st != CT_OK)
		return st;
	find_divergence(k);
	st = find_lifetimes(k, e);
	if (st == CT_OK)
		st = allocate(k, e);
	if (st != CT_OK)
		return st;
	number_others(k);
	finish_ops(k);
	return CT_OK;
}

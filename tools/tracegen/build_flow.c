/* Control flow of kernels: structured, so that lanes that part always meet again. */
#include "tracegen/emit.h"

/* Opens a construct: its BSSY (kept only if lanes can part) and its first op. */
static void open_block(struct kb *k, enum op_code code, const char *opcode, val p)
{
	struct op *bssy = k_emit(k, OP_BSSY, "BSSY");
	if (!bssy)
		return;
	bssy->target = (uint32_t)k->n_ops;
	struct op *o = k_emit(k, code, opcode);
	if (!o)
		return;
	if (code == OP_IF) {
		o->src[0] = p;
		o->nsrc = 1;
	}
	if (k->depth == MAX_DEPTH || k->guard != NO_VALUE) {
		simt_fail(k->g, CT_ERR_LIMIT, "kernel %s: blocks nested too deeply or under k_when",
		          k->name);
		return;
	}
	k->open[k->depth++] = (uint32_t)k->n_ops - 1;
}

/* The op that opened the innermost block, or NULL (failed) if it has none of the codes. */
static struct op *innermost(struct kb *k, enum op_code a, enum op_code b)
{
	if (!k || k->g->status != CT_OK)
		return NULL;
	if (k->depth > 0) {
		struct op *o = &k->op[k->open[k->depth - 1]];
		if (o->code == a || o->code == b)
			return o;
	}
	simt_fail(k->g, CT_ERR_LIMIT, "kernel %s: blocks closed in the wrong order", k->name);
	return NULL;
}

void k_if(struct kb *k, val p)
{
	open_block(k, OP_IF, "BRA", p);
}

void k_else(struct kb *k)
{
	if (!innermost(k, OP_IF, OP_IF) || !k_emit(k, OP_ELSE, "BRA"))
		return;
	uint32_t self = (uint32_t)k->n_ops - 1, opener = k->open[k->depth - 1];
	k->op[opener].target = self;
	k->op[self].offset = (int32_t)opener; /* found again by k_endif() */
	k->open[k->depth - 1] = self;
}

void k_endif(struct kb *k)
{
	struct op *o = innermost(k, OP_IF, OP_ELSE);
	if (!o || !k_emit(k, OP_ENDIF, "BSYNC"))
		return;
	uint32_t self = (uint32_t)k->n_ops - 1, opener = k->open[--k->depth];
	k->op[opener].target = self;
	k->op[self].target = k->op[opener].code == OP_ELSE ? (uint32_t)k->op[opener].offset : opener;
}

void k_when(struct kb *k, val p)
{
	if (!k || k->g->status != CT_OK)
		return;
	if (k->guard != NO_VALUE)
		simt_fail(k->g, CT_ERR_LIMIT, "kernel %s: k_when inside k_when", k->name);
	k->guard = p.id;
}

void k_endwhen(struct kb *k)
{
	if (k)
		k->guard = NO_VALUE;
}

void k_loop(struct kb *k)
{
	open_block(k, OP_LOOP, NULL, (val){NO_VALUE, 0, 0});
}

void k_break(struct kb *k, val p)
{
	struct op *o = k_emit(k, OP_BREAK, "BRA");
	if (!o)
		return;
	o->src[0] = p;
	o->nsrc = 1;
	for (uint32_t d = k->depth; d-- > 0;)
		if (k->op[k->open[d]].code == OP_LOOP) {
			o->target = k->open[d];
			return;
		}
	simt_fail(k->g, CT_ERR_LIMIT, "kernel %s: k_break outside a loop", k->name);
}

static void end_loop(struct kb *k, const val *p)
{
	if (!innermost(k, OP_LOOP, OP_LOOP))
		return;
	struct op *o = k_emit(k, OP_ENDLOOP, "BRA");
	if (!o)
		return;
	if (p) {
		o->src[0] = *p;
		o->nsrc = 1;
	}
	uint32_t self = (uint32_t)k->n_ops - 1, opener = k->open[--k->depth];
	o->target = opener;
	k->op[opener].target = self;
	o = k_emit(k, OP_BSYNC, "BSYNC");
	if (o)
		o->target = opener;
}

void k_endloop(struct kb *k, val p)
{
	end_loop(k, &p);
}

void k_endloop_always(struct kb *k)
{
	end_loop(k, NULL);
}

static int known_to_enter(const struct kb *k, val from, val to)
{
	const struct value *a = &k->value[from.id], *b = &k->value[to.id];
	return a->kind == V_CONST && b->kind == V_CONST && (int32_t)a->bits < (int32_t)b->bits;
}

val k_for_val(struct kb *k, val from, val to, val step)
{
	val i = k_var(k, from);
	if (!k || k->g->status != CT_OK)
		return i;
	if (k->n_for == MAX_DEPTH) {
		simt_fail(k->g, CT_ERR_LIMIT, "kernel %s: too many nested loops", k->name);
		return i;
	}
	struct for_loop *f = &k->loop[k->n_for++];
	*f = (struct for_loop){i, to, step, !known_to_enter(k, from, to)};
	if (f->guarded)
		k_if(k, k_setp(k, CMP_LT, i, to));
	k_loop(k);
	return i;
}

val k_for(struct kb *k, val from, val to, int32_t step)
{
	return k_for_val(k, from, to, from.type == T_U32 ? k_uint(k, (uint32_t)step) : k_int(k, step));
}

void k_endfor(struct kb *k)
{
	if (!k || k->g->status != CT_OK || k->n_for == 0)
		return;
	struct for_loop f = k->loop[--k->n_for];
	k_set(k, f.i, k_add(k, f.i, f.step));
	k_endloop(k, k_setp(k, CMP_LT, f.i, f.to));
	if (f.guarded)
		k_endif(k);
}

void k_exit_if(struct kb *k, val p)
{
	struct op *o = k_emit(k, OP_EXIT_IF, "EXIT");
	if (!o)
		return;
	o->src[0] = p;
	o->nsrc = 1;
}

void k_bar(struct kb *k)
{
	k_emit(k, OP_BAR, "BAR.SYNC");
}

/* Puts the operations of each basic block into an order that does not depend on the
 * C compiler: k_add(k, f(), g()) may call f or g first, and the trace must not show
 * which.
 *
 * What has an effect (memory, variables) or is used outside of the block keeps its
 * place in the sequence, since statements are sequenced; pure operations are placed
 * before their first user, operands from left to right. Only two accesses to memory
 * within one expression would still be ambiguous: workloads name their loads. Pure
 * operations that nobody uses are dropped. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracegen/kernel.h"

enum { UNDEFINED = UINT32_MAX };

struct block {
	struct kb *k;
	uint32_t begin, end; /* ops of the block */
	uint32_t *def;       /* per value: first op of the block that makes it, or UNDEFINED */
	uint32_t *used_in;   /* per value: block number of its only users; MANY */
	uint8_t *done;       /* per op */
	uint32_t *stack, *order;
	uint32_t placed;
	uint32_t number;
};

enum { NOBODY = 0, MANY = UINT32_MAX };

/* Ops that k_set() and k_group() values are written by, and those that touch memory. */
static int is_pure(const struct kb *k, const struct op *o)
{
	return o->dst.id != NO_VALUE && !k->value[o->dst.id].variable && o->code < OP_LOAD;
}

static int starts_block(const struct kb *k, uint32_t i)
{
	return i == 0 || k->op[i].code >= OP_GONE || k->op[i - 1].code >= OP_GONE ||
	       k->op[i].guard != k->op[i - 1].guard;
}

static void note_use(struct block *b, uint16_t id, uint32_t block)
{
	uint32_t *u = &b->used_in[id];
	*u = *u == NOBODY || *u == block ? block : MANY;
}

static void note_uses(struct block *b)
{
	uint32_t block = 0;
	for (uint32_t i = 0; i < b->k->n_ops; i++) {
		const struct op *o = &b->k->op[i];
		block += (uint32_t)starts_block(b->k, i);
		for (unsigned s = 0; s < o->nsrc; s++)
			note_use(b, o->src[s].id, block);
		if (o->guard != NO_VALUE)
			note_use(b, o->guard, block);
	}
}

/* First op in the block that makes operand value `id` and is not placed yet. */
static uint32_t pending(const struct block *b, uint16_t id, uint32_t before)
{
	uint32_t i = b->def[id];
	while (i != UNDEFINED && i < before && b->k->op[i].dst.id == id) {
		if (!b->done[i])
			return i;
		i++;
	}
	return UNDEFINED;
}

/* Places op i behind everything it needs. */
static void place(struct block *b, uint32_t i)
{
	uint32_t depth = 0;
	if (b->done[i])
		return;
	b->stack[depth++] = i;
	while (depth > 0) {
		uint32_t at = b->stack[depth - 1], need = UNDEFINED;
		const struct op *o = &b->k->op[at];
		for (unsigned s = 0; s < o->nsrc && need == UNDEFINED; s++)
			need = pending(b, o->src[s].id, at);
		/* The later half of a two-part value waits for the first. */
		if (need == UNDEFINED && is_pure(b->k, o))
			need = pending(b, o->dst.id, at);
		if (need != UNDEFINED) {
			b->stack[depth++] = need;
			continue;
		}
		if (!b->done[at]) {
			b->done[at] = 1;
			b->order[b->placed++] = at;
		}
		depth--;
	}
}

static int reads(const struct op *o, uint16_t id)
{
	for (unsigned s = 0; s < o->nsrc; s++)
		if (o->src[s].id == id)
			return 1;
	return 0;
}

/* Marks in b->stack (as flags) the pending ops below `before` whose result needs the
 * old contents of variable `id`, directly or through others; returns their number. */
static uint32_t mark_readers(struct block *b, uint16_t id, uint32_t before, uint8_t *mark)
{
	uint32_t n = 0;
	for (uint32_t i = b->begin; i < before; i++) {
		const struct op *o = &b->k->op[i];
		mark[i] = 0;
		if (b->done[i] || !is_pure(b->k, o))
			continue;
		mark[i] = (uint8_t)reads(o, id);
		for (unsigned s = 0; s < o->nsrc && !mark[i]; s++) {
			uint32_t d = pending(b, o->src[s].id, i);
			mark[i] = d != UNDEFINED && mark[d];
		}
		n += mark[i];
	}
	return n;
}

/* Before op `at` overwrites variable `id`: places what still reads it, whole
 * expressions in the order of their last operations. */
static void place_readers(struct block *b, uint16_t id, uint32_t at, uint8_t *mark)
{
	if (mark_readers(b, id, at, mark) == 0)
		return;
	/* 2: used by another pending one, so not the top of an expression. */
	for (uint32_t i = b->begin; i < at; i++)
		for (unsigned s = 0; mark[i] && s < b->k->op[i].nsrc; s++) {
			uint32_t d = pending(b, b->k->op[i].src[s].id, i);
			if (d != UNDEFINED && mark[d])
				mark[d] = 2;
		}
	for (uint32_t i = b->begin; i < at; i++)
		if (mark[i] == 1)
			place(b, i);
}

static void drop(struct op *o)
{
	o->code = OP_GONE;
	o->records = 0;
	o->nsrc = 0;
	o->dst.id = NO_VALUE;
}

static int apply(struct block *b)
{
	uint32_t n = b->end - b->begin, filled = 0;
	struct op *copy = ct_reallocarray(NULL, n, sizeof *copy);
	if (!copy)
		return -1;
	for (uint32_t i = 0; i < b->placed; i++)
		copy[filled++] = b->k->op[b->order[i]];
	for (uint32_t i = b->begin; i < b->end; i++)
		if (!b->done[i]) {
			copy[filled] = b->k->op[i];
			drop(&copy[filled++]);
		}
	memcpy(b->k->op + b->begin, copy, n * sizeof *copy);
	free(copy);
	return 0;
}

static int schedule_block(struct block *b, uint8_t *mark)
{
	const struct kb *k = b->k;
	b->placed = 0;
	for (uint32_t i = b->begin; i < b->end; i++) {
		uint16_t id = k->op[i].dst.id;
		if (is_pure(k, &k->op[i]) && (i == b->begin || k->op[i - 1].dst.id != id))
			b->def[id] = i;
	}
	for (uint32_t i = b->begin; i < b->end; i++) {
		const struct op *o = &k->op[i];
		int pure = is_pure(k, o);
		if (pure && (b->used_in[o->dst.id] == b->number || b->used_in[o->dst.id] == NOBODY))
			continue;
		if (!pure && o->dst.id != NO_VALUE && k->value[o->dst.id].variable)
			place_readers(b, o->dst.id, i, mark);
		place(b, i);
	}
	int st = apply(b);
	/* Other blocks must not find definitions at these places. */
	for (uint32_t i = b->begin; i < b->end; i++)
		if (k->op[i].dst.id != NO_VALUE)
			b->def[k->op[i].dst.id] = UNDEFINED;
	return st;
}

int simt_schedule(struct kb *k, struct ct_error *e)
{
	struct block b = {.k = k};
	uint8_t *mark = ct_calloc(k->n_ops + 1, 1);
	int st = 0;
	b.def = ct_calloc(k->n_values + 1, sizeof *b.def);
	b.used_in = ct_calloc(k->n_values + 1, sizeof *b.used_in);
	b.done = ct_calloc(k->n_ops + 1, 1);
	b.stack = ct_calloc(k->n_ops + 1, sizeof *b.stack);
	b.order = ct_calloc(k->n_ops + 1, sizeof *b.order);
	if (!mark || !b.def || !b.used_in || !b.done || !b.stack || !b.order)
		st = -1;
	if (st == 0) {
		memset(b.def, 0xff, k->n_values * sizeof *b.def);
		note_uses(&b);
	}
	for (uint32_t i = 0; st == 0 && i < k->n_ops; i = b.end) {
		b.number++;
		b.begin = i;
		b.end = i + 1;
		while (b.end < k->n_ops && !starts_block(k, b.end))
			b.end++;
		if (k->op[i].code < OP_GONE)
			st = schedule_block(&b, mark);
	}
	free(mark);
	free(b.def);
	free(b.used_in);
	free(b.done);
	free(b.stack);
	free(b.order);
	return st == 0 ? CT_OK : ct_fail_nomem(e);
}

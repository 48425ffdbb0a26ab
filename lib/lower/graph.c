/* Dominators, loops, and where the lanes of a warp may part. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/unit.h"

static uint32_t successor(const struct ct_lower_unit *u, uint32_t b, uint32_t k)
{
	return u->p->edge[ct_lower_block_of(u, b)->edge + k] - (uint32_t)u->first_block;
}

/* Reverse postorder of a depth-first search from the first block. */
static int number_blocks(struct ct_lower_unit *u)
{
	uint32_t *stack = ct_calloc(2 * (u->blocks + 1u), sizeof *stack), depth = 0, done = u->blocks;
	if (!stack)
		return CT_ERR_NOMEM;
	uint32_t *next = stack + u->blocks + 1;
	for (uint32_t b = 0; b < u->blocks; b++)
		u->node[b].order = u->node[b].dominator = u->node[b].loop = u->node[b].outer =
			CT_LOWER_NONE;
	stack[depth++] = 0;
	u->node[0].order = 0; /* a mark until it has its number */
	while (depth) {
		uint32_t b = stack[depth - 1];
		if (next[b] < ct_lower_block_of(u, b)->edges) {
			uint32_t to = successor(u, b, next[b]++);
			if (u->node[to].order == CT_LOWER_NONE) {
				u->node[to].order = 0;
				stack[depth++] = to;
			}
			continue;
		}
		u->order[--done] = b;
		depth--;
	}
	u->reached = u->blocks - done;
	memmove(u->order, u->order + done, u->reached * sizeof *u->order);
	for (uint32_t i = 0; i < u->reached; i++)
		u->node[u->order[i]].order = i;
	free(stack);
	return CT_OK;
}

static uint32_t common(const struct ct_lower_unit *u, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (u->node[a].order > u->node[b].order)
			a = u->node[a].dominator;
		while (u->node[b].order > u->node[a].order)
			b = u->node[b].dominator;
	}
	return a;
}

/* Immediate dominators by iteration (Cooper, Harvey, Kennedy 2001). */
static void dominate(struct ct_lower_unit *u)
{
	u->node[0].dominator = 0;
	for (int changed = 1; changed;) {
		changed = 0;
		for (uint32_t i = 0; i < u->reached; i++) {
			uint32_t b = u->order[i];
			for (uint32_t k = 0; k < ct_lower_block_of(u, b)->edges; k++) {
				struct ct_lower_node *to = &u->node[successor(u, b, k)];
				uint32_t at = (uint32_t)(to - u->node);
				if (at == 0 || u->node[b].dominator == CT_LOWER_NONE)
					continue;
				uint32_t now = to->dominator == CT_LOWER_NONE
				                       ? b
				                       : common(u, b, to->dominator);
				changed |= now != to->dominator;
				to->dominator = now;
			}
		}
	}
}

int ct_lower_dominates(const struct ct_lower_unit *u, uint32_t a, uint32_t b)
{
	while (b != a && u->node[b].dominator != b && u->node[b].dominator != CT_LOWER_NONE)
		b = u->node[b].dominator;
	return a == b;
}

/* The body of the loop of a back edge: what reaches it without its header. Inner loops come first, as
 * their headers have higher numbers, so that a block that has a loop keeps it. */
static int mark_loop(struct ct_lower_unit *u, uint32_t header)
{
	unsigned char *in = ct_calloc(u->blocks, 1);
	if (!in)
		return CT_ERR_NOMEM;
	in[header] = 1;
	for (uint32_t b = 0; b < u->blocks; b++)
		for (uint32_t k = 0; k < ct_lower_block_of(u, b)->edges; k++)
			if (successor(u, b, k) == header && u->node[b].order != CT_LOWER_NONE &&
			    ct_lower_dominates(u, header, b))
				in[b] = u->node[header].header = 1;
	for (int changed = u->node[header].header; changed;) {
		changed = 0;
		for (uint32_t b = 0; b < u->blocks; b++)
			for (uint32_t k = 0; !in[b] && k < ct_lower_block_of(u, b)->edges; k++) {
				uint32_t to = successor(u, b, k);
				if (in[to] && to != header && u->node[b].order != CT_LOWER_NONE)
					changed = in[b] = 1;
			}
	}
	for (uint32_t b = 0; u->node[header].header && b < u->blocks; b++) {
		if (!in[b])
			continue;
		if (u->node[b].loop == CT_LOWER_NONE)
			u->node[b].loop = header;
		else if (u->node[b].header && b != header && u->node[b].outer == CT_LOWER_NONE)
			u->node[b].outer = header;
	}
	free(in);
	return CT_OK;
}

int ct_lower_in_loop(const struct ct_lower_unit *u, uint32_t b, uint32_t header)
{
	uint32_t at = u->node[b].loop;
	while (at != CT_LOWER_NONE && at != header)
		at = u->node[at].outer;
	return at == header;
}

int ct_lower_changes_in(const struct ct_lower_unit *u, uint32_t reg, uint32_t header)
{
	const struct ct_lower_reg *r = &u->reg[reg];
	reg = ct_lower_resolve(u, reg);
	r = &u->reg[reg];
	if (!r->defs || r->fact == CT_LOWER_BANK || r->fact == CT_LOWER_CONSTANT)
		return 0;
	if (r->defs == 1)
		return ct_lower_in_loop(u, ct_lower_home(u, r->def), header);
	for (uint32_t i = 0; i < u->body.instructions; i++)
		for (uint32_t w = 0; w < u->ptx[i].writes; w++)
			if (u->ptx[i].operand[w].kind == CT_PTX_OPERAND_REGISTER &&
			    u->ptx[i].operand[w].number == reg &&
			    ct_lower_in_loop(u, ct_lower_home(u, u->body.first_instruction + i), header))
				return 1;
	return 0;
}

/* ---- divergence ---- */

/* Results that differ between lanes whatever their operands are. */
static int makes_divergence(const struct ct_lower_ptx *i)
{
	const char *o = i->opcode;
	if (i->access || ct_lower_is(o, "atom") || ct_lower_is(o, "shfl") || ct_lower_is_texture(o) ||
	    ct_lower_is(o, "call") || ct_lower_is(o, "match"))
		return 1;
	for (uint32_t k = 0; k < i->operands; k++)
		if (i->operand[k].kind == CT_PTX_OPERAND_SPECIAL &&
		    (strncmp(i->operand[k].name, "%tid", 4) == 0 ||
		     strncmp(i->operand[k].name, "%lane", 5) == 0 ||
		     strncmp(i->operand[k].name, "%clock", 6) == 0))
			return 1;
	return 0;
}

/* Marks what an instruction writes; 1 where that is new. */
static int spread(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	int now = makes_divergence(i), changed = 0;
	if (i->control.guard != CT_PTX_NO_OPERAND)
		now |= u->pred[i->control.guard].divergent;
	for (uint32_t k = i->writes; k < i->operands; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		now |= o->kind == CT_PTX_OPERAND_REGISTER && u->reg[o->number].divergent;
		now |= o->kind == CT_PTX_OPERAND_PREDICATE && u->pred[o->number].divergent;
	}
	int in_part = u->node[ct_lower_home(u, at)].divergent;
	for (uint32_t k = 0; k < i->writes; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		uint8_t *mark = o->kind == CT_PTX_OPERAND_REGISTER    ? &u->reg[o->number].divergent
		                : o->kind == CT_PTX_OPERAND_PREDICATE ? &u->pred[o->number].divergent
		                                                      : NULL;
		uint32_t defs = o->kind == CT_PTX_OPERAND_REGISTER    ? u->reg[o->number].defs
		                : o->kind == CT_PTX_OPERAND_PREDICATE ? u->pred[o->number].defs
		                                                      : 0;
		if (mark && !*mark && (now || (in_part && defs > 1)))
			changed = *mark = 1;
	}
	return changed;
}

/* Blocks between a divergent branch and its join. */
static int mark_part(struct ct_lower_unit *u, uint32_t from, uint32_t join, uint32_t *stack)
{
	uint32_t depth = 0;
	int changed = 0;
	unsigned char *seen = ct_calloc(u->blocks, 1);
	if (!seen) {
		u->failed = 1;
		return 0;
	}
	stack[depth++] = from;
	while (depth) {
		uint32_t b = stack[--depth];
		for (uint32_t k = 0; k < ct_lower_block_of(u, b)->edges; k++) {
			uint32_t to = successor(u, b, k);
			if (to == join || seen[to])
				continue;
			seen[to] = 1;
			if (!u->node[to].returns && !u->node[to].divergent)
				changed = u->node[to].divergent = 1;
			stack[depth++] = to;
		}
	}
	free(seen);
	return changed;
}

/* Finds the registers and predicates that may differ between the lanes of a warp, and the branches that
 * follow from them, until nothing changes. */
static void find_divergence(struct ct_lower_unit *u, uint32_t *stack)
{
	for (int changed = 1; changed && !u->failed;) {
		changed = 0;
		for (uint32_t i = 0; i < u->body.instructions; i++)
			changed |= spread(u, u->body.first_instruction + i);
		for (uint32_t b = 0; b < u->blocks; b++) {
			const struct ct_lower_ptx *last = ct_lower_ptx_at(
				u, ct_lower_block_of(u, b)->end - 1);
			const struct ct_ptx_control *c = &last->control;
			if (!c->branches || c->guard == CT_PTX_NO_OPERAND ||
			    !u->pred[c->guard].divergent)
				continue;
			uint32_t join = c->join == CT_PTX_NO_OPERAND ? CT_LOWER_NONE
			                                             : ct_lower_home(u, c->join);
			/* Lanes that only go to the end leave the others as they are. */
			uint32_t to = ct_lower_home(u, c->target);
			if (!u->node[to].returns)
				changed |= mark_part(u, b, join, stack);
		}
	}
}

int ct_lower_graph(struct ct_lower_unit *u)
{
	u->node = ct_calloc(u->blocks + 1u, sizeof *u->node);
	u->order = ct_calloc(2 * (u->blocks + 1u), sizeof *u->order);
	if (!u->node || !u->order || number_blocks(u) < 0)
		return CT_ERR_NOMEM;
	dominate(u);
	for (uint32_t b = 0; b < u->blocks; b++) {
		const struct ct_lower_block *block = ct_lower_block_of(u, b);
		u->node[b].returns = u->body.kernel && block->end == block->first + 1 &&
		                     ct_lower_ptx_at(u, block->first)->control.ends &&
		                     ct_lower_ptx_at(u, block->first)->control.guard ==
		                             CT_PTX_NO_OPERAND;
	}
	for (uint32_t i = u->reached; i-- > 0;)
		if (mark_loop(u, u->order[i]) < 0)
			return CT_ERR_NOMEM;
	find_divergence(u, u->order + u->blocks + 1);
	return u->failed ? CT_ERR_NOMEM : CT_OK;
}

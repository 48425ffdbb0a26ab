/* Blocks of PTX: where control may enter or leave. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/machine.h"

/* Instructions behind which a region ends although control falls through: warps wait there, other
 * lanes join, or another function runs. */
static int ends_region(const char *opcode)
{
	return strncmp(opcode, "bar", 3) == 0 || strncmp(opcode, "call", 4) == 0;
}

static int leaves(const struct ct_ptx_control *c)
{
	return c->branches || c->ends || c->table;
}

/* Marks the first instruction of each block of a function. */
static void mark(const struct ct_lower_program *p, const struct ct_ptx_body *f, unsigned char *starts)
{
	uint32_t first = f->first_instruction, end = first + f->instructions;
	starts[0] = 1;
	for (uint32_t i = first; i < end; i++) {
		struct ct_ptx_control c = ct_ptx_control_of(p->m, i);
		if (c.branches && c.target >= first && c.target < end)
			starts[c.target - first] = 1;
		for (uint32_t k = 0, t;
		     c.table && (t = ct_ptx_table_of(p->m, i, k)) != CT_PTX_NO_OPERAND; k++)
			starts[t - first] = 1;
		if (i + 1 < end && (leaves(&c) || ends_region(ct_ptx_instruction_at(p->m, i).opcode)))
			starts[i + 1 - first] = 1;
	}
}

static int add_edge(struct ct_lower_program *p, struct ct_lower_block *b, uint32_t to)
{
	if (ct_grow((void **)&p->edge, &p->edge_cap, p->edges + 1, sizeof *p->edge) < 0)
		return -1;
	p->edge[p->edges++] = to;
	b->edges++;
	return 0;
}

/* Finds the blocks that may follow a block: the next one, the target of its branch, and those of a
 * table. */
static int link_block(struct ct_lower_program *p, struct ct_lower_block *b, uint32_t end)
{
	struct ct_ptx_control c = ct_ptx_control_of(p->m, b->end - 1);
	uint32_t to;
	int rc = 0;
	b->next[0] = b->next[1] = CT_LOWER_NONE;
	b->edge = (uint32_t)p->edges;
	if ((!leaves(&c) || c.guard != CT_PTX_NO_OPERAND) && b->end < end)
		b->next[0] = p->block_of[b->end];
	if (c.branches && c.target != CT_PTX_NO_OPERAND)
		b->next[1] = p->block_of[c.target];
	for (unsigned k = 0; k < 2; k++)
		if (b->next[k] != CT_LOWER_NONE)
			rc |= add_edge(p, b, b->next[k]);
	for (uint32_t k = 0; c.table && (to = ct_ptx_table_of(p->m, b->end - 1, k)) != CT_PTX_NO_OPERAND;
	     k++)
		rc |= add_edge(p, b, p->block_of[to]);
	return rc;
}

int ct_lower_blocks(struct ct_lower_program *p, uint32_t function)
{
	struct ct_ptx_body f = ct_ptx_body_at(p->m, function);
	uint32_t first = f.first_instruction, end = first + f.instructions;
	size_t first_block = p->blocks;
	unsigned char *starts = ct_calloc(f.instructions + 1u, 1);
	if (!starts)
		return CT_ERR_NOMEM;
	mark(p, &f, starts);
	for (uint32_t i = first; i < end; i++) {
		if (starts[i - first]) {
			if (ct_grow((void **)&p->block, &p->block_cap, p->blocks + 1, sizeof *p->block) <
			    0) {
				free(starts);
				return CT_ERR_NOMEM;
			}
			p->block[p->blocks++] = (struct ct_lower_block){.first = i};
		}
		p->block[p->blocks - 1].end = i + 1;
		p->block_of[i] = (uint32_t)p->blocks - 1;
	}
	free(starts);
	int rc = 0;
	for (size_t b = first_block; b < p->blocks; b++)
		rc |= link_block(p, &p->block[b], end);
	return rc ? CT_ERR_NOMEM : CT_OK;
}

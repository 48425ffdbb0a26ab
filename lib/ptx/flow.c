#include "ptx/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/codes.h"

#define NONE UINT32_MAX

/* Control flow of one function, as blocks and edges in both directions. */
struct graph {
	const struct ct_ptx_module *m;
	uint32_t first_op, ops;
	uint32_t *block_of; /* of each operation of the function */
	uint32_t *first;    /* operation of each block, counted from first_op */
	uint32_t blocks;    /* the virtual exit is number `blocks` */
	uint32_t *edge_from, *edge_to;
	size_t edges, edges_cap, to_cap;
	uint32_t *in_start, *in;    /* predecessors */
	uint32_t *order, *position; /* of the search from the exit, against the edges */
	uint32_t *parent;           /* immediate post-dominator */
};

static void free_graph(struct graph *g)
{
	free(g->block_of);
	free(g->first);
	free(g->edge_from);
	free(g->edge_to);
	free(g->in_start);
	free(g->in);
	free(g->order);
	free(g->position);
	free(g->parent);
}

static int ends_block(const struct ct_ptx_op *o)
{
	return o->code == CT_PTX_bra || o->code == CT_PTX_brx || o->code == CT_PTX_exit ||
	       o->code == CT_PTX_ret || o->code == CT_PTX_trap;
}

/* Marks where blocks begin, then numbers them. */
static int find_blocks(struct graph *g)
{
	const struct ct_ptx_op *op = g->m->op + g->first_op;
	g->block_of = ct_calloc(g->ops, sizeof *g->block_of);
	g->first = ct_calloc(g->ops + 1u, sizeof *g->first);
	if (!g->block_of || !g->first)
		return -1;
	g->block_of[0] = 1;
	for (uint32_t i = 0; i < g->ops; i++) {
		if (op[i].code == CT_PTX_bra)
			g->block_of[op[i].target - g->first_op] = 1;
		if (op[i].code == CT_PTX_brx)
			for (uint32_t k = 1; k <= g->m->table[op[i].target]; k++)
				g->block_of[g->m->table[op[i].target + k] - g->first_op] = 1;
		if (ends_block(&op[i]) && i + 1 < g->ops)
			g->block_of[i + 1] = 1;
	}
	for (uint32_t i = 0; i < g->ops; i++) {
		if (g->block_of[i])
			g->first[g->blocks++] = i;
		g->block_of[i] = g->blocks - 1;
	}
	g->first[g->blocks] = g->ops;
	return 0;
}

static int add_edge(struct graph *g, uint32_t from, uint32_t to)
{
	if (ct_grow((void **)&g->edge_from, &g->edges_cap, g->edges + 1, sizeof *g->edge_from) < 0 ||
	    ct_grow((void **)&g->edge_to, &g->to_cap, g->edges + 1, sizeof *g->edge_to) < 0)
		return -1;
	g->edge_from[g->edges] = from;
	g->edge_to[g->edges++] = to;
	return 0;
}

/* Edges that leave a block: where its last operation goes, and on where it may not go there. */
static int block_edges(struct graph *g, uint32_t b)
{
	const struct ct_ptx_op *o = g->m->op + g->first_op + g->first[b + 1] - 1;
	int rc = 0, leaves = ends_block(o);
	if (o->code == CT_PTX_bra)
		rc = add_edge(g, b, g->block_of[o->target - g->first_op]);
	else if (o->code == CT_PTX_brx)
		for (uint32_t k = 1; rc == 0 && k <= g->m->table[o->target]; k++)
			rc = add_edge(g, b, g->block_of[g->m->table[o->target + k] - g->first_op]);
	else if (leaves)
		rc = add_edge(g, b, g->blocks);
	if (rc == 0 && (!leaves || o->guard != CT_PTX_TRUE))
		rc = add_edge(g, b, b + 1);
	return rc;
}

/* Finds the edges of the flow graph and sorts them by where they lead. The last node is the end. */
static int find_edges(struct graph *g)
{
	uint32_t nodes = g->blocks + 1;
	for (uint32_t b = 0; b < g->blocks; b++)
		if (block_edges(g, b) < 0)
			return -1;
	g->in_start = ct_calloc(nodes + 1u, sizeof *g->in_start);
	g->in = ct_calloc(g->edges, sizeof *g->in);
	if (!g->in_start || !g->in)
		return -1;
	for (size_t e = 0; e < g->edges; e++)
		g->in_start[g->edge_to[e] + 1]++;
	for (uint32_t n = 0; n < nodes; n++)
		g->in_start[n + 1] += g->in_start[n];
	for (size_t e = g->edges; e-- > 0;) /* fills each list from its end */
		g->in[--g->in_start[g->edge_to[e] + 1]] = g->edge_from[e];
	/* Each start was moved to the next node's first place: moves them back. */
	for (uint32_t n = 0; n < nodes; n++)
		g->in_start[n] = g->in_start[n + 1];
	g->in_start[nodes] = (uint32_t)g->edges;
	return 0;
}

/* Postorder of a depth-first search from the exit against the edges. */
static int search(struct graph *g)
{
	uint32_t nodes = g->blocks + 1, depth = 0, done = 0;
	uint32_t *stack = ct_calloc(nodes, sizeof *stack), *next = ct_calloc(nodes, sizeof *next);
	unsigned char *seen = ct_calloc(nodes, 1);
	g->order = ct_calloc(nodes, sizeof *g->order);
	g->position = ct_calloc(nodes, sizeof *g->position);
	g->parent = ct_calloc(nodes, sizeof *g->parent);
	int fine = stack && next && seen && g->order && g->position && g->parent;
	if (fine) {
		memset(g->position, 0xff, nodes * sizeof *g->position);
		memset(g->parent, 0xff, nodes * sizeof *g->parent);
		stack[depth++] = g->blocks;
		seen[g->blocks] = 1;
		next[g->blocks] = g->in_start[g->blocks];
		while (depth) {
			uint32_t n = stack[depth - 1];
			if (next[n] == g->in_start[n + 1]) {
				g->position[n] = done;
				g->order[done++] = n;
				depth--;
				continue;
			}
			uint32_t to = g->in[next[n]++];
			if (!seen[to]) {
				seen[to] = 1;
				next[to] = g->in_start[to];
				stack[depth++] = to;
			}
		}
		g->ops = done; /* from here on: how many nodes reach the exit */
	}
	free(stack);
	free(next);
	free(seen);
	return fine ? 0 : -1;
}

static uint32_t common(const struct graph *g, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (g->position[a] < g->position[b])
			a = g->parent[a];
		while (g->position[b] < g->position[a])
			b = g->parent[b];
	}
	return a;
}

/* Immediate post-dominators by iteration (Cooper, Harvey, Kennedy 2001) on the turned graph. */
static void dominate(struct graph *g)
{
	uint32_t *out_start = g->edge_from; /* edges stand in the order of their blocks */
	g->parent[g->blocks] = g->blocks;
	for (int changed = 1; changed;) {
		changed = 0;
		for (uint32_t i = g->ops - 1; i-- > 0;) {
			uint32_t n = g->order[i], found = NONE;
			size_t low = 0, high = g->edges;
			while (low < high) {
				size_t middle = (low + high) / 2;
				if (out_start[middle] < n)
					low = middle + 1;
				else
					high = middle;
			}
			for (; low < g->edges && g->edge_from[low] == n; low++) {
				uint32_t to = g->edge_to[low];
				if (g->parent[to] != NONE)
					found = found == NONE ? to : common(g, found, to);
			}
			if (found != g->parent[n]) {
				g->parent[n] = found;
				changed = 1;
			}
		}
	}
}

int ct_ptx_find_joins(struct ct_ptx_module *m, const struct ct_ptx_function *f, struct ct_error *e)
{
	struct graph g = {.m = m, .first_op = f->first_op, .ops = f->ops};
	if (find_blocks(&g) < 0 || find_edges(&g) < 0 || search(&g) < 0) {
		free_graph(&g);
		return ct_fail_nomem(e);
	}
	dominate(&g);
	for (uint32_t b = 0; b < g.blocks; b++) {
		struct ct_ptx_op *o = &m->op[f->first_op + g.first[b + 1] - 1];
		uint32_t to = g.parent[b];
		if (o->code == CT_PTX_bra || o->code == CT_PTX_brx)
			o->join = to == NONE || to == g.blocks ? CT_PTX_NO_TARGET
			                                       : f->first_op + g.first[to];
	}
	free_graph(&g);
	return CT_OK;
}

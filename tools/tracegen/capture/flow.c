/* Where diverged lanes meet again: immediate post-dominators. */
#include <stdlib.h>

#include "base/mem.h"
#include "tracegen/capture/ir.h"

/* Local block numbers; n stands for the function's end, the root of the reversed graph. */
struct graph {
	const struct ir *ir;
	const struct ir_func *f;
	uint32_t n, *order, *rank, *idom;
};

static const uint32_t *successors_of(const struct graph *g, uint32_t b, uint32_t *count)
{
	const struct ir_block *k = &g->ir->block[g->f->block + b];
	*count = k->nsucc;
	return k->nsucc ? g->ir->succ + k->succ : NULL;
}

/* Nearer to the end = higher rank. Blocks come in reverse post-order of the forward graph, so the
 * last is an exit in reducible code, and going backwards is a good order in any case. */
static uint32_t common_dominator(const struct graph *g, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (g->rank[a] == g->rank[b])
			return g->n; /* one of them in an endless loop */
		while (g->rank[a] < g->rank[b])
			a = g->idom[a];
		while (g->rank[b] < g->rank[a])
			b = g->idom[b];
	}
	return a;
}

/* Post-order of the reversed graph from the end, by an explicit stack: rank[end] is highest. */
static void rank_blocks(struct graph *g, const uint32_t *pred, const uint32_t *pred_at, uint32_t *stack,
                        uint32_t *cursor)
{
	uint32_t depth = 0, next = 0;
	for (uint32_t b = 0; b <= g->n; b++)
		g->rank[b] = CAP_NONE;
	stack[depth++] = g->n;
	g->rank[g->n] = CAP_NONE - 1; /* seen */
	while (depth > 0) {
		uint32_t b = stack[depth - 1];
		if (pred_at[b] + cursor[b] < pred_at[b + 1]) {
			uint32_t p = pred[pred_at[b] + cursor[b]++];
			if (g->rank[p] == CAP_NONE) {
				g->rank[p] = CAP_NONE - 1;
				stack[depth++] = p;
			}
			continue;
		}
		g->order[next] = b;
		g->rank[b] = next++;
		depth--;
	}
	/* What cannot reach the end (endless loops) joins only there. */
	for (uint32_t b = 0; b <= g->n; b++)
		if (g->rank[b] == CAP_NONE) {
			g->rank[b] = 0;
			g->idom[b] = g->n;
		}
	while (next <= g->n)
		g->order[next++] = CAP_NONE;
}

static void find_dominators(struct graph *g)
{
	for (int changed = 1; changed;) {
		changed = 0;
		for (uint32_t i = g->n + 1; i-- > 0;) {
			uint32_t b = g->order[i], count, best = CAP_NONE;
			if (b == CAP_NONE || b == g->n)
				continue;
			const uint32_t *s = successors_of(g, b, &count);
			if (count == 0)
				best = g->n;
			for (uint32_t k = 0; k < count; k++)
				if (g->idom[s[k]] != CAP_NONE)
					best = best == CAP_NONE ? s[k] : common_dominator(g, best, s[k]);
			if (best != g->idom[b]) {
				g->idom[b] = best;
				changed = 1;
			}
		}
	}
}

/* Predecessors of each block and, for the end, the blocks without successors. */
static void reverse_edges(const struct graph *g, uint32_t *pred, uint32_t *pred_at)
{
	for (uint32_t b = 0; b < g->n; b++) {
		uint32_t count;
		const uint32_t *s = successors_of(g, b, &count);
		for (uint32_t k = 0; k < count; k++)
			pred_at[s[k] + 1]++;
		pred_at[g->n + 1] += count == 0;
	}
	for (uint32_t b = 0; b <= g->n; b++)
		pred_at[b + 1] += pred_at[b];
	for (uint32_t b = g->n; b-- > 0;) {
		uint32_t count;
		const uint32_t *s = successors_of(g, b, &count);
		for (uint32_t k = 0; k < count; k++)
			pred[pred_at[s[k]]++] = b;
		if (count == 0)
			pred[pred_at[g->n]++] = b;
	}
	for (uint32_t b = g->n + 1; b > 0; b--)
		pred_at[b] = pred_at[b - 1];
	pred_at[0] = 0;
}

int cap_post_dominators(const struct ir *ir, const struct ir_func *f, uint32_t *join, struct ct_error *e)
{
	struct graph g = {.ir = ir, .f = f, .n = f->nblock};
	size_t edges = f->nblock + 1;
	for (uint32_t b = 0; b < f->nblock; b++)
		edges += ir->block[f->block + b].nsucc;
	uint32_t *memory = ct_calloc(edges + 6 * ((size_t)g.n + 2), sizeof *memory);
	if (!memory)
		return ct_fail_nomem(e);
	uint32_t *pred = memory, *pred_at = pred + edges, *stack = pred_at + g.n + 2,
		 *cursor = stack + g.n + 2;
	g.order = cursor + g.n + 2;
	g.rank = g.order + g.n + 2;
	g.idom = g.rank + g.n + 2;
	for (uint32_t b = 0; b < g.n; b++)
		g.idom[b] = CAP_NONE;
	g.idom[g.n] = g.n;
	reverse_edges(&g, pred, pred_at);
	rank_blocks(&g, pred, pred_at, stack, cursor);
	find_dominators(&g);
	for (uint32_t b = 0; b < g.n; b++)
		join[b] = g.idom[b] == g.n || g.idom[b] == CAP_NONE ? CAP_NONE : f->block + g.idom[b];
	free(memory);
	return CT_OK;
}

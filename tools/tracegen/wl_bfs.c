/* Breadth-first search: level by level over all nodes as in Rodinia, and with frontier
 * queues as in Parboil. */
#include <string.h>

#include "tracegen/data.h"

enum { BLOCK = 512, FAR = 0x7fffffff };

/* Levels by the textbook queue. */
static uint32_t *reference(struct wl *w, const struct wl_csr *g, uint32_t source, uint32_t far)
{
	uint32_t *level = wl_host(w, g->n, sizeof *level), *queue = wl_host(w, g->n, sizeof *queue);
	uint32_t head = 0, tail = 0;
	if (!level || !queue)
		return NULL;
	for (uint32_t i = 0; i < g->n; i++)
		level[i] = far;
	level[source] = 0;
	queue[tail++] = source;
	while (head < tail) {
		uint32_t u = queue[head++];
		for (uint32_t e = g->row[u]; e < g->row[u + 1]; e++)
			if (level[g->col[e]] == far) {
				level[g->col[e]] = level[u] + 1;
				queue[tail++] = g->col[e];
			}
	}
	return level;
}

/* Nodes as {first edge, edges}. */
static uint32_t *node_pairs(struct wl *w, const struct wl_csr *g)
{
	uint32_t *node = wl_host(w, g->n, 2 * sizeof *node);
	for (uint32_t i = 0; node && i < g->n; i++) {
		node[2 * i] = g->row[i];
		node[2 * i + 1] = g->row[i + 1] - g->row[i];
	}
	return node;
}

/* ---- over all nodes ---------------------------------------------------------------------- */

/* Arguments: nodes, edges, mask, updating, visited, cost, n, over. */
static struct kb *expand_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "bfs_expand");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 6)));
	val mask = k_elem(k, k_arg_ptr(k, 2), i, 1);
	val here = k_ldg(k, M_U8, T_S32, mask, 0);
	k_exit_if(k, k_setpi(k, CMP_EQ, here, 0));
	k_stg(k, M_U8, mask, 0, k_int(k, 0));
	val node = k_elem(k, k_arg_ptr(k, 0), i, 8);
	val first = k_ldg(k, M_32, T_S32, node, 0), count = k_ldg(k, M_32, T_S32, node, 4);
	val mine = k_elem(k, k_arg_ptr(k, 5), i, 4);
	val e = k_for(k, first, k_add(k, first, count), 1);
	val id = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), e, 4), 0);
	val seen = k_ldg(k, M_U8, T_S32, k_elem(k, k_arg_ptr(k, 4), id, 1), 0);
	/* Predicated, as the compiler makes it. */
	val fresh = k_setpi(k, CMP_EQ, seen, 0);
	k_when(k, fresh);
	val cost = k_ldg(k, M_32, T_S32, mine, 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 5), id, 4), 0, k_addi(k, cost, 1));
	k_stg(k, M_U8, k_elem(k, k_arg_ptr(k, 3), id, 1), 0, k_int(k, 1));
	k_endwhen(k);
	k_endfor(k);
	k_finish(k);
	return k;
}

static struct kb *settle_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "bfs_settle");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 6)));
	val updating = k_elem(k, k_arg_ptr(k, 3), i, 1);
	val here = k_ldg(k, M_U8, T_S32, updating, 0);
	k_exit_if(k, k_setpi(k, CMP_EQ, here, 0));
	val one = k_int(k, 1);
	k_stg(k, M_U8, k_elem(k, k_arg_ptr(k, 2), i, 1), 0, one);
	k_stg(k, M_U8, k_elem(k, k_arg_ptr(k, 4), i, 1), 0, one);
	k_stg(k, M_U8, k_arg_ptr(k, 7), 0, one);
	k_stg(k, M_U8, updating, 0, k_int(k, 0));
	k_finish(k);
	return k;
}

void wl_bfs(struct wl *w)
{
	struct wl_csr g;
	wl_degree6(w, wl_pick(w, 16384, 65536, 262144), &g);
	const uint32_t *node = w->g.status == CT_OK ? node_pairs(w, &g) : NULL;
	const uint32_t *want = w->g.status == CT_OK ? reference(w, &g, 0, UINT32_MAX) : NULL;
	if (!node || !want)
		return;
	struct simt_buffer *nodes = wl_upload(w, node, 8 * (size_t)g.n);
	struct simt_buffer *edges = wl_upload(w, g.col, 4 * (size_t)g.m);
	struct simt_buffer *mask = simt_alloc(&w->g, g.n), *updating = simt_alloc(&w->g, g.n);
	struct simt_buffer *visited = simt_alloc(&w->g, g.n), *cost = simt_alloc(&w->g, 4 * (size_t)g.n);
	struct simt_buffer *over = simt_alloc(&w->g, 1);
	if (w->g.status != CT_OK)
		return;
	memset(cost->p, 0xff, cost->bytes);
	wl_words(cost)[0] = 0;
	mask->p[0] = visited->p[0] = 1;
	simt_h2d(&w->g, mask);
	simt_h2d(&w->g, updating);
	simt_h2d(&w->g, visited);
	simt_h2d(&w->g, cost);
	struct kb *expand = expand_kernel(&w->g), *settle = settle_kernel(&w->g);
	struct simt_dims grid = simt_1d(wl_ceil(g.n, BLOCK)), block = simt_1d(BLOCK);
	do {
		over->p[0] = 0;
		simt_h2d(&w->g, over);
		WL_LAUNCH(w, expand, grid, block, 0, nodes->address, edges->address, mask->address,
		          updating->address, visited->address, cost->address, g.n);
		WL_LAUNCH(w, settle, grid, block, 0, 0, 0, mask->address, updating->address,
		          visited->address, 0, g.n, over->address);
	} while (over->p[0] && w->g.status == CT_OK);
	wl_check_words(w, "cost", wl_words(cost), want, g.n);
}

/* ---- with queues --------------------------------------------------------------------------- */

enum { LOCAL_QUEUE = 1600 }; /* entries of a CTA's queue in shared memory */
enum { WHITE = 0, BLACK = 1, GREY = 2 /* and 3, by turns */ };
/* Shared memory: tail, base in the global queue, entries. */
enum { SH_TAIL = 0, SH_BASE = 4, SH_QUEUE = 8, SH_BYTES = SH_QUEUE + 4 * LOCAL_QUEUE };

/* A node that got its final cost joins the CTA's queue, or the global one when full. */
static void enqueue(struct kb *k, val id, val zero)
{
	val slot = k_atoms(k, ATOM_ADD, zero, SH_TAIL, k_int(k, 1));
	k_if(k, k_setpi(k, CMP_LT, slot, LOCAL_QUEUE));
	k_sts(k, M_32, k_shli(k, slot, 2), SH_QUEUE, id);
	k_else(k);
	k_reds(k, ATOM_ADD, zero, SH_TAIL, k_int(k, -1));
	val far = k_atomg(k, ATOM_ADD, k_arg_ptr(k, 5), 0, k_int(k, 1));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), far, 4), 0, id);
	k_endif(k);
}

/* Arguments: queue, next queue, nodes, edges, cost, tail, count of queue, colour, shade. */
static struct kb *queue_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "bfs_queue");
	val tid = k_tid(k, 0), i = k_gid(k), zero = k_int(k, 0);
	k_if(k, k_setpi(k, CMP_EQ, tid, 0));
	k_sts(k, M_32, zero, SH_TAIL, zero);
	k_endif(k);
	k_bar(k);
	k_if(k, k_setp(k, CMP_LT, i, k_arg_int(k, 6)));
	val u = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 7), u, 4), 0, k_int(k, BLACK));
	val cost = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 4), u, 4), 0);
	val node = k_elem(k, k_arg_ptr(k, 2), u, 8);
	val first = k_ldg(k, M_32, T_S32, node, 0), count = k_ldg(k, M_32, T_S32, node, 4);
	val e = k_for(k, first, k_add(k, first, count), 1);
	val edge = k_ldg(k, M_64, T_S32, k_elem(k, k_arg_ptr(k, 3), e, 8), 0), id = k_part(k, edge, 0);
	val reached = k_add(k, cost, k_part(k, edge, 1));
	val old = k_atomg(k, ATOM_MIN, k_elem(k, k_arg_ptr(k, 4), id, 4), 0, reached);
	k_if(k, k_setp(k, CMP_GT, old, reached));
	/* The colour keeps a node from entering the queue of one level twice. */
	val colour = k_elem(k, k_arg_ptr(k, 7), id, 4), seen = k_ldg(k, M_32, T_S32, colour, 0);
	k_if(k, k_setpi(k, CMP_EQ, seen, WHITE));
	val shade = k_atomg(k, ATOM_EXCH, colour, 0, k_arg_int(k, 8));
	k_if(k, k_setp(k, CMP_NE, shade, k_arg_int(k, 8)));
	enqueue(k, id, zero);
	k_endif(k);
	k_endif(k);
	k_endif(k);
	k_endfor(k);
	k_endif(k);
	k_bar(k);
	k_if(k, k_setpi(k, CMP_EQ, tid, 0));
	val found = k_lds(k, M_32, T_S32, zero, SH_TAIL);
	k_sts(k, M_32, zero, SH_BASE, k_atomg(k, ATOM_ADD, k_arg_ptr(k, 5), 0, found));
	k_endif(k);
	k_bar(k);
	val n = k_lds(k, M_32, T_S32, zero, SH_TAIL), base = k_lds(k, M_32, T_S32, zero, SH_BASE);
	val j = k_for_val(k, tid, n, k_ntid(k, 0));
	val entry = k_lds(k, M_32, T_S32, k_shli(k, j, 2), SH_QUEUE);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), k_add(k, base, j), 4), 0, entry);
	k_endfor(k);
	k_finish(k);
	return k;
}

void wl_bfs_queue(struct wl *w)
{
	struct wl_csr g;
	uint32_t source = 0;
	wl_degree6(w, wl_pick(w, 16384, 65536, 262144), &g);
	const uint32_t *node = w->g.status == CT_OK ? node_pairs(w, &g) : NULL;
	const uint32_t *want = w->g.status == CT_OK ? reference(w, &g, source, FAR) : NULL;
	uint32_t *edge = wl_host(w, g.m, 8); /* {node, cost 1} */
	if (!node || !want || !edge)
		return;
	for (uint32_t e = 0; e < g.m; e++) {
		edge[2 * e] = g.col[e];
		edge[2 * e + 1] = 1;
	}
	struct simt_buffer *nodes = wl_upload(w, node, 8 * (size_t)g.n);
	struct simt_buffer *edges = wl_upload(w, edge, 8 * (size_t)g.m);
	struct simt_buffer *colour = simt_alloc(&w->g, 4 * (size_t)g.n);
	struct simt_buffer *cost = simt_alloc(&w->g, 4 * (size_t)g.n);
	struct simt_buffer *queue[2] = {
		simt_alloc(&w->g, 4 * (size_t)g.n), simt_alloc(&w->g, 4 * (size_t)g.n)};
	struct simt_buffer *tail = simt_alloc(&w->g, 4);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t i = 0; i < g.n; i++)
		wl_words(cost)[i] = i == source ? 0 : FAR;
	wl_words(queue[0])[0] = source;
	simt_h2d(&w->g, colour);
	simt_h2d(&w->g, cost);
	simt_h2d(&w->g, queue[0]);
	struct kb *k = queue_kernel(&w->g);
	uint32_t n = 1;
	for (uint32_t level = 0; n > 0 && w->g.status == CT_OK; level++) {
		uint32_t threads = n < BLOCK ? n : BLOCK;
		wl_words(tail)[0] = 0;
		simt_h2d(&w->g, tail);
		WL_LAUNCH(w, k, simt_1d(wl_ceil(n, threads)), simt_1d(threads), SH_BYTES,
		          queue[level & 1]->address, queue[~level & 1]->address, nodes->address,
		          edges->address, cost->address, tail->address, n, colour->address,
		          GREY + (level & 1));
		n = wl_words(tail)[0];
	}
	wl_check_words(w, "cost", wl_words(cost), want, g.n);
}

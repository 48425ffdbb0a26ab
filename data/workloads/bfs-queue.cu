/* bfs-queue - breadth-first search with a queue of the frontier, as Parboil's.
 *
 * Where a CTA's queue is full, Parboil's plain version takes the places in the next frontier one by one, with atomics on one word.
 * Size paper has the queue of its CUDA version, eight times 400 entries, which is never full on this graph. */
#include "inputs.h"

enum { BLOCK = 512, FAR = 0x7fffffff };
enum { LOCAL_QUEUE = 1600, PAPER_QUEUE = 3200 /* entries of a CTA's queue in shared memory */ };
enum { WHITE = 0, BLACK = 1, GREY = 2 /* and 3, by turns */ };

struct node {
	int first, edges;
};
struct edge {
	int to, cost;
};

#ifdef __CUDACC__
/* A node that got its final cost joins the CTA's queue, or the global one when that is full. */
template <int entries>
static __device__ void enqueue(int id, int *local, int *local_tail, int *queue, int *tail)
{
	int slot = atomicAdd(local_tail, 1);
	if (slot < entries) {
		local[slot] = id;
		asm volatile("" ::: "memory"); /* else clang makes one store of both, by a generic address */
	} else {
		*local_tail = entries;
		queue[atomicAdd(tail, 1)] = id;
	}
}

template <int entries>
static __device__ void visit(const int *queue, int *next, const node *nodes, const edge *edges, int *cost, int *tail,
                             int n, int *colour, int shade)
{
	__shared__ int local[entries], local_tail, base;
	int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
	if (tid == 0)
		local_tail = 0;
	__syncthreads();
	if (i < n) {
		int u = queue[i];
		colour[u] = BLACK;
		int here = cost[u];
		node mine = nodes[u];
		for (int e = mine.first; e < mine.first + mine.edges; e++) {
			edge one = edges[e];
			int reached = here + one.cost;
			/* The colour keeps a node from entering the queue of one level twice. */
			if (atomicMin(&cost[one.to], reached) > reached && colour[one.to] == WHITE &&
			    atomicExch(&colour[one.to], shade) != shade)
				enqueue<entries>(one.to, local, &local_tail, next, tail);
		}
	}
	__syncthreads();
	if (tid == 0)
		base = atomicAdd(tail, local_tail);
	__syncthreads();
	for (int j = tid; j < local_tail; j += blockDim.x)
		next[j + base] = local[j];
}

extern "C" __global__ void bfs_queue(const int *queue, int *next, const node *nodes, const edge *edges,
                                     int *cost, int *tail, int n, int *colour, int shade)
{
	visit<LOCAL_QUEUE>(queue, next, nodes, edges, cost, tail, n, colour, shade);
}

extern "C" __global__ void bfs_queue_wide(const int *queue, int *next, const node *nodes, const edge *edges,
                                          int *cost, int *tail, int n, int *colour, int shade)
{
	visit<PAPER_QUEUE>(queue, next, nodes, edges, cost, tail, n, colour, shade);
}
#endif

APP(bfs_queue)
{
	struct input_csr g;
	/* The paper's size: Parboil's 1M input. */
	input_degree6(a, app_pick(a, 16384, 65536, 262144, 1000000), &g);
	const uint32_t *want = input_levels(a, &g, 0, FAR);
	struct node *node = (struct node *)app_host(a, g.n, sizeof *node);
	struct edge *edge = (struct edge *)app_host(a, g.m, sizeof *edge);
	uint32_t *level = (uint32_t *)app_host(a, g.n, sizeof *level), n = 1, zero = 0;
	for (uint32_t i = 0; i < g.n; i++) {
		node[i].first = (int)g.row[i];
		node[i].edges = (int)(g.row[i + 1] - g.row[i]);
		level[i] = i ? FAR : 0;
	}
	for (uint32_t e = 0; e < g.m; e++) {
		edge[e].to = (int)g.col[e];
		edge[e].cost = 1;
	}
	size_t words = sizeof *level * g.n;
	const void *nodes = app_upload(a, "nodes", node, sizeof *node * g.n);
	const void *edges = app_upload(a, "edges", edge, sizeof *edge * g.m);
	void *colour = app_device(a, "colour", words), *cost = app_upload(a, "cost", level, words);
	void *queue[2], *tail = app_device(a, "tail", sizeof zero);
	queue[0] = app_device(a, "queue", words); /* the source is node 0 */
	queue[1] = app_device(a, "next queue", words);
	for (uint32_t turn = 0; n > 0; turn ^= 1) {
		uint32_t threads = n < BLOCK ? n : BLOCK, shade = GREY + turn;
		app_to_device(a, tail, &zero, sizeof zero);
		if (a->size == APP_PAPER)
			APP_LAUNCH(a, bfs_queue_wide, app_1d(app_ceil(n, threads)), app_1d(threads), 0, &queue[turn],
			           &queue[turn ^ 1], &nodes, &edges, &cost, &tail, &n, &colour, &shade);
		else
			APP_LAUNCH(a, bfs_queue, app_1d(app_ceil(n, threads)), app_1d(threads), 0, &queue[turn],
			           &queue[turn ^ 1], &nodes, &edges, &cost, &tail, &n, &colour, &shade);
		app_to_host(a, &n, tail, sizeof n);
	}
	app_to_host(a, level, cost, words);
	app_check_words(a, "cost", level, want, g.n);
}

/* bfs - breadth-first search level by level over all nodes, as Rodinia's. */
#include "inputs.h"

enum { BLOCK = 512 };

struct node {
	int first, edges;
};

#ifdef __CUDACC__
/* Nodes of the frontier (mask) give their neighbours a cost. */
extern "C" __global__ void bfs_expand(const node *nodes, const int *edges, bool *mask, bool *updating,
                                      const bool *visited, int *cost, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n || !mask[i])
		return;
	mask[i] = false;
	for (int e = nodes[i].first; e < nodes[i].first + nodes[i].edges; e++) {
		int id = edges[e];
		if (!visited[id]) {
			cost[id] = cost[i] + 1;
			updating[id] = true;
		}
	}
}

/* Those that were reached are the next frontier. */
extern "C" __global__ void
bfs_settle(bool *mask, bool *updating, bool *visited, bool *over, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n || !updating[i])
		return;
	mask[i] = true;
	visited[i] = true;
	*over = true;
	updating[i] = false;
}
#endif

APP(bfs)
{
	struct input_csr g;
	input_degree6(a, app_elements(a, 16384, 65536, 262144, 1000000), &g);
	const uint32_t *want = input_levels(a, &g, 0, UINT32_MAX);
	struct node *node = (struct node *)app_host(a, g.n, sizeof *node);
	unsigned char *first = (unsigned char *)app_host(a, g.n, 1), over;
	uint32_t *level = (uint32_t *)app_host(a, g.n, sizeof *level);
	for (uint32_t i = 0; i < g.n; i++) {
		node[i].first = (int)g.row[i];
		node[i].edges = (int)(g.row[i + 1] - g.row[i]);
		level[i] = i ? UINT32_MAX : 0;
	}
	first[0] = 1;
	const void *nodes = app_upload(a, "nodes", node, sizeof *node * g.n);
	const void *edges = app_upload(a, "edges", g.col, sizeof *g.col * g.m);
	void *mask = app_upload(a, "mask", first, g.n), *visited = app_upload(a, "visited", first, g.n);
	first[0] = 0;
	void *updating = app_upload(a, "updating", first, g.n);
	void *cost = app_upload(a, "cost", level, sizeof *level * g.n), *go_on = app_device(a, "over", 1);
	struct app_dims grid = app_1d(app_ceil(g.n, BLOCK)), block = app_1d(BLOCK);
	do {
		over = 0;
		app_to_device(a, go_on, &over, 1);
		APP_LAUNCH(a, bfs_expand, grid, block, 0, &nodes, &edges, &mask, &updating, &visited,
		           &cost, &g.n);
		APP_LAUNCH(a, bfs_settle, grid, block, 0, &mask, &updating, &visited, &go_on, &g.n);
		app_to_host(a, &over, go_on, 1);
	} while (over);
	app_to_host(a, level, cost, sizeof *level * g.n);
	app_check_words(a, "cost", level, want, g.n);
}

/* streamcluster - the gain kernel of Rodinia's: for every point, what it would cost to go to a candidate centre,
 * and what that saves its present centre. */
#include "inputs.h"

enum { BLOCK = 512, CENTRES = 12 };

#ifdef __CUDACC__
/* Coordinates lie by dimension; the candidate's come to shared memory. */
extern "C" __global__ void
streamcluster_gain(int n, int dims, int candidate, const float *weight, const float *cost, const int *assign,
                   int columns, const float *coord, float *work, const int *number, unsigned char *moves)
{
	extern __shared__ float other[];
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	for (int d = t; d < dims; d += blockDim.x)
		other[d] = coord[d * n + candidate];
	__syncthreads();
	if (i >= n)
		return;
	float sum = 0;
	for (int d = 0; d < dims; d++)
		sum += (coord[d * n + i] - other[d]) * (coord[d * n + i] - other[d]);
	float there = sum * weight[i], here = cost[i];
	float *row = &work[i * columns];
	if (there < here) {
		moves[i] = 1;
		row[columns - 1] = there - here;
	} else {
		row[number[assign[i]]] += here - there;
	}
}

/* The same where every thread reads the candidate's coordinates where they lie, as in Rodinia 3.1: a line for each dimension, all of
 * them in one set. A text of its own, so that the other kernel compiles to what it was. */
extern "C" __global__ void
streamcluster_gain_unshared(int n, int dims, int candidate, const float *weight, const float *cost,
                            const int *assign, int columns, const float *coord, float *work, const int *number,
                            unsigned char *moves)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = 0;
	for (int d = 0; d < dims; d++) {
		float apart = coord[d * n + i] - coord[d * n + candidate];
		sum += apart * apart;
	}
	float there = sum * weight[i], here = cost[i];
	float *row = &work[i * columns];
	if (there < here) {
		moves[i] = 1;
		row[columns - 1] = there - here;
	} else {
		row[number[assign[i]]] += here - there;
	}
}
#endif

struct points {
	uint32_t n, dims;
	float *coord, *weight, *cost;
	int *assign, *number;
};

static float distance(const struct points *p, size_t x, size_t y)
{
	float sum = 0;
	for (size_t d = 0; d < p->dims; d++) {
		float diff = p->coord[d * p->n + x] - p->coord[d * p->n + y];
		sum = (float)((double)diff * (double)diff + (double)sum);
	}
	return sum;
}

static void make(struct app *a, struct points *p)
{
	p->coord = input_floats(a, (size_t)p->n * p->dims, 0, 1);
	p->weight = input_floats(a, p->n, 0.5f, 1.5f);
	p->cost = (float *)app_host(a, p->n, sizeof *p->cost);
	p->assign = (int *)app_host(a, p->n, sizeof *p->assign);
	p->number = (int *)app_host(a, p->n, sizeof *p->number);
	for (int c = 0; c < CENTRES; c++)
		p->number[c * 17] = c;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t centre = app_below(a, CENTRES) * 17;
		p->assign[i] = (int)centre;
		p->cost[i] = distance(p, i, centre) * p->weight[i];
	}
}

static void reference(const struct points *p, uint32_t candidate, float *work, uint32_t *moves)
{
	for (uint32_t i = 0; i < p->n; i++) {
		float there = distance(p, i, candidate) * p->weight[i], here = p->cost[i];
		float *row = &work[(size_t)i * (CENTRES + 1)];
		moves[i] = there < here;
		if (there < here)
			row[CENTRES] = there - here;
		else
			row[p->number[p->assign[i]]] = here - there;
	}
}

APP(streamcluster)
{
	struct points p;
	p.n = app_pick(a, 8192, 16384, 147456, 65536);
	p.dims = app_pick(a, 64, 64, 64, 256);
	uint32_t columns = CENTRES + 1;
	size_t words = sizeof(float) * p.n, cells = (size_t)p.n * columns;
	make(a, &p);
	float *want = (float *)app_host(a, cells, sizeof *want), *got = (float *)app_host(a, cells, sizeof *got);
	uint32_t *moved = (uint32_t *)app_host(a, p.n, sizeof *moved), *goes = (uint32_t *)app_host(a, p.n, 4);
	unsigned char *switched = (unsigned char *)app_host(a, p.n, 1);
	const void *coord = app_upload(a, "coordinates", p.coord, words * p.dims);
	const void *weight = app_upload(a, "weights", p.weight, words);
	void *cost = app_device(a, "costs", words), *assign = app_device(a, "assigned", words);
	void *number = app_device(a, "numbers", words), *moves = app_device(a, "switches", p.n);
	void *work = app_device(a, "work", sizeof *want * cells);
	for (uint32_t round = 0; round < app_pick(a, 3, 3, 3, 4); round++) {
		uint32_t candidate = app_below(a, p.n);
		memset(want, 0, sizeof *want * cells);
		memset(switched, 0, p.n);
		app_to_device(a, cost, p.cost, words);
		app_to_device(a, assign, p.assign, words);
		app_to_device(a, number, p.number, words);
		app_to_device(a, moves, switched, p.n);
		app_to_device(a, work, want, sizeof *want * cells);
		struct app_dims grid = app_1d(app_ceil(p.n, BLOCK)), block = app_1d(BLOCK);
		if (a->size == APP_PAPER)
			APP_LAUNCH(a, streamcluster_gain_unshared, grid, block, 0, &p.n, &p.dims, &candidate, &weight,
			           &cost, &assign, &columns, &coord, &work, &number, &moves);
		else
			APP_LAUNCH(a, streamcluster_gain, grid, block, (uint32_t)sizeof(float) * p.dims, &p.n, &p.dims,
			           &candidate, &weight, &cost, &assign, &columns, &coord, &work, &number, &moves);
		reference(&p, candidate, want, moved);
		app_to_host(a, got, work, sizeof *got * cells);
		app_check_floats(a, "work", got, want, cells, 1e-5f);
		app_to_host(a, switched, moves, p.n);
		for (uint32_t i = 0; i < p.n; i++)
			goes[i] = switched[i];
		app_check_words(a, "switch", goes, moved, p.n);
	}
}

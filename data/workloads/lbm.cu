/* lbm - lattice-Boltzmann flow in three dimensions (D3Q19) as Parboil's: an array per direction, streaming and
 * collision in one kernel, obstacles bounce back, the z axis is periodic. */
#include "inputs.h"

enum { Q = 19 };

/* Components of the directions, whose opposites follow them: of 2i - 1 it is 2i. */
#ifdef __CUDACC__
#define TABLE static constexpr
#else
#define TABLE static const
#endif
#define DIRECTIONS \
	{ \
		{0, 0, 0}, {0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 0}, \
			{-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {0, 1, 1}, {0, -1, -1}, {0, 1, -1}, \
			{0, -1, 1}, {1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1} \
	}
TABLE int direction[Q][3] = DIRECTIONS;

#define OPPOSITE(q) ((q) == 0 ? 0 : (q) % 2 ? (q) + 1 : (q)-1)
#define WEIGHT(q) ((q) == 0 ? 1.0f / 3 : (q) < 7 ? 1.0f / 18 : 1.0f / 36)
#define OMEGA 1.85f

#ifdef __CUDACC__
/* A CTA is a row of nx cells, the grid (ny, nz); `array` floats lie between two directions. */
extern "C" __global__ void
lbm_stream_collide(const float *in, float *out, const int *flags, int nx, int ny, int array)
{
	constexpr int to[Q][3] = DIRECTIONS;
	int at = threadIdx.x + nx * (blockIdx.x + ny * (blockIdx.y + 1));
	float f[Q];
#pragma unroll
	for (int q = 0; q < Q; q++)
		f[q] = in[q * array + at];
	if (flags[at]) {
#pragma unroll
		for (int q = 0; q < Q; q++) {
			int o = OPPOSITE(q);
			out[o * array + at + to[o][0] + nx * (to[o][1] + ny * to[o][2])] = f[q];
		}
		return;
	}
	float rho = 0, u[3] = {0, 0, 0};
#pragma unroll
	for (int q = 0; q < Q; q++) {
		rho += f[q];
		for (int x = 0; x < 3; x++)
			if (to[q][x])
				u[x] += to[q][x] > 0 ? f[q] : -f[q];
	}
	for (int x = 0; x < 3; x++)
		u[x] /= rho;
	float base = 1.0f - 1.5f * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
#pragma unroll
	for (int q = 0; q < Q; q++) {
		float eu = 0;
		for (int x = 0; x < 3; x++)
			if (to[q][x])
				eu += to[q][x] > 0 ? u[x] : -u[x];
		float next = (1.0f - OMEGA) * f[q] + OMEGA * WEIGHT(q) * rho * (base + eu * (3.0f + 4.5f * eu));
		out[q * array + at + to[q][0] + nx * (to[q][1] + ny * to[q][2])] = next;
	}
}
#endif

struct lattice {
	uint32_t nx, ny, nz, layer, cells; /* the array has a layer more at either end */
	uint32_t array;
};

static int64_t offset(const struct lattice *l, int q)
{
	return direction[q][0] + (int64_t)l->nx * (direction[q][1] + (int64_t)l->ny * direction[q][2]);
}

static void reference_cell(const struct lattice *l, const float *in, float *out, int solid, size_t c)
{
	double rho = 0, u[3] = {0}, usqr = 0;
	for (int q = 0; q < Q; q++) {
		double f = (double)in[(size_t)q * l->array + c];
		rho += f;
		for (int x = 0; x < 3; x++)
			u[x] += direction[q][x] * f;
	}
	for (int x = 0; x < 3; x++) {
		u[x] /= rho;
		usqr += u[x] * u[x];
	}
	for (int q = 0; q < Q; q++) {
		int to = solid ? OPPOSITE(q) : q;
		double f = (double)in[(size_t)q * l->array + c], eu = 0;
		for (int x = 0; x < 3; x++)
			eu += direction[q][x] * u[x];
		double next = (1 - (double)OMEGA) * f + (double)OMEGA * (double)WEIGHT(q) * rho *
		                                                (1 + 3 * eu + 4.5 * eu * eu - 1.5 * usqr);
		out[(size_t)to * l->array + (size_t)((int64_t)c + offset(l, to))] = solid ? (float)f : (float)next;
	}
}

/* Copies what streamed over the periodic ends back in. */
static void wrap(const struct lattice *l, float *f)
{
	for (int q = 0; q < Q; q++) {
		float *p = f + (size_t)q * l->array;
		if (direction[q][2] > 0)
			memcpy(p + l->layer, p + l->layer + l->cells, sizeof *p * l->layer);
		if (direction[q][2] < 0)
			memcpy(p + l->cells, p, sizeof *p * l->layer);
	}
}

/* Walls all round in x and y (so that rows do not wrap), and scattered obstacles. */
static int *make_obstacles(struct app *a, const struct lattice *l)
{
	int *solid = (int *)app_host(a, l->array, sizeof *solid);
	for (uint32_t c = 0; c < l->cells; c++) {
		uint32_t x = c % l->nx, y = c / l->nx % l->ny;
		int wall = x == 0 || y == 0 || x == l->nx - 1 || y == l->ny - 1;
		solid[l->layer + c] = wall || app_below(a, 20) == 0;
	}
	return solid;
}

APP(lbm)
{
	struct lattice l;
	l.nx = app_pick(a, 128, 64, 128, 120), l.ny = app_pick(a, 64, 32, 64, 120);
	l.nz = app_pick(a, 3, 16, 24, 150);
	l.layer = l.nx * l.ny;
	l.cells = l.layer * l.nz;
	l.array = l.cells + 2 * l.layer + 32;
	uint32_t steps = 2;
	size_t floats = (size_t)l.array * Q, bytes = floats * sizeof(float);
	const int *solid = make_obstacles(a, &l);
	float *want[2], *got = (float *)app_host(a, floats, sizeof *got);
	for (int i = 0; i < 2; i++)
		want[i] = (float *)app_host(a, floats, sizeof **want);
	for (int q = 0; q < Q; q++)
		for (uint32_t c = 0; c < l.array; c++)
			want[0][(size_t)q * l.array + c] = WEIGHT(q) * (1 + 0.1f * app_unit(a));
	memcpy(want[1], want[0], bytes);
	const void *flags = app_upload(a, "flags", solid, sizeof *solid * l.array);
	void *f[2];
	f[0] = app_upload(a, "cells", want[0], bytes);
	f[1] = app_upload(a, "next cells", want[0], bytes);
	for (uint32_t s = 0; s < steps; s++) {
		APP_LAUNCH(a, lbm_stream_collide, app_2d(l.ny, l.nz), app_1d(l.nx), 0, &f[s & 1], &f[~s & 1],
		           &flags, &l.nx, &l.ny, &l.array);
		for (size_t c = l.layer; c < l.layer + l.cells; c++)
			reference_cell(&l, want[s & 1], want[~s & 1], solid[c], c);
		wrap(&l, want[~s & 1]);
		app_to_host(a, got, f[~s & 1], bytes);
		wrap(&l, got);
		if (s + 1 < steps)
			app_to_device(a, f[~s & 1], got, bytes);
	}
	app_check_floats(a, "distribution", got, want[steps & 1], floats, 1e-5f);
}

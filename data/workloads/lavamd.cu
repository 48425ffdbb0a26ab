/* lavamd - particle forces between neighbouring boxes with a cut-off, as Rodinia's lavaMD: a CTA per box. */
#include <math.h>

#include "inputs.h"

enum { PARTICLES = 100, BLOCK = 128, NEIGHBOURS = 27 };

#define ALPHA 0.5f

struct box {
	int n, number[NEIGHBOURS]; /* neighbours, the box itself first */
};

#ifdef __CUDACC__
/* Positions are {v, x, y, z}. */
extern "C" __global__ void
lavamd_forces(const box *boxes, const float4 *positions, const float *charges, float4 *forces)
{
	__shared__ float4 home[PARTICLES], other[PARTICLES];
	__shared__ float charge[PARTICLES];
	int t = threadIdx.x, mine = blockIdx.x * PARTICLES + t;
	const box *b = &boxes[blockIdx.x];
	float a2 = 2.0f * ALPHA * ALPHA;
	if (t < PARTICLES)
		home[t] = positions[mine];
	__syncthreads();
	for (int k = 0; k < b->n; k++) {
		int from = b->number[k] * PARTICLES + t;
		if (t < PARTICLES) {
			other[t] = positions[from];
			charge[t] = charges[from];
		}
		__syncthreads();
		if (t < PARTICLES) {
			float4 p = home[t], sum = forces[mine];
			for (int j = 0; j < PARTICLES; j++) {
				float4 q = other[j];
				float r2 = p.x + q.x - (p.y * q.y + p.z * q.z + p.w * q.w);
				float weight = charge[j] * expf(-a2 * r2), pull = 2.0f * weight;
				sum.x += weight;
				sum.y += pull * (p.y - q.y);
				sum.z += pull * (p.z - q.z);
				sum.w += pull * (p.w - q.w);
			}
			forces[mine] = sum;
		}
		__syncthreads();
	}
}
#endif

static void reference(const struct box *box, const float *r, const float *q, uint32_t boxes, float *f)
{
	double alpha2 = (double)(ALPHA * ALPHA);
	for (uint32_t i = 0; i < boxes * PARTICLES; i++) {
		double sum[4] = {0};
		const struct box *b = &box[i / PARTICLES];
		for (int n = 0; n < b->n; n++)
			for (uint32_t k = 0; k < PARTICLES; k++) {
				uint32_t j = (uint32_t)b->number[n] * PARTICLES + k;
				double dot = 0, w;
				for (int c = 1; c < 4; c++)
					dot += (double)r[4 * i + c] * (double)r[4 * j + c];
				w = (double)q[j] *
				    exp(-2.0 * alpha2 * ((double)r[4 * i] + (double)r[4 * j] - dot));
				sum[0] += w;
				for (int c = 1; c < 4; c++)
					sum[c] += 2 * w * ((double)r[4 * i + c] - (double)r[4 * j + c]);
			}
		for (int c = 0; c < 4; c++)
			f[4 * i + c] = (float)sum[c];
	}
}

static void make_box(struct box *b, int x, int y, int z, int side)
{
	b->number[b->n++] = (z * side + y) * side + x;
	for (int n = 0; n < NEIGHBOURS; n++) {
		int i = x + n % 3 - 1, j = y + n / 3 % 3 - 1, l = z + n / 9 - 1;
		if (n != 13 && i >= 0 && j >= 0 && l >= 0 && i < side && j < side && l < side)
			b->number[b->n++] = (l * side + j) * side + i;
	}
}

APP(lavamd)
{
	uint32_t side = app_pick(a, 2, 3, 4, 6), boxes = side * side * side, n = boxes * PARTICLES;
	struct box *hb = (struct box *)app_host(a, boxes, sizeof *hb);
	float *r = input_floats(a, 4 * (size_t)n, 0.1f, 1), *q = input_floats(a, n, 0.1f, 1);
	float *want = (float *)app_host(a, 4 * (size_t)n, sizeof *want);
	float *got = (float *)app_host(a, 4 * (size_t)n, sizeof *got);
	for (uint32_t i = 0; i < boxes; i++)
		make_box(&hb[i], (int)(i % side), (int)(i / side % side), (int)(i / side / side), (int)side);
	const void *box = app_upload(a, "boxes", hb, sizeof *hb * boxes);
	const void *positions = app_upload(a, "positions", r, sizeof *r * 4 * n);
	const void *charges = app_upload(a, "charges", q, sizeof *q * n);
	void *forces = app_upload(a, "forces", got, sizeof *got * 4 * n);
	APP_LAUNCH(a, lavamd_forces, app_1d(boxes), app_1d(BLOCK), 0, &box, &positions, &charges, &forces);
	reference(hb, r, q, boxes, want);
	app_to_host(a, got, forces, sizeof *got * 4 * n);
	app_check_floats(a, "force", got, want, 4 * (size_t)n, 1e-4f);
}

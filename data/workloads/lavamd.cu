/* lavamd - particle forces between neighbouring boxes with a cut-off, as Rodinia's lavaMD: a CTA per box. Size paper is in double precision,
 * as Rodinia's is. */
#include <math.h>

#include "inputs.h"

enum { PARTICLES = 100, BLOCK = 128, NEIGHBOURS = 27 };

#define ALPHA 0.5f

struct box {
	int n, number[NEIGHBOURS]; /* neighbours, the box itself first */
};

struct particle {
	double v, x, y, z;
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

/* Forces stay where they are while a box is gone through. */
extern "C" __global__ void lavamd_forces_double(const box *boxes, const particle *positions, const double *charges,
                                                particle *forces, double alpha)
{
	__shared__ particle home[PARTICLES], other[PARTICLES];
	__shared__ double charge[PARTICLES];
	int t = threadIdx.x, mine = blockIdx.x * PARTICLES + t;
	const box *b = &boxes[blockIdx.x];
	double a2 = 2.0 * alpha * alpha;
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
		if (t < PARTICLES)
			for (int j = 0; j < PARTICLES; j++) {
				double r2 = home[t].v + other[j].v -
				            (home[t].x * other[j].x + home[t].y * other[j].y + home[t].z * other[j].z);
				double weight = exp(-a2 * r2), pull = 2 * weight;
				forces[mine].v += charge[j] * weight;
				forces[mine].x += charge[j] * (pull * (home[t].x - other[j].x));
				forces[mine].y += charge[j] * (pull * (home[t].y - other[j].y));
				forces[mine].z += charge[j] * (pull * (home[t].z - other[j].z));
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

/* Positions, charges and forces in double precision; forces come back in single. */
static void run_double(struct app *a, uint32_t boxes, const void *box, const float *r, const float *q, float *got)
{
	size_t n = (size_t)boxes * PARTICLES;
	struct particle *hp = (struct particle *)app_host(a, n, sizeof *hp);
	struct particle *hf = (struct particle *)app_host(a, n, sizeof *hf);
	double *hq = (double *)app_host(a, n, sizeof *hq), alpha = (double)ALPHA;
	for (size_t i = 0; i < n; i++) {
		const float *p = r + 4 * i;
		struct particle at = {(double)p[0], (double)p[1], (double)p[2], (double)p[3]};
		hp[i] = at;
		hq[i] = (double)q[i];
	}
	const void *positions = app_upload(a, "positions", hp, sizeof *hp * n);
	const void *charges = app_upload(a, "charges", hq, sizeof *hq * n);
	void *forces = app_upload(a, "forces", hf, sizeof *hf * n);
	APP_LAUNCH(a, lavamd_forces_double, app_1d(boxes), app_1d(BLOCK), 0, &box, &positions, &charges, &forces,
	           &alpha);
	app_to_host(a, hf, forces, sizeof *hf * n);
	for (size_t i = 0; i < n; i++) {
		got[4 * i] = (float)hf[i].v;
		got[4 * i + 1] = (float)hf[i].x;
		got[4 * i + 2] = (float)hf[i].y;
		got[4 * i + 3] = (float)hf[i].z;
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
	reference(hb, r, q, boxes, want);
	if (a->size == APP_PAPER) {
		run_double(a, boxes, box, r, q, got);
	} else {
		const void *positions = app_upload(a, "positions", r, sizeof *r * 4 * n);
		const void *charges = app_upload(a, "charges", q, sizeof *q * n);
		void *forces = app_upload(a, "forces", got, sizeof *got * 4 * n);
		APP_LAUNCH(a, lavamd_forces, app_1d(boxes), app_1d(BLOCK), 0, &box, &positions, &charges,
		           &forces);
		app_to_host(a, got, forces, sizeof *got * 4 * n);
	}
	app_check_floats(a, "force", got, want, 4 * (size_t)n, 1e-4f);
}

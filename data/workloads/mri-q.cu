/* mri-q - magnetic resonance imaging as in Parboil: the Q matrix by brute force, with k-space in constant
 * memory. */
#include <math.h>

#include "inputs.h"

enum { PHI_BLOCK = 512, BLOCK = 256, CHUNK = 1024 };

struct sample {
	float kx, ky, kz, magnitude;
};

#ifdef __CUDACC__
__constant__ sample space[CHUNK];

extern "C" __global__ void mriq_phi_mag(const float *real, const float *imaginary, float *magnitude, int n)
{
	int i = blockIdx.x * PHI_BLOCK + threadIdx.x;
	if (i < n)
		magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

/* Adds a chunk of k-space. */
extern "C" __global__ void
mriq_compute_q(int n, const float *x, const float *y, const float *z, float *real, float *imaginary)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	float vx = x[i], vy = y[i], vz = z[i], qr = real[i], qi = imaginary[i];
	for (int k = 0; k < n; k++) {
		float angle = 6.2831853f * (space[k].kx * vx + space[k].ky * vy + space[k].kz * vz);
		qr += space[k].magnitude * __cosf(angle);
		qi += space[k].magnitude * __sinf(angle);
	}
	real[i] = qr;
	imaginary[i] = qi;
}
#endif

/* Of a voxel, over the sum of all magnitudes. */
static void reference(const struct sample *s, uint32_t n, const float at[3], double q[2], double *weight)
{
	q[0] = q[1] = *weight = 0;
	for (uint32_t i = 0; i < n; i++) {
		double dot = (double)s[i].kx * (double)at[0] + (double)s[i].ky * (double)at[1] +
		             (double)s[i].kz * (double)at[2];
		q[0] += (double)s[i].magnitude * cos(2 * 3.14159265358979323846 * dot);
		q[1] += (double)s[i].magnitude * sin(2 * 3.14159265358979323846 * dot);
		*weight += (double)s[i].magnitude;
	}
}

APP(mri_q)
{
	/* The paper's size: Parboil's small input. */
	uint32_t samples = app_pick(a, 1024, 512, 1024, 2048), voxels = app_pick(a, 2048, 4096, 8192, 32768);
	struct sample *s = (struct sample *)app_host(a, samples, sizeof *s);
	float *phi[2], *at[3], *got[2], *magnitude = (float *)app_host(a, samples, sizeof *magnitude);
	float *want = (float *)app_host(a, samples, sizeof *want);
	void *parts[2], *place[3], *q[2], *mag = app_device(a, "magnitude", samples * sizeof *want);
	for (int i = 0; i < 2; i++) {
		phi[i] = input_floats(a, samples, -1, 1);
		got[i] = (float *)app_host(a, voxels, sizeof *got[i]);
		parts[i] = app_upload(a, i ? "phi imaginary" : "phi real", phi[i], samples * sizeof *phi[i]);
		q[i] = app_device(a, i ? "Q imaginary" : "Q real", voxels * sizeof *got[i]);
	}
	for (int i = 0; i < 3; i++) {
		at[i] = input_floats(a, voxels, -0.5f, 0.5f);
		place[i] = app_upload(a, "coordinates", at[i], voxels * sizeof *at[i]);
	}
	APP_LAUNCH(a, mriq_phi_mag, app_1d(app_ceil(samples, PHI_BLOCK)), app_1d(PHI_BLOCK), 0, &parts[0],
	           &parts[1], &mag, &samples);
	app_to_host(a, magnitude, mag, samples * sizeof *magnitude);
	for (uint32_t i = 0; i < samples; i++) {
		want[i] = phi[0][i] * phi[0][i] + phi[1][i] * phi[1][i];
		s[i].kx = app_between(a, -8, 8), s[i].ky = app_between(a, -8, 8), s[i].kz = app_between(a, -8, 8);
		s[i].magnitude = want[i];
	}
	app_check_floats(a, "magnitude", magnitude, want, samples, 1e-6f);
	for (uint32_t from = 0; from < samples; from += CHUNK) {
		uint32_t n = samples - from < CHUNK ? samples - from : CHUNK;
		APP_TO_SYMBOL(a, space, s + from, n * sizeof *s);
		APP_LAUNCH(a, mriq_compute_q, app_1d(voxels / BLOCK), app_1d(BLOCK), 0, &n, &place[0], &place[1],
		           &place[2], &q[0], &q[1]);
	}
	for (int i = 0; i < 2; i++)
		app_to_host(a, got[i], q[i], voxels * sizeof *got[i]);
	/* A few voxels spread over the volume. */
	for (uint32_t v = 0; v < voxels; v += voxels / 64) {
		double exact[2], weight;
		float here[3] = {at[0][v], at[1][v], at[2][v]};
		reference(s, samples, here, exact, &weight);
		for (int i = 0; i < 2; i++) {
			float x = got[i][v] / (float)weight, y = (float)(exact[i] / weight);
			app_check_floats(a, "Q", &x, &y, 1, 1e-4f);
		}
	}
}

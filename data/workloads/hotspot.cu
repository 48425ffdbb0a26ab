/* hotspot - the temperature of a chip by explicit time steps, as Rodinia's: a CTA keeps a tile with a border
 * in shared memory and makes two steps before it writes the inner part back. Size paper computes as Rodinia does: steps in double
 * precision, since one of their factors is written so, and the divisions of the constants in every thread. */
#include "inputs.h"

enum { TILE = 16, STEPS = 2, INNER = TILE - 2 * STEPS };

/* The steps' constants after the original's for a square die of 16 mm; only their size matters. */
static const float cap = 0.04f, rx = 2.0f, ry = 1.6f, rz = 12.0f, ambient = 80.0f;

#ifdef __CUDACC__
#define WITHIN(x, low, high) ((x) >= (low) && (x) <= (high))

/* `two` has the type that steps are computed in. */
template <class T>
static __device__ __forceinline__ void make_steps(int steps, const float *power, const float *in, float *out, int n,
                                                  float step_cap, float one_rx, float one_ry, float one_rz, T two)
{
	__shared__ float now[TILE][TILE], heat[TILE][TILE], next[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y, last = n - 1;
	int row0 = (int)blockIdx.y * INNER - STEPS, col0 = (int)blockIdx.x * INNER - STEPS;
	int row = row0 + ty, col = col0 + tx, index = n * row + col;
	bool on_chip = WITHIN(row, 0, last) && WITHIN(col, 0, last);
	if (on_chip) {
		now[ty][tx] = in[index];
		heat[ty][tx] = power[index];
	}
	__syncthreads();
	/* The valid part of the tile; behind the chip's edge lies what is at its edge. */
	int top = max(-row0, 0), left = max(-col0, 0);
	int bottom = min(last - row0, TILE - 1), right = min(last - col0, TILE - 1);
	int north = max(ty - 1, top), south = min(ty + 1, bottom);
	int west = max(tx - 1, left), east = min(tx + 1, right);
	bool computes = false;
	for (int s = 0; s < steps; s++) {
		computes = WITHIN(tx, s + 1, TILE - s - 2) && WITHIN(ty, s + 1, TILE - s - 2) && on_chip;
		if (computes) {
			float t = now[ty][tx];
			next[ty][tx] = t + step_cap * (heat[ty][tx] +
			                               (now[south][tx] + now[north][tx] - two * t) * one_ry +
			                               (now[ty][east] + now[ty][west] - two * t) * one_rx +
			                               (ambient - t) * one_rz);
		}
		__syncthreads();
		if (s == steps - 1)
			break;
		if (computes)
			now[ty][tx] = next[ty][tx];
		__syncthreads();
	}
	if (computes)
		out[index] = next[ty][tx];
}

extern "C" __global__ void hotspot_steps(int steps, const float *power, const float *in, float *out, int n,
                                         float step_cap, float one_rx, float one_ry, float one_rz)
{
	make_steps(steps, power, in, out, n, step_cap, one_rx, one_ry, one_rz, 2.0f);
}

extern "C" __global__ void hotspot_steps_double(int steps, const float *power, const float *in, float *out, int n,
                                                float step, float capacity, float r_x, float r_y, float r_z)
{
	make_steps(steps, power, in, out, n, step / capacity, 1 / r_x, 1 / r_y, 1 / r_z, 2.0);
}
#endif

static void reference_step(const float *in, const float *power, float *out, uint32_t n)
{
	for (uint32_t r = 0; r < n; r++)
		for (uint32_t c = 0; c < n; c++) {
			size_t i = (size_t)r * n + c;
			float t = in[i];
			float tn = in[r ? i - n : i], ts = in[r + 1 < n ? i + n : i];
			float tw = in[c ? i - 1 : i], te = in[c + 1 < n ? i + 1 : i];
			out[i] = t + cap * (power[i] + (ts + tn - 2 * t) / ry + (te + tw - 2 * t) / rx +
			                    (ambient - t) / rz);
		}
}

APP(hotspot)
{
	uint32_t n = app_pick(a, 512, 256, 512, 1024), steps = STEPS;
	size_t cells = (size_t)n * n;
	const float *hp = input_floats(a, cells, 0, 2), *ht = input_floats(a, cells, 320, 340);
	float *want[2], *got = (float *)app_host(a, cells, sizeof *got), step_cap = cap;
	float one_rx = 1 / rx, one_ry = 1 / ry, one_rz = 1 / rz;
	const void *power = app_upload(a, "power", hp, sizeof *hp * cells);
	void *t[2];
	t[0] = app_upload(a, "temperature", ht, sizeof *ht * cells);
	t[1] = app_device(a, "next temperature", sizeof *ht * cells);
	for (int i = 0; i < 2; i++)
		want[i] = (float *)app_host(a, cells, sizeof *want[i]);
	memcpy(want[0], ht, sizeof *ht * cells);
	uint32_t ctas = app_ceil(n, INNER), launches = app_pick(a, 2, 2, 2, 10);
	/* The small size computes the upper rows of the large chip; the last ones lack what lies below after a launch. */
	uint32_t rows = app_pick(a, 11, ctas, ctas, ctas);
	size_t right = rows < ctas ? (size_t)(rows * INNER - STEPS * (launches - 1)) * n : cells;
	float step = 1, capacity = 1 / cap, r_x = rx, r_y = ry, r_z = rz;
	for (uint32_t l = 0; l < launches; l++) {
		if (a->size == APP_PAPER)
			APP_LAUNCH(a, hotspot_steps_double, app_2d(ctas, rows), app_2d(TILE, TILE), 0, &steps,
			           &power, &t[l & 1], &t[~l & 1], &n, &step, &capacity, &r_x, &r_y, &r_z);
		else
			APP_LAUNCH(a, hotspot_steps, app_2d(ctas, rows), app_2d(TILE, TILE), 0, &steps, &power,
			           &t[l & 1], &t[~l & 1], &n, &step_cap, &one_rx, &one_ry, &one_rz);
		for (int s = 0; s < STEPS; s++)
			reference_step(want[s & 1], hp, want[~s & 1], n);
	}
	app_to_host(a, got, t[launches & 1], sizeof *got * cells);
	app_check_floats(a, "temperature", got, want[0], right, 1e-5f);
}

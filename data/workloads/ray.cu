/* ray - ray tracing of spheres over a chequered floor with shadows and mirrors, as the ISPASS suite's RAY: a thread per
 * pixel, rays part as they bounce. Which sphere is hit hangs on rounding: the reference is the same code, compiled for
 * the host; no product is added but by fmaf(), so that no compiler has anything to contract. */
#include <math.h>

#include "inputs.h"

#ifdef __CUDACC__
#define BOTH static __host__ __device__
#else
#define BOTH static
#endif

enum { BLOCK_X = 16, BLOCK_Y = 8, BOUNCES = 4 };

#define FAR_AWAY 1e9f
#define NEAR_BY 1e-3f

struct sphere {
	float centre[3], radius, bright, mirror, spare[2];
};

BOTH float dot3(const float a[3], const float b[3])
{
	return fmaf(a[2], b[2], fmaf(a[1], b[1], a[0] * b[0]));
}

/* The nearest sphere along o + t d (d of length 1), -1 for none. */
BOTH int nearest(const struct sphere *s, int n, const float o[3], const float d[3], float *t_best)
{
	int best = -1;
	*t_best = FAR_AWAY;
	for (int i = 0; i < n; i++) {
		float oc[3] = {s[i].centre[0] - o[0], s[i].centre[1] - o[1], s[i].centre[2] - o[2]};
		float b = dot3(oc, d), gap = fmaf(-s[i].radius, s[i].radius, dot3(oc, oc));
		float disc = fmaf(b, b, -gap);
		if (disc > 0) {
			float t = b - sqrtf(disc);
			if (t > NEAR_BY && t < *t_best) {
				*t_best = t;
				best = i;
			}
		}
	}
	return best;
}

/* One surface met: its normal, brightness, mirror. */
struct surface_point {
	float n[3], bright, mirror;
};

BOTH struct surface_point surface_at(const float p[3], int sphere, const struct sphere *s)
{
	struct surface_point f = {{0, 1, 0}, 0, 0};
	if (sphere < 0) { /* the floor */
		int cell = (int)(p[0] + 100) + (int)(p[2] + 100);
		f.bright = cell & 1 ? 0.8f : 0.2f;
		return f;
	}
	for (int x = 0; x < 3; x++)
		f.n[x] = (p[x] - s[sphere].centre[x]) / s[sphere].radius;
	f.bright = s[sphere].bright;
	f.mirror = s[sphere].mirror;
	return f;
}

/* What the surface sends on of the light; a shadow ray where it faces the light. */
BOTH float lit_at(const struct sphere *s, int n, const float p[3], const struct surface_point *f)
{
	const float light[3] = {0.57735f, 0.57735f, -0.57735f};
	float facing = dot3(f->n, light), shade;
	if (facing > 0 && nearest(s, n, p, light, &shade) < 0)
		return 0.1f + facing;
	return 0.1f;
}

BOTH float trace(const struct sphere *s, int n, float x, float y, float scale)
{
	float d[3] = {fmaf(x, scale, -1), -fmaf(y, scale, -1), 1.5f}, o[3] = {0, 0.5f, -4}, p[3];
	float colour = 0, share = 1, t, inverse = 1.0f / sqrtf(dot3(d, d));
	for (int i = 0; i < 3; i++)
		d[i] *= inverse;
	for (int bounce = 0; bounce < BOUNCES; bounce++) {
		int sphere = nearest(s, n, o, d, &t);
		float ground = d[1] < -NEAR_BY ? (-1 - o[1]) / d[1] : FAR_AWAY;
		if (ground < t) {
			sphere = -1;
			t = ground;
		}
		if (t >= FAR_AWAY)
			return fmaf(fmaf(d[1], 0.5f, 0.5f), share * 0.3f, colour);
		for (int i = 0; i < 3; i++)
			p[i] = fmaf(t, d[i], o[i]);
		struct surface_point f = surface_at(p, sphere, s);
		colour = fmaf(share * f.bright, lit_at(s, n, p, &f) * (1 - f.mirror), colour);
		share *= f.mirror;
		if (share < 0.05f)
			return colour;
		float twice = dot3(d, f.n) * -2;
		for (int i = 0; i < 3; i++) {
			d[i] = fmaf(twice, f.n[i], d[i]);
			o[i] = p[i];
		}
	}
	return colour;
}

#ifdef __CUDACC__
extern "C" __global__ void
ray_trace(float *image, const sphere *spheres, int n, int width, int height, float scale)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		image[y * width + x] = trace(spheres, n, (float)x, (float)y, scale);
}
#endif

APP(ray)
{
	uint32_t width = app_pick(a, 224, 256, 512, 160), height = app_pick(a, 168, 192, 416, 120);
	/* The paper's size: more spheres than an L1 of 16 KiB holds. */
	uint32_t n = app_pick(a, 24, 20, 24, 1024);
	struct sphere *s = (struct sphere *)app_host(a, n, sizeof *s);
	float *want = (float *)app_host(a, width, sizeof *want), scale = 2.0f / (float)height;
	float *got = (float *)app_host(a, (size_t)width * height, sizeof *got);
	float size = n > 100 ? 0.1f : 1;
	for (uint32_t i = 0; i < n; i++) {
		s[i].centre[0] = app_between(a, -3, 3);
		s[i].centre[2] = app_between(a, -1, 5);
		s[i].radius = size * app_between(a, 0.2f, 0.8f);
		s[i].centre[1] = s[i].radius - 1 + app_unit(a);
		s[i].bright = app_between(a, 0.4f, 1);
		s[i].mirror = i % 3 ? app_between(a, 0.2f, 0.8f) : 0;
	}
	const void *spheres = app_upload(a, "spheres", s, sizeof *s * n);
	void *image = app_device(a, "image", sizeof *got * width * height);
	APP_LAUNCH(a, ray_trace, app_2d(app_ceil(width, BLOCK_X), app_ceil(height, BLOCK_Y)), app_2d(BLOCK_X, BLOCK_Y),
	           0, &image, &spheres, &n, &width, &height, &scale);
	app_to_host(a, got, image, sizeof *got * width * height);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++)
			want[x] = trace(s, (int)n, (float)x, (float)y, scale);
		app_check_floats(a, "pixel", got + (size_t)y * width, want, width, 1e-5f);
	}
}

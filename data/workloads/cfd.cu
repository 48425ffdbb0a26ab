/* cfd - finite-volume solution of the three-dimensional Euler equations on an unstructured mesh, as Rodinia's
 * euler3d: every element exchanges fluxes with four neighbours. */
#include <math.h>

#include "inputs.h"

enum { BLOCK = 192, VARS = 5, FACES = 4, WALL = -1, FAR = -2 };

#define GAS 1.4f
#define SMOOTHING 0.2f

#ifdef __CUDACC__
/* Variables of the far field, and its fluxes: three momentum rows and the energy's. */
__constant__ float far_variable[VARS], far_flux[4][3];

struct state {
	float density, m[3], energy, v[3], speed2, pressure, sound;
};

/* Fields lie by component, the components n apart. */
static __device__ state load_state(const float *variables, int i, int n)
{
	state s;
	s.density = variables[i];
	for (int x = 0; x < 3; x++)
		s.m[x] = variables[i + (1 + x) * n];
	s.energy = variables[i + 4 * n];
	for (int x = 0; x < 3; x++)
		s.v[x] = s.m[x] / s.density;
	s.speed2 = s.v[0] * s.v[0] + s.v[1] * s.v[1] + s.v[2] * s.v[2];
	s.pressure = (GAS - 1.0f) * (s.energy - 0.5f * s.density * s.speed2);
	s.sound = sqrtf(GAS * s.pressure / s.density);
	return s;
}

/* Flux of momentum row r, or (r = 3) of the energy, along axis x. */
static __device__ float flux_of(const state &s, int r, int x)
{
	if (r == 3)
		return s.v[x] * (s.energy + s.pressure);
	return s.v[x] * s.m[r] + (r == x ? s.pressure : 0.0f);
}

extern "C" __global__ void cfd_step_factor(int n, const float *variables, const float *areas, float *steps)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	if (i >= n)
		return;
	state s = load_state(variables, i, n);
	steps[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(s.speed2) + s.sound));
}

extern "C" __global__ void
cfd_flux(int n, const int *neighbours, const float *normals, const float *variables, float *fluxes)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	if (i >= n)
		return;
	state s = load_state(variables, i, n);
	float sum[VARS] = {0, 0, 0, 0, 0};
#pragma unroll
	for (int face = 0; face < FACES; face++) {
		int next = neighbours[i + face * n];
		float normal[3];
		for (int x = 0; x < 3; x++)
			normal[x] = normals[i + (face + x * FACES) * n];
		float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
		if (next >= 0) {
			state t = load_state(variables, next, n);
			float factor = -length * SMOOTHING * 0.5f *
			               (sqrtf(s.speed2) + sqrtf(t.speed2) + s.sound + t.sound);
			sum[0] += factor * (s.density - t.density);
			for (int x = 0; x < 3; x++)
				sum[1 + x] += factor * (s.m[x] - t.m[x]);
			sum[4] += factor * (s.energy - t.energy);
			for (int x = 0; x < 3; x++) {
				float half = 0.5f * normal[x];
				sum[0] += half * (s.m[x] + t.m[x]);
				for (int r = 0; r < 4; r++)
					sum[1 + r] += half * (flux_of(s, r, x) + flux_of(t, r, x));
			}
		} else if (next == WALL) {
			for (int x = 0; x < 3; x++)
				sum[1 + x] += normal[x] * s.pressure;
		} else if (next == FAR) {
			for (int x = 0; x < 3; x++) {
				float half = 0.5f * normal[x];
				sum[0] += half * (far_variable[1 + x] + s.m[x]);
				for (int r = 0; r < 4; r++)
					sum[1 + r] += half * (far_flux[r][x] + flux_of(s, r, x));
			}
		}
	}
	for (int v = 0; v < VARS; v++)
		fluxes[i + v * n] = sum[v];
}

extern "C" __global__ void cfd_time_step(int stage, int n, const float *old, float *variables,
                                         const float *steps, const float *fluxes)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	if (i >= n)
		return;
	float factor = steps[i] / (float)(3 - stage);
	for (int v = 0; v < VARS; v++)
		variables[i + v * n] = old[i + v * n] + factor * fluxes[i + v * n];
}
#endif

/* ---- the same in plain C, in double ---- */

struct flow {
	double d, m[3], e, v[3], speed2, p, c;
};

static struct flow flow_of(const double u[VARS])
{
	struct flow f;
	memset(&f, 0, sizeof f);
	f.d = u[0];
	f.e = u[4];
	for (int x = 0; x < 3; x++) {
		f.m[x] = u[1 + x];
		f.v[x] = f.m[x] / f.d;
		f.speed2 += f.v[x] * f.v[x];
	}
	f.p = ((double)GAS - 1) * (f.e - 0.5 * f.d * f.speed2);
	f.c = sqrt((double)GAS * f.p / f.d);
	return f;
}

static double flow_flux(const struct flow *f, int r, int x)
{
	return r == 3 ? f->v[x] * (f->e + f->p) : f->v[x] * f->m[r] + (r == x ? f->p : 0);
}

struct mesh {
	uint32_t n;
	int *next;
	float *normal, *area, *vars;
	double far[VARS];
};

static struct flow flow_at(const double *vars, uint32_t n, uint32_t i)
{
	double u[VARS];
	for (uint32_t v = 0; v < VARS; v++)
		u[v] = vars[v * n + i];
	return flow_of(u);
}

static void face_sum(const struct flow *s, const struct flow *t, const double normal[3], int inner,
                     double sum[VARS])
{
	double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
	double factor = -length * (double)SMOOTHING * 0.5 *
	                (sqrt(s->speed2) + sqrt(t->speed2) + s->c + t->c);
	if (!inner)
		factor = 0;
	sum[0] += factor * (s->d - t->d);
	for (int x = 0; x < 3; x++)
		sum[1 + x] += factor * (s->m[x] - t->m[x]);
	sum[4] += factor * (s->e - t->e);
	for (int x = 0; x < 3; x++) {
		sum[0] += 0.5 * normal[x] * (s->m[x] + t->m[x]);
		for (int r = 0; r < 4; r++)
			sum[1 + r] += 0.5 * normal[x] * (flow_flux(s, r, x) + flow_flux(t, r, x));
	}
}

static void reference_stage(const struct mesh *m, const double *old, const double *step,
                            const double *vars, double *out, double part)
{
	struct flow far = flow_of(m->far);
	for (uint32_t i = 0; i < m->n; i++) {
		struct flow s = flow_at(vars, m->n, i);
		double sum[VARS] = {0};
		for (uint32_t f = 0; f < FACES; f++) {
			int next = m->next[f * m->n + i];
			double normal[3];
			for (uint32_t x = 0; x < 3; x++)
				normal[x] = (double)m->normal[(f + x * FACES) * m->n + i];
			if (next >= 0) {
				struct flow t = flow_at(vars, m->n, (uint32_t)next);
				face_sum(&s, &t, normal, 1, sum);
			} else if (next == WALL) {
				for (int x = 0; x < 3; x++)
					sum[1 + x] += normal[x] * s.p;
			} else {
				face_sum(&s, &far, normal, 0, sum);
			}
		}
		for (uint32_t v = 0; v < VARS; v++)
			out[v * m->n + i] = old[v * m->n + i] + part * step[i] * sum[v];
	}
}

static void reference(struct app *a, const struct mesh *m, uint32_t steps, float *want)
{
	size_t cells = (size_t)m->n * VARS, bytes = cells * sizeof(double);
	double *now = (double *)app_host(a, cells, sizeof *now), *old = (double *)app_host(a, cells, sizeof *old);
	double *next = (double *)app_host(a, cells, sizeof *next);
	double *step = (double *)app_host(a, m->n, sizeof *step);
	for (size_t i = 0; i < cells; i++)
		now[i] = (double)m->vars[i];
	for (uint32_t t = 0; t < steps; t++) {
		memcpy(old, now, bytes);
		for (uint32_t i = 0; i < m->n; i++) {
			struct flow s = flow_at(now, m->n, i);
			step[i] = 0.5 / (sqrt((double)m->area[i]) * (sqrt(s.speed2) + s.c));
		}
		for (int stage = 0; stage < 3; stage++) {
			reference_stage(m, old, step, now, next, 1.0 / (3 - stage));
			memcpy(now, next, bytes);
		}
	}
	for (size_t i = 0; i < cells; i++)
		want[i] = (float)now[i];
}

/* Elements along a space-filling order: neighbours mostly near by, some far away. */
static void make_mesh(struct app *a, struct mesh *m, uint32_t n)
{
	/* The far field: Mach 1.2 at a small angle, density and pressure 1.4 and 1. */
	double u[VARS] = {1.4, 1.4 * 1.2 * 0.9994, 1.4 * 1.2 * 0.0349, 0, 0};
	u[4] = 1.0 / 0.4 + 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0];
	m->n = n;
	m->next = (int *)app_host(a, (size_t)n * FACES, sizeof *m->next);
	m->normal = (float *)app_host(a, (size_t)n * FACES * 3, sizeof *m->normal);
	m->area = (float *)app_host(a, n, sizeof *m->area);
	m->vars = (float *)app_host(a, (size_t)n * VARS, sizeof *m->vars);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t f = 0; f < FACES; f++) {
			uint32_t reach = f < 2 ? 1 + app_below(a, 3) : 8 + app_below(a, n / 16);
			int64_t j = f & 1 ? (int64_t)i + reach : (int64_t)i - reach;
			m->next[f * n + i] = j < 0 ? WALL : j >= n ? FAR : (int)j;
			for (uint32_t x = 0; x < 3; x++)
				m->normal[(f + x * FACES) * n + i] = app_between(a, -0.1f, 0.1f);
		}
		m->area[i] = app_between(a, 0.5f, 2);
	}
	for (uint32_t v = 0; v < VARS; v++) {
		m->far[v] = (double)(float)u[v];
		for (uint32_t i = 0; i < n; i++)
			m->vars[v * n + i] = (float)u[v] * app_between(a, 0.98f, 1.02f);
	}
}

static void upload_far_field(struct app *a, const struct mesh *m)
{
	struct flow far = flow_of(m->far);
	float variable[VARS], flux[4][3];
	for (int v = 0; v < VARS; v++)
		variable[v] = (float)m->far[v];
	for (int r = 0; r < 4; r++)
		for (int x = 0; x < 3; x++)
			flux[r][x] = (float)flow_flux(&far, r, x);
	APP_TO_SYMBOL(a, far_variable, variable, sizeof variable);
	APP_TO_SYMBOL(a, far_flux, flux, sizeof flux);
}

APP(cfd)
{
	struct mesh m;
	/* The paper's size: Rodinia's fvcorr.domn.097K. */
	make_mesh(a, &m, app_elements(a, 6144, 24576, 60000, 97046));
	uint32_t steps = app_pick(a, 1, 1, 2, 4);
	size_t words = sizeof(float) * m.n, cells = (size_t)m.n * VARS;
	float *want = (float *)app_host(a, cells, sizeof *want), *got = (float *)app_host(a, cells, sizeof *got);
	upload_far_field(a, &m);
	const void *area = app_upload(a, "areas", m.area, words);
	const void *next = app_upload(a, "neighbours", m.next, words * FACES);
	const void *normal = app_upload(a, "normals", m.normal, words * FACES * 3);
	void *vars = app_upload(a, "variables", m.vars, words * VARS);
	void *old = app_device(a, "old variables", words * VARS);
	void *flux = app_device(a, "fluxes", words * VARS), *step = app_device(a, "step factors", words);
	struct app_dims grid = app_1d(app_ceil(m.n, BLOCK)), block = app_1d(BLOCK);
	for (uint32_t t = 0; t < steps; t++) {
		app_on_device(a, old, vars, words * VARS);
		APP_LAUNCH(a, cfd_step_factor, grid, block, 0, &m.n, &vars, &area, &step);
		for (uint32_t stage = 0; stage < 3; stage++) {
			APP_LAUNCH(a, cfd_flux, grid, block, 0, &m.n, &next, &normal, &vars, &flux);
			APP_LAUNCH(a, cfd_time_step, grid, block, 0, &stage, &m.n, &old, &vars, &step, &flux);
		}
	}
	reference(a, &m, steps, want);
	app_to_host(a, got, vars, words * VARS);
	app_check_floats(a, "variables", got, want, cells, 1e-4f);
}

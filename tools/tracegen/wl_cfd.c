/* Finite-volume solution of the three-dimensional Euler equations on an unstructured mesh,
 * as in Rodinia's cfd (euler3d): every element exchanges fluxes with four neighbours. */
#include <math.h>
#include <string.h>

#include "tracegen/data.h"

enum { BLOCK = 192, VARS = 5, FACES = 4, DENSITY = 0, MOMENTUM = 1, ENERGY = 4, WALL = -1, FAR = -2 };

static const float gas = 1.4f, smoothing = 0.2f;

/* Arguments common to the kernels: variables, neighbours, normals, areas, step, fluxes, old,
 * elements, RK divisor, far field (constant memory: 5 variables, then 3 momentum rows and
 * the energy row of the far flux). */
enum { A_VARS, A_NEXT, A_NORMAL, A_AREA, A_STEP, A_FLUX, A_OLD, A_N, A_RK, A_FAR, A_COUNT };

/* Element i of array `a` of a field stored by component, the components n apart. */
static val at(struct kb *k, unsigned arg, val i, unsigned component)
{
	val n = k_arg_int(k, A_N);
	if (component == 0)
		return k_elem(k, k_arg_ptr(k, arg), i, 4);
	val where = k_mad(k, n, k_var(k, k_int(k, (int32_t)component)), i);
	return k_elem(k, k_arg_ptr(k, arg), where, 4);
}

static val load(struct kb *k, unsigned arg, val i, unsigned component)
{
	return k_ldg(k, M_32, T_F32, at(k, arg, i, component), 0);
}

struct state {
	val density, m[3], energy, v[3], speed2, pressure, sound;
};

/* Velocity, pressure and speed of sound of the conserved variables in s. */
static void derive(struct kb *k, struct state *s)
{
	val inv = k_rcp(k, s->density);
	for (int a = 0; a < 3; a++)
		s->v[a] = k_mul(k, s->m[a], inv);
	s->speed2 = k_mad(k, s->v[2], s->v[2], k_mad(k, s->v[1], s->v[1], k_mul(k, s->v[0], s->v[0])));
	val kinetic = k_mul(k, k_mul(k, s->density, k_float(k, 0.5f)), s->speed2);
	s->pressure = k_mul(k, k_sub(k, s->energy, kinetic), k_float(k, gas - 1));
	s->sound = k_sqrt(k, k_mul(k, k_mul(k, s->pressure, k_float(k, gas)), inv));
}

static struct state load_state(struct kb *k, val i)
{
	struct state s;
	s.density = load(k, A_VARS, i, DENSITY);
	for (unsigned a = 0; a < 3; a++)
		s.m[a] = load(k, A_VARS, i, MOMENTUM + a);
	s.energy = load(k, A_VARS, i, ENERGY);
	derive(k, &s);
	return s;
}

static struct kb *step_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "cfd_step_factor");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, A_N)));
	struct state s = load_state(k, i);
	val area = load(k, A_AREA, i, 0);
	val waves = k_add(k, k_sqrt(k, s.speed2), s.sound);
	val factor = k_div(k, k_float(k, 0.5f), k_mul(k, k_sqrt(k, area), waves));
	k_stg(k, M_32, at(k, A_STEP, i, 0), 0, factor);
	k_finish(k);
	return k;
}

/* Flux of momentum row a (or of the energy, a = 3) of a state along axis x. */
static val flux(struct kb *k, const struct state *s, unsigned a, unsigned x)
{
	if (a == 3)
		return k_mul(k, s->v[x], k_add(k, s->energy, s->pressure));
	val f = k_mul(k, s->v[x], s->m[a]);
	return a == x ? k_add(k, f, s->pressure) : f;
}

/* sums += the flux through a face to a neighbour with state t. */
static void inner_face(struct kb *k, const val sum[VARS], const val normal[3], val length,
                       const struct state *s, const struct state *t)
{
	val waves = k_add(k, k_add(k, k_sqrt(k, s->speed2), k_sqrt(k, t->speed2)),
	                  k_add(k, s->sound, t->sound));
	val factor = k_mul(k, k_mul(k, length, k_float(k, -0.5f * smoothing)), waves);
	const val mine[VARS] = {s->density, s->m[0], s->m[1], s->m[2], s->energy};
	const val other[VARS] = {t->density, t->m[0], t->m[1], t->m[2], t->energy};
	for (unsigned v = 0; v < VARS; v++)
		k_set(k, sum[v], k_mad(k, factor, k_sub(k, mine[v], other[v]), sum[v]));
	for (unsigned x = 0; x < 3; x++) {
		val half = k_mul(k, normal[x], k_float(k, 0.5f));
		k_set(k, sum[0], k_mad(k, half, k_add(k, s->m[x], t->m[x]), sum[0]));
		for (unsigned a = 0; a < 4; a++) {
			val f = flux(k, s, a, x), h = flux(k, t, a, x);
			k_set(k, sum[a + 1], k_mad(k, half, k_add(k, f, h), sum[a + 1]));
		}
	}
}

/* The far field's state does not change: its fluxes lie in constant memory. */
static void far_face(struct kb *k, const val sum[VARS], const val normal[3], const struct state *s)
{
	val zero = k_int(k, 0), far = k_arg_ptr(k, A_FAR);
	for (unsigned x = 0; x < 3; x++) {
		val half = k_mul(k, normal[x], k_float(k, 0.5f));
		val m = k_ldc(k, T_F32, far, zero, 4 * (int32_t)(MOMENTUM + x));
		k_set(k, sum[0], k_mad(k, half, k_add(k, m, s->m[x]), sum[0]));
		for (unsigned a = 0; a < 4; a++) {
			val f = k_ldc(k, T_F32, far, zero, 4 * (int32_t)(VARS + 3 * a + x));
			k_set(k, sum[a + 1], k_mad(k, half, k_add(k, f, flux(k, s, a, x)), sum[a + 1]));
		}
	}
}

static struct kb *flux_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "cfd_flux");
	val i = k_gid(k), sum[VARS];
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, A_N)));
	struct state s = load_state(k, i);
	for (int v = 0; v < VARS; v++)
		sum[v] = k_var(k, k_float(k, 0));
	for (unsigned face = 0; face < FACES; face++) {
		val next = k_ldg(k, M_32, T_S32, at(k, A_NEXT, i, face), 0), normal[3];
		for (unsigned x = 0; x < 3; x++)
			normal[x] = load(k, A_NORMAL, i, face + x * FACES);
		val n2 = k_mad(k, normal[2], normal[2],
		               k_mad(k, normal[1], normal[1], k_mul(k, normal[0], normal[0])));
		val length = k_sqrt(k, n2);
		k_if(k, k_setpi(k, CMP_GE, next, 0));
		struct state t = load_state(k, next);
		inner_face(k, sum, normal, length, &s, &t);
		k_else(k);
		k_if(k, k_setpi(k, CMP_EQ, next, WALL));
		for (unsigned x = 0; x < 3; x++)
			k_set(k, sum[x + 1], k_mad(k, normal[x], s.pressure, sum[x + 1]));
		k_else(k);
		far_face(k, sum, normal, &s);
		k_endif(k);
		k_endif(k);
	}
	for (unsigned v = 0; v < VARS; v++)
		k_stg(k, M_32, at(k, A_FLUX, i, v), 0, sum[v]);
	k_finish(k);
	return k;
}

static struct kb *update_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "cfd_time_step");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, A_N)));
	val step = load(k, A_STEP, i, 0), factor = k_mul(k, step, k_arg_float(k, A_RK));
	for (unsigned v = 0; v < VARS; v++) {
		val old = load(k, A_OLD, i, v), f = load(k, A_FLUX, i, v);
		k_stg(k, M_32, at(k, A_VARS, i, v), 0, k_mad(k, factor, f, old));
	}
	k_finish(k);
	return k;
}

/* ---- the same in plain C ------------------------------------------------------------------ */

struct flow {
	double d, m[3], e, v[3], speed2, p, c;
};

static struct flow flow_of(const double u[VARS])
{
	struct flow f = {.d = u[0], .m = {u[1], u[2], u[3]}, .e = u[4]};
	for (int a = 0; a < 3; a++) {
		f.v[a] = f.m[a] / f.d;
		f.speed2 += f.v[a] * f.v[a];
	}
	f.p = ((double)gas - 1) * (f.e - 0.5 * f.d * f.speed2);
	f.c = sqrt((double)gas * f.p / f.d);
	return f;
}

static double flow_flux(const struct flow *f, int a, int x)
{
	if (a == 3)
		return f->v[x] * (f->e + f->p);
	return f->v[x] * f->m[a] + (a == x ? f->p : 0);
}

struct mesh {
	uint32_t n;
	struct simt_buffer *vars, *old, *next, *normal, *area, *step, *flux, *far;
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
	double factor = -length * (double)smoothing * 0.5 *
	                (sqrt(s->speed2) + sqrt(t->speed2) + s->c + t->c);
	if (!inner)
		factor = 0;
	sum[0] += factor * (s->d - t->d);
	for (int a = 0; a < 3; a++)
		sum[a + 1] += factor * (s->m[a] - t->m[a]);
	sum[4] += factor * (s->e - t->e);
	for (int x = 0; x < 3; x++) {
		sum[0] += 0.5 * normal[x] * (s->m[x] + t->m[x]);
		for (int a = 0; a < 4; a++)
			sum[a + 1] += 0.5 * normal[x] * (flow_flux(s, a, x) + flow_flux(t, a, x));
	}
}

static void reference_stage(const struct mesh *m, const double *old, const double *step,
                            const double *vars, double *out, double rk)
{
	double far_u[VARS];
	for (int v = 0; v < VARS; v++)
		far_u[v] = (double)wl_floats(m->far)[v];
	struct flow far = flow_of(far_u);
	for (uint32_t i = 0; i < m->n; i++) {
		struct flow s = flow_at(vars, m->n, i);
		double sum[VARS] = {0};
		for (uint32_t f = 0; f < FACES; f++) {
			int32_t next = (int32_t)wl_words(m->next)[f * m->n + i];
			double normal[3];
			for (uint32_t x = 0; x < 3; x++)
				normal[x] = (double)wl_floats(m->normal)[(f + x * FACES) * m->n + i];
			if (next >= 0) {
				struct flow t = flow_at(vars, m->n, (uint32_t)next);
				face_sum(&s, &t, normal, 1, sum);
			} else if (next == WALL) {
				for (int x = 0; x < 3; x++)
					sum[x + 1] += normal[x] * s.p;
			} else {
				face_sum(&s, &far, normal, 0, sum);
			}
		}
		for (uint32_t v = 0; v < VARS; v++)
			out[v * m->n + i] = old[v * m->n + i] + rk * step[i] * sum[v];
	}
}

/* ---- mesh and run ---------------------------------------------------------------------------- */

/* Elements along a space-filling order: neighbours mostly near by, some far away. */
static void make_mesh(struct wl *w, struct mesh *m)
{
	uint32_t n = m->n;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t f = 0; f < FACES; f++) {
			uint32_t reach = f < 2 ? 1 + wl_below(w, 3) : 8 + wl_below(w, n / 16);
			int64_t j = f & 1 ? (int64_t)i + reach : (int64_t)i - reach;
			int32_t next = j < 0 ? WALL : j >= n ? FAR : (int32_t)j;
			wl_words(m->next)[f * n + i] = (uint32_t)next;
			for (uint32_t x = 0; x < 3; x++)
				wl_floats(m->normal)[(f + x * FACES) * n + i] = wl_between(
					w, -0.1f, 0.1f);
		}
		wl_floats(m->area)[i] = wl_between(w, 0.5f, 2);
	}
	/* Far field: Mach 1.2 at a small angle, density and pressure 1.4 and 1. */
	double u[VARS] = {1.4, 1.4 * 1.2 * 0.9994, 1.4 * 1.2 * 0.0349, 0, 0};
	u[4] = 1.0 / 0.4 + 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0];
	struct flow far = flow_of(u);
	for (int v = 0; v < VARS; v++)
		wl_floats(m->far)[v] = (float)u[v];
	for (int a = 0; a < 4; a++)
		for (int x = 0; x < 3; x++)
			wl_floats(m->far)[VARS + 3 * a + x] = (float)flow_flux(&far, a, x);
	for (uint32_t v = 0; v < VARS; v++)
		for (uint32_t i = 0; i < n; i++)
			wl_floats(m->vars)[v * n + i] = (float)u[v] * wl_between(w, 0.98f, 1.02f);
}

static void run_step(struct wl *w, const struct mesh *m, struct kb *const kernel[3])
{
	for (int stage = 0; stage < 3; stage++) {
		uint64_t args[A_COUNT] = {
			m->vars->address,
			m->next->address,
			m->normal->address,
			m->area->address,
			m->step->address,
			m->flux->address,
			m->old->address,
			m->n,
			simt_fbits(1.0f / (float)(3 - stage)),
			m->far->address,
		};
		/* The original copies variables to old on the device before the first stage. */
		if (stage == 0)
			memcpy(m->old->p, m->vars->p, m->vars->bytes);
		for (int l = stage == 0 ? 0 : 1; l < 3; l++)
			simt_launch(&w->g, kernel[l], simt_1d(wl_ceil(m->n, BLOCK)), simt_1d(BLOCK), 0,
			            args, A_COUNT);
	}
}

static void check(struct wl *w, const struct mesh *m, double *old, uint32_t steps)
{
	size_t cells = (size_t)m->n * VARS;
	double *now = wl_host(w, cells, 8), *next = wl_host(w, cells, 8), *step = wl_host(w, m->n, 8);
	float *want = wl_host(w, cells, 4);
	if (w->g.status != CT_OK)
		return;
	memcpy(now, old, 8 * cells);
	for (uint32_t t = 0; t < steps; t++) {
		memcpy(old, now, 8 * cells);
		for (uint32_t i = 0; i < m->n; i++) {
			struct flow s = flow_at(now, m->n, i);
			step[i] = 0.5 / (sqrt((double)wl_floats(m->area)[i]) * (sqrt(s.speed2) + s.c));
		}
		for (int stage = 0; stage < 3; stage++) {
			reference_stage(m, old, step, now, next, 1.0 / (3 - stage));
			memcpy(now, next, 8 * cells);
		}
	}
	for (size_t i = 0; i < cells; i++)
		want[i] = (float)now[i];
	wl_check_floats(w, "variables", wl_floats(m->vars), want, cells, 1e-4f);
}

void wl_cfd(struct wl *w)
{
	struct mesh m = {.n = wl_pick(w, 6144, 24576, 60000)};
	uint32_t steps = wl_pick(w, 1, 1, 2);
	size_t n = m.n;
	m.vars = simt_alloc(&w->g, 4 * n * VARS);
	m.old = simt_alloc(&w->g, 4 * n * VARS);
	m.next = simt_alloc(&w->g, 4 * n * FACES);
	m.normal = simt_alloc(&w->g, 4 * n * FACES * 3);
	m.area = simt_alloc(&w->g, 4 * n);
	m.step = simt_alloc(&w->g, 4 * n);
	m.flux = simt_alloc(&w->g, 4 * n * VARS);
	m.far = simt_alloc(&w->g, 4 * (VARS + 12));
	double *before = wl_host(w, n * VARS, sizeof *before);
	if (w->g.status != CT_OK)
		return;
	make_mesh(w, &m);
	for (size_t i = 0; i < n * VARS; i++)
		before[i] = (double)wl_floats(m.vars)[i];
	simt_h2d(&w->g, m.far);
	simt_h2d(&w->g, m.area);
	simt_h2d(&w->g, m.next);
	simt_h2d(&w->g, m.normal);
	simt_h2d(&w->g, m.vars);
	struct kb *const kernel[3] = {step_kernel(&w->g), flux_kernel(&w->g), update_kernel(&w->g)};
	for (uint32_t t = 0; t < steps; t++)
		run_step(w, &m, kernel);
	if (w->g.status == CT_OK)
		check(w, &m, before, steps);
}

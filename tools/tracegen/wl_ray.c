/* Ray tracing of spheres over a chequered floor with shadows and mirrors, as the ISPASS suite's
 * RAY: a thread per pixel, rays part as they bounce. */
#include "tracegen/data.h"
#include "tracegen/mufu.h"

enum { BLOCK_X = 16, BLOCK_Y = 8, BOUNCES = 4, SPHERE_BYTES = 32 };

/* A sphere in memory: centre, radius; brightness, mirror, two spare words. */
static const float far_away = 1e9f, near_by = 1e-3f, light[3] = {0.57735f, 0.57735f, -0.57735f};

static val dot3(struct kb *k, const val a[3], const val b[3])
{
	return k_mad(k, a[2], b[2], k_mad(k, a[1], b[1], k_mul(k, a[0], b[0])));
}

struct hit {
	val t, sphere; /* distance; byte offset of the sphere, -1 for none */
};

/* Nearest sphere along o + t d (d of length 1). */
static void intersect(struct kb *k, const val o[3], const val d[3], struct hit *h)
{
	val at = k_for(k, k_int(k, 0), k_arg_int(k, 2), SPHERE_BYTES), c[3], oc[3];
	val p = k_elem(k, k_arg_ptr(k, 1), at, 1), s = k_ldg(k, M_128, T_F32, p, 0);
	for (unsigned a = 0; a < 3; a++) {
		c[a] = k_part(k, s, a);
		oc[a] = k_sub(k, c[a], o[a]);
	}
	val radius = k_part(k, s, 3), b = dot3(k, oc, d);
	val gap = k_mad(k, k_neg(k, radius), radius, dot3(k, oc, oc));
	val disc = k_sub(k, k_mul(k, b, b), gap);
	k_if(k, k_setp(k, CMP_GT, disc, k_float(k, 0)));
	val t = k_sub(k, b, k_sqrt(k, disc));
	val closer = k_pand(k, k_setp(k, CMP_GT, t, k_float(k, near_by)), k_setp(k, CMP_LT, t, h->t));
	k_when(k, closer);
	k_set(k, h->t, t);
	k_set(k, h->sphere, at);
	k_endwhen(k);
	k_endif(k);
	k_endfor(k);
}

static void normalise(struct kb *k, val v[3])
{
	val inv = k_rsqrt(k, dot3(k, v, v));
	for (int a = 0; a < 3; a++)
		v[a] = k_mul(k, v[a], inv);
}

/* A ray and what it meets; all variables of the kernel. */
struct ray {
	val o[3], d[3], colour, share;
	val n[3], p[3], bright, mirror; /* of the surface met */
};

/* The primary ray of pixel (x, y). */
static struct ray first_ray(struct kb *k, val x, val y)
{
	struct ray r;
	val scale = k_arg_float(k, 5), minus = k_float(k, -1);
	val px = k_mad(k, k_cvt(k, x, T_F32), scale, minus);
	val py = k_mad(k, k_cvt(k, y, T_F32), scale, minus);
	val d[3] = {px, k_neg(k, py), k_float(k, 1.5f)};
	normalise(k, d);
	for (int a = 0; a < 3; a++) {
		r.o[a] = k_var(k, k_float(k, a == 1 ? 0.5f : a == 2 ? -4.0f : 0));
		r.d[a] = k_var(k, d[a]);
	}
	r.colour = k_var(k, k_float(k, 0));
	r.share = k_var(k, k_float(k, 1));
	return r;
}

/* Nearest of the spheres and the floor y = -1; rays into the sky end. */
static struct hit meet(struct kb *k, struct ray *r, val *on_floor)
{
	val far = k_float(k, far_away), zero = k_float(k, 0);
	struct hit h = {k_var(k, far), k_var(k, k_int(k, -1))};
	intersect(k, r->o, r->d, &h);
	val down = k_setp(k, CMP_LT, r->d[1], k_float(k, -near_by)), ground = k_var(k, far);
	k_when(k, down);
	k_set(k, ground, k_div(k, k_sub(k, k_float(k, -1), r->o[1]), r->d[1]));
	k_endwhen(k);
	*on_floor = k_pand(k, down, k_setp(k, CMP_LT, ground, h.t));
	r->bright = k_var(k, zero);
	r->mirror = k_var(k, zero);
	val t = k_sel(k, *on_floor, ground, h.t), sky = k_setp(k, CMP_GE, t, far);
	for (int a = 0; a < 3; a++)
		r->p[a] = k_var(k, k_mad(k, t, r->d[a], r->o[a]));
	k_if(k, sky);
	val blue = k_mad(k, r->d[1], k_float(k, 0.5f), k_float(k, 0.5f));
	k_set(k, r->colour, k_mad(k, blue, k_mul(k, r->share, k_float(k, 0.3f)), r->colour));
	k_endif(k);
	k_break(k, sky);
	return h;
}

/* Normal, brightness and mirror at r->p: chequered floor or a sphere. */
static void surface(struct kb *k, struct ray *r, val on_floor, val sphere)
{
	for (int a = 0; a < 3; a++)
		r->n[a] = k_var(k, k_float(k, a == 1));
	k_if(k, on_floor);
	val cx = k_cvt(k, k_add(k, r->p[0], k_float(k, 100)), T_S32);
	val cz = k_cvt(k, k_add(k, r->p[2], k_float(k, 100)), T_S32);
	val dark = k_setpi(k, CMP_EQ, k_andi(k, k_add(k, cx, cz), 1), 0);
	k_set(k, r->bright, k_sel(k, dark, k_float(k, 0.2f), k_float(k, 0.8f)));
	k_else(k);
	val s = k_elem(k, k_arg_ptr(k, 1), sphere, 1);
	val centre = k_ldg(k, M_128, T_F32, s, 0), look = k_ldg(k, M_64, T_F32, s, 16);
	val inv = k_rcp(k, k_part(k, centre, 3));
	for (unsigned a = 0; a < 3; a++)
		k_set(k, r->n[a], k_mul(k, k_sub(k, r->p[a], k_part(k, centre, a)), inv));
	k_set(k, r->bright, k_part(k, look, 0));
	k_set(k, r->mirror, k_part(k, look, 1));
	k_endif(k);
}

/* Adds what the surface sends on of the light; a shadow ray where it faces the light. */
static void shade(struct kb *k, struct ray *r)
{
	val l[3], lit = k_var(k, k_float(k, 0.1f));
	for (int a = 0; a < 3; a++)
		l[a] = k_float(k, light[a]);
	val facing = dot3(k, r->n, l);
	k_if(k, k_setp(k, CMP_GT, facing, k_float(k, 0)));
	struct hit shadow = {k_var(k, k_float(k, far_away)), k_var(k, k_int(k, -1))};
	intersect(k, r->p, l, &shadow);
	k_when(k, k_setpi(k, CMP_LT, shadow.sphere, 0));
	k_set(k, lit, k_add(k, lit, facing));
	k_endwhen(k);
	k_endif(k);
	val matt = k_mul(k, lit, k_sub(k, k_float(k, 1), r->mirror));
	val diffuse = k_mul(k, k_mul(k, r->share, r->bright), matt);
	k_set(k, r->colour, k_add(k, r->colour, diffuse));
	k_set(k, r->share, k_mul(k, r->share, r->mirror));
}

static void reflect(struct kb *k, struct ray *r)
{
	val twice = k_mul(k, dot3(k, r->d, r->n), k_float(k, -2));
	for (int a = 0; a < 3; a++) {
		k_set(k, r->d[a], k_mad(k, twice, r->n[a], r->d[a]));
		k_set(k, r->o[a], r->p[a]);
	}
}

/* Arguments: image, spheres, bytes of them, width, height, 2/height. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "ray_trace");
	val x = k_gid_axis(k, 0), y = k_gid_axis(k, 1), width = k_arg_int(k, 3), on_floor;
	k_exit_if(k, k_setp(k, CMP_GE, x, width));
	k_exit_if(k, k_setp(k, CMP_GE, y, k_arg_int(k, 4)));
	struct ray r = first_ray(k, x, y);
	k_for(k, k_int(k, 0), k_int(k, BOUNCES), 1);
	struct hit h = meet(k, &r, &on_floor);
	surface(k, &r, on_floor, h.sphere);
	shade(k, &r);
	k_break(k, k_setp(k, CMP_LT, r.share, k_float(k, 0.05f)));
	reflect(k, &r);
	k_endfor(k);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 0), k_mad(k, y, width, x), 4), 0, r.colour);
	k_finish(k);
	return k;
}

/* ---- the same in plain C, operation by operation: which sphere is hit hangs on rounding ---- */

static float dot_host(const float a[3], const float b[3])
{
	return simt_fma(a[2], b[2], simt_fma(a[1], b[1], a[0] * b[0]));
}

static int nearest(const float *sphere, uint32_t n, const float o[3], const float d[3], float *t_best)
{
	int best = -1;
	*t_best = far_away;
	for (uint32_t i = 0; i < n; i++) {
		const float *s = sphere + 8 * i;
		float oc[3] = {s[0] - o[0], s[1] - o[1], s[2] - o[2]}, b = dot_host(oc, d);
		float disc = b * b - simt_fma(-s[3], s[3], dot_host(oc, oc));
		if (!(disc > 0))
			continue;
		float t = b - simt_sqrt(disc);
		if (t > near_by && t < *t_best) {
			*t_best = t;
			best = (int)i;
		}
	}
	return best;
}

static float div_host(float a, float b)
{
	float r = simt_rcp(b), q = a * r;
	return simt_fma(simt_fma(-b, q, a), r, q);
}

/* One surface met: its normal, brightness, mirror. */
struct surface {
	float n[3], bright, mirror;
};

static struct surface surface_at(const float p[3], int sphere, const float *s)
{
	struct surface f = {{0, 1, 0}, 0, 0};
	if (sphere < 0) {
		int cell = (int)(p[0] + 100) + (int)(p[2] + 100);
		f.bright = cell & 1 ? 0.8f : 0.2f;
		return f;
	}
	float inv = simt_rcp(s[8 * sphere + 3]);
	for (int a = 0; a < 3; a++)
		f.n[a] = (p[a] - s[8 * sphere + a]) * inv;
	f.bright = s[8 * sphere + 4];
	f.mirror = s[8 * sphere + 5];
	return f;
}

static float trace(const float *s, uint32_t n, float x, float y, float scale)
{
	float d[3] = {simt_fma(x, scale, -1), -simt_fma(y, scale, -1), 1.5f}, o[3] = {0, 0.5f, -4};
	float colour = 0, share = 1, inv = simt_rsqrt(dot_host(d, d)), t, p[3];
	for (int a = 0; a < 3; a++)
		d[a] *= inv;
	for (int bounce = 0; bounce < BOUNCES; bounce++) {
		int sphere = nearest(s, n, o, d, &t);
		if (d[1] < -near_by && div_host(-1 - o[1], d[1]) < t) {
			sphere = -1;
			t = div_host(-1 - o[1], d[1]);
		}
		if (t >= far_away)
			return simt_fma(simt_fma(d[1], 0.5f, 0.5f), share * 0.3f, colour);
		for (int a = 0; a < 3; a++)
			p[a] = simt_fma(t, d[a], o[a]);
		struct surface f = surface_at(p, sphere, s);
		float facing = dot_host(f.n, light), lit = 0.1f, shade;
		if (facing > 0 && nearest(s, n, p, light, &shade) < 0)
			lit += facing;
		colour += share * f.bright * (lit * (1 - f.mirror));
		share *= f.mirror;
		if (share < 0.05f)
			return colour;
		float twice = dot_host(d, f.n) * -2;
		for (int a = 0; a < 3; a++) {
			d[a] = simt_fma(twice, f.n[a], d[a]);
			o[a] = p[a];
		}
	}
	return colour;
}

void wl_ray(struct wl *w)
{
	uint32_t width = wl_pick(w, 96, 256, 512), height = wl_pick(w, 64, 192, 384),
		 n = wl_pick(w, 12, 20, 24);
	struct simt_buffer *image = simt_alloc(&w->g, 4 * (size_t)width * height);
	struct simt_buffer *sphere = simt_alloc(&w->g, SPHERE_BYTES * (size_t)n);
	float *want = wl_host(w, width, 4), scale = 2.0f / (float)height;
	if (w->g.status != CT_OK)
		return;
	for (uint32_t i = 0; i < n; i++) {
		float *s = wl_floats(sphere) + 8 * i;
		s[0] = wl_between(w, -3, 3);
		s[2] = wl_between(w, -1, 5);
		s[3] = wl_between(w, 0.2f, 0.8f);
		s[1] = s[3] - 1 + wl_unit(w);
		s[4] = wl_between(w, 0.4f, 1);
		s[5] = i % 3 ? wl_between(w, 0.2f, 0.8f) : 0;
	}
	simt_h2d(&w->g, sphere);
	WL_LAUNCH(w, kernel(&w->g), simt_2d(wl_ceil(width, BLOCK_X), wl_ceil(height, BLOCK_Y)),
	          simt_2d(BLOCK_X, BLOCK_Y), 0, image->address, sphere->address, n * SPHERE_BYTES, width,
	          height, simt_fbits(scale));
	for (uint32_t y = 0; y < height && w->g.status == CT_OK; y++) {
		for (uint32_t x = 0; x < width; x++)
			want[x] = trace(wl_floats(sphere), n, (float)x, (float)y, scale);
		wl_check_floats(w, "pixel", wl_floats(image) + (size_t)y * width, want, width, 1e-5f);
	}
}

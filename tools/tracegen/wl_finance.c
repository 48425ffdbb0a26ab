/* Option prices: Black-Scholes as in the CUDA SDK, and the LIBOR market model by Monte Carlo
 * as in the ISPASS suite. */
#include <math.h>

#include "tracegen/data.h"

/* ---- Black-Scholes -------------------------------------------------------------------- */

enum { BS_BLOCK = 128 };

static const float riskless = 0.02f, volatility = 0.30f;

/* Cumulative normal distribution (Abramowitz and Stegun 26.2.17). */
static val normal(struct kb *k, val d)
{
	static const float a[5] = {
		0.31938153f, -0.356563782f, 1.781477937f, -1.821255978f, 1.330274429f};
	val x = k_abs(k, d), t = k_rcp(k, k_mad(k, x, k_float(k, 0.2316419f), k_float(k, 1)));
	val poly = k_mul(k, t, k_float(k, a[4]));
	for (int i = 3; i >= 0; i--)
		poly = k_mul(k, t, k_add(k, poly, k_float(k, a[i])));
	val bell = k_mul(k, k_exp(k, k_mul(k, k_mul(k, d, d), k_float(k, -0.5f))),
	                 k_float(k, 0.39894228f));
	val tail = k_mul(k, bell, poly);
	return k_sel(k, k_setp(k, CMP_GT, d, k_float(k, 0)), k_sub(k, k_float(k, 1), tail), tail);
}

/* Arguments: call, put, price, strike, years, n. */
static struct kb *black_scholes(struct simt_run *g)
{
	struct kb *k = k_begin(g, "blackscholes");
	val first = k_gid(k), step = k_mul(k, k_ntid(k, 0), k_var(k, k_nctaid(k, 0)));
	val i = k_for_val(k, first, k_arg_int(k, 5), step);
	val s = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0);
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 3), i, 4), 0);
	val t = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 4), i, 4), 0);
	val vt = k_mul(k, k_sqrt(k, t), k_float(k, volatility));
	val drift = k_mul(k, t, k_float(k, riskless + 0.5f * volatility * volatility));
	val d1 = k_div(k, k_add(k, k_log(k, k_div(k, s, x)), drift), vt), d2 = k_sub(k, d1, vt);
	val n1 = normal(k, d1), n2 = normal(k, d2), one = k_float(k, 1);
	val discounted = k_mul(k, x, k_exp(k, k_mul(k, t, k_float(k, -riskless))));
	val call = k_sub(k, k_mul(k, s, n1), k_mul(k, discounted, n2));
	val put = k_sub(k, k_mul(k, discounted, k_sub(k, one, n2)), k_mul(k, s, k_sub(k, one, n1)));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0, call);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0, put);
	k_endfor(k);
	k_finish(k);
	return k;
}

void wl_blackscholes(struct wl *w)
{
	uint32_t n = wl_pick(w, 50000, 400000, 1500000) + 5;
	struct simt_buffer *call = simt_alloc(&w->g, 4 * (size_t)n),
			   *put = simt_alloc(&w->g, 4 * (size_t)n);
	struct simt_buffer *s = wl_upload_random(w, n, 5, 30), *x = wl_upload_random(w, n, 1, 100);
	struct simt_buffer *t = wl_upload_random(w, n, 0.25f, 10);
	float *want = wl_host(w, 2 * (size_t)n, 4);
	if (w->g.status != CT_OK)
		return;
	struct kb *k = black_scholes(&w->g);
	for (uint32_t i = 0; i < 2; i++)
		WL_LAUNCH(w, k, simt_1d(480), simt_1d(BS_BLOCK), 0, call->address, put->address,
		          s->address, x->address, t->address, n);
	for (uint32_t i = 0; i < n; i++) {
		double ps = (double)wl_floats(s)[i], px = (double)wl_floats(x)[i],
		       pt = (double)wl_floats(t)[i];
		double vt = (double)volatility * sqrt(pt), r = (double)riskless;
		double d1 = (log(ps / px) + (r + 0.5 * (double)(volatility * volatility)) * pt) / vt;
		double n1 = 0.5 * erfc(-d1 / sqrt(2)), n2 = 0.5 * erfc(-(d1 - vt) / sqrt(2));
		want[i] = (float)(ps * n1 - px * exp(-r * pt) * n2);
		want[n + i] = (float)(px * exp(-r * pt) * (1 - n2) - ps * (1 - n1));
	}
	wl_check_floats(w, "call", wl_floats(call), want, n, 1e-4f);
	wl_check_floats(w, "put", wl_floats(put), want + n, n, 1e-4f);
}

/* ---- LIBOR -------------------------------------------------------------------------------- */

enum { RATES = 80, STEPS = 40, OPTIONS = 15, LIB_BLOCK = 64 };

static const float delta = 0.25f;

/* One path per thread: rates in local memory move STEPS steps, then swaptions are priced.
 * Arguments: values, volatilities (constant), strikes (constant), maturities (constant), paths,
 * shocks by path. */
static struct kb *libor(struct simt_run *g)
{
	struct kb *k = k_begin(g, "libor_portfolio");
	val path = k_gid(k), n = k_arg_int(k, 4), zero = k_int(k, 0);
	val vol = k_arg_ptr(k, 1);
	k_local_frame(k, 4 * RATES);
	val i0 = k_for(k, zero, k_int(k, 4 * RATES), 4);
	k_stl(k, M_32, i0, 0, k_var(k, k_float(k, 0.05f)));
	k_endfor(k);
	val pz = k_var(k, k_elem(k, k_arg_ptr(k, 5), path, 4));
	val step = k_for(k, zero, k_int(k, 4 * STEPS), 4);
	val z = k_ldg(k, M_32, T_F32, pz, 0);
	k_set(k, pz, k_elem(k, pz, n, 4));
	val shock = k_mul(k, z, k_float(k, 0.5f)); /* sqrt(delta) */
	val drift = k_var(k, k_float(k, 0));
	val i = k_for(k, k_addi(k, step, 4), k_int(k, 4 * RATES), 4);
	/* Volatility of rate i, i - step - 1 periods before it is set. */
	val lam = k_ldc(k, T_F32, vol, k_sub(k, i, step), -4), rate = k_ldl(k, M_32, T_F32, i, 0);
	val con = k_mul(k, lam, k_float(k, delta));
	val den = k_mad(k, rate, k_float(k, delta), k_float(k, 1));
	k_set(k, drift, k_mad(k, con, k_div(k, rate, den), drift));
	val inner = k_mad(k, lam, shock, k_mul(k, con, k_mad(k, lam, k_float(k, -0.5f), drift)));
	k_stl(k, M_32, i, 0, k_mul(k, rate, k_exp(k, inner)));
	k_endfor(k);
	k_endfor(k);
	/* Bond prices from the moved curve replace the rates, sums of them beside. */
	val bond = k_var(k, k_float(k, 1)), swap = k_var(k, k_float(k, 0)),
	    value = k_var(k, k_float(k, 0));
	val option = k_var(k, zero);
	val j = k_for(k, k_int(k, 4 * STEPS), k_int(k, 4 * RATES), 4);
	val lj = k_ldl(k, M_32, T_F32, j, 0);
	k_set(k, bond, k_div(k, bond, k_mad(k, lj, k_float(k, delta), k_float(k, 1))));
	k_set(k, swap, k_mad(k, bond, k_float(k, delta), swap));
	val due = k_ldc(k, T_S32, k_arg_ptr(k, 3), option, 0);
	k_if(k, k_setp(k, CMP_EQ, j, due));
	val strike = k_ldc(k, T_F32, k_arg_ptr(k, 2), option, 0);
	val gain = k_sub(k, k_mad(k, swap, strike, bond), k_float(k, 1));
	k_if(k, k_setp(k, CMP_LT, gain, k_float(k, 0)));
	k_set(k, value, k_mad(k, gain, k_float(k, -100), value));
	k_endif(k);
	k_set(k, option, k_addi(k, option, 4));
	k_endif(k);
	k_endfor(k);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 0), path, 4), 0, value);
	k_finish(k);
	return k;
}

static double libor_path(const float *z, uint32_t paths, const float *vol, const float *strike,
                         const uint32_t *due)
{
	double rate[RATES], bond = 1, swap = 0, value = 0;
	for (int i = 0; i < RATES; i++)
		rate[i] = (double)0.05f;
	for (int s = 0; s < STEPS; s++) {
		double drift = 0, shock = 0.5 * (double)z[(size_t)s * paths];
		for (int i = s + 1; i < RATES; i++) {
			double lam = (double)vol[i - s - 1], con = (double)delta * lam;
			drift += con * rate[i] / (1 + (double)delta * rate[i]);
			rate[i] *= exp(con * (drift - 0.5 * lam) + lam * shock);
		}
	}
	for (uint32_t j = STEPS, o = 0; j < RATES; j++) {
		bond /= 1 + (double)delta * rate[j];
		swap += (double)delta * bond;
		if (4 * j == due[o]) {
			double gain = bond + (double)strike[o++] * swap - 1;
			if (gain < 0)
				value -= 100 * gain;
		}
	}
	return value;
}

void wl_libor(struct wl *w)
{
	uint32_t paths = wl_pick(w, 256, 1024, 4096), due[OPTIONS + 1];
	float vol[RATES], strike[OPTIONS];
	for (int i = 0; i < RATES; i++)
		vol[i] = 0.2f;
	for (int o = 0; o < OPTIONS; o++) {
		due[o] = 4 * (STEPS + (uint32_t)(o < 9 ? 2 * o + 1 : 3 * o - 6));
		strike[o] = 0.045f + 0.005f * (float)(o % 6);
	}
	due[OPTIONS] = 0;
	struct simt_buffer *value = simt_alloc(&w->g, 4 * (size_t)paths),
			   *z = simt_alloc(&w->g, 4 * (size_t)paths * STEPS);
	struct simt_buffer *pv = wl_upload(w, vol, sizeof vol),
			   *ps = wl_upload(w, strike, sizeof strike);
	struct simt_buffer *pd = wl_upload(w, due, sizeof due);
	float *want = wl_host(w, paths, 4);
	if (w->g.status != CT_OK)
		return;
	/* About normal: the sum of twelve uniform numbers. */
	for (size_t i = 0; i < (size_t)paths * STEPS; i++) {
		float sum = -6;
		for (int j = 0; j < 12; j++)
			sum += wl_unit(w);
		wl_floats(z)[i] = sum;
	}
	simt_h2d(&w->g, z);
	WL_LAUNCH(w, libor(&w->g), simt_1d(paths / LIB_BLOCK), simt_1d(LIB_BLOCK), 0, value->address,
	          pv->address, ps->address, pd->address, paths, z->address);
	for (uint32_t p = 0; p < paths; p++)
		want[p] = (float)libor_path(wl_floats(z) + p, paths, vol, strike, due);
	wl_check_floats(w, "value", wl_floats(value), want, paths, 1e-3f);
}

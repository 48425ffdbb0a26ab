#include "base/numeric.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum {
	STATE_BYTES = 512, /* of a solver; GSL's take a tenth of that */
	STEPS_MAX = 200    /* a bracket of doubles is halved less often than that */
};
/* Where a bracket is narrow enough, relative to the root. */
static const double WIDTH = 1e-13;
/* Newton's steps end at the last bits; their convergence is quadratic. */
static const double LAST_STEP = 1e-15;

/* Room for the state that GSL's allocating constructor would take from the heap. */
union solver_state {
	double align;
	void *align_pointer;
	char bytes[STATE_BYTES];
};

/* ---- roots ---- */

struct bracketed {
	double (*f)(void *ctx, double x);
	void *ctx;
	int broken; /* f gave a number that is not finite */
};

/* What GSL calls: a value that is not finite would reach its error handler. */
static double call_bracketed(double x, void *p)
{
	struct bracketed *b = p;
	double v = b->f(b->ctx, x);
	if (isfinite(v))
		return v;
	b->broken = 1;
	return 0;
}

static int straddles(double at_low, double at_high)
{
	return (at_low <= 0 && at_high >= 0) || (at_low >= 0 && at_high <= 0);
}

int ct_root_between(double (*f)(void *ctx, double x), void *ctx, double low, double high, double *x)
{
	union solver_state state;
	struct bracketed b = {f, ctx, 0};
	gsl_function function = {call_bracketed, &b};
	gsl_root_fsolver solver = {.type = gsl_root_fsolver_brent, .state = &state};
	if (solver.type->size > sizeof state || !isfinite(low) || !isfinite(high) || low > high)
		return -1;
	double at_low = call_bracketed(low, &b), at_high = call_bracketed(high, &b);
	if (b.broken || !straddles(at_low, at_high) ||
	    gsl_root_fsolver_set(&solver, &function, low, high) != GSL_SUCCESS)
		return -1;
	for (int i = 0; i < STEPS_MAX && !b.broken; i++) {
		if (gsl_root_fsolver_iterate(&solver) != GSL_SUCCESS)
			return -1;
		if (gsl_root_test_interval(solver.x_lower, solver.x_upper, 0, WIDTH) != GSL_CONTINUE)
			break;
	}
	if (b.broken)
		return -1;
	*x = solver.root;
	return 0;
}

struct sloped {
	double (*f)(void *ctx, double x, double *slope);
	void *ctx;
	double x, value, slope; /* of the last call */
};

/* What GSL calls. It gets finite numbers in any case; the loop below looks at the true ones. */
static void call_both(double x, void *p, double *value, double *slope)
{
	struct sloped *s = p;
	if (!(x == s->x)) {
		s->x = x;
		s->value = s->f(s->ctx, x, &s->slope);
	}
	*value = isfinite(s->value) ? s->value : 0;
	*slope = isfinite(s->slope) ? s->slope : 1;
}

static double call_value(double x, void *p)
{
	double value, slope;
	call_both(x, p, &value, &slope);
	return value;
}

static double call_slope(double x, void *p)
{
	double value, slope;
	call_both(x, p, &value, &slope);
	return slope;
}

double ct_root_newton_down(double (*f)(void *ctx, double x, double *slope), void *ctx, double start)
{
	union solver_state state;
	struct sloped s = {.f = f, .ctx = ctx, .x = NAN};
	gsl_function_fdf function = {call_value, call_slope, call_both, &s};
	gsl_root_fdfsolver solver = {.type = gsl_root_fdfsolver_newton, .state = &state};
	double x = start;
	if (solver.type->size > sizeof state || !isfinite(start) ||
	    gsl_root_fdfsolver_set(&solver, &function, start) != GSL_SUCCESS)
		return start;
	for (int i = 0; i < STEPS_MAX && s.value > 0; i++) {
		if (!isfinite(s.value) || !isfinite(s.slope) || s.slope == 0 ||
		    gsl_root_fdfsolver_iterate(&solver) != GSL_SUCCESS ||
		    !(solver.root < x * (1 - LAST_STEP)))
			break;
		x = solver.root;
	}
	return x;
}

/* ---- distributions ---- */

/* Two-sided 95 %: what lies below the upper end. */
static const double BELOW_UPPER = 0.975;

double ct_normal_factor95(void)
{
	return gsl_cdf_ugaussian_Pinv(BELOW_UPPER);
}

double ct_student_factor95(unsigned freedom)
{
	return freedom > 0 ? gsl_cdf_tdist_Pinv(BELOW_UPPER, freedom) : INFINITY;
}

double ct_student_factor90(double freedom)
{
	static const double below_upper = 0.95;
	return freedom > 0 ? gsl_cdf_tdist_Pinv(below_upper, fmin(freedom, 1e6)) : INFINITY;
}

double ct_log_choose(double n, double k)
{
	gsl_sf_result r;
	if (!(k >= 0) || !(k <= n) || !isfinite(n))
		return NAN;
	if (k == 0 || k == n)
		return 0;
	return gsl_sf_lnbeta_e(k + 1, n - k + 1, &r) == GSL_SUCCESS ? -r.val - log(n + 1) : NAN;
}

/* ---- samples ---- */

double ct_mean(const double *v, size_t n)
{
	return gsl_stats_mean(v, 1, n);
}

double ct_mean_error(const double *v, size_t n)
{
	return n > 1 ? sqrt(gsl_stats_variance(v, 1, n) / (double)n) : INFINITY;
}

#include "pass/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/numeric.h"

void ct_sample_free(struct ct_sample_series *s)
{
	free(s->unit);
	free(s->stratum);
	memset(s, 0, sizeof *s);
}

int ct_sample_add_stratum(struct ct_sample_series *s, const struct ct_sample_stratum *x, size_t *index,
                          struct ct_error *e)
{
	if (ct_grow((void **)&s->stratum, &s->cap_strata, s->n_strata + 1, sizeof *s->stratum) < 0)
		return ct_fail_nomem(e);
	*index = s->n_strata;
	s->stratum[s->n_strata++] = *x;
	return CT_OK;
}

int ct_sample_add_unit(struct ct_sample_series *s, const struct ct_sample_unit *u, struct ct_error *e)
{
	if (ct_grow((void **)&s->unit, &s->cap, s->n + 1, sizeof *s->unit) < 0)
		return ct_fail_nomem(e);
	s->unit[s->n++] = *u;
	return CT_OK;
}

uint64_t ct_sample_name(const char *kernel)
{
	uint64_t h = CT_FNV_START;
	for (const char *c = kernel; *c; c++)
		h = ct_fnv_byte(h, (unsigned char)*c);
	h = ct_mix64(h);
	return h ? h : 1;
}

/* Welford's running mean and sum of squared differences of the units of a stratum. */
struct spread {
	double n, mean, m2;
};

static double weighted(const double rate[CT_SAMPLE_RATES], const double weight[CT_SAMPLE_RATES])
{
	double sum = 0;
	for (int i = 0; i < CT_SAMPLE_RATES; i++)
		sum += rate[i] * weight[i];
	return sum;
}

static int is_in(const struct ct_sample_stratum *x, struct ct_sample_scope scope)
{
	return (!scope.kernel || x->kernel == scope.kernel) &&
	       (!scope.launch || x->launch == scope.launch);
}

/* Welch and Satterthwaite's degrees of freedom: each stratum's variance of its total counts by its square. The finite
 * population correction takes off what has been measured. b may be NULL: else its rates are taken off a's. */
static double half_of(const struct ct_sample_series *a, const double wa[CT_SAMPLE_RATES],
                      const struct ct_sample_series *b, const double wb[CT_SAMPLE_RATES],
                      struct ct_sample_scope scope)
{
	double variance = 0, by_freedom = 0, drift = 0;
	if (!a->n_strata)
		return 0;
	struct spread *of = ct_calloc(a->n_strata, sizeof *of);
	if (!of)
		return NAN;
	for (size_t i = 0; i < a->n; i++) {
		struct spread *s = &of[a->unit[i].stratum];
		double v = weighted(a->unit[i].rate, wa) - (b ? weighted(b->unit[i].rate, wb) : 0);
		double d = v - s->mean;
		s->n++;
		s->mean += d / s->n;
		s->m2 += d * (v - s->mean);
	}
	for (size_t i = 0; i < a->n_strata; i++) {
		const struct ct_sample_stratum *x = &a->stratum[i];
		const struct spread *s = &of[i];
		if (!is_in(x, scope) || !(x->rest > 0))
			continue;
		double left = fmax(1 - x->measured / x->rest, 0);
		double v = s->n > 1 ? x->rest * x->rest * s->m2 / (s->n - 1) / s->n * left : INFINITY;
		variance += v;
		by_freedom += v > 0 && s->n > 1 ? v * v / (s->n - 1) : 0;
		drift += x->rest * left *
		         (weighted(x->drift, wa) - (b ? weighted(b->stratum[i].drift, wb) : 0));
	}
	free(of);
	if (!(variance < INFINITY))
		return INFINITY;
	double t = by_freedom > 0 ? ct_student_factor90(variance * variance / by_freedom) : 0;
	return sqrt(t * t * variance + drift * drift);
}

double ct_sample_half(const struct ct_sample_series *s, const double weight[CT_SAMPLE_RATES],
                      struct ct_sample_scope scope)
{
	return half_of(s, weight, NULL, NULL, scope);
}

/* Two engines have one sample when their units are of the same strata. */
static int is_same_sample(const struct ct_sample_series *a, const struct ct_sample_series *b)
{
	if (a->n != b->n || a->n_strata != b->n_strata || !(a->cycles > 0) || !(b->cycles > 0))
		return 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->unit[i].stratum != b->unit[i].stratum)
			return 0;
	return 1;
}

double ct_sample_ratio_half(const struct ct_sample_series *a, const struct ct_sample_series *b)
{
	double wa[CT_SAMPLE_RATES] = {0}, wb[CT_SAMPLE_RATES] = {0};
	const struct ct_sample_scope all = {0};
	if (!is_same_sample(a, b))
		return NAN;
	wa[CT_SAMPLE_CYCLES] = 1 / a->cycles;
	wb[CT_SAMPLE_CYCLES] = 1 / b->cycles;
	return half_of(a, wa, b, wb, all);
}

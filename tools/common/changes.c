#include "common/changes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

enum { POINTS_MAX = 1024 }; /* more are taken together: the search may need the square */

struct search {
	size_t n;
	unsigned dims;
	double *sum, *square; /* of the points before, [point * dims + dim] */
	double *best;         /* cost of the division of the first i points */
	size_t *from;         /* where its last stretch begins */
	size_t *open;         /* beginnings that may still be best */
};

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* The noise of a dimension from the differences of neighbours, which a change of the mean hardly moves: their median is
 * 0.6745 sqrt(2) standard deviations of normal noise. Where most do not differ at all it is taken as a quarter of the
 * spread, so that steps of a quiet signal count. `d` has room for n values. */
static double noise_of(const double *x, size_t n, unsigned dims, double mean, double *d)
{
	double square = 0;
	for (size_t i = 0; i < n; i++) {
		square += (x[i * dims] - mean) * (x[i * dims] - mean);
		d[i] = i ? fabs(x[i * dims] - x[(i - 1) * dims]) : 0;
	}
	qsort(d + 1, n - 1, sizeof *d, by_size);
	double noise = d[n / 2] / (0.6745 * sqrt(2)), least = 0.25 * sqrt(square / (double)n);
	return noise > least ? noise : least;
}

/* Makes each dimension one of unit noise around 0; what is not known lies at the mean. */
static void standardise_columns(double *x, size_t n, unsigned dims, double *room)
{
	for (unsigned k = 0; k < dims; k++) {
		double sum = 0;
		size_t known = 0;
		for (size_t i = 0; i < n; i++)
			if (!isnan(x[i * dims + k])) {
				sum += x[i * dims + k];
				known++;
			}
		double mean = known ? sum / (double)known : 0;
		for (size_t i = 0; i < n; i++)
			if (isnan(x[i * dims + k]))
				x[i * dims + k] = mean;
		double noise = n > 1 ? noise_of(x + k, n, dims, mean, room) : 0;
		for (size_t i = 0; i < n; i++)
			x[i * dims + k] = noise > 0 ? (x[i * dims + k] - mean) / noise : 0;
	}
}

/* Squared error of points [a, b) around their mean. */
static double error_of(const struct search *s, size_t a, size_t b)
{
	double error = 0, n = (double)(b - a);
	for (unsigned k = 0; k < s->dims; k++) {
		double sum = s->sum[b * s->dims + k] - s->sum[a * s->dims + k];
		error += s->square[b * s->dims + k] - s->square[a * s->dims + k] - sum * sum / n;
	}
	return error > 0 ? error : 0;
}

/* Divides n intervals into stretches of least squared error plus a penalty for each stretch, exactly
 * (PELT: Killick, Fearnhead and Eckley, JASA 2012): beginnings that can never be best again are
 * dropped. */
static void divide_stretches(struct search *s)
{
	double penalty = 2 * (s->dims + 1) * log((double)s->n);
	size_t open = 1;
	s->open[0] = 0;
	s->best[0] = -penalty;
	for (size_t i = 1; i <= s->n; i++) {
		size_t kept = 0;
		s->best[i] = INFINITY;
		for (size_t k = 0; k < open; k++) {
			double cost = s->best[s->open[k]] + error_of(s, s->open[k], i) + penalty;
			if (cost < s->best[i]) {
				s->best[i] = cost;
				s->from[i] = s->open[k];
			}
		}
		for (size_t k = 0; k < open; k++)
			if (s->best[s->open[k]] + error_of(s, s->open[k], i) <= s->best[i])
				s->open[kept++] = s->open[k];
		s->open[kept++] = i;
		open = kept;
	}
}

/* Numbers the phases of a run, from 0. Sums of values and squares make the error of any stretch one
 * subtraction. */
static int search_points(const double *x, size_t n, unsigned dims, unsigned *phase)
{
	struct search s = {.n = n, .dims = dims};
	s.sum = ct_calloc((n + 1) * dims, sizeof *s.sum);
	s.square = ct_calloc((n + 1) * dims, sizeof *s.square);
	s.best = ct_calloc(n + 1, sizeof *s.best);
	s.from = ct_calloc(n + 1, sizeof *s.from);
	s.open = ct_calloc(n + 2, sizeof *s.open);
	int st = s.sum && s.square && s.best && s.from && s.open ? 0 : -1;
	for (size_t i = 0; st == 0 && i < n * dims; i++) {
		s.sum[i + dims] = s.sum[i] + x[i];
		s.square[i + dims] = s.square[i] + x[i] * x[i];
	}
	if (st == 0) {
		divide_stretches(&s);
		for (size_t end = n; end > 0; end = s.from[end])
			phase[s.from[end]] = 1; /* a stretch begins */
		for (size_t i = 1; i < n; i++)
			phase[i] += phase[i - 1];
	}
	free(s.sum);
	free(s.square);
	free(s.best);
	free(s.from);
	free(s.open);
	return st;
}

int ct_changes(const double *value, size_t n, unsigned dims, unsigned *phase, struct ct_error *e)
{
	size_t per = n / POINTS_MAX + 1, points = (n + per - 1) / per;
	double *x = ct_calloc(points * dims, sizeof *x), *room = ct_calloc(points + 1, sizeof *room);
	unsigned *of = ct_calloc(points + 1, sizeof *of);
	int st = x && room && of ? 0 : -1;
	for (size_t i = 0; st == 0 && i < points; i++)
		for (unsigned k = 0; k < dims; k++) {
			double sum = 0;
			size_t known = 0;
			for (size_t j = i * per; j < n && j < (i + 1) * per; j++)
				if (!isnan(value[j * dims + k])) {
					sum += value[j * dims + k];
					known++;
				}
			x[i * dims + k] = known ? sum / (double)known : NAN;
		}
	if (st == 0 && points)
		standardise_columns(x, points, dims, room);
	if (st == 0 && points)
		st = search_points(x, points, dims, of);
	for (size_t i = 0; st == 0 && i < n; i++)
		phase[i] = of[i / per];
	free(x);
	free(room);
	free(of);
	return st == 0 ? CT_OK : ct_fail_nomem(e);
}

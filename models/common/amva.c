#include "models/common/amva.h"

#include <math.h>

#include "base/numeric.h"

struct network {
	const struct ct_amva_station *s;
	size_t n;
	double think, population;
	double others[CT_AMVA_STATIONS_MAX]; /* share of the others that an arrival meets */
	double each[CT_AMVA_STATIONS_MAX];   /* of what they keep busy, at a throughput of 1 */
};

static int is_amount(double v)
{
	return isfinite(v) && v >= 0;
}

static int is_valid(const struct network *w)
{
	if (w->n > CT_AMVA_STATIONS_MAX || !is_amount(w->think) || !is_amount(w->population) ||
	    w->population <= 0)
		return 0;
	for (size_t i = 0; i < w->n; i++)
		if (!is_amount(w->s[i].demand) || !is_amount(w->s[i].path) || !is_amount(w->s[i].wait) ||
		    !is_amount(w->s[i].servers) || w->s[i].servers <= 0)
			return 0;
	return 1;
}

static double throughput_bound(const struct network *w)
{
	double path = w->think, x = INFINITY;
	for (size_t i = 0; i < w->n; i++) {
		path += w->s[i].path;
		if (w->s[i].demand > 0)
			x = fmin(x, w->s[i].servers / w->s[i].demand);
	}
	return path > 0 ? fmin(x, w->population / path) : x;
}

double ct_amva_bound(const struct ct_amva_station *s, size_t n, double think, double population)
{
	struct network w = {.s = s, .n = n, .think = think, .population = population};
	return throughput_bound(&w);
}

static void count_others(struct network *w)
{
	for (size_t i = 0; i < w->n; i++) {
		double n = w->s[i].closed ? w->population / w->s[i].servers : w->population;
		w->others[i] = n > 1 ? (n - 1) / n : 0;
		w->each[i] = w->others[i] * w->s[i].demand / w->s[i].servers;
	}
}

static double residence_time(const struct network *w, size_t i, double x)
{
	const struct ct_amva_station *s = &w->s[i];
	double a = w->others[i], rho = fmin(x * s->demand / s->servers, 1);
	return s->path + s->wait * a * rho / (2 * (1 - a * rho));
}

/* Time of a turn at throughput x; *slope gets its derivative. No station is past the bound,
 * so none is more than busy. */
static double turn_time(const struct network *w, double x, double *slope)
{
	double t = w->think, grows = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct ct_amva_station *s = &w->s[i];
		double each = w->each[i], free = 1 / (1 - x * each), half = s->wait / 2 * each * free;
		t += s->path + half * x;
		grows += half * free;
	}
	*slope = grows;
	return t;
}

/* How far x * turn_time(x) is above the population. */
static double too_many(void *ctx, double x, double *slope)
{
	const struct network *w = ctx;
	double grows, t = turn_time(w, x, &grows);
	*slope = t + x * grows;
	return x * t - w->population;
}

/* x * turn_time(x) grows with x, ever faster: either it stays within N up to the bound, which the
 * slowest station then sets, or it crosses N once, and from the bound Newton's steps come
 * down to there. */
static double solve_network(struct network *w)
{
	double x = throughput_bound(w);
	return isfinite(x) ? ct_root_newton_down(too_many, w, x) : x;
}

static size_t slowest_station(const struct network *w)
{
	double largest = 0;
	size_t at = w->n;
	for (size_t i = 0; i < w->n; i++)
		if (w->s[i].demand / w->s[i].servers > largest) {
			largest = w->s[i].demand / w->s[i].servers;
			at = i;
		}
	return at;
}

int ct_amva_solve(const struct ct_amva_station *s, size_t n, double think, double population,
                  struct ct_amva_result *r)
{
	struct network w = {.s = s, .n = n, .think = think, .population = population};
	if (!is_valid(&w))
		return -1;
	count_others(&w);
	double x = solve_network(&w);
	r->throughput = x;
	r->bottleneck = slowest_station(&w);
	r->response = 0;
	for (size_t i = 0; i < n; i++) {
		int busy = isfinite(x) && s[i].demand > 0;
		r->residence[i] = isfinite(x) ? residence_time(&w, i, x) : 0;
		r->utilisation[i] = busy ? fmin(x * s[i].demand / s[i].servers, 1) : 0;
		r->response += r->residence[i];
	}
	/* At saturation, customers that are at no other station wait at the slowest one. */
	double missing = population / x - think - r->response;
	if (r->bottleneck < n && missing > 0) {
		r->residence[r->bottleneck] += missing;
		r->response += missing;
	}
	return 0;
}

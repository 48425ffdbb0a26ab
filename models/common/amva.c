#include "models/common/amva.h"

#include <math.h>

/* Halving a bracket of doubles ends at neighbours long before this. */
enum { MAX_HALVINGS = 200, FALSE_POSITIONS = 16 };
static const double HAIR = 1e-13; /* a few hundred neighbouring doubles */

struct network {
	const struct ct_amva_station *s;
	size_t n;
	double think, population;
	double others[CT_AMVA_STATIONS_MAX]; /* share of the others that an arrival meets */
};

static int amount(double v)
{
	return isfinite(v) && v >= 0;
}

static int valid(const struct network *w)
{
	if (w->n > CT_AMVA_STATIONS_MAX || !amount(w->think) || !amount(w->population) ||
	    w->population <= 0)
		return 0;
	for (size_t i = 0; i < w->n; i++)
		if (!amount(w->s[i].demand) || !amount(w->s[i].path) || !amount(w->s[i].wait) ||
		    !amount(w->s[i].servers) || w->s[i].servers <= 0)
			return 0;
	return 1;
}

static double bound(const struct network *w)
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
	struct network w = { .s = s, .n = n, .think = think, .population = population };
	return bound(&w);
}

static void count_others(struct network *w)
{
	for (size_t i = 0; i < w->n; i++) {
		double n = w->s[i].closed ? w->population / w->s[i].servers : w->population;
		w->others[i] = n > 1 ? (n - 1) / n : 0;
	}
}

/* Without a call and with one division: the bisection comes here fifty times a station. */
static inline double residence(const struct network *w, size_t i, double x)
{
	const struct ct_amva_station *s = &w->s[i];
	double a = w->others[i], busy = x * s->demand;
	if (s->servers != 1)
		busy /= s->servers;
	double rho = busy < 1 ? busy : 1;
	return s->path + s->wait * a * rho / (2 * (1 - a * rho));
}

static double turn(const struct network *w, double x)
{
	double t = w->think;
	for (size_t i = 0; i < w->n; i++)
		t += residence(w, i, x);
	return t;
}

static int fits(const struct network *w, double x)
{
	return x * turn(w, x) <= w->population;
}

/* Draws lo and hi together around the crossing: false position with the Illinois step (Dowell
 * and Jarratt 1971), then a hair to both sides of where it ends. */
static void narrow(const struct network *w, double *lo, double *hi)
{
	double below = *lo * turn(w, *lo) - w->population, above = *hi * turn(w, *hi) - w->population;
	double x = *lo;
	for (int i = 0, side = 0; i < FALSE_POSITIONS && *hi - *lo > HAIR * *hi; i++) {
		x = *hi - above * (*hi - *lo) / (above - below);
		if (!(x > *lo && x < *hi))
			break;
		double f = x * turn(w, x) - w->population;
		if (f <= 0) {
			*lo = x;
			below = f;
			above = side < 0 ? above / 2 : above;
			side = -1;
		} else {
			*hi = x;
			above = f;
			below = side > 0 ? below / 2 : below;
			side = 1;
		}
	}
	double left = x * (1 - HAIR), right = x * (1 + HAIR);
	if (left > *lo && fits(w, left))
		*lo = left;
	if (right < *hi && !fits(w, right))
		*hi = right;
}

/* x * turn(x) grows with x: either it stays within N up to the bound, which the
 * slowest station then sets, or it crosses N once. */
static double solve(const struct network *w)
{
	double lo = 0, hi = bound(w);
	if (!isfinite(hi) || fits(w, hi))
		return hi;
	narrow(w, &lo, &hi);
	for (int i = 0; i < MAX_HALVINGS; i++) {
		double mid = lo + (hi - lo) / 2;
		if (mid <= lo || mid >= hi)
			break;
		if (fits(w, mid))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static size_t slowest(const struct network *w)
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
	struct network w = { .s = s, .n = n, .think = think, .population = population };
	if (!valid(&w))
		return -1;
	count_others(&w);
	double x = solve(&w);
	r->throughput = x;
	r->bottleneck = slowest(&w);
	r->response = 0;
	for (size_t i = 0; i < n; i++) {
		int busy = isfinite(x) && s[i].demand > 0;
		r->residence[i] = isfinite(x) ? residence(&w, i, x) : 0;
		r->utilisation[i] = busy ? fmin(x * s[i].demand / s[i].servers, 1) : 0;
		r->response += r->residence[i];
	}
	/* At saturation whoever is nowhere else waits at the slowest station. */
	double missing = population / x - think - r->response;
	if (r->bottleneck < n && missing > 0) {
		r->residence[r->bottleneck] += missing;
		r->response += missing;
	}
	return 0;
}

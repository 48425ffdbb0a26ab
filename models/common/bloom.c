#include "models/common/bloom.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

double ct_bloom_classic(unsigned m, unsigned k, double n)
{
	if (m == 0 || n <= 0)
		return 0;
	return pow(1 - pow(1 - 1.0 / m, k * n), k);
}

double ct_bloom_partitioned(unsigned m, unsigned k, double n)
{
	if (m == 0 || n <= 0)
		return 0;
	return pow(1 - pow(1 - fmin((double)k / m, 1), n), k);
}

static int in_range(unsigned m, unsigned k)
{
	return m >= 1 && m <= CT_BLOOM_BITS_MAX && k >= 1 && k <= CT_BLOOM_HASHES_MAX;
}

/* Distribution of the number of set bits, p[lo..hi] of p[0..m]; what lies below lo is
 * too unlikely to matter (and slow to compute with: denormal). */
struct occupancy {
	double *p;
	unsigned m, lo, hi;
};

static int occupancy_start(struct occupancy *o, unsigned m)
{
	o->p = ct_calloc(m + 1u, sizeof *o->p);
	o->m = m;
	o->lo = o->hi = 0;
	if (o->p)
		o->p[0] = 1;
	return o->p != NULL;
}

static int power_of_two(unsigned m)
{
	return (m & (m - 1)) == 0;
}

/* The same to the last bit, without division where that is exact: most filters have a power
 * of two of bits, and every profile's estimate begins here. */
static void throw_exact(double *p, unsigned m, unsigned hi, unsigned lo)
{
	double share = 1.0 / m, set = hi, clear = m - hi + 1.0;
	for (unsigned x = hi; x > lo; x--, set--, clear++)
		p[x] = p[x] * set * share + p[x - 1] * clear * share;
}

static void throw_one(struct occupancy *o)
{
	double *p = o->p;
	unsigned m = o->m;
	if (o->hi < m)
		o->hi++;
	if (power_of_two(m))
		throw_exact(p, m, o->hi, o->lo);
	else
		for (unsigned x = o->hi; x > o->lo; x--)
			p[x] = p[x] * x / m + p[x - 1] * (m - x + 1) / m;
	p[o->lo] = p[o->lo] * o->lo / m;
	while (o->lo < o->hi && p[o->lo] < 1e-100)
		p[o->lo++] = 0;
}

static double false_positive(const struct occupancy *o, unsigned k)
{
	double sum = 0;
	for (unsigned x = o->lo; x <= o->hi; x++) {
		double share = (double)x / o->m, power = 1;
		for (unsigned i = 0; i < k; i++)
			power *= share;
		sum += o->p[x] * power;
	}
	return fmin(sum, 1);
}

int ct_bloom_exact(unsigned m, unsigned k, unsigned n_max, double *out)
{
	struct occupancy o;
	if (!in_range(m, k))
		return -1;
	if (!occupancy_start(&o, m))
		return -2;
	out[0] = 0;
	for (unsigned n = 1; n <= n_max; n++) {
		for (unsigned j = 0; j < k; j++)
			throw_one(&o);
		out[n] = false_positive(&o, k);
	}
	free(o.p);
	return 0;
}

/* With D distinct bits among a new key's k, all are set after j keys with probability
 * sum over i of (-1)^i C(D, i) (1 - i/m)^(jk): over all j, and over D, geometric series. */
double ct_bloom_ceiling(unsigned m, unsigned k)
{
	double p[CT_BLOOM_HASHES_MAX + 1] = {1}, sum = 1; /* the first key is always new */
	if (!in_range(m, k))
		return 0;
	for (unsigned j = 0; j < k; j++) {
		for (unsigned s = k; s > 0; s--)
			p[s] = p[s] * s / m + (s <= m ? p[s - 1] * (m - s + 1) / m : 0);
		p[0] = 0;
	}
	for (unsigned i = 1; i <= k && i <= m; i++) {
		double none = k * log1p(-(double)i / m), share = 0, choose = 1;
		for (unsigned s = i; s <= k && s <= m; s++) {
			share += p[s] * choose;
			choose *= (double)(s + 1) / (s + 1 - i);
		}
		sum += (i % 2 ? share : -share) * exp(none) / -expm1(none);
	}
	return sum;
}

static double value_at(const double *v, size_t n, size_t i)
{
	return v[i < n ? i : n - 1];
}

/* Distinct keys BF2 holds when its counter reaches a: one key more counts 1 - F. */
static double keys_at_swap(const double *f, size_t n_f, unsigned a)
{
	double counted = 0, keys = 0;
	for (size_t j = 0;; j++) {
		double step = 1 - value_at(f, n_f, j);
		if (step < 1e-9)
			return INFINITY;
		if (counted + step >= a)
			return keys + (a - counted) / step;
		counted += step;
		keys += 1;
	}
}

/* Accesses until `keys` distinct blocks were seen: sum of 1 / M(j). */
static double time_to(const double *miss, size_t n, double keys)
{
	double t = 0;
	for (size_t j = 0; (double)j < keys; j++) {
		double m = value_at(miss, n, j), part = fmin(keys - (double)j, 1);
		if (m <= 0)
			return INFINITY;
		t += part / m;
	}
	return t;
}

/* Sums over one cycle, in which BF1 grows from a' distinct blocks: the time it
 * holds D blocks is 1 / M(D). */
static void integrate_cycle(const double *miss, size_t n, const double *f, size_t n_f, double m_a,
                            struct ct_dual_bloom *o)
{
	double t = 0, stale = 0, alias = 0, keys = 0, d = o->keys_at_swap;
	while (t < o->cycle) {
		size_t j = (size_t)d;
		double md = value_at(miss, n, j), next = (double)j + 1;
		double dt = md > 0 ? (next - d) / md : INFINITY;
		if (t + dt > o->cycle)
			dt = o->cycle - t;
		double mid = d + dt * md / 2, part = mid - (double)j;
		double fd = value_at(f, n_f, j) * (1 - part) + value_at(f, n_f, j + 1) * part;
		stale += dt * fmax(m_a - md, 0);
		alias += dt * fmin(md, m_a) * fd;
		keys += dt * mid;
		t += dt;
		d = next;
	}
	o->stale = stale / o->cycle;
	o->alias = alias / o->cycle;
	o->mean_keys = keys / o->cycle;
}

/* The filters never swap: BF1 holds every block the set ever saw (the stream touches
 * fewer than it takes to swap) or has all its bits set (the counter cannot get
 * there). Either way each miss is predicted "hit". */
static void never_swaps(const double *miss, size_t n, struct ct_dual_bloom *o)
{
	size_t held = 0;
	while (held < n && miss[held] > 0)
		held++;
	o->mean_keys = held < n ? (double)held : INFINITY;
	o->stale = o->miss_rate;
}

int ct_dual_bloom_eval(const double *miss, size_t n_miss, const double *f, size_t n_f, unsigned m,
                       unsigned k, unsigned associativity, double ceiling, struct ct_dual_bloom *o)
{
	if (n_miss == 0 || n_f == 0 || associativity == 0 || !in_range(m, k))
		return -1;
	double m_a = value_at(miss, n_miss, associativity);
	*o = (struct ct_dual_bloom){.miss_rate = m_a, .ceiling = ceiling};
	o->dead = associativity >= ceiling;
	o->doubtful = associativity > 0.8 * ceiling;
	o->keys_at_swap = o->dead ? INFINITY : keys_at_swap(f, n_f, associativity);
	o->cycle = isfinite(o->keys_at_swap) ? time_to(miss, n_miss, o->keys_at_swap) : INFINITY;
	if (isfinite(o->cycle))
		integrate_cycle(miss, n_miss, f, n_f, m_a, o);
	else
		never_swaps(miss, n_miss, o);
	o->false_positives = o->stale + o->alias;
	if (m_a > 0) {
		o->given_miss = fmin(o->false_positives / m_a, 1);
		o->stale /= m_a;
		o->alias /= m_a;
	}
	return 0;
}

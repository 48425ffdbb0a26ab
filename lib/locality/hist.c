#include "locality/hist.h"

#include <math.h>

enum { SIGMAS = 12, SKEW = 60, LEAST_LOG = -600 };

uint64_t ct_hist_lo(unsigned bin)
{
	if (bin < CT_HIST_EXACT)
		return bin;
	unsigned k = bin - CT_HIST_EXACT;
	return (uint64_t)(16 + k % 16) << (k / 16 + 4);
}

uint64_t ct_hist_hi(unsigned bin)
{
	/* The last bin ends at 2^64, which does not fit: CT_COLD stands outside it. */
	return bin + 1 < CT_HIST_BINS ? ct_hist_lo(bin + 1) : UINT64_MAX;
}

int ct_hist_bin_at(uint64_t lo)
{
	unsigned bin = ct_hist_bin(lo);
	return ct_hist_lo(bin) == lo ? (int)bin : -1;
}

uint64_t ct_hist_total(const struct ct_hist *h)
{
	uint64_t n = h->cold;
	for (unsigned i = 0; i < CT_HIST_BINS; i++)
		n += h->count[i];
	return n;
}

void ct_hist_merge(struct ct_hist *into, const struct ct_hist *from)
{
	for (unsigned i = 0; i < CT_HIST_BINS; i++)
		into->count[i] += from->count[i];
	into->cold += from->cold;
}

double ct_hist_hits(const struct ct_hist *h, double capacity)
{
	uint64_t whole = 0;
	double part = 0;
	for (unsigned i = 0; i < CT_HIST_BINS; i++) {
		if (h->count[i] == 0)
			continue;
		double lo = (double)ct_hist_lo(i), hi = (double)ct_hist_hi(i);
		if (hi <= capacity)
			whole += h->count[i];
		else if (lo < capacity)
			part += (double)h->count[i] * (capacity - lo) / (hi - lo);
	}
	return (double)whole + part;
}

/* P(X = k), k = 0, 1 ..., X ~ Binomial(n, p): products where (1-p)^n is a
 * normal number, else in the log domain, because the terms near `ways` still count. */
struct terms {
	double n, odds, term, log_term;
	int by_log;
};

static struct terms terms_of(uint64_t n, double p)
{
	struct terms t = {.n = (double)n, .odds = p / (1 - p)};
	t.log_term = t.n * log1p(-p);
	t.by_log = t.log_term < LEAST_LOG;
	t.term = t.by_log ? 0 : exp(t.log_term);
	return t;
}

static double next_term(struct terms *t, unsigned k)
{
	double now = t->by_log ? exp(t->log_term) : t->term;
	double factor = (t->n - k) / (k + 1.0) * t->odds;
	if (t->by_log)
		t->log_term += log(factor);
	else
		t->term *= factor;
	return now;
}

/* E[min(X, ways)] for X ~ Binomial(n, p): ways - sum over k < ways of
 * (ways - k) P(X = k). */
static double capped_mean(uint64_t n, double p, unsigned ways)
{
	struct terms t = terms_of(n, p);
	double missing = 0;
	for (unsigned k = 0; k < ways && (uint64_t)k <= n; k++)
		missing += (double)(ways - k) * next_term(&t, k);
	return (double)ways - missing;
}

/* P(Binomial(n, p) < ways). */
static double below(uint64_t n, double p, unsigned ways)
{
	struct terms t = terms_of(n, p);
	double sum = 0;
	if (n < ways)
		return 1;
	for (unsigned k = 0; k < ways; k++)
		sum += next_term(&t, k);
	return sum < 1 ? sum : 1;
}

double ct_binomial_hit(uint64_t lo, uint64_t hi, double p, unsigned ways)
{
	if (ways == 0)
		return 0;
	if (hi <= ways)
		return 1;
	if (p >= 1)
		return lo >= ways ? 0 : (double)(ways - lo) / (double)(hi - lo);
	/* So far out that the sum is 0 or 1 to the last digit: by Chernoff's bounds both tails
	 * are below exp(-70). */
	double most = (double)hi * p, least = (double)lo * p;
	if (most + SIGMAS * sqrt(most) + SKEW < ways)
		return 1;
	if (least - SIGMAS * sqrt(least) > ways)
		return 0;
	if (hi - lo == 1)
		return below(lo, p, ways);
	/* Of n random placements the expected number that fall into the set before it has
	 * got `ways` is p * sum over d < n of P(Binomial(d, p) < ways), and also
	 * E[min(Binomial(n, p), ways)]: the sum over a bin is a difference of two means. */
	double sum = (capped_mean(hi, p, ways) - capped_mean(lo, p, ways)) / p;
	double mean = sum / (double)(hi - lo);
	return mean < 0 ? 0 : mean > 1 ? 1 : mean;
}

double ct_hist_hits_assoc(const struct ct_hist *h, double capacity, unsigned ways)
{
	if (ways == 0 || !(capacity > 0))
		return 0;
	if ((double)ways >= capacity)
		return ct_hist_hits(h, capacity);
	double p = (double)ways / capacity, hits = 0;
	for (unsigned i = 0; i < CT_HIST_BINS; i++)
		if (h->count[i])
			hits += (double)h->count[i] *
			        ct_binomial_hit(ct_hist_lo(i), ct_hist_hi(i), p, ways);
	return hits;
}

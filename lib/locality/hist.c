#include "locality/hist.h"

#include <math.h>

enum { SIGMAS = 12, SKEW = 60, LEAST_LOG = -600, STEPS_MAX = 8 };

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

void ct_hist_cut(struct ct_hist *h, uint64_t n)
{
	for (unsigned i = 0; i < CT_HIST_BINS && n > 0; i++) {
		const uint64_t less = h->count[i] < n ? h->count[i] : n;
		h->count[i] -= less;
		n -= less;
	}
	h->cold -= h->cold < n ? h->cold : n;
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
	if (!(capacity > 0))
		return 0;
	unsigned cut = capacity < 0x1p64 ? ct_hist_bin((uint64_t)capacity) : CT_HIST_BINS - 1;
	for (unsigned i = 0; i < cut; i++)
		whole += h->count[i];
	double lo = (double)ct_hist_lo(cut), hi = (double)ct_hist_hi(cut);
	double share = hi <= capacity ? 1 : (capacity - lo) / (hi - lo);
	return (double)whole + (double)h->count[cut] * share;
}

/* P(X = k), k = 0, 1 ..., X ~ Binomial(n, p): products where (1-p)^n is a
 * normal number, else in the log domain, because the terms near `ways` still count. */
struct terms {
	double n, odds, term, log_term;
	int by_log;
};

static struct terms terms_of(const struct ct_binomial *b, uint64_t n)
{
	struct terms t = {.n = (double)n, .odds = b->odds};
	t.log_term = t.n * b->log_none;
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
 * (ways - k) P(X = k). The end of a bin is the beginning of the next. */
static double capped_mean(struct ct_binomial *b, uint64_t n)
{
	if (n == b->mean_of)
		return b->mean;
	struct terms t = terms_of(b, n);
	double missing = 0;
	for (unsigned k = 0; k < b->ways && (uint64_t)k <= n; k++)
		missing += (double)(b->ways - k) * next_term(&t, k);
	b->mean_of = n;
	return b->mean = (double)b->ways - missing;
}

/* P(Binomial(n, p) < ways) for n >= ways. Where the last n that was asked for is a few steps back,
 * it is computed from that one: a further draw takes away the cases that had ways - 1 and draw one
 * more. */
static double chance_below(struct ct_binomial *b, uint64_t n)
{
	if (!(b->below_of <= n && n - b->below_of <= STEPS_MAX)) {
		struct terms t = terms_of(b, n);
		b->below = 0;
		for (unsigned k = 0; k < b->ways; k++)
			b->below += b->brim = next_term(&t, k);
		b->below_of = n;
	}
	for (; b->below_of < n; b->below_of++) {
		double now = (double)b->below_of;
		b->below -= b->p * b->brim;
		b->brim *= (now + 1) * (1 - b->p) / (now + 2 - b->ways);
	}
	return b->below < 1 ? fmax(b->below, 0) : 1;
}

void ct_binomial_start(struct ct_binomial *b, double p, unsigned ways)
{
	/* So far out that the sum is 0 or 1 to the last digit: by Chernoff's bounds both tails
	 * are below exp(-70). With m the mean: m - 12 sqrt(m) > ways, and m + 12 sqrt(m) + 60 <
	 * ways. */
	const double half = SIGMAS / 2., w = ways;
	double root = w > SKEW ? sqrt(half * half + w - SKEW) - half : 0;
	*b = (struct ct_binomial){.p = p, .ways = ways, .mean_of = CT_COLD, .below_of = CT_COLD};
	b->sure = root * root;
	root = half + sqrt(half * half + w);
	b->never = root * root;
	if (p < 1) {
		b->odds = p / (1 - p);
		b->log_none = log1p(-p);
	}
}

double ct_binomial_share(struct ct_binomial *b, uint64_t lo, uint64_t hi)
{
	unsigned ways = b->ways;
	if (ways == 0)
		return 0;
	if (hi <= ways)
		return 1;
	if (b->p >= 1)
		return lo >= ways ? 0 : (double)(ways - lo) / (double)(hi - lo);
	if ((double)hi * b->p < b->sure)
		return 1;
	if ((double)lo * b->p > b->never)
		return 0;
	if (hi - lo == 1)
		return chance_below(b, lo);
	/* The expected number of n random placements that fall into the set before it has
	 * got `ways` is p * sum over d < n of P(Binomial(d, p) < ways), and also
	 * E[min(Binomial(n, p), ways)]: the sum over a bin is a difference of two means. */
	double first = capped_mean(b, lo), sum = (capped_mean(b, hi) - first) / b->p;
	double mean = sum / (double)(hi - lo);
	return mean < 0 ? 0 : mean > 1 ? 1 : mean;
}

double ct_binomial_hit(uint64_t lo, uint64_t hi, double p, unsigned ways)
{
	struct ct_binomial b;
	ct_binomial_start(&b, p, ways);
	return ct_binomial_share(&b, lo, hi);
}

void ct_hist_hits_of(const struct ct_hist *const *h, unsigned n, double capacity, unsigned ways,
                     double *hits)
{
	struct ct_binomial b;
	int sets = ways > 0 && capacity > 0 && (double)ways < capacity;
	for (unsigned k = 0; k < n; k++)
		hits[k] = sets || ways == 0 ? 0 : ct_hist_hits(h[k], capacity);
	if (!sets)
		return;
	ct_binomial_start(&b, (double)ways / capacity, ways);
	for (unsigned i = 0; i < CT_HIST_BINS && (double)ct_hist_lo(i) * b.p <= b.never; i++) {
		uint64_t any = 0;
		for (unsigned k = 0; k < n; k++)
			any |= h[k]->count[i];
		if (!any)
			continue;
		double share = ct_binomial_share(&b, ct_hist_lo(i), ct_hist_hi(i));
		for (unsigned k = 0; k < n; k++)
			hits[k] += (double)h[k]->count[i] * share;
	}
}

double ct_hist_hits_assoc(const struct ct_hist *h, double capacity, unsigned ways)
{
	double hits;
	ct_hist_hits_of(&h, 1, capacity, ways, &hits);
	return hits;
}

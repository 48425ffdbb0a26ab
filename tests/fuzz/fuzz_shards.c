/* Sampled miss-ratio curves. At a fixed rate they are what the sample's walked list gives by the
 * published formula (shards.h), at rate 1 the exact curve; with a bounded sample they keep to what
 * the header promises; neither pieces nor vector units matter. Eight bytes of options, two for each
 * access. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/sample.h"
#include "locality/shards.h"
#include "tests/support/brute_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 1500, POINTS = 8 };

static const double capacities[POINTS] = {0, 0.5, 1, 3, 17.25, 100, 1e4, 1e300};

struct stream {
	uint64_t line[MAX];
	size_t n;
};

static void must(int ok)
{
	if (!ok)
		abort();
}

/* Near each other, strided, at the end of the range, anywhere; runs of repeats. */
static void fill(struct stream *s, const uint8_t *p, size_t n, unsigned spread)
{
	s->n = 0;
	for (size_t i = 0; i + 1 < n && s->n < MAX; i += 2) {
		uint64_t number = p[i] | (uint64_t)(p[i + 1] & 3) << 8;
		uint64_t line = (spread & 3) == 0   ? number
		                : (spread & 3) == 1 ? number << (spread >> 2 & 31)
		                : (spread & 3) == 2 ? number - 512
		                                    : ct_mix64(number);
		for (unsigned k = p[i + 1] >> 5; s->n < MAX; k--) {
			s->line[s->n++] = line;
			if (k == 0)
				break;
		}
	}
}

static double real_rate(const uint8_t *p)
{
	switch (p[0] & 3) {
	case 0: return 1;
	case 1: return (p[1] + 1) / 256.0;
	case 2: return ldexp(1, -(p[1] & 127));
	default: return ldexp(1 + p[1] / 256.0, -1000);
	}
}

static struct ct_shards *make(const struct ct_shards_options *o, const struct stream *s, unsigned piece)
{
	struct ct_error e;
	struct ct_shards *t = ct_shards_new(o, &e);
	if (!t)
		return NULL;
	for (size_t i = 0; i < s->n; i += piece)
		ct_shards_access(t, s->line + i, s->n - i < piece ? s->n - i : piece);
	must(ct_shards_check(t, &e) == 0);
	return t;
}

/* Hits within the sample of salt k at a capacity of its own, counted on the list. */
static double walked(const struct ct_sampler *f, const struct stream *s, unsigned k, double capacity)
{
	struct brute_stack b = {0};
	double rate = ct_sampler_rate(f, k), within = capacity * rate, middle = within + (1 - rate) / 2;
	double hits = 0, sampled = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!(ct_sample_mask(f, s->line[i]) >> k & 1))
			continue;
		uint64_t d = brute_access(&b, s->line[i], 1, 1, 1, NULL);
		double part = d == UINT64_MAX ? 0 : middle - (double)d;
		hits += part < 0 ? 0 : part > 1 ? 1 : part;
		sampled++;
	}
	brute_free(&b);
	double n = (double)s->n, missing = n * rate - sampled;
	double miss = 1 - (hits + missing * (within < 1 ? within : 1)) / rate / n;
	return miss < 0 ? 0 : miss > 1 ? 1 : miss;
}

static void against_list(const struct ct_shards_options *o, const struct stream *s,
                         const struct ct_shards_point *p)
{
	struct ct_sampler f;
	unsigned salts = o->salts ? o->salts : 1;
	ct_sampler_init(&f, o->rate, salts, o->seed, CT_ISA_PORTABLE);
	for (size_t c = 0; c < POINTS; c++) {
		double sum = 0;
		for (unsigned k = 0; k < salts; k++)
			sum += walked(&f, s, k, capacities[c]);
		must(fabs(sum / salts - p[c].miss_ratio) < 1e-9);
	}
}

static void promises(const struct ct_shards_options *o, const struct stream *s,
                     const struct ct_shards *t, const struct ct_shards_point *p)
{
	unsigned salts = o->salts ? o->salts : 1;
	for (size_t c = 0; c < POINTS; c++) {
		must(s->n ? p[c].miss_ratio >= 0 && p[c].miss_ratio <= 1 : isnan(p[c].miss_ratio));
		if (s->n == 0)
			continue;
		must(p[c].low <= p[c].miss_ratio && p[c].high >= p[c].miss_ratio && p[c].low >= 0 &&
		     p[c].high <= 1);
		must(salts > 1 ? p[c].half_width >= 0 : isnan(p[c].half_width));
	}
	must(ct_shards_rate(t) > 0 && ct_shards_rate(t) <= 1);
	must(ct_shards_lines(t) >= 0 && isfinite(ct_shards_lines(t)));
	if (o->max_lines)
		must(ct_shards_sampled(t) <= o->max_lines * salts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stream s;
	struct ct_shards_point a[POINTS], b[POINTS];
	if (size < 8)
		return 0;
	struct ct_shards_options o = {
		.rate = real_rate(data),
		.salts = data[2] % 5,
		.seed = data[3],
		.max_lines = data[4] & 1 ? 16 + (data[4] >> 1) : 0,
		.isa = CT_ISA_PORTABLE};
	struct ct_shards_options other = o;
	other.isa = 1 + data[5] % (CT_ISA_COUNT - 1);
	if (!ct_isa_available((enum ct_isa)other.isa))
		other.isa = 0;
	fill(&s, data + 8, size - 8, data[6]);
	struct ct_shards *t = make(&o, &s, MAX), *u = make(&other, &s, 1 + data[7]);
	must(t && u);
	ct_shards_curve(t, capacities, POINTS, a);
	ct_shards_curve(u, capacities, POINTS, b);
	promises(&o, &s, t, a);
	must(ct_shards_sampled(t) == ct_shards_sampled(u) && ct_shards_lines(t) == ct_shards_lines(u));
	for (size_t c = 0; c < POINTS && s.n; c++)
		must(a[c].miss_ratio == b[c].miss_ratio && a[c].low == b[c].low &&
		     a[c].high == b[c].high);
	if (!o.max_lines && s.n)
		against_list(&o, &s, a);
	ct_shards_free(t);
	ct_shards_free(u);
	return 0;
}

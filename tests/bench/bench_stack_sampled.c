/* Sampled miss-ratio curves (shards.h): speed in accesses per CPU second, memory, error
 * against the exact curve at 100 sizes up to the footprint, and what the error bars hold.
 *   CT_BENCH_N         accesses for speed (default 50 million)
 *   CT_BENCH_SEED_N    accesses for errors (default 20 million)
 *   CT_BENCH_SEEDS     seeds for coverage (default 200); the first 20 give the error
 *   CT_BENCH_STREAMS   bit mask */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locality/shards.h"
#include "locality/stack.h"
#include "tests/support/bench.h"
#include "tests/support/streams.h"

enum { SALTS = 4, SIZES = 100, ERROR_SEEDS = 20, ROUNDS = 5, MAX_SEEDS = 1000, PIECE = 1 << 16 };

struct exact {
	double capacity[SIZES], truth[SIZES];
};

static void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "bench_stack_sampled: %s\n", what);
		exit(1);
	}
}

/* From a histogram with one bin per distance. */
static void find_exact(const uint64_t *line, size_t n, struct exact *x)
{
	struct ct_stack *s = ct_stack_new(NULL, NULL);
	static uint64_t distance[PIECE];
	uint64_t *count = calloc(n + 1, sizeof *count), hits = 0, at = 0;
	must(s && count, "out of memory");
	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < PIECE ? n - i : PIECE;
		ct_stack_touch_batch(s, line + i, m, distance);
		for (size_t k = 0; k < m; k++)
			count[distance[k] < n ? distance[k] : n]++;
	}
	must(ct_stack_check(s, NULL) == 0, "out of memory");
	uint64_t lines = ct_stack_lines(s);
	for (int k = 0; k < SIZES; k++) {
		uint64_t c = lines * (uint64_t)(k + 1) / SIZES;
		for (; at < c; at++)
			hits += count[at];
		x->capacity[k] = (double)c;
		x->truth[k] = 1 - (double)hits / (double)n;
	}
	free(count);
	ct_stack_free(s);
}

static struct ct_shards *pass(const struct ct_shards_options *o, const uint64_t *line, size_t n,
                              double *mps)
{
	struct ct_shards *s = ct_shards_new(o, NULL);
	must(s != NULL, "out of memory");
	double start = bench_cpu();
	ct_shards_access(s, line, n);
	*mps = (double)n / (bench_cpu() - start) / 1e6;
	must(ct_shards_check(s, NULL) == 0, "out of memory");
	return s;
}

static void speed(const char *name, const struct ct_shards_options *o, const uint64_t *line, size_t n)
{
	double mps[ROUNDS];
	struct ct_shards *s = NULL;
	for (int i = 0; i < ROUNDS; i++) {
		ct_shards_free(s);
		s = pass(o, line, n, &mps[i]);
	}
	bench_spread_rows("sampled", name, "speed", mps, ROUNDS, "M/s");
	bench_row("sampled", name, "memory", (double)ct_shards_bytes(s) / 1e6, "MB");
	bench_row("sampled", name, "lines", (double)ct_shards_sampled(s), "lines");
	ct_shards_free(s);
}

struct score {
	double error[MAX_SEEDS]; /* mean absolute, per seed */
	double covered, in_band, width, squares;
};

static void one_seed(const struct ct_shards_options *o, const uint64_t *line, size_t n,
                     const struct exact *x, unsigned seeds, struct score *r)
{
	struct ct_shards_point p[SIZES];
	double mps, error = 0;
	struct ct_shards *s = pass(o, line, n, &mps);
	ct_shards_curve(s, x->capacity, SIZES, p);
	for (int k = 0; k < SIZES; k++) {
		double e = fabs(p[k].miss_ratio - x->truth[k]), share = 1.0 / SIZES / seeds;
		error += e / SIZES;
		r->squares += e * e * share;
		r->covered += (e <= p[k].half_width + 1e-12) * share;
		r->in_band += (x->truth[k] >= p[k].low - 1e-12 && x->truth[k] <= p[k].high + 1e-12) *
		              share;
		r->width += p[k].half_width * share;
	}
	r->error[o->seed - 1] = error;
	ct_shards_free(s);
}

static void errors(const char *name, struct ct_shards_options o, const uint64_t *line, size_t n,
                   const struct exact *x, unsigned seeds)
{
	static struct score r;
	memset(&r, 0, sizeof r);
	if (seeds == 0)
		return;
	for (o.seed = 1; o.seed <= seeds; o.seed++)
		one_seed(&o, line, n, x, seeds, &r);
	unsigned first = seeds < ERROR_SEEDS ? seeds : ERROR_SEEDS;
	bench_spread_rows("sampled", name, "mean_error", r.error, first, "ratio");
	if (o.salts < 2)
		return;
	bench_row("sampled", name, "error_rms", sqrt(r.squares), "ratio");
	bench_row("sampled", name, "coverage", r.covered * 100, "%");
	bench_row("sampled", name, "coverage_along_capacity", r.in_band * 100, "%");
	bench_row("sampled", name, "half_width_over_rms", r.width / sqrt(r.squares), "x");
}

static void one_stream(enum stream_kind k, uint64_t *line, size_t n, size_t seed_n, unsigned seeds)
{
	static const double rates[] = {0.01, 0.001};
	static struct exact x;
	char name[64];
	stream_fill(k, 1, line, n > seed_n ? n : seed_n);
	if (seeds)
		find_exact(line, seed_n, &x);
	for (int r = 0; r < 2; r++)
		for (unsigned salts = 1; salts <= SALTS; salts += SALTS - 1) {
			struct ct_shards_options o = {.rate = rates[r], .salts = salts, .seed = 1};
			snprintf(name, sizeof name, "%s/rate%g/salts%u", stream_name(k), rates[r],
			         salts);
			if (n)
				speed(name, &o, line, n);
			errors(name, o, line, seed_n, &x,
			       salts > 1 || seeds < ERROR_SEEDS ? seeds : ERROR_SEEDS);
		}
	struct ct_shards_options o = {.rate = 0.1, .salts = 4, .seed = 1, .max_lines = 8192};
	snprintf(name, sizeof name, "%s/lines8192/salts4", stream_name(k));
	if (n)
		speed(name, &o, line, n);
	errors(name, o, line, seed_n, &x, seeds < ERROR_SEEDS ? seeds : ERROR_SEEDS);
}

int main(void)
{
	size_t n = bench_number("CT_BENCH_N", 50000000);
	size_t seed_n = bench_number("CT_BENCH_SEED_N", 20000000);
	uint64_t seeds = bench_number("CT_BENCH_SEEDS", 200);
	uint64_t streams = bench_number("CT_BENCH_STREAMS", UINT64_MAX);
	uint64_t *line = malloc((n > seed_n ? n : seed_n) * sizeof *line);
	must(line != NULL, "out of memory");
	for (int k = 0; k < STREAM_KINDS; k++)
		if (streams >> k & 1)
			one_stream((enum stream_kind)k, line, n, seed_n,
			           seeds < MAX_SEEDS ? (unsigned)seeds : MAX_SEEDS);
	free(line);
	return 0;
}

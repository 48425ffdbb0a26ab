#include "locality/shards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/numeric.h"
#include "locality/fine.h"
#include "locality/sample.h"
#include "locality/stack.h"

enum { PIECE = 1 << 14, LEAST_MAX_LINES = 16 };

/* What was counted at one rate. */
struct epoch {
	double rate;
	uint64_t accesses, sampled; /* of the stream; of the sample */
	struct ct_fine hist;        /* distances within the sample */
};

struct salt {
	struct ct_stack *stack;
	struct epoch *epoch;
	size_t epochs, epoch_cap;
	uint64_t *line; /* the sampled lines, for max_lines */
	size_t lines, line_cap;
};

struct ct_shards {
	struct ct_sampler sampler;
	uint64_t max_lines;
	int failed;
	struct salt salt[CT_SAMPLE_SALTS];
	uint32_t hit[PIECE];
	uint64_t picked[PIECE], distance[PIECE];
	uint32_t place[PIECE]; /* of picked lines in the piece */
};

static struct epoch *last_epoch(const struct salt *t)
{
	return &t->epoch[t->epochs - 1];
}

static int new_epoch(struct salt *t, double rate)
{
	if (ct_grow((void **)&t->epoch, &t->epoch_cap, t->epochs + 1, sizeof *t->epoch) < 0)
		return -1;
	memset(&t->epoch[t->epochs], 0, sizeof *t->epoch);
	t->epoch[t->epochs++].rate = rate;
	return 0;
}

struct ct_shards *ct_shards_new(const struct ct_shards_options *o, struct ct_error *e)
{
	unsigned salts = o->salts ? o->salts : 1;
	if (!(o->rate > 0 && o->rate <= 1) || salts > CT_SAMPLE_SALTS ||
	    (o->max_lines && o->max_lines < LEAST_MAX_LINES)) {
		ct_fail(e, CT_ERR_USAGE,
		        "sampling at rate %g with %u salts of %llu lines: need a "
		        "rate above 0 and at most 1, up to %d salts, 0 or at least %d lines",
		        o->rate, salts, (unsigned long long)o->max_lines, (int)CT_SAMPLE_SALTS,
		        (int)LEAST_MAX_LINES);
		return NULL;
	}
	struct ct_shards *s = ct_calloc(1, sizeof *s);
	if (!s) {
		ct_fail_nomem(e);
		return NULL;
	}
	ct_sampler_init(&s->sampler, o->rate, salts, o->seed, o->isa);
	s->max_lines = o->max_lines;
	struct ct_stack_options so = {.isa = o->isa, .slack = 1 << 16};
	for (unsigned k = 0; k < salts; k++) {
		s->salt[k].stack = ct_stack_new(&so, e);
		if (s->salt[k].stack && new_epoch(&s->salt[k], ct_sampler_rate(&s->sampler, k)) == 0)
			continue;
		ct_fail_nomem(e);
		ct_shards_free(s);
		return NULL;
	}
	return s;
}

void ct_shards_free(struct ct_shards *s)
{
	if (!s)
		return;
	for (unsigned k = 0; k < CT_SAMPLE_SALTS; k++) {
		struct salt *t = &s->salt[k];
		for (size_t i = 0; i < t->epochs; i++)
			ct_fine_free(&t->epoch[i].hist);
		ct_stack_free(t->stack);
		free(t->epoch);
		free(t->line);
	}
	free(s);
}

/* Halves the rate of salt k until its sample fits, and starts a new epoch. */
static int halve_rate(struct ct_shards *s, unsigned k)
{
	struct salt *t = &s->salt[k];
	while (t->lines > s->max_lines) {
		size_t kept = 0;
		s->sampler.limit[k] /= 2;
		for (size_t i = 0; i < t->lines; i++) {
			if (ct_sample_hash(&s->sampler, t->line[i], k) < s->sampler.limit[k])
				t->line[kept++] = t->line[i];
			else
				ct_stack_invalidate(t->stack, t->line[i]);
		}
		t->lines = kept;
	}
	return new_epoch(t, ct_sampler_rate(&s->sampler, k));
}

/* Counts distances of `n` sampled accesses, and keeps the list of lines. */
static int count_sampled(struct ct_shards *s, struct salt *t, size_t from, size_t n)
{
	struct epoch *p = last_epoch(t);
	ct_stack_touch_batch(t->stack, s->picked + from, n, s->distance);
	p->sampled += n;
	if (ct_fine_add(&p->hist, s->distance, n) < 0)
		return -1;
	for (size_t i = 0; s->max_lines && i < n; i++) {
		if (s->distance[i] != CT_COLD)
			continue;
		if (ct_grow((void **)&t->line, &t->line_cap, t->lines + 1, sizeof *t->line) < 0)
			return -1;
		t->line[t->lines++] = s->picked[from + i];
	}
	return 0;
}

/* One salt's share of a piece of n accesses, of which m are picked. */
static int step_salt(struct ct_shards *s, unsigned k, size_t n, size_t m)
{
	struct salt *t = &s->salt[k];
	size_t begun = 0, i = 0; /* accesses of the piece that earlier epochs took */
	while (i < m) {
		size_t batch = m - i;
		/* The batch is as long as cannot overfill the sample, or one line, which may. */
		if (s->max_lines && batch > s->max_lines - t->lines)
			batch = s->max_lines > t->lines ? s->max_lines - t->lines : 1;
		if (count_sampled(s, t, i, batch) < 0)
			return -1;
		i += batch;
		if (s->max_lines && t->lines > s->max_lines) {
			last_epoch(t)->accesses += s->place[i - 1] + 1 - begun;
			begun = s->place[i - 1] + 1;
			if (halve_rate(s, k) < 0)
				return -1;
			size_t kept = i;
			for (size_t j = i; j < m; j++)
				if (ct_sample_hash(&s->sampler, s->picked[j], k) < s->sampler.limit[k]) {
					s->picked[kept] = s->picked[j];
					s->place[kept++] = s->place[j];
				}
			m = kept;
		}
	}
	last_epoch(t)->accesses += n - begun;
	return 0;
}

void ct_shards_access(struct ct_shards *s, const uint64_t *line, size_t n)
{
	for (size_t from = 0, piece; from < n && !s->failed; from += piece) {
		piece = n - from < PIECE ? n - from : PIECE;
		size_t hits = ct_sample_filter(&s->sampler, line + from, piece, s->hit);
		for (unsigned k = 0; k < s->sampler.salts && !s->failed; k++) {
			size_t m = 0;
			for (size_t i = 0; i < hits; i++) {
				s->place[m] = s->hit[i] / 16;
				s->picked[m] = line[from + s->hit[i] / 16];
				m += s->hit[i] >> k & 1;
			}
			s->failed = step_salt(s, k, piece, m) < 0;
		}
	}
}

int ct_shards_check(const struct ct_shards *s, struct ct_error *e)
{
	int rc = s->failed ? ct_fail_nomem(e) : 0;
	for (unsigned k = 0; k < s->sampler.salts && rc == 0; k++)
		rc = ct_stack_check(s->salt[k].stack, e);
	return rc;
}

/* Miss ratio at a capacity by one salt. */
static double miss_ratio(const struct salt *t, double capacity)
{
	double hits = 0, accesses = 0;
	for (size_t i = 0; i < t->epochs; i++) {
		const struct epoch *p = &t->epoch[i];
		double within = capacity * p->rate; /* lines of the sample */
		double missing = (double)p->accesses * p->rate - (double)p->sampled;
		/* Distance d fills [d, d + 1) of a histogram. Sampled, it is d rate on average,
		 * with its middle at d rate + 1/2 instead of (d + 1/2) rate. */
		double middle = within + (1 - p->rate) / 2;
		hits += (ct_fine_hits(&p->hist, middle) + missing * (within < 1 ? within : 1)) / p->rate;
		accesses += (double)p->accesses;
	}
	if (!(accesses > 0))
		return NAN;
	double miss = 1 - hits / accesses;
	return miss < 0 ? 0 : miss > 1 ? 1 : miss;
}

static double mean_miss_ratio(const struct ct_shards *s, double capacity, double *half_width)
{
	double m[CT_SAMPLE_SALTS];
	unsigned n = s->sampler.salts;
	for (unsigned k = 0; k < n; k++)
		m[k] = miss_ratio(&s->salt[k], capacity);
	if (half_width)
		*half_width = n > 1 ? ct_student_factor95(n - 1) * ct_mean_error(m, n) : NAN;
	return ct_mean(m, n);
}

/* A sample blurs distances by the root of the lines that it has within them, in every
 * salt alike, so that a curve is rounded off where it bends: the second difference over
 * one standard deviation to both sides. */
static double rounding_error(const struct ct_shards *s, double capacity, double ratio)
{
	double within = capacity * ct_shards_rate(s), side = within > 1 ? 1 / sqrt(within) : 1;
	if (!(ct_shards_rate(s) < 1))
		return 0;
	return fabs(mean_miss_ratio(s, capacity * (1 + side), NULL) +
	            mean_miss_ratio(s, capacity * (1 - side), NULL) - 2 * ratio) /
	       2;
}

void ct_shards_curve(const struct ct_shards *s, const double *capacity, size_t n,
                     struct ct_shards_point *point)
{
	double rate = ct_shards_rate(s) * s->sampler.salts;
	for (size_t i = 0; i < n; i++) {
		struct ct_shards_point *p = &point[i];
		double within = capacity[i] * rate, side = within > 1 ? 1 / sqrt(within) : 1;
		p->miss_ratio = mean_miss_ratio(s, capacity[i], &p->half_width);
		p->half_width += rounding_error(s, capacity[i], p->miss_ratio);
		double width = isnan(p->half_width) ? 0 : p->half_width;
		p->low = p->miss_ratio - width;
		p->high = p->miss_ratio + width;
		if (!(rate < 1))
			side = 0;
		double right = mean_miss_ratio(s, capacity[i] * (1 + side), NULL);
		double left = mean_miss_ratio(s, capacity[i] * (side < 1 ? 1 - side : 0), NULL);
		p->low = right < p->low ? right : p->low;
		p->high = left > p->high ? left : p->high;
		p->low = p->low < 0 ? 0 : p->low;
		p->high = p->high > 1 ? 1 : p->high;
	}
}

double ct_shards_lines(const struct ct_shards *s)
{
	double sum = 0;
	for (unsigned k = 0; k < s->sampler.salts; k++)
		sum += (double)ct_stack_lines(s->salt[k].stack) / ct_sampler_rate(&s->sampler, k);
	return sum / s->sampler.salts;
}

double ct_shards_rate(const struct ct_shards *s)
{
	double sum = 0;
	for (unsigned k = 0; k < s->sampler.salts; k++)
		sum += ct_sampler_rate(&s->sampler, k);
	return sum / s->sampler.salts;
}

uint64_t ct_shards_sampled(const struct ct_shards *s)
{
	uint64_t sum = 0;
	for (unsigned k = 0; k < s->sampler.salts; k++)
		sum += ct_stack_lines(s->salt[k].stack);
	return sum;
}

size_t ct_shards_bytes(const struct ct_shards *s)
{
	size_t sum = sizeof *s;
	for (unsigned k = 0; k < s->sampler.salts; k++) {
		const struct salt *t = &s->salt[k];
		sum += ct_stack_bytes(t->stack) + t->epoch_cap * sizeof *t->epoch +
		       t->line_cap * sizeof *t->line;
		for (size_t i = 0; i < t->epochs; i++)
			sum += ct_fine_bytes(&t->epoch[i].hist);
	}
	return sum;
}

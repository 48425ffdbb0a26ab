#include "locality/bounded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "locality/parts.h"
#include "locality/sample.h"
#include "locality/stack.h"

enum { OPS = 256, LEAST_MAX_LINES = 1024 };

/* Accesses of parts of the sampled lines, at true distances. */
struct parts {
	struct ct_hist of[CT_PARTS];
};

struct ct_bounded {
	struct ct_stack *stack;
	struct ct_sampler sampler;
	uint64_t max_lines; /* UINT64_MAX: no bound */
	uint32_t sectors;   /* a mask of all */
	unsigned halvings;
	int failed;
	struct ct_hist now[CT_BOUNDED_HISTS]; /* since the last collection */
	int64_t owed[CT_BOUNDED_HISTS];       /* accesses of the stream less those in histograms */
	uint64_t seen;                        /* accesses of lines */
	struct parts *part;                   /* what of them was sampled; NULL: nothing yet */
	uint64_t analysed;
	size_t n; /* operations that wait */
	struct ct_stack_op op[OPS];
	uint8_t is_write[OPS];
};

struct ct_bounded *ct_bounded_new(const struct ct_bounded_options *o, struct ct_error *e)
{
	struct ct_stack_options so = {.sectors = o->sectors};
	if (o->max_lines && o->max_lines < LEAST_MAX_LINES) {
		ct_fail(e, CT_ERR_USAGE, "a sample of at most %llu lines: at least %d are needed",
		        (unsigned long long)o->max_lines, (int)LEAST_MAX_LINES);
		return NULL;
	}
	struct ct_bounded *b = ct_calloc(1, sizeof *b);
	if (!b) {
		ct_fail_nomem(e);
		return NULL;
	}
	b->max_lines = o->max_lines ? o->max_lines : UINT64_MAX;
	ct_sampler_init(&b->sampler, 1, 1, o->seed, 0);
	b->stack = ct_stack_new(&so, e);
	if (!b->stack) {
		ct_bounded_free(b);
		return NULL;
	}
	b->sectors = (1u << o->sectors) - 1;
	return b;
}

void ct_bounded_free(struct ct_bounded *b)
{
	if (!b)
		return;
	ct_stack_free(b->stack);
	free(b->part);
	free(b);
}

static int is_followed(const void *ctx, uint64_t line)
{
	const struct ct_sampler *s = ctx;
	return ct_sample_hash(s, line, 0) < s->limit[0];
}

/* Of a stream that is followed as a whole. */
static void count_exactly(struct ct_bounded *b, const struct ct_stack_op *op, unsigned write)
{
	ct_hist_add(&b->now[write], op->distance, 1);
	for (unsigned i = 0; i < 4; i++)
		if (op->mask >> i & 1)
			ct_hist_add(&b->now[2 + write], op->sector[i], 1);
}

/* An access at a distance within the sample counts as 2^halvings accesses at neighbouring distances, whose mean is
 * that of the distances which it stands for: d of the sample fills [d, d + 1) of a histogram, and its middle belongs at
 * d 2^halvings + 1/2. */
static void count_access(struct ct_bounded *b, unsigned h, uint64_t distance)
{
	const uint64_t each = UINT64_C(1) << b->halvings;
	b->owed[h] -= (int64_t)each;
	if (distance == CT_COLD) {
		ct_hist_add(&b->now[h], distance, each);
		return;
	}
	const uint64_t middle = distance << b->halvings, before = (each - 1) / 2;
	const uint64_t first = middle > before ? middle - before : 0;
	for (uint64_t i = 0; i < each; i++)
		ct_hist_add(&b->now[h], first + i, 1);
}

/* Notes a sampled access of a line for the error. */
static void note_part(struct ct_bounded *b, uint64_t line, uint64_t distance)
{
	const uint64_t each = UINT64_C(1) << b->halvings;
	ct_hist_add(&b->part->of[ct_part_of(line)],
	            distance == CT_COLD ? CT_COLD : distance << b->halvings, each);
}

/* Halves the sample until it has room again, if it has too many lines. */
static void halve_sample(struct ct_bounded *b)
{
	while (ct_stack_lines(b->stack) > b->max_lines && !b->failed) {
		if (!b->part && !(b->part = ct_calloc(1, sizeof *b->part))) {
			b->failed = 1;
			return;
		}
		/* A limit of the whole range is UINT64_MAX, one below a power of two. */
		b->sampler.limit[0] = b->sampler.limit[0] / 2 + (b->halvings == 0);
		b->halvings++;
		b->failed = ct_stack_keep(b->stack, is_followed, &b->sampler) < 0;
	}
}

/* Counts what waits. */
static void drain_accesses(struct ct_bounded *b)
{
	ct_stack_ops(b->stack, b->op, b->n);
	for (size_t k = 0; k < b->n; k++) {
		const struct ct_stack_op *op = &b->op[k];
		const unsigned write = b->is_write[k];
		if (!b->halvings) {
			count_exactly(b, op, write);
			continue;
		}
		count_access(b, write, op->distance);
		note_part(b, op->line, op->distance);
		for (unsigned i = 0; i < 4; i++)
			if (op->mask >> i & 1)
				count_access(b, 2 + write, op->sector[i]);
	}
	b->analysed += b->n;
	b->n = 0;
	halve_sample(b);
}

void ct_bounded_access(struct ct_bounded *b, uint64_t line, uint32_t sectors, int is_write)
{
	const unsigned write = is_write != 0;
	sectors &= b->sectors;
	b->seen++;
	if (b->halvings) { /* nothing waits that came before the sample was one: all of that is counted */
		b->owed[write]++;
		b->owed[2 + write] += ct_bits(sectors);
		if (!is_followed(&b->sampler, line))
			return;
	}
	b->op[b->n] = (struct ct_stack_op){
		.line = line, .kind = CT_STACK_TOUCH, .mask = (uint8_t)sectors};
	b->is_write[b->n] = (uint8_t)write;
	if (++b->n == OPS)
		drain_accesses(b);
}

void ct_bounded_settle(struct ct_bounded *b, struct ct_hist hist[CT_BOUNDED_HISTS])
{
	const uint64_t near = UINT64_C(1) << b->halvings;
	for (unsigned h = 0; h < CT_BOUNDED_HISTS; h++) {
		const uint64_t n = b->owed[h] > 0 ? (uint64_t)b->owed[h] : 0;
		for (uint64_t d = 0; n > 0 && d < near; d++)
			ct_hist_add(&hist[h], d, n * (d + 1) / near - n * d / near);
		if (b->owed[h] < 0)
			ct_hist_cut(&hist[h], (uint64_t)-b->owed[h]);
		b->owed[h] = 0;
	}
}

int ct_bounded_collect(struct ct_bounded *b, struct ct_hist hist[CT_BOUNDED_HISTS], struct ct_error *e)
{
	drain_accesses(b);
	if (b->failed)
		return ct_fail_nomem(e);
	for (unsigned h = 0; h < CT_BOUNDED_HISTS; h++) {
		ct_hist_merge(&hist[h], &b->now[h]);
		b->now[h] = (struct ct_hist){0};
	}
	return ct_stack_check(b->stack, e);
}

void ct_bounded_forget(struct ct_bounded *b)
{
	drain_accesses(b);
	memset(b->now, 0, sizeof b->now);
	memset(b->owed, 0, sizeof b->owed);
	if (b->part)
		memset(b->part, 0, sizeof *b->part);
	b->seen = 0;
}

double ct_bounded_error(const struct ct_bounded *b, double lines)
{
	/* So many of the lines between are in the sample, give or take the root of that. */
	const double rate = ct_bounded_rate(b), side = sqrt(lines * rate > 1 ? lines * rate : 1) / rate;
	if (!b->seen)
		return NAN;
	return b->part ? ct_parts_error(b->part->of, lines, side) / (double)b->seen : 0;
}

double ct_bounded_rate(const struct ct_bounded *b)
{
	return 1 / (double)(UINT64_C(1) << b->halvings);
}

uint64_t ct_bounded_analysed(const struct ct_bounded *b)
{
	return b->analysed;
}

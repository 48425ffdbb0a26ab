/* thin.c - which launches and CTAs a sample replays. doc/sampling.md says why. */
#include "pass/private/thin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "gpu/occupancy.h"
#include "pass/private/progress.h"

/* Launches alike: of one kernel, shape and size. */
struct group {
	uint64_t kernel, shmem;
	uint32_t grid[3], block[3], regs;
	int size; /* half octaves of instructions or bytes */
	uint64_t seen;
};

struct ct_thin {
	struct ct_gpu gpu;
	double share;
	uint64_t seed;
	int warming; /* the group whose next launch stands for others, with those between; CT_THIN_NO_GROUP */
	unsigned n;
	struct group group[CT_THIN_GROUPS];
};

struct ct_thin *ct_thin_new(const struct ct_gpu *g, double share, uint64_t seed)
{
	struct ct_thin *t = ct_calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->gpu = *g;
	t->share = share;
	t->seed = seed;
	t->warming = CT_THIN_NO_GROUP;
	return t;
}

void ct_thin_free(struct ct_thin *t)
{
	free(t);
}

/* ---- launches ---- */

static int size_class(uint64_t size)
{
	return size ? (int)floor(2 * log2((double)size)) : -1;
}

static int find_group(struct ct_thin *t, const struct ct_kernel *k, uint64_t size)
{
	struct group g = {.kernel = ct_sample_name(k->name),
	                  .shmem = k->shmem_bytes,
	                  .regs = k->regs,
	                  .size = size_class(size)};
	memcpy(g.grid, k->grid, sizeof g.grid);
	memcpy(g.block, k->block, sizeof g.block);
	for (unsigned i = 0; i < t->n; i++) {
		const struct group *x = &t->group[i];
		if (x->kernel == g.kernel && x->shmem == g.shmem && x->regs == g.regs &&
		    x->size == g.size && !memcmp(x->grid, g.grid, sizeof g.grid) &&
		    !memcmp(x->block, g.block, sizeof g.block))
			return (int)i;
	}
	if (t->n == CT_THIN_GROUPS)
		return CT_THIN_NO_GROUP;
	t->group[t->n] = g;
	return (int)t->n++;
}

/* The first two waves of a launch, which fill the GPU, are replayed and stand for themselves. A segment of two and a half
 * waves at least warms caches and pipelines up with one and a half of them, and measures one; longer ones measure
 * two fifths, so that an LLC that takes several waves to turn over is as it would be. A sample has three segments at least,
 * so that they can differ, eight at most, and saves a quarter at least, or the launch is replayed whole. */
enum { HEAD_WAVES = 2, SEGMENT_HALVES = 5, SEGMENTS_MIN = 3, SEGMENTS_MAX = 8 };
static const double PART_MAX = 0.75, MEASURED = 0.4;

/* The share of a launch that is replayed where it is cut: 1 where it is not. */
static double cut_launch(struct ct_thin_launch *l, double share)
{
	const double waves = (double)l->ctas / (double)l->wave, shortest = SEGMENT_HALVES / 2.0;
	const double wanted = share * waves - HEAD_WAVES;
	const double segments = fmin(fmax(floor(wanted / shortest), SEGMENTS_MIN), SEGMENTS_MAX);
	const double segment = fmax(floor(2 * wanted / segments) / 2, shortest);
	const double part = (HEAD_WAVES + segment * segments) / waves;
	if (part > PART_MAX || l->wave < 2)
		return 1;
	l->kind = CT_THIN_PART;
	l->segments = (uint64_t)segments;
	l->measured = (uint64_t)fmax(floor(segment * MEASURED), 1) * l->wave;
	l->lead = (uint64_t)(segment * (double)l->wave) - l->wave - l->measured;
	return part;
}

/* The first launches of a group are replayed: the first one, which may find cold caches, stands for itself, the others for
 * the group. Of those behind them each `period` has one that stands for it, at a random place that is the same in all
 * groups, so that launches between which a program goes back and forth are chosen together; the launch before it
 * in its group, and all between the two, are replayed to warm the caches up. */
enum { FIRST = 3, PERIOD_MIN = 3 };

static void choose_launch(struct ct_thin *t, struct ct_thin_launch *l, double part)
{
	struct group *g = &t->group[l->group];
	const uint64_t o = g->seen++;
	const double period = floor(2 * part / t->share);
	if (t->warming == l->group)
		t->warming = CT_THIN_NO_GROUP;
	l->stands = o > 0;
	if (o < FIRST || !(period >= PERIOD_MIN))
		return;
	const uint64_t n = (uint64_t)fmin(period, 1e9), block = (o - FIRST) / n;
	const uint64_t place = ct_mix64(t->seed ^ ct_mix64(block + 1)) % n, at = (o - FIRST) % n;
	l->stands = at == place;
	if (l->stands)
		return;
	if (at + 1 == place || (at + 1 == n && ct_mix64(t->seed ^ ct_mix64(block + 2)) % n == 0))
		t->warming = l->group;
	else if (t->warming == CT_THIN_NO_GROUP)
		l->kind = CT_THIN_OUT;
}

int ct_thin_choose(struct ct_thin *t, const struct ct_kernel *k, uint64_t size, struct ct_thin_launch *l,
                   struct ct_error *e)
{
	struct ct_occupancy occ;
	double part = 1;
	int st = ct_occupancy(&t->gpu, k, &occ, e);
	*l = (struct ct_thin_launch){
		.kind = CT_THIN_WHOLE,
		.group = CT_THIN_NO_GROUP,
		.id = k->id,
		.kernel = ct_sample_name(k->name),
		.ctas = ct_kernel_ctas(k),
		.randomness = ct_mix64(t->seed ^ ct_mix64(k->id))};
	if (st != CT_OK || t->share >= 1)
		return st;
	l->wave = (uint64_t)occ.ctas * t->gpu.sms;
	l->group = find_group(t, k, size);
	if (l->wave)
		part = cut_launch(l, t->share);
	if (l->group != CT_THIN_NO_GROUP)
		choose_launch(t, l, part);
	return CT_OK;
}

/* ---- CTAs ---- */

/* Segments lie one in each zone behind the first waves, at a random place of it. */
int ct_thin_piece(const struct ct_thin_launch *l, uint64_t i, struct ct_thin_piece *p)
{
	const uint64_t head = HEAD_WAVES * l->wave, length = l->lead + l->wave + l->measured;
	const uint64_t zone = l->segments ? (l->ctas - head) / l->segments : 0;
	if (i == 0) {
		*p = (struct ct_thin_piece){0, head};
		return 1;
	}
	const uint64_t s = (i - 1) / 3;
	if (s >= l->segments)
		return 0;
	uint64_t state = l->randomness + s,
		 from = head + s * zone + ct_rand64(&state) % (zone - length + 1);
	uint64_t before = head;
	if (s) {
		state = l->randomness + s - 1;
		before += (s - 1) * zone + ct_rand64(&state) % (zone - length + 1) + length;
	}
	*p = (i - 1) % 3 == 0   ? (struct ct_thin_piece){from - before, l->lead}
	     : (i - 1) % 3 == 1 ? (struct ct_thin_piece){0, l->wave}
	                        : (struct ct_thin_piece){0, l->measured};
	return 1;
}

uint64_t ct_thin_replayed_ctas(const struct ct_thin_launch *l)
{
	return l->kind == CT_THIN_WHOLE ? l->ctas
	       : l->kind == CT_THIN_OUT
	               ? 0
	               : HEAD_WAVES * l->wave + l->segments * (l->lead + l->wave + l->measured);
}

static void add_skipped(struct ct_trace_skipped *to, const struct ct_trace_skipped *x)
{
	to->ctas += x->ctas;
	to->warps += x->warps;
	to->insts += x->insts;
}

/* Gives the engines the next n CTAs, or those that are left. */
static int push_some(struct ct_lanes *lanes, struct ct_trace *trace, uint64_t n,
                     const struct ct_pass_settings *settings, struct ct_cta **held, struct ct_error *e)
{
	struct ct_cta *cta;
	int st = 1;
	for (; n && (st = ct_trace_next_cta(trace, &cta, e)) > 0; n--) {
		int pushed = ct_lanes_push_cta(lanes, cta, e);
		ct_pass_advance(settings, trace);
		if (*held)
			ct_cta_unref(cta);
		else
			*held = cta;
		if (pushed != CT_OK)
			return pushed;
	}
	return st < 0 ? st : CT_OK;
}

int ct_thin_push(struct ct_lanes *lanes, struct ct_trace *trace, const struct ct_thin_launch *l,
                 const struct ct_pass_settings *settings, struct ct_cta **held,
                 struct ct_trace_skipped *skipped, struct ct_error *e)
{
	struct ct_trace_skipped some;
	struct ct_thin_piece p;
	int st = CT_OK;
	*skipped = (struct ct_trace_skipped){0};
	*held = NULL;
	if (l->kind == CT_THIN_WHOLE)
		return ct_lanes_push_launch(lanes, trace, settings, held, e);
	for (uint64_t i = 0; st == CT_OK && l->kind == CT_THIN_PART && ct_thin_piece(l, i, &p); i++) {
		st = ct_trace_skip_ctas(trace, p.skip, &some, e);
		add_skipped(skipped, &some);
		if (st == CT_OK)
			st = push_some(lanes, trace, p.push, settings, held, e);
		if (st == CT_OK)
			st = ct_lanes_mark(lanes, e);
	}
	if (st == CT_OK)
		st = ct_trace_skip_ctas(trace, UINT64_MAX, &some, e);
	if (st == CT_OK)
		add_skipped(skipped, &some);
	ct_pass_advance(settings, trace);
	return st;
}

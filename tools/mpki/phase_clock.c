#include "mpki/phase_clock.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* After folding, at least half of the bins are in use: a bin is at most 1/65536 of the run, and phases are as long as an
 * interval, of which there are at most as many. Within a bin instructions are taken to come evenly. */
enum { BINS = 1 << 17 };

int mpki_clock_init(struct mpki_clock *c, struct ct_error *e)
{
	*c = (struct mpki_clock){.shift = 0};
	for (int i = 0; i < MPKI_CLOCK_EVENTS; i++)
		if (!(c->bin[i] = ct_calloc(BINS, sizeof *c->bin[i])))
			return ct_fail_nomem(e);
	return CT_OK;
}

void mpki_clock_free(struct mpki_clock *c)
{
	for (int i = 0; i < MPKI_CLOCK_EVENTS; i++)
		free(c->bin[i]);
	free(c->launch);
	*c = (struct mpki_clock){.shift = 0};
}

/* ---- counting ---- */

/* Makes one bin of two, so that the upper half is free again. */
static void fold(struct mpki_clock *c)
{
	for (int i = 0; i < MPKI_CLOCK_EVENTS; i++)
		for (size_t k = 0; k < BINS; k++)
			c->bin[i][k] = k < BINS / 2 ? c->bin[i][2 * k] + c->bin[i][2 * k + 1] : 0;
	c->used = (c->used + 1) / 2;
	c->shift++;
}

static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	struct mpki_clock *c = ctx;
	while (ev->cycle >> c->shift >= BINS)
		fold(c);
	size_t i = (size_t)(ev->cycle >> c->shift);
	c->bin[MPKI_ISSUED][i]++;
	c->bin[MPKI_STARTED][i] += ev->first;
	c->bin[MPKI_ENDED][i] += ev->last;
	c->used = i + 1 > c->used ? i + 1 : c->used;
}

struct ct_replay_observer mpki_clock_observer(struct mpki_clock *c)
{
	return (struct ct_replay_observer){.ctx = c, .issue = on_issue};
}

int mpki_clock_launch(struct mpki_clock *c, const struct ct_replay_counts *counts, struct ct_error *e)
{
	if (ct_grow((void **)&c->launch, &c->cap, c->launches + 1, sizeof *c->launch) < 0)
		return ct_fail_nomem(e);
	struct mpki_clock_launch *l = &c->launch[c->launches++];
	*l = (struct mpki_clock_launch){
		.own_insts = counts->warp_insts,
		.own_cycles = counts->cycles,
		.overhead = counts->launch_cycles,
	};
	if (c->launches > 1) {
		l->insts = l[-1].insts + l[-1].own_insts;
		l->cycles = l[-1].cycles + l[-1].own_cycles;
		l->work = l[-1].work + l[-1].own_cycles - l[-1].overhead;
	}
	return CT_OK;
}

void mpki_clock_finish(struct mpki_clock *c)
{
	for (int i = 0; i < MPKI_CLOCK_EVENTS; i++)
		for (size_t k = 1; k < c->used; k++)
			c->bin[i][k] += c->bin[i][k - 1];
}

/* ---- questions ---- */

/* The launch of which so many instructions are a part, or the number of launches. */
static size_t launch_of(const struct mpki_clock *c, uint64_t insts)
{
	size_t lo = 0, hi = c->launches;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c->launch[mid].insts + c->launch[mid].own_insts <= insts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The cycle, with launches, at which so many have been issued and the next one is yet to come. */
static double cycle_at(const struct mpki_clock *c, uint64_t insts)
{
	const uint64_t *n = c->bin[MPKI_ISSUED];
	size_t lo = 0, hi = c->used;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (n[mid] <= insts)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == c->used)
		return ldexp((double)lo, (int)c->shift);
	uint64_t before = lo ? n[lo - 1] : 0;
	double part = (double)(insts - before) / (double)(n[lo] - before);
	return ldexp((double)lo + part, (int)c->shift);
}

/* A launch begins where the one before has ended: there the cycle is known exactly. */
double mpki_clock_at(const struct mpki_clock *c, uint64_t insts)
{
	size_t k = launch_of(c, insts);
	if (k == c->launches) {
		const struct mpki_clock_launch *last = k ? &c->launch[k - 1] : NULL;
		return last ? (double)(last->work + last->own_cycles - last->overhead) : 0;
	}
	const struct mpki_clock_launch *l = &c->launch[k];
	if (insts <= l->insts)
		return (double)l->work;
	double in = cycle_at(c, insts) - (double)(l->cycles + l->overhead);
	return (double)l->work + fmin(fmax(in, 0), (double)(l->own_cycles - l->overhead));
}

/* Events before that cycle, with launches. */
static uint64_t events_before(const struct mpki_clock *c, enum mpki_clock_event kind, double cycle)
{
	double at = floor(ldexp(cycle, -(int)c->shift));
	if (!(at >= 1) || !c->used)
		return 0;
	return c->bin[kind][at > (double)c->used ? c->used - 1 : (size_t)at - 1];
}

uint64_t mpki_clock_warps(const struct mpki_clock *c, size_t k, uint64_t from, uint64_t to)
{
	const struct mpki_clock_launch *l = &c->launch[k];
	double begin = (double)l->cycles, end = (double)(l->cycles + l->own_cycles);
	if (to <= l->insts || from >= l->insts + l->own_insts)
		return 0;
	double lo = from <= l->insts ? begin : cycle_at(c, from);
	double hi = to >= l->insts + l->own_insts ? end : cycle_at(c, to);
	uint64_t started = events_before(c, MPKI_STARTED, hi), ended = events_before(c, MPKI_ENDED, lo);
	return started > ended ? started - ended : 0;
}

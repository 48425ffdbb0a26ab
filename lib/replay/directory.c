/* Replication across L1s: a directory from line to the SMs that hold it.
 *
 * SMs run through a window one after the other, so what happens to their lines is
 * logged and merged in simulated time at the window's end. A line counts as held once
 * data has arrived in it. Ratio and replicas (readings
 * replication-ratio and mean-replicas of doc/readings.md) are counted at the fills of loads
 * that missed the line. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/memory.h"

struct event {
	uint64_t line;
	uint32_t when, sm, order;
	uint8_t what;
};

struct rp_directory {
	uint64_t *line;    /* + 1; 0: empty. Linear probing */
	uint64_t *holders; /* words per slot */
	uint32_t mask, words;
	struct event *event;
	size_t cap;
};

int rp_directory_init(struct ct_replay *r, struct ct_error *e)
{
	struct rp_directory *d = ct_calloc(1, sizeof *d);
	r->directory = d;
	if (!d)
		return ct_fail_nomem(e);
	/* every line of every L1 can be another one, never more */
	uint64_t lines = (uint64_t)r->g.sms * rp_cache_capacity(&r->sm[0].cache), slots = 64;
	while (slots < 2 * lines)
		slots *= 2;
	if (slots > UINT32_MAX / 2)
		return ct_fail(e, CT_ERR_LIMIT, "the L1s hold too many lines to count replicas");
	d->mask = (uint32_t)slots - 1;
	d->words = (r->g.sms + 63) / 64;
	d->line = ct_calloc(slots, sizeof *d->line);
	d->holders = ct_calloc(slots * d->words, sizeof *d->holders);
	if (!d->line || !d->holders)
		return ct_fail_nomem(e);
	return 0;
}

void rp_directory_free(struct ct_replay *r)
{
	struct rp_directory *d = r->directory;
	if (!d)
		return;
	free(d->line);
	free(d->holders);
	free(d->event);
	free(d);
}

static uint32_t home_slot(const struct rp_directory *d, uint64_t line)
{
	return (uint32_t)((line * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & d->mask;
}

static uint32_t find_slot(const struct rp_directory *d, uint64_t line)
{
	uint32_t h = home_slot(d, line);
	while (d->line[h] && d->line[h] != line + 1)
		h = (h + 1) & d->mask;
	return h;
}

static void erase_line(struct rp_directory *d, uint32_t h)
{
	for (uint32_t k = (h + 1) & d->mask; d->line[k]; k = (k + 1) & d->mask) {
		uint32_t at = home_slot(d, d->line[k] - 1);
		if (((k - at) & d->mask) >= ((k - h) & d->mask)) {
			d->line[h] = d->line[k];
			memcpy(d->holders + (size_t)h * d->words, d->holders + (size_t)k * d->words,
			       d->words * sizeof *d->holders);
			h = k;
		}
	}
	d->line[h] = 0;
	memset(d->holders + (size_t)h * d->words, 0, d->words * sizeof *d->holders);
}

static uint32_t count_holders(const uint64_t *v, uint32_t words)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < words; i++)
		for (uint64_t w = v[i]; w; w &= w - 1)
			n++;
	return n;
}

/* A line has come to an SM's L1 or has left it. Where a load that missed the line brought it, the
 * copies over all L1s are counted, this one included. */
static void apply_event(struct ct_replay *r, struct rp_directory *d, const struct event *ev)
{
	uint32_t h = find_slot(d, ev->line);
	uint64_t *v = d->holders + (size_t)h * d->words, bit = UINT64_C(1) << ev->sm % 64;
	if (ev->what == RP_LOG_GONE) {
		if (!d->line[h])
			return;
		v[ev->sm / 64] &= ~bit;
		if (!count_holders(v, d->words))
			erase_line(d, h);
		return;
	}
	d->line[h] = ev->line + 1;
	v[ev->sm / 64] |= bit;
	if (ev->what == RP_LOG_FILL) {
		uint32_t n = count_holders(v, d->words);
		r->total.line_fills++;
		r->total.line_copies += n;
		r->total.replicated_misses += n > 1;
	}
}

static int in_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Applies what SMs have logged in this window in the order of cycles, SMs and their own logs: an SM
 * runs through a window alone, so only now is the order over all of them known. */
int rp_directory_merge(struct ct_replay *r)
{
	struct rp_directory *d = r->directory;
	size_t n = 0;
	if (!d)
		return 0;
	for (uint32_t i = 0; i < r->g.sms; i++)
		n += r->sm[i].nlog;
	if (ct_grow((void **)&d->event, &d->cap, n, sizeof *d->event) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	n = 0;
	for (uint32_t i = 0; i < r->g.sms; i++) {
		const struct rp_sm *sm = &r->sm[i];
		for (uint32_t k = 0; k < sm->nlog; k++)
			d->event[n++] = (struct event){
				sm->log[k].line, sm->log[k].when, i, k, sm->log[k].what};
		r->sm[i].nlog = 0;
	}
	if (n > 1)
		qsort(d->event, n, sizeof *d->event, in_time);
	for (size_t k = 0; k < n; k++)
		apply_event(r, d, &d->event[k]);
	return 0;
}

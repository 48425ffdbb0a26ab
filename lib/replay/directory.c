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
#include "replay/private/order.h"

enum {
	AHEAD = 4 /* events between asking the host's memory for an event, for its line's slot, and looking at it */
};

struct rp_directory {
	uint64_t *line;    /* + 1; 0: empty. Linear probing */
	uint64_t *holders; /* words per slot */
	uint32_t mask, words;
	struct rp_order order; /* of the SMs' logs; at: SM, behind it the place in its log */
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
	rp_order_free(&d->order);
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
static void apply_event(struct ct_replay *r, struct rp_directory *d, uint32_t sm,
                        const struct rp_log *ev)
{
	uint32_t h = find_slot(d, ev->line);
	uint64_t *v = d->holders + (size_t)h * d->words, bit = UINT64_C(1) << sm % 64;
	if (ev->what == RP_LOG_GONE) {
		if (!d->line[h])
			return;
		v[sm / 64] &= ~bit;
		if (!count_holders(v, d->words))
			erase_line(d, h);
		return;
	}
	d->line[h] = ev->line + 1;
	v[sm / 64] |= bit;
	if (ev->what == RP_LOG_FILL) {
		uint32_t n = count_holders(v, d->words);
		r->total.line_fills++;
		r->total.line_copies += n;
		r->total.replicated_misses += n > 1;
	}
}

/* What an SM has logged, by its place in the order. */
static const struct rp_log *log_at(const struct ct_replay *r, const struct rp_place *p)
{
	return &r->sm[p->at >> 32].log[(uint32_t)p->at];
}

/* Orders what SMs have logged by cycles, SMs and their own logs. */
static int sort_in_time(struct ct_replay *r, struct rp_order *o)
{
	uint32_t least = UINT32_MAX;
	uint64_t most = 0;
	o->n = 0;
	for (uint32_t i = 0; i < r->g.sms; i++) {
		const struct rp_sm *sm = &r->sm[i];
		if (rp_order_reserve(o, o->n + sm->nlog) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		for (uint32_t k = 0; k < sm->nlog; k++) {
			o->place[o->n++] = (struct rp_place){sm->log[k].when, (uint64_t)i << 32 | k};
			least = sm->log[k].when < least ? sm->log[k].when : least;
		}
	}
	for (size_t i = 0; i < o->n; i++)
		most |= o->place[i].key -= least;
	rp_order_sort(o, most);
	return 0;
}

/* Asks the host's memory for what the events after that place will meet. */
static void bring_ahead(const struct ct_replay *r, const struct rp_directory *d, size_t place)
{
	const struct rp_place *p = &d->order.place[place];
	if (place + 2 * AHEAD < d->order.n)
		CT_BRING(log_at(r, p + 2 * AHEAD));
	if (place + AHEAD < d->order.n) {
		uint32_t h = home_slot(d, log_at(r, p + AHEAD)->line);
		CT_BRING(&d->line[h]);
		CT_BRING(&d->holders[(size_t)h * d->words]);
	}
}

/* Applies what SMs have logged in this window: an SM runs through a window alone, so only now is the order over all of them
 * known. */
int rp_directory_merge(struct ct_replay *r)
{
	struct rp_directory *d = r->directory;
	if (!d)
		return 0;
	if (sort_in_time(r, &d->order) < 0)
		return r->error.status;
	for (size_t i = 0; i < d->order.n; i++) {
		const struct rp_place *p = &d->order.place[i];
		bring_ahead(r, d, i);
		apply_event(r, d, (uint32_t)(p->at >> 32), log_at(r, p));
	}
	for (uint32_t i = 0; i < r->g.sms; i++)
		r->sm[i].nlog = 0;
	return 0;
}

/* The memory side of the quick replay: at the end of a window, requests of all SMs in the order of
 * their cycles through the network and the slices (doc/replay.md sections 7 and 9). What they send back
 * meets nothing of another SM: that is done SM by SM, whose state is near then (quick_reply.c).
 *
 * Requests of an SM are moved in order. A wheel has each SM at the cycle in which its first request
 * comes to the network or, behind another, can be moved at the earliest; a slice takes and serves
 * them as they come. */
#include "replay/private/ahead_l1.h"
#include "replay/private/quick.h"

enum { AHEAD = 2 /* requests of an SM between asking for a set and looking at it */ };

/* ---- the wheel ---- */

static CT_INLINE void wheel_put(struct rp_quick *w, uint32_t sm)
{
	uint64_t now = w->now, at = w->sm[sm].when;
	uint32_t b = (at > now + RP_WHEEL - 1 ? now + RP_WHEEL - 1 : rp_max64(at, now)) % RP_WHEEL;
	uint64_t bit = UINT64_C(1) << b % 64, *bits = &w->bits[b / 64];
	if (*bits & bit)
		w->sm[w->last[b]].next = (uint16_t)sm;
	else
		w->first[b] = (uint16_t)sm;
	w->last[b] = (uint16_t)sm;
	*bits |= bit;
}

/* The first SM in the wheel, before cycle `end`; RP_NO_INDEX: there is none. */
static CT_INLINE uint32_t wheel_take(struct rp_quick *w, uint64_t end)
{
	enum { WORDS = RP_WHEEL / 64 };
	uint64_t word = w->now / 64, bits = w->bits[word % WORDS] & ~UINT64_C(0) << w->now % 64;
	while (!bits && ++word * 64 < end)
		bits = w->bits[word % WORDS];
	uint64_t at = word * 64 + (bits ? ct_low_bit(bits) : 0);
	if (!bits || at >= end)
		return RP_NO_INDEX;
	w->now = at;
	uint32_t b = at % RP_WHEEL, sm = w->first[b];
	if (sm == w->last[b])
		w->bits[b / 64] &= ~(UINT64_C(1) << b % 64);
	else
		w->first[b] = w->sm[sm].next;
	return sm;
}

static CT_INLINE uint64_t line_of(const struct ct_replay *r, const struct rp_quick_req *p)
{
	return p->sector >> r->quick->line_bits;
}

/* Asks the host's memory for what a request will meet in its slice. */
static CT_INLINE void prefetch_line(struct ct_replay *r, struct rp_quick_sm *q,
                                    const struct rp_quick_req *p)
{
	const struct rp_lru *t = r->quick->slice[p->slice].lru;
	q->near = rp_lru_guess(t, p->llc_set, line_of(r, p));
	if (q->near != RP_LRU_NONE)
		rp_lru_prefetch_line(t, q->near);
	else
		rp_lru_prefetch_victim(t, p->llc_set);
}

/* The same for what finds the line of one of those after it. */
static CT_INLINE void prefetch_set(struct ct_replay *r, const struct rp_quick_sm *q, uint32_t ahead)
{
	if (q->asked - q->served <= ahead)
		return;
	const struct rp_quick_req *p = &q->req[(q->served + ahead) & q->req_mask];
	rp_lru_prefetch_set(r->quick->slice[p->slice].lru, p->llc_set, line_of(r, p));
	CT_BRING(&q->req[(q->served + 2 * ahead) & q->req_mask]);
}

/* The SM's first request takes its place. What it needed an MSHR entry for knows by now when that
 * was free: those before it have been served. */
static CT_INLINE void line_up_first(struct ct_replay *r, uint32_t id)
{
	struct rp_quick_sm *q = &r->quick->sm[id];
	const struct rp_quick_req *p = &q->req[q->served & q->req_mask];
	uint64_t when = rp_max64(r->base + p->ready, q->sent + 1);
	if (p->limited) {
		struct rp_sm *sm = &r->sm[id];
		rp_quick_replies(r, sm);
		uint32_t at = q->mshr[(q->filled - r->g.l1.mshr_entries) & q->mshr_mask];
		q->l1_free = rp_max32(q->l1_free, at);
		sm->missq_last = rp_max32(sm->missq_last, at + 1);
		when = rp_max64(when, r->base + at + 2);
		q->stuck--;
	}
	q->when = when;
	prefetch_line(r, q, p);
	prefetch_set(r, q, AHEAD);
	wheel_put(r->quick, id);
}

/* ---- a slice ---- */

/* The line of the request is there from now on, touched in this cycle. */
static CT_INLINE uint32_t llc_line(struct ct_replay *r, struct rp_lru *t, const struct rp_quick_req *p,
                                   uint32_t near, uint64_t now)
{
	uint64_t line = line_of(r, p);
	uint32_t i = rp_lru_find_near(t, p->llc_set, line, near);
	if (i != RP_LRU_NONE) {
		rp_lru_touch(t, p->llc_set, i, (uint32_t)now);
		return i;
	}
	i = rp_lru_victim(t, p->llc_set);
	const struct rp_entry *old = rp_lru_at(t, i);
	if (old->modified) {
		uint32_t bytes = ct_bits(old->modified) << r->llc_sector_bits;
		r->total.dram_write_bytes += bytes;
		rp_quick_dram_write(r, old->tag << r->llc_line_bits, bytes, now);
	}
	rp_lru_allocate(t, p->llc_set, i, line, (uint32_t)now);
	return i;
}

/* The SM's read misses at the tags in cycle `now`: cycle in which the slice has the sector. */
static CT_INLINE uint64_t llc_miss(struct ct_replay *r, struct rp_quick_sm *q, struct rp_quick_slice *l,
                                   const struct rp_quick_req *p, uint64_t now)
{
	uint64_t *entry = &l->mshr[l->mshr_next], line = line_of(r, p);
	if (q->placed != line + 1) {
		q->placed = line + 1;
		q->place_of = ct_address_place(&r->map, p->sector << r->llc_sector_bits);
	}
	if (*entry > now) { /* the slice waits for one */
		now = *entry;
		l->free = now + 1;
	}
	*entry = rp_quick_dram(r, &q->place_of, now);
	l->mshr_next = rp_ring_after(l->mshr_next, r->g.llc.mshr_entries);
	return *entry;
}

/* The read finds the sector on its way: one too many waits at the head of the slice's queue. */
static CT_INLINE void llc_join(struct ct_replay *r, struct rp_quick_slice *l, uint32_t line, uint32_t k,
                               uint64_t due)
{
	uint8_t *n = &l->merged[line * r->llc_sectors + k];
	if (*n >= r->g.llc.mshr_merge)
		l->free = due + 1;
	else
		*n += *n < UINT8_MAX;
}

static void log_request(struct ct_replay *r, uint32_t sm, const struct rp_quick_req *q, uint64_t now,
                        int what)
{
	struct rp_packet p = {
		.address = q->sector << r->llc_sector_bits,
		.bytes = q->bytes,
		.llc_set = q->llc_set,
		.group = q->group,
		.sm = (uint16_t)sm,
		.slice = q->slice,
		.kind = q->kind,
	};
	rp_llc_log(r, q->slice, &p, now, what);
}

/* The slice serves the request in cycle `now`; returns when it can answer. */
static CT_INLINE uint64_t llc_sector(struct ct_replay *r, uint32_t sm, struct rp_quick_sm *q,
                                     struct rp_quick_slice *l, const struct rp_quick_req *p,
                                     uint64_t now)
{
	struct ct_replay_counts *c = &r->total;
	uint32_t i = llc_line(r, l->lru, p, q->near, now);
	struct rp_entry *e = rp_lru_at(l->lru, i);
	uint32_t k = (uint32_t)p->sector & (r->llc_sectors - 1), bit = 1u << k;
	int store = p->kind == RP_PK_STORE, pending = 0;
	int missing = !((store ? e->valid : rp_lru_hits(e)) & bit);
	uint64_t back = now;
	if (store) {
		rp_lru_store(l->lru, i, k, r->llc_sector_bits == 5 ? p->bytes : 0xffffffffu);
	} else if (missing) {
		back = llc_miss(r, q, l, p, now);
		l->merged[i * r->llc_sectors + k] = 1;
		rp_lru_fill(e, bit);
		if (p->kind == RP_PK_ATOMIC)
			rp_lru_modified(l->lru, i, e->modified | bit);
		e->due[k] = (uint32_t)(back - r->epoch);
		c->llc_read_misses++;
		c->dram_read_bytes += UINT64_C(1) << r->llc_sector_bits;
	} else if (e->due[k] > (uint32_t)(now - r->epoch)) {
		pending = 1;
		back = r->epoch + e->due[k];
		llc_join(r, l, i, k, back);
	}
	if (missing) {
		c->llc_misses++;
		c->llc_line_misses += q->missed != p->group; /* its sectors follow each other */
		q->missed = p->group;
	}
	c->llc_pending += (uint64_t)pending;
	if (r->has_llc)
		log_request(r, sm, p, now, missing ? 2 : pending);
	return back;
}

/* The same of an LLC that never misses. */
static uint64_t llc_hit(struct ct_replay *r, uint32_t sm, const struct rp_quick_req *p, uint64_t now)
{
	if (r->has_llc)
		log_request(r, sm, p, now, 0);
	return now;
}

/* The SM's first request is moved by the network in cycle `at`. */
static CT_INLINE void serve_first(struct ct_replay *r, uint32_t id, uint64_t at)
{
	struct rp_quick_sm *q = &r->quick->sm[id];
	struct rp_quick_req *p = &q->req[q->served++ & q->req_mask];
	struct rp_quick_slice *l = &r->quick->slice[p->slice];
	int store = p->kind == RP_PK_STORE;
	uint32_t flits = r->quick->flits[store];
	uint64_t sent = q->sent = rp_max64(at, l->port) + flits - 1;
	r->total.noc_request_busy += flits;
	r->total.noc_reply_busy += r->quick->reply_flits[store];
	r->total.llc_busy++;
	l->port = sent + 1;
	uint64_t now = rp_max64(sent + r->quick->trip, l->free);
	l->free = now + 1;
	uint64_t back = r->ideal & CT_REPLAY_IDEAL_LLC ? llc_hit(r, id, p, now)
	                                               : llc_sector(r, id, q, l, p, now);
	uint64_t ready = rp_calendar_take_first(&l->replies, back + 1) - r->base;
	if (ready > RP_LAST_CYCLE)
		rp_too_long(r);
	p->ready = (uint32_t)ready;
}

int rp_quick_idle(const struct ct_replay *r)
{
	return !r->quick->waiting;
}

/* SMs that have asked for something come into the wheel. */
static void wheel_fill(struct ct_replay *r)
{
	struct rp_quick *w = r->quick;
	uint64_t word = (r->horizon - r->base) / 64; /* nothing is back before */
	if (!w->waiting)
		w->now = r->horizon;
	for (uint32_t i = 0; i < r->map.slices; i++)
		if (w->slice[i].replies.first < r->horizon / 64)
			rp_calendar_pass(&w->slice[i].replies, r->horizon / 64);
	for (uint32_t i = 0; i < r->g.sms; i++) {
		struct rp_quick_sm *q = &w->sm[i];
		if (q->reply.first < word)
			rp_calendar_pass(&q->reply, word);
		if (q->write_back.first < word)
			rp_calendar_pass(&q->write_back, word);
		for (uint32_t k = 0; k <= AHEAD; k++) /* new ones may follow those that have waited */
			prefetch_set(r, q, k);
	}
	for (uint32_t i = 0; i < r->g.sms; i++) {
		struct rp_quick_sm *q = &w->sm[i];
		if (q->in_wheel || q->served == q->asked)
			continue;
		q->in_wheel = 1;
		w->waiting++;
		line_up_first(r, i);
	}
}

/* Replies come back, and what has waited before an L1 goes on in the next window, which begins in
 * cycle `end`. */
static void return_replies(struct ct_replay *r, uint32_t end)
{
	for (uint32_t i = 0; i < r->g.sms; i++) {
		struct rp_quick_sm *q = &r->quick->sm[i];
		if (i + 1 < r->g.sms)
			CT_BRING(&q[1].req[q[1].replied & q[1].req_mask]);
		if (q->replied != q->served)
			rp_quick_replies(r, &r->sm[i]);
		if (q->nheld | q->nwait)
			r->sm[i].now = rp_max32(r->sm[i].now, end);
	}
}

/* An instruction that issues in cycle `end` comes to the network five cycles later at the earliest:
 * what comes before is known, and what comes later is not back within the next window. */
void rp_quick_serve(struct ct_replay *r, uint64_t end)
{
	enum { TO_NETWORK = 5 };
	struct rp_quick *w = r->quick;
	uint32_t i;
	rp_quick_dram_window(r);
	wheel_fill(r);
	while ((i = wheel_take(w, end + TO_NETWORK)) != RP_NO_INDEX) {
		struct rp_quick_sm *q = &w->sm[i];
		if (q->when > w->now) { /* it is further ahead than the wheel reaches */
			wheel_put(w, i);
			continue;
		}
		serve_first(r, i, q->when);
		if (q->served != q->asked) {
			line_up_first(r, i);
		} else {
			q->in_wheel = 0;
			w->waiting--;
		}
	}
	return_replies(r, (uint32_t)(end - r->base));
}

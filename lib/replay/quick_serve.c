/* The memory side of the quick replay: at the end of a window, requests of all SMs in the order of
 * their cycles through the network, the slices and back (accelsim-model.md 7 and 9).
 *
 * Requests of an SM are moved in order. A wheel has each SM at the cycle in which its first request
 * comes to the network or, behind another, can be moved at the earliest; a slice takes and serves
 * them as they come. */
#include "replay/private/lines.h"
#include "replay/private/quick.h"
#include "replay/private/step.h"

/* ---- the wheel ---- */

RP_HOT void wheel_put(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_quick *w = r->quick;
	uint64_t end = w->now + RP_WHEEL - 1, at = w->when[sm->id];
	uint32_t b = (at > end ? end : rp_max64(at, w->now)) % RP_WHEEL;
	if (w->bits[b / 64] >> b % 64 & 1)
		w->next[w->last[b]] = (uint16_t)sm->id;
	else
		w->first[b] = (uint16_t)sm->id;
	w->last[b] = (uint16_t)sm->id;
	w->bits[b / 64] |= UINT64_C(1) << b % 64;
}

/* The first SM in the wheel, before cycle `end`; RP_NO_INDEX: there is none. */
RP_HOT uint32_t wheel_take(struct ct_replay *r, uint64_t end)
{
	enum { WORDS = RP_WHEEL / 64 };
	struct rp_quick *w = r->quick;
	uint64_t word = w->now / 64, bits = w->bits[word % WORDS] & ~UINT64_C(0) << w->now % 64;
	while (!bits && ++word * 64 < end)
		bits = w->bits[word % WORDS];
	if (!bits || word * 64 + ct_low_bit(bits) >= end)
		return RP_NO_INDEX;
	w->now = word * 64 + ct_low_bit(bits);
	uint32_t b = w->now % RP_WHEEL, sm = w->first[b];
	if (sm == w->last[b])
		w->bits[b / 64] &= ~(UINT64_C(1) << b % 64);
	else
		w->first[b] = w->next[sm];
	return sm;
}

static uint64_t line_of(const struct ct_replay *r, const struct rp_quick_req *p)
{
	return p->sector >> r->quick->line_bits;
}

/* Asks the host's memory for what a request will meet in its slice. */
RP_HOT void bring(struct ct_replay *r, struct rp_quick_sm *q, const struct rp_quick_req *p)
{
	const struct rp_lru *t = r->quick->slice[p->slice].lru;
	q->near = rp_index_guess(&t->index, line_of(r, p));
	if (q->near != RP_LRU_NONE)
		rp_lru_bring(t, q->near);
	else
		rp_lru_bring_victim(t, p->llc_set);
}

/* The SM's first request takes its place. What it needed an MSHR entry for knows by now when that
 * was free: those before it have been served. */
RP_HOT void line_up(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_quick_sm *q = sm->quick;
	struct rp_quick_req *p = &q->req[q->served & q->req_mask];
	uint64_t when = rp_max64(r->base + p->ready, q->sent + 1);
	if (p->limited) {
		uint32_t at = q->mshr[(q->filled - r->g.l1.mshr_entries) & q->mshr_mask];
		q->l1_free = rp_max32(q->l1_free, at);
		sm->missq_last = rp_max32(sm->missq_last, at + 1);
		when = rp_max64(when, r->base + at + 2);
		q->stuck--;
	}
	r->quick->when[sm->id] = when;
	bring(r, q, p);
	if (p->line != RP_LRU_NONE)
		CT_BRING(rp_lru_at(&sm->lru, p->line)->due);
	if (q->served + 1 != q->asked) {
		const struct rp_quick_req *after = &q->req[(q->served + 1) & q->req_mask];
		CT_BRING(rp_index_slot(&r->quick->slice[after->slice].lru->index, line_of(r, after)));
		CT_BRING(&q->req[(q->served + 2) & q->req_mask]);
	}
	wheel_put(r, sm);
}

/* ---- a slice ---- */

/* The line of the request is there from now on, touched in this cycle. */
RP_HOT uint32_t llc_line(struct ct_replay *r, struct rp_lru *t, const struct rp_quick_req *p,
                         uint32_t near, uint64_t now)
{
	uint64_t line = line_of(r, p);
	uint32_t i = rp_lru_find_near(t, line, near);
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
RP_HOT uint64_t llc_miss(struct ct_replay *r, struct rp_quick_sm *q, struct rp_quick_slice *l,
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
	l->mshr_next = rp_quick_after(l->mshr_next, r->g.llc.mshr_entries);
	return *entry;
}

/* The read finds the sector on its way: one too many waits at the head of the slice's queue. */
RP_HOT void llc_join(struct ct_replay *r, struct rp_quick_slice *l, uint32_t line, uint32_t k,
                     uint64_t due)
{
	uint8_t *n = &l->merged[line * r->llc_sectors + k];
	if (*n >= r->g.llc.mshr_merge)
		l->free = due + 1;
	else
		*n += *n < UINT8_MAX;
}

static void log_request(struct ct_replay *r, const struct rp_sm *sm, const struct rp_quick_req *q,
                        uint64_t now, int what)
{
	struct rp_packet p = {
		.address = q->sector << r->llc_sector_bits, .bytes = q->bytes, .llc_set = q->llc_set,
		.group = q->group, .sm = (uint16_t)sm->id, .slice = q->slice, .kind = q->kind,
	};
	rp_llc_log(r, q->slice, &p, now, what);
}

/* The slice serves the request in cycle `now`; returns when it can answer. */
RP_HOT uint64_t llc_sector(struct ct_replay *r, struct rp_sm *sm, const struct rp_quick_req *p,
                           uint64_t now)
{
	struct rp_quick_slice *l = &r->quick->slice[p->slice];
	struct ct_replay_counts *c = &r->total;
	uint32_t i = llc_line(r, l->lru, p, sm->quick->near, now);
	struct rp_entry *e = rp_lru_at(l->lru, i);
	uint32_t k = (uint32_t)p->sector & (r->llc_sectors - 1), bit = 1u << k;
	int store = p->kind == RP_PK_STORE, pending = 0;
	int missing = !((store ? e->valid : rp_lru_hits(e)) & bit);
	uint64_t back = now;
	if (store) {
		rp_lru_store(l->lru, i, k, r->llc_sector_bits == 5 ? p->bytes : 0xffffffffu);
	} else if (missing) {
		back = llc_miss(r, sm->quick, l, p, now);
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
		c->llc_line_misses += sm->quick->missed != p->group; /* its sectors follow each other */
		sm->quick->missed = p->group;
	}
	c->llc_pending += (uint64_t)pending;
	if (r->has_llc)
		log_request(r, sm, p, now, missing ? 2 : pending);
	return back;
}

/* ---- and back ---- */

/* Cycle of the launch at which what the slice has in `at` is at the SM. */
RP_HOT uint32_t reply(struct ct_replay *r, struct rp_sm *sm, const struct rp_quick_req *p, uint64_t at)
{
	uint32_t flits = r->quick->reply_flits[p->kind == RP_PK_STORE];
	r->total.noc_reply_busy += flits;
	at = rp_calendar_put(&r->quick->slice[p->slice].replies, at + 1);
	uint32_t t = (uint32_t)(at - r->base);
	for (uint32_t i = 0; i < flits; i++)
		t = (uint32_t)rp_calendar_put(&sm->quick->reply, t + (i != 0));
	return t + 1 + rp_quick_hop(r);
}

/* What has joined the request goes on: its sector is there in cycle `at`. */
static void let_joined_go(struct rp_sm *sm, const struct rp_quick_req *p, uint32_t at)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t last = p->joined, i = last;
	do {
		struct rp_quick_joined *j = &q->joined[i = q->joined[i].next];
		uint32_t back = at;
		if (j->holds) { /* tried again until it hits */
			q->stuck--;
			q->l1_free = rp_max32(q->l1_free, at);
		} else {
			back = (uint32_t)rp_calendar_put(&q->write_back, at + 1);
		}
		rp_quick_back(sm, j->inst, back);
	} while (i != last);
	i = q->joined[last].next;
	q->joined[last].next = q->joined_free;
	q->joined_free = i;
}

/* The L1 sector that the request, the first for it, has asked for is there in cycle `at`. */
RP_HOT void fill(struct ct_replay *r, struct rp_sm *sm, struct rp_quick_req *p, uint32_t number,
                 uint32_t at)
{
	struct rp_quick_sm *q = sm->quick;
	struct rp_entry *e = rp_lru_at(&sm->lru, p->line);
	if (e->due[p->k] == (RP_DUE_ASKED | (number & ~RP_DUE_ASKED)))
		e->due[p->k] = (uint32_t)(r->base - r->epoch) + at;
	q->mshr[q->filled++ & q->mshr_mask] = at;
	if (p->joined != RP_NO_INDEX)
		let_joined_go(sm, p, at);
}

/* The same where an L1 sector takes several requests, which are served one after the other. */
static void fill_part(struct ct_replay *r, struct rp_sm *sm, const struct rp_quick_req *p,
                      uint32_t number, uint32_t at)
{
	struct rp_quick_sm *q = sm->quick;
	q->part = p->before ? rp_max32(q->part, at) : at;
	if (p->before + 1u == r->llc_per_l1)
		fill(r, sm, &q->req[(number - p->before) & q->req_mask], number - p->before, q->part);
}

/* The SM's first request is moved by the network in cycle `at`. */
RP_HOT void serve(struct ct_replay *r, struct rp_sm *sm, uint64_t at)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t number = q->served++;
	struct rp_quick_req *p = &q->req[number & q->req_mask];
	struct rp_quick_slice *l = &r->quick->slice[p->slice];
	uint32_t flits = r->quick->flits[p->kind == RP_PK_STORE];
	q->sent = rp_max64(at, l->port) + flits - 1;
	r->total.noc_request_busy += flits;
	r->total.llc_busy++;
	l->port = q->sent + 1;
	uint64_t now = rp_max64(q->sent + r->quick->trip, l->free);
	l->free = now + 1;
	uint32_t back = reply(r, sm, p, llc_sector(r, sm, p, now));
	if (p->kind == RP_PK_STORE) {
		rp_quick_back(sm, p->inst, back);
		return;
	}
	uint32_t written = (uint32_t)rp_calendar_put(&q->write_back, back + 2);
	if (p->line != RP_LRU_NONE && r->llc_per_l1 == 1)
		fill(r, sm, p, number, back + 2);
	else if (p->line != RP_LRU_NONE)
		fill_part(r, sm, p, number, back + 2);
	rp_quick_back(sm, p->inst, written);
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
		struct rp_quick_sm *q = r->sm[i].quick;
		if (q->reply.first < word)
			rp_calendar_pass(&q->reply, word);
		if (q->write_back.first < word)
			rp_calendar_pass(&q->write_back, word);
		if (q->in_wheel || q->served == q->asked)
			continue;
		q->in_wheel = 1;
		w->waiting++;
		line_up(r, &r->sm[i]);
	}
}

/* An instruction that issues in cycle `end` comes to the network five cycles later at the earliest:
 * what comes before is known, and what comes later is not back within the next window. */
void rp_quick_serve(struct ct_replay *r, uint64_t end)
{
	enum { TO_NETWORK = 5 };
	uint32_t i;
	wheel_fill(r);
	while ((i = wheel_take(r, end + TO_NETWORK)) != RP_NO_INDEX) {
		struct rp_sm *sm = &r->sm[i];
		struct rp_quick_sm *q = sm->quick;
		if (r->quick->when[i] <= r->quick->now) {
			serve(r, sm, r->quick->when[i]);
		} else { /* it is further ahead than the wheel reaches */
			wheel_put(r, sm);
			continue;
		}
		if (q->served != q->asked) {
			line_up(r, sm);
		} else {
			q->in_wheel = 0;
			r->quick->waiting--;
		}
	}
	for (i = 0; i < r->g.sms; i++) /* what has waited before an L1 goes on in the next window */
		if (r->sm[i].quick->nheld | r->sm[i].quick->nwait)
			r->sm[i].now = rp_max32(r->sm[i].now, (uint32_t)(end - r->base));
}

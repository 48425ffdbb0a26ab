/* quick.h - what contention costs in the cheap engine, CT_REPLAY_QUICK (private; used by fixed.c
 * and fixed_mem.c).
 *
 * Every resource is a book of reservations. SMs run one after the other through a window of
 * time, and a warp runs ahead of the others, so requests do not come in the order of their
 * cycles: a resource that hands out one place a cycle is a calendar of bits, of which a
 * request takes the first free one. Nothing is stepped through cycles. */
#ifndef CT_REPLAY_PRIVATE_QUICK_H
#define CT_REPLAY_PRIVATE_QUICK_H

#include "base/bits.h"
#include "replay/private/llc.h"

enum {
	RP_CALENDAR_WORDS = 64, /* of the memory side: 4096 places */
	RP_ISSUE_WORDS = 16,    /* of schedulers and units: 1024 cycles */
	RP_NOTES = 1024,        /* last loads of an SM, last requests of a slice */
	RP_ROWS = 32            /* cycles of a bank, each from one activate to the next, that are known */
};

/* Places (cycles, or multiples of some) from 64 * first on; those of [lo, hi) are taken. */
struct rp_calendar {
	uint64_t first, lo, hi;
	uint64_t over;          /* what is behind the end of the calendar is taken up to here */
	uint64_t bits[RP_CALENDAR_WORDS];
};

struct rp_slots {
	uint64_t first;
	uint64_t bits[RP_ISSUE_WORDS];
};

struct rp_quick_sched {
	struct rp_slots issue, unit[RP_UNITS];
};

/* A line of the L1 or the LLC: loads or requests that wait for each of its sectors; the number
 * of the last note about it, 0: none. */
struct rp_quick_line { uint8_t merged[8]; uint32_t note; };

/* A load that waits for sectors of a line, in cycles of the launch. */
struct rp_load_note {
	const struct rp_op *op;
	uint64_t line;
	uint32_t before;        /* note of the same line */
	uint32_t back, group;
	uint16_t warp;
	uint8_t sectors;
};

/* A read that waits at the LLC for a sector, in memory cycles. */
struct rp_request_note {
	uint64_t line, ready, served, back; /* before the network; at the tags; at the SM */
	uint32_t before;
	uint16_t sm;
	uint8_t sector;
};

struct rp_quick_sm {
	struct rp_quick_sched *sched;
	struct rp_calendar lsu, reply, write_back;
	uint64_t *mshr;         /* cycles at which the last entries taken are free, the oldest next */
	uint32_t mshr_next;
	uint64_t l1_free;       /* the tags are held up until then */
	uint64_t sent;          /* the last request moved by the network */
	struct rp_quick_line *line;
	struct rp_load_note *note; /* number % RP_NOTES */
	uint32_t notes;
	uint32_t warp;          /* whose instruction is at work */
	uint64_t ready;         /* when its last request came to the network */
	uint16_t *held;         /* ring of warps whose memory instruction waits before the L1 */
	uint32_t held_first, nheld;
};

struct rp_quick_slice {
	struct rp_calendar port, replies; /* into it; out of it */
	uint64_t *mshr;
	uint32_t mshr_next;
	uint64_t held_from, held_to; /* the head waits for DRAM, and everything behind it */
	struct rp_quick_line *line;
	struct rp_request_note *note;
	uint32_t notes;
};

/* The row (its low bits) that a bank has open in the RC cycles of DRAM from `turn` * RC on; when it
 * was opened, and how much later it had its last column command. */
struct rp_row { uint64_t turn, act; uint32_t row, after; };

struct rp_quick_bank {
	struct rp_row at[RP_ROWS]; /* turn % RP_ROWS */
	uint64_t newest;           /* turn */
};

struct rp_quick_channel {
	struct rp_calendar bus, activate; /* places of CCD and RRD cycles */
	struct rp_calendar group[8];      /* of CCDL */
	struct rp_quick_bank bank[32];
	uint64_t *queue;                  /* cycles of the last column commands, as many as the queue
	                                     has places, the oldest next */
	uint32_t queue_next;
};

/* quick.c */
int rp_quick_init(struct ct_replay *r, struct ct_error *e);
void rp_quick_free(struct ct_replay *r);
/* A launch begins: cycle 0 of the SM is another cycle of the memory system. */
void rp_quick_begin(struct ct_replay *r, struct rp_sm *sm);
/* Forgets places before 64 * word. */
void rp_calendar_pass(struct rp_calendar *c, uint64_t word);
/* Cycle at which DRAM has the sector at the slice, which asks for it in cycle `at`. */
uint64_t rp_quick_dram(struct ct_replay *r, const struct ct_place *place, uint64_t at);
/* The line's modified sectors go to DRAM. */
void rp_quick_dram_write(struct ct_replay *r, uint64_t address, uint32_t bytes, uint64_t at);

/* quick_held.c: a read of the sector of line `index`, which came to the network in `ready`, is one
 * more than the slice keeps waiting, and holds it up from cycle `at` until `due`: what was behind it
 * in the network is served later than it has been told. */
void rp_quick_hold(struct ct_replay *r, struct rp_slice *s, uint32_t index, uint32_t sector,
                   uint64_t ready, uint64_t at, uint64_t due);

/* The place behind `at` in a ring of n. */
RP_HOT uint32_t rp_quick_after(uint32_t at, uint32_t n)
{
	return at + 1 >= n ? 0 : at + 1;
}

/* The first free place from t on. Nobody will ask for one before `floor`. */
RP_HOT uint64_t rp_calendar_take(struct rp_calendar *c, uint64_t floor, uint64_t t)
{
	if (floor >> 6 > c->first)
		rp_calendar_pass(c, floor >> 6);
	uint64_t from = t < c->first << 6 ? c->first << 6 : t;
	uint64_t at = from >= c->lo && from < c->hi ? c->hi : from;
	uint64_t w = at >> 6, end = c->first + RP_CALENDAR_WORDS;
	uint64_t free = w < end ? ~c->bits[w % RP_CALENDAR_WORDS] & ~UINT64_C(0) << (at & 63) : 0;
	while (!free && ++w < end)
		free = ~c->bits[w % RP_CALENDAR_WORDS];
	if (w >= end) {
		at = rp_max64(rp_max64(c->over, end << 6), t);
		c->over = at + 1;
		return at;
	}
	uint32_t b = ct_low_bit(free);
	c->bits[w % RP_CALENDAR_WORDS] |= UINT64_C(1) << b;
	at = w << 6 | b;
	if (from <= c->hi && from >= c->lo) { /* longer */
		c->hi = at + 1;
	} else if (at - from > c->hi - c->lo || c->hi < c->first << 6) {
		c->lo = from;
		c->hi = at + 1;
	}
	return at;
}

RP_HOT uint64_t rp_slots_take(struct rp_slots *c, uint64_t floor, uint64_t t)
{
	uint64_t w = floor >> 6;
	for (; c->first < w; c->first++) {
		if (w - c->first > RP_ISSUE_WORDS)
			c->first = w - RP_ISSUE_WORDS;
		c->bits[c->first % RP_ISSUE_WORDS] = 0;
	}
	if (t < c->first << 6)
		t = c->first << 6;
	uint64_t end = c->first + RP_ISSUE_WORDS;
	w = t >> 6;
	uint64_t free = w < end ? ~c->bits[w % RP_ISSUE_WORDS] & ~UINT64_C(0) << (t & 63) : 0;
	while (!free && ++w < end)
		free = ~c->bits[w % RP_ISSUE_WORDS];
	if (w >= end)
		return t;
	uint32_t b = ct_low_bit(free);
	c->bits[w % RP_ISSUE_WORDS] |= UINT64_C(1) << b;
	return w << 6 | b;
}

/* Cycle in which the warp's next instruction issues: the scheduler issues one a cycle, the unit
 * takes one every `initiation`. */
RP_HOT uint64_t rp_quick_issue(const struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                               const struct rp_op *op, uint64_t t)
{
	struct rp_quick_sched *s = &sm->quick->sched[rp_modulo(warp, r->g.schedulers)];
	uint64_t floor = sm->now;
	if (op->initiation > 1 && op->kind < RP_LOAD) {
		struct rp_slots *u = &s->unit[op->unit];
		uint64_t first = rp_slots_take(u, floor, t);
		for (uint32_t i = 1; i < op->initiation; i++)
			rp_slots_take(u, floor, first + i);
		t = first;
	}
	return rp_slots_take(&s->issue, floor, t);
}

/* First cycle of the load/store unit from t on, which the instruction keeps for n. */
RP_HOT uint32_t rp_quick_lsu(const struct ct_replay *r, struct rp_sm *sm, uint32_t t, uint32_t n)
{
	struct rp_quick_sm *q = sm->quick;
	uint64_t from = r->base + t;
	sm->c.l1_busy += n;
	/* what the tags hold up fills the pipeline in front of them */
	if (q->l1_free > from + r->g.l1_latency)
		from = q->l1_free - r->g.l1_latency;
	uint64_t at = rp_calendar_take(&q->lsu, r->base + sm->now, from);
	for (uint32_t i = 1; i < n; i++)
		rp_calendar_take(&q->lsu, r->base + sm->now, at + i);
	return (uint32_t)(at - r->base);
}

/* Cycle in which what enters the L1 in `at` meets the tags: behind what they hold up. */
RP_HOT uint32_t rp_quick_tags(const struct ct_replay *r, const struct rp_sm *sm, uint32_t at)
{
	uint64_t t = r->base + at + r->g.l1_latency;
	return (uint32_t)(rp_max64(t, sm->quick->l1_free) - r->base);
}

/* A sector misses, or is stored, at the tags in cycle `at` at the earliest: cycle in which it does
 * with room in the miss queue and, for a load, an MSHR entry. */
RP_HOT uint32_t rp_quick_miss(struct ct_replay *r, struct rp_sm *sm, uint32_t at, int store)
{
	struct rp_quick_sm *q = sm->quick;
	uint64_t t = rp_max64(r->base + at, q->l1_free), look = t;
	uint32_t room = r->g.l1.miss_queue - !store; /* entries in it must be fewer */
	if (r->base + sm->missq_last >= t + room)
		t = r->base + sm->missq_last - room + 1;
	if (!store)
		t = rp_max64(t, q->mshr[q->mshr_next]);
	if (t > look)
		q->l1_free = t;
	return (uint32_t)(t - r->base);
}

/* The entry that a load's miss took is free in cycle `until`. */
RP_HOT void rp_quick_mshr(struct ct_replay *r, struct rp_sm *sm, uint32_t until)
{
	struct rp_quick_sm *q = sm->quick;
	q->mshr[q->mshr_next] = r->base + until;
	q->mshr_next = rp_quick_after(q->mshr_next, r->g.l1.mshr_entries);
}

/* The masked sectors of the line are asked for by one load each. */
RP_HOT void rp_quick_first(struct rp_sm *sm, uint32_t line, uint32_t sectors)
{
	for (; sectors; sectors &= sectors - 1)
		sm->quick->line[line].merged[ct_low_bit(sectors)] = 1;
}

/* Cycle in which another load of the sector has what is on its way. */
RP_HOT uint32_t rp_quick_join(struct ct_replay *r, struct rp_sm *sm, uint32_t line, uint32_t sector,
                              uint32_t due)
{
	struct rp_quick_sm *q = sm->quick;
	uint8_t *n = &q->line[line].merged[sector];
	if (*n >= r->g.l1.mshr_merge) { /* tried again until it hits */
		q->l1_free = rp_max64(q->l1_free, r->base + due);
		return due;
	}
	*n += *n < 255;
	return (uint32_t)(rp_calendar_take(&q->write_back, r->base + sm->now, r->base + due + 1) - r->base);
}

/* Network cycles of one way. */
RP_HOT uint32_t rp_quick_hop(const struct ct_replay *r)
{
	return r->g.noc_latency ? r->g.noc_latency : 1;
}

/* Cycle in which the slice serves what leaves the tags, or the load/store unit, in `at`. */
RP_HOT uint32_t rp_quick_request(struct ct_replay *r, struct rp_sm *sm, struct rp_slice *s,
                                 const struct rp_packet *p, uint32_t at)
{
	struct rp_quick_sm *q = sm->quick;
	struct rp_quick_slice *l = s->quick;
	uint32_t flits = rp_packet_flits(r, p, 1);
	sm->c.noc_request_busy += flits;
	sm->c.llc_busy++;
	/* what bypasses the L1 has no queue to pass */
	sm->missq_last = rp_max32(sm->missq_last, at - (p->kind > RP_PK_STORE)) + 1;
	/* in order from the SM's side, one a cycle on the slice's */
	q->ready = r->base + sm->missq_last + 1;
	uint64_t t = rp_max64(q->ready, q->sent);
	t = q->sent = rp_calendar_take(&l->port, r->horizon, t);
	for (uint32_t i = 1; i < flits; i++)
		t = rp_calendar_take(&l->port, r->horizon, t + 1);
	t += rp_quick_hop(r) + r->g.llc_latency + 1;
	if (t >= l->held_from && t < l->held_to)
		t = l->held_to++;
	return (uint32_t)(t - r->base);
}

/* A read misses in the slice: cycle in which it is filled. */
RP_HOT uint32_t rp_quick_llc_miss(struct ct_replay *r, struct rp_slice *s, uint32_t line,
                                  uint32_t sector, const struct ct_place *place, uint32_t at)
{
	struct rp_quick_slice *l = s->quick;
	uint64_t t = r->base + at;
	if (l->mshr[l->mshr_next] > t) {
		l->held_from = t;
		t = l->held_to = l->mshr[l->mshr_next];
	}
	t = rp_quick_dram(r, place, t);
	l->mshr[l->mshr_next] = t;
	l->mshr_next = rp_quick_after(l->mshr_next, r->g.llc.mshr_entries);
	l->line[line].merged[sector] = 1;
	return (uint32_t)(t - r->base);
}

/* Another read of a sector that is on its way: 1 if it waits with the others; one too many holds the
 * slice up until the sector is there, in memory cycle `due`. */
RP_HOT int rp_quick_llc_join(struct ct_replay *r, const struct rp_sm *sm, struct rp_slice *s,
                              uint32_t line, uint32_t sector, uint32_t at, uint64_t due)
{
	struct rp_quick_slice *l = s->quick;
	uint8_t *n = &l->line[line].merged[sector];
	if (*n < r->g.llc.mshr_merge) {
		*n += *n < 255;
		return 1;
	}
	l->held_from = r->base + at;
	l->held_to = due;
	rp_quick_hold(r, s, line, sector, sm->quick->ready, r->base + at, due);
	return 0;
}

/* Notes that the read, at the tags in `at`, has waited for the sector and is back at the SM in
 * `back`. */
RP_HOT void rp_quick_note_request(struct ct_replay *r, const struct rp_sm *sm, struct rp_slice *s,
                                  uint32_t index, uint64_t line, uint32_t sector, uint32_t at,
                                  uint32_t back)
{
	struct rp_quick_slice *q = s->quick;
	q->note[++q->notes % RP_NOTES] = (struct rp_request_note){
		.line = line, .ready = sm->quick->ready, .served = r->base + at, .back = r->base + back,
		.before = q->line[index].note, .sm = (uint16_t)sm->id, .sector = (uint8_t)sector,
	};
	q->line[index].note = q->notes;
}

/* Notes that the load of the warp at work waits for sectors of the line until `back`. */
RP_HOT void rp_quick_note_load(struct rp_sm *sm, uint32_t index, uint64_t line, uint32_t sectors,
                               uint32_t back)
{
	struct rp_quick_sm *q = sm->quick;
	const struct rp_warp *w = &sm->warp[q->warp];
	q->note[++q->notes % RP_NOTES] = (struct rp_load_note){
		.op = w->op, .line = line, .before = q->line[index].note, .back = back, .group = w->group,
		.warp = (uint16_t)q->warp, .sectors = (uint8_t)sectors,
	};
	q->line[index].note = q->notes;
}

/* Cycle at which what the slice has in `at` can be used by the SM's warps. */
RP_HOT uint32_t rp_quick_reply(struct ct_replay *r, struct rp_sm *sm, struct rp_slice *s,
                               const struct rp_packet *p, uint32_t at)
{
	struct rp_quick_sm *q = sm->quick;
	uint64_t floor = r->base + sm->now, t = r->base + at + 1;
	uint32_t flits = rp_packet_flits(r, p, 0);
	sm->c.noc_reply_busy += flits;
	t = rp_calendar_take(&s->quick->replies, r->horizon, t);
	for (uint32_t i = 0; i < flits; i++)
		t = rp_calendar_take(&q->reply, floor, t + (i != 0));
	t += 1 + rp_quick_hop(r);
	if (!rp_is_store(p))
		t = rp_calendar_take(&q->write_back, floor, t) + 2;
	return (uint32_t)(t - r->base);
}

#endif

/* events.h - what is to happen at a node, an SM or a slice, in the order of time (private).
 *
 * Nearly all events are due within a few dozen cycles. So those of the next cycles hang in lists, one for each cycle, and
 * only the others lie in a heap: the next event is found by a rotation of the lists' bits. Both orders are that of time,
 * then that in which the events came. */
#ifndef CT_REPLAY_PRIVATE_EVENTS_H
#define CT_REPLAY_PRIVATE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/hot.h"
#include "replay/private/numbers.h"
#include "replay/private/pool.h"

struct ct_part;

/* A place in time: cycle, then a number that no two share. Entries of the heaps here begin with it. */
struct rp_moment {
	uint64_t at, seq;
};

static inline int rp_moment_before(const void *ctx, const void *a, const void *b)
{
	const struct rp_moment *x = (const struct rp_moment *)a, *y = (const struct rp_moment *)b;
	(void)ctx;
	return x->at != y->at ? x->at < y->at : x->seq < y->seq;
}

enum rp_event_kind {
	RP_EV_TIMER,
	RP_EV_MESSAGE,
	RP_EV_ANSWER,
	RP_EV_LLC_ANSWER,
	RP_EV_WRITE,
	RP_EV_LEFT,
	RP_EV_SHAPE
};

struct rp_event {
	struct rp_moment when;
	const struct ct_part *who;
	uint64_t data; /* timer: the part's; answers and left: token */
	uint32_t arg;  /* message: index; answers: chunks or outcome; write: sub-core << 24 |
	                              warp << 8 | register; left: sub-core */
	uint8_t kind;
	uint32_t next; /* the queue's */
};

enum { RP_EVENT_CYCLES = 64 }; /* with a list each */

/* Zero-initialise, but for places.free: RP_NO_INDEX. */
struct rp_events {
	struct rp_event *heap;
	size_t n, cap;
	uint64_t lists; /* bit: the list has events */
	uint64_t floor; /* no list has events before this cycle */
	uint32_t first[RP_EVENT_CYCLES],
		last[RP_EVENT_CYCLES]; /* of the list of cycle % RP_EVENT_CYCLES */
	struct rp_event *near;         /* in lists, or free */
	struct rp_pool_head places;    /* of these */
};

/* Cycle of the first event in a list, or RP_NEVER64. Pure. */
static inline uint64_t rp_events_near(const struct rp_events *q)
{
	if (!q->lists)
		return RP_NEVER64;
	unsigned s = q->floor % RP_EVENT_CYCLES;
	uint64_t turned = s ? q->lists >> s | q->lists << (RP_EVENT_CYCLES - s) : q->lists;
	return q->floor + ct_low_bit(turned);
}

/* The same of the heap. Pure. */
static inline uint64_t rp_events_far(const struct rp_events *q)
{
	return q->n ? q->heap[0].when.at : RP_NEVER64;
}

/* Cycle of the first event, or RP_NEVER64. Pure. */
static inline uint64_t rp_event_next(const struct rp_events *q)
{
	uint64_t near = rp_events_near(q), far = rp_events_far(q);
	return near < far ? near : far;
}

/* Whether an event of cycle `at` goes into a list. now: the cycle before which hardly any event is due that comes later. */
static CT_INLINE int rp_events_is_near(struct rp_events *q, uint64_t at, uint64_t now)
{
	if (!q->lists && now > q->floor)
		q->floor = now;
	return at - q->floor < RP_EVENT_CYCLES; /* what is before the floor is far away, too */
}

/* A place at the end of the list of its cycle, for the caller to fill in, since events come in the order of their numbers.
 * NULL: out of memory. */
static CT_INLINE struct rp_event *rp_events_place(struct rp_events *q, uint64_t at)
{
	const unsigned list = at % RP_EVENT_CYCLES;
	const uint64_t bit = (uint64_t)1 << list;
	const uint32_t i = rp_pool_get(
		&q->places, (void **)&q->near, sizeof *q->near, offsetof(struct rp_event, next));
	if (i == RP_NO_INDEX)
		return NULL;
	if (q->lists & bit)
		q->near[q->last[list]].next = i;
	else
		q->first[list] = i;
	q->last[list] = i;
	q->lists |= bit;
	return &q->near[i];
}

/* events.c: an event that no list takes. -1: out of memory. */
int rp_events_put_far(struct rp_events *q, const struct rp_event *ev);

/* Adds an event. now: see rp_events_is_near(). Returns -1 when out of memory. */
static CT_INLINE int rp_events_put(struct rp_events *q, const struct rp_event *ev, uint64_t now)
{
	if (!rp_events_is_near(q, ev->when.at, now))
		return rp_events_put_far(q, ev);
	struct rp_event *place = rp_events_place(q, ev->when.at);
	if (!place)
		return -1;
	*place = *ev;
	return 0;
}

/* Takes the first event in the lists, which is due in cycle `at`. */
static CT_INLINE void rp_events_take_near(struct rp_events *q, uint64_t at, struct rp_event *ev)
{
	const unsigned list = at % RP_EVENT_CYCLES;
	const uint32_t i = q->first[list];
	*ev = q->near[i];
	if (i == q->last[list])
		q->lists &= ~((uint64_t)1 << list);
	q->first[list] = ev->next;
	q->near[i].next = q->places.free;
	q->places.free = i;
}

/* events.c: the same as rp_events_take(), also where events are far. */
int rp_events_take_any(struct rp_events *q, const struct rp_moment *end, struct rp_event *ev);

/* Takes the first event if it comes before `end`. 0: it does not, or there is none. Nothing is due before the event that is
 * taken, so that the lists may begin there. */
static CT_INLINE int rp_events_take(struct rp_events *q, const struct rp_moment *end,
                                    struct rp_event *ev)
{
	if (rp_events_far(q) <= end->at)
		return rp_events_take_any(q, end, ev);
	if (!q->lists)
		return 0;
	const uint64_t at = rp_events_near(q);
	if (at > end->at ||
	    (at == end->at && q->near[q->first[at % RP_EVENT_CYCLES]].when.seq >= end->seq))
		return 0;
	rp_events_take_near(q, at, ev);
	q->floor = at;
	return 1;
}

void rp_events_free(struct rp_events *q);

#endif

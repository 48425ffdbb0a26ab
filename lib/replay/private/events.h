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

/* Adds an event. now: the cycle before which hardly any event is due that comes later. Returns -1 when out of memory. */
int rp_events_put(struct rp_events *q, const struct rp_event *ev, uint64_t now);
/* Takes the first event if it comes before `end`. 0: it does not, or there is none. */
int rp_events_take(struct rp_events *q, const struct rp_moment *end, struct rp_event *ev);
void rp_events_free(struct rp_events *q);

#endif

#include "replay/private/events.h"

#include <stdlib.h>

#include "base/heap.h"
#include "base/mem.h"

/* Room for an event in a list; UINT32_MAX: out of memory. */
static uint32_t near_place(struct rp_events *q)
{
	if (q->spare) {
		uint32_t i = q->spare - 1;
		q->spare = q->near[i].next;
		return i;
	}
	if (q->nnear == UINT32_MAX - 1 ||
	    ct_grow((void **)&q->near, &q->near_cap, (size_t)q->nnear + 1, sizeof *q->near) < 0)
		return UINT32_MAX;
	return q->nnear++;
}

/* At the end of the list of its cycle: events come in the order of their numbers. */
static int put_near(struct rp_events *q, const struct rp_event *ev)
{
	const unsigned list = ev->when.at % RP_EVENT_CYCLES;
	const uint32_t i = near_place(q);
	if (i == UINT32_MAX)
		return -1;
	q->near[i] = *ev;
	if (q->lists >> list & 1)
		q->near[q->last[list]].next = i;
	else
		q->first[list] = i;
	q->last[list] = i;
	q->lists |= (uint64_t)1 << list;
	return 0;
}

int rp_events_put(struct rp_events *q, const struct rp_event *ev, uint64_t now)
{
	if (!q->lists && now > q->floor)
		q->floor = now;
	if (ev->when.at >= q->floor && ev->when.at - q->floor < RP_EVENT_CYCLES)
		return put_near(q, ev);
	if (ct_grow((void **)&q->heap, &q->cap, q->n + 1, sizeof *q->heap) < 0)
		return -1;
	ct_heap_add(q->heap, q->n++, sizeof *q->heap, ev, rp_moment_before, NULL);
	return 0;
}

static void take_near(struct rp_events *q, uint64_t at, struct rp_event *ev)
{
	const unsigned list = at % RP_EVENT_CYCLES;
	const uint32_t i = q->first[list];
	*ev = q->near[i];
	if (i == q->last[list])
		q->lists &= ~((uint64_t)1 << list);
	else
		q->first[list] = ev->next;
	q->near[i].next = q->spare;
	q->spare = i + 1;
}

/* Nothing is due before the event that is taken, so that the lists may begin there. */
int rp_events_take(struct rp_events *q, uint64_t now, struct rp_event *ev)
{
	const uint64_t far = q->n ? q->heap[0].when.at : RP_NEVER64;
	const uint64_t near = q->lists ? rp_events_near(q) : RP_NEVER64;
	const uint64_t at = near < far ? near : far;
	if (at > now)
		return 0;
	if (at > q->floor)
		q->floor = at;
	if (near < far ||
	    (near == far && q->near[q->first[near % RP_EVENT_CYCLES]].when.seq < q->heap[0].when.seq))
		take_near(q, near, ev);
	else
		ct_heap_take(q->heap, q->n--, sizeof *ev, ev, rp_moment_before, NULL);
	return 1;
}

void rp_events_free(struct rp_events *q)
{
	free(q->heap);
	free(q->near);
}

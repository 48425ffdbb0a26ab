#include "replay/private/events.h"

#include <stdlib.h>

#include "base/heap.h"
#include "base/mem.h"

/* At the end of the list of its cycle: events come in the order of their numbers. */
static int put_near(struct rp_events *q, const struct rp_event *ev)
{
	const unsigned list = ev->when.at % RP_EVENT_CYCLES;
	const uint32_t i = rp_pool_get(
		&q->places, (void **)&q->near, sizeof *q->near, offsetof(struct rp_event, next));
	if (i == RP_NO_INDEX)
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
	q->near[i].next = q->places.free;
	q->places.free = i;
}

/* Nothing is due before the event that is taken, so that the lists may begin there. */
int rp_events_take(struct rp_events *q, const struct rp_moment *end, struct rp_event *ev)
{
	const uint64_t near = rp_events_near(q);
	const struct rp_moment none = {RP_NEVER64, RP_NEVER64};
	const struct rp_moment *first = q->n ? &q->heap[0].when : &none;
	int far = 1;
	if (near <= first->at && near != RP_NEVER64) {
		const struct rp_moment *head = &q->near[q->first[near % RP_EVENT_CYCLES]].when;
		far = rp_moment_before(NULL, first, head);
		first = far ? first : head;
	}
	if (!rp_moment_before(NULL, first, end))
		return 0;
	if (first->at > q->floor)
		q->floor = first->at;
	if (far)
		ct_heap_take(q->heap, q->n--, sizeof *ev, ev, rp_moment_before, NULL);
	else
		take_near(q, near, ev);
	return 1;
}

void rp_events_free(struct rp_events *q)
{
	free(q->heap);
	free(q->near);
}

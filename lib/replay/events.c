#include "replay/private/events.h"

#include <stdlib.h>

#include "base/heap.h"
#include "base/mem.h"

int rp_events_put_far(struct rp_events *q, const struct rp_event *ev)
{
	if (ct_grow((void **)&q->heap, &q->cap, q->n + 1, sizeof *q->heap) < 0)
		return -1;
	ct_heap_add(q->heap, q->n++, sizeof *q->heap, ev, rp_moment_before, NULL);
	return 0;
}

int rp_events_take_any(struct rp_events *q, const struct rp_moment *end, struct rp_event *ev)
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
		rp_events_take_near(q, near, ev);
	return 1;
}

void rp_events_free(struct rp_events *q)
{
	free(q->heap);
	free(q->near);
}

/* What slices have answered comes back to an SM of the quick replay, in the order in which it has asked:
 * the network's output, the L1 and its MSHR, what waits for it (doc/replay.md sections 5 to 7). */
#include "replay/private/quick.h"

/* What has joined the request goes on: its sector is there in cycle `at`. */
static void release_joined(struct rp_sm *sm, const struct rp_quick_req *p, uint32_t at)
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
			back = (uint32_t)rp_calendar_take_first(&q->write_back, at + 1);
		}
		rp_quick_one_back(sm, j->inst, back);
	} while (i != last);
	i = q->joined[last].next;
	q->joined[last].next = q->joined_free;
	q->joined_free = i;
}

/* The L1 sector that the request, the first for it, has asked for is there in cycle `at`, which is so
 * many cycles later since the epoch. */
static CT_INLINE void fill_sector(struct rp_sm *sm, const struct rp_quick_req *p, uint32_t number,
                                  uint32_t at, uint32_t epoch)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t *due = &rp_lru_at(&sm->cache.lru, p->line)->due[p->k];
	if (*due == (RP_DUE_ASKED | (number & ~RP_DUE_ASKED)))
		*due = epoch + at;
	q->mshr[q->filled++ & q->mshr_mask] = at;
	if (p->joined != RP_NO_INDEX)
		release_joined(sm, p, at);
}

/* The same where an L1 sector takes several requests, which are served one after the other. */
static void fill_part_of_sector(struct ct_replay *r, struct rp_sm *sm, const struct rp_quick_req *p,
                                uint32_t number, uint32_t at, uint32_t epoch)
{
	struct rp_quick_sm *q = sm->quick;
	q->part = p->before ? rp_max32(q->part, at) : at;
	if (p->before + 1u == r->llc_per_l1)
		fill_sector(sm, &q->req[(number - p->before) & q->req_mask], number - p->before, q->part,
		            epoch);
}

/* Asks the host's memory for what a reply will meet. */
static CT_INLINE void prefetch_reply(const struct rp_sm *sm, uint32_t number)
{
	const struct rp_quick_sm *q = sm->quick;
	const struct rp_quick_req *p = &q->req[number & q->req_mask];
	if (p->line != RP_LRU_NONE)
		CT_BRING(&rp_lru_at(&sm->cache.lru, p->line)->due[p->k]);
	CT_BRING(&q->inst[p->inst]);
}

void rp_quick_replies(struct ct_replay *r, struct rp_sm *sm)
{
	enum { AHEAD = 6 };
	struct rp_quick_sm *q = sm->quick;
	uint32_t hop = 1 + rp_quick_hop(r), epoch = (uint32_t)(r->base - r->epoch), end = q->served;
	for (uint32_t i = q->replied; i != end && i != q->replied + AHEAD; i++)
		prefetch_reply(sm, i);
	for (; q->replied != end; q->replied++) {
		uint32_t number = q->replied;
		const struct rp_quick_req *p = &q->req[number & q->req_mask];
		int store = p->kind == RP_PK_STORE;
		uint32_t at = p->ready;
		if (end - number > AHEAD)
			prefetch_reply(sm, number + AHEAD);
		at = (uint32_t)rp_calendar_take_first(&q->reply, at);
		for (uint32_t i = 1; i < r->quick->reply_flits[store]; i++)
			at = (uint32_t)rp_calendar_take_first(&q->reply, at + 1);
		at += hop;
		if (store) {
			rp_quick_one_back(sm, p->inst, at);
			continue;
		}
		uint32_t written = (uint32_t)rp_calendar_take_first(&q->write_back, at + 2);
		if (p->line != RP_LRU_NONE && r->llc_per_l1 == 1)
			fill_sector(sm, p, number, at + 2, epoch);
		else if (p->line != RP_LRU_NONE)
			fill_part_of_sector(r, sm, p, number, at + 2, epoch);
		rp_quick_one_back(sm, p->inst, written);
	}
}

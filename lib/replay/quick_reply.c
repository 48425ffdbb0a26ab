/* The memory side of the quick replay at the end of a window: the memory system of full timing
 * serves what the SMs have asked for, and replies come back to the L1, its MSHR and what
 * waits for them (doc/replay.md sections 5 to 9). */
#include "replay/private/quick.h"

/* ---- replies ---- */

/* What has joined the request goes on: its sector is there in cycle `at`. */
static void release_joined(struct ct_replay *r, struct rp_sm *sm, const struct rp_quick_req *p,
                           uint32_t at)
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
			back = (uint32_t)rp_calendar_take_first(&q->write_back, at + RP_TO_REGISTERS);
		}
		rp_quick_one_back(r, sm, j->inst, back);
	} while (i != last);
	i = q->joined[last].next;
	q->joined[last].next = q->joined_free;
	q->joined_free = i;
}

/* All of the L1 sector that the request, the first for it, has asked for is there in cycle `at`, which is so
 * many cycles later since the epoch. */
static CT_INLINE void fill_sector(struct ct_replay *r, struct rp_sm *sm, struct rp_quick_req *p,
                                  uint32_t number, uint32_t at, uint32_t epoch)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t *due = &rp_lru_at(&sm->cache.lru, p->line)->due[p->k];
	if (*due == (RP_DUE_ASKED | (number & ~RP_DUE_ASKED)))
		*due = epoch + at;
	q->mshr[q->filled++ & q->mshr_mask] = at;
	p->at = at;
	if (p->joined != RP_NO_INDEX)
		release_joined(r, sm, p, at);
}

/* The reply to the request of that number comes in cycle `at`. */
static CT_INLINE void take_reply(struct ct_replay *r, struct rp_sm *sm, uint32_t number, uint32_t at,
                                 uint32_t epoch)
{
	struct rp_quick_sm *q = sm->quick;
	struct rp_quick_req *p = &q->req[number & q->req_mask];
	p->over = 1;
	if (p->kind == RP_PK_STORE) {
		rp_quick_one_back(r, sm, p->inst, at);
		return;
	}
	uint32_t written = (uint32_t)rp_calendar_take_first(&q->write_back, at + RP_TO_REGISTERS);
	if (p->line != RP_LRU_NONE) {
		uint32_t first = number - p->before;
		struct rp_quick_req *f = &q->req[first & q->req_mask];
		f->over = !--f->parts; /* the first stays until all have come */
		if (f->over)
			fill_sector(r, sm, f, first, at, epoch);
	}
	rp_quick_one_back(r, sm, p->inst, written);
}

/* Asks the host's memory for what a reply will meet. */
static CT_INLINE void prefetch_reply(const struct rp_sm *sm, const struct rp_packet *k)
{
	const struct rp_quick_sm *q = sm->quick;
	const struct rp_quick_req *p = &q->req[k->id & q->req_mask];
	if (p->line != RP_LRU_NONE)
		CT_BRING(&rp_lru_at(&sm->cache.lru, p->line)->due[p->k]);
	CT_BRING(&q->inst[p->inst]);
}

/* All replies that are known, in the order in which they come. */
static void take_replies(struct ct_replay *r, struct rp_sm *sm)
{
	enum { AHEAD = 6 }; /* replies between what the host's memory is asked for */
	struct rp_quick_sm *q = sm->quick;
	uint32_t epoch = (uint32_t)(r->base - r->epoch), oldest = q->over;
	uint64_t word = rp_window_start(r) / 64; /* nothing comes back before */
	if (q->write_back.first < word)
		rp_calendar_pass(&q->write_back, word);
	while (sm->replies.n) {
		const struct rp_packet *k = rp_ring_first(&sm->replies);
		uint64_t at = k->when - r->base;
		if (sm->replies.n > 3 * AHEAD)
			rp_ring_bring(&sm->replies, 3 * AHEAD);
		if (sm->replies.n > 2 * AHEAD)
			CT_BRING(&q->req[rp_ring_at(&sm->replies, 2 * AHEAD)->id & q->req_mask]);
		if (sm->replies.n > AHEAD)
			prefetch_reply(sm, rp_ring_at(&sm->replies, AHEAD));
		if (at > RP_LAST_CYCLE) {
			rp_too_long(r);
			return;
		}
		take_reply(r, sm, k->id, (uint32_t)at, epoch);
		rp_ring_pop(&sm->replies);
	}
	while (oldest != q->asked && q->req[oldest & q->req_mask].over &&
	       !q->req[oldest & q->req_mask].held)
		oldest++;
	q->over = oldest;
}

/* ---- a window ---- */

int rp_quick_idle(const struct ct_replay *r)
{
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (r->quick->sm[i].banks)
			return 0;
	return 1;
}

/* What has waited before an L1 goes on in the next window. */
int rp_quick_serve(struct ct_replay *r, uint64_t end)
{
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (end > r->base && r->quick->sm[i].banks)
			rp_quick_send(r, &r->sm[i], (uint32_t)(end - r->base));
	if (r->error.status || rp_step_memory(r, end) < 0)
		return r->error.status;
	for (uint32_t i = 0; i < r->g.sms; i++) {
		struct rp_sm *sm = &r->sm[i];
		struct rp_quick_sm *q = sm->quick;
		if (sm->replies.n)
			take_replies(r, sm);
		q->leaves = 0;
		if (end > r->base)
			rp_quick_step_window(r, sm, (uint32_t)(end - r->base));
		if (q->nheld | q->nwait)
			sm->now = rp_max32(sm->now, (uint32_t)(end - r->base));
	}
	return r->error.status;
}

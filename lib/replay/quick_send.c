/* What misses or stores in the L1 of the quick replay leaves its banks for the network (doc/replay.md section
 * 5): an MSHR entry, room in the miss queue, the lowest bank first. */
#include "replay/private/quick.h"

int rp_quick_packet(struct ct_replay *r, const struct rp_sm *sm, struct rp_ring *to,
                    const struct rp_quick_req *p, uint32_t number, uint32_t at)
{
	struct rp_packet *k = rp_ring_new(to);
	if (!k)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*k = (struct rp_packet){
		.when = r->base + at,
		.address = p->sector << r->llc_sector_bits,
		.bytes = p->bytes,
		.id = number,
		.llc_set = p->llc_set,
		.group = p->group,
		.sm = (uint16_t)sm->id,
		.slice = p->slice,
		.kind = p->kind,
		.payload = p->payload,
		.alone = p->alone,
	};
	return 0;
}

/* Cycle in which the first of a bank can leave the tags if the line in its way is gone, and RP_NEVER if nobody
 * knows when that is. */
static uint32_t way_free_at(const struct rp_quick_sm *q, uint32_t bank)
{
	const struct rp_quick_req *p = &q->req[q->bank_first[bank] & q->req_mask];
	const struct rp_quick_req *behind = &q->req[p->behind & q->req_mask];
	return behind->parts ? RP_NEVER : rp_max32(q->bank_at[bank], behind->at);
}

/* The first of a queue of so many places that is free in cycle `last`, in which the last of them leaves. */
static CT_INLINE uint32_t room_at(uint32_t last, uint32_t places)
{
	return last >= places ? last - places + 1 : 0;
}

/* The first of the bank leaves the tags in cycle t: all requests for its sector go to the miss queue, which
 * hands one a cycle to the network. */
static CT_INLINE void send_first(struct ct_replay *r, struct rp_sm *sm, uint32_t bank, uint32_t t)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t number = q->bank_first[bank];
	const struct rp_quick_req *p = &q->req[number & q->req_mask];
	if (p->kind != RP_PK_STORE)
		q->mshr[q->taken++ & q->mshr_mask] = RP_NEVER;
	if (p->needs_way)
		q->req[p->behind & q->req_mask].held = 0;
	for (uint32_t i = 0; i < p->parts; i++) {
		sm->missq_last = rp_max32(sm->missq_last, t) + 1;
		if (rp_quick_packet(r, sm, &sm->missq, &q->req[(number + i) & q->req_mask], number + i,
		                    sm->missq_last) < 0)
			sm->failed = 1;
	}
	q->bank_free[bank] = t + 1;
	if (--q->in_bank[bank])
		rp_quick_first_of_bank(q, bank, p->next);
	else
		q->banks &= ~(1u << bank);
	if (q->in_bank[bank] < r->g.l1_latency)
		q->full_banks &= ~(1u << bank);
}

/* A load needs a free MSHR entry and leaves the last place of the miss queue to what it may write back. */
uint32_t rp_quick_send(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	const struct rp_quick_sm *q = sm->quick;
	const uint32_t queue = r->g.l1.miss_queue, entries = r->g.l1.mshr_entries;
	for (;;) {
		uint32_t first = RP_NEVER, bank = 0, store = room_at(sm->missq_last, queue);
		uint32_t load = rp_max32(q->mshr[(q->taken - entries) & q->mshr_mask],
		                         room_at(sm->missq_last, queue - 1));
		for (uint32_t left = q->banks; left; left &= left - 1) {
			uint32_t b = ct_low_bit(left), t = q->bank_at[b];
			if (q->way_banks >> b & 1)
				t = way_free_at(q, b);
			t = rp_max32(t, q->load_banks >> b & 1 ? load : store);
			if (t < first) {
				first = t;
				bank = b;
			}
		}
		if (first >= end || sm->failed)
			return first;
		send_first(r, sm, bank, first);
	}
}

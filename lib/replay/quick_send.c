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
	};
	return 0;
}

/* Cycle in which the first of a bank can leave the tags; RP_NEVER: it needs something of which nobody knows
 * when it will be there, a free MSHR entry or a way of its set. */
static CT_INLINE uint32_t leaves_at(const struct ct_replay *r, const struct rp_sm *sm, uint32_t bank)
{
	const struct rp_quick_sm *q = sm->quick;
	const struct rp_quick_req *p = &q->req[q->bank_first[bank] & q->req_mask];
	int load = p->kind != RP_PK_STORE;
	uint32_t t = rp_max32(p->at, q->bank_free[bank]), queue = r->g.l1.miss_queue - (uint32_t)load;
	if (p->needs_way) {
		const struct rp_quick_req *behind = &q->req[p->behind & q->req_mask];
		if (behind->parts)
			return RP_NEVER;
		t = rp_max32(t, behind->at);
	}
	if (load)
		t = rp_max32(t, q->mshr[(q->taken - r->g.l1.mshr_entries) & q->mshr_mask]);
	return t != RP_NEVER && sm->missq_last >= t + queue ? sm->missq_last - queue + 1 : t;
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
	q->bank_first[bank] = p->next;
	if (!--q->in_bank[bank])
		q->banks &= ~(1u << bank);
}

uint32_t rp_quick_send(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	const struct rp_quick_sm *q = sm->quick;
	for (;;) {
		uint32_t first = RP_NEVER, bank = 0;
		for (uint32_t left = q->banks; left; left &= left - 1) {
			uint32_t b = ct_low_bit(left), t = leaves_at(r, sm, b);
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

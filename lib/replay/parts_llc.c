/* The LLC as a part: requests it holds back, answers, DRAM past the tags. */
#include <stdlib.h>
#include <string.h>

#include "replay/private/parts.h"

static int is_store(const struct rp_packet *p)
{
	return p->kind == RP_PK_STORE || p->kind == RP_PK_WRITE;
}

int rp_part_llc_access(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p, uint64_t now)
{
	struct rp_part_slice *ps = &r->parts->slice[s->id];
	const struct ct_llc_part *llc = r->llc_part;
	if (ps->passed)
		return CT_LLC_PASS;
	uint32_t i = rp_pool_take(r, &ps->takens, (void **)&ps->taken, sizeof *ps->taken,
	                          offsetof(struct rp_taken, next));
	if (i == RP_NO_INDEX)
		return CT_LLC_RETRY;
	ps->taken[i].p = *p;
	ps->taken[i].live = 1;
	struct ct_llc_request q = {
		.token = i,
		.address = p->address,
		.slice = s->id,
		.sm = p->sm,
		.bytes = is_store(p) ? p->bytes : 0,
		.llc_set = p->llc_set,
		.is_write = (uint8_t)is_store(p),
		.is_atomic = p->kind == RP_PK_ATOMIC,
		.data = is_store(p) ? rp_packet_bytes(p, r->g.llc.sector) : 0,
	};
	r->parts->node = r->g.sms + s->id;
	r->parts->now = now;
	enum ct_llc_outcome what = llc->access(llc->part.ctx, r, &q, now);
	if (what != CT_LLC_TAKEN) {
		ps->taken[i].live = 0;
		ps->taken[i].next = ps->takens.free;
		ps->takens.free = i;
		ps->passed = what == CT_LLC_PASS;
	}
	return (int)what;
}

/* Counts the request that the organisation has held as it says, and puts the reply into the slice's
 * queue. A token that it does not hold ends the run. */
void rp_part_llc_answer(struct ct_replay *r, uint32_t slice, uint64_t token, uint32_t what, uint64_t now)
{
	struct rp_part_slice *ps = &r->parts->slice[slice];
	if (token >= ps->takens.cap || !ps->taken[token].live) {
		rp_fail(r, CT_ERR_USAGE, "an LLC organisation answers what it does not hold");
		return;
	}
	struct rp_packet p = ps->taken[token].p;
	ps->taken[token].live = 0;
	ps->taken[token].next = ps->takens.free;
	ps->takens.free = (uint32_t)token;
	if (what != CT_LLC_UNCOUNTED) {
		rp_llc_count(r, &p, what == CT_LLC_PENDING, what == CT_LLC_MISS);
		if (r->has_llc)
			rp_llc_log(r, slice, &p, now, (int)what);
	}
	rp_llc_reply(r, slice, &p, now);
}

void ct_llc_answer(struct ct_replay *r, uint32_t slice, uint64_t token, enum ct_llc_what what,
                   uint64_t at)
{
	if (r->parts->node == r->g.sms + slice && at <= r->parts->now) {
		rp_part_llc_answer(r, slice, token, what, r->parts->now);
		return;
	}
	struct rp_event ev = {.when.at = at, .data = token, .arg = what, .kind = RP_EV_LLC_ANSWER};
	rp_event_push(r, r->g.sms + slice, &ev);
}

void ct_llc_read(struct ct_replay *r, uint32_t slice, uint64_t address, uint32_t bytes, uint64_t tag,
                 uint64_t now)
{
	struct rp_part_slice *ps = &r->parts->slice[slice];
	uint32_t i = rp_pool_take(r, &ps->reads, (void **)&ps->read, sizeof *ps->read,
	                          offsetof(struct rp_part_fetch, next));
	if (i == RP_NO_INDEX)
		return;
	ps->read[i] = (struct rp_part_fetch){.tag = tag};
	if (rp_llc_to_dram(r, slice, address, RP_PART_READ | i, bytes) == 0)
		rp_llc_wake(r, slice, now + 1);
}

void ct_llc_write(struct ct_replay *r, uint32_t slice, uint64_t address, uint32_t bytes, uint64_t now)
{
	if (rp_llc_to_dram(r, slice, address, RP_NO_INDEX, bytes) == 0)
		rp_llc_wake(r, slice, now + 1);
}

void rp_part_llc_filled(struct ct_replay *r, struct rp_slice *s, uint32_t mshr, uint64_t now)
{
	struct rp_part_slice *ps = &r->parts->slice[s->id];
	uint32_t i = mshr & ~RP_PART_READ;
	uint64_t tag = ps->read[i].tag;
	ps->read[i].next = ps->reads.free;
	ps->reads.free = i;
	r->parts->node = r->g.sms + s->id;
	r->parts->now = now;
	if (r->llc_part && r->llc_part->read)
		r->llc_part->read(r->llc_part->part.ctx, r, s->id, tag, now);
}

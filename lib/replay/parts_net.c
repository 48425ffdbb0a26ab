/* Packets under a network model: gathered in the order of their cycles, routed, delivered. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/parts.h"

int rp_flight_push(struct ct_replay *r, const struct rp_flight *f)
{
	struct rp_flights *q = &r->parts->out;
	if (ct_grow((void **)&q->p, &q->cap, q->n + 1, sizeof *q->p) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	q->p[q->n] = *f;
	q->p[q->n++].when.seq = r->parts->seq++;
	return 0;
}

int rp_parts_flying(const struct ct_replay *r)
{
	return r->parts->out.n || r->parts->fly.n;
}

static int by_cycle(const void *a, const void *b)
{
	const struct rp_flight *f = a, *g = b;
	return rp_moment_before(NULL, f, g) ? -1 : rp_moment_before(NULL, g, f);
}

/* Ordinary packets put in before `until` leave their queues for the model. */
static int gather_ring(struct ct_replay *r, struct rp_ring *q, uint64_t until, int up)
{
	uint32_t sms = r->g.sms;
	while (q->n && rp_ring_first(q)->when < until) {
		struct rp_flight f = {.when.at = rp_ring_first(q)->when,
		                      .p = *rp_ring_first(q),
		                      .net = up ? CT_NET_REQUEST : CT_NET_REPLY};
		f.from = up ? f.p.sm : sms + f.p.slice;
		f.to = up ? sms + f.p.slice : f.p.sm;
		f.flits = rp_packet_flits(r, &f.p, up);
		rp_ring_pop(q);
		if (rp_flight_push(r, &f) < 0)
			return -1;
	}
	return 0;
}

static int gather_packets(struct ct_replay *r, uint64_t until)
{
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (gather_ring(r, &r->sm[i].missq, until, 1) < 0 ||
		    gather_ring(r, &r->sm[i].direct, until, 1) < 0)
			return -1;
	for (uint32_t i = 0; i < r->map.slices; i++)
		if (gather_ring(r, rp_llc_replies(r, i), until, 0) < 0)
			return -1;
	return 0;
}

static int push_routed(struct ct_replay *r, const struct rp_flight *f)
{
	struct rp_flights *q = &r->parts->fly;
	if (ct_grow((void **)&q->p, &q->cap, q->n + 1, sizeof *q->p) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	ct_heap_add(q->p, q->n++, sizeof *q->p, f, rp_moment_before, NULL);
	return 0;
}

static struct rp_flight pop_routed(struct rp_flights *q)
{
	struct rp_flight f;
	ct_heap_take(q->p, q->n--, sizeof f, &f, rp_moment_before, NULL);
	return f;
}

/* Asks the network model when the packet arrives. A message becomes an event of its node, an ordinary
 * packet waits until it is delivered. */
static int route_one(struct ct_replay *r, struct rp_flight f)
{
	const struct ct_replay_parts *g = &r->parts->given;
	const struct ct_network *n = f.net == CT_NET_OWN ? g->own : g->network;
	uint64_t put = f.when.at;
	f.when.at = n->route(n->ctx, (enum ct_net)f.net, f.from, f.to, f.flits, f.when.at);
	if (f.when.at < put + (f.from != f.to ? n->least : 0))
		return rp_fail(r, CT_ERR_USAGE, "a network is faster than it says");
	if (f.net == CT_NET_REQUEST)
		r->total.noc_request_busy += f.flits;
	else if (f.net == CT_NET_REPLY)
		r->total.noc_reply_busy += f.flits;
	if (f.p.kind == RP_PK_MESSAGE) {
		rp_note_arrive(r, f.p.id, f.when.at);
		return r->error.status;
	}
	return push_routed(r, &f);
}

/* One more cycle in the response queue of an SM; the delay line in front of a slice. */
static int deliver_packet(struct ct_replay *r, struct rp_flight *f)
{
	if (f->to >= r->g.sms)
		return rp_llc_accept(r, &f->p, f->when.at + r->g.llc_latency);
	struct rp_sm *sm = &r->sm[f->to];
	f->p.when = f->when.at + 1;
	if (rp_ring_push(&sm->replies, &f->p) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	if (sm->replies.n == 1)
		rp_sm_set_reply(r, sm);
	return 0;
}

/* SMs and slices have run up to `until`: whatever was put in before is known and arrives
 * in the next window at the earliest. */
int rp_parts_route(struct ct_replay *r, uint64_t until)
{
	struct rp_parts *p = r->parts;
	size_t n = 0;
	p->node = RP_NO_INDEX;
	if (p->given.network && gather_packets(r, until) < 0)
		return -1;
	if (p->out.n > 1)
		qsort(p->out.p, p->out.n, sizeof *p->out.p, by_cycle);
	for (; n < p->out.n && p->out.p[n].when.at < until; n++)
		if (route_one(r, p->out.p[n]) < 0)
			return -1;
	if (n) {
		memmove(p->out.p, p->out.p + n, (p->out.n - n) * sizeof *p->out.p);
		p->out.n -= n;
	}
	while (p->fly.n && p->fly.p[0].when.at < until + r->window) {
		struct rp_flight f = pop_routed(&p->fly);
		if (deliver_packet(r, &f) < 0)
			return -1;
	}
	return 0;
}

/* ---- messages that a slice passes on ---- */

/* Does what a slice does that passes messages on by itself. */
static void pass_on(void *ctx, struct ct_replay *r, const struct ct_message *m, uint64_t now)
{
	struct ct_message down = *m;
	(void)ctx;
	down.from = m->to;
	down.to = (uint32_t)m->c;
	ct_part_send(r, &r->l1_part->part, CT_NET_REPLY, &down, now);
}

/* Where other parts may have something at slice or SM in the same cycle, the message is an event of both; else its packet,
 * which holds it, waits in queues of its own. */
void ct_l1_relay(struct ct_replay *r, uint64_t address, const struct ct_message *m, uint64_t now)
{
	static const struct ct_part passing = {.message = pass_on};
	uint32_t slice, set;
	if (r->parts->given.network || m->from >= r->g.sms || m->to >= r->g.sms) {
		rp_fail(r, CT_ERR_UNSUPPORTED, "slices pass messages on between SMs, over the crossbar");
		return;
	}
	ct_address_slice(&r->map, address, &slice, &set);
	if (r->l1_alone) {
		struct rp_packet p = {
			.address = m->a,
			.bytes = ct_part_flits(&r->g, m->bytes),
			.id = m->kind,
			.llc_set = m->bytes,
			.group = m->to,
			.sm = (uint16_t)m->from,
			.slice = (uint16_t)slice,
			.kind = RP_PK_RELAY};
		rp_sm_send(r, &r->sm[m->from], &p, now < r->base ? 0 : (uint32_t)(now - r->base));
		return;
	}
	struct ct_message up = *m;
	up.to = ct_part_slice(&r->g, slice);
	up.c = m->to;
	ct_part_send(r, &passing, CT_NET_REQUEST, &up, now);
}

struct ct_message rp_relayed_message(const struct ct_replay *r, const struct rp_packet *p)
{
	return (struct ct_message){.from = ct_part_slice(&r->g, p->slice),
	                           .to = p->sm,
	                           .bytes = p->llc_set,
	                           .kind = p->id,
	                           .a = p->address};
}

int rp_sm_relay(struct ct_replay *r, const struct rp_packet *p, uint64_t at)
{
	struct rp_sm *sm = &r->sm[p->sm];
	struct rp_packet *q = rp_ring_new(&sm->relayed);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = *p;
	q->when = at;
	if (sm->relayed.n == 1)
		rp_part_set_l1_at(r, sm);
	return 0;
}

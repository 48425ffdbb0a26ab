/* Parts: events at nodes, messages, ticks (parts.h). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/parts.h"
#include "replay/private/timing.h"

/* ---- pools ---- */

int rp_pool_grow(struct rp_pool_head *h, void **p, size_t size, size_t next)
{
	uint32_t cap = h->cap ? h->cap * 2 : 64;
	char *v = ct_reallocarray(*p, cap, size);
	if (!v)
		return -1;
	memset(v + h->cap * size, 0, (cap - h->cap) * size);
	for (uint32_t i = cap; i-- > h->cap;) {
		memcpy(v + i * size + next, &h->free, sizeof h->free);
		h->free = i;
	}
	h->cap = cap;
	*p = v;
	return 0;
}

uint32_t rp_pool_take(struct ct_replay *r, struct rp_pool_head *h, void **p, size_t size, size_t next)
{
	uint32_t i = rp_pool_get(h, p, size, next);
	if (i == RP_NO_INDEX)
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
	return i;
}

/* ---- events ---- */

void rp_part_set_next(struct ct_replay *r, struct rp_sm *sm)
{
	const struct rp_part_sm *ps = &r->parts->sm[sm->id];
	uint64_t at = rp_event_next(&r->parts->events[sm->id]);
	if (ps->clocks)
		at = rp_min64(at, ps->clock[rp_first_clock(ps)].at);
	sm->part_at = at == RP_NEVER64 ? RP_NEVER : rp_launch_cycle(r, at);
	rp_sm_set_rare(sm);
}

/* A node that has gone on takes the event in its present cycle. */
int rp_event_push(struct ct_replay *r, uint32_t node, struct rp_event *ev)
{
	struct rp_parts *p = r->parts;
	const uint64_t now = node < r->g.sms ? r->base + r->sm[node].now : p->slices_until;
	if (ev->when.at < now && !(node >= r->g.sms && p->node == node && ev->when.at >= p->now))
		ev->when.at = now;
	ev->when.seq = p->seq++;
	if (rp_events_put(&p->events[node], ev, now) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	if (node < r->g.sms && ev->when.at != RP_NEVER64)
		rp_part_not_after(&r->sm[node], rp_launch_cycle(r, ev->when.at));
	else if (node >= r->g.sms)
		rp_llc_wake(r, node - r->g.sms, ev->when.at);
	return 0;
}

void rp_note_arrive(struct ct_replay *r, uint32_t note, uint64_t at)
{
	const struct rp_note *n = &r->parts->note[note];
	struct rp_event ev = {.when.at = at, .who = n->who, .arg = note, .kind = RP_EV_MESSAGE};
	rp_event_push(r, n->m.to, &ev);
}

static void deliver_message(struct ct_replay *r, uint32_t note, uint64_t now)
{
	struct rp_parts *p = r->parts;
	struct rp_note n = p->note[note];
	p->note[note].next = p->notes.free;
	p->notes.free = note;
	if (n.who->message)
		n.who->message(n.who->ctx, r, &n.m, now);
}

/* Calls whoever the event of the node is for. */
static CT_INLINE void run_event(struct ct_replay *r, uint32_t node, const struct rp_event *ev,
                                uint64_t now)
{
	struct rp_sm *sm = node < r->g.sms ? &r->sm[node] : NULL;
	switch ((enum rp_event_kind)ev->kind) {
	case RP_EV_TIMER:
		if (ev->who->timer)
			ev->who->timer(ev->who->ctx, r, node, ev->data, now);
		break;
	case RP_EV_MESSAGE: deliver_message(r, ev->arg, now); break;
	case RP_EV_ANSWER: rp_part_answer(r, sm, ev->data, ev->arg, now); break;
	case RP_EV_LLC_ANSWER: rp_part_llc_answer(r, node - r->g.sms, ev->data, ev->arg, now); break;
	case RP_EV_WRITE: {
		const struct ct_collector_part *c = r->parts->given.collector;
		c->write(c->part.ctx, r, node, ev->arg >> 24, ev->arg >> 8 & 0xffff, ev->arg & 0xff,
		         now);
		break;
	}
	case RP_EV_LEFT: rp_part_left(r, sm, ev->arg, (uint32_t)ev->data, now); break;
	case RP_EV_SHAPE: rp_part_shape(r, sm, now); break;
	}
}

/* The sub-core whose clock is the first that is due up to `now`; -1: none is. */
static CT_INLINE int due_clock(const struct rp_part_sm *ps, uint64_t now)
{
	if (!ps->clocks)
		return -1;
	const unsigned k = rp_first_clock(ps);
	return ps->clock[k].at <= now ? (int)k : -1;
}

/* A node's events and an SM's clocks are one order. Whatever is called may ask for another clock. */
static void run_events(struct ct_replay *r, uint32_t node, uint64_t now)
{
	static const struct rp_part_sm no_clocks;
	struct rp_parts *p = r->parts;
	const struct rp_part_sm *ps = node < r->g.sms ? &p->sm[node] : &no_clocks;
	struct rp_event ev;
	while (!r->error.status) {
		const uint32_t clocks = ps->clocks;
		const int k = due_clock(ps, now);
		const struct rp_moment end = k < 0 ? (struct rp_moment){now, RP_NEVER64} : ps->clock[k];
		while (!r->error.status && ps->clocks == clocks &&
		       rp_events_take(&p->events[node], &end, &ev))
			run_event(r, node, &ev, now);
		if (ps->clocks != clocks)
			continue;
		if (k < 0)
			return;
		if (!r->error.status)
			rp_part_clock(r, &r->sm[node], (uint32_t)k, now);
	}
}

void rp_events_run(struct ct_replay *r, uint32_t node, uint64_t now)
{
	struct rp_parts *p = r->parts;
	p->node = node;
	p->now = now;
	run_events(r, node, now);
	if (node >= r->g.sms)
		return;
	rp_part_set_next(r, &r->sm[node]);
	/* What is left stays due for ever: the SM must not wait for it. */
	if (r->error.status)
		r->sm[node].failed = 1;
}

/* ---- what parts call ---- */

const struct ct_gpu *ct_part_gpu(const struct ct_replay *r)
{
	return &r->g;
}

struct ct_place ct_part_place(const struct ct_replay *r, uint64_t address)
{
	return ct_address_place(&r->map, address);
}

void ct_part_fail(struct ct_replay *r, int status, const char *text)
{
	rp_fail(r, status, text);
}

uint32_t ct_part_flits(const struct ct_gpu *g, uint32_t bytes)
{
	if (g->noc_flits_as_one)
		return 1;
	uint32_t f = (g->noc_header_bytes + bytes + g->noc_flit_bytes - 1) / g->noc_flit_bytes;
	return f ? f : 1;
}

void ct_part_timer(struct ct_replay *r, const struct ct_part *p, uint32_t node, uint64_t at,
                   uint64_t data)
{
	struct rp_event ev = {.when.at = at, .who = p, .data = data, .kind = RP_EV_TIMER};
	rp_event_push(r, node, &ev);
}

static uint32_t new_note(struct ct_replay *r, const struct ct_part *p, const struct ct_message *m)
{
	struct rp_parts *ps = r->parts;
	uint32_t i = rp_pool_take(r, &ps->notes, (void **)&ps->note, sizeof *ps->note,
	                          offsetof(struct rp_note, next));
	if (i == RP_NO_INDEX)
		return i;
	ps->note[i].m = *m;
	ps->note[i].who = p;
	return i;
}

/* Over the crossbar: among the packets of the port. */
static void send_crossbar(struct ct_replay *r, enum ct_net net, uint32_t note, uint32_t flits,
                          const struct ct_message *m, uint64_t now)
{
	int up = net == CT_NET_REQUEST;
	if ((m->from < r->g.sms) != up || (m->to < r->g.sms) == up) {
		rp_fail(r, CT_ERR_UNSUPPORTED, "the crossbar has no path between SMs or between slices");
		return;
	}
	struct rp_packet p = {.id = note, .bytes = flits, .kind = RP_PK_MESSAGE};
	if (up) {
		struct rp_sm *sm = &r->sm[m->from];
		p.sm = (uint16_t)m->from;
		p.slice = (uint16_t)(m->to - r->g.sms);
		rp_sm_send(r, sm, &p, now < r->base ? 0 : (uint32_t)(now - r->base));
	} else {
		p.sm = (uint16_t)m->to;
		rp_llc_reply(r, m->from - r->g.sms, &p, now);
	}
}

/* Without a network model a message goes among the crossbar's packets; else it waits until the end of
 * the window to be routed. */
void ct_part_send(struct ct_replay *r, const struct ct_part *p, enum ct_net net,
                  const struct ct_message *m, uint64_t now)
{
	struct rp_parts *ps = r->parts;
	const struct ct_network *n = net == CT_NET_OWN ? ps->given.own : ps->given.network;
	uint32_t nodes = r->g.sms + r->map.slices;
	if (m->from >= nodes || m->to >= nodes) {
		rp_fail(r, CT_ERR_USAGE, "a message from or to a node that does not exist");
		return;
	}
	if (net == CT_NET_OWN && !n) {
		rp_fail(r, CT_ERR_UNSUPPORTED, "a part needs a network of its own and has none");
		return;
	}
	uint32_t note = new_note(r, p, m), flits = ct_part_flits(&r->g, m->bytes);
	if (note == RP_NO_INDEX)
		return;
	if (!n) {
		send_crossbar(r, net, note, flits, m, now);
		return;
	}
	struct rp_flight f = {.when.at = now,
	                      .from = m->from,
	                      .to = m->to,
	                      .flits = flits,
	                      .net = (uint8_t)net,
	                      .p = {.id = note, .kind = RP_PK_MESSAGE}};
	rp_flight_push(r, &f);
}

/* ---- launches, ticks ---- */

/* Calls fn with each part that was given, in a fixed order. */
static void for_each_part(struct ct_replay *r,
                          void (*fn)(struct ct_replay *, const struct ct_part *, unsigned))
{
	const struct ct_replay_parts *g = &r->parts->given;
	const struct ct_part *all[] = {
		g->shaper ? &g->shaper->part : NULL,
		g->l1 ? &g->l1->part : NULL,
		g->llc ? &g->llc->part : NULL,
		g->sched ? &g->sched->part : NULL,
		g->collector ? &g->collector->part : NULL,
		g->admission ? &g->admission->part : NULL,
	};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i])
			fn(r, all[i], i);
}

static void tell_kernel(struct ct_replay *r, const struct ct_part *p, unsigned i)
{
	(void)i;
	if (p->kernel)
		p->kernel(p->ctx, r, r->in_kernel ? r->kernel : NULL,
		          r->in_kernel ? r->base : r->base + r->end_cycle);
}

void rp_parts_kernel(struct ct_replay *r)
{
	if (r->in_kernel)
		r->parts->noperands = 0;
	r->parts->node = RP_NO_INDEX;
	for_each_part(r, tell_kernel);
}

static void tell_tick(struct ct_replay *r, const struct ct_part *p, unsigned i)
{
	struct ct_part_counts c = {.cycle = r->horizon};
	if (!p->interval || !p->tick || r->horizon - r->parts->ticked[i] < p->interval)
		return;
	r->parts->ticked[i] += (r->horizon - r->parts->ticked[i]) / p->interval * p->interval;
	for (uint32_t s = 0; s < r->g.sms; s++) {
		c.warp_insts += rp_warp_insts(&r->sm[s]);
		c.thread_insts += r->sm[s].c.thread_insts;
	}
	p->tick(p->ctx, r, &c);
}

void rp_parts_window(struct ct_replay *r)
{
	r->parts->node = RP_NO_INDEX;
	for_each_part(r, tell_tick);
}

/* ---- beginning and end ---- */

/* Line and chunk of the L1: what the part says, else the GPU's line and sector. */
static int set_line_and_chunk(struct ct_replay *r, struct ct_error *e)
{
	struct rp_parts *p = r->parts;
	const struct ct_l1_part *l = p->given.l1;
	p->line = l && l->line ? l->line : r->g.l1.line;
	p->chunk = l && l->chunk                              ? l->chunk
	           : l && l->line && l->line < r->g.l1.sector ? l->line
	                                                      : r->g.l1.sector;
	if (p->line < 32 || (p->line & (p->line - 1)) || !p->chunk || (p->chunk & (p->chunk - 1)) ||
	    p->chunk > p->line || p->line / p->chunk > 32)
		return ct_fail(e, CT_ERR_USAGE, "L1 lines of %u bytes in chunks of %u", p->line,
		               p->chunk);
	p->banks = l && l->banks;
	if (p->banks && (p->line != r->g.l1.line || p->chunk != r->g.l1.sector))
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "an L1 organisation with banks has the GPU's lines and sectors");
	for (p->line_bits = 0; 1u << p->line_bits < p->line;)
		p->line_bits++;
	return 0;
}

/* Refuses combinations of parts that the engine cannot run. */
static int check_parts(const struct ct_replay *r, const struct ct_replay_parts *g, struct ct_error *e)
{
	if (!r->timing->takes_parts)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "parts need the engine's full timing");
	if (r->replication && g->l1)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "replication is not counted in an L1 organisation");
	if (g->admission && g->l1)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "admission is decided for the engine's own L1s only");
	if (g->shaper && !g->l1)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "a request shaper needs an L1 organisation");
	if ((g->network && !g->network->least) || (g->own && !g->own->least))
		return ct_fail(e, CT_ERR_USAGE, "a network without latency");
	return 0;
}

static int copy_owned(struct ct_replay *r, struct rp_parts *p, struct ct_error *e)
{
	if (!p->given.owned)
		return 0;
	p->owned = ct_calloc(r->g.sms, 1);
	if (!p->owned)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < r->g.sms; i++)
		p->nowned += p->owned[i] = p->given.owned[i] != 0;
	if (p->nowned == r->g.sms)
		return ct_fail(e, CT_ERR_USAGE, "no SM is left for CTAs");
	return 0;
}

static uint32_t smaller_window(uint32_t a, uint32_t b)
{
	return b && b < a ? b : a;
}

int rp_parts_wanted(const struct ct_replay *r)
{
	return r->g.noc != CT_NOC_CROSSBAR && r->timing->takes_parts;
}

/* The network of the configuration, unless another is given. */
static int own_network(struct ct_replay *r, struct rp_parts *p, struct ct_error *e)
{
	if (p->given.network)
		return 0;
	int st = ct_network_of_gpu(&p->network, &r->g, e);
	p->given.network = p->network;
	return st;
}

/* The scheduler of two levels as a part, where a collector part may refuse what it chooses; elsewhere rp_pick_active() does
 * the same. */
static int own_scheduler(struct ct_replay *r, struct rp_parts *p, struct ct_error *e)
{
	if (p->given.sched || !p->given.collector || r->g.scheduler != CT_SCHED_TWO_LEVEL)
		return 0;
	int st = ct_two_level_new(&p->two_level, &r->g, r->g.active_warps, e);
	if (st == 0)
		p->given.sched = ct_two_level_part(p->two_level);
	return st;
}

int rp_parts_init(struct ct_replay *r, const struct ct_replay_parts *given, struct ct_error *e)
{
	struct rp_parts *p = ct_calloc(1, sizeof *p);
	if (!p)
		return ct_fail_nomem(e);
	r->parts = p;
	if (given)
		p->given = *given;
	const struct ct_replay_parts *g = &p->given;
	p->node = p->notes.free = RP_NO_INDEX;
	int st = check_parts(r, g, e);
	if (st == 0)
		st = own_scheduler(r, p, e);
	if (st == 0)
		st = own_network(r, p, e);
	if (st == 0)
		st = set_line_and_chunk(r, e);
	if (st == 0)
		st = copy_owned(r, p, e);
	if (st < 0)
		return st;
	r->l1_part = g->l1;
	r->admission = g->admission;
	r->llc_part = g->llc;
	r->core_parts = g->sched || g->collector;
	r->collector_part = g->collector;
	r->window = smaller_window(r->window, g->window);
	r->window = smaller_window(r->window, g->network ? g->network->least : 0);
	r->window = smaller_window(r->window, g->own ? g->own->least : 0);
	return 0;
}

/* Event queues and pools of every node, empty. Returns 0 or fails with CT_ERR_NOMEM. */
int rp_parts_build(struct ct_replay *r, struct ct_error *e)
{
	struct rp_parts *p = r->parts;
	p->events = ct_calloc(r->g.sms + r->map.slices, sizeof *p->events);
	p->sm = ct_calloc(r->g.sms, sizeof *p->sm);
	p->slice = ct_calloc(r->map.slices, sizeof *p->slice);
	if (!p->events || !p->sm || !p->slice)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < r->g.sms + r->map.slices; i++)
		p->events[i].places.free = RP_NO_INDEX;
	for (uint32_t i = 0; i < r->g.sms; i++) {
		p->sm[i].fetches.free = p->sm[i].cols.free = RP_NO_INDEX;
		p->sm[i].shape_at = RP_NEVER64;
		p->sm[i].shaped = RP_NO_INDEX;
	}
	for (uint32_t i = 0; i < r->map.slices; i++)
		p->slice[i].takens.free = p->slice[i].reads.free = RP_NO_INDEX;
	return 0;
}

/* Frees what the engine keeps for parts; the parts themselves are the caller's. */
void rp_parts_free(struct ct_replay *r)
{
	struct rp_parts *p = r->parts;
	if (!p)
		return;
	for (uint32_t i = 0; p->events && i < r->g.sms + r->map.slices; i++)
		rp_events_free(&p->events[i]);
	for (uint32_t i = 0; p->sm && i < r->g.sms; i++) {
		free(p->sm[i].fetch);
		free(p->sm[i].col);
	}
	for (uint32_t i = 0; p->slice && i < r->map.slices; i++) {
		free(p->slice[i].taken);
		free(p->slice[i].read);
	}
	free(p->events);
	free(p->sm);
	free(p->slice);
	free(p->note);
	free(p->owned);
	free(p->out.p);
	free(p->fly.p);
	free(p->operands);
	ct_two_level_free(p->two_level);
	ct_network_free(p->network);
	free(p);
}

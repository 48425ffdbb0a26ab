#include "models/shared_l1/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "gpu/occupancy.h"
#include "models/shared_l1/part_internal.h"

/* ---- requests under way ---- */

static uint32_t take_request(struct ct_sl_part *p)
{
	uint32_t i = p->free_request;
	if (i != SP_NONE) {
		p->free_request = p->request[i].next;
		return i;
	}
	if (ct_grow((void **)&p->request, &p->request_cap, p->requests + 1, sizeof *p->request) < 0)
		return SP_NONE;
	return (uint32_t)p->requests++;
}

static void free_request(struct ct_sl_part *p, uint32_t i)
{
	p->request[i].next = p->free_request;
	p->free_request = i;
}

static void out_of_memory(struct ct_replay *r)
{
	ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
}

/* Pieces of `chunk_bytes` that the request touches, as a mask of 32-byte ones. */
static uint32_t pieces_of(const struct ct_sl_part *p, const struct ct_l1_request *q)
{
	const struct ct_gpu *g = &p->gpu;
	uint32_t asked = 0, touched = 0, per = g->l1.sector / 32 ? g->l1.sector / 32 : 1;
	for (uint32_t s = 0; s * g->l1.sector < g->l1.line; s++)
		if (q->mask >> s & 1)
			asked |= ((per >= 32 ? 0 : 1u << per) - 1) << s * per;
	for (uint32_t i = 0; g->l1.line <= 128 && i < g->l1.line / 32; i++)
		if (q->bytes[i / 2] >> i % 2 * 32 & 0xffffffffu)
			touched |= 1u << i;
	return asked & touched ? asked & touched : asked;
}

/* Payload of a reply that carries these pieces. */
static uint32_t reply_payload(const struct ct_sl_part *p, uint32_t pieces)
{
	uint32_t chunk = (uint32_t)p->params.v[CT_SL_CHUNK_BYTES];
	uint32_t bytes = 0;
	if (!p->system->chunk)
		return p->gpu.l1.line;
	if (chunk <= 32)
		return 32 * ct_bits(pieces);
	for (uint32_t at = 0; at < p->gpu.l1.line; at += chunk)
		for (uint32_t i = at / 32; i * 32 < at + chunk && i * 32 < p->gpu.l1.line; i++)
			if (pieces >> i & 1) {
				bytes += chunk;
				break;
			}
	return bytes < p->gpu.l1.line ? bytes : p->gpu.l1.line;
}

static uint32_t slice_of(const struct ct_replay *r, uint64_t address)
{
	return ct_part_place(r, address).slice;
}

/* ---- network ---- */

static void send_message(struct ct_sl_part *p, struct ct_replay *r, enum sp_message kind, uint32_t i,
                         uint32_t from, uint32_t to, uint32_t bytes, uint64_t now)
{
	struct ct_message m = {.from = from, .to = to, .bytes = bytes, .kind = kind, .a = i};
	enum ct_net net = kind == SP_ASK ? CT_NET_REQUEST : CT_NET_REPLY;
	if (p->own_net) {
		net = CT_NET_OWN;
	} else if (p->forwarded) { /* up to the line's slice; down from there in part_message() */
		m.b = to;
		m.to = ct_part_slice(&p->gpu, slice_of(r, p->request[i].address));
		net = CT_NET_REQUEST;
	}
	ct_part_send(r, &p->l1.part, net, &m, now);
}

static void reply_to_requester(struct ct_sl_part *p, struct ct_replay *r, uint32_t home, uint32_t i,
                               uint64_t now)
{
	const struct sp_request *q = &p->request[i];
	uint32_t bytes = q->is_write ? 0 : reply_payload(p, q->pieces);
	if (!q->is_write)
		p->home_bytes += bytes;
	send_message(p, r, SP_GIVE, i, home, q->sm, bytes, now);
}

/* A remote request whose sectors have all been looked up and have come, or been written, is answered. */
static void give_if_done(struct ct_sl_part *p, struct ct_replay *r, uint32_t home, uint32_t i,
                         uint64_t now)
{
	if (!p->request[i].todo && !p->request[i].open)
		reply_to_requester(p, r, home, i, now);
}

/* ---- fetches ---- */

/* Fetches sectors of a line for the L1 of core `at`, with a request for each, as the engine's L1 does. A request of the
 * pool stands for each fetch: its line and what is fetched. */
static void fetch_line(struct ct_sl_part *p, struct ct_replay *r, uint32_t at,
                       const struct sp_request *q, uint32_t mask, uint64_t now)
{
	struct sp_request f = {.line = q->line, .address = q->address};
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t i = take_request(p);
		if (i == SP_NONE) {
			out_of_memory(r);
			return;
		}
		f.mask = left & (0 - left);
		p->request[i] = f;
		ct_l1_fetch(r, at, f.address, p->gpu.l1.sector, f.mask, SP_TAG_FILL | i, now);
	}
}

struct landing {
	struct ct_sl_part *p;
	struct ct_replay *r;
	uint32_t at;
	uint64_t now;
};

/* Sectors that its own core asked for are answered as they come, each over the write-back port, as in the engine's L1; a
 * remote request is answered with the last of its sectors. */
static void waiter_served(void *ctx, const struct ct_sl_waiter *w)
{
	struct landing *l = ctx;
	struct sp_request *q = &l->p->request[w->token];
	if (w->from != l->at) {
		q->missed |= w->missed != 0;
		q->open -= w->last != 0;
		give_if_done(l->p, l->r, l->at, (uint32_t)w->token, l->now);
		return;
	}
	for (uint32_t left = w->mask; left; left &= left - 1)
		ct_l1_answer(l->r, q->sm, q->token, left & (0 - left), l->now);
	if (w->last)
		free_request(l->p, (uint32_t)w->token);
}

/* What was fetched around the home answers its request and is not kept; else the organisation takes
 * the sectors and says who is served. */
static void part_filled(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle)
{
	struct ct_sl_part *p = ctx;
	uint32_t i = (uint32_t)tag;
	struct sp_request q = p->request[i];
	free_request(p, i);
	if (!(tag & SP_TAG_FILL)) { /* around the home: not kept */
		ct_l1_answer(r, sm, q.token, q.mask, cycle);
		return;
	}
	struct landing l = {p, r, sm, cycle};
	int st = ct_sl_org_fill(p->org, sm, q.line, q.mask, cycle, waiter_served, &l);
	if (st == CT_ERR_NOMEM)
		out_of_memory(r);
	else if (st != CT_OK)
		ct_part_fail(r, st, "a shared L1 was about to hold a second copy of a line");
}

static void part_written(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle)
{
	struct ct_sl_part *p = ctx;
	uint32_t i = (uint32_t)tag;
	struct sp_request *q = &p->request[i];
	ct_sl_org_ack(p->org, sm, q->line);
	if (q->sm != sm) {
		q->open--;
		give_if_done(p, r, sm, i, cycle);
		return;
	}
	ct_l1_answer(r, sm, q->token, q->mask, cycle);
	free_request(p, i);
}

static void store_through(struct ct_sl_part *p, struct ct_replay *r, uint32_t at, uint32_t i,
                          uint32_t mask, uint64_t now)
{
	const struct sp_request *q = &p->request[i];
	ct_l1_write(r, at, q->address, p->gpu.l1.sector, mask, p->gpu.l1.line <= 128 ? q->bytes : NULL,
	            i, now);
}

/* ---- lookups ---- */

/* How far a request may fill the miss queue of its L1, as in the engine's L1: a load leaves one
 * place free. */
static uint32_t miss_queue(const struct ct_sl_part *p, int is_write)
{
	uint32_t queue = p->gpu.l1.miss_queue > 2 ? p->gpu.l1.miss_queue : 2;
	return queue - (is_write ? 0 : 1);
}

static uint32_t miss_room(const struct ct_sl_part *p, const struct ct_replay *r, uint32_t at,
                          int is_write, uint64_t now)
{
	uint32_t queue = miss_queue(p, is_write), n = ct_l1_queued(r, at, now);
	return n < queue ? queue - n : 0;
}

/* Cycle in which what was not looked up is worth another try: that in which the miss queue has room, or with the next
 * fill. */
static uint64_t retry_at(const struct ct_sl_part *p, const struct ct_replay *r, uint32_t at,
                         int is_write, const struct ct_sl_found *f, uint64_t now)
{
	return f->no_room ? now + ct_l1_queued(r, at, now) + 1 - miss_queue(p, is_write) : UINT64_MAX;
}

/* Looks sectors of a request up in the L1 of core `at`, and sends on what leaves for the LLC. As
 * ct_sl_org_access(). */
static int look_up(struct ct_sl_part *p, struct ct_replay *r, uint32_t at, uint32_t i, uint32_t mask,
                   uint64_t now, struct ct_sl_found *f)
{
	struct sp_request q = p->request[i];
	const struct ct_sl_access a = {
		.at = at,
		.from = q.sm,
		.line = q.line,
		.mask = mask,
		.is_write = q.is_write,
		.bytes = {q.bytes[0], q.bytes[1]},
		.token = i,
		.room = miss_room(p, r, at, q.is_write, now),
		.now = now};
	int st = ct_sl_org_access(p->org, &a, f);
	if (st == CT_OK && q.is_write)
		store_through(p, r, at, i, mask & ~f->again, now);
	else if (st == CT_OK && f->fetch)
		fetch_line(p, r, at, &q, f->fetch, now);
	else if (st != CT_OK && st != CT_SL_RETRY)
		out_of_memory(r);
	return st;
}

/* Banks of the L1 that these sectors lie in. */
static uint64_t banks_of(const struct ct_sl_part *p, uint64_t line, uint32_t mask)
{
	const struct ct_cache_params *c = &p->gpu.l1;
	uint64_t banks = 0;
	for (uint32_t left = mask; left; left &= left - 1)
		banks |= UINT64_C(1)
		         << (line * (c->line / c->sector) + ct_low_bit(left)) % c->banks % 64;
	return banks;
}

/* ---- at the home ---- */

static void set_home_timer(struct ct_sl_part *p, struct ct_replay *r, uint32_t node, uint64_t at)
{
	struct sp_home *h = &p->home[node];
	if (h->appointed)
		return;
	h->appointed = 1;
	ct_part_timer(r, &p->l1.part, node, at, 0);
}

static void enqueue_at_home(struct ct_sl_part *p, struct ct_replay *r, uint32_t node, uint32_t i,
                            uint64_t cycle)
{
	struct sp_home *h = &p->home[node];
	p->request[i].next = SP_NONE;
	p->request[i].arrived = cycle;
	if (h->tail == SP_NONE)
		h->head = i;
	else
		p->request[h->tail].next = i;
	h->tail = i;
	set_home_timer(p, r, node, cycle);
}

/* The head of the input queue; 0 when it, or some of its sectors, have to stay. */
static int serve_home_head(struct ct_sl_part *p, struct ct_replay *r, uint32_t node, uint64_t cycle)
{
	struct sp_home *h = &p->home[node];
	uint32_t i = h->head, todo = p->request[i].todo;
	struct ct_sl_found f;
	h->refused = look_up(p, r, node, i, todo, cycle, &f) != CT_OK;
	if (h->refused)
		return 0;
	h->owed = 0;
	struct sp_request *q = &p->request[i];
	q->todo = f.again;
	q->open += q->is_write || f.waits;
	ct_l1_count(r, node, q->is_write, ct_bits(todo & ~f.again), ct_bits(f.sector_miss | f.line_miss),
	            ct_bits(f.pending));
	if (f.again)
		return 0;
	h->head = q->next;
	if (h->head == SP_NONE)
		h->tail = SP_NONE;
	p->queue_waits += cycle - q->arrived;
	give_if_done(p, r, node, i, cycle);
	return 1;
}

/* A remote request gets the L1 in a cycle in which the core itself did not look anything up in the same banks. */
static void part_timer(void *ctx, struct ct_replay *r, uint32_t node, uint64_t data, uint64_t cycle)
{
	struct ct_sl_part *p = ctx;
	struct sp_home *h = &p->home[node];
	(void)data;
	h->appointed = 0;
	uint64_t busy = h->busy_at == cycle + 1 ? h->busy_banks : 0;
	if (h->head != SP_NONE &&
	    !(busy & banks_of(p, p->request[h->head].line, p->request[h->head].todo)))
		(void)serve_home_head(p, r, node, cycle);
	if (h->head != SP_NONE)
		set_home_timer(p, r, node, cycle + 1);
}

/* A slice passes a forwarded message down; a request joins its home's queue; a reply answers the
 * request. */
static void part_message(void *ctx, struct ct_replay *r, const struct ct_message *m, uint64_t cycle)
{
	struct ct_sl_part *p = ctx;
	uint32_t i = (uint32_t)m->a;
	struct sp_request *q = &p->request[i];
	if (m->to >= p->gpu.sms) { /* a slice forwards */
		struct ct_message down = {.from = m->to,
		                          .to = (uint32_t)m->b,
		                          .bytes = m->bytes,
		                          .kind = m->kind,
		                          .a = m->a};
		ct_part_send(r, &p->l1.part, CT_NET_REPLY, &down, cycle);
	} else if (m->kind == SP_ASK) {
		enqueue_at_home(p, r, m->to, i, cycle);
	} else {
		ct_sl_org_reply(p->org, m->to, q->line, (int)q->missed);
		ct_l1_answer(r, m->to, q->token, q->mask, cycle);
		free_request(p, i);
	}
}

/* ---- the requester's lookup ---- */

/* Sectors of a request in the core's own L1: stores go through, what hits is answered at once, what is missing is fetched.
 * A core that misses all the time takes each MSHR that is free again; where they take turns, it waits after a fetch of its
 * own until a remote request that was refused has been served. */
static enum ct_l1_outcome look_up_own_l1(struct ct_sl_part *p, struct ct_replay *r, uint32_t i,
                                         uint64_t cycle, struct ct_l1_result *out)
{
	struct sp_request *q = &p->request[i];
	struct sp_home *h = &p->home[q->sm];
	struct ct_sl_found f;
	if (h->refused && h->owed && p->params.v[CT_SL_TURNS] != 0) {
		free_request(p, i);
		out->ready = cycle + 1;
		return CT_L1_RETRY;
	}
	h->busy_banks = (h->busy_at == cycle + 1 ? h->busy_banks : 0) | banks_of(p, q->line, q->mask);
	h->busy_at = cycle + 1;
	int st = look_up(p, r, q->sm, i, q->mask, cycle, &f);
	q = &p->request[i];
	h->owed |= st == CT_OK && f.fetch != 0;
	out->ready = f.again ? retry_at(p, r, q->sm, q->is_write, &f, cycle) : 0;
	if (st != CT_OK) {
		free_request(p, i);
		return CT_L1_RETRY;
	}
	q->mask &= ~f.again;
	*out = (struct ct_l1_result){
		.hit = f.hit,
		.pending = f.pending,
		.sector_miss = f.sector_miss,
		.line_miss = f.line_miss,
		.done = q->is_write ? 0 : f.hit,
		.ready = out->ready,
		.again = f.again};
	if (!q->is_write && f.hit == q->mask)
		free_request(p, i);
	return CT_L1_TAKEN;
}

static void go_past_home(struct ct_sl_part *p, struct ct_replay *r, uint32_t i, uint64_t cycle,
                         struct ct_l1_result *out)
{
	struct sp_request *q = &p->request[i];
	if (q->is_write) {
		out->forward = 1;
		free_request(p, i);
		return;
	}
	p->past_bytes += 32 * ct_bits(q->pieces);
	ct_l1_fetch(r, q->sm, q->address, 32, q->pieces, i, cycle);
}

/* Takes a request of the pool for what was asked; its index. SP_NONE: out of memory. */
static uint32_t note_request(struct ct_sl_part *p, const struct ct_l1_request *a)
{
	uint32_t i = take_request(p);
	if (i != SP_NONE)
		p->request[i] = (struct sp_request){
			.token = a->token,
			.address = a->address,
			.line = a->address / p->gpu.l1.line,
			.sm = a->sm,
			.mask = a->mask,
			.todo = a->mask,
			.bytes = {a->bytes[0], a->bytes[1]},
			.is_write = a->is_write,
			.pieces = pieces_of(p, a)};
	return i;
}

/* Where the organisation says that the line goes, which is asked when its first sectors are looked up. */
static struct ct_sl_route route_of(struct ct_sl_part *p, struct ct_replay *r,
                                   const struct ct_l1_request *a, uint64_t cycle)
{
	struct ct_sl_route route = {CT_SL_LOCAL, a->sm};
	uint64_t line = a->address / p->gpu.l1.line;
	if (*a->memo) {
		route.way = (enum ct_sl_way)(*a->memo - 1);
		route.at = route.way == CT_SL_REMOTE ? ct_sl_org_home(p->org, line) : a->sm;
		return route;
	}
	uint32_t partition = slice_of(r, a->address) * p->gpu.llc_partitions / p->gpu.llc_slices;
	if (ct_sl_org_route(p->org, a->sm, line, partition, cycle, &route) != CT_OK)
		out_of_memory(r);
	*a->memo = (uint32_t)route.way + 1;
	return route;
}

/* Sends the sectors where the organisation says: to the own L1, over the network to their home, or past the home to the
 * LLC. */
static enum ct_l1_outcome part_lookup(void *ctx, struct ct_replay *r, const struct ct_l1_request *a,
                                      uint64_t cycle, struct ct_l1_result *out)
{
	struct ct_sl_part *p = ctx;
	struct ct_sl_route route = route_of(p, r, a, cycle);
	uint32_t i = note_request(p, a);
	if (i == SP_NONE) {
		out_of_memory(r);
	} else if (route.way == CT_SL_PAST) {
		go_past_home(p, r, i, cycle, out);
	} else if (route.way == CT_SL_REMOTE) {
		p->remote_reads += !a->is_write;
		uint32_t bytes = a->is_write ? 32 * ct_bits(p->request[i].pieces) : 0;
		send_message(p, r, SP_ASK, i, a->sm, route.at, bytes, cycle);
	} else {
		return look_up_own_l1(p, r, i, cycle, out);
	}
	return CT_L1_TAKEN;
}

static void part_flush(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t cycle)
{
	struct ct_sl_part *p = ctx;
	(void)r;
	(void)cycle;
	if (!p->params.cores || sm < p->params.cores)
		ct_sl_org_flush(p->org, sm);
}

/* An adaptive L1 is what the launch's shared memory leaves, times the system's factor. */
static void part_kernel(void *ctx, struct ct_replay *r, const struct ct_kernel *k, uint64_t cycle)
{
	struct ct_sl_part *p = ctx;
	struct ct_occupancy occ;
	struct ct_error e;
	(void)cycle;
	if (!k)
		return;
	int st = ct_occupancy(&p->gpu, k, &occ, &e);
	if (st == CT_OK)
		st = ct_sl_org_reshape(p->org, occ.l1_sets, occ.l1_ways, &e);
	if (st != CT_OK)
		ct_part_fail(r, st, e.text);
}

void sp_hooks(struct ct_sl_part *p)
{
	p->l1 = (struct ct_l1_part){
		.part = {.ctx = p, .kernel = part_kernel, .message = part_message, .timer = part_timer},
		.banks = 1,
		.lookup = part_lookup,
		.filled = part_filled,
		.written = part_written,
		.flush = part_flush};
}

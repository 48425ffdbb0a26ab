#include "models/shared_l1/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "gpu/occupancy.h"
#include "models/shared_l1/part_internal.h"

/* ---- requests under way ---- */

/* What take_request() gives next. */
static uint32_t next_request(const struct ct_sl_part *p)
{
	return p->free_request != SP_NONE ? p->free_request : (uint32_t)p->requests;
}

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

/* 32-byte pieces that the request touches. */
static uint32_t pieces_of(const struct ct_sl_part *p, const struct ct_l1_request *q)
{
	const struct ct_gpu *g = &p->gpu;
	uint32_t asked = q->mask, touched = 0, per = g->l1.sector / 32;
	if (per > 1) {
		asked = 0;
		for (uint32_t left = q->mask; left; left &= left - 1)
			asked |= ((per >= 32 ? 0 : 1u << per) - 1) << ct_low_bit(left) * per;
	}
	for (uint32_t i = 0; g->l1.line <= 128 && i < g->l1.line / 32; i++)
		touched |= (uint32_t)((q->bytes[i / 2] >> i % 2 * 32 & 0xffffffffu) != 0) << i;
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

/* ---- network ---- */

static void send_message(struct ct_sl_part *p, struct ct_replay *r, enum sp_message kind, uint32_t i,
                         uint32_t from, uint32_t to, uint32_t bytes, uint64_t now)
{
	struct ct_message m = {.from = from, .to = to, .bytes = bytes, .kind = kind, .a = i};
	if (p->own_net)
		ct_part_send(r, &p->l1.part, CT_NET_OWN, &m, now);
	else if (p->forwarded)
		ct_l1_relay(r, p->request[i].line << p->line_bits, &m, now);
	else
		ct_part_send(r, &p->l1.part, kind == SP_ASK ? CT_NET_REQUEST : CT_NET_REPLY, &m, now);
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

/* Fetches sectors of a line for the L1 of core `at`, with a request for each, as the engine's L1 does. */
static void fetch_line(const struct ct_sl_part *p, struct ct_replay *r, uint32_t at, uint64_t line,
                       uint32_t mask, uint64_t now)
{
	const uint32_t bits = p->line_bits - p->sector_bits;
	for (uint32_t left = mask; left; left &= left - 1)
		ct_l1_fetch(r, at, line << p->line_bits, p->gpu.l1.sector, left & (0 - left),
		            SP_TAG_FILL | line << bits | ct_low_bit(left), now);
}

static uint32_t *arrivals_of(const struct ct_sl_part *p, uint32_t at, uint64_t line)
{
	return &p->home[at].arrivals[line % SP_ARRIVALS];
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

/* What was fetched around the home answers its request and is not kept. */
static void land_past(struct ct_sl_part *p, struct ct_replay *r, uint32_t sm, uint32_t i, uint64_t cycle)
{
	const struct sp_request q = p->request[i];
	free_request(p, i);
	ct_l1_answer(r, sm, q.token, q.mask, cycle);
}

/* The organisation takes the sector that was fetched for an L1, and says who is served. */
static void part_filled(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle)
{
	struct ct_sl_part *p = ctx;
	if (!(tag & SP_TAG_FILL)) {
		land_past(p, r, sm, (uint32_t)tag, cycle);
		return;
	}
	const uint32_t bits = p->line_bits - p->sector_bits;
	const uint64_t sector = tag & ~SP_TAG_FILL;
	struct landing l = {p, r, sm, cycle};
	++*arrivals_of(p, sm, sector >> bits);
	int st = ct_sl_org_fill(p->org, sm, sector >> bits, 1u << (sector & ((1u << bits) - 1)), cycle,
	                        waiter_served, &l);
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
	ct_l1_write(r, at, q->line << p->line_bits, p->gpu.l1.sector, mask,
	            p->gpu.l1.line <= 128 ? q->bytes : NULL, i, now);
}

/* ---- lookups ---- */

/* How far a request may fill the miss queue of its L1, as in the engine's L1: a load leaves one
 * place free. */
static uint32_t miss_queue(const struct ct_sl_part *p, int is_write)
{
	uint32_t queue = p->gpu.l1.miss_queue > 2 ? p->gpu.l1.miss_queue : 2;
	return queue - (is_write ? 0 : 1);
}

/* Requests that may be sent now. */
static uint32_t miss_room(const struct ct_sl_part *p, uint32_t queued, int is_write)
{
	uint32_t queue = miss_queue(p, is_write);
	return queued < queue ? queue - queued : 0;
}

/* The cycle in which a miss queue that is full has room. */
static uint64_t room_at(const struct ct_sl_part *p, uint32_t queued, int is_write, uint64_t now)
{
	return now + queued + 1 - miss_queue(p, is_write);
}

/* Cycle in which what was not looked up is worth another try: that in which the miss queue has room, or with the next
 * fill. */
static uint64_t retry_at(const struct ct_sl_part *p, uint32_t queued, int is_write,
                         const struct ct_sl_found *f, uint64_t now)
{
	return f->no_room ? room_at(p, queued, is_write, now) : UINT64_MAX;
}

/* What is noted about a line of an instruction: in the low bits the way of its requests + 1; above, the sectors that were
 * last refused since they were absent and had no room, and the arrivals of their L1 then. */
enum { WAY_BITS = 2, NOTED_SECTORS = 8, NOTED_BITS = WAY_BITS + NOTED_SECTORS };

static uint32_t absence(uint32_t mask, uint32_t arrivals)
{
	return mask << WAY_BITS | arrivals << NOTED_BITS;
}

static void note_absence(const struct ct_l1_request *a, uint32_t arrivals)
{
	if (!a->is_write && a->mask < 1u << NOTED_SECTORS)
		*a->memo = (*a->memo & ((1u << WAY_BITS) - 1)) | absence(a->mask, arrivals);
}

/* Whether the sectors of a read are known to be absent. */
static int is_absent(const struct ct_l1_request *a, uint32_t arrivals)
{
	return (*a->memo & ~((1u << WAY_BITS) - 1)) == absence(a->mask, arrivals) &&
	       a->mask < 1u << NOTED_SECTORS;
}

/* Looks sectors up in an L1. As ct_sl_org_access(). */
static int look_up(struct ct_sl_part *p, struct ct_replay *r, const struct ct_sl_access *a,
                   struct ct_sl_found *f)
{
	int st = ct_sl_org_access(p->org, a, f);
	*arrivals_of(p, a->at, a->line) += st == CT_OK && a->is_write;
	if (st != CT_OK && st != CT_SL_RETRY)
		out_of_memory(r);
	return st;
}

/* Sends on what of a lookup leaves for the LLC. i: the request, for a store. */
static void send_on(struct ct_sl_part *p, struct ct_replay *r, const struct ct_sl_access *a,
                    const struct ct_sl_found *f, uint32_t i)
{
	if (a->is_write)
		store_through(p, r, a->at, i, a->mask & ~f->again, a->now);
	else
		fetch_line(p, r, a->at, a->line, f->fetch, a->now);
}

/* Banks of the L1 that these sectors lie in. */
static uint64_t banks_of(const struct ct_sl_part *p, uint64_t line, uint32_t mask)
{
	const struct ct_cache_params *c = &p->gpu.l1;
	uint64_t banks = 0;
	if (p->banks_are_sectors)
		return mask;
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
	ct_l1_timer(r, node, at);
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
	uint32_t i = h->head;
	struct sp_request *q = &p->request[i];
	uint32_t room = miss_room(p, ct_l1_queued(r, node, cycle), q->is_write);
	const uint32_t arrivals = *arrivals_of(p, node, q->line);
	if (!room && (q->is_write || (h->refused && h->refused_before == arrivals))) {
		h->refused = 1;
		return 0;
	}
	const struct ct_sl_access a = {
		.at = node,
		.from = q->sm,
		.line = q->line,
		.mask = q->todo,
		.is_write = q->is_write,
		.bytes = {q->bytes[0], q->bytes[1]},
		.token = i,
		.room = room,
		.now = cycle};
	struct ct_sl_found f;
	h->refused = look_up(p, r, &a, &f) != CT_OK;
	h->refused_before = arrivals;
	if (h->refused)
		return 0;
	send_on(p, r, &a, &f, i);
	h->owed = 0;
	q->todo = f.again;
	q->open += q->is_write || f.waits;
	ct_l1_count(r, node, q->is_write, ct_bits(a.mask & ~f.again),
	            ct_bits(f.sector_miss | f.line_miss), ct_bits(f.pending));
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

/* A request joins its home's queue; a reply answers the request. */
static void part_message(void *ctx, struct ct_replay *r, const struct ct_message *m, uint64_t cycle)
{
	struct ct_sl_part *p = ctx;
	uint32_t i = (uint32_t)m->a;
	struct sp_request *q = &p->request[i];
	if (m->kind == SP_ASK) {
		enqueue_at_home(p, r, m->to, i, cycle);
	} else {
		ct_sl_org_reply(p->org, m->to, q->line, (int)q->missed);
		ct_l1_answer(r, m->to, q->token, q->mask, cycle);
		free_request(p, i);
	}
}

/* ---- the requester's lookup ---- */

/* Takes a request of the pool for what was asked; its index. SP_NONE: out of memory. */
static uint32_t note_request(struct ct_sl_part *p, struct ct_replay *r, const struct ct_l1_request *a,
                             uint64_t line)
{
	uint32_t i = take_request(p);
	if (i == SP_NONE)
		out_of_memory(r);
	else
		p->request[i] = (struct sp_request){
			.token = a->token,
			.line = line,
			.sm = a->sm,
			.mask = a->mask,
			.todo = a->mask,
			.bytes = {a->bytes[0], a->bytes[1]},
			.is_write = a->is_write};
	return i;
}

/* Sectors of a request in the core's own L1: stores go through, what hits is answered at once, what is missing is fetched.
 * A core that misses all the time takes each MSHR that is free again; where they take turns, it waits after a fetch of its
 * own until a remote request that was refused has been served. */
static enum ct_l1_outcome
look_up_own_l1(struct ct_sl_part *p, struct ct_replay *r, const struct ct_l1_request *a, uint64_t line,
               uint64_t cycle, struct ct_l1_result *out)
{
	struct sp_home *h = &p->home[a->sm];
	struct ct_sl_found f;
	if (h->refused && h->owed && p->params.v[CT_SL_TURNS] != 0) {
		out->ready = cycle + 1;
		return CT_L1_RETRY;
	}
	h->busy_banks = (h->busy_at == cycle + 1 ? h->busy_banks : 0) | banks_of(p, line, a->mask);
	h->busy_at = cycle + 1;
	const uint32_t arrivals = *arrivals_of(p, a->sm, line);
	uint32_t queued = ct_l1_queued(r, a->sm, cycle), room = miss_room(p, queued, a->is_write);
	if (!room && (a->is_write || is_absent(a, arrivals))) {
		out->ready = room_at(p, queued, a->is_write, cycle);
		return CT_L1_RETRY;
	}
	const struct ct_sl_access x = {
		.at = a->sm,
		.from = a->sm,
		.line = line,
		.mask = a->mask,
		.is_write = a->is_write,
		.bytes = {a->bytes[0], a->bytes[1]},
		.token = next_request(p),
		.room = room,
		.now = cycle};
	int st = look_up(p, r, &x, &f);
	if (st != CT_OK) {
		out->ready = retry_at(p, queued, a->is_write, &f, cycle);
		note_absence(a, arrivals);
		return CT_L1_RETRY;
	}
	out->hit = f.hit;
	out->pending = f.pending;
	out->sector_miss = f.sector_miss;
	out->line_miss = f.line_miss;
	out->done = a->is_write ? 0 : f.hit;
	out->again = f.again;
	h->owed |= f.fetch != 0;
	if (out->done == (a->mask & ~f.again)) {
		if (f.again)
			out->ready = retry_at(p, queued, a->is_write, &f, cycle);
		return CT_L1_TAKEN;
	}
	uint32_t i = note_request(p, r, a, line);
	if (i == SP_NONE)
		return CT_L1_TAKEN;
	p->request[i].mask &= ~f.again;
	send_on(p, r, &x, &f, i);
	if (f.again)
		out->ready = retry_at(p, ct_l1_queued(r, a->sm, cycle), a->is_write, &f, cycle);
	return CT_L1_TAKEN;
}

static void go_past_home(struct ct_sl_part *p, struct ct_replay *r, const struct ct_l1_request *a,
                         uint64_t line, uint64_t cycle, struct ct_l1_result *out)
{
	if (a->is_write) {
		out->forward = 1;
		return;
	}
	uint32_t i = note_request(p, r, a, line), pieces = pieces_of(p, a);
	if (i == SP_NONE)
		return;
	p->past_bytes += 32 * ct_bits(pieces);
	ct_l1_fetch(r, a->sm, a->address, 32, pieces, i, cycle);
}

/* The request travels to the home of its line. */
static void go_to_home(struct ct_sl_part *p, struct ct_replay *r, const struct ct_l1_request *a,
                       uint64_t line, uint32_t home, uint64_t cycle)
{
	uint32_t i = note_request(p, r, a, line), pieces = pieces_of(p, a);
	if (i == SP_NONE)
		return;
	p->request[i].pieces = pieces;
	p->remote_reads += !a->is_write;
	send_message(p, r, SP_ASK, i, a->sm, home, a->is_write ? 32 * ct_bits(pieces) : 0, cycle);
}

/* Where the organisation says that the line goes, which is asked when its first sectors are looked up. */
static struct ct_sl_route route_of(struct ct_sl_part *p, struct ct_replay *r,
                                   const struct ct_l1_request *a, uint64_t line, uint64_t cycle)
{
	struct ct_sl_route route = {CT_SL_LOCAL, a->sm};
	uint32_t way = *a->memo & ((1u << WAY_BITS) - 1);
	if (way) {
		route.way = (enum ct_sl_way)(way - 1);
		route.at = route.way == CT_SL_REMOTE ? ct_sl_org_home(p->org, line) : a->sm;
		return route;
	}
	uint32_t partition = 0;
	if (p->nearer)
		partition = ct_part_place(r, a->address).slice * p->gpu.llc_partitions /
		            p->gpu.llc_slices;
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
	const uint64_t line = a->address >> p->line_bits;
	struct ct_sl_route route = route_of(p, r, a, line, cycle);
	if (route.way == CT_SL_LOCAL)
		return look_up_own_l1(p, r, a, line, cycle, out);
	if (route.way == CT_SL_PAST)
		go_past_home(p, r, a, line, cycle, out);
	else
		go_to_home(p, r, a, line, route.at, cycle);
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

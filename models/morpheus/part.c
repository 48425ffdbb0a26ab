#include "models/morpheus/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"

#define NONE UINT32_MAX

enum { BUCKETS = 4096 };

/* Messages between a slice and a cache-mode SM: message.a names the flight, b the dirty
 * blocks that leave the SM, c the block's address. */
enum { QUERY, ANSWER, INSERT, DATA, BACK };

/* A query carries the request, its answer the result, where no block goes with them: a
 * row of the warp status table without its data pointer (reading query-logic). */
enum { ROW_BYTES = 8 };

/* A request of one block that is on its way. */
struct flight {
	uint64_t block, address; /* of its first byte */
	uint64_t began;
	uint32_t next;    /* in its bucket, or next free */
	uint32_t waiting; /* list of waiters */
	struct ct_mo_place place;
	uint32_t slice, sm; /* sm: node */
	uint32_t sectors;   /* asked for so far */
	uint32_t dirty;     /* blocks that it pushed out of the SM */
	uint8_t kind, hit, fetched;
};

/* A sector's requester. */
struct waiter {
	uint64_t token;
	uint32_t next;
	uint8_t again; /* the sector was asked for before */
};

struct ct_mo_part {
	struct ct_llc_part llc;
	struct ct_mo_part_params p;
	struct ct_mo_extllc *ext;
	struct ct_gpu g;
	uint64_t in_sm; /* cycles that a request spends in the SM, unloaded: the trip without
	                            the networks */
	uint32_t bucket[BUCKETS];
	struct flight *flight;
	size_t flights;
	uint32_t free_flight;
	struct waiter *waiter;
	size_t waiters;
	uint32_t free_waiter;
	uint64_t dirty; /* that left so far */
	struct ct_mo_part_counts c;
};

/* ---- flights and waiters ---- */

static uint32_t bucket_of(uint64_t block)
{
	return (uint32_t)(ct_mix64(block) & (BUCKETS - 1));
}

static uint32_t find_flight(const struct ct_mo_part *m, uint64_t block, enum ct_mo_access kind)
{
	uint32_t i = m->bucket[bucket_of(block)];
	while (i != NONE && (m->flight[i].block != block || m->flight[i].kind != kind))
		i = m->flight[i].next;
	return i;
}

/* An unused entry for a request on its way, NONE when out of memory. The table doubles; entries are
 * found by number, since it may move. */
static uint32_t new_flight(struct ct_mo_part *m)
{
	if (m->free_flight == NONE) {
		size_t n = m->flights ? 2 * m->flights : 256;
		struct flight *f = ct_reallocarray(m->flight, n, sizeof *f);
		if (!f)
			return NONE;
		m->flight = f;
		for (size_t i = n; i-- > m->flights;) {
			f[i].next = m->free_flight;
			m->free_flight = (uint32_t)i;
		}
		m->flights = n;
	}
	uint32_t i = m->free_flight;
	m->free_flight = m->flight[i].next;
	return i;
}

static void drop_flight(struct ct_mo_part *m, uint32_t i)
{
	uint32_t *b = &m->bucket[bucket_of(m->flight[i].block)];
	while (*b != i)
		b = &m->flight[*b].next;
	*b = m->flight[i].next;
	m->flight[i].next = m->free_flight;
	m->free_flight = i;
}

/* Notes that a request waits for the flight. `again` says that its sector was asked for before. Returns
 * -1 when out of memory. */
static int wait_for_flight(struct ct_mo_part *m, uint32_t i, uint64_t token, int again)
{
	if (m->free_waiter == NONE) {
		size_t n = m->waiters ? 2 * m->waiters : 1024;
		struct waiter *w = ct_reallocarray(m->waiter, n, sizeof *w);
		if (!w)
			return -1;
		m->waiter = w;
		for (size_t k = n; k-- > m->waiters;) {
			w[k].next = m->free_waiter;
			m->free_waiter = (uint32_t)k;
		}
		m->waiters = n;
	}
	uint32_t k = m->free_waiter;
	m->free_waiter = m->waiter[k].next;
	m->waiter[k] = (struct waiter){token, m->flight[i].waiting, (uint8_t)again};
	m->flight[i].waiting = k;
	return 0;
}

/* Answers all requests that wait for a flight, the oldest first. */
static void answer_all(struct ct_mo_part *m, struct ct_replay *r, uint32_t i, uint64_t at)
{
	struct flight *f = &m->flight[i];
	uint32_t oldest = NONE;
	while (f->waiting != NONE) { /* the list has the youngest first */
		uint32_t k = f->waiting;
		f->waiting = m->waiter[k].next;
		m->waiter[k].next = oldest;
		oldest = k;
	}
	while (oldest != NONE) {
		struct waiter *w = &m->waiter[oldest];
		uint32_t k = oldest;
		ct_llc_answer(r, f->slice, w->token,
		              f->hit     ? CT_LLC_HIT
		              : w->again ? CT_LLC_PENDING
		                         : CT_LLC_MISS,
		              at);
		oldest = w->next;
		w->next = m->free_waiter;
		m->free_waiter = k;
	}
}

/* ---- the controller at a slice ---- */

static enum ct_mo_level level_of(const struct ct_mo_part *m, uint64_t block)
{
	const struct ct_morpheus_mix *mix = &m->p.mix;
	double u = (double)(ct_mix64(block ^ 0x6c62272e07bb0142u) >> 11) * 0x1p-53;
	if (!m->p.ext.compression)
		return CT_MO_LEVEL_NONE;
	return u < mix->high              ? CT_MO_LEVEL_HIGH
	       : u < mix->high + mix->low ? CT_MO_LEVEL_LOW
	                                  : CT_MO_LEVEL_NONE;
}

/* Sends a message between the slice and the SM that keeps the block. */
static void send_message(struct ct_mo_part *m, struct ct_replay *r, uint32_t i, uint32_t kind,
                         uint32_t bytes, uint64_t cycle)
{
	const struct flight *f = &m->flight[i];
	int to_sm = kind != ANSWER;
	struct ct_message q = {
		.from = to_sm ? ct_part_slice(&m->g, f->slice) : f->sm,
		.to = to_sm ? f->sm : ct_part_slice(&m->g, f->slice),
		.bytes = bytes,
		.kind = kind,
		.a = i,
		.b = f->dirty,
		.c = f->address};
	m->c.queries += kind == QUERY;
	ct_part_send(r, &m->llc.part, to_sm ? CT_NET_REPLY : CT_NET_REQUEST, &q, cycle);
}

static void fetch_block(struct ct_mo_part *m, struct ct_replay *r, uint32_t i, uint32_t bytes,
                        uint64_t cycle)
{
	m->flight[i].fetched = 1;
	ct_llc_read(r, m->flight[i].slice, m->flight[i].address, bytes, i, cycle);
}

/* Opens a flight: the predictor and the set answer at once, time passes afterwards. */
static uint32_t open_flight(struct ct_mo_part *m, struct ct_replay *r, const struct ct_llc_request *q,
                            const struct ct_mo_place *pl, enum ct_mo_access kind, uint64_t cycle)
{
	struct ct_error e = {0};
	struct ct_mo_reply reply;
	struct ct_mo_extllc_counts c;
	uint64_t block = q->address / m->p.block_bytes;
	uint32_t i = new_flight(m), *b = &m->bucket[bucket_of(block)];
	if (i == NONE) {
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
		return NONE;
	}
	if (ct_mo_extllc_lookup(m->ext, pl, block, kind, level_of(m, block), cycle, &reply, &e) < 0) {
		ct_part_fail(r, e.status, e.text);
		m->flight[i].next = m->free_flight;
		m->free_flight = i;
		return NONE;
	}
	ct_mo_extllc_counts(m->ext, &c);
	m->flight[i] = (struct flight){
		.block = block,
		.address = block * m->p.block_bytes,
		.place = *pl,
		.began = cycle,
		.next = *b,
		.waiting = NONE,
		.slice = q->slice,
		.sm = m->p.first_cache_sm + pl->sm,
		.dirty = (uint32_t)(c.dirty - m->dirty),
		.kind = (uint8_t)kind,
		.hit = (uint8_t)reply.hit,
	};
	m->dirty = c.dirty;
	*b = i;
	if (kind == CT_MO_WRITE)
		return i; /* its data goes to the SM as it comes */
	if (!reply.predicted)
		fetch_block(m, r, i, m->p.block_bytes, cycle);
	else
		send_message(m, r, i, QUERY, kind == CT_MO_ATOMIC ? m->g.llc.sector : ROW_BYTES, cycle);
	return i;
}

/* An access to the LLC: passed on where its block lies in no SM, else joined to a request for the same
 * block, or sent to the SM. */
static enum ct_llc_outcome
extended_access(void *ctx, struct ct_replay *r, const struct ct_llc_request *q, uint64_t cycle)
{
	struct ct_mo_part *m = ctx;
	struct ct_mo_place pl;
	uint64_t block = q->address / m->p.block_bytes;
	uint32_t bit = 1u << q->address % m->p.block_bytes / m->g.llc.sector, i = NONE;
	enum ct_mo_access kind = q->is_atomic ? CT_MO_ATOMIC : q->is_write ? CT_MO_WRITE : CT_MO_READ;
	ct_mo_extllc_place(m->ext, block, &pl);
	if (!pl.extended)
		return CT_LLC_PASS;
	if (kind != CT_MO_ATOMIC)
		i = find_flight(m, block, kind);
	int joined = i != NONE;
	if (!joined && (i = open_flight(m, r, q, &pl, kind, cycle)) == NONE)
		return CT_LLC_TAKEN; /* the run is over */
	struct flight *f = &m->flight[i];
	int again = (f->sectors & bit) != 0;
	f->sectors |= bit;
	m->c.sectors++;
	m->c.sector_hits += f->hit || again; /* a pending sector is no miss */
	m->c.joined += joined;
	if (kind == CT_MO_WRITE) {
		if (!f->hit && m->p.ext.store_fetches)
			ct_llc_write(r, q->slice, q->address, q->data, cycle);
		ct_llc_answer(r, q->slice, q->token, f->hit ? CT_LLC_HIT : CT_LLC_MISS, cycle);
		send_message(m, r, i, joined ? DATA : QUERY, m->g.llc.sector, cycle);
		f->dirty = joined ? f->dirty : 0;
	} else if (wait_for_flight(m, i, q->token, again) < 0) {
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	}
	return CT_LLC_TAKEN;
}

/* The SM has answered the slice. */
static void flight_answered(struct ct_mo_part *m, struct ct_replay *r, uint32_t i, uint64_t cycle)
{
	struct flight *f = &m->flight[i];
	uint32_t missing = m->p.block_bytes / m->g.llc.sector; /* sectors */
	m->c.latency_sum += cycle - f->began;
	m->c.answers++;
	f->dirty = 0; /* they have left with the answer */
	if (f->kind == CT_MO_WRITE && !m->p.ext.store_fetches)
		missing -= ct_bits(f->sectors);
	if (f->hit || !missing || (f->kind == CT_MO_ATOMIC && f->fetched)) {
		answer_all(m, r, i, cycle);
		drop_flight(m, i);
		return;
	}
	/* A store's block needs what the store did not bring, since the set has no sector bits; where stores read, all of it. */
	fetch_block(m, r, i, missing * m->g.llc.sector, cycle);
}

/* The block has come from DRAM to the slice. */
static void block_fetched(void *ctx, struct ct_replay *r, uint32_t slice, uint64_t tag, uint64_t cycle)
{
	struct ct_mo_part *m = ctx;
	uint32_t i = (uint32_t)tag;
	(void)slice;
	if (m->flight[i].kind ==
	    CT_MO_ATOMIC) { /* the owning warp executes it (reading atomics-at-owner) */
		send_message(m, r, i, QUERY, m->p.block_bytes, cycle);
		return;
	}
	answer_all(m, r, i, cycle);
	send_message(m, r, i, INSERT, m->p.block_bytes, cycle);
	drop_flight(m, i);
}

/* ---- the cache-mode SM ---- */

static void write_back(struct ct_mo_part *m, struct ct_replay *r, const struct ct_message *q,
                       uint64_t cycle)
{
	struct ct_message back = {
		.from = q->to, .to = q->from, .bytes = m->p.block_bytes, .kind = BACK, .c = q->c};
	for (uint64_t n = q->b; n > 0; n--)
		ct_part_send(r, &m->llc.part, CT_NET_REQUEST, &back, cycle);
}

/* Handles a message that has arrived: a question or a block at the SM that keeps the set, an answer or a block that was
 * written back at a slice. */
static void message_arrived(void *ctx, struct ct_replay *r, const struct ct_message *q, uint64_t cycle)
{
	struct ct_mo_part *m = ctx;
	uint32_t i = (uint32_t)q->a;
	switch (q->kind) {
	case QUERY:
		write_back(m, r, q, cycle);
		ct_part_timer(r, &m->llc.part, q->to,
		              ct_mo_extllc_serve(m->ext, &m->flight[i].place, cycle) + m->in_sm, i);
		break;
	case INSERT: { /* takes a turn of the warp; nobody waits */
		struct ct_mo_place pl;
		ct_mo_extllc_place(m->ext, q->c / m->p.block_bytes, &pl);
		ct_mo_extllc_insert(m->ext, &pl, cycle);
		write_back(m, r, q, cycle);
		break;
	}
	case DATA: /* the rest of a store that is there already */ break;
	case ANSWER: flight_answered(m, r, i, cycle); break;
	default: /* BACK */ ct_llc_write(r, q->to - m->g.sms, q->c, m->p.block_bytes, cycle);
	}
}

/* The warp is done. */
static void query_served(void *ctx, struct ct_replay *r, uint32_t node, uint64_t data, uint64_t cycle)
{
	struct ct_mo_part *m = ctx;
	uint32_t i = (uint32_t)data;
	const struct flight *f = &m->flight[i];
	int block = f->hit && f->kind == CT_MO_READ;
	(void)node;
	send_message(m, r, i, ANSWER,
	             block                     ? m->p.block_bytes
	             : f->kind == CT_MO_ATOMIC ? m->g.llc.sector
	                                       : ROW_BYTES,
	             cycle);
}

/* ---- making one ---- */

struct ct_mo_part *ct_mo_part_new(const struct ct_mo_part_params *p, const struct ct_gpu *g,
                                  struct ct_error *e)
{
	if (p->block_bytes != g->llc.line || p->first_cache_sm + p->ext.cache_sms > g->sms) {
		ct_fail(e, CT_ERR_USAGE,
		        "the replay of Morpheus wants blocks as long as an LLC line (%u "
		        "bytes): leave out morpheus.block_bytes",
		        g->llc.line);
		return NULL;
	}
	struct ct_mo_part *m = ct_calloc(1, sizeof *m);
	if (!m) {
		ct_fail_nomem(e);
		return NULL;
	}
	m->p = *p;
	m->g = *g;
	m->free_flight = m->free_waiter = NONE;
	for (uint32_t i = 0; i < BUCKETS; i++)
		m->bucket[i] = NONE;
	uint64_t networks = g->llc_latency + 4u * (g->noc_latency ? g->noc_latency : 1);
	m->in_sm = p->ext.trip > networks ? p->ext.trip - networks : 0;
	m->llc = (struct ct_llc_part){
		.part = {.ctx = m, .message = message_arrived, .timer = query_served},
		.access = extended_access,
		.read = block_fetched};
	m->p.ext.store_fetches = g->llc.write_policy == CT_WRITE_BACK_FETCH;
	m->ext = ct_mo_extllc_new(&m->p.ext, e);
	if (!m->ext) {
		free(m);
		return NULL;
	}
	return m;
}

void ct_mo_part_free(struct ct_mo_part *m)
{
	if (!m)
		return;
	ct_mo_extllc_free(m->ext);
	free(m->flight);
	free(m->waiter);
	free(m);
}

const struct ct_llc_part *ct_mo_part_llc(const struct ct_mo_part *m)
{
	return &m->llc;
}

void ct_mo_part_counts(const struct ct_mo_part *m, struct ct_mo_part_counts *c,
                       struct ct_mo_extllc_counts *ext)
{
	*c = m->c;
	ct_mo_extllc_counts(m->ext, ext);
}

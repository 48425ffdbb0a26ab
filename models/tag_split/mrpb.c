#include "models/tag_split/mrpb.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct queue {
	struct ct_ts_mrpb_request *at; /* ring of o.depth */
	uint32_t head, n;
};

enum { BUCKETS = 256 };

struct flight {
	uint64_t line, until;
	uint32_t set;
	int held; /* a way of the set: not of a bypass */
};

struct ct_ts_mrpb {
	struct ct_ts_l1 *l1;
	struct ct_ts_mrpb_options o;
	void (*done)(void *ctx, const struct ct_ts_mrpb_answer *a);
	void *ctx;
	struct queue *queue;
	uint32_t current, waiting;
	uint64_t now;          /* the L1 is free from here on */
	struct flight *flight; /* in order of return: the latency is fixed; a ring */
	uint32_t flights, first, ring;
	uint16_t *held;           /* [set]: ways on their way */
	uint16_t flying[BUCKETS]; /* lines on their way, by hash: mostly says that one is not */
};

int ct_ts_mrpb_new(struct ct_ts_mrpb **out, struct ct_ts_l1 *l1, const struct ct_ts_mrpb_options *o,
                   void (*done)(void *ctx, const struct ct_ts_mrpb_answer *a), void *ctx,
                   struct ct_error *e)
{
	*out = NULL;
	if (!o->queues || !o->depth || !o->mshr || !o->latency) {
		ct_ts_l1_free(l1);
		return ct_fail(e, CT_ERR_USAGE,
		               "MRPB of no queues, depth, registers or latency: give it at "
		               "least one of each");
	}
	struct ct_ts_mrpb *m = ct_calloc(1, sizeof *m);
	if (!m) {
		ct_ts_l1_free(l1);
		return ct_fail_nomem(e);
	}
	m->l1 = l1;
	m->o = *o;
	m->done = done;
	m->ctx = ctx;
	m->queue = ct_calloc(o->queues, sizeof *m->queue);
	for (m->ring = 1; m->ring < o->mshr; m->ring *= 2)
		;
	m->flight = ct_calloc(m->ring, sizeof *m->flight);
	m->held = ct_calloc(ct_ts_l1_shape(l1)->sets, sizeof *m->held);
	int ok = m->queue && m->flight && m->held;
	for (uint32_t i = 0; ok && i < o->queues; i++) {
		m->queue[i].at = ct_calloc(o->depth, sizeof *m->queue[i].at);
		ok = m->queue[i].at != NULL;
	}
	if (!ok) {
		ct_ts_mrpb_free(m);
		return ct_fail_nomem(e);
	}
	*out = m;
	return CT_OK;
}

void ct_ts_mrpb_free(struct ct_ts_mrpb *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->queue && i < m->o.queues; i++)
		free(m->queue[i].at);
	free(m->queue);
	free(m->flight);
	free(m->held);
	ct_ts_l1_free(m->l1);
	free(m);
}

struct ct_ts_l1 *ct_ts_mrpb_l1(struct ct_ts_mrpb *m)
{
	return m->l1;
}

static struct flight *flight_at(struct ct_ts_mrpb *m, uint32_t i)
{
	return &m->flight[(m->first + i) & (m->ring - 1)];
}

static uint32_t bucket_of(uint64_t line)
{
	return (uint32_t)(ct_mix64(line) % BUCKETS);
}

static void end_flights(struct ct_ts_mrpb *m)
{
	while (m->flights && flight_at(m, 0)->until <= m->now) {
		const struct flight *f = flight_at(m, 0);
		m->flying[bucket_of(f->line)]--;
		m->held[f->set] = (uint16_t)(m->held[f->set] - f->held);
		m->first = (m->first + 1) & (m->ring - 1);
		m->flights--;
	}
}

static int in_flight(struct ct_ts_mrpb *m, uint64_t line)
{
	for (uint32_t i = 0; m->flying[bucket_of(line)] && i < m->flights; i++)
		if (flight_at(m, i)->line == line)
			return 1;
	return 0;
}

static void begin_flight(struct ct_ts_mrpb *m, uint64_t line, uint32_t set, int held)
{
	*flight_at(m, m->flights++) = (struct flight){line, m->now + m->o.latency, set, held};
	m->flying[bucket_of(line)]++;
	m->held[set] = (uint16_t)(m->held[set] + held);
}

/* The L1 is stalled until the oldest miss returns. */
static void wait_for_oldest(struct ct_ts_mrpb *m)
{
	m->now = flight_at(m, 0)->until;
	end_flights(m);
}

/* A load whose line is on its way waits for it and asks for nothing. A miss waits for a register, and for a
 * way that no line on its way holds, or passes the L1 by. */
static void serve_load(struct ct_ts_mrpb *m, struct ct_ts_mrpb_answer *a)
{
	const struct ct_ts_mrpb_request *q = &a->request;
	uint32_t set = ct_ts_l1_set(m->l1, q->line);
	if (ct_ts_l1_peek(m->l1, q->line, q->chunks) == q->chunks || in_flight(m, q->line)) {
		ct_ts_l1_load(m->l1, q->line, q->chunks, 0, &a->result);
		if (a->result.miss) { /* on its way past the L1, or dropped by a store: no request */
			a->result.hit = q->chunks;
			a->result.miss = 0;
		}
		return;
	}
	while (m->flights == m->o.mshr)
		wait_for_oldest(m);
	if (m->held[set] >= ct_ts_l1_shape(m->l1)->ways) {
		if (m->o.bypass) {
			a->bypassed = 1;
			a->result.miss = q->chunks;
			begin_flight(m, q->line, set, 0);
			return;
		}
		while (m->held[set] >= ct_ts_l1_shape(m->l1)->ways)
			wait_for_oldest(m);
	}
	ct_ts_l1_load(m->l1, q->line, q->chunks, 0, &a->result);
	begin_flight(m, q->line, set, 1);
}

static void serve_next(struct ct_ts_mrpb *m, struct queue *q)
{
	struct ct_ts_mrpb_answer a = {.request = q->at[q->head]};
	q->head = (q->head + 1) % m->o.depth;
	q->n--;
	m->waiting--;
	end_flights(m);
	if (a.request.is_store)
		ct_ts_l1_store(m->l1, a.request.line, a.request.chunks, &a.result);
	else
		serve_load(m, &a);
	a.cycle = m->now++;
	m->done(m->ctx, &a);
}

/* The queue being drained, then the lowest with anything in it. */
static struct queue *next_queue(struct ct_ts_mrpb *m)
{
	if (!m->queue[m->current].n)
		for (m->current = 0; !m->queue[m->current].n; m->current++)
			;
	return &m->queue[m->current];
}

void ct_ts_mrpb_push(struct ct_ts_mrpb *m, const struct ct_ts_mrpb_request *r, uint64_t cycle)
{
	struct queue *q = &m->queue[m->o.reorder ? r->warp % m->o.queues : 0];
	while (m->waiting && (m->now < cycle || q->n == m->o.depth))
		serve_next(m, next_queue(m));
	if (m->now < cycle)
		m->now = cycle;
	q->at[(q->head + q->n++) % m->o.depth] = *r;
	m->waiting++;
}

void ct_ts_mrpb_drain(struct ct_ts_mrpb *m)
{
	while (m->waiting)
		serve_next(m, next_queue(m));
}

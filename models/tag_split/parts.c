#include "models/tag_split/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "gpu/occupancy.h"
#include "models/tag_split/l1_internal.h"
#include "models/tag_split/mode.h"
#include "models/tag_split/mshr.h"

enum { NONE = UINT32_MAX };

/* Part of a request that lies in one line of the system's: chunk c of the request is chunk c + up of the line, or where the
 * request is for several lines chunk c - down. */
struct piece {
	uint64_t line;
	uint32_t mask; /* chunks of the line */
	uint8_t up, down;
};

/* A piece of a request that waits for chunks of its line. */
struct waiter {
	uint64_t token;
	struct piece of; /* mask: what it still waits for */
	uint32_t next;
};

/* A fetch on its way: which chunks its tag stands for. */
struct fetch {
	uint64_t line;
	uint32_t chunks, next;
};

struct sm {
	struct ct_ts_l1 *l1;
	struct ct_ts_mshr *mshr;
	struct ct_ts_flight *held; /* [set]: what is on its way */
	uint32_t flying;           /* requests that have not been answered */
	struct waiter *waiter;
	uint32_t waiters, waiter_free;
	uint32_t *waiting; /* head of the list of each bucket of lines */
	struct fetch *fetch;
	uint32_t fetches, fetch_free;
	uint64_t busy_until; /* the port, by replacement or a wide line */
	struct load *load;   /* [LOADS], by number; those of this launch */
	/* MRPB */
	struct ct_l1_request *queue; /* [queue][depth], rings that grow */
	uint32_t *head, *n, depth, current, queued;
};

/* A load instruction of which something has been looked up, and whether any of that has missed. Lines of one follow each
 * other, but where banks look sectors up several are between their first and last. */
struct load {
	uint32_t instruction;
	uint8_t any, missed;
};

enum { BUCKETS = 64, LOADS = 512 /* more than the banks of an L1 hold */ };

struct ct_ts_parts {
	struct ct_gpu g;
	struct ct_ts_system system;
	struct ct_ts_params params;
	struct ct_ts_shape shape;
	struct ct_l1_part part;
	struct ct_shaper_part shaper;
	struct ct_replay_parts plugs;
	struct sm *sm;
	struct ct_ts_mode mode;
	uint8_t *role;
	uint64_t bytes, seed;
	uint32_t packet, mshr, merge, queues;
	uint32_t chunk_bits;      /* log2 of the bytes of a chunk */
	uint32_t line_bits;       /* log2 of the chunks of a line */
	uint32_t all;             /* mask of these */
	struct ct_ts_flight most; /* of a set */
	uint32_t extra_latency;   /* of a hit */
	int banks; /* sectors are looked up by the banks of the GPU's L1, as ct_ts_in_banks() says */
	struct ct_ts_counts c;
};

/* ---- building ---- */

static void drop_l1s(struct ct_ts_parts *x)
{
	for (uint32_t i = 0; x->sm && i < x->g.sms; i++) {
		if (x->sm[i].l1) {
			ct_ts_l1_flush(x->sm[i].l1);
			ct_ts_l1_collect(x->sm[i].l1, &x->c.use);
		}
		ct_ts_l1_free(x->sm[i].l1);
		free(x->sm[i].held);
		x->sm[i].l1 = NULL;
		x->sm[i].held = NULL;
	}
	free(x->role);
	x->role = NULL;
}

/* L1s of `bytes`: at the start, and when a launch changes an adaptive L1. */
static int resize_l1s(struct ct_ts_parts *x, uint64_t bytes, struct ct_error *e)
{
	int st = ct_ts_shape_of(&x->system, &x->g, bytes, &x->params, &x->shape, e);
	if (st != CT_OK)
		return st;
	if (x->bytes && x->shape.kind == CT_TS_PERFECT)
		return CT_OK;
	drop_l1s(x);
	x->bytes = bytes;
	x->chunk_bits = ct_high_bit(x->shape.chunk);
	x->line_bits = ct_high_bit(x->shape.line) - x->chunk_bits;
	x->all = (uint32_t)((UINT64_C(1) << (1u << x->line_bits)) - 1);
	x->most = ct_ts_flight(&x->shape, x->params.v[CT_TS_HOLD] > 0);
	for (uint32_t i = 0; i < x->g.sms && st == CT_OK; i++) {
		x->shape.seed = ct_mix64(x->seed * 0x10001 + i + 1);
		st = ct_ts_l1_new(&x->sm[i].l1, &x->shape, e);
		x->sm[i].held = ct_calloc(x->shape.sets, sizeof *x->sm[i].held);
		if (st == CT_OK && !x->sm[i].held)
			st = ct_fail_nomem(e);
	}
	x->role = ct_calloc(x->shape.sets, 1);
	if (!x->role)
		return ct_fail_nomem(e);
	if (x->system.fetch == CT_TS_CHOOSE)
		ct_ts_mode_roles(x->role, x->shape.sets, (uint32_t)x->params.v[CT_TS_SAMPLERS],
		                 x->params.v[CT_TS_SPREAD] > 0, x->seed);
	return st;
}

static int new_sm(struct ct_ts_parts *x, struct sm *s, struct ct_error *e)
{
	s->waiter_free = s->fetch_free = NONE;
	s->waiting = ct_calloc(BUCKETS, sizeof *s->waiting);
	s->load = ct_calloc(LOADS, sizeof *s->load);
	s->depth = (uint32_t)x->params.v[CT_TS_MRPB_DEPTH];
	s->queue = ct_calloc((size_t)x->queues * s->depth, sizeof *s->queue);
	s->head = ct_calloc(x->queues, sizeof *s->head);
	s->n = ct_calloc(x->queues, sizeof *s->n);
	if (!s->waiting || !s->load || !s->queue || !s->head || !s->n)
		return ct_fail_nomem(e);
	memset(s->waiting, 0xff, BUCKETS * sizeof *s->waiting);
	return ct_ts_mshr_new(&s->mshr, x->mshr, e);
}

static void fail_run(struct ct_replay *r, const struct ct_error *e)
{
	ct_part_fail(r, e->status, e->text);
}

/* An adaptive L1 has the size that the launch leaves: the L1s are built anew where that changes. */
static void on_kernel(void *ctx, struct ct_replay *r, const struct ct_kernel *k, uint64_t cycle)
{
	struct ct_ts_parts *x = ctx;
	struct ct_occupancy occ;
	struct ct_error e;
	(void)cycle;
	if (!k)
		return;
	for (uint32_t i = 0; i < x->g.sms; i++)
		memset(x->sm[i].load, 0, LOADS * sizeof *x->sm[i].load);
	if (ct_occupancy(&x->g, k, &occ, &e) != CT_OK) {
		fail_run(r, &e);
		return;
	}
	uint64_t bytes = (uint64_t)occ.l1_sets * occ.l1_ways * x->g.l1.line;
	if (bytes != x->bytes && resize_l1s(x, bytes, &e) != CT_OK)
		fail_run(r, &e);
}

static void on_flush(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t cycle)
{
	struct ct_ts_parts *x = ctx;
	(void)r;
	(void)cycle;
	ct_ts_l1_flush(x->sm[sm].l1);
}

/* ---- lists ---- */

/* A free record, of a table that grows; NULL: out of memory. */
static struct waiter *new_waiter(struct sm *s)
{
	if (s->waiter_free == NONE) {
		uint32_t n = s->waiters ? s->waiters * 2 : 64;
		struct waiter *p = ct_reallocarray(s->waiter, n, sizeof *p);
		if (!p)
			return NULL;
		s->waiter = p;
		for (uint32_t i = n; i-- > s->waiters;) {
			p[i].next = s->waiter_free;
			s->waiter_free = i;
		}
		s->waiters = n;
	}
	struct waiter *w = &s->waiter[s->waiter_free];
	s->waiter_free = w->next;
	return w;
}

static uint32_t *bucket_of(struct sm *s, uint64_t line)
{
	return &s->waiting[ct_mix64(line) % BUCKETS];
}

/* A piece of a request waits for chunks. < 0: out of memory. */
static int wait_for(struct sm *s, uint64_t token, const struct piece *p, uint32_t chunks)
{
	struct waiter *w = new_waiter(s);
	if (!w)
		return -1;
	*w = (struct waiter){token, *p, NONE};
	w->of.mask = chunks;
	uint32_t *at = bucket_of(s, p->line);
	while (*at != NONE) /* first come, first answered */
		at = &s->waiter[*at].next;
	*at = (uint32_t)(w - s->waiter);
	return 0;
}

/* Requests that wait for any of those chunks of the line. */
static uint32_t merged_requests(struct sm *s, uint64_t line, uint32_t chunks)
{
	uint32_t n = 0;
	for (uint32_t i = *bucket_of(s, line); i != NONE; i = s->waiter[i].next)
		n += s->waiter[i].of.line == line && s->waiter[i].of.mask & chunks;
	return n;
}

/* A record of a fetch of those chunks, whose index is its tag; NONE: out of memory. */
static uint32_t new_fetch(struct sm *s, uint64_t line, uint32_t chunks)
{
	if (s->fetch_free == NONE) {
		uint32_t n = s->fetches ? s->fetches * 2 : 64;
		struct fetch *p = ct_reallocarray(s->fetch, n, sizeof *p);
		if (!p)
			return NONE;
		s->fetch = p;
		for (uint32_t i = n; i-- > s->fetches;) {
			p[i].next = s->fetch_free;
			s->fetch_free = i;
		}
		s->fetches = n;
	}
	uint32_t i = s->fetch_free;
	s->fetch_free = s->fetch[i].next;
	s->fetch[i] = (struct fetch){line, chunks, NONE};
	return i;
}

/* ---- the lookup ---- */

static int mode_of(const struct ct_ts_parts *x, uint32_t sm, uint32_t set)
{
	if (x->system.fetch != CT_TS_CHOOSE)
		return x->system.fetch == CT_TS_COARSE;
	if (sm == 0 && x->role[set] != CT_TS_FOLLOWER)
		return x->role[set] == CT_TS_ALWAYS_COARSE;
	return x->mode.coarse;
}

/* Waits until a fill lets the pipeline try again; a fill must come. */
static enum ct_l1_outcome after_a_fill(struct ct_l1_result *out, uint64_t cycle)
{
	out->ready = cycle + (1u << 20);
	return CT_L1_RETRY;
}

static enum ct_l1_outcome at_once_free(struct ct_l1_result *out, uint64_t cycle, uint64_t at)
{
	out->ready = at > cycle ? at : cycle + 1;
	return CT_L1_RETRY;
}

/* Whether the miss queue, which is to take `more` requests, has no room for one behind them; then when it has. Where banks look
 * sectors up a load leaves a place free, as in the engine's own L1. */
static int queue_full(struct ct_ts_parts *x, struct ct_replay *r, const struct ct_l1_request *q,
                      uint32_t more, uint64_t cycle, uint64_t *free_at)
{
	uint32_t queued = ct_l1_queued(r, q->sm, cycle) + more, limit = x->g.l1.miss_queue;
	if (x->banks && !q->is_write && limit > 1)
		limit--;
	*free_at = cycle + queued + 1 - (queued < limit ? queued + 1 : limit);
	return queued >= limit;
}

/* What is noted about each line of a request: that it has been looked up, hit, missed, opened an entry of the MSHR, that
 * all of it has been sent for, and that the choice of the mode has been told. */
enum { SEEN = 1, HIT = 2, MISSED = 4, ENTERED = 8, WHOLE = 16, TOLD = 32, NOTES = 8 /* bits */ };

/* Chunks for which a miss would have to be sent, as the tags and the MSHR stand; later what has been sent, and whether it
 * opened an entry of the MSHR. */
struct need {
	uint32_t set, pending, cached, want, send, sent;
	uint32_t entry; /* chunks that were sent for in the life of the line's entry */
	int coarse, bypass, opened;
};

static void look_up_line(struct ct_ts_parts *x, struct sm *s, uint32_t sm, const struct piece *p,
                         struct need *n)
{
	const uint32_t all = x->all;
	n->set = ct_ts_l1_set(s->l1, p->line);
	n->coarse = mode_of(x, sm, n->set);
	n->pending = ct_ts_mshr_pending(s->mshr, p->line, &n->entry);
	n->cached = ts_peek_in(s->l1, n->set, p->line, all);
	n->want = n->coarse ? all : p->mask;
	if (x->shape.kind == CT_TS_LINE || x->shape.kind == CT_TS_PERFECT)
		n->want = p->mask & ~n->cached ? all : p->mask;
	n->send = n->want & ~n->cached & ~n->pending;
}

/* Whether no entry of the MSHR is free for what is missing, or no more can wait at that which is on its way. An entry is of
 * a line; where banks look sectors up it is of what one of them has sent for, as in the engine's own L1. */
static int is_mshr_full(const struct ct_ts_parts *x, struct sm *s, const struct piece *p,
                        const struct need *n)
{
	if (!x->banks)
		return n->entry ? merged_requests(s, p->line, UINT32_MAX) >= x->merge
		                : ct_ts_mshr_used(s->mshr) >= x->mshr;
	return (n->send && s->flying >= x->mshr) ||
	       (p->mask & n->pending && merged_requests(s, p->line, p->mask & n->pending) >= x->merge);
}

/* Whether the set has no room for what a request would send for, until something that is on its way has come. */
static int is_set_full(const struct ct_ts_parts *x, const struct sm *s, const struct need *n)
{
	const struct ct_ts_flight *held = &s->held[n->set];
	return n->send && x->shape.kind != CT_TS_PERFECT &&
	       ((!n->entry && held->lines >= x->most.lines) ||
	        held->chunks + ct_bits(n->send) > x->most.chunks);
}

/* Whether what the piece of a request needs is free now. */
static enum ct_l1_outcome
admit_piece(struct ct_ts_parts *x, struct ct_replay *r, struct sm *s, const struct ct_l1_request *q,
            const struct piece *p, struct need *n, uint64_t cycle, struct ct_l1_result *out)
{
	int waits = n->send || (p->mask & (n->pending | ~n->cached));
	uint64_t at;
	if (!waits)
		return CT_L1_TAKEN;
	/* The engine's own L1 asks for a place also where all is on its way. */
	if ((n->send || x->banks) && queue_full(x, r, q, 0, cycle, &at))
		return at_once_free(out, cycle, at);
	if (is_mshr_full(x, s, p, n))
		return after_a_fill(out, cycle);
	/* A chunk that came and was evicted while others of its line are on their way: the entry
	 * asks for no chunk twice, so the next one has to. */
	if (n->send & n->entry)
		return after_a_fill(out, cycle);
	if (is_set_full(x, s, n)) {
		if (!x->system.prioritised)
			return after_a_fill(out, cycle);
		n->bypass = 1;
	}
	return CT_L1_TAKEN;
}

/* Where the notes about the piece's line begin: a request for a line of the GPU's is for several smaller ones. */
static uint32_t notes_at(const struct ct_ts_parts *x, const struct piece *p)
{
	return NOTES * (p->down >> x->line_bits);
}

/* Notes something about the piece's line; whether it had not been. */
static int note_first(const struct ct_ts_parts *x, const struct ct_l1_request *q, const struct piece *p,
                      uint32_t bit)
{
	const uint32_t had = *q->memo;
	*q->memo |= bit << notes_at(x, p);
	return had != *q->memo;
}

/* Whether all of that has been noted. */
static int is_noted(const struct ct_ts_parts *x, const struct ct_l1_request *q, const struct piece *p,
                    uint32_t bits)
{
	return (~(*q->memo >> notes_at(x, p)) & bits) == 0;
}

/* Counts a line of a request once, whether banks look it up together or not, and its instruction with what comes first of
 * it: a load misses when any of its requests does. MRPB reorders requests, so that instructions are not told apart there. */
static void count_load(struct ct_ts_parts *x, struct sm *s, const struct ct_l1_request *q,
                       const struct piece *p, const struct need *n)
{
	struct ct_ts_counts *c = &x->c;
	struct load *l = &s->load[q->instruction % LOADS];
	const int first = note_first(x, q, p, SEEN), partial = is_noted(x, q, p, HIT | MISSED);
	c->seen += (uint64_t)first;
	c->requests += (uint64_t)first;
	c->coarse_requests += first && n->coarse;
	if (!x->system.prioritised && (!l->any || l->instruction != q->instruction)) {
		*l = (struct load){q->instruction, 1, 0};
		c->loads++;
	}
	if (n->sent) {
		c->request_misses += (uint64_t)note_first(x, q, p, MISSED);
		c->load_misses += !x->system.prioritised && !l->missed;
		l->missed = 1;
		if (n->want == x->all)
			note_first(x, q, p, WHOLE);
	}
	if (n->opened)
		c->entries += (uint64_t)note_first(x, q, p, ENTERED);
	if (p->mask & n->cached & ~n->pending)
		note_first(x, q, p, HIT);
	c->partial += !partial && is_noted(x, q, p, HIT | MISSED);
}

/* Puts the chunks into the MSHR and sends what is new. < 0: out of memory. */
static int request_chunks(struct ct_ts_parts *x, struct ct_replay *r, struct sm *s, uint32_t sm,
                          uint64_t line, uint32_t chunks, uint64_t cycle, struct need *n)
{
	uint32_t used = ct_ts_mshr_used(s->mshr);
	if (!chunks || !ct_ts_mshr_miss(s->mshr, line, chunks, &n->sent) || !n->sent)
		return 0;
	n->opened = ct_ts_mshr_used(s->mshr) > used;
	s->held[n->set].lines += (uint32_t)n->opened;
	s->held[n->set].chunks += ct_bits(n->sent);
	s->flying++;
	x->c.fetched_bytes += ct_bits(n->sent) * x->shape.chunk;
	x->c.data_packets += ct_ts_data_packets(ct_bits(n->sent), x->shape.chunk, x->packet);
	x->c.request_packets++;
	uint32_t f = new_fetch(s, line, n->sent);
	if (f == NONE)
		return -1;
	ct_l1_fetch(r, sm, line * x->shape.line, x->shape.chunk, n->sent, f, cycle);
	return 0;
}

/* Chunks of the piece as chunks of its request. */
static uint32_t asked_chunks(const struct piece *p, uint32_t chunks)
{
	return (chunks & p->mask) >> p->up << p->down;
}

/* Another sector of the request has sent for the whole line: the piece waits with it, or is answered where the line has come. */
static void join_line(struct ct_ts_parts *x, struct ct_replay *r, const struct ct_l1_request *q,
                      const struct piece *p, struct ct_l1_result *out)
{
	struct sm *s = &x->sm[q->sm];
	uint32_t asked = asked_chunks(p, p->mask);
	out->sector_miss |= asked;
	if (!(ct_ts_mshr_pending(s->mshr, p->line, NULL) & p->mask))
		out->done |= asked;
	else if (wait_for(s, q->token, p, p->mask) < 0)
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
}

/* A piece of a load: waits for room where it needs any, else meets the tags. What the tags say is there but is
 * still on its way is pending. What is missing is fetched; who waits is answered by on_filled(). *replaced: lines from which
 * something was taken. */
static enum ct_l1_outcome
look_up_piece(struct ct_ts_parts *x, struct ct_replay *r, const struct ct_l1_request *q,
              const struct piece *p, uint64_t cycle, uint32_t *replaced, struct ct_l1_result *out)
{
	struct sm *s = &x->sm[q->sm];
	struct need n = {0};
	struct ct_ts_result res = {0};
	if (is_noted(x, q, p, WHOLE)) {
		join_line(x, r, q, p, out);
		return CT_L1_TAKEN;
	}
	look_up_line(x, s, q->sm, p, &n);
	if (admit_piece(x, r, s, q, p, &n, cycle, out) == CT_L1_RETRY)
		return CT_L1_RETRY;
	if (n.bypass) {
		res.miss = p->mask & ~n.cached;
		res.hit = p->mask & n.cached;
		x->c.bypassed++;
	} else if (ts_load_in(s->l1, n.set, p->line, p->mask, n.coarse, &res) < 0) {
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	}
	if (request_chunks(x, r, s, q->sm, p->line, res.miss & ~n.pending, cycle, &n) < 0)
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	if (x->system.fetch == CT_TS_CHOOSE && q->sm == 0 && x->role[n.set] != CT_TS_FOLLOWER &&
	    res.miss)
		ct_ts_mode_miss(
			&x->mode, n.coarse, note_first(x, q, p, TOLD),
			n.sent ? 1 + ct_ts_data_packets(ct_bits(n.sent), x->shape.chunk, x->packet) : 0);
	const uint32_t hit = p->mask & n.cached & ~n.pending, pending = p->mask & n.pending;
	const uint32_t miss = p->mask & ~hit & ~pending;
	out->hit |= asked_chunks(p, hit);
	out->done |= asked_chunks(p, hit);
	out->pending |= asked_chunks(p, pending);
	*(n.cached | n.pending ? &out->sector_miss : &out->line_miss) |= asked_chunks(p, miss);
	x->c.evicted += res.evicted;
	x->c.collateral += res.collateral;
	count_load(x, s, q, p, &n);
	if (pending | miss && wait_for(s, q->token, p, pending | miss) < 0)
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	*replaced += res.replaced;
	return CT_L1_TAKEN;
}

/* A request is for a line of the system's, and looked up at once; but where banks look sectors up it is for one of the GPU's,
 * and each of its sectors is looked up, one after the other. Takes the first piece of *left, chunks of the request. */
static struct piece next_piece(const struct ct_ts_parts *x, const struct ct_l1_request *q,
                               uint32_t *left)
{
	const uint32_t i = ct_low_bit(*left);
	if (!x->banks) {
		*left = 0;
		return (struct piece){.line = q->address >> (x->chunk_bits + x->line_bits),
		                      .mask = q->mask};
	}
	const uint64_t at = (q->address >> x->chunk_bits) + i;
	const uint32_t c = (uint32_t)at & ((1u << x->line_bits) - 1);
	*left &= *left - 1;
	return (struct piece){.line = at >> x->line_bits,
	                      .mask = 1u << c,
	                      .up = (uint8_t)(c > i ? c - i : 0),
	                      .down = (uint8_t)(i > c ? i - c : 0)};
}

/* A load. What has to wait is looked up again, where banks look sectors up without those that need not. A wide line takes the
 * port once more, and so does each further round of DSC's. */
static enum ct_l1_outcome
lookup_load(struct ct_ts_parts *x, struct ct_replay *r, const struct ct_l1_request *q, uint64_t cycle,
            struct ct_l1_result *out)
{
	uint64_t retry = UINT64_MAX;
	uint32_t replaced = 0,
		 rounds = !x->banks && x->shape.line > 128 && (q->mask & 0xf) && (q->mask & 0xf0);
	for (uint32_t left = q->mask; left;) {
		const struct piece p = next_piece(x, q, &left);
		if (look_up_piece(x, r, q, &p, cycle, &replaced, out) == CT_L1_TAKEN)
			continue;
		out->again |= asked_chunks(&p, p.mask);
		retry = out->ready < retry ? out->ready : retry;
	}
	out->ready = out->again ? retry : cycle + x->extra_latency;
	if (out->again == q->mask)
		return CT_L1_RETRY;
	rounds += x->shape.kind == CT_TS_DSC && replaced > 1 ? replaced - 1 : 0;
	if (rounds || !x->banks)
		x->sm[q->sm].busy_until = cycle + 1 + rounds;
	return CT_L1_TAKEN;
}

/* Whether a store passes by the sector, as it does in the engine's own L1, since the sector has not come yet. */
static int is_on_its_way(const struct ct_ts_parts *x, uint32_t sm, const struct piece *p)
{
	return x->banks && ct_ts_mshr_pending(x->sm[sm].mshr, p->line, NULL) & p->mask;
}

/* A store: it goes on to the LLC when the miss queue has room. */
static enum ct_l1_outcome
lookup_store(struct ct_ts_parts *x, struct ct_replay *r, const struct ct_l1_request *q, uint64_t cycle,
             struct ct_l1_result *out)
{
	uint64_t at;
	for (uint32_t left = q->mask, sent = 0; left;) {
		const uint32_t rest = left;
		const struct piece p = next_piece(x, q, &left);
		struct ct_ts_result res = {0};
		if (queue_full(x, r, q, sent++, cycle, &at)) {
			at_once_free(out, cycle, at);
			out->again = rest;
			break;
		}
		if (!is_on_its_way(x, q->sm, &p))
			ct_ts_l1_store(x->sm[q->sm].l1, p.line, p.mask, &res);
		out->hit |= asked_chunks(&p, res.hit);
		const int first = note_first(x, q, &p, SEEN);
		x->c.stores_seen += (uint64_t)first;
		x->c.stores += (uint64_t)first;
		x->c.evicted += res.evicted;
		x->c.write_packets += ct_ts_data_packets(ct_bits(p.mask), x->shape.chunk, x->packet);
	}
	out->line_miss = q->mask & ~out->again & ~out->hit;
	out->forward = 1;
	return out->again == q->mask ? CT_L1_RETRY : CT_L1_TAKEN;
}

/* A request at the end of the pipeline, if the port is free. */
static enum ct_l1_outcome on_lookup(void *ctx, struct ct_replay *r, const struct ct_l1_request *q,
                                    uint64_t cycle, struct ct_l1_result *out)
{
	struct ct_ts_parts *x = ctx;
	if (x->sm[q->sm].busy_until > cycle) {
		out->ready = x->sm[q->sm].busy_until;
		return CT_L1_RETRY;
	}
	return q->is_write ? lookup_store(x, r, q, cycle, out) : lookup_load(x, r, q, cycle, out);
}

/* Chunks have come: the MSHR forgets them, and every request of the line that waits for some is
 * answered for these. */
static void on_filled(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle)
{
	struct ct_ts_parts *x = ctx;
	struct sm *s = &x->sm[sm];
	struct fetch f = s->fetch[tag];
	uint32_t used = ct_ts_mshr_used(s->mshr), *at = bucket_of(s, f.line);
	s->fetch[tag].next = s->fetch_free;
	s->fetch_free = (uint32_t)tag;
	ct_ts_mshr_fill(s->mshr, f.line, f.chunks);
	s->flying--;
	struct ct_ts_flight *held = &s->held[ct_ts_l1_set(s->l1, f.line)];
	held->lines -= used != ct_ts_mshr_used(s->mshr);
	held->chunks -= ct_bits(f.chunks);
	while (*at != NONE) {
		struct waiter *w = &s->waiter[*at];
		uint32_t got = w->of.line == f.line ? w->of.mask & f.chunks : 0, me = *at;
		uint32_t asked = asked_chunks(&w->of, got);
		uint64_t token = w->token;
		w->of.mask &= ~got;
		if (got && !w->of.mask) {
			*at = w->next;
			w->next = s->waiter_free;
			s->waiter_free = me;
		} else {
			at = &w->next;
		}
		if (got)
			ct_l1_answer(r, sm, token, asked, cycle + x->extra_latency);
	}
}

/* ---- MRPB's queues (mrpb.h) ---- */

static int grow_queue(struct ct_ts_parts *x, struct sm *s)
{
	struct ct_l1_request *p = ct_calloc((size_t)x->queues * s->depth * 2, sizeof *p);
	if (!p)
		return -1;
	for (uint32_t k = 0; k < x->queues; k++) {
		for (uint32_t i = 0; i < s->n[k]; i++)
			p[k * s->depth * 2 + i] = s->queue[k * s->depth + (s->head[k] + i) % s->depth];
		s->head[k] = 0;
	}
	free(s->queue);
	s->queue = p;
	s->depth *= 2;
	return 0;
}

/* The engine cannot be refused a request: a full queue grows. */
static void on_put(void *ctx, struct ct_replay *r, const struct ct_l1_request *q, uint64_t cycle)
{
	struct ct_ts_parts *x = ctx;
	struct sm *s = &x->sm[q->sm];
	uint32_t k = q->warp % x->queues;
	(void)cycle;
	if (s->n[k] == s->depth && grow_queue(x, s) < 0) {
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
		return;
	}
	s->queue[k * s->depth + (s->head[k] + s->n[k]++) % s->depth] = *q;
	s->queued++;
}

/* MRPB's drain: the current queue as long as it has any, else the first that does. */
static int on_next(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t cycle, uint64_t *token,
                   uint64_t *again)
{
	struct ct_ts_parts *x = ctx;
	struct sm *s = &x->sm[sm];
	(void)r;
	(void)cycle;
	(void)again;
	if (!s->queued)
		return 0;
	if (!s->n[s->current])
		for (s->current = 0; !s->n[s->current]; s->current++)
			;
	*token = s->queue[s->current * s->depth + s->head[s->current]].token;
	s->head[s->current] = (s->head[s->current] + 1) % s->depth;
	s->n[s->current]--;
	s->queued--;
	return 1;
}

/* ---- outside ---- */

static void plug_parts(struct ct_ts_parts *x)
{
	x->part = (struct ct_l1_part){
		.part = {.ctx = x, .kernel = on_kernel},
		.line = x->banks ? 0 : x->shape.line,
		.chunk = x->banks ? 0 : x->shape.chunk,
		.banks = x->banks,
		.lookup = on_lookup,
		.filled = on_filled,
		.flush = on_flush};
	x->shaper = (struct ct_shaper_part){.part = {.ctx = x}, .put = on_put, .next = on_next};
	x->plugs = (struct ct_replay_parts){.l1 = &x->part};
	if (x->system.prioritised)
		x->plugs.shaper = &x->shaper;
}

int ct_ts_parts_new(struct ct_ts_parts **out, const struct ct_gpu *g, const struct ct_ts_system *sys,
                    const struct ct_ts_params *p, uint64_t seed, struct ct_error *e)
{
	*out = NULL;
	if (sys->configured || sys->kind == CT_TS_IDEAL)
		return CT_OK;
	struct ct_ts_parts *x = ct_calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	x->g = *g;
	x->system = *sys;
	x->params = *p;
	x->seed = seed;
	x->packet = (uint32_t)p->v[CT_TS_PACKET_BYTES];
	x->mshr = p->v[CT_TS_MSHR] > 0 ? (uint32_t)p->v[CT_TS_MSHR] : g->l1.mshr_entries;
	x->mshr = x->mshr ? x->mshr : 1;
	x->merge = g->l1.mshr_merge ? g->l1.mshr_merge : 1;
	x->queues = (uint32_t)p->v[CT_TS_MRPB_QUEUES];
	x->extra_latency = (uint32_t)(sys->hit_latency < 0 ? p->v[CT_TS_HIT_LATENCY] : sys->hit_latency);
	ct_ts_mode_init(&x->mode, (uint32_t)p->v[CT_TS_THRESHOLD]);
	x->sm = ct_calloc(g->sms, sizeof *x->sm);
	int st = x->sm ? CT_OK : ct_fail_nomem(e);
	for (uint32_t i = 0; i < g->sms && st == CT_OK; i++)
		st = new_sm(x, &x->sm[i], e);
	if (st == CT_OK)
		st = resize_l1s(x, g->l1.size, e);
	x->banks = ct_ts_in_banks(g, &x->shape);
	if (st != CT_OK) {
		ct_ts_parts_free(x);
		return st;
	}
	plug_parts(x);
	*out = x;
	return CT_OK;
}

/* Frees parts that may be half built. */
void ct_ts_parts_free(struct ct_ts_parts *x)
{
	if (!x)
		return;
	drop_l1s(x);
	for (uint32_t i = 0; x->sm && i < x->g.sms; i++) {
		ct_ts_mshr_free(x->sm[i].mshr);
		free(x->sm[i].waiter);
		free(x->sm[i].waiting);
		free(x->sm[i].load);
		free(x->sm[i].fetch);
		free(x->sm[i].queue);
		free(x->sm[i].head);
		free(x->sm[i].n);
	}
	free(x->sm);
	free(x);
}

const struct ct_replay_parts *ct_ts_parts_plugs(const struct ct_ts_parts *x)
{
	return x ? &x->plugs : NULL;
}

void ct_ts_parts_counts(const struct ct_ts_parts *x, struct ct_ts_counts *c)
{
	*c = x->c;
}

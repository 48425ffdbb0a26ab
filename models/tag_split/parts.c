#include "models/tag_split/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "gpu/occupancy.h"
#include "models/tag_split/mode.h"
#include "models/tag_split/mshr.h"

enum { NONE = UINT32_MAX };

/* A request that waits for chunks of a line. */
struct waiter {
	uint64_t token, line;
	uint32_t left, next;
};

/* A fetch on its way: which chunks its tag stands for. */
struct fetch {
	uint64_t line;
	uint32_t chunks, next;
};

struct sm {
	struct ct_ts_l1 *l1;
	struct ct_ts_mshr *mshr;
	uint16_t *held; /* [set]: lines on their way */
	struct waiter *waiter;
	uint32_t waiters, waiter_free;
	uint32_t *waiting; /* head of the list of each bucket of lines */
	struct fetch *fetch;
	uint32_t fetches, fetch_free;
	uint64_t busy_until;  /* the port, by replacement or a wide line */
	uint32_t instruction; /* of the last load, and whether it has missed */
	int any, missed;
	/* MRPB */
	struct ct_l1_request *queue; /* [queue][depth], rings that grow */
	uint32_t *head, *n, depth, current, queued;
};

enum { BUCKETS = 64 };

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
	struct ct_ts_counts c;
	struct ct_ts_stalls stalls;
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
	s->depth = (uint32_t)x->params.v[CT_TS_MRPB_DEPTH];
	s->queue = ct_calloc((size_t)x->queues * s->depth, sizeof *s->queue);
	s->head = ct_calloc(x->queues, sizeof *s->head);
	s->n = ct_calloc(x->queues, sizeof *s->n);
	if (!s->waiting || !s->queue || !s->head || !s->n)
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

static int wait_for(struct sm *s, uint64_t token, uint64_t line, uint32_t chunks)
{
	struct waiter *w = new_waiter(s);
	if (!w)
		return -1;
	*w = (struct waiter){token, line, chunks, NONE};
	uint32_t *at = bucket_of(s, line);
	while (*at != NONE) /* first come, first answered */
		at = &s->waiter[*at].next;
	*at = (uint32_t)(w - s->waiter);
	return 0;
}

static uint32_t merged_requests(struct sm *s, uint64_t line)
{
	uint32_t n = 0;
	for (uint32_t i = *bucket_of(s, line); i != NONE; i = s->waiter[i].next)
		n += s->waiter[i].line == line;
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

static uint32_t extra_latency(const struct ct_ts_parts *x)
{
	return x->system.hit_latency < 0 ? (uint32_t)x->params.v[CT_TS_HIT_LATENCY]
	                                 : (uint32_t)x->system.hit_latency;
}

static int mode_of(const struct ct_ts_parts *x, uint32_t sm, uint32_t set)
{
	if (x->system.fetch != CT_TS_CHOOSE)
		return x->system.fetch == CT_TS_COARSE;
	if (sm == 0 && x->role[set] != CT_TS_FOLLOWER)
		return x->role[set] == CT_TS_ALWAYS_COARSE;
	return x->mode.coarse;
}

/* Waits until a fill lets the pipeline try again; a fill must come. */
static enum ct_l1_outcome after_a_fill(struct ct_l1_result *out, uint64_t cycle, uint64_t *count)
{
	++*count;
	out->ready = cycle + (1u << 20);
	return CT_L1_RETRY;
}

static enum ct_l1_outcome at_once_free(struct ct_l1_result *out, uint64_t cycle, uint64_t at,
                                       uint64_t *count)
{
	++*count;
	out->ready = at > cycle ? at : cycle + 1;
	return CT_L1_RETRY;
}

static int queue_full(struct ct_ts_parts *x, struct ct_replay *r, uint32_t sm, uint64_t cycle,
                      uint64_t *free_at)
{
	uint32_t queued = ct_l1_queued(r, sm, cycle), limit = x->g.l1.miss_queue;
	*free_at = cycle + queued + 1 - (queued < limit ? queued + 1 : limit);
	return queued >= limit;
}

/* Chunks for which a miss would have to be sent, as the tags and the MSHR stand. */
struct need {
	uint32_t set, pending, cached, want, send;
	int coarse, bypass;
};

static void look_up_line(struct ct_ts_parts *x, struct sm *s, const struct ct_l1_request *q,
                         uint64_t line, struct need *n)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << x->shape.line / x->shape.chunk) - 1);
	n->set = ct_ts_l1_set(s->l1, line);
	n->coarse = mode_of(x, q->sm, n->set);
	n->pending = ct_ts_mshr_pending(s->mshr, line);
	n->cached = ct_ts_l1_peek(s->l1, line, all);
	n->want = n->coarse ? all : q->mask;
	if (x->shape.kind == CT_TS_LINE || x->shape.kind == CT_TS_PERFECT)
		n->want = q->mask & ~n->cached ? all : q->mask;
	n->send = n->want & ~n->cached & ~n->pending;
}

/* Whether what the request needs is free now. */
static enum ct_l1_outcome
admit_request(struct ct_ts_parts *x, struct ct_replay *r, struct sm *s, const struct ct_l1_request *q,
              uint64_t line, struct need *n, uint64_t cycle, struct ct_l1_result *out)
{
	int waits = n->send || (q->mask & (n->pending | ~n->cached));
	uint32_t entry = ct_ts_mshr_issued(s->mshr, line);
	uint64_t at;
	if (!waits)
		return CT_L1_TAKEN;
	if (entry ? merged_requests(s, line) >= x->merge : ct_ts_mshr_used(s->mshr) >= x->mshr)
		return after_a_fill(out, cycle, &x->stalls.mshr);
	/* A chunk that came and was evicted while others of its line are on their way: the entry
	 * asks for no chunk twice, so the next one has to. */
	if (n->send & entry)
		return after_a_fill(out, cycle, &x->stalls.mshr);
	if (n->send && queue_full(x, r, q->sm, cycle, &at))
		return at_once_free(out, cycle, at, &x->stalls.queue);
	/* A line on its way keeps its place; in Tag-Split that is at least one chunk. */
	if (n->send && !entry && s->held[n->set] >= ct_ts_set_places(&x->shape) &&
	    x->shape.kind != CT_TS_PERFECT) {
		if (!x->system.prioritised)
			return after_a_fill(out, cycle, &x->stalls.set);
		n->bypass = 1;
	}
	return CT_L1_TAKEN;
}

/* Counts a request, and its instruction with its first request: a load misses when any of its requests
 * does. MRPB reorders requests, so that instructions are not told apart there. */
static void count_load(struct ct_ts_parts *x, struct sm *s, const struct ct_l1_request *q, uint32_t hit,
                       uint32_t miss, const struct need *n)
{
	struct ct_ts_counts *c = &x->c;
	c->seen++;
	c->requests++;
	c->coarse_requests += n->coarse != 0;
	if (!x->system.prioritised) {
		c->loads += !s->any || s->instruction != q->instruction;
		if (!s->any || s->instruction != q->instruction)
			s->missed = 0;
		s->any = 1;
		s->instruction = q->instruction;
	}
	if (!miss)
		return;
	c->request_misses++;
	c->partial += hit != 0;
	if (!x->system.prioritised && !s->missed) {
		c->load_misses++;
		s->missed = 1;
	}
}

/* Puts the chunks into the MSHR and sends what is new. */
static int request_chunks(struct ct_ts_parts *x, struct ct_replay *r, struct sm *s,
                          const struct ct_l1_request *q, uint64_t line, uint32_t set, uint32_t chunks,
                          uint64_t cycle, uint32_t *sent)
{
	uint32_t used = ct_ts_mshr_used(s->mshr);
	*sent = 0;
	if (!chunks || !ct_ts_mshr_miss(s->mshr, line, chunks, sent) || !*sent)
		return 0;
	x->c.entries += ct_ts_mshr_used(s->mshr) - used;
	s->held[set] = (uint16_t)(s->held[set] + ct_ts_mshr_used(s->mshr) - used);
	uint32_t f = new_fetch(s, line, *sent);
	if (f == NONE)
		return -1;
	ct_l1_fetch(r, q->sm, line * x->shape.line, x->shape.chunk, *sent, f, cycle);
	x->c.fetched_bytes += ct_bits(*sent) * x->shape.chunk;
	x->c.data_packets += ct_ts_data_packets(ct_bits(*sent), x->shape.chunk, x->packet);
	return 0;
}

/* A load: waits for room where it needs any, else meets the tags. What the tags say is there but is
 * still on its way is pending. What is missing is fetched; who waits is answered by on_filled(). */
static enum ct_l1_outcome
lookup_load(struct ct_ts_parts *x, struct ct_replay *r, const struct ct_l1_request *q, uint64_t cycle,
            struct ct_l1_result *out)
{
	struct sm *s = &x->sm[q->sm];
	uint64_t line = q->address / x->shape.line;
	struct need n = {0};
	struct ct_ts_result res = {0};
	uint32_t sent = 0;
	look_up_line(x, s, q, line, &n);
	if (admit_request(x, r, s, q, line, &n, cycle, out) == CT_L1_RETRY)
		return CT_L1_RETRY;
	if (n.bypass) {
		res.miss = q->mask & ~n.cached;
		res.hit = q->mask & n.cached;
		x->c.bypassed++;
	} else if (ct_ts_l1_load(s->l1, line, q->mask, n.coarse, &res) < 0) {
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	}
	if (request_chunks(x, r, s, q, line, n.set, res.miss & ~n.pending, cycle, &sent) < 0)
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	if (x->system.fetch == CT_TS_CHOOSE && q->sm == 0 && x->role[n.set] != CT_TS_FOLLOWER &&
	    res.miss)
		ct_ts_mode_miss(
			&x->mode, n.coarse,
			sent ? 1 + ct_ts_data_packets(ct_bits(sent), x->shape.chunk, x->packet) : 0);
	out->hit = out->done = q->mask & n.cached & ~n.pending;
	out->pending = q->mask & n.pending;
	uint32_t miss = q->mask & ~out->hit & ~out->pending, left = q->mask & ~out->done;
	*(n.cached | n.pending ? &out->sector_miss : &out->line_miss) = miss;
	out->ready = cycle + extra_latency(x);
	x->stalls.pending += out->pending && !miss;
	x->c.evicted += res.evicted;
	x->c.collateral += res.collateral;
	count_load(x, s, q, out->hit, sent, &n);
	if (left && wait_for(s, q->token, line, left) < 0)
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	/* A wide line takes the port once more, and so does each further round of DSC's. */
	uint32_t rounds = x->shape.kind == CT_TS_DSC && res.replaced > 1 ? res.replaced - 1 : 0;
	rounds += x->shape.line > 128 && (q->mask & 0xf) && (q->mask & 0xf0);
	s->busy_until = cycle + 1 + rounds;
	return CT_L1_TAKEN;
}

/* A request at the end of the pipeline, if the port is free. Stores go through to the LLC when its
 * queue has room. */
static enum ct_l1_outcome on_lookup(void *ctx, struct ct_replay *r, const struct ct_l1_request *q,
                                    uint64_t cycle, struct ct_l1_result *out)
{
	struct ct_ts_parts *x = ctx;
	struct sm *s = &x->sm[q->sm];
	struct ct_ts_result res;
	uint64_t at;
	if (s->busy_until > cycle) {
		out->ready = s->busy_until;
		return CT_L1_RETRY;
	}
	if (!q->is_write)
		return lookup_load(x, r, q, cycle, out);
	if (queue_full(x, r, q->sm, cycle, &at))
		return at_once_free(out, cycle, at, &x->stalls.queue);
	ct_ts_l1_store(s->l1, q->address / x->shape.line, q->mask, &res);
	out->hit = res.hit;
	out->line_miss = q->mask & ~res.hit;
	out->forward = 1;
	x->c.stores_seen++;
	x->c.stores++;
	x->c.evicted += res.evicted;
	x->c.write_packets += ct_ts_data_packets(ct_bits(q->mask), x->shape.chunk, x->packet);
	return CT_L1_TAKEN;
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
	if (used != ct_ts_mshr_used(s->mshr))
		s->held[ct_ts_l1_set(s->l1, f.line)]--;
	while (*at != NONE) {
		struct waiter *w = &s->waiter[*at];
		uint32_t got = w->line == f.line ? w->left & f.chunks : 0, me = *at;
		uint64_t token = w->token;
		w->left &= ~got;
		if (got && !w->left) {
			*at = w->next;
			w->next = s->waiter_free;
			s->waiter_free = me;
		} else {
			at = &w->next;
		}
		if (got)
			ct_l1_answer(r, sm, token, got, cycle + extra_latency(x));
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
		.line = x->shape.line,
		.chunk = x->shape.chunk,
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
	ct_ts_mode_init(&x->mode, (uint32_t)p->v[CT_TS_THRESHOLD]);
	x->sm = ct_calloc(g->sms, sizeof *x->sm);
	int st = x->sm ? CT_OK : ct_fail_nomem(e);
	for (uint32_t i = 0; i < g->sms && st == CT_OK; i++)
		st = new_sm(x, &x->sm[i], e);
	if (st == CT_OK)
		st = resize_l1s(x, g->l1.size, e);
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

void ct_ts_parts_stalls(const struct ct_ts_parts *x, struct ct_ts_stalls *s)
{
	*s = x->stalls;
}

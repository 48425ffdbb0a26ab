#include "pass/private/deal.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/heap.h"
#include "base/hot.h"
#include "base/mem.h"
#include "base/threads.h"
#include "gpu/occupancy.h"
#include "replay/l1s.h"

enum {
	BATCH = 64, /* CTAs that end between two times that the views go on */
	QUEUE = 8,  /* batches that may wait for it: CTAs end in waves */
	STEP = 5 /* a CTA makes what it asks for within 2^5 cycles, some instruction's lines, before others have their turn */
};

/* A line at an L1. at: cycles since its CTA began. */
struct access {
	uint64_t line;
	uint32_t at;
	uint8_t sectors, whole, sent; /* sent: sectors that went on to the LLC in the replay */
	uint8_t is_store : 1, bypass : 1, wipe : 1;
};

/* What a CTA has done; cycles of the replay. */
struct log {
	struct access *a;
	size_t n, cap;
	uint64_t number; /* of the CTA in the launch */
	uint64_t begin;
	uint32_t length; /* cycles until its end */
	int there;       /* it has ended, and a view still needs it */
};

/* CTAs that have ended. */
struct batch {
	struct log *log;
	size_t n, cap;
	size_t dealt; /* accesses that no view needed any more once the views had gone on */
};

/* A CTA that has a place in a view. */
struct guest {
	uint64_t at;     /* of its next access, or of its end */
	uint64_t number; /* of the CTA */
	uint64_t begin;
	size_t next; /* access */
	uint32_t sm;
};

struct view {
	uint32_t sms;
	int off; /* in this launch */
	struct ct_l1s *l1s;
	uint64_t next; /* CTA */
	uint64_t now;
	struct guest *guest; /* a heap by time: the first is the next */
	uint32_t guests;
	size_t cap;      /* guests that there is memory for */
	uint32_t *room;  /* places of each SM */
	uint32_t places; /* free ones */
	uint32_t sm;     /* that the next CTA tries first */
};

struct ct_deal {
	struct ct_gpu g;
	ct_deal_out *out;
	void *ctx;
	struct view view[CT_DEAL_VIEWS];
	unsigned n;
	int views_on; /* in this launch */
	int direct;   /* too many accesses waited: what the replay sends on goes to the views as it is */
	int failed;

	/* what the replay fills */
	struct log *running; /* [sm * max_ctas + slot] */
	uint32_t *last;      /* of each SM: the slot that has made an access last */
	uint64_t begun;
	struct batch filling;
	size_t noted; /* accesses that, by the batch QUEUE before the last, some view was not through with */
	size_t most; /* of them, at most */

	/* what the views deal with, in this thread or another: a ring of what they still need */
	struct log *log;
	uint64_t first, cap; /* first: the oldest CTA that is kept; cap: a power of two */
	int over;            /* no CTA comes any more */
	int dealing_failed;

	/* of both: batches that wait or, the first of them, are being dealt (busy) */
	struct batch queue[QUEUE];
	unsigned head, count;
	int busy;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int synchronised;
	ct_deal_post *post; /* NULL: all is done in this thread */
	void *poster;
	unsigned threads; /* for views that go on to their end */
};

/* ---- making ---- */

static int init_view(struct ct_deal *d, struct view *v, uint32_t sms, struct ct_error *e)
{
	struct ct_gpu g = d->g;
	v->sms = g.sms = sms;
	v->room = ct_calloc(sms, sizeof *v->room);
	if (!v->room)
		return ct_fail_nomem(e);
	v->l1s = ct_l1s_new(&g, e);
	return v->l1s ? CT_OK : e->status;
}

static int init_deal(struct ct_deal *d, const struct ct_gpu *g, size_t most, struct ct_error *e)
{
	d->g = *g;
	d->most = most;
	d->running = ct_calloc((size_t)g->sms * g->max_ctas, sizeof *d->running);
	d->last = ct_calloc(g->sms, sizeof *d->last);
	if (!d->running || !d->last || ct_lock_init(&d->lock, &d->changed) < 0)
		return ct_fail_nomem(e);
	d->synchronised = 1;
	return CT_OK;
}

struct ct_deal *ct_deal_new(const struct ct_gpu *g, const uint32_t *sms, unsigned n, size_t most,
                            ct_deal_out *out, void *ctx, struct ct_error *e)
{
	struct ct_deal *d = ct_calloc(1, sizeof *d);
	int st = d ? init_deal(d, g, most, e) : ct_fail_nomem(e);
	for (; st == CT_OK && d->n < n; d->n++)
		st = init_view(d, &d->view[d->n], sms[d->n], e);
	if (st == CT_OK) {
		d->out = out;
		d->ctx = ctx;
		return d;
	}
	ct_deal_free(d);
	return NULL;
}

void ct_deal_share(struct ct_deal *d, unsigned threads, ct_deal_post *post, void *poster)
{
	d->threads = threads;
	d->post = post;
	d->poster = poster;
}

static void free_batch(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->log[i].a);
	free(b->log);
}

void ct_deal_free(struct ct_deal *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < CT_DEAL_VIEWS; i++) {
		ct_l1s_free(d->view[i].l1s);
		free(d->view[i].guest);
		free(d->view[i].room);
	}
	for (size_t i = 0; d->running && i < (size_t)d->g.sms * d->g.max_ctas; i++)
		free(d->running[i].a);
	for (uint64_t i = 0; i < d->cap; i++)
		free(d->log[i].a);
	free_batch(&d->filling);
	for (unsigned i = 0; i < QUEUE; i++)
		free_batch(&d->queue[i]);
	if (d->synchronised)
		ct_lock_free(&d->lock, &d->changed);
	free(d->log);
	free(d->running);
	free(d->last);
	free(d);
}

/* ---- dealing ---- */

static int comes_first(const void *ctx, const void *a, const void *b)
{
	const struct guest *x = a, *y = b;
	(void)ctx;
	return x->at != y->at ? x->at < y->at : x->number < y->number;
}

static struct log *log_of(const struct ct_deal *d, uint64_t number)
{
	return &d->log[number & (d->cap - 1)];
}

static uint64_t next_at(const struct log *l, const struct guest *g)
{
	return g->begin + (g->next < l->n ? l->a[g->next].at : l->length);
}

/* The next CTA of the launch takes a free place: SMs that have one take turns. */
static void let_in(struct ct_deal *d, struct view *v)
{
	const struct log *l = log_of(d, v->next);
	struct guest g = {.number = v->next++, .begin = v->now};
	while (!v->room[v->sm])
		v->sm = v->sm + 1 < v->sms ? v->sm + 1 : 0;
	g.sm = v->sm;
	v->room[v->sm]--;
	v->places--;
	v->sm = v->sm + 1 < v->sms ? v->sm + 1 : 0;
	g.at = next_at(l, &g);
	ct_heap_add(v->guest, v->guests++, sizeof g, &g, comes_first, NULL);
}

/* Sectors of a line of the L1 on their way: those of the LLC's lines that they lie in. */
static void send_on(const struct ct_deal *d, unsigned view, const struct access *a, uint32_t sectors)
{
	const struct ct_gpu *g = &d->g;
	if (g->l1.line == g->llc.line && g->l1.sector == g->llc.sector) {
		if (sectors)
			d->out(d->ctx, view, a->line, sectors, a->is_store);
		return;
	}
	uint64_t line = 0;
	uint32_t mask = 0;
	for (uint32_t left = sectors; left; left &= left - 1)
		for (uint32_t byte = 0; byte < g->l1.sector; byte += g->llc.sector) {
			uint64_t at = a->line * g->l1.line + ct_low_bit(left) * (uint64_t)g->l1.sector +
			              byte;
			if (mask && at / g->llc.line != line) {
				d->out(d->ctx, view, line, mask, a->is_store);
				mask = 0;
			}
			line = at / g->llc.line;
			mask |= 1u << at % g->llc.line / g->llc.sector;
		}
	if (mask)
		d->out(d->ctx, view, line, mask, a->is_store);
}

/* The CTA makes its accesses of one step. */
static void make_accesses(struct ct_deal *d, unsigned view, struct guest *g)
{
	struct view *v = &d->view[view];
	const struct log *l = log_of(d, g->number);
	const uint64_t step = g->at >> STEP;
	for (; g->next < l->n && g->at >> STEP == step; g->at = next_at(l, g)) {
		const struct access *a = &l->a[g->next++];
		struct ct_l1s_access in = {a->line, a->sectors, a->whole, a->is_store, a->bypass};
		if (a->wipe)
			ct_l1s_wipe(v->l1s, g->sm);
		else
			send_on(d, view, a, ct_l1s_access(v->l1s, g->sm, &in));
	}
}

/* The first CTA in time makes accesses, or goes where none is left. */
static void take_first(struct ct_deal *d, unsigned view)
{
	struct view *v = &d->view[view];
	struct guest g = v->guest[0];
	v->now = g.at;
	if (g.next < log_of(d, g.number)->n) {
		make_accesses(d, view, &g);
		ct_heap_sink(v->guest, 0, v->guests, sizeof g, &g, comes_first, NULL, 0);
		return;
	}
	v->room[g.sm]++;
	v->places++;
	v->sm = g.sm;
	ct_heap_take(v->guest, v->guests--, sizeof g, &g, comes_first, NULL);
}

static int is_there(const struct ct_deal *d, uint64_t number)
{
	return number - d->first < d->cap && log_of(d, number)->there;
}

/* Goes on with a view as far as what is known of the launch lets it: while it has a place free, the next CTA has to have
 * ended. */
static void go_on(struct ct_deal *d, unsigned view)
{
	struct view *v = &d->view[view];
	for (;;) {
		while (v->places && is_there(d, v->next))
			let_in(d, v);
		if ((v->places && !d->over) || !v->guests)
			return;
		take_first(d, view);
	}
}

/* The oldest CTA that a view has or waits for. */
static uint64_t oldest_needed(const struct ct_deal *d)
{
	uint64_t oldest = UINT64_MAX;
	for (unsigned i = 0; i < d->n; i++) {
		const struct view *v = &d->view[i];
		if (v->off)
			continue;
		oldest = v->next < oldest ? v->next : oldest;
		for (uint32_t k = 0; k < v->guests; k++)
			oldest = v->guest[k].number < oldest ? v->guest[k].number : oldest;
	}
	return oldest;
}

/* Forgets what no view needs any more; returns how many accesses that was. */
static size_t forget(struct ct_deal *d)
{
	size_t n = 0;
	for (uint64_t oldest = oldest_needed(d); d->first < oldest && is_there(d, d->first);
	     d->first++) {
		struct log *l = log_of(d, d->first);
		n += l->n;
		free(l->a);
		*l = (struct log){0};
	}
	return n;
}

/* Room for that CTA in the ring. */
static int make_room(struct ct_deal *d, uint64_t number)
{
	uint64_t cap = d->cap ? d->cap : 256;
	if (number - d->first < d->cap)
		return 0;
	while (number - d->first >= cap)
		cap *= 2;
	struct log *log = ct_calloc(cap, sizeof *log);
	if (!log)
		return -1;
	for (uint64_t i = 0; i < d->cap; i++)
		if (d->log[i].there)
			log[d->log[i].number & (cap - 1)] = d->log[i];
	free(d->log);
	d->log = log;
	d->cap = cap;
	return 0;
}

static void go_on_unless_off(void *ctx, size_t view)
{
	struct ct_deal *d = ctx;
	if (!d->view[view].off)
		go_on(d, (unsigned)view);
}

/* The views go on with the CTAs of the batch, each for itself. */
static void deal(struct ct_deal *d, struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (make_room(d, b->log[i].number) < 0) {
			d->dealing_failed = 1;
			free(b->log[i].a);
			continue;
		}
		*log_of(d, b->log[i].number) = b->log[i];
	}
	b->n = 0;
	if (!d->dealing_failed) /* at the launch's end the other threads have nothing else to do */
		ct_parallel_for(d->over ? d->threads : 1, d->n, go_on_unless_off, d);
	b->dealt = forget(d);
}

/* ---- who deals ---- */

/* Deals the first batch that waits, with the lock, which it gives back meanwhile. */
static void deal_first(struct ct_deal *d)
{
	d->busy = 1;
	pthread_mutex_unlock(&d->lock);
	deal(d, &d->queue[d->head]);
	pthread_mutex_lock(&d->lock);
	d->busy = 0;
	d->head = (d->head + 1) % QUEUE;
	d->count--;
	pthread_cond_broadcast(&d->changed);
}

/* Deals what waits, unless another thread does. */
static void deal_waiting(void *ctx)
{
	struct ct_deal *d = ctx;
	pthread_mutex_lock(&d->lock);
	while (d->count && !d->busy)
		deal_first(d);
	pthread_mutex_unlock(&d->lock);
}

/* Takes note of what the batch's dealing has brought. */
static void collect(struct ct_deal *d, struct batch *b)
{
	d->noted -= b->dealt;
	b->dealt = 0;
}

/* Waits until no more than `most` batches wait, and deals some of them where no other thread does. Called with the lock. */
static void wait_for(struct ct_deal *d, unsigned most)
{
	while (d->count > most)
		if (d->busy)
			pthread_cond_wait(&d->changed, &d->lock);
		else
			deal_first(d);
}

/* All batches are dealt. */
static void finish(struct ct_deal *d)
{
	pthread_mutex_lock(&d->lock);
	wait_for(d, 0);
	pthread_mutex_unlock(&d->lock);
	for (unsigned i = 0; i < QUEUE; i++)
		collect(d, &d->queue[i]);
	d->failed |= d->dealing_failed;
}

/* The batch that is full waits to be dealt. What the one QUEUE before it has brought is known then, whoever deals, so that when too
 * many accesses wait does not depend on that. */
static void hand_over(struct ct_deal *d)
{
	pthread_mutex_lock(&d->lock);
	wait_for(d, QUEUE - 1);
	struct batch *b = &d->queue[(d->head + d->count) % QUEUE], full = d->filling;
	collect(d, b);
	d->filling = *b;
	*b = full;
	d->count++;
	pthread_mutex_unlock(&d->lock);
	if (d->post)
		d->post(d->poster, deal_waiting, d);
	else
		deal_waiting(d);
}

/* ---- what the replay tells ---- */

/* An access of a CTA that has yet to be made, in the order of the replay. */
struct due {
	uint64_t at, number;
	const struct access *a;
};

static int by_time(const void *a, const void *b)
{
	const struct due *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->a < y->a ? -1 : x->a > y->a;
}

/* The first access of the CTA that the view has yet to make. */
static size_t first_due(const struct view *v, const struct log *l)
{
	if (l->number >= v->next)
		return 0;
	for (uint32_t i = 0; i < v->guests; i++)
		if (v->guest[i].number == l->number)
			return v->guest[i].next;
	return l->n;
}

static size_t add_due(struct due *due, size_t n, const struct view *v, const struct log *l)
{
	for (size_t i = first_due(v, l); i < l->n; i++)
		due[n++] = (struct due){l->begin + l->a[i].at, l->number, &l->a[i]};
	return n;
}

/* Makes what the view has yet to make in the order in which the replay did, and sends on what that sent. */
static int catch_up(struct ct_deal *d, unsigned view)
{
	struct view *v = &d->view[view];
	struct due *due = ct_calloc(d->noted + 1, sizeof *due);
	size_t n = 0;
	if (!due)
		return -1;
	for (uint64_t i = 0; i < d->cap; i++)
		if (d->log[i].there)
			n = add_due(due, n, v, &d->log[i]);
	for (size_t i = 0; i < d->filling.n; i++)
		n = add_due(due, n, v, &d->filling.log[i]);
	for (size_t i = 0; i < (size_t)d->g.sms * d->g.max_ctas; i++)
		n = add_due(due, n, v, &d->running[i]);
	qsort(due, n, sizeof *due, by_time);
	for (size_t i = 0; i < n; i++)
		send_on(d, view, due[i].a, due[i].a->sent);
	free(due);
	v->guests = 0;
	return 0;
}

/* Nothing of the launch is kept. */
static void drop_all(struct ct_deal *d)
{
	for (uint64_t i = 0; i < d->cap; i++) {
		free(d->log[i].a);
		d->log[i] = (struct log){0};
	}
	for (size_t i = 0; i < d->filling.n; i++)
		free(d->filling.log[i].a);
	for (size_t i = 0; i < (size_t)d->g.sms * d->g.max_ctas; i++)
		d->running[i].n = 0;
	d->filling.n = 0;
	d->noted = 0;
}

/* Too many accesses wait, since the CTAs of the launch are long: until it is over the views get what the replay sends on. */
static void give_up(struct ct_deal *d)
{
	finish(d);
	d->direct = 1;
	for (unsigned i = 0; i < d->n; i++)
		if (!d->view[i].off && catch_up(d, i) < 0)
			d->failed = 1;
	drop_all(d);
}

/* Cycles from the CTA's begin. */
static uint32_t since(const struct log *l, uint64_t cycle)
{
	uint64_t n = cycle > l->begin ? cycle - l->begin : 0;
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* The CTA is for the views from now on. */
static void cta_ends(struct ct_deal *d, struct log *l, uint64_t cycle)
{
	struct batch *b = &d->filling;
	uint32_t last = l->n ? l->a[l->n - 1].at : 0, length = since(l, cycle);
	l->length = length > last ? length : last;
	l->there = 1;
	if (ct_grow((void **)&b->log, &b->cap, b->n + 1, sizeof *b->log) < 0) {
		d->failed = 1;
		return;
	}
	b->log[b->n++] = *l;
	*l = (struct log){0};
	if (b->n >= BATCH)
		hand_over(d);
}

static struct log *running(const struct ct_deal *d, uint32_t sm, uint32_t slot)
{
	return &d->running[(size_t)sm * d->g.max_ctas + slot];
}

void ct_deal_cta(struct ct_deal *d, const struct ct_cta_event *ev)
{
	struct log *l = running(d, ev->sm, ev->cta_slot);
	if (d->direct || d->failed || !d->views_on)
		return;
	if (ev->ends) {
		cta_ends(d, l, ev->cycle);
		return;
	}
	d->last[ev->sm] = ev->cta_slot;
	l->n = 0;
	l->number = d->begun++;
	l->begin = ev->cycle;
}

/* Of the access, all but `at` is known. */
static CT_INLINE void note(struct ct_deal *d, struct log *l, const struct access *a, uint64_t cycle)
{
	if (l->n == l->cap && ct_grow((void **)&l->a, &l->cap, l->n + 1, sizeof *l->a) < 0) {
		d->failed = 1;
		return;
	}
	struct access *to = &l->a[l->n];
	const uint32_t at = since(l, cycle), last = l->n ? to[-1].at : 0;
	*to = *a;
	to->at = at > last ? at : last; /* banks of an L1 let their lines through one by one */
	l->n++;
	if (++d->noted > d->most)
		give_up(d);
}

void ct_deal_l1(struct ct_deal *d, const struct ct_l1_event *ev)
{
	const int is_store = ev->is_write && !ev->is_atomic, bypass = ev->bypass || ev->is_atomic;
	const struct access a = {
		.line = ev->line,
		.sectors = (uint8_t)ev->sectors,
		.whole = is_store ? ct_l1s_whole(&d->g, ev->bytes) : 0,
		.sent = (uint8_t)(is_store || bypass ? ev->sectors : ev->sector_miss | ev->line_miss),
		.is_store = is_store != 0,
		.bypass = bypass != 0};
	if (d->failed || !d->views_on)
		return;
	if (!d->direct) {
		d->last[ev->sm] = ev->cta_slot;
		note(d, running(d, ev->sm, ev->cta_slot), &a, ev->cycle);
		return;
	}
	for (unsigned i = 0; i < d->n; i++)
		if (!d->view[i].off)
			send_on(d, i, &a, a.sent);
}

void ct_deal_wipe(struct ct_deal *d, uint32_t sm)
{
	struct log *l = running(d, sm, d->last[sm]);
	if (!d->failed && d->views_on && !d->direct)
		note(d, l, &(struct access){.wipe = 1}, l->n ? l->begin + l->a[l->n - 1].at : l->begin);
}

/* ---- launches ---- */

static int begin_view(struct ct_deal *d, struct view *v, const struct ct_kernel *k, struct ct_error *e)
{
	struct ct_gpu g = d->g;
	struct ct_occupancy occ;
	g.sms = v->sms;
	int st = ct_occupancy(&g, k, &occ, e);
	if (st != CT_OK)
		return st;
	v->places = occ.ctas * v->sms;
	if (ct_grow((void **)&v->guest, &v->cap, v->places, sizeof *v->guest) < 0)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < v->sms; i++)
		v->room[i] = occ.ctas;
	v->guests = v->sm = 0;
	v->next = v->now = 0;
	ct_l1s_launch(v->l1s, occ.l1_sets, occ.l1_ways);
	return CT_OK;
}

int ct_deal_launch(struct ct_deal *d, const struct ct_kernel *k, unsigned skip, struct ct_error *e)
{
	int st = CT_OK;
	d->first = d->begun = 0;
	d->over = d->direct = d->views_on = 0;
	for (unsigned i = 0; i < d->n && st == CT_OK; i++) {
		d->view[i].off = skip >> i & 1;
		if (d->view[i].off)
			continue;
		d->views_on = 1;
		st = begin_view(d, &d->view[i], k, e);
	}
	return st;
}

void ct_deal_hurry(struct ct_deal *d)
{
	if (!d->failed && !d->direct && d->views_on)
		give_up(d);
}

int ct_deal_end(struct ct_deal *d, struct ct_error *e)
{
	finish(d);
	if (d->views_on && !d->direct && !d->failed) {
		d->over = 1;
		deal(d, &d->filling);
		d->filling.dealt = 0;
	}
	drop_all(d);
	return d->failed || d->dealing_failed ? ct_fail_nomem(e) : CT_OK;
}

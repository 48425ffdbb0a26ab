/* A grid on several threads, with the results of one.
 *
 * Threads run CTAs ahead of their turn, and CTAs are committed in launch order. What a thread may not
 * know ends the race (guard.h): what is not committed is undone, some CTAs run in order on one
 * thread, more of them each time that the next race is short, and then the threads try again. A fault
 * does the same, so that it is met in order. */
#include "ptx/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/threads.h"
#include "ptx/guard.h"
#include "ptx/waiting.h"

enum {
	THREADS_MAX = 64,
	AHEAD = 8,                /* CTAs of each thread, among them those that wait for earlier ones */
	CTAS_MAX = (1 << 30) - 2, /* as many as marks can number */
	STEPS_LEAST = 1 << 18,    /* a launch of fewer is over before threads have begun */
	PAYS = 4 /* a race is worth it that commits so many times what ran in order before */
};

/* A CTA that is not committed. */
struct seat {
	struct ct_ptx_claim claim;
	void *made;
	uint64_t steps;
	int ready;
};

struct team {
	const struct ct_ptx_launch *launch;
	struct ct_ptx_run **run; /* of each thread */
	unsigned threads;
	struct ct_ptx_guard guard;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	/* Under the lock: */
	uint64_t next, committed, end; /* CTAs handed out, committed, of the grid */
	uint64_t steps;                /* of the committed ones */
	struct seat *seat;             /* of CTA i: i modulo seats */
	size_t seats;
	int committing, stopped;
	int status;         /* the failure of a commit */
	struct ct_error *e; /* of the launch */
	struct ct_error
		own; /* texts that nobody reads: what a thread could not do is done again in order */
};

static void place(const struct ct_ptx_launch *l, struct ct_ptx_cta *cta, uint64_t i)
{
	cta->index = i;
	cta->id[0] = (uint32_t)(i % l->grid[0]);
	cta->id[1] = (uint32_t)(i / l->grid[0] % l->grid[1]);
	cta->id[2] = (uint32_t)(i / l->grid[0] / l->grid[1]);
}

static const struct ct_ptx_observer *observer_of(const struct ct_ptx_run *r)
{
	static const struct ct_ptx_observer none;
	return r->observer ? r->observer : &none;
}

int ct_ptx_begin_cta(struct ct_ptx_run *r, uint64_t i)
{
	const struct ct_ptx_observer *o = observer_of(r);
	place(r->launch, &r->cta, i);
	return o->cta_begin ? r->status = o->cta_begin(o->ctx, &r->cta, r->e) : CT_OK;
}

int ct_ptx_end_cta(struct ct_ptx_run *r, void **made)
{
	const struct ct_ptx_observer *o = observer_of(r);
	const struct ct_ptx_team *t = r->launch->team;
	*made = NULL;
	if (o->cta_end && (r->status = o->cta_end(o->ctx, &r->cta, r->e)) < 0)
		return r->status;
	if (t && t->take && (r->status = t->take(t->ctx, r->worker, &r->cta, made, r->e)) < 0)
		return r->status;
	return CT_OK;
}

/* Runs CTA i with its observer, and takes what that made: CT_OK, CT_PTX_WAITS, or negative after a fault or failure. */
static int run_one(struct ct_ptx_run *r, uint64_t i, void **made)
{
	*made = NULL;
	if (ct_ptx_begin_cta(r, i) < 0)
		return r->status;
	int rc = ct_ptx_run_cta(r);
	if (rc < 0)
		return r->status < 0 ? r->status : CT_ERR_INPUT;
	return rc > 0 ? rc : ct_ptx_end_cta(r, made);
}

int ct_ptx_commit_cta(const struct ct_ptx_launch *l, struct ct_ptx_cta *cta, uint64_t i, void *made,
                      struct ct_error *e)
{
	if (!l->team || !l->team->commit)
		return CT_OK;
	place(l, cta, i);
	return l->team->commit(l->team->ctx, cta, made, e);
}

struct ct_ptx_run *ct_ptx_another_run(const struct ct_ptx_run *first, unsigned worker,
                                      struct ct_error *e)
{
	const struct ct_ptx_team *l = first->launch->team;
	struct ct_ptx_run *r = ct_calloc(1, sizeof *r);
	if (!r)
		return NULL;
	*r = (struct ct_ptx_run){.launch = first->launch, .m = first->m, .f = first->f, .e = e};
	r->worker = worker;
	r->observer = l ? l->observer(l->ctx, worker) : first->launch->observer;
	if ((!l || r->observer) && ct_ptx_prepare(r) == CT_OK)
		return r;
	ct_ptx_drop_run(r);
	return NULL;
}

void ct_ptx_drop_run(struct ct_ptx_run *r)
{
	if (r)
		ct_ptx_clean(r);
	free(r);
}

/* ---- threads ---- */

static void stop(struct team *t)
{
	t->stopped = 1;
	atomic_store(&t->guard.stop, 1);
	pthread_cond_broadcast(&t->turn);
}

/* Commits the CTAs whose turn it is. One thread at a time; the lock is held, and given away meanwhile. */
static void commit_ready(struct team *t)
{
	struct ct_ptx_cta cta = t->run[0]->shape;
	struct seat *s;
	if (t->committing)
		return;
	t->committing = 1;
	while (t->committed < t->next && (s = &t->seat[t->committed % t->seats])->ready && !t->status) {
		uint64_t i = t->committed;
		if (s->steps > t->run[0]->max_steps - t->steps) {
			stop(t); /* the bound is in this one: it is found in order */
			break;
		}
		pthread_mutex_unlock(&t->lock);
		ct_ptx_claim_keep(&s->claim);
		int st = ct_ptx_commit_cta(t->launch, &cta, i, s->made, t->e);
		pthread_mutex_lock(&t->lock);
		s->made = NULL;
		s->ready = 0;
		t->status = st < 0 ? st : t->status;
		t->steps += s->steps;
		t->committed++;
		atomic_store_explicit(&t->guard.done, t->committed, memory_order_release);
		if (st < 0)
			stop(t);
		pthread_cond_broadcast(&t->turn);
	}
	t->committing = 0;
}

/* The next CTA for a thread: 1 with *i, 0 where there is none for it. The lock is held. */
static int next_cta(struct team *t, uint64_t *i)
{
	while (!t->stopped && t->next < t->end && t->next >= t->committed + t->seats)
		pthread_cond_wait(&t->turn, &t->lock);
	if (t->stopped || t->next >= t->end)
		return 0;
	*i = t->next++;
	return 1;
}

/* A worker: takes CTAs as long as there are any, and hands results on in the order of CTAs. */
static void work(void *ctx, size_t worker)
{
	struct team *t = ctx;
	struct ct_ptx_run *r = t->run[worker];
	struct ct_ptx_guarded guarded = {.all = &t->guard};
	struct ct_error unread;
	uint64_t i;
	pthread_mutex_lock(&t->lock);
	while (next_cta(t, &i)) {
		struct seat *s = &t->seat[i % t->seats];
		pthread_mutex_unlock(&t->lock);
		guarded.claim = &s->claim;
		guarded.number = (uint32_t)i + 1;
		r->guarded = &guarded;
		r->e = &unread;
		r->steps = 0;
		int st = run_one(r, i, &s->made);
		pthread_mutex_lock(&t->lock);
		s->steps = r->steps;
		s->ready = st == CT_OK;
		if (st != CT_OK) /* what waits is found again, and seen to, in order */
			stop(t);
		commit_ready(t);
	}
	pthread_mutex_unlock(&t->lock);
	r->guarded = NULL;
	r->e = t->e;
	r->status = 0;
	r->fault = (struct ct_ptx_fault){.kind = CT_PTX_NO_FAULT};
}

/* CTAs from `committed` on, on all threads, until the end or until they may not go on. */
static void race(struct team *t)
{
	t->next = t->committed;
	t->stopped = 0;
	atomic_store(&t->guard.stop, 0);
	atomic_store(&t->guard.done, t->committed);
	ct_parallel_for(t->threads, t->threads, work, t);
	for (uint64_t i = t->committed; i < t->next; i++) {
		struct seat *s = &t->seat[i % t->seats];
		ct_ptx_claim_undo(&s->claim);
		if (s->made && t->launch->team && t->launch->team->drop)
			t->launch->team->drop(t->launch->team->ctx, s->made);
		s->made = NULL;
		s->ready = 0;
	}
}

/* `n` CTAs in launch order, on the calling thread. */
static int in_order(struct team *t, uint64_t n)
{
	struct ct_ptx_run *r = t->run[0];
	int st = CT_OK;
	r->steps = t->steps;
	for (; n > 0 && t->committed < t->end && st == CT_OK; n--) {
		void *made;
		st = run_one(r, t->committed, &made);
		if (st > 0) {
			st = ct_ptx_go_on_resident(r, &t->steps);
			t->committed = t->end;
			return st;
		}
		if (st < 0) {
			st = r->status < 0 ? r->status : ct_ptx_report(r);
			break;
		}
		st = ct_ptx_commit_cta(t->launch, &r->cta, t->committed++, made, t->e);
	}
	t->steps = r->steps;
	return st;
}

/* Threads that the launch may use. */
static unsigned most_threads(const struct ct_ptx_launch *l, uint64_t ctas)
{
	unsigned n = ct_threads_resolve(l->threads);
	if (l->observer && !l->team)
		return 1;
	n = n > THREADS_MAX ? THREADS_MAX : n;
	return ctas > CTAS_MAX ? 1 : ctas < n ? (unsigned)ctas : n;
}

/* Prepares further threads, as far as there is memory for them. */
static void add_threads(struct team *t, unsigned most)
{
	const struct ct_ptx_run *first = t->run[0];
	t->seat = ct_calloc((size_t)most * AHEAD, sizeof *t->seat);
	if (!t->seat || ct_ptx_guard_init(&t->guard, first) < 0)
		return;
	for (; t->threads < most; t->threads++)
		if (!(t->run[t->threads] = ct_ptx_another_run(first, t->threads, &t->own)))
			return;
	t->seats = (size_t)t->threads * AHEAD;
}

/* The first CTA tells whether the launch is worth more threads. */
static int run_all(struct team *t)
{
	unsigned most = most_threads(t->launch, t->end);
	int st = in_order(t, most > 1 ? 1 : UINT64_MAX);
	if (st == CT_OK && t->committed < t->end && t->steps > STEPS_LEAST / t->end)
		add_threads(t, most);
	uint64_t slow = t->seats ? t->threads : UINT64_MAX; /* in order after a race that was lost */
	while (st == CT_OK && t->committed < t->end) {
		uint64_t from = t->committed;
		if (t->seats)
			race(t);
		if (t->status < 0)
			return t->status;
		if (t->committed == t->end || (t->seats && ct_ptx_guard_learn(&t->guard) == 0))
			continue;
		if (t->seats)
			slow = (t->committed - from) / PAYS >= slow ? t->threads
			       : slow > UINT64_MAX / 2              ? slow
			                                            : 2 * slow;
		st = in_order(t, slow);
	}
	return st;
}

int ct_ptx_run_team(struct ct_ptx_run *r, uint64_t *steps)
{
	const struct ct_ptx_launch *l = r->launch;
	struct ct_ptx_run *run[THREADS_MAX] = {r};
	struct team t = {.launch = l, .run = run, .threads = 1, .end = ct_ptx_ctas(l), .e = r->e};
	if (ct_lock_init(&t.lock, &t.turn) < 0)
		return ct_fail_nomem(r->e);
	int st = run_all(&t);
	*steps = t.steps;
	ct_lock_free(&t.lock, &t.turn);
	for (unsigned i = 1; i < t.threads; i++)
		ct_ptx_drop_run(run[i]);
	for (size_t i = 0; i < t.seats; i++)
		ct_ptx_claim_free(&t.seat[i].claim);
	free(t.seat);
	ct_ptx_guard_free(&t.guard);
	return st;
}

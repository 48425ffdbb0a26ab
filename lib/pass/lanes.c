#include "pass/private/lanes.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/threads.h"
#include "pass/private/progress.h"

/* What waits for a slower thread, of all its engines. So many messages always may. More may as long as their CTAs have few
 * instructions, each counted for every engine that it waits for (they take some 8 bytes each, once): then a launch of one
 * or two waves is handed out whole, and the engine of the caller, which replays most of it at its end, need not wait for
 * the others to have begun. */
enum { QUEUE = 192, QUEUE_MAX = 1 << 16, QUEUE_INSTS = 1 << 23 };

enum { SPARES = 2 /* kinds of work that may be posted */ };

enum message_kind { MSG_MEMCPY, MSG_BEGIN, MSG_CTA, MSG_MARK, MSG_END, MSG_STOP };

struct lane;

struct message {
	enum message_kind kind;
	struct lane *lane; /* whose engine it is for */
	const struct ct_kernel *kernel;
	struct ct_cta *cta;
	uint64_t insts; /* of the CTA */
	uint64_t address, bytes;
};

/* A thread that runs the engines of one or several lanes. */
struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct message *queue; /* a ring with room for cap */
	unsigned cap, head, count;
	uint64_t insts; /* warp instructions of the CTAs in it */
	int busy;
	struct spare {
		void (*work)(void *arg); /* NULL: nothing */
		void *arg;
	} spare[1 + SPARES]; /* for when the queue is empty; the first: others wait for it */
};

/* An engine, or what watches the CTAs. */
struct lane {
	struct ct_replay *engine; /* NULL: it watches */
	int (*watch)(void *watcher, struct ct_cta *cta, struct ct_error *e);
	void *watcher;
	struct ct_replay_counts counts; /* of the last launch */
	struct ct_lanes_mark *mark;     /* of the launch */
	size_t marks, cap_marks;
	struct ct_error error;
	int status;            /* first failure; later messages are dropped */
	struct worker *worker; /* NULL: it runs in the caller's thread */
};

struct ct_lanes {
	unsigned n;
	struct lane *lane;
	struct lane watch; /* without a call: nobody watches */
	struct worker *worker;
	unsigned n_workers;
};

static int note_mark(struct lane *l)
{
	if (ct_grow((void **)&l->mark, &l->cap_marks, l->marks + 1, sizeof *l->mark) < 0)
		return ct_fail_nomem(&l->error);
	l->mark[l->marks].cycle = ct_replay_placed(l->engine);
	ct_replay_total(l->engine, &l->mark[l->marks].c);
	l->marks++;
	return CT_OK;
}

/* Hands a message to the lane's engine, or a CTA to what watches. After an error the lane only gives CTAs back, so that
 * the others can go on. */
static void handle_message(const struct message *m)
{
	struct lane *l = m->lane;
	int st = CT_OK;
	if (l->status == CT_OK && !l->engine) {
		st = l->watch(l->watcher, m->cta, &l->error);
	} else if (l->status == CT_OK) {
		switch (m->kind) {
		case MSG_MEMCPY: ct_replay_memcpy(l->engine, m->address, m->bytes); break;
		case MSG_BEGIN:
			l->marks = 0;
			st = ct_replay_kernel_begin(l->engine, m->kernel, &l->error);
			break;
		case MSG_CTA: st = ct_replay_push_cta(l->engine, m->cta, &l->error); break;
		case MSG_MARK: st = note_mark(l); break;
		case MSG_END: st = ct_replay_kernel_end(l->engine, &l->counts, &l->error); break;
		case MSG_STOP: break;
		}
	}
	if (st < 0)
		l->status = st;
	if (m->kind == MSG_CTA)
		ct_cta_unref(m->cta);
}

/* The first work that was posted, or NULL. */
static struct spare *first_spare(struct worker *w)
{
	for (unsigned i = 0; i < 1 + SPARES; i++)
		if (w->spare[i].work)
			return &w->spare[i];
	return NULL;
}

/* Does what was posted; called with the lock, returns without. */
static void run_spare(struct worker *w)
{
	struct spare *first = first_spare(w), s = *first;
	first->work = NULL;
	pthread_mutex_unlock(&w->lock);
	s.work(s.arg);
}

/* Handles what waits in the queue until it is told to stop. `busy` keeps those who wait for an idle thread waiting while
 * a message is out of the queue and not yet done. */
static void *worker_main(void *arg)
{
	struct worker *w = arg;
	for (;;) {
		pthread_mutex_lock(&w->lock);
		while (w->count == 0 && !first_spare(w))
			pthread_cond_wait(&w->changed, &w->lock);
		if (w->count == 0) {
			run_spare(w);
			continue;
		}
		struct message m = w->queue[w->head];
		w->head = (w->head + 1) % w->cap;
		w->count--;
		w->insts -= m.insts;
		w->busy = 1;
		pthread_cond_broadcast(&w->changed);
		pthread_mutex_unlock(&w->lock);

		if (m.kind == MSG_STOP)
			return NULL;
		handle_message(&m);

		pthread_mutex_lock(&w->lock);
		w->busy = 0;
		pthread_cond_broadcast(&w->changed);
		pthread_mutex_unlock(&w->lock);
	}
}

/* Twice as much room for messages; without memory for it there are no more. */
static void grow_queue(struct worker *w)
{
	struct message *q = ct_calloc(2 * (size_t)w->cap, sizeof *q);
	if (!q)
		return;
	for (unsigned i = 0; i < w->count; i++)
		q[i] = w->queue[(w->head + i) % w->cap];
	free(w->queue);
	w->queue = q;
	w->head = 0;
	w->cap *= 2;
}

/* Called with the lock. */
static int has_room(struct worker *w)
{
	if (w->count == w->cap && w->cap < QUEUE_MAX && w->insts < QUEUE_INSTS)
		grow_queue(w);
	return w->count < w->cap && (w->count < QUEUE || w->insts < QUEUE_INSTS);
}

static void put_message(struct worker *w, const struct message *m)
{
	pthread_mutex_lock(&w->lock);
	while (!has_room(w))
		pthread_cond_wait(&w->changed, &w->lock);
	w->queue[(w->head + w->count++) % w->cap] = *m;
	w->insts += m->insts;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void send_message(struct lane *l, const struct message *m)
{
	struct message own = *m;
	own.lane = l;
	if (l->worker)
		put_message(l->worker, &own);
	else
		handle_message(&own);
}

static void wait_idle(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->count > 0 || w->busy)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

static int start_worker(struct worker *w)
{
	w->cap = QUEUE;
	w->queue = ct_calloc(w->cap, sizeof *w->queue);
	if (w->queue && ct_lock_init(&w->lock, &w->changed) == 0) {
		if (pthread_create(&w->thread, NULL, worker_main, w) == 0)
			return 0;
		ct_lock_free(&w->lock, &w->changed);
	}
	free(w->queue);
	return -1;
}

/* Starts up to n threads; where one cannot be started there are fewer. */
static void start_workers(struct ct_lanes *l, unsigned n)
{
	l->worker = n ? ct_calloc(n, sizeof *l->worker) : NULL;
	for (unsigned i = 0; l->worker && i < n; i++) {
		if (start_worker(&l->worker[i]) < 0)
			return;
		l->n_workers++;
	}
}

static void stop_workers(struct ct_lanes *l)
{
	const struct message stop = {.kind = MSG_STOP};
	for (unsigned i = 0; i < l->n_workers; i++) {
		struct worker *w = &l->worker[i];
		put_message(w, &stop);
		pthread_join(w->thread, NULL);
		ct_lock_free(&w->lock, &w->changed);
		free(w->queue);
	}
	free(l->worker);
}

/* First failure in engine order; only meaningful when the engines are idle or the
 * lane runs in this thread. */
static int status_of(struct lane *l, struct ct_error *e)
{
	if (l->status < 0 && e)
		*e = l->error;
	return l->status;
}

int ct_lanes_new(struct ct_lanes **out, struct ct_replay *const *engine, unsigned n, unsigned threads,
                 struct ct_error *e)
{
	struct ct_lanes *l = calloc(1, sizeof *l);
	*out = NULL;
	if (l)
		l->lane = ct_calloc(n, sizeof *l->lane);
	if (!l || !l->lane) {
		free(l);
		for (unsigned i = 0; i < n; i++)
			ct_replay_free(engine[i]);
		return ct_fail_nomem(e);
	}
	l->n = n;
	start_workers(l, threads < n ? (threads ? threads - 1 : 0) : n - 1);
	for (unsigned i = 0; i < n; i++) {
		l->lane[i].engine = engine[i];
		if (i > 0 && l->n_workers)
			l->lane[i].worker = &l->worker[(i - 1) % l->n_workers];
	}
	*out = l;
	return CT_OK;
}

/* Posts to the first of these spares that is free or has the same work, or else to the last. */
static void post_spare(struct worker *w, unsigned i, unsigned last, void (*work)(void *arg), void *arg)
{
	pthread_mutex_lock(&w->lock);
	while (i < last && w->spare[i].work && w->spare[i].work != work)
		i++;
	w->spare[i] = (struct spare){work, arg};
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

/* For the replay (ct_replay_post): before all other work that is posted. */
static void post_help(void *lanes, unsigned helper, void (*work)(void *arg), void *arg)
{
	struct ct_lanes *l = lanes;
	post_spare(&l->worker[helper], 0, 0, work, arg);
}

int ct_lanes_help(struct ct_lanes *l, unsigned threads, struct ct_error *e)
{
	if (!l->n_workers)
		start_workers(l, threads);
	return l->n == 1 && l->n_workers
	               ? ct_replay_share(l->lane[0].engine, l->n_workers, post_help, l, e)
	               : CT_OK;
}

void ct_lanes_watch(struct ct_lanes *l,
                    int (*cta)(void *watcher, struct ct_cta *cta, struct ct_error *e), void *watcher)
{
	l->watch = (struct lane){.watch = cta,
	                         .watcher = watcher,
	                         .worker = l->n_workers ? &l->worker[l->n_workers - 1] : NULL};
}

/* Sends to every lane; fails with what lanes in this thread say at once,
 * with what the others say at the kernel's end. */
static int send_to_all(struct ct_lanes *l, const struct message *m, struct ct_error *e)
{
	int st = CT_OK;
	for (unsigned i = l->n; i-- > 0;) {
		if (m->kind == MSG_CTA)
			ct_cta_ref(m->cta);
		send_message(&l->lane[i], m);
		if (!l->lane[i].worker && status_of(&l->lane[i], e) < 0)
			st = l->lane[i].status;
	}
	return st;
}

void ct_lanes_memcpy(struct ct_lanes *l, uint64_t address, uint64_t bytes)
{
	struct message m = {.kind = MSG_MEMCPY, .address = address, .bytes = bytes};
	(void)send_to_all(l, &m, NULL);
}

int ct_lanes_kernel_begin(struct ct_lanes *l, const struct ct_kernel *k, struct ct_error *e)
{
	struct message m = {.kind = MSG_BEGIN, .kernel = k};
	return send_to_all(l, &m, e);
}

static uint64_t insts_of(const struct ct_cta *cta)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++)
		n += ct_cta_warp(cta, i)->insts;
	return n;
}

int ct_lanes_push_cta(struct ct_lanes *l, struct ct_cta *cta, struct ct_error *e)
{
	struct message m = {.kind = MSG_CTA, .cta = cta, .insts = insts_of(cta)};
	if (l->watch.watch) {
		ct_cta_ref(cta);
		send_message(&l->watch, &m);
	}
	return send_to_all(l, &m, e);
}

int ct_lanes_mark(struct ct_lanes *l, struct ct_error *e)
{
	struct message m = {.kind = MSG_MARK};
	return send_to_all(l, &m, e);
}

void ct_lanes_post(void *lanes, void (*work)(void *arg), void *arg)
{
	struct ct_lanes *l = lanes;
	if (l->n_workers)
		post_spare(&l->worker[l->n_workers - 1], 1, SPARES, work, arg);
}

const struct ct_lanes_mark *ct_lanes_marks(const struct ct_lanes *l, unsigned i, size_t *n)
{
	*n = l->lane[i].marks;
	return l->lane[i].mark;
}

int ct_lanes_push_launch(struct ct_lanes *l, struct ct_trace *trace,
                         const struct ct_pass_settings *settings, struct ct_cta **held,
                         struct ct_error *e)
{
	struct ct_cta *cta;
	int st;
	*held = NULL;
	while ((st = ct_trace_next_cta(trace, &cta, e)) > 0) {
		st = ct_lanes_push_cta(l, cta, e);
		ct_pass_advance(settings, trace);
		if (*held)
			ct_cta_unref(cta);
		else
			*held = cta;
		if (st != CT_OK)
			break;
	}
	return st;
}

int ct_lanes_kernel_end(struct ct_lanes *l, struct ct_replay_counts *counts, struct ct_error *e)
{
	struct message m = {.kind = MSG_END};
	(void)send_to_all(l, &m, NULL);
	for (unsigned i = 0; i < l->n_workers; i++)
		wait_idle(&l->worker[i]);
	for (unsigned i = 0; i < l->n; i++) {
		if (status_of(&l->lane[i], e) < 0)
			return l->lane[i].status;
		counts[i] = l->lane[i].counts;
	}
	return status_of(&l->watch, e);
}

void ct_lanes_free(struct ct_lanes *l)
{
	if (!l)
		return;
	stop_workers(l);
	for (unsigned i = 0; i < l->n; i++) {
		ct_replay_free(l->lane[i].engine);
		free(l->lane[i].mark);
	}
	free(l->lane);
	free(l);
}

#include "pass/private/lanes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/private/progress.h"

/* CTAs waiting for a slower engine; bounds memory and is plenty to keep it busy. */
enum { QUEUE = 64 };

enum message_kind { MSG_MEMCPY, MSG_BEGIN, MSG_CTA, MSG_END, MSG_STOP };

struct message {
	enum message_kind kind;
	const struct ct_kernel *kernel;
	struct ct_cta *cta;
	uint64_t address, bytes;
};

struct lane {
	struct ct_replay *engine;
	struct ct_replay_counts counts; /* of the last launch */
	struct ct_error error;
	int status; /* first failure; later messages are dropped */

	int threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct message queue[QUEUE];
	unsigned head, count;
	int busy;
};

struct ct_lanes {
	unsigned n;
	unsigned skip; /* lanes that the launch under way leaves out, a bit each */
	struct lane *lane;
};

/* Hands a message to the lane's engine. After an error the lane only gives CTAs back, so that the others
 * can go on. */
static void handle_message(struct lane *l, const struct message *m)
{
	int st = CT_OK;
	if (l->status == CT_OK) {
		switch (m->kind) {
		case MSG_MEMCPY: ct_replay_memcpy(l->engine, m->address, m->bytes); break;
		case MSG_BEGIN: st = ct_replay_kernel_begin(l->engine, m->kernel, &l->error); break;
		case MSG_CTA: st = ct_replay_push_cta(l->engine, m->cta, &l->error); break;
		case MSG_END: st = ct_replay_kernel_end(l->engine, &l->counts, &l->error); break;
		case MSG_STOP: break;
		}
	}
	if (st < 0)
		l->status = st;
	if (m->kind == MSG_CTA)
		ct_cta_unref(m->cta);
}

/* The thread of a lane: handles what waits in its queue until it is told to stop. `busy` keeps those who wait for an
 * idle lane waiting while a message is out of the queue and not yet done. */
static void *lane_main(void *arg)
{
	struct lane *l = arg;
	for (;;) {
		pthread_mutex_lock(&l->lock);
		while (l->count == 0)
			pthread_cond_wait(&l->changed, &l->lock);
		struct message m = l->queue[l->head];
		l->head = (l->head + 1) % QUEUE;
		l->count--;
		l->busy = 1;
		pthread_cond_broadcast(&l->changed);
		pthread_mutex_unlock(&l->lock);

		handle_message(l, &m);

		pthread_mutex_lock(&l->lock);
		l->busy = 0;
		pthread_cond_broadcast(&l->changed);
		pthread_mutex_unlock(&l->lock);
		if (m.kind == MSG_STOP)
			return NULL;
	}
}

static void send_message(struct lane *l, const struct message *m)
{
	if (!l->threaded) {
		handle_message(l, m);
		return;
	}
	pthread_mutex_lock(&l->lock);
	while (l->count == QUEUE)
		pthread_cond_wait(&l->changed, &l->lock);
	l->queue[(l->head + l->count++) % QUEUE] = *m;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

static void wait_idle(struct lane *l)
{
	if (!l->threaded)
		return;
	pthread_mutex_lock(&l->lock);
	while (l->count > 0 || l->busy)
		pthread_cond_wait(&l->changed, &l->lock);
	pthread_mutex_unlock(&l->lock);
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
	for (unsigned i = 0; i < n; i++) {
		struct lane *a = &l->lane[i];
		a->engine = engine[i];
		if (i == 0 || i >= threads)
			continue;
		/* Without a thread the lane simply runs in the caller's. */
		if (pthread_mutex_init(&a->lock, NULL) != 0)
			continue;
		if (pthread_cond_init(&a->changed, NULL) != 0) {
			pthread_mutex_destroy(&a->lock);
			continue;
		}
		a->threaded = pthread_create(&a->thread, NULL, lane_main, a) == 0;
		if (!a->threaded) {
			pthread_cond_destroy(&a->changed);
			pthread_mutex_destroy(&a->lock);
		}
	}
	*out = l;
	return CT_OK;
}

/* Whether a lane has no part in this launch; those that the mask cannot name always have. */
static int is_skipped(const struct ct_lanes *l, unsigned i)
{
	return i < 8 * sizeof l->skip && (l->skip >> i & 1);
}

/* Sends to every lane of the launch; fails with what lanes in this thread say at once,
 * with what the others say at the kernel's end. */
static int send_to_all(struct ct_lanes *l, const struct message *m, struct ct_error *e)
{
	int st = CT_OK;
	for (unsigned i = l->n; i-- > 0;) {
		if (is_skipped(l, i))
			continue;
		if (m->kind == MSG_CTA)
			ct_cta_ref(m->cta);
		send_message(&l->lane[i], m);
		if (!l->lane[i].threaded && status_of(&l->lane[i], e) < 0)
			st = l->lane[i].status;
	}
	return st;
}

void ct_lanes_memcpy(struct ct_lanes *l, uint64_t address, uint64_t bytes)
{
	struct message m = {.kind = MSG_MEMCPY, .address = address, .bytes = bytes};
	l->skip = 0;
	(void)send_to_all(l, &m, NULL);
}

int ct_lanes_kernel_begin(struct ct_lanes *l, const struct ct_kernel *k, unsigned skip,
                          struct ct_error *e)
{
	struct message m = {.kind = MSG_BEGIN, .kernel = k};
	l->skip = skip;
	return send_to_all(l, &m, e);
}

int ct_lanes_push_cta(struct ct_lanes *l, struct ct_cta *cta, struct ct_error *e)
{
	struct message m = {.kind = MSG_CTA, .cta = cta};
	return send_to_all(l, &m, e);
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
	for (unsigned i = 0; i < l->n; i++)
		wait_idle(&l->lane[i]);
	for (unsigned i = 0; i < l->n; i++) {
		if (status_of(&l->lane[i], e) < 0)
			return l->lane[i].status;
		if (is_skipped(l, i))
			memset(&counts[i], 0, sizeof counts[i]);
		else
			counts[i] = l->lane[i].counts;
	}
	return CT_OK;
}

void ct_lanes_free(struct ct_lanes *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < l->n; i++) {
		struct lane *a = &l->lane[i];
		if (a->threaded) {
			struct message stop = {.kind = MSG_STOP};
			send_message(a, &stop);
			pthread_join(a->thread, NULL);
			pthread_cond_destroy(&a->changed);
			pthread_mutex_destroy(&a->lock);
		}
		ct_replay_free(a->engine);
	}
	free(l->lane);
	free(l);
}

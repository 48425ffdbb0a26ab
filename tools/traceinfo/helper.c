#include "traceinfo/helper.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/threads.h"

enum { QUEUE = 16 };

struct helper {
	struct census *census;
	int threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct ct_cta *queue[QUEUE];
	unsigned head, count; /* count includes the one being worked on */
	int stop;
	int status; /* first failure; later CTAs are dropped */
	struct ct_error error;
};

static void *help_work(void *arg)
{
	struct helper *h = arg;
	struct ct_error err;
	pthread_mutex_lock(&h->lock);
	for (;;) {
		while (h->count == 0 && !h->stop)
			pthread_cond_wait(&h->changed, &h->lock);
		if (h->count == 0)
			break;
		struct ct_cta *cta = h->queue[h->head];
		int skip = h->status < 0;
		pthread_mutex_unlock(&h->lock);
		int st = skip ? CT_OK : census_cta(h->census, cta, &err);
		ct_cta_unref(cta);
		pthread_mutex_lock(&h->lock);
		if (st < 0) {
			h->status = st;
			h->error = err;
		}
		h->head = (h->head + 1) % QUEUE;
		h->count--;
		pthread_cond_broadcast(&h->changed);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

struct helper *helper_new(struct census *c, int threaded)
{
	struct helper *h = calloc(1, sizeof *h);
	if (!h || ct_lock_init(&h->lock, &h->changed) < 0) {
		free(h);
		return NULL;
	}
	h->census = c;
	h->threaded = threaded && pthread_create(&h->thread, NULL, help_work, h) == 0;
	return h;
}

static int join_result(const struct helper *h, struct ct_error *e)
{
	if (h->status < 0)
		*e = h->error;
	return h->status;
}

int helper_push(struct helper *h, struct ct_cta *cta, struct ct_error *e)
{
	if (!h->threaded) {
		int st = census_cta(h->census, cta, e);
		ct_cta_unref(cta);
		return st;
	}
	pthread_mutex_lock(&h->lock);
	while (h->count == QUEUE)
		pthread_cond_wait(&h->changed, &h->lock);
	h->queue[(h->head + h->count++) % QUEUE] = cta;
	pthread_cond_broadcast(&h->changed);
	int st = join_result(h, e);
	pthread_mutex_unlock(&h->lock);
	return st;
}

int helper_wait(struct helper *h, struct ct_error *e)
{
	pthread_mutex_lock(&h->lock);
	while (h->count > 0)
		pthread_cond_wait(&h->changed, &h->lock);
	int st = join_result(h, e);
	pthread_mutex_unlock(&h->lock);
	return st;
}

void helper_free(struct helper *h)
{
	if (!h)
		return;
	if (h->threaded) {
		pthread_mutex_lock(&h->lock);
		h->stop = 1;
		pthread_cond_broadcast(&h->changed);
		pthread_mutex_unlock(&h->lock);
		pthread_join(h->thread, NULL);
	}
	ct_lock_free(&h->lock, &h->changed);
	free(h);
}

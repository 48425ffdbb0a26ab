#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

unsigned ct_threads_resolve(unsigned asked)
{
	if (asked == 0) {
		long n = sysconf(_SC_NPROCESSORS_ONLN);
		asked = n > 0 ? (unsigned)n : 1;
	}
	return asked > MAX_THREADS ? MAX_THREADS : asked;
}

struct team {
	atomic_size_t next;
	size_t n;
	void (*fn)(void *, size_t);
	void *ctx;
};

static void *work_off(void *arg)
{
	struct team *t = arg;
	for (;;) {
		size_t i = atomic_fetch_add(&t->next, 1);
		if (i >= t->n)
			return NULL;
		t->fn(t->ctx, i);
	}
}

int ct_lock_init(pthread_mutex_t *lock, pthread_cond_t *changed)
{
	if (pthread_mutex_init(lock, NULL))
		return -1;
	if (!pthread_cond_init(changed, NULL))
		return 0;
	pthread_mutex_destroy(lock);
	return -1;
}

void ct_lock_free(pthread_mutex_t *lock, pthread_cond_t *changed)
{
	pthread_cond_destroy(changed);
	pthread_mutex_destroy(lock);
}

void ct_parallel_for(unsigned threads, size_t n, void (*fn)(void *ctx, size_t i), void *ctx)
{
	struct team t = {.n = n, .fn = fn, .ctx = ctx};
	pthread_t id[MAX_THREADS];
	unsigned started = 0;
	atomic_init(&t.next, 0);
	if (threads > MAX_THREADS)
		threads = MAX_THREADS;
	while (started + 1 < threads && started + 1 < n &&
	       pthread_create(&id[started], NULL, work_off, &t) == 0)
		started++;
	work_off(&t);
	while (started > 0)
		pthread_join(id[--started], NULL);
}

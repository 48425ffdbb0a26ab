/* The fast engine on two threads: the caller's walks the map (stages one to three), the
 * other counts in the window (stage four), a few chunks behind. Map and window are two
 * halves of the state that need each other only at compaction, when the pipeline is
 * drained; so results are those of one thread. */
#include <pthread.h>
#include <stdlib.h>

#include "base/threads.h"
#include "locality/fast.h"
#include "locality/stack_pipe.h"

enum { CHUNKS = 16 };

struct chunk {
	uint32_t told[CT_FAST_CHUNK];
	uint64_t *distance;
	size_t n;
};

struct pipe {
	struct ct_fast *f;
	struct chunk *ring;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t put, done; /* chunks handed over, and counted */
	int closed;
};

/* The second thread: turns the times that the first one found into distances, chunk by chunk. */
static void *count_all(void *arg)
{
	struct pipe *p = arg;
	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (p->done == p->put && !p->closed)
			pthread_cond_wait(&p->moved, &p->lock);
		if (p->done == p->put)
			break;
		struct chunk *c = &p->ring[p->done % CHUNKS];
		pthread_mutex_unlock(&p->lock);
		p->f->kernel->count(p->f, c->told, c->n, c->distance);
		pthread_mutex_lock(&p->lock);
		p->done++;
		pthread_cond_broadcast(&p->moved);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Waits until at most `left` chunks are under way. */
static void wait_for(struct pipe *p, uint64_t left)
{
	pthread_mutex_lock(&p->lock);
	while (p->put - p->done > left)
		pthread_cond_wait(&p->moved, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static void put_chunk(struct pipe *p)
{
	pthread_mutex_lock(&p->lock);
	p->put++;
	pthread_cond_broadcast(&p->moved);
	pthread_mutex_unlock(&p->lock);
}

/* Feeds the pipeline; returns how many of the n accesses were done (fewer when out of
 * memory). */
static size_t feed_chunks(struct pipe *p, const uint64_t *line, size_t n, uint64_t *distance)
{
	struct ct_fast *f = p->f;
	uint64_t next = 0, lines = 0; /* slot of the next access; lines at the last drain */
	size_t i = 0;
	int fresh = 1;
	while (i < n && !f->base.failed) {
		if (fresh || next >= f->end || (!f->is_sparse && ct_fast_too_sparse(f, lines))) {
			wait_for(p, 0);
			if (ct_fast_prepare(f, n - i) == 0)
				break;
			next = f->window.now;
			lines = f->lines;
			fresh = 0;
		}
		wait_for(p, CHUNKS - 1);
		struct chunk *c = &p->ring[p->put % CHUNKS];
		uint64_t room = f->end - next;
		c->n = n - i < CT_FAST_CHUNK ? n - i : CT_FAST_CHUNK;
		c->n = c->n < room ? c->n : (size_t)room;
		c->distance = distance + i;
		f->kernel->map(f, line + i, c->n, (uint32_t)next, c->told);
		next += c->n;
		i += c->n;
		put_chunk(p);
	}
	wait_for(p, 0);
	return i;
}

size_t ct_stack_pipe(struct ct_fast *f, const uint64_t *line, size_t n, uint64_t *distance)
{
	struct pipe p = {.f = f};
	pthread_t counter;
	size_t done = 0;
	p.ring = malloc(CHUNKS * sizeof *p.ring);
	if (p.ring && ct_lock_init(&p.lock, &p.moved) == 0) {
		if (pthread_create(&counter, NULL, count_all, &p) == 0) {
			done = feed_chunks(&p, line, n, distance);
			pthread_mutex_lock(&p.lock);
			p.closed = 1;
			pthread_cond_broadcast(&p.moved);
			pthread_mutex_unlock(&p.lock);
			pthread_join(counter, NULL);
		}
		ct_lock_free(&p.lock, &p.moved);
	}
	free(p.ring);
	return done;
}

/* One stream cut into chunks that threads analyse at once (Niu et al., PARDA, IPDPS 2012).
 *
 * A stack of its own gives a chunk the distances of all accesses but the first to each
 * line. Those are made good on the stream's stack, one chunk after the other: touched
 * there in order, a line finds above it what came after it in earlier chunks and, once
 * each, the lines that its chunk touched before it, which is its distance. Then the
 * chunk's lines are touched again in the order of their last touch, which leaves the
 * stack as the chunk would have. Nothing depends on which thread did what, or when. */
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/threads.h"
#include "locality/fast.h"
#include "locality/pages.h"

enum { PIECE = 512 };

struct chunks {
	struct ct_fast *f;
	struct ct_stack_options own; /* of the chunks' stacks */
	const uint64_t *line;
	uint64_t *distance;
	size_t n, chunk;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	size_t merged;           /* chunks that the stream's stack has seen */
	struct ct_stack **spare; /* emptied stacks, at most one per thread */
	size_t spares;
};

static struct ct_stack *take_stack(struct chunks *c)
{
	struct ct_stack *s = NULL;
	pthread_mutex_lock(&c->lock);
	if (c->spares > 0)
		s = c->spare[--c->spares];
	pthread_mutex_unlock(&c->lock);
	return s ? s : ct_stack_fast_new(&c->own);
}

static void give_back(struct chunks *c, struct ct_stack *s)
{
	s->ops->flush(s);
	pthread_mutex_lock(&c->lock);
	c->spare[c->spares++] = s;
	pthread_mutex_unlock(&c->lock);
}

/* Distances within the chunk; *order gets its lines, the one touched last at the end.
 * Their number, or SIZE_MAX when out of memory: the chunk is then done on its turn. */
static size_t run_alone(struct chunks *c, const uint64_t *line, size_t n, uint64_t *distance,
                        uint64_t **order)
{
	struct ct_stack *s = take_stack(c);
	size_t lines = SIZE_MAX;
	*order = NULL;
	if (!s)
		return SIZE_MAX;
	s->ops->batch(s, line, n, distance);
	uint64_t known = s->ops->lines(s);
	if (!s->failed && (*order = ct_pages_alloc(known * sizeof **order, 0)) != NULL &&
	    ct_fast_order((struct ct_fast *)(void *)s, *order) == 0)
		lines = known;
	give_back(c, s);
	return lines;
}

/* First touches, PIECE at a time. */
static void make_good(struct chunks *c, const uint64_t *line, size_t n, uint64_t *distance)
{
	uint64_t first[PIECE], found[PIECE], depth = c->f->depth;
	size_t at[PIECE];
	for (size_t i = 0; i < n;) {
		size_t m = 0;
		for (; i < n && m < PIECE; i++) {
			at[m] = i;
			first[m] = line[i];
			m += distance[i] == CT_COLD;
			distance[i] = distance[i] < depth || distance[i] == CT_COLD ? distance[i]
			                                                            : depth;
		}
		c->f->base.ops->batch(&c->f->base, first, m, found);
		for (size_t k = 0; k < m; k++)
			distance[at[k]] = found[k];
	}
}

static void reorder_lines(struct chunks *c, const uint64_t *order, size_t lines)
{
	uint64_t skip[PIECE];
	for (size_t i = 0, m; i < lines; i += m) {
		m = lines - i < PIECE ? lines - i : PIECE;
		c->f->base.ops->batch(&c->f->base, order + i, m, skip);
	}
}

/* Analyses a chunk by itself, waits until all before it are merged, and then makes good what its first
 * touches were in the whole stream. */
static void run_chunk(void *ctx, size_t number)
{
	struct chunks *c = ctx;
	size_t from = number * c->chunk, n = c->n - from < c->chunk ? c->n - from : c->chunk;
	const uint64_t *line = c->line + from;
	uint64_t *distance = c->distance + from, *order;
	size_t lines = run_alone(c, line, n, distance, &order);
	pthread_mutex_lock(&c->lock);
	while (c->merged != number) /* lower ones have begun: work is handed out in order */
		pthread_cond_wait(&c->moved, &c->lock);
	pthread_mutex_unlock(&c->lock);
	if (lines == SIZE_MAX) {
		c->f->base.ops->batch(&c->f->base, line, n, distance);
	} else {
		make_good(c, line, n, distance);
		reorder_lines(c, order, lines);
	}
	free(order);
	pthread_mutex_lock(&c->lock);
	c->merged++;
	pthread_cond_broadcast(&c->moved);
	pthread_mutex_unlock(&c->lock);
}

/* 0, or -1 where locks or memory cannot be had: nothing was done. */
static int run_all(struct chunks *c, unsigned threads)
{
	c->spare = ct_calloc(threads, sizeof *c->spare);
	if (!c->spare)
		return -1;
	int rc = ct_lock_init(&c->lock, &c->moved);
	if (rc == 0) {
		ct_parallel_for(threads, (c->n - 1) / c->chunk + 1, run_chunk, c);
		ct_lock_free(&c->lock, &c->moved);
	}
	for (size_t i = 0; i < c->spares; i++)
		c->spare[i]->ops->free(c->spare[i]);
	free(c->spare);
	return rc;
}

void ct_stack_touch_chunks(struct ct_stack *s, const uint64_t *line, size_t n, uint64_t *distance,
                           unsigned threads, size_t chunk)
{
	struct chunks c = {.line = line, .distance = distance, .n = n, .chunk = chunk};
	struct ct_fast *f = c.f = ct_stack_as_fast(s);
	if (f)
		c.own = (struct ct_stack_options){
			.engine = CT_STACK_FAST,
			.sectors = 1,
			.slack = f->slack,
			.window = f->step,
			.isa = f->isa,
			.sparse = f->is_sparse};
	if (!f || threads < 2 || chunk == 0 || n <= chunk || run_all(&c, threads) < 0)
		s->ops->batch(s, line, n, distance);
}

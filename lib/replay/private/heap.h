/* heap.h - a binary heap of entries that begin with their place in time: cycle, then a number
 * that no two share. Entries of `size` bytes, a constant where the functions are called. */
#ifndef CT_REPLAY_PRIVATE_HEAP_H
#define CT_REPLAY_PRIVATE_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rp_moment { uint64_t at, seq; };

static inline int rp_before(const struct rp_moment *a, const struct rp_moment *b)
{
	return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

static inline struct rp_moment *rp_heap_at(void *heap, size_t i, size_t size)
{
	return (struct rp_moment *)(void *)((char *)heap + i * size);
}

/* Adds *entry to the n of the heap, which has room for one more. */
static inline void rp_heap_add(void *heap, size_t n, size_t size, const struct rp_moment *entry)
{
	size_t i = n;
	for (; i && rp_before(entry, rp_heap_at(heap, (i - 1) / 2, size)); i = (i - 1) / 2)
		memcpy(rp_heap_at(heap, i, size), rp_heap_at(heap, (i - 1) / 2, size), size);
	memcpy(rp_heap_at(heap, i, size), entry, size);
}

/* Copies the first of n > 0 to *first and takes it out: n - 1 are left. */
static inline void rp_heap_take(void *heap, size_t n, size_t size, struct rp_moment *first)
{
	const struct rp_moment *last = rp_heap_at(heap, --n, size);
	size_t i = 0, c;
	memcpy(first, heap, size);
	for (; (c = 2 * i + 1) < n; i = c) {
		if (c + 1 < n && rp_before(rp_heap_at(heap, c + 1, size), rp_heap_at(heap, c, size)))
			c++;
		if (!rp_before(rp_heap_at(heap, c, size), last))
			break;
		memcpy(rp_heap_at(heap, i, size), rp_heap_at(heap, c, size), size);
	}
	if (n)
		memmove(rp_heap_at(heap, i, size), last, size);
}

#endif

/* heap.h - a binary heap in an array of the caller's, and sorting by it.
 *
 * Everything is inline: with a constant size and a `before` that is itself inline, the compiler makes of it
 * what a heap written for one type would be. Entries are compared and moved, nothing else, so that an array
 * of numbers can stand for items that lie elsewhere (ctx), which qsort() cannot do. */
#ifndef CT_BASE_HEAP_H
#define CT_BASE_HEAP_H

#include <stddef.h>
#include <string.h>

#include "base/decls.h"

CT_DECLS_BEGIN

enum { CT_HEAP_ENTRY_MAX = 64 }; /* bytes of an entry that is sorted */

/* 1 where entry a has to come out before entry b; an order (strict, transitive). */
typedef int ct_heap_before(const void *ctx, const void *a, const void *b);

/* Entry i of a heap whose entries have `size` bytes. Pure. */
static inline char *ct_heap_at(void *heap, size_t i, size_t size)
{
	return (char *)heap + i * size;
}

/* Puts *entry, which lies outside the heap, where i is or below: below it the n entries are a heap.
 * reversed: the last entry in the order of `before` is the head. */
static inline void ct_heap_sink(void *heap, size_t i, size_t n, size_t size, const void *entry,
                                ct_heap_before *before, const void *ctx, int reversed)
{
	for (size_t c; (c = 2 * i + 1) < n; i = c) {
		char *x = ct_heap_at(heap, c, size), *y = x + size;
		if (c + 1 < n && (reversed ? before(ctx, x, y) : before(ctx, y, x))) {
			x = y;
			c++;
		}
		if (!(reversed ? before(ctx, entry, x) : before(ctx, x, entry)))
			break;
		memcpy(ct_heap_at(heap, i, size), x, size);
	}
	memcpy(ct_heap_at(heap, i, size), entry, size);
}

/* Adds *entry to a heap of n entries that has room for one more. */
static inline void ct_heap_add(void *heap, size_t n, size_t size, const void *entry,
                               ct_heap_before *before, const void *ctx)
{
	size_t i = n;
	for (; i > 0 && before(ctx, entry, ct_heap_at(heap, (i - 1) / 2, size)); i = (i - 1) / 2)
		memcpy(ct_heap_at(heap, i, size), ct_heap_at(heap, (i - 1) / 2, size), size);
	memcpy(ct_heap_at(heap, i, size), entry, size);
}

/* Takes the first of n > 0 entries out, to *first; n - 1 are left. */
static inline void ct_heap_take(void *heap, size_t n, size_t size, void *first, ct_heap_before *before,
                                const void *ctx)
{
	memcpy(first, heap, size);
	if (--n > 0)
		ct_heap_sink(heap, 0, n, size, ct_heap_at(heap, n, size), before, ctx, 0);
}

/* Sorts n entries of at most CT_HEAP_ENTRY_MAX bytes, without memory of its own; equal ones in any order. */
static inline void ct_heap_sort(void *array, size_t n, size_t size, ct_heap_before *before,
                                const void *ctx)
{
	char entry[CT_HEAP_ENTRY_MAX];
	for (size_t i = n / 2; i > 0; i--) {
		memcpy(entry, ct_heap_at(array, i - 1, size), size);
		ct_heap_sink(array, i - 1, n, size, entry, before, ctx, 1);
	}
	for (; n > 1; n--) {
		memcpy(entry, ct_heap_at(array, n - 1, size), size);
		memcpy(ct_heap_at(array, n - 1, size), array, size);
		ct_heap_sink(array, 0, n - 1, size, entry, before, ctx, 1);
	}
}

CT_DECLS_END

#endif

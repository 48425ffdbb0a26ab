/* index.h - finds the items of an array by their contents: a hash table of item numbers.
 *
 * The items stay the caller's, who compares them while probing:
 *
 *	if (ct_index_reserve(&x, n, hash, ctx) < 0) ...            room for item n
 *	for (h = hash of what is wanted; (at = ct_index_at(&x, h)) != 0; h++)
 *		if (item at - 1 is the wanted one) return it;
 *	ct_index_put(&x, h, n);                                    item n is new */
#ifndef CT_BASE_INDEX_H
#define CT_BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* Zero-initialise. */
struct ct_index {
	uint32_t *bucket; /* item + 1, 0: free; linear probing, at most half full */
	size_t buckets;   /* a power of two, or 0 */
};

/* Doubles the table; hash(ctx, item) of its `items` items. Returns -1 when out of memory, the table as it was. */
int ct_index_grow(struct ct_index *x, uint32_t items, uint64_t (*hash)(const void *ctx, uint32_t item),
                  const void *ctx);
/* Frees the table and zeroes it. */
void ct_index_free(struct ct_index *x);

/* Makes room for one item more than there are. Returns -1 when out of memory. */
static inline int ct_index_reserve(struct ct_index *x, uint32_t items,
                                   uint64_t (*hash)(const void *ctx, uint32_t item), const void *ctx)
{
	return 2 * (size_t)items + 2 > x->buckets ? ct_index_grow(x, items, hash, ctx) : 0;
}

/* What probe h finds: an item's number + 1, or 0. */
static inline uint32_t ct_index_at(const struct ct_index *x, uint64_t h)
{
	return x->bucket[h & (x->buckets - 1)];
}

/* Enters an item at the probe that found 0. */
static inline void ct_index_put(struct ct_index *x, uint64_t h, uint32_t item)
{
	x->bucket[h & (x->buckets - 1)] = item + 1;
}

CT_DECLS_END

#endif

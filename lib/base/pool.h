/* pool.h - memory that is given back as a whole.
 *
 * What a program goes through at random for most of its time lies together on large pages of the
 * host, where it has them: such accesses miss its translation buffers less. */
#ifndef CT_BASE_POOL_H
#define CT_BASE_POOL_H

#include <stddef.h>

#include "base/decls.h"

CT_DECLS_BEGIN

struct ct_pool_block;

/* All zero: empty. One thread at a time. */
struct ct_pool {
	struct ct_pool_block *block; /* the last */
	unsigned char *end;          /* of it; so many bytes before that are free */
	size_t left;
};

/* calloc(n, size) from the pool, aligned to 64 bytes (a cache line); NULL when out of memory. It stays
 * until ct_pool_free(). */
void *ct_pool_take(struct ct_pool *p, size_t n, size_t size);

/* Gives all of it back; the pool is empty afterwards. */
void ct_pool_free(struct ct_pool *p);

CT_DECLS_END

#endif

/* Blocks of large pages; what is taken comes from the end of the last block. */
#include "base/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/mem.h"

enum { LINE = 64, PAGE = 2 << 20 };

struct ct_pool_block {
	struct ct_pool_block *before;
	void *given;             /* by the allocator: free() wants it back */
};

/* Zeroed bytes from a multiple of `align` on; free() takes *given. calloc() does not clear a second time
 * what the system has cleared, which aligned_alloc() cannot say of its memory. */
static void *zeroed(size_t align, size_t bytes, void **given)
{
	if (CT_ADDRESS_SANITIZER) { /* which sees what runs over the end of it */
		*given = aligned_alloc(align, bytes);
		return *given ? memset(*given, 0, bytes) : NULL;
	}
	*given = calloc(1, bytes + align);
	return *given ? (unsigned char *)*given + (align - (uintptr_t)*given % align) : NULL;
}

/* A block that has room for so many bytes behind its own line. */
static int new_block(struct ct_pool *p, size_t bytes)
{
	const size_t align = CT_ADDRESS_SANITIZER ? LINE : PAGE;
	void *given;
	if (bytes > SIZE_MAX - LINE - 2 * align)
		return -1;
	bytes = (bytes + LINE + align - 1) & ~(align - 1);
	struct ct_pool_block *b = zeroed(align, bytes, &given);
	if (!b)
		return -1;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
	if (!CT_ADDRESS_SANITIZER)
		(void)madvise(b, bytes, MADV_HUGEPAGE); /* a hint: failure costs speed only */
#endif
	b->before = p->block;
	b->given = given;
	p->block = b;
	p->left = bytes - LINE;
	p->end = (unsigned char *)b + bytes;
	return 0;
}

void *ct_pool_take(struct ct_pool *p, size_t n, size_t size)
{
	if (size && n > (SIZE_MAX - LINE) / size)
		return NULL;
	size_t bytes = (n * size + LINE - 1) & ~(size_t)(LINE - 1);
	bytes = bytes ? bytes : LINE;
	if (bytes > p->left && new_block(p, bytes) < 0)
		return NULL;
	void *q = p->end - p->left;
	p->left -= bytes;
	return q;
}

void ct_pool_free(struct ct_pool *p)
{
	while (p->block) {
		struct ct_pool_block *b = p->block;
		p->block = b->before;
		free(b->given);
	}
	*p = (struct ct_pool){0};
}

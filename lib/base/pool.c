/* Blocks of large pages; what is taken comes from the end of the last block. */
#include "base/pool.h"

#include <stddef.h>
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
};
_Static_assert(sizeof(struct ct_pool_block) <= _Alignof(max_align_t),
               "it stands in front of any multiple of a page");

/* A block and, behind it, zeroed bytes from a multiple of `align` on. calloc() does not clear a second time
 * what the system has cleared, which aligned_alloc() cannot say of its memory. */
static struct ct_pool_block *zeroed_block(size_t align, size_t bytes, unsigned char **room)
{
	struct ct_pool_block *b;
	if (CT_ADDRESS_SANITIZER) { /* which sees what runs over the end of it */
		b = aligned_alloc(LINE, LINE + bytes);
		if (b)
			*room = (unsigned char *)memset(b, 0, LINE + bytes) + LINE;
	} else {
		b = calloc(1, align + bytes);
		if (b)
			*room = (unsigned char *)b + (align - (uintptr_t)b % align);
	}
	return b;
}

/* A block that has room for so many bytes. */
static int new_block(struct ct_pool *p, size_t bytes)
{
	const size_t align = CT_ADDRESS_SANITIZER ? LINE : PAGE;
	unsigned char *room = NULL;
	if (bytes > SIZE_MAX - 2 * align)
		return -1;
	bytes = (bytes + align - 1) & ~(align - 1);
	struct ct_pool_block *b = zeroed_block(align, bytes, &room);
	if (!b)
		return -1;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
	if (!CT_ADDRESS_SANITIZER)
		(void)madvise(room, bytes, MADV_HUGEPAGE); /* a hint: failure costs speed only */
#endif
	b->before = p->block;
	p->block = b;
	p->left = bytes;
	p->end = room + bytes;
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
		free(b);
	}
	*p = (struct ct_pool){0};
}

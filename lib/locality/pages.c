#include "locality/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { LINE = 64, HUGE = 2 << 20 };

void *ct_pages_alloc(size_t bytes, int zero)
{
	size_t align = bytes >= HUGE ? HUGE : LINE;
	if (bytes > SIZE_MAX - align)
		return NULL;
	bytes = (bytes + align - 1) & ~(align - 1);
	void *p = aligned_alloc(align, bytes ? bytes : LINE);
	if (!p)
		return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
	if (align == HUGE)
		(void)madvise(p, bytes, MADV_HUGEPAGE); /* a hint: failure costs speed only */
#endif
	if (zero)
		memset(p, 0, bytes);
	return p;
}

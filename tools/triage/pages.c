#include "triage/pages.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
enum {
	HEAP = 512 << 20 /* bytes of addresses, not of memory */,
	KEPT = 32 << 20,
	LARGE = 2 << 20,
	USUAL_PAD = 128 << 10 /* glibc's */
};

void tr_large_pages(void)
{
	/* One piece from the start, so that one call covers it. */
	if (!mallopt(M_TOP_PAD, HEAP) || !mallopt(M_MMAP_THRESHOLD, KEPT) ||
	    !mallopt(M_TRIM_THRESHOLD, HEAP))
		return;
	void *first = malloc(KEPT - LARGE);
	uintptr_t from = ((uintptr_t)first + LARGE - 1) / LARGE * LARGE, to = (uintptr_t)sbrk(0);
	/* Another allocator's memory (a sanitizer's) lies elsewhere. */
	if (first && from < to && to - from <= (uintptr_t)HEAP + 2 * (uintptr_t)KEPT)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
	free(first);
	if (!first) /* where addresses are limited (ulimit -v) they are needed for the work */
		mallopt(M_TOP_PAD, USUAL_PAD);
}
#else
void tr_large_pages(void)
{
}
#endif

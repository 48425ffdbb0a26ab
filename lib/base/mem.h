/* mem.h - checked allocation: sizes that cannot overflow, growth in one place. */
#ifndef CT_BASE_MEM_H
#define CT_BASE_MEM_H

#include <stddef.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* 1: built with AddressSanitizer, which wants each piece of memory by itself and all addresses. */
#if defined(__SANITIZE_ADDRESS__)
#define CT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CT_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef CT_ADDRESS_SANITIZER
#define CT_ADDRESS_SANITIZER 0
#endif

/* calloc(n, size) whose product is checked; NULL when out of memory. n or size
 * 0 gives a unique pointer. The caller frees with free(). Thread-safe. */
void *ct_calloc(size_t n, size_t size);

/* realloc(p, n * size) whose product is checked; NULL leaves p untouched. */
void *ct_reallocarray(void *p, size_t n, size_t size);

/* Makes room for at least `need` elements of `size` bytes in the array *p of
 * capacity *cap, growing by half so that appends are amortised O(1). New
 * elements are not cleared. Returns 0, or -1 when out of memory (array kept). */
int ct_grow(void **p, size_t *cap, size_t need, size_t size);

/* Copies n bytes of s and adds a NUL; NULL when out of memory. Caller frees. */
char *ct_strndup(const char *s, size_t n);

/* Zeroed block aligned to 64 bytes (a cache line), rounded up to whole lines;
 * NULL when out of memory. Free with free(). */
void *ct_calloc_aligned(size_t n, size_t size);

CT_DECLS_END

#endif

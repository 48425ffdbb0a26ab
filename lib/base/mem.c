#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *ct_calloc(size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	return calloc(n, size);
}

void *ct_reallocarray(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		return NULL;
	size_t bytes = n * size;
	return realloc(p, bytes ? bytes : 1);
}

int ct_grow(void **p, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return 0;
	size_t want = *cap + *cap / 2;
	if (want < need)
		want = need;
	if (want < 16)
		want = 16;
	void *q = ct_reallocarray(*p, want, size);
	if (!q && want > need) {
		want = need;
		q = ct_reallocarray(*p, want, size);
	}
	if (!q)
		return -1;
	*p = q;
	*cap = want;
	return 0;
}

char *ct_strndup(const char *s, size_t n)
{
	if (n == SIZE_MAX)
		return NULL;
	char *q = malloc(n + 1);
	if (!q)
		return NULL;
	memcpy(q, s, n);
	q[n] = '\0';
	return q;
}

void *ct_calloc_aligned(size_t n, size_t size)
{
	if (size && n > (SIZE_MAX - 63) / size)
		return NULL;
	size_t bytes = (n * size + 63) & ~(size_t)63;
	void *q = aligned_alloc(64, bytes ? bytes : 64);
	if (q)
		memset(q, 0, bytes);
	return q;
}

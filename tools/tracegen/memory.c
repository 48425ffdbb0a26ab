#include "tracegen/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Where the heap of a process lies in captured traces; any constant would do. */
#define HEAP_BASE UINT64_C(0x7f5200000000)
enum { ALIGNMENT = 512 };

struct simt_buffer *simt_memory_alloc(struct simt_memory *m, size_t bytes)
{
	if (ct_grow((void **)&m->buffer, &m->cap, m->n + 1, sizeof *m->buffer) < 0)
		return NULL;
	struct simt_buffer *b = malloc(sizeof *b);
	if (!b)
		return NULL;
	b->p = ct_calloc(bytes ? bytes : 1, 1);
	if (!b->p) {
		free(b);
		return NULL;
	}
	if (m->next == 0)
		m->next = HEAP_BASE;
	b->address = m->next;
	b->bytes = bytes;
	m->next += (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	m->buffer[m->n++] = b;
	return b;
}

static int holds(const struct simt_buffer *b, uint64_t address, size_t n)
{
	return address >= b->address && address - b->address <= b->bytes &&
	       n <= b->bytes - (address - b->address);
}

unsigned char *simt_memory_at(struct simt_memory *m, uint64_t address, size_t n)
{
	if (m->n == 0)
		return NULL;
	if (!holds(m->buffer[m->last], address, n)) {
		size_t lo = 0, hi = m->n;
		while (hi - lo > 1) {
			size_t mid = (lo + hi) / 2;
			if (m->buffer[mid]->address <= address)
				lo = mid;
			else
				hi = mid;
		}
		if (!holds(m->buffer[lo], address, n))
			return NULL;
		m->last = lo;
	}
	return m->buffer[m->last]->p + (address - m->buffer[m->last]->address);
}

void simt_memory_free(struct simt_memory *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->buffer[i]->p);
		free(m->buffer[i]);
	}
	free(m->buffer);
	memset(m, 0, sizeof *m);
}

#include "tracegen/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* Where the heap of a process lies in captured traces; any constant would do. */
#define HEAP_BASE UINT64_C(0x7f5200000000)
enum { ALIGNMENT = 512, LINE = 128 };

struct simt_buffer *simt_memory_alloc(struct simt_memory *m, size_t bytes)
{
	if (ct_grow((void **)&m->buffer, &m->cap, m->n + 1, sizeof *m->buffer) < 0)
		return NULL;
	struct simt_buffer *b = malloc(sizeof *b);
	if (!b)
		return NULL;
	b->p = ct_calloc(bytes ? bytes : 1, 1);
	b->touched = m->track ? ct_calloc(bytes / LINE / 8 + 1, 1) : NULL;
	if (!b->p || (m->track && !b->touched)) {
		free(b->p);
		free(b->touched);
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
	const struct simt_buffer *b = m->buffer[m->last];
	size_t at = address - b->address;
	if (b->touched) /* accesses are aligned to their size: they stay in their line */
		b->touched[at / LINE / 8] |= (unsigned char)(1u << at / LINE % 8);
	return b->p + at;
}

int simt_memory_touched(struct simt_memory *m, simt_line_fn put, void *ctx)
{
	int st = CT_OK;
	for (size_t i = 0; i < m->n && st == CT_OK; i++) {
		const struct simt_buffer *b = m->buffer[i];
		for (size_t at = 0; at < b->bytes && st == CT_OK && b->touched; at += LINE) {
			unsigned char line[LINE] = {0};
			if (!(b->touched[at / LINE / 8] >> at / LINE % 8 & 1))
				continue;
			memcpy(line, b->p + at, b->bytes - at < LINE ? b->bytes - at : LINE);
			st = put(ctx, b->address + at, line);
		}
		if (b->touched)
			memset(b->touched, 0, b->bytes / LINE / 8 + 1);
	}
	return st;
}

void simt_memory_free(struct simt_memory *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->buffer[i]->p);
		free(m->buffer[i]->touched);
		free(m->buffer[i]);
	}
	free(m->buffer);
	memset(m, 0, sizeof *m);
}

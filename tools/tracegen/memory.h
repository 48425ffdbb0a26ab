/* memory.h - device memory of a generated program: buffers at fixed addresses. */
#ifndef CT_TRACEGEN_MEMORY_H
#define CT_TRACEGEN_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct simt_buffer {
	uint64_t address; /* on the device */
	size_t bytes;
	unsigned char *p;       /* contents */
	unsigned char *touched; /* a bit per 128-byte line that a kernel touched; NULL: not kept */
};

struct simt_memory {
	struct simt_buffer **buffer; /* ascending addresses */
	size_t n, cap;
	uint64_t next; /* first free device address */
	size_t last;   /* index of the buffer of the last hit */
	int track;     /* set before the first allocation: keep which lines are touched */
};

/* A zeroed buffer on a 512-byte boundary, as cudaMalloc places small ones; the first
 * one is at 0x7f5200000000. NULL when out of memory. Freed by simt_memory_free(). */
struct simt_buffer *simt_memory_alloc(struct simt_memory *m, size_t bytes);
/* Contents at [address, address + n), or NULL where that is no buffer. n <= 16. */
unsigned char *simt_memory_at(struct simt_memory *m, uint64_t address, size_t n);
/* Hands each touched line, by ascending address, to put(); a buffer's last line is padded with zeros.
 * Forgets them all. Returns put()'s first failure, or CT_OK. */
typedef int (*simt_line_fn)(void *ctx, uint64_t address, const unsigned char line[128]);
int simt_memory_touched(struct simt_memory *m, simt_line_fn put, void *ctx);
void simt_memory_free(struct simt_memory *m);

#endif

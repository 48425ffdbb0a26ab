/* memory.h - device memory of a generated program: buffers at fixed addresses. */
#ifndef CT_TRACEGEN_MEMORY_H
#define CT_TRACEGEN_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct simt_buffer {
	uint64_t address; /* on the device */
	size_t bytes;
	unsigned char *p; /* contents */
};

struct simt_memory {
	struct simt_buffer **buffer; /* ascending addresses */
	size_t n, cap;
	uint64_t next;   /* first free device address */
	size_t last;     /* index of the buffer of the last hit */
};

/* A zeroed buffer on a 512-byte boundary, as cudaMalloc places small ones; the first
 * one is at 0x7f5200000000. NULL when out of memory. Freed by simt_memory_free(). */
struct simt_buffer *simt_memory_alloc(struct simt_memory *m, size_t bytes);
/* Contents at [address, address + n), or NULL where that is no buffer. */
unsigned char *simt_memory_at(struct simt_memory *m, uint64_t address, size_t n);
void simt_memory_free(struct simt_memory *m);

#endif

/* dense.h - from line to last time where addresses are dense: regions of 2^12 lines,
 * found by hashing, point to blocks of 16 lines, which are 16 times in a row: one cache
 * line. A line costs 4 to 5 bytes where all are in use. Private to the room. */
#ifndef CT_LOCALITY_DENSE_H
#define CT_LOCALITY_DENSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "locality/sectors.h"

enum {
	CT_BLOCK_BITS = 4,
	CT_BLOCK_LINES = 1 << CT_BLOCK_BITS,
	CT_REGION_BITS = 12,
	CT_REGION_BLOCKS = 1 << (CT_REGION_BITS - CT_BLOCK_BITS)
};

/* Times of 16 lines, 0 = not on the stack; behind them, in a sectored map, 16 struct
 * ct_sector_run. */
typedef uint32_t ct_block;

struct ct_region {
	ct_block *block[CT_REGION_BLOCKS];
};

struct ct_region_slot {
	uint64_t key;             /* line >> CT_REGION_BITS */
	struct ct_region *region; /* NULL: empty */
};

struct ct_slab {
	char *at;
	size_t bytes;
};

struct ct_dense {
	struct ct_region_slot *slot; /* open addressing, at most a quarter full */
	uint64_t slots, regions;
	unsigned shift;       /* 64 - log2(slots) */
	size_t block_bytes;   /* per block */
	size_t used;          /* bytes in blocks and regions since the flush */
	struct ct_slab *slab; /* blocks and regions are cut from slabs, in order */
	size_t slabs, slab_cap, slab_now, slab_used;
	size_t bytes;      /* allocated */
	ct_block *scratch; /* handed out when memory is short */
};

/* 0, or -1 when out of memory. */
int ct_dense_init(struct ct_dense *d, int sectored);
void ct_dense_free(struct ct_dense *d);
/* Forgets every line, keeps the memory. */
void ct_dense_flush(struct ct_dense *d);

/* The region of the key, created if new; NULL when out of memory. */
struct ct_region *ct_dense_region(struct ct_dense *d, uint64_t key);
/* A new block of zero times; NULL when out of memory. */
ct_block *ct_dense_block(struct ct_dense *d);

/* The region if it exists, else NULL. */
const struct ct_region *ct_dense_find(const struct ct_dense *d, uint64_t key);

/* Calls fn for every block with the line of its first time. */
void ct_dense_each(const struct ct_dense *d, void (*fn)(void *ctx, uint64_t line, ct_block *b),
                   void *ctx);

static inline uint64_t ct_dense_home(const struct ct_dense *d, uint64_t key)
{
	/* Fibonacci hashing: regions in a row, as allocators make them, do not collide. */
	return key * CT_GOLDEN64 >> d->shift;
}

static inline struct ct_sector_run *ct_block_runs(ct_block *b)
{
	return (struct ct_sector_run *)(void *)(b + CT_BLOCK_LINES);
}

#endif

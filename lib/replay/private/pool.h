/* pool.h - entries that are named by an index and used again (private). */
#ifndef CT_REPLAY_PRIVATE_POOL_H
#define CT_REPLAY_PRIVATE_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hot.h"
#include "replay/private/numbers.h"

/* Entries of a pool, of which free ones hang from `free`, RP_NO_INDEX where there is none. Before the first one is taken: no
 * room, none free. */
struct rp_pool_head {
	uint32_t cap, free;
};

/* parts.c: makes room for more entries in a pool of which none is free. -1: out of memory. */
int rp_pool_grow(struct rp_pool_head *h, void **p, size_t size, size_t next);

/* Takes an index from a pool of entries of `size` bytes at *p, whose free list is the uint32_t at `next`; an entry goes back
 * by hand. RP_NO_INDEX: out of memory. */
static CT_INLINE uint32_t rp_pool_get(struct rp_pool_head *h, void **p, size_t size, size_t next)
{
	if (h->free == RP_NO_INDEX && rp_pool_grow(h, p, size, next) < 0)
		return RP_NO_INDEX;
	uint32_t i = h->free;
	memcpy(&h->free, (char *)*p + i * size + next, sizeof h->free);
	return i;
}

#endif

/* pool.h - entries that are named by an index and used again (private). */
#ifndef CT_REPLAY_PRIVATE_POOL_H
#define CT_REPLAY_PRIVATE_POOL_H

#include <stddef.h>
#include <stdint.h>

/* Entries of a pool, of which free ones hang from `free`, RP_NO_INDEX where there is none. Before the first one is taken: no
 * room, none free. */
struct rp_pool_head {
	uint32_t cap, free;
};

/* parts.c: takes an index from a pool of entries of `size` bytes at *p, whose free list is the uint32_t at `next`; an entry
 * goes back by hand. RP_NO_INDEX: out of memory. */
uint32_t rp_pool_get(struct rp_pool_head *h, void **p, size_t size, size_t next);

#endif

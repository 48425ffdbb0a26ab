/* cache.h - the lines of an L1 in the form that the timing needs (private).
 *
 * Where a fill is waited for a sector is reserved until it comes (tags.h); else each sector knows
 * when its data will be there (lru.h). A cache has one of the two, the other stays empty. What is
 * not asked for each access is here and takes either. */
#ifndef CT_REPLAY_PRIVATE_CACHE_H
#define CT_REPLAY_PRIVATE_CACHE_H

#include "gpu/gpu.h"
#include "replay/private/lru.h"
#include "replay/private/tags.h"

struct rp_cache {
	struct rp_tags tags;     /* full timing */
	struct rp_lru lru;       /* quick timing, and L1s without time (l1s.h) */
	uint8_t waits_for_fills; /* tags; else lru */
};

/* Room for `lines` lines of such a cache in the pool; shape it before use. 0, or fails with
 * CT_ERR_NOMEM or CT_ERR_UNSUPPORTED. */
int rp_cache_init(struct rp_cache *c, int waits_for_fills, const struct ct_cache_params *p,
                  uint32_t lines, struct ct_pool *pool, struct ct_error *e);
/* Another number of sets and ways, empty. */
void rp_cache_shape(struct rp_cache *c, uint32_t sets, uint32_t ways);
int rp_cache_has_shape(const struct rp_cache *c, uint32_t sets, uint32_t ways);
void rp_cache_flush(struct rp_cache *c); /* everything absent */
/* Most lines that it can ever hold. */
uint32_t rp_cache_capacity(const struct rp_cache *c);
/* Tags of the lines that hold data, in the order of their places: for at = 0, 1, ... the next one from
 * *at on, which moves behind it; 0: there is no more. */
int rp_cache_next_line(const struct rp_cache *c, uint32_t *at, uint64_t *tag);

#endif

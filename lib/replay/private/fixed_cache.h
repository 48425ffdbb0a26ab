/* fixed_cache.h - the functional cache of the fixed-latency engine: set-associative,
 * LRU over lines, sectors filled on demand, each with the cycle its fill arrives. */
#ifndef CT_REPLAY_FIXED_CACHE_H
#define CT_REPLAY_FIXED_CACHE_H

#include <stdint.h>

#include "base/error.h"

enum { FX_SECTORS = 4, FX_NONE = 0xffffffffu };

struct fx_line {
	uint64_t line;
	uint64_t arrives[FX_SECTORS]; /* cycle of the fill: pending before it */
	uint32_t set, prev, next;     /* in the set's list, most recent first */
	uint8_t valid, dirty;         /* sector masks; valid includes sectors on their way */
};

struct fx_set { uint32_t head, tail, used; };

struct fx_cache {
	uint32_t sets, ways;
	struct fx_set *set;
	struct fx_line *node;
	uint32_t nodes, free;
	uint32_t *slot; /* open addressing by line number: node or FX_NONE */
	uint32_t mask;
};

/* What one access met; masks partition the sectors asked for. */
struct fx_outcome {
	uint32_t hit, pending, sector_miss, line_miss;
	uint64_t ready;        /* latest arrival of the pending sectors */
	struct fx_line *line;  /* the line now resident, NULL when it is not allocated */
	uint64_t victim;       /* line that left */
	uint32_t victim_dirty; /* its dirty sectors */
	int evicted;
};

enum fx_store_rule { FX_ALLOCATE, FX_NO_ALLOCATE, FX_EVICT };

/* Room for `lines` lines; shape before use. Fails with CT_ERR_NOMEM. */
int fx_cache_init(struct fx_cache *c, uint32_t lines, uint32_t sets, struct ct_error *e);
void fx_cache_free(struct fx_cache *c);
/* Empties the cache; sets * ways must not exceed the room. left(ctx, line) is called for
 * each line that leaves (may be NULL). */
void fx_cache_shape(struct fx_cache *c, uint32_t sets, uint32_t ways,
                    void (*left)(void *ctx, uint64_t line), void *ctx);
/* One access at cycle `now`; the caller sets arrives[] of the sectors that missed. */
void fx_cache_access(struct fx_cache *c, uint64_t line, uint32_t set, uint32_t sectors,
                     uint64_t now, int is_write, enum fx_store_rule rule, struct fx_outcome *o);

#endif

/* l1.h - the L1 organisations of the Tag-Split Cache paper as tag arrays.
 *
 * One object is one SM's L1: what is stored where, and who has to go. It knows no time:
 * a chunk counts as cached from the access that asks for it on (reading
 * allocate-at-miss), and mshr.h says which of them are still on their way. Loads come as one request
 * per line of the organisation's own size with a mask of chunks; stores pass on to the
 * LLC (write-through) and do to the cached copy what the organisation says.
 *
 * Everything is deterministic for a seed; one object belongs to one thread. */
#ifndef CT_MODELS_TAG_SPLIT_L1_H
#define CT_MODELS_TAG_SPLIT_L1_H

#include <stdint.h>

#include "base/error.h"
#include "gpu/gpu.h"

enum ct_ts_kind {
	CT_TS_LINE,    /* whole lines: one tag, one fill (128B, 32B, 64B, 256B) */
	CT_TS_SECTOR,  /* one tag per line, chunks filled on demand (LAMAR) */
	CT_TS_SPLIT,   /* Tag-Split Cache: chunks in any slot of the set */
	CT_TS_DSC,     /* decoupled sectored cache: several tags per frame */
	CT_TS_PERFECT, /* never forgets: compulsory misses only */
	CT_TS_IDEAL    /* never misses: first touches hit, too */
};

enum ct_ts_repl {
	CT_TS_LRU, /* of lines; Tag-Split: of groups, then of the group's chunks */
	CT_TS_NRU  /* Tag-Split only: a bit per chunk (reading nru-victims) */
};
enum ct_ts_pick { CT_TS_RANDOM, CT_TS_LOWEST }; /* among equal NRU victims (reading random-victim) */
enum ct_ts_victim { CT_TS_ANY_GROUP, CT_TS_GROUP_FIRST }; /* reading foreign-group-victim */
enum ct_ts_store {
	CT_TS_STORE_EVICT, /* drops the written chunks, a whole line of CT_TS_LINE (reading write-evict) */
	CT_TS_STORE_UPDATE,  /* a hit updates, a miss passes on */
	CT_TS_STORE_ALLOCATE /* a miss allocates the written chunks */
};

enum {
	CT_TS_CHUNKS_MAX = 16, /* of a line: bits of a mask */
	CT_TS_SLOTS_MAX = 64   /* chunks of a set of CT_TS_SPLIT */
};

struct ct_ts_shape {
	enum ct_ts_kind kind;
	uint32_t line;         /* bytes of a request's line; Tag-Split: of a chunk group */
	uint32_t chunk;        /* bytes a mask bit stands for; divides line into at most 16 */
	uint32_t sets, ways;   /* ways: lines, frames or groups of a set */
	enum ct_set_hash hash; /* of the set number */
	uint32_t tag_bits;     /* of a full tag (20 in the paper) */
	uint32_t private_bits; /* CT_TS_SPLIT: of tag_bits, kept per chunk; = tag_bits: all */
	uint32_t tags;         /* CT_TS_DSC: tags per frame */
	enum ct_ts_repl repl;
	enum ct_ts_pick pick;
	enum ct_ts_victim victim;
	enum ct_ts_store store;
	uint64_t seed;
};

/* Places of a set: its ways, of Tag-Split the chunks in them. Pure. */
static inline uint32_t ct_ts_set_places(const struct ct_ts_shape *s)
{
	return s->kind == CT_TS_SPLIT ? s->ways * (s->line / s->chunk) : s->ways;
}

/* Lines and chunks that may be on their way to a set at once. */
struct ct_ts_flight {
	uint32_t lines, chunks; /* UINT32_MAX: as many as there are */
};

/* each: a chunk on its way keeps its slot of Tag-Split, or its position of DSC, whose line keeps a tag. Otherwise a line keeps one
 * slot, or a frame (reading slots-on-their-way). Pure. */
static inline struct ct_ts_flight ct_ts_flight(const struct ct_ts_shape *s, int each)
{
	const uint32_t slots = s->ways * (s->line / s->chunk);
	if (each && s->kind == CT_TS_DSC)
		return (struct ct_ts_flight){s->ways * s->tags, slots};
	if (each && s->kind == CT_TS_SPLIT)
		return (struct ct_ts_flight){slots, slots};
	return (struct ct_ts_flight){ct_ts_set_places(s), UINT32_MAX};
}

/* What one request met. Masks of chunks. */
struct ct_ts_result {
	uint32_t hit;        /* asked for and cached */
	uint32_t miss;       /* fetched: asked for, or brought along with the line */
	uint32_t replaced;   /* lines from which something was taken; more than one costs DSC a
	                      cycle each (reading decoupled-sectors) */
	uint32_t evicted;    /* chunks that left */
	uint32_t collateral; /* of them, valid chunks lost with their group's tag (reading
	                        foreign-group-victim) */
};

/* Additive; chunks of shape.chunk bytes. */
struct ct_ts_use {
	uint64_t fetched; /* chunks that came in and have left again */
	uint64_t touched; /* of them, asked for at least once */
	uint64_t reused;  /* of them, hit after they had been filled (reading line-utilisation) */
};

struct ct_ts_l1;

/* Fails with CT_ERR_USAGE for a shape that cannot be built, and CT_ERR_NOMEM. */
int ct_ts_l1_new(struct ct_ts_l1 **l1, const struct ct_ts_shape *s, struct ct_error *e);
void ct_ts_l1_free(struct ct_ts_l1 *l1); /* NULL allowed */
const struct ct_ts_shape *ct_ts_l1_shape(const struct ct_ts_l1 *l1);

/* The set a line falls into. */
uint32_t ct_ts_l1_set(const struct ct_ts_l1 *l1, uint64_t line);

/* A load of `chunks` (not 0) of a line. coarse: every chunk of the line is asked for
 * (Tag-Split's coarse-grained mode); the others ignore it. After it, the chunks of
 * hit and miss are cached. Fails with CT_ERR_NOMEM (CT_TS_PERFECT grows). */
int ct_ts_l1_load(struct ct_ts_l1 *l1, uint64_t line, uint32_t chunks, int coarse,
                  struct ct_ts_result *r);
/* A store to `chunks` of a line; r->hit says which were cached before, r->miss which
 * were allocated (always whole: nothing is fetched for a store). */
int ct_ts_l1_store(struct ct_ts_l1 *l1, uint64_t line, uint32_t chunks, struct ct_ts_result *r);
/* Which of `chunks` are cached; changes nothing. */
uint32_t ct_ts_l1_peek(const struct ct_ts_l1 *l1, uint64_t line, uint32_t chunks);
/* Empties it; what was cached counts as having left. Recency and random state stay. */
void ct_ts_l1_flush(struct ct_ts_l1 *l1);
/* Adds what has left since the last call to *u. */
void ct_ts_l1_collect(struct ct_ts_l1 *l1, struct ct_ts_use *u);
/* Chunks cached now; never above those that fit. For tests and tables. */
uint64_t ct_ts_l1_cached(const struct ct_ts_l1 *l1);
/* Calls fn for every cached chunk, in storage order. */
void ct_ts_l1_each(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
                   void *ctx);

#endif

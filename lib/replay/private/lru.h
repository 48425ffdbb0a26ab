/* lru.h - the lines of a sectored, set-associative cache of the cheap engine (private).
 *
 * The same cache as in tags.h where no fill is waited for: a sector is absent, valid or
 * modified, and knows when its data will be there. Each set has its lines in the order of their
 * last use, so that its victim is found without a search; modified lines, which may be protected,
 * have a list of their own. What an access looks at is a bucket of the hash, 32 bytes of the line
 * and 16 of its place in the order: the caches of all SMs together have to stay near. Rules:
 * accelsim-model.md 6. */
#ifndef CT_REPLAY_PRIVATE_LRU_H
#define CT_REPLAY_PRIVATE_LRU_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/error.h"

enum { RP_LRU_NONE = 0xffffffffu };

/* Masks have bit s for sector s of the line; at most 8 sectors. */
struct rp_entry {
	uint64_t tag;            /* line address */
	uint32_t next;           /* in its bucket */
	uint8_t valid, modified; /* modified: of valid */
	uint8_t unreadable;      /* of modified: partly written */
	uint8_t used : 1;        /* in the hash and in the order */
	uint8_t filled : 1;      /* a fill or store has put data here since allocation */
	uint8_t counted : 1;     /* its element of bytes[] is in use */
	uint32_t due[];          /* of each sector: 0, or the cycle of its data since an epoch */
};

/* Where a line is in the order of its set: by stamp, those with the same stamp by index. */
struct rp_order {
	uint32_t older, younger;
	uint32_t stamp;          /* grows with each touch of the set in another cycle */
	uint32_t touched;        /* cycle of the last touch */
};

struct rp_lru_list { uint32_t oldest, youngest; };

struct rp_lru_set {
	struct rp_lru_list list[2]; /* lines that are not modified; that are */
	uint32_t used;           /* ways */
	uint32_t now, stamp;     /* of the last touch */
};

struct rp_lru {
	uint32_t sets, ways, lines, sectors;
	uint32_t capacity;       /* lines allocated: sets * ways may shrink below it */
	uint32_t fifo, dirty_percent;
	uint32_t modified_lines, used_lines;
	uint32_t way_bits;       /* log2 of ways, or 32 when that is no power of two */
	uint32_t entry_bits;     /* log2 of the bytes of an entry */
	uint32_t bucket_shift;   /* of the mixed tag */
	unsigned char *entry;    /* index: set * ways + way */
	struct rp_order *order;
	uint32_t *bucket;
	struct rp_lru_set *set;
	uint64_t *free_ways;     /* bit set: way not in use; words per set */
	uint32_t words;
	uint64_t (*bytes)[4];    /* written bytes of unreadable sectors, 32 bits per sector */
};

/* Room for `capacity` lines of `sectors` sectors (<= 8); shape it before use. */
int rp_lru_init(struct rp_lru *t, uint32_t capacity, uint32_t sectors, uint32_t fifo,
                uint32_t dirty_percent, struct ct_error *e);
/* Sets the number of sets and ways (product <= capacity) and empties the cache. */
void rp_lru_shape(struct rp_lru *t, uint32_t sets, uint32_t ways);
void rp_lru_flush(struct rp_lru *t); /* everything absent */
void rp_lru_free(struct rp_lru *t);
/* Cycles in due[] count from `cycles` later on; those before are 0. */
void rp_lru_rebase(struct rp_lru *t, uint32_t cycles);

static inline struct rp_entry *rp_lru_at(const struct rp_lru *t, uint32_t index)
{
	return (struct rp_entry *)(void *)(t->entry + ((size_t)index << t->entry_bits));
}

static inline uint32_t *rp_lru_bucket(const struct rp_lru *t, uint64_t tag)
{
	return &t->bucket[tag * UINT64_C(0x9e3779b97f4a7c15) >> t->bucket_shift];
}

static inline uint32_t rp_lru_set_of(const struct rp_lru *t, uint32_t index)
{
	return t->way_bits < 32 ? index >> t->way_bits : index / t->ways;
}

/* Index of the line, or RP_LRU_NONE. */
static inline uint32_t rp_lru_find(const struct rp_lru *t, uint64_t tag)
{
	uint32_t i = *rp_lru_bucket(t, tag);
	while (i != RP_LRU_NONE && rp_lru_at(t, i)->tag != tag)
		i = rp_lru_at(t, i)->next;
	return i;
}

/* The same when the line was at `hint` before (RP_LRU_NONE: not known). */
static inline uint32_t rp_lru_find_near(const struct rp_lru *t, uint64_t tag, uint32_t hint)
{
	if (hint != RP_LRU_NONE && rp_lru_at(t, hint)->used && rp_lru_at(t, hint)->tag == tag)
		return hint;
	return rp_lru_find(t, tag);
}

/* Sectors of a line that a load hits. */
static inline uint32_t rp_lru_hits(const struct rp_entry *l)
{
	return (uint32_t)(l->valid & ~l->unreadable);
}

/* Puts the line where its stamp belongs. */
void rp_lru_move(struct rp_lru *t, uint32_t set, uint32_t index);
/* The stamps of a set have run out: small ones of the same order. */
void rp_lru_renumber(struct rp_lru *t, uint32_t set);

/* Gives the line the stamp of a touch at `now`, which nothing changes if the last was in that
 * cycle, and leaves it where it is: rp_lru_settle() is to follow, before the next victim. */
static inline void rp_lru_stamp(struct rp_lru *t, uint32_t set, uint32_t index, uint32_t now)
{
	struct rp_lru_set *s = &t->set[set];
	struct rp_order *o = &t->order[index];
	if (t->fifo || o->touched == now)
		return;
	o->touched = now;
	if (s->now != now && ++s->stamp == UINT32_MAX) {
		rp_lru_move(t, set, index);
		rp_lru_renumber(t, set);
		s->stamp++;
	}
	s->now = now;
	o->stamp = s->stamp;
}

static inline void rp_lru_settle(struct rp_lru *t, uint32_t set, uint32_t index)
{
	const struct rp_order *o = &t->order[index];
	if (o->younger != RP_LRU_NONE || (o->older > index && o->older != RP_LRU_NONE))
		rp_lru_move(t, set, index);
}

static inline void rp_lru_touch(struct rp_lru *t, uint32_t index, uint32_t now)
{
	uint32_t set = rp_lru_set_of(t, index);
	rp_lru_stamp(t, set, index, now);
	rp_lru_settle(t, set, index);
}

/* The line that makes room in the set: an unused way, else the oldest, if there is one that is
 * not protected as modified. */
uint32_t rp_lru_victim(const struct rp_lru *t, uint32_t set);
/* Puts tag in place of the victim `index` (whose state the caller has read) with no sector
 * present. */
void rp_lru_allocate(struct rp_lru *t, uint32_t set, uint32_t index, uint64_t tag, uint32_t now);
/* Which sectors of the line are modified. */
void rp_lru_modified(struct rp_lru *t, uint32_t index, uint32_t mask);
/* The masked sectors are there. */
static inline void rp_lru_fill(struct rp_entry *l, uint32_t mask)
{
	l->valid |= (uint8_t)mask;
	l->unreadable &= (uint8_t)~mask;
	l->filled = 1;
}
/* A store of the masked bytes to a sector, in any state. */
void rp_lru_store(struct rp_lru *t, uint32_t index, uint32_t sector, uint32_t bytes);
/* Drops sectors; the line leaves when none is left. */
void rp_lru_drop(struct rp_lru *t, uint32_t index, uint32_t sectors);

#endif

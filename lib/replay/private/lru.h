/* lru.h - the lines of a sectored, set-associative cache whose sectors know when their data comes (private).
 *
 * The same cache as in tags.h where no fill is waited for: a sector is absent, valid or
 * modified, and knows when its data will be there. What an access looks at is 32 bytes of the line,
 * its stamp and what leads to it, since the caches of all SMs together have to stay near: low bits of
 * the tags of its set, all at once, or in sets of many ways a slot of a hash of all lines. The next
 * victim of a set is found as soon as the one before it goes, and asked for. Rules:
 * doc/replay.md section 6. */
#ifndef CT_REPLAY_PRIVATE_LRU_H
#define CT_REPLAY_PRIVATE_LRU_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/tag_index.h"
#include "replay/private/oldest.h"

enum { RP_LRU_NONE = CT_TAG_INDEX_NONE };
/* Stands in place of the cycle at which a sector's data comes, as long as nobody knows it. The other bits
 * are the number of the request for it. Cycles are below this value. */
#define RP_DUE_ASKED 0x80000000u

/* Masks have bit s for sector s of the line; at most 8 sectors. */
struct rp_entry {
	uint64_t tag;            /* line address */
	uint32_t touched;        /* cycle of the last touch */
	uint8_t valid, modified; /* modified: of valid */
	uint8_t unreadable;      /* of modified: partly written */
	uint8_t used : 1;        /* in the hash */
	uint8_t filled : 1;      /* a fill or store has put data here since allocation */
	uint8_t counted : 1;     /* its element of bytes[] is in use */
	uint32_t due[]; /* of each sector: 0, the cycle of its data since an epoch, RP_DUE_ASKED */
};

struct rp_lru_set {
	uint32_t used;       /* ways */
	uint32_t now, stamp; /* of the last touch */
	uint32_t victim,
		victim_stamp; /* the oldest line while its stamp is that, or the way that is taken
	                                  next of those that are free; RP_LRU_NONE: not known */
};

struct rp_lru {
	uint32_t sets, ways, lines, sectors;
	uint32_t capacity; /* lines allocated: sets * ways may shrink below it */
	uint32_t fifo, dirty_percent;
	uint32_t modified_lines, used_lines;
	uint32_t way_bits;      /* log2 of ways, or 32 when that is no power of two */
	uint32_t entry_bits;    /* log2 of the bytes of an entry */
	unsigned char *entry;   /* index: set * ways + way */
	uint32_t *stamp;        /* of each line: grows with each touch of its set in another cycle, the
	                            lowest is the oldest, of equal ones the lowest way */
	struct rp_queue *queue; /* 2 * set: next victims of sets of more than RP_STAMPS ways; behind
	                            them those that are not modified */
	uint64_t *modified;     /* bit index % 64 of word index / 64: of the line */
	struct rp_lru_set *set;
	uint64_t *free_ways; /* bit set: way not in use; words per set */
	uint32_t words;
	uint32_t by_set; /* lines are found by print[], else by index */
	uint32_t *print; /* of each line: low bits of its tag, anything where it is not used */
	struct ct_tag_index index;
	uint64_t (*bytes)[4]; /* written bytes of unreadable sectors, 32 bits per sector */
};

/* Room in the pool for `capacity` lines of `sectors` sectors (<= 8); shape it before use. timed: sectors know when their data
 * comes, else nothing asks for it, and due[] is not there. */
int rp_lru_init(struct rp_lru *t, uint32_t capacity, uint32_t sectors, int timed, uint32_t fifo,
                uint32_t dirty_percent, struct ct_pool *pool, struct ct_error *e);
/* Sets the number of sets and ways (product <= capacity) and empties the cache. */
void rp_lru_shape(struct rp_lru *t, uint32_t sets, uint32_t ways);
void rp_lru_flush(struct rp_lru *t); /* everything absent */
/* Cycles in due[] count from `cycles` later on; those before are 0. */
void rp_lru_rebase(struct rp_lru *t, uint32_t cycles);

static inline struct rp_entry *rp_lru_at(const struct rp_lru *t, uint32_t index)
{
	return (struct rp_entry *)(void *)(t->entry + ((size_t)index << t->entry_bits));
}

static inline uint32_t rp_lru_set_of(const struct rp_lru *t, uint32_t index)
{
	return t->way_bits < 32 ? index >> t->way_bits : index / t->ways;
}

static inline int rp_lru_is(const struct rp_lru *t, uint32_t index, uint64_t tag)
{
	const struct rp_entry *l = rp_lru_at(t, index);
	return l->used && l->tag == tag;
}

/* Index of the line, whose set is needed by_set only; or RP_LRU_NONE. */
static inline uint32_t rp_lru_find(const struct rp_lru *t, uint32_t set, uint64_t tag)
{
	if (!t->by_set)
		return ct_tag_index_find(&t->index, tag);
	uint32_t first = set * t->ways, m = rp_equal_mask(t->print + first, t->ways, (uint32_t)tag);
	for (; m; m &= m - 1)
		if (rp_lru_is(t, first + ct_low_bit(m), tag))
			return first + ct_low_bit(m);
	return RP_LRU_NONE;
}

/* The same when the line was at `hint` before (RP_LRU_NONE: not known). */
static inline uint32_t
rp_lru_find_near(const struct rp_lru *t, uint32_t set, uint64_t tag, uint32_t hint)
{
	return hint != RP_LRU_NONE && rp_lru_is(t, hint, tag) ? hint : rp_lru_find(t, set, tag);
}

/* Where the line seems to be, without a look at it; RP_LRU_NONE: it is absent. */
static inline uint32_t rp_lru_guess(const struct rp_lru *t, uint32_t set, uint64_t tag)
{
	if (!t->by_set)
		return ct_tag_index_guess(&t->index, tag);
	uint32_t first = set * t->ways, m = rp_equal_mask(t->print + first, t->ways, (uint32_t)tag);
	return m ? first + ct_low_bit(m) : RP_LRU_NONE;
}

/* Asks the host's memory for what finding the line looks at. */
static inline void rp_lru_prefetch_set(const struct rp_lru *t, uint32_t set, uint64_t tag)
{
	if (!t->by_set) {
		CT_BRING(ct_tag_index_slot(&t->index, tag));
		return;
	}
	CT_BRING(t->print + (size_t)set * t->ways);
	CT_BRING(t->stamp + (size_t)set * t->ways);
}

/* The same for a line that seems to be there. */
static inline void rp_lru_prefetch_line(const struct rp_lru *t, uint32_t index)
{
	CT_BRING(rp_lru_at(t, index));
	if (!t->by_set)
		CT_BRING(&t->stamp[index]);
}

/* Sectors of a line that a load hits. */
static inline uint32_t rp_lru_hits(const struct rp_entry *l)
{
	return (uint32_t)(l->valid & ~l->unreadable);
}

/* The stamps of a set have run out: small ones of the same order. */
void rp_lru_renumber(struct rp_lru *t, uint32_t set);

/* The stamp of what is touched at `now`. */
static inline uint32_t rp_lru_stamp(struct rp_lru *t, uint32_t set, uint32_t now)
{
	struct rp_lru_set *s = &t->set[set];
	if (s->now != now && ++s->stamp == UINT32_MAX) {
		rp_lru_renumber(t, set);
		s->stamp++;
	}
	s->now = now;
	return s->stamp;
}

/* Marks a line of the set as touched at `now`; nothing changes if the last was in that cycle. */
static inline void rp_lru_touch(struct rp_lru *t, uint32_t set, uint32_t index, uint32_t now)
{
	struct rp_entry *l = rp_lru_at(t, index);
	if (t->fifo || l->touched == now)
		return;
	l->touched = now;
	t->stamp[index] = rp_lru_stamp(t, set, now);
}

/* The line that makes room in the set: an unused way, else the oldest, if there is one that is
 * not protected as modified. */
uint32_t rp_lru_victim(struct rp_lru *t, uint32_t set);
/* Whether data of the line is on its way in cycle `now`, since the epoch: nothing may take its place. */
static inline int rp_lru_awaits(const struct rp_lru *t, const struct rp_entry *l, uint32_t now)
{
	for (uint32_t s = 0; s < t->sectors; s++)
		if (l->due[s] > now)
			return 1;
	return 0;
}
/* The same as rp_lru_victim() of the lines that await nothing in cycle `now`, since the epoch; if there is
 * none, the one that makes room when its data has come. */
uint32_t rp_lru_settled_victim(struct rp_lru *t, uint32_t set, uint32_t now);
/* Puts tag in place of the victim `index` (whose state the caller has read) with no sector
 * present. */
void rp_lru_allocate(struct rp_lru *t, uint32_t set, uint32_t index, uint64_t tag, uint32_t now);
/* The masked sectors are there. */
static inline void rp_lru_fill(struct rp_entry *l, uint32_t mask)
{
	l->valid |= (uint8_t)mask;
	l->unreadable &= (uint8_t)~mask;
	l->filled = 1;
}
/* A store of the masked bytes to a sector, in any state; 0: of some that are never completed by others. */
void rp_lru_store(struct rp_lru *t, uint32_t index, uint32_t sector, uint32_t bytes);
/* Drops sectors; the line leaves when none is left. */
void rp_lru_drop(struct rp_lru *t, uint32_t index, uint32_t sectors);

#endif

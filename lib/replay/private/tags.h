/* tags.h - the tag array of a sectored, set-associative cache.
 *
 * State of a sector: absent, reserved (its fill is on the way), valid, or modified;
 * a modified sector of which only some bytes were written cannot be read until it
 * is filled (lazy fetch). Lookup is by hash, recency by a stamp per line, with the next
 * victims kept so that a set of 256 ways costs little more than one of 16. Rules:
 * doc/replay.md section 6. */
#ifndef CT_REPLAY_TAGS_H
#define CT_REPLAY_TAGS_H

#include <stdint.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/tag_index.h"
#include "replay/private/oldest.h"

enum { RP_NO_LINE = CT_TAG_INDEX_NONE };
#define RP_NO_TAG UINT64_MAX /* of a line that is not in use */

/* What a sector meets in the tags; FAIL: it has to try again. */
enum rp_met { RP_HIT, RP_PENDING, RP_SECTOR_MISS, RP_LINE_MISS, RP_METS, RP_FAIL = RP_METS };

/* Masks have bit s for sector s of the line; at most 8 sectors. */
struct rp_line {
	uint64_t tag; /* line address */
	uint8_t valid, reserved;
	uint8_t modified;      /* of valid */
	uint8_t unreadable;    /* of modified: partly written */
	uint8_t fill_modified; /* of reserved: becomes modified when filled */
	uint8_t used;          /* in the hash and the recency list */
	uint8_t filled;        /* a fill or store has put data here since allocation */
	uint8_t counted;       /* its entry of bytes[] is in use */
};

struct rp_set {
	uint32_t used;       /* ways */
	uint32_t now, stamp; /* of the last touch */
};

struct rp_tags {
	uint32_t sets, ways, lines, sectors;
	uint32_t capacity; /* lines allocated: sets * ways may shrink below it */
	uint32_t full;     /* mask of all sectors */
	uint32_t fifo;
	uint32_t dirty_percent;
	uint32_t modified_lines;
	uint32_t used_lines;
	uint32_t
		strays; /* fills may be on their way for lines that have gone; 0 again by the owner, who knows when none is */
	struct rp_line *line; /* set * ways + way */
	/* recency of each line, apart from the lines because every touch changes it */
	uint32_t *stamp;        /* grows with each touch of the set in another cycle: the lowest stamp is
	                         the oldest line (FIFO: the first allocated), of equal ones the lowest way */
	uint32_t *touched;      /* cycle of the allocation or of the last touch by rp_tags_touch */
	uint32_t way_bits;      /* log2 of ways, or 32 when that is no power of two */
	struct rp_queue *queue; /* 2 * set: next victims of sets of more than RP_STAMPS ways; behind them
	                         those that are not modified */
	uint64_t *reserved, *modified; /* bit index % 64 of word index / 64: the line's mask is not 0 */
	struct rp_set *set;
	uint64_t *free_ways; /* bit set: way never used since the flush; words per set */
	uint32_t words;
	struct ct_tag_index index;
	uint64_t (*bytes)[4]; /* written bytes of unreadable sectors, 32 bits per sector */
};

/* Room in the pool for `capacity` lines of `sectors` sectors (<= 8); shape it before use. */
int rp_tags_init(struct rp_tags *t, uint32_t capacity, uint32_t sectors, uint32_t fifo,
                 uint32_t dirty_percent, struct ct_pool *pool, struct ct_error *e);
/* Sets the number of sets and ways (product <= capacity) and empties the array. */
void rp_tags_shape(struct rp_tags *t, uint32_t sets, uint32_t ways);
void rp_tags_flush(struct rp_tags *t); /* everything absent */

/* Index of the line, or RP_NO_LINE. A line with every sector absent does not count. */
uint32_t rp_tags_find(const struct rp_tags *t, uint64_t tag);
/* The same when the line was at `hint` before (RP_NO_LINE: not known). */
static inline uint32_t rp_tags_find_near(const struct rp_tags *t, uint64_t tag, uint32_t hint)
{
	if (hint < t->lines && t->line[hint].tag == tag)
		return hint;
	return rp_tags_find(t, tag);
}
/* Asks the host's memory for where a lookup of the tag will begin. */
static inline void rp_tags_prefetch(const struct rp_tags *t, uint64_t tag)
{
	CT_BRING(ct_tag_index_slot(&t->index, tag));
}
/* Where the line seems to be, as a hint for rp_tags_find_near, without a look at the line, which
 * is asked for; RP_NO_LINE: it is absent. */
static inline uint32_t rp_tags_guess(const struct rp_tags *t, uint64_t tag)
{
	uint32_t i = ct_tag_index_guess(&t->index, tag);
	if (i != RP_NO_LINE)
		CT_BRING(&t->line[i]);
	return i;
}
/* Sectors of a found line that a load (a store) hits. */
static inline uint32_t rp_load_hits(const struct rp_line *l)
{
	return (uint32_t)(l->valid & ~l->unreadable);
}
/* What one sector meets, `bit` in the masks of its line, which may be at *near; where the line is. */
static inline enum rp_met
rp_tags_probe(const struct rp_tags *t, uint64_t tag, uint32_t bit, int store, uint32_t *near)
{
	uint32_t i = *near = rp_tags_find_near(t, tag, *near);
	if (i == RP_NO_LINE)
		return RP_LINE_MISS;
	const struct rp_line *l = &t->line[i];
	if (l->reserved & bit)
		return RP_PENDING;
	if (!(l->valid & bit))
		return RP_SECTOR_MISS;
	return store || !(l->unreadable & bit) ? RP_HIT : RP_SECTOR_MISS;
}
/* Whether the fill of a sector that is neither there nor reserved may be on its way all the same: its line has gone since, or
 * a store has written to it. `bit` is in the masks of its line, which is at `index` or absent. */
static inline int rp_tags_may_come(const struct rp_tags *t, uint32_t index, uint32_t bit)
{
	return t->strays || (index != RP_NO_LINE && (t->line[index].fill_modified & bit));
}
/* The line that would make room in the set: an unused way, else the oldest that is
 * neither reserved nor protected as modified; RP_NO_LINE when there is none and one is
 * reserved, else the oldest. */
uint32_t rp_tags_victim(struct rp_tags *t, uint32_t set);
/* Whether every line of the set awaits a fill. Pure. */
int rp_tags_all_reserved(const struct rp_tags *t, uint32_t set);
/* Puts tag in place of the victim `index` (whose state the caller has read) with no
 * sector present. */
void rp_tags_allocate(struct rp_tags *t, uint32_t set, uint32_t index, uint64_t tag, uint32_t now);
/* The stamps of a set have run out: small ones of the same order. */
void rp_tags_renumber(struct rp_tags *t, uint32_t set);
static inline uint32_t rp_tags_set_of(const struct rp_tags *t, uint32_t index)
{
	return t->way_bits < 32 ? index >> t->way_bits : index / t->ways;
}
/* Lines touched in one cycle are told apart by their way: the first is the victim. */
static inline void rp_tags_make_youngest(struct rp_tags *t, uint32_t set, uint32_t index, uint32_t now)
{
	struct rp_set *s = &t->set[set];
	if (s->now != now && ++s->stamp == UINT32_MAX) {
		rp_tags_renumber(t, set);
		s->stamp++;
	}
	s->now = now;
	t->stamp[index] = s->stamp;
}
/* Marks the line as touched at `now`, where time never goes back: without a look at the line. */
static inline void rp_tags_touch_later(struct rp_tags *t, uint32_t index, uint32_t now)
{
	if (!t->fifo)
		rp_tags_make_youngest(t, rp_tags_set_of(t, index), index, now);
}
/* Marks the line as touched at `now`; nothing changes if it was before, in that cycle. */
static inline void rp_tags_touch(struct rp_tags *t, uint32_t index, uint32_t now)
{
	if (t->fifo || t->touched[index] == now)
		return;
	t->touched[index] = now;
	rp_tags_make_youngest(t, rp_tags_set_of(t, index), index, now);
}
/* Reserves one sector for a fill; what was modified becomes modified again then. */
void rp_tags_reserve_modified(struct rp_tags *t, uint32_t index, uint32_t bit);
static inline void rp_tags_reserve(struct rp_tags *t, uint32_t index, uint32_t sector)
{
	struct rp_line *l = &t->line[index];
	uint8_t bit = (uint8_t)(1u << sector), others = (uint8_t)~bit;
	l->fill_modified &= others;
	if (l->modified & bit)
		rp_tags_reserve_modified(t, index, bit);
	l->valid &= others;
	l->unreadable &= others;
	l->reserved |= bit;
	rp_put_bit(t->reserved, index, 1);
}
/* The line can be a victim again. */
static inline void rp_tags_missed(struct rp_tags *t, uint32_t index, int modified)
{
	if (t->ways <= RP_STAMPS)
		return;
	struct rp_queue *q = &t->queue[2 * rp_tags_set_of(t, index)];
	rp_queue_missed(q, t->stamp[index]);
	if (!modified)
		rp_queue_missed(q + 1, t->stamp[index]);
}
/* Fills of these sectors have come, or are not waited for any more. */
static inline void rp_tags_unreserve(struct rp_tags *t, uint32_t index, uint32_t sectors)
{
	struct rp_line *l = &t->line[index];
	l->reserved &= (uint8_t)~sectors;
	if (l->reserved)
		return;
	rp_put_bit(t->reserved, index, 0);
	rp_tags_missed(t, index, l->modified != 0);
}
/* The data of a sector, which was reserved or is to become modified. */
void rp_tags_fill_modified(struct rp_tags *t, uint32_t index, uint32_t bit);
static inline void rp_tags_fill(struct rp_tags *t, uint32_t index, uint32_t sector, int modified)
{
	struct rp_line *l = &t->line[index];
	uint8_t bit = (uint8_t)(1u << sector), others = (uint8_t)~bit;
	if ((l->fill_modified & bit) || modified)
		rp_tags_fill_modified(t, index, bit);
	if (l->reserved & bit)
		rp_tags_unreserve(t, index, bit);
	l->fill_modified &= others;
	l->unreadable &= others;
	l->valid |= bit;
	l->filled = 1;
}
/* A store of the masked bytes to a sector, in any state. */
void rp_tags_store(struct rp_tags *t, uint32_t index, uint32_t sector, uint32_t bytes);
/* The line's modified sectors have been written back, and stay. */
void rp_tags_clean(struct rp_tags *t, uint32_t index);
/* The longest unused line of the set with modified sectors, if more than `most` of its lines have any; else
 * RP_NO_LINE. */
uint32_t rp_tags_oldest_modified(const struct rp_tags *t, uint32_t set, uint32_t most);
/* Marks a valid sector modified (atomics). */
void rp_tags_modify(struct rp_tags *t, uint32_t index, uint32_t sector);
/* Drops sectors; the line leaves when none is left. */
void rp_tags_drop(struct rp_tags *t, uint32_t index, uint32_t sectors);

#endif

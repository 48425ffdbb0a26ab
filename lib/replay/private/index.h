/* index.h - where the lines of a cache are, by their tags (private).
 *
 * An open hash with linear probing. A slot holds index + 1 and, above, as many low bits of the
 * hash as fit: they tell most other tags apart without a look at their lines, and in all but
 * huge caches the slot where the probing for the line began. */
#ifndef CT_REPLAY_PRIVATE_INDEX_H
#define CT_REPLAY_PRIVATE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"

enum { RP_INDEX_NONE = 0xffffffffu };

struct rp_index {
	uint32_t *slot;            /* 0: empty */
	uint32_t mask;             /* slots - 1 */
	uint32_t bits;             /* of index + 1 */
	uint32_t homes;            /* the bits above tell the slot at which probing began */
	uint32_t line_bits;        /* log2 of the bytes of a line */
	const unsigned char *line; /* the caller's lines, each of which begins with its tag */
};

/* An empty index of up to `capacity` lines; the caller's lines are to be set. Its slots are the pool's.
 * CT_OK, CT_ERR_UNSUPPORTED for more lines than a slot can name, CT_ERR_NOMEM. */
int rp_index_init(struct rp_index *x, uint32_t capacity, uint32_t line_bits, struct ct_pool *pool,
                  struct ct_error *e);
void rp_index_clear(struct rp_index *x);
/* The line of that index, by its tag, which is not in (is in) the index. */
void rp_index_insert(struct rp_index *x, uint32_t index);
void rp_index_remove(struct rp_index *x, uint32_t index);

static inline uint32_t rp_index_mix(uint64_t tag)
{
	return (uint32_t)(tag * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline uint64_t rp_index_tag(const struct rp_index *x, uint32_t index)
{
	return *(const uint64_t *)(const void *)(x->line + ((size_t)index << x->line_bits));
}

static inline uint32_t rp_index_of(const struct rp_index *x, uint32_t slot)
{
	return (slot & ((1u << x->bits) - 1)) - 1;
}

/* Where looking up the tag begins. */
static inline const uint32_t *rp_index_slot(const struct rp_index *x, uint64_t tag)
{
	return &x->slot[rp_index_mix(tag) & x->mask];
}

/* Where the line seems to be, without a look at it; RP_INDEX_NONE: it is absent. */
static inline uint32_t rp_index_guess(const struct rp_index *x, uint64_t tag)
{
	uint32_t m = rp_index_mix(tag), print = m << x->bits, v;
	for (uint32_t h = m & x->mask; (v = x->slot[h]) != 0; h = (h + 1) & x->mask)
		if ((v ^ print) >> x->bits == 0)
			return rp_index_of(x, v);
	return RP_INDEX_NONE;
}

/* Index of the line, or RP_INDEX_NONE. */
static inline uint32_t rp_index_find(const struct rp_index *x, uint64_t tag)
{
	uint32_t m = rp_index_mix(tag), print = m << x->bits, v;
	for (uint32_t h = m & x->mask; (v = x->slot[h]) != 0; h = (h + 1) & x->mask)
		if ((v ^ print) >> x->bits == 0 && rp_index_tag(x, rp_index_of(x, v)) == tag)
			return rp_index_of(x, v);
	return RP_INDEX_NONE;
}

#endif

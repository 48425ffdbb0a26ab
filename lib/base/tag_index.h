/* tag_index.h - where the lines of a cache are, by their tags.
 *
 * An open hash with linear probing, at most half full. A slot holds a line's number + 1 and, above, as many low bits of the
 * hash as fit: they tell most other tags apart without a look at their lines, and in all but huge caches the slot
 * where the probing for the line began. */
#ifndef CT_BASE_TAG_INDEX_H
#define CT_BASE_TAG_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "base/pool.h"

CT_DECLS_BEGIN

#define CT_TAG_INDEX_NONE UINT32_MAX

struct ct_tag_index {
	uint32_t *slot;     /* 0: empty */
	uint32_t mask;      /* slots - 1 */
	uint32_t bits;      /* of a line's number + 1 */
	uint32_t homes;     /* the bits above tell the slot at which probing began */
	uint32_t line_bits; /* log2 of the bytes of a line */
	const unsigned char
		*line; /* the caller's lines, each of which begins with its tag, a uint64_t */
};

/* An empty index of up to `capacity` lines of 2^line_bits bytes; the caller sets `line`. Its slots are the pool's.
 * CT_OK, CT_ERR_UNSUPPORTED for more lines than a slot can name (2^21 - 2), CT_ERR_NOMEM. */
int ct_tag_index_init(struct ct_tag_index *x, uint32_t capacity, uint32_t line_bits,
                      struct ct_pool *pool, struct ct_error *e);
/* No line is in it. */
void ct_tag_index_clear(struct ct_tag_index *x);
/* The line of that number, by its tag, which is not in (is in) the index. */
void ct_tag_index_insert(struct ct_tag_index *x, uint32_t index);
void ct_tag_index_remove(struct ct_tag_index *x, uint32_t index);

/* The hash of a tag. Pure, as those below are. */
static inline uint32_t ct_tag_index_mix(uint64_t tag)
{
	return (uint32_t)(tag * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The tag of a line. */
static inline uint64_t ct_tag_index_tag(const struct ct_tag_index *x, uint32_t index)
{
	return *(const uint64_t *)(const void *)(x->line + ((size_t)index << x->line_bits));
}

/* The line that a used slot holds. */
static inline uint32_t ct_tag_index_of(const struct ct_tag_index *x, uint32_t slot)
{
	return (slot & ((1u << x->bits) - 1)) - 1;
}

/* Where looking up the tag begins. */
static inline const uint32_t *ct_tag_index_slot(const struct ct_tag_index *x, uint64_t tag)
{
	return &x->slot[ct_tag_index_mix(tag) & x->mask];
}

/* Where the line seems to be, without a look at it; CT_TAG_INDEX_NONE: it is absent. */
static inline uint32_t ct_tag_index_guess(const struct ct_tag_index *x, uint64_t tag)
{
	uint32_t m = ct_tag_index_mix(tag), print = m << x->bits, v;
	for (uint32_t h = m & x->mask; (v = x->slot[h]) != 0; h = (h + 1) & x->mask)
		if ((v ^ print) >> x->bits == 0)
			return ct_tag_index_of(x, v);
	return CT_TAG_INDEX_NONE;
}

/* The line of that tag, or CT_TAG_INDEX_NONE. */
static inline uint32_t ct_tag_index_find(const struct ct_tag_index *x, uint64_t tag)
{
	uint32_t m = ct_tag_index_mix(tag), print = m << x->bits, v;
	for (uint32_t h = m & x->mask; (v = x->slot[h]) != 0; h = (h + 1) & x->mask)
		if ((v ^ print) >> x->bits == 0 && ct_tag_index_tag(x, ct_tag_index_of(x, v)) == tag)
			return ct_tag_index_of(x, v);
	return CT_TAG_INDEX_NONE;
}

CT_DECLS_END

#endif

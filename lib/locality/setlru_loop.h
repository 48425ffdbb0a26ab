/* setlru_loop.h - the loop over accesses with 32-bit tags, compiled once per instruction
 * set. The including file defines
 *   move_t                    how far a list moves, as the next two want it
 *   find_and_move(tag, q, m)  position of q among the 16 tags (16: absent); moves q to
 *                             the front and what was before it back by one, *m says so
 *   run_move(run, m, v)       the same move for the sector states, v comes to the front
 *   count_bytes(b, n, count)  adds to count[v] how often v (0 to 16) is among n bytes,
 *                             n a multiple of 64
 *   RUN                       name of the compiled function
 * Accesses go in blocks: sets and tags of a block are found, with its sets' lines under
 * way, while the block before is looked up. What is found is counted afterwards, bytes
 * against each position, because an increment would wait for the one before. Nothing
 * depends on the position by a branch. Private to the room. */

#include "locality/setlru_kernel.h"

struct block {
	uint32_t at[CT_SETLRU_BLOCK]; /* first place of the set */
	uint32_t tag[CT_SETLRU_BLOCK];
	size_t n; /* accesses that 32-bit tags can hold */
};

/* Tags and places of a block's lines. Returns whether one of them is too far from the others for 32
 * bits. */
CT_INLINE uint64_t find_tags(const struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                             size_t n, struct block *b)
{
	uint64_t base = s->base - 1, far = 0;
	uint32_t low = s->sets - 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t q = line[i] - base;
		far |= q - 1 >= UINT32_MAX;
		b->tag[i] = (uint32_t)q;
	}
	if (set)
		for (size_t i = 0; i < n; i++)
			b->at[i] = set[i] * CT_SETLRU_WAYS;
	else
		for (size_t i = 0; i < n; i++)
			b->at[i] = ((uint32_t)line[i] & low) * CT_SETLRU_WAYS;
	return far;
}

CT_INLINE void make_block(const struct ct_setlru *s, const uint64_t *line, const uint32_t *set, size_t n,
                          struct block *b)
{
	/* A constant number of rounds is what compilers make vectors of. */
	uint64_t far = n == CT_SETLRU_BLOCK ? find_tags(s, line, set, CT_SETLRU_BLOCK, b)
	                                    : find_tags(s, line, set, n, b);
	b->n = n;
	for (size_t i = 0; far && i < n; i++)
		if (line[i] - s->base >= UINT32_MAX) {
			b->n = i;
			break;
		}
}

/* Looks a block's lines up, each in its set, and prefetches the sets of the next block meanwhile. */
CT_INLINE void look_up(struct ct_setlru *s, const struct block *b, const struct block *next,
                       const uint8_t *mask, uint8_t *position, uint32_t *state, int sectored)
{
	uint32_t *tags = s->tag, *runs = s->run;
	for (size_t i = 0; i < b->n; i++) {
		move_t m;
		CT_PREFETCH(tags + next->at[i]);
		unsigned p = find_and_move(tags + b->at[i], b->tag[i], &m);
		position[i] = (uint8_t)p;
		if (sectored) {
			uint32_t *run = runs + b->at[i];
			CT_PREFETCH(runs + next->at[i]);
			uint32_t touched = ct_setlru_bytes_of[mask[i]];
			uint32_t r = ct_setlru_max(run[p % CT_SETLRU_WAYS], p);
			state[i] = r | ~touched;
			run_move(run, m, r & ~touched);
		}
	}
}

/* Runs n accesses in blocks and counts their positions. Returns how many were done before a line came
 * that 32-bit tags cannot hold. */
CT_INLINE size_t setlru_loop(struct ct_setlru *s, const uint64_t *line, const uint32_t *set,
                             const uint8_t *mask, size_t n, uint8_t *position, int sectored)
{
	uint32_t state[CT_SETLRU_PIECE];
	struct block b[2];
	size_t i = 0, done = 0, size = n < CT_SETLRU_BLOCK ? n : CT_SETLRU_BLOCK;
	memset(b, 0, sizeof b);
	make_block(s, line, set, size, &b[0]);
	for (unsigned k = 0; i < n; k ^= 1) {
		size_t from = i;
		i += size;
		size = n - i < CT_SETLRU_BLOCK ? n - i : CT_SETLRU_BLOCK;
		if (size > 0)
			make_block(s, line + i, set ? set + i : NULL, size, &b[k ^ 1]);
		look_up(s, &b[k], &b[k ^ 1], mask + from, position + from, state + from, sectored);
		done = from + b[k].n;
		if (done < i)
			break;
	}
	/* Bytes that are no position fill the last 64. */
	size_t padding = (64 - done % 64) % 64;
	memset(position + done, 0xff, padding);
	count_bytes(position, done + padding, s->count);
	if (sectored) {
		memset(state + done, 0xff, padding * sizeof *state);
		count_bytes((const uint8_t *)state, (done + padding) * sizeof *state, s->sector_count);
	}
	return done;
}

size_t RUN(struct ct_setlru *s, const uint64_t *line, const uint32_t *set, const uint8_t *mask, size_t n,
           uint8_t *position)
{
	return s->run ? setlru_loop(s, line, set, mask, n, position, 1)
	              : setlru_loop(s, line, set, mask, n, position, 0);
}

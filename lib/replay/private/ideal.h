/* ideal.h - a sectored LRU cache without sets whose fills take no time: of a given size,
 * or without end. */
#ifndef CT_REPLAY_IDEAL_H
#define CT_REPLAY_IDEAL_H

#include <stddef.h>
#include <stdint.h>

struct rp_ideal_line {
	uint64_t line;
	uint32_t next; /* in its bucket, or next free */
	uint32_t older, younger;
	uint32_t bytes; /* entry of written[], RP_NO_INDEX: none */
	uint8_t valid, unreadable;
};

/* Zero-initialise but for capacity. */
struct rp_ideal {
	uint64_t capacity; /* lines; 0: without end */
	struct rp_ideal_line *l;
	size_t cap;
	uint32_t n, used; /* entries of l ever in use; lines present */
	uint32_t free;    /* list, valid while n > used */
	uint32_t oldest, youngest;
	uint32_t *bucket;       /* index + 1 */
	uint32_t buckets;       /* power of two, 0 at the start */
	uint32_t (*written)[8]; /* bytes written of each sector that is partly so */
	size_t written_cap;
	uint32_t written_n;
};

/* Sectors of the line that a load (store) finds. Pure. */
uint32_t rp_ideal_find(const struct rp_ideal *c, uint64_t line, int store);
/* A load of the sectors: they are there afterwards, the line is the youngest. -1: out of
 * memory. */
int rp_ideal_load(struct rp_ideal *c, uint64_t line, uint32_t sectors);
/* A store that allocates; bytes[s] is the mask of what is written of sector s. */
int rp_ideal_store(struct rp_ideal *c, uint64_t line, uint32_t sectors, const uint32_t bytes[8]);
/* The line, if there, becomes the youngest. */
void rp_ideal_touch(struct rp_ideal *c, uint64_t line);
/* Drops sectors; the line leaves with its last. */
void rp_ideal_drop(struct rp_ideal *c, uint64_t line, uint32_t sectors);
void rp_ideal_empty(struct rp_ideal *c); /* keeps the memory */
void rp_ideal_free(struct rp_ideal *c);

#endif

/* brute_cache.h - a set-associative LRU cache with sectors, by walking ways: obvious on
 * purpose. Twin of setlru.h and of the analytic curves. */
#ifndef TESTS_SUPPORT_BRUTE_CACHE_H
#define TESTS_SUPPORT_BRUTE_CACHE_H

#include <stdint.h>

struct brute_cache {
	unsigned sets, ways;
	uint64_t *line;   /* per set most recent first */
	uint32_t *sector; /* valid sectors of each */
	unsigned *fill;
};

void brute_cache_init(struct brute_cache *c, unsigned sets, unsigned ways); /* aborts */
void brute_cache_free(struct brute_cache *c);
/* Touches the sectors of mask; returns which of them were there (0 if the line was not),
 * *line_hit says whether the line was. Allocates line and sectors. */
uint32_t brute_cache_access(struct brute_cache *c, uint64_t line, unsigned set, uint32_t mask,
                            int *line_hit);

#endif

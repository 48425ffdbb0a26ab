#include "tests/support/brute_cache.h"

#include <stdlib.h>
#include <string.h>

void brute_cache_init(struct brute_cache *c, unsigned sets, unsigned ways)
{
	c->sets = sets;
	c->ways = ways;
	c->line = calloc((size_t)sets * ways, sizeof *c->line);
	c->sector = calloc((size_t)sets * ways, sizeof *c->sector);
	c->fill = calloc(sets, sizeof *c->fill);
	if (!c->line || !c->sector || !c->fill)
		abort();
}

void brute_cache_free(struct brute_cache *c)
{
	free(c->line);
	free(c->sector);
	free(c->fill);
}

uint32_t brute_cache_access(struct brute_cache *c, uint64_t line, unsigned set, uint32_t mask,
                            int *line_hit)
{
	uint64_t *l = c->line + (size_t)set * c->ways;
	uint32_t *s = c->sector + (size_t)set * c->ways;
	unsigned p = 0, valid = 0;
	while (p < c->fill[set] && l[p] != line)
		p++;
	*line_hit = p < c->fill[set];
	if (*line_hit)
		valid = s[p];
	else if (c->fill[set] < c->ways)
		c->fill[set]++;
	else
		p = c->ways - 1;
	memmove(l + 1, l, p * sizeof *l);
	memmove(s + 1, s, p * sizeof *s);
	l[0] = line;
	s[0] = valid | mask;
	return valid & mask;
}

/* Caches in either form (cache.h). */
#include "replay/private/cache.h"

int rp_cache_init(struct rp_cache *c, int waits_for_fills, const struct ct_cache_params *p,
                  uint32_t lines, struct ct_pool *pool, struct ct_error *e)
{
	uint32_t sectors = p->line / p->sector, fifo = p->replacement == CT_REPL_FIFO;
	c->waits_for_fills = waits_for_fills != 0;
	if (waits_for_fills)
		return rp_tags_init(&c->tags, lines, sectors, fifo, p->dirty_percent, pool, e);
	return rp_lru_init(&c->lru, lines, sectors, 1, fifo, p->dirty_percent, pool, e);
}

void rp_cache_shape(struct rp_cache *c, uint32_t sets, uint32_t ways)
{
	if (c->waits_for_fills)
		rp_tags_shape(&c->tags, sets, ways);
	else
		rp_lru_shape(&c->lru, sets, ways);
}

int rp_cache_has_shape(const struct rp_cache *c, uint32_t sets, uint32_t ways)
{
	if (c->waits_for_fills)
		return c->tags.sets == sets && c->tags.ways == ways;
	return c->lru.sets == sets && c->lru.ways == ways;
}

void rp_cache_flush(struct rp_cache *c)
{
	if (c->waits_for_fills)
		rp_tags_flush(&c->tags);
	else
		rp_lru_flush(&c->lru);
}

uint32_t rp_cache_capacity(const struct rp_cache *c)
{
	return c->waits_for_fills ? c->tags.capacity : c->lru.capacity;
}

int rp_cache_next_line(const struct rp_cache *c, uint32_t *at, uint64_t *tag)
{
	uint32_t n = c->waits_for_fills ? c->tags.lines : c->lru.lines;
	while (*at < n) {
		uint32_t i = (*at)++;
		if (c->waits_for_fills && c->tags.line[i].used && c->tags.line[i].filled) {
			*tag = c->tags.line[i].tag;
			return 1;
		}
		if (!c->waits_for_fills && rp_lru_at(&c->lru, i)->used &&
		    rp_lru_at(&c->lru, i)->filled) {
			*tag = rp_lru_at(&c->lru, i)->tag;
			return 1;
		}
	}
	return 0;
}

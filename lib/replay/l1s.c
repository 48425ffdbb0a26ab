#include "replay/l1s.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/mem.h"
#include "base/pool.h"
#include "gpu/address.h"
#include "replay/parts.h"
#include "replay/private/instruction.h"
#include "replay/private/lru.h"

struct ct_l1s {
	struct ct_gpu g;
	struct ct_pool pool;
	struct rp_lru *cache; /* of each SM */
	uint32_t now;         /* grows with each access: the youngest line is the last touched */
};

struct ct_l1s *ct_l1s_new(const struct ct_gpu *g, struct ct_error *e)
{
	struct ct_l1s *l = ct_calloc(1, sizeof *l);
	int st = l ? CT_OK : CT_ERR_NOMEM;
	const uint32_t sectors = g->l1.line / g->l1.sector, fifo = g->l1.replacement == CT_REPL_FIFO;
	if (l) {
		l->g = *g;
		l->cache = ct_pool_take(&l->pool, g->sms, sizeof *l->cache);
		st = l->cache ? CT_OK : CT_ERR_NOMEM;
	}
	for (uint32_t i = 0; st == CT_OK && i < g->sms; i++) {
		st = rp_lru_init(&l->cache[i], ct_admission_slots(g), sectors, 0, fifo,
		                 g->l1.dirty_percent, &l->pool, e);
		if (st == CT_OK)
			rp_lru_shape(&l->cache[i], g->l1.sets, g->l1.ways);
	}
	if (st == CT_OK)
		return l;
	ct_l1s_free(l);
	ct_fail_nomem(e);
	return NULL;
}

void ct_l1s_free(struct ct_l1s *l)
{
	if (!l)
		return;
	ct_pool_free(&l->pool);
	free(l);
}

void ct_l1s_launch(struct ct_l1s *l, uint32_t sets, uint32_t ways)
{
	for (uint32_t i = 0; i < l->g.sms; i++) {
		struct rp_lru *t = &l->cache[i];
		if (t->sets != sets || t->ways != ways)
			rp_lru_shape(t, sets, ways);
		else if (l->g.l1_flush)
			rp_lru_flush(t);
	}
}

void ct_l1s_wipe(struct ct_l1s *l, uint32_t sm)
{
	rp_lru_flush(&l->cache[sm]);
}

/* The line takes the place of the oldest one of its set. */
static uint32_t make_room(struct rp_lru *t, uint32_t set, uint64_t line, uint32_t now)
{
	uint32_t i = rp_lru_victim(t, set);
	rp_lru_allocate(t, set, i, line, now);
	return i;
}

/* A store meets its line as the GPU's policy says; `i`: where the line is, or RP_LRU_NONE. */
static void store(struct ct_l1s *l, struct rp_lru *t, uint32_t set, uint32_t i,
                  const struct ct_l1s_access *a)
{
	const enum rp_store_rule rule = rp_store_rule(&l->g);
	const int had = i != RP_LRU_NONE;
	if (had && rule == RP_STORE_DROPS) {
		uint32_t there = rp_lru_at(t, i)->valid & a->sectors;
		if (there)
			rp_lru_drop(t, i, there);
	} else if (had) {
		rp_lru_touch(t, set, i, l->now);
	}
	if (rule != RP_STORE_WRITES)
		return;
	if (!had)
		i = make_room(t, set, a->line, l->now);
	for (uint32_t left = a->sectors; left; left &= left - 1) {
		uint32_t k = ct_low_bit(left);
		rp_lru_store(t, i, k, a->whole >> k & 1 ? UINT32_MAX : 0);
	}
}

uint8_t ct_l1s_whole(const struct ct_gpu *g, const uint64_t bytes[2])
{
	uint32_t whole = 0;
	if (g->l1.sector != 32 || g->l1.line > 128) /* requests do not name their bytes so */
		return UINT8_MAX;
	for (uint32_t k = 0; k < g->l1.line / 32; k++)
		whole |= (uint32_t)(rp_sector_bytes(bytes, k) == UINT32_MAX) << k;
	return (uint8_t)whole;
}

uint32_t ct_l1s_access(struct ct_l1s *l, uint32_t sm, const struct ct_l1s_access *a)
{
	struct rp_lru *t = &l->cache[sm];
	if (a->bypass)
		return a->sectors;
	uint32_t set = ct_set_index((enum ct_set_hash)l->g.l1.set_hash, t->sets, a->line);
	uint32_t i = rp_lru_find(t, set, a->line);
	l->now++;
	if (a->is_store) {
		store(l, t, set, i, a);
		return a->sectors;
	}
	if (i == RP_LRU_NONE)
		i = make_room(t, set, a->line, l->now);
	else
		rp_lru_touch(t, set, i, l->now);
	struct rp_entry *e = rp_lru_at(t, i);
	uint32_t missing = a->sectors & ~rp_lru_hits(e);
	rp_lru_fill(e, missing);
	return missing;
}

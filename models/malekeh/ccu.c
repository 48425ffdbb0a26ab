/* Caching collectors (reading caching-collector of doc/papers/malekeh.md). */
#include "models/malekeh/core_internal.h"

static void drop_entry(struct mk_table *t, uint32_t entry)
{
	t->valid &= ~mk_bit(entry);
	t->where[t->reg[entry]] = 0;
}

static void empty_table(struct mk_table *t)
{
	while (t->valid)
		drop_entry(t, ct_low_bit(t->valid));
	t->near = t->lock = 0;
}

static void flush_table(struct mk_sm *sm, struct mk_table *t)
{
	sm->c.flushes += t->valid != 0;
	empty_table(t);
}

void mk_ccu_end(struct mk_core *k, uint32_t warp)
{
	int32_t c = k->warp[warp].ccu;
	if (c == MK_NONE)
		return;
	empty_table(&k->table[c]);
	k->table[c].owner = MK_NONE;
	k->warp[warp].ccu = MK_NONE;
}

/* The collector's warp changes: a warp never has data in two (our reading for GTO+LRU too). */
static void give_collector(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp)
{
	struct mk_table *t = &k->table[c];
	int32_t other = k->warp[warp].ccu;
	if (t->owner == (int32_t)warp)
		return;
	if (other != MK_NONE) {
		flush_table(sm, &k->table[other]);
		k->table[other].owner = MK_NONE;
	}
	flush_table(sm, t);
	if (t->owner != MK_NONE && k->warp[t->owner].ccu == (int32_t)c)
		k->warp[t->owner].ccu = MK_NONE;
	t->owner = (int32_t)warp;
	k->warp[warp].ccu = (int32_t)c;
}

static uint32_t oldest_entry(const struct mk_table *t, uint64_t mask)
{
	uint32_t best = ct_low_bit(mask);
	for (mask &= mask - 1; mask; mask &= mask - 1) {
		uint32_t i = ct_low_bit(mask);
		if (t->stamp[i] < t->stamp[best])
			best = i;
	}
	return best;
}

/* Reading table-victims: an empty entry, else a far one at random, else the least recently
 * used; never a locked one. MK_NONE when all are locked. */
static int32_t choose_victim(struct mk_sm *sm, const struct mk_table *t)
{
	uint64_t all = sm->sys->entries >= 64 ? UINT64_MAX : mk_bit(sm->sys->entries) - 1;
	uint64_t unused = all & ~t->valid, open = t->valid & ~t->lock, far = open & ~t->near;
	if (unused)
		return (int32_t)ct_low_bit(unused);
	if (!open)
		return MK_NONE;
	if (far && !sm->sys->lru)
		return (int32_t)mk_any(sm, far);
	return (int32_t)oldest_entry(t, open);
}

static int32_t insert_register(struct mk_sm *sm, struct mk_table *t, uint8_t reg)
{
	int32_t i = choose_victim(sm, t);
	if (i == MK_NONE)
		return i;
	if (t->valid >> i & 1)
		drop_entry(t, (uint32_t)i);
	t->valid |= mk_bit((uint32_t)i);
	t->reg[i] = reg;
	t->where[reg] = (uint8_t)(i + 1);
	return i;
}

static void mark_used(struct mk_table *t, uint32_t i, int near)
{
	t->near = (t->near & ~mk_bit(i)) | (near ? mk_bit(i) : 0);
	t->stamp[i] = ++t->clock;
}

/* Tags are checked for all sources at once, before anything is replaced. */
uint32_t mk_ccu_enter(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                      const struct mk_flight *f)
{
	struct mk_table *t = &k->table[c];
	const uint8_t *src = sm->s->reads + f->op->src;
	unsigned n = f->op->nsrc < CT_MK_SLOTS ? f->op->nsrc : CT_MK_SLOTS, asked = 0;
	give_collector(sm, k, c, warp);
	for (unsigned i = 0; i < n; i++)
		if (t->where[src[i]])
			t->lock |= mk_bit(t->where[src[i]] - 1u);
	for (unsigned i = 0; i < n; i++) {
		int32_t entry = t->where[src[i]] - 1;
		if (entry >= 0) {
			int again = 0;
			for (unsigned q = 0; q < i; q++)
				again |= src[q] == src[i];
			sm->c.hits++;
			sm->c.repeats += (uint64_t)again;
			sm->c.cache_reads++;
		} else {
			entry = insert_register(sm, t, src[i]);
			mk_bank_read(sm, k, warp, src[i], c);
			sm->c.cache_fills += entry >= 0;
			asked++;
		}
		if (entry >= 0) {
			t->lock |= mk_bit((uint32_t)entry);
			mark_used(t, (uint32_t)entry, (int)(f->bits >> i & 1));
		}
	}
	for (unsigned i = n; i < f->op->nsrc; i++, asked++) {
		sm->c.uncached++;
		mk_bank_read(sm, k, warp, src[i], c);
	}
	return asked;
}

void mk_ccu_leave(struct mk_core *k, uint32_t c)
{
	k->table[c].lock = 0;
}

int mk_ccu_port(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	int32_t c = k->warp[warp].ccu;
	struct mk_table *t = c == MK_NONE ? NULL : &k->table[c];
	if (!t)
		return 0;
	if (t->port != now + 1) {
		t->port = now + 1;
		t->ports = 0;
	}
	return !sm->sys->ports || t->ports++ < sm->sys->ports;
}

void mk_ccu_put(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint8_t reg, int near, int granted)
{
	int32_t c = k->warp[warp].ccu;
	if (c == MK_NONE)
		return;
	struct mk_table *t = &k->table[c];
	int32_t entry = t->where[reg] - 1;
	if ((near || sm->sys->lru) && granted) {
		if (entry < 0)
			entry = insert_register(sm, t, reg);
		if (entry < 0)
			return;
		mark_used(t, (uint32_t)entry, near);
		sm->c.cache_writes++;
		return;
	}
	sm->c.lost += (uint64_t)near;
	if (entry >= 0 && !(t->lock >> entry & 1)) { /* reading stale-copies */
		drop_entry(t, (uint32_t)entry);
		sm->c.stale++;
	}
}

void mk_ccu_result(struct mk_sm *sm, struct mk_core *k, const struct mk_flight *f, uint64_t now)
{
	const uint8_t *dst = sm->s->writes + f->op->dst;
	int asked = 0, granted = 0;
	for (unsigned i = 0; i < f->op->ndst; i++) {
		uint32_t bit = CT_MK_BIT_DST + i;
		int near = bit < CT_MK_BIT_COUNT && (f->bits >> bit & 1);
		mk_bank_write(sm, k, f->warp, dst[i], now);
		if ((near || sm->sys->lru) && !asked) {
			asked = 1;
			granted = mk_ccu_port(sm, k, f->warp, now);
		}
		mk_ccu_put(sm, k, f->warp, dst[i], near, granted);
	}
}

uint64_t mk_ccu_far(const struct mk_core *k, uint64_t free)
{
	uint64_t far = 0;
	for (; free; free &= free - 1) {
		uint32_t c = ct_low_bit(free);
		if (!(k->table[c].valid & k->table[c].near))
			far |= mk_bit(c);
	}
	return far;
}

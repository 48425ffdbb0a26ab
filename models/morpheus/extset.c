#include "models/morpheus/extset.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const unsigned SLOTS_PER_REGISTER[CT_MO_LEVELS] = {4, 2, 1};

struct block {
	uint64_t tag, stamp; /* stamp: time of last use, or the LRU counter */
	unsigned char valid, dirty, touched, need, slot; /* need, slot: enum ct_mo_level */
};

struct ct_mo_set {
	struct ct_mo_set_params p;
	uint64_t clock, counter_max;
	unsigned capacity, resident;
	unsigned registers[CT_MO_LEVELS];
	unsigned used[CT_MO_LEVELS];     /* slots of each level that hold a block */
	unsigned of_level[CT_MO_LEVELS]; /* blocks that need each level */
	int settled; /* nothing has been asked for since an epoch that evicted nothing: another one would change nothing */
	struct block *b;
};

struct ct_mo_set *ct_mo_set_new(const struct ct_mo_set_params *p, struct ct_error *e)
{
	if (p->registers < 1 || p->registers > 65536 ||
	    (p->lru != CT_MO_LRU_EXACT && (p->lru_bits < 1 || p->lru_bits > 31))) {
		ct_fail(e, CT_ERR_USAGE,
		        "extended set of %u registers and %u LRU bits: use 1 to 65536 and 1 to 31",
		        p->registers, p->lru_bits);
		return NULL;
	}
	struct ct_mo_set *s = ct_calloc(1, sizeof *s);
	if (s) {
		s->p = *p;
		s->capacity = p->blocks_max ? p->blocks_max : 4 * p->registers;
		s->counter_max = ((uint64_t)1 << (p->lru_bits & 31)) - 1;
		s->registers[CT_MO_LEVEL_NONE] = p->registers;
		s->b = ct_calloc(s->capacity, sizeof *s->b);
	}
	if (!s || !s->b) {
		ct_mo_set_free(s);
		ct_fail_nomem(e);
		return NULL;
	}
	return s;
}

void ct_mo_set_free(struct ct_mo_set *s)
{
	if (!s)
		return;
	free(s->b);
	free(s);
}

static struct block *find_block(const struct ct_mo_set *s, uint64_t tag)
{
	for (unsigned i = 0; i < s->capacity; i++)
		if (s->b[i].valid && s->b[i].tag == tag)
			return &s->b[i];
	return NULL;
}

int ct_mo_set_holds(const struct ct_mo_set *s, uint64_t block)
{
	return find_block(s, block) != NULL;
}

static unsigned slots_of_level(const struct ct_mo_set *s, unsigned level)
{
	return s->registers[level] * SLOTS_PER_REGISTER[level];
}

/* Algorithm 1, lines 7 and 8: the block's counter is set, all others count down. */
static void make_recent(struct ct_mo_set *s, struct block *b)
{
	if (s->p.lru == CT_MO_LRU_EXACT) {
		b->stamp = ++s->clock;
		return;
	}
	for (unsigned i = 0; i < s->capacity; i++) {
		struct block *o = &s->b[i];
		if (!o->valid || o == b)
			continue;
		if (o->stamp > 0)
			o->stamp--;
		else if (s->p.lru == CT_MO_LRU_WRAP)
			o->stamp = s->counter_max;
	}
	b->stamp = s->counter_max;
}

static void evict_block(struct ct_mo_set *s, struct block *b, struct ct_mo_victims *v)
{
	s->used[b->slot]--;
	s->of_level[b->need]--;
	s->resident--;
	v->evicted++;
	v->dirty += b->dirty;
	b->valid = 0;
}

/* Least recent block in slots of one level, or of any (level < 0); lowest index on
 * ties. */
static struct block *oldest_block(const struct ct_mo_set *s, int level)
{
	struct block *best = NULL;
	for (unsigned i = 0; i < s->capacity; i++) {
		struct block *b = &s->b[i];
		if (b->valid && (level < 0 || b->slot == level) && (!best || b->stamp < best->stamp))
			best = b;
	}
	return best;
}

/* A slot for a block that needs `need`: free ones first, its own level before larger
 * ones; else the least recent block of the smallest level that fits has to go. */
static unsigned take_slot(struct ct_mo_set *s, unsigned need, struct ct_mo_victims *v)
{
	for (unsigned l = need; l < CT_MO_LEVELS; l++)
		if (s->used[l] < slots_of_level(s, l)) {
			s->used[l]++;
			return l;
		}
	unsigned l = need;
	while (l < CT_MO_LEVEL_NONE && s->registers[l] == 0)
		l++;
	evict_block(s, oldest_block(s, (int)l), v);
	s->used[l]++;
	return l;
}

/* Puts a block into a set, after evicting what has to make room for it; the new block is the most
 * recent. */
static void insert_block(struct ct_mo_set *s, uint64_t tag, int is_write, unsigned level,
                         struct ct_mo_victims *v)
{
	unsigned slot = take_slot(s, level, v);
	if (s->resident >= s->capacity)
		evict_block(s, oldest_block(s, -1), v);
	unsigned i = 0;
	while (s->b[i].valid)
		i++;
	struct block *b = &s->b[i];
	*b = (struct block){.tag = tag,
	                    .valid = 1,
	                    .dirty = is_write != 0,
	                    .touched = 1,
	                    .need = (unsigned char)level,
	                    .slot = (unsigned char)slot};
	s->resident++;
	s->of_level[level]++;
	make_recent(s, b);
}

/* A write gave the block other contents. */
static void change_level(struct ct_mo_set *s, struct block *b, unsigned level, struct ct_mo_victims *v)
{
	s->of_level[b->need]--;
	s->of_level[level]++;
	b->need = (unsigned char)level;
	if (level <= b->slot)
		return;
	/* It no longer fits its slot: the slot stays as a hole, another one is taken. It
	 * is the most recent block, and not in a slot that take_slot() looks at. */
	s->used[b->slot]--;
	b->slot = (unsigned char)take_slot(s, level, v);
}

int ct_mo_set_access(struct ct_mo_set *s, uint64_t block, int is_write, enum ct_mo_level level,
                     struct ct_mo_victims *v)
{
	struct ct_mo_victims none, *out = v ? v : &none;
	memset(out, 0, sizeof *out);
	s->settled = 0;
	struct block *b = find_block(s, block);
	if (!b) {
		insert_block(s, block, is_write, (unsigned)level, out);
		return 0;
	}
	make_recent(s, b);
	b->touched = 1;
	if (is_write) {
		b->dirty = 1;
		change_level(s, b, (unsigned)level, out);
	}
	return 1;
}

/* Registers in proportion to what residents need: quarters, halves and wholes. */
static void assign_registers(struct ct_mo_set *s)
{
	uint64_t need[CT_MO_LEVELS], sum = 0, rest[CT_MO_LEVELS];
	for (unsigned l = 0; l < CT_MO_LEVELS; l++)
		sum += need[l] = (uint64_t)s->of_level[l] * (4 / SLOTS_PER_REGISTER[l]);
	unsigned left = s->p.registers - 1; /* at least one register stays uncompressed */
	unsigned to_give = left;
	for (unsigned l = 0; l < CT_MO_LEVELS; l++) {
		s->registers[l] = (unsigned)(to_give * need[l] / sum);
		rest[l] = to_give * need[l] % sum;
		left -= s->registers[l];
	}
	while (left > 0) {
		unsigned best = CT_MO_LEVEL_NONE;
		for (unsigned l = CT_MO_LEVELS; l-- > 0;)
			if (rest[l] > rest[best])
				best = l;
		s->registers[best]++;
		rest[best] = 0;
		left--;
	}
	s->registers[CT_MO_LEVEL_NONE]++;
}

/* Most recent block not yet placed (slot == CT_MO_LEVELS). */
static struct block *next_unplaced(const struct ct_mo_set *s)
{
	struct block *best = NULL;
	for (unsigned i = 0; i < s->capacity; i++) {
		struct block *b = &s->b[i];
		if (b->valid && b->slot == CT_MO_LEVELS && (!best || b->stamp > best->stamp))
			best = b;
	}
	return best;
}

void ct_mo_set_epoch(struct ct_mo_set *s, struct ct_mo_victims *v)
{
	struct ct_mo_victims none, *out = v ? v : &none;
	memset(out, 0, sizeof *out);
	if (s->resident == 0 || s->settled)
		return;
	assign_registers(s);
	for (unsigned i = 0; i < s->capacity; i++)
		s->b[i].slot = CT_MO_LEVELS;
	memset(s->used, 0, sizeof s->used);
	for (struct block *b; (b = next_unplaced(s));) {
		unsigned l = b->need;
		while (l < CT_MO_LEVELS && s->used[l] >= slots_of_level(s, l))
			l++;
		if (l < CT_MO_LEVELS) {
			b->slot = (unsigned char)l;
			s->used[l]++;
		} else {
			b->valid = 0;
			s->of_level[b->need]--;
			s->resident--;
			out->evicted++;
			out->dirty += b->dirty;
		}
	}
	s->settled = !out->evicted;
}

unsigned ct_mo_set_resident(const struct ct_mo_set *s)
{
	return s->resident;
}

unsigned ct_mo_set_level(const struct ct_mo_set *s, enum ct_mo_level level)
{
	return s->of_level[level];
}

unsigned ct_mo_set_slots(const struct ct_mo_set *s)
{
	unsigned n = 0;
	for (unsigned l = 0; l < CT_MO_LEVELS; l++)
		n += slots_of_level(s, l);
	return n < s->capacity ? n : s->capacity;
}

unsigned ct_mo_set_registers(const struct ct_mo_set *s, enum ct_mo_level level)
{
	return s->registers[level];
}

int ct_mo_set_all_touched(const struct ct_mo_set *s)
{
	for (unsigned i = 0; i < s->capacity; i++)
		if (s->b[i].valid && !s->b[i].touched)
			return 0;
	return 1;
}

void ct_mo_set_clear_touched(struct ct_mo_set *s)
{
	for (unsigned i = 0; i < s->capacity; i++)
		s->b[i].touched = 0;
}

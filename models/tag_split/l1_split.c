/* The Tag-Split Cache (doc/papers/tag-split.md): a set is groups of chunk
 * slots. A chunk lies in any slot of a group whose shared tag is the high part of its
 * line; the private part is kept with the chunk. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/hot.h"
#include "base/mem.h"
#include "models/tag_split/l1_internal.h"

enum { PRINTS = 8 }; /* slots of which a word has bytes */

/* Masks have bit s for slot s of the set: group s / per. */
struct set {
	uint64_t valid, recent /* NRU bits */, touched, reused;
};

/* Which slots hold the line that was looked for last, and which chunks; until something is put in or leaves. */
struct found {
	uint64_t line, slots;
	uint32_t chunks;
	int known;
};

struct split {
	uint32_t slots, shared_shift;
	uint64_t every; /* mask of the slots */
	struct set *set;
	uint64_t *print; /* [set][words]: a byte for each slot, which tells most lines apart */
	uint32_t words;
	struct found last;
	uint64_t *shared;      /* [set][group], in use while the group holds anything */
	uint64_t *line;        /* [set][slot]: both parts of the tag together */
	uint8_t *chunk;        /* [set][slot]: which of the line's */
	uint64_t *stamp;       /* [set][slot], LRU */
	uint64_t *group_stamp; /* [set][group], LRU */
};

static uint32_t ceil_log2(uint32_t v)
{
	return v > 1 ? ct_high_bit(v - 1) + 1 : 0;
}

/* The set number is part of the line's address: what is above it is the tag. With a
 * hashed set number the low part still tells lines of a set apart, as the whole line
 * address does (reading stored-tag). A tag that is private throughout shares nothing. */
static uint64_t shared_of(const struct split *p, uint64_t line)
{
	return p->shared_shift < 64 ? line >> p->shared_shift : 0;
}

/* Empty sets of ways * per slots each. A tag that is private throughout shares nothing (shift 64). */
static int split_init(struct ct_ts_l1 *l1)
{
	struct split *p = l1->state = ct_calloc(1, sizeof *p);
	if (!p)
		return -1;
	p->slots = l1->s.ways * l1->per;
	p->every = p->slots == 64 ? ~UINT64_C(0) : (UINT64_C(1) << p->slots) - 1;
	p->shared_shift = l1->s.private_bits == l1->s.tag_bits
	                          ? 64
	                          : ceil_log2(l1->s.sets) + l1->s.private_bits;
	size_t sets = l1->s.sets;
	p->words = (p->slots + PRINTS - 1) / PRINTS;
	p->set = ct_calloc(sets, sizeof *p->set);
	p->print = ct_calloc(sets * p->words, sizeof *p->print);
	p->shared = ct_calloc(sets * l1->s.ways, sizeof *p->shared);
	p->group_stamp = ct_calloc(sets * l1->s.ways, sizeof *p->group_stamp);
	p->line = ct_calloc(sets * p->slots, sizeof *p->line);
	p->chunk = ct_calloc(sets * p->slots, sizeof *p->chunk);
	p->stamp = ct_calloc(sets * p->slots, sizeof *p->stamp);
	return p->set && p->print && p->shared && p->group_stamp && p->line && p->chunk && p->stamp
	               ? 0
	               : -1;
}

static void split_release(struct ct_ts_l1 *l1)
{
	struct split *p = l1->state;
	free(p->set);
	free(p->print);
	free(p->shared);
	free(p->group_stamp);
	free(p->line);
	free(p->chunk);
	free(p->stamp);
	free(p);
}

/* One access to one set. */
struct access {
	struct ct_ts_l1 *l1;
	struct split *p;
	struct set *s;
	uint64_t *shared, *group_stamp, *line, *stamp, *print;
	uint8_t *chunk;
	uint64_t want;     /* shared tag of the request */
	uint64_t matching; /* slots of groups that hold something of that shared tag; find_matching() */
	uint64_t kept;     /* slots that this access hit or filled: no victims (reading hits-stay) */
	struct ct_ts_result *r;
};

static uint64_t group_mask(const struct access *a, uint32_t g)
{
	return (uint64_t)a->l1->all << (g << a->l1->chunk_bits);
}

static uint32_t group_of(const struct access *a, uint32_t slot)
{
	return slot >> a->l1->chunk_bits;
}

/* Prepares an access to the set: where its arrays are. */
static CT_INLINE void open_set(struct access *a, const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	struct split *p = l1->state;
	a->l1 = (struct ct_ts_l1 *)l1;
	a->p = p;
	a->s = &p->set[set];
	a->shared = p->shared + (size_t)set * l1->s.ways;
	a->group_stamp = p->group_stamp + (size_t)set * l1->s.ways;
	a->line = p->line + (size_t)set * p->slots;
	a->stamp = p->stamp + (size_t)set * p->slots;
	a->chunk = p->chunk + (size_t)set * p->slots;
	a->print = p->print + (size_t)set * p->words;
	a->want = shared_of(p, line);
	a->matching = a->kept = 0;
	a->r = NULL;
}

/* Finds the slots in groups of the line's shared tag, for who puts something in. */
static void find_matching(struct access *a)
{
	uint64_t group = a->l1->all;
	for (uint32_t g = 0; g < a->l1->s.ways; g++, group <<= a->l1->per)
		if (a->shared[g] == a->want && a->s->valid & group)
			a->matching |= group;
}

static uint64_t print_of(uint64_t line)
{
	return line * UINT64_C(0x9e3779b97f4a7c15) >> 56;
}

static void set_print(struct access *a, uint32_t slot, uint64_t line)
{
	const uint32_t at = slot % PRINTS * 8;
	uint64_t *word = &a->print[slot / PRINTS];
	*word = (*word & ~(UINT64_C(255) << at)) | print_of(line) << at;
}

/* Bit i is set where byte i of the word is 0, and maybe where it is 1 above a 0. */
static uint64_t zero_bytes(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t zero = (word - ones) & ~word & ones << 7;
	return (zero >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Slots that hold chunks of the line: all of them lie in groups of its shared tag. */
static uint64_t slots_of(const struct access *a, uint64_t line)
{
	const uint64_t print = print_of(line) * UINT64_C(0x0101010101010101);
	uint64_t found = 0;
	for (uint32_t w = 0; w < a->p->words; w++)
		for (uint64_t m = zero_bytes(a->print[w] ^ print) << w * PRINTS & a->s->valid; m;
		     m &= m - 1) {
			uint32_t s = ct_low_bit(m);
			found |= (uint64_t)(a->line[s] == line) << s;
		}
	return found;
}

/* Where the line is, which whoever asks for it next finds noted. */
static const struct found *look_for(struct access *a, uint64_t line)
{
	struct found *f = &a->p->last;
	if (f->known && f->line == line)
		return f;
	*f = (struct found){.line = line, .slots = slots_of(a, line), .known = 1};
	for (uint64_t m = f->slots; m; m &= m - 1)
		f->chunks |= UINT32_C(1) << a->chunk[ct_low_bit(m)];
	return f;
}

static uint32_t count_slots(uint64_t slots)
{
	return slots >> 16 ? ct_bits(slots) : ts_few_bits((uint32_t)slots);
}

static void drop_slots(struct access *a, uint64_t slots)
{
	struct ct_ts_use *u = &a->l1->use;
	uint32_t n = count_slots(slots);
	u->fetched += n;
	u->touched += count_slots(slots & a->s->touched);
	u->reused += count_slots(slots & a->s->reused);
	a->r->evicted += n;
	a->p->last.known = 0;
	a->s->valid &= ~slots;
	a->s->recent &= ~slots; /* invalid slots count as not recent (reading nru-reset) */
}

static void touch_slot(struct access *a, uint32_t s)
{
	uint32_t g = group_of(a, s);
	a->stamp[s] = a->group_stamp[g] = a->l1->clock;
	a->s->recent |= UINT64_C(1) << s;
	a->kept |= UINT64_C(1) << s;
}

static uint64_t nth_bit(uint64_t m, uint32_t n)
{
	while (n--)
		m &= m - 1;
	return m & (0 - m);
}

/* NRU over all chunks of the set, in one step (reading nru-victims): those not recently used first. */
static uint64_t nru_victim(struct access *a)
{
	uint64_t from = a->s->valid & ~a->kept;
	if (a->l1->s.victim == CT_TS_GROUP_FIRST && from & a->matching)
		from &= a->matching;
	if (from & ~a->s->recent)
		from &= ~a->s->recent;
	if (a->l1->s.pick == CT_TS_LOWEST)
		return from & (0 - from);
	return nth_bit(from, (uint32_t)(ct_rand64(&a->l1->random) % count_slots(from)));
}

/* The oldest chunk of the oldest group: what makes 0 private bits a sector cache and
 * chunks of a whole line a plain cache, replacement included (reading no-private-bits). */
static uint64_t lru_victim(struct access *a)
{
	uint64_t from = a->s->valid & ~a->kept, best = 0;
	if (a->l1->s.victim == CT_TS_GROUP_FIRST && from & a->matching)
		from &= a->matching;
	for (uint64_t m = from; m; m &= m - 1) {
		uint32_t s = ct_low_bit(m), g = group_of(a, s);
		uint32_t b = best ? ct_low_bit(best) : 0, bg = group_of(a, b);
		if (!best || a->group_stamp[g] < a->group_stamp[bg] ||
		    (g == bg && a->stamp[s] < a->stamp[b]))
			best = m & (0 - m);
	}
	return best;
}

/* Slots of the groups that hold nothing. */
static uint64_t empty_groups(const struct access *a)
{
	uint64_t empty = 0, group = a->l1->all;
	for (uint32_t g = 0; g < a->l1->s.ways; g++, group <<= a->l1->per)
		if (!(a->s->valid & group))
			empty |= group;
	return empty;
}

/* A slot for one chunk: of `home` if that is any, in a group of the same shared tag, in
 * an empty group, or a victim's, whose group is emptied when its shared tag is another
 * (readings foreign-group-victim and matching-group-first). */
static uint32_t take_slot(struct access *a, uint64_t home)
{
	uint64_t unused = a->p->every & ~a->s->valid;
	uint64_t from = unused & (home ? home : a->matching);
	if (!from)
		from = empty_groups(a);
	if (!from) {
		uint64_t v = a->l1->s.repl == CT_TS_LRU ? lru_victim(a) : nru_victim(a);
		uint32_t g = group_of(a, ct_low_bit(v));
		a->r->replaced++;
		uint64_t others = v & a->matching ? 0 : a->s->valid & group_mask(a, g) & ~v;
		a->r->collateral += count_slots(others);
		drop_slots(a, v | others);
		from = v;
	}
	uint32_t s = ct_low_bit(from), g = group_of(a, s);
	a->shared[g] = a->want;
	a->matching |= group_mask(a, g);
	return s;
}

/* Gives each chunk a slot. Those that were asked for count as touched. */
static void fill_chunks(struct access *a, uint64_t line, uint32_t chunks, uint32_t asked)
{
	/* A fill of a whole line takes a whole free group if there is one (reading coarse-placement). */
	uint64_t home = chunks == a->l1->all ? empty_groups(a) : 0;
	if (home)
		home = group_mask(a, group_of(a, ct_low_bit(home)));
	find_matching(a);
	a->p->last.known = 0;
	for (uint32_t m = chunks; m; m &= m - 1) {
		uint32_t k = ct_low_bit(m), s = take_slot(a, home);
		uint64_t bit = UINT64_C(1) << s;
		a->line[s] = line;
		set_print(a, s, line);
		a->chunk[s] = (uint8_t)k;
		a->s->valid |= bit;
		a->s->reused &= ~bit;
		a->s->touched &= ~bit;
		if (asked >> k & 1)
			a->s->touched |= bit;
		touch_slot(a, s);
	}
}

/* Chunks that are there are touched, those that are missing get slots; when all slots are recent, none
 * is any more. */
static int split_load(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
                      struct ct_ts_result *r)
{
	struct access a;
	uint32_t want = coarse ? l1->all : chunks;
	open_set(&a, l1, set, line);
	a.r = r;
	const struct found *f = look_for(&a, line);
	uint64_t hit = 0;
	for (uint64_t m = want & f->chunks ? f->slots : 0; m; m &= m - 1) {
		uint32_t s = ct_low_bit(m), k = a.chunk[s];
		if (!(want >> k & 1))
			continue;
		touch_slot(&a, s);
		if (chunks >> k & 1)
			hit |= m & (0 - m);
	}
	a.s->touched |= hit;
	a.s->reused |= hit;
	r->hit = chunks & f->chunks;
	r->miss = want & ~f->chunks;
	if (r->miss)
		fill_chunks(&a, line, r->miss, chunks);
	if ((a.s->recent & a.p->every) == a.p->every)
		a.s->recent = 0; /* all of them at once (reading nru-reset) */
	return CT_OK;
}

/* Says which chunks are there; with write-evict they leave. */
static int split_store(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                       struct ct_ts_result *r)
{
	struct access a;
	open_set(&a, l1, set, line);
	a.r = r;
	for (uint64_t m = slots_of(&a, line); m; m &= m - 1) {
		uint32_t k = a.chunk[ct_low_bit(m)];
		if (!(chunks >> k & 1))
			continue;
		r->hit |= UINT32_C(1) << k;
		if (l1->s.store == CT_TS_STORE_EVICT)
			drop_slots(&a, m & (0 - m));
	}
	return CT_OK;
}

static uint32_t split_peek(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks)
{
	const struct found *last = &((const struct split *)l1->state)->last;
	if (last->known && last->line == line)
		return last->chunks & chunks;
	struct access a;
	open_set(&a, l1, set, line);
	return look_for(&a, line)->chunks & chunks;
}

static void split_flush(struct ct_ts_l1 *l1)
{
	struct ct_ts_result r = {0};
	for (uint32_t i = 0; i < l1->s.sets; i++) {
		struct access a;
		open_set(&a, l1, i, 0);
		a.r = &r;
		drop_slots(&a, a.s->valid);
	}
}

static void split_each(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
                       void *ctx)
{
	const struct split *p = l1->state;
	for (uint32_t i = 0; i < l1->s.sets; i++)
		for (uint64_t m = p->set[i].valid; m; m &= m - 1) {
			size_t s = (size_t)i * p->slots + ct_low_bit(m);
			fn(ctx, p->line[s], p->chunk[s]);
		}
}

static void split_near(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	const struct split *p = l1->state;
	size_t group = (size_t)set * l1->s.ways, slot = (size_t)set * p->slots;
	(void)line;
	TS_NEAR(&p->set[set]);
	ts_near_bytes(&p->shared[group], l1->s.ways * sizeof *p->shared);
	ts_near_bytes(&p->group_stamp[group], l1->s.ways * sizeof *p->group_stamp);
	ts_near_bytes(&p->line[slot], p->slots * sizeof *p->line);
	ts_near_bytes(&p->stamp[slot], p->slots * sizeof *p->stamp);
	TS_NEAR(&p->chunk[slot]);
}

const struct ts_ops ts_split_ops = {
	split_init,  split_load, split_store,   split_peek,
	split_flush, split_each, split_release, split_near,
};

#include "models/shared_l1/lines.h"

#include <string.h>

#include "base/bits.h"

enum { LINE_BITS = 6, WORD = 64 };
_Static_assert(sizeof(struct ct_sl_line) == 1 << LINE_BITS, "a line of the host");

/* Lines of sets follow each other, sets of a core too, so that an L1 has an index of its own. */
int ct_sl_lines_init(struct ct_sl_lines *x, unsigned cores, uint32_t sets, uint32_t ways,
                     uint32_t set_hash, struct ct_error *e)
{
	const size_t all_sets = (size_t)cores * sets, lines = (size_t)sets * ways;
	*x = (struct ct_sl_lines){
		.sets = sets, .ways = ways, .set_hash = set_hash, .words = (ways - 1) / WORD + 1};
	x->at = ct_pool_take(&x->pool, all_sets * ways, sizeof *x->at);
	x->set = ct_pool_take(&x->pool, all_sets, sizeof *x->set);
	x->free = ct_pool_take(&x->pool, all_sets * x->words, sizeof *x->free);
	x->index = ct_pool_take(&x->pool, cores, sizeof *x->index);
	int st = x->at && x->set && x->free && x->index ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; st == CT_OK && i < all_sets * x->words; i++) {
		const uint32_t first = (uint32_t)(i % x->words) * WORD;
		x->free[i] = UINT64_MAX >> (ways - first < WORD ? WORD - (ways - first) : 0);
	}
	for (unsigned i = 0; st == CT_OK && i < cores; i++) {
		st = ct_tag_index_init(&x->index[i], lines < UINT32_MAX ? (uint32_t)lines : UINT32_MAX,
		                       LINE_BITS, &x->pool, e);
		x->index[i].line = (const unsigned char *)(x->at + i * lines);
	}
	return st;
}

void ct_sl_lines_free(struct ct_sl_lines *x)
{
	ct_pool_free(&x->pool);
	memset(x, 0, sizeof *x);
}

/* Number of the line's set among those of all cores. */
static size_t set_of(const struct ct_sl_lines *x, unsigned core, uint64_t line)
{
	return (size_t)core * x->sets + ct_sl_lines_set(x, line);
}

/* Of the lines that were touched in the same cycle as way i - 1, which is the oldest of its order, the first: way + 1. */
static uint32_t first_of_cycle(const struct ct_sl_line *way, uint32_t i)
{
	const uint64_t stamp = way[i - 1].stamp;
	uint32_t best = i;
	while ((i = way[i - 1].younger) && way[i - 1].stamp == stamp)
		best = i < best ? i : best;
	return best;
}

/* The last free way of a set that has one. */
static uint32_t free_way(const struct ct_sl_lines *x, size_t set)
{
	const uint64_t *bits = x->free + set * x->words;
	uint32_t word = x->words - 1;
	while (!bits[word])
		word--;
	return word * WORD + ct_high_bit(bits[word]);
}

struct ct_sl_line *ct_sl_lines_victim(const struct ct_sl_lines *x, unsigned core, uint64_t line,
                                      int clean)
{
	const size_t set = set_of(x, core, line);
	const struct ct_sl_set *s = &x->set[set];
	struct ct_sl_line *way = x->at + set * x->ways, *oldest = NULL;
	if (s->used < x->ways)
		return &way[free_way(x, set)];
	for (int order = CT_SL_CLEAN; order <= (clean ? CT_SL_CLEAN : CT_SL_MODIFIED); order++) {
		if (!s->oldest[order])
			continue;
		struct ct_sl_line *w = &way[first_of_cycle(way, s->oldest[order]) - 1];
		if (!oldest || w->stamp < oldest->stamp || (w->stamp == oldest->stamp && w < oldest))
			oldest = w;
	}
	return oldest;
}

int ct_sl_lines_held(const struct ct_sl_lines *x, unsigned core, uint64_t line)
{
	return x->set[set_of(x, core, line)].held != 0;
}

/* ---- the orders of a set ---- */

/* Takes way i - 1 out of its order. */
static void unlink_way(struct ct_sl_set *s, struct ct_sl_line *way, uint32_t i)
{
	const struct ct_sl_line *w = &way[i - 1];
	if (w->order == CT_SL_HELD) {
		s->held--;
		return;
	}
	*(w->older ? &way[w->older - 1].younger : &s->oldest[w->order]) = w->younger;
	*(w->younger ? &way[w->younger - 1].older : &s->youngest[w->order]) = w->older;
}

/* Puts way i - 1 where its stamp belongs in its order: among the youngest, but for one that was held for long. */
static void link_way(struct ct_sl_set *s, struct ct_sl_line *way, uint32_t i)
{
	struct ct_sl_line *w = &way[i - 1];
	if (w->order == CT_SL_HELD) {
		s->held++;
		return;
	}
	uint32_t older = s->youngest[w->order], younger = 0;
	while (older && way[older - 1].stamp > w->stamp) {
		younger = older;
		older = way[older - 1].older;
	}
	w->older = older;
	w->younger = younger;
	*(older ? &way[older - 1].younger : &s->oldest[w->order]) = i;
	*(younger ? &way[younger - 1].older : &s->youngest[w->order]) = i;
}

static uint8_t order_of(const struct ct_sl_line *w)
{
	return w->reserved ? CT_SL_HELD : w->modified ? CT_SL_MODIFIED : CT_SL_CLEAN;
}

/* Number of a place in the L1 of its core. */
static uint32_t number_of(const struct ct_sl_lines *x, unsigned core, const struct ct_sl_line *w)
{
	return (uint32_t)(w - (x->at + (size_t)core * x->sets * x->ways));
}

void ct_sl_lines_take(struct ct_sl_lines *x, unsigned core, struct ct_sl_line *w, uint64_t line,
                      uint64_t now)
{
	const size_t set = set_of(x, core, line);
	struct ct_sl_line *way = x->at + set * x->ways;
	const uint32_t i = (uint32_t)(w - way);
	*w = (struct ct_sl_line){.line = line, .used = 1, .stamp = now, .order = CT_SL_CLEAN};
	link_way(&x->set[set], way, i + 1);
	x->set[set].used++;
	x->free[set * x->words + i / WORD] &= ~(UINT64_C(1) << i % WORD);
	ct_tag_index_insert(&x->index[core], number_of(x, core, w));
}

void ct_sl_lines_settle(struct ct_sl_lines *x, unsigned core, struct ct_sl_line *w, uint64_t now)
{
	const uint8_t order = order_of(w);
	if (w->order == order && (w->stamp == now || order == CT_SL_HELD)) {
		w->stamp = now;
		return;
	}
	const size_t set = set_of(x, core, w->line);
	struct ct_sl_line *way = x->at + set * x->ways;
	const uint32_t i = (uint32_t)(w - way) + 1;
	unlink_way(&x->set[set], way, i);
	w->stamp = now;
	w->order = order;
	link_way(&x->set[set], way, i);
}

void ct_sl_lines_leave(struct ct_sl_lines *x, unsigned core, struct ct_sl_line *w)
{
	const size_t set = set_of(x, core, w->line);
	struct ct_sl_line *way = x->at + set * x->ways;
	const uint32_t i = (uint32_t)(w - way);
	ct_tag_index_remove(&x->index[core], number_of(x, core, w));
	unlink_way(&x->set[set], way, i + 1);
	x->set[set].used--;
	x->free[set * x->words + i / WORD] |= UINT64_C(1) << i % WORD;
	w->used = 0;
}

#include "locality/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "locality/pages.h"

static const uint64_t MAX_SLOTS = (uint64_t)1 << 31;

static void *part_at(char *base, size_t at)
{
	return base ? base + at : NULL;
}

/* Cuts the arrays out of one block at `base` (NULL: only sizes). Returns the bytes. */
static size_t lay_out(struct ct_window *w, char *base)
{
	uint64_t words = w->slots / 64, n = ct_round_up(words, CT_WINDOW_GROUP);
	size_t at = 0;
	w->bits = part_at(base, at);
	at += ct_round_up(words * 8, 64);
	w->l1 = part_at(base, at);
	at += n * 2;
	n = ct_round_up(n / CT_WINDOW_GROUP, CT_WINDOW_GROUP);
	w->l2 = part_at(base, at);
	at += n * 2;
	n /= CT_WINDOW_GROUP;
	w->depth = 0;
	do {
		w->up[w->depth++] = part_at(base, at);
		n = ct_round_up(n, CT_WINDOW_UP_GROUP);
		at += n * 4;
		n /= CT_WINDOW_UP_GROUP;
	} while (n > 1);
	return at;
}

int ct_window_init(struct ct_window *w, uint64_t slots)
{
	struct ct_window fresh = {.slots = 64};
	while (fresh.slots < slots && fresh.slots < MAX_SLOTS)
		fresh.slots *= 2;
	if (fresh.slots < slots)
		return -1;
	fresh.bytes = lay_out(&fresh, NULL);
	fresh.memory = ct_pages_alloc(fresh.bytes, 1);
	if (!fresh.memory)
		return -1;
	(void)lay_out(&fresh, fresh.memory);
	fresh.now = CT_WINDOW_FIRST;
	*w = fresh;
	return 0;
}

void ct_window_free(struct ct_window *w)
{
	free(w->memory);
	memset(w, 0, sizeof *w);
}

void ct_window_fill(struct ct_window *w, uint64_t live)
{
	uint64_t end = CT_WINDOW_FIRST + live, words = end / 64;
	memset(w->memory, 0, w->bytes);
	for (uint64_t i = 0; i < words; i++)
		w->bits[i] = UINT64_MAX;
	if (end % 64)
		w->bits[words] = ((uint64_t)1 << end % 64) - 1;
	w->bits[0] &= ~(uint64_t)3;
	w->now = end;
	w->live = live;
	/* All entries are equal but for the first and the last group, so the levels follow
	 * without a scratch array: group g of l1 starts at word 32 g, and so on. */
	for (unsigned level = 0; level < 2 + w->depth; level++) {
		unsigned shift = level < 2 ? 5 * level : 10 + 4 * (level - 2);
		uint64_t group = level < 2 ? CT_WINDOW_GROUP : CT_WINDOW_UP_GROUP;
		uint64_t entries = (words + ((uint64_t)1 << shift) - 1) >> shift;
		for (uint64_t i = 0; i < entries; i++) {
			/* Words after entry i in its group, all of them full (word 0 is in no
			 * suffix). */
			uint64_t from = (i + 1) << shift, to = ((i / group + 1) * group) << shift;
			uint64_t n = to < words ? to : words;
			n = n > from ? (n - from) * 64 : 0;
			if (level == 0)
				w->l1[i] = (uint16_t)n;
			else if (level == 1)
				w->l2[i] = (uint16_t)n;
			else
				w->up[level - 2][i] = (uint32_t)n;
		}
	}
}

void ct_window_rank(const struct ct_window *w, uint32_t *rank)
{
	uint64_t words = (w->now + 63) / 64, sum = 0;
	for (uint64_t i = 0; i < words; i++) {
		rank[i] = (uint32_t)sum;
		sum += ct_window_bits(w->bits[i]);
	}
}

uint64_t ct_window_after(const struct ct_window *w, uint64_t slot)
{
	uint64_t word = slot / 64, current = w->now / 64;
	uint64_t n = ct_window_bits(w->bits[word] >> slot % 64 >> 1);
	if (word == current)
		return n;
	n += (uint64_t)w->l1[word] + w->l2[word >> 5];
	for (unsigned k = 0; k < w->depth; k++)
		n += w->up[k][word >> (10 + 4 * k)];
	return n + (current < w->slots / 64 ? ct_window_bits(w->bits[current]) : 0);
}

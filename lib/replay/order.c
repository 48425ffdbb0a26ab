/* Sorting by time. Keys are cycles within some windows of each other, so that they have few digits: a radix sort takes one
 * pass or two. */
#include "replay/private/order.h"

#include <stdlib.h>

#include "base/mem.h"

enum { RADIX_BITS = 9, RADIX = 1 << RADIX_BITS, FEW = 24 /* places for which counting does not pay */ };

int rp_order_reserve(struct rp_order *o, size_t n)
{
	return ct_grow((void **)&o->place, &o->cap, n, sizeof *o->place) < 0 ||
	                       ct_grow((void **)&o->other, &o->other_cap, n, sizeof *o->other) < 0
	               ? -1
	               : 0;
}

void rp_order_free(struct rp_order *o)
{
	free(o->place);
	free(o->other);
}

static void sort_few(struct rp_place *place, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct rp_place p = place[i];
		size_t k = i;
		for (; k && place[k - 1].key > p.key; k--)
			place[k] = place[k - 1];
		place[k] = p;
	}
}

/* One pass of a radix sort by the bits of the key from `shift` on; keeps the order of equals. */
static void sort_pass(const struct rp_place *from, struct rp_place *to, size_t n, unsigned shift)
{
	size_t start[RADIX] = {0}, sum = 0;
	for (size_t i = 0; i < n; i++)
		start[from[i].key >> shift & (RADIX - 1)]++;
	for (unsigned k = 0; k < RADIX; k++) {
		size_t count = start[k];
		start[k] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[start[from[i].key >> shift & (RADIX - 1)]++] = from[i];
}

void rp_order_sort(struct rp_order *o, uint64_t most)
{
	if (o->n <= FEW) {
		sort_few(o->place, o->n);
		return;
	}
	for (unsigned shift = 0; shift < 64 && most >> shift; shift += RADIX_BITS) {
		struct rp_order old = *o;
		sort_pass(o->place, o->other, o->n, shift);
		o->place = old.other;
		o->cap = old.other_cap;
		o->other = old.place;
		o->other_cap = old.cap;
	}
}

/* Where the lines of a cache are, by their tags. */
#include "base/tag_index.h"

#include <string.h>

enum { INDEX_BITS = 21, LEAST_SLOTS = 16 };

int ct_tag_index_init(struct ct_tag_index *x, uint32_t capacity, uint32_t line_bits,
                      struct ct_pool *pool, struct ct_error *e)
{
	uint32_t slots = LEAST_SLOTS;
	memset(x, 0, sizeof *x);
	if (capacity >= (1u << INDEX_BITS) - 1)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "a cache of more than %u lines",
		               (1u << INDEX_BITS) - 2);
	while (slots < capacity * 2)
		slots *= 2;
	x->mask = slots - 1;
	while (capacity >> x->bits)
		x->bits++;
	x->homes = x->mask <= 0xffffffffu >> x->bits;
	x->line_bits = line_bits;
	x->slot = ct_pool_take(pool, slots, sizeof *x->slot);
	return x->slot ? CT_OK : ct_fail_nomem(e);
}

void ct_tag_index_clear(struct ct_tag_index *x)
{
	memset(x->slot, 0, ((size_t)x->mask + 1) * sizeof *x->slot);
}

void ct_tag_index_insert(struct ct_tag_index *x, uint32_t index)
{
	uint32_t m = ct_tag_index_mix(ct_tag_index_tag(x, index)), h = m & x->mask;
	while (x->slot[h])
		h = (h + 1) & x->mask;
	x->slot[h] = m << x->bits | (index + 1);
}

/* Where probing for the line of a slot began. */
static uint32_t home_of(const struct ct_tag_index *x, uint32_t slot)
{
	if (x->homes)
		return slot >> x->bits & x->mask;
	return ct_tag_index_mix(ct_tag_index_tag(x, ct_tag_index_of(x, slot))) & x->mask;
}

void ct_tag_index_remove(struct ct_tag_index *x, uint32_t index)
{
	uint32_t m = ct_tag_index_mix(ct_tag_index_tag(x, index)), mask = x->mask, *slot = x->slot;
	uint32_t h = m & mask, want = m << x->bits | (index + 1);
	while (slot[h] != want)
		h = (h + 1) & mask;
	/* close the gap: move back what may not be found across it */
	for (uint32_t k = (h + 1) & mask; slot[k]; k = (k + 1) & mask)
		if (((k - home_of(x, slot[k])) & mask) >= ((k - h) & mask)) {
			slot[h] = slot[k];
			h = k;
		}
	slot[h] = 0;
}

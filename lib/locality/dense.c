#include "locality/dense.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/isa.h"
#include "locality/pages.h"

enum { FIRST_SLOTS = 16, FIRST_SLAB = 16 << 10, LAST_SLAB = 2 << 20, AHEAD = 4 };

int ct_dense_init(struct ct_dense *d, int sectored)
{
	memset(d, 0, sizeof *d);
	d->block_bytes = CT_BLOCK_LINES *
	                 (sizeof(ct_block) + (sectored ? sizeof(struct ct_sector_run) : 0));
	d->slots = FIRST_SLOTS;
	d->shift = 60;
	d->slot = ct_calloc(d->slots, sizeof *d->slot);
	d->scratch = ct_calloc_aligned(1, d->block_bytes);
	d->bytes = d->slots * sizeof *d->slot + d->block_bytes;
	if (d->slot && d->scratch)
		return 0;
	ct_dense_free(d);
	return -1;
}

void ct_dense_free(struct ct_dense *d)
{
	for (size_t i = 0; i < d->slabs; i++)
		free(d->slab[i].at);
	free(d->slab);
	free(d->slot);
	free(d->scratch);
	memset(d, 0, sizeof *d);
}

void ct_dense_flush(struct ct_dense *d)
{
	memset(d->slot, 0, d->slots * sizeof *d->slot);
	d->regions = 0;
	d->slab_now = d->slab_used = d->used = 0;
}

/* n zeroed bytes, a multiple of a cache line, from the slabs. */
static void *cut_chunk(struct ct_dense *d, size_t n)
{
	while (d->slab_now < d->slabs && d->slab_used + n > d->slab[d->slab_now].bytes) {
		d->slab_now++;
		d->slab_used = 0;
	}
	if (d->slab_now == d->slabs) {
		size_t bytes = d->slabs < 8 ? (size_t)FIRST_SLAB << d->slabs : LAST_SLAB;
		if (ct_grow((void **)&d->slab, &d->slab_cap, d->slabs + 1, sizeof *d->slab) < 0)
			return NULL;
		char *p = ct_pages_alloc(bytes, 0);
		if (!p)
			return NULL;
		d->slab[d->slabs++] = (struct ct_slab){p, bytes};
		d->bytes += bytes;
	}
	char *p = d->slab[d->slab_now].at + d->slab_used;
	d->slab_used += n;
	d->used += n;
	memset(p, 0, n);
	return p;
}

ct_block *ct_dense_block(struct ct_dense *d)
{
	return cut_chunk(d, d->block_bytes);
}

static struct ct_region_slot *find_slot(const struct ct_dense *d, uint64_t key)
{
	uint64_t i = ct_dense_home(d, key);
	while (d->slot[i].region && d->slot[i].key != key)
		i = (i + 1) & (d->slots - 1);
	return &d->slot[i];
}

/* Doubles the table of regions and enters them again. Returns -1 when out of memory, the table as it
 * was. */
static int grow_table(struct ct_dense *d)
{
	struct ct_dense old = *d;
	d->slots *= 2;
	d->shift--;
	d->slot = ct_calloc(d->slots, sizeof *d->slot);
	if (!d->slot) {
		*d = old;
		return -1;
	}
	for (uint64_t i = 0; i < old.slots; i++)
		if (old.slot[i].region)
			*find_slot(d, old.slot[i].key) = old.slot[i];
	d->bytes += old.slots * sizeof *d->slot;
	free(old.slot);
	return 0;
}

struct ct_region *ct_dense_region(struct ct_dense *d, uint64_t key)
{
	struct ct_region_slot *s = find_slot(d, key);
	if (s->region)
		return s->region;
	if ((d->regions + 1) * 4 > d->slots) {
		if (grow_table(d) < 0)
			return NULL;
		s = find_slot(d, key);
	}
	struct ct_region *r = cut_chunk(d, sizeof *r);
	if (!r)
		return NULL;
	*s = (struct ct_region_slot){key, r};
	d->regions++;
	return r;
}

const struct ct_region *ct_dense_find(const struct ct_dense *d, uint64_t key)
{
	return find_slot(d, key)->region;
}

void ct_dense_each(const struct ct_dense *d, void (*fn)(void *ctx, uint64_t line, ct_block *b),
                   void *ctx)
{
	for (uint64_t i = 0; i < d->slots; i++) {
		const struct ct_region_slot *s = &d->slot[i];
		for (uint64_t k = 0; s->region && k < CT_REGION_BLOCKS; k++) {
			if (k + AHEAD < CT_REGION_BLOCKS)
				CT_PREFETCH(s->region->block[k + AHEAD]);
			if (s->region->block[k])
				fn(ctx, s->key << CT_REGION_BITS | k << CT_BLOCK_BITS,
				   s->region->block[k]);
		}
	}
}

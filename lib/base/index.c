#include "base/index.h"

#include <stdlib.h>

#include "base/mem.h"

enum { FIRST_BUCKETS = 64 };

int ct_index_grow(struct ct_index *x, uint32_t items, uint64_t (*hash)(const void *ctx, uint32_t item),
                  const void *ctx)
{
	struct ct_index larger = {.buckets = x->buckets ? 2 * x->buckets : FIRST_BUCKETS};
	larger.bucket = ct_calloc(larger.buckets, sizeof *larger.bucket);
	if (!larger.bucket)
		return -1;
	for (uint32_t i = 0; i < items; i++) {
		uint64_t h = hash(ctx, i);
		while (ct_index_at(&larger, h))
			h++;
		ct_index_put(&larger, h, i);
	}
	free(x->bucket);
	*x = larger;
	return 0;
}

void ct_index_free(struct ct_index *x)
{
	free(x->bucket);
	*x = (struct ct_index){0};
}

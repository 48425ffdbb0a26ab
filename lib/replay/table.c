/* Tables of the engine that grow. */
#include <string.h>

#include "replay/private/engine.h"

void *rp_table_copy(struct ct_replay *r, const void *table, uint32_t had, uint32_t cap, size_t size)
{
	void *p = ct_pool_take(&r->pool, cap, size);
	if (p && had)
		memcpy(p, table, had * size);
	if (!p)
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
	return p;
}

int rp_table_grow(struct ct_replay *r, void **table, uint32_t *cap, uint32_t least, size_t size,
                  size_t link, uint32_t *free)
{
	uint32_t n = *cap ? 2 * *cap : least;
	unsigned char *p = rp_table_copy(r, *table, *cap, n, size);
	if (!p)
		return r->error.status;
	for (uint32_t i = n; i-- > *cap;) {
		memcpy(p + i * size + link, free, sizeof *free);
		*free = i;
	}
	*table = p;
	*cap = n;
	return 0;
}

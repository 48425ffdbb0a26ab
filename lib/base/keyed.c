#include "base/keyed.h"

#include <stdlib.h>

#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

int ct_keyed_grow(struct ct_keyed *t, size_t size)
{
	struct ct_keyed larger = {.slots = t->slots ? 2 * t->slots : FIRST_SLOTS, .used = t->used};
	larger.slot = ct_calloc(larger.slots, size);
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < t->slots; i++) {
		const char *entry = (const char *)t->slot + i * size;
		if (!ct_keyed_is_free(entry))
			memcpy(ct_keyed_find(&larger, size, ct_keyed_mark(entry) - 1), entry, size);
	}
	free(t->slot);
	*t = larger;
	return 0;
}

void ct_keyed_reset(struct ct_keyed *t, size_t size)
{
	if (t->slots)
		memset(t->slot, 0, t->slots * size);
	t->used = 0;
}

void ct_keyed_free(struct ct_keyed *t)
{
	free(t->slot);
	*t = (struct ct_keyed){0};
}

#include "locality/linemap.h"

#include "locality/isa.h"

struct numbered {
	uint64_t mark; /* line + 1 */
	uint32_t number;
};

uint32_t ct_linemap_enter(struct ct_linemap *m, uint64_t line)
{
	struct ct_keyed *t = &m->table;
	if (t->used >= UINT32_MAX / 2 || ct_keyed_reserve(t, sizeof(struct numbered)) < 0)
		return UINT32_MAX;
	struct numbered *x = ct_keyed_find(t, sizeof *x, line);
	if (ct_keyed_is_free(x)) {
		x->number = (uint32_t)t->used;
		ct_keyed_enter(t, x, line);
	}
	return x->number;
}

void ct_linemap_prefetch(const struct ct_linemap *m, uint64_t line)
{
	if (m->table.slots)
		CT_PREFETCH(ct_keyed_home(&m->table, sizeof(struct numbered), line));
}

void ct_linemap_reset(struct ct_linemap *m)
{
	ct_keyed_reset(&m->table, sizeof(struct numbered));
}

void ct_linemap_free(struct ct_linemap *m)
{
	ct_keyed_free(&m->table);
}

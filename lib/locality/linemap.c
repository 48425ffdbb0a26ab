#include "locality/linemap.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "locality/isa.h"

enum { FIRST_SLOTS = 256 };

static struct ct_linemap_slot *find(const struct ct_linemap *m, uint64_t line)
{
	uint64_t i = ct_mix64(line) & (m->slots - 1);
	while (m->slot[i].number && m->slot[i].line != line)
		i = (i + 1) & (m->slots - 1);
	return &m->slot[i];
}

static int grow(struct ct_linemap *m)
{
	struct ct_linemap old = *m;
	m->slots = old.slots ? old.slots * 2 : FIRST_SLOTS;
	m->slot = ct_calloc(m->slots, sizeof *m->slot);
	if (!m->slot || old.lines >= UINT32_MAX / 2) {
		free(m->slot);
		*m = old;
		return -1;
	}
	for (uint64_t i = 0; i < old.slots; i++)
		if (old.slot[i].number)
			*find(m, old.slot[i].line) = old.slot[i];
	free(old.slot);
	return 0;
}

uint32_t ct_linemap_enter(struct ct_linemap *m, uint64_t line)
{
	if ((uint64_t)(m->lines + 1) * 10 > m->slots * 6 && grow(m) < 0)
		return UINT32_MAX;
	struct ct_linemap_slot *s = find(m, line);
	if (!s->number) {
		s->line = line;
		s->number = ++m->lines;
	}
	return s->number - 1;
}

void ct_linemap_prefetch(const struct ct_linemap *m, uint64_t line)
{
	if (m->slots)
		CT_PREFETCH(&m->slot[ct_mix64(line) & (m->slots - 1)]);
}

void ct_linemap_reset(struct ct_linemap *m)
{
	if (m->slots)
		memset(m->slot, 0, m->slots * sizeof *m->slot);
	m->lines = 0;
}

void ct_linemap_free(struct ct_linemap *m)
{
	free(m->slot);
	memset(m, 0, sizeof *m);
}

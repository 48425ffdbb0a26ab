#include "models/malekeh/masks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint32_t *ct_mk_masks_add(struct ct_mk_masks *m, size_t n)
{
	if (ct_grow((void **)&m->launch, &m->cap, m->n + 1, sizeof *m->launch) < 0)
		return NULL;
	struct ct_mk_mask *x = &m->launch[m->n];
	x->bits = ct_calloc(n, sizeof *x->bits);
	x->n = n;
	m->n += x->bits != NULL;
	return x->bits;
}

void ct_mk_masks_clear(struct ct_mk_masks *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->launch[i].bits);
	free(m->launch);
	memset(m, 0, sizeof *m);
}

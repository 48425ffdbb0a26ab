#include "models/malekeh/masks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct ct_mk_mask *ct_mk_masks_add(struct ct_mk_masks *m, size_t n)
{
	if (ct_grow((void **)&m->launch, &m->cap, m->n + 1, sizeof *m->launch) < 0)
		return NULL;
	struct ct_mk_mask *x = &m->launch[m->n];
	*x = (struct ct_mk_mask){.bits = ct_calloc(n, sizeof *x->bits), .n = n};
	if (m->plans)
		x->code = ct_calloc(n, sizeof *x->code);
	m->n++;
	return x->bits && (x->code || !m->plans) ? x : NULL;
}

void ct_mk_masks_clear(struct ct_mk_masks *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->launch[i].bits);
		free(m->launch[i].code);
	}
	free(m->launch);
	memset(m, 0, sizeof *m);
}

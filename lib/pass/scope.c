/* scope.c - what has been counted for each kernel name or launch. Of the 26000 counters of
 * struct ct_locality_counts a launch leaves most at 0, and a trace may have as many names as kernels: only
 * `all` has them as they are, the others keep those that are not 0. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/private/state.h"

/* The counters as one array, in which the joint histograms are a gap. */
enum {
	GAP = offsetof(struct ct_locality_counts, rj_nearest) / sizeof(uint64_t),
	GAP_END = offsetof(struct ct_locality_counts, rt) / sizeof(uint64_t),
	COUNTERS = sizeof(struct ct_locality_counts) / sizeof(uint64_t)
};

static size_t next_counter(size_t i)
{
	return i + 1 == GAP ? GAP_END : i + 1;
}

static void unpack_counts(const struct ct_pass_scope *s, struct ct_locality_counts *c)
{
	uint64_t *v = (uint64_t *)(void *)c;
	memset(c, 0, sizeof *c);
	for (size_t i = 0; i < s->n_cells; i++)
		v[s->cell[i].at] = s->cell[i].count;
	c->rj_nearest = s->rj_nearest;
	c->rj_sharers = s->rj_sharers;
}

/* -1 when out of memory; the joint histograms are the scope's also then. */
static int pack_counts(struct ct_pass_scope *s, const struct ct_locality_counts *c)
{
	const uint64_t *v = (const uint64_t *)(const void *)c;
	size_t n = 0;
	s->rj_nearest = c->rj_nearest;
	s->rj_sharers = c->rj_sharers;
	for (size_t i = 0; i < COUNTERS; i = next_counter(i))
		n += v[i] != 0;
	struct ct_pass_cell *cell = ct_reallocarray(s->cell, n, sizeof *cell);
	if (!cell)
		return -1;
	s->cell = cell;
	s->n_cells = 0;
	for (size_t i = 0; i < COUNTERS; i = next_counter(i))
		if (v[i])
			cell[s->n_cells++] = (struct ct_pass_cell){i, v[i]};
	return 0;
}

int ct_pass_scope_find(struct ct_pass_state *a, const char *name, struct ct_pass_scope **out)
{
	for (size_t i = 0; i < a->n_scopes; i++)
		if (strcmp(a->scope[i].name, name) == 0) {
			*out = &a->scope[i];
			return CT_OK;
		}
	if (ct_grow((void **)&a->scope, &a->cap_scopes, a->n_scopes + 1, sizeof *a->scope) < 0)
		return ct_fail_nomem(a->e);
	struct ct_pass_scope *s = &a->scope[a->n_scopes];
	memset(s, 0, sizeof *s);
	s->name = ct_strndup(name, strlen(name));
	if (a->n_scopes == 0)
		s->locality = ct_calloc(1, sizeof *s->locality);
	else if (!a->unpacked)
		a->unpacked = ct_calloc(1, sizeof *a->unpacked);
	*out = s;
	const int whole = a->n_scopes++ ? a->unpacked != NULL : s->locality != NULL;
	return s->name && whole ? CT_OK : ct_fail_nomem(a->e);
}

int ct_pass_scope_add_locality(struct ct_pass_state *a, struct ct_pass_scope *s)
{
	if (s->locality)
		return ct_locality_counts_add(s->locality, a->launch, a->e);
	unpack_counts(s, a->unpacked);
	int st = ct_locality_counts_add(a->unpacked, a->launch, a->e);
	if (pack_counts(s, a->unpacked) != 0 && st == CT_OK)
		st = ct_fail_nomem(a->e);
	return st;
}

struct ct_locality_counts *ct_pass_scope_locality(struct ct_pass_state *a, const struct ct_pass_scope *s)
{
	if (s->locality)
		return s->locality;
	unpack_counts(s, a->unpacked);
	return a->unpacked;
}

void ct_pass_scopes_free(struct ct_pass_state *a)
{
	for (size_t i = 0; i < a->n_scopes; i++) {
		struct ct_pass_scope *s = &a->scope[i];
		if (s->locality)
			ct_locality_counts_free(s->locality);
		ct_rj_free(&s->rj_nearest);
		ct_rj_free(&s->rj_sharers);
		free(s->locality);
		free(s->cell);
		free(s->name);
	}
	free(a->scope);
	free(a->unpacked);
}

#include "locality/rj.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "locality/hist.h"

static int order_cells(const struct ct_rj_cell *a, const struct ct_rj_cell *b)
{
	const uint64_t ka[4] = {a->own_lo, a->other_lo, a->own_hi, a->other_hi};
	const uint64_t kb[4] = {b->own_lo, b->other_lo, b->own_hi, b->other_hi};
	for (int i = 0; i < 4; i++)
		if (ka[i] != kb[i])
			return ka[i] < kb[i] ? -1 : 1;
	return 0;
}

int ct_rj_add(struct ct_rj *j, const struct ct_rj_cell *c, struct ct_error *e)
{
	size_t lo = 0, hi = j->n;
	if (hi > 0 && order_cells(&j->cell[hi - 1], c) < 0)
		lo = hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (order_cells(&j->cell[mid], c) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < j->n && order_cells(&j->cell[lo], c) == 0) {
		j->cell[lo].count += c->count;
		return 0;
	}
	if (ct_grow((void **)&j->cell, &j->cap, j->n + 1, sizeof *j->cell) < 0)
		return ct_fail_nomem(e);
	memmove(j->cell + lo + 1, j->cell + lo, (j->n - lo) * sizeof *j->cell);
	j->cell[lo] = *c;
	j->n++;
	return 0;
}

int ct_rj_merge(struct ct_rj *into, const struct ct_rj *from, struct ct_error *e)
{
	struct ct_rj out = {0};
	size_t a = 0, b = 0;
	if (ct_grow((void **)&out.cell, &out.cap, into->n + from->n, sizeof *out.cell) < 0)
		return ct_fail_nomem(e);
	while (a < into->n || b < from->n) {
		int c = a == into->n   ? 1
		        : b == from->n ? -1
		                       : order_cells(&into->cell[a], &from->cell[b]);
		struct ct_rj_cell *to = &out.cell[out.n++];
		*to = c <= 0 ? into->cell[a++] : from->cell[b++];
		if (c == 0)
			to->count += from->cell[b++].count;
	}
	free(into->cell);
	*into = out;
	return 0;
}

void ct_rj_free(struct ct_rj *j)
{
	free(j->cell);
	memset(j, 0, sizeof *j);
}

/* Share of the integers of [lo, hi) that are below the capacity; cold: none. */
static double share_below(uint64_t lo, uint64_t hi, double capacity)
{
	if (lo == CT_COLD || (double)lo >= capacity)
		return 0;
	if ((double)hi <= capacity)
		return 1;
	return (capacity - (double)lo) / ((double)hi - (double)lo);
}

double ct_rj_misses(const struct ct_rj *j, double capacity)
{
	double sum = 0;
	for (size_t i = 0; i < j->n; i++) {
		const struct ct_rj_cell *c = &j->cell[i];
		sum += (double)c->count * (1 - share_below(c->own_lo, c->own_hi, capacity));
	}
	return sum;
}

double ct_rj_shared_misses(const struct ct_rj *j, double capacity)
{
	double sum = 0;
	for (size_t i = 0; i < j->n; i++) {
		const struct ct_rj_cell *c = &j->cell[i];
		sum += (double)c->count * (1 - share_below(c->own_lo, c->own_hi, capacity)) *
		       share_below(c->other_lo, c->other_hi, capacity);
	}
	return sum;
}

void ct_rj_replication(const struct ct_rj *nearest, const struct ct_rj *sharers, double capacity,
                       double *ratio, double *replicas)
{
	double misses = ct_rj_misses(nearest, capacity);
	*ratio = *replicas = NAN;
	if (!(misses > 0))
		return;
	*ratio = ct_rj_shared_misses(nearest, capacity) / misses;
	*replicas = 1 + ct_rj_shared_misses(sharers, capacity) / misses;
}

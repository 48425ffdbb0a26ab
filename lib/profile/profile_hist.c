/* Histograms as records: RD, RJ, RT. Every histogram has its cold record even when that
 * is 0, so that an empty view can be told from one that was not measured. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/profile.h"
#include "profile/profile_internal.h"

enum { NUMBER = PROFILE_COUNT_TEXT };

static const char *bound_text(char s[NUMBER], uint64_t v)
{
	return v == UINT64_MAX ? "inf" : profile_count_text(s, v);
}

/* Sums from a document must not wrap. */
static void add_sat(uint64_t *sum, uint64_t v)
{
	*sum = v > UINT64_MAX - *sum ? UINT64_MAX : *sum + v;
}

static uint64_t count_of(const char *s)
{
	uint64_t v;
	return ct_field_count(s, &v) ? v : 0;
}

struct group {
	const char *scope, *name;
};

static int in_group(void *ctx, const struct ct_record *r)
{
	const struct group *g = ctx;
	return strcmp(r->field[0], g->scope) == 0 && strcmp(r->field[1], g->name) == 0;
}

static const struct ct_record *
first_of(const struct ct_profile *p, const char *type, const char *scope, const char *name)
{
	const char *key[] = {scope, name};
	return ct_profile_find(p, type, 2, key);
}

/* Drops an earlier histogram of that name. */
static void replace_group(struct ct_profile *p, const char *type, const char *scope, const char *name)
{
	struct group g = {scope, name};
	if (first_of(p, type, scope, name))
		ct_profile_remove(p, type, in_group, &g);
}

/* ---- RD ---- */

static int add_bin(struct ct_profile *p, const char *scope, const char *view, uint64_t lo, uint64_t hi,
                   uint64_t reads, uint64_t writes, struct ct_error *e)
{
	char a[NUMBER], b[NUMBER], c[NUMBER], d[NUMBER];
	const char *f[] = {scope,
	                   view,
	                   bound_text(a, lo),
	                   bound_text(b, hi),
	                   profile_count_text(c, reads),
	                   profile_count_text(d, writes)};
	return ct_profile_add(p, "RD", 6, f, e);
}

int ct_profile_add_hist(struct ct_profile *p, const char *scope, const char *view,
                        const struct ct_hist *reads, const struct ct_hist *writes, struct ct_error *e)
{
	replace_group(p, "RD", scope, view);
	for (unsigned i = 0; i < CT_HIST_BINS; i++) {
		uint64_t r = reads ? reads->count[i] : 0, w = writes ? writes->count[i] : 0;
		if (!r && !w)
			continue;
		int st = add_bin(p, scope, view, ct_hist_lo(i), ct_hist_hi(i), r, w, e);
		if (st != CT_OK)
			return st;
	}
	return add_bin(p, scope, view, UINT64_MAX, UINT64_MAX, reads ? reads->cold : 0,
	               writes ? writes->cold : 0, e);
}

static void take_bin(struct ct_hist *h, uint64_t lo, uint64_t n)
{
	if (h)
		add_sat(lo == CT_COLD ? &h->cold : &h->count[ct_hist_bin(lo)], n);
}

int ct_profile_get_hist(const struct ct_profile *p, const char *scope, const char *view,
                        struct ct_hist *reads, struct ct_hist *writes)
{
	const struct ct_record *first = first_of(p, "RD", scope, view), *r;
	for (r = first; r; r = ct_profile_same(r)) {
		uint64_t lo = count_of(r->field[2]);
		take_bin(reads, lo, count_of(r->field[4]));
		take_bin(writes, lo, count_of(r->field[5]));
	}
	return first != NULL;
}

/* ---- RJ ---- */

static int add_cell(struct ct_profile *p, const char *type, const char *scope, const char *name,
                    const uint64_t bound[4], uint64_t n, struct ct_error *e)
{
	char s[4][NUMBER], c[NUMBER];
	const char *f[7] = {scope, name};
	for (int i = 0; i < 4; i++)
		f[2 + i] = bound_text(s[i], bound[i]);
	f[6] = profile_count_text(c, n);
	return ct_profile_add(p, type, 7, f, e);
}

int ct_profile_add_rj(struct ct_profile *p, const char *scope, const char *kind, const struct ct_rj *j,
                      struct ct_error *e)
{
	const uint64_t cold[4] = {CT_COLD, CT_COLD, CT_COLD, CT_COLD};
	int corner = 0, st = CT_OK;
	replace_group(p, "RJ", scope, kind);
	for (size_t i = 0; i < j->n && st == CT_OK; i++) {
		const struct ct_rj_cell *c = &j->cell[i];
		const uint64_t bound[4] = {c->own_lo, c->own_hi, c->other_lo, c->other_hi};
		corner |= c->own_lo == CT_COLD && c->other_lo == CT_COLD;
		st = add_cell(p, "RJ", scope, kind, bound, c->count, e);
	}
	return st == CT_OK && !corner ? add_cell(p, "RJ", scope, kind, cold, 0, e) : st;
}

static int cell_order(const void *va, const void *vb)
{
	const struct ct_rj_cell *a = va, *b = vb;
	const uint64_t ka[4] = {a->own_lo, a->other_lo, a->own_hi, a->other_hi};
	const uint64_t kb[4] = {b->own_lo, b->other_lo, b->own_hi, b->other_hi};
	for (int i = 0; i < 4; i++)
		if (ka[i] != kb[i])
			return ka[i] < kb[i] ? -1 : 1;
	return 0;
}

/* All cells of a chain, sorted: ct_rj_add() is quick in ascending order only, and a
 * merged or edited document may have them in any. */
static int collect_cells(const struct ct_record *first, struct ct_rj_cell **cell, size_t *n,
                         struct ct_error *e)
{
	size_t cap = 0;
	int sorted = 1;
	*cell = NULL;
	*n = 0;
	for (const struct ct_record *r = first; r; r = ct_profile_same(r)) {
		if (ct_grow((void **)cell, &cap, *n + 1, sizeof **cell) < 0) {
			free(*cell);
			return ct_fail_nomem(e);
		}
		struct ct_rj_cell *c = &(*cell)[(*n)++];
		*c = (struct ct_rj_cell){
			count_of(r->field[2]), count_of(r->field[3]), count_of(r->field[4]),
			count_of(r->field[5]), count_of(r->field[6])};
		if (*n > 1 && cell_order(c - 1, c) > 0)
			sorted = 0;
	}
	if (!sorted)
		qsort(*cell, *n, sizeof **cell, cell_order);
	return CT_OK;
}

int ct_profile_get_rj(const struct ct_profile *p, const char *scope, const char *kind, struct ct_rj *j,
                      struct ct_error *e)
{
	const struct ct_record *first = first_of(p, "RJ", scope, kind);
	struct ct_rj sum = {0};
	struct ct_rj_cell *cell;
	size_t n;
	if (!first)
		return 0;
	int st = collect_cells(first, &cell, &n, e);
	if (st != CT_OK)
		return st;
	for (size_t i = 0; i < n && st == CT_OK; i++)
		if (cell[i].count)
			st = ct_rj_add(&sum, &cell[i], e);
	free(cell);
	if (st == CT_OK)
		st = ct_rj_merge(j, &sum, e);
	ct_rj_free(&sum);
	return st == CT_OK ? 1 : st;
}

/* ---- RT ---- */

static uint64_t time_lo(unsigned t)
{
	return t == 0 ? 0 : (uint64_t)1 << t;
}

static uint64_t time_hi(unsigned t)
{
	return t + 1 < CT_RT_TIMES ? (uint64_t)1 << (t + 1) : UINT64_MAX;
}

int ct_profile_add_rt(struct ct_profile *p, const char *scope, const char *view,
                      const uint64_t rt[CT_RT_BINS][CT_RT_TIMES], struct ct_error *e)
{
	replace_group(p, "RT", scope, view);
	for (unsigned i = 0; i < CT_RT_BINS; i++)
		for (unsigned t = 0; t < CT_RT_TIMES; t++) {
			uint64_t b[4] = {ct_rt_lo(i), ct_rt_hi(i), time_lo(t), time_hi(t)};
			int st = CT_OK;
			if (rt[i][t] || (i == 0 && t == 0))
				st = add_cell(p, "RT", scope, view, b, rt[i][t], e);
			if (st != CT_OK)
				return st;
		}
	return CT_OK;
}

int ct_profile_get_rt(const struct ct_profile *p, const char *scope, const char *view,
                      uint64_t rt[CT_RT_BINS][CT_RT_TIMES])
{
	const struct ct_record *first = first_of(p, "RT", scope, view), *r;
	for (r = first; r; r = ct_profile_same(r))
		add_sat(&rt[ct_rt_bin(count_of(r->field[2]))][ct_rt_time_bin(count_of(r->field[4]))],
		        count_of(r->field[6]));
	return first != NULL;
}

#include "models/common/baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/occupancy.h"

/* ---- which L1s ---- */

/* "(x,y,z)" as KN holds it. */
static int parse_dim(const char *s, uint32_t d[3])
{
	for (int i = 0; i < 3; i++) {
		uint64_t v = 0;
		if (*s++ != (i ? ',' : '('))
			return 0;
		for (; *s >= '0' && *s <= '9' && v <= UINT32_MAX; s++)
			v = v * 10 + (uint64_t)(*s - '0');
		if (v > UINT32_MAX)
			return 0;
		d[i] = (uint32_t)v;
	}
	return s[0] == ')' && !s[1];
}

/* Bytes of each L1 while a launch runs. */
static uint64_t l1_of(const struct ct_gpu *g, const struct ct_record *kn)
{
	struct ct_kernel k = {0};
	struct ct_occupancy o;
	uint64_t regs;
	if (!parse_dim(kn->field[2], k.grid) || !parse_dim(kn->field[3], k.block) ||
	    !ct_field_count(kn->field[8], &regs) || regs > UINT32_MAX ||
	    !ct_field_count(kn->field[9], &k.shmem_bytes))
		return g->l1.size;
	k.regs = (uint32_t)regs;
	return ct_occupancy(g, &k, &o, NULL) == 0 ? o.l1_bytes : g->l1.size;
}

static int in_scope(const char *scope, const struct ct_record *kn)
{
	if (strncmp(scope, "name:", 5) == 0)
		return strcmp(scope + 5, kn->field[1]) == 0;
	if (strncmp(scope, "kernel:", 7) == 0)
		return strcmp(scope + 7, kn->field[0]) == 0;
	return 1;
}

/* Adds a share of the launches whose L1s have that many bytes: to the part of that size, or as a new one. */
static void add_part(const struct ct_gpu *g, struct ct_l1_parts *parts, uint64_t bytes, double w)
{
	unsigned i = 0;
	while (i < parts->n && parts->part[i].bytes != bytes)
		i++;
	/* More sizes than splits exist: the last one takes the rest. */
	if (i == CT_L1_PARTS_MAX)
		i--;
	if (i == parts->n) {
		parts->part[i].bytes = bytes;
		parts->part[i].shape = ct_cache_shape(bytes, g->l1.line, g->l1.sets, g->l1.ways);
		parts->part[i].share = 0;
		parts->n++;
	}
	parts->part[i].share += w;
}

void ct_baseline_one_size(const struct ct_gpu *g, uint64_t bytes, struct ct_l1_parts *parts)
{
	parts->n = 0;
	add_part(g, parts, bytes, 1);
}

void ct_baseline_parts(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                       struct ct_l1_parts *parts)
{
	const struct ct_record *r;
	double total = 0;
	size_t i = 0;
	parts->n = 0;
	while ((r = ct_profile_next(p, "KN", &i))) {
		uint64_t insts;
		if (!in_scope(scope, r))
			continue;
		/* Launches without memory instructions have no say, unless all are so. */
		double w = ct_field_count(r->field[7], &insts) ? (double)insts : 0;
		add_part(g, parts, l1_of(g, r), w);
		total += w;
	}
	if (parts->n == 0) {
		ct_baseline_one_size(g, g->l1.size, parts);
		return;
	}
	for (unsigned k = 0; k < parts->n; k++)
		parts->part[k].share = total > 0 ? parts->part[k].share / total : 1.0 / parts->n;
}

/* ---- L1 ---- */

struct hists {
	struct ct_hist read, write;
	int found;
};

static void load_view(const struct ct_profile *p, const char *scope, const char *view, struct hists *h)
{
	memset(h, 0, sizeof *h);
	h->found = ct_profile_get_hist(p, scope, view, &h->read, &h->write);
}

static double misses_of(const struct ct_hist *h, const struct ct_cache_shape *c)
{
	return (double)ct_hist_total(h) - ct_curve_hits(h, c);
}

/* All members are doubles: an answer is also an array of them. */
enum { ANSWERS = sizeof(struct ct_l1_answer) / sizeof(double) };

static void add_weighted(struct ct_l1_answer *into, const struct ct_l1_answer *from, double share)
{
	double *a = (double *)(void *)into;
	const double *b = (const double *)(const void *)from;
	for (size_t i = 0; i < ANSWERS; i++)
		a[i] += share * b[i];
}

struct ct_l1_views {
	struct hists line, sector, merged;
	struct ct_rj nearest, sharers;
	int has_rj;
};

int ct_l1_views_load(struct ct_l1_views **out, const struct ct_profile *p, const char *scope,
                     int with_rj, struct ct_error *e)
{
	struct ct_l1_views *v = ct_calloc(1, sizeof *v);
	*out = v;
	if (!v)
		return ct_fail_nomem(e);
	load_view(p, scope, "l1", &v->line);
	load_view(p, scope, "l1_sector", &v->sector);
	load_view(p, scope, "merged_sector", &v->merged);
	if (!with_rj)
		return CT_OK;
	int near = ct_profile_get_rj(p, scope, "nearest", &v->nearest, e);
	int far = near < 0 ? near : ct_profile_get_rj(p, scope, "sharers", &v->sharers, e);
	v->has_rj = near > 0 && far > 0;
	return far < 0 ? far : CT_OK;
}

void ct_l1_views_free(struct ct_l1_views *v)
{
	if (!v)
		return;
	ct_rj_free(&v->nearest);
	ct_rj_free(&v->sharers);
	free(v);
}

/* What the views say of L1s of one shape: their misses by sector and by line, those of all L1s as one cache, and
 * copies. */
static void answer_part(const struct ct_l1_views *v, const struct ct_gpu *g,
                        const struct ct_cache_shape *c, struct ct_l1_answer *a)
{
	/* All L1s as one cache: as many ways, more sets. */
	const struct ct_cache_shape all = {c->lines * g->sms, c->ways};
	struct ct_replication r;
	for (size_t i = 0; i < ANSWERS; i++)
		((double *)(void *)a)[i] = NAN;
	if (v->sector.found) {
		a->read_sector_accesses = (double)ct_hist_total(&v->sector.read);
		a->read_sector_misses = misses_of(&v->sector.read, c);
		a->sector_accesses = a->read_sector_accesses + (double)ct_hist_total(&v->sector.write);
		a->sector_misses = a->read_sector_misses + misses_of(&v->sector.write, c);
	}
	if (v->line.found) {
		a->read_line_misses = misses_of(&v->line.read, c);
		a->line_accesses = (double)(ct_hist_total(&v->line.read) +
		                            ct_hist_total(&v->line.write));
		a->line_misses = a->read_line_misses + misses_of(&v->line.write, c);
	}
	if (v->merged.found) {
		a->merged_sectors = (double)(ct_hist_total(&v->merged.read) +
		                             ct_hist_total(&v->merged.write));
		a->merged_sector_misses = misses_of(&v->merged.read, &all) +
		                          misses_of(&v->merged.write, &all);
	}
	if (v->has_rj) {
		ct_curve_replication(&v->nearest, &v->sharers, c, &r);
		a->fills = r.fills;
		a->replicated = r.replicated;
		a->copies = r.copies;
	}
}

void ct_l1_views_answer(const struct ct_l1_views *v, const struct ct_gpu *g,
                        const struct ct_l1_parts *parts, struct ct_l1_answer *a)
{
	memset(a, 0, sizeof *a);
	for (unsigned i = 0; i < parts->n; i++) {
		struct ct_l1_answer one;
		answer_part(v, g, &parts->part[i].shape, &one);
		add_weighted(a, &one, parts->part[i].share);
	}
}

static int answer_scope(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                        const struct ct_l1_parts *parts, struct ct_l1_answer *a, struct ct_error *e)
{
	struct ct_l1_views *v;
	int st = ct_l1_views_load(&v, p, scope, 1, e);
	if (st == CT_OK)
		ct_l1_views_answer(v, g, parts, a);
	ct_l1_views_free(v);
	return st;
}

/* 1 when every kernel of the profile has histograms under its name. */
static int names_complete(const struct ct_profile *p)
{
	const struct ct_record *r;
	char scope[2048];
	size_t i = 0;
	while ((r = ct_profile_next(p, "KN", &i))) {
		const char *key[2] = {scope, "l1"};
		int n = snprintf(scope, sizeof scope, "name:%s", r->field[1]);
		if (n >= (int)sizeof scope || !ct_profile_find(p, "RD", 2, key))
			return 0;
	}
	return i > 0;
}

int ct_baseline_l1(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                   const struct ct_l1_parts *parts, struct ct_l1_answer *a, struct ct_error *e)
{
	struct ct_l1_parts own;
	const char *name;
	if (parts)
		return answer_scope(p, g, scope, parts, a, e);
	ct_baseline_parts(p, g, scope, &own);
	if (strcmp(scope, "all") != 0 || own.n == 1 || !names_complete(p))
		return answer_scope(p, g, scope, &own, a, e);
	memset(a, 0, sizeof *a);
	for (size_t i = 0; (name = ct_profile_scope(p, i)); i++) {
		struct ct_l1_answer one;
		if (strncmp(name, "name:", 5) != 0)
			continue;
		ct_baseline_parts(p, g, name, &own);
		int st = answer_scope(p, g, name, &own, &one, e);
		if (st != CT_OK)
			return st;
		add_weighted(a, &one, 1);
	}
	return CT_OK;
}

/* ---- LLC ---- */

static struct ct_cache_shape llc_shape(const struct ct_gpu *g, uint64_t bytes)
{
	return ct_cache_shape(bytes, g->llc.line, g->llc.sets * g->llc_slices, g->llc.ways);
}

static double hist_misses(const void *ctx, double lines, unsigned ways)
{
	const struct ct_cache_shape c = {lines, ways ? ways : UINT32_MAX};
	return misses_of(ctx, &c);
}

static double both_misses(const void *ctx, double lines, unsigned ways)
{
	const struct hists *h = ctx;
	return hist_misses(&h->read, lines, ways) + hist_misses(&h->write, lines, ways);
}

void ct_baseline_llc_fit(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                         struct ct_curve_fit *fit)
{
	const struct ct_cache_shape c = llc_shape(g, ct_gpu_llc_bytes(g));
	struct hists h;
	double had;
	*fit = (struct ct_curve_fit){1, 1};
	load_view(p, scope, "llc_sector", &h);
	if (h.found && ct_profile_get(p, scope, "llc_sector_misses", &had))
		ct_curve_fit(both_misses, &h, c.lines, c.ways, had, fit);
}

void ct_baseline_llc(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                     uint64_t bytes, const struct ct_curve_fit *fit, struct ct_llc_answer *a)
{
	const struct ct_cache_shape c = llc_shape(g, bytes);
	static const struct ct_curve_fit random = {1, 1};
	struct hists h;
	fit = fit ? fit : &random;
	*a = (struct ct_llc_answer){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	load_view(p, scope, "llc", &h);
	if (h.found) {
		a->read_accesses = (double)ct_hist_total(&h.read);
		a->read_misses = ct_curve_fitted(hist_misses, &h.read, c.lines, c.ways, fit);
		a->accesses = a->read_accesses + (double)ct_hist_total(&h.write);
		a->misses = a->read_misses +
		            ct_curve_fitted(hist_misses, &h.write, c.lines, c.ways, fit);
	}
	load_view(p, scope, "llc_sector", &h);
	if (h.found) {
		a->read_sector_accesses = (double)ct_hist_total(&h.read);
		a->read_sector_misses = ct_curve_fitted(hist_misses, &h.read, c.lines, c.ways, fit);
		a->sector_accesses = a->read_sector_accesses + (double)ct_hist_total(&h.write);
		a->sector_misses = a->read_sector_misses +
		                   ct_curve_fitted(hist_misses, &h.write, c.lines, c.ways, fit);
	}
}

/* ---- miss rates by capacity ---- */

double ct_baseline_moved_share(double had, double old, double now)
{
	if (isnan(had) || isnan(old) || isnan(now))
		return now;
	double v = now <= old ? (old > 0 ? had * now / old : had)
	                      : 1 - (1 - had) * (1 - now) / (1 - old);
	return fmin(fmax(v, 0), 1);
}

/* Sectors of one scope that miss in L1s of its own parts, each `factor` times as large. */
static double sectors_missed(const struct ct_gpu *g, const struct hists *h,
                             const struct ct_l1_parts *parts, double factor)
{
	double misses = 0;
	for (unsigned i = 0; i < parts->n; i++) {
		uint64_t bytes = (uint64_t)((double)parts->part[i].bytes * factor + 0.5);
		struct ct_cache_shape c = ct_cache_shape(bytes, g->l1.line, g->l1.sets, g->l1.ways);
		misses += parts->part[i].share * (misses_of(&h->read, &c) + misses_of(&h->write, &c));
	}
	return misses;
}

/* Which scopes together make a scope: itself, or all kernel names where their L1s differ, as ct_baseline_l1() does. Gives
 * the i-th or NULL. */
static const char *summed_scope(const struct ct_profile *p, const char *scope, int by_name, size_t *i)
{
	const char *name;
	if (!by_name)
		return (*i)++ == 0 ? scope : NULL;
	while ((name = ct_profile_scope(p, (*i)++)))
		if (strncmp(name, "name:", 5) == 0)
			return name;
	return NULL;
}

static double replayed_rate(const struct ct_profile *p, const char *scope, const char *metric)
{
	double v;
	return ct_profile_get(p, scope, metric, &v) ? v : NAN;
}

int ct_baseline_l1_rates(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                         const double *factor, size_t n, double *rate)
{
	const char *key[2] = {scope, "l1_sector"}, *one;
	double accesses = 0, old = 0, had = replayed_rate(p, scope, "l1_miss_rate");
	struct ct_l1_parts parts;
	struct hists h;
	if (!ct_profile_find(p, "RD", 2, key))
		return 0;
	ct_baseline_parts(p, g, scope, &parts);
	int by_name = strcmp(scope, "all") == 0 && parts.n > 1 && names_complete(p);
	for (size_t k = 0; k < n; k++)
		rate[k] = 0;
	for (size_t i = 0; (one = summed_scope(p, scope, by_name, &i));) {
		load_view(p, one, "l1_sector", &h);
		ct_baseline_parts(p, g, one, &parts);
		accesses += (double)(ct_hist_total(&h.read) + ct_hist_total(&h.write));
		old += sectors_missed(g, &h, &parts, 1);
		for (size_t k = 0; k < n; k++)
			rate[k] += sectors_missed(g, &h, &parts, factor[k]);
	}
	for (size_t k = 0; k < n; k++)
		rate[k] = ct_baseline_moved_share(had, old / accesses, rate[k] / accesses);
	return 1;
}

static double llc_rate(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                       const struct ct_curve_fit *fit, double factor)
{
	struct ct_llc_answer a;
	uint64_t bytes = (uint64_t)((double)ct_gpu_llc_bytes(g) * factor + 0.5);
	ct_baseline_llc(p, g, scope, bytes, fit, &a);
	return a.sector_misses / a.sector_accesses;
}

int ct_baseline_llc_rates(const struct ct_profile *p, const struct ct_gpu *g, const char *scope,
                          const double *factor, size_t n, double *rate)
{
	const char *key[2] = {scope, "llc_sector"};
	struct ct_curve_fit fit;
	if (!ct_profile_find(p, "RD", 2, key))
		return 0;
	ct_baseline_llc_fit(p, g, scope, &fit);
	double had = replayed_rate(p, scope, "llc_miss_rate"), old = llc_rate(p, g, scope, &fit, 1);
	for (size_t i = 0; i < n; i++)
		rate[i] = ct_baseline_moved_share(had, old, llc_rate(p, g, scope, &fit, factor[i]));
	return 1;
}

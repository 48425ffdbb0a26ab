#include "models/shared_l1/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/shared_l1/watch.h"

static const char SCOPE[] = "all";

struct view {
	struct ct_hist read, write;
	int found;
};

struct ct_sl_curves {
	struct view l1, l1_sector, merged, merged_sector;
	struct ct_rj nearest, sharers;
	int has_rj;
};

static void load_view(const struct ct_profile *p, const char *name, struct view *v)
{
	v->found = ct_profile_get_hist(p, SCOPE, name, &v->read, &v->write);
}

int ct_sl_curves_load(struct ct_sl_curves **out, const struct ct_profile *p, struct ct_error *e)
{
	struct ct_sl_curves *c = ct_calloc(1, sizeof *c);
	*out = NULL;
	if (!c)
		return ct_fail_nomem(e);
	load_view(p, "l1", &c->l1);
	load_view(p, "l1_sector", &c->l1_sector);
	load_view(p, "merged", &c->merged);
	load_view(p, "merged_sector", &c->merged_sector);
	int st = CT_OK;
	if (!c->l1.found || !c->merged.found)
		st = ct_fail(e, CT_ERR_INPUT, "the profile lacks RD all %s: make it with `reuse TRACE`",
		             c->l1.found ? "merged" : "l1");
	if (st == CT_OK) {
		int near = ct_profile_get_rj(p, SCOPE, "nearest", &c->nearest, e);
		int far = near < 0 ? near : ct_profile_get_rj(p, SCOPE, "sharers", &c->sharers, e);
		c->has_rj = near > 0 && far > 0;
		st = far < 0 ? far : CT_OK;
	}
	if (st != CT_OK) {
		ct_sl_curves_free(c);
		return st;
	}
	*out = c;
	return CT_OK;
}

void ct_sl_curves_free(struct ct_sl_curves *c)
{
	if (!c)
		return;
	ct_rj_free(&c->nearest);
	ct_rj_free(&c->sharers);
	free(c);
}

void ct_sl_parts(const struct ct_profile *p, const struct ct_gpu *g, double factor,
                 struct ct_l1_parts *parts)
{
	ct_baseline_parts(p, g, SCOPE, parts);
	for (unsigned i = 0; i < parts->n; i++) {
		parts->part[i].bytes = (uint64_t)((double)parts->part[i].bytes * factor);
		parts->part[i].shape = ct_cache_shape(
			parts->part[i].bytes, g->l1.line, g->l1.sets, g->l1.ways);
	}
}

void ct_sl_parts_add(const struct ct_gpu *g, uint32_t ways, struct ct_l1_parts *parts)
{
	for (unsigned i = 0; i < parts->n; i++) {
		parts->part[i].bytes += (uint64_t)ways * g->l1.sets * g->l1.line;
		parts->part[i].shape = ct_cache_shape(
			parts->part[i].bytes, g->l1.line, g->l1.sets, g->l1.ways + ways);
	}
}

static double misses_of(const struct ct_hist *h, const struct ct_cache_shape *c)
{
	return (double)ct_hist_total(h) - ct_curve_hits(h, c);
}

static double line_misses(const struct view *line, const struct ct_cache_shape *c)
{
	return misses_of(&line->read, c) + misses_of(&line->write, c);
}

/* Adds what a view misses in caches of that shape, weighted, with the misses that another order of the
 * accesses could make of it and those at the edge of the capacity. */
static void add_rates(struct ct_sl_rates *r, const struct view *line, const struct view *sector,
                      const struct ct_cache_shape *c, double weight)
{
	unsigned quarter = c->ways >= 4 ? c->ways / 4 : 1;
	/* Fewer lines between are as much as more room, and the other way round. */
	struct ct_cache_shape more = {c->lines * CT_SL_PACE, c->ways * CT_SL_PACE};
	struct ct_cache_shape less = {
		c->lines / CT_SL_PACE, c->ways >= CT_SL_PACE ? c->ways / CT_SL_PACE : 1};
	struct ct_cache_shape above = {c->lines * 1.25, c->ways + quarter},
			      below = {c->lines * 0.75, c->ways > quarter ? c->ways - quarter : 1};
	r->misses_low += weight * line_misses(line, &more);
	r->misses_high += weight * line_misses(line, &less);
	r->edge += weight * (line_misses(line, &below) - line_misses(line, &above));
	r->read_lines += weight * (double)ct_hist_total(&line->read);
	r->write_lines += weight * (double)ct_hist_total(&line->write);
	r->read_misses += weight * misses_of(&line->read, c);
	r->write_misses += weight * misses_of(&line->write, c);
	r->read_cold += weight * (double)line->read.cold;
	r->sectors += weight * (double)(ct_hist_total(&sector->read) + ct_hist_total(&sector->write));
	r->sector_misses += weight * (misses_of(&sector->read, c) + misses_of(&sector->write, c));
}

static void begin_rates(struct ct_sl_rates *r, const struct view *sector)
{
	memset(r, 0, sizeof *r);
	if (!sector->found)
		r->sectors = r->sector_misses = NAN;
}

void ct_sl_private(const struct ct_sl_curves *c, const struct ct_l1_parts *parts, struct ct_sl_rates *r)
{
	begin_rates(r, &c->l1_sector);
	for (unsigned i = 0; i < parts->n; i++) {
		const struct ct_cache_shape *shape = &parts->part[i].shape;
		struct ct_replication x = {NAN, NAN, NAN};
		add_rates(r, &c->l1, &c->l1_sector, shape, parts->part[i].share);
		if (c->has_rj)
			ct_curve_replication(&c->nearest, &c->sharers, shape, &x);
		r->fills += parts->part[i].share * x.fills;
		r->replicated += parts->part[i].share * x.replicated;
		r->copies += parts->part[i].share * x.copies;
	}
}

void ct_sl_shared(const struct ct_sl_curves *c, const struct ct_l1_parts *parts, unsigned cores,
                  enum ct_sl_homes homes, struct ct_sl_rates *r)
{
	begin_rates(r, &c->merged_sector);
	/* Folded: `extra` of the `values` values of the core bits share an L1 with another, so
	 * 2 * extra of them have half an L1 and the others a whole one. */
	unsigned values = 1u << ct_sl_core_bits(cores), extra = values - cores;
	double crowded = homes == CT_SL_HOMES_FOLD ? 2.0 * extra / values : 0;
	for (unsigned i = 0; i < parts->n; i++) {
		struct ct_cache_shape one = parts->part[i].shape;
		double whole = homes == CT_SL_HOMES_FOLD ? values : cores;
		struct ct_cache_shape all = {one.lines * whole, one.ways};
		struct ct_cache_shape half = {one.lines * whole / 2, one.ways};
		add_rates(r, &c->merged, &c->merged_sector, &all, parts->part[i].share * (1 - crowded));
		if (crowded > 0)
			add_rates(r, &c->merged, &c->merged_sector, &half,
			          parts->part[i].share * crowded);
	}
	r->fills = r->copies = r->read_misses;
	r->replicated = 0;
}

double ct_sl_miss_rate(const struct ct_sl_rates *r)
{
	double all = r->read_lines + r->write_lines;
	return all > 0 ? (r->read_misses + r->write_misses) / all : 0;
}

/* ---- order ---- */

const double ct_sl_accuracy = 0.03;

int ct_sl_order_sensitive(double edge)
{
	return edge > ct_sl_accuracy;
}

void ct_sl_rates_shift(struct ct_sl_rates *r, int up)
{
	double all = r->read_lines + r->write_lines, now = r->read_misses + r->write_misses;
	double then = up ? r->misses_high : r->misses_low;
	if (!(all > 0) || !(now > 0) || !ct_sl_order_sensitive(r->edge / all))
		return;
	r->read_misses = fmin(r->read_misses * (then / now), r->read_lines);
	r->write_misses = fmin(r->write_misses * (then / now), r->write_lines);
	r->sector_misses = fmin(r->sector_misses * (then / now), r->sectors);
	r->read_cold = fmin(r->read_cold, r->read_misses);
}

void ct_sl_rates_exact(struct ct_sl_rates *r)
{
	r->misses_low = r->misses_high = r->read_misses + r->write_misses;
	r->edge = 0;
}

#include "common/sweeps.h"
#include "common/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"

enum { CURVE = 32 }; /* characters at most */

struct point {
	const char *text; /* x as printed */
	double x, y;
};

struct curve {
	const char *system, *key, *metric;
	int first; /* of its key and system */
	struct point *p;
	size_t n, cap;
};

struct curves {
	struct curve *c;
	size_t n, cap;
	int failed;
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	return p->x < q->x ? -1 : p->x > q->x;
}

/* The curve that a point belongs to, made where there is none yet. NULL when out of memory. */
static struct curve *curve_of(struct curves *all, const struct ct_record *r)
{
	int first = 1;
	for (size_t i = 0; i < all->n; i++) {
		struct curve *c = &all->c[i];
		if (strcmp(c->system, r->field[2]) || strcmp(c->key, r->field[3]))
			continue;
		if (!strcmp(c->metric, r->field[5]))
			return c;
		first = 0;
	}
	if (ct_grow((void **)&all->c, &all->cap, all->n + 1, sizeof *all->c) < 0)
		return NULL;
	struct curve *c = &all->c[all->n++];
	*c = (struct curve){
		.system = r->field[2], .key = r->field[3], .metric = r->field[5], .first = first};
	return c;
}

/* Gathers the points of a mechanism's sweeps into curves, in ascending order. */
static void collect_points(const struct ct_profile *p, const char *mechanism, struct curves *all)
{
	const struct ct_record *r;
	for (size_t i = 0; !all->failed && (r = ct_profile_next(p, "SW", &i));) {
		struct point at;
		if (r->nfields < 9 || strcmp(r->field[0], "all") || strcmp(r->field[1], mechanism) ||
		    !strncmp(r->field[3], "core:", 5) || !ct_field_real(r->field[4], &at.x) ||
		    !ct_field_real(r->field[6], &at.y))
			continue;
		at.text = r->field[4];
		struct curve *c = curve_of(all, r);
		if (!c || ct_grow((void **)&c->p, &c->cap, c->n + 1, sizeof *c->p) < 0)
			all->failed = 1;
		else
			c->p[c->n++] = at;
	}
	for (size_t i = 0; i < all->n; i++)
		if (all->c[i].n)
			qsort(all->c[i].p, all->c[i].n, sizeof *all->c[i].p, by_x);
}

static size_t systems_of(const struct curves *all, const char *key)
{
	size_t n = 0;
	for (size_t i = 0; i < all->n; i++)
		n += all->c[i].first && !strcmp(all->c[i].key, key);
	return n;
}

/* A row of the table for a curve: ends, extremes and a small drawing. */
static void curve_row(struct ct_table *t, const struct curve *c)
{
	size_t most = 0, least = 0, shown = c->n < CURVE ? c->n : CURVE;
	double v[CURVE];
	for (size_t i = 0; i < c->n; i++) {
		most = c->p[i].y > c->p[most].y ? i : most;
		least = c->p[i].y < c->p[least].y ? i : least;
	}
	for (size_t i = 0; i < shown; i++)
		v[i] = c->p[shown > 1 ? i * (c->n - 1) / (shown - 1) : 0].y;
	ct_table_cell(t, "%s", c->system);
	ct_table_cell(t, "%s", c->metric);
	ct_table_cell(t, "%s=%s..%s", c->key, c->p[0].text, c->p[c->n - 1].text);
	ct_table_cell(t, "%.4g", c->p[0].y);
	ct_table_cell(t, "%.4g", c->p[c->n - 1].y);
	ct_table_cell(t, "%.4g at %s", c->p[least].y, c->p[least].text);
	ct_table_cell(t, "%.4g at %s", c->p[most].y, c->p[most].text);
	/* what differs by less than 2 % is drawn flat, or nearly so */
	ct_table_spark(t, v, shown, fmin(c->p[least].y, 0.98 * c->p[most].y), c->p[most].y);
}

void ct_sweeps_table(const struct ct_profile *p, const char *mechanism, struct ct_buf *b)
{
	static const char *const head[] = {
		"system", "metric", "for", "first", "last", "least", "most", "curve"};
	struct ct_table t = {.columns = 8, .style = ct_terminal_style()};
	struct curves all = {0};
	collect_points(p, mechanism, &all);
	ct_table_heads(&t, head);
	for (size_t i = 0; i < all.n; i++)
		if (all.c[i].n &&
		    (systems_of(&all, all.c[i].key) <= 2 || !strcmp(all.c[i].metric, "speedup")))
			curve_row(&t, &all.c[i]);
	if (all.failed)
		b->failed = 1;
	if (t.count > t.columns) {
		ct_buf_putc(b, '\n');
		ct_table_render(&t, b);
	}
	ct_buf_free(&t.cells);
	for (size_t i = 0; i < all.n; i++)
		free(all.c[i].p);
	free(all.c);
}

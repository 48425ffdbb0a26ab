#include "models/common/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/origin.h"

/* ---- rows ---- */

void ct_figure_add_range(struct ct_figure_rows *rows, const char *panel, const char *x,
                         const char *series, double v, double low, double high)
{
	if (isnan(v))
		return;
	if (ct_grow((void **)&rows->row, &rows->cap, rows->n + 1, sizeof *rows->row) < 0) {
		rows->failed = 1;
		return;
	}
	struct ct_figure_row *r = &rows->row[rows->n++];
	*r = (struct ct_figure_row){.value = v, .low = low, .high = high};
	snprintf(r->panel, sizeof r->panel, "%s", panel);
	snprintf(r->x, sizeof r->x, "%s", x);
	snprintf(r->series, sizeof r->series, "%s", series);
}

void ct_figure_add(struct ct_figure_rows *rows, const char *panel, const char *x, const char *series,
                   double v)
{
	ct_figure_add_range(rows, panel, x, series, v, NAN, NAN);
}

void ct_figure_add_missing(struct ct_figure_rows *rows, const char *panel, const char *x,
                           const char *series, const char *why)
{
	size_t n = rows->n;
	ct_figure_add(rows, panel, x, series, 0);
	if (rows->n == n)
		return;
	rows->row[n].value = NAN;
	rows->row[n].missing = why;
}

static int same_group(const struct ct_figure_row *a, const struct ct_figure_row *b, int by_series)
{
	return !strcmp(a->panel, b->panel) &&
	       !strcmp(by_series ? a->series : a->x, by_series ? b->series : b->x);
}

void ct_figure_add_means(struct ct_figure_rows *rows, size_t first, const char *panel, int by_series)
{
	size_t end = rows->n;
	for (size_t i = first; i < end; i++) {
		struct ct_figure_row r = rows->row[i];
		double sum = 0;
		size_t n = 0, before = 0;
		if (strcmp(r.panel, panel) != 0 || r.missing)
			continue;
		for (size_t k = first; k < end; k++) {
			const struct ct_figure_row *x = &rows->row[k];
			if (x->missing || !same_group(x, &r, by_series))
				continue;
			before += k < i;
			sum += log(x->value);
			n++;
		}
		if (before == 0 && n > 1)
			ct_figure_add(rows, panel, by_series ? "mean" : r.x,
			              by_series ? r.series : "mean", exp(sum / (double)n));
	}
}

void ct_figure_rows_free(struct ct_figure_rows *rows)
{
	free(rows->row);
	memset(rows, 0, sizeof *rows);
}

/* ---- what profiles hold ---- */

double ct_figure_sn(const struct ct_figure_workload *w, const char *metric)
{
	double v;
	return ct_profile_get(w->p, "all", metric, &v) ? v : NAN;
}

int ct_figure_estimate(const struct ct_figure_workload *w, const char *mechanism, const char *system,
                       const char *metric, struct ct_estimate *es)
{
	return ct_profile_get_estimate(w->p, "all", mechanism, system, metric, NULL, es);
}

double ct_figure_es(const struct ct_figure_workload *w, const char *mechanism, const char *system,
                    const char *metric, const char *over)
{
	struct ct_estimate a, b;
	if (!ct_figure_estimate(w, mechanism, system, metric, &a))
		return NAN;
	if (!over)
		return a.value;
	/* of one method, where both have it */
	if (!ct_profile_get_estimate(w->p, "all", mechanism, over, metric, a.method, &b) ||
	    isnan(b.value))
		if (!ct_figure_estimate(w, mechanism, over, metric, &b))
			return NAN;
	return b.value != 0 ? a.value / b.value : NAN;
}

int ct_figure_by_x(const void *a, const void *b)
{
	const struct ct_figure_point *p = a, *q = b;
	return p->x < q->x ? -1 : p->x > q->x;
}

static int begins_with(const char *s, const char *word)
{
	return strncmp(s, word, strlen(word)) == 0;
}

size_t ct_figure_sweep(const struct ct_figure_workload *w, const char *mechanism, const char *system,
                       const char *key, const char *metric, struct ct_figure_points *p)
{
	const struct ct_record *r;
	size_t n = 0;
	for (size_t i = 0; (r = ct_profile_next(w->p, "SW", &i));) {
		struct ct_figure_point one;
		if (r->nfields < 9 || strcmp(r->field[0], "all") || strcmp(r->field[1], mechanism) ||
		    strcmp(r->field[2], system) || !begins_with(r->field[3], key) ||
		    strcmp(r->field[5], metric) ||
		    (begins_with(key, "core:") && strcmp(r->field[3], key)))
			continue;
		if (!ct_field_real(r->field[4], &one.x) || !ct_field_real(r->field[6], &one.y))
			continue;
		if (ct_grow((void **)&p->at, &p->cap, n + 1, sizeof one) < 0) {
			p->failed = 1;
			return 0;
		}
		snprintf(one.text, sizeof one.text, "%s", r->field[4]);
		p->at[n++] = one;
	}
	if (n)
		qsort(p->at, n, sizeof *p->at, ct_figure_by_x);
	return n;
}

void ct_figure_points_free(struct ct_figure_points *p, struct ct_figure_rows *rows)
{
	rows->failed |= p->failed;
	free(p->at);
}

double ct_figure_gp(const struct ct_figure_workload *w, const char *key)
{
	double v;
	const char *t = ct_profile_gp(w->p, key);
	return t && ct_field_real(t, &v) ? v : NAN;
}

int ct_figure_gpu(const struct ct_figure_workload *w, struct ct_gpu *g)
{
	return ct_pass_get_gpu(w->p, g, NULL) == CT_OK;
}

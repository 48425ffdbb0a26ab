/* chart_front.c - what can be had for what it costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/mem.h"
#include "common/chart.h"

enum {
	W = 400,
	LEFT = 46,
	RIGHT = 24,
	TOP = 26,
	BOTTOM = 38,
	PLOT = 146,
	LEGEND_ROW = 13,
	TICKS_MAX = 16
};

struct frame {
	double x0, x1, y0, y1, top;
};

static double at_x(const struct frame *f, double x)
{
	return LEFT + (W - LEFT - RIGHT) * (x - f->x0) / (f->x1 - f->x0);
}

static double at_y(const struct frame *f, double y)
{
	return f->top + PLOT * (1 - (y - f->y0) / (f->y1 - f->y0));
}

static int shown(const struct ch_choice *p)
{
	return isfinite(p->x) && isfinite(p->y);
}

/* A twentieth more than the points take, to each side. */
static void widen(double *low, double *high)
{
	double more = *high > *low ? (*high - *low) / 20 : fmax(fabs(*high) / 20, 1e-3);
	*low -= more;
	*high += more;
}

static int find_frame(const struct ch_choice *point, size_t n, struct frame *f)
{
	*f = (struct frame){INFINITY, -INFINITY, INFINITY, -INFINITY, TOP};
	for (size_t i = 0; i < n; i++)
		if (shown(&point[i])) {
			f->x0 = fmin(f->x0, point[i].x);
			f->x1 = fmax(f->x1, point[i].x);
			f->y0 = fmin(f->y0, point[i].y);
			f->y1 = fmax(f->y1, point[i].y);
		}
	if (f->x0 > f->x1)
		return 0;
	widen(&f->x0, &f->x1);
	widen(&f->y0, &f->y1);
	return 1;
}

/* Steps of sizes are powers of two, so that they have short names. */
static double x_step(const struct ch_axes *a, double span)
{
	return a->size_x ? exp2(ceil(log2(span / 5))) : ch_step(span);
}

static void axes(struct ct_buf *b, const struct ch_axes *a, const struct frame *f)
{
	char t[32];
	double step = ch_step(f->y1 - f->y0), v = ceil(f->y0 / step) * step;
	for (int i = 0; i < TICKS_MAX && v <= f->y1; i++, v += step) {
		ct_buf_printf(b, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, at_y(f, v),
		              W - RIGHT);
		ch_number(fabs(v) < step / 2 ? 0 : v, t);
		ch_label(b, "tick", LEFT - 5, at_y(f, v) + 3.5, "end", t);
	}
	step = x_step(a, f->x1 - f->x0);
	v = ceil(f->x0 / step) * step;
	for (int i = 0; i < TICKS_MAX && v <= f->x1; i++, v += step) {
		if (a->size_x)
			ch_size(fmax(v, 0), t);
		else
			ch_number(fabs(v) < step / 2 ? 0 : v, t);
		ct_buf_printf(b, "<path class=\"grid\" d=\"M%.1f %.1fv4\"/>", at_x(f, v), f->top + PLOT);
		ch_label(b, "tick", at_x(f, v), f->top + PLOT + 15, "middle", t);
	}
	ch_label(b, "axis", 2, 12, "start", a->y);
	ch_label(b, "axis", W - RIGHT, f->top + PLOT + 34, "end", a->x);
}

static int by_cost(const void *va, const void *vb)
{
	const struct ch_choice *a = *(const struct ch_choice *const *)va,
			       *b = *(const struct ch_choice *const *)vb;
	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	if (a->y != b->y)
		return a->y > b->y ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* From one to the next: what costs less has the lower one's y. */
static void front(struct ct_buf *b, const struct frame *f, const struct ch_choice *point, size_t n)
{
	const struct ch_choice **p = ct_calloc(n ? n : 1, sizeof(const struct ch_choice *));
	double best = -INFINITY;
	size_t shown_points = 0;
	if (!p) {
		b->failed = 1;
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (shown(&point[i]))
			p[shown_points++] = &point[i];
	qsort(p, shown_points, sizeof(const struct ch_choice *), by_cost);
	ct_buf_puts(b, "<path class=\"mark\" d=\"");
	for (size_t i = 0; i < shown_points; i++) {
		if (!(p[i]->y > best))
			continue;
		if (isfinite(best))
			ct_buf_printf(b, "H%.1fV%.1f", at_x(f, p[i]->x), at_y(f, p[i]->y));
		else
			ct_buf_printf(b, "M%.1f %.1f", at_x(f, p[i]->x), at_y(f, p[i]->y));
		best = p[i]->y;
	}
	ct_buf_printf(b, "H%d\"/>", W - RIGHT);
	free(p);
}

void ch_front(struct ct_buf *b, const struct ch_axes *a, const char *const *set, unsigned n_sets,
              const struct ch_choice *point, size_t n)
{
	struct frame f;
	if (!find_frame(point, n, &f))
		return;
	f.top += LEGEND_ROW * (double)(ch_point_names(NULL, a, W, set, n_sets) - 1);
	ch_open(b, a->id, a->title, a->desc, W, f.top + PLOT + BOTTOM, a);
	axes(b, a, &f);
	front(b, &f, point, n);
	for (size_t i = 0; i < n; i++) {
		if (!shown(&point[i]))
			continue;
		ct_buf_printf(b, "<circle class=\"s%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>",
		              point[i].set % CH_SERIES_MAX, at_x(&f, point[i].x), at_y(&f, point[i].y));
		ct_escape_markup(b, point[i].name);
		ct_buf_puts(b, "</title></circle>");
	}
	ch_point_names(b, a, W, set, n_sets);
	ct_buf_puts(b, "</svg>\n");
}

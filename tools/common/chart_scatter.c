/* chart_scatter.c - points of two quantities that ought to be equal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "common/chart.h"

enum {
	W = 400,
	LEFT = 50,
	RIGHT = 12,
	TOP = 26,
	BOTTOM = 38,
	PLOT = 250,
	LEGEND_ROW = 13,
	TICKS_MAX = 40
};
static const double plot_w = W - LEFT - RIGHT;

struct span {
	double low, high; /* of both axes; in powers of ten their logarithms */
	int log;
	double top; /* where the plot begins */
};

static int shown(const struct span *s, const struct ch_points *p, size_t i)
{
	return isfinite(p->x[i]) && isfinite(p->y[i]) && (!s->log || (p->x[i] > 0 && p->y[i] > 0));
}

/* The part of the axis up to v. */
static double share(const struct span *s, double v)
{
	return ((s->log ? log10(v) : v) - s->low) / (s->high - s->low);
}

static double at_x(const struct span *s, double v)
{
	return LEFT + plot_w * share(s, v);
}

static double at_y(const struct span *s, double v)
{
	return s->top + PLOT * (1 - share(s, v));
}

/* Both axes reach over all points, and as powers of ten over one half at least. Returns 0 where there is no point. */
static int find_span(struct span *s, const struct ch_axes *a, const struct ch_points *set, size_t n)
{
	double low = INFINITY, high = -INFINITY;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < set[k].n; i++)
			if (shown(s, &set[k], i)) {
				low = fmin(low, fmin(set[k].x[i], set[k].y[i]));
				high = fmax(high, fmax(set[k].x[i], set[k].y[i]));
			}
	if (low > high)
		return 0;
	if (s->log) {
		s->low = log10(low) - 0.1;
		s->high = log10(high) + 0.1;
		if (s->high - s->low < 0.5)
			s->high = s->low + 0.5;
	} else {
		s->low = 0;
		s->high = a->y_max > 0 ? a->y_max : high > 0 ? high * 1.05 : 1;
	}
	return 1;
}

static void tick(struct ct_buf *b, const struct span *s, const struct ch_axes *a, double v)
{
	char n[32], t[40];
	ch_number(a->percent_y ? 100 * v : v, n);
	snprintf(t, sizeof t, "%s%s", n, a->percent_y ? " %" : "");
	ct_buf_printf(b, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, at_y(s, v), W - RIGHT);
	ct_buf_printf(b, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at_x(s, v), s->top,
	              s->top + PLOT);
	ch_label(b, "tick", LEFT - 5, at_y(s, v) + 3.5, "end", t);
	ch_label(b, "tick", at_x(s, v), s->top + PLOT + 15, "middle", t);
}

/* Powers of ten, and where there are few of them also 2 and 5 times them; else fifths of the span. */
static void ticks(struct ct_buf *b, const struct span *s, const struct ch_axes *a)
{
	static const double between[] = {1, 2, 5};
	const int few = s->high - s->low < 2;
	int drawn = 0;
	if (!s->log) {
		double step = pow(10, floor(log10(s->high / 2)));
		step *= s->high / step > 5 ? 5 : s->high / step > 2.5 ? 2 : 1;
		step = s->high / step < 2.5 ? step / 2 : step;
		for (int i = 0; i < TICKS_MAX && i * step <= s->high * 1.001; i++)
			tick(b, s, a, i * step);
		return;
	}
	const int apart = (int)fmax(1, ceil((s->high - s->low) / 8));
	for (int d = (int)floor(s->low); d <= s->high && drawn < TICKS_MAX; d += few ? 1 : apart)
		for (int k = 0; k < (few ? 3 : 1); k++) {
			double v = between[k] * pow(10, d);
			if (share(s, v) < -1e-9 || share(s, v) > 1 + 1e-9)
				continue;
			tick(b, s, a, v);
			drawn++;
		}
}

/* The line y = factor * x + shift, in pieces, for it is bent where a power of ten meets a shift. */
static void equal_line(struct ct_buf *b, const struct span *s, double factor, double shift)
{
	enum { PIECES = 24 };
	int pen = 0;
	ct_buf_puts(b, "<path class=\"mark\" d=\"");
	for (int i = 0; i <= PIECES; i++) {
		double at = s->low + (s->high - s->low) * i / PIECES, x = s->log ? pow(10, at) : at;
		double y = factor * x + shift;
		if ((s->log && y <= 0) || share(s, y) < 0 || share(s, y) > 1)
			continue;
		ct_buf_printf(b, "%c%.1f %.1f", pen++ ? 'L' : 'M', at_x(s, x), at_y(s, y));
	}
	ct_buf_puts(b, "\"/>");
}

unsigned ch_point_names(struct ct_buf *b, const struct ch_axes *a, double width, const char *const *name,
                        size_t n)
{
	double left = 14 + 6 * (double)strlen(a->y), x = left;
	unsigned row = 0;
	for (size_t i = 0; i < n && n > 1; i++) {
		char cut[32];
		snprintf(cut, sizeof cut, strlen(name[i]) > 24 ? "%.22s..." : "%.28s", name[i]);
		ct_utf8_clean(cut, strlen(cut)); /* where a character was cut */
		double need = 12 + 5.2 * (double)(strlen(cut) + 2);
		if (x + need > width && x > left) {
			x = left;
			row++;
		}
		double y = 12 + LEGEND_ROW * (double)row;
		if (b) {
			ct_buf_printf(b, "<circle class=\"s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>",
			              i % CH_SERIES_MAX, x + 4, y - 3.5);
			ch_label(b, "tick", x + 11, y, "start", cut);
		}
		x += need;
	}
	return row + 1;
}

double ch_scatter(struct ct_buf *b, const struct ch_axes *a, const struct ch_points *set, size_t n,
                  double within)
{
	struct span s = {.log = a->log_x};
	const char *name[CH_SERIES_MAX];
	size_t named = n < CH_SERIES_MAX ? n : CH_SERIES_MAX;
	for (size_t i = 0; i < named; i++)
		name[i] = set[i].name;
	if (!find_span(&s, a, set, n))
		return 0;
	s.top = TOP + LEGEND_ROW * (double)(ch_point_names(NULL, a, W, name, named) - 1);
	ch_open(b, a->id, a->title, a->desc, W, s.top + PLOT + BOTTOM, a);
	ticks(b, &s, a);
	equal_line(b, &s, 1, 0);
	if (within > 0) {
		equal_line(b, &s, a->percent_y ? 1 : 1 + within, a->percent_y ? within : 0);
		equal_line(b, &s, a->percent_y ? 1 : 1 - within, a->percent_y ? -within : 0);
	}
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < set[k].n; i++) {
			if (!shown(&s, &set[k], i))
				continue;
			ct_buf_printf(b, "<circle class=\"s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>",
			              k % CH_SERIES_MAX, at_x(&s, set[k].x[i]), at_y(&s, set[k].y[i]));
		}
	ch_label(b, "axis", 2, 12, "start", a->y);
	ch_label(b, "axis", W - RIGHT, s.top + PLOT + 34, "end", a->x);
	ch_point_names(b, a, W, name, named);
	ct_buf_puts(b, "</svg>\n");
	return s.top + PLOT + BOTTOM;
}

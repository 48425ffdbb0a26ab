#include "common/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

/* A picture is 400 by 210 units with room for its axes; wider for many bars, higher for
 * many names. */
enum { W = 400, H = 210, LEFT = 46, RIGHT = 12, TOP = 26, BOTTOM = 38, LEGEND_ROW = 13, SLANT = 46 };
static const double plot_h = H - TOP - BOTTOM, letter = 5.2;

void ch_number(double v, char out[32])
{
	double a = fabs(v);
	const char *unit = "";
	if (isnan(v)) {
		snprintf(out, 32, "-");
		return;
	}
	if (a >= 1e9) {
		v /= 1e9;
		unit = "G";
	} else if (a >= 1e6) {
		v /= 1e6;
		unit = "M";
	} else if (a >= 1e4) {
		v /= 1e3;
		unit = "k";
	}
	a = fabs(v);
	int decimals = *unit == '\0' && v == floor(v) ? 0
	               : a >= 99.95                   ? 0
	               : a >= 9.995                   ? 1
	               : a >= 0.0995                  ? 2
	                                              : 4;
	snprintf(out, 32, "%.*f%s", decimals, v == 0 ? 0.0 : v, unit);
}

void ch_size(double bytes, char out[32])
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	int i = 0;
	while (bytes >= 1024 && i < 4) {
		bytes /= 1024;
		i++;
	}
	snprintf(out, 32, bytes < 9.95 && bytes != floor(bytes) ? "%.1f %s" : "%.0f %s", bytes, unit[i]);
}

/* ---- frame ---- */

void ch_open(struct ct_buf *b, const char *id, const char *title, const char *desc, double w, double h,
             const struct ch_axes *a)
{
	ct_buf_puts(b, "<svg class=\"chart\"");
	if (a && a->nested)
		ct_buf_printf(b, " y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"", a->top, w, h);
	ct_buf_printf(b,
	              " viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
	              "aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">",
	              w, h, id, id, id);
	ct_escape_markup(b, title);
	ct_buf_printf(b, "</title><desc id=\"%s-d\">", id);
	ct_escape_markup(b, desc);
	ct_buf_puts(b, "</desc>");
}

void ch_label(struct ct_buf *b, const char *class, double x, double y, const char *anchor, const char *s)
{
	ct_buf_printf(b, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", class, x, y,
	              anchor);
	ct_escape_markup(b, s);
	ct_buf_puts(b, "</text>");
}

struct scale {
	double x0, x1, y1; /* data limits; y starts at 0 */
	int log_x;
	double w, top; /* width of the picture; where the plot begins */
};

static double plot_w(const struct scale *s)
{
	return s->w - LEFT - RIGHT;
}

static double at_x(const struct scale *s, double x)
{
	if (s->log_x)
		return LEFT + plot_w(s) * (log2(x) - log2(s->x0)) / (log2(s->x1) - log2(s->x0));
	return LEFT + plot_w(s) * (x - s->x0) / (s->x1 - s->x0);
}

static double at_y(const struct scale *s, double y)
{
	return s->top + plot_h * (1 - y / s->y1);
}

/* More than there can be, but for numbers that a step does not change, or that end all numbers. */
enum { TICKS_MAX = 16 };

double ch_step(double span)
{
	double p = pow(10, floor(log10(span / 3)));
	double m = span / 3 / p;
	return p * (m >= 5 ? 5 : m >= 2 ? 2 : 1);
}

static void y_axis(struct ct_buf *b, const struct ch_axes *a, const struct scale *s)
{
	double step = ch_step(s->y1);
	char t[32], n[32];
	for (int i = 0; i < TICKS_MAX && i * step <= s->y1 * 1.001; i++) {
		double y = at_y(s, i * step);
		ct_buf_printf(b, "<path class=\"grid\" d=\"M%d %.1fH%.1f\"/>", LEFT, y, s->w - RIGHT);
		ch_number(a->percent_y ? 100 * i * step : i * step, n);
		snprintf(t, sizeof t, "%.20s%s", n, a->percent_y ? " %" : "");
		ch_label(b, "tick", LEFT - 5, y + 3.5, "end", t);
	}
	ch_label(b, "axis", 2, 12, "start", a->y);
}

static void x_tick(struct ct_buf *b, const struct ch_axes *a, const struct scale *s, double x)
{
	char t[32];
	if (a->size_x)
		ch_size(x, t);
	else
		ch_number(x, t);
	ct_buf_printf(b, "<path class=\"grid\" d=\"M%.1f %.1fv4\"/>", at_x(s, x), s->top + plot_h);
	ch_label(b, "tick", at_x(s, x), s->top + plot_h + 15, "middle", t);
}

/* Draws the ticks and the label of the x axis, at powers of two where it is logarithmic. */
static void x_axis(struct ct_buf *b, const struct ch_axes *a, const struct scale *s)
{
	if (s->log_x) {
		int first = (int)ceil(log2(s->x0) - 1e-9), last = (int)floor(log2(s->x1) + 1e-9);
		int step = (last - first) / 5 + 1;
		for (int i = first; i <= last; i += step)
			x_tick(b, a, s, ldexp(1, i));
	} else {
		double step = ch_step(s->x1 - s->x0);
		if (step < 1 && a->whole_x)
			step = 1;
		double x = ceil(s->x0 / step) * step;
		for (int i = 0; i < TICKS_MAX && x <= s->x1 * 1.0001; i++, x += step)
			x_tick(b, a, s, x);
	}
	ch_label(b, "axis", s->w - RIGHT, s->top + plot_h + 34, "end", a->x);
}

static void mark(struct ct_buf *b, const struct ch_axes *a, const struct scale *s)
{
	if (!a->mark || isnan(a->mark_x) || a->mark_x < s->x0 || a->mark_x > s->x1)
		return;
	double x = at_x(s, a->mark_x);
	int left = x > LEFT + plot_w(s) * 0.6;
	ct_buf_printf(b, "<path class=\"mark\" d=\"M%.1f %dV%.1f\"/>", x, TOP, TOP + plot_h);
	ch_label(b, "tick", left ? x - 4 : x + 4, TOP + 9, left ? "end" : "start", a->mark);
}

/* Where the names of the series go: beside the y axis' name, in as many rows as they
 * take. Returns the rows; draws when b is not NULL. */
static unsigned legend(struct ct_buf *b, const struct ch_axes *a, double width, const char *const *name,
                       unsigned n, const int *dashed)
{
	double left = 14 + 6 * (double)strlen(a->y), x = left;
	unsigned row = 0;
	for (unsigned i = 0; i < n && n > 1; i++) {
		double need = 15 + letter * (double)(strlen(name[i]) + 2);
		if (x + need > width && x > left) {
			x = left;
			row++;
		}
		if (b) {
			double y = 12 + LEGEND_ROW * (double)row;
			ct_buf_printf(b, "<path class=\"s%u line%s\" d=\"M%.1f %.1fh12\"/>",
			              i % CH_SERIES_MAX, dashed && dashed[i] ? " dash" : "", x, y - 3.5);
			ch_label(b, "tick", x + 15, y, "start", name[i]);
		}
		x += need;
	}
	return row + 1;
}

/* ---- curves ---- */

/* Finds the range of the axes. Returns 0 where there is nothing to draw. */
static int limits(const struct ch_axes *a, const struct ch_line *line, size_t n, struct scale *s)
{
	*s = (struct scale){INFINITY, -INFINITY, a->y_max, a->log_x, W, TOP};
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < line[i].n; k++) {
			if (isnan(line[i].y[k]) || isnan(line[i].x[k]) ||
			    (a->log_x && line[i].x[k] <= 0))
				continue;
			s->x0 = fmin(s->x0, line[i].x[k]);
			s->x1 = fmax(s->x1, line[i].x[k]);
			if (!(a->y_max > 0))
				s->y1 = fmax(s->y1, line[i].y[k] * 1.05);
		}
	if (!(s->y1 > 0))
		s->y1 = 1;
	if (s->x0 == s->x1)
		s->x1 = a->log_x ? s->x0 * 2 : s->x0 + 1;
	return s->x0 < s->x1;
}

void ch_lines(struct ct_buf *b, const struct ch_axes *a, const struct ch_line *line, size_t n)
{
	struct scale s;
	const char *name[CH_SERIES_MAX];
	int dashed[CH_SERIES_MAX];
	unsigned named = 0;
	if (!limits(a, line, n, &s))
		return;
	for (size_t i = 0; i < n && n <= CH_SERIES_MAX; i++) {
		name[named] = line[i].name;
		dashed[named++] = line[i].dashed;
	}
	s.top += LEGEND_ROW * (double)(legend(NULL, a, s.w, name, named, dashed) - 1);
	ch_open(b, a->id, a->title, a->desc, s.w, s.top + plot_h + BOTTOM, a);
	y_axis(b, a, &s);
	x_axis(b, a, &s);
	mark(b, a, &s);
	for (size_t i = 0; i < n; i++) {
		int pen = 0;
		ct_buf_printf(b, "<path class=\"s%zu line%s\" d=\"", i % CH_SERIES_MAX,
		              line[i].dashed ? " dash" : "");
		for (size_t k = 0; k < line[i].n; k++) {
			if (isnan(line[i].y[k]) || isnan(line[i].x[k]) ||
			    (a->log_x && line[i].x[k] <= 0))
				continue;
			ct_buf_printf(b, "%c%.1f %.1f", pen ? 'L' : 'M', at_x(&s, line[i].x[k]),
			              at_y(&s, fmin(line[i].y[k], s.y1)));
			pen = 1;
		}
		ct_buf_puts(b, "\"/>");
	}
	legend(b, a, s.w, name, named, dashed);
	ct_buf_puts(b, "</svg>\n");
}

/* ---- bars ---- */

/* The top of the y axis over bars, stacks and the paper's ticks. */
static double top_of(const struct ch_axes *a, unsigned n_series, const struct ch_bar *bar, size_t n,
                     const struct ch_bar *paper, int stacked)
{
	double top = a->y_max;
	for (size_t i = 0; i < n && !(a->y_max > 0); i++) {
		double sum = 0;
		for (unsigned k = 0; k < n_series; k++) {
			double v = bar[i].v[k];
			sum += v > 0 ? v : 0;
			top = fmax(top, (stacked ? sum : v) * 1.05);
			if (paper && paper[i].v[k] > 0)
				top = fmax(top, paper[i].v[k] * 1.05);
		}
	}
	return top > 0 ? top : 1;
}

static void one_bar(struct ct_buf *b, unsigned series, double x, double w, double y, double h)
{
	ct_buf_printf(b, "<rect class=\"s%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
	              series % CH_SERIES_MAX, x, y, w > 0.4 ? w : 0.4, h > 0 ? h : 0);
}

/* Draws a group of bars, side by side or stacked, with the paper's ticks. */
static void group(struct ct_buf *b, const struct scale *s, const struct ch_bar *bar,
                  const struct ch_bar *paper, unsigned n_series, double x, double w, int stacked)
{
	double each = stacked ? w * 0.7 : w * 0.8 / n_series, below = 0;
	for (unsigned k = 0; k < n_series; k++) {
		double v = bar->v[k], left = x + w * 0.1 + (stacked ? w * 0.05 : k * each);
		if (v > 0 && stacked) {
			one_bar(b, k, left, each, at_y(s, below + v), plot_h * v / s->y1);
			below += v;
		} else if (v > 0) {
			one_bar(b, k, left, each * 0.9, at_y(s, fmin(v, s->y1)),
			        plot_h * fmin(v, s->y1) / s->y1);
		}
		if (paper && paper->v[k] > 0)
			ct_buf_printf(b, "<path class=\"paper\" d=\"M%.1f %.1fh%.1f\"/>", left - 1.5,
			              at_y(s, paper->v[k]), each * 0.9 + 3);
	}
}

double ch_bars_width(size_t n, unsigned n_series, int stacked)
{
	double w = LEFT + RIGHT + (double)n * (stacked ? 10 : 6 * (double)n_series + 4);
	return w > W ? w : W;
}

static void group_name(struct ct_buf *b, const char *name, double x, double y)
{
	char cut[24];
	snprintf(cut, sizeof cut, strlen(name) > 16 ? "%.14s..." : "%.20s", name);
	ct_buf_printf(b,
	              "<text class=\"tick\" text-anchor=\"end\" transform=\"translate(%.1f %.1f) "
	              "rotate(-60)\">",
	              x, y);
	ct_escape_markup(b, cut);
	ct_buf_puts(b, "</text>");
}

void ch_bars(struct ct_buf *b, const struct ch_axes *a, const char *const *series, unsigned n_series,
             const struct ch_bar *bar, size_t n, const struct ch_bar *paper, int stacked)
{
	struct scale s = {0, 1, top_of(a, n_series, bar, n, paper, stacked), 0, W, TOP};
	size_t longest = 0;
	if (n == 0 || n_series == 0)
		return;
	if (a->nested)
		s.w = ch_bars_width(n, n_series, stacked);
	s.top += LEGEND_ROW * (double)(legend(NULL, a, s.w, series, n_series, NULL) - 1);
	for (size_t i = 0; i < n; i++)
		longest = strlen(bar[i].name) > longest ? strlen(bar[i].name) : longest;
	double w = plot_w(&s) / (double)n, foot = s.top + plot_h;
	int slanted = (double)longest * letter > w;
	ch_open(b, a->id, a->title, a->desc, s.w, foot + BOTTOM + (slanted ? SLANT : 0), a);
	y_axis(b, a, &s);
	for (size_t i = 0; i < n; i++) {
		double x = LEFT + w * (double)i;
		group(b, &s, &bar[i], paper ? &paper[i] : NULL, n_series, x, w, stacked);
		if (slanted)
			group_name(b, bar[i].name, x + w / 2 + 3, foot + 10);
		else
			ch_label(b, "tick", x + w / 2, foot + 15, "middle", bar[i].name);
	}
	ch_label(b, "axis", s.w - RIGHT, foot + BOTTOM - 4 + (slanted ? SLANT : 0), "end", a->x);
	legend(b, a, s.w, series, n_series, NULL);
	ct_buf_puts(b, "</svg>\n");
}

/* ---- shares ---- */

void ch_shares(struct ct_buf *b, const char *id, const char *title, const char *desc,
               const struct ch_part *part, size_t n)
{
	double sum = 0, x = 0, key = 0, row = 0;
	for (size_t i = 0; i < n; i++)
		sum += part[i].v > 0 ? part[i].v : 0;
	if (!(sum > 0))
		return;
	ch_open(b, id, title, desc, W, 96, NULL);
	ch_label(b, "axis", 2, 12, "start", title);
	for (size_t i = 0, shown = 0; i < n; i++) {
		char t[96];
		double w = part[i].v > 0 ? (W - 4) * part[i].v / sum : 0;
		if (!(w > 0))
			continue;
		one_bar(b, (unsigned)i, 2 + x, w > 1 ? w - 1 : w, 20, 24);
		x += w;
		snprintf(t, sizeof t, "%.60s %.*f %%", part[i].name, part[i].v / sum < 0.0995 ? 1 : 0,
		         100 * part[i].v / sum);
		double need = 5.3 * (double)strlen(t) + 22;
		if (shown++ && key + need > W) {
			key = 0;
			row += 15;
		}
		ct_buf_printf(b, "<rect class=\"s%zu\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"/>",
		              i % CH_SERIES_MAX, key + 2, 54 + row);
		ch_label(b, "tick", key + 14, 62 + row, "start", t);
		key += need;
	}
	ct_buf_puts(b, "</svg>\n");
}

/* ---- a range ---- */

void ch_range(struct ct_buf *b, const char *title, const char *word, double v, double low, double high,
              unsigned width)
{
	double w = width, mid = w / 2;
	ct_buf_printf(b,
	              "<svg class=\"range %s\" viewBox=\"0 0 %u 12\" width=\"%u\" height=\"12\" "
	              "role=\"img\"><title>",
	              word, width, width);
	ct_escape_markup(b, title);
	ct_buf_puts(b, "</title><desc>On a logarithmic scale from 0.5 to 2, the line is at 1.</desc>");
	ct_buf_printf(b, "<path class=\"one\" d=\"M%.1f 0v12\"/>", mid);
	if (v > 0) {
		double x = mid + fmax(-1, fmin(1, log2(v))) * (mid - 4);
		double l = low > 0 ? mid + fmax(-1, fmin(1, log2(low))) * (mid - 4) : x;
		double h = high > 0 ? mid + fmax(-1, fmin(1, log2(high))) * (mid - 4) : x;
		ct_buf_printf(
			b,
			"<path class=\"span\" d=\"M%.1f 6H%.1f\"/><circle cx=\"%.1f\" cy=\"6\" r=\"3\"/>",
			l, h, x);
	}
	ct_buf_puts(b, "</svg>");
}

void ch_style(struct ct_buf *b)
{
	ct_buf_puts(
		b,
		"<style>text{font:9.5px system-ui,sans-serif;fill:#3d434a}.axis{font-weight:600}"
		".grid{stroke:#d9d6cf;fill:none}.mark{stroke:#3d434a;stroke-dasharray:2 3;fill:none}"
		".line{fill:none!important;stroke-width:1.8}.dash{stroke-dasharray:4 3}"
		".s0{fill:#1f5f8b;stroke:#1f5f8b}.s1{fill:#b3541e;stroke:#b3541e}"
		".s2{fill:#4c7a34;stroke:#4c7a34}.s3{fill:#7a5195;stroke:#7a5195}"
		".s4{fill:#8a6d00;stroke:#8a6d00}.s5{fill:#5b6470;stroke:#5b6470}.s6{fill:#a3305a;stroke:#a3305a}.s7{fill:#2a7f86;stroke:#2a7f86}rect{stroke:none!important}"
		".h0{fill:#d9822b}.h1{fill:#e9a45c}.h2{fill:#f3c594}.h3{fill:#f8e2c8}.h4{fill:#ecebe6}"
		".h5{fill:#d2e5f2}.h6{fill:#a5cce8}.h7{fill:#73aedb}.h8{fill:#4b93cb}.none{fill:none}.cell{fill:#111}"
		".paper{stroke:#111;stroke-width:1.6;fill:none}</style>");
}

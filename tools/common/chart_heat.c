/* chart_heat.c - speed-ups over two keys, a cell for each pair of their values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "common/chart.h"

enum { W = 400, LEFT = 62, RIGHT = 12, TOP = 26, CELL = 24, BOTTOM = 70, SWATCH = 36, NUMBERED = 11 };

/* The class of a speed-up: h0 ... h8, of which h4 is what verdicts call neutral; from there each is about twice as far
 * from 1 as the one before, to half and twice the speed. */
static const double limit[] = {0.5, 0.71, 0.9, 0.98, 1.02, 1.11, 1.41, 2};
enum { CLASSES = sizeof limit / sizeof limit[0] + 1 };

static unsigned class_of(double v)
{
	unsigned i = 0;
	while (i + 1 < CLASSES && v > limit[i])
		i++;
	return i;
}

static void cell(struct ct_buf *b, const struct ch_heat *h, size_t row, size_t column, double x,
                 double w)
{
	double v = h->v[row * h->columns + column], y = TOP + CELL * (double)row;
	char text[32] = "no value";
	if (!isnan(v))
		snprintf(text, sizeof text, "%.2f", v);
	if (isnan(v))
		ct_buf_puts(b, "<rect class=\"none\"");
	else
		ct_buf_printf(b, "<rect class=\"h%u\"", class_of(v));
	ct_buf_printf(b, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>", x, y,
	              w > 2 ? w - 1 : w, CELL - 1);
	ct_escape_markup(b, h->row[row]);
	ct_buf_puts(b, ", ");
	ct_escape_markup(b, h->column[column]);
	ct_buf_printf(b, ": %s</title></rect>", text);
	if (!isnan(v) && h->columns <= NUMBERED)
		ch_label(b, "cell", x + (w - 1) / 2, y + CELL / 2.0 + 3, "middle", text);
}

/* What the colours stand for, with the limits between them. */
static void colours(struct ct_buf *b, double top)
{
	double left = W - RIGHT - SWATCH * (double)CLASSES;
	for (unsigned i = 0; i < CLASSES; i++) {
		char t[16];
		double x = left + SWATCH * i;
		ct_buf_printf(b, "<rect class=\"h%u\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"9\"/>",
		              i, x, top, SWATCH - 1);
		if (i + 1 == CLASSES)
			break;
		snprintf(t, sizeof t, "%.3g", limit[i]);
		ch_label(b, "tick", x + SWATCH, top + 20, "middle", t);
	}
}

void ch_heat(struct ct_buf *b, const struct ch_axes *a, const struct ch_heat *h)
{
	if (!h->rows || !h->columns)
		return;
	double w = (W - LEFT - RIGHT) / (double)h->columns, foot = TOP + CELL * (double)h->rows;
	size_t every = (size_t)ceil((double)h->columns / NUMBERED);
	ch_open(b, a->id, a->title, a->desc, W, foot + BOTTOM, a);
	for (size_t r = 0; r < h->rows; r++) {
		ch_label(b, "tick", LEFT - 5, TOP + CELL * (double)r + CELL / 2.0 + 3, "end", h->row[r]);
		for (size_t c = 0; c < h->columns; c++)
			cell(b, h, r, c, LEFT + w * (double)c, w);
	}
	for (size_t c = 0; c < h->columns; c += every)
		ch_label(b, "tick", LEFT + w * ((double)c + 0.5), foot + 13, "middle", h->column[c]);
	ch_label(b, "axis", 2, 12, "start", a->y);
	ch_label(b, "axis", W - RIGHT, foot + 28, "end", a->x);
	ch_label(b, "axis", 2, foot + 46, "start", "speed-up");
	colours(b, foot + 38);
	ct_buf_puts(b, "</svg>\n");
}

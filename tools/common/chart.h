/* chart.h - the few drawings that pages need, as SVG. Colours are classes (s0 ... s7 for
 * series), so that a page sets them for light, dark and paper; ch_style() is for a file of
 * its own. Every drawing has a title and a description. Coordinates have one decimal, so
 * equal numbers give equal bytes. */
#ifndef CT_TOOLS_CHART_H
#define CT_TOOLS_CHART_H

#include <stddef.h>

#include "base/buf.h"

/* A number for people: three digits, 12.3k, 4.5M. A size: 64 KiB. */
void ch_number(double v, char out[32]);
void ch_size(double bytes, char out[32]);

struct ch_axes {
	const char *id; /* unique in the document */
	const char *title, *desc;
	const char *x, *y; /* what the axes are, with units */
	int log_x;         /* powers of two */
	int whole_x;       /* counts: no ticks between whole numbers */
	int size_x;        /* x is bytes */
	int percent_y;     /* y is a fraction */
	double y_max;      /* 0: from the data */
	double mark_x;     /* a vertical line here (NaN: none) ... */
	const char *mark;  /* ... and what it says */
	int nested;        /* inside another drawing, `top` units down */
	double top;
};
enum { CH_HEIGHT_MAX = 330 }; /* units that a nested drawing takes at most */

struct ch_line {
	const char *name;
	const double *x, *y;
	size_t n;
	int dashed;
};

/* Curves; points with a NaN are left out. */
void ch_lines(struct ct_buf *b, const struct ch_axes *a, const struct ch_line *line, size_t n);

struct ch_bar {
	const char *name;
	double v[8];
};
enum { CH_SERIES_MAX = 8 };
/* Upright bars in groups, one group per name and up to eight series; stacked: on top of each
 * other. A NaN is left out. paper, if not NULL: values to mark with a tick of their own, in
 * the same order. */
void ch_bars(struct ct_buf *b, const struct ch_axes *a, const char *const *series, unsigned n_series,
             const struct ch_bar *bar, size_t n, const struct ch_bar *paper, int stacked);

/* Width that nested bars take, in units. */
double ch_bars_width(size_t n, unsigned n_series, int stacked);

struct ch_part {
	const char *name;
	double v;
};
/* Shares of a whole as one bar with its names below. */
void ch_shares(struct ct_buf *b, const char *id, const char *title, const char *desc,
               const struct ch_part *part, size_t n);

/* A speed-up with its range on a logarithmic scale from 1/2 to 2 around 1, without text:
 * an ornament beside its numbers, named by title. word: class of the verdict. */
void ch_range(struct ct_buf *b, const char *title, const char *word, double v, double low, double high,
              unsigned width);

struct ch_points {
	const char *name;
	const double *x, *y;
	size_t n;
};
/* Points of up to eight sets, x and y on axes of one span, from 0 or (log_x) in powers of ten, with the line on which
 * both are equal, and where `within` > 0 those that are so far from it: a share of x, or with percent_y an absolute
 * difference. Points with a NaN, and with log_x those of 0 and less, are left out. Returns the units that it is high. */
double ch_scatter(struct ct_buf *b, const struct ch_axes *a, const struct ch_points *set, size_t n,
                  double within);

/* Speed-ups over two keys. */
struct ch_heat {
	const char *const *row, *const *column; /* their values, the first row on top */
	size_t rows, columns;
	const double *v; /* of row 0, of row 1, ...; NaN: none, which the cell says */
};
enum { CH_HEAT_MAX = 40 }; /* rows and columns that can be told apart */
/* A cell for each pair, coloured by nine steps around 1, with a legend of them; numbers in the cells where there is room. */
void ch_heat(struct ct_buf *b, const struct ch_axes *a, const struct ch_heat *h);

struct ch_choice {
	const char *name; /* what a pointer shows */
	double x, y;
	unsigned set;
};
/* What can be had for what it costs: points of up to eight named sets, the less x and the more y the better, and a line
 * along those that no other beats in both. Points with a NaN are left out. log_x is not known. */
void ch_front(struct ct_buf *b, const struct ch_axes *a, const char *const *set, unsigned n_sets,
              const struct ch_choice *point, size_t n);

/* 1, 2 or 5 times a power of ten, so that there are two to five steps in the span. Pure. */
double ch_step(double span);
/* The names of sets one behind the other beside the y axis' name, each with a point of its colour; on a width of so many
 * units. Draws where b is not NULL; returns the rows that it takes. */
unsigned ch_point_names(struct ct_buf *b, const struct ch_axes *a, double width, const char *const *name,
                        size_t n);

/* For drawings of other files: <svg> with its title and description, and a text of a class. a may be NULL. */
void ch_open(struct ct_buf *b, const char *id, const char *title, const char *desc, double w, double h,
             const struct ch_axes *a);
void ch_label(struct ct_buf *b, const char *class, double x, double y, const char *anchor,
              const char *s);

/* <style> for an SVG in a file of its own. */
void ch_style(struct ct_buf *b);

#endif

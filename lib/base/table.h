/* table.h - aligned columns for people. Nothing is printed: a table is rendered into a buffer. */
#ifndef CT_BASE_TABLE_H
#define CT_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decls.h"

CT_DECLS_BEGIN

/* How a table is drawn. Zeroed: plain ASCII of any width. */
struct ct_table_style {
	int utf8;       /* bars and curves of block characters */
	int color;      /* words of verdicts in colour */
	unsigned width; /* columns of the screen, 0: any */
	/* Where not NULL, tables are appended here as comma-separated values (RFC 4180) instead of drawn: numbers to six
	 * digits and without units, names in full, an empty line between two tables. */
	struct ct_buf *csv;
};

/* A table is filled cell by cell, row by row, and rendered once all widths are known. Columns whose every cell (below the
 * head) looks like a number are right-aligned. Where the screen has no room, heads and the last column are wrapped
 * between words, names are cut, and then columns are left out, those of the highest rank first; a line below names
 * them. Zero-initialise with the number of columns and the style. */
struct ct_table {
	unsigned columns;
	const struct ct_table_style *style; /* NULL: the zeroed one; outlives the table */
	const unsigned char *rank; /* of each column, 0: it stays; NULL: the last but one goes first */
	unsigned squeezed;   /* columns to which a text at the end is wrapped, rather than that a column
	                                     * of rank 1 goes; 0: as before any other */
	struct ct_buf cells; /* NUL-separated */
	unsigned count;
};

/* Adds the next cell, left to right and row by row, as text made by printf(). When memory runs out,
 * rendering the table fails. One thread at a time for a table. */
void ct_table_cell(struct ct_table *t, const char *fmt, ...) CT_PRINTF(2, 3);
/* A name for each of its columns. */
void ct_table_heads(struct ct_table *t, const char *const *names);
/* Counts with thousands separated ("1,234,567"); reals with three digits; percent
 * of a fraction ("12.3 %"); sizes ("5 MiB"). A NaN is "-". */
void ct_table_count(struct ct_table *t, uint64_t v);
void ct_table_real(struct ct_table *t, double v);
void ct_table_percent(struct ct_table *t, double fraction);
void ct_table_size(struct ct_table *t, uint64_t bytes);
/* A bar of a fraction of `width` characters, in eighths where the terminal can ("███▌"). */
void ct_table_bar(struct ct_table *t, double fraction, unsigned width);
/* Values from low (the lowest character) to high as one character each ("▁▃▇"), NaN as a
 * blank; at most 100 of them. */
void ct_table_spark(struct ct_table *t, const double *v, size_t n, double low, double high);
/* A name from a trace (a scope, a kernel, a path): cut in the middle where it is longer
 * than a column can be, "name:_ZN2at6native18elementwise..EEvPT_". */
void ct_table_name(struct ct_table *t, const char *name);
/* Appends the rendered table to b (the first row is the head) and frees t. */
void ct_table_render(struct ct_table *t, struct ct_buf *b);
/* Wraps the lines of b that are longer than `width` between words, with two blanks before what follows. */
void ct_table_wrap_text(struct ct_buf *b, unsigned width);

CT_DECLS_END

#endif

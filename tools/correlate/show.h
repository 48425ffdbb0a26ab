/* show.h - the comparison for people: a table, a page, a drawing. */
#ifndef CT_TOOLS_CORRELATE_SHOW_H
#define CT_TOOLS_CORRELATE_SHOW_H

#include "base/buf.h"
#include "correlate/compare.h"

/* What a table or page is about. */
struct cor_show {
	const struct cor_comparison *c;
	const char *program; /* the trace, as its profile names it */
	const char *gpu;
	int per_kernel;
	double within[COR_METRICS_MAX]; /* what was asked for; 0: nothing */
};

/* An error as text: "-12.3 %", of rates "+3.2 points"; signs only where asked for. "-" for a NaN. */
void cor_error_text(const struct cor_metric *m, double error, int sign, char out[32]);
/* "LLC is off most: ncu_l2_hit_rate by 12.3 points" or that no level is known. */
void cor_verdict_text(const struct cor_comparison *c, char *out, size_t n);

void cor_table(const struct cor_show *s, struct ct_buf *b);
/* A drawing with a scatter plot of every metric that both sides know, for a file of its own. */
void cor_svg(const struct cor_show *s, struct ct_buf *b);
/* The page. Fails with CT_ERR_IO where its style cannot be read, CT_ERR_NOMEM. */
int cor_page(const struct cor_show *s, struct ct_buf *b, struct ct_error *e);

#endif

/* show.h - the rows of annotate for people, as CSV, and in callgrind's format. */
#ifndef CT_TOOLS_ANNOTATE_SHOW_H
#define CT_TOOLS_ANNOTATE_SHOW_H

#include "annotate/rows.h"
#include "base/buf.h"
#include "base/table.h"

/* Names of the mechanisms whose misses the rows have, in their order. */
struct annotate_mechanisms {
	const char *const *name;
	unsigned n;
};

/* The first `top` rows (0: all) as a table of at most style->width columns, 80 where that is 0, and what share of the
 * whole they are. Columns that do not fit are left out, those that matter least first. Fails with CT_ERR_NOMEM. */
int annotate_table(const struct annotate_rows *r, const struct annotate_mechanisms *m, size_t top,
                   const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e);
/* Gives rows of kernels, or of their instructions, the number of the kernel's first launch in p, where two kernels among
 * the first `top` rows (0: all) would look the same in the table. Fails with CT_ERR_NOMEM. */
int annotate_tell_apart(struct annotate_rows *r, size_t top, const struct ct_profile *p,
                        struct ct_error *e);
/* The same rows with every count, a head first. */
int annotate_csv(const struct annotate_rows *r, const struct annotate_mechanisms *m, size_t top,
                 struct ct_buf *b, struct ct_error *e);
/* All instructions, as callgrind_annotate(1) and KCachegrind read them: functions are kernels, a position is the pc
 * and the source line. */
int annotate_callgrind(const struct ct_profile *p, const struct annotate_rows *r, struct ct_buf *b,
                       struct ct_error *e);

#endif

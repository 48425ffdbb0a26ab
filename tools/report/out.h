/* out.h - the forms of a report. Each appends a whole document to b; b->failed tells of
 * no memory. Pure: equal input gives equal bytes. */
#ifndef CT_TOOLS_REPORT_OUT_H
#define CT_TOOLS_REPORT_OUT_H

#include "report/checks.h"
#include "report/compare.h"
#include "report/run.h"

struct rep_report {
	const char *title;
	struct rep_run run, old;
	int compared; /* old and changes are set */
	struct rep_changes changes;
	struct rep_checks checks;
};

void rep_markdown(const struct rep_report *r, struct ct_buf *b); /* below 1 MiB */
void rep_junit(const struct rep_report *r, struct ct_buf *b);    /* JUnit XML */
void rep_csv(const struct rep_report *r, struct ct_buf *b);      /* RFC 4180, a value per line */
void rep_table(const struct rep_report *r, struct ct_buf *b);    /* for a terminal */

/* The next workload that rests on a part of its trace, from *i on, which it moves behind it: those of the
 * run, then of the old one; NULL when there is none. part gets what lacks; *run is "" or " (old run)";
 * index i - 1 is its place in the run where that is below r->run.n. */
const struct rep_workload *
rep_next_part(const struct rep_report *r, size_t *i, const char **run, char part[REP_PART_TEXT]);

/* Text of a speed-up, "1.12"; "-" for NaN. */
void rep_speedup_text(double v, char out[32]);
/* How often each verdict occurs for a mechanism. */
void rep_count(const struct rep_run *run, unsigned m, size_t count[4]);

#endif

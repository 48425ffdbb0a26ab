/* page.h - the HTML report: one file, nothing fetched, readable without its script. */
#ifndef CT_TOOLS_REPORT_PAGE_H
#define CT_TOOLS_REPORT_PAGE_H

#include "report/out.h"

/* Appends the page; style and script are read from data/report/. Fails with CT_ERR_IO,
 * CT_ERR_NOMEM. */
int rep_page(const struct rep_report *r, struct ct_buf *b, struct ct_error *e);

/* The part about the i-th workload, unfolded if it is the only one: verdicts and why, charts,
 * systems, provenance. */
void rep_page_workload(const struct rep_run *run, const struct rep_workload *w, size_t i, int only,
                       struct ct_buf *b);

/* What limits the workload, and what costs most of it: a list of up to three sentences. */
void rep_page_findings(const struct rep_workload *w, struct ct_buf *b);
/* Its kernels, instructions and arrays ranked, and how it fares over time, as far as its profile tells. */
void rep_page_why(const struct rep_workload *w, size_t i, struct ct_buf *b);

/* Heat maps of its systems over two swept keys, and their speed-ups against storage and energy; nothing without SW records
 * of speedup_configured. */
void rep_page_sweep(const struct rep_workload *w, size_t i, struct ct_buf *b);

/* "benefits 1.12, range 1.05 to 1.20": a verdict in words. */
void rep_verdict_words(const struct ct_verdict *v, char *out, size_t n);

#endif

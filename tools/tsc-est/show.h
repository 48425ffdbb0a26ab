/* show.h - tsc-est's tables for people. */
#ifndef CT_TOOLS_TSC_EST_SHOW_H
#define CT_TOOLS_TSC_EST_SHOW_H

#include "common/tool.h"
#include "models/tag_split/estimate.h"

/* The answer; check: replayed beside analytic. */
void tsc_show_answer(const struct ct_ts_answer *a, const struct ct_profile *p, int check,
                     struct ct_buf *b);
/* The paper's numbers for the workload that the trace's path names. */
int tsc_show_published(const struct ct_ts_answer *a, const struct ct_profile *p, struct ct_buf *b,
                       struct ct_error *e);
/* --overheads: storage, latency and energy on a GPU. */
int tsc_show_overheads(struct ct_tool *t, const struct ct_ts_params *p, struct ct_error *e);

#endif

/* explain.h - mpki --explain: why accesses miss, and what the cycles are lost to. */
#ifndef CT_TOOLS_MPKI_EXPLAIN_H
#define CT_TOOLS_MPKI_EXPLAIN_H

#include "base/buf.h"
#include "common/stage.h"

/* Replays the trace of the profile on the GPU in force, again and again with one effect
 * switched off (doc/models.md section 12), and appends SN records to the profile:
 * {l1,llc}_*_misses, cycles_lost_* and cycles_stack_*. Fails with CT_ERR_USAGE where the
 * profile has no trace to come back to, or with --warmup. */
int mpki_explain(struct ct_tool *t, struct ct_stage *s, struct ct_error *e);
/* The same for people; p holds those records. */
void mpki_explain_print(const struct ct_profile *p, struct ct_buf *b);

#endif

/* sample_plan.h - how much of a trace a sample would replay, by the trace's index and before it is read. */
#ifndef CT_PASS_SAMPLE_PLAN_H
#define CT_PASS_SAMPLE_PLAN_H

#include "base/decls.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "trace/trace.h"

CT_DECLS_BEGIN

struct ct_sample_plan;

/* Takes in the launches of the packed trace at `path`; o as for ct_trace_open(). *plan is the caller's to free. Fails with
 * CT_ERR_USAGE where no index tells how long they are (text, a pipe), CT_ERR_NOMEM, and as ct_trace_open() does. */
int ct_sample_plan_open(struct ct_sample_plan **plan, const char *path, const struct ct_trace_options *o,
                        struct ct_error *e);
void ct_sample_plan_free(struct ct_sample_plan *plan); /* NULL allowed */

/* Warp instructions of the whole trace. Pure. */
double ct_sample_plan_all(const struct ct_sample_plan *plan);
/* Warp instructions that a pass on that GPU with settings->sample_kernels = share replays: each launch counted by
 * its CTAs. Fails with CT_ERR_NOMEM and for launches that do not fit on an SM. */
int ct_sample_plan_insts(const struct ct_sample_plan *plan, const struct ct_gpu *g, double share,
                         uint64_t seed, double *insts, struct ct_error *e);

CT_DECLS_END

#endif

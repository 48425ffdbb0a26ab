/* scale.h - the GPU that a small trace fills. */
#ifndef CT_PASS_SCALE_H
#define CT_PASS_SCALE_H

#include "base/decls.h"
#include "gpu/gpu.h"
#include "trace/trace.h"

CT_DECLS_BEGIN

/* The largest of 1, 1/2 ... 1/64 for ct_gpu_scale() at which at least half of the trace's warp instructions belong to
 * launches of two waves of CTAs or more. Reads the trace at `path` once, with options o (NULL: the default), without
 * its warnings. Fails with CT_ERR_USAGE for a trace that cannot be read twice ("-", a pipe), and as ct_trace_open(),
 * reading it and ct_gpu_scale() do. */
int ct_pass_scale_auto(const char *path, const struct ct_trace_options *o, const struct ct_gpu *g,
                       double *factor, struct ct_error *e);

CT_DECLS_END

#endif

/* origin.h - what a profile is of: the trace and the GPU. */
#ifndef CT_PASS_ORIGIN_H
#define CT_PASS_ORIGIN_H

#include "base/decls.h"
#include "gpu/gpu.h"
#include "profile/profile.h"
#include "trace/trace.h"

CT_DECLS_BEGIN

/* Appends the TR record of a trace that has been read to its end: path, format, bytes and digest. Fails with
 * CT_ERR_NOMEM. */
int ct_pass_put_trace(struct ct_profile *p, const struct ct_trace *trace, struct ct_error *e);
/* Appends a GP record for every key of the GPU. Fails with CT_ERR_NOMEM. */
int ct_pass_put_gpu(struct ct_profile *p, const struct ct_gpu *g, struct ct_error *e);
/* Fills *g from the GP records of p and checks it. Fails with CT_ERR_INPUT where p has none or one that is no
 * key's value, and as ct_gpu_set() and ct_gpu_check() do. Distinct profiles may be read in distinct threads. */
int ct_pass_get_gpu(const struct ct_profile *p, struct ct_gpu *g, struct ct_error *e);

CT_DECLS_END

#endif

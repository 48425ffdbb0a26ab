/* scale.h - the GPU that a small trace fills.
 *
 * Two waves of CTAs fill a GPU: one is all start and end. How many a trace makes is the most that launches with at least
 * half of its warp instructions make each; on n SMs they make an n-th of what they make on one. */
#ifndef CT_PASS_SCALE_H
#define CT_PASS_SCALE_H

#include "base/decls.h"
#include "gpu/gpu.h"
#include "profile/profile.h"
#include "trace/trace.h"

CT_DECLS_BEGIN

/* Waves of CTAs that fill a GPU. */
extern const double ct_pass_waves_wanted;

/* The waves that the launches of p (KN) make on one SM like g's. Returns CT_OK; 1 when p does not tell them;
 * CT_ERR_NOMEM. Pure. */
int ct_pass_waves(const struct ct_profile *p, const struct ct_gpu *g, double *waves, struct ct_error *e);

/* The same by the headers of the trace at `path`, opened with options o (NULL: the default) and not read: grids are
 * believed, and launches weigh as many instructions as they have bytes. It costs little, and ct_pass_waves() says
 * after the pass what is right. Fails as ct_trace_open() does, and with CT_ERR_INPUT for a CTA that does not fit on an
 * SM. */
int ct_pass_waves_guess(const char *path, const struct ct_trace_options *o, const struct ct_gpu *g,
                        double *waves, struct ct_error *e);

/* The factor for ct_gpu_scale() that leaves the largest part of g that a trace of so many waves on one SM fills. The
 * parts have a whole number of g's memory channels (of LLC slices, where those are fewer) and the SMs that belong to
 * them, rounded up. A trace that does not fill the smallest gets that one: with fewer SMs each would have more than its share
 * of the channel and of the LLC behind it, and one SM shares its L1 with nobody (doc/models.md section 13). 1 where g is
 * filled. Pure. */
double ct_pass_scale_factor(const struct ct_gpu *g, double waves);

CT_DECLS_END

#endif

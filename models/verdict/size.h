/* size.h - whether a trace is large enough for the GPU that it was profiled on. */
#ifndef CT_MODELS_VERDICT_SIZE_H
#define CT_MODELS_VERDICT_SIZE_H

#include <stddef.h>

#include "models/mechanism.h"
#include "profile/profile.h"

/* So many waves of CTAs a verdict needs: one is all start and end. */
extern const double ct_size_waves_needed;

/* The --scale that p was made with, by its provenance: 1 without one, NaN for auto. Pure. */
double ct_size_scale(const struct ct_profile *p);

/* How many SMs p was profiled on, and how many the GPU has that the user named: fewer are used where it was scaled to
 * the trace. Returns 1, or 0 when p does not say. Pure. */
int ct_size_sms(const struct ct_profile *p, double *used, double *asked);

/* Whether the run that p is of tells too little for a verdict on m: 1 with the reason in n bytes, at most n - 1 of them
 * and without tabs; else 0. scale: as of ct_size_scale(). Pure. */
int ct_size_too_small(const struct ct_profile *p, const struct ct_mechanism *m, double scale,
                      char *reason, size_t n);

/* 1 when such a reason advises another --scale. Pure. */
int ct_size_asks_for_scale(const char *reason);

#endif

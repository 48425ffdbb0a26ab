/* size.h - whether a trace is large enough for the GPU that it was profiled on.
 *
 * Two waves of CTAs fill a GPU (pass/scale.h says how waves are counted). What sits inside an SM needs that SM's places for
 * CTAs taken, which one wave does. A GPU is scaled to its trace where that is possible; a trace that does not fill even one
 * SM is judged all the same, and the reason says so. */
#ifndef CT_MODELS_VERDICT_SIZE_H
#define CT_MODELS_VERDICT_SIZE_H

#include <stddef.h>

#include "models/mechanism.h"
#include "profile/profile.h"

/* How many SMs p was profiled on, and how many the GPU has that the user named: fewer are used where it was scaled to
 * the trace. Returns 1, or 0 when p does not say. Pure. */
int ct_size_sms(const struct ct_profile *p, double *used, double *asked);

/* The same in words, "5 of 68 SMs", or "68 SMs" where the two are equal; "" when *used is no number. Pure. */
void ct_size_name(double used, double asked, char *text, size_t n);

/* How far a run fills its GPU. */
struct ct_size {
	double waves;       /* of CTAs on the GPU of the profile; NaN: unknown */
	double fillable;    /* SMs that the trace fills; NaN: unknown */
	double used, asked; /* SMs, as ct_size_sms() tells; NaN: unknown */
	double channels;    /* memory channels, or LLC slices where those are fewer; NaN: unknown */
	int scaled;         /* somebody has said --scale, or a command has scaled by itself */
};

/* Measures that for the run that p is of. Returns CT_OK, or CT_ERR_NOMEM with all unknown. Pure. */
int ct_size_measure(const struct ct_profile *p, struct ct_size *s);

/* Whether such a run fills too little of its GPU for a verdict on m, though another --scale would not: 1 with
 * the reason in n bytes, at most n - 1 of them and without tabs; else 0. Pure. */
int ct_size_too_small(const struct ct_size *s, const struct ct_mechanism *m, char *reason, size_t n);

/* 1 when a reason is one of those. Pure. */
int ct_size_is_reason(const char *reason);

/* Puts such a reason, of n bytes, in the words of a command that reads the trace itself and has an option --scale. One that
 * says nothing of reuse stays as it is. Pure. */
void ct_size_advise_option(char *reason, size_t n);

/* Appends to a reason of n bytes that the run does not fill what m acts on, where that is so. Pure. */
void ct_size_tell(const struct ct_size *s, const struct ct_mechanism *m, char *reason, size_t n);

#endif

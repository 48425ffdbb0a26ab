/* verdict_profile.h - profiles with what a verdict reads, for tests of verdicts. Fails the running cmocka test where one
 * cannot be had. */
#ifndef CT_TESTS_SUPPORT_VERDICT_PROFILE_H
#define CT_TESTS_SUPPORT_VERDICT_PROFILE_H

#include "models/mechanism.h"
#include "profile/profile.h"

/* A profile of a trace that fills its GPU with so many waves, and of whose LLC misses the share `cold` are first touches. The
 * caller frees it with ct_profile_free(). */
struct ct_profile *verdict_profile(double waves, double cold);
/* Adds the speed-up of m's judged system, v between lo and hi, as `method` estimates it. */
void verdict_estimate(struct ct_profile *p, const struct ct_mechanism *m, double v, double lo, double hi,
                      const char *method);

#endif

/* facts.h - single numbers of a profile, and how a reason words them. */
#ifndef CT_MODELS_COMMON_FACTS_H
#define CT_MODELS_COMMON_FACTS_H

#include <stddef.h>

#include "profile/profile.h"

/* An SN metric of scope all; NaN when the profile lacks it. Pure. */
double ct_fact_sn(const struct ct_profile *p, const char *metric);
/* An ES metric of a system, scope all, replayed before analytic; NaN when the profile lacks it. Pure. */
double ct_fact_es(const struct ct_profile *p, const char *mechanism, const char *system,
                  const char *metric);
/* A key of the profile's GPU; NaN when it is missing or no number. Pure. */
double ct_fact_gp(const struct ct_profile *p, const char *key);

enum { CT_FACT_TEXT_MAX = 32 };
/* Bytes for people, "3.2 MiB". Pure. */
void ct_fact_size_text(double bytes, char out[CT_FACT_TEXT_MAX]);
/* " -38 %" of a change from old to new, with the blank in front; empty where either is missing. Pure. */
void ct_fact_change_text(double old, double new, char out[CT_FACT_TEXT_MAX]);

/* Adds to the end of a text of at most n bytes as much as still fits: a number of a profile may have 300 digits. */
void ct_fact_add(char *text, size_t n, const char *fmt, ...) CT_PRINTF(3, 4);

#endif

/* estimator.h - what the *-est tools print alike: lists of constants, published numbers. */
#ifndef CT_TOOLS_COMMON_ESTIMATOR_H
#define CT_TOOLS_COMMON_ESTIMATOR_H

#include "common/stage.h"
#include "base/table.h"
#include "common/tool.h"
#include "models/common/constants.h"
#include "models/common/published.h"
#include "profile/profile.h"

/* For ct_profile_remove(): whether an ES, SW or TV record is of the mechanism called `name`. Pure. */
int ct_est_of_mechanism(void *name, const struct ct_record *r);

/* Appends PG and prints as ct_stage_emit() does. A verdict on the mechanism that the profile brought was
 * on other estimates, and goes; where the GPU in force is not the profile's, GP and SN become its own
 * (ct_stage_retarget()). */
int ct_est_finish(struct ct_tool *t, struct ct_stage *s, const char *mechanism,
                  int (*table)(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                               struct ct_error *e),
                  struct ct_error *e);
/* --constants: every key with the value in force (v in the table's order), unit and source. */
int ct_est_constants(struct ct_tool *t, const struct ct_constants *c, const double *v,
                     struct ct_error *e);

#endif

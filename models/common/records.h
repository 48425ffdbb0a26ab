/* records.h - writes the records of an estimate, one value after the other: ES, and SW of a sweep. */
#ifndef CT_MODELS_COMMON_RECORDS_H
#define CT_MODELS_COMMON_RECORDS_H

#include "base/decls.h"
#include "base/error.h"
#include "models/common/number.h"
#include "profile/profile.h"

CT_DECLS_BEGIN

/* Where records go, and what those that follow have in common. All have scope all. The first failure stays in
 * `status` and *e, and nothing is written after it, so that a caller looks once, at the end. */
struct ct_records {
	struct ct_profile *p;
	struct ct_error *e;
	const char *mechanism, *system, *method;
	int status; /* CT_OK to begin with */
};

/* One ES record without a range; with a range (NaN: NA); of a number. A value that is NaN is written as NA. */
void ct_records_value(struct ct_records *w, const char *metric, double v);
void ct_records_between(struct ct_records *w, const char *metric, double v, double low, double high);
void ct_records_number(struct ct_records *w, const char *metric, const struct ct_mechanism_number *x);

/* One SW record: metric's value where key is x (as records show it). */
void ct_records_point(struct ct_records *w, const char *key, const char *x, const char *metric,
                      double v);

CT_DECLS_END

#endif

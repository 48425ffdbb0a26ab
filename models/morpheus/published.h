/* published.h - the paper's numbers beside ours (data/morpheus/published.tsv). */
#ifndef CT_MODELS_MORPHEUS_PUBLISHED_H
#define CT_MODELS_MORPHEUS_PUBLISHED_H

#include "models/common/published.h"
#include "models/morpheus/estimate.h"

/* Fields of a line `app`; SMs are those of Table 3, of 68. */
enum {
	CT_MO_APP_NAME = 1,
	CT_MO_APP_TYPE = 3,
	CT_MO_APP_SHAPE,
	CT_MO_APP_IBL_SMS,
	CT_MO_APP_BASIC_SMS,
	CT_MO_APP_ALL_SMS
};
/* Fields of a line `result`: metric of system over that of `against`; app is "mean", "compute" or
 * an application. */
enum {
	CT_MO_RESULT_APP = 1,
	CT_MO_RESULT_SYSTEM,
	CT_MO_RESULT_AGAINST,
	CT_MO_RESULT_METRIC,
	CT_MO_RESULT_VALUE,
	CT_MO_RESULT_CONDITION,
	CT_MO_RESULT_WHERE
};

/* Our value of a result. NaN when we have none. Pure. */
double ct_mo_published_ours(const struct ct_mo_answer *a, const struct ct_published_row *result);

#endif

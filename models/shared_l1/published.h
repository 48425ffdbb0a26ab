/* published.h - the paper's numbers beside ours (data/shared_l1/published.tsv). */
#ifndef CT_MODELS_SHARED_L1_PUBLISHED_H
#define CT_MODELS_SHARED_L1_PUBLISHED_H

#include "models/common/published.h"
#include "models/shared_l1/estimate.h"

/* Fields of a line `app`. */
enum { CT_SL_APP_NAME = 1, CT_SL_APP_GROUP = 3 };
/* Fields of a line `result`: app is a group, "all" or an application; against "-": the value
 * itself. */
enum {
	CT_SL_RESULT_APP = 1,
	CT_SL_RESULT_SYSTEM,
	CT_SL_RESULT_AGAINST,
	CT_SL_RESULT_METRIC,
	CT_SL_RESULT_VALUE,
	CT_SL_RESULT_WHERE
};

/* Our value of a result, from rows in the systems' order. NaN when we have none. Pure. */
double ct_sl_published_ours(const struct ct_sl_row *rows, const struct ct_published_row *result);

#endif

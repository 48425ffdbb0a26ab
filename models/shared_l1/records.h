/* records.h - ES records of rows of any method. Private to the room. */
#ifndef CT_MODELS_SHARED_L1_RECORDS_H
#define CT_MODELS_SHARED_L1_RECORDS_H

#include "models/shared_l1/estimate.h"

int ct_sl_rows_write(const struct ct_sl_answer *a, const struct ct_sl_row *rows,
                     unsigned systems /* a mask */, const char *method, struct ct_profile *p,
                     struct ct_error *e);

#endif

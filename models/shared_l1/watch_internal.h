/* watch_internal.h - what watch.c (counts) and watch_items.c (records) share. */
#ifndef CT_MODELS_SHARED_L1_WATCH_INTERNAL_H
#define CT_MODELS_SHARED_L1_WATCH_INTERNAL_H

#include "models/shared_l1/first.h"
#include "models/shared_l1/watch.h"

/* Appends the IM records of one. */
int sl_watch_put(struct ct_profile *p, enum ct_sl_watched which, const struct ct_sl_watch_counts *c,
                 struct ct_error *e);
/* The same of what homes of many ways miss at any size. */
int sl_watch_put_first(struct ct_profile *p, const struct ct_sl_firsts *n, struct ct_error *e);

#endif

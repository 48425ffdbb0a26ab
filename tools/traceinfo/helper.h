/* helper.h - counts CTAs in a second thread while the first one parses. */
#ifndef CT_TRACEINFO_HELPER_H
#define CT_TRACEINFO_HELPER_H

#include "traceinfo/census.h"

struct helper;

/* Counts into c; without a thread to spare (threaded 0, or none can be started) the
 * work is done in the calls. NULL: out of memory. */
struct helper *helper_new(struct census *c, int threaded);
/* Takes the CTA over (one reference). Fails with what counting an earlier one met. */
int helper_push(struct helper *h, struct ct_cta *cta, struct ct_error *e);
/* Waits until everything pushed is counted. */
int helper_wait(struct helper *h, struct ct_error *e);
void helper_free(struct helper *h); /* NULL allowed */

#endif

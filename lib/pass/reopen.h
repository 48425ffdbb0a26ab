/* reopen.h - the trace behind a profile, opened again. */
#ifndef CT_PASS_REOPEN_H
#define CT_PASS_REOPEN_H

#include "base/decls.h"
#include "pass/settings.h"
#include "profile/profile.h"

CT_DECLS_BEGIN

/* Opens the one trace that p's TR record names, under settings->trace_root where that is given, and hands out the
 * launches that p counts (KN), or those that settings->trace.filter names: *trace is the caller's to close. `why` is the option that needs it and begins the messages. Fails with CT_ERR_USAGE (p names no
 * trace or several, it came from standard input or a pipe), CT_ERR_IO (it is not there) and as ct_trace_open(). */
int ct_pass_reopen(const struct ct_profile *p, const struct ct_pass_settings *settings, const char *why,
                   struct ct_trace **trace, struct ct_error *e);

/* Instead of a number of warp instructions: no engine has counted all of them, and the bytes have to do. */
#define CT_PASS_INSTS_UNKNOWN UINT64_MAX

/* Says, when that trace has been read to its end, whether it is the one that p was made from: the same bytes, and as
 * many warp instructions were replayed. Fails with CT_ERR_USAGE naming what differs. */
int ct_pass_same_trace(const struct ct_profile *p, const struct ct_trace *trace, uint64_t warp_insts,
                       struct ct_error *e);

CT_DECLS_END

#endif

/* replay_trace.h - a whole trace through engines. */
#ifndef TESTS_SUPPORT_REPLAY_TRACE_H
#define TESTS_SUPPORT_REPLAY_TRACE_H

#include "replay/replay.h"
#include "trace/trace.h"

/* Every copy, launch and CTA that is left of t. CT_OK, or the first failure. */
int replay_trace(struct ct_replay *r, struct ct_trace *t, struct ct_error *e);
/* The same through n engines, in one pass over t. */
int replay_trace_together(struct ct_replay *const *r, unsigned n, struct ct_trace *t,
                          struct ct_error *e);

#endif

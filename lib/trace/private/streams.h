/* streams.h - launches of different streams that stand next to each other in a trace, handed out as one. */
#ifndef CT_TRACE_PRIVATE_STREAMS_H
#define CT_TRACE_PRIVATE_STREAMS_H

#include "trace/private/accelsim.h"

struct ct_streams;

/* Looks at all launches of the trace that is at `path` for those that run together. t and env are lent; t is a list or a
 * packed trace, opened with o and not read from yet. *s is the caller's, also when it fails. Fails as ct_trace_next(). */
int ct_streams_new(struct ct_streams **s, struct ct_trace *t, const char *path, struct ct_env *env,
                   const struct ct_trace_options *o, struct ct_error *e);
void ct_streams_free(struct ct_streams *s); /* NULL allowed */

/* In the place of ct_trace_next(), ct_trace_next_cta() and ct_trace_skip_kernel(). */
int ct_streams_next(struct ct_streams *s, struct ct_event *ev, struct ct_error *e);
int ct_streams_next_cta(struct ct_streams *s, struct ct_cta **cta, struct ct_error *e);
int ct_streams_skip_kernel(struct ct_streams *s, uint64_t *bytes, struct ct_error *e);

/* trace.c: the same of the launches as they stand in the trace. */
int ct_trace_next_launch(struct ct_trace *t, struct ct_event *ev, struct ct_error *e);
int ct_trace_next_launch_cta(struct ct_trace *t, struct ct_cta **cta, struct ct_error *e);
int ct_trace_skip_launch(struct ct_trace *t, uint64_t *bytes, struct ct_error *e);

#endif

/* progress.h - tells the caller of a pass how far it is, where the caller wants to know. */
#ifndef CT_PASS_PRIVATE_PROGRESS_H
#define CT_PASS_PRIVATE_PROGRESS_H

#include "pass/settings.h"

static inline void ct_pass_begin(const struct ct_pass_settings *s)
{
	if (s->progress.begin)
		s->progress.begin(s->progress.ctx);
}

static inline void ct_pass_advance(const struct ct_pass_settings *s, const struct ct_trace *trace)
{
	if (s->progress.advance)
		s->progress.advance(s->progress.ctx, ct_trace_path(trace),
		                    ct_trace_stats(trace)->warp_insts);
}

static inline void ct_pass_end(const struct ct_pass_settings *s, const struct ct_trace *trace)
{
	if (s->progress.end)
		s->progress.end(s->progress.ctx, ct_trace_path(trace),
		                ct_trace_stats(trace)->warp_insts);
}

#endif

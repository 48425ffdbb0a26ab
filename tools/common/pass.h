/* pass.h - the pass over a trace (pass/pass.h) as the options of a command ask for it. */
#ifndef CT_TOOLS_PASS_H
#define CT_TOOLS_PASS_H

#include "common/tool.h"
#include "pass/pass.h"

/* What the pass measures beyond the baseline replay; all off is the default. */
struct ct_tool_pass {
	int per_kernel;   /* kernel:N scopes besides all and name:KERNEL */
	unsigned without; /* layers to leave out, as in struct ct_pass_options */
	uint32_t
		unwatched; /* mechanisms of whom nobody asks, a bit each as of ct_mechanism_at(): what they count in
	                        every pass is left out */
	int mrc;             /* miss-ratio curves */
	int annotate;        /* which instructions and arrays cost what */
	const char *symbols; /* file that names arrays, or NULL */
	const struct ct_pass_observer *const
		*observers; /* of the questions that the pass shall answer */
	unsigned n_observers;
};

/* Whether the records of a profile are printed, as text or as JSON. */
int ct_tool_prints_records(const struct ct_tool *t);

/* Leaves out of the pass all layers but those in `layers` (1u << enum ct_pass_layer each), and what mechanisms count in
 * every pass: for a command that prints no estimate. Where t prints a profile, nothing is left out, so that `mpki TRACE` and
 * `reuse TRACE | mpki` write the same records. */
void ct_tool_pass_only(const struct ct_tool *t, struct ct_tool_pass *pass, unsigned layers);
/* Leaves out what none of those mechanisms needs, a bit each as of ct_mechanism_at(), but nothing where t prints a profile.
 * t NULL: whatever is printed. */
void ct_tool_pass_for(const struct ct_tool *t, struct ct_tool_pass *pass, uint32_t mechanisms);

/* What a run over a trace is told, from the command line: threads, warm-up, memory, warnings, progress. What it
 * points at is t's. */
void ct_tool_pass_settings(struct ct_tool *t, struct ct_pass_settings *s);

/* Replays the trace on g, or where g is NULL on the GPU in force, of which it takes the part that the trace fills where
 * ct_tool_scales(). Appends to p what `reuse` prints but for its PG record, so that `replicate TRACE` and
 * `reuse TRACE | replicate` agree. o may be NULL. Returns what ct_pass_run() does, and fails as ct_tool_gpu() and
 * ct_pass_waves_guess(). */
int ct_tool_pass_run(struct ct_tool *t, struct ct_trace *trace, const struct ct_gpu *g,
                     const struct ct_tool_pass *o, struct ct_profile *p, struct ct_error *e);

#endif

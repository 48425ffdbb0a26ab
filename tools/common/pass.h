/* pass.h - the one pass over a trace that `reuse` makes, and that the later stages
 * make themselves when they are given a trace instead of a profile. */
#ifndef CT_TOOLS_PASS_H
#define CT_TOOLS_PASS_H

#include "common/tool.h"
#include "replay/replay.h"

/* What the pass measures beyond the baseline replay; all on for `reuse`. */
struct ct_pass_options {
	int per_kernel;  /* kernel:N scopes besides all and name:KERNEL */
	int no_sms_views;/* leave out llc@sms=N (saves about the time of one more pass) */
	int mrc;         /* miss-ratio curves: MR records, ME where sampled */
	unsigned mechanisms; /* mask of ct_pass_mechanism_at(): ES records, method replay */
	enum ct_replay_timing timing; /* of the baseline's replay: full or quick; quick leaves the record
	                    GP model.timing quick, and refuses mechanisms with CT_ERR_USAGE */
};

/* The value of --timing: full or quick. CT_ERR_USAGE for any other. */
int ct_pass_timing_parse(const char *value, enum ct_replay_timing *timing, struct ct_error *e);

/* Replays the trace on the GPU in force and appends to p: TR, GP, KN, SN, RD, RJ,
 * RT, IM, and RE where sampled. Equals what `reuse` prints but for its PG record, so that `replicate
 * TRACE` and `reuse TRACE | replicate` agree. o may be NULL. Returns CT_OK, 1 when
 * --salvage met damage (p then holds SN all truncated 1), or < 0. */
int ct_pass_run(struct ct_tool *t, struct ct_trace *trace, const struct ct_pass_options *o,
                struct ct_profile *p, struct ct_error *e);

#endif

/* settings.h - what every run over a trace is told, whoever asks for it. */
#ifndef CT_PASS_SETTINGS_H
#define CT_PASS_SETTINGS_H

#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "trace/trace.h"

CT_DECLS_BEGIN

/* Says how far a run is. Each function may be NULL; all are called from the thread that called into lib.
 * `path` names the trace, `warp_insts` counts the warp instructions that have been read. */
struct ct_pass_progress {
	void *ctx;
	void (*begin)(void *ctx);
	void (*advance)(void *ctx, const char *path, uint64_t warp_insts);
	void (*end)(void *ctx, const char *path, uint64_t warp_insts);
};

/* Zeroed, this is the default: one thread, nothing sampled (sample 0 means 1), no warm-up, 1 GiB. */
struct ct_pass_settings {
	unsigned threads; /* 0 means 1; the results do not depend on it */
	uint64_t warmup;  /* the first warp instructions warm the caches and are not counted */
	double sample;    /* share of the lines that reuse analysis follows, 0 < sample <= 1 */
	double sample_kernels; /* share of the warp instructions that are replayed, for the others to be told from
	                          them (doc/sampling.md), 0 < sample_kernels <= 1; 0 means 1 */
	uint64_t seed;       /* of sampling and of parts that draw */
	uint64_t max_memory; /* bytes; 0 means 1 GiB. The limit that messages name */
	uint64_t memory;     /* bytes of it that this process may take; 0 means all */
	struct ct_diag diag; /* gets warnings */
	struct ct_pass_progress progress;
	struct ct_trace_options trace; /* how a trace is opened again; see reopen.h */
	const char *trace_root;        /* folder where a trace that has moved is looked for, or NULL */
	int exact; /* 1: views of fewer SMs follow every line, however many there are */
};

CT_DECLS_END

#endif

/* merge.h - work-items become warps: lockstep with reconvergence. */
#ifndef CT_TRACEGEN_CAPTURE_MERGE_H
#define CT_TRACEGEN_CAPTURE_MERGE_H

#include "base/buf.h"
#include "tracegen/capture/program.h"

enum { CAP_MAX_LANES = 64 };

/* What one work-item did since the last barrier: the tokens of a CAP_ITEM record. */
struct cap_stream {
	const unsigned char *p;
	size_t n;
};

/* Lines of one warp of 32 threads. */
struct cap_out {
	struct ct_buf *text;
	uint64_t insts;
};

/* Runs n <= CAP_MAX_LANES streams in lockstep and appends what they do to out[lane / 32].
 *
 * Lanes step together while they are at the same segment. Where they part, each side
 * runs until the immediate post-dominator of the block where they parted (a stack of
 * masks, as in Fung et al., MICRO 2007), lower segment first, and they go on together.
 * With more than 32 lanes both halves get every line, with mask 0 where a half has no
 * lane in it: a wave of 64 is issued as two of 32. All lanes have met where the streams end (a
 * barrier or the end). Fails with CT_ERR_INPUT on streams that do not fit the program,
 * CT_ERR_NOMEM. Thread-safe on distinct out. */
int cap_merge(const struct cap_program *p, const struct ct_kernel *k, const struct cap_stream *stream,
              unsigned n, struct cap_out *out, struct ct_error *e);

/* Reads a LEB128 number at *at; returns 0 when it does not end before end or does not fit. */
int cap_number(const unsigned char **at, const unsigned char *end, uint64_t *v);

#endif

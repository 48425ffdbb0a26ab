/* ctz.h - writes packed traces (man/cachetriage-ctz.5). Reading them is ct_trace_open()'s. */
#ifndef CT_TRACE_CTZ_H
#define CT_TRACE_CTZ_H

#include "base/decls.h"
#include "base/error.h"
#include "trace/trace.h"

CT_DECLS_BEGIN

struct ct_ctz_writer;

/* Where the bytes go: CT_OK, or fails (which ends the writing call with that status). */
typedef int (*ct_ctz_put_fn)(void *ctx, const void *p, size_t n, struct ct_error *e);

/* A writer that puts the bytes of one packed trace, in order, through put(ctx). The
 * caller frees it with ct_ctz_writer_free(). level: of zstd, 1..19, 0 = 19. Fails with
 * CT_ERR_NOMEM or as put does. No function here is thread-safe on one writer. */
int ct_ctz_writer_new(struct ct_ctz_writer **w, int level, ct_ctz_put_fn put, void *ctx,
                      struct ct_error *e);

/* A copy to the device, in its place between kernels. */
int ct_ctz_put_memcpy(struct ct_ctz_writer *w, uint64_t address, uint64_t bytes, struct ct_error *e);

/* An allocation, in its place between copies and kernels, as ct_arrays_add() describes it. */
int ct_ctz_put_array(struct ct_ctz_writer *w, uint64_t first, uint64_t bytes, const char *name,
                     struct ct_error *e);

/* Lets ct_ctz_finish() write that the program failed, with an exit status of 1 to 255. Fails with
 * CT_ERR_USAGE (another status). */
int ct_ctz_put_status(struct ct_ctz_writer *w, unsigned status, struct ct_error *e);

/* A kernel, its CTAs, its end. k->id must be above that of the kernel before. */
int ct_ctz_put_kernel(struct ct_ctz_writer *w, const struct ct_kernel *k, struct ct_error *e);

/* Whether an instruction is wanted: 1 or 0. */
typedef int (*ct_ctz_keep_fn)(void *ctx, const struct ct_kernel *k, const struct ct_sinst *s,
                              const struct ct_inst *inst);
/* keep may be NULL: every instruction. Warps stay, also without instructions. */
int ct_ctz_put_cta(struct ct_ctz_writer *w, struct ct_cta *cta, ct_ctz_keep_fn keep, void *ctx,
                   struct ct_error *e);

/* The same in steps, for one who has the instructions at hand and no struct ct_cta: each CTA is begun, then
 * each of its warps is begun, filled and ended, then the CTA is ended. sid: of `code`, which is the same
 * for all CTAs of a kernel. Those with a result fail with CT_ERR_NOMEM or as put does. */
void ct_ctz_begin_cta(struct ct_ctz_writer *w, uint64_t index);
void ct_ctz_begin_warp(struct ct_ctz_writer *w, const struct ct_warp_info *warp);
/* `n` instructions sid, sid + 1 ... without addresses and values. */
int ct_ctz_put_plain(struct ct_ctz_writer *w, const struct ct_code *code, uint32_t sid, uint32_t n,
                     uint32_t mask, struct ct_error *e);
/* One whose lanes access `first`, first + stride and so on, in their order. */
int ct_ctz_put_strided(struct ct_ctz_writer *w, const struct ct_code *code, uint32_t sid, uint32_t mask,
                       uint64_t first, int64_t stride, struct ct_error *e);
/* One with an address for each lane of the mask, which has one at least, in their order. A whole warp's number of
 * addresses is readable there, whatever the mask. */
int ct_ctz_put_lanes(struct ct_ctz_writer *w, const struct ct_code *code, uint32_t sid, uint32_t mask,
                     const uint64_t *addresses, struct ct_error *e);
/* A part of a sequence: `n` instructions sid, sid + 1 ... without addresses, or one with. */
struct ct_ctz_step {
	uint32_t sid, n;
	uint32_t lanes; /* of the sequence's mask: all ones, or 0 */
	uint8_t access;
};
/* A sequence of steps that comes again and again, as one: its number stands for the same steps as long as the
 * kernel is not ended. 1: it is written but for the addresses, which ct_ctz_next_strided() or
 * ct_ctz_next_lanes() has to write for each of its accesses, in their order, before anything else is; for one
 * without a lane, ct_ctz_next_strided() with zeros. 0: nothing is written, and each step has to be by
 * itself. Fails with CT_ERR_NOMEM. */
int ct_ctz_put_sequence(struct ct_ctz_writer *w, uint32_t number, const struct ct_ctz_step *step,
                        size_t steps, uint32_t mask, struct ct_error *e);
void ct_ctz_next_strided(struct ct_ctz_writer *w, uint32_t sid, uint64_t first, int64_t stride);
void ct_ctz_next_lanes(struct ct_ctz_writer *w, uint32_t sid, uint32_t mask, const uint64_t *addresses);
void ct_ctz_end_warp(struct ct_ctz_writer *w);
int ct_ctz_end_cta(struct ct_ctz_writer *w, struct ct_error *e);

/* What a text reader found odd in a kernel, kept so that both forms are described
 * alike; the fields are those of struct ct_trace_stats. */
struct ct_ctz_oddities {
	uint64_t width_disagreements, extra_tokens, insts_mismatches, warps_without_exit, null_global;
};
/* o may be NULL: nothing odd. */
int ct_ctz_end_kernel(struct ct_ctz_writer *w, const struct ct_ctz_oddities *o, struct ct_error *e);

/* Writes index and end record. missing, unknown: kernels without a file and lines of
 * lists that were passed over. */
int ct_ctz_finish(struct ct_ctz_writer *w, uint64_t missing, uint64_t unknown, struct ct_error *e);
void ct_ctz_writer_free(struct ct_ctz_writer *w); /* NULL allowed */

CT_DECLS_END

#endif

/* tracez_write.h - writes .tracez, the packed text of Accel-Sim's tracer (doc/formats.md section 11): a file for each
 * launch. */
#ifndef CT_TRACE_TRACEZ_WRITE_H
#define CT_TRACE_TRACEZ_WRITE_H

#include "base/decls.h"
#include "trace/ctz.h"

CT_DECLS_BEGIN

struct ct_tracez_writer;

/* Begins the file of a launch, whose header it puts out. put gets the bytes in order; k must outlive the writer. *w is
 * the caller's, also when it fails. Fails with CT_ERR_NOMEM and as put does. One thread at a time. */
int ct_tracez_writer_new(struct ct_tracez_writer **w, const struct ct_kernel *k, ct_ctz_put_fn put,
                         void *ctx, struct ct_error *e);
/* Appends a thread block: those instructions that keep (NULL: all) wants. A warp that the block lacks is written as one
 * without instructions, as the form has no other way to say it. Fails with CT_ERR_LIMIT for a warp of 2^32 instructions,
 * CT_ERR_NOMEM, and as the cursor and put do. */
int ct_tracez_put_cta(struct ct_tracez_writer *w, struct ct_cta *cta, ct_ctz_keep_fn keep,
                      void *keep_ctx, struct ct_error *e);
/* Writes the index, which ends the file. */
int ct_tracez_finish(struct ct_tracez_writer *w, struct ct_error *e);
void ct_tracez_writer_free(struct ct_tracez_writer *w); /* NULL allowed */

CT_DECLS_END

#endif

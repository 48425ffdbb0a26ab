/* text.h - Accel-Sim text out of decoded traces: a folder, also of packed text (.tracez), or one stream. */
#ifndef CT_TRACECAT_TEXT_H
#define CT_TRACECAT_TEXT_H

#include "trace/arrays.h"
#include "trace/ctz.h"

struct text_sink;

/* A folder with kernelslist.g and kernel-N.traceg.zst, or where `packed` kernel-N.tracez, N the launch number: complete
 * after text_sink_commit(), else absent. Refuses (CT_ERR_USAGE) a path that exists. */
int text_sink_folder(struct text_sink **s, const char *path, int packed, struct ct_error *e);
/* All kernels one after the other, as text; copies to the device have no place there. */
int text_sink_stream(struct text_sink **s, ct_ctz_put_fn put, void *ctx, struct ct_error *e);

/* An allocation before a launch, which a folder's arrays.tsv has; a stream has no place for it. */
int text_sink_array(struct text_sink *s, const struct ct_array *a, uint64_t launch, struct ct_error *e);
int text_sink_memcpy(struct text_sink *s, uint64_t address, uint64_t bytes, struct ct_error *e);
/* Lists launch id as one without a file, where none of its number has been written. */
void text_sink_lost(struct text_sink *s, uint32_t id);
/* gaps: launch numbers that are left out are listed, as kernels without a file. */
int text_sink_kernel(struct text_sink *s, const struct ct_kernel *k, int gaps, struct ct_error *e);
int text_sink_cta(struct text_sink *s, struct ct_cta *cta, ct_ctz_keep_fn keep, void *ctx,
                  struct ct_error *e);
int text_sink_kernel_end(struct text_sink *s, struct ct_error *e);
/* status: of a program that failed, which a folder's tracegen.txt tells; 0: it did not. */
int text_sink_commit(struct text_sink *s, unsigned status, struct ct_error *e);
/* Removes what was not committed. NULL allowed. */
void text_sink_free(struct text_sink *s);

#endif

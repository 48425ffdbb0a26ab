/* mshr.h - miss registers that remember which chunks of a line are on their way
 * (reading issued-mask), so that no chunk is asked for twice. */
#ifndef CT_MODELS_TAG_SPLIT_MSHR_H
#define CT_MODELS_TAG_SPLIT_MSHR_H

#include <stdint.h>

#include "base/error.h"

struct ct_ts_mshr;

/* `entries` (at least 1) lines at a time. Fails with CT_ERR_USAGE, CT_ERR_NOMEM. */
int ct_ts_mshr_new(struct ct_ts_mshr **m, uint32_t entries, struct ct_error *e);
void ct_ts_mshr_free(struct ct_ts_mshr *m); /* NULL allowed */

/* A miss of `chunks` of a line. 1 and *send: the chunks to request now (0: all of them are
 * on their way); 0: no entry is free, nothing has changed. */
int ct_ts_mshr_miss(struct ct_ts_mshr *m, uint64_t line, uint32_t chunks, uint32_t *send);
/* Chunks of the line that were requested and have not come back; *issued (may be NULL): all that were requested in its
 * entry's life. 0 without an entry. */
uint32_t ct_ts_mshr_pending(const struct ct_ts_mshr *m, uint64_t line, uint32_t *issued);
/* Chunks have come back; the entry is free again when all have. */
void ct_ts_mshr_fill(struct ct_ts_mshr *m, uint64_t line, uint32_t chunks);
uint32_t ct_ts_mshr_used(const struct ct_ts_mshr *m);

#endif

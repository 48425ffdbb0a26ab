/* lineutil.h - how much of an L1 line is used before the line leaves.
 *
 * A functional L1 per SM (set-associative, LRU over lines, sectors filled on demand
 * or whole lines) follows the L1 accesses and counts, when a line is evicted,
 * invalidated or flushed, how many of its chunks were *hit* after they had been
 * filled: the reading line-utilisation of doc/readings.md. The access that fills a
 * chunk is no reuse. Reads hit and fill; a store neither fills nor reuses, and drops
 * the line where the L1 is write-evict. Beside it, the bytes that each read request
 * uses of its line (reading useful-bytes). */
#ifndef CT_LOCALITY_LINEUTIL_H
#define CT_LOCALITY_LINEUTIL_H

#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

enum { CT_LINEUTIL_CHUNKS = 4, CT_LINEUTIL_BYTES = 128 };

struct ct_lineutil_options {
	uint32_t sms;
	uint32_t chunks;     /* per line, 1..4 */
	int fill_whole_line; /* a miss brings every chunk (an L1 without sectors) */
	int store_evicts;    /* write-evict */
};

/* Additive. */
struct ct_lineutil_counts {
	uint64_t reused[CT_LINEUTIL_CHUNKS + 1];  /* lines that left with that many chunks reused */
	uint64_t touched[CT_LINEUTIL_CHUNKS + 1]; /* the same, the filling access included */
	uint64_t requests[CT_LINEUTIL_BYTES + 1]; /* read requests that use that many bytes */
};

struct ct_lineutil;

/* NULL and *e on CT_ERR_USAGE or CT_ERR_NOMEM; the L1s have no capacity until
 * ct_lineutil_resize(). One thread. */
struct ct_lineutil *ct_lineutil_new(const struct ct_lineutil_options *o, struct ct_error *e);
void ct_lineutil_free(struct ct_lineutil *u); /* NULL allowed */

/* Empties every L1 (their lines count as leaving) and gives it sets * ways lines: at a
 * kernel's start, when the configuration flushes L1 or its size changes. Fails with CT_ERR_NOMEM, or with
 * CT_ERR_UNSUPPORTED for L1s of two million lines; they have no capacity then. */
int ct_lineutil_resize(struct ct_lineutil *u, uint32_t sets, uint32_t ways, struct ct_error *e);
/* One access of an SM: line number, its set (below sets), the chunks asked for, and for
 * reads the bytes used (0 = unknown, not counted). */
void ct_lineutil_access(struct ct_lineutil *u, uint32_t sm, uint64_t line, uint32_t set, uint32_t chunks,
                        uint32_t bytes, int is_write);
/* Adds what was counted since the last call to *c. finish: lines still resident
 * leave now (end of the trace). */
void ct_lineutil_collect(struct ct_lineutil *u, struct ct_lineutil_counts *c, int finish);
void ct_lineutil_counts_add(struct ct_lineutil_counts *into, const struct ct_lineutil_counts *from);

CT_DECLS_END

#endif

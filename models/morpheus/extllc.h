/* extllc.h - the extended LLC of a whole GPU, bit by bit: address separation, the
 * controllers' predictors, the query logic unit's queues, the helper warps' sets.
 *
 * Knows no replay engine: time comes in and goes out as cycles, so that the LLC part
 * of an engine (or a test) can drive it. Not thread-safe; deterministic. */
#ifndef CT_MODELS_MORPHEUS_EXTLLC_H
#define CT_MODELS_MORPHEUS_EXTLLC_H

#include <stdint.h>

#include "base/error.h"
#include "models/morpheus/capacity.h"
#include "models/morpheus/extset.h"
#include "models/morpheus/filter.h"
#include "models/morpheus/systems.h"

struct ct_mo_extllc_params {
	uint32_t cache_sms, partitions;
	uint64_t conv_blocks;             /* lines of the conventional LLC */
	struct ct_morpheus_kernel kernel; /* uncompressed; blocks per set as registers */
	int compression;                  /* levels are known: sets adapt by epochs */
	struct ct_mo_filter_params filter;
	enum ct_mo_predictor predictor;
	enum ct_mo_lru lru; /* other than exact: false negatives are counted */
	unsigned lru_bits;
	int count_rule;    /* with compression: the paper's swap rule, a diagnostic
	                                     that counts false negatives (reading swap-rule) */
	int lookups_first; /* insertions wait while a lookup does (reading insertion-order) */
	int store_fetches; /* a store that misses goes on to DRAM and its block is read, as in an LLC
	                                     of llc.write = back_fetch: the block comes in clean */
	uint64_t service, port; /* cycles a warp, an SM's port is busy per request */
	uint64_t trip;          /* unloaded cycles controller -> SM -> controller */
	uint64_t epoch;         /* cycles between reassignments of registers */
};

/* Who owns a block (readings address-split and block-owner): a hash of the block number, scaled
 * to all blocks of the LLC; below conv_blocks it is conventional. Static for a configuration. */
struct ct_mo_place {
	int extended;
	uint32_t sm, warp;  /* of the cache-mode SM */
	uint32_t set;       /* warp * cache_sms + sm: warps round robin over the SMs */
	uint32_t partition; /* whose controller holds the set: set mod partitions */
};

enum ct_mo_access { CT_MO_READ, CT_MO_WRITE, CT_MO_ATOMIC };

struct ct_mo_reply {
	int predicted, hit;      /* by the filter; in the set */
	unsigned evicted, dirty; /* blocks that left; to be written back */
	uint64_t ready;          /* predicted hits: cycle at which the controller has the helper's
	                           answer (a wrong prediction then still goes to DRAM);
	                           else the cycle of the request */
};

struct ct_mo_extllc_counts {
	uint64_t reads, writes, atomics, hits, misses;
	uint64_t false_positives, false_negatives;
	uint64_t evicted, dirty, swaps, epochs;
	uint64_t wait_cycles;         /* in request queues and for ports */
	uint64_t queued_most;         /* requests that waited for one set at the same time */
	uint64_t level[CT_MO_LEVELS]; /* resident blocks by level, at the last epoch */
};

struct ct_mo_extllc;

/* NULL and *e on CT_ERR_USAGE or CT_ERR_NOMEM. Caller frees. */
struct ct_mo_extllc *ct_mo_extllc_new(const struct ct_mo_extllc_params *p, struct ct_error *e);
void ct_mo_extllc_free(struct ct_mo_extllc *x); /* NULL allowed */

/* Pure on a constant object. */
void ct_mo_extllc_place(const struct ct_mo_extllc *x, uint64_t block, struct ct_mo_place *pl);

/* One request for an extended block that reaches its controller at cycle `now` (not
 * falling from call to call). level: what the block's data compress to;
 * CT_MO_LEVEL_NONE without values. An atomic is executed by the owning warp and leaves
 * the block dirty. Fails with CT_ERR_LIMIT, and for ever after, when the
 * predictor denied a resident block where it never may: exact LRU and no diagnostic
 * rule (an assertion that every build has). */
int ct_mo_extllc_access(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t block,
                        enum ct_mo_access kind, enum ct_mo_level level, uint64_t now,
                        struct ct_mo_reply *r, struct ct_error *e);

/* Its two halves, for an engine that has the SM serve requests in the order in which they
 * reach it: what the controller knows at once (r->ready is left at 0), and the SM's port and
 * the warp's turn: the cycle >= now in which the warp begins. */
int ct_mo_extllc_lookup(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t block,
                        enum ct_mo_access kind, enum ct_mo_level level, uint64_t now,
                        struct ct_mo_reply *r, struct ct_error *e);
uint64_t ct_mo_extllc_serve(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t now);
/* The same for a block that is put there behind a predicted miss: nobody waits for it. */
void ct_mo_extllc_insert(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t now);

void ct_mo_extllc_counts(const struct ct_mo_extllc *x, struct ct_mo_extllc_counts *c);

#endif

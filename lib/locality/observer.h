/* observer.h - everything `reuse` measures, fed by the replay's accesses. */
#ifndef CT_LOCALITY_OBSERVER_H
#define CT_LOCALITY_OBSERVER_H

#include <stdint.h>

#include "base/error.h"
#include "locality/hist.h"

/* Joint histogram cells of RJ: bins of 4 per octave on both axes, plus cold. */
enum { CT_RJ_BINS = 4 * 40 + 1 /* last = cold (inf) */ };
unsigned ct_rj_bin(uint64_t distance);   /* 0 is exact: [0,1), then 4 per octave */
uint64_t ct_rj_lo(unsigned bin);         /* UINT64_MAX for the cold bin */
uint64_t ct_rj_hi(unsigned bin);

/* Result of one scope (everything, one kernel name, one kernel). */
struct ct_locality_counts {
	struct ct_hist l1_read, l1_write, l1_sector_read, l1_sector_write;
	struct ct_hist merged_read, merged_write, merged_sector_read, merged_sector_write;
	struct ct_hist llc_read, llc_write;
	struct ct_hist reg_insts, reg_distinct; /* reads of registers; see regs.h */
	uint64_t rj_nearest[CT_RJ_BINS][CT_RJ_BINS]; /* [own][nearest other] */
	uint64_t rj_sharers[CT_RJ_BINS][CT_RJ_BINS];
	uint64_t rt[CT_RJ_BINS][64];                 /* [distance][log2 reuse time] */
	uint64_t distinct_lines, distinct_sectors;
};

struct ct_locality; /* the streams of one GPU: one L1 per SM, merged, LLC */

struct ct_locality_options {
	uint32_t sms, sectors;
	int registers;        /* measure register reuse */
	int sharing;          /* measure RJ */
	double sample;        /* SHARDS rate by line address, 0 or 1 = exact */
	uint64_t seed;
};

struct ct_locality *ct_locality_new(const struct ct_locality_options *o, struct ct_error *e);
void ct_locality_free(struct ct_locality *l); /* NULL allowed */

/* One L1 access: a line and its sectors, by one SM. `cycle` is the replay's time. */
void ct_locality_l1(struct ct_locality *l, uint32_t sm, uint64_t line, uint32_t sectors,
                    int is_write, uint64_t cycle);
/* One access that reached the LLC. */
void ct_locality_llc(struct ct_locality *l, uint64_t line, uint32_t sectors, int is_write);
/* Kernel boundaries: the L1 streams (and the merged one) restart when flushed. */
void ct_locality_kernel_begin(struct ct_locality *l, int l1_flushed);
/* Counts since the last call are moved to *c (added); distinct counts are of the
 * whole run. Fails with CT_ERR_NOMEM if memory ran out since. */
int ct_locality_collect(struct ct_locality *l, struct ct_locality_counts *c,
                        struct ct_error *e);

#endif

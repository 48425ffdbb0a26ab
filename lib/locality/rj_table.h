/* rj_table.h - a dense joint histogram that is filled in the hot path and moved into a
 * sparse struct ct_rj at the end of a scope. Private to the room.
 *
 * Bins: exact below 32, then 16 per octave, so that every L1 size of today's GPUs (a
 * power of two less a shared-memory carve-out in 8 KiB steps) is a bin boundary. Where
 * the other distance exceeds the own one's bin, no capacity lies between them the
 * right way round, so one bin per octave suffices and keeps profiles small. */
#ifndef CT_LOCALITY_RJ_TABLE_H
#define CT_LOCALITY_RJ_TABLE_H

#include "base/bits.h"
#include "locality/hist.h"
#include "locality/rj.h"

enum {
	CT_RJ_EXACT_BITS = 4,
	CT_RJ_LAST_OCTAVE = 31,
	CT_RJ_COLD = (CT_RJ_LAST_OCTAVE - CT_RJ_EXACT_BITS + 2) << CT_RJ_EXACT_BITS,
	CT_RJ_BINS = CT_RJ_COLD + 1
};

struct ct_rj_table {
	uint64_t count[CT_RJ_BINS][CT_RJ_BINS]; /* [own][other] */
	uint8_t used[CT_RJ_BINS];               /* rows with any count */
};

/* Bin of a distance below 2^32; lines on a stack are below 2^30. Pure. */
static inline unsigned ct_rj_warm_bin(uint64_t d)
{
	unsigned shift = ct_high_bit(d | 1 << CT_RJ_EXACT_BITS) - CT_RJ_EXACT_BITS;
	return (shift << CT_RJ_EXACT_BITS) + (unsigned)(d >> shift);
}

static inline unsigned ct_rj_bin(uint64_t d)
{
	if (d >> (CT_RJ_LAST_OCTAVE + 1))
		return d == CT_COLD ? CT_RJ_COLD : CT_RJ_COLD - 1;
	return ct_rj_warm_bin(d);
}

uint64_t ct_rj_lo(unsigned bin);              /* its least distance; of a bin below CT_RJ_COLD */
struct ct_rj_table *ct_rj_table_new(void);    /* NULL: out of memory */
void ct_rj_table_free(struct ct_rj_table *t); /* NULL allowed */
static inline void ct_rj_table_count(struct ct_rj_table *t, uint64_t own, uint64_t other)
{
	unsigned o = ct_rj_bin(own);
	t->count[o][ct_rj_bin(other)]++;
	t->used[o] = 1;
}

/* What becomes of a row: its counts are those of row `from`, times `factor` (0: none). */
struct ct_rj_fit {
	uint16_t from[CT_RJ_BINS];
	double factor[CT_RJ_BINS];
};

/* Adds the counts to *j and clears the table. fit: NULL takes them as they are; else each row's sum is rounded as a whole.
 * Fails with CT_ERR_NOMEM. */
int ct_rj_table_move(struct ct_rj_table *t, struct ct_rj *j, const struct ct_rj_fit *fit,
                     struct ct_error *e);

#endif

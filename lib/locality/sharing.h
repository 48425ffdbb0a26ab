/* sharing.h - how near other SMs have the lines that an SM reads, counted for RJ (rj.h). Private to the room.
 *
 * Asking all SMs that hold a line costs more than all else that is measured at the L1s, and a random sample of many reads
 * says the same. So of each launch the first reads are asked about, then one of each two, of each four and so on, always
 * as many, and a read that is asked about stands for the others. The stacks are those of all lines, and own distances are
 * known of every read: each row of the tables is scaled to the reads at its own distance, so that only what the other SMs
 * have comes from the sample. */
#ifndef CT_LOCALITY_SHARING_H
#define CT_LOCALITY_SHARING_H

#include "base/hash.h"
#include "locality/rj_table.h"

enum {
	CT_SHARING_PARTS = 8,   /* random ones of the reads, for the error */
	CT_SHARING_OCTAVES = 33 /* capacities 2^0 to 2^32 lines; distances are below 2^32 */
};

struct ct_sharing {
	struct ct_rj_table nearest, sharers;
	uint64_t reads[CT_RJ_BINS]; /* by own distance, asked about or not, since not all are */
	uint64_t most;              /* reads that are asked about at a rate */
	uint64_t left;              /* of them, at this rate */
	unsigned halvings;          /* a block has 2^halvings reads, of which one is asked about: */
	uint64_t place, until;      /* reads of the block before it; reads from now on before it */
	uint64_t seed;
	uint64_t seen, sampled; /* reads of the run, and those that were asked about */
	/* Of the whole run, by the octave of the own distance: all reads; of each part, those that were asked about; and of
	 * them by the smallest L1s, of 2^i lines, in which another SM holds the line. */
	uint64_t all[CT_SHARING_OCTAVES], asked[CT_SHARING_PARTS][CT_SHARING_OCTAVES];
	uint64_t shared[CT_SHARING_PARTS][CT_SHARING_OCTAVES][CT_SHARING_OCTAVES];
};

/* Asks about so many reads of a launch at each rate, UINT64_MAX: about all. NULL: out of memory. */
struct ct_sharing *ct_sharing_new(uint64_t most, uint64_t seed);
void ct_sharing_free(struct ct_sharing *x); /* NULL allowed */
/* Ends a launch: adds what was counted since the last call to *nearest and *sharers. Fails with CT_ERR_NOMEM. */
int ct_sharing_move(struct ct_sharing *x, struct ct_rj *nearest, struct ct_rj *sharers,
                    struct ct_error *e);
/* The share of the reads that was asked about. Pure. */
double ct_sharing_rate(const struct ct_sharing *x);
/* Half-width of the 95 % interval of the replication ratio of L1s of so many lines, at the next lower power of two; of the
 * whole run, by the spread between the parts, octave of own distances by octave. NaN where nothing misses. Pure. */
double ct_sharing_error(const struct ct_sharing *x, double lines);
/* The next block begins, at half the rate where enough were asked about at this one. */
void ct_sharing_next_block(struct ct_sharing *x);

/* A read at that distance. Returns for how many reads it stands if it is one that is asked about, else 0. */
static inline uint64_t ct_sharing_read(struct ct_sharing *x, uint64_t own)
{
	x->seen++;
	if (x->halvings)
		x->reads[ct_rj_bin(own)]++;
	if (x->until) {
		x->until--;
		return 0;
	}
	return UINT64_C(1) << x->halvings;
}

/* The largest L1s, of 2^i lines, in which such a read misses; not of distance 0. */
static inline unsigned ct_sharing_octave(uint64_t own)
{
	return own >> 32 ? CT_SHARING_OCTAVES - 1 : own ? ct_high_bit(own) : 0;
}

/* Ends such a read: notes for the error that the line is at distance `nearest` in another SM. */
static inline void ct_sharing_note(struct ct_sharing *x, uint64_t own, uint64_t nearest, uint64_t each)
{
	const unsigned part = (unsigned)(ct_mix64(x->sampled++ ^ x->seed) >> 61);
	const unsigned octave = ct_sharing_octave(own);
	const unsigned least = nearest >> 32 ? CT_SHARING_OCTAVES
	                       : nearest     ? ct_high_bit(nearest) + 1
	                                     : 0;
	if (own) { /* others hit in any L1 */
		x->asked[part][octave] += each;
		if (least <= octave)
			x->shared[part][octave][least] += each;
	}
	ct_sharing_next_block(x);
}

#endif

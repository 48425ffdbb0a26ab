/* extset.h - extended sets, bit by bit: lookup, LRU, compression levels.
 *
 * One set belongs to one helper warp; it is fully associative (readings tag-lookup and
 * helper-miss). Blocks sit in slots of three levels: a register holds 4 blocks of 32 B
 * (high), 2 of 64 B (low) or 1 of 128 B (none); a block may sit in a slot that is larger
 * than it needs (reading level-registers). Registers move between levels at the end of an
 * epoch, in proportion to what the resident blocks need (reading compression-levels).
 * Without compression all slots are `none`.
 *
 * Replacement is exact LRU (time stamps) or the paper's counters of few bits, which
 * can tie and then break the rule on which the predictor stands (reading lru-counter). */
#ifndef CT_MODELS_MORPHEUS_EXTSET_H
#define CT_MODELS_MORPHEUS_EXTSET_H

#include <stdint.h>

#include "base/error.h"

enum ct_mo_level { CT_MO_LEVEL_HIGH, CT_MO_LEVEL_LOW, CT_MO_LEVEL_NONE, CT_MO_LEVELS };

enum ct_mo_lru {
	CT_MO_LRU_EXACT,
	CT_MO_LRU_SATURATE, /* counter of lru_bits, decremented down to 0 */
	CT_MO_LRU_WRAP      /* the same, wrapping round */
};

struct ct_mo_set_params {
	unsigned registers;  /* data registers of the set, >= 1; slots of level none at the start */
	unsigned blocks_max; /* tags that the metadata has room for; 0 = 4 * registers */
	enum ct_mo_lru lru;
	unsigned lru_bits; /* 1 .. 31; the paper has 12 */
};

struct ct_mo_set;

/* NULL and *e on CT_ERR_USAGE or CT_ERR_NOMEM. Caller frees. */
struct ct_mo_set *ct_mo_set_new(const struct ct_mo_set_params *p, struct ct_error *e);
void ct_mo_set_free(struct ct_mo_set *s); /* NULL allowed */

/* 1 if the block is resident. Changes nothing. */
int ct_mo_set_holds(const struct ct_mo_set *s, uint64_t block);

struct ct_mo_victims {
	unsigned evicted, dirty; /* blocks that left, and how many of them need a write-back */
};
/* Looks the block up and makes it the most recent; a miss inserts it (reading predicted-miss-inserts). level:
 * what its data compress to now (CT_MO_LEVEL_NONE without compression); a write may
 * change it. Returns 1 hit, 0 miss; *v (may be NULL) tells who left. */
int ct_mo_set_access(struct ct_mo_set *s, uint64_t block, int is_write, enum ct_mo_level level,
                     struct ct_mo_victims *v);
/* End of a compression epoch: reassigns registers to levels by what the residents
 * need (largest remainder, at least one of level none) and evicts what no longer
 * fits, least recent first. */
void ct_mo_set_epoch(struct ct_mo_set *s, struct ct_mo_victims *v);

/* Resident blocks; of one level (by need); slots; registers assigned to a level. */
unsigned ct_mo_set_resident(const struct ct_mo_set *s);
unsigned ct_mo_set_level(const struct ct_mo_set *s, enum ct_mo_level level);
unsigned ct_mo_set_slots(const struct ct_mo_set *s);
unsigned ct_mo_set_registers(const struct ct_mo_set *s, enum ct_mo_level level);

/* Touched bits, for the swap rule that is safe for every replacement (reading swap-rule): 1 when
 * each resident block was accessed since the bits were cleared. */
int ct_mo_set_all_touched(const struct ct_mo_set *s);
void ct_mo_set_clear_touched(struct ct_mo_set *s);

#endif

/* home.h - which core is the home of a line (readings home-core and home-modulo).
 *
 * The home follows from the tag alone, so that sets do not move: the sets of one way
 * interleave below it, 32 sets of 128 B put consecutive 4 KiB to consecutive homes. */
#ifndef CT_MODELS_SHARED_L1_HOME_H
#define CT_MODELS_SHARED_L1_HOME_H

#include <stdint.h>

enum ct_sl_homes {
	CT_SL_HOMES_MOD,  /* tag modulo the number of cores (default, reading home-modulo) */
	CT_SL_HOMES_FOLD, /* the core bits; values beyond the cores fold onto the first ones:
	                     28 cores of 5 bits give homes 0 to 3 twice the load */
	CT_SL_HOMES_HASH, /* a hash of the whole tag, spread over the cores */
	CT_SL_HOMES_KINDS
};
/* "mod", "fold", "hash". */
const char *ct_sl_homes_name(enum ct_sl_homes h);
/* By name, or -1. */
int ct_sl_homes_find(const char *name);

/* Core bits: ceil(log2 cores). */
unsigned ct_sl_core_bits(unsigned cores);
/* Bits of the tag: address bits less offset and set index. line and sets are powers
 * of two. */
unsigned ct_sl_tag_bits(unsigned address_bits, unsigned line, unsigned sets);

/* Home of a line (address / line bytes) among `cores` cores whose L1s have `sets` sets
 * (both > 0). Pure. */
unsigned ct_sl_home(enum ct_sl_homes h, uint64_t line, uint32_t sets, unsigned cores);

/* All of enum ct_sl_homes at once. */
void ct_sl_homes_of(uint64_t line, uint32_t sets, unsigned cores, unsigned home[CT_SL_HOMES_KINDS]);

/* Busiest over mean home when tags are spread evenly: 1, or for fold twice what a core
 * has that gets one value of the core bits (56/32 = 1.75 for 28 cores). */
double ct_sl_homes_beta(enum ct_sl_homes h, unsigned cores);

#endif

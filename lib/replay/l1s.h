/* l1s.h - the L1s of some SMs without time: lines go in one after the other, and the sectors that go on to the LLC come out.
 *
 * The same caches as in a replay (sets, ways, hash, replacement, what a store does; doc/replay.md section 6), except that a
 * sector is there as soon as it has been asked for. */
#ifndef CT_REPLAY_L1S_H
#define CT_REPLAY_L1S_H

#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "gpu/gpu.h"

CT_DECLS_BEGIN

struct ct_l1s;

/* One line of an instruction. */
struct ct_l1s_access {
	uint64_t line;    /* address / line bytes */
	uint8_t sectors;  /* asked for */
	uint8_t whole;    /* of a store: sectors of which it writes all bytes (ct_l1s_whole()) */
	uint8_t is_store; /* atomics go past the L1 and are none */
	uint8_t bypass;   /* goes past the L1 */
};

/* Sectors of a line of which a store of those bytes, a bit each, writes all; every sector where the GPU's requests do not name bytes.
 * Pure. */
uint8_t ct_l1s_whole(const struct ct_gpu *g, const uint64_t bytes[2]);

/* L1s of the GPU's SMs, all empty. NULL and *e on CT_ERR_NOMEM. Caller frees. One thread. */
struct ct_l1s *ct_l1s_new(const struct ct_gpu *g, struct ct_error *e);
void ct_l1s_free(struct ct_l1s *l); /* NULL allowed */

/* A launch begins: caches of that shape (of struct ct_occupancy), empty where the GPU flushes them or they had another. */
void ct_l1s_launch(struct ct_l1s *l, uint32_t sets, uint32_t ways);
/* The SM's L1 is empty from now on. */
void ct_l1s_wipe(struct ct_l1s *l, uint32_t sm);
/* The next line at that SM's L1. Returns the sectors that go on to the LLC: of a load those that are not there, else all. */
uint32_t ct_l1s_access(struct ct_l1s *l, uint32_t sm, const struct ct_l1s_access *a);

CT_DECLS_END

#endif

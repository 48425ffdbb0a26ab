/* warp.h - resident warps and CTAs of an SM, whatever the timing (private). */
#ifndef CT_REPLAY_PRIVATE_WARP_H
#define CT_REPLAY_PRIVATE_WARP_H

#include "replay/private/numbers.h"
#include "replay/private/op.h"
#include "replay/scheduling.h"

enum {
	RP_MAX_SCHEDULERS = 8,
	RP_MAX_SLOTS = 64, /* warps per scheduler */
	RP_SLOT_BLOCK = 8
};

struct rp_warp {
	_Alignas(64) const struct rp_op *op; /* next instruction; NULL: none left */
	struct ct_cursor *cursor;
	uint32_t more; /* instructions behind the next one that only add 1 to its sid */
	uint32_t born;
	uint32_t done;          /* last known completion of an instruction */
	uint32_t open;          /* instructions whose completion is not known */
	uint32_t stores;        /* not acknowledged */
	uint32_t blocked_since; /* on outstanding loads, RP_NEVER: not */
	uint32_t blocked_open;  /* of `open`, when it was blocked */
	uint32_t back;          /* sid of the load that came back last */
	uint32_t
		fetched; /* quick: when all that is known to come from global and local memory is there */
	uint32_t charged;  /* where somebody asks: cycles before this one are charged to loads */
	uint32_t *regs;    /* cycle at which each register can be read */
	uint8_t sub, slot; /* scheduler, and which of its slots */
	uint8_t held;      /* waits for more than registers: rp_update_held() */
	uint8_t live, issued_any;
	uint8_t parked; /* quick: goes on when something is back of which nobody knows when */
	uint16_t slot_cta;
	uint64_t key, age;
	struct ct_warp_wait wait;
};

/* To be called where what it waits for has changed. */
static inline void rp_update_held(struct rp_warp *w)
{
	w->held = (uint8_t)ct_warp_waits(&w->wait);
}

/* The next instruction of a warp. */
struct rp_next {
	_Alignas(64) struct ct_inst inst;
};

struct rp_cta {
	struct ct_cta *cta;
	uint32_t warps_left; /* not retired */
	uint32_t running;    /* with instructions left: barrier quorum */
	uint32_t arrived;
	uint32_t end;     /* latest retirement so far */
	uint32_t free_at; /* RP_NEVER while warps are left */
};

#endif

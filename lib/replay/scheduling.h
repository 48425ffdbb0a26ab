/* scheduling.h - what every warp scheduler needs: what holds a warp back besides its registers, and
 * which of the warps that may issue is next.
 *
 * The timings of the replay and models with a scheduler of their own share it; when something is
 * over is theirs to say. Slots are bits of a mask: a scheduler has at most 64 warps. All
 * functions are pure or change only what they are given; no function fails. */
#ifndef CT_REPLAY_SCHEDULING_H
#define CT_REPLAY_SCHEDULING_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/decls.h"

CT_DECLS_BEGIN

enum { CT_WARP_GROUPS = 64 /* groups of asynchronous copies (LDGSTS) of a warp that are told apart */ };

/* What an instruction does to its warp besides using a unit. */
enum ct_warp_effect {
	CT_EFFECT_NONE,
	CT_EFFECT_BARRIER,     /* waits for the other warps of the CTA */
	CT_EFFECT_FENCE,       /* MEMBAR: waits for what the warp has asked for */
	CT_EFFECT_CLOSE_GROUP, /* LDGDEPBAR: the copies so far are a group */
	CT_EFFECT_WAIT_GROUPS, /* DEPBAR: waits until at most so many groups are left */
	CT_EFFECT_ATOMIC,      /* waits until it is back */
	CT_EFFECT_COPY         /* LDGSTS: belongs to the open group */
};

/* What a warp waits for before it may issue again. Zero: nothing. */
struct ct_warp_wait {
	uint8_t at_barrier, fence;
	uint32_t atomics;                    /* not back */
	uint32_t group, group_done;          /* the open group; all before group_done are complete */
	uint32_t wait_group;                 /* waits until group_done reaches it */
	uint32_t group_open[CT_WARP_GROUPS]; /* copies that are not back, group % CT_WARP_GROUPS */
};

/* Whether the warp waits for groups; for anything at all. */
static inline int ct_warp_waits_for_group(const struct ct_warp_wait *w)
{
	return (int32_t)(w->group_done - w->wait_group) < 0;
}
/* Whether the warp waits for anything: a barrier, a fence, an atomic or groups of copies. Pure. */
static inline int ct_warp_waits(const struct ct_warp_wait *w)
{
	return w->at_barrier || w->fence || w->atomics || ct_warp_waits_for_group(w);
}

/* An instruction with that effect issues. groups_left: of CT_EFFECT_WAIT_GROUPS, else ignored. */
static inline void ct_warp_effect(struct ct_warp_wait *w, enum ct_warp_effect effect,
                                  uint32_t groups_left)
{
	switch (effect) {
	case CT_EFFECT_BARRIER: w->at_barrier = 1; break;
	case CT_EFFECT_FENCE: w->fence = 1; break;
	case CT_EFFECT_CLOSE_GROUP: w->group++; break;
	case CT_EFFECT_WAIT_GROUPS:
		if (w->group >= groups_left)
			w->wait_group = w->group - groups_left;
		break;
	case CT_EFFECT_ATOMIC: w->atomics++; break;
	case CT_EFFECT_COPY: w->group_open[w->group % CT_WARP_GROUPS]++; break;
	default: break;
	}
}

/* Groups all of whose copies are back are complete, as far as they follow each other: to be called when a
 * group has been closed or a copy is back. */
static inline void ct_warp_complete_groups(struct ct_warp_wait *w)
{
	while (w->group_done != w->group && !w->group_open[w->group_done % CT_WARP_GROUPS])
		w->group_done++;
}

/* Whether the barrier of a CTA opens: all of its `running` warps have come to it. Then the next one
 * begins with *arrived = 0. */
static inline int ct_barrier_opens(uint32_t *arrived, uint32_t running)
{
	if (!*arrived || *arrived < running)
		return 0;
	*arrived = 0;
	return 1;
}

/* The slot of a mask (not 0) whose turn it is in a loose round robin: the first behind `last` (< 64), which
 * issued last, or else the first. */
static inline uint32_t ct_pick_in_turn(uint64_t mask, uint32_t last)
{
	uint64_t behind = mask & (UINT64_MAX - 1) << last;
	return ct_low_bit(behind ? behind : mask);
}

/* The oldest slot of a mask (not 0): with the lowest age, of equal ones the lowest slot. *age is that of slot
 * 0, that of the next is `stride` bytes behind it. */
static inline uint32_t ct_pick_oldest(uint64_t mask, const uint64_t *age, size_t stride)
{
	uint32_t best = ct_low_bit(mask);
	uint64_t least = *(const uint64_t *)(const void *)((const char *)age + best * stride);
	for (mask &= mask - 1; mask; mask &= mask - 1) {
		uint32_t i = ct_low_bit(mask);
		uint64_t a = *(const uint64_t *)(const void *)((const char *)age + i * stride);
		if (a < least) {
			least = a;
			best = i;
		}
	}
	return best;
}

/* Two levels (reading two-level): what becomes of the set of active slots. Those that cannot go on leave it, and the oldest of
 * the others take their places, of which there are `places`. */
static inline uint64_t ct_active_set(uint64_t active, uint64_t can_go_on, uint32_t places,
                                     const uint64_t *age, size_t stride)
{
	active &= can_go_on;
	uint64_t pending = can_go_on & ~active;
	for (uint32_t n = ct_bits(active); pending && n < places; n++) {
		uint64_t bit = UINT64_C(1) << ct_pick_oldest(pending, age, stride);
		active |= bit;
		pending ^= bit;
	}
	return active;
}

/* Greedy, then oldest: `last` as long as it may issue, else the oldest of those in `preferred`, else the
 * oldest of all. */
static inline uint32_t ct_pick_greedy(uint64_t mask, uint32_t last, uint64_t preferred,
                                      const uint64_t *age, size_t stride)
{
	if (last < 64 && (mask >> last & 1))
		return last;
	return ct_pick_oldest(mask & preferred ? mask & preferred : mask, age, stride);
}

CT_DECLS_END

#endif

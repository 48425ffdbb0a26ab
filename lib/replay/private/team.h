/* team.h - other threads that run some of the SMs of a window (private; team.c).
 *
 * Within a window SMs do not see each other (engine.h), so that they may run side by side. Each helper has a copy of the
 * engine's own struct, with what is written there while SMs run: the error, memory, notes of shared memory. What SMs tell
 * observers is noted, and told afterwards in the order in which SMs run one after the other. So results and calls are the
 * same. */
#ifndef CT_REPLAY_PRIVATE_TEAM_H
#define CT_REPLAY_PRIVATE_TEAM_H

#include "replay/private/engine.h"

/* Whether the next window's SMs are worth sharing. */
int rp_team_wanted(struct ct_replay *r);
/* Runs all SMs up to cycle `end`, or to their offers. Returns the first SM that has failed, else RP_NO_INDEX. */
uint32_t rp_team_run(struct ct_replay *r, uint32_t end);
void rp_team_free(struct ct_replay *r); /* NULL allowed as r->team */

/* For observers, while SMs run side by side (r->told): the engine's copy is the one that the SM runs with. */
void rp_note_l1(struct ct_replay *r, const struct ct_l1_event *ev);
void rp_note_cta(struct ct_replay *r, const struct ct_cta_event *ev);
void rp_note_wipe(struct ct_replay *r, uint32_t sm);

#endif

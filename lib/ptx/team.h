/* team.h - runs the CTAs of a launch, on one thread or several. Private. */
#ifndef CT_PTX_TEAM_H
#define CT_PTX_TEAM_H

#include "ptx/exec.h"

/* Runs all CTAs of the launch of a prepared run. *steps: instructions executed, also after a failure. Where
 * a CTA faults, r->fault says how. Fails as ct_ptx_launch. */
int ct_ptx_run_team(struct ct_ptx_run *r, uint64_t *steps);
/* The same for a cooperative launch, whose CTAs run side by side (resident.c). */
int ct_ptx_run_resident(struct ct_ptx_run *r, uint64_t *steps);
/* The CTA of the run, which has begun, and all behind it run side by side, as many as the launch says. *steps: the same, those before counted. */
int ct_ptx_go_on_resident(struct ct_ptx_run *r, uint64_t *steps);

/* team.c: another run of the launch of a prepared one, with the observer of that worker; NULL: out of memory, or there is no such
 * observer. To be freed by ct_ptx_drop_run, which takes NULL. */
struct ct_ptx_run *ct_ptx_another_run(const struct ct_ptx_run *first, unsigned worker,
                                      struct ct_error *e);
void ct_ptx_drop_run(struct ct_ptx_run *r);
/* CTA i of the launch, as r->cta, begins, and its observer is told; the CTA has ended, and what its observer made of it goes to *made; that
 * is handed on, in launch order. CT_OK, or negative after a fault or failure. */
int ct_ptx_begin_cta(struct ct_ptx_run *r, uint64_t i);
int ct_ptx_end_cta(struct ct_ptx_run *r, void **made);
int ct_ptx_commit_cta(const struct ct_ptx_launch *l, struct ct_ptx_cta *cta, uint64_t i, void *made,
                      struct ct_error *e);

/* launch.c: makes what a run needs of its launch, module, function and observer: CT_OK, CT_ERR_NOMEM. Frees
 * it, also what was made in part. */
int ct_ptx_prepare(struct ct_ptx_run *r);
void ct_ptx_clean(struct ct_ptx_run *r);
/* Puts every warp of a CTA, r->cta, at the start of the kernel: 0, or -1 when out of memory. */
int ct_ptx_start_cta(struct ct_ptx_run *r);
/* Each warp of it has its turn: 1 when all have ended, 0 when the CTA goes on, -1 after a fault or failure. */
int ct_ptx_turn_cta(struct ct_ptx_run *r);
/* From its start to its end: 0, CT_PTX_WAITS (waiting.h) where it goes on if others do, or -1 after a fault or failure. The message of a fault, and its status. */
int ct_ptx_run_cta(struct ct_ptx_run *r);
int ct_ptx_report(struct ct_ptx_run *r);

#endif

/* team.h - runs the CTAs of a launch, on one thread or several. Private. */
#ifndef CT_PTX_TEAM_H
#define CT_PTX_TEAM_H

#include "ptx/exec.h"

/* Runs all CTAs of the launch of a prepared run. *steps: instructions executed, also after a failure. Where
 * a CTA faults, r->fault says how. Fails as ct_ptx_launch. */
int ct_ptx_run_team(struct ct_ptx_run *r, uint64_t *steps);

/* launch.c: makes what a run needs of its launch, module, function and observer: CT_OK, CT_ERR_NOMEM. Frees
 * it, also what was made in part. */
int ct_ptx_prepare(struct ct_ptx_run *r);
void ct_ptx_clean(struct ct_ptx_run *r);
/* One CTA, r->cta, to its end: 0, or -1 after a fault or failure. The message of a fault, and its status. */
int ct_ptx_run_cta(struct ct_ptx_run *r);
int ct_ptx_report(struct ct_ptx_run *r);

#endif

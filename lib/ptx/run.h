/* run.h - the interpreter of one warp. Private. */
#ifndef CT_PTX_RUN_H
#define CT_PTX_RUN_H

#include "ptx/exec.h"

/* Runs a warp until its turn is over or all its lanes have ended or wait at barriers: 0, or -1 where
 * the launch ends with a fault or a failure. */
int ct_ptx_run_warp(struct ct_ptx_warp *w);
/* Tells the observer of what it was not told of yet: 0, or -1 where it fails. */
int ct_ptx_tell_straight(struct ct_ptx_run *r);

#endif

/* waiting.h - finds CTAs that wait for what a later CTA has to do. Private.
 *
 * CTAs that run one after the other never get on where one waits for a later one, as on boards they do that hold both. A CTA that has
 * executed many instructions is watched for a while. It waits where nothing that it does changes memory and each of its
 * warps reads only what it has read before: nothing but another CTA can end that. A kernel that computes for long between two stores
 * may look the same; its CTAs take turns then, which gives the same results. */
#ifndef CT_PTX_WAITING_H
#define CT_PTX_WAITING_H

#include "ptx/exec.h"

/* What ct_ptx_run_cta and those that call it return for a CTA that waits. */
enum { CT_PTX_WAITS = 1 };

struct ct_ptx_watch;

/* A CTA of the run begins, which other CTAs follow. Before it the run has watched none, or the one before. */
void ct_ptx_watch_begin(struct ct_ptx_run *r);
/* All warps have had their turn: 1 where the CTA waits for others, 0 where it does not or nothing is known, -1 after a failure. */
int ct_ptx_watch_turn(struct ct_ptx_run *r);
/* The run watches no more; takes one that never did. */
void ct_ptx_watch_end(struct ct_ptx_run *r);

#endif

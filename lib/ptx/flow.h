/* flow.h - control flow of functions: where the lanes of a branch come together. Private. */
#ifndef CT_PTX_FLOW_H
#define CT_PTX_FLOW_H

#include "ptx/module.h"

/* Sets the `join` of every branch of a function whose operations are complete: the first
 * operation of the immediate post-dominator, or CT_PTX_NO_TARGET where its lanes meet only at
 * the end. Fails with CT_ERR_NOMEM. */
int ct_ptx_find_joins(struct ct_ptx_module *m, const struct ct_ptx_function *f, struct ct_error *e);

/* When every function is read: shared memory of kernels with what they call. Fails with CT_ERR_NOMEM. */
int ct_ptx_finish_functions(struct ct_ptx_module *m, struct ct_error *e);

#endif

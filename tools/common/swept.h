/* swept.h - keys that can be swept: which values each may have. */
#ifndef CT_TOOLS_COMMON_SWEPT_H
#define CT_TOOLS_COMMON_SWEPT_H

#include "base/error.h"
#include "base/range.h"
#include "models/mechanism.h"

enum { CT_SWEPT_KEY_MAX = 2 * CT_RANGE_KEY_MAX };

struct ct_swept {
	char key[CT_SWEPT_KEY_MAX]; /* as -p takes it, "l1.size" */
	struct ct_range_rule rule;  /* of its numbers */
	int either; /* values are whole where all of them are, which keeps their digits, and else real */
};

/* A parameter of m, with its prefix or, where `bare`, without. CT_OK, or 1 where m has no such parameter. Pure. */
int ct_swept_parameter(const char *key, const struct ct_mechanism *m, int bare, struct ct_swept *out);
/* A key of the GPU; sizes double where no step is given. Whether a GPU can have a value it says itself (ct_gpu_check()).
 * CT_OK, 1 where there is no such key, or fails with CT_ERR_NOMEM. */
int ct_swept_gpu_key(const char *key, struct ct_swept *out, struct ct_error *e);
/* ct_range_read() under the key's rule. */
int ct_swept_read(const char *option, const struct ct_range_text *text, const struct ct_swept *key,
                  struct ct_range_spec *range, struct ct_error *e);

#endif

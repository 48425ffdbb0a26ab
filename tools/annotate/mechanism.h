/* mechanism.h - annotate --mechanism: which misses a mechanism would turn into hits, by instruction. */
#ifndef CT_TOOLS_ANNOTATE_MECHANISM_H
#define CT_TOOLS_ANNOTATE_MECHANISM_H

#include "annotate/rows.h"
#include "annotate/show.h"
#include "common/stage.h"
#include "models/registry.h"

struct annotate_saved {
	const char *name[CT_MECHANISMS_MAX];
	unsigned n;
	struct annotate_place *place; /* instructions, in the order in which they came */
	size_t places, cap;
};

/* Replays the trace of the stage's profile on the GPU in force, and beside it with the judged system of each mechanism
 * of the mask (a bit each, as of ct_mechanism_at()), and counts the misses of each instruction at the level that the
 * mechanism works on. Fails with CT_ERR_USAGE for a mechanism that works on no cache, and as ct_replays_run() and the
 * mechanisms do. Free *out with annotate_saved_free() also then. */
int annotate_saved_measure(struct ct_tool *t, struct ct_stage *s, uint32_t mask,
                           struct annotate_saved *out, struct ct_error *e);
/* Gives the rows, of instructions or of kernels, what was measured. Fails with CT_ERR_NOMEM. */
int annotate_saved_apply(struct annotate_saved *saved, struct annotate_rows *r, struct ct_error *e);
void annotate_saved_free(struct annotate_saved *saved);

#endif

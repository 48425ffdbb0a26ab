/* own.h - private: what the files of malekeh-est share. */
#ifndef CT_TOOLS_MALEKEH_EST_OWN_H
#define CT_TOOLS_MALEKEH_EST_OWN_H

#include "common/estimator.h"
#include "common/mechanism.h"
#include "common/stage.h"
#include "base/table.h"
#include "common/tool.h"
#include "models/malekeh/estimate.h"
#include "models/malekeh/masks.h"

enum { MK_MAX_ROWS = 1024 };

/* One system, by the sub-core model or in the full engine. */
struct mk_engine_row { const char *system; double cycles, speedup, hit; };

struct own {
	const char *sweep, *sthld_table;
	int studies, published, overheads, constants;
	/* what the pass measures */
	struct ct_malekeh_request request;
	struct ct_mk_system *system;
	const char **key, **x;
	char (*text)[24];          /* x as printed */
	struct ct_mk_masks masks;  /* reuse bits for the full engine */
	struct mk_engine_row engine[CT_MK_SYSTEMS], model[CT_MK_SYSTEMS];
	unsigned engines;
	struct ct_stage stage;
};

/* request.c: the systems, studies and sweep points of the command line. */
int mk_request(struct ct_tool *t, struct ct_error *e);
void mk_request_free(struct own *o);

/* engine.c: --method replay; the stage holds the estimates of the sub-core model. */
int mk_engine(struct ct_tool *t, const struct ct_mk_params *params, struct ct_error *e);

/* table.c */
int mk_table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b, struct ct_error *e);
int mk_overheads(struct ct_tool *t, struct ct_error *e);

/* published.c: the paper's numbers beside those of p. */
int mk_published(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e);

#endif

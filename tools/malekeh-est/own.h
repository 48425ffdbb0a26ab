/* own.h - private: what the files of malekeh-est share. */
#ifndef CT_TOOLS_MALEKEH_EST_OWN_H
#define CT_TOOLS_MALEKEH_EST_OWN_H

#include "common/mechanism.h"
#include "common/stage.h"
#include "common/table.h"
#include "common/tool.h"
#include "models/malekeh/estimate.h"

enum { MK_MAX_ROWS = 1024 };

struct own {
	const char *sweep, *sthld_table;
	int studies, published, overheads, constants;
	/* what the pass measures */
	struct ct_malekeh_request request;
	struct ct_mk_system *system;
	const char **key, **x;
	char (*text)[24];          /* x as printed */
	struct ct_stage stage;
};

/* request.c: the systems, studies and sweep points of the command line. */
int mk_request(struct ct_tool *t, struct ct_error *e);
void mk_request_free(struct own *o);

/* table.c */
int mk_table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b, struct ct_error *e);
int mk_constants(struct ct_tool *t, const struct ct_mk_params *p, struct ct_error *e);
int mk_overheads(struct ct_tool *t, struct ct_error *e);

/* published.c: the paper's numbers beside those of p. */
int mk_published(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e);

#endif

/* published.h - the paper's numbers beside ours (data/morpheus/published.tsv). */
#ifndef CT_MODELS_MORPHEUS_PUBLISHED_H
#define CT_MODELS_MORPHEUS_PUBLISHED_H

#include "base/error.h"
#include "models/morpheus/estimate.h"

struct ct_mo_published_app {
	const char *name, *aliases, *type, *shape; /* aliases with commas between */
	int ibl_sms, basic_sms, all_sms;           /* Table 3, of 68 */
};
struct ct_mo_published_result {
	const char *app;        /* "mean", "compute" or an application */
	const char *system, *against, *metric;
	double value;           /* of system over value of against */
	const char *condition, *where;
};

struct ct_mo_published {
	char *text; /* owned; the strings above point into it */
	struct ct_mo_published_app *app;
	struct ct_mo_published_result *result;
	size_t apps, results;
};

/* Reads the table; name is for messages. Fails with CT_ERR_IO, CT_ERR_INPUT,
 * CT_ERR_NOMEM. */
int ct_mo_published_load(struct ct_mo_published *t, const char *path, struct ct_error *e);
void ct_mo_published_free(struct ct_mo_published *t);

/* The application that a trace's path names: one of whose aliases stands in it between
 * separators ("traces-opencl/rodinia-bfs/kernelslist.g": r-bfs), the longest one. NULL
 * when none does. */
const struct ct_mo_published_app *ct_mo_published_find(const struct ct_mo_published *t,
                                                       const char *path);

/* Our value of a result: metric of its system over the same of `against`. NaN when we
 * have none. */
double ct_mo_published_ours(const struct ct_mo_answer *a,
                            const struct ct_mo_published_result *r);

#endif

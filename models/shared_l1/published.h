/* published.h - the paper's numbers beside ours (data/shared_l1/published.tsv). */
#ifndef CT_MODELS_SHARED_L1_PUBLISHED_H
#define CT_MODELS_SHARED_L1_PUBLISHED_H

#include "base/error.h"
#include "models/shared_l1/estimate.h"

struct ct_sl_published_app {
	const char *name, *aliases /* with commas between */, *group;
};
struct ct_sl_published_result {
	const char *app;      /* a group, "all", or an application */
	const char *system, *against /* "-": the value itself */, *metric;
	double value;
	const char *where;
};
enum { CT_SL_PUBLISHED_MAX = 64 };
struct ct_sl_published {
	char *text; /* owned; the strings above point into it */
	struct ct_sl_published_app app[CT_SL_PUBLISHED_MAX];
	struct ct_sl_published_result result[CT_SL_PUBLISHED_MAX];
	unsigned apps, results;
};

/* Reads the table. Fails with CT_ERR_IO, CT_ERR_INPUT naming the line, CT_ERR_NOMEM. The
 * caller frees with ct_sl_published_free(). */
int ct_sl_published_load(struct ct_sl_published *t, const char *path, struct ct_error *e);
void ct_sl_published_free(struct ct_sl_published *t);
/* The application that a trace's path names: the longest alias that stands in it between
 * separators. NULL when none does. */
const struct ct_sl_published_app *ct_sl_published_find(const struct ct_sl_published *t,
                                                       const char *path);
/* Our value of a result, from rows in the table's order. NaN when we have none. */
double ct_sl_published_ours(const struct ct_sl_row *rows,
                            const struct ct_sl_published_result *r);

#endif

/* published.h - tables of published numbers (data/NAME/published.tsv), for showing beside
 * ours: lines of fields between tabs, `#` comments; a line `app` names an application
 * and, in its third field, its aliases in trace paths with commas between; the sixth field
 * of a line `result` is a number. */
#ifndef CT_MODELS_COMMON_PUBLISHED_H
#define CT_MODELS_COMMON_PUBLISHED_H

#include <stddef.h>

#include "base/error.h"
#include "profile/profile.h"

enum { CT_PUBLISHED_FIELDS = 10 };

struct ct_published_row {
	unsigned n;
	const char *field[CT_PUBLISHED_FIELDS]; /* "" behind the last */
	double value;                           /* of a result; of an application 0 */
};
struct ct_published {
	char *text; /* owned; the fields point into it */
	struct ct_published_row *row;
	size_t rows;
};

/* Fails with CT_ERR_IO, CT_ERR_INPUT naming a line that is no such, CT_ERR_NOMEM. */
int ct_published_load(struct ct_published *t, const char *path, struct ct_error *e);
void ct_published_free(struct ct_published *t);
/* Loads data_dir/folder/published.tsv; *app gets the application that the path of p's trace names, or NULL: it lies
 * in *t, which the caller frees. Fails as ct_published_load(). */
int ct_published_of_profile(struct ct_published *t, const char *data_dir, const char *folder,
                            const struct ct_profile *p, const struct ct_published_row **app,
                            struct ct_error *e);
/* 1 if the n characters of alias, lower case, stand in path, neither side running on in a word.
 * Pure. */
int ct_published_stands_in(const char *path, const char *alias, size_t n);
/* The application that a trace's path names: the longest alias that stands in it between
 * separators. NULL when none does. */
const struct ct_published_row *ct_published_find(const struct ct_published *t, const char *path);

#endif

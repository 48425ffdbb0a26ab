/* rows.h - the rows that annotate shows: PC and AR records, of scope all or of each launch, added up and put in order. */
#ifndef CT_TOOLS_ANNOTATE_ROWS_H
#define CT_TOOLS_ANNOTATE_ROWS_H

#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"
#include "trace/trace.h"

/* The counts of a record, in the order of its columns. */
enum annotate_column {
	ANNOTATE_REQUESTS,
	ANNOTATE_SECTORS,
	ANNOTATE_MOVED,
	ANNOTATE_USED,
	ANNOTATE_L1,
	ANNOTATE_COLD,
	ANNOTATE_CAPACITY,
	ANNOTATE_CONFLICT,
	ANNOTATE_PENDING,
	ANNOTATE_LLC,
	ANNOTATE_P50,
	ANNOTATE_P90,
	ANNOTATE_STALL,
	ANNOTATE_COLUMNS
};
/* Name of a column as in the records; static storage. */
const char *annotate_column_name(unsigned column);

enum annotate_by { ANNOTATE_BY_PC, ANNOTATE_BY_ARRAY, ANNOTATE_BY_KERNEL };

struct annotate_row {
	const char *kernel, *opcode,
		*array;  /* the profile's; NULL where the row stands for more than one */
	uint64_t launch; /* its number, where launches are told apart */
	uint64_t pc, line, first, last;
	const char *file; /* of the line; the profile's, or NULL where it does not say */
	uint64_t v[ANNOTATE_COLUMNS];
	int reuse;               /* P50 and P90 are known */
	const double *mechanism; /* misses that each would turn into hits, or NULL */
};

struct annotate_rows {
	enum annotate_by by;
	int per_launch;
	int first_launch; /* rows of kernels have the number of the first launch */
	struct annotate_row *row;
	size_t n, cap;
	struct annotate_row total; /* of all, whatever is shown of them */
	double *mechanism;         /* what the rows' `mechanism` points into, or NULL */
};

/* Whether the profile says which instructions cost what, of all launches together or of each. */
int annotate_has_records(const struct ct_profile *p, int per_launch);
/* Reads the rows of p, which outlives them, and sorts them by a column, largest first, then by cost. filter (NULL: none)
 * keeps the rows of kernels whose names match; arrays belong to no kernel. Free with annotate_rows_free(). Fails with
 * CT_ERR_NOMEM, and as ct_filter_matches(). */
int annotate_rows_read(struct annotate_rows *r, const struct ct_profile *p, enum annotate_by by,
                       int per_launch, const struct ct_filter *filter, enum annotate_column sort,
                       struct ct_error *e);
void annotate_rows_free(struct annotate_rows *r);

#endif

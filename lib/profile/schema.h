/* schema.h - record types, columns and metrics of the profile.
 *
 * These tables drive reading, JSON, merging and the tests that hold
 * man/cachetriage-profile.5 to the code. Names are fixed once published. */
#ifndef CT_PROFILE_SCHEMA_H
#define CT_PROFILE_SCHEMA_H

#include <stddef.h>

#include "base/decls.h"

CT_DECLS_BEGIN

enum ct_column_kind {
	CT_COLUMN_TEXT,
	CT_COLUMN_COUNT, /* unsigned decimal, inf or NA */
	CT_COLUMN_REAL,  /* decimal, inf, -inf or NA */
	CT_COLUMN_ANY    /* a number where it looks like one, else text */
};

struct ct_column {
	const char *name;
	enum ct_column_kind kind;
};

/* How records of a type from several profiles are put together. */
enum ct_type_merge {
	CT_MERGE_KEEP,   /* all of them, one after the other */
	CT_MERGE_EQUAL,  /* must be equal; kept once */
	CT_MERGE_METRIC, /* the metric's rule says (SN, IM) */
	CT_MERGE_COUNTS, /* `values` are summed by identity */
	CT_MERGE_NA      /* `values` become NA where several profiles share the scope */
};

struct ct_record_type {
	const char *name;
	const struct ct_column *columns; /* ends with a NULL name */
	unsigned n_columns;              /* that a record must have */
	unsigned n_optional;             /* behind them, that newer versions write */
	unsigned index;                  /* leading columns of the lookup key (ct_profile_find) */
	unsigned identity;               /* bit mask of the columns that identify a record; 0 = none */
	unsigned values;                 /* bit mask of the columns that merging changes */
	unsigned bounds;                 /* bit mask of lower bounds; the next column is the upper one */
	unsigned scoped;                 /* the first column is a scope */
	enum ct_type_merge merge;
};

/* The n-th type in the manual page's order, or NULL behind the last; a type by name, or
 * NULL when it is not known. Static storage. */
const struct ct_record_type *ct_record_type_at(size_t i);
const struct ct_record_type *ct_record_type(const char *name);

/* How a metric of several profiles is put together. */
enum ct_metric_merge {
	CT_METRIC_NA,      /* does not merge: distinct counts, estimates */
	CT_METRIC_SUM,     /* NA unless every profile that has the scope has it */
	CT_METRIC_SUM_ANY, /* a profile without it counts as 0 */
	CT_METRIC_MAX,     /* flags: 1 if any is; a profile without it counts as 0 */
	CT_METRIC_RATIO,   /* factor * num / den of the merged sums, else NA */
	CT_METRIC_MEAN     /* mean weighted by `den`, else NA */
};

/* Which way of a change is better, for those who compare runs. */
enum ct_metric_direction {
	CT_METRIC_NEITHER, /* neither: what the workload is, or how it is spread */
	CT_METRIC_LESS,    /* cycles, misses, energy */
	CT_METRIC_MORE,    /* IPC, speed-ups, hits */
	CT_METRIC_GIVEN    /* follows from GPU, parameters and options, not from the workload */
};

struct ct_metric {
	const char *name;
	const char *unit;
	enum ct_metric_merge merge;
	const char *num, *den; /* metrics of the same record type */
	double factor;
	enum ct_metric_direction better;
};

/* Metrics that a program adds to those of this table: the entry by record type and name, or NULL. Pure. */
typedef const struct ct_metric *(*ct_metric_lookup)(const char *type, const char *name);

/* Metric tables: SN, IM (items) and ES. i-th entry, or NULL behind the last. */
const struct ct_metric *ct_metric_at(const char *type, size_t i);
/* Entry by name, or NULL. */
const struct ct_metric *ct_metric(const char *type, const char *name);
/* Unit of a metric, "" when it is not in the table. */
const char *ct_metric_unit(const char *type, const char *name);

/* Views of RD: i-th name, or NULL behind the last ("llc@sms=N" stands for all N). */
const char *ct_view_at(size_t i);

CT_DECLS_END

#endif

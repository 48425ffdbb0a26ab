/* read.h - what the readers of a profiler's table share. Private. */
#ifndef CT_COUNTERS_READ_H
#define CT_COUNTERS_READ_H

#include "base/buf.h"
#include "base/keyed.h"
#include "counters/counters.h"
#include "counters/csv.h"
#include "counters/quantity.h"

enum ct_table_form {
	CT_TABLE_NONE,
	CT_TABLE_DETAILS,
	CT_TABLE_RAW,
	CT_TABLE_SUMMARY,
	CT_TABLE_NVPROF,
	CT_TABLE_TRACE
};

enum { CT_COLUMN_ABSENT = -1 };

/* The identity columns that a head may have. */
enum ct_table_column {
	CT_TABLE_ID,
	CT_TABLE_PROCESS,
	CT_TABLE_KERNEL,
	CT_TABLE_GRID, /* "(1, 1, 1)", or CT_TABLE_GRID_X and its kin */
	CT_TABLE_BLOCK,
	CT_TABLE_SECTION,
	CT_TABLE_METRIC,
	CT_TABLE_UNIT,
	CT_TABLE_VALUE, /* or the mean of a summary */
	CT_TABLE_INVOCATIONS,
	CT_TABLE_CORRELATION,
	CT_TABLE_GRID_X,
	CT_TABLE_GRID_Y,
	CT_TABLE_GRID_Z,
	CT_TABLE_BLOCK_X,
	CT_TABLE_BLOCK_Y,
	CT_TABLE_BLOCK_Z,
	CT_TABLE_COLUMNS
};

/* Where a metric of a wide table stands. */
struct ct_wide_column {
	size_t at;
	const struct ct_quantity *q;
	char *name, *unit; /* owned; unit "" where the table has none */
};

struct ct_counters {
	struct ct_counter_row *row;
	unsigned char (*rank)[CT_COUNTERS]; /* of each value, of the metric that it is from */
	size_t n, cap, rank_cap;
	struct ct_counter_oddities odd;
	enum ct_table_form form;
};

struct ct_counters_reader {
	struct ct_counters *c;
	const char *name; /* of the file */
	struct ct_csv csv;
	enum ct_table_form form; /* of the table that is read; NONE: a head is looked for */
	int column[CT_TABLE_COLUMNS];
	size_t columns; /* of the head */
	struct ct_wide_column *wide;
	size_t n_wide, cap_wide;
	int has_units;            /* the wide table's row of units was read */
	struct ct_keyed launches; /* of a long table, by process and ID */
	int forbidden;            /* the profiler said that it may not read counters */
};

#endif

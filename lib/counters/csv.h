/* csv.h - records of comma-separated values (RFC 4180). Private. */
#ifndef CT_COUNTERS_CSV_H
#define CT_COUNTERS_CSV_H

#include <stddef.h>
#include <stdint.h>

enum { CT_CSV_BROKEN = -1 };

/* A text that is read record by record, in place: fields are unquoted where they stand and end with a NUL. */
struct ct_csv {
	char *at, *end;    /* what is left; *end is a NUL of the text's own */
	uint64_t line;     /* of `at`, from 1 */
	uint64_t row_line; /* where the last record began */
	char **field;      /* of the last record */
	size_t n, cap;
	int nomem;
};

/* The next record: 1; 0 at the end; CT_CSV_BROKEN for a quote that is not closed, or text behind a closing quote. In a
 * one-line record (`whole_lines`) a quote ends with its line: what a program printed must not swallow what follows. */
int ct_csv_next(struct ct_csv *c, int whole_lines);
void ct_csv_free(struct ct_csv *c);

#endif

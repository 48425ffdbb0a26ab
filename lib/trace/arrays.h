/* arrays.h - the arrays of a traced program, and which of them an address is in.
 *
 * A captured trace tells of each allocation where it lies among the launches (records A of a packed
 * trace, arrays.tsv beside a list). A reader asks ct_trace_arrays() at any time: the table holds what
 * was allocated before the event that ct_trace_next() handed out last, in the order of allocation.
 *
 *     const struct ct_arrays *arrays = ct_trace_arrays(trace);
 *     for (uint32_t i = 0; i < ct_arrays_count(arrays); i++)
 *         use(ct_arrays_at(arrays, i)->name);
 *     uint32_t i = ct_arrays_find(arrays, address);
 *     if (i != CT_ARRAY_NONE)
 *         use(ct_arrays_at(arrays, i));
 *
 * Traces that do not tell have an empty table. Programs free memory and allocate again: an address
 * belongs to the array that was allocated there last. */
#ifndef CT_TRACE_ARRAYS_H
#define CT_TRACE_ARRAYS_H

#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

enum {
	CT_ARRAYS_MAX = 1 << 16, /* arrays that a table keeps; ct_arrays_lost() counts the others */
	CT_ARRAY_NAME_MAX = 4095 /* bytes of a name; a longer one is cut */
};

#define CT_ARRAY_NONE UINT32_MAX

struct ct_array {
	uint64_t first, bytes; /* addresses first .. first + bytes - 1; bytes > 0, no address wraps */
	uint64_t launch;       /* the launch (id of struct ct_kernel) before which it was allocated */
	const char *name;      /* of the variable, else "array@0x7f00+65536" */
	int named;             /* the name is that of a variable */
};

struct ct_arrays;

/* An empty table, the caller's to free. NULL: no memory. */
struct ct_arrays *ct_arrays_new(void);
void ct_arrays_free(struct ct_arrays *a); /* NULL allowed */

/* Adds an allocation; name NULL or "": it has none. Returns 1; 0 where this adds nothing, as the same
 * array is there already and nothing was allocated over it, or where the table is full; fails with
 * CT_ERR_INPUT (no bytes, or addresses above 2^64; the text names no file), CT_ERR_NOMEM. */
int ct_arrays_add(struct ct_arrays *a, uint64_t first, uint64_t bytes, const char *name, uint64_t launch,
                  struct ct_error *e);

/* The functions below change nothing, and may be called from several threads while no array is added:
 * of a trace's own table, between two calls of ct_trace_next(). NULL is an empty table. */

/* The number of arrays. */
uint32_t ct_arrays_count(const struct ct_arrays *a);
/* Array i < count. Valid until an array is added; its name until the table is freed. */
const struct ct_array *ct_arrays_at(const struct ct_arrays *a, uint32_t i);
/* The array allocated last of those that hold the address, or CT_ARRAY_NONE. O(log count). */
uint32_t ct_arrays_find(const struct ct_arrays *a, uint64_t address);
/* Arrays that did not fit into the table. */
uint64_t ct_arrays_lost(const struct ct_arrays *a);

CT_DECLS_END

#endif

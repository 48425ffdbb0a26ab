/* profile.h - the profile document (design section 4, contract).
 *
 * A profile is kept as an ordered list of records; a record is a type and its
 * fields, all text. Typed helpers sit on top. A stage reads the profile on its
 * input, appends its own records, and writes everything back. */
#ifndef CT_PROFILE_PROFILE_H
#define CT_PROFILE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "locality/hist.h"
#include "trace/source.h"

enum { CT_RECORD_FIELDS_MAX = 16 };

struct ct_record {
	const char *type;                       /* "SN" ... */
	unsigned nfields;
	const char *field[CT_RECORD_FIELDS_MAX]; /* unescaped text, without the type */
};

struct ct_profile;

struct ct_profile *ct_profile_new(struct ct_error *e); /* NULL: CT_ERR_NOMEM */
void ct_profile_free(struct ct_profile *p);            /* NULL allowed */

/* Reads a whole profile; src is consumed to its end, not closed. verify: refuse a
 * missing or wrong EN line. Errors name src:line (CT_ERR_INPUT). */
int ct_profile_read(struct ct_profile **p, struct ct_source *src, int verify,
                    struct ct_error *e);
/* Appends the document with its EN line to b. Deterministic. Records stand in the
 * order they were added, but records of one type are kept together (behind the
 * first of that type), each type behind its column line. */
int ct_profile_write(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e);
/* Appends one JSON object per record and line: {"type":"SN","scope":"all",...};
 * numeric fields as JSON numbers, NA as null, inf as the string "inf". Valid UTF-8. */
int ct_profile_write_json(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e);

/* Appends a record of n text fields (copied). Fails with CT_ERR_NOMEM. */
int ct_profile_add(struct ct_profile *p, const char *type, unsigned n,
                   const char *const *fields, struct ct_error *e);
/* Removes every record of a type for which match (NULL = all) says 1. */
void ct_profile_remove(struct ct_profile *p, const char *type,
                       int (*match)(void *ctx, const struct ct_record *r), void *ctx);

size_t ct_profile_count(const struct ct_profile *p);
const struct ct_record *ct_profile_at(const struct ct_profile *p, size_t i);
/* Next record of `type` at or after *i (advance: *i is moved past it); NULL at the end. */
const struct ct_record *ct_profile_next(const struct ct_profile *p, const char *type, size_t *i);

/* SN: counts and reals. A NaN is written NA. Replaces an SN of equal scope and metric. */
int ct_profile_add_count(struct ct_profile *p, const char *scope, const char *metric,
                         uint64_t v, const char *unit, const char *method, struct ct_error *e);
int ct_profile_add_real(struct ct_profile *p, const char *scope, const char *metric, double v,
                        const char *unit, const char *method, struct ct_error *e);
/* 1 and *v, or 0 when absent or NA. */
int ct_profile_get(const struct ct_profile *p, const char *scope, const char *metric, double *v);
int ct_profile_get_im(const struct ct_profile *p, const char *scope, const char *item, double *v);
int ct_profile_add_im(struct ct_profile *p, const char *scope, const char *item, double v,
                      const char *unit, struct ct_error *e);
/* GP value text of a key, or NULL. */
const char *ct_profile_gp(const struct ct_profile *p, const char *key);

/* RD: writes the non-empty bins of two histograms; reads them back (sums all
 * records of the scope and view; reads and/or writes may be NULL). get returns 1
 * if any record was found, 0 if none. */
int ct_profile_add_hist(struct ct_profile *p, const char *scope, const char *view,
                        const struct ct_hist *reads, const struct ct_hist *writes,
                        struct ct_error *e);
int ct_profile_get_hist(const struct ct_profile *p, const char *scope, const char *view,
                        struct ct_hist *reads, struct ct_hist *writes);

/* ES: low/high NaN = NA. */
struct ct_estimate {
	const char *scope, *mechanism, *system, *metric, *unit, *method;
	double value, low, high;
};
int ct_profile_add_estimate(struct ct_profile *p, const struct ct_estimate *es,
                            struct ct_error *e);

/* Column names of a known record type (NULL-terminated), or NULL; and whether a
 * column holds a number. For JSON, tables and the man-page test. */
const char *const *ct_profile_columns(const char *type);

/* Merges profiles of the same GPU (design 4: additive records sum, distinct counts
 * and estimates become NA). Fails with CT_ERR_INPUT when the GPUs differ. */
int ct_profile_merge(struct ct_profile **out, struct ct_profile *const *in, size_t n,
                     struct ct_error *e);

#endif

/* profile.h - the profile document (man/cachetriage-profile.5).
 *
 * A profile is an ordered list of records; a record is a type and its fields, all
 * text. Typed helpers sit on top. A stage reads the profile on its input, appends
 * its own records, and writes everything back. Record types, columns and metrics
 * are listed in schema.h, and for people in man/cachetriage-profile.5.
 *
 * Records of one type are kept together, types in the order in which their first
 * record was added. A lookup costs O(1): records are indexed by their leading
 * columns. One profile belongs to one thread at a time; several threads may read
 * one that nobody changes. */
#ifndef CT_PROFILE_PROFILE_H
#define CT_PROFILE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decls.h"
#include "base/error.h"
#include "locality/hist.h"
#include "locality/observer.h"
#include "profile/schema.h"
#include "trace/source.h"

CT_DECLS_BEGIN

enum {
	CT_RECORD_FIELDS_MAX = 64,       /* fields behind the type */
	CT_PROFILE_LINE_MAX = 1 << 20,   /* bytes of a line */
	CT_PROFILE_TYPES_MAX = 256,      /* record types in one document */
	CT_PROFILE_RECORDS_MAX = 1 << 26 /* records in one document */
};

struct ct_record {
	const char *type; /* "SN" ... */
	unsigned nfields;
	const char *const *field; /* unescaped text, without the type */
};

struct ct_profile;

struct ct_profile *ct_profile_new(struct ct_error *e); /* NULL: CT_ERR_NOMEM */
void ct_profile_free(struct ct_profile *p);            /* NULL allowed */

/* Lets p know metrics beside those of schema.h: their units, where a record is added without one, and how
 * ct_profile_merge() puts them together. more may be NULL. A profile made by merging knows those of the first. */
void ct_profile_set_metrics(struct ct_profile *p, ct_metric_lookup more);
/* A metric that p knows, or NULL. Pure. */
const struct ct_metric *
ct_profile_metric(const struct ct_profile *p, const char *type, const char *name);

/* Reads a whole profile; src is consumed to its end, not closed. verify: refuse a
 * missing or wrong EN line. Errors name src:line: CT_ERR_INPUT (malformed, damaged,
 * cut), CT_ERR_UNSUPPORTED (another version), CT_ERR_LIMIT, CT_ERR_NOMEM, and those of
 * ct_source_read(). *p is the caller's, NULL on failure. */
int ct_profile_read(struct ct_profile **p, struct ct_source *src, int verify, struct ct_error *e);
/* The same from n bytes of memory; name is for messages. */
int ct_profile_read_memory(struct ct_profile **p, const char *name, const void *data, size_t n,
                           int verify, struct ct_error *e);

/* Appends the document with its EN line to b. Deterministic, and a fixed point: what
 * is written, read and written again has the same bytes. */
int ct_profile_write(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e);
/* Appends one JSON object per record and line: {"type":"SN","scope":"all",...};
 * numeric fields as JSON numbers, NA as null, inf as the string "inf". EN is left
 * out. Valid UTF-8 and JSON whatever the fields hold: a byte that is no UTF-8 is
 * written as the four characters \xHH. */
int ct_profile_write_json(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e);

/* Appends a record of n text fields (copied). Fails with CT_ERR_NOMEM, CT_ERR_LIMIT, or
 * CT_ERR_USAGE for a malformed type name, too many fields or too few of a known type. */
int ct_profile_add(struct ct_profile *p, const char *type, unsigned n, const char *const *fields,
                   struct ct_error *e);
/* The same, but takes the place of the record with the same identity (schema.h), if
 * there is one. */
int ct_profile_put(struct ct_profile *p, const char *type, unsigned n, const char *const *fields,
                   struct ct_error *e);
/* Removes every record of a type for which match (NULL = all) says 1. Pointers to
 * other records stay valid, cursors of ct_profile_next() on that type do not. */
void ct_profile_remove(struct ct_profile *p, const char *type,
                       int (*match)(void *ctx, const struct ct_record *r), void *ctx);

/* Records in document order. A pointer is valid until the record is removed or
 * replaced, or the profile freed. */
size_t ct_profile_count(const struct ct_profile *p);
const struct ct_record *ct_profile_at(const struct ct_profile *p, size_t i);
/* Next record of `type`; *i is a cursor that starts at 0. NULL at the end. */
const struct ct_record *ct_profile_next(const struct ct_profile *p, const char *type, size_t *i);

/* First record of a type whose leading columns equal key[0..n-1], in O(1); n must be
 * the type's `index` (schema.h). ct_profile_same() then gives the next one with the
 * same key, in the order they were added; NULL at the end. */
const struct ct_record *
ct_profile_find(const struct ct_profile *p, const char *type, unsigned n, const char *const *key);
const struct ct_record *ct_profile_same(const struct ct_record *r);

/* The scopes that any record names ("all", "name:...", "kernel:..."), in the order of
 * their first record: i-th scope, or NULL behind the last. */
const char *ct_profile_scope(const struct ct_profile *p, size_t i);
int ct_profile_has_scope(const struct ct_profile *p, const char *scope);

/* SN: counts and reals. A NaN is written NA. Takes the place of an SN of equal scope
 * and metric. unit NULL: the one the metric has in schema.h. */
int ct_profile_add_count(struct ct_profile *p, const char *scope, const char *metric, uint64_t v,
                         const char *unit, const char *method, struct ct_error *e);
int ct_profile_add_real(struct ct_profile *p, const char *scope, const char *metric, double v,
                        const char *unit, const char *method, struct ct_error *e);
/* 1 and *v, or 0 when absent or NA. get_count: also 0 when it is no whole number. */
int ct_profile_get(const struct ct_profile *p, const char *scope, const char *metric, double *v);
int ct_profile_get_count(const struct ct_profile *p, const char *scope, const char *metric, uint64_t *v);
/* What the trace of p lacks and no damage shows, as scope all tells it: thread blocks of a grid, warps,
 * kernels' files, lines that nothing understood. Where the trace was cut on purpose these look the
 * same. Puts "2 kernels lack thread blocks, 1 kernel has no file" into text, cut to n bytes, and
 * returns 1; 0, and an empty text, when nothing is known to lack. Pure. */
int ct_profile_gaps(const struct ct_profile *p, char *text, size_t n);
enum { CT_GAPS_MAX = 240 }; /* bytes that have room for nearly all that can lack */

/* How an SN was got: its method column, or NULL when the record is absent. */
const char *ct_profile_method(const struct ct_profile *p, const char *scope, const char *metric);

/* IM: takes the place of an IM of equal scope and item. Whole values below 2^53 are
 * printed in full. */
int ct_profile_add_im(struct ct_profile *p, const char *scope, const char *item, double v,
                      const char *unit, struct ct_error *e);
int ct_profile_get_im(const struct ct_profile *p, const char *scope, const char *item, double *v);

/* GP: takes the place of the key's record. ct_profile_gp: its value text, or NULL. */
int ct_profile_add_gp(struct ct_profile *p, const char *key, const char *value, const char *unit,
                      struct ct_error *e);
const char *ct_profile_gp(const struct ct_profile *p, const char *key);

/* RD: writes the non-empty bins of two histograms and always the cold one, so that an
 * empty view differs from an absent one; takes the place of an earlier histogram of
 * the scope and view. Either may be NULL (counts 0). get adds all records of the scope
 * and view to the two (either may be NULL) and returns 1 if there was any, else 0. */
int ct_profile_add_hist(struct ct_profile *p, const char *scope, const char *view,
                        const struct ct_hist *reads, const struct ct_hist *writes, struct ct_error *e);
int ct_profile_get_hist(const struct ct_profile *p, const char *scope, const char *view,
                        struct ct_hist *reads, struct ct_hist *writes);

/* RJ of a kind (`nearest`, `sharers`): its cells in order and always the cold corner, so
 * that an empty histogram differs from an absent one; takes the place of an earlier one.
 * get adds to *j in any order of the records: 1 if there was any, 0 if none, < 0 on
 * CT_ERR_NOMEM. */
int ct_profile_add_rj(struct ct_profile *p, const char *scope, const char *kind, const struct ct_rj *j,
                      struct ct_error *e);
int ct_profile_get_rj(const struct ct_profile *p, const char *scope, const char *kind, struct ct_rj *j,
                      struct ct_error *e);
/* RT of a view: the non-zero cells and always the first one. get adds; 1 if there was
 * any, else 0. */
int ct_profile_add_rt(struct ct_profile *p, const char *scope, const char *view,
                      const uint64_t rt[CT_RT_BINS][CT_RT_TIMES], struct ct_error *e);
int ct_profile_get_rt(const struct ct_profile *p, const char *scope, const char *view,
                      uint64_t rt[CT_RT_BINS][CT_RT_TIMES]);

/* MR: takes the place of an equal scope, level and capacity. */
int ct_profile_add_mr(struct ct_profile *p, const char *scope, const char *level,
                      uint64_t capacity_bytes, double miss_ratio, struct ct_error *e);
/* ME: the 95 % interval of the MR record of that scope, level and capacity. Takes the
 * place of an equal one. */
int ct_profile_add_me(struct ct_profile *p, const char *scope, const char *level,
                      uint64_t capacity_bytes, double low, double high, struct ct_error *e);
/* RE: sampling rate and error bound of a view's histogram: half-width of the 95 %
 * interval of its miss-ratio curve, mean and largest over capacities. Takes the place of
 * an equal scope and view. */
int ct_profile_add_re(struct ct_profile *p, const char *scope, const char *view, double rate,
                      double half_width_mean, double half_width_max, struct ct_error *e);

/* ES: low/high NaN = NA; unit NULL: the metric's. Takes the place of an equal scope,
 * mechanism, system, metric and method. */
struct ct_estimate {
	const char *scope, *mechanism, *system, *metric, *unit, *method;
	double value, low, high;
};
/* Copies the texts. Fails with CT_ERR_NOMEM or CT_ERR_LIMIT, the profile as it was. */
int ct_profile_add_estimate(struct ct_profile *p, const struct ct_estimate *es, struct ct_error *e);
/* The estimate of that key with `method`, or with any (NULL: a number before NA, then
 * full, replay, quick, analytic).
 * 1 and *es (texts belong to the profile; missing numbers are NaN), else 0. */
int ct_profile_get_estimate(const struct ct_profile *p, const char *scope, const char *mechanism,
                            const char *system, const char *metric, const char *method,
                            struct ct_estimate *es);

/* SW: one point of a sweep, without a range; x as text. Takes the place of an equal point. */
struct ct_sweep_point {
	const char *scope, *mechanism, *system, *key, *x, *metric, *unit, *method;
	double value;
};
/* Copies the texts. Fails with CT_ERR_NOMEM or CT_ERR_LIMIT, the profile as it was. */
int ct_profile_add_sweep(struct ct_profile *p, const struct ct_sweep_point *sw, struct ct_error *e);

/* A number as fields hold it: 1 and *v (inf allowed), or 0 for NA and anything else. */
int ct_field_real(const char *text, double *v);
/* A count: 1 and *v (inf is UINT64_MAX), or 0. */
int ct_field_count(const char *text, uint64_t *v);

/* Merges n profiles of the same GPU into a new one (rules: schema.h and
 * cachetriage-profile(5)). Kernel ids of later profiles are moved behind those of
 * earlier ones. Fails with CT_ERR_INPUT when the GPUs differ, CT_ERR_USAGE when n is 0,
 * CT_ERR_NOMEM, CT_ERR_LIMIT. *out is the caller's. */
int ct_profile_merge(struct ct_profile **out, struct ct_profile *const *in, size_t n,
                     struct ct_error *e);

CT_DECLS_END

#endif

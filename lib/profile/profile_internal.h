/* profile_internal.h - the store behind profile.h; for lib/profile only. */
#ifndef CT_PROFILE_INTERNAL_H
#define CT_PROFILE_INTERNAL_H

#include "profile/profile.h"

/* A record and its successor with the same lookup key. pub comes first, so that the
 * public pointer leads back here. */
struct rec {
	struct ct_record pub;
	struct rec *same;
};

/* All records of one type, in the order they were added. */
struct type_list {
	const char *name;
	const struct ct_record_type *known; /* NULL: a type of a later version */
	const char **columns;               /* from the document's column line, or NULL */
	unsigned n_columns;
	struct rec **rec;
	size_t n, cap;
	size_t recent; /* slot of the latest record's key; NO_SLOT when not known */
};

/* One lookup key: the chain of its records. type is the list's number, or SCOPE_KEY
 * for the presence of a scope (head then any record of it). */
struct slot {
	uint64_t hash;
	uint32_t type;
	struct rec *head, *tail;
};

enum { SCOPE_KEY = 0xffffffff };
#define NO_SLOT SIZE_MAX

struct chunk {
	struct chunk *next;
	size_t used, size;
	/* data behind it */
};

struct ct_profile {
	struct chunk *arena;
	struct type_list *types;
	size_t n_types, cap_types;
	struct slot *slots; /* open addressing, a power of two of them */
	size_t n_slots, used_slots;
	ct_metric_lookup more_metrics; /* beside those of schema.h, or NULL */
	const char **scopes;
	size_t n_scopes, cap_scopes;
	size_t count;
};

/* Arena memory that lives as long as the profile; NULL when out of memory. */
void *profile_alloc(struct ct_profile *p, size_t n);

/* The list of a type; created when `create`, else NULL when there is none. NULL with
 * *e set for a malformed name, too many types, or no memory. */
struct type_list *profile_list(struct ct_profile *p, const char *type, int create, struct ct_error *e);
const struct type_list *profile_list_const(const struct ct_profile *p, const char *type);

/* Appends to a list; the checks of ct_profile_add() that need the type are done here. */
int profile_append(struct ct_profile *p, struct type_list *l, unsigned n, const char *const *fields,
                   struct rec **out, struct ct_error *e);
/* Gives r other fields; those of its lookup key must stay as they are. */
int profile_replace(struct ct_profile *p, struct rec *r, unsigned n, const char *const *fields,
                    struct ct_error *e);
/* Keeps the columns that a document names for a type, where they add to what is known
 * (n names, copied). */
int profile_columns(struct ct_profile *p, struct type_list *l, unsigned n, const char *const *names,
                    struct ct_error *e);
/* Name of column i: the document's, the schema's, or NULL. */
const char *profile_column_name(const struct type_list *l, unsigned i);

/* 1 when a and b agree in the columns of `mask`. */
int profile_fields_equal(const struct ct_record *a, unsigned n, const char *const *fields,
                         unsigned mask);

/* Reading by pieces: new, feed any number of times, end with the status so far. end frees
 * the reader (NULL allowed) and gives *p, or NULL and the first failure. */
struct profile_reader;
int profile_reader_new(struct profile_reader **ps, const char *name, int verify, struct ct_error *e);
int profile_reader_feed(struct profile_reader *ps, const char *data, size_t n);
int profile_reader_end(struct profile_reader *ps, int st, struct ct_profile **p);

/* Numbers in the syntax of fields. */
int profile_is_count(const char *s);
int profile_is_number(const char *s); /* JSON's number syntax */
/* The count in decimal. The text lies in s, at its end, and lives as long as s. Profiles have some ten thousand of them, and
 * snprintf() takes ten times as long. */
enum { PROFILE_COUNT_TEXT = 24 };
const char *profile_count_text(char s[PROFILE_COUNT_TEXT], uint64_t v);

#endif

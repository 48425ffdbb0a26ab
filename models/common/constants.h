/* constants.h - a model's table of constants (params.c): each with a name, a value, a unit and a
 * source, overridden by -p PREFIX.KEY=VALUE. */
#ifndef CT_MODELS_COMMON_CONSTANTS_H
#define CT_MODELS_COMMON_CONSTANTS_H

#include <stddef.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

/* Which values between lo and hi a constant may have. */
enum ct_constant_type {
	CT_CONSTANT_REAL,   /* any */
	CT_CONSTANT_WHOLE,  /* whole numbers */
	CT_CONSTANT_SWITCH, /* 0 or 1 */
	CT_CONSTANT_POWER_OF_TWO
};

struct ct_constant {
	const char *name;     /* after "PREFIX." */
	double value, lo, hi; /* default and the range, both ends allowed */
	const char *unit;     /* "ns", "bytes", ... "" */
	const char *source;   /* paper section, fact id, or how it was derived */
	enum ct_constant_type type;
	const char *help; /* what it is, in a few words; NULL: not said */
};

/* Values lie in an array of as many doubles, in the table's order. */
struct ct_constants {
	const struct ct_constant *row;
	size_t n;
	size_t whole;        /* the first rows take whole numbers only, whatever their type says */
	const char *prefix;  /* without the dot */
	const char *aliases; /* other prefixes, with commas between; "" */
	const char *page;    /* man page in section 7 that lists them */
	const char *example; /* an assignment that is right */
};

/* Pure. */
void ct_constants_defaults(const struct ct_constants *t, double *v);
/* 1 if the assignment begins with one of the table's prefixes and a dot. Pure. */
int ct_constants_own(const struct ct_constants *t, const char *assignment);
/* The type in force of row i, "real", "whole", "switch" or "power of two"; static storage. */
enum ct_constant_type ct_constants_type(const struct ct_constants *t, size_t i);
const char *ct_constant_type_name(enum ct_constant_type type);
/* Sets one value from "PREFIX.KEY=VALUE" or "KEY=VALUE", units as in base/units.h; the row's
 * number goes to *which unless it is NULL. Fails with CT_ERR_USAGE and v untouched: no
 * assignment, no such key (the nearest is named), no number of the unit, out of range or not of its type. */
int ct_constants_set(const struct ct_constants *t, double *v, const char *assignment, size_t *which,
                     struct ct_error *e);
/* Says whether ct_constants_set() would take the assignment, and fails as it does; a prefix that is none of the table's
 * fails too, naming the key that is meant. Pure. */
int ct_constants_check(const struct ct_constants *t, const char *assignment, struct ct_error *e);

CT_DECLS_END

#endif

/* range.h - ranges of values as a command line gives them: KEY=A..B, KEY=A..B:STEP, KEY=A..B:xFACTOR.
 *
 * A caller that knows its keys parses in two steps: ct_range_split() finds the key, the caller looks
 * up which values that key may have, and ct_range_read() reads the numbers under that rule. */
#ifndef CT_BASE_RANGE_H
#define CT_BASE_RANGE_H

#include <stddef.h>

#include "base/decls.h"
#include "base/error.h"
#include "base/units.h"

CT_DECLS_BEGIN

enum { CT_RANGE_KEY_MAX = 64, CT_RANGE_PART_MAX = 32 }; /* characters with the NUL */

/* The parts of a range as text; a part that is not there is empty. */
struct ct_range_text {
	const char *text;              /* as it was given; the caller's */
	char key[CT_RANGE_KEY_MAX];    /* before '=' */
	char first[CT_RANGE_PART_MAX]; /* A */
	char last[CT_RANGE_PART_MAX];  /* B */
	char step[CT_RANGE_PART_MAX];  /* behind ':', with its x where it is a factor */
};

/* Which ranges a key may have. */
struct ct_range_rule {
	enum ct_unit unit;   /* the suffix that A, B and STEP may have */
	double low, high;    /* bounds of A and B, both allowed, at most 2^53 where whole */
	int whole;           /* A, B, STEP and FACTOR are whole numbers */
	double step, factor; /* where the text gives neither: the one above 0 is meant, else step 1 */
	size_t points_max;   /* values at most; 0: 4096 */
};

/* A range that was read: first, first + step, ... or first, first * factor, ..., up to last. */
struct ct_range_spec {
	char key[CT_RANGE_KEY_MAX];
	double first, last; /* in the base unit of the rule; first <= last */
	double step;        /* above 0, or 0 where the values are multiplied */
	double factor;      /* above 1, or 0 where the step is added */
	int whole;          /* as the rule says */
};

/* Splits "A..B", "A..B:STEP" or either behind "KEY=" into out. Fails (usage) where ".." is missing,
 * a part is empty or too long; the message names the option and gives example as a hint.
 * text has to live as long as out. Pure. */
int ct_range_split(const char *option, const char *text, const char *example, struct ct_range_text *out,
                   struct ct_error *e);

/* Reads what ct_range_split() found under the rule. Fails (usage) with a message that names the option
 * and the part that is wrong, and the bounds where a value is outside them. Pure. */
int ct_range_read(const char *option, const struct ct_range_text *text, const struct ct_range_rule *rule,
                  struct ct_range_spec *out, struct ct_error *e);

/* How many values the range has, at least 1. Pure. */
size_t ct_range_points(const struct ct_range_spec *r);

/* Value i of the range, i below ct_range_points(). Whole ranges give whole numbers. Pure. */
double ct_range_at(const struct ct_range_spec *r, size_t i);

/* Value i as records show it: "16384" for whole numbers, else six digits ("0.25"). out has n bytes,
 * of which 32 are always enough. Pure. */
void ct_range_text_at(const struct ct_range_spec *r, size_t i, char *out, size_t n);

CT_DECLS_END

#endif

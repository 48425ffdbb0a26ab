/* constants.h - what the models' tables of constants (params.c) share: the unit of a row,
 * and the answer to a key that is in none. */
#ifndef CT_MODELS_COMMON_CONSTANTS_H
#define CT_MODELS_COMMON_CONSTANTS_H

#include <stddef.h>

#include "base/error.h"
#include "base/units.h"

/* The unit that a table's text names ("ns"); CT_UNIT_NONE for "" and for what base/units.h does
 * not know. Pure. */
enum ct_unit ct_constant_unit(const char *name);

/* Fails with CT_ERR_USAGE: the n characters of key are no constant of the model; names the
 * nearest of names[count], else the man page. prefix as in PREFIX.KEY=VALUE. */
int ct_constant_unknown(const char *prefix, const char *page, const char *key, size_t n,
                        const char *const *names, size_t count, struct ct_error *e);

#endif

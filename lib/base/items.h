/* items.h - the items of a list with commas between them. */
#ifndef CT_BASE_ITEMS_H
#define CT_BASE_ITEMS_H

#include <stddef.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* Both walk through a list with a pointer that starts at its text and is NULL behind its last item. Every
 * comma parts two items, which may be empty: "" is one item, "a," are two. */

/* The next item, *n characters that no NUL ends; NULL behind the last. Pure. */
const char *ct_item_next(const char **at, size_t *n);

/* Copies the next item, without blanks around it, into out[room]. Returns 1; 0 behind the last; -1 with
 * out empty where it does not fit. Pure. */
int ct_item_copy(const char **at, char *out, size_t room);

CT_DECLS_END

#endif

/* linemap.h - numbers lines 0, 1, 2, ... in the order they are first seen, so that a
 * caller can keep what it knows of a line in plain arrays. Private to the room.
 *
 * Neighbours lie together (dense.h), until that takes too much memory for scattered lines: then in a hash table. */
#ifndef CT_LOCALITY_LINEMAP_H
#define CT_LOCALITY_LINEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/access.h"
#include "base/keyed.h"
#include "locality/dense.h"

struct ct_linemap {
	struct ct_dense dense; /* numbers + 1 */
	struct ct_keyed table; /* where is_sparse */
	int is_sparse;
	size_t used; /* lines */
};

/* An empty map in *m, which is zeroed before. 0, or -1 when out of memory. */
int ct_linemap_init(struct ct_linemap *m);
/* The numbers of the lines of n accesses, entering those that are new. 0, or -1 when out of memory. */
int ct_linemap_enter(struct ct_linemap *m, const struct ct_line_access *a, size_t n, uint32_t *number);
void ct_linemap_free(struct ct_linemap *m); /* also zeroed */

#endif

/* linemap.h - numbers lines 0, 1, 2, ... in the order they are first seen, so that a
 * caller can keep what it knows of a line in plain arrays. Private to the room. */
#ifndef CT_LOCALITY_LINEMAP_H
#define CT_LOCALITY_LINEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/keyed.h"

/* Zero-initialise. */
struct ct_linemap {
	struct ct_keyed table;
};

/* Number of the line, entering it if new; UINT32_MAX when out of memory. */
uint32_t ct_linemap_enter(struct ct_linemap *m, uint64_t line);
/* Brings the line's place near; a hint. */
void ct_linemap_prefetch(const struct ct_linemap *m, uint64_t line);
void ct_linemap_reset(struct ct_linemap *m); /* forgets, keeps the memory */
void ct_linemap_free(struct ct_linemap *m);

#endif

/* pages.h - large blocks of memory on large pages. Private to the room. */
#ifndef CT_LOCALITY_PAGES_H
#define CT_LOCALITY_PAGES_H

#include <stddef.h>

/* bytes of memory aligned to a cache line; from 2 MiB on aligned to and asked to be on
 * 2 MiB pages where the system has them (random accesses then miss the TLB less).
 * zero: cleared. NULL when out of memory. Free with free(). */
void *ct_pages_alloc(size_t bytes, int zero);

#endif

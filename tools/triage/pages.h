/* pages.h - large pages for a worker's heap. */
#ifndef CT_TRIAGE_PAGES_H
#define CT_TRIAGE_PAGES_H

/* Asks for large pages where the heap will grow; does nothing where that cannot be had. For a
 * process that ends with its one job: page faults are a tenth of its time, and what a large
 * page wastes goes back soon. Call it before much has been allocated, from a single thread. */
void tr_large_pages(void);

#endif

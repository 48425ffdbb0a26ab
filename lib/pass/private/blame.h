/* blame.h - what is counted of each static instruction at each array, over all launches. */
#ifndef CT_PASS_PRIVATE_BLAME_H
#define CT_PASS_PRIVATE_BLAME_H

#include "base/error.h"
#include "locality/hist.h"
#include "pass/layout.h"
#include "profile/profile.h"
#include "trace/record.h"

/* Counts in the order of the columns of PC records. */
struct ct_blame_counts {
	uint64_t requests, sectors, bytes_moved, bytes_used;
	uint64_t l1_misses, l1_cold, l1_capacity, l1_conflict, l1_pending;
	uint64_t llc_misses, stall_cycles;
};
void ct_blame_counts_add(struct ct_blame_counts *into, const struct ct_blame_counts *from);

struct ct_blame;
struct ct_blame *ct_blame_new(void);    /* NULL when out of memory */
void ct_blame_free(struct ct_blame *b); /* NULL allowed */

/* Adds counts of an instruction of the kernel at an array; distance may be NULL. Launches of one name share their
 * instructions: those of equal pc, opcode and line. Fails with CT_ERR_NOMEM. */
int ct_blame_add(struct ct_blame *b, const struct ct_kernel *k, const struct ct_sinst *s, uint32_t array,
                 const struct ct_blame_counts *c, const struct ct_hist *distance, struct ct_error *e);

/* Appends PC and AR records of the scope, what costs most first. Fails with CT_ERR_NOMEM. */
int ct_blame_write(struct ct_blame *b, const struct ct_layout *arrays, const char *scope,
                   struct ct_profile *p, struct ct_error *e);

#endif

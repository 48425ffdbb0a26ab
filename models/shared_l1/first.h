/* first.h - what homes miss at any size: requests for sectors that nobody has read since the last
 * flush. Stores do not allocate there (reading remote-write), whatever the GPU's own L1s do, and so change
 * nothing; what a request is to a line whose sectors are there in part no histogram of
 * lines or of sectors tells.
 *
 * Keeps up to 8192 lines, a spatial sample of them where there are more. One thread. */
#ifndef CT_MODELS_SHARED_L1_FIRST_H
#define CT_MODELS_SHARED_L1_FIRST_H

#include <stdint.h>

/* First touches: the reads and the stores that lack a sector, and how many sectors they lack.
 * requests counts all requests, whether they lack one or not. */
struct ct_sl_firsts {
	double requests, reads, writes, read_sectors, write_sectors;
};

struct ct_sl_first;
/* CT_OK or CT_ERR_NOMEM. *s is the caller's. */
int ct_sl_first_new(struct ct_sl_first **s);
void ct_sl_first_free(struct ct_sl_first *s); /* NULL allowed */
void ct_sl_first_flush(struct ct_sl_first *s);
/* Empties one home, tag modulo SMs. */
void ct_sl_first_wipe(struct ct_sl_first *s, uint32_t sets, unsigned cores, unsigned home);
/* One line of one instruction; sectors: mask. */
void ct_sl_first_access(struct ct_sl_first *s, uint64_t line, uint32_t sectors, int is_write);
/* Counts start again; what has been read is known. */
void ct_sl_first_counted(struct ct_sl_first *s);
/* Estimates of the whole from the lines that were kept; exact up to 8192 of them. */
void ct_sl_first_counts(struct ct_sl_first *s, struct ct_sl_firsts *n);

#endif

/* rj_table.h - a dense joint histogram that is filled in the hot path and moved into a
 * sparse struct ct_rj at the end of a scope. Private to the room.
 *
 * Bins: exact below 32, then 16 per octave, so that every L1 size of today's GPUs (a
 * power of two less a shared-memory carve-out in 8 KiB steps) is a bin boundary. Where
 * the other distance exceeds the own one's bin, no capacity lies between them the
 * right way round, so one bin per octave suffices and keeps profiles small. */
#ifndef CT_LOCALITY_RJ_TABLE_H
#define CT_LOCALITY_RJ_TABLE_H

#include "locality/rj.h"

struct ct_rj_table;

struct ct_rj_table *ct_rj_table_new(void); /* NULL: out of memory */
void ct_rj_table_free(struct ct_rj_table *t); /* NULL allowed */
void ct_rj_table_count(struct ct_rj_table *t, uint64_t own, uint64_t other);
/* Adds the counts to *j and clears the table. Fails with CT_ERR_NOMEM. */
int ct_rj_table_move(struct ct_rj_table *t, struct ct_rj *j, struct ct_error *e);

#endif

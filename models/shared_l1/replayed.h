/* replayed.h - rows of systems that were replayed (part.h), in the form of the estimates. */
#ifndef CT_MODELS_SHARED_L1_REPLAYED_H
#define CT_MODELS_SHARED_L1_REPLAYED_H

#include "models/common/records.h"
#include "models/shared_l1/estimate.h"
#include "models/shared_l1/part.h"

/* Order in which a set of engines is best made: every system of the table but Best, as an
 * index into the table; CT_SL_REPLAYED of them. */
enum { CT_SL_REPLAYED = CT_SL_SYSTEMS - 1 };
int ct_sl_replayed_at(int i);

/* What the run of the system at index s counted, in x. a: the analytic answer for the same
 * GPU, whose energies and constants it takes; replication and replicas of private systems
 * come from the counts, which need ct_replay_options.replication. */
void ct_sl_replayed_estimate(const struct ct_sl_answer *a, int s, const struct ct_replay_counts *counts,
                             const struct ct_sl_part_counts *part, struct ct_sl_estimate *x);

/* Adds the miss rates of that run to w, which names the system and the method. */
void ct_sl_replayed_rates(int s, const struct ct_replay_counts *counts,
                          const struct ct_sl_part_counts *part, struct ct_records *w);

/* All rows from the estimates of the replayed systems (out[] has CT_SL_SYSTEMS of them, in the
 * table's order; Best is filled in here). configured: cycles without launches of the user's
 * GPU. Ranges are NaN: a replay has none. */
void ct_sl_replayed_rows(const struct ct_sl_answer *a, struct ct_sl_estimate *x, double configured,
                         struct ct_sl_row *out);

/* Appends ES records of these systems (a mask), method replay. */
int ct_sl_replayed_write(const struct ct_sl_answer *a, const struct ct_sl_row *rows, unsigned systems,
                         struct ct_profile *p, struct ct_error *e);
/* Puts such records that a profile holds (reuse --mechanisms shared-l1) in the place of rows[]'s
 * estimates; which, as a mask. */
unsigned ct_sl_replayed_take(const struct ct_profile *p, struct ct_sl_row *rows);
/* Removes them: they are of another GPU or other constants than what is asked now. */
void ct_sl_replayed_drop(struct ct_profile *p);
/* Appends the mode timeline of a dynamic system as SW records: key core:N, x the cycle,
 * metric mode: 0 sampling, 1 private, 2 shared. Every one of `cores` starts with 0 at cycle 0;
 * at most `most` changes follow. */
int ct_sl_replayed_timeline(const char *system, const struct ct_sl_org *o, unsigned cores, size_t most,
                            struct ct_profile *p, struct ct_error *e);

#endif

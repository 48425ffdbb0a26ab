/* estimate.h - every system of the paper with its range, from one profile on one GPU, and its records. */
#ifndef CT_MODELS_SHARED_L1_ESTIMATE_H
#define CT_MODELS_SHARED_L1_ESTIMATE_H

#include "base/range.h"
#include "models/common/number.h"
#include "models/shared_l1/systems.h"
#include "profile/profile.h"

struct ct_sl_row {
	const struct ct_sl_system *system;
	struct ct_sl_estimate x;
	struct ct_mechanism_number speedup;            /* against Private on the same network */
	struct ct_mechanism_number speedup_configured; /* against the GPU as configured */
	struct ct_mechanism_number perf_per_watt;      /* against Private */
};

/* 1 where the order of accesses that the system itself makes decides over its miss rate: the estimate
 * is of the baseline's order, and the replay may be anywhere from x.miss_low to x.miss_high. Pure. */
int ct_sl_row_sensitive(const struct ct_sl_row *r);
/* Such rows of CT_SL_SYSTEMS as a mask; Best is none. Pure. */
unsigned ct_sl_rows_sensitive(const struct ct_sl_row *rows);

/* Everything about one profile on one GPU. */
struct ct_sl_answer {
	struct ct_sl_inputs in;
	struct ct_sl_model model; /* central values */
	struct ct_sl_estimate configured;
	struct ct_sl_row row[CT_SL_SYSTEMS];
	int target; /* passes the paper's target test (reading target-test) */
};

/* Evaluates all systems on a profile, and their ranges by varying one uncertain thing at a
 * time: how the model is anchored, first touches as a phase of their own or not, the way
 * to the home and back (half and half as much again), the DRAM's service (10 % either
 * way), uneven homes (1.2), the share of static power, and miss rates that order decides at the
 * ends of their ranges. replayed: the GPU of the profile's
 * GP; gpu: the one in force (the same SM count). place: NULL for the default; only of a
 * mesh. w and place must outlive the answer. Fails with CT_ERR_USAGE, CT_ERR_INPUT,
 * CT_ERR_NOMEM; else the caller frees with ct_sl_answer_free(). */
int ct_sl_answer_init(struct ct_sl_answer *a, const struct ct_profile *p, const struct ct_workload *w,
                      const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                      const struct ct_sl_params *params, const struct ct_sl_place *place,
                      struct ct_error *e);
void ct_sl_answer_free(struct ct_sl_answer *a);

/* Appends the ES records (scope all, mechanism shared-l1, method analytic). */
int ct_sl_answer_write(const struct ct_sl_answer *a, struct ct_profile *p, struct ct_error *e);

/* Appends SW records of every system for each value of the range, whose values are whole numbers from 1. Its key is
 * "l1.latency" in cycles (Fig. 15; every point is normalised to its own Private), "l1.size" in bytes, or "cores" (miss
 * rates only: every core's stream is taken to stay what it is). Fails with CT_ERR_USAGE for another key, and as
 * ct_sl_answer_init(). */
int ct_sl_answer_sweep(const struct ct_sl_answer *a, const struct ct_range_spec *range,
                       struct ct_profile *p, struct ct_error *e);

/* Things to tell the user of the rows that are shown (the answer's, or replayed), one line each, into
 * out[i]; returns how many there are. */
enum { CT_SL_NOTES_MAX = 8, CT_SL_NOTE_LEN = 240 };
unsigned ct_sl_answer_notes(const struct ct_sl_answer *a, const struct ct_sl_row *rows,
                            char out[][CT_SL_NOTE_LEN]);

/* Why a row of rows[] (an answer's, or replayed) gains or does not, in a few words. */
void ct_sl_row_why(const struct ct_sl_row *rows, const struct ct_sl_row *r, char *out, size_t n);
/* The verdict's reason: the paper's target test on such rows, with its three numbers. */
void ct_sl_target_why(const struct ct_sl_params *p, const struct ct_sl_row *rows, char *out, size_t n);

/* Bytes that a system adds to the whole GPU. */
double ct_sl_storage_bytes(const struct ct_sl_model *m, const struct ct_sl_system *s);

#endif

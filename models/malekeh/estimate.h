/* estimate.h - what malekeh-est says: ES records from a measurement, and what a register
 * reuse profile alone bounds. */
#ifndef CT_MODELS_MALEKEH_ESTIMATE_H
#define CT_MODELS_MALEKEH_ESTIMATE_H

#include "locality/hist.h"
#include "models/common/number.h"
#include "models/malekeh/energy.h"
#include "models/malekeh/measure.h"
#include "profile/profile.h"

/* One system over all launches. */
struct ct_mk_row {
	const struct ct_mk_system *system;
	struct ct_mk_counts c;
	struct ct_mechanism_number speedup;    /* against OCU, monolithic ones against OCU-mono */
	struct ct_mechanism_number configured; /* against the GPU's own collectors */
	double hit_ratio, bank_reads_ratio, energy_ratio, cache_writes_ratio;
	double issue, pending, idle, stall; /* shares of scheduler cycles with warps */
	double conflict;                    /* the same, in which a read waited for a bank */
	double cycles, ipc;                 /* of the GPU: the replay's, scaled by the model's ratio */
	double energy_j;
};

/* What the baseline replay says of the run. */
struct ct_mk_run_facts {
	double cycles, launch_cycles, thread_insts;
};

/* Row i of a finished measurement whose first system is OCU and which has OCU-own. low and high of speed-ups: what nine in ten
 * replays are in. */
void ct_mk_row(const struct ct_mk_measure *m, const struct ct_gpu *g, const struct ct_mk_params *p,
               const struct ct_mk_run_facts *f, size_t i, struct ct_mk_row *r);
/* Appends the ES records of a row (mechanism malekeh, method replay), or one point of a sweep
 * (SW) when key is not NULL: rf_hit_ratio, speedup, ipc, rf_bank_reads_ratio,
 * rf_energy_ratio. */
int ct_mk_row_write(const struct ct_mk_row *r, const struct ct_gpu *g, const char *key, const char *x,
                    struct ct_profile *p, struct ct_error *e);

/* Bounds from the histograms of `reuse` (views reg_insts, reg_distinct; each distinct source
 * register of an instruction counts once). Pure. */
struct ct_mk_bound {
	double hit;  /* estimate: BOW's window; private tables as LRU; else NaN */
	double most; /* no organisation of this kind can hit more often */
};
struct ct_mk_bound ct_mk_hit_bound(const struct ct_mk_system *s, const struct ct_hist *insts,
                                   const struct ct_hist *distinct);
/* Fewest cycles in which banks and schedulers of an SM can do what was counted. Pure. */
uint64_t ct_mk_least_cycles(const struct ct_mk_counts *c, const struct ct_mk_system *s,
                            const struct ct_mk_machine *m);
/* Appends ES records of the bounds of every system (method analytic) from the profile's RD.
 * Fails with CT_ERR_INPUT where it has no register views. */
int ct_mk_bounds_write(const struct ct_gpu *g, struct ct_profile *p, struct ct_error *e);

#endif

/* estimate.h - from what measure.h counted to cycles and energy: the answer of bypass-est.
 *
 * Cycles come from the closed network (models/common/perf.h), anchored to the replay of the GPU as configured: a
 * system lets its own share of lines pass to the LLC, and its own traffic. First touches reach DRAM whatever the L1
 * does; what comes again misses the LLC as often per line as behind the configured L1. */
#ifndef CT_MODELS_BYPASS_ESTIMATE_H
#define CT_MODELS_BYPASS_ESTIMATE_H

#include "models/bypass/measure.h"
#include "models/common/number.h"
#include "models/common/perf.h"

/* What the pass measured of one system (ES records, method replay). NaN where it has none. */
struct ct_bp_measured {
	double requests, request_misses, fetched_bytes, stored_bytes, untimed_miss_rate, evictions, dead,
		passed, storage;
};

struct ct_bp_row {
	struct ct_bp_measured x;
	double cycles, joule, watt;   /* cycles without launches */
	double dram;                  /* its traffic over BL's */
	double l1_miss_rate, l1_mpki; /* sectors, as SN; the replay's of BL */
	struct ct_perf_result perf;
	struct ct_mechanism_number speedup, perf_per_watt; /* against BL, which is the configured L1 */
};

struct ct_bp_answer {
	const struct ct_workload *w;
	struct ct_gpu replayed, gpu;
	struct ct_bp_params params;
	struct ct_perf perf;
	struct ct_bp_row row[CT_BP_SYSTEMS];
};

/* 1 when the profile holds what the pass measures. Pure. */
int ct_bp_measured_in(const struct ct_profile *p);
/* Fails with CT_ERR_INPUT, naming what the profile lacks. */
int ct_bp_measured_read(struct ct_bp_measured *x, const struct ct_profile *p, enum ct_bp_system system,
                        struct ct_error *e);
/* The answer for the profile's workload on `gpu`, an L1 like that of `replayed`; w must outlive *a. Fails with
 * CT_ERR_INPUT. */
int ct_bp_answer_init(struct ct_bp_answer *a, const struct ct_profile *p, const struct ct_workload *w,
                      const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                      const struct ct_bp_params *params, struct ct_error *e);
/* Appends ES records of method analytic. Fails with CT_ERR_NOMEM. */
int ct_bp_answer_write(const struct ct_bp_answer *a, struct ct_profile *p, struct ct_error *e);

#endif

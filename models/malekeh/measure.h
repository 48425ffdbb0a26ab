/* measure.h - the register-file systems, measured beside a replay of the baseline.
 *
 *     ct_mk_measure_new(&m, &gpu, &options, &e);
 *     observer = ct_mk_measure_observer(m);            (hooks: issue, mem)
 *     for each launch: ct_mk_measure_kernel(m, kernel, &e); ... replay it ...
 *     ct_mk_measure_finish(m, &e);
 *     ct_mk_measure_counts(m, i, &c); ...
 *
 * Of each launch some SMs are recorded (the first to issue), and when the next launch
 * begins their streams are run through every system. */
#ifndef CT_MODELS_MALEKEH_MEASURE_H
#define CT_MODELS_MALEKEH_MEASURE_H

#include "gpu/gpu.h"
#include "models/malekeh/core.h"
#include "models/malekeh/masks.h"
#include "models/malekeh/params.h"
#include "replay/replay.h"

struct ct_mk_measure;

struct ct_mk_measure_options {
	struct ct_mk_params params;
	const struct ct_mk_system *systems; /* copied; parameters of params apply to them */
	size_t n_systems;
	const struct ct_mk_sthld_table *sthld; /* copied */
	uint64_t seed;
	struct ct_mk_masks *masks; /* gets the profiled bits of each launch, NULL: not
	                                       wanted; must outlive the measurement */
	uint64_t warmup;           /* launches that begin within the first warp
	                                       instructions are run and not counted */
};

/* g as the engine gets it. Fails with CT_ERR_NOMEM, CT_ERR_UNSUPPORTED. */
int ct_mk_measure_new(struct ct_mk_measure **m, const struct ct_gpu *g,
                      const struct ct_mk_measure_options *o, struct ct_error *e);
/* Hooks for the one engine; ctx is m, which must outlive it. Full timing only. */
struct ct_replay_observer ct_mk_measure_observer(struct ct_mk_measure *m);
/* Before each launch is replayed: runs what was recorded of the one before. */
int ct_mk_measure_kernel(struct ct_mk_measure *m, const struct ct_kernel *k, struct ct_error *e);
/* After the last launch. */
int ct_mk_measure_finish(struct ct_mk_measure *m, struct ct_error *e);

/* Counts of system i over all launches, each launch's scaled from its recorded warp
 * instructions to all that it executed; cycles are the mean over recorded SMs, scaled where
 * an SM was recorded in part. */
void ct_mk_measure_counts(const struct ct_mk_measure *m, size_t i, struct ct_mk_counts *c);
const struct ct_mk_system *ct_mk_measure_system(const struct ct_mk_measure *m, size_t i);
size_t ct_mk_measure_systems(const struct ct_mk_measure *m);
/* Warp instructions recorded, and executed. */
void ct_mk_measure_share(const struct ct_mk_measure *m, uint64_t *recorded, uint64_t *all);
void ct_mk_measure_free(struct ct_mk_measure *m); /* NULL allowed */

#endif

/* target.h - the whole GPU by the closed network, for any SM count, capacities and speeds,
 * and the same figures of a replay to hold it against.
 *
 * A utilisation is the traffic over what the resource could carry at its peak in the run's
 * cycles (without launches), all SMs, slices and channels together. Pure. */
#ifndef CT_MODELS_COMMON_TARGET_H
#define CT_MODELS_COMMON_TARGET_H

#include "gpu/gpu.h"
#include "models/common/perf.h"

struct ct_target {
	double cycles; /* without launches */
	double ipc;    /* thread instructions per cycle, launches included */
	double issue, l1, noc_request, noc_reply, llc, dram; /* utilisations */
	double llc_miss_rate; /* sectors, loads and stores, moved from the replayed rate */
	double llc_sectors;   /* that the slices look up */
};

/* What another L1 does to the LLC's accesses (1: nothing): factors on the reads that leave
 * the L1s, and on all that reaches the LLC. */
struct ct_target_filter {
	double reads, traffic;
};

/* The GPU g, by the model m of workload w on the replayed GPU m->gpu. The cycles are those
 * of the replay times what the model says of the change; with CT_PERF_ANCHOR_NONE they are
 * the model's own. */
void ct_target_model(const struct ct_perf *m, const struct ct_gpu *g, const struct ct_target_filter *f,
                     int anchored, struct ct_target *t);
/* The replay that w was read from, on the GPU g. */
void ct_target_replay(const struct ct_workload *w, const struct ct_gpu *g, struct ct_target *t);

#endif

/* measure.h - the systems beside a replay: what their L1s would have done with the accesses of the
 * baseline, in its order.
 *
 * BL holds what the GPU's L1 holds; Bypass the same with a predictor in front; Perfect forgets nothing, so that
 * only the first touch of a sector by an SM misses; Ideal-L1 misses nothing. A sector counts as cached from the miss on. What may not
 * allocate is shared by loads that ask for it while it is on its way, as a MSHR entry shares it. */
#ifndef CT_MODELS_BYPASS_MEASURE_H
#define CT_MODELS_BYPASS_MEASURE_H

#include "models/bypass/predictor.h"
#include "pass/pass.h"
#include "profile/profile.h"
#include "replay/replay.h"

enum ct_bp_system { CT_BP_BL, CT_BP_BYPASS, CT_BP_PERFECT, CT_BP_IDEAL, CT_BP_SYSTEMS };

/* What one system counted in all L1s together. A request is one line of one instruction. */
struct ct_bp_counts {
	uint64_t requests, request_misses; /* of loads; with a sector that is not there */
	uint64_t sectors, sector_misses;   /* of loads and stores */
	uint64_t fetched;                  /* sectors that loads ask the LLC for */
	uint64_t stored;                   /* sectors that stores send there */
	uint64_t passed;                   /* requests that were not allowed to allocate */
	uint64_t evictions, dead;          /* lines; of them those that were not hit */
};

struct ct_bp_measure;

/* L1s for every SM of g, which must outlive *m. With a warm-up, counting begins when the replay tells that it is
 * over, else at once. Fails with CT_ERR_NOMEM. */
int ct_bp_measure_new(struct ct_bp_measure **m, const struct ct_gpu *g,
                      const struct ct_bp_params *params, int warmup, struct ct_error *e);
void ct_bp_measure_free(struct ct_bp_measure *m); /* NULL allowed */
/* Comes before each launch, whose L1s have that shape. */
void ct_bp_measure_kernel(struct ct_bp_measure *m, const struct ct_kernel *k, uint32_t sets,
                          uint32_t ways);
/* The hooks for the replay; their ctx is m. */
struct ct_replay_observer ct_bp_measure_observer(struct ct_bp_measure *m);
/* So far. Fails with CT_ERR_NOMEM when memory was out on the way. */
int ct_bp_measure_counts(const struct ct_bp_measure *m, enum ct_bp_system system, struct ct_bp_counts *c,
                         struct ct_error *e);
/* Appends the counts as ES records, method replay. Fails as ct_bp_measure_counts() and with CT_ERR_NOMEM. */
int ct_bp_measure_write(const struct ct_bp_measure *m, struct ct_profile *p, struct ct_error *e);

/* "BL", "Bypass", "Perfect", "Ideal-L1". Pure. */
const char *ct_bp_system_name(enum ct_bp_system system);

#endif

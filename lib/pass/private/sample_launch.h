/* sample_launch.h - what tells two launches apart, and one long launch that is cut short;
 * shared by sampler.c and sample_waves.c. */
#ifndef CT_PASS_PRIVATE_SAMPLE_LAUNCH_H
#define CT_PASS_PRIVATE_SAMPLE_LAUNCH_H

#include "pass/private/state.h"
#include "pass/private/sample_stats.h"

/* What is known of a launch without replaying it: CTAs, warps and warp instructions of all
 * of it; memory instructions and distinct lines of some sixty CTAs of the grid. */
enum { SKETCH_BITS = 1 << 20 };
struct ct_pass_work {
	uint64_t ctas, warps, insts, mem_insts;
	uint64_t *sketch; /* of lines, SKETCH_BITS bits: linear counting */
	double lines;
	uint64_t step; /* every step-th CTA is looked into */
	struct ct_cursor *cursor;
};
int ct_pass_work_begin(struct ct_pass_work *w, const struct ct_kernel *k, struct ct_error *e);
int ct_pass_work_add(struct ct_pass_work *w, struct ct_cta *cta, struct ct_error *e);
void ct_pass_work_end(struct ct_pass_work *w);
void ct_pass_work_free(struct ct_pass_work *w);
/* Whether two launches do as much work of the same kind: instructions within a hundredth, lines within a twentieth. */
int ct_pass_work_equal(const struct ct_pass_work *a, const struct ct_pass_work *b);

/* A point of a launch's replay. */
struct ct_pass_mark {
	uint64_t cycle;
	struct ct_replay_counts c; /* totals of the engine */
};

enum { WAVE_RATES = 3, WAVES_MAX = 64 }; /* cycles per instruction, L1 and LLC miss rate */

/* A launch whose CTAs are replayed until the waves look alike. */
struct ct_pass_waves {
	uint64_t per_wave, grid, pushed;
	unsigned wave;                          /* complete ones */
	int stopped;                            /* nothing more is replayed */
	struct ct_pass_mark begin, block, last; /* of the launch, of the block of waves, last wave */
	struct ct_pass_spread spread[WAVE_RATES];
	double rate[WAVES_MAX][WAVE_RATES], rates[WAVE_RATES]; /* of its waves; of all of it */
	unsigned in_block;
	struct ct_locality_counts before; /* of what precedes the block */
	struct ct_lineutil_counts util_before;
	struct ct_hist (*view)[4];   /* of the SM views when the launch began */
	uint64_t ctas, warps, insts; /* not replayed */
};
int ct_pass_waves_begin(struct ct_pass_state *a, struct ct_pass_waves *w, const struct ct_kernel *k);
/* Replays the CTA, or counts it as left out. */
int ct_pass_waves_push(struct ct_pass_state *a, struct ct_pass_waves *w, struct ct_cta *cta);
/* The engines have come to the end of the launch, *l has their counts: adds what was left
 * out to *l, a->launch and the SM views. */
int ct_pass_waves_end(struct ct_pass_state *a, struct ct_pass_waves *w, struct ct_pass_launch *l);
void ct_pass_waves_free(struct ct_pass_waves *w);

/* Every counter of h times f, rounded. */
void ct_pass_scale_hist(struct ct_hist *h, double f);

#endif

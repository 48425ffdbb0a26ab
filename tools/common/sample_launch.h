/* sample_launch.h - what tells two launches apart, and one long launch that is cut short;
 * shared by pass_sample.c and sample_waves.c. */
#ifndef CT_TOOLS_SAMPLE_LAUNCH_H
#define CT_TOOLS_SAMPLE_LAUNCH_H

#include "common/pass_internal.h"
#include "common/sample_stats.h"

/* What is known of a launch without replaying it: CTAs, warps and warp instructions of all
 * of it; memory instructions and distinct lines of some sixty CTAs of the grid. */
enum { SKETCH_BITS = 1 << 20 };
struct launch_work {
	uint64_t ctas, warps, insts, mem_insts;
	uint64_t *sketch; /* of lines, SKETCH_BITS bits: linear counting */
	double lines;
	uint64_t step;    /* every step-th CTA is looked into */
	struct ct_cursor *cursor;
};
int ct_work_begin(struct launch_work *w, const struct ct_kernel *k, struct ct_error *e);
int ct_work_add(struct launch_work *w, struct ct_cta *cta, struct ct_error *e);
void ct_work_end(struct launch_work *w);
void ct_work_free(struct launch_work *w);
/* As much work of the same kind: instructions within a hundredth, lines within a
 * twentieth. */
int ct_work_equal(const struct launch_work *a, const struct launch_work *b);

/* A point of a launch's replay. */
struct wave_mark {
	uint64_t cycle;
	struct ct_replay_counts c; /* totals of the engine */
};

enum { WAVE_RATES = 3, WAVES_MAX = 64 }; /* cycles per instruction, L1 and LLC miss rate */

/* A launch whose CTAs are replayed until the waves look alike. */
struct waves {
	uint64_t per_wave, grid, pushed;
	unsigned wave;              /* complete ones */
	int stopped;                /* nothing more is replayed */
	struct wave_mark begin, block, last; /* of the launch, of the block of waves, last wave */
	struct ct_spread spread[WAVE_RATES];
	double rate[WAVES_MAX][WAVE_RATES], rates[WAVE_RATES]; /* of its waves; of all of it */
	unsigned in_block;
	struct ct_locality_counts before; /* of what precedes the block */
	struct ct_lineutil_counts util_before;
	struct ct_hist (*view)[4];  /* of the SM views when the launch began */
	uint64_t ctas, warps, insts; /* not replayed */
};
int ct_waves_begin(struct pass *a, struct waves *w, const struct ct_kernel *k);
/* Replays the CTA, or counts it as left out. */
int ct_waves_push(struct pass *a, struct waves *w, struct ct_cta *cta);
/* The engines have come to the end of the launch, *l has their counts: adds what was left
 * out to *l, a->launch and the SM views. */
int ct_waves_end(struct pass *a, struct waves *w, struct launch_counts *l);
void ct_waves_free(struct waves *w);

/* Every counter of h times f, rounded. */
void ct_sample_scale_hist(struct ct_hist *h, double f);

#endif

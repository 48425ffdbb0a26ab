/* thin.h - a sample of a trace: which launches and which of their CTAs are replayed, and what stands for the others
 * (doc/sampling.md). What is chosen depends on the trace, the GPU, the share and the seed, never on what was measured: every
 * engine replays the same. */
#ifndef CT_PASS_PRIVATE_THIN_H
#define CT_PASS_PRIVATE_THIN_H

#include "base/error.h"
#include "gpu/gpu.h"
#include "pass/private/lanes.h"
#include "pass/sample.h"
#include "trace/trace.h"

enum ct_thin_kind {
	CT_THIN_WHOLE, /* all CTAs are replayed */
	CT_THIN_PART,  /* the first waves, and segments of some waves */
	CT_THIN_OUT    /* nothing is: launches of its group stand for it */
};

enum { CT_THIN_NO_GROUP = -1, CT_THIN_GROUPS = 512 };

struct ct_thin_launch {
	enum ct_thin_kind kind;
	int group;         /* of launches alike, or CT_THIN_NO_GROUP */
	int stands;        /* it is one of those that stand for its group */
	uint32_t id;       /* of the launch */
	uint64_t kernel;   /* ct_sample_name() */
	uint64_t ctas;     /* of the grid */
	uint64_t wave;     /* CTAs that the GPU holds at once */
	uint64_t segments; /* of CT_THIN_PART: each has `lead` CTAs, a wave, and `measured` CTAs */
	uint64_t lead, measured;
	uint64_t randomness;
};

/* A run of CTAs: pass over `skip`, replay `push`, note a point. */
struct ct_thin_piece {
	uint64_t skip, push;
};

struct ct_thin;
/* share: of the warp instructions, 0 < share <= 1. NULL when out of memory. */
struct ct_thin *ct_thin_new(const struct ct_gpu *g, double share, uint64_t seed);
void ct_thin_free(struct ct_thin *t); /* NULL allowed */
/* Decides on the next launch. size: ct_trace_kernel_size(). Fails with CT_ERR_NOMEM and as ct_occupancy() does. */
int ct_thin_choose(struct ct_thin *t, const struct ct_kernel *k, uint64_t size, struct ct_thin_launch *l,
                   struct ct_error *e);
/* The i-th piece of a launch of which a part is replayed: 1, or 0 behind the last. Pure. */
int ct_thin_piece(const struct ct_thin_launch *l, uint64_t i, struct ct_thin_piece *p);
/* CTAs that are replayed of it. Pure. */
uint64_t ct_thin_replayed_ctas(const struct ct_thin_launch *l);

/* Gives the engines what is replayed of the launch at hand; *skipped tells what is not. As ct_lanes_push_launch(). */
int ct_thin_push(struct ct_lanes *lanes, struct ct_trace *trace, const struct ct_thin_launch *l,
                 const struct ct_pass_settings *settings, struct ct_cta **held,
                 struct ct_trace_skipped *skipped, struct ct_error *e);

/* What an engine has counted, for one kind of launches. */
struct ct_thin_sum {
	struct ct_replay_counts c;
	double insts;
	unsigned n;
	size_t stratum; /* + 1; 0: none yet */
};

/* Of one engine. Zero-initialise. */
struct ct_thin_counts {
	struct ct_thin_sum *group;
	size_t cap;
	struct ct_sample_series series;
};
void ct_thin_counts_free(struct ct_thin_counts *x);
/* The launch has been replayed, *c are its counts, and mark[n] the points of this engine: *c becomes that of the whole
 * launch. Fails with CT_ERR_NOMEM. */
int ct_thin_count(struct ct_thin_counts *x, const struct ct_thin_launch *l,
                  const struct ct_lanes_mark *mark, size_t n, const struct ct_trace_skipped *skipped,
                  struct ct_replay_counts *c, struct ct_error *e);
/* Nothing of it was replayed: *c becomes what stands for it. */
int ct_thin_count_left_out(struct ct_thin_counts *x, const struct ct_thin_launch *l,
                           const struct ct_trace_skipped *skipped, struct ct_replay_counts *c,
                           struct ct_error *e);

#endif

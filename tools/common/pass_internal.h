/* pass_internal.h - what the two halves of the pass share: pass.c runs it, pass_write.c
 * writes down what was measured. */
#ifndef CT_TOOLS_PASS_INTERNAL_H
#define CT_TOOLS_PASS_INTERNAL_H

#include "common/lanes.h"
#include "common/mechanism.h"
#include "common/pass.h"
#include "common/progress.h"
#include "locality/lineutil.h"
#include "locality/observer.h"
#include "locality/regs.h"
#include "locality/stack.h"
#include "models/shared_l1/watch.h"
#include "replay/replay.h"

/* llc@sms=N: besides the whole GPU, the LLC sees what 25, 50 and 75 % of its SMs
 * would send (issue 1, item 6). */
enum { SMS_VIEWS = 3, MAX_LANES = SMS_VIEWS + 1, VIEW_OPS = 256 };

/* What --sample-kernels has left out of a scope, and the half-widths of the 95 % intervals
 * of what stands for it. */
struct sampled {
	uint64_t launches, ctas; /* launches that another stands for; CTAs not replayed at all */
	double insts;            /* warp instructions not replayed */
	double cycles, l1_misses, llc_misses;
};

/* A launch that has been counted: its own counts, or what stands for them. The locality
 * counts are in pass.launch. */
struct launch_counts {
	struct ct_replay_counts c[MAX_LANES];
	struct ct_lineutil_counts util;
	struct sampled sampled;
};

/* A counter that is not 0. */
struct scope_cell {
	size_t at;
	uint64_t count;
};

/* What has been counted for `all`, for one kernel name, or for one launch. */
struct scope {
	char *name;
	uint64_t launches;
	struct ct_replay_counts counts;
	struct ct_locality_counts *locality; /* of `all`; the others': NULL, and what is in it below */
	struct scope_cell *cell;
	size_t n_cells;
	struct ct_rj rj_nearest, rj_sharers;
	struct ct_lineutil_counts util;
	struct sampled sampled;
};

/* The LLC stream of a GPU with fewer SMs. A launch of no more CTAs than those gives each CTA
 * an SM of its own, as on the whole GPU: its stream is the whole GPU's, and needs no engine. */
struct sms_view {
	uint32_t sms;
	int whole;              /* the launch under way is such a one */
	struct ct_stack *stack;
	struct ct_hist hist[4]; /* lines read, written; sectors read, written */
	struct ct_stack_op *op; /* VIEW_OPS, of which n wait to be counted */
	uint8_t *is_write;
	size_t n;
};

struct pass {
	struct ct_tool *tool;
	struct ct_pass_options o;
	struct ct_profile *p;
	struct ct_error *e;
	struct ct_gpu gpu;
	struct ct_locality *locality;
	struct ct_lineutil *util;
	struct ct_sl_watch *watch;
	uint32_t l1_sets, l1_ways;         /* of the current launch */
	struct ct_locality_counts *launch; /* counts of the launch that just ended */
	struct ct_regs *regs;              /* [sm][warp slot] */
	uint32_t slots;                    /* warp slots per SM */
	void *mechanism[CT_PASS_MECHANISMS_MAX]; /* state of those asked for, else NULL */
	struct ct_lanes *lanes;
	unsigned n_lanes;
	uint64_t *slice_load;              /* accesses of each LLC slice, or NULL */
	struct sms_view view[SMS_VIEWS];
	unsigned n_views;
	struct scope *scope; /* [0] is `all`, then kernel names in order of appearance */
	size_t n_scopes, cap_scopes;
	struct ct_locality_counts *unpacked; /* of the scope at hand, which has its joint histograms */
	struct ct_buf label;
	struct ct_progress progress;
	int counting;                /* --warmup is over, or was not asked for */
	int warm_status;             /* of dropping what was observed until then */
	struct ct_replay *engine;    /* of the first lane, which runs in the caller's thread */
	struct ct_sampler *sampler;  /* --sample-kernels, else NULL */
	uint64_t last_cycle;         /* of the last issue; kept for the sampler only */
};

/* Begins a launch: observers, then engines. */
int ct_pass_begin_launch(struct pass *a, const struct ct_kernel *k);
/* Ends it: counts into *l and, in addition to what is there, into a->launch. */
int ct_pass_end_launch(struct pass *a, struct launch_counts *l);
/* Adds *l and a->launch to every scope of the launch, and empties a->launch. */
int ct_pass_count(struct pass *a, const struct ct_kernel *k, const struct launch_counts *l);

/* pass_scope.c: the scope of that name, a new one if there is none. */
int ct_scope_find(struct pass *a, const char *name, struct scope **out);
/* Adds a->launch. */
int ct_scope_add_locality(struct pass *a, struct scope *s);
/* Its locality counts, lent until the next call of these. */
struct ct_locality_counts *ct_scope_locality(struct pass *a, const struct scope *s);
void ct_scopes_free(struct pass *a);

/* pass_views.c: an engine for each view behind engine[*n]; *n counts on. */
int ct_pass_views_start(struct pass *a, struct ct_replay **engine, unsigned *n);
/* Which lanes the launch needs no engine for, a bit each (ct_lanes_kernel_begin). */
unsigned ct_pass_views_launch(struct pass *a, const struct ct_kernel *k);
/* An event of the whole GPU's LLC, for the views that are its own in this launch. */
void ct_pass_views_llc(struct pass *a, const struct ct_llc_event *ev);
/* Counts what the launch has left; the lanes are idle. */
int ct_pass_views_end(struct pass *a);
void ct_pass_views_free(struct pass *a);

/* pass_sample.c: launches that repeat, and waves of CTAs, that need not be replayed. */
struct ct_sampler *ct_sampler_new(void); /* NULL when out of memory */
void ct_sampler_free(struct ct_sampler *s); /* NULL allowed */
/* Reads one launch of the trace and replays what it has to of it. */
int ct_sampler_launch(struct pass *a, struct ct_trace *trace, const struct ct_kernel *k);
void ct_sampled_add(struct sampled *into, const struct sampled *from);
/* Appends the SN records that say what was left out of a scope, and the ranges. */
int ct_pass_write_sampled(struct pass *a, const struct scope *s);

/* Appends MR records of a scope; for `all`, when sampled, ME as well (pass_mrc.c). */
int ct_pass_write_curves(struct pass *a, const struct scope *s);
/* Appends RE records: how far the sampled histograms of the whole run may be off. */
int ct_pass_write_errors(struct pass *a);
/* Appends TR, GP, SN, RD, RJ, RT and IM records of everything counted. */
int ct_pass_write(struct pass *a, const struct ct_trace *trace);

#endif

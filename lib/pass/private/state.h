/* state.h - what the parts of the pass share: pass.c runs it, write.c writes down what was measured. */
#ifndef CT_PASS_PRIVATE_STATE_H
#define CT_PASS_PRIVATE_STATE_H

#include "base/buf.h"
#include "locality/bounded.h"
#include "locality/lineutil.h"
#include "locality/observer.h"
#include "locality/regs.h"
#include "locality/stack.h"
#include "pass/pass.h"
#include "pass/private/attribution.h"
#include "pass/private/deal.h"
#include "pass/private/lanes.h"
#include "pass/private/registers.h"
#include "replay/replay.h"

/* llc@sms=N: besides the whole GPU, the LLC sees what 25, 50 and 75 % of its SMs
 * would send. */
enum { SMS_VIEWS = 3 };

/* What --sample-kernels has left out of a scope. */
struct ct_pass_sampled {
	uint64_t launches, ctas; /* launches that another stands for; CTAs not replayed at all */
	double insts;            /* warp instructions not replayed */
};

/* A launch that has been counted: its own counts, or what stands for them. The locality
 * counts are in pass.launch. */
struct ct_pass_launch {
	struct ct_replay_counts c;
	struct ct_lineutil_counts util;
	struct ct_pass_sampled sampled;
};

/* A counter that is not 0. */
struct ct_pass_cell {
	size_t at;
	uint64_t count;
};

/* What has been counted for `all`, for one kernel name, or for one launch. */
struct ct_pass_scope {
	char *name;
	uint64_t launches;
	struct ct_replay_counts counts;
	struct ct_locality_counts *locality; /* of `all`; the others': NULL, and what is in it below */
	struct ct_pass_cell *cell;
	size_t n_cells;
	struct ct_rj rj_nearest, rj_sharers;
	struct ct_lineutil_counts util;
	struct ct_pass_sampled sampled;
};

/* The LLC stream of a GPU with fewer SMs. A launch of no more CTAs than those gives each CTA
 * an SM of its own, as on the whole GPU: its stream is the whole GPU's. */
struct ct_pass_view {
	uint32_t sms;
	int whole; /* the launch under way is such a one */
	struct ct_bounded *stream;
	struct ct_hist hist[CT_BOUNDED_HISTS]; /* lines read, written; sectors read, written */
};

struct ct_pass_state {
	struct ct_pass_options o;
	struct ct_pass_settings settings; /* of o, with defaults filled in */
	struct ct_pass_setup setup;       /* for observers */
	unsigned without;                 /* layers left out, with those that take them */
	struct ct_pass_events events;     /* what the pass itself counts of them */
	struct ct_profile *p;
	struct ct_error *e;
	struct ct_gpu gpu;
	struct ct_locality *locality;
	struct ct_lineutil *util;
	struct ct_attribution *attribution;  /* or NULL */
	uint32_t arrays_told;                /* arrays of the trace that the layout has */
	uint32_t l1_sets, l1_ways;           /* of the current launch */
	struct ct_locality_counts *launch;   /* counts of the launch that just ended */
	struct ct_pass_registers *registers; /* or NULL */
	struct ct_regs *regs;                /* [sm][warp slot]: with --warmup, which ends amid warps */
	uint32_t slots;                      /* warp slots per SM */
	void *observer[CT_PASS_OBSERVERS_MAX]; /* states of the caller's observers */
	unsigned n_opened;                     /* of them: those to close */
	struct ct_lanes *lanes;
	uint64_t *slice_load; /* accesses of each LLC slice, or NULL */
	struct ct_pass_view view[SMS_VIEWS];
	unsigned n_views;
	struct ct_deal *deal;        /* of the views, or NULL */
	struct ct_pass_scope *scope; /* [0] is `all`, then kernel names in order of appearance */
	size_t n_scopes, cap_scopes;
	struct ct_locality_counts *unpacked; /* of the scope at hand, which has its joint histograms */
	struct ct_buf label;
	int counting;                    /* --warmup is over, or was not asked for */
	int warm_status;                 /* of dropping what was observed until then */
	struct ct_replay *engine;        /* of the first lane, which runs in the caller's thread */
	struct ct_pass_sampler *sampler; /* --sample-kernels, else NULL */
};

/* Whether a layer runs. */
static inline int ct_pass_measures(const struct ct_pass_state *a, enum ct_pass_layer layer)
{
	return !(a->without >> layer & 1);
}

/* Begins a launch: observers, then engines. */
int ct_pass_begin_launch(struct ct_pass_state *a, const struct ct_kernel *k);
/* Ends it: counts into *l and, in addition to what is there, into a->launch. */
int ct_pass_end_launch(struct ct_pass_state *a, const struct ct_kernel *k, struct ct_pass_launch *l);
/* Adds *l and a->launch to every scope of the launch, and empties a->launch. */
int ct_pass_count(struct ct_pass_state *a, const struct ct_kernel *k, const struct ct_pass_launch *l);

/* scope.c: the scope of that name, a new one if there is none. */
int ct_pass_scope_find(struct ct_pass_state *a, const char *name, struct ct_pass_scope **out);
/* Adds a->launch. */
int ct_pass_scope_add_locality(struct ct_pass_state *a, struct ct_pass_scope *s);
/* Its locality counts, lent until the next call of these. */
struct ct_locality_counts *
ct_pass_scope_locality(struct ct_pass_state *a, const struct ct_pass_scope *s);
void ct_pass_scopes_free(struct ct_pass_state *a);

/* views.c: makes the views; *hooks gets what they listen to. */
int ct_pass_views_start(struct ct_pass_state *a, struct ct_replay_observer *hooks);
/* A launch begins. */
int ct_pass_views_launch(struct ct_pass_state *a, const struct ct_kernel *k);
/* An event of the whole GPU's LLC, for the views that are its own in this launch. */
void ct_pass_views_llc(struct ct_pass_state *a, const struct ct_line_access *lines, size_t n);
/* --warmup is over: what was counted until now is dropped. */
void ct_pass_views_counted(struct ct_pass_state *a);
/* Counts what the launch has left; the lanes are idle. */
int ct_pass_views_end(struct ct_pass_state *a);
/* After the last launch: histograms of views that follow a sample of the lines sum up to their accesses. */
void ct_pass_views_settle(struct ct_pass_state *a);
void ct_pass_views_free(struct ct_pass_state *a);

/* sampler.c: launches and waves of CTAs that need not be replayed. */
struct ct_pass_sampler *ct_pass_sampler_new(const struct ct_pass_state *a); /* NULL when out of memory */
void ct_pass_sampler_free(struct ct_pass_sampler *s);                       /* NULL allowed */
/* Reads one launch of the trace and replays what it has to of it. */
int ct_pass_sampler_launch(struct ct_pass_state *a, struct ct_trace *trace, const struct ct_kernel *k);
/* The counts of what was replayed, as they were counted. */
const struct ct_replay_counts *ct_pass_sampler_replayed(const struct ct_pass_sampler *s);
void ct_pass_sampled_add(struct ct_pass_sampled *into, const struct ct_pass_sampled *from);
/* Appends the SN records that say what was left out of a scope, and the ranges. */
int ct_pass_write_sampled(struct ct_pass_state *a, const struct ct_pass_scope *s);

/* Appends MR records of a scope; for `all`, when sampled, ME as well (curves.c). */
int ct_pass_write_curves(struct ct_pass_state *a, const struct ct_pass_scope *s);
/* Appends RE records: how far the sampled histograms of the whole run may be off. */
int ct_pass_write_errors(struct ct_pass_state *a);
/* Appends TR, GP, SN, RD, RJ, RT and IM records of everything counted. */
int ct_pass_write(struct ct_pass_state *a, const struct ct_trace *trace);

#endif

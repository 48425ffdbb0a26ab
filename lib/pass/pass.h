/* pass.h - the one pass over a trace that makes a profile.
 *
 * The trace is replayed on one GPU; the pass's own observers count reuse distances, replication, line
 * utilisation and registers on the way, and whatever observers the caller adds see the same replay. */
#ifndef CT_PASS_PASS_H
#define CT_PASS_PASS_H

#include "base/decls.h"
#include "gpu/gpu.h"
#include "pass/layout.h"
#include "pass/settings.h"
#include "profile/profile.h"
#include "replay/replay.h"

CT_DECLS_BEGIN

/* What an observer is told when the pass begins. Everything outlives the observer's state. */
struct ct_pass_setup {
	const struct ct_gpu *gpu; /* in force */
	const struct ct_pass_settings *settings;
};

/* Something that is measured beside the baseline replay. Each function but open and close may be NULL. All
 * run in the thread of the pass, except the hooks of the replay observer, which come one at a time from any thread.
 * What they return below CT_OK ends the pass with that error. */
struct ct_pass_observer {
	const char *name; /* as ES records name it; static storage */
	void *ctx;        /* the caller's, handed to open and after */
	/* Makes *state and fills *hooks (zeroed before). close(*state) is called also when open fails. */
	int (*open)(void *ctx, const struct ct_pass_setup *setup, void **state,
	            struct ct_replay_observer *hooks, struct ct_error *e);
	/* Comes before each launch, with the shape of the L1s that it runs with. */
	int (*kernel)(void *state, const struct ct_kernel *k, uint32_t l1_sets, uint32_t l1_ways,
	              struct ct_error *e);
	/* Appends IM records of scope all, behind those of the pass itself. */
	int (*write_items)(void *state, struct ct_profile *p, struct ct_error *e);
	/* Appends ES and SW records at the end; `all` holds the counts of the whole run, or, where it was sampled,
	 * of what was replayed of it. */
	int (*write)(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
	             struct ct_error *e);
	void (*close)(void *state); /* NULL state allowed */
	/* Comes when the profile is complete, but not of a damaged trace: may read the trace again (replays.h)
	 * and append ES records. */
	int (*after)(void *ctx, const struct ct_pass_setup *setup, struct ct_profile *p,
	             struct ct_error *e);
};

enum { CT_PASS_OBSERVERS_MAX = 32 };

/* The GP record that a pass with quick timing leaves beside the keys of its GPU; its value is "quick". */
#define CT_PASS_TIMING_KEY "model.timing"

/* The GP record of a pass on a scaled GPU: how many SMs the GPU has that was scaled. */
#define CT_PASS_ASKED_KEY "sm.asked"

/* What a pass measures beside the replay itself, each of which takes time. doc/layers.md says which record needs which.
 * An option holds a set of them, the bit 1u << layer for each. */
enum ct_pass_layer {
	CT_PASS_L1,          /* reuse distances at the L1s: RD l1, l1_sector */
	CT_PASS_SHARING,     /* joint distances of an SM and the others: RJ; takes CT_PASS_L1 */
	CT_PASS_MERGED,      /* distances in all L1s taken as one: RD merged, merged_sector */
	CT_PASS_LLC,         /* distances at the LLC: RD llc, llc_sector */
	CT_PASS_LLC_SMS,     /* those of fewer SMs: RD llc@sms=N; takes CT_PASS_LLC */
	CT_PASS_REGISTERS,   /* distances in registers: RD reg_insts, reg_distinct */
	CT_PASS_LINE_USE,    /* what of a line is used before it leaves: SN line_*, useful_bytes_* */
	CT_PASS_REPLICATION, /* lines that lie in several L1s: SN replication_ratio, replicas_mean */
	CT_PASS_TIMES        /* reuse times at the L1s: RT; takes CT_PASS_L1 */
};
enum { CT_PASS_LAYERS = CT_PASS_TIMES + 1 };

/* How many events each layer has handled: accesses, fills, instructions. 0 for a layer that did not run. */
struct ct_pass_events {
	uint64_t of[CT_PASS_LAYERS];
};

/* What the pass measures beyond the baseline replay. Zeroed, all layers run. */
struct ct_pass_options {
	const struct ct_gpu *gpu;     /* checked (ct_gpu_check) and scaled; must outlive the call */
	enum ct_replay_timing timing; /* full or quick; quick leaves GP model.timing quick */
	int per_kernel;               /* kernel:N scopes besides all and name:KERNEL */
	unsigned without; /* layers to leave out, 1u << enum ct_pass_layer each, and their records; what
	                                 takes one that is left out is left out, too */
	struct ct_pass_events *events; /* gets what each layer has handled; NULL: nobody asks */
	int mrc;                       /* miss-ratio curves: MR records, ME where sampled */
	struct ct_layout
		*annotate; /* say which instructions and arrays cost what: PC and AR records. The
	                                 arrays that are known (layout.h); what the trace copies and touches is
	                                 added. NULL: no */
	const struct ct_pass_observer *const *observers; /* in the order in which they write */
	unsigned n_observers;                            /* at most CT_PASS_OBSERVERS_MAX */
	struct ct_pass_settings settings;
};

/* The value of --timing: full or quick. Fails with CT_ERR_USAGE for any other text. Pure. */
int ct_pass_timing_parse(const char *value, enum ct_replay_timing *timing, struct ct_error *e);

/* The layers whose records of scope all a profile holds, 1u << enum ct_pass_layer each. Pure. */
unsigned ct_pass_layers_of(const struct ct_profile *p);

/* Replays the trace from where it stands to its end and appends to p: TR, GP, KN, SN, RD, RJ, RT, IM, RE where
 * sampled, PC and AR where annotated, and what the observers write. p and trace stay the caller's. Returns CT_OK; 1 when salvaged damage
 * was met (p then holds SN all truncated 1); CT_ERR_USAGE for options that exclude each other or leave nothing
 * to count; CT_ERR_LIMIT for a GPU that does not fit into max_memory; CT_ERR_INPUT, CT_ERR_IO, CT_ERR_NOMEM.
 * One call at a time per trace and profile; distinct ones may run in distinct threads. */
int ct_pass_run(struct ct_trace *trace, const struct ct_pass_options *o, struct ct_profile *p,
                struct ct_error *e);

CT_DECLS_END

#endif

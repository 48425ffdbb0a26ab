/* replays.h - the trace behind a profile, run again through engines of the caller's choice. */
#ifndef CT_PASS_REPLAYS_H
#define CT_PASS_REPLAYS_H

#include "base/decls.h"
#include "gpu/gpu.h"
#include "pass/sample.h"
#include "pass/settings.h"
#include "profile/profile.h"
#include "replay/replay.h"

CT_DECLS_BEGIN

/* What an engine is made from; both, and what the options point at, must live through the run. */
struct ct_replays_engine {
	const struct ct_gpu *gpu;
	struct ct_replay_options options;
	double part_bytes; /* that its parts take beside ct_replays_bytes(), where make() makes them */
};

/* What a caller wants to do on the way; each may be NULL, and what they return below CT_OK ends the run. make comes
 * before engine i is made, to put its parts into its options; done comes when it is gone, to free them, also when the
 * run fails, unless make has failed. begin and end come at the ends of each launch: launch[i] has the counts of engine
 * i over this launch, and is 0 for engines that another pass has: each launch comes once in every pass. */
struct ct_replays_hooks {
	void *ctx;
	int (*make)(void *ctx, unsigned i, struct ct_error *e);
	void (*done)(void *ctx, unsigned i);
	int (*begin)(void *ctx, const struct ct_kernel *k, struct ct_error *e);
	int (*end)(void *ctx, const struct ct_kernel *k, const struct ct_replay_counts *launch,
	           struct ct_error *e);
	/* One for each engine, zeroed: get what a sample has measured, where settings->sample_kernels asks for one. The
	 * caller's to free. NULL: nobody asks. */
	struct ct_sample_series *sample;
};

/* Runs the trace that p was made from (reopen.h) through n engines and checks that it was that trace. total[i] gets
 * the counts of engine i over all launches. As many engines as the memory limit has room for are made at once and
 * share a pass over the trace; at least one. An engine that stops at its options.most_cycles lets the
 * others go on; of a sample nobody may ask for that. Of a sample (settings->sample_kernels) counts are those of the whole as it
 * tells; begin does not come before launches that it leaves out. With threads, engines run in threads of their own, so that parts of two
 * engines may share nothing that changes. `why` is the option that needs the trace, for messages. hooks may be NULL.
 * Fails as ct_replays_fit() of one engine, ct_pass_reopen(), ct_replay_new(), the engines and their parts do. */
int ct_replays_run(const struct ct_profile *p, const struct ct_pass_settings *settings, const char *why,
                   const struct ct_replays_engine *engine, unsigned n,
                   const struct ct_replays_hooks *hooks, struct ct_replay_counts *total,
                   struct ct_error *e);

/* Whether an engine of such a run has stopped at its options.most_cycles: total is what it counted until then, and more
 * cycles than these. Pure. */
int ct_replays_stopped(const struct ct_replays_engine *engine, const struct ct_replay_counts *total);
/* Lines of an L1 at its largest: an adaptive one takes what shared memory leaves of both. Pure. */
double ct_replays_l1_lines(const struct ct_gpu *g);
/* Bytes that an engine of that GPU takes, whatever the trace. Pure. */
double ct_replays_bytes(const struct ct_gpu *g);
/* Fails with CT_ERR_LIMIT, and says what to do, when that many bytes for a GPU are more than 1 GiB and more than
 * settings->max_memory: a file of strangers may ask for any size. */
int ct_replays_fit(const struct ct_pass_settings *settings, const struct ct_gpu *g, double bytes,
                   struct ct_error *e);

CT_DECLS_END

#endif

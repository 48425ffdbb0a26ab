/* observers.h - what mechanisms measure in the pass that makes a profile, handed to it in one list. */
#ifndef CT_MODELS_OBSERVERS_H
#define CT_MODELS_OBSERVERS_H

#include "base/decls.h"
#include "models/mechanism.h"
#include "pass/pass.h"

CT_DECLS_BEGIN

/* list and n are for struct ct_pass_options; they point into this struct, which may not be copied or moved. */
struct ct_mechanism_observers {
	const struct ct_pass_observer *list[CT_PASS_OBSERVERS_MAX];
	unsigned n;
	struct ct_pass_observer own[CT_PASS_OBSERVERS_MAX]; /* of runs, with the run as its ctx */
};

/* Lists the observers that every pass carries (mechanism->always, of all mechanisms of the registry but those whose bit
 * of ct_mechanism_at() `without` has), and behind them
 * those of n runs, in the order in which they are to write; a run whose mechanism has none adds none. The runs are
 * open, and *o and they outlive the pass. Fails with CT_ERR_LIMIT when there are more than CT_PASS_OBSERVERS_MAX.
 * Distinct lists may be made in distinct threads. */
int ct_mechanism_observers(struct ct_mechanism_observers *o, uint32_t without,
                           struct ct_mechanism_run *const *run, unsigned n, struct ct_error *e);

/* Lists one more, which outlives the pass. Fails with CT_ERR_LIMIT likewise. */
int ct_mechanism_observers_add(struct ct_mechanism_observers *o, const struct ct_pass_observer *observer,
                               struct ct_error *e);
/* The layers of a pass (enum ct_pass_layer, a bit each) that none of those mechanisms needs, a bit each as of
 * ct_mechanism_at(): neither its estimate, nor its verdict, nor its curve. For struct ct_pass_options.without. Pure. */
unsigned ct_mechanisms_without(uint32_t mechanisms);
/* Makes a profile for one run: replays the trace at `path` with those observers on run->gpu into run->p, which is empty so
 * far, then reads *w from it and hands it to the run as run->workload. The run is open and knows settings, p, base and gpu;
 * w outlives its use. Fails as ct_trace_open(), ct_pass_run() and ct_workload_read() do; damage is CT_ERR_INPUT. */
int ct_mechanism_profile(struct ct_mechanism_run *run, const char *path, struct ct_workload *w,
                         struct ct_error *e);

CT_DECLS_END

#endif

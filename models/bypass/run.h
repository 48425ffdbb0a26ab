/* run.h - private: what the files behind the mechanism's table share. */
#ifndef CT_MODELS_BYPASS_RUN_H
#define CT_MODELS_BYPASS_RUN_H

#include "models/bypass/estimate.h"
#include "models/mechanism.h"

#define BP_MECHANISM "bypass"

/* The state of a run, from its open() to its close(). */
struct bp_run {
	struct ct_bp_params params;
	const char *measured_by;    /* the first -p that changes what the L1s hold, or NULL */
	struct ct_bp_answer answer; /* after estimate() */
};

static inline struct bp_run *bp_run_of(const struct ct_mechanism_run *run)
{
	return run->state;
}

/* replays.c: replays the baseline of run->p once more with the systems measured on it, and puts their ES records
 * into run->p. `why` is the option that needs the trace. Fails as ct_replays_run() does. */
int bp_measure_again(const struct ct_mechanism_run *run, const char *why, struct ct_error *e);
/* Members of the mechanism's table (models/mechanism.h). */
int bp_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e);
int bp_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
              void **parts, struct ct_error *e);
void bp_engine_free(void *parts);
int bp_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                  struct ct_replays_engine *engine, void **parts, struct ct_error *e);

/* show.c */
int bp_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
            struct ct_error *e);
int bp_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                      const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e);

/* reason.c */
int bp_acted(const struct ct_profile *p, char *text, size_t n);
void bp_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
               size_t n);
const char *bp_cure(const char *method, int by_parameters);

#endif

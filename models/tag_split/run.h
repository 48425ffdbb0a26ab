/* run.h - private: what the files behind the mechanism's table share. */
#ifndef CT_MODELS_TAG_SPLIT_RUN_H
#define CT_MODELS_TAG_SPLIT_RUN_H

#include "models/mechanism.h"
#include "models/tag_split/estimate.h"

#define TS_MECHANISM "tag-split"

enum { TS_POINTS_MAX = 64 }; /* of a sweep that is measured */

/* The state of a run, from ts_open() to ts_close(). */
struct ts_run {
	struct ct_ts_params params;
	const char *measured_by; /* the first -p that changes what the L1s hold, or NULL */
	unsigned systems;        /* that are measured and estimated, a bit each of ct_ts_system_at() */
	struct ct_ts_answer answer; /* after ts_estimate() */
};

/* The state of a run that is open. */
static inline struct ts_run *ts_run_of(const struct ct_mechanism_run *run)
{
	return run->state;
}

/* mechanism.c: the systems of the run, out[CT_TS_SYSTEMS]; returns how many. Pure. */
unsigned ts_run_systems(const struct ts_run *own, struct ct_ts_system *out);

/* replays.c: replays the baseline of run->p once more with n systems measured on it, and puts their ES
 * records into `into`. `why` is the option that needs the trace. Fails as ct_replays_run() does. */
int ts_measure_again(const struct ct_mechanism_run *run, const char *why,
                     const struct ct_ts_system *systems, unsigned n, struct ct_profile *into,
                     struct ct_error *e);
/* Members of the mechanism's table (models/mechanism.h). */
int ts_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e);
int ts_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
              void **parts, struct ct_error *e);
void ts_engine_free(void *parts);
/* What such a replay has counted, as ct_mechanism's replay_records() says. */
void ts_replay_records(const struct ct_mechanism_run *run, unsigned system,
                       const struct ct_replay_counts *total, const void *parts, struct ct_records *w);

/* sweep.c */
extern const struct ct_mechanism_sweep ts_sweeps[];
enum { TS_SWEEPS = 3 };
/* Fails with CT_ERR_USAGE for a range that no L1 can be made of. Pure. */
int ts_sweep_check(const struct ct_range_spec *range, struct ct_error *e);
int ts_sweep(struct ct_mechanism_run *run, struct ct_error *e);

/* show.c */
int ts_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
            struct ct_error *e);
int ts_show_published(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                      struct ct_buf *b, struct ct_error *e);
int ts_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                      const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e);

/* reason.c */
int ts_acted(const struct ct_profile *p, char *text, size_t n);
void ts_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
               size_t n);
const char *ts_cure(const char *method, int by_parameters);

#endif

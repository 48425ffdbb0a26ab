/* run.h - private: what the files behind the mechanism's table share. */
#ifndef CT_MODELS_MALEKEH_RUN_H
#define CT_MODELS_MALEKEH_RUN_H

#include "models/malekeh/estimate.h"
#include "models/malekeh/masks.h"
#include "models/mechanism.h"

#define MK_MECHANISM "malekeh"

/* Options of the command, in the order of the mechanism's table. */
enum { MK_OPTION_STUDIES, MK_OPTION_TABLE, MK_OPTIONS };

/* What the pass measures: row i is written as ES, or as SW at x[i] of key where that is a point of the sweep. */
struct mk_request {
	struct ct_mk_system *system;  /* OCU first, OCU-own among them */
	char (*x)[CT_RANGE_PART_MAX]; /* "" for ES */
	size_t n;
	const char *key; /* of the sweep, or NULL */
};

/* One system, by the sub-core model or in the full engine. */
struct mk_engine_row {
	const char *system;
	double cycles, speedup, hit;
};

/* The state of a run, from open() to close(). */
struct mk_run {
	struct ct_mk_params params;
	struct ct_mk_sthld_table table;
	struct mk_request request;
	struct ct_mk_masks
		masks; /* reuse bits and plans for the full engine, from a pass; empty where none was made yet */
	struct ct_gpu gto; /* the GPU in force with the paper's baseline scheduler, for engines */
	struct mk_engine_row engine[CT_MK_SYSTEMS], model[CT_MK_SYSTEMS];
	unsigned engines; /* of engine[] that replay() filled */
};

static inline struct mk_run *mk_run_of(const struct ct_mechanism_run *run)
{
	return run->state;
}

/* request.c */
extern const struct ct_mechanism_sweep mk_sweeps[];
enum { MK_SWEEPS = 6 };
/* Fills *q with what the run asks for. Fails with CT_ERR_NOMEM. */
int mk_request_make(struct mk_request *q, const struct ct_mechanism_run *run, struct ct_error *e);
void mk_request_free(struct mk_request *q);

/* observer.c: measures the request beside the baseline replay; with method analytic nothing. */
extern const struct ct_pass_observer mk_observer;

/* replays.c: members of the mechanism's table (models/mechanism.h). */
int mk_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e);
int mk_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
              void **parts, struct ct_error *e);
void mk_engine_free(void *parts);
int mk_is_configured(const struct ct_mechanism_run *run, unsigned system);

/* show.c */
int mk_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
            struct ct_error *e);
int mk_show_published(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                      struct ct_buf *b, struct ct_error *e);
int mk_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                      const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e);

/* reason.c */
int mk_acted(const struct ct_profile *p, char *text, size_t n);
void mk_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
               size_t n);
const char *mk_cure(const char *method, int by_parameters);

#endif

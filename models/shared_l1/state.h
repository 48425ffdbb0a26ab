/* state.h - what a run of the mechanism keeps from open() to close(). Private to the room. */
#ifndef CT_MODELS_SHARED_L1_STATE_H
#define CT_MODELS_SHARED_L1_STATE_H

#include "models/mechanism.h"
#include "models/shared_l1/estimate.h"

/* Places of the options in the mechanism's table. */
enum {
	CT_SL_OPTION_NETWORK,
	CT_SL_OPTION_PLACEMENT,
	CT_SL_OPTION_HOMES,
	CT_SL_OPTION_COUNT,
	CT_SL_OPTION_TIMELINE,
	CT_SL_OPTIONS
};

struct ct_sl_run {
	struct ct_sl_params params;
	const char *placement;    /* --placement, or NULL: the default of the GPU */
	int timeline;             /* --timeline */
	int own_choices;          /* network, placement, homes or count were given */
	struct ct_sl_place place; /* of the GPU in force, where has_place */
	int has_place;
	int answered; /* answer is there */
	struct ct_sl_answer answer;
	unsigned held; /* systems whose replays came with the profile, a bit each */
	struct ct_sl_row
		mixed[CT_SL_SYSTEMS]; /* the answer's rows, with those replays in their places */
	unsigned replayed_systems;    /* of replayed[], a bit each */
	struct ct_sl_row replayed[CT_SL_SYSTEMS];
};

extern const struct ct_mechanism ct_mechanism_shared_l1;
/* What every pass keeps for shared L1s beyond its histograms (watch.h): for ct_mechanism.always. */
extern const struct ct_pass_observer ct_sl_watch_observer;
/* Replays, when a pass is over, what the order of accesses decides: for ct_mechanism.observer. */
extern const struct ct_pass_observer ct_sl_order_observer;

/* Where cores and partitions of the GPU sit, as the options say, where the GPU or the network that is asked about is a
 * mesh: *place is filled and *has_place set. Fails as ct_sl_place_load() and ct_sl_place_default(). */
int ct_sl_find_place(const struct ct_sl_run *s, const struct ct_gpu *g, struct ct_sl_place *place,
                     int *has_place, struct ct_error *e);
/* 1 when the network that is asked about is a mesh. Pure. */
int ct_sl_asks_mesh(const struct ct_sl_params *p, const struct ct_gpu *g);

/* The functions of the mechanism's table, as models/mechanism.h describes them. */
int ct_sl_open(struct ct_mechanism_run *run, struct ct_error *e);
void ct_sl_close(struct ct_mechanism_run *run);
int ct_sl_estimate_run(struct ct_mechanism_run *run, struct ct_error *e);
int ct_sl_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e);
int ct_sl_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
                 void **parts, struct ct_error *e);
void ct_sl_engine_free(void *parts);
void ct_sl_replay_records(const struct ct_mechanism_run *run, unsigned system,
                          const struct ct_replay_counts *total, const void *parts, struct ct_records *w);
int ct_sl_acted(const struct ct_profile *p, char *text, size_t n);
void ct_sl_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
                  size_t n);
const char *ct_sl_cure(const char *method, int by_parameters);
int ct_sl_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
               struct ct_error *e);
int ct_sl_show_published(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                         struct ct_buf *b, struct ct_error *e);
int ct_sl_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                         const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e);

/* The rows that people are shown: replayed where the method says so, else the answer's with replays that came with the
 * profile in their places. */
const struct ct_sl_row *ct_sl_shown_rows(const struct ct_mechanism_run *run);

#endif

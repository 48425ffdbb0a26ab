/* state.h - what a run of the mechanism keeps from open() to close(). Private to the room. */
#ifndef CT_MODELS_MORPHEUS_STATE_H
#define CT_MODELS_MORPHEUS_STATE_H

#include "models/mechanism.h"
#include "models/morpheus/estimate.h"

/* Places of the options in the mechanism's table. */
enum { CT_MO_OPTION_HELPER, CT_MO_OPTION_MIX, CT_MO_OPTIONS };

struct ct_mo_state {
	struct ct_morpheus_params params;
	struct ct_morpheus_mix mix; /* --mix */
	int has_mix;
	int answered; /* answer is there */
	struct ct_mo_answer answer;
	int replayed;                        /* row[] is there */
	struct ct_mo_row row[CT_MO_SYSTEMS]; /* replayed; cycles are NaN where a system was not */
};

extern const struct ct_mechanism ct_mechanism_morpheus;

/* The functions of the mechanism's table, as models/mechanism.h describes them. */
int ct_mo_open(struct ct_mechanism_run *run, struct ct_error *e);
void ct_mo_close(struct ct_mechanism_run *run);
int ct_mo_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e);
unsigned ct_mo_candidates(const struct ct_mechanism_run *run, unsigned system,
                          const struct ct_mechanism_tried *tried, unsigned n_tried,
                          double value[CT_CANDIDATES_MAX]);
int ct_mo_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
                 void **parts, struct ct_error *e);
void ct_mo_engine_free(void *parts);
void ct_mo_setting_records(const struct ct_mechanism_run *run, unsigned system, double setting,
                           struct ct_records *w);
int ct_mo_acted(const struct ct_profile *p, char *text, size_t n);
void ct_mo_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
                  size_t n);
const char *ct_mo_cure(const char *method, int by_parameters);
int ct_mo_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
               struct ct_error *e);
int ct_mo_show_published(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                         struct ct_buf *b, struct ct_error *e);
int ct_mo_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                         const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e);

#endif

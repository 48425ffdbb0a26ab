/* replays.c - the systems through the replay engine: all that were asked for, or one for replays beside others. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "models/common/records.h"
#include "models/morpheus/replayed.h"
#include "models/morpheus/state.h"

/* Runs the lanes that have not run yet, in one pass over the trace. */
static int run_lanes(const struct ct_mechanism_run *run, struct ct_mo_replays *x, const char *why,
                     struct ct_error *e)
{
	unsigned n = x->n - x->n_run;
	struct ct_replay_counts *total = ct_calloc(n, sizeof *total);
	struct ct_replays_engine *engine = ct_calloc(n, sizeof *engine);
	int st = total && engine ? CT_OK : ct_fail_nomem(e);
	for (unsigned i = 0; st == CT_OK && i < n; i++) {
		const struct ct_mo_lane *l = &x->lane[x->n_run + i];
		engine[i] = (struct ct_replays_engine){.gpu = &l->gpu, .options = l->options};
	}
	if (st == CT_OK)
		st = ct_replays_run(run->p, run->settings, why, engine, n, NULL, total, e);
	if (st == CT_OK)
		ct_mo_replays_done(x, total);
	free(engine);
	free(total);
	return st;
}

static int need_answer(const struct ct_mo_state *s, struct ct_error *e)
{
	return s->answered ? CT_OK
	                   : ct_fail(e, CT_ERR_USAGE,
	                             "Morpheus is replayed at an SM count that its estimate or a "
	                             "search chooses: estimate it first, or give the count");
}

int ct_mo_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e)
{
	struct ct_mo_state *s = run->state;
	struct ct_mo_replays *x = ct_calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	int st = need_answer(s, e), more = st == CT_OK;
	if (more) {
		x->answer = &s->answer;
		x->model = s->answer.model;
		x->warmup = run->settings->warmup;
		x->sms = (unsigned)run->setting;
	}
	while (st == CT_OK && more) {
		st = ct_mo_replays_next(x, e);
		more = x->n > x->n_run;
		if (st == CT_OK && more)
			st = run_lanes(run, x, why, e);
	}
	if (st == CT_OK) {
		ct_mo_replays_rows(x, s->row);
		s->replayed = 1;
		st = ct_mo_answer_write_replayed(&s->answer, s->row, run->check, run->p, e);
	}
	ct_mo_replays_free(x);
	free(x);
	return st;
}

/* The model without a profile's curves: enough to make an engine. */
static int open_bare_model(const struct ct_mechanism_run *run, struct ct_mo_model *m, struct ct_error *e)
{
	const struct ct_mo_state *s = run->state;
	return ct_mo_model_open(m, run->workload, run->base ? run->base : run->gpu, run->gpu, &s->params,
	                        s->has_mix ? &s->mix : NULL, e);
}

unsigned ct_mo_candidates(const struct ct_mechanism_run *run, unsigned system,
                          const struct ct_mechanism_tried *tried, unsigned n_tried,
                          double value[CT_CANDIDATES_MAX])
{
	const struct ct_mo_system *s = ct_mo_system_at(system);
	struct ct_mo_model m;
	if (!s || !s->best_sms || open_bare_model(run, &m, NULL) != CT_OK)
		return 0;
	return ct_mo_search_next(ct_mo_fewest_sms(&m, s), run->gpu->sms, tried, n_tried, value);
}

/* The compute SMs of an engine: those that were given, that the estimate chose, or all. Whether that and the LLC are known
 * without the estimate goes to *alone. */
static double engine_sms(const struct ct_mechanism_run *run, const struct ct_mo_system *s, int *alone)
{
	const struct ct_mo_state *state = run->state;
	size_t i = (size_t)ct_mo_system_find(s->name);
	int chooses = s->best_sms || s->as_ibl;
	*alone = !s->grown && (!chooses || run->setting > 0);
	if (chooses && run->setting > 0)
		return run->setting;
	if (chooses && state->answered && state->answer.systems >> i & 1)
		return state->answer.row[i].x.compute_sms;
	return chooses ? 0 : run->gpu->sms;
}

int ct_mo_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
                 void **parts, struct ct_error *e)
{
	const struct ct_mo_state *state = run->state;
	const struct ct_mo_system *s = ct_mo_system_at(system);
	struct ct_mo_lane *l = ct_calloc(1, sizeof *l);
	struct ct_mo_model bare;
	int alone;
	*parts = l;
	if (!l)
		return ct_fail_nomem(e);
	if (!s)
		return ct_fail(e, CT_ERR_USAGE, "Morpheus has no system %u: see --help for them",
		               system);
	double sms = engine_sms(run, s, &alone);
	int st = alone ? open_bare_model(run, &bare, e) : need_answer(state, e);
	if (st == CT_OK && (sms < 1 || sms != floor(sms) || sms > run->gpu->sms))
		st = ct_fail(e, CT_ERR_USAGE,
		             "%s: not estimated, and %g is no SM count: estimate all systems or give "
		             "1 to %u",
		             s->name, sms, run->gpu->sms);
	if (st == CT_OK)
		st = ct_mo_lane_init(l, alone ? &bare : &state->answer.model, s, (unsigned)sms,
		                     run->settings ? run->settings->warmup : 0, e);
	*engine = (struct ct_replays_engine){.gpu = &l->gpu, .options = l->options};
	return st;
}

/* The SMs that compute and cache, and what these lend to the LLC. */
void ct_mo_setting_records(const struct ct_mechanism_run *run, unsigned system, double setting,
                           struct ct_records *w)
{
	const struct ct_mo_system *s = ct_mo_system_at(system);
	struct ct_mo_model m;
	const double cache = s->extended ? run->gpu->sms - setting : 0;
	if (w->status == CT_OK)
		w->status = open_bare_model(run, &m, w->e);
	ct_records_value(w, "compute_sms", setting);
	ct_records_value(w, "cache_sms", cache);
	if (w->status == CT_OK)
		ct_records_value(w, "extended_llc_bytes",
		                 cache * (double)(m.kernel[s->compression].rf_bytes +
		                                  m.kernel[s->compression].l1_bytes));
}

void ct_mo_engine_free(void *parts)
{
	if (parts)
		ct_mo_lane_free(parts);
	free(parts);
}

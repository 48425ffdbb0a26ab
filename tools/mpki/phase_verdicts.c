#include "mpki/phase_verdicts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "common/question.h"
#include "common/terminal.h"
#include "models/common/records.h"
#include "models/common/workload.h"
#include "models/registry.h"
#include "models/verdict/bound.h"
#include "models/verdict/size.h"
#include "models/verdict/verdict.h"
#include "mpki/phase_clock.h"
#include "pass/replays.h"

enum { SYSTEMS_MAX = 8 * CT_MECHANISMS_MAX, ENGINES_MAX = 64, TRIED_MAX = 64 };

/* Warp instructions of a phase, from `from` to before `to`. */
struct phase {
	uint64_t from, to;
};

/* A system that is replayed, and what came of it. */
struct system {
	struct ct_question *question; /* NULL: the GPU as configured, or an ideal */
	const char *name;
	unsigned index; /* in the mechanism's list */
	unsigned ideal; /* enum ct_replay_ideal, of an ideal */
	struct ct_mechanism_tried tried[TRIED_MAX];
	unsigned n_tried;
	double *cycles; /* of each phase, at the setting that takes the fewest there */
};

/* A replay of a round. */
struct engine {
	struct system *system;
	double setting;
	void *parts;
	struct ct_replay_observer observer;
	struct mpki_clock clock;
};

struct bench {
	struct ct_stage *s;
	struct ct_pass_settings settings;
	struct ct_question
		question[CT_MECHANISMS_MAX]; /* in the order of the registry; open where asked */
	struct ct_workload workload;
	int workload_status;
	struct phase *phase;
	size_t phases;
	struct system system[SYSTEMS_MAX];
	unsigned n;
	struct engine *engine;
	struct ct_replays_engine spec[ENGINES_MAX];
	unsigned engines;
	struct mpki_clock configured; /* taken from the first round */
};

/* ---- phases ---- */

/* The ranges of the phases from the intervals of the profile. */
static int read_phases(struct bench *b, struct ct_error *e)
{
	enum { SCOPE, PHASE, FROM, TO, METRIC, VALUE };
	const struct ct_record *r;
	uint64_t done = 0, number, insts;
	size_t cap = 0;
	for (size_t i = 0; (r = ct_profile_next(b->s->p, "PH", &i));) {
		if (strcmp(r->field[SCOPE], "all") != 0 || strcmp(r->field[METRIC], "warp_insts") != 0 ||
		    !ct_field_count(r->field[PHASE], &number) ||
		    !ct_field_count(r->field[VALUE], &insts))
			continue;
		if (number > b->phases) {
			if (ct_grow((void **)&b->phase, &cap, b->phases + 1, sizeof *b->phase) < 0)
				return ct_fail_nomem(e);
			b->phase[b->phases++] = (struct phase){done, done};
		}
		done += insts;
		b->phase[b->phases - 1].to = done;
	}
	return CT_OK;
}

/* ---- systems ---- */

static int add_system(struct bench *b, const struct system *s, struct ct_error *e)
{
	if (b->n == SYSTEMS_MAX)
		return ct_fail(e, CT_ERR_LIMIT, "--mechanism: too many systems to replay: name fewer");
	struct system *x = &b->system[b->n];
	*x = *s;
	x->cycles = ct_calloc(b->phases + 1, sizeof *x->cycles);
	b->n += x->cycles != NULL;
	for (size_t i = 0; x->cycles && i < b->phases; i++)
		x->cycles[i] = INFINITY;
	return x->cycles ? CT_OK : ct_fail_nomem(e);
}

static int add_named(struct bench *b, struct ct_question *q, const char *name, struct ct_error *e)
{
	int i = ct_mechanism_system(q->run.mechanism, name);
	return i < 0 ? CT_OK
	             : add_system(b, &(struct system){.question = q, .name = name, .index = (unsigned)i},
	                          e);
}

/* The ideal of a mechanism's level. That of the register banks takes as long to replay as the mechanism itself. */
static int add_ideal(struct bench *b, enum ct_mechanism_bound bound, struct ct_error *e)
{
	static const unsigned ideals[] = {[CT_BOUND_L1] = CT_REPLAY_IDEAL_L1,
	                                  [CT_BOUND_LLC] = CT_REPLAY_IDEAL_LLC,
	                                  [CT_BOUND_REGISTERS] = 0};
	unsigned ideal = ideals[bound];
	for (unsigned i = 0; i < b->n; i++)
		if (b->system[i].ideal == ideal)
			return CT_OK;
	return add_system(b, &(struct system){.name = "ideal", .ideal = ideal}, e);
}

static int add_mechanism(struct bench *b, struct ct_tool *t, unsigned m, struct ct_error *e)
{
	const struct ct_mechanism *x = ct_mechanism_at(m);
	struct ct_question *q = &b->question[m];
	if (!x->engine)
		return ct_fail(e, CT_ERR_USAGE, "--mechanism %s: no replay of ours knows it", x->name);
	int st = ct_question_open(q, t, x, e);
	if (st != CT_OK)
		return st;
	ct_question_about(q, b->s, b->workload_status == CT_OK ? &b->workload : NULL);
	st = add_named(b, q, x->judged, e);
	for (const char *const *other = x->alternatives; st == CT_OK && other && *other; other++)
		st = add_named(b, q, *other, e);
	if (st == CT_OK && x->configured)
		st = add_named(b, q, x->configured, e);
	return st == CT_OK ? add_ideal(b, x->bound, e) : st;
}

/* ---- replays ---- */

static int add_engine(struct bench *b, struct system *s, double setting, struct ct_error *e)
{
	struct engine *x = &b->engine[b->engines];
	struct ct_replays_engine *spec = &b->spec[b->engines];
	if (b->engines == ENGINES_MAX)
		return CT_OK;
	*x = (struct engine){.system = s, .setting = setting};
	b->engines++;
	*spec = (struct ct_replays_engine){.gpu = &b->s->gpu, .options = {.ideal = s->ideal}};
	int st = mpki_clock_init(&x->clock, e);
	if (st == CT_OK && s->question) {
		struct ct_mechanism_run *run = &s->question->run;
		run->setting = setting;
		st = run->mechanism->engine(run, s->index, spec, &x->parts, e);
		run->setting = 0;
	}
	x->observer = mpki_clock_observer(&x->clock);
	spec->options.timing = CT_REPLAY_FULL;
	spec->options.observers = &x->observer;
	spec->options.n_observers = 1;
	return st;
}

/* What a system wants next: its one engine, once, or those of its search, which looks at the cycles of the whole run. */
static int add_engines(struct bench *b, struct system *s, struct ct_error *e)
{
	double value[CT_CANDIDATES_MAX];
	const struct ct_mechanism_run *run = s->question ? &s->question->run : NULL;
	unsigned n = 0;
	if (run && run->mechanism->candidates)
		n = run->mechanism->candidates(run, s->index, s->tried, s->n_tried, value);
	if (!n)
		return s->n_tried ? CT_OK : add_engine(b, s, 0, e);
	int st = CT_OK;
	for (unsigned i = 0; i < n && st == CT_OK; i++)
		st = add_engine(b, s, value[i], e);
	return st;
}

/* Counts are 0 for engines that another pass over the trace has. */
static int end_launch(void *ctx, const struct ct_kernel *k, const struct ct_replay_counts *launch,
                      struct ct_error *e)
{
	struct bench *b = ctx;
	int st = CT_OK;
	(void)k;
	for (unsigned i = 0; i < b->engines && st == CT_OK; i++)
		if (launch[i].cycles)
			st = mpki_clock_launch(&b->engine[i].clock, &launch[i], e);
	return st;
}

/* Each phase takes the setting that is best there. */
static void take_cycles(const struct bench *b, struct engine *x)
{
	struct system *s = x->system;
	mpki_clock_finish(&x->clock);
	for (size_t i = 0; i < b->phases; i++) {
		double v = mpki_clock_at(&x->clock, b->phase[i].to) -
		           mpki_clock_at(&x->clock, b->phase[i].from);
		s->cycles[i] = fmin(s->cycles[i], v);
	}
	if (s->n_tried < TRIED_MAX)
		s->tried[s->n_tried++] = (struct ct_mechanism_tried){
			x->setting, mpki_clock_at(&x->clock, UINT64_MAX)};
}

static void free_engines(struct bench *b)
{
	for (unsigned i = 0; i < b->engines; i++) {
		const struct engine *x = &b->engine[i];
		if (x->system->question)
			x->system->question->run.mechanism->engine_free(x->parts);
		mpki_clock_free(&b->engine[i].clock);
	}
	b->engines = 0;
}

/* One pass over the trace for all that systems want next; 0 in *n when none wants any more. */
static int run_round(struct bench *b, unsigned *n, struct ct_error *e)
{
	struct ct_replay_counts *total = ct_calloc(ENGINES_MAX, sizeof *total);
	const struct ct_replays_hooks hooks = {.ctx = b, .end = end_launch};
	int st = total ? CT_OK : ct_fail_nomem(e);
	for (unsigned i = 0; i < b->n && st == CT_OK; i++)
		if (b->system[i].n_tried < TRIED_MAX)
			st = add_engines(b, &b->system[i], e);
	*n = b->engines;
	if (st == CT_OK && *n)
		st = ct_replays_run(b->s->p, &b->settings, "--mechanism", b->spec, *n, &hooks, total, e);
	for (unsigned i = 0; i < *n && st == CT_OK; i++)
		take_cycles(b, &b->engine[i]);
	if (st == CT_OK && *n && !b->configured.launches) { /* the first of the first round */
		b->configured = b->engine[0].clock;
		b->engine[0].clock = (struct mpki_clock){.shift = 0};
	}
	free_engines(b);
	free(total);
	return st;
}

/* ---- verdicts ---- */

/* The launches of a phase, with the warps and instructions that they have there: they say how far it fills the GPU. */
static int copy_launches(const struct bench *b, const struct phase *ph, struct ct_profile *q,
                         struct ct_error *e)
{
	enum { WARPS = 4, WARP_INSTS = 5, FIELDS = 10 };
	const struct ct_record *r;
	size_t k = 0;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(b->s->p, "KN", &i)); k++) {
		char warps[24], insts[24];
		const char *field[FIELDS];
		if (k >= b->configured.launches || r->nfields < FIELDS)
			continue;
		const struct mpki_clock_launch *l = &b->configured.launch[k];
		uint64_t end = l->insts + l->own_insts, lo = ph->from > l->insts ? ph->from : l->insts,
			 hi = ph->to < end ? ph->to : end;
		if (hi <= lo)
			continue;
		memcpy(field, r->field, sizeof field);
		if (hi - lo < l->own_insts) { /* a part of it */
			snprintf(warps, sizeof warps, "%" PRIu64,
			         mpki_clock_warps(&b->configured, k, lo, hi));
			field[WARPS] = warps;
		}
		snprintf(insts, sizeof insts, "%" PRIu64, hi - lo);
		field[WARP_INSTS] = insts;
		st = ct_profile_add(q, "KN", FIELDS, field, e);
	}
	return st;
}

static double cycles_of(const struct bench *b, const struct ct_question *q, const char *name, size_t i)
{
	for (unsigned k = 0; k < b->n; k++)
		if (b->system[k].question == q && strcmp(b->system[k].name, name) == 0)
			return b->system[k].cycles[i];
	return NAN;
}

/* What the speed-ups of a mechanism's systems, or of an ideal (q NULL), are over in a phase: the cycles of the GPU as configured,
 * or of the system that stands for it. */
static double baseline_cycles(const struct bench *b, const struct ct_question *q, size_t i)
{
	const char *own = q ? q->run.mechanism->configured : NULL;
	return own ? cycles_of(b, q, own, i) : b->system[0].cycles[i];
}

/* A profile of one phase, with what a verdict looks at. Histograms and counts of the whole run are not of the phase. */
static int make_phase_profile(const struct bench *b, size_t i, struct ct_profile **q, struct ct_error *e)
{
	const struct ct_record *r;
	int st = CT_OK;
	if (!(*q = ct_profile_new(e)))
		return CT_ERR_NOMEM;
	for (size_t k = 0; st == CT_OK && (r = ct_profile_next(b->s->p, "GP", &k));)
		st = ct_profile_add(*q, "GP", r->nfields, r->field, e);
	for (unsigned k = 0; st == CT_OK && k < b->n; k++) {
		const struct system *s = &b->system[k];
		for (unsigned m = 0; m < CT_MECHANISMS_MAX && st == CT_OK; m++) {
			const struct ct_mechanism *x = b->question[m].run.mechanism;
			if (!x || (s->question ? s->question != &b->question[m] : !s->ideal))
				continue;
			struct ct_records w = {.p = *q,
			                       .e = e,
			                       .mechanism = x->name,
			                       .system = s->question ? s->name : ct_bound_system(x),
			                       .method = "full"};
			if (s->question || (x->bound == CT_BOUND_L1 && s->ideal == CT_REPLAY_IDEAL_L1) ||
			    (x->bound == CT_BOUND_LLC && s->ideal == CT_REPLAY_IDEAL_LLC))
				ct_records_value(&w, "speedup_configured",
				                 baseline_cycles(b, s->question, i) / s->cycles[i]);
			st = w.status;
		}
	}
	return st == CT_OK ? copy_launches(b, &b->phase[i], *q, e) : st;
}

/* Where a replay decides, its cycles are the reason. */
static void give_reason(const struct bench *b, const struct ct_question *q, size_t i,
                        struct ct_verdict *v)
{
	const char *judged = q->run.mechanism->judged, *own = q->run.mechanism->configured;
	char why[CT_REASON_MAX];
	if (v->decided_by == CT_DECIDED_NOT && ct_verdict_too_small(v)) {
		ct_size_advise_option(v->reason, sizeof v->reason);
		return;
	}
	const char *open = v->decided_by == CT_DECIDED_NOT ? "a full replay does not tell: " : "";
	int n = snprintf(why, sizeof why, "%sits instructions take %.0f cycles%s%s, with %s %.0f", open,
	                 baseline_cycles(b, q, i), own ? " with " : "", own ? own : "", judged,
	                 cycles_of(b, q, judged, i));
	if (*v->alternative)
		snprintf(why + n, sizeof why - (size_t)n, ", with %s %.0f", v->alternative,
		         cycles_of(b, q, v->alternative, i));
	memcpy(v->reason, why, sizeof why);
}

static int write_verdict(struct bench *b, const struct ct_question *q, size_t i,
                         const struct ct_verdict *v, struct ct_error *e)
{
	const struct ct_mechanism *m = q->run.mechanism;
	const double number[] = {
		v->speedup,
		v->low,
		v->high,
		baseline_cycles(b, q, i),
		cycles_of(b, q, m->judged, i),
		v->alternative_speedup};
	enum { NUMBERS = sizeof number / sizeof number[0] };
	char phase[24], text[NUMBERS][32];
	for (int k = 0; k < NUMBERS; k++) {
		struct ct_buf out = {0};
		ct_buf_real(&out, number[k]);
		snprintf(text[k], sizeof text[k], "%s", out.failed ? "NA" : out.data);
		ct_buf_free(&out);
	}
	snprintf(phase, sizeof phase, "%zu", i + 1);
	const char *field[] = {
		"all",
		phase,
		m->name,
		ct_verdict_word(v->word),
		text[0],
		text[1],
		text[2],
		text[3],
		text[4],
		v->reason,
		*v->alternative ? v->alternative : "NA",
		text[5],
		ct_verdict_step(v->decided_by)};
	return ct_profile_add(b->s->p, "PV", sizeof field / sizeof field[0], field, e);
}

static int judge_phases(struct bench *b, struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; i < b->phases && st == CT_OK; i++) {
		struct ct_profile *q = NULL;
		st = make_phase_profile(b, i, &q, e);
		for (unsigned m = 0; m < CT_MECHANISMS_MAX && st == CT_OK; m++) {
			struct ct_verdict v;
			if (!b->question[m].run.mechanism)
				continue;
			if (ct_verdict_decide(q, b->question[m].run.mechanism, &v) < 0)
				st = ct_fail_nomem(e);
			if (st == CT_OK) {
				give_reason(b, &b->question[m], i, &v);
				st = write_verdict(b, &b->question[m], i, &v, e);
			}
		}
		ct_profile_free(q);
	}
	return st;
}

static void close_bench(struct bench *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->n; i++)
		free(b->system[i].cycles);
	for (unsigned m = 0; m < CT_MECHANISMS_MAX; m++)
		if (b->question[m].run.mechanism)
			ct_question_close(&b->question[m]);
	mpki_clock_free(&b->configured);
	free(b->phase);
	free(b->engine);
	free(b);
}

int mpki_phase_verdicts(struct ct_tool *t, struct ct_stage *s, uint32_t mask, struct ct_error *e)
{
	struct bench *b = ct_calloc(1, sizeof *b);
	struct ct_error none;
	unsigned n = 1;
	if (!b || !(b->engine = ct_calloc(ENGINES_MAX, sizeof *b->engine))) {
		close_bench(b);
		return ct_fail_nomem(e);
	}
	b->s = s;
	ct_tool_pass_settings(t, &b->settings);
	b->workload_status = ct_workload_read(
		&b->workload, s->p, s->base.sms, (double)ct_gpu_register_bytes(&s->base), &none);
	int st = read_phases(b, e);
	if (st == CT_OK)
		st = add_system(b, &(struct system){.name = ct_verdict_baseline}, e);
	for (unsigned m = 0; st == CT_OK && ct_mechanism_at(m); m++)
		if (mask >> m & 1)
			st = add_mechanism(b, t, m, e);
	while (st == CT_OK && n)
		st = run_round(b, &n, e);
	if (st == CT_OK)
		st = judge_phases(b, e);
	close_bench(b);
	return st;
}

/* ---- what people see ---- */

static double number_of(const struct ct_record *r, unsigned field)
{
	double v;
	return ct_field_real(r->field[field], &v) ? v : NAN;
}

void mpki_phase_verdicts_print(const struct ct_profile *p, struct ct_buf *b)
{
	enum {
		PHASE = 1,
		MECHANISM,
		VERDICT,
		SPEEDUP,
		LOW,
		HIGH,
		CYCLES,
		WITH,
		REASON,
		OTHER,
		OTHERS,
		STEP
	};
	enum { COLUMNS = 8, SHOWN = 40 };
	static const char *const heads[COLUMNS] = {
		"phase", "mechanism", "verdict", "speed-up", "range", "cycles", "with it", "note"};
	static const unsigned char rank[COLUMNS] = {[5] = 1, [6] = 2};
	struct ct_table t = {.columns = COLUMNS, .style = ct_terminal_style(), .rank = rank};
	const struct ct_record *r;
	size_t rows = 0;
	ct_table_heads(&t, heads);
	for (size_t i = 0; (r = ct_profile_next(p, "PV", &i));) {
		if (rows++ >= SHOWN)
			continue;
		int decided = strcmp(r->field[STEP], "NA") != 0;
		ct_table_cell(&t, "%s", r->field[PHASE]);
		ct_table_cell(&t, "%s", r->field[MECHANISM]);
		ct_table_cell(&t, "%s", r->field[VERDICT]);
		ct_table_real(&t, number_of(r, SPEEDUP));
		ct_table_cell(&t, "%.2f..%.2f", number_of(r, LOW), number_of(r, HIGH));
		ct_table_cell(&t, "%.0f", number_of(r, CYCLES));
		ct_table_cell(&t, "%.0f", number_of(r, WITH));
		if (decided && strcmp(r->field[OTHER], "NA") != 0)
			ct_table_cell(&t, "%s gives %.3g", r->field[OTHER], number_of(r, OTHERS));
		else
			ct_table_cell(&t, "%s", decided ? "" : r->field[REASON]);
	}
	if (!rows) {
		ct_buf_free(&t.cells);
		return;
	}
	ct_buf_puts(b, "\nVerdicts of phases, against the GPU as configured\n");
	ct_table_render(&t, b);
	if (rows > SHOWN)
		ct_buf_printf(b, "%zu more: -O profile has all\n", rows - SHOWN);
}

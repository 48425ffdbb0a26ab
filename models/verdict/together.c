#include "models/verdict/together.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "models/common/records.h"
#include "models/registry.h"
#include "models/verdict/size.h"
#include "pass/replays.h"
#include "replay/parts.h"

enum { TRIED_MAX = 64, ENGINES_MAX = 64 };

/* What is replayed: the GPU as configured, one mechanism, or all; and the settings that were tried. */
struct subject {
	unsigned first, n; /* members of the struct ct_together; n 0: the GPU as configured */
	int is_baseline;   /* of the one member what stands for the GPU as configured in its parts */
	struct ct_mechanism_tried tried[TRIED_MAX];
	struct ct_replay_counts counts[TRIED_MAX];
	unsigned n_tried;
};

/* An engine and all that it is made from. */
struct made {
	struct subject *subject;
	double setting;
	struct ct_gpu gpu;
	struct ct_gpu asked
		[CT_TOGETHER_MAX]; /* the GPU that each member made its parts for: they may point at it */
	struct ct_replay_parts plugs;
	void *parts[CT_TOGETHER_MAX]; /* of each member */
	int has_parts;
	unsigned ideal;
};

struct bench {
	struct ct_together *x;
	struct subject subject[CT_TOGETHER_MAX + 3]; /* in the order of choose_subjects() */
	unsigned n;
	struct made *made;
	struct ct_replays_engine *engine;
	struct ct_replay_counts *total;
	unsigned n_made;
};

/* ---- what excludes what ---- */

static const char *place_name(unsigned place)
{
	switch (place) {
	case CT_PLACE_COALESCER: return "how lanes become requests";
	case CT_PLACE_L1_LINES: return "what an L1's lines are and which one leaves";
	case CT_PLACE_L1_SHARING: return "which SM's L1 serves an access";
	case CT_PLACE_NETWORK: return "the network";
	case CT_PLACE_LLC: return "the LLC";
	case CT_PLACE_SCHEDULER: return "which warp issues";
	case CT_PLACE_COLLECTOR: return "the operand collectors";
	case CT_PLACE_SMS: return "how many SMs compute";
	case CT_PLACE_L1_ADMISSION: return "which loads may fill an L1";
	default: return "the same part of the GPU";
	}
}

int ct_together_check(const struct ct_mechanism *const *m, unsigned n, struct ct_error *e)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++) {
			unsigned both = m[i]->places & m[k]->places;
			if (m[i] == m[k])
				return ct_fail(e, CT_ERR_USAGE, "%s is named twice", m[i]->name);
			if (!m[i]->engine || !m[k]->engine)
				return ct_fail(
					e, CT_ERR_USAGE,
					"%s cannot be replayed with others: no part of the engine "
					"stands for it",
					(m[i]->engine ? m[k] : m[i])->name);
			if (both)
				return ct_fail(e, CT_ERR_USAGE,
				               "%s and %s exclude each other: both decide %s",
				               m[k]->name, m[i]->name, place_name(both & -both));
			if (m[i]->configured && m[k]->configured)
				return ct_fail(
					e, CT_ERR_USAGE,
					"%s and %s exclude each other: each has its own model of the "
					"GPU as configured",
					m[k]->name, m[i]->name);
		}
	return CT_OK;
}

/* ---- one engine ---- */

struct digest {
	uint64_t crc;
};

static void add_key(void *ctx, const char *key, const char *value, const char *unit)
{
	struct digest *d = ctx;
	(void)unit;
	d->crc = ct_crc64(d->crc, key, strlen(key) + 1);
	d->crc = ct_crc64(d->crc, value, strlen(value) + 1);
}

static int is_same_gpu(const struct ct_gpu *a, const struct ct_gpu *b)
{
	struct digest x = {0}, y = {0};
	return ct_gpu_each(a, add_key, &x, NULL) == CT_OK &&
	       ct_gpu_each(b, add_key, &y, NULL) == CT_OK && x.crc == y.crc;
}

/* How many SMs at the front get CTAs. */
static uint32_t computing(const struct ct_gpu *g, const struct ct_replay_parts *p)
{
	uint32_t n = 0;
	while (n < g->sms && !(p->owned && p->owned[n]))
		n++;
	return n;
}

/* The system of member i that a subject has. */
static unsigned system_of(const struct ct_together *x, const struct subject *s, unsigned i)
{
	const struct ct_mechanism *m = x->run[i]->mechanism;
	return s->is_baseline ? (unsigned)ct_mechanism_system(m, m->configured) : x->system[i];
}

/* Asks member i for an engine on g, beside the parts that m has already. *parts is to be freed also after a failure. */
static int ask_engine(const struct ct_together *x, unsigned i, const struct ct_gpu *g,
                      const struct made *m, double setting, struct ct_replays_engine *engine,
                      void **parts, struct ct_error *e)
{
	struct ct_mechanism_run run = *x->run[i];
	run.gpu = g;
	run.setting = setting;
	run.sms = m->plugs.owned ? computing(g, &m->plugs) : 0;
	return run.mechanism->engine(&run, system_of(x, m->subject, i), engine, parts, e);
}

/* In which turn a member joins: first those that only make another GPU, on which the others then build; then those that
 * make another GPU and have parts, those that take SMs, and the rest. */
enum turn { TURN_GPU, TURN_GPU_AND_PARTS, TURN_SMS, TURN_REST, TURNS };

/* When a mechanism takes its turn: those that change the GPU come before those that plug parts into
 * it. */
static int find_turn(const struct ct_together *x, struct subject *s, unsigned i, double setting,
                     enum turn *turn, struct ct_error *e)
{
	const struct ct_gpu *g = x->run[i]->gpu;
	const struct made none = {.subject = s};
	struct ct_replays_engine engine = {0};
	void *parts = NULL;
	int st = ask_engine(x, i, g, &none, setting, &engine, &parts, e);
	if (st == CT_OK) {
		int same = is_same_gpu(g, engine.gpu), plugs = engine.options.parts != NULL;
		*turn = !same && !plugs                        ? TURN_GPU
		        : !same                                ? TURN_GPU_AND_PARTS
		        : plugs && engine.options.parts->owned ? TURN_SMS
		                                               : TURN_REST;
	}
	x->run[i]->mechanism->engine_free(parts);
	return st;
}

static int join_member(const struct ct_together *x, unsigned i, double setting, struct made *m,
                       struct ct_error *e)
{
	struct ct_replays_engine engine = {0};
	struct ct_error why = {0};
	const struct ct_gpu *before = &m->asked[i];
	m->asked[i] = m->gpu;
	int st = ask_engine(x, i, before, m, setting, &engine, &m->parts[i], e);
	if (st != CT_OK)
		return st;
	if (m->has_parts && !is_same_gpu(before, engine.gpu))
		return ct_fail(e, CT_ERR_USAGE,
		               "%s cannot be replayed with the others: both make another GPU of it",
		               x->run[i]->mechanism->name);
	m->gpu = *engine.gpu;
	m->ideal |= engine.options.ideal;
	if (!engine.options.parts)
		return CT_OK;
	m->has_parts = 1;
	if (ct_replay_parts_join(&m->plugs, engine.options.parts, &why) != CT_OK)
		return ct_fail(e, CT_ERR_USAGE, "%s and the others exclude each other: %s",
		               x->run[i]->mechanism->name, why.text);
	return CT_OK;
}

/* Whether member i is the one whose setting the subject searches. */
static int has_setting(const struct ct_together *x, const struct subject *s, unsigned i)
{
	double value[CT_CANDIDATES_MAX];
	const struct ct_mechanism *m = x->run[i]->mechanism;
	return m->candidates && m->candidates(x->run[i], system_of(x, s, i), NULL, 0, value) > 0;
}

/* The member of a subject whose setting is searched; -1: none of them has one. */
static int searching(const struct ct_together *x, const struct subject *s)
{
	for (unsigned i = s->first; i < s->first + s->n; i++)
		if (has_setting(x, s, i))
			return (int)i;
	return -1;
}

static int make_engine(struct bench *b, struct subject *s, double setting, struct ct_error *e)
{
	const struct ct_together *x = b->x;
	struct made *m = &b->made[b->n_made];
	enum turn turn[CT_TOGETHER_MAX] = {TURN_GPU};
	int searched = searching(x, s), st = CT_OK;
	if (b->n_made == ENGINES_MAX)
		return CT_OK; /* in another round */
	*m = (struct made){.subject = s, .setting = setting, .gpu = *x->run[0]->gpu};
	b->n_made++;
	for (unsigned i = s->first; i < s->first + s->n && st == CT_OK; i++)
		st = find_turn(x, s, i, (int)i == searched ? setting : 0, &turn[i], e);
	for (unsigned t = 0; t < TURNS; t++)
		for (unsigned i = s->first; i < s->first + s->n && st == CT_OK; i++)
			if (turn[i] == t)
				st = join_member(x, i, (int)i == searched ? setting : 0, m, e);
	b->engine[b->n_made - 1] = (struct ct_replays_engine){
		.gpu = &m->gpu,
		.options = {.timing = CT_REPLAY_FULL,
	                    .warmup = x->settings->warmup,
	                    .ideal = m->ideal,
	                    .parts = m->has_parts ? &m->plugs : NULL}};
	return st;
}

static void free_engines(struct bench *b)
{
	for (unsigned i = 0; i < b->n_made; i++)
		for (unsigned k = 0; k < b->x->n; k++)
			b->x->run[k]->mechanism->engine_free(b->made[i].parts[k]);
	b->n_made = 0;
}

/* ---- rounds ---- */

/* The engines that a subject wants next: those of its search, or its only one. */
static int want_engines(struct bench *b, struct subject *s, struct ct_error *e)
{
	const struct ct_together *x = b->x;
	double value[CT_CANDIDATES_MAX];
	int searched = searching(x, s), st = CT_OK;
	unsigned n = 1;
	value[0] = 0;
	if (searched >= 0)
		n = x->run[searched]->mechanism->candidates(
			x->run[searched], system_of(x, s, (unsigned)searched), s->tried, s->n_tried,
			value);
	else if (s->n_tried)
		return CT_OK;
	for (unsigned i = 0; i < n && s->n_tried + n < TRIED_MAX && st == CT_OK; i++)
		st = make_engine(b, s, value[i], e);
	return st;
}

static void take_counts(const struct made *m, const struct ct_replay_counts *c)
{
	struct subject *s = m->subject;
	s->counts[s->n_tried] = *c;
	s->tried[s->n_tried++] = (struct ct_mechanism_tried){
		m->setting, (double)(c->cycles - c->launch_cycles)};
}

/* Replays what all subjects want next in one pass; 0 in *n when none wants any more. */
static int run_round(struct bench *b, const char *why, unsigned *n, struct ct_error *e)
{
	int st = CT_OK;
	for (unsigned i = 0; i < b->n && st == CT_OK; i++)
		st = want_engines(b, &b->subject[i], e);
	*n = b->n_made;
	if (st == CT_OK && *n)
		st = ct_replays_run(b->x->run[0]->p, b->x->settings, why, b->engine, *n, NULL, b->total,
		                    e);
	for (unsigned i = 0; i < *n && st == CT_OK; i++)
		take_counts(&b->made[i], &b->total[i]);
	free_engines(b);
	return st;
}

/* ---- results ---- */

static void take_result(const struct subject *s, double configured, struct ct_together_result *r)
{
	unsigned best = 0;
	for (unsigned i = 1; i < s->n_tried; i++)
		if (s->tried[i].cycles < s->tried[best].cycles)
			best = i;
	r->setting = s->tried[best].setting;
	r->cycles = s->tried[best].cycles;
	r->speedup = configured / r->cycles;
	r->counts = s->counts[best];
}

/* Each member alone, all together, the GPU as configured, and what stands for it in the parts of one member. */
static void choose_subjects(struct bench *b)
{
	const struct ct_together *x = b->x;
	for (unsigned i = 0; i < x->n; i++)
		b->subject[i] = (struct subject){.first = i, .n = 1};
	b->subject[x->n] = (struct subject){.first = 0, .n = x->n};
	b->n = x->n + 2;
	for (unsigned i = 0; i < x->n; i++)
		if (x->run[i]->mechanism->configured)
			b->subject[b->n++] = (struct subject){.first = i, .n = 1, .is_baseline = 1};
}

/* All together are held against what the one member with a baseline of its own is held against. */
static void take_results(struct bench *b)
{
	struct ct_together *x = b->x;
	const double configured = b->subject[x->n + 1].tried[0].cycles;
	double all = configured, product = 1;
	for (unsigned i = 0; i < x->n; i++) {
		double base = configured;
		if (x->run[i]->mechanism->configured)
			base = all = b->subject[x->n + 2].tried[0].cycles;
		take_result(&b->subject[i], base, &x->alone[i]);
		x->name[i] = x->run[i]->mechanism->name;
		product *= x->alone[i].speedup;
	}
	take_result(&b->subject[x->n], all, &x->together);
	x->interaction = x->together.speedup / product;
}

static int check_all(const struct ct_together *x, struct ct_error *e)
{
	const struct ct_mechanism *m[CT_TOGETHER_MAX];
	for (unsigned i = 0; i < x->n; i++)
		m[i] = x->run[i]->mechanism;
	return ct_together_check(m, x->n, e);
}

int ct_together_replay(struct ct_together *x, const char *why, struct ct_error *e)
{
	struct bench *b = ct_calloc(1, sizeof *b);
	unsigned n = 1;
	int st = b ? check_all(x, e) : ct_fail_nomem(e);
	if (st == CT_OK) {
		b->x = x;
		b->made = ct_calloc(ENGINES_MAX, sizeof *b->made);
		b->engine = ct_calloc(ENGINES_MAX, sizeof *b->engine);
		b->total = ct_calloc(ENGINES_MAX, sizeof *b->total);
		st = b->made && b->engine && b->total ? CT_OK : ct_fail_nomem(e);
	}
	if (st == CT_OK)
		choose_subjects(b);
	while (st == CT_OK && n)
		st = run_round(b, why, &n, e);
	if (st == CT_OK)
		take_results(b);
	if (b) {
		free(b->made);
		free(b->engine);
		free(b->total);
	}
	free(b);
	return st;
}

/* ---- records ---- */

void ct_together_name(const struct ct_together *x, struct ct_buf *mechanism, struct ct_buf *system)
{
	for (unsigned i = 0; i < x->n; i++) {
		const struct ct_mechanism *m = x->run[i]->mechanism;
		ct_buf_printf(mechanism, "%s%s", i ? "," : "", m->name);
		ct_buf_printf(system, "%s%s", i ? "," : "", m->systems[x->system[i]].name);
	}
}

static void write_result(struct ct_records *w, const struct ct_together_result *r)
{
	ct_records_value(w, "cycles", (double)r->counts.cycles);
	ct_records_value(w, "ipc", (double)r->counts.thread_insts / (double)r->counts.cycles);
	ct_records_value(w, "speedup_configured", r->speedup);
	ct_records_value(w, "llc_mpki",
	                 1000 * (double)r->counts.llc_misses / (double)r->counts.thread_insts);
}

int ct_together_write(const struct ct_together *x, struct ct_profile *p, struct ct_error *e)
{
	struct ct_buf mechanism = {0}, system = {0};
	struct ct_records w = {.p = p, .e = e, .method = "full"};
	for (unsigned i = 0; i < x->n; i++) {
		const struct ct_mechanism *m = x->run[i]->mechanism;
		w.mechanism = m->name;
		w.system = m->systems[x->system[i]].name;
		write_result(&w, &x->alone[i]);
		if (x->alone[i].setting > 0 && m->setting_records)
			m->setting_records(x->run[i], x->system[i], x->alone[i].setting, &w);
	}
	ct_together_name(x, &mechanism, &system);
	if (mechanism.failed || system.failed) {
		w.status = ct_fail_nomem(e);
	} else {
		w.mechanism = mechanism.data;
		w.system = system.data;
		w.method = "replay";
		write_result(&w, &x->together);
		ct_records_value(&w, "speedup", x->together.speedup);
		ct_records_value(&w, "interaction", x->interaction);
	}
	ct_buf_free(&mechanism);
	ct_buf_free(&system);
	return w.status;
}

/* ---- the verdict ---- */

static enum ct_verdict_word word_of(double low, double high)
{
	return low > ct_verdict_benefits ? CT_BENEFITS
	       : high < ct_verdict_hurts ? CT_HURTS
	       : low >= ct_verdict_hurts && high <= ct_verdict_benefits
	               ? CT_NEUTRAL
	               : CT_UNKNOWN;
}

/* The range of a ratio of cycles of two replays. */
static void range_of(const struct ct_profile *p, double ratio, double *low, double *high)
{
	const struct ct_estimate es = {
		.metric = "speedup_configured",
		.method = "full",
		.value = ratio,
		.low = NAN,
		.high = NAN};
	ct_verdict_range(p, &es, low, high);
}

void ct_together_verdict(const struct ct_together *x, const struct ct_profile *p, struct ct_verdict *v)
{
	double low, high;
	unsigned best = 0;
	*v = (struct ct_verdict){.speedup = x->together.speedup,
	                         .decided_by = CT_DECIDED_FULL,
	                         .sms_used = NAN,
	                         .sms_asked = NAN};
	range_of(p, x->together.speedup, &v->low, &v->high);
	v->word = word_of(v->low, v->high);
	for (unsigned i = 1; i < x->n; i++)
		if (x->alone[i].speedup > x->alone[best].speedup)
			best = i;
	snprintf(v->alternative, sizeof v->alternative, "%s", x->name[best]);
	v->alternative_speedup = x->alone[best].speedup;
	range_of(p, x->together.speedup / x->alone[best].speedup, &low, &high);
	if (v->word == CT_BENEFITS && !(low > ct_verdict_benefits))
		v->word = high > ct_verdict_benefits ? CT_UNKNOWN : CT_NEUTRAL;
	ct_size_sms(p, &v->sms_used, &v->sms_asked);
	size_t n = (size_t)snprintf(
		v->reason, sizeof v->reason, "interaction %.3f: alone", x->interaction);
	for (unsigned i = 0; i < x->n && n < sizeof v->reason; i++)
		n += (size_t)snprintf(v->reason + n, sizeof v->reason - n, "%s %s %+.1f %%",
		                      i ? "," : "", x->name[i], 100 * (x->alone[i].speedup - 1));
}

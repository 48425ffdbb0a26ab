#include "models/verdict/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/common/records.h"
#include "models/verdict/bound.h"
#include "models/verdict/range.h"
#include "pass/replays.h"

/* Systems that are replayed: of each mechanism the judged one, its alternatives, its ideal, and the GPU as configured. */
enum { SYSTEMS_MAX = 8 * CT_MECHANISMS_MAX, SYSTEMS_EACH = 64, TRIED_MAX = 64, ENGINES_MAX = 64 };

/* Replays that are kept for other systems that come to the same GPU. */
enum { PLAIN_CONFIGURED, PLAIN_LAST, PLAIN_KEPT };

/* A system and what its replays in the timing at hand gave. */
struct system {
	struct ct_mechanism_run *run; /* NULL: the GPU as configured, or an ideal of all mechanisms */
	unsigned mechanism;           /* of run, in the registry */
	const char *name;
	unsigned index; /* in the mechanism's list */
	unsigned ideal; /* enum ct_replay_ideal, of an ideal */
	struct ct_mechanism_tried tried[TRIED_MAX];
	unsigned n_tried;
	struct ct_replay_counts best;   /* of the setting with the fewest cycles */
	struct ct_sample_series sample; /* of it, where the trace is sampled */
	double only;   /* the one setting to replay; 0: those of a search, or the only one there is */
	double enough; /* cycles after which its replay tells nothing more; 0: all of it does */
};

/* An engine of a round. */
struct engine {
	struct system *system;
	double setting;
	void *parts;
};

struct round {
	struct engine engine[ENGINES_MAX];
	struct ct_replays_engine spec[ENGINES_MAX];
	unsigned n;
};

/* What speed-ups are over. */
struct baseline {
	double cycles; /* in this timing; 0: not replayed yet */
	struct ct_sample_series sample;
};

struct bench {
	struct ct_judge *j;
	enum ct_replay_timing timing;
	const char *method; /* of the ES records */
	struct system *system;
	unsigned n;
	struct baseline configured;             /* the GPU as configured, */
	struct baseline own[CT_MECHANISMS_MAX]; /* and what stands for it in the parts of a mechanism */
	/* GPUs without parts and ideals whose replay in this timing is known, and what they counted: the one as configured,
	 * and the last of a system. Cycles 0: none. Samples are not kept. */
	struct ct_gpu plain_gpu[PLAIN_KEPT];
	struct ct_replay_counts plain[PLAIN_KEPT];
	double found[CT_MECHANISMS_MAX][SYSTEMS_EACH]; /* the settings that quick replays found best */
	/* What the ideals of mechanisms with settings gave: cycles over those of the GPU as configured. */
	struct ct_mechanism_tried ideal[CT_MECHANISMS_MAX][TRIED_MAX];
	unsigned n_ideal[CT_MECHANISMS_MAX];
	int bounded;     /* the ideals have been replayed */
	unsigned failed; /* mechanisms that have no engine here, a bit each */
	int no_memory;   /* a verdict could not be decided for want of memory */
	struct round round;
	struct ct_error *e;
};

/* ---- what is open ---- */

static int is_open(struct bench *b, unsigned m)
{
	const struct ct_judge *j = b->j;
	struct ct_verdict v;
	if (!j->run[m] || !j->run[m]->mechanism->engine)
		return 0;
	b->no_memory |= ct_verdict_decide(j->p, j->run[m]->mechanism, &v) < 0;
	return v.open;
}

static unsigned open_verdicts(struct bench *b)
{
	unsigned open = 0;
	for (unsigned m = 0; m < CT_MECHANISMS_MAX; m++)
		if (!(b->failed >> m & 1) && is_open(b, m))
			open |= 1u << m;
	return open;
}

/* Takes all systems off the bench. */
static void clear_systems(struct bench *b)
{
	while (b->n)
		ct_sample_free(&b->system[--b->n].sample);
}

static void add_system(struct bench *b, const struct system *s)
{
	if (b->n < SYSTEMS_MAX)
		b->system[b->n++] = *s;
}

/* A system of a mechanism, in full timing at the setting that quick replays have found best. */
static void add_of_mechanism(struct bench *b, unsigned m, const char *name)
{
	int i = ct_mechanism_system(b->j->run[m]->mechanism, name);
	if (i >= 0 && i < SYSTEMS_EACH)
		add_system(b, &(struct system){.run = b->j->run[m],
		                               .mechanism = m,
		                               .name = name,
		                               .index = (unsigned)i,
		                               .only = b->found[m][i]});
}

/* ---- one round ---- */

/* Whether the replays are of a sample of the trace. */
static int is_sampled(const struct bench *b)
{
	const double share = b->j->settings->sample_kernels;
	return share > 0 && share < 1;
}

static const struct ct_mechanism_tried *best_of(const struct system *s)
{
	const struct ct_mechanism_tried *best = NULL;
	for (unsigned i = 0; i < s->n_tried; i++)
		if (!best || s->tried[i].cycles < best->cycles)
			best = &s->tried[i];
	return best;
}

/* Notes what a setting of a system gave; *sample moves where it is the best so far. */
static void take_counts(struct system *s, double setting, const struct ct_replay_counts *c,
                        struct ct_sample_series *sample)
{
	const double cycles = (double)(c->cycles - c->launch_cycles);
	const struct ct_mechanism_tried *best = best_of(s);
	if (s->n_tried == TRIED_MAX)
		return;
	if (!best || cycles < best->cycles) {
		s->best = *c;
		ct_sample_free(&s->sample);
		s->sample = *sample;
		*sample = (struct ct_sample_series){0};
	}
	s->tried[s->n_tried++] = (struct ct_mechanism_tried){setting, cycles};
}

/* Makes the engine of a system of a mechanism at a setting. */
static int make_engine(struct ct_mechanism_run *run, unsigned system, double setting,
                       struct ct_replays_engine *spec, void **parts, struct ct_error *e)
{
	run->setting = setting;
	int st = run->mechanism->engine(run, system, spec, parts, e);
	run->setting = 0;
	return st;
}

/* Whether the judged system has parts at that setting: without, it is the GPU as configured or a part of it, and no
 * ideal stands for it. */
static int acts_at(struct ct_mechanism_run *run, double setting)
{
	struct ct_replays_engine spec = {0};
	struct ct_error none = {0};
	void *parts = NULL;
	int i = ct_mechanism_system(run->mechanism, run->mechanism->judged), st;
	st = make_engine(run, (unsigned)i, setting, &spec, &parts, &none);
	run->mechanism->engine_free(parts);
	return st != CT_OK || spec.options.parts != NULL;
}

/* Whether an engine is a GPU and nothing more. */
static int is_plain(const struct ct_replays_engine *spec)
{
	return !spec->options.parts && !spec->options.ideal;
}

/* What an engine counts, where that GPU has been replayed; NULL: it has not. Padding may hide that two are the same, which
 * costs a replay and changes nothing. */
static const struct ct_replay_counts *
known_counts(const struct bench *b, const struct ct_replays_engine *spec)
{
	for (int i = 0; is_plain(spec) && i < PLAIN_KEPT; i++)
		if (b->plain[i].cycles && memcmp(spec->gpu, &b->plain_gpu[i], sizeof *spec->gpu) == 0)
			return &b->plain[i];
	return NULL;
}

static void keep_counts(struct bench *b, int which, const struct ct_gpu *g,
                        const struct ct_replay_counts *c)
{
	if (is_sampled(b))
		return;
	b->plain_gpu[which] = *g;
	b->plain[which] = *c;
}

/* The cycles at which the replay of a system stops. Of the settings of a search only those count that are faster than the
 * GPU as configured, which is one of them. */
static double enough_cycles(const struct bench *b, const struct system *s, double setting)
{
	double enough = s->enough;
	if (is_sampled(b) || s->ideal)
		return 0;
	if (setting > 0 && !(s->only > 0) && b->configured.cycles > 0 && acts_at(s->run, setting))
		enough = enough > 0 ? fmin(enough, b->configured.cycles) : b->configured.cycles;
	return enough;
}

/* Adds a system to those that the next pass replays. A mechanism that cannot make its engine fails
 * alone. */
static int add_engine(struct bench *b, struct system *s, double setting)
{
	struct round *r = &b->round;
	struct ct_replays_engine *spec = &r->spec[r->n];
	const struct ct_replay_counts *known;
	struct ct_sample_series none = {0};
	int st = CT_OK;
	if (r->n == ENGINES_MAX)
		return CT_OK;
	r->engine[r->n] = (struct engine){.system = s, .setting = setting};
	*spec = (struct ct_replays_engine){
		.gpu = b->j->gpu, .options = {.warmup = b->j->settings->warmup, .ideal = s->ideal}};
	if (s->run) {
		st = make_engine(s->run, s->index, setting, spec, &r->engine[r->n].parts, b->e);
		if (s->ideal && acts_at(s->run, setting))
			spec->options.ideal = s->ideal;
	}
	spec->options.timing = b->timing;
	spec->options.most_cycles = st == CT_OK ? (uint64_t)enough_cycles(b, s, setting) : 0;
	if (st == CT_OK && s->run && (known = known_counts(b, spec))) {
		s->run->mechanism->engine_free(r->engine[r->n].parts);
		take_counts(s, setting, known, &none);
		return CT_OK;
	}
	r->n++;
	if (st == CT_OK || st == CT_ERR_NOMEM)
		return st;
	b->failed |= 1u << s->mechanism; /* the others go on without it */
	s->run->mechanism->engine_free(r->engine[--r->n].parts);
	return CT_OK;
}

/* Whether even the ideal at that setting is slower than the GPU as configured, which is a setting of the search, too. */
static int is_hopeless(const struct bench *b, const struct system *s, double setting)
{
	static const double doubt =
		0.02; /* that quick replays may be off by, more than nine in ten are */
	const struct ct_mechanism *m = s->run->mechanism;
	if (s->ideal || strcmp(s->name, m->judged) != 0)
		return 0;
	for (unsigned i = 0; i < b->n_ideal[s->mechanism]; i++)
		if (b->ideal[s->mechanism][i].setting == setting)
			return b->ideal[s->mechanism][i].cycles > (1 + doubt);
	return 0;
}

/* The engines that system s wants next: one, or those of its search. */
static int add_engines(struct bench *b, struct system *s)
{
	double value[CT_CANDIDATES_MAX];
	const struct ct_mechanism *m = s->run ? s->run->mechanism : NULL;
	unsigned n;
	int st = CT_OK;
	if (!m || !m->candidates || s->only > 0)
		return s->n_tried ? CT_OK : add_engine(b, s, s->only);
	n = m->candidates(s->run, s->index, s->tried, s->n_tried, value);
	if (!n && !s->n_tried)
		return add_engine(b, s, 0);
	for (unsigned i = 0; i < n && st == CT_OK; i++)
		if (!is_hopeless(b, s, value[i]))
			st = add_engine(b, s, value[i]);
		else if (s->n_tried < TRIED_MAX)
			s->tried[s->n_tried++] = (struct ct_mechanism_tried){value[i], INFINITY};
	return st;
}

static void free_engines(struct bench *b)
{
	for (unsigned i = 0; i < b->round.n; i++) {
		const struct ct_mechanism_run *run = b->round.engine[i].system->run;
		if (run)
			run->mechanism->engine_free(b->round.engine[i].parts);
	}
	b->round.n = 0;
}

/* Replays what the systems want next, in one pass; 0 in *n when none wants any more. */
static int run_round(struct bench *b, unsigned *n)
{
	struct ct_replay_counts *total = ct_calloc(ENGINES_MAX, sizeof *total);
	struct ct_sample_series *sample = ct_calloc(ENGINES_MAX, sizeof *sample);
	const struct ct_replays_hooks hooks = {.sample = sample};
	int st = total && sample ? CT_OK : ct_fail_nomem(b->e);
	for (unsigned i = 0; i < b->n && st == CT_OK; i++)
		if (!b->system[i].run || !(b->failed >> b->system[i].mechanism & 1))
			st = add_engines(b, &b->system[i]);
	*n = b->round.n;
	if (st == CT_OK && *n)
		st = ct_replays_run(b->j->p, b->j->settings, "an open verdict", b->round.spec, *n,
		                    &hooks, total, b->e);
	for (unsigned i = 0; i < *n && st == CT_OK; i++) {
		struct system *s = b->round.engine[i].system;
		const struct ct_replays_engine *spec = &b->round.spec[i];
		if (s->run && is_plain(spec) && !ct_replays_stopped(spec, &total[i]))
			keep_counts(b, PLAIN_LAST, spec->gpu, &total[i]);
		take_counts(s, b->round.engine[i].setting, &total[i], &sample[i]);
	}
	free_engines(b);
	for (unsigned i = 0; i < ENGINES_MAX && sample; i++)
		ct_sample_free(&sample[i]);
	free(sample);
	free(total);
	return st;
}

/* ---- what came of it ---- */

/* What the speed-ups of mechanism m are over. */
static const struct baseline *baseline_of(const struct bench *b, unsigned m)
{
	return b->j->run[m]->mechanism->configured ? &b->own[m] : &b->configured;
}

/* The same of one of its systems. Ideals and the GPU as configured are over that. */
static const struct baseline *system_baseline(const struct bench *b, const struct system *s)
{
	return s->run && !s->ideal ? baseline_of(b, s->mechanism) : &b->configured;
}

/* The speed-up over the GPU as configured. Where a sample was replayed, it has the range that the
 * differences between the sampled units give. */
static void write_speedup(struct bench *b, struct ct_records *w, const struct system *s, double speedup)
{
	const struct ct_sample_series *base = &system_baseline(b, s)->sample;
	double half = s->sample.n_strata ? ct_sample_ratio_half(base, &s->sample) : 0;
	if (half > 0)
		ct_records_between(w, "speedup_configured", speedup, speedup * exp(-half),
		                   speedup * exp(half));
	else
		ct_records_value(w, "speedup_configured", speedup);
}

/* The best of a system's settings as ES records of mechanism m. */
static int write_system(struct bench *b, const struct ct_mechanism *m, const struct system *s)
{
	const struct ct_mechanism_tried *best = best_of(s);
	double speedup = best && best->cycles > 0 ? system_baseline(b, s)->cycles / best->cycles : 0;
	struct ct_records w = {
		.p = b->j->p, .e = b->e, .mechanism = m->name, .system = s->name, .method = b->method};
	if (!(speedup > 0))
		return CT_OK;
	/* Slower than the best of the simpler systems, by how much nobody asks. */
	if (s->enough > 0 && best->cycles > s->enough) {
		ct_records_between(&w, "speedup_configured", speedup, 0, speedup);
		return w.status;
	}
	ct_records_value(&w, "cycles", (double)s->best.cycles);
	ct_records_value(&w, "ipc", (double)s->best.thread_insts / (double)s->best.cycles);
	write_speedup(b, &w, s, speedup);
	ct_records_value(&w, "llc_mpki",
	                 1000 * (double)s->best.llc_misses / (double)s->best.thread_insts);
	if (s->run && !s->ideal && best->setting > 0 && m->setting_records)
		m->setting_records(s->run, s->index, best->setting, &w);
	return w.status;
}

/* Keeps what a replay of such a system gave; its sample moves. */
static void keep_baseline(struct baseline *x, struct system *s)
{
	x->cycles = s->tried[0].cycles;
	ct_sample_free(&x->sample);
	x->sample = s->sample;
	s->sample = (struct ct_sample_series){0};
}

static int is_own_baseline(const struct system *s)
{
	const char *name = s->run ? s->run->mechanism->configured : NULL;
	return name && strcmp(name, s->name) == 0;
}

/* Replays the systems on the bench until none wants more, and the GPU as configured where speed-ups are over it and it has
 * not been replayed in this timing yet. */
static int run_systems(struct bench *b)
{
	unsigned n = 1;
	int st = CT_OK, is_asked = 0;
	struct system *configured = NULL;
	for (unsigned i = 0; i < b->n; i++)
		is_asked |= system_baseline(b, &b->system[i]) == &b->configured;
	if (is_asked && !(b->configured.cycles > 0)) {
		configured = &b->system[b->n];
		add_system(b, &(struct system){.name = ct_verdict_baseline});
	}
	while (st == CT_OK && n)
		st = run_round(b, &n);
	if (st == CT_OK && configured && configured->n_tried) {
		keep_counts(b, PLAIN_CONFIGURED, b->j->gpu, &configured->best);
		keep_baseline(&b->configured, configured);
	}
	for (unsigned i = 0; i < b->n && st == CT_OK; i++)
		if (is_own_baseline(&b->system[i]) && b->system[i].n_tried)
			keep_baseline(&b->own[b->system[i].mechanism], &b->system[i]);
	return st;
}

/* ---- the steps ---- */

/* The levels of the engine that stand behind enum ct_mechanism_bound. Quick timing has no register banks, and in full
 * timing the ideal takes as long as the mechanism itself: it is not replayed. */
static const unsigned ideals[] = {[CT_BOUND_L1] = CT_REPLAY_IDEAL_L1,
                                  [CT_BOUND_LLC] = CT_REPLAY_IDEAL_LLC,
                                  [CT_BOUND_REGISTERS] = 0};
enum { BOUNDS = sizeof ideals / sizeof ideals[0] };

/* The setting at which the ideal of a mechanism with settings is tried first: of those of its search's first round the last
 * at which the mechanism does anything. 0: there is none. */
static double probe_setting(const struct bench *b, unsigned m, unsigned system)
{
	struct ct_mechanism_run *run = b->j->run[m];
	double value[CT_CANDIDATES_MAX];
	unsigned n = run->mechanism->candidates(run, system, NULL, 0, value);
	while (n-- > 0)
		if (acts_at(run, value[n]))
			return value[n];
	return 0;
}

/* The ideal of a mechanism with settings: what it is held against, at the best setting, with a level that never fails.
 * The settings cost what they cost, such as SMs that do not compute. As a probe, at one setting alone. */
static void add_ideal_of_settings(struct bench *b, unsigned m, int as_probe)
{
	const struct ct_mechanism *x = b->j->run[m]->mechanism;
	int i = ct_mechanism_system(x, x->alternatives[0]);
	if (i >= 0 && ideals[x->bound])
		add_system(b, &(struct system){.run = b->j->run[m],
		                               .mechanism = m,
		                               .name = ct_bound_system(x),
		                               .index = (unsigned)i,
		                               .ideal = ideals[x->bound],
		                               .only = as_probe ? probe_setting(b, m, (unsigned)i) : 0});
}

static int has_settings(const struct ct_mechanism *m)
{
	return m->candidates && m->alternatives && *m->alternatives;
}

/* Whether a replay of a mechanism's ideal is likely to decide: not where the ideal is estimated to gain more than such
 * estimates are off at least. Without it replays of the systems decide. */
static int may_bound(const struct bench *b, const struct ct_mechanism *m)
{
	struct ct_estimate es;
	const char *ideal = ct_bound_system(m);
	if (!ideal || ct_range_estimate(b->j->p, m, ideal, &es) == CT_DECIDED_NOT)
		return 1;
	return !(es.value > ct_verdict_benefits * exp(m->estimate_error.floor));
}

/* The ideals that bound open mechanisms: each level once for all that have no settings. */
static void add_bounds(struct bench *b, unsigned open, int as_probe)
{
	unsigned levels = 0;
	for (unsigned m = 0; m < CT_MECHANISMS_MAX; m++) {
		if (!(open >> m & 1))
			continue;
		if (has_settings(b->j->run[m]->mechanism))
			add_ideal_of_settings(b, m, as_probe);
		else if (may_bound(b, b->j->run[m]->mechanism))
			levels |= 1u << b->j->run[m]->mechanism->bound;
	}
	for (unsigned i = CT_BOUND_L1; i < BOUNDS; i++)
		if (ideals[i] && levels >> i & 1)
			add_system(b, &(struct system){.name = "ideal", .ideal = ideals[i]});
}

/* What settings with an ideal gave stays, for the search of the judged system. */
static void keep_ideals(struct bench *b, const struct system *s)
{
	struct ct_mechanism_tried *x = b->ideal[s->mechanism];
	memcpy(x, s->tried, s->n_tried * sizeof *x);
	b->n_ideal[s->mechanism] = s->n_tried;
	for (unsigned i = 0; i < s->n_tried; i++)
		x[i].cycles /= b->configured.cycles;
}

/* Records the ideal of mechanism m, of those that are on the bench and have been replayed. Where it was tried at one setting and
 * gains there, it bounds nothing, and nobody asks what it gains at others. Where it does not, others may be better: m goes
 * into *search. */
static int write_bound(struct bench *b, unsigned m, unsigned *search)
{
	const struct ct_mechanism *x = b->j->run[m]->mechanism;
	int st = CT_OK;
	for (unsigned i = 0; i < b->n && st == CT_OK; i++) {
		struct system *s = &b->system[i];
		int own = s->run ? s->run == b->j->run[m] : !has_settings(x);
		if (!own || !s->ideal || s->ideal != ideals[x->bound] || !s->n_tried)
			continue;
		if (s->only > 0) {
			if (!(b->configured.cycles > ct_verdict_benefits * best_of(s)->cycles))
				*search |= 1u << m;
			continue;
		}
		if (s->run)
			keep_ideals(b, s);
		s->name = ct_bound_system(x);
		st = write_system(b, x, s);
	}
	return st;
}

/* The GPU as configured and the ideals: those of settings as probes, then all settings of those that the probe left open. */
static int replay_bounds(struct bench *b, unsigned open)
{
	int st = CT_OK;
	for (int as_probe = 1; st == CT_OK && open; as_probe = 0) {
		unsigned search = 0;
		clear_systems(b);
		add_bounds(b, open, as_probe);
		if (!b->n)
			return CT_OK;
		st = run_systems(b);
		for (unsigned m = 0; m < CT_MECHANISMS_MAX && st == CT_OK; m++)
			if (open >> m & 1)
				st = write_bound(b, m, &search);
		open = search;
	}
	return st;
}

/* Whether a system can be replayed in the timing at hand: parts (replay/parts.h) take full timing. */
static int takes_timing(struct bench *b, unsigned m, const char *name)
{
	struct ct_mechanism_run *run = b->j->run[m];
	struct ct_replays_engine spec = {0};
	struct ct_error none = {0};
	double value[CT_CANDIDATES_MAX] = {0};
	void *parts = NULL;
	int i = ct_mechanism_system(run->mechanism, name), st;
	if (b->timing != CT_REPLAY_QUICK || i < 0)
		return 1;
	if (run->mechanism->candidates)
		(void)run->mechanism->candidates(run, (unsigned)i, NULL, 0, value);
	st = make_engine(run, (unsigned)i, value[0], &spec, &parts, &none);
	run->mechanism->engine_free(parts);
	return st == CT_OK && !spec.options.parts;
}

/* Of the alternatives of a mechanism that have not been replayed in that step the one that is estimated to be the best; NULL:
 * there is none. */
static const char *next_alternative(const struct bench *b, const struct ct_mechanism *m,
                                    enum ct_verdict_step step)
{
	const char *next = NULL;
	double most = -INFINITY;
	for (const char *const *name = m->alternatives; name && *name; name++) {
		struct ct_estimate es;
		if (ct_range_estimate(b->j->p, m, *name, &es) >= step || !(es.value > most))
			continue;
		next = *name;
		most = es.value;
	}
	return next;
}

/* Whether a system of m is to be replayed in the timing at hand: where that was not done yet. In quick timing an
 * alternative without settings waits for a judged system that takes full timing, since most of those gain nothing. In full timing, which takes
 * long, an alternative has its turn when the judged system has been replayed and is still open: the best by what is
 * known so far, then the next, since any may be better than was estimated, until one gives as much. */
static int is_wanted(struct bench *b, unsigned i, const char *name, int alternative)
{
	const struct ct_mechanism *m = b->j->run[i]->mechanism;
	struct ct_estimate es;
	struct ct_verdict v;
	enum ct_verdict_step step = b->timing == CT_REPLAY_QUICK ? CT_DECIDED_QUICK : CT_DECIDED_FULL;
	if (ct_range_estimate(b->j->p, m, name, &es) >= step)
		return 0;
	if (!alternative || (step == CT_DECIDED_QUICK && m->candidates))
		return 1;
	if (step == CT_DECIDED_QUICK)
		return takes_timing(b, i, m->judged);
	if (ct_range_estimate(b->j->p, m, m->judged, &es) < step)
		return 0;
	b->no_memory |= ct_verdict_decide(b->j->p, m, &v) < 0;
	if (v.low < ct_verdict_hurts) /* a loss in question, which no alternative changes */
		return 0;
	const char *next = *v.alternative ? next_alternative(b, m, step) : NULL;
	return !next || !strcmp(next, name);
}

/* The cycles of the fastest simpler system of m that has been replayed in full timing. Where nobody sees more than the
 * verdict, which is held against the best of them, another one matters only when it is faster. 0: none was replayed. */
static double cycles_of_best(const struct bench *b, unsigned m)
{
	const struct ct_mechanism_run *run = b->j->run[m];
	const double base = baseline_of(b, m)->cycles;
	static const double digits = 1e-5; /* more than what records leave out behind the sixth */
	double best = 0;
	if (!run->judged_only || b->timing != CT_REPLAY_FULL || is_sampled(b))
		return 0;
	for (const char *const *name = run->mechanism->alternatives; name && *name; name++) {
		struct ct_estimate es;
		if (ct_range_estimate(b->j->p, run->mechanism, *name, &es) == CT_DECIDED_FULL)
			best = fmax(best, es.value);
	}
	return best > 0 && base > 0 ? ceil(base / best * (1 + digits)) : 0;
}

/* With the first of a mechanism's systems comes what stands for the GPU as configured in its parts. */
static void add_wanted(struct bench *b, unsigned m)
{
	const struct ct_mechanism *x = b->j->run[m]->mechanism;
	const unsigned before = b->n;
	if (is_wanted(b, m, x->judged, 0) && takes_timing(b, m, x->judged))
		add_of_mechanism(b, m, x->judged);
	for (const char *const *other = x->alternatives; other && *other; other++)
		if (is_wanted(b, m, *other, 1) && takes_timing(b, m, *other)) {
			add_of_mechanism(b, m, *other);
			b->system[b->n - 1].enough = cycles_of_best(b, m);
		}
	if (b->n > before && x->configured && !(b->own[m].cycles > 0))
		add_of_mechanism(b, m, x->configured);
}

/* Records what a system gave, and of what stands for the GPU as configured the alternatives that are the same on this GPU. */
static int write_with_same(struct bench *b, const struct system *s)
{
	const struct ct_mechanism *m = s->run->mechanism;
	int st = write_system(b, m, s);
	for (const char *const *other = m->alternatives; other && *other && st == CT_OK; other++) {
		struct system same = *s;
		int i = ct_mechanism_system(m, *other);
		if (i < 0 || !is_own_baseline(s) || !m->is_configured ||
		    !m->is_configured(s->run, (unsigned)i))
			continue;
		same.name = *other;
		st = write_system(b, m, &same);
	}
	return st;
}

/* The judged systems and alternatives of open mechanisms; *n tells how many there were to replay. */
static int replay_systems(struct bench *b, unsigned open, unsigned *n)
{
	int st = CT_OK;
	clear_systems(b);
	for (unsigned m = 0; m < CT_MECHANISMS_MAX; m++)
		if (open >> m & 1)
			add_wanted(b, m);
	*n = b->n;
	if (b->n)
		st = run_systems(b);
	for (unsigned i = 0; i < b->n && st == CT_OK; i++)
		if (b->system[i].run && b->system[i].n_tried) {
			const struct system *s = &b->system[i];
			b->found[s->mechanism][s->index] = best_of(s)->setting;
			st = write_with_same(b, s);
		}
	return st;
}

/* What the profile's own replay has counted of the GPU as configured, as far as records of systems tell it. */
static void know_configured(struct bench *b)
{
	static const char *const names[] = {
		"cycles", "launch_cycles", "thread_insts", "llc_sector_misses"};
	double value[4];
	for (int i = 0; i < 4; i++)
		if (!ct_profile_get(b->j->p, "all", names[i], &value[i]))
			return;
	keep_counts(b, PLAIN_CONFIGURED, b->j->gpu,
	            &(struct ct_replay_counts){.cycles = (uint64_t)value[0],
	                                       .launch_cycles = (uint64_t)value[1],
	                                       .thread_insts = (uint64_t)value[2],
	                                       .llc_misses = (uint64_t)value[3]});
}

/* The rounds of one timing. What bounds the mechanisms comes first, once: in full timing where the GPU has no quick one,
 * as with another network than a crossbar. */
static int judge_in(struct bench *b, enum ct_replay_timing timing)
{
	unsigned open = open_verdicts(b);
	int st = CT_OK;
	b->timing = timing;
	b->method = timing == CT_REPLAY_QUICK ? "quick" : "full";
	b->configured.cycles = timing == b->j->configured_timing ? b->j->configured_cycles : 0;
	for (unsigned m = 0; m < CT_MECHANISMS_MAX; m++)
		b->own[m].cycles = 0;
	memset(b->plain, 0, sizeof b->plain);
	if (b->configured.cycles > 0)
		know_configured(b);
	if (open && !b->bounded) {
		st = replay_bounds(b, open);
		b->bounded = st == CT_OK;
		if (st == CT_OK)
			open = open_verdicts(b);
	}
	/* Another alternative may be the best one now, and is replayed in its turn. */
	for (unsigned n = 1; st == CT_OK && n && open; open = open_verdicts(b))
		st = replay_systems(b, open, &n);
	return b->no_memory ? CT_ERR_NOMEM : st;
}

void ct_judge_tell(const struct ct_judge *j, struct ct_verdict *v)
{
	size_t n = strlen(v->reason);
	if (v->open && *j->why.text)
		snprintf(v->reason + n, sizeof v->reason - n, "; not replayed: %s", j->why.text);
	for (char *c = v->reason; *c; c++) /* of a path */
		*c = *c == '\t' || *c == '\n' ? ' ' : *c;
}

static int is_replayed(void *ctx, const struct ct_record *r)
{
	enum { METHOD = 6 };
	(void)ctx;
	return r->nfields > METHOD &&
	       (!strcmp(r->field[METHOD], "quick") || !strcmp(r->field[METHOD], "full"));
}

void ct_judge_forget(struct ct_profile *p)
{
	ct_profile_remove(p, "ES", is_replayed, NULL);
}

void ct_judge_know_configured(struct ct_judge *j, const struct ct_profile *p)
{
	static const char *const names[] = {"cycles", "launch_cycles"};
	double value[2];
	j->configured_timing = ct_profile_gp(p, CT_PASS_TIMING_KEY) ? CT_REPLAY_QUICK : CT_REPLAY_FULL;
	j->configured_cycles = 0;
	for (int i = 0; i < 2; i++) {
		const char *method = ct_profile_method(p, "all", names[i]);
		if (!method || strcmp(method, "replay") != 0 ||
		    !ct_profile_get(p, "all", names[i], &value[i]))
			return;
	}
	j->configured_cycles = value[0] - value[1];
}

int ct_judge_replays(struct ct_judge *j, struct ct_error *e)
{
	struct bench *b = ct_calloc(1, sizeof *b);
	int st = b ? CT_OK : ct_fail_nomem(e);
	j->why = (struct ct_error){0};
	if (b && !(b->system = ct_calloc(SYSTEMS_MAX, sizeof *b->system)))
		st = ct_fail_nomem(e);
	if (st == CT_OK) {
		b->j = j;
		b->e = &j->why;
		if (!j->full_only)
			st = judge_in(b, CT_REPLAY_QUICK);
		/* Quick timing knows less of GPUs than full timing does. */
		if (st == CT_ERR_UNSUPPORTED) {
			j->why = (struct ct_error){0};
			st = CT_OK;
		}
		if (st == CT_OK)
			st = judge_in(b, CT_REPLAY_FULL);
	}
	if (b && b->system)
		clear_systems(b);
	if (b)
		ct_sample_free(&b->configured.sample);
	for (unsigned m = 0; b && m < CT_MECHANISMS_MAX; m++)
		ct_sample_free(&b->own[m].sample);
	free(b ? b->system : NULL);
	free(b);
	if (st == CT_ERR_IO && j->from_trace)
		return ct_fail(e, st, "%s", j->why.text);
	return st == CT_ERR_NOMEM ? ct_fail_nomem(e) : CT_OK;
}

/* truth.c - what replays in full timing say of a workload: the GPU as configured, and of each published mechanism the
 * judged system and the simpler systems that it has to beat, each at its best setting.
 *
 *     truth [-1iq] [-s FACTOR|auto] [-S SHARE] [-y MECHANISM:SYSTEM[,SYSTEM...]] [-o NAME=VALUE] [-p KEY=VALUE]
 *           GPU DATA_FOLDER TRACE KNOWN
 *     truth -m
 *
 * Reads what earlier runs have measured from the file KNOWN and appends what is missing, a line for each replay:
 * mechanism ("-": none), role (configured, also of the system that stands for it in a mechanism's parts; judged, alternative), system, setting (0: it has none), timing, cycles
 * without launches. Other lines: "scale" and "sms", the part of the GPU; "searched" with mechanism and system: all its
 * settings have been tried; with -y "counted" with mechanism, system, setting, metric and value: what else the replay of a
 * system has counted, as the mechanism's replay_records() tells. Lines are written as soon as a batch of replays is over, so
 * that a run that is cut loses little.
 *
 *     -1  leaves out systems whose best setting has to be searched
 *     -q  also replays in quick timing what full timing found best
 *     -S  replays a sample of that share of the instructions (doc/sampling.md), in full timing alone. A line
 *         "half", mechanism, system, setting, value then says how far the logarithm of the speed-up over the GPU as
 *         configured may be off (90 %), NA where the GPU as configured was replayed by an earlier run
 *     -i  replays what takes quick timing, in quick and in full: the GPU as configured, an L1 and an LLC that never
 *         miss (system ideal-l1, ideal-llc), and those simpler systems that have no parts
 *     -m  lists the mechanisms
 *     -y  replays these systems of one mechanism instead of the judged ones and their alternatives
 *     -o  with -y: an option of that mechanism's own command
 *     -p  with -y: a parameter of that mechanism
 *
 * No verdict and no estimate decides what is replayed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/common/records.h"
#include "models/common/workload.h"
#include "models/observers.h"
#include "models/registry.h"
#include "pass/replays.h"
#include "pass/scale.h"
#include "trace/trace.h"

#define LEAST_SAMPLE 1e-6 /* a share of the instructions: each launch's shortest sample */

enum { CELLS_MAX = 512, BATCH_MAX = 64, STEPS = 16, SYSTEMS_MAX = 64, OPTIONS_MAX = 16 };

struct cell {
	int mechanism; /* index in the registry; -1: the GPU as configured */
	int system;    /* in the mechanism's list; of the GPU as configured the ideals that it has */
	double setting;
	enum ct_replay_timing timing;
	int off;       /* this GPU leaves it nothing to set: it is the GPU as configured */
	double cycles; /* NaN: not replayed yet; infinite: no part replays it */
};

struct truth {
	const char *path, *data;
	struct ct_gpu whole, gpu; /* as named, and the part of it that the trace fills */
	double factor;            /* of that part; 0: not known before the pass */
	struct ct_pass_settings settings;
	struct ct_profile *p; /* NULL before the pass */
	struct ct_workload workload;
	struct ct_mechanism_run run[CT_MECHANISMS_MAX];
	struct cell cell[CELLS_MAX];
	unsigned n;
	int no_searches;
	const char *
		named; /* systems of named_mechanism to be replayed, with commas; NULL: those that are judged */
	int named_mechanism;
	const char *option[OPTIONS_MAX]; /* of named_mechanism, in its order */
	const char *set[OPTIONS_MAX];    /* its parameters, KEY=VALUE */
	size_t n_set;
	char searched[CT_MECHANISMS_MAX][SYSTEMS_MAX]; /* nothing is left to replay of that system */
	struct ct_sample_series configured;            /* of a sample, where this run has replayed it */
	FILE *out;
};

static int die(const char *what, const struct ct_error *e)
{
	fprintf(stderr, "truth: %s: %s\n", what, e->text);
	exit(2);
}

static int list_mechanisms(void)
{
	const char *comma = "";
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		if (!ct_mechanism_at(i)->published)
			continue;
		printf("%s%s", comma, ct_mechanism_at(i)->name);
		comma = ",";
	}
	puts("");
	return 0;
}

/* ---- cells and their lines ---- */

static const char *mechanism_name(const struct cell *c)
{
	return c->mechanism < 0 ? "-" : ct_mechanism_at((unsigned)c->mechanism)->name;
}

static const char *system_name(const struct cell *c)
{
	if (c->mechanism >= 0)
		return ct_mechanism_at((unsigned)c->mechanism)->systems[c->system].name;
	return c->system == CT_REPLAY_IDEAL_L1 ? "ideal-l1" : c->system ? "ideal-llc" : "-";
}

static const char *role_name(const struct cell *c)
{
	if (c->mechanism < 0)
		return c->system ? "ideal" : "configured";
	const struct ct_mechanism *m = ct_mechanism_at((unsigned)c->mechanism);
	const char *name = system_name(c);
	return !strcmp(name, m->judged) ? "judged"
	       : m->configured && !strcmp(name, m->configured)
	               ? "configured"
	               : "alternative";
}

static const char *timing_name(enum ct_replay_timing t)
{
	return t == CT_REPLAY_FULL ? "full" : "quick";
}

/* Adds a cell that is to be replayed, unless it is there. */
static struct cell *want(struct truth *t, int mechanism, int system, double setting,
                         enum ct_replay_timing timing)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct cell *c = &t->cell[i];
		if (c->mechanism == mechanism && c->system == system && c->setting == setting &&
		    c->timing == timing)
			return c;
	}
	if (t->n == CELLS_MAX) {
		fprintf(stderr, "truth: more than %d replays\n", CELLS_MAX);
		exit(2);
	}
	t->cell[t->n] = (struct cell){mechanism, system, setting, timing, 0, NAN};
	return &t->cell[t->n++];
}

/* -1: a mechanism that this build lacks. */
static void set_searched(struct truth *t, int mechanism, const char *system)
{
	int i = mechanism < 0 ? -1 : ct_mechanism_system(ct_mechanism_at((unsigned)mechanism), system);
	if (i >= 0 && i < SYSTEMS_MAX)
		t->searched[mechanism][i] = 1;
}

/* Takes what earlier runs have measured; lines of systems that this build lacks are passed over. */
static void read_known(struct truth *t, const char *file)
{
	char line[512], m[64], role[16], s[64], timing[8];
	double setting, cycles;
	FILE *in = fopen(file, "r");
	while (in && fgets(line, sizeof line, in)) {
		(void)sscanf(line, "scale\t%lf", &t->factor);
		if (sscanf(line, "searched\t%63[^\t]\t%63[^\t\n]", m, s) == 2)
			set_searched(t, ct_mechanism_find(m), s);
		if (!strncmp(line, "counted\t", 8))
			continue;
		if (sscanf(line, "%63[^\t]\t%15[^\t]\t%63[^\t]\t%lf\t%7[^\t]\t%lf", m, role, s, &setting,
		           timing, &cycles) != 6)
			continue;
		int none = !strcmp(m, "-"), i = none ? -1 : ct_mechanism_find(m);
		int system = i >= 0 ? ct_mechanism_system(ct_mechanism_at((unsigned)i), s)
		             : !strcmp(s, "ideal-l1") ? CT_REPLAY_IDEAL_L1
		             : *s == 'i'              ? CT_REPLAY_IDEAL_LLC
		                                      : 0;
		if ((i >= 0 || none) && system >= 0)
			want(t, i, system, setting,
			     strcmp(timing, "full") ? CT_REPLAY_QUICK : CT_REPLAY_FULL)
				->cycles = cycles;
	}
	if (in)
		fclose(in);
}

static void write_cell(struct truth *t, const struct cell *c)
{
	fprintf(t->out, "%s\t%s\t%s\t%.6g\t%s\t%.0f\n", mechanism_name(c), role_name(c), system_name(c),
	        c->setting, timing_name(c->timing), c->cycles);
}

/* ---- the pass ---- */

static void open_runs(struct truth *t)
{
	struct ct_error e = {0};
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		const struct ct_mechanism *m = ct_mechanism_at(i);
		int named = t->named && i == (unsigned)t->named_mechanism;
		t->run[i] = (struct ct_mechanism_run){
			.mechanism = m,
			.method = CT_BY_REPLAY,
			.judged_only = !t->named,
			.option = named ? t->option : NULL,
			.set = named ? t->set : NULL,
			.n_set = named ? t->n_set : 0,
			.data_dir = t->data,
			.settings = &t->settings,
			.p = t->p,
			.base = &t->gpu,
			.gpu = &t->gpu,
			.from_trace = 1};
		if (m->published && m->open(&t->run[i], &e) != CT_OK)
			die(m->name, &e);
	}
}

/* Some engines need what only a pass with the mechanism's observer measures; asked where one is still to be replayed. */
static int needs_observer(struct truth *t, unsigned i)
{
	const struct ct_mechanism *m = ct_mechanism_at(i);
	struct ct_replays_engine engine;
	struct ct_error e = {0};
	void *parts = NULL;
	int open = 0;
	for (unsigned c = 0; c < t->n; c++)
		open |= t->cell[c].mechanism == (int)i && isnan(t->cell[c].cycles);
	if (!m->published || !m->observer || !open)
		return 0;
	int st = m->engine(&t->run[i], (unsigned)ct_mechanism_system(m, m->judged), &engine, &parts, &e);
	m->engine_free(parts);
	return st != CT_OK;
}

/* Puts the part of the GPU in force. */
static void use_part(struct truth *t, double factor)
{
	struct ct_error e = {0};
	t->gpu = t->whole;
	if (factor != 1 && ct_gpu_scale(&t->gpu, factor, &e) != CT_OK)
		die(t->whole.name, &e);
}

static void close_runs(struct truth *t)
{
	for (unsigned i = 0; t->p && i < ct_mechanism_count(); i++)
		if (ct_mechanism_at(i)->published)
			ct_mechanism_at(i)->close(&t->run[i]);
	ct_profile_free(t->p);
	t->p = NULL;
}

/* Runs the pass with what engines need; list gets the runs that it measures something for. Returns how many. */
static unsigned run_pass(struct truth *t, struct ct_mechanism_run **list)
{
	struct ct_mechanism_observers observers;
	struct ct_error e = {0};
	struct ct_trace *trace;
	unsigned n = 0;
	t->p = ct_profile_new(&e);
	if (!t->p)
		die("profile", &e);
	ct_profile_set_metrics(t->p, ct_mechanism_metric);
	open_runs(t);
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		if (needs_observer(t, i))
			list[n++] = &t->run[i];
	if (ct_mechanism_observers(&observers, 0, list, n, &e) != CT_OK)
		die("observers", &e);
	struct ct_pass_options o = {.gpu = &t->gpu,
	                            .without = 1u << CT_PASS_LLC_SMS,
	                            .observers = observers.list,
	                            .n_observers = observers.n,
	                            .settings = t->settings};
	if (n == 0) { /* nobody reads what it measures: it only names the trace */
		o.without = (1u << CT_PASS_LAYERS) - 1;
		o.n_observers = 0;
		o.settings.sample_kernels = LEAST_SAMPLE;
	}
	if (ct_trace_open(&trace, t->path, &t->settings.trace, &e) != CT_OK ||
	    ct_pass_run(trace, &o, t->p, &e) != CT_OK)
		die(t->path, &e);
	ct_trace_close(trace);
	return n;
}

/* The part of the GPU that the trace fills: guessed from headers, as long as no pass has counted what decides it. */
static double guess_factor(struct truth *t)
{
	struct ct_error e = {0};
	double waves = 0;
	if (t->p && ct_pass_waves(t->p, &t->whole, &waves, &e) != CT_OK)
		die(t->path, &e);
	if (!t->p && ct_pass_waves_guess(t->path, NULL, &t->whole, &waves, &e) != CT_OK)
		die(t->path, &e);
	return ct_pass_scale_factor(&t->whole, waves);
}

/* Makes the profile that names the trace for replays, on the part of the GPU that the trace fills, and measures what
 * engines need. */
static void make_pass(struct truth *t)
{
	struct ct_mechanism_run *list[CT_MECHANISMS_MAX];
	struct ct_error e = {0};
	double known = t->factor, factor = known > 0 ? known : guess_factor(t);
	use_part(t, factor);
	unsigned n = run_pass(t, list);
	if (!(known > 0) && guess_factor(t) != factor) {
		factor = guess_factor(t);
		close_runs(t);
		use_part(t, factor);
		n = run_pass(t, list);
	}
	if (!(known > 0))
		fprintf(t->out, "scale\t%.17g\nsms\t%u\n", factor, t->gpu.sms);
	t->factor = factor;
	if (n && ct_workload_read(&t->workload, t->p, t->gpu.sms, (double)ct_gpu_register_bytes(&t->gpu),
	                          &e) != CT_OK)
		die(t->path, &e);
	for (unsigned i = 0; i < n; i++) {
		list[i]->workload = &t->workload;
		if (list[i]->mechanism->estimate(list[i], &e) != CT_OK)
			die(list[i]->mechanism->name, &e);
	}
}

/* ---- replays ---- */

/* 0 when no part replays it: the cell is infinite then. */
static int make_engine(struct truth *t, struct cell *c, struct ct_replays_engine *engine, void **parts)
{
	struct ct_error e = {0};
	*parts = NULL;
	*engine = (struct ct_replays_engine){.gpu = &t->gpu};
	if (c->mechanism < 0)
		engine->options.ideal = (unsigned)c->system;
	if (c->mechanism >= 0 && !c->off) {
		struct ct_mechanism_run *run = &t->run[c->mechanism];
		run->setting = c->setting;
		int st = run->mechanism->engine(run, (unsigned)c->system, engine, parts, &e);
		run->setting = 0;
		if (st == CT_ERR_NOMEM)
			die(system_name(c), &e);
		if (st != CT_OK) {
			fprintf(stderr, "truth: %s: %s\n", system_name(c), e.text);
			run->mechanism->engine_free(*parts);
			c->cycles = INFINITY;
			return 0;
		}
		if (c->timing == CT_REPLAY_QUICK && engine->options.parts) {
			run->mechanism->engine_free(*parts);
			c->cycles = INFINITY;
			return 0;
		}
	}
	engine->options.timing = c->timing;
	return 1;
}

/* Writes what the replay of a system has counted beside its cycles. */
static void write_counted(struct truth *t, const struct cell *c, const struct ct_replay_counts *total,
                          const void *parts)
{
	const struct ct_mechanism *m = c->mechanism < 0 ? NULL : ct_mechanism_at((unsigned)c->mechanism);
	const struct ct_record *r;
	struct ct_error e = {0};
	size_t i = 0;
	if (!t->named || !m || !m->replay_records || c->off || c->timing != CT_REPLAY_FULL)
		return;
	struct ct_profile *p = ct_profile_new(&e);
	struct ct_records w = {
		.p = p, .e = &e, .mechanism = m->name, .system = system_name(c), .method = "replay"};
	if (p) {
		ct_profile_set_metrics(p, ct_mechanism_metric);
		m->replay_records(&t->run[c->mechanism], (unsigned)c->system, total, parts, &w);
	}
	if (!p || w.status != CT_OK)
		die(m->name, &e);
	while ((r = ct_profile_next(p, "ES", &i)) != NULL)
		fprintf(t->out, "counted\t%s\t%s\t%.6g\t%s\t%s\n", m->name, system_name(c), c->setting,
		        r->field[3], r->field[4]);
	ct_profile_free(p);
}

/* How far what a sample tells of the system's speed-up may be off. Takes the series. */
static void write_half(struct truth *t, const struct cell *c, struct ct_sample_series *series)
{
	const double half = ct_sample_ratio_half(&t->configured, series);
	if (c->mechanism >= 0 && isnan(half))
		fprintf(t->out, "half\t%s\t%s\t%.6g\tNA\n", mechanism_name(c), system_name(c),
		        c->setting);
	else if (c->mechanism >= 0)
		fprintf(t->out, "half\t%s\t%s\t%.6g\t%.4g\n", mechanism_name(c), system_name(c),
		        c->setting, half);
	ct_sample_free(series);
}

/* What a sample has measured of the engines of a batch, the GPU as configured, which comes first of all, among them. */
static void take_series(struct truth *t, struct cell *const *made, struct ct_sample_series *series,
                        unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (made[i]->mechanism >= 0 || made[i]->system)
			continue;
		ct_sample_free(&t->configured);
		t->configured = series[i];
		series[i] = (struct ct_sample_series){0};
	}
	for (unsigned i = 0; i < n; i++)
		write_half(t, made[i], &series[i]);
}

/* Replays up to BATCH_MAX of the cells that have no cycles, all in one pass over the trace. Returns how many. */
static unsigned replay_some(struct truth *t)
{
	struct ct_replays_engine engine[BATCH_MAX];
	struct ct_replay_counts total[BATCH_MAX];
	struct ct_sample_series series[BATCH_MAX] = {0};
	const struct ct_replays_hooks hooks = {.sample = series};
	struct cell *made[BATCH_MAX];
	void *parts[BATCH_MAX];
	struct ct_error e = {0};
	unsigned n = 0;
	for (unsigned i = 0; i < t->n && n < BATCH_MAX; i++) {
		if (!isnan(t->cell[i].cycles))
			continue;
		if (!t->p)
			make_pass(t);
		if (make_engine(t, &t->cell[i], &engine[n], &parts[n]))
			made[n++] = &t->cell[i];
		else
			write_cell(t, &t->cell[i]);
	}
	if (n && ct_replays_run(t->p, &t->settings, "truth", engine, n, &hooks, total, &e) != CT_OK)
		die(t->path, &e);
	for (unsigned i = 0; i < n; i++) {
		made[i]->cycles = (double)(total[i].cycles - total[i].launch_cycles);
		write_cell(t, made[i]);
		write_counted(t, made[i], &total[i], parts[i]);
		if (parts[i])
			t->run[made[i]->mechanism].mechanism->engine_free(parts[i]);
	}
	if (t->settings.sample_kernels > 0)
		take_series(t, made, series, n);
	fflush(t->out);
	return n;
}

/* ---- which ---- */

/* The replays of a system in ascending order of setting. */
static unsigned tried_settings(const struct truth *t, int mechanism, int system,
                               struct ct_mechanism_tried tried[CELLS_MAX])
{
	unsigned n = 0;
	for (unsigned i = 0; i < t->n; i++) {
		const struct cell *c = &t->cell[i];
		if (c->mechanism != mechanism || c->system != system || c->timing != CT_REPLAY_FULL)
			continue;
		unsigned at = n++;
		for (; at > 0 && tried[at - 1].setting > c->setting; at--)
			tried[at] = tried[at - 1];
		tried[at] = (struct ct_mechanism_tried){c->setting, c->cycles};
	}
	return n;
}

/* Settings half way between the best one and its neighbours, down to a sixteenth of what was tried. */
static void want_between(struct truth *t, int mechanism, int system,
                         const struct ct_mechanism_tried *tried, unsigned n)
{
	unsigned best = 0;
	for (unsigned i = 1; i < n; i++)
		if (tried[i].cycles < tried[best].cycles)
			best = i;
	double least = fmax(1, tried[n - 1].setting / STEPS);
	for (unsigned i = best ? best - 1 : 0; i < best + 1 && i + 1 < n; i++)
		if (tried[i + 1].setting - tried[i].setting > least)
			want(t, mechanism, system, floor((tried[i].setting + tried[i + 1].setting) / 2),
			     CT_REPLAY_FULL);
}

/* A system's replays: one, or those that the mechanism's own search asks for next and those next to the best. */
static void want_system(struct truth *t, int mechanism, int system)
{
	const struct ct_mechanism *m = ct_mechanism_at((unsigned)mechanism);
	struct ct_mechanism_tried tried[CELLS_MAX];
	double value[CT_CANDIDATES_MAX];
	unsigned n = tried_settings(t, mechanism, system, tried), more = 0;
	if (t->searched[mechanism][system] || (t->no_searches && m->candidates))
		return;
	if (m->candidates) {
		if (!t->p)
			make_pass(t);
		more = m->candidates(&t->run[mechanism], (unsigned)system, tried, n, value);
	}
	for (unsigned i = 0; i < more; i++)
		want(t, mechanism, system, value[i], CT_REPLAY_FULL);
	if (!more && n == 0)
		want(t, mechanism, system, 0, CT_REPLAY_FULL)->off = m->candidates != NULL;
	if (!more && n > 1)
		want_between(t, mechanism, system, tried, n);
}

static void write_searched(struct truth *t, int mechanism, int system)
{
	if (!t->searched[mechanism][system])
		fprintf(t->out, "searched\t%s\t%s\n", ct_mechanism_at((unsigned)mechanism)->name,
		        ct_mechanism_at((unsigned)mechanism)->systems[system].name);
}

/* The best of what full timing found is replayed in quick timing too. */
static void want_quick(struct truth *t, int mechanism, int system)
{
	struct ct_mechanism_tried tried[CELLS_MAX];
	unsigned n = tried_settings(t, mechanism, system, tried), best = 0;
	for (unsigned i = 1; i < n; i++)
		if (tried[i].cycles < tried[best].cycles)
			best = i;
	if (n)
		want(t, mechanism, system, tried[best].setting, CT_REPLAY_QUICK);
}

/* Calls f for each system that was asked for with -y. */
static void each_named(struct truth *t, void (*f)(struct truth *t, int mechanism, int system))
{
	const struct ct_mechanism *m = ct_mechanism_at((unsigned)t->named_mechanism);
	char name[64];
	for (const char *at = t->named; *at; at += strspn(at, ",")) {
		size_t length = strcspn(at, ",");
		snprintf(name, sizeof name, "%.*s", (int)length, at);
		int system = ct_mechanism_system(m, name);
		if (system < 0) {
			fprintf(stderr, "truth: %s has no system %s\n", m->name, name);
			exit(2);
		}
		f(t, t->named_mechanism, system);
		at += length;
	}
}

static void each_system(struct truth *t, void (*f)(struct truth *t, int mechanism, int system))
{
	if (t->named) {
		each_named(t, f);
		return;
	}
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		const struct ct_mechanism *m = ct_mechanism_at(i);
		if (!m->published)
			continue;
		f(t, (int)i, ct_mechanism_system(m, m->judged));
		if (m->configured)
			f(t, (int)i, ct_mechanism_system(m, m->configured));
		for (const char *const *a = m->alternatives; a && *a; a++)
			f(t, (int)i, ct_mechanism_system(m, *a));
	}
}

/* Each mechanism's systems without settings first: the pass has to know who needs it. */
static void want_plain(struct truth *t, int mechanism, int system)
{
	if (!ct_mechanism_at((unsigned)mechanism)->candidates)
		want_system(t, mechanism, system);
}

/* A simpler system, at its best setting, if it has no parts. */
static void want_in_both(struct truth *t, int mechanism, int system)
{
	const struct ct_mechanism *m = ct_mechanism_at((unsigned)mechanism);
	struct ct_mechanism_tried tried[CELLS_MAX];
	unsigned n = tried_settings(t, mechanism, system, tried);
	struct cell probe = {mechanism, system, t->gpu.sms, CT_REPLAY_QUICK, 0, NAN};
	struct ct_replays_engine engine;
	void *parts = NULL;
	if (!strcmp(m->systems[system].name, m->judged))
		return;
	if (!n && !make_engine(t, &probe, &engine, &parts))
		return;
	m->engine_free(parts);
	want_system(t, mechanism, system);
	want_quick(t, mechanism, system);
}

static void replay_in_both(struct truth *t)
{
	static const int ideals[] = {0, CT_REPLAY_IDEAL_L1, CT_REPLAY_IDEAL_LLC};
	for (size_t i = 0; i < sizeof ideals / sizeof ideals[0]; i++) {
		want(t, -1, ideals[i], 0, CT_REPLAY_FULL);
		want(t, -1, ideals[i], 0, CT_REPLAY_QUICK);
	}
	while (replay_some(t))
		each_system(t, want_in_both);
}

static void name_systems(struct truth *t, char *argument)
{
	char *colon = strchr(argument, ':');
	if (colon)
		*colon = '\0';
	t->named = colon ? colon + 1 : "";
	t->named_mechanism = ct_mechanism_find(argument);
	if (!*t->named || t->named_mechanism < 0) {
		fputs("truth: -y wants MECHANISM:SYSTEM[,SYSTEM...] of mechanisms that -m lists\n",
		      stderr);
		exit(2);
	}
}

static void set_option(struct truth *t, char *argument)
{
	char *value = strchr(argument, '=');
	const struct ct_mechanism *m = ct_mechanism_at((unsigned)t->named_mechanism);
	for (unsigned i = 0; value && t->named && i < m->n_options && i < OPTIONS_MAX; i++) {
		if (strlen(m->options[i].name) == (size_t)(value - argument) &&
		    !strncmp(m->options[i].name, argument, (size_t)(value - argument))) {
			t->option[i] = value + 1;
			return;
		}
	}
	fprintf(stderr, "truth: -o %s: no option of the mechanism that -y names\n", argument);
	exit(2);
}

static void set_parameter(struct truth *t, const char *assignment)
{
	struct ct_error e = {0};
	if (!t->named || t->n_set == OPTIONS_MAX ||
	    !ct_mechanism_is_key(ct_mechanism_at((unsigned)t->named_mechanism), assignment)) {
		fprintf(stderr,
		        "truth: -p %s: no parameter of the mechanism that -y names, or too many\n",
		        assignment);
		exit(2);
	}
	if (ct_mechanism_check_key(assignment, &e) < 0)
		die(assignment, &e);
	t->set[t->n_set++] = assignment;
}

int main(int argc, char **argv)
{
	static struct truth t; /* some KiB */
	const char *scale = "auto";
	struct ct_error e = {0};
	int quick = 0, both = 0, o;
	t.settings = (struct ct_pass_settings){.seed = 1};
	while ((o = getopt(argc, argv, "1imqs:S:y:o:p:")) != -1) {
		if (o == 'm')
			return list_mechanisms();
		if (o == 's')
			scale = optarg;
		if (o == 'S')
			t.settings.sample_kernels = strtod(optarg, NULL);
		if (o == 'y')
			name_systems(&t, optarg);
		if (o == 'o')
			set_option(&t, optarg);
		if (o == 'p')
			set_parameter(&t, optarg);
		t.no_searches |= o == '1';
		quick |= o == 'q';
		both |= o == 'i';
	}
	if (argc - optind != 4)
		return fprintf(stderr,
		               "usage: truth [-1iq] [-s FACTOR|auto] [-S SHARE] [-y MECHANISM:SYSTEM,...] [-o NAME=VALUE] [-p KEY=VALUE] GPU DATA_FOLDER TRACE KNOWN\n"),
		       2;
	t.data = argv[optind + 1];
	t.path = argv[optind + 2];
	if (ct_gpu_load(&t.whole, argv[optind], t.data, NULL, &e) != CT_OK)
		die(argv[optind], &e);
	if (strcmp(scale, "auto"))
		t.factor = strtod(scale, NULL);
	read_known(&t, argv[optind + 3]);
	t.out = fopen(argv[optind + 3], "a");
	if (!t.out)
		return perror(argv[optind + 3]), 2;
	if (both) {
		replay_in_both(&t);
		close_runs(&t);
		return fclose(t.out) == 0 ? 0 : 2;
	}
	want(&t, -1, 0, 0, CT_REPLAY_FULL);
	each_system(&t, want_plain);
	do
		each_system(&t, want_system);
	while (replay_some(&t));
	if (!t.no_searches)
		each_system(&t, write_searched);
	if (quick) {
		want(&t, -1, 0, 0, CT_REPLAY_QUICK);
		each_system(&t, want_quick);
		while (replay_some(&t))
			continue;
	}
	ct_sample_free(&t.configured);
	close_runs(&t);
	return fclose(t.out) == 0 ? 0 : 2;
}

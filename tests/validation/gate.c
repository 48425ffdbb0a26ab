/* gate.c - what a program gains from more of what a mechanism gives, without the mechanism, and which premise of a mechanism
 * decides.
 *
 *     gate GPU TRACE|- NAME[:SETTING,...]...
 *
 * Replays the trace in full timing on one GPU for each NAME, all in one pass, and prints lines of NAME, metric and value. A
 * setting is one of
 *
 *     KEY=VALUE                a parameter of the GPU, or of a mechanism where it has the mechanism's prefix
 *     ideal-l1, ideal-llc, ideal-registers
 *                              an ideal of the engine
 *     system=MECHANISM/SYSTEM  a system that can be part of an engine; what it needs to know of the program, such as
 *                              the bits of registers, is measured in a pass of its own before
 *     option=NAME=VALUE        an option of that mechanism's command
 *     at=N                     the system's setting: how many SMs compute
 *
 * Semicolons separate settings where one of them has commas, as option=mix=0.25,0.25,0.5 has.
 *
 * The first NAME also counts replication, unless it is a mechanism's system. tests/validation/run.sh decides with these
 * numbers whether a program has what a paper's effect needs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "models/common/workload.h"
#include "models/observers.h"
#include "models/registry.h"
#include "replay/replay.h"
#include "tests/support/replay_trace.h"
#include "trace/trace.h"

enum { ENGINES_MAX = 16, SETTINGS_MAX = 16 };

struct engine {
	char name[64];
	struct ct_gpu gpu;
	struct ct_replay_options options;
	struct ct_replay *replay;
	char system[64];                  /* MECHANISM/SYSTEM, or "" */
	const char *set[SETTINGS_MAX];    /* parameters of mechanisms */
	const char *option[SETTINGS_MAX]; /* NAME=VALUE; sort_options() leaves the mechanism's values */
	size_t n_set, n_options;
	double at; /* the system's setting; 0: its own choice */
	struct ct_mechanism_run run;
	struct ct_profile *p; /* the run's: empty, or of a pass that measured what the system needs */
	struct ct_workload workload;
	void *parts;
};

static struct ct_pass_settings pass_settings = {.seed = 1}; /* as the commands have it */

static const struct {
	const char *name;
	enum ct_replay_ideal ideal;
} ideals[] = {
	{"ideal-l1", CT_REPLAY_IDEAL_L1},
	{"ideal-llc", CT_REPLAY_IDEAL_LLC},
	{"ideal-registers", CT_REPLAY_IDEAL_REGISTERS},
};

static int apply(struct engine *x, const char *setting, struct ct_error *e)
{
	for (size_t i = 0; i < sizeof ideals / sizeof ideals[0]; i++) {
		if (!strcmp(setting, ideals[i].name)) {
			x->options.ideal |= ideals[i].ideal;
			return CT_OK;
		}
	}
	if (!strncmp(setting, "system=", 7)) {
		snprintf(x->system, sizeof x->system, "%s", setting + 7);
		return CT_OK;
	}
	if (!strncmp(setting, "at=", 3)) {
		x->at = strtod(setting + 3, NULL);
		return CT_OK;
	}
	const int option = !strncmp(setting, "option=", 7);
	if (!option && ct_mechanism_of_key(setting) < 0)
		return ct_gpu_set(&x->gpu, setting, e);
	if ((option ? x->n_options : x->n_set) == SETTINGS_MAX)
		return ct_fail(e, CT_ERR_USAGE, "%s: more than %d of its kind", setting, SETTINGS_MAX);
	if (option)
		x->option[x->n_options++] = setting + 7;
	else
		x->set[x->n_set++] = setting;
	return option ? CT_OK : ct_mechanism_check_key(setting, e);
}

/* Puts the values of the options into the order of the mechanism's table. */
static int sort_options(struct engine *x, const struct ct_mechanism *m, struct ct_error *e)
{
	const char *value[SETTINGS_MAX] = {NULL};
	for (size_t k = 0; k < x->n_options; k++) {
		const char *equals = strchr(x->option[k], '=');
		size_t i = 0, length = equals ? (size_t)(equals - x->option[k]) : 0;
		while (i < m->n_options && (strlen(m->options[i].name) != length ||
		                            strncmp(m->options[i].name, x->option[k], length)))
			i++;
		if (!equals || i == m->n_options || i >= SETTINGS_MAX)
			return ct_fail(e, CT_ERR_USAGE, "%s: no option of %s", x->option[k], m->name);
		value[i] = equals + 1;
	}
	memcpy(x->option, value, sizeof value);
	return CT_OK;
}

static int new_profile(struct engine *x, struct ct_error *e)
{
	ct_profile_free(x->p);
	if (!(x->run.p = x->p = ct_profile_new(e)))
		return CT_ERR_NOMEM;
	ct_profile_set_metrics(x->p, ct_mechanism_metric);
	return CT_OK;
}

/* Makes the engine's parts; where they need what only a pass over the trace tells, that pass comes first. */
static int make_parts(struct engine *x, unsigned system, const char *path,
                      struct ct_replays_engine *engine, struct ct_error *e)
{
	const struct ct_mechanism *m = x->run.mechanism;
	int st = new_profile(x, e);
	if (st == CT_OK)
		st = m->engine(&x->run, system, engine, &x->parts, e);
	if (st == CT_OK || st == CT_ERR_NOMEM || st == CT_ERR_UNSUPPORTED || !m->observer)
		return st;
	m->engine_free(x->parts);
	x->parts = NULL;
	if (!strcmp(path, "-"))
		return ct_fail(e, CT_ERR_USAGE,
		               "%s needs a pass of its own over the trace, which comes from standard "
		               "input: name a file",
		               m->systems[system].name);
	if ((st = new_profile(x, e)) == CT_OK)
		st = ct_mechanism_profile(&x->run, path, &x->workload, e);
	return st < 0 ? st : m->engine(&x->run, system, engine, &x->parts, e);
}

/* Puts the parts of the system into the engine's options; *gpu becomes the GPU that it wants. */
static int use_system(struct engine *x, const char *path, const struct ct_gpu **gpu, struct ct_error *e)
{
	char *name = strchr(x->system, '/');
	if (name)
		*name++ = '\0';
	int i = name ? ct_mechanism_find(x->system) : -1;
	const struct ct_mechanism *m = i < 0 ? NULL : ct_mechanism_at((unsigned)i);
	int system = m ? ct_mechanism_system(m, name) : -1;
	if (system < 0)
		return ct_fail(e, CT_ERR_USAGE, "%s: no such system", x->system);
	if (sort_options(x, m, e) != CT_OK)
		return CT_ERR_USAGE;
	struct ct_replays_engine engine = {0};
	x->run = (struct ct_mechanism_run){
		.mechanism = m,
		.method = CT_BY_REPLAY,
		.set = x->set,
		.n_set = x->n_set,
		.option = x->n_options ? x->option : NULL,
		.data_dir = "data",
		.settings = &pass_settings,
		.base = &x->gpu,
		.gpu = &x->gpu,
		.judged_only = 1,
		.from_trace = 1};
	int st = m->open(&x->run, e);
	x->run.setting = x->at;
	if (st == CT_OK)
		st = make_parts(x, (unsigned)system, path, &engine, e);
	if (st == CT_OK) {
		x->options.parts = engine.options.parts;
		*gpu = engine.gpu;
	}
	return st;
}

static void free_engine(struct engine *x)
{
	ct_replay_free(x->replay);
	if (x->parts)
		x->run.mechanism->engine_free(x->parts);
	if (x->run.state)
		x->run.mechanism->close(&x->run);
	ct_profile_free(x->p);
}

/* Makes the engine that an argument NAME[:SETTING,...] describes; the argument is cut at its separators. */
static int make_engine(struct engine *x, const char *gpu, const char *path, char *argument,
                       struct ct_error *e)
{
	char *settings = strchr(argument, ':');
	const char *separator = settings && strchr(settings, ';') ? ";" : ",";
	if (settings)
		*settings++ = '\0';
	snprintf(x->name, sizeof x->name, "%s", argument);
	x->options.timing = CT_REPLAY_FULL;
	int st = ct_gpu_load(&x->gpu, gpu, "data", NULL, e);
	for (char *s = settings ? strtok(settings, separator) : NULL; s && st >= 0;
	     s = strtok(NULL, separator))
		st = apply(x, s, e);
	if (st >= 0)
		st = ct_gpu_check(&x->gpu, e);
	const struct ct_gpu *g = &x->gpu;
	if (st >= 0 && x->system[0])
		st = use_system(x, path, &g, e);
	return st < 0 ? st : ct_replay_new(&x->replay, g, &x->options, e);
}

static int replay_all(struct engine *x, unsigned n, const char *path, struct ct_error *e)
{
	struct ct_replay *replay[ENGINES_MAX];
	struct ct_trace *t = NULL;
	for (unsigned i = 0; i < n; i++)
		replay[i] = x[i].replay;
	int st = ct_trace_open(&t, path, NULL, e);
	if (st >= 0)
		st = replay_trace_together(replay, n, t, e);
	ct_trace_close(t);
	return st;
}

static double over(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static void print_counts(const struct engine *x)
{
	struct ct_replay_counts c;
	ct_replay_total(x->replay, &c);
	const uint64_t cycles = c.cycles - c.launch_cycles;
	printf("%s\twarp_insts\t%" PRIu64 "\n", x->name, c.warp_insts);
	printf("%s\tcycles\t%" PRIu64 "\n", x->name, cycles);
	printf("%s\tipc\t%.6g\n", x->name, over(c.thread_insts, cycles));
	printf("%s\twaves\t%.6g\n", x->name, over(c.ctas, c.sm_cta_capacity));
	printf("%s\tl1_miss_rate\t%.6g\n", x->name, over(c.l1_read_misses, c.l1_read_accesses));
	printf("%s\tllc_miss_rate\t%.6g\n", x->name, over(c.llc_misses, c.llc_accesses));
	printf("%s\tllc_accesses\t%" PRIu64 "\n", x->name, c.llc_accesses);
	printf("%s\tdram_bytes\t%" PRIu64 "\n", x->name, c.dram_read_bytes + c.dram_write_bytes);
	printf("%s\tload_cycles\t%.6g\n", x->name, over(c.mem_latency_sum, c.mem_latency_count));
	printf("%s\tnoc_reply_busy\t%.6g\n", x->name, over(c.noc_reply_busy, cycles));
	if (x->options.replication)
		printf("%s\treplication_ratio\t%.6g\n", x->name,
		       over(c.replicated_misses, c.line_fills));
}

int main(int argc, char **argv)
{
	static struct engine x[ENGINES_MAX];
	struct ct_error e = {0};
	int st = CT_OK, n = argc - 3;
	if (n < 1 || n > ENGINES_MAX) {
		fprintf(stderr, "usage: gate GPU TRACE|- NAME[:SETTING,...]... (at most %d)\n",
		        ENGINES_MAX);
		return 2;
	}
	x[0].options.replication = !strstr(argv[3], "system=");
	for (int i = 0; i < n && st >= 0; i++)
		st = make_engine(&x[i], argv[1], argv[2], argv[3 + i], &e);
	if (st >= 0)
		st = replay_all(x, (unsigned)n, argv[2], &e);
	for (int i = 0; i < n && st >= 0; i++)
		print_counts(&x[i]);
	for (int i = 0; i < n; i++)
		free_engine(&x[i]);
	if (st < 0)
		fprintf(stderr, "gate: %s: %s\n", argv[2], e.text);
	return st < 0 ? 2 : 0;
}

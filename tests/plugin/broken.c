/* broken.c - plugins that break, as HOW says: the ends that commands have to tell from one another. */
#include <models/common/figure.h>
#include <models/plugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CRASH 1
#define ABORT 2
#define EXIT 3
#define HANG 4
#define GARBAGE 5
#define PRINT 6
#define LOADING 7
#define API 8
#define LAYOUT 9
#define NAMELESS 10
#define TABS 11
#define TAKEN 12
#define OTHERS 13

#if HOW == LOADING
__attribute__((constructor)) static void begin(void)
{
	raise(SIGSEGV);
}
#endif

/* Writes into everything that is open, as a wild pointer into a buffer might. */
static void litter(void)
{
	static const char text[] = "cachetriage-plugin 1 this is no answer\n";
	for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
		if (write(fd, text, sizeof text - 1) < 0)
			continue;
}

static int engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
                  void **parts, struct ct_error *e)
{
	(void)system, (void)e;
	*parts = NULL;
	*engine = (struct ct_replays_engine){.gpu = run->gpu};
	if (HOW == CRASH)
		raise(SIGSEGV);
	if (HOW == ABORT)
		abort();
	if (HOW == EXIT)
		exit(0);
	while (HOW == HANG)
		pause();
	if (HOW == GARBAGE)
		litter();
	if (HOW == PRINT)
		puts("a plugin has nothing to say here");
	return CT_OK;
}

static int estimate(struct ct_mechanism_run *run, struct ct_error *e)
{
	static const char *const record[] = {
		"all", "bypass", "Bypass", "speedup_configured", "9", "ratio", "full", "NA", "NA"};
	return HOW == OTHERS ? ct_profile_put(run->p, "ES", 9, record, e) : CT_OK;
}

static void engine_free(void *parts)
{
	(void)parts;
}

static const struct ct_constants parameters = {
	NULL, 0, 0, HOW == TAKEN ? "bypass" : "broken", "", "", ""};
static const struct ct_mechanism_system systems[] = {
	{HOW == TABS ? "a\tb" : "BL", "", 0}, {"Broken", "breaks", 0}};
static const struct ct_figure_series series[] = {
	CT_FIGURE_ES("", "broken", "broken", "Broken", "speedup_configured")};
static const struct ct_figure figures[] = {
	{"broken:1", "Speed-ups of what is broken", "workload", "speed-up", "run triage --plugin",
         CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(series), NULL, 0, 0}};
static const struct ct_mechanism broken = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof broken,
	.name = HOW == NAMELESS ? NULL
                : HOW == TAKEN  ? "bypass"
                                : "broken",
	.judged = "Broken",
	.baseline = "BL",
	.systems = systems,
	.n_systems = 2,
	.parameters = &parameters,
	.places = CT_PLACE_L1_LINES,
	.estimate = HOW == OTHERS ? estimate : NULL,
	.figure_list = figures,
	.n_figure_list = HOW == TAKEN ? 0 : 1,
	.engine = engine,
	.engine_free = engine_free};

#if HOW == API
const struct ct_plugin ct_plugin = {sizeof ct_plugin, CT_PLUGIN_API + 1, CT_PLUGIN_LAYOUT, &broken};
#elif HOW == LAYOUT
const struct ct_plugin ct_plugin = {sizeof ct_plugin, CT_PLUGIN_API, {1}, &broken};
#else
CT_PLUGIN(broken);
#endif

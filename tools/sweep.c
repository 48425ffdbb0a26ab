/* sweep - estimates over lists of values of any keys, for many traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "sweep/sweep.h"

enum { OPT_SYSTEM = CT_OWN_OPTION, OPT_METRIC, OPT_RESUME, OPT_BUDGET };

static const struct ct_option own_options[] = {
	{OPT_SYSTEM, "system", "NAME[,NAME]",
         "estimate these: baseline, SYSTEM, MECHANISM:SYSTEM, or for\nall systems of one MECHANISM "
         "(default: the baseline and\neach mechanism's judged system)"},
	{OPT_METRIC, "metric", "NAME[,NAME]", "only these metrics (default: all)"},
	{OPT_RESUME, "resume", "FILE",
         "keep finished points in FILE, and take from there what\nhas not changed"},
	{OPT_BUDGET, "budget", "TIME", "begin no more points after TIME: 90, 90s, 15m or 2h"},
};

/* The command: what ct_tool_main() is handed, and what stood behind "--". */
struct program {
	struct ct_tool_spec spec; /* the first, so that a tool's spec leads here */
	int inputs;               /* arguments behind "--"; -1: there is none */
};

/* "90", "90s", "15m" or "2h" in seconds. */
static int read_time(const char *text, double *seconds)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	size_t n = strlen(text);
	char number[32];
	double factor = 1;
	for (size_t i = 0; n && i < sizeof units / sizeof units[0]; i++)
		if (text[n - 1] == units[i].unit) {
			factor = units[i].seconds;
			n--;
			break;
		}
	if (!n || n >= sizeof number)
		return -1;
	memcpy(number, text, n);
	number[n] = '\0';
	if (ct_parse_real(number, seconds) < 0 || !(*seconds > 0))
		return -1;
	*seconds *= factor;
	return 0;
}

static int take_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct sw_own *o = ((struct ct_tool *)ctx)->own;
	switch (key) {
	case OPT_SYSTEM: o->system_text = value; return CT_OK;
	case OPT_METRIC: o->metric_text = value; return CT_OK;
	case OPT_RESUME: o->resume = value; return CT_OK;
	default:
		if (read_time(value, &o->budget) < 0)
			return ct_fail(
				e, CT_ERR_USAGE,
				"--budget %s: give seconds, or a number with s, m or h, as in 15m",
				value);
		return CT_OK;
	}
}

/* ---- what to do ---- */

static int make_inputs(struct ct_tool *t, int first, struct ct_error *e)
{
	static const char standard_input[] = "-";
	struct sw_own *o = t->own;
	size_t n = (size_t)(t->operands - first);
	o->n_inputs = n ? n : 1;
	if (!(o->input = ct_calloc(o->n_inputs, sizeof *o->input)))
		return ct_fail_nomem(e);
	for (size_t i = 0; i < o->n_inputs; i++) {
		o->input[i].path = n ? t->operand[first + (int)i] : standard_input;
		o->input[i].result = ct_calloc(o->points, sizeof *o->input[i].result);
		if (!o->input[i].result)
			return ct_fail_nomem(e);
	}
	for (size_t i = 0, dashes = 0; i < o->n_inputs; i++)
		if (!strcmp(o->input[i].path, "-") && ++dashes > 1)
			return ct_fail(e, CT_ERR_USAGE, "-: standard input can be read once only");
	return CT_OK;
}

static void free_own(struct sw_own *o)
{
	for (unsigned i = 0; i < o->n_dimensions; i++)
		free(o->dimension[i].value);
	for (size_t i = 0; o->input && i < o->n_inputs; i++) {
		for (size_t k = 0; o->input[i].result && k < o->points; k++)
			free(o->input[i].result[k].text);
		free(o->input[i].result);
		free(o->input[i].error);
		ct_profile_free(o->input[i].p);
	}
	free(o->input);
}

/* Reads what the operands in front of "--" say, and what is estimated there. */
static int read_question(struct ct_tool *t, int *first, struct ct_error *e)
{
	struct sw_own *o = t->own;
	int behind = ((const struct program *)(const void *)t->spec)->inputs, st = CT_OK;
	*first = t->operands - (behind > 0 ? behind : 0);
	if (*first <= 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "what is to be varied? sweep llc.size=2MiB,4MiB -- TRACE; see --help");
	for (int i = 0; i < *first && st == CT_OK; i++)
		st = sw_dimension_read(o, t->operand[i], e);
	if (st == CT_OK)
		st = sw_systems_read(o, e);
	if (st == CT_OK)
		st = sw_metrics_read(o, e);
	return st == CT_OK ? ct_tool_check_keys(t, o->mechanisms, e) : st;
}

/* Prints what came of the points, and tells of what did not; fails where no row has any of the metrics that were asked for. */
static int print_rows(struct ct_tool *t, struct ct_error *e)
{
	struct ct_error why = {0};
	const struct sw_own *o = t->own;
	unsigned absent = o->n_metrics ? sw_metrics_absent(o, &why) : 0;
	if (absent && absent == o->n_metrics)
		return ct_fail(e, CT_ERR_USAGE, "%s", why.text);
	int st = sw_print(t, e);
	if (st != CT_OK)
		return st;
	if (sw_tell_failures(t))
		st = 2;
	if (absent) {
		ct_tool_say(t, "%s", why.text);
		st = 2;
	}
	return st;
}

static int run_sweep(struct ct_tool *t, struct ct_error *e)
{
	struct sw_own *o = t->own;
	int first = 0, st = CT_OK;
	if (t->check)
		st = ct_fail(
			e, CT_ERR_USAGE,
			"--check compares the two methods of one estimate: give it to the estimator");
	if (st == CT_OK)
		st = read_question(t, &first, e);
	if (st == CT_OK)
		st = make_inputs(t, first, e);
	if (st == CT_OK)
		st = sw_run(t, e);
	if (st == CT_OK)
		st = print_rows(t, e);
	for (size_t i = 0; st == CT_OK && i < o->n_inputs; i++)
		st = o->input[i].truncated;
	free_own(o);
	return st;
}

/* How many arguments stand behind "--", which getopt drops. */
static int count_inputs(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return -1;
}

int main(int argc, char **argv)
{
	static const char *const csv[] = {"csv", NULL};
	const struct program p = {
		.spec = {.name = "sweep",
	                 .operands = "KEY=LIST... [-- INPUT...]",
	                 .summary = "estimates over lists of values of any keys, for many traces",
	                 .takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
	                          CT_TAKES_METHOD | CT_TAKES_REPLAY | CT_TAKES_SAMPLE | CT_TAKES_SEED |
	                          CT_TAKES_PROFILE | CT_TAKES_PLUGINS,
	                 .options = own_options,
	                 .n_options = sizeof own_options / sizeof own_options[0],
	                 .option = take_option,
	                 .own_size = sizeof(struct sw_own),
	                 .run = run_sweep,
	                 .reads_mechanisms = 1,
	                 .other_outputs = csv},
		.inputs = count_inputs(argc, argv)};
	return ct_tool_main(&p.spec, argc, argv);
}

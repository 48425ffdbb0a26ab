#include "common/tool.h"

#include <fcntl.h>
#include <getopt.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/threads.h"
#include "base/units.h"
#include "common/kernel_name.h"
#include "common/plugin.h"
#include "common/terminal.h"
#include "pass/pass.h"

/* Long-only common options. */
enum {
	OPT_SCALE = 256,
	OPT_MACHINE,
	OPT_COLD,
	OPT_PRINT_GPU,
	OPT_MAX_MEMORY,
	OPT_PATTERN,
	OPT_SALVAGE,
	OPT_TRUST_PATHS,
	OPT_STREAMS,
	OPT_MAX_EXPAND,
	OPT_METHOD,
	OPT_CHECK,
	OPT_SAMPLE_KERNELS,
	OPT_WARMUP,
	OPT_TIMING,
	OPT_SEED,
	OPT_NO_VERIFY,
	OPT_TRACE_ROOT,
	OPT_NO_PROVENANCE,
	OPT_PROGRESS,
	OPT_PLUGIN,
	OPT_PLUGIN_LIMIT,
	OPT_VERSION
};

struct common_option {
	unsigned group; /* 0: every command */
	struct ct_option o;
};

static const struct common_option common[] = {
	{CT_TAKES_GPU,
         {'g', "gpu", "NAME|FILE",
          "GPU: a name from data/gpus/, a file of that form or a\n"
          "gpgpusim.config[,trace.config] (default: rtx3080)"}},
	{CT_TAKES_GPU,
         {'p', "set", "KEY=VALUE",
          "override one GPU or model parameter, units allowed\n(l1.size=64KiB)"}},
	{CT_TAKES_GPU,
         {OPT_MACHINE, "machine", "RULES",
          "accelsim or silicon: whose rules a replay follows (default:\nas the GPU's file says, silicon for gv100 and v100)"}},
	{CT_TAKES_GPU,
         {OPT_COLD, "cold", NULL, "empty L1s and LLC before each kernel, as Nsight Compute does"}},
	{CT_TAKES_GPU,
         {OPT_SCALE, "scale", "F|auto",
          "scale SMs, LLC and memory channels together (1/8), for\n"
          "traces too small for the GPU"}},
	{CT_TAKES_GPU,
         {OPT_PRINT_GPU, "print-gpu", NULL, "print the GPU in force with derived sizes, and exit"}},
	{CT_TAKES_TRACE,
         {'k', "kernel", "REGEX|N|N-M", "only kernels whose name matches, or launches by number"}},
	{CT_TAKES_TRACE,
         {OPT_MAX_MEMORY, "max-memory", "SIZE",
          "keep at most SIZE of instructions in memory, spill the\nrest to TMPDIR (default 1GiB)"}},
	{CT_TAKES_TRACE,
         {OPT_MAX_EXPAND, "max-expand", "SIZE",
          "refuse compressed files that unpack to more than SIZE\n(default: 16GiB, or 4000 times the file)"}},
	{CT_TAKES_TRACE,
         {OPT_PATTERN, "pattern", "REGEX",
          "read the input as text of any form: one access per line\nthat matches; see cachetriage-traces(5)"}},
	{CT_TAKES_TRACE,
         {OPT_SALVAGE, "salvage", NULL, "use what precedes the damage of a damaged trace (exit 1)"}},
	{CT_TAKES_TRACE,
         {OPT_TRUST_PATHS, "trust-paths", NULL, "let a kernels list name files outside its folder"}},
	{CT_TAKES_TRACE,
         {OPT_STREAMS, "streams", NULL,
          "launches of different streams that follow each other run\ntogether"}},
	{CT_TAKES_REPLAY,
         {OPT_WARMUP, "warmup", "N", "the first N warp instructions warm the caches, uncounted"}},
	{CT_TAKES_REPLAY,
         {OPT_TIMING, "timing", "full|quick",
          "how the trace is replayed: full, or quick, in which\nwarps run ahead: 1.2 to 1.5 times as fast"}},
	{CT_TAKES_SAMPLE,
         {'S', "sample", "RATE", "analyse a spatial sample of the lines, 0 < RATE <= 1"}},
	{CT_TAKES_KERNELS,
         {OPT_SAMPLE_KERNELS, "sample-kernels", "SHARE",
          "replay a sample of the launches and of their CTAs, this\nshare of the instructions, and say how far off that may be"}},
	{CT_TAKES_METHOD, {OPT_METHOD, "method", "METHOD", "auto, analytic or replay (default auto)"}},
	{CT_TAKES_METHOD, {OPT_CHECK, "check", NULL, "print both methods and their difference"}},
	{CT_TAKES_PROFILE,
         {OPT_TRACE_ROOT, "trace-root", "DIR",
          "where the profile's trace lies now: its own folder, or one\nabove it"}},
	{CT_TAKES_PROFILE,
         {OPT_NO_VERIFY, "no-verify", NULL, "accept a profile without a right EN line (hand-edited)"}},
	{CT_TAKES_PROFILE, {OPT_NO_PROVENANCE, "no-provenance", NULL, "write no PG record"}},
	{CT_TAKES_SEED, {OPT_SEED, "seed", "N", "seed of what is random (default 1)"}},
	{CT_TAKES_PLUGINS,
         {OPT_PLUGIN, "plugin", "FILE",
          "also know the mechanism of this shared object, with its\nfolder: ./FILE; may be given again"}},
	{CT_TAKES_PLUGINS,
         {OPT_PLUGIN_LIMIT, "plugin-limit", "SECONDS",
          "end a plugin that gives no answer for so long (default\n3600)"}},
	{CT_TAKES_OUTPUT,
         {'O', "output", "FORMAT",
          "table, profile, json or csv (default: table on a\nterminal, else profile)"}},
	{CT_TAKES_OUTPUT, {'o', "out", "FILE", "write to FILE: complete or not at all"}},
	{CT_TAKES_THREADS,
         {'@', "threads", "N",
          "threads, 0 = all cores (default 1); the output is the\nsame for every N"}},
	{0, {'q', "quiet", NULL, "no warnings"}},
	{0, {'v', "verbose", NULL, "say more on standard error"}},
	{0, {OPT_PROGRESS, "progress", NULL, "show progress even where there is no terminal"}},
	{0, {'h', "help", NULL, "print this help and exit"}},
	{0, {OPT_VERSION, "version", NULL, "print the version and exit"}},
};

enum { N_COMMON = sizeof common / sizeof common[0] };

struct parse {
	struct ct_tool *t;
	int help, version;
};

/* Reads -O: one of the four forms that all commands have, or one that this command adds. */
static int parse_output(struct ct_tool *t, const char *v, struct ct_error *e)
{
	static const char *const names[] = {"table", "profile", "json", "csv"};
	const char *const *other = t->spec->other_outputs;
	t->output_given = 1;
	for (; other && *other; other++)
		if (strcmp(v, *other) == 0) {
			t->output = CT_OUTPUT_OTHER;
			t->output_other = *other;
			return CT_OK;
		}
	for (int i = 0; i < 4 && !t->spec->only_others; i++)
		if (strcmp(v, names[i]) == 0) {
			t->output = (enum ct_output)i;
			return CT_OK;
		}
	if (t->spec->only_others)
		return ct_fail(e, CT_ERR_USAGE, "-O %s: unknown format: use %s%s%s, or leave -O out", v,
		               t->spec->other_outputs[0], t->spec->other_outputs[1] ? " or " : "",
		               t->spec->other_outputs[1] ? t->spec->other_outputs[1] : "");
	return ct_fail(e, CT_ERR_USAGE, "-O %s: unknown format: use table, profile, json or csv", v);
}

static int parse_method(struct ct_tool *t, const char *v, struct ct_error *e)
{
	if (strcmp(v, "auto") == 0)
		t->method = CT_METHOD_AUTO;
	else if (strcmp(v, "analytic") == 0)
		t->method = CT_METHOD_ANALYTIC;
	else if (strcmp(v, "replay") == 0)
		t->method = CT_METHOD_REPLAY;
	else
		return ct_fail(e, CT_ERR_USAGE, "--method %s: use auto, analytic or replay", v);
	return CT_OK;
}

/* 20% or 0.2 */
static int parse_sample_kernels(struct ct_tool *t, const char *v, struct ct_error *e)
{
	if (ct_parse_share(v, &t->sample_kernels) < 0 ||
	    !(t->sample_kernels > 0 && t->sample_kernels <= 1))
		return ct_fail(e, CT_ERR_USAGE,
		               "--sample-kernels %s: give a share above 0, at most 1, as in 0.2 or 20%%",
		               v);
	return CT_OK;
}

static int parse_scale(struct ct_tool *t, const char *v, struct ct_error *e)
{
	if (strcmp(v, "auto") == 0)
		t->scale = -1;
	else if (ct_parse_real(v, &t->scale) < 0 || t->scale <= 0 || t->scale > 64)
		return ct_fail(e, CT_ERR_USAGE,
		               "--scale %s: give a positive factor up to 64 (1/8) or auto", v);
	return CT_OK;
}

static int add_set(struct ct_tool *t, const char *v, struct ct_error *e)
{
	if (!strchr(v, '='))
		return ct_fail(e, CT_ERR_USAGE, "-p %s: write KEY=VALUE, as in -p l1.size=64KiB", v);
	if (ct_grow((void **)&t->set, &t->cap_set, t->n_set + 1, sizeof *t->set) < 0)
		return ct_fail_nomem(e);
	t->set[t->n_set++] = v;
	return CT_OK;
}

static int add_plugin(struct ct_tool *t, const char *v, struct ct_error *e)
{
	if (ct_grow((void **)&t->named, &t->cap_named, t->n_named + 1, sizeof *t->named) < 0)
		return ct_fail_nomem(e);
	t->named[t->n_named++] = v;
	return CT_OK;
}

/* Puts keys in front of all -p, which go over them. The texts stay the caller's. */
static int set_first(struct ct_tool *t, const char *const *texts, size_t n, struct ct_error *e)
{
	if (ct_grow((void **)&t->set, &t->cap_set, t->n_set + n, sizeof *t->set) < 0)
		return ct_fail_nomem(e);
	memmove(t->set + n, t->set, t->n_set * sizeof *t->set);
	memcpy(t->set, texts, n * sizeof *t->set);
	t->n_set += n;
	return CT_OK;
}

static int parse_machine(struct ct_tool *t, const char *v, struct ct_error *e)
{
	static const char *const keys[] = {"machine=accelsim", "machine=silicon"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(v, strchr(keys[i], '=') + 1) == 0)
			return set_first(t, &keys[i], 1, e);
	return ct_fail(e, CT_ERR_USAGE, "--machine %s: use accelsim or silicon", v);
}

static int make_cold(struct ct_tool *t, struct ct_error *e)
{
	static const char *const keys[] = {"l1.flush=on", "llc.flush=on"};
	return set_first(t, keys, sizeof keys / sizeof *keys, e);
}

static int number(const char *option, const char *v, uint64_t lo, uint64_t hi, uint64_t *out,
                  struct ct_error *e)
{
	if (ct_parse_u64_range(v, lo, hi, out) < 0)
		return ct_fail(e, CT_ERR_USAGE, "%s %s: give a whole number from %llu to %llu", option,
		               v, (unsigned long long)lo, (unsigned long long)hi);
	return CT_OK;
}

/* The forms in which tables print the names of C++ kernels, the short one first. */
static ct_filter_name *const name_forms[CT_FILTER_NAMES] = {ct_kernel_name_short, ct_kernel_name_full};

static int read_filter(struct ct_tool *t, const char *v, struct ct_error *e)
{
	ct_filter_free(t->filter);
	t->filter_text = v;
	int st = ct_filter_compile(&t->filter, v, e);
	if (st == CT_OK)
		ct_filter_also(t->filter, name_forms);
	return st;
}

/* Reads the value of an option that the commands share. */
static int common_value(struct ct_tool *t, int key, const char *v, struct ct_error *e)
{
	uint64_t n;
	switch (key) {
	case 'p': return add_set(t, v, e);
	case OPT_MACHINE: return parse_machine(t, v, e);
	case OPT_COLD: return make_cold(t, e);
	case OPT_SCALE: return parse_scale(t, v, e);
	case 'k': return read_filter(t, v, e);
	case OPT_MAX_MEMORY:
		if (ct_parse_size(v, &t->max_memory) < 0 || t->max_memory == 0)
			return ct_fail(e, CT_ERR_USAGE, "--max-memory %s: give a size, as in 512MiB", v);
		return CT_OK;
	case OPT_MAX_EXPAND:
		if (ct_parse_size(v, &t->max_expand) < 0 || t->max_expand == 0)
			return ct_fail(e, CT_ERR_USAGE, "--max-expand %s: give a size, as in 64GiB", v);
		return CT_OK;
	case OPT_PATTERN:
		ct_pattern_free(t->pattern);
		t->pattern_text = v;
		t->pattern = NULL;
		return ct_pattern_compile(&t->pattern, v, e);
	case OPT_TIMING: return ct_pass_timing_parse(v, &t->timing, e);
	case OPT_WARMUP: return number("--warmup", v, 0, UINT64_MAX, &t->warmup, e);
	case 'S':
		if (ct_parse_real(v, &t->sample) < 0 || !(t->sample > 0 && t->sample <= 1))
			return ct_fail(e, CT_ERR_USAGE, "--sample %s: give a rate above 0, at most 1",
			               v);
		t->exact = t->sample == 1;
		return CT_OK;
	case OPT_SAMPLE_KERNELS: return parse_sample_kernels(t, v, e);
	case OPT_PLUGIN_LIMIT:
		if (ct_parse_real(v, &t->plugin_seconds) < 0 || !(t->plugin_seconds > 0))
			return ct_fail(e, CT_ERR_USAGE, "--plugin-limit %s: give seconds above 0", v);
		return CT_OK;
	case OPT_METHOD: return parse_method(t, v, e);
	case OPT_SEED: return number("--seed", v, 0, UINT64_MAX, &t->seed, e);
	case 'O': return parse_output(t, v, e);
	case '@':
		if (number("-@", v, 0, 1024, &n, e) < 0)
			return CT_ERR_USAGE;
		t->threads = ct_threads_resolve((unsigned)n);
		return CT_OK;
	default: return CT_OK;
	}
}

/* Keeps the command line for PG: what changes the result, in the order given. */
static void remember(struct ct_tool *t, const char *name, int key, const char *value)
{
	if (key == '@' || key == 'o' || key == 'q' || key == 'v' || key == OPT_PROGRESS)
		return;
	if (key < 256)
		ct_buf_printf(&t->command_line, " -%c", key);
	else
		ct_buf_printf(&t->command_line, " --%s", name);
	if (value)
		ct_buf_printf(&t->command_line, " %s", value);
}

/* An option: the command's own ones first, so that they can take the place of shared ones. All are
 * remembered for the PG record. */
static int on_option(void *ctx, int key, const char *v, struct ct_error *e)
{
	struct parse *p = ctx;
	struct ct_tool *t = p->t;
	const char *name = "";
	for (size_t i = 0; i < t->spec->n_options; i++)
		if (t->spec->options[i].key == key) {
			remember(t, t->spec->options[i].name, key, v);
			return t->spec->option(t, key, v, e);
		}
	for (size_t i = 0; i < N_COMMON; i++)
		if (common[i].o.key == key)
			name = common[i].o.name;
	remember(t, name, key, v);
	switch (key) {
	case 'g': t->gpu_name = v; return CT_OK;
	case OPT_PRINT_GPU: t->print_gpu = 1; return CT_OK;
	case OPT_SALVAGE: t->salvage = 1; return CT_OK;
	case OPT_TRUST_PATHS: t->trust_paths = 1; return CT_OK;
	case OPT_STREAMS: t->streams = 1; return CT_OK;
	case OPT_CHECK: t->check = 1; return CT_OK;
	case OPT_NO_VERIFY: t->no_verify = 1; return CT_OK;
	case OPT_NO_PROVENANCE: t->no_provenance = 1; return CT_OK;
	case OPT_TRACE_ROOT: t->trace_root = v; return CT_OK;
	case 'o': t->out_path = v; return CT_OK;
	case 'q': t->quiet = 1; return CT_OK;
	case 'v': t->verbose = t->tell_layers = 1; return CT_OK;
	case OPT_PROGRESS: t->progress = 1; return CT_OK;
	case 'h': p->help = 1; return CT_OK;
	case OPT_VERSION: p->version = 1; return CT_OK;
	default: return common_value(t, key, v, e);
	}
}

size_t ct_tool_options(const struct ct_tool_spec *spec, struct ct_option *out)
{
	size_t n = 0;
	for (size_t i = 0; i < spec->n_options && n < CT_TOOL_OPTIONS_MAX; i++)
		out[n++] = spec->options[i];
	for (size_t i = 0; i < N_COMMON && n < CT_TOOL_OPTIONS_MAX; i++)
		if (!common[i].group || (spec->takes & common[i].group)) {
			out[n] = common[i].o;
			if (out[n].key == 'O' && spec->output_help)
				out[n].help = spec->output_help;
			n++;
		}
	return n;
}

/* Prints the options of the command first, since they are what its user looks for, then those that commands
 * share, then what its columns mean and examples. `table` is what ct_tool_options() made. */
static void help(const struct ct_tool_spec *spec, const struct ct_option *table, size_t n,
                 struct ct_buf *b)
{
	size_t own = spec->n_options < n ? spec->n_options : n;
	ct_buf_printf(b, "usage: %s [OPTION...] %s\n%s\n\n", spec->name, spec->operands, spec->summary);
	if (own) {
		ct_buf_printf(b, "Options of %s:\n", spec->name);
		ct_options_help(table, own, b);
		ct_buf_puts(b, "\nOptions that the commands share:\n");
	}
	ct_options_help(table + own, n - own, b);
	if (spec->guide)
		ct_buf_printf(b, "\n%s", spec->guide);
}

static int say(const struct ct_tool_spec *spec, const struct ct_option *table, size_t n,
               const struct parse *p, struct ct_error *e)
{
	struct ct_buf b = {0};
	if (p->help)
		help(spec, table, n, &b);
	else
		ct_buf_printf(&b, "%s (cachetriage) %s\n%s", spec->name, CT_VERSION,
		              spec->version ? spec->version : "");
	p->t->out_path = NULL;
	int st = ct_tool_emit_text(p->t, &b, e);
	ct_buf_free(&b);
	return st;
}

static int print_gpu(struct ct_tool *t, struct ct_error *e)
{
	struct ct_gpu g;
	struct ct_buf b = {0};
	int st = ct_tool_gpu(t, NULL, &g, e);
	if (st == CT_OK) {
		ct_gpu_print(&g, &b);
		st = ct_tool_emit_text(t, &b, e);
	}
	ct_buf_free(&b);
	return st;
}

static int find_plugin(void *ctx, int key, const char *v, struct ct_error *e)
{
	return key == OPT_PLUGIN ? add_plugin(ctx, v, e) : CT_OK;
}

/* Names of mechanisms are read while options are parsed, so that plugins, wherever they stand, are looked for before. What
 * is wrong with the options the second reading says. */
static int load_plugins(struct ct_tool *t, const struct ct_option *table, size_t n, int argc,
                        char **argv, struct ct_error *e)
{
	struct ct_error none = {0};
	int first;
	if (!(t->spec->takes & CT_TAKES_PLUGINS))
		return CT_OK;
	if (ct_options_parse(table, n, argc, argv, &first, find_plugin, t, &none) == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	optind = 0; /* from the beginning on, whatever it stopped at */
	return ct_plugins_load(t, e);
}

/* Reads the command line, answers --help, --version and --print-gpu, and starts the command. */
static int run(struct ct_tool *t, int argc, char **argv, struct ct_error *e)
{
	const struct ct_tool_spec *spec = t->spec;
	struct ct_option table[CT_TOOL_OPTIONS_MAX];
	size_t n = ct_tool_options(spec, table);
	struct parse p = {.t = t};
	int first = 1;
	int st = load_plugins(t, table, n, argc, argv, e);
	if (st == CT_OK)
		st = ct_options_parse(table, n, argc, argv, &first, on_option, &p, e);
	if (st != CT_OK)
		return st;
	if (p.help || p.version)
		return say(spec, table, n, &p, e);
	t->operands = argc - first;
	t->operand = argv + first;
	for (int i = 0; i < t->operands; i++)
		ct_buf_printf(&t->command_line, " %s", t->operand[i]);
	if (t->command_line.failed)
		return ct_fail_nomem(e);
	if (!t->output_given)
		t->output = !t->out_path && isatty(STDOUT_FILENO) ? CT_OUTPUT_TABLE : CT_OUTPUT_PROFILE;
	ct_terminal_detect(!t->out_path);
	if (t->output == CT_OUTPUT_CSV)
		ct_terminal_csv();
	if (t->print_gpu)
		return print_gpu(t, e);
	st = spec->reads_mechanisms ? CT_OK : ct_tool_check_keys(t, 0, e);
	return st == CT_OK ? spec->run(t, e) : st;
}

static void (*volatile at_end)(void);

void ct_tool_at_end(void (*fn)(void))
{
	at_end = fn;
}

static void on_end(int signo)
{
	ct_out_discard_all();
	if (at_end)
		at_end();
	raise(signo); /* the default again, for SA_RESETHAND: ends us when this returns */
}

/* What ends a command from outside leaves no temporary file; what the parent ignores
 * (nohup, a shell's background job) stays ignored. */
static void catch_ends(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
	struct sigaction new = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND}, old;
	sigemptyset(&new.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &new, NULL);
}

/* What is opened must not become standard output or error because those were closed. Each is
 * opened the wrong way round, so that using it is still an error. */
static void occupy_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

int ct_tool_main(const struct ct_tool_spec *spec, int argc, char **argv)
{
	struct ct_error e = {0};
	struct ct_tool t = {.spec = spec,
	                    .max_memory = (uint64_t)1 << 30,
	                    .threads = 1,
	                    .sample = 1,
	                    .sample_kernels = 1,
	                    .seed = 1};
	/* A closed pipe ends a tool quietly even where the parent ignores SIGPIPE. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN); /* a file above ulimit -f is an error like a full disk */
	/* No call of ours reaches it (base/numeric.h); if one did, this makes it a status, not an abort. */
	gsl_set_error_handler_off();
	occupy_standard();
	catch_ends();
	t.own = ct_calloc(1, spec->own_size);
	int st = t.own ? run(&t, argc, argv, &e) : ct_fail_nomem(&e);
	if (st >= 0 && ct_buf_check(&t.warnings, &e) < 0)
		st = CT_ERR_NOMEM;
	if (st < 0)
		fprintf(stderr, "%s: %s\n", spec->name, e.text);
	else if (t.warnings.len)
		fputs(t.warnings.data, stderr);
	ct_filter_free(t.filter);
	ct_pattern_free(t.pattern);
	ct_keep_end(&t.keep);
	ct_buf_free(&t.command_line);
	ct_buf_free(&t.warnings);
	ct_plugins_free(&t);
	free(t.set);
	if (t.own && spec->own_free)
		spec->own_free(t.own);
	free(t.own);
	if (st >= 0 && t.plugin_broken)
		return 2;
	if (st == CT_ERR_INPUT && spec->input_error_exit)
		return spec->input_error_exit;
	return st < 0 ? 2 : st;
}

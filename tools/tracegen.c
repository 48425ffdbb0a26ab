/* tracegen - writes traces of built-in programs, of OpenCL programs and of PTX kernels. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "common/tool.h"
#include "tracegen/capture/capture.h"
#include "trace/folder.h"
#include "tracegen/ptx.h"
#include "tracegen/workload.h"

enum {
	OPT_LIST = CT_OWN_OPTION,
	OPT_SIZE,
	OPT_FORCE,
	OPT_COMPRESS,
	OPT_FOOTPRINT,
	OPT_SHARING,
	OPT_STRIDE,
	OPT_INTENSITY,
	OPT_PASSES,
	OPT_CTAS,
	OPT_WARP,
	OPT_LAUNCHES,
	OPT_NO_VALUES,
	OPT_VALUES,
	OPT_GRID,
	OPT_BLOCK,
	OPT_ARG,
	OPT_SHARED,
	OPT_SM,
	OPT_MAX_STEPS
};

static const struct ct_option options[] = {
	{OPT_LIST, "list", NULL, "print the workloads, one a line, name first, and exit"},
	{OPT_SIZE, "size", "SIZE", "small, medium or large (default small)"},
	{'o', "out", "DIR", "folder to write: complete or not at all"},
	{OPT_FORCE, "force", NULL, "replace DIR when it holds an earlier output of tracegen"},
	{OPT_COMPRESS, "compress", "zst|none", "how kernel files are stored (default zst)"},
	{OPT_VALUES, "values", NULL, "write the contents of touched memory too, for bdi"},
	{OPT_FOOTPRINT, "footprint", "SIZE", "workingset: bytes that a pass reads"},
	{OPT_SHARING, "sharing", "N", "workingset: CTAs that read the same slice"},
	{OPT_STRIDE, "stride", "BYTES", "workingset: distance of neighbouring elements"},
	{OPT_INTENSITY, "intensity", "N", "workingset: FFMA instructions per element"},
	{OPT_PASSES, "passes", "N", "workingset: launches that read it"},
	{OPT_CTAS, "ctas", "N", "workingset: CTAs of a launch"},
	{OPT_WARP, "warp", "32|64", "capture: work-items that step together (default 32)"},
	{OPT_LAUNCHES, "launches", "N", "capture: record the first N launches only"},
	{'k', "kernel", "NAME", "ptx: the kernel, where the file has several"},
	{OPT_GRID, "grid", "X,Y,Z", "ptx: CTAs of the launch (default 1)"},
	{OPT_BLOCK, "block", "X,Y,Z", "ptx: threads of a CTA (default 32)"},
	{OPT_ARG, "arg", "TYPE:VALUE", "ptx: the next argument: buf:64MiB, u32:5, f32:1.5"},
	{OPT_SHARED, "shared", "SIZE", "ptx: dynamic shared memory of a CTA"},
	{OPT_SM, "sm", "N", "ptx: machine code of 70, 72, 75, 80 or 86 (default 70)"},
	{OPT_MAX_STEPS, "max-steps", "N", "ptx: end a launch of more warp instructions"},
	{OPT_NO_VALUES, "no-values", NULL, "capture: without the contents of touched memory"},
};

struct own {
	int list;
	enum wl_size size;
	const char *dir;
	struct ct_folder_options sink;
	struct workingset_options workingset;
	unsigned warp;
	uint64_t launches;
	int values, no_values, capture_given, ptx_given;
	struct ptx_options ptx;
};

static volatile sig_atomic_t stopped;

static void on_signal(int signo)
{
	(void)signo;
	stopped = 1;
}

/* What the parent ignores stays ignored. */
static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signal(signals[i], on_signal) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

static int word(const char *option, const char *v, const char *const *words, int n, int *out,
                struct ct_error *e)
{
	for (int i = 0; i < n; i++)
		if (strcmp(v, words[i]) == 0) {
			*out = i;
			return CT_OK;
		}
	char all[64] = "";
	for (int i = 0; i < n; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
		         i == 0       ? ""
		         : i == n - 1 ? " or "
		                      : ", ",
		         words[i]);
	return ct_fail(e, CT_ERR_USAGE, "%s %s: use %s", option, v, all);
}

static const char *option_name(int key)
{
	size_t i = 0;
	while (options[i].key != key)
		i++;
	return options[i].name;
}

static int workingset_option(struct own *own, int key, const char *v, struct ct_error *e)
{
	struct workingset_options *ws = &own->workingset;
	uint64_t *field = key == OPT_FOOTPRINT   ? &ws->footprint
	                  : key == OPT_SHARING   ? &ws->sharing
	                  : key == OPT_STRIDE    ? &ws->stride
	                  : key == OPT_INTENSITY ? &ws->intensity
	                  : key == OPT_PASSES    ? &ws->passes
	                                         : &ws->ctas;
	int size = key == OPT_FOOTPRINT || key == OPT_STRIDE;
	ws->given = 1;
	if ((size ? ct_parse_size(v, field) : ct_parse_u64(v, field)) < 0 || *field == 0)
		return ct_fail(e, CT_ERR_USAGE, "--%s %s: give a positive %s", option_name(key), v,
		               size ? "size, as in 9MiB" : "whole number");
	return CT_OK;
}

static int capture_option(struct own *own, int key, const char *v, struct ct_error *e)
{
	uint64_t n = 0;
	own->capture_given = 1;
	if (key == OPT_NO_VALUES)
		own->no_values = 1;
	else if (ct_parse_u64(v, &n) < 0 || n == 0)
		return ct_fail(e, CT_ERR_USAGE, "--%s %s: give a positive whole number",
		               option_name(key), v);
	else if (key == OPT_LAUNCHES)
		own->launches = n;
	else if (n != 32 && n != 64)
		return ct_fail(e, CT_ERR_USAGE, "--warp %s: use 32 or 64", v);
	else
		own->warp = (unsigned)n;
	return CT_OK;
}

static int ptx_option(struct own *own, int key, const char *v, struct ct_error *e)
{
	struct ptx_options *o = &own->ptx;
	uint64_t n = 0;
	int st = 0;
	own->ptx_given = 1;
	switch (key) {
	case 'k': o->kernel = v; break;
	case OPT_GRID: st = ptx_parse_dimensions(v, o->grid); break;
	case OPT_BLOCK: st = ptx_parse_dimensions(v, o->block); break;
	case OPT_SHARED: st = ct_parse_size(v, &o->shared); break;
	case OPT_MAX_STEPS: st = ct_parse_u64(v, &o->capture.max_steps); break;
	case OPT_SM:
		st = ct_parse_u64_range(v, 1, 999, &n);
		o->capture.sm = (unsigned)n;
		break;
	default:
		if (o->args == PTX_MAX_ARGS)
			return ct_fail(e, CT_ERR_USAGE, "more than %d --arg", PTX_MAX_ARGS);
		o->arg[o->args++] = v;
		break;
	}
	if (st < 0)
		return ct_fail(e, CT_ERR_USAGE, "--%s %s: give %s", option_name(key), v,
		               key == OPT_GRID || key == OPT_BLOCK ? "X,Y,Z, each at least 1"
		               : key == OPT_SHARED                 ? "a size, as in 16KiB"
		                                                   : "a whole number");
	return CT_OK;
}

static int on_option(void *ctx, int key, const char *v, struct ct_error *e)
{
	static const char *const sizes[] = {"small", "medium", "large"};
	static const char *const forms[] = {"zst", "none"};
	struct own *own = ((struct ct_tool *)ctx)->own;
	int i = 0, st = CT_OK;
	switch (key) {
	case OPT_LIST: own->list = 1; break;
	case OPT_VALUES: own->values = 1; break;
	case OPT_FORCE: own->sink.force = 1; break;
	case 'o': own->dir = v; break;
	case OPT_SIZE:
		st = word("--size", v, sizes, 3, &i, e);
		if (st == CT_OK)
			own->size = (enum wl_size)i;
		break;
	case OPT_COMPRESS:
		st = word("--compress", v, forms, 2, &i, e);
		if (st == CT_OK)
			own->sink.compress = (enum ct_folder_compress)i;
		break;
	case OPT_WARP:
	case OPT_LAUNCHES:
	case OPT_NO_VALUES: st = capture_option(own, key, v, e); break;
	case 'k':
	case OPT_GRID:
	case OPT_BLOCK:
	case OPT_ARG:
	case OPT_SHARED:
	case OPT_SM:
	case OPT_MAX_STEPS: st = ptx_option(own, key, v, e); break;
	default: st = workingset_option(own, key, v, e); break;
	}
	return st;
}

static int list(struct ct_tool *t, struct ct_error *e)
{
	struct ct_buf b = {0};
	for (size_t i = 0; i < wl_count; i++) {
		const struct workload *w = &wl_all[i];
		ct_buf_printf(&b, "%-20s %6uk %6uk %6uk  %-54s %s\n", w->name, w->kinsts[0],
		              w->kinsts[1], w->kinsts[2], w->papers, w->what);
	}
	int st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}

/* Runs one workload into the sink; in_folder: a sub-folder of its name. */
static int generate(struct ct_tool *t, const struct workload *wl, struct ct_folder *sink, int in_folder,
                    struct ct_error *e)
{
	static const char *const sizes[] = {"small", "medium", "large"};
	const struct own *own = t->own;
	struct ct_buf about = {0};
	struct wl w = {.g = {.sink = sink, .e = e, .stop = &stopped},
	               .rng = t->seed,
	               .size = own->size,
	               .workingset = own->workingset};
	w.g.mem.track = own->values;
	ct_buf_printf(&about, "workload %s\nsize %s\nseed %llu\nversion %s", wl->name, sizes[own->size],
	              (unsigned long long)t->seed, CT_VERSION);
	int st = ct_buf_check(&about, e);
	if (st == CT_OK)
		st = ct_folder_begin(sink, in_folder ? wl->name : NULL, about.data, e);
	if (t->progress || (!t->quiet && isatty(STDERR_FILENO))) {
		fprintf(stderr, "tracegen: %s", wl->name);
		if (in_folder)
			fprintf(stderr, " (%zu of %zu)", (size_t)(wl - wl_all) + 1, wl_count);
		fprintf(stderr, "\n");
	}
	if (st == CT_OK) {
		wl->run(&w);
		st = w.g.status;
		if (st != CT_OK) {
			struct ct_error inner = *e;
			ct_fail(e, st, "%s: %s", wl->name, inner.text);
		}
	}
	if (st == CT_OK)
		st = ct_folder_end(sink, e);
	if (st == CT_OK && t->verbose)
		fprintf(stderr, "tracegen: %s: %llu warp instructions\n", wl->name,
		        (unsigned long long)w.g.warp_insts);
	wl_release(&w);
	ct_buf_free(&about);
	return st;
}

static int generate_all(struct ct_tool *t, struct ct_folder *sink, struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; i < wl_count && st == CT_OK; i++)
		st = generate(t, &wl_all[i], sink, 1, e);
	/* The top folder gets the mark too, so that --force knows it. */
	if (st == CT_OK)
		st = ct_folder_begin(sink, NULL, "workload all", e);
	return st == CT_OK ? ct_folder_end(sink, e) : st;
}

/* The plugin beside the tree's commands, in a package's own folder, in the install prefix,
 * or as told. */
static const char *plugin_file(char *file, size_t room)
{
	static const char *const beside[] = {"lib", "lib/cachetriage"};
	const char *told = getenv("CACHETRIAGE_CAPTURE");
	char self[2048];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (told && *told)
		return told;
	self[n > 0 ? n : 0] = '\0';
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
	}
	for (int i = 0; i < 2; i++) {
		int len = snprintf(file, room, "%s/%s/cachetriage-capture.so", self, beside[i]);
		if (n > 0 && len > 0 && (size_t)len < room && access(file, R_OK) == 0)
			return file;
	}
	return CT_LIBDIR "/cachetriage-capture.so";
}

static int capture(struct ct_tool *t, struct ct_folder *sink, struct ct_error *e)
{
	const struct own *own = t->own;
	char file[4096];
	struct ct_buf about = {0};
	struct cap_result r = {.launches = 0};
	struct cap_options o = {.warp = own->warp ? own->warp : 32,
	                        .launches = own->launches,
	                        .values = !own->no_values,
	                        .stop = &stopped,
	                        .plugin = plugin_file(file, sizeof file)};
	ct_buf_puts(&about, "workload capture\ncommand");
	for (int i = 1; i < t->operands; i++)
		ct_buf_printf(&about, " %s", t->operand[i]);
	ct_buf_printf(&about, "\nwarp %u\nversion %s", o.warp, CT_VERSION);
	int st = ct_buf_check(&about, e);
	if (st == CT_OK)
		st = ct_folder_begin(sink, NULL, about.data, e);
	if (st == CT_OK)
		st = cap_capture(sink, t->operand + 1, &o, &r, e);
	if (st == CT_OK)
		st = ct_folder_end(sink, e);
	struct ct_diag d = ct_tool_diag(t);
	if (st == CT_OK && r.note[0])
		ct_warn(&d, "%s", r.note);
	if (st == CT_OK && r.status != 0)
		ct_warn(&d, "%s ended with status %d", t->operand[1], r.status);
	if (st == CT_OK && t->verbose)
		fprintf(stderr, "tracegen: capture: %llu launches, %llu warp instructions\n",
		        (unsigned long long)r.launches, (unsigned long long)r.warp_insts);
	ct_buf_free(&about);
	return st;
}

static int is_capture(const struct ct_tool *t)
{
	return t->operands > 0 && strcmp(t->operand[0], "capture") == 0;
}

static int is_ptx(const struct ct_tool *t)
{
	return t->operands > 0 && strcmp(t->operand[0], "ptx") == 0;
}

/* tracegen ptx: its trace is a packed one on standard output where no -o is given. */
static int trace_ptx(struct ct_tool *t, struct ct_error *e)
{
	struct own *own = t->own;
	struct ptx_options *o = &own->ptx;
	struct ct_capture_summary seen;
	struct ct_buf about = {0};
	if (t->operands != 2)
		return ct_fail(e, CT_ERR_USAGE,
		               "ptx: give one file of PTX text, or - for standard input");
	if (!own->dir && isatty(STDOUT_FILENO))
		return ct_fail(e, CT_ERR_USAGE, "a trace is no text for a terminal: give -o, or a pipe");
	o->file = t->operand[1];
	o->seed = t->seed;
	if (!o->grid[0])
		o->grid[0] = o->grid[1] = o->grid[2] = 1;
	if (!o->block[0])
		o->block[0] = 32, o->block[1] = o->block[2] = 1;
	ct_buf_printf(&about, "workload ptx\ncommand %s\nversion %s", t->command_line.data, CT_VERSION);
	o->capture.path = own->dir;
	o->capture.fd = STDOUT_FILENO;
	o->capture.force = own->sink.force;
	o->capture.plain = own->sink.compress == CT_FOLDER_PLAIN;
	o->capture.values = own->values;
	o->capture.about = about.data;
	int st = ct_buf_check(&about, e);
	if (st == CT_OK)
		st = ptx_trace(o, &seen, e);
	if (st == CT_OK && t->verbose)
		fprintf(stderr, "tracegen: ptx: %llu warp instructions of PTX, %llu in the trace\n",
		        (unsigned long long)seen.ptx_insts, (unsigned long long)seen.warp_insts);
	ct_buf_free(&about);
	return st;
}

static int unknown(const char *name, struct ct_error *e)
{
	const char *names[256];
	size_t n = 0;
	for (; n < wl_count && n < 256; n++)
		names[n] = wl_all[n].name;
	int near = ct_nearest_name(name, names, n);
	return ct_fail(e, CT_ERR_USAGE, "%s: no such workload%s%s%s", name,
	               near >= 0 ? ": did you mean " : ": see tracegen --list",
	               near >= 0 ? names[near] : "", near >= 0 ? "?" : "");
}

static int check_usage(const struct ct_tool *t, struct ct_error *e)
{
	const struct own *own = t->own;
	if (is_capture(t) && t->operands == 1)
		return ct_fail(e, CT_ERR_USAGE,
		               "capture what? give the program: capture -o DIR -- ./app args");
	if (own->ptx_given)
		return ct_fail(e, CT_ERR_USAGE, "%s takes no options of ptx: tracegen ptx FILE.ptx ...",
		               t->operands ? t->operand[0] : "tracegen");
	if (t->operands != 1 && !is_capture(t))
		return ct_fail(e, CT_ERR_USAGE, "give one workload, or all: see tracegen --list");
	if (!own->dir)
		return ct_fail(e, CT_ERR_USAGE, "-o DIR is missing: name the folder to write");
	if (own->capture_given && !is_capture(t))
		return ct_fail(e, CT_ERR_USAGE, "%s takes no capture options: they change only capture",
		               t->operand[0]);
	if (own->workingset.given && strcmp(t->operand[0], "workingset") != 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s takes no workingset options: they change only workingset",
		               t->operand[0]);
	if (!is_capture(t) && strcmp(t->operand[0], "all") != 0 && !wl_find(t->operand[0]))
		return unknown(t->operand[0], e);
	return CT_OK;
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *own = t->own;
	struct ct_folder *sink;
	if (own->list)
		return list(t, e);
	if (is_ptx(t))
		return trace_ptx(t, e);
	int st = check_usage(t, e);
	catch_signals(); /* before there is a folder to take away */
	if (st == CT_OK)
		st = ct_folder_open(&sink, own->dir, &own->sink, e);
	if (st != CT_OK)
		return st;
	if (is_capture(t))
		st = capture(t, sink, e);
	else if (strcmp(t->operand[0], "all") == 0)
		st = generate_all(t, sink, e);
	else
		st = generate(t, wl_find(t->operand[0]), sink, 0, e);
	if (st == CT_OK)
		return ct_folder_commit(sink, e);
	ct_folder_abort(sink);
	return st;
}

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "tracegen",
		.operands = "WORKLOAD|all|capture -- COMMAND...|ptx FILE",
		.summary = "write a trace of a built-in or of an OpenCL program, or of a PTX kernel",
		.takes = CT_TAKES_SEED,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.run = run,
	};
	return ct_tool_main(&spec, argc, argv);
}

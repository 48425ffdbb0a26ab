/* tracegen - writes traces of built-in programs, of CUDA and OpenCL programs and of PTX kernels. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "common/terminal.h"
#include "common/tool.h"
#include "tracegen/capture/capture.h"
#include "tracegen/capture/cuda.h"
#include "trace/folder.h"
#include "tracegen/cuda_workload.h"
#include "tracegen/ptx.h"
#include "tracegen/workingset.h"
#include "tracegen/workload.h"

enum {
	OPT_LIST = CT_OWN_OPTION,
	OPT_SIZE,
	OPT_ELEMENTS,
	OPT_FORCE,
	OPT_COMPRESS,
	OPT_FOOTPRINT,
	OPT_SHARING,
	OPT_STRIDE,
	OPT_INTENSITY,
	OPT_PASSES,
	OPT_CTAS,
	OPT_WARP,
	OPT_SKIP,
	OPT_LAUNCHES,
	OPT_END,
	OPT_CHECK_KIND,
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
	{OPT_SIZE, "size", "SIZE",
         "small, medium, large or (programs of the papers)\npaper; default small"},
	{OPT_ELEMENTS, "elements", "N",
         "cfd, bfs: elements of the mesh or nodes of the graph,\nin place of the size's"},
	{'o', "out", "DIR|FILE.ctz",
         "folder to write, or (capture, ptx) one packed file:\ncomplete or not at all"},
	{OPT_FORCE, "force", NULL, "replace an earlier output of tracegen"},
	{OPT_COMPRESS, "compress", "zst|none", "how kernel files are stored (default zst)"},
	{OPT_VALUES, "values", NULL, "write the contents of touched memory too, for bdi"},
	{OPT_FOOTPRINT, "footprint", "SIZE", "workingset: bytes that a pass reads"},
	{OPT_SHARING, "sharing", "N", "workingset: CTAs that read the same slice"},
	{OPT_STRIDE, "stride", "BYTES", "workingset: distance of neighbouring elements"},
	{OPT_INTENSITY, "intensity", "N", "workingset: FFMA instructions per element"},
	{OPT_PASSES, "passes", "N", "workingset: launches that read it"},
	{OPT_CTAS, "ctas", "N", "workingset: CTAs of a launch"},
	{OPT_WARP, "warp", "32|64", "capture: work-items that step together (default 32)"},
	{'k', "kernel", "REGEX|N|N-M",
         "capture: record only kernels whose name matches, or\nlaunches by number; ptx: the kernel's name"},
	{OPT_SKIP, "skip", "N", "capture: of those, leave out the first N launches"},
	{OPT_LAUNCHES, "launches", "N", "capture: and then record N launches only"},
	{OPT_END, "end", NULL, "capture: and end the program after the last of them"},
	{OPT_CHECK_KIND, "check", "init", "capture: tell of reads of memory that nothing wrote"},
	{OPT_GRID, "grid", "X,Y,Z", "ptx: CTAs of the launch (default 1)"},
	{OPT_BLOCK, "block", "X,Y,Z", "ptx: threads of a CTA (default 32)"},
	{OPT_ARG, "arg", "TYPE:VALUE", "ptx: the next argument: buf:64MiB, u32:5, f32:1.5"},
	{OPT_SHARED, "shared", "SIZE", "ptx: dynamic shared memory of a CTA"},
	{OPT_SM, "sm", "N", "capture, ptx: machine code of 70, 72, 75, 80 or 86"},
	{OPT_MAX_STEPS, "max-steps", "N", "capture, ptx: end a launch of more warp instructions"},
	{OPT_NO_VALUES, "no-values", NULL, "capture of OpenCL: without the contents of memory"},
};

enum { SIZES = APP_PAPER + 1 };
static const char *const size_names[SIZES] = {"small", "medium", "large", "paper"};

struct own {
	int list;
	enum app_size size;
	uint64_t elements; /* of cfd's mesh, nodes of bfs' graph; 0: those of the size */
	const char *dir;
	struct ct_folder_options sink;
	struct workingset_options workingset;
	unsigned warp;
	uint64_t skip, launches;
	const char *check;
	int values, no_values, ends, capture_given, ptx_given;
	int opencl_given; /* an option that only OpenCL programs have */
	int kernel_given; /* an option that capture and ptx share */
	struct ptx_options ptx;
};

/* A CTA of cfd has 192 threads, an element each; the largest mesh has twelve words an element in 32 bits with room to spare. */
enum { ELEMENTS_MIN = 192, ELEMENTS_MAX = 4000000 };

/* Workloads in CUDA are compiled for Ampere, whose asynchronous copies some of them use. */
enum { WORKLOAD_SM = 80 };

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
	own->opencl_given |= key == OPT_NO_VALUES || key == OPT_WARP;
	if (key == OPT_NO_VALUES)
		own->no_values = 1;
	else if (key == OPT_END)
		own->ends = 1;
	else if (key == OPT_CHECK_KIND && strcmp(v, "init") != 0)
		return ct_fail(e, CT_ERR_USAGE, "--check %s: the one check is init", v);
	else if (key == OPT_CHECK_KIND)
		own->check = v;
	else if (ct_parse_u64(v, &n) < 0 || (n == 0 && key != OPT_SKIP))
		return ct_fail(e, CT_ERR_USAGE, "--%s %s: give a positive whole number",
		               option_name(key), v);
	else if (key == OPT_SKIP)
		own->skip = n;
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
	if (key == 'k' || key == OPT_MAX_STEPS || key == OPT_SM)
		own->kernel_given = 1;
	else
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
	static const char *const forms[] = {"zst", "none"};
	struct own *own = ((struct ct_tool *)ctx)->own;
	int i = 0, st = CT_OK;
	switch (key) {
	case OPT_LIST: own->list = 1; break;
	case OPT_VALUES: own->values = 1; break;
	case OPT_FORCE: own->sink.force = 1; break;
	case 'o': own->dir = v; break;
	case OPT_SIZE:
		st = word("--size", v, size_names, SIZES, &i, e);
		if (st == CT_OK)
			own->size = (enum app_size)i;
		break;
	case OPT_ELEMENTS:
		if (ct_parse_u64_range(v, ELEMENTS_MIN, ELEMENTS_MAX, &own->elements) < 0)
			return ct_fail(e, CT_ERR_USAGE,
			               "--elements %s: give a whole number from %d to %d", v,
			               ELEMENTS_MIN, ELEMENTS_MAX);
		break;
	case OPT_COMPRESS:
		st = word("--compress", v, forms, 2, &i, e);
		if (st == CT_OK)
			own->sink.compress = (enum ct_folder_compress)i;
		break;
	case OPT_WARP:
	case OPT_SKIP:
	case OPT_LAUNCHES:
	case OPT_END:
	case OPT_CHECK_KIND:
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

/* For people: as many columns as the screen has room for. */
static void list_table(struct ct_buf *b)
{
	static const char *const heads[] = {"workload", "small", "medium", "large", "papers", "what"};
	static const unsigned char rank[] = {0, 1, 2, 3, 4, 0};
	struct ct_table table = {
		.columns = sizeof heads / sizeof heads[0], .style = ct_terminal_style(), .rank = rank};
	ct_table_heads(&table, heads);
	for (size_t i = 0; i < wl_count; i++) {
		ct_table_cell(&table, "%s", wl_all[i].name);
		for (int k = 0; k < 3; k++)
			ct_table_cell(&table, "%uk", wl_all[i].kinsts[k]);
		ct_table_cell(&table, "%s", wl_all[i].papers);
		ct_table_cell(&table, "%s", wl_all[i].what);
	}
	ct_table_render(&table, b);
	ct_buf_puts(b, "small, medium, large: thousand warp instructions\n");
}

static int list(struct ct_tool *t, struct ct_error *e)
{
	struct ct_buf b = {0};
	const int people = t->output == CT_OUTPUT_TABLE; /* standard output is a terminal */
	if (people)
		list_table(&b);
	for (size_t i = 0; i < wl_count && !people; i++) {
		const struct workload *w = &wl_all[i];
		ct_buf_printf(&b, "%-20s %6uk %6uk %6uk  %-54s %s\n", w->name, w->kinsts[0],
		              w->kinsts[1], w->kinsts[2], w->papers, w->what);
	}
	int st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}

/* Writes the trace of `workingset` into the sink. */
static int generate_workingset(struct ct_tool *t, struct ct_folder *sink, const char *folder,
                               const char *about, uint64_t *warp_insts, struct ct_error *e)
{
	const struct own *own = t->own;
	const struct workingset w = {
		.options = own->workingset,
		.size = own->size,
		.seed = t->seed,
		.values = own->values,
		.stop = &stopped};
	if (w.size == APP_PAPER)
		return ct_fail(e, CT_ERR_USAGE, "it has no size paper: use small, medium or large");
	int st = ct_folder_begin(sink, folder, about, e);
	if (st == CT_OK)
		st = workingset_trace(&w, sink, warp_insts, e);
	return st == CT_OK ? ct_folder_end(sink, e) : st;
}

/* Runs a workload in CUDA into the sink; sink NULL: into a packed trace of the name that -o gives. */
static int generate_cuda(struct ct_tool *t, const struct workload *wl, struct ct_folder *sink,
                         const char *folder, const char *about, uint64_t *warp_insts, struct ct_error *e)
{
	const struct own *own = t->own;
	struct ct_capture_summary seen;
	struct cuda_workload w = {
		.name = wl->name,
		.run = wl->app,
		.size = own->size,
		.elements = (uint32_t)own->elements,
		.seed = t->seed,
		.data_dir = ct_tool_data_dir(),
		.stop = &stopped,
		.capture = {.path = sink ? folder : own->dir,
	                    .folder = sink,
	                    .force = own->sink.force,
	                    .about = about,
	                    .sm = WORKLOAD_SM,
	                    .values = own->values}};
	int st = cuda_workload_trace(&w, &seen, e);
	*warp_insts = seen.warp_insts;
	return st;
}

/* Runs one workload into the sink; in_folder: a sub-folder of its name. */
static int generate(struct ct_tool *t, const struct workload *wl, struct ct_folder *sink, int in_folder,
                    struct ct_error *e)
{
	const struct own *own = t->own;
	const char *folder = in_folder ? wl->name : NULL;
	struct ct_buf about = {0};
	uint64_t warp_insts = 0;
	ct_buf_printf(&about, "workload %s\nsize %s\nseed %llu\nversion %s", wl->name,
	              size_names[own->size], (unsigned long long)t->seed, CT_VERSION);
	if (own->elements)
		ct_buf_printf(&about, "\nelements %llu", (unsigned long long)own->elements);
	int st = ct_buf_check(&about, e);
	if (t->progress || (!t->quiet && isatty(STDERR_FILENO))) {
		fprintf(stderr, "tracegen: %s", wl->name);
		if (in_folder)
			fprintf(stderr, " (%zu of %zu)", (size_t)(wl - wl_all) + 1, wl_count);
		fprintf(stderr, "\n");
	}
	if (st == CT_OK) {
		st = wl->app ? generate_cuda(t, wl, sink, folder, about.data, &warp_insts, e)
		             : generate_workingset(t, sink, folder, about.data, &warp_insts, e);
		if (st != CT_OK) {
			struct ct_error inner = *e;
			ct_fail(e, st, "%s: %s", wl->name, inner.text);
		}
	}
	if (st == CT_OK && t->verbose)
		fprintf(stderr, "tracegen: %s: %llu warp instructions\n", wl->name,
		        (unsigned long long)warp_insts);
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

/* 1: -o names a packed file. */
static int is_packed(const char *path)
{
	size_t n = path ? strlen(path) : 0;
	return n > 4 && strcmp(path + n - 4, ".ctz") == 0;
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

/* What a folder's tracegen.txt says of a capture; warp 0: of a CUDA program. */
static int about_capture(const struct ct_tool *t, unsigned warp, struct ct_buf *about,
                         struct ct_error *e)
{
	ct_buf_puts(about, "workload capture\ncommand");
	for (int i = 1; i < t->operands; i++)
		ct_buf_printf(about, " %s", t->operand[i]);
	if (warp)
		ct_buf_printf(about, "\nwarp %u", warp);
	ct_buf_printf(about, "\nversion %s", CT_VERSION);
	return ct_buf_check(about, e);
}

static int capture_opencl(struct ct_tool *t, struct ct_folder *sink, struct cap_result *r,
                          struct ct_error *e)
{
	const struct own *own = t->own;
	char file[4096];
	struct ct_buf about = {0};
	struct cap_options o = {.warp = own->warp ? own->warp : 32,
	                        .launches = own->launches,
	                        .values = !own->no_values,
	                        .stop = &stopped,
	                        .plugin = plugin_file(file, sizeof file)};
	int st = about_capture(t, o.warp, &about, e);
	if (st == CT_OK)
		st = ct_folder_begin(sink, NULL, about.data, e);
	if (st == CT_OK)
		st = cap_capture(sink, t->operand + 1, &o, r, e);
	if (st == CT_OK)
		st = ct_folder_end(sink, e);
	struct ct_diag d = ct_tool_diag(t);
	if (st == CT_OK && r->note[0])
		ct_warn(&d, "%s", r->note);
	ct_buf_free(&about);
	return st;
}

/* Records an OpenCL program into the folder. */
static int capture_to_folder(struct ct_tool *t, struct cap_result *r, struct ct_error *e)
{
	struct own *own = t->own;
	struct ct_folder *sink;
	if (!own->dir || !*own->dir || is_packed(own->dir))
		return ct_fail(e, CT_ERR_USAGE,
		               "capture: OpenCL programs are recorded into a folder: give -o DIR");
	if (own->kernel_given || own->skip || own->ends || own->check)
		return ct_fail(e, CT_ERR_USAGE, "capture: of OpenCL programs --launches alone chooses");
	int st = ct_folder_open(&sink, own->dir, &own->sink, e);
	if (st < 0)
		return st;
	st = capture_opencl(t, sink, r, e);
	if (st == CT_OK)
		return ct_folder_commit(sink, e);
	ct_folder_abort(sink);
	return st;
}

/* Prepares to record a CUDA program. */
static int begin_cuda(struct ct_tool *t, struct cap_cuda **c, struct ct_error *e)
{
	const struct own *own = t->own;
	struct ct_buf about = {0};
	if (!own->dir && isatty(STDOUT_FILENO))
		return ct_fail(e, CT_ERR_USAGE, "a trace is no text for a terminal: give -o, or a pipe");
	int st = about_capture(t, 0, &about, e);
	struct cap_cuda_options o = {
		.path = own->dir,
		.force = own->sink.force,
		.kernels = own->ptx.kernel,
		.skip = own->skip,
		.launches = own->launches,
		.max_steps = own->ptx.capture.max_steps,
		.sm = own->ptx.capture.sm,
		.values = own->values,
		.plain = own->sink.compress == CT_FOLDER_PLAIN,
		.ends = own->ends,
		.check = own->check,
		.about = about.data,
		.stop = &stopped};
	if (st == CT_OK)
		st = cap_cuda_begin(c, &o, e);
	ct_buf_free(&about);
	return st;
}

/* Records a CUDA program, or a script that may come to one: r->taken is 0 where it did not. */
static int capture_cuda(struct ct_tool *t, struct cap_cuda_result *r, struct ct_error *e)
{
	struct cap_cuda *c;
	if (((const struct own *)t->own)->opencl_given)
		return ct_fail(e, CT_ERR_USAGE,
		               "capture: --warp and --no-values are of OpenCL programs");
	int st = begin_cuda(t, &c, e);
	if (st < 0)
		return st;
	st = cap_cuda_run(c, t->operand + 1, r, e);
	return cap_cuda_end(c, st, t->operand[1], r, e);
}

/* Runs a script under Oclgrind: what it comes to may use either. */
static int capture_either(struct ct_tool *t, struct cap_cuda_result *r, struct ct_error *e)
{
	struct cap_result opencl = {.launches = 0};
	struct cap_cuda *c;
	struct ct_error later;
	int st = begin_cuda(t, &c, e);
	if (st < 0)
		return st;
	st = capture_to_folder(t, &opencl, e);
	int cuda = cap_cuda_end(c, CT_OK, t->operand[1], r, &later);
	r->status = opencl.status;
	if (r->taken) {
		if (cuda < 0)
			*e = later;
		return cuda;
	}
	/* Without any launch it was no OpenCL program either, as the caller says. */
	if (st == CT_ERR_INPUT && opencl.launches == 0)
		return CT_OK;
	r->taken = st == CT_OK;
	r->recorded = opencl.launches;
	r->warp_insts = opencl.warp_insts;
	return st;
}

/* Tells how the program ended: 0, or 1 where the trace is of a program that failed. */
static int report_capture(struct ct_tool *t, int status, int faulted, uint64_t launches,
                          uint64_t warp_insts)
{
	struct ct_diag d = ct_tool_diag(t);
	if (status != 0)
		ct_warn(&d, "%s ended with status %d: its trace is kept", t->operand[1], status);
	else if (faulted)
		ct_warn(&d, "a kernel of %s stopped before its end: the trace is kept", t->operand[1]);
	if (t->verbose)
		fprintf(stderr, "tracegen: capture: %llu launches, %llu warp instructions\n",
		        (unsigned long long)launches, (unsigned long long)warp_insts);
	return status != 0 || faulted;
}

/* A CUDA program runs by itself, an OpenCL program under Oclgrind. What a script comes to, its file does not
 * tell: it runs under Oclgrind where that is there and could record it. */
static int capture(struct ct_tool *t, struct ct_error *e)
{
	const struct own *own = t->own;
	const char *command = t->operand[1];
	char file[4096];
	struct cap_result opencl = {.launches = 0};
	struct cap_cuda_result r = {.taken = 0};
	enum cap_kind kind = cap_kind_of(command);
	int folder = own->dir && *own->dir && !is_packed(own->dir);
	int cuda_given = own->kernel_given || own->skip || own->ends || own->check, st;
	if (own->ends && !own->launches)
		return ct_fail(e, CT_ERR_USAGE, "capture: --end needs --launches");
	if (kind == CAP_MISSING)
		return ct_fail(e, CT_ERR_USAGE, "capture: %s: no such program", command);
	if (kind == CAP_OPENCL || (kind == CAP_OTHER && own->opencl_given)) {
		st = capture_to_folder(t, &opencl, e);
		return st < 0 ? st
		              : report_capture(t, opencl.status, 0, opencl.launches, opencl.warp_insts);
	}
	if (kind == CAP_OTHER && folder && !cuda_given &&
	    cap_has_oclgrind(plugin_file(file, sizeof file)))
		st = capture_either(t, &r, e);
	else
		st = capture_cuda(t, &r, e);
	if (st == CT_OK && !r.taken)
		return ct_fail(
			e, CT_ERR_INPUT,
			"capture: %s ended with status %d and used neither CUDA nor OpenCL: compile "
			"CUDA programs with ctcc",
			command, r.status);
	return st < 0 ? st : report_capture(t, r.status, r.faulted, r.recorded, r.warp_insts);
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
	if (own->ptx_given || (own->kernel_given && !is_capture(t)))
		return ct_fail(e, CT_ERR_USAGE, "%s takes no options of ptx: tracegen ptx FILE.ptx ...",
		               t->operands ? t->operand[0] : "tracegen");
	if (t->operands != 1 && !is_capture(t))
		return ct_fail(e, CT_ERR_USAGE, "give one workload, or all: see tracegen --list");
	if (!own->dir && !is_capture(t))
		return ct_fail(e, CT_ERR_USAGE, "-o DIR is missing: name the folder to write");
	if (own->capture_given && !is_capture(t))
		return ct_fail(e, CT_ERR_USAGE, "%s takes no capture options: they change only capture",
		               t->operand[0]);
	if (own->workingset.given && strcmp(t->operand[0], "workingset") != 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s takes no workingset options: they change only workingset",
		               t->operand[0]);
	if (own->elements && strcmp(t->operand[0], "cfd") != 0 && strcmp(t->operand[0], "bfs") != 0)
		return ct_fail(e, CT_ERR_USAGE, "%s takes no --elements: it changes only cfd and bfs",
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
	if (st == CT_OK && is_capture(t))
		return capture(t, e);
	const struct workload *wl = st == CT_OK ? wl_find(t->operand[0]) : NULL; /* NULL: all */
	if (wl && wl->app && is_packed(own->dir))
		return generate(t, wl, NULL, 0, e);
	if (st == CT_OK)
		st = ct_folder_open(&sink, own->dir, &own->sink, e);
	if (st != CT_OK)
		return st;
	st = wl ? generate(t, wl, sink, 0, e) : generate_all(t, sink, e);
	if (st == CT_OK)
		return ct_folder_commit(sink, e);
	ct_folder_abort(sink);
	return st;
}

/* What --help ends with. */
static const char guide[] = "Examples:\n"
			    "  tracegen --list                             the built-in workloads\n"
			    "  tracegen kmeans --size medium -o kmeans     one of them, as a folder\n"
			    "  tracegen capture -o atax.ctz -- ./atax      a program made by ctcc\n";

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "tracegen",
		.operands = "WORKLOAD|all|capture -- COMMAND...|ptx FILE",
		.summary = "write a trace of a built-in, CUDA or OpenCL program, or of a PTX kernel",
		.takes = CT_TAKES_SEED,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.guide = guide,
		.run = run,
	};
	return ct_tool_main(&spec, argc, argv);
}

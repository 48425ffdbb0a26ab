/* tool.h - what every command shares: options, errors, inputs, output.
 *
 * A command is a table: its name, its own options, and which groups of the common
 * ones it takes. main() hands the table to ct_tool_main(), which parses, answers
 * --help and --version, runs the command, prints the one error line and turns the
 * status into the contract's exit code (0 done, 1 a check said no, 2 usage, input
 * or I/O error). */
#ifndef CT_TOOLS_TOOL_H
#define CT_TOOLS_TOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/outfile.h"
#include "common/options.h"
#include "gpu/gpu.h"
#include "profile/profile.h"
#include "replay/replay.h"
#include "trace/trace.h"

/* Groups of common options. */
enum {
	CT_TAKES_GPU = 1u << 0,      /* -g -p --machine --cold --scale --print-gpu */
	CT_TAKES_TRACE = 1u << 1,    /* -k --max-memory --max-expand --salvage --trust-paths --streams */
	CT_TAKES_OUTPUT = 1u << 2,   /* -O -o */
	CT_TAKES_THREADS = 1u << 3,  /* -@ */
	CT_TAKES_METHOD = 1u << 4,   /* --method --check */
	CT_TAKES_REPLAY = 1u << 5,   /* --warmup --timing */
	CT_TAKES_SAMPLE = 1u << 6,   /* -S */
	CT_TAKES_SEED = 1u << 7,     /* --seed */
	CT_TAKES_PROFILE = 1u << 8,  /* --no-verify --trace-root --no-provenance */
	CT_TAKES_KERNELS = 1u << 10, /* --sample-kernels */
	CT_TAKES_PLUGINS = 1u << 11, /* --plugin --plugin-limit */
	CT_TAKES_BOTH = 1u << 9      /* --check replays a changed GPU too, any SM count */
				     /* -q -v --progress -h --version: always */
};

/* First key for a command's own long-only options. */
enum { CT_OWN_OPTION = 512 };

/* CSV: its tables as comma-separated values, by ct_tool_finish_tables(); a command may write its own, as another output. */
enum ct_output { CT_OUTPUT_TABLE, CT_OUTPUT_PROFILE, CT_OUTPUT_JSON, CT_OUTPUT_CSV, CT_OUTPUT_OTHER };
enum ct_method { CT_METHOD_AUTO, CT_METHOD_ANALYTIC, CT_METHOD_REPLAY };

struct ct_tool;

struct ct_tool_spec {
	const char *name;                /* "reuse" */
	const char *operands;            /* "[INPUT]" for the usage line */
	const char *summary;             /* one line, as the man page's .Nd */
	unsigned takes;                  /* CT_TAKES_* */
	const struct ct_option *options; /* own options */
	size_t n_options;
	ct_option_fn option; /* own options; ctx is the struct ct_tool; NULL when none */
	size_t own_size;     /* bytes of zeroed private state in tool->own */
	/* Frees what that state holds, at the end, also where parsing has failed; NULL: it holds nothing, or run() frees it. */
	void (*own_free)(void *own);
	/* Runs after parsing. CT_OK, 1 for "a check said no" (exit 1), or < 0 with *e. */
	int (*run)(struct ct_tool *t, struct ct_error *e);
	int input_error_exit; /* exit code of CT_ERR_INPUT; 0 means 2 (traceinfo: 1) */
	/* Extra values of -O that the command takes ("accelsim"), or NULL. */
	const char *const *other_outputs;
	int only_others;         /* it takes none but these */
	const char *output_help; /* of -O where it takes others */
	/* What --help ends with: "Columns" of its table and "Examples", lines of up to 80 columns; NULL: nothing. */
	const char *guide;
	const char *version;  /* lines that --version prints behind its own; NULL: none */
	int reads_mechanisms; /* run() calls ct_tool_check_keys() itself */
	int scales; /* --scale auto is its default: it judges, and a GPU that is not filled tells
	                            nothing */
};

struct ct_tool {
	const struct ct_tool_spec *spec;
	void *own;
	int operands; /* number of them */
	char **operand;
	struct ct_buf command_line; /* for PG, without -@ -o -q -v --progress */

	const char *gpu_name; /* -g, NULL when not given */
	const char **set;     /* -p assignments in order */
	size_t n_set, cap_set;
	double scale; /* --scale; 0 = not given, -1 = auto */
	int whole;    /* without --scale the GPU stays as it is, whatever the command does by itself */
	int print_gpu;

	struct ct_filter *filter;
	const char *filter_text;
	uint64_t max_memory;
	unsigned sharing;           /* processes that share max_memory; 0: this one has it alone */
	uint64_t max_expand;        /* 0: the library's default */
	struct ct_pattern *pattern; /* --pattern, NULL without */
	const char *pattern_text;
	int salvage, trust_paths, streams;

	enum ct_output output;
	const char *output_other; /* the -O word when output is CT_OUTPUT_OTHER */
	int output_given;
	const char *out_path;

	unsigned threads; /* resolved, at least 1 */
	enum ct_method method;
	int check;
	uint64_t warmup;
	enum ct_replay_timing timing; /* of passes: full or quick */
	double sample;                /* 1 = exact */
	int exact;                    /* --sample 1 was asked for */
	double sample_kernels;        /* share that is replayed; 1 = all */
	uint64_t seed;
	int no_verify, no_provenance;
	const char *trace_root;
	const char **named; /* --plugin, in order */
	size_t n_named, cap_named;
	struct ct_plugin_file *plugin; /* those that are loaded (plugin.h) */
	size_t n_plugins, cap_plugins;
	double plugin_seconds; /* --plugin-limit; 0: the default */
	int plugin_broken;     /* one has failed, and the command went on without it: it ends with 2 */
	int quiet, verbose, progress;
	int tell_layers; /* say what each pass has measured: with -v, also in workers */
	struct {
		int drawn;
		double start, last;
	} shown;                /* of the progress line; seconds (progress.h) */
	struct ct_keep keep;    /* the input, where it is a pipe and may be read again */
	struct ct_buf warnings; /* held back until the command has succeeded */
};

enum { CT_TOOL_OPTIONS_MAX = 96 };
/* All options that a command takes: its own, then those that it shares with others. Returns how many; `out` has room for
 * CT_TOOL_OPTIONS_MAX. Pure. */
size_t ct_tool_options(const struct ct_tool_spec *spec, struct ct_option *out);

/* main() of every command. */
int ct_tool_main(const struct ct_tool_spec *spec, int argc, char **argv);

/* fn (NULL: nothing) runs when a signal ends the command, after the temporary files of
 * outputs are gone; it may only do what is async-signal-safe. */
void ct_tool_at_end(void (*fn)(void));

/* A sink for warnings: "tool: warning: TEXT" goes to stderr when the command has
 * succeeded (nothing with -q), so that a failure prints its one line only. */
struct ct_diag ct_tool_diag(struct ct_tool *t);

/* "tool: TEXT" in t's warnings, also with -q: one line, control characters in it become '?'. */
void ct_tool_say(struct ct_tool *t, const char *fmt, ...) CT_PRINTF(2, 3);

/* What this process may take of --max-memory, in bytes: at least 1. */
uint64_t ct_tool_memory(const struct ct_tool *t);
/* Fills trace options from the command line. */
void ct_tool_trace_options(struct ct_tool *t, struct ct_trace_options *o);

/* 1 when the GPU is to be scaled to the trace: --scale auto, or no --scale where that is the command's default. */
int ct_tool_scales(const struct ct_tool *t);

/* The GPU in force: -g (default rtx3080, or the profile's GP records when p is not
 * NULL), then -p, then --scale with a factor. Folder of data files: beside the tree, the install
 * prefix, or CACHETRIAGE_DATA. */
int ct_tool_gpu(struct ct_tool *t, const struct ct_profile *p, struct ct_gpu *g, struct ct_error *e);
const char *ct_tool_data_dir(void);

/* Fails with CT_ERR_USAGE for a -p that neither the GPU nor a mechanism has, naming the nearest key, and for one of a
 * mechanism that this command does not read (`reads`: a bit each of ct_mechanism_at()), as it would do nothing. */
int ct_tool_check_keys(const struct ct_tool *t, uint32_t reads, struct ct_error *e);

/* An input is either a trace or a profile, recognised by content. */
struct ct_input {
	struct ct_trace *trace; /* exactly one of the two is set */
	struct ct_profile *profile;
};
/* Opens operand i, or standard input when there is none. */
int ct_tool_open_input(struct ct_tool *t, int i, struct ct_input *in, struct ct_error *e);
/* 1, with a warning, when the profile is of a damaged trace (--salvage): the command ends with 1
 * then, as if it had read the trace itself. Else 0. Warns also of what the trace lacks otherwise. */
int ct_tool_truncated(struct ct_tool *t, const struct ct_profile *p);
void ct_input_close(struct ct_input *in);

/* A new profile that knows the mechanisms' metrics; NULL when out of memory. */
struct ct_profile *ct_tool_profile(struct ct_error *e);
/* One with the records of p: the caller's to free. NULL when out of memory. */
struct ct_profile *ct_tool_profile_copy(const struct ct_profile *p, struct ct_error *e);

/* Appends this stage's PG record (unless --no-provenance). */
int ct_tool_provenance(struct ct_tool *t, struct ct_profile *p, struct ct_error *e);

/* Makes a text with tables of ct_terminal_style() ready for output: wrapped where it is for people; with -O csv what
 * stands between the tables is left out. Fails with CT_ERR_NOMEM. */
int ct_tool_finish_tables(const struct ct_tool *t, struct ct_buf *b, struct ct_error *e);

/* Writes the profile as -O asks; table (for people) renders what this command has
 * to say. Complete or nothing. */
int ct_tool_emit(struct ct_tool *t, const struct ct_profile *p,
                 int (*table)(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                              struct ct_error *e),
                 struct ct_error *e);
/* Writes a finished text the same way. */
int ct_tool_emit_text(struct ct_tool *t, const struct ct_buf *b, struct ct_error *e);
/* Writes it into a file beside the output; NULL or "-": standard output. Complete or nothing. */
int ct_tool_write_text(const char *path, const struct ct_buf *b, struct ct_error *e);

#endif

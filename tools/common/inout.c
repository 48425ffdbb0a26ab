/* inout.c - what goes into a command and what comes out of it. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "common/terminal.h"
#include "common/tool.h"
#include "models/registry.h"
#include "pass/origin.h"

/* 1 when a line of the buffer is this one, which ends as lines do. */
static int has_line(const struct ct_buf *b, const char *line)
{
	for (const char *at = b->len ? strstr(b->data, line) : NULL; at; at = strstr(at + 1, line))
		if (at == b->data || at[-1] == '\n')
			return 1;
	return 0;
}

/* A trace that is opened again, as for replays, has the same to say: it says it once. */
static void print_warning(void *ctx, const char *text)
{
	struct ct_tool *t = ctx;
	struct ct_buf line = {0};
	if (t->quiet)
		return;
	ct_buf_printf(&line, "%s: warning: %s\n", t->spec->name, text);
	if (line.failed)
		t->warnings.failed = 1;
	else if (!has_line(&t->warnings, line.data))
		ct_buf_puts(&t->warnings, line.data);
	ct_buf_free(&line);
}

struct ct_diag ct_tool_diag(struct ct_tool *t)
{
	struct ct_diag d = {print_warning, t};
	return d;
}

void ct_tool_say(struct ct_tool *t, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	char *text = n < 0 ? NULL : ct_calloc((size_t)n + 1, 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	for (char *c = text; c && *c; c++) /* names may hold anything */
		*c = (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c;
	if (text)
		ct_buf_printf(&t->warnings, "%s: %s\n", t->spec->name, text);
	else
		t->warnings.failed = 1; /* the command fails, as where a warning is lost */
	free(text);
}

uint64_t ct_tool_memory(const struct ct_tool *t)
{
	uint64_t own = t->max_memory / (t->sharing ? t->sharing : 1);
	return own ? own : 1;
}

void ct_tool_trace_options(struct ct_tool *t, struct ct_trace_options *o)
{
	memset(o, 0, sizeof *o);
	o->filter = t->filter;
	o->max_memory = ct_tool_memory(t);
	o->max_expand = t->max_expand;
	o->salvage = t->salvage;
	o->trust_paths = t->trust_paths;
	o->streams = t->streams;
	o->keep = &t->keep;
	o->pattern = t->pattern;
	o->diag = ct_tool_diag(t);
}

static int is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *ct_tool_data_dir(void)
{
	static char path[PATH_MAX + 64];
	const char *env = getenv("CACHETRIAGE_DATA");
	if (env && *env)
		return env;
	/* Commands in build/bin/ (or build/asan/bin/) find data/ beside their tree. */
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	while (n > 0) {
		path[n] = '\0';
		char *slash = strrchr(path, '/');
		if (!slash)
			break;
		strcpy(slash, "/data/gpus");
		if (is_folder(path)) {
			strcpy(slash, "/data");
			return path;
		}
		strcpy(slash, "/share/cachetriage/gpus");
		if (is_folder(path)) {
			strcpy(slash, "/share/cachetriage");
			return path;
		}
		n = slash - path;
	}
	return CT_DATADIR;
}

/* Adds what to do to the error of an input that is not there: a workload's name is no trace yet. */
static int tell_absent(const char *path, int status, struct ct_error *e)
{
	char text[sizeof e->text];
	if (status != CT_ERR_IO || access(path, F_OK) == 0 || errno != ENOENT)
		return status;
	memcpy(text, e->text, sizeof text);
	return ct_fail(e, status,
	               "%s: name a trace, its folder or a profile; tracegen makes traces of programs",
	               text);
}

int ct_tool_open_input(struct ct_tool *t, int i, struct ct_input *in, struct ct_error *e)
{
	const char *path = i < t->operands ? t->operand[i] : "-";
	struct ct_trace_options o;
	struct ct_source *s;
	enum ct_kind kind;
	memset(in, 0, sizeof *in);
	if (i >= t->operands && isatty(STDIN_FILENO))
		return ct_fail(e, CT_ERR_USAGE,
		               "no input: name a trace or a profile, or pipe one in; see --help");
	ct_tool_trace_options(t, &o);
	if (is_folder(path))
		return ct_trace_open(&in->trace, path, &o, e);
	if (ct_tool_scales(t))
		ct_keep_begin(&t->keep, path, t->max_memory);
	const struct ct_source_options so = {.max_expand = t->max_expand, .keep = &t->keep};
	int st = ct_source_open(&s, path, &so, e);
	if (st != CT_OK)
		return tell_absent(path, st, e);
	st = ct_source_sniff(s, &kind, e);
	if (st == CT_OK && kind != CT_KIND_PROFILE)
		return ct_trace_open_source(&in->trace, s, &o, e);
	if (st == CT_OK)
		st = ct_profile_read(&in->profile, s, !t->no_verify, e);
	if (st == CT_OK && in->profile)
		ct_profile_set_metrics(in->profile, ct_mechanism_metric);
	ct_source_close(s);
	return st;
}

int ct_tool_truncated(struct ct_tool *t, const struct ct_profile *p)
{
	struct ct_diag d = ct_tool_diag(t);
	double flag;
	char gaps[CT_GAPS_MAX];
	if (ct_profile_gaps(p, gaps, sizeof gaps))
		ct_warn(&d, "the profile covers only a part of its trace: %s", gaps);
	if (!ct_profile_get(p, "all", "truncated", &flag) || !(flag > 0))
		return 0;
	ct_warn(&d, "the trace of the profile is damaged: see truncated in it");
	return 1;
}

void ct_input_close(struct ct_input *in)
{
	ct_trace_close(in->trace);
	ct_profile_free(in->profile);
	memset(in, 0, sizeof *in);
}

int ct_tool_provenance(struct ct_tool *t, struct ct_profile *p, struct ct_error *e)
{
	if (t->no_provenance)
		return CT_OK;
	const char *line = t->command_line.len ? t->command_line.data + 1 : "";
	struct ct_buf b = {0};
	ct_buf_printf(&b, "%s%s%s", t->spec->name, *line ? " " : "", line);
	const char *f[3] = {t->spec->name, CT_VERSION, b.data};
	int st = b.failed ? ct_fail_nomem(e) : ct_profile_add(p, "PG", 3, f, e);
	ct_buf_free(&b);
	return st;
}

int ct_tool_scales(const struct ct_tool *t)
{
	return t->scale < 0 || (t->scale == 0 && t->spec->scales && !t->whole);
}

int ct_tool_gpu(struct ct_tool *t, const struct ct_profile *p, struct ct_gpu *g, struct ct_error *e)
{
	struct ct_diag d = ct_tool_diag(t);
	int st = CT_OK;
	if (p && !t->gpu_name)
		st = ct_pass_get_gpu(p, g, e);
	else
		st = ct_gpu_load(g, t->gpu_name ? t->gpu_name : "rtx3080", ct_tool_data_dir(), &d, e);
	for (size_t i = 0; i < t->n_set && st == CT_OK; i++) {
		st = ct_mechanism_check_key(
			t->set[i], e); /* a key of theirs is read by their estimators */
		if (st > 0)
			st = ct_gpu_set(g, t->set[i], e);
	}
	if (st == CT_OK)
		st = ct_gpu_check(g, e);
	if (st == CT_OK && t->scale > 0)
		st = ct_gpu_scale(g, t->scale, e);
	return st;
}

int ct_tool_write_text(const char *path, const struct ct_buf *b, struct ct_error *e)
{
	struct ct_out *out;
	int st = ct_buf_check(b, e);
	if (st == CT_OK)
		st = ct_out_open(&out, path, 0, e);
	if (st != CT_OK)
		return st;
	st = ct_out_write(out, b->data, b->len, e);
	if (st != CT_OK) {
		ct_out_abort(out);
		return st;
	}
	return ct_out_commit(out, e);
}

int ct_tool_emit_text(struct ct_tool *t, const struct ct_buf *b, struct ct_error *e)
{
	int st = ct_buf_check(&t->warnings, e); /* what cannot be told must not look whole */
	return st == CT_OK ? ct_tool_write_text(t->out_path, b, e) : st;
}

int ct_tool_finish_tables(const struct ct_tool *t, struct ct_buf *b, struct ct_error *e)
{
	if (t->output == CT_OUTPUT_CSV) {
		struct ct_buf *csv = ct_terminal_csv();
		csv->failed |= b->failed;
		ct_buf_free(b);
		*b = *csv;
		*csv = (struct ct_buf){0};
	} else {
		ct_table_wrap_text(b, ct_terminal_style()->width);
	}
	return ct_buf_check(b, e);
}

/* Tables say below what the trace lacks, with -q too: their numbers are of what was there. */
static void add_gaps(const struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b)
{
	char gaps[CT_GAPS_MAX];
	if (t->output == CT_OUTPUT_TABLE && ct_profile_gaps(p, gaps, sizeof gaps))
		ct_buf_printf(b, "\nonly a part of the trace was there: %s\n", gaps);
}

int ct_tool_emit(struct ct_tool *t, const struct ct_profile *p,
                 int (*table)(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                              struct ct_error *e),
                 struct ct_error *e)
{
	struct ct_buf b = {0};
	int st;
	if (t->output == CT_OUTPUT_JSON)
		st = ct_profile_write_json(p, &b, e);
	else if ((t->output == CT_OUTPUT_TABLE || t->output == CT_OUTPUT_CSV) && table)
		st = table(t, p, &b, e);
	else
		st = ct_profile_write(p, &b, e);
	if (st == CT_OK && table)
		add_gaps(t, p, &b);
	if (st == CT_OK && table && (t->output == CT_OUTPUT_TABLE || t->output == CT_OUTPUT_CSV))
		st = ct_tool_finish_tables(t, &b, e);
	if (st == CT_OK)
		st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}

struct ct_profile *ct_tool_profile(struct ct_error *e)
{
	struct ct_profile *p = ct_profile_new(e);
	if (p)
		ct_profile_set_metrics(p, ct_mechanism_metric);
	return p;
}

struct ct_profile *ct_tool_profile_copy(const struct ct_profile *p, struct ct_error *e)
{
	struct ct_profile *q = ct_tool_profile(e);
	int st = q ? CT_OK : CT_ERR_NOMEM;
	for (size_t i = 0; st == CT_OK && i < ct_profile_count(p); i++) {
		const struct ct_record *r = ct_profile_at(p, i);
		st = ct_profile_add(q, r->type, r->nfields, r->field, e);
	}
	if (st == CT_OK)
		return q;
	ct_profile_free(q);
	return NULL;
}

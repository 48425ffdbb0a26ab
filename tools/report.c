/* report - from profiles and estimates to a page, a summary and a verdict for CI. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/units.h"
#include "base/utf8.h"
#include "common/tool.h"
#include "report/figure.h"
#include "report/page.h"

enum {
	OPT_HTML = CT_OWN_OPTION,
	OPT_MARKDOWN,
	OPT_JUNIT,
	OPT_CSV,
	OPT_REQUIRE,
	OPT_REQUIREMENTS,
	OPT_ALLOW_UNKNOWN,
	OPT_COMPARE,
	OPT_TITLE,
	OPT_FIGURE,
	OPT_SVG,
	OPT_LIST,
	OPT_NO_VERIFY
};

static const struct ct_option own_options[] = {
	{OPT_HTML, "html", "FILE",
         "write one HTML page that needs nothing else (- is standard\noutput, also below)"},
	{OPT_MARKDOWN, "markdown", "FILE", "write a Markdown summary"},
	{OPT_JUNIT, "junit", "FILE", "write JUnit XML, a test case per threshold"},
	{OPT_CSV, "csv", "FILE", "write every value as CSV, one per line"},
	{OPT_REQUIRE, "require", "EXPR",
         "a threshold, as 'MECHANISM.SYSTEM.speedup >= 1.05 for\nbfs*'; exit 1 when one does not hold"},
	{OPT_REQUIREMENTS, "requirements", "FILE", "thresholds from FILE, one per line"},
	{OPT_ALLOW_UNKNOWN, "allow-unknown", NULL,
         "let thresholds on a verdict pass where it is unknown"},
	{OPT_COMPARE, "compare", "OLD",
         "what changed since the run OLD (a profile or a folder\nof profiles); thresholds may then name base"},
	{OPT_TITLE, "title", "TEXT", "title of the report"},
	{OPT_FIGURE, "figure", "ID",
         "print the data of a paper's figure for these workloads as\nTSV; see --list-figures"},
	{OPT_SVG, "svg", "FILE", "with --figure: also draw it"},
	{OPT_LIST, "list-figures", NULL, "list the figures and exit"},
	{'o', "out", "FILE", "write what goes to standard output to FILE, complete or\nnot at all"},
	{OPT_NO_VERIFY, "no-verify", NULL, "accept a profile without a right EN line (hand-edited)"},
};

/* Where a form goes, in the order of writing. */
typedef int (*form_fn)(const struct rep_report *r, struct ct_buf *b, struct ct_error *e);
struct form {
	int key;
	form_fn write;
};

static int make_markdown(const struct rep_report *r, struct ct_buf *b, struct ct_error *e)
{
	rep_markdown(r, b);
	return ct_buf_check(b, e);
}

static int make_junit(const struct rep_report *r, struct ct_buf *b, struct ct_error *e)
{
	rep_junit(r, b);
	return ct_buf_check(b, e);
}

static int make_csv(const struct rep_report *r, struct ct_buf *b, struct ct_error *e)
{
	rep_csv(r, b);
	return ct_buf_check(b, e);
}

static int make_table(const struct rep_report *r, struct ct_buf *b, struct ct_error *e)
{
	rep_table(r, b);
	return ct_buf_check(b, e);
}

static const struct form forms[] = {
	{OPT_HTML, rep_page},
	{OPT_MARKDOWN, make_markdown},
	{OPT_JUNIT, make_junit},
	{OPT_CSV, make_csv},
};
enum { FORMS = sizeof forms / sizeof forms[0], THRESHOLDS_MAX = 256, NAMES_SHOWN = 6 };

struct own {
	const char *file[FORMS];
	const char *title, *old, *figure, *svg, *out;
	int list, allow_unknown;
	struct {
		const char *text;
		int is_file;
	} threshold[THRESHOLDS_MAX];
	int thresholds;
};

static int take_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct ct_tool *t = ctx;
	struct own *o = t->own;
	if (key == OPT_REQUIRE || key == OPT_REQUIREMENTS) {
		if (o->thresholds == THRESHOLDS_MAX)
			return ct_fail(e, CT_ERR_USAGE,
			               "more than %d thresholds: put them into a file, "
			               "--requirements FILE",
			               THRESHOLDS_MAX);
		o->threshold[o->thresholds].text = value;
		o->threshold[o->thresholds++].is_file = key == OPT_REQUIREMENTS;
	} else if (key == OPT_COMPARE)
		o->old = value;
	else if (key == OPT_TITLE)
		o->title = value;
	else if (key == OPT_FIGURE)
		o->figure = value;
	else if (key == OPT_SVG)
		o->svg = value;
	else if (key == OPT_ALLOW_UNKNOWN)
		o->allow_unknown = 1;
	else if (key == OPT_LIST)
		o->list = 1;
	else if (key == 'o')
		o->out = value;
	else if (key == OPT_NO_VERIFY)
		t->no_verify = 1;
	for (int i = 0; i < FORMS; i++)
		if (forms[i].key == key)
			o->file[i] = value;
	return CT_OK;
}

static int read_thresholds(const struct own *o, struct rep_checks *c, struct ct_error *e)
{
	int st = CT_OK;
	for (int i = 0; i < o->thresholds && st == CT_OK; i++)
		st = o->threshold[i].is_file ? rep_checks_add_file(c, o->threshold[i].text, e)
		                             : rep_checks_add(c, o->threshold[i].text, e);
	return st;
}

/* Reads thresholds and profiles, of the old run too, and compares the runs. */
static int load_runs(struct ct_tool *t, struct rep_report *r, struct ct_error *e)
{
	struct own *o = t->own;
	int st = read_thresholds(o, &r->checks, e);
	r->checks.allow_unknown = o->allow_unknown;
	r->title = o->title ? o->title : "Cache mechanisms";
	for (int i = 0; i < t->operands && st == CT_OK; i++)
		st = rep_run_add(t, &r->run, t->operand[i], e);
	if (st == CT_OK && t->operands == 0)
		st = rep_run_add(t, &r->run, "-", e);
	if (st == CT_OK)
		st = rep_run_finish(t, &r->run, e);
	if (st != CT_OK || !o->old)
		return st;
	st = rep_run_add(t, &r->old, o->old, e);
	if (st == CT_OK)
		st = rep_run_finish(t, &r->old, e);
	if (st == CT_OK)
		st = rep_compare(&r->changes, &r->old, &r->run, e);
	r->compared = st == CT_OK;
	return st;
}

/* What one call writes: all of its files, or none. */
struct outputs {
	struct ct_out *out[FORMS + 2];
	size_t n;
};

static int add_output(struct outputs *o, const char *path, struct ct_buf *b, struct ct_error *e)
{
	int st = ct_buf_check(b, e);
	/* Names come from traces and may hold any bytes. */
	ct_utf8_clean(b->data, b->len);
	if (st == CT_OK)
		st = ct_out_open(&o->out[o->n], path, 0, e);
	return st == CT_OK ? ct_out_write(o->out[o->n++], b->data, b->len, e) : st;
}

/* Commits when st is CT_OK, else drops everything. */
static int end_outputs(struct outputs *o, int st, struct ct_error *e)
{
	if (st == CT_OK)
		return ct_out_commit_all(o->out, o->n, e);
	for (size_t i = 0; i < o->n; i++)
		ct_out_abort(o->out[i]);
	return st;
}

static int write_form(struct outputs *o, const char *path, const struct rep_report *r, form_fn write,
                      struct ct_error *e)
{
	struct ct_buf b = {0};
	int st = write(r, &b, e);
	if (st == CT_OK)
		st = add_output(o, path, &b, e);
	ct_buf_free(&b);
	return st;
}

static int forms_asked(const struct own *o)
{
	int any = 0;
	for (int i = 0; i < FORMS; i++)
		any |= o->file[i] != NULL;
	return any;
}

/* Where a form goes: "-" is standard output, and that is what -o names. */
static const char *place_of(const struct own *o, const char *path)
{
	const char *p = path && strcmp(path, "-") != 0 ? path : o->out;
	return p ? p : "-";
}

/* Of two outputs in one place the later one would be all there is, or stand behind the other. */
static int check_apart(const struct own *o, struct ct_error *e)
{
	const char *at[FORMS + 2];
	size_t n = 0;
	for (int i = 0; i < FORMS; i++)
		if (o->file[i])
			at[n++] = place_of(o, o->file[i]);
	if (o->svg)
		at[n++] = place_of(o, o->svg);
	if (o->figure)
		at[n++] = place_of(o, NULL);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(at[i], at[k]) && strcmp(at[i], "/dev/null") != 0)
				return ct_fail(e, CT_ERR_USAGE,
				               "two outputs go to %s: give each a file of its own",
				               strcmp(at[i], "-") ? at[i] : "standard output");
	return CT_OK;
}

static int write_all(const struct own *o, const struct rep_report *r, struct outputs *out,
                     struct ct_error *e)
{
	int st = CT_OK;
	for (int i = 0; i < FORMS && st == CT_OK; i++)
		if (o->file[i])
			st = write_form(out, place_of(o, o->file[i]), r, forms[i].write, e);
	if (st == CT_OK && !forms_asked(o))
		st = write_form(out, o->out, r, make_table, e);
	return st;
}

/* With forms asked for, a failed threshold is still told, on standard error. */
static void tell_differences(struct ct_tool *t, const struct rep_checks *c)
{
	char why[320];
	for (size_t i = 0; i < c->n && !t->quiet; i++)
		if (!c->check[i].passed && !c->check[i].skipped) {
			rep_check_why(&c->check[i], why, sizeof why);
			ct_tool_say(t, "%s: %s", ct_require_text(c->check[i].r), why);
		}
}

/* Its number may have lost digits. */
static void tell_open_end(struct ct_tool *t, const struct rep_checks *c)
{
	struct ct_diag d = ct_tool_diag(t);
	if (c->open_end)
		ct_warn(&d, "%s: the last line has no end: the file may be cut", c->open_end);
}

/* Results of parts of traces are marked; those of damaged ones end in 1. */
static int tell_parts(struct ct_tool *t, const struct rep_report *r)
{
	struct ct_diag d = ct_tool_diag(t);
	int any = 0;
	char part[REP_PART_TEXT];
	const char *run;
	const struct rep_workload *w;
	for (size_t i = 0; (w = rep_next_part(r, &i, &run, part));) {
		any |= rep_sn(w, "truncated") > 0;
		ct_warn(&d, "%s%s: %s", w->name, run, part);
	}
	return any;
}

/* The first parameter of the GPU that differs, or NULL; *was is the old one's value, "absent" where it has none. */
static const struct ct_record *
other_gpu(const struct rep_workload *w, const struct rep_workload *old, const char **was)
{
	const struct ct_record *r;
	size_t any = 0;
	if (!ct_profile_next(old->p, "GP", &any)) /* verdicts only, or edited by hand */
		return NULL;
	for (size_t i = 0; (r = ct_profile_next(w->p, "GP", &i));) {
		*was = ct_profile_gp(old->p, r->field[0]);
		if (!*was || strcmp(*was, r->field[1]) != 0) {
			*was = *was ? *was : "absent";
			return r;
		}
	}
	return NULL;
}

/* What changed may have changed with the GPU, and thresholds on base compare two of them. */
static void tell_gpus(struct ct_tool *t, const struct rep_report *r)
{
	struct ct_diag d = ct_tool_diag(t);
	const struct ct_record *first = NULL, *one;
	const char *was, *first_was = "", *name = "";
	size_t n = 0;
	for (size_t i = 0; r->compared && i < r->run.n; i++) {
		const struct rep_workload *w = &r->run.w[i], *old = rep_run_find(&r->old, w->name);
		if (!old || !(one = other_gpu(w, old, &was)))
			continue;
		if (n++ == 0) {
			first = one;
			first_was = was;
			name = w->name;
		}
	}
	if (first)
		ct_warn(&d,
		        "%zu workload%s on another GPU in the old run: of %s, %s is %.40s and was %.40s",
		        n, n == 1 ? " was" : "s were", name, first->field[0], first->field[1],
		        first_was);
}

static int list_figures(struct ct_tool *t, struct ct_error *e)
{
	const struct ct_figure *f;
	const char *folder;
	struct ct_buf b = {0};
	for (size_t i = 0; (f = fg_at(i, &folder)); i++)
		ct_buf_printf(&b, "%-18s %s\n", f->id, f->title);
	t->out_path = ((struct own *)t->own)->out;
	int st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}

static const struct ct_figure *find_figure(const char *id, const char **folder, struct ct_error *e)
{
	enum { MOST = 256 };
	const struct ct_figure *f = fg_find(id, folder);
	const char *names[MOST];
	size_t n = 0;
	if (f)
		return f;
	for (; n < MOST && (f = fg_at(n, folder)); n++)
		names[n] = f->id;
	int near = ct_nearest_name(id, names, n);
	ct_fail(e, CT_ERR_USAGE, "--figure %s: %s%s: see --list-figures", id,
	        near >= 0 ? "did you mean " : "there is none", near >= 0 ? names[near] : "");
	return NULL;
}

/* Makes the data of a figure and its drawing. What the workloads lack for it is told on standard
 * error. */
static int make_figure(struct ct_tool *t, const struct rep_report *r, struct outputs *out,
                       struct ct_error *e)
{
	struct own *o = t->own;
	const char *folder = NULL;
	const struct ct_figure *f = find_figure(o->figure, &folder, e);
	struct ct_figure_rows rows = {0};
	struct ct_buf b = {0};
	int st = f ? fg_make(f, folder, &r->run, &rows, e) : CT_ERR_USAGE;
	if (st == CT_OK && o->svg) {
		struct ct_diag d = ct_tool_diag(t);
		size_t left = fg_svg(f, &rows, &b);
		if (left)
			ct_warn(&d,
			        "%s: the drawing has no room for %zu of the values: the text has them all",
			        f->id, left);
		st = add_output(out, place_of(o, o->svg), &b, e);
		ct_buf_reset(&b);
	}
	if (st == CT_OK) {
		fg_tsv(f, &rows, &b);
		st = t->quiet ? CT_OK
		              : fg_tell_missing(f, &rows, t->verbose ? rows.n : NAMES_SHOWN, t, e);
		if (st == CT_OK)
			st = add_output(out, o->out, &b, e);
	}
	ct_buf_free(&b);
	ct_figure_rows_free(&rows);
	return st;
}

/* Reads everything first, then writes all outputs or none. */
static int run_report(struct ct_tool *t, struct ct_error *e)
{
	const struct own *o = t->own;
	if (o->list)
		return list_figures(t, e);
	if (o->svg && !o->figure)
		return ct_fail(e, CT_ERR_USAGE, "--svg draws a figure: say which with --figure");
	int st = check_apart(o, e);
	if (st != CT_OK)
		return st;
	struct rep_report *r = ct_calloc(1, sizeof *r);
	st = r ? load_runs(t, r, e) : ct_fail_nomem(e);
	if (st == CT_OK)
		tell_open_end(t, &r->checks);
	if (st == CT_OK)
		tell_gpus(t, r);
	if (st == CT_OK)
		st = rep_checks_run(&r->checks, &r->run, r->compared ? &r->old : NULL, e);
	struct outputs out = {{NULL}, 0};
	if (st == CT_OK && o->figure)
		st = make_figure(t, r, &out, e);
	if (st == CT_OK && (!o->figure || forms_asked(o)))
		st = write_all(o, r, &out, e);
	st = end_outputs(&out, st, e);
	if (st == CT_OK && r->checks.failed) {
		tell_differences(t, &r->checks);
		st = 1;
	}
	if (st == CT_OK || st == 1)
		st |= tell_parts(t, r);
	if (r) {
		rep_checks_free(&r->checks);
		rep_changes_free(&r->changes);
		rep_run_free(&r->run);
		rep_run_free(&r->old);
	}
	free(r);
	return st;
}

/* What --help ends with. */
static const char guide[] =
	"Examples:\n"
	"  report --html page.html *.profile           one page of all workloads\n"
	"  report --compare old new                    what changed between two runs\n"
	"  report --junit ci.xml --require 'MECHANISM.SYSTEM.speedup >= 1.05' *.profile\n";

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "report",
		.operands = "[PROFILE|FOLDER...]",
		.summary = "page, summary and CI thresholds from profiles and estimates",
		.options = own_options,
		.n_options = sizeof own_options / sizeof own_options[0],
		.option = take_option,
		.own_size = sizeof(struct own),
		.guide = guide,
		.takes = CT_TAKES_PLUGINS,
		.run = run_report,
	};
	return ct_tool_main(&spec, argc, argv);
}

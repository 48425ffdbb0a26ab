#include "report/figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/units.h"
#include "models/registry.h"
#include "common/chart.h"

enum { PANELS_MAX = 8, GROUPS_MAX = 512, FIELDS = 6, LINE_BYTES = 1024 };

/* ---- which there are ---- */

const struct ct_figure *fg_at(size_t i, const char **folder)
{
	const struct ct_mechanism *m;
	for (unsigned k = 0; (m = ct_mechanism_at(k)); k++) {
		unsigned n = 0;
		const struct ct_figure *f = m->figures ? m->figures(&n) : m->figure_list;
		n = m->figures ? n : m->n_figure_list;
		*folder = m->folder;
		if (i < n)
			return &f[i];
		i -= n;
	}
	return NULL;
}

const struct ct_figure *fg_find(const char *id, const char **folder)
{
	const struct ct_figure *f;
	for (size_t i = 0; (f = fg_at(i, folder)); i++)
		if (strcmp(f->id, id) == 0)
			return f;
	return NULL;
}

/* ---- a value per workload ---- */

/* A value of a workload, and its range where it is of one estimate. */
struct value {
	double v, low, high;
	int relative_to_0; /* both estimates are there, but not their ratio */
};

static void take_metric(const struct ct_figure_workload *w, const struct ct_figure_series *s,
                        const char *metric, struct value *x)
{
	struct ct_estimate a, b;
	*x = (struct value){.v = NAN, .low = NAN, .high = NAN};
	if (!*s->mechanism) {
		x->v = ct_figure_sn(w, metric);
		return;
	}
	x->v = ct_figure_es(w, s->mechanism, s->system, metric, s->over);
	if (!ct_figure_estimate(w, s->mechanism, s->system, metric, &a))
		return;
	if (s->over)
		x->relative_to_0 = ct_figure_estimate(w, s->mechanism, s->over, metric, &b);
	else {
		x->low = a.low;
		x->high = a.high;
	}
}

static int is_shown(const struct ct_figure_series *s, const struct value *x)
{
	return isfinite(x->v) && !(s->inverse && x->v == 0);
}

/* The first of the series' metrics that the workload has, or the last. */
static void take_value(const struct ct_figure_workload *w, const struct ct_figure_series *s,
                       struct value *x)
{
	char metric[CT_FIGURE_X_MAX];
	const char *at = s->metric;
	do {
		int n = (int)strcspn(at, "|");
		snprintf(metric, sizeof metric, "%.*s", n, at);
		take_metric(w, s, metric, x);
		at += n + (at[n] == '|');
	} while (*at && !is_shown(s, x));
}

/* Adds a series' value of a workload with its range, or why it is missing: not measured, or a ratio to nothing. */
static void one_value(const struct ct_figure_workload *w, const struct ct_figure_series *s,
                      const char *needs, struct ct_figure_rows *rows)
{
	struct value x;
	take_value(w, s, &x);
	if (!is_shown(s, &x))
		ct_figure_add_missing(rows, s->panel, w->name, s->name,
		                      x.relative_to_0 ? "what it is relative to is 0"
		                      : s->needs      ? s->needs
		                                      : needs);
	else if (s->inverse)
		ct_figure_add_range(rows, s->panel, w->name, s->name, 1 / x.v, 1 / x.high, 1 / x.low);
	else
		ct_figure_add_range(rows, s->panel, w->name, s->name, x.v, x.low, x.high);
}

/* Of the rows of a series that were just added, from `first` on. */
static void add_mean(const struct ct_figure_series *s, enum ct_figure_mean mean, size_t first,
                     struct ct_figure_rows *rows)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = first; i < rows->n; i++) {
		double v = rows->row[i].value;
		if (rows->row[i].missing || (mean == CT_FIGURE_GEOMETRIC && !(v > 0)))
			continue;
		sum += mean == CT_FIGURE_GEOMETRIC ? log(v) : v;
		n++;
	}
	if (n)
		ct_figure_add(rows, s->panel, "mean", s->name,
		              mean == CT_FIGURE_GEOMETRIC ? exp(sum / (double)n) : sum / (double)n);
}

static void by_workload(const struct ct_figure *f, const struct ct_figure_run *run,
                        struct ct_figure_rows *rows)
{
	for (size_t k = 0; k < f->n; k++) {
		size_t first = rows->n;
		for (size_t i = 0; i < run->n; i++)
			one_value(&run->workload[i], &f->series[k], f->needs, rows);
		if (f->mean != CT_FIGURE_NO_MEAN && rows->n > first)
			add_mean(&f->series[k], f->mean, first, rows);
	}
}

/* ---- the papers' values ---- */

/* Reads a line of the papers' values, and adds it where it is of this figure. */
static int paper_line(const struct ct_figure *f, char *line, struct ct_figure_rows *rows)
{
	char *field[FIELDS];
	unsigned n = 0;
	double v;
	line[strcspn(line, "\r\n")] = '\0';
	if (*line == '#' || !*line)
		return CT_OK;
	for (char *p = line; p && n < FIELDS; n++) {
		field[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = '\0';
	}
	if (n != FIELDS || ct_parse_real(field[4], &v) < 0)
		return CT_ERR_INPUT;
	if (strcmp(field[0], f->id) == 0) {
		ct_figure_add(rows, field[1], field[2], field[3], v);
		if (!rows->failed)
			rows->row[rows->n - 1].paper = 1;
	}
	return CT_OK;
}

/* Whether the data are where they are looked for at all: without them no published value is left out quietly. */
static int has_data(const char *dir)
{
	struct ct_buf path = {0};
	ct_buf_printf(&path, "%s/gpus", dir);
	int found = !path.failed && access(path.data, F_OK) == 0;
	ct_buf_free(&path);
	return found;
}

/* A mechanism without published values has no such file. */
static int published(const struct ct_figure *f, const char *folder, struct ct_figure_rows *rows,
                     struct ct_error *e)
{
	char line[LINE_BYTES];
	struct ct_buf path = {0};
	unsigned number = 0;
	const char *dir = ct_tool_data_dir();
	if (!folder)
		return CT_OK;
	ct_buf_printf(&path, "%s/%s/figures.tsv", dir, folder);
	FILE *file = path.failed ? NULL : fopen(path.data, "r");
	int st = path.failed ? ct_fail_nomem(e)
	         : file || (errno == ENOENT && has_data(dir))
	                 ? CT_OK
	                 : ct_fail_errno(e, CT_ERR_IO, errno, "%s", path.data);
	while (st == CT_OK && file && fgets(line, sizeof line, file)) {
		number++;
		if (paper_line(f, line, rows) < 0)
			st = ct_fail(e, CT_ERR_INPUT, "%s:%u: wanted %d fields, the fifth a number",
			             path.data, number, FIELDS);
	}
	if (st == CT_OK && file && ferror(file))
		st = ct_fail(e, CT_ERR_IO, "%s: cannot be read", path.data);
	if (file)
		fclose(file);
	ct_buf_free(&path);
	return st;
}

/* The rows of our workloads, whatever the paper printed. */
static int make_ours(const struct ct_figure *f, const struct rep_run *run, struct ct_figure_rows *rows)
{
	struct ct_figure_workload *w = ct_calloc(run->n + 1, sizeof *w);
	if (!w)
		return CT_ERR_NOMEM;
	for (size_t i = 0; i < run->n; i++)
		w[i] = (struct ct_figure_workload){.name = run->w[i].name, .p = run->w[i].p};
	const struct ct_figure_run of_all = {.workload = w, .n = run->n};
	by_workload(f, &of_all, rows);
	if (f->make)
		f->make(&of_all, rows);
	free(w);
	return rows->failed ? CT_ERR_NOMEM : CT_OK;
}

int fg_make(const struct ct_figure *f, const char *folder, const struct rep_run *run,
            struct ct_figure_rows *rows, struct ct_error *e)
{
	memset(rows, 0, sizeof *rows);
	if (make_ours(f, run, rows) != CT_OK)
		return ct_fail_nomem(e);
	size_t ours = 0;
	for (size_t i = 0; i < rows->n; i++)
		ours += !rows->row[i].missing;
	if (ours == 0)
		return ct_fail(e, CT_ERR_INPUT, "%s: no profile has its data: %s", f->id, f->needs);
	int st = published(f, folder, rows, e);
	return st == CT_OK && rows->failed ? ct_fail_nomem(e) : st;
}

/* ---- TSV ---- */

static void tsv_text(struct ct_buf *b, const char *s)
{
	for (; *s; s++)
		ct_buf_putc(b, *s == '\t' || *s == '\n' ? ' ' : *s);
	ct_buf_putc(b, '\t');
}

void fg_tsv(const struct ct_figure *f, const struct ct_figure_rows *rows, struct ct_buf *b)
{
	ct_buf_puts(b, "figure\tpanel\tx\tseries\tvalue\tlow\thigh\tsource\n");
	for (size_t i = 0; i < rows->n; i++) {
		const struct ct_figure_row *r = &rows->row[i];
		if (r->missing)
			continue;
		tsv_text(b, f->id);
		tsv_text(b, r->panel);
		tsv_text(b, r->x);
		tsv_text(b, r->series);
		ct_buf_real(b, r->value);
		ct_buf_putc(b, '\t');
		ct_buf_real(b, r->low);
		ct_buf_putc(b, '\t');
		ct_buf_real(b, r->high);
		ct_buf_printf(b, "\t%s\n", r->paper ? "paper" : "here");
	}
}

/* ---- what is missing ---- */

/* Which of the two names the workload: the x, or the series where the x is none of it. */
static const char *who(const struct ct_figure_row *r)
{
	return *r->x ? r->x : r->series;
}

static int by_reason(const void *va, const void *vb)
{
	const struct ct_figure_row *a = *(const struct ct_figure_row *const *)va,
				   *b = *(const struct ct_figure_row *const *)vb;
	int c = strcmp(a->missing, b->missing);
	if (c == 0)
		c = strcmp(who(a), who(b));
	return c ? c : a < b ? -1 : 1;
}

static int by_place(const void *va, const void *vb)
{
	const struct ct_figure_row *a = *(const struct ct_figure_row *const *)va,
				   *b = *(const struct ct_figure_row *const *)vb;
	return a < b ? -1 : 1;
}

/* The rows that are missing, each name once per reason, in their order; how many. */
static size_t missing_names(const struct ct_figure_rows *rows, const struct ct_figure_row **r)
{
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].missing)
			r[n++] = &rows->row[i];
	qsort(r, n, sizeof(const struct ct_figure_row *), by_reason);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(r[i]->missing, r[kept - 1]->missing) ||
		    strcmp(who(r[i]), who(r[kept - 1])))
			r[kept++] = r[i];
	qsort(r, kept, sizeof(const struct ct_figure_row *), by_place);
	return kept;
}

int fg_tell_missing(const struct ct_figure *f, const struct ct_figure_rows *rows, size_t most,
                    struct ct_tool *t, struct ct_error *e)
{
	const struct ct_figure_row **r = ct_calloc(rows->n, sizeof(const struct ct_figure_row *));
	struct ct_buf names = {0}, *b = &names;
	if (!r)
		return ct_fail_nomem(e);
	/* One reason after another: those of its names are taken out of what is left. */
	for (size_t left = missing_names(rows, r); left > 0;) {
		const char *reason = r[0]->missing;
		size_t n = 0, others = 0;
		ct_buf_reset(b);
		for (size_t k = 0; k < left; k++)
			if (strcmp(r[k]->missing, reason) != 0)
				r[others++] = r[k];
			else if (n++ < most)
				ct_buf_printf(b, "%s%s", n > 1 ? ", " : "", who(r[k]));
		if (n > most)
			ct_buf_printf(b, " and %zu more", n - most);
		ct_tool_say(t, "%s: %s: %s", f->id, b->len ? b->data : "", reason);
		left = others;
	}
	int st = ct_buf_check(b, e);
	ct_buf_free(b);
	free(r);
	return st;
}

/* ---- SVG ---- */

static size_t position(const char **list, size_t *n, size_t most, const char *s)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(list[i], s) == 0)
			return i;
	if (*n == most)
		return most;
	list[*n] = s;
	return (*n)++;
}

struct drawing {
	const struct ct_figure *f;
	const struct ct_figure_rows *rows;
	const char *panel;
	struct ch_axes axes;
	char id[48], title[200], desc[300];
	size_t left; /* values that found no room */
};

/* Draws groups of bars, with the paper's values as ticks. What does not fit is counted, and stands in
 * the text only. */
static void draw_bars(struct drawing *d, struct ct_buf *b)
{
	const char *series[CH_SERIES_MAX], **group = ct_calloc(GROUPS_MAX, sizeof *group);
	struct ch_bar *bar = ct_calloc(GROUPS_MAX, sizeof *bar),
		      *paper = ct_calloc(GROUPS_MAX, sizeof *paper);
	size_t n_series = 0, n = 0, marks = 0;
	if (!group || !bar || !paper)
		b->failed = 1;
	for (size_t i = 0; i < GROUPS_MAX && !b->failed; i++)
		for (int k = 0; k < CH_SERIES_MAX; k++)
			bar[i].v[k] = paper[i].v[k] = NAN;
	for (size_t i = 0; i < d->rows->n && !b->failed; i++) {
		const struct ct_figure_row *r = &d->rows->row[i];
		if (strcmp(r->panel, d->panel) != 0 || r->missing)
			continue;
		size_t s = position(series, &n_series, CH_SERIES_MAX, r->series);
		size_t g = position(group, &n, GROUPS_MAX, r->x);
		if (s == CH_SERIES_MAX || g == GROUPS_MAX) {
			d->left++;
			continue;
		}
		bar[g].name = paper[g].name = r->x;
		(r->paper ? paper : bar)[g].v[s] = r->value;
		marks += (size_t)r->paper;
	}
	if (!b->failed)
		ch_bars(b, &d->axes, series, (unsigned)n_series, bar, n, marks ? paper : NULL,
		        d->f->drawing == CT_FIGURE_STACKED);
	free(group);
	free(bar);
	free(paper);
}

/* Curves of the first series that fit; the paper's are dashed. */
static void draw_lines(struct drawing *d, struct ct_buf *b)
{
	const char *name[2 * CH_SERIES_MAX];
	struct ch_line line[CH_SERIES_MAX] = {{0}};
	double *data = ct_calloc(2 * CH_SERIES_MAX * (d->rows->n + 1), sizeof *data);
	size_t n = 0;
	if (!data)
		b->failed = 1;
	for (size_t i = 0; i < d->rows->n && data; i++) {
		const struct ct_figure_row *r = &d->rows->row[i];
		double x;
		if (strcmp(r->panel, d->panel) != 0 || r->paper || r->missing ||
		    ct_parse_real(r->x, &x) < 0)
			continue;
		size_t s = position(name, &n, CH_SERIES_MAX, r->series);
		if (s == CH_SERIES_MAX) {
			d->left++;
			continue;
		}
		double *xs = data + 2 * s * (d->rows->n + 1), *ys = xs + d->rows->n + 1;
		line[s].name = name[s];
		line[s].x = xs;
		line[s].y = ys;
		xs[line[s].n] = x;
		ys[line[s].n++] = r->value;
	}
	if (data)
		ch_lines(b, &d->axes, line, n);
	free(data);
}

/* Of the widest panel: at most every name times every series of the whole figure. */
static double width_of(const struct ct_figure *f, const struct ct_figure_rows *rows, struct ct_buf *b)
{
	const char *series[CH_SERIES_MAX], **group = ct_calloc(GROUPS_MAX, sizeof *group);
	size_t n_series = 0, n = 0;
	if (!group)
		b->failed = 1;
	for (size_t i = 0; i < rows->n && group; i++) {
		if (rows->row[i].missing)
			continue;
		position(series, &n_series, CH_SERIES_MAX, rows->row[i].series);
		position(group, &n, GROUPS_MAX, rows->row[i].x);
	}
	free(group);
	return ch_bars_width(n, (unsigned)n_series, f->drawing == CT_FIGURE_STACKED);
}

size_t fg_svg(const struct ct_figure *f, const struct ct_figure_rows *rows, struct ct_buf *b)
{
	const char *panel[PANELS_MAX];
	size_t n = 0, left = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (!rows->row[i].missing)
			position(panel, &n, PANELS_MAX, rows->row[i].panel);
	double width = f->drawing == CT_FIGURE_LINES ? 400 : width_of(f, rows, b);
	double height = CH_HEIGHT_MAX * (double)n + 40;
	ct_buf_printf(
		b,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
		"height=\"%.0f\" role=\"img\"><title>",
		width, height, 1.5 * width, 1.5 * height);
	ct_escape_markup(b, f->title);
	ct_buf_puts(b, "</title><desc>Ticks across or beside bars are the paper's own values.</desc>");
	ch_style(b);
	ct_buf_puts(
		b,
		"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/><text class=\"axis\" x=\"2\" y=\"14\">");
	ct_escape_markup(b, f->title);
	ct_buf_puts(b, "</text>");
	if (rows->row[rows->n - 1].paper)
		ct_buf_printf(
			b,
			"<path class=\"paper\" d=\"M2 %.0fh12\"/><text class=\"tick\" x=\"18\" y=\"%.0f\">"
			"the paper's value</text>",
			height - 12, height - 9);
	for (size_t i = 0; i < n; i++) {
		struct drawing d = {.f = f, .rows = rows, .panel = panel[i]};
		snprintf(d.id, sizeof d.id, "p%zu", i);
		snprintf(d.title, sizeof d.title, "%.150s%s%s", f->title, *panel[i] ? ", " : "",
		         panel[i]);
		snprintf(d.desc, sizeof d.desc, "%.100s by %.100s.", f->y, f->x);
		d.axes = (struct ch_axes){
			.id = d.id,
			.title = d.title,
			.desc = d.desc,
			.x = f->x,
			.y = *panel[i] ? panel[i] : f->y,
			.percent_y = f->percent_y,
			.log_x = f->log_x,
			.mark_x = NAN,
			.nested = 1,
			.top = 24 + CH_HEIGHT_MAX * (double)i};
		if (f->drawing == CT_FIGURE_LINES)
			draw_lines(&d, b);
		else
			draw_bars(&d, b);
		left += d.left;
	}
	ct_buf_puts(b, "</svg>\n");
	return left;
}

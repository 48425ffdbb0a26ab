#include "report/out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/table.h"
#include "common/terminal.h"

/* ---- shared ---- */

void rep_speedup_text(double v, char out[32])
{
	if (isnan(v))
		snprintf(out, 32, "-");
	else
		snprintf(out, 32, "%.*f", v < 9.995 ? 2 : 1, v);
}

void rep_count(const struct rep_run *run, unsigned m, size_t count[4])
{
	memset(count, 0, 4 * sizeof *count);
	for (size_t i = 0; i < run->n; i++)
		count[run->w[i].v[m].word]++;
}

/* ---- for a terminal ---- */

/* The thresholds and their results, for a terminal. */
static void check_rows(const struct rep_report *r, struct ct_buf *b)
{
	char why[320];
	if (!r->checks.n)
		return;
	ct_buf_putc(b, '\n');
	for (size_t i = 0; i < r->checks.n; i++) {
		const struct rep_check *c = &r->checks.check[i];
		rep_check_why(c, why, sizeof why);
		ct_buf_printf(b, "%s  %s: %s\n",
		              c->skipped  ? "skipped"
		              : c->passed ? "passed "
		                          : "FAILED ",
		              ct_require_text(c->r), why);
	}
}

const struct rep_workload *
rep_next_part(const struct rep_report *r, size_t *i, const char **run, char part[REP_PART_TEXT])
{
	const size_t all = r->run.n + (r->compared ? r->old.n : 0);
	while (*i < all) {
		const size_t k = (*i)++;
		const struct rep_workload *w = k < r->run.n ? &r->run.w[k] : &r->old.w[k - r->run.n];
		*run = k < r->run.n ? "" : " (old run)";
		if (rep_part(w, part, REP_PART_TEXT) != REP_WHOLE)
			return w;
	}
	return NULL;
}

static void part_rows(const struct rep_report *r, struct ct_buf *b)
{
	enum { SHOWN = 20 };
	char part[REP_PART_TEXT];
	const char *run;
	const struct rep_workload *w;
	size_t n = 0;
	for (size_t i = 0; (w = rep_next_part(r, &i, &run, part));)
		if (++n <= SHOWN)
			ct_buf_printf(b, "%s%s%s: %s\n", n == 1 ? "\n" : "", w->name, run, part);
	if (n > SHOWN)
		ct_buf_printf(b, "and %zu more are of parts of their traces\n", n - SHOWN);
}

static void change_row(struct ct_table *t, const struct rep_change *x)
{
	char percent[32];
	ct_table_name(t, x->w->name);
	ct_table_cell(t, "%s", x->what);
	if (x->word_before) {
		ct_table_cell(t, "%s", x->word_before);
		ct_table_cell(t, "%s", x->word_after);
	} else {
		ct_table_real(t, x->before);
		ct_table_real(t, x->after);
	}
	ct_table_cell(t, "%s", rep_change_percent(x, percent) ? percent : "-");
}

/* The changes of one way, the largest first. */
static void changes_of(const struct rep_change *x, size_t n, enum rep_way way, struct ct_buf *b)
{
	enum { SHOWN = 15 };
	static const char *const head[] = {"workload", "value", "old", "new", "change"};
	struct ct_table t = {.columns = 5, .style = ct_terminal_style()};
	if (!n)
		return;
	ct_buf_printf(b, "\n%s (%zu)\n", rep_way_name(way), n);
	ct_table_heads(&t, head);
	for (size_t i = 0; i < n && i < SHOWN; i++)
		change_row(&t, &x[i]);
	ct_table_render(&t, b);
	if (n > SHOWN)
		ct_buf_printf(b, "and %zu smaller ones\n", n - SHOWN);
}

/* A line for each name, which may hold any characters. */
static void names_of(struct ct_buf *b, const char *what, const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ct_buf_puts(b, what);
		ct_escape_field(b, name[i]);
		ct_buf_puts(b, "\n");
	}
}

static void change_rows(const struct rep_report *r, struct ct_buf *b)
{
	const struct rep_changes *c = &r->changes;
	if (!r->compared)
		return;
	ct_buf_printf(b, "\n%zu value%s changed, %zu of %zu workloads are the same\n", c->n,
	              c->n == 1 ? "" : "s", c->same, r->run.n);
	names_of(b, "only in the old run: ", c->only_old, c->n_old);
	names_of(b, "only in the new run: ", c->only_new, c->n_new);
	size_t at = 0;
	for (int way = 0; c->n && way < REP_WAYS; at += c->n_way[way++])
		changes_of(c->change + at, c->n_way[way], (enum rep_way)way, b);
}

/* Why verdicts are unknown, since the reason says what to do. The first few will do: many workloads share a reason. */
static void unknown_rows(const struct rep_report *r, struct ct_buf *b)
{
	enum { SHOWN = 8 };
	size_t n = 0;
	for (size_t i = 0; i < r->run.n; i++)
		for (unsigned m = 0; rep_next_shown(&r->run, &m); m++) {
			const struct rep_workload *w = &r->run.w[i];
			if (w->v[m].word != CT_UNKNOWN || n++ >= SHOWN)
				continue;
			ct_buf_puts(b, n == 1 ? "\nunknown  " : "unknown  ");
			ct_escape_field(b, w->name);
			ct_buf_printf(b, ", %s: ", ct_mechanism_at(m)->name);
			ct_escape_field(b, w->v[m].reason);
			ct_buf_puts(b, "\n");
		}
	if (n > SHOWN)
		ct_buf_printf(b, "unknown  and %zu more: --csv has all reasons\n", n - SHOWN);
}

void rep_table(const struct rep_report *r, struct ct_buf *b)
{
	struct ct_table t = {.columns = 1, .style = ct_terminal_style()};
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
		t.columns++;
	ct_table_cell(&t, "workload");
	for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
		ct_table_cell(&t, "%s", ct_mechanism_at(m)->name);
	for (size_t i = 0; i < r->run.n; i++) {
		const struct rep_workload *w = &r->run.w[i];
		ct_table_name(&t, w->name);
		for (unsigned m = 0; rep_next_shown(&r->run, &m); m++) {
			char s[32];
			rep_speedup_text(w->v[m].speedup, s);
			ct_table_cell(&t, "%s%s%s", ct_verdict_word(w->v[m].word), *s == '-' ? "" : " ",
			              *s == '-' ? "" : s);
		}
	}
	ct_table_render(&t, b);
	ct_buf_puts(b, "\nSpeed-ups are over the GPU as configured.\n");
	unknown_rows(r, b);
	part_rows(r, b);
	check_rows(r, b);
	change_rows(r, b);
}

/* ---- JUnit ---- */

static void put_failures(const struct rep_check *c, struct ct_buf *b)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct rep_finding *f = &c->finding[i];
		if (f->outcome != CT_REQUIRE_FAILED && f->outcome != CT_REQUIRE_ABSENT)
			continue;
		ct_escape_markup(b, f->w->name);
		ct_buf_puts(b, ": ");
		ct_escape_markup(b, f->why);
		ct_buf_putc(b, '\n');
	}
}

/* What holds may hold for a part only. */
static void xml_parts(const struct rep_report *r, struct ct_buf *b)
{
	char part[REP_PART_TEXT];
	const char *run;
	const struct rep_workload *w;
	size_t n = 0;
	for (size_t i = 0; (w = rep_next_part(r, &i, &run, part));) {
		ct_buf_puts(b, n++ ? "" : "<system-out>");
		ct_escape_markup(b, w->name);
		ct_buf_printf(b, "%s: %s\n", run, part);
	}
	ct_buf_puts(b, n ? "</system-out>\n" : "");
}

/* The form that Jenkins and GitLab read: testsuites, testsuite, testcase. */
void rep_junit(const struct rep_report *r, struct ct_buf *b)
{
	const struct rep_checks *c = &r->checks;
	char why[320];
	ct_buf_puts(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	ct_buf_printf(b, "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"0\">\n", c->n,
	              c->failed);
	ct_buf_printf(b,
	              "<testsuite name=\"cachetriage\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
	              "skipped=\"%zu\" time=\"0\">\n",
	              c->n, c->failed, c->skipped);
	for (size_t i = 0; i < c->n; i++) {
		const struct rep_check *k = &c->check[i];
		rep_check_why(k, why, sizeof why);
		ct_buf_puts(b, "<testcase classname=\"cachetriage.thresholds\" name=\"");
		ct_escape_markup(b, ct_require_text(k->r));
		ct_buf_puts(b, "\" time=\"0\"");
		if (k->passed) {
			ct_buf_puts(b, "/>\n");
			continue;
		}
		ct_buf_puts(b, k->skipped ? "><skipped message=\""
		                          : "><failure type=\"threshold\" message=\"");
		ct_escape_markup(b, why);
		ct_buf_puts(b, k->skipped ? "\"/>" : "\">");
		if (!k->skipped) {
			put_failures(k, b);
			ct_buf_puts(b, "</failure>");
		}
		ct_buf_puts(b, "</testcase>\n");
	}
	xml_parts(r, b);
	ct_buf_puts(b, "</testsuite>\n</testsuites>\n");
}

/* ---- CSV ---- */

static void csv_text(struct ct_buf *b, const char *s)
{
	if (!s[strcspn(s, ",\"\r\n")]) {
		ct_buf_puts(b, s);
		return;
	}
	ct_buf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			ct_buf_putc(b, '"');
		ct_buf_putc(b, *s);
	}
	ct_buf_putc(b, '"');
}

static void csv_row(struct ct_buf *b, const char *const f[], int n)
{
	for (int i = 0; i < n; i++) {
		if (i)
			ct_buf_putc(b, ',');
		csv_text(b, f[i]);
	}
	ct_buf_puts(b, "\r\n");
}

/* A verdict as a line of CSV. */
static void csv_verdict(struct ct_buf *b, const struct rep_workload *w, unsigned m)
{
	const struct ct_verdict *v = &w->v[m];
	csv_text(b, w->name);
	ct_buf_puts(b, ",verdict,all,");
	csv_text(b, ct_mechanism_at(m)->name);
	ct_buf_printf(b, ",%s,speedup_configured,", ct_mechanism_at(m)->judged);
	ct_buf_real(b, v->speedup);
	ct_buf_puts(b, ",ratio,,");
	ct_buf_real(b, v->low);
	ct_buf_putc(b, ',');
	ct_buf_real(b, v->high);
	ct_buf_printf(b, ",%s,", ct_verdict_word(v->word));
	csv_text(b, v->reason);
	ct_buf_puts(b, "\r\n");
}

void rep_csv(const struct rep_report *r, struct ct_buf *b)
{
	ct_buf_puts(b, "workload,kind,scope,mechanism,system,metric,value,unit,method,low,high,verdict,"
	               "reason\r\n");
	for (size_t i = 0; i < r->run.n; i++) {
		const struct rep_workload *w = &r->run.w[i];
		const struct ct_record *x;
		for (unsigned m = 0; rep_next_shown(&r->run, &m); m++)
			csv_verdict(b, w, m);
		for (size_t k = 0; (x = ct_profile_next(w->p, "SN", &k));)
			if (x->nfields >= 5) {
				const char *f[] = {w->name,     "summary",   x->field[0], "",
				                   "",          x->field[1], x->field[2], x->field[3],
				                   x->field[4], "",          "",          "",
				                   ""};
				csv_row(b, f, 13);
			}
		for (size_t k = 0; (x = ct_profile_next(w->p, "ES", &k));)
			if (x->nfields >= 9) {
				const char *f[] = {w->name,     "estimate",  x->field[0], x->field[1],
				                   x->field[2], x->field[3], x->field[4], x->field[5],
				                   x->field[6], x->field[7], x->field[8], "",
				                   ""};
				csv_row(b, f, 13);
			}
	}
}

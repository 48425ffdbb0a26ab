/* print.c - the points as a table, CSV or SW records, and what is to be told of those that failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/table.h"
#include "common/terminal.h"
#include "sweep/sweep.h"

/* A line of a point, in parts; of one that failed all after the system are NA. */
enum part { MECHANISM, SYSTEM, METRIC, VALUE, UNIT, METHOD, LOW, HIGH, PARTS };
struct row {
	const struct sw_input *input;
	size_t point;
	char *part[PARTS];
	const char *why; /* it failed; else NULL */
};

struct printer {
	struct ct_tool *t;
	const struct sw_own *o;
	struct ct_buf *b;
	struct ct_profile *p;
	struct ct_table *table;
	struct ct_error *e;
	int status;
};

/* ---- rows ---- */

static char na[] = "NA";

static void fail_row(struct row *r, const char *why)
{
	for (unsigned i = METRIC; i < PARTS; i++)
		r->part[i] = na;
	r->why = why;
}

/* The parts of a line behind its letter, which tabs divide. */
static void split_line(char *line, char **part, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		part[i] = line;
		line += strcspn(line, i + 1 < n ? "\t" : "");
		if (*line)
			*line++ = '\0';
	}
}

/* Calls fn for the rows of a point in the order of its systems. Fails with CT_ERR_NOMEM. */
static int each_row_of_text(const struct row *like, const char *text,
                            void (*fn)(struct printer *, const struct row *), struct printer *p)
{
	char *copy = ct_strndup(text, strlen(text)), *next;
	if (!copy)
		return ct_fail_nomem(p->e);
	for (char *line = copy; *line; line = next) {
		struct row r = *like;
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (*line == 'R') {
			split_line(line + 2, r.part, PARTS);
			fn(p, &r);
		} else if (*line == 'E') {
			split_line(line + 2, r.part, METRIC + 1);
			fail_row(&r, r.part[METRIC]);
			fn(p, &r);
		}
	}
	free(copy);
	return CT_OK;
}

static int each_row(struct printer *p, void (*fn)(struct printer *, const struct row *))
{
	static const char late[] = "not reached within --budget";
	int st = CT_OK;
	for (size_t i = 0; i < p->o->n_inputs; i++)
		for (size_t k = 0; st == CT_OK && k < p->o->points; k++) {
			const struct sw_input *in = &p->o->input[i];
			struct row r = {.input = in, .point = k};
			if (in->result[k].text) {
				st = each_row_of_text(&r, in->result[k].text, fn, p);
				continue;
			}
			for (unsigned s = 0; s < p->o->n_systems; s++) {
				r.part[MECHANISM] = (char *)sw_mechanism_name(&p->o->system[s]);
				r.part[SYSTEM] = (char *)sw_system_name(&p->o->system[s]);
				fail_row(&r, in->error ? in->error : late);
				fn(p, &r);
			}
		}
	return st == CT_OK ? p->status : st;
}

/* ---- CSV ---- */

static void csv_row(struct printer *p, const struct row *r)
{
	struct ct_buf *b = p->b;
	ct_escape_csv(b, r->input->name);
	ct_buf_printf(b, ",%s,%s,", r->part[MECHANISM], r->part[SYSTEM]);
	sw_values(p->o, r->point, ',', b);
	for (unsigned i = METRIC; i < PARTS; i++)
		ct_buf_printf(b, ",%s", r->part[i]);
	ct_buf_puts(b, "\r\n");
}

static int print_csv(struct printer *p)
{
	struct ct_buf b = {0};
	p->b = &b;
	ct_buf_puts(&b, "workload,mechanism,system,");
	sw_keys(p->o, &b);
	ct_buf_puts(&b, ",metric,value,unit,method,low,high\r\n");
	int st = each_row(p, csv_row);
	if (st == CT_OK)
		st = ct_buf_check(&b, p->e);
	if (st == CT_OK)
		st = ct_tool_emit_text(p->t, &b, p->e);
	ct_buf_free(&b);
	return st;
}

/* ---- records ---- */

static void record_row(struct printer *p, const struct row *r)
{
	struct ct_buf scope = {0}, keys = {0}, values = {0};
	if (p->o->n_inputs == 1)
		ct_buf_puts(&scope, "all");
	else
		ct_buf_printf(&scope, "workload:%s", r->input->name);
	sw_keys(p->o, &keys);
	sw_values(p->o, r->point, ',', &values);
	const char *const f[] = {scope.data,      r->part[MECHANISM], r->part[SYSTEM], keys.data,
	                         values.data,     r->part[METRIC],    r->part[VALUE],  r->part[UNIT],
	                         r->part[METHOD], r->part[LOW],       r->part[HIGH]};
	if (scope.failed || keys.failed || values.failed)
		p->status = ct_fail_nomem(p->e);
	if (p->status == CT_OK)
		p->status = ct_profile_put(p->p, "SW", sizeof f / sizeof f[0], f, p->e);
	ct_buf_free(&scope);
	ct_buf_free(&keys);
	ct_buf_free(&values);
}

/* ---- for people ---- */

/* What stands in front of a row's numbers. */
static void table_point(struct printer *p, const struct row *r)
{
	if (p->o->n_inputs > 1)
		ct_table_name(p->table, r->input->name);
	for (unsigned i = 0; i < p->o->n_dimensions; i++)
		ct_table_cell(p->table, "%s", sw_value(p->o, r->point, i));
	ct_table_cell(p->table, "%s", r->part[SYSTEM]);
}

static void table_range(struct ct_table *t, const struct row *r)
{
	if (r->why || !strcmp(r->part[LOW], "NA"))
		ct_table_cell(t, "%s", "");
	else
		ct_table_cell(t, "%.4g..%.4g", strtod(r->part[LOW], NULL), strtod(r->part[HIGH], NULL));
}

/* Where --metric names some, each has its row. */
static void metric_row(struct printer *p, const struct row *r)
{
	struct ct_table *t = p->table;
	table_point(p, r);
	ct_table_cell(t, "%s", r->part[METRIC]);
	ct_table_cell(t, "%s", r->part[VALUE]);
	ct_table_cell(t, "%s", r->part[UNIT]);
	table_range(t, r);
	ct_table_cell(t, "%s", r->part[METHOD]);
}

/* Else tables show what a system gains, and of the GPU as configured the cycles. */
static void table_row(struct printer *p, const struct row *r)
{
	struct ct_table *t = p->table;
	int gains = !strcmp(r->part[METRIC], "speedup_configured"), failed = r->why != NULL;
	int cycles = !strcmp(r->part[MECHANISM], "baseline") && !strcmp(r->part[METRIC], "cycles");
	if (!gains && !cycles && !failed)
		return;
	table_point(p, r);
	ct_table_cell(t, "%s", cycles ? r->part[VALUE] : "");
	if (gains && strcmp(r->part[VALUE], "NA") != 0) {
		ct_table_cell(t, "%.3f", strtod(r->part[VALUE], NULL));
		ct_table_cell(t, "%.3f..%.3f", strtod(r->part[LOW], NULL), strtod(r->part[HIGH], NULL));
	} else {
		ct_table_cell(t, "%s", failed || gains ? "NA" : "");
		ct_table_cell(t, "%s", "");
	}
	ct_table_cell(t, "%s", r->part[METHOD]);
}

static int print_table(struct ct_tool *t, const struct ct_profile *none, struct ct_buf *b,
                       struct ct_error *e)
{
	static const char *const gains[] = {"cycles", "speed-up", "range", "method", NULL},
				 *const metrics[] = {"metric", "value", "unit", "range", "method", NULL};
	const struct sw_own *o = t->own;
	const char *const *heads = o->n_metrics ? metrics : gains;
	int names = o->n_inputs > 1;
	struct ct_table table = {.columns = o->n_dimensions + (unsigned)names + (o->n_metrics ? 6 : 5),
	                         .style = ct_terminal_style()};
	struct printer p = {.t = t, .o = o, .table = &table, .e = e};
	(void)none;
	if (names)
		ct_table_cell(&table, "workload");
	for (unsigned i = 0; i < o->n_dimensions; i++)
		ct_table_cell(&table, "%s", o->dimension[i].key);
	ct_table_cell(&table, "system");
	for (size_t i = 0; heads[i]; i++)
		ct_table_cell(&table, "%s", heads[i]);
	int st = each_row(&p, o->n_metrics ? metric_row : table_row);
	ct_table_render(&table, b);
	return st == CT_OK ? ct_buf_check(b, e) : st;
}

/* ---- all ---- */

int sw_prints_profile(const struct ct_tool *t)
{
	return t->output == CT_OUTPUT_PROFILE || t->output == CT_OUTPUT_JSON;
}

int sw_print(struct ct_tool *t, struct ct_error *e)
{
	const struct sw_own *o = t->own;
	struct printer p = {.t = t, .o = o, .e = e};
	if (t->output == CT_OUTPUT_OTHER)
		return print_csv(&p);
	struct ct_profile *own = o->n_inputs == 1 && o->input[0].p ? NULL : ct_tool_profile(e);
	p.p = own ? own : o->input[0].p;
	int st = p.p ? ct_tool_provenance(t, p.p, e) : CT_ERR_NOMEM;
	if (st == CT_OK && sw_prints_profile(t))
		st = each_row(&p, record_row);
	if (st == CT_OK)
		st = ct_tool_emit(t, p.p, print_table, e);
	ct_profile_free(own);
	return st;
}

/* ---- failures ---- */

enum { REASONS_MAX = 64 };

/* A reason, and the points of an input that it was met at. */
struct reason {
	char *text; /* owned */
	size_t first, last, points;
};

struct failures {
	struct printer p; /* the first, so that it leads here */
	size_t points;    /* that failed */
	const struct sw_input *input;
	size_t last; /* point that failed */
	struct reason reason[REASONS_MAX];
	unsigned n;
};

/* Tells each reason of an input with the first point that it was met at, and forgets them. */
static void tell_reasons(struct failures *f)
{
	const struct sw_own *o = f->p.o;
	for (unsigned k = 0; k < f->n; k++) {
		struct reason *r = &f->reason[k];
		struct ct_buf b = {0};
		for (unsigned i = 0; i < o->n_dimensions; i++)
			ct_buf_printf(&b, " %s=%s", o->dimension[i].key, sw_value(o, r->first, i));
		if (r->points > 1)
			ct_buf_printf(&b, " and %zu more", r->points - 1);
		ct_tool_say(f->p.t, "%s%s: %s", f->input->name, b.len ? b.data : "", r->text);
		ct_buf_free(&b);
		free(r->text);
	}
	f->n = 0;
}

/* A reason counts once for a point, whatever the systems that it keeps from an answer. Of an input that cannot be read, and
 * of the budget, is told elsewhere. */
static void tell_row(struct printer *p, const struct row *r)
{
	struct failures *f = (struct failures *)(void *)p;
	unsigned k = 0;
	if (!r->why)
		return;
	if (f->input != r->input)
		tell_reasons(f);
	f->points += f->input != r->input || f->last != r->point;
	f->input = r->input;
	f->last = r->point;
	if (!r->input->result[r->point].text)
		return;
	while (k < f->n && strcmp(f->reason[k].text, r->why) != 0)
		k++;
	if (k == f->n) {
		if (f->n == REASONS_MAX)
			tell_reasons(f);
		k = f->n;
		f->reason[k] = (struct reason){.first = r->point, .points = 1, .last = r->point};
		if ((f->reason[k].text = ct_strndup(r->why, strlen(r->why))))
			f->n++;
		else
			p->status = ct_fail_nomem(p->e);
	} else if (f->reason[k].last != r->point) {
		f->reason[k].points++;
		f->reason[k].last = r->point;
	}
}

/* Warnings of several points are told once. */
static void tell_warnings(struct ct_tool *t, const char *text)
{
	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		size_t n = strcspn(at, "\n");
		struct ct_buf line = {0};
		if (*at != 'W' || n < 2)
			continue;
		ct_buf_printf(&line, "%.*s\n", (int)(n - 2), at + 2);
		if (line.len && !(t->warnings.len && strstr(t->warnings.data, line.data)))
			ct_buf_add(&t->warnings, line.data, line.len);
		ct_buf_free(&line);
	}
}

size_t sw_tell_failures(struct ct_tool *t)
{
	struct sw_own *o = t->own;
	struct ct_error e = {0};
	struct failures f = {.p = {.t = t, .o = o, .e = &e}};
	for (size_t i = 0; i < o->n_inputs; i++) {
		const struct sw_input *in = &o->input[i];
		for (size_t k = 0; k < o->points; k++)
			tell_warnings(t, in->result[k].text);
		if (in->error)
			ct_tool_say(t, "%s%s%s", strstr(in->error, in->path) ? "" : in->path,
			            strstr(in->error, in->path) ? "" : ": ", in->error);
	}
	if (each_row(&f.p, tell_row) != CT_OK)
		ct_tool_say(t, "%s", e.text);
	tell_reasons(&f);
	if (o->late)
		ct_tool_say(
			t, "%zu points were not reached within --budget: %s", o->late,
			o->resume ? "run it again to go on"
				  : "with --resume FILE another run would go on where this one stopped");
	return f.points;
}

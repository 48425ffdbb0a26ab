/* show.c - the tables for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "models/common/published.h"
#include "models/malekeh/run.h"
#include "models/verdict/cell.h"

static double metric_of(const struct ct_profile *p, const char *system, const char *metric,
                        const char *method, struct ct_estimate *es)
{
	struct ct_estimate own;
	es = es ? es : &own;
	return ct_profile_get_estimate(p, "all", MK_MECHANISM, system, metric, method, es)
	               ? es->value
	               : NAN;
}

/* A number, "-" where there is none. */
static void optional_cell(struct ct_table *table, int decimals, double v)
{
	if (isnan(v))
		ct_table_cell(table, "-");
	else
		ct_table_cell(table, "%.*f", decimals, v);
}

/* Why a system gains or does not, from what kept its schedulers from issuing. */
static void row_why(const struct ct_profile *p, const char *s, char *out, size_t n)
{
	double stall = metric_of(p, s, "issue_stall_fraction", "replay", NULL);
	double base = metric_of(p, "OCU", "issue_stall_fraction", "replay", NULL);
	double pending = metric_of(p, s, "pending_ready_fraction", "replay", NULL);
	double idle = metric_of(p, s, "no_ready_fraction", "replay", NULL);
	if (pending > 0.05)
		snprintf(out, n, "ready warps outside the active set in %.0f %% of the cycles",
		         100 * pending);
	else if (idle > 0.7)
		snprintf(out, n, "no warp is ready in %.0f %% of the cycles", 100 * idle);
	else if (stall > base + 0.02)
		snprintf(out, n, "more issue stalls: %.0f %%, OCU %.0f %%", 100 * stall, 100 * base);
	else if (stall < base - 0.02)
		snprintf(out, n, "fewer issue stalls: %.0f %%, OCU %.0f %%", 100 * stall, 100 * base);
	else
		snprintf(out, n, "as many issue stalls: %.0f %%", 100 * stall);
}

/* A system that was not replayed has no row. */
static void replayed_row(struct ct_table *table, const struct ct_profile *p, const char *system)
{
	struct ct_estimate es;
	char text[96];
	double speedup = metric_of(p, system, "speedup", "replay", &es);
	if (isnan(speedup))
		return;
	ct_table_cell(table, "%s", system);
	optional_cell(table, 0, metric_of(p, system, "storage_bytes", NULL, NULL));
	ct_table_percent(table, metric_of(p, system, "rf_hit_ratio", "replay", NULL));
	ct_table_percent(table, metric_of(p, system, "rf_bank_reads_ratio", "replay", NULL));
	ct_table_percent(table, metric_of(p, system, "rf_energy_ratio", "replay", NULL));
	ct_table_percent(table, metric_of(p, system, "rf_cache_writes_ratio", "replay", NULL));
	const struct ct_mechanism_number x = {speedup, es.low, es.high};
	ct_verdict_speedup_cells(table, p, MK_MECHANISM, &x, es.method, strcmp(system, "OCU") == 0);
	row_why(p, system, text, sizeof text);
	ct_table_cell(table, "%s", text);
}

/* The systems as they were replayed, and what Malekeh's registers take in energy. */
static void replayed_table(const struct ct_profile *p, const struct ct_table_style *style,
                           struct ct_buf *b)
{
	static const char *const head[] = {
		"system",       "added/SM", "hit ratio", "bank reads", "energy",
		"cache writes", "over OCU", "range",     "why"};
	static const unsigned char rank[] = {0, 5, 2, 4, 3, 6, 0, 1, 0};
	struct ct_table table = {.columns = 9, .style = style, .rank = rank};
	const struct ct_mk_system *s;
	ct_table_heads(&table, head);
	for (size_t i = 0; (s = ct_mk_system_at(i)); i++)
		replayed_row(&table, p, s->name);
	ct_table_render(&table, b);
	double energy = metric_of(p, "Malekeh", "rf_energy_ratio", "replay", NULL);
	if (!isnan(energy)) /* else no register is read or written */
		ct_buf_printf(b, "\nenergy: Malekeh's registers take %.0f %% of what OCU's take\n",
		              100 * energy);
}

/* Bounds, and where both are there how far apart they are. */
static void bounds_table(const struct ct_profile *p, const struct ct_table_style *style,
                         struct ct_buf *b)
{
	static const char *const head[] = {
		"system", "distinct hits at most", "analytic", "replayed", "difference"};
	struct ct_table table = {.columns = 5, .style = style};
	ct_table_heads(&table, head);
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		const char *s = ct_mk_system_at(i)->name;
		struct ct_estimate es = {.high = NAN};
		double a = metric_of(p, s, "rf_hit_ratio_distinct", "analytic", &es);
		double r = metric_of(p, s, "rf_hit_ratio_distinct", "replay", NULL);
		ct_table_cell(&table, "%s", s);
		ct_table_percent(&table, es.high);
		ct_table_percent(&table, a);
		ct_table_percent(&table, r);
		ct_table_percent(&table, r - a);
	}
	ct_table_render(&table, b);
}

/* The full engine beside the sub-core model. */
static void engines_table(const struct mk_run *own, const struct ct_table_style *style, struct ct_buf *b)
{
	static const char *const head[] = {"system",         "cycles",       "over OCU, engine",
	                                   "sub-core model", "hits, engine", "sub-core model"};
	struct ct_table table = {.columns = 6, .style = style};
	ct_table_heads(&table, head);
	for (unsigned i = 0; i < own->engines; i++) {
		const struct mk_engine_row *r = &own->engine[i];
		const struct mk_engine_row *m = &own->model[ct_mk_system_find(r->system)];
		ct_table_cell(&table, "%s", r->system);
		ct_table_cell(&table, "%.0f", r->cycles);
		optional_cell(&table, 3, r->speedup);
		optional_cell(&table, 3, m->speedup);
		ct_table_percent(&table, r->hit);
		ct_table_percent(&table, m->hit);
	}
	ct_buf_putc(b, '\n');
	ct_table_render(&table, b);
}

int mk_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
            struct ct_error *e)
{
	const struct mk_run *own = mk_run_of(run);
	int has_replay = !isnan(metric_of(run->p, "Malekeh", "speedup", "replay", NULL));
	if (has_replay)
		replayed_table(run->p, style, b);
	if (has_replay && run->check)
		ct_buf_putc(b, '\n');
	if (!has_replay || run->check)
		bounds_table(run->p, style, b);
	if (!has_replay)
		ct_buf_puts(
			b,
			"\nnote: bounds from register reuse distances only; the trace itself tells hits, "
			"energy and speed-up\n");
	if (own->engines)
		engines_table(own, style, b);
	return ct_buf_check(b, e);
}

/* ---- published numbers ---- */

static double replayed_value(const struct ct_profile *p, const char *system, const char *metric)
{
	return metric_of(p, system, metric, "replay", NULL);
}

/* Fields: result, application, system, against, metric, value, condition, where. Speed-ups here are against
 * OCU already. */
static void published_row(struct ct_table *table, const struct ct_profile *p,
                          const struct ct_published_row *r)
{
	const char *const *f = r->field;
	double here = replayed_value(p, f[2], f[4]);
	if (strcmp(f[3], "-") != 0 && strcmp(f[3], "OCU") != 0 && strcmp(f[3], "OCU-mono") != 0)
		here /= replayed_value(p, f[3], f[4]);
	for (int i = 2; i < 5; i++)
		ct_table_cell(table, "%s", f[i]);
	ct_table_cell(table, "%.6g", r->value);
	if (isnan(here))
		ct_table_cell(table, "-");
	else
		ct_table_cell(table, "%.6g", here);
	ct_table_cell(table, "%s%s%s: %s", f[1], *f[6] ? ", " : "", f[6], f[7]);
}

/* The paper's numbers for the workload that the trace's path names, and its means. */
int mk_show_published(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                      struct ct_buf *b, struct ct_error *e)
{
	static const char *const names[] = {"system", "against", "metric", "paper", "here", "where"};
	struct ct_table table = {.columns = 6, .style = style};
	struct ct_published pub;
	const struct ct_published_row *app;
	int st = ct_published_of_profile(&pub, run->data_dir, run->mechanism->folder, run->p, &app, e);
	if (st != CT_OK)
		return st;
	ct_table_heads(&table, names);
	for (size_t i = 0; i < pub.rows; i++) {
		const char *const *f = pub.row[i].field;
		if (!strcmp(f[0], "result") &&
		    (!strcmp(f[1], "mean") || (app && !strcmp(f[1], app->field[1]))))
			published_row(&table, run->p, &pub.row[i]);
	}
	ct_buf_puts(b, "\npublished:\n");
	ct_table_render(&table, b);
	ct_buf_puts(
		b,
		"They may differ because inputs, compilers and GPUs are others, because the paper runs a "
		"cycle-level simulator,\nand because its means are over all its applications. Nothing here "
		"is fitted to them.\n");
	ct_published_free(&pub);
	return ct_buf_check(b, e);
}

/* ---- overheads ---- */

int mk_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                      const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e)
{
	static const char *const head[] = {
		"system",      "values/SM, bytes", "added/SM, bytes", "of the registers, %",
		"of BOW's, %", "sub-core, bytes"};
	struct ct_table table = {.columns = 6, .style = style};
	const struct ct_mk_system *s, *bow = ct_mk_system_at((size_t)ct_mk_system_find("BOW"));
	(void)run;
	ct_table_heads(&table, head);
	for (size_t i = 0; (s = ct_mk_system_at(i)); i++) {
		double bytes = (double)ct_mk_cache_bytes(s, g), added = (double)ct_mk_added_bytes(s, g);
		ct_table_cell(&table, "%s", s->name);
		ct_table_cell(&table, "%.0f", bytes);
		ct_table_cell(&table, "%.0f", added);
		ct_table_cell(&table, "%.2f", 100 * added / (double)ct_gpu_register_bytes(g));
		ct_table_cell(&table, "%.1f", 100 * bytes / (double)ct_mk_cache_bytes(bow, g));
		ct_table_cell(&table, "%.0f", bytes / g->schedulers);
	}
	ct_table_render(&table, b);
	return ct_buf_check(b, e);
}

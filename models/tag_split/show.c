/* show.c - the tables for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "models/common/published.h"
#include "models/tag_split/run.h"
#include "models/verdict/cell.h"

/* A number, "-" where there is none. */
static void optional_cell(struct ct_table *table, int decimals, double v)
{
	if (isfinite(v))
		ct_table_cell(table, "%.*f", decimals, v);
	else
		ct_table_cell(table, "-");
}

/* What a method says of a system, or NaN. */
static double metric_by(const struct ct_profile *p, const char *system, const char *metric,
                        const char *method)
{
	struct ct_estimate es;
	if (ct_profile_get_estimate(p, "all", TS_MECHANISM, system, metric, method, &es))
		return es.value;
	return NAN;
}

static double speedup_by(const struct ct_profile *p, const char *system, const char *method)
{
	return metric_by(p, system, "speedup", method);
}

/* ---- the answer ---- */

/* Fills a system's row: what its L1s miss, its traffic relative to that of the first system, its storage, its speed-up,
 * and why. */
static void row_cells(struct ct_table *table, const struct ct_ts_answer *a, const struct ct_profile *p,
                      const struct ct_ts_row *r)
{
	const struct ct_ts_measured *b = &a->row[0].x;
	char why[160];
	ct_table_cell(table, "%s", r->system->name);
	ct_table_percent(table, r->x.inst_miss_rate);
	optional_cell(table, 2, r->x.mpki);
	ct_table_percent(table, r->l1_miss_rate);
	optional_cell(table, 2, r->l1_mpki);
	optional_cell(table, 2, r->x.to_l2 / b->to_l2);
	optional_cell(table, 2, r->x.to_l1 / b->to_l1);
	optional_cell(table, 0, r->x.storage);
	ct_verdict_speedup_cells(table, p, TS_MECHANISM, &r->speedup, "analytic", r == &a->row[0]);
	ct_ts_row_why(a, r, why, sizeof why);
	ct_table_cell(table, "%s", why);
}

static void answer_table(const struct ct_ts_answer *a, const struct ct_profile *p,
                         const struct ct_table_style *style, struct ct_buf *b)
{
	static const char *const names[] = {
		"system",         "load misses",  "request MPKI", "L1 sector misses",
		"L1 sector MPKI", "L1->L2 bytes", "L2->L1 bytes", "bytes/L1",
		"over 128B",      "range",        "why"};
	static const unsigned char rank[] = {0, 2, 6, 3, 7, 5, 4, 8, 0, 1, 0};
	struct ct_table table = {
		.columns = sizeof names / sizeof names[0], .style = style, .rank = rank};
	ct_table_heads(&table, names);
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++)
		if (a->systems >> i & 1)
			row_cells(&table, a, p, &a->row[i]);
	ct_table_render(&table, b);
}

/* The speed-ups by both methods, and how far they are apart. */
static void check_table(const struct ct_ts_answer *a, const struct ct_profile *p,
                        const struct ct_table_style *style, struct ct_buf *b)
{
	static const char *const names[] = {"system", "analytic", "replay", "difference"};
	struct ct_table table = {.columns = 4, .style = style};
	ct_table_heads(&table, names);
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		if (!(a->systems >> i & 1))
			continue;
		double replay = speedup_by(p, a->row[i].system->name, "replay");
		ct_table_cell(&table, "%s", a->row[i].system->name);
		ct_table_cell(&table, "%.3f", a->row[i].speedup.value);
		optional_cell(&table, 3, replay);
		ct_table_percent(&table, a->row[i].speedup.value / replay - 1);
	}
	ct_buf_puts(b, "\nspeed-up over 128B by both methods:\n");
	ct_table_render(&table, b);
}

/* Misses of load requests in both readings of a partial miss, as replayed, and each over that of 128B. */
static void partial_table(const struct ct_ts_answer *a, const struct ct_profile *p,
                          const struct ct_table_style *style, struct ct_buf *b)
{
	static const char *const names[] = {
		"system", "request MPKI", "over 128B", "MSHR entry MPKI", "over 128B"};
	static const char *const metric[] = {"l1_sent_mpki", "l1_entry_mpki"};
	struct ct_table table = {.columns = 5, .style = style};
	if (isnan(metric_by(p, "128B", metric[0], "replay")))
		return;
	ct_table_heads(&table, names);
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		if (!(a->systems >> i & 1))
			continue;
		ct_table_cell(&table, "%s", a->row[i].system->name);
		for (size_t k = 0; k < 2; k++) {
			double own = metric_by(p, a->row[i].system->name, metric[k], "replay");
			optional_cell(&table, 2, own);
			optional_cell(&table, 3, own / metric_by(p, "128B", metric[k], "replay"));
		}
	}
	ct_buf_puts(
		b,
		"\nload requests that miss, replayed: a partial miss counts always, or when it opens an MSHR entry:\n");
	ct_table_render(&table, b);
}

/* What the lines' size alone would do, and what a reader has to know of the numbers. */
static void answer_notes(const struct ct_ts_answer *a, struct ct_buf *b)
{
	char notes[CT_TS_NOTES_MAX][CT_TS_NOTE_LEN], why[200];
	if (a->systems != CT_TS_ALL_SYSTEMS)
		return;
	unsigned n = ct_ts_answer_notes(a, notes);
	ct_ts_class_why(a, why, sizeof why);
	ct_buf_printf(b, "\nline size: %s: %s\n", ct_ts_class_name(a->line_class), why);
	for (unsigned i = 0; i < n; i++)
		ct_buf_printf(b, "note: %s\n", notes[i]);
}

int ts_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
            struct ct_error *e)
{
	const struct ct_ts_answer *a = &ts_run_of(run)->answer;
	answer_table(a, run->p, style, b);
	if (run->check || isfinite(speedup_by(run->p, "128B", "replay")))
		check_table(a, run->p, style, b);
	partial_table(a, run->p, style, b);
	answer_notes(a, b);
	return ct_buf_check(b, e);
}

/* ---- published numbers ---- */

static double metric_of(const struct ct_ts_answer *a, const struct ct_profile *p, const char *system,
                        const char *metric)
{
	int i = ct_ts_system_find(system);
	struct ct_estimate es;
	if (i < 0)
		return NAN;
	if (!strcmp(metric, "speedup") && !isfinite(speedup_by(p, system, "replay")))
		return a->row[i].speedup.value;
	if (ct_profile_get_estimate(p, "all", TS_MECHANISM, system, metric, NULL, &es))
		return es.value;
	return NAN;
}

/* Fields: result, applications, system, against, metric, value, where. */
static void published_rows(struct ct_table *table, const struct ct_ts_answer *a,
                           const struct ct_profile *p, const struct ct_published *pub,
                           const struct ct_published_row *app)
{
	static const char *const names[] = {"system", "metric", "against", "paper", "here", "where"};
	ct_table_heads(table, names);
	for (size_t i = 0; i < pub->rows; i++) {
		const char *const *f = pub->row[i].field;
		if (strcmp(f[0], "result") != 0 ||
		    (strcmp(f[1], "mean") != 0 && strcmp(f[1], "all") != 0 &&
		     (!app || strcmp(f[1], app->field[1]) != 0)))
			continue;
		double v = metric_of(a, p, f[2], f[4]);
		if (strcmp(f[3], "-") != 0 && strcmp(f[4], "speedup") != 0)
			v /= metric_of(a, p, f[3], f[4]);
		ct_table_cell(table, "%s", f[2]);
		ct_table_cell(table, "%s", f[4]);
		ct_table_cell(table, "%s", f[3]);
		ct_table_cell(table, "%s", f[5]);
		optional_cell(table, !strcmp(f[4], "storage_bytes") ? 0 : 3, v);
		ct_table_cell(table, "%s: section %s", f[1], f[6]);
	}
}

/* The paper's numbers for the workload that the trace's path names, and its means. */
int ts_show_published(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                      struct ct_buf *b, struct ct_error *e)
{
	const struct ct_ts_answer *a = &ts_run_of(run)->answer;
	struct ct_published pub;
	const struct ct_published_row *app;
	int st = ct_published_of_profile(&pub, run->data_dir, run->mechanism->folder, run->p, &app, e);
	if (st != CT_OK)
		return st;
	struct ct_table table = {.columns = 6, .style = style};
	published_rows(&table, a, run->p, &pub, app);
	if (app)
		ct_buf_printf(b, "\npublished for %s (%s there, %s here) and means of 15 programs:\n",
		              app->field[1], app->field[3], ct_ts_class_name(a->line_class));
	else
		ct_buf_puts(
			b, "\npublished means of 15 programs (this trace's path names none of them):\n");
	ct_table_render(&table, b);
	ct_buf_puts(
		b, "They may differ because inputs, problem sizes and compilers are others, and because "
		   "the paper runs a cycle-level\nsimulator of a GTX 480 (-g fermi-15). Nothing here is "
		   "fitted to them.\n");
	ct_published_free(&pub);
	return ct_buf_check(b, e);
}

/* ---- overheads ---- */

int ts_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                      const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e)
{
	static const char *const names[] = {"system",      "bytes per L1",  "KiB",      "share of L1",
	                                    "hit latency", "pJ per access", "mW per L1"};
	const struct ct_ts_params *p = &ts_run_of(run)->params;
	struct ct_table table = {.columns = sizeof names / sizeof names[0], .style = style};
	ct_table_heads(&table, names);
	for (size_t i = 0; i < CT_TS_SYSTEMS; i++) {
		const struct ct_ts_system *s = ct_ts_system_at(i);
		double bytes = ct_ts_storage_bytes(s, g, g->l1.size, p);
		int split = s->kind == CT_TS_SPLIT;
		if (isnan(bytes))
			continue;
		ct_table_cell(&table, "%s", s->name);
		ct_table_cell(&table, "%.0f", bytes);
		ct_table_cell(&table, "%.3f", bytes / 1024);
		ct_table_percent(&table, bytes / (double)g->l1.size);
		ct_table_cell(&table, "%+.0f", split ? p->v[CT_TS_HIT_LATENCY] : 0.0);
		ct_table_cell(&table, "%.3g", split ? p->v[CT_TS_PJ_PER_ACCESS] : 0.0);
		ct_table_cell(&table, "%.3g", split ? 1000 * p->v[CT_TS_LEAKAGE_WATT] : 0.0);
	}
	ct_table_render(&table, b);
	return ct_buf_check(b, e);
}

/* show.c - the tables for people. */
#include <math.h>

#include "models/bypass/run.h"
#include "models/verdict/cell.h"

/* A number, "-" where there is none. */
static void optional_cell(struct ct_table *table, int decimals, double v)
{
	if (isfinite(v))
		ct_table_cell(table, "%.*f", decimals, v);
	else
		ct_table_cell(table, "-");
}

/* A share of a whole in percent, "-" where there is none. */
static void share_cell(struct ct_table *table, double part, double whole)
{
	if (whole > 0 && isfinite(part))
		ct_table_percent(table, part / whole);
	else
		ct_table_cell(table, "-");
}

/* The speed-up that a method gave, or NaN. */
static double speedup_by(const struct ct_profile *p, const char *system, const char *method)
{
	struct ct_estimate es;
	if (ct_profile_get_estimate(p, "all", BP_MECHANISM, system, "speedup", method, &es))
		return es.value;
	return NAN;
}

/* The table of all systems: what their L1s miss, move, pass and evict, and their speed-ups over BL. */
static void answer_table(const struct ct_bp_answer *a, const struct ct_profile *p,
                         const struct ct_table_style *style, struct ct_buf *b)
{
	static const char *const names[] = {
		"system", "L1 sector misses", "L1<->LLC bytes", "passed", "line evictions",
		"unused", "bytes/L1",         "over BL",        "range"};
	const struct ct_bp_measured *base = &a->row[CT_BP_BL].x;
	static const unsigned char rank[] = {0, 2, 3, 4, 5, 6, 7, 0, 1};
	struct ct_table table = {
		.columns = sizeof names / sizeof names[0], .style = style, .rank = rank};
	ct_table_heads(&table, names);
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		const struct ct_bp_row *r = &a->row[i];
		ct_table_cell(&table, "%s", ct_bp_system_name((enum ct_bp_system)i));
		share_cell(&table, r->l1_miss_rate, 1);
		optional_cell(&table, 2,
		              (r->x.fetched_bytes + r->x.stored_bytes) /
		                      (base->fetched_bytes + base->stored_bytes));
		share_cell(&table, r->x.passed, r->x.requests);
		optional_cell(&table, 0, r->x.evictions);
		share_cell(&table, r->x.dead, r->x.evictions);
		optional_cell(&table, 0, r->x.storage);
		ct_verdict_speedup_cells(&table, p, BP_MECHANISM, &r->speedup, "analytic",
		                         i == CT_BP_BL);
	}
	ct_table_render(&table, b);
}

/* The speed-ups by both methods, and how far they are apart. */
static void check_table(const struct ct_bp_answer *a, const struct ct_profile *p,
                        const struct ct_table_style *style, struct ct_buf *b)
{
	static const char *const names[] = {"system", "analytic", "replay", "difference"};
	struct ct_table table = {.columns = 4, .style = style};
	ct_table_heads(&table, names);
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		const char *name = ct_bp_system_name((enum ct_bp_system)i);
		double replay = speedup_by(p, name, "replay");
		ct_table_cell(&table, "%s", name);
		ct_table_cell(&table, "%.3f", a->row[i].speedup.value);
		optional_cell(&table, 3, replay);
		if (isfinite(replay))
			ct_table_percent(&table, a->row[i].speedup.value / replay - 1);
		else
			ct_table_cell(&table, "-");
	}
	ct_buf_puts(b, "\nspeed-up over BL by both methods:\n");
	ct_table_render(&table, b);
}

int bp_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
            struct ct_error *e)
{
	const struct ct_bp_answer *a = &bp_run_of(run)->answer;
	answer_table(a, run->p, style, b);
	if (run->check || isfinite(speedup_by(run->p, "BL", "replay")))
		check_table(a, run->p, style, b);
	return ct_buf_check(b, e);
}

int bp_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                      const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e)
{
	static const char *const names[] = {"system", "bytes per L1", "KiB", "share of L1"};
	double bytes = ct_bp_storage_bytes(&bp_run_of(run)->params, (double)g->l1.sets * g->l1.ways);
	struct ct_table table = {.columns = 4, .style = style};
	ct_table_heads(&table, names);
	ct_table_cell(&table, "%s", ct_bp_system_name(CT_BP_BYPASS));
	ct_table_cell(&table, "%.0f", bytes);
	ct_table_cell(&table, "%.3f", bytes / 1024);
	ct_table_percent(&table, bytes / (double)g->l1.size);
	ct_table_render(&table, b);
	return ct_buf_check(b, e);
}

/* What malekeh-est prints for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/sweeps.h"
#include "common/terminal.h"
#include "own.h"

static const char MECHANISM[] = "malekeh";

static double value(const struct ct_profile *p, const char *system, const char *metric,
                    const char *method, struct ct_estimate *es)
{
	struct ct_estimate own;
	es = es ? es : &own;
	return ct_profile_get_estimate(p, "all", MECHANISM, system, metric, method, es) ? es->value : NAN;
}

static void number(struct ct_table *table, int decimals, double v)
{
	if (isnan(v))
		ct_table_cell(table, "-");
	else
		ct_table_cell(table, "%.*f", decimals, v);
}

/* Why a system gains or does not, from what kept its schedulers from issuing. */
static void why(const struct ct_profile *p, const char *s, char *out, size_t n)
{
	double stall = value(p, s, "issue_stall_fraction", "replay", NULL);
	double base = value(p, "OCU", "issue_stall_fraction", "replay", NULL);
	double pending = value(p, s, "pending_ready_fraction", "replay", NULL);
	double idle = value(p, s, "no_ready_fraction", "replay", NULL);
	if (pending > 0.05)
		snprintf(out, n, "ready warps outside the active set in %.0f %% of the cycles", 100 * pending);
	else if (idle > 0.7)
		snprintf(out, n, "no warp is ready in %.0f %% of the cycles", 100 * idle);
	else if (stall > base + 0.02)
		snprintf(out, n, "more issue stalls: %.0f %%, OCU %.0f %%", 100 * stall, 100 * base);
	else if (stall < base - 0.02)
		snprintf(out, n, "fewer issue stalls: %.0f %%, OCU %.0f %%", 100 * stall, 100 * base);
	else
		snprintf(out, n, "as many issue stalls: %.0f %%", 100 * stall);
}

static void replayed(const struct ct_profile *p, struct ct_buf *b)
{
	static const char *const head[] = {"system", "added/SM", "hit ratio", "bank reads", "energy",
	                                   "cache writes", "speed-up", "range", "why"};
	struct ct_table table = {.columns = 9, .style = ct_terminal_style()};
	const struct ct_mk_system *s;
	ct_table_heads(&table, head);
	for (size_t i = 0; (s = ct_mk_system_at(i)); i++) {
		struct ct_estimate es;
		char text[96];
		double speedup = value(p, s->name, "speedup", "replay", &es);
		if (isnan(speedup))
			continue;
		ct_table_cell(&table, "%s", s->name);
		number(&table, 0, value(p, s->name, "storage_bytes", NULL, NULL));
		ct_table_percent(&table, value(p, s->name, "rf_hit_ratio", "replay", NULL));
		ct_table_percent(&table, value(p, s->name, "rf_bank_reads_ratio", "replay", NULL));
		ct_table_percent(&table, value(p, s->name, "rf_energy_ratio", "replay", NULL));
		ct_table_percent(&table, value(p, s->name, "rf_cache_writes_ratio", "replay", NULL));
		ct_table_cell(&table, "%.3f", speedup);
		if (isnan(es.low))
			ct_table_cell(&table, "-");
		else
			ct_table_cell(&table, "%.3f..%.3f", es.low, es.high);
		why(p, s->name, text, sizeof text);
		ct_table_cell(&table, "%s", text);
	}
	ct_table_render(&table, b);
}

static void verdict(const struct ct_profile *p, struct ct_buf *b)
{
	struct ct_estimate es;
	double v = value(p, "Malekeh", "speedup_configured", "replay", &es);
	if (isnan(v))
		return;
	const char *word = v > 1.01 ? "benefits" : v < 0.99 ? "hurts" : "neutral";
	ct_buf_printf(b, "\nverdict: %s: Malekeh runs %+.1f %% against this GPU as configured", word,
	              100 * (v - 1));
	if (!isnan(es.low))
		ct_buf_printf(b, " (range %+.1f to %+.1f %%)", 100 * (es.low - 1), 100 * (es.high - 1));
	double energy = value(p, "Malekeh", "rf_energy_ratio", "replay", NULL);
	if (!isnan(energy)) /* else no register is read or written */
		ct_buf_printf(b, ", its registers take %.0f %% of the energy", 100 * energy);
	ct_buf_putc(b, '\n');
}

/* Bounds, and where both are there how far apart they are. */
static void bounds(const struct ct_profile *p, struct ct_buf *b)
{
	static const char *const head[] = {"system", "distinct hits at most", "analytic", "replayed",
	                                   "difference"};
	struct ct_table table = {.columns = 5, .style = ct_terminal_style()};
	ct_table_heads(&table, head);
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		const char *s = ct_mk_system_at(i)->name;
		struct ct_estimate es = {.high = NAN};
		double a = value(p, s, "rf_hit_ratio_distinct", "analytic", &es);
		double r = value(p, s, "rf_hit_ratio_distinct", "replay", NULL);
		ct_table_cell(&table, "%s", s);
		ct_table_percent(&table, es.high);
		ct_table_percent(&table, a);
		ct_table_percent(&table, r);
		ct_table_percent(&table, r - a);
	}
	ct_table_render(&table, b);
}

/* The full engine beside the sub-core model. */
static void engines(const struct own *o, struct ct_buf *b)
{
	static const char *const head[] = {"system", "cycles", "speed-up, engine", "sub-core model",
	                                   "hits, engine", "sub-core model"};
	struct ct_table table = {.columns = 6, .style = ct_terminal_style()};
	ct_table_heads(&table, head);
	for (unsigned i = 0; i < o->engines; i++) {
		const struct mk_engine_row *r = &o->engine[i];
		const struct mk_engine_row *m = &o->model[ct_mk_system_find(r->system)];
		ct_table_cell(&table, "%s", r->system);
		ct_table_cell(&table, "%.0f", r->cycles);
		number(&table, 3, r->speedup);
		number(&table, 3, m->speedup);
		ct_table_percent(&table, r->hit);
		ct_table_percent(&table, m->hit);
	}
	ct_buf_putc(b, '\n');
	ct_table_render(&table, b);
}

int mk_table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	const struct own *o = t->own;
	int has_replay = !isnan(value(p, "Malekeh", "speedup", "replay", NULL));
	if (has_replay) {
		replayed(p, b);
		verdict(p, b);
	}
	if (!has_replay || t->check) {
		if (has_replay)
			ct_buf_putc(b, '\n');
		bounds(p, b);
	}
	if (!has_replay)
		ct_buf_puts(b, "\nnote: bounds from register reuse distances only; the trace itself tells hits, "
		            "energy and speed-up\n");
	if (o->engines)
		engines(o, b);
	if (o->sweep)
		ct_sweeps_table(p, MECHANISM, b);
	if (o->published) {
		int st = mk_published(p, b, e);
		if (st != CT_OK)
			return st;
	}
	return ct_buf_check(b, e);
}

int mk_overheads(struct ct_tool *t, struct ct_error *e)
{
	static const char *const head[] = {"system", "values/SM, bytes", "added/SM, bytes",
	                                   "of the registers, %", "of BOW's, %", "sub-core, bytes"};
	struct ct_table table = {.columns = 6, .style = ct_terminal_style()};
	struct ct_gpu g;
	int st = ct_tool_gpu(t, NULL, &g, e);
	if (st != CT_OK)
		return st;
	const struct ct_mk_system *s, *bow = ct_mk_system_at((size_t)ct_mk_system_find("BOW"));
	ct_table_heads(&table, head);
	for (size_t i = 0; (s = ct_mk_system_at(i)); i++) {
		double bytes = (double)ct_mk_cache_bytes(s, &g), added = (double)ct_mk_added_bytes(s, &g);
		ct_table_cell(&table, "%s", s->name);
		ct_table_cell(&table, "%.0f", bytes);
		ct_table_cell(&table, "%.0f", added);
		ct_table_cell(&table, "%.2f", 100 * added / (double)ct_gpu_register_bytes(&g));
		ct_table_cell(&table, "%.1f", 100 * bytes / (double)ct_mk_cache_bytes(bow, &g));
		ct_table_cell(&table, "%.0f", bytes / g.schedulers);
	}
	return ct_est_emit(t, &table, e);
}

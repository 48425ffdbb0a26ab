/* show.c - the tables of shared L1s for people: the systems, both methods side by side, what sharing adds to a GPU. */
#include <math.h>

#include "models/shared_l1/state.h"
#include "models/verdict/cell.h"

static void show_real(struct ct_table *table, int decimals, double v)
{
	if (isfinite(v))
		ct_table_cell(table, "%.*f", decimals, v);
	else
		ct_table_cell(table, "-");
}

/* ---- the systems ---- */

/* One system: what it misses and how far it goes for it, what it gains, and why. */
static void show_row(struct ct_table *table, const struct ct_profile *p, const struct ct_sl_row *rows,
                     const struct ct_sl_row *r, const char *method, int is_held)
{
	const struct ct_sl_estimate *x = &r->x;
	char why[160];
	ct_table_cell(table, "%s", r->system->name);
	ct_table_percent(table, x->l1_miss_rate);
	ct_table_percent(table, x->l1_request_miss_rate);
	show_real(table, 2, x->replicas);
	ct_table_percent(table, x->remote_fraction);
	show_real(table, 2, x->reply_latency / rows[CT_SL_PRIVATE].x.reply_latency);
	ct_verdict_speedup_cells(table, p, ct_mechanism_shared_l1.name, &r->speedup, method,
	                         r == &rows[CT_SL_PRIVATE]);
	ct_table_cell(table, "%.3f", r->perf_per_watt.value);
	ct_sl_row_why(rows, r, why, sizeof why);
	ct_table_cell(table, "%s%s", why, is_held ? ", replayed" : "");
}

static void show_network(struct ct_buf *b, const struct ct_sl_answer *a, const struct ct_sl_row *rows)
{
	const struct ct_sl_noc *n = &a->model.noc;
	ct_buf_printf(b, "network: %s", ct_sl_network_name(n->kind));
	if (n->kind == CT_SL_NET_MESH)
		ct_buf_printf(
			b,
			" %u x %u, %.2f hops to another core, %.2f to a partition; Min(H,L2) sends "
			"%.0f %% of the accesses to the LLC",
			n->place.side, n->place.side, n->home_hops, n->llc_hops, 100 * n->past);
	if (n->kind == CT_SL_NET_BUTTERFLY)
		ct_buf_printf(b, ", %u-ary %u-fly", n->butterfly.k, n->butterfly.n);
	ct_buf_printf(b, "; homes: %s, the busiest gets %.2f times the mean\n",
	              ct_sl_homes_name(a->model.p.homes), rows[CT_SL_SHARED_PP].x.home_imbalance);
}

/* The paper's own test of what would gain. */
static void show_target(struct ct_buf *b, const struct ct_sl_answer *a, const struct ct_sl_row *rows)
{
	char why[160];
	ct_sl_target_why(&a->model.p, rows, why, sizeof why);
	ct_buf_printf(b, "target: %s\n", why);
}

/* ---- both methods ---- */

/* Shows the systems that were replayed, with both methods side by side. */
static void show_check(const struct ct_sl_run *s, const struct ct_table_style *style, struct ct_buf *b)
{
	static const char *const names[] = {"system",       "L1 line misses", "replayed",  "difference",
	                                    "over Private", "replayed",       "difference"};
	struct ct_table table = {.columns = sizeof names / sizeof names[0], .style = style};
	ct_table_heads(&table, names);
	for (size_t i = 0; i < CT_SL_SYSTEMS; i++) {
		const struct ct_sl_row *x = &s->answer.row[i], *y = &s->replayed[i];
		if (!(s->replayed_systems >> i & 1))
			continue;
		ct_table_cell(&table, "%s", x->system->name);
		ct_table_percent(&table, x->x.l1_request_miss_rate);
		ct_table_percent(&table, y->x.l1_request_miss_rate);
		ct_table_cell(&table, "%+.1f points",
		              100 * (x->x.l1_request_miss_rate - y->x.l1_request_miss_rate));
		ct_table_cell(&table, "%.3f", x->speedup.value);
		ct_table_cell(&table, "%.3f", y->speedup.value);
		ct_table_cell(&table, "%+.3f", x->speedup.value - y->speedup.value);
	}
	ct_buf_puts(b, "\nBoth methods\n");
	ct_table_render(&table, b);
}

int ct_sl_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
               struct ct_error *e)
{
	static const char *const names[] = {
		"system",     "L1 sector misses", "L1 line misses", "replicas", "remote",
		"reply time", "over Private",     "range",          "perf/W",   "why"};
	const struct ct_sl_run *s = run->state;
	const struct ct_sl_row *rows = ct_sl_shown_rows(run);
	static const unsigned char rank[] = {0, 2, 6, 5, 4, 3, 0, 1, 7, 0};
	struct ct_table table = {
		.columns = sizeof names / sizeof names[0], .style = style, .rank = rank};
	char notes[CT_SL_NOTES_MAX][CT_SL_NOTE_LEN];
	if (!s->answered)
		return CT_OK;
	ct_table_heads(&table, names);
	for (size_t i = 0; i < CT_SL_SYSTEMS; i++) {
		int is_held = rows == s->mixed && (s->held >> i & 1);
		show_row(&table, run->p, rows, &rows[i],
		         is_held || rows == s->replayed ? "replay" : "analytic", is_held);
	}
	ct_table_render(&table, b);
	if (run->check)
		show_check(s, style, b);
	unsigned n = ct_sl_answer_notes(&s->answer, rows, notes);
	ct_buf_putc(b, '\n');
	show_target(b, &s->answer, rows);
	show_network(b, &s->answer, rows);
	for (unsigned i = 0; i < n; i++)
		ct_buf_printf(b, "note: %s\n", notes[i]);
	return ct_buf_check(b, e);
}

/* ---- what sharing adds ---- */

static void show_overhead(struct ct_table *table, const char *what, int decimals, double v)
{
	ct_table_cell(table, "%s", what);
	ct_table_cell(table, "%.*f", decimals, v);
}

/* Sections 3.1 and 4.3 of the paper, for any GPU. */
int ct_sl_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                         const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e)
{
	static const struct ct_sl_inputs none; /* storage of queues needs no profile */
	const struct ct_sl_params *p = &((const struct ct_sl_run *)run->state)->params;
	struct ct_sl_model m = {.in = &none, .p = *p, .gpu = *g};
	struct ct_table table = {.columns = 2, .style = style};
	double area = p->v[CT_SL_AREA_SHARED] + p->v[CT_SL_AREA_DYNAMIC];
	ct_table_cell(&table, "of %s", g->name);
	ct_table_cell(&table, "value");
	show_overhead(&table, "core bits", 0, ct_sl_core_bits(g->sms));
	show_overhead(&table, "tag bits of a 32-bit address", 0,
	              ct_sl_tag_bits(32, g->l1.line, g->l1.sets));
	show_overhead(&table, "bytes that one home gets in a row", 0, (double)g->l1.sets * g->l1.line);
	show_overhead(&table, "all L1s together, KiB", 1, (double)g->l1.size * g->sms / 1024);
	show_overhead(&table, "queues of the homes, bytes", 0,
	              ct_sl_storage_bytes(&m, ct_sl_system_at(CT_SL_SHARED_PP)));
	show_overhead(&table, "queues and counters of DynEB, bytes", 0,
	              ct_sl_storage_bytes(&m, ct_sl_system_at(CT_SL_DYNEB)));
	show_overhead(&table, "area of a core's part at 65 nm, mm2", 3, area);
	show_overhead(&table, "area of the whole GPU's, mm2", 2, area * g->sms);
	ct_table_render(&table, b);
	return ct_buf_check(b, e);
}

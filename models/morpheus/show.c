/* show.c - the tables of Morpheus for people: its systems, both methods side by side, what it adds to a GPU. */
#include <math.h>

#include "models/morpheus/state.h"
#include "models/verdict/cell.h"

/* ---- its systems ---- */

/* One system: the SMs that it uses, its extended LLC, what it gains, and why. bl: the baseline's row of the same method. */
static void show_row(struct ct_table *table, const struct ct_profile *p, const struct ct_mo_answer *a,
                     const struct ct_mo_row *r, const struct ct_mo_row *bl)
{
	const int is_analytic = bl == &a->row[0];
	const struct ct_mo_estimate *x = &r->x;
	char why[160];
	ct_table_cell(table, "%s", r->system->name);
	ct_table_cell(table, "%.0f", x->compute_sms);
	ct_table_cell(table, "%.0f", x->cache_sms);
	if (x->extended_bytes > 0)
		ct_table_size(table, (uint64_t)x->extended_bytes);
	else
		ct_table_cell(table, "-");
	ct_table_real(table, 1000 * x->llc_misses / a->model.w->thread_insts);
	ct_verdict_speedup_cells(table, p, ct_mechanism_morpheus.name, &r->speedup,
	                         is_analytic ? "analytic" : "replay", r->system == bl->system);
	ct_table_cell(table, "%.3f", r->perf_per_watt.value);
	if (is_analytic)
		ct_mo_row_why(a, r, why, sizeof why);
	else
		ct_mo_replayed_row_why(bl, r, why, sizeof why);
	ct_table_cell(table, "%s", why);
}

/* ---- both methods ---- */

/* A rate's difference is told in its own unit, any other number's as a share. */
static void show_pair(struct ct_table *t, double analytic, double replay, int is_rate)
{
	if (!isfinite(analytic) || !isfinite(replay)) {
		ct_table_cell(t, "-");
		return;
	}
	if (is_rate)
		ct_table_cell(t, "%.3f %.3f (%+.3f)", analytic, replay, analytic - replay);
	else
		ct_table_cell(t, "%.4g %.4g (%+.1f %%)", analytic, replay,
		              100 * (analytic / replay - 1));
}

/* Shows the systems that were replayed, with both methods side by side. */
static void show_check(const struct ct_mo_state *s, const struct ct_table_style *style, struct ct_buf *b)
{
	static const char *const head[] = {
		"system",        "cycles, no launch", "over BL",   "LLC sector misses",
		"extended hits", "false positives",   "DRAM bytes"};
	struct ct_table t = {.columns = sizeof head / sizeof head[0], .style = style};
	ct_table_heads(&t, head);
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		const struct ct_mo_row *r = &s->answer.row[i];
		const struct ct_mo_estimate *x = &r->x, *y = &s->row[i].x;
		if (!isfinite(y->cycles))
			continue;
		ct_table_cell(&t, "%s", r->system->name);
		show_pair(&t, x->cycles, y->cycles, 0);
		show_pair(&t, r->speedup.value, s->row[i].speedup.value, 0);
		show_pair(&t, x->llc_misses, y->llc_misses, 0);
		show_pair(&t, x->extended_hit_rate, y->extended_hit_rate, 1);
		show_pair(&t, x->given_miss, y->given_miss, 1);
		show_pair(&t, x->dram_bytes, y->dram_bytes, 0);
	}
	ct_buf_puts(b, "\nanalytic, replayed (difference):\n");
	ct_table_render(&t, b);
}

int ct_mo_show(const struct ct_mechanism_run *run, const struct ct_table_style *style, struct ct_buf *b,
               struct ct_error *e)
{
	static const char *const head[] = {
		"system",  "compute SMs", "cache SMs", "extended LLC", "LLC sector MPKI",
		"over BL", "range",       "perf/W",    "why"};
	const struct ct_mo_state *s = run->state;
	const struct ct_mo_answer *a = &s->answer;
	static const unsigned char rank[] = {0, 2, 4, 5, 3, 0, 1, 6, 0};
	struct ct_table table = {.columns = sizeof head / sizeof head[0], .style = style, .rank = rank};
	char notes[CT_MO_NOTES_MAX][CT_MO_NOTE_LEN];
	if (!s->answered)
		return CT_OK;
	ct_table_heads(&table, head);
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		int replayed = s->replayed && !run->check && isfinite(s->row[i].x.cycles);
		if (a->systems >> i & 1)
			show_row(&table, run->p, a, replayed ? &s->row[i] : &a->row[i],
			         replayed ? &s->row[0] : &a->row[0]);
	}
	ct_table_render(&table, b);
	if (s->replayed && run->check)
		show_check(s, style, b);
	unsigned n = ct_mo_answer_notes(a, notes);
	for (unsigned i = 0; i < n; i++)
		ct_buf_printf(b, "%snote: %s\n", i ? "" : "\n", notes[i]);
	return ct_buf_check(b, e);
}

/* ---- what it adds ---- */

static void show_overhead(struct ct_table *table, const char *what, int decimals, double v)
{
	ct_table_cell(table, "%s", what);
	ct_table_cell(table, "%.*f", decimals, v);
}

/* Section 7.5 of the paper, for any GPU. */
int ct_mo_show_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                         const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e)
{
	const struct ct_morpheus_params *p = &((const struct ct_mo_state *)run->state)->params;
	struct ct_morpheus_storage s;
	struct ct_morpheus_kernel k;
	struct ct_table table = {.columns = 2, .style = style};
	int st = ct_morpheus_kernel(g, p, NULL, &k, e);
	if (st != CT_OK)
		return st;
	ct_morpheus_storage(g, p, &s);
	ct_table_cell(&table, "of %s", g->name);
	ct_table_cell(&table, "value");
	show_overhead(&table, "most SMs in cache mode", 0, s.max_cache_sms);
	show_overhead(&table, "extended sets on them", 0, s.sets);
	show_overhead(&table, "sets per partition, rounded up", 0, s.sets_per_partition);
	show_overhead(&table, "Bloom filters per partition, KiB", 1, (double)s.bloom_bytes / 1024);
	show_overhead(&table, "query logic per partition, KiB", 1, (double)s.query_bytes / 1024);
	show_overhead(&table, "per partition, KiB", 1, (double)(s.bloom_bytes + s.query_bytes) / 1024);
	show_overhead(&table, "of the whole GPU, bytes", 0, (double)s.total_bytes);
	show_overhead(&table, "share of the LLC, %", 2, 100 * s.share_of_llc);
	show_overhead(&table, "share of the GPU's power, %", 2, 100 * p->v[CT_MO_CONTROLLER_POWER]);
	show_overhead(&table, "LLC that a cache-mode SM lends, KiB", 1,
	              (double)(k.rf_bytes + k.l1_bytes) / 1024);
	ct_table_render(&table, b);
	return ct_buf_check(b, e);
}

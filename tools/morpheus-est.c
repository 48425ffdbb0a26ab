/* morpheus-est - what Morpheus and the systems of its paper would gain. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/units.h"
#include "common/estimator.h"
#include "common/stage.h"
#include "common/sweeps.h"
#include "common/terminal.h"
#include "common/tool.h"
#include "models/morpheus/estimate.h"
#include "models/morpheus/published.h"
#include "morpheus-est/replay.h"

enum { OPT_SWEEP = CT_OWN_OPTION, OPT_HELPER, OPT_MIX, OPT_PUBLISHED, OPT_OVERHEADS, OPT_CONSTANTS };

static const struct ct_option own_options[] = {
	{OPT_SWEEP, "sweep", "sms=A..B[:STEP]",
	 "also estimate every system on A to B compute SMs\n(SW records)"},
	{OPT_HELPER, "helper", "KERNEL",
	 "what cache-mode SMs keep blocks in: rf+l1 (default), rf,\nl1, shared or ideal"},
	{OPT_MIX, "mix", "HIGH,LOW,NONE",
	 "shares of blocks that compress to a quarter, to half,\nnot (instead of those of the input)"},
	{OPT_PUBLISHED, "published", NULL,
	 "print the paper's numbers beside ours (table only)"},
	{OPT_OVERHEADS, "overheads", NULL,
	 "print what Morpheus adds to the GPU, and exit"},
	{OPT_CONSTANTS, "constants", NULL,
	 "list the model's constants with units and sources, and\nexit"},
};

struct own {
	const char *sweep;
	const char *helper;
	struct ct_morpheus_mix mix;
	int constants, overheads, published, has_mix;
	struct ct_mo_answer *answer;
	struct ct_mo_row *rows; /* replayed; NULL: analytic only */
};

/* Three shares, scaled to a sum of 1. */
static int parse_mix(struct own *o, const char *text, struct ct_error *e)
{
	double v[3], sum = 0;
	const char *p = text;
	int ok = 1;
	for (int i = 0; i < 3 && ok; i++) {
		char part[32];
		size_t n = strcspn(p, ",");
		ok = n < sizeof part && (p[n] == ',') == (i < 2);
		if (ok) {
			memcpy(part, p, n);
			part[n] = '\0';
			ok = ct_parse_real(part, &v[i]) == 0 && v[i] >= 0;
			sum += v[i];
			p += n + (p[n] == ',');
		}
	}
	if (!ok || !(sum > 0))
		return ct_fail(e, CT_ERR_USAGE, "--mix %s: give three shares, as in 0.5,0.3,0.2", text);
	o->mix = (struct ct_morpheus_mix){v[0] / sum, v[1] / sum, v[2] / sum};
	o->has_mix = 1;
	return CT_OK;
}

static int option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct own *o = ((struct ct_tool *)ctx)->own;
	if (key == OPT_MIX)
		return parse_mix(o, value, e);
	if (key == OPT_SWEEP)
		o->sweep = value;
	else if (key == OPT_HELPER)
		o->helper = value;
	else if (key == OPT_OVERHEADS)
		o->overheads = 1;
	else if (key == OPT_PUBLISHED)
		o->published = 1;
	else
		o->constants = 1;
	return CT_OK;
}

static void overhead(struct ct_table *table, const char *what, int decimals, double v)
{
	ct_table_cell(table, "%s", what);
	ct_table_cell(table, "%.*f", decimals, v);
}

/* Section 7.5 of the paper, for the GPU in force. */
static int list_overheads(struct ct_tool *t, const struct ct_morpheus_params *p,
                          struct ct_error *e)
{
	struct ct_gpu g;
	struct ct_morpheus_storage s;
	struct ct_morpheus_kernel k;
	struct ct_table table = {.columns = 2, .style = ct_terminal_style()};
	struct ct_buf b = {0};
	int st = ct_tool_gpu(t, NULL, &g, e);
	if (st == CT_OK)
		st = ct_morpheus_kernel(&g, p, NULL, &k, e);
	if (st != CT_OK)
		return st;
	ct_morpheus_storage(&g, p, &s);
	ct_table_cell(&table, "of %s", g.name);
	ct_table_cell(&table, "value");
	overhead(&table, "most SMs in cache mode", 0, s.max_cache_sms);
	overhead(&table, "extended sets on them", 0, s.sets);
	overhead(&table, "sets per partition, rounded up", 0, s.sets_per_partition);
	overhead(&table, "Bloom filters per partition, KiB", 1, (double)s.bloom_bytes / 1024);
	overhead(&table, "query logic per partition, KiB", 1, (double)s.query_bytes / 1024);
	overhead(&table, "per partition, KiB", 1, (double)(s.bloom_bytes + s.query_bytes) / 1024);
	overhead(&table, "of the whole GPU, bytes", 0, (double)s.total_bytes);
	overhead(&table, "share of the LLC, %", 2, 100 * s.share_of_llc);
	overhead(&table, "share of the GPU's power, %", 2, 100 * p->v[CT_MO_CONTROLLER_POWER]);
	overhead(&table, "LLC that a cache-mode SM lends, KiB", 1,
	         (double)(k.rf_bytes + k.l1_bytes) / 1024);
	ct_table_render(&table, &b);
	st = ct_buf_check(&b, e);
	if (st == CT_OK)
		st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}

/* sms=A..B or sms=A..B:STEP, clipped to the GPU. */
static int parse_sweep(const char *text, unsigned sms, unsigned range[3], struct ct_error *e)
{
	uint64_t v[3] = {0, 0, 1};
	char part[3][24] = {"", "", "1"};
	const char *dots = strstr(text, "..");
	const char *colon = dots ? strchr(dots, ':') : NULL;
	int ok = dots && !strncmp(text, "sms=", 4);
	if (ok) {
		size_t n = (size_t)(dots - text - 4);
		size_t m = colon ? (size_t)(colon - dots - 2) : strlen(dots + 2);
		ok = n < 24 && m < 24 && (!colon || strlen(colon + 1) < 24);
		if (ok) {
			memcpy(part[0], text + 4, n);
			memcpy(part[1], dots + 2, m);
			if (colon)
				strcpy(part[2], colon + 1);
		}
	}
	for (int i = 0; ok && i < 3; i++)
		ok = ct_parse_u64_range(part[i], 1, 1u << 20, &v[i]) == 0;
	if (!ok || v[0] > v[1])
		return ct_fail(e, CT_ERR_USAGE, "--sweep %s: write sms=A..B or sms=A..B:STEP, as in "
		               "sms=10..68", text);
	if (v[1] > sms)
		return ct_fail(e, CT_ERR_USAGE, "--sweep %s: the GPU has %u SMs: sweep up to that", text,
		               sms);
	for (int i = 0; i < 3; i++)
		range[i] = (unsigned)v[i];
	return CT_OK;
}

static int model_params(const struct ct_tool *t, struct ct_morpheus_params *p, struct ct_error *e)
{
	const char *helper = ((struct own *)t->own)->helper;
	ct_morpheus_defaults(p);
	if (helper && ct_morpheus_use_helper(p, helper) < 0)
		return ct_fail(e, CT_ERR_USAGE, "--helper %s: use rf+l1, rf, l1, shared or ideal", helper);
	for (size_t i = 0; i < t->n_set; i++)
		if (!strncmp(t->set[i], "morpheus.", 9)) {
			int st = ct_morpheus_set(p, t->set[i], e);
			if (st != CT_OK)
				return st;
		}
	return CT_OK;
}

static void row_cells(struct ct_table *table, const struct ct_mo_answer *a,
                      const struct ct_mo_row *r, const struct ct_mo_row *analytic)
{
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
	ct_table_cell(table, "%.3f", r->speedup.value);
	if (isfinite(r->speedup.low))
		ct_table_cell(table, "%.3f..%.3f", r->speedup.low, r->speedup.high);
	else
		ct_table_cell(table, "replayed");
	ct_table_cell(table, "%.3f", r->perf_per_watt.value);
	ct_mo_row_why(a, analytic, why, sizeof why);
	ct_table_cell(table, "%s", why);
}

static void verdict(struct ct_buf *b, const struct ct_mo_answer *a, const struct ct_mo_row *rows)
{
	const struct ct_mo_row *r = &rows[ct_mo_system_find("Morpheus-ALL")];
	double gain = r->speedup_configured.value - 1;
	const char *word = gain > ct_mo_dead_band ? "benefits"
	                   : gain < -ct_mo_dead_band ? "hurts" : "neutral";
	ct_buf_printf(b, "verdict: %s: Morpheus-ALL runs %+.1f %% against this GPU as configured ", word,
	              100 * gain);
	if (isfinite(r->speedup_configured.low))
		ct_buf_printf(b, "(range %+.1f to %+.1f %%)", 100 * (r->speedup_configured.low - 1),
		              100 * (r->speedup_configured.high - 1));
	else
		ct_buf_puts(b, "(replayed)");
	if (r->x.cache_sms > 0)
		ct_buf_printf(b, ": %.0f of %u SMs compute, %.0f lend their memories", r->x.compute_sms,
		              a->model.gpu.sms, r->x.cache_sms);
	ct_buf_putc(b, '\n');
}

static void published_sms(struct ct_table *table, const struct ct_mo_answer *a,
                          const char *system, const char *paper)
{
	const struct ct_mo_row *r = &a->row[ct_mo_system_find(system)];
	ct_table_cell(table, "%s", system);
	ct_table_cell(table, "compute_sms");
	ct_table_cell(table, "-");
	ct_table_cell(table, "%s", paper);
	ct_table_cell(table, "%.0f", r->x.compute_sms);
	ct_table_cell(table, "Table 3, of 68 SMs");
}

static void published_rows(struct ct_table *table, const struct ct_mo_answer *a,
                           const struct ct_published *pub, const struct ct_published_row *app)
{
	static const char *const head[] = {"system", "metric", "against", "paper", "here", "where"};
	const char *const *of = app ? app->field : NULL;
	ct_table_heads(table, head);
	if (of) {
		published_sms(table, a, "IBL", of[CT_MO_APP_IBL_SMS]);
		published_sms(table, a, "Morpheus-Basic", of[CT_MO_APP_BASIC_SMS]);
		published_sms(table, a, "Morpheus-ALL", of[CT_MO_APP_ALL_SMS]);
	}
	const char *group = of && !strcmp(of[CT_MO_APP_TYPE], "compute-bound") ? "compute" : "mean";
	for (size_t i = 0; i < pub->rows; i++) {
		const char *const *f = pub->row[i].field, *name = f[CT_MO_RESULT_APP];
		if (strcmp(f[0], "result") != 0 ||
		    (strcmp(name, group) != 0 && (!of || strcmp(name, of[CT_MO_APP_NAME]) != 0)))
			continue;
		ct_table_cell(table, "%s", f[CT_MO_RESULT_SYSTEM]);
		ct_table_cell(table, "%s", f[CT_MO_RESULT_METRIC]);
		ct_table_cell(table, "%s", f[CT_MO_RESULT_AGAINST]);
		ct_table_cell(table, "%.2f", pub->row[i].value);
		double ours = ct_mo_published_ours(a, &pub->row[i]);
		if (isnan(ours))
			ct_table_cell(table, "-");
		else
			ct_table_cell(table, "%.2f", ours);
		ct_table_cell(table, "%s%s%s%s%s", name, *f[CT_MO_RESULT_CONDITION] ? ", " : "",
		              f[CT_MO_RESULT_CONDITION], *f[CT_MO_RESULT_WHERE] ? ": section " : "",
		              f[CT_MO_RESULT_WHERE]);
	}
}

/* The paper's numbers for the workload that the trace's path names. */
static int published(const struct ct_profile *p, const struct ct_mo_answer *a, struct ct_buf *b,
                     struct ct_error *e)
{
	struct ct_published pub;
	const struct ct_published_row *app;
	int st = ct_est_published("morpheus", p, &pub, &app, e);
	if (st != CT_OK)
		return st;
	struct ct_table table = {.columns = 6, .style = ct_terminal_style()};
	published_rows(&table, a, &pub, app);
	if (app)
		ct_buf_printf(b, "\npublished for %s (%s, IPC %s with more SMs):\n", app->field[CT_MO_APP_NAME],
		              app->field[CT_MO_APP_TYPE], app->field[CT_MO_APP_SHAPE]);
	else
		ct_buf_printf(b, "\npublished means of 14 memory-bound applications (this trace's path names "
		              "none of the paper's):\n");
	ct_table_render(&table, b);
	ct_buf_puts(b, "They may differ because inputs, problem sizes and compilers are others, because the "
	            "paper runs a cycle-level\nsimulator for up to 2 billion instructions, and because its "
	            "mean is over 14 applications. Nothing here is fitted to them.\n");
	ct_published_free(&pub);
	return CT_OK;
}

static int table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                 struct ct_error *e)
{
	static const char *const head[] = {"system", "compute SMs", "cache SMs", "extended LLC",
	                                   "LLC MPKI", "speed-up", "range", "perf/W", "why"};
	const struct own *o = t->own;
	const struct ct_mo_answer *a = o->answer;
	struct ct_table table = {.columns = sizeof head / sizeof head[0], .style = ct_terminal_style()};
	for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
		ct_table_cell(&table, "%s", head[i]);
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		int replayed = o->rows && !t->check && isfinite(o->rows[i].x.cycles);
		row_cells(&table, a, replayed ? &o->rows[i] : &a->row[i], &a->row[i]);
	}
	ct_table_render(&table, b);
	if (o->rows && t->check)
		morpheus_check_table(a, o->rows, b);
	char notes[CT_MO_NOTES_MAX][CT_MO_NOTE_LEN];
	unsigned n = ct_mo_answer_notes(a, notes);
	ct_buf_putc(b, '\n');
	verdict(b, a, o->rows && !t->check ? o->rows : a->row);
	for (unsigned i = 0; i < n; i++)
		ct_buf_printf(b, "note: %s\n", notes[i]);
	ct_sweeps_table(p, "morpheus", b);
	if (((struct own *)t->own)->published) {
		int st = published(p, a, b, e);
		if (st != CT_OK)
			return st;
	}
	return ct_buf_check(b, e);
}

/* --method replay, --check: the records of both methods. */
static int replayed(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct own *o = t->own;
	o->rows = calloc(CT_MO_SYSTEMS, sizeof *o->rows);
	if (!o->rows)
		return ct_fail_nomem(e);
	int st = morpheus_replay(t, s, t->check ? "--check" : "--method replay", o->answer, o->rows, e);
	return st == CT_OK ? ct_mo_answer_write_replayed(o->answer, o->rows, t->check, s->p, e) : st;
}

static int answer(struct ct_tool *t, struct ct_stage *s, struct ct_workload *w,
                  const struct ct_morpheus_params *params, struct ct_error *e)
{
	struct own *o = t->own;
	unsigned range[3] = {1, 1, 1};
	int st = CT_OK;
	ct_stage_forget(s, NULL);
	if (o->sweep)
		st = parse_sweep(o->sweep, s->gpu.sms, range, e);
	if (st == CT_OK)
		st = ct_workload_read(w, s->p, s->base.sms, (double)ct_gpu_register_bytes(&s->base), e);
	w->cache = ct_miss_cache_new(); /* without one it only takes longer */
	if (st == CT_OK)
		st = ct_mo_answer_init(o->answer, w, &s->base, &s->gpu, params,
		                       o->has_mix ? &o->mix : NULL, e);
	if (st != CT_OK)
		return st;
	if (t->method == CT_METHOD_REPLAY || t->check)
		st = replayed(t, s, e);
	else
		st = ct_mo_answer_write(o->answer, s->p, e);
	if (st == CT_OK && o->sweep)
		st = ct_mo_answer_sweep(o->answer, &(struct ct_range_spec){.first = range[0], .last = range[1],
		                        .step = range[2], .whole = 1}, s->p, e);
	if (st == CT_OK)
		st = ct_est_finish(t, s, "morpheus", table, e);
	ct_mo_answer_free(o->answer);
	free(o->rows);
	return st;
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_morpheus_params params;
	int st = model_params(t, &params, e);
	if (st == CT_OK && o->constants)
		return ct_est_constants(t, &ct_morpheus_constants, params.v, e);
	if (st == CT_OK && o->overheads)
		return list_overheads(t, &params, e);
	if (st != CT_OK)
		return st;
	struct ct_stage *s = calloc(1, sizeof *s);
	struct ct_workload *w = calloc(1, sizeof *w);
	o->answer = calloc(1, sizeof *o->answer);
	if (!s || !w || !o->answer)
		st = ct_fail_nomem(e);
	else if ((st = ct_stage_open(t, s, e)) == CT_OK)
		st = answer(t, s, w, &params, e);
	if (w)
		ct_miss_cache_free(w->cache);
	if (s)
		ct_stage_close(s);
	free(o->answer);
	free(w);
	free(s);
	return st;
}

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "morpheus-est",
		.operands = "[INPUT]",
		.summary = "estimate a last-level cache extended into idle SMs (Morpheus)",
		.takes = CT_TAKES_GPU | CT_TAKES_TRACE | CT_TAKES_OUTPUT | CT_TAKES_THREADS |
		         CT_TAKES_METHOD | CT_TAKES_REPLAY | CT_TAKES_SAMPLE | CT_TAKES_SEED |
		         CT_TAKES_PROFILE,
		.options = own_options,
		.n_options = sizeof own_options / sizeof own_options[0],
		.option = option,
		.own_size = sizeof(struct own),
		.run = run,
	};
	return ct_tool_main(&spec, argc, argv);
}

/* sharedl1-est - what shared L1 caches and the systems of their paper would gain. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/units.h"
#include "common/estimator.h"
#include "common/sharedl1.h"
#include "common/stage.h"
#include "common/sweeps.h"
#include "common/terminal.h"
#include "common/tool.h"
#include "models/shared_l1/estimate.h"
#include "models/shared_l1/published.h"

enum {
	OPT_SWEEP = CT_OWN_OPTION, OPT_NETWORK, OPT_HOMES, OPT_COUNT, OPT_PLACEMENT, OPT_TIMELINE,
	OPT_PUBLISHED, OPT_OVERHEADS, OPT_CONSTANTS
};

static const struct ct_option own_options[] = {
	{OPT_NETWORK, "network", "NETWORK",
	 "what carries core-to-core traffic: mesh, forwarded,\nbutterfly or auto (default: as the GPU)"},
	{OPT_PLACEMENT, "placement", "FILE", "where cores and partitions sit on the mesh"},
	{OPT_HOMES, "homes", "MAPPING", "home of a tag: mod (default), fold or hash"},
	{OPT_COUNT, "count", "ACCESSES",
	 "accesses that end a phase of a dynamic scheme: local\n(default), served or own"},
	{OPT_SWEEP, "sweep", "KEY=A..B[:STEP]",
	 "also estimate every system for KEY from A to B (SW\nrecords): l1.latency, l1.size or cores"},
	{OPT_TIMELINE, "timeline", NULL,
	 "also write when each SM changes its mode under DynEB\n(SW records; replays)"},
	{OPT_PUBLISHED, "published", NULL, "print the paper's numbers beside ours (table only)"},
	{OPT_OVERHEADS, "overheads", NULL, "print what sharing adds to the GPU, and exit"},
	{OPT_CONSTANTS, "constants", NULL,
	 "list the model's constants with units and sources, and\nexit"},
};

struct sweep {
	char key[16];
	uint64_t first, last, step; /* step 0: doubling */
};

struct own {
	const char *sweep_text, *network, *homes, *count, *placement;
	int constants, overheads, published, timeline;
	struct sweep sweep;
	struct ct_sl_answer *answer;
	struct ct_sl_row *row;      /* that the table shows: the answer's, or replayed, or what the
	                               profile holds of replays in the place of the answer's */
	struct ct_sl_row mixed[CT_SL_SYSTEMS];
	unsigned held;              /* systems of mixed[] that are replayed */
	struct ct_sl_row replayed[CT_SL_SYSTEMS];
};

static int option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct own *o = ((struct ct_tool *)ctx)->own;
	(void)e;
	switch (key) {
	case OPT_SWEEP: o->sweep_text = value; break;
	case OPT_NETWORK: o->network = value; break;
	case OPT_HOMES: o->homes = value; break;
	case OPT_COUNT: o->count = value; break;
	case OPT_PLACEMENT: o->placement = value; break;
	case OPT_TIMELINE: o->timeline = 1; break;
	case OPT_PUBLISHED: o->published = 1; break;
	case OPT_OVERHEADS: o->overheads = 1; break;
	default: o->constants = 1;
	}
	return CT_OK;
}

/* ---- options ---- */

static int choices(const struct own *o, struct ct_sl_params *p, struct ct_error *e)
{
	int network = o->network ? ct_sl_network_find(o->network) : CT_SL_NET_AUTO;
	int homes = o->homes ? ct_sl_homes_find(o->homes) : CT_SL_HOMES_MOD;
	if (network < 0)
		return ct_fail(e, CT_ERR_USAGE, "--network %s: use mesh, forwarded, butterfly or auto",
		               o->network);
	if (homes < 0)
		return ct_fail(e, CT_ERR_USAGE, "--homes %s: use mod, fold or hash", o->homes);
	int count = o->count ? ct_sl_count_find(o->count) : CT_SL_COUNT_LOCAL;
	if (count < 0)
		return ct_fail(e, CT_ERR_USAGE, "--count %s: use local, served or own", o->count);
	p->network = (enum ct_sl_network)network;
	p->homes = (enum ct_sl_homes)homes;
	p->count = (enum ct_sl_count)count;
	return CT_OK;
}

static int model_params(const struct ct_tool *t, struct ct_sl_params *p, struct ct_error *e)
{
	ct_sl_defaults(p);
	int st = choices(t->own, p, e);
	for (size_t i = 0; i < t->n_set && st == CT_OK; i++)
		if (ct_sharedl1_is_key(t->set[i]))
			st = ct_sl_set(p, t->set[i], e);
	return st;
}

static int parse_value(const char *text, size_t n, uint64_t *v)
{
	char part[32];
	if (n == 0 || n >= sizeof part)
		return -1;
	memcpy(part, text, n);
	part[n] = '\0';
	return ct_parse_size(part, v) == 0 && *v >= 1 && *v <= UINT64_C(1) << 40 ? 0 : -1;
}

/* KEY=A..B or KEY=A..B:STEP. */
static int parse_sweep(struct own *o, struct ct_error *e)
{
	enum { POINTS_MAX = 4096 };
	const char *text = o->sweep_text, *eq = strchr(text, '='), *dots = eq ? strstr(eq, "..") : NULL;
	const char *colon = dots ? strchr(dots, ':') : NULL;
	struct sweep *s = &o->sweep;
	size_t n = eq ? (size_t)(eq - text) : 0;
	int ok = dots && n > 0 && n < sizeof s->key;
	if (ok) {
		memcpy(s->key, text, n);
		size_t m = colon ? (size_t)(colon - dots - 2) : strlen(dots + 2);
		ok = parse_value(eq + 1, (size_t)(dots - eq - 1), &s->first) == 0 &&
		     parse_value(dots + 2, m, &s->last) == 0 && s->first <= s->last;
		s->step = strcmp(s->key, "l1.size") == 0 ? 0 : 1;
		if (colon)
			ok = ok && parse_value(colon + 1, strlen(colon + 1), &s->step) == 0;
	}
	if (!ok)
		return ct_fail(e, CT_ERR_USAGE, "--sweep %s: write KEY=A..B or KEY=A..B:STEP, as in "
		               "l1.latency=8..64:8", text);
	if (s->step && (s->last - s->first) / s->step >= POINTS_MAX)
		return ct_fail(e, CT_ERR_USAGE, "--sweep %s: more than %d points: take a larger step", text,
		               POINTS_MAX);
	return CT_OK;
}

/* ---- lists ---- */

static void overhead(struct ct_table *table, const char *what, int decimals, double v)
{
	ct_table_cell(table, "%s", what);
	ct_table_cell(table, "%.*f", decimals, v);
}

/* Sections 3.1 and 4.3 of the paper, for the GPU in force. */
static int list_overheads(struct ct_tool *t, const struct ct_sl_params *p, struct ct_error *e)
{
	static struct ct_sl_inputs none; /* storage of queues needs no profile */
	struct ct_sl_model m = {.in = &none, .p = *p};
	struct ct_table table = {.columns = 2, .style = ct_terminal_style()};
	int st = ct_tool_gpu(t, NULL, &m.gpu, e);
	if (st != CT_OK)
		return st;
	const struct ct_gpu *g = &m.gpu;
	double area = p->v[CT_SL_AREA_SHARED] + p->v[CT_SL_AREA_DYNAMIC];
	ct_table_cell(&table, "of %s", g->name);
	ct_table_cell(&table, "value");
	overhead(&table, "core bits", 0, ct_sl_core_bits(g->sms));
	overhead(&table, "tag bits of a 32-bit address", 0, ct_sl_tag_bits(32, g->l1.line, g->l1.sets));
	overhead(&table, "bytes that one home gets in a row", 0, (double)g->l1.sets * g->l1.line);
	overhead(&table, "all L1s together, KiB", 1, (double)g->l1.size * g->sms / 1024);
	overhead(&table, "queues of the homes, bytes", 0,
	         ct_sl_storage_bytes(&m, ct_sl_system_at(CT_SL_SHARED_PP)));
	overhead(&table, "queues and counters of DynEB, bytes", 0,
	         ct_sl_storage_bytes(&m, ct_sl_system_at(CT_SL_DYNEB)));
	overhead(&table, "area of a core's part at 65 nm, mm2", 3, area);
	overhead(&table, "area of the whole GPU's, mm2", 2, area * g->sms);
	return ct_est_emit(t, &table, e);
}

/* ---- the table ---- */

static void optional(struct ct_table *table, int decimals, double v)
{
	if (isfinite(v))
		ct_table_cell(table, "%.*f", decimals, v);
	else
		ct_table_cell(table, "-");
}

static void row_cells(struct ct_table *table, const struct own *o, const struct ct_sl_row *r)
{
	const struct ct_sl_estimate *x = &r->x;
	char why[160];
	ct_table_cell(table, "%s", r->system->name);
	ct_table_percent(table, x->l1_request_miss_rate);
	optional(table, 2, x->replicas);
	ct_table_percent(table, x->remote_fraction);
	optional(table, 2, x->reply_latency / o->row[CT_SL_PRIVATE].x.reply_latency);
	ct_table_cell(table, "%.3f", r->speedup.value);
	if (isfinite(r->speedup.low))
		ct_table_cell(table, "%.3f..%.3f", r->speedup.low, r->speedup.high);
	else
		ct_table_cell(table, "-");
	ct_table_cell(table, "%.3f", r->perf_per_watt.value);
	ct_sl_row_why(o->row, r, why, sizeof why);
	ct_table_cell(table, "%s%s", why, o->held >> (r - o->row) & 1 && o->row == o->mixed ? ", replayed" : "");
}

static void verdict(struct ct_buf *b, const struct own *o)
{
	const struct ct_sl_answer *a = o->answer;
	const struct ct_sl_row *r = &o->row[CT_SL_DYNEB];
	char why[160];
	double gain = r->speedup_configured.value - 1;
	const char *word = gain > ct_sl_dead_band ? "benefits"
	                   : gain < -ct_sl_dead_band ? "hurts" : "neutral";
	ct_sl_target_why(&a->model.p, o->row, why, sizeof why);
	ct_buf_printf(b, "verdict: %s: DynEB runs %+.1f %% against this GPU as configured", word,
	              100 * gain);
	if (isfinite(r->speedup_configured.low))
		ct_buf_printf(b, " (range %+.1f to %+.1f %%)", 100 * (r->speedup_configured.low - 1),
		              100 * (r->speedup_configured.high - 1));
	else
		ct_buf_puts(b, ", replayed");
	ct_buf_printf(b, ": %s\n", why);
}

static void network_line(struct ct_buf *b, const struct own *o)
{
	const struct ct_sl_answer *a = o->answer;
	const struct ct_sl_noc *n = &a->model.noc;
	const struct ct_sl_estimate *x = &o->row[CT_SL_SHARED_PP].x;
	ct_buf_printf(b, "network: %s", ct_sl_network_name(n->kind));
	if (n->kind == CT_SL_NET_MESH)
		ct_buf_printf(b, " %u x %u, %.2f hops to another core, %.2f to a partition; Min(H,L2) sends "
		              "%.0f %% of the accesses to the LLC", n->place.side, n->place.side, n->home_hops,
		              n->llc_hops, 100 * n->past);
	if (n->kind == CT_SL_NET_BUTTERFLY)
		ct_buf_printf(b, ", %u-ary %u-fly", n->butterfly.k, n->butterfly.n);
	ct_buf_printf(b, "; homes: %s, the busiest gets %.2f times the mean\n",
	              ct_sl_homes_name(a->model.p.homes), x->home_imbalance);
}

/* --check: both methods and their difference. */
static void print_check(struct ct_buf *b, const struct own *o)
{
	static const char *const names[] = {"system", "L1 misses", "replayed", "difference", "speed-up",
	                                    "replayed", "difference"};
	struct ct_table table = {.columns = sizeof names / sizeof names[0], .style = ct_terminal_style()};
	ct_table_heads(&table, names);
	for (size_t i = 0; i < CT_SL_SYSTEMS; i++) {
		const struct ct_sl_row *x = &o->answer->row[i], *y = &o->replayed[i];
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

static void published_rows(struct ct_table *table, const struct own *o,
                           const struct ct_published *pub, const struct ct_published_row *app)
{
	static const char *const names[] = {"system", "metric", "against", "paper", "here", "where"};
	const char *group = app ? app->field[CT_SL_APP_GROUP] : "shared-friendly";
	ct_table_heads(table, names);
	for (size_t i = 0; i < pub->rows; i++) {
		const char *const *f = pub->row[i].field, *name = f[CT_SL_RESULT_APP];
		if (strcmp(f[0], "result") != 0 ||
		    (strcmp(name, group) != 0 && strcmp(name, "all") != 0 &&
		     (!app || strcmp(name, app->field[CT_SL_APP_NAME]) != 0)))
			continue;
		ct_table_cell(table, "%s", f[CT_SL_RESULT_SYSTEM]);
		ct_table_cell(table, "%s", f[CT_SL_RESULT_METRIC]);
		ct_table_cell(table, "%s", f[CT_SL_RESULT_AGAINST]);
		ct_table_cell(table, "%.2f", pub->row[i].value);
		optional(table, 2, ct_sl_published_ours(o->row, &pub->row[i]));
		ct_table_cell(table, "%s: section %s", name, f[CT_SL_RESULT_WHERE]);
	}
}

/* The paper's numbers for the class of the workload that the trace's path names. */
static int published(const struct ct_profile *p, const struct own *o, struct ct_buf *b,
                     struct ct_error *e)
{
	struct ct_published pub;
	const struct ct_published_row *app;
	int st = ct_est_published("shared_l1", p, &pub, &app, e);
	if (st != CT_OK)
		return st;
	struct ct_table table = {.columns = 6, .style = ct_terminal_style()};
	published_rows(&table, o, &pub, app);
	if (app)
		ct_buf_printf(b, "\npublished for %s (%s):\n", app->field[CT_SL_APP_NAME],
		              app->field[CT_SL_APP_GROUP]);
	else
		ct_buf_puts(b, "\npublished means of 11 shared-friendly applications and of all 28 (this trace's "
		            "path names none of those that the\ntext names):\n");
	ct_table_render(&table, b);
	ct_buf_puts(b, "They may differ because inputs, problem sizes and compilers are others, because the "
	            "paper runs a cycle-level\nsimulator of 28 cores, and because its means are over "
	            "applications. Nothing here is fitted to them.\n");
	ct_published_free(&pub);
	return CT_OK;
}

static int table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                 struct ct_error *e)
{
	static const char *const names[] = {"system", "L1 misses", "replicas", "remote", "reply time",
	                                    "speed-up", "range", "perf/W", "why"};
	const struct own *o = t->own;
	const struct ct_sl_answer *a = o->answer;
	struct ct_table table = {.columns = sizeof names / sizeof names[0], .style = ct_terminal_style()};
	ct_table_heads(&table, names);
	for (size_t i = 0; i < CT_SL_SYSTEMS; i++)
		row_cells(&table, o, &o->row[i]);
	ct_table_render(&table, b);
	char notes[CT_SL_NOTES_MAX][CT_SL_NOTE_LEN];
	unsigned n = ct_sl_answer_notes(a, o->row, notes);
	ct_buf_putc(b, '\n');
	verdict(b, o);
	network_line(b, o);
	for (unsigned i = 0; i < n; i++)
		ct_buf_printf(b, "note: %s\n", notes[i]);
	ct_sweeps_table(p, "shared-l1", b);
	if (o->published) {
		int st = published(p, o, b, e);
		if (st != CT_OK)
			return st;
	}
	if (t->check)
		print_check(b, o);
	return ct_buf_check(b, e);
}

/* ---- running ---- */

/* --placement, or the default. */
static int find_place(const struct own *o, const struct ct_gpu *g, struct ct_sl_place *place,
                      struct ct_error *e)
{
	if (o->placement)
		return ct_sl_place_load(place, o->placement, g->sms, g->llc_partitions, e);
	return ct_sl_place_default(place, g->sms, g->llc_partitions, e);
}

/* Replays that came with the profile, if they are of what is asked. */
static void use_held(const struct ct_tool *t, struct ct_stage *s, struct own *o)
{
	int other = s->changed || o->network || o->homes || o->count || o->placement;
	for (size_t i = 0; i < t->n_set; i++)
		other = other || (!s->from_trace && ct_sharedl1_is_key(t->set[i]));
	if (other)
		ct_sl_replayed_drop(s->p);
	o->row = o->answer->row;
	if (t->method != CT_METHOD_AUTO)
		return;
	memcpy(o->mixed, o->answer->row, sizeof o->mixed);
	o->held = ct_sl_replayed_take(s->p, o->mixed);
	if (o->held)
		o->row = o->mixed;
}

static int sweep_as_range(const struct own *o, struct ct_profile *p, struct ct_error *e)
{
	const struct sweep *s = &o->sweep;
	struct ct_range_spec r = {.first = (double)s->first, .last = (double)s->last, .step = (double)s->step,
	                          .factor = s->step ? 0 : 2, .whole = 1};
	snprintf(r.key, sizeof r.key, "%s", s->key);
	return ct_sl_answer_sweep(o->answer, &r, p, e);
}

static int answer(struct ct_tool *t, struct ct_stage *s, struct ct_workload *w,
                  const struct ct_sl_params *params, struct ct_sl_place *place,
                  struct ct_error *e)
{
	struct own *o = t->own;
	int mesh = params->network == CT_SL_NET_MESH ||
	           (params->network == CT_SL_NET_AUTO && ct_sl_network_of(&s->gpu) == CT_SL_NET_MESH);
	/* A GPU with a mesh may be asked about another network, and is replayed on its own then. */
	int placed = mesh || o->placement || ct_sl_network_of(&s->gpu) == CT_SL_NET_MESH;
	ct_stage_forget(s, NULL);
	int st = placed ? find_place(o, &s->gpu, place, e) : CT_OK;
	if (st == CT_OK)
		st = ct_workload_read(w, s->p, s->base.sms, (double)ct_gpu_register_bytes(&s->base), e);
	w->cache = ct_miss_cache_new(); /* without one it only takes longer */
	if (st == CT_OK)
		st = ct_sl_answer_init(o->answer, s->p, w, &s->base, &s->gpu, params, mesh ? place : NULL, e);
	if (st != CT_OK)
		return st;
	int replay = t->method == CT_METHOD_REPLAY || t->check || o->timeline;
	use_held(t, s, o);
	if (replay)
		st = ct_sharedl1_replay(t, s, o->answer, placed ? place : NULL, CT_SL_ALL, o->timeline,
		                        o->replayed, e);
	if (st == CT_OK && t->method == CT_METHOD_REPLAY)
		o->row = o->replayed;
	if (st == CT_OK && (t->method != CT_METHOD_REPLAY || t->check))
		st = ct_sl_answer_write(o->answer, s->p, e);
	if (st == CT_OK && replay)
		st = ct_sl_replayed_write(o->answer, o->replayed, CT_SL_ALL, s->p, e);
	if (st == CT_OK && o->sweep_text)
		st = sweep_as_range(o, s->p, e);
	if (st == CT_OK)
		st = ct_est_finish(t, s, "shared-l1", table, e);
	ct_sl_answer_free(o->answer);
	return st;
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_sl_params params;
	int st = model_params(t, &params, e);
	if (st == CT_OK && o->sweep_text)
		st = parse_sweep(o, e);
	if (st == CT_OK && o->constants)
		return ct_est_constants(t, &ct_sl_constants, params.v, e);
	if (st == CT_OK && o->overheads)
		return list_overheads(t, &params, e);
	if (st != CT_OK)
		return st;
	struct ct_stage *s = calloc(1, sizeof *s);
	struct ct_workload *w = calloc(1, sizeof *w);
	struct ct_sl_place *place = calloc(1, sizeof *place);
	o->answer = calloc(1, sizeof *o->answer);
	if (!s || !w || !place || !o->answer)
		st = ct_fail_nomem(e);
	else if ((st = ct_stage_open(t, s, e)) == CT_OK)
		st = answer(t, s, w, &params, place, e);
	if (w)
		ct_miss_cache_free(w->cache);
	if (s)
		ct_stage_close(s);
	free(o->answer);
	free(place);
	free(w);
	free(s);
	return st;
}

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "sharedl1-est",
		.operands = "[INPUT]",
		.summary = "estimate L1 caches shared by all SMs",
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

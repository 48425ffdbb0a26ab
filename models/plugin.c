#include "models/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/common/records.h"

/* ---- what fits ---- */

static const char *const layout_names[CT_PLUGIN_LAYOUTS] = {
	"struct ct_mechanism",      "struct ct_mechanism_run", "struct ct_gpu",
	"struct ct_replay_parts",   "struct ct_l1_part",       "struct ct_llc_part",
	"struct ct_replays_engine", "struct ct_pass_settings", "struct ct_workload"};

static int check_table(const struct ct_mechanism *m, struct ct_error *e)
{
	const char *lacks = !m                      ? "mechanism"
	                    : !m->name              ? "name"
	                    : !m->judged            ? "judged"
	                    : !m->baseline          ? "baseline"
	                    : !m->systems           ? "systems"
	                    : !m->parameters        ? "parameters"
	                    : !m->engine            ? "engine"
	                    : !m->engine_free       ? "engine_free"
	                    : m->open && !m->close  ? "close"
	                    : m->open && !m->values ? "values"
	                                            : NULL;
	if (lacks)
		return ct_fail(e, CT_ERR_INPUT, "its table lacks %s: fill it in (doc/plugins.md)",
		               lacks);
	if (m->abi != CT_MECHANISM_ABI)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "made for mechanisms of version %u, these are of %u: compile it again",
		               (unsigned)m->abi, (unsigned)CT_MECHANISM_ABI);
	return CT_OK;
}

int ct_plugin_check(const struct ct_plugin *p, struct ct_error *e)
{
	static const uint32_t layout[CT_PLUGIN_LAYOUTS] = CT_PLUGIN_LAYOUT;
	if (p->api != CT_PLUGIN_API || p->size != sizeof *p)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "made for plugins of version %u in %u bytes, these are of %u in %u: "
		               "compile it again with the headers of this version",
		               (unsigned)p->api, (unsigned)p->size, CT_PLUGIN_API, (unsigned)sizeof *p);
	for (unsigned i = 0; i < CT_PLUGIN_LAYOUTS; i++)
		if (p->layout[i] != layout[i])
			return ct_fail(e, CT_ERR_UNSUPPORTED,
			               "made with other headers, %s has %u bytes there and %u here: "
			               "compile it again with the headers of this version",
			               layout_names[i], (unsigned)p->layout[i], (unsigned)layout[i]);
	return check_table(p->mechanism, e);
}

/* ---- what a table leaves out ---- */

static int open_values(struct ct_mechanism_run *run, struct ct_error *e)
{
	const struct ct_constants *t = run->mechanism->parameters;
	double *v = ct_calloc(t->n + 1, sizeof *v);
	int st = CT_OK;
	run->state = v;
	if (!v)
		return ct_fail_nomem(e);
	ct_constants_defaults(t, v);
	for (size_t i = 0; i < run->n_set && st == CT_OK; i++)
		st = ct_constants_set(t, v, run->set[i], NULL, e);
	return st;
}

static void close_values(struct ct_mechanism_run *run)
{
	free(run->state);
	run->state = NULL;
}

static const double *state_values(const struct ct_mechanism_run *run)
{
	return run->state;
}

static int is_wanted(const struct ct_mechanism_run *run, unsigned i)
{
	const struct ct_mechanism *m = run->mechanism;
	const char *name = m->systems[i].name;
	return !run->judged_only || !strcmp(name, m->judged) || !strcmp(name, m->baseline) ||
	       (m->configured && !strcmp(name, m->configured));
}

/* The systems in full timing, and behind them the GPU as configured. */
struct replayed {
	struct ct_replays_engine *engine;
	struct ct_replay_counts *total;
	void **parts;
	unsigned *system;
	unsigned n;
};

static int make_engines(const struct ct_mechanism_run *run, struct replayed *x, struct ct_error *e)
{
	const struct ct_mechanism *m = run->mechanism;
	size_t most = (size_t)m->n_systems + 1;
	int st = CT_OK;
	x->engine = ct_calloc(most, sizeof *x->engine);
	x->total = ct_calloc(most, sizeof *x->total);
	x->parts = ct_calloc(most, sizeof *x->parts);
	x->system = ct_calloc(most, sizeof *x->system);
	if (!x->engine || !x->total || !x->parts || !x->system)
		return ct_fail_nomem(e);
	for (unsigned i = 0; i < m->n_systems && st == CT_OK; i++) {
		if (!is_wanted(run, i))
			continue;
		struct ct_replays_engine *engine = &x->engine[x->n];
		engine->gpu = run->gpu;
		st = m->engine(run, i, engine, &x->parts[x->n], e);
		engine->options.timing = CT_REPLAY_FULL;
		engine->options.warmup = run->settings->warmup;
		x->system[x->n++] = i;
	}
	x->engine[x->n] = (struct ct_replays_engine){
		.gpu = run->gpu, .options = {.timing = CT_REPLAY_FULL, .warmup = run->settings->warmup}};
	return st;
}

static double cycles_of(const struct ct_replay_counts *c)
{
	return (double)(c->cycles - c->launch_cycles);
}

static int write_replayed(const struct ct_mechanism_run *run, const struct replayed *x,
                          struct ct_error *e)
{
	const struct ct_mechanism *m = run->mechanism;
	struct ct_records w = {.p = run->p, .e = e, .mechanism = m->name, .method = "replay"};
	double configured = cycles_of(&x->total[x->n]), base = configured;
	for (unsigned i = 0; i < x->n; i++) {
		const char *name = m->systems[x->system[i]].name;
		if (!strcmp(name, m->baseline))
			base = cycles_of(&x->total[i]);
		if (m->configured && !strcmp(name, m->configured))
			configured = cycles_of(&x->total[i]);
	}
	for (unsigned i = 0; i < x->n; i++) {
		const struct ct_replay_counts *c = &x->total[i];
		w.system = m->systems[x->system[i]].name;
		ct_records_value(&w, "cycles", (double)c->cycles);
		ct_records_value(&w, "ipc", (double)c->thread_insts / (double)c->cycles);
		ct_records_value(&w, "speedup", base / cycles_of(c));
		ct_records_value(&w, "speedup_configured", configured / cycles_of(c));
		ct_records_value(&w, "llc_mpki", 1000 * (double)c->llc_misses / (double)c->thread_insts);
		ct_records_value(&w, "l1_miss_rate", (double)c->l1_misses / (double)c->l1_accesses);
		ct_records_value(&w, "l1_mpki", 1000 * (double)c->l1_misses / (double)c->thread_insts);
	}
	return w.status;
}

static int replay_systems(struct ct_mechanism_run *run, const char *why, struct ct_error *e)
{
	struct replayed x = {.n = 0};
	int st = make_engines(run, &x, e);
	if (st == CT_OK)
		st = ct_replays_run(run->p, run->settings, why, x.engine, x.n + 1, NULL, x.total, e);
	if (st == CT_OK)
		st = write_replayed(run, &x, e);
	for (unsigned i = 0; i < x.n; i++)
		run->mechanism->engine_free(x.parts[i]);
	free(x.engine);
	free(x.total);
	free(x.parts);
	free(x.system);
	return st;
}

/* Nothing but replays tells. Where the trace may not be read now, the caller asks again, or replays what is open. */
static int estimate_by_replay(struct ct_mechanism_run *run, struct ct_error *e)
{
	const struct ct_mechanism *m = run->mechanism;
	if (run->method == CT_BY_ANALYTIC)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s has no analytic estimate: leave out --method analytic", m->name);
	if (run->method == CT_BY_REPLAY)
		return CT_OK; /* the caller replays next */
	if (!run->pass_again)
		return ct_fail(e, CT_ERR_INPUT,
		               "only a replay tells of %s: name the trace, and a GPU that it fills",
		               m->name);
	return m->replay(run, m->name, e);
}

/* All that numbers tell without knowing the mechanism. */
static void plain_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup,
                         char *text, size_t n)
{
	(void)p;
	snprintf(text, n, "it takes %.1f %% of the cycles of the GPU as configured",
	         100 / speedup->value);
}

static void number_cell(struct ct_table *t, const struct ct_mechanism_run *run, const char *system,
                        const char *metric, int decimals)
{
	struct ct_estimate es;
	if (ct_profile_get_estimate(run->p, "all", run->mechanism->name, system, metric, NULL, &es))
		ct_table_cell(t, "%.*f", decimals, es.value);
	else
		ct_table_cell(t, "-");
}

static int show_systems(const struct ct_mechanism_run *run, const struct ct_table_style *style,
                        struct ct_buf *b, struct ct_error *e)
{
	static const char *const heads[] = {
		"system", "cycles", "L1 miss rate", "LLC MPKI", "over baseline", "over configured"};
	const struct ct_mechanism *m = run->mechanism;
	struct ct_table t = {.columns = sizeof heads / sizeof heads[0], .style = style};
	ct_table_heads(&t, heads);
	for (unsigned i = 0; i < m->n_systems; i++) {
		const char *system = m->systems[i].name;
		ct_table_cell(&t, "%s", system);
		number_cell(&t, run, system, "cycles", 0);
		number_cell(&t, run, system, "l1_miss_rate", 3);
		number_cell(&t, run, system, "llc_mpki", 2);
		number_cell(&t, run, system, "speedup", 3);
		number_cell(&t, run, system, "speedup_configured", 3);
	}
	ct_table_render(&t, b);
	return ct_buf_check(b, e);
}

static int show_no_overheads(const struct ct_mechanism_run *run, const struct ct_gpu *g,
                             const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e)
{
	(void)g;
	(void)style;
	ct_buf_printf(b, "%s does not say what it adds to a GPU\n", run->mechanism->name);
	return ct_buf_check(b, e);
}

void ct_plugin_complete(struct ct_mechanism *m)
{
	if (!m->open) {
		m->open = open_values;
		m->close = close_values;
		m->values = state_values;
	}
	m->replay = m->replay ? m->replay : replay_systems;
	m->estimate = m->estimate ? m->estimate : estimate_by_replay;
	m->reason = m->reason ? m->reason : plain_reason;
	m->show = m->show ? m->show : show_systems;
	m->show_overheads = m->show_overheads ? m->show_overheads : show_no_overheads;
}

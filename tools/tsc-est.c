/* tsc-est - what the Tag-Split Cache and the systems of its paper would gain. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "common/sweeps.h"
#include "common/estimator.h"
#include "common/mechanism.h"
#include "common/pass.h"
#include "common/stage.h"
#include "common/tool.h"
#include "tsc-est/again.h"
#include "tsc-est/show.h"

enum { OPT_SWEEP = CT_OWN_OPTION, OPT_PUBLISHED, OPT_OVERHEADS, OPT_CONSTANTS };

static const struct ct_option own_options[] = {
	{OPT_SWEEP, "sweep", "KEY=A..B[:STEP]",
	 "also estimate TSC for KEY from A to B (SW records):\nprivate_bits, chunk or hit_latency"},
	{OPT_PUBLISHED, "published", NULL, "print the paper's numbers beside ours (table only)"},
	{OPT_OVERHEADS, "overheads", NULL,
	 "print what each system adds to an L1 of the GPU, and exit"},
	{OPT_CONSTANTS, "constants", NULL,
	 "list the model's constants with units and sources, and\nexit"},
};

enum { POINTS_MAX = 64 };

struct sweep {
	char key[16];
	uint64_t first, last, step; /* step 0: doubling */
};

struct own {
	const char *sweep_text;
	int published, overheads, constants;
	struct sweep sweep;
	struct ct_ts_params params;
	struct ct_ts_answer *answer;
};

static int option(void *ctx, int key, const char *value, struct ct_error *e)
{
	struct own *o = ((struct ct_tool *)ctx)->own;
	(void)e;
	if (key == OPT_SWEEP)
		o->sweep_text = value;
	else if (key == OPT_PUBLISHED)
		o->published = 1;
	else if (key == OPT_OVERHEADS)
		o->overheads = 1;
	else
		o->constants = 1;
	return CT_OK;
}

/* ---- options ---- */

static int parse_value(const char *text, size_t n, uint64_t *v)
{
	char part[24];
	if (n == 0 || n >= sizeof part)
		return -1;
	memcpy(part, text, n);
	part[n] = '\0';
	return ct_parse_u64_range(part, 0, 1 << 20, v);
}

static int is_key(const char *key)
{
	return !strcmp(key, "private_bits") || !strcmp(key, "chunk") || !strcmp(key, "hit_latency");
}

/* KEY=A..B or KEY=A..B:STEP; chunks double. */
static int parse_sweep(struct own *o, struct ct_error *e)
{
	const char *text = o->sweep_text, *eq = strchr(text, '='), *dots = eq ? strstr(eq, "..") : NULL;
	const char *colon = dots ? strchr(dots, ':') : NULL;
	struct sweep *s = &o->sweep;
	size_t n = eq ? (size_t)(eq - text) : 0;
	int ok = dots && n > 0 && n < sizeof s->key;
	if (ok) {
		memcpy(s->key, text, n);
		size_t m = colon ? (size_t)(colon - dots - 2) : strlen(dots + 2);
		ok = is_key(s->key) && parse_value(eq + 1, (size_t)(dots - eq - 1), &s->first) == 0 &&
		     parse_value(dots + 2, m, &s->last) == 0 && s->first <= s->last;
		s->step = strcmp(s->key, "chunk") != 0;
		if (colon && s->step)
			ok = ok && parse_value(colon + 1, strlen(colon + 1), &s->step) == 0 && s->step > 0;
	}
	if (!ok || (!s->step && (!s->first || (s->first & (s->first - 1)))))
		return ct_fail(e, CT_ERR_USAGE, "--sweep %s: write private_bits=0..20, chunk=8..64 (doubling) or "
		               "hit_latency=0..3, with :STEP behind", text);
	if (s->step && (s->last - s->first) / s->step >= POINTS_MAX)
		return ct_fail(e, CT_ERR_USAGE, "--sweep %s: more than %d points: take a larger step", text,
		               POINTS_MAX);
	return CT_OK;
}

/* Keys that change what the L1s hold: what was measured with others is of no use. */
static int structural(const char *set)
{
	static const char *const timing[] = {"tsc.hit_latency", "tsc.mshr", "tsc.pj_per_access",
	                                     "tsc.leakage_watt", "tsc.constant_watt",
	                                     "tsc.static_share"};
	for (size_t i = 0; i < sizeof timing / sizeof timing[0]; i++)
		if (!strncmp(set, timing[i], strlen(timing[i])) && set[strlen(timing[i])] == '=')
			return 0;
	return ct_ts_is_key(set);
}

static int model_params(const struct ct_tool *t, struct ct_ts_params *p, struct ct_error *e)
{
	int st = CT_OK;
	ct_ts_defaults(p);
	for (size_t i = 0; i < t->n_set && st == CT_OK; i++)
		if (ct_ts_is_key(t->set[i]))
			st = ct_ts_set(p, t->set[i], e);
	return st;
}

/* ---- measuring ---- */

/* Measures on the trace what the profile lacks, or holds for other parameters. */
static int complete(struct ct_tool *t, struct ct_stage *s, const struct ct_ts_params *params,
                    struct ct_error *e)
{
	const char *why = ct_ts_measured_in(s->p) ? NULL : "a profile without tag-split";
	for (size_t i = 0; i < t->n_set && !s->from_trace; i++)
		if (structural(t->set[i]))
			why = "-p tsc.KEY";
	if (s->l1_changed)
		return ct_fail(e, CT_ERR_USAGE, "another L1 has to be measured on the trace: add --method replay, "
		               "or name the trace instead of the profile");
	if (!why)
		return CT_OK;
	if (t->method == CT_METHOD_ANALYTIC)
		return ct_fail(e, CT_ERR_USAGE, "%s needs the trace: leave out --method analytic, or make the "
		               "profile with reuse --mechanisms tag-split", why);
	return tsc_measure(t, s, why, params, NULL, 0, s->p, e);
}

static uint64_t next_point(const struct sweep *s, uint64_t x)
{
	return s->step ? x + s->step : x * 2;
}

static int put_point(struct ct_profile *p, const struct sweep *s, uint64_t x, const char *metric,
                     double v, const char *method, struct ct_error *e)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)x);
	struct ct_sweep_point sw = {.scope = "all", .mechanism = "tag-split", .system = "TSC",
	                            .key = s->key, .x = text, .metric = metric, .method = method,
	                            .value = v};
	return ct_profile_add_sweep(p, &sw, e);
}

static int put_points(struct own *o, struct ct_profile *p, uint64_t x,
                      const struct ct_ts_measured *m, double extra, struct ct_error *e)
{
	const struct ct_ts_answer *a = o->answer;
	double cycles = ct_ts_cycles(a, m, extra);
	int st = put_point(p, &o->sweep, x, "speedup", a->row[0].cycles / cycles, "analytic", e);
	if (st == CT_OK)
		st = put_point(p, &o->sweep, x, "mem_inst_miss_rate", m->inst_miss_rate, "replay", e);
	if (st == CT_OK)
		st = put_point(p, &o->sweep, x, "l1_request_mpki", m->mpki, "replay", e);
	if (st == CT_OK && isfinite(m->storage))
		st = put_point(p, &o->sweep, x, "storage_bytes", m->storage, "analytic", e);
	return st;
}

/* The points as systems of their own, measured together. */
static unsigned sweep_systems(const struct sweep *s, struct ct_ts_system *out)
{
	unsigned n = 0;
	for (uint64_t x = s->first; x <= s->last && n < POINTS_MAX; x = next_point(s, x)) {
		struct ct_ts_system *o = &out[n++];
		*o = *ct_ts_system_at((size_t)ct_ts_system_find("TSC"));
		snprintf(o->name, sizeof o->name, "%u", n);
		if (!strcmp(s->key, "chunk"))
			o->chunk = (uint32_t)x;
		else
			o->private_bits = (int)x;
	}
	return n;
}

static int sweep_measured(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_ts_system *systems = calloc(POINTS_MAX, sizeof *systems);
	struct ct_profile *p = ct_profile_new(e);
	uint64_t x = o->sweep.first;
	int st = systems && p ? CT_OK : ct_fail_nomem(e);
	unsigned n = st == CT_OK ? sweep_systems(&o->sweep, systems) : 0;
	if (st == CT_OK)
		st = tsc_measure(t, s, "--sweep", &o->params, systems, n, p, e);
	for (unsigned i = 0; i < n && st == CT_OK; i++, x = next_point(&o->sweep, x)) {
		struct ct_ts_measured m;
		st = ct_ts_measured_read(&m, p, systems[i].name, e);
		if (st == CT_OK)
			st = put_points(o, s->p, x, &m, o->params.v[CT_TS_HIT_LATENCY], e);
	}
	ct_profile_free(p);
	free(systems);
	return st;
}

static int sweep(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct own *o = t->own;
	int st = CT_OK;
	if (strcmp(o->sweep.key, "hit_latency") != 0)
		return sweep_measured(t, s, e);
	const struct ct_ts_measured *m = &o->answer->row[ct_ts_system_find("TSC")].x;
	for (uint64_t x = o->sweep.first; x <= o->sweep.last && st == CT_OK; x = next_point(&o->sweep, x))
		st = put_points(o, s->p, x, m, (double)x, e);
	return st;
}

/* ---- running ---- */

static int table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                 struct ct_error *e)
{
	const struct own *o = t->own;
	tsc_show_answer(o->answer, p, t->check, b);
	ct_sweeps_table(p, "tag-split", b);
	int st = o->published ? tsc_show_published(o->answer, p, b, e) : CT_OK;
	return st == CT_OK ? ct_buf_check(b, e) : st;
}

static int answer(struct ct_tool *t, struct ct_stage *s, struct ct_workload *w, struct ct_error *e)
{
	struct own *o = t->own;
	ct_stage_forget(s, "tag-split");
	int st = complete(t, s, &o->params, e);
	if (st == CT_OK)
		st = ct_workload_read(w, s->p, s->base.sms, (double)ct_gpu_register_bytes(&s->base), e);
	w->cache = ct_miss_cache_new(); /* without one it only takes longer */
	if (st == CT_OK)
		st = ct_ts_answer_init(o->answer, s->p, w, &s->base, &s->gpu, &o->params, e);
	if (st == CT_OK)
		st = ct_ts_answer_write(o->answer, s->p, e);
	if (st == CT_OK && (t->method == CT_METHOD_REPLAY || t->check))
		st = tsc_replay(t, s, t->check ? "--check" : "--method replay", &o->params, e);
	if (st == CT_OK && o->sweep_text)
		st = sweep(t, s, e);
	return st == CT_OK ? ct_est_finish(t, s, "tag-split", table, e) : st;
}

static int run(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	struct ct_tool_pass pass = {0};
	int st = model_params(t, &o->params, e);
	if (st == CT_OK && o->sweep_text)
		st = parse_sweep(o, e);
	if (st == CT_OK && o->constants)
		return ct_est_constants(t, &ct_ts_constants, o->params.v, e);
	if (st == CT_OK && o->overheads)
		return tsc_show_overheads(t, &o->params, e);
	if (st == CT_OK)
		st = ct_pass_mechanisms_parse("tag-split", &pass.mechanisms, e);
	if (st != CT_OK)
		return st;
	struct ct_stage *s = calloc(1, sizeof *s);
	struct ct_workload *w = calloc(1, sizeof *w);
	o->answer = calloc(1, sizeof *o->answer);
	if (!s || !w || !o->answer)
		st = ct_fail_nomem(e);
	else if ((st = ct_stage_open_pass(t, s, &pass, e)) == CT_OK)
		st = answer(t, s, w, e);
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
		.name = "tsc-est",
		.operands = "[INPUT]",
		.summary = "estimate an L1 of small chunks that share tags (Tag-Split Cache)",
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

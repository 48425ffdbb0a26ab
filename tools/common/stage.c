#include "common/stage.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "common/pass.h"
#include "pass/reopen.h"

/* Keys that a profile can follow: capacities, latencies, bandwidths, energies. All
 * others change which accesses there are, or in which order. A name that ends in '.'
 * stands for a group. */
/* clang-format off */
static const char *const followed[] = {
	"name", "clock.", "l1.size", "l1.sets", "l1.ways", "l1.adaptive", "l1.unified", "l1.latency",
	"l1.banks", "l1.port", "llc.size", "llc.sets", "llc.ways", "llc.slices", "llc.partitions",
	"llc.latency", "llc.banks", "llc.port", "llc.queue", "shmem.latency", "dram.", "noc.flit",
	"noc.header", "noc.packet_flits_one", "noc.latency", "noc.hop", "unit.", "sm.launch_cycles",
	"sm.cta_launch_cycles", "power.", "energy.",
};
/* clang-format on */

/* Those of them whose effect on time the closed network knows, or that have none. */
static const char *const timed[] = {
	"name",        "clock.",       "l1.size",       "l1.sets",  "l1.ways",    "l1.adaptive",
	"l1.unified",  "l1.latency",   "llc.size",      "llc.sets", "llc.ways",   "llc.slices",
	"llc.latency", "dram.latency", "dram.channels", "dram.bus", "dram.burst", "dram.data_ratio",
	"dram.rcd",    "dram.cl",      "power.",        "energy.",  "sm.count",
};

static int is_among(const char *key, const char *const *names, size_t n_names)
{
	for (size_t i = 0; i < n_names; i++) {
		size_t n = strlen(names[i]);
		if (names[i][n - 1] == '.' ? strncmp(key, names[i], n) == 0 : strcmp(key, names[i]) == 0)
			return 1;
	}
	return 0;
}

struct compare {
	const struct ct_profile *p;
	struct ct_stage *s;
	struct ct_error *e;
	int need_trace_ok; /* any change will be replayed */
	int sms_ok;        /* --check where both methods know of the SM count */
	int status;
};

/* Compares a key of the GPU in force with the profile's, and refuses a change that the profile cannot
 * follow. */
static void compare_key(void *ctx, const char *key, const char *value, const char *unit)
{
	struct compare *c = ctx;
	const char *old = ct_profile_gp(c->p, key);
	(void)unit;
	if (c->status != CT_OK || !old || strcmp(old, value) == 0)
		return;
	c->s->changed |= strcmp(key, "name") != 0;
	c->s->timing_unknown |= !is_among(key, timed, sizeof timed / sizeof timed[0]);
	int sms = c->sms_ok && strcmp(key, "sm.count") == 0;
	if (!sms && !is_among(key, followed, sizeof followed / sizeof followed[0]) && !c->need_trace_ok)
		c->status = ct_fail(
			c->e, CT_ERR_USAGE,
			"%s is %s in the profile: its change to %s needs the trace: name the trace "
			"instead of the profile",
			key, old, value);
}

/* The GPU of the profile itself: without the options of this command line. */
static int gpu_of_profile(struct ct_tool *t, const struct ct_profile *p, struct ct_gpu *g,
                          struct ct_error *e)
{
	struct ct_tool plain = *t;
	plain.gpu_name = NULL;
	plain.n_set = 0;
	plain.scale = 0;
	return ct_tool_gpu(&plain, p, g, e);
}

/* The tool replays the changed GPU itself, to hold the analytic answer against it. */
static int replays_itself(const struct ct_tool *t)
{
	return t->check && (t->spec->takes & CT_TAKES_BOTH);
}

/* What the profile's histograms depend on cannot change without the trace. */
static int same_shape(const struct ct_gpu *a, const struct ct_gpu *b, int any_sms, struct ct_error *e)
{
	if ((a->sms == b->sms || any_sms) && a->l1.line == b->l1.line && a->llc.line == b->llc.line &&
	    a->warp_size == b->warp_size)
		return CT_OK;
	return ct_fail(e, CT_ERR_USAGE,
	               "a change of SM count, line size or warp size needs the trace: "
	               "name the trace instead of the profile");
}

/* replays: a change that needs the trace will get it. */
static int find_changes(struct ct_tool *t, struct ct_stage *s, int replays, struct ct_error *e)
{
	struct compare c = {s->p, s, e, replays, replays_itself(t), CT_OK};
	int st = gpu_of_profile(t, s->p, &s->base, e);
	if (st == CT_OK)
		st = ct_tool_gpu(t, s->p, &s->gpu, e);
	if (st == CT_OK && !replays)
		st = same_shape(&s->base, &s->gpu, replays_itself(t), e);
	if (st != CT_OK)
		return st;
	st = ct_gpu_each(&s->gpu, compare_key, &c, e);
	const struct ct_gpu *a = &s->base, *b = &s->gpu;
	s->l1_changed = a->l1.size != b->l1.size || a->l1.ways != b->l1.ways ||
	                a->l1_adaptive != b->l1_adaptive || a->unified_bytes != b->unified_bytes;
	s->llc_changed = ct_gpu_llc_bytes(a) != ct_gpu_llc_bytes(b) || a->llc.ways != b->llc.ways;
	return st == CT_OK ? c.status : st;
}

/* ---- replaying the trace that TR names ---- */

static int keep_provenance(const struct ct_profile *old, struct ct_profile *new, struct ct_error *e)
{
	const struct ct_record *r;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(old, "PG", &i));)
		st = ct_profile_add(new, "PG", r->nfields, r->field, e);
	return st;
}

/* Whether the new profile is of what the old one is of, or the replay would answer another question. */
static int same_work(const struct ct_profile *old, const struct ct_profile *new,
                     const struct ct_trace *trace, struct ct_error *e)
{
	double warp_insts;
	if (!ct_profile_get(new, "all", "warp_insts", &warp_insts))
		warp_insts = 0;
	return ct_pass_same_trace(old, trace, (uint64_t)warp_insts, e);
}

int ct_stage_replay(struct ct_tool *t, struct ct_stage *s, const char *why, struct ct_profile **out,
                    struct ct_error *e)
{
	struct ct_trace *trace = NULL;
	struct ct_pass_settings settings;
	struct ct_profile *p = ct_tool_profile(e);
	struct ct_tool_pass pass = {.n_observers = 0};
	if (s->pass)
		pass = *s->pass;
	/* The commands behind this one find what the profile had before. */
	pass.without &= ~ct_pass_layers_of(s->p);
	if (!s->from_trace)
		pass.unwatched = 0;
	int st = p ? keep_provenance(s->p, p, e) : CT_ERR_NOMEM;
	ct_tool_pass_settings(t, &settings);
	if (st == CT_OK)
		st = ct_pass_reopen(s->p, &settings, why, &trace, e);
	if (st == CT_OK)
		st = ct_tool_pass_run(t, trace, &s->gpu, &pass, p, e);
	if (st >= 0) {
		s->truncated = st;
		st = same_work(s->p, p, trace, e);
	}
	ct_trace_close(trace);
	*out = st == CT_OK ? p : NULL;
	if (st != CT_OK)
		ct_profile_free(p);
	return st;
}

void ct_stage_take(struct ct_stage *s, struct ct_profile *p)
{
	ct_profile_free(s->p);
	s->p = p;
	s->base = s->gpu;
	s->changed = s->l1_changed = s->llc_changed = 0;
	s->replayed = 1;
}

/* ---- open, emit ---- */

static int open_trace(struct ct_tool *t, struct ct_stage *s, struct ct_input *in, struct ct_error *e)
{
	s->p = ct_tool_profile(e);
	int st = s->p ? ct_tool_pass_run(t, in->trace, NULL, s->pass, s->p, e) : CT_ERR_NOMEM;
	if (st < 0)
		return st;
	s->truncated = st;
	st = gpu_of_profile(t, s->p, &s->base, e);
	s->gpu = s->base;
	return st;
}

static int tells_launches_apart(const struct ct_profile *p)
{
	const char *scope;
	for (size_t i = 0; (scope = ct_profile_scope(p, i)); i++)
		if (strncmp(scope, "kernel:", 7) == 0)
			return 1;
	return 0;
}

/* Options of the pass would change nothing about a profile that stays as it is. */
static int refuse_pass_options(const struct ct_tool *t, const struct ct_stage *s, struct ct_error *e)
{
	const char *option = t->filter                     ? "-k"
	                     : t->warmup                   ? "--warmup"
	                     : t->sample != 1              ? "--sample"
	                     : t->sample_kernels != 1      ? "--sample-kernels"
	                     : t->timing != CT_REPLAY_FULL ? "--timing"
	                     : s->pass && s->pass->per_kernel && !tells_launches_apart(s->p)
	                             ? "--per-kernel"
	                             : NULL;
	if (!option)
		return CT_OK;
	return ct_fail(e, CT_ERR_USAGE,
	               "%s needs the trace, and this is a profile: give it to reuse, or name the trace",
	               option);
}

/* What the GPU in force changes is replayed where `why` asks for it. */
static int follow_changes(struct ct_tool *t, struct ct_stage *s, const char *why, struct ct_error *e)
{
	struct ct_profile *p;
	int st = find_changes(t, s, why != NULL, e);
	if (st != CT_OK || !s->changed || !why)
		return st;
	st = ct_stage_replay(t, s, why, &p, e);
	if (st == CT_OK)
		ct_stage_take(s, p);
	return st;
}

static const char *method_replay(const struct ct_tool *t)
{
	return t->method == CT_METHOD_REPLAY && !replays_itself(t) ? "--method replay" : NULL;
}

static int open_profile(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	int st = ct_tool_scales(t) ? ct_stage_fit(t, s, e) : CT_OK;
	if (st == CT_OK && !s->replayed)
		st = follow_changes(t, s, method_replay(t), e);
	return st == CT_OK && !s->replayed ? refuse_pass_options(t, s, e) : st;
}

int ct_stage_open_profile(struct ct_tool *t, struct ct_stage *s, struct ct_profile *p,
                          const struct ct_tool_pass *pass, const char *why, struct ct_error *e)
{
	*s = (struct ct_stage){.p = p, .pass = pass};
	return follow_changes(t, s, why ? why : method_replay(t), e);
}

int ct_stage_open(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	return ct_stage_open_pass(t, s, NULL, e);
}

int ct_stage_open_pass(struct ct_tool *t, struct ct_stage *s, const struct ct_tool_pass *pass,
                       struct ct_error *e)
{
	struct ct_input in;
	memset(s, 0, sizeof *s);
	s->pass = pass;
	if (t->operands > 1)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s: one input is read, and %s is another: to join profiles use "
		               "reuse --merge",
		               t->operand[0], t->operand[1]);
	int st = ct_tool_open_input(t, 0, &in, e);
	if (st != CT_OK)
		return st;
	s->from_trace = in.trace != NULL;
	if (in.trace) {
		st = open_trace(t, s, &in, e);
	} else {
		s->p = in.profile;
		in.profile = NULL;
		s->truncated = ct_tool_truncated(t, s->p);
		st = open_profile(t, s, e);
	}
	ct_input_close(&in);
	if (st != CT_OK)
		ct_stage_close(s);
	return st;
}

void ct_stage_close(struct ct_stage *s)
{
	ct_profile_free(s->p);
	s->p = NULL;
}

int ct_stage_emit(struct ct_tool *t, struct ct_stage *s,
                  int (*table)(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                               struct ct_error *e),
                  struct ct_error *e)
{
	int st = ct_tool_provenance(t, s->p, e);
	if (st == CT_OK)
		st = ct_tool_emit(t, s->p, table, e);
	return st == CT_OK ? s->truncated : st;
}

#include "common/stage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/units.h"
#include "common/pass.h"

/* Keys that a profile can follow: capacities, latencies, bandwidths, energies. All
 * others change which accesses there are, or in which order. A name that ends in '.'
 * stands for a group. */
static const char *const followed[] = {
	"name", "clock.", "l1.size", "l1.sets", "l1.ways", "l1.adaptive", "l1.unified", "l1.latency",
	"l1.banks", "l1.port", "llc.size", "llc.sets", "llc.ways", "llc.slices", "llc.partitions",
	"llc.latency", "llc.banks", "llc.port", "llc.queue", "shmem.latency", "dram.", "noc.flit",
	"noc.header", "noc.packet_flits_one", "noc.latency", "noc.hop", "unit.", "sm.launch_cycles",
	"sm.cta_launch_cycles", "power.", "energy.",
};

/* Those of them whose effect on time the closed network knows, or that have none. */
static const char *const timed[] = {
	"name", "clock.", "l1.size", "l1.sets", "l1.ways", "l1.adaptive", "l1.unified", "l1.latency",
	"llc.size", "llc.sets", "llc.ways", "llc.slices", "llc.latency", "dram.latency",
	"dram.channels", "dram.bus", "dram.burst", "dram.data_ratio", "dram.rcd", "dram.cl", "power.",
	"energy.", "sm.count",
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
	int need_trace_ok; /* --method replay: any change will be replayed */
	int sms_ok;        /* --check where both methods know of the SM count */
	int status;
};

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
		c->status = ct_fail(c->e, CT_ERR_USAGE,
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
static int compares(const struct ct_tool *t)
{
	return t->check && (t->spec->takes & CT_TAKES_BOTH);
}

static int find_changes(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct compare c = {s->p, s, e, t->method == CT_METHOD_REPLAY && !compares(t), compares(t), CT_OK};
	int st = gpu_of_profile(t, s->p, &s->base, e);
	if (st == CT_OK)
		st = ct_tool_gpu(t, s->p, &s->gpu, e);
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

static int is_there(const char *path, struct stat *s)
{
	return stat(path, s) == 0;
}

/* Where the trace lies: the path of TR, or under --trace-root (whole, then by name). */
static int locate(const struct ct_tool *t, const char *path, struct ct_buf *b, struct ct_error *e)
{
	const char *slash = strrchr(path, '/');
	struct stat s;
	if (strcmp(path, "-") == 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "the profile's trace came from standard input: name the trace as operand");
	if (!t->trace_root) {
		ct_buf_puts(b, path);
	} else {
		ct_buf_printf(b, "%s/%s", t->trace_root, path);
		if (!b->failed && !is_there(b->data, &s) && slash) {
			ct_buf_reset(b);
			ct_buf_printf(b, "%s/%s", t->trace_root, slash + 1);
		}
	}
	if (b->failed)
		return ct_fail_nomem(e);
	if (!is_there(b->data, &s))
		return ct_fail(e, CT_ERR_IO, "%s: the profile's trace is not there: say --trace-root DIR",
		               b->data);
	if (!S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)) /* opening it may wait without end */
		return ct_fail(e, CT_ERR_USAGE, "%s: the profile's trace came from a pipe: name the trace as operand", b->data);
	return CT_OK;
}

/* Options that make the pass replay on the profile's GPU with this command's changes. */
static int collect_settings(struct ct_tool *t, const struct ct_profile *p, struct ct_tool *copy,
                            struct ct_buf *text, const char ***set, struct ct_error *e)
{
	const struct ct_record *r;
	size_t i = 0, n = 0, at = 0;
	*copy = *t;
	copy->scale = 0;
	if (!t->gpu_name)
		while ((r = ct_profile_next(p, "GP", &i))) {
			ct_buf_printf(text, "%s=%s", r->field[0], r->field[1]);
			ct_buf_putc(text, '\0');
			n++;
		}
	*set = ct_calloc(n + t->n_set, sizeof **set);
	if (!*set || text->failed)
		return ct_fail_nomem(e);
	for (i = 0; i < n; i++, at += strlen(text->data + at) + 1)
		(*set)[i] = text->data + at;
	for (i = 0; i < t->n_set; i++)
		(*set)[n + i] = t->set[i];
	copy->set = *set;
	copy->n_set = n + t->n_set;
	return CT_OK;
}

/* The same bytes and the same launches, or the replay would answer another question. */
static int same_work(const struct ct_profile *old, const struct ct_profile *new,
                     struct ct_error *e)
{
	size_t i = 0, k = 0;
	const struct ct_record *a = ct_profile_next(old, "TR", &i), *b = ct_profile_next(new, "TR", &k);
	double x, y;
	if (!a || !b || strcmp(a->field[3], b->field[3]) != 0)
		return ct_fail(e, CT_ERR_INPUT, "%s: not the trace the profile was made from: its digest differs",
		               b ? b->field[0] : "trace");
	if (!ct_profile_get(old, "all", "warp_insts", &x) ||
	    !ct_profile_get(new, "all", "warp_insts", &y) || x != y)
		return ct_fail(e, CT_ERR_USAGE,
		               "the replay covers other kernels than the profile: give the -k, --warmup and "
		               "--salvage that the profile was made with");
	return CT_OK;
}

static int keep_provenance(const struct ct_profile *old, struct ct_profile *new,
                           struct ct_error *e)
{
	const struct ct_record *r;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(old, "PG", &i));)
		st = ct_profile_add(new, "PG", r->nfields, r->field, e);
	return st;
}

/* Path of the one trace that TR names. */
static int find_trace(const struct ct_tool *t, const struct ct_stage *s, const char *why,
                      struct ct_buf *path, struct ct_error *e)
{
	size_t i = 0;
	const struct ct_record *tr = ct_profile_next(s->p, "TR", &i);
	if (!tr || ct_profile_next(s->p, "TR", &i))
		return ct_fail(e, CT_ERR_USAGE, "%s needs a profile of one trace: this one has %s", why,
		               tr ? "several" : "none");
	return locate(t, tr->field[0], path, e);
}

int ct_stage_replay(struct ct_tool *t, struct ct_stage *s, const char *why,
                    struct ct_profile **out, struct ct_error *e)
{
	struct ct_trace *trace = NULL;
	struct ct_tool copy;
	struct ct_buf text = {0};
	const char **set = NULL;
	struct ct_profile *p = ct_profile_new(e);
	int st = p ? keep_provenance(s->p, p, e) : CT_ERR_NOMEM;
	if (st == CT_OK)
		st = collect_settings(t, s->p, &copy, &text, &set, e);
	if (st == CT_OK)
		st = ct_stage_trace(t, s, why, &trace, e);
	if (st == CT_OK)
		st = ct_pass_run(&copy, trace, s->pass, p, e);
	if (st >= 0) {
		s->truncated = st;
		st = same_work(s->p, p, e);
	}
	ct_trace_close(trace);
	free(set);
	ct_buf_free(&text);
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
}

int ct_stage_trace(struct ct_tool *t, const struct ct_stage *s, const char *why,
                   struct ct_trace **trace, struct ct_error *e)
{
	struct ct_trace_options o;
	struct ct_buf path = {0};
	ct_tool_trace_options(t, &o);
	int st = find_trace(t, s, why, &path, e);
	if (st == CT_OK)
		st = ct_trace_open(trace, path.data, &o, e);
	ct_buf_free(&path);
	return st;
}

int ct_stage_same_trace(const struct ct_stage *s, const struct ct_trace *trace,
                        uint64_t warp_insts, struct ct_error *e)
{
	struct ct_profile *p = ct_profile_new(e);
	int st = p ? ct_tool_add_trace(p, trace, e) : CT_ERR_NOMEM;
	if (st == CT_OK)
		st = ct_profile_add_count(p, "all", "warp_insts", warp_insts, NULL, "replay", e);
	if (st == CT_OK)
		st = same_work(s->p, p, e);
	ct_profile_free(p);
	return st;
}

/* ---- open, emit ---- */

static int open_trace(struct ct_tool *t, struct ct_stage *s, struct ct_input *in,
                      struct ct_error *e)
{
	s->p = ct_profile_new(e);
	int st = s->p ? ct_pass_run(t, in->trace, s->pass, s->p, e) : CT_ERR_NOMEM;
	if (st < 0)
		return st;
	s->truncated = st;
	st = gpu_of_profile(t, s->p, &s->base, e);
	s->gpu = s->base;
	return st;
}

/* Options of the pass would change nothing about a profile that stays as it is. */
static int refuse_pass_options(const struct ct_tool *t, const struct ct_stage *s,
                               struct ct_error *e)
{
	const char *option = t->filter ? "-k" : t->warmup ? "--warmup" : t->sample != 1 ? "--sample"
	                   : s->pass && s->pass->timing != CT_REPLAY_FULL ? "--timing" : NULL;
	if (!option)
		return CT_OK;
	return ct_fail(e, CT_ERR_USAGE,
	               "%s needs the trace, and this is a profile: give it to reuse, or name the trace", option);
}

static int open_profile(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	int st = find_changes(t, s, e);
	if (st == CT_OK && s->changed && t->method == CT_METHOD_REPLAY && !compares(t)) {
		struct ct_profile *p;
		st = ct_stage_replay(t, s, "--method replay", &p, e);
		if (st == CT_OK)
			ct_stage_take(s, p);
		return st;
	}
	return st == CT_OK ? refuse_pass_options(t, s, e) : st;
}

int ct_stage_open(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	return ct_stage_open_pass(t, s, NULL, e);
}

int ct_stage_open_pass(struct ct_tool *t, struct ct_stage *s, const struct ct_pass_options *pass,
                       struct ct_error *e)
{
	struct ct_input in;
	memset(s, 0, sizeof *s);
	s->pass = pass;
	if (t->operands > 1)
		return ct_fail(e, CT_ERR_USAGE, "%s: one input is read, and %s is another: to join profiles use "
		               "reuse --merge", t->operand[0], t->operand[1]);
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

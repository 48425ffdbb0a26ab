/* job.c - one input: its profile, the estimates, the verdicts, and what is kept of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "common/digest.h"
#include "common/estimator.h"
#include "common/pass.h"
#include "common/plugin.h"
#include "common/plugin_records.h"
#include "common/question.h"
#include "common/stage.h"
#include "models/common/workload.h"
#include "models/observers.h"
#include "models/verdict/judge.h"
#include "triage/triage.h"

/* What is asked about one input: a question to each mechanism that is judged. */
struct asked {
	struct ct_question question[CT_MECHANISMS_MAX];
	int status[CT_MECHANISMS_MAX];          /* how its estimate went */
	struct ct_error why[CT_MECHANISMS_MAX]; /* where that failed */
	struct ct_workload workload;
	int workload_status;
	struct ct_error workload_why;
	struct ct_stage stage;
	struct ct_judge judge;
	uint32_t judged; /* those that are asked here, a bit each: plugins in processes of their own */
};

static uint32_t all_judged(const struct tr_own *o)
{
	return o->mechanisms ? o->mechanisms : ct_mechanisms_published();
}

static int is_judged(const struct asked *a, unsigned m)
{
	return a->judged >> m & 1;
}

/* ---- estimates ---- */

static int open_questions(struct ct_tool *t, struct asked *a, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	int st = CT_OK;
	for (unsigned m = 0; m < ct_mechanism_count() && st == CT_OK; m++) {
		if (!is_judged(a, m))
			continue;
		a->question[m].run.judged_only = o->rows_only;
		a->question[m].run.charted = o->charted;
		st = ct_question_open(&a->question[m], t, ct_mechanism_at(m), e);
	}
	return st;
}

/* Whether p holds an estimate by m's estimator. The pass of a mechanism whose histograms are enough may have replayed some
 * of its systems, which is no estimate yet: that one has the baseline's speed-up too. */
static int is_estimated(const struct ct_profile *p, const struct ct_mechanism *m)
{
	struct ct_estimate es;
	int partly = m->observer && !m->needs_pass;
	return ct_verdict_possible(p, m) &&
	       (!partly ||
	        ct_profile_get_estimate(p, "all", m->name, m->baseline, "speedup", NULL, &es));
}

/* Asks one mechanism where the profile has no answer of it for the GPU in force. A mechanism whose estimate fails is
 * unknown, with the reason; no memory ends the job. What the profile has of another GPU is no estimate and goes. */
static int estimate_one(struct asked *a, unsigned i, struct ct_error *e)
{
	const struct ct_mechanism *m = ct_mechanism_at(i);
	struct ct_stage *s = &a->stage;
	struct ct_mechanism_run *run = &a->question[i].run;
	int can = m->measured ? m->measured(s->p) : 1, other = s->changed;
	if (can && (other || !is_estimated(s->p, m))) {
		ct_question_about(&a->question[i], s, a->workload_status == CT_OK ? &a->workload : NULL);
		run->pass_again = NULL; /* a table over many traces reads each of them once */
		if (a->workload_status != CT_OK)
			a->status[i] = ct_fail(&a->why[i], a->workload_status, "%s",
			                       a->workload_why.text);
		else
			a->status[i] = m->estimate(run, &a->why[i]);
	}
	if (a->status[i] == CT_ERR_NOMEM || a->status[i] == CT_ERR_USAGE)
		return ct_fail(e, a->status[i], "%s", a->why[i].text);
	if (!other || (can && a->status[i] == CT_OK))
		return CT_OK;
	if (!can && ct_verdict_possible(s->p, m))
		a->status[i] = ct_fail(&a->why[i], CT_ERR_INPUT,
		                       "the profile's %s was measured on another GPU: name the "
		                       "trace instead of the profile",
		                       m->name);
	ct_profile_remove(s->p, "ES", ct_est_of_mechanism, (void *)m->name);
	return CT_OK;
}

/* Replays what the estimates leave open; a profile's trace that cannot be read again leaves it open. */
static int replay_open(struct asked *a, struct ct_error *e)
{
	for (unsigned m = 0; m < ct_mechanism_count(); m++)
		if (is_judged(a, m)) {
			ct_question_about(&a->question[m], &a->stage,
			                  a->workload_status == CT_OK ? &a->workload : NULL);
			ct_question_judge(&a->question[m], &a->judge);
		}
	return ct_judge_replays(&a->judge, e);
}

/* Of a trace nothing is missing but what --method analytic has left out, be it asked for or chosen by --budget. */
static int is_left_out(const struct ct_tool *t, const struct asked *a, const struct ct_mechanism *m)
{
	return t->method == CT_METHOD_ANALYTIC && a->stage.from_trace && m->needs_pass && m->measured &&
	       !m->measured(a->stage.p) && !ct_verdict_possible(a->stage.p, m);
}

static int judge_mechanism(const struct ct_tool *t, struct asked *a, const char *name, unsigned i,
                           struct ct_error *e)
{
	struct ct_verdict v;
	if (ct_verdict_decide(a->stage.p, ct_mechanism_at(i), &v) < 0)
		return ct_fail_nomem(e);
	if (a->status[i] < 0 && v.word == CT_UNKNOWN)
		snprintf(v.reason, sizeof v.reason, "%.200s", a->why[i].text);
	else if (v.word == CT_UNKNOWN && is_left_out(t, a, ct_mechanism_at(i)))
		snprintf(v.reason, sizeof v.reason,
		         "not measured with --method analytic, asked for or chosen by --budget: leave "
		         "that out");
	ct_judge_tell(&a->judge, &v);
	return ct_verdict_write(a->stage.p, name, ct_mechanism_at(i), &v, e);
}

/* Replays those that are together, and writes what comes of it. */
static int judge_together(struct ct_tool *t, struct asked *a, const char *name, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	struct ct_together x;
	struct ct_verdict v;
	int st = ct_with_run(t, &a->stage, a->workload_status == CT_OK ? &a->workload : NULL, &o->with,
	                     &x, e);
	if (st != CT_OK)
		return st;
	ct_together_verdict(&x, a->stage.p, &v);
	return ct_verdict_write(a->stage.p, name, &o->together, &v, e);
}

/* ---- what tables draw ---- */

uint32_t tr_curves(const struct ct_profile *p, double curve[CT_MECHANISMS_MAX][CT_CURVE_POINTS],
                   int *failed)
{
	uint32_t has = 0;
	for (unsigned m = 0; m < ct_mechanism_count(); m++) {
		enum ct_mechanism_curve draws = ct_mechanism_at(m)->curve;
		int known = draws == CT_DRAWS_LLC  ? ct_curve_of(p, "all", "llc", curve[m])
		            : draws == CT_DRAWS_L1 ? ct_curve_of(p, "all", "l1", curve[m])
		                                   : ct_curve_of_registers(p, "all", curve[m]);
		*failed |= known < 0;
		has |= (uint32_t)(known > 0) << m;
	}
	return has;
}

/* ---- what is kept ---- */

/* DIR/NAME-HASH.profile; the hash is that of the path, so that equal names stay apart. */
static int kept_path(const struct tr_own *o, const char *path, struct ct_buf *b, struct ct_error *e)
{
	char name[CT_WORKLOAD_NAME_MAX];
	ct_workload_name_of_path(path, name, sizeof name);
	for (char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c < 0x21 || *c == 0x7f)
			*c = '_';
	uint64_t hash = 0;
	for (const char *c = path; *c; c++)
		hash = ct_fnv_byte(hash, (unsigned char)*c);
	ct_buf_printf(b, "%s/%.100s-%08lx.profile", o->resume, name,
	              (unsigned long)((hash ^ hash >> 32) & UINT32_MAX));
	return ct_buf_check(b, e);
}

/* Digest of an input's bytes and of what this command line does to them, as text. */
static int digest_of(struct ct_tool *t, const char *path, char out[32], struct ct_error *e)
{
	const struct tr_own *o = t->own;
	const uint32_t own[3] = {o->mechanisms, (uint32_t)o->rows_only, (uint32_t)(o->budget * 1000)};
	const char *with = o->with_text ? o->with_text : "";
	uint64_t crc = ct_crc64(0, with, strlen(with));
	int st = ct_digest_input(t, path, &crc, e);
	if (st == CT_OK)
		st = ct_digest_settings(t, &crc, e);
	snprintf(out, 32, "crc64:%016llx", (unsigned long long)ct_crc64(crc, own, sizeof own));
	return st;
}

/* The kept profile, when its DG record says it is of the same bytes and options. */
static struct ct_profile *take_kept(const char *file, const char *digest)
{
	struct ct_source *s;
	struct ct_profile *p = NULL;
	const struct ct_record *r;
	size_t i = 0;
	if (ct_source_open(&s, file, NULL, NULL) != CT_OK)
		return NULL;
	if (ct_profile_read(&p, s, 1, NULL) != CT_OK)
		p = NULL;
	ct_source_close(s);
	r = p ? ct_profile_next(p, "DG", &i) : NULL;
	if (r && r->nfields >= 2 && strcmp(r->field[1], digest) == 0)
		return p;
	ct_profile_free(p);
	return NULL;
}

static int keep_profile(const char *file, const char *digest, struct ct_profile *p, struct ct_error *e)
{
	const char *f[2] = {"triage", digest};
	struct ct_buf b = {0};
	struct ct_out *out;
	int st = ct_profile_put(p, "DG", 2, f, e);
	if (st == CT_OK)
		st = ct_profile_write(p, &b, e);
	if (st == CT_OK && (st = ct_out_open(&out, file, 0, e)) == CT_OK) {
		st = ct_out_write(out, b.data, b.len, e);
		if (st == CT_OK)
			st = ct_out_commit(out, e);
		else
			ct_out_abort(out);
	}
	ct_buf_free(&b);
	return st;
}

/* ---- the job ---- */

/* Estimates, replays of what they leave open, and verdicts of the mechanisms that are asked in this process. Before their
 * GPU is put into the profile plugins are asked: more() may be NULL. */
static int judge_all(struct ct_tool *t, struct asked *a, const char *name,
                     int (*more)(struct ct_tool *, struct asked *, const char *, struct ct_error *),
                     struct ct_error *e)
{
	struct ct_stage *s = &a->stage;
	int st = CT_OK;
	for (unsigned m = 0; m < ct_mechanism_count() && st == CT_OK; m++)
		if (is_judged(a, m))
			st = estimate_one(a, m, e);
		else if (s->changed && !(ct_mechanism_plugins() >> m & 1))
			ct_profile_remove(s->p, "ES", ct_est_of_mechanism,
			                  (void *)ct_mechanism_at(m)->name);
	if (st == CT_OK && more)
		st = more(t, a, name, e);
	/* Reasons hold the estimates against the numbers of the GPU in force. */
	if (st == CT_OK)
		st = ct_stage_retarget(t, s, e);
	if (st == CT_OK && t->method != CT_METHOD_ANALYTIC)
		st = replay_open(a, e);
	for (unsigned m = 0; m < ct_mechanism_count() && st == CT_OK; m++)
		if (is_judged(a, m))
			st = judge_mechanism(t, a, name, m, e);
	return st;
}

/* ---- plugins ---- */

/* What a plugin is asked: in its process the stage is that of the others, so far. */
struct asked_plugin {
	struct ct_tool *t;
	struct asked *a;
	const char *name;
	unsigned m;
	struct ct_tool_pass pass;
	const struct ct_pass_observer *observer[1];
};

/* A mechanism that has to see a pass makes one, since its functions were not there in the first. */
static int measure_plugin(struct asked_plugin *x, struct ct_error *e)
{
	struct ct_question *q = &x->a->question[x->m];
	const struct ct_mechanism *m = q->run.mechanism;
	struct ct_stage *s = &x->a->stage;
	struct ct_profile *p;
	if (!m->observer || !m->needs_pass || !m->measured || m->measured(s->p))
		return CT_OK;
	x->observer[0] = &q->observer;
	x->pass = (struct ct_tool_pass){.observers = x->observer, .n_observers = 1};
	s->pass = &x->pass;
	int st = ct_stage_replay(x->t, s, m->name, &p, e);
	if (st == CT_OK)
		ct_stage_take(s, p);
	return st;
}

static int work_of_plugin(void *ctx, struct ct_buf *reply, struct ct_error *e)
{
	struct asked_plugin *x = ctx;
	struct asked *a = x->a;
	const struct tr_own *o = x->t->own;
	int st;
	a->judged = UINT32_C(1) << x->m;
	a->question[x->m].run.judged_only = o->rows_only;
	a->question[x->m].run.charted = !o->rows_only;
	st = ct_question_open(&a->question[x->m], x->t, ct_mechanism_at(x->m), e);
	if (st == CT_OK)
		st = measure_plugin(x, e);
	if (st == CT_OK)
		st = judge_all(x->t, a, x->name, NULL, e);
	return st == CT_OK ? ct_plugin_records(a->stage.p, UINT32_C(1) << x->m, NULL, reply, e) : st;
}

/* The verdict on a plugin that has not answered. */
static int tell_broken(struct asked *a, const char *name, unsigned m, const struct ct_error *why,
                       struct ct_error *e)
{
	struct ct_verdict v = {
		.word = CT_UNKNOWN,
		.speedup = NAN,
		.low = NAN,
		.high = NAN,
		.alternative_speedup = NAN,
		.sms_used = NAN,
		.sms_asked = NAN};
	snprintf(v.reason, sizeof v.reason, "%.400s", why->text);
	ct_judge_tell(&a->judge, &v);
	return ct_verdict_write(a->stage.p, name, ct_mechanism_at(m), &v, e);
}

/* Each plugin about the same stage, in a process of its own. One that breaks has an unknown verdict. */
static int ask_plugins(struct ct_tool *t, struct asked *a, const char *name, struct ct_error *e)
{
	const uint32_t plugins = all_judged(t->own) & ct_mechanism_plugins();
	int st = CT_OK;
	for (unsigned m = 0; m < ct_mechanism_count() && st == CT_OK; m++) {
		struct asked_plugin x = {.t = t, .a = a, .name = name, .m = m};
		struct ct_buf reply = {0};
		struct ct_error why = {0};
		int broken;
		if (!(plugins >> m & 1))
			continue;
		st = ct_plugin_run(t, UINT32_C(1) << m, work_of_plugin, &x, &reply, &broken, &why);
		if (st == CT_OK)
			st = ct_plugin_take_records(
				a->stage.p, UINT32_C(1) << m, NULL, &reply, &broken, &why);
		if (broken) {
			ct_plugin_tell(t, &why);
			st = tell_broken(a, name, m, &why, e);
		} else if (st != CT_OK) {
			ct_fail(e, st, "%s", why.text);
		}
		ct_buf_free(&reply);
	}
	return st;
}

struct asked_together {
	struct ct_tool *t;
	struct asked *a;
	const char *name;
};

static int work_of_together(void *ctx, struct ct_buf *reply, struct ct_error *e)
{
	const struct asked_together *x = ctx;
	const struct tr_own *o = x->t->own;
	int st = judge_together(x->t, x->a, x->name, e);
	return st == CT_OK ? ct_plugin_records(x->a->stage.p, 0, o->together.name, reply, e) : st;
}

/* Those that are together: where plugins are among them in a process with all of these. */
static int ask_together(struct ct_tool *t, struct asked *a, const char *name, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	const uint32_t plugins = ct_with_mask(&o->with) & ct_mechanism_plugins();
	struct asked_together x = {t, a, name};
	struct ct_buf reply = {0};
	int broken;
	if (!plugins)
		return judge_together(t, a, name, e);
	int st = ct_plugin_run(t, plugins, work_of_together, &x, &reply, &broken, e);
	if (st == CT_OK)
		st = ct_plugin_take_records(a->stage.p, 0, o->together.name, &reply, &broken, e);
	ct_buf_free(&reply);
	if (broken)
		ct_plugin_tell(t, e);
	return broken ? CT_OK : st;
}

static int estimate_all(struct ct_tool *t, struct asked *a, const char *name, struct ct_error *e)
{
	struct ct_stage *s = &a->stage;
	a->workload_status = ct_workload_read(&a->workload, s->p, s->base.sms,
	                                      (double)ct_gpu_register_bytes(&s->base), &a->workload_why);
	a->workload.cache = ct_miss_cache_new(); /* without one it only takes longer */
	if (s->changed) {
		ct_profile_remove(s->p, "SW", NULL, NULL);
		ct_judge_forget(s->p);
	}
	int st = judge_all(t, a, name, ask_plugins, e);
	if (st == CT_OK && ((const struct tr_own *)t->own)->with.n)
		st = ask_together(t, a, name, e);
	ct_miss_cache_free(a->workload.cache);
	return st;
}

/* The pass measures what no histogram can express, and leaves out the views that nobody asks for. */
static void choose_measurements(const struct ct_tool *t, struct asked *a,
                                const struct ct_pass_observer **observer, struct ct_tool_pass *pass)
{
	const struct tr_own *own = t->own;
	uint32_t judged = ct_with_mask(&own->with);
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		const struct ct_mechanism *m = ct_mechanism_at(i);
		if (!(all_judged(own) >> i & 1))
			continue;
		judged |= UINT32_C(1) << i;
		if (m->needs_pass && m->observer)
			observer[pass->n_observers++] = &a->question[i].observer;
	}
	pass->annotate = own->html && t->sample == 1 && !t->warmup && t->sample_kernels == 1;
	pass->observers = observer;
	if (own->rows_only) {
		ct_tool_pass_for(NULL, pass, judged);
		if (ct_tool_prints_records(t)) /* RT among them, which no verdict reads */
			pass->without &= ~(1u << CT_PASS_TIMES);
	} else if (ct_mechanisms_without(judged) >> CT_PASS_LLC_SMS & 1) {
		pass->without = 1u << CT_PASS_LLC_SMS;
	}
}

static int measure_input(struct ct_tool *t, struct asked *a, const char *path, struct ct_profile **out,
                         char *name, struct ct_error *e)
{
	const struct ct_pass_observer *observer[CT_MECHANISMS_MAX];
	struct ct_tool_pass pass = {0};
	struct ct_tool copy = *t;
	char *operand[1] = {(char *)path};
	copy.operand = operand;
	copy.operands = 1;
	a->judged = all_judged(t->own) & ~ct_mechanism_plugins();
	int st = ((const struct tr_own *)t->own)->budget > 0 ? tr_budget(&copy, path, e) : CT_OK;
	if (st == CT_OK)
		st = open_questions(&copy, a, e);
	if (st == CT_OK) {
		choose_measurements(&copy, a, observer, &pass);
		st = ct_stage_open_pass(&copy, &a->stage, &pass, e);
	}
	if (st == CT_OK) {
		ct_workload_name(a->stage.p, path, name, CT_WORKLOAD_NAME_MAX);
		st = ct_tool_provenance(t, a->stage.p, e);
		if (st == CT_OK)
			st = estimate_all(&copy, a, name, e);
		if (st == CT_OK) {
			st = a->stage.truncated;
			*out = a->stage.p;
			a->stage.p = NULL;
		}
		ct_stage_close(&a->stage);
	}
	for (unsigned m = 0; m < ct_mechanism_count(); m++)
		ct_question_close(&a->question[m]);
	ct_keep_end(&copy.keep);
	t->warnings = copy.warnings;
	t->plugin_broken = copy.plugin_broken;
	return st;
}

static int ask_input(struct ct_tool *t, const char *path, struct ct_profile **out, char *name,
                     struct ct_error *e)
{
	struct asked *a = ct_calloc(1, sizeof *a);
	int st = a ? measure_input(t, a, path, out, name, e) : ct_fail_nomem(e);
	free(a);
	return st;
}

int tr_job_run(struct ct_tool *t, const char *path, struct ct_profile **out, char *name, int *kept,
               struct ct_error *e)
{
	const struct tr_own *o = t->own;
	struct ct_buf file = {0};
	char digest[32];
	*kept = 0;
	*out = NULL;
	if (!o->resume)
		return ask_input(t, path, out, name, e);
	int st = kept_path(o, path, &file, e);
	if (st == CT_OK)
		st = digest_of(t, path, digest, e);
	if (st == CT_OK && (*out = take_kept(file.data, digest))) {
		ct_workload_name(*out, path, name, CT_WORKLOAD_NAME_MAX);
		*kept = 1;
	} else if (st == CT_OK) {
		st = ask_input(t, path, out, name, e);
		/* What was cut short is not kept: the next run may have the whole trace, or a plugin that does not break. */
		if (st == CT_OK && !t->plugin_broken)
			st = keep_profile(file.data, digest, *out, e);
	}
	ct_buf_free(&file);
	return st;
}

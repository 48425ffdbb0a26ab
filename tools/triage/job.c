/* job.c - one input: its profile, the estimates, the verdicts, and what is kept of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "common/estimator.h"
#include "common/mechanism.h"
#include "common/stage.h"
#include "models/malekeh/system.h"
#include "models/morpheus/estimate.h"
#include "models/shared_l1/estimate.h"
#include "models/shared_l1/replayed.h"
#include "models/tag_split/estimate.h"
#include "triage/triage.h"

/* ---- estimates ---- */

/* Calls set() with each -p that is the model's: one of the prefixes, NULL at the end. */
static int model_settings(const struct ct_tool *t, const char *const *prefix, void *params,
                          int (*set)(void *params, const char *assignment, struct ct_error *e),
                          struct ct_error *e)
{
	int st = CT_OK;
	for (; *prefix; prefix++)
		for (size_t i = 0; i < t->n_set && st == CT_OK; i++)
			if (!strncmp(t->set[i], *prefix, strlen(*prefix)))
				st = set(params, t->set[i], e);
	return st;
}

static int set_morpheus(void *params, const char *assignment, struct ct_error *e)
{
	return ct_morpheus_set(params, assignment, e);
}

static int rows_only(const struct ct_tool *t)
{
	return ((const struct tr_own *)t->own)->rows_only;
}

static unsigned of_morpheus(const struct ct_tool *t)
{
	return rows_only(t)
	           ? ct_mo_systems_for((size_t)ct_mo_system_find(ct_mechanism_system(CT_MORPHEUS)))
	           : CT_MO_ALL_SYSTEMS;
}

static int morpheus(const struct ct_tool *t, struct ct_stage *s, const struct ct_workload *w,
                    struct ct_error *e)
{
	static const char *const ours[] = {"morpheus.", NULL};
	struct ct_morpheus_params params;
	struct ct_mo_answer *a = ct_calloc(1, sizeof *a);
	ct_morpheus_defaults(&params);
	int st = a ? model_settings(t, ours, &params, set_morpheus, e) : ct_fail_nomem(e);
	if (st == CT_OK)
		st = ct_mo_answer_init_some(a, w, &s->base, &s->gpu, &params, NULL, of_morpheus(t), e);
	if (st == CT_OK) {
		st = ct_mo_answer_write(a, s->p, e);
		if (st == CT_OK && !rows_only(t))
			st = ct_mo_answer_curve(a, s->p, e); /* for report's chart */
		ct_mo_answer_free(a);
	}
	free(a);
	return st;
}

static int set_shared_l1(void *params, const char *assignment, struct ct_error *e)
{
	return ct_sl_set(params, assignment, e);
}

static int shared_l1(const struct ct_tool *t, struct ct_stage *s, const struct ct_workload *w,
                     struct ct_error *e)
{
	static const char *const ours[] = {"shared-l1.", "shared_l1.", "sharedl1.", NULL};
	struct ct_sl_params params;
	struct ct_sl_answer *a = ct_calloc(1, sizeof *a);
	ct_sl_defaults(&params);
	if (s->changed)
		ct_sl_replayed_drop(s->p);
	int st = a ? model_settings(t, ours, &params, set_shared_l1, e) : ct_fail_nomem(e);
	if (st == CT_OK)
		st = ct_sl_answer_init(a, s->p, w, &s->base, &s->gpu, &params, NULL, e);
	if (st == CT_OK) {
		st = ct_sl_answer_write(a, s->p, e);
		ct_sl_answer_free(a);
	}
	free(a);
	return st;
}

static int set_tag_split(void *params, const char *assignment, struct ct_error *e)
{
	return ct_ts_set(params, assignment, e);
}

static int tag_split(const struct ct_tool *t, struct ct_stage *s, const struct ct_workload *w,
                     struct ct_error *e)
{
	static const char *const ours[] = {"tsc.", NULL};
	struct ct_ts_params params;
	struct ct_ts_answer *a = ct_calloc(1, sizeof *a);
	ct_ts_defaults(&params);
	int st = a ? model_settings(t, ours, &params, set_tag_split, e) : ct_fail_nomem(e);
	if (st == CT_OK)
		st = ct_ts_answer_init_some(a, s->p, w, &s->base, &s->gpu, &params,
		                            t->tag_split ? t->tag_split : CT_TS_ALL_SYSTEMS, e);
	if (st == CT_OK)
		st = ct_ts_answer_write(a, s->p, e);
	free(a);
	return st;
}

/* NULL: the estimates have to be in the profile. */
static int (*const estimator[CT_MECHANISMS])(const struct ct_tool *, struct ct_stage *,
                                             const struct ct_workload *, struct ct_error *) = {
	[CT_MORPHEUS] = morpheus,
	[CT_SHARED_L1] = shared_l1,
	[CT_TAG_SPLIT] = tag_split,
};

static int run_estimator(const struct ct_tool *t, struct ct_stage *s, enum ct_paper_mechanism m,
                         struct ct_error *e)
{
	struct ct_workload *w = ct_calloc(1, sizeof *w);
	int st = w ? ct_workload_read(w, s->p, s->base.sms, (double)ct_gpu_register_bytes(&s->base), e)
	           : ct_fail_nomem(e);
	if (st == CT_OK) {
		w->cache = ct_miss_cache_new(); /* without one it only takes longer */
		st = estimator[m](t, s, w, e);
		ct_miss_cache_free(w->cache);
	}
	free(w);
	return st;
}

/* A profile whose pass replayed some systems of shared L1s, but that no estimator has read. */
static int lacks_others(const struct ct_profile *p, enum ct_paper_mechanism m)
{
	struct ct_estimate es;
	return m == CT_SHARED_L1 && !ct_profile_get_estimate(p, "all", "shared-l1", "Private", "speedup", NULL, &es);
}

/* How the estimate of one mechanism went. */
struct said {
	int status;
	struct ct_error why;
};

/* A mechanism whose estimate fails is unknown, with the reason; no memory ends the job. What
 * the profile has of another GPU than the one in force is no estimate. */
static int estimate_one(struct ct_tool *t, struct ct_stage *s, enum ct_paper_mechanism m,
                        struct said *x, struct ct_error *e)
{
	int can = estimator[m] && (m != CT_TAG_SPLIT || ct_ts_measured_in(s->p));
	if (can && (s->changed || !ct_verdict_possible(s->p, m) || lacks_others(s->p, m)))
		x->status = run_estimator(t, s, m, &x->why);
	if (x->status == CT_ERR_NOMEM || x->status == CT_ERR_USAGE)
		return ct_fail(e, x->status, "%s", x->why.text);
	if (!s->changed || (can && x->status == CT_OK))
		return CT_OK;
	if (!can && ct_verdict_possible(s->p, m))
		x->status = ct_fail(&x->why, CT_ERR_INPUT, "the profile's %s was measured on another GPU: name the "
		                    "trace instead of the profile", ct_mechanism_name(m));
	ct_profile_remove(s->p, "ES", ct_est_of_mechanism, (void *)ct_mechanism_name(m));
	return CT_OK;
}

static int judge(struct ct_tool *t, struct ct_stage *s, const char *name, enum ct_paper_mechanism m,
                 const struct said *x, struct ct_error *e)
{
	struct ct_verdict v;
	/* Of a trace the command line knows; of a profile its provenance. */
	double scale = t->scale < 0 ? NAN : t->scale;
	ct_verdict_decide(s->p, m, scale, &v);
	if (x->status < 0 && v.word == CT_UNKNOWN) {
		snprintf(v.reason, sizeof v.reason, "%.200s", x->why.text);
		for (char *c = v.reason; *c; c++)
			*c = *c == '\t' || *c == '\n' ? ' ' : *c;
	}
	return ct_verdict_write(s->p, name, m, &v, e);
}

/* ---- what tables draw ---- */

unsigned tr_curves(const struct ct_profile *p, double curve[CT_MECHANISMS][CT_CURVE_POINTS])
{
	double l1 = ct_curve_lines(p, "l1.size", "l1.line");
	double llc = ct_curve_lines(p, "llc.size", "llc.line");
	unsigned has = 0;
	if (ct_curve_of(p, "all", "llc", llc, curve[CT_MORPHEUS]))
		has |= 1u << CT_MORPHEUS;
	if (ct_curve_of(p, "all", "l1", l1, curve[CT_SHARED_L1])) {
		memcpy(curve[CT_TAG_SPLIT], curve[CT_SHARED_L1], sizeof curve[CT_TAG_SPLIT]);
		has |= 1u << CT_SHARED_L1 | 1u << CT_TAG_SPLIT;
	}
	if (ct_curve_of_registers(p, "all", curve[CT_MALEKEH]))
		has |= 1u << CT_MALEKEH;
	return has;
}

/* ---- what is kept ---- */

/* DIR/NAME-HASH.profile; the hash is that of the path, so that equal names stay apart. */
static int kept_path(const struct tr_own *o, const char *path, struct ct_buf *b,
                     struct ct_error *e)
{
	char name[CT_WORKLOAD_NAME_MAX];
	ct_workload_name_of_path(path, name, sizeof name);
	for (char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c < 0x21 || *c == 0x7f)
			*c = '_';
	uint64_t hash = 0;
	for (const char *c = path; *c; c++)
		hash = ct_fnv_byte(hash, (unsigned char)*c);
	ct_buf_printf(b, "%s/%.100s-%08lx.profile", o->resume, name, (unsigned long)((hash ^ hash >> 32) & UINT32_MAX));
	return ct_buf_check(b, e);
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

static int keep(const char *file, const char *digest, struct ct_profile *p, struct ct_error *e)
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

static int wanted(const struct tr_own *o, int m)
{
	return !o->mechanisms || (o->mechanisms >> m & 1);
}

static int estimate_all(struct ct_tool *t, struct ct_stage *s, const char *name,
                        struct ct_error *e)
{
	struct said said[CT_MECHANISMS] = {{0}};
	int st = CT_OK;
	if (s->changed)
		ct_profile_remove(s->p, "SW", NULL, NULL);
	for (int m = 0; m < CT_MECHANISMS && st == CT_OK; m++)
		if (wanted(t->own, m))
			st = estimate_one(t, s, (enum ct_paper_mechanism)m, &said[m], e);
		else if (s->changed)
			ct_profile_remove(s->p, "ES", ct_est_of_mechanism, (void *)ct_mechanism_name((enum ct_paper_mechanism)m));
	/* Reasons hold the estimates against the numbers of the GPU in force. */
	if (st == CT_OK)
		st = ct_stage_retarget(t, s, e);
	for (int m = 0; m < CT_MECHANISMS && st == CT_OK; m++)
		if (wanted(t->own, m))
			st = judge(t, s, name, (enum ct_paper_mechanism)m, &said[m], e);
	return st;
}

/* 1 when the histograms of the pass are enough for it. */
static int estimator_alone(int m)
{
	return m == CT_MORPHEUS || m == CT_SHARED_L1;
}

/* The systems that a verdict and its reason speak of, and those they are compared with: where
 * only the rows are seen, the pass measures no others. mk[2] is what *r points at. */
static void only_verdicts(struct ct_tool *t, struct ct_malekeh_request *r, struct ct_mk_system *mk)
{
	static const char *const tag_split[] = {"128B", "configured"};
	t->tag_split = 1u << ct_ts_system_find(ct_mechanism_system(CT_TAG_SPLIT));
	for (size_t i = 0; i < sizeof tag_split / sizeof tag_split[0]; i++)
		t->tag_split |= 1u << ct_ts_system_find(tag_split[i]);
	mk[0] = *ct_mk_system_at(0); /* OCU */
	mk[1] = *ct_mk_system_at((size_t)ct_mk_system_find(ct_mechanism_system(CT_MALEKEH)));
	*r = (struct ct_malekeh_request){.systems = mk, .n = 2};
	t->malekeh = r;
}

static int measure(struct ct_tool *t, const char *path, struct ct_profile **out, char *name,
                   struct ct_error *e)
{
	struct ct_tool copy = *t;
	struct ct_stage *s = ct_calloc(1, sizeof *s);
	/* What no histogram can express is measured in the same pass. */
	struct ct_tool_pass pass = {.no_sms_views = !wanted(t->own, CT_MORPHEUS)};
	for (int m = 0; m < CT_MECHANISMS; m++) {
		unsigned one = 0;
		if (wanted(t->own, m) && !estimator_alone(m) &&
		    ct_pass_mechanisms_parse(ct_mechanism_name((enum ct_paper_mechanism)m), &one, NULL) == CT_OK)
			pass.mechanisms |= one;
	}
	char *operand[1] = {(char *)path};
	struct ct_malekeh_request request;
	struct ct_mk_system mk[2];
	if (!s)
		return ct_fail_nomem(e);
	if (rows_only(t))
		only_verdicts(&copy, &request, mk);
	copy.operand = operand;
	copy.operands = 1;
	int st = ct_stage_open_pass(&copy, s, &pass, e);
	if (st == CT_OK) {
		ct_workload_name(s->p, path, name, CT_WORKLOAD_NAME_MAX);
		st = ct_tool_provenance(t, s->p, e);
		if (st == CT_OK)
			st = estimate_all(&copy, s, name, e);
		if (st == CT_OK) {
			st = s->truncated;
			*out = s->p;
			s->p = NULL;
		}
		ct_stage_close(s);
	}
	t->warnings = copy.warnings;
	free(s);
	return st;
}

int tr_job_run(struct ct_tool *t, const char *path, struct ct_profile **out, char *name,
               int *kept, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	struct ct_buf file = {0};
	char digest[32];
	*kept = 0;
	*out = NULL;
	if (!o->resume)
		return measure(t, path, out, name, e);
	int st = kept_path(o, path, &file, e);
	if (st == CT_OK)
		st = tr_digest(t, path, digest, e);
	if (st == CT_OK && (*out = take_kept(file.data, digest))) {
		ct_workload_name(*out, path, name, CT_WORKLOAD_NAME_MAX);
		*kept = 1;
	} else if (st == CT_OK) {
		st = measure(t, path, out, name, e);
		/* What was cut short is not kept: the next run may have the whole trace. */
		if (st == CT_OK)
			st = keep(file.data, digest, *out, e);
	}
	ct_buf_free(&file);
	return st;
}

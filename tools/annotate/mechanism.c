#include "annotate/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/keyed.h"
#include "base/mem.h"
#include "common/plugin.h"
#include "common/question.h"
#include "models/common/workload.h"
#include "models/registry.h"
#include "pass/replays.h"
#include "replay/parts.h"

enum { ENGINES = CT_MECHANISMS_MAX + 1 };

/* What an instruction of the launch at hand has missed in one engine. */
struct misses {
	uint64_t mark; /* its number in the launch + 1 */
	uint64_t pc, l1, llc;
};

/* An instruction of all launches: bytes missed at L1 and LLC, in each engine. */
struct annotate_place {
	char *kernel;
	uint64_t pc;
	double l1[ENGINES], llc[ENGINES];
	double saved[CT_MECHANISMS_MAX];
};

struct watch {
	struct ct_keyed of;
	uint32_t l1_bytes, llc_bytes; /* of a bit of a mask */
	int failed;
};

struct measure {
	struct annotate_saved *out;
	struct ct_replays_engine engine[ENGINES];
	struct ct_replay_observer observer[ENGINES];
	struct watch watch[ENGINES];
	const struct ct_mechanism *m[ENGINES]; /* of each engine; the first has none */
	struct ct_question question[ENGINES];
	void *parts[ENGINES];
	unsigned n;
	struct ct_workload workload;
	int workload_status;
};

static struct misses *misses_of(struct watch *w, uint32_t sid)
{
	if (sid == CT_NO_SID || ct_keyed_reserve(&w->of, sizeof(struct misses)) < 0) {
		w->failed |= sid != CT_NO_SID;
		return NULL;
	}
	struct misses *x = ct_keyed_find(&w->of, sizeof *x, sid);
	if (ct_keyed_is_free(x))
		ct_keyed_enter(&w->of, x, sid);
	return x;
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	struct watch *w = ctx;
	struct misses *x = misses_of(w, ev->sid);
	if (!x)
		return;
	x->pc = ev->pc;
	x->l1 += ev->bypass ? 0 : (uint64_t)ct_bits(ev->sector_miss | ev->line_miss) * w->l1_bytes;
}

static void on_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct watch *w = ctx;
	struct misses *x = ev->miss ? misses_of(w, ev->sid) : NULL;
	if (x)
		x->llc += (uint64_t)ct_bits(ev->miss) * w->llc_bytes;
}

static struct annotate_place *place_of(struct annotate_saved *s, const char *kernel, uint64_t pc)
{
	for (size_t i = 0; i < s->places; i++)
		if (s->place[i].pc == pc && strcmp(s->place[i].kernel, kernel) == 0)
			return &s->place[i];
	if (ct_grow((void **)&s->place, &s->cap, s->places + 1, sizeof *s->place) < 0)
		return NULL;
	struct annotate_place *p = &s->place[s->places];
	memset(p, 0, sizeof *p);
	p->pc = pc;
	p->kernel = ct_strndup(kernel, strlen(kernel));
	s->places += p->kernel != NULL;
	return p->kernel ? p : NULL;
}

static int end_kernel(void *ctx, const struct ct_kernel *k, const struct ct_replay_counts *launch,
                      struct ct_error *e)
{
	struct measure *x = ctx;
	(void)launch;
	for (unsigned i = 0; i < x->n; i++) {
		struct watch *w = &x->watch[i];
		if (w->failed)
			return ct_fail_nomem(e);
		const struct misses *m = w->of.slot;
		for (size_t j = 0; j < w->of.slots; j++) {
			if (!m[j].mark)
				continue;
			struct annotate_place *p = place_of(x->out, k->name, m[j].pc);
			if (!p)
				return ct_fail_nomem(e);
			p->l1[i] += (double)m[j].l1;
			p->llc[i] += (double)m[j].llc;
		}
		ct_keyed_reset(&w->of, sizeof(struct misses));
	}
	return CT_OK;
}

/* A system whose setting is to be searched for takes the one that its estimate chooses. */
static int make_engine(struct measure *x, struct ct_tool *t, struct ct_stage *s,
                       const struct ct_mechanism *m, struct ct_error *e)
{
	unsigned i = x->n;
	struct ct_question *q = &x->question[i];
	if (m->bound != CT_BOUND_L1 && m->bound != CT_BOUND_LLC)
		return ct_fail(e, CT_ERR_USAGE,
		               "--mechanism %s: it works on no cache, and turns no misses into hits",
		               m->name);
	x->m[i] = m;
	x->n++;
	int st = ct_question_open(q, t, m, e);
	if (st != CT_OK)
		return st;
	ct_question_about(q, s, x->workload_status == CT_OK ? &x->workload : NULL);
	if (m->candidates)
		st = m->estimate(&q->run, e);
	x->engine[i] = (struct ct_replays_engine){.gpu = &s->gpu};
	int system = ct_mechanism_system(m, m->judged);
	return st == CT_OK ? m->engine(&q->run, (unsigned)system, &x->engine[i], &x->parts[i], e) : st;
}

/* Sizes of what the masks of an engine's events stand for, and its observer. */
static void watch_engine(struct measure *x, unsigned i)
{
	struct ct_replays_engine *engine = &x->engine[i];
	const struct ct_replay_parts *parts = engine->options.parts;
	uint32_t chunk = parts && parts->l1 ? parts->l1->chunk : 0;
	x->watch[i].l1_bytes = chunk ? chunk : engine->gpu->l1.sector;
	x->watch[i].llc_bytes = engine->gpu->llc.sector;
	x->observer[i] = (struct ct_replay_observer){.ctx = &x->watch[i], .l1 = on_l1, .llc = on_llc};
	engine->options.timing = CT_REPLAY_FULL;
	engine->options.observers = &x->observer[i];
	engine->options.n_observers = 1;
}

/* Misses in sectors of the GPU in force. */
static void take_differences(struct measure *x, const struct ct_gpu *g)
{
	struct annotate_saved *out = x->out;
	for (unsigned i = 1; i < x->n; i++)
		out->name[i - 1] = x->m[i]->name;
	out->n = x->n - 1;
	for (size_t k = 0; k < out->places; k++)
		for (unsigned i = 1; i < x->n; i++) {
			struct annotate_place *p = &out->place[k];
			int l1 = x->m[i]->bound == CT_BOUND_L1;
			const double *of = l1 ? p->l1 : p->llc;
			p->saved[i - 1] = (of[0] - of[i]) / (l1 ? g->l1.sector : g->llc.sector);
		}
}

static void end_measure(struct measure *x)
{
	for (unsigned i = 0; i < x->n; i++) {
		ct_keyed_free(&x->watch[i].of);
		if (x->m[i]) {
			x->m[i]->engine_free(x->parts[i]);
			ct_question_close(&x->question[i]);
		}
	}
	free(x);
}

/* Mechanisms that are replayed in this process, side by side. */
static int measure_mask(struct ct_tool *t, struct ct_stage *s, uint32_t mask, struct annotate_saved *out,
                        struct ct_error *e)
{
	struct measure *x = ct_calloc(1, sizeof *x);
	struct ct_replay_counts total[ENGINES];
	struct ct_pass_settings settings;
	const struct ct_mechanism *m;
	int st = CT_OK;
	if (!x)
		return ct_fail_nomem(e);
	x->out = out;
	x->n = 1;
	struct ct_error none;
	x->workload_status = ct_workload_read(
		&x->workload, s->p, s->base.sms, (double)ct_gpu_register_bytes(&s->base), &none);
	x->engine[0] = (struct ct_replays_engine){.gpu = &s->gpu};
	for (unsigned i = 0; st == CT_OK && (m = ct_mechanism_at(i)); i++)
		if (mask >> i & 1)
			st = make_engine(x, t, s, m, e);
	for (unsigned i = 0; st == CT_OK && i < x->n; i++)
		watch_engine(x, i);
	const struct ct_replays_hooks hooks = {.ctx = x, .end = end_kernel};
	ct_tool_pass_settings(t, &settings);
	if (st == CT_OK)
		st = ct_replays_run(s->p, &settings, "--mechanism", x->engine, x->n, &hooks, total, e);
	if (st == CT_OK)
		take_differences(x, &s->gpu);
	end_measure(x);
	return st;
}

/* ---- plugins ---- */

struct plugin_saved {
	struct ct_tool *t;
	struct ct_stage *s;
	uint32_t mask;
};

/* "NAME-LENGTH PC SAVED\n" and the kernel's name, of every instruction. */
static int work_of_plugin(void *ctx, struct ct_buf *reply, struct ct_error *e)
{
	const struct plugin_saved *x = ctx;
	struct annotate_saved own = {.n = 0};
	int st = measure_mask(x->t, x->s, x->mask, &own, e);
	for (size_t i = 0; st == CT_OK && i < own.places; i++)
		ct_buf_printf(reply, "%zu %llu %.17g\n%s", strlen(own.place[i].kernel),
		              (unsigned long long)own.place[i].pc, own.place[i].saved[0],
		              own.place[i].kernel);
	annotate_saved_free(&own);
	return st;
}

/* Puts these numbers into column `of`; CT_ERR_INPUT where the text is not right. */
static int take_saved(struct annotate_saved *out, unsigned of, const struct ct_buf *reply,
                      struct ct_error *e)
{
	const char *at = reply->len ? reply->data : "", *end = at + reply->len;
	while (at < end) {
		char *next;
		size_t n = strtoul(at, &next, 10);
		uint64_t pc = strtoull(next, &next, 10);
		double saved = strtod(next, &next);
		if (*next++ != '\n' || n > (size_t)(end - next) || !isfinite(saved))
			return ct_fail(e, CT_ERR_INPUT, "a plugin's answer is damaged");
		char *kernel = ct_strndup(next, n);
		struct annotate_place *p = kernel ? place_of(out, kernel, pc) : NULL;
		free(kernel);
		if (!p)
			return ct_fail_nomem(e);
		p->saved[of] = saved;
		at = next + n;
	}
	return CT_OK;
}

/* One that breaks has no column. */
static int measure_plugin(struct ct_tool *t, struct ct_stage *s, unsigned m, struct annotate_saved *out,
                          struct ct_error *e)
{
	struct plugin_saved x = {t, s, UINT32_C(1) << m};
	struct ct_buf reply = {0};
	struct ct_error why = {0};
	int broken;
	int st = ct_plugin_run(t, x.mask, work_of_plugin, &x, &reply, &broken, &why);
	if (st == CT_OK)
		st = take_saved(out, out->n, &reply, &why);
	if (st == CT_OK)
		out->name[out->n++] = ct_mechanism_at(m)->name;
	if (broken)
		ct_plugin_tell(t, &why);
	ct_buf_free(&reply);
	return broken || st == CT_OK ? CT_OK : ct_fail(e, st, "%s", why.text);
}

int annotate_saved_measure(struct ct_tool *t, struct ct_stage *s, uint32_t mask,
                           struct annotate_saved *out, struct ct_error *e)
{
	const uint32_t plugins = mask & ct_mechanism_plugins();
	int st = mask & ~plugins ? measure_mask(t, s, mask & ~plugins, out, e) : CT_OK;
	for (unsigned m = 0; st == CT_OK && ct_mechanism_at(m); m++)
		if (plugins >> m & 1)
			st = measure_plugin(t, s, m, out, e);
	return st;
}

int annotate_saved_apply(struct annotate_saved *saved, struct annotate_rows *r, struct ct_error *e)
{
	free(r->mechanism);
	r->mechanism = ct_calloc(r->n * (saved->n + 1), sizeof *r->mechanism);
	if (!r->mechanism)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < r->n; i++) {
		double *v = r->mechanism + i * saved->n;
		r->row[i].mechanism = v;
		for (size_t k = 0; k < saved->places; k++) {
			const struct annotate_place *p = &saved->place[k];
			int is = strcmp(p->kernel, r->row[i].kernel) == 0 &&
			         (r->by == ANNOTATE_BY_KERNEL || p->pc == r->row[i].pc);
			for (unsigned m = 0; is && m < saved->n; m++)
				v[m] += p->saved[m];
		}
	}
	return CT_OK;
}

void annotate_saved_free(struct annotate_saved *saved)
{
	for (size_t i = 0; i < saved->places; i++)
		free(saved->place[i].kernel);
	free(saved->place);
	saved->place = NULL;
	saved->places = saved->cap = 0;
}

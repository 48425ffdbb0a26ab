#include "explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/replays.h"
#include "replay/missclass.h"

/* From the schedulers outwards. The stack frees them from the far end, so that each of
 * its parts is what is lost there with everything behind it answering at once. */
enum { RESOURCES = 6 };
static const struct {
	const char *name;
	unsigned bit;
} resource[RESOURCES] = {
	{"issue", CT_REPLAY_FREE_ISSUE}, {"dependencies", CT_REPLAY_FREE_DEPENDENCIES},
	{"l1", CT_REPLAY_FREE_L1},       {"network", CT_REPLAY_FREE_NETWORK},
	{"llc", CT_REPLAY_FREE_LLC},     {"dram", CT_REPLAY_FREE_DRAM},
};

/* The replays: as configured; without MSHR limits; each resource alone; all from i on,
 * which for the last is the resource alone again. */
enum { FULL, MSHR, ALONE, FROM = ALONE + RESOURCES, LANES = FROM + RESOURCES - 1 };

static unsigned free_in(unsigned lane)
{
	unsigned what = 0;
	if (lane < ALONE)
		return lane == MSHR ? CT_REPLAY_FREE_MSHR : 0;
	if (lane < FROM)
		return resource[lane - ALONE].bit;
	for (unsigned i = lane - FROM; i < RESOURCES; i++)
		what |= resource[i].bit;
	return what;
}

/* The replay in which resources `i` and up are free. */
static unsigned lane_from(unsigned i)
{
	return i == RESOURCES ? FULL : i == RESOURCES - 1 ? ALONE + i : FROM + i;
}

struct scope {
	char *name;
	uint64_t cycles[LANES]; /* without launches */
	uint64_t misses[2][2];  /* FULL, MSHR; L1, LLC */
	struct ct_miss_classes c[2];
};

struct explain {
	struct ct_stage *s;
	struct ct_missclass *classes;
	struct scope *scope;
	size_t n, cap;
	struct ct_error *e;
};

static void choose_engines(const struct explain *x, const struct ct_replay_observer *ob,
                           struct ct_replays_engine engine[LANES])
{
	for (unsigned i = 0; i < LANES; i++)
		engine[i] = (struct ct_replays_engine){
			.gpu = &x->s->gpu,
			.options = {.timing = CT_REPLAY_FULL,
		                    .free = free_in(i),
		                    .observers = ob,
		                    .n_observers = i == MSHR}};
}

/* ---- counting ---- */

static int find_scope(struct explain *x, const char *kind, const char *name, struct scope **out)
{
	struct ct_buf b = {0};
	ct_buf_printf(&b, "%s%s", kind, name);
	if (b.failed || ct_grow((void **)&x->scope, &x->cap, x->n + 1, sizeof *x->scope) < 0) {
		ct_buf_free(&b);
		return ct_fail_nomem(x->e);
	}
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->scope[i].name, b.data) == 0) {
			*out = &x->scope[i];
			ct_buf_free(&b);
			return CT_OK;
		}
	*out = &x->scope[x->n];
	memset(*out, 0, sizeof **out);
	(*out)->name = ct_strndup(b.data, b.len);
	ct_buf_free(&b);
	if (!(*out)->name)
		return ct_fail_nomem(x->e);
	x->n++;
	return CT_OK;
}

static void add_classes(struct ct_miss_classes *into, const struct ct_miss_classes *c)
{
	into->compulsory += c->compulsory;
	into->capacity += c->capacity;
	into->associativity += c->associativity;
	into->latency += c->latency;
}

static int count_into(struct explain *x, const char *kind, const char *name,
                      const struct ct_replay_counts *c, const struct ct_miss_classes classes[2])
{
	struct scope *s = NULL;
	int st = find_scope(x, kind, name, &s);
	if (st != CT_OK)
		return st;
	for (unsigned i = 0; i < LANES; i++)
		s->cycles[i] += c[i].cycles - c[i].launch_cycles;
	for (unsigned i = 0; i < 2; i++) {
		s->misses[i][0] += c[i].l1_misses;
		s->misses[i][1] += c[i].llc_misses;
		add_classes(&s->c[i], &classes[i]);
	}
	return CT_OK;
}

static int begin_kernel(void *ctx, const struct ct_kernel *k, struct ct_error *e)
{
	return ct_missclass_kernel_begin(((struct explain *)ctx)->classes, k, e);
}

static int end_kernel(void *ctx, const struct ct_kernel *k, const struct ct_replay_counts *launch,
                      struct ct_error *e)
{
	struct explain *x = ctx;
	struct ct_miss_classes classes[2];
	char id[16];
	snprintf(id, sizeof id, "%u", k->id);
	int st = ct_missclass_take(x->classes, &classes[0], &classes[1], e);
	if (st == CT_OK)
		st = count_into(x, "all", "", launch, classes);
	if (st == CT_OK)
		st = count_into(x, "name:", k->name, launch, classes);
	if (st == CT_OK)
		st = count_into(x, "kernel:", id, launch, classes);
	return st;
}

/* ---- records ---- */

static int put_value(struct explain *x, const struct scope *s, const char *a, const char *b,
                     const char *c, double v)
{
	char metric[64];
	snprintf(metric, sizeof metric, "%s%s%s", a, b, c);
	return ct_profile_add_real(x->s->p, s->name, metric, v, NULL, "replay", x->e);
}

static double less_by(uint64_t a, uint64_t b)
{
	return (double)a - (double)b;
}

static int write_scope(struct explain *x, const struct scope *s)
{
	static const char *const level[2] = {"l1", "llc"};
	int st = CT_OK;
	for (int i = 0; i < 2 && st == CT_OK; i++) {
		const struct ct_miss_classes *c = &s->c[i];
		const struct {
			const char *name;
			double v;
		} row[] = {
			{"_compulsory_misses", (double)c->compulsory},
			{"_capacity_misses", (double)c->capacity},
			{"_associativity_misses", (double)c->associativity},
			{"_latency_misses", (double)c->latency},
			{"_mshr_misses", less_by(s->misses[FULL][i], s->misses[MSHR][i])},
		};
		for (size_t k = 0; k < sizeof row / sizeof row[0] && st == CT_OK; k++)
			st = put_value(x, s, level[i], row[k].name, "", row[k].v);
	}
	for (unsigned i = 0; i < RESOURCES && st == CT_OK; i++)
		st = put_value(x, s, "cycles_lost_", resource[i].name, "",
		               less_by(s->cycles[FULL], s->cycles[ALONE + i]));
	if (st == CT_OK)
		st = put_value(x, s, "cycles_lost_", "mshr", "",
		               less_by(s->cycles[FULL], s->cycles[MSHR]));
	if (st == CT_OK)
		st = put_value(x, s, "cycles_stack_", "base", "", (double)s->cycles[lane_from(0)]);
	for (unsigned i = 0; i < RESOURCES && st == CT_OK; i++)
		st = put_value(x, s, "cycles_stack_", resource[i].name, "",
		               less_by(s->cycles[lane_from(i + 1)], s->cycles[lane_from(i)]));
	return st;
}

int mpki_explain(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct explain x = {.s = s, .e = e};
	struct ct_pass_settings settings;
	struct ct_replays_engine engine[LANES];
	struct ct_replay_counts total[LANES];
	if (t->warmup)
		return ct_fail(e, CT_ERR_USAGE,
		               "--explain counts from the first instruction: leave out --warmup");
	int st = ct_missclass_new(&x.classes, &s->gpu, e);
	struct ct_replay_observer ob = {.ctx = x.classes,
	                                .l1 = ct_missclass_l1,
	                                .llc = ct_missclass_llc,
	                                .l1_wipe = ct_missclass_l1_wipe};
	struct ct_replays_hooks hooks = {.ctx = &x, .begin = begin_kernel, .end = end_kernel};
	choose_engines(&x, &ob, engine);
	ct_tool_pass_settings(t, &settings);
	if (st == CT_OK)
		st = ct_replays_run(s->p, &settings, "--explain", engine, LANES, &hooks, total, e);
	for (size_t i = 0; i < x.n; i++) {
		/* single launches only where the profile tells them apart */
		if (st == CT_OK && ct_profile_has_scope(s->p, x.scope[i].name))
			st = write_scope(&x, &x.scope[i]);
		free(x.scope[i].name);
	}
	free(x.scope);
	ct_missclass_free(x.classes);
	return st;
}

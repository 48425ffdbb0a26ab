#include "explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/lanes.h"
#include "common/progress.h"
#include "replay/missclass.h"

/* From the schedulers outwards. The stack frees them from the far end, so that each of
 * its parts is what is lost there with everything behind it answering at once. */
enum { RESOURCES = 6 };
static const struct { const char *name; unsigned bit; } resource[RESOURCES] = {
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
	struct ct_tool *tool;
	struct ct_stage *s;
	struct ct_missclass *classes;
	struct ct_lanes *lanes;
	struct scope *scope;
	size_t n, cap;
	uint64_t warp_insts;
	struct ct_progress progress;
	struct ct_error *e;
};

static int start(struct explain *x)
{
	struct ct_replay *engine[LANES];
	unsigned n = 0;
	int st = ct_missclass_new(&x->classes, &x->s->gpu, x->e);
	struct ct_replay_observer ob = {.ctx = x->classes, .l1 = ct_missclass_l1,
	                                .llc = ct_missclass_llc, .l1_wipe = ct_missclass_l1_wipe};
	while (st == CT_OK && n < LANES) {
		struct ct_replay_options o = {.timing = CT_REPLAY_FULL, .free = free_in(n),
		                              .observers = &ob, .n_observers = n == MSHR};
		st = ct_replay_new(&engine[n], &x->s->gpu, &o, x->e);
		n += st == CT_OK;
	}
	if (st == CT_OK)
		return ct_lanes_new(&x->lanes, engine, LANES, x->tool->threads, x->e);
	while (n > 0)
		ct_replay_free(engine[--n]);
	return st;
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

static int end_kernel(struct explain *x, const struct ct_kernel *k)
{
	struct ct_replay_counts c[LANES];
	struct ct_miss_classes classes[2];
	char id[16];
	snprintf(id, sizeof id, "%u", k->id);
	int st = ct_lanes_kernel_end(x->lanes, c, x->e);
	if (st == CT_OK)
		st = ct_missclass_take(x->classes, &classes[0], &classes[1], x->e);
	if (st == CT_OK)
		st = count_into(x, "all", "", c, classes);
	if (st == CT_OK)
		st = count_into(x, "name:", k->name, c, classes);
	if (st == CT_OK)
		st = count_into(x, "kernel:", id, c, classes);
	x->warp_insts += st == CT_OK ? c[FULL].warp_insts : 0;
	return st;
}

static int run_kernel(struct explain *x, struct ct_trace *trace, const struct ct_kernel *k)
{
	struct ct_cta *cta, *held = NULL;
	int st = ct_missclass_kernel_begin(x->classes, k, x->e);
	if (st == CT_OK)
		st = ct_lanes_kernel_begin(x->lanes, k, x->e);
	if (st != CT_OK)
		return st;
	while ((st = ct_trace_next_cta(trace, &cta, x->e)) > 0) {
		st = ct_lanes_push_cta(x->lanes, cta, x->e);
		ct_progress_tick(&x->progress, ct_trace_path(trace), ct_trace_stats(trace)->warp_insts);
		/* The first CTA keeps the kernel alive until the launch has been counted. */
		if (held)
			ct_cta_unref(cta);
		else
			held = cta;
		if (st != CT_OK)
			break;
	}
	if (st == CT_OK)
		st = end_kernel(x, k);
	ct_cta_unref(held);
	return st;
}

static int run_events(struct explain *x, struct ct_trace *trace)
{
	struct ct_event ev;
	int st;
	while ((st = ct_trace_next(trace, &ev, x->e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY) {
			ct_lanes_memcpy(x->lanes, ev.address, ev.bytes);
			continue;
		}
		st = run_kernel(x, trace, ev.kernel);
		if (st != CT_OK)
			return st;
	}
	return st;
}

/* ---- records ---- */

static int put(struct explain *x, const struct scope *s, const char *a, const char *b,
               const char *c, double v)
{
	char metric[64];
	snprintf(metric, sizeof metric, "%s%s%s", a, b, c);
	return ct_profile_add_real(x->s->p, s->name, metric, v, NULL, "replay", x->e);
}

static double less(uint64_t a, uint64_t b)
{
	return (double)a - (double)b;
}

static int write_scope(struct explain *x, const struct scope *s)
{
	static const char *const level[2] = {"l1", "llc"};
	int st = CT_OK;
	for (int i = 0; i < 2 && st == CT_OK; i++) {
		const struct ct_miss_classes *c = &s->c[i];
		const struct { const char *name; double v; } row[] = {
			{"_compulsory_misses", (double)c->compulsory},
			{"_capacity_misses", (double)c->capacity},
			{"_associativity_misses", (double)c->associativity},
			{"_latency_misses", (double)c->latency},
			{"_mshr_misses", less(s->misses[FULL][i], s->misses[MSHR][i])},
		};
		for (size_t k = 0; k < sizeof row / sizeof row[0] && st == CT_OK; k++)
			st = put(x, s, level[i], row[k].name, "", row[k].v);
	}
	for (unsigned i = 0; i < RESOURCES && st == CT_OK; i++)
		st = put(x, s, "cycles_lost_", resource[i].name, "",
		         less(s->cycles[FULL], s->cycles[ALONE + i]));
	if (st == CT_OK)
		st = put(x, s, "cycles_lost_", "mshr", "", less(s->cycles[FULL], s->cycles[MSHR]));
	if (st == CT_OK)
		st = put(x, s, "cycles_stack_", "base", "", (double)s->cycles[lane_from(0)]);
	for (unsigned i = 0; i < RESOURCES && st == CT_OK; i++)
		st = put(x, s, "cycles_stack_", resource[i].name, "",
		         less(s->cycles[lane_from(i + 1)], s->cycles[lane_from(i)]));
	return st;
}

int mpki_explain(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct explain x = {.tool = t, .s = s, .e = e};
	struct ct_trace *trace = NULL;
	if (t->warmup)
		return ct_fail(e, CT_ERR_USAGE, "--explain counts from the first instruction: leave out --warmup");
	int st = ct_stage_trace(t, s, "--explain", &trace, e);
	if (st == CT_OK)
		st = start(&x);
	if (st == CT_OK) {
		ct_progress_start(&x.progress, t);
		st = run_events(&x, trace);
		ct_progress_end(&x.progress, ct_trace_path(trace), ct_trace_stats(trace)->warp_insts);
	}
	if (st == CT_OK)
		st = ct_stage_same_trace(s, trace, x.warp_insts, e);
	for (size_t i = 0; i < x.n; i++) {
		/* single launches only where the profile tells them apart */
		if (st == CT_OK && ct_profile_has_scope(s->p, x.scope[i].name))
			st = write_scope(&x, &x.scope[i]);
		free(x.scope[i].name);
	}
	free(x.scope);
	ct_lanes_free(x.lanes);
	ct_missclass_free(x.classes);
	ct_trace_close(trace);
	return st;
}

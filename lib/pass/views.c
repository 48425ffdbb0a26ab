/* views.c - the LLC's streams of GPUs with fewer SMs, views llc@sms=N. */
#include <stdlib.h>

#include "base/mem.h"
#include "pass/private/state.h"

/* Counts what waits in a view. */
static void view_drain(struct ct_pass_view *v)
{
	ct_stack_ops(v->stack, v->op, v->n);
	for (size_t k = 0; k < v->n; k++) {
		const struct ct_stack_op *op = &v->op[k];
		int write = v->is_write[k];
		ct_hist_add(&v->hist[write ? 1 : 0], op->distance, 1);
		for (unsigned i = 0; i < 4; i++)
			if (op->mask >> i & 1)
				ct_hist_add(&v->hist[write ? 3 : 2], op->sector[i], 1);
	}
	v->seen += v->n;
	v->n = 0;
}

static void on_view_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct ct_pass_view *v = ctx;
	v->op[v->n] = (struct ct_stack_op){
		.line = ev->line, .kind = CT_STACK_TOUCH, .mask = (uint8_t)ev->sectors};
	v->is_write[v->n] = ev->is_write;
	if (++v->n == VIEW_OPS)
		view_drain(v);
}

static void on_view_counted(void *ctx)
{
	struct ct_pass_view *v = ctx;
	view_drain(v);
	for (size_t i = 0; i < sizeof v->hist / sizeof v->hist[0]; i++)
		v->hist[i] = (struct ct_hist){0};
}

void ct_pass_views_llc(struct ct_pass_state *a, const struct ct_llc_event *ev)
{
	for (unsigned i = 0; i < a->n_views; i++)
		if (a->view[i].whole)
			on_view_llc(&a->view[i], ev);
}

/* Makes the engine, with fixed latencies, and the stack of distances of one view. */
static int start_one(struct ct_pass_state *a, uint32_t sms, struct ct_replay **engine)
{
	struct ct_pass_view *v = &a->view[a->n_views];
	struct ct_gpu g = a->gpu;
	struct ct_replay_observer ob = {.ctx = v, .llc = on_view_llc, .counted = on_view_counted};
	struct ct_replay_options fixed = {.timing = CT_REPLAY_FIXED,
	                                  .observers = &ob,
	                                  .n_observers = 1,
	                                  .warmup = a->settings.warmup};
	struct ct_stack_options so = {.sectors = g.llc.line / g.llc.sector};
	a->n_views++;
	v->sms = g.sms = sms;
	v->stack = ct_stack_new(&so, a->e);
	if (!v->stack)
		return a->e->status;
	v->op = ct_calloc(VIEW_OPS, sizeof *v->op);
	v->is_write = ct_calloc(VIEW_OPS, sizeof *v->is_write);
	if (!v->op || !v->is_write)
		return ct_fail_nomem(a->e);
	return ct_replay_new(engine, &g, &fixed, a->e);
}

int ct_pass_views_start(struct ct_pass_state *a, struct ct_replay **engine, unsigned *n)
{
	int st = CT_OK;
	for (unsigned i = 0; i < SMS_VIEWS && st == CT_OK; i++) {
		uint32_t sms = (a->gpu.sms * (i + 1) + SMS_VIEWS) / (SMS_VIEWS + 1);
		if (sms == a->gpu.sms || (a->n_views && sms == a->view[a->n_views - 1].sms))
			continue;
		st = start_one(a, sms, &engine[*n]);
		*n += st == CT_OK;
	}
	return st;
}

/* L1s that live on from launch to launch would hold what other CTAs of their SM left there, and a
 * warm-up has to be seen whole. */
unsigned ct_pass_views_launch(struct ct_pass_state *a, const struct ct_kernel *k)
{
	uint64_t ctas = ct_kernel_ctas(k);
	unsigned skip = 0;
	for (unsigned i = 0; i < a->n_views; i++) {
		struct ct_pass_view *v = &a->view[i];
		v->whole = ctas <= v->sms && a->gpu.l1_flush && !a->settings.warmup;
		skip |= (unsigned)v->whole << (i + 1);
	}
	return skip;
}

int ct_pass_views_end(struct ct_pass_state *a)
{
	int st = CT_OK;
	for (unsigned i = 0; i < a->n_views && st == CT_OK; i++) {
		view_drain(&a->view[i]);
		st = ct_stack_check(a->view[i].stack, a->e);
	}
	return st;
}

void ct_pass_views_free(struct ct_pass_state *a)
{
	for (unsigned i = 0; i < a->n_views; i++) {
		ct_stack_free(a->view[i].stack);
		free(a->view[i].op);
		free(a->view[i].is_write);
	}
}

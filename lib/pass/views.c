/* views.c - the LLC's streams of GPUs with fewer SMs, views llc@sms=N. */
#include "pass/private/state.h"

/* Lines that a view follows at most: 32 MiB of 128-byte lines, so that most programs are analysed exactly, and the
 * sample of the others has some thousand lines within an LLC. */
enum { VIEW_LINES = 1 << 18 };

static void on_view_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct ct_pass_view *v = ctx;
	ct_bounded_access(v->stream, ev->line, ev->sectors, ev->is_write);
}

static void on_view_counted(void *ctx)
{
	struct ct_pass_view *v = ctx;
	ct_bounded_forget(v->stream);
	for (size_t i = 0; i < sizeof v->hist / sizeof v->hist[0]; i++)
		v->hist[i] = (struct ct_hist){0};
}

void ct_pass_views_llc(struct ct_pass_state *a, const struct ct_llc_event *ev)
{
	for (unsigned i = 0; i < a->n_views; i++)
		if (a->view[i].whole)
			on_view_llc(&a->view[i], ev);
}

/* Makes the engine, with fixed latencies, and the reuse distances of one view. */
static int start_one(struct ct_pass_state *a, uint32_t sms, struct ct_replay **engine)
{
	struct ct_pass_view *v = &a->view[a->n_views];
	struct ct_gpu g = a->gpu;
	struct ct_replay_observer ob = {.ctx = v, .llc = on_view_llc, .counted = on_view_counted};
	struct ct_replay_options fixed = {.timing = CT_REPLAY_FIXED,
	                                  .observers = &ob,
	                                  .n_observers = 1,
	                                  .warmup = a->settings.warmup};
	const struct ct_bounded_options bounded = {.sectors = g.llc.line / g.llc.sector,
	                                           .max_lines = a->settings.exact ? 0 : VIEW_LINES,
	                                           .seed = a->settings.seed};
	a->n_views++;
	v->sms = g.sms = sms;
	v->stream = ct_bounded_new(&bounded, a->e);
	if (!v->stream)
		return a->e->status;
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
	for (unsigned i = 0; i < a->n_views && st == CT_OK; i++)
		st = ct_bounded_collect(a->view[i].stream, a->view[i].hist, a->e);
	return st;
}

void ct_pass_views_settle(struct ct_pass_state *a)
{
	for (unsigned i = 0; i < a->n_views; i++)
		ct_bounded_settle(a->view[i].stream, a->view[i].hist);
}

void ct_pass_views_free(struct ct_pass_state *a)
{
	for (unsigned i = 0; i < a->n_views; i++)
		ct_bounded_free(a->view[i].stream);
}

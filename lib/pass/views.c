/* views.c - the LLC's streams of GPUs with fewer SMs, views llc@sms=N: the replay's CTAs dealt out anew (deal.h). */
#include "pass/private/state.h"

enum {
	/* Lines that a view follows at most: 32 MiB of 128-byte lines, so that most programs are analysed exactly, and the
	 * sample of the others has some thousand lines within an LLC. */
	VIEW_LINES = 1 << 18,
	WAITING = 1 << 22 /* accesses of L1s that wait for their CTA's end, at most: 64 MiB */
};
_Static_assert((int)SMS_VIEWS == (int)CT_DEAL_VIEWS, "each view is dealt to");

static void on_dealt(void *ctx, unsigned view, uint64_t line, uint32_t sectors, int is_write)
{
	struct ct_pass_state *a = ctx;
	ct_bounded_access(a->view[view].stream, line, sectors, is_write);
}

void ct_pass_views_llc(struct ct_pass_state *a, const struct ct_line_access *lines, size_t n)
{
	for (unsigned i = 0; i < a->n_views; i++)
		for (size_t k = 0; a->view[i].whole && k < n; k++)
			ct_bounded_access(a->view[i].stream, lines[k].line, lines[k].sectors,
			                  lines[k].is_write);
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	ct_deal_l1(ctx, ev);
}

static void on_cta(void *ctx, const struct ct_cta_event *ev)
{
	ct_deal_cta(ctx, ev);
}

static void on_wipe(void *ctx, uint32_t sm)
{
	ct_deal_wipe(ctx, sm);
}

static int make_stream(struct ct_pass_state *a, struct ct_pass_view *v)
{
	const struct ct_bounded_options o = {.sectors = a->gpu.llc.line / a->gpu.llc.sector,
	                                     .max_lines = a->settings.exact ? 0 : VIEW_LINES,
	                                     .seed = a->settings.seed};
	v->stream = ct_bounded_new(&o, a->e);
	return v->stream ? CT_OK : a->e->status;
}

int ct_pass_views_start(struct ct_pass_state *a, struct ct_replay_observer *hooks)
{
	uint32_t sms[SMS_VIEWS];
	int st = CT_OK;
	for (unsigned i = 0; i < SMS_VIEWS && st == CT_OK; i++) {
		uint32_t n = (a->gpu.sms * (i + 1) + SMS_VIEWS) / (SMS_VIEWS + 1);
		if (n == a->gpu.sms || (a->n_views && n == sms[a->n_views - 1]))
			continue;
		sms[a->n_views] = a->view[a->n_views].sms = n;
		st = make_stream(a, &a->view[a->n_views++]);
	}
	if (st != CT_OK)
		return st;
	a->deal = ct_deal_new(&a->gpu, sms, a->n_views, WAITING, on_dealt, a, a->e);
	*hooks = (struct ct_replay_observer){
		.ctx = a->deal, .l1 = on_l1, .cta = on_cta, .l1_wipe = on_wipe};
	return a->deal ? CT_OK : a->e->status;
}

/* L1s that live on from launch to launch would hold what other CTAs of their SM left there, and a
 * warm-up has to be seen whole. */
int ct_pass_views_launch(struct ct_pass_state *a, const struct ct_kernel *k)
{
	uint64_t ctas = ct_kernel_ctas(k);
	unsigned skip = 0;
	if (!a->deal)
		return CT_OK;
	for (unsigned i = 0; i < a->n_views; i++) {
		struct ct_pass_view *v = &a->view[i];
		v->whole = ctas <= v->sms && a->gpu.l1_flush && !a->settings.warmup;
		skip |= (unsigned)v->whole << i;
	}
	return ct_deal_launch(a->deal, k, skip, a->e);
}

void ct_pass_views_counted(struct ct_pass_state *a)
{
	if (a->deal)
		ct_deal_hurry(a->deal);
	for (unsigned i = 0; i < a->n_views; i++) {
		ct_bounded_forget(a->view[i].stream);
		for (unsigned h = 0; h < CT_BOUNDED_HISTS; h++)
			a->view[i].hist[h] = (struct ct_hist){0};
	}
}

int ct_pass_views_end(struct ct_pass_state *a)
{
	int st = a->deal ? ct_deal_end(a->deal, a->e) : CT_OK;
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
	ct_deal_free(a->deal);
	for (unsigned i = 0; i < a->n_views; i++)
		ct_bounded_free(a->view[i].stream);
}

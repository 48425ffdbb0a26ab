/* watch_observer.c - watch.h as an observer of every pass. */
#include <stdlib.h>

#include "base/mem.h"
#include "models/shared_l1/state.h"
#include "models/shared_l1/watch.h"

struct watching {
	struct ct_sl_watch *watch;
	int flush; /* a launch begins with empty L1s */
};

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	if (!ev->bypass)
		ct_sl_watch_l1(((struct watching *)ctx)->watch, ev->sm, ev->line, ev->sectors,
		               ev->is_write);
}

static void on_l1_wipe(void *ctx, uint32_t sm)
{
	ct_sl_watch_wipe(((struct watching *)ctx)->watch, sm);
}

static void on_counted(void *ctx)
{
	ct_sl_watch_counted(((struct watching *)ctx)->watch);
}

static int open_watch(void *ctx, const struct ct_pass_setup *setup, void **state,
                      struct ct_replay_observer *hooks, struct ct_error *e)
{
	struct watching *w = ct_calloc(1, sizeof *w);
	(void)ctx;
	*state = w;
	if (!w)
		return ct_fail_nomem(e);
	w->flush = (int)setup->gpu->l1_flush;
	*hooks = (struct ct_replay_observer){
		.ctx = w, .l1 = on_l1, .l1_wipe = on_l1_wipe, .counted = on_counted};
	return ct_sl_watch_new(&w->watch, setup->gpu, e);
}

static int begin_kernel(void *state, const struct ct_kernel *k, uint32_t l1_sets, uint32_t l1_ways,
                        struct ct_error *e)
{
	const struct watching *w = state;
	(void)k;
	return ct_sl_watch_kernel(w->watch, l1_sets, l1_ways, w->flush, e);
}

static int write_items(void *state, struct ct_profile *p, struct ct_error *e)
{
	return ct_sl_watch_write(((struct watching *)state)->watch, p, e);
}

static void close_watch(void *state)
{
	struct watching *w = state;
	if (w)
		ct_sl_watch_free(w->watch);
	free(w);
}

const struct ct_pass_observer ct_sl_watch_observer = {
	.name = "shared-l1",
	.open = open_watch,
	.kernel = begin_kernel,
	.write_items = write_items,
	.close = close_watch};

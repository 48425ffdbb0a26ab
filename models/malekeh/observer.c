/* observer.c - the request of a run, measured beside the baseline replay (measure.h). */
#include <stdlib.h>

#include "base/mem.h"
#include "models/malekeh/measure.h"
#include "models/malekeh/run.h"

struct observer {
	struct ct_mk_measure *measure;
	const struct mk_run *own;
	const struct ct_gpu *gpu;
};

static int asks_for_code(const struct mk_request *q)
{
	for (size_t i = 0; i < q->n; i++)
		if (ct_mk_needs_code(&q->system[i]))
			return 1;
	return 0;
}

/* Method analytic makes bounds from the histograms: it leaves *state NULL, and nothing is measured. */
static int observer_open(void *ctx, const struct ct_pass_setup *setup, void **state,
                         struct ct_replay_observer *hooks, struct ct_error *e)
{
	const struct ct_mechanism_run *run = ctx;
	struct mk_run *own = mk_run_of(run);
	const struct mk_request *q = &own->request;
	if (run->method == CT_BY_ANALYTIC)
		return CT_OK;
	struct observer *o = ct_calloc(1, sizeof *o);
	int st = o ? CT_OK : ct_fail_nomem(e);
	*state = o;
	if (st == CT_OK) {
		o->own = own;
		o->gpu = setup->gpu;
		ct_mk_masks_clear(&own->masks); /* of an earlier pass */
		own->masks.plans = run->method == CT_BY_REPLAY && asks_for_code(q);
		struct ct_mk_measure_options mo = {
			.params = own->params,
			.systems = q->system,
			.n_systems = q->n,
			.sthld = &own->table,
			.seed = setup->settings->seed,
			.warmup = setup->settings->warmup,
			.masks = &own->masks};
		st = ct_mk_measure_new(&o->measure, setup->gpu, &mo, e);
	}
	if (st == CT_OK)
		*hooks = ct_mk_measure_observer(o->measure);
	return st;
}

static int observer_kernel(void *state, const struct ct_kernel *k, uint32_t l1_sets, uint32_t l1_ways,
                           struct ct_error *e)
{
	struct observer *o = state;
	(void)l1_sets;
	(void)l1_ways;
	return o ? ct_mk_measure_kernel(o->measure, k, e) : CT_OK;
}

/* Runs the systems that were asked for on what was recorded, and writes their numbers. */
static int observer_write(void *state, struct ct_profile *p, const struct ct_replay_counts *all,
                          struct ct_error *e)
{
	struct observer *o = state;
	struct ct_mk_run_facts f = {
		(double)all->cycles, (double)all->launch_cycles, (double)all->thread_insts};
	if (!o)
		return CT_OK;
	const struct mk_request *q = &o->own->request;
	int st = ct_mk_measure_finish(o->measure, e);
	for (size_t i = 0; i < q->n && st == CT_OK; i++) {
		struct ct_mk_row r;
		int point = q->x[i][0] != '\0';
		ct_mk_row(o->measure, o->gpu, &o->own->params, &f, i, &r);
		st = ct_mk_row_write(&r, o->gpu, point ? q->key : NULL, point ? q->x[i] : NULL, p, e);
	}
	return st;
}

static void observer_close(void *state)
{
	struct observer *o = state;
	if (o)
		ct_mk_measure_free(o->measure);
	free(o);
}

const struct ct_pass_observer mk_observer = {
	.name = MK_MECHANISM,
	.open = observer_open,
	.kernel = observer_kernel,
	.write = observer_write,
	.close = observer_close,
};

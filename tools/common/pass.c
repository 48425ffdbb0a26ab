#include "common/pass.h"

#include "common/progress.h"
#include "models/observers.h"
#include "pass/scale.h"

void ct_tool_pass_settings(struct ct_tool *t, struct ct_pass_settings *s)
{
	*s = (struct ct_pass_settings){
		.threads = t->threads,
		.warmup = t->warmup,
		.sample = t->sample,
		.seed = t->seed,
		.max_memory = t->max_memory,
		.memory = ct_tool_memory(t),
		.diag = ct_tool_diag(t),
		.progress = ct_tool_progress(t),
		.trace_root = t->trace_root};
	ct_tool_trace_options(t, &s->trace);
}

/* The GPU in force, scaled. */
static int choose_gpu(struct ct_tool *t, const struct ct_trace *trace,
                      const struct ct_pass_settings *settings, struct ct_gpu *g, struct ct_error *e)
{
	double factor;
	int st = ct_tool_gpu(t, NULL, g, e);
	if (st != CT_OK || t->scale >= 0)
		return st;
	st = ct_pass_scale_auto(ct_trace_path(trace), &settings->trace, g, &factor, e);
	return st == CT_OK ? ct_gpu_scale(g, factor, e) : st;
}

int ct_tool_pass_run(struct ct_tool *t, struct ct_trace *trace, const struct ct_gpu *g,
                     const struct ct_tool_pass *o, struct ct_profile *p, struct ct_error *e)
{
	static const struct ct_tool_pass plain;
	struct ct_mechanism_observers all;
	struct ct_gpu own;
	struct ct_pass_options po = {.sample_kernels = t->sample_kernels, .observers = all.list};
	int st = ct_mechanism_observers(&all, NULL, 0, e);
	if (!o)
		o = &plain;
	ct_tool_pass_settings(t, &po.settings);
	po.timing = o->timing;
	po.per_kernel = o->per_kernel;
	po.no_sms_views = o->no_sms_views;
	po.mrc = o->mrc;
	for (unsigned i = 0; i < o->n_observers && st == CT_OK; i++)
		st = ct_mechanism_observers_add(&all, o->observers[i], e);
	po.n_observers = all.n;
	if (st == CT_OK && !g)
		st = choose_gpu(t, trace, &po.settings, &own, e);
	po.gpu = g ? g : &own;
	return st == CT_OK ? ct_pass_run(trace, &po, p, e) : st;
}

#include "models/observers.h"

#include "models/common/workload.h"
#include "models/registry.h"

int ct_mechanism_observers_add(struct ct_mechanism_observers *o, const struct ct_pass_observer *observer,
                               struct ct_error *e)
{
	if (o->n == CT_PASS_OBSERVERS_MAX)
		return ct_fail(e, CT_ERR_LIMIT,
		               "a pass takes at most %d observers: measure fewer mechanisms at once",
		               CT_PASS_OBSERVERS_MAX);
	o->list[o->n++] = observer;
	return CT_OK;
}

int ct_mechanism_observers(struct ct_mechanism_observers *o, struct ct_mechanism_run *const *run,
                           unsigned n, struct ct_error *e)
{
	int st = CT_OK;
	o->n = 0;
	for (unsigned i = 0; i < ct_mechanism_count() && st == CT_OK; i++)
		if (ct_mechanism_at(i)->always)
			st = ct_mechanism_observers_add(o, ct_mechanism_at(i)->always, e);
	for (unsigned i = 0; i < n && st == CT_OK; i++) {
		const struct ct_pass_observer *observer = run[i]->mechanism->observer;
		if (!observer)
			continue;
		st = ct_mechanism_observers_add(o, &o->own[o->n], e);
		if (st == CT_OK) {
			o->own[o->n - 1] = *observer;
			o->own[o->n - 1].ctx = run[i];
		}
	}
	return st;
}

int ct_mechanism_profile(struct ct_mechanism_run *run, const char *path, struct ct_workload *w,
                         struct ct_error *e)
{
	struct ct_mechanism_observers observers;
	struct ct_trace *trace = NULL;
	int st = ct_mechanism_observers(&observers, &run, 1, e);
	const struct ct_pass_options options = {
		.gpu = run->gpu,
		.observers = observers.list,
		.n_observers = observers.n,
		.settings = *run->settings};
	ct_profile_set_metrics(run->p, ct_mechanism_metric);
	if (st == CT_OK)
		st = ct_trace_open(&trace, path, &run->settings->trace, e);
	if (st == CT_OK)
		st = ct_pass_run(trace, &options, run->p, e);
	if (st > 0)
		st = ct_fail(e, CT_ERR_INPUT, "%s: the trace is damaged: see traceinfo", path);
	ct_trace_close(trace);
	if (st == CT_OK)
		st = ct_workload_read(w, run->p, run->gpu->sms, (double)ct_gpu_register_bytes(run->gpu),
		                      e);
	if (st == CT_OK)
		run->workload = w;
	return st;
}

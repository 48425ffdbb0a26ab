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

int ct_mechanism_observers(struct ct_mechanism_observers *o, uint32_t without,
                           struct ct_mechanism_run *const *run, unsigned n, struct ct_error *e)
{
	int st = CT_OK;
	o->n = 0;
	for (unsigned i = 0; i < ct_mechanism_count() && st == CT_OK; i++)
		if (ct_mechanism_at(i)->always && !(without >> i & 1))
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

/* The layers of a set of views. */
static unsigned layers_of_views(unsigned views)
{
	static const struct {
		unsigned view, layers;
	} table[] = {
		{CT_READS_L1, 1u << CT_PASS_L1},
		{CT_READS_MERGED, 1u << CT_PASS_L1 | 1u << CT_PASS_MERGED | 1u << CT_PASS_SHARING},
		{CT_READS_LLC, 1u << CT_PASS_LLC},
		{CT_READS_LLC_SMS, 1u << CT_PASS_LLC | 1u << CT_PASS_LLC_SMS},
		{CT_READS_REGISTERS, 1u << CT_PASS_REGISTERS},
		{CT_READS_LINE_USE, 1u << CT_PASS_LINE_USE},
		{CT_READS_REPLICATION, 1u << CT_PASS_REPLICATION},
	};
	unsigned layers = 0;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (views & table[i].view)
			layers |= table[i].layers;
	return layers;
}

unsigned ct_mechanisms_without(uint32_t mechanisms)
{
	static const unsigned of_curve[] = {[CT_DRAWS_L1] = CT_READS_L1,
	                                    [CT_DRAWS_LLC] = CT_READS_LLC,
	                                    [CT_DRAWS_REGISTERS] = CT_READS_REGISTERS};
	/* Every workload is read with its LLC view, and every verdict with the first touches there. */
	unsigned views = CT_READS_LLC;
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		if (mechanisms >> i & 1)
			views |= ct_mechanism_at(i)->views | of_curve[ct_mechanism_at(i)->curve];
	return ((1u << CT_PASS_LAYERS) - 1) & ~layers_of_views(views);
}

int ct_mechanism_profile(struct ct_mechanism_run *run, const char *path, struct ct_workload *w,
                         struct ct_error *e)
{
	struct ct_mechanism_observers observers;
	struct ct_trace *trace = NULL;
	int st = ct_mechanism_observers(&observers, 0, &run, 1, e);
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

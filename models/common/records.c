#include "models/common/records.h"

static const char SCOPE[] = "all";

void ct_records_between(struct ct_records *w, const char *metric, double v, double low, double high)
{
	struct ct_estimate es = {
		.scope = SCOPE,
		.mechanism = w->mechanism,
		.system = w->system,
		.metric = metric,
		.method = w->method,
		.value = v,
		.low = low,
		.high = high};
	if (w->status == CT_OK)
		w->status = ct_profile_add_estimate(w->p, &es, w->e);
}

void ct_records_value(struct ct_records *w, const char *metric, double v)
{
	ct_records_between(w, metric, v, NAN, NAN);
}

void ct_records_number(struct ct_records *w, const char *metric, const struct ct_mechanism_number *x)
{
	ct_records_between(w, metric, x->value, x->low, x->high);
}

void ct_records_point(struct ct_records *w, const char *key, const char *x, const char *metric, double v)
{
	struct ct_sweep_point sw = {
		.scope = SCOPE,
		.mechanism = w->mechanism,
		.system = w->system,
		.key = key,
		.x = x,
		.metric = metric,
		.method = w->method,
		.value = v};
	if (w->status == CT_OK)
		w->status = ct_profile_add_sweep(w->p, &sw, w->e);
}

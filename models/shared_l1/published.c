#include "models/shared_l1/published.h"

#include <math.h>
#include <string.h>

/* A metric of a system as the paper reports it; NaN when we have none. */
static double metric_of(const struct ct_sl_row *rows, const char *system, const char *metric)
{
	int i = ct_sl_system_find(system);
	if (i < 0)
		return NAN;
	const struct ct_sl_row *r = &rows[i];
	if (!strcmp(metric, "speedup"))
		return r->speedup.value;
	if (!strcmp(metric, "perf_per_watt"))
		return r->perf_per_watt.value;
	if (!strcmp(metric, "l1_request_miss_rate"))
		return r->x.l1_request_miss_rate;
	if (!strcmp(metric, "reply_latency"))
		return r->x.reply_latency;
	return !strcmp(metric, "replicas") ? r->x.replicas : NAN;
}

double ct_sl_published_ours(const struct ct_sl_row *rows, const struct ct_published_row *result)
{
	const char *const *f = result->field, *metric = f[CT_SL_RESULT_METRIC];
	double v = metric_of(rows, f[CT_SL_RESULT_SYSTEM], metric);
	return strcmp(f[CT_SL_RESULT_AGAINST], "-") == 0
	               ? v
	               : v / metric_of(rows, f[CT_SL_RESULT_AGAINST], metric);
}

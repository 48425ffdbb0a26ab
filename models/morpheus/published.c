#include "models/morpheus/published.h"

#include <math.h>
#include <string.h>

/* A metric of a system in the form that quotients of two systems are made from; NaN when we have none. */
static double metric_of(const struct ct_mo_answer *a, const char *system, const char *metric)
{
	int i = ct_mo_system_find(system);
	if (i < 0)
		return NAN;
	const struct ct_mo_row *r = &a->row[i];
	const struct ct_mo_estimate *x = &r->x;
	if (!strcmp(metric, "speedup"))
		return r->speedup.value;
	if (!strcmp(metric, "perf_per_watt"))
		return r->perf_per_watt.value;
	if (!strcmp(metric, "cycles"))
		return x->cycles;
	if (!strcmp(metric, "llc_throughput_ratio"))
		return x->llc_requests / x->cycles;
	if (!strcmp(metric, "noc_load_ratio"))
		return x->packets / x->cycles;
	if (!strcmp(metric, "network_latency"))
		return ct_mo_network_latency(a, x);
	if (!strcmp(metric, "dram_utilisation"))
		return x->dram_bytes / x->cycles;
	return !strcmp(metric, "llc_mpki") ? x->llc_misses : NAN;
}

double ct_mo_published_ours(const struct ct_mo_answer *a, const struct ct_published_row *result)
{
	const char *const *f = result->field, *metric = f[CT_MO_RESULT_METRIC];
	return metric_of(a, f[CT_MO_RESULT_SYSTEM], metric) /
	       metric_of(a, f[CT_MO_RESULT_AGAINST], metric);
}

/* reason.c - why bypassing gains what it does, and what would tell better. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/bypass/run.h"
#include "models/common/cause.h"
#include "models/common/facts.h"

static double metric_of(const struct ct_profile *p, enum ct_bp_system system, const char *metric)
{
	return ct_fact_es(p, BP_MECHANISM, ct_bp_system_name(system), metric);
}

static double traffic_of(const struct ct_profile *p, enum ct_bp_system system)
{
	return metric_of(p, system, "l1_fetched_bytes") + metric_of(p, system, "l1_stored_bytes");
}

/* Without an eviction nothing is learned, and every load allocates. */
int bp_acted(const struct ct_profile *p, char *text, size_t n)
{
	double evictions = metric_of(p, CT_BP_BL, "l1_evictions");
	text[0] = '\0';
	if (isnan(evictions))
		return -1;
	if (evictions > 0)
		return 1;
	snprintf(text, n, "0 evictions from the L1s");
	return 0;
}

void bp_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
               size_t n)
{
	double passed = metric_of(p, CT_BP_BYPASS, "l1_passed_requests"),
	       requests = metric_of(p, CT_BP_BYPASS, "l1_requests");
	double before = traffic_of(p, CT_BP_BL), after = traffic_of(p, CT_BP_BYPASS);
	const struct ct_cause cause[] = {
		{"L1 sector misses", " %", 100, metric_of(p, CT_BP_BL, "l1_miss_rate"),
	         metric_of(p, CT_BP_BYPASS, "l1_miss_rate"), 0},
		{"bytes between L1s and LLC", " KiB", 1.0 / 1024, before, after, 0}};
	const struct ct_cause_flow flow = {
		.sms = 1,
		.llc = after / before,
		.dram = metric_of(p, CT_BP_BYPASS, "llc_mpki") / ct_fact_sn(p, "llc_mpki")};
	if (!(requests > 0)) {
		snprintf(text, n,
		         requests == 0 ? "no load goes through the L1s"
		                       : "the profile has no count of lines that pass");
		return;
	}
	text[0] = '\0';
	ct_cause_add(text, n, speedup->value, cause, sizeof cause / sizeof cause[0]);
	ct_cause_add_limit(text, n, p, speedup->value, &flow);
	ct_fact_add(text, n, ", %.0f %% of load requests pass the L1", 100 * passed / requests);
}

const char *bp_cure(const char *method, int by_parameters)
{
	(void)by_parameters;
	return strcmp(method, "replay") != 0 ? "bypass-est --method replay narrows it" : NULL;
}

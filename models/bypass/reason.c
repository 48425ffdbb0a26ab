/* reason.c - why bypassing gains what it does, and what would tell better. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/bypass/run.h"
#include "models/common/facts.h"

static double metric_of(const struct ct_profile *p, enum ct_bp_system system, const char *metric)
{
	return ct_fact_es(p, BP_MECHANISM, ct_bp_system_name(system), metric);
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
	double evictions = metric_of(p, CT_BP_BYPASS, "l1_evictions"),
	       dead = metric_of(p, CT_BP_BYPASS, "l1_dead_evictions");
	double passed = metric_of(p, CT_BP_BYPASS, "l1_passed_requests"),
	       requests = metric_of(p, CT_BP_BYPASS, "l1_requests");
	double before = metric_of(p, CT_BP_BL, "l1_miss_rate"),
	       after = metric_of(p, CT_BP_BYPASS, "l1_miss_rate");
	(void)speedup;
	if (!(requests > 0)) {
		snprintf(text, n,
		         requests == 0 ? "no load goes through the L1s"
		                       : "the profile has no count of lines that pass");
		return;
	}
	snprintf(text, n, "%.0f %% of load requests pass the L1", 100 * passed / requests);
	if (evictions > 0)
		ct_fact_add(text, n, ", %.0f %% of lines that leave were not used again",
		            100 * dead / evictions);
	if (fabs(after - before) >= 0.005)
		ct_fact_add(text, n, ", L1 misses go from %.0f to %.0f %%", 100 * before, 100 * after);
	else if (isfinite(after) && isfinite(before))
		ct_fact_add(text, n, ", %.0f %% of sectors miss L1 as before", 100 * before);
}

const char *bp_cure(const char *method, int by_parameters)
{
	(void)by_parameters;
	return strcmp(method, "replay") != 0 ? "bypass-est --method replay narrows it" : NULL;
}

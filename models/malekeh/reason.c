/* reason.c - why Malekeh gains what it does. */
#include <math.h>
#include <stdio.h>

#include "locality/hist.h"
#include "models/common/facts.h"
#include "models/malekeh/run.h"

static double metric_of(const struct ct_profile *p, const char *system, const char *metric)
{
	return ct_fact_es(p, MK_MECHANISM, system, metric);
}

/* Conflicts are what the collectors save; schedulers that have nothing ready gain nothing from them, and
 * those that wait for a collector lose. */
void mk_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
               size_t n)
{
	double hit = metric_of(p, "Malekeh", "rf_hit_ratio");
	double conflict = metric_of(p, "OCU", "bank_conflict_fraction");
	double idle = metric_of(p, "OCU", "no_ready_fraction");
	double wait = metric_of(p, "OCU", "issue_stall_fraction");
	double after = metric_of(p, "Malekeh", "issue_stall_fraction");
	(void)speedup;
	text[0] = '\0';
	if (isnan(hit) && isnan(wait)) {
		snprintf(text, n, "the profile has no register reads");
		return;
	}
	if (conflict >= 0)
		ct_fact_add(text, n, "bank conflicts %.0f %% of issue slots", 100 * conflict);
	if (hit >= 0)
		ct_fact_add(text, n, "%s%.0f %% of register reads hit the collectors", *text ? ", " : "",
		            100 * hit);
	if (fabs(after - wait) >= 0.015)
		ct_fact_add(text, n, "%sready warps wait in %.0f instead of %.0f %% of slots",
		            *text ? ", " : "", 100 * after, 100 * wait);
	else if (idle > 0.5)
		ct_fact_add(text, n, "%sno warp is ready in %.0f %% of slots", *text ? ", " : "",
		            100 * idle);
}

/* A value that is read once is of no use in a cache. */
int mk_acted(const struct ct_profile *p, char *text, size_t n)
{
	struct ct_hist reads = {.cold = 0};
	text[0] = '\0';
	if (!ct_profile_get_hist(p, "all", "reg_insts", &reads, NULL))
		return -1;
	if (ct_hist_total(&reads) > reads.cold)
		return 1;
	snprintf(text, n, reads.cold ? "no register is read twice" : "no register is read");
	return 0;
}

/* The pass has replayed it: there is no closer estimate of ours. */
const char *mk_cure(const char *method, int by_parameters)
{
	(void)method;
	(void)by_parameters;
	return NULL;
}

/* reason.c - why Malekeh gains what it does. */
#include <math.h>
#include <stdio.h>

#include "locality/hist.h"
#include "models/common/cause.h"
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
	const char *own = ct_mk_system_at(CT_MK_OWN)->name; /* what the verdict is over */
	double hit = metric_of(p, "Malekeh", "rf_hit_ratio");
	double idle = metric_of(p, own, "no_ready_fraction");
	const struct ct_cause cause[] = {
		{"issue slots that wait for collectors", " %", 100,
	         metric_of(p, own, "issue_stall_fraction"),
	         metric_of(p, "Malekeh", "issue_stall_fraction"), 0},
		{"slots with bank conflicts", " %", 100, metric_of(p, own, "bank_conflict_fraction"),
	         metric_of(p, "Malekeh", "bank_conflict_fraction"), 0},
		{"slots without a ready warp", " %", 100, idle,
	         metric_of(p, "Malekeh", "no_ready_fraction"), 0}};
	text[0] = '\0';
	if (isnan(hit) && isnan(cause[0].before)) {
		char none[64];
		snprintf(
			text, n, "%s",
			mk_acted(p, none, sizeof none) > 0
				? "a replay of its cycles decided; for the reason make the profile with reuse "
				  "--mechanisms malekeh"
				: "the profile has no register reads");
		return;
	}
	ct_cause_add(text, n, speedup->value, cause, sizeof cause / sizeof cause[0]);
	if (hit >= 0)
		ct_fact_add(text, n, ", %.0f %% of register reads hit the collectors", 100 * hit);
	if (idle > 0.5)
		ct_fact_add(text, n, ", no warp is ready in %.0f %% of slots", 100 * idle);
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

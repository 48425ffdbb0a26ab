/* reason.c - what a verdict on shared L1s says: whether they had anything to act on, why they gain, what would tell
 * more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/common/cause.h"
#include "models/common/facts.h"
#include "models/shared_l1/metrics.h"
#include "models/shared_l1/rates.h"
#include "models/shared_l1/state.h"

static double estimate_of(const struct ct_profile *p, const char *system, const char *metric)
{
	return ct_fact_es(p, ct_mechanism_shared_l1.name, system, metric);
}

static double judged_value(const struct ct_profile *p, const char *metric)
{
	return estimate_of(p, ct_mechanism_shared_l1.judged, metric);
}

/* Sharing saves the copies: without a line in two L1s it only costs. */
int ct_sl_acted(const struct ct_profile *p, char *text, size_t n)
{
	double fills = ct_fact_sn(p, "line_fills"), replicated = ct_fact_sn(p, "replicated_misses");
	if (fills == 0) {
		snprintf(text, n, "0 lines are fetched into an L1");
		return 0;
	}
	if (replicated == 0) {
		snprintf(text, n, "0 lines are in more than one L1");
		return 0;
	}
	return isnan(fills) || isnan(replicated) ? -1 : 1;
}

/* 1 for an analytic miss rate that may well be elsewhere in its range. */
static int order_decides(const struct ct_profile *p)
{
	struct ct_estimate x;
	return ct_profile_get_estimate(p, "all", ct_mechanism_shared_l1.name,
	                               ct_mechanism_shared_l1.judged, "l1_request_miss_rate", NULL,
	                               &x) &&
	       strcmp(x.method, "replay") != 0 &&
	       ct_sl_order_sensitive(judged_value(p, "edge_fraction"));
}

/* Says which of its effects is the larger, misses saved or longer ways, and how much there is to share. */
void ct_sl_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
                  size_t n)
{
	double copies = ct_fact_sn(p, "replication_ratio"), miss = ct_fact_sn(p, "l1_miss_rate");
	const struct ct_cause cause[] = {
		{"L1 sector misses", " %", 100, estimate_of(p, "Private", "l1_miss_rate"),
	         judged_value(p, "l1_miss_rate"), 0},
		{"reply times", " %", 100, 1, judged_value(p, "reply_latency_ratio"), 0},
		{"accesses to other SMs", " %", 100, 0, judged_value(p, "remote_fraction"), 0}};
	const struct ct_cause_flow flow = {
		1, judged_value(p, "l1_miss_rate") / estimate_of(p, "Private", "l1_miss_rate"),
		judged_value(p, "llc_mpki") / ct_fact_sn(p, "llc_mpki"), 1};
	if (n > 0)
		text[0] = '\0';
	if (isnan(miss) || (isnan(copies) && ct_fact_sn(p, "line_fills") != 0)) {
		ct_fact_add(text, n, "the profile has no replication ratio");
		return;
	}
	ct_cause_add(text, n, speedup->value, cause, sizeof cause / sizeof cause[0]);
	ct_cause_add_limit(text, n, p, speedup->value, &flow);
	if (isnan(copies)) /* stores alone reach the L1s */
		ct_fact_add(text, n, ", 0 lines are fetched into an L1");
	else
		ct_fact_add(text, n, ", replication %.0f %%", 100 * copies);
	ct_fact_add(text, n, "%s", order_decides(p) ? ", order-sensitive: ask --method replay" : "");
}

const char *ct_sl_cure(const char *method, int by_parameters)
{
	(void)by_parameters;
	return strcmp(method, "replay") != 0 ? "sharedl1-est --method replay narrows it" : NULL;
}

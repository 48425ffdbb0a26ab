/* reason.c - what a verdict on shared L1s says: whether they had anything to act on, why they gain, what would tell
 * more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* The paper's target test (its section 2.1), in words; empty without its numbers. */
static const char *target_text(const struct ct_profile *p, double copies)
{
	struct ct_sl_params usual;
	double miss = estimate_of(p, "Private", "l1_request_miss_rate");
	double gain = estimate_of(p, "16x-L1", "speedup") - 1;
	if (isnan(miss) || isnan(gain))
		return "";
	ct_sl_defaults(&usual);
	return ct_sl_is_target(&usual, copies, miss, gain) ? ", a target of the paper"
	                                                   : ", no target of the paper";
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

/* Says how much there is to share, and which of its effects is the larger: misses saved, or longer ways. */
void ct_sl_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
                  size_t n)
{
	double copies = ct_fact_sn(p, "replication_ratio"), miss = ct_fact_sn(p, "l1_miss_rate");
	double before = estimate_of(p, "Private", "l1_miss_rate"),
	       after = judged_value(p, "l1_miss_rate");
	double remote = judged_value(p, "remote_fraction"),
	       latency = judged_value(p, "reply_latency_ratio");
	if (n > 0)
		text[0] = '\0';
	if (isnan(copies) || isnan(miss)) {
		ct_fact_add(text, n, "the profile has no replication ratio");
		return;
	}
	ct_fact_add(text, n, "replication %.0f %%, L1 misses %.0f %%", 100 * copies, 100 * miss);
	if (speedup->value > 0.99 && after < before - 0.005)
		ct_fact_add(text, n, " (%+.0f %% when shared)", 100 * (after / before - 1));
	else if (speedup->value < 0.99 && latency > 1)
		ct_fact_add(text, n, ", replies %.1fx slower", latency);
	else if (speedup->value < 0.99 && remote > 0)
		ct_fact_add(text, n, ", %.0f %% of accesses go to another SM", 100 * remote);
	ct_fact_add(text, n, "%s%s", target_text(p, copies),
	            order_decides(p) ? ", order-sensitive: ask --method replay" : "");
}

const char *ct_sl_cure(const char *method, int by_parameters)
{
	(void)by_parameters;
	return strcmp(method, "replay") != 0 ? "sharedl1-est --method replay narrows it" : NULL;
}

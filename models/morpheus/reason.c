/* reason.c - what a verdict on Morpheus says: whether it had anything to act on, why it gains, what would tell more. */
#include <math.h>
#include <stdio.h>

#include "models/common/cause.h"
#include "models/common/facts.h"
#include "models/morpheus/state.h"

static double judged_value(const struct ct_profile *p, const char *metric)
{
	return ct_fact_es(p, ct_mechanism_morpheus.name, ct_mechanism_morpheus.judged, metric);
}

int ct_mo_acted(const struct ct_profile *p, char *text, size_t n)
{
	double misses = ct_fact_sn(p, "llc_line_misses"), sms = judged_value(p, "cache_sms");
	if (misses == 0) {
		snprintf(text, n, "0 misses in the LLC");
		return 0;
	}
	if (sms == 0) {
		snprintf(text, n, "0 SMs in cache mode");
		return 0;
	}
	return isnan(misses) || isnan(sms) ? -1 : 1;
}

/* A gain that no count explains may be that requests no longer wait behind slices of the LLC that stand still. */
static void add_merge_stall(const struct ct_profile *p, double speedup, char *text, size_t n)
{
	static const double much = 0.05;
	double stall, cycles = ct_fact_sn(p, "cycles") - ct_fact_sn(p, "launch_cycles");
	if (!ct_profile_get_im(p, "all", "llc_merge_stall_cycles", &stall))
		return;
	double share = stall / (ct_fact_gp(p, "llc.slices") * cycles);
	if (speedup > 1 + ct_cause_same && share >= much)
		ct_fact_add(text, n,
		            ", LLC slices stand still in %.0f %% of the cycles (llc.mshr_merge)",
		            100 * share);
}

/* First touches of sectors at the LLC per 1000 instructions, which miss at any capacity; NaN where p does not tell. */
static double first_touches(const struct ct_profile *p)
{
	struct ct_hist h = {.cold = 0};
	if (!ct_profile_get_hist(p, "all", "llc_sector", &h, &h))
		return NAN;
	return 1000 * (double)h.cold / ct_fact_sn(p, "thread_insts");
}

/* Misses that are fewer than first touches tell that blocks of whole lines are fetched, and not that there is more room: a GPU
 * that fetches lines needs no mechanism for that. */
static void add_whole_lines(const struct ct_profile *p, double speedup, double misses, char *text,
                            size_t n)
{
	static const double clearly = 0.95;
	const double first = first_touches(p), line = ct_fact_gp(p, "llc.line");
	if (speedup > 1 + ct_cause_same && line > ct_fact_gp(p, "llc.sector") &&
	    misses < clearly * first)
		ct_fact_add(
			text, n,
			", and misses are fewer than the %.3g of first touches since blocks bring whole lines "
			"(-p llc.sector=%.0f does, too)",
			first, line);
}

/* Says what the SMs that lend their memories save and cost, and whether the working set fits what there is. */
void ct_mo_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
                  size_t n)
{
	double sms = judged_value(p, "cache_sms"), extra = judged_value(p, "extended_llc_bytes");
	double llc = ct_fact_gp(p, "llc.size"), all = ct_fact_gp(p, "sm.count");
	double set = ct_fact_sn(p, "distinct_lines") * ct_fact_gp(p, "llc.line");
	double before = ct_fact_sn(p, "llc_mpki"), after = judged_value(p, "llc_mpki");
	const struct ct_cause cause[] = {
		{"LLC sector misses", " per 1000 instructions", 1, before, after, 0},
		{"SMs that compute", "", 1, all, judged_value(p, "compute_sms"), 1}};
	const struct ct_cause_flow flow = {judged_value(p, "compute_sms") / all, 1, after / before, 0};
	char size[CT_FACT_TEXT_MAX], more[CT_FACT_TEXT_MAX];
	ct_fact_size_text(set, size);
	ct_fact_size_text(extra, more);
	text[0] = '\0';
	ct_cause_add(text, n, speedup->value, cause, sizeof cause / sizeof cause[0]);
	add_whole_lines(p, speedup->value, after, text, n);
	add_merge_stall(p, speedup->value, text, n);
	ct_cause_add_limit(text, n, p, speedup->value, &flow);
	if (sms > 0 && set <= llc + extra)
		ct_fact_add(text, n, ", working set %s fits the LLC and %.0f cache-mode SMs", size, sms);
	else if (sms > 0)
		ct_fact_add(text, n, ", %.0f cache-mode SMs lend %s to the LLC", sms, more);
	else if (set <= llc)
		ct_fact_add(text, n, ", working set %s fits the LLC already", size);
	else if (sms == 0)
		ct_fact_add(text, n, ", every SM does more by computing than as cache");
}

const char *ct_mo_cure(const char *method, int by_parameters)
{
	(void)method;
	return by_parameters ? "give block values (bdi) or --mix, or set what you know with -p" : NULL;
}

/* reason.c - the few words behind a verdict, from the numbers that decided it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models/shared_l1/metrics.h"
#include "models/shared_l1/rates.h"
#include "models/verdict/verdict.h"

static double sn(const struct ct_profile *p, const char *metric)
{
	double v;
	return ct_profile_get(p, "all", metric, &v) ? v : NAN;
}

/* Of a system of the mechanism. */
static double es_of(const struct ct_profile *p, enum ct_paper_mechanism m, const char *system,
                    const char *metric)
{
	struct ct_estimate x;
	return ct_profile_get_estimate(p, "all", ct_mechanism_name(m), system, metric, NULL, &x) ? x.value
	                                                                                        : NAN;
}

/* Of the one that is judged. */
static double es(const struct ct_profile *p, enum ct_paper_mechanism m, const char *metric)
{
	return es_of(p, m, ct_mechanism_system(m), metric);
}

static double gp(const struct ct_profile *p, const char *key)
{
	double v;
	const char *text = ct_profile_gp(p, key);
	return text && ct_field_real(text, &v) ? v : NAN;
}

static void size_text(double bytes, char out[32])
{
	double v = bytes;
	const char *unit = "B";
	static const char *const units[] = {"KiB", "MiB", "GiB"};
	for (int i = 0; i < 3 && v >= 1000; i++) {
		v /= 1024;
		unit = units[i];
	}
	snprintf(out, 32, v < 9.95 && *unit != 'B' ? "%.1f %s" : "%.0f %s", v, unit);
}

/* " -38 %" of a change from old to new; empty where one is missing. */
static void change_text(double old, double new, char out[32])
{
	out[0] = '\0';
	if (old > 0 && new >= 0)
		snprintf(out, 32, " %+.0f %%", 100 * (new / old - 1));
}

/* Adds to the reason what still fits: a number of a profile may have 300 digits. */
CT_PRINTF(2, 3)
static void add(struct ct_verdict *v, const char *fmt, ...)
{
	size_t at = strlen(v->reason);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(v->reason + at, sizeof v->reason - at, fmt, ap);
	va_end(ap);
}

static void morpheus(const struct ct_profile *p, struct ct_verdict *v)
{
	double sms = es(p, CT_MORPHEUS, "cache_sms"), extra = es(p, CT_MORPHEUS, "extended_llc_bytes");
	double lines = sn(p, "distinct_lines"), line = gp(p, "llc.line"), llc = gp(p, "llc.size");
	double set = lines * line;
	char size[32], more[32], change[32];
	change_text(sn(p, "llc_mpki"), es(p, CT_MORPHEUS, "llc_mpki"), change);
	size_text(set, size);
	size_text(extra, more);
	if (sms > 0 && set <= llc + extra)
		snprintf(v->reason, sizeof v->reason,
		         "working set %s fits the LLC and %.0f cache-mode SMs, LLC misses%s", size, sms,
		         *change ? change : " fall");
	else if (sms > 0)
		snprintf(v->reason, sizeof v->reason, "%.0f cache-mode SMs lend %s to the LLC, LLC misses%s",
		         sms, more, *change ? change : " change");
	else if (set <= llc)
		snprintf(v->reason, sizeof v->reason, "working set %s fits the LLC already", size);
	else
		snprintf(v->reason, sizeof v->reason, "every SM is worth more computing than caching");
}

/* The paper's target test (reading target-test), in words; empty without its numbers. */
static const char *target(const struct ct_profile *p, double copies)
{
	struct ct_sl_params usual;
	double miss = es_of(p, CT_SHARED_L1, "Private", "l1_request_miss_rate");
	double gain = es_of(p, CT_SHARED_L1, "16x-L1", "speedup") - 1;
	if (isnan(miss) || isnan(gain))
		return "";
	ct_sl_defaults(&usual);
	return ct_sl_is_target(&usual, copies, miss, gain) ? ", a target of the paper"
	                                                    : ", no target of the paper";
}

/* An analytic miss rate that may well be elsewhere in its range (sharedl1-est). */
static int order_decides(const struct ct_profile *p)
{
	struct ct_estimate x;
	return ct_profile_get_estimate(p, "all", ct_mechanism_name(CT_SHARED_L1),
	                               ct_mechanism_system(CT_SHARED_L1), "l1_request_miss_rate", NULL, &x) &&
	       strcmp(x.method, "replay") != 0 && ct_sl_order_sensitive(es(p, CT_SHARED_L1, "edge_fraction"));
}

static void shared_l1(const struct ct_profile *p, struct ct_verdict *v)
{
	double copies = sn(p, "replication_ratio"), miss = sn(p, "l1_miss_rate");
	double before = es_of(p, CT_SHARED_L1, "Private", "l1_miss_rate");
	double after = es(p, CT_SHARED_L1, "l1_miss_rate");
	double remote = es(p, CT_SHARED_L1, "remote_fraction");
	double latency = es(p, CT_SHARED_L1, "reply_latency_ratio");
	if (isnan(copies) || isnan(miss)) {
		snprintf(v->reason, sizeof v->reason, "the profile has no replication ratio");
		return;
	}
	add(v, "replication %.0f %%, L1 misses %.0f %%", 100 * copies, 100 * miss);
	if (v->speedup > 0.99 && after < before - 0.005)
		add(v, " (%+.0f %% when shared)", 100 * (after / before - 1));
	else if (v->speedup < 0.99 && latency > 1)
		add(v, ", replies %.1fx slower", latency);
	else if (v->speedup < 0.99 && remote > 0)
		add(v, ", %.0f %% of accesses go to another SM", 100 * remote);
	add(v, "%s%s", target(p, copies), order_decides(p) ? ", order-sensitive: ask --method replay" : "");
}

/* Chunks of a line that are touched while it is cached, of four. */
static double chunks_used(const struct ct_profile *p)
{
	return 4 * (0.25 * sn(p, "line_touched_25") + 0.5 * sn(p, "line_touched_50") +
	            0.75 * sn(p, "line_touched_75") + sn(p, "line_touched_100"));
}

static void tag_split(const struct ct_profile *p, struct ct_verdict *v)
{
	static const char *const count[] = {"none", "one", "two", "three", "all"};
	double used = chunks_used(p), miss = es_of(p, CT_TAG_SPLIT, "configured", "mem_inst_miss_rate");
	double after = es(p, CT_TAG_SPLIT, "mem_inst_miss_rate");
	if (!(used >= 0 && used <= 4)) {
		snprintf(v->reason, sizeof v->reason, "the profile has no line utilisation");
		return;
	}
	const char *sectored = gp(p, "l1.sector") < gp(p, "l1.line") ? ", L1 is sectored already" : "";
	add(v, "%s of four chunks used", count[(int)(used + 0.5)]);
	if (isnan(after) || isnan(miss))
		add(v, "%s", sectored);
	else if (fabs(after - miss) >= 0.005)
		add(v, ", loads that miss L1 go from %.0f to %.0f %%", 100 * miss, 100 * after);
	else
		add(v, ", %.0f %% of loads miss L1 as before%s", 100 * miss, sectored);
}

/* Conflicts are what the collectors save; schedulers that have nothing ready gain nothing
 * from them, and those that wait for a collector lose. */
static void malekeh(const struct ct_profile *p, struct ct_verdict *v)
{
	double hit = es(p, CT_MALEKEH, "rf_hit_ratio");
	double conflict = es_of(p, CT_MALEKEH, "OCU", "bank_conflict_fraction");
	double idle = es_of(p, CT_MALEKEH, "OCU", "no_ready_fraction");
	double wait = es_of(p, CT_MALEKEH, "OCU", "issue_stall_fraction");
	double after = es(p, CT_MALEKEH, "issue_stall_fraction");
	if (isnan(hit) && isnan(wait)) {
		add(v, "the profile has no register reads");
		return;
	}
	if (conflict >= 0)
		add(v, "bank conflicts %.0f %% of issue slots", 100 * conflict);
	if (hit >= 0)
		add(v, "%s%.0f %% of register reads hit the collectors", *v->reason ? ", " : "", 100 * hit);
	if (fabs(after - wait) >= 0.015)
		add(v, "%sready warps wait in %.0f instead of %.0f %% of slots", *v->reason ? ", " : "", 100 * after,
		    100 * wait);
	else if (idle > 0.5)
		add(v, "%sno warp is ready in %.0f %% of slots", *v->reason ? ", " : "", 100 * idle);
}

void ct_verdict_reason(const struct ct_profile *p, enum ct_paper_mechanism m, struct ct_verdict *v)
{
	static void (*const why[CT_MECHANISMS])(const struct ct_profile *, struct ct_verdict *) = {
		[CT_MORPHEUS] = morpheus, [CT_SHARED_L1] = shared_l1, [CT_TAG_SPLIT] = tag_split,
		[CT_MALEKEH] = malekeh,
	};
	v->reason[0] = '\0';
	why[m](p, v);
}

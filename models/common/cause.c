#include "models/common/cause.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/common/facts.h"
#include "pass/origin.h"

const double ct_cause_same = 0.005;

/* A resource that is busy for less than this does not limit a run: its loads wait for latency. Where queues grow fast, as
 * in any open queue with random arrivals. */
static const double LIMITS = 0.6;

/* Named causes, and named changes that went the other way. */
enum { NUMBER = 24, CAUSES = 2, OTHERS = 1 };

static void number_text(const struct ct_cause *c, double v, char out[NUMBER])
{
	v *= c->scale;
	snprintf(out, NUMBER, fabs(v) >= 100 && fabs(v) < 1e6 ? "%.0f" : "%.3g", v);
}

/* 1 when it got better, -1 worse, 0 when it stayed or is not known. */
static int direction_of(const struct ct_cause *c)
{
	char before[NUMBER], after[NUMBER];
	if (!isfinite(c->before) || !isfinite(c->after))
		return 0;
	number_text(c, c->before, before);
	number_text(c, c->after, after);
	if (strcmp(before, after) == 0 || fabs(c->after - c->before) < 0.01 * fabs(c->before))
		return 0;
	return (c->after > c->before) == (c->more_is_better != 0) ? 1 : -1;
}

static void add_change(char *text, size_t n, const struct ct_cause *c)
{
	char before[NUMBER], after[NUMBER];
	number_text(c, c->before, before);
	number_text(c, c->after, after);
	ct_fact_add(text, n, "%s %s from %s to %s%s", c->what, c->after > c->before ? "rise" : "fall",
	            before, after, c->unit);
}

/* The first changes of a direction, at most `most`, joined by "and"; returns how many. */
static unsigned add_changes(char *text, size_t n, const char *lead, int way, unsigned most,
                            const struct ct_cause *cause, size_t causes)
{
	unsigned said = 0;
	for (size_t i = 0; i < causes && said < most; i++) {
		if (direction_of(&cause[i]) != way)
			continue;
		ct_fact_add(text, n, "%s", said ? " and " : lead);
		add_change(text, n, &cause[i]);
		said++;
	}
	return said;
}

/* Neither faster nor slower: what got better and what got worse make up for each other, or do not matter. */
static void add_balance(char *text, size_t n, const struct ct_cause *cause, size_t causes)
{
	char stays[NUMBER];
	ct_fact_add(text, n, "as fast");
	unsigned better = add_changes(text, n, " although ", 1, OTHERS, cause, causes);
	unsigned worse = add_changes(
		text, n, better ? ", but " : " although ", -1, OTHERS, cause, causes);
	for (size_t i = 0; i < causes && !better && !worse; i++)
		if (isfinite(cause[i].after)) {
			number_text(&cause[i], cause[i].after, stays);
			ct_fact_add(text, n, ": %s stay at %s%s", cause[i].what, stays, cause[i].unit);
			return;
		}
}

void ct_cause_add(char *text, size_t n, double speedup, const struct ct_cause *cause, size_t causes)
{
	int way = speedup > 1 + ct_cause_same ? 1 : speedup < 1 - ct_cause_same ? -1 : 0;
	if (way == 0) {
		add_balance(text, n, cause, causes);
		return;
	}
	ct_fact_add(text, n, "%s", way > 0 ? "faster" : "slower");
	unsigned why = add_changes(text, n, " since ", way, CAUSES, cause, causes);
	if (!why)
		ct_fact_add(text, n, " by when requests come, not by how many");
	add_changes(text, n, ", although ", -way, OTHERS, cause, causes);
}

/* ---- what limits ---- */

/* Bytes that the phrase takes, and that a verdict needs behind a reason to name an alternative. */
enum { LIMIT_TEXT = 60, VERDICT_TEXT = 90 };

static double item_of(const struct ct_profile *p, const char *scope, const char *name)
{
	double v;
	return ct_profile_get_im(p, scope, name, &v) ? v : NAN;
}

static double sn_of(const struct ct_profile *p, const char *scope, const char *name)
{
	double v;
	return ct_profile_get(p, scope, name, &v) ? v : NAN;
}

enum { L1_SETS = 2, L1_MSHRS, REQUESTS, REPLIES, SLICES, DRAM };

int ct_cause_busy(const struct ct_profile *p, const char *scope, struct ct_cause_part s[CT_CAUSE_PARTS])
{
	struct ct_gpu g;
	double run = sn_of(p, scope, "cycles") - sn_of(p, scope, "launch_cycles");
	int st = run > 0 ? ct_pass_get_gpu(p, &g, NULL) : CT_ERR_INPUT;
	if (st != CT_OK)
		return st == CT_ERR_NOMEM ? st : 0;
	double noc = g.noc_mhz / g.core_mhz, llc = g.llc_mhz / g.core_mhz;
	double peak = ct_gpu_dram_gbps(&g) * 1e3 / g.core_mhz; /* bytes a core cycle */
	double sm_cycles = item_of(p, scope, "busy_sm_cycles");
	double bytes = sn_of(p, scope, "dram_read_bytes") + sn_of(p, scope, "dram_write_bytes");
	const struct ct_cause_part made[CT_CAUSE_PARTS] = {
		{"issue", sn_of(p, scope, "warp_insts") / (run * g.sms * g.schedulers), NAN},
		{"L1 ports", item_of(p, scope, "l1_cycles") / (run * g.sms), NAN},
		{"L1 sets", item_of(p, scope, "l1_set_stall_cycles") / sm_cycles,
	         item_of(p, scope, "l1_modified_stall_cycles") / run},
		{"L1 MSHRs", item_of(p, scope, "l1_mshr_stall_cycles") / sm_cycles, NAN},
		{"requests to the LLC",
	         item_of(p, scope, "noc_request_cycles") / (run * ct_gpu_request_ports(&g) * noc),
	         item_of(p, scope, "noc_request_backlog_cycles") / (run * noc)},
		{"replies from the LLC",
	         item_of(p, scope, "noc_reply_cycles") / (run * ct_gpu_reply_ports(&g) * noc),
	         item_of(p, scope, "noc_reply_backlog_cycles") / (run * noc)},
		{"LLC slices", sn_of(p, scope, "llc_sector_accesses") / (run * g.llc_slices * llc), NAN},
		{"DRAM bandwidth", bytes / (run * peak),
	         item_of(p, scope, "dram_backlog_cycles") / ct_gpu_dram_cycles(&g, run)}};
	memcpy(s, made, sizeof made);
	/* Behind a part that sets the pace, requests wait in the network, too. */
	if (fmax(s[REPLIES].awaited, s[DRAM].awaited) >= LIMITS)
		s[REQUESTS].awaited = NAN;
	return 1;
}

static double factor_of(double v)
{
	return isfinite(v) && v > 0 ? v : 1;
}

/* For how long a part can have set the pace: rows that change leave DRAM little to do while requests wait for it, and the first
 * packet of an input holds up the others where a crossbar is less than full. */
static double share_used(const struct ct_cause_part *s)
{
	return fmax(s->busy, s->awaited);
}

static int is_of_l1(size_t part)
{
	return part == L1_SETS || part == L1_MSHRS;
}

/* Misses that wait for a part behind fill the L1s, too: these limit nothing then. */
static const struct ct_cause_part *busiest_station(const struct ct_cause_part s[CT_CAUSE_PARTS])
{
	const struct ct_cause_part *most = &s[0];
	int behind = 0;
	for (size_t i = REQUESTS; i < CT_CAUSE_PARTS; i++)
		behind |= share_used(&s[i]) >= LIMITS;
	for (size_t i = 1; i < CT_CAUSE_PARTS; i++)
		if (!(share_used(most) >= share_used(&s[i])) && isfinite(s[i].busy) &&
		    !(behind && is_of_l1(i)))
			most = &s[i];
	return most;
}

static const char *limit_name(const struct ct_cause_part *s)
{
	return share_used(s) >= LIMITS ? s->name : "latency";
}

/* "DRAM bandwidth (82 % busy)", "DRAM bandwidth (32 % busy, requests wait 98 %)", "latency (DRAM bandwidth 41 % busy)". */
static void add_part(char *text, size_t n, const struct ct_cause_part *s)
{
	const int limits = share_used(s) >= LIMITS;
	ct_fact_add(text, n, "%s (%s%s%.0f %% busy", limit_name(s), limits ? "" : s->name,
	            limits ? "" : " ", 100 * fmin(s->busy, 1));
	if (limits && s->busy < LIMITS)
		ct_fact_add(text, n, ", requests wait %.0f %%", 100 * fmin(s->awaited, 1));
	ct_fact_add(text, n, ")");
}

void ct_cause_add_limit(char *text, size_t n, const struct ct_profile *p, double speedup,
                        const struct ct_cause_flow *flow)
{
	struct ct_cause_part s[CT_CAUSE_PARTS], then[CT_CAUSE_PARTS];
	if (strlen(text) + LIMIT_TEXT + VERDICT_TEXT > n)
		return;
	if (ct_cause_busy(p, "all", s) <= 0 || !isfinite(busiest_station(s)->busy))
		return;
	/* What L1s lack they lack for the same share of another time, as far as anybody knows. */
	const double l1 = flow->own_l1 ? NAN : 1 / factor_of(speedup);
	const double change[CT_CAUSE_PARTS] = {
		1 / factor_of(flow->sms),
		1 / factor_of(flow->sms),
		l1,
		l1,
		factor_of(flow->llc),
		factor_of(flow->llc) / factor_of(flow->sms),
		factor_of(flow->llc),
		factor_of(flow->dram)};
	for (int i = 0; i < CT_CAUSE_PARTS; i++)
		then[i] = (struct ct_cause_part){s[i].name, s[i].busy * change[i] * factor_of(speedup),
		                                 s[i].awaited * change[i] * factor_of(speedup)};
	const struct ct_cause_part *before = busiest_station(s), *after = busiest_station(then);
	ct_fact_add(text, n, ", limited by ");
	add_part(text, n, before);
	if (flow->own_l1 && is_of_l1((size_t)(before - s)) && share_used(before) >= LIMITS) {
		ct_fact_add(text, n, " before");
		return;
	}
	if (strcmp(limit_name(before), limit_name(after)) == 0 ||
	    strlen(text) + LIMIT_TEXT + VERDICT_TEXT > n)
		return;
	ct_fact_add(text, n, " before and by ");
	add_part(text, n, after);
	ct_fact_add(text, n, " after");
}

double ct_cause_modified(const struct ct_profile *p)
{
	struct ct_cause_part s[CT_CAUSE_PARTS];
	if (ct_cause_busy(p, "all", s) <= 0)
		return 0;
	return busiest_station(s) == &s[L1_SETS] && s[L1_SETS].awaited >= LIMITS
	               ? s[L1_SETS].awaited
	               : 0;
}

int ct_cause_limit(char *text, size_t n, const struct ct_profile *p, const char *scope)
{
	struct ct_cause_part s[CT_CAUSE_PARTS];
	int st = ct_cause_busy(p, scope, s);
	if (st > 0 && isfinite(busiest_station(s)->busy))
		add_part(text, n, busiest_station(s));
	return st < 0 ? st : CT_OK;
}

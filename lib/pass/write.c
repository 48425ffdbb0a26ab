#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "pass/origin.h"
#include "pass/private/counts.h"
#include "pass/private/state.h"

/* How the numbers of a scope were got. */
static const char *method_of(const struct ct_pass_scope *s)
{
	return s->sampled.insts > 0 ? "sampled" : "replay";
}

/* Histograms of reuse distances by view, joint ones of own and other SMs, and reuse times. */
static int write_locality(struct ct_pass_state *a, const struct ct_pass_scope *s)
{
	const struct ct_locality_counts *c = s->locality;
	const struct {
		enum ct_pass_layer layer;
		const char *view;
		const struct ct_hist *r, *w;
	} views[] = {
		{CT_PASS_L1, "l1", &c->l1_read, &c->l1_write},
		{CT_PASS_L1, "l1_sector", &c->l1_sector_read, &c->l1_sector_write},
		{CT_PASS_MERGED, "merged", &c->merged_read, &c->merged_write},
		{CT_PASS_MERGED, "merged_sector", &c->merged_sector_read, &c->merged_sector_write},
		{CT_PASS_LLC, "llc", &c->llc_read, &c->llc_write},
		{CT_PASS_LLC, "llc_sector", &c->llc_sector_read, &c->llc_sector_write},
		{CT_PASS_REGISTERS, "reg_insts", &c->reg_insts, NULL},
		{CT_PASS_REGISTERS, "reg_distinct", &c->reg_distinct, NULL},
	};
	int st = CT_OK;
	for (size_t i = 0; i < sizeof views / sizeof views[0] && st == CT_OK; i++)
		if (ct_pass_measures(a, views[i].layer))
			st = ct_profile_add_hist(a->p, s->name, views[i].view, views[i].r, views[i].w,
			                         a->e);
	if (st == CT_OK && ct_pass_measures(a, CT_PASS_SHARING))
		st = ct_profile_add_rj(a->p, s->name, "nearest", &c->rj_nearest, a->e);
	if (st == CT_OK && ct_pass_measures(a, CT_PASS_SHARING))
		st = ct_profile_add_rj(a->p, s->name, "sharers", &c->rj_sharers, a->e);
	if (st == CT_OK && ct_pass_measures(a, CT_PASS_TIMES))
		st = ct_profile_add_rt(a->p, s->name, "l1", c->rt, a->e);
	return st;
}

/* The LLC stream of `sms` SMs, in lines and in sectors. */
static int write_view(struct ct_pass_state *a, uint32_t sms, const struct ct_hist h[4])
{
	char view[32];
	snprintf(view, sizeof view, "llc@sms=%u", sms);
	int st = ct_profile_add_hist(a->p, "all", view, &h[0], &h[1], a->e);
	snprintf(view, sizeof view, "llc_sector@sms=%u", sms);
	return st == CT_OK ? ct_profile_add_hist(a->p, "all", view, &h[2], &h[3], a->e) : st;
}

/* The LLC's stream by the number of SMs that feed it. */
static int write_views(struct ct_pass_state *a)
{
	const struct ct_locality_counts *c = a->scope[0].locality;
	int st = CT_OK;
	if (!ct_pass_measures(a, CT_PASS_LLC_SMS))
		return CT_OK;
	ct_pass_views_settle(a);
	for (unsigned i = 0; i < a->n_views && st == CT_OK; i++)
		st = write_view(a, a->view[i].sms, a->view[i].hist);
	/* The whole GPU's stream again under its SM count, so that a reader needs one rule. */
	struct ct_hist *whole = ct_calloc(4, sizeof *whole);
	if (!whole)
		return ct_fail_nomem(a->e);
	whole[0] = c->llc_read;
	whole[1] = c->llc_write;
	whole[2] = c->llc_sector_read;
	whole[3] = c->llc_sector_write;
	if (st == CT_OK)
		st = write_view(a, a->gpu.sms, whole);
	free(whole);
	return st;
}

/* Share of register reads whose reuse distance is above 12 instructions, which is far for a cache of operands. */
static double far_fraction(const struct ct_hist *h)
{
	const double near = ct_hist_hits(h, 13);
	const uint64_t reused = ct_hist_total(h) - h->cold;
	return reused ? 1 - near / (double)reused : NAN;
}

/* Distinct counts do not add up over launches: whole run only, and nothing is known of
 * what was left out. */
static int write_distinct(struct ct_pass_state *a, const struct ct_pass_scope *s)
{
	const struct ct_locality_counts *c = s->locality;
	const uint64_t llc = ct_gpu_llc_bytes(&a->gpu);
	const struct {
		const char *metric, *unit;
		double v;
	} row[] = {
		{"distinct_lines", "lines", (double)c->distinct_lines},
		{"distinct_sectors", "sectors", (double)c->distinct_sectors},
	};
	int st = CT_OK, known = !(s->sampled.insts > 0);
	for (int i = 0; i < 2 && st == CT_OK; i++)
		st = known ? ct_profile_add_count(a->p, s->name, row[i].metric, (uint64_t)row[i].v,
		                                  row[i].unit, method_of(s), a->e)
		           : ct_profile_add_real(a->p, s->name, row[i].metric, NAN, row[i].unit,
		                                 method_of(s), a->e);
	if (st == CT_OK)
		st = ct_profile_add_real(a->p, s->name, "footprint_over_llc",
		                         known ? row[0].v * a->gpu.llc.line / (double)llc : NAN, "ratio",
		                         method_of(s), a->e);
	return st;
}

/* What is missing or odd in the trace; missing_kernels always, the others where there are any. */
static int write_oddities(struct ct_pass_state *a, const struct ct_trace *trace)
{
	const struct ct_trace_stats *t = ct_trace_stats(trace);
	const struct {
		const char *metric, *unit;
		uint64_t n;
	} odd[] = {
		{"unknown_commands", "lines", t->unknown_commands},
		{"unlisted_kernels", "kernels", t->unlisted_kernels},
		{"joined_launches", "launches", t->joined_launches},
		{"short_grids", "kernels", t->short_grids},
		{"absent_warps", "warps", t->absent_warps},
		{"misnamed_kernels", "kernels", t->misnamed_kernels},
		{"unordered_kernels", "kernels", t->unordered_kernels},
		{"partial_headers", "kernels", t->partial_headers},
		{"truncated", NULL, (uint64_t)ct_trace_is_damaged(trace)},
	};
	const char *scope = a->scope[0].name;
	int st = ct_profile_add_count(
		a->p, scope, "missing_kernels", t->missing_kernels, "kernels", "replay", a->e);
	for (size_t i = 0; st == CT_OK && i < sizeof odd / sizeof *odd; i++)
		if (odd[i].n)
			st = ct_profile_add_count(a->p, scope, odd[i].metric, odd[i].n, odd[i].unit,
			                          "replay", a->e);
	return st;
}

/* How far apart a register is read. */
static int write_registers(struct ct_pass_state *a, const struct ct_pass_scope *s)
{
	const struct ct_hist *h = &s->locality->reg_insts;
	int st = ct_profile_add_real(
		a->p, s->name, "reg_reuse_far_fraction", far_fraction(h), "ratio", method_of(s), a->e);
	return st == CT_OK ? ct_profile_add_count(a->p, s->name, "reg_reuses",
	                                          ct_hist_total(h) - h->cold, NULL, method_of(s), a->e)
	                   : st;
}

/* SN values that need more than the replay's counters. */
static int write_derived(struct ct_pass_state *a, const struct ct_pass_scope *s,
                         const struct ct_trace *trace)
{
	const struct ct_locality_counts *c = s->locality;
	const uint64_t cold = c->llc_read.cold + c->llc_write.cold;
	int st = ct_pass_measures(a, CT_PASS_REGISTERS) ? write_registers(a, s) : CT_OK;
	if (st == CT_OK && ct_pass_measures(a, CT_PASS_LLC))
		st = ct_profile_add_real(
			a->p, s->name, "cold_miss_fraction",
			s->counts.llc_line_misses
				? fmin(1, (double)cold / (double)s->counts.llc_line_misses)
				: NAN,
			"ratio", method_of(s), a->e);
	if (st != CT_OK || s != &a->scope[0])
		return st;
	if (ct_pass_measures(a, CT_PASS_L1))
		st = write_distinct(a, s);
	return st == CT_OK ? write_oddities(a, trace) : st;
}

/* Line utilisation and useful bytes (readings line-utilisation and useful-bytes of doc/readings.md). */
static int write_util(struct ct_pass_state *a, const struct ct_pass_scope *s)
{
	const struct ct_lineutil_counts *c = &s->util;
	uint64_t lines = 0, requests = 0, bytes = 0;
	int st = CT_OK;
	for (int i = 0; i <= CT_LINEUTIL_CHUNKS; i++)
		lines += c->reused[i];
	for (int i = 0; i <= CT_LINEUTIL_BYTES; i++) {
		requests += c->requests[i];
		bytes += c->requests[i] * (uint64_t)i;
	}
	for (int i = 0; i <= CT_LINEUTIL_CHUNKS && st == CT_OK; i++) {
		char metric[32];
		snprintf(metric, sizeof metric, "line_util_%d", i * 100 / CT_LINEUTIL_CHUNKS);
		st = ct_profile_add_real(
			a->p, s->name, metric, lines ? (double)c->reused[i] / (double)lines : NAN,
			"ratio", method_of(s), a->e);
		snprintf(metric, sizeof metric, "line_touched_%d", i * 100 / CT_LINEUTIL_CHUNKS);
		if (st == CT_OK)
			st = ct_profile_add_real(a->p, s->name, metric,
			                         lines ? (double)c->touched[i] / (double)lines : NAN,
			                         "ratio", method_of(s), a->e);
	}
	for (int i = 0, at = 0; i < 4 && st == CT_OK; i++) {
		uint64_t n = 0;
		char metric[32];
		for (; at <= 32 * (i + 1); at++)
			n += c->requests[at];
		snprintf(metric, sizeof metric, "useful_bytes_%d", 32 * (i + 1));
		st = ct_profile_add_real(
			a->p, s->name, metric, requests ? (double)n / (double)requests : NAN, "ratio",
			method_of(s), a->e);
	}
	if (st == CT_OK)
		st = ct_profile_add_count(a->p, s->name, "lines_left", lines, NULL, method_of(s), a->e);
	if (st == CT_OK)
		st = ct_profile_add_count(a->p, s->name, "line_requests", requests, NULL, method_of(s),
		                          a->e);
	if (st == CT_OK)
		st = ct_profile_add_real(
			a->p, s->name, "useful_bytes_mean",
			requests ? (double)bytes / (double)requests : NAN, "bytes", method_of(s), a->e);
	return st;
}

/* IM records of the caller's observers. */
static int write_items(struct ct_pass_state *a)
{
	int st = CT_OK;
	for (unsigned i = 0; st == CT_OK && i < a->o.n_observers; i++)
		if (a->o.observers[i]->write_items)
			st = a->o.observers[i]->write_items(a->observer[i], a->p, a->e);
	return st;
}

/* ES and SW records of the caller's observers. */
static int write_observers(struct ct_pass_state *a)
{
	const struct ct_replay_counts *all = a->sampler ? ct_pass_sampler_replayed(a->sampler)
	                                                : &a->scope[0].counts;
	int st = CT_OK;
	for (unsigned i = 0; st == CT_OK && i < a->o.n_observers; i++)
		if (a->o.observers[i]->write)
			st = a->o.observers[i]->write(a->observer[i], a->p, all, a->e);
	return st;
}

/* Writes all records of a scope, in the order in which cachetriage-profile(5) lists them. */
static int write_scope(struct ct_pass_state *a, const struct ct_pass_scope *s,
                       const struct ct_trace *trace)
{
	int st = ct_pass_add_sn(a->p, s->name, &s->counts, method_of(s),
	                        ct_pass_measures(a, CT_PASS_REPLICATION), a->e);
	if (st == CT_OK && a->gpu.machine == CT_MACHINE_SILICON)
		st = ct_pass_add_active(a->p, s->name, &s->counts, a->gpu.sms, method_of(s), a->e);
	if (st == CT_OK && a->sampler)
		st = ct_pass_write_sampled(a, s);
	if (st == CT_OK)
		st = write_derived(a, s, trace);
	if (st == CT_OK && a->util)
		st = write_util(a, s);
	if (st == CT_OK)
		st = write_locality(a, s);
	if (st == CT_OK)
		st = ct_pass_add_im(a->p, s->name, &s->counts, s->launches, &a->gpu, a->e);
	return st == CT_OK && a->o.mrc ? ct_pass_write_curves(a, s) : st;
}

int ct_pass_write(struct ct_pass_state *a, const struct ct_trace *trace)
{
	int st = ct_pass_put_trace(a->p, trace, a->e);
	if (st == CT_OK)
		st = ct_pass_put_gpu(a->p, &a->gpu, a->e);
	if (st == CT_OK && a->o.timing == CT_REPLAY_QUICK)
		st = ct_profile_add_gp(a->p, CT_PASS_TIMING_KEY, "quick", "", a->e);
	for (size_t i = 0; i < a->n_scopes && st == CT_OK; i++) {
		struct ct_pass_scope s = a->scope[i];
		s.locality = ct_pass_scope_locality(a, &s);
		st = write_scope(a, i ? &s : &a->scope[0], trace); /* `all` is known by its place */
	}
	if (st == CT_OK)
		st = write_items(a);
	if (st == CT_OK && a->attribution)
		st = ct_attribution_write(a->attribution, a->p, a->e);
	if (st == CT_OK)
		st = ct_pass_write_errors(a);
	if (st == CT_OK)
		st = write_views(a);
	return st == CT_OK ? write_observers(a) : st;
}

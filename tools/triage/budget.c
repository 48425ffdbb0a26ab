/* budget.c - --budget: the sample of a trace that some seconds are enough for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "common/pass.h"
#include "pass/sample_plan.h"
#include "pass/scale.h"
#include "triage/triage.h"

/* How an input is judged, the most exact way first, and its CPU seconds for a million warp instructions: of five kernels that
 * wait for DRAM (tests/long/packed.c), all published mechanisms, on one core of a server of 2025 (EPYC 9005, gcc -O2),
 * rounded up. Programs that compute more take less. The first way replays what estimates leave open. */
static const struct way {
	enum ct_method method;
	enum ct_replay_timing timing;
	double seconds;
	const char *options;
} ways[] = {
	{CT_METHOD_AUTO, CT_REPLAY_FULL, 12, ""},
	{CT_METHOD_ANALYTIC, CT_REPLAY_FULL, 2.6, " --method analytic"},
	{CT_METHOD_ANALYTIC, CT_REPLAY_QUICK, 2.0, " --method analytic --timing quick"},
};
enum { WAYS = sizeof ways / sizeof *ways };

int tr_budget_parse(struct tr_own *o, const char *text, struct ct_error *e)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
	const size_t digits = strspn(text, "0123456789.");
	char number[32];
	if (digits > 0 && digits < sizeof number) {
		memcpy(number, text, digits);
		number[digits] = '\0';
		for (size_t i = 0; i < sizeof units / sizeof *units; i++)
			if (strcmp(text + digits, units[i].unit) == 0 &&
			    ct_parse_real(number, &o->budget) == 0 && o->budget > 0) {
				o->budget *= units[i].seconds;
				return CT_OK;
			}
	}
	return ct_fail(e, CT_ERR_USAGE, "--budget %s: give a time, as in 60s or 10min", text);
}

/* The part of the GPU that the trace fills, by its headers, where the pass would look for that. */
static int gpu_of(struct ct_tool *t, const char *path, const struct ct_trace_options *o,
                  struct ct_gpu *g, struct ct_error *e)
{
	double waves;
	int st = ct_tool_gpu(t, NULL, g, e);
	if (st != CT_OK || !ct_tool_scales(t))
		return st;
	st = ct_pass_waves_guess(path, o, g, &waves, e);
	const double factor = st == CT_OK ? ct_pass_scale_factor(g, waves) : 1;
	return st == CT_OK && factor != 1 ? ct_gpu_scale(g, factor, e) : st;
}

/* The largest share with two digits that replays no more than `most`; or the smallest one. */
static int largest_share(const struct ct_sample_plan *plan, const struct ct_gpu *g, uint64_t seed,
                         double most, double *share, double *insts, struct ct_error *e)
{
	enum { DECADES = 4, STEPS = 90, LAST = DECADES * STEPS };
	int low = 0, high = LAST, st; /* 0 is a share of 1 */
	char text[16];
	for (;;) {
		const int at = (low + high) / 2;
		/* As it will be read from the options. */
		snprintf(text, sizeof text, "%.2g", (100 - at % STEPS) * pow(10, -2 - at / STEPS));
		if (ct_parse_real(text, share) < 0)
			return ct_fail(e, CT_ERR_USAGE, "--budget: %s is no share", text);
		st = ct_sample_plan_insts(plan, g, *share, seed, insts, e);
		if (st != CT_OK || low == high)
			return st;
		if (*insts <= most)
			high = at;
		else
			low = at + 1;
	}
}

int tr_budget_check(const struct ct_tool *t, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	if (!(o->budget > 0) || (t->method != CT_METHOD_REPLAY && t->sample_kernels == 1))
		return CT_OK;
	return ct_fail(e, CT_ERR_USAGE, "--budget chooses the sample and the method: leave out %s",
	               t->sample_kernels != 1 ? "--sample-kernels" : "--method replay");
}

int tr_budget(struct ct_tool *t, const char *path, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	struct ct_sample_plan *plan = NULL;
	struct ct_trace_options options;
	struct ct_gpu g;
	double share = 1, insts = 0;
	unsigned i = t->timing == CT_REPLAY_QUICK ? 2 : t->method == CT_METHOD_ANALYTIC;
	ct_tool_trace_options(t, &options);
	int st = ct_sample_plan_open(&plan, path, &options, e);
	if (st == CT_OK)
		st = gpu_of(t, path, &options, &g, e);
	for (; st == CT_OK; i++) {
		st = largest_share(plan, &g, t->seed, o->budget / ways[i].seconds * 1e6, &share, &insts,
		                   e);
		if (i + 1 == WAYS || insts * ways[i].seconds / 1e6 <= o->budget)
			break;
	}
	if (st == CT_OK) {
		t->sample_kernels = share;
		t->method = ways[i].method;
		t->timing = ways[i].timing;
		ct_tool_say(t,
		            "%s: --sample-kernels %.2g --seed %llu%s replays %.4g of %.4g million warp "
		            "instructions%s: %.3g s by the rates of triage(1)",
		            path, share, (unsigned long long)t->seed, ways[i].options, insts / 1e6,
		            ct_sample_plan_all(plan) / 1e6, share < 1 ? "" : ", the whole trace fits",
		            insts / 1e6 * ways[i].seconds);
	}
	ct_sample_plan_free(plan);
	return st;
}

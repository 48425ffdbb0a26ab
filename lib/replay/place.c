/* Windows of time, and CTAs handed to SMs in its order (doc/replay.md section 2). */
#include "replay/private/memory.h"
#include "replay/private/parts.h"
#include "replay/private/team.h"
#include "replay/private/timing.h"

uint32_t rp_window_end(const struct ct_replay *r)
{
	uint64_t end = r->horizon + r->window;
	if (end <= r->base)
		return 0;
	end -= r->base;
	return end > RP_LAST_CYCLE ? RP_LAST_CYCLE : (uint32_t)end;
}

/* The one after the next is brought near while the one before it runs, then its warps'. */
uint32_t rp_run_some(struct ct_replay *r, uint32_t from, uint32_t to, uint32_t end)
{
	for (uint32_t i = from; i < to; i++) {
		if (i + 2 < to)
			r->timing->prefetch_sm(r, &r->sm[i + 2]);
		if (i + 1 < to)
			r->timing->prefetch_warps(r, &r->sm[i + 1]);
		r->timing->run_sm(r, &r->sm[i], end);
		if (r->sm[i].failed || r->error.status)
			return i;
	}
	return RP_NO_INDEX;
}

static int run_sms(struct ct_replay *r)
{
	uint32_t end = rp_window_end(r);
	r->timing->begin_window(r);
	uint32_t failed = rp_team_wanted(r) ? rp_team_run(r, end) : rp_run_some(r, 0, r->g.sms, end);
	return failed == RP_NO_INDEX ? 0 : rp_fail(r, CT_ERR_INPUT, "an SM has failed");
}

static int place_one(struct ct_replay *r, uint32_t i)
{
	struct rp_sm *sm = &r->sm[i];
	struct ct_cta *cta = r->waiting;
	r->waiting = NULL;
	r->last_sm = i;
	r->placed = r->base + r->round;
	sm->now = r->round;
	if (rp_sm_place(r, sm, cta, r->round) < 0)
		return r->error.status;
	sm->offer = sm->ctas < r->occ.ctas ? r->round + 1 : RP_NEVER;
	return 0;
}

/* Goes on with the round in progress: every SM that can take a CTA in this cycle gets
 * one, beginning after the SM that got the last. Ends early when the CTA that is
 * waiting has been given away. */
static int place_round(struct ct_replay *r)
{
	while (r->round_at < r->g.sms) {
		uint32_t i = (r->round_start + r->round_at) % r->g.sms;
		if (r->sm[i].offer == r->round) {
			if (!r->waiting)
				return 0;
			if (place_one(r, i) < 0)
				return r->error.status;
			r->timing->run_sm(r, &r->sm[i], rp_window_end(r));
		}
		r->round_at++;
	}
	r->round = RP_NEVER;
	return 0;
}

/* Finds the earliest cycle in which an SM can take a CTA within the window. */
static int begin_round(struct ct_replay *r)
{
	uint32_t best = RP_NEVER;
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (r->sm[i].offer < best)
			best = r->sm[i].offer;
	if (best >= rp_window_end(r))
		return 0;
	r->round = best;
	r->round_start = (r->last_sm + 1) % r->g.sms;
	r->round_at = 0;
	return 1;
}

/* Nothing is on its way between SMs and slices: what comes next is an SM's or a slice's to say. */
static int nothing_on_its_way(const struct ct_replay *r)
{
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (r->sm[i].missq.n || r->sm[i].direct.n || r->sm[i].replies.n)
			return 0;
	if (!r->timing->memory_idle(r) || !rp_net_idle(r) || (r->parts && rp_parts_flying(r)))
		return 0;
	for (uint32_t i = 0; i < r->map.slices; i++)
		if (rp_llc_replies((struct ct_replay *)(uintptr_t)r, i)->n)
			return 0;
	return 1;
}

/* The memory system catches up with the window, the next one begins. */
static int close_window(struct ct_replay *r)
{
	uint64_t end = r->horizon + r->window;
	int model = r->parts && r->parts->given.network;
	if (r->parts && rp_parts_route(r, end) < 0)
		return r->error.status;
	if (r->timing->end_window(r, end) < 0)
		return r->error.status;
	rp_llc_log_window(r);
	r->horizon = end;
	if (!model)
		rp_net_backpressure(r, end);
	if (r->parts)
		rp_parts_window(r);
	rp_counts_warm(r);
	return rp_directory_merge(r);
}

/* Skips windows in which nothing happens: slices and DRAM, which run up to a window ahead of the SMs, may
 * have to wait for longer than many of them last. Fails when nothing ever will. */
static int skip_idle_windows(struct ct_replay *r)
{
	if (!nothing_on_its_way(r))
		return 0;
	uint64_t next = rp_llc_next(r), ahead = 2 * (uint64_t)r->window;
	if (next != RP_NEVER64)
		next = next > ahead ? next - ahead : 0;
	for (uint32_t i = 0; i < r->g.sms; i++) {
		uint32_t t = r->timing->next_event(r, &r->sm[i]);
		if (!r->ended && r->sm[i].offer < t)
			t = r->sm[i].offer;
		if (t != RP_NEVER && r->base + t < next)
			next = r->base + t;
	}
	if (next == RP_NEVER64)
		return rp_fail(r, CT_ERR_INPUT, "the launch does not come to an end");
	if (next > r->horizon)
		r->horizon = next;
	return 0;
}

static int any_cta_left(const struct ct_replay *r)
{
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (r->sm[i].ctas)
			return 1;
	return 0;
}

int rp_too_long(struct ct_replay *r)
{
	return rp_fail(r, CT_ERR_LIMIT, "a launch runs for more than 4e9 cycles");
}

static int check_length(struct ct_replay *r)
{
	return rp_window_end(r) >= RP_LAST_CYCLE ? rp_too_long(r) : 0;
}

/* Whether the engine has run for longer than anybody asks for: it stops, and the CTA that waits goes. */
static int is_over(struct ct_replay *r)
{
	if (!r->most_cycles || rp_counts_cycles(r) <= r->most_cycles)
		return 0;
	r->stopped = 1;
	ct_cta_unref(r->waiting);
	r->waiting = NULL;
	return 1;
}

int rp_place_waiting(struct ct_replay *r)
{
	while (r->waiting) {
		if (r->round != RP_NEVER) {
			if (place_round(r) < 0)
				return r->error.status;
			continue;
		}
		if (run_sms(r) < 0)
			return r->error.status;
		if (begin_round(r))
			continue;
		if (check_length(r) < 0 || close_window(r) < 0 || skip_idle_windows(r) < 0)
			return r->error.status;
		if (is_over(r))
			return 0;
	}
	return 0;
}

int rp_run_to_end(struct ct_replay *r)
{
	r->ended = 1;
	r->round = RP_NEVER;
	for (;;) {
		if (run_sms(r) < 0)
			return r->error.status;
		if (!any_cta_left(r))
			return 0;
		if (check_length(r) < 0 || close_window(r) < 0 || skip_idle_windows(r) < 0)
			return r->error.status;
		if (is_over(r))
			return 0;
	}
}

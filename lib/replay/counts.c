/* Counters of launches and of the whole run. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/instruction.h"
#include "replay/private/parts.h"

enum { COUNTERS = sizeof(struct ct_replay_counts) / sizeof(uint64_t) };
_Static_assert(sizeof(struct ct_replay_counts) == COUNTERS * sizeof(uint64_t),
               "every counter is a uint64_t");

/* Modular: a difference of two snapshots is right even if one holds open sums. */
static void combine_counts(struct ct_replay_counts *into, const struct ct_replay_counts *from,
                           int subtract)
{
	uint64_t a[COUNTERS], b[COUNTERS];
	memcpy(a, into, sizeof a);
	memcpy(b, from, sizeof b);
	for (unsigned i = 0; i < COUNTERS; i++)
		a[i] += subtract ? 0 - b[i] : b[i];
	memcpy(into, a, sizeof a);
}

void ct_replay_counts_add(struct ct_replay_counts *into, const struct ct_replay_counts *from)
{
	combine_counts(into, from, 0);
}

/* Sectors at the L1 of an SM. */
static void add_l1_counts(struct ct_replay_counts *c, const struct rp_sm *sm)
{
	for (int store = 0; store < 2; store++) {
		const uint64_t *met = sm->full.l1_met[store];
		uint64_t missed = met[RP_SECTOR_MISS] + met[RP_LINE_MISS];
		uint64_t all = met[RP_HIT] + met[RP_PENDING] + missed;
		rp_count_l1(c, &(struct rp_l1_met){all, missed, met[RP_PENDING], met[RP_SECTOR_MISS]},
		            store);
	}
}

static struct ct_replay_counts gather_counts(const struct ct_replay *r)
{
	struct ct_replay_counts c = r->total;
	for (uint32_t i = 0; i < r->g.sms; i++) {
		combine_counts(&c, &r->sm[i].c, 0);
		c.warp_insts += rp_warp_insts(&r->sm[i]);
		add_l1_counts(&c, &r->sm[i]);
	}
	return c;
}

void rp_counts_begin(struct ct_replay *r, uint64_t launch)
{
	r->at_begin = gather_counts(r);
	r->launch = launch;
	r->cycles_before = 0;
}

/* For how long modified lines have held up an L1 in this launch, the one in which that was longest: a launch ends with its slowest
 * SM, and one of many hardly shows in a sum over all. */
static uint64_t longest_modified_stall(const struct ct_replay *r)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (r->sm[i].full.modified_stall > most)
			most = r->sm[i].full.modified_stall;
	return most;
}

/* Warm-up is over at the end of the window in which its last instruction issued: what
 * has been counted so far is taken away from the launch and from the total. */
void rp_counts_warm(struct ct_replay *r)
{
	uint64_t issued = 0;
	if (r->warm || !r->warmup)
		return;
	for (uint32_t i = 0; i < r->g.sms; i++)
		issued += rp_warp_insts(&r->sm[i]);
	if (issued < r->warmup)
		return;
	uint64_t now = rp_window_start(r);
	uint64_t ctas = r->at_begin.ctas, warps = r->at_begin.warps;
	r->warm = 1;
	r->at_begin = gather_counts(r);
	r->at_begin.ctas = ctas;
	r->at_begin.warps = warps;
	for (uint32_t i = 0; i < r->g.sms; i++) { /* close the sums that are open */
		r->at_begin.resident_warp_cycles += r->sm[i].warps_live * now;
		r->sm[i].full.modified_stall = 0;
		if (r->sm[i].ctas)
			r->at_begin.busy_sm_cycles += now - r->sm[i].busy_since;
	}
	r->at_warm = r->at_begin;
	r->cycles_before = now;
	rp_tell_lines(r);
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].counted)
			r->obs[i].counted(r->obs[i].ctx);
}

/* Nothing has been counted yet. */
static int still_warming_up(const struct ct_replay *r)
{
	return r->warmup && !r->warm;
}

/* Closes the launch's counts: cycles behind the warm-up, and what the GPU could hold at once. *c (may
 * be NULL) gets what has been counted since the launch began. */
void rp_counts_end(struct ct_replay *r, struct ct_replay_counts *c)
{
	uint64_t capacity = (uint64_t)r->occ.ctas_by_resources *
	                    (r->g.sms - (r->parts ? r->parts->nowned : 0));
	uint64_t skip = r->cycles_before, launch = r->launch;
	if (skip > r->end_cycle)
		skip = r->end_cycle;
	if (launch > r->end_cycle) /* the engine stopped before a CTA could be placed */
		launch = r->end_cycle;
	r->total.cycles += r->end_cycle - skip;
	r->total.launch_cycles += launch > skip ? launch - skip : 0;
	r->total.l1_modified_stall += longest_modified_stall(r);
	r->total.sm_cta_capacity += capacity;
	r->total.ctas_first_wave += r->launch_ctas < capacity ? r->launch_ctas : capacity;
	if (c) {
		*c = gather_counts(r);
		combine_counts(c, still_warming_up(r) ? c : &r->at_begin, 1);
	}
}

uint64_t rp_counts_cycles(const struct ct_replay *r)
{
	uint64_t now = rp_window_start(r);
	uint64_t before = r->cycles_before > r->launch ? r->cycles_before : r->launch;
	if (still_warming_up(r))
		return 0;
	return r->total.cycles - r->total.launch_cycles -
	       (r->at_warm.cycles - r->at_warm.launch_cycles) + (now > before ? now - before : 0);
}

void ct_replay_total(const struct ct_replay *r, struct ct_replay_counts *c)
{
	*c = gather_counts(r);
	combine_counts(c, still_warming_up(r) ? c : &r->at_warm, 1);
}

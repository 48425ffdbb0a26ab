/* The engine from outside: launches, CTAs, counts. */
#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/memory.h"
#include "replay/private/parts.h"
#include "replay/private/team.h"
#include "replay/private/timing.h"
#include "replay/private/usual.h"

static uint32_t log2_of(uint64_t v)
{
	uint32_t n = 0;
	while (v >>= 1)
		n++;
	return n;
}

int rp_fail(struct ct_replay *r, int status, const char *text)
{
	if (r->error.status)
		return r->error.status;
	return ct_fail(&r->error, status, "%s", text);
}

static int copy_error(struct ct_replay *r, struct ct_error *e)
{
	if (r->error.status && e)
		*e = r->error;
	return r->error.status;
}

/* What the fixed-size parts of the engine can hold. */
static int check_limits(const struct ct_replay *r, struct ct_error *e)
{
	const struct ct_gpu *g = &r->g;
	if (g->schedulers > RP_MAX_SCHEDULERS)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "more than %d schedulers per SM",
		               RP_MAX_SCHEDULERS);
	if (r->slots > RP_MAX_SLOTS)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "more than %d warps per scheduler", RP_MAX_SLOTS);
	if (r->l1_sectors > 8 || r->llc_sectors > 8)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "more than 8 sectors per line");
	if (r->llc_per_l1 > RP_MAX_REPLIES)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "more than %d LLC sectors in one of L1",
		               RP_MAX_REPLIES);
	if (g->dram_banks > 32)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "more than 32 DRAM banks");
	if (r->warps > 0xffff || g->sms > 0xffff || g->llc_slices > 0xffff)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "more than 65535 warps, SMs or slices");
	return 0;
}

/* Clocks as integers, in units of 10 kHz. */
static uint64_t clock_of(double mhz)
{
	uint64_t v = (uint64_t)(mhz * 100 + 0.5);
	return v ? v : 1;
}

/* Works out what the configuration implies and mends what would stop the engine: sizes as powers of
 * two, at least one of everything. */
static void derive_shape(struct ct_replay *r)
{
	struct ct_gpu *g = &r->g;
	uint32_t per = (ct_gpu_max_warps(g) + g->schedulers - 1) / g->schedulers;
	r->slots = (per + RP_SLOT_BLOCK - 1) / RP_SLOT_BLOCK * RP_SLOT_BLOCK;
	r->warps = r->slots * g->schedulers;
	r->banks = g->l1.banks < 1 ? 1 : g->l1.banks > RP_MAX_L1_BANKS ? RP_MAX_L1_BANKS : g->l1.banks;
	rp_clock_reduce(&r->dram_clock, clock_of(g->core_mhz), clock_of(g->dram_mhz));
	rp_clock_reduce(&r->noc_clock, clock_of(g->core_mhz), clock_of(g->noc_mhz));
	rp_clock_reduce(&r->llc_clock, clock_of(g->core_mhz), clock_of(g->llc_mhz));
	r->dram_timing = rp_dram_timing_of(g);
	if (!g->collectors)
		g->collectors = 1;
	if (g->collectors > RP_MAX_COLLECTORS)
		g->collectors = RP_MAX_COLLECTORS;
	if (g->memory_collectors > RP_MAX_COLLECTORS)
		g->memory_collectors = RP_MAX_COLLECTORS;
	r->reg_banks = g->register_banks / g->schedulers;
	if (r->reg_banks < 1)
		r->reg_banks = 1;
	if (r->reg_banks > RP_MAX_REG_BANKS)
		r->reg_banks = RP_MAX_REG_BANKS;
	r->l1_line_bits = log2_of(g->l1.line);
	r->l1_sector_bits = log2_of(g->l1.sector);
	r->l1_sectors = g->l1.line / g->l1.sector;
	r->llc_line_bits = log2_of(g->llc.line);
	r->llc_sector_bits = log2_of(g->llc.sector);
	r->llc_sectors = g->llc.line / g->llc.sector;
	r->llc_per_l1 = g->l1.sector > g->llc.sector ? g->l1.sector / g->llc.sector : 1;
	/* a reply needs the LLC's latency and the network both ways (engine.h) */
	r->window = g->llc_latency + 2;
	if (r->window > 1024)
		r->window = 1024;
	r->whole_window = r->window;
	if (g->l1_latency < 1)
		g->l1_latency = 1;
	if (g->l1.miss_queue < 2)
		g->l1.miss_queue = 2;
	/* a load's fill beside a write-back; a store's bytes and the fill of its line beside one (slice.c) */
	uint32_t least = rp_llc_fetches(r) ? 3 : 2;
	if (g->llc.miss_queue < least)
		g->llc.miss_queue = least;
	if (!g->l1.mshr_entries)
		g->l1.mshr_entries = 1;
	if (!g->llc.mshr_entries)
		g->llc.mshr_entries = 1;
	if (!g->l1.mshr_merge)
		g->l1.mshr_merge = 1;
	if (g->l1.mshr_merge > RP_MAX_WAITERS)
		g->l1.mshr_merge = RP_MAX_WAITERS;
	if (!g->llc.mshr_merge)
		g->llc.mshr_merge = 1;
}

/* Options may be NULL: full timing, nothing watched. Returns 0 or fails with CT_ERR_NOMEM. */
static int copy_options(struct ct_replay *r, const struct ct_replay_options *o, struct ct_error *e)
{
	int full_l1 = 0;
	r->timing = rp_timing_of(o ? o->timing : CT_REPLAY_FULL);
	if (!o)
		return 0;
	r->warmup = o->warmup;
	r->most_cycles = o->most_cycles;
	r->replication = o->replication;
	r->nobs = o->n_observers;
	r->obs = ct_calloc(o->n_observers, sizeof *r->obs);
	if (!r->obs)
		return ct_fail_nomem(e);
	for (unsigned i = 0; i < o->n_observers; i++) {
		r->obs[i] = o->observers[i];
		full_l1 |= r->obs[i].l1 != NULL;
		r->has_l1 |= r->obs[i].l1 || r->obs[i].l1_lines;
		r->has_llc |= r->obs[i].llc || r->obs[i].llc_lines;
		if (r->obs[i].l1_lines && !r->lines && !(r->lines = ct_calloc(1, sizeof *r->lines)))
			return ct_fail_nomem(e);
		r->has_issue |= r->obs[i].issue != NULL;
		r->has_mem |= r->obs[i].mem != NULL;
		r->has_stall |= r->obs[i].stall != NULL;
	}
	r->l1_in_short = r->has_l1 && !full_l1;
	return 0;
}

/* Builds SMs, networks, slices, the timing's own state, then what watches. The timing comes after what
 * it refers to. Returns 0 or the status of *e. */
static int build_engine(struct ct_replay *r, struct ct_error *e)
{
	r->sm = ct_pool_take(&r->pool, r->g.sms, sizeof *r->sm);
	if (!r->sm)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < r->g.sms; i++) {
		int st = rp_sm_init(r, &r->sm[i], i, e);
		if (st < 0)
			return st;
	}
	int st = rp_net_new(&r->to_llc, r->g.sms, r->map.slices, e);
	if (st == 0)
		st = rp_net_new(&r->to_sm, r->map.slices, r->g.sms, e);
	if (st == 0)
		st = rp_llc_init(r, e);
	if (st == 0)
		st = r->timing->init(r, e);
	if (st == 0)
		st = rp_llc_log_init(r, e);
	if (st == 0 && r->replication)
		st = rp_directory_init(r, e);
	if (st == 0 && r->parts)
		st = rp_parts_build(r, e);
	return st;
}

/* A level that is ideal has to be one that the timing knows and that is the engine's own. */
static int check_ideal(const struct ct_replay *r, struct ct_error *e)
{
	unsigned own = r->timing->ideal;
	if (r->ideal & ~own)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s timing knows no ideal register banks: use full", r->timing->name);
	own &= r->l1_part || r->admission ? ~(unsigned)CT_REPLAY_IDEAL_L1 : own;
	own &= r->llc_part ? ~(unsigned)CT_REPLAY_IDEAL_LLC : own;
	own &= r->collector_part ? ~(unsigned)CT_REPLAY_IDEAL_REGISTERS : own;
	if (r->ideal & ~own)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "a level that a part takes the place of cannot be ideal");
	return 0;
}

/* Checks before it builds: what the fixed-size parts of the engine hold, what the timing can do.
 * `usual` and `usual_memory` choose the code in which numbers are constants (step.h, usual.h). */
int ct_replay_new(struct ct_replay **out, const struct ct_gpu *g, const struct ct_replay_options *o,
                  struct ct_error *e)
{
	struct ct_replay *r = ct_calloc(1, sizeof *r);
	*out = NULL;
	if (!r)
		return ct_fail_nomem(e);
	r->g = *g;
	r->free = o ? o->free : 0;
	r->ideal = o ? o->ideal : 0;
	rp_make_resources_free(&r->g, r->free);
	derive_shape(r);
	r->last_sm = g->sms - 1;
	r->round = RP_NEVER;
	int st = check_limits(r, e);
	if (st == 0)
		st = ct_address_map_init(&r->map, &r->g, e);
	if (st == 0)
		st = copy_options(r, o, e);
	if (st == 0 && !r->timing->knows_networks && g->noc != CT_NOC_CROSSBAR)
		st = ct_fail(e, CT_ERR_UNSUPPORTED,
		             "%s timing knows no network but the crossbar: use full", r->timing->name);
	if (st == 0 && ((o && o->parts) || rp_parts_wanted(r)))
		st = rp_parts_init(r, o ? o->parts : NULL, e);
	if (st == 0 && r->ideal)
		st = check_ideal(r, e);
	r->l1_alone = st == 0 && r->parts && rp_l1_part_alone(r);
	r->two_level = g->scheduler == CT_SCHED_TWO_LEVEL && !r->core_parts;
	r->usual_memory = st == 0 && rp_usual_memory(r) && (!r->parts || rp_core_parts_alone(r));
	r->usual_llc = rp_usual_llc(r);
	r->usual_banks = rp_usual_banks(r);
	r->front_end = st == 0 && r->timing->knows_front_end &&
	               (g->branch_cycles ||
	                (g->llc_flush && (g->code_first_cycles || g->code_line_cycles)));
	r->oldest_first = g->scheduler == CT_SCHED_GTO || g->scheduler == CT_SCHED_WARP_LIMIT ||
	                  g->scheduler == CT_SCHED_OLDEST;
	if (st == 0)
		st = build_engine(r, e);
	if (st < 0) {
		ct_replay_free(r);
		return st;
	}
	*out = r;
	return 0;
}

/* An engine may be half built here. */
void ct_replay_free(struct ct_replay *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; r->sm && i < r->g.sms; i++)
		rp_sm_free(r, &r->sm[i]);
	rp_net_free(r->to_llc);
	rp_net_free(r->to_sm);
	rp_llc_free(r);
	rp_directory_free(r);
	rp_llc_log_free(r);
	ct_cta_unref(r->waiting);
	rp_ops_free(r);
	rp_parts_free(r);
	rp_team_free(r);
	ct_pool_free(&r->pool);
	free(r->lines);
	free(r->obs);
	free(r);
}

/* The launch's cycle 0 is the end of the one before; nothing is placed before the
 * launch latency is over (doc/replay.md section 1). */
int ct_replay_kernel_begin(struct ct_replay *r, const struct ct_kernel *k, struct ct_error *e)
{
	if (r->error.status || r->stopped)
		return copy_error(r, e);
	struct ct_gpu takers = r->g; /* an SM's share of the CTAs is over those that take any */
	takers.sms -= r->parts ? r->parts->nowned : 0;
	int st = ct_occupancy(&takers, k, &r->occ, e);
	if (st < 0)
		return st;
	uint64_t n = ct_kernel_ctas(k);
	uint64_t launch = r->g.launch_cycles + n * r->g.cta_launch_cycles;
	if (launch > RP_LAST_CYCLE / 2)
		return ct_fail(e, CT_ERR_LIMIT, "the launch latency of %llu cycles is too long",
		               (unsigned long long)launch);
	if ((uint64_t)r->occ.ctas * r->occ.warps_per_cta > r->warps || r->occ.ctas > r->g.max_ctas)
		return ct_fail(e, CT_ERR_INPUT, "resident CTAs need more warps than an SM has");
	r->kernel = k;
	r->code = NULL;
	r->nops = 0;
	r->base += r->end_cycle;
	if (r->horizon + r->window <= r->base)
		r->horizon = r->base;
	r->end_cycle = 0;
	r->first_place = (uint32_t)launch + 1;
	r->in_kernel = 1;
	r->ended = 0;
	r->launch_ctas = 0;
	r->round = RP_NEVER;
	r->local = (struct ct_local_map){
		.base = CT_LOCAL_BASE,
		.threads = r->occ.warps_per_cta * 32,
		.ctas = r->occ.ctas,
		.sms = r->g.sms,
	};
	if (r->g.llc_flush)
		rp_llc_flush(r);
	for (uint32_t i = 0; i < r->g.sms; i++)
		rp_sm_begin(r, &r->sm[i]);
	if (r->parts)
		rp_parts_kernel(r);
	rp_counts_begin(r, launch);
	return copy_error(r, e);
}

int ct_replay_push_cta(struct ct_replay *r, struct ct_cta *cta, struct ct_error *e)
{
	if (r->error.status || r->stopped)
		return copy_error(r, e);
	if (!r->code)
		r->code = ct_cta_code(cta);
	r->waiting = ct_cta_ref(cta);
	r->launch_ctas++;
	rp_place_waiting(r);
	return copy_error(r, e);
}

/* A launch without CTAs ends where its first could have been placed, one in which the engine stops where it stopped. Later
 * ones have no counts. */
int ct_replay_kernel_end(struct ct_replay *r, struct ct_replay_counts *c, struct ct_error *e)
{
	if (r->error.status)
		return copy_error(r, e);
	if (!r->in_kernel) {
		if (c)
			*c = (struct ct_replay_counts){0};
		return CT_OK;
	}
	if (r->launch_ctas && !r->stopped)
		rp_run_to_end(r);
	else if (!r->launch_ctas)
		r->end_cycle = r->first_place;
	if (r->stopped)
		r->end_cycle = (uint32_t)(r->horizon - r->base);
	rp_tell_lines(r);
	rp_llc_log_flush(r, RP_NEVER64);
	rp_directory_merge(r);
	r->in_kernel = 0;
	if (r->parts && !r->stopped)
		rp_parts_kernel(r);
	r->launch_key += (uint64_t)r->kernel->grid[0] * r->kernel->grid[1] * r->kernel->grid[2] *
	                 r->occ.warps_per_cta;
	rp_counts_end(r, c);
	return copy_error(r, e);
}

uint64_t ct_replay_placed(const struct ct_replay *r)
{
	return r->placed;
}

void ct_replay_memcpy(struct ct_replay *r, uint64_t address, uint64_t bytes)
{
	if (r->g.llc_memcpy_fill && !r->stopped)
		rp_llc_fill(r, address, bytes);
}

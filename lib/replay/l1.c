/* The L1 data cache of an SM, from outside of its pipeline (l1_step.c): set-up, launches, what is
 * in it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/llc.h"
#include "replay/private/parts.h"
#include "replay/private/timing.h"
#include "replay/private/usual.h"

int rp_l1_init(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e)
{
	uint64_t bytes = r->g.l1.size > r->g.unified_bytes ? r->g.l1.size : r->g.unified_bytes;
	uint32_t lines = (uint32_t)(bytes / r->g.l1.line);
	if (lines < r->g.l1.sets * r->g.l1.ways)
		lines = r->g.l1.sets * r->g.l1.ways;
	uint32_t entries = rp_mshr_entries(r, &r->g.l1, lines);
	if (rp_cache_init(&sm->cache, r->timing->waits_for_fills, &r->g.l1, lines, &r->pool, e) < 0)
		return e ? e->status : CT_ERR_NOMEM;
	rp_cache_shape(&sm->cache, r->g.l1.sets, r->g.l1.ways);
	uint32_t buckets = 16;
	while (buckets < entries * 2)
		buckets *= 2;
	sm->mshr_mask = buckets - 1;
	sm->mshr = ct_pool_take(&r->pool, entries, sizeof *sm->mshr);
	sm->mshr_bucket = ct_pool_take(&r->pool, buckets, sizeof *sm->mshr_bucket);
	sm->stage_mask = RP_FIRST_STAGES - 1;
	sm->stage = ct_pool_take(&r->pool, (size_t)r->banks * RP_FIRST_STAGES, sizeof *sm->stage);
	sm->mshr_spare.at = ct_pool_take(&r->pool, entries, sizeof *sm->mshr_spare.at);
	if (!sm->mshr || !sm->mshr_bucket || !sm->stage || !sm->mshr_spare.at)
		return ct_fail_nomem(e);
	for (uint32_t i = entries; i-- > 0;)
		sm->mshr_spare.at[sm->mshr_spare.n++] = i;
	for (uint32_t i = 0; i < buckets; i++)
		sm->mshr_bucket[i] = RP_NO_INDEX;
	return 0;
}

void rp_l1_free(struct rp_sm *sm)
{
	free(sm->steps);
}

void rp_l1_log(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t now, int what)
{
	if (sm->nlog == sm->log_cap) {
		size_t cap = sm->log_cap;
		if (ct_grow((void **)&sm->log, &cap, sm->nlog + 1, sizeof *sm->log) < 0) {
			sm->failed = 1;
			rp_fail(r, CT_ERR_NOMEM, "out of memory");
			return;
		}
		sm->log_cap = (uint32_t)cap;
	}
	sm->log[sm->nlog++] = (struct rp_log){line, now, (uint8_t)what};
}

static void log_all_gone(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	uint32_t at = 0;
	uint64_t line;
	while (r->replication && rp_cache_next_line(&sm->cache, &at, &line))
		rp_l1_log(r, sm, line, now, RP_LOG_GONE);
}

void rp_l1_begin(struct ct_replay *r, struct rp_sm *sm)
{
	sm->nsteps = sm->step_head = 0;
	sm->l1_next = RP_NEVER;
	memset(sm->in_bank, 0, sizeof sm->in_bank);
	memset(sm->bank_at, 0xff, sizeof sm->bank_at);
	memset(sm->bank_head, 0, sizeof sm->bank_head);
	sm->full_banks = 0;
	if (!rp_cache_has_shape(&sm->cache, r->occ.l1_sets, r->occ.l1_ways)) {
		log_all_gone(r, sm, 0);
		rp_cache_shape(&sm->cache, r->occ.l1_sets, r->occ.l1_ways);
	} else if (r->g.l1_flush) {
		log_all_gone(r, sm, 0);
		rp_cache_flush(&sm->cache);
	}
	if (r->l1_part && r->l1_part->flush && r->g.l1_flush)
		r->l1_part->flush(r->l1_part->part.ctx, r, sm->id, r->base);
}

void rp_l1_wipe(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].l1_wipe)
			r->obs[i].l1_wipe(r->obs[i].ctx, sm->id);
	if (r->l1_part && r->l1_part->flush)
		r->l1_part->flush(r->l1_part->part.ctx, r, sm->id, r->base + now);
	log_all_gone(r, sm, now);
	rp_cache_flush(&sm->cache);
}

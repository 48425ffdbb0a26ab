/* The L1 data cache of an SM, from outside of its pipeline (l1_step.c): set-up, launches, what is
 * in it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/llc.h"
#include "replay/private/parts.h"
#include "replay/private/timing.h"
#include "replay/private/usual.h"

uint32_t ct_admission_slots(const struct ct_gpu *g)
{
	uint64_t bytes = g->l1.size > g->unified_bytes ? g->l1.size : g->unified_bytes;
	return rp_max32((uint32_t)(bytes / g->l1.line), g->l1.sets * g->l1.ways);
}

/* Lines of the L1 in the largest shape that the configuration can give it. */
uint32_t rp_l1_lines(const struct ct_replay *r)
{
	return ct_admission_slots(&r->g);
}

int rp_l1_init(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e)
{
	if (rp_cache_init(&sm->cache, r->timing->waits_for_fills, &r->g.l1, rp_l1_lines(r), &r->pool,
	                  e) < 0)
		return e ? e->status : CT_ERR_NOMEM;
	rp_cache_shape(&sm->cache, r->g.l1.sets, r->g.l1.ways);
	return 0;
}

void rp_log_line_now(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t now, int what)
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
		rp_log_line_now(r, sm, line, now, RP_LOG_GONE);
}

void rp_l1_begin(struct ct_replay *r, struct rp_sm *sm)
{
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

void rp_tell_lines(struct ct_replay *r)
{
	if (!r->lines || !r->lines->n)
		return;
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].l1_lines)
			r->obs[i].l1_lines(r->obs[i].ctx, r->lines->a, r->lines->n);
	r->lines->n = 0;
}

void rp_l1_wipe(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	if (r->told)
		rp_note_wipe(r, sm->id);
	for (unsigned i = 0; i < r->nobs && !r->told; i++)
		if (r->obs[i].l1_wipe)
			r->obs[i].l1_wipe(r->obs[i].ctx, sm->id);
	if (r->l1_part && r->l1_part->flush)
		r->l1_part->flush(r->l1_part->part.ctx, r, sm->id, r->base + now);
	log_all_gone(r, sm, now);
	rp_cache_flush(&sm->cache);
}

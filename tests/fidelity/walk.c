#include "walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/address.h"
#include "gpu/coalesce.h"
#include "gpu/occupancy.h"
#include "replay/private/tags.h"

struct stream {
	struct ct_cursor *cursor;
	int done;
};
struct slot {
	struct ct_cta *cta;
	struct stream *warp;
	uint32_t warps, left;
};
struct core {
	struct slot *slot;
	struct rp_tags l1;
};

struct walk {
	const struct ct_gpu *g;
	struct ct_address_map map;
	struct ct_pool pool; /* of the tags */
	struct core *core;
	struct rp_tags *llc;
	struct ct_occupancy occ;
	const struct ct_kernel *kernel;
	struct walk_counts *c;
	uint32_t now;
	struct ct_error *e;
};

/* One sector in a cache: 1 when it was there. */
static int touch(struct rp_tags *t, uint32_t set, uint64_t line, uint32_t sector, uint32_t bytes,
                 int store, uint32_t now)
{
	uint32_t i = rp_tags_find(t, line), bit = 1u << sector;
	if (i == RP_NO_LINE) {
		i = rp_tags_victim(t, set);
		rp_tags_allocate(t, set, i, line, now);
	} else {
		rp_tags_touch(t, i, now);
	}
	int had = store ? (t->line[i].valid & bit) != 0 : (rp_load_hits(&t->line[i]) & bit) != 0;
	if (store) {
		rp_tags_store(t, i, sector, bytes);
	} else if (!had) {
		rp_tags_reserve(t, i, sector);
		rp_tags_fill(t, i, sector, 0);
	}
	return had;
}

static void llc(struct walk *w, uint64_t address, uint32_t bytes, int store)
{
	struct ct_place p = ct_address_place(&w->map, address);
	uint32_t sectors = w->g->llc.line / w->g->llc.sector;
	uint32_t k = (uint32_t)(address / w->g->llc.sector) % sectors;
	int had = touch(&w->llc[p.slice], p.llc_set, address / w->g->llc.line, k, bytes, store, w->now);
	if (!store) {
		w->c->llc_reads++;
		w->c->llc_read_misses += !had;
	}
}

static void access_line(struct walk *w, struct core *core, const struct ct_line_request *q, int store,
                        int bypass)
{
	uint32_t sectors = w->g->l1.line / w->g->l1.sector;
	uint32_t set = ct_set_index((enum ct_set_hash)w->g->l1.set_hash, core->l1.sets, q->line);
	for (uint32_t s = 0; s < sectors; s++) {
		if (!(q->sectors >> s & 1))
			continue;
		uint32_t bytes = (uint32_t)(q->bytes[s / 2 & 1] >> 32 * (s % 2));
		int had = 0;
		if (!bypass) {
			had = touch(&core->l1, set, q->line, s, bytes, store, w->now);
			w->c->l1_accesses++;
			w->c->l1_misses += !had;
		}
		if (store || !had)
			llc(w, q->line * w->g->l1.line + s * w->g->l1.sector, bytes, store);
	}
}

/* Executes up to and with the warp's next memory instruction; 0 at its end. */
static int step(struct walk *w, uint32_t sm, uint32_t slot, uint32_t warp)
{
	struct slot *s = &w->core[sm].slot[slot];
	struct ct_local_map local = {
		CT_LOCAL_BASE,
		w->occ.warps_per_cta * 32,
		w->occ.ctas,
		w->g->sms,
		sm,
		slot * w->occ.warps_per_cta * 32 + 32 * ct_cta_warp(s->cta, warp)->warp,
	};
	struct ct_line_request q[CT_MAX_LINES_PER_INST];
	struct ct_inst inst;
	int st;
	while ((st = ct_cursor_next(s->warp[warp].cursor, &inst, w->e)) > 0) {
		const struct ct_sinst *i = ct_code_at(ct_cta_code(s->cta), inst.sid);
		uint32_t shared;
		if (i->access == CT_ACCESS_NONE || i->access >= CT_ACCESS_PREFETCH)
			continue;
		unsigned n = ct_coalesce(w->kernel, i, &inst, w->g->l1.line, w->g->l1.sector, &local, 0,
		                         q, &shared);
		int store = i->access == CT_ACCESS_STORE;
		int bypass = i->access == CT_ACCESS_ATOMIC || i->access == CT_ACCESS_REDUCTION ||
		             (!store && (i->mods & CT_MOD_STRONG_GPU));
		ct_lines_descending(q, n);
		w->now++;
		for (unsigned k = 0; k < n; k++)
			access_line(w, &w->core[sm], &q[k], store, bypass);
		return 1;
	}
	return st;
}

static int fill_slot(struct walk *w, struct ct_trace *t, struct slot *s)
{
	int st = ct_trace_next_cta(t, &s->cta, w->e);
	if (st <= 0)
		return st;
	s->warps = s->left = ct_cta_warps(s->cta);
	s->warp = ct_calloc(s->warps + 1, sizeof *s->warp);
	for (uint32_t i = 0; i < s->warps; i++)
		if (ct_cursor_open(&s->warp[i].cursor, s->cta, i, w->e) < 0)
			return -1;
	return 1;
}

static void empty_slot(struct slot *s)
{
	for (uint32_t i = 0; i < s->warps; i++)
		ct_cursor_close(s->warp[i].cursor);
	free(s->warp);
	ct_cta_unref(s->cta);
	memset(s, 0, sizeof *s);
}

/* One memory instruction of each warp of the CTA in the slot. */
static int turn(struct walk *w, uint32_t sm, uint32_t slot)
{
	struct slot *s = &w->core[sm].slot[slot];
	for (uint32_t i = 0; i < s->warps; i++) {
		if (s->warp[i].done)
			continue;
		int st = step(w, sm, slot, i);
		if (st < 0)
			return st;
		if (!st) {
			s->warp[i].done = 1;
			s->left--;
		}
	}
	if (!s->left)
		empty_slot(s);
	return 0;
}

static int launch(struct walk *w, struct ct_trace *t)
{
	int more = 1, busy = 1;
	for (uint32_t i = 0; i < w->g->sms; i++)
		rp_tags_shape(&w->core[i].l1, w->occ.l1_sets, w->occ.l1_ways);
	while (busy) {
		for (uint32_t slot = 0; slot < w->occ.ctas; slot++)
			for (uint32_t sm = 0; sm < w->g->sms && more; sm++)
				if (!w->core[sm].slot[slot].cta &&
				    (more = fill_slot(w, t, &w->core[sm].slot[slot])) < 0)
					return -1;
		busy = 0;
		for (uint32_t sm = 0; sm < w->g->sms; sm++)
			for (uint32_t slot = 0; slot < w->occ.ctas; slot++)
				if (w->core[sm].slot[slot].cta) {
					busy = 1;
					if (turn(w, sm, slot) < 0)
						return -1;
				}
	}
	return 0;
}

static int build(struct walk *w)
{
	const struct ct_gpu *g = w->g;
	uint64_t bytes = g->unified_bytes > g->l1.size ? g->unified_bytes : g->l1.size;
	w->core = ct_calloc(g->sms, sizeof *w->core);
	w->llc = ct_calloc(g->llc_slices, sizeof *w->llc);
	if (!w->core || !w->llc)
		return ct_fail_nomem(w->e);
	for (uint32_t i = 0; i < g->sms; i++) {
		w->core[i].slot = ct_calloc(g->max_ctas, sizeof *w->core[i].slot);
		if (!w->core[i].slot ||
		    rp_tags_init(&w->core[i].l1, (uint32_t)(bytes / g->l1.line),
		                 g->l1.line / g->l1.sector, 0, 0, &w->pool, w->e) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < g->llc_slices; i++) {
		if (rp_tags_init(&w->llc[i], g->llc.sets * g->llc.ways, g->llc.line / g->llc.sector, 0,
		                 0, &w->pool, w->e) < 0)
			return -1;
		rp_tags_shape(&w->llc[i], g->llc.sets, g->llc.ways);
	}
	return ct_address_map_init(&w->map, g, w->e);
}

int walk_trace(struct ct_trace *t, const struct ct_gpu *g, struct walk_counts *c, struct ct_error *e)
{
	struct walk w = {.g = g, .c = c, .e = e};
	struct ct_event ev;
	int st = build(&w);
	memset(c, 0, sizeof *c);
	while (st == 0 && (st = ct_trace_next(t, &ev, e)) > 0) {
		st = 0;
		if (ev.kind != CT_EVENT_KERNEL)
			continue;
		w.kernel = ev.kernel;
		if ((st = ct_occupancy(g, ev.kernel, &w.occ, e)) == 0)
			st = launch(&w, t);
	}
	for (uint32_t i = 0; w.core && i < g->sms; i++) {
		for (uint32_t k = 0; w.core[i].slot && k < g->max_ctas; k++)
			if (w.core[i].slot[k].cta)
				empty_slot(&w.core[i].slot[k]);
		free(w.core[i].slot);
	}
	ct_pool_free(&w.pool);
	free(w.core);
	free(w.llc);
	return st;
}

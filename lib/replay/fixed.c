#include "replay/private/fixed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Events: a scheduler index, or CTA_END + slot. */
enum { CTA_END = 0x10000 };

static int before(const struct fx_event *a, const struct fx_event *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	/* CTAs end before anything issues in the same cycle; then by SM: deterministic. */
	if ((a->what >= CTA_END) != (b->what >= CTA_END))
		return a->what >= CTA_END;
	return a->sm != b->sm ? a->sm < b->sm : a->what < b->what;
}

static void push(struct fx *f, uint64_t time, uint32_t sm, uint32_t what)
{
	if (ct_grow((void **)&f->heap, &f->cap_heap, f->n_heap + 1, sizeof *f->heap) < 0) {
		f->status = CT_ERR_NOMEM;
		return;
	}
	struct fx_event ev = {time, sm, what};
	size_t i = f->n_heap++;
	while (i > 0 && before(&ev, &f->heap[(i - 1) / 2])) {
		f->heap[i] = f->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	f->heap[i] = ev;
}

static struct fx_event pop(struct fx *f)
{
	struct fx_event top = f->heap[0], last = f->heap[--f->n_heap];
	size_t i = 0;
	for (;;) {
		size_t k = 2 * i + 1;
		if (k >= f->n_heap)
			break;
		if (k + 1 < f->n_heap && before(&f->heap[k + 1], &f->heap[k]))
			k++;
		if (!before(&f->heap[k], &last))
			break;
		f->heap[i] = f->heap[k];
		i = k;
	}
	if (f->n_heap > 0)
		f->heap[i] = last;
	return top;
}

static void wake(struct fx *f, uint32_t sm, uint32_t slot, uint64_t time)
{
	uint32_t k = slot % f->g.schedulers;
	/* An earlier wake overtakes a later one, whose event is then stale. */
	if (f->sm[sm].queued[k] <= time)
		return;
	f->sm[sm].queued[k] = time;
	push(f, time, sm, k);
}

/* Registers are numbered kind << 8 | index; the zero registers are never waited for. */
static int real_register(ct_reg r)
{
	return r < FX_REGS && r != CT_REG_RZ && r != CT_REG_URZ;
}

/* When the next instruction's registers can be read and written. */
static void find_ready(struct fx_warp *w, uint64_t from)
{
	const struct ct_sinst *s = w->sinst;
	w->ready = from;
	w->mem_ready = 0;
	for (unsigned i = 0; i < (unsigned)s->nsrc + s->ndst; i++) {
		ct_reg r = i < s->nsrc ? s->src[i] : s->dst[i - s->nsrc];
		if (!real_register(r))
			continue;
		if (w->reg[r] > w->ready)
			w->ready = w->reg[r];
		if (w->from_load[r] && w->reg[r] > w->mem_ready)
			w->mem_ready = w->reg[r];
	}
	if (s->unit == CT_CLASS_DEPBAR && w->async_ready > w->ready)
		w->ready = w->mem_ready = w->async_ready;
}

/* Decodes the warp's next instruction; `from` is the earliest cycle of its issue. */
static void advance(struct fx *f, struct fx_warp *w, const struct ct_cta *cta, uint64_t from)
{
	int st = ct_cursor_next(w->cursor, &w->inst, f->e);
	if (st < 0)
		f->status = st;
	w->sinst = st > 0 ? ct_code_at(ct_cta_code(cta), w->inst.sid) : NULL;
	if (w->sinst)
		find_ready(w, from);
}

static void tell_issue(struct fx *f, uint32_t sm, uint32_t slot, const struct fx_warp *w,
                       uint64_t now)
{
	struct ct_issue_event ev = {
		.sm = sm, .subcore = slot % f->g.schedulers, .warp_slot = slot, .cta_slot = w->cta,
		.cycle = now, .warp_key = w->key, .sinst = w->sinst, .inst = &w->inst,
		.first = w->first};
	for (unsigned i = 0; i < f->o.n_observers; i++)
		if (f->observer[i].issue)
			f->observer[i].issue(f->observer[i].ctx, &ev);
}

static void count_issue(struct fx *f, const struct fx_warp *w)
{
	const struct ct_sinst *s = w->sinst;
	unsigned lanes = 0;
	for (uint32_t m = w->inst.mask; m; m &= m - 1)
		lanes++;
	f->c.warp_insts++;
	f->c.thread_insts += lanes;
	f->c.mem_insts += s->width_field > 0;
	f->c.unit_insts[s->unit]++;
	if (lanes && (s->space == CT_SPACE_GLOBAL || s->space == CT_SPACE_GENERIC) &&
	    s->access != CT_ACCESS_NONE && s->access != CT_ACCESS_PREFETCH) {
		f->c.global_requests++;
		f->c.global_lane_accesses += lanes;
	}
}

/* All warps of the CTA that are left wait at the barrier: they go on. */
static void release_barrier(struct fx *f, uint32_t sm, uint32_t cta, uint64_t now)
{
	struct fx_sm *s = &f->sm[sm];
	if (s->cta[cta].arrived < s->cta[cta].left || s->cta[cta].left == 0)
		return;
	s->cta[cta].arrived = 0;
	for (uint32_t i = 0; i < f->warps; i++)
		if (s->warp[i].live && s->warp[i].cta == cta && s->warp[i].waiting) {
			s->warp[i].waiting = 0;
			if (s->warp[i].ready < now)
				s->warp[i].ready = now;
			wake(f, sm, i, now);
		}
}

static void end_warp(struct fx *f, uint32_t sm, uint32_t slot, uint64_t now)
{
	struct fx_sm *s = &f->sm[sm];
	struct fx_warp *w = &s->warp[slot];
	struct fx_cta *c = &s->cta[w->cta];
	uint64_t end = w->last_load > now ? w->last_load : now;
	w->live = 0;
	ct_cursor_close(w->cursor);
	w->cursor = NULL;
	f->c.resident_warp_cycles += end - w->born;
	f->c.warps++;
	if (end > c->end)
		c->end = end;
	c->left--;
	release_barrier(f, sm, w->cta, now + 1);
	if (c->left == 0)
		push(f, c->end, sm, CTA_END + w->cta);
}

/* What the instruction does; returns when its destinations can be read. */
static uint64_t execute(struct fx *f, uint32_t sm, uint32_t slot, struct fx_warp *w, uint64_t now)
{
	const struct ct_sinst *s = w->sinst;
	if (s->unit != CT_CLASS_MEM || s->access == CT_ACCESS_NONE || !w->inst.mask)
		return now + f->g.unit[s->unit].latency + FX_ALU_EXTRA;
	uint64_t done = fx_memory(f, sm, slot, w, now);
	if (done > w->last_load)
		w->last_load = done;
	if (s->access == CT_ACCESS_ASYNC && done > w->async_ready)
		w->async_ready = done;
	if (s->access == CT_ACCESS_LOAD && s->space != CT_SPACE_SHARED) {
		f->c.mem_latency_sum += done - now;
		f->c.mem_latency_count++;
	}
	return done;
}

static void issue(struct fx *f, uint32_t sm, uint32_t slot, uint64_t now)
{
	struct fx_sm *s = &f->sm[sm];
	struct fx_warp *w = &s->warp[slot];
	const struct ct_sinst *op = w->sinst;
	uint32_t k = slot % f->g.schedulers;
	int is_load = op->unit == CT_CLASS_MEM && op->space != CT_SPACE_SHARED;
	if (f->issued++ == f->o.warmup && f->o.warmup)
		memset(&f->c, 0, sizeof f->c);
	count_issue(f, w);
	tell_issue(f, sm, slot, w, now);
	w->first = 0;
	s->unit[k * CT_CLASS_COUNT + op->unit] = now + f->g.unit[op->unit].initiation;
	uint64_t done = execute(f, sm, slot, w, now);
	for (unsigned i = 0; i < op->ndst; i++)
		if (real_register(op->dst[i])) {
			w->reg[op->dst[i]] = done;
			w->from_load[op->dst[i]] = (uint8_t)is_load;
		}
	/* A warp stops at an atomic until it is back (accelsim-model.md 5). */
	uint64_t from = op->access == CT_ACCESS_ATOMIC ? done : now + 1;
	int barrier = op->unit == CT_CLASS_BAR;
	advance(f, w, s->cta[w->cta].cta, from);
	if (!w->sinst) {
		end_warp(f, sm, slot, done);
	} else if (barrier) {
		w->waiting = 1;
		s->cta[w->cta].arrived++;
		release_barrier(f, sm, w->cta, now + 1);
	}
	if (w->live && w->mem_ready > now + 1 && w->mem_ready >= w->ready)
		f->c.mem_stall_warp_cycles += w->mem_ready - (now + 1);
}

/* The policy's choice among two warps that can both issue. */
static int better(const struct fx *f, const struct fx_sm *s, uint32_t k, uint32_t a, uint32_t b)
{
	if (f->g.scheduler == CT_SCHED_LRR) {
		uint32_t n = f->warps, last = s->last[k];
		return (a + n - last - 1) % n < (b + n - last - 1) % n;
	}
	if ((a == s->last[k]) != (b == s->last[k]))
		return a == s->last[k];
	return s->warp[a].age < s->warp[b].age;
}

/* One scheduler at one cycle: issues the warp of its choice and says when to ask again. */
static void step(struct fx *f, uint32_t sm, uint32_t k, uint64_t now)
{
	struct fx_sm *s = &f->sm[sm];
	uint32_t pick = FX_NONE;
	uint64_t next = UINT64_MAX;
	if (s->queued[k] != now)
		return;
	s->queued[k] = UINT64_MAX;
	for (uint32_t i = k; i < f->warps; i += f->g.schedulers) {
		struct fx_warp *w = &s->warp[i];
		if (!w->live || w->waiting)
			continue;
		uint64_t at = s->unit[k * CT_CLASS_COUNT + w->sinst->unit];
		if (at < w->ready)
			at = w->ready;
		if (at > now) {
			if (at < next)
				next = at;
		} else if (pick == FX_NONE || better(f, s, k, i, pick)) {
			pick = i;
		}
	}
	if (pick != FX_NONE) {
		issue(f, sm, pick, now);
		s->last[k] = pick;
		next = now + 1;
	} else {
		f->c.issue_stall_cycles += next == UINT64_MAX ? 0 : next - now;
	}
	if (next != UINT64_MAX)
		wake(f, sm, k, next);
}

static void end_cta(struct fx *f, uint32_t sm, uint32_t slot)
{
	struct fx_sm *s = &f->sm[sm];
	ct_cta_unref(s->cta[slot].cta);
	s->cta[slot].cta = NULL;
	s->resident--;
	if (s->resident == 0)
		f->c.busy_sm_cycles += f->now - s->busy_since;
}

static void one_event(struct fx *f)
{
	struct fx_event ev = pop(f);
	f->now = ev.time;
	if (ev.what >= CTA_END)
		end_cta(f, ev.sm, ev.what - CTA_END);
	else
		step(f, ev.sm, ev.what, ev.time);
}

/* Next SM with a free slot, from the one after the last that got a CTA; the one that
 * holds the fewest first, so that a first wave spreads as hardware does. */
static uint32_t free_sm(const struct fx *f)
{
	uint32_t best = FX_NONE;
	for (uint32_t i = 0; i < f->g.sms; i++) {
		uint32_t sm = (f->next_sm + i) % f->g.sms;
		if (f->sm[sm].resident < f->occ.ctas &&
		    (best == FX_NONE || f->sm[sm].resident < f->sm[best].resident))
			best = sm;
	}
	return best;
}

static int start_warp(struct fx *f, uint32_t sm, uint32_t slot, struct ct_cta *cta, uint32_t i,
                      uint32_t cta_slot)
{
	struct fx_warp *w = &f->sm[sm].warp[slot];
	memset(w, 0, sizeof *w);
	int st = ct_cursor_open(&w->cursor, cta, i, f->e);
	if (st != CT_OK)
		return st;
	w->key = f->keys++;
	w->age = f->ages++;
	w->born = f->now;
	w->cta = cta_slot;
	w->first = 1;
	advance(f, w, cta, f->now);
	if (!w->sinst) {
		ct_cursor_close(w->cursor);
		w->cursor = NULL;
		return f->status;
	}
	w->live = 1;
	f->sm[sm].cta[cta_slot].left++;
	return f->status;
}

static int place(struct fx *f, uint32_t sm, struct ct_cta *cta)
{
	struct fx_sm *s = &f->sm[sm];
	uint32_t slot = 0, n = ct_cta_warps(cta);
	int st = CT_OK;
	while (s->cta[slot].cta)
		slot++;
	s->cta[slot] = (struct fx_cta){.cta = ct_cta_ref(cta), .end = f->now};
	if (s->resident++ == 0)
		s->busy_since = f->now;
	f->next_sm = (sm + 1) % f->g.sms;
	for (uint32_t i = 0; i < n && st == CT_OK; i++) {
		uint32_t w = ct_cta_warp(cta, i)->warp;
		if (w >= f->occ.warps_per_cta)
			return ct_fail(f->e, CT_ERR_INPUT,
			               "kernel %u: warp %u of a CTA of %u warps: the trace contradicts its header",
			               f->kernel->id, w, f->occ.warps_per_cta);
		st = start_warp(f, sm, slot * f->occ.warps_per_cta + w, cta, i, slot);
	}
	for (uint32_t k = 0; k < f->g.schedulers; k++)
		wake(f, sm, k, f->now);
	if (s->cta[slot].left == 0)
		push(f, f->now, sm, CTA_END + slot);
	f->c.ctas++;
	return st;
}

int fx_push_cta(struct fx *f, struct ct_cta *cta, struct ct_error *e)
{
	uint32_t sm;
	f->e = e;
	while ((sm = free_sm(f)) == FX_NONE && f->n_heap > 0 && f->status == CT_OK)
		one_event(f);
	if (f->status == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	return f->status != CT_OK ? f->status : place(f, sm, cta);
}

int fx_kernel_begin(struct fx *f, const struct ct_kernel *k, struct ct_error *e)
{
	int st = ct_occupancy(&f->g, k, &f->occ, e);
	if (st != CT_OK)
		return st;
	f->kernel = k;
	f->in_kernel = 1;
	f->now = 0;
	memset(&f->c, 0, sizeof f->c);
	memset(f->slice_free, 0, f->g.llc_slices * sizeof *f->slice_free);
	memset(f->channel_free, 0, f->g.dram_channels * sizeof *f->channel_free);
	for (uint32_t i = 0; i < f->g.sms; i++) {
		struct fx_sm *s = &f->sm[i];
		s->port = s->ldst = 0;
		memset(s->unit, 0, (size_t)f->g.schedulers * CT_CLASS_COUNT * sizeof *s->unit);
		if (f->g.l1_flush || s->l1.sets != f->occ.l1_sets || s->l1.ways != f->occ.l1_ways)
			fx_cache_shape(&s->l1, f->occ.l1_sets, f->occ.l1_ways, fx_left_l1, f);
	}
	for (uint32_t i = 0; i < f->g.llc_slices && f->g.llc_flush; i++)
		fx_cache_shape(&f->slice[i], f->g.llc.sets, f->g.llc.ways, NULL, NULL);
	f->c.sm_cta_capacity = (uint64_t)f->occ.ctas_by_resources * f->g.sms;
	return CT_OK;
}

int fx_kernel_end(struct fx *f, struct ct_replay_counts *c, struct ct_error *e)
{
	f->e = e;
	while (f->n_heap > 0 && f->status == CT_OK)
		one_event(f);
	if (f->status != CT_OK)
		return f->status == CT_ERR_NOMEM ? ct_fail_nomem(e) : f->status;
	f->c.launch_cycles = f->g.launch_cycles;
	f->c.cycles = f->now + f->g.launch_cycles;
	f->c.ctas_first_wave = f->c.ctas < f->c.sm_cta_capacity ? f->c.ctas : f->c.sm_cta_capacity;
	f->in_kernel = 0;
	if (c)
		*c = f->c;
	ct_replay_counts_add(&f->total, &f->c);
	return CT_OK;
}

void fx_memcpy(struct fx *f, uint64_t address, uint64_t bytes)
{
	const uint32_t all = (1u << (f->g.llc.line / f->g.llc.sector)) - 1;
	if (!f->g.llc_memcpy_fill)
		return;
	for (uint64_t a = address; a - address < bytes; a += f->g.llc.line) {
		struct ct_place p = ct_address_place(&f->map, a);
		struct fx_outcome o;
		fx_cache_access(&f->slice[p.slice], a / f->g.llc.line, p.llc_set, all, 0, 0, FX_ALLOCATE,
		                &o);
	}
}

static int new_sm(struct fx *f, struct fx_sm *s, struct ct_error *e)
{
	const struct ct_cache_params *l1 = &f->g.l1;
	uint64_t most = f->g.l1_adaptive && f->g.unified_bytes > l1->size ? f->g.unified_bytes : l1->size;
	s->warp = ct_calloc(f->warps, sizeof *s->warp);
	s->cta = ct_calloc(f->max_ctas, sizeof *s->cta);
	s->unit = ct_calloc((size_t)f->g.schedulers * CT_CLASS_COUNT, sizeof *s->unit);
	s->last = ct_calloc(f->g.schedulers, sizeof *s->last);
	s->queued = ct_calloc(f->g.schedulers, sizeof *s->queued);
	if (!s->warp || !s->cta || !s->unit || !s->last || !s->queued)
		return ct_fail_nomem(e);
	for (uint32_t k = 0; k < f->g.schedulers; k++)
		s->queued[k] = UINT64_MAX;
	return fx_cache_init(&s->l1, (uint32_t)(most / l1->line) + l1->sets, l1->sets, e);
}

int fx_new(struct fx **out, const struct ct_gpu *g, const struct ct_replay_options *o,
           struct ct_error *e)
{
	struct fx *f = calloc(1, sizeof *f);
	*out = f;
	if (!f)
		return ct_fail_nomem(e);
	f->g = *g;
	f->o = *o;
	if (o->n_observers > sizeof f->observer / sizeof *f->observer)
		return ct_fail(e, CT_ERR_USAGE, "at most 8 observers can watch one replay");
	if (g->l1.line / g->l1.sector > FX_SECTORS || g->llc.line / g->llc.sector > FX_SECTORS ||
	    g->llc.line != g->l1.line || g->llc.sector != g->l1.sector)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "L1 and LLC must have equal lines of at most 4 sectors");
	for (unsigned i = 0; i < o->n_observers; i++)
		f->observer[i] = o->observers[i];
	f->warps = ct_gpu_max_warps(g);
	f->max_ctas = g->max_ctas;
	f->channel_cycles = g->llc.sector / (ct_gpu_dram_gbps(g) / g->dram_channels * 1e3 / g->core_mhz);
	f->sm = ct_calloc(g->sms, sizeof *f->sm);
	f->slice = ct_calloc(g->llc_slices, sizeof *f->slice);
	f->slice_free = ct_calloc(g->llc_slices, sizeof *f->slice_free);
	f->channel_free = ct_calloc(g->dram_channels, sizeof *f->channel_free);
	if (!f->sm || !f->slice || !f->slice_free || !f->channel_free || fx_held_init(f) < 0)
		return ct_fail_nomem(e);
	int st = ct_address_map_init(&f->map, g, e);
	for (uint32_t i = 0; i < g->sms && st == CT_OK; i++)
		st = new_sm(f, &f->sm[i], e);
	for (uint32_t i = 0; i < g->llc_slices && st == CT_OK; i++) {
		st = fx_cache_init(&f->slice[i], g->llc.sets * g->llc.ways, g->llc.sets, e);
		if (st == CT_OK)
			fx_cache_shape(&f->slice[i], g->llc.sets, g->llc.ways, NULL, NULL);
	}
	return st;
}

void fx_free(struct fx *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; f->sm && i < f->g.sms; i++) {
		struct fx_sm *s = &f->sm[i];
		for (uint32_t w = 0; s->warp && w < f->warps; w++)
			ct_cursor_close(s->warp[w].cursor);
		for (uint32_t c = 0; s->cta && c < f->max_ctas; c++)
			ct_cta_unref(s->cta[c].cta);
		fx_cache_free(&s->l1);
		free(s->warp);
		free(s->cta);
		free(s->unit);
		free(s->last);
		free(s->queued);
	}
	for (uint32_t i = 0; f->slice && i < f->g.llc_slices; i++)
		fx_cache_free(&f->slice[i]);
	free(f->sm);
	free(f->slice);
	free(f->slice_free);
	free(f->channel_free);
	free(f->heap);
	free(f->held_line);
	free(f->held_count);
	free(f);
}

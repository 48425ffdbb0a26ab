#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "replay/private/fixed.h"

int fx_held_init(struct fx *f)
{
	f->held_mask = 1023;
	f->held_line = ct_calloc(f->held_mask + 1, sizeof *f->held_line);
	f->held_count = ct_calloc(f->held_mask + 1, sizeof *f->held_count);
	return f->held_line && f->held_count ? 0 : -1;
}

/* Entry of a line; count 0 entries stay as they are until the table grows. */
static size_t held_at(const struct fx *f, uint64_t line)
{
	size_t i = (size_t)ct_mix64(line) & f->held_mask;
	while (f->held_line[i] && f->held_line[i] != line + 1)
		i = (i + 1) & f->held_mask;
	return i;
}

static int held_grow(struct fx *f)
{
	size_t old = f->held_mask + 1;
	uint64_t *line = f->held_line;
	uint32_t *count = f->held_count;
	f->held_mask = old * 2 - 1;
	f->held_line = ct_calloc(old * 2, sizeof *f->held_line);
	f->held_count = ct_calloc(old * 2, sizeof *f->held_count);
	if (!f->held_line || !f->held_count) {
		free(f->held_line);
		free(f->held_count);
		f->held_line = line;
		f->held_count = count;
		f->held_mask = old - 1;
		return -1;
	}
	f->held_used = 0;
	for (size_t i = 0; i < old; i++)
		if (count[i]) {
			size_t j = held_at(f, line[i] - 1);
			f->held_line[j] = line[i];
			f->held_count[j] = count[i];
			f->held_used++;
		}
	free(line);
	free(count);
	return 0;
}

void fx_left_l1(void *ctx, uint64_t line)
{
	struct fx *f = ctx;
	f->held_count[held_at(f, line)]--;
}

/* Counts a new copy of a line; returns the copies before it. */
static uint32_t hold(struct fx *f, uint64_t line)
{
	if (f->held_used * 2 > f->held_mask && held_grow(f) < 0) {
		f->status = CT_ERR_NOMEM;
		return 0;
	}
	size_t i = held_at(f, line);
	if (!f->held_line[i]) {
		f->held_line[i] = line + 1;
		f->held_used++;
	}
	return f->held_count[i]++;
}

static unsigned count_bits(uint32_t m)
{
	unsigned n = 0;
	for (; m; m &= m - 1)
		n++;
	return n;
}

/* Queues `work` cycles at a server; returns waiting and service. All servers are
 * booked at the issue of the instruction, not at the arrival of its parts: otherwise
 * a late reply would hold up earlier ones of instructions issued after it. */
static uint64_t serve(const struct fx *f, uint64_t *server, uint64_t work, uint64_t *busy)
{
	uint64_t start = *server > f->now ? *server : f->now;
	*server = start + work;
	*busy += work;
	return start + work - f->now;
}

static uint64_t dram(struct fx *f, uint32_t channel, unsigned sectors, uint64_t now)
{
	uint64_t work = (uint64_t)(f->channel_cycles * sectors + 0.999);
	return now + serve(f, &f->channel_free[channel], work, &f->c.dram_busy) +
	       f->g.dram_latency + FX_DRAM_EXTRA;
}

static void tell_llc(struct fx *f, const struct ct_llc_event *ev)
{
	for (unsigned i = 0; i < f->o.n_observers; i++)
		if (f->observer[i].llc)
			f->observer[i].llc(f->observer[i].ctx, ev);
}

struct request {
	uint32_t sm;
	uint64_t line; /* of the L1 */
	uint32_t sectors;
	int write, atomic;
};

/* Sectors of one line at the LLC; returns when the last reply leaves the slice. */
static uint64_t llc(struct fx *f, const struct request *r, uint64_t now)
{
	const uint32_t bytes = f->g.llc.sector;
	struct ct_place p = ct_address_place(&f->map, r->line * f->g.l1.line);
	uint64_t line = r->line * f->g.l1.line / f->g.llc.line;
	unsigned n = count_bits(r->sectors);
	struct fx_outcome o;
	uint64_t tag = now + f->g.llc_latency +
	               serve(f, &f->slice_free[p.slice], n, &f->c.llc_busy);
	fx_cache_access(&f->slice[p.slice], line, p.llc_set, r->sectors, tag, r->write, FX_ALLOCATE, &o);
	uint32_t miss = o.sector_miss | o.line_miss;
	uint64_t done = o.ready > tag ? o.ready : tag;
	if (miss && !r->write) {
		done = dram(f, p.channel, count_bits(miss), tag);
		f->c.dram_read_bytes += (uint64_t)count_bits(miss) * bytes;
		for (uint32_t s = 0; s < FX_SECTORS && o.line; s++)
			if (miss >> s & 1)
				o.line->arrives[s] = done;
	}
	if ((r->write || r->atomic) && o.line)
		o.line->dirty |= (uint8_t)r->sectors;
	if (o.evicted && o.victim_dirty) {
		f->c.dram_write_bytes += (uint64_t)count_bits(o.victim_dirty) * bytes;
		dram(f, p.channel, count_bits(o.victim_dirty), tag);
	}
	f->c.llc_accesses += n;
	f->c.llc_misses += count_bits(miss);
	f->c.llc_pending += count_bits(o.pending);
	f->c.llc_line_accesses++;
	f->c.llc_line_misses += miss != 0;
	if (!r->write) {
		f->c.llc_read_accesses += n;
		f->c.llc_read_misses += count_bits(miss);
	}
	struct ct_llc_event ev = {r->sm, p.slice, tag, line, r->sectors, o.hit, o.pending, miss,
	                          (uint8_t)r->write, (uint8_t)r->atomic};
	tell_llc(f, &ev);
	return done;
}

static enum fx_store_rule store_rule(const struct ct_gpu *g)
{
	switch ((enum ct_write_policy)g->l1.write_policy) {
	case CT_WRITE_THROUGH_NO_ALLOCATE: return FX_NO_ALLOCATE;
	case CT_WRITE_EVICT: return FX_EVICT;
	default: return FX_ALLOCATE;
	}
}

static void tell_l1(struct fx *f, const struct ct_l1_event *ev)
{
	for (unsigned i = 0; i < f->o.n_observers; i++)
		if (f->observer[i].l1)
			f->observer[i].l1(f->observer[i].ctx, ev);
}

/* Replication at the fill of a read miss (SL-M1, SL-M3): the copies in other L1s. */
static void count_fill(struct fx *f, const struct fx_outcome *o, uint64_t line, int is_read)
{
	if (o->evicted)
		fx_left_l1(f, o->victim);
	if (!o->line_miss || !o->line)
		return;
	uint32_t others = hold(f, line);
	if (!is_read)
		return;
	f->c.line_fills++;
	f->c.replicated_misses += others > 0;
	f->c.line_copies += others + 1;
}

static void count_l1(struct fx *f, const struct ct_l1_event *ev)
{
	unsigned n = count_bits(ev->sectors), miss = count_bits(ev->sector_miss | ev->line_miss);
	f->c.l1_accesses += n;
	f->c.l1_misses += miss;
	f->c.l1_pending += count_bits(ev->pending);
	f->c.l1_sector_misses += count_bits(ev->sector_miss);
	f->c.l1_line_accesses++;
	f->c.l1_line_misses += miss > 0;
	if (ev->is_write)
		return;
	f->c.l1_read_accesses += n;
	f->c.l1_read_misses += miss;
	f->c.l1_read_pending += count_bits(ev->pending);
}

/* One line of a load or store through the L1; returns when its data are there. */
static uint64_t l1(struct fx *f, struct ct_l1_event *ev, uint64_t now)
{
	struct fx_sm *s = &f->sm[ev->sm];
	uint32_t set = ct_set_index((enum ct_set_hash)f->g.l1.set_hash, s->l1.sets, ev->line);
	uint64_t tag = now + f->g.l1_latency, done = tag + FX_L1_EXTRA;
	struct fx_outcome o;
	fx_cache_access(&s->l1, ev->line, set, ev->sectors, tag, ev->is_write, store_rule(&f->g), &o);
	count_fill(f, &o, ev->line, !ev->is_write);
	ev->hit = o.hit;
	ev->pending = o.pending;
	ev->sector_miss = o.sector_miss;
	ev->line_miss = o.line_miss;
	count_l1(f, ev);
	uint32_t out = ev->is_write ? ev->sectors : o.sector_miss | o.line_miss;
	if (o.ready + FX_L1_EXTRA > done)
		done = o.ready + FX_L1_EXTRA;
	if (out) {
		struct request r = {ev->sm, ev->line, out, ev->is_write, 0};
		uint64_t reply = llc(f, &r, tag) + FX_LLC_EXTRA - FX_L1_EXTRA;
		done = reply + serve(f, &s->port, count_bits(out), &f->c.noc_reply_busy);
		f->c.noc_request_busy += count_bits(out);
		for (uint32_t k = 0; k < FX_SECTORS && o.line && !ev->is_write; k++)
			if (out >> k & 1)
				o.line->arrives[k] = done;
	}
	tell_l1(f, ev);
	return done;
}

static uint64_t bypass(struct fx *f, struct ct_l1_event *ev, uint64_t now)
{
	struct request r = {ev->sm, ev->line, ev->sectors, ev->is_write, ev->is_atomic};
	uint64_t reply = llc(f, &r, now) + FX_LLC_EXTRA;
	ev->bypass = 1;
	f->c.noc_request_busy += count_bits(ev->sectors);
	tell_l1(f, ev);
	return reply + serve(f, &f->sm[ev->sm].port, count_bits(ev->sectors), &f->c.noc_reply_busy);
}

static int skips_l1(const struct fx *f, const struct ct_sinst *s)
{
	if (s->access == CT_ACCESS_ATOMIC || s->access == CT_ACCESS_REDUCTION)
		return 1;
	if (f->g.l1_skip == CT_L1_SKIP_ALL || (f->g.l1_skip == CT_L1_SKIP_GLOBAL && s->space != CT_SPACE_LOCAL))
		return 1;
	return (s->mods & CT_MOD_STRONG_GPU) && s->access != CT_ACCESS_STORE;
}

uint64_t fx_memory(struct fx *f, uint32_t sm, uint32_t slot, struct fx_warp *w, uint64_t now)
{
	struct ct_line_request lines[CT_MAX_LINES_PER_INST];
	const struct ct_sinst *s = w->sinst;
	struct fx_sm *m = &f->sm[sm];
	const uint32_t threads = f->occ.warps_per_cta * CT_WARP_LANES;
	struct ct_local_map local = {CT_LOCAL_BASE, threads, f->occ.ctas, f->g.sms, sm,
	                             slot * CT_WARP_LANES};
	uint32_t shared = 0, is_shared = s->space == CT_SPACE_SHARED;
	unsigned n = ct_coalesce(f->kernel, s, &w->inst, f->g.l1.line, f->g.l1.sector, &local, w->key,
	                         lines, &shared);
	uint64_t done = now + FX_L1_EXTRA, start = m->ldst > now ? m->ldst : now;
	if (is_shared)
		shared = w->inst.mask;
	if (shared) {
		unsigned ways = ct_shared_conflicts(&w->inst, shared, f->g.shmem_banks);
		m->ldst = start + ways;
		f->c.l1_busy += ways;
		done = start + ways - 1 + f->g.shmem_latency + FX_SHARED_EXTRA;
	}
	if (n > 0)
		ct_lines_descending(lines, n);
	for (unsigned i = 0; i < n; i++) {
		struct ct_l1_event ev = {
			.sm = sm, .subcore = slot % f->g.schedulers, .warp_slot = slot, .sid = w->inst.sid,
			.cycle = start, .line = lines[i].line, .sectors = lines[i].sectors,
			.bytes = {lines[i].bytes[0], lines[i].bytes[1]},
			.is_write = s->access == CT_ACCESS_STORE,
			.is_atomic = s->access == CT_ACCESS_ATOMIC || s->access == CT_ACCESS_REDUCTION};
		uint64_t at = skips_l1(f, s) ? bypass(f, &ev, start) : l1(f, &ev, start);
		/* An L1 serves one sector per bank and cycle (accelsim-model.md 5). */
		uint64_t cycles = (count_bits(lines[i].sectors) + f->g.l1.banks - 1) / f->g.l1.banks;
		m->ldst = start += cycles;
		f->c.l1_busy += cycles;
		if (at > done)
			done = at;
	}
	return done;
}

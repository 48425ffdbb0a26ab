/* Memory instructions of the cheap engine (fixed.c): caches whose accesses learn at once when
 * their data will be there. */
#include <string.h>

#include "base/bits.h"
#include "replay/private/fixed.h"
#include "replay/private/llc.h"
#include "replay/private/quick.h"
#include "replay/private/step.h"

/* Cycles from an access that leaves the L1 at `at` to its data (accelsim-model.md 9). */
static uint32_t llc_trip(const struct ct_replay *r)
{
	return r->g.llc_latency + 2 * r->g.noc_latency + 7;
}

/* Cycles that a request to DRAM takes in the channel: fixed delay, column command and
 * data, behind what the channel already has to do. A sector of the row that its bank
 * had last costs a column command, another one an activate (accelsim-model.md 9, 10c). */
static uint32_t dram_trip(struct ct_replay *r, uint64_t address, uint64_t at)
{
	struct ct_place place = ct_address_place(&r->map, address);
	struct rp_channel *c = &r->part[place.channel / r->map.per_slice]
	                                .channel[place.channel % r->map.per_slice];
	struct rp_bank *b = &c->bank[place.bank];
	uint64_t now = rp_dram_cycle_of(r, at), start = c->ccd > now ? c->ccd : now;
	uint32_t cost = b->open && b->row == place.row ? r->g.dram_ccd : r->g.dram_rrd;
	b->open = 1;
	b->row = place.row;
	c->ccd = start + cost;
	return r->g.dram_latency + 4 +
	       (uint32_t)(rp_dram_core_of(r, start + r->g.dram_rcd + r->g.dram_cl) -
	                  rp_dram_core_of(r, now));
}

/* A line of an instruction, with hints that were asked for ahead of its turn. */
struct look {
	const struct ct_line_request *q;
	uint32_t near;           /* in the L1's tags */
	uint32_t llc_near;       /* in the slice's */
	uint32_t slice, llc_set;
	uint8_t placed;          /* slice and llc_set are known */
};

static void place(struct ct_replay *r, struct look *l)
{
	struct ct_place p = ct_address_place(&r->map, l->q->line << r->l1_line_bits);
	l->slice = p.slice;
	l->llc_set = p.llc_set;
	l->llc_near = RP_NO_LINE;
	l->placed = 1;
}

/* One sector at the LLC; returns the cycle at which its data (or acknowledgement) is
 * back at the SM. */
RP_HOT uint32_t llc_sector(struct ct_replay *r, struct rp_sm *sm, struct rp_packet *p,
                           uint32_t *near, uint32_t at, int quick)
{
	struct rp_slice *s = &r->slice[p->slice];
	/* the SM sends one sector a cycle, a slice serves one a cycle */
	if (quick)
		at = rp_quick_request(r, sm, s, p, at);
	else
		at = sm->missq_last = rp_max32(sm->missq_last + 1, at);
	uint64_t line = p->address >> r->llc_line_bits;
	uint32_t k = (uint32_t)(p->address >> r->llc_sector_bits & (r->llc_sectors - 1));
	uint32_t bit = 1u << k, tick = (uint32_t)(r->base + at);
	uint32_t i = rp_tags_find_near(&s->tags, line, *near);
	int store = p->kind == RP_PK_STORE, missing, pending = 0;
	if (i == RP_NO_LINE) {
		i = rp_tags_victim_now(&s->tags, p->llc_set);
		if (s->tags.line[i].modified)
			sm->c.dram_write_bytes += ct_bits(s->tags.line[i].modified) << r->llc_sector_bits;
		if (quick && s->tags.line[i].modified)
			rp_quick_dram_write(r, s->tags.line[i].tag << r->llc_line_bits,
			                    ct_bits(s->tags.line[i].modified) << r->llc_sector_bits,
			                    r->base + at);
		rp_tags_allocate(&s->tags, p->llc_set, i, line, tick);
		memset(s->due[i], 0, sizeof s->due[i]);
	} else {
		rp_tags_touch(&s->tags, i, tick);
	}
	*near = i;
	missing = store ? !(s->tags.line[i].valid & bit) : !(rp_load_hits(&s->tags.line[i]) & bit);
	uint32_t back = at;
	if (!quick) {
		s->reply_last = s->reply_last < r->base + at ? r->base + at : s->reply_last + 1;
		back = (uint32_t)(s->reply_last - r->base) + llc_trip(r);
	}
	if (store) {
		rp_tags_store(&s->tags, i, k, r->llc_sector_bits == 5 ? p->bytes : 0xffffffffu);
	} else if (missing) {
		if (quick)
			back = rp_quick_llc_miss(r, s, i, k, p->address, at);
		else
			back += dram_trip(r, p->address, r->base + at);
		rp_tags_reserve(&s->tags, i, k);
		rp_tags_fill(&s->tags, i, k, p->kind == RP_PK_ATOMIC);
		s->due[i][k] = r->base + back;
		sm->c.dram_read_bytes += UINT64_C(1) << r->llc_sector_bits;
	} else if (s->due[i][k] > r->base + back) {
		pending = 1;
		back = (uint32_t)(s->due[i][k] - r->base);
		if (quick)
			rp_quick_llc_join(r, s, i, k, at);
	}
	sm->c.llc_accesses++;
	sm->c.llc_misses += (uint64_t)missing;
	sm->c.llc_pending += (uint64_t)pending;
	sm->c.llc_read_accesses += !store;
	sm->c.llc_read_misses += !store && missing;
	if (missing)
		sm->c.llc_line_misses += (uint64_t)rp_group_miss(sm, p->group);
	if (r->has_llc)
		rp_llc_log(r, p->slice, p, r->base + at, missing ? 2 : pending);
	return quick ? rp_quick_reply(r, sm, p, back) : back;
}

/* The masked L1 sectors of a line at the LLC; returns when the last is back, and each
 * sector's time in due[]. */
RP_HOT uint32_t leave(struct ct_replay *r, struct rp_sm *sm, struct look *l, uint32_t sectors,
                      enum rp_packet_kind kind, uint32_t at, uint64_t *due, int quick)
{
	const struct ct_line_request *q = l->q;
	uint64_t base = q->line << r->l1_line_bits;
	uint32_t last = at;
	if (!l->placed)
		place(r, l);
	sm->c.llc_line_accesses++;
	uint32_t group = rp_group_new(sm);
	for (uint32_t s = 0; s < r->l1_sectors; s++) {
		if (!(sectors >> s & 1))
			continue;
		uint32_t from = quick && kind <= RP_PK_STORE
		                        ? rp_quick_miss(r, sm, at, kind == RP_PK_STORE) : at;
		for (uint32_t i = 0; i < r->llc_per_l1; i++) {
			struct rp_packet p = {
				.address = base + ((uint64_t)s << r->l1_sector_bits) +
				           ((uint64_t)i << r->llc_sector_bits),
				.bytes = (uint32_t)(q->bytes[s / 2 & 1] >> 32 * (s % 2)),
				.llc_set = l->llc_set, .group = group, .sm = (uint16_t)sm->id,
				.slice = (uint16_t)l->slice, .kind = (uint8_t)kind,
			};
			uint32_t back = llc_sector(r, sm, &p, &l->llc_near, from, quick);
			last = rp_max32(last, back);
			if (due)
				due[s] = r->base + back;
		}
		if (quick && due)
			rp_quick_mshr(r, sm, last);
	}
	return last;
}

static void log_line(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t at, int what)
{
	if (r->replication)
		rp_l1_log(r, sm, line, at, what);
}

static uint32_t make_room(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t at)
{
	uint32_t set = ct_set_index((enum ct_set_hash)r->g.l1.set_hash, sm->tags.sets, line);
	uint32_t i = rp_tags_victim_now(&sm->tags, set);
	if (sm->tags.line[i].used)
		log_line(r, sm, sm->tags.line[i].tag, at, RP_LOG_GONE);
	rp_tags_allocate(&sm->tags, set, i, line, at);
	memset(sm->due[i], 0, sizeof sm->due[i]);
	return i;
}

static void count(struct rp_sm *sm, const struct ct_l1_event *v, uint32_t sectors)
{
	struct ct_replay_counts *c = &sm->c;
	uint32_t n = ct_bits(sectors), miss = ct_bits(v->sector_miss | v->line_miss);
	uint32_t pending = ct_bits(v->pending);
	c->l1_accesses += n;
	c->l1_misses += miss;
	c->l1_pending += pending;
	c->l1_sector_misses += ct_bits(v->sector_miss);
	c->l1_line_accesses++;
	c->l1_line_misses += miss != 0;
	if (!v->is_write) {
		c->l1_read_accesses += n;
		c->l1_read_misses += miss;
		c->l1_read_pending += pending;
	}
}

static void observe(struct ct_replay *r, const struct ct_l1_event *v)
{
	for (unsigned i = 0; r->has_l1 && i < r->nobs; i++)
		if (r->obs[i].l1)
			r->obs[i].l1(r->obs[i].ctx, v);
}

/* Outcome of a load's sectors; those that are not there are on their way afterwards.
 * Returns when the last is back. */
RP_HOT uint32_t load(struct ct_replay *r, struct rp_sm *sm, struct look *l, uint32_t at,
                     struct ct_l1_event *v, int quick)
{
	const struct ct_line_request *q = l->q;
	uint32_t look = at + r->g.l1_latency, last = quick ? look : look + 4;
	uint32_t i = rp_tags_find_near(&sm->tags, q->line, l->near), had = i != RP_NO_LINE, valid = 0;
	if (had) {
		valid = rp_load_hits(&sm->tags.line[i]) & q->sectors;
		rp_tags_touch(&sm->tags, i, at);
	}
	uint32_t missing = q->sectors & ~valid;
	for (uint32_t s = 0; valid && s < r->l1_sectors; s++)
		if ((valid >> s & 1) && sm->due[i][s] > r->base + look) {
			v->pending |= 1u << s;
			uint32_t due = (uint32_t)(sm->due[i][s] - r->base);
			last = rp_max32(last, quick ? rp_quick_join(r, sm, i, s, look, due) : due);
		}
	v->hit = valid & ~v->pending;
	if (had)
		v->sector_miss = missing;
	else
		v->line_miss = missing;
	if (!missing)
		return last;
	if (!had) {
		i = make_room(r, sm, q->line, at);
		log_line(r, sm, q->line, at, RP_LOG_FILL);
	}
	last = rp_max32(last, leave(r, sm, l, missing, RP_PK_READ, look, sm->due[i], quick));
	for (uint32_t s = 0; s < r->l1_sectors; s++)
		if (missing >> s & 1) {
			rp_tags_reserve(&sm->tags, i, s);
			rp_tags_fill(&sm->tags, i, s, 0);
			if (quick)
				sm->quick->merged[i][s] = 1;
		}
	return last;
}

RP_HOT uint32_t store(struct ct_replay *r, struct rp_sm *sm, struct look *l, uint32_t at,
                      struct ct_l1_event *v, int quick)
{
	const struct ct_line_request *q = l->q;
	uint32_t look = at + r->g.l1_latency, i = rp_tags_find_near(&sm->tags, q->line, l->near);
	uint32_t had = i != RP_NO_LINE, valid = had ? sm->tags.line[i].valid & q->sectors : 0;
	uint32_t missing = q->sectors & ~valid;
	v->hit = valid;
	if (had)
		v->sector_miss = missing;
	else
		v->line_miss = missing;
	if (had && r->g.l1.write_policy != CT_WRITE_EVICT)
		rp_tags_touch(&sm->tags, i, at);
	if (had && r->g.l1.write_policy == CT_WRITE_EVICT) {
		if (!(sm->tags.line[i].valid & ~valid))
			log_line(r, sm, q->line, at, RP_LOG_GONE);
		if (valid)
			rp_tags_drop(&sm->tags, i, valid);
	} else if (r->g.l1.write_policy >= CT_WRITE_THROUGH_ALLOCATE) {
		if (!had) {
			i = make_room(r, sm, q->line, at);
			log_line(r, sm, q->line, at, RP_LOG_HERE);
		}
		for (uint32_t s = 0; s < r->l1_sectors; s++)
			if (q->sectors >> s & 1)
				rp_tags_store(&sm->tags, i, s, r->l1_sector_bits == 5
				              ? (uint32_t)(q->bytes[s / 2 & 1] >> 32 * (s % 2))
				              : 0xffffffffu);
	}
	return leave(r, sm, l, q->sectors, RP_PK_STORE, look, NULL, quick);
}

/* ---- instructions ---- */

/* Cycles in which the sectors enter the L1, one for each bank a cycle. */
static uint32_t bank_cycles(const struct ct_replay *r, const struct ct_line_request *q, unsigned n)
{
	uint32_t count_of[RP_MAX_L1_BANKS] = {0}, most = 1;
	for (unsigned i = 0; i < n; i++)
		for (uint32_t s = 0; s < r->l1_sectors; s++)
			if (q[i].sectors >> s & 1) {
				uint32_t *c = &count_of[rp_modulo(q[i].line * r->l1_sectors + s, r->banks)];
				most = rp_max32(most, ++*c);
			}
	return most;
}

/* Asks the host's memory for what the lines of an instruction will meet: its latency is
 * the same for one as for all. */
static void look_ahead(struct ct_replay *r, struct rp_sm *sm, const struct rp_op *op,
                       const struct ct_line_request *q, unsigned n, struct look *look)
{
	for (unsigned i = 0; i < n; i++)
		rp_tags_prefetch(&sm->tags, q[i].line);
	for (unsigned i = 0; i < n; i++) {
		struct look *l = &look[i];
		l->q = &q[i];
		l->placed = 0;
		l->near = rp_tags_guess(&sm->tags, q[i].line);
		if (l->near != RP_NO_LINE)
			CT_BRING(&sm->due[l->near]);
		if (l->near != RP_NO_LINE && op->kind == RP_LOAD)
			continue;
		place(r, l);
		rp_tags_prefetch(&r->slice[l->slice].tags, q[i].line << r->l1_line_bits >> r->llc_line_bits);
	}
	for (unsigned i = 0; i < n; i++) {
		struct look *l = &look[i];
		if (!l->placed)
			continue;
		struct rp_slice *s = &r->slice[l->slice];
		l->llc_near = rp_tags_guess(&s->tags, q[i].line << r->l1_line_bits >> r->llc_line_bits);
		if (l->llc_near != RP_NO_LINE)
			CT_BRING(&s->due[l->llc_near]);
	}
}

/* One line; returns when its last sector is back. */
RP_HOT uint32_t access_line(struct ct_replay *r, struct rp_sm *sm, const struct rp_op *op,
                            struct look *l, uint32_t at, struct ct_l1_event *v, int quick)
{
	uint32_t back;
	if (op->bypass)
		return leave(r, sm, l, l->q->sectors,
		             op->kind == RP_ATOMIC ? RP_PK_ATOMIC
		             : op->kind == RP_STORE ? RP_PK_STORE : RP_PK_BYPASS, at, NULL, quick);
	back = op->kind == RP_STORE ? store(r, sm, l, at, v, quick) : load(r, sm, l, at, v, quick);
	count(sm, v, l->q->sectors);
	return back;
}

/* A global or local instruction at cycle `at`; returns when its last sector is back. */
RP_HOT uint32_t access_lines(struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                             const struct ct_line_request *q, unsigned n, uint32_t at, int quick)
{
	struct look look[CT_MAX_LINES_PER_INST];
	struct rp_warp *w = &sm->warp[warp];
	const struct rp_op *op = w->op;
	uint32_t last = at + 2, start, busy = bank_cycles(r, q, n);
	start = quick ? rp_quick_lsu(r, sm, at + 4, busy) : rp_max32(at + 4, sm->lsu_free);
	look_ahead(r, sm, op, q, n, look);
	for (unsigned i = 0; i < n; i++) {
		struct ct_l1_event v = {
			.sm = sm->id, .subcore = warp % r->g.schedulers, .warp_slot = warp,
			.sid = sm->next[warp].inst.sid, .cycle = r->base + start + r->g.l1_latency,
			.line = q[i].line, .sectors = q[i].sectors, .bytes = {q[i].bytes[0], q[i].bytes[1]},
			.is_write = op->kind == RP_STORE, .is_atomic = op->kind == RP_ATOMIC,
			.bypass = op->bypass,
		};
		last = rp_max32(last, access_line(r, sm, op, &look[i], start, &v, quick));
		observe(r, &v);
	}
	sm->lsu_free = start + busy;
	return last;
}

RP_HOT void memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at, int quick)
{
	struct ct_line_request q[CT_MAX_LINES_PER_INST];
	struct rp_warp *w = &sm->warp[warp];
	const struct rp_op *op = w->op;
	uint32_t lanes = 0, back;
	unsigned n = 0;
	if (!op->shared) {
		struct ct_local_map local = rp_local_of(r, sm, warp);
		n = ct_coalesce(r->kernel, op->s, &sm->next[warp].inst, r->g.l1.line, r->g.l1.sector, &local,
		                w->key, q, &lanes);
		ct_lines_descending(q, n);
	}
	if (n) {
		back = access_lines(r, sm, warp, q, n, at, quick);
		if (op->kind != RP_STORE) {
			sm->c.mem_latency_sum += back - at;
			sm->c.mem_latency_count++;
		}
	} else {
		uint32_t degree = rp_degree(r, &sm->next[warp].inst);
		uint32_t start = quick ? rp_quick_lsu(r, sm, at + 4, degree) : rp_max32(at + 4, sm->lsu_free);
		sm->lsu_free = start + degree;
		back = sm->lsu_free + r->g.shmem_latency;
	}
	w->done = rp_max32(w->done, back);
	for (unsigned i = 0; i < op->ndst; i++)
		sm->regs[warp][op->dst[i]] = back;
	if (op->kind == RP_ATOMIC)
		w->born = rp_max32(w->born, back);
	else if (op->kind == RP_ASYNC)
		w->group_open[w->group % RP_GROUPS] = rp_max32(w->group_open[w->group % RP_GROUPS], back);
}

void rp_fixed_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	memory(r, sm, warp, at, 0);
}

void rp_quick_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	memory(r, sm, warp, at, 1);
}

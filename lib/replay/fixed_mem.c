/* Memory instructions with fixed timing (fixed.c): caches whose accesses learn at once when
 * their data will be there. */
#include <string.h>

#include "base/bits.h"
#include "replay/private/ahead.h"
#include "replay/private/ahead_l1.h"
#include "replay/private/llc.h"

/* Cycles from an access that leaves the L1 at `at` to its data (doc/replay.md section 9). */
static uint32_t llc_trip(const struct ct_replay *r)
{
	return r->g.llc_latency + 2 * r->g.noc_latency + 7;
}

/* Cycles that a request to DRAM takes in the channel: fixed delay, column command and
 * data, behind what the channel already has to do. A sector of the row that its bank
 * had last costs a column command, another one an activate (doc/replay.md sections 9 and 10). */
static uint64_t dram_trip(struct ct_replay *r, const struct ct_place *place, uint64_t at)
{
	struct rp_channel *c = &r->part[place->channel / r->map.per_slice]
	                                .channel[place->channel % r->map.per_slice];
	struct rp_bank *b = &c->bank[place->bank];
	uint64_t now = rp_dram_cycle_of(r, at), start = c->ccd > now ? c->ccd : now;
	uint32_t cost = b->open && b->row == place->row ? r->g.dram_ccd : r->g.dram_rrd;
	b->open = 1;
	b->row = place->row;
	c->ccd = start + cost;
	return r->g.dram_latency + 4 + rp_dram_core_of(r, start + r->g.dram_rcd + r->g.dram_cl) -
	       rp_dram_core_of(r, now);
}

/* A line of an instruction on its way through its slice, and of the LLC the one that its sector
 * lies in. */
struct visit {
	struct ct_replay *r;
	struct rp_sm *sm;
	struct rp_slice *s;
	struct rp_look *l;
	struct rp_packet p; /* for its sectors, one after the other */
	uint64_t line;      /* of the LLC */
	uint32_t index;     /* RP_LRU_NONE: none yet */
	int in_dram;        /* place is known */
	struct ct_place place;
	uint32_t sectors, missed, pending;
	struct ct_llc_event ev; /* for observers, where there are any; sectors: 0 until the first */
};

/* Notes a sector for the observers of the LLC: whether it hit (0), was pending (1) or missed. */
static CT_INLINE void note_sector(struct visit *v, uint32_t k, uint64_t now, int what)
{
	struct ct_llc_event *ev = &v->ev;
	if (ev->sectors >> k & 1) /* smaller sectors of the L1 */
		return;
	ev->cycle = ev->sectors ? ev->cycle : now;
	rp_llc_note_sector(ev, k, v->p.bytes, what);
}

/* Tells of the line, of which all sectors have been noted. */
static CT_INLINE void tell_line(struct visit *v)
{
	if (!v->ev.sectors)
		return;
	v->ev.slice = v->p.slice;
	v->ev.line = v->line;
	rp_llc_log_line(v->r, &v->ev);
	v->ev.sectors = v->ev.hit = v->ev.pending = v->ev.miss = 0;
	v->ev.bytes[0] = v->ev.bytes[1] = 0;
}

/* The sector's line is there from now on, touched in this cycle. */
static CT_INLINE struct rp_entry *visit_line(struct visit *v, uint64_t line, uint64_t now)
{
	uint32_t tick = (uint32_t)now;
	struct rp_lru *t = &v->s->cache.lru;
	uint32_t set = v->l->llc_set;
	if (v->index != RP_LRU_NONE && line == v->line) {
		rp_lru_touch(t, set, v->index, tick);
		return rp_lru_at(t, v->index);
	}
	uint32_t i = rp_lru_find_near(t, set, line, v->l->llc_near);
	if (i == RP_LRU_NONE) {
		i = rp_lru_victim(t, set);
		const struct rp_entry *old = rp_lru_at(t, i);
		if (old->modified)
			v->sm->c.dram_write_bytes += ct_bits(old->modified) << v->r->llc_sector_bits;
		rp_lru_allocate(t, set, i, line, tick);
	} else {
		rp_lru_touch(t, set, i, tick);
	}
	v->line = line;
	v->index = v->l->llc_near = i;
	v->in_dram = 0;
	return rp_lru_at(t, i);
}

/* One sector, v->p, at the LLC; returns the cycle at which its data (or acknowledgement) is back at
 * the SM. */
static CT_INLINE uint32_t llc_sector(struct visit *v, uint32_t at)
{
	struct ct_replay *r = v->r;
	struct rp_slice *s = v->s;
	const struct rp_packet *p = &v->p;
	/* the SM sends one sector a cycle, a slice serves one a cycle */
	at = v->sm->missq_last = rp_max32(v->sm->missq_last + 1, at);
	uint64_t now = r->base + at;
	struct rp_entry *e = visit_line(v, p->address >> r->llc_line_bits, now);
	uint32_t k = (uint32_t)(p->address >> r->llc_sector_bits & (r->llc_sectors - 1)), bit = 1u << k;
	uint32_t epoch = (uint32_t)(r->base - r->epoch);
	int store = p->kind == RP_PK_STORE, pending = 0;
	int missing = !((store ? e->valid : rp_lru_hits(e)) & bit);
	s->reply_last = s->reply_last < now ? now : s->reply_last + 1;
	uint64_t back = s->reply_last - r->base + llc_trip(r);
	int late = !missing && e->due[k] > epoch + (uint32_t)back;
	int goes_on = store && (missing || late) &&
	              rp_llc_fetches(r); /* write_through_miss() of slice.c */
	if (store && !goes_on) {
		rp_lru_store(&s->cache.lru, v->index, k,
		             r->llc_sector_bits == 5 ? p->bytes : 0xffffffffu);
	} else if (missing) {
		if (!v->in_dram)
			v->place = ct_address_place(&r->map, p->address);
		v->in_dram = 1;
		back += dram_trip(r, &v->place, now);
		rp_lru_fill(e, bit);
		if (p->kind == RP_PK_ATOMIC)
			rp_lru_modified(&s->cache.lru, v->index, e->modified | bit);
		e->due[k] = epoch + (uint32_t)back;
		v->sm->c.dram_read_bytes += r->g.llc.sector;
	} else if (late) {
		pending = 1;
		back = e->due[k] - epoch;
	}
	if (goes_on)
		v->sm->c.dram_write_bytes += rp_packet_bytes(p, r->g.llc.sector);
	if (back > RP_LAST_CYCLE)
		rp_too_long(r);
	v->sectors++;
	v->missed += (uint32_t)missing;
	v->pending += (uint32_t)pending;
	if (r->has_llc)
		note_sector(v, k, now, missing ? 2 : pending);
	return (uint32_t)back;
}

/* Finds the LLC line of v->p. A line of the L1 may consist of several of the LLC, which may lie in different slices. */
static void visit_at(struct visit *v)
{
	if (v->index != RP_LRU_NONE && v->p.address >> v->r->llc_line_bits == v->line)
		return;
	if (v->index != RP_LRU_NONE)
		tell_line(v);
	ct_address_slice(&v->r->map, v->p.address, &v->l->slice, &v->l->llc_set);
	v->l->llc_near = v->index = RP_LRU_NONE;
	v->s = &v->r->slice[v->l->slice];
	v->p.slice = (uint16_t)v->l->slice;
	v->p.llc_set = v->l->llc_set;
}

static void count_visit(const struct visit *v)
{
	struct ct_replay_counts *c = &v->sm->c;
	c->llc_line_accesses++;
	c->llc_accesses += v->sectors;
	c->llc_misses += v->missed;
	c->llc_pending += v->pending;
	c->llc_line_misses += v->missed != 0;
	if (v->p.kind == RP_PK_STORE)
		return;
	c->llc_read_accesses += v->sectors;
	c->llc_read_misses += v->missed;
}

/* The masked L1 sectors of a line at the LLC; returns when the last is back, and each
 * sector's time in due[]. */
static CT_INLINE uint32_t ask_llc(struct ct_replay *r, struct rp_sm *sm, struct rp_look *l,
                                  uint32_t sectors, enum rp_packet_kind kind, uint32_t at, uint32_t *due)
{
	uint64_t base = l->q->line << r->l1_line_bits;
	uint32_t last = at, epoch = (uint32_t)(r->base - r->epoch);
	if (!l->placed)
		rp_look_place(r, l);
	struct visit v;
	v.r = r;
	v.sm = sm;
	v.s = &r->slice[l->slice];
	v.l = l;
	v.p = (struct rp_packet){
		.llc_set = l->llc_set,
		.sm = (uint16_t)sm->id,
		.slice = (uint16_t)l->slice,
		.kind = (uint8_t)kind,
	};
	v.index = RP_LRU_NONE;
	v.sectors = v.missed = v.pending = 0;
	v.ev = (struct ct_llc_event){.sm = sm->id,
	                             .sid = CT_NO_SID,
	                             .is_write = kind == RP_PK_STORE,
	                             .is_atomic = kind == RP_PK_ATOMIC};
	for (; sectors; sectors &= sectors - 1) {
		uint32_t s = ct_low_bit(sectors), back = at;
		v.p.bytes = rp_written_bytes(r, l->q->bytes, s);
		for (uint32_t i = 0; i < r->llc_per_l1; i++) {
			if (kind == RP_PK_STORE) /* others' data is not counted in bytes here */
				v.p.payload = (uint8_t)rp_piece_eighths(r, l->q->bytes, s, i);
			v.p.address = base + ((uint64_t)s << r->l1_sector_bits) +
			              ((uint64_t)i << r->llc_sector_bits);
			if (r->l1_line_bits > r->llc_line_bits)
				visit_at(&v);
			back = llc_sector(&v, at);
			last = rp_max32(last, back);
		}
		if (due)
			due[s] = epoch + back;
	}
	tell_line(&v);
	count_visit(&v);
	return last;
}

/* Outcome of a load's sectors; those that are not there are on their way afterwards. */
static CT_INLINE struct rp_outcome
load_line(struct ct_replay *r, struct rp_sm *sm, struct rp_look *l, uint32_t at)
{
	const struct ct_line_request *q = l->q;
	uint32_t look = at + r->g.l1_latency, last = look + 4, pending = 0;
	uint32_t epoch = (uint32_t)(r->base - r->epoch);
	struct rp_found f = rp_find_load(sm, l, at);
	for (uint32_t left = f.valid; left; left &= left - 1) {
		uint32_t s = ct_low_bit(left);
		if (f.e->due[s] > epoch + look) {
			pending |= 1u << s;
			last = rp_max32(last, f.e->due[s] - epoch);
		}
	}
	uint32_t missing = q->sectors & ~f.valid;
	if (missing) {
		uint32_t victim = f.had ? RP_LRU_NONE : rp_lru_victim(&sm->cache.lru, l->set);
		rp_place_missing(r, sm, l, &f, missing, victim, at);
		last = rp_max32(last, ask_llc(r, sm, l, missing, RP_PK_READ, look, f.e->due));
	}
	return (struct rp_outcome){.back = last, .pending = pending, .missing = missing, .had = f.had};
}

/* ---- instructions ---- */

/* Asks the host's memory for what the lines of an instruction will meet: its latency is
 * the same for one as for all. */
static void prefetch_lines(struct ct_replay *r, struct rp_sm *sm, const struct rp_op *op,
                           const struct ct_line_request *q, unsigned n, struct rp_look *look)
{
	const struct rp_lru *t = &sm->cache.lru;
	rp_look_prefetch(r, t, q, n, look);
	for (unsigned i = 0; i < n; i++) {
		struct rp_look *l = &look[i];
		if (l->near != RP_LRU_NONE && op->kind != RP_STORE &&
		    !(q[i].sectors & ~rp_lru_hits(rp_lru_at(t, l->near))))
			continue;
		rp_look_place(r, l);
		rp_lru_prefetch_set(&r->slice[l->slice].cache.lru, l->llc_set,
		                    q[i].line << r->l1_line_bits >> r->llc_line_bits);
	}
	for (unsigned i = 0; i < n; i++) {
		struct rp_look *l = &look[i];
		if (!l->placed)
			continue;
		const struct rp_lru *s = &r->slice[l->slice].cache.lru;
		l->llc_near = rp_lru_guess(
			s, l->llc_set, q[i].line << r->l1_line_bits >> r->llc_line_bits);
		if (l->llc_near != RP_LRU_NONE)
			rp_lru_prefetch_line(s, l->llc_near);
	}
}

/* One line; returns when its last sector is back. */
static CT_INLINE struct rp_outcome access_line(struct ct_replay *r, struct rp_sm *sm,
                                               const struct rp_op *op, struct rp_look *l, uint32_t at)
{
	struct rp_outcome o = {0};
	if (op->bypass) {
		o.back = ask_llc(r, sm, l, l->q->sectors, rp_packet_kind_of(op), at, NULL);
	} else if (op->kind == RP_STORE) {
		at += r->g.l1_latency;
		o = rp_store_line(r, sm, l, at - r->g.l1_latency);
		o.back = ask_llc(r, sm, l, l->q->sectors, RP_PK_STORE, at, NULL);
	} else {
		o = load_line(r, sm, l, at);
	}
	return o;
}

static uint32_t most_of_banks(const struct ct_replay *r, const struct ct_line_request *q, unsigned n)
{
	uint32_t count_of[RP_MAX_L1_BANKS] = {0}, most = 1;
	for (unsigned i = 0; i < n; i++)
		for (uint32_t s = 0; s < r->l1_sectors; s++)
			if (q[i].sectors >> s & 1) {
				uint32_t *c =
					&count_of[rp_modulo(q[i].line * r->l1_sectors + s, r->banks)];
				most = rp_max32(most, ++*c);
			}
	return most;
}

/* Cycles in which the sectors enter the L1, one for each bank a cycle in any order: as many as the busiest bank has. */
static CT_INLINE uint32_t bank_cycles(const struct ct_replay *r, const struct ct_line_request *q,
                                      unsigned n)
{
	if (n == 1 && r->banks >= r->l1_sectors)
		return 1;
	if (r->banks != 4 || r->l1_sectors != 4)
		return most_of_banks(r, q, n);
	uint64_t sum = 0; /* the bank is the sector: 16 bits each */
	for (unsigned i = 0; i < n; i++) {
		uint64_t s = q[i].sectors;
		sum += s * UINT64_C(0x0000200040008001) & UINT64_C(0x0001000100010001);
	}
	uint32_t a = rp_max32(sum & 0xffff, sum >> 16 & 0xffff);
	return rp_max32(a, rp_max32(sum >> 32 & 0xffff, (uint32_t)(sum >> 48)));
}

/* A global or local instruction at cycle `at`; returns when its last sector is back. */
static CT_INLINE uint32_t access_lines(struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                                       const struct ct_line_request *q, unsigned n, uint32_t at)
{
	struct rp_look look[CT_MAX_LINES_PER_INST];
	const struct rp_op *op = sm->warp[warp].op;
	uint32_t last = at + 2, busy = bank_cycles(r, q, n), start = rp_max32(at + 4, sm->lsu_free);
	struct rp_tally tally = {0};
	prefetch_lines(r, sm, op, q, n, look);
	for (unsigned i = 0; i < n; i++) {
		struct rp_outcome o = access_line(r, sm, op, &look[i], start);
		last = rp_max32(last, o.back);
		if (!op->bypass)
			rp_tally_add(&tally, q[i].sectors, &o);
		if (r->has_l1)
			rp_observe_line(r, sm, warp, op, sm->next[warp].inst.sid, start, &q[i], &o);
	}
	if (!op->bypass)
		rp_tally_count(sm, &tally, n, op->kind == RP_STORE);
	sm->lsu_free = start + busy;
	return last;
}

/* Looks the lines up at once: lines of the L1 and the LLC know when their data will be there, so that
 * the cycle of the results follows without waiting. */
void rp_fixed_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	struct ct_line_request q[CT_MAX_LINES_PER_INST];
	struct rp_warp *w = &sm->warp[warp];
	const struct rp_op *op = w->op;
	uint32_t lanes = 0, back;
	unsigned n = op->shared ? 0
	                        : rp_lines_of(r, sm, warp, op->s, &sm->next[warp].inst, r->g.l1.line,
	                                      r->g.l1.sector, q, &lanes);
	if (n) {
		back = access_lines(r, sm, warp, q, n, at);
	} else {
		sm->lsu_free = rp_max32(at + 4, sm->lsu_free) +
		               rp_conflict_degree(r, &sm->next[warp].inst);
		back = sm->lsu_free + r->g.shmem_latency;
	}
	if (n && op->kind != RP_STORE) {
		sm->c.mem_latency_sum += back - at;
		sm->c.mem_latency_count++;
	}
	rp_results_at(sm, warp, op, w->wait.group, back, back);
}

void rp_follow_epoch(struct ct_replay *r)
{
	const uint64_t slack = UINT64_C(1) << 29; /* they stay below RP_DUE_ASKED */
	if (r->horizon - r->epoch < 3 * slack)
		return;
	uint64_t on = r->horizon - slack - r->epoch;
	uint32_t cycles = on > UINT32_MAX ? UINT32_MAX : (uint32_t)on;
	for (uint32_t i = 0; i < r->g.sms; i++)
		rp_lru_rebase(&r->sm[i].cache.lru, cycles);
	for (uint32_t i = 0; i < r->map.slices; i++)
		rp_lru_rebase(&r->slice[i].cache.lru, cycles);
	r->epoch += on;
}

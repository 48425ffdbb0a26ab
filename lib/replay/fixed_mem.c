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
static uint32_t dram_trip(struct ct_replay *r, const struct ct_place *place, uint64_t at)
{
	struct rp_channel *c = &r->part[place->channel / r->map.per_slice]
	                                .channel[place->channel % r->map.per_slice];
	struct rp_bank *b = &c->bank[place->bank];
	uint64_t now = rp_dram_cycle_of(r, at), start = c->ccd > now ? c->ccd : now;
	uint32_t cost = b->open && b->row == place->row ? r->g.dram_ccd : r->g.dram_rrd;
	b->open = 1;
	b->row = place->row;
	c->ccd = start + cost;
	return r->g.dram_latency + 4 +
	       (uint32_t)(rp_dram_core_of(r, start + r->g.dram_rcd + r->g.dram_cl) -
	                  rp_dram_core_of(r, now));
}

/* A line of an instruction, with hints that were asked for ahead of its turn. */
struct look {
	const struct ct_line_request *q;
	uint32_t near;           /* in the L1 */
	uint32_t llc_near;       /* in the slice */
	uint32_t slice, llc_set;
	uint8_t placed;          /* slice and llc_set are known */
};

static void place(struct ct_replay *r, struct look *l)
{
	ct_address_slice(&r->map, l->q->line << r->l1_line_bits, &l->slice, &l->llc_set);
	l->llc_near = RP_LRU_NONE;
	l->placed = 1;
}

/* A line of an instruction on its way through its slice, and of the LLC the one that its sector
 * lies in. */
struct visit {
	struct ct_replay *r;
	struct rp_sm *sm;
	struct rp_slice *s;
	struct look *l;
	struct rp_packet p;      /* for its sectors, one after the other */
	uint64_t line;           /* of the LLC */
	uint32_t index;          /* RP_LRU_NONE: none yet */
	int in_dram;             /* place is known */
	struct ct_place place;
	uint32_t sectors, missed, pending;
};

/* The sector's line is there from now on, touched in this cycle. */
RP_HOT struct rp_entry *visit_line(struct visit *v, uint64_t line, uint64_t now, int quick)
{
	uint32_t tick = (uint32_t)now;
	struct rp_lru *t = &v->s->lru;
	uint32_t set = v->l->llc_set;
	if (v->index != RP_LRU_NONE && line == v->line) {
		rp_lru_touch(t, set, v->index, tick);
		return rp_lru_at(t, v->index);
	}
	uint32_t i = rp_lru_find_near(t, line, v->l->llc_near);
	if (i == RP_LRU_NONE) {
		i = rp_lru_victim(t, set);
		const struct rp_entry *old = rp_lru_at(t, i);
		if (old->modified) {
			uint32_t bytes = ct_bits(old->modified) << v->r->llc_sector_bits;
			v->sm->c.dram_write_bytes += bytes;
			if (quick)
				rp_quick_dram_write(v->r, old->tag << v->r->llc_line_bits, bytes, now);
		}
		rp_lru_allocate(t, set, i, line, tick);
		if (quick)
			v->s->quick->line[i].note = 0;
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
RP_HOT uint32_t llc_sector(struct visit *v, uint32_t at, int quick)
{
	struct ct_replay *r = v->r;
	struct rp_slice *s = v->s;
	const struct rp_packet *p = &v->p;
	/* the SM sends one sector a cycle, a slice serves one a cycle */
	if (quick)
		at = rp_quick_request(r, v->sm, s, p, at);
	else
		at = v->sm->missq_last = rp_max32(v->sm->missq_last + 1, at);
	uint64_t now = r->base + at;
	struct rp_entry *e = visit_line(v, p->address >> r->llc_line_bits, now, quick);
	uint32_t k = (uint32_t)(p->address >> r->llc_sector_bits & (r->llc_sectors - 1)), bit = 1u << k;
	uint32_t epoch = (uint32_t)(r->base - r->epoch), back = at;
	int store = p->kind == RP_PK_STORE, pending = 0, waits = 0;
	int missing = !((store ? e->valid : rp_lru_hits(e)) & bit);
	if (!quick) {
		s->reply_last = s->reply_last < now ? now : s->reply_last + 1;
		back = (uint32_t)(s->reply_last - r->base) + llc_trip(r);
	}
	if (store) {
		rp_lru_store(&s->lru, v->index, k, r->llc_sector_bits == 5 ? p->bytes : 0xffffffffu);
	} else if (missing) {
		if (!v->in_dram)
			v->place = ct_address_place(&r->map, p->address);
		v->in_dram = 1;
		if (quick)
			back = rp_quick_llc_miss(r, s, v->index, k, &v->place, at);
		else
			back += dram_trip(r, &v->place, now);
		rp_lru_fill(e, bit);
		if (p->kind == RP_PK_ATOMIC)
			rp_lru_modified(&s->lru, v->index, e->modified | bit);
		e->due[k] = epoch + back;
	} else if (e->due[k] > epoch + back) {
		pending = 1;
		back = e->due[k] - epoch;
		if (quick)
			waits = rp_quick_llc_join(r, v->sm, s, v->index, k, at, r->base + back);
	}
	v->sectors++;
	v->missed += (uint32_t)missing;
	v->pending += (uint32_t)pending;
	if (r->has_llc)
		rp_llc_log(r, p->slice, p, now, missing ? 2 : pending);
	if (!quick)
		return back;
	back = rp_quick_reply(r, v->sm, s, p, back);
	if ((missing || waits) && p->kind == RP_PK_READ)
		rp_quick_note_request(r, v->sm, s, v->index, e->tag, k, at, back);
	return back;
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
	c->dram_read_bytes += (uint64_t)v->missed << v->r->llc_sector_bits;
}

static uint32_t bytes_of(const struct ct_line_request *q, uint32_t sector)
{
	return (uint32_t)(q->bytes[sector / 2 & 1] >> 32 * (sector % 2));
}

/* The masked L1 sectors of a line at the LLC; returns when the last is back, and each
 * sector's time in due[]. */
RP_HOT uint32_t leave(struct ct_replay *r, struct rp_sm *sm, struct look *l, uint32_t sectors,
                      enum rp_packet_kind kind, uint32_t at, uint32_t *due, int quick)
{
	uint64_t base = l->q->line << r->l1_line_bits;
	uint32_t last = at, epoch = (uint32_t)(r->base - r->epoch);
	if (!l->placed)
		place(r, l);
	struct visit v;
	v.r = r;
	v.sm = sm;
	v.s = &r->slice[l->slice];
	v.l = l;
	v.p = (struct rp_packet){
		.llc_set = l->llc_set, .group = r->has_llc ? rp_group_new(sm) : 0,
		.sm = (uint16_t)sm->id, .slice = (uint16_t)l->slice, .kind = (uint8_t)kind,
	};
	v.index = RP_LRU_NONE;
	v.sectors = v.missed = v.pending = 0;
	for (; sectors; sectors &= sectors - 1) {
		uint32_t s = ct_low_bit(sectors), back = at, from = at;
		if (quick && kind <= RP_PK_STORE)
			from = rp_quick_miss(r, sm, at, kind == RP_PK_STORE);
		v.p.bytes = bytes_of(l->q, s);
		for (uint32_t i = 0; i < r->llc_per_l1; i++) {
			v.p.address = base + ((uint64_t)s << r->l1_sector_bits) + ((uint64_t)i << r->llc_sector_bits);
			back = llc_sector(&v, from, quick);
			last = rp_max32(last, back);
		}
		if (due)
			due[s] = epoch + back;
		if (quick && due)
			rp_quick_mshr(r, sm, last);
	}
	count_visit(&v);
	return last;
}

static void log_line(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t at, int what)
{
	if (r->replication)
		rp_l1_log(r, sm, line, at, what);
}

RP_HOT uint32_t make_room(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t at,
                          int quick)
{
	uint32_t set = ct_set_index((enum ct_set_hash)r->g.l1.set_hash, sm->lru.sets, line);
	uint32_t i = rp_lru_victim(&sm->lru, set);
	if (rp_lru_at(&sm->lru, i)->used)
		log_line(r, sm, rp_lru_at(&sm->lru, i)->tag, at, RP_LOG_GONE);
	rp_lru_allocate(&sm->lru, set, i, line, at);
	if (quick)
		sm->quick->line[i].note = 0;
	return i;
}

/* What a line met in the L1: masks of its sectors. */
struct outcome {
	uint32_t back;           /* when its last sector is */
	uint32_t pending, missing;
	int had;                 /* something of the line was there */
};

/* Outcome of a load's sectors; those that are not there are on their way afterwards. */
RP_HOT struct outcome load(struct ct_replay *r, struct rp_sm *sm, struct look *l, uint32_t at,
                           int quick)
{
	const struct ct_line_request *q = l->q;
	uint32_t look = quick ? rp_quick_tags(r, sm, at) : at + r->g.l1_latency;
	uint32_t last = quick ? look : look + 4, valid = 0, pending = 0;
	uint32_t i = rp_lru_find_near(&sm->lru, q->line, l->near), had = i != RP_LRU_NONE;
	uint32_t epoch = (uint32_t)(r->base - r->epoch);
	struct rp_entry *e = had ? rp_lru_at(&sm->lru, i) : NULL;
	if (had) {
		valid = rp_lru_hits(e) & q->sectors;
		rp_lru_touch(&sm->lru, rp_lru_set_of(&sm->lru, i), i, at);
	}
	for (uint32_t left = valid; left; left &= left - 1) {
		uint32_t s = ct_low_bit(left);
		if (e->due[s] > epoch + look) {
			pending |= 1u << s;
			uint32_t due = e->due[s] - epoch;
			last = rp_max32(last, quick ? rp_quick_join(r, sm, i, s, due) : due);
		}
	}
	uint32_t missing = q->sectors & ~valid;
	if (missing) {
		if (!had) {
			i = make_room(r, sm, q->line, at, quick);
			log_line(r, sm, q->line, at, RP_LOG_FILL);
			e = rp_lru_at(&sm->lru, i);
		}
		last = rp_max32(last, leave(r, sm, l, missing, RP_PK_READ, look, e->due, quick));
		rp_lru_fill(e, missing);
		if (quick)
			rp_quick_first(sm, i, missing);
	}
	if (quick && (missing | pending))
		rp_quick_note_load(sm, i, q->line, missing | pending, last);
	return (struct outcome){.back = last, .pending = pending, .missing = missing, .had = (int)had};
}

RP_HOT struct outcome store(struct ct_replay *r, struct rp_sm *sm, struct look *l, uint32_t at,
                            int quick)
{
	const struct ct_line_request *q = l->q;
	uint32_t look = quick ? rp_quick_tags(r, sm, at) : at + r->g.l1_latency;
	uint32_t i = rp_lru_find_near(&sm->lru, q->line, l->near);
	uint32_t had = i != RP_LRU_NONE, all = had ? rp_lru_at(&sm->lru, i)->valid : 0;
	uint32_t valid = all & q->sectors;
	if (had && r->g.l1.write_policy != CT_WRITE_EVICT)
		rp_lru_touch(&sm->lru, rp_lru_set_of(&sm->lru, i), i, at);
	if (had && r->g.l1.write_policy == CT_WRITE_EVICT) {
		if (all == valid)
			log_line(r, sm, q->line, at, RP_LOG_GONE);
		if (valid)
			rp_lru_drop(&sm->lru, i, valid);
	} else if (r->g.l1.write_policy >= CT_WRITE_THROUGH_ALLOCATE) {
		if (!had) {
			i = make_room(r, sm, q->line, at, quick);
			log_line(r, sm, q->line, at, RP_LOG_HERE);
		}
		for (uint32_t left = q->sectors; left; left &= left - 1) {
			uint32_t s = ct_low_bit(left);
			rp_lru_store(&sm->lru, i, s, r->l1_sector_bits == 5 ? bytes_of(q, s) : 0xffffffffu);
		}
	}
	return (struct outcome){
		.back = leave(r, sm, l, q->sectors, RP_PK_STORE, look, NULL, quick),
		.missing = q->sectors & ~valid, .had = (int)had,
	};
}

/* ---- instructions ---- */

#define TWO(n) n, n + 1, n + 1, n + 2
#define FOUR(n) TWO(n), TWO(n + 1), TWO(n + 1), TWO(n + 2)
#define SIX(n) FOUR(n), FOUR(n + 1), FOUR(n + 1), FOUR(n + 2)
static const uint8_t bits_of[256] = {SIX(0), SIX(1), SIX(1), SIX(2)};

/* Sectors of an instruction's lines, and lines with one that missed. */
struct tally { uint32_t asked, missed, pending, sector_misses, lines_missed; };

RP_HOT void tally_add(struct tally *t, uint32_t asked, const struct outcome *o)
{
	uint32_t missed = bits_of[o->missing & 0xff];
	t->asked += bits_of[asked & 0xff];
	t->missed += missed;
	t->sector_misses += o->had ? missed : 0;
	t->lines_missed += missed != 0;
	t->pending += bits_of[o->pending & 0xff];
}

static void count(struct rp_sm *sm, const struct tally *t, uint32_t lines, int is_write)
{
	struct ct_replay_counts *c = &sm->c;
	c->l1_accesses += t->asked;
	c->l1_misses += t->missed;
	c->l1_pending += t->pending;
	c->l1_sector_misses += t->sector_misses;
	c->l1_line_accesses += lines;
	c->l1_line_misses += t->lines_missed;
	if (!is_write) {
		c->l1_read_accesses += t->asked;
		c->l1_read_misses += t->missed;
		c->l1_read_pending += t->pending;
	}
}

static uint32_t most_of_banks(const struct ct_replay *r, const struct ct_line_request *q, unsigned n)
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

/* Cycles in which the sectors enter the L1, one for each bank a cycle. */
static uint32_t bank_cycles(const struct ct_replay *r, const struct ct_line_request *q, unsigned n)
{
	if (n == 1 && r->banks >= r->l1_sectors)
		return 1;
	if (r->banks != 4 || r->l1_sectors != 4)
		return most_of_banks(r, q, n);
	uint64_t sum = 0; /* the bank is the sector: 16 bits each */
	for (unsigned i = 0; i < n; i++) {
		uint64_t s = q[i].sectors;
		sum += (s | s << 15 | s << 30 | s << 45) & UINT64_C(0x0001000100010001);
	}
	uint32_t a = rp_max32(sum & 0xffff, sum >> 16 & 0xffff);
	return rp_max32(a, rp_max32(sum >> 32 & 0xffff, (uint32_t)(sum >> 48)));
}

static void bring_line(const struct rp_lru *t, uint32_t index)
{
	CT_BRING(rp_lru_at(t, index));
	CT_BRING(&t->stamp[index]);
}

/* Asks the host's memory for what the lines of an instruction will meet: its latency is
 * the same for one as for all. */
static void look_ahead(struct ct_replay *r, struct rp_sm *sm, const struct rp_op *op,
                       const struct ct_line_request *q, unsigned n, struct look *look)
{
	const struct rp_lru *t = &sm->lru;
	for (unsigned i = 0; i < n; i++)
		CT_BRING(rp_index_slot(&t->index, q[i].line));
	for (unsigned i = 0; i < n; i++) {
		uint32_t k = look[i].near = rp_index_guess(&t->index, q[i].line);
		if (k != RP_LRU_NONE)
			bring_line(t, k);
	}
	for (unsigned i = 0; i < n; i++) {
		struct look *l = &look[i];
		l->q = &q[i];
		l->placed = 0;
		if (l->near != RP_LRU_NONE && op->kind != RP_STORE &&
		    !(q[i].sectors & ~rp_lru_hits(rp_lru_at(t, l->near))))
			continue;
		place(r, l);
		CT_BRING(rp_index_slot(&r->slice[l->slice].lru.index,
		                       q[i].line << r->l1_line_bits >> r->llc_line_bits));
	}
	for (unsigned i = 0; i < n; i++) {
		struct look *l = &look[i];
		if (!l->placed)
			continue;
		const struct rp_lru *s = &r->slice[l->slice].lru;
		l->llc_near = rp_index_guess(&s->index, q[i].line << r->l1_line_bits >> r->llc_line_bits);
		if (l->llc_near != RP_LRU_NONE)
			bring_line(s, l->llc_near);
	}
}

static void observe(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t start,
                    const struct ct_line_request *q, const struct outcome *o)
{
	const struct rp_op *op = sm->warp[warp].op;
	struct ct_l1_event v = {
		.sm = sm->id, .subcore = warp % r->g.schedulers, .warp_slot = warp,
		.sid = sm->next[warp].inst.sid, .cycle = r->base + start + r->g.l1_latency,
		.line = q->line, .sectors = q->sectors, .bytes = {q->bytes[0], q->bytes[1]},
		.is_write = op->kind == RP_STORE, .is_atomic = op->kind == RP_ATOMIC,
		.bypass = op->bypass,
	};
	if (!op->bypass) {
		v.pending = (uint8_t)o->pending;
		v.hit = (uint8_t)(q->sectors & ~o->missing & ~o->pending);
		*(o->had ? &v.sector_miss : &v.line_miss) = (uint8_t)o->missing;
	}
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].l1)
			r->obs[i].l1(r->obs[i].ctx, &v);
}

/* One line; returns when its last sector is back. */
RP_HOT struct outcome access_line(struct ct_replay *r, struct rp_sm *sm, const struct rp_op *op,
                                  struct look *l, uint32_t at, int quick)
{
	if (op->bypass) {
		uint32_t back = leave(r, sm, l, l->q->sectors,
		                      op->kind == RP_ATOMIC ? RP_PK_ATOMIC
		                      : op->kind == RP_STORE ? RP_PK_STORE : RP_PK_BYPASS, at, NULL,
		                      quick);
		return (struct outcome){.back = back};
	}
	return op->kind == RP_STORE ? store(r, sm, l, at, quick) : load(r, sm, l, at, quick);
}

/* Sectors of an instruction that goes past the L1, and what lanes of an atomic that meet in a
 * sector add, which is left in *more. */
static uint32_t transactions(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp,
                             const struct ct_line_request *q, unsigned n, uint32_t *more)
{
	const struct rp_op *op = sm->warp[warp].op;
	uint32_t sectors = 0, all = 0;
	for (unsigned i = 0; i < n; i++)
		sectors += ct_bits(q[i].sectors);
	if (op->kind == RP_ATOMIC)
		all = ct_atomic_transactions(r->kernel, op->s, &sm->next[warp].inst, r->g.llc.sector);
	*more = all > sectors ? all - sectors : 0;
	return sectors + *more;
}

/* The further transactions of an atomic, spread over its sectors in turn; returns when the last
 * is back. */
static uint32_t again(struct ct_replay *r, struct rp_sm *sm, struct look *look, unsigned n,
                      uint32_t more, uint32_t at)
{
	uint32_t last = at;
	while (more)
		for (unsigned i = 0; i < n && more; i++) {
			uint32_t left = look[i].q->sectors, take = 0;
			for (; left && more; left &= ~(1u << ct_high_bit(left)), more--)
				take |= 1u << ct_high_bit(left);
			last = rp_max32(last, leave(r, sm, &look[i], take, RP_PK_ATOMIC, at, NULL, 1));
			sm->c.llc_line_accesses--; /* the line has been counted */
		}
	return last;
}

/* A global or local instruction at cycle `at`; returns when its last sector is back. */
RP_HOT uint32_t access_lines(struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                             const struct ct_line_request *q, unsigned n, uint32_t at, int quick)
{
	struct look look[CT_MAX_LINES_PER_INST];
	const struct rp_op *op = sm->warp[warp].op;
	uint32_t last = at + 2, start, busy, more = 0;
	struct tally tally = {0};
	if (quick && op->bypass)
		busy = transactions(r, sm, warp, q, n, &more);
	else
		busy = bank_cycles(r, q, n);
	start = quick ? rp_quick_lsu(r, sm, at + 4, busy) : rp_max32(at + 4, sm->lsu_free);
	look_ahead(r, sm, op, q, n, look);
	for (unsigned i = 0; i < n; i++) {
		/* they enter the L1 evenly over those cycles, or leave in turn */
		uint32_t enter = quick && !op->bypass ? start + i * busy / n : start;
		struct outcome o = access_line(r, sm, op, &look[i], enter, quick);
		last = rp_max32(last, o.back);
		if (!op->bypass)
			tally_add(&tally, q[i].sectors, &o);
		if (r->has_l1)
			observe(r, sm, warp, start, &q[i], &o);
	}
	if (quick && more)
		last = rp_max32(last, again(r, sm, look, n, more, start));
	if (!op->bypass)
		count(sm, &tally, n, op->kind == RP_STORE);
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
		n = ct_coalesce_descending(r->kernel, op->s, &sm->next[warp].inst, r->g.l1.line,
		                           r->g.l1.sector, &local, w->key, q, &lanes);
	}
	if (quick)
		sm->quick->warp = warp;
	int no_lane = quick && !op->shared && !lanes; /* none is active: a slot and nothing else */
	if (n) {
		back = access_lines(r, sm, warp, q, n, at, quick);
	} else if (no_lane) {
		back = rp_quick_lsu(r, sm, at + 4, 1) + 1;
	} else {
		uint32_t degree = rp_degree(r, &sm->next[warp].inst);
		uint32_t start = quick ? rp_quick_lsu(r, sm, at + 4, degree) : rp_max32(at + 4, sm->lsu_free);
		sm->lsu_free = start + degree;
		back = sm->lsu_free + r->g.shmem_latency;
	}
	if ((n || no_lane) && op->kind != RP_STORE) {
		sm->c.mem_latency_sum += back - at;
		sm->c.mem_latency_count++;
	}
	w->done = rp_max32(w->done, back);
	for (unsigned i = 0; i < op->ndst; i++)
		sm->regs[warp][op->dst[i]] = back;
	if (op->kind == RP_ATOMIC) /* quick: seen a cycle before the register is written */
		w->born = rp_max32(w->born, back - (quick != 0));
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

/* Due cycles have 32 bits: what they count from follows time. */
void rp_fixed_epoch(struct ct_replay *r)
{
	const uint64_t slack = UINT64_C(1) << 30;
	if (r->horizon - r->epoch < 3 * slack)
		return;
	uint64_t on = r->horizon - slack - r->epoch;
	uint32_t cycles = on > UINT32_MAX ? UINT32_MAX : (uint32_t)on;
	for (uint32_t i = 0; i < r->g.sms; i++)
		rp_lru_rebase(&r->sm[i].lru, cycles);
	for (uint32_t i = 0; i < r->map.slices; i++)
		rp_lru_rebase(&r->slice[i].lru, cycles);
	r->epoch += on;
}

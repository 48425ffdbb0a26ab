/* Memory instructions of the quick replay up to the network: the load/store unit, the L1 and its
 * MSHR, and what is asked of the LLC (doc/replay.md sections 5 and 6). */
#include <string.h>

#include "replay/private/ahead_l1.h"
#include "replay/private/quick.h"
#include "replay/private/usual.h"

enum {
	TO_UNIT = 4, /* cycles from issue to the load/store unit */
	FIRST_RECORDS = 64
};

/* A memory instruction at work, in cycles of the launch. */
struct access {
	struct ct_replay *r;
	struct rp_sm *sm;
	struct rp_quick_sm *q;
	const struct rp_op *op;
	uint32_t epoch; /* what due cycles are ahead of them by */
	uint32_t warp, sid;
	uint32_t inst, left; /* the record of what it waits for, RP_NO_INDEX: nothing; how much */
};

/* ---- room for what an instruction may write down ---- */

/* The engine has failed by then. */
static int no_memory(struct access *a)
{
	a->sm->failed = 1;
	return a->r->error.status;
}

static int grow_requests(struct access *a)
{
	struct rp_quick_sm *q = a->q;
	uint32_t cap = 2 * (q->req_mask + 1);
	struct rp_quick_req *p = rp_table_copy(a->r, NULL, 0, cap, sizeof *p);
	if (!p)
		return no_memory(a);
	for (uint32_t i = q->over; i != q->asked; i++)
		p[i & (cap - 1)] = q->req[i & q->req_mask];
	q->req = p;
	q->req_mask = cap - 1;
	return 0;
}

static int grow_joined(struct access *a)
{
	struct rp_quick_sm *q = a->q;
	int st = rp_table_grow(a->r, (void **)&q->joined, &q->njoined, FIRST_RECORDS, sizeof *q->joined,
	                       offsetof(struct rp_quick_joined, next), &q->joined_free);
	return st < 0 ? no_memory(a) : 0;
}

/* Room for n more requests. */
static CT_INLINE int make_request_room(struct access *a, uint32_t n)
{
	struct rp_quick_sm *q = a->q;
	while (q->asked - q->over + n > q->req_mask)
		if (grow_requests(a) < 0)
			return -1;
	return 0;
}

/* The instruction gets a record: it waits for something. */
static CT_INLINE int take_record(struct access *a)
{
	struct rp_quick_sm *q = a->q;
	if (q->inst_free == RP_NO_INDEX &&
	    rp_table_grow(a->r, (void **)&q->inst, &q->insts, FIRST_RECORDS, sizeof *q->inst,
	                  offsetof(struct rp_quick_inst, next), &q->inst_free) < 0)
		return no_memory(a);
	a->inst = q->inst_free;
	q->inst_free = q->inst[a->inst].next;
	return 0;
}

/* ---- the load/store unit and the tags ---- */

/* First cycle of the unit from t on, which the instruction keeps for n. */
static CT_INLINE uint32_t take_unit(const struct ct_replay *r, struct rp_sm *sm, uint32_t t, uint32_t n)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t latency = r->g.l1_latency;
	sm->c.l1_busy += n;
	/* what the tags hold up fills the pipeline in front of them */
	if (q->l1_free > t + latency)
		t = q->l1_free - latency;
	uint32_t at = (uint32_t)rp_calendar_take_more(&q->lsu, sm->now, t, n);
	sm->lsu_free = rp_max32(sm->lsu_free, at + n);
	return at;
}

/* ---- requests ---- */

/* What requests of an instruction need of the SM, and what changes from one to the next: by value, so
 * that it stays near whatever is written meanwhile. */
struct way_out {
	struct rp_quick_sm *q;
	struct rp_quick_req *req;
	uint8_t *merged;
	uint32_t req_mask;
	uint32_t per;     /* LLC sectors of an L1 sector */
	uint32_t sectors; /* of a line of the L1 */
	uint32_t l1_free, asked, group;
	uint32_t lines; /* that have asked for something */
	int repeats;    /* of an atomic: its lines will ask again */
	int bytes;      /* somebody looks at those of loads */
	int pieces;     /* of a sector that is touched in part, parts travel */
	const struct ct_address_map
		*map;   /* where LLC lines of one of the L1 lie apart; NULL: together */
	uint32_t whole; /* bits of every sector's bytes: requests do not name them */
};

/* `usual` is that of usual.h. */
static CT_INLINE struct way_out way_out(const struct access *a, int usual)
{
	const struct ct_replay *r = a->r;
	struct rp_quick_sm *q = a->q;
	return (struct way_out){
		.q = q,
		.req = q->req,
		.merged = q->merged,
		.req_mask = q->req_mask,
		.per = usual ? 1 : r->llc_per_l1,
		.sectors = usual ? RP_USUAL_SECTORS : r->l1_sectors,
		.l1_free = q->l1_free,
		.asked = q->asked,
		.group = a->sm->group,
		.bytes = r->has_llc,
		.pieces = !usual && r->g.noc_piece_bytes,
		.map = !usual && r->l1_line_bits > r->llc_line_bits ? &r->map : NULL,
		.whole = usual ? 0 : rp_written_bytes(r, (const uint64_t[2]){0, 0}, 0),
	};
}

/* Every line has asked for what it needs. */
static CT_INLINE void all_asked(struct access *a, const struct way_out *o)
{
	struct rp_quick_sm *q = a->q;
	uint32_t n = o->asked - q->asked;
	q->l1_free = o->l1_free;
	q->asked = o->asked;
	a->sm->group = o->group;
	a->left += n;
	a->sm->c.llc_line_accesses += o->lines;
}

/* What the requests for the sectors of a line have in common. */
struct ask {
	const struct ct_line_request *q;
	enum rp_packet_kind kind;
	uint32_t at;        /* at the tags, or at the load/store unit */
	uint32_t line;      /* of the L1, RP_LRU_NONE: nothing is filled */
	struct rp_entry *e; /* the same */
	uint32_t behind;    /* needs_way: the last request for the line in its place */
	int needs_way;
};

/* The sector comes to the end of its bank of the L1, which holds so many. */
static CT_INLINE void into_bank(struct way_out *o, uint32_t bank, uint32_t number, uint32_t stages)
{
	struct rp_quick_sm *q = o->q;
	if (q->banks >> bank & 1)
		o->req[q->bank_last[bank] & o->req_mask].next = number;
	else
		rp_quick_first_of_bank(q, bank, number);
	q->bank_last[bank] = number;
	q->banks |= 1u << bank;
	q->full_banks |= (uint32_t)(++q->in_bank[bank] >= stages) << bank;
}

/* What goes past the L1 has no queue to pass. */
static void send_direct(struct access *a, const struct way_out *o, uint32_t number, uint32_t at)
{
	struct rp_quick_sm *q = a->q;
	q->direct_last = rp_max32(q->direct_last + 1, at);
	if (rp_quick_packet(a->r, a->sm, &a->sm->direct, &o->req[number & o->req_mask], number,
	                    q->direct_last) < 0)
		no_memory(a);
}

/* The requests for sector k of the line. */
static CT_INLINE void
ask_sector(struct access *a, const struct ask *s, struct way_out *o, uint32_t slice, uint32_t llc_set,
           uint32_t k, uint64_t sector, uint32_t sector_bits, int alone)
{
	uint32_t first = o->asked;
	if (s->e) {
		s->e->due[k] = RP_DUE_ASKED | (first & ~RP_DUE_ASKED);
		o->merged[s->line * o->sectors + k] = 1;
	}
	for (uint32_t i = 0; i < o->per; i++) {
		struct rp_quick_req *p = &o->req[o->asked & o->req_mask];
		p->sector = sector + i;
		if (o->map)
			ct_address_slice(o->map, p->sector << sector_bits, &slice, &llc_set);
		p->at = s->at;
		p->llc_set = llc_set;
		p->inst = a->inst;
		p->line = s->line;
		p->group = (uint16_t)o->group;
		p->joined = RP_NO_INDEX;
		p->slice = (uint16_t)slice;
		p->kind = (uint8_t)s->kind;
		p->k = (uint8_t)k;
		p->before = (uint8_t)i;
		p->parts = (uint8_t)o->per;
		p->needs_way = p->over = p->held = 0;
		p->alone = alone != 0;
		p->payload = o->pieces && s->kind != RP_PK_READ
		                     ? rp_piece_eighths(a->r, s->q->bytes, k, i) & 15
		                     : 0;
		if (s->kind == RP_PK_STORE || o->bytes)
			p->bytes = rp_sector_bytes(s->q->bytes, k) | o->whole;
		if (s->kind > RP_PK_STORE)
			send_direct(a, o, o->asked, s->at);
		o->asked++;
	}
}

/* The line of the request takes the place of one whose data is on its way: it goes when that has come. */
static void wait_for_way(struct way_out *o, uint32_t behind, uint32_t number)
{
	struct rp_quick_req *p = &o->req[number & o->req_mask];
	p->needs_way = 1;
	p->behind = behind;
	o->req[behind & o->req_mask].held = 1;
}

/* Asks the slice for the masked sectors of the line whose group that is. */
static CT_INLINE void ask_of_group(struct access *a, const struct ask *s, struct way_out *o,
                                   uint32_t sectors, int alone, int usual)
{
	const struct ct_replay *r = a->r;
	uint64_t address = s->q->line << rp_l1_line(r, usual);
	uint32_t slice, llc_set;
	ct_address_slice(&r->map, address, &slice, &llc_set);
	for (uint32_t left = sectors; left; left &= left - 1) {
		uint32_t k = ct_low_bit(left), first = o->asked;
		uint64_t sector = (address + ((uint64_t)k << rp_l1_sector(r, usual))) >>
		                  rp_llc_sector(r, usual);
		ask_sector(a, s, o, slice, llc_set, k, sector, rp_llc_sector(r, usual), alone);
		if (s->needs_way && left == sectors)
			wait_for_way(o, s->behind, first);
		if (s->kind <= RP_PK_STORE)
			into_bank(o, usual ? k : ct_modulo(s->q->line * r->l1_sectors + k, r->banks),
			          first, r->g.l1_latency);
	}
}

/* Asks the slice for the masked sectors of a line. */
static CT_INLINE void ask_llc(struct access *a, const struct ask *s, struct way_out *o, uint32_t sectors,
                              int usual)
{
	if (a->inst == RP_NO_INDEX && take_record(a) < 0)
		return;
	int alone = !(sectors & (sectors - 1)) && o->per == 1 && !o->repeats;
	if (!alone)
		rp_no_miss_of_group(a->sm, o->group);
	ask_of_group(a, s, o, sectors, alone, usual);
	rp_note_line_sid(a->sm, o->group, a->sid);
	o->group++;
	o->lines++;
}

/* ---- the L1 ---- */

/* The load waits for a sector that is on its way, due in that cycle. */
static CT_INLINE uint32_t join_known(const struct access *a, struct way_out *o, uint32_t line,
                                     uint32_t k, uint32_t due)
{
	uint8_t *n = &o->merged[line * o->sectors + k];
	if (*n >= a->r->g.l1.mshr_merge) { /* tried again until it hits */
		o->l1_free = rp_max32(o->l1_free, due);
		return due;
	}
	*n += *n < UINT8_MAX;
	return (uint32_t)rp_calendar_take(&o->q->write_back, a->sm->now, due + 1);
}

/* The same where nobody knows when. */
static CT_INLINE void join_asked(struct access *a, const struct way_out *o, uint32_t line, uint32_t k,
                                 uint32_t number)
{
	struct rp_quick_sm *q = a->q;
	uint8_t *n = &o->merged[line * o->sectors + k];
	struct rp_quick_req *p = &q->req[number & q->req_mask];
	if ((a->inst == RP_NO_INDEX && take_record(a) < 0) ||
	    (q->joined_free == RP_NO_INDEX && grow_joined(a) < 0))
		return;
	a->left++;
	uint32_t i = q->joined_free;
	struct rp_quick_joined *j = &q->joined[i];
	q->joined_free = j->next;
	j->inst = a->inst;
	j->holds = q->stuck || *n >= a->r->g.l1.mshr_merge;
	q->stuck += j->holds;
	*n += *n < UINT8_MAX && !j->holds;
	if (p->joined == RP_NO_INDEX) {
		j->next = i;
	} else {
		j->next = q->joined[p->joined].next;
		q->joined[p->joined].next = i;
	}
	p->joined = i;
}

/* The way of its set that a line which has missed takes at the tags in cycle *look: not before the data of the line
 * that is there has come. */
static CT_INLINE uint32_t take_way(struct access *a, struct way_out *o, uint32_t set, uint32_t *look,
                                   struct ask *s)
{
	struct rp_lru *t = &a->sm->cache.lru;
	uint32_t i = rp_lru_settled_victim(t, set, a->epoch + *look), last = 0;
	const struct rp_entry *e = rp_lru_at(t, i);
	for (uint32_t k = 0; k < o->sectors; k++)
		last = rp_max32(last, e->due[k]);
	if (last & RP_DUE_ASKED) {
		s->needs_way = 1;
		s->behind = last & ~RP_DUE_ASKED;
	} else if (last > a->epoch + *look) {
		*look = o->l1_free = last - a->epoch;
	}
	return i;
}

/* Outcome of a load's sectors; those that are not there are on their way afterwards. */
static CT_INLINE struct rp_outcome
load_line(struct access *a, struct way_out *o, const struct rp_look *l, uint32_t at, int usual)
{
	const struct ct_line_request *q = l->q;
	/* it meets the tags behind what they hold up */
	uint32_t look = rp_max32(at + a->r->g.l1_latency, o->l1_free), last = look, pending = 0;
	if (!usual && (a->r->ideal & CT_REPLAY_IDEAL_L1))
		return (struct rp_outcome){.back = last, .had = 1};
	struct rp_found f = rp_find_load(a->sm, l, at);
	uint32_t late = usual && f.had ? f.valid & ~rp_four_due(f.e->due, a->epoch + look) : f.valid;
	for (uint32_t left = late; left; left &= left - 1) {
		uint32_t s = ct_low_bit(left), due = f.e->due[s];
		if (due <= a->epoch + look)
			continue;
		if (!o->q->stuck) /* else the tags are held up, probably until it is there */
			pending |= 1u << s;
		if (due & RP_DUE_ASKED)
			join_asked(a, o, f.index, s, due & ~RP_DUE_ASKED);
		else
			last = rp_max32(last, join_known(a, o, f.index, s, due - a->epoch));
	}
	uint32_t missing = q->sectors & ~f.valid;
	if (missing) {
		struct ask s = {.q = q, .kind = RP_PK_READ};
		uint32_t way = f.had ? RP_LRU_NONE : take_way(a, o, l->set, &look, &s);
		rp_place_missing(a->r, a->sm, l, &f, missing, way, at);
		s.at = look;
		s.line = f.index;
		s.e = f.e;
		ask_llc(a, &s, o, missing, usual);
	}
	return (struct rp_outcome){.back = last, .pending = pending, .missing = missing, .had = f.had};
}

/* A line of a store, or of what goes past the L1. */
static CT_INLINE struct rp_outcome
send_line(struct access *a, struct way_out *o, const struct rp_look *l, uint32_t at)
{
	struct rp_outcome out = {0};
	struct ask s = {.q = l->q, .kind = rp_packet_kind_of(a->op), .at = at, .line = RP_LRU_NONE};
	if (!a->op->bypass) {
		uint32_t look = rp_max32(at + a->r->g.l1_latency, o->l1_free);
		if (a->r->ideal & CT_REPLAY_IDEAL_L1) {
			out.had = 1;
		} else {
			uint32_t way = rp_store_allocates(a->r, a->sm, l)
			                       ? take_way(a, o, l->set, &look, &s)
			                       : RP_LRU_NONE;
			out = rp_store_line(a->r, a->sm, l, way, at);
		}
		s.at = look;
	}
	ask_llc(a, &s, o, l->q->sectors, 0);
	return out;
}

/* ---- instructions ---- */

/* Cycles in which the sectors of n lines enter the L1: in descending order, each cycle up to the first whose bank another one
 * has taken, however idle the other banks are (as in l1_step.c). */
static uint32_t entry_cycles(const struct ct_replay *r, const struct ct_line_request *q, unsigned n)
{
	uint32_t cycles = 1, used = 0;
	for (unsigned i = 0; i < n; i++)
		for (uint32_t left = q[i].sectors; left;) {
			uint32_t s = ct_high_bit(left);
			uint32_t bank = 1u << ct_modulo(q[i].line * r->l1_sectors + s, r->banks);
			left ^= 1u << s;
			cycles += (used & bank) != 0;
			used = used & bank ? bank : used | bank;
		}
	return cycles;
}

/* The same where sectors and banks have the same numbers. */
static uint32_t usual_entry_cycles(const struct ct_line_request *q, unsigned n)
{
	uint32_t cycles = 1, used = 0;
	for (unsigned i = 0; i < n; i++) {
		uint32_t left = q[i].sectors, taken;
		for (; (taken = left & used); cycles++) {
			left &= (2u << ct_high_bit(taken)) - 1;
			used = 0;
		}
		used |= left;
	}
	return cycles;
}

uint32_t rp_quick_unit_cycles(const struct ct_replay *r, const struct rp_op *op,
                              const struct ct_inst *inst, const struct ct_line_request *q, unsigned n,
                              uint32_t *more)
{
	*more = 0;
	if (!op->bypass)
		return r->banks == r->l1_sectors ? usual_entry_cycles(q, n) : entry_cycles(r, q, n);
	uint32_t sectors = rp_direct_sectors(r, op, inst, q, n, more);
	return sectors + *more;
}

/* The further transactions of an atomic, spread over its sectors in turn. They are accesses of the lines whose groups are the
 * last n, not of lines of their own. */
static void repeat_atomic(struct access *a, struct way_out *o, const struct ct_line_request *q,
                          unsigned n, uint32_t more, uint32_t at)
{
	const uint32_t end = o->group;
	o->per = 1;
	while (more)
		for (unsigned i = 0; i < n && more; i++) {
			uint32_t left = q[i].sectors, take = 0;
			for (; left && more; left &= ~(1u << ct_high_bit(left)), more--)
				take |= 1u << ct_high_bit(left);
			o->group = end - n + i;
			ask_of_group(
				a,
				&(struct ask){
					.q = &q[i], .kind = RP_PK_ATOMIC, .at = at, .line = RP_LRU_NONE},
				o, take, 0, 0);
		}
	o->group = end;
}

/* The lines of a load enter the L1 evenly over the cycles that it keeps the unit, from `start` on;
 * returns when what is known of it is back. */
static CT_INLINE uint32_t load_lines(struct access *a, const struct rp_quick_access *w,
                                     const struct rp_look *look, uint32_t start, int usual)
{
	struct way_out o = way_out(a, usual);
	struct rp_tally tally = {0};
	uint32_t last = 0, n = w->n;
	/* busy / n, rounded up, in 2^-32 cycles: so many times n of it round down to the right cycle */
	uint64_t each = ((uint64_t)w->busy << 32) / n + 1, enter = (uint64_t)start << 32;
	for (uint32_t i = 0; i < n; i++, enter += each) {
		struct rp_outcome out = load_line(a, &o, &look[i], (uint32_t)(enter >> 32), usual);
		last = rp_max32(last, out.back);
		tally.asked += rp_count_of[look[i].q->sectors & 0xff];
		if (out.missing | out.pending)
			rp_tally_misses(&tally, &out);
		if (a->r->has_l1)
			rp_observe_line(a->r, a->sm, w->warp, a->op, w->sid, start, look[i].q, &out);
	}
	all_asked(a, &o);
	rp_tally_count(a->sm, &tally, n, 0);
	return last;
}

/* The same of other instructions; what goes past the L1 leaves in turn. */
static void send_lines(struct access *a, const struct rp_quick_access *w, const struct rp_look *look,
                       uint32_t start)
{
	struct way_out o = way_out(a, 0);
	o.repeats = w->more != 0;
	struct rp_tally tally = {0};
	uint32_t n = w->n, bypass = a->op->bypass;
	uint64_t each = bypass ? 0 : ((uint64_t)w->busy << 32) / n + 1, enter = (uint64_t)start << 32;
	for (uint32_t i = 0; i < n; i++, enter += each) {
		struct rp_outcome out = send_line(a, &o, &look[i], (uint32_t)(enter >> 32));
		if (!bypass)
			rp_tally_add(&tally, look[i].q->sectors, &out);
		if (a->r->has_l1)
			rp_observe_line(a->r, a->sm, w->warp, a->op, w->sid, start, look[i].q, &out);
	}
	if (w->more)
		repeat_atomic(a, &o, look[0].q, n, w->more, start);
	all_asked(a, &o);
	if (!bypass)
		rp_tally_count(a->sm, &tally, n, 1);
}

/* A global or local instruction, which asks for those lines, enters the L1 in cycle `start`; returns when what is known of it
 * is back. */
static CT_INLINE uint32_t access_lines(struct access *a, const struct rp_quick_access *w,
                                       const struct ct_line_request *q, uint32_t start)
{
	struct rp_look look[CT_MAX_LINES_PER_INST];
	uint32_t n = w->n, last = w->issued + 2;
	if (make_request_room(a, n * a->r->l1_sectors * a->r->llc_per_l1 + w->more) < 0)
		return last;
	rp_look_prefetch(a->r, &a->sm->cache.lru, q, n, look);
	if (a->op->bypass || a->op->kind == RP_STORE)
		send_lines(a, w, look, start);
	else if (a->r->usual_memory)
		last = rp_max32(last, load_lines(a, w, look, start, 1));
	else
		last = rp_max32(last, load_lines(a, w, look, start, 0));
	return last;
}

/* The record of the instruction, which has issued in cycle `at`, as what it waits for is known. */
static void note_record(const struct access *a, uint32_t at, uint32_t back, uint32_t group)
{
	a->q->inst[a->inst] = (struct rp_quick_inst){
		.op = a->op,
		.issued = at,
		.back = back,
		.left = a->left,
		.group = group,
		.sid = a->sid,
		.warp = (uint16_t)a->warp,
	};
}

/* The instruction waits for something: nobody knows when its results are there. */
static void leave_waiting(struct access *a, uint32_t at, uint32_t back)
{
	struct rp_warp *w = &a->sm->warp[a->warp];
	note_record(a, at, back, w->wait.group);
	w->open++;
	for (unsigned i = 0; i < a->op->ndst; i++)
		w->regs[a->op->dst[i]] = RP_NEVER;
	if (a->op->effect) {
		ct_warp_effect(&w->wait, (enum ct_warp_effect)a->op->effect, 0);
		rp_update_held(w);
	}
}

/* The instruction's end is known. */
static CT_INLINE void set_results(struct rp_sm *sm, uint32_t warp, const struct rp_op *op, uint32_t back)
{
	rp_results_at(sm, warp, op, sm->warp[warp].wait.group, back, back - RP_SEEN_BEFORE);
}

static CT_INLINE void begin_access(struct access *a, struct ct_replay *r, struct rp_sm *sm,
                                   uint32_t warp, const struct rp_op *op, uint32_t sid)
{
	a->r = r;
	a->sm = sm;
	a->q = sm->quick;
	a->op = op;
	a->epoch = (uint32_t)(r->base - r->epoch);
	a->warp = warp;
	a->sid = sid;
	a->inst = RP_NO_INDEX;
	a->left = 0;
}

/* The unit takes the instruction, which asks for those lines. */
static CT_INLINE void take_from_place(struct access *a, const struct rp_quick_wait *p,
                                      const struct ct_line_request *q)
{
	const struct rp_quick_access *w = &p->access;
	uint32_t had = a->inst = w->inst;
	uint32_t at = rp_max32(w->issued, a->sm->now);
	uint32_t start = a->q->unit[p->place] = take_unit(a->r, a->sm, at + TO_UNIT, w->busy);
	uint32_t back = access_lines(a, w, q, start);
	if (had != RP_NO_INDEX) {
		a->q->inst[had].left += a->left;
		rp_quick_one_back(a->r, a->sm, had, back);
	} else if (a->inst != RP_NO_INDEX) {
		leave_waiting(a, w->issued, back);
	} else {
		if (a->op->kind != RP_STORE)
			a->sm->c.mem_latency_sum += back - w->issued;
		a->sm->warp[a->warp].back = a->sid;
		a->sm->warp[a->warp].fetched = rp_max32(a->sm->warp[a->warp].fetched, back);
		set_results(a->sm, a->warp, a->op, back);
	}
}

uint32_t rp_quick_enter(struct ct_replay *r, struct rp_sm *sm, struct rp_quick_access *w,
                        const struct ct_line_request *lines, uint32_t group, uint32_t at)
{
	struct access a;
	begin_access(&a, r, sm, w->warp, w->op, w->sid);
	uint32_t back = access_lines(&a, w, lines, at);
	w->inst = a.inst;
	if (a.inst != RP_NO_INDEX)
		note_record(&a, w->issued, back, group);
	return back;
}

int rp_quick_unit_blocked(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_quick_sm *q = sm->quick;
	q->leaves = q->full_banks ? rp_quick_send(r, sm, sm->now + TO_UNIT + 1) : 0;
	if (!q->leaves || !q->full_banks)
		return q->leaves = 0;
	q->leaves -= q->leaves == RP_NEVER ? 0 : TO_UNIT;
	return 1;
}

/* First cycle in which an instruction can issue that neither the tags nor those before it in the unit
 * keep waiting. */
static CT_INLINE uint32_t unit_free_at(const struct ct_replay *r, const struct rp_sm *sm)
{
	const struct rp_quick_sm *q = sm->quick;
	uint32_t lead = r->g.l1_latency + TO_UNIT;
	return rp_max32(rp_max32(q->l1_free > lead ? q->l1_free - lead : 0, q->leaves),
	                sm->lsu_free > TO_UNIT ? sm->lsu_free - TO_UNIT : 0);
}

uint32_t rp_quick_unit_next(const struct ct_replay *r, const struct rp_sm *sm)
{
	return sm->quick->stuck ? RP_NEVER : rp_max32(unit_free_at(r, sm), sm->now);
}

void rp_quick_unit_take(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t places = q->rings * q->depth;
	uint32_t i = q->wait_next >= q->nwait ? q->wait_next - q->nwait
	                                      : q->wait_next + places - q->nwait;
	struct access a;
	const struct rp_quick_access *w = &q->wait[i].access;
	begin_access(&a, r, sm, w->warp, w->op, w->sid);
	q->nwait--;
	take_from_place(&a, &q->wait[i], q->wait[i].lines);
}

/* The n lines of a global or local instruction wait for the unit, or are taken at once: what would not
 * get past the tags within this window waits for a later one, since other SMs' requests come before
 * it. */
static CT_INLINE void wait_in_place(struct access *a, const struct ct_line_request *lines, uint32_t n,
                                    uint32_t at)
{
	struct rp_quick_sm *q = a->q;
	struct rp_quick_wait *p = &q->wait[q->wait_next];
	struct rp_quick_access *w = &p->access;
	const struct ct_inst *inst = &a->sm->next[a->warp].inst;
	w->op = a->op;
	w->issued = at;
	w->sid = inst->sid;
	w->warp = a->warp;
	w->n = n;
	w->inst = RP_NO_INDEX;
	w->busy = rp_quick_unit_cycles(a->r, a->op, inst, lines, n, &w->more);
	p->place = rp_quick_place_take(q, a->sm->warp[a->warp].sub);
	q->wait_next = rp_ring_after(q->wait_next, q->rings * q->depth);
	if (a->op->kind != RP_STORE)
		a->sm->c.mem_latency_count++;
	if (!q->nwait && !q->stuck && !rp_quick_unit_blocked(a->r, a->sm) &&
	    unit_free_at(a->r, a->sm) < q->end) {
		take_from_place(a, p, lines);
		return;
	}
	if (take_record(a) < 0)
		return;
	memcpy(p->lines, lines, n * sizeof *lines);
	a->left++;
	w->inst = a->inst;
	q->unit[p->place] = RP_NEVER;
	q->nwait++;
	leave_waiting(a, at, at + 2);
}

void rp_quick_shared(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	uint32_t degree = rp_max32(rp_conflict_degree(r, &sm->next[warp].inst), 1);
	uint32_t start = take_unit(r, sm, at + TO_UNIT, degree);
	set_results(sm, warp, sm->warp[warp].op, start + degree + r->g.shmem_latency);
}

void rp_quick_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	const struct rp_op *op = sm->warp[warp].op;
	struct access a;
	uint32_t lanes = 0, n = rp_lines_of(r, sm, warp, op->s, &sm->next[warp].inst, r->g.l1.line,
	                                    r->g.l1.sector, r->quick->lines, &lanes);
	if (n) {
		begin_access(&a, r, sm, warp, op, sm->next[warp].inst.sid);
		wait_in_place(&a, r->quick->lines, n, at);
	} else if (lanes) {
		rp_quick_shared(r, sm, warp, at);
	} else { /* none is active: a slot and nothing else */
		uint32_t back = take_unit(r, sm, at + TO_UNIT, 1) + 1;
		if (op->kind != RP_STORE) {
			sm->c.mem_latency_count++;
			sm->c.mem_latency_sum += back - at;
		}
		set_results(sm, warp, op, back);
	}
}

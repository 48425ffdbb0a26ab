/* Memory instructions of the quick replay up to the network: the load/store unit, the L1 and its
 * MSHR, and what is asked of the LLC (accelsim-model.md 5 and 6). */
#include <string.h>

#include "replay/private/lines.h"
#include "replay/private/quick.h"
#include "replay/private/step.h"

enum { TO_UNIT = 4 /* cycles from issue to the load/store unit */ };

/* A memory instruction at work, in cycles of the launch. */
struct access {
	struct ct_replay *r;
	struct rp_sm *sm;
	struct rp_quick_sm *q;
	const struct rp_op *op;
	uint32_t epoch;          /* what due cycles are ahead of them by */
	uint32_t warp;
	uint32_t inst, left;     /* the record of what it waits for, RP_NO_INDEX: nothing; how much */
};

/* ---- room for what an instruction may write down: twice as much, of the pool, with what it had ---- */

static int grow_requests(struct access *a)
{
	struct rp_quick_sm *q = a->q;
	uint32_t cap = 2 * (q->req_mask + 1);
	struct rp_quick_req *p = ct_pool_take(&a->r->pool, cap, sizeof *p);
	if (!p)
		return -1;
	for (uint32_t i = q->asked - q->req_mask - 1; i != q->asked; i++)
		p[i & (cap - 1)] = q->req[i & q->req_mask];
	q->req = p;
	q->req_mask = cap - 1;
	return 0;
}

static int grow_insts(struct access *a)
{
	struct rp_quick_sm *q = a->q;
	uint32_t n = q->insts ? 2 * q->insts : 64;
	struct rp_quick_inst *p = ct_pool_take(&a->r->pool, n, sizeof *p);
	if (!p)
		return -1;
	if (q->insts)
		memcpy(p, q->inst, q->insts * sizeof *p);
	q->inst = p;
	for (uint32_t i = n; i-- > q->insts;) {
		p[i].next = q->inst_free;
		q->inst_free = i;
	}
	q->insts = n;
	return 0;
}

static int grow_joined(struct access *a)
{
	struct rp_quick_sm *q = a->q;
	uint32_t n = q->njoined ? 2 * q->njoined : 64;
	struct rp_quick_joined *p = ct_pool_take(&a->r->pool, n, sizeof *p);
	if (!p)
		return -1;
	if (q->njoined)
		memcpy(p, q->joined, q->njoined * sizeof *p);
	q->joined = p;
	for (uint32_t i = n; i-- > q->njoined;) {
		p[i].next = q->joined_free;
		q->joined_free = i;
	}
	q->njoined = n;
	return 0;
}

static int no_memory(struct access *a)
{
	a->sm->failed = 1;
	return rp_fail(a->r, CT_ERR_NOMEM, "out of memory");
}

/* Room for n more requests, besides those for an L1 sector of which the last is not back. */
RP_HOT int room(struct access *a, uint32_t n)
{
	struct rp_quick_sm *q = a->q;
	while (q->asked - q->served + n + a->r->llc_per_l1 > q->req_mask)
		if (grow_requests(a) < 0)
			return no_memory(a);
	return 0;
}

/* The instruction waits for n more things. */
RP_HOT int wait_for(struct access *a, uint32_t n)
{
	struct rp_quick_sm *q = a->q;
	a->left += n;
	if (a->inst != RP_NO_INDEX)
		return 0;
	if (q->inst_free == RP_NO_INDEX && grow_insts(a) < 0)
		return no_memory(a);
	a->inst = q->inst_free;
	q->inst_free = q->inst[a->inst].next;
	return 0;
}

/* ---- the load/store unit and the tags ---- */

/* First cycle of the unit from t on, which the instruction keeps for n. */
RP_HOT uint32_t unit_at(struct access *a, uint32_t t, uint32_t n)
{
	struct rp_quick_sm *q = a->q;
	uint32_t latency = a->r->g.l1_latency;
	a->sm->c.l1_busy += n;
	/* what the tags hold up fills the pipeline in front of them */
	if (q->l1_free > t + latency)
		t = q->l1_free - latency;
	uint32_t at = (uint32_t)rp_calendar_take_more(&q->lsu, a->sm->now, t, n);
	a->sm->lsu_free = rp_max32(a->sm->lsu_free, at + n);
	return at;
}

/* Cycle in which what enters the L1 in `at` meets the tags: behind what they hold up. */
RP_HOT uint32_t tags_at(const struct access *a, uint32_t at)
{
	return rp_max32(at + a->r->g.l1_latency, a->q->l1_free);
}

/* ---- requests ---- */

/* What the requests for the sectors of a line have in common. */
struct ask {
	struct rp_look *l;
	enum rp_packet_kind kind;
	uint32_t at;             /* at the tags, or at the load/store unit */
	uint32_t line;           /* of the L1, RP_LRU_NONE: nothing is filled */
	struct rp_entry *e;      /* the same */
};

/* What changes from one request of the SM to the next. */
struct way_out { uint32_t l1_free, missq, taken, asked; };

/* A sector misses, or is stored, at the tags in cycle `at` at the earliest: cycle in which it does
 * with room in the miss queue and, for a load, an MSHR entry, unless nobody knows when one is free:
 * *limited. */
RP_HOT uint32_t miss_at(const struct access *a, struct way_out *o, uint32_t at, int store,
                        uint8_t *limited)
{
	struct rp_quick_sm *q = a->q;
	uint32_t t = rp_max32(at, o->l1_free), look = t;
	uint32_t queue = a->r->g.l1.miss_queue - !store; /* entries in it must be fewer */
	if (o->missq >= t + queue)
		t = o->missq - queue + 1;
	if (!store) {
		uint32_t until = q->mshr[(o->taken - a->r->g.l1.mshr_entries) & q->mshr_mask];
		if (until == RP_NEVER) {
			*limited = 1;
			q->stuck++;
		} else {
			t = rp_max32(t, until);
		}
	}
	if (t > look)
		o->l1_free = t;
	return t;
}

/* The requests for sector k of the line. */
RP_HOT void ask_sector(const struct access *a, const struct ask *s, struct way_out *o, uint32_t k,
                       uint64_t sector, uint32_t group, int keep_bytes)
{
	struct rp_quick_sm *q = a->q;
	uint32_t n = a->r->llc_per_l1, from = s->at, bypass = s->kind > RP_PK_STORE;
	uint8_t limited = 0;
	if (!bypass)
		from = miss_at(a, o, from, s->kind == RP_PK_STORE, &limited);
	if (s->e) {
		q->mshr[o->taken & q->mshr_mask] = RP_NEVER;
		s->e->due[k] = RP_DUE_ASKED | o->asked;
		q->merged[s->line * a->r->l1_sectors + k] = 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct rp_quick_req *p = &q->req[o->asked++ & q->req_mask];
		/* what bypasses the L1 has no queue to pass */
		o->missq = rp_max32(o->missq, from - bypass) + 1;
		p->sector = sector + i;
		p->ready = o->missq + 1;
		p->llc_set = s->l->llc_set;
		p->inst = a->inst;
		p->line = s->line;
		p->group = (uint16_t)group;
		p->joined = RP_NO_INDEX;
		p->slice = (uint16_t)s->l->slice;
		p->kind = (uint8_t)s->kind;
		p->k = (uint8_t)k;
		p->before = (uint8_t)i;
		p->limited = limited;
		if (keep_bytes)
			p->bytes = rp_bytes_of(s->l->q, k);
		limited = 0;
	}
	o->taken += s->e != NULL;
}

/* Asks the slice for the masked sectors of a line. */
RP_HOT void ask(struct access *a, const struct ask *s, uint32_t sectors)
{
	struct ct_replay *r = a->r;
	struct rp_quick_sm *q = a->q;
	struct ct_replay_counts *c = &a->sm->c;
	uint32_t n = rp_count_of[sectors & 0xff], store = s->kind == RP_PK_STORE;
	uint32_t group = a->sm->group++, shift = r->l1_sector_bits - r->llc_sector_bits;
	uint64_t first = s->l->q->line << r->l1_line_bits >> r->llc_sector_bits;
	struct way_out o = {q->l1_free, a->sm->missq_last, q->taken, q->asked};
	if (wait_for(a, n * r->llc_per_l1) < 0)
		return;
	if (!s->l->placed)
		rp_look_place(r, s->l);
	for (uint32_t left = sectors; left; left &= left - 1) {
		uint32_t k = ct_low_bit(left);
		ask_sector(a, s, &o, k, first + ((uint64_t)k << shift), group, store || r->has_llc);
	}
	q->l1_free = o.l1_free;
	a->sm->missq_last = o.missq;
	q->taken = o.taken;
	q->asked = o.asked;
	n *= r->llc_per_l1;
	c->llc_line_accesses++;
	c->llc_accesses += n;
	c->llc_read_accesses += store ? 0 : n;
}

/* ---- the L1 ---- */

/* The load waits for a sector that is on its way, due in that cycle. */
RP_HOT uint32_t join(struct access *a, uint32_t line, uint32_t k, uint32_t due)
{
	struct rp_quick_sm *q = a->q;
	uint8_t *n = &q->merged[line * a->r->l1_sectors + k];
	if (*n >= a->r->g.l1.mshr_merge) { /* tried again until it hits */
		q->l1_free = rp_max32(q->l1_free, due);
		return due;
	}
	*n += *n < UINT8_MAX;
	return (uint32_t)rp_calendar_take(&q->write_back, a->sm->now, due + 1);
}

/* The same where nobody knows when. */
RP_HOT void join_asked(struct access *a, uint32_t line, uint32_t k, uint32_t number)
{
	struct rp_quick_sm *q = a->q;
	uint8_t *n = &q->merged[line * a->r->l1_sectors + k];
	struct rp_quick_req *p = &q->req[number & q->req_mask];
	if (wait_for(a, 1) < 0 || (q->joined_free == RP_NO_INDEX && grow_joined(a) < 0 && no_memory(a) < 0))
		return;
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

/* Outcome of a load's sectors; those that are not there are on their way afterwards. */
RP_HOT struct rp_outcome load(struct access *a, struct rp_look *l, uint32_t at)
{
	struct rp_sm *sm = a->sm;
	const struct ct_line_request *q = l->q;
	uint32_t look = tags_at(a, at), last = look, valid = 0, pending = 0, i = l->near, had = 0;
	struct rp_entry *e = NULL;
	if (i != RP_LRU_NONE) { /* else it is absent: nobody but this instruction has been here since */
		i = rp_lru_find_near(&sm->lru, l->set, q->line, i);
		had = i != RP_LRU_NONE;
	}
	if (had) {
		e = rp_lru_at(&sm->lru, i);
		valid = rp_lru_hits(e) & q->sectors;
		rp_lru_touch(&sm->lru, rp_lru_set_of(&sm->lru, i), i, at);
	}
	for (uint32_t left = valid; left; left &= left - 1) {
		uint32_t s = ct_low_bit(left), due = e->due[s];
		if (due <= a->epoch + look)
			continue;
		if (!a->q->stuck) /* else the tags are held up, probably until it is there */
			pending |= 1u << s;
		if (due & RP_DUE_ASKED)
			join_asked(a, i, s, due & ~RP_DUE_ASKED);
		else
			last = rp_max32(last, join(a, i, s, due - a->epoch));
	}
	uint32_t missing = q->sectors & ~valid;
	if (missing) {
		if (!had) {
			i = rp_make_room(a->r, sm, q->line, at);
			rp_log_line(a->r, sm, q->line, at, RP_LOG_FILL);
			e = rp_lru_at(&sm->lru, i);
		}
		ask(a, &(struct ask){.l = l, .kind = RP_PK_READ, .at = look, .line = i, .e = e}, missing);
		rp_lru_fill(e, missing);
	}
	return (struct rp_outcome){.back = last, .pending = pending, .missing = missing, .had = (int)had};
}

/* One line. */
RP_HOT struct rp_outcome access_line(struct access *a, struct rp_look *l, uint32_t at)
{
	struct rp_outcome o = {0};
	if (!a->op->bypass && a->op->kind != RP_STORE)
		return load(a, l, at);
	struct ask s = {.l = l, .kind = rp_bypass_kind(a->op), .at = at, .line = RP_LRU_NONE};
	if (!a->op->bypass) {
		s.at = tags_at(a, at);
		o = rp_store_line(a->r, a->sm, l, at);
	}
	ask(a, &s, l->q->sectors);
	return o;
}

/* ---- instructions ---- */

/* Cycles that the instruction keeps the unit: of one that goes past the L1 the sectors, and what lanes
 * of an atomic that meet in a sector add, which is left in *more. */
static uint32_t unit_cycles(const struct ct_replay *r, const struct rp_op *op,
                            const struct ct_inst *inst, const struct ct_line_request *q, unsigned n,
                            uint32_t *more)
{
	uint32_t sectors = 0, all = 0;
	*more = 0;
	if (!op->bypass)
		return rp_bank_cycles(r, q, n);
	for (unsigned i = 0; i < n; i++)
		sectors += ct_bits(q[i].sectors);
	if (op->kind == RP_ATOMIC)
		all = ct_atomic_transactions(r->kernel, op->s, inst, r->g.llc.sector);
	*more = all > sectors ? all - sectors : 0;
	return sectors + *more;
}

/* The further transactions of an atomic, spread over its sectors in turn. */
static void again(struct access *a, struct rp_look *look, unsigned n, uint32_t more, uint32_t at)
{
	while (more)
		for (unsigned i = 0; i < n && more; i++) {
			uint32_t left = look[i].q->sectors, take = 0;
			for (; left && more; left &= ~(1u << ct_high_bit(left)), more--)
				take |= 1u << ct_high_bit(left);
			ask(a, &(struct ask){.l = &look[i], .kind = RP_PK_ATOMIC, .at = at, .line = RP_LRU_NONE},
			    take);
			a->sm->c.llc_line_accesses--; /* the line has been counted */
		}
}

/* The unit takes a global or local instruction in cycle t at the earliest; returns when what is known
 * of it is back. */
RP_HOT uint32_t access_lines(struct access *a, const struct rp_quick_wait *w, uint32_t t,
                             uint32_t *taken)
{
	struct rp_look look[CT_MAX_LINES_PER_INST];
	uint32_t n = w->n, bypass = a->op->bypass, start = *taken = unit_at(a, t, w->busy);
	uint32_t last = w->issued + 2;
	struct rp_tally tally = {0};
	if (room(a, (n * a->r->l1_sectors + w->more) * a->r->llc_per_l1) < 0)
		return last;
	rp_look_near(a->r, &a->sm->lru, w->q, n, look);
	/* busy / n, rounded up, in 2^-32 cycles: so many times n of it round down to the right cycle */
	uint64_t each = bypass ? 0 : ((uint64_t)w->busy << 32) / n + 1, enter = (uint64_t)start << 32;
	for (unsigned i = 0; i < n; i++) {
		/* they enter the L1 evenly over those cycles, or leave in turn */
		struct rp_outcome o = access_line(a, &look[i], (uint32_t)(enter >> 32));
		enter += each;
		last = rp_max32(last, o.back);
		if (!bypass)
			rp_tally_add(&tally, w->q[i].sectors, &o);
		if (a->r->has_l1)
			rp_observe_line(a->r, a->sm, w->warp, a->op, w->sid, start, &w->q[i], &o);
	}
	if (w->more)
		again(a, look, n, w->more, start);
	if (!bypass)
		rp_tally_count(a->sm, &tally, n, a->op->kind == RP_STORE);
	return last;
}

/* The instruction waits for something: nobody knows when its results are there. */
static void leave_open(struct access *a, uint32_t at, uint32_t back)
{
	struct rp_warp *w = &a->sm->warp[a->warp];
	a->q->inst[a->inst] = (struct rp_quick_inst){
		.op = a->op, .issued = at, .back = back, .left = a->left, .group = w->group,
		.warp = (uint16_t)a->warp,
	};
	w->open++;
	for (unsigned i = 0; i < a->op->ndst; i++)
		w->regs[a->op->dst[i]] = RP_NEVER;
	w->atomics += a->op->kind == RP_ATOMIC;
	if (a->op->kind == RP_ASYNC)
		a->q->async[a->warp][w->group % RP_GROUPS]++;
}

/* The instruction's end is known. */
RP_HOT void finish(struct access *a, uint32_t back)
{
	struct rp_warp *w = &a->sm->warp[a->warp];
	rp_results_at(w, a->op, w->group, back, back - RP_SEEN_BEFORE);
}

RP_HOT void begin(struct access *a, struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                  const struct rp_op *op)
{
	a->r = r;
	a->sm = sm;
	a->q = sm->quick;
	a->op = op;
	a->epoch = (uint32_t)(r->base - r->epoch);
	a->warp = warp;
	a->inst = RP_NO_INDEX;
	a->left = 0;
}

/* The unit takes the instruction of that place. */
RP_HOT void take(struct access *a, uint32_t place)
{
	struct rp_quick_wait *w = &a->q->wait[place];
	uint32_t had = a->inst = w->inst;
	uint32_t at = rp_max32(w->issued, a->sm->now);
	uint32_t back = access_lines(a, w, at + TO_UNIT, &a->q->unit[place]);
	if (had != RP_NO_INDEX) {
		a->q->inst[had].left += a->left;
		rp_quick_back(a->sm, had, back);
	} else if (a->inst != RP_NO_INDEX) {
		leave_open(a, w->issued, back);
	} else {
		if (a->op->kind != RP_STORE)
			a->sm->c.mem_latency_sum += back - w->issued;
		finish(a, back);
	}
}

/* First cycle in which an instruction can issue that neither the tags nor those before it in the unit
 * keep waiting. */
RP_HOT uint32_t free_at(const struct ct_replay *r, const struct rp_sm *sm)
{
	uint32_t tags = sm->quick->l1_free, lead = r->g.l1_latency + TO_UNIT;
	return rp_max32(tags > lead ? tags - lead : 0, sm->lsu_free > TO_UNIT ? sm->lsu_free - TO_UNIT : 0);
}

/* What has not been moved by the network fills its queues and those before it. */
RP_HOT int backed_up(const struct rp_quick_sm *q)
{
	return q->stuck || q->asked - q->served > RP_NET_QUEUE;
}

uint32_t rp_quick_unit_next(const struct ct_replay *r, const struct rp_sm *sm)
{
	return backed_up(sm->quick) ? RP_NEVER : rp_max32(free_at(r, sm), sm->now);
}

void rp_quick_unit_take(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t place = q->place >= q->nwait ? q->place - q->nwait : q->place + q->places - q->nwait;
	struct access a;
	begin(&a, r, sm, q->wait[place].warp, q->wait[place].op);
	q->nwait--;
	take(&a, place);
}

/* The lines of a global or local instruction wait for the unit, or are taken at once: what would not
 * get past the tags within this window waits for a later one, since other SMs' requests come before
 * it. */
RP_HOT void wait_in_place(struct access *a, uint32_t at)
{
	struct rp_quick_sm *q = a->q;
	uint32_t place = q->place;
	struct rp_quick_wait *w = &q->wait[place];
	const struct ct_inst *inst = &a->sm->next[a->warp].inst;
	w->op = a->op;
	w->issued = at;
	w->sid = inst->sid;
	w->warp = a->warp;
	w->inst = RP_NO_INDEX;
	w->busy = unit_cycles(a->r, a->op, inst, w->q, w->n, &w->more);
	q->place = rp_quick_after(place, q->places);
	if (a->op->kind != RP_STORE)
		a->sm->c.mem_latency_count++;
	if (!q->nwait && !backed_up(q) && free_at(a->r, a->sm) < q->end) {
		take(a, place);
		return;
	}
	if (wait_for(a, 1) < 0)
		return;
	w->inst = a->inst;
	q->unit[place] = RP_NEVER;
	q->nwait++;
	leave_open(a, at, at + 2);
}

void rp_quick_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	struct rp_quick_wait *w = &sm->quick->wait[sm->quick->place];
	struct access a;
	uint32_t lanes = 0;
	begin(&a, r, sm, warp, sm->warp[warp].op);
	if (!a.op->shared) {
		w->n = rp_lines_of(r, sm, warp, w->q, &lanes);
		if (w->n) {
			wait_in_place(&a, at);
			return;
		}
	}
	if (!a.op->shared && !lanes) { /* none is active: a slot and nothing else */
		uint32_t back = unit_at(&a, at + TO_UNIT, 1) + 1;
		if (a.op->kind != RP_STORE) {
			sm->c.mem_latency_count++;
			sm->c.mem_latency_sum += back - at;
		}
		finish(&a, back);
	} else {
		uint32_t degree = rp_max32(rp_degree(r, &sm->next[warp].inst), 1);
		finish(&a, unit_at(&a, at + TO_UNIT, degree) + degree + r->g.shmem_latency);
	}
}

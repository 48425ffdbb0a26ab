/* An SM of quick timing whose warps are in step: its schedulers, operand collectors and units go from cycle to cycle, as those
 * of full timing do, while its L1 and what is behind that stay those of quick timing.
 *
 * A warp that runs ahead does not see who keeps whom from a collector: where warps wait for units and schedulers rather than for
 * memory, that decides how long a kernel takes (cachetriage-replay(7)). There an SM is in step, else its warps run ahead, which
 * takes less time. */
#include <string.h>

#include "replay/private/ahead.h"
#include "replay/private/lsu.h"
#include "replay/private/quick.h"
#include "replay/private/turns.h"

enum {
	WATCH = 512, /* cycles, or a little more, from one decision about the SM's way to the next */
	FIRST_PIECES = 16
};

/* ---- memory instructions ---- */

/* Adds a piece to the list that ends at *link; NULL: out of memory, the run has failed. */
static struct rp_quick_piece *add_piece(struct ct_replay *r, struct rp_sm *sm, uint32_t *link)
{
	struct rp_quick_sm *q = sm->quick;
	if (q->piece_free == RP_NO_INDEX &&
	    rp_table_grow(r, (void **)&q->piece, &q->pieces, FIRST_PIECES, sizeof *q->piece,
	                  offsetof(struct rp_quick_piece, next), &q->piece_free) < 0) {
		sm->failed = 1;
		return NULL;
	}
	*link = q->piece_free;
	struct rp_quick_piece *p = &q->piece[*link];
	q->piece_free = p->next;
	p->next = RP_NO_INDEX;
	return p;
}

/* Keeps the n lines of the instruction until the load/store unit takes it. < 0: out of memory, the run has failed. */
static int keep_lines(struct ct_replay *r, struct rp_sm *sm, uint32_t mem,
                      const struct ct_line_request *lines, uint32_t n)
{
	uint32_t last = RP_NO_INDEX, added;
	for (uint32_t i = 0; i < n; i += RP_QUICK_PIECE) {
		struct rp_quick_piece *p = add_piece(r, sm, &added);
		if (!p)
			return -1;
		memcpy(p->line, lines + i, rp_min32(n - i, RP_QUICK_PIECE) * sizeof *lines);
		if (last == RP_NO_INDEX)
			sm->full.mem[mem].lines = added;
		else
			sm->quick->piece[last].next = added;
		last = added;
	}
	return 0;
}

/* The lines of the instruction in a row, which room is for; its pieces are free afterwards. */
static const struct ct_line_request *
take_lines(struct rp_quick_sm *q, const struct rp_mem *m, struct ct_line_request *room)
{
	for (uint32_t i = m->lines, n = 0, next; i != RP_NO_INDEX; i = next, n += RP_QUICK_PIECE) {
		struct rp_quick_piece *p = &q->piece[i];
		memcpy(room + n, p->line, rp_min32(m->left - n, RP_QUICK_PIECE) * sizeof *room);
		next = p->next;
		p->next = q->piece_free;
		q->piece_free = i;
	}
	return room;
}

/* In the record `left` counts lines, and `last` further transactions of an atomic. */
uint32_t rp_quick_mem_new(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
                          const struct ct_inst *inst, uint32_t now)
{
	struct ct_line_request *lines = r->quick->lines;
	uint32_t lanes = 0, id = rp_mem_take(r, sm, warp, op, inst, now);
	if (id == RP_NO_INDEX)
		return RP_NO_INDEX;
	struct rp_mem *m = &sm->full.mem[id];
	uint32_t n = rp_lines_of(r, sm, warp, op->s, inst, r->g.l1.line, r->g.l1.sector, lines, &lanes);
	if (!n && lanes) {
		m->shared = 1;
		m->degree = (uint8_t)rp_conflict_degree(r, inst);
		return id;
	}
	m->left = n;
	m->busy = 1;
	if (op->kind != RP_STORE)
		sm->c.mem_latency_count++;
	if (n)
		m->busy = rp_quick_unit_cycles(r, op, inst, lines, n, &m->last);
	return keep_lines(r, sm, id, lines, n) < 0 ? RP_NO_INDEX : id;
}

/* The end of a memory instruction is known: cycle `back`. */
static void end_access(struct rp_sm *sm, const struct rp_mem *m, uint32_t back)
{
	struct rp_warp *w = &sm->warp[m->warp];
	const struct rp_op *op = m->op;
	if (op->kind == RP_STORE) {
		w->done = rp_max32(w->done, back);
		return;
	}
	w->open--;
	w->back = m->sid;
	sm->c.mem_latency_sum += back - m->issued;
	rp_quick_results(sm, m->warp, op, m->group, back);
}

/* The load/store unit has taken the instruction in cycle `taken`: its lines enter the L1 from the next one on. */
static void enter_lines(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t taken)
{
	struct rp_mem *m = &sm->full.mem[mem];
	struct rp_warp *w = &sm->warp[m->warp];
	uint32_t back = taken + 2;
	struct rp_quick_access a = {
		.op = m->op,
		.issued = m->issued,
		.inst = RP_NO_INDEX,
		.sid = m->sid,
		.busy = m->busy,
		.more = m->last,
		.warp = m->warp,
		.n = m->left,
	};
	if (m->kind == RP_STORE)
		w->stores--; /* what it asks for has a record of its own */
	if (a.n) {
		const struct ct_line_request *q = take_lines(sm->quick, m, r->quick->lines);
		back = rp_quick_enter(r, sm, &a, q, m->group, taken + 1);
	}
	if (a.inst == RP_NO_INDEX)
		end_access(sm, m, back);
	else if (m->kind == RP_STORE)
		w->open++;
	rp_mem_unref(sm, mem);
	if (a.inst == RP_NO_INDEX)
		rp_quick_step_wake(r, sm, a.warp);
}

/* An atomic of shared memory goes through the unit in cycle `now`: its warp goes on when it is back. */
static void release_atomic(const struct ct_replay *r, struct rp_sm *sm, const struct rp_mem *m,
                           uint32_t now)
{
	struct rp_warp *w = &sm->warp[m->warp];
	w->wait.atomics--;
	w->born = rp_max32(w->born, now + r->g.shmem_latency + rp_max32(m->degree, 1));
	rp_update_held(w);
}

/* ---- the load/store unit ---- */

/* What has waited for the unit since warps ran ahead goes first. 0: it still waits. */
static int take_older(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	struct rp_quick_sm *q = sm->quick;
	while (q->nwait) {
		uint32_t at = rp_quick_unit_next(r, sm);
		if (at > now || rp_quick_unit_blocked(r, sm)) {
			sm->full.lsu_next = rp_max32(at, now + 1);
			return 0;
		}
		rp_quick_unit_take(r, sm);
	}
	return 1;
}

/* Cycle in which the L1 lets the unit take an instruction with lines, `now` if it does; RP_NEVER: nobody knows. */
static uint32_t l1_takes_at(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t lead = r->g.l1_latency + 1;
	if (q->l1_free > now + lead) /* what the tags hold up fills the pipeline in front of them */
		return q->l1_free - lead;
	if (q->full_banks) {
		uint32_t at = rp_quick_send(r, sm, now + 1);
		if (q->full_banks)
			return rp_max32(at, now + 1);
	}
	return now;
}

/* The tags are held up and nobody knows for how long: instructions that the unit takes fill the pipeline in front of
 * them. 0: it is full. */
static int take_late(const struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t now)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t busy = sm->full.mem[mem].busy;
	if (q->nlate && q->late_busy + busy > r->g.l1_latency)
		return 0;
	q->late[q->nlate++] = (struct rp_quick_late){mem, now};
	q->late_busy += busy;
	return 1;
}

/* The unit takes the instruction that scheduler k has in front of it, in cycle `now`. 0: the L1 does not let it. */
static int take_first(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t mem = sm->full.at_lsu[k];
	const struct rp_mem *m = &sm->full.mem[mem];
	int lines = !m->shared && m->left, held = lines && (q->stuck || q->nlate);
	uint32_t at = lines && !held ? l1_takes_at(r, sm, now) : now;
	if (held && !take_late(r, sm, mem, now))
		at = RP_NEVER;
	if (at > now) {
		sm->full.lsu_next = at;
		return 0;
	}
	sm->full.at_lsu[k] = RP_NO_INDEX;
	sm->full.lsu_takes[k] = RP_NEVER;
	if (m->shared) {
		if (m->kind == RP_ATOMIC)
			release_atomic(r, sm, m, now);
		rp_lsu_shared(r, sm, mem, now);
	} else {
		sm->lsu_free = now + m->busy;
		sm->c.l1_busy += m->busy;
		if (!held)
			enter_lines(r, sm, mem, now);
	}
	rp_collect_lsu_took(r, sm, k, now);
	return 1;
}

/* The unit takes the oldest instructions in front of it that can be taken in cycle `now`. */
static void step_unit(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	if (!take_older(r, sm, now))
		return;
	for (;;) {
		uint32_t k = rp_lsu_choose(sm, r->g.schedulers, now);
		if (k == RP_NO_INDEX)
			break;
		if (!take_first(r, sm, k, now))
			return;
	}
	sm->full.lsu_next = rp_lsu_next_at(sm, r->g.schedulers);
}

/* The tags are not held up any more: what is in front of them goes on. */
static void enter_late(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t n = 0;
	for (; n < q->nlate && !q->stuck; n++) {
		q->late_busy -= sm->full.mem[q->late[n].mem].busy;
		enter_lines(r, sm, q->late[n].mem, q->late[n].taken);
	}
	q->nlate -= n;
	memmove(q->late, q->late + n, q->nlate * sizeof *q->late);
}

/* ---- in step, or not ---- */

/* What an SM that has never been in step does not have. 0, or the run has failed. */
static int make_room(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_full_sm *f = &sm->full;
	struct rp_quick_sm *q = sm->quick;
	if (f->sched)
		return 0;
	f->no_port = (r->free & CT_REPLAY_FREE_L1) != 0;
	q->late = ct_pool_take(&r->pool, (size_t)r->g.l1_latency + 1, sizeof *q->late);
	f->sched = ct_pool_take(&r->pool, r->g.schedulers, sizeof *f->sched);
	if (f->sched && q->late)
		return 0;
	sm->failed = 1;
	return rp_fail(r, CT_ERR_NOMEM, "out of memory");
}

/* Warps that have run ahead are in step from cycle `now` on, or later where they were further ahead. */
static void go_in_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	struct rp_quick_sm *q = sm->quick;
	if (make_room(r, sm) < 0)
		return;
	rp_sched_begin(r, sm);
	for (uint32_t k = 0; k < r->g.schedulers; k++) {
		struct rp_sched *s = &sm->full.sched[k];
		s->upto = s->stepped = now;
		s->last = q->sched[k].last / r->g.schedulers;
		s->active = q->sched[k].active;
	}
	q->in_step = 1;
	q->nheld = q->nlate = q->late_busy = 0;
	memset(q->held_of, 0, sizeof q->held_of);
	rp_warp_queue_clear(&sm->queue);
	for (uint32_t i = 0; i < r->warps; i++) {
		struct rp_warp *w = &sm->warp[i];
		if (!w->live || !w->op)
			continue;
		struct rp_sched *s = &sm->full.sched[w->sub];
		w->parked = 0;
		rp_update_held(w);
		s->of_unit[w->op->unit] |= UINT64_C(1) << w->slot;
		s->live |= UINT64_C(1) << w->slot;
		rp_wake_warp(sm, i, now);
	}
	sm->full.lsu_next = q->nwait ? now : RP_NEVER;
}

/* Whether nothing is in collectors or in front of the tags, and no warp waits for a fence. */
static int can_run_ahead(const struct ct_replay *r, const struct rp_sm *sm)
{
	const struct rp_full_sm *f = &sm->full;
	if (f->parked_units || sm->quick->nlate)
		return 0;
	for (uint32_t k = 0; k < r->g.schedulers; k++)
		if (f->at_lsu[k] != RP_NO_INDEX || f->sched[k].nheld)
			return 0;
	for (uint32_t i = 0; i < r->warps; i++)
		if (sm->warp[i].live && sm->warp[i].wait.fence)
			return 0;
	return 1;
}

/* Warps that were in step run ahead, from cycle `now` on. */
static void run_ahead(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t places = q->rings * q->depth;
	q->in_step = 0;
	for (uint32_t k = 0; k < r->g.schedulers; k++) {
		uint32_t last = sm->full.sched[k].last;
		memset(&q->sched[k], 0, sizeof q->sched[k]);
		q->sched[k].last = last * r->g.schedulers + k;
	}
	for (uint32_t i = 0; !q->nwait && i < places; i++)
		q->unit[i] = 0;
	for (uint32_t i = 0; i < r->warps; i++) {
		struct rp_warp *w = &sm->warp[i];
		w->blocked_since = RP_NEVER;
		w->born = rp_max32(w->born, now);
		if (!w->op)
			w->wait.at_barrier = 0; /* its last instruction; nobody asks for it there */
		if (w->live && w->op)
			rp_quick_go_on(sm, i);
		else
			w->parked = w->live;
	}
}

/* Decides now and then whether the SM is in step: when more than one warp waits for each scheduler or one of its units in the
 * mean, until less than half a one does. Of warps that run ahead that is what their instructions have waited, in step how
 * many could issue when windows ended. */
static void choose_way(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t n = r->g.schedulers;
	q->windows++;
	for (uint32_t k = 0; q->in_step && k < n; k++)
		q->ready += ct_bits(sm->full.sched[k].ready);
	if (now - q->watched_from < WATCH)
		return;
	uint64_t waited = 0;
	for (uint32_t k = 0; k < n; k++) {
		waited += q->sched[k].waited;
		q->sched[k].waited = 0;
	}
	if (!q->in_step && waited > (uint64_t)n * (now - q->watched_from))
		go_in_step(r, sm, now);
	else if (q->in_step && 2 * q->ready < n * q->windows && can_run_ahead(r, sm))
		run_ahead(r, sm, now);
	q->watched_from = now;
	q->windows = q->ready = 0;
}

/* ---- the SM ---- */

void rp_quick_step_begin(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_quick_sm *q = sm->quick;
	q->watched_from = r->first_place;
	q->windows = q->ready = 0;
	if (q->in_step)
		rp_sched_begin(r, sm);
}

void rp_quick_step_wake(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	rp_update_held(w);
	rp_wake_warp(sm, warp, sm->now);
	rp_warp_check_end(r, sm, warp, sm->now);
}

void rp_quick_step_window(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	struct rp_full_sm *f = &sm->full;
	if (!sm->ctas)
		return;
	choose_way(r, sm, end);
	if (!sm->quick->in_step)
		return;
	if (sm->quick->nlate)
		enter_late(r, sm);
	uint32_t at = rp_lsu_next_at(sm, r->g.schedulers);
	if (at != RP_NEVER || sm->quick->nwait)
		f->lsu_next = at == RP_NEVER ? end : rp_max32(at, end);
}

static CT_INLINE uint32_t next_event(const struct ct_replay *r, const struct rp_sm *sm, int usual)
{
	uint32_t t = rp_min32(sm->full.lsu_next, rp_min32(sm->next_free, sm->wipe_at));
	return rp_min32(t, rp_next_turn(r, sm, usual));
}

uint32_t rp_quick_step_next(const struct ct_replay *r, const struct rp_sm *sm)
{
	return next_event(r, sm, 0);
}

/* One cycle: the load/store unit, collectors, schedulers, then CTAs that leave, as in full.c. */
static CT_INLINE void run_cycle(struct ct_replay *r, struct rp_sm *sm, uint32_t now, int usual)
{
	if (sm->wipe_at <= now) {
		sm->wipe_at = RP_NEVER;
		rp_l1_wipe(r, sm, now);
	}
	if (sm->full.lsu_next <= now)
		step_unit(r, sm, now);
	if (sm->full.unpark_at <= now)
		rp_collect_step(r, sm, now);
	rp_take_turns(r, sm, now, usual);
	if (sm->next_free <= now)
		rp_sm_free_slots(r, sm, now);
}

static CT_INLINE void run_until(struct ct_replay *r, struct rp_sm *sm, uint32_t end, int usual)
{
	sm->quick->end = end;
	while (!sm->failed) {
		uint32_t t = next_event(r, sm, usual);
		if (t >= end || (!r->ended && sm->offer < t))
			break;
		sm->now = t;
		run_cycle(r, sm, t, usual);
	}
}

void rp_quick_step_run(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	if (r->usual == RP_USUAL_ONE_LEVEL)
		run_until(r, sm, end, RP_USUAL_ONE_LEVEL);
	else if (r->usual == RP_USUAL_TWO_LEVEL)
		run_until(r, sm, end, RP_USUAL_TWO_LEVEL);
	else
		run_until(r, sm, end, 0);
}

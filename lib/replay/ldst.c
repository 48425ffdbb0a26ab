/* The load/store unit: memory instructions one at a time, in order (doc/replay.md section 5). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/instruction.h"
#include "replay/private/lsu.h"
#include "replay/private/parts.h"

int rp_mem_grow(struct ct_replay *r, struct rp_sm *sm)
{
	int st = rp_table_grow(r, (void **)&sm->full.mem, &sm->full.mem_cap, 64, sizeof *sm->full.mem,
	                       offsetof(struct rp_mem, lines), &sm->full.mem_free);
	sm->failed |= st < 0;
	return st;
}

/* Doubles the table of line requests of an SM. Their numbers stay, since requests on their way hold
 * them. */
static int grow_lreq(struct ct_replay *r, struct rp_sm *sm)
{
	uint32_t cap = sm->full.lreq_cap ? sm->full.lreq_cap * 2 : 256;
	uint32_t *spare = rp_table_copy(
		r, sm->full.lreq_spare.at, sm->full.lreq_cap, cap, sizeof *spare);
	if (spare)
		sm->full.lreq_spare.at = spare;
	struct rp_lreq *p = spare ? rp_table_copy(r, sm->full.lreq, sm->full.lreq_cap, cap, sizeof *p)
	                          : NULL;
	if (!p)
		return sm->failed = 1, r->error.status;
	sm->full.lreq = p;
	for (uint32_t i = cap; i-- > sm->full.lreq_cap;)
		spare[sm->full.lreq_spare.n++] = i;
	sm->full.lreq_cap = cap;
	return 0;
}

/* Adds one line below those already in the list. */
static int add_line(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t *tail,
                    const struct ct_line_request *q)
{
	if (!sm->full.lreq_spare.n && grow_lreq(r, sm) < 0)
		return -1;
	uint32_t i = sm->full.lreq_spare.at[--sm->full.lreq_spare.n];
	struct rp_lreq *l = &sm->full.lreq[i];
	l->line = q->line;
	l->bytes[0] = q->bytes[0];
	l->bytes[1] = q->bytes[1];
	l->next = RP_NO_INDEX;
	l->mem = mem;
	l->group = rp_new_line_group(sm, sm->full.mem[mem].sid);
	l->near = RP_NO_LINE;
	l->sectors = l->left = q->sectors;
	l->enter = (uint8_t)q->sectors;
	memset(l->met, 0, sizeof l->met);
	l->memo = 0;
	l->is = (struct rp_lreq_is){.store = sm->full.mem[mem].kind == RP_STORE};
	rp_tags_prefetch(&sm->cache.tags, q->line);
	if (*tail == RP_NO_INDEX)
		sm->full.mem[mem].lines = i;
	else
		sm->full.lreq[*tail].next = i;
	*tail = i;
	sm->full.mem[mem].refs++;
	return 0;
}

/* Takes a record for the instruction and a request for each of its lines. What goes past the L1 counts
 * LLC sectors, the others the L1's, or the chunks of an L1 that is a part. */
uint32_t rp_mem_new(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
                    const struct ct_inst *inst, uint32_t now)
{
	struct ct_line_request q[CT_MAX_LINES_PER_INST];
	uint32_t shared_lanes = 0, more = 0, tail = RP_NO_INDEX,
		 id = rp_mem_take(r, sm, warp, op, inst, now);
	if (id == RP_NO_INDEX)
		return RP_NO_INDEX;
	struct rp_mem *m = &sm->full.mem[id];
	int part = r->l1_part && !op->bypass;
	unsigned n = rp_lines_of(r, sm, warp, op->s, inst, part ? r->parts->line : r->g.l1.line,
	                         part ? r->parts->chunk : r->g.l1.sector, q, &shared_lanes);
	if (!n && shared_lanes) {
		m->shared = 1;
		m->degree = (uint8_t)rp_conflict_degree(r, inst);
		return id;
	}
	for (unsigned i = 0; i < n; i++) {
		if (add_line(r, sm, id, &tail, &q[i]) < 0)
			return RP_NO_INDEX;
		sm->full.mem[id].left += op->bypass ? 0 : ct_bits(q[i].sectors);
	}
	if (op->bypass)
		sm->full.mem[id].left = rp_direct_sectors(r, op, inst, q, n, &more) + more;
	return id;
}

uint32_t rp_port_take(struct rp_sm *sm, uint32_t now, uint32_t at)
{
	return rp_port_book(sm, now, at);
}

void rp_port_forget(struct rp_sm *sm, uint32_t now)
{
	uint32_t to = now / 64, n = to - sm->full.port_word;
	for (uint32_t i = 0; i < n && i < RP_PORT_WORDS; i++)
		sm->full.port[(sm->full.port_word + i) % RP_PORT_WORDS] = 0;
	sm->full.port_word = to;
}

uint32_t rp_port_search(const struct rp_sm *sm, uint32_t at, uint32_t last)
{
	while (at < last) {
		uint64_t taken = sm->full.port[at / 64 % RP_PORT_WORDS] >> at % 64;
		if (taken != UINT64_MAX >> at % 64) {
			at += ct_low_bit(~taken);
			break;
		}
		at = (at | 63) + 1;
	}
	return rp_min32(at, last);
}

/* The instruction is over at cycle `done`, for those who watch. */
void rp_observe_mem(struct ct_replay *r, const struct rp_sm *sm, const struct rp_mem *m, uint32_t done)
{
	struct ct_mem_event ev = {
		.sm = sm->id,
		.warp_slot = m->warp,
		.issued = r->base + m->issued,
		.taken = r->base + m->taken,
		.done = r->base + done,
		.busy = m->busy,
	};
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].mem)
			r->obs[i].mem(r->obs[i].ctx, &ev);
}

void rp_mem_over(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t now)
{
	struct rp_mem *m = &sm->full.mem[mem];
	struct rp_warp *w = &sm->warp[m->warp];
	const struct rp_op *op = m->op;
	uint32_t warp = m->warp, at = m->last;
	if (sm->stalls_of && !m->shared)
		rp_charge_stall(sm, warp, op, m->sid, at);
	if (r->has_mem)
		rp_observe_mem(r, sm, m, at);
	for (unsigned i = 0; i < op->ndst; i++) {
		sm->regs[warp][op->dst[i]] = at;
		rp_register_write(r, sm, warp, op->dst[i], at);
	}
	if (r->collector_part && op->ndst)
		rp_part_writes(r, sm, warp, m->sid, at);
	w->done = rp_max32(w->done, at);
	if (m->kind == RP_STORE)
		w->stores--;
	else
		w->open--;
	if (m->kind == RP_ATOMIC) {
		w->wait.atomics--; /* seen a cycle before the register is written */
		w->born = rp_max32(w->born, at - 1);
	} else if (m->kind == RP_ASYNC) {
		w->wait.group_open[m->group % CT_WARP_GROUPS]--;
		ct_warp_complete_groups(&w->wait);
		if (w->wait.wait_group == w->wait.group_done)
			w->born = rp_max32(w->born, at);
	}
	if (op->effect)
		rp_update_held(w);
	if (!m->shared && m->kind != RP_STORE) {
		sm->c.mem_latency_sum += at - m->issued;
		sm->c.mem_latency_count++;
	}
	rp_mem_unref(sm, mem);
	rp_wake_warp(sm, warp, now);
	rp_warp_check_end(r, sm, warp, now);
}

/* Where in the LLC the line belongs; found out when something leaves for it. */
void rp_lreq_place(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l)
{
	uint32_t slice;
	ct_address_slice(&r->map, l->line << r->l1_line_bits, &slice, &l->llc_set);
	l->slice = (uint16_t)slice;
	l->is.sent = 1;
	sm->c.llc_line_accesses++;
}

/* Another of the LLC's lines that the L1's consists of may belong elsewhere. */
void rp_packet_place(const struct ct_replay *r, struct rp_packet *p)
{
	uint32_t slice;
	ct_address_slice(&r->map, p->address, &slice, &p->llc_set);
	p->slice = (uint16_t)slice;
}

/* The request for the i-th LLC sector of one of the L1. */
static int send_direct(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t sector,
                       uint32_t i, uint32_t mem, uint32_t at)
{
	if (!l->is.sent)
		rp_lreq_place(r, sm, l);
	const struct rp_mem *m = &sm->full.mem[mem];
	struct rp_packet p = {
		.when = r->base + at,
		.address = (l->line << r->l1_line_bits) + ((uint64_t)sector << r->l1_sector_bits) +
	                   ((uint64_t)i << r->llc_sector_bits),
		.bytes = m->kind == RP_STORE ? rp_written_bytes(r, l->bytes, sector) : UINT32_MAX,
		.id = m->kind == RP_STORE ? m->warp : mem,
		.llc_set = l->llc_set,
		.group = l->group,
		.sm = (uint16_t)sm->id,
		.slice = l->slice,
		.kind = (uint8_t)rp_packet_kind_of(m->op),
		.payload = (uint8_t)rp_piece_eighths(r, l->bytes, sector, i),
	};
	if (r->l1_line_bits > r->llc_line_bits)
		rp_packet_place(r, &p);
	if (rp_ring_push(&sm->direct, &p) < 0) {
		sm->failed = 1;
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	}
	return 0;
}

static void observe_bypass(struct ct_replay *r, struct rp_sm *sm, const struct rp_lreq *l,
                           const struct rp_mem *m, uint32_t now)
{
	struct ct_l1_event ev = rp_l1_event(
		r, sm, m->warp, m->op, m->sid, r->base + now, l->line, l->sectors, l->bytes);
	rp_tell_l1_observers(r, &ev);
}

/* Past the L1: one transaction a cycle straight into the network. Lanes of an atomic
 * that meet in a sector are transactions of their own; beyond one for each sector
 * they are spread over the sectors in turn. Returns the cycle after the last. */
static uint32_t send_past_l1(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t at)
{
	struct rp_mem *m = &sm->full.mem[mem];
	uint32_t todo = m->left;
	while (todo) {
		for (uint32_t i = m->lines; i != RP_NO_INDEX && todo; i = sm->full.lreq[i].next) {
			struct rp_lreq *l = &sm->full.lreq[i];
			for (uint32_t s = r->l1_sectors; s-- > 0 && todo;)
				for (uint32_t k = 0; l->sectors >> s & 1 && k < r->llc_per_l1 && todo;
				     k++) {
					if (send_direct(r, sm, l, s, k, mem, at) < 0)
						return at;
					at++;
					todo--;
				}
		}
	}
	for (uint32_t i = m->lines; i != RP_NO_INDEX;) {
		uint32_t next = sm->full.lreq[i].next;
		if (r->has_l1 && !r->l1_in_short)
			observe_bypass(r, sm, &sm->full.lreq[i], m, at);
		sm->full.lreq_spare.at[sm->full.lreq_spare.n++] = i;
		m->refs--;
		i = next;
	}
	m->lines = RP_NO_INDEX;
	return at;
}

/* Acknowledgements that a store waits for: one for each sector, or for each line that an L1
 * organisation gets. */
static uint32_t acknowledgements(const struct ct_replay *r, const struct rp_sm *sm,
                                 const struct rp_mem *m)
{
	uint32_t lines = 0;
	if (m->bypass)
		return m->left;
	if (!r->l1_part)
		return m->left * r->llc_per_l1;
	for (uint32_t i = m->lines; i != RP_NO_INDEX; i = sm->full.lreq[i].next)
		lines++;
	return lines;
}

/* Starts what the load/store unit has taken in cycle `now`; the unit is busy up to the
 * cycle that is returned, unless lines remain to be entered. */
static uint32_t start_instruction(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t now)
{
	struct rp_mem *m = &sm->full.mem[mem];
	struct rp_warp *w = &sm->warp[m->warp];
	uint32_t sectors = m->left;
	m->taken = now;
	m->busy = 1;
	if (m->shared) {
		uint32_t busy = m->degree ? m->degree : 1;
		m->busy = busy;
		uint32_t at = now + r->g.shmem_latency + 1 + busy;
		m->left = 1;
		sm->c.l1_busy += busy; /* one array holds L1 and shared memory */
		if (m->kind != RP_STORE)
			at = rp_port_take(sm, now, at);
		rp_mem_return(r, sm, mem, 1, at, now);
		return now + busy;
	}
	if (!sectors) { /* no active lane: a slot and nothing else */
		m->left = 1;
		rp_mem_return(r, sm, mem, 1, now + 2, now);
		return now + 1;
	}
	if (m->kind == RP_STORE) {
		/* stores hold no register; the warp only has to wait for them at its end */
		w->stores += acknowledgements(r, sm, m) - 1;
		w->done = rp_max32(w->done, now + 1);
	}
	if (m->bypass) {
		uint32_t end = send_past_l1(r, sm, mem, now + 1);
		uint32_t until = end > now + 1 ? end - 1 : now + 1;
		sm->full.mem[mem].busy = until - now;
		if (sm->full.mem[mem].kind == RP_STORE) {
			if (r->has_mem)
				rp_observe_mem(r, sm, &sm->full.mem[mem], until);
			rp_mem_unref(sm, mem);
		}
		return until;
	}
	sm->full.lsu_mem = mem;
	sm->full.lsu_line = m->lines;
	sm->full.lsu_next = now + 1;
	if (m->kind == RP_STORE)
		rp_mem_unref(sm, mem); /* its lines keep it */
	return now + 1;
}

/* Enters the accesses that one cycle takes: one for each bank, in descending address
 * order, up to the first whose bank is taken. Returns 0 when the first bank is full. */
static int enter_cycle(struct ct_replay *r, struct rp_sm *sm, uint32_t at)
{
	uint32_t used;
	if (r->l1_part && (!r->parts->banks || r->parts->given.shaper))
		return rp_part_enter(r, sm, at);
	used = rp_l1_enter(r, sm, at + r->g.l1_latency);
	sm->c.l1_busy += used != 0;
	return used != 0;
}

/* Enters the current instruction, ahead of time as far as the banks have room for
 * certain. */
static void enter_lines(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	uint32_t at = rp_max32(sm->full.lsu_next, now);
	while (sm->full.lsu_line != RP_NO_INDEX) {
		if (!enter_cycle(r, sm, at)) {
			sm->full.lsu_next = at > now ? at
			                             : RP_NEVER; /* the L1 calls when a bank moves */
			return;
		}
		sm->lsu_free = at++;
	}
	struct rp_mem *m = &sm->full.mem[sm->full.lsu_mem];
	m->busy = sm->lsu_free - m->taken;
	if (m->kind == RP_STORE && r->has_mem)
		rp_observe_mem(r, sm, m, sm->lsu_free);
	sm->full.lsu_mem = RP_NO_INDEX;
}

/* Scheduler of the oldest instruction in front of the unit that can be taken in cycle
 * `now`, or RP_NO_INDEX; then it sets the next cycle to look again. */
static uint32_t choose_scheduler(const struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	uint32_t k = rp_lsu_choose(sm, r->g.schedulers, now);
	if (k == RP_NO_INDEX)
		sm->full.lsu_next = rp_lsu_next_at(sm, r->g.schedulers);
	return k;
}

/* Goes on with the instruction that the unit holds, then takes the oldest in front of it, until one
 * does not get in or none can be taken in this cycle. */
void rp_lsu_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	for (;;) {
		if (sm->full.lsu_mem != RP_NO_INDEX) {
			enter_lines(r, sm, now);
			if (sm->full.lsu_mem != RP_NO_INDEX)
				return;
		}
		uint32_t k = choose_scheduler(r, sm, now);
		if (k == RP_NO_INDEX)
			return;
		uint32_t mem = sm->full.at_lsu[k];
		sm->full.at_lsu[k] = RP_NO_INDEX;
		sm->full.lsu_takes[k] = RP_NEVER;
		sm->lsu_free = start_instruction(r, sm, mem, now);
		rp_collect_lsu_took(r, sm, k, now);
	}
}

/* instruction.h - what an instruction means, whatever the timing (private).
 *
 * Which registers it waits for, which lines it asks for, how many transactions leave the SM for them,
 * what it does to its warp and to the warps of its CTA, and how all that is counted and told. A timing
 * calls these and says when. Its unit, kind and scope (whether it passes the L1) are decoded once, into
 * struct rp_op (ops.c). */
#ifndef CT_REPLAY_PRIVATE_INSTRUCTION_H
#define CT_REPLAY_PRIVATE_INSTRUCTION_H

#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "replay/private/l1.h"

#define RP_LATER (RP_NEVER - 1) /* not known yet, but not for a load from memory */

/* ---- the next instruction of a warp ---- */

/* Cycle at which the registers of the next instruction are there. */
static CT_INLINE uint32_t rp_operands_ready(const struct rp_warp *w)
{
	const struct rp_op *op = w->op;
	const uint32_t *regs = w->regs;
	uint32_t t = rp_max32(regs[op->dep[0]], regs[op->dep[1]]);
	uint32_t u = rp_max32(regs[op->dep[2]], regs[op->dep[3]]);
	t = rp_max32(rp_max32(t, u), w->born);
	for (unsigned i = RP_PAD_DEP; i < op->ndep; i++)
		t = rp_max32(t, regs[op->dep[i]]);
	return t;
}

/* Reads the next instruction of the warp into *inst. 0: there is none, or the run has failed. */
static CT_INLINE int rp_fetch_next(struct ct_replay *r, struct rp_sm *sm, struct rp_warp *w,
                                   struct ct_inst *inst)
{
	if (w->more) {
		w->more--;
		inst->sid++;
	} else {
		int st = ct_cursor_step(w->cursor, inst, &w->more, &r->error);
		if (st <= 0) {
			sm->failed |= st < 0;
			w->op = NULL;
			return 0;
		}
	}
	w->op = rp_op_at(r, inst->sid);
	if (!w->op)
		sm->failed = 1;
	return w->op != NULL;
}

/* The warp's next instruction waits until its line of code is there: of a launch with cold caches the first warp
 * that comes to a line fetches it for the SM. */
static CT_INLINE void rp_wait_for_code(const struct ct_replay *r, struct rp_sm *sm, struct rp_warp *w,
                                       uint32_t now)
{
	if (!sm->code)
		return;
	uint64_t line = w->op->s->pc >> RP_CODE_LINE_BITS;
	if (line >= RP_CODE_LINES)
		return;
	if (!sm->code[line]) {
		uint32_t cost = sm->code_lines ? r->g.code_line_cycles : r->g.code_first_cycles;
		sm->code_lines++;
		sm->code[line] = now + cost + 1;
	}
	w->born = rp_max32(w->born, sm->code[line]);
}

/* The warp's next instruction comes behind one that has issued in cycle `now`: behind a branch, and when its code is there. */
static CT_INLINE void rp_wait_for_front_end(const struct ct_replay *r, struct rp_sm *sm,
                                            struct rp_warp *w, const struct rp_op *before, uint32_t now)
{
	if (w->op->s->pc - before->s->pc - 1 >= RP_INSTRUCTION_BYTES)
		w->born = now + 1 + r->g.branch_cycles;
	rp_wait_for_code(r, sm, w, now);
}

/* Counts an instruction that issues. */
static CT_INLINE void rp_count_issue(struct rp_sm *sm, const struct rp_op *op,
                                     const struct ct_inst *inst)
{
	struct ct_replay_counts *c = &sm->c;
	uint64_t lanes = inst->mask == UINT32_MAX ? 32 : ct_bits(inst->mask);
	c->unit_insts[op->cls]++; /* warp_insts is their sum (counts.c) */
	c->thread_insts += lanes;
	c->mem_insts += op->counts_mem;
	if (op->counts_global) {
		c->global_requests++;
		c->global_lane_accesses += lanes;
	}
}

/* instruction.c: tells observers that the warp's next instruction issues in cycle `now`. */
void rp_observe_issue(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);

/* instruction.c: tells observers that the warp has waited so many cycles for the load that came back last. */
void rp_observe_stall(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp, uint32_t cycles);

/* instruction.c: the load sid, an `op`, is back in cycle `at`. Where the warp waits for it, the cycles since it began to
 * wait, or since another load came back that it waited for, are charged to this one. */
void rp_charge_stall(struct rp_sm *sm, uint32_t warp, const struct rp_op *op, uint32_t sid, uint32_t at);

/* The warp has waited for memory from one cycle to another, with so many instructions on their way; 0: nobody knows. */
static CT_INLINE void rp_count_stall(struct rp_sm *sm, uint32_t warp, uint32_t from, uint32_t to,
                                     uint32_t open)
{
	sm->c.mem_stall_warp_cycles += to - from;
	sm->c.mem_stall_open += (uint64_t)(to - from) * open;
	if (sm->stalls_of) {
		from = rp_max32(from, sm->warp[warp].charged);
		if (to > from)
			rp_observe_stall(sm->stalls_of, sm, warp, to - from);
	}
}

/* The instruction sid, an `op` that has its registers, has waited from one cycle to another for one of the collectors that
 * memory instructions have to themselves. Of a load that is time for memory: what those before it wait for keeps it. */
static CT_INLINE void rp_count_held(struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
                                    uint32_t sid, uint32_t from, uint32_t to)
{
	if (op->kind == RP_STORE || op->shared || to <= from)
		return;
	sm->c.mem_latency_sum += to - from;
	sm->warp[warp].back = sid;
	rp_count_stall(sm, warp, from, to, sm->warp[warp].open + 1);
}

/* ---- what it asks the memory for ---- */

static CT_INLINE int rp_has_shape(const struct rp_shape *p, const struct ct_inst *inst)
{
	uint64_t lanes, before;
	uint32_t n = inst->nruns;
	memcpy(&lanes, inst->run_lanes, sizeof lanes); /* what is behind the runs may differ: then */
	memcpy(&before, p->lanes, sizeof before);      /* the degree is worked out in vain */
	uint64_t differ = (lanes ^ before) | (p->nruns ^ n) | (p->naddr ^ inst->naddr) |
	                  (p->in_word ^ (inst->base & 3));
	for (uint32_t i = 0; i < n; i++)
		differ |= (uint64_t)(p->delta[i] ^ inst->run_delta[i]);
	return n && !differ;
}

static CT_INLINE uint32_t rp_conflict_degree(struct ct_replay *r, const struct ct_inst *inst)
{
	struct rp_shape *p = &r->shapes[inst->sid / RP_OPS_CHUNK][inst->sid % RP_OPS_CHUNK];
	return rp_has_shape(p, inst) ? p->degree : rp_shared_degree(r, inst, p);
}

/* instruction.c: where the threads of the warp have their local memory. */
struct ct_local_map rp_local_of(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp);

/* The lines of `line` bytes, in sectors of `sector`, that the warp's next instruction, one of global,
 * local or generic memory, asks for: highest address first, into q. Returns how many, and in *lanes how many
 * of its lanes are in shared memory. */
static CT_INLINE unsigned
rp_lines_of(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp, const struct ct_sinst *s,
            const struct ct_inst *inst, uint32_t line, uint32_t sector, struct ct_line_request *q,
            uint32_t *lanes)
{
	struct ct_local_map local, *at = NULL;
	if (s->space != CT_SPACE_GLOBAL) {
		local = rp_local_of(r, sm, warp);
		at = &local;
	}
	return ct_coalesce_descending(
		r->kernel, s, inst, line, sector, at, sm->warp[warp].key, q, lanes);
}

/* instruction.c: LLC sectors that the n lines of an instruction that passes the L1 lie in. Of an atomic,
 * lanes that meet in a sector are transactions of their own: *more than the sectors, which are spread over
 * these in turn. */
uint32_t rp_direct_sectors(const struct ct_replay *r, const struct rp_op *op, const struct ct_inst *inst,
                           const struct ct_line_request *q, unsigned n, uint32_t *more);

/* The packets of an instruction that passes the L1, or of a store. */
static CT_INLINE enum rp_packet_kind rp_packet_kind_of(const struct rp_op *op)
{
	return op->kind == RP_ATOMIC ? RP_PK_ATOMIC : op->kind == RP_STORE ? RP_PK_STORE : RP_PK_BYPASS;
}

/* What a store does to the sector of a line in the L1. Write-back L1s do not exist on the GPUs described;
 * they are taken as write-through with allocation, which loads see alike. */
enum rp_store_rule {
	RP_STORE_TOUCHES, /* a line that is there becomes the youngest */
	RP_STORE_DROPS,   /* the sector leaves */
	RP_STORE_WRITES   /* into the line, which comes if it is not there */
};
static CT_INLINE enum rp_store_rule rp_store_rule(const struct ct_gpu *g)
{
	return g->l1.write_policy >= CT_WRITE_THROUGH_ALLOCATE ? RP_STORE_WRITES
	       : g->l1.write_policy == CT_WRITE_EVICT          ? RP_STORE_DROPS
	                                                       : RP_STORE_TOUCHES;
}

/* A line of the instruction at the L1 in cycle `cycle`, for observers; what it met there is not set. */
static CT_INLINE struct ct_l1_event
rp_l1_event(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
            uint32_t sid, uint64_t cycle, uint64_t line, uint32_t sectors, const uint64_t bytes[2])
{
	return (struct ct_l1_event){
		.sm = sm->id,
		.subcore = ct_modulo(warp, r->g.schedulers),
		.warp_slot = warp,
		.cta_slot = sm->warp[warp].slot_cta,
		.sid = sid,
		.pc = op->s->pc,
		.cycle = cycle,
		.line = line,
		.sectors = sectors,
		.bytes = {bytes[0], bytes[1]},
		.is_write = op->kind == RP_STORE,
		.is_atomic = op->kind == RP_ATOMIC,
		.bypass = op->bypass,
	};
}

/* Sectors (or chunks) of loads or of stores at an L1. */
struct rp_l1_met {
	uint64_t asked, missed, pending, sector_misses;
};
/* Adds them to the counts. */
static CT_INLINE void rp_count_l1(struct ct_replay_counts *c, const struct rp_l1_met *m, int is_write)
{
	c->l1_accesses += m->asked;
	c->l1_misses += m->missed;
	c->l1_pending += m->pending;
	c->l1_sector_misses += m->sector_misses;
	if (is_write)
		return;
	c->l1_read_accesses += m->asked;
	c->l1_read_misses += m->missed;
	c->l1_read_pending += m->pending;
}

/* ---- what it does to its warp and its CTA ---- */

/* The barrier of a CTA has opened: its warps that wait there go on in cycle `at` at the earliest, with a
 * call of go_on() for each. */
static CT_INLINE void
rp_leave_barrier(const struct ct_replay *r, struct rp_sm *sm, const struct rp_cta *c, uint32_t at,
                 void (*go_on)(struct rp_sm *sm, uint32_t warp))
{
	uint32_t per = r->occ.warps_per_cta, first = (uint32_t)(c - sm->cta) * per;
	for (uint32_t i = first; i < first + per; i++) {
		struct rp_warp *w = &sm->warp[i];
		if (!w->live || !w->wait.at_barrier)
			continue;
		w->wait.at_barrier = 0;
		w->born = rp_max32(w->born, at);
		go_on(sm, i);
	}
}

/* Nothing of the warp is left and all that it asked for is back: it retires in cycle `end`, and with
 * the last one its CTA. */
static inline void rp_warp_retire(struct rp_sm *sm, uint32_t warp, uint32_t end)
{
	struct rp_warp *w = &sm->warp[warp];
	struct rp_cta *c = &sm->cta[w->slot_cta];
	w->live = w->parked = 0;
	sm->warps_live--;
	sm->c.resident_warp_cycles += end;
	c->end = rp_max32(c->end, end);
	if (--c->warps_left)
		return;
	c->free_at = c->end;
	if (c->free_at < sm->next_free) {
		sm->next_free = c->free_at;
		rp_sm_set_rare(sm);
	}
}

#endif

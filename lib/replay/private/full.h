/* full.h - what the files of full timing call in each other: schedulers (scheduler.c), collectors
 * (collect.c), the load/store unit (ldst.c), the pipeline of the L1 (l1_step.c) (private). */
#ifndef CT_REPLAY_PRIVATE_FULL_H
#define CT_REPLAY_PRIVATE_FULL_H

#include "base/hot.h"
#include "replay/private/l1.h"

/* scheduler.c: a launch begins: nothing waits in schedulers, collectors and the load/store unit. */
void rp_sched_begin(struct ct_replay *r, struct rp_sm *sm);
/* rp_sched_attempt() of step.h where parts have a say. */
void rp_sched_attempt_parts(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now);
/* What the warp waited for has changed: notes when its next instruction can issue. */
void rp_wake_warp(struct rp_sm *sm, uint32_t warp, uint32_t now);
/* Notes what a warp that cannot issue before something else happens waits for, when that is memory, a
 * barrier or a fence. */
void rp_note_long_wait(struct rp_sm *sm, uint32_t warp, uint32_t t);
/* Opens the barrier of the CTA if all of its running warps have come to it. */
void rp_barrier_release(struct ct_replay *r, struct rp_sm *sm, struct rp_cta *c, uint32_t now);
/* What the instruction, whose memory record is `mem`, does to its warp besides using a unit. */
void rp_apply_effect(struct rp_sm *sm, uint32_t warp, const struct rp_op *op, uint32_t mem);
/* Greedy then oldest, or the oldest, as the configuration has it. */
uint32_t rp_pick_oldest(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k,
                        const struct rp_sched *s, uint64_t mask);
/* Nothing is left of the warp's stream. */
void rp_warp_end_stream(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);
/* The first instruction of a warp, or its end. */
void rp_warp_begin(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);
/* Something of the warp is over: a fence may be, or the warp itself. */
void rp_warp_check_end(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);
/* Books the write-back port of the load/store unit in the first free cycle from `at` on. */
uint32_t rp_port_take(struct rp_sm *sm, uint32_t now, uint32_t at);
/* The result for a place of the warp's registers is written in cycle `at`. */
void rp_register_write(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, unsigned place,
                       uint32_t at);

/* collect.c: operand collectors and units. */
/* What has issued and finds no collector free waits for one, or goes to the part. */
void rp_collect_later(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                      const struct rp_op *op, uint32_t mem, uint32_t now);
/* Parked instructions enter collectors in this cycle; the load/store unit has taken the instruction that
 * scheduler k had in front of it. */
void rp_collect_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
void rp_collect_lsu_took(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now);

/* ldst.c: the load/store unit. */
/* One more record of a memory instruction is free afterwards. < 0: out of memory, the run has failed. */
int rp_mem_grow(struct ct_replay *r, struct rp_sm *sm);
/* An instruction that has issued and is not of shared memory by its opcode; RP_NO_INDEX: out of
 * memory. */
uint32_t rp_mem_new(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
                    const struct ct_inst *inst, uint32_t now);
/* quick_step.c: the same of an SM of quick timing that is in step. */
uint32_t rp_quick_mem_new(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
                          const struct ct_inst *inst, uint32_t now);
/* One thing less points at the record, which is free when nothing does. */
static CT_INLINE void rp_mem_unref(struct rp_sm *sm, uint32_t mem)
{
	struct rp_mem *m = &sm->full.mem[mem];
	if (--m->refs)
		return;
	m->lines = sm->full.mem_free;
	sm->full.mem_free = mem;
}
/* Finds the slice and the set of the line in the LLC, or of the packet's. */
void rp_lreq_place(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l);
void rp_packet_place(const struct ct_replay *r, struct rp_packet *p);
/* A cycle of the unit. */
void rp_lsu_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
/* Puts a memory instruction in front of the unit, which can take it from the cycle after `at`
 * on; there is none there. */
static inline void rp_lsu_offer(struct rp_sm *sm, uint32_t k, uint32_t mem, uint32_t at)
{
	sm->full.at_lsu[k] = mem;
	sm->full.lsu_takes[k] = at + 1;
	sm->full.lsu_order[k] = sm->full.mem[mem].order;
	if (sm->full.lsu_mem == RP_NO_INDEX && sm->full.lsu_next > sm->now + 1)
		sm->full.lsu_next = sm->now + 1;
}
/* Every sector of the instruction has come back, or it has been acknowledged. */
void rp_mem_over(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t now);
/* `n` sectors of a load came back; registers can be read at cycle `at`. */
static CT_INLINE void rp_mem_return(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t n,
                                    uint32_t at, uint32_t now)
{
	struct rp_mem *m = &sm->full.mem[mem];
	m->last = rp_max32(m->last, at);
	m->left -= n;
	if (!m->left)
		rp_mem_over(r, sm, mem, now);
}

/* l1_step.c: a cycle of the L1's pipeline. */
void rp_l1_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
/* The reply that was the first of the SM's. */
void rp_l1_reply(struct ct_replay *r, struct rp_sm *sm, const struct rp_packet *p, uint32_t now);
/* Puts sectors of the load/store unit's lines into the pipeline, where they are ready in cycle
 * `ready`, highest first, up to the first whose bank one of them has taken or is full; returns the
 * banks taken. */
uint32_t rp_l1_enter(struct ct_replay *r, struct rp_sm *sm, uint32_t ready);
/* What is left of one line enters banks that *used does not name, and names them. 1: all of it is in. */
int rp_l1_enter_line(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t ready,
                     uint32_t *used);

/* full.c: whether the SMs are those for which numbers of schedulers, collectors and banks are constants in step.h, and which
 * (RP_USUAL_*). */
int rp_usual_sms(const struct ct_replay *r);
/* full.c: asks the host's memory for what schedulers look at in a window: the SM and its warps, then what their next
 * instructions are read from. */
void rp_prefetch_schedulers(const struct ct_replay *r, const struct rp_sm *sm);
void rp_prefetch_all_warps(const struct ct_replay *r, const struct rp_sm *sm);

#endif

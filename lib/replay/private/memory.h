/* memory.h - what is behind the SMs, for the engine: the network, the slices of the LLC, DRAM, and what
 * observers are told of them (private). */
#ifndef CT_REPLAY_PRIVATE_MEMORY_H
#define CT_REPLAY_PRIVATE_MEMORY_H

#include "replay/private/engine.h"

enum { RP_NET_QUEUE = 512 }; /* packets at an input, and at an output (doc/replay.md section 7) */

/* noc.c: an idle network. Returns 0 or fails with CT_ERR_NOMEM. */
int rp_net_new(struct rp_net **n, uint32_t inputs, uint32_t outputs, struct ct_error *e);
void rp_net_free(struct rp_net *n);
/* Flits of a packet on the way to the LLC (`requests`) or back. */
uint32_t rp_packet_flits(const struct ct_replay *r, const struct rp_packet *k, int requests);
/* Packets that SMs have put in before `cycle` and that wait for their first hop. */
void rp_net_backpressure(struct ct_replay *r, uint64_t cycle);
/* Moves requests in cycles [from, to) (those put in before their cycle), replies
 * likewise (those put in at or before it). Return 0 or the engine's error. */
int rp_net_requests(struct ct_replay *r, uint64_t from, uint64_t to);
int rp_net_replies(struct ct_replay *r, uint64_t from, uint64_t to);
/* Whether no request has gone through the network that its slice has not taken. */
int rp_net_idle(const struct ct_replay *r);

/* llc.c: slices and DRAM channels. rp_llc_accept() takes a packet that is in the slice's input queue from
 * cycle `when` on. */
int rp_llc_init(struct ct_replay *r, struct ct_error *e);
void rp_llc_free(struct ct_replay *r);
int rp_llc_accept(struct ct_replay *r, const struct rp_packet *p, uint64_t when);
/* What the slice has put into the network towards the SMs. */
struct rp_ring *rp_llc_replies(struct ct_replay *r, uint32_t slice);
/* slice.c: runs slices and DRAM up to cycle `to`. */
int rp_llc_run(struct ct_replay *r, uint64_t to);
/* llc.c: all SMs have run to cycle `end`: their requests go through the network, slices and DRAM channels,
 * and replies come back. Returns 0 or the engine's error. */
int rp_step_memory(struct ct_replay *r, uint64_t end);
/* llc.c: everything absent; a copy from the host puts these bytes there; the next cycle in which a slice
 * or a channel has something to do. */
void rp_llc_flush(struct ct_replay *r);
void rp_llc_fill(struct ct_replay *r, uint64_t address, uint64_t bytes);
uint64_t rp_llc_next(const struct ct_replay *r);
/* llc_log.c: notes an LLC access for the observers. what: hit 0, pending 1, miss. */
void rp_llc_log(struct ct_replay *r, uint32_t slice, const struct rp_packet *p, uint64_t now, int what);
/* directory.c: replication across the L1s; logs are merged at the end of a window. */
int rp_directory_init(struct ct_replay *r, struct ct_error *e);
void rp_directory_free(struct ct_replay *r);
int rp_directory_merge(struct ct_replay *r);
/* llc_log.c: what observers of the LLC see. */
int rp_llc_log_init(struct ct_replay *r, struct ct_error *e);
void rp_llc_log_free(struct ct_replay *r);
void rp_llc_log_window(struct ct_replay *r);
void rp_llc_log_flush(struct ct_replay *r, uint64_t before);

#endif

/* The crossbar: one queue per input, one packet per output and cycle (doc/replay.md
 * section 7). The head of each queue asks for its output; an output serves the inputs round
 * robin; a queue whose head has left may serve a later output in the same cycle. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/llc.h"
#include "replay/private/parts.h"
#include "replay/private/usual.h"

struct rp_head {
	struct rp_ring *ring;
	uint32_t output;
};

struct rp_net {
	uint32_t inputs, outputs, words; /* words of an input mask */
	uint64_t *want;                  /* outputs * words: inputs whose head goes there */
	uint64_t *busy;                  /* outputs with any */
	uint32_t *next;                  /* input that output o prefers */
	uint64_t *free_at;               /* tick at which output o can take the next packet */
	uint64_t *sends_at; /* cycle at which input i can send the next; 0 where packets are one flit */
	struct rp_head *head; /* of each input when it was queued; only parts put something in
	                         front of it */
	uint32_t *bucket;     /* first input whose head becomes ready in that cycle */
	uint32_t *chain;
	uint32_t span;
	uint32_t pending;    /* inputs in want */
	uint32_t full;       /* as many packets can pass at once */
	uint32_t later;      /* inputs in buckets */
	struct rp_ring *out; /* requests that have arrived and that the slice has not taken */
	uint64_t *holding;   /* outputs with any */
	uint32_t held;
};

int rp_ring_grow(struct rp_ring *q)
{
	uint32_t cap = q->cap ? q->cap * 2 : 16;
	struct rp_packet *v = ct_calloc(cap, sizeof *v);
	if (!v)
		return -1;
	for (uint32_t i = 0; i < q->n; i++)
		v[i] = *rp_ring_at(q, i);
	free(q->p);
	q->p = v;
	q->cap = cap;
	q->head = 0;
	return 0;
}

void rp_ring_free(struct rp_ring *q)
{
	free(q->p);
	memset(q, 0, sizeof *q);
}

int rp_net_new(struct rp_net **out, uint32_t inputs, uint32_t outputs, struct ct_error *e)
{
	struct rp_net *n = ct_calloc(1, sizeof *n);
	*out = n;
	if (!n)
		return ct_fail_nomem(e);
	n->inputs = inputs;
	n->outputs = outputs;
	n->words = (inputs + 63) / 64;
	n->span = 4096;
	n->full = inputs < outputs ? inputs : outputs;
	n->want = ct_calloc((size_t)outputs * n->words, sizeof *n->want);
	n->busy = ct_calloc(outputs / 64 + 1, sizeof *n->busy);
	n->next = ct_calloc(outputs, sizeof *n->next);
	n->free_at = ct_calloc(outputs, sizeof *n->free_at);
	n->sends_at = ct_calloc(inputs, sizeof *n->sends_at);
	n->head = ct_calloc(inputs, sizeof *n->head);
	n->bucket = ct_calloc(n->span, sizeof *n->bucket);
	n->chain = ct_calloc(inputs, sizeof *n->chain);
	n->out = ct_calloc(outputs, sizeof *n->out);
	n->holding = ct_calloc(outputs / 64 + 1, sizeof *n->holding);
	if (!n->want || !n->busy || !n->next || !n->free_at || !n->sends_at || !n->head || !n->bucket ||
	    !n->chain || !n->out || !n->holding)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < n->span; i++)
		n->bucket[i] = RP_NO_INDEX;
	return 0;
}

/* Frees a network that may be half built. */
void rp_net_free(struct rp_net *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; n->out && i < n->outputs; i++)
		rp_ring_free(&n->out[i]);
	free(n->out);
	free(n->holding);
	free(n->want);
	free(n->busy);
	free(n->next);
	free(n->free_at);
	free(n->sends_at);
	free(n->head);
	free(n->bucket);
	free(n->chain);
	free(n);
}

/* The usual network, whose packets are one flit each, as `usual` says it: with up to 64 inputs, or more. */
enum { USUAL_ONE_WORD = 1, USUAL_SOME_WORDS = 2 };

/* Words of an input mask: a constant where there is one. */
static CT_INLINE uint32_t words_of(const struct rp_net *n, int usual)
{
	return usual & USUAL_ONE_WORD ? 1 : n->words;
}

/* First set bit at or after `from`, wrapping around; the mask is not empty. */
static CT_INLINE uint32_t round_robin(const uint64_t *mask, uint32_t words, uint32_t from)
{
	if (words == 1) {
		uint64_t turned = mask[0] >> from | mask[0] << (-from & 63);
		return (ct_low_bit(turned) + from) & 63;
	}
	uint32_t w = from / 64;
	uint64_t v = mask[w] & ~UINT64_C(0) << from % 64;
	for (uint32_t i = 0; i < words; i++) {
		if (v)
			return w * 64 + ct_low_bit(v);
		w = w + 1 == words ? 0 : w + 1;
		v = mask[w];
	}
	return w * 64 + ct_low_bit(mask[w]);
}

/* Misses and stores on one side, what bypasses L1 on the other: the earlier first. */
static CT_INLINE struct rp_ring *sm_head(struct rp_sm *sm)
{
	if (!sm->missq.n)
		return sm->direct.n ? &sm->direct : NULL;
	if (!sm->direct.n)
		return &sm->missq;
	return rp_ring_first(&sm->direct)->when < rp_ring_first(&sm->missq)->when
	               ? &sm->direct
	               : &sm->missq;
}

/* What differs between the two networks follows from `requests`, a constant where the
 * functions are called. Head of input i: its ring, or NULL when it has none. */
static CT_INLINE struct rp_ring *head_of(struct ct_replay *r, int requests, uint32_t i)
{
	if (requests)
		return sm_head(&r->sm[i]);
	return r->slice[i].replies.n ? &r->slice[i].replies : NULL;
}

static CT_INLINE uint32_t output_of(int requests, const struct rp_packet *p)
{
	return requests ? p->slice : p->sm;
}

static CT_INLINE void ask_output(struct rp_net *n, uint32_t i, uint32_t o, int usual)
{
	uint32_t words = words_of(n, usual);
	n->want[(size_t)o * words + (words > 1 ? i / 64 : 0)] |= UINT64_C(1) << i % 64;
	n->busy[o / 64] |= UINT64_C(1) << o % 64;
	n->pending++;
}

static CT_INLINE void unask_output(struct rp_net *n, uint32_t i, uint32_t o, int usual)
{
	uint32_t words = words_of(n, usual);
	uint64_t *w = n->want + (size_t)o * words, any;
	any = w[words > 1 ? i / 64 : 0] &= ~(UINT64_C(1) << i % 64);
	n->pending--;
	for (uint32_t k = 0; words > 1 && !any && k < words; k++)
		any |= w[k];
	n->busy[o / 64] &= ~((uint64_t)!any << o % 64);
}

/* Inputs whose head asks for an output, of those of a word. */
static uint64_t asking(const struct rp_net *n, uint32_t word)
{
	uint64_t any = 0;
	for (uint32_t w = 0; w * 64 < n->outputs; w++)
		for (uint64_t m = n->busy[w]; m; m &= m - 1)
			any |= n->want[(size_t)(w * 64 + ct_low_bit(m)) * n->words + word];
	return any;
}

/* Puts input i where its head belongs: asking now, or into the bucket of a later
 * cycle of this window. A request can be moved a cycle after it has been put in, and no packet before the flits of the
 * input's last one have left. */
static CT_INLINE void queue_input(struct rp_net *n, struct ct_replay *r, int requests, uint32_t i,
                                  uint64_t from, uint64_t cycle, uint64_t to, int usual)
{
	struct rp_ring *q = head_of(r, requests, i);
	if (!q)
		return;
	const struct rp_packet *k = rp_ring_first(q);
	uint64_t ready = k->when + (requests != 0);
	if (!usual)
		ready = rp_max64(ready, n->sends_at[i]);
	n->head[i] = (struct rp_head){q, output_of(requests, k)};
	if (ready <= cycle) {
		ask_output(n, i, output_of(requests, k), usual);
	} else if (ready < to) {
		uint32_t b = (uint32_t)(ready - from);
		n->chain[i] = n->bucket[b];
		n->bucket[b] = i;
		n->later++;
	}
}

uint32_t rp_packet_flits(const struct ct_replay *r, const struct rp_packet *k, int requests)
{
	if (k->kind >= RP_PK_MESSAGE)
		return k->bytes;
	int data = requests ? rp_is_store(k) || k->kind == RP_PK_ATOMIC : !rp_is_store(k);
	return ct_part_flits(&r->g, data ? rp_packet_bytes(k, r->g.llc.sector) : 0);
}

/* Cycles from an output of the network to what stands behind it, at least one. */
static uint32_t hop_cycles(const struct ct_replay *r)
{
	return r->g.noc_latency ? r->g.noc_latency : 1;
}

/* Each slice takes the first packet that waits at its output, if its queue has room;
 * then the delay line to the queue. */
static int deliver_requests(struct rp_net *n, struct ct_replay *r, uint64_t cycle)
{
	for (uint32_t w = 0; w * 64 < n->outputs; w++)
		for (uint64_t m = n->holding[w]; m; m &= m - 1) {
			uint32_t o = w * 64 + ct_low_bit(m);
			const struct rp_packet *k = rp_ring_first(&n->out[o]);
			if (k->when >= cycle || !rp_llc_accepts(r, o, cycle))
				continue;
			if (rp_llc_accept(r, k, cycle + hop_cycles(r) - 1 + r->g.llc_latency) < 0)
				return -1;
			rp_ring_pop(&n->out[o]);
			n->held--;
			if (!n->out[o].n)
				n->holding[w] &= ~(UINT64_C(1) << o % 64);
		}
	return 0;
}

/* The slice takes it one cycle later if it can. */
static CT_INLINE int deliver_request(struct ct_replay *r, const struct rp_packet *p, uint64_t cycle,
                                     int usual)
{
	struct rp_net *n = r->to_llc;
	uint32_t o = p->slice;
	if (!n->out[o].n && rp_llc_accepts(r, o, cycle + 1)) {
		uint64_t when = cycle + hop_cycles(r) + r->g.llc_latency;
		return rp_usual_alone(usual) ? rp_llc_put(r, p, when) : rp_llc_accept(r, p, when);
	}
	struct rp_packet *q = rp_ring_new(&n->out[o]);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = *p;
	q->when = cycle;
	n->holding[o / 64] |= UINT64_C(1) << o % 64;
	n->held++;
	return 0;
}

int rp_net_idle(const struct ct_replay *r)
{
	return !r->to_llc->held;
}

static uint32_t put_in(const struct rp_ring *q, uint64_t cycle)
{
	uint32_t lo = 0, hi = q->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (rp_ring_at(q, mid)->when < cycle)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* An SM whose network queue is full keeps its misses for a window: the network has not
 * run yet, so the exact cycle at which a place becomes free is not known. */
void rp_net_backpressure(struct ct_replay *r, uint64_t cycle)
{
	uint64_t end = cycle + r->window;
	if (cycle < r->base || end - r->base > RP_LAST_CYCLE)
		return;
	for (uint32_t i = 0; i < r->g.sms; i++) {
		struct rp_sm *sm = &r->sm[i];
		if (sm->missq.n < RP_NET_QUEUE)
			continue;
		if (put_in(&sm->missq, cycle) >= RP_NET_QUEUE && sm->missq_last < end - r->base)
			sm->missq_last = (uint32_t)(end - r->base);
	}
}

/* One more cycle in the response queue of the SM. */
static CT_INLINE int deliver_reply(struct ct_replay *r, const struct rp_packet *p, uint64_t cycle)
{
	struct rp_sm *sm = &r->sm[p->sm];
	struct rp_packet *q = rp_ring_new(&sm->replies);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = *p;
	q->when = cycle + 1 + hop_cycles(r);
	if (sm->replies.n == 1)
		rp_sm_set_reply(r, sm);
	return 0;
}

/* One packet from the head of ring q. */
static CT_INLINE int move_packet(struct ct_replay *r, int requests, struct rp_ring *q, uint64_t cycle,
                                 int usual)
{
	struct rp_packet *k = rp_ring_first(q);
	rp_ring_bring(q, 2);
	if (!rp_usual_alone(usual) && k->kind >= RP_PK_MESSAGE) { /* its end may put in the next */
		uint64_t at = cycle + (requests ? hop_cycles(r) + r->g.llc_latency : 1 + hop_cycles(r));
		if (k->kind != RP_PK_RELAY)
			rp_note_arrive(r, k->id, at);
		else if (requests)
			rp_llc_relay(r, k, at);
		else
			rp_sm_relay(r, k, at);
		rp_ring_pop(q);
		return r->error.status;
	}
	if ((requests ? deliver_request(r, k, cycle, usual) : deliver_reply(r, k, cycle)) < 0)
		return -1;
	rp_ring_pop(q);
	return 0;
}

/* A tick of the network, in core cycle `cycle`: each output takes a packet. One of several flits keeps its output
 * and its input busy for as many ticks. Returns how many packets it has moved, or -1. */
static CT_INLINE int serve_outputs(struct rp_net *n, struct ct_replay *r, int requests, uint64_t from,
                                   uint64_t cycle, uint64_t to, uint64_t tick, int usual)
{
	int moved = 0, nothing = !usual && (r->free & CT_REPLAY_FREE_NETWORK) != 0;
	int one = usual || nothing || r->g.noc_flits_as_one;
	uint64_t flits = 0;
	for (uint32_t w = 0; w * 64 < n->outputs; w++) {
		uint64_t later = ~UINT64_C(0), v;
		while ((v = n->busy[w] & later) != 0) {
			uint32_t bit = ct_low_bit(v), o = w * 64 + bit;
			later = ~UINT64_C(1) << bit;
			if ((!usual && n->free_at[o] > tick) || n->out[o].n >= RP_NET_QUEUE)
				continue;
			uint32_t words = words_of(n, usual);
			uint32_t i = round_robin(n->want + (size_t)o * words, words, n->next[o]);
			struct rp_ring *q = rp_usual_alone(usual) ? n->head[i].ring
			                                          : head_of(r, requests, i);
			const struct rp_packet *k = rp_ring_first(q);
			uint32_t f = usual || nothing || (one && k->kind < RP_PK_MESSAGE)
			                     ? 1
			                     : rp_packet_flits(r, k, requests);
			moved++;
			unask_output(n, i, o, usual);
			n->next[o] = i + 1 == n->inputs ? 0 : i + 1;
			if (!usual)
				n->free_at[o] = nothing ? tick : tick + f;
			if (!one)
				n->sends_at[i] = rp_max64(rp_noc_core(r, tick + f, usual), cycle + 1);
			flits += f;
			if (move_packet(r, requests, q, rp_noc_core(r, tick + f - 1, usual), usual) < 0)
				return -1;
			queue_input(n, r, requests, i, from, cycle, to, usual);
		}
	}
	*(requests ? &r->total.noc_request_busy : &r->total.noc_reply_busy) += flits;
	return moved;
}

/* Counts a tick in which packets that wait, and those of several flits that are still leaving, are as many as can pass. */
static CT_INLINE void count_backlog(const struct rp_net *n, struct ct_replay *r, int requests,
                                    uint64_t cycle, int usual)
{
	uint32_t have = n->pending;
	if (!usual && !r->g.noc_flits_as_one)
		for (uint32_t i = 0; i < n->inputs && have < n->full; i++)
			have += n->sends_at[i] > cycle;
	if (have >= n->full)
		++*(requests ? &r->total.noc_request_backlog : &r->total.noc_reply_backlog);
}

/* The ticks of the network in a core cycle: in each, slices take what has arrived, and each output serves one
 * input. A network that costs nothing serves until no head is left. */
static CT_INLINE int run_ticks(struct rp_net *n, struct ct_replay *r, int requests, uint64_t from,
                               uint64_t cycle, uint64_t to, int usual)
{
	uint64_t tick = rp_noc_tick(r, cycle, usual), end = rp_noc_tick(r, cycle + 1, usual);
	for (; tick < end; tick++) {
		if (n->held && deliver_requests(n, r, cycle) < 0)
			return -1;
		count_backlog(n, r, requests, cycle, usual);
		int moved = n->pending ? serve_outputs(n, r, requests, from, cycle, to, tick, usual) : 0;
		while (!usual && moved > 0 && n->pending && (r->free & CT_REPLAY_FREE_NETWORK))
			moved = serve_outputs(n, r, requests, from, cycle, to, tick, usual);
		if (moved < 0)
			return -1;
	}
	return 0;
}

/* Runs the network through the cycles [from, to): inputs whose head is due in a cycle ask for their
 * output, then the ticks of that cycle pass. */
static CT_INLINE int run_network(struct rp_net *n, struct ct_replay *r, int requests, uint64_t from,
                                 uint64_t to, int usual)
{
	for (uint32_t w = 0; w < n->words; w++) {
		uint64_t ask = asking(n, w);
		for (uint32_t i = w * 64; i < n->inputs && i < w * 64 + 64; i++)
			if (!(ask >> i % 64 & 1))
				queue_input(n, r, requests, i, from, from, to, usual);
	}
	for (uint64_t cycle = from; cycle < to && (n->later | n->pending | n->held); cycle++) {
		uint32_t b = (uint32_t)(cycle - from), i = n->bucket[b];
		n->bucket[b] = RP_NO_INDEX;
		while (i != RP_NO_INDEX) {
			uint32_t next = n->chain[i];
			n->later--;
			ask_output(n, i,
			           rp_usual_alone(usual)
			                   ? n->head[i].output
			                   : output_of(requests, rp_ring_first(head_of(r, requests, i))),
			           usual);
			i = next;
		}
		if (run_ticks(n, r, requests, from, cycle, to, usual) < 0)
			return -1;
	}
	return 0;
}

/* In which of the ways the network is usual, 0: in none. */
static int usual_network(const struct ct_replay *r, const struct rp_net *n)
{
	if (r->free || !r->noc_clock.same || !r->g.noc_flits_as_one)
		return 0;
	return (n->words == 1 ? USUAL_ONE_WORD : USUAL_SOME_WORDS) |
	       (r->usual_memory && !r->parts ? 0 : RP_WITH_PARTS);
}

/* run_network() with its last parameter as a constant. */
static CT_INLINE int run_as(struct rp_net *n, struct ct_replay *r, int requests, uint64_t from,
                            uint64_t to)
{
	switch (usual_network(r, n)) {
	case USUAL_ONE_WORD: return run_network(n, r, requests, from, to, USUAL_ONE_WORD);
	case USUAL_SOME_WORDS: return run_network(n, r, requests, from, to, USUAL_SOME_WORDS);
	case USUAL_ONE_WORD | RP_WITH_PARTS:
		return run_network(n, r, requests, from, to, USUAL_ONE_WORD | RP_WITH_PARTS);
	case USUAL_SOME_WORDS | RP_WITH_PARTS:
		return run_network(n, r, requests, from, to, USUAL_SOME_WORDS | RP_WITH_PARTS);
	default: return run_network(n, r, requests, from, to, 0);
	}
}

int rp_net_requests(struct ct_replay *r, uint64_t from, uint64_t to)
{
	return run_as(r->to_llc, r, 1, from, to);
}

int rp_net_replies(struct ct_replay *r, uint64_t from, uint64_t to)
{
	return run_as(r->to_sm, r, 0, from, to);
}

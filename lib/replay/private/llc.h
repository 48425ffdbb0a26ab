/* llc.h - slices of the LLC and the DRAM channels behind them (private). */
#ifndef CT_REPLAY_LLC_H
#define CT_REPLAY_LLC_H

#include "base/hot.h"
#include "replay/private/memory.h"

enum { RP_L2_QUEUE = 64 }; /* icnt-L2, L2-DRAM, DRAM-L2, L2-icnt (doc/replay.md section 11) */

#define RP_PART_READ 0x80000000u /* in rp_dram_req.mshr: a part's, not a MSHR */

/* A request to DRAM: the fill of one sector, or the write-back of a line's. */
struct rp_dram_req {
	uint64_t row;
	union {
		uint64_t due;  /* in a delay line, returning: DRAM cycle */
		uint32_t next; /* in the list of a bank, free */
	};
	uint32_t mshr;  /* of the slice; RP_NO_INDEX: a write */
	uint32_t atoms; /* column commands left */
	uint16_t slice, channel;
	uint8_t bank;
};

struct rp_req_ring {
	struct rp_dram_req *p;
	uint32_t cap, head, n;
};

struct rp_bank {
	uint64_t row;                               /* that is open, or was last */
	uint64_t rcd, rcdwr, ras, rc, rp, wtp, rtp; /* DRAM cycles from which it is over */
	uint32_t head, tail;                        /* queue, oldest first */
	uint32_t current;                           /* request being served */
	int open;
};

struct rp_channel {
	struct rp_bank *bank;
	struct rp_dram_req *pool;
	uint32_t pool_free;
	uint32_t queued, held;  /* in the banks' lists; the same and those that are being served */
	uint32_t serving;       /* banks with a current request */
	uint32_t waiting_banks; /* banks with a queue */
	uint64_t backlog_from;  /* the DRAM cycle since which it holds as many as there are banks */
	/* of serving, by what the current request needs next: its row is open; no row is; another is */
	uint32_t to_access, to_open, to_close;
	uint32_t writes; /* of serving, those whose current request is a write */
	/* of each that serves: no command for its current request before, by the bank's own distances; those
	 * of them that have come to that cycle */
	uint64_t ready[32];
	uint32_t ripe;
	struct rp_req_ring delay; /* dram_latency */
	struct rp_req_ring returning;
	uint64_t ccd, rrd, rtw, wtr, ccdl[8], rtpl[8];
	uint32_t prio, last_slice;
	uint64_t private_credit; /* bit slice % 64: it has taken its own */
	uint32_t shared_credit;
	uint64_t next, next_core; /* DRAM and core cycle with something to do */
	uint64_t command_at;      /* no command before this DRAM cycle */
	/* none of the slices' requests could be taken, and nothing has changed since */
	int blocked;
};

struct rp_l2_waiter {
	uint32_t next, id, group;
	uint16_t sm;
	uint8_t kind, payload;
};
struct rp_l2_mshr {
	uint64_t sector;
	uint32_t next, head, tail, count;
	uint32_t line; /* index in tags */
	uint8_t atomic;
	/* fetched beside another sector, whose request this was; nobody has asked for it yet */
	uint8_t beside;
	uint16_t sm;
	uint32_t group;
};

struct rp_past {
	uint64_t entered, left;
};

struct rp_slice {
	_Alignas(64) uint32_t id;
	struct rp_tags tags;
	struct rp_ring input;   /* delay line and input queue; when: enters the queue */
	struct rp_ring relayed; /* messages to be passed on; when: in the slice */
	struct rp_past *past;   /* requests that left the input queue in this window */
	uint32_t past_cap, npast;
	uint32_t past_in, past_out, input_in; /* of past and input: how many by the last cycle that
	                            the network asked about had entered, left, entered */
	uint64_t room_until;                  /* up to this cycle the queue has room for certain */
	uint64_t room_from;                   /* before this one it has none */
	uint32_t ready,
		ready_last; /* waiters that are filled and to be answered: a list, RP_NO_INDEX: none */
	uint64_t answered;  /* cycle after that of the last of these answers */
	struct rp_ring replies; /* when: put into the network */
	uint64_t reply_last;    /* tick of the network in which the last of them is put into it */
	struct rp_l2_mshr *mshr;
	struct rp_spare mshr_spare;
	uint32_t *bucket, bucket_mask, mshr_entries;
	struct rp_l2_waiter *waiter;
	uint32_t waiter_cap, waiter_free;
	struct rp_req_ring missq, to_dram, fills;
	uint32_t clock;            /* accesses so far: recency of memcpys */
	uint32_t near;             /* line index of the last access */
	uint64_t busy;             /* the tags serve nothing before this cycle */
	int stalled;               /* the head failed and nothing has changed since */
	int merge_full;            /* it did since its sector's entry takes no more requests */
	uint64_t merge_full_since; /* cycle + 1 of the first time that this head did; 0: it has not */
	uint64_t next;             /* core cycle with something to do */
	uint64_t part_at;          /* the same of parts: events and messages to be passed on */
};

struct rp_partition {
	uint32_t first_slice, nslices;
	struct rp_channel *channel;
	uint32_t first_channel, nchannels;
	uint32_t to_dram; /* requests in the queues of that name of its slices */
	int changed; /* a channel may find something to take from its slices that it did not before */
	uint64_t next;
};

/* Whether the line of a store that misses is read. */
static inline int rp_llc_fetches(const struct ct_replay *r)
{
	return r->g.llc.write_policy == CT_WRITE_BACK_FETCH;
}

int rp_req_grow(struct rp_req_ring *q);
static inline struct rp_dram_req *rp_req_at(const struct rp_req_ring *q, uint32_t i)
{
	return &q->p[(q->head + i) & (q->cap - 1)];
}
/* A place behind the last, not cleared; NULL: out of memory. */
static inline struct rp_dram_req *rp_req_new(struct rp_req_ring *q)
{
	if (q->n == q->cap && rp_req_grow(q) < 0)
		return NULL;
	return &q->p[(q->head + q->n++) & (q->cap - 1)];
}
static inline int rp_req_push(struct rp_req_ring *q, const struct rp_dram_req *p)
{
	struct rp_dram_req *to = rp_req_new(q);
	if (!to)
		return -1;
	*to = *p;
	return 0;
}
static inline struct rp_dram_req *rp_req_first(const struct rp_req_ring *q)
{
	return &q->p[q->head];
}
/* Removes the oldest request, as rp_ring_pop() does. */
static inline void rp_req_pop(struct rp_req_ring *q)
{
	q->head = --q->n ? (q->head + 1) & (q->cap - 1) : 0;
}

/* llc.c: for queues that may not have room. */
int rp_llc_has_room(const struct ct_replay *r, struct rp_slice *s, uint64_t cycle);
/* Whether the slice's input queue has the four free places that it wants before it takes
 * a packet from the network in this cycle. */
static inline int rp_llc_accepts(const struct ct_replay *r, uint32_t slice, uint64_t cycle)
{
	struct rp_slice *s = &r->slice[slice];
	if (cycle < s->room_from)
		return 0;
	return cycle <= s->room_until || s->input.n + s->npast + 4 <= r->g.llc_queue ||
	       rp_llc_has_room(r, s, cycle);
}
/* Puts a request for one sector into the slice's input queue. */
static CT_INLINE int rp_llc_put(struct ct_replay *r, const struct rp_packet *p, uint64_t when)
{
	struct rp_slice *s = &r->slice[p->slice];
	struct rp_packet *q = rp_ring_new(&s->input);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = *p;
	q->when = when;
	rp_tags_prefetch(&s->tags, p->address >> r->llc_line_bits);
	if (!s->stalled && s->input.n == 1) {
		struct rp_partition *part = &r->part[p->slice / r->map.per_channel];
		s->next = s->next < when + 1 ? s->next : when + 1;
		part->next = part->next < s->next ? part->next : s->next;
	}
	return 0;
}

/* llc.c: outstanding misses that an L1 or a slice of so many lines keeps: what is configured, or one
 * more than can be under way, since each has reserved a sector. */
uint32_t rp_mshr_entries(const struct ct_cache_params *c, uint32_t lines);

/* llc.c: a message that the slice of *p passes on reaches it in cycle `at`; they come in the order of their cycles. */
int rp_llc_relay(struct ct_replay *r, const struct rp_packet *p, uint64_t at);
/* slice.c, for parts: a reply into the slice's queue, counts of an access, a request to DRAM, the
 * slice's next cycle brought forward. */
int rp_llc_reply(struct ct_replay *r, uint32_t slice, const struct rp_packet *p, uint64_t now);
void rp_llc_count(struct ct_replay *r, const struct rp_packet *p, int pending, int miss);
int rp_llc_to_dram(struct ct_replay *r, uint32_t slice, uint64_t address, uint32_t mshr, uint32_t bytes);
void rp_llc_wake(struct ct_replay *r, uint32_t slice, uint64_t at);

/* dram.c */
int rp_dram_init(struct ct_replay *r, struct rp_channel *c, struct ct_error *e);
void rp_dram_free(struct rp_channel *c);
/* First DRAM cycle that belongs to a core cycle. */
static inline uint64_t rp_dram_cycle_of(const struct ct_replay *r, uint64_t core)
{
	return rp_tick_of(&r->dram_clock, core);
}
/* The core cycle during which a DRAM cycle passes. */
static inline uint64_t rp_dram_core_of(const struct ct_replay *r, uint64_t cycle)
{
	return cycle == RP_NEVER64 ? RP_NEVER64 : rp_core_of(&r->dram_clock, cycle);
}
/* Runs the channel's cycles that belong to core cycle `core`, its next one. */
int rp_dram_step(struct ct_replay *r, struct rp_partition *p, struct rp_channel *c, uint64_t core);
/* Something that the channel may take from a slice has come, or room for its answer, by the beginning of core cycle
 * `core`. */
void rp_dram_wake(struct ct_replay *r, struct rp_channel *c, uint64_t core);
int rp_dram_idle(const struct rp_channel *c);

#endif

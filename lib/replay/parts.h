/* parts.h - mechanisms as parts that are plugged into the replay engine.
 *
 * A part is a table of functions with a context. The engine calls it where hardware would
 * ask it; the part answers at once, or later by a call of its own. Parts are given in
 * ct_replay_options.parts; any of them may be missing, and without any the engine is what it
 * always was. All live as long as the engine does and belong to the caller.
 *
 * PLACES AND TIME. An SM is node sm; slice i of the LLC is node ct_part_slice(r, i). Every
 * cycle here is a core cycle of the memory system, which never starts again at a launch.
 * Everything that happens at one node happens in the order of its cycles; nodes run apart
 * by at most one window. The window is the smallest of: the engine's own (about the
 * LLC's latency), `least` of the networks given, and ct_replay_parts.window. So whatever
 * goes from node to node by ct_part_send() is causal by itself; a part whose nodes look
 * directly into each other's state sees it up to a window off, and sets window = 1 where that
 * matters (exact then, and some times slower). The order of calls is always the same,
 * for every machine.
 *
 * A callback gets `cycle`, the present one of its node, and hands it on to the functions that
 * want `now`. Functions that name a node may be called from a callback of that node,
 * unless they say "from anywhere".
 *
 * In one cycle an SM does, in this order: replies and fills; L1 lookups; the load/store unit;
 * messages and timers; collectors; schedulers. So a timer of this cycle knows what the
 * SM's own lookups of this cycle were (local before remote requests at a home core).
 *
 * ERRORS. ct_part_fail() ends the run: the next call of the engine's interface returns it. So do
 * parts that let no ready warp issue for a million cycles.
 * THREADS. As the engine: one thread. */
#ifndef CT_REPLAY_PARTS_H
#define CT_REPLAY_PARTS_H

#include <stdint.h>

#include "base/decls.h"
#include "gpu/address.h"
#include "gpu/gpu.h"
#include "replay/network.h"
#include "replay/replay.h"
#include "trace/record.h"

CT_DECLS_BEGIN

#define CT_NO_CYCLE UINT64_MAX

/* ---- what every part has ---- */

/* A packet from node to node. Only from, to and bytes mean something to the engine. */
struct ct_message {
	uint32_t from, to;
	uint32_t bytes; /* payload; the GPU's header bytes come on top */
	uint32_t kind;  /* these four are the part's own */
	uint64_t a, b, c;
};

/* Counts at a tick, from the beginning of the run, all SMs. */
struct ct_part_counts {
	uint64_t cycle, warp_insts, thread_insts;
};

/* Begins every table of functions. Every function may be NULL. */
struct ct_part {
	void *ctx;
	/* A launch begins (k), or has ended (k is NULL). */
	void (*kernel)(void *ctx, struct ct_replay *r, const struct ct_kernel *k, uint64_t cycle);
	/* A message of this part has arrived at m->to; m is gone after the call. */
	void (*message)(void *ctx, struct ct_replay *r, const struct ct_message *m, uint64_t cycle);
	/* A timer of this part. */
	void (*timer)(void *ctx, struct ct_replay *r, uint32_t node, uint64_t data, uint64_t cycle);
	/* Every `interval` cycles (0: never), at the end of the window in which they are over. */
	void (*tick)(void *ctx, struct ct_replay *r, const struct ct_part_counts *c);
	uint64_t interval;
};

/* The GPU that is replayed. It belongs to the replay and does not change. */
const struct ct_gpu *ct_part_gpu(const struct ct_replay *r);
/* The node of an LLC slice, as messages name it: slices stand behind the SMs. Pure. */
static inline uint32_t ct_part_slice(const struct ct_gpu *g, uint32_t slice)
{
	return g->sms + slice;
}
/* Slice, channel and LLC set of an address. From anywhere. */
struct ct_place ct_part_place(const struct ct_replay *r, uint64_t address);
/* Ends the run; text is copied. From anywhere. */
void ct_part_fail(struct ct_replay *r, int status, const char *text);

/* Puts a message (copied) into a network at its node m->from; the part `p` gets it at m->to.
 * CT_NET_REQUEST and CT_NET_REPLY are those of the ordinary traffic, which it competes with:
 * the crossbar leads from SMs to slices and from slices to SMs only (anything else
 * ends the run); another network given as parts->network from any node to any. A message
 * to a slice over the crossbar takes the requests' whole way, llc_latency included.
 * CT_NET_OWN is parts->own. */
void ct_part_send(struct ct_replay *r, const struct ct_part *p, enum ct_net net,
                  const struct ct_message *m, uint64_t now);
/* Calls p->timer at `at` (at once after the present callback if that is not later). From
 * anywhere: for another node than the present it comes as soon after `at` as that node's
 * time allows. */
void ct_part_timer(struct ct_replay *r, const struct ct_part *p, uint32_t node, uint64_t at,
                   uint64_t data);
/* What ct_part_send() takes for a payload: flits with the header (1 where the
 * configuration counts packets). Pure. */
uint32_t ct_part_flits(const struct ct_gpu *g, uint32_t bytes);

/* A resource that serves one at a time, first come first served. Zero to begin with. */
struct ct_server {
	uint64_t free_at, busy, waited, served;
};
/* Takes it for `service` cycles from `now` on or as soon as it is free; the cycle in which
 * the service is over. */
static inline uint64_t ct_server_take(struct ct_server *s, uint64_t now, uint64_t service)
{
	uint64_t start = s->free_at > now ? s->free_at : now;
	s->waited += start - now;
	s->busy += service;
	s->served++;
	return s->free_at = start + service;
}

/* ---- L1 organisation (GPU-wide), and the request shaper in front of it ---- */

/* One line that a warp instruction asks for, in the part's own lines and chunks. Atomics and
 * what bypasses the L1 by its opcode never come here. */
struct ct_l1_request {
	uint64_t token;       /* names the request until each of its chunks is answered */
	uint64_t address;     /* of the line's first byte */
	uint32_t sm, warp;    /* hardware warp of the SM */
	uint32_t sid;         /* static instruction */
	uint32_t mask;        /* chunks wanted */
	uint64_t bytes[2];    /* bytes wanted, of lines up to 128 B */
	uint32_t instruction; /* number of the SM's memory instruction: equal for its lines */
	uint8_t is_write;
	uint32_t *
		memo; /* the part's own, of this line of this instruction: 0 when it is first looked up */
};

/* What a lookup found, as masks of chunks. The first four count into ct_replay_counts and the
 * observers' events; chunks in none of them do not (ct_l1_count() may follow). */
struct ct_l1_result {
	uint32_t hit, pending, sector_miss, line_miss;
	uint32_t done;  /* answered with this: data at `ready` */
	uint64_t ready; /* at least `cycle` (0: the same). On a retry: when (0: next cycle; with banks
	                   UINT64_MAX: after the next fill) */
	int forward;    /* store: on to the LLC, whose acknowledgement answers it */
	uint32_t again; /* of a part with banks: chunks of the request for which nothing was done */
};
enum ct_l1_outcome { CT_L1_TAKEN, CT_L1_RETRY /* nothing done; the pipeline waits */ };

struct ct_l1_part {
	struct ct_part part;
	uint32_t line, chunk; /* bytes, powers of two, line >= 32, at most 32 chunks a line; 0: the
	                          GPU's line and sector */
	int banks; /* 1, with the GPU's line and sector: sectors go through the banks of the engine's L1,
	               and those of a line that are ready in neighbouring ones are looked up together */
	/* A request at the end of the L1 pipeline, l1_latency cycles after it came in, one a
	 * cycle, or with banks one in each. *out is zero. What is not in out->done (and not forwarded) the part has to answer
	 * by ct_l1_answer(). */
	enum ct_l1_outcome (*lookup)(void *ctx, struct ct_replay *r, const struct ct_l1_request *q,
	                             uint64_t cycle, struct ct_l1_result *out);
	/* All of a ct_l1_fetch() has come; the write of a ct_l1_write() is acknowledged. */
	void (*filled)(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle);
	void (*written)(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t tag, uint64_t cycle);
	/* The SM's L1 has to be empty from now on (launch, or a fence with l1.flush). */
	void (*flush)(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t cycle);
};

/* The data of `chunks` (a load's) is there, or the store of `chunks` is over, at `at`; loads
 * take the write-back port and are in the registers two cycles later or more, as ordinary
 * fills. From anywhere (see ct_part_timer()). A chunk must not be answered twice. */
void ct_l1_answer(struct ct_replay *r, uint32_t sm, uint64_t token, uint32_t chunks, uint64_t at);
/* Reads chunks of `chunk` bytes (bit i: at address + i * chunk) from the LLC for this SM: one
 * request packet for each LLC line, one LLC access and reply packet for each LLC sector that
 * holds one of them, carrying just the chunks' bytes. filled() follows with the tag. */
void ct_l1_fetch(struct ct_replay *r, uint32_t sm, uint64_t address, uint32_t chunk, uint32_t chunks,
                 uint64_t tag, uint64_t now);
/* Writes chunks likewise, one packet for each LLC sector; written() follows. bytes (may
 * be NULL: whole chunks): mask of the 128 bytes from `address` on. */
void ct_l1_write(struct ct_replay *r, uint32_t sm, uint64_t address, uint32_t chunk, uint32_t chunks,
                 const uint64_t bytes[2], uint64_t tag, uint64_t now);
/* Packets of the SM's miss queue that have not left: for parts that bound it. */
uint32_t ct_l1_queued(const struct ct_replay *r, uint32_t sm, uint64_t now);
/* A message of the L1 organisation from SM m->from to SM m->to over the crossbar: a request packet up to the slice of the
 * address, which passes it on in the cycle in which it arrives there, as a reply packet of the same payload.
 * part.message() gets it after the other messages of its cycle, with the slice's node as m->from; m->b and m->c are the
 * engine's. */
void ct_l1_relay(struct ct_replay *r, uint64_t address, const struct ct_message *m, uint64_t now);
/* Calls part.timer() of the L1 organisation for the SM at `at`, with 0 as data, after the messages of that cycle: one
 * timer for each SM, not to be set again before it has come. It costs less than ct_part_timer(). */
void ct_l1_timer(struct ct_replay *r, uint32_t sm, uint64_t at);
/* Counts n chunks' accesses of which `misses` missed and `pending` were pending. From anywhere. */
void ct_l1_count(struct ct_replay *r, uint32_t sm, int is_write, uint32_t n, uint32_t misses,
                 uint32_t pending);

/* ---- admission to the engine's own L1s ---- */

/* A line that an instruction asks an L1 for. */
struct ct_admission_visit {
	uint64_t line, pc; /* address / line bytes; of the instruction, in its kernel */
	uint32_t sm, sid;
	uint32_t
		slot; /* of the SM's L1 in which the line lies, below ct_admission_slots(); UINT32_MAX: in none */
};

/* Decides which loads may put their lines into the L1s, whose organisation stays the engine's own. Each
 * function is called at most once for a line of an instruction. The L1 forgets all slots at a flush, without
 * a call. */
struct ct_admission_part {
	struct ct_part part;
	/* A load misses its line: 1 when it may take a slot; 0 when what it asks for passes the L1, through a MSHR
	 * entry as every miss. May be NULL: always 1. */
	int (*may_allocate)(void *ctx, const struct ct_admission_visit *v);
	/* A load finds its line. hit: a sector that it asks for is there or on its way; else only the line is. */
	void (*found)(void *ctx, const struct ct_admission_visit *v, int hit);
	/* A load or store has put its line into the slot. evicted: another line had to leave it. */
	void (*allocated)(void *ctx, const struct ct_admission_visit *v, int evicted);
};
/* Slots of an L1 of that GPU at its largest. Pure. */
uint32_t ct_admission_slots(const struct ct_gpu *g);

/* Holds requests in front of the L1's pipeline and gives them in an order of its own
 * (MRPB). Needs an L1 organisation. */
struct ct_shaper_part {
	struct ct_part part;
	/* The load/store unit hands over a request (one a cycle). */
	void (*put)(void *ctx, struct ct_replay *r, const struct ct_l1_request *q, uint64_t cycle);
	/* 1: *token enters the pipeline in this cycle. 0: nothing to give; asked again after a put,
	 * or at *again if the part sets it. Asked once a cycle; of an L1 organisation with banks for as long as sectors of
	 * what it gives find their banks free, the others enter in later cycles before anything else. */
	int (*next)(void *ctx, struct ct_replay *r, uint32_t sm, uint64_t cycle, uint64_t *token,
	            uint64_t *again);
};

/* ---- LLC organisation ---- */

/* A request at the head of a slice's input queue: one LLC sector. Values are not carried: an
 * issue observer sees them (struct ct_inst.values). */
struct ct_llc_request {
	uint64_t token, address;   /* of the sector */
	uint32_t slice, sm, bytes; /* bytes: mask within the sector, of a store */
	uint32_t llc_set;
	uint8_t is_write, is_atomic;
	uint32_t data; /* bytes that came with a store */
};
enum ct_llc_outcome {
	CT_LLC_PASS,  /* to the ordinary tags */
	CT_LLC_TAKEN, /* ct_llc_answer() will follow */
	CT_LLC_RETRY  /* asked again in the next cycle; what is behind it waits */
};
enum ct_llc_what { CT_LLC_HIT, CT_LLC_PENDING, CT_LLC_MISS, CT_LLC_UNCOUNTED };

struct ct_llc_part {
	struct ct_part part;
	enum ct_llc_outcome (*access)(void *ctx, struct ct_replay *r, const struct ct_llc_request *q,
	                              uint64_t cycle);
	/* A ct_llc_read() has come back from DRAM. */
	void (*read)(void *ctx, struct ct_replay *r, uint32_t slice, uint64_t tag, uint64_t cycle);
};

/* Replies to the requester of a taken request (data, or an acknowledgement), and counts it
 * as an LLC access. From anywhere: at `at` or as soon after as the slice's time allows. */
void ct_llc_answer(struct ct_replay *r, uint32_t slice, uint64_t token, enum ct_llc_what what,
                   uint64_t at);
/* Reads (writes) `bytes` at an address of the slice's partition from (to) DRAM, past the tags:
 * one request of that many bytes. */
void ct_llc_read(struct ct_replay *r, uint32_t slice, uint64_t address, uint32_t bytes, uint64_t tag,
                 uint64_t now);
void ct_llc_write(struct ct_replay *r, uint32_t slice, uint64_t address, uint32_t bytes, uint64_t now);

/* ---- warp scheduler ---- */

/* What a scheduler sees of its slots: slot i is hardware warp i * schedulers + sched. */
struct ct_sched_view {
	uint32_t sm, sched, slots;
	uint32_t last;     /* slot that issued last */
	uint64_t ready;    /* operands there, the stage behind takes its kind of instruction */
	uint64_t live;     /* with instructions left */
	uint64_t fetching; /* of live: waits for data of a global or local load, for an atomic,
	                          at a barrier or a fence */
};
struct ct_sched_part {
	struct ct_part part;
	/* The slot to issue from, a bit of v->ready; or -1: none in this cycle. Asked in each
	 * cycle in which v->ready is not 0: in all others nothing could issue. */
	int (*pick)(void *ctx, struct ct_replay *r, const struct ct_sched_view *v, uint64_t cycle);
	/* It has issued (a collector may have refused what pick() chose). May be NULL. */
	void (*issued)(void *ctx, struct ct_replay *r, uint32_t sm, uint32_t sched, uint32_t slot,
	               uint64_t cycle);
};
/* The age of a slot's warp: smaller is older (launch order). For pick(). */
uint64_t ct_sched_age(const struct ct_replay *r, uint32_t sm, uint32_t sched, uint32_t slot);
/* The oldest of some of the scheduler's slots, a mask that is not 0. For pick(). */
uint32_t ct_sched_oldest(const struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t slots);

/* Two levels (reading two-level): only the `active` warps of a set may issue, loose round robin; one
 * that waits for global or local memory or at a barrier leaves it, the oldest pending one that does not
 * takes its place. States (reading two-level-states): 1 an active warp is ready, 2 only pending ones are,
 * 3 none. */
struct ct_two_level;
int ct_two_level_new(struct ct_two_level **t, const struct ct_gpu *g, uint32_t active,
                     struct ct_error *e);
const struct ct_sched_part *ct_two_level_part(const struct ct_two_level *t); /* lives in t */
/* Scheduler cycles in states 1 and 2 so far; what is left of the run is state 3. */
void ct_two_level_states(const struct ct_two_level *t, uint64_t cycles[2]);
void ct_two_level_free(struct ct_two_level *t); /* NULL allowed */

/* ---- operand collector ---- */

enum { CT_MAX_OPERANDS = 32 };
/* Registers of the general file that an instruction reads and writes, those that the trace leaves
 * unnamed included: a 64-bit operand is two registers, a 128-bit one four (trace/operands.h). In
 * operand order; a register named twice is there twice; what goes beyond 32 is left out. */
struct ct_operands {
	uint8_t nread, nwrite, read[CT_MAX_OPERANDS], write[CT_MAX_OPERANDS];
};
void ct_operands_of(const struct ct_sinst *s, struct ct_operands *o); /* pure */

struct ct_issue {
	uint64_t token;           /* names the instruction until left() */
	uint32_t sm, sched, warp; /* hardware warp */
	uint64_t warp_key;        /* unique per warp of the launch */
	uint32_t sid;
	const struct ct_sinst *sinst;
	const struct ct_inst *inst;
	const struct ct_operands *operands;
};
enum ct_issue_verdict {
	CT_ISSUE_GO,
	CT_ISSUE_NEXT, /* not this warp in this cycle; another may */
	CT_ISSUE_NONE  /* the scheduler issues nothing in this cycle */
};
struct ct_collector_part {
	struct ct_part part;
	/* May the instruction issue? q->token means nothing yet. May be NULL: always. */
	enum ct_issue_verdict (*veto)(void *ctx, struct ct_replay *r, const struct ct_issue *q,
	                              uint64_t cycle);
	/* It has issued. The part calls ct_collector_done() once its operands are there. */
	void (*take)(void *ctx, struct ct_replay *r, const struct ct_issue *q, uint64_t cycle);
	/* It leaves for its unit in `at` (not before the cycle of done): the collector is free. */
	void (*left)(void *ctx, struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t token,
	             uint64_t at);
	/* A result is written to a register of a warp, at its cycle. May be NULL. */
	void (*write)(void *ctx, struct ct_replay *r, uint32_t sm, uint32_t sched, uint32_t warp,
	              uint32_t reg, uint64_t cycle);
	/* A clock of the sub-core: called in the cycle that ct_collector_clock() asked for; returns
	 * the next one or CT_NO_CYCLE. Runs before the schedulers of its cycle. May be NULL. */
	uint64_t (*clock)(void *ctx, struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t cycle);
	/* 1: what veto() has refused in this cycle it will refuse until an instruction of the sub-core has left(), and asking
	 * changes nothing. The scheduler waits for that then, or for another warp. May be NULL: asked every cycle. */
	int (*full)(void *ctx, uint32_t sm, uint32_t sched);
	/* Slots that veto() is known to answer CT_ISSUE_NEXT in this cycle, and asking changes nothing: they are not asked, and
	 * the scheduler does not see them as ready. May be NULL: all are asked. */
	uint64_t (*refused)(void *ctx, uint32_t sm, uint32_t sched);
};
/* The operands are read at `at` >= now: the instruction leaves as soon as its unit takes it. */
void ct_collector_done(struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t token, uint64_t at);
/* Has clock() called at `at`, or in this cycle if it is not over, or in the next. */
void ct_collector_clock(struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t at);

/* ---- all together ---- */

struct ct_replay_parts {
	const struct ct_shaper_part *shaper;
	const struct ct_l1_part *l1;
	const struct ct_admission_part *admission; /* not with l1 */
	const struct ct_llc_part *llc;
	const struct ct_sched_part *sched;
	const struct ct_collector_part *collector;
	const struct ct_network *network; /* request and reply; NULL: as noc.kind says. Nodes as
	                                     above: SMs, then slices */
	const struct ct_network *own;     /* for CT_NET_OWN; NULL: there is none */
	uint32_t window;                  /* cycles that nodes may run apart; 0: as many as can be */
	const uint8_t *owned;             /* one for each SM, not 0: gets no CTAs; NULL: none */
};

/* Adds the parts of `more` to those of `into`, for two mechanisms at work together; the window is the smaller of the two.
 * Fails with CT_ERR_USAGE, saying which place both take, where they exclude each other. */
int ct_replay_parts_join(struct ct_replay_parts *into, const struct ct_replay_parts *more,
                         struct ct_error *e);

CT_DECLS_END

#endif

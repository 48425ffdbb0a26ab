/* org.h - the L1 caches of all cores under private, shared and dynamic organisation: tags,
 * homes, the homes' MSHRs, phases, and what is counted (doc/papers/shared-l1.md).
 *
 * The object knows no time but for the stamps of the mode timeline; its caller says what
 * happens in which order: an access finds its route, is looked up at the L1 of the
 * route, perhaps waits for a fill, and the reply reaches the requester. Reads allocate;
 * stores write through, and do to the L1 what the GPU's write policy says. Shared organisations keep each line in its home alone:
 * a fill elsewhere is refused, which is the assertion that there are no two copies.
 *
 * One object belongs to one thread. */
#ifndef CT_MODELS_SHARED_L1_ORG_H
#define CT_MODELS_SHARED_L1_ORG_H

#include <stdint.h>

#include "base/error.h"
#include "models/shared_l1/phases.h"

enum ct_sl_organisation { CT_SL_ORG_PRIVATE, CT_SL_ORG_SHARED, CT_SL_ORG_DYNAMIC };

enum ct_sl_org_what { CT_SL_ROUTED, CT_SL_ACCESSED, CT_SL_FILLED, CT_SL_FLUSHED };
struct ct_sl_org_event {
	enum ct_sl_org_what what;
	unsigned at, from; /* L1 that serves, core that asks */
	uint64_t line;
	uint32_t mask; /* accessed, filled */
	int is_write;
};

struct ct_sl_org_config {
	enum ct_sl_organisation organisation;
	unsigned cores;
	uint32_t sets, ways; /* of each L1; dynamic: sets a multiple of 2 */
	uint32_t set_hash;   /* enum ct_set_hash */
	uint32_t write;      /* enum ct_write_policy */
	uint32_t whole;      /* mask of all sectors of a line, of which there are 32 at most */
	uint8_t by_bytes;    /* accesses name the bytes of a store: lines up to 128 B in sectors of 32 B;
	                        else a store writes whole sectors */
	uint32_t dirty_percent; /* lines written to stay while they are a smaller share; 0: never */
	enum ct_sl_homes homes;
	int reserve; /* a miss takes its line at once (GPGPU-Sim's allocation on
	                              miss); else the fill does */
	uint32_t mshr_entries,
		mshr_merge; /* per L1: sectors on their way, requests for one; 0: no limit */
	/* Min(H,L2): [(core * cores + home) * partitions + partition] is 1 where the partition is
	 * nearer; NULL: off. Must outlive the object. */
	const uint8_t *nearer;
	unsigned partitions;
	struct ct_sl_scheme scheme; /* dynamic */
};

struct ct_sl_org;
/* Fails with CT_ERR_USAGE, CT_ERR_NOMEM, CT_ERR_UNSUPPORTED for an L1 of more lines than lines.h holds. *o is the caller's. */
int ct_sl_org_new(struct ct_sl_org **o, const struct ct_sl_org_config *c, struct ct_error *e);
void ct_sl_org_free(struct ct_sl_org *o); /* NULL allowed */
/* Tells of what happens, in the order in which it happens (for tests); NULL: nobody. */
void ct_sl_org_watch(struct ct_sl_org *o, void (*watch)(void *ctx, const struct ct_sl_org_event *ev),
                     void *ctx);

struct ct_sl_route {
	enum ct_sl_way way;
	unsigned at; /* core whose L1 serves; the requester when past */
};
/* Where an own access of `core` goes, in the mode that the core is in now. Counts it. CT_OK
 * or CT_ERR_NOMEM. now: for the timeline. */
int ct_sl_org_route(struct ct_sl_org *o, unsigned core, uint64_t line, unsigned partition, uint64_t now,
                    struct ct_sl_route *r);

/* A request that waits for fills. */
struct ct_sl_waiter {
	uint64_t token; /* the caller's */
	unsigned from;
	uint32_t mask; /* sectors that it waits for; handed back: that have come */
	int missed;    /* it started a fetch: counts for the home's miss rate in AMAT */
	int last;      /* handed back: it waits for nothing any more */
};
/* Sectors of a line that core `from` asks the L1 of core `at` for. */
struct ct_sl_access {
	unsigned at, from;
	uint64_t line;
	uint32_t mask;
	int is_write;
	uint64_t bytes[2]; /* of a store, with config.by_bytes */
	uint64_t token;    /* of a read, for those who wait */
	uint32_t
		room; /* requests to the LLC that may be sent: a sector to be fetched and one written need one, a
	                      read that joins others needs to find one free */
	uint64_t now; /* cycle: what is touched longest ago leaves first; and for the timeline */
};
struct ct_sl_found {
	uint32_t hit, pending, sector_miss, line_miss, again; /* a partition of the mask */
	uint32_t fetch; /* read: sectors that the caller has to fetch now */
	uint32_t waits; /* read: sectors that the token waits for */
	int no_room; /* some are tried again because no request may be sent; else only a fill makes them go on */
};
enum { CT_SL_RETRY = 1 };
/* Looks the sectors up. A read that does not find all waits until ct_sl_org_fill() has handed the others back; a store does
 * to the L1 what the GPU's l1.write says, and is the caller's to send on. found->again: sectors for which nothing was done,
 * as there was no room, no MSHR or no line that could leave. Returns CT_OK, CT_SL_RETRY (that is so for all), or
 * CT_ERR_NOMEM. */
int ct_sl_org_access(struct ct_sl_org *o, const struct ct_sl_access *a, struct ct_sl_found *f);
/* Sectors have come to core `at`: calls done for every waiter of them, in order of
 * arrival. Returns CT_OK, or CT_ERR_INPUT if a shared organisation would hold a line outside
 * its home or one that nobody waits for; CT_ERR_NOMEM. */
int ct_sl_org_fill(struct ct_sl_org *o, unsigned at, uint64_t line, uint32_t mask, uint64_t now,
                   void (*done)(void *ctx, const struct ct_sl_waiter *w), void *ctx);
/* A home's reply has reached core `core`, to a read that missed there or not, or to a store. */
void ct_sl_org_reply(struct ct_sl_org *o, unsigned core, uint64_t line, int missed);
/* The LLC has acknowledged a store to core `at`. */
void ct_sl_org_ack(struct ct_sl_org *o, unsigned at, uint64_t line);
/* Empties one L1; what is on its way is not kept when it comes. */
void ct_sl_org_flush(struct ct_sl_org *o, unsigned core);

/* How many L1s hold any of a line. O(1). */
unsigned ct_sl_org_copies(const struct ct_sl_org *o, uint64_t line);
unsigned ct_sl_org_home(const struct ct_sl_org *o, uint64_t line);

struct ct_sl_org_stats {
	uint64_t reads, writes;              /* line accesses that reached an L1 */
	uint64_t read_misses, write_misses;  /* of them: any sector neither there nor on its way */
	uint64_t local, remote, past;        /* own accesses by way */
	uint64_t fills;                      /* read misses of absent lines */
	uint64_t landed, replicated, copies; /* of them, those that have come; whose line another L1
	                                      held then, as the engine counts for private L1s
	                                      (reading seen-at-fill); copies over all L1s after it
	                                      (reading mean-replicas) */
	uint64_t max_home;                   /* accesses of the busiest L1 */
	double camping;                      /* mean over windows of 64 accesses per core of busiest
	                                      over mean home (reading home-camping); NaN without
	                                      a whole one */
	struct ct_sl_phase_stats phases;     /* of a dynamic scheme */
};
void ct_sl_org_stats(const struct ct_sl_org *o, struct ct_sl_org_stats *s);

/* Mode changes of a dynamic scheme (phases.h); none else. */
const struct ct_sl_change *ct_sl_org_timeline(const struct ct_sl_org *o, size_t *n);
/* Gives every L1 another shape, empty, between launches (an adaptive L1): nothing may be on
 * its way. Fails as ct_sl_org_new(). */
int ct_sl_org_reshape(struct ct_sl_org *o, uint32_t sets, uint32_t ways, struct ct_error *e);

#endif

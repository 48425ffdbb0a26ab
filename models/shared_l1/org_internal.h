/* org_internal.h - what org.c (tags, homes, MSHRs) and org_modes.c (counters, phases of the
 * dynamic schemes) share. Private to the two. */
#ifndef CT_MODELS_SHARED_L1_ORG_INTERNAL_H
#define CT_MODELS_SHARED_L1_ORG_INTERNAL_H

#include "models/shared_l1/org.h"

enum { SL_BUCKETS = 4096 };
#define SL_NONE UINT32_MAX

struct sl_way {
	uint64_t line, stamp;
	uint32_t valid;          /* sectors */
	uint8_t used;
	uint8_t reserved;        /* something is on its way */
	uint8_t dead;            /* flushed meanwhile: not kept */
};

/* A line on its way to an L1. */
struct sl_entry {
	uint64_t line;
	unsigned at;
	uint32_t pending;
	uint32_t next;           /* in its bucket, or next free */
	uint32_t head, tail, count; /* waiters */
	uint8_t fresh;           /* the line was absent: its fill is counted */
	uint8_t dead;
};
struct sl_waiting { struct ct_sl_waiter w; uint32_t next; };

struct sl_core {
	uint32_t mshrs;
	uint32_t state;          /* enum ct_sl_state */
	uint32_t before;         /* 1: was shared when it last decided */
	double counted[2];       /* towards the end of the phase; execution: [0] */
	struct ct_sl_group group[2];
	uint64_t served;         /* accesses of its L1 */
	uint64_t window;         /* of them in the present window */
};

/* Lines that some L1 holds or held, and in how many it is: open addressing, never shrinks. */
struct sl_copies { uint64_t line; uint32_t count; uint8_t used; };

struct ct_sl_org {
	struct ct_sl_org_config c;
	void (*watch)(void *ctx, const struct ct_sl_org_event *ev);
	void *watch_ctx;
	struct sl_way *way;      /* [core][set][way] */
	struct sl_core *core;
	struct sl_entry *entry;
	struct sl_waiting *waiter;
	size_t entries, entry_cap, waiters, waiter_cap;
	uint32_t free_entry, free_waiter;
	uint32_t bucket[SL_BUCKETS];
	struct sl_copies *copies;
	size_t copies_used, copies_cap; /* cap: a power of two */
	uint64_t clock;
	struct ct_sl_org_stats s;
	uint64_t in_window, windows;
	double camping, eb, amat;
	struct ct_sl_change *change;
	size_t changes, change_cap;
};

/* A line has come to (by 1) or left (by -1) an L1. CT_OK or CT_ERR_NOMEM (only when it comes). */
int sl_copies_add(struct ct_sl_org *o, uint64_t line, int by);

/* Group of a line's set while sampling: 0 private (even), 1 shared (odd). */
unsigned sl_group(const struct ct_sl_org *o, uint64_t line);
/* An own access of a core leaves for another home. */
void sl_note_remote(struct ct_sl_org *o, unsigned core, uint64_t line);
/* The L1 of `at` has served an access; may end a phase. CT_OK or CT_ERR_NOMEM. */
int sl_note_access(struct ct_sl_org *o, unsigned at, unsigned from, uint64_t line, int missed,
                   uint64_t now);
void sl_note_llc_reply(struct ct_sl_org *o, unsigned at, uint64_t line);

#endif

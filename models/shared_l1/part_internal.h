/* part_internal.h - what part.c (what happens) and part_make.c (how it is built, what it
 * counted) share. Private to the two. */
#ifndef CT_MODELS_SHARED_L1_PART_INTERNAL_H
#define CT_MODELS_SHARED_L1_PART_INTERNAL_H

#include "models/shared_l1/part.h"

#define SP_NONE UINT32_MAX
#define SP_TAG_FILL \
	(UINT64_C(1) << 63) /* of a fetch that an L1 keeps; the rest is the sector's number */

enum sp_message { SP_ASK, SP_GIVE };

/* A line request of a warp. */
struct sp_request {
	uint64_t token, line, bytes[2], arrived;
	uint32_t sm, mask, pieces;
	uint32_t todo; /* sectors that its home has not looked up yet */
	uint32_t open; /* lookups at its home that wait for fills or acknowledgements */
	uint32_t next; /* in its home's queue, or next free */
	uint8_t is_write, missed;
};

enum { SP_ARRIVALS = 32 };

struct sp_home {
	uint32_t head, tail; /* input queue */
	uint32_t appointed;  /* a timer is set */
	uint64_t busy_at;    /* cycle + 1 of the core's own last lookup */
	uint64_t busy_banks; /* that it took in that cycle */
	/* where they take turns: the first of the queue was refused, and the core has fetched a line since */
	uint8_t refused, owed;
	/* fills of the L1 and stores to it, by the low bits of their line: what was absent is absent until the next */
	uint32_t arrivals[SP_ARRIVALS];
	uint32_t refused_before; /* arrivals when the first of the queue, a read, was absent */
};

struct ct_sl_part {
	const struct ct_sl_system *system;
	struct ct_gpu gpu;
	struct ct_sl_params params;
	int own_net, forwarded;
	uint32_t line_bits, sector_bits; /* of the L1s */
	int banks_are_sectors;           /* a sector's number in its line is that of its bank */
	struct ct_sl_org *org;
	uint8_t *nearer;
	struct sp_home *home;
	struct sp_request *request;
	size_t requests, request_cap;
	uint32_t free_request;
	struct ct_l1_part l1;
	struct ct_replay_parts parts;
	struct ct_network *network, *own;
	uint64_t home_bytes, past_bytes, remote_reads, queue_waits;
};

void sp_hooks(struct ct_sl_part *p);

#endif

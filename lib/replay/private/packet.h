/* packet.h - what travels between SMs and slices, and the rings that it waits in (private). */
#ifndef CT_REPLAY_PRIVATE_PACKET_H
#define CT_REPLAY_PRIVATE_PACKET_H

#include <stdint.h>

#include "base/bits.h"

/* Odd ones carry data to the LLC. The last four belong to parts; those from RP_PK_MESSAGE on are messages. */
enum rp_packet_kind {
	RP_PK_READ = 0,
	RP_PK_STORE = 1,
	RP_PK_BYPASS = 2,
	RP_PK_ATOMIC = 4,
	RP_PK_WRITE = 3,
	RP_PK_FETCH = 6,
	RP_PK_MESSAGE = 8,
	RP_PK_RELAY =
		10 /* a slice passes it on; it holds the message (parts_net.c); group: the SM that it goes to */
};

/* A request, or its reply, for one LLC sector. */
struct rp_packet {
	uint64_t when;    /* cycle at which it is put into the present queue */
	uint64_t address; /* of the sector */
	uint32_t bytes;   /* stores: mask within the sector; fetches: eighths of each sector,
	                            four bits each; messages: flits */
	uint32_t id;      /* rp_mshr or rp_mem */
	uint32_t llc_set;
	uint32_t group; /* same number: one line of one instruction of the SM */
	uint16_t sm, slice;
	uint8_t kind;
	uint8_t payload; /* eighths of a sector that travel with the data; 0: all of it */
	uint8_t alone; /* no other request has its group: its line needs one sector. 0 where nobody knows */
};
static inline int rp_is_store(const struct rp_packet *p)
{
	return p->kind & 1;
}
/* Bytes of data of a packet that has any. */
static inline uint32_t rp_packet_bytes(const struct rp_packet *p, uint32_t sector)
{
	return p->payload ? sector * p->payload / 8 : sector;
}

/* Ring that grows. */
struct rp_ring {
	struct rp_packet *p;
	uint32_t cap, head, n;
};

/* noc.c: twice the room. < 0: out of memory. */
int rp_ring_grow(struct rp_ring *q);
/* A place behind the last, not cleared; NULL: out of memory. */
static inline struct rp_packet *rp_ring_new(struct rp_ring *q)
{
	if (q->n == q->cap && rp_ring_grow(q) < 0)
		return NULL;
	return &q->p[(q->head + q->n++) & (q->cap - 1)];
}
static inline int rp_ring_push(struct rp_ring *q, const struct rp_packet *p)
{
	struct rp_packet *to = rp_ring_new(q);
	if (!to)
		return -1;
	*to = *p;
	return 0;
}
static inline struct rp_packet *rp_ring_at(const struct rp_ring *q, uint32_t i)
{
	return &q->p[(q->head + i) & (q->cap - 1)];
}
static inline struct rp_packet *rp_ring_first(const struct rp_ring *q)
{
	return &q->p[q->head];
}
/* An empty ring begins at its start again, which is still near. */
static inline void rp_ring_pop(struct rp_ring *q)
{
	q->head = --q->n ? (q->head + 1) & (q->cap - 1) : 0;
}
/* Asks the host's memory for the i-th packet, whether it is there or not. */
static inline void rp_ring_bring(const struct rp_ring *q, uint32_t i)
{
	const struct rp_packet *p = rp_ring_at(q, i);
	CT_BRING(p);
	CT_BRING((const char *)(p + 1) - 1);
}
void rp_ring_free(struct rp_ring *q);

#endif

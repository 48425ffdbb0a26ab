/* l1.h - the L1 data cache of an SM, whatever the timing: set-up, launches, what is told of it
 * (private; l1.c). */
#ifndef CT_REPLAY_PRIVATE_L1_H
#define CT_REPLAY_PRIVATE_L1_H

#include "replay/private/team.h"

/* An empty L1 in the shape of the configuration. Returns 0 or fails. */
int rp_l1_init(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e);
/* Lines of the L1 in the largest shape that the configuration can give it. */
uint32_t rp_l1_lines(const struct ct_replay *r);
/* A launch begins: the L1 has the shape that the launch leaves it, empty if that is another. */
void rp_l1_begin(struct ct_replay *r, struct rp_sm *sm);
/* Logs what happened to a line, for the replication directory, if anybody counts replication. */
void rp_log_line_now(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t now, int what);
static inline void rp_log_line(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t now,
                               int what)
{
	if (r->replication)
		rp_log_line_now(r, sm, line, now, what);
}
/* A fence has emptied the L1. */
void rp_l1_wipe(struct ct_replay *r, struct rp_sm *sm, uint32_t now);

/* Written bytes of a sector, of those of its line: bit by bit (32 bytes a sector). */
static inline uint32_t rp_sector_bytes(const uint64_t bytes[2], uint32_t sector)
{
	return (uint32_t)(bytes[sector / 2 & 1] >> 32 * (sector % 2));
}

/* What a store to the L1's sector writes: all of it where requests do not name their bytes so. */
static inline uint32_t
rp_written_bytes(const struct ct_replay *r, const uint64_t bytes[2], uint32_t sector)
{
	return r->l1_sector_bits == 5 && r->l1_line_bits <= 7
	               ? rp_sector_bytes(bytes, sector)
	               : UINT32_MAX;
}

/* Whether any of n bytes from `from` on are in the mask of 128; n is a power of two up to 64 that divides `from`. */
static inline int rp_any_byte(const uint64_t bytes[2], uint32_t from, uint32_t n)
{
	return (bytes[from / 64] >> from % 64 & (~UINT64_C(0) >> (64 - n))) != 0;
}

/* Eighths of the LLC's sector that begins `from` bytes into the mask, one of a line, that travel for a request for those bytes:
 * a half that it does not touch stays away, and of what is left again, down to noc.piece bytes (GPGPU-Sim's coalescer of
 * compute capability 1.3). */
static inline uint32_t rp_piece_of(const struct ct_replay *r, const uint64_t bytes[2], uint32_t from)
{
	uint32_t n = 1u << r->llc_sector_bits, at = from;
	while (n > r->g.noc_piece_bytes) {
		int low = rp_any_byte(bytes, at, n / 2), high = rp_any_byte(bytes, at + n / 2, n / 2);
		if (low == high)
			break;
		n /= 2;
		at += low ? 0 : n;
	}
	return n << 3 >> r->llc_sector_bits;
}

/* The same of the i-th LLC sector of one of the L1, of bytes of its line. 0, which is all of it: no parts travel, or nobody
 * knows the bytes. */
static inline uint32_t
rp_piece_eighths(const struct ct_replay *r, const uint64_t bytes[2], uint32_t sector, uint32_t i)
{
	return r->g.noc_piece_bytes && r->l1_line_bits <= 7
	               ? rp_piece_of(r, bytes, (sector << r->l1_sector_bits) + (i << r->llc_sector_bits))
	               : 0;
}

enum { RP_LINES_TOLD = 256 };

/* Lines at the L1s that are told together. */
struct rp_lines {
	struct ct_line_access a[RP_LINES_TOLD];
	uint32_t n;
};

/* l1.c: tells those who ask for lines in short of the ones that wait. */
void rp_tell_lines(struct ct_replay *r);

/* A line that has met the L1 of an SM, for those who ask for it in short. */
static inline void rp_tell_line(struct ct_replay *r, uint32_t sm, uint64_t line, uint32_t sectors,
                                int is_write, uint64_t cycle)
{
	struct ct_line_access *a = &r->lines->a[r->lines->n];
	a->line = line;
	a->cycle = cycle;
	a->sectors = sectors;
	a->sm = (uint16_t)sm;
	a->is_write = (uint8_t)is_write;
	if (++r->lines->n == RP_LINES_TOLD)
		rp_tell_lines(r);
}

/* Tells those who watch the L1. */
static inline void rp_tell_l1_observers(struct ct_replay *r, const struct ct_l1_event *ev)
{
	if (r->told) {
		rp_note_l1(r, ev);
		return;
	}
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].l1)
			r->obs[i].l1(r->obs[i].ctx, ev);
	if (r->lines && !ev->bypass)
		rp_tell_line(r, ev->sm, ev->line, ev->sectors, ev->is_write, ev->cycle);
}

#endif

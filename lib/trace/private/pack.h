/* pack.h - the packed form of instruction streams, and CTAs being built.
 *
 * A warp's stream is a sequence of records. State at the head of a stream: sid -1,
 * mask all ones, eight slots of base 0 and stride 0; an instruction with addresses
 * uses slot sid mod 8. A record is
 *
 *   1kkkkkkk                     k + 1 instructions: each sid is the one before plus
 *                                one, the mask stays, no addresses, no values
 *   0vrjffmm [sid] [mask] [addresses] [values]
 *     mm  mask: 0 stays, 1 all ones, 2 zero, 3 four bytes follow (little-endian)
 *     ff  addresses: enum ct_addr_form
 *     j   the sid is not the one before plus one: zigzag difference from that follows
 *     r   stride: as in the slot; list, deltas: run-length form
 *     v   values follow: their number, then each
 *   addresses: zigzag(base - slot base), then stride: [zigzag stride]; list, deltas:
 *     a byte w, then n-1 differences of w bytes each (1, 2, 3, 4 or 8, little-endian), or zigzag
 *     where w is 0; or in run-length form a byte whose low five bits are the number of runs and
 *     whose upper ones the logarithm of w, the runs' lengths, a byte each, and their differences,
 *     w bytes each as the machine has them
 *
 * with numbers as LEB128. Differences are modulo 2^64. Records never straddle
 * segments. */
#ifndef CT_TRACE_PRIVATE_PACK_H
#define CT_TRACE_PRIVATE_PACK_H

#include <stdatomic.h>
#include <string.h>

#include "trace/private/launch.h"
#include "trace/private/store.h"

enum {
	CT_PACK_SLOTS = 8,
	CT_MAX_VALUES = (CT_MAX_DST + CT_MAX_SRC) * (CT_WARP_LANES + 1),
	/* op, sid, mask, base, width and 31 differences, values */
	CT_PACK_RECORD_MAX = 1 + 5 + 4 + 1 + 10 * CT_WARP_LANES + 5 * (1 + CT_MAX_VALUES)
};

struct ct_pack_slot {
	uint64_t base;
	int64_t stride;
};

/* Encoder of one warp's stream. */
struct ct_packer {
	uint32_t sid, mask; /* of the instruction before */
	uint32_t run;       /* instructions of the pending run */
	struct ct_pack_slot slot[CT_PACK_SLOTS];
};

static inline void ct_packer_init(struct ct_packer *k)
{
	*k = (struct ct_packer){.sid = UINT32_MAX, .mask = UINT32_MAX};
}

/* What an encoder writes; addresses as the text gives them. */
struct ct_pack_addr {
	enum ct_addr_form form;
	unsigned n; /* addresses = set mask bits */
	uint64_t base;
	int64_t stride;
	int64_t delta[CT_WARP_LANES - 1]; /* list, deltas: each address minus the one before */
	int64_t lowest; /* at most any address minus the first, INT64_MIN if not known */
	/* Deltas already in packed form, from ct_pack_deltas(); NULL: not. */
	const unsigned char *packed;
	uint16_t packed_bytes;
	uint8_t packed_runs;
};

enum { CT_PACK_DELTAS_MAX = 1 + 10 * (CT_WARP_LANES - 1) };
/* Packs the differences of a (list, deltas) to out: number of bytes, with *runs as the
 * record's bit r. */
unsigned ct_pack_deltas(const struct ct_pack_addr *a, unsigned char *out, uint8_t *runs);

/* Runs of `length` equal differences each. */
struct ct_pack_runs {
	unsigned n;
	uint8_t length[CT_WARP_LANES - 1];
	int64_t delta[CT_WARP_LANES - 1];
};
/* pack.c: their run-length form, of differences that take `width` bytes at most. Returns its end. */
unsigned char *ct_pack_runs(unsigned char *p, const struct ct_pack_runs *r, unsigned width);
/* Bytes that it takes. */
static inline unsigned ct_pack_runs_size(unsigned runs, unsigned width)
{
	return 1 + runs * (1 + (width == 3 ? 4 : width));
}

static inline uint64_t ct_pack_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

/* Each returns the end of what it wrote at p, which has room for CT_PACK_RECORD_MAX
 * bytes plus one of a pending run. */
static inline unsigned char *ct_pack_number(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

static inline unsigned char *ct_pack_flush(struct ct_packer *k, unsigned char *p)
{
	if (k->run) {
		*p++ = (unsigned char)(0x80 | (k->run - 1));
		k->run = 0;
	}
	return p;
}

unsigned char *ct_pack_inst(struct ct_packer *k, unsigned char *p, uint32_t sid, uint32_t mask,
                            const struct ct_pack_addr *a, const uint32_t *values, unsigned nvalues);

/* pack.c: the sid and the mask of a record where they are not what comes by itself; their bits of
 * the first byte are added to *bits. */
unsigned char *ct_pack_jump(struct ct_packer *k, unsigned char *p, uint32_t sid, uint32_t mask,
                            unsigned *bits);

/* Addresses that have their packed form already, up to this many bytes of it: the usual case while
 * a frame is decoded. */
enum { CT_PACK_SHORT = 16 };
struct ct_pack_short {
	enum ct_addr_form form;
	uint64_t base;
	const unsigned char *packed; /* CT_PACK_SHORT can be read */
	unsigned bytes, r;           /* of packed; bit r of the record */
};

/* ct_pack_inst() for them. */
static inline unsigned char *ct_pack_addressed(struct ct_packer *k, unsigned char *p, uint32_t sid,
                                               uint32_t mask, const struct ct_pack_short *a)
{
	struct ct_pack_slot *slot = &k->slot[sid % CT_PACK_SLOTS];
	unsigned bits = (unsigned)a->form << 2 | a->r << 5;
	p = ct_pack_flush(k, p);
	unsigned char *op = p++;
	if (sid != k->sid + 1 || mask != k->mask)
		p = ct_pack_jump(k, p, sid, mask, &bits);
	k->sid = sid;
	p = ct_pack_number(p, ct_pack_zigzag((int64_t)(a->base - slot->base)));
	slot->base = a->base;
	memcpy(p, a->packed, CT_PACK_SHORT); /* both have room for that many */
	*op = (unsigned char)bits;
	return p + a->bytes;
}

/* An instruction without addresses and values that only makes the pending run longer: 1, and
 * nothing is written. */
static inline int ct_pack_adds(struct ct_packer *k, uint32_t sid, uint32_t mask)
{
	if (sid != k->sid + 1 || mask != k->mask || k->run == 127)
		return 0;
	k->sid = sid;
	k->run++;
	return 1;
}

/* The common case: an instruction without addresses and values. */
static inline unsigned char *
ct_pack_plain(struct ct_packer *k, unsigned char *p, uint32_t sid, uint32_t mask)
{
	unsigned bits = 0;
	if (ct_pack_adds(k, sid, mask))
		return p;
	if (sid == k->sid + 1 && mask == k->mask) {
		k->sid = sid;
		k->run++;
		return ct_pack_flush(k, p);
	}
	unsigned char *op = ct_pack_flush(k, p);
	p = ct_pack_jump(k, op + 1, sid, mask, &bits);
	*op = (unsigned char)bits;
	k->sid = sid;
	return p;
}

/* Decoder of one warp's stream: ct_cursor's inner part (unpack.h). */
struct ct_unpacker {
	uint32_t sid, mask, run;
	struct ct_pack_slot slot[CT_PACK_SLOTS];
};

static inline void ct_unpacker_init(struct ct_unpacker *k)
{
	*k = (struct ct_unpacker){.sid = UINT32_MAX, .mask = UINT32_MAX};
}
struct ct_warp_start {
	uint32_t segment, offset;
};

struct ct_cta {
	atomic_uint refs;
	struct ct_launch *launch;
	struct ct_store *store;
	uint64_t index;
	uint32_t warps, segments;
	struct ct_warp_info *warp; /* these three lie behind the struct */
	struct ct_warp_start *start;
	struct ct_segment *segment;
};

/* A CTA with room for that many warps and segments, zeroed, one reference; holds
 * references on l and s. NULL: out of memory. */
struct ct_cta *ct_cta_new(struct ct_launch *l, struct ct_store *s, uint32_t warps, uint32_t segments);

#endif

#include "trace/private/unpack.h"

#include <string.h>

#include "base/bits.h"
#include "trace/private/text.h"

/* Bytes of a number as LEB128. */
static unsigned size_of(uint64_t v)
{
	return (9 * ct_high_bit(v | 1) + 73) / 64;
}

unsigned char *ct_pack_runs(unsigned char *p, const struct ct_pack_runs *r, unsigned width)
{
	unsigned log = width <= 2 ? width - 1 : width <= 4 ? 2 : 3;
	*p++ = (unsigned char)(log << 5 | r->n);
	memcpy(p, r->length, r->n);
	p += r->n;
	for (unsigned i = 0; i < r->n; i++, p += 1u << log) {
		int8_t a = (int8_t)r->delta[i];
		int16_t b = (int16_t)r->delta[i];
		int32_t c = (int32_t)r->delta[i];
		const void *from[4] = {&a, &b, &c, &r->delta[i]};
		memcpy(p, from[log], (size_t)1 << log);
	}
	return p;
}

static void find_runs(struct ct_pack_runs *r, const int64_t *d, unsigned n)
{
	r->n = 0;
	for (unsigned i = 0; i < n;) {
		unsigned j = i + 1;
		while (j < n && d[j] == d[i])
			j++;
		r->length[r->n] = (uint8_t)(j - i);
		r->delta[r->n++] = d[i];
		i = j;
	}
}

/* Differences of `width` bytes each. */
static unsigned char *put_fixed(unsigned char *p, const int64_t *d, unsigned n, unsigned width)
{
	*p++ = (unsigned char)width;
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = (uint64_t)d[i];
		for (unsigned b = 0; b < width; b++)
			p[b] = (unsigned char)(v >> 8 * b);
		p += width;
	}
	return p;
}

/* The same; the widths that occur are constants where it matters. */
static unsigned char *put_list(unsigned char *p, const int64_t *d, unsigned n, unsigned width)
{
	switch (width) {
	case 0:
		*p++ = 0;
		for (unsigned i = 0; i < n; i++)
			p = ct_pack_number(p, ct_pack_zigzag(d[i]));
		return p;
	case 1: return put_fixed(p, d, n, 1);
	case 2: return put_fixed(p, d, n, 2);
	case 3: return put_fixed(p, d, n, 3);
	case 4: return put_fixed(p, d, n, 4);
	default: return put_fixed(p, d, n, 8);
	}
}

unsigned ct_pack_deltas(const struct ct_pack_addr *a, unsigned char *out, uint8_t *runs)
{
	const int64_t *d = a->delta;
	unsigned n = a->n ? a->n - 1 : 0, plain = 0, equal = 0;
	uint64_t all = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = ct_pack_zigzag(d[i]);
		all |= v;
		plain += size_of(v);
		equal += i && d[i] == d[i - 1];
	}
	unsigned width = ct_high_bit(all | 1) / 8 + 1;
	width = width > 4 ? 8 : width;
	*runs = equal && ct_pack_runs_size(n - equal, width) <= plain;
	if (*runs) {
		struct ct_pack_runs r;
		find_runs(&r, d, n);
		return (unsigned)(ct_pack_runs(out, &r, width) - out);
	}
	/* read many times faster, so that a quarter more bytes are no matter */
	return (unsigned)(put_list(out, d, n, n * width > plain + plain / 4 ? 0 : width) - out);
}

/* Writes the addresses; returns bit r of the record. */
static unsigned put_addresses(struct ct_pack_slot *slot, unsigned char **pp,
                              const struct ct_pack_addr *a)
{
	unsigned char *p = *pp;
	unsigned r;
	p = ct_pack_number(p, ct_pack_zigzag((int64_t)(a->base - slot->base)));
	slot->base = a->base;
	if (a->form == CT_ADDR_STRIDE) {
		r = a->stride == slot->stride;
		if (!r)
			p = ct_pack_number(p, ct_pack_zigzag(a->stride));
		slot->stride = a->stride;
	} else if (a->packed) {
		if (a->packed_bytes <= 16) /* both have room for that many */
			memcpy(p, a->packed, 16);
		else
			memcpy(p, a->packed, a->packed_bytes);
		p += a->packed_bytes;
		r = a->packed_runs;
	} else {
		uint8_t runs;
		p += ct_pack_deltas(a, p, &runs);
		r = runs;
	}
	*pp = p;
	return r;
}

unsigned char *ct_pack_jump(struct ct_packer *k, unsigned char *p, uint32_t sid, uint32_t mask,
                            unsigned *bits)
{
	unsigned how = mask == k->mask ? 0 : mask == UINT32_MAX ? 1 : mask == 0 ? 2 : 3;
	*bits |= how;
	if (sid != k->sid + 1) {
		*bits |= 1u << 4;
		p = ct_pack_number(p, ct_pack_zigzag((int64_t)sid - (int64_t)(uint32_t)(k->sid + 1)));
	}
	for (int i = 0; how == 3 && i < 4; i++)
		*p++ = (unsigned char)(mask >> 8 * i);
	k->mask = mask;
	return p;
}

/* Packs one instruction at p and returns the end. An instruction that follows its neighbour with the
 * same mask needs no number and no mask. */
unsigned char *ct_pack_inst(struct ct_packer *k, unsigned char *p, uint32_t sid, uint32_t mask,
                            const struct ct_pack_addr *a, const uint32_t *values, unsigned nvalues)
{
	p = ct_pack_flush(k, p);
	unsigned char *op = p++;
	unsigned bits = 0;
	if (sid != k->sid + 1 || mask != k->mask)
		p = ct_pack_jump(k, p, sid, mask, &bits);
	if (a && a->form != CT_ADDR_NONE) {
		bits |= (unsigned)a->form << 2;
		bits |= put_addresses(&k->slot[sid % CT_PACK_SLOTS], &p, a) << 5;
	}
	if (nvalues) {
		bits |= 1u << 6;
		p = ct_pack_number(p, nvalues);
		for (unsigned i = 0; i < nvalues; i++)
			p = ct_pack_number(p, values[i]);
	}
	*op = (unsigned char)bits;
	k->sid = sid;
	return p;
}

void ct_inst_expand(struct ct_inst *inst)
{
	unsigned n = 0;
	if (!inst->nruns)
		return;
	uint64_t at = inst->addr[n++] = inst->base;
	for (unsigned i = 0; i < inst->nruns; i++) {
		uint64_t d = (uint64_t)inst->run_delta[i];
		for (unsigned end = n + inst->run_lanes[i]; n < end; n++)
			inst->addr[n] = at += d;
	}
	inst->nruns = 0;
}

/* `width` is a constant where it is called. */
static inline const unsigned char *
fixed(const unsigned char *p, struct ct_inst *inst, unsigned n, unsigned width)
{
	uint64_t at = inst->base;
	unsigned up = 64 - 8 * width;
	for (unsigned i = 1; i < n; i++, p += width) {
		uint64_t v = 0;
		for (unsigned b = 0; b < width; b++)
			v |= (uint64_t)p[b] << 8 * b;
		inst->addr[i] = at += (uint64_t)((int64_t)(v << up) >> up); /* with the sign */
	}
	return p;
}

const unsigned char *ct_unpack_list(const unsigned char *p, struct ct_inst *inst, unsigned n)
{
	uint64_t at = inst->base, v;
	inst->addr[0] = at;
	switch (*p++) {
	case 0: break;
	case 1: return fixed(p, inst, n, 1);
	case 2: return fixed(p, inst, n, 2);
	case 3: return fixed(p, inst, n, 3);
	case 4: return fixed(p, inst, n, 4);
	default: return fixed(p, inst, n, 8);
	}
	for (unsigned i = 1; i < n; i++) {
		p = ct_unpack_number(p, &v);
		inst->addr[i] = at += (uint64_t)ct_unpack_signed(v);
	}
	return p;
}

const unsigned char *ct_unpack_many_runs(const unsigned char *p, struct ct_inst *inst, unsigned n)
{
	unsigned runs = *p & 31, log = *p >> 5 & 3, at = 1;
	const unsigned char *length = p + 1, *d = length + runs;
	uint64_t a = inst->addr[0] = inst->base;
	for (unsigned i = 0; i < runs; i++, d += 1u << log) {
		uint64_t delta = (uint64_t)ct_unpack_delta(d, log);
		for (unsigned left = length[i]; left > 0 && at < n; left--)
			inst->addr[at++] = a += delta;
	}
	while (at < n)
		inst->addr[at++] = a;
	return d;
}

const unsigned char *ct_unpack_values(const unsigned char *p, struct ct_inst *inst, uint32_t *values)
{
	uint64_t n, v;
	p = ct_unpack_number(p, &n);
	for (uint64_t i = 0; i < n; i++) {
		p = ct_unpack_number(p, &v);
		if (values)
			values[i] = (uint32_t)v;
	}
	if (values) {
		inst->nvalues = (uint16_t)n;
		inst->values = values;
	}
	return p;
}

const unsigned char *ct_skip_list(const unsigned char *p, unsigned n, unsigned r)
{
	static const uint8_t width[] = {0, 1, 2, 3, 4, 8};
	unsigned head = *p++;
	if (r && n > 1) {
		unsigned runs = head & 31, log = head >> 5 & 3;
		return p + runs + (runs << log);
	}
	if (head)
		return p + (n > 1 ? n - 1 : 0) * width[head < 5 ? head : 5];
	for (unsigned i = 1; i < n; i++)
		p = ct_skip_number(p);
	return p;
}

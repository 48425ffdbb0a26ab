#include "trace/private/pack.h"

#include <string.h>

#include "trace/private/text.h"

static uint64_t zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t v)
{
	return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

static unsigned char *put(unsigned char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (unsigned char)v;
	return p;
}

static const unsigned char *get(const unsigned char *p, uint64_t *out)
{
	uint64_t v = *p & 0x7f;
	for (unsigned shift = 7; *p++ & 0x80; shift += 7)
		v |= (uint64_t)(*p & 0x7f) << shift;
	*out = v;
	return p;
}

static unsigned size_of(uint64_t v)
{
	unsigned n = 1;
	while (v >= 0x80) {
		v >>= 7;
		n++;
	}
	return n;
}

unsigned char *ct_pack_flush(struct ct_packer *k, unsigned char *p)
{
	if (k->run) {
		*p++ = (unsigned char)(0x80 | (k->run - 1));
		k->run = 0;
	}
	return p;
}

/* Whether pairs (difference, length) are shorter than the differences. */
static int runs_pay(const int64_t *d, unsigned n)
{
	unsigned plain = 0, runs = 0;
	for (unsigned i = 0; i < n;) {
		unsigned j = i + 1;
		while (j < n && d[j] == d[i])
			j++;
		unsigned size = size_of(zigzag(d[i]));
		plain += size * (j - i);
		runs += size + 1;
		i = j;
	}
	return runs < plain;
}

static unsigned char *put_deltas(unsigned char *p, const int64_t *d, unsigned n, int runs)
{
	if (!runs) {
		for (unsigned i = 0; i < n; i++)
			p = put(p, zigzag(d[i]));
		return p;
	}
	for (unsigned i = 0; i < n;) {
		unsigned j = i + 1;
		while (j < n && d[j] == d[i])
			j++;
		p = put(p, zigzag(d[i]));
		*p++ = (unsigned char)(j - i);
		i = j;
	}
	return p;
}

unsigned ct_pack_deltas(const struct ct_pack_addr *a, unsigned char *out, uint8_t *runs)
{
	unsigned n = a->n ? a->n - 1 : 0;
	*runs = (uint8_t)runs_pay(a->delta, n);
	return (unsigned)(put_deltas(out, a->delta, n, *runs) - out);
}

/* Writes the addresses; returns bit r of the record. */
static unsigned put_addresses(struct ct_pack_slot *slot, unsigned char **pp,
                              const struct ct_pack_addr *a)
{
	unsigned char *p = *pp;
	unsigned r;
	p = put(p, zigzag((int64_t)(a->base - slot->base)));
	slot->base = a->base;
	if (a->form == CT_ADDR_STRIDE) {
		r = a->stride == slot->stride;
		if (!r)
			p = put(p, zigzag(a->stride));
		slot->stride = a->stride;
	} else if (a->packed) {
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

unsigned char *ct_pack_inst(struct ct_packer *k, unsigned char *p, uint32_t sid, uint32_t mask,
                            const struct ct_pack_addr *a, const uint32_t *values, unsigned nvalues)
{
	p = ct_pack_flush(k, p);
	unsigned char *op = p++;
	unsigned bits = mask == k->mask ? 0 : mask == UINT32_MAX ? 1 : mask == 0 ? 2 : 3;
	if (sid != k->sid + 1) {
		bits |= 1u << 4;
		p = put(p, zigzag((int64_t)sid - (int64_t)(uint32_t)(k->sid + 1)));
	}
	if ((bits & 3) == 3)
		for (int i = 0; i < 4; i++)
			*p++ = (unsigned char)(mask >> 8 * i);
	if (a && a->form != CT_ADDR_NONE) {
		bits |= (unsigned)a->form << 2;
		bits |= put_addresses(&k->slot[sid % CT_PACK_SLOTS], &p, a) << 5;
	}
	if (nvalues) {
		bits |= 1u << 6;
		p = put(p, nvalues);
		for (unsigned i = 0; i < nvalues; i++)
			p = put(p, values[i]);
	}
	*op = (unsigned char)bits;
	k->sid = sid;
	k->mask = mask;
	return p;
}

/* Pairs of a difference and a length, into runs while there is room, else into addr[]. */
static const unsigned char *get_runs(const unsigned char *p, struct ct_inst *inst, unsigned n)
{
	uint64_t v;
	unsigned at = 1, i = 0;
	for (; at < n && i < CT_ADDR_RUNS; i++) {
		p = get(p, &v);
		unsigned lanes = *p++;
		if (lanes > n - at)
			lanes = n - at;
		inst->run_delta[i] = unzigzag(v);
		inst->run_lanes[i] = (uint8_t)lanes;
		at += lanes;
	}
	inst->nruns = (uint8_t)i;
	if (at >= n)
		return p;
	ct_inst_expand(inst);
	for (uint64_t a = inst->addr[at - 1]; at < n;) {
		p = get(p, &v);
		for (unsigned left = *p++; left > 0 && at < n; left--)
			inst->addr[at++] = a += (uint64_t)unzigzag(v);
	}
	return p;
}

static const unsigned char *get_deltas(const unsigned char *p, struct ct_inst *inst, unsigned n)
{
	uint64_t at = inst->base, v;
	for (unsigned i = 1; i < n; i++) {
		p = get(p, &v);
		inst->addr[i] = at += (uint64_t)unzigzag(v);
	}
	return p;
}

static const unsigned char *get_addresses(struct ct_pack_slot *slot, const unsigned char *p,
                                          struct ct_inst *inst, int r)
{
	uint64_t v;
	unsigned n = inst->mask == UINT32_MAX ? CT_WARP_LANES : ct_popcount(inst->mask);
	p = get(p, &v);
	inst->base = slot->base += (uint64_t)unzigzag(v);
	inst->naddr = (uint8_t)n;
	if (inst->addr_form != CT_ADDR_STRIDE) {
		inst->addr[0] = inst->base;
		return r && n > 1 ? get_runs(p, inst, n) : get_deltas(p, inst, n);
	}
	if (!r) {
		p = get(p, &v);
		slot->stride = unzigzag(v);
	}
	inst->stride = slot->stride;
	if (n) {
		inst->nruns = 1;
		inst->run_delta[0] = slot->stride;
		inst->run_lanes[0] = (uint8_t)(n - 1);
	}
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

static const unsigned char *get_values(const unsigned char *p, struct ct_inst *inst,
                                       uint32_t *values)
{
	uint64_t n, v;
	p = get(p, &n);
	for (uint64_t i = 0; i < n; i++) {
		p = get(p, &v);
		if (values)
			values[i] = (uint32_t)v;
	}
	if (values) {
		inst->nvalues = (uint16_t)n;
		inst->values = values;
	}
	return p;
}

const unsigned char *ct_unpack_inst(struct ct_unpacker *k, const unsigned char *p,
                                    struct ct_inst *inst, uint32_t *values)
{
	inst->addr_form = CT_ADDR_NONE;
	inst->naddr = 0;
	inst->nruns = 0;
	inst->nvalues = 0;
	inst->stride = 0;
	inst->base = 0;
	inst->values = NULL;
	inst->mask = k->mask;
	inst->sid = ++k->sid;
	if (k->run) {
		k->run--;
		return p;
	}
	unsigned op = *p++;
	if (op & 0x80) {
		k->run = op & 0x7f;
		return p;
	}
	if (op & 1u << 4) {
		uint64_t v;
		p = get(p, &v);
		inst->sid = k->sid += (uint32_t)unzigzag(v);
	}
	switch (op & 3) {
	case 1:
		k->mask = UINT32_MAX;
		break;
	case 2:
		k->mask = 0;
		break;
	case 3:
		k->mask = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
		p += 4;
		break;
	}
	inst->mask = k->mask;
	inst->addr_form = op >> 2 & 3;
	if (inst->addr_form != CT_ADDR_NONE)
		p = get_addresses(&k->slot[inst->sid % CT_PACK_SLOTS], p, inst, op >> 5 & 1);
	if (op & 1u << 6)
		p = get_values(p, inst, values);
	return p;
}

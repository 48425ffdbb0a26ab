/* unpack.h - packed records back into instructions. */
#ifndef CT_TRACE_PRIVATE_UNPACK_H
#define CT_TRACE_PRIVATE_UNPACK_H

#include <string.h>

#include "base/hot.h"
#include "trace/private/pack.h"
#include "trace/private/text.h"

static CT_INLINE int64_t ct_unpack_signed(uint64_t v)
{
	return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

static CT_INLINE const unsigned char *ct_unpack_number(const unsigned char *p, uint64_t *out)
{
	uint64_t v = *p++;
	if (v & 0x80) {
		v &= 0x7f;
		for (unsigned shift = 7;; shift += 7) {
			uint64_t byte = *p++;
			v |= (byte & 0x7f) << shift;
			if (byte < 0x80)
				break;
		}
	}
	*out = v;
	return p;
}

/* A difference of 1, 2, 4 or 8 bytes in run-length form; `log` is a constant where it matters. */
static CT_INLINE int64_t ct_unpack_delta(const unsigned char *p, unsigned log)
{
	int8_t a;
	int16_t b;
	int32_t c;
	int64_t d;
	switch (log) {
	case 0: memcpy(&a, p, sizeof a); return a;
	case 1: memcpy(&b, p, sizeof b); return b;
	case 2: memcpy(&c, p, sizeof c); return c;
	default: memcpy(&d, p, sizeof d); return d;
	}
}

/* pack.c: what is rarer. Differences by themselves; runs that are too many; values. */
const unsigned char *ct_unpack_list(const unsigned char *p, struct ct_inst *inst, unsigned n);
const unsigned char *ct_unpack_many_runs(const unsigned char *p, struct ct_inst *inst, unsigned n);
const unsigned char *ct_unpack_values(const unsigned char *p, struct ct_inst *inst, uint32_t *values);

/* Runs of so wide differences; returns the addresses that they make. */
static CT_INLINE unsigned
ct_unpack_some_runs(const unsigned char *length, struct ct_inst *inst, unsigned runs, unsigned log)
{
	const unsigned char *d = length + runs;
	unsigned at = 1;
	for (unsigned i = 0; i < runs; i++) {
		inst->run_lanes[i] = length[i];
		at += length[i];
		inst->run_delta[i] = ct_unpack_delta(d + (i << log), log);
	}
	return at;
}

/* Run-length form, into runs if they are few, else into addr[]. */
static CT_INLINE const unsigned char *
ct_unpack_runs(const unsigned char *p, struct ct_inst *inst, unsigned n)
{
	unsigned runs = *p & 31, log = *p >> 5 & 3, at = 0;
	if (runs <= CT_ADDR_RUNS)
		at = log == 0   ? ct_unpack_some_runs(p + 1, inst, runs, 0)
		     : log == 1 ? ct_unpack_some_runs(p + 1, inst, runs, 1)
		     : log == 2 ? ct_unpack_some_runs(p + 1, inst, runs, 2)
		                : ct_unpack_some_runs(p + 1, inst, runs, 3);
	if (at != n)
		return ct_unpack_many_runs(p, inst, n);
	inst->nruns = (uint8_t)runs;
	return p + 1 + runs + (runs << log);
}

/* Unpacks the lanes' addresses of one access. With r, stride or list are in the short form: the stride
 * of the last time, or runs of equal differences. */
static CT_INLINE const unsigned char *
ct_unpack_addresses(struct ct_pack_slot *slot, const unsigned char *p, struct ct_inst *inst, unsigned r)
{
	uint64_t v;
	unsigned n = inst->mask == UINT32_MAX ? CT_WARP_LANES : ct_popcount(inst->mask);
	p = ct_unpack_number(p, &v);
	inst->base = slot->base += (uint64_t)ct_unpack_signed(v);
	inst->naddr = (uint8_t)n;
	if (inst->addr_form != CT_ADDR_STRIDE) {
		return r && n > 1 ? ct_unpack_runs(p, inst, n) : ct_unpack_list(p, inst, n);
	}
	if (!r) {
		p = ct_unpack_number(p, &v);
		slot->stride = ct_unpack_signed(v);
	}
	inst->stride = slot->stride;
	if (n) {
		inst->nruns = 1;
		inst->run_delta[0] = slot->stride;
		inst->run_lanes[0] = (uint8_t)(n - 1);
	}
	return p;
}

/* The first byte of a record: whether it begins a run of instructions that have but a mask. */
static CT_INLINE int ct_is_run(unsigned char op)
{
	return op & 0x80;
}

/* Fills in what an instruction inside a run has in common with the others. */
static CT_INLINE void ct_unpack_head(struct ct_unpacker *k, struct ct_inst *inst)
{
	/* addr_form to values */
	memset(&inst->addr_form, 0,
	       offsetof(struct ct_inst, run_delta) - offsetof(struct ct_inst, addr_form));
	inst->mask = k->mask;
	inst->sid = ++k->sid;
}

/* The first instruction of the run that begins at p. */
static CT_INLINE const unsigned char *
ct_unpack_plain(struct ct_unpacker *k, const unsigned char *p, struct ct_inst *inst)
{
	ct_unpack_head(k, inst);
	k->run = *p & 0x7f;
	return p + 1;
}

/* The instruction of a record that does not begin a run. values: room for CT_MAX_VALUES, or NULL (then
 * they are passed over). Addresses that are few enough runs stay so. Returns the end of what was read. */
static CT_INLINE const unsigned char *
ct_unpack_record(struct ct_unpacker *k, const unsigned char *p, struct ct_inst *inst, uint32_t *values)
{
	unsigned op = *p++;
	ct_unpack_head(k, inst);
	if (op & 1u << 4) {
		uint64_t v;
		p = ct_unpack_number(p, &v);
		inst->sid = k->sid += (uint32_t)ct_unpack_signed(v);
	}
	if (op & 3) {
		k->mask = op & 1 ? UINT32_MAX : 0;
		if ((op & 3) == 3) {
			k->mask = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			          (uint32_t)p[3] << 24;
			p += 4;
		}
		inst->mask = k->mask;
	}
	inst->addr_form = op >> 2 & 3;
	if (inst->addr_form != CT_ADDR_NONE)
		p = ct_unpack_addresses(&k->slot[inst->sid % CT_PACK_SLOTS], p, inst, op >> 5 & 1);
	if (op & 1u << 6)
		p = ct_unpack_values(p, inst, values);
	return p;
}

static CT_INLINE const unsigned char *ct_skip_number(const unsigned char *p)
{
	while (*p & 0x80)
		p++;
	return p + 1;
}

/* pack.c: the end of an access' addresses, of n lanes, that are not a stride. */
const unsigned char *ct_skip_list(const unsigned char *p, unsigned n, unsigned r);

/* Goes past a record that does not begin a run, and takes from it only which instruction it is. The addresses of
 * what is read later are not known then. */
static CT_INLINE const unsigned char *ct_skip_record(struct ct_unpacker *k, const unsigned char *p)
{
	unsigned op = *p++, form = op >> 2 & 3, r = op >> 5 & 1;
	k->sid++;
	if (op & 1u << 4) {
		uint64_t v;
		p = ct_unpack_number(p, &v);
		k->sid += (uint32_t)ct_unpack_signed(v);
	}
	if (op & 3) {
		k->mask = op & 1 ? UINT32_MAX : 0;
		if ((op & 3) == 3) {
			memcpy(&k->mask, p, sizeof k->mask); /* only how many bits are set counts */
			p += 4;
		}
	}
	if (form != CT_ADDR_NONE) {
		p = ct_skip_number(p);
		if (form != CT_ADDR_STRIDE)
			p = ct_skip_list(p, ct_popcount(k->mask), r);
		else if (!r)
			p = ct_skip_number(p);
	}
	return op & 1u << 6 ? ct_unpack_values(p, NULL, NULL) : p;
}

/* The same of the next instruction of the stream: of the pending run (p is not looked at), or of the
 * record at p, which may begin a run. */
static CT_INLINE const unsigned char *
ct_unpack_inst(struct ct_unpacker *k, const unsigned char *p, struct ct_inst *inst, uint32_t *values)
{
	if (k->run) {
		ct_unpack_head(k, inst);
		k->run--;
		return p;
	}
	return ct_is_run(*p) ? ct_unpack_plain(k, p, inst) : ct_unpack_record(k, p, inst, values);
}

#endif

/* What lanes of a warp exchange, and atomic operations. */
#include <string.h>

#include "base/bits.h"
#include "ptx/decode.h"
#include "ptx/exec.h"
#include "ptx/guard.h"
#include "ptx/real.h"

/* Lanes of `left` that name the same members as its first one, without those that are no member. */
static uint32_t next_group(const struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t *left)
{
	uint32_t group = 0;
	if (!o->round) { /* the old forms have no member mask */
		group = *left;
		*left = 0;
		return group;
	}
	const ct_ptx_u32 *c = ct_ptx_at(w, o->c);
	uint32_t members = c[ct_low_bit(*left)];
	for (uint32_t rest = *left; rest; rest &= rest - 1) {
		uint32_t lane = ct_low_bit(rest);
		if (c[lane] == members)
			group |= UINT32_C(1) << lane;
	}
	*left &= ~group;
	return group & members ? group & members : group;
}

/* shfl: each lane takes another lane's value within its segment, or keeps its own where that lane is out
 * of range. */
void ct_ptx_exec_shfl(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b),
			 *c = ct_ptx_at(w, w->run->m->extra[o->extra]);
	ct_ptx_u32 *d = ct_ptx_at(w, o->d);
	uint32_t in_range = 0, value[CT_PTX_LANES];
	memcpy(value, a, sizeof value);
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left), by = b[lane] & 31, segment = c[lane] >> 8 & 31;
		uint32_t last = (lane & segment) | (c[lane] & 31 & ~segment), from;
		int fine;
		switch (o->mode) {
		case CT_PTX_SHFL_UP:
			fine = (int32_t)lane - (int32_t)by >= (int32_t)last;
			from = lane - by;
			break;
		case CT_PTX_SHFL_DOWN:
			from = lane + by;
			fine = from <= last;
			break;
		case CT_PTX_SHFL_BFLY:
			from = lane ^ by;
			fine = from <= last;
			break;
		default:
			from = (lane & segment) | (by & ~segment & 31);
			fine = from <= last;
			break;
		}
		/* A lane that does not take part has no defined value: the own one stands in. */
		d[lane] = value[fine && mask >> (from & 31) & 1 ? from : lane];
		in_range |= (uint32_t)fine << lane;
	}
	ct_ptx_set_bits(w, o->p, in_range, mask);
}

/* vote: whether all, any or equally many of the members that vote together say yes, or the ballot itself. Lanes that are no
 * members of what they name, which the language leaves undefined, get the members' result, as on boards. */
void ct_ptx_exec_vote(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	uint32_t bits = ct_ptx_bits(w, o->s);
	for (uint32_t left = mask; left;) {
		uint32_t before = left, voters = next_group(w, o, &left), group = before & ~left;
		if (o->round)
			voters = mask & ((const ct_ptx_u32 *)ct_ptx_at(w, o->c))[ct_low_bit(before)];
		uint32_t yes = bits & voters;
		int holds = o->mode == CT_PTX_VOTE_ALL   ? yes == voters
		            : o->mode == CT_PTX_VOTE_ANY ? yes != 0
		                                         : yes == voters || yes == 0;
		if (o->mode != CT_PTX_VOTE_BALLOT) {
			ct_ptx_set_bits(w, o->p, holds ? group : 0, group);
			continue;
		}
		for (uint32_t g = group; g; g &= g - 1)
			((ct_ptx_u32 *)ct_ptx_at(w, o->d))[ct_low_bit(g)] = yes;
	}
}

/* match: which lanes of a group hold the same value. */
void ct_ptx_exec_match(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const void *a = ct_ptx_at(w, o->a);
	uint32_t result[CT_PTX_LANES], equal = 0;
	for (uint32_t left = mask; left;) {
		uint32_t group = next_group(w, o, &left);
		for (uint32_t g = group; g; g &= g - 1) {
			uint32_t lane = ct_low_bit(g), same = 0;
			for (uint32_t h = group; h; h &= h - 1)
				if (ct_ptx_lane(a, ct_low_bit(h), o->width) ==
				    ct_ptx_lane(a, lane, o->width))
					same |= UINT32_C(1) << ct_low_bit(h);
			result[lane] = o->mode ? (same == group ? group : 0) : same;
			equal |= (uint32_t)(same == group) << lane;
		}
		for (uint32_t g = group; g; g &= g - 1)
			((ct_ptx_u32 *)ct_ptx_at(w, o->d))[ct_low_bit(g)] = result[ct_low_bit(g)];
	}
	ct_ptx_set_bits(w, o->p, equal, mask);
}

/* New value of an atomic operation or step of a reduction. */
static uint64_t combine(int what, enum ct_ptx_type t, uint64_t old, uint64_t b, uint64_t c)
{
	uint64_t x[3] = {old, b, 0};
	unsigned width = 8 * ct_ptx_type_bytes(t);
	uint64_t flip = ct_ptx_is_signed(t) ? UINT64_C(1) << (width - 1) : 0;
	switch (what) {
	case CT_PTX_ATOM_ADD:
		if (t == CT_PTX_F16X2 || t == CT_PTX_BF16X2) {
			enum ct_ptx_type half = t == CT_PTX_F16X2 ? CT_PTX_F16 : CT_PTX_BF16;
			uint64_t low[3] = {old & 0xffff, b & 0xffff, 0},
				 high[3] = {old >> 16 & 0xffff, b >> 16 & 0xffff, 0};
			return ct_ptx_real_operation(CT_PTX_FADD, half, 0, low) |
			       ct_ptx_real_operation(CT_PTX_FADD, half, 0, high) << 16;
		}
		return ct_ptx_is_float(t) ? ct_ptx_real_operation(CT_PTX_FADD, t, 0, x) : old + b;
	case CT_PTX_ATOM_MIN: return (old ^ flip) < (b ^ flip) ? old : b;
	case CT_PTX_ATOM_MAX: return (old ^ flip) > (b ^ flip) ? old : b;
	case CT_PTX_ATOM_INC: return old >= b ? 0 : old + 1;
	case CT_PTX_ATOM_DEC: return old == 0 || old > b ? b : old - 1;
	case CT_PTX_ATOM_AND: return old & b;
	case CT_PTX_ATOM_OR: return old | b;
	case CT_PTX_ATOM_XOR: return old ^ b;
	case CT_PTX_ATOM_EXCH: return b;
	default: return old == b ? c : old;
	}
}

void ct_ptx_exec_redux(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a);
	for (uint32_t left = mask; left;) {
		uint32_t group = next_group(w, o, &left);
		uint64_t r = a[ct_low_bit(group)];
		for (uint32_t g = group & (group - 1); g; g &= g - 1)
			r = combine(o->mode, (enum ct_ptx_type)o->count, r, a[ct_low_bit(g)], 0) &
			    UINT32_MAX;
		for (uint32_t g = group; g; g &= g - 1)
			((ct_ptx_u32 *)ct_ptx_at(w, o->d))[ct_low_bit(g)] = (uint32_t)r;
	}
}

void ct_ptx_reduce(const struct ct_ptx_op *o, void *at, uint64_t b)
{
	uint64_t old = ct_ptx_lane(at, 0, o->width);
	ct_ptx_put_lane(at, 0, o->width, combine(o->round, (enum ct_ptx_type)o->count, old, b, 0));
}

/* A reduction of a CTA that runs ahead. */
static void reduce_later(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left);
		uint64_t b = ct_ptx_lane(ct_ptx_at(w, o->b), lane, o->width);
		int late = ct_ptx_guard_reduce(w, o, lane, b);
		if (late < 0)
			return;
		if (!late)
			ct_ptx_reduce(o, (void *)(uintptr_t)w->host[lane], b);
	}
}

/* Lanes act one after the other, in their order. */
void ct_ptx_exec_atom(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const void *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	if (ct_ptx_resolve(w, o, mask, o->width) < 0)
		return;
	if (w->run->guarded && o->d == CT_PTX_NO_ROW && o->round != CT_PTX_ATOM_CAS) {
		reduce_later(w, o, mask);
		return;
	}
	if (w->run->guarded && ct_ptx_guard_access(w, o, mask, o->width, 1) < 0)
		return;
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left);
		void *at = (void *)(uintptr_t)w->host[lane];
		uint64_t old = ct_ptx_lane(at, 0, o->width);
		uint64_t now = combine(o->round, (enum ct_ptx_type)o->count, old,
		                       ct_ptx_lane(b, lane, o->width), ct_ptx_lane(c, lane, o->width));
		ct_ptx_put_lane(at, 0, o->width, now);
		if (o->d != CT_PTX_NO_ROW)
			ct_ptx_put_lane(ct_ptx_at(w, o->d), lane, o->width, old);
	}
}

/* Memory is always in order here. */
void ct_ptx_exec_fence(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	(void)w;
	(void)o;
	(void)mask;
}

/* Time does not pass here, but whoever sleeps lets others go on. */
void ct_ptx_exec_nanosleep(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	w->run->sleeps = w->sleeps = 1;
	(void)o;
	(void)mask;
}

/* Bases of addresses: computed once for all accesses that share them, as far out of loops as their
 * registers allow. */
#include <stdlib.h>

#include "base/mem.h"
#include "lower/unit.h"

static int is_wide(const struct ct_lower_unit *u, uint32_t reg)
{
	return ct_lower_parts(u, reg) == 2;
}

static int in_bank(const struct ct_lower_unit *u, uint32_t reg)
{
	return u->reg[reg].fact == CT_LOWER_BANK;
}

/* A base that is there already: of unchanged registers in a block that comes before on every way. */
static uint32_t find_base(const struct ct_lower_unit *u, uint32_t group, uint32_t block, uint32_t at)
{
	for (size_t i = 0; i < u->bases; i++) {
		const struct ct_lower_base *b = &u->base[i];
		if (b->group != group || !ct_lower_dominates(u, b->block, block))
			continue;
		int kept = 1;
		const struct ct_lower_form *f = &u->group[group].form;
		for (unsigned t = 0; t < f->terms && kept; t++)
			kept = u->reg[f->term[t].reg].defs <= 1 ||
			       (b->block == block && b->at <= at &&
			        ct_lower_keeps_value(u, f->term[t].reg, b->at, at)) ||
			       (b->block != block && ct_lower_keeps_value(u, f->term[t].reg, b->at, at));
		if (kept)
			return b->place;
	}
	return CT_LOWER_NONE;
}

static void keep_base(struct ct_lower_unit *u, uint32_t group, uint32_t block, uint32_t at,
                      uint32_t place)
{
	if (ct_grow((void **)&u->base, &u->base_cap, u->bases + 1, sizeof *u->base) < 0) {
		u->failed = 1;
		return;
	}
	u->base[u->bases++] = (struct ct_lower_base){group, block, place, at};
}

/* The sign of an index that several sums of bytes begin with: one register for all; RZ where there is but
 * one such sum, which takes the sign along (LEA.HI.X.SX32). */
static uint32_t shared_sign(struct ct_lower_unit *u, uint32_t at, uint32_t reg)
{
	unsigned users = 0;
	for (size_t g = 0; g < u->groups; g++)
		for (unsigned t = 0; u->group[g].wide && t < u->group[g].form.terms; t++)
			users += u->group[g].form.term[t].reg == reg &&
			         u->group[g].form.term[t].factor == 1;
	uint32_t block = u->home;
	for (size_t i = 0; i < u->nsigns; i++)
		if (u->sign[i].reg == reg && ct_lower_dominates(u, u->sign[i].block, block))
			return u->sign[i].place;
	if (users < 2 || u->reg[reg].defs > 1)
		return CT_LOWER_RZ;
	uint32_t value = ct_lower_new_value(u->p, 1);
	if (value == CT_LOWER_NONE ||
	    ct_grow((void **)&u->sign, &u->sign_cap, u->nsigns + 1, sizeof *u->sign) < 0) {
		u->failed = 1;
		return CT_LOWER_RZ;
	}
	struct ct_lower_source src = ct_lower_read_register(u, reg, 0);
	ct_lower_emit(u, "SHF.R.S32.HI", at, CT_LOWER_PART(value, 0), 1, &src);
	u->sign[u->nsigns++] = (struct ct_lower_sign){reg, block, CT_LOWER_PART(value, 0)};
	return CT_LOWER_PART(value, 0);
}

/* Adds one term to a sum of 64 bits: IMAD.WIDE of an index, or 64-bit additions of low and high parts. */
static struct ct_lower_source add_wide(struct ct_lower_unit *u, uint32_t at, struct ct_lower_source sum,
                                       uint32_t reg, int64_t factor)
{
	uint32_t value = ct_lower_new_value(u->p, 2);
	struct ct_lower_source high = sum, out = {.place = CT_LOWER_PART(value, 0)};
	if (value == CT_LOWER_NONE) {
		u->failed = 1;
		return sum;
	}
	if (sum.place != CT_LOWER_RZ) /* neither zero nor in constant memory */
		high.place = CT_LOWER_PART(CT_LOWER_VALUE(sum.place), 1);
	if (!is_wide(u, reg) && factor != 1) {
		struct ct_lower_source src[3] = {ct_lower_read_register(u, reg, 0),
		                                 {.place = CT_LOWER_RZ, .folded = 1, .imm = factor},
		                                 sum};
		ct_lower_emit(u, "IMAD.WIDE", at, out.place, 3, src);
		return out;
	}
	int pow2 = (factor & (factor - 1)) == 0;
	uint32_t sign = is_wide(u, reg) ? CT_LOWER_RZ : shared_sign(u, at, reg);
	struct ct_lower_source low[2] = {ct_lower_read_register(u, reg, 0), sum};
	struct ct_lower_source top[2] = {ct_lower_read_register(u, reg, 1), high};
	if (sign != CT_LOWER_RZ)
		top[0] = (struct ct_lower_source){.place = sign};
	if (factor != 1 && !pow2) { /* rare: a product of 64 bits first */
		struct ct_lower_source index[2] = {
			low[0], {.place = CT_LOWER_RZ, .folded = 1, .imm = factor}};
		ct_lower_emit(u, "IMAD.WIDE.U32", at, out.place, 2, index);
		index[0] = top[0];
		ct_lower_emit(u, "IMAD", at, CT_LOWER_PART(value, 1), 2, index);
		low[0].place = CT_LOWER_PART(value, 0);
		top[0].place = CT_LOWER_PART(value, 1);
	}
	ct_lower_emit(u, factor == 1 || !pow2 ? "IADD3" : "LEA", at, CT_LOWER_PART(value, 0), 2, low);
	ct_lower_emit(u,
	              !is_wide(u, reg) && sign == CT_LOWER_RZ ? "LEA.HI.X.SX32"
	              : factor == 1 || !pow2                  ? "IADD3.X"
	                                                      : "LEA.HI.X",
	              at, CT_LOWER_PART(value, 1), 2, top);
	return out;
}

/* IMAD.WIDE of an index that is a sum of registers: the sum itself takes 32 bits, and other bases may
 * have the same. */
static struct ct_lower_source add_index(struct ct_lower_unit *u, uint32_t at, struct ct_lower_source sum,
                                        uint32_t index, int64_t factor)
{
	uint32_t value = ct_lower_new_value(u->p, 2);
	struct ct_lower_source out = {.place = CT_LOWER_PART(value, 0)};
	struct ct_lower_source src[3] = {
		{.place = index}, {.place = CT_LOWER_RZ, .folded = 1, .imm = factor}, sum};
	u->failed |= value == CT_LOWER_NONE;
	ct_lower_emit(u, "IMAD.WIDE", at, out.place, 3, src);
	return out;
}

static int64_t common_factor(int64_t a, int64_t b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static uint32_t make_base(struct ct_lower_unit *u, uint32_t group, uint32_t block, uint32_t at);

/* Takes the terms of 32 bits out of a form where there are several: the place of their sum divided by the
 * factor that they share, or NONE. */
static uint32_t take_index(struct ct_lower_unit *u, uint32_t at, uint32_t block, struct ct_lower_form *f,
                           int64_t *factor)
{
	struct ct_lower_form index = {0}, rest = {.constant = f->constant};
	*factor = 0;
	for (unsigned t = 0; t < f->terms; t++) {
		int narrow = !is_wide(u, f->term[t].reg);
		struct ct_lower_form *to = narrow ? &index : &rest;
		to->term[to->terms++] = f->term[t];
		if (narrow)
			*factor = common_factor(f->term[t].factor, *factor);
	}
	if (index.terms < 2 || *factor < 2)
		return CT_LOWER_NONE;
	for (unsigned t = 0; t < index.terms; t++)
		index.term[t].factor /= *factor;
	uint32_t group = ct_lower_group_of(u, index, 0);
	if (group == CT_LOWER_NONE)
		return CT_LOWER_NONE;
	*f = rest;
	return make_base(u, group, block, at);
}

/* The sum of 64 bits, from what costs least to begin with: constant memory, or a register pair. */
static uint32_t sum_wide(struct ct_lower_unit *u, uint32_t at, uint32_t block, struct ct_lower_form *f,
                         uint32_t inner)
{
	struct ct_lower_source sum = {.place = CT_LOWER_RZ};
	int64_t factor;
	uint32_t index = take_index(u, at, block, f, &factor);
	unsigned first = f->terms;
	if (inner != CT_LOWER_NONE)
		sum.place = inner;
	for (unsigned t = 0; inner == CT_LOWER_NONE && t < f->terms; t++)
		if (f->term[t].factor == 1 && is_wide(u, f->term[t].reg) &&
		    (first == f->terms || in_bank(u, f->term[t].reg)))
			first = t;
	if (first < f->terms)
		sum = ct_lower_read_register(u, f->term[first].reg, 0);
	if (index != CT_LOWER_NONE)
		sum = add_index(u, at, sum, index, factor);
	for (unsigned t = 0; t < f->terms; t++)
		if (t != first)
			sum = add_wide(u, at, sum, f->term[t].reg, f->term[t].factor);
	if (sum.folded || f->constant) {
		struct ct_lower_source part[2] = {
			{.place = CT_LOWER_RZ, .folded = f->constant != 0}, sum};
		uint32_t value = ct_lower_new_value(u->p, 2);
		ct_lower_emit(u, f->constant ? "IADD3" : "IMAD.MOV.U32", at, CT_LOWER_PART(value, 0), 2,
		              part);
		ct_lower_emit(u, f->constant ? "IADD3.X" : "IMAD.MOV.U32", at, CT_LOWER_PART(value, 1),
		              2, part);
		u->failed |= value == CT_LOWER_NONE;
		sum.place = CT_LOWER_PART(value, 0);
	}
	return sum.place;
}

/* Adds terms of factor 1 to a sum of 32 bits, two an instruction: registers, and constant memory once. */
static int add_plain(struct ct_lower_unit *u, uint32_t at, const struct ct_lower_form *f,
                     struct ct_lower_source *sum, int any)
{
	struct ct_lower_source src[3];
	unsigned n = 0;
	if (any)
		src[n++] = *sum;
	for (unsigned t = 0; t < f->terms; t++) {
		if (f->term[t].factor != 1)
			continue;
		src[n++] = ct_lower_read_register(u, f->term[t].reg, 0);
		any = 1;
		int folded = src[n - 1].folded;
		for (unsigned k = 0; k + 1 < n; k++)
			folded += src[k].folded;
		int more = 0;
		for (unsigned k = t + 1; k < f->terms; k++)
			more |= f->term[k].factor == 1;
		if (n < 3 && more && folded < 2)
			continue;
		if (n == 1 && !src[0].folded) {
			*sum = src[0];
			continue;
		}
		uint32_t value = ct_lower_new_value(u->p, 1);
		u->failed |= value == CT_LOWER_NONE;
		ct_lower_emit(u, n > 1 ? "IADD3" : "IMAD.MOV.U32", at, CT_LOWER_PART(value, 0), n, src);
		*sum = src[0] = (struct ct_lower_source){.place = CT_LOWER_PART(value, 0)};
		n = 1;
	}
	return any;
}

/* The sum of 32 bits: additions of three, then products and shifted additions. */
static uint32_t sum_narrow(struct ct_lower_unit *u, uint32_t at, const struct ct_lower_form *f,
                           uint32_t inner)
{
	struct ct_lower_source sum = {.place = inner == CT_LOWER_NONE ? CT_LOWER_RZ : inner};
	int any = add_plain(u, at, f, &sum, inner != CT_LOWER_NONE);
	for (unsigned t = 0; t < f->terms; t++) {
		int64_t factor = f->term[t].factor;
		if (factor == 1)
			continue;
		struct ct_lower_source src[2] = {ct_lower_read_register(u, f->term[t].reg, 0), sum};
		uint32_t value = ct_lower_new_value(u->p, 1);
		u->failed |= value == CT_LOWER_NONE;
		int pow2 = factor > 0 && (factor & (factor - 1)) == 0;
		const char *name = !pow2 ? "IMAD" : any ? "LEA" : "IMAD.SHL.U32";
		ct_lower_emit(u, name, at, CT_LOWER_PART(value, 0), 2, src);
		sum = (struct ct_lower_source){.place = CT_LOWER_PART(value, 0)};
		any = 1;
	}
	return sum.place;
}

/* A base that needs no instruction: one register as it is. */
static uint32_t plain_base(struct ct_lower_unit *u, const struct ct_lower_group *g)
{
	const struct ct_lower_form *f = &g->form;
	if (f->terms == 0 && (!g->wide || f->constant == 0))
		return CT_LOWER_RZ;
	if (f->terms != 1 || f->term[0].factor != 1 || in_bank(u, f->term[0].reg) || f->constant ||
	    (g->wide && !is_wide(u, f->term[0].reg)))
		return CT_LOWER_NONE;
	return ct_lower_read_register(u, f->term[0].reg, 0).place;
}

/* Parts a form by what changes in a loop; the part that does not is a base of its own, outside. */
static uint32_t outer_part(struct ct_lower_unit *u, uint32_t group, uint32_t block, uint32_t at,
                           struct ct_lower_form *changing)
{
	struct ct_lower_form f = u->group[group].form, still = {0};
	uint32_t header = u->node[block].loop;
	*changing = (struct ct_lower_form){.constant = f.constant};
	for (unsigned t = 0; t < f.terms; t++) {
		struct ct_lower_form *to = header != CT_LOWER_NONE &&
		                                           !ct_lower_changes_in(u, f.term[t].reg, header)
		                                   ? &still
		                                   : changing;
		to->term[to->terms++] = f.term[t];
	}
	/* One register, or constant memory, is taken in as it is. */
	if (!changing->terms || !still.terms || (still.terms == 1 && still.term[0].factor == 1)) {
		*changing = f;
		return CT_LOWER_NONE;
	}
	uint32_t inner = ct_lower_group_of(u, still, u->group[group].wide);
	return inner == CT_LOWER_NONE ? inner : make_base(u, inner, block, at);
}

/* The block before a loop, where all ways into it have passed. */
static uint32_t before_loop(const struct ct_lower_unit *u, uint32_t header)
{
	return header == 0 ? CT_LOWER_NONE : u->node[header].dominator;
}

/* The one register of 32 bits, times its factor, by which a sum is another one; 0 where they differ by more. */
static int is_step(const struct ct_lower_unit *u, const struct ct_lower_form *sum,
                   const struct ct_lower_form *other, uint32_t *reg, int64_t *factor)
{
	unsigned differ = 0;
	if (sum->constant != other->constant)
		return 0;
	for (unsigned t = 0; t < sum->terms + other->terms; t++) {
		int own = t < sum->terms;
		const struct ct_lower_form *from = own ? sum : other, *in = own ? other : sum;
		uint32_t r = from->term[own ? t : t - sum->terms].reg;
		uint64_t by = (uint64_t)from->term[own ? t : t - sum->terms].factor, in_both = 0;
		for (unsigned k = 0; k < in->terms; k++)
			if (in->term[k].reg == r) {
				by -= (uint64_t)in->term[k].factor;
				in_both = 1;
			}
		if ((in_both && !own) || by == 0)
			continue;
		differ++;
		*reg = r;
		*factor = (int64_t)(own ? by : 0 - by);
	}
	return differ == 1 && *factor != 1 && !is_wide(u, *reg);
}

/* A base one step from another of the block, where PTX too moves a pointer on, as from turn to turn of an unrolled
 * loop: one IMAD.WIDE. */
static uint32_t step_from_base(struct ct_lower_unit *u, uint32_t group, uint32_t block, uint32_t at)
{
	if (!u->group[group].wide || !ct_lower_is_moved_on(u, at))
		return CT_LOWER_NONE;
	for (size_t i = u->bases; i-- > 0;) {
		const struct ct_lower_base *b = &u->base[i];
		struct ct_lower_source sum = {.place = b->place};
		uint32_t reg = 0;
		int64_t factor = 1;
		if (b->block == block && b->at <= at && u->group[b->group].wide &&
		    is_step(u, &u->group[group].form, &u->group[b->group].form, &reg, &factor))
			return add_wide(u, at, sum, reg, factor).place;
	}
	return CT_LOWER_NONE;
}

/* A register that holds the base of a group of accesses at this place: made once, in front of the
 * outermost loop in which its terms do not change. */
static uint32_t make_base(struct ct_lower_unit *u, uint32_t group, uint32_t block, uint32_t at)
{
	uint32_t place = plain_base(u, &u->group[group]), header = u->node[block].loop, changes = 0;
	if (place != CT_LOWER_NONE)
		return place;
	for (unsigned t = 0; header != CT_LOWER_NONE && t < u->group[group].form.terms; t++)
		changes |= (uint32_t)ct_lower_changes_in(u, u->group[group].form.term[t].reg, header);
	if (header != CT_LOWER_NONE && !changes && before_loop(u, header) != CT_LOWER_NONE) {
		uint32_t outside = before_loop(u, header);
		return make_base(u, group, outside, ct_lower_block_of(u, outside)->end - 1);
	}
	if ((place = find_base(u, group, block, at)) != CT_LOWER_NONE)
		return place;
	if (block == u->home && (place = step_from_base(u, group, block, at)) != CT_LOWER_NONE) {
		keep_base(u, group, block, at, place);
		return place;
	}
	struct ct_lower_form changing;
	uint32_t inner = outer_part(u, group, block, at, &changing), home = u->home;
	uint8_t phase = u->phase, wide = u->group[group].wide;
	if (block != home) {
		u->home = block;
		u->phase = CT_LOWER_HOISTED;
	}
	place = wide ? sum_wide(u, at, block, &changing, inner) : sum_narrow(u, at, &changing, inner);
	u->home = home;
	u->phase = phase;
	keep_base(u, group, block, at, place);
	return place;
}

uint32_t ct_lower_base_of(struct ct_lower_unit *u, uint32_t group, uint32_t at)
{
	return make_base(u, group, ct_lower_home(u, at), at);
}

/* Vectors of memory accesses and fragments of matrices: their registers lie side by side in machine code, wherever PTX has
 * them. */
#include "lower/unit.h"

/* Words of an operand of the instruction's vectors. */
static unsigned words_each(const struct ct_lower_ptx *i)
{
	return ct_lower_bits(i->opcode) == 64 ? 2 : 1;
}

/* Where n operands from `first` on lie side by side already, as a vector load has left them; RZ: they do not. */
static uint32_t place_together(const struct ct_lower_unit *u, const struct ct_lower_ptx *i,
                               uint32_t first, uint32_t n)
{
	const unsigned each = words_each(i);
	uint32_t value = CT_LOWER_NONE, part = 0;
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[first + k];
		if (o->kind != CT_PTX_OPERAND_REGISTER)
			return CT_LOWER_RZ;
		const struct ct_lower_reg *r = &u->reg[ct_lower_resolve(u, o->number)];
		if (k == 0) {
			value = r->value;
			part = r->part;
		}
		if (r->fact || r->value == CT_LOWER_NONE || r->value != value ||
		    r->part != part + k * each || ct_lower_parts(u, o->number) != each)
			return CT_LOWER_RZ;
	}
	return part % (n * each) ? CT_LOWER_RZ : CT_LOWER_PART(value, part);
}

/* A value for n operands of so many words each. */
static uint32_t new_vector(struct ct_lower_unit *u, uint32_t n, unsigned each)
{
	uint32_t value = ct_lower_new_value(u->p, n * each > 4 ? 4 : n * each);
	u->failed |= value == CT_LOWER_NONE;
	return value;
}

/* Where operand k of a vector has its first word. */
static unsigned part_of(uint32_t k, unsigned each)
{
	return k * each < 4 ? k * each : 0;
}

/* Whether operand k of a vector lies in that value. */
static int lies_in(const struct ct_lower_unit *u, const struct ct_ptx_operand *o, uint32_t value,
                   unsigned part)
{
	return u->reg[o->number].value == value && u->reg[o->number].part == part;
}

uint32_t ct_lower_write_vector(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                               uint32_t n)
{
	const unsigned each = words_each(i);
	const uint32_t together = place_together(u, i, first, n);
	if (together != CT_LOWER_RZ)
		return together;
	const uint32_t value = new_vector(u, n, each);
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[first + k];
		struct ct_lower_reg *r = &u->reg[o->number];
		if (o->kind == CT_PTX_OPERAND_REGISTER && r->value == CT_LOWER_NONE && r->defs == 1 &&
		    !r->fact) {
			r->value = value;
			r->part = (uint8_t)part_of(k, each);
		}
	}
	return CT_LOWER_PART(value, 0);
}

void ct_lower_spread_vector(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                            uint32_t n, uint32_t at, uint32_t place)
{
	const unsigned each = words_each(i);
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[first + k];
		const unsigned part = part_of(k, each);
		if (o->kind != CT_PTX_OPERAND_REGISTER ||
		    lies_in(u, o, CT_LOWER_VALUE(place), (place & 3) + part))
			continue;
		for (unsigned p = 0; p < each; p++) {
			const struct ct_lower_source src = {.place = place + part + p};
			ct_lower_emit(u, "IMAD.MOV.U32", at, ct_lower_write(u, o->number, p), 1, &src);
		}
	}
}

uint32_t ct_lower_read_vector(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                              uint32_t n, uint32_t at)
{
	const unsigned each = words_each(i);
	const uint32_t together = place_together(u, i, first, n);
	if (together != CT_LOWER_RZ)
		return together;
	const uint32_t value = new_vector(u, n, each);
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[first + k];
		const unsigned words = o->kind == CT_PTX_OPERAND_REGISTER ? each : 1;
		for (unsigned p = 0; p < words && o->kind != CT_PTX_OPERAND_SINK; p++) {
			struct ct_lower_source src = ct_lower_read(u, o, p);
			ct_lower_emit(u, "IMAD.MOV.U32", at, CT_LOWER_PART(value, part_of(k, each) + p),
			              1, &src);
		}
	}
	return CT_LOWER_PART(value, 0);
}

/* n registers from operand `first` on get one value together, where none of them has one. A sum's are written more than
 * once, always together. */
static void group(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first, uint32_t n)
{
	const unsigned each = words_each(i);
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[first + k];
		if (o->kind != CT_PTX_OPERAND_REGISTER || ct_lower_resolve(u, o->number) != o->number ||
		    u->reg[o->number].value != CT_LOWER_NONE || u->reg[o->number].fact)
			return;
		for (uint32_t j = 0; j < k; j++)
			if (i->operand[first + j].number == o->number)
				return;
	}
	if (n * each > 4)
		return;
	const uint32_t value = new_vector(u, n, each);
	for (uint32_t k = 0; k < n; k++) {
		struct ct_lower_reg *r = &u->reg[i->operand[first + k].number];
		r->value = value;
		r->part = (uint8_t)(k * each);
	}
}

/* The same of a factor whose registers are made one by one, as by loads. */
static void group_factor(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                         uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[first + k];
		if (o->kind != CT_PTX_OPERAND_REGISTER || u->reg[o->number].defs != 1 ||
		    ct_lower_ptx_at(u, u->reg[o->number].def)->writes != 1)
			return;
	}
	group(u, i, first, n);
}

void ct_lower_group_products(struct ct_lower_unit *u)
{
	for (uint32_t b = 0; b < u->blocks; b++)
		for (uint32_t at = ct_lower_block_of(u, b)->first; at < ct_lower_block_of(u, b)->end;
		     at++) {
			const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
			if (!ct_lower_is(i->opcode, "mma"))
				continue;
			const uint32_t sums = i->writes, second = ct_lower_second_factor(i);
			const uint32_t c = i->operands - sums;
			for (uint32_t k = 0; k < sums; k += 4) {
				const uint32_t n = sums - k < 4 ? sums - k : 4;
				group(u, i, k, n);
				group(u, i, c + k, n);
			}
			group_factor(u, i, sums, c - sums - second);
			group_factor(u, i, c - second, second);
		}
}

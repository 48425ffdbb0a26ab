/* Vector accesses: their registers lie side by side in machine code, wherever PTX has them. */
#include "lower/unit.h"

/* Where all parts of a stored vector lie side by side already, as a vector load has left them; RZ: they do not. */
static uint32_t place_together(const struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t n)
{
	const unsigned each = ct_lower_bits(i->opcode) == 64 ? 2 : 1;
	uint32_t value = CT_LOWER_NONE, first = 0;
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[1 + k];
		if (o->kind != CT_PTX_OPERAND_REGISTER)
			return CT_LOWER_RZ;
		const struct ct_lower_reg *r = &u->reg[ct_lower_resolve(u, o->number)];
		if (k == 0) {
			value = r->value;
			first = r->part;
		}
		if (r->fact || r->defs != 1 || r->value == CT_LOWER_NONE || r->value != value ||
		    r->part != first + k * each || ct_lower_parts(u, o->number) != each)
			return CT_LOWER_RZ;
	}
	return first % (n * each) ? CT_LOWER_RZ : CT_LOWER_PART(value, first);
}

/* Registers side by side that a vector access writes or reads: the parts get one value together, where
 * they have none yet. */
static uint32_t vector_value(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                             uint32_t n, uint32_t at, int store)
{
	unsigned each = ct_lower_bits(i->opcode) == 64 ? 2 : 1;
	uint32_t value = ct_lower_new_value(u->p, n * each > 4 ? 4 : n * each);
	u->failed |= value == CT_LOWER_NONE;
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[first + k];
		unsigned part = k * each < 4 ? k * each : 0;
		if (o->kind != CT_PTX_OPERAND_REGISTER) {
			if (store && o->kind != CT_PTX_OPERAND_SINK) {
				struct ct_lower_source src = ct_lower_read(u, o, 0);
				ct_lower_emit(u, "IMAD.MOV.U32", at, CT_LOWER_PART(value, part), 1,
				              &src);
			}
			continue;
		}
		struct ct_lower_reg *r = &u->reg[o->number];
		if (r->value == CT_LOWER_NONE && r->defs == 1 && !r->fact) {
			r->value = value;
			r->part = (uint8_t)part;
			continue;
		}
		for (unsigned p = 0; p < each; p++) {
			struct ct_lower_source src = {.place = CT_LOWER_PART(value, part + p)};
			uint32_t to = src.place;
			if (store)
				src = ct_lower_read(u, o, p);
			else
				to = ct_lower_write(u, o->number, p);
			ct_lower_emit(u, "IMAD.MOV.U32", at, to, 1, &src);
		}
	}
	return CT_LOWER_PART(value, 0);
}

uint32_t ct_lower_loaded_vector(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t n,
                                uint32_t at)
{
	return vector_value(u, i, 0, n, at, 0);
}

uint32_t ct_lower_stored_vector(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t n,
                                uint32_t at)
{
	uint32_t together = place_together(u, i, n);
	return together != CT_LOWER_RZ ? together : vector_value(u, i, 1, n, at, 1);
}

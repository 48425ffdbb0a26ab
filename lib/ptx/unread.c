/* Atomics whose result nothing reads: compilers write them where a reduction is meant, and machines have
 * reductions for them, which do not wait for the value. */
#include <stdlib.h>

#include "base/mem.h"
#include "ptx/codes.h"
#include "ptx/exec.h"
#include "ptx/module.h"

/* Register that an atomic writes, or CT_PTX_NO_OPERAND. */
static uint32_t result_of(const struct ct_ptx_module *m, const struct ct_ptx_line *line)
{
	const struct ct_ptx_operand *o = m->operand + line->first_operand;
	return line->operands && o->place == 0 && o->kind == CT_PTX_OPERAND_REGISTER && !o->in_brackets
	               ? o->number
	               : CT_PTX_NO_OPERAND;
}

static int is_atomic(const struct ct_ptx_op *o)
{
	return o->code == CT_PTX_atom && o->d != CT_PTX_NO_ROW;
}

/* A register that stands nowhere but in the result of an atomic is not read. */
static void forget_results(struct ct_ptx_module *m, const struct ct_ptx_function *f, uint32_t *uses)
{
	for (uint32_t i = f->first_line; i < f->first_line + f->lines; i++)
		for (uint32_t k = 0; k < m->line[i].operands; k++) {
			const struct ct_ptx_operand *o = &m->operand[m->line[i].first_operand + k];
			if (o->kind == CT_PTX_OPERAND_REGISTER)
				uses[o->number]++;
		}
	for (uint32_t i = f->first_op; i < f->first_op + f->ops; i++) {
		uint32_t result;
		if (is_atomic(&m->op[i]) &&
		    (result = result_of(m, &m->line[m->op[i].source])) != CT_PTX_NO_OPERAND &&
		    uses[result] == 1)
			m->op[i].d = CT_PTX_NO_ROW;
	}
}

int ct_ptx_find_unread(struct ct_ptx_module *m)
{
	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct ct_ptx_function *f = &m->function[i];
		int atomics = 0;
		for (uint32_t k = f->first_op; k < f->first_op + f->ops; k++)
			atomics |= is_atomic(&m->op[k]);
		if (!atomics)
			continue;
		uint32_t *uses = ct_calloc((size_t)f->frame_bytes / 64 + 1, sizeof *uses);
		if (!uses)
			return -1;
		forget_results(m, f, uses);
		free(uses);
	}
	return 0;
}

int ct_ptx_is_reduction(const struct ct_ptx_module *m, size_t instruction)
{
	const struct ct_ptx_op *o;
	if (instruction >= m->nlines)
		return 0;
	for (o = &m->op[m->line[instruction].first_op]; o->source == instruction && !o->last; o++)
		;
	return o->source == instruction && o->code == CT_PTX_atom && o->d == CT_PTX_NO_ROW &&
	       o->round != CT_PTX_ATOM_EXCH && o->round != CT_PTX_ATOM_CAS;
}

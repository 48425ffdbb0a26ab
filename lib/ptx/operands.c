/* Operands and control flow for those who turn PTX into something else. */
#include "ptx/operands.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ptx/codes.h"
#include "ptx/reader.h"

/* What stands in brackets is described like its base. */
static enum ct_ptx_operand_kind kind_of(const struct ct_ptx_arg *a, enum ct_ptx_arg_kind kind)
{
	switch (kind) {
	case CT_PTX_ARG_ROW:
		return a->ref % 64 == CT_PTX_BASE_SPECIAL ? CT_PTX_OPERAND_SPECIAL
		                                          : CT_PTX_OPERAND_REGISTER;
	case CT_PTX_ARG_PREDICATE: return CT_PTX_OPERAND_PREDICATE;
	case CT_PTX_ARG_INTEGER: return CT_PTX_OPERAND_INTEGER;
	case CT_PTX_ARG_FLOAT: return CT_PTX_OPERAND_REAL;
	case CT_PTX_ARG_VARIABLE: return CT_PTX_OPERAND_VARIABLE;
	case CT_PTX_ARG_NAME:
		return a->name && a->name[0] == '%' ? CT_PTX_OPERAND_SPECIAL : CT_PTX_OPERAND_NAME;
	default: return CT_PTX_OPERAND_SINK;
	}
}

static int add(struct ct_ptx_module *m, const struct ct_ptx_operand *o)
{
	if (ct_grow((void **)&m->operand, &m->operands_cap, m->noperands + 1, sizeof *m->operand) < 0)
		return -1;
	m->operand[m->noperands++] = *o;
	return 0;
}

/* A name that the module has: a variable's, or what the text says. */
static const char *name_of(const struct ct_ptx_module *m, const struct ct_ptx_arg *a)
{
	return a->symbol >= 0 && (size_t)a->symbol < m->nsymbols ? m->symbol[a->symbol].v.name : a->name;
}

/* Keeps an operand for those who ask for operands later, with the register of an address inside
 * brackets. */
static int keep(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, unsigned place)
{
	int memory = a->kind == CT_PTX_ARG_MEMORY;
	struct ct_ptx_operand o = {.kind = kind_of(a, memory ? a->inner : a->kind),
	                           .place = (uint8_t)place,
	                           .in_brackets = (uint8_t)memory,
	                           .space = (enum ct_ptx_space)a->space,
	                           .name = name_of(r->m, a)};
	unsigned bytes = ct_ptx_type_bytes(a->type);
	if (o.kind == CT_PTX_OPERAND_REGISTER) {
		o.number = a->ref / 64;
		o.bytes = (uint8_t)(bytes < 2 ? 2 : bytes);
	} else if (o.kind == CT_PTX_OPERAND_PREDICATE) {
		o.number = a->ref / 4;
		o.negated = a->ref & 1;
	} else if (o.kind == CT_PTX_OPERAND_VARIABLE) {
		o.number = a->ref; /* where it lies in its space, of a function's own */
	}
	o.value = memory || o.kind == CT_PTX_OPERAND_VARIABLE ? a->offset : (int64_t)a->value;
	if (add(r->m, &o) < 0)
		return ct_ptx_nomem(r);
	if (a->has_other) {
		struct ct_ptx_operand p = {.kind = CT_PTX_OPERAND_PREDICATE,
		                           .number = a->other / 4,
		                           .place = (uint8_t)place};
		if (add(r->m, &p) < 0)
			return ct_ptx_nomem(r);
	}
	return CT_OK;
}

int ct_ptx_keep_operands(struct ct_ptx_reader *r, struct ct_ptx_line *line)
{
	const struct ct_ptx_statement *s = &r->s;
	int rc = CT_OK;
	line->first_operand = (uint32_t)r->m->noperands;
	for (unsigned i = 0; i < s->nargs && rc == CT_OK; i++) {
		const struct ct_ptx_arg *a = &s->arg[i];
		int list = a->kind == CT_PTX_ARG_VECTOR || a->kind == CT_PTX_ARG_GROUP;
		if (!list)
			rc = keep(r, a, i);
		for (unsigned k = 0; k < a->count && rc == CT_OK; k++)
			rc = keep(r, &s->element[a->first + k], i);
	}
	line->operands = (uint32_t)r->m->noperands - line->first_operand;
	return rc;
}

const struct ct_ptx_operand *
ct_ptx_operands_of(const struct ct_ptx_module *m, size_t instruction, size_t *n)
{
	if (instruction >= m->nlines) {
		*n = 0;
		return NULL;
	}
	*n = m->line[instruction].operands;
	return m->operand + m->line[instruction].first_operand;
}

/* The last operation of an instruction moves its lanes; NULL where it has none. */
static const struct ct_ptx_op *last_op(const struct ct_ptx_module *m, size_t instruction)
{
	size_t end = instruction + 1 < m->nlines &&
	                             m->line[instruction + 1].function == m->line[instruction].function
	                     ? m->line[instruction + 1].first_op
	                     : m->nops;
	const struct ct_ptx_op *found = NULL;
	for (size_t i = m->line[instruction].first_op; i < end && m->op[i].source == instruction; i++)
		if (m->op[i].last)
			found = &m->op[i];
	return found;
}

static uint32_t instruction_of(const struct ct_ptx_module *m, uint32_t op)
{
	return op < m->nops ? m->op[op].source : CT_PTX_NO_OPERAND;
}

struct ct_ptx_control ct_ptx_control_of(const struct ct_ptx_module *m, size_t instruction)
{
	struct ct_ptx_control c = {
		.guard = CT_PTX_NO_OPERAND, .target = CT_PTX_NO_OPERAND, .join = CT_PTX_NO_OPERAND};
	const struct ct_ptx_op *o = instruction < m->nlines ? last_op(m, instruction) : NULL;
	if (!o)
		return c;
	uint32_t guard = m->line[instruction].guard;
	if (guard != CT_PTX_TRUE) {
		c.guard = guard / 4;
		c.negated = guard & 1;
	}
	c.branches = o->code == CT_PTX_bra;
	c.ends = o->code == CT_PTX_exit || o->code == CT_PTX_trap;
	c.table = o->code == CT_PTX_brx;
	if (c.branches)
		c.target = instruction_of(m, o->target);
	if (c.branches || c.table)
		c.join = instruction_of(m, o->join);
	return c;
}

uint32_t ct_ptx_table_of(const struct ct_ptx_module *m, size_t instruction, uint32_t i)
{
	const struct ct_ptx_op *o = instruction < m->nlines ? last_op(m, instruction) : NULL;
	if (!o || o->code != CT_PTX_brx || i >= m->table[o->target])
		return CT_PTX_NO_OPERAND;
	return instruction_of(m, m->table[o->target + 1 + i]);
}

size_t ct_ptx_body_count(const struct ct_ptx_module *m)
{
	return m->nfunctions;
}

struct ct_ptx_body ct_ptx_body_at(const struct ct_ptx_module *m, size_t function)
{
	if (function >= m->nfunctions)
		return (struct ct_ptx_body){0};
	const struct ct_ptx_function *f = &m->function[function];
	return (struct ct_ptx_body){
		.name = f->name,
		.first_instruction = f->first_line,
		.instructions = f->defined ? f->lines : 0,
		.registers = f->frame_bytes / 64,
		.predicates = f->predicate_bytes / 4,
		.kernel = (uint8_t)f->entry};
}

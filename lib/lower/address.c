/* Addresses as sums: accesses that differ by constants share a base, since machine accesses take an
 * offset, and the arithmetic that only made addresses is not needed any more. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/unit.h"

/* Offsets of machine accesses have 24 bits with a sign. A sum is taken apart through at most DEPTH definitions that
 * lie behind one another, and DEFINITIONS in all: where each of them uses the one before twice, there are 2^DEPTH paths. */
enum { OFFSET_END = 1 << 23, DEPTH = 24, DEFINITIONS = 4096 };

/* How far a sum has been taken apart. */
struct search {
	unsigned depth, seen; /* definitions on the way to this one, and in all */
};

/* Sums and products of 64 bits that wrap around as addresses do. */
static int64_t wrapped_sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrapped_product(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Adds factor times a register to a sum. Returns -1 where the sum has no room for another register. */
static int add_term(struct ct_lower_form *f, uint32_t reg, int64_t factor)
{
	unsigned i = 0;
	while (i < f->terms && f->term[i].reg != reg)
		i++;
	if (i == CT_LOWER_TERMS)
		return -1;
	if (i == f->terms) {
		f->term[f->terms].reg = reg;
		f->term[f->terms++].factor = 0;
	}
	f->term[i].factor = wrapped_sum(f->term[i].factor, factor);
	if (f->term[i].factor == 0)
		f->term[i] = f->term[--f->terms];
	return 0;
}

/* Adds `factor` times b to a; -1 where that has too many terms. */
static int add_form(struct ct_lower_form *a, const struct ct_lower_form *b, int64_t factor)
{
	struct ct_lower_form sum = *a;
	for (unsigned i = 0; i < b->terms; i++)
		if (add_term(&sum, b->term[i].reg, wrapped_product(b->term[i].factor, factor)) < 0)
			return -1;
	sum.constant = wrapped_sum(sum.constant, wrapped_product(b->constant, factor));
	*a = sum;
	return 0;
}

/* 1 where an instruction of [first, end) writes the register. */
static int is_written(const struct ct_lower_unit *u, uint32_t reg, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct ct_lower_ptx *x = ct_lower_ptx_at(u, i);
		for (uint32_t w = 0; w < x->writes; w++)
			if (x->operand[w].kind == CT_PTX_OPERAND_REGISTER && x->operand[w].number == reg)
				return 1;
	}
	return 0;
}

/* Puts the blocks from which b is entered on a list, but for `home` and those that were on it. */
static void list_before(const struct ct_lower_unit *u, uint32_t b, uint32_t home, unsigned char *seen,
                        uint32_t *list, uint32_t *n)
{
	for (uint32_t p = 0; p < u->blocks; p++) {
		const struct ct_lower_block *block = ct_lower_block_of(u, p);
		for (uint32_t k = 0; k < block->edges && p != home && !seen[p]; k++)
			if (u->p->edge[block->edge + k] - u->first_block == b) {
				seen[p] = 1;
				list[(*n)++] = p;
			}
	}
}

int ct_lower_keeps_value(const struct ct_lower_unit *u, uint32_t reg, uint32_t from, uint32_t to)
{
	uint32_t home = ct_lower_home(u, from), target = ct_lower_home(u, to), n = 0;
	if (u->reg[reg].defs <= 1 || from == to)
		return 1;
	if (home == target && from < to)
		return !is_written(u, reg, from + 1, to);
	unsigned char *seen = ct_calloc(u->blocks + 1u, 1);
	uint32_t *list = ct_calloc(u->blocks + 1u, sizeof *list);
	int kept = seen && list && !is_written(u, reg, from + 1, ct_lower_block_of(u, home)->end) &&
	           !is_written(u, reg, ct_lower_block_of(u, target)->first, to);
	if (kept)
		list_before(u, target, home, seen, list, &n);
	while (kept && n > 0) {
		uint32_t b = list[--n];
		const struct ct_lower_block *block = ct_lower_block_of(u, b);
		kept = !is_written(u, reg, block->first, block->end);
		list_before(u, b, home, seen, list, &n);
	}
	free(seen);
	free(list);
	return kept;
}

static int form_of(const struct ct_lower_unit *u, uint32_t reg, uint32_t at, struct search *s,
                   struct ct_lower_form *f);

/* An operand as a form, as of instruction `at`. */
static int operand_form(const struct ct_lower_unit *u, const struct ct_ptx_operand *o, uint32_t at,
                        struct search *s, struct ct_lower_form *f)
{
	*f = (struct ct_lower_form){0};
	if (o->kind == CT_PTX_OPERAND_INTEGER) {
		f->constant = o->value;
		return 0;
	}
	return o->kind == CT_PTX_OPERAND_REGISTER ? form_of(u, o->number, at, s, f) : -1;
}

/* Whether `or` of a form with a small constant adds it: the bits are free in every term. */
static int adds_freely(const struct ct_lower_form *f, int64_t constant)
{
	int64_t bits = f->constant;
	for (unsigned i = 0; i < f->terms; i++)
		bits |= f->term[i].factor;
	return constant > 0 && (bits & -bits) > constant && f->terms > 0;
}

/* Whether a form is a multiple of some power of 2: what an index of rows is shifted to. */
static int is_shifted(const struct ct_lower_form *f)
{
	int64_t bits = f->constant;
	for (unsigned i = 0; i < f->terms; i++)
		bits |= f->term[i].factor;
	return f->terms > 0 && (bits & 1) == 0;
}

/* The form of what an instruction computes; -1 where it is no sum. */
static int computed_form(const struct ct_lower_unit *u, uint32_t at, struct search *s,
                         struct ct_lower_form *f)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const char *o = i->opcode;
	struct ct_lower_form a, b, c;
	if (i->operands < 2 || i->control.guard != CT_PTX_NO_OPERAND || i->writes != 1 ||
	    operand_form(u, &i->operand[1], at, s, &a) < 0)
		return -1;
	*f = a;
	if (ct_lower_is(o, "mov") || ct_lower_is(o, "cvta") || strcmp(o, "cvt.s64.s32") == 0 ||
	    strcmp(o, "cvt.u64.u32") == 0 || strcmp(o, "cvt.u32.u64") == 0 ||
	    strcmp(o, "cvt.s32.s64") == 0)
		return i->operands == 2 ? 0 : -1;
	if (i->operands < 3 || ct_lower_has(o, "f32") || ct_lower_has(o, "f64") ||
	    operand_form(u, &i->operand[2], at, s, &b) < 0)
		return -1;
	if (ct_lower_is(o, "add") || ct_lower_is(o, "sub"))
		return ct_lower_has(o, "cc") ? -1 : add_form(f, &b, ct_lower_is(o, "add") ? 1 : -1);
	if (ct_lower_is(o, "or") && !b.terms && adds_freely(&a, b.constant))
		return add_form(f, &b, 1);
	/* clang writes or for an addition of what it knows to share no bits, as a column and a shifted row. */
	if (ct_lower_is(o, "or") && b.terms && a.terms && (is_shifted(&a) || is_shifted(&b)))
		return add_form(f, &b, 1);
	*f = (struct ct_lower_form){0};
	if (ct_lower_is(o, "shl") && !b.terms && b.constant >= 0 && b.constant < 32)
		return add_form(f, &a, INT64_C(1) << b.constant);
	if (ct_lower_has(o, "hi") || (!ct_lower_is(o, "mul") && !ct_lower_is(o, "mad")))
		return -1;
	if (a.terms && b.terms)
		return -1;
	if (a.terms ? add_form(f, &a, b.constant) < 0 : add_form(f, &b, a.constant) < 0)
		return -1;
	if (ct_lower_is(o, "mul"))
		return 0;
	return operand_form(u, &i->operand[3], at, s, &c) < 0 ? -1 : add_form(f, &c, 1);
}

/* The form of a register as of instruction `at`: itself where nothing better is known. */
static int form_of(const struct ct_lower_unit *u, uint32_t reg, uint32_t at, struct search *s,
                   struct ct_lower_form *f)
{
	const struct ct_lower_reg *r = &u->reg[reg];
	int known = r->defs == 1 && s->depth < DEPTH && s->seen < DEFINITIONS &&
	            r->fact != CT_LOWER_BANK;
	*f = (struct ct_lower_form){0};
	if (known && r->fact == CT_LOWER_CONSTANT) {
		f->constant = r->constant;
		return 0;
	}
	if (known) {
		s->seen++;
		s->depth++;
		known = computed_form(u, r->def, s, f) == 0;
		s->depth--;
	}
	/* What is computed in any case is not taken apart, unless that costs nothing. */
	if (known && r->anyway && f->terms != 0 && (f->terms != 1 || f->term[0].factor != 1))
		known = 0;
	/* Where clang gave a loop's variable its next value before the last use of the one before, the
	 * vendor's compiler has two registers: a sum that was made before, in the same block, still holds. */
	int here = r->def < at && ct_lower_home(u, r->def) == ct_lower_home(u, at);
	for (unsigned i = 0; known && !here && i < f->terms; i++)
		known = ct_lower_keeps_value(u, f->term[i].reg, r->def, at);
	if (!known) {
		*f = (struct ct_lower_form){.terms = 1};
		f->term[0].reg = reg;
		f->term[0].factor = 1;
	}
	return 0;
}

/* Whether a form begins at a pointer that the launch gave, and adds to it. */
static int is_address(const struct ct_lower_unit *u, const struct ct_lower_form *f)
{
	for (unsigned i = 0; i < f->terms && f->terms > 1; i++)
		if (f->term[i].factor == 1 && u->reg[f->term[i].reg].fact == CT_LOWER_BANK &&
		    u->reg[f->term[i].reg].bytes == 8)
			return 1;
	return 0;
}

int ct_lower_is_moved_on(const struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	for (uint32_t k = 0; i->access && k < i->operands; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		if (!o->in_brackets || o->kind != CT_PTX_OPERAND_REGISTER || u->reg[o->number].defs != 1)
			continue;
		uint32_t def = u->reg[o->number].def;
		const struct ct_lower_ptx *add = ct_lower_ptx_at(u, def);
		struct ct_lower_form f;
		if (!ct_lower_is(add->opcode, "add") || ct_lower_bits(add->opcode) != 64 ||
		    add->operands != 3)
			return 0;
		for (unsigned w = 1; w < 3; w++) {
			struct search s = {0};
			if (operand_form(u, &add->operand[w], def, &s, &f) == 0 && is_address(u, &f))
				return 1;
		}
		return 0;
	}
	return 0;
}

static int by_register(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static int same_terms(const struct ct_lower_form *a, const struct ct_lower_form *b)
{
	if (a->terms != b->terms || a->constant != b->constant)
		return 0;
	for (unsigned i = 0; i < a->terms; i++)
		if (a->term[i].reg != b->term[i].reg || a->term[i].factor != b->term[i].factor)
			return 0;
	return 1;
}

uint32_t ct_lower_group_of(struct ct_lower_unit *u, struct ct_lower_form f, int wide)
{
	if (f.constant > -OFFSET_END && f.constant < OFFSET_END)
		f.constant = 0; /* it stands in the access */
	qsort(f.term, f.terms, sizeof *f.term, by_register);
	for (size_t g = 0; g < u->groups; g++)
		if (u->group[g].wide == wide && same_terms(&u->group[g].form, &f))
			return (uint32_t)g;
	if (ct_grow((void **)&u->group, &u->group_cap, u->groups + 1, sizeof *u->group) < 0) {
		u->failed = 1;
		return CT_LOWER_NONE;
	}
	u->group[u->groups] = (struct ct_lower_group){.form = f, .wide = (uint8_t)wide};
	return (uint32_t)u->groups++;
}

/* Gives an access its group: none where its register is the base as it is. */
static void find_group(struct ct_lower_unit *u, uint32_t at)
{
	struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	for (uint32_t k = 0; i->access && k < i->operands; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		struct ct_lower_form f;
		if (!o->in_brackets || o->kind != CT_PTX_OPERAND_REGISTER)
			continue;
		struct search s = {0};
		form_of(u, o->number, at, &s, &f);
		f.constant = wrapped_sum(f.constant, o->value);
		if (f.terms == 1 && f.term[0].factor == 1 && f.term[0].reg == o->number)
			return; /* a register that is no sum */
		int narrow = ct_lower_has(i->opcode, "shared") || ct_lower_has(i->opcode, "local");
		i->base = ct_lower_group_of(u, f, !narrow);
		return;
	}
}

/* ---- what is needed ---- */

static void need_register(struct ct_lower_unit *u, uint32_t reg, uint32_t by, uint32_t *stack,
                          size_t *n);

/* All definitions of a register are needed; they are scanned once. */
static void need_instruction(struct ct_lower_unit *u, uint32_t k, uint32_t *stack, size_t *n)
{
	struct ct_lower_ptx *i = &u->ptx[k];
	uint32_t at = u->body.first_instruction + k;
	if (i->control.guard != CT_PTX_NO_OPERAND)
		u->pred[i->control.guard].uses++;
	for (uint32_t w = i->writes; w < i->operands; w++) {
		const struct ct_ptx_operand *o = &i->operand[w];
		if (o->kind == CT_PTX_OPERAND_PREDICATE)
			u->pred[o->number].uses++;
		if (o->kind != CT_PTX_OPERAND_REGISTER || (o->in_brackets && i->base != CT_LOWER_NONE))
			continue;
		need_register(u, o->number, at, stack, n);
	}
	for (unsigned t = 0; i->base < CT_LOWER_UNKNOWN && t < u->group[i->base].form.terms; t++)
		need_register(u, u->group[i->base].form.term[t].reg, at, stack, n);
}

static void need_register(struct ct_lower_unit *u, uint32_t reg, uint32_t by, uint32_t *stack, size_t *n)
{
	for (int more = 1; more;) {
		struct ct_lower_reg *r = &u->reg[reg];
		r->uses++;
		r->use = by;
		if (r->uses == 1)
			stack[(*n)++] = reg;
		more = r->fact == CT_LOWER_COPY_OF || r->fact == CT_LOWER_EXTENSION;
		if (more)
			reg = r->of;
	}
}

/* Marks the definitions of a register, or of a predicate, that was found to be needed. */
static void need_definitions(struct ct_lower_unit *u, enum ct_ptx_operand_kind kind, uint32_t number,
                             uint32_t *stack, size_t *n)
{
	for (uint32_t k = 0; k < u->body.instructions; k++) {
		struct ct_lower_ptx *i = &u->ptx[k];
		for (uint32_t w = 0; w < i->writes && !i->needed; w++)
			if (i->operand[w].kind == kind && i->operand[w].number == number) {
				i->needed = 1;
				need_instruction(u, k, stack, n);
			}
	}
}

/* Marks the instructions whose results are needed, from those with effects backwards. What is left makes
 * no machine instruction. */
static int find_needs(struct ct_lower_unit *u)
{
	uint32_t *stack = ct_calloc(u->body.registers + 1u, sizeof *stack);
	unsigned char *seen = ct_calloc(u->body.predicates + 1u, 1);
	size_t n = 0;
	int fine = stack && seen;
	for (uint32_t k = 0; fine && k < u->body.instructions; k++)
		if (u->ptx[k].needed)
			need_instruction(u, k, stack, &n);
	for (int changed = fine; changed;) {
		changed = 0;
		while (n > 0)
			need_definitions(u, CT_PTX_OPERAND_REGISTER, stack[--n], stack, &n);
		for (uint32_t p = 0; p < u->body.predicates; p++)
			if (u->pred[p].uses && !seen[p]) {
				changed = seen[p] = 1;
				need_definitions(u, CT_PTX_OPERAND_PREDICATE, p, stack, &n);
			}
	}
	free(stack);
	free(seen);
	return fine ? CT_OK : CT_ERR_NOMEM;
}

/* Registers that are needed whatever becomes of addresses; once there are groups of accesses, those too that what
 * the groups are sums of is made from. */
static int find_anyway(struct ct_lower_unit *u, int grouped)
{
	unsigned char *needed = ct_calloc(u->body.instructions + 1u, 1);
	if (!needed)
		return CT_ERR_NOMEM;
	for (uint32_t i = 0; i < u->body.instructions; i++) {
		needed[i] = u->ptx[i].needed;
		if (u->ptx[i].access && !grouped)
			u->ptx[i].base = CT_LOWER_UNKNOWN;
	}
	int st = find_needs(u);
	for (uint32_t r = 0; r < u->body.registers; r++) {
		u->reg[r].anyway = u->reg[r].uses > 0;
		u->reg[r].uses = 0;
	}
	for (uint32_t q = 0; q < u->body.predicates; q++)
		u->pred[q].uses = 0;
	for (uint32_t i = 0; i < u->body.instructions; i++) {
		u->ptx[i].needed = needed[i];
		u->ptx[i].base = CT_LOWER_NONE;
	}
	free(needed);
	return st;
}

int ct_lower_groups(struct ct_lower_unit *u)
{
	for (unsigned turn = 0; turn < 2; turn++) {
		if (find_anyway(u, turn > 0) < 0)
			return CT_ERR_NOMEM;
		u->groups = 0;
		for (uint32_t i = 0; i < u->body.instructions && !u->failed; i++)
			find_group(u, u->body.first_instruction + i);
	}
	return u->failed ? CT_ERR_NOMEM : find_needs(u);
}

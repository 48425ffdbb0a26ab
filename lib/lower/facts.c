/* What is known of registers before a machine instruction is made. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/unit.h"

int ct_lower_is(const char *opcode, const char *name)
{
	size_t n = strlen(name);
	return strncmp(opcode, name, n) == 0 && (opcode[n] == '.' || opcode[n] == '\0');
}

int ct_lower_has(const char *opcode, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = strchr(opcode, '.'); p; p = strchr(p, '.'))
		if (strncmp(++p, word, n) == 0 && (p[n] == '.' || p[n] == '\0'))
			return 1;
	return 0;
}

unsigned ct_lower_bits(const char *opcode)
{
	const char *dot = strrchr(opcode, '.');
	unsigned n = 0;
	if (!dot || strcmp(dot, ".pred") == 0)
		return 0;
	while (*++dot && (*dot < '0' || *dot > '9'))
		;
	for (; *dot >= '0' && *dot <= '9'; dot++)
		n = 10 * n + (unsigned)(*dot - '0');
	return n;
}

uint32_t ct_lower_resolve(const struct ct_lower_unit *u, uint32_t reg)
{
	while (u->reg[reg].fact == CT_LOWER_COPY_OF)
		reg = u->reg[reg].of;
	return reg;
}

/* Instructions whose operands are all read. */
static int only_reads(const char *o)
{
	return ct_lower_is(o, "st") || ct_lower_is(o, "red") || ct_lower_is(o, "bra") ||
	       ct_lower_is(o, "brx") || ct_lower_is(o, "ret") || ct_lower_is(o, "exit") ||
	       ct_lower_is(o, "bar") || ct_lower_is(o, "barrier") || ct_lower_is(o, "membar") ||
	       ct_lower_is(o, "fence") || ct_lower_is(o, "call") || ct_lower_is(o, "prefetch") ||
	       ct_lower_is(o, "prefetchu") || ct_lower_is(o, "cp") || ct_lower_is(o, "trap") ||
	       ct_lower_is(o, "nanosleep") || ct_lower_is(o, "discard") ||
	       ct_lower_is(o, "applypriority") || ct_lower_is(o, "sust");
}

int ct_lower_is_texture(const char *o)
{
	return ct_lower_is(o, "tex") || ct_lower_is(o, "tld4") || ct_lower_is(o, "suld") ||
	       ct_lower_is(o, "sust");
}

static int is_access(const char *o, int in_brackets)
{
	return in_brackets && !ct_lower_is_texture(o) && !ct_lower_has(o, "param") &&
	       !ct_lower_has(o, "const");
}

/* An instruction that must stay whatever becomes of its result. */
static int has_effect(const struct ct_lower_ptx *i)
{
	const char *o = i->opcode;
	return (only_reads(o) && !ct_lower_is(o, "bra")) || i->control.branches || i->control.ends ||
	       i->control.table || i->access || ct_lower_is(o, "atom") || ct_lower_is(o, "shfl") ||
	       ct_lower_is(o, "vote") || ct_lower_is(o, "match") || ct_lower_is(o, "redux") ||
	       ct_lower_is_texture(o) || ct_lower_is(o, "mma") || ct_lower_is(o, "ldmatrix") ||
	       ct_lower_is(o, "movmatrix") || ct_lower_is(o, "activemask") ||
	       (ct_lower_is(o, "ld") && ct_lower_has(o, "volatile"));
}

/* Whether the machine names halves of registers where an instruction reads 16 bits: those of halves do, and PRMT for a pair. */
static int names_halves(const struct ct_lower_ptx *i)
{
	const char *o = i->opcode;
	return ct_lower_has(o, "f16") || ct_lower_has(o, "f16x2") || ct_lower_has(o, "bf16") ||
	       ct_lower_has(o, "bf16x2") || (ct_lower_is(o, "mov") && i->operands == 3);
}

/* Notes what an instruction reads, writes and does. */
static void look_at(struct ct_lower_unit *u, uint32_t at)
{
	struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	size_t n;
	i->opcode = ct_ptx_instruction_at(u->p->m, at).opcode;
	i->operand = ct_ptx_operands_of(u->p->m, at, &n);
	i->operands = (uint32_t)n;
	i->control = ct_ptx_control_of(u->p->m, at);
	i->base = i->fused = i->quad = CT_LOWER_NONE;
	int reads = only_reads(i->opcode) &&
	            !(ct_lower_is(i->opcode, "bar") && ct_lower_has(i->opcode, "red"));
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		i->access |= (uint8_t)is_access(i->opcode, o->in_brackets);
		int writes = o->place == 0 && !reads && !o->in_brackets;
		i->writes += (uint8_t)(writes && k == i->writes);
		if (writes && o->kind == CT_PTX_OPERAND_REGISTER) {
			if (!u->reg[o->number].defs++)
				u->reg[o->number].first = at;
			u->reg[o->number].def = at;
			u->reg[o->number].bytes = o->bytes;
		} else if (writes && o->kind == CT_PTX_OPERAND_PREDICATE) {
			u->pred[o->number].defs++;
			u->pred[o->number].def = at;
		} else if (o->kind == CT_PTX_OPERAND_REGISTER && !names_halves(i)) {
			u->reg[o->number].whole = 1;
		}
	}
	i->needed = (uint8_t)has_effect(i);
}

/* Special registers that a launch has in constant memory. */
static int in_bank(const char *name)
{
	return strncmp(name, "%ntid", 5) == 0 || strncmp(name, "%nctaid", 7) == 0;
}

int ct_lower_is_zero(const struct ct_lower_unit *u, const struct ct_ptx_operand *o)
{
	if (o->kind == CT_PTX_OPERAND_INTEGER || o->kind == CT_PTX_OPERAND_REAL)
		return o->value == 0;
	if (o->kind != CT_PTX_OPERAND_REGISTER)
		return 0;
	const struct ct_lower_reg *r = &u->reg[ct_lower_resolve(u, o->number)];
	return r->fact == CT_LOWER_CONSTANT && r->constant == 0;
}

/* A computation of nothing but constants, which a compiler does itself. */
static int is_constant(const struct ct_lower_unit *u, const struct ct_lower_ptx *i)
{
	if (i->access || i->needed || i->operands < 2)
		return 0;
	for (uint32_t k = 1; k < i->operands; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		if (o->in_brackets ||
		    (o->kind != CT_PTX_OPERAND_INTEGER && o->kind != CT_PTX_OPERAND_REAL &&
		     !(o->kind == CT_PTX_OPERAND_REGISTER &&
		       u->reg[o->number].fact == CT_LOWER_CONSTANT)))
			return 0;
	}
	return 1;
}

/* The halves of a register, of those who name halves, are the register itself. */
static void find_halves(struct ct_lower_unit *u, const struct ct_lower_ptx *i)
{
	if (!ct_lower_is(i->opcode, "mov") || i->writes != 2 || i->operands != 3 ||
	    i->operand[2].kind != CT_PTX_OPERAND_REGISTER || i->control.guard != CT_PTX_NO_OPERAND ||
	    u->reg[i->operand[2].number].defs != 1)
		return;
	for (unsigned w = 0; w < 2; w++) {
		const struct ct_ptx_operand *o = &i->operand[w];
		struct ct_lower_reg *d = &u->reg[o->number];
		if (o->kind == CT_PTX_OPERAND_REGISTER && d->defs == 1 && d->bytes == 2 && !d->whole) {
			d->fact = CT_LOWER_COPY_OF;
			d->of = i->operand[2].number;
		}
	}
}

/* What an instruction makes of its only result without a machine instruction. */
static void find_fact(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	find_halves(u, i);
	if (i->writes != 1 || i->operands < 2 || i->operand[0].kind != CT_PTX_OPERAND_REGISTER ||
	    i->control.guard != CT_PTX_NO_OPERAND)
		return;
	struct ct_lower_reg *d = &u->reg[i->operand[0].number];
	const struct ct_ptx_operand *a = &i->operand[1];
	const char *o = i->opcode;
	if (d->defs != 1)
		return;
	int from_one = a->kind == CT_PTX_OPERAND_REGISTER && i->operands == 2 &&
	               u->reg[a->number].defs == 1;
	if (ct_lower_is(o, "ld") && a->in_brackets && a->kind == CT_PTX_OPERAND_VARIABLE &&
	    (ct_lower_has(o, "param") ? u->body.kernel : ct_lower_has(o, "const"))) {
		d->fact = CT_LOWER_BANK;
	} else if (ct_lower_is(o, "mov") && a->kind == CT_PTX_OPERAND_SPECIAL && in_bank(a->name)) {
		d->fact = CT_LOWER_BANK;
	} else if (ct_lower_is(o, "mov") && a->kind == CT_PTX_OPERAND_VARIABLE) {
		d->fact = a->space == CT_PTX_SHARED || a->space == CT_PTX_LOCAL
		                  ? CT_LOWER_CONSTANT
		                  : CT_LOWER_BANK;
	} else if (ct_lower_is(o, "mov") && i->operands == 2 &&
	           (a->kind == CT_PTX_OPERAND_INTEGER || a->kind == CT_PTX_OPERAND_REAL)) {
		d->fact = CT_LOWER_CONSTANT;
		d->constant = a->value;
	} else if (from_one &&
	           (ct_lower_is(o, "mov") || ct_lower_is(o, "cvta") || strcmp(o, "cvt.u32.u64") == 0 ||
	            strcmp(o, "cvt.s32.s64") == 0 || strcmp(o, "neg.f32") == 0 ||
	            strcmp(o, "abs.f32") == 0 || strcmp(o, "neg.ftz.f32") == 0 ||
	            strcmp(o, "abs.ftz.f32") == 0 || strcmp(o, "neg.f64") == 0 ||
	            strcmp(o, "abs.f64") == 0 || strcmp(o, "cvt.u32.u16") == 0 ||
	            strcmp(o, "cvt.u16.u32") == 0 ||
	            (strcmp(o, "cvt.u32.u8") == 0 && u->reg[a->number].bytes == 2))) {
		d->fact = CT_LOWER_COPY_OF;
		d->of = a->number;
	} else if (from_one &&
	           (strcmp(o, "cvt.u64.u32") == 0 || (strcmp(o, "cvt.s64.s32") == 0 && d->narrow))) {
		d->fact = CT_LOWER_EXTENSION;
		d->of = a->number;
	} else if (is_constant(u, i)) {
		d->fact = CT_LOWER_CONSTANT;
		d->constant = 1; /* which does not matter, but that it is not RZ */
	}
}

/* Whether an instruction leaves an index of 32 bits in a 64-bit register, if its sources are such. */
static int keeps_narrow(const struct ct_lower_unit *u, const struct ct_lower_ptx *i)
{
	const char *o = i->opcode;
	if (strcmp(o, "cvt.s64.s32") == 0 || strcmp(o, "cvt.u64.u32") == 0)
		return 1;
	if (!ct_lower_is(o, "mov") && !ct_lower_is(o, "add") && !ct_lower_is(o, "sub") &&
	    !ct_lower_is(o, "min") && !ct_lower_is(o, "max") && !ct_lower_is(o, "selp"))
		return 0;
	for (uint32_t k = 1; k < i->operands; k++) {
		const struct ct_ptx_operand *a = &i->operand[k];
		if (a->kind == CT_PTX_OPERAND_INTEGER    ? a->value != (int32_t)a->value
		    : a->kind == CT_PTX_OPERAND_REGISTER ? !u->reg[a->number].narrow
		                                         : a->kind != CT_PTX_OPERAND_PREDICATE)
			return 0;
	}
	return 1;
}

/* clang widens loop counters to 64 bits, the vendor's compiler does not: a register whose every
 * definition is an extended or counted index is one of 32 bits. */
static void find_narrow(struct ct_lower_unit *u)
{
	for (uint32_t r = 0; r < u->body.registers; r++)
		u->reg[r].narrow = u->reg[r].bytes == 8;
	for (int changed = 1; changed;) {
		changed = 0;
		for (uint32_t k = 0; k < u->body.instructions; k++) {
			const struct ct_lower_ptx *i = &u->ptx[k];
			for (uint32_t w = 0; w < i->writes; w++) {
				if (i->operand[w].kind != CT_PTX_OPERAND_REGISTER)
					continue;
				struct ct_lower_reg *d = &u->reg[i->operand[w].number];
				if (d->narrow && !keeps_narrow(u, i)) {
					d->narrow = 0;
					changed = 1;
				}
			}
		}
	}
}

/* The two definitions of a counter: where it begins, and its step. */
struct counter {
	const struct ct_lower_ptx *begin, *step;
	uint32_t begin_at, step_at;
};

/* Finds where a counter begins and where it steps. A counter may step in several blocks: of these only the step in `block`
 * counts, or with CT_LOWER_NONE any. */
static int find_counter(const struct ct_lower_unit *u, uint32_t reg, uint32_t block, struct counter *c)
{
	*c = (struct counter){0};
	for (uint32_t k = 0; k < u->body.instructions; k++) {
		const struct ct_lower_ptx *i = &u->ptx[k];
		if (i->writes != 1 || i->operand[0].kind != CT_PTX_OPERAND_REGISTER ||
		    i->operand[0].number != reg)
			continue;
		int steps = ct_lower_is(i->opcode, "add") && i->operands == 3 &&
		            i->operand[1].kind == CT_PTX_OPERAND_REGISTER &&
		            i->operand[1].number == reg && i->operand[2].kind == CT_PTX_OPERAND_INTEGER;
		if (steps &&
		    (block == CT_LOWER_NONE || u->p->block_of[u->body.first_instruction + k] == block)) {
			c->step = i;
			c->step_at = u->body.first_instruction + k;
		} else if (!steps && ct_lower_is(i->opcode, "mov") && i->operands == 2) {
			c->begin = i;
			c->begin_at = u->body.first_instruction + k;
		}
	}
	return c->step != NULL;
}

/* Whether counter y, of two definitions, is always what counter x is. */
static int goes_with(const struct ct_lower_unit *u, uint32_t a, const struct counter *x,
                     const struct counter *y)
{
	if (!y->begin || x->step->operand[2].value != y->step->operand[2].value ||
	    u->p->block_of[x->step_at] != u->p->block_of[y->step_at])
		return 0;
	const struct ct_ptx_operand *q = &y->begin->operand[1];
	if (q->kind == CT_PTX_OPERAND_REGISTER)
		return q->number == a;
	return u->reg[a].defs == 2 && x->begin &&
	       u->p->block_of[x->begin_at] == u->p->block_of[y->begin_at] &&
	       q->kind == CT_PTX_OPERAND_INTEGER && x->begin->operand[1].kind == q->kind &&
	       x->begin->operand[1].value == q->value;
}

/* Two counters that begin alike and step alike are one: clang counts unrolled loops with one of their own. */
static void join_counters(struct ct_lower_unit *u)
{
	for (uint32_t b = 0; b < u->body.registers; b++) {
		struct counter x, y;
		if (u->reg[b].defs != 2 || u->reg[b].fact || !find_counter(u, b, CT_LOWER_NONE, &y))
			continue;
		for (uint32_t a = 0; a < u->body.registers && !u->reg[b].fact; a++) {
			if (b == a || u->reg[a].defs < 2 || u->reg[a].fact ||
			    u->reg[b].bytes != u->reg[a].bytes ||
			    !find_counter(u, a, u->p->block_of[y.step_at], &x) ||
			    !goes_with(u, a, &x, &y))
				continue;
			u->reg[b].fact = CT_LOWER_COPY_OF;
			u->reg[b].of = a;
		}
	}
}

/* The only instruction of a block that writes a register; NULL where there is none, or several do. */
static const struct ct_lower_ptx *only_write(const struct ct_lower_unit *u, uint32_t reg, uint32_t block)
{
	const struct ct_lower_block *b = &u->p->block[block];
	const struct ct_lower_ptx *found = NULL;
	for (uint32_t k = b->first; k < b->end; k++) {
		const struct ct_lower_ptx *i = ct_lower_ptx_at(u, k);
		for (uint32_t w = 0; w < i->writes; w++)
			if (i->operand[w].kind == CT_PTX_OPERAND_REGISTER &&
			    i->operand[w].number == reg) {
				if (found || i->control.guard != CT_PTX_NO_OPERAND)
					return NULL;
				found = i;
			}
	}
	return found;
}

/* Whether register `wide` is the extension of `index` wherever either is written. */
static int extends(const struct ct_lower_unit *u, uint32_t wide, uint32_t index)
{
	uint32_t pairs = 0;
	for (size_t b = u->first_block; b < u->first_block + u->blocks; b++) {
		const struct ct_lower_ptx *to = only_write(u, wide, (uint32_t)b);
		const struct ct_lower_ptx *from = only_write(u, index, (uint32_t)b);
		if (!to || !from || strcmp(to->opcode, "cvt.s64.s32") != 0 ||
		    to->operand[1].kind != CT_PTX_OPERAND_REGISTER)
			continue;
		uint32_t of = to->operand[1].number;
		pairs += (of == index && from < to) ||
		         (ct_lower_is(from->opcode, "mov") && from->operands == 2 &&
		          from->operand[1].kind == CT_PTX_OPERAND_REGISTER &&
		          from->operand[1].number == of);
	}
	return pairs == u->reg[wide].defs && pairs == u->reg[index].defs;
}

/* A loop's variable and its extension to 64 bits, which clang carries through the loop beside it, are one. */
static void join_extensions(struct ct_lower_unit *u)
{
	for (uint32_t k = 0; k < u->body.instructions; k++) {
		const struct ct_lower_ptx *i = &u->ptx[k];
		if (strcmp(i->opcode, "cvt.s64.s32") != 0 ||
		    i->operand[0].kind != CT_PTX_OPERAND_REGISTER ||
		    i->operand[1].kind != CT_PTX_OPERAND_REGISTER)
			continue;
		struct ct_lower_reg *wide = &u->reg[i->operand[0].number];
		uint32_t index = i->operand[1].number;
		if (wide->defs > 1 && wide->narrow && !wide->fact && !u->reg[index].fact &&
		    extends(u, i->operand[0].number, index)) {
			wide->fact = CT_LOWER_COPY_OF;
			wide->of = index;
		}
	}
}

int ct_lower_facts(struct ct_lower_unit *u)
{
	uint32_t first = u->body.first_instruction;
	u->ptx = ct_calloc(u->body.instructions + 1u, sizeof *u->ptx);
	u->reg = ct_calloc(u->body.registers + 1u, sizeof *u->reg);
	u->pred = ct_calloc(u->body.predicates + 1u, sizeof *u->pred);
	if (!u->ptx || !u->reg || !u->pred)
		return CT_ERR_NOMEM;
	for (uint32_t r = 0; r < u->body.registers; r++)
		u->reg[r].value = CT_LOWER_NONE;
	for (uint32_t i = 0; i < u->body.instructions; i++)
		look_at(u, first + i);
	find_narrow(u);
	for (uint32_t i = 0; i < u->body.instructions; i++)
		find_fact(u, first + i);
	join_counters(u);
	join_extensions(u);
	return CT_OK;
}

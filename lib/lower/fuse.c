/* Pairs of PTX instructions that one machine instruction does: multiplication and addition, shift and
 * addition, three-operand additions and logic, comparisons that are joined. */
#include <string.h>

#include "lower/unit.h"

static int is_add(const char *o)
{
	return (ct_lower_is(o, "add") || ct_lower_is(o, "sub")) && !ct_lower_has(o, "cc") &&
	       !ct_lower_has(o, "sat");
}

static int is_logic(const char *o)
{
	return ct_lower_is(o, "and") || ct_lower_is(o, "or") || ct_lower_is(o, "xor") ||
	       ct_lower_is(o, "not");
}

/* A shift to the right by a constant: LEA.HI adds what it leaves, LEA.HI.SX32 with the sign. */
static int is_shifted_right(const struct ct_lower_ptx *i)
{
	return ct_lower_is(i->opcode, "shr") && ct_lower_bits(i->opcode) == 32 &&
	       i->operand[2].kind == CT_PTX_OPERAND_INTEGER;
}

/* Whether `user` can do the work of `maker` too. Rounded forms (.rn) of floating point stay apart, as
 * the PTX ISA demands. */
static int fuses(const struct ct_lower_ptx *user, const struct ct_lower_ptx *maker)
{
	const char *x = user->opcode, *y = maker->opcode;
	unsigned bits = ct_lower_bits(x);
	int real = ct_lower_has(x, "f32") || ct_lower_has(x, "f64");
	if (is_add(x) && real)
		return ct_lower_is(y, "mul") && bits == ct_lower_bits(y) && !ct_lower_has(x, "rn") &&
		       !ct_lower_has(y, "rn");
	if (ct_lower_is(x, "add") && is_add(x) && bits == 32 && is_shifted_right(maker))
		return 1;
	if (is_add(x) && bits == 32)
		return (is_add(y) && ct_lower_bits(y) == 32) ||
		       (ct_lower_is(y, "mul") && ct_lower_has(y, "lo") && ct_lower_bits(y) == 32) ||
		       strcmp(y, "neg.s32") == 0 || strcmp(y, "not.b32") == 0 ||
		       (strcmp(y, "shl.b32") == 0 && maker->operand[2].kind == CT_PTX_OPERAND_INTEGER);
	if (is_add(x) && bits == 64)
		return ct_lower_is(y, "mul") && ct_lower_has(y, "wide");
	if (is_logic(x) && bits == 32)
		return is_logic(y) && ct_lower_bits(y) == 32;
	if ((ct_lower_is(x, "setp")) && bits && bits <= 32)
		return ct_lower_is(y, "and") && bits == ct_lower_bits(y) && user->operands > 2 &&
		       user->operand[user->operands - 1].kind == CT_PTX_OPERAND_INTEGER;
	return 0;
}

/* Sources of an instruction, those of what it has taken in included: three are the most. */
static unsigned sources(const struct ct_lower_ptx *i)
{
	return i->operands - i->writes;
}

/* Takes the instruction that makes an operand into this one, where nothing else uses it and a machine
 * instruction does both. */
static void fuse_registers(struct ct_lower_unit *u, struct ct_lower_ptx *i, uint32_t at)
{
	for (uint32_t k = i->writes; k < i->operands && i->fused == CT_LOWER_NONE; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		if (o->kind != CT_PTX_OPERAND_REGISTER || o->in_brackets)
			continue;
		const struct ct_lower_reg *r = &u->reg[ct_lower_resolve(u, o->number)];
		if (r->defs != 1 || r->uses != 1 || r->fact ||
		    ct_lower_home(u, r->def) != ct_lower_home(u, at) || r->def >= at)
			continue;
		struct ct_lower_ptx *maker = ct_lower_ptx_at(u, r->def);
		if (!maker->needed || maker->absorbed || maker->fused != CT_LOWER_NONE ||
		    maker->control.guard != CT_PTX_NO_OPERAND || maker->writes != 1 ||
		    sources(i) + sources(maker) > 4 || !fuses(i, maker))
			continue;
		maker->absorbed = 1;
		i->fused = r->def;
	}
}

/* and.pred and or.pred of a comparison: the comparison takes the other predicate in. */
static void fuse_predicates(struct ct_lower_unit *u, struct ct_lower_ptx *i)
{
	if (strcmp(i->opcode, "not.pred") == 0 || strcmp(i->opcode, "mov.pred") == 0) {
		i->absorbed = i->operand[1].kind == CT_PTX_OPERAND_PREDICATE &&
		              u->pred[i->operand[1].number].defs == 1 &&
		              u->pred[i->operand[0].number].defs == 1;
		return;
	}
	if (strcmp(i->opcode, "and.pred") != 0 && strcmp(i->opcode, "or.pred") != 0)
		return;
	for (uint32_t k = 1; k < i->operands && !i->absorbed; k++) {
		const struct ct_lower_pred *p = &u->pred[i->operand[k].number];
		if (p->defs == 1 && p->uses == 1 && u->pred[i->operand[0].number].defs == 1)
			i->absorbed = ct_lower_is(ct_lower_ptx_at(u, p->def)->opcode, "setp") ||
			              ct_lower_ptx_at(u, p->def)->absorbed;
	}
}

/* mov of a value to a variable of a loop: the value is computed in the variable's register where the two
 * do not live at once. */
static void coalesce(struct ct_lower_unit *u, struct ct_lower_ptx *i, uint32_t at)
{
	if (!ct_lower_is(i->opcode, "mov") || i->operands != 2 ||
	    i->operand[0].kind != CT_PTX_OPERAND_REGISTER ||
	    i->operand[1].kind != CT_PTX_OPERAND_REGISTER)
		return;
	struct ct_lower_reg *d = &u->reg[i->operand[0].number], *s = &u->reg[i->operand[1].number];
	if (d->defs < 2 || s->defs != 1 || s->fact || s->uses != 1 || s->value != CT_LOWER_NONE ||
	    s->bytes != d->bytes || s->narrow != d->narrow ||
	    ct_lower_home(u, s->def) != ct_lower_home(u, at))
		return;
	for (uint32_t k = s->def; k < at; k++) {
		const struct ct_lower_ptx *x = ct_lower_ptx_at(u, k);
		for (uint32_t o = k == s->def ? x->operands : 0; o < x->operands; o++)
			if (x->operand[o].kind == CT_PTX_OPERAND_REGISTER &&
			    x->operand[o].number == i->operand[0].number)
				return;
	}
	uint32_t place = ct_lower_write(u, i->operand[0].number, 0);
	s->value = CT_LOWER_VALUE(place);
	s->part = place & 3;
	i->absorbed = 1;
}

/* A half, and the register by which an instruction reads it: itself, or a copy with zeros above. */
struct half {
	uint32_t reg, by;
};

/* The conversion that makes a half, where nothing else uses it and its source is still there; NONE: there is none. */
static uint32_t made_half(const struct ct_lower_unit *u, const struct half *h, uint32_t at)
{
	const struct ct_lower_reg *r = &u->reg[h->reg];
	/* A copy reads it, too. */
	if (r->defs != 1 || r->uses != 1u + (h->by != h->reg) || u->reg[h->by].uses != 1 || r->fact ||
	    r->def >= at || ct_lower_home(u, r->def) != ct_lower_home(u, at))
		return CT_LOWER_NONE;
	const struct ct_lower_ptx *x = ct_lower_ptx_at(u, r->def);
	const int known = strcmp(x->opcode, "cvt.rn.f16.f32") == 0 ||
	                  strcmp(x->opcode, "cvt.rn.bf16.f32") == 0;
	return known && x->control.guard == CT_PTX_NO_OPERAND &&
	                       (x->operand[1].kind != CT_PTX_OPERAND_REGISTER ||
	                        ct_lower_keeps_value(u, x->operand[1].number, r->def, at))
	               ? r->def
	               : CT_LOWER_NONE;
}

/* The half that an operand is, with zeros above it; 0: it is something else. */
static int half_of(const struct ct_lower_unit *u, const struct ct_ptx_operand *o, struct half *h)
{
	*h = (struct half){CT_LOWER_NONE, CT_LOWER_NONE};
	if (o->kind != CT_PTX_OPERAND_REGISTER)
		return 0;
	const struct ct_lower_reg *r = &u->reg[o->number];
	h->by = o->number;
	h->reg = r->bytes == 4 && r->fact == CT_LOWER_COPY_OF ? r->of : o->number;
	return u->reg[h->reg].bytes == 2 && u->reg[h->reg].fact != CT_LOWER_COPY_OF;
}

/* Two halves that an instruction packs into a word, the lower one first: PTX's own pair, or a shift to the upper half and the lower one.
 * *shift is that instruction, or NONE. Returns whether it packs. */
static int find_pack(const struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t at,
                     struct half half[2], uint32_t *shift)
{
	*shift = CT_LOWER_NONE;
	if (i->writes != 1 || i->operands != 3 || i->control.guard != CT_PTX_NO_OPERAND)
		return 0;
	const int first = half_of(u, &i->operand[1], &half[0]),
		  second = half_of(u, &i->operand[2], &half[1]);
	if (strcmp(i->opcode, "mov.b32") == 0)
		return first && second;
	if (strcmp(i->opcode, "or.b32") != 0 || first == second)
		return 0;
	const struct ct_ptx_operand *o = &i->operand[first ? 2 : 1];
	const struct ct_lower_reg *r = o->kind == CT_PTX_OPERAND_REGISTER ? &u->reg[o->number] : NULL;
	if (!r || r->defs != 1 || r->uses != 1 || r->fact || r->def >= at ||
	    ct_lower_home(u, r->def) != ct_lower_home(u, at))
		return 0;
	const struct ct_lower_ptx *x = ct_lower_ptx_at(u, r->def);
	if (strcmp(x->opcode, "shl.b32") != 0 || x->control.guard != CT_PTX_NO_OPERAND ||
	    x->operand[2].kind != CT_PTX_OPERAND_INTEGER || x->operand[2].value != 16)
		return 0;
	if (second)
		half[0] = half[1];
	*shift = r->def;
	return half_of(u, &x->operand[1], &half[1]) && u->reg[half[0].reg].defs == 1 &&
	       u->reg[half[1].reg].defs == 1;
}

/* A word of two halves is one permutation of bytes; from sm_80 on, two values of single precision make it at once. */
static void fuse_halves(struct ct_lower_unit *u, struct ct_lower_ptx *i, uint32_t at)
{
	struct half half[2];
	uint32_t shift, maker[2];
	if (!find_pack(u, i, at, half, &shift))
		return;
	for (unsigned k = 0; k < 2; k++)
		maker[k] = u->p->sm < 80 ? CT_LOWER_NONE : made_half(u, &half[k], at);
	if (maker[0] != CT_LOWER_NONE && maker[1] != CT_LOWER_NONE &&
	    strcmp(ct_lower_ptx_at(u, maker[0])->opcode, ct_lower_ptx_at(u, maker[1])->opcode) == 0) {
		ct_lower_ptx_at(u, maker[0])->absorbed = ct_lower_ptx_at(u, maker[1])->absorbed = 1;
		i->fused = maker[0];
	} else {
		i->fused = shift;
	}
	if (shift != CT_LOWER_NONE)
		ct_lower_ptx_at(u, shift)->absorbed = 1;
}

const char *ct_lower_to_half(const struct ct_lower_unit *u, const char *opcode)
{
	if (u->p->sm < 80)
		return "F2F.F16.F32";
	return strstr(opcode, ".bf16") ? "F2FP.BF16.PACK_AB" : "F2FP.PACK_AB";
}

int ct_lower_halves(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	struct half half[2];
	uint32_t shift;
	struct ct_lower_source src[2]; /* the upper one first */
	if (i->fused == CT_LOWER_NONE || !find_pack(u, i, at, half, &shift) ||
	    (shift != CT_LOWER_NONE && !ct_lower_ptx_at(u, shift)->absorbed))
		return 0;
	const int made = i->fused != shift;
	for (unsigned k = 0; k < 2; k++) {
		const struct ct_lower_ptx *x = ct_lower_ptx_at(u, u->reg[half[1 - k].reg].def);
		src[k] = made ? ct_lower_read(u, &x->operand[1], 0)
		              : ct_lower_read_register(u, half[1 - k].reg, 0);
	}
	ct_lower_emit(u, made ? ct_lower_to_half(u, ct_lower_ptx_at(u, i->fused)->opcode) : "PRMT", at,
	              ct_lower_write(u, i->operand[0].number, 0), 2, src);
	return 1;
}

static int is_plain_move(const struct ct_lower_ptx *i)
{
	return ct_lower_is(i->opcode, "mov") && i->operands == 2 && i->writes == 1 &&
	       i->control.guard == CT_PTX_NO_OPERAND;
}

/* Whether an operand of instruction `at` is zero there. clang's zero becomes the register of a later product's sums. */
static int is_zero_at(const struct ct_lower_unit *u, const struct ct_ptx_operand *o, uint32_t at)
{
	if (o->kind != CT_PTX_OPERAND_REGISTER || u->reg[o->number].defs < 2)
		return ct_lower_is_zero(u, o);
	const uint32_t from = u->reg[o->number].first;
	const struct ct_lower_ptx *maker = ct_lower_ptx_at(u, from);
	return from < at && is_plain_move(maker) && ct_lower_is_zero(u, &maker->operand[1]) &&
	       ct_lower_dominates(u, ct_lower_home(u, from), ct_lower_home(u, at)) &&
	       ct_lower_keeps_value(u, o->number, from, at);
}

/* The move before `at` in its block that makes a register zero, where nothing reads it on the way; NONE: there is none. */
static uint32_t zero_before(const struct ct_lower_unit *u, uint32_t reg, uint32_t at)
{
	const uint32_t first = ct_lower_block_of(u, ct_lower_home(u, at))->first;
	for (uint32_t k = at; k-- > first;) {
		const struct ct_lower_ptx *x = ct_lower_ptx_at(u, k);
		for (uint32_t o = 0; o < x->operands; o++)
			if (x->operand[o].kind == CT_PTX_OPERAND_REGISTER && x->operand[o].number == reg)
				return o == 0 && is_plain_move(x) && is_zero_at(u, &x->operand[1], k)
				               ? k
				               : CT_LOWER_NONE;
	}
	return CT_LOWER_NONE;
}

/* A product in place, whose sums begin at zero, takes none: nothing moves zeros to them. */
static void fuse_zeros(struct ct_lower_unit *u, struct ct_lower_ptx *i, uint32_t at)
{
	const uint32_t n = i->writes, c = i->operands - n;
	uint32_t maker[8];
	if (!ct_lower_is(i->opcode, "mma") || i->control.guard != CT_PTX_NO_OPERAND || !n ||
	    n > sizeof maker / sizeof *maker)
		return;
	for (uint32_t k = 0; k < n; k++) {
		const struct ct_ptx_operand *d = &i->operand[k], *s = &i->operand[c + k];
		if (d->kind != CT_PTX_OPERAND_REGISTER || s->kind != CT_PTX_OPERAND_REGISTER ||
		    d->number != s->number)
			return;
		maker[k] = zero_before(u, d->number, at);
		if (maker[k] == CT_LOWER_NONE)
			return;
	}
	for (uint32_t k = 0; k < n; k++)
		ct_lower_ptx_at(u, maker[k])->absorbed = 1;
	i->fused = maker[0];
}

enum { QUAD = 16 /* bytes */ };

/* A load of one word of shared memory from a base that is a multiple of 16: its operand of the address, or
 * NULL. */
static const struct ct_ptx_operand *
quad_address(const struct ct_lower_unit *u, const struct ct_lower_ptx *i)
{
	if (!ct_lower_is(i->opcode, "ld") || !ct_lower_has(i->opcode, "shared") || i->operands != 2 ||
	    ct_lower_bits(i->opcode) != 32 || ct_lower_has(i->opcode, "volatile") ||
	    i->control.guard != CT_PTX_NO_OPERAND || i->absorbed || i->base >= CT_LOWER_UNKNOWN ||
	    i->operand[0].kind != CT_PTX_OPERAND_REGISTER ||
	    i->operand[1].kind != CT_PTX_OPERAND_REGISTER)
		return NULL;
	const struct ct_lower_reg *d = &u->reg[i->operand[0].number];
	const struct ct_lower_form *f = &u->group[i->base].form;
	if (d->defs != 1 || d->fact || d->value != CT_LOWER_NONE)
		return NULL;
	for (unsigned t = 0; t < f->terms; t++)
		if (f->term[t].factor % QUAD)
			return NULL;
	return &i->operand[1];
}

/* Four words side by side that are read from one base, without a store between, are one access. */
static void find_quad(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_ptx_operand *first = quad_address(u, ct_lower_ptx_at(u, at));
	uint32_t member[4] = {CT_LOWER_NONE, CT_LOWER_NONE, CT_LOWER_NONE, CT_LOWER_NONE};
	uint32_t end = ct_lower_block_of(u, ct_lower_home(u, at))->end;
	if (!first)
		return;
	int64_t low = first->value - ((first->value % QUAD) + QUAD) % QUAD;
	for (uint32_t k = at; k < end; k++) {
		const struct ct_lower_ptx *i = ct_lower_ptx_at(u, k);
		const struct ct_ptx_operand *o = quad_address(u, i);
		if (!ct_lower_is(i->opcode, "ld") && i->access && !ct_lower_has(i->opcode, "global"))
			break;
		if (o && o->number == first->number && o->value >= low && o->value < low + QUAD &&
		    o->value % 4 == 0 && member[(o->value - low) / 4] == CT_LOWER_NONE)
			member[(o->value - low) / 4] = k;
	}
	for (unsigned k = 0; k < 4; k++)
		if (member[k] == CT_LOWER_NONE)
			return;
	uint32_t value = ct_lower_new_value(u->p, 4);
	u->failed |= value == CT_LOWER_NONE;
	for (unsigned k = 0; k < 4; k++) {
		struct ct_lower_ptx *i = ct_lower_ptx_at(u, member[k]);
		u->reg[i->operand[0].number].value = value;
		u->reg[i->operand[0].number].part = (uint8_t)k;
		i->absorbed = member[k] != at;
	}
	ct_lower_ptx_at(u, at)->quad = member[0];
}

void ct_lower_fuse(struct ct_lower_unit *u)
{
	for (uint32_t k = 0; k < u->body.instructions; k++)
		if (u->ptx[k].needed && u->ptx[k].access)
			find_quad(u, u->body.first_instruction + k);
	for (uint32_t k = 0; k < u->body.instructions; k++) {
		struct ct_lower_ptx *i = &u->ptx[k];
		if (!i->needed || i->absorbed)
			continue;
		fuse_halves(u, i, u->body.first_instruction + k);
		fuse_registers(u, i, u->body.first_instruction + k);
		fuse_predicates(u, i);
		fuse_zeros(u, i, u->body.first_instruction + k);
		coalesce(u, i, u->body.first_instruction + k);
	}
}

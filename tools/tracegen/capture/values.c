/* What LLVM's values are to registers: how many they take, which share one with another
 * value, which are constants. */
#include "tracegen/capture/lower.h"

#include "base/mem.h"

unsigned cap_element_regs(struct ir_type t, int narrow)
{
	switch (t.kind) {
	case 'i': return t.bits == 1 ? 0 : t.bits <= 32 || narrow ? 1 : t.bits <= 64 ? 2 : 4;
	case 'f': return t.bits <= 32 ? 1 : 2;
	case 'p': return t.space == 0 || t.space == 3 ? 1 : 2;
	case 's': return t.bytes == 0 ? 0 : t.bytes > 32 ? 8 : (t.bytes + 3) / 4;
	default: return 0;
	}
}

static int is_narrow(const struct lower *l, uint32_t v)
{
	return l->type[v].n == 1 && l->narrow[v];
}

unsigned cap_value_regs(const struct lower *l, uint32_t v)
{
	return cap_element_regs(l->type[v], is_narrow(l, v)) * l->type[v].n;
}

struct cap_loc cap_fresh(struct lower *l, unsigned n)
{
	struct cap_code *c = l->c;
	if (n == 0 || c->failed ||
	    ct_grow((void **)&c->vreg, &c->capv, c->nv + 1, sizeof *c->vreg) < 0) {
		c->failed |= n != 0;
		return nowhere;
	}
	c->vreg[c->nv] = (struct cap_vreg){.n = (uint8_t)n, .parent = (uint32_t)c->nv};
	return (struct cap_loc){(uint32_t)c->nv++, 0, (uint8_t)n};
}

struct cap_loc cap_part(struct cap_loc a, unsigned sub, unsigned n)
{
	if (a.v == CAP_NONE || sub >= a.n)
		return nowhere;
	a.sub = (uint8_t)(a.sub + sub);
	a.n = (uint8_t)(n < a.n - sub ? n : a.n - sub);
	return a;
}

const struct ir_operand *cap_arg(const struct lower *l, const struct ir_inst *in, unsigned i)
{
	static const struct ir_operand none = {IR_CONST, 0, 0};
	return i < in->nop ? &l->ir->operand[in->op + i] : &none;
}

/* The result is (part of) the first operand's registers. */
int cap_is_alias(const struct lower *l, const struct ir_inst *in)
{
	static const char *const same[] = {"bitcast", "addrspacecast", "ptrtoint", "inttoptr",
	                                   "freeze",  "trunc",         "fabs",     "llvm.fabs"};
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (cap_named(in, same[i]))
			return in->type.kind != 'i' || in->type.bits != 1;
	const struct ir_operand *a = cap_arg(l, in, 0);
	if (cap_named(in, "zext") || cap_named(in, "sext")) {
		if (a->kind != IR_VALUE || in->type.n > 1 || in->from.bits == 1)
			return 0;
		const struct ir_inst *d = l->def[a->id] == CAP_NONE ? NULL : &l->ir->inst[l->def[a->id]];
		return in->from.bits == 32 ? l->narrow[in->dst]
		                           : d && cap_named(d, "load") && in->type.bits == 32;
	}
	if (cap_named(in, "getelementptr") || cap_named(in, "gep"))
		return in->nop <= 1;
	if (cap_named(in, "insertelement") && a->kind == IR_VALUE && l->uses[a->id] == 1 &&
	    l->def[a->id] != CAP_NONE)
		return cap_named(&l->ir->inst[l->def[a->id]], "insertelement");
	return cap_starts(in->name, "as_") && in->builtin;
}

/* Launch dimensions are in the constant bank; an alloca's place is known when compiling. */
int cap_is_constant(const struct ir_inst *in)
{
	if (cap_named(in, "alloca"))
		return 1;
	return in->builtin && cap_starts(in->name, "get_") && !cap_named(in, "get_global_id") &&
	       !cap_named(in, "get_local_id") && !cap_named(in, "get_group_id") &&
	       !cap_named(in, "get_global_linear_id") && !cap_named(in, "get_local_linear_id");
}

struct cap_loc cap_locate(struct lower *l, uint32_t v)
{
	/* Chains of aliases are followed without recursion. */
	uint32_t at = v;
	struct cap_loc r = nowhere;
	unsigned first = 0, n = cap_value_regs(l, v);
	for (uint32_t steps = 0; !l->placed[at]; steps++) {
		const struct ir_inst *d = l->def[at] == CAP_NONE ? NULL : &l->ir->inst[l->def[at]];
		const struct ir_operand *a = d ? cap_arg(l, d, 0) : NULL;
		if (d && cap_named(d, "extractelement") && cap_arg(l, d, 1)->kind == IR_INT &&
		    a->kind == IR_VALUE) {
			first += (unsigned)cap_arg(l, d, 1)->imm * cap_element_regs(d->type, 0);
		} else if (!d || !cap_is_alias(l, d) || a->kind != IR_VALUE || steps > l->f->nvalues) {
			int place = d ? !cap_is_constant(d) &&
			                            !(cap_is_alias(l, d) && a->kind != IR_VALUE)
			              : !l->is_kernel;
			l->loc[at] = place ? cap_fresh(l, cap_value_regs(l, at)) : nowhere;
			l->placed[at] = 1;
			break;
		}
		at = a->id;
	}
	r = cap_part(l->loc[at], first, n);
	if (at != v) {
		l->loc[v] = r;
		l->placed[v] = 1;
	}
	return r;
}

/* Element e of an operand. */
struct cap_loc cap_element(struct lower *l, const struct ir_operand *o, unsigned e)
{
	if (o->kind != IR_VALUE)
		return nowhere;
	unsigned per = cap_element_regs(l->type[o->id], is_narrow(l, o->id));
	struct cap_loc a = cap_locate(l, o->id);
	return l->type[o->id].n == 1 ? a : cap_part(a, e * per, per);
}

/* 64-bit integers that hold what 32-bit ones held: assume all, take back until it is consistent. */
static int keeps_narrow(const struct lower *l, const struct ir_inst *in)
{
	static const char *const closed[] = {
		"add",  "sub",  "mul",  "and",  "or",   "xor",    "shl", "lshr",
		"ashr", "udiv", "sdiv", "urem", "srem", "select", "phi", "freeze"};
	if (cap_named(in, "zext") || cap_named(in, "sext") ||
	    (in->builtin && cap_starts(in->name, "get_")))
		return 1;
	for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
		if (!cap_named(in, closed[i]))
			continue;
		for (unsigned k = cap_named(in, "select"); k < in->nop; k++) {
			const struct ir_operand *o = cap_arg(l, in, k);
			if (o->kind == IR_VALUE
			            ? !l->narrow[o->id]
			            : o->kind == IR_INT && (o->imm > UINT32_MAX || o->imm < INT32_MIN))
				return 0;
		}
		return 1;
	}
	return 0;
}

static void find_narrow(struct lower *l)
{
	for (uint32_t v = 0; v < l->f->nvalues; v++)
		l->narrow[v] = l->type[v].kind == 'i' && l->type[v].n == 1 &&
		               (l->type[v].bits <= 32 || l->def[v] != CAP_NONE);
	for (int changed = 1; changed;) {
		changed = 0;
		for (uint32_t v = 0; v < l->f->nvalues; v++)
			if (l->narrow[v] && l->type[v].bits > 32 &&
			    !keeps_narrow(l, &l->ir->inst[l->def[v]])) {
				l->narrow[v] = 0;
				changed = 1;
			}
	}
}

static void find_defs(struct lower *l)
{
	const struct ir_block *first = &l->ir->block[l->f->block], *last = first + l->f->nblock - 1;
	for (uint32_t v = 0; v < l->f->nvalues; v++)
		l->def[v] = CAP_NONE;
	for (uint32_t a = l->f->arg; a < l->f->arg + l->f->narg; a++)
		l->type[l->ir->arg[a].value] = l->ir->arg[a].type;
	for (uint32_t i = first->inst; i < last->inst + last->ninst; i++) {
		const struct ir_inst *in = &l->ir->inst[i];
		if (in->dst != CAP_NONE) {
			l->def[in->dst] = i;
			l->type[in->dst] = in->type;
		}
		for (unsigned k = 0; k < in->nop; k++)
			if (cap_arg(l, in, k)->kind == IR_VALUE)
				l->uses[cap_arg(l, in, k)->id]++;
	}
}

/* Marks products and shifts that one add of the same block takes. */
static void find_fused(struct lower *l)
{
	struct ir_inst *inst = l->ir->inst;
	for (uint32_t v = 0; v < l->f->nvalues; v++) {
		const struct ir_inst *add = l->def[v] == CAP_NONE ? NULL : &l->ir->inst[l->def[v]];
		if (!add || !cap_named(add, "add") || add->type.n > 1 || cap_value_regs(l, v) != 1)
			continue;
		for (unsigned i = 0; i < 2; i++) {
			const struct ir_operand *o = cap_arg(l, add, i);
			struct ir_inst *m = o->kind == IR_VALUE && l->def[o->id] != CAP_NONE
			                            ? &inst[l->def[o->id]]
			                            : NULL;
			if (m && m->segment == add->segment && l->uses[o->id] == 1 &&
			    (cap_named(m, "mul") ||
			     (cap_named(m, "shl") && cap_arg(l, m, 1)->kind == IR_INT))) {
				m->fused = 1;
				break;
			}
		}
	}
}

void cap_find_values(struct lower *l)
{
	for (uint32_t v = 0; v < l->f->nvalues; v++)
		l->type[v] = (struct ir_type){.kind = 'v', .n = 1};
	find_defs(l);
	find_narrow(l);
	find_fused(l);
}

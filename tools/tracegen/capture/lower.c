/* Turns LLVM's instructions into lines as SASS would have them.
 *
 * What costs nothing there is dropped: phi nodes (but their copies stay where registers
 * cannot be joined), casts between types of one size, constant offsets, fallthrough
 * branches, kernel arguments and launch dimensions (constant bank). 64-bit integers that
 * come from 32-bit ones take one register, as indexes do in compiled CUDA. */
#include "tracegen/capture/lower.h"

#include <stdlib.h>

#include "base/mem.h"

static struct cap_loc source_of(struct lower *l, const struct ir_operand *o)
{
	return o->kind == IR_VALUE ? cap_locate(l, o->id) : nowhere;
}

static struct cap_loc result_of(struct lower *l, unsigned e)
{
	struct ir_operand o = {IR_VALUE, l->in->dst, 0};
	return l->in->dst == CAP_NONE ? nowhere : cap_element(l, &o, e);
}

/* ---- lines ------------------------------------------------------------------------------ */

static struct cap_op *emit_op(struct lower *l, const char *opcode, struct cap_loc dst, unsigned nsrc,
                              const struct cap_loc *src)
{
	static struct cap_op dump; /* after a failure: written, never read */
	struct cap_code *c = l->c;
	if (c->failed || ct_grow((void **)&c->op, &c->cap, c->n + 1, sizeof *c->op) < 0) {
		c->failed = 1;
		return &dump;
	}
	struct cap_op *o = &c->op[c->n++];
	*o = (struct cap_op){
		.opcode = opcode, .dst = dst, .segment = l->in->segment, .index = l->in->index};
	for (unsigned i = 0; i < nsrc && o->nsrc < 4; i++)
		if (src[i].v != CAP_NONE)
			o->src[o->nsrc++] = src[i];
	return o;
}

static void emit_two(struct lower *l, const char *opcode, struct cap_loc dst, struct cap_loc a,
                     struct cap_loc b)
{
	emit_op(l, opcode, dst, 2, (struct cap_loc[]){a, b});
}

/* Opcode texts live as long as the program: the chains' words are kept by length. */
static const char *first_word(struct lower *l, const char **chain)
{
	static const char *const words[] = {
		"BREV",          "DADD",          "DFMA",           "DMUL",           "DSETP.MAX.AND",
		"DSETP.MIN.AND", "F2F.F64.F32",   "F2I.NTZ",        "F2I.TRUNC.NTZ",  "FADD",
		"FADD.SAT",      "FFMA",          "FFMA.RM",        "FFMA.SAT",       "FLO.U32",
		"FMNMX",         "FMUL",          "FMUL.RZ",        "FRND",           "FRND.CEIL",
		"FRND.F64",      "FRND.F64.CEIL", "FRND.F64.FLOOR", "FRND.F64.TRUNC", "FRND.FLOOR",
		"FRND.TRUNC",    "FSEL",          "FSETP.EQ.AND",   "FSETP.GEU.AND",  "FSETP.GT.AND",
		"FSETP.LT.AND",  "FSETP.NAN.AND", "FSETP.NEU.AND",  "I2F.S32",        "I2F.U32.RP",
		"IABS",          "IADD3",         "IMAD",           "IMAD.HI.U32",    "IMAD.MOV.U32",
		"IMAD.SHL.U32",  "IMNMX",         "IMNMX.U32",      "ISETP.NE.AND",   "LEA.HI",
		"LOP3.LUT",      "MUFU.COS",      "MUFU.EX2",       "MUFU.LG2",       "MUFU.RCP",
		"MUFU.RCP64H",   "MUFU.RSQ",      "MUFU.RSQ64H",    "MUFU.SIN",       "POPC",
		"PRMT",          "SEL",           "SHF.L.W.U32.HI", "SHF.R.S32.HI",   "SHF.R.U32.HI",
		"SHF.R.W.U32",
	};
	size_t n = strcspn(*chain, " ");
	const char *w = *chain;
	*chain += n + (w[n] == ' ');
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strncmp(words[i], w, n) == 0 && words[i][n] == '\0')
			return words[i];
	l->c->failed = 1; /* a table names an opcode that is not in this list: a mistake of ours */
	return "NOP";
}

/* Dependent lines: the first takes the sources, each later one the result before and one source. */
static void emit_chain(struct lower *l, const char *chain, struct cap_loc dst, unsigned nsrc,
                       const struct cap_loc *src)
{
	struct cap_loc before = nowhere;
	for (unsigned i = 0; *chain; i++) {
		const char *w = first_word(l, &chain);
		int sets_predicate = strstr(w, "SETP") != NULL;
		struct cap_loc d = sets_predicate ? nowhere
		                   : *chain       ? cap_fresh(l, dst.n ? dst.n : 1)
		                                  : dst;
		if (i == 0 || before.v == CAP_NONE)
			emit_op(l, w, d, nsrc, src);
		else
			emit_two(l, w, d, before, nsrc ? src[i % nsrc] : nowhere);
		if (!sets_predicate)
			before = d;
	}
}

static void emit_move(struct lower *l, struct cap_loc to, struct cap_loc from)
{
	if (to.v == CAP_NONE || (to.v == from.v && to.sub == from.sub))
		return;
	for (unsigned i = 0; i < to.n; i++) {
		struct cap_loc s = cap_part(from, from.n == to.n ? i : 0, 1);
		struct cap_op *o = emit_op(l, i % 2 ? "IMAD.MOV.U32" : "MOV", cap_part(to, i, 1), 1, &s);
		o->copy = from.v != CAP_NONE && from.n == to.n;
	}
}

/* ---- arithmetic --------------------------------------------------------------------------- */

struct simple {
	const char *name, *one, *wide, *high; /* high: second line of 64-bit integers */
};

static const struct simple simples[] = {
	{"fadd", "FADD", "DADD", NULL},
	{"fsub", "FADD", "DADD", NULL},
	{"fneg", "FADD", "DADD", NULL},
	{"fmul", "FMUL", "DMUL", NULL},
	{"add", "IADD3", "IADD3", "IADD3.X"},
	{"sub", "IADD3", "IADD3", "IADD3.X"},
	{"and", "LOP3.LUT", "LOP3.LUT", "LOP3.LUT"},
	{"or", "LOP3.LUT", "LOP3.LUT", "LOP3.LUT"},
	{"xor", "LOP3.LUT", "LOP3.LUT", "LOP3.LUT"},
	{"shl", "SHF.L.U32", "SHF.L.U32", "SHF.L.U64.HI"},
	{"lshr", "SHF.R.U32.HI", "SHF.R.U64", "SHF.R.U32.HI"},
	{"ashr", "SHF.R.S32.HI", "SHF.R.S64", "SHF.R.S32.HI"},
	{"zext", "LOP3.LUT", "LOP3.LUT", "IMAD.MOV.U32"},
	{"sext", "PRMT", "PRMT", "SHF.R.S32.HI"},
	{"sitofp", "I2F.S32", "I2F.F64", NULL},
	{"uitofp", "I2F.U32", "I2F.F64.U32", NULL},
	{"fpext", "HADD2.F32", "F2F.F64.F32", NULL},
	{"fptrunc", "F2F.F32.F64", NULL, NULL},
	{"fptosi", "F2I.TRUNC.NTZ", "F2I.S64.TRUNC", NULL},
	{"fptoui", "F2I.U32.TRUNC.NTZ", "F2I.U64.TRUNC", NULL},
};

static int lower_simple(struct lower *l)
{
	const struct simple *s = NULL;
	for (size_t i = 0; i < sizeof simples / sizeof *simples && !s; i++)
		if (cap_named(l->in, simples[i].name))
			s = &simples[i];
	if (!s)
		return 0;
	for (unsigned e = 0; e < l->in->type.n; e++) {
		struct cap_loc d = result_of(l, e), a = cap_element(l, cap_arg(l, l->in, 0), e),
			       b = cap_element(l, cap_arg(l, l->in, 1), e);
		if (l->in->type.kind == 'i' && l->in->type.bits == 1)
			emit_op(l, "PLOP3.LUT", nowhere, 0, NULL);
		else if (d.n < 2 || !s->wide)
			emit_two(l, l->in->from.bits == 1 ? "SEL" : s->one, d, a, b);
		else if (!s->high)
			emit_two(l, s->wide, d, a, b);
		else {
			emit_two(l, s->wide, cap_part(d, 0, 1), cap_part(a, 0, 1), cap_part(b, 0, 1));
			emit_two(l, s->high, cap_part(d, 1, 1), cap_part(a, a.n > 1, 1),
			         cap_part(b, b.n > 1, 1));
		}
	}
	return 1;
}

static int power_of_two(const struct ir_operand *o)
{
	return o->kind == IR_INT && o->imm > 0 && (o->imm & (o->imm - 1)) == 0;
}

static void lower_multiply(struct lower *l)
{
	for (unsigned e = 0; e < l->in->type.n; e++) {
		struct cap_loc d = result_of(l, e), a = cap_element(l, cap_arg(l, l->in, 0), e),
			       b = cap_element(l, cap_arg(l, l->in, 1), e);
		if (d.n < 2) {
			emit_two(l, power_of_two(cap_arg(l, l->in, 1)) ? "IMAD.SHL.U32" : "IMAD", d, a,
			         b);
			continue;
		}
		struct cap_loc t = cap_fresh(l, 1), u = cap_fresh(l, 1);
		emit_two(l, "IMAD", t, cap_part(a, a.n > 1, 1), cap_part(b, 0, 1));
		emit_op(l, "IMAD", u, 3,
		        (struct cap_loc[]){cap_part(a, 0, 1), cap_part(b, b.n > 1, 1), t});
		emit_op(l, "IMAD.WIDE.U32", d, 3,
		        (struct cap_loc[]){cap_part(a, 0, 1), cap_part(b, 0, 1), u});
	}
}

/* By shifts, by a multiplication with the reciprocal, or by the usual float estimate. */
static void divide_integers(struct lower *l)
{
	int rem = l->in->name[1] == 'r', sign = l->in->name[0] == 's';
	const struct ir_operand *by = cap_arg(l, l->in, 1);
	const char *chain =
		rem ? "I2F.U32.RP MUFU.RCP IADD3 F2I.TRUNC.NTZ IMAD.MOV.U32 IMAD IMAD.HI.U32 IMAD.HI.U32 "
		      "IMAD IADD3 IADD3 SEL"
		    : "I2F.U32.RP MUFU.RCP IADD3 F2I.TRUNC.NTZ IMAD.MOV.U32 IMAD IMAD.HI.U32 IMAD.HI.U32 "
		      "IMAD IADD3 IADD3 IADD3 SEL";
	if (power_of_two(by))
		chain = !sign ? rem ? "LOP3.LUT" : "SHF.R.U32.HI"
		        : rem ? "SHF.R.S32.HI LEA.HI LOP3.LUT IADD3"
		              : "SHF.R.S32.HI LEA.HI SHF.R.S32.HI";
	else if (by->kind == IR_INT)
		chain = rem ? "IMAD.HI.U32 SHF.R.U32.HI IMAD" : "IMAD.HI.U32 SHF.R.U32.HI";
	for (unsigned e = 0; e < l->in->type.n; e++)
		emit_chain(l, chain, result_of(l, e), 2,
		           (struct cap_loc[]){cap_element(l, cap_arg(l, l->in, 0), e),
		                              cap_element(l, by, e)});
}

static void divide_floats(struct lower *l)
{
	int rem = cap_named(l->in, "frem");
	for (unsigned e = 0; e < l->in->type.n; e++) {
		struct cap_loc d = result_of(l, e);
		const char *chain = rem       ? d.n < 2 ? "MUFU.RCP FMUL FRND.TRUNC FFMA"
		                                        : "MUFU.RCP64H DFMA DFMA DMUL FRND.F64.TRUNC DFMA"
		                    : d.n < 2 ? "MUFU.RCP FFMA FFMA FFMA FFMA FFMA"
		                              : "MUFU.RCP64H DFMA DFMA DFMA DFMA DMUL DFMA DFMA";
		emit_chain(l, chain, d, 2,
		           (struct cap_loc[]){cap_element(l, cap_arg(l, l->in, 1), e),
		                              cap_element(l, cap_arg(l, l->in, 0), e)});
	}
}

static const char *compare_opcode(const char *name, int wide)
{
	static const char *const table[][4] = {
		/* LLVM's predicate, integers, floats, doubles */
		{"eq", "ISETP.EQ.AND", "FSETP.EQ.AND", "DSETP.EQ.AND"},
		{"ne", "ISETP.NE.AND", "FSETP.NEU.AND", "DSETP.NEU.AND"},
		{"lt", "ISETP.LT.AND", "FSETP.LT.AND", "DSETP.LT.AND"},
		{"le", "ISETP.LE.AND", "FSETP.LE.AND", "DSETP.LE.AND"},
		{"gt", "ISETP.GT.AND", "FSETP.GT.AND", "DSETP.GT.AND"},
		{"ge", "ISETP.GE.AND", "FSETP.GE.AND", "DSETP.GE.AND"},
	};
	static const char *const naturals[] = {
		NULL,
		NULL,
		"ISETP.LT.U32.AND",
		"ISETP.LE.U32.AND",
		"ISETP.GT.U32.AND",
		"ISETP.GE.U32.AND"};
	int is_float = name[0] == 'f';
	const char *p = strchr(name, '.');
	size_t n = p ? strlen(p) : 0;
	for (size_t i = 0; n > 2 && i < sizeof table / sizeof *table; i++)
		if (strcmp(p + n - 2, table[i][0]) == 0)
			return !is_float && p[1] == 'u' && naturals[i]
			               ? naturals[i]
			               : table[i][is_float ? 2 + wide : 1];
	return is_float ? "FSETP.NAN.AND" : "ISETP.NE.AND"; /* ord, uno, false, true */
}

static void lower_compare(struct lower *l)
{
	int wide = l->in->from.bits > 32;
	for (unsigned e = 0; e < l->in->type.n; e++) {
		struct cap_loc a = cap_element(l, cap_arg(l, l->in, 0), e),
			       b = cap_element(l, cap_arg(l, l->in, 1), e);
		emit_two(l, compare_opcode(l->in->name, wide), nowhere,
		         cap_part(a, 0, l->in->name[0] == 'f' ? a.n : 1),
		         cap_part(b, 0, l->in->name[0] == 'f' ? b.n : 1));
		if (l->in->name[0] == 'i' && (a.n > 1 || b.n > 1))
			emit_two(l, "ISETP.NE.AND.EX", nowhere, cap_part(a, 1, 1), cap_part(b, 1, 1));
	}
}

static void lower_select(struct lower *l)
{
	for (unsigned e = 0; e < l->in->type.n; e++) {
		struct cap_loc d = result_of(l, e), a = cap_element(l, cap_arg(l, l->in, 1), e),
			       b = cap_element(l, cap_arg(l, l->in, 2), e);
		if (d.v == CAP_NONE)
			emit_op(l, "PLOP3.LUT", nowhere, 0, NULL);
		for (unsigned i = 0; d.v != CAP_NONE && i < d.n; i++)
			emit_two(l, l->in->type.kind == 'f' ? "FSEL" : "SEL", cap_part(d, i, 1),
			         cap_part(a, i, 1), cap_part(b, i, 1));
	}
}

/* ---- addresses and memory ------------------------------------------------------------------- */

static void element_address(struct lower *l)
{
	struct cap_loc base = source_of(l, cap_arg(l, l->in, 0)), d = result_of(l, 0);
	if (d.v == CAP_NONE)
		return;
	for (unsigned i = 1; i + 1 < l->in->nop; i += 2) {
		struct cap_loc index = source_of(l, cap_arg(l, l->in, i)),
			       to = i + 2 < l->in->nop - 1 ? cap_fresh(l, d.n) : d;
		if (d.n == 1)
			emit_two(l, base.v == CAP_NONE ? "IMAD.SHL.U32" : "LEA", to, index, base);
		else if (index.n <= 1)
			emit_two(l, "IMAD.WIDE", to, index, base);
		else {
			emit_two(l, "LEA", cap_part(to, 0, 1), cap_part(index, 0, 1),
			         cap_part(base, 0, 1));
			emit_two(l, "LEA.HI.X", cap_part(to, 1, 1), cap_part(index, 1, 1),
			         cap_part(base, 1, 1));
		}
		base = to;
	}
}

/* Registers that hold an address; one that is a kernel argument is first moved there. */
static struct cap_loc address_of(struct lower *l, const struct ir_operand *o, uint32_t space)
{
	struct cap_loc a = source_of(l, o);
	if (a.v != CAP_NONE || space == 0 || space == 2 || space == 3)
		return a;
	a = cap_fresh(l, 2);
	emit_op(l, "MOV", cap_part(a, 0, 1), 0, NULL);
	emit_op(l, "IMAD.MOV.U32", cap_part(a, 1, 1), 0, NULL);
	return a;
}

static const char *memory_opcode(uint32_t space, enum cap_mem mem, unsigned bytes)
{
	static const char *const table[5][2][5] = {
		{{"LDL.U8", "LDL.U16", "LDL", "LDL.64", "LDL.128"},
	         {"STL.U8", "STL.U16", "STL", "STL.64", "STL.128"}},
		{{"LDG.E.U8", "LDG.E.U16", "LDG.E", "LDG.E.64", "LDG.E.128"},
	         {"STG.E.U8", "STG.E.U16", "STG.E", "STG.E.64", "STG.E.128"}},
		{{"LDC.U8", "LDC.U16", "LDC", "LDC.64", "LDC.64"}, {"NOP", "NOP", "NOP", "NOP", "NOP"}},
		{{"LDS.U8", "LDS.U16", "LDS", "LDS.64", "LDS.128"},
	         {"STS.U8", "STS.U16", "STS", "STS.64", "STS.128"}},
		{{"LD.E.U8", "LD.E.U16", "LD.E", "LD.E.64", "LD.E.128"},
	         {"ST.E.U8", "ST.E.U16", "ST.E", "ST.E.64", "ST.E.128"}},
	};
	unsigned w = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
	return table[space > 4 ? 4 : space][mem == CAP_STORE][w];
}

/* One access of LLVM, cut into naturally aligned pieces of at most 16 bytes. */
static void lower_access(struct lower *l, enum cap_mem mem, uint32_t space, struct cap_loc at,
                         struct cap_loc val, unsigned bytes, unsigned align, unsigned event)
{
	unsigned step = 0;
	for (unsigned off = 0; off < bytes && off < 256; off += step) {
		for (step = 16; step > 1 && (step > bytes - off || step > align || off % step);
		     step /= 2)
			;
		struct cap_loc v = cap_part(val, off / 4, step < 4 ? 1 : step / 4),
			       to = mem == CAP_LOAD ? v : nowhere;
		struct cap_op *o = emit_op(l, memory_opcode(space, mem, step), to, 2,
		                           (struct cap_loc[]){at, mem == CAP_LOAD ? nowhere : v});
		o->mem = space == 2 ? CAP_NO_MEM
		                    : (uint8_t)mem; /* constants have no address in a trace */
		o->event = (uint16_t)event;
		o->offset = (uint16_t)off;
	}
}

static void load_or_store(struct lower *l)
{
	int store = cap_named(l->in, "store");
	const struct ir_operand *p = cap_arg(l, l->in, store);
	struct cap_loc v = store ? source_of(l, cap_arg(l, l->in, 0)) : result_of(l, 0);
	lower_access(l, store ? CAP_STORE : CAP_LOAD, l->in->space, address_of(l, p, l->in->space), v,
	             l->in->bytes, l->in->align, 0);
}

/* vload4(offset, p), vstore4(value, offset, p): elements of their own alignment. */
static void vector_memory(struct lower *l)
{
	int store = cap_starts(l->in->name, "vstore");
	const struct ir_operand *v = cap_arg(l, l->in, 0), *index = cap_arg(l, l->in, store),
				*p = cap_arg(l, l->in, 1 + store);
	struct cap_loc at = address_of(l, p, l->in->space),
		       to = cap_fresh(l, l->in->space == 0 || l->in->space == 3 ? 1 : 2);
	emit_two(l, to.n == 2 ? "IMAD.WIDE" : "LEA", to, source_of(l, index), at);
	unsigned n = store && v->kind == IR_VALUE ? l->type[v->id].n : l->in->type.n;
	lower_access(l, store ? CAP_STORE : CAP_LOAD, l->in->space, to,
	             store ? source_of(l, v) : result_of(l, 0), n * l->in->bytes, l->in->bytes, 0);
}

static const char *atomic_opcode(const char *name, int shared, int result_used)
{
	static const char *const table[][4] = {
		{"cmpxchg", "ATOMS.CAS", "ATOMG.E.CAS.STRONG.GPU", NULL},
		{"xchg", "ATOMS.EXCH", "ATOMG.E.EXCH.STRONG.GPU", NULL},
		{"inc", "ATOMS.INC", "ATOMG.E.INC.STRONG.GPU", "RED.E.INC.STRONG.GPU"},
		{"dec", "ATOMS.DEC", "ATOMG.E.DEC.STRONG.GPU", "RED.E.DEC.STRONG.GPU"},
		{"min", "ATOMS.MIN", "ATOMG.E.MIN.STRONG.GPU", "RED.E.MIN.STRONG.GPU"},
		{"max", "ATOMS.MAX", "ATOMG.E.MAX.STRONG.GPU", "RED.E.MAX.STRONG.GPU"},
		{"and", "ATOMS.AND", "ATOMG.E.AND.STRONG.GPU", "RED.E.AND.STRONG.GPU"},
		{"xor", "ATOMS.XOR", "ATOMG.E.XOR.STRONG.GPU", "RED.E.XOR.STRONG.GPU"},
		{"or", "ATOMS.OR", "ATOMG.E.OR.STRONG.GPU", "RED.E.OR.STRONG.GPU"},
		{"", "ATOMS.ADD", "ATOMG.E.ADD.STRONG.GPU", "RED.E.ADD.STRONG.GPU"},
	};
	size_t i = 0;
	while (!strstr(name, table[i][0]))
		i++;
	return shared ? table[i][1] : !result_used && table[i][3] ? table[i][3] : table[i][2];
}

static void lower_atomic(struct lower *l)
{
	uint32_t space = l->in->has_mem ? l->in->space : 1;
	struct cap_loc at = address_of(l, cap_arg(l, l->in, 0), space);
	int used = l->in->dst != CAP_NONE && l->uses[l->in->dst] > 0;
	struct cap_op *o = emit_op(
		l, atomic_opcode(l->in->name, space == 3, used), used ? result_of(l, 0) : nowhere, 3,
		(struct cap_loc[]){at, source_of(l, cap_arg(l, l->in, 1)),
	                           source_of(l, cap_arg(l, l->in, 2))});
	o->mem = CAP_ATOMIC;
}

/* llvm.memcpy, llvm.memset of a size known when compiling. */
static void block_memory(struct lower *l)
{
	const struct ir_operand *n = cap_arg(l, l->in, 2), *to = cap_arg(l, l->in, 0),
				*from = cap_arg(l, l->in, 1);
	unsigned bytes = n->kind == IR_INT && n->imm > 0 && n->imm < 256 ? (unsigned)n->imm : 256;
	int set = cap_named(l->in, "llvm.memset");
	struct cap_loc t = set ? nowhere : cap_fresh(l, 4);
	uint32_t space = from->kind == IR_VALUE && !set ? l->type[from->id].space : 2;
	for (unsigned off = 0; off < bytes; off += 16) {
		unsigned piece = bytes - off < 16 ? bytes - off : 16;
		size_t first = l->c->n;
		if (!set)
			lower_access(l, CAP_LOAD, space, address_of(l, from, space), t, piece, 4, 0);
		lower_access(l, CAP_STORE, l->in->space, address_of(l, to, l->in->space), t, piece, 4,
		             !set);
		for (size_t i = first; i < l->c->n; i++)
			l->c->op[i].offset = (uint16_t)(l->c->op[i].offset + off);
	}
}

/* ---- vectors ---------------------------------------------------------------------------------- */

static void lower_insert(struct lower *l)
{
	unsigned per = cap_element_regs(l->in->type, 0);
	struct cap_loc d = result_of(l, 0), base = source_of(l, cap_arg(l, l->in, 0));
	const struct ir_operand *k = cap_arg(l, l->in, 2);
	unsigned at = k->kind == IR_INT && k->imm >= 0 && k->imm < l->in->type.n ? (unsigned)k->imm : 0;
	d.n = (uint8_t)(per * l->in->type.n);
	if (d.v == CAP_NONE)
		return;
	if (!cap_is_alias(l, l->in) && base.v != CAP_NONE)
		for (unsigned e = 0; e < l->in->type.n; e++)
			if (e != at)
				emit_move(l, cap_part(d, e * per, per), cap_part(base, e * per, per));
	emit_move(l, cap_part(d, at * per, per), source_of(l, cap_arg(l, l->in, 1)));
}

static void lower_shuffle(struct lower *l)
{
	const struct ir_operand *a = cap_arg(l, l->in, 0), *b = cap_arg(l, l->in, 1);
	int n = a->kind == IR_VALUE ? l->type[a->id].n : b->kind == IR_VALUE ? l->type[b->id].n : 16;
	for (unsigned e = 0; e < l->in->type.n; e++) {
		const struct ir_operand *k = cap_arg(l, l->in, 2 + e);
		int from = k->kind == IR_INT ? (int)k->imm : -1;
		if (from >= 0)
			emit_move(l, result_of(l, e),
			          from < n ? cap_element(l, a, (unsigned)from)
			                   : cap_element(l, b, (unsigned)(from - n)));
	}
}

/* An index that is not constant: one selection per element. */
static void lower_extract(struct lower *l)
{
	const struct ir_operand *v = cap_arg(l, l->in, 0);
	unsigned n = v->kind == IR_VALUE ? l->type[v->id].n : 1;
	if (cap_arg(l, l->in, 1)->kind == IR_INT)
		return;
	for (unsigned e = 0; e < n; e++)
		emit_two(l, "SEL", result_of(l, 0), cap_element(l, v, e),
		         source_of(l, cap_arg(l, l->in, 1)));
}

/* ---- calls and control -------------------------------------------------------------------------- */

static int place_builtin(struct lower *l)
{
	if (cap_named(l->in, "get_global_id") || cap_named(l->in, "get_global_linear_id")) {
		struct cap_loc t = cap_fresh(l, 1), u = cap_fresh(l, 1);
		emit_op(l, "S2R", t, 0, NULL);
		emit_op(l, "S2R", u, 0, NULL);
		emit_two(l, "IMAD", result_of(l, 0), t, u);
	} else if (cap_named(l->in, "get_local_id") || cap_named(l->in, "get_group_id") ||
	           cap_named(l->in, "get_local_linear_id")) {
		emit_op(l, "S2R", result_of(l, 0), 0, NULL);
	} else if (cap_named(l->in, "barrier") || cap_named(l->in, "work_group_barrier") ||
	           cap_starts(l->in->name, "wait_group")) {
		emit_op(l, "BAR.SYNC.DEFER_BLOCKING", nowhere, 0, NULL);
	} else if (strstr(l->in->name, "mem_fence") || cap_named(l->in, "atomic_work_item_fence")) {
		emit_op(l, "MEMBAR.SC.CTA", nowhere, 0, NULL);
	} else {
		static const char *const nothing[] = {
			"llvm.dbg", "llvm.lifetime", "llvm.assume", "llvm.experimental",
			"printf",   "prefetch",      "get_",        "__translate_sampler_initializer",
			"as_"};
		for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
			if (cap_starts(l->in->name, nothing[i]))
				return 1;
		return cap_named(l->in, "fabs") || cap_named(l->in, "llvm.fabs");
	}
	return 1;
}

static void lower_builtin(struct lower *l)
{
	if (place_builtin(l))
		return;
	if (cap_starts(l->in->name, "atomic_") || cap_starts(l->in->name, "atom_")) {
		lower_atomic(l);
		return;
	}
	if ((cap_starts(l->in->name, "vload") || cap_starts(l->in->name, "vstore")) && l->in->has_mem) {
		vector_memory(l);
		return;
	}
	if (cap_starts(l->in->name, "llvm.mem")) {
		block_memory(l);
		return;
	}
	if (cap_starts(l->in->name, "read_image")) {
		emit_two(l, "TEX", result_of(l, 0), source_of(l, cap_arg(l, l->in, 1)),
		         source_of(l, cap_arg(l, l->in, 2)));
		return;
	}
	const struct ir_operand *a = cap_arg(l, l->in, 0);
	struct ir_type from = a->kind == IR_VALUE ? l->type[a->id] : l->in->type;
	int is_float = l->in->type.kind == 'f' || from.kind == 'f';
	const char *chain = cap_builtin_chain(
		l->in->name, is_float && (l->in->type.bits == 64 || from.bits == 64), is_float);
	if (!chain) {
		*l->unknown = l->in->name;
		chain = is_float ? "FFMA FFMA FFMA FFMA" : "IADD3 LOP3.LUT";
	}
	for (unsigned e = 0; e < l->in->type.n; e++) {
		struct cap_loc src[3];
		for (unsigned i = 0; i < 3; i++)
			src[i] = cap_element(l, cap_arg(l, l->in, i), e);
		emit_chain(l, chain, result_of(l, e), 3, src);
	}
}

/* A branch writes the phi nodes of its targets first. */
static void phi_copies(struct lower *l, const struct ir_block *b)
{
	uint32_t self = (uint32_t)(b - l->ir->block) - l->f->block;
	for (uint32_t s = 0; s < b->nsucc; s++) {
		const struct ir_block *t = &l->ir->block[l->f->block + l->ir->succ[b->succ + s]];
		for (uint32_t i = t->inst; i < t->inst + t->ninst && cap_named(&l->ir->inst[i], "phi");
		     i++) {
			const struct ir_inst *phi = &l->ir->inst[i];
			for (unsigned k = 0; k + 1 < phi->nop; k += 2)
				if (cap_arg(l, phi, k + 1)->id == self && phi->dst != CAP_NONE)
					emit_move(l, cap_locate(l, phi->dst),
					          source_of(l, cap_arg(l, phi, k)));
		}
	}
}

static int follows_block(const struct lower *l, const struct ir_block *b, uint32_t s)
{
	return l->next == &l->ir->block[l->f->block + l->ir->succ[b->succ + s]];
}

static void lower_terminator(struct lower *l, const struct ir_block *b)
{
	phi_copies(l, b);
	if (cap_named(l->in, "ret")) {
		emit_op(l, l->is_kernel ? "EXIT" : "RET.REL.NODEC", nowhere, 0, NULL);
	} else if (cap_named(l->in, "switch")) {
		struct cap_loc on = source_of(l, cap_arg(l, l->in, 0));
		for (uint32_t s = 1; s < b->nsucc; s++) {
			emit_op(l, "ISETP.EQ.AND", nowhere, 1, &on);
			emit_op(l, "BRA", nowhere, 0, NULL);
		}
	} else if (b->nsucc > 1) {
		emit_op(l, "BRA", nowhere, 0, NULL);
		if (!follows_block(l, b, 0) && !follows_block(l, b, 1))
			emit_op(l, "BRA", nowhere, 0, NULL);
	} else if (b->nsucc == 1 && !follows_block(l, b, 0)) {
		emit_op(l, "BRA", nowhere, 0, NULL);
	}
}

/* An add that takes a product or a shifted value of its own: IMAD, LEA. */
static int fused_add(struct lower *l)
{
	if (!cap_named(l->in, "add"))
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct ir_operand *o = cap_arg(l, l->in, i);
		const struct ir_inst *m = o->kind == IR_VALUE && l->def[o->id] != CAP_NONE
		                                  ? &l->ir->inst[l->def[o->id]]
		                                  : NULL;
		if (!m || !m->fused)
			continue;
		emit_op(l, cap_named(m, "mul") ? "IMAD" : "LEA", result_of(l, 0), 3,
		        (struct cap_loc[]){source_of(l, cap_arg(l, m, 0)),
		                           source_of(l, cap_arg(l, m, 1)),
		                           source_of(l, cap_arg(l, l->in, 1 - i))});
		return 1;
	}
	return 0;
}

static void lower_instruction(struct lower *l, const struct ir_block *b)
{
	const struct ir_inst *in = l->in;
	if (in == &l->ir->inst[b->inst + b->ninst - 1])
		lower_terminator(l, b);
	else if (in->fused || cap_named(in, "phi"))
		return;
	else if (in->builtin)
		lower_builtin(l);
	else if (cap_named(in, "call"))
		emit_op(l, "CALL.REL.NOINC", result_of(l, 0), 0, NULL);
	else if (cap_named(in, "insertelement"))
		lower_insert(l);
	else if (cap_is_alias(l, in) || cap_is_constant(in) || fused_add(l))
		return;
	else if (cap_named(in, "mul"))
		lower_multiply(l);
	else if (cap_named(in, "udiv") || cap_named(in, "sdiv") || cap_named(in, "urem") ||
	         cap_named(in, "srem"))
		divide_integers(l);
	else if (cap_named(in, "fdiv") || cap_named(in, "frem"))
		divide_floats(l);
	else if (cap_starts(in->name, "icmp") || cap_starts(in->name, "fcmp"))
		lower_compare(l);
	else if (cap_named(in, "select"))
		lower_select(l);
	else if (cap_named(in, "gep"))
		element_address(l);
	else if (cap_named(in, "load") || cap_named(in, "store"))
		load_or_store(l);
	else if (cap_named(in, "shufflevector"))
		lower_shuffle(l);
	else if (cap_named(in, "extractelement"))
		lower_extract(l);
	else if (!lower_simple(l) && in->dst != CAP_NONE)
		emit_move(l, result_of(l, 0), source_of(l, cap_arg(l, in, 0)));
}

/* ---- a function ------------------------------------------------------------------------------------ */

static int lower_blocks(struct lower *l, struct ct_error *e)
{
	l->c->block_end = ct_calloc(l->f->nblock, sizeof *l->c->block_end);
	if (!l->c->block_end)
		return ct_fail_nomem(e);
	l->c->first_op = (uint32_t)l->c->n;
	for (uint32_t b = 0; b < l->f->nblock; b++) {
		const struct ir_block *k = &l->ir->block[l->f->block + b];
		l->next = b + 1 < l->f->nblock ? k + 1 : NULL;
		for (uint32_t i = k->inst; i < k->inst + k->ninst; i++) {
			l->in = &l->ir->inst[i];
			lower_instruction(l, k);
		}
		l->c->block_end[b] = (uint32_t)l->c->n;
	}
	return l->c->failed ? ct_fail_nomem(e) : CT_OK;
}

int cap_lower(const struct ir *ir, const struct ir_func *f, int is_kernel, struct cap_code *c,
              const char **unknown, struct ct_error *e)
{
	struct lower l = {.ir = ir, .f = f, .is_kernel = is_kernel, .c = c, .unknown = unknown};
	size_t n = f->nvalues + 1;
	l.loc = ct_calloc(n, sizeof *l.loc);
	l.type = ct_calloc(n, sizeof *l.type);
	l.def = ct_calloc(n, sizeof *l.def);
	l.uses = ct_calloc(n, sizeof *l.uses);
	l.narrow = ct_calloc(n, 1);
	l.placed = ct_calloc(n, 1);
	int st = l.loc && l.type && l.def && l.uses && l.narrow && l.placed ? CT_OK : ct_fail_nomem(e);
	c->nv = 0;
	if (st == CT_OK) {
		cap_find_values(&l);
		st = lower_blocks(&l, e);
	}
	free(l.loc);
	free(l.type);
	free(l.def);
	free(l.uses);
	free(l.narrow);
	free(l.placed);
	return st;
}

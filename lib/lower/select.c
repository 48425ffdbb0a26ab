/* Machine instructions for the PTX instructions that are needed. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lower/unit.h"

static struct ct_lower_source read_at(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t k,
                                      unsigned part)
{
	return ct_lower_read(u, &i->operand[k], part);
}

static uint32_t result(struct ct_lower_unit *u, const struct ct_lower_ptx *i, unsigned part)
{
	return i->writes && i->operand[0].kind == CT_PTX_OPERAND_REGISTER
	               ? ct_lower_write(u, i->operand[0].number, part)
	               : CT_LOWER_RZ;
}

/* Sources of an instruction and of what it has taken in, at most `most`. */
static unsigned gather(struct ct_lower_unit *u, const struct ct_lower_ptx *i,
                       struct ct_lower_source *src, unsigned most, unsigned part)
{
	unsigned n = 0;
	for (uint32_t k = i->writes; k < i->operands; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		const struct ct_lower_ptx *f = i->fused == CT_LOWER_NONE ? NULL
		                                                         : ct_lower_ptx_at(u, i->fused);
		if (o->kind == CT_PTX_OPERAND_PREDICATE)
			continue;
		if (f && o->kind == CT_PTX_OPERAND_REGISTER &&
		    ct_lower_resolve(u, o->number) == f->operand[0].number) {
			for (uint32_t j = 1; j < f->operands && n < most; j++)
				if (f->operand[j].kind != CT_PTX_OPERAND_PREDICATE)
					src[n++] = read_at(u, f, j, 0);
		} else if (n < most) {
			src[n++] = ct_lower_read(u, o, part);
		}
	}
	return n;
}

void ct_lower_predicates(const struct ct_lower_ptx *i, struct ct_lower_inst *m)
{
	unsigned reads = 0, writes = 0;
	if (!m)
		return;
	if (i->control.guard != CT_PTX_NO_OPERAND) {
		m->psrc[reads++] = i->control.guard + 1;
		m->pure = 0;
	}
	for (uint32_t k = 0; k < i->operands; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		if (o->kind != CT_PTX_OPERAND_PREDICATE)
			continue;
		if (k < i->writes && writes < 2)
			m->pdst[writes++] = o->number + 1;
		else if (k >= i->writes && reads < 3)
			m->psrc[reads++] = o->number + 1;
	}
}

static struct ct_lower_inst *simple(struct ct_lower_unit *u, uint32_t at, const char *opcode)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	struct ct_lower_source src[CT_LOWER_MAX_SRC];
	unsigned n = gather(u, i, src, CT_LOWER_MAX_SRC, 0);
	struct ct_lower_inst *m = ct_lower_emit(u, opcode, at, result(u, i, 0), n, src);
	ct_lower_predicates(i, m);
	return m;
}

/* The same on low and high parts. */
static void twice(struct ct_lower_unit *u, uint32_t at, const char *low, const char *high)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	for (unsigned part = 0; part < 2; part++) {
		struct ct_lower_source src[CT_LOWER_MAX_SRC];
		unsigned n = gather(u, i, src, CT_LOWER_MAX_SRC, part);
		ct_lower_predicates(i,
		                    ct_lower_emit(u, part ? high : low, at, result(u, i, part), n, src));
	}
}

static int is_narrow(const struct ct_lower_unit *u, const struct ct_lower_ptx *i)
{
	return i->operand[0].kind == CT_PTX_OPERAND_REGISTER &&
	       ct_lower_parts(u, i->operand[0].number) == 1;
}

static const char *fused_opcode(const struct ct_lower_unit *u, const struct ct_lower_ptx *i)
{
	return i->fused == CT_LOWER_NONE ? "" : ct_lower_ptx_at(u, i->fused)->opcode;
}

/* add and sub, with the product or shift that was fused into them. */
static void select_add(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const char *o = i->opcode, *f = fused_opcode(u, i);
	if (ct_lower_has(o, "f32"))
		simple(u, at, *f ? "FFMA" : "FADD");
	else if (ct_lower_has(o, "f64"))
		simple(u, at, *f ? "DFMA" : "DADD");
	else if (ct_lower_has(o, "f16") || ct_lower_has(o, "f16x2") || ct_lower_has(o, "bf16x2"))
		simple(u, at, "HADD2");
	else if (ct_lower_is(f, "mul") && ct_lower_has(f, "wide"))
		simple(u, at, ct_lower_has(f, "u32") ? "IMAD.WIDE.U32" : "IMAD.WIDE");
	else if (ct_lower_bits(o) == 64 && !is_narrow(u, i))
		twice(u, at, "IADD3", "IADD3.X");
	else if (ct_lower_is(f, "mul"))
		simple(u, at, "IMAD");
	else
		simple(u, at,
		       ct_lower_is(f, "shl")    ? "LEA"
		       : !ct_lower_is(f, "shr") ? "IADD3"
		       : ct_lower_has(f, "u32") ? "LEA.HI"
		                                : "LEA.HI.SX32");
}

/* mul, mad and fma. A 64-bit product takes four instructions, as there is no multiplier of that
 * width. */
static void select_mul(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const char *o = i->opcode;
	int is_mad = ct_lower_is(o, "mad");
	if (ct_lower_has(o, "f32"))
		simple(u, at, is_mad || ct_lower_is(o, "fma") ? "FFMA" : "FMUL");
	else if (ct_lower_has(o, "f64"))
		simple(u, at, is_mad || ct_lower_is(o, "fma") ? "DFMA" : "DMUL");
	else if (ct_lower_is(o, "fma") || ct_lower_has(o, "f16") || ct_lower_has(o, "f16x2"))
		simple(u, at, ct_lower_is(o, "mul") ? "HMUL2" : "HFMA2");
	else if (ct_lower_has(o, "wide"))
		simple(u, at, ct_lower_has(o, "u32") ? "IMAD.WIDE.U32" : "IMAD.WIDE");
	else if (ct_lower_has(o, "hi"))
		simple(u, at, ct_lower_has(o, "u32") ? "IMAD.HI.U32" : "IMAD.HI");
	else if (ct_lower_bits(o) == 64 && !is_narrow(u, i)) {
		/* a product of the low parts, two that only reach the high one, and their sum */
		simple(u, at, "IMAD.WIDE.U32");
		twice(u, at, "IMAD", "IMAD");
		simple(u, at, "IADD3");
	} else
		simple(u, at, "IMAD");
}

static void select_shift(struct ct_lower_unit *u, uint32_t at)
{
	const char *o = ct_lower_ptx_at(u, at)->opcode;
	int left = ct_lower_is(o, "shl"), sign = ct_lower_has(o, "s32") || ct_lower_has(o, "s64");
	if (ct_lower_bits(o) == 64)
		twice(u, at, left ? "IMAD.SHL.U32" : "SHF.R.U64",
		      left   ? "SHF.L.U64.HI"
		      : sign ? "SHF.R.S32.HI"
		             : "SHF.R.U32.HI");
	else
		simple(u, at, left ? "IMAD.SHL.U32" : sign ? "SHF.R.S32.HI" : "SHF.R.U32.HI");
}

/* setp. Comparisons of 64-bit integers take two instructions, the low half first. */
static void select_compare(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const char *o = i->opcode, *dot = strchr(o, '.');
	char relation[8] = "";
	for (unsigned k = 0; dot && k < sizeof relation - 1 && dot[1 + k] && dot[1 + k] != '.'; k++) {
		char c = dot[1 + k];
		relation[k] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
	}
	int wide = ct_lower_bits(o) == 64 && !ct_lower_has(o, "f64");
	for (uint32_t k = i->writes; wide && k < i->operands; k++)
		if (i->operand[k].kind == CT_PTX_OPERAND_REGISTER && u->reg[i->operand[k].number].narrow)
			wide = 0;
	const char *type = ct_lower_has(o, "f64")                               ? "DSETP."
	                   : ct_lower_has(o, "f32")                             ? "FSETP."
	                   : ct_lower_has(o, "f16") || ct_lower_has(o, "f16x2") ? "HSETP2."
	                                                                        : "ISETP.";
	if (i->fused !=
	    CT_LOWER_NONE) { /* a test of bits: the constant that it compares with is in the table */
		const struct ct_lower_ptx *f = ct_lower_ptx_at(u, i->fused);
		struct ct_lower_source bits[2] = {read_at(u, f, 1, 0), read_at(u, f, 2, 0)};
		ct_lower_predicates(i, ct_lower_emit(u, "LOP3.LUT", at, CT_LOWER_RZ, 2, bits));
		return;
	}
	const char *sign = strchr("ISH", type[0]) && (ct_lower_has(o, "u32") || ct_lower_has(o, "u64"))
	                           ? ".U32.AND"
	                           : ".AND";
	if (wide)
		ct_lower_predicates(i, simple(u, at, ct_lower_text(u->p, type, relation, ".U32.AND")));
	struct ct_lower_source src[3];
	unsigned n = gather(u, i, src, 3, (unsigned)wide);
	const char *name = ct_lower_text(u->p, type, relation, wide ? ".AND.EX" : sign);
	ct_lower_predicates(i, ct_lower_emit(u, name, at, result(u, i, 0), n, src));
}

/* Conversions that are needed: those that fold are facts. */
static void select_convert(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const char *o = i->opcode, *from = strrchr(o, '.');
	const char *to = from;
	while (to && to > o && *--to != '.')
		;
	int real_from = from && (from[1] == 'f' || from[1] == 'b'),
	    real_to = to && (to[1] == 'f' || to[1] == 'b');
	unsigned from_bits = ct_lower_bits(o),
		 to_bits = to ? (unsigned)strtoul(to + strcspn(to, "0123456789"), NULL, 10) : 32;
	if (ct_lower_has(o, "tf32"))
		simple(u, at, "F2F.TF32.F32");
	else if (ct_lower_has(o, "pack"))
		simple(u, at, "I2IP.S32.SAT");
	else if (real_from && real_to)
		simple(u, at,
		       from_bits == to_bits ? "FRND"
		       : from_bits + to_bits == 48
		               ? (to_bits == 32 ? "HADD2.F32" : ct_lower_to_half(u, o))
		       : to_bits == 64 ? "F2F.F64.F32"
		                       : "F2F.F32.F64");
	else if (real_to)
		simple(u, at, to_bits == 64 ? "I2F.F64" : from_bits == 64 ? "I2F.S64" : "I2F");
	else if (real_from)
		simple(u, at,
		       from_bits == 64 ? "F2I.F64.TRUNC"
		       : to_bits == 64 ? "F2I.S64.TRUNC"
		                       : "F2I.TRUNC.NTZ");
	else if (to_bits == 64 && !is_narrow(u, i)) {
		struct ct_lower_source src = read_at(u, i, 1, 0);
		if (from[1] == 's') /* the low part is the source itself */
			ct_lower_emit(u, "SHF.R.S32.HI", at, result(u, i, 1), 1, &src);
		else
			ct_lower_emit(u, "IMAD.MOV.U32", at, result(u, i, 0), 1, &src);
	} else
		simple(u, at, from_bits < 32 ? (from[1] == 's' ? "PRMT" : "LOP3.LUT") : "IMAD.MOV.U32");
}

/* mov and cvta: special registers are read with S2R, and what the launch fixes comes from constant
 * memory. */
static void select_move(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	if (i->operand[0].kind == CT_PTX_OPERAND_PREDICATE) {
		simple(u, at, "PLOP3.LUT");
		return;
	}
	if (i->operands == 2 && i->operand[1].kind == CT_PTX_OPERAND_SPECIAL) {
		const char *name = i->operand[1].name;
		int bank = strncmp(name, "%ntid", 5) == 0 || strncmp(name, "%nctaid", 7) == 0;
		struct ct_lower_source none = {.place = CT_LOWER_RZ};
		ct_lower_emit(u,
		              bank                              ? "IMAD.MOV.U32"
		              : strncmp(name, "%clock", 6) == 0 ? "CS2R"
		                                                : "S2R",
		              at, result(u, i, 0), 0, &none);
		return;
	}
	for (uint32_t w = 0; w < i->writes; w++) {
		const struct ct_ptx_operand *d = &i->operand[w];
		if (d->kind != CT_PTX_OPERAND_REGISTER || u->reg[d->number].fact ||
		    !u->reg[d->number].uses)
			continue;
		unsigned parts = ct_lower_parts(u, d->number);
		for (unsigned part = 0; part < parts; part++) {
			/* pairs are made of two registers, and come apart into them */
			uint32_t k = i->writes + (i->operands - i->writes > 1 ? part : 0);
			unsigned from = i->operands - i->writes > 1 ? 0 : i->writes > 1 ? w : part;
			struct ct_lower_source src[3] = {
				{.place = CT_LOWER_RZ},
				{.place = CT_LOWER_RZ},
				read_at(u, i, k < i->operands ? k : i->writes, from)};
			ct_lower_emit(u, "IMAD.MOV.U32", at, ct_lower_write(u, d->number, part), 3, src);
		}
	}
}

static void select_logic(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	if (i->operand[0].kind == CT_PTX_OPERAND_PREDICATE)
		simple(u, at, "PLOP3.LUT");
	else if (ct_lower_bits(i->opcode) == 64 && !is_narrow(u, i))
		twice(u, at, "LOP3.LUT", "LOP3.LUT");
	else
		simple(u, at, "LOP3.LUT");
}

static void select_minmax(struct ct_lower_unit *u, uint32_t at)
{
	const char *o = ct_lower_ptx_at(u, at)->opcode;
	if (ct_lower_has(o, "f32"))
		simple(u, at, "FMNMX");
	else if (ct_lower_bits(o) == 64 && !is_narrow(u, ct_lower_ptx_at(u, at))) {
		struct ct_lower_source src[2];
		for (unsigned part = 0; part < 2; part++)
			ct_lower_emit(u, part ? "ISETP.LT.AND.EX" : "ISETP.LT.U32.AND", at, CT_LOWER_RZ,
			              gather(u, ct_lower_ptx_at(u, at), src, 2, part), src);
		twice(u, at, "SEL", "SEL");
	} else
		simple(u, at, "IMNMX");
}

/* ---- accesses ---- */

static unsigned access_bytes(const struct ct_lower_ptx *i)
{
	unsigned bytes = ct_lower_bits(i->opcode) / 8;
	return bytes * (ct_lower_has(i->opcode, "v2") ? 2 : ct_lower_has(i->opcode, "v4") ? 4 : 1);
}

/* "ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU" of atom.global.add.f32, RED where nothing reads what was there. Traces
 * have RED in global memory alone. */
static const char *atomic_name(struct ct_lower_unit *u, const char *o, uint32_t at)
{
	static const char *const operations[][2] = {
		{"add", ".ADD"}, {"min", ".MIN"}, {"max", ".MAX"}, {"inc", ".INC"},   {"dec", ".DEC"},
		{"and", ".AND"}, {"or", ".OR"},   {"xor", ".XOR"}, {"exch", ".EXCH"}, {"cas", ".CAS"}};
	const char *operation = "", *type = "";
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (ct_lower_has(o, operations[i][0]))
			operation = operations[i][1];
	if (ct_lower_has(o, "f32"))
		type = ".F32.FTZ.RN";
	else if (ct_lower_has(o, "f64"))
		type = ".F64.RN";
	else if (ct_lower_bits(o) == 64)
		type = ".64";
	int shared = ct_lower_has(o, "shared");
	int reduces = ct_lower_is(o, "red") ||
	              (ct_lower_has(o, "global") && ct_ptx_is_reduction(u->p->m, at));
	const char *head = reduces && !shared          ? "RED.E"
	                   : shared                    ? "ATOMS"
	                   : ct_lower_has(o, "global") ? "ATOMG.E"
	                                               : "ATOM.E";
	const char *name = ct_lower_text(u->p, head, operation, type);
	return name && !shared ? ct_lower_text(u->p, name, ".STRONG.GPU", "") : name;
}

/* The opcode of a memory access, with the modifiers that this generation of machine code has. */
static const char *access_name(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t at)
{
	static const char *const sizes[] = {"", ".64", ".128"};
	const char *o = i->opcode, *kind = ct_lower_is(o, "ld") ? "LD" : "ST", *space = ".E", *size;
	unsigned bytes = access_bytes(i);
	if (ct_lower_is(o, "atom") || ct_lower_is(o, "red"))
		return atomic_name(u, o, at);
	if (ct_lower_is(o, "prefetch") || ct_lower_is(o, "prefetchu"))
		return "CCTL.E.PF2";
	int sign = ct_lower_has(o, "s8") || ct_lower_has(o, "s16");
	size = bytes == 1   ? (sign ? ".S8" : ".U8")
	       : bytes == 2 ? (sign ? ".S16" : ".U16")
	                    : sizes[bytes / 8];
	if (ct_lower_has(o, "global"))
		space = u->p->sm < 80 ? "G.E" : "G.E";
	else if (ct_lower_has(o, "shared"))
		space = "S";
	else if (ct_lower_has(o, "local"))
		space = "L";
	const char *name = ct_lower_text(u->p, kind, space, size);
	if (name && (ct_lower_has(o, "nc")))
		name = ct_lower_text(u->p, name, ".CONSTANT", "");
	if (name &&
	    (ct_lower_has(o, "volatile") || ct_lower_has(o, "relaxed") || ct_lower_has(o, "acquire")) &&
	    !ct_lower_has(o, "shared"))
		name = ct_lower_text(u->p, name, ".STRONG.",
		                     ct_lower_has(o, "volatile") ? "SYS" : "GPU");
	/* Code of sm_70 and sm_75 says what later ones imply. */
	return name && u->p->sm < 80 && space[0] != 'S' && space[0] != 'L' && !strstr(name, "STRONG") &&
	                       !strstr(name, "CONSTANT")
	               ? ct_lower_text(u->p, name, ".SYS", "")
	               : name;
}

/* The register that an access's address begins with, and in *imm what is added to it. */
static uint32_t address_place(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t at,
                              int64_t *imm)
{
	for (uint32_t k = 0; k < i->operands; k++) {
		const struct ct_ptx_operand *o = &i->operand[k];
		if (!o->in_brackets)
			continue;
		*imm = (int32_t)o->value;
		if (i->base != CT_LOWER_NONE)
			return ct_lower_base_of(u, i->base, at);
		if (o->kind != CT_PTX_OPERAND_REGISTER)
			return CT_LOWER_RZ;
		struct ct_lower_source s = ct_lower_read_register(u, o->number, 0);
		if (!s.folded)
			return s.place;
		/* a pointer that lies in constant memory */
		struct ct_lower_form f = {.terms = 1};
		f.term[0].reg = ct_lower_resolve(u, o->number);
		f.term[0].factor = 1;
		uint32_t group = ct_lower_group_of(u, f, 1);
		return group == CT_LOWER_NONE ? CT_LOWER_RZ : ct_lower_base_of(u, group, at);
	}
	return CT_LOWER_RZ;
}

/* A load of four words, with the addresses of the lowest. */
static void select_quad(struct ct_lower_unit *u, uint32_t at)
{
	uint32_t lowest = ct_lower_ptx_at(u, at)->quad;
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, lowest);
	int64_t imm = 0;
	struct ct_lower_source base = {.place = address_place(u, i, at, &imm)};
	uint32_t value = u->reg[i->operand[0].number].value;
	struct ct_lower_inst *m = ct_lower_emit(u, "LDS.128", lowest, CT_LOWER_PART(value, 0), 1, &base);
	if (!m)
		return;
	m->memory = 1;
	m->pure = 0;
	m->has_imm = imm != 0;
	m->imm = imm;
}

/* Loads, stores and atomics with their address, values and result. */
static void select_access(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	if (i->quad != CT_LOWER_NONE) {
		select_quad(u, at);
		return;
	}
	const char *o = i->opcode;
	int store = ct_lower_is(o, "st"), load = ct_lower_is(o, "ld");
	struct ct_lower_source src[CT_LOWER_MAX_SRC];
	unsigned n = 0;
	int64_t imm = 0;
	uint32_t dst = CT_LOWER_RZ, base = address_place(u, i, at, &imm);
	uint32_t vector = i->operands - 1;
	src[n++] = (struct ct_lower_source){.place = base};
	if (load && vector > 1)
		dst = ct_lower_write_vector(u, i, 0, vector);
	else if (!store && i->writes && i->operand[0].kind == CT_PTX_OPERAND_REGISTER &&
	         !ct_ptx_is_reduction(u->p->m, at))
		dst = ct_lower_write(u, i->operand[0].number, 0);
	if (store && vector > 1)
		src[n++] = (struct ct_lower_source){.place = ct_lower_read_vector(u, i, 1, vector, at)};
	for (uint32_t k = i->writes; k < i->operands && n < CT_LOWER_MAX_SRC; k++) {
		const struct ct_ptx_operand *x = &i->operand[k];
		if (x->in_brackets || (store && vector > 1))
			continue;
		src[n] = ct_lower_read(u, x, 0);
		if (src[n].folded) { /* memory takes no constants */
			uint32_t value = ct_lower_new_value(u->p, 1);
			u->failed |= value == CT_LOWER_NONE;
			ct_lower_emit(u, "IMAD.MOV.U32", at, CT_LOWER_PART(value, 0), 1, &src[n]);
			src[n] = (struct ct_lower_source){.place = CT_LOWER_PART(value, 0)};
		}
		n++;
	}
	struct ct_lower_inst *m = ct_lower_emit(u, access_name(u, i, at), at, dst, n, src);
	if (!m)
		return;
	ct_lower_predicates(i, m);
	m->memory = 1;
	m->pure = 0;
	m->has_imm = imm != 0;
	m->imm = imm;
	u->p->generic[at] = !ct_lower_has(o, "global") && !ct_lower_has(o, "shared") &&
	                    !ct_lower_has(o, "local");
	if (load && vector > 1)
		ct_lower_spread_vector(u, i, 0, vector, at, dst);
}

/* suld and sust: the registers of what is loaded or stored lie side by side; the handle and coordinates come behind
 * those of a store. */
static void select_surface(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	struct ct_lower_source src[CT_LOWER_MAX_SRC];
	const int store = ct_lower_is(i->opcode, "sust"), vector = !store && i->writes > 1;
	uint32_t values = 0;
	unsigned n = 0;
	while (store && values < i->operands && i->operand[i->operands - 1 - values].place == 1)
		values++;
	const uint32_t end = i->operands - values,
		       dst = vector ? ct_lower_write_vector(u, i, 0, i->writes) : result(u, i, 0);
	if (values > 1)
		src[n++] = (struct ct_lower_source){
			.place = ct_lower_read_vector(u, i, end, values, at)};
	else if (values)
		src[n++] = read_at(u, i, end, 0);
	for (uint32_t k = i->writes; k < end && n < CT_LOWER_MAX_SRC; k++)
		src[n++] = read_at(u, i, k, 0);
	struct ct_lower_inst *m = ct_lower_emit(u, store ? "SUST.D.BA" : "SULD.D.BA", at, dst, n, src);
	if (!m)
		return;
	ct_lower_predicates(i, m);
	m->pure = 0;
	if (vector)
		ct_lower_spread_vector(u, i, 0, i->writes, at, dst);
}

/* ---- the rest ---- */

/* A conditional branch over a jump: one branch with the condition turned does both. */
static int jumps_over(const struct ct_lower_unit *u, uint32_t block)
{
	if (block + 2 >= u->blocks)
		return 0;
	const struct ct_lower_block *next = ct_lower_block_of(u, block + 1);
	const struct ct_ptx_control *c = &ct_lower_ptx_at(u, ct_lower_block_of(u, block)->end - 1)
	                                          ->control;
	const struct ct_ptx_control *jump = &ct_lower_ptx_at(u, next->end - 1)->control;
	return c->branches && c->guard != CT_PTX_NO_OPERAND &&
	       ct_lower_home(u, c->target) == block + 2 && next->end == next->first + 1 &&
	       jump->branches && jump->guard == CT_PTX_NO_OPERAND && !u->node[block + 2].returns &&
	       !u->node[ct_lower_home(u, jump->target)].returns;
}

/* Whether an edge leads into a loop from outside: its code then begins with its header. */
static int enters_loop(const struct ct_lower_unit *u, uint32_t from, uint32_t to)
{
	return u->node[to].header && !ct_lower_in_loop(u, from, to);
}

/* A block that falls back into the header of its loop: clang lays such loops out from their end. */
static void close_loop(struct ct_lower_unit *u, uint32_t block)
{
	const struct ct_lower_block *b = ct_lower_block_of(u, block);
	struct ct_lower_source none = {.place = CT_LOWER_RZ};
	if (b->edges != 1 || b->next[0] == CT_LOWER_NONE || u->p->block[b->next[0]].first != b->end)
		return;
	uint32_t to = b->next[0] - (uint32_t)u->first_block;
	if (!u->node[to].header || !ct_lower_in_loop(u, block, to))
		return;
	u->phase = CT_LOWER_END;
	struct ct_lower_inst *m = ct_lower_emit(u, "BRA", b->end - 1, CT_LOWER_RZ, 0, &none);
	u->phase = CT_LOWER_BODY;
	if (m) {
		m->pure = 0;
		m->lanes = CT_LOWER_ACTIVE;
	}
}

/* Branches, calls' returns and exits. A branch to the next block needs no instruction. */
static void select_control(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const struct ct_ptx_control *c = &i->control;
	struct ct_lower_source none = {.place = CT_LOWER_RZ};
	int conditional = c->guard != CT_PTX_NO_OPERAND;
	u->phase = CT_LOWER_END;
	struct ct_lower_inst *m = NULL;
	if (c->ends) {
		m = ct_lower_emit(u, ct_lower_is(i->opcode, "trap") ? "BPT.TRAP" : "EXIT", at,
		                  CT_LOWER_RZ, 0, &none);
		if (m)
			m->lanes = conditional ? CT_LOWER_EXITS : CT_LOWER_RETURNS;
	} else if (c->branches && conditional && u->node[ct_lower_home(u, c->target)].returns) {
		m = ct_lower_emit(u, "EXIT", at, CT_LOWER_RZ, 0, &none);
		if (m)
			m->lanes = CT_LOWER_EXITS;
	} else if (c->table) {
		struct ct_lower_source src = read_at(u, i, 0, 0);
		m = ct_lower_emit(u, "BRX", at, CT_LOWER_RZ, 1, &src);
	} else if (c->branches && ct_lower_is(i->opcode, "ret")) {
		m = ct_lower_emit(u, "RET.REL.NODEC", at, CT_LOWER_RZ, 0, &none);
	} else if (conditional) {
		m = ct_lower_emit(u, "BRA", at, CT_LOWER_RZ, 0, &none);
		if (m && jumps_over(u, u->home))
			m->lanes = CT_LOWER_TURNED;
	} else if (ct_lower_home(u, c->target) != u->home + 1 &&
	           !(u->home && jumps_over(u, u->home - 1)) &&
	           !u->node[ct_lower_home(u, c->target)].returns &&
	           !enters_loop(u, u->home, ct_lower_home(u, c->target))) {
		/* A jump to the next block is none, and one to the end is its EXIT. */
		m = ct_lower_emit(u, "BRA", at, CT_LOWER_RZ, 0, &none);
	}
	ct_lower_predicates(i, m);
	if (m)
		m->pure = 0;
	u->phase = CT_LOWER_BODY;
}

/* Opcodes of what needs no care, by the PTX name. */
static const struct {
	const char *ptx, *machine;
	uint8_t effect;
} names[] = {
	{"bar", "BAR.SYNC", 1},
	{"barrier", "BAR.SYNC", 1},
	{"membar", "MEMBAR.SC.GPU", 1},
	{"fence", "MEMBAR.SC.GPU", 1},
	{"call", "CALL.REL.NOINC", 1},
	{"abs", "IABS", 0},
	{"neg", "IADD3", 0},
	{"popc", "POPC", 0},
	{"clz", "FLO.U32", 0},
	{"bfind", "FLO.U32", 0},
	{"brev", "BREV", 0},
	{"bfe", "SHF.R.U32.HI", 0},
	{"bfi", "LOP3.LUT", 0},
	{"lop3", "LOP3.LUT", 0},
	{"prmt", "PRMT", 0},
	{"shf", "SHF.L.U32", 0},
	{"dp4a", "IDP.4A", 0},
	{"dp2a", "IDP.2A", 0},
	{"sad", "VABSDIFF", 0},
	{"slct", "SEL", 0},
	{"set", "SEL", 0},
	{"shfl", "SHFL", 1},
	{"vote", "VOTE", 1},
	{"match", "MATCH", 1},
	{"redux", "REDUX", 1},
	{"movmatrix", "MOVM.16.MT88", 1},
	{"activemask", "VOTE", 1},
	{"tex", "TEX", 1},
	{"tld4", "TLD4", 1},
	{"nanosleep", "NANOSLEEP", 1},
	{"testp", "FSETP", 0},
	{"copysign", "LOP3.LUT", 0},
	{"cnot", "SEL", 0},
	{"mul24", "IMAD", 0},
	{"mad24", "IMAD", 0},
	{"addc", "IADD3.X", 0},
	{"subc", "IADD3.X", 0},
	{"madc", "IMAD.X", 0},
	{"isspacep", "QSPC", 0},
	{"prefetch", "CCTL.E.PF2", 1},
	{"applypriority", "CCTL", 1},
	{"discard", "CCTL", 1}};

static void select_named(struct ct_lower_unit *u, uint32_t at)
{
	const char *o = ct_lower_ptx_at(u, at)->opcode, *name = "MOV";
	int effect = 0;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (ct_lower_is(o, names[k].ptx)) {
			name = names[k].machine;
			effect = names[k].effect;
		}
	if (ct_lower_has(o, "warp"))
		name = "WARPSYNC";
	else if (ct_lower_has(o, "grad"))
		name = "TXD";
	struct ct_lower_inst *m = simple(u, at, name);
	if (m && effect)
		m->pure = 0;
}

/* cp.async: a copy, the end of a group of copies, or a wait until no more groups than the number are left.
 * wait_all ends a group first, as the copies before it need not belong to one. */
static void select_async(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const int waits = ct_lower_has(i->opcode, "wait_group") || ct_lower_has(i->opcode, "wait_all");
	struct ct_lower_inst *m;
	if (ct_lower_has(i->opcode, "commit_group") || ct_lower_has(i->opcode, "wait_all")) {
		m = simple(u, at, "LDGDEPBAR");
		if (m)
			m->pure = 0;
	}
	if (!i->access && !waits)
		return;
	m = simple(u, at, i->access ? "LDGSTS.E" : "DEPBAR.LE");
	if (!m)
		return;
	m->pure = 0;
	m->memory = i->access != 0;
	m->has_imm |= waits;
	u->p->copies[at] = i->access != 0;
}

/* Whether all that it writes is known without a machine instruction. */
static int is_folded(const struct ct_lower_unit *u, const struct ct_lower_ptx *i)
{
	unsigned w = 0;
	while (w < i->writes && i->operand[w].kind == CT_PTX_OPERAND_REGISTER &&
	       u->reg[i->operand[w].number].fact)
		w++;
	return w > 0 && w == i->writes;
}

/* Chooses the machine instructions of one PTX instruction, unless another one does its work. */
static void select_one(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const char *o = i->opcode;
	if (!i->needed || i->absorbed || is_folded(u, i))
		return;
	if (i->control.branches || i->control.ends || i->control.table)
		select_control(u, at);
	else if (ct_lower_is(o, "cp"))
		select_async(u, at);
	else if (i->access && !ct_lower_is(o, "ldmatrix"))
		select_access(u, at);
	else if (ct_lower_is(o, "ld") || ct_lower_is(o, "st"))
		simple(u, at,
		       ct_lower_has(o, "const") ? "LDC" : "IMAD.MOV.U32"); /* of parameters of calls */
	else if (ct_lower_is(o, "suld") || ct_lower_is(o, "sust"))
		select_surface(u, at);
	else if (ct_lower_matrix(u, at) || ct_lower_halves(u, at) || ct_lower_expand(u, at))
		return;
	else if (ct_lower_is(o, "add") || ct_lower_is(o, "sub"))
		select_add(u, at);
	else if (ct_lower_is(o, "mul") || ct_lower_is(o, "mad") || ct_lower_is(o, "fma"))
		select_mul(u, at);
	else if (ct_lower_is(o, "shl") || ct_lower_is(o, "shr"))
		select_shift(u, at);
	else if (ct_lower_is(o, "setp"))
		select_compare(u, at);
	else if (ct_lower_is(o, "cvt"))
		select_convert(u, at);
	else if (ct_lower_is(o, "mov") || ct_lower_is(o, "cvta"))
		select_move(u, at);
	else if (ct_lower_is(o, "and") || ct_lower_is(o, "or") || ct_lower_is(o, "xor") ||
	         ct_lower_is(o, "not"))
		select_logic(u, at);
	else if (ct_lower_is(o, "min") || ct_lower_is(o, "max"))
		select_minmax(u, at);
	else if (ct_lower_is(o, "selp"))
		ct_lower_bits(o) == 64 && !ct_lower_has(o, "f64") && is_narrow(u, i)
			? (void)simple(u, at, "SEL")
		: ct_lower_bits(o) == 64 ? twice(u, at, "SEL", "SEL")
					 : (void)simple(u, at, ct_lower_has(o, "f32") ? "FSEL" : "SEL");
	else
		select_named(u, at);
}

/* What stands at the start of every kernel: the stack pointer, a shuffle that does nothing in code of sm_70, and
 * where code of sm_80 has it, the descriptor of global memory. */
static void begin_kernel(struct ct_lower_unit *u)
{
	struct ct_lower_source none = {.place = CT_LOWER_RZ};
	uint32_t at = u->body.first_instruction, value = ct_lower_new_value(u->p, 1);
	u->failed |= value == CT_LOWER_NONE;
	if (u->failed)
		return;
	u->p->value[value].fixed = 1;
	ct_lower_emit(u, "IMAD.MOV.U32", at, CT_LOWER_PART(value, 0), 0, &none);
	if (u->p->sm < 75)
		ct_lower_emit(u, "SHFL.IDX", at, CT_LOWER_RZ, 0, &none);
	for (uint32_t k = 0; u->p->sm >= 80 && k < u->body.instructions; k++)
		if (u->ptx[k].access && ct_lower_has(u->ptx[k].opcode, "global")) {
			ct_lower_emit(u, "ULDC.64", at, CT_LOWER_RZ, 0, &none);
			break;
		}
}

static void release(struct ct_lower_unit *u)
{
	free(u->ptx);
	free(u->reg);
	free(u->pred);
	free(u->node);
	free(u->order);
	free(u->group);
	free(u->base);
	free(u->kept);
	free(u->sign);
}

int ct_lower_select(struct ct_lower_program *p, uint32_t function, size_t first_block)
{
	struct ct_lower_unit u = {.p = p,
	                          .body = ct_ptx_body_at(p->m, function),
	                          .first_block = first_block,
	                          .blocks = (uint32_t)(p->blocks - first_block)};
	size_t first_inst = p->insts;
	if (u.body.predicates + 1 > p->predicates)
		p->predicates = u.body.predicates + 1;
	int st = ct_lower_facts(&u);
	if (st == CT_OK)
		st = ct_lower_graph(&u);
	if (st == CT_OK)
		st = ct_lower_groups(&u);
	if (st == CT_OK) {
		ct_lower_fuse(&u);
		ct_lower_group_products(&u);
		if (u.body.kernel)
			begin_kernel(&u);
		for (u.home = 0; u.home < u.blocks && !u.failed; u.home++) {
			for (uint32_t i = ct_lower_block_of(&u, u.home)->first;
			     i < ct_lower_block_of(&u, u.home)->end && !u.failed; i++)
				select_one(&u, i);
			close_loop(&u, u.home);
		}
		st = u.failed ? CT_ERR_NOMEM : ct_lower_regions(&u, first_inst);
	}
	release(&u);
	return st;
}

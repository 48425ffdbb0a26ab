#include "trace/operands.h"

#include <stdlib.h>
#include <string.h>

enum { LAST_REGISTER = 254, MOST_REGISTERS = 128 };

/* 1 if the opcode has the modifier, from one dot to the next. */
static int has_modifier(const char *opcode, const char *mod)
{
	size_t n = strlen(mod);
	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.'))
		if (strncmp(p + 1, mod, n) == 0 && (p[n + 1] == '.' || p[n + 1] == '\0'))
			return 1;
	return 0;
}

static int is_base(const char *opcode, const char *base)
{
	size_t n = strlen(base);
	return strncmp(opcode, base, n) == 0 && (opcode[n] == '.' || opcode[n] == '\0');
}

/* Registers of the data that a memory opcode moves for each lane. */
static unsigned data_registers(const struct ct_sinst *s)
{
	if (is_base(s->opcode, "LDSM") || is_base(s->opcode, "STSM")) /* 8x8 matrices, one each */
		return has_modifier(s->opcode, "4") ? 4 : has_modifier(s->opcode, "2") ? 2 : 1;
	if (has_modifier(s->opcode, "256"))
		return 8;
	if (has_modifier(s->opcode, "128"))
		return 4;
	return has_modifier(s->opcode, "64") || has_modifier(s->opcode, "F64") ||
	                       has_modifier(s->opcode, "U64") || has_modifier(s->opcode, "S64") ||
	                       has_modifier(s->opcode, "F32x2")
	               ? 2
	               : 1;
}

/* A fragment's registers for each thread of the warp. */
struct fragments {
	const char *shape;
	unsigned a, b, c;
};

static const struct fragments hmma[] = {/* c with F32 accumulators, half of it with F16 */
                                        {"884", 2, 2, 4},   {"1684", 2, 1, 4},  {"1688", 2, 1, 4},
                                        {"16816", 4, 2, 4}, {"16832", 4, 4, 4}, {NULL, 1, 1, 1}};
static const struct fragments imma[] = {{"8816", 1, 1, 2},  {"8832", 1, 1, 2},  {"16816", 2, 1, 4},
                                        {"16832", 4, 2, 4}, {"16864", 4, 2, 4}, {NULL, 1, 1, 1}};
static const struct fragments bmma[] = {
	{"88128", 1, 1, 2}, {"168128", 2, 1, 4}, {"168256", 4, 2, 4}, {NULL, 1, 1, 1}};
static const struct fragments dmma[] = {
	{"884", 2, 2, 4}, {"1684", 4, 2, 8}, {"1688", 8, 4, 8}, {"16816", 16, 8, 8}, {NULL, 1, 1, 1}};

static struct fragments find_fragments(const struct fragments *table, const char *opcode)
{
	while (table->shape && !has_modifier(opcode, table->shape))
		table++;
	return *table;
}

/* How many registers a tensor-core instruction reads as A, B and C, by its shape and types. */
static struct fragments fragments_of(const char *opcode)
{
	struct fragments f;
	if (is_base(opcode, "IMMA")) {
		f = find_fragments(imma, opcode);
		if (has_modifier(opcode, "16832") &&
		    (has_modifier(opcode, "S4") || has_modifier(opcode, "U4")))
			f.a = 2, f.b = 1;
		return f;
	}
	if (is_base(opcode, "BMMA"))
		return find_fragments(bmma, opcode);
	if (is_base(opcode, "DMMA"))
		return find_fragments(dmma, opcode);
	f = find_fragments(hmma, opcode);
	if (has_modifier(opcode, "884")) /* a step of Volta's writes a pair of either type */
		f.c = 2;
	else if (f.shape && !has_modifier(opcode, "F32"))
		f.c = 2;
	if (has_modifier(opcode, "1688") && has_modifier(opcode, "TF32"))
		f.a = 4, f.b = 2;
	return f;
}

/* A warpgroup's MxNxK: each of 128 threads holds 64 N / 128 sums; A may come from
 * registers. The accumulator is named as destination and, unless it is new, as source. */
static void widen_warpgroup(struct ct_sinst *s)
{
	const char *x = strstr(s->opcode, ".64x");
	unsigned n = x ? (unsigned)strtoul(x + 4, NULL, 10) / 2 : 1;
	if (!has_modifier(s->opcode, "F32") && s->opcode[0] == 'H')
		n = (n + 1) / 2;
	n = n < 1 ? 1 : n > MOST_REGISTERS ? MOST_REGISTERS : n;
	for (unsigned i = 0; i < s->ndst; i++)
		s->dst_regs[i] = (uint8_t)n;
	for (unsigned i = 0; i < s->nsrc; i++)
		s->src_regs[i] = (uint8_t)(s->ndst && s->src[i] == s->dst[0] ? n : 4);
}

static void widen_tensor(struct ct_sinst *s)
{
	if (strstr(s->opcode, "GMMA")) {
		widen_warpgroup(s);
		return;
	}
	struct fragments f = fragments_of(s->opcode);
	for (unsigned i = 0; i < s->ndst; i++)
		s->dst_regs[i] = (uint8_t)f.c;
	for (unsigned i = 0; i < s->nsrc && i < 3; i++)
		s->src_regs[i] = (uint8_t)(i == 0 ? f.a : i == 1 ? f.b : f.c);
}

/* Address first, 64 bits of it with .E; then data. LDGSTS names the shared address before
 * the global one; atomics name compare and swap values one after the other. */
static void widen_memory(struct ct_sinst *s)
{
	unsigned data = data_registers(s), wide = s->mods & CT_MOD_EXTENDED ? 2 : 1;
	unsigned address = s->access == CT_ACCESS_ASYNC;
	for (unsigned i = 0; i < s->ndst; i++)
		s->dst_regs[i] = (uint8_t)data;
	if (s->space == CT_SPACE_SHARED || s->space == CT_SPACE_LOCAL || s->space == CT_SPACE_CONST)
		wide = 1;
	if (s->nsrc > address)
		s->src_regs[address] = (uint8_t)wide;
	for (unsigned i = address + 1; i < s->nsrc; i++)
		s->src_regs[i] = (uint8_t)data;
}

static void set_widths(uint8_t *regs, unsigned n, unsigned width)
{
	for (unsigned i = 0; i < n; i++)
		regs[i] = (uint8_t)width;
}

/* Conversions name the type of the result before that of the source. */
static void widen_conversion(struct ct_sinst *s)
{
	const char *f64 = strstr(s->opcode, ".F64"), *other = strstr(s->opcode, ".F32");
	int whole = has_modifier(s->opcode, "S64") || has_modifier(s->opcode, "U64");
	if (is_base(s->opcode, "FRND")) {
		set_widths(s->dst_regs, s->ndst, f64 ? 2 : 1);
		set_widths(s->src_regs, s->nsrc, f64 ? 2 : 1);
	} else if (is_base(s->opcode, "F2I")) {
		set_widths(s->dst_regs, s->ndst, whole ? 2 : 1);
		set_widths(s->src_regs, s->nsrc, f64 ? 2 : 1);
	} else if (is_base(s->opcode, "I2F")) {
		set_widths(s->dst_regs, s->ndst, f64 ? 2 : 1);
		set_widths(s->src_regs, s->nsrc, whole ? 2 : 1);
	} else if (f64) { /* F2F */
		if (!other)
			other = strstr(s->opcode, ".F16");
		int first = !other || f64 < other;
		set_widths(s->dst_regs, s->ndst, first ? 2 : 1);
		set_widths(s->src_regs, s->nsrc, first && other ? 1 : 2);
	}
}

/* Widens the operands of arithmetic that works on pairs of registers; lists name the first one only. */
static void widen_arithmetic(struct ct_sinst *s)
{
	const char *op = s->opcode;
	if (is_base(op, "F2F") || is_base(op, "F2I") || is_base(op, "I2F") || is_base(op, "FRND")) {
		widen_conversion(s);
	} else if (has_modifier(op, "WIDE")) {
		/* a 64-bit sum: of two registers and one more; with two sources the addend is the
		 * second one after an immediate, else a constant */
		set_widths(s->dst_regs, s->ndst, 2);
		if (s->nsrc == 3)
			s->src_regs[2] = 2;
		else if (s->nsrc == 2 && s->has_imm)
			s->src_regs[1] = 2;
	} else if (is_base(op, "CS2R")) {
		set_widths(s->dst_regs, s->ndst, has_modifier(op, "32") ? 1 : 2);
	} else if (is_base(op, "RET") || is_base(op, "BRX") || is_base(op, "JMX")) {
		set_widths(s->src_regs, s->nsrc, 2); /* code addresses */
	} else if (s->unit == CT_CLASS_DP || has_modifier(op, "64")) {
		set_widths(s->dst_regs, s->ndst, 2);
		set_widths(s->src_regs, s->nsrc, 2);
	}
}

/* What hardware could have meant. */
static unsigned allowed_width(ct_reg reg, unsigned n)
{
	unsigned index = CT_REG_INDEX(reg), align = n >= 4 ? 4 : n;
	if (reg == CT_REG_RZ || reg == CT_REG_URZ)
		return 0;
	if (CT_REG_KIND(reg) != CT_REG_R || n < 2 || index % align != 0)
		return 1;
	return index + n > LAST_REGISTER + 1 ? LAST_REGISTER + 1 - index : n;
}

void ct_operands_classify(struct ct_sinst *s)
{
	set_widths(s->dst_regs, s->ndst, 1);
	set_widths(s->src_regs, s->nsrc, 1);
	if (s->unit == CT_CLASS_TENSOR)
		widen_tensor(s);
	else if (s->unit == CT_CLASS_MEM || s->space == CT_SPACE_CONST)
		widen_memory(s);
	else
		widen_arithmetic(s);
	for (unsigned i = 0; i < s->ndst; i++)
		s->dst_regs[i] = (uint8_t)allowed_width(s->dst[i], s->dst_regs[i]);
	for (unsigned i = 0; i < s->nsrc; i++)
		s->src_regs[i] = (uint8_t)allowed_width(s->src[i], s->src_regs[i]);
}

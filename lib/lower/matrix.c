/* What moves and multiplies matrices: its name tells how many registers a lane holds of each, which lie side by side. */
#include <string.h>

#include "lower/unit.h"

/* Products by shape and types, with the machine's name (lib/ptx/decode_matrix.c has the same shapes). */
static const struct {
	const char *shape, *types, *machine;
} products[] = {
	{"m16n8k8", "f32.f16.f16.f32", "HMMA.1688.F32"},
	{"m16n8k8", "f16.f16.f16.f16", "HMMA.1688.F16"},
	{"m16n8k16", "f32.f16.f16.f32", "HMMA.16816.F32"},
	{"m16n8k16", "f16.f16.f16.f16", "HMMA.16816.F16"},
	{"m16n8k8", "f32.bf16.bf16.f32", "HMMA.1688.F32.BF16"},
	{"m16n8k16", "f32.bf16.bf16.f32", "HMMA.16816.F32.BF16"},
	{"m16n8k4", "f32.tf32.tf32.f32", "HMMA.1684.F32.TF32"},
	{"m16n8k8", "f32.tf32.tf32.f32", "HMMA.1688.F32.TF32"},
	{"m8n8k4", "f64.f64.f64.f64", "DMMA.884"},
	{"m8n8k16", "s32.s8.s8.s32", "IMMA.8816.S8.S8"},
	{"m8n8k16", "s32.s8.u8.s32", "IMMA.8816.S8.U8"},
	{"m8n8k16", "s32.u8.s8.s32", "IMMA.8816.U8.S8"},
	{"m8n8k16", "s32.u8.u8.s32", "IMMA.8816.U8.U8"},
	{"m16n8k16", "s32.s8.s8.s32", "IMMA.16816.S8.S8"},
	{"m16n8k16", "s32.s8.u8.s32", "IMMA.16816.S8.U8"},
	{"m16n8k16", "s32.u8.s8.s32", "IMMA.16816.U8.S8"},
	{"m16n8k16", "s32.u8.u8.s32", "IMMA.16816.U8.U8"},
	{"m16n8k32", "s32.s8.s8.s32", "IMMA.16832.S8.S8"},
	{"m16n8k32", "s32.s8.u8.s32", "IMMA.16832.S8.U8"},
	{"m16n8k32", "s32.u8.s8.s32", "IMMA.16832.U8.S8"},
	{"m16n8k32", "s32.u8.u8.s32", "IMMA.16832.U8.U8"},
	{"m8n8k32", "s32.s4.s4.s32", "IMMA.8832.S4.S4"},
	{"m8n8k32", "s32.s4.u4.s32", "IMMA.8832.S4.U4"},
	{"m8n8k32", "s32.u4.s4.s32", "IMMA.8832.U4.S4"},
	{"m8n8k32", "s32.u4.u4.s32", "IMMA.8832.U4.U4"},
	{"m16n8k32", "s32.s4.s4.s32", "IMMA.16832.S4.S4"},
	{"m16n8k32", "s32.s4.u4.s32", "IMMA.16832.S4.U4"},
	{"m16n8k32", "s32.u4.s4.s32", "IMMA.16832.U4.S4"},
	{"m16n8k32", "s32.u4.u4.s32", "IMMA.16832.U4.U4"},
	{"m16n8k64", "s32.s4.s4.s32", "IMMA.16864.S4.S4"},
	{"m16n8k64", "s32.s4.u4.s32", "IMMA.16864.S4.U4"},
	{"m16n8k64", "s32.u4.s4.s32", "IMMA.16864.U4.S4"},
	{"m16n8k64", "s32.u4.u4.s32", "IMMA.16864.U4.U4"},
	{"m8n8k128", "s32.b1.b1.s32.xor", "BMMA.88128.XOR.POPC"},
	{"m8n8k128", "s32.b1.b1.s32.and", "BMMA.88128.AND.POPC"},
	{"m16n8k128", "s32.b1.b1.s32.xor", "BMMA.168128.XOR.POPC"},
	{"m16n8k128", "s32.b1.b1.s32.and", "BMMA.168128.AND.POPC"},
	{"m16n8k256", "s32.b1.b1.s32.xor", "BMMA.168256.XOR.POPC"},
	{"m16n8k256", "s32.b1.b1.s32.and", "BMMA.168256.AND.POPC"}};

static const char *product(const char *ptx)
{
	for (size_t i = 0; i < sizeof products / sizeof *products; i++)
		if (ct_lower_has(ptx, products[i].shape) && strstr(ptx, products[i].types))
			return products[i].machine;
	return "HMMA"; /* of a shape that is not emulated, and so never runs */
}

/* One, two or four matrices, as they lie or transposed. */
static const char *move(const char *ptx)
{
	const int two = ct_lower_has(ptx, "x2"), four = ct_lower_has(ptx, "x4");
	if (ct_lower_has(ptx, "trans"))
		return four ? "LDSM.16.MT88.4" : two ? "LDSM.16.MT88.2" : "LDSM.16.MT88";
	return four ? "LDSM.16.M88.4" : two ? "LDSM.16.M88.2" : "LDSM.16.M88";
}

/* Emits an instruction that writes to that place of a vector. */
static void emit_at(struct ct_lower_unit *u, const char *name, uint32_t at, uint32_t dst, unsigned n,
                    const struct ct_lower_source *src, int64_t imm, int memory)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	struct ct_lower_inst *m = ct_lower_emit(u, name, at, dst, n, src);
	if (!m)
		return;
	ct_lower_predicates(i, m);
	m->pure = 0;
	m->memory = (uint8_t)memory;
	m->has_imm = imm != 0;
	m->imm = imm;
}

/* The only instruction, which writes the vector of its first operands. */
static void emit(struct ct_lower_unit *u, const char *name, uint32_t at, unsigned n,
                 const struct ct_lower_source *src, int64_t imm, int memory)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const uint32_t dst = ct_lower_write_vector(u, i, 0, i->writes);
	emit_at(u, name, at, dst, n, src, imm, memory);
	ct_lower_spread_vector(u, i, 0, i->writes, at, dst);
}

/* Whether n operands from `first` on are zero. */
static int are_zero(const struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                    uint32_t n)
{
	uint32_t k = 0;
	while (k < n && ct_lower_is_zero(u, &i->operand[first + k]))
		k++;
	return k == n;
}

/* Operands of a product are the registers of D, A, B and C. A has as many as B where both have one, else twice as many. */
uint32_t ct_lower_second_factor(const struct ct_lower_ptx *i)
{
	const uint32_t factors = i->operands - 2u * i->writes;
	return factors == 2 || factors == 4 ? factors / 2 : factors / 3;
}

/* A product of Volta's by quads takes steps, each of two registers of sums. */
static void select_steps(struct ct_lower_unit *u, uint32_t at)
{
	static const char *const names[2][4] = {{"HMMA.884.F16.F16.STEP0", "HMMA.884.F16.F16.STEP1"},
	                                        {"HMMA.884.F32.F32.STEP0", "HMMA.884.F32.F32.STEP1",
	                                         "HMMA.884.F32.F32.STEP2", "HMMA.884.F32.F32.STEP3"}};
	enum { SUMS = 4, EACH = 2 };
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const uint32_t sums = i->writes, c = i->operands - sums;
	struct ct_lower_source src[3] = {{.place = ct_lower_read_vector(u, i, sums, EACH, at)},
	                                 {.place = ct_lower_read_vector(u, i, sums + EACH, EACH, at)}};
	for (uint32_t k = 0; k < sums; k += SUMS) {
		const uint32_t from = i->fused != CT_LOWER_NONE || are_zero(u, i, c + k, SUMS)
		                              ? CT_LOWER_RZ
		                              : ct_lower_read_vector(u, i, c + k, SUMS, at);
		const uint32_t dst = ct_lower_write_vector(u, i, k, SUMS);
		for (uint32_t s = 0; s < SUMS; s += EACH) {
			src[2].place = from == CT_LOWER_RZ ? from : from + s;
			emit_at(u, names[sums > SUMS][(k + s) / EACH], at, dst + s, 3, src, 0, 0);
		}
		ct_lower_spread_vector(u, i, k, SUMS, at, dst);
	}
}

static void select_product(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	const uint32_t sums = i->writes, factors = i->operands - 2 * sums;
	const uint32_t b = ct_lower_second_factor(i), a = factors - b;
	const uint32_t c = sums + factors;
	const struct ct_lower_source src[3] = {
		{.place = ct_lower_read_vector(u, i, sums, a, at)},
		{.place = ct_lower_read_vector(u, i, sums + a, b, at)},
		{.place = i->fused != CT_LOWER_NONE || are_zero(u, i, c, sums)
	                          ? CT_LOWER_RZ
	                          : ct_lower_read_vector(u, i, c, sums, at)}};
	emit(u, product(i->opcode), at, 3, src, 0, 0);
}

int ct_lower_matrix(struct ct_lower_unit *u, uint32_t at)
{
	const struct ct_lower_ptx *i = ct_lower_ptx_at(u, at);
	if (ct_lower_is(i->opcode, "mma")) {
		if (ct_lower_has(i->opcode, "m8n8k4") && ct_lower_has(i->opcode, "f16"))
			select_steps(u, at);
		else
			select_product(u, at);
		return 1;
	}
	if (!ct_lower_is(i->opcode, "ldmatrix"))
		return 0;
	const struct ct_ptx_operand *address = &i->operand[i->writes];
	const struct ct_lower_source src = {.place = ct_lower_read(u, address, 0).place};
	emit(u, move(i->opcode), at, 1, &src, (int32_t)address->value, 1);
	return 1;
}

/* Names of what moves and multiplies matrices: they tell how many registers a lane holds of each. */
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
	{"m16n8k32", "s32.u8.u8.s32", "IMMA.16832.U8.U8"}};

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

const char *ct_lower_matrix(const char *ptx)
{
	return ct_lower_is(ptx, "mma") ? product(ptx) : ct_lower_is(ptx, "ldmatrix") ? move(ptx) : NULL;
}

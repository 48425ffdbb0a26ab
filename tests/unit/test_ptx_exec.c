/* The emulator of PTX, instruction by instruction against C. CT_PTX_OPERANDS raises the number of
 * random operands a form. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "tests/support/ptx_run.h"

typedef uint64_t twin(uint64_t a, uint64_t b, uint64_t c);

struct form {
	const char *text, *kinds;
	twin *expect;
	char real; /* 's', 'd', 'h', 'b': any NaN equals any other of single, double, half, bfloat16 */
};

static size_t operand_count(void)
{
	const char *s = getenv("CT_PTX_OPERANDS");
	return s ? (size_t)strtoull(s, NULL, 10) : 512;
}

static float f32(uint64_t v)
{
	uint32_t u = (uint32_t)v;
	float f;
	memcpy(&f, &u, sizeof f);
	return f;
}

static uint64_t b32(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return u;
}

static double f64(uint64_t v)
{
	double d;
	memcpy(&d, &v, sizeof d);
	return d;
}

static uint64_t b64(double d)
{
	uint64_t u;
	memcpy(&u, &d, sizeof u);
	return u;
}

/* Operands that matter: extremes of integers and of floating point, in all widths. */
/* clang-format off */
static const uint64_t special[] = {
	0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001,
	0xffffffff, 0xfffffffe, UINT64_C(0x7fffffffffffffff), UINT64_C(0x8000000000000000), UINT64_MAX, UINT64_MAX - 1,
	0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x007fffff, 0x80000001, 0x7f7fffff,
	0x4f000000, 0xcf000000, 0x4effffff, 0x3f000000, 0x40200000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x03ff, 0x7bff,
	UINT64_C(0x3ff0000000000000), UINT64_C(0xbff8000000000000), UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
	UINT64_C(0x7ff8000000000000), UINT64_C(0x0010000000000000), UINT64_C(0x000fffffffffffff), UINT64_C(0x7fefffffffffffff),
	UINT64_C(0x41dfffffffc00000), UINT64_C(0x41e0000000000000), UINT64_C(0x43e0000000000000), UINT64_C(0xc1e0000000000000)};
/* clang-format on */

static uint64_t operand(uint64_t *seed)
{
	uint64_t r = ct_rand64(seed), v = ct_rand64(seed);
	switch (r & 7) {
	case 0:
	case 1: return special[(r >> 8) % (sizeof special / sizeof *special)];
	case 2: /* small */ return v % 100;
	case 3: /* singles near 1, in both halves */
		return (0x3f000000 + (v & 0x1ffffff)) * UINT64_C(0x100000001) ^
		       (v & UINT64_C(0x8000000080000000));
	case 4: /* doubles near 1 */
		return UINT64_C(0x3fe0000000000000) + (v >> 9) % UINT64_C(0x40000000000000);
	default: return v;
	}
}

static int is_nan(char real, uint64_t v)
{
	switch (real) {
	case 's': return (v & 0x7fffffff) > 0x7f800000;
	case 'd': return (v & INT64_MAX) > UINT64_C(0x7ff0000000000000);
	case 'h': return (v & 0x7fff) > 0x7c00;
	case 'b': return (v & 0x7fff) > 0x7f80;
	default: return 0;
	}
}

static uint64_t narrow(char kind, uint64_t v)
{
	return kind == 'h' ? v & 0xffff : kind == 'w' ? v & UINT32_MAX : v;
}

/* Runs every form on random operands and compares with its twin. */
static void check_forms(const struct form *f, size_t forms)
{
	size_t n = operand_count(), chunk = n < 65536 ? n : 65536;
	uint64_t(*x)[3] = calloc(chunk, sizeof *x), *got = calloc(chunk, sizeof *got), seed = 7;
	assert_true(x && got);
	for (size_t k = 0; k < forms; k++)
		for (size_t done = 0; done < n; done += chunk) {
			for (size_t i = 0; i < chunk; i++)
				for (unsigned j = 0; j < 3; j++)
					x[i][j] = f[k].kinds[0] && j + 1 < strlen(f[k].kinds)
					                  ? narrow(f[k].kinds[j + 1], operand(&seed))
					                  : 0;
			ptx_apply(f[k].text, f[k].kinds, chunk, (const uint64_t(*)[3])x, got);
			for (size_t i = 0; i < chunk; i++) {
				uint64_t want = narrow(f[k].kinds[0],
				                       f[k].expect(x[i][0], x[i][1], x[i][2]));
				if (got[i] != want &&
				    !(is_nan(f[k].real, got[i]) && is_nan(f[k].real, want)))
					fail_msg("%s of %#llx %#llx %#llx is %#llx, not %#llx",
					         f[k].text, (unsigned long long)x[i][0],
					         (unsigned long long)x[i][1],
					         (unsigned long long)x[i][2], (unsigned long long)got[i],
					         (unsigned long long)want);
			}
		}
	free(x);
	free(got);
}

#define TWIN(n, expr) \
	static uint64_t n(uint64_t a, uint64_t b, uint64_t c) \
	{ \
		(void)a; \
		(void)b; \
		(void)c; \
		return (uint64_t)(expr); \
	}
#define S32(v) ((int32_t)(uint32_t)(v))
#define S64(v) ((int64_t)(v))
#define S16(v) ((int16_t)(uint16_t)(v))
#define U32(v) ((uint32_t)(v))

TWIN(t_add, a + b)
TWIN(t_sub, a - b)
TWIN(t_mul, a *b)
TWIN(t_mad, a *b + c)
TWIN(t_hi_s32, (uint64_t)(S64(S32(a)) * S32(b)) >> 32)
TWIN(t_hi_u32, a *b >> 32)
TWIN(t_hi_u16, a *b >> 16)
TWIN(t_wide_s32, S64(S32(a)) * S32(b))
TWIN(t_madwide_s32, (uint64_t)(S64(S32(a)) * S32(b)) + c)
TWIN(t_wide_u16, a *b)
TWIN(t_and, a &b)
TWIN(t_or, a | b)
TWIN(t_xor, a ^ b)
TWIN(t_not, ~a)
TWIN(t_cnot, a == 0)
TWIN(t_neg, 0 - a)
TWIN(t_abs32, S32(a) < 0 ? 0 - a : a)
TWIN(t_min_s32, S32(a) < S32(b) ? a : b)
TWIN(t_max_u64, a > b ? a : b)
TWIN(t_min_s16, S16(a) < S16(b) ? a : b)
TWIN(t_max_s64, S64(a) > S64(b) ? a : b)
TWIN(t_div_u32, b ? a / b : UINT32_MAX)
TWIN(t_rem_u64, b ? a % b : a)
static uint64_t t_div_s32(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	return !b ? UINT64_MAX : S32(b) == -1 ? 0 - a : (uint64_t)(S32(a) / S32(b));
}
static uint64_t t_rem_s64(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	return !b ? a : S64(b) == -1 ? 0 : (uint64_t)(S64(a) % S64(b));
}
TWIN(t_shl32, U32(b) > 31 ? 0 : a << b)
TWIN(t_shr_u64, U32(b) > 63 ? 0 : a >> b)
static uint64_t t_shr_s32(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	for (uint64_t i = 0; i < (b > 32 ? 32 : b); i++)
		a = (a >> 1 & 0x7fffffff) | (a & 0x80000000);
	return a;
}
static uint64_t t_shr_s16(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	for (uint64_t i = 0; i < (b > 16 ? 16 : b); i++)
		a = a >> 1 | (a & 0x8000);
	return a;
}
static uint64_t t_popc(uint64_t a, uint64_t b, uint64_t c)
{
	unsigned n = 0;
	(void)b;
	(void)c;
	for (; a; a >>= 1)
		n += a & 1;
	return n;
}
static uint64_t t_clz64(uint64_t a, uint64_t b, uint64_t c)
{
	unsigned n = 0;
	(void)b;
	(void)c;
	while (n < 64 && !(a >> (63 - n)))
		n++;
	return n;
}
static uint64_t t_bfind_s32(uint64_t a, uint64_t b, uint64_t c)
{
	uint32_t v = S32(a) < 0 ? ~U32(a) : U32(a), n = UINT32_MAX;
	(void)b;
	(void)c;
	for (uint32_t i = 0; i < 32; i++)
		if (v >> i & 1)
			n = i;
	return n;
}
static uint64_t t_brev(uint64_t a, uint64_t b, uint64_t c)
{
	uint32_t r = 0;
	(void)b;
	(void)c;
	for (int i = 0; i < 32; i++)
		r = r << 1 | (a >> i & 1);
	return r;
}
static uint64_t t_bfe_u32(uint64_t a, uint64_t b, uint64_t c)
{
	b &= 255;
	c &= 255;
	return b > 31 ? 0 : c > 31 ? a >> b : a >> b & ((UINT64_C(1) << c) - 1);
}
/* Numbers of few bits side by side, each the nearest to its word. */
static uint64_t t_near(int64_t v, int64_t least, int64_t most)
{
	return (uint64_t)(v < least ? least : v > most ? most : v);
}
static uint64_t t_pack_s4(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint32_t)(c << 8 | (t_near((int32_t)a, -8, 7) & 15) << 4 |
	                  (t_near((int32_t)b, -8, 7) & 15));
}
static uint64_t t_pack_u8(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint32_t)(c << 16 | t_near((int32_t)a, 0, 255) << 8 | t_near((int32_t)b, 0, 255));
}
static uint64_t t_pack_s16(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	return (uint32_t)((t_near((uint32_t)a, 0, 32767) << 16) | t_near((uint32_t)b, 0, 32767));
}
static uint64_t t_prmt(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t all = b << 32 | a, r = 0;
	for (int i = 0; i < 4; i++) {
		uint64_t byte = all >> 8 * (c >> 4 * i & 7) & 255;
		if (c >> 4 * i & 8)
			byte = byte & 128 ? 255 : 0;
		r |= byte << 8 * i;
	}
	return r;
}
TWIN(t_lop3, (a & b) ^ ~c)
static uint64_t t_shf_l(uint64_t a, uint64_t b, uint64_t c)
{
	c &= 31;
	return c ? b << c | a >> (32 - c) : b;
}
static uint64_t t_dp4a(uint64_t a, uint64_t b, uint64_t c)
{
	for (int i = 0; i < 4; i++)
		c += (uint64_t)((int64_t)(int8_t)(a >> 8 * i) * (int64_t)(uint8_t)(b >> 8 * i));
	return c;
}
/* Bits 16 to 47 of the product of the low 24 bits: of both times 256, bits 32 to 63. */
TWIN(t_mul24, (uint64_t)(S64(S32(U32(a) << 8)) * S32(U32(b) << 8)) >> 32)
TWIN(t_sad, c + (S32(a) < S32(b) ? b - a : a - b))
TWIN(t_add128, a + b < a)
TWIN(t_sub128, a < b)
TWIN(t_sat, S64(S32(a)) + S32(b) > INT32_MAX   ? INT32_MAX
            : S64(S32(a)) + S32(b) < INT32_MIN ? INT32_MIN
                                               : S64(S32(a)) + S32(b))

/* Video instructions: part i of some bits, with or without its sign. */
static int64_t part_of(uint64_t v, int i, int bits, int sign)
{
	int64_t p = (int64_t)(v >> bits * i & ((UINT64_C(1) << bits) - 1));
	return sign && p >> (bits - 1) ? p - (INT64_C(1) << bits) : p;
}
static int64_t clamp(int64_t v, int64_t least, int64_t most)
{
	return v < least ? least : v > most ? most : v;
}
#define PARTS(n, bits, sign, expr) \
	static uint64_t n(uint64_t a, uint64_t b, uint64_t c) \
	{ \
		uint64_t r = 0; \
		(void)c; \
		for (int i = 0; i < 32 / bits; i++) { \
			int64_t x = part_of(a, i, bits, sign), y = part_of(b, i, bits, sign); \
			r |= ((uint64_t)(expr) & ((UINT64_C(1) << bits) - 1)) << bits * i; \
		} \
		return r; \
	}
PARTS(t_vadd4, 8, 0, x + y)
PARTS(t_vadd2_sat, 16, 1, clamp(x + y, INT16_MIN, INT16_MAX))
PARTS(t_vsub4_sat, 8, 0, clamp(x - y, 0, 255))
PARTS(t_vavrg4, 8, 0, (x + y + 1) / 2)
PARTS(t_vavrg2_s, 16, 1, x + y >= 0 ? (x + y + 1) / 2 : -((1 - (x + y)) / 2))
PARTS(t_vmin2_s, 16, 1, x < y ? x : y)
PARTS(t_vmax4, 8, 0, x > y ? x : y)
PARTS(t_vset4_lt, 8, 1, x < y)
static uint64_t t_sad4(uint64_t a, uint64_t b, uint64_t c)
{
	for (int i = 0; i < 4; i++) {
		int64_t d = part_of(a, i, 8, 0) - part_of(b, i, 8, 0);
		c += (uint64_t)(d < 0 ? -d : d);
	}
	return c;
}
/* Bytes 0 and 2 of the result: of a bytes 3 and 0, and of b bytes 0 and 3. */
static uint64_t t_vadd4_some(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t low = ((a >> 24) + b) & 255, high = (a + (b >> 24)) & 255;
	return (c & 0xff00ff00) | low | high << 16;
}
TWIN(t_vadd_b3_h1, (uint64_t)(part_of(a, 3, 8, 1) + part_of(b, 1, 16, 1)))
TWIN(t_vsub_sat, (uint64_t)clamp(S64(U32(a)) - S64(U32(b)), 0, UINT32_MAX))
TWIN(t_vabsdiff_add, c + (uint64_t)(S32(a) < S32(b) ? S64(S32(b)) - S32(a) : S64(S32(a)) - S32(b)))
TWIN(t_vmax_min, U32(c) < (U32(a) > U32(b) ? U32(a) : U32(b)) ? c : U32(a) > U32(b) ? a : b)
TWIN(t_vsub_h1, (c & 0xffff) | ((a - b) & 0xffff) << 16)
TWIN(t_vshl, a << (b & 31))
TWIN(t_vshl_sat, U32(b) > 31 ? (U32(a) ? UINT32_MAX : 0) : a << b > UINT32_MAX ? UINT32_MAX : a << b)
TWIN(t_vshr, (uint64_t)(S64(S32(a)) >> (U32(b) > 32 ? 32 : U32(b))))
TWIN(t_vmad, (uint64_t)((S64(S32(a)) * S32(b) + S32(c)) >> 7))
TWIN(t_vmad_sat, (uint64_t)clamp(S64(S32(a)) * S32(b) + S32(c), INT32_MIN, INT32_MAX))
TWIN(t_vmad_po, (uint64_t)(part_of(a, 0, 16, 0) * part_of(b, 1, 16, 0)) + c + 1)
TWIN(t_vset_ge, c + (U32(a) >= U32(b)))

static void video(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct form forms[] = {
		{"vadd4.u32.u32.u32 %w0, %w1, %w2, %w3;", "wwww", t_vadd4, 0},
		{"vadd2.s32.s32.s32.sat %w0, %w1, %w2, %w3;", "wwww", t_vadd2_sat, 0},
		{"vsub4.u32.u32.u32.sat %w0, %w1, %w2, %w3;", "wwww", t_vsub4_sat, 0},
		{"vavrg4.u32.u32.u32 %w0, %w1, %w2, %w3;", "wwww", t_vavrg4, 0},
		{"vavrg2.s32.s32.s32 %w0, %w1, %w2, %w3;", "wwww", t_vavrg2_s, 0},
		{"vmin2.s32.s32.s32 %w0, %w1, %w2, %w3;", "wwww", t_vmin2_s, 0},
		{"vmax4.u32.u32.u32 %w0, %w1, %w2, %w3;", "wwww", t_vmax4, 0},
		{"vset4.s32.s32.lt %w0, %w1, %w2, %w3;", "wwww", t_vset4_lt, 0},
		{"vabsdiff4.u32.u32.u32.add %w0, %w1, %w2, %w3;", "wwww", t_sad4, 0},
		{"vadd4.u32.u32.u32 %w0.b20, %w1.b0003, %w2.b4744, %w3;", "wwww", t_vadd4_some, 0},
		{"vadd.s32.s32.s32 %w0, %w1.b3, %w2.h1;", "www", t_vadd_b3_h1, 0},
		{"vsub.u32.u32.u32.sat %w0, %w1, %w2;", "www", t_vsub_sat, 0},
		{"vabsdiff.u32.s32.s32.add %w0, %w1, %w2, %w3;", "wwww", t_vabsdiff_add, 0},
		{"vmax.u32.u32.u32.min %w0, %w1, %w2, %w3;", "wwww", t_vmax_min, 0},
		{"vsub.u32.u32.u32 %w0.h1, %w1, %w2, %w3;", "wwww", t_vsub_h1, 0},
		{"vshl.u32.u32.u32.wrap %w0, %w1, %w2;", "www", t_vshl, 0},
		{"vshl.u32.u32.u32.sat.clamp %w0, %w1, %w2;", "www", t_vshl_sat, 0},
		{"vshr.s32.s32.u32.clamp %w0, %w1, %w2;", "www", t_vshr, 0},
		{"vmad.s32.s32.s32.shr7 %w0, %w1, %w2, %w3;", "wwww", t_vmad, 0},
		{"vmad.s32.s32.s32.sat %w0, %w1, %w2, %w3;", "wwww", t_vmad_sat, 0},
		{"vmad.u32.u32.u32.po %w0, %w1.h0, %w2.h1, %w3;", "wwww", t_vmad_po, 0},
		{"vset.u32.u32.ge.add %w0, %w1, %w2, %w3;", "wwww", t_vset_ge, 0}};
	/* clang-format on */
	check_forms(forms, sizeof forms / sizeof *forms);
}

static void integers(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct form forms[] = {
		{"add.s32 %w0, %w1, %w2;", "www", t_add, 0}, {"add.u64 %l0, %l1, %l2;", "lll", t_add, 0},
		{"add.s16 %h0, %h1, %h2;", "hhh", t_add, 0}, {"sub.s32 %w0, %w1, %w2;", "www", t_sub, 0},
		{"sub.s64 %l0, %l1, %l2;", "lll", t_sub, 0}, {"mul.lo.s32 %w0, %w1, %w2;", "www", t_mul, 0},
		{"mul.lo.u64 %l0, %l1, %l2;", "lll", t_mul, 0}, {"mul.lo.u16 %h0, %h1, %h2;", "hhh", t_mul, 0},
		{"mad.lo.s32 %w0, %w1, %w2, %w3;", "wwww", t_mad, 0}, {"mad.lo.s64 %l0, %l1, %l2, %l3;", "llll", t_mad, 0},
		{"mul.hi.s32 %w0, %w1, %w2;", "www", t_hi_s32, 0}, {"mul.hi.u32 %w0, %w1, %w2;", "www", t_hi_u32, 0},
		{"mul.hi.u16 %h0, %h1, %h2;", "hhh", t_hi_u16, 0}, {"mul.wide.s32 %l0, %w1, %w2;", "lww", t_wide_s32, 0},
		{"mad.wide.s32 %l0, %w1, %w2, %l3;", "lwwl", t_madwide_s32, 0}, {"mul.wide.u16 %w0, %h1, %h2;", "whh", t_wide_u16, 0},
		{"and.b32 %w0, %w1, %w2;", "www", t_and, 0}, {"or.b64 %l0, %l1, %l2;", "lll", t_or, 0},
		{"xor.b16 %h0, %h1, %h2;", "hhh", t_xor, 0}, {"not.b64 %l0, %l1;", "ll", t_not, 0}, {"cnot.b32 %w0, %w1;", "ww", t_cnot, 0},
		{"neg.s32 %w0, %w1;", "ww", t_neg, 0}, {"abs.s32 %w0, %w1;", "ww", t_abs32, 0},
		{"min.s32 %w0, %w1, %w2;", "www", t_min_s32, 0}, {"max.u64 %l0, %l1, %l2;", "lll", t_max_u64, 0},
		{"min.s16 %h0, %h1, %h2;", "hhh", t_min_s16, 0}, {"max.s64 %l0, %l1, %l2;", "lll", t_max_s64, 0},
		{"div.u32 %w0, %w1, %w2;", "www", t_div_u32, 0}, {"rem.u64 %l0, %l1, %l2;", "lll", t_rem_u64, 0},
		{"div.s32 %w0, %w1, %w2;", "www", t_div_s32, 0}, {"rem.s64 %l0, %l1, %l2;", "lll", t_rem_s64, 0},
		{"shl.b32 %w0, %w1, %w2;", "www", t_shl32, 0}, {"shr.u64 %l0, %l1, %w2;", "llw", t_shr_u64, 0},
		{"shr.s32 %w0, %w1, %w2;", "www", t_shr_s32, 0}, {"shr.s16 %h0, %h1, %w2;", "hhw", t_shr_s16, 0},
		{"popc.b32 %w0, %w1;", "ww", t_popc, 0}, {"popc.b64 %w0, %l1;", "wl", t_popc, 0}, {"clz.b64 %w0, %l1;", "wl", t_clz64, 0},
		{"bfind.s32 %w0, %w1;", "ww", t_bfind_s32, 0}, {"brev.b32 %w0, %w1;", "ww", t_brev, 0},
		{"bfe.u32 %w0, %w1, %w2, %w3;", "wwww", t_bfe_u32, 0}, {"prmt.b32 %w0, %w1, %w2, %w3;", "wwww", t_prmt, 0},
		{"cvt.pack.sat.s4.s32.b32 %w0, %w1, %w2, %w3;", "wwww", t_pack_s4, 0},
		{"cvt.pack.sat.u8.s32.b32 %w0, %w1, %w2, %w3;", "wwww", t_pack_u8, 0},
		{"cvt.pack.sat.s16.u32 %w0, %w1, %w2;", "www", t_pack_s16, 0},
		{"lop3.b32 %w0, %w1, %w2, %w3, 0x95;", "wwww", t_lop3, 0}, {"shf.l.wrap.b32 %w0, %w1, %w2, %w3;", "wwww", t_shf_l, 0},
		{"dp4a.s32.u32 %w0, %w1, %w2, %w3;", "wwww", t_dp4a, 0}, {"mul24.hi.s32 %w0, %w1, %w2;", "www", t_mul24, 0},
		{"sad.s32 %w0, %w1, %w2, %w3;", "wwww", t_sad, 0},
		{"add.cc.u64 %q2, %l1, %l2;\naddc.u64 %l0, 0, 0;", "lll", t_add128, 0},
		{"sub.cc.u64 %q2, %l1, %l2;\nsubc.u64 %q2, 0, 0;\nneg.s64 %l0, %q2;", "lll", t_sub128, 0},
		{"add.sat.s32 %w0, %w1, %w2;", "www", t_sat, 0}};
	/* clang-format on */
	check_forms(forms, sizeof forms / sizeof *forms);
}

/* The host's operation in a rounding mode; volatile keeps it where it is written. */
#define ROUNDED(n, type, result, of, to, mode, expr) \
	static uint64_t n(uint64_t x, uint64_t y, uint64_t z) \
	{ \
		volatile type a = of(x), b = of(y), c = of(z); \
		volatile result r; \
		(void)a; \
		(void)b; \
		(void)c; \
		fesetround(mode); \
		r = (result)(expr); \
		fesetround(FE_TONEAREST); \
		return to(r); \
	}
/* clang-format off */
#define ALL_ROUNDED(n, type, result, of, to, expr) \
	ROUNDED(n##_rn, type, result, of, to, FE_TONEAREST, expr) ROUNDED(n##_rz, type, result, of, to, FE_TOWARDZERO, expr) \
	ROUNDED(n##_rm, type, result, of, to, FE_DOWNWARD, expr) ROUNDED(n##_rp, type, result, of, to, FE_UPWARD, expr)
/* clang-format on */
ALL_ROUNDED(add_s, float, float, f32, b32, a + b)
ALL_ROUNDED(mul_s, float, float, f32, b32, a *b)
ALL_ROUNDED(fma_s, float, float, f32, b32, fmaf(a, b, c))
ALL_ROUNDED(div_s, float, float, f32, b32, a / b)
ALL_ROUNDED(sqrt_s, float, float, f32, b32, sqrtf(a))
ALL_ROUNDED(rcp_s, float, float, f32, b32, 1 / a)
ALL_ROUNDED(add_d, double, double, f64, b64, a + b)
ALL_ROUNDED(mul_d, double, double, f64, b64, a *b)
ALL_ROUNDED(fma_d, double, double, f64, b64, fma(a, b, c))
ALL_ROUNDED(div_d, double, double, f64, b64, a / b)
ALL_ROUNDED(sqrt_d, double, double, f64, b64, sqrt(a))
ALL_ROUNDED(cvt_ds, double, float, f64, b32, a)
/* clang-format off */
#define FORMS(op, of, n, kinds, real) \
	{op ".rn" of, kinds, n##_rn, real}, {op ".rz" of, kinds, n##_rz, real}, {op ".rm" of, kinds, n##_rm, real}, {op ".rp" of, kinds, n##_rp, real}
/* clang-format on */

static float flush(float v)
{
	return fpclassify(v) == FP_SUBNORMAL ? copysignf(0, v) : v;
}
TWIN(ftz_add, b32(flush(flush(f32(a)) + flush(f32(b)))))
TWIN(ftz_fma, b32(flush(fmaf(flush(f32(a)), flush(f32(b)), flush(f32(c))))))
TWIN(ftz_sub, b32(flush(flush(f32(a)) - flush(f32(b)))))
TWIN(ftz_mul, b32(flush(flush(f32(a)) * flush(f32(b)))))
TWIN(ftz_div, b32(flush(flush(f32(a)) / flush(f32(b)))))
TWIN(ftz_sqrt, b32(flush(sqrtf(flush(f32(a))))))
TWIN(ftz_rcp, b32(flush(1 / flush(f32(a)))))
TWIN(ftz_less, b32(flush(f32(a)) < flush(f32(b)) ? 1.0f : 0.0f))
TWIN(ftz_floor, b32(floorf(flush(f32(a)))))
TWIN(t_floor, b32(floorf(f32(a))))
TWIN(t_ceil, b32(ceilf(f32(a))))
TWIN(t_even, b32(rintf(f32(a))))
TWIN(t_trunc, b32(truncf(f32(a))))
TWIN(t_rsqrt, b32((float)(1 / sqrt((double)f32(a)))))
TWIN(s_to_u, f32(a) >= 4294967296.0f ? UINT32_MAX : f32(a) > 0 ? (uint32_t)f32(a) : 0)
TWIN(s_to_i, (uint32_t)(f32(a) >= 2147483648.0f    ? INT32_MAX
                        : f32(a) <= -2147483648.0f ? INT32_MIN
                        : f32(a) != f32(a)         ? 0
                                                   : (int32_t)f32(a)))
TWIN(sat_mul, b32(!(f32(a) * f32(b) > 0) ? 0.0f : f32(a) * f32(b) > 1 ? 1.0f : f32(a) * f32(b)))
TWIN(t_fneg, a ^ 0x80000000)
TWIN(t_fabs64, a &INT64_MAX)
static uint64_t t_fmin(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	if (f32(a) == f32(b))
		return a | b;
	return f32(a) != f32(a) ? b : f32(b) != f32(b) || f32(a) < f32(b) ? a : b;
}
static uint64_t ftz_min(uint64_t a, uint64_t b, uint64_t c)
{
	return t_fmin(b32(flush(f32(a))), b32(flush(f32(b))), c);
}
static uint64_t ftz_max(uint64_t a, uint64_t b, uint64_t c)
{
	return t_fmin(b32(flush(f32(a))) ^ 0x80000000, b32(flush(f32(b))) ^ 0x80000000, c) ^ 0x80000000;
}
static uint64_t ftz_abs(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b;
	(void)c;
	return (a & 0x7f800000 ? a : 0) & 0x7fffffff;
}
static uint64_t ftz_neg(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b;
	(void)c;
	return (a & 0x7f800000 ? a : a & 0x80000000) ^ 0x80000000;
}
static uint64_t t_fmax64(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	if (f64(a) == f64(b))
		return a & b;
	return f64(a) != f64(a) ? b : f64(b) != f64(b) || f64(a) > f64(b) ? a : b;
}

static void reals(void **state)
{
	(void)state;
	static const struct form forms[] = {
		FORMS("add", ".f32 %w0, %w1, %w2;", add_s, "www", 's'),
		FORMS("mul", ".f32 %w0, %w1, %w2;", mul_s, "www", 's'),
		FORMS("fma", ".f32 %w0, %w1, %w2, %w3;", fma_s, "wwww", 's'),
		FORMS("div", ".f32 %w0, %w1, %w2;", div_s, "www", 's'),
		FORMS("sqrt", ".f32 %w0, %w1;", sqrt_s, "ww", 's'),
		FORMS("rcp", ".f32 %w0, %w1;", rcp_s, "ww", 's'),
		FORMS("add", ".f64 %l0, %l1, %l2;", add_d, "lll", 'd'),
		FORMS("mul", ".f64 %l0, %l1, %l2;", mul_d, "lll", 'd'),
		FORMS("fma", ".f64 %l0, %l1, %l2, %l3;", fma_d, "llll", 'd'),
		FORMS("div", ".f64 %l0, %l1, %l2;", div_d, "lll", 'd'),
		FORMS("sqrt", ".f64 %l0, %l1;", sqrt_d, "ll", 'd'),
		{"add.ftz.f32 %w0, %w1, %w2;", "www", ftz_add, 's'},
		{"fma.rn.ftz.f32 %w0, %w1, %w2, %w3;", "wwww", ftz_fma, 's'},
		{"sub.ftz.f32 %w0, %w1, %w2;", "www", ftz_sub, 's'},
		{"mul.ftz.f32 %w0, %w1, %w2;", "www", ftz_mul, 's'},
		{"div.approx.ftz.f32 %w0, %w1, %w2;", "www", ftz_div, 's'},
		{"sqrt.approx.ftz.f32 %w0, %w1;", "ww", ftz_sqrt, 's'},
		{"rcp.approx.ftz.f32 %w0, %w1;", "ww", ftz_rcp, 's'},
		{"rsqrt.approx.f32 %w0, %w1;", "ww", t_rsqrt, 's'},
		{"min.ftz.f32 %w0, %w1, %w2;", "www", ftz_min, 's'},
		{"max.ftz.f32 %w0, %w1, %w2;", "www", ftz_max, 's'},
		{"abs.ftz.f32 %w0, %w1;", "ww", ftz_abs, 0},
		{"neg.ftz.f32 %w0, %w1;", "ww", ftz_neg, 0},
		{"set.lt.ftz.f32.f32 %w0, %w1, %w2;", "www", ftz_less, 's'},
		{"cvt.rmi.ftz.f32.f32 %w0, %w1;", "ww", ftz_floor, 's'},
		{"cvt.rmi.f32.f32 %w0, %w1;", "ww", t_floor, 's'},
		{"cvt.rpi.f32.f32 %w0, %w1;", "ww", t_ceil, 's'},
		{"cvt.rni.f32.f32 %w0, %w1;", "ww", t_even, 's'},
		{"cvt.rzi.f32.f32 %w0, %w1;", "ww", t_trunc, 's'},
		{"cvt.rzi.ftz.u32.f32 %w0, %w1;", "ww", s_to_u, 0},
		{"cvt.rzi.ftz.s32.f32 %w0, %w1;", "ww", s_to_i, 0},
		{"mul.sat.f32 %w0, %w1, %w2;", "www", sat_mul, 's'},
		{"neg.f32 %w0, %w1;", "ww", t_fneg, 0},
		{"abs.f64 %l0, %l1;", "ll", t_fabs64, 0},
		{"min.f32 %w0, %w1, %w2;", "www", t_fmin, 's'},
		{"max.f64 %l0, %l1, %l2;", "lll", t_fmax64, 'd'}};
	check_forms(forms, sizeof forms / sizeof *forms);
}

/* Half precision as a table of all its values: a twin that rounds by looking for neighbours. */
static double half_value(uint64_t h)
{
	int e = (int)(h >> 10 & 31);
	double v = e == 31 ? (h & 1023 ? (double)NAN : (double)INFINITY)
	           : e     ? ldexp((double)(1024 + (h & 1023)), e - 25)
	                   : ldexp((double)(h & 1023), -24);
	return h & 0x8000 ? -v : v;
}

/* The half whose distance is least; of two the even one. Above the greatest value halfway to the next is infinite. */
static uint64_t half_nearest(double v)
{
	if (v != v)
		return 0x7fff;
	uint64_t sign = signbit(v) ? 0x8000 : 0;
	unsigned low = 0, high = 0x7c00;
	v = fabs(v);
	if (v >= 65520)
		return sign | 0x7c00;
	while (high - low > 1) {
		unsigned middle = (low + high) / 2;
		if (half_value(middle) <= v)
			low = middle;
		else
			high = middle;
	}
	double below = v - half_value(low), above = (high == 0x7c00 ? 65536 : half_value(high)) - v;
	return sign | (below < above || (below == above && !(low & 1)) ? low : high);
}
TWIN(h_add, half_nearest(half_value(a) + half_value(b)))
TWIN(h_mul, half_nearest(half_value(a) * half_value(b)))
TWIN(h_of_s, half_nearest((double)f32(a)))
TWIN(s_of_h, b32((float)half_value(a)))
TWIN(h_add2, half_nearest(half_value(a & 0xffff) + half_value(b & 0xffff)) |
                     half_nearest(half_value(a >> 16) + half_value(b >> 16)) << 16)

/* Every half must come back from single precision as it went. */
static void halves(void **state)
{
	(void)state;
	static const struct form forms[] = {
		{"add.f16 %h0, %h1, %h2;", "hhh", h_add, 'h'},
		{"mul.f16 %h0, %h1, %h2;", "hhh", h_mul, 'h'},
		{"cvt.rn.f16.f32 %h0, %w1;", "hw", h_of_s, 'h'},
		{"cvt.f32.f16 %w0, %h1;", "wh", s_of_h, 's'}};
	check_forms(forms, sizeof forms / sizeof *forms);
	uint64_t(*x)[3] = calloc(65536, sizeof *x), *got = calloc(65536, sizeof *got);
	assert_true(x && got);
	for (size_t i = 0; i < 65536; i++)
		x[i][0] = i;
	ptx_apply("{ .reg .f32 f; cvt.f32.f16 f, %h1; cvt.rz.f16.f32 %h0, f; }", "hh", 65536,
	          (const uint64_t(*)[3])x, got);
	for (size_t i = 0; i < 65536; i++)
		assert_true(got[i] == i || (is_nan('h', i) && got[i] == 0x7fff));
	/* Pairs are two halves. */
	uint64_t pair[64][3] = {{0}}, seed = 3;
	for (size_t i = 0; i < 64; i++)
		for (size_t j = 0; j < 2; j++)
			pair[i][j] = (ct_rand64(&seed) & 0x3fff) | (ct_rand64(&seed) & 0x3fff) << 16;
	ptx_apply("add.f16x2 %w0, %w1, %w2;", "www", 64, (const uint64_t(*)[3])pair, got);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(got[i], h_add2(pair[i][0], pair[i][1], 0));
	free(x);
	free(got);
}

/* Conversions between integers and floating point, in range and out of it. */
static uint64_t to_s32(double v)
{
	return v != v               ? 0
	       : v >= 2147483647.0  ? 0x7fffffff
	       : v <= -2147483648.0 ? 0x80000000
	                            : (uint64_t)(int64_t)v;
}
static uint64_t to_u64(double v)
{
	return v != v || v <= 0 ? 0 : v >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)v;
}
TWIN(c_rzi_s32, to_s32((double)f32(a)))
TWIN(c_rni_s32, to_s32(rint((double)f32(a))))
TWIN(c_rmi_s32_d, to_s32(floor(f64(a))))
TWIN(c_rpi_u64_d, to_u64(ceil(f64(a))))
TWIN(c_rni_s, b32(rintf(f32(a))))
TWIN(c_rpi_d, b64(ceil(f64(a))))
TWIN(c_s_s32, b32((float)S32(a)))
TWIN(c_d_u64, b64((double)a))
TWIN(c_s_u64, b32((float)a))
TWIN(c_d_s, b64((double)f32(a)))
static float nearest_of_11_bits(float v)
{
	int e;
	double m = frexp(v, &e);
	return !isfinite(v) || e <= -126 ? v : (float)ldexp(round(ldexp(m, 11)), e - 11);
}
TWIN(c_tf32,
     ((uint32_t)a & 0x7f800000) ? b32(nearest_of_11_bits(f32(a))) : ((uint32_t)a + 0x1000) & ~0x1fffu)
TWIN(c_s32_s8, (int64_t)(int8_t)a)
TWIN(c_u64_u32, a)
TWIN(c_s64_s32, S64(S32(a)))
TWIN(c_u8_u32, a & 255)
TWIN(c_sat_s8, S32(a) > 127 ? 127 : S32(a) < -128 ? -128 : S32(a))
TWIN(c_sat_u16, S32(a) < 0 ? 0 : a > 65535 ? 65535 : a)

static void conversions(void **state)
{
	(void)state;
	static const struct form forms[] = {
		{"cvt.rzi.s32.f32 %w0, %w1;", "ww", c_rzi_s32, 0},
		{"cvt.rni.s32.f32 %w0, %w1;", "ww", c_rni_s32, 0},
		{"cvt.rmi.s32.f64 %w0, %l1;", "wl", c_rmi_s32_d, 0},
		{"cvt.rpi.u64.f64 %l0, %l1;", "ll", c_rpi_u64_d, 0},
		{"cvt.rni.f32.f32 %w0, %w1;", "ww", c_rni_s, 's'},
		{"cvt.rpi.f64.f64 %l0, %l1;", "ll", c_rpi_d, 'd'},
		{"cvt.rn.f32.s32 %w0, %w1;", "ww", c_s_s32, 0},
		{"cvt.rn.f64.u64 %l0, %l1;", "ll", c_d_u64, 0},
		{"cvt.rn.f32.u64 %w0, %l1;", "wl", c_s_u64, 0},
		{"cvt.f64.f32 %l0, %w1;", "lw", c_d_s, 'd'},
		FORMS("cvt", ".f32.f64 %w0, %l1;", cvt_ds, "wl", 's'),
		{"cvt.rna.tf32.f32 %w0, %w1;", "ww", c_tf32, 's'},
		{"cvt.s32.s8 %w0, %w1;", "ww", c_s32_s8, 0},
		{"cvt.u64.u32 %l0, %w1;", "lw", c_u64_u32, 0},
		{"cvt.s64.s32 %l0, %w1;", "lw", c_s64_s32, 0},
		{"cvt.u8.u32 %w0, %w1;", "ww", c_u8_u32, 0},
		{"cvt.sat.s8.s32 %w0, %w1;", "ww", c_sat_s8, 0},
		{"cvt.sat.u16.s32 %h0, %w1;", "hw", c_sat_u16, 0}};
	check_forms(forms, sizeof forms / sizeof *forms);
}

#define ORDERED(n, expr) TWIN(n, (f32(a) == f32(a) && f32(b) == f32(b)) && (expr))
#define UNORDERED(n, expr) TWIN(n, !(f32(a) == f32(a) && f32(b) == f32(b)) || (expr))
ORDERED(p_ne, f32(a) != f32(b))
ORDERED(p_gt, f32(a) > f32(b))
ORDERED(p_ge, f32(a) >= f32(b))
ORDERED(p_num, 1)
UNORDERED(p_equ, f32(a) == f32(b))
UNORDERED(p_neu, f32(a) != f32(b))
UNORDERED(p_ltu, f32(a) < f32(b))
UNORDERED(p_leu, f32(a) <= f32(b))
UNORDERED(p_gtu, f32(a) > f32(b))
UNORDERED(p_geu, f32(a) >= f32(b))
UNORDERED(p_nan, 0)
TWIN(p_le64, f64(a) <= f64(b))
TWIN(p_gt_s32, S32(a) > S32(b))
TWIN(p_hs, U32(a) >= U32(b))
TWIN(p_ne64, a != b)
TWIN(p_lt_s16, S16(a) < S16(b))
TWIN(p_and, S32(a) < S32(b) && (c & 255))
TWIN(p_xor_q, !(S32(a) < S32(b)) ^ !!(c & 255))
TWIN(p_half, half_value(a) < half_value(b))
TWIN(p_set, S32(a) <= S32(b) ? UINT32_MAX : 0)
TWIN(p_slct, S32(c) >= 0 ? a : b)
TWIN(p_selp, c & 255 ? a : b)
TWIN(p_finite, (a & 0x7f800000) != 0x7f800000)

static void comparisons(void **state)
{
	(void)state;
	/* clang-format off */
#define SETP(cmp, n) {"setp." cmp ".f32 %p0, %w1, %w2;", "pww", n, 0}
	static const struct form forms[] = {
		SETP("ne", p_ne), SETP("gt", p_gt), SETP("ge", p_ge), SETP("num", p_num), SETP("equ", p_equ), SETP("neu", p_neu),
		SETP("ltu", p_ltu), SETP("leu", p_leu), SETP("gtu", p_gtu), SETP("geu", p_geu), SETP("nan", p_nan),
		{"setp.le.f64 %p0, %l1, %l2;", "pll", p_le64, 0}, {"setp.gt.s32 %p0, %w1, %w2;", "pww", p_gt_s32, 0},
		{"setp.hs.u32 %p0, %w1, %w2;", "pww", p_hs, 0}, {"setp.ne.b64 %p0, %l1, %l2;", "pll", p_ne64, 0},
		{"setp.lt.s16 %p0, %h1, %h2;", "phh", p_lt_s16, 0}, {"setp.lt.f16 %p0, %h1, %h2;", "phh", p_half, 0},
		{"setp.lt.and.s32 %p0|%p1, %w1, %w2, %p3;", "pwww", p_and, 0},
		{"setp.lt.xor.s32 %p1|%p0, %w1, %w2, %p3;", "pwww", p_xor_q, 0},
		{"set.le.u32.s32 %w0, %w1, %w2;", "www", p_set, 0}, {"slct.b32.s32 %w0, %w1, %w2, %w3;", "wwww", p_slct, 0},
		{"selp.b64 %l0, %l1, %l2, %p3;", "llll", p_selp, 0}, {"testp.finite.f32 %p0, %w1;", "pw", p_finite, 0}};
	/* clang-format on */
	check_forms(forms, sizeof forms / sizeof *forms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(integers),    cmocka_unit_test(video),
	                                   cmocka_unit_test(reals),       cmocka_unit_test(halves),
	                                   cmocka_unit_test(conversions), cmocka_unit_test(comparisons)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

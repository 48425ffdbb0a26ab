/* Arithmetic of the virtual machine: 32 lanes at a time. */
#include <math.h>
#include <string.h>

#include "tracegen/exec.h"
#include "tracegen/mufu.h"

#define EACH for (unsigned l = 0; l < LANES; l++)

static float f32(uint32_t u)
{
	float x;
	memcpy(&x, &u, sizeof x);
	return x;
}

static uint32_t u32(float x)
{
	uint32_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

static double f64(const uint32_t *pair, unsigned l)
{
	uint64_t u = pair[l] | (uint64_t)pair[LANES + l] << 32;
	double x;
	memcpy(&x, &u, sizeof x);
	return x;
}

static void put(uint32_t *dst, const uint32_t *t, uint32_t mask)
{
	if (mask == UINT32_MAX) {
		memcpy(dst, t, sizeof(simt_row));
		return;
	}
	EACH if (mask >> l & 1) dst[l] = t[l];
}

/* Two rows: low and high words of 64-bit results. */
static void put_pair(uint32_t *dst, const uint64_t *t, uint32_t mask)
{
	EACH if (mask >> l & 1)
	{
		dst[l] = (uint32_t)t[l];
		dst[LANES + l] = (uint32_t)(t[l] >> 32);
	}
}

static int32_t to_s32(double x)
{
	if (isnan(x))
		return 0;
	return x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (int32_t)x;
}

static uint32_t to_u32(double x)
{
	if (isnan(x) || x <= 0)
		return 0;
	return x >= 4294967295.0 ? UINT32_MAX : (uint32_t)x;
}

/* The GPU's minimum ignores a NaN. */
static float fmin_of(float a, float b)
{
	return isnan(a) ? b : isnan(b) ? a : a < b ? a : b;
}

static float fmax_of(float a, float b)
{
	return isnan(a) ? b : isnan(b) ? a : a > b ? a : b;
}

static uint32_t shift_left(uint32_t a, uint32_t n)
{
	return n > 31 ? 0 : a << n;
}

static uint32_t shift_right(uint32_t a, uint32_t n)
{
	return n > 31 ? 0 : a >> n;
}

static uint32_t shift_right_signed(uint32_t a, uint32_t n)
{
	uint32_t fill = a >> 31 ? UINT32_MAX : 0;
	if (n > 31)
		return fill;
	return n == 0 ? a : a >> n | fill << (32 - n);
}

static uint32_t highest_bit(uint32_t a)
{
	uint32_t n = 0;
	if (a == 0)
		return UINT32_MAX;
	while (a >>= 1)
		n++;
	return n;
}

static uint32_t bit_count(uint32_t a)
{
	uint32_t n = 0;
	for (; a; a &= a - 1)
		n++;
	return n;
}

static float special_function(unsigned f, float x)
{
	switch (f) {
	case MUFU_RCP: return simt_rcp(x);
	case MUFU_RSQ: return simt_rsqrt(x);
	case MUFU_SQRT: return simt_sqrt(x);
	case MUFU_EX2: return simt_ex2(x);
	case MUFU_LG2: return simt_lg2(x);
	case MUFU_SIN: return simt_sin(x);
	default: return simt_cos(x);
	}
}

static void integer(const struct op *o, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                    uint32_t *t)
{
	switch (o->code) {
	case OP_MOV: EACH t[l] = a[l]; break;
	case OP_IADD: EACH t[l] = a[l] + b[l]; break;
	case OP_ISUB: EACH t[l] = a[l] - b[l]; break;
	case OP_IMUL: EACH t[l] = a[l] * b[l]; break;
	case OP_IMAD: EACH t[l] = a[l] * b[l] + c[l]; break;
	case OP_IMULHI: EACH t[l] = (uint32_t)((uint64_t)a[l] * b[l] >> 32); break;
	case OP_SHL: EACH t[l] = shift_left(a[l], b[l]); break;
	case OP_SHR: EACH t[l] = shift_right(a[l], b[l]); break;
	case OP_SAR: EACH t[l] = shift_right_signed(a[l], b[l]); break;
	case OP_AND: EACH t[l] = a[l] & b[l]; break;
	case OP_OR: EACH t[l] = a[l] | b[l]; break;
	case OP_XOR: EACH t[l] = a[l] ^ b[l]; break;
	case OP_IMIN: EACH t[l] = (int32_t)a[l] < (int32_t)b[l] ? a[l] : b[l]; break;
	case OP_IMAX: EACH t[l] = (int32_t)a[l] > (int32_t)b[l] ? a[l] : b[l]; break;
	case OP_UMIN: EACH t[l] = a[l] < b[l] ? a[l] : b[l]; break;
	case OP_UMAX: EACH t[l] = a[l] > b[l] ? a[l] : b[l]; break;
	case OP_IABS: EACH t[l] = a[l] >> 31 ? 0u - a[l] : a[l]; break;
	case OP_POPC: EACH t[l] = bit_count(a[l]); break;
	default: EACH t[l] = highest_bit(a[l]); break; /* OP_FLO */
	}
}

static void single(const struct op *o, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                   uint32_t *t)
{
	switch (o->code) {
	case OP_FADD: EACH t[l] = u32(f32(a[l]) + f32(b[l])); break;
	case OP_FSUB: EACH t[l] = u32(f32(a[l]) - f32(b[l])); break;
	case OP_FMUL: EACH t[l] = u32(f32(a[l]) * f32(b[l])); break;
	case OP_FFMA: EACH t[l] = u32(simt_fma(f32(a[l]), f32(b[l]), f32(c[l]))); break;
	case OP_FMIN: EACH t[l] = u32(fmin_of(f32(a[l]), f32(b[l]))); break;
	case OP_FMAX: EACH t[l] = u32(fmax_of(f32(a[l]), f32(b[l]))); break;
	case OP_FNEG: EACH t[l] = a[l] ^ 0x80000000u; break;
	case OP_FABS: EACH t[l] = a[l] & 0x7fffffffu; break;
	case OP_MUFU: EACH t[l] = u32(special_function(o->sub, f32(a[l]))); break;
	case OP_I2F: EACH t[l] = u32((float)(int32_t)a[l]); break;
	case OP_U2F: EACH t[l] = u32((float)a[l]); break;
	case OP_F2I: EACH t[l] = (uint32_t)to_s32(f32(a[l])); break;
	case OP_F2U: EACH t[l] = to_u32(f32(a[l])); break;
	case OP_D2F: EACH t[l] = u32((float)f64(a, l)); break;
	default: EACH t[l] = (uint32_t)to_s32(f64(a, l)); break; /* OP_D2I */
	}
}

static void wide(const struct op *o, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                 uint64_t *t)
{
	double d[LANES];
	switch (o->code) {
	case OP_IMAD_WIDE:
		EACH
		{
			int64_t index = o->sub ? (int64_t)a[l] : (int64_t)(int32_t)a[l];
			t[l] = (uint64_t)(index * (int32_t)b[l]) + (c[l] | (uint64_t)c[LANES + l] << 32);
		}
		return;
	case OP_F2D: EACH d[l] = f32(a[l]); break;
	case OP_I2D: EACH d[l] = (int32_t)a[l]; break;
	case OP_DADD: EACH d[l] = f64(a, l) + f64(b, l); break;
	case OP_DSUB: EACH d[l] = f64(a, l) - f64(b, l); break;
	case OP_DMUL: EACH d[l] = f64(a, l) * f64(b, l); break;
	default: EACH d[l] = fma(f64(a, l), f64(b, l), f64(c, l)); break; /* OP_DFMA: exact */
	}
	memcpy(t, d, sizeof d);
}

static int compares(unsigned cmp, int less, int equal, int ordered)
{
	switch (cmp) {
	case CMP_LT: return less;
	case CMP_LE: return less || equal;
	case CMP_GT: return ordered && !less && !equal;
	case CMP_GE: return ordered && !less;
	case CMP_EQ: return equal;
	default: return !equal;
	}
}

static uint32_t set_predicate(const struct op *o, const uint32_t *a, const uint32_t *b)
{
	uint32_t p = 0;
	EACH
	{
		int r;
		if (o->code == OP_ISETP) {
			r = compares(o->sub, (int32_t)a[l] < (int32_t)b[l], a[l] == b[l], 1);
		} else if (o->code == OP_USETP) {
			r = compares(o->sub, a[l] < b[l], a[l] == b[l], 1);
		} else {
			double x = o->code == OP_FSETP ? (double)f32(a[l]) : f64(a, l);
			double y = o->code == OP_FSETP ? (double)f32(b[l]) : f64(b, l);
			r = compares(o->sub, x < y, x == y, !isnan(x) && !isnan(y));
		}
		p |= (uint32_t)r << l;
	}
	return p;
}

/* The lanes' own value where the source lane is outside or not active. */
static void shuffle(const struct op *o, const uint32_t *a, const uint32_t *b, uint32_t mask, uint32_t *t)
{
	EACH
	{
		uint32_t from = o->sub == SHFL_IDX    ? b[l] & 31
		                : o->sub == SHFL_UP   ? l - b[l]
		                : o->sub == SHFL_DOWN ? l + b[l]
		                                      : l ^ b[l];
		t[l] = from < LANES && mask >> from & 1 ? a[from] : a[l];
	}
}

static uint32_t special_register(const struct simt_cta *c, const struct simt_warp *w, unsigned sr,
                                 unsigned lane)
{
	uint32_t linear = w->id * LANES + lane;
	switch (sr) {
	case SR_TID: return linear % c->block.x;
	case SR_TID + 1: return linear / c->block.x % c->block.y;
	case SR_TID + 2: return linear / c->block.x / c->block.y;
	case SR_CTAID: return c->id.x;
	case SR_CTAID + 1: return c->id.y;
	case SR_CTAID + 2: return c->id.z;
	default: return lane;
	}
}

static float half_at(const uint32_t *row, unsigned lane, unsigned which)
{
	return simt_from_half((uint16_t)(row[lane] >> 16 * which));
}

/* mma.m16n8k16 as in the PTX manual's fragment layout: lane l holds row l/4 of A and
 * of C (and the row 8 below), columns 2*(l%4) and the next; of B, column l/4. */
static void matrix_multiply(const struct simt_cta *c, struct simt_warp *w, const struct op *o)
{
	const uint32_t *fa = simt_src(c, w, o->srow[0]), *fb = simt_src(c, w, o->srow[1]);
	const uint32_t *fc = simt_src(c, w, o->srow[2]);
	float a[16][16], b[16][8], d[4][LANES];
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned h = 0; h < 2; h++) {
			for (unsigned r = 0; r < 4; r++)
				a[l / 4 + 8 * (r & 1)][2 * (l % 4) + h + 8 * (r >> 1)] = half_at(
					fa + r * LANES, l, h);
			for (unsigned r = 0; r < 2; r++)
				b[2 * (l % 4) + h + 8 * r][l / 4] = half_at(fb + r * LANES, l, h);
		}
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned r = 0; r < 4; r++) {
			unsigned row = l / 4 + 8 * (r >> 1), col = 2 * (l % 4) + (r & 1);
			double sum = f32(fc[r * LANES + l]);
			for (unsigned i = 0; i < 16; i++)
				sum += (double)a[row][i] * (double)b[i][col];
			d[r][l] = (float)sum;
		}
	for (unsigned r = 0; r < 4; r++)
		for (unsigned l = 0; l < LANES; l++)
			w->row[o->drow + r][l] = u32(d[r][l]);
}

static void predicate_op(const struct simt_cta *c, struct simt_warp *w, const struct op *o,
                         uint32_t mask)
{
	uint32_t r;
	switch (o->code) {
	case OP_PAND: r = w->pred[o->srow[0]] & w->pred[o->srow[1]]; break;
	case OP_POR: r = w->pred[o->srow[0]] | w->pred[o->srow[1]]; break;
	case OP_PNOT: r = ~w->pred[o->srow[0]]; break;
	case OP_ANY: r = w->pred[o->srow[0]] & mask ? UINT32_MAX : 0; break;
	case OP_ALL: r = (w->pred[o->srow[0]] & mask) == mask ? UINT32_MAX : 0; break;
	default: r = set_predicate(o, simt_src(c, w, o->srow[0]), simt_src(c, w, o->srow[1])); break;
	}
	w->pred[o->drow] = (w->pred[o->drow] & ~mask) | (r & mask);
}

/* Sum and carry of the low words, then of the high words. */
static void add_carry(struct simt_warp *w, const struct op *o, const uint32_t *a, const uint32_t *b,
                      uint32_t mask, uint32_t *t)
{
	uint32_t carry = 0, in = o->code == OP_IADD_X ? w->pred[o->srow[2]] : 0;
	EACH
	{
		t[l] = a[l] + b[l] + (in >> l & 1);
		carry |= (uint32_t)(t[l] < a[l]) << l;
	}
	if (o->code == OP_IADD_CC)
		w->pred[o->srow[2]] = (w->pred[o->srow[2]] & ~mask) | (carry & mask);
}

void simt_exec_alu(const struct simt_cta *c, struct simt_warp *w, const struct op *o, uint32_t mask)
{
	uint32_t t[LANES];
	uint64_t t64[LANES];
	static const simt_row zero;
	const uint32_t *s[3] = {zero, zero, zero};
	if ((o->code >= OP_ISETP && o->code <= OP_PNOT) || o->code == OP_ANY || o->code == OP_ALL) {
		predicate_op(c, w, o, mask);
		return;
	}
	if (o->code == OP_HMMA) {
		matrix_multiply(c, w, o);
		return;
	}
	/* Operand 2 of these is a predicate; so is BALLOT's only one. */
	int two = o->code == OP_SEL || o->code == OP_IADD_CC || o->code == OP_IADD_X;
	for (unsigned i = 0; i < o->nsrc && i < (two ? 2u : 3u) && o->code != OP_BALLOT; i++)
		s[i] = simt_src(c, w, o->srow[i]);
	switch (o->code) {
	case OP_IADD_CC:
	case OP_IADD_X: add_carry(w, o, s[0], s[1], mask, t); break;
	case OP_SEL: EACH t[l] = w->pred[o->srow[2]] >> l & 1 ? s[0][l] : s[1][l]; break;
	case OP_S2R: EACH t[l] = special_register(c, w, o->sub, l); break;
	case OP_SHFL: shuffle(o, s[0], s[1], mask, t); break;
	case OP_BALLOT: EACH t[l] = w->pred[o->srow[0]] & mask; break;
	case OP_IMAD_WIDE:
	case OP_F2D:
	case OP_I2D:
	case OP_DADD:
	case OP_DSUB:
	case OP_DMUL:
	case OP_DFMA:
		wide(o, s[0], s[1], s[2], t64);
		put_pair(w->row[o->drow], t64, mask);
		return;
	default:
		if (o->code <= OP_FLO)
			integer(o, s[0], s[1], s[2], t);
		else
			single(o, s[0], s[1], s[2], t);
		break;
	}
	put(w->row[o->drow], t, mask);
}

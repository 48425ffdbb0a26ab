/* Matrix products of a warp, their loads, and asynchronous copies. */
#include <string.h>

#include "base/bits.h"
#include "ptx/exec.h"
#include "ptx/guard.h"
#include "ptx/real.h"

/* The first half of cp.async: reads what is copied. Bytes beyond those asked for are zero. */
void ct_ptx_exec_async_load(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *bytes = ct_ptx_at(w, o->b);
	uint32_t reads = 0;
	for (uint32_t left = mask; left; left &= left - 1)
		if (bytes[ct_low_bit(left)])
			reads |= UINT32_C(1) << ct_low_bit(left);
	memset(w->copy, 0, sizeof w->copy);
	w->copied = reads;
	if (ct_ptx_resolve(w, o, reads, o->width) < 0 ||
	    (w->run->guarded && ct_ptx_guard_access(w, o, reads, o->width, 0) < 0))
		return;
	for (uint32_t left = reads; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left), n = bytes[lane] < o->width ? bytes[lane] : o->width;
		memcpy(w->copy[lane], (const void *)(uintptr_t)w->host[lane], n);
	}
}

void ct_ptx_exec_async_store(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	if (ct_ptx_resolve(w, o, mask, o->width) < 0 ||
	    (w->run->guarded && ct_ptx_guard_access(w, o, mask, o->width, 1) < 0))
		return;
	for (uint32_t left = mask; left; left &= left - 1)
		memcpy((void *)(uintptr_t)w->host[ct_low_bit(left)], w->copy[ct_low_bit(left)],
		       o->width);
}

/* Lanes 8i to 8i + 7 point to the rows of matrix i, each of eight halves; every lane gets two of its
 * elements, of a row or (transposed) of a column. */
void ct_ptx_exec_ldmatrix(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const uint32_t *to = w->run->m->extra + o->extra;
	uint32_t pointers = o->count == 4 ? CT_PTX_ALL_LANES : (UINT32_C(1) << 8 * o->count) - 1;
	uint16_t element[4][8][8];
	if (ct_ptx_resolve(w, o, pointers, 16) < 0 ||
	    (w->run->guarded && ct_ptx_guard_access(w, o, pointers, 16, 0) < 0))
		return;
	if (w->space != CT_PTX_SHARED) {
		ct_ptx_refuse(w, o, CT_PTX_OUT_OF_RANGE, 0, 16, w->space);
		return;
	}
	for (unsigned i = 0; i < 8u * o->count; i++)
		memcpy(element[i / 8][i % 8], (const void *)(uintptr_t)w->host[i], 16);
	for (unsigned i = 0; i < o->count; i++) {
		ct_ptx_u32 *d = ct_ptx_at(w, to[i]);
		for (uint32_t left = mask; left; left &= left - 1) {
			uint32_t lane = ct_low_bit(left), row = lane / 4, column = lane % 4 * 2;
			uint32_t low = o->round ? element[i][column][row] : element[i][row][column];
			uint32_t high = o->round ? element[i][column + 1][row]
			                         : element[i][row][column + 1];
			d[lane] = low | high << 16;
		}
	}
}

/* Lane 4r + c holds elements 2c and 2c + 1 of row r, before and after. */
void ct_ptx_exec_movmatrix(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	ct_ptx_u32 *d = ct_ptx_at(w, o->d), a[CT_PTX_LANES];
	memcpy(a, ct_ptx_at(w, o->a), sizeof a);
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left), row = lane / 4, column = lane % 4 * 2;
		uint32_t from = 4 * column + row / 2, shift = 16 * (row & 1);
		d[lane] = (a[from] >> shift & 0xffff) | (a[from + 4] >> shift & 0xffff) << 16;
	}
}

/* Elements of a factor that one register holds, and the value of one of them. */
static unsigned per_register(int factor)
{
	switch (factor) {
	case CT_PTX_X_F16:
	case CT_PTX_X_BF16: return 2;
	case CT_PTX_X_S8:
	case CT_PTX_X_U8: return 4;
	case CT_PTX_X_S4:
	case CT_PTX_X_U4: return 8;
	case CT_PTX_X_B1: return 32;
	default: return 1;
	}
}

static double factor_value(int factor, uint64_t bits, unsigned e)
{
	switch (factor) {
	case CT_PTX_X_F16: return ct_ptx_real_value(CT_PTX_F16, bits >> 16 * e & 0xffff);
	case CT_PTX_X_BF16: return ct_ptx_real_value(CT_PTX_BF16, bits >> 16 * e & 0xffff);
	case CT_PTX_X_TF32: /* a float without its low 13 bits */
		return ct_ptx_real_value(CT_PTX_F32, bits & 0xffffe000);
	case CT_PTX_X_F64: return ct_ptx_real_value(CT_PTX_F64, bits);
	case CT_PTX_X_S8: return (int8_t)(bits >> 8 * e);
	case CT_PTX_X_S4: return (double)((int)(bits >> 4 * e & 15) ^ 8) - 8;
	case CT_PTX_X_U4: return (double)(bits >> 4 * e & 15);
	case CT_PTX_X_B1: return (double)(bits >> e & 1);
	default: return (uint8_t)(bits >> 8 * e);
	}
}

/* The type of the second factor, which may be signed where the first is not, or not where that is. */
static int second_factor(const struct ct_ptx_op *o, int first)
{
	const int unsigned_b = (o->mode & 2) != 0;
	switch (first) {
	case CT_PTX_X_S8:
	case CT_PTX_X_U8: return unsigned_b ? CT_PTX_X_U8 : CT_PTX_X_S8;
	case CT_PTX_X_S4:
	case CT_PTX_X_U4: return unsigned_b ? CT_PTX_X_U4 : CT_PTX_X_S4;
	default: return first;
	}
}

/* Matrices of one product: the largest has 16 rows, and of single bits 256 in the middle. */
struct matrices {
	double a[16][256], b[256][8], c[16][8];
};

/* Gathers the factors: lane 4g + t holds rows g and g + 8 of a and column g of b, and of their other index
 * the elements of its t. */
static void gather(const struct ct_ptx_warp *w, const struct ct_ptx_op *o,
                   const struct ct_ptx_product *p, struct matrices *x)
{
	const uint32_t *ref = w->run->m->extra + o->extra + p->accumulators;
	unsigned each = per_register(p->factor), width = p->factor == CT_PTX_X_F64 ? 8 : 4,
		 tall = p->rows == 16;
	int other = second_factor(o, p->factor);
	for (unsigned lane = 0; lane < CT_PTX_LANES; lane++) {
		unsigned g = lane / 4, t = lane % 4;
		for (unsigned i = 0; i < p->a; i++)
			for (unsigned e = 0; e < each; e++)
				x->a[g + (tall && i & 1 ? 8 : 0)]
				    [t * each + e + (tall ? i / 2 : i) * 4 * each] = factor_value(
					p->factor, ct_ptx_lane(ct_ptx_at(w, ref[i]), lane, width), e);
		for (unsigned i = 0; i < p->b; i++)
			for (unsigned e = 0; e < each; e++)
				x->b[t * each + e + i * 4 * each][g] = factor_value(
					other, ct_ptx_lane(ct_ptx_at(w, ref[p->a + i]), lane, width), e);
	}
}

/* The lane of a quad's that has place i of 8, and the other way round. */
static unsigned lane_of_quad(unsigned quad, unsigned i)
{
	return (i & 4 ? 16 : 0) + 4 * quad + (i & 3);
}

static unsigned place_in_quad(unsigned lane)
{
	return (lane & 16 ? 4 : 0) + (lane & 3);
}

/* Place i holds row i of a and column i of b, or where they lie in the other order a column of four rows, and four columns of a row. */
static void gather_quad(const struct ct_ptx_warp *w, const struct ct_ptx_op *o,
                        const struct ct_ptx_product *p, unsigned quad, struct matrices *x)
{
	const uint32_t *ref = w->run->m->extra + o->extra + p->accumulators;
	const int a_turned = o->mode & 16, b_turned = o->mode & 32;
	for (unsigned i = 0; i < 8; i++)
		for (unsigned e = 0; e < 4; e++) {
			const unsigned lane = lane_of_quad(quad, i), r = e / 2, other = (i & 4) + e;
			const double a = factor_value(
				p->factor, ct_ptx_lane(ct_ptx_at(w, ref[r]), lane, 4), e & 1);
			const double b = factor_value(
				p->factor, ct_ptx_lane(ct_ptx_at(w, ref[p->a + r]), lane, 4), e & 1);
			*(a_turned ? &x->a[other][i & 3] : &x->a[i][e]) = a;
			*(b_turned ? &x->b[i & 3][other] : &x->b[e][i]) = b;
		}
}

/* Place of accumulator i of a lane: rows g and g + 8, columns 2t and 2t + 1. By quads a row where they are halves, else of two rows
 * two pairs of columns. */
static double *accumulator(struct matrices *x, const struct ct_ptx_op *o, const struct ct_ptx_product *p,
                           unsigned lane, unsigned i)
{
	const unsigned q = place_in_quad(lane);
	if (!ct_ptx_is_by_quads(p))
		return &x->c[lane / 4 + (i & 2 ? 8 : 0)][lane % 4 * 2 + (i & 1)];
	return o->mode & 4 ? &x->c[q][i] : &x->c[(q & 5) + (i & 2)][(i & 5) + (q & 2)];
}

/* Accumulators of lanes from registers, or back to them; halves lie two in a register. */
static void accumulate(struct ct_ptx_warp *w, const struct ct_ptx_op *o, const struct ct_ptx_product *p,
                       struct matrices *x, uint32_t lanes, int back)
{
	const uint32_t *ref = w->run->m->extra + o->extra + (back ? 0 : p->accumulators + p->a + p->b);
	int integer = p->factor >= CT_PTX_X_S8, half = o->mode & 4;
	unsigned width = p->factor == CT_PTX_X_F64 ? 8 : 4,
		 n = half ? 2u * p->accumulators : p->accumulators;
	enum ct_ptx_type type = half ? CT_PTX_F16 : width == 8 ? CT_PTX_F64 : CT_PTX_F32;
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left);
		for (unsigned i = 0; i < n; i++) {
			void *row = ct_ptx_at(w, ref[half ? i / 2 : i]);
			double *c = accumulator(x, o, p, lane, i);
			uint64_t bits = ct_ptx_lane(row, lane, width), shift = half ? 16 * (i & 1) : 0;
			if (!back) {
				*c = integer ? (double)(int32_t)(uint32_t)bits
				             : ct_ptx_real_value(
						       type,
						       bits >> shift & (half ? 0xffff : UINT64_MAX));
				continue;
			}
			int64_t whole = integer ? (int64_t)*c : 0;
			if (o->mode & 1)
				whole = whole > INT32_MAX   ? INT32_MAX
				        : whole < INT32_MIN ? INT32_MIN
				                            : whole;
			uint64_t value = integer ? (uint64_t)whole
			                         : ct_ptx_real_convert(type, CT_PTX_F64, 0, CT_PTX_RN,
			                                               ct_ptx_real_bits(*c));
			if (half)
				value = (bits & ~(UINT64_C(0xffff) << shift)) | value << shift;
			ct_ptx_put_lane(row, lane, width, value);
		}
	}
}

/* Sums in double precision, rounded once: hardware's order and width of sums are not documented. Bits that differ are 1 where
 * they are not multiplied. Nothing is read of the matrices that was not gathered. */
static void multiply(const struct ct_ptx_op *o, const struct ct_ptx_product *p, struct matrices *x)
{
	const double both = o->mode & 8 ? 2 : 0;
	for (unsigned i = 0; i < p->rows; i++)
		for (unsigned j = 0; j < 8; j++)
			for (unsigned k = 0; k < p->depth; k++) {
				const double a = x->a[i][k], b = x->b[k][j];
				x->c[i][j] += both > 0 ? a + b - both * a * b : a * b;
			}
}

void ct_ptx_exec_mma(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const struct ct_ptx_product *p = ct_ptx_product_at((unsigned)o->imm);
	const unsigned quads = ct_ptx_is_by_quads(p) ? 4 : 1;
	struct matrices x;
	for (unsigned q = 0; q < quads; q++) {
		const uint32_t lanes = quads == 1 ? CT_PTX_ALL_LANES : UINT32_C(0xf000f) << 4 * q;
		if (quads == 1)
			gather(w, o, p, &x);
		else
			gather_quad(w, o, p, q, &x);
		accumulate(w, o, p, &x, lanes, 0);
		multiply(o, p, &x);
		accumulate(w, o, p, &x, mask & lanes, 1);
	}
}

/* mma.h - products of matrices by warps (nvcuda::wmma), out of PTX's mma, whose fragments are documented.
 *
 * In a product one side is cut into blocks of 16 (wide) and the other into blocks of 8 (narrow): 16 x 16 and 32 x 8 results have
 * their rows on the wide side, 8 x 32 ones their columns. A lane holds of each block what mma says; `group` is lane / 4 and
 * `within` lane % 4. Fragments hold each element once. */
#ifndef CT_CUDA_MMA_H
#define CT_CUDA_MMA_H
#define __CUDA_MMA_H__

#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__)
namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental { /* numbers of four bits, and single bits */
namespace precision {
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

CT_DEVICE float __float_to_tf32(float v)
{
	unsigned int bits;
	__asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
	return __builtin_bit_cast(float, bits);
}

CT_DEVICE int ct_group()
{
	return (int)ct_cuda_lane() >> 2;
}

CT_DEVICE int ct_within()
{
	return (int)ct_cuda_lane() & 3;
}

/* Where the lane's element i of a block lies: along the side's own dimension (out) and the one that is summed over (k). */
struct ct_layout_16 { /* of numbers of 16 bits, k = 16 */
	enum { wide = 8, narrow = 4, k = 16, side = 16 };
	CT_DEVICE int wide_out(int i)
	{
		return ct_group() + (i >> 1 & 1) * 8;
	}
	CT_DEVICE int wide_k(int i)
	{
		return ct_within() * 2 + (i & 1) + (i >> 2) * 8;
	}
	CT_DEVICE int narrow_k(int i)
	{
		return ct_within() * 2 + (i & 1) + (i >> 1) * 8;
	}
};
struct ct_layout_8 { /* of 8 bits, k = 16 */
	enum { wide = 8, narrow = 4, k = 16, side = 16 };
	CT_DEVICE int wide_out(int i)
	{
		return ct_group() + (i >> 2) * 8;
	}
	CT_DEVICE int wide_k(int i)
	{
		return ct_within() * 4 + (i & 3);
	}
	CT_DEVICE int narrow_k(int i)
	{
		return ct_within() * 4 + i;
	}
};
struct ct_layout_tf32 { /* k = 8 */
	enum { wide = 4, narrow = 2, k = 8, side = 16 };
	CT_DEVICE int wide_out(int i)
	{
		return ct_group() + (i & 1) * 8;
	}
	CT_DEVICE int wide_k(int i)
	{
		return ct_within() + (i >> 1) * 4;
	}
	CT_DEVICE int narrow_k(int i)
	{
		return ct_within() + i * 4;
	}
};
struct ct_layout_f64 { /* both sides are 8, k = 4 */
	enum { wide = 1, narrow = 1, k = 4, side = 8 };
	CT_DEVICE int wide_out(int)
	{
		return ct_group();
	}
	CT_DEVICE int wide_k(int)
	{
		return ct_within();
	}
	CT_DEVICE int narrow_k(int)
	{
		return ct_within();
	}
};

/* Of a factor's type: its layout, and how its elements are stored. */
template <class T> struct ct_factor {
};
#define CT_WMMA_FACTOR(type, holds, memory, kind) \
	template <> struct ct_factor<type> : kind { \
		typedef holds held; \
		typedef memory stored; \
	};
CT_WMMA_FACTOR(__half, __half, __half, ct_layout_16)
CT_WMMA_FACTOR(__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, ct_layout_16)
CT_WMMA_FACTOR(signed char, signed char, signed char, ct_layout_8)
CT_WMMA_FACTOR(unsigned char, unsigned char, unsigned char, ct_layout_8)
CT_WMMA_FACTOR(precision::tf32, float, float, ct_layout_tf32)
CT_WMMA_FACTOR(double, double, double, ct_layout_f64)
#undef CT_WMMA_FACTOR

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment {
};

/* Whether the columns of the result are on the wide side, and how many blocks the sides have. */
template <int m, int n, int side> struct ct_blocks {
	enum { turned = m < n && m < side, wide = (turned ? n : m) / side, narrow = (turned ? m : n) / 8 };
};

#define CT_WMMA_FACTOR_FRAGMENT(use, on_wide) \
	template <int m, int n, int k, class T, class Layout> class fragment<use, m, n, k, T, Layout> { \
		typedef ct_factor<T> factor; \
		typedef ct_blocks<m, n, factor::side> blocks; \
\
	public: \
		enum { \
			ct_wide = (on_wide) != (int)blocks::turned, \
			ct_each = ct_wide ? (int)factor::wide : (int)factor::narrow, \
			num_elements = ct_each * (ct_wide ? (int)blocks::wide : (int)blocks::narrow) \
		}; \
		typedef typename factor::held element_type; \
		typedef typename factor::stored storage_element_type; \
		element_type x[num_elements]; \
	};
CT_WMMA_FACTOR_FRAGMENT(matrix_a, 1)
CT_WMMA_FACTOR_FRAGMENT(matrix_b, 0)
#undef CT_WMMA_FACTOR_FRAGMENT

template <int m, int n, int k, class T> class fragment<accumulator, m, n, k, T, void> {
public:
	enum { num_elements = m * n / 32 };
	typedef T element_type;
	typedef T storage_element_type;
	element_type x[num_elements];
};

/* Row and column of element i of a result. Blocks of doubles and of what is less than a byte are 8 x 8, others 16 x 8. */
template <int m, int n, class T> struct ct_result {
	enum { side = sizeof(T) == 8 || (m == 8 && n == 8) ? 8 : 16, each = side / 4 };
	typedef ct_blocks<m, n, side> blocks;
	CT_DEVICE int wide_at(int i)
	{
		return i / each / blocks::narrow * side + ct_group() + (i % each >> 1) * 8;
	}
	CT_DEVICE int narrow_at(int i)
	{
		return i / each % blocks::narrow * 8 + ct_within() * 2 + (i & 1);
	}
	CT_DEVICE int row(int i)
	{
		return blocks::turned ? narrow_at(i) : wide_at(i);
	}
	CT_DEVICE int column(int i)
	{
		return blocks::turned ? wide_at(i) : narrow_at(i);
	}
};

template <class Use, int m, int n, int k, class T, class Layout, class V>
CT_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const V &v)
{
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = v;
}

/* The elements that lie side by side in memory, along k, are loaded two at a time where they are of 16 bits. */
template <class F, class Held, class Stored>
CT_DEVICE void ct_load(F &f, const Stored *p, unsigned int ld, int along_k, int (*out)(int), int (*at_k)(int), int block)
{
#pragma unroll
	for (int i = 0; i < f.num_elements; i++) {
		int o = i / f.ct_each * block + out(i % f.ct_each), k = at_k(i % f.ct_each);
		const Stored *q = along_k ? p + (unsigned int)o * ld + k : p + (unsigned int)k * ld + o;
		if (sizeof(Stored) == 2 && along_k) {
			if (!(i & 1)) {
				unsigned int word = *(const unsigned int *)q;
				__builtin_memcpy(&f.x[i], &word, 4);
			}
		} else {
			f.x[i] = (Held)*q;
		}
	}
}

CT_DEVICE int ct_narrow_out(int)
{
	return ct_group();
}

template <class Layout> struct ct_is_row {
	enum { yes = 0 };
};
template <> struct ct_is_row<row_major> {
	enum { yes = 1 };
};

template <class Use> struct ct_is_a {
	enum { yes = 0 };
};
template <> struct ct_is_a<matrix_a> {
	enum { yes = 1 };
};

/* A's k runs along its rows, B's along its columns. */
template <class Use, int m, int n, int k, class T, class Layout>
CT_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f, const typename ct_factor<T>::stored *p, unsigned int ld)
{
	typedef fragment<Use, m, n, k, T, Layout> F;
	typedef ct_factor<T> factor;
	int along_k = (int)ct_is_row<Layout>::yes == (int)ct_is_a<Use>::yes;
	ct_load<F, typename factor::held, typename factor::stored>(
		f, p, ld, along_k, F::ct_wide ? factor::wide_out : ct_narrow_out,
		F::ct_wide ? factor::wide_k : factor::narrow_k, F::ct_wide ? (int)factor::side : 8);
}

template <int m, int n, int k, class T>
CT_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned int ld, layout_t layout)
{
	typedef ct_result<m, n, T> result;
#pragma unroll
	for (int i = 0; i < f.num_elements; i++) {
		unsigned int row = (unsigned int)result::row(i), column = (unsigned int)result::column(i);
		f.x[i] = p[layout == mem_row_major ? row * ld + column : column * ld + row];
	}
}

template <int m, int n, int k, class T>
CT_DEVICE void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned int ld, layout_t layout)
{
	typedef ct_result<m, n, T> result;
#pragma unroll
	for (int i = 0; i < f.num_elements; i++) {
		unsigned int row = (unsigned int)result::row(i), column = (unsigned int)result::column(i);
		p[layout == mem_row_major ? row * ld + column : column * ld + row] = f.x[i];
	}
}

/* ---- products of blocks: d += wide * narrow ---- */

/* GPUs before compute capability 8.0 sum over 8 at a time. */
CT_DEVICE void ct_product_8(float *d, unsigned int a0, unsigned int a1, unsigned int b0)
{
	__asm__("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
	        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
	        : "r"(a0), "r"(a1), "r"(b0));
}

CT_DEVICE void ct_product_8(unsigned int *d, unsigned int a0, unsigned int a1, unsigned int b0)
{
	__asm__("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
	        : "+r"(d[0]), "+r"(d[1])
	        : "r"(a0), "r"(a1), "r"(b0));
}

CT_DEVICE void ct_product_16(float *d, const unsigned int *a, const unsigned int *b)
{
#if __CUDA_ARCH__ >= 800
	__asm__("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
	        "{%0, %1, %2, %3};"
	        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
	        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
	ct_product_8(d, a[0], a[1], b[0]);
	ct_product_8(d, a[2], a[3], b[1]);
#endif
}

CT_DEVICE void ct_product_16(unsigned int *d, const unsigned int *a, const unsigned int *b)
{
#if __CUDA_ARCH__ >= 800
	__asm__("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
	        : "+r"(d[0]), "+r"(d[1])
	        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
	ct_product_8(d, a[0], a[1], b[0]);
	ct_product_8(d, a[2], a[3], b[1]);
#endif
}

CT_DEVICE void ct_product(float *d, const __half *a, const __half *b)
{
	unsigned int x[4], y[2];
	__builtin_memcpy(x, a, sizeof x);
	__builtin_memcpy(y, b, sizeof y);
	ct_product_16(d, x, y);
}

CT_DEVICE void ct_product(__half *d, const __half *a, const __half *b)
{
	unsigned int x[4], y[2], z[2];
	__builtin_memcpy(x, a, sizeof x);
	__builtin_memcpy(y, b, sizeof y);
	__builtin_memcpy(z, d, sizeof z);
	ct_product_16(z, x, y);
	__builtin_memcpy(d, z, sizeof z);
}

CT_DEVICE void ct_product(float *d, const __nv_bfloat16 *a, const __nv_bfloat16 *b)
{
	unsigned int x[4], y[2];
	__builtin_memcpy(x, a, sizeof x);
	__builtin_memcpy(y, b, sizeof y);
	__asm__("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
	        "{%0, %1, %2, %3};"
	        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
	        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

#define CT_WMMA_BYTES(T, type) \
	CT_DEVICE void ct_product(int *d, const T *a, const T *b) \
	{ \
		unsigned int x[2], y; \
		__builtin_memcpy(x, a, sizeof x); \
		__builtin_memcpy(&y, b, sizeof y); \
		__asm__("mma.sync.aligned.m16n8k16.row.col.s32." type "." type ".s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, " \
		        "{%0, %1, %2, %3};" \
		        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) \
		        : "r"(x[0]), "r"(x[1]), "r"(y)); \
	}
CT_WMMA_BYTES(signed char, "s8")
CT_WMMA_BYTES(unsigned char, "u8")
#undef CT_WMMA_BYTES

CT_DEVICE void ct_product(float *d, const float *a, const float *b)
{
	__asm__("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
	        "{%0, %1, %2, %3};"
	        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
	        : "r"(__builtin_bit_cast(unsigned int, a[0])), "r"(__builtin_bit_cast(unsigned int, a[1])),
	          "r"(__builtin_bit_cast(unsigned int, a[2])), "r"(__builtin_bit_cast(unsigned int, a[3])),
	          "r"(__builtin_bit_cast(unsigned int, b[0])), "r"(__builtin_bit_cast(unsigned int, b[1])));
}

CT_DEVICE void ct_product(double *d, const double *a, const double *b)
{
	__asm__("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
	        : "+d"(d[0]), "+d"(d[1])
	        : "d"(a[0]), "d"(b[0]));
}

/* Factors of less than a byte: a lane holds one word of them, of the row of A or the column of B that is its group. */
struct ct_word {
	enum { num_elements = 1 };
	typedef int element_type;
	typedef int storage_element_type;
	element_type x[1];
};
#define CT_WMMA_BITS_FRAGMENT(depth, T) \
	template <class Layout> \
	class fragment<matrix_a, 8, 8, depth, experimental::precision::T, Layout> : public ct_word { \
	}; \
	template <class Layout> \
	class fragment<matrix_b, 8, 8, depth, experimental::precision::T, Layout> : public ct_word { \
	}; \
	template <class Use, class Layout> \
	CT_DEVICE void load_matrix_sync(fragment<Use, 8, 8, depth, experimental::precision::T, Layout> &f, const void *p, \
	                                unsigned int ld) \
	{ \
		f.x[0] = ((const int *)p)[(unsigned int)ct_group() * (ld / (depth / 4)) + (unsigned int)ct_within()]; \
	}
CT_WMMA_BITS_FRAGMENT(32, s4)
CT_WMMA_BITS_FRAGMENT(32, u4)
CT_WMMA_BITS_FRAGMENT(128, b1)
#undef CT_WMMA_BITS_FRAGMENT

/* Of these the one product is D, whose registers are those of C at first. */
#define CT_WMMA_BITS(name, depth, T, instruction) \
	CT_DEVICE void name(fragment<accumulator, 8, 8, depth, int> &d, \
	                    const fragment<matrix_a, 8, 8, depth, experimental::precision::T, row_major> &a, \
	                    const fragment<matrix_b, 8, 8, depth, experimental::precision::T, col_major> &b, \
	                    const fragment<accumulator, 8, 8, depth, int> &c) \
	{ \
		d.x[0] = c.x[0]; \
		d.x[1] = c.x[1]; \
		__asm__("mma.sync.aligned." instruction " {%0, %1}, {%2}, {%3}, {%0, %1};" \
		        : "+r"(d.x[0]), "+r"(d.x[1]) \
		        : "r"(a.x[0]), "r"(b.x[0])); \
	}
CT_WMMA_BITS(ct_product_wrapped, 32, s4, "m8n8k32.row.col.s32.s4.s4.s32")
CT_WMMA_BITS(ct_product_wrapped, 32, u4, "m8n8k32.row.col.s32.u4.u4.s32")
CT_WMMA_BITS(ct_product_clamped, 32, s4, "m8n8k32.row.col.satfinite.s32.s4.s4.s32")
CT_WMMA_BITS(ct_product_clamped, 32, u4, "m8n8k32.row.col.satfinite.s32.u4.u4.s32")
CT_WMMA_BITS(ct_product_xor, 128, b1, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
CT_WMMA_BITS(ct_product_and, 128, b1, "m8n8k128.row.col.s32.b1.b1.s32.and.popc")
#undef CT_WMMA_BITS

template <class T>
CT_DEVICE void mma_sync(fragment<accumulator, 8, 8, 32, int> &d, const fragment<matrix_a, 8, 8, 32, T, row_major> &a,
                        const fragment<matrix_b, 8, 8, 32, T, col_major> &b, const fragment<accumulator, 8, 8, 32, int> &c,
                        bool satf = false)
{
	if (satf)
		ct_product_clamped(d, a, b, c);
	else
		ct_product_wrapped(d, a, b, c);
}

CT_DEVICE void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                         const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
                         const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                         const fragment<accumulator, 8, 8, 128, int> &c,
                         experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                         experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
	if (op == experimental::bmmaBitOpAND)
		ct_product_and(d, a, b, c);
	else
		ct_product_xor(d, a, b, c);
}

/* D = A B + C. Sums of integers wrap, with satf, too. */
template <int m, int n, int k, class A, class LA, class B, class LB, class C, class D>
CT_DEVICE void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, A, LA> &a,
                        const fragment<matrix_b, m, n, k, B, LB> &b, const fragment<accumulator, m, n, k, C> &c,
                        bool satf = false)
{
	typedef fragment<matrix_a, m, n, k, A, LA> FA;
	typedef fragment<matrix_b, m, n, k, B, LB> FB;
	typedef ct_result<m, n, D> result;
	typedef typename result::blocks blocks;
	(void)satf;
#pragma unroll
	for (int i = 0; i < d.num_elements; i++)
		d.x[i] = (D)c.x[i];
#pragma unroll
	for (int i = 0; i < (int)blocks::wide * (int)blocks::narrow; i++) {
		int w = i / blocks::narrow, s = i % blocks::narrow;
		if (blocks::turned)
			ct_product(d.x + i * result::each, b.x + w * FB::ct_each, a.x + s * FA::ct_each);
		else
			ct_product(d.x + i * result::each, a.x + w * FA::ct_each, b.x + s * FB::ct_each);
	}
}

}
}
#endif

#endif

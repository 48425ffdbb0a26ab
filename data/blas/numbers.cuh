/* numbers.cuh - the numbers that kernels of this folder compute with: real and complex, and those that are only stored. */
#ifndef CT_BLAS_NUMBERS_CUH
#define CT_BLAS_NUMBERS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>

#include "arguments.h"

template <class Real> struct __align__(2 * sizeof(Real)) complex_of {
	Real re, im;
	complex_of() = default;
	__device__ complex_of(Real r, Real i = 0) : re(r), im(i)
	{
	}
};
typedef complex_of<float> c32;
typedef complex_of<double> c64;

template <class R> __device__ complex_of<R> operator+(complex_of<R> a, complex_of<R> b)
{
	return {a.re + b.re, a.im + b.im};
}
template <class R> __device__ complex_of<R> operator-(complex_of<R> a, complex_of<R> b)
{
	return {a.re - b.re, a.im - b.im};
}
template <class R> __device__ complex_of<R> operator*(complex_of<R> a, complex_of<R> b)
{
	return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/* The larger part is divided by first, so that no square overflows. */
template <class R> __device__ complex_of<R> operator/(complex_of<R> a, complex_of<R> b)
{
	R s = 1 / (fabs(b.re) + fabs(b.im)), x = b.re * s, y = b.im * s, over = s / (x * x + y * y);
	return {(a.re * x + a.im * y) * over, (a.im * x - a.re * y) * over};
}

/* What the real type of a number is, and how it is taken apart. */
template <class T> struct number {
	typedef T real;
};
template <class R> struct number<complex_of<R>> {
	typedef R real;
};
template <class T> using real_of = typename number<T>::real;

template <class T> __device__ T conjugate(T v)
{
	return v;
}
template <class R> __device__ complex_of<R> conjugate(complex_of<R> v)
{
	return {v.re, -v.im};
}
template <class T> __device__ T only_real(T v)
{
	return v;
}
template <class R> __device__ complex_of<R> only_real(complex_of<R> v)
{
	return {v.re, 0};
}
/* |v|, as the sums and searches of level 1 take it: of complex numbers |re| + |im|. */
template <class T> __device__ T size_of(T v)
{
	return fabs(v);
}
template <class R> __device__ R size_of(complex_of<R> v)
{
	return fabs(v.re) + fabs(v.im);
}
template <class T> __device__ bool is_zero(T v)
{
	return v == T(0);
}
template <class R> __device__ bool is_zero(complex_of<R> v)
{
	return v.re == 0 && v.im == 0;
}
/* sum + a * b, fused as far as the type has it. */
template <class T> __device__ T fused(T a, T b, T sum)
{
	return a * b + sum;
}
template <> __device__ inline float fused(float a, float b, float sum)
{
	return fmaf(a, b, sum);
}
template <> __device__ inline double fused(double a, double b, double sum)
{
	return fma(a, b, sum);
}
template <class R> __device__ complex_of<R> fused(complex_of<R> a, complex_of<R> b, complex_of<R> sum)
{
	return {fused(a.re, b.re, fused(-a.im, b.im, sum.re)), fused(a.re, b.im, fused(a.im, b.re, sum.im))};
}

/* Words that are loaded and stored at once, and the numbers in them. */
template <int BYTES> struct words;
template <> struct words<16> {
	typedef unsigned type __attribute__((ext_vector_type(4)));
};
template <> struct words<8> {
	typedef unsigned type __attribute__((ext_vector_type(2)));
};
template <> struct words<4> {
	typedef unsigned type;
};
template <> struct words<2> {
	typedef unsigned short type;
};
template <> struct words<1> {
	typedef unsigned char type;
};
template <class T, int N> using words_of = typename words<sizeof(T) * N>::type;
#define CT_BLAS_GLOBAL __attribute__((address_space(1)))
template <class T, int N> struct pack_of {
	T v[N];
};
template <class T, int N> __device__ __forceinline__ void unpack(T *to, words_of<T, N> from)
{
	pack_of<T, N> p = __builtin_bit_cast(pack_of<T, N>, from);
#pragma unroll
	for (int i = 0; i < N; i++)
		to[i] = p.v[i];
}
/* The same out of shared memory, and into it. The vectors of CUDA, which are structures, make one load of it. */
template <class T, int N>
using shared_words = typename std::conditional<sizeof(T) * N == 16, uint4, typename std::conditional<sizeof(T) * N == 8, uint2, unsigned>::type>::type;
template <class T, int N> __device__ __forceinline__ void unpack_shared(T *to, const T *from)
{
	pack_of<T, N> p = __builtin_bit_cast(pack_of<T, N>, *(const shared_words<T, N> *)from);
#pragma unroll
	for (int i = 0; i < N; i++)
		to[i] = p.v[i];
}
template <class T, int N> __device__ __forceinline__ void pack_shared(T *to, const T *from)
{
	pack_of<T, N> p;
#pragma unroll
	for (int i = 0; i < N; i++)
		p.v[i] = from[i];
	*(shared_words<T, N> *)to = __builtin_bit_cast(shared_words<T, N>, p);
}
template <class T, int N> __device__ __forceinline__ words_of<T, N> packed(const T *from)
{
	pack_of<T, N> p;
#pragma unroll
	for (int i = 0; i < N; i++)
		p.v[i] = from[i];
	return __builtin_bit_cast(words_of<T, N>, p);
}
/* A number of global memory, which pointers of structures do not tell the compiler. */
template <class T> __device__ __forceinline__ T get(const T *p)
{
	return __builtin_bit_cast(T, *(const CT_BLAS_GLOBAL words_of<T, 1> *)p);
}
template <class T> __device__ __forceinline__ void put(T *p, T v)
{
	*(CT_BLAS_GLOBAL words_of<T, 1> *)p = __builtin_bit_cast(words_of<T, 1>, v);
}

/* A scalar, from the arguments or the device. */
template <class T> __device__ T scalar(const ct_blas_scalar &s)
{
	struct {
		uint64_t word[2];
	} here = {{s.word[0], s.word[1]}};
	T v;
	memcpy(&v, &here, sizeof v);
	if (s.at)
		v = get((const T *)s.at);
	return v;
}

/* The same, of the real type where `real` says so. */
template <class T> __device__ __forceinline__ T scalar(const ct_blas_scalar &s, bool real)
{
	return real ? T(scalar<real_of<T>>(s)) : scalar<T>(s);
}

/* The first element of a batch's matrix, or vector. */
template <class T> __device__ T *one_of(void *at, int flags, int64_t stride, int64_t batch)
{
	T *p = (T *)at + batch * stride;
	if (flags & CT_BLAS_POINTERS)
		p = get((T *const *)at + batch);
	return p;
}
template <class T> __device__ T *matrix(const ct_blas_matrix &m, int flags, int64_t batch)
{
	return one_of<T>(m.at, flags, m.batch, batch) + m.offset;
}
template <class T> __device__ T *vector(const ct_blas_vector &v, int flags, int64_t batch)
{
	return one_of<T>(v.at, flags, v.batch, batch);
}

/* Numbers of a type that is known when the kernel runs, as single precision. */
__device__ inline float load_as(const void *p, int64_t i, int type)
{
	switch (type) {
	case CT_BLAS_F16: return __half2float(get((const __half *)p + i));
	case CT_BLAS_BF16: return __bfloat162float(get((const __nv_bfloat16 *)p + i));
	case CT_BLAS_I8: return get((const int8_t *)p + i);
	case CT_BLAS_I32: return get((const int32_t *)p + i);
	case CT_BLAS_E4M3: return float(get((const __nv_fp8_e4m3 *)p + i));
	case CT_BLAS_E5M2: return float(get((const __nv_fp8_e5m2 *)p + i));
	default: return get((const float *)p + i);
	}
}
__device__ inline void store_as(void *p, int64_t i, int type, float v)
{
	switch (type) {
	case CT_BLAS_F16: put((__half *)p + i, __float2half_rn(v)); break;
	case CT_BLAS_BF16: put((__nv_bfloat16 *)p + i, __float2bfloat16_rn(v)); break;
	case CT_BLAS_E4M3: put((__nv_fp8_e4m3 *)p + i, __nv_fp8_e4m3(v)); break;
	case CT_BLAS_E5M2: put((__nv_fp8_e5m2 *)p + i, __nv_fp8_e5m2(v)); break;
	default: put((float *)p + i, v); break;
	}
}

#endif

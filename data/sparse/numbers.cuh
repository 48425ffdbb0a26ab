/* numbers.cuh - the numbers that kernels of this folder compute with, and how threads exchange and add them. */
#ifndef CT_SPARSE_NUMBERS_CUH
#define CT_SPARSE_NUMBERS_CUH

#include "../blas/numbers.cuh"
#include "arguments.h"

enum { THREADS = 256 };

/* Kernels of a type of numbers and of indices, of all types that are computed with, and of those that are only stored, too. */
#define ONE_KERNEL(letter, type, bits, index, name, structure) \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_##letter##name##_##bits(structure g) \
	{ \
		name<type, index>(g); \
	}
#define BOTH_INDICES(letter, type, name, structure) \
	ONE_KERNEL(letter, type, 32, int32_t, name, structure) \
	ONE_KERNEL(letter, type, 64, int64_t, name, structure)
#define KERNELS(name, structure) \
	BOTH_INDICES(s, float, name, structure) \
	BOTH_INDICES(d, double, name, structure) \
	BOTH_INDICES(c, c32, name, structure) \
	BOTH_INDICES(z, c64, name, structure)
#define KERNELS_WITH_SHORT(name, structure) \
	KERNELS(name, structure) \
	BOTH_INDICES(h, __half, name, structure) \
	BOTH_INDICES(b, __nv_bfloat16, name, structure)

/* Of indices of 32 bits alone. */
#define KERNELS_OF_INT(name, structure) \
	ONE_KERNEL(s, float, 32, int32_t, name, structure) \
	ONE_KERNEL(d, double, 32, int32_t, name, structure) \
	ONE_KERNEL(c, c32, 32, int32_t, name, structure) \
	ONE_KERNEL(z, c64, 32, int32_t, name, structure)

/* Kernels of indices alone. */
#define OF_INDICES(name, structure) \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_##name##_32(structure g) \
	{ \
		name<int32_t>(g); \
	} \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_##name##_64(structure g) \
	{ \
		name<int64_t>(g); \
	}

/* What numbers are summed in. */
template <class T> struct summed {
	typedef T type;
};
template <> struct summed<__half> {
	typedef float type;
};
template <> struct summed<__nv_bfloat16> {
	typedef float type;
};
template <class T> using sum_of = typename summed<T>::type;

template <class T> __device__ __forceinline__ T load(const T *p)
{
	return get(p);
}
__device__ __forceinline__ float load(const __half *p)
{
	return __half2float(get(p));
}
__device__ __forceinline__ float load(const __nv_bfloat16 *p)
{
	return __bfloat162float(get(p));
}
template <class T> __device__ __forceinline__ void store(T *p, T v)
{
	put(p, v);
}
__device__ __forceinline__ void store(__half *p, float v)
{
	put(p, __float2half_rn(v));
}
__device__ __forceinline__ void store(__nv_bfloat16 *p, float v)
{
	put(p, __float2bfloat16_rn(v));
}

/* Another lane's number; lanes exchange in groups of `width`. */
template <class T> __device__ __forceinline__ T from_below(T v, int distance)
{
	return __shfl_up_sync(0xffffffffu, v, distance);
}
template <class R> __device__ __forceinline__ complex_of<R> from_below(complex_of<R> v, int distance)
{
	return {from_below(v.re, distance), from_below(v.im, distance)};
}
template <class T> __device__ __forceinline__ T from_above(T v, int distance, int width = 32)
{
	return __shfl_down_sync(0xffffffffu, v, distance, width);
}
template <class R> __device__ __forceinline__ complex_of<R> from_above(complex_of<R> v, int distance, int width = 32)
{
	return {from_above(v.re, distance, width), from_above(v.im, distance, width)};
}
template <class T> __device__ __forceinline__ T from_lane(T v, int lane)
{
	return __shfl_sync(0xffffffffu, v, lane);
}
template <class R> __device__ __forceinline__ complex_of<R> from_lane(complex_of<R> v, int lane)
{
	return {from_lane(v.re, lane), from_lane(v.im, lane)};
}
/* The sum of a group of lanes, in its first. */
template <class T> __device__ __forceinline__ T sum_lanes(T v, int lanes)
{
	for (int d = lanes / 2; d > 0; d /= 2)
		v = v + from_above(v, d, lanes);
	return v;
}

template <class T> __device__ __forceinline__ void add_atomically(T *p, T v)
{
	atomicAdd(p, v);
}
template <class R> __device__ __forceinline__ void add_atomically(complex_of<R> *p, complex_of<R> v)
{
	atomicAdd(&p->re, v.re);
	atomicAdd(&p->im, v.im);
}

template <class I> __device__ __forceinline__ I index(const void *p, I i)
{
	return get((const I *)p + i);
}
/* The matrix of a batch, and its elements. */
template <class T, class I> struct matrix_view {
	const I *offset, *row, *column;
	T *value;
	I base;
	__device__ __forceinline__ matrix_view(const ct_sparse_matrix &m, int64_t batch)
		: offset((const I *)m.offset + batch * m.offset_batch), row((const I *)m.row + batch * m.batch),
		  column((const I *)m.column + batch * m.batch), value((T *)m.value + batch * m.batch), base(I(m.base))
	{
	}
	__device__ __forceinline__ I begin(I r) const
	{
		return get(offset + r) - base;
	}
	__device__ __forceinline__ I column_of(I i) const
	{
		return get(column + i) - base;
	}
	__device__ __forceinline__ I row_of(I i) const
	{
		return get(row + i) - base;
	}
	__device__ __forceinline__ sum_of<T> number(I i, bool conj) const
	{
		sum_of<T> v = load(value + i);
		return conj ? conjugate(v) : v;
	}
};
template <class T> __device__ __forceinline__ T *dense(const ct_sparse_dense &d, int64_t batch)
{
	return (T *)d.at + batch * d.batch;
}
/* The number of this thread in the grid. */
__device__ __forceinline__ int64_t thread_number()
{
	return int64_t(blockIdx.x) * THREADS + threadIdx.x;
}

/* The number of this thread's group of lanes, which are a power of two. */
__device__ __forceinline__ int shift_of(int lanes)
{
	return 31 - __clz(lanes);
}
__device__ __forceinline__ int64_t group_number(int lanes)
{
	return thread_number() >> shift_of(lanes);
}

/* Writes alpha * sum + beta * what is there, which is not read where beta is zero. */
template <class T> __device__ __forceinline__ void finish(T *p, sum_of<T> alpha, sum_of<T> sum, sum_of<T> beta)
{
	sum_of<T> v = alpha * sum;
	store(p, is_zero(beta) ? v : fused(beta, load(p), v));
}

#endif

/* Level 1: vectors. What gives one number is summed by CTAs whose number does not depend on the board, each in the same order every time; a
 * CTA more joins their parts. So results are the same in every run. */
#include "numbers.cuh"

enum { THREADS = 256 };

template <class T> __device__ __forceinline__ T element(const ct_blas_vector &v, int64_t i)
{
	return get((const T *)v.at + i * v.stride);
}
template <class T> __device__ __forceinline__ void set_element(const ct_blas_vector &v, int64_t i, T value)
{
	put((T *)v.at + i * v.stride, value);
}
#define EACH_ELEMENT(i, g) \
	for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < g.n; i += int64_t(gridDim.x) * blockDim.x)

/* A kernel of its own for each type of numbers. */
#define ONE_KERNEL(letter, type, name) \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_blas_##letter##name(ct_blas_level1 g) \
	{ \
		name<type>(g); \
	}
#define KERNELS(name) \
	ONE_KERNEL(s, float, name) \
	ONE_KERNEL(d, double, name) \
	ONE_KERNEL(c, c32, name) \
	ONE_KERNEL(z, c64, name)

template <class T> __device__ __forceinline__ void axpy(const ct_blas_level1 &g)
{
	T alpha = scalar<T>(g.alpha);
	if (is_zero(alpha))
		return;
	EACH_ELEMENT(i, g)
		set_element(g.y, i, fused(alpha, element<T>(g.x, i), element<T>(g.y, i)));
}
KERNELS(axpy)

template <class T> __device__ __forceinline__ void scal(const ct_blas_level1 &g)
{
	T alpha = scalar<T>(g.alpha);
	EACH_ELEMENT(i, g)
		set_element(g.x, i, is_zero(alpha) ? T(0) : alpha * element<T>(g.x, i));
}
KERNELS(scal)
/* Complex numbers by a real one. */
template <class T> __device__ __forceinline__ void rscal(const ct_blas_level1 &g)
{
	real_of<T> alpha = scalar<real_of<T>>(g.alpha);
	EACH_ELEMENT(i, g)
	{
		T v = element<T>(g.x, i);
		set_element(g.x, i, alpha == 0 ? T(0) : T(alpha * v.re, alpha * v.im));
	}
}
ONE_KERNEL(c, c32, rscal)
ONE_KERNEL(z, c64, rscal)

template <class T> __device__ __forceinline__ void copy(const ct_blas_level1 &g)
{
	EACH_ELEMENT(i, g)
		set_element(g.y, i, element<T>(g.x, i));
}
KERNELS(copy)

template <class T> __device__ __forceinline__ void swap(const ct_blas_level1 &g)
{
	EACH_ELEMENT(i, g)
	{
		T x = element<T>(g.x, i);
		set_element(g.x, i, element<T>(g.y, i));
		set_element(g.y, i, x);
	}
}
KERNELS(swap)

/* A rotation whose cosine is real; its sine is real, too, where CT_BLAS_CONJ_B is not set. */
template <class T> __device__ __forceinline__ void rot(const ct_blas_level1 &g)
{
	T c = T(scalar<real_of<T>>(g.alpha)), s = g.flags & CT_BLAS_CONJ_B ? scalar<T>(g.beta) : T(scalar<real_of<T>>(g.beta));
	EACH_ELEMENT(i, g)
	{
		T x = element<T>(g.x, i), y = element<T>(g.y, i);
		set_element(g.x, i, fused(s, y, c * x));
		set_element(g.y, i, c * y - conjugate(s) * x);
	}
}
KERNELS(rot)

/* ---- one number of many ---- */

/* Joins what threads have, the same pairs each time; thread 0 has the whole. */
template <class Op> __device__ __forceinline__ typename Op::part join_threads(typename Op::part mine)
{
	__shared__ typename Op::part all[THREADS];
	all[threadIdx.x] = mine;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (int(threadIdx.x) < half)
			all[threadIdx.x] = Op::join(all[threadIdx.x], all[threadIdx.x + half]);
	}
	return all[0];
}

/* Parts of the vector, or with one CTA the result. */
template <class Op> __device__ __forceinline__ void reduce(const ct_blas_level1 &g)
{
	typedef typename Op::part part;
	part mine = Op::nothing();
	EACH_ELEMENT(i, g)
		mine = Op::take(mine, g, i);
	mine = join_threads<Op>(mine);
	if (threadIdx.x != 0)
		return;
	if (gridDim.x == 1)
		Op::finish(g, mine);
	else
		((part *)g.parts)[blockIdx.x] = mine;
}

/* Joins the g.n parts. */
template <class Op> __device__ __forceinline__ void finish(const ct_blas_level1 &g)
{
	typedef typename Op::part part;
	part mine = Op::nothing();
	for (int i = threadIdx.x; i < g.n; i += THREADS)
		mine = Op::join(mine, ((const part *)g.parts)[i]);
	mine = join_threads<Op>(mine);
	if (threadIdx.x == 0)
		Op::finish(g, mine);
}

#define REDUCTION(letter, name, ...) \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_blas_##letter##name(ct_blas_level1 g) \
	{ \
		reduce<__VA_ARGS__>(g); \
	} \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_blas_##letter##name##_finish(ct_blas_level1 g) \
	{ \
		finish<__VA_ARGS__>(g); \
	}
#define REDUCTIONS(name) \
	REDUCTION(s, name, name<float>) \
	REDUCTION(d, name, name<double>) \
	REDUCTION(c, name, name<c32>) \
	REDUCTION(z, name, name<c64>)

template <class Sum> struct sums {
	typedef Sum part;
	__device__ static part nothing()
	{
		return Sum(0);
	}
	__device__ static part join(part a, part b)
	{
		return a + b;
	}
};

template <class T> struct dot : sums<T> {
	__device__ static T take(T sum, const ct_blas_level1 &g, int64_t i)
	{
		T x = element<T>(g.x, i);
		return fused(g.flags & CT_BLAS_CONJ_A ? conjugate(x) : x, element<T>(g.y, i), sum);
	}
	__device__ static void finish(const ct_blas_level1 &g, T sum)
	{
		put((T *)g.result, sum);
	}
};
REDUCTIONS(dot)

template <class T> struct asum : sums<real_of<T>> {
	__device__ static real_of<T> take(real_of<T> sum, const ct_blas_level1 &g, int64_t i)
	{
		return sum + size_of(element<T>(g.x, i));
	}
	__device__ static void finish(const ct_blas_level1 &g, real_of<T> sum)
	{
		put((real_of<T> *)g.result, sum);
	}
};
REDUCTIONS(asum)

/* A sum of squares in three parts, so that none overflows or vanishes: of large numbers made smaller, of small ones made larger, of others
 * as they are (J. L. Blue, A portable Fortran program to find the Euclidean norm of a vector, 1978). */
struct squares {
	double small, middle, large;
	__device__ static squares nothing()
	{
		return {0, 0, 0};
	}
	__device__ void add(double v)
	{
		const double tiny = 0x1p-511, huge = 0x1p486;
		v = fabs(v);
		if (v > huge)
			large = fma(v * 0x1p-538, v * 0x1p-538, large);
		else if (v < tiny)
			small = fma(v * 0x1p537, v * 0x1p537, small);
		else
			middle = fma(v, v, middle); /* a NaN, too */
	}
	__device__ double root() const
	{
		if (large > 0)
			return sqrt(large + middle * 0x1p-538 * 0x1p-538) * 0x1p538;
		if (middle > 0 || middle != middle)
			return sqrt(middle + small * 0x1p-537 * 0x1p-537);
		return sqrt(small) * 0x1p-537;
	}
};
__device__ inline void add_square(squares &s, float v)
{
	s.middle = fma((double)v, (double)v, s.middle); /* a square of single precision is a normal double */
}
__device__ inline void add_square(squares &s, double v)
{
	s.add(v);
}
template <class R> __device__ __forceinline__ void add_square(squares &s, complex_of<R> v)
{
	add_square(s, v.re);
	add_square(s, v.im);
}
struct joins_squares {
	typedef squares part;
	__device__ static part nothing()
	{
		return squares::nothing();
	}
	__device__ static part join(part a, part b)
	{
		return {a.small + b.small, a.middle + b.middle, a.large + b.large};
	}
};
template <class T> struct nrm2 : joins_squares {
	__device__ static squares take(squares sum, const ct_blas_level1 &g, int64_t i)
	{
		add_square(sum, element<T>(g.x, i));
		return sum;
	}
	__device__ static void finish(const ct_blas_level1 &g, squares sum)
	{
		put((real_of<T> *)g.result, real_of<T>(sum.root()));
	}
};
REDUCTIONS(nrm2)

/* The first of the largest or smallest numbers. */
template <class T, bool LARGEST> struct extreme {
	struct part {
		real_of<T> size;
		int at; /* from 1; 0: none */
	};
	__device__ static part nothing()
	{
		return {0, 0};
	}
	__device__ static part join(part a, part b)
	{
		bool further = LARGEST ? b.size > a.size : b.size < a.size;
		bool second = b.at && (!a.at || further || (b.size == a.size && b.at < a.at));
		return {second ? b.size : a.size, second ? b.at : a.at};
	}
	__device__ static part take(part so_far, const ct_blas_level1 &g, int64_t i)
	{
		return join(so_far, {size_of(element<T>(g.x, i)), int(i) + 1});
	}
	__device__ static void finish(const ct_blas_level1 &g, part found)
	{
		put((int *)g.result, found.at);
	}
};
template <class T> struct iamax : extreme<T, true> {};
template <class T> struct iamin : extreme<T, false> {};
REDUCTIONS(iamax)
REDUCTIONS(iamin)

/* ---- vectors of types that the call names, in single precision ---- */

extern "C" __global__ __launch_bounds__(THREADS) void ct_blas_axpy_ex(ct_blas_level1 g)
{
	float alpha = g.alpha.at ? load_as(g.alpha.at, 0, g.result_type) : scalar<float>(g.alpha);
	EACH_ELEMENT(i, g)
		store_as(g.y.at, i * g.y.stride, g.y_type,
		         fmaf(alpha, load_as(g.x.at, i * g.x.stride, g.x_type), load_as(g.y.at, i * g.y.stride, g.y_type)));
}
extern "C" __global__ __launch_bounds__(THREADS) void ct_blas_scal_ex(ct_blas_level1 g)
{
	float alpha = g.alpha.at ? load_as(g.alpha.at, 0, g.result_type) : scalar<float>(g.alpha);
	EACH_ELEMENT(i, g)
		store_as(g.x.at, i * g.x.stride, g.x_type, alpha * load_as(g.x.at, i * g.x.stride, g.x_type));
}
struct dot_ex : sums<float> {
	__device__ static float take(float sum, const ct_blas_level1 &g, int64_t i)
	{
		return fmaf(load_as(g.x.at, i * g.x.stride, g.x_type), load_as(g.y.at, i * g.y.stride, g.y_type), sum);
	}
	__device__ static void finish(const ct_blas_level1 &g, float sum)
	{
		store_as(g.result, 0, g.result_type, sum);
	}
};
REDUCTION(, dot_ex, dot_ex)
struct nrm2_ex : joins_squares {
	__device__ static squares take(squares sum, const ct_blas_level1 &g, int64_t i)
	{
		add_square(sum, load_as(g.x.at, i * g.x.stride, g.x_type));
		return sum;
	}
	__device__ static void finish(const ct_blas_level1 &g, squares sum)
	{
		store_as(g.result, 0, g.result_type, float(sum.root()));
	}
};
REDUCTION(, nrm2_ex, nrm2_ex)

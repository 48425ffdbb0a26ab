/* What nvcc takes in sources and clang by itself does not: spellings, functions of one side, and functions that programs have of their own
 * where CUDA has some. Prints what is not as it should be. */
#include <cstdio>
#include <type_traits>

#include <spelled.h>
#include "expect.h"

/* By __CUDA_ARCH__ there is one of these on each side. Host code calls it, which is no host function where the device side is compiled. */
#if defined(__CUDA_ARCH__)
static __device__ int which(int x)
{
	return x + 1;
}
#else
static int which(int x)
{
	return x + 2;
}
#endif

/* What the program has code for, on both sides, and a function that does not come back. */
static_assert(__CUDA_ARCH_LIST__ >= 700, "the list of architectures");
#if defined(__CUDA_ARCH__)
static_assert(__CUDA_ARCH_LIST__ == __CUDA_ARCH__, "the one of the PTX");
#endif
[[noreturn]] static __device__ void no_code()
{
	__trap();
}

static int fill(int *to)
{
	*to = which(5);
	if (*to == 7)
		failures += 0;
	else
		failures++;
	/* no value */
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
static __device__ double __shfl_down(double v, unsigned int by, int width = 32)
{
	return __shfl_down((int)v, by, width) + 1000;
}
#endif

/* For boards that lack it, and a value that tells it apart. */
static __device__ double atomicAdd(double *p, double v)
{
	double old = *p;
	*p = old + 2 * v;
	return old;
}

template <class T> struct shelf {
	template <class U> struct box {
		typedef U inner;
		template <int n> struct part {
			enum { size = n * (int)sizeof(U) };
		};
	};
	typedef typename std::conditional<(sizeof(T) > 2), int, short>::type plain;
};

template <class T> struct user {
	using box = typename shelf<T>::box<double>;
	using part = typename shelf<T>::box<typename shelf<T>::plain>::part<3>;
	typename shelf<T>::template box<T>::inner same;
};

struct tile {
	int lane;
	__device__ [[nodiscard]] int first() const
	{
		return lane & LAST_OF_FOUR;
	}
};

__global__ void run(int *out, double *sum)
{
	int t = (int)threadIdx.x, s = 0;
	tile mine = {t};
	if (t < 0)
		no_code();
	UNROLL_TWICE
	for (int i = 0; i < 8; i++)
		s += out[i];
	out[8 + t] = s + mine.first() + which(t);
	out[72 + t] = lane();
	out[136 + t] = (int)__shfl_down((double)t, 1u);
	if (t == 0) {
		atomicAdd(sum, 1.5);
		out[200] = (int)sizeof(user<int>::box::inner) + user<char>::part::size;
		user<char> u = {7};
		out[201] = u.same;
	}
}

/* A word that is stored as one type and read as another, which is what lies there. */
__global__ void read_as_stored(int *as_int, float *as_float, int *out)
{
	*as_int = 1;
	*as_float = 2;
	*out = *as_int;
}

int main()
{
	int *out = NULL, got = 0;
	double *sum = NULL;
	cudaMallocManaged(&out, 256 * sizeof *out);
	cudaMallocManaged(&sum, sizeof *sum);
	*sum = 0;
	for (int i = 0; i < 8; i++)
		out[i] = i;
	run << <1, 64> >>(out, sum);
	cudaDeviceSynchronize();
	fill(&got);
	expect("a function of each side, on the host", got, 7);
	for (int t = 0; t < 64; t++) {
		expect("a sum, and the device's function", out[8 + t], 28 + (t & -4) + t + 1);
		expect("lanes", out[72 + t], t % 32 * 2);
		if (t % 32 != 31)
			expect("a shuffle of the program's own", out[136 + t], t + 1 + 1000);
	}
	expect("an atomic function of the program's own", (long long)*sum, 3);
	expect("sizes of types", out[200], 8 + 6);
	expect("a member", out[201], 7);
	read_as_stored<<<1, 1>>>(out, (float *)out, out + 1);
	cudaDeviceSynchronize();
	expect("a word of two types", out[1], 0x40000000);
	long long high = 3LL << 40;
	expect("a shift among longer numbers", (-1 << got & high), high);
	printf("%s: %d failures\n", cudaGetErrorString(cudaGetLastError()), failures);
	return failures != 0;
}

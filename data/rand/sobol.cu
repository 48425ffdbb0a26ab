/* Sobol's sequences: blockIdx.y is a dimension, whose points lie one after another. One number of a point makes one result; normal numbers
 * are those whose probability it is. */
#include "rand.cuh"

struct sobol32 {
	typedef uint32_t word;
	enum { DIRECTIONS = CT_RAND_DIRECTIONS_32 };
	static __device__ word point(const word *directions, uint64_t i)
	{
		return ct_random_sobol32(directions, uint32_t(i));
	}
	static __device__ uint32_t high(word w)
	{
		return w;
	}
	static __device__ double uniform_double(word w)
	{
		return ct_random_uniform_word(w);
	}
};
struct sobol64 {
	typedef unsigned long long word;
	enum { DIRECTIONS = CT_RAND_DIRECTIONS_64 };
	static __device__ word point(const word *directions, uint64_t i)
	{
		return ct_random_sobol64(directions, i);
	}
	static __device__ uint32_t high(word w)
	{
		return uint32_t(w >> 32);
	}
	static __device__ double uniform_double(word w)
	{
		return ct_random_uniform_long(w);
	}
};

/* Distributions: of a word each. */
#define DISTRIBUTION(name, type, ...) \
	template <class Source> struct of_point_##name { \
		typedef Source source; \
		typedef type item; \
		static __device__ item make(const ct_rand_arguments &g, typename Source::word w) \
		{ \
			return __VA_ARGS__; \
		} \
	};
DISTRIBUTION(bits, typename Source::word, w)
DISTRIBUTION(uniform, float, ct_random_uniform(Source::high(w)))
DISTRIBUTION(uniform_double, double, Source::uniform_double(w))
DISTRIBUTION(normal, float, fmaf(float(g.deviation), float(normcdfinv(Source::uniform_double(w))), float(g.mean)))
DISTRIBUTION(normal_double, double, fma(g.deviation, normcdfinv(Source::uniform_double(w)), g.mean))
DISTRIBUTION(log_normal, float, expf(of_point_normal<Source>::make(g, w)))
DISTRIBUTION(log_normal_double, double, exp(of_point_normal_double<Source>::make(g, w)))
DISTRIBUTION(discrete, uint32_t, g.least + ct_random_find(g.sums, g.count, Source::uniform_double(w)))

template <class Distribution> static __device__ __forceinline__ void draw(const ct_rand_arguments &g)
{
	typedef typename Distribution::source source;
	typedef typename source::word word;
	__shared__ word directions[source::DIRECTIONS];
	const word *mine = (const word *)g.from + blockIdx.y * uint64_t(source::DIRECTIONS);
	typename Distribution::item *to = (typename Distribution::item *)g.to + blockIdx.y * g.items;
	if (threadIdx.x < source::DIRECTIONS)
		directions[threadIdx.x] = mine[threadIdx.x];
	__syncthreads();
	word scramble = directions[source::DIRECTIONS - 1];
	for (uint64_t i = thread_number(); i < g.items; i += threads())
		to[i] = Distribution::make(g, source::point(directions, g.first + i) ^ scramble);
}

#define KERNELS(source) \
	CT_RAND_KERNEL_OF(source, bits) \
	CT_RAND_KERNEL_OF(source, uniform) \
	CT_RAND_KERNEL_OF(source, uniform_double) \
	CT_RAND_KERNEL_OF(source, normal) \
	CT_RAND_KERNEL_OF(source, normal_double) \
	CT_RAND_KERNEL_OF(source, log_normal) \
	CT_RAND_KERNEL_OF(source, log_normal_double) \
	CT_RAND_KERNEL_OF(source, discrete)
#define CT_RAND_KERNEL_OF(source, distribution) \
	extern "C" __global__ __launch_bounds__(CT_RAND_THREADS) void ct_rand_##source##_##distribution(ct_rand_arguments g) \
	{ \
		draw<of_point_##distribution<source>>(g); \
	}
KERNELS(sobol32)
KERNELS(sobol64)

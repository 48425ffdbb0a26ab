/* rand.cuh - distributions, as the kernels of all generators have them: a type that says how many words an item wants, and what it is.
 *
 * A Source makes uniform numbers of words: float uniform(const uint32_t *), and double uniform_double(const uint32_t *) of WORDS words. */
#ifndef CT_RAND_RAND_CUH
#define CT_RAND_RAND_CUH

#include <device/random.h>

#include "arguments.h"

/* Words of 32 bits. */
struct words32 {
	enum { WORDS = 2 };
	static __device__ float uniform(const uint32_t *w)
	{
		return ct_random_uniform(w[0]);
	}
	static __device__ double uniform_double(const uint32_t *w)
	{
		return ct_random_uniform_double(w[0], w[1]);
	}
	/* For whole numbers: one word does. */
	static __device__ double uniform_word(uint32_t w)
	{
		return ct_random_uniform_word(w);
	}
};

template <class Source> struct bits {
	typedef uint32_t item;
	enum { WORDS = 1 };
	static __device__ item make(const ct_rand_arguments &, const uint32_t *w)
	{
		return w[0];
	}
};
template <class Source> struct uniform {
	typedef float item;
	enum { WORDS = 1 };
	static __device__ item make(const ct_rand_arguments &, const uint32_t *w)
	{
		return Source::uniform(w);
	}
};
template <class Source> struct uniform_double {
	typedef double item;
	enum { WORDS = Source::WORDS };
	static __device__ item make(const ct_rand_arguments &, const uint32_t *w)
	{
		return Source::uniform_double(w);
	}
};
template <class Source> struct normal {
	typedef float2 item;
	enum { WORDS = 2 };
	static __device__ item make(const ct_rand_arguments &g, const uint32_t *w)
	{
		float x, y, mean = float(g.mean), deviation = float(g.deviation);
		ct_random_normal(Source::uniform(w), Source::uniform(w + 1), &x, &y);
		return make_float2(fmaf(deviation, x, mean), fmaf(deviation, y, mean));
	}
};
template <class Source> struct normal_double {
	typedef double2 item;
	enum { WORDS = 2 * Source::WORDS };
	static __device__ item make(const ct_rand_arguments &g, const uint32_t *w)
	{
		double x, y;
		ct_random_normal_double(Source::uniform_double(w), Source::uniform_double(w + Source::WORDS), &x, &y);
		return make_double2(fma(g.deviation, x, g.mean), fma(g.deviation, y, g.mean));
	}
};
template <class Source> struct log_normal : normal<Source> {
	static __device__ float2 make(const ct_rand_arguments &g, const uint32_t *w)
	{
		float2 v = normal<Source>::make(g, w);
		return make_float2(expf(v.x), expf(v.y));
	}
};
template <class Source> struct log_normal_double : normal_double<Source> {
	static __device__ double2 make(const ct_rand_arguments &g, const uint32_t *w)
	{
		double2 v = normal_double<Source>::make(g, w);
		return make_double2(exp(v.x), exp(v.y));
	}
};
template <class Source> struct discrete {
	typedef uint32_t item;
	enum { WORDS = 1 };
	static __device__ item make(const ct_rand_arguments &g, const uint32_t *w)
	{
		return g.least + ct_random_find(g.sums, g.count, Source::uniform_word(w[0]));
	}
};

/* A kernel for each distribution: `body` is a template of a generator's, with the distribution as parameter. */
#define CT_RAND_KERNEL(generator, body, Source, distribution) \
	extern "C" __global__ __launch_bounds__(CT_RAND_THREADS) void ct_rand_##generator##_##distribution(ct_rand_arguments g) \
	{ \
		body<distribution<Source>>(g); \
	}
#define CT_RAND_KERNELS(generator, body, Source) \
	CT_RAND_KERNEL(generator, body, Source, bits) \
	CT_RAND_KERNEL(generator, body, Source, uniform) \
	CT_RAND_KERNEL(generator, body, Source, uniform_double) \
	CT_RAND_KERNEL(generator, body, Source, normal) \
	CT_RAND_KERNEL(generator, body, Source, normal_double) \
	CT_RAND_KERNEL(generator, body, Source, log_normal) \
	CT_RAND_KERNEL(generator, body, Source, log_normal_double) \
	CT_RAND_KERNEL(generator, body, Source, discrete)

/* The thread's number in the grid, and how many there are. */
static __device__ __forceinline__ uint64_t thread_number()
{
	return blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
}
static __device__ __forceinline__ uint64_t threads()
{
	return gridDim.x * uint64_t(blockDim.x);
}

/* Items of sequences with states of six words: a thread reads its sequence's state, makes every CT_RAND_SEQUENCES-th item, from `first` on
 * in turn, and keeps the state for the next launch. */
template <class Source, class Distribution> static __device__ __forceinline__ void draw_in_turn(const ct_rand_arguments &g)
{
	uint32_t sequence = uint32_t(thread_number()), state[6], w[Distribution::WORDS];
	uint32_t *states = (uint32_t *)g.from + sequence;
	typename Distribution::item *to = (typename Distribution::item *)g.to;
	for (int i = 0; i < 6; i++)
		state[i] = states[i * CT_RAND_SEQUENCES];
	for (uint64_t i = (sequence - g.first) % CT_RAND_SEQUENCES; i < g.items; i += CT_RAND_SEQUENCES) {
		for (int k = 0; k < Distribution::WORDS; k++)
			w[k] = Source::next(state);
		to[i] = Distribution::make(g, w);
	}
	for (int i = 0; i < 6; i++)
		states[i * CT_RAND_SEQUENCES] = state[i];
}

/* Items of a row of words, of which Source::block gives four at once: a thread writes what it makes of them as one vector where it can. */
template <class Source, class Distribution> static __device__ __forceinline__ void draw_blocks(const ct_rand_arguments &g)
{
	typedef typename Distribution::item item;
	enum { ITEMS = 4 / Distribution::WORDS };
	struct alignas(ITEMS * sizeof(item)) vector {
		item part[ITEMS];
	};
	item *to = (item *)g.to;
	uint64_t skipped = g.first % 4 / Distribution::WORDS, end = skipped + g.items;
	bool whole = uint64_t(to - skipped) % sizeof(vector) == 0;
	for (uint64_t b = thread_number(); b * ITEMS < end; b += threads()) {
		uint32_t w[4];
		vector v;
		Source::block(g, b, w);
		for (int k = 0; k < ITEMS; k++)
			v.part[k] = Distribution::make(g, w + k * Distribution::WORDS);
		if (whole && b * ITEMS >= skipped && (b + 1) * ITEMS <= end)
			*(vector *)(to + (b * ITEMS - skipped)) = v;
		else
			for (int k = 0; k < ITEMS; k++)
				if (b * ITEMS + k >= skipped && b * ITEMS + k < end)
					to[b * ITEMS + k - skipped] = v.part[k];
	}
}

#endif

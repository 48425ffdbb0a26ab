/* MRG32k3a: CT_RAND_SEQUENCES sequences in turn. A word is a number from 1 to the first modulus, of which one makes a double, too. */
#include "rand.cuh"

struct mrg32k3a {
	enum { WORDS = 1 };
	static __device__ uint32_t next(uint32_t *state)
	{
		return ct_random_mrg(state);
	}
	static __device__ float uniform(const uint32_t *w)
	{
		return float(ct_random_mrg_uniform(w[0]));
	}
	static __device__ double uniform_double(const uint32_t *w)
	{
		return ct_random_mrg_uniform(w[0]);
	}
	static __device__ double uniform_word(uint32_t w)
	{
		return ct_random_mrg_uniform(w);
	}
};
template <class Distribution> static __device__ __forceinline__ void draw(const ct_rand_arguments &g)
{
	draw_in_turn<mrg32k3a, Distribution>(g);
}
CT_RAND_KERNELS(mrg32k3a, draw, mrg32k3a)

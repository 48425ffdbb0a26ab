/* Xorwow: CT_RAND_SEQUENCES sequences in turn. */
#include "rand.cuh"

struct xorwow : words32 {
	static __device__ uint32_t next(uint32_t *state)
	{
		return ct_random_xorwow(state, state + 5);
	}
};
template <class Distribution> static __device__ __forceinline__ void draw(const ct_rand_arguments &g)
{
	draw_in_turn<xorwow, Distribution>(g);
}
CT_RAND_KERNELS(xorwow, draw, xorwow)

/* Philox: the words of one sequence one after another, four of each counter. */
#include "rand.cuh"

struct philox : words32 {
	static __device__ void block(const ct_rand_arguments &g, uint64_t number, uint32_t *w)
	{
		number += g.first / 4;
		w[0] = uint32_t(number);
		w[1] = uint32_t(number >> 32);
		w[2] = w[3] = 0;
		ct_random_philox(w, g.key);
	}
};
template <class Distribution> static __device__ __forceinline__ void draw(const ct_rand_arguments &g)
{
	draw_blocks<philox, Distribution>(g);
}
CT_RAND_KERNELS(philox, draw, philox)

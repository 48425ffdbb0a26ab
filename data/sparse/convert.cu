/* Sparse matrices of one form that become those of another. */
#include "numbers.cuh"

#define OF_INDICES(name, structure) \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_##name##_32(structure g) \
	{ \
		name<int32_t>(g); \
	} \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_##name##_64(structure g) \
	{ \
		name<int64_t>(g); \
	}

/* offset, of rows + 1, from the rows that elements name in order: the thread of an element has the rows behind that of the element before. */
template <class I> __device__ __forceinline__ void offsets(const ct_sparse_conversion &g)
{
	int64_t batch = g.first + int64_t(blockIdx.z), i = thread_number();
	const I *row = (const I *)g.row + batch * g.batch;
	I *offset = (I *)g.offset + batch * (g.rows + 1);
	if (i > g.count)
		return;
	I from = i ? get(row + i - 1) - I(g.base) + 1 : 0, to = i < g.count ? get(row + i) - I(g.base) : I(g.rows);
	for (I r = from; r <= to; r++)
		put(offset + r, I(i + g.base));
}
OF_INDICES(offsets, ct_sparse_conversion)

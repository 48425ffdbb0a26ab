/* cooperative_groups.h - groups of threads: the grid of a cooperative launch, the block, tiles of it, the threads that are
 * together. Groups of several grids are refused by name. */
#ifndef CT_CUDA_COOPERATIVE_GROUPS_H
#define CT_CUDA_COOPERATIVE_GROUPS_H

#pragma GCC system_header

#include "cuda_runtime.h"

#if defined(__CUDA__)
namespace cooperative_groups
{

#define CT_GROUP __inline__ __attribute__((always_inline, device, nodebug))

/* One thread for each of `n` parties comes here and waits for the others. Bit 31 of *arrived changes when the last one has come, since
 * what they add is 2^31 together. */
CT_DEVICE void ct_cuda_meet(unsigned int *arrived, unsigned int n, bool is_first)
{
	__threadfence();
	unsigned int before = atomicAdd(arrived, is_first ? 0x80000000u - (n - 1) : 1u);
	while (((before ^ *(volatile unsigned int *)arrived) & 0x80000000u) == 0)
		__nanosleep(32);
	__threadfence();
}

class thread_block
{
      public:
	CT_GROUP static void sync()
	{
		__syncthreads();
	}
	CT_GROUP static unsigned int thread_rank()
	{
		return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	}
	CT_GROUP static unsigned int size()
	{
		return blockDim.x * blockDim.y * blockDim.z;
	}
	CT_GROUP static unsigned int num_threads()
	{
		return size();
	}
	CT_GROUP static dim3 group_index()
	{
		return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
	CT_GROUP static dim3 thread_index()
	{
		return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
	}
	CT_GROUP static dim3 group_dim()
	{
		return dim3(blockDim.x, blockDim.y, blockDim.z);
	}
	CT_GROUP static dim3 dim_threads()
	{
		return group_dim();
	}
	CT_GROUP static bool is_valid()
	{
		return true;
	}
};

CT_DEVICE thread_block this_thread_block()
{
	return thread_block();
}

/* A value of any type goes word by word, as numbers do. */
template <class T>
CT_DEVICE T ct_cuda_shuffle_any(int (*how)(unsigned int, int, int, int), unsigned int mask, T v, int lane, int width)
{
	int word[(sizeof(T) + 3) / 4] = {0};
	__builtin_memcpy(word, &v, sizeof v);
#pragma unroll
	for (unsigned int i = 0; i < sizeof word / sizeof *word; i++)
		word[i] = how(mask, word[i], lane, width);
	__builtin_memcpy(&v, word, sizeof v);
	return v;
}

/* Groups that lie in one warp. Members are known by a mask of lanes; shuffles name members by their rank. */
class ct_warp_group
{
      protected:
	unsigned int mask;
	CT_GROUP explicit ct_warp_group(unsigned int m) : mask(m)
	{
	}

      public:
	CT_GROUP void sync() const
	{
		__syncwarp(mask);
	}
	CT_GROUP unsigned int size() const
	{
		return (unsigned int)__popc(mask);
	}
	CT_GROUP unsigned int num_threads() const
	{
		return size();
	}
	CT_GROUP unsigned int thread_rank() const
	{
		return (unsigned int)__popc(mask & ct_cuda_lanemask_lt());
	}
	CT_GROUP int any(int predicate) const
	{
		return __any_sync(mask, predicate);
	}
	CT_GROUP int all(int predicate) const
	{
		return __all_sync(mask, predicate);
	}
	CT_GROUP bool is_valid() const
	{
		return true;
	}
	/* So many of its members, by their ranks, with the calling thread among them. */
	CT_GROUP class coalesced_group part(unsigned int members) const;
	/* Those members whose answer or label is the calling thread's. */
	CT_GROUP class coalesced_group part_where(bool yes) const;
	template <class T> CT_GROUP class coalesced_group part_like(T label) const;

      protected:
	/* Bits of lanes as bits of ranks. */
	CT_GROUP unsigned int ranks(unsigned int lanes) const
	{
		unsigned int packed = 0, rank = 0;
		for (unsigned int rest = mask; rest; rest &= rest - 1, rank++)
			packed |= (lanes & rest & (0u - rest) ? 1u : 0u) << rank;
		return packed;
	}
	/* The lane of a rank. */
	CT_GROUP int lane_of(unsigned int rank) const
	{
		unsigned int rest = mask;
		for (; rank && rest; rank--)
			rest &= rest - 1;
		return __ffs((int)rest) - 1;
	}
};

class coalesced_group : public ct_warp_group
{
      public:
	CT_GROUP explicit coalesced_group(unsigned int m) : ct_warp_group(m)
	{
	}
	CT_GROUP unsigned int ballot(int predicate) const
	{
		return ranks(__ballot_sync(mask, predicate));
	}
	template <class T> CT_GROUP unsigned int match_any(T v) const
	{
		return ranks(__match_any_sync(mask, v));
	}
	template <class T> CT_GROUP T shfl(T v, unsigned int rank) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl, mask, v, lane_of(rank), 32);
	}
	template <class T> CT_GROUP T shfl_up(T v, unsigned int by) const
	{
		unsigned int rank = thread_rank();
		return ct_cuda_shuffle_any(ct_cuda_shfl, mask, v, lane_of(rank < by ? rank : rank - by), 32);
	}
	template <class T> CT_GROUP T shfl_down(T v, unsigned int by) const
	{
		unsigned int rank = thread_rank();
		return ct_cuda_shuffle_any(ct_cuda_shfl, mask, v, lane_of(rank + by >= size() ? rank : rank + by), 32);
	}
};

CT_GROUP coalesced_group ct_warp_group::part(unsigned int members) const
{
	unsigned int mine = thread_rank() / members, lanes = 0, rank = 0;
	for (unsigned int rest = mask; rest; rest &= rest - 1, rank++)
		if (rank / members == mine)
			lanes |= rest & (0u - rest);
	return coalesced_group(lanes);
}

CT_GROUP coalesced_group ct_warp_group::part_where(bool yes) const
{
	unsigned int with = __ballot_sync(mask, yes);
	return coalesced_group(yes ? with : mask & ~with);
}

template <class T> CT_GROUP coalesced_group ct_warp_group::part_like(T label) const
{
	return coalesced_group(__match_any_sync(mask, label));
}

CT_DEVICE coalesced_group coalesced_threads()
{
	return coalesced_group(__activemask());
}

template <unsigned int Size, class Parent = thread_block> class thread_block_tile : public ct_warp_group
{
	static_assert(Size == 1 || Size == 2 || Size == 4 || Size == 8 || Size == 16 || Size == 32,
	              "tiles of more than a warp are not supported");
	CT_GROUP static unsigned int first()
	{
		return ct_cuda_lane() & ~(Size - 1);
	}

      public:
	CT_GROUP thread_block_tile() : ct_warp_group((Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1) << first())
	{
	}
	template <class Other> CT_GROUP thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile()
	{
	}
	CT_GROUP static constexpr unsigned int size()
	{
		return Size;
	}
	CT_GROUP static constexpr unsigned int num_threads()
	{
		return Size;
	}
	CT_GROUP static unsigned int thread_rank()
	{
		return ct_cuda_lane() & (Size - 1);
	}
	CT_GROUP static unsigned int meta_group_rank()
	{
		return thread_block::thread_rank() / Size;
	}
	CT_GROUP static unsigned int meta_group_size()
	{
		return (thread_block::size() + Size - 1) / Size;
	}
	CT_GROUP unsigned int ballot(int predicate) const
	{
		return __ballot_sync(mask, predicate) >> first() & (0xffffffffu >> (32 - Size));
	}
	template <class T> CT_GROUP unsigned int match_any(T v) const
	{
		return __match_any_sync(mask, v) >> first() & (0xffffffffu >> (32 - Size));
	}
	template <class T> CT_GROUP unsigned int match_all(T v, int &all) const
	{
		return __match_all_sync(mask, v, &all) >> first() & (0xffffffffu >> (32 - Size));
	}
	template <class T> CT_GROUP T shfl(T v, int rank) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl, mask, v, rank, Size);
	}
	template <class T> CT_GROUP T shfl_up(T v, unsigned int by) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl_up, mask, v, (int)by, Size);
	}
	template <class T> CT_GROUP T shfl_down(T v, unsigned int by) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl_down, mask, v, (int)by, Size);
	}
	template <class T> CT_GROUP T shfl_xor(T v, unsigned int by) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl_xor, mask, v, (int)by, Size);
	}
};

template <unsigned int Size, class Parent> CT_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
	return thread_block_tile<Size, Parent>();
}

/* A group of any kind: the block, or lanes of a warp. */
class thread_group : public ct_warp_group
{
	bool is_block;

      public:
	CT_GROUP thread_group(const thread_block &) : ct_warp_group(0), is_block(true)
	{
	}
	CT_GROUP thread_group(const ct_warp_group &lanes) : ct_warp_group(lanes), is_block(false)
	{
	}
	CT_GROUP void sync() const
	{
		if (is_block)
			__syncthreads();
		else
			ct_warp_group::sync();
	}
	CT_GROUP unsigned int size() const
	{
		return is_block ? thread_block::size() : ct_warp_group::size();
	}
	CT_GROUP unsigned int num_threads() const
	{
		return size();
	}
	CT_GROUP unsigned int thread_rank() const
	{
		return is_block ? thread_block::thread_rank() : ct_warp_group::thread_rank();
	}
	/* Tiles of the block begin where those of a warp do. */
	CT_GROUP thread_group tile(unsigned int members) const
	{
		unsigned int low = (members < 32 ? 1u << members : 0u) - 1;
		return is_block ? coalesced_group(low << (ct_cuda_lane() & ~(members - 1))) : part(members);
	}
};

CT_DEVICE thread_group tiled_partition(const thread_group &group, unsigned int members)
{
	return group.tile(members);
}

CT_DEVICE coalesced_group tiled_partition(const coalesced_group &group, unsigned int members)
{
	return group.part(members);
}

/* Threads of a group that share a label. */
template <class T> CT_DEVICE coalesced_group labeled_partition(const ct_warp_group &group, T label)
{
	return group.part_like(label);
}

CT_DEVICE coalesced_group binary_partition(const ct_warp_group &group, bool yes)
{
	return group.part_where(yes);
}

template <class Group> CT_DEVICE void sync(const Group &group)
{
	group.sync();
}

template <class T> struct plus {
	CT_GROUP T operator()(T a, T b) const
	{
		return a + b;
	}
};
template <class T> struct less {
	CT_GROUP T operator()(T a, T b) const
	{
		return b < a ? b : a;
	}
};
template <class T> struct greater {
	CT_GROUP T operator()(T a, T b) const
	{
		return a < b ? b : a;
	}
};
template <class T> struct bit_and {
	CT_GROUP T operator()(T a, T b) const
	{
		return a & b;
	}
};
template <class T> struct bit_or {
	CT_GROUP T operator()(T a, T b) const
	{
		return a | b;
	}
};
template <class T> struct bit_xor {
	CT_GROUP T operator()(T a, T b) const
	{
		return a ^ b;
	}
};

template <unsigned int Size, class Parent, class T, class Op>
CT_DEVICE T reduce(const thread_block_tile<Size, Parent> &tile, T v, Op op)
{
	for (unsigned int by = Size / 2; by > 0; by /= 2)
		v = op(v, tile.shfl_xor(v, by));
	return v;
}

template <class T, class Op> CT_DEVICE T reduce(const coalesced_group &group, T v, Op op)
{
	T all = group.shfl(v, 0);
	for (unsigned int rank = 1; rank < group.size(); rank++)
		all = op(all, group.shfl(v, rank));
	return all;
}

/* Sums of those of lower rank and of the thread's own value; without it, where the first has T(). */
template <class Group, class T, class Op> CT_DEVICE T inclusive_scan(const Group &group, T v, Op op)
{
	for (unsigned int by = 1; by < group.size(); by *= 2) {
		T other = group.shfl_up(v, by);
		if (group.thread_rank() >= by)
			v = op(other, v);
	}
	return v;
}

template <class Group, class T> CT_DEVICE T inclusive_scan(const Group &group, T v)
{
	return inclusive_scan(group, v, plus<T>());
}

template <class Group, class T, class Op> CT_DEVICE T exclusive_scan(const Group &group, T v, Op op)
{
	T before = group.shfl_up(inclusive_scan(group, v, op), 1);
	return group.thread_rank() == 0 ? T() : before;
}

template <class Group, class T> CT_DEVICE T exclusive_scan(const Group &group, T v)
{
	return exclusive_scan(group, v, plus<T>());
}

/* The threads of the group copy bytes together, in words where all lie so. Nothing is left to wait for, but that all have come. */
template <class Group, class T>
CT_DEVICE void memcpy_async(const Group &group, T *to, const T *from, __SIZE_TYPE__ bytes)
{
	__SIZE_TYPE__ rank = group.thread_rank(), n = group.size();
	if ((((__SIZE_TYPE__)to | (__SIZE_TYPE__)from | bytes) & 15) == 0)
		for (__SIZE_TYPE__ i = rank; i < bytes / 16; i += n)
			((uint4 *)to)[i] = ((const uint4 *)from)[i];
	else if ((((__SIZE_TYPE__)to | (__SIZE_TYPE__)from | bytes) & 3) == 0)
		for (__SIZE_TYPE__ i = rank; i < bytes / 4; i += n)
			((unsigned int *)to)[i] = ((const unsigned int *)from)[i];
	else
		for (__SIZE_TYPE__ i = rank; i < bytes; i += n)
			((char *)to)[i] = ((const char *)from)[i];
}

template <class Group> CT_DEVICE void wait(const Group &group)
{
	group.sync();
}

template <unsigned int stages, class Group> CT_DEVICE void wait_prior(const Group &group)
{
	group.sync();
}

/* All blocks of a cooperative launch. */
class grid_group
{
      public:
	CT_GROUP static bool is_valid()
	{
		unsigned int valid;
		__asm__("mov.u32 %0, %%envreg1;" : "=r"(valid));
		return valid != 0;
	}
	CT_GROUP static unsigned long long block_rank()
	{
		return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	}
	CT_GROUP static unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	CT_GROUP static unsigned long long thread_rank()
	{
		return block_rank() * thread_block::size() + thread_block::thread_rank();
	}
	CT_GROUP static unsigned long long num_threads()
	{
		return num_blocks() * thread_block::size();
	}
	CT_GROUP static unsigned long long size()
	{
		return num_threads();
	}
	CT_GROUP static dim3 block_index()
	{
		return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
	CT_GROUP static dim3 dim_blocks()
	{
		return dim3(gridDim.x, gridDim.y, gridDim.z);
	}
	CT_GROUP static dim3 group_dim()
	{
		return dim_blocks();
	}
	/* In a launch that is not cooperative, blocks cannot wait for one another. */
	CT_GROUP static void sync()
	{
		static unsigned int arrived;
		if (!is_valid())
			__trap();
		__syncthreads();
		if (thread_block::thread_rank() == 0)
			ct_cuda_meet(&arrived, (unsigned int)num_blocks(), block_rank() == 0);
		__syncthreads();
	}
};

CT_DEVICE grid_group this_grid()
{
	return grid_group();
}

#define CT_NO_GRIDS __attribute__((unavailable("groups of several grids are not supported: there is one device")))
class CT_NO_GRIDS multi_grid_group
{
};
CT_NO_GRIDS __device__ multi_grid_group this_multi_grid();
#undef CT_NO_GRIDS
#undef CT_GROUP

}
#endif

#endif

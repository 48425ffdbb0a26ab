/* cooperative_groups.h - groups of threads: the grid of a cooperative launch, the block, tiles of it, the threads that are
 * together. Groups of several grids are refused by name. */
#ifndef CT_CUDA_COOPERATIVE_GROUPS_H
#define CT_CUDA_COOPERATIVE_GROUPS_H

#pragma GCC system_header

#include "cuda_runtime.h"
#include "device/async.h"

#if defined(__CUDA__)
namespace cooperative_groups
{

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

/* Where warps of one tile meet, and leave values for one another. */
struct ct_cuda_tile_room {
	unsigned int arrived[32]; /* of tile i of n: at n + i, where n tiles are 1024 threads */
	struct alignas(16) {
		unsigned char bytes[32];
	} slot[32]; /* of each warp */
};
template <unsigned int threads = 1024> struct block_tile_memory {
	ct_cuda_tile_room room;
};

class thread_block
{
      public:
	ct_cuda_tile_room *room; /* NULL: its tiles are parts of warps */
	CT_METHOD explicit thread_block(ct_cuda_tile_room *r) : room(r)
	{
	}
	CT_METHOD static void sync()
	{
		__syncthreads();
	}
	CT_METHOD static unsigned int thread_rank()
	{
		return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	}
	CT_METHOD static unsigned int size()
	{
		return blockDim.x * blockDim.y * blockDim.z;
	}
	CT_METHOD static unsigned int num_threads()
	{
		return size();
	}
	CT_METHOD static dim3 group_index()
	{
		return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
	CT_METHOD static dim3 thread_index()
	{
		return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
	}
	CT_METHOD static dim3 group_dim()
	{
		return dim3(blockDim.x, blockDim.y, blockDim.z);
	}
	CT_METHOD static dim3 dim_threads()
	{
		return group_dim();
	}
	CT_METHOD static bool is_valid()
	{
		return true;
	}
};

CT_DEVICE thread_block this_thread_block()
{
	return thread_block(nullptr);
}

template <unsigned int threads> CT_DEVICE thread_block this_thread_block(block_tile_memory<threads> &memory)
{
	if (thread_block::thread_rank() < 32)
		memory.room.arrived[thread_block::thread_rank()] = 0;
	__syncthreads();
	return thread_block(&memory.room);
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
	CT_METHOD explicit ct_warp_group(unsigned int m) : mask(m)
	{
	}

      public:
	CT_METHOD void sync() const
	{
		__syncwarp(mask);
	}
	CT_METHOD unsigned int size() const
	{
		return (unsigned int)__popc(mask);
	}
	CT_METHOD unsigned int num_threads() const
	{
		return size();
	}
	CT_METHOD unsigned int thread_rank() const
	{
		return (unsigned int)__popc(mask & ct_cuda_lanemask_lt());
	}
	CT_METHOD int any(int predicate) const
	{
		return __any_sync(mask, predicate);
	}
	CT_METHOD int all(int predicate) const
	{
		return __all_sync(mask, predicate);
	}
	CT_METHOD bool is_valid() const
	{
		return true;
	}
	/* So many of its members, by their ranks, with the calling thread among them. */
	CT_METHOD class coalesced_group part(unsigned int members) const;
	/* Those members whose answer or label is the calling thread's. */
	CT_METHOD class coalesced_group part_where(bool yes) const;
	template <class T> CT_METHOD class coalesced_group part_like(T label) const;

      protected:
	/* Bits of lanes as bits of ranks. */
	CT_METHOD unsigned int ranks(unsigned int lanes) const
	{
		unsigned int packed = 0, rank = 0;
		for (unsigned int rest = mask; rest; rest &= rest - 1, rank++)
			packed |= (lanes & rest & (0u - rest) ? 1u : 0u) << rank;
		return packed;
	}
	/* The lane of a rank. */
	CT_METHOD int lane_of(unsigned int rank) const
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
	CT_METHOD explicit coalesced_group(unsigned int m) : ct_warp_group(m)
	{
	}
	CT_METHOD unsigned int ballot(int predicate) const
	{
		return ranks(__ballot_sync(mask, predicate));
	}
	template <class T> CT_METHOD unsigned int match_any(T v) const
	{
		return ranks(__match_any_sync(mask, v));
	}
	template <class T> CT_METHOD T shfl(T v, unsigned int rank) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl, mask, v, lane_of(rank), 32);
	}
	template <class T> CT_METHOD T shfl_up(T v, unsigned int by) const
	{
		unsigned int rank = thread_rank();
		return ct_cuda_shuffle_any(ct_cuda_shfl, mask, v, lane_of(rank < by ? rank : rank - by), 32);
	}
	template <class T> CT_METHOD T shfl_down(T v, unsigned int by) const
	{
		unsigned int rank = thread_rank();
		return ct_cuda_shuffle_any(ct_cuda_shfl, mask, v, lane_of(rank + by >= size() ? rank : rank + by), 32);
	}
};

CT_METHOD coalesced_group ct_warp_group::part(unsigned int members) const
{
	unsigned int mine = thread_rank() / members, lanes = 0, rank = 0;
	for (unsigned int rest = mask; rest; rest &= rest - 1, rank++)
		if (rank / members == mine)
			lanes |= rest & (0u - rest);
	return coalesced_group(lanes);
}

CT_METHOD coalesced_group ct_warp_group::part_where(bool yes) const
{
	unsigned int with = __ballot_sync(mask, yes);
	return coalesced_group(yes ? with : mask & ~with);
}

template <class T> CT_METHOD coalesced_group ct_warp_group::part_like(T label) const
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
	              "tiles have a power of two of threads, at most 1024");
	CT_METHOD static unsigned int first()
	{
		return ct_cuda_lane() & ~(Size - 1);
	}

      public:
	CT_METHOD thread_block_tile() : ct_warp_group((Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1) << first())
	{
	}
	CT_METHOD explicit thread_block_tile(const Parent &) : thread_block_tile()
	{
	}
	template <class Other> CT_METHOD thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile()
	{
	}
	CT_METHOD static constexpr unsigned int size()
	{
		return Size;
	}
	CT_METHOD static constexpr unsigned int num_threads()
	{
		return Size;
	}
	CT_METHOD static unsigned int thread_rank()
	{
		return ct_cuda_lane() & (Size - 1);
	}
	CT_METHOD static unsigned int meta_group_rank()
	{
		return thread_block::thread_rank() / Size;
	}
	CT_METHOD static unsigned int meta_group_size()
	{
		return (thread_block::size() + Size - 1) / Size;
	}
	CT_METHOD unsigned int ballot(int predicate) const
	{
		return __ballot_sync(mask, predicate) >> first() & (0xffffffffu >> (32 - Size));
	}
	template <class T> CT_METHOD unsigned int match_any(T v) const
	{
		return __match_any_sync(mask, v) >> first() & (0xffffffffu >> (32 - Size));
	}
	template <class T> CT_METHOD unsigned int match_all(T v, int &all) const
	{
		return __match_all_sync(mask, v, &all) >> first() & (0xffffffffu >> (32 - Size));
	}
	template <class T> CT_METHOD T shfl(T v, int rank) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl, mask, v, rank, Size);
	}
	template <class T> CT_METHOD T shfl_up(T v, unsigned int by) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl_up, mask, v, (int)by, Size);
	}
	template <class T> CT_METHOD T shfl_down(T v, unsigned int by) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl_down, mask, v, (int)by, Size);
	}
	template <class T> CT_METHOD T shfl_xor(T v, unsigned int by) const
	{
		return ct_cuda_shuffle_any(ct_cuda_shfl_xor, mask, v, (int)by, Size);
	}
	template <class T, class Op> CT_METHOD T ct_cuda_reduce(T v, Op op) const
	{
		for (unsigned int by = Size / 2; by > 0; by /= 2)
			v = op(v, shfl_xor(v, by));
		return v;
	}
};

/* Tiles of several warps, in a block that was given memory for them. */
template <unsigned int Size> class ct_wide_tile
{
	ct_cuda_tile_room *room;

      public:
	CT_METHOD explicit ct_wide_tile(ct_cuda_tile_room *r) : room(r)
	{
		if (!room)
			__trap();
	}
	CT_METHOD ct_cuda_tile_room *ct_cuda_room() const
	{
		return room;
	}
	CT_METHOD static constexpr unsigned int size()
	{
		return Size;
	}
	CT_METHOD static constexpr unsigned int num_threads()
	{
		return Size;
	}
	CT_METHOD static unsigned int thread_rank()
	{
		return thread_block::thread_rank() % Size;
	}
	CT_METHOD static unsigned int meta_group_rank()
	{
		return thread_block::thread_rank() / Size;
	}
	CT_METHOD static unsigned int meta_group_size()
	{
		return (thread_block::size() + Size - 1) / Size;
	}
	CT_METHOD void sync() const
	{
		__syncwarp();
		if (thread_rank() % 32 == 0)
			ct_cuda_meet(&room->arrived[1024 / Size + meta_group_rank()], Size / 32, thread_rank() == 0);
		__syncwarp();
	}
	template <class T> CT_METHOD T shfl(T v, unsigned int rank) const
	{
		static_assert(sizeof(T) <= sizeof room->slot[0].bytes, "values of at most 32 bytes");
		void *at = room->slot[meta_group_rank() * (Size / 32)].bytes;
		if (thread_rank() == rank)
			__builtin_memcpy(at, &v, sizeof v);
		sync();
		__builtin_memcpy(&v, at, sizeof v);
		sync();
		return v;
	}
	/* Every warp reduces its own values, then the results of all warps are put together. */
	template <class T, class Op> CT_METHOD T ct_cuda_reduce(T v, Op op) const
	{
		return join(thread_block_tile<32>().ct_cuda_reduce(v, op), op);
	}
	CT_METHOD int any(int predicate) const
	{
		return join(__any_sync(0xffffffffu, predicate), either());
	}
	CT_METHOD int all(int predicate) const
	{
		return !any(!predicate);
	}

      private:
	struct either {
		CT_METHOD int operator()(int a, int b) const
		{
			return a | b;
		}
	};
	template <class T, class Op> CT_METHOD T join(T v, Op op) const
	{
		static_assert(sizeof(T) <= sizeof room->slot[0].bytes, "values of at most 32 bytes");
		unsigned int first = meta_group_rank() * (Size / 32);
		if (thread_rank() % 32 == 0)
			__builtin_memcpy(room->slot[first + thread_rank() / 32].bytes, &v, sizeof v);
		sync();
		__builtin_memcpy(&v, room->slot[first].bytes, sizeof v);
		for (unsigned int warp = 1; warp < Size / 32; warp++) {
			T other;
			__builtin_memcpy(&other, room->slot[first + warp].bytes, sizeof other);
			v = op(v, other);
		}
		sync();
		return v;
	}
};

#define CT_WIDE_TILE(n) \
	template <class Parent> class thread_block_tile<n, Parent> : public ct_wide_tile<n> \
	{ \
	      public: \
		CT_METHOD explicit thread_block_tile(const thread_block &block) : ct_wide_tile<n>(block.room) \
		{ \
		} \
		template <unsigned int Size, class Other> \
		CT_METHOD explicit thread_block_tile(const thread_block_tile<Size, Other> &tile) \
			: ct_wide_tile<n>(tile.ct_cuda_room()) \
		{ \
		} \
		template <class Other> \
		CT_METHOD thread_block_tile(const thread_block_tile<n, Other> &tile) : ct_wide_tile<n>(tile.ct_cuda_room()) \
		{ \
		} \
	};
CT_WIDE_TILE(64)
CT_WIDE_TILE(128)
CT_WIDE_TILE(256)
CT_WIDE_TILE(512)
CT_WIDE_TILE(1024)
#undef CT_WIDE_TILE

template <unsigned int Size, class Parent> CT_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
	return thread_block_tile<Size, Parent>(parent);
}

/* A group of any kind: the block, or lanes of a warp. */
class thread_group : public ct_warp_group
{
	bool is_block;

      public:
	CT_METHOD thread_group(const thread_block &) : ct_warp_group(0), is_block(true)
	{
	}
	CT_METHOD thread_group(const ct_warp_group &lanes) : ct_warp_group(lanes), is_block(false)
	{
	}
	CT_METHOD void sync() const
	{
		if (is_block)
			__syncthreads();
		else
			ct_warp_group::sync();
	}
	CT_METHOD unsigned int size() const
	{
		return is_block ? thread_block::size() : ct_warp_group::size();
	}
	CT_METHOD unsigned int num_threads() const
	{
		return size();
	}
	CT_METHOD unsigned int thread_rank() const
	{
		return is_block ? thread_block::thread_rank() : ct_warp_group::thread_rank();
	}
	/* Tiles of the block begin where those of a warp do. */
	CT_METHOD thread_group tile(unsigned int members) const
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
	CT_METHOD T operator()(T a, T b) const
	{
		return a + b;
	}
};
template <class T> struct less {
	CT_METHOD T operator()(T a, T b) const
	{
		return b < a ? b : a;
	}
};
template <class T> struct greater {
	CT_METHOD T operator()(T a, T b) const
	{
		return a < b ? b : a;
	}
};
template <class T> struct bit_and {
	CT_METHOD T operator()(T a, T b) const
	{
		return a & b;
	}
};
template <class T> struct bit_or {
	CT_METHOD T operator()(T a, T b) const
	{
		return a | b;
	}
};
template <class T> struct bit_xor {
	CT_METHOD T operator()(T a, T b) const
	{
		return a ^ b;
	}
};

template <unsigned int Size, class Parent, class T, class Op>
CT_DEVICE T reduce(const thread_block_tile<Size, Parent> &tile, T v, Op op)
{
	return tile.ct_cuda_reduce(v, op);
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

/* The threads of the group copy bytes together, in the widest words that fit. */
template <class Group, class T>
CT_DEVICE void memcpy_async(const Group &group, T *to, const T *from, __SIZE_TYPE__ bytes)
{
	ct_cuda_copy_together(to, from, bytes, 0, group.thread_rank(), group.size());
	ct_cuda_end_group();
}

template <class Group> CT_DEVICE void wait(const Group &group)
{
	ct_cuda_wait_groups<0>();
	group.sync();
}

template <unsigned int stages, class Group> CT_DEVICE void wait_prior(const Group &group)
{
	ct_cuda_wait_groups<stages>();
	group.sync();
}

/* All blocks of a cooperative launch. */
class grid_group
{
      public:
	CT_METHOD static bool is_valid()
	{
		unsigned int valid;
		__asm__("mov.u32 %0, %%envreg1;" : "=r"(valid));
		return valid != 0;
	}
	CT_METHOD static unsigned long long block_rank()
	{
		return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	}
	CT_METHOD static unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	CT_METHOD static unsigned long long thread_rank()
	{
		return block_rank() * thread_block::size() + thread_block::thread_rank();
	}
	CT_METHOD static unsigned long long num_threads()
	{
		return num_blocks() * thread_block::size();
	}
	CT_METHOD static unsigned long long size()
	{
		return num_threads();
	}
	CT_METHOD static dim3 block_index()
	{
		return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
	CT_METHOD static dim3 dim_blocks()
	{
		return dim3(gridDim.x, gridDim.y, gridDim.z);
	}
	CT_METHOD static dim3 group_dim()
	{
		return dim_blocks();
	}
	/* In a launch that is not cooperative, blocks cannot wait for one another. */
	CT_METHOD static void sync()
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

}
#endif

#endif

/* program.h - what generated programs are made of: the same text is CUDA for ctcc and C for the host's compiler.
 *
 * CUDA runs a thread's variables in registers and all threads at once. C keeps an array of each variable and runs
 * the threads one after the other (EACH) from one barrier to the next, so that both must come to the same. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 96, BLOCKS = 2, TABLE = 64, SHARED = 128, COUNTERS = 8, PRIVATE = 8, RESULTS = 20 };

#ifdef __CUDACC__
#define DEVICE __device__ __noinline__
#define KERNEL __global__
#define SHARED_MEMORY __shared__
#define VARIABLE(type, name) type name = 0
#define PRIVATE_ARRAY(name) int name[PRIVATE]
#define V(name) name
#define P(name, k) name[(k) & (PRIVATE - 1)]
#define EACH
#define BARRIER __syncthreads();
#define TID ((int)threadIdx.x)
#define BID ((int)blockIdx.x)
#define POPC(a) __popc(a)
#define CLZ(a) __clz(a)
#define BREV(a) __brev(a)
#define MULHI(a, b) __mulhi(a, b)
#define UMULHI(a, b) __umulhi(a, b)
#define PERM(a, b, c) __byte_perm(a, b, c)
#define FUNNEL(a, b, c) __funnelshift_l(a, b, c)
#define ATOMIC(what, place, value) atomic##what(place, value)
#define SHUFFLE(to, from, lane) V(to) = __shfl_sync(~0u, V(from), (lane)&31);
#define SHUFFLE_XOR(to, from, mask) V(to) = __shfl_xor_sync(~0u, V(from), mask);
#define SHUFFLE_UP(to, from, n) V(to) = __shfl_up_sync(~0u, V(from), n);
#define SHUFFLE_DOWN(to, from, n) V(to) = __shfl_down_sync(~0u, V(from), n);
#define BALLOT(to, condition) V(to) = __ballot_sync(~0u, condition);
#define ANY(to, condition) V(to) = __any_sync(~0u, condition);
#define ALL(to, condition) V(to) = __all_sync(~0u, condition);
#else
#define DEVICE static
#define KERNEL static
#define SHARED_MEMORY
#define VARIABLE(type, name) type name[THREADS] = {0}
#define PRIVATE_ARRAY(name) int name[THREADS][PRIVATE]
#define V(name) name[t]
#define P(name, k) name[t][(k) & (PRIVATE - 1)]
#define EACH for (int t = 0; t < THREADS; t++)
#define BARRIER
#define TID t
#define BID block
static int block;
#define POPC(a) __builtin_popcount(a)
#define CLZ(a) ((a) ? __builtin_clz(a) : 32)
static unsigned BREV(unsigned a)
{
	unsigned r = 0;
	for (int i = 0; i < 32; i++)
		r |= (a >> i & 1) << (31 - i);
	return r;
}
#define MULHI(a, b) ((int)((long long)(a) * (b) >> 32))
#define UMULHI(a, b) ((unsigned)((unsigned long long)(a) * (b) >> 32))
static unsigned PERM(unsigned a, unsigned b, unsigned c)
{
	unsigned long long both = (unsigned long long)b << 32 | a;
	unsigned r = 0;
	for (int i = 0; i < 4; i++)
		r |= (unsigned)(both >> 8 * (c >> 4 * i & 7) & 255) << 8 * i;
	return r;
}
#define FUNNEL(a, b, c) ((c)&31 ? (b) << ((c)&31) | (a) >> (32 - ((c)&31)) : (b))
#define ATOMIC(what, place, value) host_##what(place, value)
static void host_Add(int *p, int v)
{
	*p = (int)((unsigned)*p + (unsigned)v);
}
static void host_Max(int *p, int v)
{
	*p = v > *p ? v : *p;
}
static void host_Min(int *p, int v)
{
	*p = v < *p ? v : *p;
}
static void host_Xor(int *p, int v)
{
	*p ^= v;
}
static void host_Or(int *p, int v)
{
	*p |= v;
}
/* What other lanes hold is read before any is written. */
#define EXCHANGE(to, from, source) \
	{ \
		int lane_[THREADS]; \
		__typeof__(from[0]) held_[THREADS]; \
		memcpy(held_, from, sizeof held_); \
		EACH lane_[t] = (source); \
		EACH if (lane_[t] >= 0) to[t] = held_[lane_[t]]; \
		else to[t] = held_[t]; \
	}
#define SHUFFLE(to, from, lane) EXCHANGE(to, from, (t & ~31) + ((lane)&31))
#define SHUFFLE_XOR(to, from, mask) EXCHANGE(to, from, t ^ (mask))
#define SHUFFLE_UP(to, from, n) EXCHANGE(to, from, (t & 31) >= (n) ? t - (n) : -1)
#define SHUFFLE_DOWN(to, from, n) EXCHANGE(to, from, (t & 31) + (n) < 32 ? t + (n) : -1)
#define VOTE(condition) \
	unsigned vote_[THREADS / 32] = {0}; \
	EACH vote_[t / 32] |= (unsigned)!!(condition) << (t & 31);
#define BALLOT(to, condition) \
	{ \
		VOTE(condition) EACH V(to) = vote_[t / 32]; \
	}
#define ANY(to, condition) \
	{ \
		VOTE(condition) EACH V(to) = vote_[t / 32] != 0; \
	}
#define ALL(to, condition) \
	{ \
		VOTE(condition) EACH V(to) = vote_[t / 32] == ~0u; \
	}
#endif

/* Arithmetic that C leaves undefined for some operands is made defined. */
#define ADD(a, b) ((int)((unsigned)(a) + (unsigned)(b)))
#define SUB(a, b) ((int)((unsigned)(a) - (unsigned)(b)))
#define MUL(a, b) ((int)((unsigned)(a) * (unsigned)(b)))
#define LADD(a, b) ((long long)((unsigned long long)(a) + (unsigned long long)(b)))
#define LSUB(a, b) ((long long)((unsigned long long)(a) - (unsigned long long)(b)))
#define LMUL(a, b) ((long long)((unsigned long long)(a) * (unsigned long long)(b)))
#define SHL(a, b) ((int)((unsigned)(a) << ((b)&31)))
#define LSHL(a, b) ((long long)((unsigned long long)(a) << ((b)&63)))

#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
static inline BOTH int DIV(int a, int b)
{
	return b == 0 || b == -1 ? a : a / b;
}
static inline BOTH int REM(int a, int b)
{
	return b == 0 || b == -1 ? a : a % b;
}
static inline BOTH long long LDIV(long long a, long long b)
{
	return b == 0 || b == -1 ? a : a / b;
}
static inline BOTH long long LREM(long long a, long long b)
{
	return b == 0 || b == -1 ? a : a % b;
}
static inline BOTH unsigned UDIV(unsigned a, unsigned b)
{
	return b ? a / b : a;
}
static inline BOTH unsigned UREM(unsigned a, unsigned b)
{
	return b ? a % b : a;
}
static inline BOTH int TOINT(double d)
{
	return d > -2e9 && d < 2e9 ? (int)d : 7;
}
static inline BOTH long long TOLONG(double d)
{
	return d > -9e18 && d < 9e18 ? (long long)d : 9;
}
/* A result as bits; numbers that are none have many. */
static inline BOTH unsigned long long BITS_I(int v)
{
	return (unsigned)v;
}
static inline BOTH unsigned long long BITS_U(unsigned v)
{
	return v;
}
static inline BOTH unsigned long long BITS_L(long long v)
{
	return (unsigned long long)v;
}
static inline BOTH unsigned long long BITS_F(float v)
{
	unsigned bits;
	memcpy(&bits, &v, sizeof bits);
	return v != v ? 0x7fc00000u : bits;
}
static inline BOTH unsigned long long BITS_D(double v)
{
	unsigned long long bits;
	memcpy(&bits, &v, sizeof bits);
	return v != v ? 0x7ff8000000000000ull : bits;
}

/* dim3.h - the sizes of grids and blocks, for C and for C++ as CUDA's programs use them. */
#ifndef CT_CUDA_DIM3_H
#define CT_CUDA_DIM3_H

#if defined(__CUDA__) || defined(__CUDACC__)
#define CT_CUDA_BOTH __attribute__((host)) __attribute__((device))
#else
#define CT_CUDA_BOTH
#endif

struct uint3 {
	unsigned int x, y, z;
};

/* Sizes that are not given are 1. A uint3 (a builtin index) converts both ways. */
struct dim3 {
	unsigned int x, y, z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
	CT_CUDA_BOTH constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
		: x(x_), y(y_), z(z_)
	{
	}
	CT_CUDA_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	CT_CUDA_BOTH constexpr operator uint3() const { return uint3{x, y, z}; }
#if defined(__CUDA__)
	/* Of a builtin index (device/index.h), also where it is returned or passed on as a dim3. */
	template <class T, class Index = typename T::ct_is_index> __attribute__((device)) dim3(const T &v)
		: x(v.x), y(v.y), z(v.z)
	{
	}
#endif
#else
	CT_CUDA_BOTH dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
		: x(x_), y(y_), z(z_)
	{
	}
	CT_CUDA_BOTH dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	CT_CUDA_BOTH operator uint3() const
	{
		uint3 v = {x, y, z};
		return v;
	}
#endif
#endif
};

#ifndef __cplusplus
typedef struct uint3 uint3;
typedef struct dim3 dim3;
#endif

#endif

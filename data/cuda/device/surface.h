/* device/surface.h - surface references and surface objects. */
#ifndef CT_CUDA_DEVICE_SURFACE_H
#define CT_CUDA_DEVICE_SURFACE_H

#pragma GCC system_header

#include <driver_types.h>
#include "define.h"
#include "texture.h"

#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceType1DLayered 0xf1
#define cudaSurfaceType2DLayered 0xf2
#define cudaSurfaceTypeCubemap 0x0c
#define cudaSurfaceTypeCubemapLayered 0xfc

/* For the device a reference is its handle alone. */
template <class T, int type = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
	__host__ surface() : surfaceReference() {}
};

/* An access of so many bytes: the registers that it takes, and each geometry in each boundary mode. The first coordinate
 * counts bytes. */
template <unsigned long bytes> struct ct_cuda_surface;
#define CT_CUDA_OUT_1(c) [v0] "=" c(v[0])
#define CT_CUDA_OUT_2(c) CT_CUDA_OUT_1(c), [v1] "=" c(v[1])
#define CT_CUDA_OUT_4(c) CT_CUDA_OUT_2(c), [v2] "=" c(v[2]), [v3] "=" c(v[3])
#define CT_CUDA_IN_1(c) [v0] c(v[0])
#define CT_CUDA_IN_2(c) CT_CUDA_IN_1(c), [v1] c(v[1])
#define CT_CUDA_IN_4(c) CT_CUDA_IN_2(c), [v2] c(v[2]), [v3] c(v[3])
#define CT_CUDA_LIST_1 "%[v0]"
#define CT_CUDA_LIST_2 "{%[v0], %[v1]}"
#define CT_CUDA_LIST_4 "{%[v0], %[v1], %[v2], %[v3]}"
#define CT_CUDA_LOAD_IN(mode, n, form, c, place, ...) \
	__asm__ volatile("suld.b." form "." mode " " CT_CUDA_LIST_##n ", [%[s], " place "];" \
	                 : CT_CUDA_OUT_##n(c) \
	                 : [s] "l"(s), __VA_ARGS__ \
	                 : "memory")
#define CT_CUDA_STORE_IN(mode, n, form, c, place, ...) \
	__asm__ volatile("sust.b." form "." mode " [%[s], " place "], " CT_CUDA_LIST_##n ";" \
	                 : \
	                 : [s] "l"(s), CT_CUDA_IN_##n(c), __VA_ARGS__ \
	                 : "memory")
#define CT_CUDA_ANY_MODE(access, n, form, c, place, ...) \
	if (mode == cudaBoundaryModeZero) \
		access("zero", n, form, c, place, __VA_ARGS__); \
	else if (mode == cudaBoundaryModeClamp) \
		access("clamp", n, form, c, place, __VA_ARGS__); \
	else \
		access("trap", n, form, c, place, __VA_ARGS__);
#define CT_CUDA_GEOMETRY(name, n, form, c, parameters, place, ...) \
	static __device__ __inline__ __attribute__((always_inline)) void load##name( \
		word *v, unsigned long long s, enum cudaSurfaceBoundaryMode mode, CT_CUDA_PARAMETERS parameters) \
	{ \
		CT_CUDA_ANY_MODE(CT_CUDA_LOAD_IN, n, form, c, place, __VA_ARGS__) \
	} \
	static __device__ __inline__ __attribute__((always_inline)) void store##name( \
		const word *v, unsigned long long s, enum cudaSurfaceBoundaryMode mode, CT_CUDA_PARAMETERS parameters) \
	{ \
		CT_CUDA_ANY_MODE(CT_CUDA_STORE_IN, n, form, c, place, __VA_ARGS__) \
	}
#define CT_CUDA_PARAMETERS(...) __VA_ARGS__
#define CT_CUDA_ACCESS(bytes, n, type, ct_word, c) \
	template <> struct ct_cuda_surface<bytes> { \
		typedef ct_word word; \
		enum { words = n }; \
		CT_CUDA_GEOMETRY(, n, "1d." type, c, (int x), "{%[x]}", [x] "r"(x)) \
		CT_CUDA_GEOMETRY(, n, "2d." type, c, (int x, int y), "{%[x], %[y]}", [x] "r"(x), [y] "r"(y)) \
		CT_CUDA_GEOMETRY(, n, "3d." type, c, (int x, int y, int z), "{%[x], %[y], %[z], %[z]}", [x] "r"(x), \
		                 [y] "r"(y), [z] "r"(z)) \
		CT_CUDA_GEOMETRY(_layer, n, "a1d." type, c, (int x, int layer), "{%[l], %[x]}", [l] "r"(layer), [x] "r"(x)) \
		CT_CUDA_GEOMETRY(_layer, n, "a2d." type, c, (int x, int y, int layer), "{%[l], %[x], %[y], %[y]}", \
		                 [l] "r"(layer), [x] "r"(x), [y] "r"(y)) \
	};
CT_CUDA_ACCESS(1, 1, "b8", unsigned short, "h")
CT_CUDA_ACCESS(2, 1, "b16", unsigned short, "h")
CT_CUDA_ACCESS(4, 1, "b32", unsigned int, "r")
CT_CUDA_ACCESS(8, 2, "v2.b32", unsigned int, "r")
CT_CUDA_ACCESS(16, 4, "v4.b32", unsigned int, "r")
#undef CT_CUDA_ACCESS
#undef CT_CUDA_GEOMETRY
#undef CT_CUDA_ANY_MODE
#undef CT_CUDA_STORE_IN
#undef CT_CUDA_LOAD_IN
#undef CT_CUDA_LIST_4
#undef CT_CUDA_LIST_2
#undef CT_CUDA_LIST_1
#undef CT_CUDA_IN_4
#undef CT_CUDA_IN_2
#undef CT_CUDA_IN_1
#undef CT_CUDA_OUT_4
#undef CT_CUDA_OUT_2
#undef CT_CUDA_OUT_1

CT_DEVICE unsigned long long ct_cuda_surface_handle(cudaSurfaceObject_t s)
{
	return s;
}
template <int type> CT_DEVICE unsigned long long ct_cuda_surface_handle(surface<void, type> s)
{
	return ct_cuda_handle(s);
}

#define CT_CUDA_ACCESSES(name, where, kind, parameters, ...) \
	template <class T> \
	CT_DEVICE void name##read(T *to, CT_CUDA_PARAMETERS kind s, CT_CUDA_PARAMETERS parameters, \
	                          enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		typename ct_cuda_surface<sizeof(T)>::word v[ct_cuda_surface<sizeof(T)>::words]; \
		ct_cuda_surface<sizeof(T)>::load##where(v, ct_cuda_surface_handle(s), mode, __VA_ARGS__); \
		__builtin_memcpy((void *)to, v, sizeof(T)); \
	} \
	template <class T> \
	CT_DEVICE T name##read(CT_CUDA_PARAMETERS kind s, CT_CUDA_PARAMETERS parameters, \
	                       enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		T value; \
		name##read(&value, s, __VA_ARGS__, mode); \
		return value; \
	} \
	template <class T> \
	CT_DEVICE void name##write(T value, CT_CUDA_PARAMETERS kind s, CT_CUDA_PARAMETERS parameters, \
	                           enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		typename ct_cuda_surface<sizeof(T)>::word v[ct_cuda_surface<sizeof(T)>::words] = {0}; \
		__builtin_memcpy(v, (const void *)&value, sizeof(T)); \
		ct_cuda_surface<sizeof(T)>::store##where(v, ct_cuda_surface_handle(s), mode, __VA_ARGS__); \
	}
#define CT_CUDA_BOTH(name, where, type, parameters, ...) \
	CT_CUDA_ACCESSES(name, where, (cudaSurfaceObject_t), parameters, __VA_ARGS__) \
	CT_CUDA_ACCESSES(name, where, (surface<void, type>), parameters, __VA_ARGS__)
CT_CUDA_BOTH(surf1D, , cudaSurfaceType1D, (int x), x)
CT_CUDA_BOTH(surf2D, , cudaSurfaceType2D, (int x, int y), x, y)
CT_CUDA_BOTH(surf3D, , cudaSurfaceType3D, (int x, int y, int z), x, y, z)
CT_CUDA_BOTH(surf1DLayered, _layer, cudaSurfaceType1DLayered, (int x, int layer), x, layer)
CT_CUDA_BOTH(surf2DLayered, _layer, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, layer)
CT_CUDA_BOTH(surfCubemap, _layer, cudaSurfaceTypeCubemap, (int x, int y, int face), x, y, face)
CT_CUDA_BOTH(surfCubemapLayered, _layer, cudaSurfaceTypeCubemapLayered, (int x, int y, int face), x, y, face)
#undef CT_CUDA_BOTH
#undef CT_CUDA_ACCESSES
#undef CT_CUDA_PARAMETERS

#endif

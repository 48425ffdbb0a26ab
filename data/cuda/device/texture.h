/* device/texture.h - texture references and texture objects. */
#ifndef CT_CUDA_DEVICE_TEXTURE_H
#define CT_CUDA_DEVICE_TEXTURE_H

#pragma GCC system_header

#include <driver_types.h>
#include <vector_types.h>
#include "define.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2

/* For the device a reference is its handle alone. */
template <class T, int type = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
	__host__ texture(int normalized_coordinates = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
	                 enum cudaTextureAddressMode address = cudaAddressModeClamp);
	__host__ texture(int normalized_coordinates, enum cudaTextureFilterMode filter,
	                 enum cudaTextureAddressMode address, struct cudaChannelFormatDesc channels);
};

/* What the four components that a texture unit gives make of type T: each is a 32-bit word, read as what the
 * texels are. Normalized integers come as float. */
template <class T> struct ct_cuda_texel;
#define CT_CUDA_TEXEL(T, element, ptx, word, c, pick) \
	template <> struct ct_cuda_texel<T> { \
		typedef word ct_word; \
		CT_CUDA_FETCHES(ptx, word, c) \
		static __device__ __inline__ __attribute__((always_inline)) T make(const word *v) \
		{ \
			return pick; \
		} \
	};
#define CT_CUDA_FETCH(name, form, ptx, word, c, parameters, operands, ...) \
	static __device__ __inline__ __attribute__((always_inline)) void name(word *v, \
	                                                                      unsigned long long t parameters) \
	{ \
		__asm__ volatile("tex." form "." ptx " {%0, %1, %2, %3}, [%4, " operands "];" \
		                 : "=" c(v[0]), "=" c(v[1]), "=" c(v[2]), "=" c(v[3]) \
		                 : "l"(t), __VA_ARGS__); \
	}
#define CT_CUDA_COMMA ,
#define CT_CUDA_FETCHES(ptx, word, c) \
	CT_CUDA_FETCH(at, "1d.v4", ptx ".s32", word, c, CT_CUDA_COMMA int x, "{%5}", "r"(x)) \
	CT_CUDA_FETCH(at, "1d.v4", ptx ".f32", word, c, CT_CUDA_COMMA float x, "{%5}", "f"(x)) \
	CT_CUDA_FETCH(at, "2d.v4", ptx ".f32", word, c, CT_CUDA_COMMA float x CT_CUDA_COMMA float y, "{%5, %6}", \
	              "f"(x), "f"(y)) \
	CT_CUDA_FETCH(at, "3d.v4", ptx ".f32", word, c, \
	              CT_CUDA_COMMA float x CT_CUDA_COMMA float y CT_CUDA_COMMA float z, "{%5, %6, %7, %7}", "f"(x), \
	              "f"(y), "f"(z))
#define CT_CUDA_TEXELS(name, element, ptx, word, c) \
	CT_CUDA_TEXEL(name##1, element, ptx, word, c, (name##1 {(element)v[0]})) \
	CT_CUDA_TEXEL(name##2, element, ptx, word, c, (name##2 {(element)v[0], (element)v[1]})) \
	CT_CUDA_TEXEL(name##4, element, ptx, word, c, \
	              (name##4 {(element)v[0], (element)v[1], (element)v[2], (element)v[3]})) \
	CT_CUDA_TEXEL(element, element, ptx, word, c, (element)v[0])
CT_CUDA_TEXELS(char, signed char, "s32", int, "r")
CT_CUDA_TEXELS(uchar, unsigned char, "u32", unsigned int, "r")
CT_CUDA_TEXELS(short, short, "s32", int, "r")
CT_CUDA_TEXELS(ushort, unsigned short, "u32", unsigned int, "r")
CT_CUDA_TEXELS(int, int, "s32", int, "r")
CT_CUDA_TEXELS(uint, unsigned int, "u32", unsigned int, "r")
CT_CUDA_TEXELS(float, float, "f32", float, "f")
CT_CUDA_TEXEL(char, char, "s32", int, "r", (char)v[0])
#undef CT_CUDA_TEXEL
#undef CT_CUDA_TEXELS
#undef CT_CUDA_FETCH
#undef CT_CUDA_FETCHES
#undef CT_CUDA_COMMA

/* Normalized texels of T are float of as many components. */
template <class T, enum cudaTextureReadMode mode> struct ct_cuda_read {
	typedef T type;
};
#define CT_CUDA_NORMALIZED(T, R) \
	template <> struct ct_cuda_read<T, cudaReadModeNormalizedFloat> { \
		typedef R type; \
	};
CT_CUDA_NORMALIZED(char, float)
CT_CUDA_NORMALIZED(signed char, float)
CT_CUDA_NORMALIZED(unsigned char, float)
CT_CUDA_NORMALIZED(short, float)
CT_CUDA_NORMALIZED(unsigned short, float)
CT_CUDA_NORMALIZED(char1, float1)
CT_CUDA_NORMALIZED(uchar1, float1)
CT_CUDA_NORMALIZED(short1, float1)
CT_CUDA_NORMALIZED(ushort1, float1)
CT_CUDA_NORMALIZED(char2, float2)
CT_CUDA_NORMALIZED(uchar2, float2)
CT_CUDA_NORMALIZED(short2, float2)
CT_CUDA_NORMALIZED(ushort2, float2)
CT_CUDA_NORMALIZED(char4, float4)
CT_CUDA_NORMALIZED(uchar4, float4)
CT_CUDA_NORMALIZED(short4, float4)
CT_CUDA_NORMALIZED(ushort4, float4)
#undef CT_CUDA_NORMALIZED

/* The compiler hands a reference to inline assembly as its handle. */
template <class Texture> CT_DEVICE unsigned long long ct_cuda_handle(Texture t)
{
	unsigned long long handle;
	__asm__("mov.u64 %0, %1;" : "=l"(handle) : "l"(t));
	return handle;
}

#define CT_CUDA_TEXTURE(name, parameters, ...) \
	template <class T, enum cudaTextureReadMode mode> \
	CT_DEVICE typename ct_cuda_read<T, mode>::type name parameters \
	{ \
		typedef ct_cuda_texel<typename ct_cuda_read<T, mode>::type> texel; \
		typename texel::ct_word v[4]; \
		texel::at(v, ct_cuda_handle(t), __VA_ARGS__); \
		return texel::make(v); \
	}
CT_CUDA_TEXTURE(tex1Dfetch, (texture<T, 1, mode> t, int x), x)
CT_CUDA_TEXTURE(tex1D, (texture<T, 1, mode> t, float x), x)
CT_CUDA_TEXTURE(tex2D, (texture<T, 2, mode> t, float x, float y), x, y)
CT_CUDA_TEXTURE(tex3D, (texture<T, 3, mode> t, float x, float y, float z), x, y, z)
#undef CT_CUDA_TEXTURE

#define CT_CUDA_OBJECT(name, parameters, out, ...) \
	template <class T> CT_DEVICE T name parameters \
	{ \
		typename ct_cuda_texel<T>::ct_word v[4]; \
		ct_cuda_texel<T>::at(v, t, __VA_ARGS__); \
		return ct_cuda_texel<T>::make(v); \
	} \
	template <class T> CT_DEVICE void name out \
	{ \
		typename ct_cuda_texel<T>::ct_word v[4]; \
		ct_cuda_texel<T>::at(v, t, __VA_ARGS__); \
		*to = ct_cuda_texel<T>::make(v); \
	}
CT_CUDA_OBJECT(tex1Dfetch, (cudaTextureObject_t t, int x), (T * to, cudaTextureObject_t t, int x), x)
CT_CUDA_OBJECT(tex1D, (cudaTextureObject_t t, float x), (T * to, cudaTextureObject_t t, float x), x)
CT_CUDA_OBJECT(tex2D, (cudaTextureObject_t t, float x, float y), (T * to, cudaTextureObject_t t, float x, float y), x,
               y)
CT_CUDA_OBJECT(tex3D, (cudaTextureObject_t t, float x, float y, float z),
               (T * to, cudaTextureObject_t t, float x, float y, float z), x, y, z)
#undef CT_CUDA_OBJECT

#endif

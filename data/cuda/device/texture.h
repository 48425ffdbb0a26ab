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
#define cudaTextureTypeCubemap 0x0c
#define cudaTextureTypeCubemapLayered 0xfc

/* For the device a reference is its handle alone. */
template <class T, int type = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
	__host__ texture(int normalized_coordinates = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
	                 enum cudaTextureAddressMode address = cudaAddressModeClamp);
	__host__ texture(int normalized_coordinates, enum cudaTextureFilterMode filter,
	                 enum cudaTextureAddressMode address, struct cudaChannelFormatDesc channels);
};

/* Reads of the four components that a texture unit gives, each a 32-bit word of one kind. */
#define CT_CUDA_FETCH(name, form, word, c, parameters, operands, ...) \
	static __device__ __inline__ __attribute__((always_inline)) void name(word *v, \
	                                                                      unsigned long long t parameters) \
	{ \
		__asm__ volatile(form " {%0, %1, %2, %3}, [%4, " operands ";" \
		                 : "=" c(v[0]), "=" c(v[1]), "=" c(v[2]), "=" c(v[3]) \
		                 : "l"(t), __VA_ARGS__); \
	}
#define CT_CUDA_COMMA ,
#define CT_CUDA_X CT_CUDA_COMMA float x
#define CT_CUDA_XY CT_CUDA_X CT_CUDA_COMMA float y
#define CT_CUDA_XYZ CT_CUDA_XY CT_CUDA_COMMA float z
#define CT_CUDA_LAYER CT_CUDA_COMMA int layer
#define CT_CUDA_LEVEL CT_CUDA_COMMA float level
#define CT_CUDA_FETCHES(types, word, c) \
	CT_CUDA_FETCH(at, "tex.1d.v4." types, word, c, CT_CUDA_X, "{%5}]", "f"(x)) \
	CT_CUDA_FETCH(at, "tex.2d.v4." types, word, c, CT_CUDA_XY, "{%5, %6}]", "f"(x), "f"(y)) \
	CT_CUDA_FETCH(at, "tex.3d.v4." types, word, c, CT_CUDA_XYZ, "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z)) \
	CT_CUDA_FETCH(in_layer, "tex.a1d.v4." types, word, c, CT_CUDA_X CT_CUDA_LAYER, "{%6, %5}]", "f"(x), \
	              "r"(layer)) \
	CT_CUDA_FETCH(in_layer, "tex.a2d.v4." types, word, c, CT_CUDA_XY CT_CUDA_LAYER, "{%7, %5, %6, %6}]", "f"(x), \
	              "f"(y), "r"(layer)) \
	CT_CUDA_FETCH(in_cube, "tex.cube.v4." types, word, c, CT_CUDA_XYZ, "{%5, %6, %7, %7}]", "f"(x), "f"(y), \
	              "f"(z)) \
	CT_CUDA_FETCH(in_cube_layer, "tex.acube.v4." types, word, c, CT_CUDA_XYZ CT_CUDA_LAYER, \
	              "{%8, %5, %6, %7}]", "f"(x), "f"(y), "f"(z), "r"(layer))
#define CT_CUDA_LEVELS(types, word, c) \
	CT_CUDA_FETCH(at_level, "tex.level.1d.v4." types, word, c, CT_CUDA_X CT_CUDA_LEVEL, "{%5}], %6", "f"(x), \
	              "f"(level)) \
	CT_CUDA_FETCH(at_level, "tex.level.2d.v4." types, word, c, CT_CUDA_XY CT_CUDA_LEVEL, "{%5, %6}], %7", "f"(x), \
	              "f"(y), "f"(level)) \
	CT_CUDA_FETCH(at_level, "tex.level.3d.v4." types, word, c, CT_CUDA_XYZ CT_CUDA_LEVEL, \
	              "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level)) \
	CT_CUDA_FETCH(in_layer_level, "tex.level.a1d.v4." types, word, c, CT_CUDA_X CT_CUDA_LAYER CT_CUDA_LEVEL, \
	              "{%6, %5}], %7", "f"(x), "r"(layer), "f"(level)) \
	CT_CUDA_FETCH(in_layer_level, "tex.level.a2d.v4." types, word, c, CT_CUDA_XY CT_CUDA_LAYER CT_CUDA_LEVEL, \
	              "{%7, %5, %6, %6}], %8", "f"(x), "f"(y), "r"(layer), "f"(level)) \
	CT_CUDA_FETCH(in_cube_level, "tex.level.cube.v4." types, word, c, CT_CUDA_XYZ CT_CUDA_LEVEL, \
	              "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level)) \
	CT_CUDA_FETCH(in_cube_layer_level, "tex.level.acube.v4." types, word, c, \
	              CT_CUDA_XYZ CT_CUDA_LAYER CT_CUDA_LEVEL, "{%8, %5, %6, %7}], %9", "f"(x), "f"(y), "f"(z), \
	              "r"(layer), "f"(level))
#define CT_CUDA_GRADIENTS(types, word, c) \
	CT_CUDA_FETCH(at_grad, "tex.grad.1d.v4." types, word, c, \
	              CT_CUDA_X CT_CUDA_COMMA float dx CT_CUDA_COMMA float dy, "{%5}], {%6}, {%7}", "f"(x), "f"(dx), \
	              "f"(dy)) \
	CT_CUDA_FETCH(at_grad, "tex.grad.2d.v4." types, word, c, \
	              CT_CUDA_XY CT_CUDA_COMMA float2 dx CT_CUDA_COMMA float2 dy, \
	              "{%5, %6}], {%7, %8}, {%9, %10}", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)) \
	CT_CUDA_FETCH(at_grad, "tex.grad.3d.v4." types, word, c, \
	              CT_CUDA_XYZ CT_CUDA_COMMA float4 dx CT_CUDA_COMMA float4 dy, \
	              "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}", "f"(x), "f"(y), "f"(z), "f"(dx.x), \
	              "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)) \
	CT_CUDA_FETCH(in_layer_grad, "tex.grad.a1d.v4." types, word, c, \
	              CT_CUDA_X CT_CUDA_LAYER CT_CUDA_COMMA float dx CT_CUDA_COMMA float dy, \
	              "{%6, %5}], {%7}, {%8}", "f"(x), "r"(layer), "f"(dx), "f"(dy)) \
	CT_CUDA_FETCH(in_layer_grad, "tex.grad.a2d.v4." types, word, c, \
	              CT_CUDA_XY CT_CUDA_LAYER CT_CUDA_COMMA float2 dx CT_CUDA_COMMA float2 dy, \
	              "{%7, %5, %6, %6}], {%8, %9}, {%10, %11}", "f"(x), "f"(y), "r"(layer), "f"(dx.x), "f"(dx.y), \
	              "f"(dy.x), "f"(dy.y))
#define CT_CUDA_GATHER(types, word, c) \
	CT_CUDA_FETCH(gather_x, "tld4.r.2d.v4." types, word, c, CT_CUDA_XY, "{%5, %6}]", "f"(x), "f"(y)) \
	CT_CUDA_FETCH(gather_y, "tld4.g.2d.v4." types, word, c, CT_CUDA_XY, "{%5, %6}]", "f"(x), "f"(y)) \
	CT_CUDA_FETCH(gather_z, "tld4.b.2d.v4." types, word, c, CT_CUDA_XY, "{%5, %6}]", "f"(x), "f"(y)) \
	CT_CUDA_FETCH(gather_w, "tld4.a.2d.v4." types, word, c, CT_CUDA_XY, "{%5, %6}]", "f"(x), "f"(y)) \
	static __device__ __inline__ __attribute__((always_inline)) void gather(word *v, unsigned long long t, float x, \
	                                                                        float y, int component) \
	{ \
		if (component == 1) \
			gather_y(v, t, x, y); \
		else if (component == 2) \
			gather_z(v, t, x, y); \
		else if (component == 3) \
			gather_w(v, t, x, y); \
		else \
			gather_x(v, t, x, y); \
	}
#define CT_CUDA_KIND(ptx, word, c) \
	struct ct_cuda_fetch_##ptx { \
		typedef word ct_word; \
		CT_CUDA_FETCHES(#ptx ".f32", word, c) \
		CT_CUDA_FETCH(at, "tex.1d.v4." #ptx ".s32", word, c, CT_CUDA_COMMA int x, "{%5}]", "r"(x)) \
		CT_CUDA_LEVELS(#ptx ".f32", word, c) \
		CT_CUDA_GRADIENTS(#ptx ".f32", word, c) \
		CT_CUDA_GATHER(#ptx ".f32", word, c) \
	};
CT_CUDA_KIND(s32, int, "r")
CT_CUDA_KIND(u32, unsigned int, "r")
CT_CUDA_KIND(f32, float, "f")

/* What they make of type T, by what the texels are: normalized integers come as float. A gather gives one component of four
 * texels. */
template <class T> struct ct_cuda_texel;
#define CT_CUDA_TEXEL(T, four, ptx, pick) \
	template <> struct ct_cuda_texel<T> : ct_cuda_fetch_##ptx { \
		typedef four ct_four; \
		static __device__ __inline__ __attribute__((always_inline)) T make(const ct_word *v) \
		{ \
			return pick; \
		} \
	};
#define CT_CUDA_TEXELS(name, element, ptx) \
	CT_CUDA_TEXEL(name##1, name##4, ptx, (name##1 {(element)v[0]})) \
	CT_CUDA_TEXEL(name##2, name##4, ptx, (name##2 {(element)v[0], (element)v[1]})) \
	CT_CUDA_TEXEL(name##4, name##4, ptx, \
	              (name##4 {(element)v[0], (element)v[1], (element)v[2], (element)v[3]})) \
	CT_CUDA_TEXEL(element, name##4, ptx, (element)v[0])
CT_CUDA_TEXELS(char, signed char, s32)
CT_CUDA_TEXELS(uchar, unsigned char, u32)
CT_CUDA_TEXELS(short, short, s32)
CT_CUDA_TEXELS(ushort, unsigned short, u32)
CT_CUDA_TEXELS(int, int, s32)
CT_CUDA_TEXELS(uint, unsigned int, u32)
CT_CUDA_TEXELS(float, float, f32)
CT_CUDA_TEXEL(char, char4, s32, (char)v[0])
#undef CT_CUDA_TEXEL
#undef CT_CUDA_TEXELS
#undef CT_CUDA_KIND
#undef CT_CUDA_FETCH
#undef CT_CUDA_FETCHES
#undef CT_CUDA_LEVELS
#undef CT_CUDA_GRADIENTS
#undef CT_CUDA_GATHER
#undef CT_CUDA_COMMA
#undef CT_CUDA_X
#undef CT_CUDA_XY
#undef CT_CUDA_XYZ
#undef CT_CUDA_LAYER
#undef CT_CUDA_LEVEL

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

#define CT_CUDA_TEXTURE(name, how, kind, parameters, ...) \
	template <class T, enum cudaTextureReadMode mode> \
	CT_DEVICE typename ct_cuda_read<T, mode>::type name(texture<T, kind, mode> t, CT_CUDA_PARAMETERS parameters) \
	{ \
		typedef ct_cuda_texel<typename ct_cuda_read<T, mode>::type> texel; \
		typename texel::ct_word v[4]; \
		texel::how(v, ct_cuda_handle(t), __VA_ARGS__); \
		return texel::make(v); \
	}
#define CT_CUDA_OBJECT(name, how, parameters, ...) \
	template <class T> CT_DEVICE T name(cudaTextureObject_t t, CT_CUDA_PARAMETERS parameters) \
	{ \
		typename ct_cuda_texel<T>::ct_word v[4]; \
		ct_cuda_texel<T>::how(v, t, __VA_ARGS__); \
		return ct_cuda_texel<T>::make(v); \
	} \
	template <class T> CT_DEVICE void name(T *to, cudaTextureObject_t t, CT_CUDA_PARAMETERS parameters) \
	{ \
		typename ct_cuda_texel<T>::ct_word v[4]; \
		ct_cuda_texel<T>::how(v, t, __VA_ARGS__); \
		*to = ct_cuda_texel<T>::make(v); \
	}
#define CT_CUDA_PARAMETERS(...) __VA_ARGS__
/* Of references and of objects. There is one level: mipmapped arrays are not emulated. */
#define CT_CUDA_BOTH(name, how, kind, parameters, ...) \
	CT_CUDA_TEXTURE(name, how, kind, parameters, __VA_ARGS__) CT_CUDA_OBJECT(name, how, parameters, __VA_ARGS__)
CT_CUDA_BOTH(tex1Dfetch, at, 1, (int x), x)
CT_CUDA_BOTH(tex1D, at, 1, (float x), x)
CT_CUDA_BOTH(tex2D, at, 2, (float x, float y), x, y)
CT_CUDA_BOTH(tex3D, at, 3, (float x, float y, float z), x, y, z)
CT_CUDA_BOTH(tex1DLayered, in_layer, cudaTextureType1DLayered, (float x, int layer), x, layer)
CT_CUDA_BOTH(tex2DLayered, in_layer, cudaTextureType2DLayered, (float x, float y, int layer), x, y, layer)
CT_CUDA_BOTH(texCubemap, in_cube, cudaTextureTypeCubemap, (float x, float y, float z), x, y, z)
CT_CUDA_BOTH(texCubemapLayered, in_cube_layer, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer), x, y, z,
             layer)
CT_CUDA_BOTH(tex1DLod, at_level, 1, (float x, float level), x, level)
CT_CUDA_BOTH(tex2DLod, at_level, 2, (float x, float y, float level), x, y, level)
CT_CUDA_BOTH(tex3DLod, at_level, 3, (float x, float y, float z, float level), x, y, z, level)
CT_CUDA_BOTH(tex1DLayeredLod, in_layer_level, cudaTextureType1DLayered, (float x, int layer, float level), x, layer, level)
CT_CUDA_BOTH(tex2DLayeredLod, in_layer_level, cudaTextureType2DLayered, (float x, float y, int layer, float level), x, y,
             layer, level)
CT_CUDA_BOTH(texCubemapLod, in_cube_level, cudaTextureTypeCubemap, (float x, float y, float z, float level), x, y, z, level)
CT_CUDA_BOTH(texCubemapLayeredLod, in_cube_layer_level, cudaTextureTypeCubemapLayered,
             (float x, float y, float z, int layer, float level), x, y, z, layer, level)
CT_CUDA_BOTH(tex1DGrad, at_grad, 1, (float x, float dx, float dy), x, dx, dy)
CT_CUDA_BOTH(tex2DGrad, at_grad, 2, (float x, float y, float2 dx, float2 dy), x, y, dx, dy)
CT_CUDA_BOTH(tex3DGrad, at_grad, 3, (float x, float y, float z, float4 dx, float4 dy), x, y, z, dx, dy)
CT_CUDA_BOTH(tex1DLayeredGrad, in_layer_grad, cudaTextureType1DLayered, (float x, int layer, float dx, float dy), x, layer,
             dx, dy)
CT_CUDA_BOTH(tex2DLayeredGrad, in_layer_grad, cudaTextureType2DLayered,
             (float x, float y, int layer, float2 dx, float2 dy), x, y, layer, dx, dy)
CT_CUDA_OBJECT(tex2Dgather, gather, (float x, float y, int component = 0), x, y, component)
#undef CT_CUDA_BOTH
#undef CT_CUDA_TEXTURE
#undef CT_CUDA_OBJECT
#undef CT_CUDA_PARAMETERS

template <class T, enum cudaTextureReadMode mode>
CT_DEVICE typename ct_cuda_texel<typename ct_cuda_read<T, mode>::type>::ct_four
tex2Dgather(texture<T, 2, mode> t, float x, float y, int component = 0)
{
	typedef ct_cuda_texel<typename ct_cuda_texel<typename ct_cuda_read<T, mode>::type>::ct_four> texels;
	typename texels::ct_word v[4];
	texels::gather(v, ct_cuda_handle(t), x, y, component);
	return texels::make(v);
}

#endif

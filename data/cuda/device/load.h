/* device/load.h - loads and stores with a hint for the caches. */
#ifndef CT_CUDA_DEVICE_LOAD_H
#define CT_CUDA_DEVICE_LOAD_H

#pragma GCC system_header

#include <vector_types.h>
#include "define.h"

/* `result` where two types are the same: of functions that programs may define as well (number16.h). */
template <typename a, typename b, typename result> struct ct_cuda_same {
};
template <typename a, typename result> struct ct_cuda_same<a, a, result> {
	typedef result type;
};
template <typename a, typename b, typename result>
using ct_cuda_if_same = typename ct_cuda_same<a, b, result>::type;

#define CT_CUDA_LDG(type, suffix) \
	CT_DEVICE type __ldg(const type *p) \
	{ \
		return (type)__nvvm_ldg_##suffix(p); \
	}
#define CT_CUDA_LDG_VECTOR(type, element, n, suffix) \
	CT_DEVICE type __ldg(const type *p) \
	{ \
		typedef element ct_vector __attribute__((ext_vector_type(n))); \
		ct_vector v = __nvvm_ldg_##suffix((const ct_vector *)p); \
		return __builtin_bit_cast(type, v); \
	}
CT_CUDA_LDG(char, c)
CT_CUDA_LDG(unsigned char, uc)
CT_CUDA_LDG(short, s)
CT_CUDA_LDG(unsigned short, us)
CT_CUDA_LDG(int, i)
CT_CUDA_LDG(unsigned int, ui)
CT_CUDA_LDG(long, l)
CT_CUDA_LDG(unsigned long, ul)
CT_CUDA_LDG(long long, ll)
CT_CUDA_LDG(unsigned long long, ull)
CT_CUDA_LDG(float, f)
CT_CUDA_LDG(double, d)
CT_CUDA_LDG_VECTOR(char2, char, 2, c2)
CT_CUDA_LDG_VECTOR(char4, char, 4, c4)
CT_CUDA_LDG_VECTOR(uchar2, unsigned char, 2, uc2)
CT_CUDA_LDG_VECTOR(uchar4, unsigned char, 4, uc4)
CT_CUDA_LDG_VECTOR(short2, short, 2, s2)
CT_CUDA_LDG_VECTOR(short4, short, 4, s4)
CT_CUDA_LDG_VECTOR(ushort2, unsigned short, 2, us2)
CT_CUDA_LDG_VECTOR(ushort4, unsigned short, 4, us4)
CT_CUDA_LDG_VECTOR(int2, int, 2, i2)
CT_CUDA_LDG_VECTOR(int4, int, 4, i4)
CT_CUDA_LDG_VECTOR(uint2, unsigned int, 2, ui2)
CT_CUDA_LDG_VECTOR(uint4, unsigned int, 4, ui4)
CT_CUDA_LDG_VECTOR(longlong2, long long, 2, ll2)
CT_CUDA_LDG_VECTOR(ulonglong2, unsigned long long, 2, ull2)
CT_CUDA_LDG_VECTOR(float2, float, 2, f2)
CT_CUDA_LDG_VECTOR(float4, float, 4, f4)
CT_CUDA_LDG_VECTOR(double2, double, 2, d2)
#undef CT_CUDA_LDG
#undef CT_CUDA_LDG_VECTOR

CT_DEVICE signed char __ldg(const signed char *p)
{
	return (signed char)__nvvm_ldg_c((const char *)p);
}

/* A hinted load or store of a type goes through registers of the type `as`: PTX has none of 8 bits. */
#define CT_CUDA_LOAD(name, hint, type, as, ptx, constraint) \
	CT_DEVICE type name(const type *p) \
	{ \
		as v; \
		__asm__ volatile("ld.global." hint "." ptx " %0, [%1];" : "=" constraint(v) : "l"(p) : "memory"); \
		return (type)v; \
	}
#define CT_CUDA_STORE(name, hint, type, as, ptx, constraint) \
	CT_DEVICE void name(type *p, type v) \
	{ \
		__asm__ volatile("st.global." hint "." ptx " [%0], %1;" : : "l"(p), constraint((as)v) : "memory"); \
	}
#define CT_CUDA_LOAD_2(name, hint, type, as, ptx, constraint) \
	CT_DEVICE type name(const type *p) \
	{ \
		as x, y; \
		__asm__ volatile("ld.global." hint ".v2." ptx " {%0, %1}, [%2];" \
		                 : "=" constraint(x), "=" constraint(y) \
		                 : "l"(p) \
		                 : "memory"); \
		type v; \
		v.x = (decltype(v.x))x; \
		v.y = (decltype(v.y))y; \
		return v; \
	}
#define CT_CUDA_STORE_2(name, hint, type, as, ptx, constraint) \
	CT_DEVICE void name(type *p, type v) \
	{ \
		__asm__ volatile("st.global." hint ".v2." ptx " [%0], {%1, %2};" \
		                 : \
		                 : "l"(p), constraint((as)v.x), constraint((as)v.y) \
		                 : "memory"); \
	}
#define CT_CUDA_LOAD_4(name, hint, type, as, ptx, constraint) \
	CT_DEVICE type name(const type *p) \
	{ \
		as x, y, z, w; \
		__asm__ volatile("ld.global." hint ".v4." ptx " {%0, %1, %2, %3}, [%4];" \
		                 : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w) \
		                 : "l"(p) \
		                 : "memory"); \
		type v; \
		v.x = (decltype(v.x))x; \
		v.y = (decltype(v.y))y; \
		v.z = (decltype(v.z))z; \
		v.w = (decltype(v.w))w; \
		return v; \
	}
#define CT_CUDA_STORE_4(name, hint, type, as, ptx, constraint) \
	CT_DEVICE void name(type *p, type v) \
	{ \
		__asm__ volatile("st.global." hint ".v4." ptx " [%0], {%1, %2, %3, %4};" \
		                 : \
		                 : "l"(p), constraint((as)v.x), constraint((as)v.y), constraint((as)v.z), \
		                   constraint((as)v.w) \
		                 : "memory"); \
	}
#define CT_CUDA_HINTS(load, store, type, as, ptx, constraint) \
	load(__ldca, "ca", type, as, ptx, constraint) \
	load(__ldcg, "cg", type, as, ptx, constraint) \
	load(__ldcs, "cs", type, as, ptx, constraint) \
	load(__ldlu, "lu", type, as, ptx, constraint) \
	load(__ldcv, "cv", type, as, ptx, constraint) \
	store(__stwb, "wb", type, as, ptx, constraint) \
	store(__stcg, "cg", type, as, ptx, constraint) \
	store(__stcs, "cs", type, as, ptx, constraint) \
	store(__stwt, "wt", type, as, ptx, constraint)
#define CT_CUDA_HINTS_1(type, as, ptx, constraint) \
	CT_CUDA_HINTS(CT_CUDA_LOAD, CT_CUDA_STORE, type, as, ptx, constraint)
#define CT_CUDA_HINTS_2(type, as, ptx, constraint) \
	CT_CUDA_HINTS(CT_CUDA_LOAD_2, CT_CUDA_STORE_2, type, as, ptx, constraint)
#define CT_CUDA_HINTS_4(type, as, ptx, constraint) \
	CT_CUDA_HINTS(CT_CUDA_LOAD_4, CT_CUDA_STORE_4, type, as, ptx, constraint)
CT_CUDA_HINTS_1(char, short, "s8", "h")
CT_CUDA_HINTS_1(signed char, short, "s8", "h")
CT_CUDA_HINTS_1(unsigned char, unsigned short, "u8", "h")
CT_CUDA_HINTS_1(short, short, "s16", "h")
CT_CUDA_HINTS_1(unsigned short, unsigned short, "u16", "h")
CT_CUDA_HINTS_1(int, int, "s32", "r")
CT_CUDA_HINTS_1(unsigned int, unsigned int, "u32", "r")
CT_CUDA_HINTS_1(long, long, "s64", "l")
CT_CUDA_HINTS_1(unsigned long, unsigned long, "u64", "l")
CT_CUDA_HINTS_1(long long, long long, "s64", "l")
CT_CUDA_HINTS_1(unsigned long long, unsigned long long, "u64", "l")
CT_CUDA_HINTS_1(float, float, "f32", "f")
CT_CUDA_HINTS_1(double, double, "f64", "d")
CT_CUDA_HINTS_2(char2, short, "s8", "h")
CT_CUDA_HINTS_2(uchar2, unsigned short, "u8", "h")
CT_CUDA_HINTS_2(short2, short, "s16", "h")
CT_CUDA_HINTS_2(ushort2, unsigned short, "u16", "h")
CT_CUDA_HINTS_2(int2, int, "s32", "r")
CT_CUDA_HINTS_2(uint2, unsigned int, "u32", "r")
CT_CUDA_HINTS_2(longlong2, long long, "s64", "l")
CT_CUDA_HINTS_2(ulonglong2, unsigned long long, "u64", "l")
CT_CUDA_HINTS_2(float2, float, "f32", "f")
CT_CUDA_HINTS_2(double2, double, "f64", "d")
CT_CUDA_HINTS_4(char4, short, "s8", "h")
CT_CUDA_HINTS_4(uchar4, unsigned short, "u8", "h")
CT_CUDA_HINTS_4(short4, short, "s16", "h")
CT_CUDA_HINTS_4(ushort4, unsigned short, "u16", "h")
CT_CUDA_HINTS_4(int4, int, "s32", "r")
CT_CUDA_HINTS_4(uint4, unsigned int, "u32", "r")
CT_CUDA_HINTS_4(float4, float, "f32", "f")
#undef CT_CUDA_LOAD
#undef CT_CUDA_STORE
#undef CT_CUDA_LOAD_2
#undef CT_CUDA_STORE_2
#undef CT_CUDA_LOAD_4
#undef CT_CUDA_STORE_4
#undef CT_CUDA_HINTS
#undef CT_CUDA_HINTS_1
#undef CT_CUDA_HINTS_2
#undef CT_CUDA_HINTS_4

CT_DEVICE unsigned int __isGlobal(const void *p)
{
	return (unsigned int)__nvvm_isspacep_global(p);
}

CT_DEVICE unsigned int __isShared(const void *p)
{
	return (unsigned int)__nvvm_isspacep_shared(p);
}

CT_DEVICE unsigned int __isConstant(const void *p)
{
	return (unsigned int)__nvvm_isspacep_const(p);
}

CT_DEVICE unsigned int __isLocal(const void *p)
{
	return (unsigned int)__nvvm_isspacep_local(p);
}

/* Addresses of a space, and from one. */
#define CT_CUDA_SPACE(space, ptx) \
	CT_DEVICE __SIZE_TYPE__ __cvta_generic_to_##space(const void *p) \
	{ \
		__SIZE_TYPE__ address; \
		__asm__("cvta.to." ptx ".u64 %0, %1;" : "=l"(address) : "l"(p)); \
		return address; \
	} \
	CT_DEVICE void *__cvta_##space##_to_generic(__SIZE_TYPE__ address) \
	{ \
		void *p; \
		__asm__("cvta." ptx ".u64 %0, %1;" : "=l"(p) : "l"(address)); \
		return p; \
	}
CT_CUDA_SPACE(global, "global")
CT_CUDA_SPACE(shared, "shared")
CT_CUDA_SPACE(constant, "const")
CT_CUDA_SPACE(local, "local")
#undef CT_CUDA_SPACE

#endif

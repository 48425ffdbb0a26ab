/* device/load.h - loads and stores with a hint for the caches. */
#ifndef CT_CUDA_DEVICE_LOAD_H
#define CT_CUDA_DEVICE_LOAD_H

#pragma GCC system_header

#include <vector_types.h>
#include "define.h"

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

#define CT_CUDA_LOAD(name, hint, type, ptx, constraint) \
	CT_DEVICE type name(const type *p) \
	{ \
		type v; \
		__asm__ volatile("ld.global." hint "." ptx " %0, [%1];" : "=" constraint(v) : "l"(p) : "memory"); \
		return v; \
	}
#define CT_CUDA_STORE(name, hint, type, ptx, constraint) \
	CT_DEVICE void name(type *p, type v) \
	{ \
		__asm__ volatile("st.global." hint "." ptx " [%0], %1;" : : "l"(p), constraint(v) : "memory"); \
	}
#define CT_CUDA_HINTS(type, ptx, constraint) \
	CT_CUDA_LOAD(__ldca, "ca", type, ptx, constraint) \
	CT_CUDA_LOAD(__ldcg, "cg", type, ptx, constraint) \
	CT_CUDA_LOAD(__ldcs, "cs", type, ptx, constraint) \
	CT_CUDA_LOAD(__ldlu, "lu", type, ptx, constraint) \
	CT_CUDA_LOAD(__ldcv, "cv", type, ptx, constraint) \
	CT_CUDA_STORE(__stwb, "wb", type, ptx, constraint) \
	CT_CUDA_STORE(__stcg, "cg", type, ptx, constraint) \
	CT_CUDA_STORE(__stcs, "cs", type, ptx, constraint) \
	CT_CUDA_STORE(__stwt, "wt", type, ptx, constraint)
CT_CUDA_HINTS(int, "s32", "r")
CT_CUDA_HINTS(unsigned int, "u32", "r")
CT_CUDA_HINTS(long, "s64", "l")
CT_CUDA_HINTS(unsigned long, "u64", "l")
CT_CUDA_HINTS(long long, "s64", "l")
CT_CUDA_HINTS(unsigned long long, "u64", "l")
CT_CUDA_HINTS(float, "f32", "f")
CT_CUDA_HINTS(double, "f64", "d")
#undef CT_CUDA_LOAD
#undef CT_CUDA_STORE
#undef CT_CUDA_HINTS

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

CT_DEVICE __SIZE_TYPE__ __cvta_generic_to_shared(const void *p)
{
	__SIZE_TYPE__ offset;
	__asm__("cvta.to.shared.u64 %0, %1;" : "=l"(offset) : "l"(p));
	return offset;
}

CT_DEVICE __SIZE_TYPE__ __cvta_generic_to_global(const void *p)
{
	__SIZE_TYPE__ address;
	__asm__("cvta.to.global.u64 %0, %1;" : "=l"(address) : "l"(p));
	return address;
}

#endif

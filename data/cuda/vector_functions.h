/* vector_functions.h - make_int4() and its kin. */
#ifndef CT_CUDA_VECTOR_FUNCTIONS_H
#define CT_CUDA_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__

#pragma GCC system_header

#include "vector_types.h"

#define CT_CUDA_MAKE static __inline__ __host__ __device__
#define CT_CUDA_MAKERS(name, element) \
	CT_CUDA_MAKE struct name##1 make_##name##1(element x) \
	{ \
		struct name##1 v = {x}; \
		return v; \
	} \
	CT_CUDA_MAKE struct name##2 make_##name##2(element x, element y) \
	{ \
		struct name##2 v = {x, y}; \
		return v; \
	} \
	CT_CUDA_MAKE struct name##3 make_##name##3(element x, element y, element z) \
	{ \
		struct name##3 v = {x, y, z}; \
		return v; \
	} \
	CT_CUDA_MAKE struct name##4 make_##name##4(element x, element y, element z, element w) \
	{ \
		struct name##4 v = {x, y, z, w}; \
		return v; \
	}

CT_CUDA_MAKERS(char, signed char)
CT_CUDA_MAKERS(uchar, unsigned char)
CT_CUDA_MAKERS(short, short)
CT_CUDA_MAKERS(ushort, unsigned short)
CT_CUDA_MAKERS(int, int)
CT_CUDA_MAKERS(uint, unsigned int)
CT_CUDA_MAKERS(long, long)
CT_CUDA_MAKERS(ulong, unsigned long)
CT_CUDA_MAKERS(longlong, long long)
CT_CUDA_MAKERS(ulonglong, unsigned long long)
CT_CUDA_MAKERS(float, float)
CT_CUDA_MAKERS(double, double)
#undef CT_CUDA_MAKERS
#undef CT_CUDA_MAKE

#endif

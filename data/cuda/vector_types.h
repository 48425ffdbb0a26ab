/* vector_types.h - CUDA's short vectors and dim3, laid out as the language lays them out: two and four
 * elements lie on a multiple of their size, 16 bytes at most. For C and C++. uint3 stands in dim3.h. */
#ifndef CT_CUDA_VECTOR_TYPES_H
#define CT_CUDA_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#pragma GCC system_header

#include "dim3.h"
#include "host_defines.h"

/* name, element, and the alignment of two and of four elements */
#define CT_CUDA_VECTORS(name, element, align2, align4) \
	struct name##1 { \
		element x; \
	}; \
	struct __align__(align2) name##2 { \
		element x, y; \
	}; \
	struct __align__(align4) name##4 { \
		element x, y, z, w; \
	}; \
	typedef struct name##1 name##1; \
	typedef struct name##2 name##2; \
	typedef struct name##4 name##4;

CT_CUDA_VECTORS(char, signed char, 2, 4)
CT_CUDA_VECTORS(uchar, unsigned char, 2, 4)
CT_CUDA_VECTORS(short, short, 4, 8)
CT_CUDA_VECTORS(ushort, unsigned short, 4, 8)
CT_CUDA_VECTORS(int, int, 8, 16)
CT_CUDA_VECTORS(uint, unsigned int, 8, 16)
CT_CUDA_VECTORS(long, long, 16, 16)
CT_CUDA_VECTORS(ulong, unsigned long, 16, 16)
CT_CUDA_VECTORS(longlong, long long, 16, 16)
CT_CUDA_VECTORS(ulonglong, unsigned long long, 16, 16)
CT_CUDA_VECTORS(float, float, 8, 16)
CT_CUDA_VECTORS(double, double, 16, 16)
#undef CT_CUDA_VECTORS

#define CT_CUDA_VECTOR3(name, element) \
	struct name##3 { \
		element x, y, z; \
	}; \
	typedef struct name##3 name##3;
CT_CUDA_VECTOR3(char, signed char)
CT_CUDA_VECTOR3(uchar, unsigned char)
CT_CUDA_VECTOR3(short, short)
CT_CUDA_VECTOR3(ushort, unsigned short)
CT_CUDA_VECTOR3(int, int)
CT_CUDA_VECTOR3(long, long)
CT_CUDA_VECTOR3(ulong, unsigned long)
CT_CUDA_VECTOR3(longlong, long long)
CT_CUDA_VECTOR3(ulonglong, unsigned long long)
CT_CUDA_VECTOR3(float, float)
CT_CUDA_VECTOR3(double, double)
#undef CT_CUDA_VECTOR3

#endif

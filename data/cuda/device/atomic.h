/* device/atomic.h - atomic functions; those that end in _block and _system are seen by the threads of the
 * block, and of all processors. */
#ifndef CT_CUDA_DEVICE_ATOMIC_H
#define CT_CUDA_DEVICE_ATOMIC_H

#pragma GCC system_header

#include "define.h"

/* name and scope of CUDA, type, operation and type of the builtin, type that it takes */
#define CT_CUDA_ATOMIC_ANYWHERE(name, type, op, suffix, taken) \
	CT_DEVICE type name(type *p, type v) \
	{ \
		return (type)__nvvm_atom_##op##_gen_##suffix((taken *)p, (taken)v); \
	}
#define CT_CUDA_ATOMIC_WITHIN(name, type, op, suffix, taken) \
	CT_DEVICE type name##_block(type *p, type v) \
	{ \
		return (type)__nvvm_atom_cta_##op##_gen_##suffix((taken *)p, (taken)v); \
	} \
	CT_DEVICE type name##_system(type *p, type v) \
	{ \
		return (type)__nvvm_atom_sys_##op##_gen_##suffix((taken *)p, (taken)v); \
	}
#define CT_CUDA_ATOMIC(name, type, op, suffix, taken) \
	CT_CUDA_ATOMIC_ANYWHERE(name, type, op, suffix, taken) \
	CT_CUDA_ATOMIC_WITHIN(name, type, op, suffix, taken)
#define CT_CUDA_ATOMIC_INTEGERS(name, op) \
	CT_CUDA_ATOMIC(name, int, op, i, int) \
	CT_CUDA_ATOMIC(name, unsigned int, op, i, int) \
	CT_CUDA_ATOMIC(name, long long, op, ll, long long) \
	CT_CUDA_ATOMIC(name, unsigned long long, op, ll, long long)
CT_CUDA_ATOMIC_INTEGERS(atomicAdd, add)
CT_CUDA_ATOMIC(atomicAdd, float, add, f, float)
/* Programs of boards that lack it have one of their own, which is taken where this is a template. */
template <class = void> CT_CUDA_ATOMIC_ANYWHERE(atomicAdd, double, add, d, double)
CT_CUDA_ATOMIC_WITHIN(atomicAdd, double, add, d, double)
CT_CUDA_ATOMIC_INTEGERS(atomicExch, xchg)
CT_CUDA_ATOMIC_INTEGERS(atomicAnd, and)
CT_CUDA_ATOMIC_INTEGERS(atomicOr, or)
CT_CUDA_ATOMIC_INTEGERS(atomicXor, xor)
CT_CUDA_ATOMIC(atomicMin, int, min, i, int)
CT_CUDA_ATOMIC(atomicMin, unsigned int, min, ui, unsigned int)
CT_CUDA_ATOMIC(atomicMin, long long, min, ll, long long)
CT_CUDA_ATOMIC(atomicMin, unsigned long long, min, ull, unsigned long long)
CT_CUDA_ATOMIC(atomicMax, int, max, i, int)
CT_CUDA_ATOMIC(atomicMax, unsigned int, max, ui, unsigned int)
CT_CUDA_ATOMIC(atomicMax, long long, max, ll, long long)
CT_CUDA_ATOMIC(atomicMax, unsigned long long, max, ull, unsigned long long)
CT_CUDA_ATOMIC(atomicInc, unsigned int, inc, ui, unsigned int)
CT_CUDA_ATOMIC(atomicDec, unsigned int, dec, ui, unsigned int)
#undef CT_CUDA_ATOMIC_INTEGERS
#undef CT_CUDA_ATOMIC
#undef CT_CUDA_ATOMIC_WITHIN
#undef CT_CUDA_ATOMIC_ANYWHERE

/* What the hardware has no operation of its own for. */
#define CT_CUDA_ATOMIC_SCOPE(scope) \
	CT_DEVICE int atomicSub##scope(int *p, int v) \
	{ \
		return atomicAdd##scope(p, (int)(0u - (unsigned int)v)); \
	} \
	CT_DEVICE unsigned int atomicSub##scope(unsigned int *p, unsigned int v) \
	{ \
		return atomicAdd##scope(p, 0u - v); \
	} \
	CT_DEVICE float atomicExch##scope(float *p, float v) \
	{ \
		return __builtin_bit_cast(float, atomicExch##scope((int *)p, __builtin_bit_cast(int, v))); \
	}
CT_CUDA_ATOMIC_SCOPE()
CT_CUDA_ATOMIC_SCOPE(_block)
CT_CUDA_ATOMIC_SCOPE(_system)
#undef CT_CUDA_ATOMIC_SCOPE

#define CT_CUDA_CAS(type, suffix, taken) \
	CT_DEVICE type atomicCAS(type *p, type compare, type v) \
	{ \
		return (type)__nvvm_atom_cas_gen_##suffix((taken *)p, (taken)compare, (taken)v); \
	} \
	CT_DEVICE type atomicCAS_block(type *p, type compare, type v) \
	{ \
		return (type)__nvvm_atom_cta_cas_gen_##suffix((taken *)p, (taken)compare, (taken)v); \
	} \
	CT_DEVICE type atomicCAS_system(type *p, type compare, type v) \
	{ \
		return (type)__nvvm_atom_sys_cas_gen_##suffix((taken *)p, (taken)compare, (taken)v); \
	}
CT_CUDA_CAS(int, i, int)
CT_CUDA_CAS(unsigned int, i, int)
CT_CUDA_CAS(long long, ll, long long)
CT_CUDA_CAS(unsigned long long, ll, long long)
#undef CT_CUDA_CAS

CT_DEVICE unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short v)
{
	unsigned short old;
	__asm__ volatile("atom.cas.b16 %0, [%1], %2, %3;"
	                 : "=h"(old)
	                 : "l"(p), "h"(compare), "h"(v)
	                 : "memory");
	return old;
}

#endif

/* device/integer.h - integer intrinsics, conversions, arithmetic with a stated rounding. */
#ifndef CT_CUDA_DEVICE_INTEGER_H
#define CT_CUDA_DEVICE_INTEGER_H

#pragma GCC system_header

#include "define.h"

CT_DEVICE int __clz(int x)
{
	int n;
	__asm__("clz.b32 %0, %1;" : "=r"(n) : "r"(x));
	return n;
}

CT_DEVICE int __clzll(long long x)
{
	int n;
	__asm__("clz.b64 %0, %1;" : "=r"(n) : "l"(x));
	return n;
}

CT_DEVICE int __popc(unsigned int x)
{
	return __builtin_popcount(x);
}

CT_DEVICE int __popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}

CT_DEVICE unsigned int __brev(unsigned int x)
{
	return __builtin_bitreverse32(x);
}

CT_DEVICE unsigned long long __brevll(unsigned long long x)
{
	return __builtin_bitreverse64(x);
}

/* The least set bit, counted from 1; 0 without one. */
CT_DEVICE int __ffs(int x)
{
	return 32 - __clz((int)((unsigned int)x & (0u - (unsigned int)x)));
}

CT_DEVICE int __ffsll(long long x)
{
	return 64 - __clzll((long long)((unsigned long long)x & (0ull - (unsigned long long)x)));
}

/* Three bits choose a byte; prmt would take a fourth, which repeats the byte's sign. */
CT_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
	unsigned int r;
	__asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(selector & 0x7777));
	return r;
}

CT_DEVICE int __mul24(int x, int y)
{
	int r;
	__asm__("mul24.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
	return r;
}

CT_DEVICE unsigned int __umul24(unsigned int x, unsigned int y)
{
	unsigned int r;
	__asm__("mul24.lo.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
	return r;
}

CT_DEVICE int __mulhi(int x, int y)
{
	return (int)((long long)x * y >> 32);
}

CT_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y)
{
	return (unsigned int)((unsigned long long)x * y >> 32);
}

CT_DEVICE long long __mul64hi(long long x, long long y)
{
	long long r;
	__asm__("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
	return r;
}

CT_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
	unsigned long long r;
	__asm__("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
	return r;
}

CT_DEVICE unsigned int __sad(int x, int y, unsigned int z)
{
	unsigned int r;
	__asm__("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
	return r;
}

CT_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
	unsigned int r;
	__asm__("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
	return r;
}

CT_DEVICE int __hadd(int x, int y)
{
	return (int)(((long long)x + y) >> 1);
}

CT_DEVICE int __rhadd(int x, int y)
{
	return (int)(((long long)x + y + 1) >> 1);
}

CT_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y)
{
	return (unsigned int)(((unsigned long long)x + y) >> 1);
}

CT_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y)
{
	return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}

/* The pair high:low shifted as a whole; _l and _r take the shift modulo 32, _lc and _rc clamp it at 32. */
#define CT_CUDA_FUNNEL(name, form) \
	CT_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int shift) \
	{ \
		unsigned int r; \
		__asm__("shf." form ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift)); \
		return r; \
	}
CT_CUDA_FUNNEL(__funnelshift_l, "l.wrap")
CT_CUDA_FUNNEL(__funnelshift_lc, "l.clamp")
CT_CUDA_FUNNEL(__funnelshift_r, "r.wrap")
CT_CUDA_FUNNEL(__funnelshift_rc, "r.clamp")
#undef CT_CUDA_FUNNEL

#define CT_CUDA_DOT(name, form, type, taken) \
	CT_DEVICE type name(taken a, taken b, type c) \
	{ \
		type r; \
		__asm__(form " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
		return r; \
	}
CT_CUDA_DOT(__dp4a, "dp4a.s32.s32", int, int)
CT_CUDA_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int)
CT_CUDA_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int)
CT_CUDA_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int)
CT_CUDA_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int)
CT_CUDA_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int)
#undef CT_CUDA_DOT

/* Bits of one type read as another. */
#define CT_CUDA_BITS(name, to, from) \
	CT_DEVICE to name(from x) \
	{ \
		return __builtin_bit_cast(to, x); \
	}
CT_CUDA_BITS(__int_as_float, float, int)
CT_CUDA_BITS(__uint_as_float, float, unsigned int)
CT_CUDA_BITS(__float_as_int, int, float)
CT_CUDA_BITS(__float_as_uint, unsigned int, float)
CT_CUDA_BITS(__longlong_as_double, double, long long)
CT_CUDA_BITS(__double_as_longlong, long long, double)
#undef CT_CUDA_BITS

CT_DEVICE int __double2hiint(double x)
{
	return (int)(__double_as_longlong(x) >> 32);
}

CT_DEVICE int __double2loint(double x)
{
	return (int)__double_as_longlong(x);
}

CT_DEVICE double __hiloint2double(int high, int low)
{
	return __longlong_as_double((long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}

/* Conversions; the last letters of a name are its rounding: nearest, zero, up, down. */
#define CT_CUDA_CONVERT(name, to, from, ptx, out, in) \
	CT_DEVICE to name(from x) \
	{ \
		to r; \
		__asm__("cvt." ptx " %0, %1;" : "=" out(r) : in(x)); \
		return r; \
	}
#define CT_CUDA_INTEGERS(word, round, how, from, in) \
	CT_CUDA_CONVERT(__##word##2int_##round, int, word, how "i.s32." from, "r", in) \
	CT_CUDA_CONVERT(__##word##2uint_##round, unsigned int, word, how "i.u32." from, "r", in) \
	CT_CUDA_CONVERT(__##word##2ll_##round, long long, word, how "i.s64." from, "l", in) \
	CT_CUDA_CONVERT(__##word##2ull_##round, unsigned long long, word, how "i.u64." from, "l", in)
#define CT_CUDA_REALS(word, round, how, to, out) \
	CT_CUDA_CONVERT(__int2##word##_##round, word, int, how "." to ".s32", out, "r") \
	CT_CUDA_CONVERT(__uint2##word##_##round, word, unsigned int, how "." to ".u32", out, "r") \
	CT_CUDA_CONVERT(__ll2##word##_##round, word, long long, how "." to ".s64", out, "l") \
	CT_CUDA_CONVERT(__ull2##word##_##round, word, unsigned long long, how "." to ".u64", out, "l")
#define CT_CUDA_ROUNDINGS(round, how) \
	CT_CUDA_INTEGERS(float, round, how, "f32", "f") \
	CT_CUDA_INTEGERS(double, round, how, "f64", "d") \
	CT_CUDA_REALS(float, round, how, "f32", "f") \
	CT_CUDA_CONVERT(__double2float_##round, float, double, how ".f32.f64", "f", "d") \
	CT_CUDA_CONVERT(__ll2double_##round, double, long long, how ".f64.s64", "d", "l") \
	CT_CUDA_CONVERT(__ull2double_##round, double, unsigned long long, how ".f64.u64", "d", "l")
CT_CUDA_ROUNDINGS(rn, "rn")
CT_CUDA_ROUNDINGS(rz, "rz")
CT_CUDA_ROUNDINGS(ru, "rp")
CT_CUDA_ROUNDINGS(rd, "rm")
CT_CUDA_CONVERT(__int2double_rn, double, int, "rn.f64.s32", "d", "r")
CT_CUDA_CONVERT(__uint2double_rn, double, unsigned int, "rn.f64.u32", "d", "r")
#undef CT_CUDA_CONVERT
#undef CT_CUDA_INTEGERS
#undef CT_CUDA_REALS
#undef CT_CUDA_ROUNDINGS

/* Arithmetic with a stated rounding, which no compiler contracts. */
#define CT_CUDA_BINARY(name, type, ptx, c) \
	CT_DEVICE type name(type a, type b) \
	{ \
		type r; \
		__asm__(ptx " %0, %1, %2;" : "=" c(r) : c(a), c(b)); \
		return r; \
	}
#define CT_CUDA_UNARY(name, type, ptx, c) \
	CT_DEVICE type name(type a) \
	{ \
		type r; \
		__asm__(ptx " %0, %1;" : "=" c(r) : c(a)); \
		return r; \
	}
#define CT_CUDA_TERNARY(name, type, ptx, c) \
	CT_DEVICE type name(type x, type y, type z) \
	{ \
		type r; \
		__asm__(ptx " %0, %1, %2, %3;" : "=" c(r) : c(x), c(y), c(z)); \
		return r; \
	}
#define CT_CUDA_ARITHMETIC(round, how) \
	CT_CUDA_BINARY(__fadd_##round, float, "add." how ".f32", "f") \
	CT_CUDA_BINARY(__fsub_##round, float, "sub." how ".f32", "f") \
	CT_CUDA_BINARY(__fmul_##round, float, "mul." how ".f32", "f") \
	CT_CUDA_BINARY(__fdiv_##round, float, "div." how ".f32", "f") \
	CT_CUDA_UNARY(__frcp_##round, float, "rcp." how ".f32", "f") \
	CT_CUDA_UNARY(__fsqrt_##round, float, "sqrt." how ".f32", "f") \
	CT_CUDA_TERNARY(__fmaf_##round, float, "fma." how ".f32", "f") \
	CT_CUDA_BINARY(__dadd_##round, double, "add." how ".f64", "d") \
	CT_CUDA_BINARY(__dsub_##round, double, "sub." how ".f64", "d") \
	CT_CUDA_BINARY(__dmul_##round, double, "mul." how ".f64", "d") \
	CT_CUDA_BINARY(__ddiv_##round, double, "div." how ".f64", "d") \
	CT_CUDA_UNARY(__drcp_##round, double, "rcp." how ".f64", "d") \
	CT_CUDA_UNARY(__dsqrt_##round, double, "sqrt." how ".f64", "d") \
	CT_CUDA_TERNARY(__fma_##round, double, "fma." how ".f64", "d")
CT_CUDA_ARITHMETIC(rn, "rn")
CT_CUDA_ARITHMETIC(rz, "rz")
CT_CUDA_ARITHMETIC(ru, "rp")
CT_CUDA_ARITHMETIC(rd, "rm")
CT_CUDA_UNARY(__saturatef, float, "cvt.sat.f32.f32", "f")
CT_CUDA_UNARY(ct_cuda_rsqrt_approx, float, "rsqrt.approx.f32", "f")
CT_CUDA_UNARY(ct_cuda_rcp_approx, float, "rcp.approx.f32", "f")
CT_CUDA_UNARY(ct_cuda_sqrt_approx, float, "sqrt.approx.f32", "f")
CT_CUDA_UNARY(ct_cuda_exp2_approx, float, "ex2.approx.f32", "f")
CT_CUDA_UNARY(ct_cuda_log2_approx, float, "lg2.approx.f32", "f")
CT_CUDA_UNARY(__sinf, float, "sin.approx.f32", "f")
CT_CUDA_UNARY(__cosf, float, "cos.approx.f32", "f")
CT_CUDA_BINARY(__fdividef, float, "div.approx.f32", "f")
/* Through double precision, whose root and quotient leave one rounding to be seen. */
CT_DEVICE float __frsqrt_rn(float x)
{
	return (float)__ddiv_rn(1.0, __dsqrt_rn((double)x));
}
#undef CT_CUDA_ARITHMETIC
#undef CT_CUDA_BINARY
#undef CT_CUDA_UNARY
#undef CT_CUDA_TERNARY

#endif

/* device/number16.h - half (cuda_fp16.h) and nv_bfloat16 (cuda_bf16.h), whose types and functions differ by their names. Each of these
 * headers includes this file, which has no guard, with these macros, which end here:
 *
 *   CT_16, CT_16_PAIR           the types of one number and of two; with _raw behind, of their bits
 *   CT_16_NAME                  what functions call the type
 *   CT_16_ENCODE, CT_16_DECODE  functions from single precision to the nearest number's bits and back
 *   CT_16_ONE, CT_16_INFINITY   the bits of 1 and of infinity
 *   CT_16_PTX                   what PTX calls the type
 *   CT_16_ADDS, CT_16_FUSES     defined where the GPU has instructions for sums and products; for fused ones
 *   CT_16_ROUNDS                defined where it converts in every direction
 *
 * What no instruction does is computed in single precision and rounded once. */
#define CT_16_JOIN_3(a, b, c) a##b##c
#define CT_16_JOIN(a, b, c) CT_16_JOIN_3(a, b, c)
#define CT_16_N(before, behind) CT_16_JOIN(before, CT_16_NAME, behind)
#define CT_16_RAW CT_16_JOIN(CT_16, _raw, )
#define CT_16_PAIR_RAW CT_16_JOIN(CT_16_PAIR, _raw, )

struct CT_16 {
	unsigned short __x;
	CT_16() = default;
	__host__ __device__ CT_16(const CT_16_RAW &r) : __x(r.x)
	{
	}
#define CT_16_OF(type) \
	__host__ __device__ CT_16(type v) : __x(CT_16_ENCODE((float)v)) \
	{ \
	}
	CT_16_OF(float)
	CT_16_OF(double)
	CT_16_OF(int)
	CT_16_OF(unsigned int)
	CT_16_OF(long)
	CT_16_OF(unsigned long)
	CT_16_OF(long long)
	CT_16_OF(unsigned long long)
#undef CT_16_OF
	__host__ __device__ operator float() const
	{
		return CT_16_DECODE(__x);
	}
	__host__ __device__ operator CT_16_RAW() const
	{
		return CT_16_RAW{__x};
	}
};

struct __align__(4) CT_16_PAIR {
	CT_16 x, y;
	CT_16_PAIR() = default;
	__host__ __device__ CT_16_PAIR(const CT_16 &a, const CT_16 &b) : x(a), y(b)
	{
	}
	__host__ __device__ CT_16_PAIR(const CT_16_PAIR_RAW &r) : x(CT_16_RAW{r.x}), y(CT_16_RAW{r.y})
	{
	}
	__host__ __device__ operator CT_16_PAIR_RAW() const
	{
		return CT_16_PAIR_RAW{x.__x, y.__x};
	}
};

/* ---- conversions ---- */

#define CT_16_CONVERT(result, name, type, value) \
	CT_BOTH result name(type v) \
	{ \
		return value; \
	}
#define CT_16_CONVERT_2(name, type) \
	CT_BOTH CT_16_PAIR name(type a, type b) \
	{ \
		return CT_16_PAIR(CT_16(a), CT_16(b)); \
	}
/* Rounded in another way than to the nearest: towards zero (0), down (-1) or up (1) from there, where the nearest lies beyond. */
CT_BOTH CT_16 CT_16_N(ct_cuda_float2, _towards)(float v, int direction)
{
#if defined(CT_16_ROUNDS)
	unsigned short h;
	if (direction == 0)
		__asm__("cvt.rz." CT_16_PTX ".f32 %0, %1;" : "=h"(h) : "f"(v));
	else if (direction < 0)
		__asm__("cvt.rm." CT_16_PTX ".f32 %0, %1;" : "=h"(h) : "f"(v));
	else
		__asm__("cvt.rp." CT_16_PTX ".f32 %0, %1;" : "=h"(h) : "f"(v));
	return CT_16(CT_16_RAW{h});
#else
	const CT_16 nearest(v);
	const float back = float(nearest);
	unsigned short h = nearest.__x;
	const int negative = h >> 15;
	if (direction == 0 ? (v < 0 ? back < v : back > v) : direction < 0 ? back > v : back < v) {
		if (direction == 0 || negative != (direction < 0))
			h = (h & 0x7fff) ? (unsigned short)(h - 1) : (unsigned short)(h ^ 0x8001);
		else
			h++;
	}
	return CT_16(CT_16_RAW{h});
#endif
}
CT_16_CONVERT(CT_16, CT_16_N(__float2, _rd), float, CT_16_N(ct_cuda_float2, _towards)(v, -1))
CT_16_CONVERT(CT_16, CT_16_N(__float2, _ru), float, CT_16_N(ct_cuda_float2, _towards)(v, 1))
CT_16_CONVERT(CT_16, CT_16_N(__float2, ), float, CT_16(v))
CT_16_CONVERT(CT_16, CT_16_N(__float2, _rn), float, CT_16(v))
CT_16_CONVERT(CT_16, CT_16_N(__double2, ), double, CT_16(v))
CT_16_CONVERT(float, CT_16_N(__, 2float), CT_16, float(v))
CT_16_CONVERT(unsigned short, CT_16_N(__, _as_ushort), CT_16, v.__x)
CT_16_CONVERT(short, CT_16_N(__, _as_short), CT_16, (short)v.__x)
CT_16_CONVERT(CT_16, CT_16_N(__ushort_as_, ), unsigned short, CT_16(CT_16_RAW{v}))
CT_16_CONVERT(CT_16, CT_16_N(__short_as_, ), short, CT_16(CT_16_RAW{(unsigned short)v}))
CT_16_CONVERT_2(CT_16_N(__halves2, 2), CT_16)
CT_16_CONVERT_2(CT_16_N(make_, 2), CT_16)
CT_16_CONVERT_2(CT_16_N(__floats2, 2_rn), float)
CT_16_CONVERT(CT_16_PAIR, CT_16_JOIN(__, CT_16_NAME, CT_16_JOIN(2, CT_16_NAME, 2)), CT_16, CT_16_PAIR(v, v))
CT_16_CONVERT(CT_16_PAIR, CT_16_N(__float2, 2_rn), float, CT_16_PAIR(CT_16(v), CT_16(v)))
CT_16_CONVERT(CT_16_PAIR, CT_16_N(__float22, 2_rn), float2, CT_16_PAIR(CT_16(v.x), CT_16(v.y)))
CT_16_CONVERT(float2, CT_16_N(__, 22float2), CT_16_PAIR, make_float2(float(v.x), float(v.y)))
CT_16_CONVERT(CT_16, CT_16_N(__low2, ), CT_16_PAIR, v.x)
CT_16_CONVERT(CT_16, CT_16_N(__high2, ), CT_16_PAIR, v.y)
CT_16_CONVERT(float, __low2float, CT_16_PAIR, float(v.x))
CT_16_CONVERT(float, __high2float, CT_16_PAIR, float(v.y))
CT_16_CONVERT(CT_16_PAIR, CT_16_N(__low2, 2), CT_16_PAIR, CT_16_PAIR(v.x, v.x))
CT_16_CONVERT(CT_16_PAIR, CT_16_N(__high2, 2), CT_16_PAIR, CT_16_PAIR(v.y, v.y))
CT_16_CONVERT(CT_16_PAIR, __lowhigh2highlow, CT_16_PAIR, CT_16_PAIR(v.y, v.x))

/* To integers through single precision, which holds every number. */
#define CT_16_ROUND(type, name, round, function) \
	CT_DEVICE type CT_16_N(__, CT_16_JOIN_3(2, name, round))(CT_16 v) \
	{ \
		return (type)function(float(v)); \
	}
#define CT_16_INTEGER(type, name) \
	CT_16_ROUND(type, name, _rz, ) \
	CT_16_ROUND(type, name, _rn, rintf) \
	CT_16_ROUND(type, name, _rd, floorf) \
	CT_16_ROUND(type, name, _ru, ceilf)
CT_16_INTEGER(short, short)
CT_16_INTEGER(unsigned short, ushort)
CT_16_INTEGER(int, int)
CT_16_INTEGER(unsigned int, uint)
CT_16_INTEGER(long long, ll)
CT_16_INTEGER(unsigned long long, ull)
#undef CT_16_INTEGER
#undef CT_16_ROUND
#undef CT_16_CONVERT
#undef CT_16_CONVERT_2

CT_BOTH CT_16_PAIR ct_cuda_pair_of(CT_16 x, CT_16 y)
{
	return CT_16_PAIR(x, y);
}

CT_BOTH unsigned int ct_cuda_word(CT_16_PAIR v)
{
	return (unsigned int)v.y.__x << 16 | v.x.__x;
}

CT_BOTH void ct_cuda_set_word(CT_16_PAIR &v, unsigned int word)
{
	v = CT_16_PAIR_RAW{(unsigned short)word, (unsigned short)(word >> 16)};
}

/* ---- arithmetic ---- */

CT_DEVICE CT_16 __hfma(CT_16 a, CT_16 b, CT_16 c)
{
#if defined(CT_16_FUSES)
	__asm__("fma.rn." CT_16_PTX " %0, %1, %2, %3;" : "=h"(a.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
	return a;
#else
	return CT_16(fmaf(float(a), float(b), float(c)));
#endif
}

CT_DEVICE CT_16_PAIR __hfma2(CT_16_PAIR a, CT_16_PAIR b, CT_16_PAIR c)
{
#if defined(CT_16_FUSES)
	unsigned int w;
	__asm__("fma.rn." CT_16_PTX "x2 %0, %1, %2, %3;"
	        : "=r"(w)
	        : "r"(ct_cuda_word(a)), "r"(ct_cuda_word(b)), "r"(ct_cuda_word(c)));
	ct_cuda_set_word(a, w);
	return a;
#else
	return ct_cuda_pair_of(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}

/* What returns a sum, difference or product in instructions of the type: its own, or the fused one with 1, -1 or -0 in the place of what
 * the plain one lacks, a * 1 + b, b * -1 + a and a * b - 0, which are exact but for the one rounding and have the plain one's sign. */
#if defined(CT_16_ADDS)
#define CT_16_DO(name, a, b) \
	__asm__(CT_16_PTX_##name CT_16_PTX " %0, %1, %2;" : "=h"(a.__x) : "h"(a.__x), "h"(b.__x)); \
	return a;
#define CT_16_DO_PAIRS(name, a, b) \
	unsigned int w; \
	__asm__(CT_16_PTX_##name CT_16_PTX "x2 %0, %1, %2;" : "=r"(w) : "r"(ct_cuda_word(a)), "r"(ct_cuda_word(b))); \
	ct_cuda_set_word(a, w); \
	return a;
#define CT_16_PTX___hadd "add."
#define CT_16_PTX___hsub "sub."
#define CT_16_PTX___hmul "mul."
#elif defined(CT_16_FUSES)
#define CT_16_DO(name, a, b) return __hfma(CT_16_FUSED_##name(a, b, CT_16_OF_BITS));
#define CT_16_DO_PAIRS(name, a, b) return __hfma2(CT_16_FUSED_##name(a, b, CT_16_PAIR_OF_BITS));
#define CT_16_OF_BITS(bits) CT_16(CT_16_RAW{bits})
#define CT_16_PAIR_OF_BITS(bits) CT_16_PAIR(CT_16_PAIR_RAW{bits, bits})
#define CT_16_FUSED___hadd(a, b, number) a, number(CT_16_ONE), b
#define CT_16_FUSED___hsub(a, b, number) b, number(CT_16_ONE | 0x8000), a
#define CT_16_FUSED___hmul(a, b, number) a, b, number(0x8000)
#else
#define CT_16_DO(name, a, b)
#define CT_16_DO_PAIRS(name, a, b)
#endif

/* A sum, difference or product of two numbers of 16 bits is rounded right when it comes from single precision. */
#define CT_16_OPERATION(name, op) \
	CT_BOTH CT_16 name(CT_16 a, CT_16 b) \
	{ \
		CT_16_DO(name, a, b) \
		return CT_16(float(a) op float(b)); \
	} \
	CT_BOTH CT_16_PAIR name##2(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		CT_16_DO_PAIRS(name, a, b) \
		return ct_cuda_pair_of(name(a.x, b.x), name(a.y, b.y)); \
	} \
	CT_BOTH CT_16 name##_rn(CT_16 a, CT_16 b) \
	{ \
		return name(a, b); \
	} \
	CT_BOTH CT_16_PAIR name##2_rn(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		return name##2(a, b); \
	}
CT_16_OPERATION(__hadd, +)
CT_16_OPERATION(__hsub, -)
CT_16_OPERATION(__hmul, *)
#undef CT_16_OPERATION

CT_BOTH CT_16 __hneg(CT_16 v)
{
	return CT_16_N(__ushort_as_, )((unsigned short)(v.__x ^ 0x8000));
}

CT_BOTH CT_16 __habs(CT_16 v)
{
	return CT_16_N(__ushort_as_, )((unsigned short)(v.__x & 0x7fff));
}

CT_BOTH CT_16_PAIR __hneg2(CT_16_PAIR v)
{
	return ct_cuda_pair_of(__hneg(v.x), __hneg(v.y));
}

CT_BOTH CT_16_PAIR __habs2(CT_16_PAIR v)
{
	return ct_cuda_pair_of(__habs(v.x), __habs(v.y));
}

CT_BOTH CT_16 __hdiv(CT_16 a, CT_16 b)
{
	return CT_16(float(a) / float(b));
}

CT_BOTH CT_16_PAIR __h2div(CT_16_PAIR a, CT_16_PAIR b)
{
	return ct_cuda_pair_of(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

/* Results from 0 to 1, of NaN 0; and results that are not below 0. */
CT_BOTH CT_16 ct_cuda_saturated(CT_16 v)
{
	float x = float(v);
	return CT_16(x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f);
}

#define CT_16_SATURATED(name) \
	CT_BOTH CT_16 name##_sat(CT_16 a, CT_16 b) \
	{ \
		return ct_cuda_saturated(name(a, b)); \
	} \
	CT_BOTH CT_16_PAIR name##2_sat(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		return ct_cuda_pair_of(name##_sat(a.x, b.x), name##_sat(a.y, b.y)); \
	}
CT_16_SATURATED(__hadd)
CT_16_SATURATED(__hsub)
CT_16_SATURATED(__hmul)
#undef CT_16_SATURATED

CT_DEVICE CT_16 __hfma_sat(CT_16 a, CT_16 b, CT_16 c)
{
	return ct_cuda_saturated(__hfma(a, b, c));
}

CT_DEVICE CT_16_PAIR __hfma2_sat(CT_16_PAIR a, CT_16_PAIR b, CT_16_PAIR c)
{
	return ct_cuda_pair_of(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}

CT_DEVICE CT_16 __hfma_relu(CT_16 a, CT_16 b, CT_16 c)
{
	CT_16 v = __hfma(a, b, c);
	return float(v) < 0.0f ? CT_16_N(__ushort_as_, )(0) : v;
}

CT_DEVICE CT_16_PAIR __hfma2_relu(CT_16_PAIR a, CT_16_PAIR b, CT_16_PAIR c)
{
	return ct_cuda_pair_of(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}

/* ---- functions ---- */

#define CT_16_FUNCTION(name, function) \
	CT_DEVICE CT_16 h##name(CT_16 v) \
	{ \
		return CT_16(function(float(v))); \
	} \
	CT_DEVICE CT_16_PAIR h2##name(CT_16_PAIR v) \
	{ \
		return ct_cuda_pair_of(h##name(v.x), h##name(v.y)); \
	}
CT_16_FUNCTION(sqrt, sqrtf)
CT_16_FUNCTION(rsqrt, rsqrtf)
CT_16_FUNCTION(rcp, __frcp_rn)
CT_16_FUNCTION(exp, expf)
CT_16_FUNCTION(exp2, exp2f)
CT_16_FUNCTION(exp10, exp10f)
CT_16_FUNCTION(log, logf)
CT_16_FUNCTION(log2, log2f)
CT_16_FUNCTION(log10, log10f)
CT_16_FUNCTION(sin, sinf)
CT_16_FUNCTION(cos, cosf)
CT_16_FUNCTION(tanh, tanhf)
CT_16_FUNCTION(floor, floorf)
CT_16_FUNCTION(ceil, ceilf)
CT_16_FUNCTION(trunc, truncf)
CT_16_FUNCTION(rint, rintf)
#undef CT_16_FUNCTION

/* ---- comparisons ---- */

CT_BOTH bool __hisnan(CT_16 v)
{
	return (v.__x & 0x7fff) > CT_16_INFINITY;
}

CT_BOTH CT_16_PAIR __hisnan2(CT_16_PAIR v)
{
	return ct_cuda_pair_of(CT_16((float)__hisnan(v.x)), CT_16((float)__hisnan(v.y)));
}

CT_BOTH int __hisinf(CT_16 v)
{
	return v.__x == CT_16_INFINITY ? 1 : v.__x == (CT_16_INFINITY | 0x8000) ? -1 : 0;
}

CT_BOTH bool ct_cuda_are_ordered(CT_16 a, CT_16 b)
{
	return !__hisnan(a) && !__hisnan(b);
}

/* Each comparison comes for one number, for two with 1.0 or 0.0 for each (2), and for two with whether it holds of both (b2). Those
 * with u hold of NaNs, too. */
#define CT_16_COMPARE_AS(name, test) \
	CT_BOTH bool __h##name(CT_16 a, CT_16 b) \
	{ \
		return test; \
	} \
	CT_BOTH CT_16_PAIR __h##name##2(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		return ct_cuda_pair_of(CT_16((float)__h##name(a.x, b.x)), \
		                       CT_16((float)__h##name(a.y, b.y))); \
	} \
	CT_BOTH bool __hb##name##2(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		return __h##name(a.x, b.x) && __h##name(a.y, b.y); \
	}
#define CT_16_COMPARE(name, op) \
	CT_16_COMPARE_AS(name, ct_cuda_are_ordered(a, b) && float(a) op float(b)) \
	CT_16_COMPARE_AS(name##u, !ct_cuda_are_ordered(a, b) || float(a) op float(b)) \
	CT_BOTH bool operator op(const CT_16 &a, const CT_16 &b) \
	{ \
		return float(a) op float(b); \
	} \
	CT_BOTH bool operator op(const CT_16_PAIR &a, const CT_16_PAIR &b) \
	{ \
		return a.x op b.x && a.y op b.y; \
	}
CT_16_COMPARE(eq, ==)
CT_16_COMPARE(ne, !=)
CT_16_COMPARE(lt, <)
CT_16_COMPARE(le, <=)
CT_16_COMPARE(gt, >)
CT_16_COMPARE(ge, >=)
#undef CT_16_COMPARE
#undef CT_16_COMPARE_AS

/* min and max of a number and a NaN are the number; those with _nan are NaN. */
#define CT_16_EXTREME(name, op) \
	CT_BOTH CT_16 name##_nan(CT_16 a, CT_16 b) \
	{ \
		return __hisnan(a) || (!__hisnan(b) && float(a) op float(b)) ? a : b; \
	} \
	CT_BOTH CT_16 name(CT_16 a, CT_16 b) \
	{ \
		return __hisnan(a) ? b : __hisnan(b) ? a : name##_nan(a, b); \
	} \
	CT_BOTH CT_16_PAIR name##2(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		return ct_cuda_pair_of(name(a.x, b.x), name(a.y, b.y)); \
	} \
	CT_BOTH CT_16_PAIR name##2_nan(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		return ct_cuda_pair_of(name##_nan(a.x, b.x), name##_nan(a.y, b.y)); \
	}
CT_16_EXTREME(__hmin, <)
CT_16_EXTREME(__hmax, >)
#undef CT_16_EXTREME

#define CT_16_OPERATOR(op, one, two) \
	CT_BOTH CT_16 operator op(const CT_16 &a, const CT_16 &b) \
	{ \
		return one(a, b); \
	} \
	CT_BOTH CT_16 &operator op##=(CT_16 &a, const CT_16 &b) \
	{ \
		return a = one(a, b); \
	} \
	CT_BOTH CT_16_PAIR operator op(const CT_16_PAIR &a, const CT_16_PAIR &b) \
	{ \
		return two(a, b); \
	} \
	CT_BOTH CT_16_PAIR &operator op##=(CT_16_PAIR &a, const CT_16_PAIR &b) \
	{ \
		return a = two(a, b); \
	}
CT_16_OPERATOR(+, __hadd, __hadd2)
CT_16_OPERATOR(-, __hsub, __hsub2)
CT_16_OPERATOR(*, __hmul, __hmul2)
CT_16_OPERATOR(/, __hdiv, __h2div)
#undef CT_16_OPERATOR

CT_BOTH CT_16 operator-(const CT_16 &a)
{
	return __hneg(a);
}

CT_BOTH CT_16 operator+(const CT_16 &a)
{
	return a;
}

CT_BOTH CT_16_PAIR operator-(const CT_16_PAIR &a)
{
	return __hneg2(a);
}

CT_BOTH CT_16 &operator++(CT_16 &a)
{
	return a = __hadd(a, CT_16(1.0f));
}

CT_BOTH CT_16 &operator--(CT_16 &a)
{
	return a = __hsub(a, CT_16(1.0f));
}

/* ---- memory and other lanes ---- */

/* By compare and swap of the word around it, as hardware without the instruction does. */
CT_DEVICE CT_16_PAIR atomicAdd(CT_16_PAIR *p, CT_16_PAIR v)
{
	unsigned int word = *(volatile unsigned int *)p, seen;
	CT_16_PAIR old;
	do {
		seen = word;
		ct_cuda_set_word(old, seen);
		word = atomicCAS((unsigned int *)p, seen, ct_cuda_word(__hadd2(old, v)));
	} while (word != seen);
	return old;
}

CT_DEVICE CT_16 atomicAdd(CT_16 *p, CT_16 v)
{
	unsigned short old = *(volatile unsigned short *)p, seen;
	do {
		seen = old;
		old = atomicCAS((unsigned short *)p, seen, __hadd(CT_16_N(__ushort_as_, )(seen), v).__x);
	} while (old != seen);
	return CT_16_N(__ushort_as_, )(old);
}

/* Templates, since programs that were written for a toolkit without these functions define them. */
#define CT_16_LOAD(name) \
	template <typename ct_number> \
	CT_DEVICE ct_cuda_if_same<ct_number, CT_16, CT_16> name(const ct_number *p) \
	{ \
		return CT_16_N(__ushort_as_, )(name(&p->__x)); \
	} \
	template <typename ct_number> \
	CT_DEVICE ct_cuda_if_same<ct_number, CT_16_PAIR, CT_16_PAIR> name(const ct_number *p) \
	{ \
		CT_16_PAIR v; \
		ct_cuda_set_word(v, name((const unsigned int *)p)); \
		return v; \
	}
CT_16_LOAD(__ldg)
CT_16_LOAD(__ldcg)
CT_16_LOAD(__ldca)
CT_16_LOAD(__ldcs)
#undef CT_16_LOAD

#define CT_16_STORE(name) \
	template <typename ct_number> \
	CT_DEVICE ct_cuda_if_same<ct_number, CT_16, void> name(ct_number *p, CT_16 v) \
	{ \
		name(&p->__x, v.__x); \
	} \
	template <typename ct_number> \
	CT_DEVICE ct_cuda_if_same<ct_number, CT_16_PAIR, void> name(ct_number *p, CT_16_PAIR v) \
	{ \
		name((unsigned int *)p, ct_cuda_word(v)); \
	}
CT_16_STORE(__stcg)
CT_16_STORE(__stwb)
CT_16_STORE(__stcs)
CT_16_STORE(__stwt)
#undef CT_16_STORE

#define CT_16_SHUFFLE(name, which) \
	CT_DEVICE CT_16 __##name##_sync(unsigned int mask, CT_16 v, which lane, int width = 32) \
	{ \
		return CT_16_N(__ushort_as_, )((unsigned short)__##name##_sync(mask, (int)v.__x, lane, width)); \
	} \
	CT_DEVICE CT_16_PAIR __##name##_sync(unsigned int mask, CT_16_PAIR v, which lane, int width = 32) \
	{ \
		ct_cuda_set_word(v, __##name##_sync(mask, ct_cuda_word(v), lane, width)); \
		return v; \
	}
CT_16_SHUFFLE(shfl, int)
CT_16_SHUFFLE(shfl_up, unsigned int)
CT_16_SHUFFLE(shfl_down, unsigned int)
CT_16_SHUFFLE(shfl_xor, int)
#undef CT_16_SHUFFLE

#undef CT_16_DO
#undef CT_16_DO_PAIRS
#undef CT_16_PTX___hadd
#undef CT_16_PTX___hsub
#undef CT_16_PTX___hmul
#undef CT_16_FUSED___hadd
#undef CT_16_FUSED___hsub
#undef CT_16_FUSED___hmul
#undef CT_16_OF_BITS
#undef CT_16_PAIR_OF_BITS
#undef CT_16_ADDS
#undef CT_16_FUSES
#undef CT_16_ROUNDS
#undef CT_16_PTX
#undef CT_16_ONE
#undef CT_16_INFINITY
#undef CT_16_DECODE
#undef CT_16_ENCODE
#undef CT_16_RAW
#undef CT_16_PAIR_RAW
#undef CT_16_N
#undef CT_16_JOIN
#undef CT_16_JOIN_3
#undef CT_16_NAME
#undef CT_16_PAIR
#undef CT_16

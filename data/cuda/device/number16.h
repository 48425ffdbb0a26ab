/* device/number16.h - what half (cuda_fp16.h) and nv_bfloat16 (cuda_bf16.h) have in common. Each of them includes this file, which
 * has no guard, with these macros, and takes them back with number16_end.h:
 *
 *   CT_16, CT_16_PAIR     the types of one number and of two
 *   CT_16_BITS(bits)      the number of 16 bits, CT_16_TO(float) the nearest one, CT_16_FROM(number) its value
 *   CT_16_INFINITY        the bits of infinity
 *   CT_16_DO_2(name, a, b), CT_16_DO_3(a, b, c), CT_16_DO_PAIRS_2, CT_16_DO_PAIRS_3
 *                         statements that return the sum, difference or product, or the fused one, of numbers and pairs, in the
 *                         GPU's own instructions; empty where there are none
 *
 * What no instruction does is computed in single precision and rounded once. */

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
	v = CT_16_PAIR(CT_16_BITS((unsigned short)word), CT_16_BITS((unsigned short)(word >> 16)));
}

/* ---- arithmetic ---- */

/* A sum, difference or product of two numbers of 16 bits is rounded right when it comes from single precision. */
#define CT_16_OPERATION(name, op) \
	CT_BOTH CT_16 name(CT_16 a, CT_16 b) \
	{ \
		CT_16_DO_2(name, a, b) \
		return CT_16_TO(CT_16_FROM(a) op CT_16_FROM(b)); \
	} \
	CT_BOTH CT_16_PAIR name##2(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		CT_16_DO_PAIRS_2(name, a, b) \
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

CT_DEVICE CT_16 __hfma(CT_16 a, CT_16 b, CT_16 c)
{
	CT_16_DO_3(a, b, c)
	return CT_16_TO(fmaf(CT_16_FROM(a), CT_16_FROM(b), CT_16_FROM(c)));
}

CT_DEVICE CT_16_PAIR __hfma2(CT_16_PAIR a, CT_16_PAIR b, CT_16_PAIR c)
{
	CT_16_DO_PAIRS_3(a, b, c)
	return ct_cuda_pair_of(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

CT_BOTH CT_16 __hneg(CT_16 v)
{
	return CT_16_BITS((unsigned short)(v.__x ^ 0x8000));
}

CT_BOTH CT_16 __habs(CT_16 v)
{
	return CT_16_BITS((unsigned short)(v.__x & 0x7fff));
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
	return CT_16_TO(CT_16_FROM(a) / CT_16_FROM(b));
}

CT_BOTH CT_16_PAIR __h2div(CT_16_PAIR a, CT_16_PAIR b)
{
	return ct_cuda_pair_of(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

/* Results from 0 to 1, of NaN 0; and results that are not below 0. */
CT_BOTH CT_16 ct_cuda_saturated(CT_16 v)
{
	float x = CT_16_FROM(v);
	return CT_16_TO(x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f);
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
	return CT_16_FROM(v) < 0.0f ? CT_16_BITS(0) : v;
}

CT_DEVICE CT_16_PAIR __hfma2_relu(CT_16_PAIR a, CT_16_PAIR b, CT_16_PAIR c)
{
	return ct_cuda_pair_of(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}

/* ---- functions ---- */

#define CT_16_FUNCTION(name, function) \
	CT_DEVICE CT_16 h##name(CT_16 v) \
	{ \
		return CT_16_TO(function(CT_16_FROM(v))); \
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
	return ct_cuda_pair_of(CT_16_TO((float)__hisnan(v.x)), CT_16_TO((float)__hisnan(v.y)));
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
		return ct_cuda_pair_of(CT_16_TO((float)__h##name(a.x, b.x)), \
		                       CT_16_TO((float)__h##name(a.y, b.y))); \
	} \
	CT_BOTH bool __hb##name##2(CT_16_PAIR a, CT_16_PAIR b) \
	{ \
		return __h##name(a.x, b.x) && __h##name(a.y, b.y); \
	}
#define CT_16_COMPARE(name, op) \
	CT_16_COMPARE_AS(name, ct_cuda_are_ordered(a, b) && CT_16_FROM(a) op CT_16_FROM(b)) \
	CT_16_COMPARE_AS(name##u, !ct_cuda_are_ordered(a, b) || CT_16_FROM(a) op CT_16_FROM(b)) \
	CT_BOTH bool operator op(const CT_16 &a, const CT_16 &b) \
	{ \
		return CT_16_FROM(a) op CT_16_FROM(b); \
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
		return __hisnan(a) || (!__hisnan(b) && CT_16_FROM(a) op CT_16_FROM(b)) ? a : b; \
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
	return a = __hadd(a, CT_16_TO(1.0f));
}

CT_BOTH CT_16 &operator--(CT_16 &a)
{
	return a = __hsub(a, CT_16_TO(1.0f));
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
		old = atomicCAS((unsigned short *)p, seen, __hadd(CT_16_BITS(seen), v).__x);
	} while (old != seen);
	return CT_16_BITS(old);
}

#define CT_16_LOAD(name) \
	CT_DEVICE CT_16 name(const CT_16 *p) \
	{ \
		return CT_16_BITS(name(&p->__x)); \
	} \
	CT_DEVICE CT_16_PAIR name(const CT_16_PAIR *p) \
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
	CT_DEVICE void name(CT_16 *p, CT_16 v) \
	{ \
		name(&p->__x, v.__x); \
	} \
	CT_DEVICE void name(CT_16_PAIR *p, CT_16_PAIR v) \
	{ \
		name((unsigned int *)p, ct_cuda_word(v)); \
	}
CT_16_STORE(__stcg)
CT_16_STORE(__stwb)
CT_16_STORE(__stcs)
CT_16_STORE(__stwt)
#undef CT_16_STORE

#define CT_16_SHUFFLE(name) \
	CT_DEVICE CT_16 __##name##_sync(unsigned int mask, CT_16 v, int lane, int width = 32) \
	{ \
		return CT_16_BITS((unsigned short)__##name##_sync(mask, (int)v.__x, lane, width)); \
	} \
	CT_DEVICE CT_16_PAIR __##name##_sync(unsigned int mask, CT_16_PAIR v, int lane, int width = 32) \
	{ \
		ct_cuda_set_word(v, __##name##_sync(mask, ct_cuda_word(v), lane, width)); \
		return v; \
	}
CT_16_SHUFFLE(shfl)
CT_16_SHUFFLE(shfl_up)
CT_16_SHUFFLE(shfl_down)
CT_16_SHUFFLE(shfl_xor)
#undef CT_16_SHUFFLE

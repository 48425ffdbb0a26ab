/* One kernel a function: out[i] = function(a[i], b[i]). tests/unit/test_cuda_math.c runs them beside the C library. */
#define KERNEL(name, T, ...) \
	extern "C" __global__ void m_##name(T *out, const T *a, const T *b, unsigned int n) \
	{ \
		unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; \
		if (i < n) { \
			T x = a[i], y = b[i]; \
			(void)y; \
			out[i] = __VA_ARGS__; \
		} \
	}
#define ONE(name) KERNEL(name, double, name(x)) KERNEL(name##f, float, name(x))
#define TWO(name) KERNEL(name, double, name(x, y)) KERNEL(name##f, float, name(x, y))
/* clang-format off */
ONE(sqrt) ONE(rsqrt) ONE(cbrt) ONE(rcbrt) ONE(fabs) ONE(floor) ONE(ceil) ONE(trunc) ONE(rint) ONE(nearbyint) ONE(round)
ONE(logb) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sin) ONE(cos) ONE(tan)
ONE(sinpi) ONE(cospi) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
ONE(erf) ONE(erfc) ONE(erfcx) ONE(normcdf) ONE(tgamma) ONE(lgamma)
TWO(pow) TWO(atan2) TWO(hypot) TWO(fmod) TWO(remainder) TWO(fmin) TWO(fmax) TWO(fdim) TWO(copysign) TWO(nextafter)
/* clang-format on */
KERNEL(divide, double, x / y)
KERNEL(dividef, float, x / y)
KERNEL(fma, double, fma(x, y, x))
KERNEL(fmaf, float, fma(x, y, x))
KERNEL(ldexp, double, ldexp(x, (int)fmin(fmax(y, -3000.0), 3000.0)))
KERNEL(ldexpf, float, ldexp(x, (int)fmin(fmax(y, -3000.0f), 3000.0f)))
KERNEL(lround, double, (double)lround(x))
KERNEL(lroundf, float, (float)lround(x))

template <class T> __device__ T sine_of_pair(T x)
{
	T s, c;
	sincos(x, &s, &c);
	return s;
}
template <class T> __device__ T cosine_of_pair(T x)
{
	T s, c;
	sincos(x, &s, &c);
	return c;
}
KERNEL(sincos_s, double, sine_of_pair(x))
KERNEL(sincos_sf, float, sine_of_pair(x))
KERNEL(sincos_c, double, cosine_of_pair(x))
KERNEL(sincos_cf, float, cosine_of_pair(x))

/* significand + exponent, and whole + fraction, which give the number back in another way */
template <class T> __device__ T taken_apart(T x)
{
	int e;
	T m = frexp(x, &e);
	return m + (T)e;
}
template <class T> __device__ T fraction(T x)
{
	T whole;
	return modf(x, &whole);
}
KERNEL(frexp, double, taken_apart(x))
KERNEL(frexpf, float, taken_apart(x))
KERNEL(modf, double, fraction(x))
KERNEL(modff, float, fraction(x))

KERNEL(__expf, float, __expf(x))
KERNEL(__exp10f, float, __exp10f(x))
KERNEL(__logf, float, __logf(x))
KERNEL(__log2f, float, __log2f(x))
KERNEL(__log10f, float, __log10f(x))
KERNEL(__sinf, float, __sinf(x))
KERNEL(__cosf, float, __cosf(x))
KERNEL(__tanf, float, __tanf(x))
KERNEL(__powf, float, __powf(x, y))
KERNEL(__fdividef, float, __fdividef(x, y))

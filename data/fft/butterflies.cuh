/* butterflies.cuh - discrete Fourier transforms of a few numbers, in registers. */
#ifndef CT_FFT_BUTTERFLIES_CUH
#define CT_FFT_BUTTERFLIES_CUH

#include "../blas/numbers.cuh"

/* cos(2 pi k / n) and sin(2 pi k / n) of odd n, k below n; known when the kernel is compiled. */
template <int N> struct circle;
#define CT_FFT_CIRCLE(n, cosine_of, sine_of) \
	template <> struct circle<n> { \
		static constexpr __device__ __forceinline__ double cosine(int k) \
		{ \
			return k > n / 2 ? cosine_of(n - k) : cosine_of(k); \
		} \
		static constexpr __device__ __forceinline__ double sine(int k) \
		{ \
			return k > n / 2 ? -(sine_of(n - k)) : sine_of(k); \
		} \
	};
#define COSINE_3(k) ((k) == 0 ? 1 : -0.5)
#define SINE_3(k) ((k) == 0 ? 0 : 0.866025403784438646763723170753)
#define COSINE_5(k) ((k) == 0 ? 1 : (k) == 1 ? 0.309016994374947424102293417183 : -0.809016994374947424102293417183)
#define SINE_5(k) ((k) == 0 ? 0 : (k) == 1 ? 0.951056516295153572116439333379 : 0.587785252292473129168705954639)
#define COSINE_7(k) \
	((k) == 0   ? 1 \
	 : (k) == 1 ? 0.623489801858733530525004884004 \
	 : (k) == 2 ? -0.222520933956314404288902564497 \
	            : -0.900968867902419126236102319507)
#define SINE_7(k) \
	((k) == 0   ? 0 \
	 : (k) == 1 ? 0.781831482468029808708444526674 \
	 : (k) == 2 ? 0.974927912181823607018131682994 \
	            : 0.433883739117558120475768332849)
CT_FFT_CIRCLE(3, COSINE_3, SINE_3)
CT_FFT_CIRCLE(5, COSINE_5, SINE_5)
CT_FFT_CIRCLE(7, COSINE_7, SINE_7)

template <class R> __device__ __forceinline__ complex_of<R> scaled(complex_of<R> v, R by)
{
	return {v.re * by, v.im * by};
}
/* v * -i. */
template <class R> __device__ __forceinline__ complex_of<R> turned(complex_of<R> v)
{
	return {v.im, -v.re};
}

/* Of odd length: the sums and the differences of the numbers that lie on both sides of the first have real factors. */
template <int N, class R> struct butterfly {
	static __device__ __forceinline__ void transform(complex_of<R> *v)
	{
		constexpr int HALF = N / 2;
		complex_of<R> sum[HALF], difference[HALF], first = v[0];
#pragma unroll
		for (int j = 0; j < HALF; j++) {
			sum[j] = v[j + 1] + v[N - 1 - j];
			difference[j] = turned(v[j + 1] - v[N - 1 - j]);
			v[0] = v[0] + sum[j];
		}
#pragma unroll
		for (int k = 1; k <= HALF; k++) {
			complex_of<R> even = first, odd;
#pragma unroll
			for (int j = 0; j < HALF; j++) {
				R c = R(circle<N>::cosine((j + 1) * k % N)), s = R(circle<N>::sine((j + 1) * k % N));
				even = even + scaled(sum[j], c);
				odd = j ? odd + scaled(difference[j], s) : scaled(difference[j], s);
			}
			v[k] = even + odd;
			v[N - k] = even - odd;
		}
	}
};
template <class R> struct butterfly<2, R> {
	static __device__ __forceinline__ void transform(complex_of<R> *v)
	{
		complex_of<R> a = v[0], b = v[1];
		v[0] = a + b;
		v[1] = a - b;
	}
};
template <class R> struct butterfly<4, R> {
	static __device__ __forceinline__ void transform(complex_of<R> *v)
	{
		complex_of<R> a = v[0] + v[2], b = v[1] + v[3], c = v[0] - v[2], d = turned(v[1] - v[3]);
		v[0] = a + b;
		v[1] = c + d;
		v[2] = a - b;
		v[3] = c - d;
	}
};
template <class R> struct butterfly<8, R> {
	static __device__ __forceinline__ void transform(complex_of<R> *v)
	{
		const R half = R(0.707106781186547524400844362105);
		complex_of<R> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
		butterfly<4, R>::transform(even);
		butterfly<4, R>::transform(odd);
		odd[1] = {half * (odd[1].re + odd[1].im), half * (odd[1].im - odd[1].re)};
		odd[2] = turned(odd[2]);
		odd[3] = {half * (odd[3].im - odd[3].re), -half * (odd[3].re + odd[3].im)};
#pragma unroll
		for (int k = 0; k < 4; k++) {
			v[k] = even[k] + odd[k];
			v[k + 4] = even[k] - odd[k];
		}
	}
};

#endif

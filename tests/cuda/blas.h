/* What tests of cuBLAS share: small whole numbers as reals and complex numbers, so that sums are exact; matrices on host and device; plain loops. */
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <cublas_v2.h>

#include "expect.h"

typedef std::complex<float> C32;
typedef std::complex<double> C64;

static int small_number()
{
	static unsigned state = 1;
	state = state * 1664525u + 1013904223u;
	return int(state >> 28) - 8; /* -8 ... 7 */
}
static void draw(float &v)
{
	v = float(small_number());
}
static void draw(double &v)
{
	v = small_number();
}
template <class R> static void draw(std::complex<R> &v)
{
	R re = R(small_number());
	v = std::complex<R>(re, R(small_number()));
}
static float conj_of(float v)
{
	return v;
}
static double conj_of(double v)
{
	return v;
}
template <class R> static std::complex<R> conj_of(std::complex<R> v)
{
	return std::conj(v);
}
/* The type that cuBLAS has for it. */
template <class T> struct device_type {
	typedef T type;
};
template <> struct device_type<C32> {
	typedef cuComplex type;
};
template <> struct device_type<C64> {
	typedef cuDoubleComplex type;
};
template <class T> using on_device = typename device_type<T>::type;
template <class T> static on_device<T> *as(const T *p)
{
	return (on_device<T> *)p;
}

/* An array of the host and its copy on the device, which ends where the array ends. */
template <class T> struct array {
	std::vector<T> host;
	T *device;
	explicit array(size_t n) : host(n)
	{
		for (T &v : host)
			draw(v);
		cudaMalloc((void **)&device, (n + !n) * sizeof(T));
		put();
	}
	~array()
	{
		cudaFree(device);
	}
	array(const array &) = delete;
	void put()
	{
		cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
	}
	std::vector<T> get() const
	{
		std::vector<T> v(host.size());
		cudaMemcpy(v.data(), device, v.size() * sizeof(T), cudaMemcpyDeviceToHost);
		return v;
	}
	on_device<T> *at(size_t i = 0) const
	{
		return as(device + i);
	}
};

/* How many numbers differ by more than the tolerance, relative to their size above 1; a NaN differs. */
template <class T>
static int differ(const std::vector<T> &got, const std::vector<T> &want, double tolerance = 0)
{
	int n = 0;
	for (size_t i = 0; i < got.size(); i++)
		n += !(std::abs(got[i] - want[i]) <=
		       tolerance * std::max(1.0, double(std::abs(want[i]))));
	return n;
}

/* Element (i, j) of op(a). */
template <class T> static T op(const T *a, int ld, cublasOperation_t o, int i, int j)
{
	T v = o == CUBLAS_OP_N ? a[i + size_t(j) * ld] : a[j + size_t(i) * ld];
	return o == CUBLAS_OP_C ? conj_of(v) : v;
}

/* c = alpha * op(a) * op(b) + beta * c by plain loops. */
template <class T>
static void multiply(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, T alpha,
                     const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc)
{
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			T sum = 0, &to = c[i + size_t(j) * ldc];
			for (int l = 0; l < k; l++)
				sum += op(a, lda, ta, i, l) * op(b, ldb, tb, l, j);
			to = beta == T(0) ? alpha * sum : alpha * sum + beta * to;
		}
}

static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static cublasHandle_t handle;
/* A call that must give that status. */
#define GIVES(status, call) expect(#call, call, status)
#define GOOD(call) GIVES(CUBLAS_STATUS_SUCCESS, call)
#define COUNT(array, ...) expect(what, differ(array, __VA_ARGS__), 0)

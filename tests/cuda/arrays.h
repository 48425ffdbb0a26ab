/* What tests of libraries share: small whole numbers as reals and complex numbers, so that sums are exact, and arrays on host and device. */
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <cuComplex.h>
#include <cuda_runtime.h>

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
/* The type that libraries have for it. */
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
	explicit array(std::vector<T> v) : host(std::move(v))
	{
		cudaMalloc((void **)&device, (host.size() + host.empty()) * sizeof(T));
		put();
	}
	explicit array(size_t n) : array(drawn(n))
	{
	}
	~array()
	{
		cudaFree(device);
	}
	array(const array &) = delete;
	static std::vector<T> drawn(size_t n)
	{
		std::vector<T> v(n);
		for (T &one : v)
			draw(one);
		return v;
	}
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

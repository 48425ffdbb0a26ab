/* cuBLAS: vectors and products of matrices beside plain loops. Numbers are small and whole, so that all sums are exact. */
#include <cmath>
#include <cstring>

#include <cublasLt.h>
#include <cuda_fp8.h>

#include "blas.h"

/* ---- functions by type ---- */

#define BY_TYPE(S, Sr, s, type, dot_name) \
	static cublasStatus_t gemm(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const type *alpha, const type *a, int lda, const type *b, \
	                           int ldb, const type *beta, type *c, int ldc) \
	{ \
		return cublas##S##gemm(handle, ta, tb, m, n, k, as(alpha), as(a), lda, as(b), ldb, as(beta), as(c), ldc); \
	} \
	static cublasStatus_t gemm_batched(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const type *alpha, type **a, int lda, type **b, \
	                                   int ldb, const type *beta, type **c, int ldc, int batch) \
	{ \
		return cublas##S##gemmBatched(handle, ta, tb, m, n, k, as(alpha), (const on_device<type> *const *)a, lda, (const on_device<type> *const *)b, ldb, \
		                              as(beta), (on_device<type> *const *)c, ldc, batch); \
	} \
	static cublasStatus_t gemm_strided(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const type *alpha, const type *a, int lda, \
	                                   long long sa, const type *b, int ldb, long long sb, const type *beta, type *c, int ldc, long long sc, int batch) \
	{ \
		return cublas##S##gemmStridedBatched(handle, ta, tb, m, n, k, as(alpha), as(a), lda, sa, as(b), ldb, sb, as(beta), as(c), ldc, sc, batch); \
	} \
	static cublasStatus_t axpy(int n, const type *alpha, const type *x, int incx, type *y, int incy) \
	{ \
		return cublas##S##axpy(handle, n, as(alpha), as(x), incx, as(y), incy); \
	} \
	static cublasStatus_t scal(int n, const type *alpha, type *x, int incx) \
	{ \
		return cublas##S##scal(handle, n, as(alpha), as(x), incx); \
	} \
	static cublasStatus_t copy(int n, const type *x, int incx, type *y, int incy) \
	{ \
		return cublas##S##copy(handle, n, as(x), incx, as(y), incy); \
	} \
	static cublasStatus_t swap(int n, type *x, int incx, type *y, int incy) \
	{ \
		return cublas##S##swap(handle, n, as(x), incx, as(y), incy); \
	} \
	static cublasStatus_t dot(int n, const type *x, int incx, const type *y, int incy, type *result) \
	{ \
		return cublas##dot_name(handle, n, as(x), incx, as(y), incy, as(result)); \
	} \
	template <class R> static cublasStatus_t rot(int n, type *x, type *y, const R *c, const type *sine) \
	{ \
		return cublas##S##rot(handle, n, as(x), 1, as(y), 1, c, as(sine)); \
	} \
	template <class R> static cublasStatus_t asum(int n, const type *x, int incx, R *result) \
	{ \
		return cublas##Sr##asum(handle, n, as(x), incx, result); \
	} \
	template <class R> static cublasStatus_t nrm2(int n, const type *x, int incx, R *result) \
	{ \
		return cublas##Sr##nrm2(handle, n, as(x), incx, result); \
	} \
	static cublasStatus_t iamax(int n, const type *x, int incx, int *result) \
	{ \
		return cublasI##s##amax(handle, n, as(x), incx, result); \
	} \
	static cublasStatus_t iamin(int n, const type *x, int incx, int *result) \
	{ \
		return cublasI##s##amin(handle, n, as(x), incx, result); \
	}
BY_TYPE(S, S, s, float, Sdot)
BY_TYPE(D, D, d, double, Ddot)
BY_TYPE(C, Sc, c, C32, Cdotc)
BY_TYPE(Z, Dz, z, C64, Zdotc)

/* ---- vectors ---- */

template <class T> static double size_of(T v)
{
	return std::abs(std::real(v)) + std::abs(std::imag(v));
}

/* The place of element i, with an increment that may be negative. */
static size_t at(int i, int n, int inc)
{
	return size_t(inc < 0 ? (i - n + 1) * inc : i * inc);
}

/* With both pointer modes: scalars are x's and y's neighbours on the device then. */
template <class T> static void test_updates(const char *what, int n, int incx, int incy)
{
	array<T> x(size_t(n) * abs(incx)), y(size_t(n) * abs(incy)), alpha(1);
	std::vector<T> wx = x.host, wy = y.host;
	for (int i = 0; i < n; i++)
		wy[at(i, n, incy)] += alpha.host[0] * wx[at(i, n, incx)];
	GOOD(axpy(n, alpha.host.data(), x.device, incx, y.device, incy));
	COUNT(y.get(), wy);
	cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
	for (int i = 0; i < n; i++)
		wy[at(i, n, incy)] += alpha.host[0] * wx[at(i, n, incx)];
	GOOD(axpy(n, alpha.device, x.device, incx, y.device, incy));
	COUNT(y.get(), wy);
	for (int i = 0; i < n; i++)
		wx[at(i, n, abs(incx))] *= alpha.host[0];
	GOOD(scal(n, alpha.device, x.device, abs(incx)));
	COUNT(x.get(), wx);
	cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
	GOOD(swap(n, x.device, incx, y.device, incy));
	for (int i = 0; i < n; i++)
		std::swap(wx[at(i, n, incx)], wy[at(i, n, incy)]);
	COUNT(x.get(), wx);
	COUNT(y.get(), wy);
	GOOD(copy(n, x.device, incx, y.device, incy));
	for (int i = 0; i < n; i++)
		wy[at(i, n, incy)] = wx[at(i, n, incx)];
	COUNT(y.get(), wy);
	T zero = 0;
	x.host.assign(x.host.size(), T(NAN));
	x.put();
	GOOD(scal(n, &zero, x.device, abs(incx)));
	expect(what, x.get()[0] == zero, 1);
}

template <class T> static void test_rotation(const char *what)
{
	typedef decltype(std::abs(T())) R;
	array<T> x(300), y(300), s(1);
	R c = 3;
	std::vector<T> wx = x.host, wy = y.host;
	for (int i = 0; i < 300; i++) {
		wx[i] = c * x.host[i] + s.host[0] * y.host[i];
		wy[i] = c * y.host[i] - conj_of(s.host[0]) * x.host[i];
	}
	GOOD(rot(300, x.device, y.device, &c, s.host.data()));
	COUNT(x.get(), wx);
	COUNT(y.get(), wy);
}

/* One number of a vector, to the host and to the device, which must be the same bytes. */
template <class T> static void test_sums(const char *what, int n, int inc)
{
	typedef decltype(std::abs(T())) R;
	array<T> x(size_t(n) * inc), y(n), result(1);
	array<R> real(1);
	array<T> *vector = &x;
	T sum = 0, got;
	R sizes = 0, squares = 0, norm, total;
	int most = 0, least = 0, most_found, least_found, *index;
	for (int i = 0; i < n; i++) {
		T v = x.host[size_t(i) * inc];
		sum += conj_of(v) * y.host[n - 1 - i];
		sizes += R(size_of(v));
		squares += R(std::norm(v));
		most = size_of(v) > size_of(x.host[size_t(most) * inc]) ? i : most;
		least = size_of(v) < size_of(x.host[size_t(least) * inc]) ? i : least;
	}
	GOOD(dot(n, vector->device, inc, y.device, -1, &got));
	expect(what, got == sum, 1);
	GOOD(asum(n, x.device, inc, &total));
	expect(what, total == sizes, 1);
	GOOD(nrm2(n, x.device, inc, &norm));
	expect(what, std::abs(norm - std::sqrt(squares)) <= 1e-6 * norm, 1);
	GOOD(iamax(n, x.device, inc, &most_found));
	GOOD(iamin(n, x.device, inc, &least_found));
	expect(what, most_found, most + 1);
	expect(what, least_found, least + 1);
	cudaMalloc((void **)&index, sizeof *index);
	cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
	GOOD(dot(n, x.device, inc, y.device, -1, result.device));
	GOOD(nrm2(n, x.device, inc, real.device));
	GOOD(iamax(n, x.device, inc, index));
	cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
	cudaMemcpy(&most_found, index, sizeof most_found, cudaMemcpyDeviceToHost);
	cudaFree(index);
	expect(what, result.get()[0] == sum, 1);
	expect(what, real.get()[0] == norm, 1);
	expect(what, most_found, most + 1);
}

/* What overflows or vanishes when it is squared. */
static void test_extreme_norms()
{
	const char *what = "norms";
	array<double> d(3);
	array<float> f(3);
	double norm;
	float single;
	for (double scale : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
		d.host = {3 * scale, 0, 4 * scale};
		d.put();
		GOOD(cublasDnrm2(handle, 3, d.device, 1, &norm));
		expect(what, std::abs(norm / scale - 5) < 1e-14, 1);
	}
	d.host = {1e-200, 2.0, 1e200};
	d.put();
	GOOD(cublasDnrm2(handle, 3, d.device, 1, &norm));
	expect(what, norm == 1e200, 1);
	f.host = {3e30f, 4e30f, 0};
	f.put();
	GOOD(cublasSnrm2(handle, 3, f.device, 1, &single));
	expect(what, std::abs(single / 1e30f - 5) < 1e-6, 1);
	f.host = {0, NAN, 0};
	f.put();
	GOOD(cublasSnrm2(handle, 3, f.device, 1, &single));
	expect(what, std::isnan(single), 1);
}

template <class T> static void test_vectors(const char *what)
{
	test_updates<T>(what, 1, 1, 1);
	test_updates<T>(what, 1500, 1, 1);
	test_updates<T>(what, 333, 3, -2);
	test_rotation<T>(what);
	test_sums<T>(what, 1, 1);
	test_sums<T>(what, 1023, 2);
	test_sums<T>(what, 70000, 1);
	T got = T(1);
	array<T> none(1);
	GOOD(dot(0, none.device, 1, none.device, 1, &got));
	expect(what, got == T(0), 1);
}

/* ---- products ---- */

enum { BEHIND = 3 /* elements of c behind a column, which must stay */ };

template <class T> static void test_product(const char *what, int m, int n, int k, cublasOperation_t ta, cublasOperation_t tb, int pad, T beta, int on_device)
{
	int lda = (ta == CUBLAS_OP_N ? m : k) + pad, ldb = (tb == CUBLAS_OP_N ? k : n) + pad, ldc = m + BEHIND;
	array<T> a(size_t(lda) * (ta == CUBLAS_OP_N ? k : m)), b(size_t(ldb) * (tb == CUBLAS_OP_N ? n : k)), c(size_t(ldc) * n), scalars(2);
	scalars.host[1] = beta;
	scalars.put();
	if (beta == T(0)) { /* c is not read then */
		for (size_t i = 0; i < c.host.size(); i++)
			if (int(i % ldc) < m)
				c.host[i] = T(NAN);
		c.put();
	}
	std::vector<T> want = c.host;
	multiply(ta, tb, m, n, k, scalars.host[0], a.host.data(), lda, b.host.data(), ldb, beta, want.data(), ldc);
	const T *s = on_device ? scalars.device : scalars.host.data();
	cublasSetPointerMode(handle, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
	GOOD(gemm(ta, tb, m, n, k, s, a.device, lda, b.device, ldb, s + 1, c.device, ldc));
	cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
	int wrong = differ(c.get(), want);
	if (wrong)
		printf("%s: %d x %d x %d, %d %d, %d more: ", what, m, n, k, ta, tb, pad);
	expect(what, wrong, 0);
}

/* Batches, by pointers and by strides, of which the factor b is the same for all. */
template <class T> static void test_batches(const char *what, int m, int n, int k, int batch)
{
	array<T> a(size_t(m) * k * batch), b(size_t(k) * n), c(size_t(m) * n * batch), again(size_t(m) * n * batch);
	std::vector<T *> pointers;
	std::vector<T> want = c.host;
	T one = 1, two = 2, **device;
	for (int i = 0; i < batch; i++)
		multiply(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, two, &a.host[size_t(i) * m * k], k, b.host.data(), k, one, &want[size_t(i) * m * n], m);
	for (int i = 0; i < batch; i++)
		pointers.push_back(a.device + size_t(i) * m * k);
	pointers.resize(2 * batch, b.device);
	for (int i = 0; i < batch; i++)
		pointers.push_back(c.device + size_t(i) * m * n);
	cudaMalloc((void **)&device, pointers.size() * sizeof(T *));
	cudaMemcpy(device, pointers.data(), pointers.size() * sizeof(T *), cudaMemcpyHostToDevice);
	again.host = c.host;
	again.put();
	GOOD(gemm_batched(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &two, device, k, device + batch, k, &one, device + 2 * batch, m, batch));
	COUNT(c.get(), want);
	GOOD(gemm_strided(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &two, a.device, k, (long long)m * k, b.device, k, 0, &one, again.device, m, (long long)m * n, batch));
	COUNT(again.get(), want);
	cudaFree(device);
}

template <class T> static void test_products(const char *what)
{
	static const int sizes[][3] = {{1, 1, 1}, {33, 7, 19}, {37, 70, 9}, {70, 131, 17}};
	for (const int *s : sizes)
		for (cublasOperation_t ta : operations)
			for (cublasOperation_t tb : operations)
				test_product<T>(what, s[0], s[1], s[2], ta, tb, 1 + (s[0] == 70), T(2), ta == tb);
	for (cublasOperation_t ta : operations) /* columns that are aligned */
		for (cublasOperation_t tb : operations)
			test_product<T>(what, 68, 132, 36, ta, tb, 0, T(0), 0);
	test_product<T>(what, 5, 6, 0, CUBLAS_OP_N, CUBLAS_OP_N, 1, T(3), 0);
	test_batches<T>(what, 5, 4, 3, 7);
	test_batches<T>(what, 40, 33, 12, 2);
}

/* ---- numbers of few bits ---- */

template <class T> static std::vector<T> rounded(const std::vector<float> &v)
{
	std::vector<T> to;
	for (float f : v)
		to.push_back(T(f));
	return to;
}
template <class T> static T *upload(const std::vector<T> &v)
{
	T *p;
	cudaMalloc((void **)&p, v.size() * sizeof(T));
	cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
	return p;
}

/* In and Out are the types of the factors and the result, Scalar that of alpha and beta. */
template <class In, class Out, class Scalar>
static void test_typed(const char *what, cudaDataType in, cudaDataType out, cublasComputeType_t compute, int m, int n, int k)
{
	for (cublasOperation_t ta : {CUBLAS_OP_N, CUBLAS_OP_T})
		for (cublasOperation_t tb : {CUBLAS_OP_N, CUBLAS_OP_T}) {
			int lda = ta == CUBLAS_OP_N ? m : k, ldb = tb == CUBLAS_OP_N ? k : n;
			array<float> a(size_t(m) * k), b(size_t(k) * n), c(size_t(m) * n);
			In *da = upload(rounded<In>(a.host)), *db = upload(rounded<In>(b.host));
			Out *dc = upload(rounded<Out>(c.host));
			std::vector<float> got;
			std::vector<Out> raw(c.host.size());
			Scalar alpha = Scalar(1.0f), beta = Scalar(2.0f);
			multiply(ta, tb, m, n, k, 1.0f, a.host.data(), lda, b.host.data(), ldb, 2.0f, c.host.data(), m);
			GOOD(cublasGemmEx(handle, ta, tb, m, n, k, &alpha, da, in, lda, db, in, ldb, &beta, dc, out, m, compute, CUBLAS_GEMM_DEFAULT));
			cudaMemcpy(raw.data(), dc, raw.size() * sizeof(Out), cudaMemcpyDeviceToHost);
			for (Out v : raw)
				got.push_back(float(v));
			COUNT(got, c.host, sizeof(Out) == 2 ? 0.004 : 0);
			for (void *p : {(void *)da, (void *)db, (void *)dc})
				cudaFree(p);
		}
}

static void test_few_bits()
{
	static const int sizes[][3] = {{8, 8, 8}, {72, 40, 48}, {65, 3, 33}};
	for (const int *s : sizes) {
		test_typed<__half, __half, float>("half", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, s[0], s[1], s[2]);
		test_typed<__half, __half, __half>("half sums", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, s[0], s[1], s[2]);
		test_typed<__half, float, float>("half to single", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, s[0], s[1], s[2]);
		test_typed<__nv_bfloat16, __nv_bfloat16, float>("bfloat16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, s[0], s[1], s[2]);
		test_typed<__nv_bfloat16, float, float>("bfloat16 to single", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, s[0], s[1], s[2]);
		test_typed<signed char, int, int>("integers", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, s[0], s[1], s[2]);
		test_typed<signed char, float, float>("integers to single", CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, s[0], s[1], s[2]);
		test_typed<float, float, float>("single", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, s[0], s[1], s[2]);
	}
	const char *what = "vectors of halves";
	array<float> x(1000), y(1000);
	__half *dx = upload(rounded<__half>(x.host)), *dy = upload(rounded<__half>(y.host)), sum;
	float want = 0, two = 2;
	for (int i = 0; i < 1000; i++)
		want += x.host[i] * y.host[i];
	GOOD(cublasDotEx(handle, 1000, dx, CUDA_R_16F, 1, dy, CUDA_R_16F, 1, &sum, CUDA_R_16F, CUDA_R_32F));
	expect(what, std::abs(float(sum) - want) <= 0.001 * std::abs(want), 1);
	GOOD(cublasAxpyEx(handle, 1000, &two, CUDA_R_32F, dx, CUDA_R_16F, 1, dy, CUDA_R_16F, 1, CUDA_R_32F));
	GOOD(cublasScalEx(handle, 1000, &two, CUDA_R_32F, dx, CUDA_R_16F, 1, CUDA_R_32F));
	std::vector<__half> raw(1000);
	cudaMemcpy(raw.data(), dy, 2000, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 1000; i++)
		expect(what, float(raw[i]) == y.host[i] + 2 * x.host[i], 1);
	GOOD(cublasNrm2Ex(handle, 1000, dx, CUDA_R_16F, 1, &sum, CUDA_R_16F, CUDA_R_32F));
	cudaFree(dx);
	cudaFree(dy);
}

/* ---- products that descriptors describe ---- */

struct descriptors {
	cublasLtMatmulDesc_t product;
	cublasLtMatrixLayout_t a, b, c, d;
	descriptors(cublasComputeType_t compute, cudaDataType scale, cudaDataType in, cudaDataType out, int m, int n, int k)
	{
		cublasOperation_t t = CUBLAS_OP_T;
		GOOD(cublasLtMatmulDescCreate(&product, compute, scale));
		GOOD(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t));
		GOOD(cublasLtMatrixLayoutCreate(&a, in, k, m, k));
		GOOD(cublasLtMatrixLayoutCreate(&b, in, k, n, k));
		GOOD(cublasLtMatrixLayoutCreate(&c, out, m, n, m));
		GOOD(cublasLtMatrixLayoutCreate(&d, out, m, n, m));
	}
	~descriptors()
	{
		for (cublasLtMatrixLayout_t l : {a, b, c, d})
			cublasLtMatrixLayoutDestroy(l);
		cublasLtMatmulDescDestroy(product);
	}
	int algorithms() const
	{
		cublasLtMatmulPreference_t preference;
		cublasLtMatmulHeuristicResult_t found;
		int n = -1;
		cublasLtMatmulPreferenceCreate(&preference);
		cublasLtMatmulAlgoGetHeuristic(handle, product, a, b, c, d, preference, 1, &found, &n);
		cublasLtMatmulPreferenceDestroy(preference);
		return n;
	}
};

/* A layer of a network: a product, a bias and a function. In and Out are the types of the factors and of what is added and made. */
template <class In, class Out>
static void test_layer(const char *what, cudaDataType in, cudaDataType out, cublasLtEpilogue_t epilogue, double tolerance)
{
	const int m = 37, n = 20, k = 24;
	descriptors with(CUBLAS_COMPUTE_32F, CUDA_R_32F, in, out, m, n, k);
	array<float> a(m * k), b(k * n), c(m * n), bias(m);
	In *da = upload(rounded<In>(a.host)), *db = upload(rounded<In>(b.host));
	Out *dc = upload(rounded<Out>(c.host)), *dd, *dbias = upload(rounded<Out>(bias.host));
	std::vector<Out> raw(m * n);
	std::vector<float> got, want = c.host;
	float alpha = 0.0625f, beta = 0.5f;
	multiply(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, alpha, a.host.data(), k, b.host.data(), k, beta, want.data(), m);
	for (int i = 0; i < m * n; i++) {
		float v = want[i] + (epilogue & CUBLASLT_EPILOGUE_BIAS ? bias.host[i % m] : 0);
		if (epilogue & CUBLASLT_EPILOGUE_RELU)
			v = std::max(v, 0.0f);
		if (epilogue & CUBLASLT_EPILOGUE_GELU)
			v = 0.5f * v * (1 + std::tanh(0.79788456f * (v + 0.044715f * v * v * v)));
		want[i] = v;
	}
	cudaMalloc((void **)&dd, m * n * sizeof(Out));
	GOOD(cublasLtMatmulDescSetAttribute(with.product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
	GOOD(cublasLtMatmulDescSetAttribute(with.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias, sizeof dbias));
	expect(what, with.algorithms(), 1);
	GOOD(cublasLtMatmul(handle, with.product, &alpha, da, with.a, db, with.b, &beta, dc, with.c, dd, with.d, NULL, NULL, 0, 0));
	cudaMemcpy(raw.data(), dd, raw.size() * sizeof(Out), cudaMemcpyDeviceToHost);
	for (Out v : raw)
		got.push_back(float(v));
	COUNT(got, want, tolerance);
	for (void *p : {(void *)da, (void *)db, (void *)dc, (void *)dd, (void *)dbias})
		cudaFree(p);
}

/* Numbers of eight bits with factors, and the largest result. */
static void test_eight_bits()
{
	const char *what = "eight bits with a point";
	const int m = 20, n = 33, k = 48;
	descriptors with(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF, m, n, k);
	array<float> a(m * k), b(k * n), scales(3);
	__nv_fp8_e4m3 *da = upload(rounded<__nv_fp8_e4m3>(a.host)), *db = upload(rounded<__nv_fp8_e4m3>(b.host));
	std::vector<float> want(m * n), got;
	std::vector<__nv_bfloat16> raw(m * n);
	__nv_bfloat16 *dd = upload(raw);
	float alpha = 1, beta = 0, largest = 0, *p = scales.device, *q = p + 1, *r = p + 2;
	scales.host = {0.5f, 0.25f, 0};
	scales.put();
	multiply(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, 0.125f, a.host.data(), k, b.host.data(), k, 0.0f, want.data(), m);
	for (float v : want)
		largest = std::max(largest, std::abs(v));
	GOOD(cublasLtMatmulDescSetAttribute(with.product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &p, sizeof p));
	GOOD(cublasLtMatmulDescSetAttribute(with.product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &q, sizeof q));
	GOOD(cublasLtMatmulDescSetAttribute(with.product, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, &r, sizeof r));
	GOOD(cublasLtMatmul(handle, with.product, &alpha, da, with.a, db, with.b, &beta, dd, with.c, dd, with.d, NULL, NULL, 0, 0));
	cudaMemcpy(raw.data(), dd, raw.size() * sizeof *dd, cudaMemcpyDeviceToHost);
	for (__nv_bfloat16 v : raw)
		got.push_back(float(v));
	COUNT(got, want, 0.005);
	expect(what, scales.get()[2] == largest, 1);
	for (void *d : {(void *)da, (void *)db, (void *)dd})
		cudaFree(d);
}

/* A factor by rows, and what is refused. */
static void test_descriptors()
{
	const char *what = "descriptors";
	const int m = 9, n = 7, k = 5;
	descriptors with(CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, m, n, k);
	array<double> a(m * k), b(k * n), c(m * n);
	std::vector<double> want = c.host;
	double alpha = 2, beta = 3;
	cublasOperation_t none = CUBLAS_OP_N;
	cublasLtOrder_t rows = CUBLASLT_ORDER_ROW, tiles = CUBLASLT_ORDER_COL32;
	cublasLtEpilogue_t gradient = CUBLASLT_EPILOGUE_DGELU;
	size_t written = 0;
	multiply(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, alpha, a.host.data(), k, b.host.data(), k, beta, want.data(), m);
	GOOD(cublasLtMatmulDescSetAttribute(with.product, CUBLASLT_MATMUL_DESC_TRANSA, &none, sizeof none));
	cublasLtMatrixLayoutInit(with.a, CUDA_R_64F, m, k, k);
	GOOD(cublasLtMatrixLayoutSetAttribute(with.a, CUBLASLT_MATRIX_LAYOUT_ORDER, &rows, sizeof rows));
	GOOD(cublasLtMatmul(handle, with.product, &alpha, a.device, with.a, b.device, with.b, &beta, c.device, with.c, c.device, with.d, NULL, NULL, 0, 0));
	COUNT(c.get(), want);
	GOOD(cublasLtMatrixLayoutGetAttribute(with.a, CUBLASLT_MATRIX_LAYOUT_ROWS, NULL, 0, &written));
	expect(what, written, 8);
	GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtMatrixLayoutSetAttribute(with.a, CUBLASLT_MATRIX_LAYOUT_ORDER, &rows, 1));
	GOOD(cublasLtMatmulDescSetAttribute(with.product, CUBLASLT_MATMUL_DESC_EPILOGUE, &gradient, sizeof gradient));
	expect(what, with.algorithms(), 0);
	GIVES(CUBLAS_STATUS_NOT_SUPPORTED, cublasLtMatmul(handle, with.product, &alpha, a.device, with.a, b.device, with.b, &beta, c.device, with.c, c.device,
	                                                  with.d, NULL, NULL, 0, 0));
	gradient = CUBLASLT_EPILOGUE_DEFAULT;
	GOOD(cublasLtMatmulDescSetAttribute(with.product, CUBLASLT_MATMUL_DESC_EPILOGUE, &gradient, sizeof gradient));
	GOOD(cublasLtMatrixLayoutSetAttribute(with.d, CUBLASLT_MATRIX_LAYOUT_ORDER, &tiles, sizeof tiles));
	expect(what, with.algorithms(), 0);
}

int main()
{
	GOOD(cublasCreate(&handle));
	test_vectors<float>("float vectors");
	test_vectors<double>("double vectors");
	test_vectors<C32>("complex vectors");
	test_vectors<C64>("double complex vectors");
	test_extreme_norms();
	test_products<float>("float products");
	test_products<double>("double products");
	test_products<C32>("complex products");
	test_products<C64>("double complex products");
	test_few_bits();
	test_layer<float, float>("layer", CUDA_R_32F, CUDA_R_32F, CUBLASLT_EPILOGUE_DEFAULT, 1e-5);
	test_layer<float, float>("layer with gelu", CUDA_R_32F, CUDA_R_32F, CUBLASLT_EPILOGUE_GELU_BIAS, 1e-5);
	test_layer<float, float>("layer with relu", CUDA_R_32F, CUDA_R_32F, CUBLASLT_EPILOGUE_RELU, 1e-5);
	test_layer<__half, __half>("layer of halves", CUDA_R_16F, CUDA_R_16F, CUBLASLT_EPILOGUE_RELU_BIAS, 0.002);
	test_layer<__nv_bfloat16, __nv_bfloat16>("layer of bfloat16", CUDA_R_16BF, CUDA_R_16BF, CUBLASLT_EPILOGUE_BIAS, 0.01);
	test_eight_bits();
	test_descriptors();
	GOOD(cublasDestroy(handle));
	printf("%s: %d failures\n", cudaGetErrorString(cudaDeviceSynchronize()), failures);
	return failures != 0;
}

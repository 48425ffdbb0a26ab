/* cuBLAS: matrices with vectors, symmetric and triangular matrices, sums of matrices, many LU decompositions, beside plain loops. */
#include <cmath>

#include "blas.h"

#define BY_TYPE(S, type) \
	static cublasStatus_t gemv(cublasOperation_t o, int m, int n, const type *alpha, const type *a, int lda, const type *x, int incx, const type *beta, \
	                           type *y, int incy) \
	{ \
		return cublas##S##gemv(handle, o, m, n, as(alpha), as(a), lda, as(x), incx, as(beta), as(y), incy); \
	} \
	static cublasStatus_t gemv_strided(int m, int n, const type *alpha, const type *a, const type *x, const type *beta, type *y, int batch) \
	{ \
		return cublas##S##gemvStridedBatched(handle, CUBLAS_OP_N, m, n, as(alpha), as(a), m, (long long)m * n, as(x), 1, n, as(beta), as(y), 1, m, batch); \
	} \
	static cublasStatus_t symv(cublasFillMode_t u, int n, const type *alpha, const type *a, int lda, const type *x, int incx, const type *beta, type *y, \
	                           int incy) \
	{ \
		return cublas##S##symv(handle, u, n, as(alpha), as(a), lda, as(x), incx, as(beta), as(y), incy); \
	} \
	static cublasStatus_t trmv(cublasFillMode_t u, cublasOperation_t o, cublasDiagType_t d, int n, const type *a, int lda, type *x, int incx) \
	{ \
		return cublas##S##trmv(handle, u, o, d, n, as(a), lda, as(x), incx); \
	} \
	static cublasStatus_t trsv(cublasFillMode_t u, cublasOperation_t o, cublasDiagType_t d, int n, const type *a, int lda, type *x, int incx) \
	{ \
		return cublas##S##trsv(handle, u, o, d, n, as(a), lda, as(x), incx); \
	} \
	static cublasStatus_t syr2(cublasFillMode_t u, int n, const type *alpha, const type *x, const type *y, type *a, int lda) \
	{ \
		return cublas##S##syr2(handle, u, n, as(alpha), as(x), 1, as(y), 1, as(a), lda); \
	} \
	static cublasStatus_t syr(cublasFillMode_t u, int n, const type *alpha, const type *x, type *a, int lda) \
	{ \
		return cublas##S##syr(handle, u, n, as(alpha), as(x), 1, as(a), lda); \
	} \
	static cublasStatus_t symm(cublasSideMode_t s, cublasFillMode_t u, int m, int n, const type *alpha, const type *a, int lda, const type *b, int ldb, \
	                           const type *beta, type *c, int ldc) \
	{ \
		return cublas##S##symm(handle, s, u, m, n, as(alpha), as(a), lda, as(b), ldb, as(beta), as(c), ldc); \
	} \
	static cublasStatus_t syrk(cublasFillMode_t u, cublasOperation_t o, int n, int k, const type *alpha, const type *a, int lda, const type *beta, type *c, \
	                           int ldc) \
	{ \
		return cublas##S##syrk(handle, u, o, n, k, as(alpha), as(a), lda, as(beta), as(c), ldc); \
	} \
	static cublasStatus_t trmm(cublasSideMode_t s, cublasFillMode_t u, cublasOperation_t o, cublasDiagType_t d, int m, int n, const type *alpha, \
	                           const type *a, int lda, const type *b, int ldb, type *c, int ldc) \
	{ \
		return cublas##S##trmm(handle, s, u, o, d, m, n, as(alpha), as(a), lda, as(b), ldb, as(c), ldc); \
	} \
	static cublasStatus_t trsm(cublasSideMode_t s, cublasFillMode_t u, cublasOperation_t o, cublasDiagType_t d, int m, int n, const type *alpha, \
	                           const type *a, int lda, type *b, int ldb) \
	{ \
		return cublas##S##trsm(handle, s, u, o, d, m, n, as(alpha), as(a), lda, as(b), ldb); \
	} \
	static cublasStatus_t geam(cublasOperation_t oa, cublasOperation_t ob, int m, int n, const type *alpha, const type *a, int lda, const type *beta, \
	                           const type *b, int ldb, type *c, int ldc) \
	{ \
		return cublas##S##geam(handle, oa, ob, m, n, as(alpha), as(a), lda, as(beta), as(b), ldb, as(c), ldc); \
	} \
	static cublasStatus_t dgmm(cublasSideMode_t s, int m, int n, const type *a, int lda, const type *x, int incx, type *c, int ldc) \
	{ \
		return cublas##S##dgmm(handle, s, m, n, as(a), lda, as(x), incx, as(c), ldc); \
	} \
	static cublasStatus_t getrf(int n, type **a, int lda, int *pivots, int *info, int batch) \
	{ \
		return cublas##S##getrfBatched(handle, n, (on_device<type> *const *)a, lda, pivots, info, batch); \
	} \
	static cublasStatus_t getrs(cublasOperation_t o, int n, int columns, type **a, int lda, const int *pivots, type **b, int ldb, int *info, int batch) \
	{ \
		return cublas##S##getrsBatched(handle, o, n, columns, (const on_device<type> *const *)a, lda, pivots, (on_device<type> *const *)b, ldb, info, batch); \
	} \
	static cublasStatus_t getri(int n, type **a, int lda, const int *pivots, type **c, int ldc, int *info, int batch) \
	{ \
		return cublas##S##getriBatched(handle, n, (const on_device<type> *const *)a, lda, pivots, (on_device<type> *const *)c, ldc, info, batch); \
	} \
	static cublasStatus_t gels(int m, int n, int columns, type **a, int lda, type **c, int ldc, int *info, int *device_info, int batch) \
	{ \
		return cublas##S##gelsBatched(handle, CUBLAS_OP_N, m, n, columns, (on_device<type> *const *)a, lda, (on_device<type> *const *)c, ldc, info, \
		                              device_info, batch); \
	} \
	static cublasStatus_t trsm_batched(cublasFillMode_t u, int n, int columns, const type *alpha, type **a, int lda, type **b, int ldb, int batch) \
	{ \
		return cublas##S##trsmBatched(handle, CUBLAS_SIDE_LEFT, u, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, columns, as(alpha), \
		                              (const on_device<type> *const *)a, lda, (on_device<type> *const *)b, ldb, batch); \
	}
BY_TYPE(S, float)
BY_TYPE(D, double)
BY_TYPE(C, C32)
BY_TYPE(Z, C64)

static const cublasFillMode_t triangles[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasDiagType_t diagonals[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
template <class T> static double tolerance()
{
	return sizeof(decltype(std::abs(T()))) == 4 ? 2e-4 : 1e-11;
}

/* 1: (i, j) is in the triangle. */
static int is_in(cublasFillMode_t u, int i, int j)
{
	return u == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
}

/* The whole symmetric or Hermitian matrix of a triangle, with n rows. */
template <class T> static std::vector<T> symmetric(const std::vector<T> &a, int lda, int n, cublasFillMode_t u, bool hermitian)
{
	std::vector<T> whole(size_t(n) * n);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			T v = is_in(u, i, j) ? a[i + size_t(j) * lda] : a[j + size_t(i) * lda];
			whole[i + size_t(j) * n] = !hermitian ? v : i == j ? T(std::real(v)) : is_in(u, i, j) ? v : conj_of(v);
		}
	return whole;
}

/* The whole triangular matrix, before op. */
template <class T> static std::vector<T> triangular(const std::vector<T> &a, int lda, int n, cublasFillMode_t u, cublasDiagType_t d)
{
	std::vector<T> whole(size_t(n) * n);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			whole[i + size_t(j) * n] = i == j && d == CUBLAS_DIAG_UNIT ? T(1) : is_in(u, i, j) ? a[i + size_t(j) * lda] : T(0);
	return whole;
}

/* Makes solutions with the matrix tame: its diagonal outweighs the rest, unless it is taken for 1. */
template <class T> static void strengthen(array<T> &a, int lda, int n, cublasDiagType_t d)
{
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			if (i == j)
				a.host[i + size_t(j) * lda] = T(d == CUBLAS_DIAG_UNIT ? NAN : 64);
			else
				a.host[i + size_t(j) * lda] *= T(d == CUBLAS_DIAG_UNIT ? 1.0 / 256 : 0.125);
	a.put();
}

template <class T> static void test_gemv(const char *what, int m, int n, int incx, int incy)
{
	for (cublasOperation_t o : operations) {
		int lda = m + 1, nx = o == CUBLAS_OP_N ? n : m, ny = o == CUBLAS_OP_N ? m : n;
		array<T> a(size_t(lda) * n), x(size_t(nx) * abs(incx)), y(size_t(ny) * abs(incy)), s(2);
		std::vector<T> want = y.host, px(nx), py(ny);
		for (int i = 0; i < nx; i++)
			px[i] = x.host[incx < 0 ? (i - nx + 1) * incx : i * incx];
		for (int i = 0; i < ny; i++)
			py[i] = y.host[incy < 0 ? (i - ny + 1) * incy : i * incy];
		multiply(o, CUBLAS_OP_N, ny, 1, nx, s.host[0], a.host.data(), lda, px.data(), nx, s.host[1], py.data(), ny);
		for (int i = 0; i < ny; i++)
			want[incy < 0 ? (i - ny + 1) * incy : i * incy] = py[i];
		cublasSetPointerMode(handle, o == CUBLAS_OP_T ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
		const T *by = o == CUBLAS_OP_T ? s.device : s.host.data();
		GOOD(gemv(o, m, n, by, a.device, lda, x.device, incx, by + 1, y.device, incy));
		cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
		COUNT(y.get(), want);
	}
}

template <class T> static void test_gemv_batches(const char *what)
{
	enum { M = 5, N = 7, BATCH = 4 };
	array<T> a(M * N * BATCH), x(N * BATCH), y(M * BATCH);
	std::vector<T> want = y.host;
	T alpha = 2, beta = 0;
	for (int b = 0; b < BATCH; b++)
		multiply(CUBLAS_OP_N, CUBLAS_OP_N, M, 1, N, alpha, &a.host[b * M * N], M, &x.host[b * N], N, beta, &want[b * M], M);
	GOOD(gemv_strided(M, N, &alpha, a.device, x.device, &beta, y.device, BATCH));
	COUNT(y.get(), want);
}

/* Vectors with a symmetric and a triangular matrix, and updates of a triangle. */
template <class T> static void test_level2(const char *what, int n)
{
	int lda = n + 2;
	T alpha = 2, beta = 3;
	array<T> a(size_t(lda) * n), y(n);
	for (cublasFillMode_t u : triangles) {
		array<T> x(n), z(n), b(size_t(lda) * n);
		std::vector<T> want = z.host, whole = symmetric(a.host, lda, n, u, false);
		multiply(CUBLAS_OP_N, CUBLAS_OP_N, n, 1, n, alpha, whole.data(), n, x.host.data(), n, beta, want.data(), n);
		GOOD(symv(u, n, &alpha, a.device, lda, x.device, 1, &beta, z.device, 1));
		COUNT(z.get(), want);
		want = b.host;
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++)
				if (is_in(u, i, j))
					want[i + size_t(j) * lda] += alpha * (x.host[i] * y.host[j] + y.host[i] * x.host[j] + x.host[i] * x.host[j]);
		GOOD(syr2(u, n, &alpha, x.device, y.device, b.device, lda));
		GOOD(syr(u, n, &alpha, x.device, b.device, lda));
		COUNT(b.get(), want);
		for (cublasOperation_t o : operations)
			for (cublasDiagType_t d : diagonals) {
				array<T> v(n), t(size_t(lda) * n);
				strengthen(t, lda, n, d);
				want.assign(n, T(0));
				whole = triangular(t.host, lda, n, u, d);
				multiply(o, CUBLAS_OP_N, n, 1, n, T(1), whole.data(), n, v.host.data(), n, T(0), want.data(), n);
				GOOD(trmv(u, o, d, n, t.device, lda, v.device, 1));
				COUNT(v.get(), want, tolerance<T>());
				GOOD(trsv(u, o, d, n, t.device, lda, v.device, 1));
				COUNT(v.get(), v.host, tolerance<T>());
			}
	}
}

template <class T> static void test_triangles(const char *what, int m, int n)
{
	T alpha = 2, beta = 3, half = T(0.5);
	for (cublasSideMode_t side : sides)
		for (cublasFillMode_t u : triangles) {
			bool left = side == CUBLAS_SIDE_LEFT;
			int k = left ? m : n, lda = k + 1, ldb = m + 2;
			array<T> a(size_t(lda) * k), b(size_t(ldb) * n), c(size_t(ldb) * n);
			std::vector<T> want = c.host, whole = symmetric(a.host, lda, k, u, false);
			multiply(CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, alpha, left ? whole.data() : b.host.data(), left ? k : ldb, left ? b.host.data() : whole.data(),
			         left ? ldb : k, beta, want.data(), ldb);
			GOOD(symm(side, u, m, n, &alpha, a.device, lda, b.device, ldb, &beta, c.device, ldb));
			COUNT(c.get(), want);
			for (cublasOperation_t o : operations)
				for (cublasDiagType_t d : diagonals) {
					array<T> t(size_t(lda) * k), x(size_t(ldb) * n);
					strengthen(t, lda, k, d);
					whole = triangular(t.host, lda, k, u, d);
					want = x.host;
					multiply(left ? o : CUBLAS_OP_N, left ? CUBLAS_OP_N : o, m, n, k, alpha, left ? whole.data() : x.host.data(), left ? k : ldb,
					         left ? x.host.data() : whole.data(), left ? ldb : k, T(0), want.data(), ldb);
					GOOD(trmm(side, u, o, d, m, n, &alpha, t.device, lda, x.device, ldb, x.device, ldb));
					COUNT(x.get(), want, tolerance<T>());
					GOOD(trsm(side, u, o, d, m, n, &half, t.device, lda, x.device, ldb));
					COUNT(x.get(), x.host, tolerance<T>());
				}
		}
}

/* One triangle of a product with itself; the other stays. */
template <class T> static void test_syrk(const char *what, int n, int k)
{
	T alpha = 2, beta = 3;
	for (cublasFillMode_t u : triangles)
		for (cublasOperation_t o : {CUBLAS_OP_N, CUBLAS_OP_T}) {
			int lda = o == CUBLAS_OP_N ? n : k, ldc = n + 1;
			array<T> a(size_t(n) * k), c(size_t(ldc) * n);
			std::vector<T> want = c.host, all = c.host;
			multiply(o, o == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N, n, n, k, alpha, a.host.data(), lda, a.host.data(), lda, beta, all.data(), ldc);
			for (int j = 0; j < n; j++)
				for (int i = 0; i < n; i++)
					if (is_in(u, i, j))
						want[i + size_t(j) * ldc] = all[i + size_t(j) * ldc];
			GOOD(syrk(u, o, n, k, &alpha, a.device, lda, &beta, c.device, ldc));
			COUNT(c.get(), want);
		}
}

/* Hermitian matrices of double precision. */
static void test_hermitian()
{
	const char *what = "hermitian";
	enum { N = 41, K = 7 };
	C64 alpha = C64(2, 1), beta = 3;
	double real = 2, three = 3;
	for (cublasFillMode_t u : triangles) {
		array<C64> a(N * N), x(N), y(N), b(N * N), c(N * N), f(N * K);
		std::vector<C64> want = y.host, whole = symmetric(a.host, N, N, u, true);
		multiply(CUBLAS_OP_N, CUBLAS_OP_N, N, 1, N, alpha, whole.data(), N, x.host.data(), N, beta, want.data(), N);
		GOOD(cublasZhemv(handle, u, N, as(&alpha), a.at(), N, x.at(), 1, as(&beta), y.at(), 1));
		COUNT(y.get(), want);
		want = c.host;
		multiply(CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, alpha, b.host.data(), N, whole.data(), N, beta, want.data(), N);
		GOOD(cublasZhemm(handle, CUBLAS_SIDE_RIGHT, u, N, N, as(&alpha), a.at(), N, b.at(), N, as(&beta), c.at(), N));
		COUNT(c.get(), want);
		std::vector<C64> all = want;
		multiply(CUBLAS_OP_N, CUBLAS_OP_C, N, N, K, C64(real), f.host.data(), N, f.host.data(), N, C64(three), all.data(), N);
		for (int j = 0; j < N; j++)
			for (int i = 0; i < N; i++)
				if (is_in(u, i, j))
					want[i + j * N] = i == j ? C64(std::real(all[i + j * N])) : all[i + j * N];
		GOOD(cublasZherk(handle, u, CUBLAS_OP_N, N, K, &real, f.at(), N, &three, c.at(), N));
		COUNT(c.get(), want);
		for (int j = 0; j < N; j++)
			for (int i = 0; i < N; i++)
				if (is_in(u, i, j)) {
					want[i + j * N] += real * x.host[i] * std::conj(x.host[j]);
					want[i + j * N] = i == j ? C64(std::real(want[i + j * N])) : want[i + j * N];
				}
		GOOD(cublasZher(handle, u, N, &real, x.at(), 1, c.at(), N));
		COUNT(c.get(), want);
	}
	array<C64> x(9), y(6), a(54);
	std::vector<C64> want = a.host;
	for (int j = 0; j < 6; j++)
		for (int i = 0; i < 9; i++)
			want[i + j * 9] += alpha * x.host[i] * std::conj(y.host[j]);
	GOOD(cublasZgerc(handle, 9, 6, as(&alpha), x.at(), 1, y.at(), 1, a.at(), 9));
	COUNT(a.get(), want);
}

template <class T> static void test_sums(const char *what, int m, int n)
{
	T alpha = 2, beta = 3, zero = 0;
	for (cublasOperation_t oa : operations)
		for (cublasOperation_t ob : operations) {
			int lda = oa == CUBLAS_OP_N ? m : n, ldb = (ob == CUBLAS_OP_N ? m : n) + 1, ldc = m + 1;
			array<T> a(size_t(m) * n), b(size_t(ldb) * (ob == CUBLAS_OP_N ? n : m)), c(size_t(ldc) * n);
			std::vector<T> want = c.host;
			for (int j = 0; j < n; j++)
				for (int i = 0; i < m; i++)
					want[i + size_t(j) * ldc] = alpha * op(a.host.data(), lda, oa, i, j) + beta * op(b.host.data(), ldb, ob, i, j);
			GOOD(geam(oa, ob, m, n, &alpha, a.device, lda, &beta, b.device, ldb, c.device, ldc));
			COUNT(c.get(), want);
			for (int j = 0; j < n; j++)
				for (int i = 0; i < m; i++)
					want[i + size_t(j) * ldc] = alpha * op(a.host.data(), lda, oa, i, j);
			GOOD(geam(oa, ob, m, n, &alpha, a.device, lda, &zero, (const T *)nullptr, ldb, c.device, ldc));
			COUNT(c.get(), want);
		}
	for (cublasSideMode_t side : sides) {
		array<T> a(size_t(m) * n), x(2 * (m + n)), c(size_t(m) * n);
		std::vector<T> want = c.host;
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++)
				want[i + size_t(j) * m] = a.host[i + size_t(j) * m] * x.host[2 * (side == CUBLAS_SIDE_LEFT ? i : j)];
		GOOD(dgmm(side, m, n, a.device, m, x.device, 2, c.device, m));
		COUNT(c.get(), want);
	}
}

template <class T> static T **upload(T *first, size_t stride, int n)
{
	std::vector<T *> list;
	T **device;
	for (int i = 0; i < n; i++)
		list.push_back(first + i * stride);
	cudaMalloc((void **)&device, n * sizeof(T *));
	cudaMemcpy(device, list.data(), n * sizeof(T *), cudaMemcpyHostToDevice);
	return device;
}

/* Solutions are multiplied back; the inverse gives the identity. One matrix is singular. */
template <class T> static void test_lu(const char *what, int n, int columns, int batch)
{
	array<T> a(size_t(n) * n * batch), b(size_t(n) * columns * batch), c(size_t(n) * n * batch);
	for (size_t i = 0; i < a.host.size(); i++)
		a.host[i] += T(i % (n + 1) == 3 % n ? 20 : 0); /* off the diagonal: rows are exchanged */
	a.put();
	std::vector<T> whole = a.host, got, product(size_t(n) * columns), square(size_t(n) * n);
	int *pivots, *info, at_host = -1;
	std::vector<int> infos(batch);
	T **pa = upload(a.device, size_t(n) * n, batch), **pb = upload(b.device, size_t(n) * columns, batch), **pc = upload(c.device, size_t(n) * n, batch);
	cudaMalloc((void **)&pivots, sizeof(int) * n * batch);
	cudaMalloc((void **)&info, sizeof(int) * batch);
	for (cublasOperation_t o : operations) {
		a.put();
		b.put();
		GOOD(getrf(n, pa, n, pivots, info, batch));
		GOOD(getrs(o, n, columns, pa, n, pivots, pb, n, &at_host, batch));
		got = b.get();
		for (int i = 0; i < batch; i++) {
			multiply(o, CUBLAS_OP_N, n, columns, n, T(1), &whole[size_t(i) * n * n], n, &got[size_t(i) * n * columns], n, T(0), product.data(), n);
			expect(what, differ(product, std::vector<T>(&b.host[size_t(i) * n * columns], &b.host[size_t(i + 1) * n * columns - 1] + 1), 20 * tolerance<T>()), 0);
		}
		expect(what, at_host, 0);
	}
	GOOD(getri(n, pa, n, pivots, pc, n, info, batch));
	got = c.get();
	std::vector<T> identity(size_t(n) * n);
	for (int i = 0; i < n; i++)
		identity[i * (n + 1)] = 1;
	for (int i = 0; i < batch; i++) {
		multiply(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, T(1), &whole[size_t(i) * n * n], n, &got[size_t(i) * n * n], n, T(0), square.data(), n);
		expect(what, differ(square, identity, 20 * tolerance<T>()), 0);
	}
	for (int i = 0; i < n; i++)
		a.host[i * n + n / 2] = 0; /* of the first a row */
	a.put();
	GOOD(getrf(n, pa, n, nullptr, info, 1));
	GOOD(getrf(n, pa, n, pivots, info, 1));
	cudaMemcpy(infos.data(), info, sizeof(int) * batch, cudaMemcpyDeviceToHost);
	expect(what, infos[0], n);
	a.host = whole;
	for (size_t i = 0; i < a.host.size(); i++)
		a.host[i] = i % (size_t(n) * n) % (n + 1) == 0 ? T(64) : a.host[i] * T(0.125);
	a.put();
	b.put();
	T one = 1;
	GOOD(trsm_batched(CUBLAS_FILL_MODE_UPPER, n, columns, &one, pa, n, pb, n, batch));
	got = b.get();
	for (int i = 0; i < batch; i++) {
		std::vector<T> upper = triangular(std::vector<T>(&a.host[size_t(i) * n * n], &a.host[size_t(i + 1) * n * n - 1] + 1), n, n, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT);
		multiply(CUBLAS_OP_N, CUBLAS_OP_N, n, columns, n, T(1), upper.data(), n, &got[size_t(i) * n * columns], n, T(0), product.data(), n);
		expect(what, differ(product, std::vector<T>(&b.host[size_t(i) * n * columns], &b.host[size_t(i + 1) * n * columns - 1] + 1), tolerance<T>()), 0);
	}
	for (void *p : {(void *)pa, (void *)pb, (void *)pc, (void *)pivots, (void *)info})
		cudaFree(p);
}

/* Least squares: what is left of b is at right angles to all columns of a. */
template <class T> static void test_least_squares(const char *what, int m, int n, int columns, int batch)
{
	array<T> a(size_t(m) * n * batch), b(size_t(m) * columns * batch);
	T **pa = upload(a.device, size_t(m) * n, batch), **pb = upload(b.device, size_t(m) * columns, batch);
	int info = -1, *zeros;
	std::vector<int> found(batch, -1);
	cudaMalloc((void **)&zeros, batch * sizeof(int));
	GOOD(gels(m, n, columns, pa, m, pb, m, &info, zeros, batch));
	cudaMemcpy(found.data(), zeros, batch * sizeof(int), cudaMemcpyDeviceToHost);
	expect(what, info, 0);
	std::vector<T> x = b.get(), none(size_t(n) * columns);
	for (int i = 0; i < batch; i++) {
		std::vector<T> left(&b.host[size_t(i) * m * columns], &b.host[size_t(i + 1) * m * columns - 1] + 1), angle(size_t(n) * columns);
		multiply(CUBLAS_OP_N, CUBLAS_OP_N, m, columns, n, T(-1), &a.host[size_t(i) * m * n], m, &x[size_t(i) * m * columns], m, T(1), left.data(), m);
		multiply(CUBLAS_OP_C, CUBLAS_OP_N, n, columns, m, T(1), &a.host[size_t(i) * m * n], m, left.data(), m, T(0), angle.data(), n);
		expect(what, differ(angle, none, 100 * tolerance<T>()), 0);
		expect(what, found[i], 0);
	}
	GIVES(CUBLAS_STATUS_NOT_SUPPORTED, gels(n, m, columns, pa, m, pb, m, &info, zeros, batch));
	for (void *p : {(void *)pa, (void *)pb, (void *)zeros})
		cudaFree(p);
}

template <class T> static void test_all(const char *what)
{
	test_gemv<T>(what, 70, 37, 1, 1);
	test_gemv<T>(what, 9, 150, -2, 3);
	test_gemv_batches<T>(what);
	test_level2<T>(what, 37);
	test_triangles<T>(what, 37, 18);
	test_syrk<T>(what, 70, 9);
	test_sums<T>(what, 37, 50);
	test_lu<T>(what, 19, 3, 3);
	test_least_squares<T>(what, 21, 8, 2, 3);
}

int main()
{
	GOOD(cublasCreate(&handle));
	test_all<float>("float");
	test_all<double>("double");
	test_all<C32>("complex");
	test_all<C64>("double complex");
	test_hermitian();
	GOOD(cublasDestroy(handle));
	printf("%s: %d failures\n", cudaGetErrorString(cudaDeviceSynchronize()), failures);
	return failures != 0;
}

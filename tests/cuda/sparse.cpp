/* cuSPARSE: products of sparse matrices, and sparse vectors, beside plain loops. Numbers are small and whole, so that all sums are exact. */
#include <cstdint>
#include <cstring>

#include "sparse.h"

static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};

/* y = alpha * op(a) * x + beta * y on the host. */
template <class T> static void multiply(const std::vector<T> &a, int m, int n, const T *x, T alpha, T beta, T *y)
{
	for (int i = 0; i < m; i++) {
		T sum = 0;
		for (int j = 0; j < n; j++)
			sum += a[size_t(i) * n + j] * x[j];
		y[i] = beta == T(0) ? alpha * sum : alpha * sum + beta * y[i];
	}
}

/* ---- a matrix and a vector ---- */

template <class T, class I> static void spmv(const char *what, const sparse<T, I> &a, cusparseOperation_t op, T beta, cusparseSpMVAlg_t alg, bool on_device)
{
	int m = a.rows, n = a.columns;
	std::vector<T> dense = operated(a.dense, m, n, op);
	vector<T> x(n), y(m);
	array<T> scalars({drawn<T>(), beta});
	const T *factors = on_device ? scalars.device : scalars.host.data();
	if (beta == T(0)) {
		y.host.assign(m, T(NAN));
		y.put();
	}
	size_t bytes = 1;
	GOOD(cusparseSetPointerMode(handle, on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
	GOOD(cusparseSpMV_bufferSize(handle, op, factors, a.d, x.d, factors + 1, y.d, type_of<T>::type, alg, &bytes));
	buffer room(bytes);
	GOOD(cusparseSpMV_preprocess(handle, op, factors, a.d, x.d, factors + 1, y.d, type_of<T>::type, alg, room.device));
	GOOD(cusparseSpMV(handle, op, factors, a.d, x.d, factors + 1, y.d, type_of<T>::type, alg, room.device));
	GOOD(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	multiply(dense, m, n, x.host.data(), scalars.host[0], beta, y.host.data());
	COUNT(y.get(), y.host);
}

/* All formats, transposed or not; the matrix may have rows without elements, and rows with more than a warp sums at once. */
template <class T, class I> static void test_spmv(const char *what, int m, int n, int sparsity)
{
	std::vector<T> dense = random_matrix<T>(m, n, sparsity);
	for (cusparseFormat_t format : formats)
		for (int base = 0; base < 2; base++) {
			sparse<T, I> a(dense, m, n, format, base);
			for (cusparseOperation_t op : operations) {
				spmv(what, a, op, drawn<T>(), CUSPARSE_SPMV_ALG_DEFAULT, base);
				if (format == CUSPARSE_FORMAT_COO)
					spmv(what, a, op, T(base), CUSPARSE_SPMV_COO_ALG2, false);
			}
			spmv(what, a, operations[base], T(0), CUSPARSE_SPMV_ALG_DEFAULT, false);
			spmv(what, a, operations[base], T(1), CUSPARSE_SPMV_CSR_ALG2, true);
		}
}

/* ---- matrices ---- */

template <class T, class I>
static void spmm(const char *what, const sparse<T, I> &a, cusparseOperation_t op_a, cusparseOperation_t op_b, cusparseOrder_t order_b,
                 cusparseOrder_t order_c, int columns, T beta, cusparseSpMMAlg_t alg, int batches = 1)
{
	int m = a.rows, n = a.columns, flip = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
	std::vector<T> dense = operated(a.dense, m, n, op_a), x(n), y(m);
	matrix<T> b(flip ? columns : n, flip ? n : columns, order_b, batches), c(m, columns, order_c, batches);
	T alpha = drawn<T>();
	size_t bytes = 1;
	GOOD(cusparseSpMM_bufferSize(handle, op_a, op_b, &alpha, a.d, b.d, &beta, c.d, type_of<T>::type, alg, &bytes));
	buffer room(bytes);
	GOOD(cusparseSpMM_preprocess(handle, op_a, op_b, &alpha, a.d, b.d, &beta, c.d, type_of<T>::type, alg, room.device));
	GOOD(cusparseSpMM(handle, op_a, op_b, &alpha, a.d, b.d, &beta, c.d, type_of<T>::type, alg, room.device));
	for (int k = 0; k < batches; k++)
		for (int j = 0; j < columns; j++) {
			for (int i = 0; i < n; i++)
				x[i] = b.element(op_b, i, j, k);
			for (int i = 0; i < m; i++)
				y[i] = c.host[c.at(i, j, k)];
			multiply(dense, m, n, x.data(), alpha, beta, y.data());
			for (int i = 0; i < m; i++)
				c.host[c.at(i, j, k)] = y[i];
		}
	COUNT(c.get(), c.host);
}

template <class T, class I> static void test_spmm(const char *what, int base)
{
	static const cusparseOrder_t orders[] = {CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL};
	std::vector<T> dense = random_matrix<T>(29, 43, 6);
	for (cusparseFormat_t format : formats) {
		sparse<T, I> a(dense, 29, 43, format, base);
		for (cusparseOperation_t op_a : operations)
			for (cusparseOperation_t op_b : operations)
				for (int k = 0; k < 4; k++)
					if ((op_a == operations[0] && op_b == operations[0]) || k % 2 == op_b % 2)
						spmm(what, a, op_a, op_b, orders[k % 2], orders[k / 2], k == 1 ? 37 : 6, T(k), k == 3 ? CUSPARSE_SPMM_COO_ALG2 : CUSPARSE_SPMM_ALG_DEFAULT);
		if (format != CUSPARSE_FORMAT_CSC)
			for (cusparseSpMMAlg_t alg : {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_COO_ALG2})
				spmm(what, a, operations[0], operations[0], orders[0], orders[1], 5, T(2), alg, 3);
	}
}

template <class T, class I> static void test_sddmm(const char *what, int inner, int batches)
{
	const int m = 23, n = 31;
	std::vector<T> dense = random_matrix<T>(m, n, 5);
	lists<T, I> one(dense, m, n, 1);
	std::vector<I> offset, column;
	std::vector<T> value, want;
	for (int k = 0; k < batches; k++) {
		offset.insert(offset.end(), one.offset.begin(), one.offset.end());
		column.insert(column.end(), one.column.begin(), one.column.end());
		value.insert(value.end(), one.value.begin(), one.value.end());
	}
	array<I> offsets(offset), columns(column);
	int64_t count = int64_t(one.value.size());
	for (cusparseOperation_t ta : operations)
		for (cusparseOperation_t tb : operations) {
			bool fa = ta != operations[0], fb = tb != operations[0];
			array<T> values(value);
			matrix<T> a(fa ? inner : m, fa ? m : inner, fa == fb ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL, batches);
			matrix<T> b(fb ? n : inner, fb ? inner : n, fa ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL, batches);
			cusparseSpMatDescr_t c;
			T alpha = drawn<T>(), beta = fb ? T(0) : drawn<T>();
			size_t bytes = 1;
			GOOD(cusparseCreateCsr(&c, m, n, count, offsets.device, columns.device, values.device, type_of<I>::type, type_of<I>::type,
			                       CUSPARSE_INDEX_BASE_ONE, type_of<T>::type));
			GOOD(cusparseCsrSetStridedBatch(c, batches, m + 1, count));
			GOOD(cusparseSDDMM_bufferSize(handle, ta, tb, &alpha, a.d, b.d, &beta, c, type_of<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
			buffer room(bytes);
			GOOD(cusparseSDDMM_preprocess(handle, ta, tb, &alpha, a.d, b.d, &beta, c, type_of<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT, room.device));
			GOOD(cusparseSDDMM(handle, ta, tb, &alpha, a.d, b.d, &beta, c, type_of<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT, room.device));
			GOOD(cusparseDestroySpMat(c));
			want = value;
			for (size_t i = 0; i < want.size(); i++) {
				int batch = int(i / count), row = int(one.row[i % count]) - 1, at = int(one.column[i % count]) - 1;
				T sum = 0;
				for (int k = 0; k < inner; k++)
					sum += a.element(ta, row, k, batch) * b.element(tb, k, at, batch);
				want[i] = beta == T(0) ? alpha * sum : alpha * sum + beta * want[i];
			}
			COUNT(values.get(), want);
		}
}

/* Numbers of 16 bits: the upper bits of a float, of which a half has another exponent. Those that are drawn have no digits too many. */
struct brain {
	uint16_t bits = 0;
	brain() = default;
	explicit brain(float v)
	{
		uint32_t whole;
		memcpy(&whole, &v, sizeof whole);
		bits = uint16_t(whole >> 16);
	}
	explicit operator float() const
	{
		uint32_t whole = uint32_t(bits) << 16;
		float v;
		memcpy(&v, &whole, sizeof v);
		return v;
	}
};
struct half {
	uint16_t bits = 0;
	half() = default;
	explicit half(float v)
	{
		uint32_t whole;
		memcpy(&whole, &v, sizeof whole);
		bits = v == 0 ? 0 : uint16_t((whole >> 16 & 0x8000) | ((whole >> 13 & 0x3ffff) - (112 << 10)));
	}
	explicit operator float() const
	{
		uint32_t whole = uint32_t(bits & 0x8000) << 16 | (uint32_t(bits & 0x7fff) << 13) + (112u << 23);
		float v;
		memcpy(&v, &whole, sizeof v);
		return bits & 0x7fff ? v : 0;
	}
};

/* Their sums are of single precision. */
template <class H> static void test_short(const char *what, cudaDataType type)
{
	const int m = 40, n = 50, columns = 9;
	std::vector<float> dense = random_matrix<float>(m, n, 9), want(m * columns), x(n);
	lists<float, int> a(dense, m, n, 0);
	array<int> offset(a.offset), column(a.column);
	std::vector<H> value, b, zeros(m * columns, H(0.0f));
	for (float v : a.value)
		value.push_back(H(v));
	for (int i = 0; i < n * columns; i++)
		b.push_back(H(float(small_number() / 4)));
	H *d_value, *d_b, *d_c;
	cudaMalloc((void **)&d_value, value.size() * sizeof(H));
	cudaMalloc((void **)&d_b, b.size() * sizeof(H));
	cudaMalloc((void **)&d_c, zeros.size() * sizeof(H));
	cudaMemcpy(d_value, value.data(), value.size() * sizeof(H), cudaMemcpyHostToDevice);
	cudaMemcpy(d_b, b.data(), b.size() * sizeof(H), cudaMemcpyHostToDevice);
	float alpha = 1, beta = 0;
	cusparseSpMatDescr_t s;
	cusparseDnMatDescr_t db, dc;
	GOOD(cusparseCreateCsr(&s, m, n, int64_t(value.size()), offset.device, column.device, d_value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
	                       CUSPARSE_INDEX_BASE_ZERO, type));
	GOOD(cusparseCreateDnMat(&db, n, columns, n, d_b, type, CUSPARSE_ORDER_COL));
	GOOD(cusparseCreateDnMat(&dc, m, columns, m, d_c, type, CUSPARSE_ORDER_COL));
	GOOD(cusparseSpMM(handle, operations[0], operations[0], &alpha, s, db, &beta, dc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
	NONE(cusparseSpMM(handle, operations[0], operations[0], &alpha, s, db, &beta, dc, type, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
	cudaMemcpy(zeros.data(), d_c, zeros.size() * sizeof(H), cudaMemcpyDeviceToHost);
	std::vector<float> got;
	for (int j = 0; j < columns; j++) {
		for (int i = 0; i < n; i++)
			x[i] = float(b[i + j * n]);
		multiply(dense, m, n, x.data(), 1.0f, 0.0f, want.data() + j * m);
	}
	for (H v : zeros)
		got.push_back(float(v));
	COUNT(got, want, 0.004);
	GOOD(cusparseDestroyDnMat(db));
	GOOD(cusparseDestroyDnMat(dc));
	GOOD(cusparseDestroySpMat(s));
	cudaFree(d_value);
	cudaFree(d_b);
	cudaFree(d_c);
}

/* ---- vectors ---- */

template <class T, class I> static void test_vectors(const char *what, int base)
{
	const int n = 500;
	std::vector<I> places;
	for (int i = 0; i < n; i++)
		if (rand() % 3 == 0)
			places.push_back(I(i + base));
	size_t count = places.size();
	array<I> index(places);
	array<T> x(count), s(1);
	vector<T> y(n);
	cusparseSpVecDescr_t d;
	T alpha = drawn<T>(), beta = drawn<T>(), c = T(3), dot = 0, got = 0;
	size_t bytes;
	GOOD(cusparseCreateSpVec(&d, n, int64_t(count), index.device, x.device, type_of<I>::type, cusparseIndexBase_t(base), type_of<T>::type));
	GOOD(cusparseAxpby(handle, &alpha, d, &beta, y.d));
	for (T &v : y.host)
		v *= beta;
	for (size_t i = 0; i < count; i++)
		y.host[places[i] - base] += alpha * x.host[i];
	COUNT(y.get(), y.host);
	for (int conj = 0; conj < 2; conj++) {
		dot = 0;
		for (size_t i = 0; i < count; i++)
			dot += (conj ? conj_of(x.host[i]) : x.host[i]) * y.host[places[i] - base];
		GOOD(cusparseSpVV_bufferSize(handle, operations[2 * conj], d, y.d, &got, type_of<T>::type, &bytes));
		GOOD(cusparseSpVV(handle, operations[2 * conj], d, y.d, &got, type_of<T>::type, nullptr));
		expect(what, got == dot, 1);
	}
	GOOD(cusparseRot(handle, &c, s.host.data(), d, y.d));
	for (size_t i = 0; i < count; i++) {
		T &a = x.host[i], &b = y.host[places[i] - base], old = a;
		a = c * a + s.host[0] * b;
		b = c * b - conj_of(s.host[0]) * old;
	}
	COUNT(y.get(), y.host);
	COUNT(x.get(), x.host);
	for (T &v : x.host)
		v += T(1);
	x.put();
	GOOD(cusparseScatter(handle, d, y.d));
	for (size_t i = 0; i < count; i++)
		y.host[places[i] - base] = x.host[i];
	COUNT(y.get(), y.host);
	for (T &v : y.host)
		v += T(2);
	y.put();
	GOOD(cusparseGather(handle, y.d, d));
	for (size_t i = 0; i < count; i++)
		x.host[i] = y.host[places[i] - base];
	COUNT(x.get(), x.host);
	GOOD(cusparseDestroySpVec(d));
}

template <class T, class I> static void test_all(const char *what, int base)
{
	test_spmv<T, I>(what, 37, 61, 7);
	test_spmv<T, I>(what, 3, 700, 1);
	test_spmv<T, I>(what, 300, 5, 4);
	test_spmm<T, I>(what, base);
	test_sddmm<T, I>(what, base ? 3 : 40, base ? 3 : 1);
	test_vectors<T, I>(what, base);
}

int main()
{
	GOOD(cusparseCreate(&handle));
	test_all<float, int>("float", 0);
	test_all<double, int>("double", 1);
	test_all<C32, int>("complex", 0);
	test_all<C64, int>("double complex", 1);
	test_all<float, int64_t>("float, long indices", 1);
	test_all<C64, int64_t>("double complex, long indices", 0);
	test_short<half>("half", CUDA_R_16F);
	test_short<brain>("bfloat16", CUDA_R_16BF);
	GOOD(cusparseDestroy(handle));
	printf("%s: %d failures\n", cudaGetErrorString(cudaDeviceSynchronize()), failures);
	return failures != 0;
}

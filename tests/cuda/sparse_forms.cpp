/* cuSPARSE: matrices of one form that become those of another, sorts, products and sums of sparse matrices, beside plain loops. Numbers are small and
 * whole, so that all sums are exact. */
#include <algorithm>
#include <numeric>

#include "sparse.h"

static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};

/* ---- dense and sparse ---- */

template <class T, class I> static void test_dense(const char *what, int m, int n, int base)
{
	std::vector<T> dense = random_matrix<T>(m, n, 5);
	for (cusparseFormat_t format : formats)
		for (cusparseOrder_t order : {CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL}) {
			sparse<T, I> a(dense, m, n, format, base);
			matrix<T> b(m, n, order);
			size_t bytes = 1;
			GOOD(cusparseSparseToDense_bufferSize(handle, a.d, b.d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
			GOOD(cusparseSparseToDense(handle, a.d, b.d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
			for (int i = 0; i < m; i++)
				for (int j = 0; j < n; j++)
					b.host[b.at(i, j)] = dense[size_t(i) * n + j];
			COUNT(b.get(), b.host);
			/* And back, into arrays of other numbers. */
			array<I> first(std::vector<I>(a.first.host.size(), -1)), second(std::vector<I>(a.second.host.size(), -1));
			array<T> value(a.value.host.size());
			cusparseSpMatDescr_t s;
			int64_t rows, columns, count;
			cusparseIndexBase_t from = cusparseIndexBase_t(base);
			if (format == CUSPARSE_FORMAT_COO)
				GOOD(cusparseCreateCoo(&s, m, n, 0, nullptr, nullptr, nullptr, type_of<I>::type, from, type_of<T>::type));
			else
				GOOD((format == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc)(&s, m, n, 0, nullptr, nullptr, nullptr, type_of<I>::type,
				                                                                           type_of<I>::type, from, type_of<T>::type));
			GOOD(cusparseDenseToSparse_bufferSize(handle, b.d, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
			buffer room(bytes);
			GOOD(cusparseDenseToSparse_analysis(handle, b.d, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, room.device));
			GOOD(cusparseSpMatGetSize(s, &rows, &columns, &count));
			expect(what, count, (long long)value.host.size());
			GOOD((format == CUSPARSE_FORMAT_COO   ? cusparseCooSetPointers
			      : format == CUSPARSE_FORMAT_CSR ? cusparseCsrSetPointers
			                                      : cusparseCscSetPointers)(s, first.device, second.device, value.device));
			GOOD(cusparseDenseToSparse_convert(handle, b.d, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, room.device));
			expect(what, first.get() == a.first.host, 1);
			expect(what, second.get() == a.second.host, 1);
			COUNT(value.get(), a.value.host);
			GOOD(cusparseDestroySpMat(s));
		}
}

static cusparseStatus_t count(cusparseDirection_t d, int m, int n, cusparseMatDescr_t descr, const matrix<float> &a, int *counts, int *total)
{
	return cusparseSnnz(handle, d, m, n, descr, a.device, a.ld, counts, total);
}
static cusparseStatus_t count(cusparseDirection_t d, int m, int n, cusparseMatDescr_t descr, const matrix<C64> &a, int *counts, int *total)
{
	return cusparseZnnz(handle, d, m, n, descr, (const cuDoubleComplex *)a.device, a.ld, counts, total);
}
template <class T> static void test_counts(const char *what, int m, int n)
{
	matrix<T> a(m, n, CUSPARSE_ORDER_COL);
	cusparseMatDescr_t descr;
	GOOD(cusparseCreateMatDescr(&descr));
	for (cusparseDirection_t d : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
		std::vector<int> want(d == CUSPARSE_DIRECTION_ROW ? m : n);
		int total = 0;
		for (int i = 0; i < m; i++)
			for (int j = 0; j < n; j++)
				want[d == CUSPARSE_DIRECTION_ROW ? i : j] += a.host[a.at(i, j)] != T(0);
		array<int> counts(std::vector<int>(want.size(), -1)), totals(std::vector<int>(1, -1));
		GOOD(count(d, m, n, descr, a, counts.device, &total));
		expect(what, counts.get() == want, 1);
		expect(what, total, std::accumulate(want.begin(), want.end(), 0));
		GOOD(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
		GOOD(count(d, m, n, descr, a, counts.device, totals.device));
		GOOD(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
		expect(what, totals.get()[0], total);
	}
	GOOD(cusparseDestroyMatDescr(descr));
}

/* ---- orders ---- */

template <class T> static void test_transposition(const char *what, int m, int n, int sparsity, int base)
{
	std::vector<T> dense = random_matrix<T>(m, n, sparsity);
	sparse<T, int> a(dense, m, n, CUSPARSE_FORMAT_CSR, base);
	const lists<T, int> &c = a.by_columns;
	int nnz = int(a.value.host.size());
	cusparseIndexBase_t from = cusparseIndexBase_t(base);
	array<T> value(std::vector<T>(nnz, T(0)));
	array<int> offset(std::vector<int>(n + 1, -1)), row(std::vector<int>(nnz, -1)), back(std::vector<int>(m + 1, -1));
	size_t bytes = 1;
	GOOD(cusparseCsr2cscEx2_bufferSize(handle, m, n, nnz, a.value.device, a.first.device, a.second.device, value.device, offset.device, row.device,
	                                   type_of<T>::type, CUSPARSE_ACTION_NUMERIC, from, CUSPARSE_CSR2CSC_ALG1, &bytes));
	buffer room(bytes);
	GOOD(cusparseCsr2cscEx2(handle, m, n, nnz, a.value.device, a.first.device, a.second.device, value.device, offset.device, row.device,
	                        type_of<T>::type, CUSPARSE_ACTION_NUMERIC, from, CUSPARSE_CSR2CSC_ALG1, room.device));
	expect(what, offset.get() == c.offset, 1);
	expect(what, row.get() == c.column, 1);
	COUNT(value.get(), c.value);
	GOOD(cusparseXcsr2coo(handle, a.first.device, nnz, m, row.device, from));
	expect(what, row.get() == a.by_rows.row, 1);
	GOOD(cusparseXcoo2csr(handle, row.device, nnz, m, back.device, from));
	expect(what, back.get() == a.by_rows.offset, 1);
}

/* Elements in any order, sorted by rows or by columns; a matrix by rows whose columns are in any order. */
static void test_sorts(const char *what, int m, int n, int sparsity, int base)
{
	std::vector<float> dense = random_matrix<float>(m, n, sparsity);
	lists<float, int> a(dense, m, n, base), by_columns(transposed(dense, m, n), n, m, base);
	int nnz = int(a.value.size());
	std::vector<int> order(nnz), row, column, want;
	std::iota(order.begin(), order.end(), 0);
	for (int i = nnz - 1; i > 0; i--)
		std::swap(order[i], order[rand() % (i + 1)]);
	for (int i : order) {
		row.push_back(a.row[i]);
		column.push_back(a.column[i]);
	}
	size_t bytes = 1;
	for (int columns_first = 0; columns_first < 2; columns_first++) {
		array<int> rows(row), columns(column), p(std::vector<int>(nnz, -1));
		GOOD(cusparseCreateIdentityPermutation(handle, nnz, p.device));
		GOOD(cusparseXcoosort_bufferSizeExt(handle, m, n, nnz, rows.device, columns.device, &bytes));
		buffer room(bytes);
		GOOD((columns_first ? cusparseXcoosortByColumn : cusparseXcoosortByRow)(handle, m, n, nnz, rows.device, columns.device, p.device, room.device));
		expect(what, rows.get() == (columns_first ? by_columns.column : a.row), 1);
		expect(what, columns.get() == (columns_first ? by_columns.row : a.column), 1);
		want = p.get();
		std::vector<int> got = rows.get();
		int wrong = 0;
		for (int i = 0; i < nnz; i++)
			wrong += row[want[i]] != got[i];
		expect(what, wrong, 0);
	}
	cusparseMatDescr_t descr;
	GOOD(cusparseCreateMatDescr(&descr));
	GOOD(cusparseSetMatIndexBase(descr, cusparseIndexBase_t(base)));
	std::vector<int> backward;
	for (int i = 0; i < m; i++)
		for (int k = a.offset[i + 1] - base - 1; k >= a.offset[i] - base; k--)
			backward.push_back(a.column[k]);
	array<int> offset(a.offset), columns(backward), p(std::vector<int>(nnz, -1));
	GOOD(cusparseXcsrsort_bufferSizeExt(handle, m, n, nnz, offset.device, columns.device, &bytes));
	buffer room(bytes);
	GOOD(cusparseCreateIdentityPermutation(handle, nnz, p.device));
	GOOD(cusparseXcsrsort(handle, m, n, nnz, descr, offset.device, columns.device, p.device, room.device));
	expect(what, columns.get() == a.column, 1);
	want.clear();
	for (int k : p.get())
		want.push_back(backward[k]);
	expect(what, want == a.column, 1);
	GOOD(cusparseDestroyMatDescr(descr));
}

/* ---- products and sums ---- */

/* The lists of a matrix are those of the device, and its places those that `places` marks. */
template <class T> static void test_product(const char *what, int m, int k, int n, int sparsity, int base)
{
	std::vector<T> x = random_matrix<T>(m, k, sparsity), y = random_matrix<T>(k, n, sparsity), want(size_t(m) * n), places(size_t(m) * n);
	sparse<T, int> a(x, m, k, CUSPARSE_FORMAT_CSR, base), b(y, k, n, CUSPARSE_FORMAT_CSR, !base);
	for (int i = 0; i < m; i++)
		for (int l = 0; l < k; l++)
			for (int j = 0; j < n; j++)
				if (x[size_t(i) * k + l] != T(0) && y[size_t(l) * n + j] != T(0)) {
					want[size_t(i) * n + j] += x[size_t(i) * k + l] * y[size_t(l) * n + j];
					places[size_t(i) * n + j] = T(1);
				}
	lists<T, int> c(places, m, n, base);
	cusparseSpMatDescr_t d;
	cusparseSpGEMMDescr_t steps;
	cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
	T alpha = drawn<T>(), beta = base ? drawn<T>() : T(0);
	size_t one = 1, two = 1;
	int64_t rows, columns, count;
	array<int> offset(std::vector<int>(m + 1, -1)), column(std::vector<int>(c.column.size(), -1));
	array<T> value(c.column.size());
	GOOD(cusparseCreateCsr(&d, m, n, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, cusparseIndexBase_t(base), type_of<T>::type));
	GOOD(cusparseSpGEMM_createDescr(&steps));
#define STEP(name, ...) cusparseSpGEMM_##name(handle, op, op, &alpha, a.d, b.d, &beta, d, type_of<T>::type, CUSPARSE_SPGEMM_DEFAULT, steps, ##__VA_ARGS__)
	WRONG(STEP(compute, &two, nullptr));
	GOOD(STEP(workEstimation, &one, nullptr));
	buffer first(one);
	GOOD(STEP(workEstimation, &one, first.device));
	GOOD(STEP(compute, &two, nullptr));
	buffer second(two);
	size_t less = two - 1;
	GIVES(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, STEP(compute, &less, second.device));
	GOOD(STEP(compute, &two, second.device));
	GOOD(cusparseSpMatGetSize(d, &rows, &columns, &count));
	expect(what, count, (long long)c.column.size());
	WRONG(STEP(copy));
	GOOD(cusparseCsrSetPointers(d, offset.device, column.device, value.device));
	GOOD(STEP(copy));
	for (size_t i = 0; i < c.column.size(); i++) {
		T sum = alpha * want[size_t(c.row[i] - base) * n + c.column[i] - base];
		value.host[i] = base ? sum + beta * value.host[i] : sum;
	}
	expect(what, offset.get() == c.offset, 1);
	expect(what, column.get() == c.column, 1);
	COUNT(value.get(), value.host);
	GOOD(cusparseSpGEMM_destroyDescr(steps));
	GOOD(cusparseDestroySpMat(d));
}

#define SUM(S, type) \
	static cusparseStatus_t sum_bytes(int m, int n, const type *alpha, const type *beta, cusparseMatDescr_t da, const sparse<type, int> &a, \
	                                  cusparseMatDescr_t db, const sparse<type, int> &b, size_t *bytes) \
	{ \
		return cusparse##S##csrgeam2_bufferSizeExt(handle, m, n, as(alpha), da, int(a.value.host.size()), a.value.at(), a.first.device, a.second.device, \
		                                           as(beta), db, int(b.value.host.size()), b.value.at(), b.first.device, b.second.device, da, nullptr, \
		                                           nullptr, nullptr, bytes); \
	} \
	static cusparseStatus_t sum(int m, int n, const type *alpha, const type *beta, cusparseMatDescr_t da, const sparse<type, int> &a, \
	                            cusparseMatDescr_t db, const sparse<type, int> &b, array<type> &value, array<int> &offset, array<int> &column, void *room) \
	{ \
		return cusparse##S##csrgeam2(handle, m, n, as(alpha), da, int(a.value.host.size()), a.value.at(), a.first.device, a.second.device, as(beta), db, \
		                             int(b.value.host.size()), b.value.at(), b.first.device, b.second.device, da, value.at(), offset.device, \
		                             column.device, room); \
	}
SUM(S, float)
SUM(D, double)
SUM(C, C32)
SUM(Z, C64)

template <class T> static void test_sum(const char *what, int m, int n)
{
	std::vector<T> x = random_matrix<T>(m, n, 4), y = random_matrix<T>(m, n, 6), places(x.size());
	sparse<T, int> a(x, m, n, CUSPARSE_FORMAT_CSR, 0), b(y, m, n, CUSPARSE_FORMAT_CSR, 1);
	for (size_t i = 0; i < x.size(); i++)
		places[i] = T(x[i] != T(0) || y[i] != T(0));
	lists<T, int> c(places, m, n, 0);
	cusparseMatDescr_t da, db;
	T alpha = drawn<T>(), beta = drawn<T>();
	size_t bytes = 1;
	int total = -1;
	GOOD(cusparseCreateMatDescr(&da));
	GOOD(cusparseCreateMatDescr(&db));
	GOOD(cusparseSetMatIndexBase(db, CUSPARSE_INDEX_BASE_ONE));
	array<int> offset(std::vector<int>(m + 1, -1)), column(std::vector<int>(c.column.size(), -1));
	array<T> value(c.column.size());
	GOOD(sum_bytes(m, n, &alpha, &beta, da, a, db, b, &bytes));
	buffer room(bytes);
	GOOD(cusparseXcsrgeam2Nnz(handle, m, n, da, int(a.value.host.size()), a.first.device, a.second.device, db, int(b.value.host.size()), b.first.device,
	                          b.second.device, da, offset.device, &total, room.device));
	expect(what, total, (long long)c.column.size());
	GOOD(sum(m, n, &alpha, &beta, da, a, db, b, value, offset, column, room.device));
	for (size_t i = 0; i < c.column.size(); i++)
		value.host[i] = alpha * x[size_t(c.row[i]) * n + c.column[i]] + beta * y[size_t(c.row[i]) * n + c.column[i]];
	expect(what, offset.get() == c.offset, 1);
	expect(what, column.get() == c.column, 1);
	COUNT(value.get(), value.host);
	GOOD(cusparseDestroyMatDescr(da));
	GOOD(cusparseDestroyMatDescr(db));
}

int main()
{
	GOOD(cusparseCreate(&handle));
	test_dense<float, int>("float", 37, 61, 0);
	test_dense<double, int64_t>("double, long indices", 70, 30, 1);
	test_dense<C32, int64_t>("complex, long indices", 5, 100, 0);
	test_dense<C64, int>("double complex", 1100, 7, 1);
	test_counts<float>("float counts", 40, 50);
	test_counts<C64>("double complex counts", 1050, 9);
	test_counts<float>("counts of more than a million", 1100000, 1);
	for (int base = 0; base < 2; base++) {
		test_transposition<float>("transposed", 40, 60, 5, base);
		test_transposition<C64>("transposed, complex", 9, 700, 3, base);
		test_sorts("sorted", 50, 30, 4, base);
		test_sorts("sorted, two tiles and more", 90, 300, 5, base);
	}
	test_product<float>("product", 30, 40, 50, 6, 0);
	test_product<double>("double product", 1, 1, 1, 1, 1);
	test_product<C32>("complex product", 60, 20, 9, 2, 1);
	test_product<C64>("double complex product", 25, 25, 25, 9, 0);
	test_sum<float>("sum", 30, 40);
	test_sum<double>("double sum", 1200, 4);
	test_sum<C32>("complex sum", 5, 90);
	test_sum<C64>("double complex sum", 40, 40);
	GOOD(cusparseDestroy(handle));
	printf("%s: %d failures\n", cudaGetErrorString(cudaDeviceSynchronize()), failures);
	return failures != 0;
}

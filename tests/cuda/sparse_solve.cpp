/* cuSPARSE: triangles and incomplete factorizations beside plain loops. */
#include "sparse.h"

static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};

/* What errors may be, relative to numbers of about 1. */
template <class T> static double tolerance()
{
	return sizeof(decltype(std::abs(T()))) == 4 ? 1e-5 : 1e-13;
}

/* Small numbers around a diagonal of about `middle`, so that nothing grows. */
template <class T> static std::vector<T> dominant(int n, int sparsity, double middle)
{
	std::vector<T> dense = random_matrix<T>(n, n, sparsity);
	for (T &v : dense)
		v /= T(64);
	for (int i = 0; i < n; i++)
		dense[size_t(i) * n + i] = T(middle) + drawn<T>() / T(64);
	return dense;
}

/* x of op(a) * x = b, where op(a) is the triangle, of which nothing else is read. */
template <class T> static void substitute(const std::vector<T> &a, int n, bool lower, bool unit, std::vector<T> &x)
{
	for (int k = 0; k < n; k++) {
		int i = lower ? k : n - 1 - k;
		for (int j = lower ? 0 : i + 1; j < (lower ? i : n); j++)
			x[i] -= a[size_t(i) * n + j] * x[j];
		if (!unit)
			x[i] /= a[size_t(i) * n + i];
	}
}

/* ---- triangles ---- */

template <class T> static void solve_one(const char *what, const sparse<T, int> &a, cusparseOperation_t op, const std::vector<T> &dense, bool lower, bool unit)
{
	int n = a.rows;
	vector<T> b(n), x(n);
	cusparseSpSVDescr_t descr;
	T alpha = drawn<T>();
	size_t bytes = 1;
	GOOD(cusparseSpSV_createDescr(&descr));
	GOOD(cusparseSpSV_bufferSize(handle, op, &alpha, a.d, b.d, x.d, type_of<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, descr, &bytes));
	buffer room(bytes);
	WRONG(cusparseSpSV_solve(handle, op, &alpha, a.d, b.d, x.d, type_of<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, descr));
	GOOD(cusparseSpSV_analysis(handle, op, &alpha, a.d, b.d, x.d, type_of<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, descr, room.device));
	std::vector<T> want(n);
	for (int i = 0; i < n; i++)
		want[i] = alpha * b.host[i];
	substitute(dense, n, lower, unit, want);
	for (int again = 0; again < 2; again++) {
		GOOD(cusparseSpSV_solve(handle, op, &alpha, a.d, b.d, x.d, type_of<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, descr));
		COUNT(x.get(), want, tolerance<T>());
	}
	GOOD(cusparseSpSV_destroyDescr(descr));
}

template <class T>
static void solve_many(const char *what, const sparse<T, int> &a, cusparseOperation_t op, cusparseOperation_t op_b, cusparseOrder_t order,
                       const std::vector<T> &dense, bool lower, bool unit, int columns)
{
	int n = a.rows, flip = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
	matrix<T> b(flip ? columns : n, flip ? n : columns, order), x(n, columns, order == CUSPARSE_ORDER_ROW ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
	cusparseSpSMDescr_t descr;
	T alpha = drawn<T>();
	size_t bytes = 1;
	GOOD(cusparseSpSM_createDescr(&descr));
	GOOD(cusparseSpSM_bufferSize(handle, op, op_b, &alpha, a.d, b.d, x.d, type_of<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, descr, &bytes));
	buffer room(bytes);
	GOOD(cusparseSpSM_analysis(handle, op, op_b, &alpha, a.d, b.d, x.d, type_of<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, descr, room.device));
	GOOD(cusparseSpSM_solve(handle, op, op_b, &alpha, a.d, b.d, x.d, type_of<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, descr));
	std::vector<T> want(n);
	for (int j = 0; j < columns; j++) {
		for (int i = 0; i < n; i++)
			want[i] = alpha * b.element(op_b, i, j);
		substitute(dense, n, lower, unit, want);
		for (int i = 0; i < n; i++)
			x.host[x.at(i, j)] = want[i];
	}
	COUNT(x.get(), x.host, tolerance<T>());
	GOOD(cusparseSpSM_destroyDescr(descr));
}

template <class T> static void test_triangles(const char *what, int n, int sparsity)
{
	std::vector<T> from = dominant<T>(n, sparsity, 1);
	for (cusparseFormat_t format : formats)
		for (int k = 0; k < 4; k++) {
			sparse<T, int> a(from, n, n, format, k == 1 || k == 2);
			cusparseFillMode_t fill = k % 2 ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER, told;
			cusparseDiagType_t diag = k / 2 ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
			GOOD(cusparseSpMatSetAttribute(a.d, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
			GOOD(cusparseSpMatSetAttribute(a.d, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag));
			GOOD(cusparseSpMatGetAttribute(a.d, CUSPARSE_SPMAT_FILL_MODE, &told, sizeof told));
			expect(what, told, fill);
			for (cusparseOperation_t op : operations) {
				int rows = n, columns = n;
				std::vector<T> dense = operated(from, rows, columns, op);
				bool lower = (k % 2 == 0) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
				solve_one(what, a, op, dense, lower, k / 2);
				solve_many(what, a, op, operations[k % 3], k == 1 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL, dense, lower, k / 2, k == 3 ? 35 : 4);
			}
		}
}

/* ---- incomplete factorizations ---- */

#define FACTORS(S, type) \
	static cusparseStatus_t factor(bool lu, int step, int n, cusparseMatDescr_t d, sparse<type, int> &a, csrilu02Info_t ilu, csric02Info_t ic, int *bytes, \
	                               void *room) \
	{ \
		int count = int(a.value.host.size()), *offset = a.first.device, *column = a.second.device; \
		cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL; \
		switch (step) { \
		case 0: \
			return lu ? cusparse##S##csrilu02_bufferSize(handle, n, count, d, a.value.at(), offset, column, ilu, bytes) \
				  : cusparse##S##csric02_bufferSize(handle, n, count, d, a.value.at(), offset, column, ic, bytes); \
		case 1: \
			return lu ? cusparse##S##csrilu02_analysis(handle, n, count, d, a.value.at(), offset, column, ilu, policy, room) \
				  : cusparse##S##csric02_analysis(handle, n, count, d, a.value.at(), offset, column, ic, policy, room); \
		default: \
			return lu ? cusparse##S##csrilu02(handle, n, count, d, a.value.at(), offset, column, ilu, policy, room) \
				  : cusparse##S##csric02(handle, n, count, d, a.value.at(), offset, column, ic, policy, room); \
		} \
	}
FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, C32)
FACTORS(Z, C64)

/* All steps; the statuses of zeroPivot after the second and the third are for the caller, positions go to at[]. */
template <class T> static void run_factor(bool lu, sparse<T, int> &a, cusparseStatus_t st[2], int at[2])
{
	cusparseMatDescr_t d;
	csrilu02Info_t ilu;
	csric02Info_t ic;
	int bytes = 1;
	GOOD(cusparseCreateMatDescr(&d));
	GOOD(cusparseSetMatIndexBase(d, cusparseIndexBase_t(a.base)));
	GOOD(cusparseCreateCsrilu02Info(&ilu));
	GOOD(cusparseCreateCsric02Info(&ic));
	GOOD(factor(lu, 0, a.rows, d, a, ilu, ic, &bytes, nullptr));
	buffer room(size_t(bytes) + 1);
	WRONG(factor(lu, 2, a.rows, d, a, ilu, ic, nullptr, room.device));
	for (int step = 0; step < 2; step++) {
		GOOD(factor(lu, step + 1, a.rows, d, a, ilu, ic, nullptr, room.device));
		st[step] = lu ? cusparseXcsrilu02_zeroPivot(handle, ilu, at + step) : cusparseXcsric02_zeroPivot(handle, ic, at + step);
	}
	GOOD(cusparseDestroyCsrilu02Info(ilu));
	GOOD(cusparseDestroyCsric02Info(ic));
	GOOD(cusparseDestroyMatDescr(d));
}

static double root(double v)
{
	return std::sqrt(v);
}
static float root(float v)
{
	return std::sqrt(v);
}
template <class R> static std::complex<R> root(std::complex<R> v)
{
	return std::sqrt(v.real());
}

/* The factors where the matrix has elements, by plain loops: of Cholesky's the lower triangle is changed alone. */
template <class T> static void factorize(std::vector<T> &a, int n, bool lu)
{
	std::vector<T> old = a;
	auto is = [&](int i, int j) { return old[size_t(i) * n + j] != T(0); };
	for (int i = 0; i < n; i++)
		for (int k = 0; k <= i; k++) {
			T &v = a[size_t(i) * n + k];
			if (!is(i, k))
				continue;
			if (lu && k < i) {
				v /= a[size_t(k) * n + k];
				for (int j = k + 1; j < n; j++)
					if (is(i, j) && is(k, j))
						a[size_t(i) * n + j] -= v * a[size_t(k) * n + j];
			}
			if (!lu) {
				for (int j = 0; j < k; j++)
					if (is(i, j) && is(k, j))
						v -= a[size_t(i) * n + j] * conj_of(a[size_t(k) * n + j]);
				v = k == i ? root(v) : v / a[size_t(k) * n + k];
			}
		}
}

template <class T> static void test_factors(const char *what, int n, int sparsity, int base)
{
	for (bool lu : {true, false}) {
		std::vector<T> dense = dominant<T>(n, sparsity, 4);
		if (!lu)
			for (int i = 0; i < n; i++)
				for (int j = 0; j <= i; j++)
					dense[size_t(j) * n + i] = i == j ? T(std::real(dense[size_t(i) * n + i])) : conj_of(dense[size_t(i) * n + j]);
		for (int j = 0; j < n && !lu; j++)
			dense[size_t(j) * n + j] = T(std::real(dense[size_t(j) * n + j]));
		sparse<T, int> a(dense, n, n, CUSPARSE_FORMAT_CSR, base);
		cusparseStatus_t st[2];
		int at[2] = {7, 7};
		run_factor(lu, a, st, at);
		expect(what, st[0], CUSPARSE_STATUS_SUCCESS);
		expect(what, st[1], CUSPARSE_STATUS_SUCCESS);
		expect(what, at[0], -1);
		expect(what, at[1], -1);
		factorize(dense, n, lu);
		std::vector<T> want(a.value.host.size());
		for (size_t i = 0; i < want.size(); i++)
			want[i] = dense[size_t(a.by_rows.row[i] - base) * n + a.by_rows.column[i] - base];
		COUNT(a.value.get(), want, tolerance<T>());
		/* Rows without an element on the diagonal, and with one that becomes zero. */
		std::vector<T> hole(9);
		hole[0] = hole[1] = hole[3] = hole[4] = T(1);
		sparse<T, int> zero(hole, 3, 3, CUSPARSE_FORMAT_CSR, base);
		run_factor(lu, zero, st, at);
		expect(what, st[0], CUSPARSE_STATUS_ZERO_PIVOT);
		expect(what, at[0], 2 + base);
		expect(what, st[1], CUSPARSE_STATUS_ZERO_PIVOT);
		expect(what, at[1], 1 + base);
	}
}

/* What a captured stream is asked for is done when its graph is launched, and each time anew. */
static void test_graph(const char *what)
{
	const int n = 40;
	std::vector<double> dense = dominant<double>(n, 6, 1), want(n);
	sparse<double, int> a(dense, n, n, CUSPARSE_FORMAT_CSR);
	vector<double> b(n), x(n), y(n);
	std::vector<double> untouched = y.host;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cusparseSpSVDescr_t descr;
	double one = 1, two = 2;
	size_t bytes;
	cusparseOperation_t op = operations[0];
	expect(what, cudaStreamCreate(&stream), cudaSuccess);
	GOOD(cusparseSetStream(handle, stream));
	GOOD(cusparseSpSV_createDescr(&descr));
	GOOD(cusparseSpSV_bufferSize(handle, op, &one, a.d, b.d, x.d, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descr, &bytes));
	buffer room(bytes);
	GOOD(cusparseSpSV_analysis(handle, op, &one, a.d, b.d, x.d, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descr, room.device));
	expect(what, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
	GOOD(cusparseSpSV_solve(handle, op, &one, a.d, b.d, x.d, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descr));
	GOOD(cusparseSpMV(handle, op, &two, a.d, x.d, &one, y.d, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
	expect(what, cudaStreamEndCapture(stream, &graph), cudaSuccess);
	COUNT(y.get(), untouched);
	expect(what, cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0), cudaSuccess);
	for (int again = 0; again < 2; again++) {
		expect(what, cudaGraphLaunch(exec, stream), cudaSuccess);
		want = b.host;
		substitute(dense, n, true, false, want);
		COUNT(x.get(), want, 1e-13);
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				y.host[i] += 2 * dense[size_t(i) * n + j] * want[j];
		COUNT(y.get(), y.host, 1e-12);
		for (double &v : b.host)
			v += 1;
		b.put();
	}
	GOOD(cusparseSpSV_destroyDescr(descr));
	GOOD(cusparseSetStream(handle, nullptr));
	expect(what, cudaGraphExecDestroy(exec) + cudaGraphDestroy(graph) + cudaStreamDestroy(stream), 0);
}

int main()
{
	GOOD(cusparseCreate(&handle));
	test_triangles<float>("float triangles", 60, 9);
	test_triangles<double>("double triangles", 33, 2);
	test_triangles<C32>("complex triangles", 20, 5);
	test_triangles<C64>("double complex triangles", 70, 20);
	test_factors<float>("float factors", 80, 12, 0);
	test_factors<double>("double factors", 50, 3, 1);
	test_factors<C32>("complex factors", 30, 6, 1);
	test_factors<C64>("double complex factors", 60, 9, 0);
	test_graph("graph");
	GOOD(cusparseDestroy(handle));
	printf("%s: %d failures\n", cudaGetErrorString(cudaDeviceSynchronize()), failures);
	return failures != 0;
}

/* What tests of cuSPARSE share: matrices with small whole numbers in all formats, on host and device, and dense ones beside them. */
#include <cusparse.h>

#include "arrays.h"

static cusparseHandle_t handle;
/* A call that must give that status. */
#define GIVES(status, call) expect(#call, call, status)
#define GOOD(call) GIVES(CUSPARSE_STATUS_SUCCESS, call)
#define WRONG(call) GIVES(CUSPARSE_STATUS_INVALID_VALUE, call)
#define NONE(call) GIVES(CUSPARSE_STATUS_NOT_SUPPORTED, call)
#define COUNT(array, ...) expect(what, differ(array, __VA_ARGS__), 0)

static const cusparseOperation_t operations[] = {
	CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
	CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

template <class T> struct type_of;
template <> struct type_of<float> {
	static const cudaDataType type = CUDA_R_32F;
};
template <> struct type_of<double> {
	static const cudaDataType type = CUDA_R_64F;
};
template <> struct type_of<C32> {
	static const cudaDataType type = CUDA_C_32F;
};
template <> struct type_of<C64> {
	static const cudaDataType type = CUDA_C_64F;
};
template <> struct type_of<int> {
	static const cusparseIndexType_t type = CUSPARSE_INDEX_32I;
};
template <> struct type_of<int64_t> {
	static const cusparseIndexType_t type = CUSPARSE_INDEX_64I;
};
/* A number that is not zero. */
template <class T> static T drawn()
{
	T v;
	do
		draw(v);
	while (v == T(0));
	return v;
}

/* A dense matrix by rows, with zeros but for a part of 1 / `sparsity`; some rows have none, some all. */
template <class T> static std::vector<T> random_matrix(int rows, int columns, int sparsity)
{
	std::vector<T> dense(size_t(rows) * columns, T(0));
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			if (i % 7 != 3 && (i % 13 == 6 || rand() % sparsity == 0))
				dense[size_t(i) * columns + j] = drawn<T>();
	return dense;
}

/* Lists of a matrix's elements, by rows. */
template <class T, class I> struct lists {
	std::vector<I> offset, row, column;
	std::vector<T> value;
	lists(const std::vector<T> &dense, int rows, int columns, int base)
	{
		for (int i = 0; i < rows; i++) {
			offset.push_back(I(value.size()) + base);
			for (int j = 0; j < columns; j++)
				if (dense[size_t(i) * columns + j] != T(0)) {
					row.push_back(i + base);
					column.push_back(j + base);
					value.push_back(dense[size_t(i) * columns + j]);
				}
		}
		offset.push_back(I(value.size()) + base);
	}
};

template <class T> static std::vector<T> transposed(const std::vector<T> &dense, int rows, int columns)
{
	std::vector<T> t(dense.size());
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			t[size_t(j) * rows + i] = dense[size_t(i) * columns + j];
	return t;
}

/* op(dense), of rows x columns afterwards. */
template <class T>
static std::vector<T>
operated(const std::vector<T> &dense, int &rows, int &columns, cusparseOperation_t op)
{
	if (op == CUSPARSE_OPERATION_NON_TRANSPOSE)
		return dense;
	std::vector<T> t = transposed(dense, rows, columns);
	if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
		for (T &v : t)
			v = conj_of(v);
	std::swap(rows, columns);
	return t;
}

/* A matrix of one format on the device. */
template <class T, class I> struct sparse {
	int rows, columns, base;
	cusparseFormat_t format;
	std::vector<T> dense; /* by rows */
	lists<T, I> by_rows, by_columns;
	array<I> first, second;
	array<T> value;
	cusparseSpMatDescr_t d;
	static const std::vector<I> &first_of(const lists<T, I> &r, const lists<T, I> &c,
	                                      cusparseFormat_t f)
	{
		return f == CUSPARSE_FORMAT_COO ? r.row : f == CUSPARSE_FORMAT_CSC ? c.offset : r.offset;
	}
	sparse(const std::vector<T> &from, int m, int n, cusparseFormat_t f, int b = 0)
	    : rows(m), columns(n), base(b), format(f), dense(from), by_rows(from, m, n, b),
	      by_columns(transposed(from, m, n), n, m, b), first(first_of(by_rows, by_columns, f)),
	      second(f == CUSPARSE_FORMAT_CSC ? by_columns.column : by_rows.column),
	      value(f == CUSPARSE_FORMAT_CSC ? by_columns.value : by_rows.value)
	{
		int64_t count = int64_t(value.host.size());
		cusparseIndexType_t type = type_of<I>::type;
		cusparseIndexBase_t from_one = cusparseIndexBase_t(b);
		if (f == CUSPARSE_FORMAT_COO)
			GOOD(cusparseCreateCoo(&d, m, n, count, first.device, second.device,
			                       value.device, type, from_one, type_of<T>::type));
		else
			GOOD((f == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc)(
				&d, m, n, count, first.device, second.device, value.device, type, type,
				from_one, type_of<T>::type));
	}
	~sparse()
	{
		GOOD(cusparseDestroySpMat(d));
	}
};

/* A vector of the device with its description. */
template <class T> struct vector : array<T> {
	cusparseDnVecDescr_t d;
	explicit vector(int n) : array<T>(size_t(n))
	{
		GOOD(cusparseCreateDnVec(&d, n, this->device, type_of<T>::type));
	}
	~vector()
	{
		GOOD(cusparseDestroyDnVec(d));
	}
};

/* A dense matrix whose leading dimension is larger than it must be. */
template <class T> struct matrix : array<T> {
	int rows, columns, ld, batches;
	cusparseOrder_t order;
	cusparseDnMatDescr_t d;
	static size_t size(int rows, int columns, cusparseOrder_t o)
	{
		return o == CUSPARSE_ORDER_ROW ? size_t(rows) * (columns + 3)
		                               : size_t(columns) * (rows + 3);
	}
	matrix(int m, int n, cusparseOrder_t o, int count = 1)
	    : array<T>(size(m, n, o) * count), rows(m), columns(n),
	      ld((o == CUSPARSE_ORDER_ROW ? n : m) + 3), batches(count), order(o)
	{
		GOOD(cusparseCreateDnMat(&d, m, n, ld, this->device, type_of<T>::type, o));
		if (count > 1)
			GOOD(cusparseDnMatSetStridedBatch(d, count, int64_t(size(m, n, o))));
	}
	~matrix()
	{
		GOOD(cusparseDestroyDnMat(d));
	}
	size_t at(int i, int j, int batch = 0) const
	{
		return size(rows, columns, order) * batch +
		       (order == CUSPARSE_ORDER_ROW ? size_t(i) * ld + j : size_t(j) * ld + i);
	}
	/* Element (i, j) of op(this). */
	T element(cusparseOperation_t op, int i, int j, int batch = 0) const
	{
		T v = this->host[op == CUSPARSE_OPERATION_NON_TRANSPOSE ? at(i, j, batch)
		                                                        : at(j, i, batch)];
		return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj_of(v) : v;
	}
};

/* What the caller lends a function, of which not one byte more is there. */
struct buffer {
	void *device = nullptr;
	explicit buffer(size_t bytes)
	{
		if (bytes)
			cudaMalloc(&device, bytes);
	}
	~buffer()
	{
		cudaFree(device);
	}
	buffer(const buffer &) = delete;
};

/* What tests of cuBLAS share: plain loops, and how statuses and results are told. */
#include <cublas_v2.h>

#include "arrays.h"

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

# cuSPARSE: its kernels are what clang 19 makes of data/sparse, its results are those of plain loops, and traces show its kernels.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
unset CACHETRIAGE_GPU CACHETRIAGE_MAX_STEPS CACHETRIAGE_CHECK CACHETRIAGE_THREADS CACHETRIAGE_RESIDENT CACHETRIAGE_BOUNDS
kernels_compiled sparse
if ! "$CT_RELEASE/ctcc" -std=c++17 -O0 -o sparse "$CT_ROOT/tests/cuda/sparse.cpp" -lcusparse 2>ctcc.txt; then
	skip "programs with cuSPARSE" "ctcc or clang is not here: $(head -n 1 ctcc.txt)"
	finish
fi
same "products and vectors are those of plain loops" "no error: 0 failures" "$(./sparse 2>&1)"
check "a program of other forms compiles" "$CT_RELEASE/ctcc" -std=c++17 -O0 -o forms "$CT_ROOT/tests/cuda/sparse_forms.cpp" -lcusparse
same "forms, sorts, products and sums of sparse matrices are those of plain loops" "no error: 0 failures" "$(./forms 2>&1)"
check "a program of triangles compiles" "$CT_RELEASE/ctcc" -std=c++17 -O0 -o solve "$CT_ROOT/tests/cuda/sparse_solve.cpp" -lcusparse
same "triangles and incomplete factors are those of plain loops, and graphs do them when they are launched" "no error: 0 failures" "$(./solve 2>&1)"
same "also where blocks are side by side" "no error: 0 failures" "$(CACHETRIAGE_RESIDENT=1 ./solve 2>&1)"
mkdir -p data && cp -r "$CT_ROOT/data/gpus" data/
check "without its kernels it says what is missing" eval 'CACHETRIAGE_DATA=$PWD/data ./sparse 2>&1 | grep -q "data/sparse/.*.ptx: the kernels of cuSPARSE are not there"'

# A program of C, whose trace has the kernels. Sums in the order that threads come give the same trace and numbers each time.
cat >product.c <<'END_OF_C'
#include <cusparse.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 500, EACH = 9 };
int main(void)
{
	static int offset[N + 1], row[N * EACH], column[N * EACH];
	static float value[N * EACH], x[N];
	int *d_offset, *d_row, *d_column;
	float *d_value, *d_x, *d_y, alpha = 1, beta = 0;
	cusparseHandle_t h;
	cusparseSpMatDescr_t csr, coo;
	cusparseDnVecDescr_t vx, vy;
	for (int i = 0; i < N * EACH; i++) {
		offset[i / EACH + 1] = i + 1;
		row[i] = i / EACH;
		column[i] = (i / EACH + i % EACH * 37) % N;
		value[i] = 1.0f / (float)(1 + i % 13);
		x[i % N] = 0.1f * (float)(i % 7);
	}
	cudaMalloc((void **)&d_offset, sizeof offset);
	cudaMalloc((void **)&d_row, sizeof row);
	cudaMalloc((void **)&d_column, sizeof column);
	cudaMalloc((void **)&d_value, sizeof value);
	cudaMalloc((void **)&d_x, sizeof x);
	cudaMalloc((void **)&d_y, sizeof x);
	cudaMemcpy(d_offset, offset, sizeof offset, cudaMemcpyHostToDevice);
	cudaMemcpy(d_row, row, sizeof row, cudaMemcpyHostToDevice);
	cudaMemcpy(d_column, column, sizeof column, cudaMemcpyHostToDevice);
	cudaMemcpy(d_value, value, sizeof value, cudaMemcpyHostToDevice);
	cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
	cusparseStatus_t st = cusparseCreate(&h);
	cusparseCreateCsr(&csr, N, N, N * EACH, d_offset, d_column, d_value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
	cusparseCreateCoo(&coo, N, N, N * EACH, d_row, d_column, d_value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
	cusparseCreateDnVec(&vx, N, d_x, CUDA_R_32F);
	cusparseCreateDnVec(&vy, N, d_y, CUDA_R_32F);
	for (int k = 0; k < 3 && st == CUSPARSE_STATUS_SUCCESS; k++) {
		st = cusparseSpMV(h, k == 1 ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, k == 2 ? coo : csr, vx, &beta, vy,
		                  CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL);
		beta = 1;
	}
	cudaMemcpy(x, d_y, sizeof x, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		printf("%a\n", x[i]);
	fprintf(stderr, "%s\n", cusparseGetErrorName(st));
	return cusparseDestroySpMat(csr) || cusparseDestroySpMat(coo) || cusparseDestroyDnVec(vx) || cusparseDestroyDnVec(vy) || cusparseDestroy(h);
}
END_OF_C
check "a program of C compiles" "$CT_RELEASE/ctcc" -o product product.c -lcusparse
same "and runs" CUSPARSE_STATUS_SUCCESS "$("$CT_BIN/tracegen" capture --compress none -o p -- ./product 2>&1 >first.txt)"
same "its trace has the kernels by name" "ct_sparse_sspmv_rows_32 ct_sparse_sspmv_scatter_32 ct_sparse_sspmv_segments_32" \
	"$(grep -h '^-kernel name' p/kernel-?.traceg | sed 's/.* //' | paste -sd' ')"
CACHETRIAGE_THREADS=1 ./product >second.txt 2>/dev/null
check "sums of any order are the same with one thread" cmp first.txt second.txt
finish

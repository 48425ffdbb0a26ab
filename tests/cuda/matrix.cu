/* Products of matrices by warps: every shape and type in every order in memory, beside plain loops on the host. Prints those that
 * disagree. */
#include <cstdio>
#include <mma.h>

using namespace nvcuda;

static int failures;

template <int M, int N, int K, class T, class S, class C, class LA, class LB>
__global__ void multiply(const S *a, const S *b, const C *c, C *d, int lda, int ldb, int ldd, wmma::layout_t layout)
{
	wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
	wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
	wmma::load_matrix_sync(fa, a, (unsigned)lda);
	wmma::load_matrix_sync(fb, b, (unsigned)ldb);
	wmma::load_matrix_sync(fc, c, (unsigned)ldd, layout);
	wmma::fill_fragment(fd, C(0));
	for (int i = 0; i < fc.num_elements; i++)
		fc.x[i] = fc.x[i] + C(1);
	wmma::mma_sync(fd, fa, fb, fc);
	wmma::store_matrix_sync(d, fd, (unsigned)ldd, layout);
}

/* Small whole numbers, so that every sum is exact. */
template <int M, int N, int K, class T, class S, class C, class LA, class LB>
static void check(const char *name, bool row_a, bool row_b, bool row_d)
{
	enum { ROOM = 48 * 48 };
	S *a, *b;
	C *c, *d;
	int lda = row_a ? K + 8 : M + 8, ldb = row_b ? N + 8 : K + 8, ldd = row_d ? N + 8 : M + 8, wrong = 0;
	unsigned seed = 1;
	cudaMallocManaged(&a, ROOM * sizeof *a);
	cudaMallocManaged(&b, ROOM * sizeof *b);
	cudaMallocManaged(&c, ROOM * sizeof *c);
	cudaMallocManaged(&d, ROOM * sizeof *d);
	for (int i = 0; i < ROOM; i++) {
		seed = seed * 1664525 + 1013904223;
		a[i] = S((float)(seed >> 24 & 7));
		b[i] = S((float)(seed >> 20 & 7));
		c[i] = C((float)(seed >> 16 & 15));
		d[i] = C(0.0f);
	}
	multiply<M, N, K, T, S, C, LA, LB>
		<<<1, 32>>>(a, b, c, d, lda, ldb, ldd, row_d ? wmma::mem_row_major : wmma::mem_col_major);
	if (cudaDeviceSynchronize() != cudaSuccess)
		failures++;
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			int at = row_d ? i * ldd + j : j * ldd + i;
			double sum = (double)(float)c[at] + 1;
			for (int k = 0; k < K; k++)
				sum += (double)(float)a[row_a ? i * lda + k : k * lda + i] *
				       (double)(float)b[row_b ? k * ldb + j : j * ldb + k];
			wrong += (double)(float)d[at] != sum;
		}
	if (wrong) {
		printf("%s, orders %d%d%d: %d wrong\n", name, row_a, row_b, row_d, wrong);
		failures++;
	}
	cudaFree(a);
	cudaFree(b);
	cudaFree(c);
	cudaFree(d);
}

template <int M, int N, int K, class T, class S, class C> static void check_orders(const char *name)
{
	check<M, N, K, T, S, C, wmma::row_major, wmma::col_major>(name, true, false, true);
	check<M, N, K, T, S, C, wmma::row_major, wmma::row_major>(name, true, true, false);
	check<M, N, K, T, S, C, wmma::col_major, wmma::col_major>(name, false, false, false);
	check<M, N, K, T, S, C, wmma::col_major, wmma::row_major>(name, false, true, true);
}

int main()
{
	check_orders<16, 16, 16, half, half, float>("half, 16 x 16");
	check_orders<32, 8, 16, half, half, float>("half, 32 x 8");
	check_orders<8, 32, 16, half, half, float>("half, 8 x 32");
	check_orders<8, 32, 16, half, half, half>("half into half");
#if defined(AMPERE)
	check_orders<16, 16, 16, nv_bfloat16, nv_bfloat16, float>("nv_bfloat16");
	check_orders<32, 8, 16, signed char, signed char, int>("signed char");
	check_orders<8, 32, 16, unsigned char, unsigned char, int>("unsigned char");
	check_orders<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
	check_orders<8, 8, 4, double, double, double>("double");
#endif
	printf("%d failures\n", failures);
	return failures != 0;
}

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

/* Factors of less than a byte, 8 x 8 results. */
template <int K, class T> __global__ void multiply_bits(const unsigned *a, const unsigned *b, const int *c, int *d)
{
	using namespace wmma;
	fragment<matrix_a, 8, 8, K, T, row_major> fa;
	fragment<matrix_b, 8, 8, K, T, col_major> fb;
	fragment<accumulator, 8, 8, K, int> fc, fd;
	load_matrix_sync(fa, a, K);
	load_matrix_sync(fb, b, K);
	load_matrix_sync(fc, c, 8, mem_row_major);
	if constexpr (K == 128)
		bmma_sync(fd, fa, fb, fc);
	else
		mma_sync(fd, fa, fb, fc);
	store_matrix_sync(d, fd, 8, mem_row_major);
	if constexpr (K == 128)
		bmma_sync(fd, fa, fb, fc, experimental::bmmaBitOpAND);
	else
		mma_sync(fd, fa, fb, fc, true);
	store_matrix_sync(d + 64, fd, 8, mem_row_major);
}

static int element(const unsigned *words, int row, int k, int depth, int bits, bool has_sign)
{
	int per = 32 / bits, v = (int)(words[row * depth / per + k / per] >> k % per * bits & ((1u << bits) - 1));
	return has_sign && v >> (bits - 1) ? v - (1 << bits) : v;
}

template <int K, class T> static void check_bits(const char *name, int bits, bool has_sign)
{
	unsigned *a, *b, seed = 7;
	int *c, *d, words = 8 * K * bits / 32, wrong = 0;
	cudaMallocManaged(&a, 4 * (size_t)words);
	cudaMallocManaged(&b, 4 * (size_t)words);
	cudaMallocManaged(&c, 64 * sizeof *c);
	cudaMallocManaged(&d, 128 * sizeof *d);
	for (int i = 0; i < words; i++) {
		seed = seed * 1664525 + 1013904223;
		a[i] = seed ^ seed >> 15;
		b[i] = seed * 0x9e3779b9u ^ seed >> 13;
	}
	for (int i = 0; i < 64; i++)
		c[i] = i ? i * 1000 - 30000 : 0x7ffffff0; /* the first is clamped where it is asked for, and else wraps */
	multiply_bits<K, T><<<1, 32>>>(a, b, c, d);
	if (cudaDeviceSynchronize() != cudaSuccess)
		failures++;
	for (int i = 0; i < 64; i++) {
		long long sum[2] = {c[i], c[i]};
		for (int k = 0; k < K; k++) {
			int x = element(a, i / 8, k, K, bits, has_sign), y = element(b, i % 8, k, K, bits, has_sign);
			sum[0] += bits == 1 ? x ^ y : x * y;
			sum[1] += bits == 1 ? x & y : x * y;
		}
		if (bits > 1 && sum[1] > 0x7fffffff)
			sum[1] = 0x7fffffff;
		wrong += (d[i] != (int)(unsigned)sum[0]) + (d[64 + i] != (int)(unsigned)sum[1]);
	}
	if (wrong) {
		printf("%s: %d wrong\n", name, wrong);
		failures++;
	}
	cudaFree(a);
	cudaFree(b);
	cudaFree(c);
	cudaFree(d);
}

/* Shapes with 16 rows against the same with 8 twice: the halves of the longer are products of their own. */
__global__ void compare_shapes(int *differ)
{
	unsigned a[4], b[2];
	int lane = (int)threadIdx.x, d[4] = {1, 2, 3, 4}, e[4] = {1, 2, 3, 4};
	for (int i = 0; i < 4; i++)
		a[i] = 0x9e3779b9u * (unsigned)(lane * 4 + i + 1);
	for (int i = 0; i < 2; i++)
		b[i] = 0x85ebca6bu * (unsigned)(lane * 2 + i + 1);
#define TALL(shape, types) \
	asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
	             : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) \
	             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define SHORT(shape, types, i, j, k) \
	asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1}, {%2}, {%3}, {%0, %1};" \
	             : "+r"(e[i]), "+r"(e[i + 1]) \
	             : "r"(a[j]), "r"(b[k]))
#define MIDDLE(shape, types) \
	asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
	             : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) \
	             : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define SHORTS(shape, types, n) \
	for (int k = 0; k < n; k++) { \
		if (k == 0) { \
			SHORT(shape, types, 0, 0, 0); \
			SHORT(shape, types, 2, 1, 0); \
		} else { \
			SHORT(shape, types, 0, 2, 1); \
			SHORT(shape, types, 2, 3, 1); \
		} \
	}
	TALL("m16n8k64", "s32.s4.u4.s32");
	SHORTS("m8n8k32", "s32.s4.u4.s32", 2)
	TALL("m16n8k256", "s32.b1.b1.s32.and.popc");
	SHORTS("m8n8k128", "s32.b1.b1.s32.and.popc", 2)
	MIDDLE("m16n8k32", "s32.u4.s4.s32");
	SHORTS("m8n8k32", "s32.u4.s4.s32", 1)
	MIDDLE("m16n8k128", "s32.b1.b1.s32.xor.popc");
	SHORTS("m8n8k128", "s32.b1.b1.s32.xor.popc", 1)
	for (int i = 0; i < 4; i++)
		if (d[i] != e[i])
			atomicAdd(differ, 1);
}

static void check_shapes()
{
	int *differ;
	cudaMallocManaged(&differ, sizeof *differ);
	*differ = 0;
	compare_shapes<<<1, 32>>>(differ);
	if (cudaDeviceSynchronize() != cudaSuccess || *differ) {
		printf("16 rows: %d differ from 8\n", *differ);
		failures++;
	}
	cudaFree(differ);
}

int main()
{
	check_bits<32, wmma::experimental::precision::s4>("s4", 4, true);
	check_bits<32, wmma::experimental::precision::u4>("u4", 4, false);
	check_bits<128, wmma::experimental::precision::b1>("b1", 1, false);
	check_shapes();
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

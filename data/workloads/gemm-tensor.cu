/* gemm-tensor - a matrix product on tensor cores, as DeepBench's through a library: half-precision inputs, asynchronous
 * copies into two stages of shared memory, fragments by ldmatrix. For sm_80. */
#include "inputs.h"

/* A CTA makes 64 x 64 of C by four warps of 32 x 32; 32 of the depth are a stage. */
enum { CTA = 64, WARP = 32, DEPTH = 32, PIECE = 8 /* halves of a copy */, THREADS = 128 };

#ifdef __CUDACC__
/* Rows of a stage are 64 bytes, their four pieces exchanged by row so that ldmatrix meets no bank twice. */
static __device__ int place(int row, int piece)
{
	return row * DEPTH + (piece ^ (row / 2 % 4)) * PIECE;
}

static __device__ uint32_t address(const uint16_t *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/* The 128 threads copy 64 rows of 64 bytes of each matrix: two pieces each, 32 rows apart. */
static __device__ void copy_stage(uint16_t (*stage)[CTA * DEPTH], const uint16_t *const from[2], int depth, int at)
{
	int row = threadIdx.x / 4, piece = threadIdx.x % 4;
#pragma unroll
	for (int m = 0; m < 2; m++)
#pragma unroll
		for (int half = 0; half < CTA; half += CTA / 2)
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
			             :
			             : "r"(address(&stage[m][place(row + half, piece)])),
			               "l"(from[m] + (row + half) * depth + at + piece * PIECE)
			             : "memory");
	asm volatile("cp.async.commit_group;" ::: "memory");
}

static __device__ void load_fragment(uint32_t f[4], const uint16_t *p)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
	             : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
	             : "r"(address(p))
	             : "memory");
}

static __device__ void multiply(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
	             "{%8, %9}, {%0, %1, %2, %3};"
	             : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* A is m x depth, B is n x depth (its transpose multiplies), C is m x n. */
extern "C" __global__ void gemm_hmma_64x64(const uint16_t *A, const uint16_t *B, float *C, int n, int depth)
{
	__shared__ __align__(16) uint16_t stage[2][2][CTA * DEPTH];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_row = warp / 2 * WARP, warp_col = warp % 2 * WARP;
	const uint16_t *from[2] = {A + blockIdx.y * CTA * depth, B + blockIdx.x * CTA * depth};
	float sum[2][4][4] = {};
	copy_stage(stage[0], from, depth, 0);
	for (int at = 0, s = 0; at < depth; at += DEPTH, s ^= 1) {
		/* The next stage is on its way while this one is used. */
		if (at + DEPTH < depth) {
			copy_stage(stage[s ^ 1], from, depth, at + DEPTH);
			asm volatile("cp.async.wait_group 1;" ::: "memory");
		} else {
			asm volatile("cp.async.wait_group 0;" ::: "memory");
		}
		__syncthreads();
#pragma unroll
		for (int step = 0; step < 2; step++) {
			uint32_t a[2][4], b[2][4];
			int piece = 2 * step + lane / 16;
			for (int i = 0; i < 2; i++) {
				load_fragment(a[i], &stage[s][0][place(warp_row + 16 * i + lane % 16, piece)]);
				load_fragment(b[i], &stage[s][1][place(warp_col + 16 * i + lane % 16, piece)]);
			}
			/* Sixteen rows of B make two fragments of eight columns: registers 0, 2 and 1, 3. */
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < 4; j++)
					multiply(sum[i][j], a[i], b[j / 2][j % 2], b[j / 2][j % 2 + 2]);
		}
		__syncthreads();
	}
	int row = blockIdx.y * CTA + warp_row + lane / 4, col = blockIdx.x * CTA + warp_col + lane % 4 * 2;
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			*(float2 *)&C[(row + 8 * i) * n + col + 8 * j] =
				make_float2(sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]);
}
#endif

/* n halves, multiples of 1/1024 in [-1, 1), in both forms. */
static uint16_t *halves(struct app *a, size_t n, float **value)
{
	uint16_t *h = (uint16_t *)app_host(a, n, sizeof *h);
	*value = (float *)app_host(a, n, sizeof **value);
	for (size_t i = 0; i < n; i++) {
		int v = (int)app_below(a, 2048) - 1024, magnitude = v < 0 ? -v : v, exponent = 15;
		(*value)[i] = (float)v / 1024;
		for (; magnitude && magnitude < 1024; magnitude *= 2)
			exponent--;
		h[i] = (uint16_t)((v < 0) << 15 | (v ? exponent << 10 | (magnitude & 1023) : 0));
	}
	return h;
}

APP(gemm_tensor)
{
	uint32_t m = app_pick(a, 384, 1024, 2048, 2560), n = app_pick(a, 256, 1024, 1536, 1536);
	uint32_t depth = app_pick(a, 320, 768, 1536, 2560);
	float *fa, *fb, *want = (float *)app_host(a, n, sizeof *want);
	const uint16_t *ha = halves(a, (size_t)m * depth, &fa), *hb = halves(a, (size_t)n * depth, &fb);
	float *got = (float *)app_host(a, (size_t)m * n, sizeof *got);
	const void *A = app_upload(a, "A", ha, sizeof *ha * m * depth);
	const void *B = app_upload(a, "B", hb, sizeof *hb * n * depth);
	void *C = app_device(a, "C", sizeof *got * m * n);
	APP_LAUNCH(a, gemm_hmma_64x64, app_2d(n / CTA, m / CTA), app_1d(THREADS), 0, &A, &B, &C, &n, &depth);
	app_to_host(a, got, C, sizeof *got * m * n);
	/* Every 7th row: the whole product would take longer than the trace. */
	for (uint32_t i = 0; i < m; i += 7) {
		for (uint32_t j = 0; j < n; j++) {
			double sum = 0;
			for (uint32_t l = 0; l < depth; l++)
				sum += (double)fa[(size_t)i * depth + l] * (double)fb[(size_t)j * depth + l];
			want[j] = (float)sum;
		}
		app_check_floats(a, "C", got + (size_t)i * n, want, n, 1e-4f);
	}
}

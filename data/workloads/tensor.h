/* tensor.h - products on tensor cores, as libraries make them: half-precision inputs, asynchronous copies into two
 * stages of shared memory, fragments by ldmatrix. For sm_80. */
#ifndef CT_WORKLOADS_TENSOR_H
#define CT_WORKLOADS_TENSOR_H

#include "inputs.h"

/* A CTA makes 64 x 64 of C = A * B^T by four warps of 32 x 32; 32 of the depth are a stage. */
enum { TENSOR_CTA = 64, TENSOR_WARP = 32, TENSOR_DEPTH = 32, TENSOR_PIECE = 8 /* halves of a copy */, TENSOR_THREADS = 128 };

/* Bits of the half nearest to a number below 65504; what is below a normal half becomes 0. */
static inline uint16_t tensor_half(float x)
{
	uint32_t bits, sign;
	memcpy(&bits, &x, sizeof bits);
	sign = bits >> 16 & 0x8000;
	bits &= 0x7fffffff;
	if (bits < (uint32_t)(127 - 14) << 23)
		return (uint16_t)sign;
	bits += 0xfff + (bits >> 13 & 1); /* to nearest, ties to even */
	return (uint16_t)(sign | ((bits >> 13) - ((127 - 15) << 10)));
}

static inline float tensor_value(uint16_t half)
{
	uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
	float x;
	bits = (bits ? bits + ((uint32_t)(127 - 15) << 23) : 0) | (uint32_t)(half & 0x8000) << 16;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* n random halves in [-scale, scale), and their values. */
static inline uint16_t *tensor_halves(struct app *a, size_t n, float scale, float **value)
{
	uint16_t *h = (uint16_t *)app_host(a, n, sizeof *h);
	*value = (float *)app_host(a, n, sizeof **value);
	for (size_t i = 0; i < n; i++) {
		h[i] = tensor_half(app_between(a, -scale, scale));
		(*value)[i] = tensor_value(h[i]);
	}
	return h;
}

#ifdef __CUDACC__
typedef uint16_t tensor_stage[2][TENSOR_CTA * TENSOR_DEPTH];

/* Rows of a stage are 64 bytes, their four pieces exchanged by row so that ldmatrix meets no bank twice. */
static __device__ int tensor_place(int row, int piece)
{
	return row * TENSOR_DEPTH + (piece ^ (row / 2 % 4)) * TENSOR_PIECE;
}

static __device__ uint32_t tensor_address(const uint16_t *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/* Starts the copy of a piece; of none, where `inside` is false: zeroes then. */
static __device__ void tensor_copy(uint16_t *to, const uint16_t *from, bool inside)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
	             :
	             : "r"(tensor_address(to)), "l"(from), "r"(inside ? 16 : 0)
	             : "memory");
}

/* Copies 64 rows of a matrix, whose rows lie `pitch` halves apart: two pieces a thread, 32 rows apart. */
static __device__ void tensor_copy_rows(uint16_t *to, const uint16_t *from, int pitch)
{
	int row = threadIdx.x / 4, piece = threadIdx.x % 4;
#pragma unroll
	for (int half = 0; half < TENSOR_CTA; half += TENSOR_CTA / 2)
		tensor_copy(&to[tensor_place(row + half, piece)], from + (row + half) * pitch + piece * TENSOR_PIECE, true);
}

static __device__ void tensor_fragment(uint32_t f[4], const uint16_t *p)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
	             : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
	             : "r"(tensor_address(p))
	             : "memory");
}

static __device__ void tensor_multiply(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
	             "{%8, %9}, {%0, %1, %2, %3};"
	             : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Products of one stage. Sixteen rows of B make two fragments of eight columns, of two registers each that lie side by side. */
static __device__ void tensor_step(float sum[2][4][4], const tensor_stage &stage)
{
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
	for (int step = 0; step < 2; step++) {
		uint32_t a[2][4], b[2][4];
		int row = lane % 16, piece = 2 * step + lane / 16;
		int column = lane / 16 * 8 + lane % 8, column_piece = 2 * step + lane / 8 % 2;
		for (int i = 0; i < 2; i++) {
			tensor_fragment(a[i], &stage[0][tensor_place(warp / 2 * TENSOR_WARP + 16 * i + row, piece)]);
			tensor_fragment(b[i], &stage[1][tensor_place(warp % 2 * TENSOR_WARP + 16 * i + column, column_piece)]);
		}
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 4; j++)
				tensor_multiply(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
	}
}

/* The CTA's sums over the whole depth: copy(stage, at) starts the copies of the stage at `at`. The next stage is on its
 * way while one is used. */
template <typename Copy> static __device__ void tensor_product(float sum[2][4][4], int depth, Copy copy)
{
	__shared__ __align__(16) tensor_stage stage[2];
	copy(stage[0], 0);
	asm volatile("cp.async.commit_group;" ::: "memory");
	for (int at = 0, s = 0; at < depth; at += TENSOR_DEPTH, s ^= 1) {
		if (at + TENSOR_DEPTH < depth) {
			copy(stage[s ^ 1], at + TENSOR_DEPTH);
			asm volatile("cp.async.commit_group;" ::: "memory");
			asm volatile("cp.async.wait_group 1;" ::: "memory");
		} else {
			asm volatile("cp.async.wait_group 0;" ::: "memory");
		}
		__syncthreads();
		tensor_step(sum, stage[s]);
		__syncthreads();
	}
}

/* Stores the sums to C, whose rows have n columns; of rows behind `rows` nothing. */
static __device__ void tensor_store(const float sum[2][4][4], float *C, int n, int rows)
{
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int row = blockIdx.y * TENSOR_CTA + warp / 2 * TENSOR_WARP + lane / 4;
	int col = blockIdx.x * TENSOR_CTA + warp % 2 * TENSOR_WARP + lane % 4 * 2;
#pragma unroll
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			if (row + 8 * i < rows)
				*(float2 *)&C[(row + 8 * i) * n + col + 8 * j] =
					make_float2(sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]);
}

/* C (m x n) = A (m x depth) * B^T (B is n x depth). */
static __device__ void tensor_gemm(const uint16_t *A, const uint16_t *B, float *C, int m, int n, int depth)
{
	float sum[2][4][4] = {};
	A += blockIdx.y * TENSOR_CTA * depth;
	B += blockIdx.x * TENSOR_CTA * depth;
	tensor_product(sum, depth, [=](tensor_stage &stage, int at) {
		tensor_copy_rows(stage[0], A + at, depth);
		tensor_copy_rows(stage[1], B + at, depth);
	});
	tensor_store(sum, C, n, m);
}
#endif

#endif

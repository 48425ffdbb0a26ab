/* turing.h - products on tensor cores as libraries make them for Turing, which copies to shared memory by way of registers:
 * a CTA makes 128 rows of C = A * B by warps of 64 x 32, from two stages of shared memory. Sums are halves, as DeepBench asks
 * of its libraries. For sm_75. */
#ifndef CT_WORKLOADS_TURING_H
#define CT_WORKLOADS_TURING_H

#include "tensor.h"

/* 32 of the depth are a stage, as in tensor.h. */
enum { TURING_ROWS = 128, TURING_ROW_PIECES = TURING_ROWS / TENSOR_PIECE };

/* Threads of a CTA with so many columns. */
#define TURING_THREADS(columns) (2 * (columns))

/* How far a sum may be from the reference, which makes 0 of what is below a normal half: what is added then may round the
 * other way, by a part in 1024. */
#define TURING_TOLERANCE 4e-3f

/* Adds eight products to a sum as tensor cores keep it, a half: the host's reference. Factors are a pitch apart. */
static inline float turing_add(float sum, const float *a, size_t pitch_a, const float *b, size_t pitch_b)
{
	double exact = (double)sum;
	for (size_t i = 0; i < 8; i++)
		exact += (double)a[i * pitch_a] * (double)b[i * pitch_b];
	/* Rounded once: a float between that is not exact has to be odd. */
	float near = (float)exact;
	uint32_t bits;
	memcpy(&bits, &near, sizeof bits);
	if ((double)near != exact && !(bits & 1))
		bits += ((double)near < exact) == (near > 0) ? 1 : UINT32_MAX;
	memcpy(&near, &bits, sizeof near);
	return tensor_value(tensor_half(near));
}

#ifdef __CUDACC__
/* How A lies in a stage: row by row, 32 of the depth each, or step by step of the depth, 128 rows each, whose pieces are
 * exchanged by step so that ldmatrix meets no bank twice. */
enum turing_layout { TURING_BY_ROW, TURING_BY_STEP };

static __device__ int turing_step_place(int step, int piece)
{
	return step * TURING_ROWS + (piece ^ step % 8) * TENSOR_PIECE;
}

/* 16 rows of A from `row` on by 16 of the depth from `step` on, by four matrices: rows 0 and 8, then both again 8 later in
 * the depth. */
template <turing_layout LAYOUT> static __device__ void turing_rows(uint32_t f[4], const uint16_t *stage, int row, int step)
{
	int lane = threadIdx.x % 32;
	if (LAYOUT == TURING_BY_ROW) {
		tensor_fragment(f, &stage[tensor_place(row + lane % 16, step / TENSOR_PIECE + lane / 16)]);
		return;
	}
	int from = step + lane / 16 * 8 + lane % 8, piece = row / TENSOR_PIECE + lane / 8 % 2;
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
	             : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
	             : "r"(tensor_address(&stage[turing_step_place(from, piece)]))
	             : "memory");
}

static __device__ void turing_multiply(uint32_t c[2], uint32_t a0, uint32_t a1, uint32_t b)
{
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
	             : "+r"(c[0]), "+r"(c[1])
	             : "r"(a0), "r"(a1), "r"(b));
}

static __device__ void turing_put(uint16_t *p, uint4 v)
{
	asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
	             :
	             : "r"(tensor_address(p)), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
	             : "memory");
}

/* The product of a CTA with COLUMNS of B, whose warps stand in two rows. Of each matrix a thread brings the pieces threadIdx.x,
 * threadIdx.x + THREADS and so on of a stage: of A four to a row, or sixteen to a step; of B four to a column. */
template <int COLUMNS, turing_layout LAYOUT> struct turing {
	enum {
		THREADS = TURING_THREADS(COLUMNS),
		PIECES_A = TURING_ROWS * TENSOR_DEPTH / TENSOR_PIECE / THREADS,
		PIECES_B = COLUMNS * TENSOR_DEPTH / TENSOR_PIECE / THREADS,
		HIGH = 4, /* tiles of a warp, of 16 rows */
		WIDE = 4  /* and of 8 columns */
	};
	uint32_t sum[HIGH][WIDE][2]; /* of two columns each, of a row and of the one eight below */

	static __device__ int place_a(int i)
	{
		int piece = threadIdx.x + i * THREADS;
		return LAYOUT == TURING_BY_ROW ? tensor_place(piece / 4, piece % 4)
		                               : turing_step_place(piece / TURING_ROW_PIECES, piece % TURING_ROW_PIECES);
	}

	static __device__ int place_b(int i)
	{
		int piece = threadIdx.x + i * THREADS;
		return tensor_place(piece / 4, piece % 4);
	}

	static __device__ int first_row()
	{
		return threadIdx.x / 32 % 2 * 16 * HIGH;
	}

	static __device__ int first_column()
	{
		return threadIdx.x / 64 * 8 * WIDE;
	}

	/* Products of one stage: by 16 of the depth the warp's fragments, then two instructions of 8 each for every tile. */
	__forceinline__ __device__ void multiply(const uint16_t *a, const uint16_t *b)
	{
		int lane = threadIdx.x % 32;
#pragma unroll
		for (int step = 0; step < TENSOR_DEPTH; step += 16) {
			uint32_t fa[HIGH][4], fb[WIDE / 2][4];
#pragma unroll
			for (int i = 0; i < HIGH; i++)
				turing_rows<LAYOUT>(fa[i], a, first_row() + 16 * i, step);
#pragma unroll
			for (int j = 0; j < WIDE / 2; j++)
				tensor_fragment(fb[j], &b[tensor_place(first_column() + 16 * j + lane % 16,
				                                       step / TENSOR_PIECE + lane / 16)]);
#pragma unroll
			for (int k = 0; k < 2; k++)
#pragma unroll
				for (int i = 0; i < HIGH; i++)
#pragma unroll
					for (int j = 0; j < WIDE; j++)
						turing_multiply(sum[i][j], fa[i][2 * k], fa[i][2 * k + 1], fb[j / 2][2 * k + j % 2]);
		}
	}

	/* The sums over the whole depth, in so many rounds of STAGES stages. from.a(i, k) and from.b(i, k) give the thread's pieces
	 * of stage k of a round, from.next() goes on to the next round. A stage is on its way while the one before it is used. */
	template <int STAGES, typename From> __forceinline__ __device__ void product(int rounds, From from)
	{
		__shared__ __align__(16) uint16_t a[2][TURING_ROWS * TENSOR_DEPTH], b[2][COLUMNS * TENSOR_DEPTH];
		uint4 ra[PIECES_A], rb[PIECES_B];
		auto load = [&](int k) __attribute__((always_inline)) {
#pragma unroll
			for (int i = 0; i < PIECES_A; i++)
				ra[i] = from.a(i, k);
#pragma unroll
			for (int i = 0; i < PIECES_B; i++)
				rb[i] = from.b(i, k);
		};
		auto put = [&](int s) __attribute__((always_inline)) {
#pragma unroll
			for (int i = 0; i < PIECES_A; i++)
				turing_put(&a[s][place_a(i)], ra[i]);
#pragma unroll
			for (int i = 0; i < PIECES_B; i++)
				turing_put(&b[s][place_b(i)], rb[i]);
			__syncthreads();
		};
		int odd = 0; /* the half of the stages that a round begins with, where it has an odd number of them */
		auto use = [&](bool last) __attribute__((always_inline)) {
#pragma unroll
			for (int k = 0; k < STAGES; k++) {
				int s = STAGES % 2 ? odd ^ k % 2 : k % 2;
				bool more = k + 1 < STAGES || !last;
				if (more && k + 1 == STAGES)
					from.next();
				if (more)
					load((k + 1) % STAGES);
				multiply(a[s], b[s]);
				if (more)
					put(s ^ 1);
			}
			odd ^= 1;
		};
		load(0);
		put(0);
#pragma unroll 1
		for (int round = 1; round < rounds; round++)
			use(false);
		use(true);
	}

	/* Stores the sums to C, element (row, column) at row * pitch_row + column * pitch_column, of what lies inside. Columns come in
	 * pairs, which go together where they lie so. */
	__device__ void store(uint16_t *C, int rows, int columns, int pitch_row, int pitch_column) const
	{
		int lane = threadIdx.x % 32, row = blockIdx.y * TURING_ROWS + first_row() + lane / 4;
		int column = blockIdx.x * COLUMNS + first_column() + lane % 4 * 2;
#pragma unroll
		for (int i = 0; i < 2 * HIGH; i++)
#pragma unroll
			for (int j = 0; j < WIDE; j++) {
				int r = row + 8 * i, c = column + 8 * j;
				uint16_t *to = &C[c * pitch_column + r * pitch_row];
				if (r >= rows || c >= columns)
					continue;
				if (pitch_column == 1) {
					*(uint32_t *)to = sum[i / 2][j][i % 2];
				} else {
					to[0] = (uint16_t)sum[i / 2][j][i % 2];
					to[pitch_column] = (uint16_t)(sum[i / 2][j][i % 2] >> 16);
				}
			}
	}
};

/* The pieces of B (depth x n, column by column). Behind the last column it is that one again, whose sums are not stored. */
template <int COLUMNS, int STAGES> struct turing_columns {
	const uint16_t *p[2];

	__device__ turing_columns(const uint16_t *B, int n, int depth)
	{
		for (int i = 0; i < 2; i++) {
			int piece = threadIdx.x + i * TURING_THREADS(COLUMNS);
			p[i] = &B[min((int)blockIdx.x * COLUMNS + piece / 4, n - 1) * depth + piece % 4 * TENSOR_PIECE];
		}
	}

	__device__ uint4 b(int i, int k) const
	{
		return *(const uint4 *)(p[i] + k * TENSOR_DEPTH);
	}

	__device__ void next()
	{
		p[0] += STAGES * TENSOR_DEPTH;
		p[1] += STAGES * TENSOR_DEPTH;
	}
};

/* The same in rounds of one stage, with the pieces of A (m x depth, column by column). */
template <int COLUMNS> struct turing_matrices : turing_columns<COLUMNS, 1> {
	const uint16_t *A;
	int m;

	__device__ turing_matrices(const uint16_t *A_, const uint16_t *B, int m_, int n, int depth)
	    : turing_columns<COLUMNS, 1>(B, n, depth), m(m_)
	{
		int row = blockIdx.y * TURING_ROWS + threadIdx.x % TURING_ROW_PIECES * TENSOR_PIECE;
		A = &A_[threadIdx.x / TURING_ROW_PIECES * m + min(row, m - TENSOR_PIECE)];
	}

	__device__ uint4 a(int i, int) const
	{
		return *(const uint4 *)&A[i * (TURING_THREADS(COLUMNS) / TURING_ROW_PIECES) * m];
	}

	__device__ void next()
	{
		turing_columns<COLUMNS, 1>::next();
		A += TENSOR_DEPTH * m;
	}
};

/* C (m x n, column by column) = A (m x depth, column by column) * B (depth x n, column by column), as BLAS has them. m and
 * depth are multiples of 8 and of 32. */
template <int COLUMNS> static __device__ void turing_gemm(const uint16_t *A, const uint16_t *B, uint16_t *C, int m, int n, int depth)
{
	turing<COLUMNS, TURING_BY_STEP> p = {};
	p.template product<1>(depth / TENSOR_DEPTH, turing_matrices<COLUMNS>(A, B, m, n, depth));
	p.store(C, m, n, 1, m);
}
#endif

#endif

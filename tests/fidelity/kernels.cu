/* Kernels of our own in which SMs read the same lines in step, rows fall out of the L1, or DRAM is the limit: quick
 * replay beside full (tests/fidelity/README). kernels.ptx is made from this file:
 *
 *     clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -O2 -fno-unroll-loops -S kernels.cu */
#define DEVICE static inline __attribute__((device, always_inline))
#define KERNEL extern "C" __attribute__((global))
typedef unsigned u32;

DEVICE u32 column(void)
{
	return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
DEVICE u32 row(void)
{
	return __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y();
}

/* y = (1.5 A + 2.5 B) x: a thread takes a row, and its sums are in memory. */
KERNEL void gesummv(const float *A, const float *B, const float *x, float *t, float *y, u32 n)
{
	u32 i = column();
	if (i >= n)
		return;
	for (u32 j = 0; j < n; j++) {
		t[i] += A[i * n + j] * x[j];
		y[i] += B[i * n + j] * x[j];
	}
	y[i] = 1.5f * t[i] + 2.5f * y[i];
}

/* y = A x: a thread takes a row. */
KERNEL void rows(const float *A, const float *x, float *y, u32 n, u32 m)
{
	u32 i = column();
	float s = 0;
	if (i >= n)
		return;
	for (u32 j = 0; j < m; j++)
		s += A[i * m + j] * x[j];
	y[i] = s;
}

/* y = A' x: a thread takes a column, and its sum is in memory. */
KERNEL void columns(const float *A, const float *x, float *y, u32 n, u32 m)
{
	u32 j = column();
	if (j >= m)
		return;
	for (u32 i = 0; i < n; i++)
		y[j] += A[i * m + j] * x[i];
}

/* C = A B: a thread takes an element. */
KERNEL void product(const float *A, const float *B, float *C, u32 n)
{
	u32 j = column(), i = row();
	float s = 0;
	for (u32 k = 0; k < n; k++)
		s += A[i * n + k] * B[k * n + j];
	C[i * n + j] = s;
}

/* C = A B' + B A': a thread takes an element, and its sum is in memory. */
KERNEL void syr2k(const float *A, const float *B, float *C, u32 n, u32 m)
{
	u32 j = column(), i = row();
	for (u32 k = 0; k < m; k++) {
		C[i * n + j] += A[i * m + k] * B[j * m + k];
		C[i * n + j] += B[i * m + k] * A[j * m + k];
	}
}

/* Every CTA reads the whole table, from its start on. */
KERNEL void together(const float *T, float *y, u32 n)
{
	float s = 0;
	for (u32 k = __nvvm_read_ptx_sreg_tid_x(); k < n; k += __nvvm_read_ptx_sreg_ntid_x())
		s += T[k];
	y[column()] = s;
}

/* The same with a line between lanes. */
KERNEL void scattered(const float *T, float *y, u32 n)
{
	float s = 0;
	for (u32 k = 0; k < n; k++)
		s += T[(k * 1024 + __nvvm_read_ptx_sreg_tid_x() * 32) & 0x3ffff];
	y[column()] = s;
}

/* Products of each pair of columns: a thread takes all pairs of one. */
KERNEL void correlation(const float *A, float *S, u32 n, u32 m)
{
	u32 j1 = column();
	if (j1 >= m)
		return;
	for (u32 j2 = j1; j2 < m; j2++) {
		float s = 0;
		for (u32 i = 0; i < n; i++)
			s += A[i * m + j1] * A[i * m + j2];
		S[j1 * m + j2] = s;
		S[j2 * m + j1] = s;
	}
}

/* The nearest of k centres, of f features each. */
KERNEL void nearest(const float *P, const float *C, u32 *near, u32 n, u32 f, u32 k)
{
	u32 i = column(), best = 0;
	float least = 1e30f;
	if (i >= n)
		return;
	for (u32 c = 0; c < k; c++) {
		float d = 0;
		for (u32 j = 0; j < f; j++) {
			float t = P[i * f + j] - C[c * f + j];
			d += t * t;
		}
		if (d < least) {
			least = d;
			best = c;
		}
	}
	near[i] = best;
}

/* Sums of an element and its four neighbours. */
KERNEL void five(const float *A, float *B, u32 n)
{
	u32 j = column() + 1, i = row() + 1;
	if (i >= n - 1 || j >= n - 1)
		return;
	B[i * n + j] = A[i * n + j] + A[i * n + j - 1] + A[i * n + j + 1] + A[(i - 1) * n + j] +
	               A[(i + 1) * n + j];
}

/* Random reads. */
KERNEL void gather(const float *T, float *y, u32 n, u32 mask)
{
	u32 i = column(), h = i;
	float s = 0;
	for (u32 k = 0; k < n; k++) {
		h = h * 1664525u + 1013904223u;
		s += T[(h >> 8) & mask];
	}
	y[i] = s;
}

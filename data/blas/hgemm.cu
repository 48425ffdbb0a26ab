/* Products of halves, on tensor cores. */
#include "gemm.cuh"

#define CT_BLAS_HGEMM(order, ta, tb) \
	extern "C" __global__ __launch_bounds__(128) void ct_blas_hgemm_64x64_##order(ct_blas_gemm g) \
	{ \
		multiply_on_tensor_cores<__half, ta, tb>(g); \
	}
CT_BLAS_HGEMM(nn, false, false)
CT_BLAS_HGEMM(nt, false, true)
CT_BLAS_HGEMM(tn, true, false)
CT_BLAS_HGEMM(tt, true, true)

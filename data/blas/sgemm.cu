/* Products of single precision. */
#include "gemm.cuh"

CT_BLAS_GEMMS(ct_blas_sgemm, float, float, false, 128, 128, 8, 8, 8)
CT_BLAS_GEMMS(ct_blas_sgemm, float, float, false, 32, 32, 8, 4, 4)

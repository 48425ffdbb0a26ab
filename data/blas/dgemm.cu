/* Products of double precision. */
#include "gemm.cuh"

CT_BLAS_GEMMS(ct_blas_dgemm, double, double, false, 64, 64, 8, 4, 4)
CT_BLAS_GEMMS(ct_blas_dgemm, double, double, false, 32, 32, 8, 4, 4)

/* Products of complex numbers of single precision. */
#include "gemm.cuh"

CT_BLAS_GEMMS(ct_blas_cgemm, c32, c32, false, 64, 64, 8, 4, 4)
CT_BLAS_GEMMS(ct_blas_cgemm, c32, c32, false, 32, 32, 8, 4, 4)

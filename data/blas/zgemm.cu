/* Products of complex numbers of double precision. */
#include "gemm.cuh"

CT_BLAS_GEMMS(ct_blas_zgemm, c64, c64, false, 32, 32, 8, 4, 2)

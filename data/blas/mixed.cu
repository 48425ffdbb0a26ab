/* Products of numbers of few bits: bfloat16 and eight bits with a point in single precision, integers of eight bits in integers; and of
 * single precision, with what follows a product in cuBLASLt. */
#include "gemm.cuh"

CT_BLAS_GEMMS(ct_blas_gemm_bf16, __nv_bfloat16, float, true, 64, 64, 16, 4, 4)
CT_BLAS_GEMMS(ct_blas_gemm_f32, float, float, true, 64, 64, 16, 4, 4)
CT_BLAS_GEMMS(ct_blas_gemm_f8, uint8_t, float, true, 64, 64, 16, 4, 4)
CT_BLAS_GEMMS(ct_blas_gemm_i8, int8_t, int, true, 64, 64, 16, 4, 4)

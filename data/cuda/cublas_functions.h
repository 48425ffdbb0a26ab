/* cublas_functions.h - the functions of cuBLAS: compiled once per width of their integers, by cublas_api.h.
 *
 * CT_CUBLAS_INT is that integer, CT_CUBLAS_NAME(f) the name of what a program calls f, and CT_CUBLAS_FIRST(f) that of one which cublas.h had before
 * under that name with other parameters. */
#define CT_CUBLAS_VECTORS(S, R, type, real) \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##axpy)(cublasHandle_t handle, CT_CUBLAS_INT n, const type *alpha, const type *x, CT_CUBLAS_INT incx, type *y, CT_CUBLAS_INT incy); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##scal)(cublasHandle_t handle, CT_CUBLAS_INT n, const type *alpha, type *x, CT_CUBLAS_INT incx); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##copy)(cublasHandle_t handle, CT_CUBLAS_INT n, const type *x, CT_CUBLAS_INT incx, type *y, CT_CUBLAS_INT incy); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##swap)(cublasHandle_t handle, CT_CUBLAS_INT n, type *x, CT_CUBLAS_INT incx, type *y, CT_CUBLAS_INT incy); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##R##asum)(cublasHandle_t handle, CT_CUBLAS_INT n, const type *x, CT_CUBLAS_INT incx, real *result); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##R##nrm2)(cublasHandle_t handle, CT_CUBLAS_INT n, const type *x, CT_CUBLAS_INT incx, real *result); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##rot)(cublasHandle_t handle, CT_CUBLAS_INT n, type *x, CT_CUBLAS_INT incx, type *y, CT_CUBLAS_INT incy, const real *c, const type *s);
CT_CUBLAS_VECTORS(S, S, float, float)
CT_CUBLAS_VECTORS(D, D, double, double)
CT_CUBLAS_VECTORS(C, Sc, cuComplex, float)
CT_CUBLAS_VECTORS(Z, Dz, cuDoubleComplex, double)
#undef CT_CUBLAS_VECTORS

#define CT_CUBLAS_INDEX(s, type) \
	cublasStatus_t CT_CUBLAS_FIRST(cublasI##s##amax)(cublasHandle_t handle, CT_CUBLAS_INT n, const type *x, CT_CUBLAS_INT incx, CT_CUBLAS_INT *result); \
	cublasStatus_t CT_CUBLAS_FIRST(cublasI##s##amin)(cublasHandle_t handle, CT_CUBLAS_INT n, const type *x, CT_CUBLAS_INT incx, CT_CUBLAS_INT *result);
CT_CUBLAS_INDEX(s, float)
CT_CUBLAS_INDEX(d, double)
CT_CUBLAS_INDEX(c, cuComplex)
CT_CUBLAS_INDEX(z, cuDoubleComplex)
#undef CT_CUBLAS_INDEX

#define CT_CUBLAS_DOT(S, type) \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S)(cublasHandle_t handle, CT_CUBLAS_INT n, const type *x, CT_CUBLAS_INT incx, const type *y, CT_CUBLAS_INT incy, type *result);
CT_CUBLAS_DOT(Sdot, float)
CT_CUBLAS_DOT(Ddot, double)
CT_CUBLAS_DOT(Cdotu, cuComplex)
CT_CUBLAS_DOT(Cdotc, cuComplex)
CT_CUBLAS_DOT(Zdotu, cuDoubleComplex)
CT_CUBLAS_DOT(Zdotc, cuDoubleComplex)
#undef CT_CUBLAS_DOT

#define CT_CUBLAS_BY_REAL(S, s, type, real) \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##scal)(cublasHandle_t handle, CT_CUBLAS_INT n, const real *alpha, type *x, CT_CUBLAS_INT incx); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##rot)(cublasHandle_t handle, CT_CUBLAS_INT n, type *x, CT_CUBLAS_INT incx, type *y, CT_CUBLAS_INT incy, const real *c, const real *s);
CT_CUBLAS_BY_REAL(Cs, C, cuComplex, float)
CT_CUBLAS_BY_REAL(Zd, Z, cuDoubleComplex, double)
#undef CT_CUBLAS_BY_REAL

cublasStatus_t CT_CUBLAS_NAME(cublasAxpyEx)(cublasHandle_t handle, CT_CUBLAS_INT n, const void *alpha, cudaDataType alpha_type, const void *x, cudaDataType x_type,
                                            CT_CUBLAS_INT incx, void *y, cudaDataType y_type, CT_CUBLAS_INT incy, cudaDataType execution_type);
cublasStatus_t CT_CUBLAS_NAME(cublasScalEx)(cublasHandle_t handle, CT_CUBLAS_INT n, const void *alpha, cudaDataType alpha_type, void *x, cudaDataType x_type,
                                            CT_CUBLAS_INT incx, cudaDataType execution_type);
cublasStatus_t CT_CUBLAS_NAME(cublasDotEx)(cublasHandle_t handle, CT_CUBLAS_INT n, const void *x, cudaDataType x_type, CT_CUBLAS_INT incx, const void *y,
                                           cudaDataType y_type, CT_CUBLAS_INT incy, void *result, cudaDataType result_type, cudaDataType execution_type);
cublasStatus_t CT_CUBLAS_NAME(cublasDotcEx)(cublasHandle_t handle, CT_CUBLAS_INT n, const void *x, cudaDataType x_type, CT_CUBLAS_INT incx, const void *y,
                                            cudaDataType y_type, CT_CUBLAS_INT incy, void *result, cudaDataType result_type, cudaDataType execution_type);
cublasStatus_t CT_CUBLAS_NAME(cublasNrm2Ex)(cublasHandle_t handle, CT_CUBLAS_INT n, const void *x, cudaDataType x_type, CT_CUBLAS_INT incx, void *result,
                                            cudaDataType result_type, cudaDataType execution_type);

/* Products with vectors. */
#define CT_CUBLAS_MATRIX_VECTOR(S, type) \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##gemv)(cublasHandle_t handle, cublasOperation_t trans, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *x, CT_CUBLAS_INT incx, const type *beta, type *y, CT_CUBLAS_INT incy); \
	cublasStatus_t CT_CUBLAS_NAME(cublas##S##gemvBatched)(cublasHandle_t handle, cublasOperation_t trans, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *const A[], CT_CUBLAS_INT lda, const type *const x[], CT_CUBLAS_INT incx, const type *beta, type *const y[], CT_CUBLAS_INT incy, CT_CUBLAS_INT batch); \
	cublasStatus_t CT_CUBLAS_NAME(cublas##S##gemvStridedBatched)(cublasHandle_t handle, cublasOperation_t trans, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, long long int strideA, const type *x, CT_CUBLAS_INT incx, long long int stridex, const type *beta, type *y, CT_CUBLAS_INT incy, long long int stridey, CT_CUBLAS_INT batch); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##symv)(cublasHandle_t handle, cublasFillMode_t uplo, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *x, CT_CUBLAS_INT incx, const type *beta, type *y, CT_CUBLAS_INT incy); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##trmv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, CT_CUBLAS_INT n, const type *A, CT_CUBLAS_INT lda, type *x, CT_CUBLAS_INT incx); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##trsv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, CT_CUBLAS_INT n, const type *A, CT_CUBLAS_INT lda, type *x, CT_CUBLAS_INT incx); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##syr)(cublasHandle_t handle, cublasFillMode_t uplo, CT_CUBLAS_INT n, const type *alpha, const type *x, CT_CUBLAS_INT incx, type *A, CT_CUBLAS_INT lda); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##syr2)(cublasHandle_t handle, cublasFillMode_t uplo, CT_CUBLAS_INT n, const type *alpha, const type *x, CT_CUBLAS_INT incx, const type *y, CT_CUBLAS_INT incy, type *A, CT_CUBLAS_INT lda);
CT_CUBLAS_MATRIX_VECTOR(S, float)
CT_CUBLAS_MATRIX_VECTOR(D, double)
CT_CUBLAS_MATRIX_VECTOR(C, cuComplex)
CT_CUBLAS_MATRIX_VECTOR(Z, cuDoubleComplex)
#undef CT_CUBLAS_MATRIX_VECTOR

#define CT_CUBLAS_GER(S, type) \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S)(cublasHandle_t handle, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *x, CT_CUBLAS_INT incx, const type *y, CT_CUBLAS_INT incy, type *A, CT_CUBLAS_INT lda);
CT_CUBLAS_GER(Sger, float)
CT_CUBLAS_GER(Dger, double)
CT_CUBLAS_GER(Cgeru, cuComplex)
CT_CUBLAS_GER(Cgerc, cuComplex)
CT_CUBLAS_GER(Zgeru, cuDoubleComplex)
CT_CUBLAS_GER(Zgerc, cuDoubleComplex)
#undef CT_CUBLAS_GER

/* Products of matrices, and what is like them. */
#define CT_CUBLAS_GEMM(S, type) \
	cublasStatus_t CT_CUBLAS_NAME(cublas##S##gemmBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n, CT_CUBLAS_INT k, const type *alpha, const type *const A[], CT_CUBLAS_INT lda, const type *const B[], CT_CUBLAS_INT ldb, const type *beta, type *const C[], CT_CUBLAS_INT ldc, CT_CUBLAS_INT batch); \
	cublasStatus_t CT_CUBLAS_NAME(cublas##S##gemmStridedBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n, CT_CUBLAS_INT k, const type *alpha, const type *A, CT_CUBLAS_INT lda, long long int strideA, const type *B, CT_CUBLAS_INT ldb, long long int strideB, const type *beta, type *C, CT_CUBLAS_INT ldc, long long int strideC, CT_CUBLAS_INT batch);
CT_CUBLAS_GEMM(H, __half)
CT_CUBLAS_GEMM(S, float)
CT_CUBLAS_GEMM(D, double)
CT_CUBLAS_GEMM(C, cuComplex)
CT_CUBLAS_GEMM(Z, cuDoubleComplex)
#undef CT_CUBLAS_GEMM
cublasStatus_t CT_CUBLAS_NAME(cublasHgemm)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n, CT_CUBLAS_INT k,
                                           const __half *alpha, const __half *A, CT_CUBLAS_INT lda, const __half *B, CT_CUBLAS_INT ldb, const __half *beta, __half *C, CT_CUBLAS_INT ldc);

#define CT_CUBLAS_MATRICES(S, type) \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##gemm)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n, CT_CUBLAS_INT k, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *B, CT_CUBLAS_INT ldb, const type *beta, type *C, CT_CUBLAS_INT ldc); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##symm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *B, CT_CUBLAS_INT ldb, const type *beta, type *C, CT_CUBLAS_INT ldc); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##syrk)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, CT_CUBLAS_INT n, CT_CUBLAS_INT k, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *beta, type *C, CT_CUBLAS_INT ldc); \
	cublasStatus_t CT_CUBLAS_NAME(cublas##S##syrkx)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, CT_CUBLAS_INT n, CT_CUBLAS_INT k, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *B, CT_CUBLAS_INT ldb, const type *beta, type *C, CT_CUBLAS_INT ldc); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##trmm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *B, CT_CUBLAS_INT ldb, type *C, CT_CUBLAS_INT ldc); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##trsm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, type *B, CT_CUBLAS_INT ldb); \
	cublasStatus_t CT_CUBLAS_NAME(cublas##S##trsmBatched)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *const A[], CT_CUBLAS_INT lda, type *const B[], CT_CUBLAS_INT ldb, CT_CUBLAS_INT batch); \
	cublasStatus_t CT_CUBLAS_NAME(cublas##S##geam)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *beta, const type *B, CT_CUBLAS_INT ldb, type *C, CT_CUBLAS_INT ldc); \
	cublasStatus_t CT_CUBLAS_NAME(cublas##S##dgmm)(cublasHandle_t handle, cublasSideMode_t mode, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *A, CT_CUBLAS_INT lda, const type *x, CT_CUBLAS_INT incx, type *C, CT_CUBLAS_INT ldc);
CT_CUBLAS_MATRICES(S, float)
CT_CUBLAS_MATRICES(D, double)
CT_CUBLAS_MATRICES(C, cuComplex)
CT_CUBLAS_MATRICES(Z, cuDoubleComplex)
#undef CT_CUBLAS_MATRICES

#define CT_CUBLAS_HERMITIAN(S, type, real) \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##hemv)(cublasHandle_t handle, cublasFillMode_t uplo, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *x, CT_CUBLAS_INT incx, const type *beta, type *y, CT_CUBLAS_INT incy); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##her)(cublasHandle_t handle, cublasFillMode_t uplo, CT_CUBLAS_INT n, const real *alpha, const type *x, CT_CUBLAS_INT incx, type *A, CT_CUBLAS_INT lda); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##hemm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, CT_CUBLAS_INT m, CT_CUBLAS_INT n, const type *alpha, const type *A, CT_CUBLAS_INT lda, const type *B, CT_CUBLAS_INT ldb, const type *beta, type *C, CT_CUBLAS_INT ldc); \
	cublasStatus_t CT_CUBLAS_FIRST(cublas##S##herk)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, CT_CUBLAS_INT n, CT_CUBLAS_INT k, const real *alpha, const type *A, CT_CUBLAS_INT lda, const real *beta, type *C, CT_CUBLAS_INT ldc);
CT_CUBLAS_HERMITIAN(C, cuComplex, float)
CT_CUBLAS_HERMITIAN(Z, cuDoubleComplex, double)
#undef CT_CUBLAS_HERMITIAN

/* Products of numbers of types that the call names. */
cublasStatus_t CT_CUBLAS_NAME(cublasGemmEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n, CT_CUBLAS_INT k,
                                            const void *alpha, const void *A, cudaDataType A_type, CT_CUBLAS_INT lda, const void *B, cudaDataType B_type, CT_CUBLAS_INT ldb,
                                            const void *beta, void *C, cudaDataType C_type, CT_CUBLAS_INT ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t CT_CUBLAS_NAME(cublasGemmBatchedEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n,
                                                   CT_CUBLAS_INT k, const void *alpha, const void *const A[], cudaDataType A_type, CT_CUBLAS_INT lda, const void *const B[],
                                                   cudaDataType B_type, CT_CUBLAS_INT ldb, const void *beta, void *const C[], cudaDataType C_type, CT_CUBLAS_INT ldc,
                                                   CT_CUBLAS_INT batch, cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t CT_CUBLAS_NAME(cublasGemmStridedBatchedEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n,
                                                          CT_CUBLAS_INT k, const void *alpha, const void *A, cudaDataType A_type, CT_CUBLAS_INT lda, long long int strideA,
                                                          const void *B, cudaDataType B_type, CT_CUBLAS_INT ldb, long long int strideB, const void *beta, void *C,
                                                          cudaDataType C_type, CT_CUBLAS_INT ldc, long long int strideC, CT_CUBLAS_INT batch, cublasComputeType_t compute,
                                                          cublasGemmAlgo_t algo);
cublasStatus_t CT_CUBLAS_NAME(cublasSgemmEx)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, CT_CUBLAS_INT m, CT_CUBLAS_INT n, CT_CUBLAS_INT k,
                                             const float *alpha, const void *A, cudaDataType A_type, CT_CUBLAS_INT lda, const void *B, cudaDataType B_type,
                                             CT_CUBLAS_INT ldb, const float *beta, void *C, cudaDataType C_type, CT_CUBLAS_INT ldc);

/* cusparse_functions.h - the functions of cuSPARSE that there are. Included by cusparse.h. */

/* The library. */
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);

/* What a matrix is, for functions whose arrays are parameters. */
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t mode);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t type);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);

/* Sparse vectors. */
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vec, int64_t size, int64_t nnz, void *indices, void *values, cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *vec, int64_t size, int64_t nnz, const void *indices, const void *values, cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vec);
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vec, int64_t *size, int64_t *nnz, void **indices, void **values, cusparseIndexType_t *indexType, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t vec, int64_t *size, int64_t *nnz, const void **indices, const void **values, cusparseIndexType_t *indexType, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vec, cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t vec, void **values);
cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t vec, const void **values);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vec, void *values);

/* Dense vectors. */
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vec, int64_t size, void *values, cudaDataType type);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vec, int64_t size, const void *values, cudaDataType type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vec);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vec, int64_t *size, void **values, cudaDataType *type);
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vec, int64_t *size, const void **values, cudaDataType *type);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vec, void **values);
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t vec, const void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vec, void *values);

/* Dense matrices. */
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld, void *values, cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld, const void *values, cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t mat);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld, void **values, cudaDataType *type, cusparseOrder_t *order);
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld, const void **values, cudaDataType *type, cusparseOrder_t *order);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t mat, void **values);
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t mat, const void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t mat, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t mat, int batchCount, int64_t batchStride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t mat, int *batchCount, int64_t *batchStride);

/* Sparse matrices. */
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, void *rowOffsets, void *colInd, void *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indType, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, const void *rowOffsets, const void *colInd, const void *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indType, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, void *colOffsets, void *rowInd, void *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indType, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, const void *colOffsets, const void *rowInd, const void *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indType, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, void *rowInd, void *colInd, void *values, cusparseIndexType_t indType, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, const void *rowInd, const void *colInd, const void *values, cusparseIndexType_t indType, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t mat);
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, void **rowOffsets, void **colInd, void **values, cusparseIndexType_t *offsetsType, cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, const void **rowOffsets, const void **colInd, const void **values, cusparseIndexType_t *offsetsType, cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, void **colOffsets, void **rowInd, void **values, cusparseIndexType_t *offsetsType, cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, const void **colOffsets, const void **rowInd, const void **values, cusparseIndexType_t *offsetsType, cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, void **rowInd, void **colInd, void **values, cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, const void **rowInd, const void **colInd, const void **values, cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t mat, void *rowOffsets, void *colInd, void *values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t mat, void *colOffsets, void *rowInd, void *values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t mat, void *rowInd, void *colInd, void *values);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t mat, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t mat, cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t mat, void **values);
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t mat, const void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t mat, void *values);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t mat, int *batchCount);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t offsetsBatchStride, int64_t columnsValuesBatchStride);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t batchStride);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t mat, cusparseSpMatAttribute_t attribute, void *data, size_t dataSize);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t mat, cusparseSpMatAttribute_t attribute, const void *data, size_t dataSize);

/* y = alpha * op(A) * x + beta * y. */
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t alg, void *buffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t alg, void *buffer);
/* C = alpha * op(A) * op(B) + beta * C. */
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta, cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpMMAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta, cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpMMAlg_t alg, void *buffer);
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta, cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpMMAlg_t alg, void *buffer);
/* C = alpha * (op(A) * op(B) where C has elements) + beta * C. */
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstDnMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta, cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSDDMMAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstDnMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta, cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSDDMMAlg_t alg, void *buffer);
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstDnMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta, cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSDDMMAlg_t alg, void *buffer);
/* Sparse vectors with dense ones: y = alpha * x + beta * y; what y has where x has elements, and back; a rotation; the inner product. */
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x, const void *beta, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, const void *result, cudaDataType computeType, size_t *bufferSize);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, void *result, cudaDataType computeType, void *buffer);
/* Forms of matrices whose indices are of 32 bits: rows of elements and offsets, elements in order, and a matrix by columns. */
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m, int *csrRowPtr, cusparseIndexBase_t base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrRowPtr, int nnz, int m, int *cooRowInd, cusparseIndexBase_t base);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *cooRows, const int *cooCols, size_t *bytes);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *cooRows, int *cooCols, int *P, void *buffer);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *cooRows, int *cooCols, int *P, void *buffer);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *csrRowPtr, const int *csrColInd, size_t *bytes);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, const int *csrRowPtr, int *csrColInd, int *P, void *buffer);
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *cscColPtr, const int *cscRowInd, size_t *bytes);
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, const int *cscColPtr, int *cscRowInd, int *P, void *buffer);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal, const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr, int *cscRowInd, cudaDataType valType, cusparseAction_t copyValues, cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal, const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr, int *cscRowInd, cudaDataType valType, cusparseAction_t copyValues, cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg, void *buffer);
/* Dense matrices and sparse ones, and how many elements are not zero. */
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t A, cusparseDnMatDescr_t B, cusparseSparseToDenseAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t A, cusparseDnMatDescr_t B, cusparseSparseToDenseAlg_t alg, void *buffer);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t A, cusparseSpMatDescr_t B, cusparseDenseToSparseAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t A, cusparseSpMatDescr_t B, cusparseDenseToSparseAlg_t alg, void *buffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t A, cusparseSpMatDescr_t B, cusparseDenseToSparseAlg_t alg, void *buffer);
#define CT_CUSPARSE_NNZ(S, type) \
	cusparseStatus_t cusparse##S##nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n, const cusparseMatDescr_t descrA, const type *A, int lda, int *nnzPerRowCol, int *nnzTotalDevHostPtr);
CT_CUSPARSE_NNZ(S, float)
CT_CUSPARSE_NNZ(D, double)
CT_CUSPARSE_NNZ(C, cuComplex)
CT_CUSPARSE_NNZ(Z, cuDoubleComplex)
#undef CT_CUSPARSE_NNZ
/* Products and sums of sparse matrices. */
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr);
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstSpMatDescr_t B, const void *beta, cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t *bufferSize1, void *buffer1);
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstSpMatDescr_t B, const void *beta, cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t *bufferSize2, void *buffer2);
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstSpMatDescr_t B, const void *beta, cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr);
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, int nnzA, const int *rowPtrA, const int *colIndA, const cusparseMatDescr_t descrB, int nnzB, const int *rowPtrB, const int *colIndB, const cusparseMatDescr_t descrC, int *rowPtrC, int *nnzTotalDevHostPtr, void *workspace);
#define CT_CUSPARSE_GEAM(S, type) \
	cusparseStatus_t cusparse##S##csrgeam2_bufferSizeExt(cusparseHandle_t handle, int m, int n, const type *alpha, const cusparseMatDescr_t descrA, int nnzA, const type *valA, const int *rowPtrA, const int *colIndA, const type *beta, const cusparseMatDescr_t descrB, int nnzB, const type *valB, const int *rowPtrB, const int *colIndB, const cusparseMatDescr_t descrC, const type *valC, const int *rowPtrC, const int *colIndC, size_t *bytes); \
	cusparseStatus_t cusparse##S##csrgeam2(cusparseHandle_t handle, int m, int n, const type *alpha, const cusparseMatDescr_t descrA, int nnzA, const type *valA, const int *rowPtrA, const int *colIndA, const type *beta, const cusparseMatDescr_t descrB, int nnzB, const type *valB, const int *rowPtrB, const int *colIndB, const cusparseMatDescr_t descrC, type *valC, int *rowPtrC, int *colIndC, void *buffer);
CT_CUSPARSE_GEAM(S, float)
CT_CUSPARSE_GEAM(D, double)
CT_CUSPARSE_GEAM(C, cuComplex)
CT_CUSPARSE_GEAM(Z, cuDoubleComplex)
#undef CT_CUSPARSE_GEAM
/* Triangles: op(A) * y = alpha * x, and op(A) * C = alpha * op(B). */
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, size_t *bufferSize);
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, void *buffer);
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr);
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, size_t *bufferSize);
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, void *buffer);
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr);
/* Incomplete factorizations: LU, and Cholesky's. */
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position);
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info);
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *position);
#define CT_CUSPARSE_FACTOR(S, name, info_t, type) \
	cusparseStatus_t cusparse##S##name##_bufferSize(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, type *val, const int *rowPtr, const int *colInd, info_t info, int *bytes); \
	cusparseStatus_t cusparse##S##name##_analysis(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const type *val, const int *rowPtr, const int *colInd, info_t info, cusparseSolvePolicy_t policy, void *buffer); \
	cusparseStatus_t cusparse##S##name(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, type *val, const int *rowPtr, const int *colInd, info_t info, cusparseSolvePolicy_t policy, void *buffer);
#define CT_CUSPARSE_FACTORS(S, type) \
	CT_CUSPARSE_FACTOR(S, csrilu02, csrilu02Info_t, type) \
	CT_CUSPARSE_FACTOR(S, csric02, csric02Info_t, type)
CT_CUSPARSE_FACTORS(S, float)
CT_CUSPARSE_FACTORS(D, double)
CT_CUSPARSE_FACTORS(C, cuComplex)
CT_CUSPARSE_FACTORS(Z, cuDoubleComplex)
#undef CT_CUSPARSE_FACTORS
#undef CT_CUSPARSE_FACTOR

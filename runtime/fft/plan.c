/* cuFFT: plans, what they are told, and how much room they need. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/fft/fft.h"
#include "runtime/runtime.h"

/* Plans that are there, and the last one's number; behind the lock. */
static struct ct_fft_plan *all;
static cufftHandle handles;

/* Where the list names the plan, or NULL. The caller has the lock. */
static struct ct_fft_plan **find(cufftHandle handle)
{
	for (struct ct_fft_plan **at = &all; *at; at = &(*at)->next)
		if ((*at)->handle == handle)
			return at;
	return NULL;
}

struct ct_fft_plan *ct_fft_known(cufftHandle handle)
{
	ct_cuda_lock();
	struct ct_fft_plan **at = find(handle), *p = at ? *at : NULL;
	ct_cuda_leave_quietly(cudaSuccess);
	return p;
}

cufftResult cufftCreate(cufftHandle *plan)
{
	if (!plan)
		return CUFFT_INVALID_VALUE;
	if (ct_cuda_begin_library() != CUDA_SUCCESS)
		return CUFFT_SETUP_FAILED;
	struct ct_fft_plan *p = ct_calloc(1, sizeof *p);
	if (!p)
		return CUFFT_ALLOC_FAILED;
	p->wants_own_work = 1;
	ct_cuda_lock();
	p->handle = ++handles;
	p->next = all;
	all = p;
	ct_cuda_leave_quietly(cudaSuccess);
	*plan = p->handle;
	return CUFFT_SUCCESS;
}

/* Memory that cudaDeviceReset has freed before is no mistake. */
cufftResult cufftDestroy(cufftHandle plan)
{
	ct_cuda_lock();
	struct ct_fft_plan **at = find(plan), *p = at ? *at : NULL;
	if (at)
		*at = p->next;
	ct_cuda_leave_quietly(cudaSuccess);
	if (!p)
		return CUFFT_INVALID_PLAN;
	if (p->tables)
		cuMemFree(p->tables);
	if (p->own_work)
		cuMemFree(p->own_work);
	free(p);
	return CUFFT_SUCCESS;
}

/* ---- plans are made ---- */

/* 1: two dimensions are transformed alike. */
static int is_same_way(const struct ct_fft_way *a, const struct ct_fft_way *b)
{
	int same = a->n == b->n && a->length == b->length && a->is_halved == b->is_halved &&
	           a->steps == b->steps;
	for (int s = 0; same && s < a->steps; s++)
		same = a->step[s].length == b->step[s].length;
	return same;
}

/* Makes the tables of all dimensions, and copies them to the device. */
static cufftResult make_tables(struct ct_fft_plan *p)
{
	struct ct_fft_tables t = {.is_double = p->is_double};
	for (int slot = 1; slot < CT_FFT_SLOTS; slot++) {
		int before = 1;
		while (before < slot && !is_same_way(&p->way[before], &p->way[slot]))
			before++;
		if (before < slot)
			p->way[slot] = p->way[before];
		else
			ct_fft_fill(&t, &p->way[slot]);
	}
	CUresult r = t.is_lost ? CUDA_ERROR_OUT_OF_MEMORY : cuMemAlloc(&p->tables, t.count);
	if (r == CUDA_SUCCESS)
		r = cuMemcpyHtoD(p->tables, t.bytes, t.count);
	free(t.bytes);
	return r == CUDA_SUCCESS               ? CUFFT_SUCCESS
	       : r == CUDA_ERROR_OUT_OF_MEMORY ? CUFFT_ALLOC_FAILED
	                                       : CUFFT_SETUP_FAILED;
}

static cufftResult make(cufftHandle plan, const struct ct_fft_request *r, size_t *bytes)
{
	struct ct_fft_plan *p = ct_fft_known(plan);
	if (!p || p->is_made)
		return CUFFT_INVALID_PLAN;
	if (!bytes)
		return CUFFT_INVALID_VALUE;
	cufftResult st = ct_fft_describe(p, r);
	if (st == CUFFT_SUCCESS)
		st = make_tables(p);
	if (st != CUFFT_SUCCESS)
		return st;
	*bytes = ct_fft_work_bytes(p);
	if (p->wants_own_work && *bytes > 0) {
		if (cuMemAlloc(&p->own_work, *bytes) != CUDA_SUCCESS) {
			cuMemFree(p->tables);
			p->tables = 0;
			return CUFFT_ALLOC_FAILED;
		}
		p->work = p->own_work;
	}
	p->is_made = 1;
	return CUFFT_SUCCESS;
}

/* What the plan would need. */
static cufftResult estimate(const struct ct_fft_request *r, size_t *bytes)
{
	struct ct_fft_plan p = {0};
	if (!bytes)
		return CUFFT_INVALID_VALUE;
	cufftResult st = ct_fft_describe(&p, r);
	if (st == CUFFT_SUCCESS)
		*bytes = ct_fft_work_bytes(&p);
	return st;
}
static cufftResult get_size(cufftHandle plan, const struct ct_fft_request *r, size_t *bytes)
{
	return ct_fft_known(plan) ? estimate(r, bytes) : CUFFT_INVALID_PLAN;
}
/* A plan of its own. */
static cufftResult create(cufftHandle *plan, const struct ct_fft_request *r)
{
	size_t bytes;
	cufftHandle made;
	cufftResult st = plan ? cufftCreate(&made) : CUFFT_INVALID_VALUE;
	if (st != CUFFT_SUCCESS)
		return st;
	st = make(made, r, &bytes);
	if (st == CUFFT_SUCCESS)
		*plan = made;
	else
		cufftDestroy(made);
	return st;
}

/* ---- the parameters of a request, as functions have them ---- */

#define ARRAY(dimensions, batches, ...) \
	const long long n_[] = {__VA_ARGS__}; \
	const struct ct_fft_request request = { \
		.rank = (dimensions), .n = n_, .batch = (batches), .type = type}

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
	ARRAY(1, batch, nx);
	return create(plan, &request);
}
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
	ARRAY(2, 1, nx, ny);
	return create(plan, &request);
}
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type)
{
	ARRAY(3, 1, nx, ny, nz);
	return create(plan, &request);
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize)
{
	ARRAY(1, batch, nx);
	return make(plan, &request, workSize);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize)
{
	ARRAY(2, 1, nx, ny);
	return make(plan, &request, workSize);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize)
{
	ARRAY(3, 1, nx, ny, nz);
	return make(plan, &request, workSize);
}
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize)
{
	ARRAY(1, batch, nx);
	return estimate(&request, workSize);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize)
{
	ARRAY(2, 1, nx, ny);
	return estimate(&request, workSize);
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize)
{
	ARRAY(3, 1, nx, ny, nz);
	return estimate(&request, workSize);
}
cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize)
{
	ARRAY(1, batch, nx);
	return get_size(plan, &request, workSize);
}
cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize)
{
	ARRAY(2, 1, nx, ny);
	return get_size(plan, &request, workSize);
}
cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize)
{
	ARRAY(3, 1, nx, ny, nz);
	return get_size(plan, &request, workSize);
}

/* Parameters of layouts, as wide numbers; a rank that is none is refused before they are read. */
struct wide {
	long long n[CT_FFT_LAST], in[CT_FFT_LAST], out[CT_FFT_LAST];
};
static const long long *widen(long long *to, int rank, const int *from)
{
	for (int d = 0; from && rank <= CT_FFT_LAST && d < rank; d++)
		to[d] = from[d];
	return from ? to : NULL;
}
#define LAID_OUT(n_, in_, out_) \
	const struct ct_fft_request request = { \
		.rank = rank, \
		.n = (n_), \
		.inembed = (in_), \
		.onembed = (out_), \
		.istride = istride, \
		.idist = idist, \
		.ostride = ostride, \
		.odist = odist, \
		.batch = batch, \
		.type = type}
#define WIDENED() \
	struct wide w; \
	LAID_OUT(widen(w.n, rank, n), widen(w.in, rank, inembed), widen(w.out, rank, onembed))

cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist,
                          int *onembed, int ostride, int odist, cufftType type, int batch)
{
	WIDENED();
	return create(plan, &request);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist,
                              int *onembed, int ostride, int odist, cufftType type, int batch,
                              size_t *workSize)
{
	WIDENED();
	return make(plan, &request, workSize);
}
cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *workSize)
{
	WIDENED();
	return estimate(&request, workSize);
}
cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist,
                             int *onembed, int ostride, int odist, cufftType type, int batch,
                             size_t *workSize)
{
	WIDENED();
	return get_size(plan, &request, workSize);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                long long int istride, long long int idist, long long int *onembed,
                                long long int ostride, long long int odist, cufftType type,
                                long long int batch, size_t *workSize)
{
	LAID_OUT(n, inembed, onembed);
	return make(plan, &request, workSize);
}
cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, long long int *onembed,
                               long long int ostride, long long int odist, cufftType type,
                               long long int batch, size_t *workSize)
{
	LAID_OUT(n, inembed, onembed);
	return get_size(plan, &request, workSize);
}

/* The transform of numbers of these types, or none. */
static cufftType type_of(cudaDataType in, cudaDataType out, cudaDataType execution)
{
	static const struct {
		cudaDataType in, out, execution;
		cufftType type;
	} types[] = {{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
	             {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
	             {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
	             {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
	             {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
	             {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].in == in && types[i].out == out && types[i].execution == execution)
			return types[i].type;
	return (cufftType)0;
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                long long int istride, long long int idist, cudaDataType inputtype,
                                long long int *onembed, long long int ostride, long long int odist,
                                cudaDataType outputtype, long long int batch, size_t *workSize,
                                cudaDataType executiontype)
{
	cufftType type = type_of(inputtype, outputtype, executiontype);
	LAID_OUT(n, inembed, onembed);
	return make(plan, &request, workSize);
}
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, cudaDataType inputtype,
                               long long int *onembed, long long int ostride, long long int odist,
                               cudaDataType outputtype, long long int batch, size_t *workSize,
                               cudaDataType executiontype)
{
	cufftType type = type_of(inputtype, outputtype, executiontype);
	LAID_OUT(n, inembed, onembed);
	return get_size(plan, &request, workSize);
}

/* ---- what plans are told and tell ---- */

cufftResult cufftGetSize(cufftHandle plan, size_t *workSize)
{
	const struct ct_fft_plan *p = ct_fft_known(plan);
	if (!p || !p->is_made)
		return CUFFT_INVALID_PLAN;
	if (!workSize)
		return CUFFT_INVALID_VALUE;
	*workSize = ct_fft_work_bytes(p);
	return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int autoAllocate)
{
	struct ct_fft_plan *p = ct_fft_known(plan);
	if (!p || p->is_made)
		return CUFFT_INVALID_PLAN;
	p->wants_own_work = autoAllocate != 0;
	return CUFFT_SUCCESS;
}

/* Work that still uses the plan's own area ends first. */
cufftResult cufftSetWorkArea(cufftHandle plan, void *workArea)
{
	struct ct_fft_plan *p = ct_fft_known(plan);
	if (!p || !p->is_made)
		return CUFFT_INVALID_PLAN;
	if (p->own_work &&
	    (cuStreamSynchronize(p->stream) != CUDA_SUCCESS || cuMemFree(p->own_work) != CUDA_SUCCESS))
		return CUFFT_EXEC_FAILED;
	p->own_work = 0;
	p->work = (CUdeviceptr)(uintptr_t)workArea;
	return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
	struct ct_fft_plan *p = ct_fft_known(plan);
	if (!p)
		return CUFFT_INVALID_PLAN;
	p->stream = stream;
	return CUFFT_SUCCESS;
}

cufftResult cufftGetVersion(int *version)
{
	if (!version)
		return CUFFT_INVALID_VALUE;
	*version = CUFFT_VERSION;
	return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
	if (!value || (unsigned)type > PATCH_LEVEL)
		return CUFFT_INVALID_VALUE;
	*value = parts[type];
	return CUFFT_SUCCESS;
}

/* ---- transforms of one type ---- */

static cufftResult execute(cufftHandle plan, cufftType type, void *in, void *out, int direction)
{
	struct ct_fft_plan *p = ct_fft_known(plan);
	if (!p || !p->is_made)
		return CUFFT_INVALID_PLAN;
	if (p->type != type)
		return CUFFT_INVALID_TYPE;
	if (!in || !out || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
		return CUFFT_INVALID_VALUE;
	return ct_fft_execute(p, in, out, direction == CUFFT_INVERSE);
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata, int direction)
{
	return execute(plan, CUFFT_C2C, idata, odata, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata,
                         int direction)
{
	return execute(plan, CUFFT_Z2Z, idata, odata, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata)
{
	return execute(plan, CUFFT_R2C, idata, odata, CUFFT_FORWARD);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata)
{
	return execute(plan, CUFFT_D2Z, idata, odata, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata)
{
	return execute(plan, CUFFT_C2R, idata, odata, CUFFT_INVERSE);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata)
{
	return execute(plan, CUFFT_Z2D, idata, odata, CUFFT_INVERSE);
}
/* Real transforms have one direction, whatever is said. */
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction)
{
	const struct ct_fft_plan *p = ct_fft_known(plan);
	if (!p)
		return CUFFT_INVALID_PLAN;
	if (ct_fft_is_from_real(p->type) || ct_fft_is_to_real(p->type))
		direction = ct_fft_is_to_real(p->type) ? CUFFT_INVERSE : CUFFT_FORWARD;
	return execute(plan, p->type, input, output, direction);
}

/* cuRAND: generators, what they are told, and tables that programs ask for. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/rand/rand.h"
#include "runtime/runtime.h"

/* Generators that are there, behind the lock: a destroyed one is told from them. */
static curandGenerator_t all;

curandStatus_t ct_rand_status(CUresult result)
{
	switch (result) {
	case CUDA_SUCCESS: return CURAND_STATUS_SUCCESS;
	case CUDA_ERROR_OUT_OF_MEMORY: return CURAND_STATUS_ALLOCATION_FAILED;
	case CUDA_ERROR_NOT_INITIALIZED: return CURAND_STATUS_INITIALIZATION_FAILED;
	default: return CURAND_STATUS_LAUNCH_FAILURE;
	}
}

CUresult ct_rand_copy_out(CUdeviceptr *at, const void *bytes, size_t n)
{
	CUresult r = CUDA_SUCCESS;
	if (*at)
		r = cuMemFree(*at);
	*at = 0;
	if (r == CUDA_SUCCESS)
		r = cuMemAlloc(at, n);
	if (r == CUDA_SUCCESS)
		r = cuMemcpyHtoD(*at, bytes, n);
	return r;
}

/* Where the list names the generator, or NULL. The caller has the lock. */
static curandGenerator_t *find(curandGenerator_t generator)
{
	for (curandGenerator_t *at = &all; *at; at = &(*at)->next)
		if (*at == generator)
			return at;
	return NULL;
}

curandGenerator_t ct_rand_known(curandGenerator_t generator)
{
	ct_cuda_lock();
	curandGenerator_t *at = find(generator), known = at ? *at : NULL;
	ct_cuda_leave_quietly(cudaSuccess);
	return known;
}

/* MTGP32 is none: its table of parameters is not here. */
static int is_type(curandRngType_t type)
{
	switch (type) {
	case CURAND_RNG_PSEUDO_XORWOW:
	case CURAND_RNG_PSEUDO_MRG32K3A:
	case CURAND_RNG_PSEUDO_MT19937:
	case CURAND_RNG_PSEUDO_PHILOX4_32_10:
	case CURAND_RNG_QUASI_SOBOL32:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
	case CURAND_RNG_QUASI_SOBOL64:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: return 1;
	default: return 0;
	}
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, int host)
{
	if (type == CURAND_RNG_PSEUDO_DEFAULT)
		type = CURAND_RNG_PSEUDO_XORWOW;
	if (type == CURAND_RNG_QUASI_DEFAULT)
		type = CURAND_RNG_QUASI_SOBOL32;
	if (!is_type(type))
		return CURAND_STATUS_TYPE_ERROR;
	if (!generator)
		return CURAND_STATUS_OUT_OF_RANGE;
	if (!host && ct_cuda_begin_library() != CUDA_SUCCESS)
		return CURAND_STATUS_INITIALIZATION_FAILED;
	curandGenerator_t g = ct_calloc(1, sizeof *g);
	if (!g)
		return CURAND_STATUS_ALLOCATION_FAILED;
	g->type = type;
	g->host = host;
	g->dimensions = 1;
	g->seed = type == CURAND_RNG_PSEUDO_MT19937 ? 5489 : 0; /* its authors' */
	ct_cuda_lock();
	g->next = all;
	all = g;
	ct_cuda_leave_quietly(cudaSuccess);
	*generator = g;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
	return create(generator, type, 0);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
	return create(generator, type, 1);
}

/* Memory that cudaDeviceReset has freed before is no mistake. */
curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
	ct_cuda_lock();
	curandGenerator_t *at = find(generator);
	if (at)
		*at = generator->next;
	ct_cuda_leave_quietly(cudaSuccess);
	if (!at)
		return CURAND_STATUS_NOT_INITIALIZED;
	const CUdeviceptr copies[] = {generator->state_copy, generator->words, generator->sums_copy};
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
		if (copies[i])
			cuMemFree(copies[i]);
	free(generator->state);
	free(generator->sums.sums);
	free(generator);
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
	if (!version)
		return CURAND_STATUS_OUT_OF_RANGE;
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
	if (!value || (unsigned)type > PATCH_LEVEL)
		return CURAND_STATUS_OUT_OF_RANGE;
	*value = parts[type];
	return CURAND_STATUS_SUCCESS;
}

/* ---- what generators are told: all but the stream begins them anew ---- */

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
	if (!ct_rand_known(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->stream = stream;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
	if (!ct_rand_known(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (ct_rand_is_quasi(generator->type))
		return CURAND_STATUS_TYPE_ERROR;
	generator->seed = seed;
	generator->seeded = 0;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
	if (!ct_rand_known(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (generator->type == CURAND_RNG_PSEUDO_MT19937)
		return CURAND_STATUS_TYPE_ERROR;
	generator->offset = offset;
	generator->seeded = 0;
	return CURAND_STATUS_SUCCESS;
}

/* There is one order. */
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
	if (!ct_rand_known(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (ct_rand_is_quasi(generator->type)
	            ? order != CURAND_ORDERING_QUASI_DEFAULT
	            : order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC)
		return CURAND_STATUS_OUT_OF_RANGE;
	generator->seeded = 0;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int dimensions)
{
	if (!ct_rand_known(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!ct_rand_is_quasi(generator->type))
		return CURAND_STATUS_TYPE_ERROR;
	if (dimensions == 0 || dimensions > CT_RAND_DIMENSIONS)
		return CURAND_STATUS_OUT_OF_RANGE;
	generator->dimensions = dimensions;
	generator->seeded = 0;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
	if (!ct_rand_known(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	return ct_rand_seed(generator);
}

/* ---- tables, which stay ---- */

/* The table of that many bytes, which is made in the first call: *table, or NULL without memory. */
static void *find_table(void **table, size_t bytes, void (*fill)(void *))
{
	ct_cuda_lock();
	void *t = *table ? *table : ct_calloc(1, bytes);
	if (t && !*table)
		fill(t);
	*table = t;
	ct_cuda_leave_quietly(cudaSuccess);
	return t;
}

#define TABLE(name, type, expression) \
	static void fill_##name(void *to) \
	{ \
		type *rows = to; \
		for (unsigned i = 0; i < CT_RAND_DIMENSIONS; i++) \
			expression; \
	} \
	static type *name(void) \
	{ \
		static void *table; \
		return find_table(&table, CT_RAND_DIMENSIONS * sizeof(type), fill_##name); \
	}
TABLE(directions32, curandDirectionVectors32_t, ct_rand_directions32(i, rows[i]))
TABLE(directions64, curandDirectionVectors64_t, ct_rand_directions64(i, rows[i]))
TABLE(scrambles32, unsigned int, rows[i] = (unsigned int)ct_rand_scramble(i))
TABLE(scrambles64, unsigned long long, rows[i] = ct_rand_scramble(i))

curandStatus_t
curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set)
{
	if (!vectors || (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 &&
	                 set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6))
		return CURAND_STATUS_OUT_OF_RANGE;
	*vectors = directions32();
	return *vectors ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

curandStatus_t
curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set)
{
	if (!vectors || (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 &&
	                 set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6))
		return CURAND_STATUS_OUT_OF_RANGE;
	*vectors = directions64();
	return *vectors ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

curandStatus_t curandGetScrambleConstants32(unsigned int **constants)
{
	if (!constants)
		return CURAND_STATUS_OUT_OF_RANGE;
	*constants = scrambles32();
	return *constants ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

curandStatus_t curandGetScrambleConstants64(unsigned long long **constants)
{
	if (!constants)
		return CURAND_STATUS_OUT_OF_RANGE;
	*constants = scrambles64();
	return *constants ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

/* cuRAND: arrays of numbers. */
#include <stdio.h>

#include "runtime/rand/rand.h"
#include "runtime/runtime.h"

static struct ct_cuda_own_library library = {.name = "cuRAND"};
static struct ct_cuda_kernel_file xorwow = {.library = &library, .name = "rand/xorwow"},
				  mrg32k3a = {.library = &library, .name = "rand/mrg32k3a"},
				  philox = {.library = &library, .name = "rand/philox"},
				  mt19937 = {.library = &library, .name = "rand/mt19937"},
				  sobol = {.library = &library, .name = "rand/sobol"};

/* The kernels of a generator, and what their names have of it. */
static struct ct_cuda_kernel_file *kernels_of(curandRngType_t type, const char **name)
{
	switch (type) {
	case CURAND_RNG_PSEUDO_XORWOW: *name = "xorwow"; return &xorwow;
	case CURAND_RNG_PSEUDO_MRG32K3A: *name = "mrg32k3a"; return &mrg32k3a;
	case CURAND_RNG_PSEUDO_PHILOX4_32_10: *name = "philox"; return &philox;
	case CURAND_RNG_PSEUDO_MT19937: *name = "mt19937"; return &mt19937;
	default: *name = ct_rand_is_long(type) ? "sobol64" : "sobol32"; return &sobol;
	}
}

/* MT19937: one CTA writes all words that the items want, in whole vectors of four, for the kernel that g is for. */
static CUresult write_words(curandGenerator_t generator, uint64_t words, struct ct_rand_arguments *g)
{
	CUresult r = CUDA_SUCCESS;
	size_t bytes = (size_t)(words + 3) / 4 * 4 * sizeof(uint32_t);
	if (bytes > generator->words_bytes) {
		if (generator->words)
			r = cuMemFree(generator->words);
		generator->words = 0;
		generator->words_bytes = 0;
		if (r == CUDA_SUCCESS)
			r = cuMemAlloc(&generator->words, bytes);
		if (r != CUDA_SUCCESS)
			return r;
		generator->words_bytes = bytes;
	}
	struct ct_rand_arguments all = {
		.to = (void *)(uintptr_t)generator->words, .from = g->from, .items = words};
	g->from = all.to;
	return ct_cuda_launch_own(
		&mt19937, "ct_rand_mt19937", (struct ct_cuda_grid){1, 1, 1, CT_RAND_THREADS}, &all,
		generator->stream);
}

/* Launches what makes the items. Grids do not depend on the board. */
static CUresult launch(curandGenerator_t generator, enum ct_rand_kind kind, struct ct_rand_arguments *g)
{
	static const char *const kinds[] = {
		"bits",          "uniform",    "uniform_double",    "normal",
		"normal_double", "log_normal", "log_normal_double", "discrete"};
	enum { CTAS_MAX = 1024 };
	const char *name;
	char kernel[64];
	struct ct_cuda_kernel_file *file = kernels_of(generator->type, &name);
	uint64_t words = ct_rand_words(generator->type, kind), threads = g->items;
	struct ct_cuda_grid grid = {1, 1, 1, CT_RAND_THREADS};
	if (generator->type == CURAND_RNG_PSEUDO_MT19937) {
		CUresult r = write_words(generator, g->items * words, g);
		if (r != CUDA_SUCCESS)
			return r;
	}
	if (ct_rand_takes_turns(generator->type))
		threads = CT_RAND_SEQUENCES;
	else if (!ct_rand_is_quasi(generator->type))
		threads = (g->first % 4 + g->items * words + 3) / 4;
	grid.x = (int64_t)((threads + CT_RAND_THREADS - 1) / CT_RAND_THREADS);
	if (grid.x > CTAS_MAX)
		grid.x = CTAS_MAX;
	grid.y = generator->dimensions;
	snprintf(kernel, sizeof kernel, "ct_rand_%s_%s", name, kinds[kind]);
	return ct_cuda_launch_own(file, kernel, grid, g, generator->stream);
}

/* Writes items from generator->first on, and moves on behind them. */
static curandStatus_t make(curandGenerator_t generator, enum ct_rand_kind kind,
                           struct ct_rand_arguments *g)
{
	unsigned words = ct_rand_words(generator->type, kind);
	uint64_t *first = &generator->first;
	if (generator->type == CURAND_RNG_PSEUDO_MT19937)
		*first = 0;
	if (generator->type == CURAND_RNG_PSEUDO_PHILOX4_32_10) /* an item's words are of one block */
		*first = (*first + words - 1) / words * words;
	g->first = *first;
	g->key = generator->seed;
	g->from = generator->host ? generator->state : (void *)(uintptr_t)generator->state_copy;
	if (generator->host) {
		ct_rand_draw(generator, kind, g);
	} else {
		CUresult r = launch(generator, kind, g);
		if (r != CUDA_SUCCESS)
			return ct_rand_status(r);
	}
	if (ct_rand_takes_turns(generator->type))
		*first = (*first + g->items) % CT_RAND_SEQUENCES;
	else
		*first += g->items * words;
	return CURAND_STATUS_SUCCESS;
}

/* A kernel's fault stays: nothing can be launched after it. */
static int has_failed(void)
{
	cudaError_t fault = ct_cuda_enter();
	ct_cuda_leave_quietly(cudaSuccess);
	return fault != cudaSuccess;
}

/* Checks that n results can be asked for, and seeds where that has not been done. */
static curandStatus_t begin(curandGenerator_t generator, enum ct_rand_kind kind, size_t n)
{
	if (!ct_rand_known(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (n % ct_rand_results(generator->type, kind) != 0 ||
	    (ct_rand_is_quasi(generator->type) && n % generator->dimensions != 0))
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	if (!generator->host && has_failed())
		return CURAND_STATUS_PREEXISTING_FAILURE;
	return generator->seeded ? CURAND_STATUS_SUCCESS : ct_rand_seed(generator);
}

static curandStatus_t generate(curandGenerator_t generator, enum ct_rand_kind kind, void *output,
                               size_t n, double mean, double deviation)
{
	curandStatus_t st = begin(generator, kind, n);
	if (st != CURAND_STATUS_SUCCESS || n == 0)
		return st;
	size_t each = ct_rand_is_quasi(generator->type) ? generator->dimensions
	                                                : ct_rand_results(generator->type, kind);
	struct ct_rand_arguments g = {
		.to = output, .items = n / each, .mean = mean, .deviation = deviation};
	return make(generator, kind, &g);
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *output, size_t n)
{
	if (ct_rand_known(generator) && ct_rand_is_long(generator->type))
		return CURAND_STATUS_TYPE_ERROR;
	return generate(generator, CT_RAND_BITS, output, n, 0, 0);
}

curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *output, size_t n)
{
	if (ct_rand_known(generator) && !ct_rand_is_long(generator->type))
		return CURAND_STATUS_TYPE_ERROR;
	return generate(generator, CT_RAND_BITS, output, n, 0, 0);
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *output, size_t n)
{
	return generate(generator, CT_RAND_UNIFORM, output, n, 0, 0);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *output, size_t n)
{
	return generate(generator, CT_RAND_UNIFORM_DOUBLE, output, n, 0, 0);
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *output, size_t n, float mean,
                                    float stddev)
{
	return generate(generator, CT_RAND_NORMAL, output, n, mean, stddev);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *output, size_t n,
                                          double mean, double stddev)
{
	return generate(generator, CT_RAND_NORMAL_DOUBLE, output, n, mean, stddev);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *output, size_t n, float mean,
                                       float stddev)
{
	return generate(generator, CT_RAND_LOG_NORMAL, output, n, mean, stddev);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *output, size_t n,
                                             double mean, double stddev)
{
	return generate(generator, CT_RAND_LOG_NORMAL_DOUBLE, output, n, mean, stddev);
}

/* ---- whole numbers ---- */

/* Makes the sums of the distribution where the last call has not, and copies them to the device. */
static curandStatus_t find_sums(curandGenerator_t generator, double mean, double trials)
{
	if (generator->sums.sums && generator->sums_mean == mean && generator->sums_trials == trials)
		return CURAND_STATUS_SUCCESS;
	if (ct_rand_sum_up(mean, trials, &generator->sums) != 0)
		return CURAND_STATUS_ALLOCATION_FAILED;
	generator->sums_mean = -1; /* none, until they are where they are wanted */
	if (!generator->host) {
		CUresult r = ct_rand_copy_out(&generator->sums_copy, generator->sums.sums,
		                              generator->sums.count * sizeof(double));
		if (r != CUDA_SUCCESS)
			return ct_rand_status(r);
	}
	generator->sums_mean = mean;
	generator->sums_trials = trials;
	return CURAND_STATUS_SUCCESS;
}

static curandStatus_t
generate_discrete(curandGenerator_t generator, unsigned *output, size_t n, double mean, double trials)
{
	curandStatus_t st = begin(generator, CT_RAND_DISCRETE, n);
	if (st == CURAND_STATUS_SUCCESS && n > 0)
		st = find_sums(generator, mean, trials);
	if (st != CURAND_STATUS_SUCCESS || n == 0)
		return st;
	struct ct_rand_arguments g = {
		.to = output,
		.items = ct_rand_is_quasi(generator->type) ? n / generator->dimensions : n,
		.sums = generator->host ? generator->sums.sums
	                                : (const double *)(uintptr_t)generator->sums_copy,
		.least = generator->sums.least,
		.count = generator->sums.count};
	return make(generator, CT_RAND_DISCRETE, &g);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *output, size_t n,
                                     double lambda)
{
	if (ct_rand_known(generator) && !(lambda > 0 && lambda <= 400000))
		return CURAND_STATUS_OUT_OF_RANGE;
	return generate_discrete(generator, output, n, lambda, 0);
}

/* Without trials all numbers are 0, as they are where p is. */
curandStatus_t curandGenerateBinomial(curandGenerator_t generator, unsigned int *output, size_t num,
                                      unsigned int n, double p)
{
	if (ct_rand_known(generator) && !(p >= 0 && p <= 1))
		return CURAND_STATUS_OUT_OF_RANGE;
	double trials = n == 0 ? 1 : n;
	return generate_discrete(generator, output, num, n * p, trials);
}

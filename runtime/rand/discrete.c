/* cuRAND: sums of probabilities of whole numbers, and the distribution that kernels are given by curandCreatePoissonDistribution(). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/rand/rand.h"

/* How much more probable k + 1 is than k. */
static double ratio(double mean, double trials, double k)
{
	return trials == 0 ? mean / (k + 1) : (trials - k) / (k + 1) * (mean / (trials - mean));
}

/* Probabilities are relative to the most probable number's, and end where they are too small to be met in numbers of 53 bits. */
int ct_rand_sum_up(double mean, double trials, struct ct_rand_sums *out)
{
	const double small = 1e-20;
	int alone = trials != 0 && (mean <= 0 || mean >= trials); /* no other number can be */
	double top = floor(mean);
	double least = top, most = top;
	for (double p = 1; !alone && least > 0 && p > small; least--)
		p /= ratio(mean, trials, least - 1);
	for (double p = 1; !alone && (trials == 0 || most < trials) && p > small; most++)
		p *= ratio(mean, trials, most);
	size_t count = (size_t)(most - least) + 1, at = (size_t)(top - least);
	double *sums = ct_calloc(count, sizeof *sums);
	if (!sums)
		return -1;
	sums[at] = 1;
	for (size_t i = at; i > 0; i--)
		sums[i - 1] = sums[i] / ratio(mean, trials, least + (double)(i - 1));
	for (size_t i = at + 1; i < count; i++)
		sums[i] = sums[i - 1] * ratio(mean, trials, least + (double)(i - 1));
	for (size_t i = 1; i < count; i++)
		sums[i] += sums[i - 1];
	for (size_t i = 0; i < count; i++) /* the last comes last */
		sums[i] /= sums[count - 1];
	free(out->sums);
	*out = (struct ct_rand_sums){.sums = sums, .least = (uint32_t)least, .count = (uint32_t)count};
	return 0;
}

/* The structure lies in front of the sums, in one allocation of the device. */
curandStatus_t curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t *distribution)
{
	enum { FRONT = 256 };
	struct ct_rand_sums sums = {0};
	if (!distribution || !(lambda > 0) || lambda > 400000)
		return CURAND_STATUS_OUT_OF_RANGE;
	if (ct_rand_sum_up(lambda, 0, &sums) != 0)
		return CURAND_STATUS_ALLOCATION_FAILED;
	size_t bytes = sums.count * sizeof *sums.sums;
	CUdeviceptr at = 0;
	CUresult r = ct_cuda_begin_library();
	if (r == CUDA_SUCCESS)
		r = cuMemAlloc(&at, FRONT + bytes);
	if (r == CUDA_SUCCESS) {
		struct curandDiscreteDistribution_st front = {
			.first = sums.least,
			.count = sums.count,
			.sums = (const double *)(uintptr_t)(at + FRONT)};
		r = cuMemcpyHtoD(at, &front, sizeof front);
		if (r == CUDA_SUCCESS)
			r = cuMemcpyHtoD(at + FRONT, sums.sums, bytes);
		if (r != CUDA_SUCCESS)
			cuMemFree(at);
	}
	free(sums.sums);
	if (r == CUDA_SUCCESS)
		*distribution = (curandDiscreteDistribution_t)(uintptr_t)at;
	return ct_rand_status(r);
}

curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution)
{
	CUresult r = cuMemFree((CUdeviceptr)(uintptr_t)distribution);
	return r == CUDA_SUCCESS && distribution ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

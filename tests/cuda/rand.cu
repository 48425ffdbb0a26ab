/* cuRAND's host interface: numbers of the device and of the host beside each other, beside curand_kernel.h and beside twins of other makers;
 * means and variances; seeds, offsets and statuses. */
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <curand.h>
#include <curand_kernel.h>

#include "expect.h"

/* Numbers that are not whole. */
static void near(const char *what, double got, double want, double tolerance = 0)
{
	if (std::fabs(got - want) <= tolerance)
		return;
	printf("%s: %.17g, not %.17g\n", what, got, want);
	failures++;
}

#define GIVES(status, call) expect(#call, call, status)
#define GOOD(call) GIVES(CURAND_STATUS_SUCCESS, call)

static const curandRngType_t pseudo[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                                         CURAND_RNG_PSEUDO_MT19937};
static const curandRngType_t quasi[] = {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64,
                                        CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};

/* ---- calls by the type of results ---- */

static curandStatus_t draw_bits(curandGenerator_t g, unsigned *p, size_t n)
{
	return curandGenerate(g, p, n);
}
static curandStatus_t draw_longs(curandGenerator_t g, unsigned long long *p, size_t n)
{
	return curandGenerateLongLong(g, p, n);
}
static curandStatus_t draw_poisson(curandGenerator_t g, unsigned *p, size_t n)
{
	return curandGeneratePoisson(g, p, n, 3.5);
}
static curandStatus_t draw_large_poisson(curandGenerator_t g, unsigned *p, size_t n)
{
	return curandGeneratePoisson(g, p, n, 10000.25);
}
static curandStatus_t draw_binomial(curandGenerator_t g, unsigned *p, size_t n)
{
	return curandGenerateBinomial(g, p, n, 40, 0.3);
}
static curandStatus_t draw_uniform(curandGenerator_t g, float *p, size_t n)
{
	return curandGenerateUniform(g, p, n);
}
static curandStatus_t draw_uniform_double(curandGenerator_t g, double *p, size_t n)
{
	return curandGenerateUniformDouble(g, p, n);
}
static curandStatus_t draw_normal(curandGenerator_t g, float *p, size_t n)
{
	return curandGenerateNormal(g, p, n, 5, 2);
}
static curandStatus_t draw_normal_double(curandGenerator_t g, double *p, size_t n)
{
	return curandGenerateNormalDouble(g, p, n, 5, 2);
}
static curandStatus_t draw_log_normal(curandGenerator_t g, float *p, size_t n)
{
	return curandGenerateLogNormal(g, p, n, 0, 0.5f);
}
static curandStatus_t draw_log_normal_double(curandGenerator_t g, double *p, size_t n)
{
	return curandGenerateLogNormalDouble(g, p, n, 0, 0.5);
}

/* ---- generators ---- */

static curandGenerator_t create(curandRngType_t type, bool host, unsigned dimensions = 1)
{
	curandGenerator_t g;
	GOOD(host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type));
	if (dimensions > 1)
		GOOD(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
	return g;
}

/* The next n numbers of a generator, with one more behind them that must stay as it is. */
template <class T> static std::vector<T> next(curandGenerator_t g, bool host, size_t n, curandStatus_t (*call)(curandGenerator_t, T *, size_t))
{
	std::vector<T> v(n + 1, T(77));
	T *to = v.data(), *device = nullptr;
	if (!host) {
		cudaMalloc((void **)&device, (n + 1) * sizeof(T));
		cudaMemcpy(device, to, (n + 1) * sizeof(T), cudaMemcpyHostToDevice);
	}
	GOOD(call(g, host ? to : device, n));
	if (!host) {
		cudaMemcpy(to, device, (n + 1) * sizeof(T), cudaMemcpyDeviceToHost);
		cudaFree(device);
	}
	near("what lies behind the numbers", double(v[n]), 77);
	v.pop_back();
	return v;
}

/* The largest difference, relative to numbers above 1. */
template <class T> static double differ(const std::vector<T> &a, const std::vector<T> &b)
{
	double most = a.size() == b.size() ? 0 : INFINITY;
	for (size_t i = 0; i < a.size() && i < b.size(); i++) {
		double d = a[i] > b[i] ? double(a[i] - b[i]) : double(b[i] - a[i]);
		most = std::max(most, d / std::max(1.0, std::fabs(double(b[i]))));
	}
	return most;
}

/* Device and host give the same in three calls of sizes that share blocks and turns; mean and variance are the distribution's. */
template <class T>
static void check(curandRngType_t type, unsigned dimensions, const char *name, curandStatus_t (*call)(curandGenerator_t, T *, size_t), double mean,
                  double variance, double last_digits)
{
	static const size_t sizes[] = {6, 4094, 1500};
	curandGenerator_t device = create(type, false, dimensions), host = create(type, true, dimensions);
	double sum = 0, squares = 0, n = 0;
	for (size_t size : sizes) {
		std::vector<T> a = next(device, false, size * dimensions, call), b = next(host, true, size * dimensions, call);
		expect(name, differ(a, b) <= last_digits, 1);
		for (T v : a) {
			sum += double(v);
			squares += (double(v) - mean) * (double(v) - mean);
			n++;
		}
	}
	/* five standard errors of means and, with at most 15 for the fourth moment, of variances */
	expect(name, std::fabs(sum / n - mean) < 5 * std::sqrt(variance / n), 1);
	expect(name, std::fabs(squares / n - variance) < 5 * variance * std::sqrt(15 / n), 1);
	GOOD(curandDestroyGenerator(device));
	GOOD(curandDestroyGenerator(host));
}

static void check_distributions(curandRngType_t type, unsigned dimensions)
{
	bool is_long = type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
	double high = std::exp(0.125), spread = std::exp(0.25) * (std::exp(0.25) - 1);
	if (is_long)
		check(type, dimensions, "longs", draw_longs, 9223372036854775808.0, std::ldexp(1, 128) / 12, 0);
	else
		check(type, dimensions, "bits", draw_bits, 2147483648.0, std::ldexp(1, 64) / 12, 0);
	check(type, dimensions, "uniform", draw_uniform, 0.5, 1.0 / 12, 0);
	check(type, dimensions, "uniform double", draw_uniform_double, 0.5, 1.0 / 12, 0);
	check(type, dimensions, "normal", draw_normal, 5, 4, 1e-6);
	check(type, dimensions, "normal double", draw_normal_double, 5, 4, 1e-14);
	check(type, dimensions, "log normal", draw_log_normal, high, spread, 1e-6);
	check(type, dimensions, "log normal double", draw_log_normal_double, high, spread, 1e-14);
	check(type, dimensions, "Poisson", draw_poisson, 3.5, 3.5, 0);
	check(type, dimensions, "large Poisson", draw_large_poisson, 10000.25, 10000.25, 0);
	check(type, dimensions, "binomial", draw_binomial, 12, 8.4, 0);
}

/* ---- seeds and offsets ---- */

/* An offset is as many numbers left out; the same seed gives the same, another one others. */
static void check_seeds(curandRngType_t type)
{
	static const size_t offsets[] = {1, 5, 4096, 12345};
	curandGenerator_t g = create(type, false);
	GOOD(curandSetPseudoRandomGeneratorSeed(g, 99));
	std::vector<unsigned> all = next(g, false, 16384, draw_bits);
	for (size_t offset : offsets) {
		if (type == CURAND_RNG_PSEUDO_MT19937) {
			GIVES(CURAND_STATUS_TYPE_ERROR, curandSetGeneratorOffset(g, offset));
			continue;
		}
		GOOD(curandSetGeneratorOffset(g, offset));
		std::vector<unsigned> part = next(g, false, 3000, draw_bits);
		expect("numbers from an offset", memcmp(part.data(), all.data() + offset, 3000 * sizeof(unsigned)), 0);
	}
	if (type != CURAND_RNG_PSEUDO_MT19937)
		GOOD(curandSetGeneratorOffset(g, 0));
	GOOD(curandSetPseudoRandomGeneratorSeed(g, 99));
	near("the same seed", differ(next(g, false, 500, draw_bits), std::vector<unsigned>(all.begin(), all.begin() + 500)), 0);
	GOOD(curandSetPseudoRandomGeneratorSeed(g, 1ull << 40 | 99));
	GOOD(curandGenerateSeeds(g));
	std::vector<unsigned> other = next(g, false, 500, draw_bits);
	int same = 0;
	for (size_t i = 0; i < other.size(); i++)
		same += other[i] == all[i];
	expect("another seed", same, 0);
	GOOD(curandDestroyGenerator(g));
}

/* An offset of a number that no loop would reach: a part of the way and the rest are the whole, as steps are of a group. */
static void check_far(curandRngType_t type)
{
	curandGenerator_t g = create(type, true);
	GOOD(curandSetGeneratorOffset(g, (1ull << 62) + 4096));
	std::vector<unsigned> far = next(g, true, 4096, draw_bits);
	GOOD(curandSetGeneratorOffset(g, 1ull << 62));
	next(g, true, 4096, draw_bits);
	near("far numbers", differ(next(g, true, 4096, draw_bits), far), 0);
	GOOD(curandDestroyGenerator(g));
}

/* ---- twins ---- */

/* What curand_kernel.h has for number i of a generator whose sequences take turns. */
template <class S> __global__ void draw_turns(unsigned long long seed, unsigned long long first, unsigned *o, float2 *normal)
{
	unsigned long long i = first + threadIdx.x;
	S s;
	curand_init(seed, i % 4096, i / 4096, &s);
	o[threadIdx.x] = curand(&s);
	curand_init(seed, i % 4096, i / 4096, &s);
	normal[threadIdx.x] = curand_normal2(&s);
}
template <class S> static void check_turns(curandRngType_t type)
{
	enum { N = 8 };
	unsigned *o;
	float2 *pairs;
	cudaMallocManaged(&o, N * sizeof *o);
	cudaMallocManaged(&pairs, N * sizeof *pairs);
	curandGenerator_t g = create(type, false);
	GOOD(curandSetPseudoRandomGeneratorSeed(g, 7));
	GOOD(curandSetGeneratorOffset(g, 3 * 4096 - 4));
	draw_turns<S><<<1, N>>>(7, 3 * 4096 - 4, o, pairs);
	cudaDeviceSynchronize();
	expect("numbers by turns", memcmp(next(g, false, N, draw_bits).data(), o, N * sizeof *o), 0);
	GOOD(curandSetGeneratorOffset(g, 3 * 4096 - 4));
	std::vector<float> normal = next(g, false, 2 * N, draw_normal);
	for (int i = 0; i < N; i++) {
		near("a pair by turns", normal[2 * i], 5 + 2 * pairs[i].x, 1e-6);
		near("a pair by turns", normal[2 * i + 1], 5 + 2 * pairs[i].y, 1e-6);
	}
	GOOD(curandDestroyGenerator(g));
	cudaFree(o);
	cudaFree(pairs);
}

/* The first doubles of L'Ecuyer's generator from 12345 six times, as he prints them; they are of the first sequence, every 4096th number. */
static void check_mrg()
{
	static const double want[] = {0.127011122046577, 0.318527565396795, 0.309186015583270, 0.825846862927114, 0.221629915782023};
	curandGenerator_t g = create(CURAND_RNG_PSEUDO_MRG32K3A, false);
	std::vector<double> v = next(g, false, 4 * 4096 + 1, draw_uniform_double);
	for (int i = 0; i < 5; i++)
		near("MRG32k3a", v[i * 4096], want[i], 1e-14);
	GOOD(curandDestroyGenerator(g));
}

/* The library's own MT19937. */
static void check_twister()
{
	curandGenerator_t g = create(CURAND_RNG_PSEUDO_MT19937, false);
	std::mt19937 twin;
	std::vector<unsigned> v = next(g, false, 10000, draw_bits);
	int wrong = 0;
	for (unsigned x : v)
		wrong += x != twin();
	expect("MT19937", wrong, 0);
	near("MT19937's 10000th number", v[9999], 4123659995u);
	GOOD(curandSetPseudoRandomGeneratorSeed(g, 3000000000u));
	twin.seed(3000000000u);
	for (unsigned x : next(g, false, 700, draw_bits))
		wrong += x != twin();
	expect("MT19937 of another seed", wrong, 0);
	GOOD(curandDestroyGenerator(g));
}

/* Philox of counters in order, with the seed as key. */
static void check_philox()
{
	static const unsigned want[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}; /* Salmon et al. */
	curandGenerator_t g = create(CURAND_RNG_PSEUDO_PHILOX4_32_10, false);
	expect("Philox", memcmp(next(g, false, 4, draw_bits).data(), want, sizeof want), 0);
	GOOD(curandSetGeneratorOffset(g, 1));
	std::vector<double> odd = next(g, false, 9, draw_uniform_double);
	GOOD(curandSetGeneratorOffset(g, 2));
	near("a double has words of one counter", differ(next(g, false, 9, draw_uniform_double), odd), 0);
	GOOD(curandDestroyGenerator(g));
}

/* ---- points ---- */

__global__ void draw_points(unsigned (*directions)[32], unsigned long long (*directions64)[64], float *o, double *o64)
{
	curandStateSobol32 s;
	curandStateScrambledSobol64 s64;
	curand_init(directions[threadIdx.x], 5, &s);
	curand_init(directions64[threadIdx.x], 0, 5, &s64);
	for (int i = 0; i < 3; i++) {
		o[threadIdx.x * 3 + i] = curand_uniform(&s);
		o64[threadIdx.x * 3 + i] = curand_normal_double(&s64);
	}
}

/* Every dimension has one of 1024 points in each of 1024 intervals, from any multiple of 1024 on; the first two have one in each of 32 x 32
 * squares. */
static void check_intervals(curandRngType_t type)
{
	enum { N = 1024, D = 481 };
	curandGenerator_t g = create(type, true, D);
	GOOD(curandSetGeneratorOffset(g, 3 * N));
	std::vector<double> v = next(g, true, D * N, draw_uniform_double);
	int twice = 0;
	for (int d = 0; d < D; d++) {
		std::vector<char> seen(N);
		for (int i = 0; i < N; i++)
			twice += seen[size_t(v[d * N + i] * N)]++;
	}
	std::vector<char> square(N);
	for (int i = 0; i < N; i++)
		twice += square[size_t(v[i] * 32) * 32 + size_t(v[N + i] * 32)]++;
	expect("points that share an interval", twice, 0);
	GOOD(curandDestroyGenerator(g));
}

static void check_sobol()
{
	static const double first[] = {0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125}, second[] = {0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625};
	enum { D = 40, N = 8 };
	curandGenerator_t g = create(CURAND_RNG_QUASI_SOBOL32, false, D), g64 = create(CURAND_RNG_QUASI_SOBOL64, false, D);
	std::vector<float> v = next(g, false, D * N, draw_uniform);
	std::vector<double> v64 = next(g64, false, D * N, draw_normal_double);
	for (int i = 0; i < N; i++) {
		near("Sobol's first dimension", v[i], first[i], 1e-9);
		near("Sobol's second dimension", v[N + i], second[i], 1e-9);
	}
	curandDirectionVectors32_t *host, *device;
	curandDirectionVectors64_t *host64, *device64;
	GOOD(curandGetDirectionVectors32(&host, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
	GOOD(curandGetDirectionVectors64(&host64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
	cudaMalloc((void **)&device, D * sizeof *device);
	cudaMalloc((void **)&device64, D * sizeof *device64);
	cudaMemcpy(device, host, D * sizeof *device, cudaMemcpyHostToDevice);
	cudaMemcpy(device64, host64, D * sizeof *device64, cudaMemcpyHostToDevice);
	float *o;
	double *o64;
	cudaMallocManaged(&o, D * 3 * sizeof *o);
	cudaMallocManaged(&o64, D * 3 * sizeof *o64);
	draw_points<<<1, D>>>(device, device64, o, o64);
	cudaDeviceSynchronize();
	for (int d = 0; d < D; d++)
		for (int i = 0; i < 3; i++) {
			near("points of curand_kernel.h", o[d * 3 + i], v[d * N + 5 + i]);
			near("normal ones of 64 bits", 5 + 2 * o64[d * 3 + i], v64[d * N + 5 + i], 1e-14);
		}
	for (void *p : {(void *)device, (void *)device64, (void *)o, (void *)o64})
		cudaFree(p);
	GOOD(curandDestroyGenerator(g));
	GOOD(curandDestroyGenerator(g64));
}

/* ---- a distribution for kernels ---- */

__global__ void draw_discrete(curandDiscreteDistribution_t distribution, double *sums)
{
	curandStateMRG32k3a s;
	curand_init(3, threadIdx.x, 0, &s);
	for (int i = 0; i < 100; i++) {
		double v = curand_discrete(&s, distribution);
		atomicAdd(&sums[0], v);
		atomicAdd(&sums[1], (v - 20) * (v - 20));
	}
}
static void check_discrete()
{
	curandDiscreteDistribution_t distribution;
	double *sums;
	cudaMallocManaged(&sums, 2 * sizeof *sums);
	sums[0] = sums[1] = 0;
	GIVES(CURAND_STATUS_OUT_OF_RANGE, curandCreatePoissonDistribution(0, &distribution));
	GOOD(curandCreatePoissonDistribution(20, &distribution));
	draw_discrete<<<1, 32>>>(distribution, sums);
	cudaDeviceSynchronize();
	expect("mean of curand_discrete", std::fabs(sums[0] / 3200 - 20) < 0.5, 1);
	expect("variance of curand_discrete", std::fabs(sums[1] / 3200 - 20) < 3, 1);
	GOOD(curandDestroyDistribution(distribution));
	cudaFree(sums);
}

/* What Philox gives four at once, and what it gives one by one. */
__global__ void draw_fours(curandDiscreteDistribution_t distribution, int *wrong)
{
	curandStatePhilox4_32_10_t four, one;
	curand_init(8, 1, 5, &four);
	curand_init(8, 1, 5, &one);
#define FOURS(call, single) \
	{ \
		auto v = call; \
		for (auto part : {v.x, v.y, v.z, v.w}) \
			*wrong += part != single; \
	}
	FOURS(curand_uniform4_double(&four), curand_uniform_double(&one))
	FOURS(curand_poisson4(&four, 2.5), curand_poisson(&one, 2.5))
	FOURS(curand_discrete4(&four, distribution), curand_discrete(&one, distribution))
	FOURS(curand_normal4_double(&four), curand_normal_double(&one))
	FOURS(curand_log_normal4(&four, 1, 2), curand_log_normal(&one, 1, 2))
	FOURS(curand_log_normal4_double(&four, 1, 2), curand_log_normal_double(&one, 1, 2))
}
static void check_fours()
{
	curandDiscreteDistribution_t distribution;
	int *wrong;
	cudaMallocManaged(&wrong, sizeof *wrong);
	*wrong = 0;
	GOOD(curandCreatePoissonDistribution(0.5, &distribution));
	draw_fours<<<1, 1>>>(distribution, wrong);
	cudaDeviceSynchronize();
	expect("four at once", *wrong, 0);
	GOOD(curandDestroyDistribution(distribution));
	cudaFree(wrong);
}

/* Numbers of a stream's generator are there when the stream has come so far; 0 of them are none. */
static void check_streams()
{
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	float *d, h[1024];
	cudaMalloc((void **)&d, sizeof h);
	curandGenerator_t g = create(CURAND_RNG_PSEUDO_DEFAULT, false);
	GOOD(curandSetStream(g, stream));
	GOOD(curandGenerateUniform(g, d, 0));
	GOOD(curandGenerateUniform(g, d, 1024));
	cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream);
	cudaStreamSynchronize(stream);
	int outside = 0;
	for (float v : h)
		outside += !(v > 0 && v <= 1);
	expect("numbers outside of (0, 1]", outside, 0);
	GOOD(curandDestroyGenerator(g));
	GIVES(CURAND_STATUS_NOT_INITIALIZED, curandGenerateUniform(g, d, 1024));
	cudaStreamDestroy(stream);
	cudaFree(d);
}

/* A kernel's fault stays, so that no number is made after it. */
__global__ void fail(int *nowhere)
{
	*nowhere = 1;
}
static int check_fault()
{
	curandGenerator_t device = create(CURAND_RNG_PSEUDO_DEFAULT, false), host = create(CURAND_RNG_PSEUDO_DEFAULT, true);
	float *d, h[4];
	cudaMalloc((void **)&d, 4 * sizeof *d);
	fail<<<1, 1>>>(nullptr);
	expect("the fault", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	GIVES(CURAND_STATUS_PREEXISTING_FAILURE, curandGenerateUniform(device, d, 4));
	GOOD(curandGenerateUniform(host, h, 4));
	GOOD(curandDestroyGenerator(device));
	GOOD(curandDestroyGenerator(host));
	printf("%d failures\n", failures);
	return failures > 0;
}

int main(int argc, char **)
{
	if (argc > 1)
		return check_fault();
	for (curandRngType_t type : pseudo) {
		check_distributions(type, 1);
		check_seeds(type);
		if (type != CURAND_RNG_PSEUDO_MT19937)
			check_far(type);
	}
	for (curandRngType_t type : quasi) {
		check_distributions(type, 2);
		check_intervals(type);
	}
	check_turns<curandStateXORWOW>(CURAND_RNG_PSEUDO_XORWOW);
	check_turns<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A);
	check_mrg();
	check_twister();
	check_philox();
	check_sobol();
	check_discrete();
	check_fours();
	check_streams();
	printf("%s: %d failures\n", cudaGetErrorString(cudaGetLastError()), failures);
	return failures > 0;
}

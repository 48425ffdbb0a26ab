/* What cuFFT says to wrong parameters, what its plans keep, and how it shares out lengths. What it computes, tests/cuda/fft.cpp holds to direct
 * sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "data/cuda/cuda_runtime_api.h"
#include "runtime/fft/fft.h"

#define GOOD(call) assert_int_equal(call, CUFFT_SUCCESS)
#define PLAN(call) assert_int_equal(call, CUFFT_INVALID_PLAN)
#define VALUE(call) assert_int_equal(call, CUFFT_INVALID_VALUE)
#define TYPE(call) assert_int_equal(call, CUFFT_INVALID_TYPE)
#define SIZE(call) assert_int_equal(call, CUFFT_INVALID_SIZE)

enum { N = 16 };
static float *numbers; /* of the device */

static int begin(void **state)
{
	(void)state;
	return cudaMalloc((void **)&numbers, 4 * N * sizeof *numbers);
}

static int end(void **state)
{
	(void)state;
	return cudaFree(numbers);
}

static void a_plan_is_made_once(void **state)
{
	cufftHandle plan, other;
	size_t bytes = 7, again = 7;
	(void)state;
	VALUE(cufftCreate(NULL));
	GOOD(cufftCreate(&plan));
	PLAN(cufftGetSize(plan, &bytes));
	PLAN(cufftExecC2C(plan, (cufftComplex *)numbers, (cufftComplex *)numbers, CUFFT_FORWARD));
	PLAN(cufftSetWorkArea(plan, numbers));
	VALUE(cufftMakePlan1d(plan, N, CUFFT_C2C, 1, NULL));
	GOOD(cufftMakePlan1d(plan, N, CUFFT_C2C, 1, &bytes));
	assert_int_equal(bytes, 0);
	PLAN(cufftMakePlan1d(plan, N, CUFFT_C2C, 1, &bytes));
	PLAN(cufftSetAutoAllocation(plan, 0));
	GOOD(cufftGetSize(plan, &again));
	assert_int_equal(again, 0);
	VALUE(cufftGetSize(plan, NULL));
	GOOD(cufftPlan1d(&other, N, CUFFT_C2C, 1));
	assert_int_not_equal(plan, other);
	GOOD(cufftDestroy(plan));
	PLAN(cufftDestroy(plan));
	PLAN(cufftSetStream(plan, NULL));
	PLAN(cufftSetAutoAllocation(plan, 0));
	PLAN(cufftGetSize1d(plan, N, CUFFT_C2C, 1, &bytes));
	PLAN(cufftMakePlan1d(plan, N, CUFFT_C2C, 1, &bytes));
	PLAN(cufftXtExec(plan, numbers, numbers, CUFFT_FORWARD));
	PLAN(cufftExecC2C(plan, (cufftComplex *)numbers, (cufftComplex *)numbers, CUFFT_FORWARD));
	GOOD(cufftExecC2C(other, (cufftComplex *)numbers, (cufftComplex *)numbers, CUFFT_FORWARD));
	GOOD(cufftDestroy(other));
	PLAN(cufftDestroy(0));
}

static void transforms_are_of_the_plan_s_type(void **state)
{
	cufftHandle complex, real;
	(void)state;
	GOOD(cufftPlan1d(&complex, N, CUFFT_C2C, 1));
	GOOD(cufftPlan1d(&real, N, CUFFT_R2C, 1));
	TYPE(cufftExecR2C(complex, numbers, (cufftComplex *)numbers));
	TYPE(cufftExecC2R(real, (cufftComplex *)numbers, numbers));
	TYPE(cufftExecZ2Z(complex, (cufftDoubleComplex *)numbers, (cufftDoubleComplex *)numbers,
	                  CUFFT_FORWARD));
	TYPE(cufftExecD2Z(real, (double *)numbers, (cufftDoubleComplex *)numbers));
	TYPE(cufftExecZ2D(real, (cufftDoubleComplex *)numbers, (double *)numbers));
	VALUE(cufftExecC2C(complex, (cufftComplex *)numbers, (cufftComplex *)numbers, 0));
	VALUE(cufftExecC2C(complex, NULL, (cufftComplex *)numbers, CUFFT_FORWARD));
	VALUE(cufftExecC2C(complex, (cufftComplex *)numbers, NULL, CUFFT_FORWARD));
	GOOD(cufftXtExec(real, numbers, numbers, 5));
	GOOD(cufftDestroy(complex));
	GOOD(cufftDestroy(real));
}

static void parameters_of_plans_are_checked(void **state)
{
	cufftHandle plan = 77;
	int n[] = {4, 5}, embed[] = {4, 6}, none[] = {4, 0};
	long long wide[] = {4, 5};
	size_t bytes;
	(void)state;
	VALUE(cufftPlan1d(NULL, N, CUFFT_C2C, 1));
	SIZE(cufftPlan1d(&plan, 0, CUFFT_C2C, 1));
	SIZE(cufftPlan1d(&plan, N, CUFFT_C2C, 0));
	TYPE(cufftPlan1d(&plan, N, (cufftType)0x2b, 1));
	SIZE(cufftPlan2d(&plan, 4, -1, CUFFT_R2C));
	SIZE(cufftPlan3d(&plan, 1 << 15, 1 << 15, 4, CUFFT_R2C));
	SIZE(cufftPlan1d(&plan, 1073741789, CUFFT_C2C, 1)); /* a prime: its convolution is too long */
	VALUE(cufftPlanMany(&plan, 0, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1));
	VALUE(cufftPlanMany(&plan, 4, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1));
	VALUE(cufftPlanMany(&plan, 2, NULL, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1));
	VALUE(cufftPlanMany(&plan, 2, n, embed, 0, 0, embed, 1, 0, CUFFT_C2C, 1));
	VALUE(cufftPlanMany(&plan, 2, n, embed, 1, 0, none, 1, 0, CUFFT_C2C, 1));
	VALUE(cufftPlanMany(&plan, 2, n, embed, 1, -1, embed, 1, 0, CUFFT_C2C, 1));
	assert_int_equal(plan, 77);
	/* Without one of both embeddings other distances do not count. */
	GOOD(cufftPlanMany(&plan, 2, n, embed, -1, -1, NULL, 0, 0, CUFFT_C2C, 1));
	GOOD(cufftGetSizeMany64(plan, 2, wide, NULL, 1, 0, NULL, 1, 0, CUFFT_Z2D, 3, &bytes));
	assert_int_equal(bytes, 3 * 4 * 3 * 16);
	GOOD(cufftXtGetSizeMany(plan, 2, wide, NULL, 1, 0, CUDA_C_32F, NULL, 1, 0, CUDA_R_32F, 3, &bytes,
	                        CUDA_C_32F));
	assert_int_equal(bytes, 3 * 4 * 3 * 8);
	TYPE(cufftXtGetSizeMany(plan, 2, wide, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_16F, 3, &bytes,
	                        CUDA_C_16F));
	GOOD(cufftDestroy(plan));
}

static void sizes_are_those_of_plans(void **state)
{
	cufftHandle plan;
	int n[] = {64, 8192};
	size_t made, estimated, got;
	(void)state;
	GOOD(cufftCreate(&plan));
	GOOD(cufftGetSizeMany(plan, 2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_D2Z, 1, &got));
	GOOD(cufftEstimateMany(2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_D2Z, 1, &estimated));
	GOOD(cufftMakePlanMany(plan, 2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_D2Z, 1, &made));
	assert_int_equal(made, got);
	assert_int_equal(made, estimated);
	assert_int_equal(made, 2 * 64 * 4096 * 16); /* two buffers of rows of pairs */
	GOOD(cufftGetSize2d(plan, 64, 4096, CUFFT_C2C, &got));
	assert_int_equal(got, 0);
	GOOD(cufftGetSize3d(plan, 2, 64, 4096, CUFFT_C2R, &got));
	assert_int_equal(got, 2 * 64 * 2049 * 8);
	GOOD(cufftEstimate3d(2, 64, 4096, CUFFT_C2R, &estimated));
	assert_int_equal(got, estimated);
	GOOD(cufftEstimate1d(8192, CUFFT_C2C, 3, &estimated));
	assert_int_equal(estimated, 3 * 8192 * 8); /* of two passes one lies between */
	VALUE(cufftEstimate1d(8192, CUFFT_C2C, 3, NULL));
	GOOD(cufftDestroy(plan));
}

static void versions_are_the_header_s(void **state)
{
	int version = 0;
	(void)state;
	GOOD(cufftGetVersion(&version));
	assert_int_equal(version, CUFFT_VERSION);
	VALUE(cufftGetVersion(NULL));
	GOOD(cufftGetProperty(MINOR_VERSION, &version));
	assert_int_equal(version, CUFFT_VER_MINOR);
	VALUE(cufftGetProperty((libraryPropertyType)3, &version));
}

/* The product of a step's radices, which kernels have. */
static uint64_t product_of(const struct ct_fft_step *s)
{
	uint64_t product = 1, radices = s->radices;
	for (uint32_t i = 0; i < s->stages; i++, radices >>= 4) {
		assert_non_null(strchr("\2\3\4\5\7\10", (int)(radices & 15)));
		product *= radices & 15;
	}
	assert_int_equal(radices, 0);
	return product;
}

static void passes_make_up_each_length(void **state)
{
	(void)state;
	for (int64_t n = 1; n < 300000; n += n < 9000 ? 1 : 997)
		for (int kind = 0; kind < 8; kind++) {
			struct ct_fft_way way;
			int is_double = kind & 1, is_real = kind >> 1 & 1, is_apart = kind >> 2;
			uint32_t room = ct_fft_room(is_double);
			uint64_t product = 1;
			assert_int_equal(ct_fft_choose(&way, n, is_double, is_real, is_apart), 0);
			assert_int_equal(way.n, way.is_halved ? n / 2 : n);
			for (int s = 0; s < way.steps; s++) {
				assert_int_equal(product_of(&way.step[s]), way.step[s].length);
				assert_true(way.step[s].length <=
				            (is_apart || way.steps > 1 ? room / 2 : room));
				product *= way.step[s].length;
			}
			assert_int_equal(product, way.length);
			if (way.is_chirp)
				assert_true(way.length >= 2 * n - 1 && way.length < 3 * n);
			else
				assert_int_equal(way.length, way.n);
		}
}

/* What the tables of a way have, beside what long double gives. */
static void tables_have_roots_to_the_last_digit(void **state)
{
	struct ct_fft_tables t = {.is_double = 1};
	struct ct_fft_way way;
	const long double pi = 3.14159265358979323846264338327950288L;
	(void)state;
	assert_int_equal(ct_fft_choose(&way, 12000, 1, 0, 0), 0);
	ct_fft_fill(&t, &way);
	assert_int_equal(t.is_lost, 0);
	assert_true(way.between.coarse > 0);
	const double *fine = (const double *)(t.bytes + way.between.fine),
		     *coarse = (const double *)(t.bytes + way.between.coarse);
	for (uint32_t k = 0; k < 12000; k++) {
		uint32_t low = k & ((1u << way.between.bits) - 1), high = k >> way.between.bits;
		long double a = fine[2 * low], b = fine[2 * low + 1], c = coarse[2 * high],
			    d = coarse[2 * high + 1];
		assert_true(fabsl(a * c - b * d - cosl(2 * pi * k / 12000)) < 2.5e-16L);
		assert_true(fabsl(a * d + b * c + sinl(2 * pi * k / 12000)) < 2.5e-16L);
	}
	free(t.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_made_once),
		cmocka_unit_test(transforms_are_of_the_plan_s_type),
		cmocka_unit_test(parameters_of_plans_are_checked),
		cmocka_unit_test(sizes_are_those_of_plans),
		cmocka_unit_test(versions_are_the_header_s),
		cmocka_unit_test(passes_make_up_each_length),
		cmocka_unit_test(tables_have_roots_to_the_last_digit),
	};
	return cmocka_run_group_tests(tests, begin, end);
}

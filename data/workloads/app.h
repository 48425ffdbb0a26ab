/* app.h - what the host code of a workload calls: inputs, memory of the device, launches, checks.
 *
 * A workload is one file, NAME.cu. Between #ifdef __CUDACC__ and #endif it has its kernels, which are
 * extern "C"; behind them stands its host code, which is C as well as C++:
 *
 *     APP(vecadd)
 *     {
 *             uint32_t n = app_pick(a, 50000, 1000000, 8000000, 16000000);
 *             float *x = (float *)app_host(a, n, sizeof *x);
 *             ...
 *             float *on_device = (float *)app_upload(a, "x", x, n * sizeof *x);
 *             APP_LAUNCH(a, vecadd, app_1d(app_ceil(n, 256)), app_1d(256), 0, &on_device, &n);
 *             app_check_floats(a, "y", got, want, n, 0);
 *     }
 *
 * The file is compiled twice. `ctcc NAME.cu` (or nvcc) makes the program NAME [SIZE [SEED]] of it. The C
 * compiler makes the host code a part of tracegen, where launches run NAME.ptx, the text that ctcc made of
 * the kernels (make workloads). What fails ends the run: no call here returns then. */
#ifndef CT_WORKLOADS_APP_H
#define CT_WORKLOADS_APP_H

#include <stddef.h>
#include <stdint.h>

/* APP_PAPER: as large as in the suites' and the papers' default runs. */
enum app_size { APP_SMALL, APP_MEDIUM, APP_LARGE, APP_PAPER };

struct app {
	uint64_t random; /* state of app_random() */
	enum app_size size;
	uint32_t elements;     /* of the input, where not those of the size; 0: those of the size */
	struct app_host *host; /* of what runs it */
};

/* CTAs of a grid or threads of a CTA. */
struct app_dims {
	uint32_t x, y, z;
};

static inline struct app_dims app_3d(uint32_t x, uint32_t y, uint32_t z)
{
	struct app_dims d;
	d.x = x, d.y = y, d.z = z;
	return d;
}

static inline struct app_dims app_1d(uint32_t x)
{
	return app_3d(x, 1, 1);
}

static inline struct app_dims app_2d(uint32_t x, uint32_t y)
{
	return app_3d(x, y, 1);
}

static inline uint32_t app_ceil(uint64_t n, uint32_t d)
{
	return (uint32_t)((n + d - 1) / d);
}

/* Chooses by size. */
static inline uint32_t
app_pick(const struct app *a, uint32_t small, uint32_t medium, uint32_t large, uint32_t paper)
{
	return a->size == APP_SMALL    ? small
	       : a->size == APP_MEDIUM ? medium
	       : a->size == APP_LARGE  ? large
	                               : paper;
}

/* The same of the input's elements, unless the run says how many. */
static inline uint32_t
app_elements(const struct app *a, uint32_t small, uint32_t medium, uint32_t large, uint32_t paper)
{
	return a->elements ? a->elements : app_pick(a, small, medium, large, paper);
}

/* 64 random bits: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t app_random(struct app *a)
{
	uint64_t z = a->random += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Uniform random numbers: below n (n > 0); in [0, 1); in [lo, hi). */
static inline uint32_t app_below(struct app *a, uint32_t n)
{
	return (uint32_t)((app_random(a) >> 32) * n >> 32);
}

static inline float app_unit(struct app *a)
{
	return (float)(app_random(a) >> 40) / 16777216.0f;
}

static inline float app_between(struct app *a, float lo, float hi)
{
	return lo + (hi - lo) * app_unit(a);
}

static inline void app_fill(struct app *a, float *p, size_t n, float lo, float hi)
{
	for (size_t i = 0; i < n; i++)
		p[i] = app_between(a, lo, hi);
}

#if defined(__cplusplus)
#define APP_STATIC static
#include "app_cuda.h"
#else

/* Begins the host code of a workload: `a` is its run. */
#define APP(name) \
	void app_##name(struct app *a); \
	void app_##name(struct app *a)

/* Runs a kernel; behind the bytes of dynamic shared memory stand pointers to its arguments, each of the
 * type that the kernel declares. */
#define APP_LAUNCH(a, kernel, grid, block, shared, ...) \
	do { \
		const void *const app_arguments[] = {__VA_ARGS__}; \
		app_launch(a, #kernel, grid, block, shared, app_arguments, \
		           sizeof app_arguments / sizeof *app_arguments); \
	} while (0)

/* Copies bytes to a __constant__ or __device__ variable, which is no static one. */
#define APP_TO_SYMBOL(a, symbol, from, bytes) app_to_symbol(a, #symbol, from, bytes)

#define APP_STATIC

void app_launch(struct app *a, const char *kernel, struct app_dims grid, struct app_dims block,
                uint32_t shared, const void *const *arguments, size_t n);
void app_to_symbol(struct app *a, const char *symbol, const void *from, size_t bytes);
#endif

/* Zeroed memory of the host, freed with the run. */
APP_STATIC void *app_host(struct app *a, size_t n, size_t size);
/* Memory of the device, zeroed, freed with the run. `name` is what the trace's arrays.tsv calls it. */
APP_STATIC void *app_device(struct app *a, const char *name, size_t bytes);
APP_STATIC void app_to_device(struct app *a, void *to, const void *from, size_t bytes);
APP_STATIC void app_to_host(struct app *a, void *to, const void *from, size_t bytes);
APP_STATIC void app_on_device(struct app *a, void *to, const void *from, size_t bytes);
/* app_device and app_to_device in one. */
APP_STATIC void *app_upload(struct app *a, const char *name, const void *from, size_t bytes);
/* A texture object (cudaTextureObject_t) over floats of the device, for tex1Dfetch. */
APP_STATIC unsigned long long app_texture(struct app *a, const float *p, uint32_t n);

/* Fails the run where got[i] differs from want[i]: by more than `relative` of the larger magnitude (or of
 * 1), or at all. */
APP_STATIC void app_check_floats(struct app *a, const char *what, const float *got, const float *want,
                                 size_t n, float relative);
APP_STATIC void
app_check_words(struct app *a, const char *what, const uint32_t *got, const uint32_t *want, size_t n);

#endif

/* app_cuda.h - the functions of app.h over CUDA's run-time API, and the program around them: NAME [SIZE
 * [SEED]]. What fails is told and ends the program with status 1. */
#ifndef CT_WORKLOADS_APP_CUDA_H
#define CT_WORKLOADS_APP_CUDA_H

#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APP(name) \
	static void app_run(struct app *a); \
	int main(int argc, char **argv) \
	{ \
		return app_main(argc, argv, app_run); \
	} \
	static void app_run(struct app *a)

#define APP_LAUNCH(a, kernel, grid, block, shared, ...) \
	do { \
		const void *app_arguments[] = {__VA_ARGS__}; \
		app_launch((const void *)kernel, #kernel, grid, block, shared, app_arguments); \
	} while (0)

#define APP_TO_SYMBOL(a, symbol, from, bytes) \
	app_require(cudaMemcpyToSymbol(symbol, from, bytes), "cudaMemcpyToSymbol")

static void app_require(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

static void app_launch(const void *kernel, const char *name, struct app_dims grid, struct app_dims block,
                       uint32_t shared, const void **arguments)
{
	if (shared > 48 * 1024)
		app_require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
		                                 (int)shared),
		            name);
	app_require(cudaLaunchKernel(kernel, dim3(grid.x, grid.y, grid.z),
	                             dim3(block.x, block.y, block.z), (void **)arguments, shared, 0),
	            name);
	app_require(cudaDeviceSynchronize(), name);
}

static inline void *app_host(struct app *a, size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);
	(void)a;
	if (p)
		return p;
	fprintf(stderr, "out of memory\n");
	exit(1);
}

static void *app_device(struct app *a, const char *name, size_t bytes)
{
	void *p = NULL;
	(void)a;
	app_require(cudaMalloc(&p, bytes), name);
	app_require(cudaMemset(p, 0, bytes), name);
	return p;
}

static void app_to_device(struct app *a, void *to, const void *from, size_t bytes)
{
	(void)a;
	app_require(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

static inline void app_to_host(struct app *a, void *to, const void *from, size_t bytes)
{
	(void)a;
	app_require(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

static inline void app_on_device(struct app *a, void *to, const void *from, size_t bytes)
{
	(void)a;
	app_require(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice), "cudaMemcpy");
}

static inline void *app_upload(struct app *a, const char *name, const void *from, size_t bytes)
{
	void *p = app_device(a, name, bytes);
	app_to_device(a, p, from, bytes);
	return p;
}

static inline unsigned long long app_texture(struct app *a, const float *p, uint32_t n)
{
	struct cudaResourceDesc resource;
	struct cudaTextureDesc settings;
	cudaTextureObject_t t;
	(void)a;
	memset(&resource, 0, sizeof resource);
	memset(&settings, 0, sizeof settings);
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = (void *)p;
	resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	resource.res.linear.sizeInBytes = n * sizeof *p;
	settings.readMode = cudaReadModeElementType;
	app_require(cudaCreateTextureObject(&t, &resource, &settings, NULL), "cudaCreateTextureObject");
	return t;
}

static inline void app_check_floats(struct app *a, const char *what, const float *got, const float *want,
                                    size_t n, float relative)
{
	(void)a;
	for (size_t i = 0; i < n; i++) {
		float scale = fmaxf(1.0f, fmaxf(fabsf(got[i]), fabsf(want[i])));
		if (!(fabsf(got[i] - want[i]) <= relative * scale)) {
			fprintf(stderr, "%s[%zu] is %g, the reference has %g\n", what, i, (double)got[i],
			        (double)want[i]);
			exit(1);
		}
	}
}

static inline void
app_check_words(struct app *a, const char *what, const uint32_t *got, const uint32_t *want, size_t n)
{
	(void)a;
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i]) {
			fprintf(stderr, "%s[%zu] is %u, the reference has %u\n", what, i, got[i],
			        want[i]);
			exit(1);
		}
}

static int app_main(int argc, char **argv, void (*run)(struct app *))
{
	static const char *const sizes[] = {"small", "medium", "large", "paper"};
	struct app a;
	int size = 0;
	while (argc > 1 && size < 4 && strcmp(argv[1], sizes[size]) != 0)
		size++;
	if (argc > 3 || size == 4) {
		fprintf(stderr, "usage: %s [small|medium|large|paper [SEED]]\n", argv[0]);
		return 1;
	}
	memset(&a, 0, sizeof a);
	a.size = (enum app_size)size;
	a.random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	run(&a);
	return 0;
}

#endif

/* Work of a stream: it is done at once, or put into the graph that the stream is captured into. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/runtime.h"

/* Fills rows with a value of two or four bytes, which a row of the host's brings. */
static cudaError_t fill_elements(const struct ct_cuda_work *w)
{
	const size_t bytes = w->width * w->element;
	unsigned char *row = ct_calloc(1, bytes ? bytes : 1), *to = w->to;
	cudaError_t error = row ? cudaSuccess : cudaErrorMemoryAllocation;
	for (size_t i = 0; row && i < bytes; i++)
		row[i] = (unsigned char)(w->value >> 8 * (i % w->element));
	for (size_t y = 0; y < w->height && error == cudaSuccess; y++)
		error = cudaMemcpy(to + y * w->to_pitch, row, bytes, cudaMemcpyHostToDevice);
	free(row);
	return error;
}

static cudaError_t launch(const struct ct_cuda_work *w)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = ct_cuda_find_function(w->kernel, &f);
	if (error == cudaSuccess)
		error = ct_cuda_launch(f, w->shape, NULL, w->arguments, w->bytes);
	return ct_cuda_leave(error);
}

/* Allocates or frees memory of a graph, which has its place. */
static cudaError_t change_memory(const struct ct_cuda_work *w)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = w->kind == CT_CUDA_ALLOCATE ? ct_cuda_allocate_in_graph(w->to)
		                                    : ct_cuda_release(w->to, cudaMemoryTypeDevice);
	return ct_cuda_leave(error);
}

cudaError_t ct_cuda_do(const struct ct_cuda_work *w)
{
	switch (w->kind) {
	case CT_CUDA_LAUNCH: return launch(w);
	case CT_CUDA_COPY:
		return w->height == 1 ? cudaMemcpy(w->to, w->from, w->width, w->copy)
		                      : cudaMemcpy2D(w->to, w->to_pitch, w->from, w->from_pitch,
		                                     w->width, w->height, w->copy);
	case CT_CUDA_COPY_3D: return cudaMemcpy3D(&w->box);
	case CT_CUDA_FILL:
		return w->element > 1
		               ? fill_elements(w)
		               : cudaMemset2D(w->to, w->to_pitch, (int)w->value, w->width, w->height);
	case CT_CUDA_HOST: w->function(w->user); return cudaSuccess;
	case CT_CUDA_RECORD: return cudaEventRecord(w->user, NULL);
	case CT_CUDA_ALLOCATE:
	case CT_CUDA_FREE: return change_memory(w);
	case CT_CUDA_WAIT: /* it has happened */
	case CT_CUDA_CHILD:
	case CT_CUDA_NOTHING: break;
	}
	return cudaSuccess;
}

cudaError_t ct_cuda_submit(cudaStream_t stream, const struct ct_cuda_work *w)
{
	cudaError_t error = ct_cuda_enter();
	cudaGraph_t graph = error == cudaSuccess ? ct_cuda_captured_into(stream) : NULL;
	if (graph)
		error = ct_cuda_capture(graph, w);
	error = ct_cuda_leave(error);
	return error == cudaSuccess && !graph ? ct_cuda_do(w) : error;
}
